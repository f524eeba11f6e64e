//! Proposed texts, and the reasons to refuse them.
//!
//! They are planned, and never written. They may hold a stranger's words: nothing in them may bring a secret into an answer.
//! What is sensitive stays so, whatever they declare, and a variable gets a value from the environment or a file of values
//! only where the saved text declares it already.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use anyhow::{Context, bail, ensure};
use config::FileRole;
use disk::Limit;
use ide::{Snapshot, SourceFile};
use serde::Deserialize;
use serde_json::Value;
use syntax::ast::Item;
use text::FileId;

use crate::session::Options;

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
    declared: Arc<OnceLock<Declared>>,
}

impl FileText {
    /// A text, or the `known` one where it is the same.
    pub(crate) fn of(text: String, known: Option<&FileText>) -> FileText {
        let new = || FileText {
            text: Arc::from(text.as_str()),
            declared: Arc::default(),
        };
        let known = known.filter(|it| *it.text == *text);
        known.cloned().unwrap_or_else(new)
    }

    /// `open` may have the file with this text already, with its tree.
    fn declared(&self, file: &FileId, open: &Snapshot) -> &Declared {
        let is_same =
            |it: &&Arc<SourceFile>| !it.is_too_long() && it.document().has_text(&self.text);
        self.declared.get_or_init(|| {
            let parsed = open.file(file).filter(is_same);
            match parsed.and_then(|it| it.hcl()) {
                Some(syntax) => Declared::new(file, syntax),
                None => Declared::new(file, &config::parse_file(file.path(), &self.text)),
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
    edits: &[Edit],
    dir: &Path,
    options: &Options,
    saved: &FileTexts,
    earlier: &FileTexts,
    open: &Snapshot,
) -> anyhow::Result<Proposed> {
    let mut proposed = Proposed::default();
    for edit in edits {
        let file = FileId::new(path(&edit.path, dir, &options.folder)?.to_string_lossy());
        let on_disk = || match saved.get(&file) {
            Some(saved) => Some(saved.text.to_string()),
            None => disk::read_text(Path::new(file.path()), Limit::DOCUMENT).ok(),
        };
        let before = proposed.texts.get(&file).map(|it| it.to_string());
        let before = before.or_else(on_disk);
        let after = match (&edit.text, &edit.old, &edit.new) {
            (Some(text), None, None) => text.clone(),
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
    refuse_secrets(&mut proposed, saved, options, open)?;
    Ok(proposed)
}

/// A file of the workspace that may be proposed.
pub(crate) fn path(named: &str, dir: &Path, workspace: &Path) -> anyhow::Result<PathBuf> {
    let in_workspace = workspace.join(named);
    let in_folder = dir.join(named);
    let is_of_folder = !in_workspace.exists() && (in_folder.exists() || !named.contains('/'));
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
        "{named:?} is not a file of configuration"
    );
    let folder = path.parent().and_then(|it| it.canonicalize().ok());
    let folder = folder.with_context(|| format!("the folder of {named:?} does not exist"))?;
    let path = folder.join(name);
    let leads_out = path
        .canonicalize()
        .is_ok_and(|it| !it.starts_with(workspace));
    ensure!(
        folder.starts_with(workspace) && !leads_out,
        "{named:?} is outside of the workspace that planlens was started for"
    );
    Ok(path)
}

/// The marks of a text that hide values.
#[derive(Default)]
struct Declared {
    variables: BTreeSet<String>,
    /// `NAME sensitive true` for each such argument of a variable, also if it is repeated.
    kept: Vec<(String, &'static str, String)>,
    unmasking: usize,
    is_broken: bool,
}

const HIDING: [&str; 2] = ["sensitive", "ephemeral"];

fn refuse_secrets(
    proposed: &mut Proposed,
    saved: &FileTexts,
    options: &Options,
    open: &Snapshot,
) -> anyhow::Result<()> {
    if proposed.is_empty() {
        return Ok(());
    }
    let (mut before, mut after) = (Declared::default(), Declared::default());
    for (file, saved) in saved {
        let declared = saved.declared(file, open);
        before.add(declared);
        if !proposed.texts.contains_key(file) {
            after.add(declared);
        }
    }
    for (file, text) in &proposed.checked {
        let declared = text.declared(file, open);
        proposed.is_broken |= declared.is_broken;
        after.add(declared);
        if !saved.contains_key(file) {
            let saved = FileText::of(proposed.saved[file].to_string(), None);
            before.add(saved.declared(file, open));
        }
    }
    ensure!(
        after.unmasking <= before.unmasking,
        "a proposed text may not call nonsensitive() where the saved one does not: answers contain no secrets"
    );
    for (name, what, setting) in &before.kept {
        let is_kept =
            setting != "true" || after.kept.contains(&(name.clone(), *what, setting.clone()));
        ensure!(
            is_kept,
            "a proposed text may not remove `{what}` from var.{name}"
        );
    }
    for (name, what, setting) in &after.kept {
        let is_more = setting == "true"
            || before
                .kept
                .contains(&(name.clone(), *what, setting.clone()));
        ensure!(
            is_more,
            "a proposed text may not set `{what}` of var.{name} to {setting}"
        );
    }
    let values: Vec<&str> = saved
        .iter()
        .filter(|(file, _)| FileRole::of(file.name()) == FileRole::Values)
        .map(|(_, file)| &*file.text)
        .collect();
    for name in after.variables.difference(&before.variables) {
        let is_given = (options.has_variable)(&format!("TF_VAR_{name}"))
            || values.iter().any(|text| has_word(text, name));
        ensure!(
            !is_given,
            "a proposed text may not declare var.{name}: it has a value in the environment or a variable file, and the \
             saved text does not declare it"
        );
    }
    Ok(())
}

impl Declared {
    fn new(file: &FileId, syntax: &syntax::File) -> Declared {
        let text = syntax.text();
        let mut declared = Declared {
            // Commented or quoted, it is one too many: the next saved text has it as well.
            unmasking: text.matches("nonsensitive").count(),
            is_broken: syntax.errors().next().is_some(),
            ..Declared::default()
        };
        if FileRole::of(file.name()) == FileRole::Module {
            match file.name().ends_with(".json") {
                true => declared.add_json(text),
                false => declared.add_blocks(syntax),
            }
        }
        declared
    }

    fn add(&mut self, other: &Declared) {
        self.variables.extend(other.variables.iter().cloned());
        self.kept.extend(other.kept.iter().cloned());
        self.unmasking += other.unmasking;
    }

    fn add_blocks(&mut self, syntax: &syntax::File) {
        let text = syntax.text();
        for segment in syntax.segments() {
            for item in segment.parsed.items.iter() {
                let Item::Block(block) = item else { continue };
                let Some(label) = block
                    .labels
                    .first()
                    .filter(|_| block.kind.name == "variable")
                else {
                    continue;
                };
                let name = label.text.to_string();
                for attribute in &block.body.attributes {
                    let what = HIDING.iter().find(|it| **it == attribute.name.name);
                    if let Some(what) = what {
                        let range = attribute.expr.range + segment.offset;
                        let range = usize::from(range.start())..usize::from(range.end());
                        let setting = text.get(range).unwrap_or_default().to_owned();
                        self.kept.push((name.clone(), what, setting));
                    }
                }
                self.variables.insert(name);
            }
        }
    }

    fn add_json(&mut self, text: &str) {
        let parsed: Value = serde_json::from_str(text).unwrap_or_default();
        let lists = |value: &Value| match value {
            Value::Array(values) => values.clone(),
            value => vec![value.clone()],
        };
        for variables in lists(&parsed["variable"]) {
            for (name, bodies) in variables.as_object().into_iter().flatten() {
                for body in lists(bodies) {
                    for what in HIDING {
                        if !body[what].is_null() {
                            self.kept.push((name.clone(), what, body[what].to_string()));
                        }
                    }
                }
                self.variables.insert(name.clone());
            }
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_of_word = |it: char| it.is_alphanumeric() || it == '_' || it == '-';
    text.split(|it| !is_of_word(it)).any(|it| it == word)
}
