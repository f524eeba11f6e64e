//! Proposed texts, and the reasons to refuse them.
//!
//! They are planned, and never written. They may hold a stranger's words: nothing in them may bring a secret into an answer.
//! What is sensitive stays so, whatever they declare, and a variable gets a value from the environment or a variable file
//! only where the saved text declares it already.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, bail, ensure};
use config::FileRole;
use disk::Limit;
use ide::{Snapshot, SourceFile};
use serde::Deserialize;
use text::FileId;

use crate::sensitivity_marks::SensitivityMarks;
use crate::session::{CallArguments, Options};

/// A change of one file.
#[derive(Deserialize, Clone)]
pub(crate) struct Edit {
    pub path: String,
    /// All of the new text.
    #[serde(default)]
    pub text: Option<String>,
    /// Or the old text, which occurs once, and its replacement.
    #[serde(default)]
    pub old: Option<String>,
    #[serde(default)]
    pub new: Option<String>,
}

/// A proposal.
#[derive(Default)]
pub(crate) struct Proposed {
    pub texts: BTreeMap<FileId, Arc<str>>,
    /// Of these files, as they are on disk.
    pub saved: BTreeMap<FileId, Arc<str>>,
    /// The same, so that the next call need not parse them again.
    pub checked: FileTexts,
    /// Whether any of the texts has a syntax error.
    pub is_broken: bool,
}

/// The text of each of several files.
pub(crate) type FileTexts = BTreeMap<FileId, FileText>;

#[derive(Clone)]
pub(crate) struct FileText {
    pub text: Arc<str>,
    /// Parsed when something is first proposed, and not again while the text is the same.
    marks: Arc<OnceLock<SensitivityMarks>>,
}

impl FileText {
    /// A text, or the `known` one where it is the same.
    pub(crate) fn of(text: String, known: Option<&FileText>) -> FileText {
        let new = || FileText {
            text: Arc::from(text.as_str()),
            marks: Arc::default(),
        };
        let known = known.filter(|it| *it.text == *text);
        known.cloned().unwrap_or_else(new)
    }

    /// `open` may have the file with this text already, with its tree.
    fn marks(&self, file: &FileId, open: &Snapshot) -> &SensitivityMarks {
        let is_same =
            |it: &&Arc<SourceFile>| !it.is_too_long() && it.document().has_text(&self.text);
        self.marks.get_or_init(|| {
            let parsed = open.file(file).filter(is_same);
            match parsed.and_then(|it| it.hcl()) {
                Some(syntax) => SensitivityMarks::new(file, syntax),
                None => SensitivityMarks::new(file, &config::parse_file(file.path(), &self.text)),
            }
        })
    }
}

