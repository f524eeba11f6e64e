//! What deserves attention: errors, and the loss of objects that exist.

use std::collections::{BTreeMap, HashSet};

use config::{InstanceKey, Resource, ResourceMode};
use plan::{AboutProvider, Action, ActionReason, Caveat, ResourceInstanceChange, ResourceResult};
use text::{Diagnostic, Severity, Span};

use super::cause::causes;
use super::{FactsBuilder, Planned, lenses};

/// What belongs to no resource, and what concerns several.
pub(super) fn add_of_module(planned: &Planned<'_>, facts: &mut FactsBuilder) {
    add(planned, &planned.plan.diagnostics, facts);
    add_caveats(planned, facts);
    if let Some(severity) = planned.settings.diagnostics.replacement.severity() {
        let resources = planned.plan.resources.values();
        let removed = resources.filter(|resource| resource.config.is_none());
        let removed: Vec<_> = removed
            .flat_map(|resource| resource.changes().filter(is_deletion))
            .collect();
        add_removed(planned, &removed, severity, facts);
    }
}

pub(super) fn add_resource(
    planned: &Planned<'_>,
    resource: &ResourceResult,
    facts: &mut FactsBuilder,
) {
    add(planned, &resource.diagnostics, facts);
    if let Some(severity) = planned.settings.diagnostics.replacement.severity() {
        add_replacements(planned, resource, severity, facts);
        if let Some(config) = &resource.config {
            add_deletions(planned, resource, config, severity, facts);
        }
    }
}

fn add(planned: &Planned<'_>, diagnostics: &[Diagnostic], facts: &mut FactsBuilder) {
    let is_about_variables = diagnostics.iter().any(|it| it.code == "no-variable-value");
    let variables = is_about_variables.then(|| planned.module.variables.values());
    let declared = variables.into_iter().flatten().map(|it| &it.decl.span);
    let declared: HashSet<&Span> = declared.collect();
    for diagnostic in diagnostics {
        let subject = diagnostic.subject.clone();
        let Some(span) = subject.or_else(|| planned.module_start()) else {
            continue;
        };
        let mut diagnostic = Diagnostic {
            subject: Some(planned.first_line(&span)),
            ..diagnostic.clone()
        };
        // Of the variable itself, not of a value that was given to it.
        if diagnostic.code == "no-variable-value" && declared.contains(&span) {
            // Terraform would ask for it.
            diagnostic.severity = Severity::Info;
            diagnostic.detail = "values that depend on it are unknown in this plan".to_owned();
        }
        put(diagnostic, facts);
    }
}

/// Says once for each reason what could not be planned.
fn add_caveats(planned: &Planned<'_>, facts: &mut FactsBuilder) {
    let mut by_reason: BTreeMap<&Caveat, Vec<&ResourceResult>> = BTreeMap::new();
    for resource in planned.plan.resources.values() {
        // Data sources say it in their lens, and errors say more.
        if let Some(caveat) = &resource.caveat
            && resource.addr.resource.mode == ResourceMode::Managed
            && !lenses::has_errors(resource)
        {
            by_reason.entry(caveat).or_default().push(resource);
        }
    }
    for (reason, resources) in by_reason {
        let about_provider = reason.about_provider();
        let requirement = about_provider.and_then(|_| {
            let provider = &resources.first()?.provider;
            let mut required = planned.module.required_providers.values();
            let required = required.find(|it| it.source.as_ref() == Some(provider))?;
            Some(required.span.clone())
        });
        let first = || {
            let mut configs = resources.iter().filter_map(|it| it.config.as_ref());
            configs.next().map(|config| config.decl.span.clone())
        };
        let place = requirement
            .or_else(first)
            .or_else(|| planned.module_start());
        let Some(span) = place else { continue };
        let reason = reason.beside_text();
        let unplanned = resources
            .iter()
            .filter(|resource| resource.instances.is_empty())
            .count();
        let message = match unplanned {
            0 | 1 => reason,
            count => format!("{reason} ({count} resources are not planned)"),
        };
        let span = planned.first_line(&span);
        // What can be mended by the user at once is told louder.
        let (code, severity) = match about_provider {
            Some(AboutProvider::NotInstalled) => ("provider-not-installed", Severity::Warning),
            Some(AboutProvider::LockMismatch) => ("provider-lock-mismatch", Severity::Warning),
            Some(AboutProvider::Other) | None => ("not-planned", Severity::Info),
        };
        push(&span, severity, code, message, facts);
    }
}

fn add_replacements(
    planned: &Planned<'_>,
    resource: &ResourceResult,
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    let Some(config) = &resource.config else {
        return;
    };
    // One diagnostic at each place, however many instances it concerns.
    let mut places: Vec<(Span, String, Vec<&ResourceInstanceChange>)> = Vec::new();
    for change in resource
        .changes()
        .filter(|change| change.action.is_replace())
    {
        let mut found: Vec<(Span, String)> = causes(resource, config, change)
            .iter()
            .map(|cause| (cause.span.clone(), cause.sentence()))
            .collect();
        if found.is_empty() {
            let why = match change.reason {
                Some(ActionReason::ReplaceBecauseTainted) => "it is tainted",
                Some(ActionReason::ReplaceByTriggers) => {
                    "something in replace_triggered_by changes"
                }
                Some(ActionReason::ReplaceByRequest) => "it was requested",
                _ => "the provider demands it",
            };
            found.push((config.decl.span.clone(), why.to_owned()));
        }
        for (span, why) in found {
            match places
                .iter_mut()
                .find(|(place, other, _)| *place == span && *other == why)
            {
                Some((.., changes)) => changes.push(change),
                None => places.push((span, why, vec![change])),
            }
        }
    }
    for (span, why, changes) in places {
        let order = match changes[0].action {
            Action::CreateThenDelete => " (the new object is created first)",
            Action::ForgetThenCreate => " (the old object is not destroyed)",
            _ => "",
        };
        let who = match changes.as_slice() {
            [change] => change.addr.to_string(),
            changes => format!("{} ({} instances)", resource.addr, changes.len()),
        };
        let message = format!("{who} must be replaced{order}: {why}");
        push(
            &planned.first_line(&span),
            severity,
            "forces-replacement",
            message,
            facts,
        );
    }
}

