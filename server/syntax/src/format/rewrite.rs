//! Older notations become newer ones: the canonicalisations, apart from white space, that formatting makes.
//!
//! - The value of an argument that is exactly one `"${...}"` is written without quotes.
//! - The type of a variable is written as a type: `"string"` is `string`, `"list"` is `list(string)`, `list` is
//!   `list(any)`.
//! - Labels are written with quotes, and there are no comments between them.

use std::fmt::Write;
use std::ops::Range;

use text::{TextRange, TextSize};
use unicode_normalization::UnicodeNormalization;

use super::token::Token;
use crate::SyntaxKind::{self, *};
use crate::ast::{Attribute, Block, Body, Item, Label};
use crate::{Segment, parse};

/// New tokens in the place of old ones.
type TokenEdit<'a> = (Range<usize>, Vec<Token<'a>>);

struct Rewrite<'t, 'a> {
    tokens: &'t [Token<'a>],
    /// Where the ranges of the current segment's tree count from.
    offset: TextSize,
    changes: Vec<TokenEdit<'a>>,
}

pub(super) fn rewrite<'a>(tokens: Vec<Token<'a>>, segments: &[Segment]) -> Vec<Token<'a>> {
    let mut rewrite = Rewrite {
        tokens: &tokens,
        offset: TextSize::new(0),
        changes: Vec::new(),
    };
    for segment in segments {
        rewrite.offset = segment.offset;
        for item in &segment.parsed.items {
            match item {
                Item::Attribute(attribute) => rewrite.value(attribute),
                // Configuration in JSON syntax is not formatted.
                Item::Member(_) => {}
                Item::Block(block) => {
                    rewrite.block(block);
                    if block.kind.name == "variable"
                        && let Some(attribute) = block.body.attribute("type")
                    {
                        rewrite.variable_type(attribute);
                    }
                }
            }
        }
    }
    let mut changes = rewrite.changes;
    if changes.is_empty() {
        return tokens;
    }
    changes.sort_by_key(|(range, _)| range.start);
    let mut result = Vec::with_capacity(tokens.len());
    let mut done = 0;
    for (range, new) in changes {
        result.extend_from_slice(&tokens[done..range.start]);
        result.extend(new);
        done = range.end;
    }
    result.extend_from_slice(&tokens[done..]);
    result
}

impl<'a> Rewrite<'_, 'a> {
    /// The tokens within a range of the current segment.
    fn within(&self, range: TextRange) -> Range<usize> {
        let range = range + self.offset;
        let starts_before = |end: TextSize| {
            move |token: &Token<'_>| token.range.is_some_and(|range| range.start() < end)
        };
        let start = self.tokens.partition_point(starts_before(range.start()));
        let end = self.tokens.partition_point(starts_before(range.end()));
        start..end
    }

    fn body(&mut self, body: &Body, is_variable: bool) {
        for attribute in &body.attributes {
            if !(is_variable && attribute.name.name == "type") {
                self.value(attribute);
            }
        }
        for block in &body.blocks {
            self.labels(block);
            self.body(&block.body, false);
        }
    }

    /// A block of the file.
    fn block(&mut self, block: &Block) {
        self.labels(block);
        self.body(&block.body, block.kind.name == "variable");
    }

    fn value(&mut self, attribute: &Attribute) {
        let range = self.within(attribute.expr.range);
        if let Some(new) = unwrapped(&self.tokens[range.clone()]) {
            self.changes.push((range, new));
        }
    }

    fn variable_type(&mut self, attribute: &Attribute) {
        let range = self.within(attribute.expr.range);
        let call = |name: &'a str, argument: &'static str| {
            vec![
                Token::new(Ident, name),
                Token::new(OpenParen, "("),
                Token::new(Ident, argument),
                Token::new(CloseParen, ")"),
            ]
        };
        let text = |token: &Token<'a>| token.text.clone();
        let new = match &self.tokens[range.clone()] {
            [name] if name.kind == Ident => match &*text(name) {
                "list" => call("list", "any"),
                "map" => call("map", "any"),
                "set" => call("set", "any"),
                _ => return,
            },
            [open, name, _] if open.kind == OpenQuote && name.kind == QuotedLiteral => {
                match &*text(name) {
                    "string" => vec![Token::new(Ident, "string")],
                    "list" => call("list", "string"),
                    "map" => call("map", "string"),
                    _ => return,
                }
            }
            _ => return,
        };
        self.changes.push((range, new));
    }

    fn labels(&mut self, block: &Block) {
        let Some(last) = block.labels.last() else {
            return;
        };
        let all = TextRange::new(block.kind.range.end(), last.range.end());
        let range = self.within(all);
        let mut new = Vec::with_capacity(range.len());
        for label in &block.labels {
            let written = &self.tokens[self.within(label.range)];
            match quoted(label, written) {
                Some(text) => new.extend([
                    Token::new(OpenQuote, "\""),
                    Token::new(QuotedLiteral, text),
                    Token::new(CloseQuote, "\""),
                ]),
                None => new.extend_from_slice(written),
            }
        }
        let is_same = new.len() == range.len() && new.iter().all(|token| token.range.is_some());
        if !is_same {
            self.changes.push((range, new));
        }
    }
}

