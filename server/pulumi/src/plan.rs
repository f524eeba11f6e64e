//! The plan of an update.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use text::{Problem, Span};

use crate::ask::Detailed;
use crate::caveat::Caveat;
use crate::engine::drift::OutsideChange;
use crate::evaluate::Bindings;
use crate::state::{OldResource, State};
use crate::step::Op;
use crate::urn::Urn;
use crate::value::{Object, Value};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Plan {
    /// The stack first, then the resources in the order of the program, then deletions.
    pub steps: Vec<Arc<Step>>,
    pub outputs: Object,
    /// The values of the names of the program.
    pub names: Bindings,
    pub problems: Vec<PlanProblem>,
    /// Of the whole plan.
    pub caveats: BTreeSet<Caveat>,
    /// After a refresh: the state before it, and the objects that differ from that state.
    pub refreshed: Option<(Arc<State>, BTreeMap<Urn, OutsideChange>)>,
}

/// Something wrong, with the resource that it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanProblem {
    pub urn: Option<Urn>,
    pub problem: Problem<Option<Span>>,
}

/// The plan of one resource.
#[derive(Clone, PartialEq, Debug)]
pub struct Step {
    pub urn: Urn,
    pub op: Op,
    pub old: Option<OldResource>,
    pub new: Option<NewResource>,
    pub replace_keys: Vec<String>,
    pub diff_keys: Vec<String>,
    pub detailed: Option<Detailed>,
    /// Why this plan is a guess.
    pub caveats: BTreeSet<Caveat>,
    /// A protected resource that would be deleted: the update fails here.
    pub is_refused: bool,
    /// A provider that no program declares.
    pub is_default_provider: bool,
    /// Where it is declared.
    pub declared: Option<Span>,
}

/// A resource as the program wants it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NewResource {
    pub is_custom: bool,
    pub is_external: bool,
    /// `None` while it is not known.
    pub id: Option<String>,
    pub inputs: Object,
    /// Where they are known when the operation begins: those of a replacement that is created first.
    pub outputs: Option<Object>,
    pub parent: Option<Urn>,
    /// `URN::ID`.
    pub provider: String,
    pub dependencies: BTreeSet<Urn>,
    pub property_dependencies: BTreeMap<String, BTreeSet<Urn>>,
    pub additional_secret_outputs: Vec<String>,
    pub replace_on_changes: Vec<String>,
    pub ignore_changes: Vec<String>,
    pub aliases: Vec<Urn>,
    pub is_protected: bool,
    pub is_retained_on_delete: bool,
    pub deleted_with: Option<Urn>,
    pub replace_with: Vec<Urn>,
    pub replacement_trigger: Option<Value>,
    pub hide_diffs: Vec<String>,
    /// In seconds.
    pub custom_timeouts: BTreeMap<String, f64>,
    pub import_id: Option<String>,
}

impl Step {
    /// Whether the operation is certain.
    pub fn is_planned(&self) -> bool {
        self.caveats.is_empty() || self.op != Op::Same
    }

    /// Whether anything happens.
    pub fn is_change(&self) -> bool {
        !matches!(self.op, Op::Same | Op::Read | Op::Discard)
    }
}

impl Plan {
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(|it| it.problem.is_error())
    }

    /// Whether something is not planned truly. Policies judge a plan, and are no part of it.
    pub fn is_complete(&self) -> bool {
        self.caveats.iter().all(|it| *it == Caveat::Policies)
            && self.steps.iter().all(|step| step.caveats.is_empty())
    }

    /// Whether a file is not read before the workspace is trusted.
    pub fn reads_outside(&self) -> bool {
        self.has_caveat(|it| matches!(it, Caveat::Outside(_)))
    }

    /// Whether a provider cannot be asked, so that Pulumi's own preview would fail.
    pub fn lacks_provider(&self) -> bool {
        self.has_caveat(Caveat::is_provider)
    }

    fn has_caveat(&self, is_meant: impl Fn(&Caveat) -> bool) -> bool {
        let of_steps = self.steps.iter().flat_map(|step| &step.caveats);
        self.caveats.iter().chain(of_steps).any(is_meant)
    }

    pub fn has_changes(&self) -> bool {
        self.steps.iter().any(|step| step.is_change())
    }

    /// How many resources each operation counts. Default providers don't, what is refused is not done, and what is left as it is
    /// for want of knowledge is not unchanged.
    pub fn counts(&self) -> BTreeMap<Op, usize> {
        let mut counts = BTreeMap::new();
        let is_counted =
            |step: &&Arc<Step>| !step.is_default_provider && !step.is_refused && step.is_planned();
        let counted = self.steps.iter().filter(is_counted);
        for step in counted {
            let op = match step.op {
                Op::Replace { .. } => Op::Replace {
                    deletes_first: false,
                },
                op => op,
            };
            *counts.entry(op).or_default() += 1;
        }
        counts
    }
}
