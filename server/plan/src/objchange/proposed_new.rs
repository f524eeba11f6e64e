//! Proposed new state: the configuration merged with the prior state, as a start for the provider.

use std::collections::BTreeMap;

use cty::{Type, Value};
use schema::{Attribute, Block, NestedBlock, NestedType, Nesting};
use smol_str::SmolStr;

use super::{ObjectSchema, is_same};

/// Merges `config` over `prior`. Computed attributes that the configuration leaves null keep their prior value.
///
/// Both values conform to `block`'s implied type and carry no marks. `prior` is null or wholly known; `config` may
/// hold unknowns.
pub fn proposed_new(block: &Block, prior: &Value, config: &Value) -> Value {
    if config.is_null() && prior.is_null() {
        return prior.clone();
    }
    if prior.is_null() {
        return merge_block(block, &block.empty_value(), config);
    }
    merge_block(block, prior, config)
}

/// The planned value of a data source that is read during apply: computed attributes that the configuration leaves
/// null are unknown.
pub fn planned_unknown_object(block: &Block, config: &Value) -> Value {
    merge_block(block, &Value::unknown(block.implied_type()), config)
}

fn merge_block(block: &Block, prior: &Value, config: &Value) -> Value {
    if config.is_null() || !config.is_known() {
        return prior.clone();
    }
    let mut merged = merge_attributes(&block.attributes, prior, config);
    for (name, nested) in &block.block_types {
        let value = merge_nested_block(nested, &attribute(prior, name), &attribute(config, name));
        merged.insert(name.clone(), value);
    }
    Value::object(merged)
}

fn merge_attributes(
    attributes: &BTreeMap<SmolStr, Attribute>,
    prior: &Value,
    config: &Value,
) -> BTreeMap<SmolStr, Value> {
    attributes
        .iter()
        .map(|(name, schema)| {
            let prior = attribute(prior, name);
            let config = attribute(config, name);
            (name.clone(), merge_attribute(schema, prior, config))
        })
        .collect()
}

fn merge_attribute(schema: &Attribute, prior: Value, config: Value) -> Value {
    if schema.computed && config.is_null() {
        // The prior value can only have come from a configuration if something in it can't be computed: then the
        // user has removed it since.
        return if came_from_config(schema, &prior) {
            config
        } else {
            prior
        };
    }
    match &schema.nested_type {
        Some(nested) => merge_nested_type(nested, &prior, config),
        None => config,
    }
}

fn merge_nested_type(nested: &NestedType, prior: &Value, config: Value) -> Value {
    let schema = ObjectSchema::Nested(nested);
    match nested.nesting {
        _ if !config.is_known() || config.is_null() => config,
        Nesting::Single | Nesting::Group => merge_object(schema, prior, &config),
        Nesting::List => merge_list(schema, prior, config),
        Nesting::Map => merge_map(schema, prior, config),
        Nesting::Set => merge_set(schema, prior, config),
    }
}

fn merge_nested_block(nested: &NestedBlock, prior: &Value, config: &Value) -> Value {
    let schema = ObjectSchema::Block(&nested.block);
    let config = config.clone();
    match nested.nesting {
        // Only a dynamic block whose for_each is unknown makes all blocks of its type unknown.
        _ if !config.is_known() => config,
        Nesting::Single if config.is_null() => config,
        Nesting::Single | Nesting::Group => proposed_new(&nested.block, prior, &config),
        Nesting::List => merge_list(schema, prior, config),
        Nesting::Map => merge_map(schema, prior, config),
        Nesting::Set => merge_set(schema, prior, config),
    }
}

fn merge_object(schema: ObjectSchema<'_>, prior: &Value, config: &Value) -> Value {
    match schema {
        ObjectSchema::Block(block) => proposed_new(block, prior, config),
        ObjectSchema::Nested(_) if config.is_null() => config.clone(),
        ObjectSchema::Nested(_) if !config.is_known() => config.clone(),
        ObjectSchema::Nested(nested) => {
            Value::object(merge_attributes(&nested.attributes, prior, config))
        }
    }
}

