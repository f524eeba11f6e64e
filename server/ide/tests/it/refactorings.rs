//! Refactorings of one place: the text before, the action, the text after.

use expect_test::{Expect, expect};

use crate::support::Opened;

fn check(before: &str, title: &str, after: Expect) {
    let opened = Opened::new(before);
    let files = opened.done(title);
    after.assert_eq(&files.changed(&opened.files, &opened.open));
}

/// The titles of what is offered, beside fixes.
fn offered(text: &str) -> Vec<String> {
    let opened = Opened::new(text);
    let actions = opened
        .snapshot
        .actions(&opened.open, opened.range, &opened.files, &|_| true);
    let titles = actions
        .into_iter()
        .filter(|it| it.fixes.is_empty())
        .map(|it| it.title);
    titles.collect()
}

#[test]
fn an_expression_becomes_a_local_value() {
    check(
        r#"
locals {
  a = 1
}

resource "terraform_data" "a" {
  input = upper$0("a-${local.a}")
}
"#,
        "Extract to the local value `input`",
        expect![[r#"
            locals {
              a     = 1
              input = upper("a-${local.a}")
            }

            resource "terraform_data" "a" {
              input = local.input
            }
        "#]],
    );
}

#[test]
fn without_locals_there_is_a_new_block() {
    check(
        r#"
output "a" {
  value = [1, $02 + 3]
}
"#,
        "Extract to the local value `value`",
        expect![[r#"
            locals {
              value = 2
            }

            output "a" {
              value = [1, local.value + 3]
            }
        "#]],
    );
}

#[test]
fn a_part_of_a_local_value_becomes_one_before_it() {
    check(
        r#"
locals {
  value = "x"
  all   = { a = le$0ngth("x") }
}
"#,
        "Extract to the local value `all_2`",
        expect![[r#"
            locals {
              value = "x"
              all_2 = length("x")
              all   = { a = local.all_2 }
            }
        "#]],
    );
}

#[test]
fn a_literal_becomes_a_variable() {
    check(
        r#"
resource "terraform_data" "a" {
  input = "on$0e"
}
"#,
        "Extract to the variable `input`",
        expect![[r#"
            variable "input" {
              type    = string
              default = "one"
            }

            resource "terraform_data" "a" {
              input = var.input
            }
        "#]],
    );
}

#[test]
fn names_bound_outside_stay() {
    assert_eq!(
        offered(
            r#"
locals {
  all = [for one in ["a"] : up$0per(one)]
}
"#
        ),
        [""; 0]
    );
    assert_eq!(
        offered(
            r#"
resource "terraform_data" "a" {
  count = 2
  input = "a-$0${count.index}"
}
"#
        ),
        [""; 0]
    );
}

#[test]
fn a_local_value_goes_where_it_is_used() {
    check(
        r#"
locals {
  a = 1 + 2
  b = "x"
}

output "a" {
  value = "${local.$0a * 2} ${local.b} ${local.a}"
}
"#,
        "Inline the local value `a`",
        expect![[r#"
            locals {
              b = "x"
            }

            output "a" {
              value = "${(1 + 2) * 2} ${local.b} ${(1 + 2)}"
            }
        "#]],
    );
}

#[test]
fn the_last_local_value_takes_its_block_along() {
    check(
        r#"
locals {
  $0a = ["x"]
}

output "a" {
  value = local.a[0]
}
"#,
        "Inline the local value `a`",
        expect![[r#"
            output "a" {
              value = ["x"][0]
            }
        "#]],
    );
}

const STATE: &str = r#"
#- /terraform.tfstate
{
  "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "a", "outputs": {},
  "resources": [{
    "mode": "managed", "type": "terraform_data", "name": "old",
    "provider": "provider[\"terraform.io/builtin/terraform\"]",
    "instances": [{ "schema_version": 0, "attributes": {
      "id": "1", "triggers_replace": null,
      "input": { "value": "x", "type": "string" }, "output": { "value": "x", "type": "string" }
    } }]
  }]
}
"#;

#[test]
fn a_deletion_and_creation_become_a_moved_block() {
    let text = "
resource \"terraform_data\" \"n$0ew\" {
  input = \"x\"
}
";
    check(
        &format!("{text}{STATE}"),
        "Add a moved block: terraform_data.old was renamed to terraform_data.new",
        expect![[r#"
            resource "terraform_data" "new" {
              input = "x"
            }

            moved {
              from = terraform_data.old
              to   = terraform_data.new
            }

        "#]],
    );
}

#[test]
fn another_value_is_no_rename() {
    let text = "
resource \"terraform_data\" \"n$0ew\" {
  input = \"y\"
}
";
    let titles = offered(&format!("{text}{STATE}"));
    assert!(
        !titles.iter().any(|title| title.starts_with("Keep")),
        "{titles:?}"
    );
}
