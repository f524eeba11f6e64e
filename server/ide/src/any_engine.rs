//! Planned objects in the words of all engines. Hints, lenses, diagnostics, the plan view and the counts are made
//! from these.

mod attribute;
mod cause;
mod diagnostics;
mod facts;
mod former_place;
mod hints;
pub(crate) mod outside;
mod places;

use std::borrow::Cow;

use change::ChangeKind;
use text::Span;

pub use attribute::ChangedAttribute;
pub(crate) use cause::MASKED;
pub use cause::{Cause, Changed, ValueText};
pub(crate) use diagnostics::{add_changes, add_removed, push};
pub(crate) use facts::{FactsBuilder, put};
pub(crate) use former_place::{FormerPlace, Segments, end, first_line, follow, part};
pub(crate) use hints::{add_causes, add_hints, add_removed_hint, push_at};
pub(crate) use places::Texts;

/// A declaration, with all its instances.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct PlannedObject {
    pub address: String,
    /// Where it is declared: its lens stands there. `None`: only the state has it.
    pub place: Option<Span>,
    /// How many instances are declared.
    pub instances: usize,
    pub changes: Vec<ObjectChange>,
    /// Of an action, which has no changes: how many times it is invoked.
    pub invocations: Option<usize>,
    /// Of instances that changed outside of the engine since it last made them, as reading found.
    pub outside: Vec<OutsideChange>,
    /// Unknown values of the configuration, each with the text to show: `(known after apply)`.
    pub unknown: Vec<(Span, &'static str)>,
    /// Why the plan of it is a guess or missing.
    pub caveat: Option<Caveat>,
    pub has_errors: bool,
    /// Whether the existing objects aren't known: then a creation is a guess.
    pub is_state_unread: bool,
}

/// Why a plan is a guess.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Caveat {
    /// Shown in one line at the object; empty if another message already says it there.
    pub brief: String,
    pub whole: String,
    /// Whether it is that the texts as they stand have errors: then the plan may be that of earlier texts.
    pub is_of_errors: bool,
}

impl PlannedObject {
    /// The caveat, if it is that the texts have errors.
    pub(crate) fn doubt(&self) -> Option<&Caveat> {
        self.caveat.as_ref().filter(|it| it.is_of_errors)
    }
}

/// The planned change of one instance.
#[derive(Clone, PartialEq, Debug)]
pub struct ObjectChange {
    pub address: String,
    pub kind: ChangeKind,
    /// Whether it is about an object that was replaced already, and is still there.
    pub is_deposed: bool,
    /// Where the state has the object, if that is elsewhere.
    pub former: Option<Former>,
    /// The places in the text that force a replacement.
    pub causes: Vec<Cause>,
    /// The other changes of the text to an existing object.
    pub changed: Vec<Cause>,
    /// Why it is replaced or destroyed, where no place in the text is the cause.
    pub why: Option<Cow<'static, str>>,
    /// The values that change, of an engine that is known by its objects alone.
    pub attributes: Vec<ChangedAttribute>,
    /// The change in full, as the engine prints it.
    pub details: String,
}

/// A change of an instance that its engine did not make.
#[derive(Clone, PartialEq, Debug)]
pub struct OutsideChange {
    pub address: String,
    pub is_deleted: bool,
    /// The values that differ and that the text gives, by place.
    pub places: Vec<Cause>,
    /// The other values that differ.
    pub elsewhere: Vec<Changed>,
}

/// A former address: of an instance, and of all that was declared with it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Former {
    pub instance: String,
    pub object: String,
}

impl ObjectChange {
    pub fn new(address: impl Into<String>, kind: ChangeKind) -> ObjectChange {
        ObjectChange {
            address: address.into(),
            kind,
            is_deposed: false,
            former: None,
            causes: Vec::new(),
            changed: Vec::new(),
            why: None,
            attributes: Vec::new(),
            details: String::new(),
        }
    }
}
