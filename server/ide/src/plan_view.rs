//! The plan of a whole folder: in numbers, as a list of changes, and as a document.

use std::path::{Path, PathBuf};

use plan::{Action, Counts, ResourceInstanceChange, ResourceResult};
use smol_str::SmolStr;

use crate::known::Known;
use crate::planned::lenses;
use crate::{Location, PlanState, Snapshot};

/// A plan in numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanSummary {
    pub folder: PathBuf,
    /// [`Known::is_root`]
    pub is_root: bool,
    pub state: PlanState,
    pub counts: Counts,
    /// How many resources are a guess, or could not be planned.
    pub guesses: usize,
    pub errors: usize,
    /// [`Known::read`]
    pub read: Vec<String>,
    /// [`Known::what_if`]
    pub what_if: Vec<String>,
    /// [`Known::environment`]
    pub environment: Option<String>,
    /// [`Known::workspace`]
    pub workspace: String,
    /// The caller that was chosen, by its title.
    pub caller: Option<String>,
    /// [`Known::unset`]
    pub unset: Vec<SmolStr>,
    /// Whether what exists isn't known.
    pub is_state_unread: bool,
}

/// A change in the list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedChange {
    pub address: String,
    pub action: Action,
    /// Why, as the JSON plan names it.
    pub reason: Option<&'static str>,
    /// The block as `terraform plan` prints it.
    pub diff: String,
    /// The resource's block, unless only the state has it.
    pub location: Option<Location>,
}

/// A resource of which the plan is a guess, or that is not planned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ListedGuess {
    pub address: String,
    pub why: String,
    /// The resource's block, unless only the state has it.
    pub location: Option<Location>,
}

/// In the place of a plan.
const STATE_UNREAD: &str = "\nWhat would change can't be told before the state is read. The command to refresh reads it, \
                            or a save where the setting `state` says so.\n";

impl Snapshot {
    /// Of each folder that is planned, in their order.
    pub fn plan_summaries(&self) -> Vec<PlanSummary> {
        let modules = self.known_modules().iter();
        modules
            .map(|(folder, known)| self.summary(folder, known))
            .collect()
    }

    fn summary(&self, folder: &Path, known: &Known) -> PlanSummary {
        let is_error = |it: &&text::Diagnostic| it.severity == text::Severity::Error;
        PlanSummary {
            folder: folder.to_owned(),
            is_root: known.is_root,
            state: self.plan_state(folder, known),
            counts: known.plan.counts(),
            guesses: known.plan.caveats().count(),
            errors: known.plan.all_diagnostics().filter(is_error).count(),
            read: known.read.clone(),
            what_if: known.what_if.clone(),
            environment: known.environment.clone(),
            workspace: known.workspace.clone(),
            caller: known.chosen_caller(),
            unset: known.unset.clone(),
            is_state_unread: known.plan.is_state_unread,
        }
    }

    /// Everything that would be changed in a folder, in the order of the addresses.
    pub fn planned_changes(&self, folder: &Path) -> Vec<ListedChange> {
        let Some(known) = self.known_modules().get(folder) else {
            return Vec::new();
        };
        let is_shown = |change: &&ResourceInstanceChange| change.action != Action::NoOp;
        let changes = known.plan.resources.values().flat_map(|resource| {
            let location = self.block_of(resource, known);
            resource
                .changes()
                .filter(is_shown)
                .map(move |change| ListedChange {
                    address: change.addr.to_string(),
                    action: change.action,
                    reason: change.reason.map(|reason| reason.json_name()),
                    diff: plan::render_change(change),
                    location: location.clone(),
                })
        });
        changes.collect()
    }

    /// What of a folder's plan is a guess, in the order of the addresses.
    pub fn guesses(&self, folder: &Path) -> Vec<ListedGuess> {
        let Some(known) = self.known_modules().get(folder) else {
            return Vec::new();
        };
        let guesses = known.plan.resources.values().filter_map(|resource| {
            let why = match lenses::has_errors(resource) {
                true => "it has errors".to_owned(),
                false => resource.caveat.as_ref()?.beside_text(),
            };
            Some(ListedGuess {
                address: resource.addr.to_string(),
                why,
                location: self.block_of(resource, known),
            })
        });
        guesses.collect()
    }

    /// The whole block of a resource, unless only the state has it.
    fn block_of(&self, resource: &ResourceResult, known: &Known) -> Option<Location> {
        let config = resource.config.as_ref()?;
        self.place(&config.decl.full_span, &known.module)
    }

    /// The plan of a folder as `terraform plan` prints it, behind a line that says how far it can be trusted.
    pub fn plan_document(&self, folder: &Path) -> Option<String> {
        let known = self.known_modules().get(folder)?;
        let name = folder.file_name().unwrap_or(folder.as_os_str());
        let state = match self.plan_state(folder, known) {
            PlanState::Fresh => "up to date with the text",
            PlanState::Stale => "being planned again",
            PlanState::Off => "planning is paused",
        };
        let mut text = format!("# {} · {state}\n", name.to_string_lossy());
        if !known.what_if.is_empty() {
            let options = known.what_if.join(" ");
            text.push_str(&format!("# what if: terraform plan {options}\n"));
        }
        if let Some(caller) = known.chosen_caller() {
            text.push_str(&format!("# as called by {caller}\n"));
        }
        if !known.unset.is_empty() {
            let names: Vec<String> = known.unset.iter().map(|it| format!("var.{it}")).collect();
            let names = names.join(", ");
            text.push_str(&format!(
                "# no value for {names}: what depends on it is unknown\n"
            ));
        }
        if let Some(environment) = &known.environment {
            text.push_str(&format!("# environment: {environment}\n"));
        }
        if !["", "default"].contains(&known.workspace.as_str()) {
            text.push_str(&format!("# workspace: {}\n", known.workspace));
        }
        for read in &known.read {
            text.push_str(&format!("# {read}\n"));
        }
        for (addr, caveat) in known.plan.caveats() {
            text.push_str(&format!("# a guess: {addr}: {caveat}\n"));
        }
        match known.plan.is_state_unread {
            true => text.push_str(STATE_UNREAD),
            false => text.push_str(&plan::render_document(&known.plan)),
        }
        Some(text)
    }
}
