//! Values of properties: JSON with Pulumi's additions.

use std::collections::BTreeMap;
use std::fmt;

/// The properties of a resource, by name.
pub type Object = BTreeMap<String, Value>;

#[derive(Clone, PartialEq, Debug, Default)]
pub enum Value {
    #[default]
    Null,
    /// A null that comes from an output: in an object, the host registers it.
    NullOutput,
    Bool(bool),
    Number(f64),
    String(String),
    Array(Vec<Value>),
    Object(Object),
    /// Known only after the update.
    Unknown,
    Secret(Secret),
    Asset(Asset),
    Archive(Archive),
    Resource(Resource),
}

/// A value that is not shown.
#[derive(Clone, PartialEq)]
pub enum Secret {
    Known(Box<Value>),
    /// A ciphertext that nothing here can decrypt.
    Sealed(String),
}

/// Text or a file that becomes the content of something.
#[derive(Clone, PartialEq, Debug)]
pub struct Asset {
    /// In lower-case hexadecimal digits; empty where it is not known.
    pub hash: String,
    pub source: Source,
}

/// Files in a folder or an archive, or assets by name.
#[derive(Clone, PartialEq, Debug)]
pub struct Archive {
    pub hash: String,
    pub source: Source,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Source {
    Text(String),
    Path(String),
    Uri(String),
    /// Of archives only.
    Assets(Object),
}

/// A reference to a resource as a whole.
#[derive(Clone, PartialEq, Debug)]
pub struct Resource {
    pub urn: String,
    /// `None` for components, which have no id.
    pub id: Option<Box<Value>>,
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[secret]")
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::String(text.to_owned())
    }
}

impl Value {
    pub fn secret(value: Value) -> Value {
        match value {
            Value::Secret(_) => value,
            _ => Value::Secret(Secret::Known(Box::new(value))),
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Without secrecy at the top.
    pub fn revealed(&self) -> &Value {
        match self {
            Value::Secret(Secret::Known(value)) => value.revealed(),
            _ => self,
        }
    }

    /// Whether any part is unknown.
    pub fn has_unknown(&self) -> bool {
        self.any(&|value| matches!(value, Value::Unknown))
    }

    /// Whether any part is a secret that cannot be decrypted.
    pub fn is_sealed(&self) -> bool {
        self.any(&|value| matches!(value, Value::Secret(Secret::Sealed(_))))
    }

    /// A number in it that JSON does not have, as Go writes it.
    pub(crate) fn infinite(&self) -> Option<&'static str> {
        match self {
            Value::Number(number) if number.is_nan() => Some("NaN"),
            Value::Number(number) if *number == f64::INFINITY => Some("+Inf"),
            Value::Number(number) if *number == f64::NEG_INFINITY => Some("-Inf"),
            Value::Array(elements) => elements.iter().find_map(Value::infinite),
            Value::Object(object) => object.values().find_map(Value::infinite),
            Value::Secret(Secret::Known(value)) => value.infinite(),
            _ => None,
        }
    }

    /// As the host reads the answers of providers: without assets, archives, and secrets inside of other values.
    pub(crate) fn without_contents(&self) -> Value {
        match self {
            Value::Secret(Secret::Known(value)) => Value::secret(value.without_inner_contents()),
            Value::Secret(Secret::Sealed(_)) => self.clone(),
            _ => self.without_inner_contents(),
        }
    }

    fn without_inner_contents(&self) -> Value {
        match self {
            Value::Asset(_) | Value::Archive(_) | Value::Secret(_) => Value::Object(Object::new()),
            Value::Array(elements) => {
                Value::Array(elements.iter().map(Value::without_inner_contents).collect())
            }
            Value::Object(object) => {
                let properties = object.iter();
                Value::Object(
                    properties
                        .map(|(key, it)| (key.clone(), it.without_inner_contents()))
                        .collect(),
                )
            }
            _ => self.clone(),
        }
    }

    /// Whether it has parts.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(self, Value::Array(_) | Value::Object(_))
    }

    /// The texts in secrets, except those that are too short to be recognized.
    pub fn secret_texts(&self, found: &mut Vec<String>) {
        match self {
            Value::Secret(Secret::Known(value)) => value.texts(found),
            Value::Array(elements) => elements.iter().for_each(|it| it.secret_texts(found)),
            Value::Object(object) => object.values().for_each(|it| it.secret_texts(found)),
            _ => {}
        }
    }

    fn texts(&self, found: &mut Vec<String>) {
        match self {
            Value::String(text) if text.len() > 2 => found.push(text.clone()),
            Value::Number(number) => found.push(number.to_string()),
            Value::Array(elements) => elements.iter().for_each(|it| it.texts(found)),
            Value::Object(object) => object.values().for_each(|it| it.texts(found)),
            _ => {}
        }
    }

