//! Attributes and blocks, and how to go on after an error in one of them.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use rowan::{Checkpoint, GreenNodeBuilder};
use smol_str::SmolStr;
use text::TextRange;

use super::resume::Brace;
use super::{Parser, SegmentParse};
use crate::SyntaxKind;
use crate::ast::{Attribute, Block, Body, Expr, Ident, Item, Label};
use crate::file::redefined;
use crate::lexer::MULTI_LINE_STRING;
use crate::string;

pub(super) const ITEM_REQUIRED: &str = "Argument or block definition required";
pub(super) const ITEM_REQUIRED_HERE: &str = "An argument or block definition is required here.";
const EQUALS_REQUIRED_HERE: &str = "An argument or block definition is required here. To set an argument, \
                                    use the equals sign \"=\" to introduce the argument value.";
const UNCLOSED_BLOCK: (&str, &str) = (
    "Unclosed configuration block",
    "There is no closing brace for this block before the end of the file. This may be caused by incorrect \
     brace nesting elsewhere in this file.",
);
const INVALID_BLOCK: &str = "Invalid block definition";
const INVALID_SINGLE: &str = "Invalid single-argument block definition";

/// A body while it is read.
#[derive(Default)]
pub(super) struct Content {
    pub body: Body,
    /// Of the attributes, once they are many.
    names: HashSet<SmolStr>,
}

impl Content {
    /// Whether no attribute has this name yet.
    fn is_new(&mut self, name: &SmolStr) -> bool {
        /// Fewer names are rather compared than hashed.
        const MANY: usize = 16;
        let attributes = &self.body.attributes;
        if attributes.len() < MANY {
            return self.body.attribute(name).is_none();
        }
        if self.names.is_empty() {
            let known = attributes.iter().map(|known| known.name.name.clone());
            self.names = known.collect();
        }
        self.names.insert(name.clone())
    }
}

