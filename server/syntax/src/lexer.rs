//! Tokens, by a stack of modes: configuration, quoted string, heredoc, interpolation inside of them.
//!
//! Follows hclsyntax's scanner token for token, since `~` trims and `<<-` dedents by tokens. The tokens of one
//! text tile it: spaces and comments are tokens, only a scanner failure may leave one long `Invalid` token.

use text::{TextRange, TextSize};

use crate::SyntaxKind;
use crate::effort::Effort;
use crate::recovery;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Token {
    pub kind: SyntaxKind,
    pub range: TextRange,
}

#[derive(Clone)]
pub(crate) struct Lexer<'a> {
    text: &'a str,
    pos: usize,
    modes: Vec<LexerMode<'a>>,
    /// Open braces; may be negative where the text closes more than it opens.
    braces: i32,
    recovery: Option<Recovery>,
    /// A heredoc began whose marker another heredoc inside of it uses too: it may be meant to end before.
    is_doubtful: bool,
    /// When it is spent, the text looks as if it ended here.
    effort: &'a Effort,
}

#[derive(Clone, Copy)]
enum LexerMode<'a> {
    Quoted {
        /// The string has no end: it is taken to end with its line. In recovery only.
        ends_with_line: bool,
    },
    Heredoc {
        marker: &'a str,
        at_line_start: bool,
    },
    /// The whole text is a template.
    Bare,
    /// Inside `${` or `%{`, which the closing brace at this level ends.
    Interpolation { braces: i32 },
}

/// Makes lexing of a text with a syntax error robust: the next block header at column 0 ends it.
#[derive(Clone, Default)]
struct Recovery {
    /// Something other than trivia was seen on an earlier line.
    may_end: bool,
    seen: bool,
    /// The first item is an attribute, so that other attributes at column 0 end it.
    is_attribute: bool,
}

