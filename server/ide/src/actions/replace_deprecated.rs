//! Writes an argument under the name that its provider now wants.

use refactor::Edit;

use super::Action;
use super::place::Place;
use crate::{Diagnostic, Tag};

pub(super) fn fixes(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    if !diagnostic.tags.contains(&Tag::Deprecated) {
        return Vec::new();
    }
    let Some(around) = place.around(diagnostic.range.start()) else {
        return Vec::new();
    };
    let (Some(attribute), Some(block)) = (around.attribute, around.innermost()) else {
        return Vec::new();
    };
    let Some(schema) = around.schema(&place.known).and_then(|it| it.provider) else {
        return Vec::new();
    };
    let name = attribute.name.range + around.offset;
    let is_free = |new: &&str| {
        let known = schema.attributes.get(*new);
        known.is_some_and(|known| known.is_argument() && !known.deprecated)
            && block.body.attribute(new).is_none()
    };
    // A provider says it in its own words; the only other argument that it names is the one.
    let mut named: Vec<&str> = words(&diagnostic.message).filter(is_free).collect();
    named.dedup();
    match named.as_slice() {
        [new] => {
            let title = format!("Replace `{}` by `{new}`", attribute.name.name);
            let edits = vec![Edit::replace(name, *new)];
            vec![place.fix(title, diagnostic, edits).preferred()]
        }
        _ => Vec::new(),
    }
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    text.split(move |c| !is_part(c))
        .filter(|word| !word.is_empty())
}
