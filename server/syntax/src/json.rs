//! JSON syntax: the same configuration, written as JSON. Follows HCL's "JSON Syntax Specification".
//!
//! Whether a property of an object is an attribute or one or several blocks is for a schema to say, and a string is a
//! template, a reference, a type or just text depending on who reads it. So a file is read to [`Value`]s first, which
//! become attributes, blocks and expressions when they are asked for: `file` cuts a file into segments, `reader` reads the
//! values, `check` reports the errors, and `blocks` and this file turn them into what the schema wants.

mod blocks;
mod check;
mod file;
mod ranges;
mod reader;
mod string;
mod token;

use std::sync::{Arc, OnceLock};

use smol_str::SmolStr;
use text::{TextRange, TextSize};

use crate::ast::{Attribute, Expr, ExprKind, Ident, JsonString, ObjectItem, ObjectKey};

pub(crate) use file::cut;

/// How deep values may nest, as expressions and blocks of native syntax.
const MAX_DEPTH: u32 = crate::parser::MAX_DEPTH;

/// The labels of the blocks of a file's body, by type. `None`: no block has this type.
pub type RootLabels = fn(&str) -> Option<&'static [&'static str]>;

/// A JSON value and its place. Cheap to clone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Value {
    pub kind: ValueKind,
    pub range: TextRange,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Null,
    Bool(bool),
    /// As it is written, with its sign.
    Number(SmolStr),
    String(Text),
    Array(Arc<[Value]>),
    Object(Arc<[Arc<Member>]>),
    /// A place where a value is missing or invalid.
    Invalid,
}

/// The content of a string.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Text {
    pub value: SmolStr,
    /// Where the value and the text move apart, in order: behind an escape, the offset in the value and the offset
    /// from the string's start in the text.
    escapes: Arc<[(TextSize, TextSize)]>,
}

/// A property of an object.
#[derive(Debug)]
pub struct Member {
    pub name: Text,
    /// With quotes.
    pub name_range: TextRange,
    pub value: Value,
    attribute: OnceLock<Arc<Attribute>>,
}

impl PartialEq for Member {
    fn eq(&self, other: &Member) -> bool {
        // The attribute follows from the rest.
        (&self.name, self.name_range, &self.value) == (&other.name, other.name_range, &other.value)
    }
}

impl Eq for Member {}

impl Member {
    fn new(name: Text, name_range: TextRange, value: Value) -> Member {
        Member {
            name,
            name_range,
            value,
            attribute: OnceLock::new(),
        }
    }

    pub fn name(&self) -> &SmolStr {
        &self.name.value
    }

    /// Whether it is a comment, where it stands in a body.
    pub fn is_comment(&self) -> bool {
        self.name() == "//"
    }

    /// The property as an attribute.
    pub fn attribute(&self) -> &Arc<Attribute> {
        self.attribute.get_or_init(|| {
            Arc::new(Attribute {
                name: Ident {
                    name: self.name().clone(),
                    range: self.name_range,
                },
                equals: Some(TextRange::empty(self.name_range.end())),
                expr: Arc::new(self.value.expr()),
                range: self.name_range.cover(self.value.range),
            })
        })
    }

    /// The name as an expression: in objects that are evaluated it is a template.
    pub fn name_expr(&self) -> Expr {
        self.name.expr(self.name_range, 0)
    }

    fn moved(&self, by: TextSize) -> Member {
        Member::new(
            self.name.clone(),
            self.name_range - by,
            self.value.moved(by),
        )
    }
}

impl Value {
    /// The value as an expression.
    pub fn expr(&self) -> Expr {
        self.nested_expr(0)
    }

    /// `depth` counts the constructors around it.
    fn nested_expr(&self, depth: u32) -> Expr {
        let kind = match &self.kind {
            ValueKind::Null => ExprKind::Null,
            ValueKind::Bool(value) => ExprKind::Bool(*value),
            ValueKind::Number(text) => ExprKind::Number(text.clone()),
            ValueKind::String(text) => return text.expr(self.range, depth),
            ValueKind::Array(values) => {
                let elements = values.iter().map(|value| value.nested_expr(depth + 1));
                ExprKind::Tuple(elements.collect())
            }
            ValueKind::Object(members) => {
                let item = |member: &Arc<Member>| ObjectItem {
                    key: ObjectKey::Expr(member.name.expr(member.name_range, depth + 1)),
                    value: member.value.nested_expr(depth + 1),
                };
                ExprKind::Object(members.iter().map(item).collect())
            }
            ValueKind::Invalid => ExprKind::Error(None),
        };
        Expr {
            kind,
            range: self.range,
        }
    }

    /// Its first character: the place of HCL's errors about a value as a whole.
    fn start(&self) -> TextRange {
        match self.kind {
            ValueKind::Array(_) | ValueKind::Object(_) => first_char(self.range),
            _ => self.range,
        }
    }

    /// The same value in a text that starts `by` later.
    fn moved(&self, by: TextSize) -> Value {
        let kind = match &self.kind {
            ValueKind::Array(values) => {
                ValueKind::Array(values.iter().map(|value| value.moved(by)).collect())
            }
            ValueKind::Object(members) => {
                let moved = members.iter().map(|member| Arc::new(member.moved(by)));
                ValueKind::Object(moved.collect())
            }
            other => other.clone(),
        };
        Value {
            kind,
            range: self.range - by,
        }
    }
}

impl Text {
    fn expr(&self, range: TextRange, depth: u32) -> Expr {
        Expr {
            kind: ExprKind::Json(Box::new(JsonString::new(self.clone(), range, depth))),
            range,
        }
    }
}

fn first_char(range: TextRange) -> TextRange {
    TextRange::at(range.start(), TextSize::of('{').min(range.len()))
}

fn last_char(range: TextRange) -> TextRange {
    let len = TextSize::of('}').min(range.len());
    TextRange::at(range.end() - len, len)
}
