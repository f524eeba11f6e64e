//! What goes wrong around planlens - plugins, state, lock file - is said at the right place, and the
//! rest is still planned. The misbehaving provider is the one in `providers/framework`.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use support::{cache, has_subcommand, planlens, printed, scratch, skipped};

/// The resource at line 7 is the one whose provider misbehaves; the two others do not need it.
const MODULE: &str = r#"terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "fragile" {
  name = "fragile"
}

resource "lab6_note" "sibling" {
  text = "on the same provider"
}

resource "terraform_data" "independent" {
  input = "builtin"
}

resource "terraform_data" "dependent" {
  input = lab6_server.fragile.address
}
"#;

const FRAGILE_LINE: u64 = 7;

struct Fixture {
    module: PathBuf,
    calls: PathBuf,
    environment: Vec<(String, String)>,
}

/// The module with its providers installed, or nothing where it cannot be planned here.
fn fixture(test: &str) -> Option<Fixture> {
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => {
            skipped(test, &reason);
            return None;
        }
    };
    let folder = scratch(test);
    let module = folder.join("module");
    fs::create_dir(&module).unwrap();
    fs::write(module.join("main.tf"), MODULE).unwrap();
    support::install_providers(&cache, &module);
    let calls = folder.join("calls");
    let text = |path: &Path| path.to_string_lossy().into_owned();
    let environment = vec![
        (
            "TF_CLI_CONFIG_FILE".into(),
            text(&cache.join("terraformrc")),
        ),
        ("LAB_CALLS".into(), text(&calls)),
    ];
    Some(Fixture {
        module,
        calls,
        environment,
    })
}

impl Fixture {
    fn with(mut self, name: &str, value: &str) -> Fixture {
        self.environment.push((name.into(), value.into()));
        self
    }

    fn plan(&self) -> Plan {
        let output = planlens(&self.module)
            .args(["plan", "--json"])
            .arg(&self.module)
            .envs(self.environment.iter().cloned())
            .output()
            .unwrap();
        let Ok(json) = serde_json::from_slice(&output.stdout) else {
            panic!("no JSON document on stdout: {}", printed(&output));
        };
        Plan { json, output }
    }

    /// The calls that the provider has seen: `NAME TYPE`.
    fn calls(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.calls)
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }
}

struct Plan {
    json: Value,
    output: Output,
}

