//! Values to and from messages.

use pulumi::json::{Json, NUMBER, SIGNATURE, Secrets, Writing, from_json, to_json};
use pulumi::value::{Object, Value};

use crate::wire as pb;
use crate::wire::value::Kind;

pub(crate) fn object(object: &Object, writing: Writing) -> pb::Struct {
    let fields = object.iter();
    pb::Struct {
        fields: fields
            .map(|(key, value)| (key.clone(), message(&to_json(value, writing))))
            .collect(),
    }
}

fn message(json: &Json) -> pb::Value {
    let is_number = |it: &Json| it.get(SIGNATURE).is_some_and(|it| it == NUMBER);
    let kind = match json {
        // Messages have infinite numbers, which JSON lacks.
        it if is_number(it) => match from_json(it, &|_| None) {
            Value::Number(number) => Kind::NumberValue(number),
            _ => Kind::NullValue(0),
        },
        Json::Null => Kind::NullValue(0),
        Json::Bool(value) => Kind::BoolValue(*value),
        Json::Number(number) => Kind::NumberValue(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) => Kind::StringValue(text.clone()),
        Json::Array(elements) => Kind::ListValue(pb::ListValue {
            values: elements.iter().map(message).collect(),
        }),
        Json::Object(object) => Kind::StructValue(pb::Struct {
            fields: object
                .iter()
                .map(|(key, value)| (key.clone(), message(value)))
                .collect(),
        }),
    };
    pb::Value { kind: Some(kind) }
}

/// What a provider answers. It knows no ciphertexts.
pub(crate) fn from_object(message: Option<pb::Struct>) -> Object {
    let fields = message.unwrap_or_default().fields.into_iter();
    fields
        .map(|(key, value)| (key, from_json(&json(value), &|_| None)))
        .collect()
}

fn json(message: pb::Value) -> Json {
    match message.kind {
        None | Some(Kind::NullValue(_)) => Json::Null,
        Some(Kind::BoolValue(value)) => Json::Bool(value),
        // Whole numbers are the same without a point.
        Some(Kind::NumberValue(number)) => to_json(&Value::Number(number), WHOLE),
        Some(Kind::StringValue(text)) => Json::String(text),
        Some(Kind::ListValue(list)) => Json::Array(list.values.into_iter().map(json).collect()),
        Some(Kind::StructValue(object)) => {
            let fields = object.fields.into_iter();
            Json::Object(fields.map(|(key, value)| (key, json(value))).collect())
        }
    }
}

const WHOLE: Writing = Writing {
    secrets: Secrets::Kept,
    keeps_resources: true,
};

/// Outputs of a provider that knows no secrets: what was one in the inputs is one again.
pub(crate) fn with_secrets_of(outputs: &mut Object, inputs: &Object) {
    for (key, value) in outputs {
        if let Some(input) = inputs.get(key) {
            mark(value, input);
        }
    }
}

fn mark(output: &mut Value, input: &Value) {
    match (&mut *output, input) {
        (Value::Object(output), Value::Object(input)) => with_secrets_of(output, input),
        // Its elements may stand in another order.
        _ if input.has_secret() => *output = Value::secret(std::mem::take(output)),
        _ => {}
    }
}
