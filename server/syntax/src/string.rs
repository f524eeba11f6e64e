//! The values of literal text: escapes, trimming, heredoc dedent, normal form.

use std::borrow::Cow;

use smol_str::SmolStr;
use text::{TextRange, TextSize};
use unicode_normalization::{UnicodeNormalization, is_nfc};
use unicode_segmentation::UnicodeSegmentation;

/// An invalid escape sequence: its range in the literal and its error.
pub(crate) struct BadEscape {
    pub range: TextRange,
    pub detail: String,
}

/// Resolves the escapes of the literal piece of a quoted string.
pub(crate) fn unescape(text: &str, mut bad: impl FnMut(BadEscape)) -> Cow<'_, str> {
    if !text.contains(['\\', '$', '%']) {
        return Cow::Borrowed(text);
    }
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '$', '%']) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = if rest.starts_with('\\') {
            backslash(rest, &mut value, |len, detail| {
                let start = TextSize::of(text) - TextSize::of(rest);
                bad(BadEscape {
                    range: TextRange::at(start, TextSize::of(&rest[..len])),
                    detail,
                });
            })
        } else {
            sigil(rest, &mut value)
        };
        rest = &rest[len..];
    }
    value.push_str(rest);
    Cow::Owned(value)
}

/// Resolves `$${` and `%%{`, the only escapes outside of quotes.
pub(crate) fn unescape_sigils(text: &str) -> Cow<'_, str> {
    if !text.contains(['$', '%']) {
        return Cow::Borrowed(text);
    }
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['$', '%']) {
        value.push_str(&rest[..at]);
        rest = &rest[at..];
        let len = sigil(rest, &mut value);
        rest = &rest[len..];
    }
    value.push_str(rest);
    Cow::Owned(value)
}

fn sigil(rest: &str, value: &mut String) -> usize {
    if rest.starts_with("$${") || rest.starts_with("%%{") {
        value.push_str(&rest[1..3]);
        3
    } else {
        value.push_str(&rest[..1]);
        1
    }
}

/// Resolves the escape that `rest` starts with; answers its length.
fn backslash(rest: &str, value: &mut String, mut bad: impl FnMut(usize, String)) -> usize {
    let Some(selector) = rest[1..].chars().next() else {
        let detail = "Backslash must be followed by an escape sequence selector character.";
        bad(1, detail.to_owned());
        value.push('\\');
        return 1;
    };
    let simple = match selector {
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        '"' => '"',
        '\\' => '\\',
        'u' => return unicode(rest, 4, "\\u", "four", value, bad),
        'U' => return unicode(rest, 8, "\\U", "eight", value, bad),
        _ => {
            let len = 1 + selector.len_utf8();
            bad(
                len,
                format!("The symbol {selector:?} is not a valid escape sequence selector."),
            );
            value.push(selector);
            return len;
        }
    };
    value.push(simple);
    2
}

fn unicode(
    rest: &str,
    digits: usize,
    escape: &str,
    count: &str,
    value: &mut String,
    mut bad: impl FnMut(usize, String),
) -> usize {
    let found = rest[2..]
        .bytes()
        .take(digits)
        .take_while(u8::is_ascii_hexdigit)
        .count();
    let len = 2 + found;
    let code = u32::from_str_radix(&rest[2..len], 16).unwrap_or(0);
    if found < digits {
        bad(
            len,
            format!("The {escape} escape sequence must be followed by {count} hexadecimal digits."),
        );
        value.push_str(&rest[..len]);
    } else if let Some(c) = char::from_u32(code) {
        value.push(c);
    } else {
        bad(
            len,
            format!("Cannot encode character U+{code:04x} in UTF-8."),
        );
        value.push_str(&rest[..len]);
    }
    len
}

/// Strings are in Unicode's composed normal form.
pub(crate) fn normalize(text: &str) -> SmolStr {
    if text.is_ascii() || is_nfc(text) {
        SmolStr::new(text)
    } else {
        text.nfc().collect()
    }
}

/// How many graphemes of white space `line` starts with. `None` for a blank line, which does not count.
pub(crate) fn indentation(line: &str) -> Option<usize> {
    let trimmed = line.trim_start();
    if trimmed.is_empty() && line.ends_with('\n') {
        return None;
    }
    let space = &line[..line.len() - trimmed.len()];
    Some(match space.is_ascii() {
        // On one line each character is a grapheme then.
        true => space.len(),
        false => space.graphemes(true).count(),
    })
}

/// The line without so many graphemes at its start.
pub(crate) fn dedented(line: &str, count: usize) -> &str {
    let len: usize = line.graphemes(true).take(count).map(str::len).sum();
    &line[len..]
}

/// Whether the text of a number token is a number that a 512-bit float can hold.
pub(crate) fn is_number(text: &str) -> bool {
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], Some(&text[at + 1..])),
        None => (text, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let is_digits = |text: &str| text.bytes().all(|b| b.is_ascii_digit());
    if !is_digits(whole) || !is_digits(fraction) {
        return false;
    }
    let Some(exponent) = exponent else {
        return true;
    };
    if !is_digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent)) {
        return false;
    }
    // The reference's floats have 32 bits of exponent, and take 10 for 2 to decide.
    let is_zero = mantissa.bytes().all(|b| matches!(b, b'0' | b'.'));
    let digits = i64::try_from(fraction.len()).unwrap_or(i64::MAX);
    match exponent.parse::<i64>() {
        Ok(exponent) if is_zero => exponent.checked_sub(digits).is_some(),
        Ok(exponent) => exponent.saturating_sub(digits).abs() <= MAX_EXPONENT,
        Err(_) => false,
    }
}

const MAX_EXPONENT: i64 = i32::MAX as i64 / 3;
