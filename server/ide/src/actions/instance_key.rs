//! Adds or removes the key of an instance in a reference.

use refactor::Edit;
use text::{Fault, InstanceKeyFault};

use super::Action;
use super::context::{ActionContext, size_range};
use crate::Shown;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Fault::InstanceKey(fault) = shown.diagnostic.fault else {
        return Vec::new();
    };
    let around = place.around(shown.range.start());
    let block = around.and_then(|around| around.top());
    let repeats = |name| block.is_some_and(|block| block.body.attribute(name).is_some());
    let add = |key: &str| {
        let edit = Edit::insert(shown.range.end(), key);
        place.fix(format!("Add `{key}`"), shown, vec![edit])
    };
    // Only the user knows which key of a map is meant.
    match fault {
        InstanceKeyFault::MissingIndex if repeats("count") => {
            vec![add("[count.index]").preferred(), add("[0]")]
        }
        InstanceKeyFault::MissingIndex => vec![add("[0]").preferred()],
        InstanceKeyFault::MissingKey if repeats("for_each") => vec![add("[each.key]").preferred()],
        InstanceKeyFault::MissingKey => Vec::new(),
        InstanceKeyFault::Unexpected => without_key(place, shown),
    }
}

fn without_key(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Some(open) = place.slice(shown.range).rfind('[') else {
        return Vec::new();
    };
    let (start, end) = (shown.range.start(), shown.range.end());
    let range = size_range(usize::from(start) + open, usize::from(end));
    let title = format!("Remove `{}`", place.slice(range));
    let action = place.fix(title, shown, vec![Edit::delete(range)]);
    vec![action.preferred()]
}
