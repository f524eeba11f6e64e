//! What is not planned yet says so, and is never planned wrongly.

use expect_test::expect;

use crate::support::check;

#[test]
fn an_unread_state_claims_no_creation() {
    check(
        r#"
terraform {
  backend "s3" {
  }
}
resource "fake_disk" "a" {
}
output "o" {
  value = fake_disk.a.kind
}
"#,
        expect![[r#"
            label fake_disk.a: state not read: it is in the backend "s3"
            warning at `backend "s3"`: State can't be read: backend "s3" is not initialized: run `terraform init`. Existing objects are unknown.
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
