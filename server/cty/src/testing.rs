//! Reads the encoding of values in the conformance tables, for tests of this crate and those above it.

mod go;

use std::path::PathBuf;

use serde_json::Value as Json;

use crate::{Mark, Number, Path, Type, Value};

/// The rows of a table, each an object with `test`, `key` and `case`. `None`: the folder with the
/// tables is not there.
pub fn table(name: &str) -> Option<Vec<Json>> {
    let folder = match std::env::var_os("PLANLENS_CONFORMANCE") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../../../shared/conformance"
        )),
    };
    let text = std::fs::read_to_string(folder.join(name)).ok()?;
    Some(
        text.lines()
            .filter_map(|line| serde_json::from_str(line).ok())
            .collect(),
    )
}

/// A value: `{"type": T, "v": ..}`, `{"type": T, "null": true}`, `{"type": T, "unknown": true,
/// "refine": text}`, each with optional `"marks"`. `None` for capsules and absent values.
pub fn value(json: &Json) -> Option<Value> {
    let marks = json
        .get("marks")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    let marks = marks.filter_map(Json::as_str).map(mark).collect();
    Some(unmarked(json)?.mark_all(&marks))
}

fn unmarked(json: &Json) -> Option<Value> {
    let ty = Type::from_json(json.get("type")?).ok()?;
    if json.get("null").is_some() {
        return Some(Value::null(ty));
    }
    if json.get("unknown").is_some() {
        return match json.get("refine").and_then(Json::as_str) {
            Some(text) => go::value(text),
            None => Some(Value::unknown(ty)),
        };
    }
    let content = json.get("v")?;
    let elements = || {
        content
            .as_array()?
            .iter()
            .map(value)
            .collect::<Option<Vec<_>>>()
    };
    let entries = || {
        let entries = content.as_object()?.iter();
        entries
            .map(|(name, json)| Some((name, value(json)?)))
            .collect::<Option<Vec<_>>>()
    };
    Some(match &ty {
        Type::String => Value::string(content.as_str()?),
        Type::Bool => Value::bool(content.as_bool()?),
        Type::Number => Value::number(match content {
            Json::String(text) => Number::parse(text)?,
            number => Number::parse(&number.to_string())?,
        }),
        Type::List(element) => Value::list(Type::clone(element), elements()?),
        Type::Set(element) => Value::set(Type::clone(element), elements()?),
        Type::Tuple(_) => Value::tuple(elements()?),
        Type::Map(element) => Value::map(Type::clone(element), entries()?),
        Type::Object(_) => Value::object(entries()?),
        Type::Dynamic | Type::Capsule(_) => return None,
    })
}

/// A mark by its name; any case.
pub fn mark(name: &str) -> Mark {
    match name.to_lowercase().as_str() {
        "sensitive" => Mark::Sensitive,
        "ephemeral" => Mark::Ephemeral,
        _ => Mark::Other(name.into()),
    }
}

/// A type: `{"ctytype": T}` or T itself.
pub fn ty(json: &Json) -> Option<Type> {
    Type::from_json(json.get("ctytype").unwrap_or(json)).ok()
}

/// A path: `{"ctypath": text}` or the text itself.
pub fn path(json: &Json) -> Option<Path> {
    go::path(json.get("ctypath").unwrap_or(json).as_str()?)
}

/// A value written as Go source: `cty.ListVal([]cty.Value{cty.StringVal("a")})`.
pub fn value_from_source(text: &str) -> Option<Value> {
    go::value(text)
}

/// A type written as Go source: `cty.List(cty.String)`.
pub fn type_from_source(text: &str) -> Option<Type> {
    go::ty(text)
}

/// Types written as a slice in Go source.
pub fn types_from_source(text: &str) -> Option<Vec<Type>> {
    go::list(text, go::as_type)
}

/// Values written as a slice in Go source.
pub fn values_from_source(text: &str) -> Option<Vec<Value>> {
    go::list(text, go::as_value)
}

/// A string literal of Go source.
pub fn text_from_source(text: &str) -> Option<String> {
    go::text(text)
}

/// The bytes that a set hashes of a value, as text.
pub fn set_hash(value: &Value) -> String {
    let mut bytes = Vec::new();
    crate::set::hash_bytes(value, &mut bytes);
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Which of two types others rather convert to.
pub fn preference(a: &Type, b: &Type) -> std::cmp::Ordering {
    crate::unify::preference(a, b)
}

/// Types in the order in which they are tried as the common one.
pub fn by_preference(types: &[Type]) -> Vec<Type> {
    crate::unify::by_preference(types)
        .into_iter()
        .map(|at| types[at].clone())
        .collect()
}
