//! Diagnostics of a plan: errors, and the loss of objects that exist.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use config::ResourceMode;
use indexmap::IndexMap;
use plan::{AboutProvider, Action, Caveat, ResourceInstanceChange, ResourceResult};
use text::{Diagnostic, MovedFault, Severity, Span};

use super::former_blocks::FormerBlocks;
use super::object::object_change;
use super::{FactInputs, FactsBuilder, has_errors};
use crate::any_engine::{Texts, add_changes, add_removed, add_removed_hint, push, put};
use crate::{ObjectChange, PlannedObject, RemovedPlaces};

/// Diagnostics that belong to no resource, or to several.
pub(super) fn add_of_module<'a>(
    planned: &FactInputs<'_>,
    unplanned: impl Iterator<Item = &'a Arc<ResourceResult>>,
    facts: &mut FactsBuilder,
) {
    add(planned, &planned.plan.diagnostics, facts);
    add_caveats(planned, unplanned, facts);
    add_idle_moves(planned, facts);
}

/// The loss of objects whose block is gone: where it stood, else at the end of the module. Answers the places of those whose
/// declaration was seen.
pub(super) fn add_removed_blocks(
    planned: &FactInputs<'_>,
    removed: &[&Arc<ResourceResult>],
    stood: &mut FormerBlocks,
    facts: &mut FactsBuilder,
) -> RemovedPlaces {
    stood.update(planned);
    let known = stood.find(planned, removed);
    let end = planned.module_end();
    let mut places: IndexMap<Span, Vec<ObjectChange>> = IndexMap::new();
    for resource in removed {
        if let Some(place) = known.get(&resource.addr).or(end.as_ref()) {
            let changes = resource.changes().filter(is_deletion).map(object_change);
            places.entry(place.clone()).or_default().extend(changes);
        }
    }
    for (place, removed) in places {
        let removed: Vec<&ObjectChange> = removed.iter().collect();
        if let Some(severity) = planned.settings.diagnostics.replacement.severity() {
            add_removed(&place, &removed, severity, facts);
        }
        add_removed_hint(planned, &place, &removed, facts);
    }
    known
}

/// Whether objects of a resource are destroyed because its block is gone.
pub(super) fn is_removed(resource: &ResourceResult) -> bool {
    let caveat = resource.caveat.as_ref();
    resource.config.is_none()
        && !caveat.is_some_and(Caveat::is_of_errors)
        && resource.changes().any(|it| is_deletion(&it))
}

/// Whether a resource has no plan. A data source shows this in its lens, and an error says more.
pub(super) fn is_unplanned(resource: &ResourceResult) -> bool {
    resource.caveat.is_some()
        && resource.addr.resource.mode == ResourceMode::Managed
        && !has_errors(resource)
}

pub(super) fn add_resource(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    object: &PlannedObject,
    facts: &mut FactsBuilder,
) {
    add(planned, &resource.diagnostics, facts);
    let severity = planned.settings.diagnostics.replacement.severity();
    if let (Some(severity), Some(config)) = (severity, &resource.config) {
        // The expression for the instances.
        let wanted = config.repetition.expr().map(config::Expr::span);
        let wanted = wanted.unwrap_or_else(|| config.decl.span.clone());
        add_changes(planned, object, Some(&wanted), severity, facts);
    }
}

fn add(planned: &FactInputs<'_>, diagnostics: &[Diagnostic], facts: &mut FactsBuilder) {
    let is_about_variables = diagnostics.iter().any(|it| it.code == "no-variable-value");
    let variables = is_about_variables.then(|| planned.module.variables.values());
    let declared = variables.into_iter().flatten();
    let declared: HashMap<&Span, &str> = declared
        .map(|it| (&it.decl.span, it.name.text.as_str()))
        .collect();
    for diagnostic in diagnostics {
        let subject = diagnostic.subject.clone();
        let Some(span) = subject.or_else(|| planned.module_start()) else {
            continue;
        };
        let mut diagnostic = Diagnostic {
            subject: Some(planned.first_line(&span)),
            detail: planned.module.profile.product.detail_of(diagnostic),
            ..diagnostic.clone()
        };
        // Of the variable itself, not of a value that was given to it.
        let variable = declared.get(&span);
        if let Some(variable) = variable.filter(|_| diagnostic.code == "no-variable-value") {
            // Terraform would ask for it.
            diagnostic.severity = Severity::Info;
            diagnostic.detail =
                format!("values that depend on var.{variable} are unknown in this plan");
        }
        put(diagnostic, facts);
    }
}

