//! Types: primitives, collections, structural types, and the dynamic pseudo-type.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::text;
use crate::value::normalize;

/// A type, or a type constraint: `Dynamic` and optional attributes occur only in constraints (and
/// `Dynamic` in the type of values that are not known yet).
///
/// A clone costs at most one reference count. Equality is structural; the order is arbitrary.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Type {
    /// The type is not known yet ("any type" in a constraint).
    Dynamic,
    String,
    Number,
    Bool,
    List(Arc<Type>),
    Set(Arc<Type>),
    Map(Arc<Type>),
    Object(Arc<ObjectType>),
    Tuple(Arc<Vec<Type>>),
    /// A value of our own that travels through the language opaquely.
    Capsule(CapsuleType),
}

/// The attributes of an object type. Names are in Unicode normal form C.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectType {
    pub attributes: BTreeMap<SmolStr, Type>,
    /// Names of attributes that conversion may leave out; only in constraints.
    pub optional: BTreeSet<SmolStr>,
}

/// An opaque type, equal only to itself: clones of one `new` are equal, two `new`s are not.
#[derive(Clone)]
pub struct CapsuleType(Arc<String>);

/// A type that cannot be read from its JSON form.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct TypeError(pub String);

impl Type {
    pub fn list(element: Type) -> Type {
        Type::List(Arc::new(element))
    }

    pub fn set(element: Type) -> Type {
        Type::Set(Arc::new(element))
    }

    pub fn map(element: Type) -> Type {
        Type::Map(Arc::new(element))
    }

    /// An object type; names are normalized.
    pub fn object<N: AsRef<str>>(attributes: impl IntoIterator<Item = (N, Type)>) -> Type {
        Type::object_with_optional(attributes, std::iter::empty::<&str>())
    }

    /// An object type constraint. Names in `optional` that are no attributes are dropped.
    pub fn object_with_optional<N: AsRef<str>, O: AsRef<str>>(
        attributes: impl IntoIterator<Item = (N, Type)>,
        optional: impl IntoIterator<Item = O>,
    ) -> Type {
        let attributes = attributes.into_iter();
        let optional = optional.into_iter();
        Type::object_of(
            attributes
                .map(|(name, ty)| (normalize(name.as_ref()), ty))
                .collect(),
            optional.map(|name| normalize(name.as_ref())).collect(),
        )
    }

    /// Not generic: otherwise each caller of `object` has a copy.
    fn object_of(attributes: Vec<(SmolStr, Type)>, mut optional: Vec<SmolStr>) -> Type {
        let attributes = BTreeMap::from_iter(attributes);
        optional.retain(|name| attributes.contains_key(name));
        Type::Object(Arc::new(ObjectType {
            attributes,
            optional: optional.into_iter().collect(),
        }))
    }

    pub fn tuple(elements: impl IntoIterator<Item = Type>) -> Type {
        Type::Tuple(Arc::new(elements.into_iter().collect()))
    }

    /// The object type without attributes.
    pub fn empty_object() -> Type {
        Type::object(std::iter::empty::<(&str, Type)>())
    }

    /// String, number or bool.
    pub fn is_primitive(&self) -> bool {
        matches!(self, Type::String | Type::Number | Type::Bool)
    }

    /// List, set or map.
    pub fn is_collection(&self) -> bool {
        matches!(self, Type::List(_) | Type::Set(_) | Type::Map(_))
    }

    /// Object or tuple.
    pub fn is_structural(&self) -> bool {
        matches!(self, Type::Object(_) | Type::Tuple(_))
    }

    pub fn is_list(&self) -> bool {
        matches!(self, Type::List(_))
    }

    pub fn is_set(&self) -> bool {
        matches!(self, Type::Set(_))
    }

    pub fn is_map(&self) -> bool {
        matches!(self, Type::Map(_))
    }

    pub fn is_object(&self) -> bool {
        matches!(self, Type::Object(_))
    }

    pub fn is_tuple(&self) -> bool {
        matches!(self, Type::Tuple(_))
    }

    pub fn is_capsule(&self) -> bool {
        matches!(self, Type::Capsule(_))
    }

    pub fn is_dynamic(&self) -> bool {
        matches!(self, Type::Dynamic)
    }

    /// The element type of a list, set or map.
    pub fn element_type(&self) -> Option<&Type> {
        match self {
            Type::List(element) | Type::Set(element) | Type::Map(element) => Some(element),
            _ => None,
        }
    }

    /// The attributes of an object type.
    pub fn attributes(&self) -> Option<&BTreeMap<SmolStr, Type>> {
        match self {
            Type::Object(object) => Some(&object.attributes),
            _ => None,
        }
    }

