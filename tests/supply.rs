//! The parts of the program: the dependencies are as `deny.toml` says, the bill of materials lists them, and our own
//! `unsafe` is explained and tested.

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write as _;
use std::process::Command;

use serde_json::Value;
use support::{program, repository, scratch, skipped};

/// Files with `unsafe` in them, and the test that would fail without it.
const UNSAFE: [(&str, &str); 4] = [
    (
        "server/process/src/unix.rs",
        "plugins_end_when_we_are_killed",
    ),
    (
        "server/process/src/windows.rs",
        "plugins_end_with_planlens_on_windows",
    ),
    (
        "server/plan/tests/edit_cost.rs",
        "an_edit_in_a_large_module_costs_as_much_as_in_a_small_one",
    ),
    (
        "server/plan/tests/state_memory.rs",
        "a_large_state_takes_about_twice_its_length_in_memory",
    ),
];

/// The features of a released build.
const RELEASE: &str = "--features=jemalloc";

/// The packages that are built for this machine.
fn packages() -> Vec<Value> {
    let version = Command::new("rustc").arg("-vV").output().unwrap().stdout;
    let version = String::from_utf8(version).unwrap();
    let host = version.lines().find_map(|it| it.strip_prefix("host: "));
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version=1", "--locked", "--offline"])
        .arg(RELEASE)
        .args(["--filter-platform", host.unwrap()])
        .current_dir(repository())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let metadata: Value = serde_json::from_slice(&output.stdout).unwrap();
    let nodes = metadata["resolve"]["nodes"].as_array().unwrap();
    let used: BTreeSet<&str> = nodes.iter().filter_map(|it| it["id"].as_str()).collect();
    let packages = metadata["packages"].as_array().unwrap().iter();
    packages
        .filter(|it| used.contains(it["id"].as_str().unwrap()))
        .cloned()
        .collect()
}

/// The strings of a list in `deny.toml`, which has each on a line of its own.
fn listed(name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(repository().join("deny.toml")).unwrap();
    let begin = text.find(&format!("\n{name} = [\n")).unwrap();
    let list = text[begin..].split_once("\n]").unwrap().0;
    let strings = list.lines().filter_map(|line| line.split('"').nth(1));
    strings.map(str::to_owned).collect()
}

/// Whether an SPDX expression lets us keep to licences of the list.
fn is_allowed(expression: &str, allowed: &BTreeSet<String>) -> bool {
    let alternatives = |text: &str| -> bool {
        text.split(" OR ")
            .flat_map(|it| it.split('/'))
            .any(|it| allowed.contains(it.trim_matches(['(', ')', ' '])))
    };
    expression.split(" AND ").all(alternatives)
}

