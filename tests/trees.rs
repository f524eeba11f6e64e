//! Random module trees are planned as terraform plans them: edited in a random way since they were applied, with
//! moved, removed and import blocks.
//!
//! The trees of a few seeds are planned with every `cargo test`, against recorded answers where terraform is not on
//! the PATH. A run takes half of them, with `PLANLENS_TEST_LONG` all; `tests/trees/run` takes other seeds, and records.

#[path = "trees/generate.rs"]
mod generate;
#[path = "trees/model.rs"]
mod model;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::ops::Range;
use std::path::{Path, PathBuf};

use generate::{Batch, batch};
use serde_json::{Map, Value, json};
use support::{command, decimal, planlens, printed, program, repository, scratch, skipped};

/// The seeds that are recorded, and the trees of a seed.
const SEEDS: Range<u64> = 0..15;
const TREES: usize = 20;

const VERSION: &str = "1.11.4";

#[test]
fn random_trees() {
    let test = "random_trees";
    let seeds = match std::env::var("PLANLENS_TREE_SEEDS") {
        Ok(seeds) => {
            let (first, last) = seeds.split_once("..").expect("seeds are FIRST..LAST");
            first.parse().unwrap()..last.parse().unwrap()
        }
        Err(_) => SEEDS,
    };
    let cache = match support::cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let is_live = has_terraform();
    let is_recording = std::env::var_os("PLANLENS_RECORD_TREES").is_some();
    if !is_live && seeds != SEEDS {
        return skipped(test, &format!("other seeds need terraform {VERSION}"));
    }
    let mut sums = Sums::default();
    let mut recorded = Vec::new();
    let mut differences = Vec::new();
    let taken = match seeds == SEEDS && !is_recording {
        true => support::sample(seeds.clone(), 2),
        false => seeds.clone().collect(),
    };
    for seed in taken.iter().copied() {
        let batch = batch(seed, TREES);
        let folder = write(&format!("{test}_{seed}"), &batch, &cache);
        let theirs = match is_live {
            true => match terraform_plan(&folder, &cache) {
                Ok(plan) => {
                    sums.add(&batch, &plan);
                    summary(&plan)
                }
                Err(error) => {
                    let folder = folder.display();
                    differences.push(format!(
                        "seed {seed}, in {folder}: terraform fails:\n{error}"
                    ));
                    continue;
                }
            },
            false => recorded_summary(seed, &batch),
        };
        let output = planlens(&folder)
            .args(["plan", "--json"])
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .output()
            .unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("no plan: {}", printed(&output)));
        if !is_live {
            sums.add(&batch, &plan);
        }
        let found = compare(&theirs, &plan);
        if found.is_empty() {
            fs::remove_dir_all(&folder).unwrap();
        } else {
            let found = found.join("\n  ");
            differences.push(format!("seed {seed}, in {}:\n  {found}", folder.display()));
        }
        recorded.push(json!({ "trees": fingerprint(&texts(&batch)), "plan": theirs }));
    }
    let report = format!("seeds {taken:?}, {}", sums.report());
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    if is_recording && is_live && seeds == SEEDS {
        record(&recorded);
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    if taken.iter().copied().eq(SEEDS) {
        sums.check();
    }
}

fn has_terraform() -> bool {
    program("terraform").is_some_and(|terraform| {
        let output = command(terraform, &scratch("random_trees_version"))
            .args(["version", "-json"])
            .output()
            .unwrap();
        let version: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        version["terraform_version"] == VERSION
    })
}

