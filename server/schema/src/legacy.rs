//! Attributes that are written as blocks.
//!
//! The legacy SDK has attributes that are lists or sets of objects and may be written as blocks, as Terraform 0.11 let
//! one do. Schemas that this SDK can't have made are left alone.

use cty::Type;

use crate::{Attribute, Block};

impl Block {
    /// Whether the legacy SDK can have made a schema. To know it costs a look at the whole schema.
    pub fn is_legacy(&self) -> bool {
        let attributes_are_legacy = self
            .attributes
            .values()
            .all(|attribute| attribute.nested_type.is_none() && is_legacy_type(&attribute.ty));
        attributes_are_legacy
            && self
                .block_types
                .values()
                .all(|nested| nested.block.is_legacy())
    }

    /// A schema whose values are of this object type. The provider reports missing attributes.
    pub fn of_object(object: &Type) -> Block {
        let attributes = object.attributes().into_iter().flatten();
        Block {
            attributes: attributes
                .map(|(name, ty)| (name.clone(), Attribute::new(ty.clone()).optional()))
                .collect(),
            ..Block::default()
        }
    }
}

impl Attribute {
    /// The object type of the blocks that it may be written as in a legacy schema.
    pub fn blocks(&self) -> Option<&Type> {
        match &self.ty {
            Type::List(element) | Type::Set(element) if element.is_object() => Some(element),
            _ => None,
        }
    }
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
