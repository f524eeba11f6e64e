//! Text that YAML's parser in Go accepts and ours refuses, changed character by character into text that both accept.

use saphyr_parser::{Parser, ScanError};

/// Each change is found by reading the text up to it.
const MAX_CHANGES: usize = 100;

/// In bytes, for all changes.
const MAX_READ: usize = 4 << 20;

/// `None` if the text has no such place.
pub(crate) fn as_go_accepts(text: &str) -> Option<String> {
    changed(text, |text, at, error| match error.info() {
        BEHIND_COLON => without_tabs(text, at),
        UNKNOWN_ESCAPE => without_escape(text, at),
        _ => with_line_joined(text, at),
    })
}

/// With spaces in the place of tabs behind the colons of keys. `None` if there are none.
pub(crate) fn with_spaces(text: &str) -> Option<String> {
    let has_tab = text.contains(":\t");
    let change = |text: &str, at, error: &ScanError| match error.info() {
        BEHIND_COLON => without_tabs(text, at),
        _ => None,
    };
    has_tab.then(|| changed(text, change)).flatten()
}

/// The error of our parser for a tab behind the colon of a key.
const BEHIND_COLON: &str = "':' must be followed by a valid YAML whitespace";

/// The error of our parser for an escape that does not exist, at the beginning of the scalar.
pub(crate) const UNKNOWN_ESCAPE: &str =
    "while parsing a quoted scalar, found unknown escape character";

/// Stands for `\'`, which Go's parser reads as an apostrophe: two characters that no text has.
pub(crate) const APOSTROPHE: &str = "\u{f8ff}\u{f8fe}";

/// The text after changes at its errors. `change` gets the text, and an error with its place.
fn changed(
    text: &str,
    change: impl Fn(&str, usize, &ScanError) -> Option<String>,
) -> Option<String> {
    let mut accepted = None;
    let affordable = MAX_READ / text.len().max(1);
    for _ in 0..MAX_CHANGES.min(affordable) {
        let current = accepted.as_deref().unwrap_or(text);
        let Some(error) = Parser::new_from_str(current).find_map(Result::err) else {
            break;
        };
        let mut chars = current.char_indices();
        let at = chars.nth(error.marker().index());
        let at = at.map_or(current.len(), |(at, _)| at);
        let Some(changed) = change(current, at, &error) else {
            break;
        };
        accepted = Some(changed);
    }
    accepted
}

/// With spaces in the place of the tabs before `end`, which may stand behind the colon of a key.
fn without_tabs(text: &str, end: usize) -> Option<String> {
    let start = text[..end].trim_end_matches([' ', '\t']).len();
    text[start..end]
        .contains('\t')
        .then(|| replaced(text, start, end))
}

/// With [`APOSTROPHE`] in the place of the first `\'` of the scalar that begins at `start`.
fn without_escape(text: &str, start: usize) -> Option<String> {
    let at = start + escape(&text[start..], '\'')?;
    Some([&text[..at], APOSTROPHE, &text[at + 2..]].concat())
}

/// The place of the first escape of this character in double-quoted text.
pub(crate) fn escape(text: &str, escaped: char) -> Option<usize> {
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == '\\' && chars.next().is_some_and(|(_, c)| c == escaped) {
            return Some(at);
        }
    }
    None
}

/// With the line of `at` behind the line before it, if a collection in flow style may go on there: its lines may begin
/// anywhere.
fn with_line_joined(text: &str, at: usize) -> Option<String> {
    let start = text[..at].rfind('\n')? + 1;
    let before = &text[..start];
    let last = before[..start - 1].rfind('\n').map_or(0, |end| end + 1);
    let content = match before[last..].find(" #") {
        Some(comment) => &before[..last + comment],
        None => before,
    }
    .trim_end();
    let goes_on = text[start..].trim_start().starts_with([',', ']', '}'])
        || content.ends_with([',', '[', '{']);
    let is_line = content.len() > last;
    (goes_on && is_line).then(|| replaced(text, content.len(), start))
}

/// With a space in the place of each character from `start` to `end`.
fn replaced(text: &str, start: usize, end: usize) -> String {
    let spaces = " ".repeat(text[start..end].chars().count());
    [&text[..start], &spaces, &text[end..]].concat()
}