impl Proposed {
    pub(crate) fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// Reads the proposed texts of files around `dir`. `saved` are its files on disk, and `earlier` is the last proposal.
pub(crate) fn read(
    asked: &CallArguments,
    dir: &Path,
    options: &Options,
    saved: &FileTexts,
    earlier: &FileTexts,
    open: &Snapshot,
) -> anyhow::Result<Proposed> {
    let mut proposed = Proposed::default();
    for edit in &asked.edits {
        let file = FileId::new(path(&edit.path, dir, &options.folder)?.to_string_lossy());
        let on_disk = || match saved.get(&file) {
            Some(saved) => Some(saved.text.to_string()),
            None => disk::read_text(Path::new(file.path()), Limit::DOCUMENT).ok(),
        };
        let before = proposed.texts.get(&file).map(|it| it.to_string());
        let before = before.or_else(on_disk);
        let after = match (&edit.text, &edit.old, &edit.new) {
            (Some(text), None, None) => text.clone(),
            (None, Some(_), Some(_)) if is_of_values(&file) => bail!(
                "a variable file is proposed with its whole `text`: its saved values may be secret"
            ),
            (None, Some(old), Some(new)) => {
                let before = before.as_deref().unwrap_or_default();
                let count = before.matches(old.as_str()).count();
                ensure!(
                    count == 1 && !old.is_empty(),
                    "`old` occurs {count} times in {}: it must occur exactly once",
                    edit.path
                );
                before.replacen(old.as_str(), new, 1)
            }
            _ => bail!("an edit has a path, and either text or old and new"),
        };
        ensure!(
            after.len() as u64 <= Limit::DOCUMENT.bytes(),
            "the text of {} is too long",
            edit.path
        );
        if !proposed.saved.contains_key(&file) {
            let text = before.unwrap_or_default();
            proposed.saved.insert(file.clone(), Arc::from(text));
        }
        let text = FileText::of(after, earlier.get(&file));
        proposed.texts.insert(file.clone(), text.text.clone());
        proposed.checked.insert(file, text);
    }
    let values = Values::new(asked, dir, saved, options);
    refuse_secrets(&mut proposed, saved, &values, open)?;
    Ok(proposed)
}

/// The path without links, if it is in the workspace. The answer for a path outside does not depend on whether it exists.
pub(crate) fn inside(path: &Path, workspace: &Path) -> Option<PathBuf> {
    path.canonicalize()
        .ok()
        .filter(|it| it.starts_with(workspace))
}

/// A file of the workspace that may be proposed.
pub(crate) fn path(named: &str, dir: &Path, workspace: &Path) -> anyhow::Result<PathBuf> {
    let inside = |path: &Path| inside(path, workspace);
    let in_workspace = workspace.join(named);
    let in_folder = dir.join(named);
    let is_of_folder =
        inside(&in_workspace).is_none() && (in_folder.exists() || !named.contains('/'));
    let path = if is_of_folder {
        in_folder
    } else {
        in_workspace
    };
    let name = path
        .file_name()
        .and_then(|it| it.to_str())
        .unwrap_or_default();
    let role = FileRole::of(name);
    let is_configuration = matches!(
        role,
        FileRole::Module | FileRole::Values | FileRole::Tests | FileRole::Mocks
    ) && name.contains('.')
        && !name.starts_with('.');
    let is_program = ["yaml", "yml"].iter().any(|it| name.ends_with(it));
    ensure!(
        is_configuration || is_program,
        "{named:?} is not a configuration file"
    );
    let folder = path.parent().and_then(inside);
    let path = folder.map(|folder| folder.join(name));
    let path = path.filter(|it| !it.is_symlink() || inside(it).is_some());
    path.with_context(|| format!("{named:?} is outside the folders that planlens serves"))
}

fn refuse_secrets(
    proposed: &mut Proposed,
    saved: &FileTexts,
    values: &Values<'_>,
    open: &Snapshot,
) -> anyhow::Result<()> {
    if proposed.is_empty() {
        return Ok(());
    }
    let (mut before, mut after) = (SensitivityMarks::default(), SensitivityMarks::default());
    for (file, saved) in saved {
        let marks = saved.marks(file, open);
        before.add(marks);
        if !proposed.texts.contains_key(file) {
            after.add(marks);
        }
    }
    for (file, text) in &proposed.checked {
        let marks = text.marks(file, open);
        ensure!(
            !marks.is_unreadable,
            "{} is not valid configuration in JSON syntax",
            file.name()
        );
        proposed.is_broken |= marks.is_broken;
        after.add(marks);
        if !saved.contains_key(file) {
            let saved = FileText::of(proposed.saved[file].to_string(), None);
            before.add(saved.marks(file, open));
        }
    }
    for (function, count) in &after.unmasking {
        ensure!(
            before.unmasking.get(function) >= Some(count),
            "a proposed text may not add a call of {function}(): the answer could reveal a secret"
        );
    }
    for kept @ (variable, what, setting) in &before.kept {
        let unmarked = |marks: &SensitivityMarks| {
            let all = marks.unmarked.iter();
            all.filter(|(it, lacking)| it == variable && lacking == what)
                .count()
        };
        let is_kept = after.kept.contains(kept) && unmarked(&after) <= unmarked(&before);
        ensure!(
            setting == "false" || is_kept,
            "a proposed text may not remove `{what}` from var.{}",
            variable.name
        );
    }
    for set @ (variable, what, setting) in &after.kept {
        ensure!(
            setting == "true" || before.kept.contains(set),
            "a proposed text may not set `{what}` of var.{} to {setting}",
            variable.name
        );
    }
    for variable in after.variables.difference(&before.variables) {
        let name = &variable.name;
        ensure!(
            !values.have(name),
            "a proposed text may not declare var.{name}: it has a value in the environment or a variable file, and the \
             saved text does not declare it"
        );
    }
    Ok(())
}

/// The values that variables have outside of the configuration.
struct Values<'a> {
    options: &'a Options,
    /// The texts of variable files.
    files: Vec<Arc<str>>,
}

impl<'a> Values<'a> {
    fn new(
        asked: &CallArguments,
        dir: &Path,
        saved: &FileTexts,
        options: &'a Options,
    ) -> Values<'a> {
        let own = saved.iter().filter(|(file, _)| is_of_values(file));
        let mut files: Vec<Arc<str>> = own.map(|(_, file)| file.text.clone()).collect();
        // An environment may be a variable file in a folder below.
        let chosen = asked.environment.iter().map(|name| dir.join(name));
        files.extend(
            chosen
                .filter_map(|path| disk::read_text(&path, Limit::DOCUMENT).ok())
                .map(Arc::from),
        );
        Values { options, files }
    }

    /// Whether a variable may have one of them.
    fn have(&self, name: &str) -> bool {
        let variable = self.options.variable;
        let in_arguments = |arguments: &str| {
            variable(arguments).is_some_and(|it| {
                let words = it.to_string_lossy();
                has_word(&words, name) || words.contains("-var-file")
            })
        };
        variable(&format!("TF_VAR_{name}")).is_some()
            || ["TF_CLI_ARGS", "TF_CLI_ARGS_plan"]
                .into_iter()
                .any(in_arguments)
            || self.files.iter().any(|text| has_word(text, name))
    }
}

/// Whether a file has values of variables.
pub(crate) fn is_of_values(file: &FileId) -> bool {
    FileRole::of(file.name()) == FileRole::Values
}

fn has_word(text: &str, word: &str) -> bool {
    let is_of_word = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    text.split(|it| !is_of_word(it)).any(|it| it == word)
}
