//! The JSON wire form: state files, plan files, `jsonencode`.

mod read;

use std::borrow::Cow;

use serde_json::Value as Json;

use crate::{Number, Path, PathStep, Type, Value, budget, convert, text};
use read::Node;

/// A value that has no JSON form for a type, or JSON that has no value of a type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    pub path: Path,
    pub message: String,
}

fn fail<T>(path: &Path, message: impl Into<String>) -> Result<T, Error> {
    Err(Error {
        path: path.clone(),
        message: message.into(),
    })
}

fn inside<T>(path: &mut Path, step: PathStep, act: impl FnOnce(&mut Path) -> T) -> T {
    path.0.push(step);
    let result = act(path);
    path.0.pop();
    result
}

/// The JSON text of a value that conforms to `ty`, byte for byte as Go's encoder writes it. Where
/// `ty` is dynamic: `{"value": .., "type": ..}`. Fails on unknown and marked values.
pub fn encode(value: &Value, ty: &Type) -> Result<String, Error> {
    let value = match crate::test_conformance(value.ty(), ty).is_empty() {
        true => Cow::Borrowed(value),
        false => Cow::Owned(convert(value, ty).map_err(|error| Error {
            path: error.path,
            message: error.message,
        })?),
    };
    let mut out = String::new();
    write(&value, ty, &mut Path::new(), &mut out)?;
    Ok(out)
}

/// `encode` without type information: what `jsonencode` gives.
pub fn encode_simple(value: &Value) -> Result<String, Error> {
    let mut out = String::new();
    write(value, value.ty(), &mut Path::new(), &mut out)?;
    Ok(out)
}

fn write(value: &Value, ty: &Type, path: &mut Path, out: &mut String) -> Result<(), Error> {
    budget::spend(1);
    if value.is_marked() {
        return fail(path, "value has marks, so it cannot be serialized as JSON");
    }
    if !value.is_known() {
        return fail(path, "value is not known");
    }
    if ty.is_dynamic() && !value.ty().is_dynamic() {
        out.push_str(r#"{"value":"#);
        write(value, value.ty(), path, out)?;
        out.push_str(r#","type":"#);
        match value.ty().to_json() {
            Ok(json) => write_json(&json, out),
            Err(error) => return fail(path, format!("failed to serialize type: {error}")),
        }
        out.push('}');
        return Ok(());
    }
    if let Some(text) = value.as_str() {
        out.push_str(&quote(text));
    } else if let Some(number) = value.as_number() {
        if number.is_infinite() {
            return fail(path, "cannot serialize infinity as JSON");
        }
        out.push_str(&number.to_string());
    } else if let Some(value) = value.as_bool() {
        out.push_str(if value { "true" } else { "false" });
    } else if value.is_null() {
        out.push_str("null");
    } else if let Some(entries) = value.as_map() {
        out.push('{');
        for (at, (name, element)) in entries.iter().enumerate() {
            if at > 0 {
                out.push(',');
            }
            out.push_str(&quote(name));
            out.push(':');
            let (step, element_ty) = match ty {
                Type::Map(ty) => (PathStep::Index(Value::string(name)), Type::clone(ty)),
                ty => (
                    PathStep::GetAttr(name.clone()),
                    ty.attribute_type(name).unwrap_or(element.ty()).clone(),
                ),
            };
            inside(path, step, |path| write(element, &element_ty, path, out))?;
        }
        out.push('}');
    } else if value.can_iterate() {
        out.push('[');
        for (at, (key, element)) in value.elements().enumerate() {
            if at > 0 {
                out.push(',');
            }
            let element_ty = match ty {
                Type::Tuple(types) => types.get(at),
                ty => ty.element_type(),
            };
            let element_ty = element_ty.unwrap_or(element.ty());
            inside(path, PathStep::Index(key), |path| {
                write(element, element_ty, path, out)
            })?;
        }
        out.push(']');
    } else {
        return fail(
            path,
            format!("cannot JSON-serialize {}", value.ty().friendly_name()),
        );
    }
    Ok(())
}

/// Go's compact form of a type's JSON.
fn write_json(json: &Json, out: &mut String) {
    match json {
        Json::String(text) => out.push_str(&quote(text)),
        Json::Array(elements) => {
            out.push('[');
            for (at, element) in elements.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write_json(element, out);
            }
            out.push(']');
        }
        Json::Object(entries) => {
            out.push('{');
            for (at, (name, element)) in entries.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&quote(name));
                out.push(':');
                write_json(element, out);
            }
            out.push('}');
        }
        other => out.push_str(&other.to_string()),
    }
}

