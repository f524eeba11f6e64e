//! The strings of JSON: their escapes, and the templates and expressions that they hold.

use smol_str::SmolStr;
use text::{Problem, TextRange, TextSize};

use super::Text;
use super::ranges::each_range;
use super::token::size;
use crate::Parsed;
use crate::ast::{
    Expr, ExprKind, Ident, JsonString, Template, TemplateKind, TemplatePart, Traversal,
};
use crate::parser;
use crate::string::normalize;

impl Text {
    /// The string that `token` writes. Of a wrong one as much as can be read, and how many of its bytes are read when
    /// the mistake shows.
    pub(super) fn read(token: &str) -> (Text, Option<usize>) {
        let (body, mut wrong) = match token[1..].strip_suffix('"') {
            Some(body) if !ends_escaped(body) => (body, None),
            _ => (&token[1..], Some(token.len())),
        };
        let mut value = String::with_capacity(body.len());
        let mut escapes = Vec::new();
        let mut at = 0;
        while let Some(backslash) = body[at..].find('\\') {
            value.push_str(&body[at..at + backslash]);
            at += backslash;
            let (c, len) = match escape(&body[at..]) {
                Ok(escape) => escape,
                Err(len) => {
                    wrong = Some(wrong.map_or(1 + at + len, |wrong| wrong.min(1 + at + len)));
                    ('\\', 1)
                }
            };
            value.push(c);
            at += len;
            escapes.push((size(value.len()), size(1 + at)));
        }
        value.push_str(&body[at..]);
        let text = Text {
            value: value.into(),
            escapes: escapes.into(),
        };
        (text, wrong)
    }

    /// The place in the text for `offset` in the value, from the start of the string.
    fn place(&self, offset: TextSize) -> TextSize {
        let before = self.escapes.partition_point(|(value, _)| *value <= offset);
        match before.checked_sub(1).map(|last| self.escapes[last]) {
            Some((value, text)) => text + (offset - value),
            None => TextSize::of('"') + offset,
        }
    }
}

/// Whether a backslash takes the quote that follows.
fn ends_escaped(body: &str) -> bool {
    let backslashes = body.bytes().rev().take_while(|byte| *byte == b'\\').count();
    backslashes % 2 == 1
}

/// The character of the escape at the start of `text` and its length; else how much of it shows that it is invalid.
fn escape(text: &str) -> Result<(char, usize), usize> {
    let c = match text.as_bytes().get(1) {
        Some(c @ (b'"' | b'\\' | b'/')) => char::from(*c),
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode(text),
        _ => return Err(2),
    };
    Ok((c, 2))
}

fn unicode(text: &str) -> Result<(char, usize), usize> {
    let code = |text: &str| -> Result<u32, usize> {
        let digits = text.bytes().skip(2).take(4);
        match digits.take_while(u8::is_ascii_hexdigit).count() {
            4 => u32::from_str_radix(&text[2..6], 16).map_err(|_| 6),
            count => Err(3 + count),
        }
    };
    let first = code(text)?;
    if let Some(c) = char::from_u32(first) {
        return Ok((c, 6));
    }
    // Half of a pair; alone it stands for nothing.
    let rest = &text[6..];
    if first < 0xdc00
        && rest.starts_with("\\u")
        && let Ok(second @ 0xdc00..0xe000) = code(rest)
        && let Some(c) = char::from_u32(0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00))
    {
        return Ok((c, 12));
    }
    Ok((char::REPLACEMENT_CHARACTER, 6))
}

impl JsonString {
    /// `depth` counts the constructors around it.
    pub(super) fn new(text: Text, range: TextRange, depth: u32) -> JsonString {
        let is_plain = !text.value.contains("${") && !text.value.contains("%{");
        let (template, errors) = match is_plain {
            true => (plain(&text.value, range), Vec::new()),
            false => {
                let (tree, errors) = parser::parse_nested_template(&text.value, depth);
                let parsed = placed(tree, errors, &text, range);
                (parsed.tree, parsed.errors)
            }
        };
        JsonString {
            text,
            template,
            errors,
        }
    }

    /// The value where nothing is evaluated.
    pub fn value(&self) -> &SmolStr {
        &self.text.value
    }

    /// The text as an expression: where native syntax has keywords, references or types. `range` is that of the string.
    pub fn expression(&self, range: TextRange) -> Parsed<Expr> {
        let (tree, errors) = parser::parse_expression(&self.text.value);
        placed(tree, errors, &self.text, range)
    }

    /// The text as a reference, if it is one.
    pub(crate) fn traversal(&self, range: TextRange) -> Option<Traversal> {
        let (tree, errors) = parser::parse_traversal_abs(&self.text.value);
        let traversal = tree.filter(|_| errors.is_empty())?;
        let whole = TextRange::empty(TextSize::new(0));
        let expr = Expr {
            kind: ExprKind::Traversal(traversal),
            range: whole,
        };
        match placed(expr, errors, &self.text, range).tree.kind {
            ExprKind::Traversal(traversal) => Some(traversal),
            _ => None,
        }
    }
}

/// The template of a text that has nothing to evaluate.
fn plain(text: &str, range: TextRange) -> Expr {
    let literal = TemplatePart::Literal(normalize(text), range);
    Expr {
        kind: ExprKind::Template(Template {
            kind: TemplateKind::Bare,
            parts: Vec::from_iter((!text.is_empty()).then_some(literal)),
        }),
        range,
    }
}

/// Moves the ranges in the value of a string to where that stands in the text.
fn placed(
    mut tree: Expr,
    mut errors: Vec<Problem>,
    text: &Text,
    string: TextRange,
) -> Parsed<Expr> {
    let mut place = |range: &mut TextRange| {
        let [start, end] = [range.start(), range.end()]
            .map(|at| (string.start() + text.place(at)).min(string.end()));
        *range = TextRange::new(start, end.max(start));
    };
    each_range(&mut tree, &mut place);
    errors.iter_mut().for_each(|error| place(&mut error.at));
    Parsed { tree, errors }
}

impl Ident {
    pub(super) fn of(name: &SmolStr, range: TextRange) -> Ident {
        Ident {
            name: name.clone(),
            range,
        }
    }
}

/// Whether the token is a number as JSON has them.
pub(super) fn is_number(token: &str) -> bool {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let text = token.strip_prefix('-').unwrap_or(token);
    let whole = match digits(text) {
        0 => return false,
        _ if text.starts_with('0') => 1,
        count => count,
    };
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let count = digits(fraction);
        if count == 0 {
            return false;
        }
        rest = &fraction[count..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}
