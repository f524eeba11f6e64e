//! `planlens doctor` on real workspaces: its page where all is well, and where it isn't.

mod support;

use std::fs::{self, Permissions};
use std::io::Write as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::backend::Backend;
use support::beside::beside;
use support::cases::cases;
use support::{cache, command, planlens, program, repository, sample, scratch, skipped};

/// Its output in a folder, without the parts that differ from machine to machine, and its exit code.
fn doctor(module: &Path, environment: &[(&str, &str)]) -> (String, i32) {
    let output = planlens(module)
        .arg("doctor")
        .env("PLANLENS_CACHE_DIR", module.join("cache"))
        .env("TF_CLI_CONFIG_FILE", module.join("no.tfrc"))
        .envs(environment.iter().copied())
        .output();
    let output = output.unwrap();
    let folder = module.canonicalize().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let text = text
        .replace(folder.to_str().unwrap(), "/w")
        .replace(module.to_str().unwrap(), "/w");
    (text, output.status.code().unwrap())
}

/// The lines of one section.
fn section<'a>(page: &'a str, title: &str) -> &'a str {
    let start = page.find(&format!("{title}\n")).unwrap() + title.len() + 1;
    let rest = &page[start..];
    &rest[..rest.find("\n\n").unwrap()]
}

#[test]
fn obstacles_to_planning_are_reported_with_cures() {
    let module = scratch("doctor-broken");
    let text = r#"
terraform {
  required_providers {
    random = {
      source  = "hashicorp/random"
      version = "~> 3.0"
    }
  }
}

resource "random_pet" "a" {
}

module "near" {
  source = "./near"
}

module "far" {
  source = "hashicorp/far/test"
}
"#;
    fs::write(module.join("main.tf"), text).unwrap();
    fs::write(module.join("broken.tf"), "resource {").unwrap();
    fs::write(module.join("terraform.tfstate"), "{\"version\": 4,").unwrap();
    let secrets = [
        ("TF_TOKEN_example_com", "hunter2"),
        ("AWS_SECRET_ACCESS_KEY", "hunter2"),
    ];
    let (page, code) = doctor(&module, &secrets);
    assert_eq!(code, 1);
    assert!(!page.contains("hunter2"), "{page}");
    let language = "  planned as Terraform 1.11.4\n  because you chose it";
    assert!(section(&page, "language").starts_with(language), "{page}");
    assert_eq!(
        section(&page, "configuration"),
        "  /w\n  2 files, 1 resource, 0 data sources, 2 module calls\n! broken.tf can't be parsed\n  -> `planlens plan` shows where, with the same options and folder"
    );
    assert_eq!(
        section(&page, "workspace and state"),
        "  workspace default\n  backend local, in /w/terraform.tfstate\n! the state file ends too early at line 1; is it still being written?\n  -> until then, planlens does not know which objects exist"
    );
    assert_eq!(
        section(&page, "modules"),
        "! near: there is no folder ./near\n  -> correct the source\n! far is not installed\n  -> run `terraform init` (or `tofu init`) in this folder"
    );
    assert_eq!(
        section(&page, "providers"),
        "  registry.terraform.io/hashicorp/random: required ~> 3.0, locked none\n!   provider registry.terraform.io/hashicorp/random is not installed\n  -> run `terraform init` (or `tofu init`) in this folder"
    );
    assert!(
        section(&page, "CLI configuration")
            .contains("the file /w/no.tfrc does not exist; it is ignored")
    );
    assert!(section(&page, "environment").contains("  TF_TOKEN_example_com is set"));
}

#[test]
fn a_healthy_folder_can_be_planned() {
    let test = "a_healthy_folder_can_be_planned";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let module = scratch("doctor-healthy");
    support::copy_module(&repository().join("tests/workspaces/keepers"), &module);
    support::install_providers(&cache, &module);
    let (page, code) = doctor(&module, &[]);
    assert_eq!(code, 0, "{page}");
    assert!(page.ends_with("Nothing prevents planning.\n"));
    assert_eq!(
        section(&page, "workspace and state"),
        "  workspace default\n  backend local, in /w/terraform.tfstate\n  lineage 00000000-0000-0000-0000-000000000000, serial 9\n  8 resources, written by version 1.11.4"
    );
    let providers = section(&page, "providers");
    assert!(
        providers.contains("/terraform-provider-random"),
        "{providers}"
    );
    assert!(providers.contains(", verified: h1:"), "{providers}");
    assert!(providers.contains("starts, protocol 5; "), "{providers}");

    let output = planlens(&module)
        .args(["doctor", "-json"])
        .output()
        .unwrap();
    let json: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["ok"], true);
    assert_eq!(json["sections"][0]["title"], "planlens");
}

