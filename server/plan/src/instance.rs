//! The plan of one resource instance.
//!
//! Follows "Resource Instance Change Lifecycle" in Terraform's documentation and, for the order of the steps,
//! `NodeAbstractResourceInstance.plan` of OpenTofu's `internal/tofu`.

mod action;
mod change;
mod data;
mod deletion;
mod import;
mod prevent_destroy;
mod prior;
mod provider_requests;

use std::sync::Arc;

use config::{Product, ProviderAddr, ResourceInstanceAddr, ResourceMode};
use cty::Value;
use provider::{ImportTarget, Provider};
use schema::{Capabilities, ProviderSchema, Schema};
use text::Severity;

use crate::generate::Generated;
use crate::moves::MovedFrom;
use crate::objchange::IgnoreChanges;
use crate::options::{Options, PlanMode};
use crate::removal_action::RemovalAction;
use crate::{Action, ActionReason, ResourceInstanceChange, Triggered, infinite};

use change::{plan_change, without_ephemeral};
pub use deletion::{OrphanInstance, plan_delete};
use deletion::{end, gone};
pub(crate) use prevent_destroy::INVALID_PREVENT_DESTROY;
pub use prevent_destroy::PreventDestroy;
use prior::{Prior, StateObject};
use provider_requests::{InstanceFailed, ProviderRequests};
pub use provider_requests::{InstancePlace, InstanceProblem};
pub(crate) use provider_requests::{NOT_ASKED, PROVIDER_FAILED};

/// Everything that the plan of one resource instance is made from. Equal inputs give equal plans.
#[derive(Clone)]
pub struct DesiredInstance {
    pub addr: ResourceInstanceAddr,
    /// Where the state has the object, if that is not `addr`.
    pub previous_addr: Option<Arc<ResourceInstanceAddr>>,
    pub provider_addr: ProviderAddr,
    pub provider: Arc<dyn Provider>,
    /// The value of the module's `provider_meta` block, if it has one.
    pub provider_meta: Option<Value>,
    /// Counts up whenever the provider may answer differently: it was configured anew or replaced by another.
    pub provider_generation: u64,
    pub schema: Arc<Schema>,
    /// Its `each.value`.
    pub each_value: Option<Value>,
    /// Of the schema's implied type, with marks and unknowns.
    pub config: Value,
    pub prior: Option<Arc<state::Object>>,
    /// The type of `prior`, where it is not the instance's type.
    pub moved_from: Option<Arc<MovedFrom>>,
    /// The id or identity of the object to import, where the state has none.
    pub import: Option<Arc<ImportTarget>>,
    /// If set, the configuration is generated from the imported object, and `config` is unused.
    pub generated: Option<Arc<Generated>>,
    pub ignore_changes: IgnoreChanges,
    pub create_before_destroy: bool,
    /// The end of the object when it is replaced, or when all is destroyed.
    pub removal_action: RemovalAction,
    pub prevent_destroy: PreventDestroy,
    /// A trigger or a request by the user replaces the object regardless of its attributes.
    pub force_replace: Option<ActionReason>,
    pub task: InstanceOptions,
    /// A data source that a check block reads for itself: reading fails with warnings, and is repeated by the apply.
    pub is_in_check: bool,
    /// Of a data source.
    pub reading: Reading,
    /// Of an action: the changes that invoke it.
    pub triggered: Vec<Triggered>,
}

impl DesiredInstance {
    /// Whether the provider is asked for a data source.
    pub(crate) fn is_read(&self) -> bool {
        matches!(self.reading, Reading::Now) && self.config.is_wholly_known()
    }
}

/// The operations of a provider on the objects of a type.
#[derive(Debug, Clone, Default)]
pub struct TypeCapabilities {
    pub capabilities: Capabilities,
    /// The identity of an object, if the provider has one for it.
    pub identity: Option<Arc<Schema>>,
}

impl TypeCapabilities {
    pub(crate) fn of(schema: Option<&ProviderSchema>, type_name: &str) -> TypeCapabilities {
        schema.map_or_else(TypeCapabilities::default, |schema| TypeCapabilities {
            capabilities: schema.capabilities,
            identity: schema.identities.get(type_name).cloned(),
        })
    }

    /// The identities of an object, where the provider has them.
    fn identities(
        &self,
        before: Option<&Value>,
        after: Option<&Value>,
    ) -> Option<Arc<crate::Identities>> {
        let schema = self.identity.as_ref()?;
        let known = |it: Option<&Value>| {
            it.filter(|it| !it.is_null() && it.is_wholly_known())
                .cloned()
        };
        Some(Arc::new(crate::Identities {
            schema_version: schema.version,
            before: known(before),
            after: known(after),
        }))
    }
}

/// Whether a data source is read. Where its configuration isn't known, it is put off anyway.
#[derive(Debug, Clone, PartialEq)]
pub enum Reading {
    Now,
    /// To the apply: something that it depends on is going to change.
    PutOff,
    /// It may not be read. The value of the state stands in for it.
    Not(Option<Value>),
}

