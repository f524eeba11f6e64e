//! The invocations of actions that the changes of resources trigger.
//!
//! Follows `nodeActionTriggerPlanInstance` and `evaluateActionExpression` of Terraform's `internal/terraform`.

use std::collections::BTreeMap;

use config::{
    ActionEvent, ActionTrigger, Expr, InstanceKey, ProviderAddr, Reference, Referenceable,
    Resource, ResourceAddr, ResourceInstanceAddr,
};
use cty::{Type, Value};
use eval::EvalContext;
use schema::Schema;
use text::{Diagnostic, Span};

use crate::expansion::Keys;
use crate::result::ResourceResult;
use crate::scope::DeclarationScope;
use crate::{APPLY_CYCLE, Action, ResourceInstanceChange, trigger};

/// An entry of an `action_trigger` block that invokes an instance of an action, for a planned change.
#[derive(Debug, Clone, PartialEq)]
pub struct Triggered {
    pub resource: ResourceInstanceAddr,
    pub event: ActionEvent,
    /// The number of the `action_trigger` block in its `lifecycle` block, from 0 on.
    pub block: usize,
    /// The number of the action in the block's list, from 0 on.
    pub index: usize,
    /// The entry in the list.
    pub at: Span,
}

/// The triggers of the instances of one action.
#[derive(Default)]
pub(crate) struct ActionTriggers {
    pub by_key: BTreeMap<InstanceKey, Vec<Triggered>>,
    /// Where each instance is named, also where nothing triggers it.
    named: BTreeMap<InstanceKey, Vec<Span>>,
    pub diagnostics: Vec<Diagnostic>,
}

impl ActionTriggers {
    /// Adds the changes of `resource` that trigger `action`; `scope` gives the names in a condition. An action that needs the
    /// object which `follows_from` asks for can't run before its change.
    pub fn add<'a>(
        &mut self,
        action: &ResourceAddr,
        resource: &Resource,
        planned: &ResourceResult,
        scope: &dyn Fn(&[Reference]) -> DeclarationScope<'a>,
        follows_from: &dyn Fn() -> bool,
    ) {
        for (block, trigger) in resource.lifecycle.action_triggers.iter().enumerate() {
            let entries = trigger.actions.iter().enumerate();
            for (index, entry) in entries.filter(|(_, it)| it.addr.as_ref() == Some(action)) {
                let scope = scope(&trigger.references);
                let at = entry.expr.span();
                for change in planned.changes().filter(|it| it.deposed.is_none()) {
                    let each_value = planned.each_value(&change.addr.key).cloned();
                    let scope = scope.for_instance(&change.addr.key, each_value);
                    let (key, events) = match self.triggered(trigger, &entry.expr, change, &scope) {
                        Ok(triggered) => triggered,
                        Err(problems) => {
                            problems.into_iter().for_each(|it| self.report(it));
                            continue;
                        }
                    };
                    if events.iter().any(|event| event.is_before()) && follows_from() {
                        self.report(cycle(action, &resource.addr, at.clone()));
                    }
                    let of_instance = self.by_key.entry(key).or_default();
                    of_instance.extend(events.into_iter().map(|event| Triggered {
                        resource: change.addr.clone(),
                        event,
                        block,
                        index,
                        at: at.clone(),
                    }));
                }
            }
        }
    }

    /// The instance that an entry names, and the events for which the change invokes it.
    fn triggered(
        &mut self,
        trigger: &ActionTrigger,
        entry: &Expr,
        change: &ResourceInstanceChange,
        scope: &EvalContext<'_>,
    ) -> Result<(InstanceKey, Vec<ActionEvent>), Vec<Diagnostic>> {
        let key =
            trigger::key(entry, scope).map_err(|problem| Vec::from_iter(problem.map(|it| *it)))?;
        let places = self.named.entry(key.clone()).or_default();
        if !places.contains(&entry.span()) {
            places.push(entry.span());
        }
        let events = events(&trigger.events, change.action);
        let is_invoked = match &trigger.condition {
            Some(condition) if !events.is_empty() => is_met(condition, trigger, scope)?,
            _ => true,
        };
        Ok((key, if is_invoked { events } else { Vec::new() }))
    }

    /// The errors for entries that name an instance which the action does not have.
    pub fn without_instance(&self, keys: &Keys) -> Vec<Diagnostic> {
        let is_declared = |key: &InstanceKey| keys.iter().any(|(it, _)| it == key);
        let undeclared = self.named.iter().filter(|(key, _)| !is_declared(key));
        let error = |at: &Span| {
            let detail = "Action instance was not found in the current context.";
            let summary = "Reference to non-existent action instance";
            Diagnostic::error("action", summary, detail, at.clone())
        };
        undeclared
            .flat_map(|(_, places)| places)
            .map(error)
            .collect()
    }

    /// Several instances of a resource report the same once.
    fn report(&mut self, problem: Diagnostic) {
        if !self.diagnostics.contains(&problem) {
            self.diagnostics.push(problem);
        }
    }
}

