//! Parsing as hclsyntax does: after the first error it reports few others, and passes over the text up to where the
//! brackets around the error close.

use std::collections::HashMap;

use text::Problem;

use super::body::{Content, ITEM_REQUIRED, ITEM_REQUIRED_HERE};
use super::{Parser, SegmentParse, unread_tree};
use crate::SyntaxKind;
use crate::ast::Item;
use crate::effort::Effort;
use crate::file::error;
use crate::lexer::{Lexer, error_of};

/// How the parser goes on after errors.
#[derive(Default)]
pub(super) struct Reference {
    has_failed: bool,
    /// The parentheses around the error count as closed.
    is_paren_closed: bool,
}

/// A whole file as one segment.
pub(crate) fn parse_as_reference(text: &str) -> SegmentParse {
    let effort = Effort::for_file(text.len());
    let mut parser = Parser::new(text, Lexer::new(text, &effort), true);
    parser.reference = Some(Reference::default());
    parser.errors = parser.invalid_tokens();
    let mut content = Content::default();
    loop {
        match parser.peek() {
            SyntaxKind::EndOfFile => break,
            SyntaxKind::Newline => {
                parser.bump();
            }
            SyntaxKind::Ident => {
                let item = parser.item();
                parser.add(&mut content, item);
            }
            SyntaxKind::OpenQuote => {
                parser.fail(
                    "Invalid argument name",
                    "Argument names must not be quoted.",
                );
                break;
            }
            _ => {
                parser.fail(ITEM_REQUIRED, ITEM_REQUIRED_HERE);
                break;
            }
        }
    }
    let blocks = content.body.blocks.into_iter().map(Item::Block);
    let attributes = content.body.attributes.into_iter().map(Item::Attribute);
    SegmentParse {
        len: text.len(),
        green: Some(unread_tree(text)),
        items: attributes.chain(blocks).collect(),
        errors: parser.errors,
        is_closed: false,
        hopeless: Vec::new(),
        is_doubtful: false,
    }
}

