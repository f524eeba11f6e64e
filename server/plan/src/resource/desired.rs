//! The instances of a resource that the configuration wants, and those of its objects that it doesn't.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::language_release::feature;
use config::{
    AbsResourceAddr, InstanceKey, Product, ProviderConfigAddr, ResourceAddr, ResourceInstanceAddr,
    ResourceMode,
};
use cty::{Value, budget};
use eval::{EvalContext, Variables};
use schema::Schema;
use text::{Diagnostic, Severity};

use super::ResourceRequest;
use super::instance_keys::MatchedInstance;
use super::orphans::{deposed, orphan_reason, other_type, previous};
use super::types::schema_for;
use crate::caveat::Caveat;
use crate::expansion::Keys;
use crate::generate::{self, Generated};
use crate::import::ImportTarget;
use crate::inputs::Inputs;
use crate::instance::{DesiredInstance, OrphanInstance, PreventDestroy, Reading, TypeCapabilities};
use crate::objchange::IgnoreChanges;
use crate::removal_action::RemovalAction;
use crate::result::{ProviderConfigResult, ResourceResult};
use crate::{
    ActionReason, PlanMode, Reads, circular, condition, prevent_destroy, provisioners, trigger,
};

/// The common part of the instances of a resource.
pub(super) struct SharedByInstances<'a> {
    pub type_capabilities: TypeCapabilities,
    /// The only configuration of the provider, or any of several.
    provider_config: &'a ProviderConfigResult,
    pub schema: Arc<Schema>,
    /// True if instances refer to themselves: none is planned.
    is_circular: bool,
    ignore_changes: IgnoreChanges,
    create_before_destroy: bool,
    is_in_check: bool,
    prevent_destroy: PreventDestroy,
    /// Errors of `prevent_destroy` for each instance.
    pub prevent_destroy_problems: Vec<Diagnostic>,
    generated: Option<Arc<Generated>>,
}

