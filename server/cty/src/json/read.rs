//! Reads JSON text: keeps numbers as written and repeated names, and fails in the words of Go's decoder.

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::budget;

pub(super) enum Node<'a> {
    Null,
    Bool(bool),
    Number(Cow<'a, str>),
    String(Cow<'a, str>),
    Array(Vec<Node<'a>>),
    Object(Vec<(Cow<'a, str>, Node<'a>)>),
}

/// Deeper nesting is an error, so that no input exhausts the stack.
const MAX_DEPTH: usize = 250;

impl<'a> From<&'a Json> for Node<'a> {
    fn from(json: &'a Json) -> Node<'a> {
        match json {
            Json::Null => Node::Null,
            Json::Bool(value) => Node::Bool(*value),
            Json::Number(number) => Node::Number(number.to_string().into()),
            Json::String(text) => Node::String(text.into()),
            Json::Array(elements) => Node::Array(elements.iter().map(Node::from).collect()),
            Json::Object(entries) => Node::Object(
                entries
                    .iter()
                    .map(|(name, json)| (name.into(), Node::from(json)))
                    .collect(),
            ),
        }
    }
}

impl Node<'_> {
    pub(super) fn to_json(&self) -> Json {
        match self {
            Node::Null => Json::Null,
            Node::Bool(value) => Json::Bool(*value),
            Node::Number(text) => Json::String(text.to_string()),
            Node::String(text) => Json::String(text.to_string()),
            Node::Array(elements) => elements.iter().map(Node::to_json).collect(),
            Node::Object(entries) => Json::Object(
                entries
                    .iter()
                    .map(|(name, node)| (name.to_string(), node.to_json()))
                    .collect(),
            ),
        }
    }
}

/// One JSON value and nothing else.
pub(super) fn parse(text: &str) -> Result<Node<'static>, String> {
    let mut reader = Reader { text, at: 0 };
    let node = reader.value(0)?;
    reader.space();
    match reader.at == text.len() {
        true => Ok(node),
        false => Err("extraneous data after JSON object".into()),
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl Reader<'_> {
    fn space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    /// The error at the next character, inside a literal.
    fn invalid<T>(&self, place: &str) -> Result<T, String> {
        match self.peek() {
            None => Err("unexpected EOF".into()),
            Some(c) => Err(format!("invalid character {} {place}", quote_char(c))),
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node<'static>, String> {
        budget::allocate(size_of::<Node>());
        self.space();
        if depth > MAX_DEPTH {
            return Err("exceeded max depth".into());
        }
        match self.peek() {
            None => Err("EOF".into()),
            Some('n') => self.word("null", Node::Null),
            Some('t') => self.word("true", Node::Bool(true)),
            Some('f') => self.word("false", Node::Bool(false)),
            Some('"') => Ok(Node::String(self.string()?.into())),
            Some('-' | '0'..='9') => self.number(),
            Some('[') => self.array(depth),
            Some('{') => self.object(depth),
            Some(_) => self.invalid("looking for beginning of value"),
        }
    }

    fn word(&mut self, word: &str, node: Node<'static>) -> Result<Node<'static>, String> {
        for wanted in word.chars() {
            if self.peek() != Some(wanted) {
                let place = format!("in literal {word} (expecting {})", quote_char(wanted));
                return self.invalid(&place);
            }
            self.at += 1;
        }
        Ok(node)
    }

    fn number(&mut self) -> Result<Node<'static>, String> {
        let start = self.at;
        if self.peek() == Some('-') {
            self.at += 1;
        }
        match self.peek() {
            Some('0') => self.at += 1,
            Some('1'..='9') => self.digits(),
            _ => return self.invalid("in numeric literal"),
        }
        if self.peek() == Some('.') {
            self.at += 1;
            if !matches!(self.peek(), Some('0'..='9')) {
                return self.invalid("after decimal point in numeric literal");
            }
            self.digits();
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            if !matches!(self.peek(), Some('0'..='9')) {
                return self.invalid("in exponent of numeric literal");
            }
            self.digits();
        }
        Ok(Node::Number(self.text[start..self.at].to_string().into()))
    }

    fn digits(&mut self) {
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            match self.peek() {
                Some('"') => {
                    self.at += 1;
                    return Ok(text);
                }
                Some('\\') => {
                    self.at += 1;
                    text.push(self.escape()?);
                }
                None | Some('\0'..' ') => return self.invalid("in string literal"),
                Some(c) => {
                    self.at += c.len_utf8();
                    text.push(c);
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        let plain = match self.peek() {
            Some(c @ ('"' | '\\' | '/')) => c,
            Some('b') => '\x08',
            Some('f') => '\x0c',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                self.at += 1;
                return self.unicode();
            }
            _ => return self.invalid("in string escape code"),
        };
        self.at += 1;
        Ok(plain)
    }

    /// A character by its code unit, or by two of a pair; half a pair is the replacement character.
    fn unicode(&mut self) -> Result<char, String> {
        let unit = self.unit()?;
        if !(0xd800..0xdc00).contains(&unit) {
            return Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        let rest = self.at;
        if self.text[self.at..].starts_with("\\u") {
            self.at += 2;
            let low = self.unit()?;
            if (0xdc00..0xe000).contains(&low) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = rest;
        }
        Ok(char::REPLACEMENT_CHARACTER)
    }

    fn unit(&mut self) -> Result<u32, String> {
        let mut unit = 0;
        for _ in 0..4 {
            match self.peek().and_then(|c| c.to_digit(16)) {
                Some(digit) => unit = unit * 16 + digit,
                None => return self.invalid("in \\u hexadecimal character escape"),
            }
            self.at += 1;
        }
        Ok(unit)
    }

    fn array(&mut self, depth: usize) -> Result<Node<'static>, String> {
        self.at += 1;
        let mut elements = Vec::new();
        self.space();
        if self.peek() == Some(']') {
            self.at += 1;
            return Ok(Node::Array(elements));
        }
        loop {
            elements.push(self.value(depth + 1)?);
            self.space();
            match self.peek() {
                Some(',') => self.at += 1,
                Some(']') => {
                    self.at += 1;
                    return Ok(Node::Array(elements));
                }
                None => return Err("EOF".into()),
                Some(_) => return self.invalid("after array element"),
            }
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node<'static>, String> {
        self.at += 1;
        let mut entries = Vec::new();
        self.space();
        if self.peek() == Some('}') {
            self.at += 1;
            return Ok(Node::Object(entries));
        }
        loop {
            self.space();
            match self.peek() {
                Some('"') => {}
                Some(_) if !entries.is_empty() => {
                    return self.invalid("looking for beginning of object key string");
                }
                Some(c) => return Err(format!("invalid character {}", quote_char(c))),
                None => return Err("EOF".into()),
            }
            let name = self.string()?;
            self.space();
            match self.peek() {
                Some(':') => self.at += 1,
                Some(_) => return self.invalid("after object key"),
                None => return Err("EOF".into()),
            }
            entries.push((Cow::Owned(name), self.value(depth + 1)?));
            self.space();
            match self.peek() {
                Some(',') => self.at += 1,
                Some('}') => {
                    self.at += 1;
                    return Ok(Node::Object(entries));
                }
                Some(_) => return self.invalid("after object key:value pair"),
                None => return Err("EOF".into()),
            }
        }
    }
}

fn quote_char(c: char) -> String {
    match c {
        '\'' => r"'\''".into(),
        '"' => "'\"'".into(),
        c => {
            let quoted = crate::text::quote(&c.to_string());
            format!("'{}'", &quoted[1..quoted.len() - 1])
        }
    }
}
