//! The results of the conditions, as `checks` has them.
//!
//! Follows OpenTofu's `internal/command/jsonchecks`.

use config::{InstanceKey, ModuleInstanceAddr};
use serde_json::{Map, Value as Json, json};

use super::{mode, with_key};
use crate::checked::{CheckStatus, Checkable, Checked, CheckedInstance};

pub(super) fn checks(checked: &[Checked]) -> Vec<Json> {
    let mut all: Vec<(String, Json)> = checked.iter().map(one).collect();
    all.sort_by(|(a, _), (b, _)| a.cmp(b));
    all.into_iter().map(|(_, json)| json).collect()
}

/// With the address that it is sorted by.
fn one(checked: &Checked) -> (String, Json) {
    let shown = in_module(&checked.module.to_string(), &name(&checked.object));
    let mut addr = Map::new();
    let (kind, name) = match &checked.object {
        Checkable::Resource(resource) => {
            addr.insert("mode".to_owned(), json!(mode(resource.mode)));
            addr.insert("type".to_owned(), json!(resource.r#type.as_str()));
            ("resource", &resource.name)
        }
        Checkable::Output(name) => ("output_value", name),
        Checkable::Check(name) => ("check", name),
        Checkable::Variable(name) => ("var", name),
    };
    addr.insert("kind".to_owned(), json!(kind));
    addr.insert("name".to_owned(), json!(name.as_str()));
    addr.insert("to_display".to_owned(), json!(shown));
    if !checked.module.is_root() {
        addr.insert("module".to_owned(), json!(checked.module.to_string()));
    }
    let mut json = Map::new();
    json.insert("address".to_owned(), addr.into());
    json.insert("status".to_owned(), status(checked.status()));
    let instances = checked.instances.iter().flatten();
    let mut instances: Vec<(String, Json)> =
        instances.map(|it| instance(&checked.object, it)).collect();
    instances.sort_by(|(a, _), (b, _)| a.cmp(b));
    if !instances.is_empty() {
        let instances = instances.into_iter().map(|(_, json)| json).collect();
        json.insert("instances".to_owned(), instances);
    }
    (shown, json.into())
}

fn instance(object: &Checkable, checked: &CheckedInstance) -> (String, Json) {
    let module: &ModuleInstanceAddr = &checked.module;
    let shown = in_module(&module.to_string(), &name(object)) + &checked.key.to_string();
    let mut addr = Map::new();
    addr.insert("to_display".to_owned(), json!(shown));
    if !module.is_root() {
        addr.insert("module".to_owned(), json!(module.to_string()));
    }
    if checked.key != InstanceKey::None {
        with_key(&mut addr, "instance_key", &checked.key);
    }
    let mut json = Map::new();
    json.insert("address".to_owned(), addr.into());
    json.insert("status".to_owned(), status(checked.status));
    let mut problems = checked.problems.clone();
    problems.sort();
    let problems: Vec<Json> = problems
        .into_iter()
        .map(|message| json!({ "message": message }))
        .collect();
    if !problems.is_empty() {
        json.insert("problems".to_owned(), problems.into());
    }
    (shown, json.into())
}

fn name(object: &Checkable) -> String {
    match object {
        Checkable::Resource(addr) => addr.to_string(),
        Checkable::Output(name) => format!("output.{name}"),
        Checkable::Check(name) => format!("check.{name}"),
        Checkable::Variable(name) => format!("var.{name}"),
    }
}

fn in_module(module: &str, name: &str) -> String {
    match module {
        "" => name.to_owned(),
        module => format!("{module}.{name}"),
    }
}

fn status(status: CheckStatus) -> Json {
    json!(match status {
        CheckStatus::Pass => "pass",
        CheckStatus::Unknown => "unknown",
        CheckStatus::Fail => "fail",
        CheckStatus::Error => "error",
    })
}
