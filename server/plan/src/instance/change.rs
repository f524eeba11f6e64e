//! The plan of an object that the configuration wants.

use std::collections::HashSet;

use bytes::Bytes;
use config::Product;
use cty::{Mark, Path, PathMarks, Value};
use provider::PlanRequest;

use super::DesiredInstance;
use super::TypeCapabilities;
use super::prior::Prior;
use super::provider_requests::{InstanceFailed, InstanceProblem, ProviderRequests};
use crate::objchange::{
    assert_plan_valid, attribute_by_path, ignore_changes, planned_unknown_object, proposed_new,
    revert_ignored,
};
use crate::removal_action::RemovalAction;
use crate::{Action, ActionReason, ResourceInstanceChange};

/// The change of the object, and the value of references to it.
pub(super) async fn plan_change(
    context: &ProviderRequests<'_>,
    desired: &DesiredInstance,
    type_capabilities: &TypeCapabilities,
    stored: Option<Prior>,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<(ResourceInstanceChange, Value), InstanceFailed> {
    let schema = &desired.schema;
    let null = Value::null(schema.implied_type().clone());
    // A tainted object is planned like a new one, which is then shown as replacing it.
    let (prior, prior_private) = match &stored {
        Some(prior) if !prior.is_tainted => (prior.value.clone(), prior.private.clone()),
        _ => (null.clone(), Bytes::new()),
    };
    let (config, _) = desired.config.unmark_deep();
    context.validate(&config, diagnostics).await?;

    let ignored = &desired.ignore_changes;
    let held = ignore_changes(ignored, &schema.block, &prior, &desired.config);
    let (held, config_marks) = held.unmark_deep_with_paths();
    let (prior_unmarked, prior_marks) = prior.unmark_deep_with_paths();
    let response = context
        .plan(
            PlanRequest {
                type_name: desired.addr.resource.r#type.clone(),
                proposed_new_state: proposed_new(&schema.block, &prior_unmarked, &held),
                prior_state: prior_unmarked.clone(),
                config: held.clone(),
                prior_private,
                provider_meta: context.provider_meta.cloned(),
                prior_identity: stored.as_ref().and_then(|prior| prior.identity.clone()),
            },
            diagnostics,
        )
        .await?;
    let prior_identity = stored.as_ref().and_then(|prior| prior.identity.clone());
    let mut planned_identity = response.planned_identity;
    let mut planned = response.planned_state;
    context.check_conforms(schema, &planned, diagnostics)?;
    if !response.legacy_type_system {
        let marked = config_marks.iter().chain(&prior_marks);
        let secrets: Vec<Path> = marked
            .map(|at| at.path.clone())
            .chain(schema.block.sensitive_paths(&planned))
            .collect();
        let errors = assert_plan_valid(&schema.block, &prior_unmarked, &held, &planned);
        context.report_invalid(errors, &secrets, diagnostics)?;
    } else if !desired.ignore_changes.is_nothing() {
        planned = revert_ignored(&desired.ignore_changes, &prior_unmarked, &planned);
    }
    let config_marks = without_ephemeral(config_marks);
    let block = &schema.block;
    let marked = |planned: &Value| block.mark_sensitive(planned, config_marks.iter().cloned());
    let mut after = marked(&planned);
    let mut value = after.clone();

    let replace_paths = context.required_replaces(
        schema,
        &prior_unmarked,
        &planned,
        response.requires_replace,
        diagnostics,
    )?;
    let is_equal = planned.equals(&prior_unmarked).as_bool() == Some(true);
    let touches_write_only = replace_paths
        .iter()
        .any(|path| attribute_by_path(&schema.block, path).is_some_and(|a| a.write_only));
    let is_changed = !is_equal || touches_write_only;
    let (mut action, mut reason) = match prior.is_null() {
        true => (Action::Create, by_triggers(desired)),
        false => action_on_prior(desired, is_changed, !replace_paths.is_empty()),
    };

    if action.is_replace() {
        let private = response.planned_private;
        let (planned, identity) = context
            .plan_replacement(schema, &config, private, planned_identity, diagnostics)
            .await?;
        planned_identity = identity;
        after = marked(&planned);
        value = match context.product {
            Product::Terraform => planned.mark_with_paths(&config_marks),
            Product::OpenTofu => after.clone(),
        };
    }
    let mut before = prior;
    if let Some(tainted) = stored.filter(|prior| prior.is_tainted && action == Action::Create) {
        action = replace_action(desired);
        reason = by_triggers(desired).or(Some(ActionReason::ReplaceBecauseTainted));
        before = tainted.value;
    }
    if action.is_replace() && desired.removal_action != RemovalAction::Destroyed {
        action = Action::ForgetThenCreate;
    }
    if action == Action::NoOp && sensitive_paths(&before) != sensitive_paths(&after) {
        action = Action::Update;
    }
    if action.is_replace() && action != Action::ForgetThenCreate {
        let prevent = &desired.prevent_destroy;
        diagnostics.extend(prevent.problem(&desired.addr));
    }
    let change = ResourceInstanceChange {
        addr: desired.addr.clone(),
        previous_addr: desired.previous_addr.clone(),
        deposed: None,
        provider: desired.provider_addr.clone(),
        schema: schema.clone(),
        action,
        reason,
        before,
        after,
        replace_paths,
        importing: desired.import.clone().filter(|_| desired.prior.is_none()),
        identity: type_capabilities.identities(prior_identity.as_ref(), planned_identity.as_ref()),
        generated_config: None,
    };
    Ok((change, value))
}

/// The value of an object that the provider was not asked to plan: as configured, and otherwise as stored or unknown.
pub(super) fn stand_in(desired: &DesiredInstance) -> Value {
    let (schema, ignored) = (&desired.schema, &desired.ignore_changes);
    let block = &schema.block;
    let stored = desired.prior.as_ref().and_then(|object| {
        cty::json::decode_str(object.attributes.get(), schema.implied_type()).ok()
    });
    let (value, marks) = match &stored {
        Some(prior) => {
            let held = ignore_changes(ignored, block, prior, &desired.config);
            let (held, marks) = held.unmark_deep_with_paths();
            (proposed_new(block, prior, &held), marks)
        }
        None => {
            let (config, marks) = desired.config.unmark_deep_with_paths();
            (planned_unknown_object(block, &config), marks)
        }
    };
    block.mark_sensitive(&value, without_ephemeral(marks))
}

/// The reason of an object that a change elsewhere replaces, or would replace if it existed.
fn by_triggers(desired: &DesiredInstance) -> Option<ActionReason> {
    let reason = desired.force_replace;
    reason.filter(|it| *it == ActionReason::ReplaceByTriggers)
}

/// The action on an existing object, and the reason if it is replaced.
fn action_on_prior(
    desired: &DesiredInstance,
    is_changed: bool,
    requires_replace: bool,
) -> (Action, Option<ActionReason>) {
    let because_cannot_update = Some(ActionReason::ReplaceBecauseCannotUpdate);
    match desired.force_replace {
        Some(reason) => (replace_action(desired), Some(reason)),
        None if !is_changed => (Action::NoOp, None),
        None if requires_replace => (replace_action(desired), because_cannot_update),
        None => (Action::Update, None),
    }
}

fn replace_action(desired: &DesiredInstance) -> Action {
    match desired.create_before_destroy {
        true => Action::CreateThenDelete,
        false => Action::DeleteThenCreate,
    }
}

pub(super) fn without_ephemeral(mut marks: Vec<PathMarks>) -> Vec<PathMarks> {
    for at in &mut marks {
        at.marks.remove(&Mark::Ephemeral);
    }
    marks.retain(|at| !at.marks.is_empty());
    marks
}

/// Where a value is sensitive.
fn sensitive_paths(value: &Value) -> HashSet<Path> {
    let (_, marks) = value.unmark_deep_with_paths();
    let is_sensitive = |at: &PathMarks| at.marks.contains(&Mark::Sensitive);
    marks
        .into_iter()
        .filter(is_sensitive)
        .map(|at| at.path)
        .collect()
}
