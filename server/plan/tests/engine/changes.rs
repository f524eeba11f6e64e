//! What becomes of each object.

use expect_test::expect;

use crate::support::{World, check};

#[test]
fn resources_missing_from_the_state_are_created() {
    check(
        r#"
resource "fake_disk" "a" {
  size = 10
  port {
    number = 80
  }
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 10
                port: null -> list[{"note": null(string), "number": 80}]
        "#]],
    );
}

#[test]
fn an_object_as_configured_is_left_alone() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
size = 10
#- /main.tf
resource "fake_disk" "a" {
  size = 10
}
"#,
        expect![[r#"
            = fake_disk.a
        "#]],
    );
}

#[test]
fn text_that_the_provider_takes_for_the_same_is_no_change() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
label = "Main"
#- /main.tf
resource "fake_disk" "a" {
  label = "MAIN"
}
"#,
        expect![[r#"
            = fake_disk.a
        "#]],
    );
}

#[test]
fn a_changed_argument_is_an_update_and_volatile_attributes_are_unknown() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
size = 10
#- /main.tf
resource "fake_disk" "a" {
  size = 20
}
"#,
        expect![[r#"
            ~ fake_disk.a
                revision: "r" -> unknown(string)
                size: 10 -> 20
        "#]],
    );
}

#[test]
fn a_changed_argument_may_force_replacement() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
zone = "x"
size = 10
#- /main.tf
resource "fake_disk" "a" {
  zone = "y"
  size = 10
}
"#,
        expect![[r#"
            -/+ fake_disk.a (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
        "#]],
    );
}

#[test]
fn a_tainted_object_is_replaced() {
    check(
        r#"
#- state fake_disk.a tainted
id = "1"
kind = "std"
revision = "r"
size = 10
#- /main.tf
resource "fake_disk" "a" {
  size = 10
}
"#,
        expect![[r#"
            -/+ fake_disk.a (replace_because_tainted)
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
        "#]],
    );
}

#[test]
fn resources_missing_from_the_configuration_are_deleted_with_a_reason() {
    check(
        r#"
#- state fake_disk.gone
id = "1"
#- state fake_disk.counted[0]
id = "2"
kind = "std"
revision = "r"
#- state fake_disk.counted[1]
id = "3"
#- state fake_disk.keyed["a"]
id = "4"
kind = "std"
revision = "r"
#- state fake_disk.keyed["b"]
id = "5"
#- state fake_disk.single["x"]
id = "6"
#- state fake_disk.many
id = "7"
#- /main.tf
resource "fake_disk" "counted" {
  count = 1
}
resource "fake_disk" "keyed" {
  for_each = toset(["a"])
}
resource "fake_disk" "single" {
}
resource "fake_disk" "many" {
  for_each = toset(["a"])
}
"#,
        expect![[r#"
            = fake_disk.counted[0]
            - fake_disk.counted[1] (delete_because_count_index)
            - fake_disk.gone (delete_because_no_resource_config)
            = fake_disk.keyed["a"]
            - fake_disk.keyed["b"] (delete_because_each_key)
            - fake_disk.many (delete_because_wrong_repetition)
            + fake_disk.many["a"]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.single
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            - fake_disk.single["x"] (delete_because_wrong_repetition)
        "#]],
    );
}

#[test]
fn a_deposed_object_is_deleted() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
#- state fake_disk.a deposed=abcd1234
id = "0"
#- state fake_disk.gone deposed=abcd1235
id = "0"
#- /main.tf
resource "fake_disk" "a" {
}
"#,
        expect![[r#"
            = fake_disk.a
            - fake_disk.a deposed abcd1234
            - fake_disk.gone deposed abcd1235
        "#]],
    );
}

#[test]
fn the_only_object_keeps_its_place_when_count_comes_or_goes() {
    check(
        r#"
#- state fake_disk.counted
id = "1"
kind = "std"
revision = "r"
#- state fake_disk.single[0]
id = "2"
kind = "std"
revision = "r"
#- state fake_disk.single[1]
id = "3"
#- /main.tf
resource "fake_disk" "counted" {
  count = 2
}
resource "fake_disk" "single" {
}
"#,
        expect![[r#"
            = fake_disk.counted[0] from fake_disk.counted
            + fake_disk.counted[1]
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            = fake_disk.single from fake_disk.single[0]
            - fake_disk.single[1] (delete_because_wrong_repetition)
        "#]],
    );
}

#[test]
fn count_of_none_deletes_everything() {
    check(
        r#"
#- state fake_disk.a[0]
id = "1"
#- state fake_disk.a[1]
id = "2"
#- /main.tf
resource "fake_disk" "a" {
  count = 0
}
output "ids" {
  value = fake_disk.a[*].id
}
"#,
        expect![[r#"
            - fake_disk.a[0] (delete_because_count_index)
            - fake_disk.a[1] (delete_because_count_index)
            output ids: create []
        "#]],
    );
}

#[test]
fn instances_know_their_key_and_value() {
    check(
        r#"
resource "fake_disk" "counted" {
  count = 2
  name  = "n${count.index}"
}
resource "fake_disk" "keyed" {
  for_each = { a = 1, b = 2 }
  name     = each.key
  size     = each.value
}
output "sizes" {
  value = { for key, disk in fake_disk.keyed : key => disk.size }
}
output "names" {
  value = fake_disk.counted[*].name
}
output "first" {
  value = fake_disk.counted[0].name
}
"#,
        expect![[r#"
            + fake_disk.counted[0]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "n0"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.counted[1]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "n1"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.keyed["a"]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "a"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 1
            + fake_disk.keyed["b"]
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "b"
                password: null -> (sensitive)
                revision: null -> unknown(string)
                size: null -> 2
            output first: create "n0"
            output names: create ["n0", "n1"]
            output sizes: create {"a": 1, "b": 2}
        "#]],
    );
}

#[test]
fn unknown_values_flow_through_locals_and_outputs() {
    check(
        r#"
resource "fake_disk" "a" {
  name = "a"
}
locals {
  label = "disk ${fake_disk.a.id}"
}
resource "fake_disk" "b" {
  name = local.label
  tags = {
    known = fake_disk.a.name
  }
}
output "b" {
  value = fake_disk.b.name
}
output "tags" {
  value = fake_disk.b.tags
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "a"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string, not null, prefix "disk ")
                password: null -> (sensitive)
                revision: null -> unknown(string)
                tags: null -> map{"known": "a"}
            output b: create unknown(string, not null, prefix "disk ")
            output tags: create map{"known": "a"}
        "#]],
    );
}

#[test]
fn a_replaced_object_has_an_unknown_id_for_its_dependents() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- state fake_disk.b
id = "2"
kind = "std"
revision = "r"
name = "1"
#- /main.tf
resource "fake_disk" "a" {
  zone = "y"
}
resource "fake_disk" "b" {
  name = fake_disk.a.id
}
"#,
        expect![[r#"
            -/+ fake_disk.a (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
            ~ fake_disk.b
                name: "1" -> unknown(string)
                revision: "r" -> unknown(string)
        "#]],
    );
}

#[test]
fn sensitive_values_stay_so() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
password = "old"
name = "n"
#- /main.tf
variable "secret" {
  default   = "new"
  sensitive = true
}
resource "fake_disk" "a" {
  password = var.secret
  name     = "n"
}
resource "fake_disk" "b" {
  name = "x-${var.secret}"
}
resource "fake_disk" "c" {
  name = fake_disk.a.password
}
output "o" {
  value     = fake_disk.b.name
  sensitive = true
}
output "p" {
  value = fake_disk.b.name
}
"#,
        expect![[r#"
            ~ fake_disk.a
                password: (sensitive) -> (sensitive)
                revision: "r" -> unknown(string)
            + fake_disk.b
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> (sensitive)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.c
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> (sensitive)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output o: create (sensitive)
            error at `output "p"`: Output refers to sensitive values: To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, Terraform requires that any root module output containing sensitive data be explicitly marked as sensitive, to confirm your intent.
        "#]],
    );
}

#[test]
fn a_value_that_becomes_sensitive_is_an_update() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
name = "n"
#- state fake_disk.b sensitive=name
id = "1"
kind = "std"
revision = "r"
name = "n"
#- /main.tf
variable "name" {
  default   = "n"
  sensitive = true
}
resource "fake_disk" "a" {
  name = var.name
}
resource "fake_disk" "b" {
  name = var.name
}
"#,
        expect![[r#"
            ~ fake_disk.a
                name: "n" -> (sensitive)
            = fake_disk.b
        "#]],
    );
}

#[test]
fn a_provider_of_the_legacy_type_system_may_name_arguments_that_did_not_change() {
    check(
        r#"
#- state fake_old.a
id = "1"
kind = "std"
revision = "r"
zone = "x"
size = 1
#- state fake_old.b
id = "1"
kind = "std"
revision = "r"
zone = "x"
#- /main.tf
resource "fake_old" "a" {
  zone = "x"
  size = 2
}
resource "fake_old" "b" {
  zone = "y"
}
"#,
        expect![[r#"
            ~ fake_old.a
                revision: "r" -> unknown(string)
                size: 1 -> 2
            -/+ fake_old.b (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                revision: "r" -> unknown(string)
                zone: "x" -> "y"
        "#]],
    );
}

#[test]
fn a_write_only_argument_replaces_but_never_shows() {
    check(
        r#"
#- state fake_secret.a
id = "1"
version = "1"
#- state fake_secret.b
id = "2"
version = "1"
#- /main.tf
resource "fake_secret" "a" {
  key     = "s3cret"
  version = "2"
}
resource "fake_secret" "b" {
  key     = "another"
  version = "1"
}
resource "fake_secret" "c" {
  key = "new"
}
"#,
        expect![[r#"
            -/+ fake_secret.a (replace_because_cannot_update) because of .key
                id: "1" -> unknown(string)
                version: "1" -> "2"
            = fake_secret.b
            + fake_secret.c
                id: null -> unknown(string)
        "#]],
    );
}

#[test]
fn outputs_change_too() {
    check(
        r#"
#- state outputs
same = "a"
other = "a"
gone = "a"
#- /main.tf
output "same" {
  value = "a"
}
output "other" {
  value = "b"
}
output "new" {
  value = 1
}
output "null" {
  value = null
}
"#,
        expect![[r#"
            output gone: delete null
            output new: create 1
            output null: no-op null
            output other: update "b"
            output same: no-op "a"
        "#]],
    );
}

#[test]
fn an_infinite_number_cannot_be_stored() {
    check(
        r#"
#- /main.tf
locals {
  infinite = 1 / 0
}
resource "terraform_data" "a" {
  input = [local.infinite]
}
output "a" {
  value = local.infinite
}
output "text" {
  value = "n = ${local.infinite}"
}
"#,
        expect![[r#"
            + terraform_data.a
                id: null -> unknown(string, not null)
                input: null -> [+Inf]
                output: null -> unknown(tuple([number]))
            output text: create "n = +Inf"
            error at `local.infinite`: Failed to write plan file: The plan file could not be written: failed to write state snapshot: Failed to serialize output value in state: An error occured while serializing output value "a": cannot serialize infinity as JSON..
            error at `resource "terraform_data" "a"`: failed to encode terraform_data.a in state: failed to serialize value: cannot serialize infinity as JSON
        "#]],
    );
}

#[test]
fn the_builtin_provider_plans_too() {
    check(
        r#"
#- state terraform_data.a
id = "1"
input = "x"
output = "x"
#- state terraform_data.b
id = "2"
triggers_replace = "1"
#- /main.tf
resource "terraform_data" "a" {
  input = "y"
}
resource "terraform_data" "b" {
  triggers_replace = terraform_data.a.input
}
resource "terraform_data" "c" {
  input = terraform_data.a.output
}
"#,
        expect![[r#"
            ~ terraform_data.a
                input: "x" -> "y"
                output: "x" -> unknown(string)
            -/+ terraform_data.b (replace_because_cannot_update) because of .triggers_replace
                id: "2" -> unknown(string, not null)
                triggers_replace: "1" -> "y"
            + terraform_data.c
                id: null -> unknown(string, not null)
                input: null -> unknown(string)
                output: null -> unknown(string)
        "#]],
    );
}

#[test]
fn a_stored_attribute_that_the_schema_lost_is_dropped() {
    check(
        r#"
#- state fake_disk.a
id = "1"
kind = "std"
revision = "r"
size = 10
colour = "red"
#- /main.tf
resource "fake_disk" "a" {
  size = 10
}
"#,
        expect![[r#"
            = fake_disk.a
        "#]],
    );
}

#[test]
fn an_unknown_number_of_instances_is_labelled() {
    check(
        r#"
#- state fake_disk.b[0]
id = "1"
#- /main.tf
resource "fake_disk" "a" {
}
resource "fake_disk" "b" {
  count = fake_disk.a.id == "x" ? 1 : 2
}
output "b" {
  value = fake_disk.b
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output b: create unknown(any)
            label fake_disk.b: the number of instances of fake_disk.b is known only after apply
            error at `fake_disk.a.id == "x" ? 1 : 2`: Invalid count argument: The "count" value depends on resource attributes that cannot be determined until apply, so Terraform cannot predict how many instances will be created. To work around this, use the -target argument to first apply only the resources that the count depends on.
        "#]],
    );
}

/// The provider plans the new object as if there were none before it, with what it noted in its first answer.
#[test]
fn a_replacement_asks_twice() {
    let mut world = World::new(
        r#"
#- state fake_disk.a private=cHJpdmF0ZQ==
id = "1"
kind = "std"
revision = "r"
zone = "x"
name = "kept"
#- /main.tf
resource "fake_disk" "a" {
  zone = "y"
  name = "ignored"
  lifecycle {
    ignore_changes = [name]
  }
}
"#,
    );
    let plan = world.plan();
    expect![[r#"
        -/+ fake_disk.a (replace_because_cannot_update) because of .zone
            id: "1" -> unknown(string)
            name: "kept" -> "ignored"
            revision: "r" -> unknown(string)
            zone: "x" -> "y"
    "#]]
    .assert_eq(&world.show(&plan));
    let requests: Vec<_> = world
        .provider
        .requests()
        .into_iter()
        .filter_map(|request| request.plan)
        .collect();
    let [first, second] = &requests[..] else {
        panic!("{} plans", requests.len())
    };
    assert!(!first.prior_state.is_null());
    assert_eq!(&first.prior_private[..], b"private");
    assert_eq!(first.config.get("name").unwrap().as_str(), Some("kept"));
    assert!(second.prior_state.is_null());
    assert_eq!(second.config.get("name").unwrap().as_str(), Some("ignored"));
    let proposed = &second.proposed_new_state;
    assert!(proposed.get("id").unwrap().is_null());
}

#[test]
fn an_output_with_an_undeclared_reference_is_not_evaluated_for_its_marks() {
    check(
        r#"
output "a" {
  value = [fake_disk.missing.id, sensitive(1)]
}
"#,
        expect![[r#"
            error at `fake_disk.missing`: Reference to undeclared resource: A managed resource "fake_disk" "missing" has not been declared in the root module.
        "#]],
    );
}
