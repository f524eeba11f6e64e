//! What comes from outside the configuration, and that nothing goes out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use expect_test::expect;
use plan::{OpenFiles, PlanningRequest, Surroundings, VarOption};
use provider::Rpc;
use schema::Block;

use crate::support::{DIR, World, block_on, fake, root, state_text, surroundings};

#[test]
fn a_later_source_of_a_variable_wins() {
    let text = r#"
#- /main.tf
variable "a" {
  default = "default"
}
variable "b" {
  default = "default"
}
variable "c" {
  default = "default"
}
variable "d" {
  default = "default"
}
variable "e" {
  default = "default"
}
output "all" {
  value = [var.a, var.b, var.c, var.d, var.e]
}
#- /terraform.tfvars
b = "terraform.tfvars"
c = "terraform.tfvars"
d = "terraform.tfvars"
e = "terraform.tfvars"
#- /x.auto.tfvars
c = "auto"
d = "auto"
e = "auto"
#- /given.tfvars
d = "given"
e = "given"
"#;
    let surroundings = Surroundings {
        variables: [("TF_VAR_a", "environment"), ("TF_VAR_b", "environment")].into(),
        options: vec![
            VarOption::File(format!("{DIR}/given.tfvars")),
            VarOption::Var {
                name: "e".to_owned(),
                value: "option".to_owned(),
            },
        ],
        ..surroundings()
    };
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    expect![[r#"
        output all: create ["environment", "terraform.tfvars", "auto", "given", "option"]
    "#]]
    .assert_eq(&world.show(&plan));
}

#[test]
fn command_line_options_override_those_in_the_environment() {
    let text = r#"
#- /main.tf
variable "general" {}
variable "of_plan" {}
variable "typed" {}
resource "fake_disk" "a" {
}
resource "fake_disk" "b" {
}
output "all" {
  value = [var.general, var.of_plan, var.typed]
}
"#;
    let option = |name: &str, value: &str| VarOption::Var {
        name: name.to_owned(),
        value: value.to_owned(),
    };
    let of_plan = "-var general=plan -var of_plan=plan -var typed=plan -parallelism=2";
    let general = "-var general=general -var 'typed=in general' -no-color -target fake_disk.b";
    let surroundings = Surroundings {
        variables: [
            ("TF_CLI_ARGS_plan", of_plan),
            ("TF_CLI_ARGS", general),
            ("TF_CLI_ARGS_apply", "-var of_plan=apply"),
        ]
        .into(),
        options: vec![option("typed", "typed")],
        ..surroundings()
    };
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    let given = |name: &str| plan.variables[name].as_str().map(str::to_owned);
    assert_eq!(given("general").as_deref(), Some("general"));
    assert_eq!(given("of_plan").as_deref(), Some("plan"));
    assert_eq!(given("typed").as_deref(), Some("typed"));
    let planned = plan.changes().map(|change| change.addr.to_string());
    assert_eq!(planned.collect::<Vec<_>>(), ["fake_disk.b"]);
}

#[test]
fn arguments_in_the_environment_that_cannot_be_read_are_reported() {
    let surroundings = Surroundings {
        variables: [("TF_CLI_ARGS", "-var 'open")].into(),
        ..surroundings()
    };
    let mut world = World::with("#- /main.tf\n", surroundings, fake());
    let plan = world.plan();
    expect![[r#"
        error at nowhere: Error parsing extra CLI args from TF_CLI_ARGS: Not valid as arguments of `terraform plan`: a quote is not closed.
    "#]]
    .assert_eq(&world.show(&plan));
}

/// The names of blocks mean nothing in a file of values.
#[test]
fn a_variables_file_in_json_may_have_any_name() {
    let text = r#"
#- /main.tf
variable "module" {
  type = map(string)
}
output "it" {
  value = var.module
}
#- /given.json
{"module": {"a": "b"}}
"#;
    let surroundings = Surroundings {
        options: vec![VarOption::File(format!("{DIR}/given.json"))],
        ..surroundings()
    };
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    expect![[r#"
        output it: create map{"a": "b"}
    "#]]
    .assert_eq(&world.show(&plan));
}

/// The state's identity goes with each request about the object.
#[test]
fn a_provider_receives_the_stored_identity_of_an_object() {
    let state = |version: u32| {
        format!(
            r#"
#- /main.tf
resource "fake_disk" "a" {{
  size = 2
}}
#- /terraform.tfstate
{{"version": 4, "serial": 1, "lineage": "l", "resources": [{{
  "mode": "managed", "type": "fake_disk", "name": "a",
  "provider": "provider[\"registry.terraform.io/hashicorp/fake\"]",
  "instances": [{{
    "schema_version": 0, "attributes": {{"id": "disk-1", "size": 1}},
    "identity": {{"name": "one"}}, "identity_schema_version": {version}
  }}]
}}]}}
"#
        )
    };
    let block = schema::Block {
        attributes: BTreeMap::from([(
            "name".into(),
            schema::Attribute::new(cty::Type::String).required(),
        )]),
        ..schema::Block::default()
    };
    let provider = || {
        let identity = schema::Schema::new(1, block.clone());
        fake().with_identity("fake_disk", identity)
    };
    let mut world = World::with(&state(1), surroundings(), provider());
    world.plan();
    let requests = world.provider.requests();
    let mut plans = requests.iter().filter_map(|request| request.plan.as_ref());
    let identity = plans.next().unwrap().prior_identity.as_ref().unwrap();
    assert_eq!(identity.get("name").unwrap().as_str(), Some("one"));

    let mut world = World::with(&state(2), surroundings(), provider());
    let plan = world.plan();
    expect![[r#"
        error at `resource "fake_disk" "a"`: Resource identity managed by newer provider version: The current identity of fake_disk.a was created by a newer provider version than is currently selected. Upgrade the registry.terraform.io/hashicorp/fake provider to work with this identity.
    "#]]
    .assert_eq(&world.show(&plan));
}

#[test]
fn wrong_variables_files_are_reported_in_terraforms_words() {
    let text = r#"
#- /main.tf
variable "x" {
  default = 1
}
output "x" {
  value = var.x
}
#- /terraform.tfvars
x = 2
variable "y" {
  default = 1
}
foo {
}
"#;
    let surroundings = Surroundings {
        options: vec![
            VarOption::File(format!("{DIR}/nope.tfvars")),
            VarOption::Var {
                name: "z".to_owned(),
                value: "1".to_owned(),
            },
        ],
        ..surroundings()
    };
    let mut world = World::with(text, surroundings, fake());
    let plan = world.plan();
    expect![[r#"
        output x: create 2
        error at `foo`: Unexpected "foo" block: Blocks are not allowed here.
        error at `variable "y"`: Variable declaration in .tfvars file: A .tfvars file is used to assign values to variables that have already been declared in .tf files, not to declare new variables. To declare variable "y", place this block in one of your .tf files, such as variables.tf.
        error at nowhere: Failed to read variables file: Given variables file nope.tfvars does not exist.
        error at nowhere: Value for undeclared variable: A variable named "z" was assigned on the command line, but the root module does not declare a variable of that name. To use this value, add a "variable" block to the configuration.
    "#]].assert_eq(&world.show(&plan));
}

const CONFIGURATION: &str = r#"
provider "fake" {
  region = "x"
}
data "fake_image" "i" {
}
resource "fake_disk" "a" {
  zone = "y"
}
resource "fake_disk" "c" {
  count = 2
}
resource "terraform_data" "t" {
  input = fake_disk.a.id
}
"#;

fn contents(dir: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .map(|path| {
            let name = path.display().to_string();
            (name, fs::read(path).unwrap())
        })
        .collect()
}

/// Nothing is applied, read from the world, locked or written.
#[test]
fn a_plan_leaves_the_world_alone() {
    let dir = tempfile::tempdir().unwrap();
    let objects = [
        ("fake_disk.a", "id = \"1\"\nzone = \"x\""),
        ("fake_disk.c[2]", "id = \"2\""),
        ("fake_disk.gone", "id = \"3\""),
    ];
    let objects = objects.map(|(addr, body)| (addr.to_owned(), body.to_owned()));
    fs::write(dir.path().join("main.tf"), CONFIGURATION).unwrap();
    fs::write(dir.path().join("terraform.tfstate"), state_text(&objects)).unwrap();
    let before = contents(dir.path());

    let provider = std::sync::Arc::new(fake());
    let surroundings = Surroundings {
        dir: dir.path().to_owned(),
        cwd: dir.path().to_owned(),
        ..surroundings()
    };
    let mut root = root(surroundings, provider.clone());
    let request = PlanningRequest {
        is_saved: true,
        may_configure: true,
        ..PlanningRequest::default()
    };
    let files = OpenFiles::default();
    root.load(&files, &request);
    let plan = block_on(root.plan(&mut |_| {}));
    assert_eq!(plan.counts().replace, 1);
    assert_eq!(plan.counts().destroy, 3);
    // A buffer that isn't saved.
    let path = dir.path().join("main.tf").display().to_string();
    let edited = syntax::parse(&CONFIGURATION.replace("\"y\"", "\"z\""));
    let files = files.with_parsed([(path, edited)].into());
    root.load(&files, &PlanningRequest::default());
    block_on(root.plan(&mut |_| {}));

    assert_eq!(contents(dir.path()), before);
    let allowed = [
        Rpc::GetProviderSchema,
        Rpc::ValidateProviderConfig,
        Rpc::ConfigureProvider,
        Rpc::ValidateResourceConfig,
        Rpc::ValidateDataSourceConfig,
        Rpc::UpgradeResourceState,
        Rpc::PlanResourceChange,
    ];
    for request in provider.requests() {
        assert!(allowed.contains(&request.rpc), "{:?}", request.rpc);
    }
    assert_eq!(provider.count(Rpc::ConfigureProvider), 1);
}

/// A half-typed configuration of a provider is checked, but not given to it.
#[test]
fn a_provider_is_configured_from_saved_texts_only() {
    let mut world = World::new("provider \"fake\" {\n}\nresource \"fake_disk\" \"a\" {\n}\n");
    world.request.is_saved = false;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 0);
    world.request.is_saved = true;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 1);
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 1);
    let edited = "provider \"fake\" {\n  region = \"x\"\n}\nresource \"fake_disk\" \"a\" {\n}\n";
    world.set("/main.tf", edited);
    world.request.is_saved = false;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 1);
    world.request.is_saved = true;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 2);
}

#[test]
fn a_provider_that_takes_no_arguments_is_configured_at_once() {
    let text = "resource \"fake_disk\" \"a\" {\n}\n";
    let provider = fake().with_config(Block::default());
    let mut world = World::with(text, surroundings(), provider);
    world.request.is_saved = false;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 1);
    world.request.may_configure = false;
    world.plan();
    assert_eq!(world.provider.count(Rpc::ConfigureProvider), 1);
}

/// What it says may be a program to run.
#[test]
fn a_provider_receives_nothing_from_an_untrusted_folder() {
    let says_something = "provider \"fake\" {\n  region = \"eu\"\n}\n";
    let resource = "resource \"fake_disk\" \"a\" {\n}\n";
    for (block, configured) in [
        (says_something, 0),
        ("provider \"fake\" {\n}\n", 1),
        ("", 1),
    ] {
        let surroundings = Surroundings {
            is_trusted: false,
            ..surroundings()
        };
        let text = format!("{block}{resource}");
        let mut world = World::with(&text, surroundings, fake());
        world.request.is_saved = true;
        let plan = world.plan();
        assert_eq!(
            world.provider.count(Rpc::ConfigureProvider),
            configured,
            "{block}"
        );
        let caveats: Vec<String> = plan.caveats().map(|(_, it)| it.to_string()).collect();
        let label = "planned without its provider's configuration: this workspace is not trusted";
        assert_eq!(caveats == [label], configured == 0, "{caveats:?}");
        let waits = !world.root.awaiting_trust().is_empty();
        assert_eq!(waits, configured == 0, "{block}");
        let approved = plan::Approved::All;
        world.root.set_trust(true, approved);
        world.plan();
        assert!(world.provider.count(Rpc::ConfigureProvider) > 0, "{block}");
        assert!(world.root.awaiting_trust().is_empty(), "{block}");
    }
}

/// The provider's executable would leave a mark.
#[cfg(unix)]
#[test]
fn a_workspace_without_trust_starts_no_plugin() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let configuration =
        "resource \"there_thing\" \"a\" {\n}\nresource \"terraform_data\" \"b\" {\n}\n";
    fs::write(dir.path().join("main.tf"), configuration).unwrap();
    let platform = match std::env::consts::ARCH {
        "x86_64" => format!("{}_amd64", std::env::consts::OS),
        "aarch64" => format!("{}_arm64", std::env::consts::OS),
        _ => return,
    };
    let package = dir.path().join(format!(
        ".terraform/providers/registry.terraform.io/hashicorp/there/1.0.0/{platform}"
    ));
    fs::create_dir_all(&package).unwrap();
    let executable = package.join("terraform-provider-there_v1.0.0");
    let mark = dir.path().join("mark");
    fs::write(
        &executable,
        format!("#!/bin/sh\ntouch {}\n", mark.display()),
    )
    .unwrap();
    fs::set_permissions(&executable, fs::Permissions::from_mode(0o755)).unwrap();
    let lock = "provider \"registry.terraform.io/hashicorp/there\" {\n  version = \"1.0.0\"\n}\n";
    fs::write(dir.path().join(".terraform.lock.hcl"), lock).unwrap();

    let surroundings = Surroundings {
        dir: dir.path().to_owned(),
        cwd: dir.path().to_owned(),
        is_trusted: false,
        approved: plan::Approved::Nothing,
        ..surroundings()
    };
    let mut root = root(surroundings, std::sync::Arc::new(fake()));
    root.load(&OpenFiles::default(), &PlanningRequest::default());
    let plan = block_on(root.plan(&mut |_| {}));
    let labels: Vec<String> = plan
        .caveats()
        .map(|(addr, caveat)| format!("{addr}: {caveat}"))
        .collect();
    assert_eq!(
        labels,
        [
            "there_thing.a: provider registry.terraform.io/hashicorp/there may not start: this workspace is not trusted"
        ]
    );
    assert_eq!(plan.counts().add, 1);
    assert!(!mark.exists());
}

/// A template is an input like any other: when it changes, what it was rendered into changes.
#[test]
fn a_template_that_changes_is_rendered_again() {
    let dir = tempfile::tempdir().unwrap();
    let template = dir.path().join("greeting.tftpl");
    fs::write(
        dir.path().join("main.tf"),
        "resource \"terraform_data\" \"a\" {\n  input = templatefile(\"greeting.tftpl\", { name = \"x\" })\n}\n",
    )
    .unwrap();
    let surroundings = Surroundings {
        dir: dir.path().to_owned(),
        cwd: dir.path().to_owned(),
        ..surroundings()
    };
    let mut root = root(surroundings, std::sync::Arc::new(fake()));
    let files = OpenFiles::default();
    let mut plan = |files: &OpenFiles| {
        root.set_function_files(std::sync::Arc::new(files.clone()));
        root.load(files, &PlanningRequest::default());
        let plan = block_on(root.plan(&mut |_| {}));
        let change = plan.changes().next().unwrap();
        let input = change.after.get_attr("input").unwrap();
        input.as_str().unwrap().to_owned()
    };
    fs::write(&template, "hello ${name}").unwrap();
    assert_eq!(plan(&files), "hello x");
    fs::write(&template, "goodbye ${name}").unwrap();
    assert_eq!(plan(&files), "goodbye x");
    let open = syntax::parse("unsaved ${name}");
    let path = template.display().to_string();
    assert_eq!(plan(&files.with_parsed([(path, open)].into())), "unsaved x");
}
