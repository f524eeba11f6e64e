//! The values of the references in an expression with an error.
//!
//! Follows `newDiagnosticExpressionValues` in OpenTofu's `internal/command/jsonentities/diagnostic.go`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{
    Body, InstanceKey, ModuleInstanceAddr, ModuleTree, Origin, Reference, Referenceable,
    addr::quote, refs,
};
use cty::{PathStep, Type, Value, is_secret};
use plan::{Plan, PlannedInstance, ResourceResult};
use syntax::ast::{Key, Step, StepKind};
use text::{Span, TextRange};

/// The text for each reference at `span`, by its spelling. Where instances of a module differ, there is none.
/// `is_of_unknown`: the error is that something is unknown.
pub(super) fn values(
    plan: &Plan,
    tree: &ModuleTree,
    span: &Span,
    is_of_unknown: bool,
) -> BTreeMap<String, String> {
    let root = ModuleInstanceAddr::root();
    let declaring = tree
        .iter()
        .filter(|(_, it)| it.module.files.contains_key(&span.file));
    let instances: BTreeSet<&ModuleInstanceAddr> = declaring
        .flat_map(|(addr, _)| match addr.is_root() {
            true => BTreeSet::from([&root]),
            false => plan.instances_of(addr),
        })
        .collect();
    let references = references(tree, span);
    let described = references.iter().filter_map(|(reference, text)| {
        let all = instances.iter().map(|instance| {
            let (name, value) = find(plan, tree, instance, reference, text)?;
            Some((name, statement(&value, is_of_unknown)?))
        });
        let mut all: BTreeSet<Option<(String, String)>> = all.collect();
        all.pop_first().filter(|_| all.is_empty())?
    });
    described.collect()
}

/// The references that `span` touches, and the text of their segment.
fn references<'t>(tree: &'t ModuleTree, span: &Span) -> Vec<(Reference, &'t str)> {
    let Some(file) = tree.file(&span.file) else {
        return Vec::new();
    };
    let origin = Origin {
        file: span.file.clone(),
        segment: span.segment,
    };
    let (Some(block), Some(segment)) = (super::block(tree, span), file.segment(span.segment))
    else {
        return Vec::new();
    };
    let body = Body::new(&origin, &block.body, span.clone());
    let touches = |reference: &Reference| {
        whole(reference)
            .intersect(span.range)
            .is_some_and(|it| !it.is_empty())
    };
    let found = refs::body_references(&body).into_iter().filter(touches);
    found.map(|it| (it, &*segment.parsed.text)).collect()
}

/// The range of the reference, including the steps after its subject.
fn whole(reference: &Reference) -> TextRange {
    let range = reference.span.range;
    let steps = reference.remaining.iter();
    steps.fold(range, |range, step| range.cover(step.range))
}

/// The longest part of a reference that has a value, as it is written, with that.
fn find(
    plan: &Plan,
    tree: &ModuleTree,
    instance: &ModuleInstanceAddr,
    reference: &Reference,
    text: &str,
) -> Option<(String, Value)> {
    let mut range = reference.span.range;
    let mut value = value(plan, tree, instance, reference)?;
    for step in &reference.remaining {
        let Some(inner) = inner(&value, step) else {
            break;
        };
        (range, value) = (range.cover(step.range), inner);
    }
    let name = text.get(usize::from(range.start())..usize::from(range.end()))?;
    Some((name.to_owned(), value))
}

