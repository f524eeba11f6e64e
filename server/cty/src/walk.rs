//! Walking through a value, and making a changed one.

use std::convert::Infallible;

use crate::{Path, PathStep, Value};

/// Visits the value and everything in it, containers before their elements; `visit` says whether to
/// go inside. Marked containers are entered too.
pub fn walk(value: &Value, visit: &mut impl FnMut(&Path, &Value) -> bool) {
    walk_at(&mut Path::new(), value, visit);
}

fn walk_at(path: &mut Path, value: &Value, visit: &mut impl FnMut(&Path, &Value) -> bool) {
    if !visit(path, value) {
        return;
    }
    let is_object = value.ty().is_object();
    for (key, element) in value.elements_inside() {
        path.0.push(PathStep::for_key(&key, is_object));
        walk_at(path, element, visit);
        path.0.pop();
    }
}

/// Makes a value from the results of `change` for everything in it, elements before their containers.
/// Elements of one collection must keep one type among themselves.
pub fn transform(value: &Value, change: &mut impl FnMut(&Path, Value) -> Value) -> Value {
    let result = try_transform(value, &mut |path, value| {
        Ok::<_, Infallible>(change(path, value))
    });
    match result {
        Ok(value) => value,
        Err(never) => match never {},
    }
}

/// `transform` that stops at the first error.
pub fn try_transform<E>(
    value: &Value,
    change: &mut impl FnMut(&Path, Value) -> Result<Value, E>,
) -> Result<Value, E> {
    transform_at(&mut Path::new(), value, change)
}

fn transform_at<E>(
    path: &mut Path,
    value: &Value,
    change: &mut impl FnMut(&Path, Value) -> Result<Value, E>,
) -> Result<Value, E> {
    let is_object = value.ty().is_object();
    let mut changed = Vec::new();
    for (key, element) in value.elements_inside() {
        path.0.push(PathStep::for_key(&key, is_object));
        changed.push(transform_at(path, element, change)?);
        path.0.pop();
    }
    let value = match changed.is_empty() {
        true => value.clone(),
        false => value.with_elements(changed).mark_all(value.marks()),
    };
    change(path, value)
}
