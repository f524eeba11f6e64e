//! The value of a body that says nothing.

use cty::{Type, Value};

use crate::{Block, NestedBlock, Nesting};

impl Block {
    /// The value of an empty body: attributes null, and no blocks. It ignores what is required.
    pub fn empty_value(&self) -> Value {
        let attributes = self
            .attributes
            .iter()
            .map(|(name, attribute)| (name, Value::null(attribute.implied_type())));
        let blocks = self
            .block_types
            .iter()
            .map(|(name, nested)| (name, nested.empty_value()));
        Value::object(attributes.chain(blocks))
    }
}

impl NestedBlock {
    /// The value of no blocks of this name.
    pub fn empty_value(&self) -> Value {
        let element = || self.block.implied_type();
        match self.nesting {
            Nesting::Single => Value::null(element()),
            Nesting::Group => self.block.empty_value(),
            // Elements with a dynamic part may differ in type, so they stand in a tuple or object.
            Nesting::List if element().has_dynamic() => Value::empty_tuple(),
            Nesting::Map if element().has_dynamic() => Value::empty_object(),
            Nesting::List => Value::list(element(), Vec::new()),
            Nesting::Set => Value::set(element(), Vec::new()),
            Nesting::Map => Value::map(element(), Vec::<(&str, Value)>::new()),
        }
    }
}

impl crate::Schema {
    /// Of the schema's implied type.
    pub fn null_value(&self) -> Value {
        Value::null(Type::clone(self.implied_type()))
    }
}
