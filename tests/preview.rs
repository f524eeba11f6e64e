//! `planlens preview`: the example, and folders that have no program in YAML.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

fn repository() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// With nothing of the user's own.
fn planlens(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_planlens"))
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("HOME", dir)
        .env("PATH", "/nowhere")
        .output()
        .unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_example_is_planned_as_pulumi_does() {
    let example = repository().join("examples/first-preview");
    let recorded =
        fs::read_to_string(repository().join("tests/data/first-preview/preview.txt")).unwrap();
    for command in ["plan", "preview"] {
        let output = planlens(&example, &[command, "--stack", "dev"]);
        assert_eq!(text(&output.stdout), recorded, "{}", text(&output.stderr));
        assert!(output.status.success());
    }
    let output = planlens(
        &example,
        &["preview", "-stack=dev", "-json", "-detailed-exitcode"],
    );
    assert_eq!(output.status.code(), Some(2));
    let digest: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        digest["changeSummary"],
        serde_json::json!({ "same": 3, "update": 2 })
    );
    let steps = digest["steps"].as_array().unwrap();
    assert_eq!(steps[1]["diffReasons"], serde_json::json!(["input"]));
    assert_eq!(
        steps[1]["newState"]["inputs"]["input"],
        "good evening, world"
    );
}

#[test]
fn planning_leaves_the_folder_as_it_is() {
    let dir = tempfile::tempdir().unwrap();
    let program = "name: a\nruntime: yaml\nbackend: {url: 'file://.'}\nresources:\n  s:\n    type: pulumi:index:Stash\n    properties: {input: 1}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let output = planlens(dir.path(), &["preview", "-stack", "dev"]);
    assert!(
        text(&output.stdout).contains("+ 2 to create"),
        "{}",
        text(&output.stderr)
    );
    let entries = fs::read_dir(dir.path()).unwrap();
    let names: Vec<_> = entries.map(|it| it.unwrap().file_name()).collect();
    assert_eq!(names, ["Pulumi.yaml"]);
}

#[test]
fn errors_of_a_program_are_reported_with_their_line() {
    let dir = tempfile::tempdir().unwrap();
    let program = "name: a\nruntime: yaml\nbackend: {url: 'file://.'}\nresources:\n  s:\n    type: pulumi:index:Stash\n    properties:\n      input: ${nobody}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let output = planlens(dir.path(), &["preview", "-stack", "dev"]);
    let reported = text(&output.stderr);
    assert!(
        reported.contains("resource, variable, or config value \"nobody\" not found"),
        "{reported}"
    );
    assert!(reported.contains("Pulumi.yaml line 8"), "{reported}");
    assert_eq!(output.status.code(), Some(1));
    let output = planlens(dir.path(), &["validate"]);
    assert_eq!(
        (text(&output.stderr), output.status.code()),
        (reported, Some(1))
    );
    let example = repository().join("examples/first-preview");
    assert!(planlens(&example, &["validate"]).status.success());
}

/// As the host of Pulumi 3.259 does; it registers no resource after the first error.
#[test]
fn expressions_are_evaluated_after_an_error_too() {
    let dir = tempfile::tempdir().unwrap();
    let program = "name: a\nruntime: yaml\nbackend: {url: 'file://.'}\nresources:\n  first:\n    type: pulumi:index:Stash\n    properties:\n      input: {fn::select: [7, [a]]}\n  second:\n    type: pulumi:index:Stash\n    properties: {input: 1}\n  third:\n    type: pulumi:index:Stash\n    properties:\n      input: {fn::fromBase64: '*'}\noutputs:\n  o: {fn::select: [9, [a]]}\n  p: ${first.output}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let output = planlens(dir.path(), &["preview", "-stack=dev", "-json"]);
    assert_eq!(output.status.code(), Some(1));
    let digest: Value = serde_json::from_slice(&output.stdout).unwrap();
    let messages = digest["diagnostics"].as_array().unwrap().iter();
    let messages: Vec<_> = messages
        .map(|it| it["message"].as_str().unwrap().trim_end())
        .collect();
    assert_eq!(
        messages,
        [
            "error: list index 7 out-of-bounds for list of length 1",
            "error: fn::fromBase64 unable to decode *, error: illegal base64 data at input byte 0",
            "error: list index 9 out-of-bounds for list of length 1",
        ]
    );
    let steps = digest["steps"].as_array().unwrap().len();
    assert_eq!(steps, 1, "only the stack is planned");
}

