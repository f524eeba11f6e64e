//! Paths: places inside a value.

use std::fmt;

use smol_str::SmolStr;

use crate::{Type, Value, text};

/// A way from a value to a place inside it. Empty: the value itself.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub struct Path(pub Vec<PathStep>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum PathStep {
    /// An attribute of an object.
    GetAttr(SmolStr),
    /// An element of a list, map or tuple by its key; of a set by the element itself.
    Index(Value),
}

/// A path that leads nowhere in the value or type it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PathError {
    /// As far as the path could be followed.
    pub path: Path,
    pub message: String,
}

impl Path {
    pub fn new() -> Path {
        Path::default()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// By this number a set of paths is ordered. Indices all count the same.
    ///
    /// Source: `pathSetRules.Hash` in go-cty's `cty/path_set.go`, which is CRC-64 with the polynomial of ISO 3309.
    pub fn order_in_sets(&self) -> i64 {
        let bytes = self.0.iter().flat_map(|step| match step {
            PathStep::GetAttr(name) => name.bytes(),
            PathStep::Index(_) => "#".bytes(),
        });
        let hash = bytes.fold(u64::MAX, |hash, byte| {
            (0..8).fold(hash ^ u64::from(byte), |hash, _| {
                let polynomial = if hash & 1 == 1 {
                    0xd800_0000_0000_0000
                } else {
                    0
                };
                hash >> 1 ^ polynomial
            })
        });
        (!hash).cast_signed()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn steps(&self) -> &[PathStep] {
        &self.0
    }

    /// This path and one attribute further.
    pub fn attr(&self, name: &str) -> Path {
        self.step(PathStep::GetAttr(name.into()))
    }

    /// This path and one element further.
    pub fn index(&self, key: Value) -> Path {
        self.step(PathStep::Index(key))
    }

    pub fn step(&self, step: PathStep) -> Path {
        let mut steps = Vec::with_capacity(self.0.len() + 1);
        steps.extend_from_slice(&self.0);
        steps.push(step);
        Path(steps)
    }

    pub fn starts_with(&self, prefix: &Path) -> bool {
        self.0.starts_with(&prefix.0)
    }

    /// The value at this place. Unknown containers give unknown values; marks on the way are kept.
    pub fn apply(&self, value: &Value) -> Result<Value, PathError> {
        let mut place = value.clone();
        for (at, step) in self.0.iter().enumerate() {
            place = step.apply(&place).map_err(|message| PathError {
                path: Path(self.0[..at].to_vec()),
                message: format!("at step {at}: {message}"),
            })?;
        }
        Ok(place)
    }
}

impl PathStep {
    /// The step to an element, given its key in the iteration over its container.
    pub fn for_key(key: &Value, is_object: bool) -> PathStep {
        match key.as_str() {
            Some(name) if is_object => PathStep::GetAttr(name.into()),
            _ => PathStep::Index(key.clone()),
        }
    }

    /// What is one step from a value.
    pub fn apply(&self, value: &Value) -> Result<Value, String> {
        match self {
            PathStep::GetAttr(_) if value.is_null() => {
                Err("cannot access attributes on a null value".into())
            }
            PathStep::GetAttr(_) if !value.ty().is_object() => Err("not an object type".into()),
            PathStep::GetAttr(name) if !value.ty().has_attribute(name) => {
                Err(format!("object has no attribute {}", text::quote(name)))
            }
            PathStep::GetAttr(name) => value.get_attr(name).map_err(|error| error.to_string()),
            PathStep::Index(key) => index(value, key),
        }
    }
}

fn index(value: &Value, key: &Value) -> Result<Value, String> {
    let failed = |message: &str| Err(message.to_string());
    if value.is_null() {
        return failed("cannot index a null value");
    }
    if let Type::Set(element) = value.ty() {
        let (found, marks) = value
            .has_element(key)
            .map_err(|error| error.to_string())?
            .unmark();
        return match found.as_bool() {
            None => Ok(Value::unknown(Type::clone(element)).mark_all(&marks)),
            Some(true) => Ok(key.mark_all(&marks)),
            Some(false) => failed("set does not contain the requested element"),
        };
    }
    match (key.ty(), value.ty()) {
        (Type::Number, Type::List(_) | Type::Tuple(_)) | (Type::String, Type::Map(_)) => {}
        (Type::Number, _) => return failed("not a list type"),
        (Type::String, _) => return failed("not a map type"),
        _ => return failed("key value not number or string"),
    }
    let (found, _) = value
        .has_index(key)
        .map_err(|error| error.to_string())?
        .unmark();
    match found.as_bool() {
        Some(false) => failed("value does not have given index key"),
        _ => value.index(key).map_err(|error| error.to_string()),
    }
}

/// As in a reference: `.a[0].b["k"]`. Keys that are no known strings or numbers show as `[...]`.
impl fmt::Display for Path {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|step| match step {
            PathStep::GetAttr(name) => write!(f, ".{name}"),
            PathStep::Index(key) => match (key.as_str(), key.as_number()) {
                (Some(name), _) => write!(f, "[{}]", text::quote(name)),
                (_, Some(number)) => write!(f, "[{number}]"),
                _ => f.write_str("[...]"),
            },
        })
    }
}

impl From<Vec<PathStep>> for Path {
    fn from(steps: Vec<PathStep>) -> Path {
        Path(steps)
    }
}
