//! The errors of a text that should be JSON, in HCL's words and at HCL's places.
//!
//! Follows the reference step by step, also where it goes on after an error.

use text::{Problem, Suggestion, TextRange, did_you_mean};

use super::string::is_number;
use super::token::{Token, TokenKind, size};
use super::{MAX_DEPTH, Text, first_char};
use crate::file::error;

const VALUE_STARTS: &str =
    "A JSON value must start with a brace, a bracket, a number, a string, or a keyword.";

/// The kind of a value, as far as those around it must know.
#[derive(Clone, Copy, PartialEq)]
enum Shape {
    Container,
    String,
    Other,
    Invalid,
}

struct Check<'a> {
    text: &'a str,
    tokens: &'a [Token],
    pos: usize,
    errors: Vec<Problem>,
    depth: u32,
}

/// Checks a whole file.
pub(super) fn check(text: &str, tokens: &[Token]) -> Vec<Problem> {
    let mut check = Check {
        text,
        tokens,
        pos: 0,
        errors: Vec::new(),
        depth: 0,
    };
    let first = check.peek().range;
    let shape = check.value();
    let end = check.peek();
    if check.errors.is_empty() && end.kind != TokenKind::End {
        let detail = "Extra characters appear after the JSON value.";
        check.report(end.range, "Extraneous data after value", detail);
    }
    let is_too_deep = check.pos == tokens.len();
    if shape != Shape::Container && !is_too_deep {
        check.report(
            first,
            "Root value must be object",
            "The root value in a JSON-based configuration must be either a JSON object or a JSON array of objects.",
        );
    }
    check.errors
}

