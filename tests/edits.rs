//! From an edit to its hint, as an editor sees it: one of a hundred resources gets a name that was
//! never sent before, so that its provider has to say again that the object is replaced.
//!
//! It asserts the shown facts and the requests to the provider, never how long it took; the time is
//! printed, beside that of terraform for the same workspace:
//! `cargo test --release --test edits -- --nocapture`.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::editor::{Editor, plugins};
use support::{cache, has_subcommand, planlens, program, repository, scratch, skipped};

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

/// An action is planned at once when it is chosen, although a provider gets saved text alone.
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

/// A module that 30 root modules call: plugins start for its own declarations, and no more than the limit at a time.
#[test]
fn a_module_of_thirty_callers_has_eight_plugins_at_most() {
    const CALLERS: usize = 30;
    let test = "a_module_of_thirty_callers_has_eight_plugins_at_most";
    let cache = match has_subcommand("lsp").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test);
    let shared = folder.join("shared");
    fs::create_dir(&shared).unwrap();
    let source = r#"terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

variable "text" {
}

resource "lab6_note" "shared" {
  text = "${var.text}-1"
}
"#;
    fs::write(shared.join("main.tf"), source).unwrap();
    for caller in 0..CALLERS {
        let root = folder.join(format!("root{caller}"));
        fs::create_dir(&root).unwrap();
        let text = format!(
            "module \"shared\" {{\n  source = \"../shared\"\n  text   = \"root{caller}\"\n}}\n\n\
             resource \"random_id\" \"own\" {{\n  byte_length = 2\n}}\n"
        );
        fs::write(root.join("main.tf"), text).unwrap();
        support::install_providers(&cache, &root);
    }
    let mut command = planlens(&folder);
    command
        .arg("lsp")
        .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
        .stderr(fs::File::create(folder.join("log")).unwrap());
    let mut editor = Editor::launch(&mut command, "warn", &folder, &shared);
    let server = editor.server_id().unwrap();
    let is_over = Arc::new(AtomicBool::new(false));
    let watching = thread::spawn({
        let is_over = is_over.clone();
        move || {
            let (mut most, mut others) = (0, BTreeSet::new());
            while !is_over.load(Ordering::Relaxed) {
                // Terraform is asked for its version as well.
                let programs = plugins(server).filter_map(program_of);
                let plugins: Vec<String> = programs.filter(|it| it.contains("provider")).collect();
                most = most.max(plugins.len());
                others.extend(plugins.into_iter().filter(|it| !it.contains("lab6")));
                thread::sleep(Duration::from_millis(2));
            }
            (most, others)
        }
    });
    let line = source.lines().position(|it| it.contains("-1\"")).unwrap();
    let hints = |editor: &mut Editor, number: usize| {
        let label = format!("{CALLERS} values: \"root0-{number}\"");
        let end = Instant::now() + Duration::from_secs(120);
        loop {
            editor.wait_for_plan();
            let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": line + 1, "character": 0 } });
            let document = json!({ "uri": editor.uri });
            let params = json!({ "textDocument": document, "range": range });
            let id = editor.request("textDocument/inlayHint", params);
            let hints = editor.answer(id).0.to_string();
            if hints.contains(&label.replace('"', "\\\"")) {
                return;
            }
            assert!(Instant::now() < end, "{label}: {hints}");
        }
    };
    hints(&mut editor, 1);
    for number in 2..5 {
        let column = "  text = \"${var.text}-".len();
        editor.replace(line, column..column + 1, &number.to_string());
        hints(&mut editor, number);
    }
    is_over.store(true, Ordering::Relaxed);
    let (most, others) = watching.join().unwrap();
    report(&format!("{CALLERS} callers: {most} plugins at most"));
    assert!((1..=8).contains(&most), "{most} plugins at a time");
    assert_eq!(others, BTreeSet::new());
    editor.stop();
}

fn program_of(process: u32) -> Option<String> {
    let program = fs::read_link(format!("/proc/{process}/exe")).ok()?;
    Some(program.to_string_lossy().into_owned())
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
