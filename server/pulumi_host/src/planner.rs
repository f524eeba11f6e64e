//! Plans of programs: one project for each folder with an open file of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use futures_util::future::{BoxFuture, Shared};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use ide::{
    Checks, DeclaredModule, Features, Folder, Intent, Language, ObjectFacts, ObjectFolder,
    OfferedRefactoring, PlaceInFile, PlanJob, PlanOverview, PlanSink, PlanTrigger, PlanUpdate,
    Planner, PlannerFuture, Refactored, Refused, Renamable, Selection, Snapshot, Stage, Untrusted,
};
use process::Variables;
use pulumi::plan::{Plan, PlanProblem};
use pulumi::program::Program;
use pulumi::project::{FILES as PROJECT_FILES, Project};
use text::{Diagnostic, FileId, Problem, Span, TextRange, TextSize};
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::features::actions::Proven;
use crate::features::{Programs, names};
use crate::folder::ProgramFolder;
use crate::language::{FilePurpose, PulumiYaml, YamlFile, project_of};
use crate::planned_objects::{self, Objects};
use crate::rename;
use crate::session::{PlannedProject, Session, Unplannable};

/// When a resource without a plan names the plugin that it waits for.
const NAMED_AFTER: Duration = Duration::from_secs(1);

/// So many objects that could not be read are listed.
const UNREAD_LIMIT: usize = 5;

/// The runtime of programs in HCL.
const HCL: &str = "hcl";

/// Plans the programs in YAML that an editor has open, with the plugins that are installed.
pub struct ProgramPlanner {
    variables: Variables,
    open: Arc<Mutex<HashMap<PathBuf, Arc<tokio::sync::Mutex<Open>>>>>,
    /// The plans in the making, by the folders of their projects.
    runs: Mutex<BTreeMap<PathBuf, Run>>,
    /// Folders with a program in HCL or without, as of some change on the disk.
    hcl: Mutex<(u64, HashMap<PathBuf, bool>)>,
}

/// An open project, with its last objects.
struct Open {
    session: Session,
    objects: Objects,
    facts: ObjectFacts,
    /// Of a program in HCL.
    declared: DeclaredModule,
}

impl ProgramPlanner {
    pub fn new(variables: Variables) -> ProgramPlanner {
        ProgramPlanner {
            variables,
            open: Arc::default(),
            runs: Mutex::default(),
            hcl: Mutex::default(),
        }
    }

    /// Whether a folder has a program in HCL. Its files are read as Terraform's are, and nobody plans them.
    fn has_hcl(&self, dir: &Path, snapshot: &Snapshot) -> bool {
        let parse = |path: &Path, text| Project::parse(dir, path.to_owned(), text).runtime == HCL;
        let mut names = PROJECT_FILES.iter();
        let open = names.find_map(|name| {
            let path = dir.join(name);
            let source = snapshot.file(&FileId::new(path.to_string_lossy()))?;
            let yaml = YamlFile::of(source.parsed())?;
            Some(Project::read(dir, path, &yaml.file).runtime == HCL)
        });
        if let Some(open) = open {
            return open;
        }
        let mut known = locked(&self.hcl);
        if known.0 != snapshot.changes_on_disk() {
            *known = (snapshot.changes_on_disk(), HashMap::new());
        }
        *known.1.entry(dir.to_owned()).or_insert_with(|| {
            let text = |path: &PathBuf| disk::read_text(path, disk::Limit::CONFIGURATION).ok();
            Project::find(dir).is_some_and(|path| text(&path).is_some_and(|it| parse(&path, it)))
        })
    }

    /// The projects of the open files, with these.
    fn projects(&self, snapshot: &Snapshot) -> BTreeMap<PathBuf, Vec<FileId>> {
        let mut found: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
        for (file, _) in snapshot.files() {
            let is_file = |path: &Path| {
                path.is_file()
                    || snapshot
                        .file(&FileId::new(path.to_string_lossy()))
                        .is_some()
            };
            let project = match FilePurpose::of(file) {
                Some(_) => project_of(file, &is_file),
                None => {
                    let dir = Path::new(file.path()).parent();
                    let dir = dir.filter(|dir| is_hcl(file) && self.has_hcl(dir, snapshot));
                    dir.map(Path::to_owned)
                }
            };
            if let Some(dir) = project {
                found.entry(dir).or_default().push(file.clone());
            }
        }
        found
    }