/// The text between the quotes of a label, unless it is written like that already.
fn quoted(label: &Label, written: &[Token<'_>]) -> Option<String> {
    let is_quoted = match written {
        [_] => false,
        [_, literal, _] => {
            let text = escaped(&label.text);
            return (literal.text != text).then_some(text);
        }
        _ => true,
    };
    (!is_quoted).then(|| escaped(&label.text))
}

fn escaped(text: &str) -> String {
    let text: String = text.nfc().collect();
    let mut result = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' => result.push_str("\\n"),
            '\r' => result.push_str("\\r"),
            '\t' => result.push_str("\\t"),
            '"' | '\\' => result.extend(['\\', c]),
            '$' | '%' if chars.peek() == Some(&'{') => result.extend([c, c]),
            _ if is_printable(c) => result.push(c),
            '\0'..='\u{ffff}' => {
                let _ = write!(result, "\\u{:04x}", c as u32);
            }
            _ => {
                let _ = write!(result, "\\U{:08x}", c as u32);
            }
        }
    }
    result
}

/// Whether a character is a letter, mark, number, punctuation, symbol, or the plain space.
fn is_printable(c: char) -> bool {
    // Behind another character only those that cannot be printed are escaped.
    let text = String::from_iter(['a', c]);
    matches!(c, '\'' | '"') || text.escape_debug().eq(text.chars())
}

/// The expression inside of the quotes and the interpolation, if there is nothing else within the quotes.
fn unwrapped<'a>(value: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
    let inside = match value {
        [open, interpolation, inside @ .., end, close]
            if open.kind == OpenQuote
                && interpolation.kind == TemplateInterpolation
                && end.kind == TemplateEnd
                && close.kind == CloseQuote
                && !inside.is_empty() =>
        {
            inside
        }
        _ => return None,
    };
    let mut quotes = 0;
    for token in inside {
        match token.kind {
            OpenQuote => quotes += 1,
            CloseQuote => quotes -= 1,
            TemplateInterpolation | TemplateEnd | QuotedLiteral if quotes <= 0 => return None,
            _ => {}
        }
    }
    let inside = without_newlines(inside);
    let is_multi_line = inside.iter().any(|token| token.kind == Newline);
    let has_comment = inside.iter().any(|token| token.kind == LineComment);
    let has_parens =
        kind(inside.first()) == Some(OpenParen) && kind(inside.last()) == Some(CloseParen);
    let plain = || inside.to_vec();
    if !is_multi_line && !has_comment {
        return Some(plain());
    }
    let in_parens = || {
        let mut tokens = vec![Token::new(OpenParen, "(")];
        tokens.extend_from_slice(inside);
        tokens.push(Token::new(CloseParen, ")"));
        tokens
    };
    if is_multi_line && !has_parens {
        return Some(in_parens()).filter(|new| is_value(new));
    }
    [plain(), in_parens()].into_iter().find(|new| is_value(new))
}

fn kind(token: Option<&Token<'_>>) -> Option<SyntaxKind> {
    token.map(|token| token.kind)
}

fn without_newlines<'t, 'a>(tokens: &'t [Token<'a>]) -> &'t [Token<'a>] {
    let is_other = |token: &Token<'_>| token.kind != Newline;
    let start = tokens.iter().position(is_other).unwrap_or(tokens.len());
    let end = tokens
        .iter()
        .rposition(is_other)
        .map_or(start, |last| last + 1);
    &tokens[start..end]
}

/// Whether the tokens are an argument's value.
fn is_value(tokens: &[Token<'_>]) -> bool {
    let mut text = String::from("value =");
    for token in tokens {
        let needs_no_space = matches!(
            token.kind,
            QuotedLiteral | TemplateLiteral | CloseHeredoc | CloseQuote
        );
        if !needs_no_space {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text.push('\n');
    let file = parse(&text);
    let is_valid = file.errors().next().is_none();
    is_valid && file.body().items().count() == 1
}