    /// Whether any part is a reference to a resource.
    pub(crate) fn has_resource(&self) -> bool {
        self.any(&|value| matches!(value, Value::Resource(_)))
    }

    pub fn has_secret(&self) -> bool {
        self.any(&|value| matches!(value, Value::Secret(_)))
    }

    fn any(&self, is: &impl Fn(&Value) -> bool) -> bool {
        is(self)
            || match self {
                Value::Array(elements) => elements.iter().any(|it| it.any(is)),
                Value::Object(object) => object.values().any(|it| it.any(is)),
                Value::Secret(Secret::Known(value)) => value.any(is),
                Value::Resource(resource) => resource.id.as_ref().is_some_and(|it| it.any(is)),
                Value::Asset(asset) => asset.source.any(is),
                Value::Archive(archive) => archive.source.any(is),
                _ => false,
            }
    }

    /// As the language host keeps a variable: unknown or secret as a whole where a part is.
    pub fn as_output(self) -> Value {
        if !matches!(self, Value::Array(_) | Value::Object(_)) {
            return self;
        }
        let is_secret = self.has_secret();
        let whole = match self.has_unknown_part() {
            true => Value::Unknown,
            false if is_secret || self.any(&|it| *it == Value::NullOutput) => {
                self.without_secrets()
            }
            false => self,
        };
        match is_secret {
            true => Value::secret(whole),
            false => whole,
        }
    }

    /// Other than the id of a resource.
    pub(crate) fn has_unknown_part(&self) -> bool {
        match self {
            Value::Unknown => true,
            Value::Array(elements) => elements.iter().any(Value::has_unknown_part),
            Value::Object(object) => object.values().any(Value::has_unknown_part),
            Value::Secret(Secret::Known(value)) => value.has_unknown_part(),
            _ => false,
        }
    }

    /// The same without any secrecy, as a function of the host gets it.
    pub fn without_secrets(&self) -> Value {
        match self {
            Value::Secret(Secret::Known(value)) => value.without_secrets(),
            Value::NullOutput => Value::Null,
            Value::Array(elements) => {
                Value::Array(elements.iter().map(Value::without_secrets).collect())
            }
            Value::Object(object) => Value::Object(without_secrets(object)),
            _ => self.clone(),
        }
    }

    /// As Go names a type.
    pub(crate) fn go_type(&self) -> &'static str {
        match self {
            Value::Null | Value::NullOutput => "<nil>",
            Value::Bool(_) => "bool",
            Value::Number(_) => "float64",
            Value::String(_) => "string",
            Value::Array(_) => "[]interface {}",
            _ => "map[string]interface {}",
        }
    }

    /// As messages name a type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Null | Value::NullOutput => "nil",
            Value::Bool(_) => "a boolean",
            Value::Number(_) => "a number",
            Value::String(_) => "a string",
            Value::Array(_) => "a list",
            Value::Object(_) => "an object",
            Value::Unknown => "an unknown value",
            Value::Secret(_) => "a secret",
            Value::Asset(_) => "an asset",
            Value::Archive(_) => "an archive",
            Value::Resource(_) => "a resource",
        }
    }
}

impl Source {
    fn any(&self, is: &impl Fn(&Value) -> bool) -> bool {
        match self {
            Source::Text(_) | Source::Path(_) | Source::Uri(_) => false,
            Source::Assets(assets) => assets.values().any(|it| it.any(is)),
        }
    }
}

/// A text without these secrets, which may be in any order.
pub fn masked(text: &str, mut secrets: Vec<String>) -> String {
    // A longer one may hold a shorter one.
    secrets.sort_by_key(|it| std::cmp::Reverse(it.len()));
    secrets.iter().fold(text.to_owned(), |text, secret| {
        text.replace(secret.as_str(), "[secret]")
    })
}

pub fn without_secrets(object: &Object) -> Object {
    let properties = object.iter();
    properties
        .map(|(key, value)| (key.clone(), value.without_secrets()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_is_secret_or_unknown_as_a_whole() {
        let object = |inner: Value| {
            Value::Object(Object::from([
                ("a".to_owned(), inner),
                ("b".to_owned(), "plain".into()),
            ]))
        };
        assert_eq!(object(Value::Unknown).as_output(), Value::Unknown);
        let sealed = object(Value::secret("word".into()));
        assert_eq!(sealed.as_output(), Value::secret(object("word".into())));
        assert_eq!(
            object(Value::secret(Value::Unknown)).as_output(),
            Value::secret(Value::Unknown)
        );
        assert_eq!(object(Value::Null).as_output(), object(Value::Null));
    }
}