#[test]
fn dependencies_pass_deny_toml() {
    let (allowed, skipped, denied) = (listed("allow"), listed("skip"), listed("deny"));
    let mut versions: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut problems = Vec::new();
    let packages = packages();
    for package in &packages {
        let name = package["name"].as_str().unwrap();
        let version = package["version"].as_str().unwrap();
        let source = package["source"].as_str();
        let license = package["license"].as_str().unwrap_or("none");
        if !is_allowed(license, &allowed) {
            problems.push(format!("{name}: licence {license}"));
        }
        if source.is_some_and(|it| !it.ends_with("github.com/rust-lang/crates.io-index")) {
            problems.push(format!("{name}: from {source:?}"));
        }
        if denied.contains(name) {
            problems.push(format!("{name} is denied"));
        }
        let is_skipped = skipped.iter().any(|it| {
            let (skipped, prefix) = it.split_once('@').unwrap();
            skipped == name && version.starts_with(&format!("{prefix}."))
        });
        if !is_skipped {
            let known = versions.entry(name.to_owned()).or_default();
            known.insert(version.to_owned());
        }
    }
    for (name, versions) in versions {
        if versions.len() > 1 {
            problems.push(format!("{name} in several versions: {versions:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    let line = format!(
        "{} packages, licences and sources allowed\n",
        packages.len()
    );
    std::io::stdout().write_all(line.as_bytes()).unwrap();
}

/// As many crates of others are compiled for README's first command. Each costs whoever tries planlens time: write here why
/// when it has to be more.
const CRATES: usize = 149;

#[test]
fn a_first_build_has_no_more_crates() {
    let output = Command::new(env!("CARGO"))
        .args(["tree", "--locked", "--offline", "--edges=normal,build"])
        .args(["--prefix=none", "--format={p}"])
        .current_dir(repository())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    let text = String::from_utf8(output.stdout).unwrap();
    let own = format!("({}", repository().display());
    let crates: BTreeSet<(&str, &str)> = text
        .lines()
        .filter(|line| !line.contains(&own))
        .filter_map(|line| {
            let mut words = line.split_whitespace();
            Some((words.next()?, words.next()?))
        })
        .collect();
    let list: Vec<&str> = crates.iter().map(|(name, _)| *name).collect();
    assert!(list.contains(&"tokio"), "{list:?}");
    assert!(list.len() <= CRATES, "{}: {list:?}", list.len());
}

#[test]
fn licences_are_read_as_expressions() {
    let allowed = BTreeSet::from(["MIT".to_owned(), "Zlib".to_owned()]);
    for (expression, expected) in [
        ("MIT", true),
        ("GPL-3.0", false),
        ("GPL-3.0 OR MIT", true),
        ("Apache-2.0/MIT", true),
        ("(GPL-3.0 OR MIT) AND Zlib", true),
        ("(GPL-3.0 OR MIT) AND BSD-3-Clause", false),
    ] {
        assert_eq!(is_allowed(expression, &allowed), expected, "{expression}");
    }
}

/// The files that `npm run package` puts beside the extension.
#[test]
fn the_bill_of_materials_lists_every_package() {
    let test = "the_bill_of_materials_lists_every_package";
    let Some(node) = program("node") else {
        return skipped(test, "no node on the PATH");
    };
    let file = scratch(test).join("planlens.cdx.json");
    let made = Command::new(node)
        .arg("vscode-extension/scripts/sbom.mjs")
        .arg(&file)
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(made.status.success(), "{}", support::printed(&made));
    let bill: Value = serde_json::from_slice(&fs::read(file).unwrap()).unwrap();
    assert_eq!(bill["bomFormat"], "CycloneDX");
    let components = bill["components"].as_array().unwrap();
    let urls: BTreeSet<&str> = components
        .iter()
        .filter_map(|it| it["purl"].as_str())
        .collect();
    assert!(
        urls.iter()
            .any(|it| it.starts_with("pkg:npm/vscode-languageclient@"))
    );
    let is_dependency = |it: &&Value| !it["source"].is_null();
    for package in packages().iter().filter(is_dependency) {
        let (name, version) = (package["name"].as_str(), package["version"].as_str());
        let url = format!("pkg:cargo/{}@{}", name.unwrap(), version.unwrap());
        // A dependency of tests alone is no part of it.
        let is_listed = urls.contains(url.as_str());
        assert!(is_listed || is_of_tests(package), "{url} is missing");
    }
}

/// Only known not to be shipped: everything else has to be in the bill.
fn is_of_tests(package: &Value) -> bool {
    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--locked", "--edges=normal,build"])
        .args(["--prefix=none", "--format={p}", RELEASE])
        .current_dir(repository())
        .output()
        .unwrap();
    let (name, version) = (package["name"].as_str(), package["version"].as_str());
    let line = format!("{} v{}", name.unwrap(), version.unwrap());
    let tree = String::from_utf8(tree.stdout).unwrap();
    !tree
        .lines()
        .any(|it| it == line || it.starts_with(&format!("{line} ")))
}

#[test]
fn unsafe_code_gives_its_reason() {
    let sources = Command::new("git")
        .args(["ls-files", "*.rs"])
        .current_dir(repository())
        .output()
        .unwrap();
    let sources = String::from_utf8(sources.stdout).unwrap();
    let mut found = BTreeSet::new();
    // This file speaks of it.
    for path in sources.lines().filter(|it| *it != "tests/supply.rs") {
        let text = fs::read_to_string(repository().join(path)).unwrap_or_default();
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap_or_default();
            let is_unsafe = ["unsafe {", "unsafe impl", "unsafe extern"]
                .iter()
                .any(|it| code.contains(it));
            if !is_unsafe {
                continue;
            }
            found.insert(path);
            let before = &lines[number.saturating_sub(3)..number];
            let is_explained = before.iter().any(|it| it.contains("// SAFETY:"));
            assert!(is_explained, "{path}:{}: without SAFETY", number + 1);
        }
    }
    let expected: BTreeSet<&str> = UNSAFE.iter().map(|(path, _)| *path).collect();
    assert_eq!(found, expected);
    let all = |name: &str| {
        sources.lines().any(|path| {
            let text = fs::read_to_string(repository().join(path)).unwrap_or_default();
            path != "tests/supply.rs" && text.contains(&format!("fn {name}("))
        })
    };
    for (path, test) in UNSAFE {
        assert!(all(test), "{path}: there is no test {test}");
    }
}