/// Source: `checkTargets` in `deployment_executor.go` of Pulumi's engine.
#[test]
fn targets_are_urns_of_the_stack_or_patterns() {
    let example = repository().join("examples/first-preview");
    for option in ["-target", "-replace"] {
        let wrong = format!("{option}=nope");
        let output = planlens(&example, &["preview", "-stack=dev", &wrong]);
        let reported = "Target 'nope' could not be found in the stack. Did you forget to escape $ in your shell?";
        assert!(text(&output.stderr).contains(reported), "{output:?}");
        assert_eq!(output.status.code(), Some(1));
        let pattern = format!("{option}=urn:pulumi:dev::**::s*");
        let output = planlens(&example, &["preview", "-stack=dev", &pattern]);
        assert!(output.status.success(), "{output:?}");
    }
}

/// Source: `determineAllowedResourcesToDeleteFromTargets` and `getDependencySteps` in `step_generator.go` of Pulumi's engine.
#[test]
fn dependents_and_dependencies_of_a_target_are_to_be_named_too() {
    let dir = tempfile::tempdir().unwrap();
    // `b` and `c` are gone; the state has `kept`, which needs `c`.
    let program = "name: p\nruntime: yaml\nresources:\n  a: {type: 'pulumi:index:Stash', properties: {input: '${new.output}'}}\n  kept: {type: 'pulumi:index:Stash', properties: {input: 1}}\n  new: {type: 'pulumi:index:Stash', properties: {input: 2}}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let urn = |name: &str| format!("urn:pulumi:dev::p::pulumi:index:Stash::{name}");
    let of = |name: &str, dependencies: &[&str]| {
        let dependencies = dependencies.iter().map(|it| urn(it));
        json!({
            "urn": urn(name), "custom": true, "id": name, "type": "pulumi:index:Stash",
            "inputs": { "input": 1 }, "outputs": { "input": 1, "output": 1 },
            "dependencies": dependencies.collect::<Vec<_>>(),
        })
    };
    let resources = json!([
        of("a", &[]),
        of("b", &["a"]),
        of("c", &[]),
        of("kept", &["c"])
    ]);
    let state = json!({ "version": 3, "deployment": { "resources": resources } });
    fs::write(dir.path().join("state.json"), state.to_string()).unwrap();
    let state = format!("-state={}", dir.path().join("state.json").display());
    let [a, c] = ["a", "c"].map(|name| format!("-target={}", urn(name)));
    let asked = ["preview", "-stack=dev", "-json", &state, &a, &c];
    let output = planlens(dir.path(), &asked);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let steps = plan["steps"].as_array().unwrap().iter();
    let deleted = steps.filter(|it| it["op"] == "delete");
    let deleted: Vec<_> = deleted.map(|it| it["urn"].clone()).collect();
    assert_eq!(deleted, [json!(urn("b"))], "{plan}");
    let messages = plan["diagnostics"].to_string();
    for (from, what) in [
        (
            "a",
            format!("depends on '{}' which was was not specified", urn("new")),
        ),
        ("b", "will be destroyed but was not specified".to_owned()),
    ] {
        let message = format!("Resource '{}' {what} in --target list.", urn(from));
        assert!(messages.contains(&message), "{message}: {messages}");
    }
}

