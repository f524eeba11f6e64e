//! Open bodies, objects, brackets, quotes and templates at a token.

use smol_str::SmolStr;
use syntax::SyntaxToken;
use text::TextSize;

use super::{Bound, CallAtCursor, Header};

/// A bracket, a quote, a template or a body that is open.
pub(super) struct Frame {
    pub(super) kind: FrameKind,
    /// Where the expression begins that a dot or a bracket would continue.
    pub(super) tail: Option<TextSize>,
    pub(super) is_after_dot: bool,
    pub(super) is_operand: bool,
    pub(super) r#for: Option<ForPart>,
}

pub(super) enum FrameKind {
    Body {
        header: Header,
        item: ItemState,
    },
    Object {
        keys: Vec<SmolStr>,
        key: Option<SmolStr>,
        is_value: bool,
    },
    List,
    Index,
    Call(CallAtCursor),
    Parens,
    Quoted {
        text: String,
        start: TextSize,
    },
    Heredoc,
    Template,
}

/// How much of an item of a body was read.
pub(super) enum ItemState {
    Start,
    Header(Header),
    Value(SmolStr),
}

/// How much of a `for` expression was read.
pub(super) enum ForPart {
    Names(Vec<SmolStr>),
    Collection {
        names: Vec<SmolStr>,
        start: TextSize,
    },
    Body(Bound),
}

impl Frame {
    pub(super) fn new(kind: FrameKind) -> Frame {
        Frame {
            kind,
            tail: None,
            is_after_dot: false,
            is_operand: false,
            r#for: None,
        }
    }

    /// Another expression begins.
    pub(super) fn restart(&mut self) {
        self.tail = None;
        self.is_after_dot = false;
        self.is_operand = false;
    }

    pub(super) fn operator(&mut self) {
        self.restart();
        self.is_operand = true;
    }

    /// The token begins an expression, unless a dot stands before it.
    pub(super) fn begins(&mut self, token: &SyntaxToken) {
        if !std::mem::take(&mut self.is_after_dot) {
            self.tail = Some(token.text_range().start());
        }
    }

    pub(super) fn is_bracketed(&self) -> bool {
        matches!(
            self.kind,
            FrameKind::List | FrameKind::Index | FrameKind::Call(_) | FrameKind::Parens
        )
    }
}
