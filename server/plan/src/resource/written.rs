//! The values of a block that need neither a schema nor a provider.

use config::{Attribute, Body, InstanceKey, Resource};
use cty::{Value, budget};
use eval::EvalContext;

use crate::condition;
use crate::result::Written;
use crate::scope::DeclarationScope;

/// The instances of a resource, and the values of its arguments that are the same in all of them.
pub(super) fn written(
    config: &Resource,
    scope: &DeclarationScope<'_>,
    keys: &[(InstanceKey, Option<Value>)],
) -> Written {
    let mut attributes = Vec::new();
    collect(&config.body, &mut attributes);
    let scopes = keys.iter().map(|(key, each)| {
        let scope = scope.for_instance(key, each.clone());
        values(&attributes, &scope)
    });
    let in_all = scopes.reduce(|one, other| {
        let both = one.into_iter().zip(other);
        both.map(|(a, b)| common(a, b)).collect()
    });
    let found = attributes.into_iter().zip(in_all.unwrap_or_default());
    Written {
        keys: keys.iter().map(|(key, _)| key.clone()).collect(),
        arguments: found
            .map(|(attribute, value)| (attribute.clone(), value))
            .collect(),
    }
}

/// The arguments of a body and of the blocks in it. The blocks of a `dynamic` block need a schema.
fn collect(body: &Body, attributes: &mut Vec<Attribute>) {
    attributes.extend(body.attributes.iter().cloned());
    for block in &body.blocks {
        if block.ast.kind.name != "dynamic" {
            collect(&block.body(), attributes);
        }
    }
}

/// A value with errors is unknown.
fn values(attributes: &[Attribute], scope: &EvalContext<'_>) -> Vec<Value> {
    let value = |attribute: &Attribute| {
        budget::spend(1);
        let (value, problems) = eval::evaluate_expr(&attribute.expr(), scope);
        match condition::has_errors(&problems) {
            true => Value::dynamic(),
            false => value,
        }
    };
    attributes.iter().map(value).collect()
}

/// The common part of two values; the rest is unknown.
fn common(a: Value, b: Value) -> Value {
    if a.raw_equals(&b) {
        return a;
    }
    let is_object = |value: &Value| value.ty().is_object() && !value.is_marked();
    match (a.as_map(), b.as_map()) {
        (Some(a_parts), Some(b_parts)) if is_object(&a) && is_object(&b) => {
            let parts = a_parts.iter().filter_map(|(name, part)| {
                let other = b_parts.get(name)?;
                Some((name.clone(), common(part.clone(), other.clone())))
            });
            Value::object(parts)
        }
        _ => Value::dynamic(),
    }
}
