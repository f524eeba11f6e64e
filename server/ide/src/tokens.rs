//! The kinds of the words in a file: more than a grammar can find.

use smol_str::SmolStr;
use syntax::ParsedSegment;
use syntax::ast::{Attribute, Block, Expr, ExprKind, For, ObjectKey, StepKind, Traversal};
use syntax::walk::{Visitor, walk_items};
use text::{TextRange, TextSize};

/// A word and its kind. Never longer than its line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SemanticToken {
    pub range: TextRange,
    pub kind: TokenKind,
    pub is_declaration: bool,
}

/// In the order of the legend that editors get.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum TokenKind {
    /// A block type.
    Keyword,
    /// A resource type or a type constraint.
    Type,
    /// The name that a block declares, and a resource or a module that is referred to.
    Class,
    /// An argument, an attribute.
    Property,
    /// A variable of the module, a name that `for` binds.
    Parameter,
    /// A local value.
    Variable,
    Function,
    /// `var`, `local`, `each`, `path` and their like.
    Namespace,
    Number,
    /// `true`, `false` and `null`.
    Constant,
}

impl TokenKind {
    pub const ALL: [TokenKind; 10] = [
        TokenKind::Keyword,
        TokenKind::Type,
        TokenKind::Class,
        TokenKind::Property,
        TokenKind::Parameter,
        TokenKind::Variable,
        TokenKind::Function,
        TokenKind::Namespace,
        TokenKind::Number,
        TokenKind::Constant,
    ];
}

/// The words of a segment, in the order of its text, with ranges that are relative to its start.
pub(crate) fn tokens_of(segment: &ParsedSegment) -> Vec<SemanticToken> {
    let mut tokens = Tokens {
        found: Vec::new(),
        bound: Vec::new(),
        types: false,
    };
    walk_items(&segment.items, &mut tokens);
    tokens.found.sort_by_key(|token| token.range.start());
    drop_overlaps(&segment.text, tokens.found)
}

/// Editors take neither tokens that overlap nor those of several lines.
fn drop_overlaps(text: &str, tokens: Vec<SemanticToken>) -> Vec<SemanticToken> {
    let mut end = TextSize::new(0);
    let mut kept = Vec::with_capacity(tokens.len());
    for token in tokens {
        let range = usize::from(token.range.start())..usize::from(token.range.end());
        let is_one_line = text
            .get(range)
            .is_some_and(|text| !text.is_empty() && !text.contains('\n'));
        if is_one_line && token.range.start() >= end {
            end = token.range.end();
            kept.push(token);
        }
    }
    kept
}

struct Tokens {
    found: Vec<SemanticToken>,
    /// Names that `for` expressions bind, with where they do.
    bound: Vec<(SmolStr, TextRange)>,
    /// Whether the expression is a type constraint.
    types: bool,
}

impl Tokens {
    fn add(&mut self, range: TextRange, kind: TokenKind, is_declaration: bool) {
        self.found.push(SemanticToken {
            range,
            kind,
            is_declaration,
        });
    }

    fn traversal(&mut self, traversal: &Traversal) {
        let root = &traversal.root;
        let is_bound = |(name, around): &(SmolStr, TextRange)| {
            *name == root.name && around.contains_range(root.range)
        };
        let bound = self.bound.iter().any(is_bound);
        let steps = traversal.steps.iter().filter_map(|step| match &step.kind {
            StepKind::Attr(name) => Some(name),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        });
        let kinds: &[TokenKind] = match root.name.as_str() {
            _ if bound => &[TokenKind::Parameter],
            _ if self.types && traversal.steps.is_empty() => &[TokenKind::Type],
            "var" => &[TokenKind::Namespace, TokenKind::Parameter],
            "local" => &[TokenKind::Namespace, TokenKind::Variable],
            "module" => &[TokenKind::Namespace, TokenKind::Class],
            "data" | "ephemeral" | "resource" => {
                &[TokenKind::Namespace, TokenKind::Type, TokenKind::Class]
            }
            "each" | "count" | "self" | "path" | "terraform" => &[TokenKind::Namespace],
            _ if traversal.steps.is_empty() => &[TokenKind::Variable],
            _ => &[TokenKind::Type, TokenKind::Class],
        };
        let names = std::iter::once(root).chain(steps);
        for (index, name) in names.enumerate() {
            let kind = kinds.get(index).copied().unwrap_or(TokenKind::Property);
            self.add(name.range, kind, false);
        }
    }

    fn r#for(&mut self, it: &For, around: TextRange) {
        for name in it.key_var.iter().chain([&it.value_var]) {
            self.bound.push((name.name.clone(), around));
            self.add(name.range, TokenKind::Parameter, true);
        }
    }
}

impl Visitor for Tokens {
    fn block(&mut self, block: &Block) {
        self.add(block.kind.range, TokenKind::Keyword, false);
        let is_typed = matches!(
            block.kind.name.as_str(),
            "resource" | "data" | "ephemeral" | "provider" | "provisioner" | "backend" | "dynamic"
        );
        for (index, label) in block.labels.iter().enumerate() {
            let kind = if is_typed && index == 0 {
                TokenKind::Type
            } else {
                TokenKind::Class
            };
            self.add(label.range, kind, kind == TokenKind::Class);
        }
    }

    fn attribute(&mut self, attribute: &Attribute) {
        self.add(attribute.name.range, TokenKind::Property, false);
        self.types = attribute.name.name == "type" && attribute.expr.as_literal_string().is_none();
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Number(_) => self.add(expr.range, TokenKind::Number, false),
            ExprKind::Bool(_) | ExprKind::Null => self.add(expr.range, TokenKind::Constant, false),
            ExprKind::Traversal(traversal) => self.traversal(traversal),
            ExprKind::RelativeTraversal { steps, .. } => {
                for step in steps {
                    if let StepKind::Attr(name) = &step.kind {
                        self.add(name.range, TokenKind::Property, false);
                    }
                }
            }
            ExprKind::Call(call) => {
                let kind = if self.types {
                    TokenKind::Type
                } else {
                    TokenKind::Function
                };
                self.add(call.name_range, kind, false);
            }
            ExprKind::Object(items) => {
                for item in items {
                    if let ObjectKey::Name(name) = &item.key {
                        self.add(name.range, TokenKind::Property, false);
                    }
                }
            }
            ExprKind::For(it) => self.r#for(it, expr.range),
            _ => {}
        }
    }
}
