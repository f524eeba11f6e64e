//! Terraform's plan of a resource, in the words that all engines share.

use std::borrow::Cow;
use std::collections::BTreeSet;

use config::{InstanceKey, Resource, ResourceMode};
use plan::{Action, ActionReason, Plan, ResourceInstanceChange, ResourceResult};
use text::{Severity, Span};

use super::FactInputs;
use super::cause::{self, causes, changed};
use crate::code_lenses::{self, Headline};
use crate::{Cause, Caveat, Former, ObjectChange, OutsideChange, PlannedObject};

/// A resource with all its instances.
pub(super) fn object(planned: &FactInputs<'_>, resource: &ResourceResult) -> PlannedObject {
    let mut object = outline(resource);
    if let Some(config) = &resource.config {
        for (change, shown) in resource.changes().zip(&mut object.changes) {
            shown.causes = causes_of(resource, change);
            if change.action.is_replace() || change.action == Action::Update {
                shown.changed = changed(resource, config, change);
            }
        }
        object.outside = outside(resource).collect();
        object.unknown = unknown(planned, resource, config);
        if object.caveat.is_none() && has_early_errors(planned.plan, resource) {
            object.caveat = Some(Caveat {
                brief: String::new(),
                whole: "it has errors".to_owned(),
                is_of_errors: true,
            });
        }
    }
    object
}

/// The places in the text that force the replacement of an instance.
pub(super) fn causes_of(resource: &ResourceResult, change: &ResourceInstanceChange) -> Vec<Cause> {
    let config = resource.config.as_ref();
    let config = config.filter(|_| change.action.is_replace());
    config.map_or_else(Vec::new, |it| causes(resource, it, change))
}

/// The instances of a resource that is declared that changed outside.
pub(super) fn outside(resource: &ResourceResult) -> impl Iterator<Item = OutsideChange> {
    let config = resource.config.as_deref();
    drift(resource).filter_map(move |drift| Some(cause::outside(config?, drift)))
}

/// The same, as Terraform has it.
pub(super) fn drift(resource: &ResourceResult) -> impl Iterator<Item = &ResourceInstanceChange> {
    resource.drift().filter(|it| cause::is_reported(it))
}

/// The same, without the places in its text.
pub(crate) fn outline(resource: &ResourceResult) -> PlannedObject {
    PlannedObject {
        address: resource.addr.to_string(),
        place: resource.config.as_ref().map(|it| it.decl.span.clone()),
        instances: resource.instances.len(),
        changes: resource.changes().map(object_change).collect(),
        invocations: (resource.addr.resource.mode == ResourceMode::Action)
            .then(|| resource.action_invocations().count()),
        outside: Vec::new(),
        unknown: Vec::new(),
        caveat: resource.caveat.as_ref().map(|caveat| Caveat {
            brief: caveat.brief(),
            whole: caveat.beside_text(),
            is_of_errors: caveat.is_of_errors(),
        }),
        has_errors: has_errors(resource),
        is_state_unread: resource.is_state_unread,
    }
}

/// Whether the loader found errors in its text, such as an undeclared name. Its result does not contain these errors.
pub(super) fn has_early_errors(plan: &Plan, resource: &ResourceResult) -> bool {
    let config = resource.config.as_ref();
    config.is_some_and(|it| plan.has_errors_within(&it.decl.full_span))
}

pub(crate) fn has_errors(resource: &ResourceResult) -> bool {
    let mut diagnostics = resource.diagnostics.iter();
    diagnostics.any(|diagnostic| diagnostic.severity == Severity::Error)
}

pub(super) fn object_change(change: &ResourceInstanceChange) -> ObjectChange {
    ObjectChange {
        is_deposed: change.deposed.is_some(),
        former: change.previous_addr.as_ref().map(|former| Former {
            instance: former.to_string(),
            object: former.resource().to_string(),
        }),
        why: why(change),
        ..ObjectChange::new(change.addr.to_string(), change.action.into())
    }
}

/// How many unknown values of a resource are shown.
const SHOWN: usize = 1_000;

/// The unknown values of the configuration.
fn unknown(
    planned: &FactInputs<'_>,
    resource: &ResourceResult,
    config: &Resource,
) -> Vec<(Span, &'static str)> {
    let (mut unknown, mut seen) = (Vec::new(), BTreeSet::new());
    for instance in &resource.instances {
        let change = instance.plan.change.as_ref();
        let Some((change, value)) = change.zip(resource.config_value(&instance.key)) else {
            continue;
        };
        cty::walk(&value.unmark_deep().0, &mut |path, value| {
            if value.is_known() || path.is_empty() {
                return true;
            }
            if seen.len() >= SHOWN {
                return false;
            }
            if let Some(span) = eval::locate(&config.body, &change.schema.block, path)
                && seen.insert((
                    span.file.clone(),
                    span.segment,
                    span.range.start(),
                    span.range.end(),
                ))
                && !planned.is_in_doubt(&span, &config.decl.references)
            {
                let label = planned.unknown(&span, &config.decl.references);
                unknown.push((span, label));
            }
            false
        });
    }
    unknown
}

/// Why an instance is replaced or destroyed, where the text has no place for it.
fn why(change: &ResourceInstanceChange) -> Option<Cow<'static, str>> {
    Some(match change.reason? {
        ActionReason::ReplaceBecauseTainted => "it is tainted".into(),
        ActionReason::ReplaceByTriggers => "something in replace_triggered_by changes".into(),
        ActionReason::ReplaceByRequest => "it was requested".into(),
        ActionReason::DeleteBecauseNoResourceConfig => "it is not in the configuration".into(),
        ActionReason::DeleteBecauseNoModule => {
            format!("{} is not in the configuration", change.addr.module).into()
        }
        ActionReason::DeleteBecauseNoMoveTarget => {
            format!("{} is not in the configuration", change.addr).into()
        }
        ActionReason::DeleteBecauseWrongRepetition => match change.addr.key {
            InstanceKey::None => "the resource uses count or for_each now".into(),
            InstanceKey::Int(_) => "the resource does not use count now".into(),
            InstanceKey::String(_) => "the resource does not use for_each now".into(),
        },
        ActionReason::DeleteBecauseCountIndex => {
            format!("index {} is out of range for count", change.addr.key).into()
        }
        ActionReason::DeleteBecauseEachKey => {
            format!("key {} is not in for_each", change.addr.key).into()
        }
        ActionReason::DeleteBecauseEnabledFalse => "enabled is false".into(),
        ActionReason::ReadBecauseConfigUnknown
        | ActionReason::ReadBecauseDependencyPending
        | ActionReason::ReadBecauseCheckNested
        | ActionReason::ReplaceBecauseCannotUpdate
        | ActionReason::ForgotBecauseLifecycleDestroyInConfig
        | ActionReason::ForgotBecauseLifecycleDestroyInState => return None,
    })
}

/// The action of a resource in the last plan.
pub(crate) fn headline(resource: &ResourceResult) -> Headline {
    code_lenses::headline(&outline(resource))
}
