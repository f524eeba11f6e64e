//! From properties to blocks: labels are nested objects, and an array stands for several blocks.

use std::sync::Arc;

use text::{Problem, TextRange};

use super::{Member, Value, ValueKind, first_char, last_char};
use crate::ast::{Attribute, Block, Body, Ident, Label};
use crate::file::error;

impl Member {
    /// The property as blocks, whose labels are called `labels`. `null` is no block.
    pub fn blocks(&self, labels: &[&str], errors: &mut Vec<Problem>) -> Vec<Arc<Block>> {
        let mut unpack = Unpack {
            kind: Ident::of(self.name(), self.name_range),
            used: Vec::new(),
            blocks: Vec::new(),
            errors,
        };
        unpack.value(&self.value, labels);
        unpack.blocks
    }
}

struct Unpack<'a> {
    kind: Ident,
    used: Vec<Label>,
    blocks: Vec<Arc<Block>>,
    errors: &'a mut Vec<Problem>,
}

impl Unpack<'_> {
    fn value(&mut self, value: &Value, labels: &[&str]) {
        let Some((label, rest)) = labels.split_first() else {
            return self.content(value);
        };
        let members = deep_members(value, Some(label), self.errors);
        if members.is_empty() && value.kind != ValueKind::Invalid {
            let detail = format!(
                "At least one object property is required, whose name represents the {} block's {label}.",
                self.kind.name
            );
            self.errors
                .push(error(value.start(), "Missing block label", detail));
        }
        for member in members {
            self.used.push(Label {
                text: member.name().clone(),
                range: member.name_range,
                quoted: true,
            });
            self.value(&member.value, rest);
            self.used.pop();
        }
    }

    /// The body after the labels.
    fn content(&mut self, value: &Value) {
        match &value.kind {
            ValueKind::Null => {}
            ValueKind::Object(_) => self.block(value, true),
            ValueKind::Array(values) => {
                for (index, value) in values.iter().enumerate() {
                    self.block(value, index == 0);
                }
            }
            // Half-typed, and reported.
            ValueKind::Invalid => {}
            ValueKind::Bool(_) | ValueKind::Number(_) | ValueKind::String(_) => {
                let detail = format!(
                    "Either a JSON object or a JSON array is required, representing the contents of one or more \"{}\" blocks.",
                    self.kind.name
                );
                self.errors
                    .push(error(value.start(), "Incorrect JSON value type", detail));
            }
        }
    }

    /// Blocks of an array share their name: it belongs to the first.
    fn block(&mut self, value: &Value, is_first: bool) {
        let header = first_char(value.range);
        let name = self
            .used
            .last()
            .map_or(self.kind.range, |label| label.range);
        self.blocks.push(Arc::new(Block {
            kind: self.kind.clone(),
            labels: self.used.clone(),
            body: Body {
                members: Some(deep_members(value, None, self.errors)),
                range: value.range,
                ..Body::default()
            },
            header_range: header,
            open_brace: Some(header),
            close_brace: Some(last_char(value.range)),
            range: match is_first {
                true => name.cover(value.range),
                false => value.range,
            },
        }));
    }
}

/// The properties of an object, or of all objects in an array. `label` is their meaning, if they are labels.
pub(super) fn deep_members(
    value: &Value,
    label: Option<&str>,
    errors: &mut Vec<Problem>,
) -> Vec<Arc<Member>> {
    let purpose = match label {
        Some(label) => format!("to specify {label} labels for this block"),
        None => "to define arguments and child blocks".to_owned(),
    };
    let mut wrong = |at: TextRange, wanted: &str| {
        let detail = format!("{wanted} is required here, {purpose}.");
        errors.push(error(at, "Incorrect JSON value type", detail));
    };
    match &value.kind {
        ValueKind::Null | ValueKind::Invalid => Vec::new(),
        ValueKind::Object(members) => members.to_vec(),
        ValueKind::Array(values) => {
            let mut members = Vec::new();
            for value in values.iter() {
                match &value.kind {
                    ValueKind::Object(inner) => members.extend(inner.iter().cloned()),
                    ValueKind::Invalid => {}
                    _ => wrong(value.start(), "A JSON object"),
                }
            }
            members
        }
        ValueKind::Bool(_) | ValueKind::Number(_) | ValueKind::String(_) => {
            wrong(
                value.start(),
                "Either a JSON object or JSON array of objects",
            );
            Vec::new()
        }
    }
}

impl Body {
    /// The attribute of this name; in JSON the property.
    pub fn attribute(&self, name: &str) -> Option<&Arc<Attribute>> {
        let own = self
            .attributes
            .iter()
            .find(|attribute| attribute.name.name == name);
        let members = self.members.iter().flatten();
        own.or_else(|| {
            members
                .filter(|member| member.name() == name)
                .map(|member| member.attribute())
                .next()
        })
    }

    /// The blocks of this type, which has no labels.
    pub fn blocks_of(&self, kind: &str) -> Vec<Arc<Block>> {
        let own = self.blocks.iter().filter(|block| block.kind.name == kind);
        let members = self.members.iter().flatten();
        let members = members.filter(|member| member.name() == kind);
        own.cloned()
            .chain(members.flat_map(|member| member.blocks(&[], &mut Vec::new())))
            .collect()
    }
}
