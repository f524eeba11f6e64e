//! Functions that providers define: they are asked between two evaluations of a node, once for equal arguments.

use cty::{Type, Value};
use expect_test::expect;
use provider::{FunctionError, Rpc};
use schema::{DescriptionKind, FunctionParameter, FunctionSignature};

use crate::support::{World, fake, surroundings};

const REQUIRED: &str = r#"
terraform {
  required_providers {
    fake = {
      source = "hashicorp/fake"
    }
    absent = {
      source = "nobody/absent"
    }
    builtin = {
      source = "terraform.io/builtin/terraform"
    }
  }
}
"#;

/// `shout` makes a text upper case, and refuses an empty one.
fn world(text: &str) -> World {
    let signature = FunctionSignature {
        parameters: vec![FunctionParameter {
            name: "text".into(),
            ty: Type::String,
            allow_null_value: false,
            allow_unknown_values: false,
            description: "".into(),
            description_kind: DescriptionKind::Plain,
        }],
        variadic_parameter: None,
        return_type: Type::String,
        summary: "".into(),
        description: "".into(),
        description_kind: DescriptionKind::Plain,
        deprecation_message: "".into(),
    };
    let provider = fake().with_function("shout", signature, |arguments| {
        match arguments[0].as_str().unwrap() {
            "" => Err(FunctionError {
                text: "nothing to shout".to_owned(),
                argument: Some(0),
            }),
            text => Ok(Value::string(text.to_uppercase())),
        }
    });
    World::with(&format!("{REQUIRED}{text}"), surroundings(), provider)
}

#[test]
fn the_answer_of_a_provider_is_a_value_like_any_other() {
    let mut world = world(
        r#"
locals {
  loud = provider::fake::shout(provider::fake::shout("a"))
}
resource "fake_disk" "a" {
  for_each = toset([local.loud, provider::fake::shout("b")])
  zone     = provider::fake::shout(each.key)
}
output "unknown" {
  value = provider::fake::shout(fake_disk.a["A"].id)
}
output "secret" {
  value     = provider::fake::shout(sensitive("s"))
  sensitive = true
}
output "builtin" {
  value = provider::builtin::decode_tfvars("x = 1")
}
"#,
    );
    let plan = world.plan();
    expect![[r#"
        + fake_disk.a["A"]
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            zone: null -> "A"
        + fake_disk.a["B"]
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            zone: null -> "B"
        output builtin: create {"x": 1}
        output secret: create (sensitive)
        output unknown: create unknown(string)
    "#]]
    .assert_eq(&world.show(&plan));
    // A and B are asked about twice, but once each: they are in the answers already.
    assert_eq!(world.provider.count(Rpc::CallFunction), 5);
    world.plan();
    assert_eq!(world.provider.count(Rpc::CallFunction), 5);
}

#[test]
fn errors_in_function_calls_have_terraforms_words() {
    let mut world = world(
        r#"
output "refused" {
  value = provider::fake::shout("")
}
output "tried" {
  value = try(provider::fake::shout(""), "quiet")
}
output "misspelt" {
  value = provider::fake::shut("a")
}
output "undeclared" {
  value = provider::other::shout("a")
}
output "absent" {
  value = provider::absent::shout("a")
}
output "null" {
  value = provider::fake::shout(null)
}
output "type" {
  value = provider::fake::shout([])
}
output "count" {
  value = provider::fake::shout()
}
"#,
    );
    let plan = world.plan();
    expect![[r#"
        output absent: create unknown(any)
        output tried: create "quiet"
        error at `""`: Invalid function argument: Invalid value for "text" parameter: nothing to shout.
        error at `)`: Not enough function arguments: Function "provider::fake::shout" expects 1 argument(s). Missing value for "text".
        error at `[]`: Invalid function argument: Invalid value for "text" parameter: string required.
        error at `null`: Invalid function argument: Invalid value for "text" parameter: argument must not be null.
        error at `provider::fake::shut`: Unknown provider function: The function "shut" is not available from the provider "fake".
        error at `provider::other::shout`: Unknown provider function: There is no function named "provider::other::shout". Ensure that provider name "other" is declared in this module's required_providers block, and that this provider offers a function named "shout".
        note at `provider::absent::shout`: Provider function not called: The result of "provider::absent::shout" is not computed, so it is unknown here: provider registry.terraform.io/nobody/absent is not installed: run `terraform init`.
    "#]].assert_eq(&world.show(&plan));
}
