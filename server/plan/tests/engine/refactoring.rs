//! `moved`, `removed` and `import` blocks.

use std::sync::Arc;

use expect_test::{Expect, expect};
use plan::Options;

use crate::support::{World, check};

#[test]
fn a_moved_object_is_neither_deleted_nor_created() {
    check(
        r#"
#- state fake_disk.old
id = "1"
name = "a"
kind = "std"
revision = "1"
#- /main.tf
moved {
  from = fake_disk.old
  to   = fake_disk.new[0]
}
resource "fake_disk" "new" {
  count = 1
  name  = "a"
}
"#,
        expect![[r#"
            = fake_disk.new[0] from fake_disk.old
        "#]],
    );
}

#[test]
fn an_object_that_moves_to_nothing_is_deleted_with_the_reason() {
    check(
        r#"
#- state fake_disk.old
id = "1"
#- /main.tf
moved {
  from = fake_disk.old
  to   = fake_disk.nowhere
}
"#,
        expect![[r#"
            - fake_disk.nowhere from fake_disk.old (delete_because_no_move_target)
        "#]],
    );
}

#[test]
fn an_object_whose_new_address_is_taken_stays_with_a_warning() {
    check(
        r#"
#- state terraform_data.one
id = "1"
#- state terraform_data.two
id = "2"
#- /main.tf
moved {
  from = terraform_data.one
  to   = terraform_data.two
}
resource "terraform_data" "two" {
}
"#,
        expect![[r#"
            - terraform_data.one (delete_because_no_resource_config)
            = terraform_data.two
            warning at nowhere: Unresolved resource instance address changes: Terraform tried to adjust resource instance addresses in the prior state based on change information recorded in the configuration, but some adjustments did not succeed due to existing objects already at the intended addresses:
        "#]],
    );
}

#[test]
fn invalid_statements_are_reported_at_their_place() {
    check(
        r#"
moved {
  from = terraform_data.still
  to   = terraform_data.other
}
moved {
  from = terraform_data.a
  to   = terraform_data.a
}
resource "terraform_data" "still" {
}
removed {
  from = terraform_data.still
}
import {
  to = terraform_data.missing
  id = "x"
}
import {
  to = terraform_data.many
  id = "x"
}
resource "terraform_data" "many" {
  count = 1
}
"#,
        expect![[r#"
            + terraform_data.many[0]
                id: null -> unknown(string, not null)
            + terraform_data.still
                id: null -> unknown(string, not null)
            error at `moved`: Moved object still exists: This statement declares a move from terraform_data.still, but that resource is still declared at main.tf:9,1.
            error at `moved`: Redundant move statement: This statement declares a move from terraform_data.a to the same address, which is the same as not declaring this move at all.
            error at `resource "terraform_data" "still"`: Removed resource still exists: This statement declares that terraform_data.still was removed, but it is still declared in configuration.
            error at `terraform_data.many`: Invalid import 'to' expression: The target resource is using count.
            error at `terraform_data.missing`: Configuration for import target does not exist: The configuration for the given import target terraform_data.missing does not exist. If you wish to automatically generate config for this resource, use the -generate-config-out option within terraform plan. Otherwise, make sure the target resource exists within your configuration. For example:
        "#]],
    );
}

#[test]
fn an_object_of_another_type_is_brought_over_by_the_provider() {
    check(
        r#"
#- state null_resource.old
id = "7"
triggers = { a = "b" }
#- state fake_disk.old
id = "1"
#- /main.tf
moved {
  from = null_resource.old
  to   = terraform_data.new
}
resource "terraform_data" "new" {
  triggers_replace = { a = "b" }
}
moved {
  from = fake_disk.old
  to   = terraform_data.other
}
resource "terraform_data" "other" {
}
moved {
  from = terraform_data.never
  to   = fake_old.from_elsewhere
}
resource "fake_old" "from_elsewhere" {
}
"#,
        expect![[r#"
            + fake_old.from_elsewhere
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            = terraform_data.new from null_resource.old
            error at `resource "terraform_data" "other"`: Unsupported source provider for move operation: Only moving from the official hashicorp/null provider to terraform_data is supported.
        "#]],
    );
}

#[test]
fn an_object_of_another_type_that_is_deleted_keeps_its_attributes() {
    let mut world = World::new(
        r#"
#- state null_resource.old
id = "7"
triggers = { a = "b" }
#- /main.tf
moved {
  from = null_resource.old
  to   = terraform_data.new
}
resource "terraform_data" "new" {
  count = 0
}
"#,
    );
    let plan = world.plan();
    let deletion = plan.changes().next().unwrap();
    let triggers = deletion.before.get("triggers_replace").unwrap();
    assert_eq!(
        triggers
            .get("a")
            .and_then(|it| it.as_str().map(str::to_owned))
            .as_deref(),
        Some("b")
    );
}

#[test]
fn a_module_of_unknown_instances_is_not_declared_at_its_old_address() {
    check(
        r#"
#- state module.m.terraform_data.a
id = "1"
#- /main.tf
moved {
  from = module.m
  to   = module.m[0]
}
resource "terraform_data" "gate" {
}
module "m" {
  source = "./m"
  count  = terraform_data.gate.id == "" ? 0 : 1
}
#- /m/main.tf
resource "terraform_data" "a" {
}
"#,
        expect![[r#"
            + terraform_data.gate
                id: null -> unknown(string, not null)
            label module.m.terraform_data.a: the number of instances of module.m is known only after apply
            error at `terraform_data.gate.id == "" ? 0 : 1`: Invalid count argument: The "count" value depends on resource attributes that cannot be determined until apply, so Terraform cannot predict how many instances will be created. To work around this, use the -target argument to first apply only the resources that the count depends on.
        "#]],
    );
}

#[test]
fn a_move_to_a_type_that_takes_no_others_is_refused_at_its_block() {
    check(
        r#"
#- state terraform_data.old
id = "1"
#- /main.tf
moved {
  from = terraform_data.old
  to   = fake_old.between
}
moved {
  from = fake_old.between
  to   = fake_old.new
}
resource "fake_old" "new" {
}
"#,
        expect![[r#"
            error at `moved`: Unsupported `moved` across resource types: The provider "registry.terraform.io/hashicorp/fake" does not support moved operations across resource types and providers.
        "#]],
    );
}

#[test]
fn an_import_target_that_nothing_declares_has_not_moved() {
    check(
        r#"
import {
  to = fake_disk.old
  id = "1"
}
moved {
  from = fake_disk.old
  to   = fake_disk.new
}
resource "fake_disk" "new" {
}
"#,
        expect![[r#"
            + fake_disk.new
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            error at `fake_disk.old`: Configuration for import target does not exist: The configuration for the given import target fake_disk.old does not exist. If you wish to automatically generate config for this resource, use the -generate-config-out option within terraform plan. Otherwise, make sure the target resource exists within your configuration. For example:
            error at `moved`: Moved object still exists: This statement declares a move from fake_disk.old, but that resource is still declared.
        "#]],
    );
}

#[test]
fn removed_resources_are_forgotten_or_destroyed() {
    check(
        r#"
#- state fake_disk.forgotten
id = "1"
#- state fake_disk.destroyed
id = "2"
#- /main.tf
removed {
  from = fake_disk.forgotten
  lifecycle {
    destroy = false
  }
}
removed {
  from = fake_disk.destroyed
}
"#,
        expect![[r#"
            - fake_disk.destroyed (delete_because_no_resource_config)
            . fake_disk.forgotten (delete_because_no_resource_config)
            warning at nowhere: Some objects will no longer be managed by Terraform: If you apply this plan, Terraform will discard its tracking information for the following objects, but it will not delete them:
        "#]],
    );
}

const IMPORTS: &str = r#"
#- state terraform_data.known
id = "known"
#- /main.tf
locals {
  ids = { x = "id-x" }
}
import {
  for_each = local.ids
  to       = terraform_data.each[each.key]
  id       = each.value
}
import {
  to = terraform_data.known
  id = "ignored"
}
import {
  to = terraform_data.list[3]
  id = "no such instance"
}
import {
  to = terraform_data.list[0]
  id = terraform_data.each["y"].id
}
resource "terraform_data" "each" {
  for_each = toset(["x", "y"])
}
resource "terraform_data" "known" {
}
resource "terraform_data" "list" {
  count = 2
}
"#;

fn check_import(import: bool, expect: Expect) {
    let mut world = World::new(IMPORTS);
    world.request.options = Arc::new(Options {
        import,
        ..Options::default()
    });
    let plan = world.plan();
    expect.assert_eq(&world.show(&plan));
}

#[test]
fn importable_objects_are_found_by_id() {
    check_import(
        true,
        expect![[r#"
            = terraform_data.each["x"]
            + terraform_data.each["y"]
                id: null -> unknown(string, not null)
            = terraform_data.known
            error at `terraform_data.each["y"].id`: Invalid import id argument: The import block "id" argument depends on resource attributes that cannot be determined until apply, so Terraform cannot plan to import this resource.
            error at nowhere: Configuration for import target does not exist: The configuration for the given import terraform_data.list[3] does not exist. All target instances must have an associated configuration to be imported.
        "#]],
    );
}

#[test]
fn an_impossible_import_has_a_label_in_place_of_a_plan() {
    check_import(
        false,
        expect![[r#"
            + terraform_data.each["y"]
                id: null -> unknown(string, not null)
            = terraform_data.known
            label terraform_data.each: terraform_data.each["x"] is to be imported, but its object is not read yet
            error at `terraform_data.each["y"].id`: Invalid import id argument: The import block "id" argument depends on resource attributes that cannot be determined until apply, so Terraform cannot plan to import this resource.
            error at nowhere: Configuration for import target does not exist: The configuration for the given import terraform_data.list[3] does not exist. All target instances must have an associated configuration to be imported.
        "#]],
    );
}

/// An edit of one block asks nothing about objects that it doesn't concern.
#[test]
fn a_moved_block_that_is_typed_plans_only_its_objects() {
    let text = |moved: &str| {
        let disks = (0..20).map(|n| format!("resource \"fake_disk\" \"d{n}\" {{}}\n"));
        format!("{moved}{}", disks.collect::<String>())
    };
    let states = (1..20).map(|n| format!("#- state fake_disk.d{n}\nid = \"{n}\"\n"));
    let before = format!(
        "{}#- state fake_disk.old\nid = \"old\"\n#- /main.tf\n{}",
        states.collect::<String>(),
        text("")
    );
    let mut world = World::new(&before);
    world.plan();
    world.set(
        "/main.tf",
        &text("moved {\n  from = fake_disk.old\n  to   = fake_disk.d0\n}\n"),
    );
    let plan = world.plan();
    let moved = plan
        .changes()
        .filter(|change| change.previous_addr.is_some());
    assert_eq!(moved.count(), 1);
    let stats = world.root.engine().stats();
    assert_eq!((stats.nodes_evaluated, stats.instances_planned), (1, 1));
}
