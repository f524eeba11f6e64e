//! Whether a refactoring changes what a plan does.

use std::collections::BTreeMap;
use std::fmt;

use config::{ModuleTree, ResourceInstanceAddr};
use plan::{Action, Plan};
use text::Severity;

use crate::Refactoring;

/// The comparison of the plans before and after a refactoring.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// What happens to objects that was not so before.
    pub differences: Vec<Difference>,
    /// Summaries of errors that were not there before.
    pub errors: Vec<String>,
    /// Why something could not be planned, and so is not compared.
    pub unplanned: Option<String>,
}

/// One object that the plan treats otherwise.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// After the refactoring.
    pub addr: String,
    /// `None` where the plan has no such object.
    pub before: Option<Action>,
    pub after: Option<Action>,
}

impl Refactoring {
    /// The address that an object has after the refactoring; `tree` is the configuration before.
    pub fn renamed(&self, tree: &ModuleTree, addr: &ResourceInstanceAddr) -> ResourceInstanceAddr {
        let mut moves = self.moves.iter();
        let moved = moves.find_map(|moved| moved.applied(&moved.modules(tree), addr));
        moved.unwrap_or_else(|| addr.clone())
    }

    /// Compares the plans of a root module before and after.
    pub fn prove(&self, tree: &ModuleTree, before: &Plan, after: &Plan) -> Proof {
        let moves: Vec<_> = self.moves.iter().map(|it| (it, it.modules(tree))).collect();
        prove(before, after, |addr| {
            let mut moves = moves.iter();
            moves.find_map(|(moved, modules)| moved.applied(modules, addr))
        })
    }
}

/// Compares two plans; `renamed` gives the address that an object has after the refactoring.
fn prove(
    before: &Plan,
    after: &Plan,
    renamed: impl Fn(&ResourceInstanceAddr) -> Option<ResourceInstanceAddr>,
) -> Proof {
    let mut actions: BTreeMap<_, (Option<Action>, Option<Action>)> = BTreeMap::new();
    for change in before.changes() {
        let addr = renamed(&change.addr).unwrap_or_else(|| change.addr.clone());
        actions.entry((addr, change.deposed.clone())).or_default().0 = Some(change.action);
    }
    for change in after.changes() {
        let key = (change.addr.clone(), change.deposed.clone());
        actions.entry(key).or_default().1 = Some(change.action);
    }
    let differences = actions
        .into_iter()
        .filter(|(_, (before, after))| before != after);
    let differences = differences.map(|((addr, _), (before, after))| Difference {
        addr: addr.to_string(),
        before,
        after,
    });
    let mut errors = errors_of(after);
    for (summary, count) in errors_of(before) {
        if let Some(now) = errors.get_mut(&summary) {
            *now = now.saturating_sub(count);
        }
    }
    errors.retain(|_, count| *count > 0);
    Proof {
        differences: differences.collect(),
        errors: errors.into_keys().collect(),
        unplanned: after
            .caveats()
            .next()
            .map(|(addr, caveat)| format!("{addr}: {caveat}")),
    }
}

fn errors_of(plan: &Plan) -> BTreeMap<String, usize> {
    let mut errors = BTreeMap::new();
    for diagnostic in plan.all_diagnostics() {
        if diagnostic.severity == Severity::Error {
            *errors.entry(diagnostic.summary.to_string()).or_default() += 1;
        }
    }
    errors
}

impl Proof {
    /// Whether the refactoring is known to change nothing.
    pub fn is_safe(&self) -> bool {
        self.differences.is_empty() && self.errors.is_empty()
    }

    /// Every difference in a line of its own, and the new errors.
    pub fn details(&self) -> String {
        let differences = self.differences.iter().map(|it| {
            let what = match it.after {
                None | Some(Action::NoOp) => "is no longer changed",
                Some(Action::Create) => "would be created",
                Some(Action::Read) => "would be read",
                Some(Action::Update) => "would be changed",
                Some(
                    Action::DeleteThenCreate | Action::CreateThenDelete | Action::ForgetThenCreate,
                ) => "would be replaced",
                Some(Action::Delete) => "would be destroyed",
                Some(Action::Forget) => "would be forgotten",
            };
            format!("{} {what}", it.addr)
        });
        let lines: Vec<String> = differences.chain(self.errors.iter().cloned()).collect();
        lines.join("\n")
    }

    /// What two root modules prove together.
    pub fn and(mut self, other: Proof) -> Proof {
        self.differences.extend(other.differences);
        self.errors.extend(other.errors);
        self.unplanned = self.unplanned.or(other.unplanned);
        self
    }
}

/// In a few words: `no changes to infrastructure`, or `1 to add, 1 to destroy`.
impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(error) = self.errors.first() {
            return write!(f, "the plan would fail: {error}");
        }
        if self.differences.is_empty() {
            return match &self.unplanned {
                None => f.write_str("no changes to infrastructure"),
                Some(caveat) => write!(f, "no changes in what could be planned ({caveat})"),
            };
        }
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for difference in &self.differences {
            let what = match difference.after {
                None | Some(Action::NoOp) => "no longer changed",
                Some(Action::Create) => "to add",
                Some(Action::Read) => "to read",
                Some(Action::Update) => "to change",
                Some(
                    Action::DeleteThenCreate | Action::CreateThenDelete | Action::ForgetThenCreate,
                ) => "to replace",
                Some(Action::Delete) => "to destroy",
                Some(Action::Forget) => "to forget",
            };
            *counts.entry(what).or_default() += 1;
        }
        let counts: Vec<String> = counts
            .iter()
            .map(|(what, count)| format!("{count} {what}"))
            .collect();
        f.write_str(&counts.join(", "))
    }
}
