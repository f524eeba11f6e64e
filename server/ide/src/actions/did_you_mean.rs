//! Writes the name that was perhaps meant.

use refactor::Edit;
use text::{Fault, TextRange};

use super::Action;
use super::place::{Place, size_range};
use crate::Shown;

pub(super) fn fixes(place: &Place<'_>, shown: &Shown) -> Vec<Action> {
    let Fault::Misspelt { meant } = &shown.diagnostic.fault else {
        return Vec::new();
    };
    let Some(range) = wrong_name(place, shown.range, meant) else {
        return Vec::new();
    };
    let title = format!("Change to `{meant}`");
    // A key of a map may be any text.
    let is_name = meant.split('.').all(config::is_identifier);
    let is_quoted = place.text[..usize::from(range.start())].ends_with('"');
    let new = match is_quoted {
        true => config::quote(meant).trim_matches('"').to_owned(),
        false if is_name => meant.clone(),
        false => return Vec::new(),
    };
    let edit = Edit::replace(range, new);
    vec![place.fix(title, shown, vec![edit]).preferred()]
}

/// The name within the range of the diagnostic.
fn wrong_name(place: &Place<'_>, range: TextRange, meant: &str) -> Option<TextRange> {
    let text = place.slice(range);
    let start = usize::from(range.start());
    let part = |from: usize, to: usize| Some(size_range(start + from, start + to));
    if let Some(open) = text.find('"') {
        // A label, or a key between brackets.
        let close = text[open + 1..].find('"')?;
        return part(open + 1, open + 1 + close);
    }
    let end = text.find(['[', '(', ' ', '=', '{']).unwrap_or(text.len());
    if meant.contains('.') {
        return part(0, end);
    }
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == '-' || c == ':';
    let name = text[..end]
        .rfind(|c| !is_name(c))
        .map_or(0, |before| before + 1);
    (name < end).then(|| part(name, end))?
}
