//! Writes the name that was perhaps meant.

use refactor::Edit;
use text::{Fault, Missing, TextRange};

use super::Action;
use super::context::{ActionContext, size_range};
use crate::Shown;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let action = match &shown.diagnostic.fault {
        Fault::Misspelt { meant } => change(place, shown, meant).map(Action::preferred),
        _ => only_missing(place, shown).and_then(|meant| change(place, shown, &meant)),
    };
    action.into_iter().collect()
}

fn change(place: &ActionContext<'_>, shown: &Shown, meant: &str) -> Option<Action> {
    let range = wrong_name(place, shown.range, meant)?;
    let title = format!("Change to `{meant}`");
    // A key of a map may be any text.
    let is_name = meant.split('.').all(config::is_identifier);
    let is_quoted = place.text[..usize::from(range.start())].ends_with('"');
    let new = match is_quoted {
        true => config::quote(meant).trim_matches('"').to_owned(),
        false if is_name => meant.to_owned(),
        false => return None,
    };
    Some(place.fix(title, shown, vec![Edit::replace(range, new)]))
}

/// The argument that its block misses, where an argument is not expected: both are the only ones of their kind.
fn only_missing(place: &ActionContext<'_>, shown: &Shown) -> Option<String> {
    let block = |shown: &Shown| {
        let around = place.around(shown.range.start())?;
        Some(around.innermost()?.range + around.offset)
    };
    let is_unexpected = |shown: &Shown| shown.diagnostic.code == "unsupported-argument";
    let here = block(shown).filter(|_| is_unexpected(shown))?;
    let inside = place.diagnostics().iter();
    let inside = inside.filter(|it| here.contains_range(it.range));
    let all: Vec<&Shown> = inside.filter(|it| block(it) == Some(here)).collect();
    let mut missing = all.iter().filter_map(|it| match &it.diagnostic.fault {
        Fault::Missing(Missing::Argument(name)) => Some(name),
        _ => None,
    });
    let meant = missing.next().filter(|_| missing.next().is_none())?;
    let is_only = all.iter().filter(|it| is_unexpected(it)).count() == 1;
    is_only.then(|| meant.clone())
}

/// The name within the range of the diagnostic.
fn wrong_name(place: &ActionContext<'_>, range: TextRange, meant: &str) -> Option<TextRange> {
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