impl<'a> SharedByInstances<'a> {
    /// Without it no instance can be planned, and the result holds the reason.
    pub fn of(
        request: &ResourceRequest<'a>,
        keys: &Keys,
        result: &mut ResourceResult,
    ) -> Option<SharedByInstances<'a>> {
        let (inputs, config, served) = (request.inputs, request.config, &request.served);
        let addr = result.addr.clone();
        if let Some(cycle) = circular::cycle(config, &addr, keys) {
            result.diagnostics.push(cycle);
            return None;
        }
        let found = circular::instances(config, &addr, keys);
        let is_circular = !found.is_empty();
        result.diagnostics.extend(found);
        if condition::has_errors(&served.problems) {
            result.diagnostics.extend(served.problems.iter().cloned());
            return None;
        }
        let Some(provider_config) = served.any() else {
            result.caveat = Some(Caveat::MissingProvider {
                provider: served.provider.to_string(),
            });
            return None;
        };
        let schema = schema_for(provider_config, result)?;
        let guess = provider_config.guess.map(Caveat::Unconfigured);
        result.caveat = result.caveat.take().or(guess);
        let module = addr.module.module();
        let declared = inputs.tree.module(&module);
        let profile = inputs.environment.functions.profile;
        let (prevent_destroy, prevent_destroy_problems) =
            prevent_destroy::evaluate(config, &addr, profile, request.scope);
        // A command validates them where the variables are unknown, and evaluates none in a plan, as Terraform does.
        if !config.provisioning.is_empty() && !inputs.options.refuses() {
            let scope = request.scope.for_unknown_instance(&config.repetition);
            let object = Value::unknown(schema.implied_type().clone());
            let scope = scope.child(Variables::from([("self".into(), object)]));
            let found = provisioners::check(config, &scope);
            result.diagnostics.extend(found);
        }
        let generated = generate::is_declaration(config).then(|| {
            let functions = inputs.environment.functions.clone();
            Arc::new(Generated::new(&config.addr, request.provider, functions))
        });
        Some(SharedByInstances {
            type_capabilities: TypeCapabilities::of(
                provider_config.schema.as_deref(),
                &addr.resource.r#type,
            ),
            provider_config,
            schema,
            is_circular,
            ignore_changes: ignored(&config.lifecycle.ignore_changes),
            create_before_destroy: request.is_create_before_destroy_forced
                || config.lifecycle.create_before_destroy == Some(true),
            is_in_check: declared.is_some_and(|m| !m.resources.contains_key(&config.addr)),
            prevent_destroy,
            prevent_destroy_problems,
            generated,
        })
    }

    /// One instance, or its key if it can't be planned; the result then holds the reason.
    pub fn desired(
        &self,
        request: &ResourceRequest<'_>,
        wanted: MatchedInstance,
        result: &mut ResourceResult,
    ) -> Result<DesiredInstance, InstanceKey> {
        let (inputs, config, task) = (request.inputs, request.config, request.task);
        let key = &wanted.key;
        let addr = result.addr.instance(key.clone());
        let scope = request.scope.for_instance(key, wanted.each_value.clone());
        let (value, has_errors) = self.configured(request, &scope, result);
        let is_unread = |import| !may_import(inputs, request.provider, import);
        if wanted.import.as_ref().is_some_and(is_unread) {
            result.caveat = Some(Caveat::NotImported { addr });
            return Err(wanted.key);
        }
        let served_by = match request.served.of_instance(&addr, &scope) {
            Ok(served_by) if !has_errors && !self.is_circular => served_by,
            other => {
                let found = other.err().unwrap_or_default();
                result.diagnostics.extend(found);
                return Err(wanted.key);
            }
        };
        let force_replace = match force_replace(request, &addr, &scope) {
            Ok(reason) => reason,
            Err(problem) => {
                result.diagnostics.extend(problem.map(|it| *it));
                if inputs.options.leaves_out() {
                    return Err(wanted.key);
                }
                None
            }
        };
        Ok(DesiredInstance {
            previous_addr: previous(inputs, &addr),
            moved_from: other_type(inputs, &addr, &result.provider),
            force_replace,
            reading: self.reading(request, &addr, served_by, &value),
            addr,
            provider_addr: result.provider.clone(),
            provider: served_by.provider.clone(),
            provider_meta: request.served.meta.clone(),
            provider_generation: served_by.generation,
            schema: self.schema.clone(),
            each_value: wanted.each_value,
            config: value,
            prior: wanted.prior,
            import: wanted.import.map(|import| Arc::new(import.by)),
            generated: self.generated.clone(),
            ignore_changes: self.ignore_changes.clone(),
            create_before_destroy: self.create_before_destroy,
            // Planning it writes the current configuration to the state.
            removal_action: RemovalAction::of(Some(&**config), None, None, task.product),
            prevent_destroy: self.prevent_destroy,
            task,
            is_in_check: self.is_in_check,
            triggered: wanted.triggered,
        })
    }

    /// The configuration of an instance, and whether it is wrong, which the result tells once for all that are alike.
    fn configured(
        &self,
        request: &ResourceRequest<'_>,
        scope: &EvalContext<'_>,
        result: &mut ResourceResult,
    ) -> (Value, bool) {
        let (config, task) = (request.config, request.task);
        let broken_rules = condition::check(
            &config.lifecycle.preconditions,
            condition::ConditionKind::Precondition,
            request.inputs.options.mode,
            scope,
        );
        let (block, ty) = (&self.schema.block, self.schema.implied_type());
        if !config.has_body {
            return (Value::null(ty.clone()), false);
        }
        let mut decoded = eval::decode_as(&config.body, block, ty, scope);
        // An ephemeral resource is stored nowhere: all of its configuration may be ephemeral.
        if config.addr.mode != ResourceMode::Ephemeral {
            let ephemeral =
                eval::reject_ephemeral(&config.body, block, &decoded.value, scope.profile());
            let ephemeral = ephemeral
                .into_iter()
                .map(|it| it.about(&result.addr.config()));
            decoded.diagnostics.extend(ephemeral);
        }
        // An object that is only read needs no configuration, and a generated one has none yet.
        let is_only_read =
            task.mode == PlanMode::RefreshOnly && config.addr.mode == ResourceMode::Managed;
        // Terraform evaluates no body behind a precondition with errors.
        let is_unreached =
            request.inputs.options.leaves_out() && condition::has_errors(&broken_rules);
        if is_only_read || self.generated.is_some() || is_unreached {
            decoded.diagnostics.clear();
        }
        let is_error = |severity: Severity| severity == Severity::Error;
        let has_errors = decoded.diagnostics.iter().any(|d| is_error(d.severity))
            || condition::has_errors(&broken_rules);
        for diagnostic in broken_rules.into_iter().chain(decoded.diagnostics) {
            budget::spend(result.diagnostics.len());
            diagnostic.add_to(&mut result.diagnostics);
        }
        (decoded.value, has_errors)
    }

    fn reading(
        &self,
        request: &ResourceRequest<'_>,
        addr: &ResourceInstanceAddr,
        served_by: &ProviderConfigResult,
        config: &Value,
    ) -> Reading {
        let (inputs, resource) = (request.inputs, &addr.resource);
        let may_read = may_read(inputs, served_by, request.provider, resource, config);
        let stand_in = || {
            let of_resource = addr.module.resource(resource.clone());
            let stored = inputs.state.resources.get(&of_resource);
            let stored = stored.filter(|_| resource.mode == ResourceMode::Data)?;
            let object = stored.instances.get(&addr.key)?.current.as_ref()?;
            cty::json::decode_str(object.attributes.get(), self.schema.implied_type()).ok()
        };
        let product = inputs.environment.functions.profile.product;
        let waits = match (resource.mode, product) {
            (ResourceMode::Action, _) => true,
            // It is opened even if its dependencies will change.
            (ResourceMode::Ephemeral, Product::Terraform) => false,
            _ => request.has_pending_dependencies,
        };
        match (waits, may_read) {
            (true, _) => Reading::PutOff,
            (false, true) => Reading::Now,
            (false, false) => Reading::Not(stand_in()),
        }
    }

    /// The caveat of data sources that are not read although they could be.
    pub fn unread(
        &self,
        request: &ResourceRequest<'_>,
        addr: &AbsResourceAddr,
        desired: &[Box<DesiredInstance>],
    ) -> Option<Caveat> {
        let known = desired.iter().filter(|it| it.config.is_wholly_known());
        let mut stand_ins = known.filter_map(|instance| match &instance.reading {
            Reading::Not(stand_in) => Some(stand_in),
            Reading::Now | Reading::PutOff => None,
        });
        let is_kept = request.inputs.reads.is_some() && addr.resource.mode == ResourceMode::Data;
        let is_known = stand_ins.next()?.is_some();
        Some(Caveat::NotRead {
            addr: addr.to_string(),
            is_known: is_known && stand_ins.all(Option::is_some),
            is_readable: is_kept && !self.provider_config.is_pending,
        })
    }

    /// The objects to delete: current ones that no instance wants, and deposed ones.
    pub fn orphans(
        &self,
        request: &ResourceRequest<'_>,
        addr: &AbsResourceAddr,
        unwanted: BTreeMap<InstanceKey, Arc<state::Object>>,
    ) -> Vec<OrphanInstance> {
        let (inputs, served, task) = (request.inputs, &request.served, request.task);
        let config = &**request.config;
        let current = unwanted.into_iter().map(|(key, prior)| OrphanInstance {
            previous_addr: previous(inputs, &addr.instance(key.clone())),
            moved_from: other_type(inputs, &addr.instance(key.clone()), &served.provider),
            addr: addr.instance(key.clone()),
            removal_action: RemovalAction::of(Some(config), Some(&*prior), None, task.product),
            deposed: None,
            provider_addr: served.provider.clone(),
            provider: self.provider_config.provider.clone(),
            provider_meta: served.meta.clone(),
            schema: self.schema.clone(),
            prior,
            reason: Some(orphan_reason(&config.repetition, &key)),
            prevent_destroy: self.prevent_destroy,
            task,
        });
        let deposed = deposed(
            inputs,
            inputs.state.resources.get(addr).map(|stored| &**stored),
            addr,
            (&served.provider, self.provider_config, served.meta.as_ref()),
            &self.schema,
            (task, Some(config), None),
        );
        current.chain(deposed).collect()
    }
}