fn value(
    plan: &Plan,
    tree: &ModuleTree,
    instance: &ModuleInstanceAddr,
    reference: &Reference,
) -> Option<Value> {
    let of_module = plan.modules.get(instance);
    match &reference.subject {
        Referenceable::Var(name) => match instance.is_root() {
            true => plan.variables.get(name),
            false => of_module?.variables.get(name),
        }
        .cloned(),
        Referenceable::Local(name) => match instance.is_root() {
            true => plan.locals.get(name),
            false => of_module?.locals.get(name),
        }
        .cloned(),
        Referenceable::ModuleOutput { call, key, output } => {
            let called = instance.child(call.clone(), key.clone());
            // Of which instances nothing is known, one stands for all.
            let (_, written) = tree.call(&called.module())?;
            if *key == InstanceKey::None && written.repetition.expr().is_some() {
                return None;
            }
            plan.modules.get(&called)?.outputs.get(output).cloned()
        }
        Referenceable::Resource(addr)
        | Referenceable::ResourceInstance(addr, InstanceKey::None) => {
            let resource = plan.resources.get(&instance.resource(addr.clone()))?;
            Some(resource.value.clone())
        }
        Referenceable::ResourceInstance(addr, key) => {
            let resource = plan.resources.get(&instance.resource(addr.clone()))?;
            let planned = resource.instances.iter().find(|it| it.key == *key)?;
            Some(planned.value().clone())
        }
        Referenceable::Self_ => {
            let only = only_instance(plan, instance, &reference.span)?;
            Some(only.value().clone())
        }
        // Of which instance it is, isn't known here.
        _ => None,
    }
}

/// The instance of the resource that is declared at `span`, if it has no keys.
fn only_instance<'p>(
    plan: &'p Plan,
    module: &ModuleInstanceAddr,
    span: &Span,
) -> Option<&'p PlannedInstance> {
    let is_around = |resource: &&Arc<ResourceResult>| {
        let decl = resource.config.as_ref().map(|config| &config.decl.span);
        resource.addr.module == *module
            && decl.is_some_and(|it| it.file == span.file && it.segment == span.segment)
    };
    match &plan.resources.values().find(is_around)?.instances[..] {
        [only] if only.key == InstanceKey::None => Some(only),
        _ => None,
    }
}

fn inner(value: &Value, step: &Step) -> Option<Value> {
    let key = match &step.kind {
        StepKind::Attr(name) => Value::string(&name.name),
        StepKind::Index(Key::String(name)) => Value::string(name),
        StepKind::Index(Key::Number(index)) | StepKind::LegacyIndex(index) => {
            Value::int(index.parse().ok()?)
        }
        StepKind::Index(Key::Bool(_) | Key::Null) => return None,
    };
    let step = PathStep::for_key(&key, value.ty().is_object());
    step.apply(value).ok()
}

/// Secrets and wholly unknown values have no text; values with parts have only their number.
fn statement(value: &Value, is_of_unknown: bool) -> Option<String> {
    let ty = value.ty();
    if is_secret(value.marks()) {
        return None;
    }
    if !value.is_known() {
        return match (is_of_unknown, ty.is_dynamic()) {
            (true, true) => Some("will be known only after apply".to_owned()),
            (true, false) => Some(format!(
                "is a {}, known only after apply",
                ty.friendly_name()
            )),
            (false, true) => None,
            (false, false) => Some(format!("is a {}", ty.friendly_name())),
        };
    }
    let value = value.unmark().0;
    let said = if value.is_null() {
        "null".to_owned()
    } else if let Some(it) = value.as_bool() {
        it.to_string()
    } else if let Some(it) = value.as_number() {
        it.to_string()
    } else if let Some(it) = value.as_str() {
        quote(it)
    } else if let Type::Object(object) = ty {
        let mut names = object.attributes.keys();
        match (names.len(), names.next()) {
            (1, Some(name)) => format!("object with 1 attribute {}", quote(name)),
            (0, _) => "object with no attributes".to_owned(),
            (count, _) => format!("object with {count} attributes"),
        }
    } else {
        match (value.length_int(), ty.friendly_name()) {
            (Some(0), name) => format!("empty {name}"),
            (Some(1), name) => format!("{name} with 1 element"),
            (Some(count), name) => format!("{name} with {count} elements"),
            (None, name) => name,
        }
    };
    Some(format!("is {said}"))
}
