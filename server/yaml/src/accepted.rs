//! Text that YAML's parser in Go accepts and ours refuses, changed character by character into text that both accept.

use std::borrow::Cow;

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
        OUTDENTED => with_scalar_in_one_line(text, at),
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

/// The error of our parser for quoted text that goes on further left than the keys around it, at the beginning of the scalar.
const OUTDENTED: &str = "invalid indentation in quoted scalar";

/// Stands for `\'`, which Go's parser reads as an apostrophe: two characters that no text has.
const APOSTROPHE: &str = "\u{f8ff}\u{f8fe}";

/// Stands for a line break in the value of quoted text. YAML does not allow this character.
const LINE_BREAK: char = '\u{ffff}';

/// Stands for a character that is not in the value. YAML does not allow this character.
const NOTHING: char = '\u{fffe}';

/// The value of quoted text, of which the parser has read what Go accepts.
pub(crate) fn value_as_written(value: Cow<'_, str>) -> Cow<'_, str> {
    if !value.contains([LINE_BREAK, NOTHING]) && !value.contains(APOSTROPHE) {
        return value;
    }
    let value = value.replace(APOSTROPHE, "'");
    value.replace(LINE_BREAK, "\n").replace(NOTHING, "").into()
}

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

/// With the quoted scalar that begins at `start` in one line: Go's parser lets its lines begin anywhere.
fn with_scalar_in_one_line(text: &str, start: usize) -> Option<String> {
    let end = start + closing_quote(&text[start..])?;
    // A key has one line.
    let behind = text[end + 1..].trim_start_matches([' ', '\t']);
    if behind.starts_with(':') {
        return None;
    }
    let has_escapes = text[start..].starts_with('"');
    let mut line = String::new();
    let mut rest = &text[start..end];
    while let Some(at) = rest.find(['\n', '\r']) {
        let before = &rest[..at];
        let is_escaped = has_escapes && ends_with_backslash(before);
        let content = match is_escaped {
            true => &before[..at - 1],
            false => without_blanks(before, has_escapes),
        };
        let next = rest[at..].trim_start_matches([' ', '\t', '\n', '\r']);
        let gap = &rest[content.len()..rest.len() - next.len()];
        let breaks = gap.replace("\r\n", "\n").matches(['\n', '\r']).count();
        let mut written = LINE_BREAK.to_string().repeat(breaks - 1);
        if written.is_empty() && !is_escaped {
            written.push(' ');
        }
        let unused = gap.chars().count() - written.chars().count();
        line.extend([content, &written, &NOTHING.to_string().repeat(unused)]);
        rest = next;
    }
    Some([&text[..start], &line, rest, &text[end..]].concat())
}

/// The place of the quote that ends the quoted text with which a text begins.
pub(crate) fn closing_quote(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, c)) = chars.next() {
        let is_escape = match quote {
            '"' => c == '\\',
            _ => c == quote && chars.peek().is_some_and(|(_, next)| *next == quote),
        };
        if is_escape {
            chars.next();
        } else if c == quote {
            return Some(at);
        }
    }
    None
}

/// Without the blanks at the end of a line, but for one that is escaped.
fn without_blanks(line: &str, has_escapes: bool) -> &str {
    let trimmed = line.trim_end_matches([' ', '\t']);
    let is_escaped = has_escapes && trimmed.len() < line.len() && ends_with_backslash(trimmed);
    &line[..trimmed.len() + usize::from(is_escaped)]
}

/// Whether a text ends with a backslash that no other one escapes.
fn ends_with_backslash(text: &str) -> bool {
    let backslashes = text.len() - text.trim_end_matches('\\').len();
    backslashes % 2 == 1
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
