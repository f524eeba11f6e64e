//! What is wrong costs only what depends on it.

use std::sync::Arc;

use bytes::Bytes;
use expect_test::expect;
use plan::{BehindErrors, Options};
use provider::fake::{FakeDataSource, FakeResource};
use provider::{
    DeferredReason, ImportResponse, PlanResponse, ReadDataSourceResponse, ReadResponse, Rpc,
};
use schema::Block;

use crate::support::{World, check, disk_block, fake, surroundings};

/// As for `planlens plan`, which leaves out the objects behind an error.
fn world_of_a_command(text: &str) -> World {
    let mut world = World::new(text);
    world.request.options = Arc::new(Options {
        behind_errors: BehindErrors::LeftOut,
        ..Options::default()
    });
    world
}

#[test]
fn a_cycle_is_reported_and_the_rest_is_planned() {
    check(
        r#"
locals {
  a = local.b
  b = local.a
  c = "${local.a}!"
}
resource "fake_disk" "x" {
  name = fake_disk.y.id
}
resource "fake_disk" "y" {
  name = fake_disk.x.id
}
resource "fake_disk" "z" {
  name = fake_disk.y.id
}
resource "fake_disk" "apart" {
}
"#,
        expect![[r#"
            + fake_disk.apart
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.z
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.x: fake_disk.x refers to itself through other objects
            label fake_disk.y: fake_disk.y refers to itself through other objects
            label fake_disk.z: it depends on fake_disk.x, which has errors
            error at `a`: Cycle: local.a (expand), local.b (expand)
            error at `b`: Cycle: local.a (expand), local.b (expand)
            error at `resource "fake_disk" "x"`: Cycle: fake_disk.x, fake_disk.y
            error at `resource "fake_disk" "y"`: Cycle: fake_disk.x, fake_disk.y
        "#]],
    );
}

/// The editor shows what can be known of them all the same; Terraform does not get to them.
#[test]
fn dependents_of_a_failure_are_left_out_on_request() {
    let text = r#"
variable "small" {
  default = 1
  validation {
    condition     = var.small > 5
    error_message = "Too small."
  }
}
locals {
  wrong = tonumber(local.text)
  text  = fake_disk.apart.name
}
resource "fake_disk" "a" {
  count = 2
  name  = "a"
  lifecycle {
    precondition {
      condition     = count.index == 0
      error_message = "Not the first."
    }
  }
}
resource "fake_disk" "b" {
  name = fake_disk.a[0].name
  lifecycle {
    precondition {
      condition     = fake_disk.a[0].name == "b"
      error_message = "Told only where it is shown."
    }
  }
}
resource "fake_disk" "of_local" {
  size = local.wrong
}
resource "fake_disk" "of_variable" {
  size = var.small
}
resource "fake_disk" "apart" {
  name = "apart"
}
output "a" {
  value = fake_disk.a[0].name
}
output "apart" {
  value = fake_disk.apart.name
}
"#;
    let mut world = world_of_a_command(text);
    let plan = world.plan();
    expect![[r#"
        + fake_disk.a[0]
            id: null -> unknown(string)
            kind: null -> "std"
            name: null -> "a"
            password: null -> (sensitive)
            revision: null -> unknown(string)
        + fake_disk.apart
            id: null -> unknown(string)
            kind: null -> "std"
            name: null -> "apart"
            password: null -> (sensitive)
            revision: null -> unknown(string)
        output apart: create "apart"
        error at `count.index == 0`: Resource precondition failed: Not the first.
        error at `local.text`: Invalid function argument: Invalid value for "v" parameter: cannot convert "apart" to number; given string must be a decimal representation of a number.
        error at `variable "small"`: Invalid value for variable: Too small.
    "#]].assert_eq(&world.show(&plan));
}

/// As Terraform does: the reference that can't be right is the only error of its expression, and errors of values do not show
/// beside a missing object.
#[test]
fn a_command_reports_the_wrong_reference_alone() {
    let text = r#"
#- /main.tf
locals {
  function = nope(var.missing)
  values   = [var.missing, local.missing, fake_disk.missing.id]
  itself   = { a = local.itself }
}
resource "fake_disk" "counted" {
  count = length(fake_disk.counted)
}
check "scoped" {
  data "fake_image" "here" {
    id = var.missing
  }
  assert {
    condition     = data.fake_image.here.id != ""
    error_message = "no"
  }
}
"#;
    let mut world = world_of_a_command(text);
    let plan = world.plan();
    expect![[r#"
        <= data.fake_image.here (read_because_config_unknown)
            id: null -> unknown(string)
        label fake_disk.counted: the instances of fake_disk.counted cannot be determined
        error at `fake_disk.counted`: Self-referential block: Configuration for fake_disk.counted may not refer to itself.
        error at `fake_disk.missing`: Reference to undeclared resource: A managed resource "fake_disk" "missing" has not been declared in the root module.
        error at `local.itself`: Self-referencing local value: Local value local.itself cannot use its own result as part of its expression.
        error at `var.missing`: Reference to undeclared input variable: An input variable with the name "missing" has not been declared. This variable can be declared with a variable "missing" {} block.
        error at `var.missing`: Reference to undeclared input variable: An input variable with the name "missing" has not been declared. This variable can be declared with a variable "missing" {} block.
    "#]].assert_eq(&world.show(&plan));
}

/// Terraform looks for references by the schema.
#[test]
fn references_in_unsupported_arguments_do_not_count() {
    let text = r#"
#- /main.tf
resource "fake_disk" "a" {
  nmae = var.missing
}
resource "fake_disk" "b" {
  name = upper(1, 2)
}
resource "fake_disk" "c" {
  nmae = fake_disk.b.id
}
resource "fake_disk" "d" {
  nmae {
    size = fake_disk.missing.id
  }
}
"#;
    let mut world = world_of_a_command(text);
    let plan = world.plan();
    expect![[r#"
        error at `2`: Too many function arguments: Function "upper" expects only 1 argument(s).
        error at `nmae`: Unsupported argument: An argument named "nmae" is not expected here. Did you mean "name"?
        error at `nmae`: Unsupported argument: An argument named "nmae" is not expected here. Did you mean "name"?
        error at `nmae`: Unsupported block type: Blocks of type "nmae" are not expected here.
    "#]].assert_eq(&world.show(&plan));
}

/// Conditions, messages and `for_each` of `dynamic` blocks are evaluated without names then.
#[test]
fn a_rule_with_a_wrong_reference_has_no_names() {
    let text = r#"
#- /main.tf
resource "fake_disk" "a" {
  lifecycle {
    precondition {
      condition     = fake_disk.missing.size == local.one
      error_message = "${local.one}"
    }
  }
}
check "message" {
  assert {
    condition     = fake_disk.missing.size == local.one
    error_message = "${local.one}"
  }
}
locals {
  one = 1
}
"#;
    let mut world = world_of_a_command(text);
    let plan = world.plan();
    expect![[r#"
        + fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
        error at `fake_disk.missing`: Reference to undeclared resource: A managed resource "fake_disk" "missing" has not been declared in the root module.
        error at `fake_disk.missing`: Reference to undeclared resource: A managed resource "fake_disk" "missing" has not been declared in the root module.
        error at `local`: Unknown variable: There is no variable named "local".
        error at `local`: Unknown variable: There is no variable named "local".
        warning at `fake_disk.missing.size == local.one`: Check block assertion known after apply: The condition could not be evaluated at this time, a result will be known when this plan is applied.
    "#]].assert_eq(&world.show(&plan));
}

/// The second call is not reached, and its module has the places of the first.
#[test]
fn an_error_in_a_module_that_is_called_twice_is_reported() {
    let text = r#"
#- /main.tf
module "first" {
  source = "./m"
}
module "second" {
  source     = "./m"
  depends_on = [module.first]
}
#- /m/main.tf
resource "fake_disk" "a" {
  size = local.missing
}
"#;
    let mut world = world_of_a_command(text);
    let plan = world.plan();
    expect![[r#"
        + module.first.fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            size: null -> unknown(number)
        error at `local.missing`: Reference to undeclared local value: A local value with the name "missing" has not been declared.
    "#]].assert_eq(&world.show(&plan));
}

#[test]
fn planned_dependents_of_a_failure_are_labelled() {
    let text = r#"
#- /main.tf
variable "unset" {}
locals {
  wrong = tonumber("x")
}
resource "fake_disk" "direct" {
  size = local.wrong
}
resource "fake_disk" "behind" {
  name = fake_disk.direct.id
}
resource "fake_disk" "of_unset" {
  name = var.unset
}
module "m" {
  source = "./m"
  size   = local.wrong
}
#- /m/main.tf
variable "size" {}
resource "fake_disk" "called" {
  size = var.size
}
resource "fake_disk" "apart" {}
"#;
    let mut world = World::new(text);
    let labels = |plan: &plan::Plan| -> Vec<String> {
        let label = |(addr, label): (&_, &plan::Caveat)| format!("{addr}: {label}");
        plan.caveats().map(label).collect()
    };
    let plan = world.plan();
    assert_eq!(
        labels(&plan),
        [
            "fake_disk.behind: it depends on local.wrong, which has errors",
            "fake_disk.direct: it depends on local.wrong, which has errors",
            "fake_disk.of_unset: var.unset has no value",
            "module.m.fake_disk.called: it depends on local.wrong, which has errors",
        ]
    );
    assert_eq!(plan.changes().count(), 5);

    // Half-typed text keeps its meaning, so nothing flashes.
    let fixed = text.replace(r#"tonumber("x")"#, "5");
    let main = fixed.split("#- ").nth(1).unwrap();
    let main = main.strip_prefix("/main.tf\n").unwrap();
    world.set("/main.tf", main);
    let unset = ["fake_disk.of_unset: var.unset has no value"];
    assert_eq!(labels(&world.plan()), unset);
    world.set("/main.tf", &main.replace("= 5", "= 5 +"));
    assert_eq!(labels(&world.plan()), unset);
}

#[test]
fn a_resource_that_refers_to_itself_is_reported() {
    check(
        r#"
resource "fake_disk" "a" {
  name = fake_disk.a.id
}
resource "fake_disk" "c" {
  count = 2
  name  = fake_disk.c[0].id
}
resource "fake_disk" "whole" {
  count = 1
  name  = fake_disk.whole.id
}
resource "fake_disk" "apart" {
}
"#,
        expect![[r#"
            + fake_disk.apart
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            error at `fake_disk.a`: Self-referential block: Configuration for fake_disk.a may not refer to itself.
            error at `fake_disk.c[0]`: Self-referential block: Configuration for fake_disk.c[0] may not refer to itself.
            error at `fake_disk.whole`: Missing resource instance key: Because fake_disk.whole has "count" set, its attributes must be accessed on specific instances.
        "#]],
    );
}

#[test]
fn a_provider_that_is_not_installed_costs_its_resources_only() {
    check(
        r#"
#- state nothere_thing.gone
id = "1"
#- /main.tf
resource "nothere_thing" "a" {
  anything = 1
}
resource "fake_disk" "b" {
  name = nothere_thing.a.id
}
resource "fake_disk" "apart" {
}
"#,
        expect![[r#"
            + fake_disk.apart
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label nothere_thing.a: provider registry.terraform.io/hashicorp/nothere is not installed: run `terraform init`
            label nothere_thing.gone: provider registry.terraform.io/hashicorp/nothere is not installed: run `terraform init`
        "#]],
    );
}

#[test]
fn a_type_that_fails_costs_its_resources_only() {
    check(
        r#"
resource "fake_failing" "a" {
}
resource "fake_disk" "b" {
  name = fake_failing.a.id
}
resource "fake_disk" "apart" {
}
"#,
        expect![[r#"
            + fake_disk.apart
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.b: it depends on fake_failing.a, which has errors
            error at `resource "fake_failing" "a"`: Provider can't be asked: fake_failing.a is not planned: provider fake stopped during a plan.
        "#]],
    );
}

#[test]
fn a_provider_that_plans_against_the_configuration_is_an_error() {
    check(
        r#"
resource "fake_liar" "a" {
  name = "truth"
}
"#,
        expect![[r#"
            error at `"truth"`: Provider produced invalid plan: Provider "registry.terraform.io/hashicorp/fake" planned an invalid value for fake_liar.a.name: planned value "lie" does not match config value "truth".
        "#]],
    );
}

#[test]
fn errors_about_a_provider_contain_no_secret() {
    check(
        r#"
variable "secret" {
  default   = "hunter2"
  sensitive = true
}
resource "fake_liar" "a" {
  name = var.secret
}
"#,
        expect![[r#"
            error at `var.secret`: Provider produced invalid plan: Provider "registry.terraform.io/hashicorp/fake" planned an invalid value for fake_liar.a.name: sensitive planned value does not match config value.
        "#]],
    );
}

/// Requests don't allow to put off an answer, so one that is put off all the same is no plan.
#[test]
fn an_answer_that_is_put_off_is_a_failure_of_the_provider() {
    let text = r#"
resource "fake_deferring" "a" {
  size = 1
}
resource "fake_disk" "b" {
  name = fake_deferring.a.id
}
data "fake_put_off" "c" {
}
resource "fake_unread" "d" {
}
import {
  to = fake_unread.d
  id = "d"
}
#- state fake_unread.e
id = "e"
#- /other.tf
resource "fake_unread" "e" {
}
"#;
    let deferring = FakeResource::new(disk_block()).planned_by(|request| {
        Ok(PlanResponse {
            planned_state: request.proposed_new_state,
            requires_replace: Vec::new(),
            planned_private: Bytes::new(),
            legacy_type_system: false,
            deferred: Some(DeferredReason::ProviderConfigUnknown),
            planned_identity: None,
            diagnostics: Vec::new(),
        })
    });
    let unread = FakeResource::new(disk_block())
        .read_by(|request| {
            Ok(ReadResponse {
                new_state: request.current_state,
                private: request.private,
                deferred: Some(DeferredReason::Unknown),
                new_identity: None,
                diagnostics: Vec::new(),
            })
        })
        .imported_by(|_| {
            Ok(ImportResponse {
                imported: Vec::new(),
                deferred: Some(DeferredReason::ResourceConfigUnknown),
                diagnostics: Vec::new(),
            })
        });
    let put_off = FakeDataSource::new(Block::default()).read_by(|request| {
        Ok(ReadDataSourceResponse {
            state: request.config,
            deferred: Some(DeferredReason::AbsentPrerequisite),
            diagnostics: Vec::new(),
        })
    });
    let provider = fake()
        .with_resource("fake_deferring", deferring)
        .with_resource("fake_unread", unread)
        .with_data_source("fake_put_off", put_off)
        .also_allowing([
            Rpc::ReadDataSource,
            Rpc::ReadResource,
            Rpc::ImportResourceState,
        ]);
    let mut world = World::with(text, surroundings(), provider);
    world.request.options = Arc::new(Options {
        read_data_sources: true,
        refresh: true,
        import: true,
        ..Options::default()
    });
    let plan = world.plan();
    expect![[r#"
        + fake_disk.b
            id: null -> unknown(string)
            kind: null -> "std"
            name: null -> unknown(string)
            password: null -> (sensitive)
            revision: null -> unknown(string)
        label fake_disk.b: it depends on fake_deferring.a, which has errors
        error at `data "fake_put_off" "c"`: Provider deferred changes when Terraform did not allow deferrals: The provider signaled a deferred action for "data.fake_put_off.c", but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.
        error at `resource "fake_deferring" "a"`: Provider deferred changes when Terraform did not allow deferrals: The provider signaled a deferred action for "fake_deferring.a", but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.
        error at `resource "fake_unread" "d"`: Provider deferred changes when Terraform did not allow deferrals: The provider signaled a deferred action for "fake_unread.d", but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.
        error at `resource "fake_unread" "e"`: Provider deferred changes when Terraform did not allow deferrals: The provider signaled a deferred action for "fake_unread.e", but in this context deferrals are disabled. This is a bug in the provider, please file an issue with the provider developers.
    "#]].assert_eq(&world.show(&plan));
}

#[test]
fn an_unknown_type_is_reported_at_its_label() {
    check(
        r#"
resource "fake_disc" "a" {
}
"#,
        expect![[r#"
            error at `"fake_disc"`: Invalid resource type: The provider hashicorp/fake does not support resource type "fake_disc". Did you mean "fake_disk"?
        "#]],
    );
}

#[test]
fn provider_errors_are_reported_at_the_argument() {
    check(
        r#"
resource "fake_disk" "a" {
  name = "forbidden"
}
"#,
        expect![[r#"
            error at `"forbidden"`: Bad name: This name is forbidden.
        "#]],
    );
}

#[test]
fn a_failed_expression_is_unknown_to_its_dependents() {
    check(
        r#"
resource "fake_disk" "a" {
  size = "many"
}
resource "fake_disk" "b" {
  name = fake_disk.a.size
}
resource "fake_disk" "keyed" {
  for_each = { a = 1, b = "x" }
  size     = each.value
}
output "keys" {
  value = keys(fake_disk.keyed)
}
"#,
        expect![[r#"
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.keyed["a"]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
            output keys: create ["a", "b"]
            label fake_disk.b: it depends on fake_disk.a, which has errors
            error at `"many"`: Incorrect attribute value type: Inappropriate value for attribute "size": a number is required.
            error at `each.value`: Incorrect attribute value type: Inappropriate value for attribute "size": a number is required.
        "#]],
    );
}

#[test]
fn a_problem_is_reported_once() {
    check(
        r#"
resource "fake_disk" "a" {
  name = fake_disk.missing.id
}
resource "fake_disk" "b" {
  count = 2
  name  = "${var.missing} ${local.missing}"
}
resource "fake_disk" "c" {
  name = fake_disk.b.id
  size = fake_disk.a[0].size
}
output "o" {
  value = fake_disk.b["x"].name
}
output "p" {
  value = each.key
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.b[0]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string, not null)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.b[1]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string, not null)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.c: it depends on fake_disk.a, which has errors
            error at `["x"]`: Invalid index: The given key does not identify an element in this collection value: a number is required.
            error at `each.key`: Reference to "each" in context without for_each: The "each" object can be used only in "module" or "resource" blocks, and only when the "for_each" argument is set.
            error at `fake_disk.a[0]`: Unexpected resource instance key: Because fake_disk.a does not have "count" or "for_each" set, references to it must not include an index key. Remove the bracketed index to refer to the single instance of this resource.
            error at `fake_disk.b`: Missing resource instance key: Because fake_disk.b has "count" set, its attributes must be accessed on specific instances.
            error at `fake_disk.missing`: Reference to undeclared resource: A managed resource "fake_disk" "missing" has not been declared in the root module.
            error at `local.missing`: Reference to undeclared local value: A local value with the name "missing" has not been declared.
            error at `var.missing`: Reference to undeclared input variable: An input variable with the name "missing" has not been declared. This variable can be declared with a variable "missing" {} block.
        "#]],
    );
}

/// While a block can't be parsed, what it declared last counts.
#[test]
fn a_broken_block_keeps_its_last_plan() {
    let text = |size: &str| {
        format!(
            "resource \"fake_disk\" \"a\" {{\n  size = {size}\n}}\n\nresource \"fake_disk\" \"b\" {{\n  size = fake_disk.a.size\n}}\n"
        )
    };
    let mut world = World::new(&text("1"));
    world.plan();
    world.set("/main.tf", &text("2 +"));
    let plan = world.plan();
    expect![[r#"
        + fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            size: null -> 1
        + fake_disk.b
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            size: null -> 1
        error at `
        `: Invalid expression: Expected the start of an expression, but found an invalid expression token.
    "#]].assert_eq(&world.show(&plan));
    world.set("/main.tf", &text("2"));
    let plan = world.plan();
    expect![[r#"
        + fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            size: null -> 2
        + fake_disk.b
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
            size: null -> 2
    "#]]
    .assert_eq(&world.show(&plan));
}

/// What failed at the provider is asked again; what succeeded is not.
#[test]
fn an_edit_asks_only_about_changed_instances() {
    let text = |size: u32| {
        format!(
            "resource \"fake_disk\" \"a\" {{\n  size = {size}\n}}\nresource \"fake_old\" \"b\" {{\n  name = fake_disk.a.name\n}}\n"
        )
    };
    let mut world = World::new(&text(1));
    world.plan();
    assert_eq!(world.planned_types(), ["fake_disk", "fake_old"]);
    world.set("/main.tf", &text(2));
    world.plan();
    assert_eq!(
        world.planned_types(),
        ["fake_disk", "fake_old", "fake_disk"]
    );
}
