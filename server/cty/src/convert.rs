//! Conversion of a value to a type constraint.
//!
//! First the types alone say whether there is a conversion (`exists`); then it is applied to the
//! value, where strings may still turn out not to be numbers and the like.

mod mismatch;

use std::collections::BTreeMap;

use crate::marks::is_secret;
use crate::unify::unified;
use crate::{Number, ObjectType, Path, PathStep, Type, Value, ValueRange, budget, text};

use mismatch::required;

pub use mismatch::mismatch_message;

/// A value that cannot become what is wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ConvertError {
    /// Where in the value.
    pub path: Path,
    /// As diagnostics show it: `a number is required`, `attribute "a" is required`.
    pub message: String,
}

/// The value as the type constraint wants it; `Dynamic` in it takes what is there, optional
/// attributes that are absent become null. Null and unknown values keep their state.
pub fn convert(value: &Value, ty: &Type) -> Result<Value, ConvertError> {
    convert_at(value, ty, &mut Path::new())
}

fn convert_at(value: &Value, ty: &Type, path: &mut Path) -> Result<Value, ConvertError> {
    if *value.ty() == ty.without_optional_attributes() {
        return Ok(value.clone());
    }
    match exists(value.ty(), ty, true) {
        true => apply(value, ty, true, path),
        // A secret may be the name of an attribute.
        false if is_secret(value.marks()) => fail(path, required(ty)),
        false => fail(path, mismatch_message(value.ty(), ty)),
    }
}

/// Whether every value of type `from` can be converted without loss.
pub fn safe_conversion_exists(from: &Type, to: &Type) -> bool {
    exists(from, to, false)
}

/// Whether some values of type `from` may be converted.
pub fn convert_unsafe_exists(from: &Type, to: &Type) -> bool {
    exists(from, to, true)
}

/// Whether there is a conversion; from a type to itself always.
pub(crate) fn exists(from: &Type, to: &Type, is_unsafe: bool) -> bool {
    budget::spend(1);
    match (from, to) {
        (_, Type::Dynamic) => true,
        (from, to) if from == to => true,
        (Type::Dynamic, _) => is_unsafe,
        (Type::Number | Type::Bool, Type::String) => true,
        (Type::String, Type::Number | Type::Bool) => is_unsafe,
        (Type::Object(from), Type::Object(to)) => {
            to.attributes
                .iter()
                .all(|(name, wanted)| match from.attributes.get(name) {
                    Some(ty) => exists(ty, wanted, is_unsafe),
                    None => to.optional.contains(name),
                })
        }
        (Type::Tuple(from), Type::Tuple(to)) => {
            from.len() == to.len()
                && from
                    .iter()
                    .zip(to.iter())
                    .all(|(ty, wanted)| exists(ty, wanted, is_unsafe))
        }
        (Type::List(from) | Type::Set(from), Type::List(to))
        | (Type::Set(from), Type::Set(to))
        | (Type::Map(from), Type::Map(to)) => exists(from, to, is_unsafe),
        (Type::List(from), Type::Set(to)) => is_unsafe && exists(from, to, is_unsafe),
        (Type::Tuple(from), Type::List(to) | Type::Set(to)) => {
            from.is_empty()
                || element_type(from.iter(), to, is_unsafe).is_some_and(|element| {
                    // Elements of which the type is known have no type in common with others.
                    let is_open = to.is_dynamic()
                        && element.is_dynamic()
                        && !from.iter().all(Type::is_dynamic);
                    !is_open && from.iter().all(|ty| exists(ty, &element, is_unsafe))
                })
        }
        (Type::Object(from), Type::Map(to)) => {
            from.attributes.is_empty()
                || element_type(from.attributes.values(), to, is_unsafe).is_some_and(|element| {
                    from.attributes
                        .values()
                        .all(|ty| exists(ty, &element, is_unsafe))
                })
        }
        (Type::Map(from), Type::Object(to)) => {
            is_unsafe
                && to.attributes.iter().all(|(name, wanted)| {
                    exists(from, wanted, is_unsafe) || to.optional.contains(name)
                })
        }
        _ => false,
    }
}

/// The element type of a collection made from these: the wanted one, or what they have in common.
fn element_type<'a>(
    types: impl Iterator<Item = &'a Type>,
    wanted: &Type,
    is_unsafe: bool,
) -> Option<Type> {
    match wanted {
        Type::Dynamic => unified(&types.cloned().collect::<Vec<_>>(), is_unsafe),
        wanted => Some(wanted.clone()),
    }
}