/// The reason to replace an instance regardless of its attributes.
fn force_replace(
    request: &ResourceRequest<'_>,
    addr: &ResourceInstanceAddr,
    scope: &EvalContext<'_>,
) -> Result<Option<ActionReason>, Option<Box<text::Diagnostic>>> {
    let inputs = request.inputs;
    let by_creation = inputs
        .environment
        .functions
        .profile
        .has(feature::CREATION_TRIGGERS);
    // Only the plan of the next apply has changes that could trigger any.
    let has_changes = inputs.options.mode == PlanMode::Normal;
    let triggers = &request.config.lifecycle.replace_triggered_by;
    let own = addr.resource();
    let mut is_triggered = false;
    for expr in triggers.iter().filter(|_| has_changes) {
        is_triggered |= trigger::is_triggered(expr, &own, scope, by_creation, request.planned)?;
    }
    let is_requested = inputs.options.replace.contains(addr);
    Ok(match (is_triggered, is_requested) {
        (true, _) => Some(ActionReason::ReplaceByTriggers),
        (false, true) => Some(ActionReason::ReplaceByRequest),
        (false, false) => None,
    })
}

/// Whether a data source with this configuration may be read, or was. A provider that has not its configuration could
/// only read something else.
fn may_read(
    inputs: &Inputs,
    provider_config: &ProviderConfigResult,
    provider: &ProviderConfigAddr,
    addr: &ResourceAddr,
    config: &Value,
) -> bool {
    let is_allowed = |reads: &Arc<Reads>| {
        // An ephemeral value can't be kept.
        addr.mode == ResourceMode::Data
            && reads.has_data(provider, &addr.r#type, &config.unmark_deep().0)
    };
    inputs.options.read_data_sources
        && !provider_config.is_pending
        && inputs.reads.as_ref().is_none_or(is_allowed)
}

/// Whether the object that is to be imported may be found, or was.
fn may_import(inputs: &Inputs, provider: &ProviderConfigAddr, import: &ImportTarget) -> bool {
    let r#type = &import.addr.resource.r#type;
    let is_allowed = |reads: &Arc<Reads>| reads.has_import(provider, r#type, &import.by);
    inputs.options.import && inputs.reads.as_ref().is_none_or(is_allowed)
}

fn ignored(ignored: &config::IgnoreChanges) -> IgnoreChanges {
    match ignored {
        config::IgnoreChanges::All => IgnoreChanges::All,
        config::IgnoreChanges::Paths(paths) => {
            let path = |ignored: &config::IgnoredPath| trigger::path_of(&ignored.traversal);
            IgnoreChanges::Paths(paths.iter().map(path).collect())
        }
    }
}
