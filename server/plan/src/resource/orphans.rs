//! Objects that the state has and the configuration doesn't want: which they are, and why each is deleted.

use std::sync::Arc;

use config::{
    AbsResourceAddr, InstanceKey, ModuleInstanceAddr, ProviderAddr, Repetition, Resource,
    ResourceAddr, ResourceInstanceAddr, ResourceMode,
};
use cty::Value;
use schema::Schema;
use text::Diagnostic;

use super::types::schema_for;
use super::{Prepared, Work};
use crate::expansion::Shape;
use crate::inputs::Inputs;
use crate::instance::{InstanceOptions, OrphanInstance, PreventDestroy, TypeCapabilities};
use crate::moves::MovedFrom;
use crate::removal_action::RemovalAction;
use crate::resolved_provider::ResolvedProvider;
use crate::result::{ProviderConfigResult, ResourceResult};
use crate::{ActionReason, PlanMode, removed};

/// A resource that only the state has, if the provider configuration that could delete it is gone, too.
pub(crate) fn without_provider_config(
    inputs: &Inputs,
    module: &ModuleInstanceAddr,
    addr: &ResourceAddr,
) -> Option<ResourceResult> {
    let addr = module.resource(addr.clone());
    let stored = inputs.state.resources.get(&addr)?;
    let provider = &stored.provider;
    // A data source is forgotten without asking anybody.
    if addr.resource.mode != ResourceMode::Managed || inputs.tree.has_provider_config(provider) {
        return None;
    }
    let problem = |key: &InstanceKey| {
        let addr = format!("{} (orphan)", addr.instance(key.clone()));
        let detail = format!(
            "To work with {addr} its original provider configuration at {provider} is required, but it has been removed. This occurs when a provider configuration is removed while objects created by that provider still exist in the state. Re-add the provider configuration to destroy {addr}, after which you can remove the provider configuration again."
        );
        let summary = "Provider configuration not present";
        Diagnostic::error("missing-provider-config", summary, detail, None)
    };
    Some(ResourceResult {
        provider: provider.provider.clone(),
        config: None,
        instances: Vec::new(),
        value: Value::dynamic(),
        diagnostics: stored.instances.keys().map(problem).collect(),
        caveat: None,
        is_state_unread: false,
        written: None,
        addr,
    })
}

