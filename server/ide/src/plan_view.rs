//! The plan of a whole folder: in numbers, as a list of changes, and as a document.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use text::Span;

use crate::{
    Cause, ChangeCounts, ChangeKind, ChangedAttribute, Command, Folder, Location, PlanOverview,
    PlanState, Snapshot,
};

/// A plan in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanSummary {
    pub folder: PathBuf,
    pub state: PlanState,
    pub counts: ChangeCounts,
    pub about: PlanOverview,
}

/// A change in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedChange {
    pub address: String,
    /// The address of its declaration, which may have other instances.
    pub object: String,
    pub kind: ChangeKind,
    /// Why, as the JSON plan names it.
    pub reason: Option<&'static str>,
    /// The change as the engine prints it.
    pub diff: String,
    /// The values that change.
    pub attributes: Vec<ChangedAttribute>,
    /// Its declaration, or where that was removed.
    pub location: Option<Location>,
    /// The places in the text that force a replacement.
    pub causes: Vec<ListedCause>,
    /// Why it is replaced or destroyed, where no place in the text is the cause.
    pub why: Option<Cow<'static, str>>,
}

/// A place in a text that forces a replacement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedCause {
    /// `argument "old" -> "new"`
    pub what: String,
    pub location: Option<Location>,
}

/// Something of which the plan is a guess, or that is not planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedGuess {
    pub address: String,
    pub why: String,
    /// The command that the user can run about it.
    pub cure: Option<Command>,
    /// Its declaration, unless only the state has it.
    pub location: Option<Location>,
}

/// In the place of a plan.
const STATE_UNREAD: &str = "\nThe changes are unknown until the state is read. To read it, run the command *Replan*, \
                            or save a file if the setting `state` is `onSave`.\n";

/// The numbers of each plan, which are counted once.
#[derive(Default)]
pub struct CountedPlans(BTreeMap<PathBuf, (Weak<dyn Folder>, ChangeCounts, PlanOverview)>);

impl Snapshot {
    /// Of each folder that is planned, in their order.
    pub fn plan_summaries(&self) -> Vec<PlanSummary> {
        self.plan_summaries_beside(&mut CountedPlans::default())
    }

    /// The same, with the numbers of plans that were counted before.
    pub fn plan_summaries_beside(&self, counted: &mut CountedPlans) -> Vec<PlanSummary> {
        let mut before = std::mem::take(&mut counted.0);
        let summary = |(dir, folder): (&PathBuf, &Arc<dyn Folder>)| {
            let now = Arc::downgrade(folder);
            let known = before.remove(dir).filter(|(of, ..)| of.ptr_eq(&now));
            let (_, counts, about) = known.unwrap_or_else(|| {
                let counts = folder.counts();
                (now.clone(), counts, folder.about())
            });
            let kept = (now, counts, about.clone());
            counted.0.insert(dir.clone(), kept);
            PlanSummary {
                folder: dir.clone(),
                state: self.plan_state(dir, &**folder),
                counts,
                about,
            }
        };
        let folders = self.folders_planned().iter();
        folders.map(summary).collect()
    }

    /// Everything that would be changed in a folder, in the order of the addresses.
    pub fn planned_changes(&self, dir: &Path) -> Vec<ListedChange> {
        self.some_planned_changes(dir, &|_| true)
    }

    /// The kinds of these changes, in their order.
    pub fn planned_kinds(&self, dir: &Path) -> Vec<ChangeKind> {
        let folder = self.folders_planned().get(dir);
        let kinds = folder.into_iter().flat_map(|folder| folder.kinds());
        kinds.filter(|kind| *kind != ChangeKind::NoOp).collect()
    }

    /// Those of these changes whose numbers are wanted.
    pub fn some_planned_changes(
        &self,
        dir: &Path,
        is_wanted: &dyn Fn(usize) -> bool,
    ) -> Vec<ListedChange> {
        let Some(folder) = self.folders_planned().get(dir) else {
            return Vec::new();
        };
        let changes = folder.some_changes(is_wanted).into_iter();
        let changes = changes.map(|change| ListedChange {
            location: self.declared(change.place.as_ref(), &**folder),
            address: change.address,
            object: change.object,
            kind: change.kind,
            reason: change.reason,
            diff: change.diff,
            attributes: change.attributes,
            causes: change
                .causes
                .iter()
                .map(|it| self.cause(it, &**folder))
                .collect(),
            why: change.why,
        });
        changes.collect()
    }

    /// The guesses of a folder's plan, in the order of the addresses.
    pub fn guesses(&self, dir: &Path) -> Vec<ListedGuess> {
        let Some(folder) = self.folders_planned().get(dir) else {
            return Vec::new();
        };
        let guesses = folder.guesses().into_iter().map(|guess| ListedGuess {
            location: self.declared(guess.place.as_ref(), &**folder),
            address: guess.address,
            why: guess.why,
            cure: guess.cure,
        });
        guesses.collect()
    }

    /// The changes of a folder's outputs as its engine prints them.
    pub fn output_changes(&self, dir: &Path) -> String {
        let folder = self.folders_planned().get(dir);
        folder.map_or_else(String::new, |folder| folder.output_changes())
    }

    fn cause(&self, cause: &Cause, folder: &dyn Folder) -> ListedCause {
        ListedCause {
            what: cause.sentence(),
            location: self.declared(Some(&cause.span), folder),
        }
    }

    /// Where something is declared: in the open text, or in the text that the folder was planned with.
    fn declared(&self, place: Option<&Span>, folder: &dyn Folder) -> Option<Location> {
        let span = place?;
        let open = self.file(&span.file);
        let open = open.and_then(|source| source.parsed().resolve(span));
        Some(Location {
            file: span.file.clone(),
            range: open.or_else(|| folder.resolve(span))?,
        })
    }

    /// The plan of a folder as its engine prints it, after a line that says how far it can be trusted.
    pub fn plan_document(&self, dir: &Path) -> Option<String> {
        let folder = self.folders_planned().get(dir)?;
        let name = dir.file_name().unwrap_or(dir.as_os_str());
        let state = match self.plan_state(dir, &**folder) {
            PlanState::Fresh => "up to date with the text",
            PlanState::Stale => "being planned again",
            PlanState::Off => "planning is paused",
        };
        let about = folder.about();
        let mut text = format!("# {} · {state}\n", name.to_string_lossy());
        if !about.what_if.is_empty() {
            let options = about.what_if.join(" ");
            text.push_str(&format!("# what if: terraform plan {options}\n"));
        }
        if let Some(caller) = about.caller {
            text.push_str(&format!("# as called by {caller}\n"));
        }
        if !about.unset.is_empty() {
            let names: Vec<String> = about.unset.iter().map(|it| format!("var.{it}")).collect();
            let names = names.join(", ");
            text.push_str(&format!(
                "# no value for {names}: dependent values are unknown\n"
            ));
        }
        if let Some(environment) = &about.environment {
            text.push_str(&format!("# environment: {environment}\n"));
        }
        if !["", "default"].contains(&about.workspace.as_str()) {
            text.push_str(&format!("# workspace: {}\n", about.workspace));
        }
        for read in &about.read {
            text.push_str(&format!("# {read}\n"));
        }
        for outside in folder.outside() {
            text.push_str(&format!("# {} {}\n", outside.address, outside.sentence()));
        }
        for (address, caveat) in folder.caveats() {
            text.push_str(&format!("# a guess: {address}: {caveat}\n"));
        }
        match about.is_state_unread {
            true => text.push_str(STATE_UNREAD),
            false => text.push_str(&folder.document()),
        }
        Some(text)
    }
}
