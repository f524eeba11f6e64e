//! The names in a reference or an address as it is written.

use text::{TextRange, TextSize};

/// A name, and where it stands in the text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Word<'a> {
    pub text: &'a str,
    pub range: TextRange,
    /// The text between the quotes of the key after it, and its place.
    pub key: Option<(&'a str, TextRange)>,
}

/// The names of `module.a["k"].aws_vpc.b`, without the text in brackets or in comments.
pub(crate) fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut depth = 0_u32;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let len = match c {
            '"' if depth > 0 => quoted_len(rest),
            '#' => line_len(rest),
            '/' if rest.starts_with("//") => line_len(rest),
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ if is_part(c) => rest.find(|c| !is_part(c)).unwrap_or(rest.len()),
            _ => c.len_utf8(),
        };
        match c {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            _ if depth == 0 && is_part(c) => words.push(Word {
                text: &rest[..len],
                range: TextRange::new(size(at), size(at + len)),
                key: None,
            }),
            '"' if depth == 1 && len >= 2 && is_whole_key(text, at, len) => {
                if let Some(word) = words.last_mut() {
                    let range = TextRange::new(size(at + 1), size(at + len - 1));
                    word.key = Some((&rest[1..len - 1], range));
                }
            }
            _ => {}
        }
        at += len;
    }
    words
}

/// Whether there is nothing but this string between its brackets.
fn is_whole_key(text: &str, at: usize, len: usize) -> bool {
    text[..at].trim_end().ends_with('[') && text[at + len..].trim_start().starts_with(']')
}

fn is_part(c: char) -> bool {
    c == '_' || c == '-' || c.is_alphanumeric()
}

fn line_len(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// Of the string that starts here, with its quotes.
fn quoted_len(text: &str) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '"' && !is_escaped {
            return at + 1;
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    text.len()
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn brackets_hold_no_names() {
        let names = |text| words(text).iter().map(|word| word.text).collect::<Vec<_>>();
        assert_eq!(names("var.a"), ["var", "a"]);
        assert_eq!(
            names("module.a[\"x]\\\".y\"].aws_vpc.b-c[each.key]"),
            ["module", "a", "aws_vpc", "b-c"]
        );
        assert_eq!(
            names("local # it's\n  . a /* b */ . c"),
            ["local", "a", "c"]
        );
        assert_eq!(names(""), [""; 0]);
    }
}
