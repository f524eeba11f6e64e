//! References: names in scope, and steps into values.

use config::language_release::feature;
use cty::{Number, Type, Value, convert};
use smol_str::SmolStr;
use syntax::ast::{Expr, Key, Step, StepKind, Traversal};
use text::{Problem, Suggestion, TextRange};

use super::{eval, number};
use crate::EvalContext;
use crate::problem::Problems;
use crate::wording::{did_you_mean, why};

const INVALID_INDEX: &str = "Invalid index";
const UNSUPPORTED_ATTRIBUTE: &str = "Unsupported attribute";

#[inline(never)]
pub(super) fn absolute(
    traversal: &Traversal,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let root = &traversal.root;
    match context.get(&root.name) {
        Some(value) => follow(value, &traversal.steps, context, problems),
        None => {
            problems
                .0
                .push(unknown_name(&root.name, root.range, context));
            Value::dynamic()
        }
    }
}

#[inline(never)]
pub(super) fn relative(
    value: Value,
    steps: &[Step],
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    follow(&value, steps, context, problems)
}

#[inline(never)]
pub(super) fn index_expr(
    expr: &Expr,
    collection: &Expr,
    key: &Expr,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let collection_value = eval(collection, context, problems);
    let key_value = eval(key, context, problems);
    // The brackets and the expression between them.
    let brackets = TextRange::new(collection.range.end(), expr.range.end());
    let element = index_as(context, &collection_value, &key_value, brackets);
    recover(element, problems)
}

fn unknown_name(name: &str, range: TextRange, context: &EvalContext<'_>) -> Problem {
    if !context.has_variables() {
        let detail = "Variables may not be used here.";
        return Problem::error(
            "variables-not-allowed",
            "Variables not allowed",
            detail,
            range,
        );
    }
    let suggestion = did_you_mean(name, context.names());
    let detail = format!("There is no variable named \"{name}\".{suggestion}");
    Problem::error("unknown-variable", "Unknown variable", detail, range).with_fault(suggestion)
}

/// Takes the steps one after the other, up to the first that is wrong. Containers are not copied on the way.
fn follow(
    value: &Value,
    steps: &[Step],
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let mut borrowed = value;
    let mut rest = steps;
    // Plain objects, the usual case, need no intermediate values.
    while let Some((
        Step {
            kind: StepKind::Attr(name),
            ..
        },
        later,
    )) = rest.split_first()
    {
        match borrowed.get(&name.name) {
            Some(attribute) => (borrowed, rest) = (attribute, later),
            None => break,
        }
    }
    let mut current = borrowed.clone();
    for step in rest {
        let result = match &step.kind {
            StepKind::Attr(name) => get_attr(&current, &name.name, step.range),
            StepKind::Index(key) => index_as(context, &current, &key_value(key), step.range),
            StepKind::LegacyIndex(text) => index_as(context, &current, &number(text), step.range),
        };
        match result {
            Ok(value) => current = value,
            Err(problem) => {
                problems.0.push(problem);
                return Value::dynamic();
            }
        }
    }
    current
}

fn key_value(key: &Key) -> Value {
    match key {
        Key::String(text) => Value::string(text),
        Key::Number(text) => number(text),
        Key::Bool(value) => Value::bool(*value),
        Key::Null => Value::null(Type::Dynamic),
    }
}

fn recover(result: Result<Value, Problem>, problems: &mut Problems) -> Value {
    result.unwrap_or_else(|problem| {
        problems.0.push(problem);
        Value::dynamic()
    })
}

