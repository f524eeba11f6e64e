//! What-if plans: some resources replaced on purpose, or nothing else meant.

/// What plans suppose, beside what the texts say; by addresses, which mean something to the planner that has them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WhatIf {
    pub replace: Vec<String>,
    pub targets: Vec<String>,
}
