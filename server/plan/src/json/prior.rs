//! The state that the plan starts from, as `prior_state` has it: objects at their present addresses and as they were
//! read, with the data sources and outputs that are known already.
//!
//! Follows OpenTofu's `internal/command/jsonstate`.

use config::language_release::feature;
use config::{
    AbsResourceAddr, ConfigResourceAddr, InstanceKey, ProviderAddr, ResourceAddr,
    ResourceInstanceAddr, ResourceMode,
};
use cty::{Mark, Value};
use schema::Schema;
use serde_json::{Map, Value as Json, json};

use super::configuration::deprecated;
use super::values::Module;
use super::{insert, named, plain, sensitive_as_bool, typed};
use crate::inputs::Inputs;
use crate::result::PlannedInstance;
use crate::{Action, ActionReason, Plan, PlanMode, ResourceInstanceChange, resource};

pub(super) type DependenciesOf<'a> = dyn Fn(&ResourceInstanceAddr) -> Vec<ConfigResourceAddr> + 'a;

/// An object as it stands in the state.
struct StoredInstance<'a> {
    addr: &'a ResourceInstanceAddr,
    deposed: Option<&'a str>,
    provider: &'a ProviderAddr,
    schema: &'a Schema,
    /// With the marks of the state and of the schema.
    value: Value,
    object: Option<&'a state::Object>,
    identity: Option<(i64, Json)>,
    /// Its dependencies by the configuration, where the plan writes them to the state.
    dependencies: Vec<ConfigResourceAddr>,
}

