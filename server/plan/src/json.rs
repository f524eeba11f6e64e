//! The plan as JSON, in the format of `terraform show -json` (format version 1.2).
//!
//! Follows "JSON Output Format" in Terraform's documentation and OpenTofu's `internal/command/jsonplan`.

mod checks;
mod configuration;
mod prior;
#[cfg(test)]
mod tests;
mod values;

use config::language_release::feature;
use config::{ActionEvent, InstanceKey, Product, ProviderAddr, ResourceInstanceAddr, ResourceMode};
use cty::{Mark, Path, PathStep, Type, Value};
use provider::ImportTarget;
use serde_json::{Map, Value as Json, json};

use crate::checked::Checked;
use crate::inputs::Inputs;
use crate::plain::known;
use crate::relevant::relevant_attributes;
use crate::{
    Action, ActionInvocation, OutputChange, Plan, RelevantAttribute, RelevantStep,
    ResourceInstanceChange, plain,
};

/// The plan with its inputs and the results of the conditions, but without its diagnostics, which need the
/// texts to be placed.
pub(crate) fn with_surroundings(
    plan: &Plan,
    inputs: &Inputs,
    checked: &[Checked],
    dependencies: &prior::DependenciesOf<'_>,
) -> Map<String, Json> {
    let profile = inputs.environment.functions.profile;
    let mut document = to_json(plan);
    if !profile.has(feature::IDENTITIES_IN_JSON) {
        without_identities(&mut document);
    }
    let version = inputs.environment.functions.profile.version.to_string();
    document.insert("terraform_version".to_owned(), json!(version));
    if inputs.environment.functions.profile.is_opentofu() {
        document.remove("applyable");
        document.remove("complete");
    }
    if let Some(mut prior) = prior::prior(plan, inputs, dependencies) {
        prior["terraform_version"] = json!(version);
        document.insert("prior_state".to_owned(), prior);
    }
    let configuration = configuration::configuration(plan, &inputs.tree);
    document.insert("configuration".to_owned(), configuration);
    let relevant = relevant_attributes(plan, inputs);
    if !relevant.is_empty() {
        let relevant = relevant.iter().map(relevant_attribute).collect();
        document.insert("relevant_attributes".to_owned(), relevant);
    }
    if !checked.is_empty() {
        let checks = checks::checks(checked).into();
        document.insert("checks".to_owned(), checks);
    }
    document
}

/// Older releases write none.
fn without_identities(document: &mut Map<String, Json>) {
    fn of_module(module: &mut Json) {
        for resource in list(module, "resources") {
            if let Some(resource) = resource.as_object_mut() {
                resource.remove("identity");
                resource.remove("identity_schema_version");
            }
        }
        list(module, "child_modules").for_each(of_module);
    }
    fn list<'a>(json: &'a mut Json, name: &str) -> impl Iterator<Item = &'a mut Json> {
        let list = json.get_mut(name).and_then(Json::as_array_mut);
        list.into_iter().flatten()
    }
    for name in ["resource_changes", "resource_drift"] {
        let changes = document.get_mut(name).and_then(Json::as_array_mut);
        for change in changes.into_iter().flatten() {
            let change = change.get_mut("change").and_then(Json::as_object_mut);
            if let Some(change) = change {
                change.remove("before_identity");
                change.remove("after_identity");
            }
        }
    }
    let values = document.get_mut("planned_values");
    if let Some(root) = values.and_then(|it| it.get_mut("root_module")) {
        of_module(root);
    }
}

/// The plan itself.
pub fn to_json(plan: &Plan) -> Map<String, Json> {
    let mut document = Map::new();
    document.insert("format_version".to_owned(), json!("1.2"));
    let variables: Map<String, Json> = plan
        .given
        .iter()
        .map(|(name, value)| (name.to_string(), json!({ "value": plain(value) })))
        .collect();
    if !variables.is_empty() {
        document.insert("variables".to_owned(), Json::Object(variables));
    }
    let resource_change = |it| resource_change(it, plan.product);
    let drift: Vec<Json> = plan.drift().map(resource_change).collect();
    if !drift.is_empty() {
        document.insert("resource_drift".to_owned(), Json::Array(drift));
    }
    let changes: Vec<Json> = plan.changes().map(resource_change).collect();
    if !changes.is_empty() {
        document.insert("resource_changes".to_owned(), Json::Array(changes));
    }
    let planned: Map<String, Json> = plan
        .outputs
        .iter()
        .filter(|output| output.action != Action::Delete)
        .map(|output| (output.name.to_string(), planned_output(output)))
        .collect();
    let mut values = Map::from_iter([("root_module".to_owned(), values::planned(plan))]);
    if !planned.is_empty() {
        values.insert("outputs".to_owned(), Json::Object(planned));
    }
    document.insert("planned_values".to_owned(), Json::Object(values));
    let outputs: Map<String, Json> = plan
        .output_changes()
        .map(|output| (output.name.to_string(), output_change(output)))
        .collect();
    if !outputs.is_empty() {
        document.insert("output_changes".to_owned(), Json::Object(outputs));
    }
    let invocations: Vec<Json> = plan
        .action_invocations()
        .into_iter()
        .map(action_invocation)
        .collect();
    if !invocations.is_empty() {
        document.insert("action_invocations".to_owned(), invocations.into());
    }
    document.insert(
        "applyable".to_owned(),
        json!(!plan.is_errored() && plan.has_changes()),
    );
    document.insert("complete".to_owned(), json!(plan.is_complete()));
    document.insert("errored".to_owned(), json!(plan.is_errored()));
    document
}

