//! The text for unknown values: `(known after apply)`, and its like for values that are known sooner.

use config::Reference;
use cty::KNOWN_AFTER_APPLY;
use text::Span;

use super::{Planned, hovers};
use crate::Policy;

/// The value of a variable without one, and of its dependents.
pub(super) const NO_VALUE: &str = "(no value)";

/// Shown for values that depend on a data source that only a refresh reads.
const UNREAD: &str = "(not read yet)";
/// The same, if the settings forbid reading.
const NEVER_READ: &str = "(not read)";

impl Planned<'_> {
    /// The text for something unknown at `span`.
    pub(super) fn unknown(&self, span: &Span, references: &[Reference]) -> &'static str {
        let references = references.iter().filter(|it| span.contains(&it.span));
        let mut known_sooner = references.filter_map(|it| self.known_sooner(it));
        known_sooner.next().unwrap_or(KNOWN_AFTER_APPLY)
    }

    /// The text for a reference without a value, if it gets one sooner than by an apply.
    pub(super) fn known_sooner(&self, reference: &Reference) -> Option<&'static str> {
        if self.plan.is_without_value(reference) {
            return Some(NO_VALUE);
        }
        let is_unread = self.plan.is_unread(reference) || self.is_stale(reference);
        let unread = match self.settings.data_sources {
            Policy::Off => NEVER_READ,
            Policy::OnCommand | Policy::OnSave => UNREAD,
        };
        is_unread.then_some(unread)
    }

    /// Whether the state lacks this part of an object that a refresh would read.
    pub(super) fn is_stale(&self, reference: &Reference) -> bool {
        self.plan.is_standing_in(reference)
            && hovers::referenced(self, &reference.subject).is_some_and(|value| {
                let mut steps = reference.remaining.iter();
                let applied = steps.try_fold(value, |value, step| match value.is_marked() {
                    true => Some(value),
                    false => hovers::path_step(step)?.apply(&value).ok(),
                });
                applied.is_none()
            })
    }

    /// Whether the value at `span` may be unknown only because it, or a reference in it, has errors.
    pub(super) fn is_in_doubt(&self, span: &Span, references: &[Reference]) -> bool {
        let mut references = references.iter().filter(|it| span.contains(&it.span));
        references.any(|reference| self.plan.is_in_doubt(reference))
            || self.plan.has_errors_within(span)
    }
}