/// A root module that is spoilt in some way, with the environment and options that it is planned with.
struct Broken {
    module: PathBuf,
    /// The file with the resources, in a called module where there is one.
    file: &'static str,
    environment: Vec<(String, String)>,
    options: Vec<&'static str>,
    backend: Backend,
}

const PROVIDERS: &str = r#"terraform {
  required_providers {
    lab6   = { source = "planlens/lab6" }
    random = { source = "hashicorp/random" }
  }
}
"#;

const RESOURCES: &str = r#"
variable "length" {
  type    = number
  default = 2
}
resource "lab6_server" "a" {
  name = "a"
}
resource "random_pet" "a" {
  length = var.length
}
resource "terraform_data" "a" {
  input = "x"
}
"#;

const EMPTY_STATE: &str = r#"{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": {}, "resources": []}"#;

impl Broken {
    /// A module that can be planned, with its resources in the root module or in one that it calls.
    fn new(folder: &Path, cache: &Path, is_nested: bool) -> Broken {
        let module = folder.join("module");
        let broken = Broken {
            module: module.clone(),
            file: if is_nested {
                "inner/main.tf"
            } else {
                "main.tf"
            },
            environment: [
                ("TF_CLI_CONFIG_FILE", folder.join("terraformrc")),
                ("PLANLENS_CACHE_DIR", folder.join("cache")),
            ]
            .map(|(name, path)| (name.to_owned(), path.to_string_lossy().into_owned()))
            .into(),
            options: Vec::new(),
            backend: Backend::start(),
        };
        // No mirror: a package that is missing in the module is missing.
        broken.write("../terraformrc", "");
        let text = format!("{PROVIDERS}{RESOURCES}");
        if is_nested {
            let call = "variable \"length\" {\n  default = 2\n}\nmodule \"inner\" {\n  source = \"./inner\"\n  length = var.length\n}\n";
            broken.write("main.tf", call);
            let listed = r#"{"Modules": [{"Key": "", "Source": "", "Dir": "."}, {"Key": "inner", "Source": "./inner", "Dir": "inner"}]}"#;
            broken.write(".terraform/modules/modules.json", listed);
        }
        broken.write(broken.file, text);
        support::install_providers(cache, &module);
        broken
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.module.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn remove(&self, name: &str) {
        fs::remove_dir_all(self.module.join(name)).unwrap();
    }

    fn edit(&self, name: &str, edit: impl FnOnce(String) -> String) {
        let path = self.module.join(name);
        fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    }

    /// Adds a text to the file with the resources.
    fn add(&self, text: &str) {
        self.edit(self.file, |before| before + text);
    }

    fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.to_owned(), value.to_owned()));
    }

    /// Declares a backend, and has terraform make it ready.
    fn with_backend(&self, block: &str) {
        self.edit("main.tf", |text| format!("terraform {{\n{block}}}\n{text}"));
        let mut terraform = command("terraform", &self.module);
        let terraform = terraform.args(["init", "-input=false"]);
        // The state fails.
        terraform.envs(self.environment.clone()).output().unwrap();
        assert!(self.module.join(".terraform/terraform.tfstate").exists());
    }

    /// The package of a provider, no longer shared with others.
    fn package(&self, address: &str) -> PathBuf {
        let versions = self
            .module
            .join(".terraform/providers/registry.terraform.io");
        let version = fs::read_dir(versions.join(address)).unwrap().next();
        let platform = fs::read_dir(version.unwrap().unwrap().path())
            .unwrap()
            .next();
        let link = platform.unwrap().unwrap().path();
        let package = fs::read_link(&link).unwrap();
        fs::remove_file(&link).unwrap();
        support::copy_module(&package, &link);
        link
    }
}

