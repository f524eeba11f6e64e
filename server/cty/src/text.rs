//! Text: quoting as messages and set order have it, and what is certain about the begin of a text.

use std::sync::LazyLock;

use unicode_normalization::char::{canonical_combining_class, compose, decompose_canonical};
use unicode_normalization::{IsNormalized, is_nfc_quick};
use unicode_segmentation::UnicodeSegmentation;

use crate::value::normalize;

/// The text for an unknown value.
pub const KNOWN_AFTER_APPLY: &str = "(known after apply)";

/// A quoted string as Go's `%q` writes it.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => quoted.extend(['\\', c]),
            '\x07' => quoted.push_str("\\a"),
            '\x08' => quoted.push_str("\\b"),
            '\x0c' => quoted.push_str("\\f"),
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '\x0b' => quoted.push_str("\\v"),
            ' '..='~' => quoted.push(c),
            '\0'..' ' | '\x7f' => quoted.push_str(&format!("\\x{:02x}", c as u32)),
            _ if is_printable(c) => quoted.push(c),
            '\u{80}'..='\u{ffff}' => quoted.push_str(&format!("\\u{:04x}", c as u32)),
            _ => quoted.push_str(&format!("\\U{:08x}", c as u32)),
        }
    }
    quoted.push('"');
    quoted
}

/// Whether a character is a letter, mark, number, punctuation or symbol.
fn is_printable(c: char) -> bool {
    // Behind another character only those that cannot be printed are escaped.
    let text = String::from_iter(['a', c]);
    text.escape_debug().eq(text.chars())
}

/// The part of a prefix that stays the same whatever text follows: without its last user-perceived
/// character, unless nothing is expected to combine with that.
pub(crate) fn safe_prefix(prefix: &str) -> String {
    let normal = normalize(prefix);
    if let Some(at) = start_of_open_composition(&normal) {
        return normal[..at].to_string();
    }
    let mut last = (0, "");
    for (at, cluster) in normal.grapheme_indices(true) {
        // The reference does not look after a lone line end.
        if cluster == "\n" || cluster == "\r" {
            return normal[..at].to_string();
        }
        last = (at, cluster);
    }
    let end = if ends_itself(last.1) {
        normal.len()
    } else {
        last.0
    };
    normal[..end].to_string()
}

/// Where the last character begins that following marks may become part of in normal form C.
fn start_of_open_composition(text: &str) -> Option<usize> {
    let last = text.chars().next_back()?;
    if is_starter(last) && !combines_forward(last) {
        return None;
    }
    text.char_indices()
        .rev()
        .find(|(_, c)| is_starter(*c))
        .map(|(at, _)| at)
}

/// Whether a character is no mark on the one before.
fn is_starter(c: char) -> bool {
    canonical_combining_class(c) == 0 && !combines_backward(c)
}

fn combines_backward(c: char) -> bool {
    is_nfc_quick(std::iter::once(c)) != IsNormalized::Yes
}

fn combines_forward(c: char) -> bool {
    static SECONDS: LazyLock<Vec<char>> = LazyLock::new(|| {
        ('\u{300}'..'\u{20000}')
            .filter(|c| combines_backward(*c))
            .collect()
    });
    // The marks of a composed character may be composed otherwise when another one comes between.
    is_composed(c) || SECONDS.iter().any(|second| compose(c, *second).is_some())
}

fn is_composed(c: char) -> bool {
    let mut parts = 0;
    decompose_canonical(c, |_| parts += 1);
    parts > 1
}

/// Whether this is a character that is used to end a part of a text, so that it is no accident if
/// nothing combines with it.
fn ends_itself(cluster: &str) -> bool {
    cluster.len() == 1 && r##"-_:;/\,.(){}[]|?!~ @#$%^&*+"'"##.contains(cluster) || cluster == "\t"
}
