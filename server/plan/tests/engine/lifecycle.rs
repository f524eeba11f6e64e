//! `lifecycle` blocks.

use expect_test::expect;
use plan::Options;

use crate::support::{World, check};

#[test]
fn ignored_arguments_keep_the_values_of_the_object() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
size = 10
tags = { keep = "1", other = "1" }
#- /main.tf
resource "fake_disk" "a" {
  size = 20
  tags = { keep = "2", other = "1" }
  lifecycle {
    ignore_changes = [size, tags["keep"]]
  }
}
"#,
        expect![[r#"
            = fake_disk.a
        "#]],
    );
}

#[test]
fn an_ignored_key_of_a_map_hides_no_other() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
tags = { keep = "1", other = "1" }
#- /main.tf
resource "fake_disk" "a" {
  tags = { keep = "2", other = "2", new = "1" }
  lifecycle {
    ignore_changes = [tags["keep"]]
  }
}
"#,
        expect![[r#"
            ~ fake_disk.a
                revision: "r" -> unknown(string)
                tags: map{"keep": "1", "other": "1"} -> map{"keep": "1", "new": "1", "other": "2"}
        "#]],
    );
}

#[test]
fn all_changes_may_be_ignored_but_no_creation() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
size = 10
zone = "x"
#- /main.tf
resource "fake_disk" "a" {
  size = 20
  zone = "y"
  lifecycle {
    ignore_changes = all
  }
}
resource "fake_disk" "b" {
  size = 20
  lifecycle {
    ignore_changes = all
  }
}
"#,
        expect![[r#"
            = fake_disk.a
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 20
        "#]],
    );
}