/// The folder with a batch, its state and the providers.
fn write(name: &str, batch: &Batch, cache: &Path) -> PathBuf {
    let folder = scratch(name);
    for (path, text) in &batch.files {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    fs::write(folder.join("terraform.tfstate"), batch.state.to_string()).unwrap();
    support::install_providers(cache, &folder);
    folder
}

/// What terraform plans, or why it can't.
fn terraform_plan(folder: &Path, cache: &Path) -> Result<Value, String> {
    let run = |arguments: &[&str]| {
        let output = command("terraform", folder)
            .args(arguments)
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .output()
            .unwrap();
        match output.status.success() {
            true => Ok(output.stdout),
            false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
        }
    };
    run(&["get"])?;
    run(&[
        "plan",
        "-refresh=false",
        "-input=false",
        "-no-color",
        "-out=live.plan",
    ])?;
    let shown = run(&["show", "-json", "live.plan"])?;
    fs::write(folder.join("theirs.json"), &shown).unwrap();
    Ok(serde_json::from_slice(&shown).unwrap())
}

/// Each change in short: what happens, and a fingerprint of the values.
fn summary(plan: &Value) -> Value {
    let mut summary = Map::new();
    for change in plan["resource_changes"].as_array().into_iter().flatten() {
        let text = |key: &str| change[key].as_str().unwrap_or_default();
        let deposed = match text("deposed") {
            "" => String::new(),
            key => format!(" deposed {key}"),
        };
        let actions: Vec<&str> = change["change"]["actions"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let what = [
            &actions.join("+"),
            text("action_reason"),
            text("previous_address"),
        ]
        .join(" ");
        let importing = match &change["change"]["importing"]["id"] {
            Value::String(id) => format!(" importing {id}"),
            _ => String::new(),
        };
        let values = values(&change["change"]);
        let what = format!("{}{importing} {}", what.trim_end(), fingerprint(&values));
        summary.insert(format!("{}{deposed}", text("address")), json!(what));
    }
    for (name, change) in plan["output_changes"].as_object().into_iter().flatten() {
        let what = format!("{} {}", change["actions"][0], fingerprint(&values(change)));
        summary.insert(format!("output.{name}"), json!(what));
    }
    Value::Object(summary)
}

/// The values of a change, in a form that is the same however numbers are written.
fn values(change: &Value) -> String {
    const PARTS: [&str; 6] = [
        "before",
        "after",
        "after_unknown",
        "before_sensitive",
        "after_sensitive",
        "replace_paths",
    ];
    fn canonical(value: &Value) -> String {
        match value {
            Value::Number(number) => format!("{:?}", decimal(&number.to_string())),
            Value::Array(elements) => {
                let elements: Vec<String> = elements.iter().map(canonical).collect();
                format!("[{}]", elements.join(","))
            }
            Value::Object(elements) => {
                let sorted: BTreeMap<&String, String> = elements
                    .iter()
                    .map(|(key, value)| (key, canonical(value)))
                    .collect();
                format!("{sorted:?}")
            }
            other => other.to_string(),
        }
    }
    let part = |part: &&str| match change.get(*part) {
        Some(Value::Array(paths)) if *part == "replace_paths" => {
            let paths: BTreeSet<String> = paths.iter().map(canonical).collect();
            format!("{paths:?}")
        }
        Some(value) => canonical(value),
        None => String::new(),
    };
    PARTS.iter().map(part).collect::<Vec<_>>().join("|")
}

fn compare(theirs: &Value, plan: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let ours = summary(plan);
    let (theirs, ours) = (theirs.as_object().unwrap(), ours.as_object().unwrap());
    for address in theirs.keys().chain(ours.keys()).collect::<BTreeSet<_>>() {
        let (their, our) = (theirs.get(address), ours.get(address));
        if their != our {
            let shown =
                |what: Option<&Value>| what.and_then(Value::as_str).unwrap_or("nothing").to_owned();
            found.push(format!(
                "{address}: terraform: {}; planlens: {}",
                shown(their),
                shown(our)
            ));
        }
    }
    for diagnostic in plan["diagnostics"].as_array().into_iter().flatten() {
        if diagnostic["severity"] == "error" || !found.is_empty() {
            found.push(format!(
                "{}: {}",
                diagnostic["summary"], diagnostic["detail"]
            ));
        }
    }
    found
}

#[derive(Default)]
struct Sums {
    instances: usize,
    actions: BTreeMap<String, usize>,
    constructs: BTreeMap<&'static str, usize>,
}

impl Sums {
    fn add(&mut self, batch: &Batch, plan: &Value) {
        for (construct, count) in &batch.constructs {
            *self.constructs.entry(construct).or_default() += count;
        }
        for change in plan["resource_changes"].as_array().into_iter().flatten() {
            self.instances += 1;
            let actions = change["change"]["actions"].as_array().into_iter().flatten();
            let actions: Vec<&str> = actions.filter_map(Value::as_str).collect();
            let mut add = |name: &str| *self.actions.entry(name.to_owned()).or_default() += 1;
            add(&actions.join("+"));
            if change["previous_address"].is_string() {
                add("moved");
            }
            if change["change"]["importing"].is_object() {
                add("imported");
            }
            if let Some(reason) = change["action_reason"].as_str() {
                add(reason);
            }
        }
    }

    fn report(&self) -> String {
        let list = |counts: Vec<String>| counts.join(", ");
        format!(
            "{} instances\nactions: {}\nconstructs: {}\n",
            self.instances,
            list(
                self.actions
                    .iter()
                    .map(|(name, count)| format!("{name} {count}"))
                    .collect()
            ),
            list(
                self.constructs
                    .iter()
                    .map(|(name, count)| format!("{name} {count}"))
                    .collect()
            ),
        )
    }

    fn check(&self) {
        for action in [
            "no-op",
            "create",
            "update",
            "delete",
            "delete+create",
            "create+delete",
            "forget",
            "read",
            "moved",
            "imported",
        ] {
            let count = self.actions.get(action).copied().unwrap_or_default();
            assert!(count >= 20, "{action} occurs {count} times");
        }
    }
}

fn texts(batch: &Batch) -> String {
    let files = batch
        .files
        .iter()
        .map(|(path, text)| format!("{path}\n{text}"));
    files.chain([batch.state.to_string()]).collect()
}

/// FNV-1a.
fn fingerprint(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

fn recorded_file() -> PathBuf {
    repository().join("tests/trees/recorded.json")
}

fn record(seeds: &[Value]) {
    let seeds: Vec<String> = seeds.iter().map(Value::to_string).collect();
    let text = format!(
        "{{\"terraform\": \"{VERSION}\", \"seeds\": [\n{}\n]}}\n",
        seeds.join(",\n")
    );
    fs::write(recorded_file(), text).unwrap();
}

fn recorded_summary(seed: u64, batch: &Batch) -> Value {
    let recorded: Value =
        serde_json::from_str(&fs::read_to_string(recorded_file()).unwrap()).unwrap();
    assert_eq!(recorded["terraform"], VERSION);
    let seed = &recorded["seeds"][seed as usize];
    assert_eq!(
        seed["trees"],
        fingerprint(&texts(batch)),
        "the generator has changed: tests/trees/run --record"
    );
    seed["plan"].clone()
}
