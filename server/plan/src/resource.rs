//! The plan of a whole resource: which instances the configuration wants, which the state has, and the action on
//! each.

mod desired;
mod instance_keys;
mod orphans;
mod types;
mod work;
mod written;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{
    AbsResourceAddr, InstanceKey, ModuleInstanceAddr, ProviderAddr, ProviderConfigAddr, Resource,
    ResourceAddr, ResourceMode,
};
use cty::{PathMarks, Value};
use eval::{Expansion, Unexpanded};
use schema::Schema;
use text::Diagnostic;

use crate::action_trigger::ActionTriggers;
use crate::caveat::{Caveat, Unevaluated};
use crate::expansion::{Shape, keys};
use crate::import::{self, ImportTarget};
use crate::inputs::Inputs;
use crate::instance::{DesiredInstance, InstanceOptions, OrphanInstance, TypeCapabilities};
use crate::resolved_provider::ResolvedProvider;
use crate::result::{ModuleInstance, ResourceResult, Written};
use crate::scope::DeclarationScope;
use crate::{circular, condition};

use desired::SharedByInstances;
use instance_keys::{Matched, match_keys};
use orphans::with_their_providers;
pub(crate) use orphans::{prepare_orphan, without_provider_config};
pub(crate) use types::{UNKNOWN_TYPE, missing_schema, types};
pub(crate) use work::check_postconditions;

/// A resource on its way to its plan.
pub(crate) enum Prepared {
    /// No provider needs to be asked.
    Done(Box<ResourceResult>),
    Ask(Box<Work>),
}

/// The import targets of a resource, and their errors.
#[derive(Default)]
pub(crate) struct Imports {
    pub targets: BTreeMap<InstanceKey, ImportTarget>,
    pub diagnostics: Vec<Diagnostic>,
    /// Whether an object is wrongly imported into the resource in any instance of its module.
    pub is_refused: bool,
}

/// The remaining questions to a provider. Each instance is dropped as soon as it is planned.
#[expect(
    clippy::vec_box,
    reason = "a vector keeps its memory to the last element"
)]
pub(crate) struct Work {
    /// The result, still without instances.
    result: ResourceResult,
    desired: Vec<Box<DesiredInstance>>,
    orphans: Vec<Box<OrphanInstance>>,
    type_capabilities: TypeCapabilities,
    shape: Shape,
    /// Instances whose configuration could not be decoded; references see them as unknown.
    failed: Vec<InstanceKey>,
    /// Instances that the plan is not about, as the state has them.
    unselected: Vec<(InstanceKey, Value)>,
}

/// The provider configuration that last served a resource of the state, or that stands in for it.
pub(crate) fn state_provider(
    inputs: &Inputs,
    addr: &AbsResourceAddr,
) -> Option<ProviderConfigAddr> {
    let stored = inputs.state.resources.get(addr)?;
    Some(inputs.tree.inherited(stored.provider.clone()))
}

/// A resource of the configuration in one instance of its module, and the inputs of its plan.
pub(crate) struct ResourceRequest<'a> {
    pub inputs: &'a Inputs,
    pub module: &'a ModuleInstance,
    pub config: &'a Arc<Resource>,
    /// The configuration of its provider, in its module or in one that calls it.
    pub provider: &'a ProviderConfigAddr,
    pub served: ResolvedProvider<'a>,
    pub scope: &'a DeclarationScope<'a>,
    pub is_create_before_destroy_forced: bool,
    pub has_pending_dependencies: bool,
    pub task: InstanceOptions,
    pub follows_a_failure: &'a dyn Fn() -> bool,
    /// The caveat, if it depends on a data source that a refresh would read.
    pub behind_unread: &'a dyn Fn() -> Option<Caveat>,
    /// Other resources of the module.
    pub planned: &'a dyn Fn(&ResourceAddr) -> Option<&'a ResourceResult>,
}

