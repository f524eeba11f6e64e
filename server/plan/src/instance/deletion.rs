//! The end of an object that is no longer wanted.

use std::sync::Arc;

use config::{ProviderAddr, ResourceInstanceAddr};
use cty::Value;
use provider::{PlanRequest, Provider};
use schema::Schema;
use smol_str::SmolStr;

use super::prior::{self, Prior, StateObject};
use super::provider_requests::{InstanceFailed, InstanceProblem, ProviderRequests};
use super::{InstanceOptions, InstancePlan, MovedFrom, PreventDestroy, TypeCapabilities};
use crate::removal_action::RemovalAction;
use crate::{Action, ActionReason, PlanMode, ResourceInstanceChange};

/// An object in the state that nothing in the configuration asks for.
#[derive(Clone)]
pub struct OrphanInstance {
    pub addr: ResourceInstanceAddr,
    /// Where the state has the object, if that is not `addr`.
    pub previous_addr: Option<Arc<ResourceInstanceAddr>>,
    /// The type of `prior`, where it is not the instance's type.
    pub moved_from: Option<Arc<MovedFrom>>,
    pub deposed: Option<SmolStr>,
    pub provider_addr: ProviderAddr,
    pub provider: Arc<dyn Provider>,
    pub provider_meta: Option<Value>,
    pub schema: Arc<Schema>,
    pub prior: Arc<state::Object>,
    /// `None` for deposed objects.
    pub reason: Option<ActionReason>,
    pub removal_action: RemovalAction,
    pub prevent_destroy: PreventDestroy,
    pub task: InstanceOptions,
}

/// Plans the deletion of an object that the configuration no longer wants.
pub async fn plan_delete(
    orphan: &OrphanInstance,
    type_capabilities: &TypeCapabilities,
) -> InstancePlan {
    let mut plan = InstancePlan::nothing();
    let _turn = orphan.provider.acquire_slot().await;
    let _ = fill_deletion(orphan, type_capabilities, &mut plan).await;
    plan
}

async fn fill_deletion(
    orphan: &OrphanInstance,
    type_capabilities: &TypeCapabilities,
    plan: &mut InstancePlan,
) -> Result<(), InstanceFailed> {
    let context = ProviderRequests {
        provider: &*orphan.provider,
        addr: &orphan.addr,
        provider_addr: &orphan.provider_addr,
        provider_meta: orphan.provider_meta.as_ref(),
        product: orphan.task.product,
    };
    let (schema, diagnostics) = (&orphan.schema, &mut plan.diagnostics);
    let stored = StateObject {
        object: &orphan.prior,
        moved_from: orphan.moved_from.as_deref(),
        type_capabilities,
    };
    let known = prior::known(&context, schema, stored, orphan.task, diagnostics).await?;
    if orphan.deposed.is_none() {
        plan.drift = known.drift(
            &context,
            schema,
            type_capabilities,
            orphan.previous_addr.as_ref(),
        );
    }
    // An object that is gone already needs no deletion.
    let prior = known.now;
    if prior.is_gone() {
        return Ok(());
    }
    plan.value = prior.value.clone();
    let is_left = orphan.task.mode == PlanMode::Destroy && !orphan.task.is_destroyed;
    if orphan.task.mode == PlanMode::RefreshOnly || is_left {
        return Ok(());
    }
    let diagnostics = &mut plan.diagnostics;
    let change = end(
        &context,
        schema,
        type_capabilities,
        prior,
        orphan.removal_action,
        diagnostics,
    )
    .await?;
    let is_deletion = change.action == Action::Delete;
    // If all are deleted, each needs no reason of its own.
    let reason = orphan
        .reason
        .filter(|_| orphan.task.mode == PlanMode::Normal);
    plan.change = Some(ResourceInstanceChange {
        previous_addr: orphan.previous_addr.clone(),
        deposed: orphan.deposed.clone(),
        reason: change.reason.or(reason),
        ..change
    });
    if is_deletion {
        diagnostics.extend(orphan.prevent_destroy.problem(&orphan.addr));
    }
    Ok(())
}

/// The end of an object that is no longer wanted.
pub(super) async fn end(
    context: &ProviderRequests<'_>,
    schema: &Arc<Schema>,
    type_capabilities: &TypeCapabilities,
    prior: Prior,
    removal_action: RemovalAction,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<ResourceInstanceChange, InstanceFailed> {
    Ok(match removal_action {
        RemovalAction::Destroyed => {
            delete(context, schema, type_capabilities, prior, diagnostics).await?
        }
        RemovalAction::Forgotten(reason) => ResourceInstanceChange {
            reason,
            identity: type_capabilities.identities(prior.identity.as_ref(), None),
            ..gone(context, schema, Action::Forget, prior.value)
        },
    })
}

async fn delete(
    context: &ProviderRequests<'_>,
    schema: &Arc<Schema>,
    type_capabilities: &TypeCapabilities,
    prior: Prior,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<ResourceInstanceChange, InstanceFailed> {
    let after = Value::null(schema.implied_type().clone());
    let mut planned_identity = None;
    if type_capabilities.capabilities.plan_destroy {
        let request = PlanRequest {
            type_name: context.addr.resource.r#type.clone(),
            prior_state: prior.value.unmark_deep().0,
            proposed_new_state: after.clone(),
            config: after.clone(),
            prior_private: prior.private.clone(),
            provider_meta: context.provider_meta.cloned(),
            prior_identity: prior.identity.clone(),
        };
        let response = context.plan(request, diagnostics).await?;
        if !response.planned_state.is_null() {
            diagnostics.push(
                context.invalid_plan("planned a value for an object that is to be deleted", None),
            );
            return Err(InstanceFailed);
        }
        planned_identity = response.planned_identity;
    }
    let prior_identity = prior.identity.as_ref();
    Ok(ResourceInstanceChange {
        identity: type_capabilities.identities(prior_identity, planned_identity.as_ref()),
        ..gone(context, schema, Action::Delete, prior.value)
    })
}

/// The change of an object that is no longer there for the state.
pub(super) fn gone(
    context: &ProviderRequests<'_>,
    schema: &Arc<Schema>,
    action: Action,
    before: Value,
) -> ResourceInstanceChange {
    ResourceInstanceChange {
        addr: context.addr.clone(),
        previous_addr: None,
        deposed: None,
        provider: context.provider_addr.clone(),
        schema: schema.clone(),
        action,
        reason: None,
        before,
        after: Value::null(schema.implied_type().clone()),
        replace_paths: Vec::new(),
        importing: None,
        identity: None,
        generated_config: None,
    }
}
