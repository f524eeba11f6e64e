//! What will happen to a resource, in one line above its block.

use config::Resource;
use plan::{Action, Counts, ResourceResult};
use text::{Severity, Span};

use super::{FactsBuilder, Planned};
use crate::{CodeLens, Command};

pub(super) fn add_resource(resource: &ResourceResult, config: &Resource, facts: &mut FactsBuilder) {
    push(&config.decl.span, title(resource), facts);
}

/// Above what is no resource.
pub(super) fn add_of_module(planned: &Planned<'_>, facts: &mut FactsBuilder) {
    let module = planned.module;
    for (name, call) in &module.module_calls {
        let resources = planned.plan.resources.values();
        let within = resources.filter(|resource| {
            let first = resource.addr.module.steps().first();
            first.is_some_and(|step| step.call == *name)
        });
        let counts = Counts::of(within.flat_map(|resource| resource.changes()));
        if let Some(title) = within_call(counts) {
            push(&call.decl.span, title, facts);
        }
    }
}

/// What will happen in a called module.
fn within_call(counts: Counts) -> Option<String> {
    let parts = [
        (counts.add, "add"),
        (counts.change, "change"),
        (counts.destroy, "destroy"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} to {what}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

fn push(span: &Span, title: String, facts: &mut FactsBuilder) {
    facts.at(span).code_lenses.push(CodeLens {
        range: span.range,
        title,
        command: Some(Command::Replan),
    });
}

/// `-/+ replace`, or for several instances `-/+ replace · 2 of 5 instances`, and where they were in the state if that was
/// elsewhere: `no change · moved from random_pet.old`. What is a guess begins with a question
/// mark.
pub(crate) fn title(resource: &ResourceResult) -> String {
    let has_no_changes = resource.changes().next().is_none();
    match &resource.caveat {
        _ if has_errors(resource) => "? not planned: it has errors".to_owned(),
        Some(caveat) if has_no_changes || resource.is_state_unread => {
            format!("? {}", caveat.brief())
        }
        Some(caveat) => format!("? {} · {}", actions(resource), caveat.brief()),
        None => actions(resource),
    }
}

pub(crate) fn has_errors(resource: &ResourceResult) -> bool {
    let mut diagnostics = resource.diagnostics.iter();
    diagnostics.any(|diagnostic| diagnostic.severity == Severity::Error)
}

fn actions(resource: &ResourceResult) -> String {
    let actions = actions_alone(resource);
    match moved_from(resource) {
        Some(from) => format!("{actions} · moved from {from}"),
        None => actions,
    }
}

/// The old address of the resource, or of the only instance that was moved.
fn moved_from(resource: &ResourceResult) -> Option<String> {
    let mut moved = resource.changes().filter_map(|change| {
        let from = change.previous_addr.as_ref()?;
        Some((from, from.resource() == resource.addr))
    });
    let (first, is_rekeyed) = moved.next()?;
    match moved.next() {
        None if is_rekeyed || resource.instances.len() == 1 => Some(first.to_string()),
        None => Some(first.resource().to_string()),
        Some((second, _)) if second.resource() == first.resource() => {
            Some(first.resource().to_string())
        }
        Some(_) => Some("several addresses".to_owned()),
    }
}

fn actions_alone(resource: &ResourceResult) -> String {
    let changes = || resource.changes().filter(|change| change.deposed.is_none());
    let instances = changes().count();
    let count_of = |action: Action| changes().filter(|change| change.action == action).count();
    let kinds: Vec<(&str, usize)> = KINDS
        .iter()
        .map(|(action, name)| (*name, count_of(*action)))
        .filter(|(_, count)| *count > 0)
        .collect();
    match (kinds.as_slice(), instances) {
        ([], 0) if resource.instances.is_empty() => "no instances".to_owned(),
        ([], _) => "no change".to_owned(),
        ([(name, _)], 1) => (*name).to_owned(),
        ([(name, count)], _) if *count == instances => format!("{name} · {instances} instances"),
        ([(name, count)], _) => format!("{name} · {count} of {instances} instances"),
        (several, _) => {
            let parts: Vec<String> = several
                .iter()
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            format!("{} · {instances} instances", parts.join(", "))
        }
    }
}

/// The most drastic first.
const KINDS: [(Action, &str); 8] = [
    (Action::DeleteThenCreate, "-/+ replace"),
    (Action::CreateThenDelete, "+/- replace"),
    (Action::Delete, "- destroy"),
    (Action::ForgetThenCreate, "./+ replace"),
    (Action::Forget, ". forget"),
    (Action::Update, "~ update in place"),
    (Action::Create, "+ create"),
    (Action::Read, "<= read"),
];
