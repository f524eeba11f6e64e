//! How the fake itself behaves.

use cty::{Path, Type};
use schema::Attribute;

use super::*;

fn disk() -> FakeProvider {
    let string = Attribute::new(Type::String);
    let attributes = BTreeMap::from([
        ("id".into(), string.clone().computed()),
        ("label".into(), string.clone().optional()),
        ("revision".into(), string.clone().computed()),
        ("zone".into(), string.required()),
    ]);
    let resource = FakeResource::new(Block {
        attributes,
        ..Block::default()
    })
    .with("zone", Behaviour::ForcesReplacement)
    .with("label", Behaviour::IgnoresCase)
    .with("revision", Behaviour::KnownAfterApply);
    FakeProvider::new().with_resource("fake_disk", resource)
}

fn value(id: &str, label: &str, revision: &str, zone: &str) -> Value {
    let text = |text: &str| match text {
        "" => Value::null(Type::String),
        "?" => Value::unknown(Type::String),
        text => Value::string(text),
    };
    let values = [
        ("id", id),
        ("label", label),
        ("revision", revision),
        ("zone", zone),
    ];
    Value::object(values.map(|(name, value)| (name, text(value))))
}

fn plan(provider: &FakeProvider, prior: &Value, proposed: Value) -> PlanResponse {
    let config = Value::object(proposed.as_map().unwrap().iter().map(|(name, value)| {
        let is_computed = matches!(name.as_str(), "id" | "revision");
        (
            name,
            if is_computed {
                Value::null(Type::String)
            } else {
                value.clone()
            },
        )
    }));
    let request = PlanRequest {
        type_name: "fake_disk".into(),
        prior_state: prior.clone(),
        proposed_new_state: proposed,
        config,
        prior_private: Bytes::new(),
        provider_meta: None,
        prior_identity: None,
    };
    provider
        .plan_resource_change(request)
        .now_or_never()
        .unwrap()
        .unwrap()
}

#[test]
fn attributes_behave_as_configured() {
    let provider = disk();
    let none = Value::null(
        provider
            .resource("fake_disk")
            .unwrap()
            .schema
            .implied_type()
            .clone(),
    );
    let created = plan(&provider, &none, value("", "a", "", "x"));
    assert_eq!(created.planned_state, value("?", "a", "?", "x"));
    let prior = value("1", "a", "r", "x");
    let same = plan(&provider, &prior, value("1", "A", "r", "x"));
    assert_eq!(same.planned_state, prior);
    let updated = plan(&provider, &prior, value("1", "b", "r", "x"));
    assert_eq!(updated.planned_state, value("1", "b", "?", "x"));
    assert_eq!(updated.requires_replace, []);
    let replaced = plan(&provider, &prior, value("1", "a", "r", "y"));
    assert_eq!(replaced.requires_replace, [Path::new().attr("zone")]);
    assert_eq!(provider.count(Rpc::PlanResourceChange), 4);
}

#[test]
#[should_panic(expected = "ReadResource")]
fn other_calls_than_those_allowed_fail_the_test() {
    let provider = disk();
    let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        provider.record_of(Rpc::ReadResource, "fake_disk", None);
    }));
}