impl<'a> Lexer<'a> {
    pub fn new(text: &'a str, effort: &'a Effort) -> Lexer<'a> {
        Lexer {
            text,
            pos: 0,
            modes: Vec::new(),
            braces: 0,
            recovery: None,
            is_doubtful: false,
            effort,
        }
    }

    pub fn template(text: &'a str, effort: &'a Effort) -> Lexer<'a> {
        Lexer {
            modes: vec![LexerMode::Bare],
            ..Lexer::new(text, effort)
        }
    }

    pub fn recovering(text: &'a str, effort: &'a Effort) -> Lexer<'a> {
        Lexer {
            recovery: Some(Recovery::default()),
            ..Lexer::new(text, effort)
        }
    }

    /// Makes a byte order mark at the start trivia.
    pub fn at_file_start(&mut self) -> Option<Token> {
        self.text
            .starts_with('\u{feff}')
            .then(|| self.token(SyntaxKind::ByteOrderMark, 3))
    }

    pub fn is_doubtful(&self) -> bool {
        self.is_doubtful
    }

    /// `EndOfFile`, again and again, at the end.
    pub fn next(&mut self) -> Token {
        if self.pos >= self.text.len() || self.effort.is_spent() || self.ends_here() {
            return self.at_end();
        }
        match self.modes.last().copied() {
            None | Some(LexerMode::Interpolation { .. }) => self.configuration(),
            Some(LexerMode::Quoted { .. }) => self.quoted(),
            Some(LexerMode::Heredoc { .. } | LexerMode::Bare) => self.unquoted(),
        }
    }

    fn token(&mut self, kind: SyntaxKind, len: usize) -> Token {
        let start = self.pos;
        self.pos += len;
        self.effort.spend(len);
        if let Some(recovery) = &mut self.recovery {
            match kind {
                SyntaxKind::Newline => recovery.may_end |= recovery.seen,
                SyntaxKind::Space | SyntaxKind::LineComment | SyntaxKind::BlockComment => {}
                _ => recovery.seen = true,
            }
        }
        Token {
            kind,
            range: TextRange::new(size(start), size(self.pos)),
        }
    }

    /// At the end, the open brackets of a recovered text are closed by tokens without text.
    fn at_end(&mut self) -> Token {
        if self.recovery.is_some()
            && let Some(token) = self.close_line()
        {
            return token;
        }
        self.token(SyntaxKind::EndOfFile, 0)
    }

    fn ends_here(&mut self) -> bool {
        let Some(recovery) = &mut self.recovery else {
            return false;
        };
        if !self.modes.is_empty() || !(self.pos == 0 || self.text.as_bytes()[self.pos - 1] == b'\n')
        {
            return false;
        }
        let line = &self.text[self.pos..];
        if !recovery.seen {
            recovery.is_attribute = recovery::is_attribute_line(line);
        }
        recovery.may_end
            && (recovery::is_header_line(line)
                || recovery.is_attribute && recovery::is_attribute_line(line))
    }

    /// Closes the innermost thing that does not survive the end of the line.
    fn close_line(&mut self) -> Option<Token> {
        let is_open = |mode: &LexerMode<'_>| {
            matches!(
                mode,
                LexerMode::Quoted {
                    ends_with_line: true
                }
            )
        };
        match self.modes.last()? {
            LexerMode::Quoted {
                ends_with_line: true,
            } => {
                self.modes.pop();
                Some(self.token(SyntaxKind::CloseQuote, 0))
            }
            LexerMode::Interpolation { braces } if self.modes.iter().any(is_open) => {
                self.braces = braces - 1;
                self.modes.pop();
                Some(self.token(SyntaxKind::TemplateEnd, 0))
            }
            LexerMode::Interpolation { braces } => {
                let braces = *braces;
                let [.., LexerMode::Heredoc { marker, .. }, _] = self.modes.as_slice() else {
                    return None;
                };
                let next_line = self.text[self.pos..].lines().nth(1)?;
                if next_line.trim() != *marker {
                    return None;
                }
                self.braces = braces - 1;
                self.modes.pop();
                Some(self.token(SyntaxKind::TemplateEnd, 0))
            }
            LexerMode::Quoted { .. } | LexerMode::Heredoc { .. } | LexerMode::Bare => None,
        }
    }

    fn configuration(&mut self) -> Token {
        use SyntaxKind::*;

        let rest = &self.text[self.pos..];
        let bytes = rest.as_bytes();
        let second = bytes.get(1).copied().unwrap_or(0);
        let (kind, len) = match bytes[0] {
            b' ' | b'\t' => (Space, count(bytes, |b| matches!(b, b' ' | b'\t'))),
            b'\n' | b'\r' if bytes[0] == b'\n' || second == b'\n' => {
                if self.recovery.is_some()
                    && let Some(token) = self.close_line()
                {
                    return token;
                }
                (Newline, if bytes[0] == b'\n' { 1 } else { 2 })
            }
            b'#' => (LineComment, comment_len(bytes)),
            b'/' if second == b'/' => (LineComment, comment_len(bytes)),
            b'/' if second == b'*' => match rest[2..].find("*/") {
                Some(len) => (BlockComment, len + 4),
                None => {
                    self.effort.spend(rest.len());
                    (Slash, 1)
                }
            },
            b'0'..=b'9' => (Number, number_len(bytes)),
            b'{' => {
                self.braces += 1;
                (OpenBrace, 1)
            }
            b'}' => return self.close_brace(1),
            b'~' if second == b'}' => return self.close_brace(2),
            b'"' => {
                let ends_with_line = self.recovery.is_some() && !self.string_ends();
                self.modes.push(LexerMode::Quoted { ends_with_line });
                (OpenQuote, 1)
            }
            b'<' if second == b'<' => match self.heredoc_start() {
                Some((marker, len)) => {
                    let ends = recovery::heredoc_ends(&rest[len..], marker, self.effort);
                    self.is_doubtful |= !ends;
                    if self.recovery.is_some() && !ends {
                        (Invalid, rest[..len].trim_end().len())
                    } else {
                        self.modes.push(LexerMode::Heredoc {
                            marker,
                            at_line_start: true,
                        });
                        (OpenHeredoc, len)
                    }
                }
                None => (Less, 1),
            },
            b'.' if bytes.starts_with(b"...") => (Ellipsis, 3),
            b':' if second == b':' => (DoubleColon, 2),
            b'=' if second == b'=' => (EqualEqual, 2),
            b'=' if second == b'>' => (FatArrow, 2),
            b'!' if second == b'=' => (NotEqual, 2),
            b'<' if second == b'=' => (LessOrEqual, 2),
            b'>' if second == b'=' => (GreaterOrEqual, 2),
            b'&' if second == b'&' => (And, 2),
            b'|' if second == b'|' => (Or, 2),
            b'[' => (OpenBracket, 1),
            b']' => (CloseBracket, 1),
            b'(' => (OpenParen, 1),
            b')' => (CloseParen, 1),
            b',' => (Comma, 1),
            b'.' => (Dot, 1),
            b':' => (Colon, 1),
            b'=' => (Equal, 1),
            b'?' => (Question, 1),
            b'+' => (Plus, 1),
            b'-' => (Minus, 1),
            b'*' => (Star, 1),
            b'/' => (Slash, 1),
            b'%' => (Percent, 1),
            b'!' => (Bang, 1),
            b'<' => (Less, 1),
            b'>' => (Greater, 1),
            _ => match identifier_len(rest) {
                Some(len) => (Ident, len),
                None => (Invalid, rest.chars().next().map_or(1, char::len_utf8)),
            },
        };
        self.token(kind, len)
    }

    fn close_brace(&mut self, len: usize) -> Token {
        let level = self.braces;
        self.braces -= 1;
        match self.modes.last() {
            Some(LexerMode::Interpolation { braces }) if *braces == level => {
                self.modes.pop();
                self.token(SyntaxKind::TemplateEnd, len)
            }
            // `~}` can end a template sequence only; the parser reports the missing one.
            _ if len == 2 => self.token(SyntaxKind::TemplateEnd, len),
            _ => self.token(SyntaxKind::CloseBrace, len),
        }
    }

    /// The marker and length of `<<EOT` or `<<-EOT` together with the newline that must follow.
    fn heredoc_start(&self) -> Option<(&'a str, usize)> {
        let rest = &self.text[self.pos + 2..];
        let after_dash = rest.strip_prefix('-').unwrap_or(rest);
        let marker = &after_dash[..identifier_len(after_dash)?];
        let after = &after_dash[marker.len()..];
        let newline = ["\n", "\r\n"]
            .into_iter()
            .find(|newline| after.starts_with(newline))?;
        Some((marker, 2 + rest.len() - after.len() + newline.len()))
    }

    /// Whether the string that starts here ends properly: before the end of its line, but for interpolations.
    fn string_ends(&self) -> bool {
        /// Deeper than that nobody writes; each level is read once more by the one around it.
        const MAX_MODES: usize = 32;
        match self.modes.iter().find_map(|mode| match mode {
            LexerMode::Quoted { ends_with_line } => Some(*ends_with_line),
            _ => None,
        }) {
            // The string around this one ends, so this one does.
            Some(false) => return true,
            Some(true) if self.modes.len() > MAX_MODES => return false,
            Some(true) | None => {}
        }
        let mut lexer = Lexer {
            text: self.text,
            pos: self.pos,
            ..Lexer::new("", self.effort)
        };
        loop {
            match lexer.next().kind {
                SyntaxKind::CloseQuote if lexer.modes.is_empty() => return true,
                SyntaxKind::QuotedNewline | SyntaxKind::EndOfFile => return false,
                _ => {}
            }
        }
    }

    /// `${`, `%{` and their `~`, if one starts here.
    fn template_sequence(&mut self) -> Option<Token> {
        let bytes = &self.text.as_bytes()[self.pos..];
        let kind = match bytes {
            [b'$', b'{', ..] => SyntaxKind::TemplateInterpolation,
            [b'%', b'{', ..] => SyntaxKind::TemplateControl,
            _ => return None,
        };
        let len = if bytes.get(2) == Some(&b'~') { 3 } else { 2 };
        if let Some(LexerMode::Heredoc { at_line_start, .. }) = self.modes.last_mut() {
            *at_line_start = false;
        }
        self.braces += 1;
        self.modes.push(LexerMode::Interpolation {
            braces: self.braces,
        });
        Some(self.token(kind, len))
    }

    fn quoted(&mut self) -> Token {
        if let Some(token) = self.template_sequence() {
            return token;
        }
        let bytes = &self.text.as_bytes()[self.pos..];
        match bytes {
            [b'"', ..] => {
                self.modes.pop();
                self.token(SyntaxKind::CloseQuote, 1)
            }
            [b'\n' | b'\r', ..] => match self.close_line() {
                Some(token) => token,
                None => {
                    let len = count(bytes, |b| matches!(b, b'\n' | b'\r'));
                    self.token(SyntaxKind::QuotedNewline, len)
                }
            },
            [b'$' | b'%'] => self.token(SyntaxKind::Invalid, 1),
            [b'$' | b'%', ..] => {
                let len = escaped_sequence_len(bytes).unwrap_or(1);
                self.token(SyntaxKind::QuotedLiteral, len)
            }
            _ => {
                let len = quoted_literal_len(bytes);
                if len == 0 {
                    self.token(SyntaxKind::Invalid, 1)
                } else {
                    self.token(SyntaxKind::QuotedLiteral, len)
                }
            }
        }
    }

    /// A piece of a heredoc or of a bare template: at most one line.
    fn unquoted(&mut self) -> Token {
        if let Some(token) = self.template_sequence() {
            return token;
        }
        let bytes = &self.text.as_bytes()[self.pos..];
        if matches!(bytes[0], b'$' | b'%') && escaped_sequence_len(bytes).is_none() {
            return self.lone_sigil(bytes);
        }
        let body = escaped_sequence_len(bytes)
            .unwrap_or_else(|| count(bytes, |b| !matches!(b, b'$' | b'%' | b'\r' | b'\n')));
        match &bytes[body..] {
            [b'\n', ..] => self.literal_line(body, 1),
            [b'\r', b'\n', ..] => self.literal_line(body, 2),
            _ if body > 0 => self.literal(body),
            // A carriage return alone ends the reference scanner: a heredoc is broken from here on, a bare
            // template is literal from here on.
            _ if self.recovery.is_some() => self.literal(1),
            _ => {
                let kind = match self.modes.as_slice() {
                    [LexerMode::Bare] => SyntaxKind::TemplateLiteral,
                    _ => SyntaxKind::Invalid,
                };
                self.token(kind, bytes.len())
            }
        }
    }

    /// A `$` or `%` that starts nothing. The reference scanner takes the next byte with it when a line break
    /// follows that byte.
    fn lone_sigil(&mut self, bytes: &[u8]) -> Token {
        match bytes {
            [_] => {
                let kind = match self.modes.as_slice() {
                    [LexerMode::Bare] => SyntaxKind::TemplateLiteral,
                    _ => SyntaxKind::Invalid,
                };
                self.token(kind, 1)
            }
            [_, _, b'\n' | b'\r', ..] if bytes[1].is_ascii() => self.literal(2),
            _ => self.literal(1),
        }
    }

    fn literal(&mut self, len: usize) -> Token {
        if let Some(LexerMode::Heredoc { at_line_start, .. }) = self.modes.last_mut() {
            *at_line_start = false;
        }
        self.token(SyntaxKind::TemplateLiteral, len)
    }

    /// A literal up to and with the end of its line, or the closing marker without the end of its line.
    fn literal_line(&mut self, len: usize, newline: usize) -> Token {
        let line = &self.text[self.pos..self.pos + len];
        match self.modes.last_mut() {
            Some(LexerMode::Heredoc {
                marker,
                at_line_start: true,
            }) if line.trim() == *marker => {
                self.modes.pop();
                self.token(SyntaxKind::CloseHeredoc, len)
            }
            Some(LexerMode::Heredoc { at_line_start, .. }) => {
                *at_line_start = true;
                self.token(SyntaxKind::TemplateLiteral, len + newline)
            }
            _ => self.token(SyntaxKind::TemplateLiteral, len + newline),
        }
    }
}

