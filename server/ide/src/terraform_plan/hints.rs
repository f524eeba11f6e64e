//! The effect or the value of an argument, at the end of its line.

use config::{InstanceKey, ModuleAddr, Origin, Referenceable, Repetition, Resource, Variable};
use cty::Value;
use plan::ResourceResult;
use syntax::ast::{Expr, ExprKind, ObjectKey};

use super::calls::{self, EffectsCache};
use super::{FactInputs, FactsBuilder, value_text};
use crate::any_engine::{Texts, add_hints, push_at};
use crate::{HintKind, HintLabel, MAX_HINT_LABEL, PlannedObject};

pub(super) fn add_resource(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    object: &PlannedObject,
    config: &Resource,
    facts: &mut FactsBuilder,
) {
    add_hints(planned, object, facts, |facts| {
        add_instances(planned, resource, config, facts);
    });
    add_values(planned, resource, config, facts);
}

/// Shows the values of local values, variables and outputs, and the instances of called modules.
pub(super) fn add_values_of_module(
    planned: &FactInputs<'_>,
    effects: &EffectsCache,
    facts: &mut FactsBuilder,
) {
    add_module_instances(planned, facts);
    calls::add_arguments(planned, effects, facts);
    for (name, value) in &planned.plan.locals {
        if let Some(local) = planned.module.locals.get(name) {
            let expr = &local.value;
            add_value(planned, &expr.origin, &expr.ast, value, facts);
        }
    }
    for variable in planned.module.variables.values() {
        add_variable(planned, variable, facts);
    }
    let changes = planned.plan.outputs.iter();
    let shown = changes.filter(|change| !change.is_sensitive);
    for change in shown {
        let output = planned.module.outputs.get(&change.name);
        // Callers of older releases see the value of a sensitive output of a module.
        let output = output.filter(|it| !it.sensitive);
        let Some(expr) = output.and_then(|output| output.value.as_ref()) else {
            continue;
        };
        add_value(planned, &expr.origin, &expr.ast, &change.after, facts);
    }
}

/// Which instances there are, where the expression doesn't show it.
fn add_instances(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    config: &Resource,
    facts: &mut FactsBuilder,
) {
    let keys = resource.instances.iter().map(|instance| &instance.key);
    match &resource.written {
        Some(written) => {
            add_keys(
                planned,
                &config.repetition,
                written.keys.iter().collect(),
                facts,
            );
        }
        None if resource.caveat.is_none() => {
            add_keys(planned, &config.repetition, keys.collect(), facts);
        }
        None => {}
    }
}

/// The instances of the modules that are called, where it is known which there are.
fn add_module_instances(planned: &FactInputs<'_>, facts: &mut FactsBuilder) {
    if planned.module.module_calls.is_empty() {
        return;
    }
    let instances = planned.plan.instances_by_module();
    for (name, call) in &planned.module.module_calls {
        let called = instances.get(&ModuleAddr::root().child(name.clone()));
        let called = called.into_iter().flatten();
        let keys = called.filter_map(|it| Some(&it.steps().last()?.key));
        let keys: Vec<&InstanceKey> = keys.collect();
        // One without a key stands for all that there may be.
        if !keys.is_empty() && !keys.contains(&&InstanceKey::None) {
            add_keys(planned, &call.repetition, keys, facts);
        }
    }
}

fn add_keys(
    planned: &FactInputs<'_>,
    repetition: &Repetition,
    keys: Vec<&InstanceKey>,
    facts: &mut FactsBuilder,
) {
    let Some(expr) = repetition.expr().filter(|it| !is_plain(&it.ast)) else {
        return;
    };
    let count = keys.len();
    let texts: Vec<String> = keys
        .into_iter()
        .filter_map(|key| match key {
            InstanceKey::String(text) => Some(config::addr::quote(text)),
            InstanceKey::None | InstanceKey::Int(_) => None,
        })
        .collect();
    let label = match repetition {
        Repetition::ForEach(_) if count > 0 && texts.len() == count => texts.join(", ").into(),
        Repetition::ForEach(_) | Repetition::Count(_) if count == 0 => "no instances".into(),
        Repetition::Count(_) if texts.is_empty() => HintLabel::new("= ", count.to_string()),
        _ => return,
    };
    let span = expr.span();
    let (kind, end) = (HintKind::Instances, span.range.end());
    push_at(planned, &span, end, label, kind, None, facts);
}

/// The value that a variable was given, where its default doesn't say so.
fn add_variable(planned: &FactInputs<'_>, variable: &Variable, facts: &mut FactsBuilder) {
    let Some(value) = planned.plan.variables.get(&variable.name.text) else {
        return;
    };
    if !value.is_wholly_known() || value.contains_marked() || value.is_null() {
        return;
    }
    let span = match &variable.default {
        Some(default) => {
            let (written, _) = eval::evaluate_expr(default, &eval::EvalContext::default());
            let is_same = match value.ty().is_primitive() {
                true => cty::convert(&written, value.ty()).is_ok_and(|written| written == *value),
                false => true,
            };
            if is_same {
                return;
            }
            default.span()
        }
        None => variable.decl.span.clone(),
    };
    let name = match variable.default {
        // Behind the default, `= ` would read as a part of it.
        Some(_) => format!("var.{} = ", variable.name.text),
        None => "= ".to_owned(),
    };
    let room = MAX_HINT_LABEL.saturating_sub(name.chars().count());
    if let Some(text) = value_text::short(value, room) {
        let label = HintLabel::new(name, text);
        let end = match variable.default {
            Some(_) => span.range.end(),
            // Behind the brace.
            None => planned.text_line_end(&span),
        };
        push_at(planned, &span, end, label, HintKind::Value, None, facts);
    }
}

