//! Actions of Terraform 1.14, and the changes that invoke them.

use std::collections::BTreeMap;

use config::Profile;
use cty::Type;
use plan::{Plan, Surroundings, to_json};
use provider::Rpc;
use provider::fake::FakeProvider;
use schema::{Attribute, Block};
use serde_json::json;

use crate::support::{World, fake, surroundings};

fn provider() -> FakeProvider {
    let string = || Attribute::new(Type::String).optional();
    let attributes = BTreeMap::from([
        ("target".into(), string()),
        (
            "token".into(),
            Attribute {
                write_only: true,
                ..string()
            },
        ),
    ]);
    fake().with_action(
        "fake_restart",
        Block {
            attributes,
            ..Block::default()
        },
    )
}

fn world(text: &str) -> World {
    let surroundings = Surroundings {
        language: plan::LanguageChoice::pinned(Profile::terraform(1, 15, 0)),
        ..surroundings()
    };
    World::with(text, surroundings, provider())
}

/// The invocations, each with the event and the value of `target`.
fn invocations(plan: &Plan) -> Vec<String> {
    let invocations = plan.action_invocations().into_iter();
    invocations
        .map(|it| {
            let target = it.config.get("target").and_then(|it| it.as_str());
            let target = target.unwrap_or_default();
            format!("{} {:?} {target}", it.addr, it.triggered.event)
        })
        .collect()
}

const TRIGGERED: &str = r#"
#- /main.tf
variable "is_on" {
  default = true
}
resource "fake_disk" "a" {
  name = "n"
  lifecycle {
    action_trigger {
      events    = [after_create]
      condition = var.is_on
      actions   = [action.fake_restart.b]
    }
  }
}
action "fake_restart" "b" {
  config {
    target = fake_disk.a.name
  }
}
"#;

#[test]
fn an_invocation_follows_the_edits() {
    let mut world = world(TRIGGERED);
    let plan = world.plan();
    assert_eq!(invocations(&plan), ["action.fake_restart.b AfterCreate n"]);
    let text = TRIGGERED.trim_start().trim_start_matches("#- /main.tf\n");
    let mut edited = |from: &str, to: &str| {
        assert!(text.contains(from), "{from}");
        world.set("/main.tf", &text.replace(from, to));
        invocations(&world.plan())
    };
    let none: [&str; 0] = [];
    assert_eq!(edited("default = true", "default = false"), none);
    assert_eq!(edited("[after_create]", "[after_update]"), none);
    let before = edited("\"n\"", "\"m\"");
    assert_eq!(before, ["action.fake_restart.b AfterCreate m"]);
    assert_eq!(
        edited(
            "actions   = [action.fake_restart.b]",
            "actions = [action.fake_restart.c]"
        ),
        none
    );
    let both = edited("fake_disk.a.name", "\"x\"");
    assert_eq!(both, ["action.fake_restart.b AfterCreate x"]);
    let plans = world.provider.count(Rpc::PlanAction);
    assert_eq!(
        plans, 3,
        "what is invoked with the same configuration is not planned again"
    );
}

#[test]
fn an_invocation_keeps_no_ephemeral_value() {
    let mut world = world(
        r#"
#- /main.tf
variable "token" {
  ephemeral = true
  default   = "MARKER"
}
resource "fake_disk" "a" {
  lifecycle {
    action_trigger {
      events  = [after_create]
      actions = [action.fake_restart.b]
    }
  }
}
action "fake_restart" "b" {
  config {
    target = "t"
    token  = var.token
  }
}
"#,
    );
    let plan = world.plan();
    assert_eq!(invocations(&plan), ["action.fake_restart.b AfterCreate t"]);
    let json = to_json(&plan);
    let values = &json["action_invocations"][0]["config_values"];
    assert_eq!(values, &json!({ "target": "t", "token": null }));
    assert!(!plan::render_document(&plan).contains("MARKER"));
}