fn fail<T>(path: &Path, message: impl Into<String>) -> Result<T, ConvertError> {
    Err(ConvertError {
        path: path.clone(),
        message: message.into(),
    })
}

/// Applies a conversion that exists.
fn apply(
    value: &Value,
    to: &Type,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    budget::spend(1);
    if to.is_dynamic() || value.ty() == to && !to.has_optional_attributes() {
        return Ok(value.clone());
    }
    if value.is_marked() {
        let (unmarked, marks) = value.unmark();
        let at = path.clone();
        let hidden = |error| match is_secret(&marks) {
            true => ConvertError {
                path: at,
                message: required(to),
            },
            false => error,
        };
        let applied = apply(&unmarked, to, is_unsafe, path).map_err(hidden);
        return Ok(applied?.mark_all(&marks));
    }
    if value.is_null() || !value.is_known() {
        let ty = without_dynamic(value.ty(), &to.without_optional_attributes());
        return Ok(match value.is_null() {
            true => Value::null(ty),
            false => unknown_result(&value.range(), ty),
        });
    }
    match (value.ty(), to) {
        (Type::Dynamic, _) => convert_at(value, to, path),
        (_, Type::String) => Ok(match (value.as_number(), value.as_bool()) {
            (Some(number), _) => Value::string(number.to_string()),
            (_, flag) => Value::string(flag.unwrap_or_default().to_string()),
        }),
        (_, Type::Number) => match value.as_str().and_then(Number::parse) {
            Some(number) => Ok(Value::number(number)),
            None => fail(path, "a number is required"),
        },
        (_, Type::Bool) => to_bool(value.as_str().unwrap_or_default(), path),
        (Type::Object(_), Type::Object(object)) => {
            Ok(to_object(value, object, is_unsafe, path)?.sharing(to))
        }
        (Type::Map(_), Type::Object(object)) => map_to_object(value, object, is_unsafe, path),
        (_, Type::Tuple(types)) => {
            let elements = value
                .as_slice()
                .unwrap_or_default()
                .iter()
                .zip(types.iter());
            let elements = elements.enumerate().map(|(at, (element, ty))| {
                inside(path, PathStep::Index(Value::number(at)), |path| {
                    apply(element, ty, is_unsafe, path)
                })
            });
            Ok(Value::tuple(elements.collect::<Result<_, _>>()?))
        }
        (_, Type::List(element)) => to_list(value, element, is_unsafe, path),
        (_, Type::Set(element)) => to_set(value, element, is_unsafe, path),
        (_, Type::Map(element)) => to_map(value, element, is_unsafe, path),
        (_, Type::Object(_) | Type::Capsule(_) | Type::Dynamic) => {
            fail(path, mismatch_message(value.ty(), to))
        }
    }
}

fn inside<T>(path: &mut Path, step: PathStep, act: impl FnOnce(&mut Path) -> T) -> T {
    path.0.push(step);
    let result = act(path);
    path.0.pop();
    result
}

fn to_bool(text: &str, path: &Path) -> Result<Value, ConvertError> {
    match text {
        "true" | "1" => Ok(Value::bool(true)),
        "false" | "0" => Ok(Value::bool(false)),
        _ => match text.to_lowercase().as_str() {
            lower @ ("true" | "false") => fail(
                path,
                format!("a bool is required; to convert from string, use lowercase \"{lower}\""),
            ),
            _ => fail(path, "a bool is required"),
        },
    }
}

/// A null attribute or element has no optional attributes in its type; nor does it keep its marks.
fn settled(value: Value) -> Value {
    match value.is_null() {
        true => Value::null(value.ty().without_optional_attributes()),
        false => value,
    }
}

fn to_object(
    value: &Value,
    to: &ObjectType,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    let mut attributes = Vec::with_capacity(to.attributes.len());
    for (name, ty) in &to.attributes {
        let attribute = match value.get(name) {
            Some(attribute) => inside(path, PathStep::GetAttr(name.clone()), |path| {
                apply(attribute, ty, is_unsafe, path)
            })?,
            None => Value::null(ty.without_optional_attributes()),
        };
        attributes.push((name, settled(attribute)));
    }
    Ok(Value::object(attributes))
}