/// Shows the value of an argument, where it is short, not written there anyway, and the same for all instances.
fn add_values(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    config: &Resource,
    facts: &mut FactsBuilder,
) {
    for (attribute, value) in resource.written.iter().flat_map(|it| &it.arguments) {
        let (origin, expr) = (&attribute.origin, &attribute.ast.expr);
        // A plan alone tells when the others are known.
        add_value_of(planned, origin, expr, value, false, facts);
    }
    let Some(change) = resource.changes().next() else {
        return;
    };
    let schema = &change.schema.block;
    for attribute in &eval::content(&config.body, schema).attributes {
        let schema = schema.attributes.get(attribute.name());
        if schema.is_none_or(super::may_mask) {
            continue;
        }
        let mut values = resource
            .instances
            .iter()
            .filter_map(|instance| resource.config_value(&instance.key)?.get(attribute.name()));
        let Some(value) = values.next() else { continue };
        if values.all(|other| other == value) {
            add_value(
                planned,
                &attribute.origin,
                &attribute.ast.expr,
                value,
                facts,
            );
        }
    }
}

/// Of a planned object.
pub(super) fn add_value(
    planned: &FactInputs<'_>,
    origin: &Origin,
    expr: &Expr,
    value: &Value,
    facts: &mut FactsBuilder,
) {
    add_value_of(planned, origin, expr, value, true, facts);
}

/// A constructor over several lines shows the value of each element, anything else its own.
fn add_value_of(
    planned: &FactInputs<'_>,
    origin: &Origin,
    expr: &Expr,
    value: &Value,
    is_planned: bool,
    facts: &mut FactsBuilder,
) {
    if is_plain(expr) || value.is_marked() || value.is_null() {
        return;
    }
    let span = origin.span(expr.range);
    let is_long = planned.line_end(&span) < span.range.end();
    match &expr.kind {
        ExprKind::Object(items) if is_long => {
            for item in items {
                let name = match &item.key {
                    ObjectKey::Name(name) => Some(name.name.clone()),
                    ObjectKey::Expr(expr) => expr.as_literal_string(),
                };
                if let Some(value) = name.and_then(|name| value.get(&name)) {
                    add_value_of(planned, origin, &item.value, value, is_planned, facts);
                }
            }
            return;
        }
        ExprKind::Tuple(items) if is_long => {
            for (item, value) in items.iter().zip(value.as_slice().unwrap_or_default()) {
                add_value_of(planned, origin, item, value, is_planned, facts);
            }
            return;
        }
        _ => {}
    }
    let (label, kind) = if !value.is_known() {
        let references = config::refs::references(origin, expr);
        if !is_planned || planned.is_in_doubt(&span, &references) {
            return;
        }
        let label = planned.unknown(&span, &references);
        (HintLabel::from(label), HintKind::KnownAfterApply)
    } else if value.is_wholly_known() && !value.contains_marked() {
        if lists_named(planned, origin, expr) {
            return;
        }
        match value_text::short(value, MAX_HINT_LABEL - "= ".len()) {
            Some(text) => (HintLabel::new("= ", text), HintKind::Value),
            None => return,
        }
    } else {
        return;
    };
    push_at(planned, &span, span.range.end(), label, kind, None, facts);
}

/// Whether an expression lists values that the same file gives names.
fn lists_named(planned: &FactInputs<'_>, origin: &Origin, expr: &Expr) -> bool {
    let is_named = |item: &Expr| {
        is_plain(item)
            || lists_named(planned, origin, item)
            || is_in_same_file(planned, origin, item)
    };
    match &expr.kind {
        ExprKind::Tuple(items) => items.iter().all(is_named),
        ExprKind::Object(items) => items.iter().all(|item| is_named(&item.value)),
        _ => false,
    }
}

/// Whether an expression is the name of something whose value is shown where it is declared, in the same file.
fn is_in_same_file(planned: &FactInputs<'_>, origin: &Origin, expr: &Expr) -> bool {
    let ExprKind::Traversal(_) = &expr.kind else {
        return false;
    };
    let references = config::refs::references(origin, expr);
    let [reference] = references.as_slice() else {
        return false;
    };
    let module = planned.module;
    let declared = match &reference.subject {
        Referenceable::Var(name) => module.variables.get(name).map(|it| &it.decl),
        Referenceable::Local(name) => module.locals.get(name).map(|it| &it.decl),
        _ => None,
    };
    reference.remaining.is_empty() && declared.is_some_and(|it| it.span.file == origin.file)
}

/// Functions whose result has the elements of their arguments: the text shows them.
const SHOWN_BY_ARGUMENTS: [&str; 9] = [
    "tobool", "tolist", "tomap", "tonumber", "toset", "tostring", "concat", "flatten", "merge",
];

/// Whether the text of an expression shows its value already.
fn is_plain(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => {
            SHOWN_BY_ARGUMENTS.contains(&call.name.as_str()) && call.args.iter().all(is_plain)
        }
        ExprKind::Number(_) | ExprKind::Bool(_) | ExprKind::Null => true,
        ExprKind::Template(template) => template.as_literal().is_some(),
        ExprKind::Json(string) => is_plain(&string.template),
        ExprKind::Tuple(items) => items.iter().all(is_plain),
        ExprKind::Object(items) => items.iter().all(|item| is_plain(&item.value)),
        ExprKind::Unary { operand, .. } => is_plain(operand),
        ExprKind::Parens(inner) => is_plain(inner),
        _ => false,
    }
}
