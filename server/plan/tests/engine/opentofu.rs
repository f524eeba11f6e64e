//! What OpenTofu's language has of its own.

use config::Profile;
use expect_test::{Expect, expect};
use plan::{LanguageChoice, Surroundings};

use crate::support::{World, fake, surroundings};

fn check(text: &str, expected: Expect) {
    let mut world = world(text);
    let plan = world.plan();
    expected.assert_eq(&world.show(&plan));
}

/// The fixture's module, in OpenTofu's language.
fn world(text: &str) -> World {
    let surroundings = Surroundings {
        language: LanguageChoice::pinned(Profile::NEWEST_OPENTOFU),
        ..surroundings()
    };
    let text = format!("{text}{REQUIRED}");
    World::with(&text, surroundings, fake())
}

/// The fake provider has the address that it has elsewhere.
const REQUIRED: &str = r#"
#- /versions.tf
terraform {
  required_providers {
    fake = {
      source = "registry.terraform.io/hashicorp/fake"
    }
  }
}
"#;

#[test]
fn a_resource_with_destroy_false_is_forgotten() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- state fake_disk.b[0]
id = "1"
kind = "std"
revision = "r"
#- state fake_disk.b[1]
id = "2"
kind = "std"
revision = "r"
#- /main.tf
resource "fake_disk" "a" {
  zone = "y"
  lifecycle {
    destroy         = false
    prevent_destroy = true
  }
}
resource "fake_disk" "b" {
  count = 1
  lifecycle {
    destroy = false
  }
}
"#,
        expect![[r#"
            ./+ fake_disk.a (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            = fake_disk.b[0]
            . fake_disk.b[1] (forgot_because_lifecycle_destroy_in_config)
            warning at nowhere: Resource will be removed from the state: After this plan is applied, the resource fake_disk.b[1] will not be managed anymore by OpenTofu.
        "#]],
    );
}

#[test]
fn an_object_may_be_switched_off() {
    check(
        r#"
#- state fake_disk.off
id = "1"
kind = "std"
revision = "r"
#- /main.tf
variable "is_on" {
  default = false
}
resource "fake_disk" "off" {
  lifecycle {
    enabled = var.is_on
  }
}
resource "fake_disk" "on" {
  lifecycle {
    enabled = !var.is_on
  }
}
resource "fake_disk" "unknown" {
  lifecycle {
    enabled = fake_disk.on.id == "1"
  }
}
module "off" {
  source = "./m"
  lifecycle {
    enabled = var.is_on
  }
}
output "off" {
  value = fake_disk.off == null && module.off == null
}
#- /m/main.tf
resource "fake_disk" "a" {}
output "id" {
  value = fake_disk.a.id
}
"#,
        expect![[r#"
            - fake_disk.off (delete_because_enabled_false)
            + fake_disk.on
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output off: create true
            label fake_disk.unknown: the number of instances of fake_disk.unknown is known only after apply
            error at `fake_disk.on.id == "1"`: Invalid enabled argument: The given "enabled" argument value is derived from a value that won't be known until the apply phase, so OpenTofu cannot determine whether an instance of this object is declared or not.
        "#]],
    );
}

#[test]
fn an_object_that_is_created_is_a_trigger() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
#- /main.tf
resource "fake_disk" "a" {
  lifecycle {
    replace_triggered_by = [fake_disk.new]
  }
}
resource "fake_disk" "new" {}
"#,
        expect![[r#"
            -/+ fake_disk.a (replace_by_triggers)
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
            + fake_disk.new
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
        "#]],
    );
}

#[test]
fn a_provider_has_a_configuration_for_each_element() {
    let text = r#"
#- /main.tf
locals {
  regions = { a = "north", b = "south" }
}
provider "fake" {
  alias    = "by_region"
  for_each = local.regions
  region   = each.value
}
resource "fake_disk" "each" {
  for_each = local.regions
  provider = fake.by_region[each.key]
}
resource "fake_disk" "gone" {
  provider = fake.by_region["c"]
}
module "m" {
  source    = "./m"
  for_each  = local.regions
  providers = { fake = fake.by_region[each.key] }
}
#- /m/main.tf
terraform {
  required_providers {
    fake = {
      source = "registry.terraform.io/hashicorp/fake"
    }
  }
}
resource "fake_disk" "inner" {}
"#;
    let mut world = world(text);
    let plan = world.plan();
    let planned: Vec<String> = plan.changes().map(|it| it.addr.to_string()).collect();
    assert_eq!(
        planned,
        [
            r#"fake_disk.each["a"]"#,
            r#"fake_disk.each["b"]"#,
            r#"module.m["a"].fake_disk.inner"#,
            r#"module.m["b"].fake_disk.inner"#,
        ]
    );
    let summaries: Vec<&str> = plan
        .all_diagnostics()
        .map(|it| it.summary.as_str())
        .collect();
    assert_eq!(
        summaries,
        [
            "Provider configuration for_each matches module",
            "Provider configuration for_each matches resource",
            "Provider instance not present"
        ]
    );
    assert_eq!(world.provider.count(provider::Rpc::ConfigureProvider), 2);
}

#[test]
fn provider_keys_and_constant_variables_are_judged_as_in_opentofu() {
    let text = r#"
#- /main.tf
resource "terraform_data" "late" {}
provider "fake" {
  alias    = "each"
  for_each = toset(["a"])
}
provider "fake" {
  alias    = "late"
  for_each = toset([terraform_data.late.id])
}
provider "fake" {
  alias = "plain"
}
resource "fake_disk" "without_key" {
  provider = fake.each
}
resource "fake_disk" "with_key" {
  provider = fake.plain["a"]
}
module "m" {
  source   = "./m"
  constant = terraform_data.late.id
}
#- /m/main.tf
variable "constant" {
  const = true
}
"#;
    let mut world = world(text);
    let plan = world.plan();
    let mut summaries: Vec<&str> = plan
        .all_diagnostics()
        .map(|it| it.summary.as_str())
        .collect();
    summaries.sort_unstable();
    assert_eq!(
        summaries,
        [
            "Dynamic value in static context",
            "Dynamic value in static context",
            "Invalid resource provider configuration",
            "Invalid resource provider configuration",
            "Unable to compute static value",
        ]
    );
}

#[test]
fn an_import_needs_known_keys_in_opentofu() {
    for keys in ["null", "toset([terraform_data.late.id])"] {
        let text = format!(
            r#"
#- /main.tf
resource "terraform_data" "late" {{}}
import {{
  for_each = {keys}
  to       = fake_disk.a[each.key]
  id       = "x"
}}
resource "fake_disk" "a" {{
  for_each = toset(["k"])
}}
"#
        );
        let mut world = world(&text);
        let plan = world.plan();
        let summaries: Vec<&str> = plan
            .all_diagnostics()
            .map(|it| it.summary.as_str())
            .collect();
        assert_eq!(summaries, ["Invalid for_each argument"]);
        let mut planned = plan.changes().map(|it| it.addr.to_string());
        assert!(!planned.any(|addr| addr.starts_with("fake_disk")));
    }
}

/// Recorded from OpenTofu 1.12.6.
#[test]
fn an_import_without_a_key_names_an_instance_that_does_not_exist_in_opentofu() {
    let text = r#"
#- /main.tf
resource "terraform_data" "counted" {
  count = 2
}
import {
  to = terraform_data.counted
  id = "one"
}
"#;
    let plan = world(text).plan();
    let problems: Vec<(&str, &str)> = plan
        .all_diagnostics()
        .map(|it| (it.summary.as_str(), it.detail.as_str()))
        .collect();
    assert_eq!(
        problems,
        [(
            "Configuration for import target does not exist",
            "The configuration for the given import terraform_data.counted does not exist. All target instances must have an associated configuration to be imported."
        )]
    );
}

#[test]
fn prevent_destroy_is_an_error_of_each_instance_that_is_planned() {
    check(
        r#"
resource "fake_disk" "a" {
  count = 2
  zone  = "x"
  lifecycle {
    prevent_destroy = count.index == 0
  }
}
resource "fake_disk" "none" {
  count = 0
  zone  = "x"
  lifecycle {
    prevent_destroy = count.index == 0
  }
}
"#,
        expect![[r#"
            + fake_disk.a[0]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                zone: null -> "x"
            + fake_disk.a[1]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                zone: null -> "x"
            error at `count.index`: Invalid reference in prevent_destroy: A prevent_destroy argument cannot refer to count.index, because OpenTofu needs to evaluate this argument for instances that have already been removed from the configuration and so whose per-instance data is no longer available.
            error at `count.index`: Invalid reference in prevent_destroy: A prevent_destroy argument cannot refer to count.index, because OpenTofu needs to evaluate this argument for instances that have already been removed from the configuration and so whose per-instance data is no longer available.
        "#]],
    );
}
