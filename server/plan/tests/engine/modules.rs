//! Called modules: their instances, what goes in and out, and what is wrong with calls.

use expect_test::expect;

use crate::support::{DIR, World, check, fake, surroundings};

#[test]
fn keys_of_module_instances_are_attributes() {
    let main = |for_each: &str| {
        format!(
            r#"module "m" {{
  source = "./m"
  {for_each}
  name = "x"
}}
output "web" {{
  value = module.m.web
}}
output "path" {{
  value = module.m.web.path
}}
output "name" {{
  value = module.m.name
}}
"#
        )
    };
    let called = "variable \"name\" {}\noutput \"web\" {\n  value = { path = \"of ${var.name}\" }\n}\noutput \"name\" {\n  value = var.name\n}\noutput \"path\" {\n  value = \"${var.name}/\"\n}\n";
    let by_key = "for_each = toset([\"web\", \"name\"])";
    let fixture = format!("#- /main.tf\n{}#- /m/main.tf\n{called}", main(""));
    let mut world = World::new(&fixture);
    let mut seen = String::new();
    for for_each in ["", by_key, ""] {
        world.set("/main.tf", &main(for_each));
        let plan = world.plan();
        seen += &format!("{for_each:?}\n{}", world.show(&plan));
    }
    expect![[r#"
        ""
        output name: create "x"
        output path: create "of x"
        output web: create {"path": "of x"}
        "for_each = toset([\"web\", \"name\"])"
        output name: create {"name": "x", "path": "x/", "web": {"path": "of x"}}
        output path: create "x/"
        output web: create {"name": "x", "path": "x/", "web": {"path": "of x"}}
        ""
        output name: create "x"
        output path: create "of x"
        output web: create {"path": "of x"}
    "#]]
    .assert_eq(&seen);
}

#[test]
fn values_go_through_a_module() {
    check(
        r#"
#- /main.tf
module "m" {
  source = "./m"
  name   = "x"
}
resource "fake_disk" "a" {
  name = module.m.out
}
output "path" {
  value = module.m.path
}
#- /m/main.tf
variable "name" {}
resource "fake_disk" "inner" {
  name = "${var.name}-inner"
}
output "out" {
  value = fake_disk.inner.name
}
output "path" {
  value = "${path.module} in ${path.root}"
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "x-inner"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + module.m.fake_disk.inner
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "x-inner"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            output path: create "m in ."
        "#]],
    );
}

#[test]
fn instances_of_modules_form_tuples_and_objects() {
    check(
        r#"
#- /main.tf
module "counted" {
  count  = 2
  source = "./m"
  name   = "n${count.index}"
}
module "keyed" {
  for_each = { a = "x", b = "y" }
  source   = "./m"
  name     = "${each.key}-${each.value}"
}
output "counted" {
  value = module.counted[*].name
}
output "one" {
  value = module.counted[1].name
}
output "keyed" {
  value = module.keyed
}
#- /m/main.tf
variable "name" {}
output "name" {
  value = var.name
}
"#,
        expect![[r#"
            output counted: create ["n0", "n1"]
            output keyed: create {"a": {"name": "a-x"}, "b": {"name": "b-y"}}
            output one: create "n1"
        "#]],
    );
}

#[test]
fn objects_of_module_instances_that_nobody_wants_are_deleted_with_the_reason() {
    check(
        r#"
#- state module.m[0].fake_disk.a
name = "kept"
id = "1"
kind = "std"
revision = "r"
#- state module.m[1].fake_disk.a
id = "2"
#- state module.gone.fake_disk.a
id = "3"
#- state module.m[0].fake_disk.removed
id = "4"
#- /main.tf
module "m" {
  count  = 1
  source = "./m"
}
#- /m/main.tf
resource "fake_disk" "a" {
  name = "kept"
}
"#,
        expect![[r#"
            - module.gone.fake_disk.a (delete_because_no_resource_config)
            = module.m[0].fake_disk.a
            - module.m[0].fake_disk.removed (delete_because_no_resource_config)
            - module.m[1].fake_disk.a (delete_because_no_module)
        "#]],
    );
}

#[test]
fn where_the_instances_of_a_module_are_unknown_its_resources_are_labelled() {
    check(
        r#"
#- state module.m["old"].fake_disk.a
id = "1"
#- /main.tf
resource "fake_disk" "known" {
}
module "m" {
  for_each = toset([fake_disk.known.revision])
  source   = "./m"
  name     = each.key
}
resource "fake_disk" "user" {
  name = module.m["x"].name
}
#- /m/main.tf
variable "name" {}
resource "fake_disk" "a" {
  name = var.name
}
output "name" {
  value = fake_disk.a.name
}
"#,
        expect![[r#"
            + fake_disk.known
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            + fake_disk.user
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.user: it depends on module.m, which has errors
            label module.m.fake_disk.a: the number of instances of module.m is known only after apply
            error at `toset([fake_disk.known.revision])`: Invalid for_each argument: The "for_each" set includes values derived from resource attributes that cannot be determined until apply, and so Terraform cannot determine the full set of keys that will identify the instances of this resource.
        "#]],
    );
}

#[test]
fn a_module_that_is_not_installed_is_reported_once_and_its_objects_are_left_alone() {
    check(
        r#"
#- state module.far.fake_disk.a
id = "1"
#- /main.tf
module "far" {
  source = "example/far/fake"
}
module "absent" {
  source = "./absent"
}
resource "fake_disk" "a" {
  name = module.far.name
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> unknown(string)
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.a: it depends on module.far, which has errors
            error at `module "absent"`: Module not installed: This module's directory absent could not be read. Run "terraform init" to install all modules required by this configuration.
            error at `module "far"`: Module not installed: This module is not yet installed. Run "terraform init" to install all modules required by this configuration.
        "#]],
    );
}

#[test]
fn an_installed_module_is_read_where_init_put_it() {
    let text = r#"
#- /main.tf
module "far" {
  source = "example/far/fake"
}
output "path" {
  value = module.far.path
}
#- DATA/modules/modules.json
{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"far","Source":"registry.terraform.io/example/far/fake","Version":"1.0.0","Dir":"DIRECTORY/modules/far"},{"Key":"far.near","Source":"./near","Dir":"DIRECTORY/modules/far/near"}]}
#- DATA/modules/far/main.tf
module "near" {
  source = "./near"
}
output "path" {
  value = module.near.path
}
#- DATA/modules/far/near/main.tf
output "path" {
  value = path.module
}
"#;
    let default = text
        .replace("DATA", "/.terraform")
        .replace("DIRECTORY", ".terraform");
    check(
        &default,
        expect![[r#"
        output path: create ".terraform/modules/far/near"
    "#]],
    );
    let mut surroundings = surroundings();
    let elsewhere = format!("{DIR}/data");
    surroundings.variables = [("TF_DATA_DIR", elsewhere)].into();
    let text = text.replace("DATA", "/data").replace("DIRECTORY", "data");
    let mut world = World::with(&text, surroundings, fake());
    let plan = world.plan();
    expect![[r#"
        output path: create "data/modules/far/near"
    "#]]
    .assert_eq(&world.show(&plan));
}

#[test]
fn arguments_are_those_that_the_module_declares() {
    check(
        r#"
#- /main.tf
module "m" {
  source = "./m"
  size   = "many"
  nmae   = "x"
}
output "missing" {
  value = module.m.missing
}
#- /m/main.tf
variable "name" {}
variable "size" {
  type = number
}
variable "kind" {
  type     = string
  default  = "std"
  nullable = false
}
output "kind" {
  value = var.kind
}
"#,
        expect![[r#"
            error at `"many"`: Invalid value for input variable: The given value is not suitable for var.size: a number is required.
            error at `.missing`: Unsupported attribute: This object does not have an attribute named "missing".
            error at `module "m"`: Missing required argument: The argument "name" is required, but no definition was found.
            error at `nmae`: Unsupported argument: An argument named "nmae" is not expected here. Did you mean "name"?
        "#]],
    );
}

#[test]
fn validations_of_inputs_and_preconditions_of_outputs_belong_to_the_instance() {
    check(
        r#"
#- /main.tf
module "m" {
  for_each = { small = 1, large = 11 }
  source   = "./m"
  size     = each.value
}
resource "fake_disk" "a" {
  name = module.m["small"].name
}
#- /m/main.tf
variable "size" {
  validation {
    condition     = var.size < 10
    error_message = "The size ${var.size} is too large."
  }
}
output "name" {
  value = "n${var.size}"
  precondition {
    condition     = var.size > 1
    error_message = "The size ${var.size} is too small."
  }
}
"#,
        expect![[r#"
            + fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                name: null -> "n1"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label fake_disk.a: it depends on module.m.var.size, which has errors
            error at `each.value`: Invalid value for variable: The size 11 is too large.
            error at `var.size > 1`: Module output value precondition failed: The size 1 is too small.
        "#]],
    );
}

#[test]
fn a_module_that_calls_itself_is_refused() {
    check(
        r#"
#- /main.tf
module "m" {
  source = "./m"
}
#- /m/main.tf
module "n" {
  source = "../n"
}
#- /n/main.tf
module "m" {
  source = "../m"
}
output "out" {
  value = module.m.out
}
"#,
        expect![[r#"
            error at `"../m"`: Module calls itself: The source "../m" leads back to a module that calls this one, so the modules would call each other without end.
        "#]],
    );
}

#[test]
fn a_cycle_through_modules_is_reported_as_terraform_does() {
    check(
        r#"
#- /main.tf
module "a" {
  source = "./m"
  in     = module.b.out
}
module "b" {
  source = "./m"
  in     = module.a.out
}
resource "fake_disk" "apart" {
}
#- /m/main.tf
variable "in" {}
output "out" {
  value = var.in
}
"#,
        expect![[r#"
            + fake_disk.apart
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            error at `output "out"`: Cycle: module.a.output.out (expand), module.a.var.in (expand), module.b.output.out (expand), module.b.var.in (expand)
            error at `output "out"`: Cycle: module.a.output.out (expand), module.a.var.in (expand), module.b.output.out (expand), module.b.var.in (expand)
            error at `variable "in"`: Cycle: module.a.output.out (expand), module.a.var.in (expand), module.b.output.out (expand), module.b.var.in (expand)
            error at `variable "in"`: Cycle: module.a.output.out (expand), module.a.var.in (expand), module.b.output.out (expand), module.b.var.in (expand)
        "#]],
    );
    check(
        r#"
#- /main.tf
module "a" {
  count  = length(fake_disk.a.name)
  source = "./m"
}
resource "fake_disk" "a" {
  name       = "x"
  depends_on = [module.a]
}
#- /m/main.tf
resource "fake_disk" "inner" {
}
"#,
        expect![[r#"
            label fake_disk.a: fake_disk.a refers to itself through other objects
            label module.a.fake_disk.inner: module.a.fake_disk.inner refers to itself through other objects
            error at `module "a"`: Cycle: fake_disk.a, module.a (close), module.a (expand), module.a.fake_disk.inner
            error at `module "a"`: Cycle: fake_disk.a, module.a (close), module.a (expand), module.a.fake_disk.inner
            error at `resource "fake_disk" "a"`: Cycle: fake_disk.a, module.a (close), module.a (expand), module.a.fake_disk.inner
            error at `resource "fake_disk" "inner"`: Cycle: fake_disk.a, module.a (close), module.a (expand), module.a.fake_disk.inner
        "#]],
    );
}

#[test]
fn an_output_of_a_module_does_not_wait_for_its_other_outputs() {
    check(
        r#"
#- /main.tf
module "m" {
  source = "./m"
  first  = "x"
  second = module.m.first
}
output "second" {
  value = module.m.second
}
#- /m/main.tf
variable "first" {}
variable "second" {}
output "first" {
  value = var.first
}
output "second" {
  value = var.second
}
"#,
        expect![[r#"
            output second: create "x"
        "#]],
    );
}

#[test]
fn provider_configurations_are_passed_and_inherited() {
    let text = r#"
#- /main.tf
provider "fake" {
  region = "default"
}
provider "fake" {
  alias  = "east"
  region = "east"
}
module "inherits" {
  source = "./m"
}
module "passed" {
  source    = "./m"
  providers = { fake = fake.east }
}
module "aliased" {
  source    = "./aliased"
  providers = { fake.other = fake.east }
}
#- /m/main.tf
terraform {
  required_providers {
    fake = { source = "hashicorp/fake" }
  }
}
module "deep" {
  source = "../deep"
}
#- /deep/main.tf
resource "fake_disk" "a" {
}
#- /aliased/main.tf
terraform {
  required_providers {
    fake = {
      source                = "hashicorp/fake"
      configuration_aliases = [fake.other]
    }
  }
}
resource "fake_disk" "a" {
  provider = fake.other
}
"#;
    let mut world = World::new(text);
    let plan = world.plan();
    expect![[r#"
        + module.aliased.fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
        + module.inherits.module.deep.fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
        + module.passed.module.deep.fake_disk.a
            id: null -> unknown(string)
            kind: null -> "std"
            password: null -> (sensitive)
            revision: null -> unknown(string)
    "#]]
    .assert_eq(&world.show(&plan));
    let tree = world.root.tree().unwrap();
    let mut served = String::new();
    for (addr, module) in tree.iter() {
        for resource in module.module.resources.values() {
            served += &format!("{addr}: {}\n", tree.provider_of(addr, resource));
        }
    }
    expect![[r#"
        module.aliased: provider["registry.terraform.io/hashicorp/fake"].east
        module.inherits.module.deep: provider["registry.terraform.io/hashicorp/fake"]
        module.passed.module.deep: provider["registry.terraform.io/hashicorp/fake"].east
    "#]]
    .assert_eq(&served);
}

#[test]
fn wrong_wiring_of_providers_is_reported_where_one_is_passed() {
    check(
        r#"
#- /main.tf
provider "fake" {
  alias = "east"
}
module "lacks" {
  source = "./aliased"
}
module "surplus" {
  source = "./plain"
  providers = {
    fake      = fake
    fake.nope = fake.east
    other     = fake.east
  }
}
module "counted" {
  count  = 2
  source = "./own"
}
module "overridden" {
  source    = "./own"
  providers = { fake = fake.east }
}
#- /aliased/main.tf
terraform {
  required_providers {
    fake = {
      source                = "hashicorp/fake"
      configuration_aliases = [fake.other]
    }
  }
}
#- /plain/main.tf
terraform {
  required_providers {
    other = { source = "example/other" }
  }
}
provider "fake" {
}
resource "fake_disk" "a" {
  provider = fake.absent
}
#- /own/main.tf
provider "fake" {
  region = "own"
}
"#,
        expect![[r#"
            + module.surplus.fake_disk.a
                id: null -> unknown(string)
                kind: null -> "std"
                password: null -> (sensitive)
                revision: null -> unknown(string)
            label module.surplus.fake_disk.a: it depends on module.surplus, which has errors
            error at `2`: Module is incompatible with count, for_each, and depends_on: The module at module.counted is a legacy module which contains its own local provider configurations, and so calls to it may not use the count, for_each, or depends_on arguments.
            error at `fake = fake.east`: Cannot override provider configuration: The configuration of module.overridden has its own local configuration for fake, and so it cannot accept an overridden configuration provided by the root module.
            error at `fake.absent`: Provider configuration not present: To work with module.surplus.fake_disk.a its original provider configuration at module.surplus.provider["registry.terraform.io/hashicorp/fake"].absent is required, but it has been removed. This occurs when a provider configuration is removed while objects created by that provider still exist in the state. Re-add the provider configuration to destroy module.surplus.fake_disk.a, after which you can remove the provider configuration again.
            error at `module "lacks"`: Missing required provider configuration: The child module requires an additional configuration for provider hashicorp/fake, with the local name "fake.other".
            error at `other     = fake.east`: Provider type mismatch: The local name "fake.east" in the root module represents provider "hashicorp/fake", but "other" in module.surplus represents "example/other".
            warning at `fake      = fake`: Reference to undefined provider: There is no explicit declaration for local provider name "fake" in the root module, so Terraform is assuming you mean to pass a configuration for provider "hashicorp/fake".
            warning at `fake.nope = fake.east`: Reference to undefined provider: There is no explicit declaration for local provider name "fake.nope" in module.surplus, so Terraform is assuming you mean to pass a configuration for "hashicorp/fake".
            warning at `provider "fake"`: Redundant empty provider block: Earlier versions of Terraform used empty provider blocks ("proxy provider configurations") for child modules to declare their need to be passed a provider configuration by their callers. That approach was ambiguous and is now deprecated.
        "#]],
    );
}

#[test]
fn create_before_destroy_spreads_through_modules() {
    check(
        r#"
#- state module.base.fake_disk.a
zone = "old"
id = "1"
#- state module.base.fake_disk.apart
zone = "old"
id = "2"
#- state module.user.fake_disk.b
zone = "old"
id = "3"
#- /main.tf
module "base" {
  source = "./base"
}
module "user" {
  source = "./user"
  name   = module.base.zone
}
#- /base/main.tf
resource "fake_disk" "a" {
  zone = "new"
}
resource "fake_disk" "apart" {
  zone = "new"
}
output "zone" {
  value = fake_disk.a.zone
}
#- /user/main.tf
variable "name" {}
resource "fake_disk" "b" {
  zone = "new"
  name = var.name
  lifecycle {
    create_before_destroy = true
  }
}
"#,
        expect![[r#"
            +/- module.base.fake_disk.a (replace_because_cannot_update) because of .zone
                id: "1" -> unknown(string)
                kind: null -> "std"
                revision: null -> unknown(string)
                zone: "old" -> "new"
            -/+ module.base.fake_disk.apart (replace_because_cannot_update) because of .zone
                id: "2" -> unknown(string)
                kind: null -> "std"
                revision: null -> unknown(string)
                zone: "old" -> "new"
            +/- module.user.fake_disk.b (replace_because_cannot_update) because of .zone
                id: "3" -> unknown(string)
                kind: null -> "std"
                name: null -> "new"
                revision: null -> unknown(string)
                zone: "old" -> "new"
        "#]],
    );
}

#[test]
fn an_edit_in_a_module_evaluates_only_its_dependents() {
    let mut world = World::new(
        r#"
#- /main.tf
module "a" {
  source = "./m"
  name   = "a"
}
module "b" {
  source = "./m"
  name   = "b"
}
resource "fake_disk" "root" {
  name = "root"
}
resource "fake_disk" "user" {
  name = module.a.name
}
#- /m/main.tf
variable "name" {}
resource "fake_disk" "inner" {
  name = var.name
  size = 1
}
output "name" {
  value = fake_disk.inner.name
}
"#,
    );
    world.plan();
    let before = world.provider.requests().len();
    world.set(
        "/m/main.tf",
        r#"variable "name" {}
resource "fake_disk" "inner" {
  name = var.name
  size = 2
}
output "name" {
  value = fake_disk.inner.name
}
"#,
    );
    let plan = world.plan();
    let stats = world.root.engine().stats();
    assert_eq!(plan.counts().add, 4);
    // The resource in both modules, its output, and each module as a whole.
    assert_eq!(stats.nodes_evaluated, 6, "{stats:?}");
    assert_eq!(stats.instances_planned, 2, "{stats:?}");
    let asked = world.provider.requests().len() - before;
    assert!(asked <= 4, "{asked} requests");
    let again = world.plan();
    assert_eq!(world.root.engine().stats().nodes_evaluated, 0);
    assert_eq!(world.show(&plan), world.show(&again));
}

#[test]
fn ephemeral_and_sensitive_values_keep_their_marks_on_the_way() {
    check(
        r#"
#- /main.tf
module "m" {
  source = "./m"
  token  = "t"
}
output "hidden" {
  value = module.m.hidden
}
output "declared" {
  value = module.m.declared
}
resource "fake_disk" "a" {
  name = module.m.token
}
#- /m/main.tf
variable "token" {
  ephemeral = true
}
variable "secret" {
  default   = "s"
  sensitive = true
}
output "token" {
  value     = var.token
  ephemeral = true
}
output "undeclared" {
  value = var.token
}
output "known" {
  value     = "k"
  ephemeral = true
}
output "hidden" {
  value = var.secret
}
output "declared" {
  value     = "shown by Terraform 1.11"
  sensitive = true
}
"#,
        expect![[r#"
            output declared: create "shown by Terraform 1.11"
            error at `"k"`: Value not allowed in ephemeral output: This output value is declared as returning an ephemeral value, so it can only be set to an ephemeral value.
            error at `module.m.token`: Invalid use of ephemeral value: Ephemeral values are not valid for "name", because it is not a write-only attribute and must be persisted to state.
            error at `output "hidden"`: Output refers to sensitive values: To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, Terraform requires that any root module output containing sensitive data be explicitly marked as sensitive, to confirm your intent.
            error at `var.token`: Ephemeral value not allowed: This output value is not declared as returning an ephemeral value, so it cannot be set to a result derived from an ephemeral value.
        "#]],
    );
}
