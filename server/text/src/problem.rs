//! What is wrong, before its place in a file is known.

use std::borrow::Cow;

use crate::{Diagnostic, Fault, Severity, Span, TextRange};

/// A problem at a place that only the caller can find in a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Problem<At = TextRange> {
    pub severity: Severity,
    /// Stable kebab-case name of the rule.
    pub code: &'static str,
    pub fault: Fault,
    pub summary: Cow<'static, str>,
    pub detail: String,
    /// A range is relative to the start of the segment; of the text, if that is no file.
    pub at: At,
}

impl<At> Problem<At> {
    pub fn error(
        code: &'static str,
        summary: impl Into<Cow<'static, str>>,
        detail: impl Into<String>,
        at: At,
    ) -> Problem<At> {
        Problem {
            severity: Severity::Error,
            code,
            fault: Fault::Other,
            summary: summary.into(),
            detail: detail.into(),
            at,
        }
    }

    pub fn with_fault(self, fault: impl Into<Fault>) -> Problem<At> {
        Problem {
            fault: fault.into(),
            ..self
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// The same, with its place said differently.
    pub fn map<To>(self, place: impl FnOnce(At) -> To) -> Problem<To> {
        Problem {
            severity: self.severity,
            code: self.code,
            fault: self.fault,
            summary: self.summary,
            detail: self.detail,
            at: place(self.at),
        }
    }

    /// The diagnostic at its place in a file, if it has one.
    pub fn located<S: Into<Option<Span>>>(self, place: impl FnOnce(At) -> S) -> Diagnostic {
        Diagnostic {
            severity: self.severity,
            fault: self.fault,
            ..Diagnostic::error(
                self.code,
                self.summary.into_owned(),
                self.detail,
                place(self.at),
            )
        }
    }
}
