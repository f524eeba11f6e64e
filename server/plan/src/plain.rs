//! Values as plain JSON, without their types and marks.

use cty::{Type, Value};
use serde_json::{Value as Json, json};

/// A known value without marks.
pub fn plain(value: &Value) -> Json {
    known(value).unwrap_or(Json::Null)
}

/// The known part of a value: unknown attributes are left out, unknown elements are null.
pub(crate) fn known(value: &Value) -> Option<Json> {
    if !value.is_known() {
        return None;
    }
    if value.is_null() {
        return Some(Json::Null);
    }
    Some(match value.ty() {
        Type::Bool => json!(value.as_bool()),
        Type::String => json!(value.as_str()),
        Type::Number => number(value),
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => value
            .as_slice()
            .into_iter()
            .flatten()
            .map(|element| known(element).unwrap_or(Json::Null))
            .collect(),
        Type::Map(_) | Type::Object(_) => value
            .as_map()
            .into_iter()
            .flatten()
            .filter_map(|(name, element)| Some((name.to_string(), known(element)?)))
            .collect(),
        Type::Dynamic | Type::Capsule(_) => Json::Null,
    })
}

/// A number as it comes out of a plan file, which keeps neither the sign of a zero nor the precision
/// of numbers that fit a float.
fn number(value: &Value) -> Json {
    let kept = cty::msgpack::encode(value, &Type::Number)
        .ok()
        .and_then(|bytes| cty::msgpack::decode(&bytes, &Type::Number).ok());
    let text = kept
        .as_ref()
        .unwrap_or(value)
        .as_number()
        .map(ToString::to_string)
        .unwrap_or_default();
    text.parse::<serde_json::Number>()
        .map_or(Json::Null, Json::Number)
}
