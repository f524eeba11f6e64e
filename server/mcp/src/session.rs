//! The workspace behind the calls: one engine, as an editor has it, that stays warm between them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, bail, ensure};
use config::FileRole;
use disk::Limit;
use ide::{
    ApprovalFile, ApprovalStamp, Approvals, Approved, Language, Package, Planner, RootSettings,
    Settings, Snapshot, TrustFolder, Untrusted, Workspace,
};
use serde::Deserialize;
use serde_json::Value;
use text::{Document, FileId, LineIndex, PositionEncoding, TextRange};

use crate::proposal::{self, FileText, FileTexts, Proposed};

/// Inputs of the server from its process.
#[derive(Clone)]
pub struct Options {
    pub planner: Arc<dyn Planner>,
    /// The workspace: calls are about its folders.
    pub folder: PathBuf,
    /// Whether it is trusted, with the plugins that its saved text needs, in addition to earlier approvals.
    pub is_trusted: bool,
    /// Where answers of the user are kept. None: nowhere.
    pub state_dir: Option<PathBuf>,
    /// The value of an environment variable.
    pub variable: fn(&str) -> Option<OsString>,
}

/// The subject of a call.
#[derive(Deserialize, Default, Clone)]
pub(crate) struct CallArguments {
    /// Below the workspace; the workspace itself where none is named.
    #[serde(default)]
    pub folder: Option<String>,
    #[serde(default)]
    pub edits: Vec<proposal::Edit>,
    #[serde(default)]
    pub variables: BTreeMap<String, Value>,
    #[serde(default)]
    pub environment: Option<String>,
}

/// A folder, planned with the proposed texts.
pub(crate) struct PlannedProposal {
    pub snapshot: Snapshot,
    pub dir: PathBuf,
    /// The workspace. Paths in answers are relative to it.
    pub workspace: PathBuf,
    pub proposed: Proposed,
    /// Why something is not planned that only the user can give.
    pub needed: Option<String>,
}

type Texts = BTreeMap<FileId, Arc<str>>;

pub(crate) struct Session {
    options: Options,
    workspace: Workspace,
    /// Of the folder that was last asked about.
    saved: FileTexts,
    /// By the last call.
    proposed: FileTexts,
    /// The open documents, as they were last set.
    open: Texts,
    languages: Vec<Arc<dyn Language>>,
    kept: ApprovalFile,
    stamp: ApprovalStamp,
    /// The meaning of `--trust`.
    granted: BTreeMap<TrustFolder, BTreeSet<Package>>,
    /// The saved texts, and the lock file, that were last looked at for that, by folder.
    looked_at: BTreeMap<PathBuf, (Texts, Option<String>)>,
    /// Whether anything that is not saved was planned since the engine started.
    has_proposed: bool,
    version: i32,
}

const LOCK_FILE: &str = ".terraform.lock.hcl";

impl Session {
    pub(crate) fn new(options: Options) -> Session {
        let mut workspace = Workspace::default();
        let languages = options.planner.languages();
        workspace.set_languages(languages.clone());
        workspace.set_home(options.planner.home());
        workspace.set_folders(vec![options.folder.clone()]);
        workspace.confine();
        let mut session = Session {
            kept: options
                .state_dir
                .as_deref()
                .map(ApprovalFile::read)
                .unwrap_or_default(),
            stamp: options
                .state_dir
                .as_deref()
                .map(ApprovalStamp::of)
                .unwrap_or_default(),
            options,
            workspace,
            saved: FileTexts::new(),
            proposed: FileTexts::new(),
            open: Texts::new(),
            languages,
            granted: BTreeMap::new(),
            looked_at: BTreeMap::new(),
            has_proposed: false,
            version: 0,
        };
        if session.options.is_trusted {
            let folder = session
                .workspace
                .snapshot()
                .trust_folder(&session.options.folder);
            session.granted.insert(folder, BTreeSet::new());
        }
        session.apply_trust();
        session
    }

    pub(crate) fn planner(&self) -> Arc<dyn Planner> {
        self.options.planner.clone()
    }

