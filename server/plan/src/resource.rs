//! The plan of a whole resource: which instances the configuration wants, which the state has, and what becomes of
//! each.

mod orphans;
mod types;
mod work;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::profile::feature;
use config::{
    AbsResourceAddr, InstanceKey, ModuleInstanceAddr, ProviderAddr, ProviderConfigAddr, Resource,
    ResourceAddr, ResourceMode,
};
use cty::{Value, budget};
use eval::{Expansion, Unexpanded};
use text::{Diagnostic, Severity};

use crate::expansion::{Shape, keys};
use crate::fate::Fate;
use crate::generate::{self, Generated};
use crate::import::ImportTarget;
use crate::inputs::Inputs;
use crate::instance::{DesiredInstance, Offered, OrphanInstance, Reading, Task};
use crate::objchange::IgnoreChanges;
use crate::prevent_destroy;
use crate::result::{ModuleInstance, ProviderConfigResult, ResourceResult};
use crate::scope::Scope;
use crate::served::Served;
use crate::{ActionReason, Mode, Reads, circular, condition, import, trigger};

use orphans::{deposed, orphan_reason, previous, with_their_providers};
pub(crate) use orphans::{prepare_orphan, without_provider_config};
use types::schema_for;
pub(crate) use types::{missing_schema, types};
pub(crate) use work::check_postconditions;

/// A resource on its way to its plan.
pub(crate) enum Prepared {
    /// No provider needs to be asked.
    Done(Box<ResourceResult>),
    Ask(Box<Work>),
}

/// What import blocks want of a resource, and what is wrong with them.
#[derive(Default)]
pub(crate) struct Imports {
    pub targets: BTreeMap<InstanceKey, ImportTarget>,
    pub diagnostics: Vec<Diagnostic>,
}

/// What is left to ask a provider about.
pub(crate) struct Work {
    /// The result, still without instances.
    result: ResourceResult,
    desired: Vec<DesiredInstance>,
    orphans: Vec<OrphanInstance>,
    offered: Offered,
    shape: Shape,
    /// Instances whose configuration could not be decoded; references see them as unknown.
    failed: Vec<InstanceKey>,
}

/// The provider configuration that last served a resource of the state, or that stands in for it.
pub(crate) fn state_provider(
    inputs: &Inputs,
    addr: &AbsResourceAddr,
) -> Option<ProviderConfigAddr> {
    let stored = inputs.state.resources.get(addr)?;
    Some(inputs.tree.inherited(stored.provider.clone()))
}

