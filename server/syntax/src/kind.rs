//! The kinds of nodes and tokens of the lossless tree.

macro_rules! syntax_kinds {
    ($(#[$outer:meta])* pub enum SyntaxKind { $($(#[$inner:meta])* $kind:ident,)* }) => {
        $(#[$outer])*
        pub enum SyntaxKind { $($(#[$inner])* $kind,)* }

        impl SyntaxKind {
            const ALL: &[SyntaxKind] = &[$(SyntaxKind::$kind,)*];
        }
    };
}

syntax_kinds! {
/// Tokens are named as in hclsyntax; trivia is spaces, comments, and newlines where they separate nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u16)]
pub enum SyntaxKind {
    // Tokens.
    Space,
    /// A comment to the end of the line: without the newline.
    LineComment,
    BlockComment,
    Newline,
    ByteOrderMark,
    Ident,
    Number,
    OpenBrace,
    CloseBrace,
    OpenBracket,
    CloseBracket,
    OpenParen,
    CloseParen,
    Comma,
    Dot,
    Ellipsis,
    Colon,
    DoubleColon,
    Equal,
    FatArrow,
    Question,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
    Bang,
    EqualEqual,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    And,
    Or,
    OpenQuote,
    CloseQuote,
    QuotedLiteral,
    /// Line breaks inside a quoted string, where they may not be.
    QuotedNewline,
    OpenHeredoc,
    CloseHeredoc,
    /// One line of a template outside of quotes.
    TemplateLiteral,
    /// `${` or `${~`
    TemplateInterpolation,
    /// `%{` or `%{~`
    TemplateControl,
    /// `}` or `~}` at the end of an interpolation or a directive.
    TemplateEnd,
    /// A piece of a file in JSON syntax, which has no finer tree.
    Json,
    /// A character or operator that HCL does not have.
    Invalid,
    EndOfFile,

    // Nodes.
    Segment,
    Attribute,
    Block,
    Label,
    Body,
    Name,
    Literal,
    Template,
    Interpolation,
    Directive,
    Traversal,
    Step,
    Index,
    Splat,
    Call,
    Tuple,
    Object,
    ObjectItem,
    For,
    Conditional,
    Binary,
    Unary,
    Parens,
    Error,
}
}

/// The language, as rowan wants it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Hcl {}

pub type SyntaxNode = rowan::SyntaxNode<Hcl>;
pub type SyntaxToken = rowan::SyntaxToken<Hcl>;
pub type SyntaxElement = rowan::SyntaxElement<Hcl>;
pub use rowan::{GreenNode, TokenAtOffset};

impl rowan::Language for Hcl {
    type Kind = SyntaxKind;

    fn kind_from_raw(raw: rowan::SyntaxKind) -> SyntaxKind {
        *SyntaxKind::ALL
            .get(usize::from(raw.0))
            .unwrap_or(&SyntaxKind::Error)
    }

    fn kind_to_raw(kind: SyntaxKind) -> rowan::SyntaxKind {
        rowan::SyntaxKind(kind as u16)
    }
}
