//! Adds or removes the key of an instance in a reference.

use refactor::Edit;
use text::{Fault, InstanceKeyFault};

use super::Action;
use super::place::{Place, size_range};
use crate::Diagnostic;

pub(super) fn fixes(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    let Fault::InstanceKey(fault) = diagnostic.fault else {
        return Vec::new();
    };
    let around = place.around(diagnostic.range.start());
    let block = around.and_then(|around| around.top());
    let repeats = |name| block.is_some_and(|block| block.body.attribute(name).is_some());
    let add = |key: &str| {
        let edit = Edit::insert(diagnostic.range.end(), key);
        place.fix(format!("Add `{key}`"), diagnostic, vec![edit])
    };
    // Which key of a map it is nobody can tell but the user.
    match fault {
        InstanceKeyFault::MissingIndex if repeats("count") => {
            vec![add("[count.index]").preferred(), add("[0]")]
        }
        InstanceKeyFault::MissingIndex => vec![add("[0]").preferred()],
        InstanceKeyFault::MissingKey if repeats("for_each") => vec![add("[each.key]").preferred()],
        InstanceKeyFault::MissingKey => Vec::new(),
        InstanceKeyFault::Unexpected => without_key(place, diagnostic),
    }
}

fn without_key(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    let Some(open) = place.slice(diagnostic.range).rfind('[') else {
        return Vec::new();
    };
    let (start, end) = (diagnostic.range.start(), diagnostic.range.end());
    let range = size_range(usize::from(start) + open, usize::from(end));
    let title = format!("Remove `{}`", place.slice(range));
    let action = place.fix(title, diagnostic, vec![Edit::delete(range)]);
    vec![action.preferred()]
}
