//! Objects as SDKv2 reads them, with nested blocks as everyone else gives them.

use cty::{Type, Value};
use schema::{Block, NestedBlock, Nesting};

/// An object that was read, with no block null or unknown. Only a block of nesting single may be absent.
pub fn normalize_from_legacy_sdk(object: &Value, block: &Block) -> Value {
    let (object, marks) = object.unmark_deep_with_paths();
    normalize(&object, block).mark_with_paths(&marks)
}

fn normalize(object: &Value, block: &Block) -> Value {
    let Some(values) = object.as_map() else {
        return Value::null(block.implied_type());
    };
    let normal = values.iter().map(|(name, value)| {
        let value = match block.block_types.get(name) {
            Some(nested) if !nested.block.implied_type().has_dynamic() => {
                normalize_nested(value, nested)
            }
            _ => value.clone(),
        };
        (name, value)
    });
    Value::object(normal)
}

fn normalize_nested(value: &Value, nested: &NestedBlock) -> Value {
    let block = &nested.block;
    let elements = || -> Vec<Value> {
        if !value.is_known() {
            return vec![unknown_stub(block)];
        }
        let elements = value.as_slice().into_iter().flatten();
        elements.map(|element| normalize(element, block)).collect()
    };
    match nested.nesting {
        Nesting::Single | Nesting::Group if !value.is_known() => unknown_stub(block),
        Nesting::Group if value.is_null() => block.empty_value(),
        Nesting::Single | Nesting::Group => normalize(value, block),
        Nesting::List => Value::list(block.implied_type(), elements()),
        Nesting::Set => Value::set(block.implied_type(), elements()),
        // SDKv2 has none.
        Nesting::Map => value.clone(),
    }
}

/// A block that is there, of which nothing is known.
fn unknown_stub(block: &Block) -> Value {
    let attributes = block.attributes.iter();
    let attributes =
        attributes.map(|(name, attribute)| (name, Value::unknown(attribute.ty.clone())));
    let blocks = block.block_types.iter().map(|(name, nested)| {
        let ty = || -> Type { nested.block.implied_type() };
        let stub = || unknown_stub(&nested.block);
        let value = match nested.nesting {
            Nesting::Single | Nesting::Group => stub(),
            Nesting::List => Value::list(ty(), vec![stub()]),
            Nesting::Set => Value::set(ty(), vec![stub()]),
            Nesting::Map => Value::map::<&str>(ty(), []),
        };
        (name, value)
    });
    Value::object(attributes.chain(blocks))
}