/// `value.name`: an attribute of an object or an element of a map.
pub fn get_attr(value: &Value, name: &str, range: TextRange) -> Result<Value, Problem> {
    let unsupported = |detail: String| Err(unsupported_attribute(detail, range));
    if value.is_null() {
        let detail = "This value is null, so it does not have any attributes.";
        return Err(Problem::error(
            "null-value",
            "Attempt to get attribute from null value",
            detail,
            range,
        ));
    }
    match value.ty() {
        Type::Object(_) => match value.ty().attribute_type(name) {
            None => {
                let similar = similar_key(value, name);
                let detail = format!("This object does not have an attribute named \"{name}\".{similar}");
                Err(unsupported_attribute(detail, range).with_fault(similar))
            }
            Some(ty) if !value.is_known() => Ok(Value::unknown(ty.clone()).with_same_marks([value])),
            Some(_) => value.get_attr(name).or_else(|error| unsupported(error.to_string())),
        },
        Type::Map(element) => {
            if !value.is_known() {
                return Ok(Value::unknown((**element).clone()).with_same_marks([value]));
            }
            let key = Value::string(name);
            match value.index(&key) {
                Ok(element) => Ok(element),
                Err(_) => {
                    let similar = similar_key(value, name);
                    let detail = format!("This map does not have an element with the key \"{name}\".{similar}");
                    let missing = Problem::error("missing-map-element", "Missing map element", detail, range);
                    Err(missing.with_fault(similar))
                }
            }
        }
        Type::Dynamic => Ok(Value::dynamic().with_same_marks([value])),
        Type::List(element) if element.is_object() => match element.has_attribute(name) {
            true => unsupported(format!(
                "Can't access attributes on a list of objects. Did you mean to access attribute \"{name}\" for a \
                 specific element of the list, or across all elements of the list?"
            )),
            false => unsupported(
                "Can't access attributes on a list of objects. Did you mean to access an attribute for a specific \
                 element of the list, or across all elements of the list?"
                    .into(),
            ),
        },
        Type::Set(element) if element.is_object() => unsupported(
            "Can't access attributes on a set of objects. Did you mean to access an attribute across all elements \
             of the set?"
                .into(),
        ),
        ty if ty.is_primitive() => unsupported(format!(
            "Can't access attributes on a primitive-typed value ({}).",
            ty.friendly_name()
        )),
        _ => unsupported("This value does not have any attributes.".into()),
    }
}

/// `collection[key]` as the release takes it.
fn index_as(
    context: &EvalContext<'_>,
    collection: &Value,
    key: &Value,
    range: TextRange,
) -> Result<Value, Problem> {
    let is_unknown_object = collection.ty().is_object() && !collection.is_known();
    let is_checked = || context.profile().has(feature::INDEX_OF_UNKNOWN_OBJECT);
    let is_named = !key.is_null() && !key.ty().is_dynamic();
    match is_unknown_object && is_named && is_checked() {
        true => attribute_in_brackets(collection, key, range),
        false => index(collection, key, range),
    }
}

/// `collection[key]`
pub fn index(collection: &Value, key: &Value, range: TextRange) -> Result<Value, Problem> {
    let invalid = |detail: &str| Err(invalid_index(detail, range));
    if collection.is_null() {
        let detail = "This value is null, so it does not have any indices.";
        return Err(Problem::error(
            "null-value",
            "Attempt to index null value",
            detail,
            range,
        ));
    }
    if key.is_null() {
        return invalid("Can't use a null value as an indexing key.");
    }
    let ty = collection.ty();
    if key.ty().is_dynamic() || ty.is_dynamic() {
        return Ok(Value::dynamic().with_same_marks([collection]));
    }
    match ty {
        Type::List(_) | Type::Tuple(_) => index_by(collection, key, &Type::Number, range),
        Type::Map(_) => index_by(collection, key, &Type::String, range),
        Type::Object(_) => index_object(collection, key, range),
        Type::Set(_) => invalid(
            "Elements of a set are identified only by their value and don't have any separate index or key to \
             select with, so it's only possible to perform operations across all elements of the set.",
        ),
        Type::Dynamic | Type::String | Type::Number | Type::Bool | Type::Capsule(_) => {
            invalid("This value does not have any indices.")
        }
    }
}

