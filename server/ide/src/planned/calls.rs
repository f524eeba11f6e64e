//! The effects of a module call's arguments inside of the module, and their values.

use std::collections::{BTreeMap, BTreeSet};

use config::{ModuleCall, ModuleInstanceAddr, Referenceable};
use plan::{Action, ResourceInstanceChange, ResourceResult};
use smol_str::SmolStr;
use text::Span;

use super::{FactsBuilder, Planned, cause, hints};
use crate::Cause;
use crate::objects::add_causes;

/// Hints at the arguments of all module calls.
pub(super) fn add_arguments(planned: &Planned<'_>, facts: &mut FactsBuilder) {
    for call in planned.module.module_calls.values() {
        let name = &call.name.text;
        let mut taken = BTreeSet::new();
        let (forcing, changed) = causes(planned, call);
        add_causes(planned, forcing.iter(), true, false, &mut taken, facts);
        add_causes(planned, changed.iter(), false, false, &mut taken, facts);
        let instances = planned.plan.modules.iter();
        let instances: Vec<_> = instances
            .filter(|(instance, _)| is_of_call(instance, name))
            .map(|(_, values)| &values.variables)
            .collect();
        for argument in &call.arguments {
            let mut values = instances.iter().map(|it| it.get(argument.name()));
            if let Some(Some(value)) = values.next()
                && values.all(|other| other == Some(value))
                && (value.is_known() || !is_standing_in(planned, argument))
            {
                hints::add_value(planned, &argument.origin, &argument.ast.expr, value, facts);
            }
        }
    }
}

/// Whether an argument has a value of the state that a refresh would replace. A missing part of a variable is no news then.
fn is_standing_in(planned: &Planned<'_>, argument: &config::Attribute) -> bool {
    let references = config::refs::references(&argument.origin, &argument.ast.expr);
    references.iter().any(|it| planned.plan.is_standing_in(it))
}

fn is_of_call(instance: &ModuleInstanceAddr, call: &str) -> bool {
    matches!(instance.steps(), [step] if step.call == call)
}

/// The replacements that the arguments force in the called module, and their changes there: where an argument of a resource is a
/// variable and nothing else.
fn causes(planned: &Planned<'_>, call: &ModuleCall) -> (Vec<Cause>, Vec<Cause>) {
    let mut forcing = BTreeMap::new();
    let mut changed = BTreeMap::new();
    for resource in planned.plan.resources.values() {
        if !is_of_call(&resource.addr.module, &call.name.text) {
            continue;
        }
        let changes = resource.changes();
        for change in changes.filter(|it| it.action.is_replace() || it.action == Action::Update) {
            add(resource, change, true, call, &mut forcing);
            add(resource, change, false, call, &mut changed);
        }
    }
    let causes = |found: BTreeMap<SmolStr, Cause>| found.into_values().collect();
    (causes(forcing), causes(changed))
}

fn add(
    resource: &ResourceResult,
    change: &ResourceInstanceChange,
    is_forcing: bool,
    call: &ModuleCall,
    found: &mut BTreeMap<SmolStr, Cause>,
) {
    let Some(config) = &resource.config else {
        return;
    };
    let causes = match is_forcing {
        true => cause::causes(resource, config, change),
        false => cause::changed(resource, config, change),
    };
    for cause in causes {
        let is_own = cause.changed.iter().all(|it| it.is_own_place);
        let variable = variable_at(config, &cause.span).filter(|_| is_own);
        let argument = variable.and_then(|name| {
            let mut arguments = call.arguments.iter();
            arguments.find(|it| it.name() == name)
        });
        let Some(argument) = argument else { continue };
        let span = argument.origin.span(argument.ast.expr.range);
        found.entry(argument.name().clone()).or_insert(Cause {
            argument: Some(span.clone()),
            span,
            changed: cause.changed,
        });
    }
}

/// The variable that an expression is.
fn variable_at<'a>(config: &'a config::Resource, span: &Span) -> Option<&'a SmolStr> {
    let mut references = config.decl.references.iter();
    let whole = references.find(|it| it.span == *span && it.remaining.is_empty())?;
    match &whole.subject {
        Referenceable::Var(name) => Some(name),
        _ => None,
    }
}