impl Plan {
    fn creates(&self, address: &str) -> bool {
        let changes = self.json["resource_changes"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        changes.iter().any(|change| {
            change["address"] == address && change["change"]["actions"][0] == "create"
        })
    }

    fn errors(&self) -> Vec<&Value> {
        let all = self.json["diagnostics"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        all.iter()
            .filter(|each| each["severity"] == "error")
            .collect()
    }

    /// An error whose text has these words in it, whatever their case.
    fn error(&self, words: &[&str]) -> &Value {
        let says = |error: &Value| {
            let text = format!("{} {}", error["summary"], error["detail"]).to_lowercase();
            words.iter().all(|word| text.contains(&word.to_lowercase()))
        };
        self.errors()
            .into_iter()
            .find(|error| says(error))
            .unwrap_or_else(|| {
                panic!("no error says {words:?}: {}", printed(&self.output));
            })
    }

    fn fails(&self) {
        assert_eq!(
            self.output.status.code(),
            Some(1),
            "{}",
            printed(&self.output)
        );
    }
}

fn line(diagnostic: &Value) -> Option<u64> {
    diagnostic["range"]["start"]["line"].as_u64()
}

#[test]
fn a_provider_that_dies_while_it_plans_takes_no_other_resource_with_it() {
    let test = "a_provider_that_dies_while_it_plans_takes_no_other_resource_with_it";
    let Some(fixture) = fixture(test) else { return };
    let plan = fixture.with("LAB_CRASH", "lab6_server").plan();
    plan.fails();
    assert!(
        plan.creates("terraform_data.independent"),
        "{}",
        printed(&plan.output)
    );
    assert!(
        plan.creates("lab6_note.sibling"),
        "{}",
        printed(&plan.output)
    );
    assert!(
        plan.errors()
            .iter()
            .any(|error| line(error) == Some(FRAGILE_LINE)),
        "{}",
        printed(&plan.output)
    );
}

#[test]
fn a_provider_that_hangs_is_given_up_on() {
    let test = "a_provider_that_hangs_is_given_up_on";
    let Some(fixture) = fixture(test) else { return };
    let plan = fixture.with("LAB_HANG", "lab6_server").plan();
    plan.fails();
    assert!(
        plan.creates("terraform_data.independent"),
        "{}",
        printed(&plan.output)
    );
    assert!(
        plan.creates("lab6_note.sibling"),
        "{}",
        printed(&plan.output)
    );
    assert!(
        plan.errors()
            .iter()
            .any(|error| line(error) == Some(FRAGILE_LINE)),
        "{}",
        printed(&plan.output)
    );
}

#[test]
fn a_provider_that_floods_its_log_plans_all_the_same() {
    let test = "a_provider_that_floods_its_log_plans_all_the_same";
    let Some(fixture) = fixture(test) else { return };
    let plan = fixture.with("LAB_FLOOD", "5000000").plan();
    assert!(plan.output.status.success(), "{}", printed(&plan.output));
    assert!(plan.creates("lab6_server.fragile") && plan.creates("terraform_data.dependent"));
}

#[test]
fn without_a_provider_the_rest_is_planned() {
    let test = "without_a_provider_the_rest_is_planned";
    let Some(fixture) = fixture(test) else { return };
    fs::remove_dir_all(fixture.module.join(".terraform")).unwrap();
    fs::remove_file(fixture.module.join(".terraform.lock.hcl")).unwrap();
    let plan = fixture.plan();
    plan.fails();
    plan.error(&["planlens/lab6", "init"]);
    assert!(
        plan.creates("terraform_data.independent"),
        "{}",
        printed(&plan.output)
    );
    assert_eq!(fixture.calls(), BTreeSet::new());
}

#[test]
fn a_plugin_that_is_not_the_one_in_the_lock_file_is_not_started() {
    let test = "a_plugin_that_is_not_the_one_in_the_lock_file_is_not_started";
    let Some(fixture) = fixture(test) else { return };
    let lock = fixture.module.join(".terraform.lock.hcl");
    let text = fs::read_to_string(&lock).unwrap();
    let begin = text.find("h1:").unwrap() + "h1:".len();
    let hash = &text[begin..begin + 8];
    fs::write(&lock, text.replace(hash, "AAAAAAAA")).unwrap();
    let plan = fixture.plan();
    plan.fails();
    plan.error(&["planlens/lab6", "lock"]);
    assert!(
        plan.creates("terraform_data.independent"),
        "{}",
        printed(&plan.output)
    );
    assert_eq!(fixture.calls(), BTreeSet::new());
}

#[test]
fn a_truncated_state_file_is_named() {
    let test = "a_truncated_state_file_is_named";
    let Some(fixture) = fixture(test) else { return };
    let state = support::repository().join("tests/workspaces/no-op/terraform.tfstate");
    let text = fs::read_to_string(state).unwrap();
    fs::write(
        fixture.module.join("terraform.tfstate"),
        &text[..text.len() / 2],
    )
    .unwrap();
    let plan = fixture.plan();
    plan.fails();
    plan.error(&["state"]);
}

#[test]
fn planning_asks_a_provider_for_nothing_that_touches_the_world() {
    let test = "planning_asks_a_provider_for_nothing_that_touches_the_world";
    let Some(fixture) = fixture(test) else { return };
    let workspace = support::repository().join("tests/workspaces/replacement");
    fs::remove_file(fixture.module.join("main.tf")).unwrap();
    support::copy_module(&workspace, &fixture.module);
    let plan = fixture.plan();
    assert!(plan.output.status.success(), "{}", printed(&plan.output));
    let calls = fixture.calls();
    let names: BTreeSet<&str> = calls
        .iter()
        .filter_map(|call| call.split(' ').next())
        .collect();
    assert!(names.contains("PlanResourceChange"), "{names:?}");
    let harmless = [
        "ConfigureProvider",
        "GetProviderSchema",
        "PlanResourceChange",
        "UpgradeResourceState",
        "ValidateResourceConfig",
    ];
    let others: Vec<_> = names
        .iter()
        .filter(|name| !harmless.contains(name))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}