fn map_to_object(
    value: &Value,
    to: &ObjectType,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    let mut attributes = BTreeMap::new();
    for (name, element) in value.as_map().into_iter().flatten() {
        let Some(ty) = to.attributes.get(name) else {
            continue;
        };
        if !exists(element.ty(), ty, is_unsafe) {
            let (name, why) = (text::quote(name), mismatch_message(element.ty(), ty));
            let message = format!("map element type is incompatible with attribute {name}: {why}");
            return fail(path, message);
        }
        let attribute = inside(path, PathStep::Index(Value::string(name)), |path| {
            apply(element, ty, is_unsafe, path)
        })?;
        attributes.insert(name, settled(attribute));
    }
    for (name, ty) in &to.attributes {
        if attributes.contains_key(name) {
            continue;
        }
        if !to.optional.contains(name) {
            let name = text::quote(name);
            return fail(
                path,
                format!("map has no element for required attribute {name}"),
            );
        }
        attributes.insert(name, Value::null(ty.without_optional_attributes()));
    }
    Ok(Value::object(attributes))
}

/// The elements of a value as elements of a collection of `wanted`.
fn converted_elements(
    value: &Value,
    wanted: &Type,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Vec<(Value, Value)>, ConvertError> {
    let common = match value.ty() {
        Type::Tuple(types) => element_type(types.iter(), wanted, is_unsafe),
        Type::Object(object) => element_type(object.attributes.values(), wanted, is_unsafe),
        _ => None,
    };
    let wanted = common.as_ref().unwrap_or(wanted);
    let is_set = value.ty().is_set();
    value
        .elements()
        .enumerate()
        .map(|(at, (key, element))| {
            let key = if is_set { Value::number(at) } else { key };
            let converted = inside(path, PathStep::Index(key.clone()), |path| {
                apply(element, wanted, is_unsafe, path)
            })?;
            Ok((key, converted))
        })
        .collect()
}

/// Dynamic parts of a constraint may have left elements with different types: brings them together.
fn together(
    elements: Vec<(Value, Value)>,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Vec<(Value, Value)>, ConvertError> {
    let mut types = elements.iter().map(|(_, element)| element.ty());
    if types.next().is_none_or(|first| types.all(|ty| ty == first)) {
        return Ok(elements);
    }
    let types: Vec<_> = elements
        .iter()
        .map(|(_, element)| element.ty().clone())
        .collect();
    let Some(common) = unified(&types, is_unsafe) else {
        return fail(path, "cannot find a common base type for all elements");
    };
    elements
        .into_iter()
        .map(|(key, element)| {
            let converted = inside(path, PathStep::Index(key.clone()), |path| {
                apply(&element, &common, is_unsafe, path)
            })?;
            Ok((key, converted))
        })
        .collect()
}

/// Whether the elements can be in one collection.
fn are_of_one_type(elements: &[(Value, Value)]) -> bool {
    Value::are_of_one_type(elements.iter().map(|(_, element)| element))
}

/// The element type of an empty result.
fn empty_type(value: &Value, wanted: &Type) -> Type {
    match (wanted, value.ty().element_type()) {
        (Type::Dynamic, Some(element)) => element.clone(),
        (wanted, _) => wanted.without_optional_attributes(),
    }
}

fn values(elements: Vec<(Value, Value)>) -> Vec<Value> {
    elements.into_iter().map(|(_, element)| element).collect()
}

fn to_list(
    value: &Value,
    wanted: &Type,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    if value.length_int().is_none() {
        // How many elements of a set there are is not known while some may be equal. The elements are not
        // converted then, so that the list is not of the wanted type (`conversionCollectionToList` of go-cty).
        let element = value.ty().element_type().unwrap_or(wanted);
        return Ok(Value::unknown(Type::list(element.clone())));
    }
    let empty = empty_type(value, wanted);
    let mut elements = converted_elements(value, wanted, is_unsafe, path)?;
    if value.ty().is_tuple() {
        elements = together(elements, is_unsafe, path)?;
    } else {
        elements
            .iter_mut()
            .for_each(|(_, element)| *element = settled(element.clone()));
    }
    match are_of_one_type(&elements) {
        true => Ok(Value::list(empty, values(elements))),
        false => fail(path, "element types must all match for conversion to list"),
    }
}

fn to_set(
    value: &Value,
    wanted: &Type,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    let mut elements = converted_elements(value, wanted, is_unsafe, path)?;
    elements
        .iter_mut()
        .for_each(|(_, element)| *element = settled(element.clone()));
    match are_of_one_type(&elements) {
        true => Ok(Value::set(empty_type(value, wanted), values(elements))),
        false => fail(path, "element types must all match for conversion to set"),
    }
}

fn to_map(
    value: &Value,
    wanted: &Type,
    is_unsafe: bool,
    path: &mut Path,
) -> Result<Value, ConvertError> {
    let is_object = value.ty().is_object();
    let mut elements = converted_elements(value, wanted, is_unsafe, path)?;
    let is_nested = |ty: &Type| ty.is_collection() || ty.is_object();
    if elements.iter().any(|(_, element)| is_nested(element.ty())) {
        elements = together(elements, is_unsafe && is_object, path)?;
    }
    match (are_of_one_type(&elements), is_object) {
        (true, _) => {
            let entries = elements
                .iter()
                .map(|(key, element)| (key.as_str().unwrap_or_default(), element.clone()));
            Ok(Value::map(empty_type(value, wanted), entries))
        }
        (false, true) => fail(path, "attribute types must all match for conversion to map"),
        (false, false) => fail(path, "element types must all match for conversion to map"),
    }
}

/// The unknown value of a type, with what is known of the value it is converted from.
fn unknown_result(source: &ValueRange, ty: Type) -> Value {
    let result = Value::unknown(ty);
    let refined = match source.definitely_not_null() {
        true => result.refine().not_null(),
        false => result.refine(),
    };
    match (source.ty(), result.ty()) {
        (Type::Object(object), Type::Map(_)) => refined.length(object.attributes.len() as u64),
        (Type::Tuple(elements), Type::List(_)) => refined.length(elements.len() as u64),
        (Type::Tuple(elements), Type::Set(_)) => {
            let length = elements.len() as u64;
            refined
                .length_lower_bound(length.min(1))
                .length_upper_bound(length)
        }
        (from, to) if from.is_collection() && to.is_collection() => {
            let lower = source.length_lower_bound();
            // Elements may turn out to be equal.
            let lower = if to.is_set() { lower.min(1) } else { lower };
            let refined = refined.length_lower_bound(lower);
            match source.length_upper_bound() {
                Some(upper) => refined.length_upper_bound(upper),
                None => refined,
            }
        }
        _ => refined,
    }
    .build()
}

/// The wanted type, with what is there in place of `Dynamic`.
fn without_dynamic(from: &Type, to: &Type) -> Type {
    let common = |types: Vec<Type>, wanted: &Type| match unified(&types, true) {
        Some(common) => without_dynamic(&common, wanted),
        None => wanted.clone(),
    };
    match (from, to) {
        (Type::Dynamic, to) => to.clone(),
        (from, Type::Dynamic) => from.clone(),
        (Type::Map(from), Type::Map(to)) => Type::map(without_dynamic(from, to)),
        (Type::Object(from), Type::Map(to)) => {
            Type::map(common(from.attributes.values().cloned().collect(), to))
        }
        (Type::Set(from) | Type::List(from), Type::Set(to)) => Type::set(without_dynamic(from, to)),
        (Type::Tuple(from), Type::Set(to)) => Type::set(common(from.to_vec(), to)),
        (Type::Set(from) | Type::List(from), Type::List(to)) => {
            Type::list(without_dynamic(from, to))
        }
        (Type::Tuple(from), Type::List(to)) => Type::list(common(from.to_vec(), to)),
        (Type::Map(from), Type::Object(to)) => Type::object(
            to.attributes
                .iter()
                .map(|(name, wanted)| (name, without_dynamic(from, wanted))),
        ),
        (Type::Object(from), Type::Object(to)) => Type::object(to.attributes.iter().map(
            |(name, wanted)| match from.attributes.get(name) {
                Some(ty) => (name, without_dynamic(ty, wanted)),
                None => (name, wanted.clone()),
            },
        )),
        (Type::Tuple(from), Type::Tuple(to)) if from.len() == to.len() => Type::tuple(
            from.iter()
                .zip(to.iter())
                .map(|(ty, wanted)| without_dynamic(ty, wanted)),
        ),
        (_, to) => to.clone(),
    }
}