/// Works out the instances of a resource of the configuration.
pub(crate) fn prepare(
    request: &ResourceRequest<'_>,
    mut imports: Imports,
    mut triggers: ActionTriggers,
) -> Prepared {
    let mut result = request.result();
    if let Some(caveat) = &request.module.stands_for_unknown {
        result.caveat = Some(caveat.clone());
        return Prepared::Done(Box::new(result));
    }
    let (keys, shape) = expanded(request, &mut result);
    if shape != Shape::Unknown {
        // OpenTofu compares them once all could be evaluated.
        let is_opentofu = request.inputs.environment.functions.profile.is_opentofu();
        if !(is_opentofu && imports.is_refused) {
            imports.reject_undeclared(&keys);
        }
        let replace = &request.inputs.options.replace;
        let unmatched = crate::trigger::unmatched_requests(&result.addr, &keys, replace);
        result.diagnostics.extend(unmatched);
    }
    result.diagnostics.append(&mut triggers.diagnostics);
    if shape != Shape::Unknown {
        let undeclared = triggers.without_instance(&keys);
        result.diagnostics.extend(undeclared);
    }
    // Terraform plans no instance of a resource that something is wrongly imported into.
    if imports.is_refused || condition::has_errors(&imports.diagnostics) {
        result.diagnostics.append(&mut imports.diagnostics);
        return Prepared::Done(Box::new(result));
    }
    let Some(alike) = SharedByInstances::of(request, &keys, &mut result) else {
        if shape != Shape::Unknown && !condition::has_errors(&result.diagnostics) {
            let written = written::written(request.config, request.scope, &keys);
            result.written = Some(Arc::new(written));
        }
        return Prepared::Done(Box::new(result));
    };
    let Matched {
        wanted,
        unwanted,
        unselected,
    } = match_keys(request, keys, imports.targets, triggers.by_key);
    let unselected = unselected.into_iter().filter_map(|(key, object)| {
        let value = stored_value(&object, &alike.schema)?;
        Some((key, value))
    });
    let unselected = unselected.collect();
    let (mut desired, mut failed) = (Vec::new(), Vec::new());
    for wanted in wanted {
        match alike.desired(request, wanted, &mut result) {
            Ok(instance) => desired.push(Box::new(instance)),
            Err(key) => failed.push(key),
        }
    }
    if request.config.addr.mode != ResourceMode::Managed && result.caveat.is_none() {
        result.caveat = alike.unread(request, &result.addr, &desired);
    }
    let is_distrusting = !request.inputs.distrusted.is_empty();
    let mut configs = desired.iter().map(|it| &it.config);
    if result.caveat.is_none() && (is_distrusting || !configs.all(Value::is_wholly_known)) {
        result.caveat = (request.behind_unread)();
    }
    // Objects that the configuration no longer wants are deleted, unless its wishes are unknown.
    let orphans = match shape {
        Shape::Unknown => Vec::new(),
        Shape::Single | Shape::Disabled | Shape::Tuple(_) | Shape::Object => {
            alike.orphans(request, &result.addr, unwanted)
        }
    };
    for _ in 0..desired.len() + orphans.len() {
        result
            .diagnostics
            .extend_from_slice(&alike.prevent_destroy_problems);
    }
    let orphans = with_their_providers(&request.served, orphans, &mut result.diagnostics);
    Prepared::Ask(Box::new(Work {
        result,
        desired,
        orphans,
        type_capabilities: alike.type_capabilities,
        shape,
        failed,
        unselected,
    }))
}

impl ResourceRequest<'_> {
    /// The result, still without instances.
    fn result(&self) -> ResourceResult {
        let unread = &self.inputs.state_caveat;
        ResourceResult {
            addr: self.module.addr.resource(self.config.addr.clone()),
            provider: self.served.provider.clone(),
            config: Some(self.config.clone()),
            instances: Vec::new(),
            value: Value::dynamic(),
            diagnostics: Vec::new(),
            caveat: unread.clone().map(Caveat::StateNotRead),
            is_state_unread: unread.is_some(),
            written: None,
        }
    }
}

impl Imports {
    /// Says which targets are no instances of the resource.
    fn reject_undeclared(&mut self, keys: &[(InstanceKey, Option<Value>)]) {
        let declared: BTreeSet<&InstanceKey> = keys.iter().map(|(key, _)| key).collect();
        let targets = self.targets.values();
        let undeclared = targets.filter(|target| !declared.contains(&target.addr.key));
        let undeclared = undeclared.map(|target| import::undeclared(&target.addr));
        self.diagnostics.extend(undeclared);
    }
}