    fn opened(&self, dir: &Path) -> Arc<tokio::sync::Mutex<Open>> {
        let mut open = locked(&self.open);
        let opened = open.entry(dir.to_owned()).or_insert_with(|| {
            Arc::new(tokio::sync::Mutex::new(Open {
                session: Session::new(dir.to_owned(), self.variables.clone()),
                objects: Objects::default(),
                facts: ObjectFacts::default(),
                declared: DeclaredModule::default(),
            }))
        });
        opened.clone()
    }

    /// Begins the plan of a project, instead of a cancelled one.
    fn begin(
        &self,
        dir: &Path,
        files: &[FileId],
        job: &PlanJob,
        cancelled: Option<Run>,
        report: &Arc<dyn PlanSink>,
    ) -> Run {
        let unfinished = cancelled.and_then(|run| run.unfinished_reason());
        let reason = job.reason.max(unfinished.unwrap_or(PlanTrigger::Edit));
        let job = PlanJob {
            reason,
            ..job.clone()
        };
        let (open, snapshot, report) = (self.opened(dir), job.snapshot.clone(), report.clone());
        let (of_root, of_files) = (dir.to_owned(), files.to_vec());
        let Work { work, end_on_drop } = Work::begin(async move {
            let mut open = open.lock().await;
            open.update(&snapshot, reason, &of_root, of_files, &*report)
                .await
        });
        let done = work.map(|found| found.ok().flatten());
        Run {
            job,
            dir: dir.to_owned(),
            files: files.to_vec(),
            done: done.boxed().shared(),
            _end_on_drop: end_on_drop,
        }
    }
}

impl Planner for ProgramPlanner {
    fn takes(&self, file: &FileId, snapshot: &Snapshot) -> bool {
        let dir = Path::new(file.path()).parent();
        FilePurpose::of(file).is_some() || dir.is_some_and(|dir| self.has_hcl(dir, snapshot))
    }

    fn languages(&self) -> Vec<Arc<dyn Language>> {
        vec![Arc::new(PulumiYaml)]
    }

    fn features(&self) -> Vec<Arc<dyn Features>> {
        vec![Arc::new(Programs)]
    }

    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        let roots = self.projects(&job.snapshot);
        locked(&self.open).retain(|dir, _| roots.contains_key(dir));
        let mut before = std::mem::take(&mut *locked(&self.runs));
        let mut ends = FuturesUnordered::new();
        for (dir, files) in &roots {
            let run = match before.remove(dir) {
                Some(run) if run.holds_for(&job, files) => run.followed(&job),
                cancelled => self.begin(dir, files, &job, cancelled, &report),
            };
            let (snapshot, report) = (job.snapshot.clone(), report.clone());
            let (dir, files, mut done) = (dir.clone(), files.clone(), run.done.clone());
            locked(&self.runs).insert(dir.clone(), run);
            ends.push(async move {
                if let Ok(update) = tokio::time::timeout(NAMED_AFTER, &mut done).await {
                    return (dir, update);
                }
                let waiting = {
                    let dir = dir.clone();
                    tokio::task::spawn_blocking(move || waiting(&snapshot, &dir, &files))
                };
                if let Ok(Some(update)) = waiting.await {
                    report.update(update);
                }
                (dir, done.await)
            });
        }
        Box::pin(async move {
            let revision = job.snapshot.revision();
            report.began(revision, roots);
            let mut whole = PlanUpdate::empty(revision);
            while let Some((dir, update)) = ends.next().await {
                let Some(update) = update else {
                    continue;
                };
                whole.facts.extend(update.facts.clone());
                whole.known.extend(update.known.clone());
                whole.declared.extend(update.declared.clone());
                whole.checks.extend(update.checks.clone());
                report.update(PlanUpdate {
                    revision,
                    root: Some((dir, Stage::Planned)),
                    ..update
                });
            }
            whole.is_complete = true;
            report.update(whole);
        })
    }

    fn renamable(&self, place: Selection) -> PlannerFuture<Result<Renamable, Refused>> {
        Box::pin(std::future::ready(rename::renamable(&place)))
    }

    fn refactor(
        &self,
        place: Selection,
        intent: Intent,
    ) -> PlannerFuture<Result<Refactored, Refused>> {
        let is_file = |path: &Path| path.is_file();
        let open = project_of(&place.file, &is_file).map(|dir| self.opened(&dir));
        Box::pin(async move {
            let open = open.ok_or_else(Refused::unplanned)?;
            let made = async move {
                let mut open = open.lock().await;
                match intent {
                    Intent::Rename(new) => open.renamed(&place, &new).await,
                    Intent::OfferedRefactoring(offered) => open.offered(&place, offered).await,
                }
            };
            let made = Work::begin(made).done().await;
            made.unwrap_or_else(|| Err(Refused::unplanned()))
        })
    }

    fn may_plan(&self, address: &str) -> bool {
        address.starts_with("urn:pulumi:")
    }

    fn restart(&self) {
        locked(&self.runs).clear();
        locked(&self.open).clear();
    }
}