impl Check<'_> {
    /// The next token. Behind an invalid one the reference sees the end.
    fn peek(&self) -> Token {
        let last = self.pos.checked_sub(1).map(|last| self.tokens[last]);
        match (last, self.tokens.get(self.pos)) {
            (Some(last), _) if last.kind == TokenKind::Invalid => Token::end(last.range.end()),
            (_, Some(token)) => *token,
            (_, None) => self.tokens[self.tokens.len() - 1],
        }
    }

    fn read(&mut self) -> Token {
        let token = self.peek();
        if token.kind != TokenKind::End {
            self.pos += 1;
        }
        token
    }

    fn report(&mut self, range: TextRange, summary: &'static str, detail: impl Into<String>) {
        self.errors.push(error(range, summary, detail));
    }

    /// Reports, for a value that is invalid because of it.
    fn fail(
        &mut self,
        range: TextRange,
        summary: &'static str,
        detail: impl Into<String>,
    ) -> Shape {
        self.report(range, summary, detail);
        Shape::Invalid
    }

    /// Continues after the end of the object or array that seems to be open.
    fn recover(&mut self, mut token: Token, open: TokenKind, close: TokenKind) {
        let mut depth = 1;
        loop {
            if token.kind == open {
                depth += 1;
            } else if token.kind == close {
                depth -= 1;
                if depth <= 1 {
                    return;
                }
            } else if token.kind == TokenKind::End {
                return;
            }
            token = self.read();
        }
    }

    fn value(&mut self) -> Shape {
        let token = self.peek();
        match token.kind {
            TokenKind::OpenBrace | TokenKind::OpenBracket if self.depth >= MAX_DEPTH => {
                self.pos = self.tokens.len();
                let detail = format!("Values may be nested {MAX_DEPTH} levels deep.");
                self.errors.clear();
                self.fail(token.range, "Nesting too deep", detail)
            }
            TokenKind::OpenBrace => self.nested(Self::object),
            TokenKind::OpenBracket => self.nested(Self::array),
            TokenKind::Number => self.number(),
            TokenKind::String => self.string(),
            TokenKind::Keyword => self.keyword(),
            TokenKind::CloseBrace => self.fail(token.range, "Missing JSON value", VALUE_STARTS),
            TokenKind::CloseBracket => {
                self.fail(token.range, "Missing array element value", VALUE_STARTS)
            }
            TokenKind::End => self.fail(
                token.range,
                "Missing value",
                "The JSON data ends prematurely.",
            ),
            TokenKind::Comma | TokenKind::Colon | TokenKind::Equal | TokenKind::Invalid => {
                self.fail(token.range, "Invalid start of value", VALUE_STARTS)
            }
        }
    }

    fn nested(&mut self, rule: fn(&mut Self) -> Shape) -> Shape {
        self.depth += 1;
        let shape = rule(self);
        self.depth -= 1;
        // Nothing more is reported around something too deep.
        if self.pos == self.tokens.len() {
            self.errors.truncate(1);
        }
        shape
    }

    fn object(&mut self) -> Shape {
        let (open, close) = (TokenKind::OpenBrace, TokenKind::CloseBrace);
        let start = self.read().range;
        while self.peek().kind != TokenKind::CloseBrace {
            let name = self.peek().range;
            let shape = self.value();
            if shape != Shape::String {
                let name = if shape == Shape::Container {
                    first_char(name)
                } else {
                    name
                };
                let detail = "A JSON object property name must be a string";
                return self.fail(name, "Invalid object property name", detail);
            }
            let colon = self.read();
            if colon.kind != TokenKind::Colon {
                self.recover(colon, open, close);
                let (summary, detail) = match colon.kind {
                    TokenKind::CloseBrace | TokenKind::Comma => (
                        "Missing object value",
                        "A JSON object attribute must have a value, introduced by a colon.",
                    ),
                    TokenKind::Equal => (
                        "Missing property value colon",
                        "JSON uses a colon as its name/value delimiter, not an equals sign.",
                    ),
                    _ => (
                        "Missing property value colon",
                        "A colon must appear between an object property's name and its value.",
                    ),
                };
                return self.fail(colon.range, summary, detail);
            }
            self.value();
            let next = self.peek();
            match next.kind {
                TokenKind::Comma => {
                    self.read();
                    if self.peek().kind == TokenKind::CloseBrace {
                        let detail = "JSON does not permit a trailing comma after the final property in an object.";
                        return self.fail(next.range, "Trailing comma in object", detail);
                    }
                }
                TokenKind::End => {
                    let detail = "No closing brace was found for this JSON object.";
                    return self.fail(start, "Unclosed object", detail);
                }
                TokenKind::CloseBracket => {
                    self.read();
                    let at = self.peek().range;
                    let detail = "A JSON object must be closed with a brace, not a bracket.";
                    return self.fail(at, "Mismatched braces", detail);
                }
                TokenKind::CloseBrace => {}
                _ => {
                    let token = self.read();
                    self.recover(token, open, close);
                    let at = self.peek().range;
                    let detail =
                        "A comma must appear between each property definition in an object.";
                    return self.fail(at, "Missing attribute seperator comma", detail);
                }
            }
        }
        self.read();
        Shape::Container
    }

    fn array(&mut self) -> Shape {
        let (open, close) = (TokenKind::OpenBracket, TokenKind::CloseBracket);
        let start = self.read().range;
        while self.peek().kind != TokenKind::CloseBracket {
            self.value();
            let next = self.peek();
            let (at, summary, detail) = match next.kind {
                TokenKind::Comma => {
                    self.read();
                    if self.peek().kind != TokenKind::CloseBracket {
                        continue;
                    }
                    let detail =
                        "JSON does not permit a trailing comma after the final value in an array.";
                    return self.fail(next.range, "Trailing comma in array", detail);
                }
                TokenKind::CloseBracket => break,
                TokenKind::Colon => (
                    None,
                    "Invalid array value",
                    "A colon is not used to introduce values in a JSON array.",
                ),
                TokenKind::End => (
                    Some(start),
                    "Unclosed object",
                    "No closing bracket was found for this JSON array.",
                ),
                TokenKind::CloseBrace => (
                    None,
                    "Mismatched brackets",
                    "A JSON array must be closed with a bracket, not a brace.",
                ),
                _ => (
                    None,
                    "Missing attribute seperator comma",
                    "A comma must appear between each value in an array.",
                ),
            };
            let token = self.read();
            self.recover(token, open, close);
            let at = at.unwrap_or(self.peek().range);
            return self.fail(at, summary, detail);
        }
        self.read();
        Shape::Container
    }

    fn number(&mut self) -> Shape {
        let token = self.read();
        if is_number(&self.text[token.range]) {
            return Shape::Other;
        }
        let detail = "There is a syntax error in the given JSON number.";
        self.fail(token.range, "Invalid JSON number", detail)
    }

    fn string(&mut self) -> Shape {
        let token = self.read();
        let (_, wrong) = Text::read(&self.text[token.range]);
        let Some(wrong) = wrong else {
            return Shape::String;
        };
        // The reference means the character after the wrong one.
        let start = usize::from(token.range.start()) + wrong;
        let start = self.text.ceil_char_boundary(start);
        let len = self.text[start..].chars().next().map_or(0, char::len_utf8);
        let at = TextRange::at(size(start), size(len));
        let detail = "There is a syntax error in the given JSON string.";
        self.fail(at, "Invalid JSON string", detail)
    }

    fn keyword(&mut self) -> Shape {
        let token = self.read();
        let mut hint = Suggestion(None);
        let detail = match &self.text[token.range] {
            "true" | "false" | "null" => return Shape::Other,
            name @ ("undefined" | "NaN" | "Infinity") => {
                format!("The JavaScript identifier \"{name}\" cannot be used in JSON.")
            }
            name => {
                hint = did_you_mean(name, ["false", "true", "null"]);
                format!("\"{name}\" is not a valid JSON keyword.{hint}")
            }
        };
        let invalid = error(token.range, "Invalid JSON keyword", detail);
        self.errors.push(invalid.with_fault(hint));
        Shape::Invalid
    }
}
