//! A plan as `pulumi preview --json` tells it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::json::{Writing, object_to_json, to_json};
use crate::plan::{NewResource, Plan, Step};
use crate::state::OldResource;
use crate::step::Op;
use crate::urn::Urn;
use crate::value::Value;

/// The digest. Secrets are masked.
pub fn digest(plan: &Plan) -> Json {
    let counts = plan.counts().into_iter();
    let counts: BTreeMap<&str, usize> = counts.map(|(op, count)| (op.name(), count)).collect();
    let steps = plan.steps.iter().filter(|step| is_shown(step));
    let problems = plan.problems.iter();
    let diagnostics: Vec<Json> = problems
        .map(|it| {
            let mut message = it.problem.summary.to_string();
            if !it.problem.detail.is_empty() {
                message = format!("{message}; {}", it.problem.detail);
            }
            let severity = match it.problem.is_error() {
                true => "error",
                false => "warning",
            };
            let mut json =
                json!({ "message": format!("{severity}: {message}\n"), "severity": severity });
            if let Some(urn) = &it.urn {
                json["urn"] = json!(urn.as_str());
            }
            json
        })
        .collect();
    let mut digest = json!({
        "steps": steps.map(|it| step(it)).collect::<Vec<_>>(),
        "diagnostics": diagnostics,
        "changeSummary": counts,
    });
    let caveats = caveats(plan);
    if !caveats.is_empty() {
        digest["notPlanned"] = json!(caveats);
    }
    digest
}

/// What is not planned, as text.
pub fn caveats(plan: &Plan) -> Vec<String> {
    let of_steps = plan.steps.iter().flat_map(|step| &step.caveats);
    let all: std::collections::BTreeSet<_> = plan.caveats.iter().chain(of_steps).collect();
    all.into_iter().map(ToString::to_string).collect()
}

/// Unchanged resources are left out, unless their protection is another.
pub fn is_shown(step: &Step) -> bool {
    let is_protected = (
        step.old.as_ref().is_some_and(|it| it.is_protected),
        step.new.as_ref().is_some_and(|it| it.is_protected),
    );
    let is_stack = step.urn.type_name() == crate::urn::STACK_TYPE;
    step.op != Op::Same
        || is_stack
        || step.is_planned() && step.new.is_some() && is_protected.0 != is_protected.1
}

fn step(step: &Step) -> Json {
    let mut json = Map::new();
    json.insert("op".to_owned(), json!(step.op.name()));
    json.insert("urn".to_owned(), json!(step.urn.as_str()));
    let provider = match (&step.new, &step.old) {
        (Some(new), _) => new.provider.as_str(),
        (None, Some(old)) => old.provider.as_str(),
        (None, None) => "",
    };
    if !provider.is_empty() {
        json.insert("provider".to_owned(), json!(provider));
    }
    if let Some(old) = &step.old {
        let is_replaced = matches!(
            step.op,
            Op::Replace {
                deletes_first: false
            }
        );
        json.insert("oldState".to_owned(), old_state(old, is_replaced));
    }
    if let Some(new) = &step.new {
        json.insert("newState".to_owned(), new_state(&step.urn, new));
    }
    if !step.replace_keys.is_empty() {
        json.insert("replaceReasons".to_owned(), json!(step.replace_keys));
    }
    if !step.diff_keys.is_empty() {
        json.insert("diffReasons".to_owned(), json!(step.diff_keys));
    }
    let detailed = step.detailed.as_ref().filter(|it| !it.is_empty());
    let detailed = detailed.map(|detailed| {
        let details = detailed.iter();
        let details = details.map(|(path, diff)| {
            let diff = json!({ "kind": diff.kind.name(), "inputDiff": diff.is_of_inputs });
            (path.clone(), diff)
        });
        Json::Object(details.collect())
    });
    json.insert("detailedDiff".to_owned(), detailed.unwrap_or(Json::Null));
    Json::Object(json)
}

