//! How the keys of the instances that the configuration wants are matched with those of the objects in the state, and with
//! the import targets.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{InstanceKey, ResourceMode};
use cty::Value;

use super::ResourceRequest;
use crate::import::ImportTarget;
use crate::{PlanMode, Triggered};

/// The instances of a resource, by whether the configuration or the state has their keys.
pub(super) struct Matched {
    pub wanted: Vec<MatchedInstance>,
    /// Objects in the state whose keys the configuration doesn't have.
    pub unwanted: BTreeMap<InstanceKey, Arc<state::Object>>,
    /// Objects of instances that the plan is not about.
    pub unselected: Vec<(InstanceKey, Arc<state::Object>)>,
}

/// An instance that the configuration wants.
pub(super) struct MatchedInstance {
    pub key: InstanceKey,
    pub each_value: Option<Value>,
    /// The object that the state has of it.
    pub prior: Option<Arc<state::Object>>,
    /// The import target, where the state has none.
    pub import: Option<ImportTarget>,
    /// Of an action: the changes that invoke it.
    pub triggered: Vec<Triggered>,
}

/// Matches keys. Those that the plan is not about are left out.
pub(super) fn match_keys(
    request: &ResourceRequest<'_>,
    keys: Vec<(InstanceKey, Option<Value>)>,
    mut imports: BTreeMap<InstanceKey, ImportTarget>,
    mut triggered: BTreeMap<InstanceKey, Vec<Triggered>>,
) -> Matched {
    let addr = request.module.addr.resource(request.config.addr.clone());
    let stored = request.inputs.state.resources.get(&addr);
    // A data source that was read is no prior object: it is read again.
    let is_managed = request.config.addr.mode == ResourceMode::Managed;
    let prior = stored.into_iter().filter(|_| is_managed);
    let mut unwanted: BTreeMap<InstanceKey, Arc<state::Object>> = prior
        .flat_map(|resource| &resource.instances)
        .filter_map(|(key, instance)| Some((key.clone(), instance.current.clone()?)))
        .collect();
    let (options, task) = (&request.inputs.options, request.task);
    let is_selected = |key: &InstanceKey| task.selects(options, &addr.instance(key.clone()));
    let mut wanted = Vec::with_capacity(keys.len());
    let mut unselected = Vec::new();
    for (key, each_value) in keys {
        let prior = unwanted.remove(&key);
        if !is_selected(&key) {
            let instance = stored.and_then(|resource| resource.instances.get(&key));
            let object = instance.and_then(|it| it.current.clone());
            unselected.extend(object.map(|object| (key, object)));
            continue;
        }
        // Nothing is taken over only to be destroyed, or to be read.
        let is_imported = prior.is_none() && task.mode == PlanMode::Normal;
        wanted.push(MatchedInstance {
            import: imports.remove(&key).filter(|_| is_imported),
            triggered: triggered.remove(&key).unwrap_or_default(),
            key,
            each_value,
            prior,
        });
    }
    unwanted.retain(|key, _| is_selected(key));
    Matched {
        wanted,
        unwanted,
        unselected,
    }
}
