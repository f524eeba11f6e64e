//! What evaluation found wrong, in a place of the expression's own segment.

use std::borrow::Cow;

use config::Origin;
use cty::budget;
use text::{Diagnostic, Fault, Severity, TextRange};

/// The code of what a function may not read before the workspace is trusted.
pub const OUTSIDE_WORKSPACE: &str = "outside-workspace";

/// Something wrong with an expression. Wording as in HCL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    pub severity: Severity,
    /// Stable kebab-case name of the rule.
    pub code: &'static str,
    pub fault: Fault,
    pub summary: Cow<'static, str>,
    pub detail: String,
    /// Relative to the start of the segment (of the text, if that is no file).
    pub range: TextRange,
}

impl Problem {
    pub fn error(
        code: &'static str,
        summary: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
        range: TextRange,
    ) -> Problem {
        Problem {
            severity: Severity::Error,
            code,
            fault: Fault::Other,
            summary: summary.into(),
            detail: detail.into(),
            range,
        }
    }

    pub(crate) fn with_fault(self, fault: impl Into<Fault>) -> Problem {
        Problem {
            fault: fault.into(),
            ..self
        }
    }

    /// Whether the expression might have a value in a trusted workspace.
    pub(crate) fn needs_trust(&self) -> bool {
        self.code == OUTSIDE_WORKSPACE
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The diagnostic for an expression of this segment.
    pub fn into_diagnostic(self, origin: &Origin) -> Diagnostic {
        let span = origin.span(self.range);
        Diagnostic {
            severity: self.severity,
            fault: self.fault,
            ..Diagnostic::error(self.code, self.summary.into_owned(), self.detail, span)
        }
    }
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

    /// Takes back what was added since.
    pub(crate) fn split_off(&mut self, point: usize) -> Vec<Problem> {
        self.0.split_off(point)
    }
}