fn old_state(old: &OldResource, is_replaced: bool) -> Json {
    let mut json = identity(&old.urn, old.is_custom);
    let mut put = |key: &str, value: Json, is_there: bool| {
        if is_there {
            json.insert(key.to_owned(), value);
        }
    };
    let object = |object| Json::Object(object_to_json(object, Writing::SHOWN));
    put("delete", json!(true), is_replaced || old.is_to_delete);
    put("id", json!(old.id), !old.id.is_empty());
    put("inputs", object(&old.inputs), !old.inputs.is_empty());
    put("outputs", object(&old.outputs), !old.outputs.is_empty());
    put(
        "parent",
        json!(old.parent.as_ref().map(Urn::as_str)),
        old.parent.is_some(),
    );
    put("provider", json!(old.provider), !old.provider.is_empty());
    put(
        "dependencies",
        urns(&old.dependencies),
        !old.dependencies.is_empty(),
    );
    let properties = old.property_dependencies.iter();
    let properties: Map<String, Json> = properties
        .map(|(key, it)| (key.clone(), urns(it)))
        .collect();
    let has_properties = !properties.is_empty();
    put(
        "propertyDependencies",
        Json::Object(properties),
        has_properties,
    );
    let secret = &old.additional_secret_outputs;
    put("additionalSecretOutputs", json!(secret), !secret.is_empty());
    put(
        "replaceOnChanges",
        json!(old.replace_on_changes),
        !old.replace_on_changes.is_empty(),
    );
    put(
        "ignoreChanges",
        json!(old.ignore_changes),
        !old.ignore_changes.is_empty(),
    );
    put("aliases", urns(&old.aliases), !old.aliases.is_empty());
    put("protect", json!(true), old.is_protected);
    put("external", json!(true), old.is_external);
    put("retainOnDelete", json!(true), old.is_retained_on_delete);
    put(
        "deletedWith",
        json!(old.deleted_with.as_ref().map(Urn::as_str)),
        old.deleted_with.is_some(),
    );
    put(
        "replaceWith",
        urns(&old.replace_with),
        !old.replace_with.is_empty(),
    );
    let trigger = old.replacement_trigger.as_ref();
    put("replacementTrigger", shown(trigger), trigger.is_some());
    Json::Object(json)
}

fn new_state(urn: &Urn, new: &NewResource) -> Json {
    let mut json = identity(urn, new.is_custom);
    let mut put = |key: &str, value: Json, is_there: bool| {
        if is_there {
            json.insert(key.to_owned(), value);
        }
    };
    let object = |object| Json::Object(object_to_json(object, Writing::SHOWN));
    put("inputs", object(&new.inputs), !new.inputs.is_empty());
    let outputs = new.outputs.as_ref().filter(|it| !it.is_empty());
    put(
        "outputs",
        outputs.map_or(Json::Null, object),
        outputs.is_some(),
    );
    put(
        "parent",
        json!(new.parent.as_ref().map(Urn::as_str)),
        new.parent.is_some(),
    );
    put("provider", json!(new.provider), !new.provider.is_empty());
    put(
        "dependencies",
        urns(&new.dependencies),
        !new.dependencies.is_empty(),
    );
    let properties = new.property_dependencies.iter();
    let properties: Map<String, Json> = properties
        .map(|(key, it)| (key.clone(), urns(it)))
        .collect();
    let has_properties = !properties.is_empty();
    put(
        "propertyDependencies",
        Json::Object(properties),
        has_properties,
    );
    let secret = &new.additional_secret_outputs;
    put("additionalSecretOutputs", json!(secret), !secret.is_empty());
    put(
        "replaceOnChanges",
        json!(new.replace_on_changes),
        !new.replace_on_changes.is_empty(),
    );
    put(
        "ignoreChanges",
        json!(new.ignore_changes),
        !new.ignore_changes.is_empty(),
    );
    put("aliases", urns(&new.aliases), !new.aliases.is_empty());
    put("protect", json!(true), new.is_protected);
    put("retainOnDelete", json!(true), new.is_retained_on_delete);
    put(
        "deletedWith",
        json!(new.deleted_with.as_ref().map(Urn::as_str)),
        new.deleted_with.is_some(),
    );
    put(
        "replaceWith",
        urns(&new.replace_with),
        !new.replace_with.is_empty(),
    );
    let trigger = new.replacement_trigger.as_ref();
    put("replacementTrigger", shown(trigger), trigger.is_some());
    Json::Object(json)
}

fn identity(urn: &Urn, is_custom: bool) -> Map<String, Json> {
    Map::from_iter([
        ("urn".to_owned(), json!(urn.as_str())),
        ("custom".to_owned(), json!(is_custom)),
        ("type".to_owned(), json!(urn.type_name())),
    ])
}

fn urns<'a>(urns: impl IntoIterator<Item = &'a Urn>) -> Json {
    urns.into_iter().map(Urn::as_str).collect()
}

fn shown(value: Option<&Value>) -> Json {
    value.map_or(Json::Null, |it| to_json(it, Writing::SHOWN))
}
