//! A plan as `pulumi preview --json` prints it.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::json::{UNKNOWN, Writing, number_to_json, object_to_json, to_json};
use crate::path::Path;
use crate::plan::{NewResource, Plan, Step};
use crate::state::OldResource;
use crate::step::Op;
use crate::urn::{PROVIDER_PREFIX, Urn};
use crate::value::{Object, Value};

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

/// Reasons why the plan is not complete, as text.
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
    // What is taken over is not of the stack yet.
    if let Some(old) = step.old.as_ref().filter(|_| step.op != Op::Import) {
        let is_replaced = matches!(
            step.op,
            Op::Replace {
                deletes_first: false
            }
        );
        json.insert("oldState".to_owned(), old_state(old, is_replaced));
    }
    if let Some(new) = &step.new {
        json.insert("newState".to_owned(), new_state(step, new));
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

/// The description of a resource in the state or after the update.
struct Reported<'a> {
    urn: &'a Urn,
    is_custom: bool,
    is_to_delete: bool,
    id: &'a str,
    inputs: &'a Object,
    outputs: Option<&'a Object>,
    parent: Option<&'a Urn>,
    provider: &'a str,
    dependencies: Json,
    property_dependencies: Map<String, Json>,
    additional_secret_outputs: &'a [String],
    replace_on_changes: &'a [String],
    ignore_changes: &'a [String],
    aliases: &'a [Urn],
    is_protected: bool,
    is_external: bool,
    is_retained_on_delete: bool,
    is_tainted: bool,
    deleted_with: Option<&'a Urn>,
    replace_with: &'a [Urn],
    replacement_trigger: Option<&'a Value>,
    hide_diffs: &'a [String],
    custom_timeouts: &'a BTreeMap<String, f64>,
    import_id: Option<&'a str>,
}

fn old_state(old: &OldResource, is_replaced: bool) -> Json {
    let properties = old.property_dependencies.iter();
    let reported = Reported {
        urn: &old.urn,
        is_custom: old.is_custom,
        is_to_delete: is_replaced || old.is_to_delete,
        id: &old.id,
        inputs: &old.inputs,
        outputs: Some(&old.outputs),
        parent: old.parent.as_ref(),
        provider: &old.provider,
        dependencies: urns(&old.dependencies),
        property_dependencies: properties
            .map(|(key, it)| (key.clone(), urns(it)))
            .collect(),
        additional_secret_outputs: &old.additional_secret_outputs,
        replace_on_changes: &old.replace_on_changes,
        ignore_changes: &old.ignore_changes,
        aliases: &old.aliases,
        is_protected: old.is_protected,
        is_external: old.is_external,
        is_retained_on_delete: old.is_retained_on_delete,
        is_tainted: old.is_tainted,
        deleted_with: old.deleted_with.as_ref(),
        replace_with: &old.replace_with,
        replacement_trigger: old.replacement_trigger.as_ref(),
        hide_diffs: &old.hide_diffs,
        custom_timeouts: &old.custom_timeouts,
        import_id: old.import_id.as_deref(),
    };
    reported.json()
}

fn new_state(step: &Step, new: &NewResource) -> Json {
    let properties = new.property_dependencies.iter();
    let is_provider = step.urn.type_name().starts_with(PROVIDER_PREFIX);
    let reported = Reported {
        urn: &step.urn,
        is_custom: new.is_custom,
        is_to_delete: false,
        id: match (step.op, &step.old) {
            (Op::Read, _) => new.id.as_deref().unwrap_or_default(),
            (Op::Replace { .. }, _) if !is_provider => new.id.as_deref().unwrap_or_default(),
            (
                Op::Update
                | Op::Replace {
                    deletes_first: false,
                },
                Some(_),
            ) if is_provider => UNKNOWN,
            _ => "",
        },
        inputs: &new.inputs,
        outputs: new.outputs.as_ref(),
        parent: new.parent.as_ref(),
        provider: &new.provider,
        dependencies: urns(&new.dependencies),
        property_dependencies: properties
            .map(|(key, it)| (key.clone(), urns(it)))
            .collect(),
        additional_secret_outputs: &new.additional_secret_outputs,
        replace_on_changes: &new.replace_on_changes,
        ignore_changes: &new.ignore_changes,
        aliases: &new.aliases,
        is_protected: new.is_protected,
        is_external: new.is_external,
        is_retained_on_delete: new.is_retained_on_delete,
        is_tainted: false,
        deleted_with: new.deleted_with.as_ref(),
        replace_with: &new.replace_with,
        replacement_trigger: new.replacement_trigger.as_ref(),
        hide_diffs: &new.hide_diffs,
        custom_timeouts: &new.custom_timeouts,
        import_id: new.import_id.as_deref(),
    };
    reported.json()
}

impl Reported<'_> {
    /// Empty values are left out.
    fn json(self) -> Json {
        let mut json = identity(self.urn, self.is_custom);
        let mut put = |key: &str, value: Json| {
            let is_empty = match &value {
                Json::Null | Json::Bool(false) => true,
                Json::String(text) => text.is_empty(),
                Json::Array(elements) => elements.is_empty(),
                Json::Object(object) => object.is_empty(),
                Json::Bool(true) | Json::Number(_) => false,
            };
            if !is_empty {
                json.insert(key.to_owned(), value);
            }
        };
        let object = |object| Json::Object(object_to_json(object, Writing::SHOWN));
        let one = |urn: Option<&Urn>| json!(urn.map(Urn::as_str));
        put("delete", json!(self.is_to_delete));
        put("id", json!(self.id));
        put("inputs", object(self.inputs));
        put("outputs", self.outputs.map_or(Json::Null, object));
        put("parent", one(self.parent));
        put("provider", json!(self.provider));
        put("dependencies", self.dependencies);
        put(
            "propertyDependencies",
            Json::Object(self.property_dependencies),
        );
        put(
            "additionalSecretOutputs",
            json!(self.additional_secret_outputs),
        );
        put("replaceOnChanges", json!(self.replace_on_changes));
        put("ignoreChanges", json!(self.ignore_changes));
        put("aliases", urns(self.aliases));
        put("protect", json!(self.is_protected));
        put("external", json!(self.is_external));
        put("retainOnDelete", json!(self.is_retained_on_delete));
        put("taint", json!(self.is_tainted));
        put("deletedWith", one(self.deleted_with));
        put("replaceWith", urns(self.replace_with));
        let hidden = self.hide_diffs.iter();
        let printed = |it: &String| Path::parse(it).map_or_else(|_| it.clone(), |it| it.printed());
        put("hideDiff", hidden.map(printed).collect());
        let timeouts = self.custom_timeouts.iter();
        let timeouts = timeouts.map(|(key, it)| (key.clone(), number_to_json(*it)));
        put("customTimeouts", Json::Object(timeouts.collect()));
        put("importID", json!(self.import_id));
        if let Some(trigger) = self.replacement_trigger {
            json.insert(
                "replacementTrigger".to_owned(),
                to_json(trigger, Writing::SHOWN),
            );
        }
        Json::Object(json)
    }
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