/// The plan of a project in the making. Dropped, it is cancelled.
struct Run {
    /// The newest that it is the plan of.
    job: PlanJob,
    dir: PathBuf,
    files: Vec<FileId>,
    done: Shared<BoxFuture<'static, Option<PlanUpdate>>>,
    _end_on_drop: DropGuard,
}

impl Run {
    /// Whether it is still running and would be the same for a newer job: newer texts of other projects don't stop a plan.
    fn holds_for(&self, job: &PlanJob, files: &[FileId]) -> bool {
        let is_same =
            self.done.peek().is_none() && job.reason == PlanTrigger::Edit && self.files == files;
        let edited = || job.snapshot.edited_since(&self.job.snapshot);
        let is_own = |file: &FileId| Path::new(file.path()).starts_with(&self.dir);
        is_same && edited().is_some_and(|edited| !edited.into_iter().any(is_own))
    }

    fn followed(mut self, job: &PlanJob) -> Run {
        self.job.snapshot = job.snapshot.clone();
        self
    }

    /// Why it was asked for, if it has not done that.
    fn unfinished_reason(&self) -> Option<PlanTrigger> {
        let is_done = self.done.peek().is_some_and(Option::is_some);
        (!is_done).then_some(self.job.reason)
    }
}

/// Work in a thread of its own, as it evaluates. It ends at its next wait once its result is no longer needed.
struct Work<T> {
    work: JoinHandle<Option<T>>,
    end_on_drop: DropGuard,
}

impl<T: Send + 'static> Work<T> {
    fn begin(work: impl Future<Output = T> + Send + 'static) -> Work<T> {
        let (end, runtime) = (CancellationToken::new(), Handle::current());
        let until_end = end.clone().run_until_cancelled_owned(work);
        Work {
            work: tokio::task::spawn_blocking(move || runtime.block_on(until_end)),
            end_on_drop: end.drop_guard(),
        }
    }

    async fn done(self) -> Option<T> {
        self.work.await.ok().flatten()
    }
}

impl Open {
    /// A rename, with its proof by a second plan.
    async fn renamed(&mut self, place: &Selection, new: &str) -> Result<Refactored, Refused> {
        let renamed = rename::renamed(place, new)?;
        let PlannedProject { plan, unread, .. } = self.planned(&place.snapshot).await?;
        let mut edited = place.snapshot.clone();
        for (file, text) in &renamed.texts {
            edited = edited.with_file(file.clone(), &renamed.edits.applied(file, text));
        }
        let after = self.planned(&edited).await?.plan;
        let names = (&*renamed.old, &*renamed.new);
        let proof = rename::proof(&plan, &after, names, unread);
        Ok(rename::refactored(renamed, proof))
    }

    /// An offered refactoring, with its proof by a second plan.
    async fn offered(
        &mut self,
        place: &Selection,
        offered: OfferedRefactoring,
    ) -> Result<Refactored, Refused> {
        let offered = serde_json::from_value(offered.0).map_err(|_| Refused::unplanned())?;
        let Proven::Alias { resource, line } = offered;
        let (edits, text) = rename::aliased(place, &resource, &line)?;
        let PlannedProject { plan, unread, .. } = self.planned(&place.snapshot).await?;
        let edited = edits.applied(&place.file, &text);
        let after = place
            .snapshot
            .clone()
            .with_file(place.file.clone(), &edited);
        let after = self.planned(&after).await?.plan;
        Ok(Refactored {
            title: format!("Add an alias to {resource}"),
            texts: BTreeMap::from([(place.file.clone(), text)]),
            edits,
            proof: rename::proof(&plan, &after, ("", ""), unread),
        })
    }