/// `None` where there is nothing. `dependencies` has those of a resource of the configuration.
pub(super) fn prior(
    plan: &Plan,
    inputs: &Inputs,
    dependencies: &DependenciesOf<'_>,
) -> Option<Json> {
    let outputs = outputs(plan, inputs);
    let mut root = Module::default();
    let mut add = |stored: StoredInstance<'_>| {
        let ResourceAddr { mode, r#type, name } = stored.addr.resource.clone();
        let order = (
            mode != ResourceMode::Data,
            (r#type, name),
            stored.addr.key.clone(),
            stored.deposed.unwrap_or_default().to_owned(),
        );
        root.add(&stored.addr.module, order, entry(&stored).into());
    };
    for stored in inputs.state.resources.values() {
        let is_kept: &dyn Fn(&InstanceKey) -> bool = match stored.addr.resource.mode {
            ResourceMode::Managed => &|_| true,
            ResourceMode::Data => &|key| is_left_out(plan, inputs, &stored.addr, key),
            ResourceMode::Ephemeral | ResourceMode::Action => continue,
        };
        add_stored(plan, inputs, stored, is_kept, dependencies, &mut add);
    }
    for planned in plan.resources.values() {
        for instance in &planned.instances {
            if let (Some(desired), Some(value)) = (&instance.desired, found(instance)) {
                add(StoredInstance {
                    addr: &desired.addr,
                    deposed: None,
                    provider: &planned.provider,
                    schema: &desired.schema,
                    value,
                    object: None,
                    identity: identity(inputs, instance.plan.change.as_ref(), None),
                    dependencies: match &instance.plan.change {
                        Some(change) if change.action == Action::NoOp => {
                            dependencies(&desired.addr)
                        }
                        _ => Vec::new(),
                    },
                });
            }
        }
    }
    if outputs.is_empty() && root.is_empty() {
        return None;
    }
    let mut values = Map::new();
    insert(&mut values, "outputs", outputs);
    values.insert("root_module".to_owned(), root.into_json());
    Some(json!({ "format_version": "1.0", "values": values }))
}

/// Whether the plan leaves out an instance of a data source. Its last value stays then.
fn is_left_out(plan: &Plan, inputs: &Inputs, addr: &AbsResourceAddr, key: &InstanceKey) -> bool {
    if plan.mode == PlanMode::Destroy && !inputs.options.refresh {
        return true;
    }
    // One that is no longer declared is gone, whatever fails.
    let module = inputs.tree.module(&addr.module.module());
    let is_declared = || module.is_some_and(|it| it.resource(&addr.resource).is_some());
    let is_partial = inputs.options.is_selective() || plan.is_errored() && is_declared();
    if !is_partial {
        return false;
    }
    let planned = plan.resources.get(addr);
    let Some(planned) = planned.filter(|it| !it.instances.is_empty()) else {
        return true;
    };
    match planned.instances.iter().find(|it| it.key == *key) {
        Some(instance) => known(instance).is_none(),
        None => !inputs.options.selects(&addr.instance(key.clone())),
    }
}

/// The objects of a resource, without those that are gone.
fn add_stored(
    plan: &Plan,
    inputs: &Inputs,
    stored: &state::Resource,
    is_kept: &dyn Fn(&InstanceKey) -> bool,
    dependencies: &DependenciesOf<'_>,
    add: &mut impl FnMut(StoredInstance<'_>),
) {
    let resource = &stored.addr.resource;
    let planned = plan.resources.get(&stored.addr);
    for (key, instance) in stored.instances.iter().filter(|(key, _)| is_kept(key)) {
        let addr = stored.addr.instance(key.clone());
        let current = instance.current.iter().map(|object| (None, object));
        let deposed = instance.deposed.iter();
        let deposed = deposed.map(|(key, object)| (Some(key.as_str()), object));
        for (deposed, object) in current.chain(deposed) {
            let is_it = |it: &&PlannedInstance| {
                let change = it.plan.change.as_ref();
                it.key == *key && change.and_then(|it| it.deposed.as_deref()) == deposed
            };
            let planned = planned.and_then(|it| it.instances.iter().find(is_it));
            let change = planned.and_then(|it| it.plan.change.as_ref());
            let provider = change.map_or(&stored.provider.provider, |it| &it.provider);
            let schemas = plan.schemas.get(provider);
            let types = schemas.map(|it| resource::types(it, resource.mode));
            let Some(schema) = types.and_then(|it| it.get(&resource.r#type)) else {
                continue;
            };
            let now = planned
                .and_then(known)
                .or_else(|| resource::stored_value(object, schema));
            if let Some(value) = now.filter(|value| !value.is_null()) {
                add(StoredInstance {
                    addr: &addr,
                    deposed,
                    provider,
                    schema,
                    value,
                    object: Some(object),
                    identity: identity(inputs, change, Some(object)),
                    dependencies: match planned.filter(|it| it.is_wanted()) {
                        Some(_) if is_unchanged(change) => dependencies(&addr),
                        Some(_) if inputs.options.refresh => {
                            merged(&object.dependencies, &dependencies(&addr))
                        }
                        _ => object.dependencies.clone(),
                    },
                });
            }
        }
    }
}

/// The identity of an object as it was read, or else as the state has it.
fn identity(
    inputs: &Inputs,
    change: Option<&ResourceInstanceChange>,
    object: Option<&state::Object>,
) -> Option<(i64, Json)> {
    let profile = inputs.environment.functions.profile;
    if !profile.has(feature::IDENTITIES_IN_JSON) {
        return None;
    }
    let read = change.and_then(|it| it.identity.as_deref());
    if let Some(identity) = read
        && let Some(before) = &identity.before
    {
        return Some((identity.schema_version, plain(before)));
    }
    let object = object?;
    let stored = serde_json::from_str(object.identity.as_ref()?.get()).ok()?;
    let version = i64::try_from(object.identity_schema_version).ok()?;
    Some((version, stored))
}

/// Only then nothing but the plan itself can write down the dependencies of the object.
fn is_unchanged(change: Option<&ResourceInstanceChange>) -> bool {
    change.is_some_and(|change| change.action == Action::NoOp)
}

fn merged(
    stored: &[ConfigResourceAddr],
    configured: &[ConfigResourceAddr],
) -> Vec<ConfigResourceAddr> {
    let added = configured.iter().filter(|it| !stored.contains(it));
    stored.iter().chain(added).cloned().collect()
}

/// The object as it was read; null if it is gone. `None`: it was not read.
fn known(planned: &PlannedInstance) -> Option<Value> {
    let plan = &planned.plan;
    match (&plan.drift, &plan.change) {
        (Some(drift), _) if drift.action == Action::Delete => Some(drift.after.clone()),
        (_, Some(change)) => Some(change.with_schema_marks(&change.before)),
        (_, None) => Some(plan.value.clone()).filter(|value| value.is_wholly_known()),
    }
}

/// The objects that planning itself reads: data sources and imports.
fn found(instance: &PlannedInstance) -> Option<Value> {
    let plan = &instance.plan;
    let desired = instance.desired.as_ref()?;
    match (desired.addr.resource.mode, &plan.change) {
        // A data source that a check could not read is empty.
        (ResourceMode::Data, None)
            if desired.is_in_check && desired.is_read() && plan.is_planned() =>
        {
            Some(plan.value.unknown_as_null())
        }
        (ResourceMode::Data, None) => {
            Some(plan.value.clone()).filter(|value| value.is_wholly_known() && !value.is_null())
        }
        (ResourceMode::Data, Some(change)) => {
            let is_read = change.reason == Some(ActionReason::ReadBecauseCheckNested);
            is_read.then(|| plan.value.unknown_as_null())
        }
        (ResourceMode::Managed, Some(change)) => {
            change.importing.as_ref()?;
            Some(change.with_schema_marks(&change.before))
        }
        (ResourceMode::Managed, None) | (ResourceMode::Ephemeral | ResourceMode::Action, _) => None,
    }
}

fn entry(stored: &StoredInstance<'_>) -> Map<String, Json> {
    let mut json = named(stored.addr, stored.provider);
    json.insert("schema_version".to_owned(), json!(stored.schema.version));
    if let Some((version, identity)) = &stored.identity {
        json.insert("identity_schema_version".to_owned(), json!(version));
        json.insert("identity".to_owned(), identity.clone());
    }
    json.insert("values".to_owned(), plain(&stored.value.unmark_deep().0));
    json.insert(
        "sensitive_values".to_owned(),
        sensitive_as_bool(&stored.value),
    );
    let dependencies = stored.dependencies.iter().map(ToString::to_string);
    let mut dependencies: Vec<String> = dependencies.collect();
    dependencies.sort();
    if !dependencies.is_empty() {
        json.insert("depends_on".to_owned(), json!(dependencies));
    }
    if stored.object.is_some_and(|object| object.is_tainted) {
        json.insert("tainted".to_owned(), json!(true));
    }
    if let Some(deposed) = stored.deposed {
        json.insert("deposed_key".to_owned(), json!(deposed));
    }
    json
}

/// Those of the state, with the values that are known by now.
fn outputs(plan: &Plan, inputs: &Inputs) -> Map<String, Json> {
    let stored = inputs.state.outputs.iter();
    let stored = stored.map(|(name, output)| (name, (output.value.clone(), output.sensitive)));
    let mut outputs: std::collections::BTreeMap<_, _> = stored.collect();
    for change in &plan.outputs {
        let Some(declared) = inputs.tree.root().outputs.get(&change.name) else {
            continue;
        };
        let (now, is_sensitive) = match plan.mode {
            // The refresh before the destruction stores these values.
            PlanMode::Destroy => (&change.before, change.is_sensitive),
            PlanMode::Normal | PlanMode::RefreshOnly | PlanMode::Validate => {
                (&change.after, declared.sensitive)
            }
        };
        let now = now.unmark_deep().0;
        if now.is_null() {
            outputs.remove(&change.name);
        } else if now.is_wholly_known() {
            outputs.insert(&change.name, (now, is_sensitive));
        }
    }
    let json = |(name, (value, sensitive)): (&smol_str::SmolStr, (Value, bool))| {
        let mut json = typed(&value.unmark_deep().0);
        let is_marked = value.has_mark(&Mark::Sensitive);
        json.insert("sensitive".to_owned(), json!(sensitive || is_marked));
        // OpenTofu's state has it.
        if inputs.environment.functions.profile.is_opentofu() && plan.mode != PlanMode::Destroy {
            let declared = inputs.tree.root().outputs.get(name);
            deprecated(&mut json, declared.and_then(|it| it.deprecated.as_ref()));
        }
        (name.to_string(), json.into())
    };
    outputs.into_iter().map(json).collect()
}
