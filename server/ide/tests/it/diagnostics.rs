//! What is reported, where, and that nothing is reported twice.

use expect_test::{Expect, expect};

use crate::support::Opened;
use text::TextSize;

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

/// Terraform says no more than that they are declared twice, until they are not.
#[test]
fn a_block_that_is_declared_twice_is_checked_inside() {
    check(
        r#"
resource "fake_thing" "a" {
  name = "a"
}

resource "fake_thing" "a" {
  nam  = var.missing
  size = local.used
}

resource "fake_thing" "a" {
  name = each.key
}

locals {
  used = 1
}

locals {
  used = upper(var.gone)
}

output "o" {
  value = local.used
}

output "o" {
  value = tonumber("x")
}

provider "fake" {}

provider "fake" {
  regin = "north"
}

module "m" {
  source = "./m"
  size   = 1
}

module "m" {
  source = "./m"
  sise   = local.none
}

module "m" {
  source = "./other"
  any    = 1
}

check "c" {
  assert {
    condition     = local.used != 2
    error_message = "two"
  }
}

check "c" {
  data "fake_zone" "own" {
    name = "x"
  }
  assert {
    condition     = data.fake_zone.own.name != local.nothing
    error_message = "two"
  }
}

variable "v" {
  default = local.used
}

variable "v" {
  type    = number
  default = "many"
}
#- /m/main.tf
variable "size" {}
"#,
        expect![[r#"
            1 `resource "fake_thing" "a"` warning provider-not-installed: provider hashicorp/fake is not installed: run `terraform init`
            1 `"fake_thing"` hint missing-provider-requirement: provider "fake" has no entry in required_providers, so any version of "hashicorp/fake" is used
            5 `resource "fake_thing" "a"` error duplicate-declaration: Duplicate resource "fake_thing" configuration: A fake_thing resource named "a" was already declared at main.tf:1,1-26. Resource names must be unique per type in each module.
            5 `{` error missing-argument: Missing required argument: The argument "name" is required, but no definition was found.
            6 `nam` error unsupported-argument: Unsupported argument: An argument named "nam" is not expected here. Did you mean "name"?
            6 `var.missing` error undeclared-reference: Reference to undeclared input variable: An input variable with the name "missing" has not been declared. This variable can be declared with a variable "missing" {} block.
            10 `resource "fake_thing" "a"` error duplicate-declaration: Duplicate resource "fake_thing" configuration: A fake_thing resource named "a" was already declared at main.tf:1,1-26. Resource names must be unique per type in each module.
            11 `each.key` error each-without-for-each: Reference to "each" in context without for_each: The "each" object can be used only in "module" or "resource" blocks, and only when the "for_each" argument is set.
            19 `used = upper(var.gone)` error duplicate-declaration: Duplicate local value definition: A local value named "used" was already defined at main.tf:15,3-11. Local value names must be unique within a module.
            19 `var.gone` error undeclared-reference: Reference to undeclared input variable: An input variable with the name "gone" has not been declared. This variable can be declared with a variable "gone" {} block.
            26 `output "o"` error duplicate-declaration: Duplicate output definition: An output named "o" was already defined at main.tf:22,1-11. Output names must be unique within a module.
            27 `"x"` error function-call: Invalid function argument: Invalid value for "v" parameter: cannot convert "x" to number; given string must be a decimal representation of a number.
            32 `provider "fake"` error duplicate-declaration: Duplicate provider configuration: A default (non-aliased) provider configuration for "fake" was already given at main.tf:30,1-16. If multiple configurations are required, set the "alias" argument for alternative configurations.
            33 `regin` error unsupported-argument: Unsupported argument: An argument named "regin" is not expected here. Did you mean "region"?
            41 `module "m"` error duplicate-declaration: Duplicate module call: A module call named "m" was already defined at main.tf:36,1-11. Module calls must have unique names within a module.
            41 `module "m"` error missing-argument: Missing required argument: The argument "size" is required, but no definition was found.
            43 `sise` error unsupported-argument: Unsupported argument: An argument named "sise" is not expected here. Did you mean "size"?
            43 `local.none` error undeclared-reference: Reference to undeclared local value: A local value with the name "none" has not been declared.
            46 `module "m"` error duplicate-declaration: Duplicate module call: A module call named "m" was already defined at main.tf:36,1-11. Module calls must have unique names within a module.
            58 `check "c"` error duplicate-declaration: Duplicate check "c" configuration: A check block named "c" was already declared at main.tf:51,1-10. Check blocks must be unique within each module.
            63 `local.nothing` error undeclared-reference: Reference to undeclared local value: A local value with the name "nothing" has not been declared.
            68 `"v"` hint unused-variable: variable "v" is declared but never used
            69 `local` error variables-not-allowed: Variables not allowed: Variables may not be used here.
            72 `variable "v"` error duplicate-declaration: Duplicate variable declaration: A variable named "v" was already declared at main.tf:68,1-13. Variable names must be unique within a module.
            74 `"many"` error invalid-default: Invalid default value for variable: This default value is not compatible with the variable's type constraint: a number is required.
        "#]],
    );
}

#[test]
fn nothing_is_unused_in_a_module_that_is_not_wholly_understood() {
    check(
        "variable \"a\" {\n}\n\nlocals {\n  b = 1\n}\n\noutput \"c\" {\n  value = [\n}\n",
        expect![[r#"
            1 `variable "a"` info no-variable-value: No value for required variable: values that depend on var.a are unknown in this plan
            9 `` error syntax: Missing expression: Expected the start of an expression, but found the end of the file.
        "#]],
    );
}

#[test]
fn a_declaration_used_in_any_file_is_used() {
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
            19 `"fake_zone"` hint missing-provider-requirement: provider "fake" has no entry in required_providers, so any version of "hashicorp/fake" is used
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
fn an_unknown_name_of_a_file_of_values_is_reported_once_and_when_it_is_whole() {
    let variable = "#- /main.tf\nvariable \"region\" {\n  default = \"north\"\n}\n";
    check(
        &format!("#- /terraform.tfvars\nregin = \"south\"\n{variable}"),
        expect![[r#"
            1 `regin` warning undeclared-variable: Value for undeclared variable: The root module does not declare a variable named "regin" but a value was found in file "terraform.tfvars". If you meant to use this value, add a "variable" block to the configuration. Did you mean "region"?
        "#]],
    );
    check(
        &format!("#- /terraform.tfvars\nregi\nregion = \"south\"\n{variable}"),
        expect![[r#"
            1 `regi` error syntax: Argument or block definition required: An argument or block definition is required here. To set an argument, use the equals sign "=" to introduce the argument value.
        "#]],
    );
}

#[test]
fn a_provider_that_is_not_installed_is_reported_once() {
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
fn argument_errors_are_reported_once_with_and_without_schemas() {
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
            7 `"fake_thing"` hint missing-provider-requirement: provider "fake" has no entry in required_providers, so any version of "hashicorp/fake" is used
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
fn a_document_that_is_too_long_is_reported_and_not_read() {
    let text = format!("locals {{\n  a = 1\n}}\n{}", "\n".repeat(250_000));
    let opened = Opened::new(&text);
    expect![[r#"
        1 `locals {` error syntax: Document too long: planlens does not read a document of more than 4 MiB or 250000 lines while you edit it.
    "#]]
    .assert_eq(&opened.shown());
    assert_eq!(opened.snapshot.formatting(&opened.open), None);
    let end = TextSize::of(&*text);
    let (snapshot, file) = (&opened.snapshot, &opened.open);
    assert!(snapshot.hover(file, end).is_none());
    assert!(
        snapshot
            .completions(file, end, &opened.files)
            .items
            .is_empty()
    );
    assert!(snapshot.signature_help(file, end).is_none());
    assert!(snapshot.selections(file, end).is_empty());
}

#[test]
fn a_data_source_that_is_wrong_is_declared_all_the_same() {
    check(
        r#"
check "c" {
  data "terraform_remote_state" "a" {
    backend = "local"
    count   = 2
  }
  data "terraform_remote_state" "b" {
    backend = "local"
  }
  assert {
    condition     = data.terraform_remote_state.a.backend == "local"
    error_message = "a"
  }
  assert {
    condition     = data.terraform_remote_state.b.backend == "local"
    error_message = "b"
  }
}
"#,
        expect![[r#"
            4 `count` error unsupported-argument: Invalid "count" attribute: The "count" and "for_each" meta-arguments are not supported within nested data blocks.
            14 `data.terraform_remote_state.b.backend == "local"` warning condition-unknown: Check block assertion known after apply: The condition could not be evaluated at this time, a result will be known when this plan is applied.
        "#]],
    );
}
