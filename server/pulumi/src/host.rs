//! What Pulumi's language host for YAML does to a resource by the schema of its package, before the engine sees it.

use text::{Fault, Missing};

use crate::json::from_json;
use crate::path::Path;
use crate::schema::{Property, ResourceType, Simple};
use crate::value::{Object, Value};

/// What a schema adds to a registration.
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

/// The inputs that are registered: ids in the place of resources where text is wanted, secrets where the schema says so,
/// constants, and nothing that is null.
pub fn inputs(resource: ResourceType<'_>, written: Object) -> Object {
    let mut inputs = Object::new();
    for (name, value) in written {
        let property = resource.input(&name);
        let value = property.map_or(value.clone(), |it| converted(it, value));
        if value == Value::Null {
            continue;
        }
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

fn converted(property: Property<'_>, value: Value) -> Value {
    match value {
        Value::Resource(resource) if property.simple() == Simple::String => {
            resource.id.map_or(Value::String(resource.urn), |id| *id)
        }
        Value::Array(elements) => match property.items() {
            Some(items) => Value::Array(
                elements
                    .into_iter()
                    .map(|it| converted(items, it))
                    .collect(),
            ),
            None => Value::Array(elements),
        },
        Value::Object(object) => {
            let object = object.into_iter();
            let object = object.map(|(key, value)| {
                let value = match property.property(&key) {
                    Some(property) => converted(property, value),
                    None => value,
                };
                (key, value)
            });
            Value::Object(object.collect())
        }
        other => other,
    }
}

/// Something that does not fit its type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Misfit {
    /// The property at the top, unless one is missing.
    pub property: Option<String>,
    pub fault: Fault,
    pub summary: String,
    pub detail: String,
}

/// What of the inputs does not fit the type, in the words of the language host.
pub fn misfits(token: &str, resource: ResourceType<'_>, written: &Object) -> Vec<Misfit> {
    let mut found = Vec::new();
    for (name, value) in written {
        match resource.input(name) {
            None => found.push(Misfit {
                property: Some(name.clone()),
                fault: text::did_you_mean(name, resource.inputs()).into(),
                summary: format!("{name} does not exist on Resource {token}"),
                detail: existing(token, resource, name),
            }),
            Some(property) => {
                if let Some(expected) = unfit(property, value) {
                    found.push(Misfit {
                        property: Some(name.clone()),
                        fault: Fault::Other,
                        summary: format!("{expected} is not assignable from {}", value.type_name()),
                        detail: format!("Cannot assign '{}' to '{expected}'", value.type_name()),
                    });
                }
            }
        }
    }
    for name in resource.required_inputs() {
        if !written.contains_key(name) && resource.constants().all(|(constant, _)| constant != name)
        {
            found.push(Misfit {
                property: None,
                fault: Missing::Argument(name.to_owned()).into(),
                summary: format!("Missing required property '{name}'"),
                detail: String::new(),
            });
        }
    }
    found
}

fn existing(token: &str, resource: ResourceType<'_>, name: &str) -> String {
    const LISTED: usize = 5;
    let mut names: Vec<&str> = resource.inputs().collect();
    if names.is_empty() {
        return format!("Resource {token} has no properties");
    }
    names.sort_by_key(|it| (distance(it, name), *it));
    let more = names.len().saturating_sub(LISTED);
    let list = names[..names.len().min(LISTED)].join(", ");
    match more {
        0 => format!("Existing properties are: {list}"),
        1 => format!("Existing properties are: {list} and 1 other"),
        more => format!("Existing properties are: {list} and {more} others"),
    }
}

/// How many characters have to be changed to make one of the other.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, c) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, d) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(c != *d);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// The type that is wanted, if the value cannot be one of it.
fn unfit(property: Property<'_>, value: &Value) -> Option<&'static str> {
    let simple = property.simple();
    let fits = match value.revealed() {
        Value::Null | Value::Unknown | Value::Secret(_) => true,
        Value::Resource(_) => !matches!(
            simple,
            Simple::Bool | Simple::Integer | Simple::Number | Simple::Array
        ),
        Value::Asset(_) | Value::Archive(_) => simple == Simple::Any,
        Value::Bool(_) => matches!(simple, Simple::Bool | Simple::String | Simple::Any),
        Value::Number(_) => !matches!(simple, Simple::Bool | Simple::Array | Simple::Object),
        Value::String(_) => matches!(simple, Simple::String | Simple::Any),
        Value::Array(_) => matches!(simple, Simple::Array | Simple::Any),
        Value::Object(_) => matches!(simple, Simple::Object | Simple::Any),
    };
    (!fits).then_some(match simple {
        Simple::Bool => "boolean",
        Simple::Integer => "integer",
        Simple::Number => "number",
        Simple::String => "string",
        Simple::Array => "list",
        Simple::Object => "object",
        Simple::Any => "any",
    })
}
