//! The parser: recursive descent that makes the lossless tree and the typed one in a single pass.
//!
//! The first pass over a segment is strict and has hclsyntax's verdict: after the first error it sees the end
//! of the file wherever it looks. A segment with an error is parsed once more, recovering: then an error ends
//! one attribute, and the layout of the text tells where the next one starts.

mod body;
mod collection;
mod expression;
mod reference;
mod resume;
mod template;
#[cfg(test)]
mod tests;
mod traversal;

use reference::Reference;
pub(crate) use reference::parse_as_reference;
use rowan::{Checkpoint, GreenNodeBuilder, Language};
use text::{Problem, TextRange, TextSize};

use crate::ast::{Expr, Item, Traversal};
use crate::effort::Effort;
use crate::file::error;
use crate::lexer::{Lexer, Token};
use crate::{GreenNode, Hcl, SyntaxKind};

/// How deep expressions and blocks may nest. The reference has no limit; ours protects the stack.
pub(crate) const MAX_DEPTH: u32 = 250;

/// The errors of one segment that are kept. A text of some megabytes may have millions.
const MAX_ERRORS: usize = 1000;

/// How high the tree of an expression may be: left-associative operators nest without recursion in the parser,
/// but not in those who read the tree.
const MAX_HEIGHT: u32 = 500;

/// As many as most segments have.
const TOKENS: usize = 128;

pub(crate) struct Parser<'a> {
    text: &'a str,
    lexer: Lexer<'a>,
    /// As far as they were needed.
    tokens: Vec<Token>,
    /// The first token that is not in the tree yet.
    pos: usize,
    /// Whether newlines count, per open bracket.
    newlines: Vec<bool>,
    /// Where the lossless tree is wanted.
    green: Option<GreenNodeBuilder<'static>>,
    errors: Vec<Problem>,
    /// After an error: everything looks like the end of the file, so that all open rules finish.
    is_stopped: bool,
    is_recovering: bool,
    /// Where errors are wanted as hclsyntax reports them.
    reference: Option<Reference>,
    /// The token that cannot belong to the current expression, when recovering.
    limit: Option<usize>,
    /// The end of the last token that is not trivia.
    end: TextSize,
    depth: u32,
    /// The height of the expression that was parsed last.
    height: u32,
    /// Where the items start that are not read to their end.
    open_items: Vec<TextSize>,
    /// Where items start that are known to have an error.
    hopeless: &'a [TextSize],
}

/// One segment, cut off the front of a text.
pub(crate) struct SegmentParse {
    pub len: usize,
    /// The lossless tree; `None` where [`tree`] makes it of the segment's text alone.
    pub green: Option<GreenNode>,
    pub items: Vec<Item>,
    pub errors: Vec<Problem>,
    /// Whether the same text at the front of another text makes the same segment.
    pub is_closed: bool,
    /// Where the items start that an error is in: of each of them alone, a strict parser would say the same.
    pub hopeless: Vec<TextSize>,
    /// Whether a heredoc may have taken more than it should: see [`Lexer::is_doubtful`].
    is_doubtful: bool,
}

impl SegmentParse {
    /// All of a text with too many mistakes to go on.
    pub fn unread(text: &str) -> SegmentParse {
        let first_line = text.find('\n').unwrap_or(text.len());
        let first_line = TextRange::up_to(TextSize::of(&text[..first_line]));
        SegmentParse {
            len: text.len(),
            green: Some(unread_tree(text)),
            items: Vec::new(),
            errors: vec![error(
                first_line,
                "Too many syntax errors",
                "The rest of the file is not read. Correct the errors before this line first.",
            )],
            is_closed: false,
            hopeless: Vec::new(),
            is_doubtful: false,
        }
    }
}

/// A tree that does not look into the text.
fn unread_tree(text: &str) -> GreenNode {
    let mut green = GreenNodeBuilder::new();
    green.start_node(Hcl::kind_to_raw(SyntaxKind::Segment));
    green.start_node(Hcl::kind_to_raw(SyntaxKind::Error));
    green.token(Hcl::kind_to_raw(SyntaxKind::Invalid), text);
    green.finish_node();
    green.finish_node();
    green.finish()
}

