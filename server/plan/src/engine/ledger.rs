//! The costs of the objects that are alive, and the limits of each.

use std::collections::HashMap;

use cty::budget::{Limits, Spent};

use crate::Budget;
use crate::node::NodeId;

/// The costs of the results that are alive.
#[derive(Debug, Default)]
pub(super) struct CostLedger {
    costs: HashMap<NodeId, Spent>,
    total: Spent,
    counting: Counting,
}

/// Smaller costs are not counted.
const SMALL: Spent = Spent {
    steps: 1_000,
    bytes: 64 << 10,
};

/// Costs from before an edit may be in the total, so a total above the limit says nothing yet. Then everything is
/// evaluated anew; and where that costs too much, once more with an equal part for each object.
#[derive(Debug, Default, PartialEq, Eq)]
enum Counting {
    #[default]
    EditByEdit,
    Anew,
    InEqualParts(Limits),
}

impl CostLedger {
    /// The limits of an object.
    pub fn limits(&self, budget: Budget) -> Limits {
        match self.counting {
            Counting::EditByEdit | Counting::Anew => budget.object,
            Counting::InEqualParts(limits) => limits,
        }
    }

    pub fn record(&mut self, node: &NodeId, spent: Spent) {
        // Most objects are small, and to look each up would cost more than most of them.
        if spent.steps < SMALL.steps && spent.bytes < SMALL.bytes {
            return self.forget(node);
        }
        let before = match self.costs.get_mut(node) {
            Some(cost) => std::mem::replace(cost, spent),
            None => {
                self.costs.insert(node.clone(), spent);
                Spent::default()
            }
        };
        self.total.steps = self.total.steps - before.steps + spent.steps;
        self.total.bytes = self.total.bytes - before.bytes + spent.bytes;
    }

    pub fn forget(&mut self, node: &NodeId) {
        if !self.costs.is_empty()
            && let Some(before) = self.costs.remove(node)
        {
            self.total.steps -= before.steps;
            self.total.bytes -= before.bytes;
        }
    }

    /// Whether everything has to be evaluated once more, and counted from zero: together it cost too much.
    pub fn starts_again(&mut self, budget: Budget, objects: impl FnOnce() -> usize) -> bool {
        let is_within =
            self.total.steps <= budget.root.steps && self.total.bytes <= budget.root.bytes;
        let next = match self.counting {
            _ if is_within => return false,
            Counting::EditByEdit => Counting::Anew,
            Counting::Anew => Counting::InEqualParts(budget.shared_by(objects())),
            Counting::InEqualParts(_) => return false,
        };
        *self = CostLedger {
            counting: next,
            ..CostLedger::default()
        };
        true
    }

    /// Whether objects have to do with less than the budget of one.
    pub fn is_in_equal_parts(&self) -> bool {
        matches!(self.counting, Counting::InEqualParts(_))
    }

    /// Gives every object its whole budget again, to be evaluated anew: after an edit all together may fit.
    pub fn relax(&mut self) {
        *self = CostLedger {
            counting: Counting::Anew,
            ..CostLedger::default()
        };
    }

    /// A whole plan is done.
    pub fn settle(&mut self) {
        if self.counting == Counting::Anew {
            self.counting = Counting::EditByEdit;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodeObject;
    use config::ModuleAddr;

    const BUDGET: Budget = Budget {
        object: Limits {
            steps: 10_000,
            bytes: 10_000,
        },
        root: Limits {
            steps: 20_000,
            bytes: 20_000,
        },
    };

    fn local(name: &str) -> NodeId {
        NodeObject::Local(name.into()).of(&ModuleAddr::root())
    }

    fn steps(steps: u64) -> Spent {
        Spent { steps, bytes: 0 }
    }

    #[test]
    fn a_result_that_is_replaced_costs_once() {
        let mut ledger = CostLedger::default();
        ledger.record(&local("a"), steps(9_000));
        ledger.record(&local("a"), steps(7_000));
        ledger.record(&local("b"), steps(5_000));
        ledger.forget(&local("b"));
        assert_eq!(ledger.total, steps(7_000));
    }

    #[test]
    fn an_exceeded_budget_is_shared_equally() {
        let mut ledger = CostLedger::default();
        for counting in [Counting::Anew, Counting::InEqualParts(BUDGET.shared_by(10))] {
            for name in ["a", "b", "c"] {
                ledger.record(&local(name), steps(9_000));
            }
            assert!(ledger.starts_again(BUDGET, || 10));
            assert_eq!(ledger.counting, counting);
        }
        assert_eq!(
            ledger.limits(BUDGET),
            Limits {
                steps: 2_000,
                bytes: 2_000
            }
        );
        ledger.relax();
        assert_eq!(ledger.limits(BUDGET), BUDGET.object);
    }
}
