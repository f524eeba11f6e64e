//! The objects that there will be, module by module, as `planned_values` has them.
//!
//! Follows `marshalPlannedValues` of OpenTofu's `internal/command/jsonplan`.

use std::collections::BTreeMap;

use config::{ModuleInstanceAddr, Product};
use cty::Value;
use serde_json::{Map, Value as Json, json};

use super::{named, plain, sensitive_as_bool};
use crate::plain::known;
use crate::{Action, ActionReason, Plan, ResourceInstanceChange};

/// A module with those that it calls. Its objects are in the order of `K`.
pub(super) struct Module<K> {
    resources: BTreeMap<K, Json>,
    /// By their addresses.
    children: BTreeMap<String, Module<K>>,
}

impl<K> Default for Module<K> {
    fn default() -> Module<K> {
        Module {
            resources: BTreeMap::new(),
            children: BTreeMap::new(),
        }
    }
}

impl<K: Ord> Module<K> {
    pub(super) fn is_empty(&self) -> bool {
        self.resources.is_empty() && self.children.is_empty()
    }

    /// Adds an object of the module `addr`.
    pub(super) fn add(&mut self, addr: &ModuleInstanceAddr, key: K, object: Json) {
        let mut within = ModuleInstanceAddr::root();
        let module = addr.steps().iter().fold(self, |module, step| {
            within = within.child(step.call.clone(), step.key.clone());
            module.children.entry(within.to_string()).or_default()
        });
        module.resources.insert(key, object);
    }

    pub(super) fn into_json(self) -> Json {
        let mut json = Map::new();
        if !self.resources.is_empty() {
            let resources = self.resources.into_values().collect();
            json.insert("resources".to_owned(), resources);
        }
        if !self.children.is_empty() {
            let child = |(addr, module): (String, Module<K>)| {
                let mut json = module.into_json();
                json["address"] = json!(addr);
                json
            };
            let children: Json = self.children.into_iter().map(child).collect();
            json.insert("child_modules".to_owned(), children);
        }
        json.into()
    }
}

/// The root module.
pub(super) fn planned(plan: &Plan) -> Json {
    let mut root = Module::default();
    for planned in plan.resources.values() {
        for change in planned.changes() {
            if change.deposed.is_some() || change.action == Action::Delete {
                continue;
            }
            let key = &change.addr.key;
            let mut entry = resource(change, planned.planned_value(key));
            // In OpenTofu's plan an object that is read at the apply, or planned again to be replaced, has the marks of its
            // configuration alone.
            let is_planned_again = change.action.is_replace()
                && change.reason != Some(ActionReason::ReplaceBecauseTainted);
            let is_meant = is_planned_again || change.action == Action::Read;
            let configured = planned.config_value(key);
            if let Some(configured) = configured.filter(|_| is_meant)
                && plan.product == Product::OpenTofu
            {
                let marks = configured.unmark_deep_with_paths().1;
                let marked = change.after.unmark_deep().0.mark_with_paths(&marks);
                entry["sensitive_values"] = sensitive_as_bool(&marked);
            }
            root.add(&change.addr.module, change.addr.to_string(), entry);
        }
    }
    root.into_json()
}

/// The planned values of an object, without those that only the apply tells. `seen` is the value of references to it, which of a
/// replaced one lacks the marks of the schema.
pub(super) fn resource(change: &ResourceInstanceChange, seen: Option<&Value>) -> Json {
    let mut json = named(&change.addr, &change.provider);
    json.insert("schema_version".to_owned(), json!(change.schema.version));
    if let Some(identity) = &change.identity
        && let Some(after) = &identity.after
    {
        let version = json!(identity.schema_version);
        json.insert("identity_schema_version".to_owned(), version);
        json.insert("identity".to_owned(), plain(after));
    }
    let after = change.after.unmark_deep().0;
    let values = known(&after).filter(|values| values.as_object().is_some_and(|it| !it.is_empty()));
    json.extend(values.map(|values| ("values".to_owned(), values)));
    let marked = match seen.filter(|_| change.action.is_replace()) {
        Some(seen) => seen.clone(),
        None => change.with_schema_marks(&change.after),
    };
    json.insert("sensitive_values".to_owned(), sensitive_as_bool(&marked));
    Json::Object(json)
}
