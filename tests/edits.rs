//! From an edit to its hint, as an editor sees it: one of a hundred resources gets a name that was
//! never sent before, so that its provider has to say again that the object is replaced.
//!
//! It asserts what is shown and what the provider was asked, never how long it took; the time is
//! printed, beside that of terraform for the same workspace:
//! `cargo test --release --test edits -- --nocapture`.

mod support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::editor::Editor;
use support::{cache, has_subcommand, program, repository, scratch, skipped};

const EDITS: usize = 40;

#[test]
fn an_edit_asks_its_provider_and_shows_the_replacement() {
    let test = "an_edit_asks_its_provider_and_shows_the_replacement";
    let cache = match has_subcommand("lsp").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test);
    let (module, calls) = (folder.join("module"), folder.join("calls"));
    let hundred = repository().join("tests/workspaces/hundred");
    support::copy_module(&hundred.join("before"), &module);
    fs::copy(
        hundred.join("terraform.tfstate"),
        module.join("terraform.tfstate"),
    )
    .unwrap();
    support::install_providers(&cache, &module);

    let environment = [
        ("TF_CLI_CONFIG_FILE", cache.join("terraformrc")),
        ("LAB_CALLS", calls.clone()),
    ];
    let mut editor = Editor::start(&module, &environment, &folder.join("log"));
    let line = editor
        .text
        .lines()
        .position(|line| line.contains("\"server-50\""))
        .unwrap();
    editor.type_name(line, "warm");
    editor.wait_for_hint(line, "warm");
    editor.wait_for_plan();

    let mut times = Vec::new();
    let mut asked = Vec::new();
    for edit in 0..EDITS {
        let before = count(&calls);
        let name = format!("edit-{edit}");
        let begin = Instant::now();
        editor.type_name(line, &name);
        editor.wait_for_hint(line, &name);
        times.push(begin.elapsed());
        asked.push(count(&calls) - before);
    }
    editor.stop();

    // One of a hundred changed: it is validated once and planned twice, as a replacement is; no other is asked for.
    assert!(
        asked.iter().all(|calls| (2..=4).contains(calls)),
        "calls for each edit: {asked:?}"
    );
    times.sort();
    let (p50, p95) = (times[EDITS / 2], times[EDITS * 95 / 100]);
    let calls = asked.iter().sum::<usize>() as f64 / EDITS as f64;
    report(&format!(
        "edit -> hint, 1 of 100: p50 {p50:.1?}, p95 {p95:.1?}, {calls:.1} provider calls for each edit"
    ));
    if let Some(theirs) = terraform(&module, &cache) {
        report(&format!(
            "terraform plan -refresh=false: {theirs:.1?}; ratio to p50: {:.0}",
            theirs.as_secs_f64() / p50.as_secs_f64()
        ));
    }
}

/// What is chosen is planned at once, although a provider is given what is saved alone.
#[test]
fn an_environment_can_be_chosen_while_text_is_unsaved() {
    let test = "an_environment_can_be_chosen_while_text_is_unsaved";
    let cache = match has_subcommand("lsp").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test);
    let (module, calls) = (folder.join("module"), folder.join("calls"));
    fs::create_dir(&module).unwrap();
    let text = r#"terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "endpoint" {
  default = "here"
}

provider "lab6" {
  endpoint = var.endpoint
}

resource "lab6_note" "a" {
  text = "saved"
}
"#;
    fs::write(module.join("main.tf"), text).unwrap();
    fs::write(module.join("prod.tfvars"), "endpoint = \"prod\"\n").unwrap();
    support::install_providers(&cache, &module);
    let environment = [
        ("TF_CLI_CONFIG_FILE", cache.join("terraformrc")),
        ("LAB_CALLS", calls.clone()),
    ];
    let mut editor = Editor::start(&module, &environment, &folder.join("log"));
    let configured = || {
        let calls = fs::read_to_string(&calls).unwrap_or_default();
        calls.matches("ConfigureProvider").count()
    };
    let line = text.lines().position(|it| it.contains("saved")).unwrap();
    let column = "  text = \"".len();
    editor.wait_for_plan();
    assert_eq!(configured(), 1);
    editor.replace(line, column..column + "saved".len(), "unsaved");
    editor.wait_for_plan();
    let about = json!({ "textDocument": { "uri": editor.uri }, "environment": "prod.tfvars" });
    let command = json!({ "command": "planlens.setEnvironment", "arguments": [about] });
    let id = editor.request("workspace/executeCommand", command);
    editor.answer(id);
    let end = Instant::now() + Duration::from_secs(60);
    let mut shown = plan(&mut editor);
    while shown["environment"] != "prod.tfvars" || shown["state"] != "fresh" {
        assert!(Instant::now() < end, "{shown}");
        std::thread::sleep(Duration::from_millis(50));
        shown = plan(&mut editor);
    }
    assert_eq!((&shown["guesses"], configured()), (&json!(0), 2), "{shown}");
    editor.stop();
}

fn plan(editor: &mut Editor) -> Value {
    let id = editor.request("planlens/plan", json!({}));
    editor.answer(id).0["plans"][0].take()
}

fn report(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

fn count(calls: &Path) -> usize {
    fs::read_to_string(calls)
        .unwrap_or_default()
        .lines()
        .count()
}

/// The median of three runs.
fn terraform(module: &Path, cache: &Path) -> Option<Duration> {
    let terraform = program("terraform")?;
    let mut times: Vec<_> = (0..3)
        .map(|_| {
            let begin = Instant::now();
            let output = support::command(&terraform, module)
                .args(["plan", "-refresh=false", "-input=false"])
                .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
                .output()
                .unwrap();
            assert!(output.status.success(), "{}", support::printed(&output));
            begin.elapsed()
        })
        .collect();
    times.sort();
    Some(times[1])
}
