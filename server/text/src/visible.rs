//! Text as a terminal and an editor show it: nothing in it acts on what shows it, moves what stands beside it, or hides.

use std::borrow::Cow;
use std::fmt::Write;

/// The text with each character escaped that a reader would not see: control characters except newline and tab, the
/// ones that change the direction of text, and the ones without a width. Text of others passes through here where it
/// leaves for a terminal or an editor. Escapes are those of Go's `%q`, which Terraform quotes strings with.
pub fn visible(text: &str) -> Cow<'_, str> {
    escaped(text, |c| matches!(c, '\n' | '\t'))
}

/// As [`visible`], for a place that has one line: newline and tab are escaped too.
pub fn one_line(text: &str) -> Cow<'_, str> {
    escaped(text, |_| false)
}

/// The widest column of names: beside a longer one, others would be long texts of blanks.
const WIDEST: usize = 1000;

/// The name with blanks up to a width in characters. `{name:width$}` would panic beyond 65,535.
pub fn padded(name: &str, width: usize) -> String {
    let missing = width.min(WIDEST).saturating_sub(name.chars().count());
    format!("{name}{}", " ".repeat(missing))
}

/// Text of others as far as a person reads it: at most `limit` bytes, and how much of it is left out.
pub fn cut(mut text: String, limit: usize) -> String {
    if text.len() > limit {
        let end = text.floor_char_boundary(limit);
        let rest = text.len() - end;
        text.truncate(end);
        text.shrink_to_fit();
        text.push_str(&format!("… ({rest} more bytes are not shown)"));
    }
    text
}

fn escaped(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_plain = |byte: u8| matches!(byte, b' '..=b'~') || stays(byte.into());
    if text.bytes().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    let mut before = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied();
        let ends_line = c == '\r' && after == Some('\n') && stays('\n');
        match stays(c) || ends_line || !is_unseen(c) || is_of_script(before, c, after) {
            true => shown.push(c),
            false => escape(c, &mut shown),
        }
        before = Some(c);
    }
    Cow::Owned(shown)
}

/// Control, format and separator characters, and others that leave no ink; of the joiners see [`is_of_script`].
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            // Soft hyphen, combining grapheme joiner, Arabic letter mark, Hangul fillers, Khmer inherent vowels,
            // Mongolian separators.
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{3164}' | '\u{ffa0}'
            // Zero-width characters and direction marks; separators and embeddings; operators and isolates.
            | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            // Variation selectors, byte order mark, interlinear annotations, noncharacters.
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fdd0}'..='\u{fdef}'
            // Shorthand and musical controls; tags and variation selectors.
            | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
        || (c as u32) & 0xfffe == 0xfffe
}

/// Whether a joiner or a variation selector belongs to letters or pictographs beside it: between ASCII characters it
/// only hides.
fn is_of_script(before: Option<char>, c: char, after: Option<char>) -> bool {
    let is_selector = |c| matches!(c, '\u{fe00}'..='\u{fe0f}');
    let is_of_it = |c: char| !c.is_ascii() && (!is_unseen(c) || is_selector(c));
    match c {
        '\u{200c}' | '\u{200d}' => before.is_some_and(is_of_it) && after.is_some_and(is_of_it),
        _ => is_selector(c) && before.is_some_and(|it| is_of_it(it) && !is_selector(it)),
    }
}

fn escape(c: char, text: &mut String) {
    let code = c as u32;
    // Writing to a string does not fail.
    let _ = match c {
        '\x07' => text.write_str("\\a"),
        '\x08' => text.write_str("\\b"),
        '\t' => text.write_str("\\t"),
        '\n' => text.write_str("\\n"),
        '\x0b' => text.write_str("\\v"),
        '\x0c' => text.write_str("\\f"),
        '\r' => text.write_str("\\r"),
        '\0'..='\x7f' => write!(text, "\\x{code:02x}"),
        '\u{80}'..='\u{ffff}' => write!(text, "\\u{code:04x}"),
        _ => write!(text, "\\U{code:08x}"),
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_blanks_up_to_a_width() {
        assert_eq!(padded("ä", 3), "ä  ");
        assert_eq!(padded("name", 3), "name");
        assert_eq!(padded("", 70_000).len(), WIDEST);
    }

    #[test]
    fn characters_that_act_on_a_terminal_are_escaped() {
        assert_eq!(
            visible("\x1b[2J\x07\x7f\u{9b}31m\r!"),
            r"\x1b[2J\a\x7f\u009b31m\r!"
        );
        assert_eq!(
            visible("two\r\nlines\n\tindented"),
            "two\r\nlines\n\tindented"
        );
    }

    #[test]
    fn characters_that_turn_text_around_are_escaped() {
        for code in [
            0x61c, 0x200e, 0x200f, 0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068,
            0x2069,
        ] {
            let c = char::from_u32(code).unwrap();
            assert_eq!(visible(&format!("a{c}b")), format!("a\\u{code:04x}b"));
        }
    }

    #[test]
    fn characters_that_hide_are_escaped() {
        assert_eq!(
            visible("ad\u{200b}min \u{feff}x\u{ad}y\u{2060}"),
            r"ad\u200bmin \ufeffx\u00ady\u2060"
        );
        assert_eq!(
            visible("a\u{200d}b\u{fe0f}\u{e0041}\u{2028}"),
            r"a\u200db\ufe0f\U000e0041\u2028"
        );
        assert_eq!(visible("\u{202e}\u{200d}\u{202e}"), r"\u202e\u200d\u202e");
    }

    #[test]
    fn joiners_stay_in_the_scripts_and_pictographs_that_need_them() {
        for text in [
            "می\u{200c}خواهم",
            "👩\u{200d}👩\u{200d}👧",
            "❤\u{fe0f}\u{200d}🔥",
            "Größe: 10 ✓",
        ] {
            assert_eq!(visible(text), text);
        }
    }

    #[test]
    fn a_title_has_one_line() {
        assert_eq!(one_line("a\r\nb\tc"), r"a\r\nb\tc");
        assert!(matches!(one_line("plain"), Cow::Borrowed(_)));
    }
}