    async fn planned(&mut self, snapshot: &Snapshot) -> Result<PlannedProject, Refused> {
        match self.session.plan(snapshot, PlanTrigger::Edit).await {
            Some(Ok(planned)) => Ok(planned),
            Some(Err(unplannable)) => Err(Refused(unplannable.why)),
            None => Err(Refused::unplanned()),
        }
    }

    async fn update(
        &mut self,
        snapshot: &Snapshot,
        reason: PlanTrigger,
        dir: &Path,
        files: Vec<FileId>,
        report: &dyn PlanSink,
    ) -> PlanUpdate {
        let mut update = PlanUpdate::empty(snapshot.revision());
        let of_files: BTreeSet<FileId> = files.iter().cloned().collect();
        let reads = self.session.wish(snapshot, reason);
        let _reading = reads.then(|| report.progress("Reading objects"));
        match self.session.plan(snapshot, reason).await {
            None => {}
            Some(Err(Unplannable {
                project,
                why,
                reads_outside,
            })) => {
                if reads_outside {
                    let needed = Untrusted {
                        reads_outside,
                        ..Untrusted::default()
                    };
                    report.trust_needed(dir.to_owned(), needed);
                }
                let file = FileId::new(project.path.to_string_lossy());
                let of_project = place_of_key(snapshot, &file, "runtime");
                let of_hcl = files.iter().filter(|it| is_hcl(it));
                let of_hcl = of_hcl.filter_map(|file| first_line(snapshot, file));
                let diagnostics = of_project.into_iter().chain(of_hcl).map(|span| Diagnostic {
                    severity: text::Severity::Info,
                    ..Diagnostic::error("not-planned", why.clone(), "", span)
                });
                let diagnostics = diagnostics.chain(syntax_errors(snapshot, &file));
                let checks = Checks::of(of_files, diagnostics);
                update.checks.insert(dir.to_owned(), Arc::new(checks));
                if project.runtime == HCL {
                    let declared = self.declared.read(snapshot, dir);
                    update.declared.insert(dir.to_owned(), declared);
                }
            }
            Some(Ok(planned)) => {
                let mut needed = self.session.trust().needed();
                needed.reads_outside |= planned.plan.reads_outside();
                if needed != Untrusted::default() {
                    report.trust_needed(dir.to_owned(), needed);
                }
                self.report_plan(snapshot, dir, files, planned, &mut update);
            }
        }
        update
    }

    fn report_plan(
        &mut self,
        snapshot: &Snapshot,
        dir: &Path,
        files: Vec<FileId>,
        planned: PlannedProject,
        update: &mut PlanUpdate,
    ) {
        let plan = &planned.plan;
        let (objects, values) = self.objects.of(&planned);
        let start = files.iter().find_map(|file| start(snapshot, file));
        let diagnostics = plan.problems.iter().filter_map(diagnostic);
        let unused = names::unused(&planned.program, &planned.project.name);
        let diagnostics = diagnostics.chain(own(&planned, &start)).chain(unused);
        let diagnostics: Vec<Diagnostic> = diagnostics.collect();
        update.facts = self
            .facts
            .of(snapshot, &objects, &diagnostics, &values, start.as_ref());
        let of_objects = objects.iter().filter(|it| it.has_errors).count();
        let errors = diagnostics
            .iter()
            .filter(|it| it.severity == text::Severity::Error);
        let checks = Checks::of(files.iter().cloned().collect(), None);
        update.checks.insert(dir.to_owned(), Arc::new(checks));
        let stack = planned.is_stack_selected.then_some(&planned.stack);
        let about = PlanOverview {
            is_root: true,
            // Those that have no object.
            errors: errors.count().saturating_sub(of_objects),
            environment: stack.map(|it| format!("stack {it}")),
            workspace: stack.cloned().unwrap_or_default(),
            is_state_unread: planned.unread.is_some(),
            ..PlanOverview::default()
        };
        let folder = ProgramFolder {
            dir: dir.to_owned(),
            name: planned.project.name.clone(),
            program_file: FileId::new(planned.project.program_path().to_string_lossy()),
            stacks: planned.stacks,
            objects: ObjectFolder {
                objects,
                removed: self.facts.former_places(snapshot),
                files,
                about,
            },
            program: planned.program,
            plan: planned.plan,
            schemas: planned.schemas,
            installed: planned.installed,
        };
        let folder: Arc<dyn Folder> = Arc::new(folder);
        update.known.insert(dir.to_owned(), folder);
    }
}

