//! What is not planned yet says so, and is never planned wrongly.

use expect_test::expect;

use crate::support::check;

#[test]
fn a_state_in_another_backend_is_labelled() {
    check(
        r#"
terraform {
  backend "s3" {
  }
}
resource "fake_disk" "a" {
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.a: planned as new: the state lies in the backend "s3", which is not read
        "#]],
    );
}

#[test]
fn a_moved_object_is_neither_deleted_nor_created() {
    check(
        r#"
#- state fake_disk.old
id = "1"
#- /main.tf
moved {
  from = fake_disk.old
  to   = fake_disk.new
}
resource "fake_disk" "new" {
}
resource "fake_disk" "other" {
  name = fake_disk.new.id
}
"#,
        expect![[r#"
            + fake_disk.other
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.new: fake_disk.new is named by a moved block, which is not followed yet
            label fake_disk.old: fake_disk.old is named by a moved block, which is not followed yet
        "#]],
    );
}

#[test]
fn a_removed_object_is_not_deleted() {
    check(
        r#"
#- state fake_disk.old
id = "1"
#- /main.tf
removed {
  from = fake_disk.old
  lifecycle {
    destroy = false
  }
}
"#,
        expect![[r#"
            label fake_disk.old: fake_disk.old is named by a removed block, which is not followed yet
        "#]],
    );
}

#[test]
fn an_imported_object_is_not_created() {
    check(
        r#"
import {
  to = fake_disk.a
  id = "1"
}
resource "fake_disk" "a" {
}
"#,
        expect![[r#"
            label fake_disk.a: fake_disk.a is to be imported, which is not planned yet
        "#]],
    );
}

#[test]
fn data_sources_are_unknown() {
    check(
        r#"
data "fake_image" "a" {
}
resource "fake_disk" "a" {
  name = data.fake_image.a.id
}
output "o" {
  value = data.fake_image.a
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output o: create unknown(any)
            label data.fake_image.a: data.fake_image.a is not read: its values are unknown in this plan
        "#]],
    );
}
