//! What is wrong, where, in words for the person at the keyboard.

use crate::{Fault, Span, for_people};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub enum Severity {
    Error,
    Warning,
    Info,
    /// Shown without underlining, or by fading the text.
    Hint,
}

/// A problem found in the input. `summary` and `detail` follow the wording of `terraform validate`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    pub severity: Severity,
    /// Stable kebab-case name of the rule, such as `unsupported-attribute`.
    pub code: &'static str,
    pub fault: Fault,
    pub summary: String,
    pub detail: String,
    /// What the diagnostic is about; `None` when it has no place in the configuration.
    pub subject: Option<Span>,
    /// Of the object that it is about, where more than one may stand at that place.
    pub address: Option<String>,
    pub related: Vec<Related>,
    /// How many more instances of the same declaration have it.
    pub repeats: u32,
}

/// Another place that explains a diagnostic, such as the first of two declarations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Related {
    pub span: Span,
    pub message: String,
    pub role: RelatedRole,
}

/// What a place is to a diagnostic, as data.
#[derive(Clone, Default, PartialEq, Eq, Hash, Debug)]
pub enum RelatedRole {
    /// One that only the message describes.
    #[default]
    Other,
    /// The validation rule that was broken.
    Rule,
    /// The value, of a diagnostic about its variable.
    Value,
    /// The declaration of the variable whose value is unsuitable because of `why`.
    Declaration { variable: String, why: String },
}

impl RelatedRole {
    fn message(&self) -> &'static str {
        match self {
            RelatedRole::Other => "",
            RelatedRole::Rule => "checked by this validation rule",
            RelatedRole::Value => "the invalid value is here",
            RelatedRole::Declaration { .. } => "the variable is declared here",
        }
    }
}

impl Diagnostic {
    pub fn error(
        code: &'static str,
        summary: impl Into<String>,
        detail: impl Into<String>,
        subject: impl Into<Option<Span>>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            code,
            fault: Fault::Other,
            summary: for_people(summary.into()),
            detail: for_people(detail.into()),
            subject: subject.into(),
            address: None,
            related: Vec::new(),
            repeats: 0,
        }
    }

    pub fn warning(
        code: &'static str,
        summary: impl Into<String>,
        detail: impl Into<String>,
        subject: impl Into<Option<Span>>,
    ) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(code, summary, detail, subject)
        }
    }

    /// Adds a diagnostic to those of other instances, or counts it there.
    pub fn add_to(self, all: &mut Vec<Diagnostic>) {
        let is_same =
            |known: &&mut Diagnostic| known.is_same(&self) && known.address == self.address;
        match all.iter_mut().find(is_same) {
            Some(known) => known.repeats += 1,
            None => all.push(self),
        }
    }

    /// Whether both differ at most in the instance that they are about.
    pub fn is_same(&self, other: &Diagnostic) -> bool {
        (self.severity, self.code) == (other.severity, other.code)
            && (&self.summary, &self.detail) == (&other.summary, &other.detail)
            && (&self.subject, &self.fault) == (&other.subject, &other.fault)
            && self.related == other.related
    }

    /// The same about the object of this address.
    pub fn about(self, address: &impl std::fmt::Display) -> Diagnostic {
        Diagnostic {
            address: Some(address.to_string()),
            ..self
        }
    }

    pub fn with_fault(self, fault: impl Into<Fault>) -> Diagnostic {
        Diagnostic {
            fault: fault.into(),
            ..self
        }
    }

    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Diagnostic {
        self.related.push(Related {
            span,
            message: message.into(),
            role: RelatedRole::Other,
        });
        self
    }

    /// With a place that has a part in the diagnostic.
    pub fn with_role(mut self, span: Span, role: RelatedRole) -> Diagnostic {
        self.related.push(Related {
            span,
            message: role.message().to_owned(),
            role,
        });
        self
    }
}