/// The events of a trigger that a change of this kind is.
fn events(events: &[ActionEvent], action: Action) -> Vec<ActionEvent> {
    let is_meant = |event: &&ActionEvent| match event {
        ActionEvent::BeforeCreate | ActionEvent::AfterCreate => {
            action == Action::Create || action.is_replace()
        }
        ActionEvent::BeforeUpdate | ActionEvent::AfterUpdate => action == Action::Update,
    };
    events.iter().filter(is_meant).copied().collect()
}

/// Terraform finds it when it builds the graph of the apply.
fn cycle(action: &ResourceAddr, resource: &ResourceAddr, at: Span) -> Diagnostic {
    let summary = format!(
        "Cycle: {resource}, {resource} (expand), {action} (expand), {action} triggered by {resource} (apply - before)"
    );
    Diagnostic::error(APPLY_CYCLE, summary, "", at)
}

/// The value of a trigger's condition, which has to be known.
fn is_met(
    condition: &Expr,
    trigger: &ActionTrigger,
    scope: &EvalContext<'_>,
) -> Result<bool, Vec<Diagnostic>> {
    let is_before = trigger.events.iter().any(|event| event.is_before());
    let refused: Vec<Diagnostic> = trigger
        .references
        .iter()
        .filter_map(|reference| match &reference.subject {
            Referenceable::Self_ => Some((
                "Self reference not allowed",
                "The condition expression cannot reference \"self\".",
            )),
            Referenceable::Count(_) if is_before => Some((
                "Count reference not allowed",
                "The condition expression cannot reference \"count\" if the action is run before the resource is applied.",
            )),
            Referenceable::Each(_) if is_before => Some((
                "Each reference not allowed",
                "The condition expression cannot reference \"each\" if the action is run before the resource is applied.",
            )),
            _ => None,
        })
        .map(|(summary, detail)| {
            Diagnostic::error("action", summary, detail, condition.span())
        })
        .collect();
    if !refused.is_empty() {
        return Err(refused);
    }
    let (value, diagnostics) = eval::evaluate_expr_as(condition, &Type::Bool, scope);
    if crate::condition::has_errors(&diagnostics) {
        return Err(diagnostics);
    }
    match value.unmark().0.as_bool() {
        Some(is_met) => Ok(is_met),
        // Of a null condition Terraform reads false.
        None if value.is_null() => Ok(false),
        None => {
            let detail = "The condition expression resulted in an unknown value, but it must be a known boolean value.";
            let summary = "Condition must be known";
            Err(vec![Diagnostic::error(
                "action",
                summary,
                detail,
                condition.span(),
            )])
        }
    }
}

/// An invocation of an action that the plan has.
#[derive(Debug, Clone, Copy)]
pub struct ActionInvocation<'a> {
    pub addr: &'a ResourceInstanceAddr,
    pub provider: &'a ProviderAddr,
    pub schema: &'a Schema,
    /// The `config` block, with marks but without ephemeral values; null where there is none.
    pub config: &'a Value,
    pub triggered: &'a Triggered,
}

impl ActionInvocation<'_> {
    /// The configuration with the marks that its schema demands.
    pub(crate) fn marked_config(&self) -> Value {
        self.schema.block.mark_sensitive(self.config, [])
    }
}
