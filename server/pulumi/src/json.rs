//! Values as JSON: in states, on the wire and in the output of a preview.

pub use serde_json::Value as Json;
use serde_json::{Map, Number, json};

use crate::functions::number_as_json;
use crate::value::{Archive, Asset, Object, Resource, Secret, Source, Value};

/// The key of the kind of a special object.
pub const SIGNATURE: &str = "4dabf18193072939515e22adb298388d";
pub const SECRET: &str = "1b47061264138c4ac30d75fd1eb44270";
pub const RESOURCE: &str = "5cf8f73096256a8f31e491e813e4eb8e";
/// Numbers that JSON cannot express.
pub const NUMBER: &str = "8ad145fe-0d11-4827-bfd7-1abcbf086f5c";
pub const OUTPUT: &str = "d0e6a833031e9bbcd3f4e8bde6ca49a4";
pub const ASSET: &str = "c44067f5952c0a294b673a41bacd8c17";
pub const ARCHIVE: &str = "0def7320c3a5731c473e5ecbe6d01bc7";

/// The marker of an unknown value. Of seven, one per type, only the first is sent.
pub const UNKNOWN: &str = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const UNKNOWNS: [&str; 7] = [
    UNKNOWN,
    "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
    "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
    "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
    "030794c1-ac77-496b-92df-f27374a8bd58",
    "e48ece36-62e2-4504-bad9-02848725956a",
    "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
];

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Writing {
    pub secrets: Secrets,
    /// Whether references to resources are kept; otherwise their ids, or else their URNs, are written.
    pub keeps_resources: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Secrets {
    /// As an object marked secret.
    Kept,
    /// In clear.
    Revealed,
    /// As `[secret]`.
    Masked,
}

impl Writing {
    /// For output.
    pub const SHOWN: Writing = Writing {
        secrets: Secrets::Masked,
        keeps_resources: true,
    };
}

pub fn to_json(value: &Value, writing: Writing) -> Json {
    match value {
        Value::Null | Value::NullOutput => Json::Null,
        Value::Bool(value) => Json::Bool(*value),
        Value::Number(number) => number_to_json(*number),
        Value::String(text) => Json::String(text.clone()),
        Value::Array(elements) => elements.iter().map(|it| to_json(it, writing)).collect(),
        Value::Object(object) => Json::Object(object_to_json(object, writing)),
        Value::Unknown => Json::String(UNKNOWN.to_owned()),
        Value::Secret(secret) => secret_to_json(secret, writing),
        Value::Asset(asset) => source_to_json(ASSET, &asset.hash, &asset.source, writing),
        Value::Archive(it) => source_to_json(ARCHIVE, &it.hash, &it.source, writing),
        Value::Resource(resource) => resource_to_json(resource, writing),
    }
}

pub fn object_to_json(object: &Object, writing: Writing) -> Map<String, Json> {
    let properties = object.iter();
    properties
        .map(|(key, value)| (key.clone(), to_json(value, writing)))
        .collect()
}

/// As Go writes them. JSON has no infinite ones: those travel as their bits.
pub(crate) fn number_to_json(number: f64) -> Json {
    if !number.is_finite() {
        // Go's NaN has another bit set than Rust's.
        let bits = match number.is_nan() {
            true => 0x7ff8_0000_0000_0001,
            false => number.to_bits(),
        };
        return json!({ SIGNATURE: NUMBER, "value": format!("{bits:016x}") });
    }
    let number: Result<Number, _> = number_as_json(number).parse();
    number.map_or(Json::Null, Json::Number)
}

fn secret_to_json(secret: &Secret, writing: Writing) -> Json {
    match (writing.secrets, secret) {
        (Secrets::Masked, _) => json!("[secret]"),
        (Secrets::Revealed, Secret::Known(value)) => to_json(value, writing),
        (Secrets::Kept, Secret::Known(value)) => {
            json!({ SIGNATURE: SECRET, "value": to_json(value, writing) })
        }
        (_, Secret::Sealed(ciphertext)) => json!({ SIGNATURE: SECRET, "ciphertext": ciphertext }),
    }
}

fn source_to_json(signature: &str, hash: &str, source: &Source, writing: Writing) -> Json {
    let mut object = Map::new();
    object.insert(SIGNATURE.to_owned(), json!(signature));
    if !hash.is_empty() {
        object.insert("hash".to_owned(), json!(hash));
    }
    let (key, value) = match source {
        // Pulumi leaves an empty text out.
        Source::Text(text) if text.is_empty() => return Json::Object(object),
        Source::Text(text) => ("text", json!(text)),
        Source::Path(path) => ("path", json!(path)),
        Source::Uri(uri) => ("uri", json!(uri)),
        Source::Assets(assets) => ("assets", Json::Object(object_to_json(assets, writing))),
    };
    object.insert(key.to_owned(), value);
    Json::Object(object)
}

fn resource_to_json(resource: &Resource, writing: Writing) -> Json {
    let is_shown = writing.secrets == Secrets::Masked;
    let id = resource.id.as_ref().map(|id| match **id {
        // As the engine shows it.
        Value::Unknown if is_shown => json!(""),
        ref id => to_json(id, writing),
    });
    match (writing.keeps_resources, id) {
        (true, Some(id)) if is_shown => {
            json!({ SIGNATURE: RESOURCE, "urn": resource.urn, "id": id, "packageVersion": "" })
        }
        (true, Some(id)) => json!({ SIGNATURE: RESOURCE, "urn": resource.urn, "id": id }),
        (true, None) => json!({ SIGNATURE: RESOURCE, "urn": resource.urn }),
        (false, Some(id)) => id,
        (false, None) => json!(resource.urn),
    }
}

/// Reads a value. `decrypt` returns the JSON text of a ciphertext.
pub fn from_json(json: &Json, decrypt: &dyn Fn(&str) -> Option<String>) -> Value {
    match json {
        Json::Null => Value::Null,
        Json::Bool(value) => Value::Bool(*value),
        Json::Number(number) => Value::Number(number.as_f64().unwrap_or(f64::NAN)),
        Json::String(text) if UNKNOWNS.contains(&text.as_str()) => Value::Unknown,
        Json::String(text) => Value::String(text.clone()),
        Json::Array(elements) => {
            Value::Array(elements.iter().map(|it| from_json(it, decrypt)).collect())
        }
        Json::Object(object) => match object.get(SIGNATURE).and_then(Json::as_str) {
            Some(signature) => signed(signature, object, decrypt),
            None => Value::Object(object_from_json(object, decrypt)),
        },
    }
}

pub fn object_from_json(
    object: &Map<String, Json>,
    decrypt: &dyn Fn(&str) -> Option<String>,
) -> Object {
    let properties = object.iter();
    properties
        .map(|(key, value)| (key.clone(), from_json(value, decrypt)))
        .collect()
}

fn signed(
    signature: &str,
    object: &Map<String, Json>,
    decrypt: &dyn Fn(&str) -> Option<String>,
) -> Value {
    let text = |key: &str| object.get(key).and_then(Json::as_str);
    let value = |key: &str| object.get(key).map(|it| from_json(it, decrypt));
    let hash = text("hash").unwrap_or_default().to_owned();
    // Providers may send all of them, those that it does not have as empty texts.
    let filled = |key: &str| text(key).filter(|it| !it.is_empty());
    let source = || match (filled("path"), filled("uri")) {
        (Some(path), _) => Source::Path(path.to_owned()),
        (None, Some(uri)) => Source::Uri(uri.to_owned()),
        (None, None) if signature == ASSET => {
            Source::Text(text("text").unwrap_or_default().to_owned())
        }
        (None, None) => Source::Assets(match value("assets") {
            Some(Value::Object(assets)) => assets,
            _ => Object::new(),
        }),
    };
    match signature {
        SECRET => {
            let plain = |text: &str| {
                let json = serde_json::from_str(text).ok()?;
                // Secrets inside of it are marked, but not encrypted once more.
                let value = from_json(&json, &|inner| Some(inner.to_owned()));
                Some(Value::secret(value))
            };
            let opened = || {
                let ciphertext = text("ciphertext")?;
                let sealed = || Value::Secret(Secret::Sealed(ciphertext.to_owned()));
                Some(
                    decrypt(ciphertext)
                        .and_then(|text| plain(&text))
                        .unwrap_or_else(sealed),
                )
            };
            let value = value("value").map(Value::secret);
            let value = value.or_else(|| text("plaintext").and_then(plain));
            value.or_else(opened).unwrap_or(Value::secret(Value::Null))
        }
        OUTPUT => {
            let known = value("value").unwrap_or(Value::Unknown);
            match object.get("secret").and_then(Json::as_bool) {
                Some(true) => Value::secret(known),
                _ => known,
            }
        }
        NUMBER => {
            let bits = text("value").and_then(|it| u64::from_str_radix(it, 16).ok());
            Value::Number(bits.map_or(f64::NAN, f64::from_bits))
        }
        RESOURCE => Value::Resource(Resource {
            urn: text("urn").unwrap_or_default().to_owned(),
            // An empty id is one that is not known yet.
            id: value("id").map(|id| match id {
                Value::String(text) if text.is_empty() => Box::new(Value::Unknown),
                id => Box::new(id),
            }),
        }),
        ASSET => Value::Asset(Asset {
            hash,
            source: source(),
        }),
        ARCHIVE => Value::Archive(Archive {
            hash,
            source: source(),
        }),
        // One of a later release.
        _ => Value::Object(object_from_json(object, decrypt)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed(_: &str) -> Option<String> {
        None
    }

    fn kept(json: &Json) -> Json {
        let writing = Writing {
            secrets: Secrets::Kept,
            keeps_resources: true,
        };
        to_json(&from_json(json, &sealed), writing)
    }

    #[test]
    fn json_is_written_as_it_was_read() {
        for json in [
            json!(null),
            json!({ "a": [1, 1.5, true, "x", { "b": {} }] }),
            json!({ SIGNATURE: SECRET, "value": { "a": 1 } }),
            json!({ SIGNATURE: SECRET, "ciphertext": "v1:a:b" }),
            json!({ SIGNATURE: RESOURCE, "urn": "urn:x", "id": "i" }),
            json!({ SIGNATURE: ASSET, "hash": "00", "text": "t" }),
            json!({ SIGNATURE: ARCHIVE, "hash": "00", "assets": { "a": { SIGNATURE: ASSET, "path": "p" } } }),
            json!(UNKNOWN),
        ] {
            assert_eq!(kept(&json), json);
        }
    }

    #[test]
    fn secrets_are_masked_wherever_they_stand() {
        let json = json!({ "a": [{ SIGNATURE: SECRET, "value": "hidden" }], "b": { SIGNATURE: SECRET, "ciphertext": "x" } });
        let value = from_json(&json, &sealed);
        let shown = to_json(&value, Writing::SHOWN);
        assert_eq!(shown, json!({ "a": ["[secret]"], "b": "[secret]" }));
        assert!(!format!("{value:?}").contains("hidden"));
    }

    #[test]
    fn a_ciphertext_is_decrypted_where_it_can_be() {
        let json = json!({ SIGNATURE: SECRET, "ciphertext": "v1:a:b" });
        let value = from_json(&json, &|text| (text == "v1:a:b").then(|| "[1]".to_owned()));
        assert_eq!(value, Value::secret(Value::Array(vec![Value::Number(1.0)])));
    }

    #[test]
    fn all_kinds_of_unknowns_are_read() {
        for text in UNKNOWNS {
            assert_eq!(from_json(&json!(text), &sealed), Value::Unknown);
        }
        let output = json!({ SIGNATURE: OUTPUT, "secret": true });
        assert_eq!(from_json(&output, &sealed), Value::secret(Value::Unknown));
    }

    #[test]
    fn references_become_ids_for_who_takes_none() {
        let writing = Writing {
            secrets: Secrets::Revealed,
            keeps_resources: false,
        };
        let id = json!({ SIGNATURE: RESOURCE, "urn": "urn:x", "id": "i" });
        assert_eq!(to_json(&from_json(&id, &sealed), writing), json!("i"));
        let component = json!({ SIGNATURE: RESOURCE, "urn": "urn:x" });
        assert_eq!(
            to_json(&from_json(&component, &sealed), writing),
            json!("urn:x")
        );
    }

    #[test]
    fn secrets_inside_of_a_secret_are_encrypted_once() {
        let inner = json!({ "p": { SIGNATURE: SECRET, "ciphertext": "\"hush\"" } }).to_string();
        let decrypt = |text: &str| (text == "whole").then(|| inner.clone());
        let json = json!({ SIGNATURE: SECRET, "ciphertext": "whole" });
        let hush = Value::secret(Value::from("hush"));
        let expected = Object::from([("p".to_owned(), hush)]);
        assert_eq!(
            from_json(&json, &decrypt),
            Value::secret(Value::Object(expected))
        );
    }
}
