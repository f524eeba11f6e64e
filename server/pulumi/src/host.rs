//! The changes that Pulumi's language host for YAML makes to a resource by its schema, before the engine sees it.

use crate::json::from_json;
use crate::path::Path;
use crate::schema::{Property, ResourceType};
use crate::value::{Object, Secret, Value};

/// The additions of a schema to a registration.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Added {
    pub secret_outputs: Vec<String>,
    pub replace_on_changes: Vec<Path>,
    pub alias_types: Vec<String>,
}

pub fn added(resource: ResourceType<'_>) -> Added {
    Added {
        secret_outputs: resource.secret_outputs().map(str::to_owned).collect(),
        replace_on_changes: resource.replace_on_changes(),
        alias_types: resource.alias_types().map(str::to_owned).collect(),
    }
}

/// The members of an output, of which every input of the type takes its own.
pub fn spread(resource: ResourceType<'_>, whole: &Value) -> Object {
    let members = resource.inputs().map(|name| {
        let member = match whole.revealed() {
            _ if whole.has_unknown() => Value::Unknown,
            Value::Object(object) => object.get(name).cloned().unwrap_or_default(),
            _ => Value::Null,
        };
        let member = match whole.has_secret() {
            true => Value::secret(member),
            false => member,
        };
        (name.to_owned(), member)
    });
    members.collect()
}

/// The inputs that are registered: secrets where the schema says so, constants, and nothing that is null.
pub fn inputs(resource: ResourceType<'_>, written: Object) -> Object {
    let mut inputs = Object::new();
    for (name, value) in written {
        let property = resource.input(&name);
        if value == Value::Null {
            continue;
        }
        let value = without_nulls(value);
        let is_secret = property.is_some_and(Property::is_secret);
        let value = match is_secret {
            true => Value::secret(value),
            false => value,
        };
        inputs.insert(name, value);
    }
    for (name, json) in resource.constants() {
        inputs.insert(name.to_owned(), from_json(json, &|_| None));
    }
    inputs
}

/// Objects hold no nulls on the wire but those of outputs; lists hold all.
pub(crate) fn without_nulls(value: Value) -> Value {
    match value {
        Value::Array(elements) => Value::Array(elements.into_iter().map(without_nulls).collect()),
        Value::Object(object) => {
            let known = object.into_iter().filter(|(_, it)| *it != Value::Null);
            Value::Object(known.map(|(key, it)| (key, without_nulls(it))).collect())
        }
        Value::Secret(Secret::Known(value)) => {
            Value::Secret(Secret::Known(Box::new(without_nulls(*value))))
        }
        Value::NullOutput => Value::Null,
        other => other,
    }
}
