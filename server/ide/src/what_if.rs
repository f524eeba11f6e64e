//! What-if plans: some resources replaced on purpose, or some targeted.

/// The suppositions of plans, beside the texts; by addresses, which mean something to the planner that has them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WhatIf {
    pub replace: Vec<String>,
    pub targets: Vec<String>,
}