/// A way to spoil a module, and words of the doctor's marked lines. It needs terraform if it is about a backend.
struct Kind {
    name: &'static str,
    spoil: fn(&mut Broken),
    hints: &'static [&'static str],
}

const fn kind(name: &'static str, spoil: fn(&mut Broken), hints: &'static [&'static str]) -> Kind {
    Kind { name, spoil, hints }
}

const LOCK: &str = ".terraform.lock.hcl";
const STATE: &str = "terraform.tfstate";

const PACKAGES: &[Kind] = &[
    kind(
        "never initialized",
        |it| {
            it.remove(".terraform");
            fs::remove_file(it.module.join(LOCK)).unwrap()
        },
        &["not installed", "terraform init"],
    ),
    kind(
        "no packages",
        |it| it.remove(".terraform"),
        &["not installed", "terraform init"],
    ),
    kind(
        "no lock file",
        |it| fs::remove_file(it.module.join(LOCK)).unwrap(),
        &["not installed", "terraform init"],
    ),
    kind(
        "a package without its program",
        |it| {
            let package = it.package("planlens/lab6");
            fs::remove_dir_all(&package).unwrap();
            fs::create_dir(&package).unwrap();
        },
        &["planlens/lab6", "not installed"],
    ),
    kind(
        "a changed package",
        |it| fs::write(it.package("hashicorp/random").join("more"), "x").unwrap(),
        &["hashicorp/random", "lock file"],
    ),
    kind(
        "another hash",
        |it| {
            it.edit(LOCK, |text| {
                let begin = text.find("h1:").unwrap() + "h1:".len();
                text.replace(&text[begin..begin + 8], "AAAAAAAA")
            })
        },
        &["lock file", "not listed"],
    ),
    kind(
        "a truncated lock file",
        |it| it.edit(LOCK, |text| text[..text.len() / 2].into()),
        &["lock file"],
    ),
    kind(
        "conflict markers in the lock file",
        |it| it.edit(LOCK, |text| format!("<<<<<<< ours\n{text}")),
        &["lock file"],
    ),
    kind(
        "a provider that nobody has",
        |it| it.add("resource \"nobody_thing\" \"a\" {\n}\n"),
        &["hashicorp/nobody", "not installed"],
    ),
    kind(
        "an override of a folder that is gone",
        |it| {
            it.write("../terraformrc", "provider_installation {\n dev_overrides {\n \"planlens/lab6\" = \"/nowhere\"\n }\n direct {}\n}\n")
        },
        &["planlens/lab6"],
    ),
    kind(
        "a program that may not be executed",
        |it| {
            let program = it
                .package("hashicorp/random")
                .join("terraform-provider-random_v3.7.2");
            let programs = fs::read_dir(program.parent().unwrap()).unwrap().flatten();
            for program in programs {
                fs::set_permissions(program.path(), Permissions::from_mode(0o644)).unwrap();
            }
        },
        &["hashicorp/random", "did not start"],
    ),
];

const PLUGINS: &[Kind] = &[
    kind(
        "a provider that crashes",
        |it| it.set("LAB_CRASH", "lab6_server"),
        &["stopped"],
    ),
    kind(
        "a provider that answers with garbage",
        |it| it.set("LAB_GARBAGE", "lab6_server"),
        &["gave an unreadable answer"],
    ),
    kind(
        "a provider that takes too much memory",
        |it| it.set("PLANLENS_PLUGIN_MEMORY", "1"),
        &["planlens/lab6", "did not start"],
    ),
    kind(
        "a provider that refuses its credentials",
        |it| it.add("provider \"lab6\" {\n  endpoint = \"invalid\"\n}\n"),
        &["Invalid endpoint"],
    ),
    kind(
        "a provider whose configuration is wrong",
        |it| it.add("provider \"lab6\" {\n  endpoint = local.none\n}\n"),
        &["undeclared"],
    ),
    kind(
        "no folder for sockets",
        |it| it.set("TMPDIR", "/nowhere"),
        &["did not start", "TMPDIR"],
    ),
    kind(
        "a program in the place of a provider",
        |it| {
            let folder = it.module.with_file_name("override");
            it.write("../override/terraform-provider-lab6", "#!/bin/sh\nexit 3\n");
            let program = folder.join("terraform-provider-lab6");
            fs::set_permissions(program, Permissions::from_mode(0o755)).unwrap();
            it.write("../terraformrc", format!("provider_installation {{\n dev_overrides {{\n \"planlens/lab6\" = {folder:?}\n }}\n direct {{}}\n}}\n"));
        },
        &["planlens/lab6", "did not start"],
    ),
    kind(
        "a data source that can't be read",
        |it| it.add("data \"lab6_failing\" \"a\" {\n}\n"),
        &["Nothing found"],
    ),
    kind(
        "an object that can't be imported",
        |it| {
            it.add("resource \"lab6_volume\" \"a\" {\n  name = \"a\"\n}\n");
            it.add("import {\n  to = lab6_volume.a\n  id = \"nothing\"\n}\n");
        },
        &["mport"],
    ),
];

const STATES: &[Kind] = &[
    kind(
        "a truncated state",
        |it| it.write(STATE, "{\"version\": 4,"),
        &["ends too early"],
    ),
    kind(
        "a state of a later version",
        |it| it.write(STATE, EMPTY_STATE.replace(": 4", ": 5")),
        &["format version 5"],
    ),
    kind(
        "a state that is no JSON",
        |it| it.write(STATE, "nonsense"),
        &["not valid JSON"],
    ),
    kind(
        "a state that is a folder",
        |it| fs::create_dir(it.module.join(STATE)).unwrap(),
        &["could not be read"],
    ),
    kind(
        "an encrypted state",
        |it| {
            it.write(
                STATE,
                r#"{"meta": {}, "encrypted_data": "eA==", "encryption_version": "v0"}"#,
            )
        },
        &["encrypted"],
    ),
    kind(
        "the state of a provider that is not installed",
        |it| {
            it.write(STATE, EMPTY_STATE.replace("[]", r#"[{"mode": "managed", "type": "nobody_thing", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/nobody\"]", "instances": [{"schema_version": 0, "attributes": {}}]}]"#))
        },
        &["hashicorp/nobody", "not installed"],
    ),
    kind(
        "the state of a newer provider",
        |it| {
            it.write(STATE, EMPTY_STATE.replace("[]", r#"[{"mode": "managed", "type": "random_pet", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/random\"]", "instances": [{"schema_version": 99, "attributes": {}}]}, {"module": "module.inner", "mode": "managed", "type": "random_pet", "name": "a", "provider": "provider[\"registry.terraform.io/hashicorp/random\"]", "instances": [{"schema_version": 99, "attributes": {}}]}]"#))
        },
        &["newer provider version"],
    ),
    kind(
        "a named state that is gone",
        |it| it.options = vec!["-state=/nowhere/at/all.tfstate"],
        &[],
    ),
];

const BACKENDS: &[Kind] = &[
    kind(
        "a backend that is not initialized",
        |it| {
            let block = it.backend.block();
            it.edit("main.tf", |text| format!("terraform {{\n{block}}}\n{text}"));
        },
        &["Backend initialization required", "terraform init"],
    ),
    kind(
        "a backend that refuses the credentials",
        |it| {
            it.with_backend(&it.backend.block());
            it.backend.set_away(true);
        },
        &["invalid auth"],
    ),
    kind(
        "a backend that can't be reached",
        |it| {
            it.with_backend("  backend \"http\" {\n    address   = \"http://user:hunter2@127.0.0.1:1/s?key=hunter2\"\n    retry_max = 0\n  }\n")
        },
        &["connection refused"],
    ),
    kind(
        "a backend that has changed",
        |it| {
            it.with_backend(&it.backend.block());
            it.edit("main.tf", |text| text.replace("/state", "/other"));
        },
        &["Backend configuration block has changed"],
    ),
    kind(
        "a backend of another type",
        |it| {
            it.with_backend(&it.backend.block());
            it.edit("main.tf", |text| text.replace("\"http\"", "\"s3\""));
        },
        &["Backend type changed"],
    ),
    kind(
        "a backend beside modules that are not installed",
        |it| {
            it.with_backend(&it.backend.block());
            it.add("module \"far\" {\n  source = \"hashicorp/far/test\"\n}\n");
        },
        &["Module not installed", "terraform init"],
    ),
    kind(
        "a backend that nobody knows",
        |it| {
            it.edit("main.tf", |text| {
                format!("terraform {{\n  backend \"nobody\" {{\n  }}\n}}\n{text}")
            })
        },
        &["nobody"],
    ),
    kind(
        "a cloud",
        |it| {
            it.edit("main.tf", |text| format!("terraform {{\n  cloud {{\n    organization = \"o\"\n    workspaces {{\n      name = \"w\"\n    }}\n  }}\n}}\n{text}"))
        },
        &["initialization required"],
    ),
    kind(
        "a state elsewhere that is no state",
        |it| {
            it.with_backend(&it.backend.block());
            it.backend.store(b"nonsense");
        },
        &["state"],
    ),
    kind(
        "no terraform for the backend",
        |it| {
            it.with_backend(&it.backend.block());
            it.set("PATH", "/bin:/usr/bin");
        },
        &["terraform is not on the PATH"],
    ),
];

const MODULES: &[Kind] = &[
    kind(
        "a module that is not installed",
        |it| it.add("module \"far\" {\n  source = \"hashicorp/far/test\"\n}\n"),
        &["not installed"],
    ),
    kind(
        "a folder of a module that is gone",
        |it| it.add("module \"near\" {\n  source = \"./gone\"\n}\n"),
        &[],
    ),
    kind(
        "an installed module that is gone",
        |it| {
            it.add("module \"far\" {\n  source = \"hashicorp/far/test\"\n}\n");
            it.write(".terraform/modules/modules.json", r#"{"Modules": [{"Key": "far", "Source": "registry.terraform.io/hashicorp/far/test", "Version": "1.0.0", "Dir": ".terraform/modules/far"}, {"Key": "inner.far", "Source": "registry.terraform.io/hashicorp/far/test", "Version": "1.0.0", "Dir": ".terraform/modules/far"}]}"#);
        },
        &[],
    ),
    kind(
        "a list of modules that is no JSON",
        |it| {
            it.add("module \"far\" {\n  source = \"hashicorp/far/test\"\n}\n");
            it.write(".terraform/modules/modules.json", "{ half");
        },
        &["not installed"],
    ),
    kind(
        "a module with a file that may not be read",
        |it| {
            it.add("module \"near\" {\n  source = \"./near\"\n}\n");
            for near in ["near/main.tf", "inner/near/main.tf"] {
                it.write(near, "locals {\n}\n");
                let near = it.module.join(near);
                fs::set_permissions(near, Permissions::from_mode(0o000)).unwrap();
            }
        },
        &[],
    ),
    kind(
        "a module that is a file",
        |it| {
            it.add("module \"near\" {\n  source = \"./near\"\n}\n");
            it.write("near", "x");
            it.write("inner/near", "x")
        },
        &[],
    ),
    kind(
        "a module that calls itself",
        |it| it.add("module \"self\" {\n  source = \"./\"\n}\n"),
        &[],
    ),
];

const VALUES: &[Kind] = &[
    kind(
        "a file of values that is gone",
        |it| it.options = vec!["-var-file=gone.tfvars"],
        &["gone.tfvars does not exist"],
    ),
    kind(
        "a variable without a value",
        |it| it.edit("main.tf", |text| text + "variable \"unset\" {\n}\n"),
        &["No value for required variable"],
    ),
    kind(
        "a value of another type",
        |it| it.options = vec!["-var", "length=[]"],
        &["Invalid value"],
    ),
    kind(
        "a value for no variable",
        |it| it.options = vec!["-var", "other=1"],
        &["undeclared variable"],
    ),
    kind(
        "values that are no HCL",
        |it| it.write("terraform.tfvars", "length = = 1\n"),
        &["terraform.tfvars line 1"],
    ),
    kind(
        "arguments in the environment that can't be read",
        |it| it.set("TF_CLI_ARGS_plan", "-var 'x"),
        &[],
    ),
];

const TEXTS: &[Kind] = &[
    kind(
        "a release that is not supported",
        |it| it.add("terraform {\n  required_version = \"> 99\"\n}\n"),
        &["does not support Terraform version 1.11.4"],
    ),
    kind("a syntax error", |it| it.add("resource {"), &[]),
    kind(
        "a file that is no text",
        |it| it.write("odd.tf", b"locals {\n  a = \"\xff\"\n}\n"),
        &["odd.tf"],
    ),
    kind(
        "a file that leads nowhere",
        |it| symlink("nowhere", it.module.join("odd.tf")).unwrap(),
        &["odd.tf"],
    ),
    kind(
        "a reference to nothing",
        |it| it.add("output \"o\" {\n  value = local.none\n}\n"),
        &["undeclared"],
    ),
    kind(
        "an argument that does not exist",
        |it| it.add("resource \"random_pet\" \"b\" {\n  size = 1\n}\n"),
        &["Unsupported argument"],
    ),
    kind(
        "a type that does not exist",
        |it| it.add("resource \"random_nothing\" \"b\" {\n}\n"),
        &["Invalid resource type"],
    ),
    kind(
        "a cycle",
        |it| it.add("locals {\n  a = local.b\n  b = local.a\n}\n"),
        &["Cycle"],
    ),
    kind(
        "a condition that is not met",
        |it| {
            it.add("resource \"terraform_data\" \"b\" {\n  lifecycle {\n    precondition {\n      condition     = 1 == 2\n      error_message = \"No.\"\n    }\n  }\n}\n")
        },
        &["precondition"],
    ),
    kind(
        "a count that is known only after apply",
        |it| {
            it.add(
                "resource \"terraform_data\" \"b\" {\n  count = length(terraform_data.a.id)\n}\n",
            )
        },
        &["Invalid count"],
    ),
    kind(
        "no configuration",
        |it| {
            for (path, _) in support::files(&it.module) {
                if path.extension().is_some_and(|it| it == "tf") {
                    fs::remove_file(path).unwrap()
                }
            }
        },
        &["no configuration"],
    ),
];

const FOLDERS: &[Kind] = &[
    kind(
        "a folder that is gone",
        |it| it.options = vec!["gone"],
        &["gone"],
    ),
    kind(
        "a file in the place of the folder",
        |it| it.options = vec!["terraformrc"],
        &["no folder"],
    ),
    kind(
        "packages in another data directory",
        |it| it.set("TF_DATA_DIR", ".elsewhere"),
        &["not installed"],
    ),
    kind(
        "a language that nobody knows",
        |it| it.set("PLANLENS_LANGUAGE", "cobol"),
        &["cobol"],
    ),
];

#[test]
fn the_doctor_is_never_greener_than_the_plan() {
    let test = "the_doctor_is_never_greener_than_the_plan";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let groups = [
        PACKAGES, PLUGINS, STATES, BACKENDS, MODULES, VALUES, TEXTS, FOLDERS,
    ];
    let has_terraform = program("terraform").is_some();
    let (mut kinds, mut folders, mut planned, mut failed) = (0, 0, Vec::new(), Vec::new());
    for (group, kind) in groups
        .iter()
        .enumerate()
        .flat_map(|(at, group)| group.iter().map(move |it| (at, it)))
    {
        if group == 3 && !has_terraform {
            skipped(kind.name, "terraform is not on the PATH");
            continue;
        }
        kinds += 1;
        for is_nested in sample([kinds % 2 == 0, kinds % 2 == 1], 2) {
            let folder = scratch("doctor-beside");
            let mut broken = Broken::new(&folder, &cache, is_nested);
            (kind.spoil)(&mut broken);
            let beside = beside(&broken.module, &broken.environment, &broken.options);
            let name = format!("{}, nested: {is_nested}", kind.name);
            folders += 1;
            if beside.is_planned {
                planned.push(name.clone());
            }
            let marked = beside.marked.join("\n");
            if let Some(greener) = beside.greener {
                failed.push(format!("{name}: greener\n{greener}"));
            } else if !beside.is_planned && !kind.hints.iter().all(|it| marked.contains(it)) {
                failed.push(format!("{name}: not {:?}\n{marked}", kind.hints));
            }
            if marked.contains("hunter2") {
                failed.push(format!("{name}: a secret\n{marked}"));
            }
        }
    }
    let report = format!(
        "doctor: {folders} spoilt folders of {kinds} kinds, {} are planned: {planned:?}\n",
        planned.len()
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(failed.is_empty(), "{}", failed.join("\n\n"));
    assert!(folders - planned.len() >= 50 || !has_terraform, "{report}");
}

/// A quarter of those that are compared with terraform's errors, and half of the recorded workspaces; all with `PLANLENS_TEST_LONG`.
#[test]
fn the_doctor_is_never_greener_on_the_workspaces_of_the_suite() {
    let test = "the_doctor_is_never_greener_on_the_workspaces_of_the_suite";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let environment = vec![(
        "PLANLENS_CACHE_DIR".to_owned(),
        scratch("doctor-cache").to_string_lossy().into_owned(),
    )];
    let (mut folders, mut unplanned, mut greener) = (0, 0, Vec::new());
    let mut ask =
        |name: &str, module: &Path, environment: &[(String, String)], options: &[&str]| {
            let beside = beside(module, environment, options);
            folders += 1;
            unplanned += usize::from(!beside.is_planned);
            greener.extend(beside.greener.map(|it| format!("{name}: {it}")));
        };
    for case in sample(cases(), 4) {
        let module = scratch("doctor-case");
        case.write(&module, &cache);
        ask(&case.name, &module, &environment, &[]);
    }
    let workspaces = fs::read_dir(repository().join("tests/workspaces")).unwrap();
    for workspace in sample(workspaces.map(|it| it.unwrap().path()), 2) {
        let module = scratch("doctor-workspace");
        support::copy_module(&workspace, &module);
        support::install_providers(&cache, &module);
        let options = fs::read_to_string(workspace.join("options")).unwrap_or_default();
        let options = options.split_whitespace();
        // The doctor generates nothing.
        let options: Vec<&str> = options.filter(|it| !it.starts_with("-generate")).collect();
        let own = support::environment(&workspace.join("env"));
        let environment = [environment.clone(), own].concat();
        ask(
            &workspace.to_string_lossy(),
            &module,
            &environment,
            &options,
        );
    }
    let report = format!("doctor: {folders} folders of the suite, {unplanned} can't be planned\n");
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(unplanned * 4 >= folders, "{report}");
    assert!(greener.is_empty(), "{}", greener.join("\n\n"));
}

const NO_MODULES: &str = "no module is installed";

/// Folders for which Terraform asks for `init` although a plan can be made, and the doctor says so. Each is planned.
const NOT_INITIALIZED: &[Kind] = &[
    kind(
        "packages in a mirror",
        |it| {
            it.remove(".terraform");
            let mirror = cache().unwrap().join("mirror");
            it.write(
                "../terraformrc",
                format!(
                    "provider_installation {{\n filesystem_mirror {{\n path = {mirror:?}\n }}\n}}\n"
                ),
            );
        },
        &["hashicorp/random is in", "not in .terraform/providers"],
    ),
    kind(
        "packages in the cache",
        |it| {
            it.remove(".terraform");
            let mirror = cache().unwrap().join("mirror");
            it.set("TF_PLUGIN_CACHE_DIR", &mirror.to_string_lossy());
        },
        &["planlens/lab6 is in", "not in .terraform/providers"],
    ),
    kind(
        NO_MODULES,
        |it| {
            it.write(".terraform/modules/modules.json", "{}");
            it.write("near/main.tf", "locals {\n}\n");
            it.write("inner/near/main.tf", "locals {\n}\n");
            it.add("module \"near\" {\n  source = \"./near\"\n}\n");
        },
        &["near is not listed as installed"],
    ),
    kind(
        "a module that is not listed",
        |it| {
            it.write(".terraform/modules/modules.json", r#"{"Modules": [{"Key": "", "Source": "", "Dir": "."}, {"Key": "inner", "Source": "./inner", "Dir": "inner"}]}"#);
            it.write("near/main.tf", "locals {\n}\n");
            it.write("inner/near/main.tf", "locals {\n}\n");
            it.add("module \"near\" {\n  source = \"./near\"\n}\n");
        },
        &["Module not installed"],
    ),
    kind(
        "a module whose source has changed",
        |it| {
            for folder in ["near", "far", "inner/near", "inner/far"] {
                it.write(&format!("{folder}/main.tf"), "locals {\n}\n");
            }
            it.add("module \"near\" {\n  source = \"./near\"\n}\n");
            it.write(".terraform/modules/modules.json", r#"{"Modules": [{"Key": "near", "Source": "./far", "Dir": "far"}, {"Key": "inner", "Source": "./inner", "Dir": "inner"}, {"Key": "inner.near", "Source": "./far", "Dir": "inner/far"}]}"#);
        },
        &["Module source has changed"],
    ),
    kind(
        "a local backend",
        |it| {
            it.edit("main.tf", |text| {
                format!("terraform {{\n  backend \"local\" {{\n  }}\n}}\n{text}")
            })
        },
        &["backend \"local\" is not initialized"],
    ),
    kind(
        "another path of a local backend",
        |it| {
            it.with_backend("  backend \"local\" {\n    path = \"one.tfstate\"\n  }\n");
            it.edit("main.tf", |text| text.replace("one", "two"));
        },
        &["path of backend \"local\" has changed"],
    ),
    kind(
        "another version of a provider",
        |it| {
            it.edit(it.file, |text| {
                text.replace(
                    "\"hashicorp/random\"",
                    "\"hashicorp/random\", version = \"~> 2.0\"",
                )
            })
        },
        &["hashicorp/random is required as ~> 2.0, and locked at"],
    ),
];

#[test]
fn missing_initialization_is_noted() {
    let test = "missing_initialization_is_noted";
    let cache = match (cache(), program("terraform")) {
        (Ok(cache), Some(_)) => cache,
        (Err(reason), _) => return skipped(test, &reason),
        (_, None) => return skipped(test, "terraform is not on the PATH"),
    };
    let healthy = kind("nothing", |_| (), &[]);
    for kind in NOT_INITIALIZED.iter().chain([&healthy]) {
        for is_nested in [false, true] {
            let mut broken = Broken::new(&scratch(test), &cache, is_nested);
            (kind.spoil)(&mut broken);
            let run = |command: &mut Command, arguments: &[&str]| {
                let command = command.args(arguments).envs(broken.environment.clone());
                let output = command.output().unwrap();
                (output.status.code(), support::printed(&output))
            };
            let (planned, own) = run(&mut planlens(&broken.module), &["plan"]);
            let (code, page) = run(&mut planlens(&broken.module), &["doctor"]);
            assert_eq!(code, planned, "{}: {page}", kind.name);
            let arguments = ["plan", "-input=false", "-no-color"];
            let (_, said) = run(&mut command("terraform", &broken.module), &arguments);
            // Only these are refused as Terraform refuses them.
            let of_modules = ["Module not installed", "Module source has changed"];
            // Local modules are planned where none was ever installed.
            let is_of_modules =
                kind.name != NO_MODULES && of_modules.iter().any(|it| said.contains(it));
            let is_refused = is_of_modules || said.contains("locked version selection");
            assert_eq!(planned, Some(is_refused.into()), "{}: {own}", kind.name);
            let is_asked = said.contains("terraform init");
            assert_eq!(is_asked, !kind.hints.is_empty(), "{}: {said}", kind.name);
            let noted = page.contains("terraform would ask for `terraform init`");
            assert_eq!(noted || is_of_modules, is_asked, "{}: {page}", kind.name);
            for words in kind.hints {
                assert!(page.contains(words), "{}: {page}", kind.name);
            }
        }
    }
}

/// The release on the PATH runs, and no other.
#[test]
fn the_doctor_names_a_release_that_is_not_supported() {
    let test = "the_doctor_names_a_release_that_is_not_supported";
    if program("terraform").is_none() {
        return skipped(test, "terraform is not on the PATH");
    }
    let folder = scratch(test);
    let text = "terraform {\n  required_version = \">= 99\"\n}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let mut doctor = planlens(&folder);
    let doctor = doctor.arg("doctor").env_remove("PLANLENS_LANGUAGE");
    let output = doctor.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let page = String::from_utf8(output.stdout).unwrap();
    let expected = "! Unsupported Terraform Core version (main.tf line 2): This configuration does not support Terraform version";
    assert!(section(&page, "language").contains(expected), "{page}");
    let output = doctor.env("PATH", "/bin:/usr/bin").output().unwrap();
    assert!(output.status.success(), "{}", support::printed(&output));
}
