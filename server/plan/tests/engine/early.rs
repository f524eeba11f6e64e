//! Sources and versions of modules that are evaluated before the modules are read.

use config::Profile;
use expect_test::{Expect, expect};
use plan::{LanguageChoice, Surroundings};

use crate::support::{World, fake, surroundings};

fn check(profile: Profile, text: &str, expected: Expect) {
    let surroundings = Surroundings {
        language: LanguageChoice::pinned(profile),
        ..surroundings()
    };
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    expected.assert_eq(&world.show(&plan));
}

const TREE: &str = r#"
#- /terraform.tfvars
which = "a"
#- /main.tf
variable "which" {
  type = string
}

locals {
  base = "./modules"
  path = "${local.base}/${var.which}"
}

module "m" {
  source = local.path
  inner  = basename("x/inner")
}

output "found" {
  value = module.m.found
}
#- /modules/a/main.tf
variable "inner" {
}

module "inner" {
  source = "./${var.inner}"
}

output "found" {
  value = module.inner.path
}
#- /modules/a/inner/main.tf
output "path" {
  value = path.module
}
"#;

#[test]
fn a_source_is_computed_from_variables_and_local_values_through_calls() {
    check(
        Profile::NEWEST_OPENTOFU,
        TREE,
        expect![[r#"
        output found: create "modules/a/inner"
    "#]],
    );
}

#[test]
fn terraform_wants_variables_that_are_declared_for_it() {
    check(
        Profile::NEWEST_TERRAFORM,
        TREE,
        expect![[r#"
            output found: create unknown(any)
            error at `local.path`: Invalid module source: The module source contains a reference that is unknown during init.
        "#]],
    );
    let declared = TREE
        .replace("type = string", "type  = string\n  const = true")
        .replace(
            "variable \"inner\" {",
            "variable \"inner\" {\n  const = true",
        );
    check(
        Profile::NEWEST_TERRAFORM,
        &declared,
        expect![[r#"
        output found: create "modules/a/inner"
    "#]],
    );
    check(
        Profile::TERRAFORM_1_11,
        TREE,
        expect![[r#"
        output found: create unknown(any)
        error at `local.path`: Unsuitable value type: Unsuitable value: value must be known
        error at `local`: Variables not allowed: Variables may not be used here.
    "#]],
    );
}

#[test]
fn values_unknown_before_module_loading_are_refused() {
    check(
        Profile::NEWEST_OPENTOFU,
        r#"
#- /main.tf
variable "unset" {
}

variable "secret" {
  default   = "./m"
  sensitive = true
}

variable "dynamic" {
  default = "./m"
  const   = false
}

locals {
  a       = local.b
  b       = local.a
  disk    = terraform_data.a.id
  version = "newest"
}

resource "terraform_data" "a" {
}

module "unset" {
  source = var.unset
}

module "secret" {
  source = var.secret
}

module "dynamic" {
  source = var.dynamic
}

module "circle" {
  source = local.a
}

module "disk" {
  source = "./${local.disk}"
}

module "output" {
  source = module.fine.path
}

module "null" {
  source = null
}

module "number" {
  source  = "./${path.module}/m"
  version = "none of ${1}"
}

module "version" {
  source  = "example.com/a/b/${"c"}"
  version = local.version
}

module "fine" {
  source = "./${terraform.workspace == "default" ? "m" : "n"}"
}
#- /m/main.tf
output "path" {
  value = path.module
}
"#,
        expect![[r#"
            + terraform_data.a
                id: null -> unknown(string, not null)
            error at `"./${local.disk}"`: Unable to compute static value: module.disk.source depends on local.disk which is not available
            error at `"./${path.module}/m"`: Invalid registry module source address: Failed to parse module registry address: can't use local directory "././m" as a module registry address.
            error at `"none of ${1}"`: Invalid version constraint: This string does not use correct version constraint syntax.
            error at `a       = local.b`: Unable to compute static value: local.a depends on local.b which is not available
            error at `a`: Cycle: local.a (expand), local.b (expand)
            error at `b`: Cycle: local.a (expand), local.b (expand)
            error at `local.a`: Circular reference: local.a is self referential
            error at `local.a`: Unable to compute static value: module.circle.source depends on local.a which is not available
            error at `local.version`: Invalid version constraint: This string does not use correct version constraint syntax.
            error at `module "version"`: Module not installed: This module is not yet installed. Run "tofu init" to install all modules required by this configuration.
            error at `module.fine.path`: Module output not supported in static context: Unable to use module.fine in static context, which is required by module.output.source
            error at `null`: Unsuitable value type: Unsuitable value: null value is not allowed
            error at `terraform_data.a`: Dynamic value in static context: Unable to use terraform_data.a in static context, which is required by local.disk
            error at `var.dynamic`: Unable to use variable in static context: The variable "dynamic" cannot be used in a static context, because it is declared as "const = false".
            error at `var.secret`: Sensitive value not allowed: Sensitive values, or values derived from sensitive values, cannot be used as module.secret.source.
            error at `var.unset`: Unable to compute static value: module.unset.source depends on var.unset which is not available
            error at `variable "unset"`: No value for required variable: The root module input variable "unset" is not set, and has no default value. Use a -var or -var-file command line argument to provide a value for this variable.
        "#]],
    );
}

#[test]
fn another_value_is_another_module() {
    let surroundings = Surroundings {
        language: LanguageChoice::pinned(Profile::NEWEST_OPENTOFU),
        ..surroundings()
    };
    let text = r#"
#- /main.tf
locals {
  which = "a"
}

module "m" {
  source = "./${local.which}"
}

output "path" {
  value = module.m.path
}
#- /a/main.tf
output "path" {
  value = path.module
}
#- /b/main.tf
output "path" {
  value = path.module
}
"#;
    let mut world = World::with(text, surroundings, fake());
    let first = world.plan();
    let first = world.show(&first);
    let main = fixture::Fixture::parse(text).file("/main.tf").text.clone();
    world.set("/main.tf", &main.replace("\"a\"", "\"b\""));
    let second = world.plan();
    expect![[r#"
        output path: create "a"
        --
        output path: create "b"
    "#]]
    .assert_eq(&format!("{first}--\n{}", world.show(&second)));
}

/// `init` refuses them. What may be missing comes by `-backend-config`.
#[test]
fn arguments_of_a_backend_are_literal_and_known() {
    check(
        Profile::TERRAFORM_1_11,
        r#"
variable "a" {
  default = "a"
}
terraform {
  backend "local" {
    path           = var.a
    pth            = "x"
    workspace_dirs = upper("x")
    workspace_dir  = []
  }
}
"#,
        expect![[r#"
            error at `[]`: Incorrect attribute value type: Inappropriate value for attribute "workspace_dir": string required.
            error at `pth`: Unsupported argument: An argument named "pth" is not expected here. Did you mean "path"?
            error at `upper("x")`: Function calls not allowed: Functions may not be called here.
            error at `var`: Variables not allowed: Variables may not be used here.
        "#]],
    );
}
