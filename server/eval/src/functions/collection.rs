//! Looking into collections: `length`, `lookup`, `keys`, `contains`, `merge` and their relatives.

use std::collections::BTreeMap;

use config::language_release::feature;
use cty::{Marks, Type, Value, budget, convert, unify_unsafe};
use smol_str::SmolStr;

use super::{elements, quoted, redacted, text, whole};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("alltrue", alltrue)
            .takes(Param::new("list", Type::list(Type::Bool)))
            .returns(Type::Bool)
            .not_null(),
        Function::new("anytrue", anytrue)
            .takes(Param::new("list", Type::list(Type::Bool)))
            .returns(Type::Bool)
            .not_null(),
        Function::new("coalesce", coalesce)
            .takes_more(Param::any("vals").or_unknown().or_dynamic().or_null())
            .returns_of(coalesce_type)
            .not_null(),
        Function::new("coalescelist", coalescelist)
            .takes_more(Param::any("vals").or_unknown().or_dynamic().or_null())
            .returns_of(coalescelist_type)
            .not_null(),
        Function::new("contains", contains)
            .takes(Param::any("list"))
            .takes(Param::any("value"))
            .returns(Type::Bool)
            .not_null(),
        Function::new("element", element)
            .takes(Param::any("list").or_marked())
            .takes(Param::number("index"))
            .returns_of(element_type),
        Function::new("index", index)
            .takes(Param::any("list"))
            .takes(Param::any("value"))
            .returns(Type::Number)
            .not_null(),
        Function::new("keys", keys)
            .takes(Param::any("inputMap").or_unknown().or_marked())
            .returns_of(keys_type)
            .not_null(),
        Function::new("length", length)
            .takes(Param::any("value").or_dynamic().or_unknown().or_marked())
            .returns_of(length_type)
            .not_null(),
        Function::new("list", |_, _, _| {
            Err(gone("list", "tolist([ ... ])", "list"))
        })
        .takes_more(Param::any("vals").or_unknown().or_dynamic().or_null())
        .returns_of(|_| Err(gone("list", "tolist([ ... ])", "list"))),
        Function::new("lookup", lookup)
            .takes(Param::any("inputMap").or_marked_throughout())
            .takes(Param::string("key").or_marked_throughout())
            .takes_more(
                Param::any("default")
                    .or_unknown()
                    .or_dynamic()
                    .or_null()
                    .or_marked(),
            )
            .returns_of(lookup_type),
        Function::new("map", |_, _, _| Err(gone("map", "tomap({ ... })", "map")))
            .takes_more(Param::any("vals").or_unknown().or_dynamic().or_null())
            .returns_of(|_| Err(gone("map", "tomap({ ... })", "map"))),
        Function::new("matchkeys", matchkeys)
            .takes(Param::new("values", Type::list(Type::Dynamic)))
            .takes(Param::new("keys", Type::list(Type::Dynamic)))
            .takes(Param::new("searchset", Type::list(Type::Dynamic)))
            .returns_of(matchkeys_type)
            .not_null(),
        Function::new("merge", merge)
            .takes_more(Param::any("maps").or_dynamic().or_null().or_marked())
            .returns_of(merge_type)
            .not_null(),
        Function::new("one", one)
            .takes(Param::any("list"))
            .returns_of(one_type),
        Function::new("transpose", transpose)
            .takes(Param::new("values", Type::map(Type::list(Type::String))))
            .returns(Type::map(Type::list(Type::String)))
            .not_null(),
        Function::new("values", values)
            .takes(Param::any("mapping").or_marked())
            .returns_of(values_type)
            .not_null(),
        Function::new("zipmap", zipmap)
            .takes(Param::new("keys", Type::list(Type::String)).or_marked())
            .takes(Param::any("values").or_marked())
            .returns_of(zipmap_type)
            .not_null(),
    ]
}

fn alltrue(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    for element in elements(&args[0]) {
        if !element.is_known() {
            return Ok(Value::unknown(Type::Bool));
        }
        if element.as_bool() != Some(true) {
            return Ok(Value::bool(false));
        }
    }
    Ok(Value::bool(true))
}

