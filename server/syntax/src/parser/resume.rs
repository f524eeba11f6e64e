//! Going on after an error, by brackets and layout.

use text::TextSize;

use super::Parser;
use crate::SyntaxKind;
use crate::ast::Ident;

/// Whose brace a closing brace is, judged by its column.
pub(super) enum Brace {
    Own,
    /// Of a block around this one, which therefore is not closed.
    Outer,
    /// Of no block: the one that closes this block follows.
    Stray,
}

impl Parser<'_> {
    /// After an error in the item that starts at token `first`: takes the rest of the item, as far as brackets
    /// and layout tell, with the newline that ends it.
    pub(super) fn resume(&mut self, first: usize) {
        if self.reference.is_some() {
            self.resume_as_reference(first);
            return;
        }
        if !self.is_recovering {
            return;
        }
        self.is_stopped = false;
        let limit = self.limit.take();
        let mut open = Vec::new();
        for index in first..self.pos {
            track(&mut open, self.raw(index).kind);
        }
        let mut is_open = false;
        loop {
            let kind = self.raw(self.pos).kind;
            let is_end = match kind {
                SyntaxKind::EndOfFile => true,
                SyntaxKind::Newline | SyntaxKind::CloseBrace => open.is_empty(),
                _ => false,
            };
            if is_end || Some(self.pos) == limit {
                break;
            }
            if !is_open {
                self.open_here(SyntaxKind::Error);
                is_open = true;
            }
            track(&mut open, kind);
            self.take_raw();
        }
        if is_open {
            self.close();
        }
        if self.at(SyntaxKind::Newline) {
            self.bump();
        }
    }

    /// After an error at a token that starts no item: takes it, and the rest of its line.
    pub(super) fn skip_stray(&mut self) {
        if !self.is_recovering {
            return;
        }
        self.is_stopped = false;
        self.open(SyntaxKind::Error);
        let mut open = Vec::new();
        track(&mut open, self.raw(self.pos).kind);
        self.take_raw();
        self.close();
        while open.len() == 1 && self.raw(self.pos).kind != SyntaxKind::EndOfFile {
            if self.raw(self.pos).kind == SyntaxKind::Newline {
                break;
            }
            track(&mut open, self.raw(self.pos).kind);
            self.take_raw();
        }
        let rest = self.pos;
        self.resume(rest);
    }

    /// The token at which the expression after the name at `name` must have ended: at the start of a line
    /// inside of its brackets, laid out as an item of the body around the name.
    pub(super) fn expression_limit(&mut self, name: TextSize) -> Option<usize> {
        let column = self.column(name);
        let mut open = Vec::new();
        let mut index = self.pos;
        loop {
            let token = self.raw(index);
            match token.kind {
                SyntaxKind::EndOfFile => return None,
                SyntaxKind::Newline if open.is_empty() => return None,
                _ => {}
            }
            let is_item_end = self.is_line_start(index) && {
                let own = self.column(token.range.start());
                let ends = match token.kind {
                    SyntaxKind::Ident => own <= column && self.is_item(index),
                    SyntaxKind::CloseBrace => own < column,
                    _ => false,
                };
                let templates = [SyntaxKind::OpenQuote, SyntaxKind::OpenHeredoc];
                ends && !open.iter().any(|kind| templates.contains(kind))
            };
            if is_item_end {
                return Some(index);
            }
            track(&mut open, token.kind);
            index += 1;
        }
    }

    /// Whether the text after a name makes it an item.
    fn is_item(&mut self, index: usize) -> bool {
        let mut next = index + 1;
        while self.raw(next).kind == SyntaxKind::Space {
            next += 1;
        }
        matches!(
            self.raw(next).kind,
            SyntaxKind::Equal | SyntaxKind::OpenBrace | SyntaxKind::OpenQuote
        )
    }

    fn is_line_start(&mut self, index: usize) -> bool {
        let before =
            |p: &mut Self, back: usize| index.checked_sub(back).map(|index| p.raw(index).kind);
        match before(self, 1) {
            None | Some(SyntaxKind::Newline) => true,
            Some(SyntaxKind::Space) => {
                matches!(before(self, 2), None | Some(SyntaxKind::Newline))
            }
            Some(_) => false,
        }
    }

    /// Whether a name alone on its line is the type of a block, to judge by the line after it.
    pub(super) fn is_header_without_brace(&mut self, name: &Ident) -> bool {
        let column = self.column(name.range.start());
        self.is_recovering && self.next_line_is_deeper(column)
    }

    /// Bytes since the start of the line.
    pub(super) fn column(&self, offset: TextSize) -> usize {
        let before = &self.text[..usize::from(offset)];
        before.len() - before.rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// Whether the next line that says something is indented by more than `column`.
    pub(super) fn next_line_is_deeper(&mut self, column: usize) -> bool {
        let mut index = self.pos;
        loop {
            match self.raw(index).kind {
                SyntaxKind::Newline
                | SyntaxKind::Space
                | SyntaxKind::LineComment
                | SyntaxKind::BlockComment => index += 1,
                SyntaxKind::EndOfFile => return false,
                _ => {
                    let start = self.raw(index).range.start();
                    return self.column(start) > column;
                }
            }
        }
    }

    /// Whose brace comes next, for a block whose header is at `column`.
    pub(super) fn brace(&mut self, column: usize) -> Brace {
        let index = self.next_index();
        if !self.is_recovering || !self.is_line_start(index) {
            return Brace::Own;
        }
        let start = self.raw(index).range.start();
        let own = self.column(start);
        if own < column && self.depth > 1 {
            return Brace::Outer;
        }
        if own <= column {
            return Brace::Own;
        }
        let mut next = index + 1;
        loop {
            let token = self.raw(next);
            if token.kind == SyntaxKind::EndOfFile {
                return Brace::Own;
            }
            if self.is_line_start(next) && self.column(token.range.start()) <= column {
                match token.kind {
                    SyntaxKind::CloseBrace if self.column(token.range.start()) == column => {
                        return Brace::Stray;
                    }
                    SyntaxKind::CloseBrace | SyntaxKind::Ident => return Brace::Own,
                    _ => {}
                }
            }
            next += 1;
        }
    }
}

/// Keeps account of open brackets, tolerating wrong nesting.
pub(super) fn track(open: &mut Vec<SyntaxKind>, kind: SyntaxKind) {
    use SyntaxKind::*;

    let openers: &[SyntaxKind] = match kind {
        OpenBrace
        | OpenBracket
        | OpenParen
        | OpenQuote
        | OpenHeredoc
        | TemplateInterpolation
        | TemplateControl => {
            open.push(kind);
            return;
        }
        CloseBrace => &[OpenBrace],
        CloseBracket => &[OpenBracket],
        CloseParen => &[OpenParen],
        CloseQuote => &[OpenQuote],
        CloseHeredoc => &[OpenHeredoc],
        TemplateEnd => &[TemplateInterpolation, TemplateControl],
        _ => return,
    };
    if let Some(at) = open.iter().rposition(|kind| openers.contains(kind)) {
        open.truncate(at);
    }
}
