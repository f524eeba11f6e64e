//! The effects of a module call's arguments inside of the module, and their values.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{
    AbsResourceAddr, ModuleAddr, ModuleCall, ModuleInstanceAddr, Reference, Referenceable,
};
use plan::{Action, ResourceInstanceChange, ResourceResult};
use smol_str::SmolStr;
use text::Span;

use super::{FactInputs, FactsBuilder, cause, hints};
use crate::any_engine::add_causes;
use crate::{Cause, Changed};

/// The effects of variables on the resources of called modules, from one plan to the next: for resources whose result is the
/// same.
#[derive(Default)]
pub(super) struct EffectsCache(BTreeMap<AbsResourceAddr, Effects>);

/// The changes of a resource at arguments that are a variable and nothing else.
struct Effects {
    of: Arc<ResourceResult>,
    forcing: Vec<(SmolStr, Vec<Changed>)>,
    changed: Vec<(SmolStr, Vec<Changed>)>,
}

impl EffectsCache {
    /// Takes in the resources of called modules that change.
    pub(super) fn update<'a>(&mut self, changed: impl Iterator<Item = &'a Arc<ResourceResult>>) {
        let mut known = std::mem::take(&mut self.0);
        for resource in changed {
            let known = known.remove(&resource.addr);
            let known = known.filter(|it| Arc::ptr_eq(&it.of, resource));
            let effects = known.unwrap_or_else(|| Effects::of(resource));
            self.0.insert(resource.addr.clone(), effects);
        }
    }

    /// The replacements that the arguments of a call force in the called module and in those below it, and their changes there.
    fn causes(&self, planned: &FactInputs<'_>, call: &ModuleCall) -> [Vec<Cause>; 2] {
        let is_below = |addr: &ModuleInstanceAddr| {
            let first = addr.steps().first();
            first.is_some_and(|step| step.call == call.name.text)
        };
        let effects = self.0.iter().filter(|(addr, _)| is_below(&addr.module));
        let (mut forcing, mut changed) = (BTreeMap::new(), BTreeMap::new());
        for (addr, effects) in effects {
            let module = addr.module.module();
            let passed_on = |of: &[(SmolStr, Vec<Changed>)]| {
                let all = of.iter().filter_map(|(variable, changed)| {
                    Some((planned.passed_on(&module, variable)?, changed.clone()))
                });
                all.collect::<Vec<_>>()
            };
            add(&passed_on(&effects.forcing), call, &mut forcing);
            add(&passed_on(&effects.changed), call, &mut changed);
        }
        [forcing, changed].map(|found| found.into_values().collect())
    }
}

impl Effects {
    fn of(resource: &Arc<ResourceResult>) -> Effects {
        let mut effects = Effects {
            of: resource.clone(),
            forcing: Vec::new(),
            changed: Vec::new(),
        };
        let Some(config) = &resource.config else {
            return effects;
        };
        let at_variables = |causes: Vec<Cause>| {
            let causes = causes.into_iter();
            let own = causes.filter(|it| it.changed.iter().all(|it| it.is_own_place));
            own.filter_map(|it| Some((variable_at(config, &it.span)?.clone(), it.changed)))
        };
        for change in resource.changes().filter(|it| is_told(it)) {
            let forcing = cause::causes(resource, config, change);
            effects.forcing.extend(at_variables(forcing));
            let changed = cause::changed(resource, config, change);
            effects.changed.extend(at_variables(changed));
        }
        effects
    }
}

impl FactInputs<'_> {
    /// The argument of the call in this module that becomes the variable of a module below, where each call between passes on
    /// a variable and nothing else. `module` is relative to this one.
    fn passed_on(&self, module: &ModuleAddr, variable: &SmolStr) -> Option<SmolStr> {
        let mut variable = variable.clone();
        let below = module.calls().len();
        if below > 1 {
            let (tree, here) = self.tree?;
            let calls = here.calls().iter().chain(module.calls());
            let mut addr = ModuleAddr::new(calls.cloned());
            for _ in 1..below {
                let (_, call) = tree.call(&addr)?;
                let argument = call.arguments.iter().find(|it| *it.name() == variable)?;
                let references = config::refs::references(&argument.origin, &argument.ast.expr);
                let whole = argument.origin.span(argument.ast.expr.range);
                variable = whole_variable(&references, &whole)?.clone();
                addr = addr.parent()?;
            }
        }
        Some(variable)
    }
}

/// Whether a resource is in a called module and changes.
pub(super) fn is_changed(resource: &ResourceResult) -> bool {
    !resource.addr.module.is_root() && resource.changes().any(is_told)
}

fn is_told(change: &ResourceInstanceChange) -> bool {
    change.action.is_replace() || change.action == Action::Update
}

/// Hints at the arguments of all module calls.
pub(super) fn add_arguments(
    planned: &FactInputs<'_>,
    cache: &EffectsCache,
    facts: &mut FactsBuilder,
) {
    for call in planned.module.module_calls.values() {
        let name = &call.name.text;
        let mut taken = BTreeSet::new();
        let [forcing, changed] = cache.causes(planned, call);
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
fn is_standing_in(planned: &FactInputs<'_>, argument: &config::Attribute) -> bool {
    let references = config::refs::references(&argument.origin, &argument.ast.expr);
    references.iter().any(|it| planned.plan.is_standing_in(it))
}

fn is_of_call(instance: &ModuleInstanceAddr, call: &str) -> bool {
    matches!(instance.steps(), [step] if step.call == call)
}

/// Adds the effects of the arguments of a call, by argument; of several the first counts.
fn add(
    effects: &[(SmolStr, Vec<Changed>)],
    call: &ModuleCall,
    found: &mut BTreeMap<SmolStr, Cause>,
) {
    for (variable, changed) in effects {
        let mut arguments = call.arguments.iter();
        let Some(argument) = arguments.find(|it| it.name() == variable) else {
            continue;
        };
        let span = argument.origin.span(argument.ast.expr.range);
        found.entry(variable.clone()).or_insert_with(|| Cause {
            argument: Some(span.clone()),
            span,
            changed: changed.clone(),
        });
    }
}

/// The variable that an expression of a resource is.
fn variable_at<'a>(config: &'a config::Resource, span: &Span) -> Option<&'a SmolStr> {
    whole_variable(&config.decl.references, span)
}

/// The variable that the expression at a place is, of the references in it.
fn whole_variable<'a>(references: &'a [Reference], span: &Span) -> Option<&'a SmolStr> {
    let mut references = references.iter();
    let whole = references.find(|it| it.span == *span && it.remaining.is_empty())?;
    match &whole.subject {
        Referenceable::Var(name) => Some(name),
        _ => None,
    }
}