fn anytrue(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if elements(&args[0])
        .iter()
        .any(|element| element.as_bool() == Some(true))
    {
        return Ok(Value::bool(true));
    }
    match elements(&args[0]).iter().all(Value::is_known) {
        true => Ok(Value::bool(false)),
        false => Ok(Value::unknown(Type::Bool)),
    }
}

fn coalesce_type(args: &[Value]) -> Result<Type, CallError> {
    let types: Vec<Type> = args.iter().map(|arg| arg.ty().clone()).collect();
    unify_unsafe(&types).ok_or_else(|| "all arguments must have the same type".into())
}

fn coalesce(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    for (index, arg) in args.iter().enumerate() {
        let arg = convert(arg, ty).map_err(|error| CallError::argument(index, error))?;
        if !arg.is_known() {
            return Ok(Value::unknown(ty.clone()));
        }
        if !arg.is_null() && arg.as_str() != Some("") {
            return Ok(arg);
        }
    }
    Err("no non-null, non-empty-string arguments".into())
}

fn coalescelist_type(args: &[Value]) -> Result<Type, CallError> {
    let Some(first) = args.first() else {
        return Err("at least one argument is required".into());
    };
    for arg in args {
        if !arg.is_known() {
            return Ok(Type::Dynamic);
        }
        if !arg.ty().is_list() && !arg.ty().is_tuple() {
            return Err("coalescelist arguments must be lists or tuples".into());
        }
    }
    match args.iter().all(|arg| arg.ty() == first.ty()) {
        true => Ok(first.ty().clone()),
        false => Ok(Type::Dynamic),
    }
}

fn coalescelist(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    for arg in args {
        if !arg.is_known() {
            return Ok(Value::unknown(ty.clone()));
        }
        if !elements(arg).is_empty() {
            return Ok(arg.clone());
        }
    }
    Err("no non-null arguments".into())
}

fn contains(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let ty = args[0].ty();
    if !ty.is_list() && !ty.is_tuple() && !ty.is_set() {
        return Err("argument must be list, tuple, or set".into());
    }
    let mut has_unknown = false;
    for element in elements(&args[0]) {
        match args[1].equals(element).as_bool() {
            Some(true) => return Ok(Value::bool(true)),
            Some(false) => {}
            None => has_unknown = true,
        }
    }
    match has_unknown {
        true => Ok(Value::unknown(Type::Bool)),
        false => Ok(Value::bool(false)),
    }
}

fn element_type(args: &[Value]) -> Result<Type, CallError> {
    let list_type = args[0].ty();
    if let Type::List(element) = list_type {
        return Ok((**element).clone());
    }
    let Some(types) = list_type.tuple_elements() else {
        return Err(format!("cannot read elements from {}", list_type.friendly_name()).into());
    };
    if !args[1].is_known() {
        return Ok(Type::Dynamic);
    }
    let index = whole(&args[1]).map_err(|error| format!("invalid index: {error}"))?;
    match wrap(index, types.len()) {
        Some(index) => Ok(types[index].clone()),
        None => Err("cannot use element function with an empty list".into()),
    }
}

fn element(args: &[Value], ty: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let index = whole(&args[1]).map_err(|error| format!("invalid index: {error}"))?;
    if index < 0 && !context.profile.has(feature::NEGATIVE_ELEMENT) {
        return Err("cannot use element function with a negative index".into());
    }
    let (list, marks) = args[0].unmark();
    let tuple = list.ty().tuple_elements().filter(|it| !it.is_empty());
    let rest = tuple.map_or(0, |it| index % it.len() as i64);
    if rest < 0 && !context.profile.has(feature::NEGATIVE_ELEMENT_OF_TUPLE) {
        let error = format!("index out of range [{rest}]");
        return Err(format!("panic in function implementation: runtime error: {error}").into());
    }
    if !list.is_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    match wrap(index, elements(&list).len()) {
        Some(index) => Ok(elements(&list)[index].mark_all(&marks)),
        None => Err("cannot use element function with an empty list".into()),
    }
}

