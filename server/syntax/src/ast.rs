//! The typed syntax tree of a segment: the configuration, without its trivia.
//!
//! Shapes and names follow hclsyntax, so that evaluation can follow the reference implementation. All ranges
//! are relative to the start of the segment (for the standalone entry points: to the start of the text).

use std::borrow::Cow;
use std::sync::Arc;

use smol_str::SmolStr;
use text::{Problem, TextRange, TextSize};

use crate::json;

/// A name together with its place. `name` is exactly the source text.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Ident {
    pub name: SmolStr,
    pub range: TextRange,
}

/// Attributes and blocks, each in source order. An attribute that is defined twice is here once: the first.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Body {
    pub attributes: Vec<Arc<Attribute>>,
    pub blocks: Vec<Arc<Block>>,
    /// In JSON syntax the properties of the object: a schema says which are attributes and which are blocks.
    pub members: Option<Vec<Arc<json::Member>>>,
    /// From after the opening brace up to the closing one.
    pub range: TextRange,
}

/// An item on one level of a body.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Item {
    Attribute(Arc<Attribute>),
    Block(Arc<Block>),
    /// In JSON syntax, a property of which it is not known that it is a block.
    Member(Arc<json::Member>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    pub name: Ident,
    /// `None` while only the name is typed.
    pub equals: Option<TextRange>,
    pub expr: Arc<Expr>,
    pub range: TextRange,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Block {
    pub kind: Ident,
    pub labels: Vec<Label>,
    pub body: Body,
    /// From the block type to the last label.
    pub header_range: TextRange,
    pub open_brace: Option<TextRange>,
    pub close_brace: Option<TextRange>,
    pub range: TextRange,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Label {
    /// Unescaped and without quotes.
    pub text: SmolStr,
    /// With quotes.
    pub range: TextRange,
    pub quoted: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expr {
    pub kind: ExprKind,
    pub range: TextRange,
}

/// A list of a text may have millions of elements: larger kinds of expressions are boxed.
const _: () = assert!(size_of::<Expr>() <= 64);

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ExprKind {
    /// Decimal text as written, such as `1.50` or `1e400`; has a sign only in JSON syntax.
    Number(SmolStr),
    Bool(bool),
    Null,
    /// A quoted or heredoc template, of any number of parts.
    Template(Template),
    /// A template that is exactly one interpolation: its value keeps its type.
    TemplateWrap(Box<Expr>),
    /// `root.attr[0]`, all of it known without evaluation.
    Traversal(Traversal),
    /// Static steps after something that is itself evaluated, such as `f(x).name`.
    RelativeTraversal {
        source: Box<Expr>,
        steps: Vec<Step>,
    },
    /// `collection[key]` where the key is evaluated.
    Index {
        collection: Box<Expr>,
        key: Box<Expr>,
    },
    Splat(Box<Splat>),
    /// The current element inside a [`Splat`]'s `each`.
    SplatItem,
    Call(Box<Call>),
    Tuple(Vec<Expr>),
    Object(Vec<ObjectItem>),
    For(Box<For>),
    Conditional(Box<Conditional>),
    Binary {
        op: BinaryOp,
        left: Box<Expr>,
        right: Box<Expr>,
        op_range: TextRange,
    },
    Unary {
        op: UnaryOp,
        operand: Box<Expr>,
        op_range: TextRange,
    },
    Parens(Box<Expr>),
    /// A string of JSON syntax.
    Json(Box<JsonString>),
    /// A place that could not be parsed, with the understood part before it: `foo.` keeps `foo`.
    Error(Option<Box<Expr>>),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Traversal {
    pub root: Ident,
    pub steps: Vec<Step>,
}

/// A static step of a traversal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub kind: StepKind,
    /// With its dot or brackets.
    pub range: TextRange,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum StepKind {
    /// `.name`
    Attr(Ident),
    /// `["key"]` or `[0]`
    Index(Key),
    /// `.0`, decimal text.
    LegacyIndex(SmolStr),
}

/// A literal between brackets. Only strings and numbers are of use; the others are errors at evaluation.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    String(SmolStr),
    /// Decimal text.
    Number(SmolStr),
    Bool(bool),
    Null,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Splat {
    pub kind: SplatKind,
    pub source: Expr,
    /// Evaluated per element, which is [`ExprKind::SplatItem`] at its root.
    pub each: Expr,
    /// The `.*` or `[*]`.
    pub marker: TextRange,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SplatKind {
    /// `.*`: later attribute steps apply to the elements, later index steps to the result.
    AttributeOnly,
    /// `[*]`: all later steps apply to the elements.
    Full,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Call {
    /// With its namespaces: `provider::time::rfc3339_parse`.
    pub name: SmolStr,
    pub name_range: TextRange,
    pub args: Vec<Expr>,
    /// Whether the last argument is followed by `...`.
    pub expand_final: bool,
    pub open_paren: TextRange,
    /// `None` when it is missing.
    pub close_paren: Option<TextRange>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ObjectItem {
    pub key: ObjectKey,
    pub value: Expr,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ObjectKey {
    /// A bare identifier: a literal string.
    Name(Ident),
    /// Anything else is evaluated: `(expr)`, a template, a number. A bare traversal with steps is an error of
    /// evaluation ("Ambiguous attribute key").
    Expr(Expr),
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct For {
    /// The first of two names.
    pub key_var: Option<Ident>,
    pub value_var: Ident,
    pub collection: Expr,
    /// `Some`: the result is an object.
    pub key: Option<Expr>,
    pub value: Expr,
    pub condition: Option<Expr>,
    /// Whether the value is followed by `...`.
    pub group: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Conditional {
    pub condition: Expr,
    pub true_result: Expr,
    pub false_result: Expr,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    Greater,
    GreaterOrEqual,
    Less,
    LessOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Modulo,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnaryOp {
    Negate,
    Not,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    pub kind: TemplateKind,
    pub parts: Vec<TemplatePart>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TemplateKind {
    Quoted,
    Heredoc,
    /// A whole text, as in a template file.
    Bare,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TemplatePart {
    /// The text's value: unescaped, trimmed, dedented, NFC.
    Literal(SmolStr, TextRange),
    Interpolation(Expr),
    If(Box<TemplateIf>),
    For(Box<TemplateFor>),
}

/// `%{ if condition }...%{ else }...%{ endif }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateIf {
    pub condition: Expr,
    pub then_parts: Vec<TemplatePart>,
    pub else_parts: Vec<TemplatePart>,
    pub range: TextRange,
}

/// `%{ for k, v in collection }...%{ endfor }`
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TemplateFor {
    pub key_var: Option<Ident>,
    pub value_var: Ident,
    pub collection: Expr,
    pub parts: Vec<TemplatePart>,
    pub range: TextRange,
}

/// A string of JSON syntax. Its meaning depends on its place.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct JsonString {
    /// The value, where nothing is evaluated; and the source of an expression where native syntax wants a reference, a
    /// keyword or a type.
    pub(crate) text: json::Text,
    /// The evaluated expression.
    pub template: Expr,
    /// The errors of the template.
    pub errors: Vec<Problem>,
}

impl Item {
    pub fn range(&self) -> TextRange {
        match self {
            Item::Attribute(attribute) => attribute.range,
            Item::Block(block) => block.range,
            Item::Member(member) => member.name_range.cover(member.value.range),
        }
    }
}

impl Template {
    /// The value of a template without interpolations and directives.
    pub fn as_literal(&self) -> Option<SmolStr> {
        match self.parts.as_slice() {
            [] => Some(SmolStr::default()),
            [TemplatePart::Literal(text, _)] => Some(text.clone()),
            parts => {
                let literals: Option<String> = parts
                    .iter()
                    .map(|part| match part {
                        TemplatePart::Literal(text, _) => Some(text.as_str()),
                        TemplatePart::Interpolation(_)
                        | TemplatePart::If(_)
                        | TemplatePart::For(_) => None,
                    })
                    .collect();
                literals.map(SmolStr::from)
            }
        }
    }
}

impl Expr {
    pub(crate) fn error(at: TextSize) -> Expr {
        Expr {
            kind: ExprKind::Error(None),
            range: TextRange::empty(at),
        }
    }

    /// The value of a string without interpolations and directives; in JSON syntax the text as it stands there.
    pub fn as_literal_string(&self) -> Option<SmolStr> {
        match &self.kind {
            ExprKind::Template(template) => template.as_literal(),
            ExprKind::Json(string) => Some(string.value().clone()),
            _ => None,
        }
    }

    /// The value of a string of native syntax without interpolations and directives.
    pub fn as_quoted_string(&self) -> Option<SmolStr> {
        match &self.kind {
            ExprKind::Template(template) => template.as_literal(),
            _ => None,
        }
    }

    /// The traversal, when the expression is one and nothing else. `null`, `true` and `false` are names there.
    ///
    /// Source: `AbsTraversalForExpr` of HCL, and `AsTraversal` in its `hclsyntax/expression.go`.
    pub fn as_traversal(&self) -> Option<Cow<'_, Traversal>> {
        let named = |name: &str| {
            let root = Ident {
                name: name.into(),
                range: self.range,
            };
            let steps = Vec::new();
            Some(Cow::Owned(Traversal { root, steps }))
        };
        match &self.kind {
            ExprKind::Traversal(traversal) => Some(Cow::Borrowed(traversal)),
            ExprKind::Json(string) => string.traversal(self.range).map(Cow::Owned),
            ExprKind::Null => named("null"),
            ExprKind::Bool(true) => named("true"),
            ExprKind::Bool(false) => named("false"),
            ExprKind::RelativeTraversal { source, steps } => {
                let mut traversal = source.as_traversal()?.into_owned();
                traversal.steps.extend(steps.iter().cloned());
                Some(Cow::Owned(traversal))
            }
            _ => None,
        }
    }

    /// The single name that the expression is, such as `string` or `count`.
    pub fn as_keyword(&self) -> Option<SmolStr> {
        self.as_traversal()
            .filter(|t| t.steps.is_empty())
            .map(|t| t.root.name.clone())
    }

    /// The expression that a string of JSON syntax holds, where native syntax wants more than a value; else the
    /// expression itself.
    pub fn unwrapped(&self) -> Cow<'_, Expr> {
        match &self.kind {
            ExprKind::Json(string) => Cow::Owned(string.expression(self.range).tree),
            _ => Cow::Borrowed(self),
        }
    }
}
