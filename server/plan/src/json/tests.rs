//! The peers' cases of the plan as JSON, where they are on this machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::ProviderAddr;
use cty::testing::{path as read_path, table, value as read};
use schema::{Block, Schema};
use serde_json::{Value as Json, json};

use super::*;

/// Outputs of called modules are no part of a plan of ours.
const LEFT_OUT: &str = "skips non root modules";

#[test]
fn opentofu_command_jsonplan() {
    let Some(rows) = table("tables/opentofu_command_jsonplan.jsonl") else {
        report("opentofu_command_jsonplan: SKIPPED, not on this machine");
        return;
    };
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    let mut failures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let test = row["test"].as_str().unwrap();
        if row["key"] == LEFT_OUT {
            report(&format!("{test} {LEFT_OUT:?}: not run: there are none"));
            continue;
        }
        let (passed, all) = counts.entry(test).or_default();
        *all += 1;
        let (ours, wanted) = run(test, &row["case"]);
        match ours == wanted {
            true => *passed += 1,
            false => failures.push(format!("row {index} {test}: {ours} instead of {wanted}")),
        }
    }
    for (test, (passed, all)) in counts {
        report(&format!(
            "opentofu_command_jsonplan {test}: {passed} of {all}"
        ));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Our answer, and the wanted one.
fn run(test: &str, case: &Json) -> (Json, Json) {
    let plain_of = |json: &Json| read(json).map_or(Json::Null, |it| plain(&it.unmark_deep().0));
    match test {
        // A wholly unknown object has no value.
        "TestOmitUnknowns" => {
            let ours = known(&read(&case["Input"]).unwrap()).unwrap_or(Json::Null);
            (ours, plain_of(&case["Want"]))
        }
        "TestUnknownAsBool" => {
            let ours = unknown_as_bool(&read(&case["Input"]).unwrap());
            (ours, plain_of(&case["Want"]))
        }
        "TestEncodePaths" => {
            let sets = case["Input"]["set"]["vals"].as_object().unwrap().values();
            let paths = sets.flat_map(|set| set.as_array().unwrap());
            let mut ours: Vec<Json> = paths.map(|it| path(&read_path(it).unwrap())).collect();
            // The set has no order that means something.
            ours.sort_by_key(ToString::to_string);
            let mut wanted = case["Want"].as_array().cloned().unwrap_or_default();
            wanted.sort_by_key(ToString::to_string);
            (json!(ours), json!(wanted))
        }
        "TestOutputs" => {
            let null = || Value::null(Type::Dynamic);
            let changes = case["changes"]["Outputs"].as_array().unwrap().iter();
            let ours = changes.map(|json| {
                let name = json["Addr"]["OutputValue"]["Name"].as_str().unwrap();
                let output = output(Action::Create, null(), null(), false);
                (name.to_owned(), output_change(&output))
            });
            (ours.collect(), renamed(&case["expected"]))
        }
        "TestGenerateChange" => {
            let value = |name: &str| read(&case[name]).unwrap();
            let (before, after) = (value("val1"), value("val2"));
            let is_sensitive = after.has_mark(&Mark::Sensitive);
            let before = before.unmark_deep().0;
            let output = output(Action::Update, before, after.unmark_deep().0, is_sensitive);
            let mut ours = output_change(&output);
            ours.as_object_mut().unwrap().remove("actions");
            (ours, renamed(&case["expected"]))
        }
        "TestMarshalAttributeValues" => (plain_of(&case["Attr"]), case["Want"].clone()),
        "TestMarshalPlanResources" => {
            let (before, after) = (
                read(&case["Before"]).unwrap(),
                read(&case["After"]).unwrap(),
            );
            let change = ResourceInstanceChange {
                addr: "test_thing.example".parse().unwrap(),
                previous_addr: None,
                deposed: None,
                provider: ProviderAddr::implied_on(config::Product::OpenTofu.registry(), "test"),
                schema: Arc::new(Schema::new(1, Block::default())),
                action: Action::Create,
                reason: None,
                before,
                after,
                replace_paths: Vec::new(),
                importing: None,
                identity: None,
                generated_config: None,
            };
            let mut wanted = renamed(&case["Want"]);
            let wanted_fields = wanted[0].as_object_mut().unwrap();
            wanted_fields.retain(|name, field| name != "values" || *field != json!({}));
            (json!([values::resource(&change, None)]), wanted)
        }
        _ => panic!("{test} is not known"),
    }
}

fn output(action: Action, before: Value, after: Value, is_sensitive: bool) -> OutputChange {
    OutputChange {
        name: "it".into(),
        action,
        before,
        after,
        is_sensitive,
    }
}

/// Fields of Go's structs by the names that they have in JSON. Unknown ones are left out.
fn renamed(json: &Json) -> Json {
    const NAMES: [(&str, &str); 14] = [
        ("Actions", "actions"),
        ("Address", "address"),
        ("After", "after"),
        ("AfterSensitive", "after_sensitive"),
        ("AfterUnknown", "after_unknown"),
        ("AttributeValues", "values"),
        ("Before", "before"),
        ("BeforeSensitive", "before_sensitive"),
        ("Mode", "mode"),
        ("Name", "name"),
        ("ProviderName", "provider_name"),
        ("SchemaVersion", "schema_version"),
        ("SensitiveValues", "sensitive_values"),
        ("Type", "type"),
    ];
    match json {
        Json::Object(fields) => fields
            .iter()
            .map(|(name, value)| {
                let known = NAMES.iter().find(|(theirs, _)| theirs == name);
                let name = known.map_or(name.as_str(), |(_, ours)| ours);
                (name.to_owned(), renamed(value))
            })
            .collect(),
        Json::Array(elements) => elements.iter().map(renamed).collect(),
        other => other.clone(),
    }
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}
