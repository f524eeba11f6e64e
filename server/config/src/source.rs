//! Pieces of syntax together with where they come from, so that a [`Span`] can be made of any of them.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast;
use text::{FileId, SegmentId, Span, TextRange};

pub(crate) use crate::body::Body;

/// The segment of a file that syntax ranges are relative to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Origin {
    pub file: FileId,
    pub segment: SegmentId,
}

impl Origin {
    pub fn span(&self, range: TextRange) -> Span {
        Span {
            file: self.file.clone(),
            segment: self.segment,
            range,
        }
    }
}

/// An expression and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub origin: Origin,
    pub ast: Arc<ast::Expr>,
}

impl Expr {
    pub fn new(origin: &Origin, ast: Arc<ast::Expr>) -> Expr {
        Expr {
            origin: origin.clone(),
            ast,
        }
    }

    pub fn span(&self) -> Span {
        self.origin.span(self.ast.range)
    }
}

/// A name in a declaration: a label, a keyword or an argument's name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: SmolStr,
    /// Of a quoted label with its quotes.
    pub span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub origin: Origin,
    pub ast: Arc<ast::Attribute>,
}

/// A nested block. `dynamic` blocks stand here as they are written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    pub origin: Origin,
    pub ast: Arc<ast::Block>,
}

impl Attribute {
    pub fn name(&self) -> &SmolStr {
        &self.ast.name.name
    }

    pub fn name_span(&self) -> Span {
        self.origin.span(self.ast.name.range)
    }

    pub fn expr(&self) -> Expr {
        Expr::new(&self.origin, self.ast.expr.clone())
    }

    /// From the name to the end of the expression.
    pub fn span(&self) -> Span {
        self.origin.span(self.ast.range)
    }
}

impl Block {
    pub fn kind(&self) -> &SmolStr {
        &self.ast.kind.name
    }

    /// The type of the blocks that a `dynamic` block makes, or else the block's own.
    pub fn effective_kind(&self) -> &str {
        match self.ast.labels.first() {
            Some(label) if self.kind() == "dynamic" => &label.text,
            _ => self.kind(),
        }
    }

    /// The name that the current element has in a `dynamic` block.
    pub fn iterator(&self) -> Option<SmolStr> {
        if self.kind() != "dynamic" {
            return None;
        }
        let written = self.body().attribute("iterator").map(|it| it.expr());
        let written = written.as_ref().and_then(|it| it.ast.as_traversal());
        let by_kind = || self.effective_kind().into();
        Some(written.map_or_else(by_kind, |it| it.root.name.clone()))
    }

    pub fn kind_span(&self) -> Span {
        self.origin.span(self.ast.kind.range)
    }

    /// The block type with the labels.
    pub fn header_span(&self) -> Span {
        self.origin.span(self.ast.header_range)
    }

    pub fn span(&self) -> Span {
        self.origin.span(self.ast.range)
    }

    pub fn label(&self, index: usize) -> Option<Name> {
        let label = self.ast.labels.get(index)?;
        Some(Name {
            text: label.text.clone(),
            span: self.origin.span(label.range),
        })
    }

    pub fn body(&self) -> Body {
        let Block { origin, ast } = self;
        let open = ast.open_brace.unwrap_or(ast.header_range);
        let missing = match ast.body.members {
            Some(_) => ast.close_brace.unwrap_or(open),
            None => open,
        };
        Body::new(origin, &ast.body, origin.span(missing))
    }
}