#[test]
fn a_package_that_is_not_installed_fails_and_deletes_nothing_of_its_name() {
    let dir = tempfile::tempdir().unwrap();
    let program = "name: p\nruntime: yaml\nresources: {s: {type: 'plumi:index:Stash'}, t: {type: 'pulumi:index:Stash', properties: {input: 1}}}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let urn = |name: &str| format!("urn:pulumi:dev::p::pulumi:index:Stash::{name}");
    let of = |name: &str| {
        json!({
            "urn": urn(name), "custom": true, "id": name, "type": "pulumi:index:Stash",
            "inputs": { "input": 1 }, "outputs": { "input": 1, "output": 1 },
        })
    };
    let resources = json!([of("s"), of("t"), of("u")]);
    let state = json!({ "version": 3, "deployment": { "resources": resources } });
    fs::write(dir.path().join("state.json"), state.to_string()).unwrap();
    let state = format!("-state={}", dir.path().join("state.json").display());
    let output = planlens(dir.path(), &["preview", "-stack=dev", "-json", &state]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    let steps = plan["steps"].as_array().unwrap();
    let deleted = steps.iter().filter(|it| it["op"] == "delete");
    let deleted: Vec<_> = deleted.map(|it| it["urn"].as_str().unwrap()).collect();
    assert_eq!(
        deleted,
        ["urn:pulumi:dev::p::pulumi:index:Stash::u"],
        "{plan}"
    );
}

#[test]
fn parents_in_a_cycle_end() {
    let dir = tempfile::tempdir().unwrap();
    let program = "name: p\nruntime: yaml\nresources: {a: {type: 'nope:index:Box'}}\n";
    fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
    let urn = |name: &str| format!("urn:pulumi:dev::p::nope:index:Box::{name}");
    let of = |name: &str, parent: &str| {
        json!({
            "urn": urn(name), "custom": true, "id": name, "type": "nope:index:Box",
            "inputs": {}, "outputs": {}, "parent": urn(parent),
        })
    };
    let resources = json!([of("a", "b"), of("b", "a")]);
    let state = json!({ "version": 3, "deployment": { "resources": resources } });
    fs::write(dir.path().join("state.json"), state.to_string()).unwrap();
    let state = format!("-state={}", dir.path().join("state.json").display());
    let output = planlens(dir.path(), &["preview", "-stack=dev", &state]);
    assert!(text(&output.stderr).contains("nope"), "{output:?}");
}

#[test]
fn the_doctor_reports_obstacles_of_projects() {
    let example = repository().join("examples/first-preview");
    let output = planlens(&example, &["doctor", "-stack=dev"]);
    let page = text(&output.stdout);
    assert!(page.contains("Nothing prevents planning."), "{page}");
    assert!(page.contains("the program needs no plugins"), "{page}");
    let dir = tempfile::tempdir().unwrap();
    for (program, expected) in [
        ("runtime: yaml\n", "! no stack is selected"),
        ("runtime: nodejs\n", "! "),
        (
            "runtime: yaml\nresources: {s: {type: 'aws:s3:Bucket'}}\n",
            "! aws: its plugin is not installed",
        ),
        (
            "runtime: yaml\noutputs: {o: '${nobody}'}\n",
            "\"nobody\" could not be found",
        ),
    ] {
        let stack = ["-stack=dev"];
        let stack = if expected.contains("no stack") {
            &[][..]
        } else {
            &stack[..]
        };
        let backend = "name: a\nbackend: {url: 'file://.'}\n";
        fs::write(
            dir.path().join("Pulumi.yaml"),
            format!("{backend}{program}"),
        )
        .unwrap();
        let output = planlens(dir.path(), &[&["doctor"], stack].concat());
        let page = text(&output.stdout);
        assert!(page.contains(expected), "{program}{page}");
        assert_eq!(output.status.code(), Some(1), "{page}");
    }
    let output = planlens(dir.path(), &["doctor", "-var=a=b"]);
    assert!(text(&output.stderr).contains("no option -var"));
}

#[test]
fn the_costs_of_plans_and_edits_are_shown() {
    for (example, options, last) in [
        (
            "examples/first-preview",
            &["-stack=dev", "-edits", "-count=3"][..],
            "p50 ",
        ),
        ("examples/first-plan", &[], "cpu "),
    ] {
        let arguments = [&["stats"], options].concat();
        let output = planlens(&repository().join(example), &arguments);
        let page = text(&output.stdout);
        assert!(output.status.success(), "{}", text(&output.stderr));
        for line in ["load ", "plan ", "again ", last] {
            assert!(page.contains(line), "{page}{}", text(&output.stderr));
        }
    }
}

#[test]
fn other_languages_and_missing_plugins_are_named() {
    let dir = tempfile::tempdir().unwrap();
    for (program, expected) in [
        (
            "name: a\nruntime: hcl\n",
            "is written in hcl: only programs in YAML",
        ),
        (
            "name: a\nruntime: yaml\nbackend: {url: 's3://b'}\n",
            "the state is in s3://b",
        ),
        (
            "name: a\nruntime: yaml\nbackend: {url: 'file://.'}\nresources: {s: {type: 'aws:s3:Bucket'}}\n",
            "`pulumi plugin install resource aws` installs it",
        ),
    ] {
        fs::write(dir.path().join("Pulumi.yaml"), program).unwrap();
        let output = planlens(dir.path(), &["plan", "-stack=dev", "-detailed-exitcode"]);
        let reported = text(&output.stderr);
        assert!(reported.contains(expected), "{reported}");
        assert_eq!(output.status.code(), Some(1));
    }
}