    /// The type of an attribute of an object type. `name` is normalized first.
    pub fn attribute_type(&self, name: &str) -> Option<&Type> {
        self.attributes()?.get(normalize(name).as_str())
    }

    pub fn has_attribute(&self, name: &str) -> bool {
        self.attribute_type(name).is_some()
    }

    /// Whether an object type constraint lets conversion leave this attribute out.
    pub fn is_optional_attribute(&self, name: &str) -> bool {
        matches!(self, Type::Object(object) if object.optional.contains(normalize(name).as_str()))
    }

    /// The element types of a tuple type.
    pub fn tuple_elements(&self) -> Option<&[Type]> {
        match self {
            Type::Tuple(elements) => Some(elements),
            _ => None,
        }
    }

    /// Whether the dynamic pseudo-type is this type or occurs anywhere in it.
    pub fn has_dynamic(&self) -> bool {
        match self {
            Type::Dynamic => true,
            Type::String | Type::Number | Type::Bool | Type::Capsule(_) => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => element.has_dynamic(),
            Type::Object(object) => object.attributes.values().any(Type::has_dynamic),
            Type::Tuple(elements) => elements.iter().any(Type::has_dynamic),
        }
    }

    /// Whether an optional attribute occurs anywhere in this type constraint.
    pub fn has_optional_attributes(&self) -> bool {
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool | Type::Capsule(_) => false,
            Type::List(element) | Type::Set(element) | Type::Map(element) => {
                element.has_optional_attributes()
            }
            Type::Object(object) => {
                !object.optional.is_empty()
                    || object
                        .attributes
                        .values()
                        .any(Type::has_optional_attributes)
            }
            Type::Tuple(elements) => elements.iter().any(Type::has_optional_attributes),
        }
    }

    /// The same constraint with every attribute required, at any depth: the type that values have.
    pub fn without_optional_attributes(&self) -> Type {
        if !self.has_optional_attributes() {
            return self.clone();
        }
        match self {
            Type::Dynamic | Type::String | Type::Number | Type::Bool | Type::Capsule(_) => {
                self.clone()
            }
            Type::List(element) => Type::list(element.without_optional_attributes()),
            Type::Set(element) => Type::set(element.without_optional_attributes()),
            Type::Map(element) => Type::map(element.without_optional_attributes()),
            Type::Object(object) => Type::Object(Arc::new(ObjectType {
                attributes: object
                    .attributes
                    .iter()
                    .map(|(name, ty)| (name.clone(), ty.without_optional_attributes()))
                    .collect(),
                optional: BTreeSet::new(),
            })),
            Type::Tuple(elements) => {
                Type::tuple(elements.iter().map(Type::without_optional_attributes))
            }
        }
    }

    /// What diagnostics call a value of this type: `list of string`, `object`, `tuple`.
    pub fn friendly_name(&self) -> String {
        self.name_in(false)
    }

    /// What diagnostics call this type as a constraint: `list of any single type`, `any type`.
    pub fn friendly_name_for_constraint(&self) -> String {
        self.name_in(true)
    }

    fn name_in(&self, constraint: bool) -> String {
        let collection = |kind: &str, element: &Type| match element {
            Type::Dynamic if constraint => format!("{kind} of any single type"),
            element => format!("{kind} of {}", element.name_in(constraint)),
        };
        match self {
            Type::Dynamic if constraint => "any type".into(),
            Type::Dynamic => "dynamic".into(),
            Type::String => "string".into(),
            Type::Number => "number".into(),
            Type::Bool => "bool".into(),
            Type::List(element) => collection("list", element),
            Type::Set(element) => collection("set", element),
            Type::Map(element) => collection("map", element),
            Type::Object(_) => "object".into(),
            Type::Tuple(_) => "tuple".into(),
            Type::Capsule(capsule) => capsule.name().into(),
        }
    }

    /// The JSON form, as in state files, plans and provider schemas: `"string"`,
    /// `["list", "string"]`, `["object", {"a": "bool"}, ["a"]]` (the last part: optional attributes).
    ///
    /// Fails on a capsule type.
    pub fn to_json(&self) -> Result<Json, TypeError> {
        let pair = |kind: &str, inner: Json| Json::Array(vec![kind.into(), inner]);
        Ok(match self {
            Type::Dynamic => "dynamic".into(),
            Type::String => "string".into(),
            Type::Number => "number".into(),
            Type::Bool => "bool".into(),
            Type::List(element) => pair("list", element.to_json()?),
            Type::Set(element) => pair("set", element.to_json()?),
            Type::Map(element) => pair("map", element.to_json()?),
            Type::Object(object) => {
                let mut attributes = serde_json::Map::new();
                for (name, ty) in &object.attributes {
                    attributes.insert(name.to_string(), ty.to_json()?);
                }
                let mut parts = vec!["object".into(), Json::Object(attributes)];
                if !object.optional.is_empty() {
                    parts.push(object.optional.iter().map(|name| name.as_str()).collect());
                }
                Json::Array(parts)
            }
            Type::Tuple(elements) => {
                let elements: Result<Vec<_>, _> = elements.iter().map(Type::to_json).collect();
                pair("tuple", Json::Array(elements?))
            }
            Type::Capsule(_) => return Err(TypeError(format!("type not allowed: {self:?}"))),
        })
    }

    /// Reads the form that `to_json` writes.
    pub fn from_json(json: &Json) -> Result<Type, TypeError> {
        let fail = |message: &str| Err(TypeError(message.to_string()));
        match json {
            Json::String(name) => match name.as_str() {
                "dynamic" => Ok(Type::Dynamic),
                "string" => Ok(Type::String),
                "number" => Ok(Type::Number),
                "bool" => Ok(Type::Bool),
                other => Err(TypeError(format!("invalid primitive type name {other:?}"))),
            },
            Json::Array(parts) => match (parts.first().and_then(Json::as_str), &parts[..]) {
                (Some("list"), [_, element]) => Ok(Type::list(Type::from_json(element)?)),
                (Some("set"), [_, element]) => Ok(Type::set(Type::from_json(element)?)),
                (Some("map"), [_, element]) => Ok(Type::map(Type::from_json(element)?)),
                (Some("tuple"), [_, Json::Array(elements)]) => {
                    let elements: Result<Vec<_>, _> =
                        elements.iter().map(Type::from_json).collect();
                    Ok(Type::tuple(elements?))
                }
                (Some("object"), [_, Json::Object(attributes), rest @ ..]) => {
                    let attributes: Result<Vec<_>, TypeError> = attributes
                        .iter()
                        .map(|(name, ty)| Ok((name, Type::from_json(ty)?)))
                        .collect();
                    match rest {
                        [] => Ok(Type::object(attributes?)),
                        [Json::Array(optional)] => Ok(Type::object_with_optional(
                            attributes?,
                            optional.iter().filter_map(Json::as_str),
                        )),
                        _ => fail("unexpected extra value in type"),
                    }
                }
                (Some(_), [_, _, ..]) => fail("invalid complex type description"),
                _ => fail("invalid complex type description"),
            },
            _ => fail("invalid complex type description"),
        }
    }
}