/// The length of the identifier that `text` starts with.
pub(crate) fn identifier_len(text: &str) -> Option<usize> {
    let is_ascii_part = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
    let bytes = text.as_bytes();
    if bytes
        .first()
        .is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
    {
        let len = count(bytes, is_ascii_part);
        if bytes.get(len).is_none_or(u8::is_ascii) {
            return Some(len);
        }
    }
    let mut chars = text.char_indices();
    let (_, first) = chars.next()?;
    if !(first == '_' || unicode_ident::is_xid_start(first)) {
        return None;
    }
    let end = chars.find(|(_, c)| !is_identifier_part(*c));
    Some(end.map_or(text.len(), |(end, _)| end))
}

/// The reference knows the characters of Unicode 9 only; of those that were there then, four are parts of names
/// since.
fn is_identifier_part(c: char) -> bool {
    let is_part_since = matches!(c, '\u{200c}' | '\u{200d}' | '\u{30fb}' | '\u{ff65}');
    c == '-' || unicode_ident::is_xid_continue(c) && !is_part_since
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}

fn count(bytes: &[u8], is_part: impl Fn(u8) -> bool) -> usize {
    bytes
        .iter()
        .position(|b| !is_part(*b))
        .unwrap_or(bytes.len())
}

/// Up to the newline, whose carriage return is not part of the comment.
fn comment_len(bytes: &[u8]) -> usize {
    let end = count(bytes, |b| b != b'\n');
    if end < bytes.len() && bytes[end - 1] == b'\r' {
        end - 1
    } else {
        end
    }
}