/// The place of `index` in a list that repeats without end in both directions.
fn wrap(index: i64, length: usize) -> Option<usize> {
    let length = i64::try_from(length).ok().filter(|length| *length > 0)?;
    usize::try_from(index.rem_euclid(length)).ok()
}

fn index(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if !args[0].ty().is_list() && !args[0].ty().is_tuple() {
        return Err("argument must be a list or tuple".into());
    }
    if elements(&args[0]).is_empty() {
        return Err("cannot search an empty list".into());
    }
    for (index, element) in (0_i64..).zip(elements(&args[0])) {
        match element.equals(&args[1]).as_bool() {
            Some(true) => return Ok(Value::int(index)),
            Some(false) => {}
            None => return Ok(Value::unknown(Type::Number)),
        }
    }
    Err("item not found".into())
}

fn keys_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::Map(_) => Ok(Type::list(Type::String)),
        Type::Object(object) => Ok(Type::tuple(object.attributes.keys().map(|_| Type::String))),
        _ => Err(CallError::argument(0, "must have map or object type")),
    }
}

fn keys(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (map, marks) = args[0].unmark();
    let keys = match (map.ty().attributes(), map.as_map()) {
        // The names are known even if the object is not.
        (Some(attributes), _) => Value::tuple(attributes.keys().map(Value::string).collect()),
        (None, Some(entries)) => super::strings(entries.keys()),
        (None, None) => Value::unknown(ty.clone()),
    };
    Ok(keys.mark_all(&marks))
}

fn length_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::Number | Type::Bool | Type::Capsule(_) => {
            Err("argument must be a string, a collection type, or a structural type".into())
        }
        Type::Dynamic
        | Type::String
        | Type::List(_)
        | Type::Set(_)
        | Type::Map(_)
        | Type::Object(_)
        | Type::Tuple(_) => Ok(Type::Number),
    }
}

fn length(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (value, marks) = args[0].unmark();
    let length = |length: usize| Value::int(i64::try_from(length).unwrap_or(i64::MAX));
    let result = match value.ty() {
        Type::Tuple(types) => length(types.len()),
        Type::Object(object) => length(object.attributes.len()),
        Type::String => super::string::length(&value),
        Type::List(_) | Type::Set(_) | Type::Map(_) => value
            .length()
            .map_err(|error| CallError::argument(0, error))?,
        Type::Dynamic | Type::Number | Type::Bool | Type::Capsule(_) => {
            Value::unknown(Type::Number)
        }
    };
    Ok(result.mark_all(&marks))
}

fn lookup_type(args: &[Value]) -> Result<Type, CallError> {
    if args.len() > 3 {
        return Err(format!("lookup() takes two or three arguments, got {}", args.len()).into());
    }
    let default = args.get(2);
    match args[0].ty() {
        Type::Object(object) => {
            let (key, key_marks) = args[1].unmark();
            let Some(key) = key.as_str() else {
                return Ok(Type::Dynamic);
            };
            match (object.attributes.get(key), default) {
                (Some(ty), _) => Ok(ty.clone()),
                (None, Some(default)) => Ok(default.ty().clone()),
                (None, None) => Err(CallError::argument(
                    0,
                    format!(
                        "the given object has no attribute {}",
                        redacted(quoted(key), &key_marks)
                    ),
                )),
            }
        }
        Type::Map(element) => match default.map(|default| convert(default, element)) {
            Some(Err(_)) => Err(CallError::argument(
                2,
                "the default value must have the same type as the map elements",
            )),
            Some(Ok(_)) | None => Ok((**element).clone()),
        },
        _ => Err(CallError::argument(
            0,
            "lookup() requires a map as the first argument",
        )),
    }
}

fn lookup(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (map, mut marks) = args[0].unmark();
    let (key, key_marks) = args[1].unmark();
    marks.extend(key_marks.iter().cloned());
    if !map.is_known() {
        return Ok(Value::unknown(ty.clone()).mark_all(&marks));
    }
    if let Some(found) = map.get(text(&key)) {
        return Ok(found.mark_all(&marks));
    }
    match args.get(2) {
        Some(default) => {
            let default = convert(default, ty).map_err(|error| CallError::argument(2, error))?;
            Ok(default.mark_all(&marks))
        }
        None => Err(format!(
            "lookup failed to find key {}",
            redacted(quoted(text(&key)), &key_marks)
        )
        .into()),
    }
}