/// Parses the first item of `text` with the trivia before it. Takes the whole text when it is trivia. Items that start
/// at a place in `hopeless` are known to have an error: it spares reading on and on behind each of many open braces.
pub(crate) fn parse_segment(
    text: &str,
    is_file_start: bool,
    hopeless: &[TextSize],
    effort: &Effort,
) -> SegmentParse {
    let mut parser = Parser::new(text, Lexer::new(text, effort), is_file_start);
    parser.hopeless = hopeless;
    let mut strict = parser.segment();
    if strict.errors.is_empty() {
        if !strict.is_doubtful {
            return strict;
        }
        strict.is_closed = false;
        if is_followed_by_valid_text(&text[strict.len..], effort) {
            return strict;
        }
    }
    let mut recovered = recover_segment(text, is_file_start, effort);
    recovered.hopeless = std::mem::take(&mut strict.hopeless);
    match (strict.errors.is_empty(), recovered.errors.is_empty()) {
        (_, false) => recovered,
        (true, true) => strict,
        (false, true) if !hopeless.is_empty() => parse_segment(text, is_file_start, &[], effort),
        (false, true) => {
            let len = TextSize::of(&text[..recovered.len]);
            recovered.errors = strict.errors;
            for error in &mut recovered.errors {
                let (start, end) = (error.at.start().min(len), error.at.end().min(len));
                error.at = TextRange::new(start, end);
            }
            recovered
        }
    }
}

/// Whether the next segments have no errors either. So many of them that a brace that has no partner shows.
fn is_followed_by_valid_text(mut text: &str, effort: &Effort) -> bool {
    const SEGMENTS: usize = 50;
    for _ in 0..SEGMENTS {
        if text.is_empty() {
            break;
        }
        let next = Parser::new(text, Lexer::new(text, effort), false).segment();
        if !next.errors.is_empty() {
            return false;
        }
        text = &text[next.len..];
    }
    true
}

/// The lossless tree of a segment without errors. A long segment has only one token: a tree takes up to 60 times the
/// memory of its text.
pub(crate) fn tree(text: &str) -> GreenNode {
    const LONG: usize = 1 << 20;
    if text.len() > LONG {
        return unread_tree(text);
    }
    // A byte order mark elsewhere than at the start of a file is an error.
    let effort = Effort::unlimited();
    let parser = Parser::new(text, Lexer::new(text, &effort), true).with_tree();
    let green = parser.segment().green;
    green.expect("a tree was asked for")
}

fn recover_segment(text: &str, is_file_start: bool, effort: &Effort) -> SegmentParse {
    let mut parser = Parser::new(text, Lexer::recovering(text, effort), is_file_start).with_tree();
    parser.is_recovering = true;
    let recovered = parser.segment();
    SegmentParse {
        is_closed: false,
        ..recovered
    }
}

pub(crate) fn parse_expression(text: &str) -> (Expr, Vec<Problem>) {
    let effort = Effort::for_expression(text.len());
    let mut parser = Parser::new(text, Lexer::new(text, &effort), true);
    parser.newlines.push(false);
    let expr = parser.expression();
    if !parser.at(SyntaxKind::EndOfFile) {
        parser.fail(
            "Extra characters after expression",
            "An expression was successfully parsed, but extra characters were found after it.",
        );
    }
    (expr, parser.errors)
}

pub(crate) fn parse_template(text: &str) -> (Expr, Vec<Problem>) {
    parse_nested_template(text, 0)
}

/// Parses a template inside of `depth` other expressions.
pub(crate) fn parse_nested_template(text: &str, depth: u32) -> (Expr, Vec<Problem>) {
    let effort = Effort::for_expression(text.len());
    let mut parser = Parser::new(text, Lexer::template(text, &effort), true);
    parser.depth = depth;
    let expr = parser.bare_template();
    (expr, parser.errors)
}

