//! A folder, as the engine that plans it knows it.

use std::any::Any;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use text::{Diagnostic, FileId, Span, TextRange};

use crate::{
    Cause, ChangeCounts, ChangeKind, ChangedAttribute, Command, ListedCaller, OutsideChange,
    PlannedObject,
};

/// A planned folder. The plan view and the counts are made from this.
pub trait Folder: Any + fmt::Debug + Send + Sync {
    fn about(&self) -> PlanOverview;

    /// The planned changes, one by one.
    fn kinds(&self) -> Box<dyn Iterator<Item = ChangeKind> + '_>;

    /// The number of these changes.
    fn counts(&self) -> ChangeCounts {
        ChangeCounts::of(self.kinds())
    }

    /// Everything that would be changed, in the order of the addresses.
    fn changes(&self) -> Vec<FolderChange>;

    /// Those of them whose numbers are wanted.
    fn some_changes(&self, is_wanted: &dyn Fn(usize) -> bool) -> Vec<FolderChange> {
        let changes = self.changes().into_iter().enumerate();
        let wanted = changes.filter(|(number, _)| is_wanted(*number));
        wanted.map(|(_, change)| change).collect()
    }

    /// The guesses and gaps of the plan, in the order of the addresses.
    fn guesses(&self) -> Vec<FolderGuess>;

    /// The guesses as the plan's document has them: with the whole reason.
    fn caveats(&self) -> Vec<(String, String)>;

    /// Changes outside of the engine, as reading found them.
    fn outside(&self) -> Vec<OutsideChange>;

    /// The plan as the engine prints it.
    fn document(&self) -> String;

    /// The changes of outputs as the engine prints them.
    fn output_changes(&self) -> String {
        String::new()
    }

    /// The files that are planned.
    fn files(&self) -> Box<dyn Iterator<Item = &FileId> + '_>;

    /// The diagnostics that no text has a place for: all files of the folder are empty.
    fn unplaced(&self) -> Vec<Diagnostic> {
        Vec::new()
    }

    /// Where a span is in a file that is not open.
    fn resolve(&self, _span: &Span) -> Option<TextRange> {
        None
    }

    /// The environments that it can be planned with, where the engine knows them.
    fn environments(&self) -> Option<Vec<String>> {
        None
    }

    /// Of something that others call: all that do.
    fn callers(&self) -> &[ListedCaller] {
        &[]
    }
}

/// By folder.
pub type Folders = BTreeMap<PathBuf, Arc<dyn Folder>>;

/// The inputs of a plan, and its freshness.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanOverview {
    /// Whether it is planned for itself, not only because others call it.
    pub is_root: bool,
    /// How much is a guess.
    pub guesses: usize,
    pub errors: usize,
    /// The reads that the plan is made from, and their ages: `state read 5 minutes ago`.
    pub read: Vec<String>,
    /// The options of the plan, where it supposes something.
    pub what_if: Vec<String>,
    /// The name of the environment that it is planned with.
    pub environment: Option<String>,
    /// The workspace or stack that is selected.
    pub workspace: String,
    /// The caller that was chosen, by its title.
    pub caller: Option<String>,
    /// Variables without a value: their dependents are unknown.
    pub unset: Vec<String>,
    /// Whether the existing objects aren't known.
    pub is_state_unread: bool,
}

/// A change in a folder.
#[derive(Clone, PartialEq, Debug)]
pub struct FolderChange {
    pub address: String,
    /// The address of its declaration, which may have other instances.
    pub object: String,
    pub kind: ChangeKind,
    /// Why, as the engine names it in its JSON.
    pub reason: Option<&'static str>,
    /// The change as the engine prints it.
    pub diff: String,
    /// The values that change.
    pub attributes: Vec<ChangedAttribute>,
    /// Its declaration, or where that was removed.
    pub place: Option<Span>,
    /// The places in the text that force a replacement.
    pub causes: Vec<Cause>,
    /// Why it is replaced or destroyed, where no place in the text is the cause.
    pub why: Option<Cow<'static, str>>,
}

/// Something of which the plan is a guess, or that is not planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FolderGuess {
    pub address: String,
    pub why: String,
    /// The command that the user can run about it.
    pub cure: Option<Command>,
    /// Its declaration, unless only the state has it.
    pub place: Option<Span>,
}

/// A folder that is known by its objects alone.
#[derive(Clone, Debug, Default)]
pub struct ObjectFolder {
    pub objects: Vec<PlannedObject>,
    /// The former places of removed declarations, by address.
    pub removed: BTreeMap<String, Span>,
    pub files: Vec<FileId>,
    /// Without the numbers of guesses and of objects that have errors.
    pub about: PlanOverview,
}

impl Folder for ObjectFolder {
    fn about(&self) -> PlanOverview {
        let objects = self.objects.iter();
        let with_errors = objects.clone().filter(|it| it.has_errors).count();
        PlanOverview {
            guesses: self.about.guesses + objects.filter(|it| it.caveat.is_some()).count(),
            errors: self.about.errors + with_errors,
            ..self.about.clone()
        }
    }

    fn kinds(&self) -> Box<dyn Iterator<Item = ChangeKind> + '_> {
        let changes = self.objects.iter().flat_map(|object| &object.changes);
        Box::new(changes.map(|change| change.kind))
    }

    fn changes(&self) -> Vec<FolderChange> {
        let changes = self.objects.iter().flat_map(|object| {
            let changes = object.changes.iter();
            let changes = changes.filter(|change| change.kind != ChangeKind::NoOp);
            changes.map(|change| FolderChange {
                address: change.address.clone(),
                object: object.address.clone(),
                kind: change.kind,
                reason: None,
                diff: change.details.clone(),
                attributes: change.attributes.clone(),
                place: object
                    .place
                    .clone()
                    .or_else(|| self.removed.get(&object.address).cloned()),
                causes: change.causes.clone(),
                why: change.why.clone(),
            })
        });
        changes.collect()
    }

    fn guesses(&self) -> Vec<FolderGuess> {
        let guesses = self.objects.iter().filter_map(|object| {
            Some(FolderGuess {
                address: object.address.clone(),
                why: match object.has_errors {
                    true => "it has errors".to_owned(),
                    false => object.caveat.as_ref()?.whole.clone(),
                },
                cure: None,
                place: object.place.clone(),
            })
        });
        guesses.collect()
    }

    fn caveats(&self) -> Vec<(String, String)> {
        let caveats = self.objects.iter().filter_map(|object| {
            let caveat = object.caveat.as_ref()?;
            Some((object.address.clone(), caveat.whole.clone()))
        });
        caveats.collect()
    }

    fn outside(&self) -> Vec<OutsideChange> {
        let outside = self.objects.iter().flat_map(|it| &it.outside);
        outside.cloned().collect()
    }

    fn document(&self) -> String {
        let changes = self.changes();
        let diffs = changes.iter().map(|change| format!("\n{}\n", change.diff));
        let diffs: String = diffs.collect();
        match diffs.is_empty() {
            true => "\nNo changes.\n".to_owned(),
            false => diffs,
        }
    }

    fn files(&self) -> Box<dyn Iterator<Item = &FileId> + '_> {
        Box::new(self.files.iter())
    }
}