fn gone(name: &str, instead: &str, what: &str) -> CallError {
    CallError::call(format!(
        "the \"{name}\" function was deprecated in Terraform v0.12 and is no longer available; \
         use {instead} syntax to write a literal {what}"
    ))
}

fn matchkeys_type(args: &[Value]) -> Result<Type, CallError> {
    match unify_unsafe(&[args[1].ty().clone(), args[2].ty().clone()]) {
        Some(_) => Ok(args[0].ty().clone()),
        None => Err("keys and searchset must be of the same type".into()),
    }
}

fn matchkeys(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let element_type = ty.element_type().cloned().unwrap_or(Type::Dynamic);
    let empty = || Ok(Value::list(element_type.clone(), Vec::new()));
    if elements(&args[0]).len() != elements(&args[1]).len() {
        return Err("length of keys and values should be equal".into());
    }
    let common =
        unify_unsafe(&[args[1].ty().clone(), args[2].ty().clone()]).unwrap_or(Type::Dynamic);
    let keys = convert(&args[1], &common).map_err(|error| CallError::argument(1, error))?;
    let searchset = convert(&args[2], &common).map_err(|error| CallError::argument(2, error))?;
    if elements(&searchset).is_empty() {
        return empty();
    }
    if !args[0].is_wholly_known() || !keys.is_wholly_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    let mut matched = Vec::new();
    for (value, key) in elements(&args[0]).iter().zip(elements(&keys)) {
        for search in elements(&searchset) {
            match key.equals(search).as_bool() {
                Some(true) => {
                    matched.push(value.clone());
                    break;
                }
                Some(false) => {}
                None => return empty(),
            }
        }
    }
    Ok(Value::list(element_type, matched))
}

fn merge_type(args: &[Value]) -> Result<Type, CallError> {
    let Some(first) = args.first() else {
        return Ok(Type::empty_object());
    };
    let mut attributes: BTreeMap<SmolStr, Type> = BTreeMap::new();
    let mut names_known = true;
    let mut has_null_object = false;
    for arg in args {
        let (arg, _) = arg.unmark();
        has_null_object |= arg.is_null() && arg.ty().is_object();
        match arg.ty() {
            Type::Dynamic => return Ok(Type::Dynamic),
            Type::Object(_) | Type::Map(_) if arg.is_null() => {}
            Type::Object(object) => {
                attributes.extend(
                    object
                        .attributes
                        .iter()
                        .map(|(name, ty)| (name.clone(), ty.clone())),
                );
            }
            Type::Map(element) => match arg.as_map() {
                Some(entries) => {
                    attributes.extend(
                        entries
                            .keys()
                            .map(|name| (name.clone(), (**element).clone())),
                    );
                }
                None => names_known = false,
            },
            ty => {
                return Err(format!(
                    "arguments must be maps or objects, got {}",
                    quoted(&ty.friendly_name())
                )
                .into());
            }
        }
    }
    if !has_null_object && args.iter().all(|arg| arg.ty() == first.ty()) {
        return Ok(first.ty().clone());
    }
    match names_known {
        true => Ok(Type::object(attributes)),
        false => Ok(Type::Dynamic),
    }
}

fn merge(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let mut merged: BTreeMap<SmolStr, Value> = BTreeMap::new();
    let mut marks = Marks::new();
    for arg in args {
        let (arg, arg_marks) = arg.unmark();
        if arg.is_null() {
            continue;
        }
        marks.extend(arg_marks);
        if let Some(entries) = arg.as_map() {
            budget::spend(2 * entries.len());
            merged.extend(
                entries
                    .iter()
                    .map(|(name, value)| (name.clone(), value.clone())),
            );
        }
    }
    let result = match ty {
        Type::Map(element) => Value::map((**element).clone(), merged),
        _ => Value::object(merged),
    };
    Ok(result.mark_all(&marks))
}

fn one_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::List(element) | Type::Set(element) => Ok((**element).clone()),
        Type::Tuple(types) if types.len() <= 1 => {
            Ok(types.first().cloned().unwrap_or(Type::Dynamic))
        }
        _ => Err(not_one()),
    }
}

