//! The instances of something with `count` or `for_each`, and the value that they form together.

use config::InstanceKey;
use cty::{Type, Value, budget};
use eval::Expansion;

/// How instances form the value that references see.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shape {
    Single,
    /// `enabled = false`: there is no instance.
    Disabled,
    Tuple(usize),
    Object,
    Unknown,
}

impl Shape {
    pub fn of(expansion: &Expansion) -> Shape {
        match expansion {
            Expansion::Single => Shape::Single,
            Expansion::Disabled => Shape::Disabled,
            Expansion::Count(count) => Shape::Tuple(usize::try_from(*count).unwrap_or(usize::MAX)),
            Expansion::ForEach(_) => Shape::Object,
            Expansion::Unknown(_) => Shape::Unknown,
        }
    }

    /// With room for these keys, too.
    pub fn with<'a>(self, keys: impl Iterator<Item = &'a InstanceKey>) -> Shape {
        let index = |key: &InstanceKey| match key {
            InstanceKey::Int(index) => Some(*index as usize + 1),
            InstanceKey::None | InstanceKey::String(_) => None,
        };
        match self {
            Shape::Tuple(length) => Shape::Tuple(keys.filter_map(index).fold(length, usize::max)),
            other => other,
        }
    }

    /// The value of references to these instances. Missing ones are unknown.
    pub fn value<'a>(self, instances: impl IntoIterator<Item = (&'a InstanceKey, Value)>) -> Value {
        let mut instances = instances.into_iter();
        match self {
            Shape::Single => instances
                .find(|(key, _)| **key == InstanceKey::None)
                .map_or_else(Value::dynamic, |(_, value)| value),
            Shape::Disabled => Value::null(Type::Dynamic),
            Shape::Tuple(length) => {
                let mut elements = vec![Value::dynamic(); length];
                for (key, value) in instances {
                    if let InstanceKey::Int(index) = key
                        && let Some(element) = elements.get_mut(*index as usize)
                    {
                        *element = value;
                    }
                }
                Value::tuple(elements)
            }
            Shape::Object => Value::object(instances.filter_map(|(key, value)| match key {
                InstanceKey::String(key) => Some((key, value)),
                InstanceKey::None | InstanceKey::Int(_) => None,
            })),
            Shape::Unknown => Value::dynamic(),
        }
    }
}

/// About the costs of an instance of a resource or module beside the values in it: its address, plan and facts.
const STEPS_PER_INSTANCE: usize = 100;
const BYTES_PER_INSTANCE: usize = 4 << 10;

/// The instances of a resource or module, each with its `each.value`.
pub(crate) type Keys = [(InstanceKey, Option<Value>)];

/// The keys of the instances, each with its `each.value`. None where the instances are not known.
pub(crate) fn keys(expansion: Expansion) -> Vec<(InstanceKey, Option<Value>)> {
    let count = match &expansion {
        Expansion::Count(count) => usize::try_from(*count).unwrap_or(usize::MAX),
        Expansion::ForEach(values) => values.len(),
        Expansion::Single | Expansion::Disabled | Expansion::Unknown(_) => 0,
    };
    budget::spend(count.saturating_mul(STEPS_PER_INSTANCE));
    budget::allocate(count.saturating_mul(BYTES_PER_INSTANCE));
    match expansion {
        Expansion::Single => vec![(InstanceKey::None, None)],
        Expansion::Count(count) => (0..count)
            .map(|index| (InstanceKey::Int(index), None))
            .collect(),
        Expansion::ForEach(values) => values
            .into_iter()
            .map(|(key, value)| (InstanceKey::String(key), Some(value)))
            .collect(),
        Expansion::Disabled | Expansion::Unknown(_) => Vec::new(),
    }
}