/// Elements belong together by their position.
fn merge_list(schema: ObjectSchema<'_>, prior: &Value, config: Value) -> Value {
    if config.elements().next().is_none() {
        return config;
    }
    let merged = config
        .elements()
        .map(|(index, element)| match prior_element(prior, &index) {
            Some(prior) => merge_object(schema, &prior, element),
            None => element.clone(),
        })
        .collect();
    match config.ty() {
        Type::Tuple(_) => Value::tuple(merged),
        ty => Value::list(element_type(ty), merged),
    }
}

/// Elements belong together by their key.
fn merge_map(schema: ObjectSchema<'_>, prior: &Value, config: Value) -> Value {
    if config.elements().next().is_none() {
        return config;
    }
    let merged = config.elements().filter_map(|(key, element)| {
        let name = SmolStr::from(key.as_str()?);
        let prior = if prior.is_known() {
            prior_element(prior, &key)
        } else {
            None
        };
        let value = match prior {
            Some(prior) => merge_object(schema, &prior, element),
            None => element.clone(),
        };
        Some((name, value))
    });
    match config.ty() {
        Type::Object(_) => Value::object(merged),
        ty => Value::map(element_type(ty), merged),
    }
}

/// Elements have no name: each takes the first unused prior element that could have come from it.
fn merge_set(schema: ObjectSchema<'_>, prior: &Value, config: Value) -> Value {
    if config.elements().next().is_none() {
        return config;
    }
    let element_type = element_type(config.ty());
    let mut unused: Vec<&Value> = prior.elements().map(|(_, value)| value).collect();
    let merged = config
        .elements()
        .map(|(_, element)| {
            let found = unused
                .iter()
                .position(|prior| could_come_from(schema, prior, element));
            let prior = match found {
                Some(position) => unused.remove(position).clone(),
                None => Value::null(element_type.clone()),
            };
            merge_object(schema, &prior, element)
        })
        .collect();
    Value::set(element_type, merged)
}

/// Whether the prior value of an optional and computed attribute holds something that a provider can't compute.
fn came_from_config(schema: &Attribute, prior: &Value) -> bool {
    let Some(nested) = schema.nested_type.as_ref().filter(|_| schema.optional) else {
        return false;
    };
    let mut is_found = false;
    cty::walk(prior, &mut |path, value| {
        if value.is_null() || is_found {
            return false;
        }
        let attribute = ObjectSchema::Nested(nested).attribute_by_path(path.steps());
        is_found = attribute.is_some_and(|attribute| !attribute.computed);
        !is_found
    });
    is_found
}

/// Whether `prior` differs from `config` only in computed attributes that the configuration leaves null.
fn could_come_from(schema: ObjectSchema<'_>, prior: &Value, config: &Value) -> bool {
    if is_same(config, prior) {
        return true;
    }
    let mut could = true;
    cty::walk(prior, &mut |path, prior| {
        if !could {
            return false;
        }
        let Ok(config) = path.apply(config) else {
            could = false;
            return false;
        };
        if is_same(&config, prior) {
            return false;
        }
        if matches!(config.ty(), Type::Set(_)) {
            could = false;
            return false;
        }
        match schema.attribute_by_path(path.steps()) {
            None => true,
            Some(attribute) if attribute.nested_type.is_some() => true,
            Some(attribute) => {
                could = attribute.computed && config.is_null();
                false
            }
        }
    });
    could
}

/// The attribute of an object that may be null or unknown itself; then so is the attribute.
fn attribute(object: &Value, name: &str) -> Value {
    if object.is_null() {
        let ty = object
            .ty()
            .attribute_type(name)
            .cloned()
            .unwrap_or(Type::Dynamic);
        return Value::null(ty);
    }
    object.get_attr(name).unwrap_or_else(|_| Value::dynamic())
}

/// The prior element under `key`; unknown in an unknown collection (of a data source).
fn prior_element(prior: &Value, key: &Value) -> Option<Value> {
    if prior.is_null() {
        return None;
    }
    prior
        .index(key)
        .or_else(|error| key.as_str().map_or(Err(error), |k| prior.get_attr(k)))
        .ok()
}

fn element_type(ty: &Type) -> Type {
    ty.element_type().cloned().unwrap_or(Type::Dynamic)
}
