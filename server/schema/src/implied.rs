//! The types that schemas imply.

use cty::Type;

use crate::{Attribute, Block, NestedBlock, NestedType, Nesting};

impl Block {
    /// The type of every value of this block. Blocks of a list or map whose own type has a dynamic part can't share
    /// one element type: their collection is dynamic as a whole.
    pub fn implied_type(&self) -> Type {
        let attributes = self
            .attributes
            .iter()
            .map(|(name, attribute)| (name.clone(), attribute.implied_type()));
        let blocks = self
            .block_types
            .iter()
            .map(|(name, nested)| (name.clone(), nested.implied_type()));
        Type::object(attributes.chain(blocks))
    }
}

impl Attribute {
    /// The type of every value of this attribute. `ty` may say beside it what a configuration may leave out.
    pub fn implied_type(&self) -> Type {
        self.ty.without_optional_attributes()
    }
}

impl NestedBlock {
    /// The type of all blocks of this name together.
    pub fn implied_type(&self) -> Type {
        let element = self.block.implied_type();
        match self.nesting {
            Nesting::Single | Nesting::Group => element,
            Nesting::List if element.has_dynamic() => Type::Dynamic,
            Nesting::Map if element.has_dynamic() => Type::Dynamic,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }
}

impl NestedType {
    pub fn implied_type(&self) -> Type {
        let element = Type::object(
            self.attributes
                .iter()
                .map(|(name, attribute)| (name.clone(), attribute.implied_type())),
        );
        match self.nesting {
            Nesting::Single | Nesting::Group => element,
            Nesting::List => Type::list(element),
            Nesting::Set => Type::set(element),
            Nesting::Map => Type::map(element),
        }
    }
}