    /// Plans a folder with the proposed texts.
    pub(crate) async fn planned(
        &mut self,
        asked: &CallArguments,
    ) -> anyhow::Result<PlannedProposal> {
        let dir = self.folder(asked.folder.as_deref())?;
        let (files, too_long) = self.saved(&dir)?;
        let proposed = proposal::read(
            asked,
            &dir,
            &self.options,
            &files,
            &std::mem::take(&mut self.proposed),
            &self.workspace.snapshot(),
        )?;
        self.proposed = proposed.checked.clone();
        if let Some((file, error)) = too_long
            .iter()
            .find(|(file, _)| !proposed.texts.contains_key(file))
        {
            bail!("{}: {error}", file.name());
        }
        let texts = files
            .iter()
            .map(|(file, it)| (file.clone(), it.text.clone()));
        let saved: Texts = texts.collect();
        self.saved = files;
        self.give(&dir, asked)?;
        self.look_at_trust();
        let of_saved = self.plan_to_grant(&dir, &saved).await;
        if proposed.is_broken {
            // A block that can't be parsed keeps the meaning that it has in the saved text, not in an earlier proposal.
            self.plan(&saved).await;
        }
        let needed = match of_saved {
            Some(needed) if proposed.is_empty() => needed,
            _ => {
                let mut texts = saved;
                texts.extend(proposed.texts.clone());
                self.has_proposed |= !proposed.is_empty();
                self.plan(&texts).await
            }
        };
        Ok(PlannedProposal {
            snapshot: self.workspace.snapshot(),
            dir,
            workspace: self.options.folder.clone(),
            proposed,
            needed: sentence(&needed),
        })
    }

    /// The folder that a call names: one of the workspace, also behind links.
    fn folder(&self, name: Option<&str>) -> anyhow::Result<PathBuf> {
        let (root, name) = (&self.options.folder, name.unwrap_or("."));
        let dir = proposal::inside(&root.join(name), root).filter(|it| it.is_dir());
        dir.with_context(|| {
            format!("there is no folder {name:?} in the workspace that planlens was started for")
        })
    }

    /// The configuration of a folder as it is on disk, and the files that are too long to be read.
    fn saved(&self, dir: &Path) -> anyhow::Result<(FileTexts, BTreeMap<FileId, io::Error>)> {
        let mut saved = BTreeMap::new();
        let mut too_long = BTreeMap::new();
        for entry in disk::list(dir).with_context(|| format!("listing {}", dir.display()))? {
            let file = FileId::new(entry.path.to_string_lossy());
            let is_ours = self.languages.iter().any(|it| it.takes(&file));
            let is_module = matches!(
                FileRole::of(file.name()),
                FileRole::Module | FileRole::Values
            );
            let is_hidden = file.name().starts_with('.');
            if (is_module || is_ours)
                && !is_hidden
                && file.name().contains('.')
                && entry
                    .path
                    .canonicalize()
                    .is_ok_and(|it| it.starts_with(&self.options.folder))
            {
                let text = match disk::read_text(&entry.path, Limit::DOCUMENT) {
                    Ok(text) => text,
                    Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                        too_long.insert(file, error);
                        continue;
                    }
                    Err(_) => continue,
                };
                let text = FileText::of(text, self.saved.get(&file));
                saved.insert(file, text);
            }
        }
        ensure!(
            !(saved.is_empty() && too_long.is_empty()),
            "there is no configuration in {}",
            dir.display()
        );
        Ok((saved, too_long))
    }

    /// Variables and environment that the root module in a folder has for this call.
    fn give(&mut self, dir: &Path, asked: &CallArguments) -> anyhow::Result<()> {
        let mut settings = Settings::default();
        if !asked.variables.is_empty() {
            let mut root = RootSettings::default();
            root.always.variables = asked.variables.clone();
            settings
                .roots
                .insert(dir.to_string_lossy().into_owned(), root);
        }
        self.workspace.set_settings(settings);
        if let Some(name) = &asked.environment {
            let files = &ide::DiskFiles;
            let listed = self.workspace.snapshot().environments(dir, files);
            let names: Vec<&str> = listed.iter().map(|it| it.name.as_str()).collect();
            ensure!(
                names.contains(&name.as_str()),
                "there is no environment {name:?}; there are {}",
                match names.is_empty() {
                    true => "none".to_owned(),
                    false => names.join(", "),
                }
            );
        }
        self.workspace
            .choose_environment(dir.to_owned(), asked.environment.clone());
        Ok(())
    }

    /// Plans only these texts. Returns the permissions that they need from the user.
    async fn plan(&mut self, texts: &Texts) -> Untrusted {
        let gone = self.open.keys().filter(|file| !texts.contains_key(*file));
        for file in gone.cloned().collect::<Vec<_>>() {
            self.workspace.close_document(&file);
            self.open.remove(&file);
        }
        for (file, text) in texts {
            if self.open.get(file).is_none_or(|open| open != text) {
                self.version += 1;
                let document = Document::new(self.version, text);
                self.workspace.set_document(file.clone(), document);
                self.open.insert(file.clone(), text.clone());
            }
        }
        // Other files may have changed on disk since the last call.
        if !texts.is_empty() {
            self.workspace.files_changed_on_disk();
        }
        ide::plan_pending(&mut self.workspace, &*self.options.planner).await
    }

    /// If the user trusts a folder in advance: plans its saved text, if that is new, and approves the plugins that it needs.
    async fn plan_to_grant(&mut self, dir: &Path, saved: &Texts) -> Option<Untrusted> {
        let folder = self.workspace.snapshot().trust_folder(dir);
        let lock = disk::read_text(&dir.join(LOCK_FILE), Limit::CONFIGURATION).ok();
        let looked_at = (saved.clone(), lock);
        if !self.granted.contains_key(&folder) || self.looked_at.get(dir) == Some(&looked_at) {
            return None;
        }
        let mut needed = self.plan(saved).await;
        let is_new = |it: &Package| !self.granted[&folder].contains(it);
        if needed.packages.iter().any(is_new) {
            if std::mem::take(&mut self.has_proposed) {
                // Engines remember refused plugins. Proposals since then must not count.
                self.options.planner.restart();
                needed = self.plan(saved).await;
            }
            self.granted
                .entry(folder)
                .or_default()
                .extend(needed.packages);
            self.apply_trust();
            needed = self.plan(saved).await;
        }
        self.looked_at.insert(dir.to_owned(), looked_at);
        Some(needed)
    }

    /// Another process may have changed the kept answers.
    fn look_at_trust(&mut self) {
        let Some(state_dir) = self.options.state_dir.as_deref() else {
            return;
        };
        let stamp = ApprovalStamp::of(state_dir);
        if stamp != self.stamp {
            self.kept = ApprovalFile::read(state_dir);
            self.stamp = stamp;
            self.apply_trust();
        }
    }

    fn apply_trust(&mut self) {
        let mut kept = self.kept.clone();
        for (folder, packages) in &self.granted {
            kept.add(folder, packages);
        }
        let approvals = Approvals {
            patterns: Vec::new(),
            packages: kept.packages(),
        };
        let approved = Approved::These(Arc::new(approvals));
        if self.workspace.set_trust(kept.trusted(), approved) {
            self.options.planner.restart();
        }
    }
}

