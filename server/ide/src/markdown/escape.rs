//! Text as Markdown that reads as that text.

use text::{one_line, visible};

/// Lines of text: a paragraph, or several where a line is empty.
pub(super) fn text(text: &str) -> String {
    let text = visible(text);
    let lines = text.trim().lines().map(|line| {
        let mut escaped = String::new();
        inline(line.trim(), true, &mut escaped);
        escaped
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// Text on one line, in the midst of other text.
pub(super) fn line(text: &str) -> String {
    let mut escaped = String::new();
    inline(one_line(text.trim()).trim(), false, &mut escaped);
    escaped
}

/// Adds visible text without line ends. Where it starts a line, it does not start a list, a heading or the like there.
///
/// The text before and after it may be Markdown. No backtick is left in it, so that code beside it stays code.
pub(super) fn inline(text: &str, starts_line: bool, escaped: &mut String) {
    let number = text.bytes().take_while(u8::is_ascii_digit).count();
    let mut before = None;
    for (at, c) in text.char_indices() {
        let rest = &text[at + c.len_utf8()..];
        let after = rest.chars().next();
        let is_in_word = |c: char| c.is_alphanumeric() || c == '_';
        let needs_escape = match c {
            '`' => {
                escaped.push_str("&#96;");
                before = Some(c);
                continue;
            }
            '<' => {
                escaped.push_str("&lt;");
                before = Some(c);
                continue;
            }
            '&' if after.is_none_or(|it| it.is_ascii_alphanumeric() || it == '#') => {
                escaped.push_str("&amp;");
                before = Some(c);
                continue;
            }
            '\\' | '*' | '[' | ']' | '|' | '$' => true,
            '~' => after != Some('>'),
            '_' => !(before.is_some_and(is_in_word) && after.is_some_and(is_in_word)),
            // Before a link it would make it an image.
            '!' => after.is_none(),
            // Addresses that some editors make links of, also where the text between is lost.
            ':' => (starts_line && at == 0) || rest.starts_with("//"),
            '/' => at == 0 && escaped.ends_with(':'),
            '@' => after != Some(' '),
            '.' | ')' if starts_line && at == number && number > 0 => true,
            '.' => {
                let end = escaped.len().saturating_sub(3);
                let www = escaped.get(end..);
                www.is_some_and(|it| it.eq_ignore_ascii_case("www"))
            }
            '#' | '>' | '-' | '+' | '=' => starts_line && at == 0,
            _ => false,
        };
        if needs_escape {
            escaped.push('\\');
        }
        escaped.push(c);
        before = Some(c);
    }
}

/// Code on one line.
pub(super) fn code(code: &str) -> String {
    let code = one_line(code.trim());
    if code.is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&code) + 1);
    let gap = match code.starts_with('`') || code.ends_with('`') {
        true => " ",
        false => "",
    };
    format!("{fence}{gap}{code}{gap}{fence}")
}

pub(super) fn code_block(language: &str, code: &str) -> String {
    let code = visible(code);
    let fence = fence(&code);
    format!("{fence}{language}\n{code}\n{fence}")
}

/// A fence that nothing in `code` ends.
pub(super) fn fence(code: &str) -> String {
    "`".repeat(longest_run(code).max(2) + 1)
}

/// The length of the longest run of backticks.
fn longest_run(code: &str) -> usize {
    code.split(|c| c != '`').map(str::len).max().unwrap_or(0)
}

/// An `https` address as the destination of a link. `None` for all others, and for those that name a user, as they
/// read like another host.
pub(super) fn page(address: &str) -> Option<String> {
    const SCHEME: &str = "https://";
    let (scheme, rest) = address.trim().split_at_checked(SCHEME.len())?;
    let host = rest.split(['/', '?', '#', '\\']).next()?;
    if !scheme.eq_ignore_ascii_case(SCHEME) || host.is_empty() || host.contains('@') {
        return None;
    }
    let mut page = SCHEME.to_owned();
    for byte in rest.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => page.push(byte.into()),
            b'-' | b'.' | b'_' | b'~' | b'/' | b'?' | b'#' | b'%' | b'=' | b'&' | b'+' => {
                page.push(byte.into())
            }
            b'!' | b'\'' | b',' | b';' | b':' | b'@' => page.push(byte.into()),
            _ => page.push_str(&format!("%{byte:02X}")),
        }
    }
    Some(page)
}