pub(crate) fn parse_traversal_abs(text: &str) -> (Option<Traversal>, Vec<Problem>) {
    let effort = Effort::for_expression(text.len());
    let mut parser = Parser::new(text, Lexer::new(text, &effort), true);
    parser.newlines.push(false);
    let traversal = parser.traversal_abs();
    (traversal, parser.errors)
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, mut lexer: Lexer<'a>, is_text_start: bool) -> Parser<'a> {
        let mut tokens = Vec::with_capacity(TOKENS);
        if is_text_start {
            tokens.extend(lexer.at_file_start());
        }
        Parser {
            text,
            lexer,
            tokens,
            pos: 0,
            newlines: vec![true],
            green: None,
            errors: Vec::new(),
            is_stopped: false,
            is_recovering: false,
            reference: None,
            limit: None,
            end: TextSize::new(0),
            depth: 0,
            height: 0,
            open_items: Vec::new(),
            hopeless: &[],
        }
    }

    fn with_tree(mut self) -> Parser<'a> {
        let mut green = GreenNodeBuilder::new();
        green.start_node(Hcl::kind_to_raw(SyntaxKind::Segment));
        self.green = Some(green);
        self
    }

    /// The token at an index, trivia included.
    fn raw(&mut self, index: usize) -> Token {
        while self.tokens.len() <= index {
            match self.tokens.last() {
                Some(token) if token.kind == SyntaxKind::EndOfFile => return *token,
                _ => {
                    let token = self.lexer.next();
                    self.tokens.push(token);
                }
            }
        }
        self.tokens[index]
    }

    fn is_trivia(&self, kind: SyntaxKind) -> bool {
        match kind {
            SyntaxKind::Space
            | SyntaxKind::LineComment
            | SyntaxKind::BlockComment
            | SyntaxKind::ByteOrderMark => true,
            SyntaxKind::Newline => !self.newlines.last().copied().unwrap_or(true),
            _ => false,
        }
    }

    /// The index of the next token that is not trivia.
    fn next_index(&mut self) -> usize {
        let mut index = self.pos;
        loop {
            let kind = match self.tokens.get(index) {
                Some(token) => token.kind,
                None => self.raw(index).kind,
            };
            if !self.is_trivia(kind) {
                return index;
            }
            index += 1;
        }
    }

    /// The next token, wherever the parser may look.
    fn next_token(&mut self) -> Token {
        let index = self.next_index();
        self.raw(index)
    }

    fn peek(&mut self) -> SyntaxKind {
        if self.is_stopped {
            return SyntaxKind::EndOfFile;
        }
        let index = self.next_index();
        if self.limit.is_some_and(|limit| index >= limit) {
            return SyntaxKind::EndOfFile;
        }
        self.raw(index).kind
    }

    fn at(&mut self, kind: SyntaxKind) -> bool {
        self.peek() == kind
    }

    fn at_keyword(&mut self, keyword: &str) -> bool {
        self.at(SyntaxKind::Ident) && {
            let token = self.next_token();
            self.slice(token.range) == keyword
        }
    }

    /// Takes the next token. At the end it answers an empty one.
    fn bump(&mut self) -> Token {
        if self.at(SyntaxKind::EndOfFile) {
            return Token {
                kind: SyntaxKind::EndOfFile,
                range: TextRange::empty(self.end),
            };
        }
        self.take_trivia();
        let token = self.raw(self.pos);
        self.take_raw();
        self.end = token.range.end();
        token
    }

    fn eat(&mut self, kind: SyntaxKind) -> Option<Token> {
        self.at(kind).then(|| self.bump())
    }

    fn take_trivia(&mut self) {
        if self.is_stopped {
            return;
        }
        let next = self.next_index();
        let next = self.limit.map_or(next, |limit| next.min(limit));
        while self.pos < next {
            self.take_raw();
        }
    }

    fn take_raw(&mut self) {
        let token = self.raw(self.pos);
        if token.kind != SyntaxKind::EndOfFile {
            if !token.range.is_empty()
                && let Some(green) = &mut self.green
            {
                green.token(Hcl::kind_to_raw(token.kind), &self.text[token.range]);
            }
            self.pos += 1;
        }
    }

    fn slice(&self, range: TextRange) -> &'a str {
        &self.text[range]
    }

    /// Where the next token starts.
    fn start(&mut self) -> TextSize {
        self.next_token().range.start()
    }

    fn since(&self, start: TextSize) -> TextRange {
        TextRange::new(start, self.end.max(start))
    }

    fn open(&mut self, kind: SyntaxKind) {
        if self.green.is_some() {
            self.take_trivia();
            self.open_here(kind);
        }
    }

    fn open_here(&mut self, kind: SyntaxKind) {
        if let Some(green) = &mut self.green {
            green.start_node(Hcl::kind_to_raw(kind));
        }
    }

    fn close(&mut self) {
        if let Some(green) = &mut self.green {
            green.finish_node();
        }
    }

    fn checkpoint(&mut self) -> Option<Checkpoint> {
        if self.green.is_some() {
            self.take_trivia();
        }
        self.green.as_ref().map(GreenNodeBuilder::checkpoint)
    }

    fn wrap(&mut self, checkpoint: Option<Checkpoint>, kind: SyntaxKind) {
        if let (Some(green), Some(checkpoint)) = (&mut self.green, checkpoint) {
            green.start_node_at(checkpoint, Hcl::kind_to_raw(kind));
            green.finish_node();
        }
    }

    /// Reports an error at the next token and stops.
    fn fail(&mut self, summary: &'static str, detail: impl Into<String>) {
        if self.is_stopped {
            return;
        }
        if self.limit.is_some() && self.at(SyntaxKind::EndOfFile) {
            self.fail_at(TextRange::empty(self.end), summary, detail);
            return;
        }
        let token = self.next_token();
        match self.token_error(token) {
            Some((summary, detail)) => self.fail_at(token.range, summary, detail),
            None => self.fail_at(token.range, summary, detail),
        }
    }

    /// As [`Parser::fail`]; hclsyntax reports this error after other ones too.
    fn fail_always(&mut self, summary: &'static str, detail: impl Into<String>) {
        let token = self.next_token();
        if self.reference.is_some() {
            self.fail_always_at(token.range, summary, detail);
        } else {
            self.fail(summary, detail);
        }
    }

    fn fail_always_at(
        &mut self,
        range: TextRange,
        summary: &'static str,
        detail: impl Into<String>,
    ) {
        self.add_error(error(range, summary, detail));
        self.is_stopped = true;
        self.set_failed();
    }

    /// The error of a token that no rule takes. The reference looks for them before it parses.
    fn token_error(&self, token: Token) -> Option<(&'static str, &'static str)> {
        match self.reference {
            Some(_) => None,
            None => crate::lexer::error_of(token.kind, self.slice(token.range)),
        }
    }

    fn fail_at(&mut self, range: TextRange, summary: &'static str, detail: impl Into<String>) {
        self.fail_with(error(range, summary, detail));
    }

    fn fail_with(&mut self, error: Problem) {
        if !self.has_failed() {
            self.add_error(error);
        }
        self.is_stopped = true;
        self.set_failed();
    }

    /// Reports an error that does not disturb the parser.
    fn report(&mut self, range: TextRange, summary: &'static str, detail: impl Into<String>) {
        self.add_error(error(range, summary, detail));
    }

    fn add_error(&mut self, error: Problem) {
        if !self.is_stopped && self.errors.len() < MAX_ERRORS {
            self.errors.push(error);
        }
    }

    /// Runs `rule` one level deeper, unless that is too deep.
    fn nested<T>(&mut self, rule: impl FnOnce(&mut Self) -> T) -> Option<T> {
        if self.depth >= MAX_DEPTH {
            self.fail(
                "Nesting too deep",
                format!("Expressions and blocks may be nested {MAX_DEPTH} levels deep."),
            );
            return None;
        }
        self.depth += 1;
        let result = rule(self);
        self.depth -= 1;
        Some(result)
    }
}