/// Digits, points and exponents in any order, but for points at the end: an invalid number is reported later.
fn number_len(bytes: &[u8]) -> usize {
    let mut pos = 0;
    let mut end = 0;
    loop {
        match bytes[pos..] {
            [b'0'..=b'9', ..] => pos += 1,
            [b'e' | b'E', b'0'..=b'9', ..] => pos += 2,
            [b'e' | b'E', b'+' | b'-', b'0'..=b'9', ..] => pos += 3,
            [b'.', ..] => {
                pos += 1;
                continue;
            }
            _ => return end,
        }
        end = pos;
    }
}

/// `$${` and `%%{` with their `~`.
fn escaped_sequence_len(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [b'$', b'$', b'{', b'~', ..] | [b'%', b'%', b'{', b'~', ..] => Some(4),
        [b'$', b'$', b'{', ..] | [b'%', b'%', b'{', ..] => Some(3),
        _ => None,
    }
}

fn quoted_literal_len(bytes: &[u8]) -> usize {
    let mut pos = 0;
    loop {
        match bytes[pos..] {
            [] | [b'$' | b'%' | b'"' | b'\n' | b'\r', ..] => return pos,
            [b'\\'] | [b'\\', b'\n' | b'\r', ..] => return pos,
            // The second byte may start a longer character, whose other bytes are plain ones.
            [b'\\', _, ..] => pos += 2,
            _ => pos += 1,
        }
    }
}

