//! `planlens doctor` on real workspaces: what it says where all is well, and where it isn't.

mod support;

use std::fs;
use std::path::Path;

use serde_json::Value;
use support::{cache, planlens, repository, scratch, skipped};

/// What it prints in a folder, without what differs from machine to machine, and its exit code.
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
fn what_hinders_planning_is_said_with_what_to_do() {
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
    let language = "  planned as Terraform 1.11.4\n  because the settings say so";
    assert!(section(&page, "language").starts_with(language), "{page}");
    assert_eq!(
        section(&page, "configuration"),
        "  /w\n  2 files, 1 resources and data sources, 2 module calls\n! broken.tf can't be parsed\n  -> `planlens plan` shows where"
    );
    assert_eq!(
        section(&page, "workspace and state"),
        "  workspace default\n  backend local, in /w/terraform.tfstate\n! the state file ends too early at line 1; is it still being written?\n  -> until it can be, nothing is said to be created"
    );
    assert_eq!(
        section(&page, "modules"),
        "! near: there is no folder ./near\n  -> correct the source\n! far is not installed\n  -> run `terraform init` (or `tofu init`) in this folder"
    );
    assert_eq!(
        section(&page, "providers"),
        "  registry.terraform.io/hashicorp/random: required ~> 3.0, locked none\n!   provider registry.terraform.io/hashicorp/random is not installed: run `terraform init`\n  -> run `terraform init` (or `tofu init`) in this folder"
    );
    assert!(
        section(&page, "CLI configuration")
            .contains("the file /w/no.tfrc does not exist; it is passed over")
    );
    assert!(section(&page, "environment").contains("  TF_TOKEN_example_com is set"));
}

#[test]
fn a_healthy_folder_has_nothing_to_say_against_planning() {
    let test = "a_healthy_folder_has_nothing_to_say_against_planning";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let module = scratch("doctor-healthy");
    support::copy_module(&repository().join("tests/workspaces/keepers"), &module);
    support::install_providers(&cache, &module);
    let (page, code) = doctor(&module, &[]);
    assert_eq!(code, 0, "{page}");
    assert!(page.ends_with("Nothing hinders planning.\n"));
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