impl Parser<'_> {
    /// The errors of the scanner, of some kinds only the first.
    fn invalid_tokens(&mut self) -> Vec<Problem> {
        let mut errors = Vec::new();
        let mut counts = HashMap::new();
        let mut index = 0;
        loop {
            let token = self.raw(index);
            index += 1;
            if token.kind == SyntaxKind::EndOfFile {
                return errors;
            }
            let text = self.slice(token.range);
            let Some((summary, detail)) = error_of(token.kind, text) else {
                continue;
            };
            let kind = match text {
                "&" | "|" | "^" | "~" => "&",
                _ => text,
            };
            let count: &mut u32 = counts.entry(kind).or_default();
            let is_told = match kind {
                "&" => *count < 4,
                "'" | "`" => count.is_multiple_of(2),
                ";" => *count < 1,
                _ => true,
            };
            if !matches!(kind, "'" | "`") || *count <= 2 {
                *count += 1;
            }
            if is_told {
                errors.push(error(token.range, summary, detail));
            }
        }
    }

    pub(super) fn has_failed(&self) -> bool {
        self.reference.as_ref().is_some_and(|it| it.has_failed)
    }

    pub(super) fn set_failed(&mut self) {
        if let Some(reference) = &mut self.reference {
            reference.has_failed = true;
        }
    }

    /// The token after an expression in parentheses is taken for the one that closes them.
    pub(super) fn close_paren_anyway(&mut self) {
        if let Some(reference) = &mut self.reference {
            reference.is_paren_closed = true;
        }
    }

    /// After an error in the item that starts at token `first`: passes over what is open there from the inside out, and then
    /// over the rest of the item.
    pub(super) fn resume_as_reference(&mut self, first: usize) {
        self.is_stopped = false;
        self.set_failed();
        let mut open = Vec::new();
        for index in first..self.pos {
            open_and_close(&mut open, self.raw(index).kind);
        }
        let is_paren_closed = self
            .reference
            .as_mut()
            .is_some_and(|it| std::mem::take(&mut it.is_paren_closed));
        if is_paren_closed && open.last() == Some(&SyntaxKind::OpenParen) {
            open.pop();
            self.take_raw();
        }
        while let Some(opener) = open.pop() {
            self.skip_past(Some(opener));
        }
        loop {
            let kind = self.raw(self.pos).kind;
            if kind == SyntaxKind::EndOfFile {
                break;
            }
            self.take_raw();
            if kind == SyntaxKind::Newline && open.is_empty() {
                break;
            }
            open_and_close(&mut open, kind);
        }
    }

    /// A bracket of an index does not close: the error is at the token up to which the text is passed over.
    pub(super) fn fail_at_closing_bracket(&mut self, summary: &'static str, detail: &str) {
        if self.is_stopped {
            return;
        }
        let has_failed = self.has_failed();
        self.bump();
        if has_failed {
            return;
        }
        self.skip_past(Some(SyntaxKind::OpenBracket));
        let last = self.pos.saturating_sub(1);
        let end = match self.raw(last).kind {
            SyntaxKind::CloseBracket => self.raw(last).range,
            _ => self.raw(self.pos).range,
        };
        self.report(end, summary, detail);
        self.is_stopped = true;
    }

    /// After an error in the label of a block.
    pub(super) fn resume_label(&mut self, kind: SyntaxKind) {
        let opener = match kind {
            SyntaxKind::TemplateInterpolation | SyntaxKind::TemplateControl => kind,
            _ => SyntaxKind::OpenQuote,
        };
        self.is_stopped = false;
        self.bump();
        self.skip_past(Some(opener));
    }

    /// After an error in a body: goes past the bracket that closes `opener`, or to the end of the file.
    pub(super) fn skip_past(&mut self, opener: Option<SyntaxKind>) {
        self.set_failed();
        let mut nested = 0;
        loop {
            let kind = self.raw(self.pos).kind;
            if kind == SyntaxKind::EndOfFile {
                break;
            }
            self.take_raw();
            match opener {
                Some(opener) if normal(kind) == normal(opener) => nested += 1,
                Some(opener) if Some(normal(opener)) == opener_of(kind) => {
                    if nested == 0 {
                        break;
                    }
                    nested -= 1;
                }
                _ => {}
            }
        }
    }

    pub(super) fn skip_body_as_reference(&mut self) {
        self.is_stopped = false;
        self.bump();
        self.skip_past(Some(SyntaxKind::OpenBrace));
    }
}

/// Directives and interpolations end alike.
fn normal(kind: SyntaxKind) -> SyntaxKind {
    match kind {
        SyntaxKind::TemplateControl => SyntaxKind::TemplateInterpolation,
        kind => kind,
    }
}

fn opener_of(kind: SyntaxKind) -> Option<SyntaxKind> {
    Some(match kind {
        SyntaxKind::CloseBrace => SyntaxKind::OpenBrace,
        SyntaxKind::CloseBracket => SyntaxKind::OpenBracket,
        SyntaxKind::CloseParen => SyntaxKind::OpenParen,
        SyntaxKind::CloseQuote => SyntaxKind::OpenQuote,
        SyntaxKind::CloseHeredoc => SyntaxKind::OpenHeredoc,
        SyntaxKind::TemplateEnd => SyntaxKind::TemplateInterpolation,
        _ => return None,
    })
}

/// Keeps account of open brackets. One that closes without an opener of its own closes all.
fn open_and_close(open: &mut Vec<SyntaxKind>, kind: SyntaxKind) {
    let openers = [
        SyntaxKind::OpenBrace,
        SyntaxKind::OpenBracket,
        SyntaxKind::OpenParen,
        SyntaxKind::OpenQuote,
        SyntaxKind::OpenHeredoc,
        SyntaxKind::TemplateInterpolation,
    ];
    if openers.contains(&normal(kind)) {
        open.push(normal(kind));
    } else if let Some(opener) = opener_of(kind) {
        while open.last().is_some_and(|last| *last != opener) {
            open.pop();
        }
        open.pop();
    }
}
