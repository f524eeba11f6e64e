//! One fault is one diagnostic: what follows from it is not told again.

use config::Profile;
use expect_test::{Expect, expect};
use plan::{LanguageChoice, Options};

use crate::support::{World, check, fake, surroundings};

/// As [`check`], in the language of OpenTofu.
fn check_opentofu(text: &str, expect: Expect) {
    let mut surroundings = surroundings();
    surroundings.language = LanguageChoice::pinned(Profile::NEWEST_OPENTOFU);
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    expect.assert_eq(&world.show(&plan));
}

#[test]
fn errors_that_follow_a_broken_provider_promise_are_omitted() {
    check(
        r#"
#- /main.tf
resource "fake_disk" "a" {
  size = 1
  lifecycle {
    postcondition {
      condition     = self.size > 5
      error_message = "Too small."
    }
  }
}
output "names" {
  value = [0][fake_disk.a.size]
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
            output names: create unknown(any)
            error at `self.size > 5`: Resource postcondition failed: Too small.
        "#]],
    );
}

#[test]
fn a_count_unknown_because_of_a_failure_is_not_reported() {
    check(
        r#"
#- /main.tf
variable "size" {}
resource "fake_disk" "a" {
  count = var.size
}
"#,
        expect![[r#"
            label fake_disk.a: the instances of fake_disk.a cannot be determined
            error at `variable "size"`: No value for required variable: The root module input variable "size" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
        "#]],
    );
}

#[test]
fn instances_that_refer_to_each_other_are_a_cycle() {
    check(
        r#"
#- /main.tf
resource "fake_disk" "all" {
  count = 2
  name  = fake_disk.all[*].id[0]
}
resource "fake_disk" "first" {
  count = 2
  name  = fake_disk.first[0].id
}
"#,
        expect![[r#"
            error at `fake_disk.first[0]`: Self-referential block: Configuration for fake_disk.first[0] may not refer to itself.
            error at `resource "fake_disk" "all"`: Cycle: fake_disk.all[0], fake_disk.all[1]
        "#]],
    );
}

#[test]
fn prevent_destroy_is_any_expression_in_opentofu() {
    check_opentofu(
        r#"
#- state fake_disk.kept
id = "1"
zone = "x"
#- state fake_disk.unsure
id = "2"
zone = "x"
#- state fake_disk.wrong
id = "3"
zone = "x"
#- /main.tf
terraform {
  required_providers {
    fake = { source = "registry.terraform.io/hashicorp/fake" }
  }
}
locals {
  keep = "true"
}
resource "fake_disk" "new" {}
resource "fake_disk" "kept" {
  zone = "y"
  lifecycle {
    prevent_destroy = local.keep
  }
}
resource "fake_disk" "unsure" {
  zone = "y"
  lifecycle {
    prevent_destroy = fake_disk.new.id == "x"
  }
}
resource "fake_disk" "wrong" {
  zone = "x"
  lifecycle {
    prevent_destroy = []
  }
}
"#,
        expect![[r#"
            -/+ fake_disk.kept (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                kind: null -> "std"
                revision: null -> unknown(string)
                zone: "x" -> "y"
            + fake_disk.new
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            -/+ fake_disk.unsure (replace_because_cannot_update) because of .zone
                id: "2" -> unknown(string)
                kind: null -> "std"
                revision: null -> unknown(string)
                zone: "x" -> "y"
            ~ fake_disk.wrong
                kind: null -> "std"
                revision: null -> unknown(string)
            error at `[]`: Invalid value for prevent_destroy: Resource instance fake_disk.wrong has an invalid value for its prevent_destroy argument: bool required, but have tuple.
            error at `fake_disk.new.id == "x"`: Invalid value for prevent_destroy: Resource instance fake_disk.unsure has a prevent_destroy argument but its value will not be known until the apply step, so OpenTofu can't predict whether destroying this is acceptable.
            error at `resource "fake_disk" "kept"`: Resource instance cannot be destroyed: Resource instance fake_disk.kept has prevent_destroy set, but the plan calls for it to be destroyed.
        "#]],
    );
}

#[test]
fn moved_resources_have_to_be_among_the_targets() {
    let mut world = World::new(
        r#"
#- state fake_disk.a
id = "1"
#- /main.tf
resource "fake_disk" "b" {}
moved {
  from = fake_disk.a
  to   = fake_disk.b
}
resource "fake_disk" "c" {}
moved {
  from = fake_disk.c
  to   = fake_disk.d
}
"#,
    );
    let options = Options {
        targets: vec!["fake_disk.b".parse().unwrap()],
        ..Options::default()
    };
    world.request.options = options.into();
    let plan = world.plan();
    let reported: Vec<&str> = plan
        .all_diagnostics()
        .map(|it| it.summary.as_str())
        .collect();
    expect![[r#"
        Resource targeting is in effect
        Moved resource instances excluded by targeting"#]]
    .assert_eq(&reported.join("\n"));
}

#[test]
fn an_object_whose_provider_configuration_is_gone_cant_be_destroyed() {
    check(
        r#"
#- state fake_disk.a provider=east
id = "1"
#- /main.tf
locals {}
"#,
        expect![[r#"
            error at nowhere: Provider configuration not present: To work with fake_disk.a (orphan) its original provider configuration at provider["registry.terraform.io/hashicorp/fake"].east is required, but it has been removed. This occurs when a provider configuration is removed while objects created by that provider still exist in the state. Re-add the provider configuration to destroy fake_disk.a (orphan), after which you can remove the provider configuration again.
        "#]],
    );
}

#[test]
fn an_operation_on_the_root_of_a_reference_is_reported_once() {
    check(
        r#"
#- /main.tf
locals {
  a = 1
}
output "a" {
  value = local["a"]
}
"#,
        expect![[r#"
            error at `["a"]`: Invalid reference: The "local" object does not support this operation.
        "#]],
    );
}

#[test]
fn a_provisioner_that_is_wrong_is_reported_by_the_plan() {
    check(
        r#"
#- /main.tf
resource "fake_disk" "a" {
  size = 1
  provisioner "local-exec" {
    comand = self.id
  }
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
            error at `comand`: Unsupported argument: An argument named "comand" is not expected here. Did you mean "command"?
            error at `{`: Missing required argument: The argument "command" is required, but no definition was found.
        "#]],
    );
}

#[test]
fn a_name_that_is_like_no_provisioner_may_be_of_a_plugin() {
    check(
        r#"
#- /main.tf
resource "fake_disk" "a" {
  size = 1
  provisioner "ansible" {
    plays = self.id
  }
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
        "#]],
    );
}

#[test]
fn opentofu_has_words_of_its_own_for_sets() {
    check_opentofu(
        r#"
#- /main.tf
resource "fake_disk" "a" {
  for_each = toset([{ size = 1 }])
  size     = each.value.size
}
"#,
        expect![[r#"
            label fake_disk.a: provider registry.opentofu.org/hashicorp/fake is not installed: run `terraform init`
            error at `toset([{ size = 1 }])`: Invalid for_each argument: The given "for_each" argument value is unsuitable: "for_each" supports sets of strings, but you have provided a set containing type object.
        "#]],
    );
}