/// The missing permissions, in a sentence.
fn sentence(needed: &Untrusted) -> Option<String> {
    let names = |it: &mut dyn Iterator<Item = String>| it.collect::<Vec<_>>().join(", ");
    let packages = names(&mut needed.packages.iter().map(|it| it.provider.for_display()));
    let configured = names(&mut needed.configured.iter().map(|it| it.for_display()));
    let mut sentences = Vec::new();
    if !packages.is_empty() {
        sentences.push(format!(
            "The plugins of {packages} are not started: the user has not approved them. Start the server as \
             `planlens mcp -trust`, or trust the folder in the editor."
        ));
    } else if !configured.is_empty() {
        sentences.push(format!(
            "The configuration of {configured} is not given to the plugin: the user does not trust this folder."
        ));
    }
    if needed.reads_outside {
        sentences.push(
            "Functions read no files outside the workspace, and no states, variable files or keys in it. The results of such \
             calls are unknown."
                .to_owned(),
        );
    }
    (!sentences.is_empty()).then(|| sentences.join(" "))
}

impl PlannedProposal {
    /// A path as calls name it.
    pub(crate) fn path(&self, file: &FileId) -> String {
        let path = Path::new(file.path());
        let short = path.strip_prefix(&self.workspace).unwrap_or(path);
        text::one_line(&short.to_string_lossy()).into_owned()
    }

    /// The text of a file, proposed or on disk.
    pub(crate) fn text(&self, file: &FileId) -> Option<String> {
        match self.snapshot.file(file) {
            Some(open) => Some(open.document().text()),
            None => disk::read_text(Path::new(file.path()), Limit::CONFIGURATION).ok(),
        }
    }
}

/// A place in a file, as calls name it: lines and characters count from 1.
pub(crate) struct FilePosition {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

impl PlannedProposal {
    pub(crate) fn place(&self, file: &FileId, range: TextRange) -> FilePosition {
        let index = match self.snapshot.file(file) {
            Some(open) => open.document().line_index(),
            None => LineIndex::new(&self.text(file).unwrap_or_default()),
        };
        let position = index.position(range.start(), PositionEncoding::Utf32);
        FilePosition {
            path: self.path(file),
            line: position.line + 1,
            column: position.character + 1,
        }
    }
}

impl FilePosition {
    pub(crate) fn data(&self) -> Value {
        serde_json::json!({ "path": self.path, "line": self.line, "column": self.column })
    }
}

/// `main.tf:12`
impl std::fmt::Display for FilePosition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.path, self.line)
    }
}