/// Works out the deletion of a resource that only the state has, and why it is deleted; or, with `config`, of one that
/// is deleted whatever its configuration wants.
pub(crate) fn prepare_orphan(
    inputs: &Inputs,
    addr: &AbsResourceAddr,
    config: Option<&Arc<Resource>>,
    prevent_destroy: PreventDestroy,
    served: ResolvedProvider<'_>,
    task: InstanceOptions,
    reason: ActionReason,
) -> Prepared {
    let provider_config = served.any();
    let (provider, meta) = (served.provider.clone(), served.meta.clone());
    let problems = served.problems.clone();
    let mut result = ResourceResult {
        addr: addr.clone(),
        provider: provider.clone(),
        config: config.cloned(),
        instances: Vec::new(),
        value: Value::dynamic(),
        diagnostics: problems,
        caveat: None,
        is_state_unread: false,
        written: None,
    };
    let stored = inputs.state.resources.get(addr);
    let (Some(stored), Some(provider_config)) = (stored, provider_config) else {
        return Prepared::Done(Box::new(result));
    };
    let product = inputs.environment.functions.profile.product;
    let removed = removed::destroys(&inputs.modules(), addr, product);
    let config = config.map(|config| &**config);
    let Some(schema) = schema_for(provider_config, &mut result) else {
        return Prepared::Done(Box::new(result));
    };
    let is_destroy = task.mode == PlanMode::Destroy;
    // A module instance that does not exist loses all objects of a resource, whichever the options name.
    let is_whole = reason == ActionReason::DeleteBecauseNoModule && !is_destroy;
    let current = stored.instances.iter().filter_map(|(key, instance)| {
        let addr = addr.instance(key.clone());
        if !is_whole && !task.selects(&inputs.options, &addr) {
            return None;
        }
        let previous_addr = previous(inputs, &addr);
        Some(OrphanInstance {
            reason: Some(match (reason, &previous_addr) {
                (ActionReason::DeleteBecauseNoResourceConfig, Some(_)) => {
                    ActionReason::DeleteBecauseNoMoveTarget
                }
                (reason, _) => reason,
            }),
            moved_from: other_type(inputs, &addr, &provider),
            addr,
            previous_addr,
            removal_action: RemovalAction::of(
                config,
                instance.current.as_deref(),
                // With `-destroy` all is destroyed, regardless of `removed` blocks.
                removed.filter(|_| !is_destroy),
                task.product,
            ),
            deposed: None,
            provider_addr: provider.clone(),
            provider: provider_config.provider.clone(),
            provider_meta: meta.clone(),
            schema: schema.clone(),
            prior: instance.current.clone()?,
            prevent_destroy,
            task,
        })
    });
    let orphans = current
        .chain(deposed(
            inputs,
            Some(stored),
            addr,
            (&provider, provider_config, meta.as_ref()),
            &schema,
            (task, config, removed),
        ))
        .collect();
    let orphans = with_their_providers(&served, orphans, &mut result.diagnostics);
    let type_capabilities =
        TypeCapabilities::of(provider_config.schema.as_deref(), &addr.resource.r#type);
    Prepared::Ask(Box::new(Work {
        result,
        desired: Vec::new(),
        orphans,
        type_capabilities,
        shape: match config {
            Some(_) => stored_shape(stored),
            None => Shape::Unknown,
        },
        failed: Vec::new(),
        unselected: Vec::new(),
    }))
}

/// How the instances that the state has form a value.
fn stored_shape(stored: &state::Resource) -> Shape {
    match stored.instances.keys().next_back() {
        Some(InstanceKey::None) => Shape::Single,
        Some(InstanceKey::Int(last)) => Shape::Tuple(*last as usize + 1),
        Some(InstanceKey::String(_)) => Shape::Object,
        None => Shape::Unknown,
    }
}

/// Where the state file has an object that was moved.
pub(super) fn previous(
    inputs: &Inputs,
    addr: &ResourceInstanceAddr,
) -> Option<Arc<ResourceInstanceAddr>> {
    inputs.moves.moved.get(addr).map(|moved| moved.from.clone())
}

/// The type that a moved object has in the state, if it is another one.
pub(super) fn other_type(
    inputs: &Inputs,
    addr: &ResourceInstanceAddr,
    provider: &ProviderAddr,
) -> Option<Arc<MovedFrom>> {
    inputs.moves.moved.get(addr)?.other_type(addr, provider)
}

/// Objects that are not configured any more, each with the provider configuration that serves it.
#[expect(clippy::vec_box, reason = "see `Work`")]
pub(super) fn with_their_providers(
    served: &ResolvedProvider<'_>,
    orphans: Vec<OrphanInstance>,
    diagnostics: &mut Vec<Diagnostic>,
) -> Vec<Box<OrphanInstance>> {
    let mut present = Vec::new();
    for orphan in orphans {
        match served.of_object(&orphan.addr, &orphan.prior) {
            Ok(config) => present.push(Box::new(OrphanInstance {
                provider: config.provider.clone(),
                ..orphan
            })),
            Err(problems) => diagnostics.extend(problems),
        }
    }
    present
}

pub(super) fn deposed<'a>(
    inputs: &'a Inputs,
    stored: Option<&'a state::Resource>,
    addr: &'a AbsResourceAddr,
    (provider, provider_config, meta): (
        &'a ProviderAddr,
        &'a ProviderConfigResult,
        Option<&'a Value>,
    ),
    schema: &'a Arc<Schema>,
    (task, config, removed): (InstanceOptions, Option<&'a Resource>, Option<bool>),
) -> impl Iterator<Item = OrphanInstance> + 'a {
    stored
        .into_iter()
        .flat_map(|resource| &resource.instances)
        .filter(move |(key, _)| task.selects(&inputs.options, &addr.instance((*key).clone())))
        .flat_map(move |(key, instance)| {
            instance
                .deposed
                .iter()
                .map(move |(deposed, object)| OrphanInstance {
                    previous_addr: previous(inputs, &addr.instance(key.clone())),
                    moved_from: None,
                    addr: addr.instance(key.clone()),
                    removal_action: RemovalAction::of(
                        config,
                        Some(&**object),
                        removed,
                        task.product,
                    ),
                    deposed: Some(deposed.clone()),
                    provider_addr: provider.clone(),
                    provider: provider_config.provider.clone(),
                    provider_meta: meta.cloned(),
                    schema: schema.clone(),
                    prior: object.clone(),
                    reason: None,
                    prevent_destroy: PreventDestroy::No,
                    task,
                })
        })
}

pub(super) fn orphan_reason(repetition: &Repetition, key: &InstanceKey) -> ActionReason {
    match (repetition, key) {
        (Repetition::Count(_), InstanceKey::Int(_)) => ActionReason::DeleteBecauseCountIndex,
        (Repetition::ForEach(_), InstanceKey::String(_)) => ActionReason::DeleteBecauseEachKey,
        (Repetition::Enabled(_), InstanceKey::None) => ActionReason::DeleteBecauseEnabledFalse,
        _ => ActionReason::DeleteBecauseWrongRepetition,
    }
}
