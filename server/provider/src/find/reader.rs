//! A reader of the literal HCL that the lock file and the CLI configuration are written in.
//!
//! The CLI configuration is HCL 1, whose quoted argument names the native syntax of modules doesn't have. Both files
//! hold literals only, so a reader of literals is all they need. Unreadable parts are skipped.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::str::Chars;

/// The content of braces, in order: arguments, and blocks with their labels.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Body {
    pub arguments: BTreeMap<String, Literal>,
    pub blocks: Vec<Block>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub kind: String,
    pub labels: Vec<String>,
    pub body: Body,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Literal {
    /// A string, or the text of a number or word.
    Text(String),
    List(Vec<Literal>),
}

impl Body {
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.arguments.get(name)? {
            Literal::Text(text) => Some(text),
            Literal::List(_) => None,
        }
    }

    pub fn texts(&self, name: &str) -> Option<Vec<String>> {
        match self.arguments.get(name)? {
            Literal::Text(_) => None,
            Literal::List(items) => Some(
                items
                    .iter()
                    .filter_map(|item| match item {
                        Literal::Text(text) => Some(text.clone()),
                        Literal::List(_) => None,
                    })
                    .collect(),
            ),
        }
    }

    pub fn blocks<'a>(&'a self, kind: &'a str) -> impl Iterator<Item = &'a Block> {
        self.blocks.iter().filter(move |block| block.kind == kind)
    }
}

pub(crate) fn read(text: &str) -> Body {
    Reader {
        tokens: tokens(text).into_iter().peekable(),
        depth: 0,
    }
    .body()
}

/// Files nested deeper than this are not ours to read.
const DEPTH_LIMIT: usize = 64;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Quoted(String),
    Mark(char),
}

struct Reader {
    tokens: Peekable<std::vec::IntoIter<Token>>,
    depth: usize,
}

impl Reader {
    /// Reads up to the closing brace, or to the end.
    fn body(&mut self) -> Body {
        let mut body = Body::default();
        self.depth += 1;
        while let Some(token) = self.tokens.next() {
            match token {
                Token::Mark('}') => break,
                Token::Mark(_) => {}
                Token::Word(name) | Token::Quoted(name) => self.item(name, &mut body),
            }
        }
        self.depth -= 1;
        body
    }

    /// Reads the text behind a name: `= literal`, `= { .. }`, or labels and `{ .. }`.
    fn item(&mut self, name: String, body: &mut Body) {
        let mut labels = Vec::new();
        loop {
            match self.tokens.peek() {
                Some(Token::Quoted(_) | Token::Word(_)) => match self.tokens.next() {
                    Some(Token::Quoted(label) | Token::Word(label)) => labels.push(label),
                    Some(Token::Mark(_)) | None => return,
                },
                Some(Token::Mark('{')) => {
                    self.tokens.next();
                    if self.depth < DEPTH_LIMIT {
                        let block = Block {
                            kind: name,
                            labels,
                            body: self.body(),
                        };
                        body.blocks.push(block);
                    }
                    return;
                }
                Some(Token::Mark('=' | ':')) => {
                    self.tokens.next();
                    if self.tokens.peek() != Some(&Token::Mark('{')) {
                        if let Some(literal) = self.literal() {
                            body.arguments.insert(name, literal);
                        }
                        return;
                    }
                }
                Some(Token::Mark(_)) | None => return,
            }
        }
    }

    fn literal(&mut self) -> Option<Literal> {
        match self.tokens.next()? {
            Token::Word(text) | Token::Quoted(text) => Some(Literal::Text(text)),
            Token::Mark('[') => {
                let mut items = Vec::new();
                loop {
                    match self.tokens.next()? {
                        Token::Mark(']') => return Some(Literal::List(items)),
                        Token::Mark(_) => {}
                        Token::Word(text) | Token::Quoted(text) => items.push(Literal::Text(text)),
                    }
                }
            }
            Token::Mark(_) => None,
        }
    }
}

fn tokens(text: &str) -> Vec<Token> {
    let mut chars = text.chars().peekable();
    let mut tokens = Vec::new();
    while let Some(char) = chars.next() {
        match char {
            '#' => skip_line(&mut chars),
            '/' if chars.peek() == Some(&'/') => skip_line(&mut chars),
            '/' if chars.peek() == Some(&'*') => skip_comment(&mut chars),
            '"' => tokens.push(Token::Quoted(quoted(&mut chars))),
            '{' | '}' | '[' | ']' | '=' | ',' | ':' => tokens.push(Token::Mark(char)),
            _ if char.is_whitespace() => {}
            _ => {
                let mut word = String::from(char);
                while let Some(next) = chars.next_if(|c| {
                    !c.is_whitespace()
                        && !matches!(c, '{' | '}' | '[' | ']' | '=' | ',' | ':' | '"' | '#')
                }) {
                    word.push(next);
                }
                tokens.push(Token::Word(word));
            }
        }
    }
    tokens
}

fn skip_line(chars: &mut Peekable<Chars>) {
    for char in chars.by_ref() {
        if char == '\n' {
            return;
        }
    }
}

fn skip_comment(chars: &mut Peekable<Chars>) {
    let mut before = ' ';
    for char in chars.by_ref() {
        if before == '*' && char == '/' {
            return;
        }
        before = char;
    }
}

fn quoted(chars: &mut Peekable<Chars>) -> String {
    let mut text = String::new();
    while let Some(char) = chars.next() {
        match char {
            '"' | '\n' => break,
            '\\' => match chars.next() {
                Some('n') => text.push('\n'),
                Some('t') => text.push('\t'),
                Some(other) => text.push(other),
                None => break,
            },
            _ => text.push(char),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_arguments_and_comments_are_read() {
        let body = read(
            r#"
            # generated
            plugin_cache_dir = "/cache" // here
            provider_installation {
              /* ours
              first */
              dev_overrides {
                "hashicorp/random" = "/dev/bin"
              }
              filesystem_mirror { path = "/mirror" include = ["a/*", "b/*",] }
              direct {}
            }
            provider "registry.terraform.io/hashicorp/null" { version = "1.0" }
            credentials = { token = "x" }
            "#,
        );
        assert_eq!(body.text("plugin_cache_dir"), Some("/cache"));
        let installation = &body.blocks("provider_installation").next().unwrap().body;
        let overrides = &installation.blocks("dev_overrides").next().unwrap().body;
        assert_eq!(overrides.text("hashicorp/random"), Some("/dev/bin"));
        let mirror = &installation
            .blocks("filesystem_mirror")
            .next()
            .unwrap()
            .body;
        assert_eq!(
            mirror.texts("include"),
            Some(vec!["a/*".into(), "b/*".into()])
        );
        let provider = body.blocks("provider").next().unwrap();
        assert_eq!(provider.labels, ["registry.terraform.io/hashicorp/null"]);
        assert_eq!(body.blocks("credentials").count(), 1);
    }

    #[test]
    fn broken_text_is_read_as_far_as_it_goes() {
        let body = read("a = [\"x\"\nb { c = \"d");
        assert_eq!(body.texts("a"), None);
        assert_eq!(read("}}}=[{").arguments.len(), 0);
        assert_eq!(read(&"a {".repeat(100_000)).blocks.len(), 1);
    }
}