fn one(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let list = &args[0];
    if list.ty().is_set() && !list.length().is_ok_and(|length| length.is_known()) {
        return Ok(Value::unknown(ty.clone()));
    }
    match elements(list) {
        [] => Ok(Value::null(ty.clone())),
        [element] => Ok(element.clone()),
        _ => Err(not_one()),
    }
}

fn not_one() -> CallError {
    CallError::argument(
        0,
        "must be a list, set, or tuple value with either zero or one elements",
    )
}

fn transpose(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    if !args[0].is_wholly_known() {
        return Ok(Value::unknown(ty.clone()));
    }
    let mut transposed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (key, list) in args[0].as_map().into_iter().flatten() {
        if list.is_null() {
            return Err("input must not contain null list".into());
        }
        for element in elements(list) {
            budget::spend(1);
            let Some(element) = element.as_str() else {
                return Err("input list must not contain null string".into());
            };
            transposed.entry(element).or_default().push(key);
        }
    }
    let lists = transposed
        .into_iter()
        .map(|(key, list)| (key, super::strings(list)));
    Ok(Value::map(Type::list(Type::String), lists))
}

fn values_type(args: &[Value]) -> Result<Type, CallError> {
    match args[0].ty() {
        Type::Map(element) => Ok(Type::list((**element).clone())),
        Type::Object(object) => Ok(Type::tuple(object.attributes.values().cloned())),
        _ => Err("values() requires a map as the first argument".into()),
    }
}

fn values(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (map, marks) = args[0].unmark();
    let values = map
        .as_map()
        .into_iter()
        .flatten()
        .map(|(_, value)| value.clone())
        .collect();
    let result = match ty {
        Type::List(element) => Value::list((**element).clone(), values),
        _ => Value::tuple(values),
    };
    Ok(result.mark_all(&marks))
}

fn zipmap_type(args: &[Value]) -> Result<Type, CallError> {
    match args[1].ty() {
        Type::List(element) => Ok(Type::map((**element).clone())),
        Type::Tuple(types) => {
            if !args[0].is_wholly_known() {
                return Ok(Type::Dynamic);
            }
            let (keys, _) = args[0].unmark_deep();
            let keys = elements(&keys);
            if keys.len() != types.len() {
                return Err(different_lengths(keys.len(), types.len()));
            }
            let mut attributes = BTreeMap::new();
            for (index, (key, ty)) in keys.iter().zip(types.iter()).enumerate() {
                let Some(key) = key.as_str() else {
                    return Err(null_key(index));
                };
                attributes.insert(key, ty.clone());
            }
            Ok(Type::object(attributes))
        }
        _ => Err("values argument must be a list or tuple value".into()),
    }
}

fn zipmap(args: &[Value], ty: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let (_, mut marks) = args[0].unmark();
    let (values, values_marks) = args[1].unmark();
    if !args[0].is_wholly_known() {
        marks.extend(values_marks);
        return Ok(Value::unknown(ty.clone()).mark_all(&marks));
    }
    // Keys cannot carry marks, so theirs go to the whole.
    let (keys, mut marks) = args[0].unmark_deep();
    marks.extend(values_marks);
    let (keys, values) = (elements(&keys), elements(&values));
    if keys.len() != values.len() {
        return Err(different_lengths(keys.len(), values.len()));
    }
    let mut zipped = BTreeMap::new();
    for (index, (key, value)) in keys.iter().zip(values).enumerate() {
        let Some(key) = key.as_str() else {
            return Err(null_key(index));
        };
        zipped.insert(key, value.clone());
    }
    let result = match ty {
        Type::Map(element) => Value::map((**element).clone(), zipped),
        _ => Value::object(zipped),
    };
    Ok(result.mark_all(&marks))
}

fn different_lengths(keys: usize, values: usize) -> CallError {
    CallError::call(format!(
        "number of keys ({keys}) does not match number of values ({values})"
    ))
}

fn null_key(index: usize) -> CallError {
    CallError::call(format!("keys list has null value at index {index}"))
}