/// Works out the instances of a resource of the configuration, in one instance of its module.
#[expect(
    clippy::too_many_arguments,
    reason = "each of them is another input of the plan"
)]
pub(crate) fn prepare<'a>(
    inputs: &Inputs,
    module: &ModuleInstance,
    config: &Arc<Resource>,
    served: Served<'_>,
    scope: &Scope<'_>,
    is_create_before_destroy_forced: bool,
    has_pending_dependencies: bool,
    task: Task,
    mut imports: Imports,
    follows_a_failure: &dyn Fn() -> bool,
    planned: &dyn Fn(&ResourceAddr) -> Option<&'a ResourceResult>,
) -> Prepared {
    let addr = module.addr.resource(config.addr.clone());
    let provider_config = served.any();
    let (provider, meta) = (served.provider.clone(), served.meta.clone());
    let problems = served.problems.clone();
    let mut result = ResourceResult {
        addr: addr.clone(),
        provider: provider.clone(),
        config: Some(config.clone()),
        instances: Vec::new(),
        value: Value::dynamic(),
        diagnostics: Vec::new(),
        caveat: inputs.state_caveat.clone(),
        is_state_unread: inputs.state_caveat.is_some(),
    };
    if let Some(caveat) = module.stands_for_unknown.as_deref() {
        result.caveat = Some(caveat.to_owned());
        return Prepared::Done(Box::new(result));
    }
    let (mut expansion, diagnostics) = eval::expand(&config.repetition, scope.context());
    match expansion == Expansion::Unknown(Unexpanded::Unknown) && follows_a_failure() {
        true => expansion = Expansion::Unknown(Unexpanded::Invalid),
        false => result.diagnostics = diagnostics,
    }
    let stored = inputs.state.resources.get(&addr);
    let shape = Shape::of(&expansion);
    if let Expansion::Unknown(why) = expansion {
        result.caveat = Some(match why {
            Unexpanded::Unknown => {
                format!("how many instances of {addr} there are is known only after apply")
            }
            Unexpanded::Invalid => format!("the instances of {addr} can't be told"),
        });
    }
    let keys = keys(expansion);
    if shape != Shape::Unknown {
        let declared: BTreeSet<&InstanceKey> = keys.iter().map(|(key, _)| key).collect();
        let targets = imports.targets.values();
        let undeclared = targets.filter(|target| !declared.contains(&target.addr.key));
        let undeclared = undeclared.map(|target| import::undeclared(&target.addr));
        imports.diagnostics.extend(undeclared);
    }
    // Terraform plans no instance of a resource that something is wrongly imported into.
    if condition::has_errors(&imports.diagnostics) {
        result.diagnostics.append(&mut imports.diagnostics);
        return Prepared::Done(Box::new(result));
    }
    if let Some(cycle) = circular::cycle(config, &addr, &keys) {
        result.diagnostics.push(cycle);
        return Prepared::Done(Box::new(result));
    }
    let (circular, found) = circular::instances(config, &addr, &keys);
    result.diagnostics.extend(found);
    if condition::has_errors(&problems) {
        result.diagnostics.extend(problems);
        return Prepared::Done(Box::new(result));
    }
    let Some(provider_config) = provider_config else {
        result.caveat = Some(format!("provider {provider} is not there"));
        return Prepared::Done(Box::new(result));
    };
    let Some(schema) = schema_for(provider_config, &mut result) else {
        return Prepared::Done(Box::new(result));
    };
    result.caveat = result
        .caveat
        .or_else(|| provider_config.guess.map(str::to_owned));
    let offered = Offered::of(provider_config.schema.as_deref(), &addr.resource.r#type);
    let mut prior: BTreeMap<InstanceKey, Arc<state::Object>> = BTreeMap::new();
    for (key, instance) in stored.into_iter().flat_map(|resource| &resource.instances) {
        // What was read is no prior object: it is read again.
        if let Some(object) = &instance.current
            && config.addr.mode == ResourceMode::Managed
        {
            prior.insert(key.clone(), object.clone());
        }
    }

    let profile = inputs.environment.functions.profile;
    let by_creation = profile.has(feature::CREATION_TRIGGERS);
    let ignore_changes = ignored(&config.lifecycle.ignore_changes);
    let create_before_destroy =
        is_create_before_destroy_forced || config.lifecycle.create_before_destroy == Some(true);
    let declared = inputs.tree.module(&module.addr.module());
    let is_in_check = declared.is_some_and(|m| !m.resources.contains_key(&config.addr));
    let profile = inputs.environment.functions.profile;
    let (prevent_destroy, found) = prevent_destroy::evaluate(config, &addr, profile, scope);
    result.diagnostics.extend(found);
    let read_by = inputs.tree.provider_of(&module.addr.module(), config);
    let generated = generate::is_declaration(config).then(|| {
        let functions = inputs.environment.functions.clone();
        Arc::new(Generated::new(&config.addr, &read_by, functions))
    });
    let mut desired = Vec::new();
    let mut failed = Vec::new();
    for (key, each_value) in keys {
        if !inputs.options.selects(&addr.instance(key.clone())) {
            prior.remove(&key);
            continue;
        }
        let scope = scope.for_instance(&key, each_value.clone());
        let preconditions = &config.lifecycle.preconditions;
        let broken_rules = condition::check(
            preconditions,
            condition::Whose::Precondition,
            inputs.options.mode,
            &scope,
        );
        let (block, ty) = (&schema.block, schema.implied_type());
        let mut decoded = eval::decode_as(&config.body, block, ty, &scope);
        let ephemeral =
            eval::reject_ephemeral(&config.body, block, &decoded.value, scope.profile());
        let ephemeral = ephemeral.into_iter().map(|it| it.about(&addr.config()));
        decoded.diagnostics.extend(ephemeral);
        // What is only read needs no configuration, and what is generated has none yet.
        let is_only_read =
            task.mode == Mode::RefreshOnly && config.addr.mode == ResourceMode::Managed;
        if is_only_read || generated.is_some() {
            decoded.diagnostics.clear();
        }
        let has_errors = decoded
            .diagnostics
            .iter()
            .any(|d| d.severity == Severity::Error);
        let has_errors =
            has_errors || condition::has_errors(&broken_rules) || circular.contains(&key);
        for diagnostic in broken_rules.into_iter().chain(decoded.diagnostics) {
            budget::spend(result.diagnostics.len());
            if !result.diagnostics.contains(&diagnostic) {
                result.diagnostics.push(diagnostic);
            }
        }
        let object = prior.remove(&key);
        // Nothing is taken over only to be destroyed.
        let is_imported = object.is_none() && task.mode != Mode::Destroy;
        let import = imports.targets.remove(&key).filter(|_| is_imported);
        let is_unread = |import| !may_import(inputs, &read_by, import);
        if import.as_ref().is_some_and(is_unread) {
            let addr = addr.instance(key.clone());
            result.caveat = Some(format!(
                "{addr} is to be imported, but what is there is not read yet"
            ));
            failed.push(key);
            continue;
        }
        let served_by = served.of_instance(&addr.instance(key.clone()), &scope);
        let served_by = match served_by {
            Ok(served_by) if !has_errors => served_by,
            other => {
                let found = other.err().unwrap_or_default();
                result.diagnostics.extend(found);
                failed.push(key);
                continue;
            }
        };
        let triggers = &config.lifecycle.replace_triggered_by;
        let is_triggered = triggers
            .iter()
            .any(|expr| trigger::is_triggered(expr, &scope, by_creation, planned));
        let addr = addr.instance(key.clone());
        let moved = inputs.moves.moved.get(&addr);
        let is_requested = inputs.options.replace.contains(&addr);
        let force_replace = match (is_triggered, is_requested) {
            (true, _) => Some(ActionReason::ReplaceByTriggers),
            (false, true) => Some(ActionReason::ReplaceByRequest),
            (false, false) => None,
        };
        let may_read = may_read(inputs, served_by, &read_by, &config.addr, &decoded.value);
        let stand_in = || {
            let stored = stored.filter(|_| config.addr.mode == ResourceMode::Data)?;
            let object = stored.instances.get(&key)?.current.as_ref()?;
            cty::json::decode_str(object.attributes.get(), schema.implied_type()).ok()
        };
        desired.push(DesiredInstance {
            previous_addr: moved.map(|moved| moved.from.clone()),
            moved_from: moved.and_then(|moved| moved.other_type(&addr, &provider)),
            addr,
            provider_addr: provider.clone(),
            provider: served_by.provider.clone(),
            provider_meta: meta.clone(),
            provider_generation: served_by.generation,
            schema: schema.clone(),
            each_value,
            config: decoded.value,
            prior: object,
            import: import.map(|import| import.by),
            generated: generated.clone(),
            ignore_changes: ignore_changes.clone(),
            create_before_destroy,
            // Planning it writes to the state what the configuration says now.
            fate: Fate::of(Some(&**config), None, None, task.product),
            prevent_destroy,
            force_replace,
            task,
            is_in_check,
            reading: match (has_pending_dependencies, may_read) {
                (true, _) => Reading::PutOff,
                (false, true) => Reading::Now,
                (false, false) => Reading::Not(stand_in()),
            },
        });
    }
    if config.addr.mode != ResourceMode::Managed && result.caveat.is_none() {
        result.caveat = unread(&addr, &desired);
    }
    // What the configuration no longer wants is deleted, unless it isn't known what it wants.
    let orphans = match shape {
        Shape::Unknown => Vec::new(),
        Shape::Single | Shape::Disabled | Shape::Tuple(_) | Shape::Object => prior
            .into_iter()
            .map(|(key, prior)| OrphanInstance {
                previous_addr: previous(inputs, &addr.instance(key.clone())),
                addr: addr.instance(key.clone()),
                fate: Fate::of(Some(&**config), Some(&*prior), None, task.product),
                deposed: None,
                provider_addr: provider.clone(),
                provider: provider_config.provider.clone(),
                provider_meta: meta.clone(),
                schema: schema.clone(),
                prior,
                reason: Some(orphan_reason(&config.repetition, &key)),
                prevent_destroy,
                task,
            })
            .chain(deposed(
                inputs,
                stored.map(|s| &**s),
                &addr,
                (&provider, provider_config, meta.as_ref()),
                &schema,
                (task, Some(&**config), None),
            ))
            .collect(),
    };
    let orphans = with_their_providers(&served, orphans, &mut result.diagnostics);
    Prepared::Ask(Box::new(Work {
        result,
        desired,
        orphans,
        offered,
        shape,
        failed,
    }))
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

/// Whether reading failed for a check, which then has no more to say.
pub(crate) fn could_not_be_read(result: &ResourceResult) -> bool {
    let reason = Some(ActionReason::ReadBecauseCheckNested);
    let mut changes = result.changes();
    changes.any(|change| change.reason == reason && !change.after.is_wholly_known())
}

/// What to say of data sources that are not read although they could be.
fn unread(addr: &AbsResourceAddr, desired: &[DesiredInstance]) -> Option<String> {
    let stand_ins: Vec<&Option<Value>> = desired
        .iter()
        .filter(|instance| instance.config.is_wholly_known())
        .filter_map(|instance| match &instance.reading {
            Reading::Not(stand_in) => Some(stand_in),
            Reading::Now | Reading::PutOff => None,
        })
        .collect();
    if stand_ins.is_empty() {
        return None;
    }
    let values = match stand_ins.iter().all(|stand_in| stand_in.is_some()) {
        true => "stand here as the state has them",
        false => "are unknown in this plan",
    };
    Some(format!("{addr} is not read: its values {values}"))
}

/// The result of a resource that can't be evaluated, and why for a person to read.
pub(crate) fn unknown(
    inputs: &Inputs,
    instance: &ModuleInstanceAddr,
    addr: &ResourceAddr,
    diagnostics: Vec<Diagnostic>,
    why: &str,
) -> ResourceResult {
    let itself = instance.resource(addr.clone());
    let caveat = format!("{itself} {why}");
    ResourceResult {
        diagnostics,
        ..without_plan(inputs, instance, addr, caveat)
    }
}

/// A resource of which nothing is known, and why.
pub(crate) fn without_plan(
    inputs: &Inputs,
    instance: &ModuleInstanceAddr,
    addr: &ResourceAddr,
    caveat: String,
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
        addr,
    }
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
