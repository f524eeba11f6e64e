//! Errors of evaluation, each at a place of the expression's own segment. Wording as in HCL.

use std::borrow::Cow;

use cty::budget;
use text::{Problem, TextRange};

/// The code for a file that a function may not read before the workspace is trusted.
pub const OUTSIDE_WORKSPACE: &str = "outside-workspace";

/// Whether the expression might have a value in a trusted workspace.
pub(crate) fn needs_trust(problem: &Problem) -> bool {
    problem.code == OUTSIDE_WORKSPACE
}

/// Collects problems in the order of evaluation.
#[derive(Debug, Default)]
pub(crate) struct Problems(pub(crate) Vec<Problem>);

impl Problems {
    pub(crate) fn error(
        &mut self,
        code: &'static str,
        summary: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
        range: TextRange,
    ) {
        self.push(Problem::error(code, summary, detail, range));
    }

    pub(crate) fn push(&mut self, problem: Problem) {
        budget::allocate(size_of::<Problem>() + problem.detail.len());
        self.0.push(problem);
    }

    /// A point to look back to.
    pub(crate) fn here(&self) -> usize {
        self.0.len()
    }

    pub(crate) fn has_errors_since(&self, point: usize) -> bool {
        self.0
            .get(point..)
            .is_some_and(|problems| problems.iter().any(Problem::is_error))
    }

    /// Takes back the problems that were added since.
    pub(crate) fn split_off(&mut self, point: usize) -> Vec<Problem> {
        self.0.split_off(point)
    }
}
