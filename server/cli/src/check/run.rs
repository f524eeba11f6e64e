//! The check itself: each root module is planned as an editor would, with its files open, and with a change as before that.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use change::ChangeKind;
use config::FileRole;
use disk::Limit;
use ide::{
    Approved, ListedChange, Planner, Planners, Settings, Shown, Snapshot, Trusted, Workspace,
};
use text::{Document, FileId, LineIndex, PositionEncoding, Severity, TextRange};

use super::base::DiffBase;
use super::policy;
use super::report::{Report, ReportedChange, ReportedDiagnostic, RootReport};
use super::roots::{is_module_file, shown, tree};

/// Bytes of a change that a report keeps.
const DIFF: usize = 8_000;

/// Checks root modules, as many at a time as there are processors.
pub(super) async fn all(
    roots: Vec<PathBuf>,
    base: Option<DiffBase>,
    cwd: &Path,
    settings: Settings,
) -> anyhow::Result<Report> {
    let name = base.as_ref().map(|it| it.name.clone());
    let job = Arc::new(Job {
        waiting: Mutex::new(roots),
        base,
        cwd: cwd.to_owned(),
        settings,
        calls: Mutex::default(),
    });
    let workers = std::thread::available_parallelism().map_or(1, |it| it.get());
    let workers = (0..workers).map(|_| tokio::spawn(job.clone().work()));
    let mut reports = Vec::new();
    for worker in workers.collect::<Vec<_>>() {
        reports.extend(worker.await?);
    }
    if name.is_some() {
        reports.retain(|it| it.has_other_plan || !it.diagnostics.is_empty());
    }
    Ok(Report::new(name, reports))
}

struct Job {
    waiting: Mutex<Vec<PathBuf>>,
    base: Option<DiffBase>,
    cwd: PathBuf,
    settings: Settings,
    /// Which folders call which.
    calls: Mutex<BTreeMap<PathBuf, BTreeSet<PathBuf>>>,
}

type Texts = BTreeMap<FileId, String>;

impl Job {
    async fn work(self: Arc<Self>) -> Vec<RootReport> {
        let terraform = host::EnginePlanner::new(crate::root::planner_config());
        let planner = Planners::new(vec![Arc::new(terraform)]);
        let mut workspace = Workspace::default();
        workspace.set_home(planner.home());
        workspace.set_trust(Trusted::Everywhere, Approved::All);
        workspace.set_settings(self.settings.clone());
        let mut reports = Vec::new();
        while let Some(root) = self.next() {
            let begin = Instant::now();
            let mut report = self.check(&root, &mut workspace, &planner).await;
            report.ms = u64::try_from(begin.elapsed().as_millis()).unwrap_or_default();
            reports.push(report);
        }
        planner.restart();
        reports
    }

    fn next(&self) -> Option<PathBuf> {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        waiting.pop()
    }