/// The task for the plan of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InstanceOptions {
    pub mode: PlanMode,
    /// Whose rules decide.
    pub product: Product,
    /// Whether the remote object is read.
    pub refresh: bool,
    /// [`Options::reading_round`]
    pub reading_round: u64,
    /// Whether it is planned as the configuration wants it. Terraform does that also before it destroys, since reading may find
    /// something out.
    pub is_planned: bool,
    /// Whether it is to be destroyed in the end.
    pub is_destroyed: bool,
    /// Whether all instances of its resource are destroyed, also those that the options do not name.
    pub is_whole: bool,
}

impl InstanceOptions {
    pub(crate) fn of(options: &Options, product: Product) -> InstanceOptions {
        InstanceOptions {
            mode: options.mode,
            product,
            refresh: options.refresh || options.mode == PlanMode::RefreshOnly,
            reading_round: options.reading_round,
            is_planned: options.refresh || options.mode != PlanMode::Destroy,
            is_destroyed: options.mode == PlanMode::Destroy,
            is_whole: false,
        }
    }

    /// Whether the plan is about an instance of the resource.
    pub(crate) fn selects(self, options: &Options, addr: &ResourceInstanceAddr) -> bool {
        match self.mode == PlanMode::Destroy && !options.targets.is_empty() {
            true => self.is_whole || options.targets.iter().any(|target| target.contains(addr)),
            false => options.selects(addr),
        }
    }
}

impl DesiredInstance {
    /// Whether planning `other` would repeat the same requests.
    pub fn is_same(&self, other: &DesiredInstance) -> bool {
        self.provider_generation == other.provider_generation
            && Arc::ptr_eq(&self.schema, &other.schema)
            && self.ignore_changes == other.ignore_changes
            && self.create_before_destroy == other.create_before_destroy
            && self.is_in_check == other.is_in_check
            && self.removal_action == other.removal_action
            && self.prevent_destroy == other.prevent_destroy
            && self.force_replace == other.force_replace
            && self.task == other.task
            && self.reading == other.reading
            && self.triggered == other.triggered
            && self.prior == other.prior
            && self.previous_addr == other.previous_addr
            && self.moved_from == other.moved_from
            && self.import == other.import
            && self.generated.is_some() == other.generated.is_some()
            && self.config.raw_equals(&other.config)
            && are_equal(self.provider_meta.as_ref(), other.provider_meta.as_ref())
    }
}

fn are_equal(one: Option<&Value>, other: Option<&Value>) -> bool {
    match (one, other) {
        (Some(one), Some(other)) => one.raw_equals(other),
        (None, None) => true,
        (Some(_), None) | (None, Some(_)) => false,
    }
}

/// The plan of one resource instance, as far as it could be made.
#[derive(Debug, Clone)]
pub struct InstancePlan {
    /// `None` where planning stopped at an error, or where nothing is to be planned.
    pub change: Option<ResourceInstanceChange>,
    /// How the remote object differs from the state, where it was read. Few differ.
    pub drift: Option<Box<ResourceInstanceChange>>,
    /// The value of references: the planned object. In Terraform, that of a replaced one lacks the marks that only the
    /// schema demands, because Terraform forgets them too: a value derived from it is shown in Terraform's plan.
    pub(crate) value: Value,
    /// The action that the configuration asks for, if the object is destroyed instead.
    pub(crate) before_destruction: Option<Action>,
    pub diagnostics: Vec<InstanceProblem>,
}

impl InstancePlan {
    /// Whether asking again can only give the same answer: a call that failed at the provider may succeed the next time.
    pub(crate) fn is_final(&self) -> bool {
        let mut codes = self.diagnostics.iter().map(|diagnostic| diagnostic.code);
        codes.all(|code| code != PROVIDER_FAILED && code != NOT_ASKED)
    }

    /// Its provider would ask a service to plan it, so it is not planned.
    pub(crate) fn is_not_asked(&self) -> bool {
        let mut codes = self.diagnostics.iter().map(|diagnostic| diagnostic.code);
        codes.any(|code| code == NOT_ASKED)
    }
}

/// Plans an instance that the configuration wants.
pub async fn plan_instance(
    desired: &DesiredInstance,
    type_capabilities: &TypeCapabilities,
) -> InstancePlan {
    let mut plan = InstancePlan::nothing();
    let _turn = desired.provider.acquire_slot().await;
    // Where it stopped, the diagnostics tell why.
    let _ = match desired.addr.resource.mode {
        ResourceMode::Managed => fill_plan(desired, type_capabilities, &mut plan).await,
        ResourceMode::Data | ResourceMode::Ephemeral => data::fill(desired, &mut plan).await,
        ResourceMode::Action => action::fill(desired, &mut plan).await,
    };
    if plan.is_not_asked() {
        plan.value = change::stand_in(desired);
    }
    plan
}