fn resource_change(change: &ResourceInstanceChange, product: Product) -> Json {
    let addr = &change.addr;
    let mut json = Map::new();
    if let Some(previous) = &change.previous_addr {
        json.insert("previous_address".to_owned(), json!(previous.to_string()));
    }
    if !addr.module.is_root() {
        json.insert("module_address".to_owned(), json!(addr.module.to_string()));
    }
    json.extend(named(addr, &change.provider));
    if let Some(deposed) = &change.deposed {
        json.insert("deposed".to_owned(), json!(deposed.as_str()));
    }
    json.insert(
        "change".to_owned(),
        Json::Object(instance_change(change, product)),
    );
    if let Some(reason) = change.reason {
        json.insert("action_reason".to_owned(), json!(reason.json_name()));
    }
    Json::Object(json)
}

fn action_invocation(invocation: ActionInvocation<'_>) -> Json {
    let (addr, triggered) = (invocation.addr, invocation.triggered);
    let config = invocation.marked_config();
    let plain = config.unmark_deep().0;
    json!({
        "address": addr.to_string(),
        "type": addr.resource.r#type.as_str(),
        "name": addr.resource.name.as_str(),
        "config_values": known(&plain),
        "config_sensitive": sensitive_as_bool(&config),
        "config_unknown": unknown_as_bool(&plain),
        "provider_name": invocation.provider.to_string(),
        "lifecycle_action_trigger": {
            "triggering_resource_address": triggered.resource.to_string(),
            "action_trigger_event": event(triggered.event),
            "action_trigger_block_index": triggered.block,
            "actions_list_index": triggered.index,
        },
    })
}

fn event(event: ActionEvent) -> &'static str {
    match event {
        ActionEvent::BeforeCreate => "BeforeCreate",
        ActionEvent::AfterCreate => "AfterCreate",
        ActionEvent::BeforeUpdate => "BeforeUpdate",
        ActionEvent::AfterUpdate => "AfterUpdate",
    }
}

