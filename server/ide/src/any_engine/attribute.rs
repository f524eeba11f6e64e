//! The values of an object that a plan changes, as data.

use std::fmt;

use super::ValueText;

/// A value that a plan changes: the narrowest one that differs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChangedAttribute {
    /// As the text would write it: `keepers.fixed`.
    pub path: String,
    /// `None`: it has no value.
    pub before: Option<ValueText>,
    pub after: Option<ValueText>,
    pub forces_replacement: bool,
}

impl ChangedAttribute {
    /// Whether only the apply will tell it.
    pub fn is_unknown(&self) -> bool {
        matches!(self.after, Some(ValueText::Unknown(_)))
    }
}

/// `~ keepers.fixed = "yes" -> "no" # forces replacement`
impl fmt::Display for ChangedAttribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = &self.path;
        match (&self.before, &self.after) {
            (Some(before), Some(after)) if before == after => write!(f, "~ {path} = {after}")?,
            (Some(before), Some(after)) => write!(f, "~ {path} = {before} -> {after}")?,
            (Some(before), None) => write!(f, "- {path} = {before}")?,
            (None, Some(after)) => write!(f, "+ {path} = {after}")?,
            (None, None) => write!(f, "~ {path}")?,
        }
        match self.forces_replacement {
            true => write!(f, " # forces replacement"),
            false => Ok(()),
        }
    }
}