impl<'a> Parser<'a> {
    pub(super) fn segment(mut self) -> SegmentParse {
        let mut items = Vec::new();
        while self.eat(SyntaxKind::Newline).is_some() {}
        let has_item = !self.at(SyntaxKind::EndOfFile);
        match self.peek() {
            SyntaxKind::EndOfFile => {}
            SyntaxKind::Ident if self.is_hopeless() => {
                self.fail(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
            }
            SyntaxKind::Ident => items.push(self.item()),
            SyntaxKind::OpenQuote => {
                self.fail(
                    "Invalid argument name",
                    "Argument names must not be quoted.",
                );
                self.skip_stray();
            }
            _ => {
                self.fail(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
                self.skip_stray();
            }
        }
        if self.is_recovering {
            self.is_stopped = false;
        }
        let last = self.pos.checked_sub(1).map(|last| self.raw(last).kind);
        let is_closed = has_item && last == Some(SyntaxKind::Newline);
        if !is_closed && (!has_item || self.peek() == SyntaxKind::EndOfFile) {
            self.take_trivia();
        }
        let len = usize::from(self.raw(self.pos).range.start());
        self.close();
        SegmentParse {
            len,
            green: self.green.map(GreenNodeBuilder::finish),
            items,
            errors: self.errors,
            is_closed,
            hopeless: self.open_items,
            is_doubtful: self.lexer.is_doubtful(),
        }
    }

    /// Whether the item that starts here is known to have an error.
    fn is_hopeless(&mut self) -> bool {
        let start = self.start();
        self.hopeless.contains(&start)
    }

    pub(super) fn item(&mut self) -> Item {
        let start = self.start();
        self.open_items.push(start);
        let item = self.item_here();
        if !self.is_stopped {
            self.open_items.pop();
        }
        item
    }

    fn item_here(&mut self) -> Item {
        let first = self.next_index();
        let checkpoint = self.checkpoint();
        let name = self.ident();
        match self.peek() {
            SyntaxKind::Equal => Item::Attribute(self.attribute(checkpoint, name, first, false)),
            SyntaxKind::OpenQuote | SyntaxKind::OpenBrace | SyntaxKind::Ident => {
                self.nested_block(checkpoint, name, first)
            }
            SyntaxKind::Newline if self.is_header_without_brace(&name) => {
                self.nested_block(checkpoint, name, first)
            }
            _ => {
                self.fail_after(&name);
                self.wrap(checkpoint, SyntaxKind::Attribute);
                self.resume(first);
                Item::Attribute(Arc::new(unfinished(name)))
            }
        }
    }

    /// A block one level deeper. One that is too deep is passed over with everything in it.
    fn nested_block(&mut self, checkpoint: Option<Checkpoint>, kind: Ident, first: usize) -> Item {
        match self.nested(|p| p.block(checkpoint, kind.clone(), first)) {
            Some(block) => Item::Block(block),
            None => {
                self.resume(first);
                Item::Attribute(Arc::new(unfinished(kind)))
            }
        }
    }

    /// There is nothing after the name that makes it an item.
    fn fail_after(&mut self, name: &Ident) {
        let next = self.next_token();
        match self.token_error(next) {
            Some((summary, detail)) => self.fail_at(next.range, summary, detail),
            None => self.fail_always_at(name.range, ITEM_REQUIRED, EQUALS_REQUIRED_HERE),
        }
    }

    pub(super) fn ident(&mut self) -> Ident {
        let range = self.bump().range;
        Ident {
            name: SmolStr::new(self.slice(range)),
            range,
        }
    }

    fn attribute(
        &mut self,
        checkpoint: Option<Checkpoint>,
        name: Ident,
        first: usize,
        is_single_line: bool,
    ) -> Arc<Attribute> {
        let equals = self.bump().range;
        if self.is_recovering {
            self.limit = self.expression_limit(name.range.start());
        }
        let expr = self.expression();
        let range = self.since(name.range.start());
        self.wrap(checkpoint, SyntaxKind::Attribute);
        if !is_single_line {
            if !self.is_stopped {
                self.limit = None;
            }
            let detail = "An argument definition must end with a newline.";
            match self.peek() {
                SyntaxKind::Newline => {
                    self.bump();
                }
                SyntaxKind::EndOfFile => {}
                SyntaxKind::Comma => self.fail(
                    "Unexpected comma after argument",
                    format!(
                        "Argument definitions must be separated by newlines, not commas. {detail}"
                    ),
                ),
                _ => self.fail("Missing newline after argument", detail),
            }
        }
        if self.is_stopped {
            self.resume(first);
        }
        self.limit = None;
        Arc::new(Attribute {
            name,
            equals: Some(equals),
            expr: Arc::new(expr),
            range,
        })
    }

    fn block(&mut self, checkpoint: Option<Checkpoint>, kind: Ident, first: usize) -> Arc<Block> {
        let start = kind.range.start();
        let labels = self.labels();
        let header_range = self.since(start);
        let open_brace = match self.peek() {
            SyntaxKind::OpenBrace => Some(self.bump().range),
            SyntaxKind::Equal => {
                self.fail_always(
                    INVALID_BLOCK,
                    "The equals sign \"=\" indicates an argument definition, and must not be used when \
                     defining a block.",
                );
                None
            }
            SyntaxKind::Newline => {
                self.fail_always(
                    INVALID_BLOCK,
                    "A block definition must have block content delimited by \"{\" and \"}\", starting \
                     on the same line as the block header.",
                );
                None
            }
            _ => {
                self.fail(
                    INVALID_BLOCK,
                    "Either a quoted string block label or an opening brace (\"{\") is expected here.",
                );
                None
            }
        };
        let column = self.column(start);
        let mut content = Content::default();
        let body_start = self.end;
        let close_brace = match (open_brace, self.peek()) {
            (None, _) => {
                self.resume(first);
                if self.is_recovering && self.next_line_is_deeper(column) {
                    self.content(&mut content, header_range, column)
                } else {
                    None
                }
            }
            (
                Some(open_brace),
                SyntaxKind::Newline | SyntaxKind::EndOfFile | SyntaxKind::CloseBrace,
            ) => self.content(&mut content, open_brace, column),
            (Some(open_brace), _) => self.single_line_content(&mut content, open_brace, column),
        };
        let mut body = content.body;
        body.attributes.shrink_to_fit();
        body.blocks.shrink_to_fit();
        body.range = match close_brace {
            Some(brace) => TextRange::new(body_start, brace.start()),
            None => self.since(body_start),
        };
        let range = self.since(start);
        self.wrap(checkpoint, SyntaxKind::Block);
        let is_ended = close_brace.is_some() || open_brace.is_some() && self.reference.is_some();
        if is_ended {
            match self.peek() {
                SyntaxKind::Newline => {
                    self.bump();
                }
                SyntaxKind::EndOfFile => {}
                _ => {
                    let end = self.pos;
                    self.fail(
                        "Missing newline after block definition",
                        "A block definition must end with a newline.",
                    );
                    self.resume(end);
                }
            }
        }
        Arc::new(Block {
            kind,
            labels,
            body,
            header_range,
            open_brace,
            close_brace,
            range,
        })
    }

    fn labels(&mut self) -> Vec<Label> {
        let mut labels = Vec::new();
        loop {
            match self.peek() {
                SyntaxKind::OpenQuote => {
                    self.open(SyntaxKind::Label);
                    let start = self.start();
                    let text = self.quoted_string();
                    self.close();
                    labels.push(Label {
                        text,
                        range: self.since(start),
                        quoted: true,
                    });
                }
                SyntaxKind::Ident => {
                    self.open(SyntaxKind::Label);
                    let Ident { name, range } = self.ident();
                    self.close();
                    labels.push(Label {
                        text: name,
                        range,
                        quoted: false,
                    });
                }
                _ => return labels,
            }
        }
    }

    /// A quoted string in which there may be no templates. Its value is not normalised.
    pub(super) fn quoted_string(&mut self) -> SmolStr {
        let invalid = "Invalid string literal";
        let open = self.bump();
        let mut value = Cow::Borrowed("");
        loop {
            match self.peek() {
                SyntaxKind::CloseQuote => {
                    if self.bump().range.is_empty() {
                        let (summary, detail) = MULTI_LINE_STRING;
                        self.report(self.since(open.range.start()), summary, detail);
                    }
                    break;
                }
                SyntaxKind::QuotedLiteral => value += self.quoted_literal(),
                kind @ (SyntaxKind::TemplateInterpolation | SyntaxKind::TemplateControl) => {
                    let sigil = if kind == SyntaxKind::TemplateControl {
                        "%"
                    } else {
                        "$"
                    };
                    self.fail_always(
                        invalid,
                        format!(
                            "Template sequences are not allowed in this string. To include a literal \
                             {sigil:?}, double it (as \"{sigil}{sigil}\") to escape it."
                        ),
                    );
                    if self.reference.is_some() {
                        // The mark of hclsyntax, which is no part of a name.
                        value += sigil;
                        value += "{ ... }";
                        self.resume_label(kind);
                        continue;
                    }
                    break;
                }
                SyntaxKind::EndOfFile => {
                    self.fail_always(
                        "Unterminated string literal",
                        "Unable to find the closing quote mark before the end of the file.",
                    );
                    if self.reference.is_some() {
                        self.is_stopped = false;
                    }
                    break;
                }
                kind => {
                    self.fail_always(invalid, "This item is not valid in a string literal.");
                    if self.reference.is_some() {
                        self.resume_label(kind);
                    }
                    break;
                }
            }
        }
        SmolStr::from(value)
    }

    pub(super) fn quoted_literal(&mut self) -> Cow<'a, str> {
        let range = self.bump().range;
        string::unescape(self.slice(range), |bad| {
            self.report(
                bad.range + range.start(),
                "Invalid escape sequence",
                bad.detail,
            );
        })
    }

    /// The items of a body, and the brace that ends it.
    fn content(
        &mut self,
        content: &mut Content,
        opened_by: TextRange,
        column: usize,
    ) -> Option<TextRange> {
        self.open(SyntaxKind::Body);
        let close_brace = loop {
            match self.peek() {
                SyntaxKind::Newline => {
                    self.bump();
                }
                SyntaxKind::Ident => {
                    let item = self.item();
                    self.add(content, item);
                }
                SyntaxKind::CloseBrace => match self.brace(column) {
                    Brace::Own => {
                        self.close();
                        return Some(self.bump().range);
                    }
                    Brace::Outer => {
                        self.report(opened_by, UNCLOSED_BLOCK.0, UNCLOSED_BLOCK.1);
                        break None;
                    }
                    Brace::Stray => {
                        self.fail(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
                        self.skip_stray();
                    }
                },
                SyntaxKind::EndOfFile => {
                    self.fail_at(opened_by, UNCLOSED_BLOCK.0, UNCLOSED_BLOCK.1);
                    break None;
                }
                SyntaxKind::OpenQuote => {
                    self.fail(
                        "Invalid argument name",
                        "Argument names must not be quoted.",
                    );
                    self.skip_stray();
                }
                _ => {
                    self.fail(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
                    self.skip_stray();
                }
            }
            if self.is_stopped && self.reference.is_some() {
                self.skip_body_as_reference();
                break None;
            }
        };
        self.close();
        close_brace
    }

    pub(super) fn add(&mut self, content: &mut Content, item: Item) {
        match item {
            // The reference has no item where only a name is.
            Item::Attribute(it) if it.equals.is_none() && self.reference.is_some() => {}
            Item::Block(block) => content.body.blocks.push(block),
            // Native syntax makes none.
            Item::Member(_) => {}
            Item::Attribute(attribute) => {
                if content.is_new(&attribute.name.name) {
                    content.body.attributes.push(attribute);
                } else {
                    self.add_error(redefined(&attribute.name));
                }
            }
        }
    }

    /// The single argument of a block on one line.
    fn single_line_content(
        &mut self,
        content: &mut Content,
        open_brace: TextRange,
        column: usize,
    ) -> Option<TextRange> {
        self.open(SyntaxKind::Body);
        let first = self.next_index();
        if self.at(SyntaxKind::Ident) {
            let checkpoint = self.checkpoint();
            let name = self.ident();
            match self.peek() {
                SyntaxKind::Equal => {
                    let attribute = self.attribute(checkpoint, name, first, true);
                    self.add(content, Item::Attribute(attribute));
                }
                SyntaxKind::OpenQuote | SyntaxKind::OpenBrace | SyntaxKind::Ident => {
                    let range = name.range.cover(self.next_token().range);
                    self.fail_always_at(
                        range,
                        "Argument definition required",
                        format!(
                            "A single-line block definition can contain only a single argument. If you \
                             meant to define argument {:?}, use an equals sign to assign it a value. To \
                             define a nested block, place it on a line of its own within its parent \
                             block.",
                            name.name
                        ),
                    );
                }
                _ => {
                    self.fail_after(&name);
                    self.add(content, Item::Attribute(Arc::new(unfinished(name))));
                }
            }
        } else {
            self.fail_always(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
            if self.reference.is_some() {
                self.is_stopped = false;
                self.bump();
                self.is_stopped = true;
            }
        }
        if self.is_stopped && self.reference.is_some() {
            self.resume_as_reference(self.pos);
        }
        match self.peek() {
            SyntaxKind::CloseBrace => {
                self.close();
                return Some(self.bump().range);
            }
            SyntaxKind::Comma => self.fail_always(
                INVALID_SINGLE,
                "Single-line block syntax can include only one argument definition. To define multiple \
                 arguments, use the multi-line block syntax with one argument definition per line.",
            ),
            SyntaxKind::Newline => self.fail_always(
                INVALID_SINGLE,
                "An argument definition on the same line as its containing block creates a single-line \
                 block definition, which must also be closed on the same line. Place the block's closing \
                 brace immediately after the argument definition.",
            ),
            SyntaxKind::EndOfFile => {
                if !self.is_stopped {
                    self.fail_at(open_brace, UNCLOSED_BLOCK.0, UNCLOSED_BLOCK.1);
                }
            }
            _ => self.fail(
                INVALID_SINGLE,
                "A single-line block definition must end with a closing brace immediately after its \
                 single argument definition.",
            ),
        }
        self.close();
        if self.reference.is_some() {
            self.is_stopped = false;
            self.skip_past(Some(SyntaxKind::OpenBrace));
        }
        if self.is_recovering {
            self.resume(first);
            return self.content(content, open_brace, column);
        }
        None
    }
}

fn unfinished(name: Ident) -> Attribute {
    let range = name.range;
    Attribute {
        name,
        equals: None,
        expr: Arc::new(Expr::error(range.end())),
        range,
    }
}