/// The lenses of a project that has no plan yet, while its plugins take their time.
fn waiting(snapshot: &Snapshot, dir: &Path, files: &[FileId]) -> Option<PlanUpdate> {
    let planned = |file| PlaceInFile::of(snapshot, file, TextSize::new(0))?.folder;
    if files.iter().any(|it| planned(it).is_some()) {
        return None;
    }
    let mut objects = Vec::new();
    for file in files {
        let parsed = snapshot.file(file).map(|it| it.parsed());
        let program = parsed
            .and_then(YamlFile::of)
            .map(|it| Program::read(file, &it.file));
        let resources = program.into_iter().flat_map(|it| it.resources);
        objects.extend(resources.map(|it| planned_objects::waiting(&it)));
    }
    Some(PlanUpdate {
        facts: ObjectFacts::default().of(snapshot, &objects, &[], &[], None),
        root: Some((dir.to_owned(), Stage::Waiting)),
        ..PlanUpdate::empty(snapshot.revision())
    })
}

/// A problem, at its place.
fn diagnostic(problem: &PlanProblem) -> Option<Diagnostic> {
    let Problem { at, .. } = &problem.problem;
    let span = at.clone();
    let diagnostic = problem.problem.clone().located(|_| span);
    Some(match &problem.urn {
        Some(urn) => diagnostic.about(&urn.name()),
        None => diagnostic,
    })
}

/// The gaps of the whole plan.
fn own(planned: &PlannedProject, start: &Option<Span>) -> Vec<Diagnostic> {
    let info = |why: String| Diagnostic {
        severity: text::Severity::Info,
        ..Diagnostic::error("not-planned", why, "", start.clone())
    };
    let unread = planned
        .unread
        .iter()
        .map(|why| format!("Existing resources are unknown: {why}"));
    let caveats = whole_caveats(&planned.plan).into_iter();
    let objects = planned.refreshed.unread.iter().take(UNREAD_LIMIT);
    let objects = objects.map(|(urn, why)| format!("{} could not be read: {why}", urn.name()));
    unread.chain(caveats).chain(objects).map(info).collect()
}

/// Those of the plan that no resource has.
fn whole_caveats(plan: &Plan) -> Vec<String> {
    let of_steps: BTreeSet<_> = plan.steps.iter().flat_map(|it| &it.caveats).collect();
    let own = plan.caveats.iter().filter(|it| !of_steps.contains(it));
    own.map(|it| format!("The plan is a guess: {it}")).collect()
}

/// The first line that says something.
fn start(snapshot: &Snapshot, file: &FileId) -> Option<Span> {
    let source = snapshot.file(file)?;
    let yaml = YamlFile::of(source.parsed())?;
    let item = yaml.file.keys().next()?;
    Some(Span {
        file: file.clone(),
        segment: item.segment.id,
        range: item.key.range,
    })
}

/// The first line of a file in any language that says something.
fn first_line(snapshot: &Snapshot, file: &FileId) -> Option<Span> {
    let source = snapshot.file(file)?;
    let segment = source.parsed().segments().next()?;
    let written = segment.text.trim_start();
    let start = segment.text.len() - written.len();
    let line = written.lines().next().unwrap_or_default();
    Some(Span {
        file: file.clone(),
        segment: segment.id,
        range: TextRange::at(TextSize::new(start as u32), TextSize::of(line)),
    })
}

fn is_hcl(file: &FileId) -> bool {
    file.name().ends_with(".tf")
}

fn syntax_errors(snapshot: &Snapshot, file: &FileId) -> Vec<Diagnostic> {
    let source = snapshot.file(file);
    let yaml = source.and_then(|it| YamlFile::of(it.parsed()));
    let errors = yaml.into_iter().flat_map(|it| it.file.errors());
    let errors = errors.map(|(segment, problem)| {
        let span = |range| Span {
            file: file.clone(),
            segment,
            range,
        };
        problem.clone().located(span)
    });
    errors.collect()
}

fn place_of_key(snapshot: &Snapshot, file: &FileId, key: &str) -> Option<Span> {
    let source = snapshot.file(file)?;
    let yaml = YamlFile::of(source.parsed())?;
    let item = yaml.file.key(key)?;
    Some(Span {
        file: file.clone(),
        segment: item.segment.id,
        range: item.key.range,
    })
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
