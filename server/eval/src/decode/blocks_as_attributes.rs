//! Attributes that are written as blocks: see `schema::Block::is_legacy`.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use config::Body;
use cty::Value;
use schema::{Attribute, Block};
use smol_str::SmolStr;

use super::{BodyScope, Decoder};

/// Whether the legacy SDK can have made a schema, which is asked only where it matters.
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
        *self.known.get_or_init(|| self.schema.is_legacy())
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

/// The attributes of the schema that may be written as blocks.
fn can_be_blocks(schema: &Block) -> impl Iterator<Item = &SmolStr> {
    let attributes = schema.attributes.iter();
    attributes
        .filter(|(_, attribute)| attribute.blocks().is_some())
        .map(|(name, _)| name)
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
        let Some(element) = attribute.blocks() else {
            return null();
        };
        let element = element.without_optional_attributes();
        let block = Block::of_object(&element);
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
