//! Pieces of syntax together with where they come from, so that a [`Span`] can be made of any of them.

use std::sync::Arc;

use smol_str::SmolStr;
use syntax::ast;
use text::{FileId, SegmentId, Span, TextRange};

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

/// The content of a block, or of a file: what is left for a schema to decode.
///
/// After an override file was merged in, items of one body may come from several files.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Body {
    pub attributes: Vec<Attribute>,
    pub blocks: Vec<Block>,
    /// Where a missing argument is reported.
    pub missing_item: Span,
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

impl Body {
    pub fn new(origin: &Origin, ast: &ast::Body, missing_item: Span) -> Body {
        let attributes = ast.attributes.iter();
        let blocks = ast.blocks.iter();
        Body {
            attributes: attributes
                .map(|ast| Attribute {
                    origin: origin.clone(),
                    ast: ast.clone(),
                })
                .collect(),
            blocks: blocks
                .map(|ast| Block {
                    origin: origin.clone(),
                    ast: ast.clone(),
                })
                .collect(),
            missing_item,
        }
    }

    pub fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attributes
            .iter()
            .find(|attribute| attribute.name() == name)
    }

    pub fn blocks_of(&self, kind: &str) -> impl Iterator<Item = &Block> {
        self.blocks.iter().filter(move |block| block.kind() == kind)
    }
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
        let missing = self.ast.open_brace.unwrap_or(self.ast.header_range);
        Body::new(&self.origin, &self.ast.body, self.origin.span(missing))
    }
}
