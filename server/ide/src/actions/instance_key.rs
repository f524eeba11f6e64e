//! Adds or removes the key of an instance in a reference.

use refactor::Edit;

use super::Action;
use super::place::{Place, size_range};
use crate::Diagnostic;

pub(super) fn fixes(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    if diagnostic.code != "instance-key" {
        return Vec::new();
    }
    let text = place.slice(diagnostic.range);
    if let Some(open) = text.rfind('[') {
        let (start, end) = (diagnostic.range.start(), diagnostic.range.end());
        let range = size_range(usize::from(start) + open, usize::from(end));
        let title = format!("Remove `{}`", place.slice(range));
        return vec![
            place
                .fix(title, diagnostic, vec![Edit::delete(range)])
                .preferred(),
        ];
    }
    let (own, all) = match diagnostic.message.contains("[count.index]") {
        true => ("[count.index]", "[0]"),
        false => ("[each.key]", "[\"KEY\"]"),
    };
    let around = place.around(diagnostic.range.start());
    let block = around.and_then(|around| around.top());
    let repeats = |name| block.is_some_and(|block| block.body.attribute(name).is_some());
    let add = |key: &str| {
        let edit = Edit::insert(diagnostic.range.end(), key);
        place.fix(format!("Add `{key}`"), diagnostic, vec![edit])
    };
    // Which key of a map it is nobody can tell but the user.
    match (own, repeats("count"), repeats("for_each")) {
        ("[count.index]", true, _) => vec![add(own).preferred(), add(all)],
        ("[count.index]", false, _) => vec![add(all).preferred()],
        (_, _, true) => vec![add(own).preferred()],
        (_, _, false) => Vec::new(),
    }
}