/// A type's JSON form as text.
pub(crate) fn type_text(ty: &Type) -> Result<String, crate::TypeError> {
    let mut out = String::new();
    write_json(&ty.to_json()?, &mut out);
    Ok(out)
}

/// Go's JSON string literal: escapes `<`, `>`, `&`, U+2028 and U+2029 too.
pub fn quote(text: &str) -> String {
    budget::allocate(text.len());
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\x08' => out.push_str("\\b"),
            '\x0c' => out.push_str("\\f"),
            '\0'..' ' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", c as u32));
            }
            _ => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Reads JSON as a value of type `ty`.
pub fn decode(json: &Json, ty: &Type) -> Result<Value, Error> {
    read_value(&Node::from(json), ty, &mut Path::new())
}

/// Reads JSON text as a value of type `ty`. Messages about its syntax are those of Go's decoder.
pub fn decode_str(json: &str, ty: &Type) -> Result<Value, Error> {
    read_value(&parse(json)?, ty, &mut Path::new())
}

/// Reads JSON text as a value of the type it implies: what `jsondecode` gives.
pub fn decode_implied(json: &str) -> Result<Value, Error> {
    let node = parse(json)?;
    read_value(&node, &implied(&node)?, &mut Path::new())
}

/// The type that JSON text implies: objects and tuples, of null the dynamic type.
pub fn implied_type(json: &str) -> Result<Type, Error> {
    implied(&parse(json)?)
}

fn parse(json: &str) -> Result<Node<'static>, Error> {
    read::parse(json).map_err(|message| Error {
        path: Path::new(),
        message,
    })
}

fn implied(node: &Node) -> Result<Type, Error> {
    Ok(match node {
        Node::Null => Type::Dynamic,
        Node::Bool(_) => Type::Bool,
        Node::Number(_) => Type::Number,
        Node::String(_) => Type::String,
        Node::Array(elements) => Type::tuple(
            elements
                .iter()
                .map(implied)
                .collect::<Result<Vec<_>, _>>()?,
        ),
        Node::Object(entries) => {
            let mut attributes = std::collections::BTreeMap::new();
            for (name, node) in entries {
                let ty = implied(node)?;
                match attributes.get(name.as_ref()) {
                    Some(other) if *other != ty => {
                        let name = text::quote(name);
                        let message = format!("duplicate {name} property in JSON object");
                        return fail(&Path::new(), message);
                    }
                    _ => attributes.insert(name.as_ref(), ty),
                };
            }
            Type::object(attributes)
        }
    })
}