    async fn check(
        &self,
        root: &Path,
        workspace: &mut Workspace,
        planner: &Planners,
    ) -> RootReport {
        let mut report = RootReport {
            path: shown(root, &self.cwd),
            ..RootReport::default()
        };
        let before = match &self.base {
            Some(base) => match self.before(root, base) {
                Some(before) => Some(before),
                None => return report,
            },
            None => None,
        };
        let unread = self.unread_before(root);
        let texts = self.texts_of(root);
        let now = plan(workspace, planner, &texts).await;
        report.diagnostics = self.found(&now, root);
        self.summarize(&mut report, &now, root);
        let Some(before) = before else {
            let changes = now.planned_changes(root);
            let changes = changes.iter().map(|it| self.change(&now, root, it, false));
            report.changes = changes.collect();
            return report;
        };
        let mut own = texts
            .keys()
            .filter(|file| Path::new(file.path()).parent() == Some(root));
        let is_new = own.all(|file| matches!(before.get(file), Some(None)));
        let mut overlaid = texts;
        let mut absent = BTreeSet::new();
        for (file, text) in before {
            match text {
                Some(text) => drop(overlaid.insert(file, text)),
                None => {
                    overlaid.remove(&file);
                    absent.insert(file);
                }
            }
        }
        workspace.set_absent(absent);
        let was = plan(workspace, planner, &overlaid).await;
        workspace.set_absent(BTreeSet::new());
        let (documents, known) = match is_new {
            true => (String::new(), Vec::new()),
            false => (document(&was, root), self.found(&was, root)),
        };
        report.has_other_plan = documents != document(&now, root);
        report.diagnostics = new_ones(report.diagnostics, &known);
        report.diagnostics.extend(unread);
        let was: Vec<ListedChange> = match is_new {
            true => Vec::new(),
            false => was.planned_changes(root),
        };
        let was: BTreeMap<&str, &ListedChange> =
            was.iter().map(|it| (it.address.as_str(), it)).collect();
        let is_other = |it: &ListedChange| {
            was.get(it.address.as_str())
                .is_none_or(|was| was.diff != it.diff)
        };
        let listed = now.planned_changes(root);
        let others = listed.iter().filter(|it| is_other(it));
        report.changes = others.map(|it| self.change(&now, root, it, true)).collect();
        for change in &mut report.changes {
            let kind = was
                .get(change.address.as_str())
                .map_or(ChangeKind::NoOp, |it| it.kind);
            change.before = Some(steps(kind));
        }
        let listed: BTreeSet<&str> = listed.iter().map(|it| it.address.as_str()).collect();
        for (_, gone) in was
            .iter()
            .filter(|(address, _)| !listed.contains(**address))
        {
            report.changes.push(ReportedChange {
                actions: steps(ChangeKind::NoOp),
                before: Some(steps(gone.kind)),
                symbol: String::new(),
                ..self.change(&now, root, gone, false)
            });
        }
        report
    }

    /// The configuration of a root module and of those that it calls by a path: all of it is open, so all of it is reported.
    fn texts_of(&self, root: &Path) -> Texts {
        self.dirs(root).iter().flat_map(|dir| texts(dir)).collect()
    }

    fn dirs(&self, root: &Path) -> BTreeSet<PathBuf> {
        let none = BTreeMap::new();
        let before = self.base.as_ref().map_or(&none, |it| &it.files);
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        tree(root, before, &mut calls)
    }

    /// The texts before the change of all files that this root module may read; `None`: it reads none that changed.
    fn before(&self, root: &Path, base: &DiffBase) -> Option<BTreeMap<FileId, Option<String>>> {
        let dirs = self.dirs(root);
        let read = base.files.iter().filter(|(path, _)| is_read(path, &dirs));
        let read: BTreeMap<FileId, Option<String>> = read
            .map(|(path, text)| (FileId::new(path.to_string_lossy()), text.clone()))
            .collect();
        let is_known = |file: &FileId| FileRole::of(file.name()) != FileRole::Other;
        let is_concerned = read.keys().any(is_known)
            || !read.is_empty() && has_functions(&dirs)
            || !self.unread_before(root).is_empty();
        is_concerned.then_some(read)
    }

    /// An error for each file and submodule that this root module may read and whose content before the change is unknown.
    fn unread_before(&self, root: &Path) -> Vec<ReportedDiagnostic> {
        let Some(base) = &self.base else {
            return Vec::new();
        };
        let selections = base.selections.iter().filter(|(_, of)| *of == root);
        let selections = selections.map(|(path, _)| selection(shown(path, &self.cwd)));
        if base.unread.is_empty() {
            return selections.collect();
        }
        let dirs = self.dirs(root);
        let has_functions = has_functions(&dirs);
        let is_concerned = |path: &Path| {
            let is_known = FileRole::of(&name(path)) != FileRole::Other;
            dirs.iter().any(|it| it.starts_with(path))
                || is_read(path, &dirs) && (is_known || has_functions)
        };
        let unread = base.unread.iter().filter(|(path, _)| is_concerned(path));
        let errors = unread.map(|(path, why)| {
            let why = format!("in {}, {why}", base.name);
            unreadable(shown(path, &self.cwd), &why)
        });
        errors.chain(selections).collect()
    }

    fn summarize(&self, report: &mut RootReport, now: &Snapshot, root: &Path) {
        let summaries = now.plan_summaries().into_iter();
        let Some(summary) = summaries.into_iter().find(|it| it.folder == root) else {
            return report.diagnostics.extend(self.unread(root));
        };
        let counts = summary.counts;
        (report.add, report.change) = (counts.add, counts.change);
        (report.destroy, report.replace) = (counts.destroy, counts.replace);
        report.guesses = now.guesses(root).len();
        report.is_state_unread = summary.about.is_state_unread;
    }

