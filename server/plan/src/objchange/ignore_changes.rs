//! `ignore_changes`: arguments whose configuration is held at the prior value.

use std::collections::BTreeMap;

use cty::{Path, PathStep, Type, Value};
use schema::Block;
use smol_str::SmolStr;

use super::attribute_by_path;

/// The attributes that `lifecycle.ignore_changes` names.
#[derive(Debug, Clone, PartialEq)]
pub enum IgnoreChanges {
    /// `ignore_changes = all`
    All,
    Paths(Vec<Path>),
}

impl IgnoreChanges {
    pub fn is_nothing(&self) -> bool {
        matches!(self, IgnoreChanges::Paths(paths) if paths.is_empty())
    }
}

/// The configuration with ignored arguments as the prior object has them. Both may carry marks, which travel with
/// the values. Nothing is ignored at a creation.
pub fn ignore_changes(
    ignore: &IgnoreChanges,
    block: &Block,
    prior: &Value,
    config: &Value,
) -> Value {
    if prior.is_null() {
        return config.clone();
    }
    match ignore {
        // Attributes that only the provider sets can't be sent as configuration.
        IgnoreChanges::All => cty::transform(prior, &mut |path, value| match attribute_by_path(
            block, path,
        ) {
            Some(attribute) if attribute.computed && !attribute.optional => {
                Value::null(value.ty().clone())
            }
            _ => value,
        }),
        IgnoreChanges::Paths(paths) => hold(paths, prior, config),
    }
}

/// The planned value with ignored arguments as the prior object has them: providers of the legacy type system may
/// change them again on their own.
pub fn revert_ignored(ignore: &IgnoreChanges, prior: &Value, planned: &Value) -> Value {
    if prior.is_null() || planned.is_null() {
        return planned.clone();
    }
    match ignore {
        IgnoreChanges::All => prior.clone(),
        IgnoreChanges::Paths(paths) => hold(paths, prior, planned),
    }
}

struct HeldValue {
    path: Path,
    /// The prior value at `path`; a map, if there is a key.
    value: Value,
    key: Option<SmolStr>,
}

fn hold(paths: &[Path], prior: &Value, config: &Value) -> Value {
    if config.is_null() {
        return config.clone();
    }
    let held: Vec<HeldValue> = paths
        .iter()
        .filter_map(|path| held(path, prior, config))
        .collect();
    if held.is_empty() {
        return config.clone();
    }
    cty::transform(config, &mut |path, value| {
        let mut held = held.iter().filter(|held| held.path == *path).peekable();
        if held.peek().is_none() {
            return value;
        }
        if !matches!(value.ty(), Type::Map(_)) {
            return held.next().map_or(value, |held| held.value.clone());
        }
        hold_keys(held, value)
    })
}

/// A key of a map is held by itself, even where the configuration lacks it; every other step must exist in both.
fn held(path: &Path, prior: &Value, config: &Value) -> Option<HeldValue> {
    let (steps, key) = match path.steps().split_last() {
        Some((PathStep::Index(key), rest)) if key.as_str().is_some() => {
            (rest, key.as_str().map(SmolStr::from))
        }
        _ => (path.steps(), None),
    };
    let path = Path::from(steps.to_vec());
    let value = path.apply(prior).ok()?;
    let config = path.apply(config).ok()?;
    (!value.raw_equals(&config)).then_some(HeldValue { path, value, key })
}

fn hold_keys<'a>(held: impl Iterator<Item = &'a HeldValue>, map: Value) -> Value {
    if !map.is_null() && !map.is_known() {
        return map;
    }
    let (map, marks) = map.unmark();
    let mut elements = entries(&map);
    for held in held {
        let Some(key) = &held.key else {
            return held.value.clone();
        };
        let (prior, _) = held.value.unmark();
        match entries(&prior).remove(key) {
            Some(value) => elements.insert(key.clone(), value),
            None => elements.remove(key),
        };
    }
    let held = if elements.is_empty() && map.is_null() {
        map
    } else {
        let element_type = map.ty().element_type().cloned().unwrap_or(Type::Dynamic);
        Value::map(element_type, elements)
    };
    held.mark_all(&marks)
}

fn entries(map: &Value) -> BTreeMap<SmolStr, Value> {
    map.as_map().map(BTreeMap::from).unwrap_or_default()
}