/// Reports each reason once for all objects that could not be planned.
fn add_caveats<'a>(
    planned: &FactInputs<'_>,
    unplanned: impl Iterator<Item = &'a Arc<ResourceResult>>,
    facts: &mut FactsBuilder,
) {
    let mut by_reason: BTreeMap<&Caveat, Vec<&ResourceResult>> = BTreeMap::new();
    for resource in unplanned {
        if let Some(caveat) = &resource.caveat {
            by_reason.entry(caveat).or_default().push(resource);
        }
    }
    for (reason, resources) in by_reason {
        let about_provider = reason.about_provider();
        let is_of_configuration = matches!(
            reason,
            Caveat::Unconfigured(_) | Caveat::NeedsConfiguration { .. }
        );
        let provider = resources.first().map(|resource| &resource.provider);
        let configured = provider.filter(|_| is_of_configuration);
        let configured = configured.and_then(|it| planned.module.provider_block(it, None));
        let required = || {
            let provider = provider.filter(|_| is_of_configuration || about_provider.is_some())?;
            let mut required = planned.module.required_providers.values();
            required.find(|it| it.source.as_ref() == Some(provider))
        };
        let of_provider = configured.map(|block| block.decl.span.clone());
        let of_provider = of_provider.or_else(|| Some(required()?.span.clone()));
        let first = || {
            let mut configs = resources.iter().filter_map(|it| it.config.as_ref());
            configs.next().map(|config| config.decl.span.clone())
        };
        let place = of_provider
            .or_else(first)
            .or_else(|| planned.module_start());
        let Some(span) = place else { continue };
        let about = resources.first().filter(|_| reason.is_about_object());
        let reason = match about {
            Some(resource) => {
                let (addr, why) = (&resource.addr, reason.beside_text());
                match resource.instances.is_empty() {
                    true => format!("{addr} is not planned: {why}"),
                    false => format!("the plan of {addr} is a guess: {why}"),
                }
            }
            None => reason.beside_text(),
        };
        let unplanned = resources
            .iter()
            .filter(|resource| resource.instances.is_empty())
            .count();
        let message = match unplanned {
            0 | 1 => reason,
            count => format!("{reason} ({count} resources are not planned)"),
        };
        let span = planned.first_line(&span);
        // A caveat that the user can end at once is reported louder.
        let (code, severity) = match about_provider {
            Some(AboutProvider::NotInstalled) => ("provider-not-installed", Severity::Warning),
            Some(AboutProvider::LockMismatch) => ("provider-lock-mismatch", Severity::Warning),
            Some(AboutProvider::Other) | None => ("not-planned", Severity::Info),
        };
        push(&span, severity, code, message, facts);
    }
}

/// `moved` blocks without an object to move in this state.
fn add_idle_moves(planned: &FactInputs<'_>, facts: &mut FactsBuilder) {
    let reported = planned.plan.diagnostics.iter();
    let reported: HashSet<&Span> = reported.filter_map(|it| it.subject.as_ref()).collect();
    for span in &planned.plan.idle_moves {
        if !reported.contains(span) {
            let message = "no object in the state has the old address";
            let idle = Diagnostic {
                severity: Severity::Hint,
                ..Diagnostic::error("idle-move", message, "", span.clone())
            };
            put(idle.with_fault(MovedFault::Idle), facts);
        }
    }
}

fn is_deletion(change: &&ResourceInstanceChange) -> bool {
    change.action == Action::Delete
}