impl InstancePlan {
    /// Whether planning got to its end.
    pub(crate) fn is_planned(&self) -> bool {
        let mut diagnostics = self.diagnostics.iter();
        diagnostics.all(|diagnostic| diagnostic.severity != Severity::Error)
    }

    fn nothing() -> InstancePlan {
        InstancePlan {
            change: None,
            drift: None,
            value: Value::dynamic(),
            before_destruction: None,
            diagnostics: Vec::new(),
        }
    }

    /// Whether the configuration asks for a change of the current object, which its data sources wait for. A destruction is
    /// none: it comes after them.
    pub(crate) fn is_pending(&self) -> bool {
        let change = self.change.iter().filter(|it| it.deposed.is_none());
        let action = self
            .before_destruction
            .or(change.map(|it| it.action).next());
        action.is_some_and(|it| it != Action::NoOp)
    }
}

async fn fill_plan(
    desired: &DesiredInstance,
    type_capabilities: &TypeCapabilities,
    plan: &mut InstancePlan,
) -> Result<(), InstanceFailed> {
    let context = ProviderRequests {
        provider: &*desired.provider,
        addr: &desired.addr,
        provider_addr: &desired.provider_addr,
        provider_meta: desired.provider_meta.as_ref(),
        product: desired.task.product,
    };
    let (schema, diagnostics) = (&desired.schema, &mut plan.diagnostics);
    let prior = match (&desired.prior, &desired.import) {
        (Some(object), _) => {
            let stored = StateObject {
                object,
                moved_from: desired.moved_from.as_deref(),
                type_capabilities,
            };
            let known = prior::known(&context, schema, stored, desired.task, diagnostics).await?;
            plan.drift = known.drift(
                &context,
                schema,
                type_capabilities,
                desired.previous_addr.as_ref(),
            );
            Some(known.now)
        }
        (None, Some(target)) => {
            let mut found = import::import(&context, schema, target, diagnostics).await?;
            if let Some(generated) = &desired.generated {
                let (text, config) = generated.configuration(schema, &found.value);
                let desired = DesiredInstance {
                    config,
                    generated: None,
                    ..desired.clone()
                };
                return fill_generated(&context, &desired, type_capabilities, found, text, plan)
                    .await;
            }
            let (_, config_marks) = desired.config.unmark_deep_with_paths();
            found.value = found
                .value
                .mark_with_paths(&without_ephemeral(config_marks));
            Some(found)
        }
        (None, None) => None,
    };
    match desired.task.mode {
        PlanMode::Validate => {
            let (config, _) = desired.config.unmark_deep();
            context.validate(&config, &mut plan.diagnostics).await?;
        }
        PlanMode::Normal => {
            let (change, value) = plan_change(
                &context,
                desired,
                type_capabilities,
                prior,
                &mut plan.diagnostics,
            )
            .await?;
            let infinite = infinite::in_object(&desired.addr, &change.after);
            plan.diagnostics.extend(infinite);
            (plan.change, plan.value) = (Some(change), value);
        }
        PlanMode::RefreshOnly => {
            if let Some(prior) = prior.filter(|it| !it.is_gone()) {
                plan.value = prior.value;
            }
        }
        PlanMode::Destroy => {
            let planned = plan_change(
                &context,
                desired,
                type_capabilities,
                prior.clone(),
                &mut plan.diagnostics,
            );
            let (wanted, value) = planned.await?;
            (plan.before_destruction, plan.value) = (Some(wanted.action), value);
            if let Some(prior) = prior.filter(|it| desired.task.is_destroyed && !it.is_gone()) {
                let (schema, diagnostics) = (&desired.schema, &mut plan.diagnostics);
                let removal_action = desired.removal_action;
                let change = end(
                    &context,
                    schema,
                    type_capabilities,
                    prior,
                    removal_action,
                    diagnostics,
                )
                .await?;
                let is_deletion = change.action == Action::Delete;
                plan.change = Some(change);
                if is_deletion {
                    diagnostics.extend(desired.prevent_destroy.problem(&desired.addr));
                }
            }
        }
    }
    Ok(())
}

/// Plans an object that is imported with the configuration `text`, which was generated for it. Where it can't be
/// planned with that, a person has to see the errors.
async fn fill_generated(
    context: &ProviderRequests<'_>,
    desired: &DesiredInstance,
    type_capabilities: &TypeCapabilities,
    found: Prior,
    text: Arc<str>,
    plan: &mut InstancePlan,
) -> Result<(), InstanceFailed> {
    let prior = found.value.clone();
    let planned = plan_change(
        context,
        desired,
        type_capabilities,
        Some(found),
        &mut plan.diagnostics,
    )
    .await;
    let (change, value) = planned.unwrap_or_else(|InstanceFailed| {
        let unchanged = ResourceInstanceChange {
            importing: desired.import.clone(),
            after: prior.clone(),
            ..gone(context, &desired.schema, Action::NoOp, prior.clone())
        };
        (unchanged, prior)
    });
    plan.value = value;
    plan.change = Some(ResourceInstanceChange {
        generated_config: Some(text),
        ..change
    });
    Ok(())
}
