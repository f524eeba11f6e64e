//! Changes outside of the engine, in words.

use super::cause::named;
use super::{OutsideChange, PlannedObject};

impl OutsideChange {
    /// `changed outside: size 10 -> 20`, or `deleted outside`.
    pub(crate) fn sentence(&self) -> String {
        let in_text = self.places.iter().flat_map(|place| &place.changed);
        let changed: Vec<_> = in_text.chain(&self.elsewhere).collect();
        match self.is_deleted {
            true => "deleted outside".to_owned(),
            false => format!("changed outside: {}", named(&changed)),
        }
    }
}

/// The sentence about the only instance, or how many of several changed.
pub(crate) fn summary(object: &PlannedObject) -> Option<String> {
    let all = object.outside.len();
    let deleted = object.outside.iter().filter(|it| it.is_deleted).count();
    match object.outside.as_slice() {
        [] => None,
        [only] if object.instances < 2 => Some(only.sentence()),
        [..] => {
            let instances = object.instances.max(all);
            let parts = [(all - deleted, "changed"), (deleted, "deleted")];
            let parts = parts.into_iter().filter(|(count, _)| *count > 0);
            let parts = parts.map(|(count, what)| format!("{count} of {instances} {what} outside"));
            Some(parts.collect::<Vec<_>>().join(", "))
        }
    }
}