fn read_value(node: &Node, ty: &Type, path: &mut Path) -> Result<Value, Error> {
    if matches!(node, Node::Null) {
        return Ok(Value::null(ty.clone()));
    }
    let expect = |path: &Path, delimiter| fail(path, format!("missing expected {delimiter}"));
    let value = match (ty, node) {
        (Type::Dynamic, Node::Object(entries)) => read_dynamic(entries, path),
        (Type::Bool, Node::Bool(value)) => Ok(Value::bool(*value)),
        (Type::Bool, Node::String(text)) => {
            convert(&Value::string(text), ty).map_err(|error| Error {
                path: path.clone(),
                message: error.message,
            })
        }
        (Type::Bool, _) => fail(path, "bool is required"),
        (Type::Number, Node::Number(text) | Node::String(text)) => match Number::parse(text) {
            Some(number) => Ok(Value::number(number)),
            None => fail(path, "a number is required"),
        },
        (Type::Number, _) => fail(path, "number is required"),
        (Type::String, Node::String(text) | Node::Number(text)) => Ok(Value::string(text)),
        (Type::String, Node::Bool(value)) => Ok(Value::string(value.to_string())),
        (Type::String, _) => fail(path, "string is required"),
        (Type::List(element), Node::Array(nodes)) => {
            let elements = read_elements(nodes, std::iter::repeat(&**element), path)?;
            Ok(Value::list(
                Type::clone(element),
                of_one_type(path, elements)?,
            ))
        }
        (Type::Set(element), Node::Array(nodes)) => {
            let key = Value::unknown(Type::clone(element));
            let read = |node| {
                inside(path, PathStep::Index(key.clone()), |path| {
                    read_value(node, element, path)
                })
            };
            let elements = nodes.iter().map(read).collect::<Result<_, _>>()?;
            Ok(Value::set(
                Type::clone(element),
                of_one_type(path, elements)?,
            ))
        }
        (Type::Tuple(types), Node::Array(nodes)) if nodes.len() > types.len() => fail(
            path,
            format!("too many tuple elements (need {})", types.len()),
        ),
        (Type::Tuple(types), Node::Array(nodes)) => {
            let elements = read_elements(nodes, types.iter(), path)?;
            match elements.len() == types.len() {
                true => Ok(Value::tuple(elements)),
                false => fail(
                    path,
                    format!("not enough tuple elements (need {})", types.len()),
                ),
            }
        }
        (Type::Map(element), Node::Object(entries)) => {
            let mut elements = Vec::with_capacity(entries.len());
            for (name, node) in entries {
                let step = PathStep::Index(Value::string(name));
                elements.push((
                    name,
                    inside(path, step, |path| read_value(node, element, path))?,
                ));
            }
            match Value::are_of_one_type(elements.iter().map(|(_, element)| element)) {
                true => Ok(Value::map(Type::clone(element), elements)),
                false => fail(path, "inconsistent element types"),
            }
        }
        (Type::Object(object), Node::Object(entries)) => {
            let absent = object.attributes.iter();
            let mut attributes: std::collections::BTreeMap<_, _> = absent
                .map(|(name, ty)| (name.clone(), Value::null(ty.clone())))
                .collect();
            for (name, node) in entries {
                let name = crate::value::normalize(name);
                let Some(ty) = object.attributes.get(&name) else {
                    return fail(
                        path,
                        format!("unsupported attribute {}", text::quote(&name)),
                    );
                };
                let step = PathStep::GetAttr(name.clone());
                let attribute = inside(path, step, |path| read_value(node, ty, path))?;
                attributes.insert(name, attribute);
            }
            Ok(Value::object(attributes))
        }
        (Type::List(_) | Type::Set(_) | Type::Tuple(_), _) => expect(path, '['),
        (Type::Map(_) | Type::Object(_) | Type::Dynamic, _) => expect(path, '{'),
        (Type::Capsule(capsule), _) => fail(path, format!("unsupported type {}", capsule.name())),
    }?;
    Ok(value.sharing(ty))
}

/// The elements, if they can be those of one collection.
fn of_one_type(path: &Path, elements: Vec<Value>) -> Result<Vec<Value>, Error> {
    match Value::are_of_one_type(&elements) {
        true => Ok(elements),
        false => fail(path, "inconsistent element types"),
    }
}

/// Elements by position. There are types for all of them.
fn read_elements<'t>(
    nodes: &[Node],
    types: impl Iterator<Item = &'t Type>,
    path: &mut Path,
) -> Result<Vec<Value>, Error> {
    let read = |(at, (node, ty))| {
        inside(path, PathStep::Index(Value::number(at)), |path| {
            read_value(node, ty, path)
        })
    };
    nodes.iter().zip(types).enumerate().map(read).collect()
}

/// A value with its type beside it.
fn read_dynamic(entries: &[(Cow<'_, str>, Node)], path: &mut Path) -> Result<Value, Error> {
    let (mut ty, mut value) = (None, None);
    for (name, node) in entries {
        match name.as_ref() {
            "type" => match Type::from_json(&node.to_json()) {
                Ok(found) => ty = Some(found),
                Err(error) => {
                    let message = format!("failed to decode type for dynamic value: {error}");
                    return fail(path, message);
                }
            },
            "value" => value = Some(node),
            other => {
                let name = text::quote(other);
                return fail(
                    path,
                    format!("invalid key {name} in dynamically-typed value"),
                );
            }
        }
    }
    match (ty, value) {
        (None, _) => fail(path, "missing type in dynamically-typed value"),
        (_, None) => fail(path, "missing value in dynamically-typed value"),
        (Some(ty), Some(value)) => read_value(value, &ty, path),
    }
}