    fn change(
        &self,
        now: &Snapshot,
        root: &Path,
        change: &ListedChange,
        has_diff: bool,
    ) -> ReportedChange {
        let location = change.location.as_ref();
        let lines = location.map(|it| lines(now, &it.file, it.range));
        let allowed = match location.zip(lines) {
            Some((location, [start, end])) => {
                let text = text_of(now, &location.file);
                policy::allowed(&text, &change.address, Some(start.0..=end.0))
            }
            None => {
                let texts = texts(root).into_values();
                texts
                    .flat_map(|it| policy::allowed(&it, &change.address, None))
                    .collect()
            }
        };
        let mut diff = match has_diff {
            true => change.diff.clone(),
            false => String::new(),
        };
        if diff.len() > DIFF {
            let mut end = DIFF;
            while !diff.is_char_boundary(end) {
                end -= 1;
            }
            diff.truncate(end);
            diff += "\n…";
        }
        ReportedChange {
            address: text::one_line(&change.address).into_owned(),
            actions: steps(change.kind),
            before: None,
            symbol: change.kind.symbol().to_owned(),
            path: location.map(|it| shown(Path::new(it.file.path()), &self.cwd)),
            line: lines.and_then(|[start, _]| u32::try_from(start.0).ok()),
            causes: change.causes.iter().map(|it| it.what.clone()).collect(),
            why: change.why.as_ref().map(ToString::to_string),
            diff,
            allowed,
            is_denied: false,
        }
    }

    /// Everything that the editor would report, and the errors that it has no text for.
    fn found(&self, snapshot: &Snapshot, root: &Path) -> Vec<ReportedDiagnostic> {
        let open: Vec<FileId> = snapshot.files().map(|(file, _)| file.clone()).collect();
        let mut found = Vec::new();
        for file in open
            .iter()
            .filter(|it| FileRole::of(it.name()) != FileRole::Other)
        {
            let diagnostics = snapshot.diagnostics(file);
            found.extend(diagnostics.iter().map(|it| self.one(snapshot, file, it)));
        }
        let closed: Vec<FileId> = snapshot.closed_files_with_diagnostics().cloned().collect();
        for file in closed {
            let text = disk::read_text(Path::new(file.path()), Limit::CONFIGURATION);
            let snapshot = snapshot.with_file(file.clone(), &text.unwrap_or_default());
            let diagnostics = snapshot.diagnostics(&file);
            found.extend(diagnostics.iter().map(|it| self.one(&snapshot, &file, it)));
        }
        let unplaced = snapshot.unplaced_diagnostics(root);
        found.extend(unplaced.iter().map(|it| self.at(root, [(1, 1); 2], it)));
        found.sort();
        found
    }

    /// An error for each file of a root module that is not planned, as nothing in it can be read.
    fn unread(&self, root: &Path) -> Vec<ReportedDiagnostic> {
        let entries = disk::list(root).unwrap_or_default().into_iter();
        let files = entries.filter(|it| is_module_file(&it.name.to_string_lossy()));
        let errors = files.filter_map(|it| {
            let error = disk::read_text(&it.path, Limit::CONFIGURATION).err()?;
            Some(unreadable(shown(&it.path, &self.cwd), &error.to_string()))
        });
        errors.collect()
    }

    fn one(&self, snapshot: &Snapshot, file: &FileId, found: &Shown) -> ReportedDiagnostic {
        let place = lines(snapshot, file, found.range);
        self.at(Path::new(file.path()), place, found)
    }

    fn at(
        &self,
        path: &Path,
        [start, end]: [(usize, usize); 2],
        found: &Shown,
    ) -> ReportedDiagnostic {
        let number = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        ReportedDiagnostic {
            path: shown(path, &self.cwd),
            line: number(start.0),
            column: number(start.1),
            end_line: number(end.0),
            end_column: number(end.1),
            level: match found.diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
                Severity::Info | Severity::Hint => "note",
            }
            .to_owned(),
            code: found.diagnostic.code.to_owned(),
            message: text::visible(&found.message()).into_owned(),
        }
    }
}

/// An error for a change of the file that selects a state or modules.
fn selection(path: String) -> ReportedDiagnostic {
    let message = format!(
        "Selection changed: {path} selects a state or modules. The plan before the change is made with the same selection, so the difference of the plans is unknown."
    );
    whole_file(path, message)
}