/// As written in a type constraint: `list(string)`, `object({a=number,b=optional(bool)})`.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Type::Dynamic => f.write_str("any"),
            Type::String => f.write_str("string"),
            Type::Number => f.write_str("number"),
            Type::Bool => f.write_str("bool"),
            Type::List(element) => write!(f, "list({element})"),
            Type::Set(element) => write!(f, "set({element})"),
            Type::Map(element) => write!(f, "map({element})"),
            Type::Object(object) => {
                f.write_str("object({")?;
                for (i, (name, ty)) in object.attributes.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    let is_optional = object.optional.contains(name);
                    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
                    let name = match name.chars().all(is_plain) {
                        true => Cow::Borrowed(name.as_str()),
                        false => Cow::Owned(text::quote(name)),
                    };
                    match is_optional {
                        true => write!(f, "{comma}{name}=optional({ty})")?,
                        false => write!(f, "{comma}{name}={ty}")?,
                    }
                }
                f.write_str("})")
            }
            Type::Tuple(elements) => {
                f.write_str("tuple([")?;
                for (i, ty) in elements.iter().enumerate() {
                    let comma = if i == 0 { "" } else { "," };
                    write!(f, "{comma}{ty}")?;
                }
                f.write_str("])")
            }
            Type::Capsule(capsule) => f.write_str(capsule.name()),
        }
    }
}

impl fmt::Debug for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl CapsuleType {
    /// A new type, different from every other.
    pub fn new(name: &str) -> CapsuleType {
        CapsuleType(Arc::new(name.to_string()))
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    fn identity(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }
}

impl PartialEq for CapsuleType {
    fn eq(&self, other: &CapsuleType) -> bool {
        self.identity() == other.identity()
    }
}

impl Eq for CapsuleType {}

impl Hash for CapsuleType {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.identity().hash(state);
    }
}

impl PartialOrd for CapsuleType {
    fn partial_cmp(&self, other: &CapsuleType) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for CapsuleType {
    fn cmp(&self, other: &CapsuleType) -> std::cmp::Ordering {
        self.identity().cmp(&other.identity())
    }
}
