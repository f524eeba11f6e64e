//! Whether a refactoring changes the actions of a plan.

use change::Proof;
use config::{ModuleTree, ResourceInstanceAddr};
use plan::Plan;
use text::Severity;

use crate::Refactoring;

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
    let before_changes = before.changes().map(|change| {
        let addr = renamed(&change.addr).unwrap_or_else(|| change.addr.clone());
        ((addr, change.deposed.clone()), change.action.into())
    });
    let after_changes = after.changes().map(|change| {
        let key = (change.addr.clone(), change.deposed.clone());
        (key, change.action.into())
    });
    let mut caveats = after.caveats();
    Proof {
        unplanned: caveats
            .next()
            .map(|(addr, caveat)| format!("{addr}: {caveat}")),
        ..Proof::of(
            [&mut { before_changes }, &mut { after_changes }],
            |(addr, _)| addr.to_string(),
            [&mut errors_of(before), &mut errors_of(after)],
        )
    }
}

fn errors_of(plan: &Plan) -> impl Iterator<Item = &str> {
    let errors = plan.all_diagnostics();
    let errors = errors.filter(|it| it.severity == Severity::Error);
    errors.map(|it| it.summary.as_str())
}