/// The name of an object.
fn named(addr: &ResourceInstanceAddr, provider: &ProviderAddr) -> Map<String, Json> {
    let mut json = Map::new();
    json.insert("address".to_owned(), json!(addr.to_string()));
    json.insert("mode".to_owned(), json!(mode(addr.resource.mode)));
    json.insert("type".to_owned(), json!(addr.resource.r#type.as_str()));
    json.insert("name".to_owned(), json!(addr.resource.name.as_str()));
    with_key(&mut json, "index", &addr.key);
    json.insert("provider_name".to_owned(), json!(provider.to_string()));
    json
}

fn mode(mode: ResourceMode) -> &'static str {
    match mode {
        ResourceMode::Managed => "managed",
        ResourceMode::Data => "data",
        ResourceMode::Ephemeral => "ephemeral",
        ResourceMode::Action => "action",
    }
}

fn with_key(json: &mut Map<String, Json>, name: &str, key: &InstanceKey) {
    let key = match key {
        InstanceKey::None => return,
        InstanceKey::Int(index) => json!(index),
        InstanceKey::String(key) => json!(key.as_str()),
    };
    json.insert(name.to_owned(), key);
}

/// Empty objects are left out.
fn insert(json: &mut Map<String, Json>, name: &str, value: Map<String, Json>) {
    if !value.is_empty() {
        json.insert(name.to_owned(), value.into());
    }
}

fn relevant_attribute(relevant: &RelevantAttribute) -> Json {
    let step = |step: &RelevantStep| match step {
        RelevantStep::Name(name) => json!(name),
        RelevantStep::Index(index) => json!(index),
    };
    let path: Json = relevant.path.iter().map(step).collect();
    json!({ "resource": relevant.resource.to_string(), "attribute": path })
}

fn instance_change(change: &ResourceInstanceChange, product: Product) -> Map<String, Json> {
    let sensitive = |value: &Value| sensitive_as_bool(&change.with_schema_marks(value));
    let mut json = Map::new();
    json.insert("actions".to_owned(), json!(change.action.json_names()));
    json.insert("before".to_owned(), plain(&change.before.unmark_deep().0));
    insert_after(&mut json, &change.after.unmark_deep().0, json!({}));
    json.insert("before_sensitive".to_owned(), sensitive(&change.before));
    json.insert("after_sensitive".to_owned(), sensitive(&change.after));
    if !change.replace_paths.is_empty() {
        let paths: Vec<Json> = change.replace_paths.iter().map(path).collect();
        json.insert("replace_paths".to_owned(), Json::Array(paths));
    }
    let importing = change.importing.as_deref().map(|target| match target {
        ImportTarget::Id(id) => json!({ "id": id }),
        ImportTarget::Identity(given) => {
            // OpenTofu names the identity as it was given.
            let found = change.identity.as_ref().and_then(|it| it.before.as_ref());
            let found = found.filter(|_| product == Product::Terraform);
            json!({ "identity": plain(found.unwrap_or(given)) })
        }
    });
    json.extend(importing.map(|target| ("importing".to_owned(), target)));
    let generated = change.generated_config.as_deref();
    json.extend(generated.map(|text| ("generated_config".to_owned(), json!(text))));
    if let Some(identity) = change
        .identity
        .as_ref()
        .filter(|_| change.action != Action::Forget)
    {
        let sides = [
            ("before_identity", &identity.before),
            ("after_identity", &identity.after),
        ];
        for (name, value) in sides {
            json.extend(value.as_ref().map(|it| (name.to_owned(), plain(it))));
        }
    }
    json
}

fn output_change(output: &OutputChange) -> Json {
    let mut json = Map::new();
    json.insert("actions".to_owned(), json!(output.action.json_names()));
    json.insert("before".to_owned(), plain(&output.before));
    insert_after(&mut json, &output.after, json!(false));
    json.insert("before_sensitive".to_owned(), json!(output.is_sensitive));
    json.insert("after_sensitive".to_owned(), json!(output.is_sensitive));
    Json::Object(json)
}

/// A wholly known value has its type beside it, which its JSON form alone does not tell. A plan file
/// keeps no type of a null that was null before.
fn planned_output(output: &OutputChange) -> Json {
    let mut json = Map::new();
    json.insert("sensitive".to_owned(), json!(output.is_sensitive));
    let after = output.after.unmark_deep().0;
    if after.is_null() {
        let ty = match output.action {
            Action::NoOp => Type::Dynamic,
            _ => after.ty().clone(),
        };
        json.insert("type".to_owned(), ty.to_json().unwrap_or_default());
        json.insert("value".to_owned(), Json::Null);
    } else if after.is_wholly_known() {
        json.extend(typed(&after));
    }
    Json::Object(json)
}

/// A known value without marks, with its type.
fn typed(value: &Value) -> Map<String, Json> {
    let json = cty::json::encode(value, &Type::Dynamic).ok();
    let json = json.and_then(|json| serde_json::from_str(&json).ok());
    json.unwrap_or_default()
}

/// `after` without the unknown values, and `after_unknown` with their places.
fn insert_after(json: &mut Map<String, Json>, after: &Value, nothing_unknown: Json) {
    if let Some(known) = known(after) {
        json.insert("after".to_owned(), known);
    }
    let unknown = match after.is_wholly_known() {
        true => nothing_unknown,
        false => unknown_as_bool(after),
    };
    json.insert("after_unknown".to_owned(), unknown);
}

/// True where a value is unknown. Objects list only their unknown parts.
fn unknown_as_bool(value: &Value) -> Json {
    if value.is_null() {
        return json!(false);
    }
    if !value.is_known() {
        return json!(true);
    }
    as_bools(value, unknown_as_bool)
}

/// True where a value is sensitive. Objects list only their sensitive parts.
fn sensitive_as_bool(value: &Value) -> Json {
    if value.has_mark(&Mark::Sensitive) {
        return json!(true);
    }
    if value.is_null() {
        return json!(false);
    }
    as_bools(&value.unmark().0, sensitive_as_bool)
}

fn as_bools(value: &Value, as_bool: fn(&Value) -> Json) -> Json {
    match value.ty() {
        Type::List(_) | Type::Set(_) | Type::Tuple(_) => value
            .as_slice()
            .into_iter()
            .flatten()
            .map(as_bool)
            .collect(),
        Type::Map(_) | Type::Object(_) => {
            let elements = value.as_map().into_iter().flatten();
            elements
                .map(|(name, element)| (name.to_string(), as_bool(element)))
                .filter(|(_, json)| *json != Json::Bool(false))
                .collect()
        }
        Type::Bool | Type::String | Type::Number | Type::Dynamic | Type::Capsule(_) => json!(false),
    }
}

fn path(path: &Path) -> Json {
    let step = |step: &PathStep| match step {
        PathStep::GetAttr(name) => json!(name.as_str()),
        PathStep::Index(key) => plain(key),
    };
    path.steps().iter().map(step).collect()
}