fn is_deletion(change: &&ResourceInstanceChange) -> bool {
    change.action == Action::Delete
}

/// Instances that the configuration doesn't want any more: reported at what says which it wants.
fn add_deletions(
    planned: &Planned<'_>,
    resource: &ResourceResult,
    config: &Resource,
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    let repetition = config.repetition.expr();
    let span = repetition.map_or_else(|| config.decl.span.clone(), config::Expr::span);
    let deleted: Vec<_> = resource.changes().filter(is_deletion).collect();
    let message = match deleted.as_slice() {
        [] => return,
        [change] => format!("{} will be destroyed{}", change.addr, because(change)),
        several => format!("{} will be destroyed", list(several)),
    };
    push(
        &planned.first_line(&span),
        severity,
        "destroys",
        message,
        facts,
    );
}

/// Objects whose block is gone, and with it their place: reported together at the start of the module.
fn add_removed(
    planned: &Planned<'_>,
    removed: &[&ResourceInstanceChange],
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    let Some(span) = planned.module_start().filter(|_| !removed.is_empty()) else {
        return;
    };
    let they_are = match removed {
        [_] => "it is",
        _ => "they are",
    };
    let list = list(removed);
    let message = format!("{list} will be destroyed, because {they_are} not in the configuration");
    push(&span, severity, "destroys", message, facts);
}

/// The addresses of the first few, and how many more there are.
fn list(changes: &[&ResourceInstanceChange]) -> String {
    const NAMED: usize = 3;
    let named: Vec<String> = changes
        .iter()
        .take(NAMED)
        .map(|change| change.addr.to_string())
        .collect();
    match (named.split_last(), changes.len().saturating_sub(NAMED)) {
        (None, _) => String::new(),
        (Some((last, [])), 0) => last.clone(),
        (Some((last, rest)), 0) => format!("{} and {last}", rest.join(", ")),
        (Some(_), more) => format!("{} and {more} more objects", named.join(", ")),
    }
}

/// `, because ...` for the deletion of one object.
fn because(change: &ResourceInstanceChange) -> String {
    let why = match change.reason {
        Some(ActionReason::DeleteBecauseNoResourceConfig) => {
            "it is not in the configuration".to_owned()
        }
        Some(ActionReason::DeleteBecauseNoModule) => {
            format!("{} is not in the configuration", change.addr.module)
        }
        Some(ActionReason::DeleteBecauseNoMoveTarget) => {
            format!("{} is not in the configuration", change.addr)
        }
        Some(ActionReason::DeleteBecauseWrongRepetition) => match change.addr.key {
            InstanceKey::None => "the resource uses count or for_each now".to_owned(),
            InstanceKey::Int(_) => "the resource does not use count now".to_owned(),
            InstanceKey::String(_) => "the resource does not use for_each now".to_owned(),
        },
        Some(ActionReason::DeleteBecauseCountIndex) => {
            format!("index {} is out of range for count", change.addr.key)
        }
        Some(ActionReason::DeleteBecauseEachKey) => {
            format!("key {} is not in for_each", change.addr.key)
        }
        Some(ActionReason::DeleteBecauseEnabledFalse) => "enabled is false".to_owned(),
        Some(
            ActionReason::ReadBecauseConfigUnknown
            | ActionReason::ReadBecauseDependencyPending
            | ActionReason::ReadBecauseCheckNested
            | ActionReason::ReplaceBecauseCannotUpdate
            | ActionReason::ReplaceBecauseTainted
            | ActionReason::ReplaceByRequest
            | ActionReason::ReplaceByTriggers
            | ActionReason::ForgotBecauseLifecycleDestroyInConfig
            | ActionReason::ForgotBecauseLifecycleDestroyInState,
        )
        | None => return String::new(),
    };
    format!(", because {why}")
}

fn push(
    span: &Span,
    severity: Severity,
    code: &'static str,
    message: String,
    facts: &mut FactsBuilder,
) {
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(code, message, "", span.clone())
    };
    put(diagnostic, facts);
}

/// What is said already at its place isn't said again: a static check and the evaluation may find the same.
fn put(diagnostic: Diagnostic, facts: &mut FactsBuilder) {
    let Some(span) = &diagnostic.subject else {
        return;
    };
    let diagnostics = &mut facts.at(span).diagnostics;
    let is_known = diagnostics.iter().any(|known| {
        known.subject == diagnostic.subject
            && known.summary == diagnostic.summary
            && known.detail == diagnostic.detail
    });
    if !is_known {
        diagnostics.push(diagnostic);
    }
}

impl Planned<'_> {
    /// The part of `span` on its first line: a whole block underlined is too loud.
    fn first_line(&self, span: &Span) -> Span {
        let range = text::TextRange::new(span.range.start(), self.line_end(span));
        Span {
            range,
            ..span.clone()
        }
    }
}