/// An error about a file that can't be read, in the words of the plan.
fn unreadable(path: String, why: &str) -> ReportedDiagnostic {
    let message = format!("Failed to read file: The file {path:?} could not be read: {why}.");
    whole_file(path, message)
}

fn whole_file(path: String, message: String) -> ReportedDiagnostic {
    ReportedDiagnostic {
        message,
        path,
        line: 1,
        column: 1,
        end_line: 1,
        end_column: 1,
        level: "error".to_owned(),
        code: "unreadable-file".to_owned(),
    }
}

fn name(path: &Path) -> Cow<'_, str> {
    path.file_name().unwrap_or_default().to_string_lossy()
}

/// Whether a root module with these folders may read a file. One that functions read may be anywhere below the repository:
/// the plan decides.
fn is_read(path: &Path, dirs: &BTreeSet<PathBuf>) -> bool {
    let name = name(path);
    let is_configuration = is_module_file(&name) || FileRole::of(&name) == FileRole::Values;
    !is_configuration || dirs.contains(path.parent().unwrap_or(path))
}

/// Whether functions may read files.
fn has_functions(dirs: &BTreeSet<PathBuf>) -> bool {
    let mut files = dirs.iter().flat_map(|dir| texts(dir).into_values());
    files.any(|text| ["file", "template"].iter().any(|it| text.contains(it)))
}

fn steps(kind: ChangeKind) -> Vec<String> {
    kind.steps().iter().map(|it| (*it).to_owned()).collect()
}

/// The configuration in a folder.
fn texts(root: &Path) -> Texts {
    let mut texts = Texts::new();
    for entry in disk::list(root).unwrap_or_default() {
        let name = entry.name.to_string_lossy();
        let is_ours = is_module_file(&name) || FileRole::of(&name) == FileRole::Values;
        if is_ours && let Ok(text) = disk::read_text(&entry.path, Limit::CONFIGURATION) {
            texts.insert(FileId::new(entry.path.to_string_lossy()), text);
        }
    }
    texts
}

/// Has these texts planned, as if an editor had them open and nothing else.
async fn plan(workspace: &mut Workspace, planner: &Planners, texts: &Texts) -> Snapshot {
    let open: Vec<FileId> = workspace
        .snapshot()
        .files()
        .map(|(file, _)| file.clone())
        .collect();
    for file in open.iter().filter(|it| !texts.contains_key(*it)) {
        workspace.close_document(file);
    }
    for (file, text) in texts {
        workspace.set_document(file.clone(), Document::new(0, text));
    }
    ide::plan_pending(workspace, planner).await;
    workspace.snapshot()
}

/// A plan with its outputs, without the lines on how it was made.
fn document(snapshot: &Snapshot, root: &Path) -> String {
    let document = snapshot.plan_document(root).unwrap_or_default();
    let lines = document.lines().filter(|line| !line.starts_with("# "));
    lines.collect::<Vec<_>>().join("\n")
}

/// Those that were not there before, wherever they stood.
fn new_ones(
    found: Vec<ReportedDiagnostic>,
    known: &[ReportedDiagnostic],
) -> Vec<ReportedDiagnostic> {
    let key = |it: &ReportedDiagnostic| (it.path.clone(), it.code.clone(), it.message.clone());
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for it in known {
        *counts.entry(key(it)).or_default() += 1;
    }
    let mut new = found;
    new.retain(|it| match counts.get_mut(&key(it)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    });
    new
}

fn text_of(snapshot: &Snapshot, file: &FileId) -> String {
    match snapshot.file(file) {
        Some(open) => open.document().text(),
        None => disk::read_text(Path::new(file.path()), Limit::CONFIGURATION).unwrap_or_default(),
    }
}

/// The lines and characters of a range, from 1.
fn lines(snapshot: &Snapshot, file: &FileId, range: TextRange) -> [(usize, usize); 2] {
    let index = match snapshot.file(file) {
        Some(open) => open.document().line_index(),
        None => LineIndex::new(&text_of(snapshot, file)),
    };
    [range.start(), range.end()].map(|at| {
        let position = index.position(at, PositionEncoding::Utf32);
        (position.line as usize + 1, position.character as usize + 1)
    })
}
