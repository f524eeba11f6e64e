//! How objects change: the proposal to a provider, the changes that `ignore_changes` holds back, and the valid answers.
//!
//! The rules are those of "Resource Instance Change Lifecycle" in Terraform's documentation and of OpenTofu's
//! `internal/plans/objchange`.

mod ignore_changes;
mod normalize;
mod plan_valid;
mod proposed_new;

use std::collections::BTreeMap;

use cty::{Path, PathStep, Value};
use schema::{Attribute, Block, NestedType};
use smol_str::SmolStr;

pub use ignore_changes::{IgnoreChanges, ignore_changes, revert_ignored};
pub use normalize::normalize_from_legacy_sdk;
pub use plan_valid::{InvalidPlan, assert_plan_valid};
pub use proposed_new::{planned_unknown_object, proposed_new};

/// The description of an object attribute by attribute: a block, or the type of an attribute.
#[derive(Clone, Copy)]
pub(crate) enum ObjectSchema<'a> {
    Block(&'a Block),
    Nested(&'a NestedType),
}

impl<'a> ObjectSchema<'a> {
    pub(crate) fn attributes(self) -> &'a BTreeMap<SmolStr, Attribute> {
        match self {
            ObjectSchema::Block(block) => &block.attributes,
            ObjectSchema::Nested(nested) => &nested.attributes,
        }
    }

    /// The attribute at `path`, whose index steps (elements of collections of objects) are passed over.
    pub(crate) fn attribute_by_path(self, path: &[PathStep]) -> Option<&'a Attribute> {
        let mut schema = self;
        let mut names = path.iter().filter_map(|step| match step {
            PathStep::GetAttr(name) => Some(name),
            PathStep::Index(_) => None,
        });
        let mut name = names.next()?;
        loop {
            let attribute = schema.attributes().get(name);
            let Some(next) = names.next() else {
                return attribute;
            };
            schema = match (attribute, schema) {
                (Some(attribute), _) => ObjectSchema::Nested(attribute.nested_type.as_ref()?),
                (None, ObjectSchema::Block(block)) => {
                    ObjectSchema::Block(&block.block_types.get(name)?.block)
                }
                (None, ObjectSchema::Nested(_)) => return None,
            };
            name = next;
        }
    }
}

/// The attribute of `block` at `path`.
pub(crate) fn attribute_by_path<'a>(block: &'a Block, path: &Path) -> Option<&'a Attribute> {
    ObjectSchema::Block(block).attribute_by_path(path.steps())
}

/// `value` with every unknown in it reduced to its type.
pub(crate) fn unrefined(value: &Value) -> Value {
    if value.is_wholly_known() {
        return value.clone();
    }
    cty::transform(value, &mut |_, value| {
        if value.is_known() {
            value
        } else {
            Value::unknown(value.ty().clone())
        }
    })
}

/// Whether both are the same, apart from the refinements of unknowns.
pub(crate) fn is_same(a: &Value, b: &Value) -> bool {
    a.raw_equals(b) || unrefined(a).raw_equals(&unrefined(b))
}
