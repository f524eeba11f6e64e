//! From tokens to values. Broken text gives the values that can be known: the layout shows where an object ends whose brace
//! is missing, and the missing part of a half-typed property counts as missing there alone.

use std::sync::Arc;

use text::{TextRange, TextSize};

use super::string::is_number;
use super::token::{Token, TokenKind};
use super::{MAX_DEPTH, Member, Text, Value, ValueKind};

struct Reader<'a> {
    text: &'a str,
    tokens: &'a [Token],
    pos: usize,
    /// The objects and arrays around, each with the indentation of the line that it begins in.
    open: Vec<(TokenKind, usize)>,
    /// The end of the last token.
    end: TextSize,
    is_broken: bool,
    /// Whether the layout may tell where something ends.
    is_laid_out: bool,
}

/// The value of a file. `is_broken` says that the text has errors.
pub(super) fn read(text: &str, tokens: &[Token], is_broken: bool) -> Value {
    let mut reader = Reader {
        text,
        tokens,
        pos: 0,
        open: Vec::new(),
        end: TextSize::new(0),
        is_broken,
        is_laid_out: is_broken && is_laid_out(tokens),
    };
    let first = reader.peek();
    match first.kind {
        TokenKind::OpenBracket => reader.value(),
        // A brace that is missing is as good as there.
        TokenKind::String if reader.kind_at(1) == TokenKind::Colon => reader.object(),
        TokenKind::OpenBrace => reader.value(),
        _ => Value {
            kind: ValueKind::Invalid,
            range: first.range,
        },
    }
}

/// Whether the content of the root value is indented.
fn is_laid_out(tokens: &[Token]) -> bool {
    matches!(tokens, [_, first, ..] if first.is_first_of_line && first.indentation > 0)
}

impl Reader<'_> {
    fn peek(&self) -> Token {
        self.tokens[self.pos.min(self.tokens.len() - 1)]
    }

    fn kind_at(&self, ahead: usize) -> TokenKind {
        let at = (self.pos + ahead).min(self.tokens.len() - 1);
        self.tokens[at].kind
    }

    fn read(&mut self) -> Token {
        let token = self.peek();
        self.end = token.range.end();
        self.pos += 1;
        token
    }

    /// Whether the open object ends before `token`, as it is laid out.
    fn ends_before(&self, token: Token) -> bool {
        let Some((_, outer)) = self.open.last().filter(|_| self.is_laid_out) else {
            return false;
        };
        let is_close = matches!(token.kind, TokenKind::CloseBrace | TokenKind::CloseBracket);
        let is_left = match is_close {
            true => token.indentation < *outer,
            false => token.indentation <= *outer,
        };
        self.open.len() > 1 && token.is_first_of_line && is_left
    }

    fn value(&mut self) -> Value {
        let token = self.peek();
        let kind = match token.kind {
            TokenKind::OpenBrace | TokenKind::OpenBracket
                if self.open.len() >= MAX_DEPTH as usize =>
            {
                return self.skipped();
            }
            TokenKind::OpenBrace => return self.object(),
            TokenKind::OpenBracket => return self.array(),
            TokenKind::Number => match &self.text[token.range] {
                number if is_number(number) => ValueKind::Number(number.into()),
                _ => ValueKind::Invalid,
            },
            TokenKind::String => ValueKind::String(Text::read(&self.text[token.range]).0),
            TokenKind::Keyword => match &self.text[token.range] {
                "true" => ValueKind::Bool(true),
                "false" => ValueKind::Bool(false),
                "null" => ValueKind::Null,
                _ => ValueKind::Invalid,
            },
            _ => {
                return Value {
                    kind: ValueKind::Invalid,
                    range: TextRange::empty(self.end),
                };
            }
        };
        let range = self.read().range;
        Value { kind, range }
    }

    /// Something nested too deep.
    fn skipped(&mut self) -> Value {
        let start = self.peek().range.start();
        let mut depth = 0;
        loop {
            match self.read().kind {
                TokenKind::OpenBrace | TokenKind::OpenBracket => depth += 1,
                TokenKind::CloseBrace | TokenKind::CloseBracket => depth -= 1,
                TokenKind::End => break,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        Value {
            kind: ValueKind::Invalid,
            range: TextRange::new(start, self.end),
        }
    }

    /// Enters an object or array, if its first character is there.
    fn enter(&mut self, kind: TokenKind) -> TextSize {
        let token = self.peek();
        self.open.push((kind, token.indentation));
        if token.kind == kind {
            self.read();
        }
        token.range.start()
    }

    /// Whether `token` closes the open object, or belongs to something around it. A bracket of the wrong kind closes only
    /// a frame with the right one.
    fn closes(&mut self, token: Token) -> bool {
        let kind = match token.kind {
            TokenKind::CloseBrace => TokenKind::OpenBrace,
            TokenKind::CloseBracket => TokenKind::OpenBracket,
            TokenKind::End => return true,
            _ => return self.ends_before(token),
        };
        if self.ends_before(token) {
            return true;
        }
        let own = self.open.last().map(|(kind, _)| *kind);
        if own == Some(kind) {
            self.read();
            return true;
        }
        self.open.iter().any(|(open, _)| *open == kind)
    }

    fn object(&mut self) -> Value {
        let start = self.enter(TokenKind::OpenBrace);
        let mut members = Vec::new();
        loop {
            let token = self.peek();
            if self.closes(token) {
                break;
            }
            if token.kind != TokenKind::String {
                self.read();
                continue;
            }
            self.read();
            let name = Text::read(&self.text[token.range]).0;
            let has_value = matches!(self.peek().kind, TokenKind::Colon | TokenKind::Equal);
            if has_value {
                self.read();
            }
            let value = match has_value && !self.is_name() {
                true => self.value(),
                false => Value {
                    kind: ValueKind::Invalid,
                    range: TextRange::empty(self.end),
                },
            };
            members.push(Arc::new(Member::new(name, token.range, value)));
        }
        self.leave(start, ValueKind::Object(members.into()))
    }

    /// Whether the next token names a property, though it stands where a value should.
    fn is_name(&self) -> bool {
        self.kind_at(0) == TokenKind::String
            && self.kind_at(1) == TokenKind::Colon
            && self.is_broken
    }

    fn array(&mut self) -> Value {
        let start = self.enter(TokenKind::OpenBracket);
        let mut values = Vec::new();
        loop {
            let token = self.peek();
            if self.closes(token) {
                break;
            }
            match token.kind {
                TokenKind::Comma | TokenKind::Colon | TokenKind::Equal | TokenKind::Invalid => {
                    self.read();
                }
                // A token that cannot close anything.
                TokenKind::CloseBrace | TokenKind::CloseBracket => {
                    self.read();
                }
                _ => values.push(self.value()),
            }
        }
        self.leave(start, ValueKind::Array(values.into()))
    }

    fn leave(&mut self, start: TextSize, kind: ValueKind) -> Value {
        self.open.pop();
        Value {
            kind,
            range: TextRange::new(start, self.end.max(start)),
        }
    }
}
