//! Attributes that are written as blocks.
//!
//! The legacy SDK has attributes that are lists or sets of objects and may be written as blocks, as Terraform 0.11 let
//! one do. Schemas that this SDK can't have made are left alone.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use config::Body;
use cty::{Type, Value};
use schema::{Attribute, Block};
use smol_str::SmolStr;

use super::{BodyScope, Decoder};

/// Whether the legacy SDK can have made a schema. To know it costs a look at the whole schema, so it is asked only
/// where it matters.
pub(super) struct Legacy<'s> {
    schema: &'s Block,
    known: OnceCell<bool>,
}

impl<'s> Legacy<'s> {
    pub(super) fn of(schema: &'s Block) -> Legacy<'s> {
        Legacy {
            schema,
            known: OnceCell::new(),
        }
    }

    pub(super) fn is_legacy(&self) -> bool {
        *self.known.get_or_init(|| is_legacy(self.schema))
    }

    /// The attributes that are blocks in this body: all that may be and are not written as arguments.
    pub(super) fn written_as_blocks(&self, body: &Body, schema: &Block) -> BTreeSet<SmolStr> {
        let absent = |name: &SmolStr| {
            let is_member = |member: &config::Member| member.name() == name;
            body.attribute(name).is_none() && !body.all_members().any(is_member)
        };
        let names: BTreeSet<SmolStr> = can_be_blocks(schema)
            .filter(|name| absent(name))
            .cloned()
            .collect();
        match names.is_empty() || !self.is_legacy() {
            true => BTreeSet::new(),
            false => names,
        }
    }
}

fn is_legacy(schema: &Block) -> bool {
    let attributes_are_legacy = schema
        .attributes
        .values()
        .all(|attribute| attribute.nested_type.is_none() && is_legacy_type(&attribute.ty));
    attributes_are_legacy
        && schema
            .block_types
            .values()
            .all(|nested| is_legacy(&nested.block))
}

fn is_legacy_type(ty: &Type) -> bool {
    match ty {
        Type::Object(_) | Type::Tuple(_) => false,
        Type::Map(element) if element.is_object() => false,
        Type::List(element) | Type::Set(element) | Type::Map(element) => {
            element.element_type().is_none_or(Type::is_primitive)
        }
        _ => true,
    }
}

/// The attributes of the schema that may be written as blocks.
fn can_be_blocks(schema: &Block) -> impl Iterator<Item = &SmolStr> {
    let attributes = schema.attributes.iter();
    attributes
        .filter(|(_, attribute)| objects(&attribute.ty).is_some())
        .map(|(name, _)| name)
}

/// The object type that a list or set type has as elements.
fn objects(ty: &Type) -> Option<&Type> {
    match ty {
        Type::List(element) | Type::Set(element) if element.is_object() => Some(element),
        _ => None,
    }
}

impl Decoder<'_> {
    pub(super) fn attribute_from_blocks(
        &mut self,
        body: &Body,
        name: &SmolStr,
        attribute: &Attribute,
        scope: &BodyScope<'_>,
    ) -> Value {
        let null = || Value::null(attribute.implied_type());
        let Some(element) = objects(&attribute.ty) else {
            return null();
        };
        let element = element.without_optional_attributes();
        let block = block_of(&element);
        let mut decoder = Decoder {
            diagnostics: Vec::new(),
            legacy: Legacy::of(&block),
        };
        let (value, header) = decoder.elements_of_blocks(body, name, &element, &block, scope);
        self.diagnostics.extend(decoder.diagnostics);
        match header {
            Some(header) => self.convert_attribute(value, name, attribute, header),
            None => null(),
        }
    }
}

/// A schema whose values are of this object type. The provider reports missing attributes.
pub(super) fn block_of(object: &Type) -> Block {
    let attributes = object.attributes().into_iter().flatten();
    Block {
        attributes: attributes
            .map(|(name, ty)| (name.clone(), Attribute::new(ty.clone()).optional()))
            .collect(),
        ..Block::default()
    }
}