/// The error of a token that no rule takes.
pub(crate) fn error_of(kind: SyntaxKind, text: &str) -> Option<(&'static str, &'static str)> {
    let character = "Invalid character";
    match kind {
        SyntaxKind::QuotedNewline => Some(MULTI_LINE_STRING),
        SyntaxKind::Invalid => Some(match text {
            "&" => (
                "Unsupported operator",
                "Bitwise operators are not supported. Did you mean boolean AND (\"&&\")?",
            ),
            "|" => (
                "Unsupported operator",
                "Bitwise operators are not supported. Did you mean boolean OR (\"||\")?",
            ),
            "~" => (
                "Unsupported operator",
                "Bitwise operators are not supported. Did you mean boolean NOT (\"!\")?",
            ),
            "^" => (
                "Unsupported operator",
                "Bitwise operators are not supported.",
            ),
            "`" => (
                character,
                "The \"`\" character is not valid. To create a multi-line string, use the \"heredoc\" \
                 syntax, like \"<<EOT\".",
            ),
            "'" => (
                character,
                "Single quotes are not valid. Use double quotes (\") to enclose strings.",
            ),
            ";" => (
                character,
                "The \";\" character is not valid. Use newlines to separate arguments and blocks, and \
                 commas to separate items in collection values.",
            ),
            "\u{201c}" | "\u{201d}" => (
                character,
                "\"Curly quotes\" are not valid here. These can sometimes be inadvertently introduced \
                 when sharing code via documents or discussion forums. It might help to replace the \
                 character with a \"straight quote\".",
            ),
            _ if text.starts_with("<<") => (
                "Unterminated template string",
                "No closing marker was found for the string.",
            ),
            _ => (character, "This character is not used within the language."),
        }),
        _ => None,
    }
}

pub(crate) const MULTI_LINE_STRING: (&str, &str) = (
    "Invalid multi-line string",
    "Quoted strings may not be split over multiple lines. To produce a multi-line string, either use the \
     \\n escape to represent a newline character or use the \"heredoc\" multi-line template syntax.",
);

pub(crate) const UNTERMINATED: (&str, &str) = (
    "Unterminated template string",
    "No closing marker was found for the string.",
);