/// The keys of the instances by `count` or `for_each`. If they are not known, the result holds the reason.
fn expanded(
    request: &ResourceRequest<'_>,
    result: &mut ResourceResult,
) -> (Vec<(InstanceKey, Option<Value>)>, Shape) {
    let context = request.scope.context();
    let (mut expansion, mut diagnostics) = eval::expand(&request.config.repetition, context);
    // OpenTofu evaluates it.
    let is_terraform = !context.profile().is_opentofu();
    let own = circular::in_repetition(request.config);
    if is_terraform && !own.is_empty() {
        (expansion, diagnostics) = (Expansion::Unknown(Unexpanded::Invalid), own);
    }
    let is_unknown = expansion == Expansion::Unknown(Unexpanded::Unknown);
    let unread = is_unknown.then(|| (request.behind_unread)()).flatten();
    if is_unknown && (request.follows_a_failure)() {
        expansion = Expansion::Unknown(Unexpanded::Invalid);
    } else if unread.is_none() {
        result.diagnostics = diagnostics;
    }
    let shape = Shape::of(&expansion);
    if let Expansion::Unknown(why) = expansion {
        let unexpanded = || Caveat::unexpanded(why, &result.addr);
        result.caveat = Some(unread.unwrap_or_else(unexpanded));
    }
    (keys(expansion), shape)
}

/// The object as the state file has it, if it is of the present schema.
pub(crate) fn stored_value(object: &state::Object, schema: &Schema) -> Option<Value> {
    let is_present = object.schema_version == schema.version.unsigned_abs();
    let text = Some(object.attributes.get()).filter(|_| is_present)?;
    let value = cty::json::decode_str(text, schema.implied_type()).ok()?;
    let recorded = object.sensitive_paths.iter().cloned();
    let recorded = recorded.map(PathMarks::sensitive);
    Some(schema.block.mark_sensitive(&value, recorded))
}

/// Whether reading failed for a check, which then reports nothing else.
pub(crate) fn could_not_be_read(result: &ResourceResult) -> bool {
    result.instances.iter().any(|instance| {
        let desired = instance.desired.as_ref();
        let is_read = desired.is_some_and(|it| it.is_in_check && it.is_read());
        is_read && instance.plan.is_planned() && !instance.plan.value.is_wholly_known()
    })
}

/// The result of a resource that can't be evaluated, and why.
pub(crate) fn unknown(
    inputs: &Inputs,
    instance: &ModuleInstanceAddr,
    addr: &ResourceAddr,
    diagnostics: Vec<Diagnostic>,
    why: Unevaluated,
) -> ResourceResult {
    let itself = instance.resource(addr.clone()).to_string();
    let caveat = Caveat::Unevaluated { addr: itself, why };
    ResourceResult {
        diagnostics,
        ..without_plan(inputs, instance, addr, caveat)
    }
}

/// The instances and arguments that the language alone gives a resource, unless its instances are unknown.
pub(crate) fn written(config: &Resource, scope: &DeclarationScope<'_>) -> Option<Written> {
    let (expansion, _) = eval::expand(&config.repetition, scope.context());
    match Shape::of(&expansion) {
        Shape::Unknown => None,
        Shape::Single | Shape::Disabled | Shape::Tuple(_) | Shape::Object => {
            Some(written::written(config, scope, &keys(expansion)))
        }
    }
}

/// A resource of which nothing is known, and why.
pub(crate) fn without_plan(
    inputs: &Inputs,
    instance: &ModuleInstanceAddr,
    addr: &ResourceAddr,
    caveat: Caveat,
) -> ResourceResult {
    let module = instance.module();
    let declared = inputs.tree.module(&module);
    let config = declared
        .and_then(|declared| declared.resource(addr))
        .cloned();
    let addr = instance.resource(addr.clone());
    ResourceResult {
        provider: config.as_ref().map_or_else(
            || ProviderAddr::implied(addr.resource.implied_provider()),
            |config| inputs.tree.provider_of(&module, config).provider,
        ),
        config,
        instances: Vec::new(),
        value: Value::dynamic(),
        diagnostics: Vec::new(),
        caveat: Some(caveat),
        is_state_unread: inputs.state_caveat.is_some(),
        written: None,
        addr,
    }
}