fn index_by(
    collection: &Value,
    key: &Value,
    wanted: &Type,
    range: TextRange,
) -> Result<Value, Problem> {
    let key = convert_key(key, wanted, range)?;
    let found = collection
        .has_index(&key)
        .map_err(|error| invalid_index(&error.to_string(), range))?;
    let (found, _) = found.unmark();
    match found.as_bool() {
        None => {
            let unknown = match collection.ty().element_type() {
                Some(element) => Value::unknown(element.clone()),
                None => Value::dynamic(),
            };
            Ok(unknown.with_same_marks([collection]))
        }
        Some(true) => collection
            .index(&key)
            .map_err(|error| invalid_index(&error.to_string(), range)),
        Some(false) => {
            let (key, _) = key.unmark();
            let why = key
                .as_number()
                .map_or("", |number| why_out_of_range(collection, number));
            let similar = key
                .as_str()
                .map_or(Suggestion(None), |name| similar_key(collection, name));
            let detail = format!(
                "The given key does not identify an element in this collection value{why}.{similar}"
            );
            Err(invalid_index(&detail, range).with_fault(similar))
        }
    }
}

/// Never tells the number itself, which may be sensitive.
fn why_out_of_range(collection: &Value, key: &Number) -> &'static str {
    if !key.is_integer() {
        return ": indexing a sequence requires a whole number, but the given index has a fractional part";
    }
    if key.is_negative() {
        return ": a negative number is not a valid index for a sequence";
    }
    match collection.length_int() {
        // HCL has the reason only for the index just behind the end.
        Some(length) if key.as_u64().is_some_and(|key| key <= length as u64) => match length {
            0 => ": the collection has no elements",
            _ => ": the given index is greater than or equal to the length of the collection",
        },
        _ => "",
    }
}

fn index_object(object: &Value, key: &Value, range: TextRange) -> Result<Value, Problem> {
    if !object.is_known() {
        convert_key(key, &Type::String, range)?;
        return Ok(Value::dynamic().with_same_marks([object]));
    }
    attribute_in_brackets(object, key, range)
}

fn attribute_in_brackets(object: &Value, key: &Value, range: TextRange) -> Result<Value, Problem> {
    let is_number = matches!(key.ty(), Type::Number);
    let key = convert_key(key, &Type::String, range)?;
    let (name, _) = key.unmark();
    let Some(name) = name.as_str() else {
        return Ok(Value::dynamic().with_same_marks([object]));
    };
    if !object.ty().has_attribute(name) {
        let detail = "The given key does not identify an element in this collection value.";
        if is_number {
            let hint =
                "An object only supports looking up attributes by name, not by numeric index.";
            return Err(invalid_index(&format!("{detail} {hint}"), range));
        }
        let similar = similar_key(object, name);
        return Err(invalid_index(&format!("{detail}{similar}"), range).with_fault(similar));
    }
    match object.ty().attribute_type(name) {
        Some(ty) if !object.is_known() => Ok(Value::unknown(ty.clone()).with_same_marks([object])),
        _ => object
            .get_attr(name)
            .map_err(|error| invalid_index(&error.to_string(), range)),
    }
}

/// Asks whether another attribute or key was meant. Keys of a marked map are not shown, and of a large one not compared.
fn similar_key<'a>(container: &'a Value, name: &str) -> Suggestion<'a> {
    const MOST: usize = 200;
    match (container.ty().attributes(), container.as_map()) {
        (Some(attributes), _) if attributes.len() <= MOST => {
            did_you_mean(name, attributes.keys().map(SmolStr::as_str))
        }
        (None, Some(entries)) if entries.len() <= MOST => {
            did_you_mean(name, entries.keys().map(SmolStr::as_str))
        }
        _ => Suggestion(None),
    }
}

fn convert_key(key: &Value, wanted: &Type, range: TextRange) -> Result<Value, Problem> {
    convert(key, wanted).map_err(|error| {
        let detail = format!(
            "The given key does not identify an element in this collection value: {why}.",
            why = why(&error)
        );
        invalid_index(&detail, range)
    })
}

fn invalid_index(detail: &str, range: TextRange) -> Problem {
    Problem::error("invalid-index", INVALID_INDEX, detail, range)
}

fn unsupported_attribute(detail: String, range: TextRange) -> Problem {
    Problem::error(
        "unsupported-attribute",
        UNSUPPORTED_ATTRIBUTE,
        detail,
        range,
    )
}