#[test]
fn create_before_destroy_spreads_through_all_arguments_of_a_module_that_is_read_as_a_whole() {
    check(
        r#"
#- state fake_disk.base
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- state fake_disk.top
id = "2"
kind = "std"
revision = "r"
name = "in"
#- /child/main.tf
variable "unused" {
}
output "name" {
  value = "in"
}
#- /main.tf
resource "fake_disk" "base" {
  zone = "y"
}
module "child" {
  source   = "./child"
  for_each = toset(["a"])
  unused   = fake_disk.base.id
}
resource "fake_disk" "top" {
  name = values(module.child)[0].name
  lifecycle {
    create_before_destroy = true
  }
}
"#,
        expect![[r#"
            +/- fake_disk.base (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            = fake_disk.top
        "#]],
    );
}

#[test]
fn create_before_destroy_does_not_spread_from_what_is_not_targeted() {
    let mut world = World::new(
        r#"
#- state fake_disk.base
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- /main.tf
resource "fake_disk" "base" {
  zone = "y"
}
resource "fake_disk" "top" {
  name = fake_disk.base.id
  lifecycle {
    create_before_destroy = true
  }
}
"#,
    );
    let actions = |world: &mut World| {
        let plan = world.plan();
        let told = world.show(&plan);
        told.lines().next().unwrap_or_default().to_owned()
    };
    assert!(actions(&mut world).starts_with("+/- fake_disk.base"));
    let options = Options {
        targets: vec!["fake_disk.base".parse().unwrap()],
        ..Options::default()
    };
    world.request.options = options.into();
    assert!(actions(&mut world).starts_with("-/+ fake_disk.base"));
    world.request.options = Options::default().into();
    assert!(actions(&mut world).starts_with("+/- fake_disk.base"));
}

#[test]
fn create_before_destroy_spreads_to_dependencies() {
    check(
        r#"
#- state fake_disk.base
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- state fake_disk.middle
id = "2"
kind = "std"
revision = "r"
zone = "x"
name = "1"
#- state fake_disk.top
id = "3"
kind = "std"
revision = "r"
zone = "x"
name = "2"
#- state fake_disk.other
id = "4"
kind = "std"
revision = "r"
zone = "x"
#- /main.tf
variable "zone" {
  default = "y"
}
resource "fake_disk" "base" {
  zone = var.zone
}
locals {
  base = fake_disk.base.id
}
resource "fake_disk" "middle" {
  zone = var.zone
  name = local.base
}
resource "fake_disk" "top" {
  zone = var.zone
  name = fake_disk.middle.id
  lifecycle {
    create_before_destroy = true
  }
}
resource "fake_disk" "other" {
  zone = var.zone
}
"#,
        expect![[r#"
            +/- fake_disk.base (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            +/- fake_disk.middle (replace_because_cannot_update) because of .zone
                id: "2" -> unknown(string)
                name: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            -/+ fake_disk.other (replace_because_cannot_update) because of .zone
                id: "4" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            +/- fake_disk.top (replace_because_cannot_update) because of .zone
                id: "3" -> unknown(string)
                name: "2" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
        "#]],
    );
}

#[test]
fn an_object_that_may_not_be_destroyed_is_an_error() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- state fake_disk.b
id = "1"
kind = "std"
revision = "r"
size = 1
#- state fake_disk.c[0]
id = "1"
kind = "std"
revision = "r"
#- state fake_disk.c[1]
id = "2"
kind = "std"
revision = "r"
#- /main.tf
resource "fake_disk" "a" {
  zone = "y"
  lifecycle {
    prevent_destroy = true
  }
}
resource "fake_disk" "b" {
  size = 2
  lifecycle {
    prevent_destroy = true
  }
}
resource "fake_disk" "c" {
  count = 1
  lifecycle {
    prevent_destroy = true
  }
}
"#,
        expect![[r#"
            -/+ fake_disk.a (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            ~ fake_disk.b
                revision: "r" -> unknown(string)
                size: 1 -> 2
            = fake_disk.c[0]
            - fake_disk.c[1] (delete_because_count_index)
            error at `resource "fake_disk" "a"`: Instance cannot be destroyed: Resource fake_disk.a has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target option.
            error at `resource "fake_disk" "c"`: Instance cannot be destroyed: Resource fake_disk.c[1] has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target option.
        "#]],
    );
}

#[test]
fn a_change_elsewhere_replaces() {
    check(
        r#"
#- state fake_disk.source
id = "1"
kind = "std"
revision = "r"
size = 1
name = "n"
#- state fake_disk.whole
id = "2"
kind = "std"
revision = "r"
#- state fake_disk.attribute
id = "3"
kind = "std"
revision = "r"
#- state fake_disk.unchanged
id = "4"
kind = "std"
revision = "r"
#- /main.tf
resource "fake_disk" "source" {
  size = 2
  name = "n"
}
resource "fake_disk" "whole" {
  lifecycle {
    replace_triggered_by = [fake_disk.source]
  }
}
resource "fake_disk" "attribute" {
  lifecycle {
    replace_triggered_by = [fake_disk.source.size]
  }
}
resource "fake_disk" "unchanged" {
  lifecycle {
    replace_triggered_by = [fake_disk.source.name]
  }
}
resource "fake_disk" "new" {
  lifecycle {
    replace_triggered_by = [fake_disk.source]
  }
}
"#,
        expect![[r#"
            -/+ fake_disk.attribute (replace_by_triggers)
                id: "3" -> unknown(string)
                revision: "r" -> unknown(string)
            + fake_disk.new (replace_by_triggers)
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            ~ fake_disk.source
                revision: "r" -> unknown(string)
                size: 1 -> 2
            = fake_disk.unchanged
            -/+ fake_disk.whole (replace_by_triggers)
                id: "2" -> unknown(string)
                revision: "r" -> unknown(string)
        "#]],
    );
}

#[test]
fn a_change_of_the_instance_with_the_same_key_replaces() {
    check(
        r#"
#- state fake_disk.source["a"]
id = "1"
kind = "std"
revision = "r"
size = 1
#- state fake_disk.source["b"]
id = "2"
kind = "std"
revision = "r"
size = 1
#- state fake_disk.keyed["a"]
id = "3"
kind = "std"
revision = "r"
#- state fake_disk.keyed["b"]
id = "4"
kind = "std"
revision = "r"
#- state fake_disk.list[0]
id = "5"
kind = "std"
revision = "r"
size = 1
#- state fake_disk.list[1]
id = "6"
kind = "std"
revision = "r"
size = 1
#- state fake_disk.counted[0]
id = "7"
kind = "std"
revision = "r"
#- state fake_disk.counted[1]
id = "8"
kind = "std"
revision = "r"
#- /main.tf
resource "fake_disk" "source" {
  for_each = { a = 1, b = 2 }
  size     = each.value
}
resource "fake_disk" "keyed" {
  for_each = { a = 1, b = 2 }
  lifecycle {
    replace_triggered_by = [fake_disk.source[each.key]]
  }
}
resource "fake_disk" "list" {
  count = 2
  size  = count.index + 1
}
resource "fake_disk" "counted" {
  count = 2
  lifecycle {
    replace_triggered_by = [fake_disk.list[count.index].size]
  }
}
"#,
        expect![[r#"
            = fake_disk.counted[0]
            -/+ fake_disk.counted[1] (replace_by_triggers)
                id: "8" -> unknown(string)
                revision: "r" -> unknown(string)
            = fake_disk.keyed["a"]
            -/+ fake_disk.keyed["b"] (replace_by_triggers)
                id: "4" -> unknown(string)
                revision: "r" -> unknown(string)
            = fake_disk.list[0]
            ~ fake_disk.list[1]
                revision: "r" -> unknown(string)
                size: 1 -> 2
            = fake_disk.source["a"]
            ~ fake_disk.source["b"]
                revision: "r" -> unknown(string)
                size: 1 -> 2
        "#]],
    );
}

#[test]
fn a_failed_precondition_stops_the_plan_of_the_instance() {
    check(
        r#"
variable "v" {
  default = 1
}
resource "fake_disk" "a" {
  lifecycle {
    precondition {
      condition     = var.v == 2
      error_message = "v is ${var.v}"
    }
    precondition {
      condition     = var.v == 3
      error_message = "v is not 3"
    }
  }
}
resource "fake_disk" "counted" {
  count = 2
  lifecycle {
    precondition {
      condition     = var.v == 2 || count.index == 1
      error_message = "no good ${count.index}"
    }
  }
}
resource "fake_disk" "fine" {
  lifecycle {
    precondition {
      condition     = var.v == 1
      error_message = "v is not 1"
    }
  }
}
output "o" {
  value = 1
  precondition {
    condition     = var.v == 4
    error_message = "v is not 4"
  }
}
"#,
        expect![[r#"
            + fake_disk.counted[1]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.fine
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            error at `var.v == 2 || count.index == 1`: Resource precondition failed: no good 0
            error at `var.v == 2`: Resource precondition failed: v is 1
            error at `var.v == 3`: Resource precondition failed: v is not 3
            error at `var.v == 4`: Module output value precondition failed: v is not 4
        "#]],
    );
}

#[test]
fn postconditions_look_at_the_planned_object() {
    check(
        r#"
resource "fake_disk" "a" {
  size = 1
  lifecycle {
    postcondition {
      condition     = self.size == 2
      error_message = "size is ${self.size}"
    }
    postcondition {
      condition     = self.id == "x"
      error_message = "not known yet"
    }
  }
}
resource "fake_disk" "keyed" {
  for_each = { a = 1, b = 2 }
  size     = each.value
  lifecycle {
    postcondition {
      condition     = self.size == 1 && each.value == 1
      error_message = "size of ${each.key} is ${self.size}"
    }
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
            + fake_disk.keyed["a"]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
            + fake_disk.keyed["b"]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 2
            error at `self.size == 1 && each.value == 1`: Resource postcondition failed: size of b is 2
            error at `self.size == 2`: Resource postcondition failed: size is 1
        "#]],
    );
}
