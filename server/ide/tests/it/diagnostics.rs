//! What is reported, where, and that nothing is reported twice.

use expect_test::{Expect, expect};

use crate::support::Opened;

fn check(text: &str, expected: Expect) {
    expected.assert_eq(&Opened::new(text).shown());
}

#[test]
fn six_mistakes_in_one_file_are_six_diagnostics() {
    check(
        r#"
resource "terraform_data" "a" {
  input = terraform_data.missing.id
}

resource "terraform_data" "b" {
  inputt = "typo"
}

output "number" {
  value = tonumber("abc")
}

variable "count_of" {
  type    = number
  default = "many"
}

resource "terraform_data" "b" {
}

module "child" {
  source = "./child"
}

output "count_of" {
  value = var.count_of
}
#- /child/main.tf
variable "needed" {
  type = string
}

output "needed" {
  value = var.needed
}
"#,
        expect![[r#"
            2 `terraform_data.missing` error undeclared-reference: Reference to undeclared resource: A managed resource "terraform_data" "missing" has not been declared in the root module.
            6 `inputt` error unsupported-argument: Unsupported argument: An argument named "inputt" is not expected here. Did you mean "input"?
            10 `"abc"` error function-call: Invalid function argument: Invalid value for "v" parameter: cannot convert "abc" to number; given string must be a decimal representation of a number.
            15 `"many"` error invalid-default: Invalid default value for variable: This default value is not compatible with the variable's type constraint: a number is required.
            18 `resource "terraform_data" "b"` error duplicate-declaration: Duplicate resource "terraform_data" configuration: A terraform_data resource named "b" was already declared at main.tf:5,1-30. Resource names must be unique per type in each module.
            21 `module "child"` error missing-argument: Missing required argument: The argument "needed" is required, but no definition was found.
        "#]],
    );
}

#[test]
fn nothing_is_unused_in_a_module_that_is_not_wholly_understood() {
    check(
        "variable \"a\" {\n}\n\nlocals {\n  b = 1\n}\n\noutput \"c\" {\n  value = [\n}\n",
        expect![[r#"
            1 `variable "a"` info no-variable-value: No value for required variable: values that depend on it are unknown in this plan
            9 `` error syntax: Missing expression: Expected the start of an expression, but found the end of the file.
        "#]],
    );
}

#[test]
fn what_is_used_in_any_file_is_used() {
    check(
        r#"
variable "a" {
  type    = string
  default = "x"
  validation {
    condition     = var.a != ""
    error_message = "empty"
  }
}

variable "b" {
  type    = string
  default = "x"
}

locals {
  c = var.b
}

data "fake_zone" "checked" {
  lifecycle {
    postcondition {
      condition     = self.name != ""
      error_message = "empty"
    }
  }
}
#- /other.tf
output "c" {
  value = local.c
}
"#,
        expect![[r#"
            1 `"a"` hint unused-variable: variable "a" is declared but never used
            19 `"fake_zone"` hint missing-provider-requirement: provider "fake" has no entry in required_providers, so "hashicorp/fake" is taken, in any version
        "#]],
    );
}

#[test]
fn values_of_variables_are_checked_in_every_file_of_them() {
    check(
        r#"
#- /production.tfvars
size   = "large"
regin  = "north"
#- /main.tf
variable "size" {
  type = number
}

variable "region" {
  type = string
}
"#,
        expect![[r#"
            1 `"large"` error invalid-variable-value: Invalid value for input variable: The given value is not suitable for var.size: a number is required.
            2 `regin` warning undeclared-variable: Value for undeclared variable: The root module does not declare a variable named "regin" but a value was found in file "production.tfvars". If you meant to use this value, add a "variable" block to the configuration. Did you mean "region"?
        "#]],
    );
    check(
        "#- /production.tfvars.json\n{ \"size\": [1], \"other\": 1 }\n#- /main.tf\nvariable \"size\" {\n  type = number\n}\n",
        expect![[r#"
            1 `[1]` error invalid-variable-value: Invalid value for input variable: The given value is not suitable for var.size: number required.
            1 `"other"` warning undeclared-variable: Value for undeclared variable: The root module does not declare a variable named "other" but a value was found in file "production.tfvars.json". If you meant to use this value, add a "variable" block to the configuration.
        "#]],
    );
}

#[test]
fn a_provider_that_is_not_installed_is_told_once() {
    check(
        r#"
terraform {
  required_providers {
    random = {
      source = "hashicorp/random"
    }
  }
}

resource "random_pet" "a" {
  length = terraform_data.one.idd
}

resource "random_pet" "b" {
  prefix = random_pet.a.id
}

resource "terraform_data" "one" {
  input = random_pet.unplanned.whatever
}

resource "random_pet" "unplanned" {
}
"#,
        expect![[r#"
            3 `random = {` warning provider-not-installed: provider hashicorp/random is not installed: run `terraform init` (2 resources are not planned)
            10 `.idd` error unsupported-attribute: Unsupported attribute: This object does not have an attribute named "idd". Did you mean "id"?
        "#]],
    );
}

#[test]
fn arguments_of_calls_and_of_blocks_are_told_once_with_what_is_known_and_without() {
    check(
        r#"
module "child" {
  source = "./child"
  size   = "large"
  colour = "red"
}

resource "fake_thing" "a" {
  size = module.child.sze
  rule {
    note = upper()
  }
  dynamic "rule" {
    for_each = [1]
    content {
      port = "http"
    }
  }
}

module "many" {
  source = "./child"
  count  = 2
  size   = count.index
}

output "of_all" {
  value = [resource.fake_thing.a.name, module.many[0].size, module.many[1].sze, try(module.child.sze, null)]
}
#- /child/main.tf
variable "size" {
  type = number
}

output "size" {
  value = var.size
}
"#,
        expect![[r#"
            3 `"large"` error invalid-variable-value: Invalid value for input variable: The given value is not suitable for var.size: a number is required.
            4 `colour` error unsupported-argument: Unsupported argument: An argument named "colour" is not expected here.
            7 `resource "fake_thing" "a"` warning provider-not-installed: provider hashicorp/fake is not installed: run `terraform init`
            7 `"fake_thing"` hint missing-provider-requirement: provider "fake" has no entry in required_providers, so "hashicorp/fake" is taken, in any version
            7 `{` error missing-argument: Missing required argument: The argument "name" is required, but no definition was found.
            8 `.sze` error unsupported-attribute: Unsupported attribute: This object does not have an attribute named "sze". Did you mean "size"?
            9 `{` error missing-argument: Missing required argument: The argument "port" is required, but no definition was found.
            10 `)` error not-enough-arguments: Not enough function arguments: Function "upper" expects 1 argument(s). Missing value for "str".
            15 `"http"` error incorrect-type: Incorrect attribute value type: Inappropriate value for attribute "port": a number is required.
            27 `.sze` error unsupported-attribute: Unsupported attribute: This object does not have an attribute named "sze". Did you mean "size"?
        "#]],
    );
}

#[test]
fn of_very_many_problems_some_are_shown() {
    let text: String = (0..1_500)
        .map(|at| format!("output \"o{at}\" {{\n  value = local.missing\n}}\n"))
        .collect();
    let diagnostics = Opened::new(&text).diagnostics();
    assert_eq!(diagnostics.len(), 1_000);
    let last = diagnostics.last().unwrap().message();
    assert!(
        last.ends_with("(More problems in this file are not shown.)"),
        "{last}"
    );
}

#[test]
fn a_document_that_is_too_long_is_not_read_and_says_so() {
    let text = format!("locals {{\n  a = 1\n}}\n{}", "\n".repeat(250_000));
    let opened = Opened::new(&text);
    expect![[r#"
        1 `locals {` error syntax: Document too long: planlens reads documents of up to 8 MiB and 250000 lines while they are edited.
    "#]]
    .assert_eq(&opened.shown());
    assert_eq!(opened.snapshot.formatting(&opened.open), None);
}
