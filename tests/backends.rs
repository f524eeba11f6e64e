//! States that lie elsewhere, through the real terraform: it is asked for them, and nothing is claimed without.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::backend::Backend;
use support::editor::Editor;
use support::{command, planlens, printed, program, scratch, skipped};

fn configuration(backend: &str, input: &str) -> String {
    format!(
        "terraform {{\n{backend}}}\nresource \"terraform_data\" \"a\" {{\n  input = \"{input}\"\n}}\noutput \"o\" {{\n  value = terraform_data.a.input\n}}\n"
    )
}

fn terraform(folder: &Path, arguments: &[&str]) {
    let output = command("terraform", folder)
        .args(arguments)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
}

/// A folder whose configuration was applied with the input `one`, and now says `two`.
fn applied(name: &str, backend: &str) -> PathBuf {
    let folder = scratch(name);
    fs::write(folder.join("main.tf"), configuration(backend, "one")).unwrap();
    terraform(&folder, &["init", "-input=false"]);
    terraform(&folder, &["apply", "-input=false", "-auto-approve"]);
    fs::write(folder.join("main.tf"), configuration(backend, "two")).unwrap();
    folder
}

/// The planned changes, by address, and the summaries of the diagnostics.
fn plan(folder: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let output = planlens(folder).args(["plan", "-json"]).output().unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no plan: {}", printed(&output)));
    let list = |key: &str| plan[key].as_array().cloned().unwrap_or_default();
    let changes = list("resource_changes").into_iter().map(|change| {
        let address = change["address"].as_str().unwrap().to_owned();
        (address, change["change"]["actions"].to_string())
    });
    let outputs = plan["output_changes"].as_object().cloned();
    let outputs = outputs.into_iter().flatten();
    let outputs = outputs.map(|(name, change)| (name, change["actions"].to_string()));
    let summaries = list("diagnostics")
        .iter()
        .map(|diagnostic| diagnostic["summary"].as_str().unwrap().to_owned())
        .collect();
    (changes.chain(outputs).collect(), summaries)
}

fn updates() -> (BTreeMap<String, String>, Vec<String>) {
    let update = "[\"update\"]".to_owned();
    let changes = [
        ("terraform_data.a".to_owned(), update.clone()),
        ("o".to_owned(), update),
    ];
    (changes.into(), Vec::new())
}

fn unread() -> Vec<String> {
    vec!["State can't be read".to_owned()]
}

#[test]
fn a_state_behind_http_is_pulled_and_never_written_or_locked() {
    if program("terraform").is_none() {
        return skipped("backends_http", "terraform is not on the PATH");
    }
    let backend = Backend::start();
    let folder = applied("backends_http", &backend.block());
    backend.take_calls();
    let files = support::files(&folder);
    assert_eq!(plan(&folder), updates());
    let calls = backend.take_calls();
    assert!(
        !calls.is_empty() && calls.iter().all(|call| call == "GET"),
        "{calls:?}"
    );
    assert_eq!(support::files(&folder), files);

    // Without the state nothing is said to be created.
    backend.set_away(true);
    assert_eq!(plan(&folder), (BTreeMap::new(), unread()));
    let output = planlens(&folder).arg("plan").output().unwrap();
    let text = printed(&output);
    assert!(text.contains("`terraform state pull` failed"), "{text}");
    assert!(
        !text.contains("will be created") && !text.contains("No changes"),
        "{text}"
    );
}

#[test]
fn a_state_at_the_path_of_the_local_backend_is_read() {
    if program("terraform").is_none() {
        return skipped("backends_local", "terraform is not on the PATH");
    }
    let backend = "  backend \"local\" {\n    path = \"elsewhere/the.tfstate\"\n  }\n";
    assert_eq!(plan(&applied("backends_local", backend)), updates());
}

/// `planned` is the result of `terraform plan -out=planned` of 1.11.4 for the configuration below with the input `new`, where
/// it was applied with the input `old`.
#[test]
fn a_plan_file_is_read_as_the_state_that_it_was_made_from() {
    let folder = scratch("backends_plan_file");
    let recorded = support::repository().join("tests/data/plan-file/planned");
    fs::copy(recorded, folder.join("planned")).unwrap();
    let text = "resource \"terraform_data\" \"kept\" {\n  input = \"old\"\n}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let plan = |file: &str| {
        let arguments = ["plan", "-no-color", "-state", file];
        printed(&planlens(&folder).args(arguments).output().unwrap())
    };
    let text = plan("planned");
    assert!(text.contains("No changes."), "{text}");
    let whole = fs::read(folder.join("planned")).unwrap();
    fs::write(folder.join("torn"), &whole[..whole.len() / 2]).unwrap();
    let text = plan("torn");
    assert!(
        text.contains("State can't be read") && !text.contains("will be created"),
        "{text}"
    );
}

#[test]
fn a_backend_that_was_never_initialized_is_an_error_not_a_creation() {
    if program("terraform").is_none() {
        return skipped("backends_new", "terraform is not on the PATH");
    }
    let folder = scratch("backends_new");
    let backend = Backend::start().block();
    fs::write(folder.join("main.tf"), configuration(&backend, "one")).unwrap();
    let (changes, summaries) = plan(&folder);
    assert_eq!(changes, BTreeMap::new());
    assert_eq!(summaries, unread());
}

/// The titles of the lenses, once they are as expected; they are asked for again at each refresh.
fn wait_for_lenses(editor: &mut Editor, is_expected: impl Fn(&[String]) -> bool) -> Vec<String> {
    loop {
        let document = serde_json::json!({ "uri": editor.uri });
        let params = serde_json::json!({ "textDocument": document });
        let id = editor.request("textDocument/codeLens", params);
        let (lenses, mut is_stale) = editor.answer(id);
        let lenses = lenses.as_array().cloned().unwrap_or_default();
        let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
        let titles: Vec<String> = lenses.iter().map(title).collect();
        if is_expected(&titles) {
            return titles;
        }
        while !is_stale {
            is_stale = editor.next()["method"] == "workspace/inlayHint/refresh";
        }
    }
}

fn run(editor: &mut Editor, command: &str, arguments: Value) {
    let params = serde_json::json!({ "command": command, "arguments": [arguments] });
    let id = editor.request("workspace/executeCommand", params);
    editor.answer(id);
}

#[test]
fn in_the_editor_a_command_reads_the_state_and_it_is_kept() {
    if program("terraform").is_none() {
        return skipped("backends_editor", "terraform is not on the PATH");
    }
    let backend = Backend::start();
    let folder = applied("backends_editor", &backend.block());
    backend.take_calls();
    let cache = folder.join("cache");
    let environment = [("PLANLENS_CACHE_DIR", cache)];
    let mut editor = Editor::start(&folder, &environment, &folder.join("log"));
    let titles = wait_for_lenses(&mut editor, |titles| !titles.is_empty());
    assert_eq!(titles, ["? state not read"]);
    assert_eq!(backend.take_calls(), Vec::<String>::new());
    run(&mut editor, "planlens.replan", Value::Null);
    wait_for_lenses(&mut editor, |titles| titles == ["~ update in place"]);
    editor.stop();

    // Another session starts with the kept state.
    backend.set_away(true);
    let mut editor = Editor::start(&folder, &environment, &folder.join("log"));
    wait_for_lenses(&mut editor, |titles| titles == ["~ update in place"]);
    let id = editor.request("planlens/plan", serde_json::json!({}));
    let (plans, _) = editor.answer(id);
    let read = &plans["plans"][0]["read"];
    assert!(read.to_string().contains("state read"), "{plans}");
    editor.stop();
    let log = fs::read_to_string(folder.join("log")).unwrap();
    assert!(!log.contains("lineage"), "the log holds the state");
}

#[test]
fn in_the_editor_a_command_reads_objects_and_data_sources_and_plans_go_on_with_them() {
    let name = "backends_reads";
    let cache = match (program("terraform"), support::cache()) {
        (Some(_), Ok(cache)) => cache,
        (None, _) => return skipped(name, "terraform is not on the PATH"),
        (_, Err(reason)) => return skipped(name, &reason),
    };
    let folder = scratch(name);
    let text = r#"
resource "local_file" "made" {
  filename = "made.txt"
  content  = "x"
}
data "local_file" "given" {
  filename = "given.txt"
}
resource "terraform_data" "copy" {
  input = data.local_file.given.content
}
"#;
    fs::write(folder.join("main.tf"), text.trim_start()).unwrap();
    fs::write(folder.join("given.txt"), "before").unwrap();
    support::install_providers(&cache, &folder);
    let rc = cache.join("terraformrc");
    let output = command("terraform", &folder)
        .args(["apply", "-input=false", "-auto-approve"])
        .env("TF_CLI_CONFIG_FILE", &rc)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    fs::remove_file(folder.join("made.txt")).unwrap();
    fs::write(folder.join("given.txt"), "after").unwrap();

    let environment = [("TF_CLI_CONFIG_FILE", rc)];
    let mut editor = Editor::start(&folder, &environment, &folder.join("log"));
    let is_as_stored = |titles: &[String]| {
        let copy = titles.get(2).is_some_and(|it| it.contains("no change"));
        copy && titles[0] == "no change" && titles[1] == "? not read"
    };
    wait_for_lenses(&mut editor, is_as_stored);
    run(&mut editor, "planlens.replan", Value::Null);
    let is_as_read = |titles: &[String]| {
        let copy = titles.get(2).is_some_and(|it| it == "~ update in place");
        copy && titles[0].starts_with("+ create")
    };
    wait_for_lenses(&mut editor, is_as_read);
    let limit = Instant::now() + Duration::from_secs(30);
    loop {
        let id = editor.request("planlens/plan", serde_json::json!({}));
        let (plans, _) = editor.answer(id);
        let read = plans["plans"][0]["read"].to_string();
        if read.contains("objects read") && read.contains("data sources read") {
            break;
        }
        assert!(Instant::now() < limit, "what was read is told: {plans}");
        std::thread::sleep(Duration::from_millis(50));
    }

    // The value is not read again, and goes on to count.
    fs::write(folder.join("given.txt"), "before").unwrap();
    editor.type_name(2, "y");
    let titles = wait_for_lenses(&mut editor, |titles| titles.len() == 3);
    assert!(is_as_read(&titles), "{titles:?}");

    // A plan in which only the copy is targeted, or replaced.
    let target = serde_json::json!({ "addresses": ["terraform_data.copy"] });
    run(&mut editor, "planlens.whatIfReplaced", target);
    wait_for_lenses(&mut editor, |titles| {
        titles.get(2).is_some_and(|it| it == "-/+ replace")
    });
    let here = serde_json::json!({
        "textDocument": { "uri": editor.uri }, "position": { "line": 1, "character": 4 },
    });
    run(&mut editor, "planlens.whatIfTargeted", here);
    wait_for_lenses(&mut editor, |titles| titles.len() < 3);
    let id = editor.request("planlens/plan", serde_json::json!({}));
    let (plans, _) = editor.answer(id);
    let what_if = &plans["plans"][0]["whatIf"];
    assert_eq!(*what_if, serde_json::json!(["-target=local_file.made"]));
    run(&mut editor, "planlens.endWhatIf", Value::Null);
    wait_for_lenses(&mut editor, is_as_read);
    editor.stop();
}

/// `terraform` warns of the missing configuration first, and has colours unless they are switched off.
#[test]
fn an_error_of_a_backend_is_reported_once_with_its_cause() {
    if program("terraform").is_none() {
        return skipped("backends_errors", "terraform is not on the PATH");
    }
    let backend = Backend::start();
    let folder = applied("backends_errors", &backend.block());
    backend.set_away(true);
    let expected = "`terraform state pull` failed: Failed to refresh state: HTTP remote state endpoint invalid auth";
    let is_readable = |text: &str| {
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(text.contains(expected), "{text}");
        let others = ["\u{1b}", "\\u001b", "\\x1b", "CLI configuration", "Warning"];
        assert!(!others.iter().any(|it| text.contains(it)), "{text}");
    };
    let rc = ("TF_CLI_CONFIG_FILE", folder.join("missing.tfrc"));
    let output = planlens(&folder).arg("plan").envs([rc.clone()]).output();
    is_readable(&printed(&output.unwrap()));

    let mut editor = Editor::start(&folder, &[rc], &folder.join("log"));
    editor.wait_for_plan();
    run(&mut editor, "planlens.replan", Value::Null);
    let reported = editor.wait_for_diagnostic("unreadable-state");
    is_readable(reported["message"].as_str().unwrap());
    let plan = format!("planlens-plan:{}/plan.planlens-plan", folder.display());
    let params = serde_json::json!({ "uri": plan });
    let id = editor.request("workspace/textDocumentContent", params);
    is_readable(editor.answer(id).0["text"].as_str().unwrap());
    editor.stop();
}

#[test]
fn init_is_offered_for_a_backend_and_packages_without_it() {
    let name = "backends_cures";
    let cache = match (program("terraform"), support::cache()) {
        (Some(_), Ok(cache)) => cache,
        (None, _) => return skipped(name, "terraform is not on the PATH"),
        (_, Err(reason)) => return skipped(name, &reason),
    };
    let backend = Backend::start();
    let folder = scratch(name);
    let pet = "resource \"random_pet\" \"a\" {\n  length = \"two\"\n}\n";
    let requires = "  required_providers {\n    random = { source = \"hashicorp/random\" }\n  }\n";
    let text = format!("terraform {{\n{requires}{}}}\n{pet}", backend.block());
    fs::write(folder.join("main.tf"), text).unwrap();
    let environment = [("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))];
    let mut editor = Editor::start(&folder, &environment, &folder.join("log"));

    // Who can't reach the backend can have the packages installed.
    backend.set_away(true);
    let reported = editor.wait_for_diagnostic("provider-not-installed");
    let of_backend = editor.last_diagnostics().into_iter();
    let mut of_backend = of_backend.filter(|it| it["code"] == "backend-not-initialized");
    let offered = editor.actions_at(&of_backend.next().unwrap());
    assert!(offered.contains_key("Run `terraform init -backend=false`"));
    let actions = editor.actions_at(&reported);
    assert!(actions.contains_key("Run `terraform init`"), "{actions:?}");
    editor.choose(&actions["Run `terraform init -backend=false`"]);
    editor.wait_for_diagnostic("incorrect-type");
    assert!(!folder.join(".terraform/terraform.tfstate").exists());

    backend.set_away(false);
    editor.replace(9, 11..16, "2");
    fs::write(folder.join("main.tf"), &editor.text).unwrap();
    let reported = editor.wait_for_diagnostic("backend-not-initialized");
    let actions = editor.actions_at(&reported);
    assert!(!actions.contains_key("Run `terraform init -backend=false`"));
    editor.choose(&actions["Run `terraform init`"]);
    while !folder.join(".terraform/terraform.tfstate").exists() {
        editor.next();
    }
    run(&mut editor, "planlens.replan", Value::Null);
    wait_for_lenses(&mut editor, |titles| titles == ["+ create"]);
    editor.stop();
}

#[test]
fn outputs_of_a_remote_state_without_a_refresh_have_a_reason() {
    let folder = scratch("backends_remote_state");
    let network = serde_json::json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "resources": [],
        "outputs": { "vpc": { "value": "vpc-1", "type": "string" } },
    });
    fs::write(folder.join("network.tfstate"), network.to_string()).unwrap();
    let text = r#"data "terraform_remote_state" "network" {
  backend = "local"
  config  = { path = "network.tfstate" }
}
locals {
  vpc = "in ${data.terraform_remote_state.network.outputs.vpc}"
}
resource "terraform_data" "unread" {
  input = local.vpc
}
resource "terraform_data" "each" {
  for_each = toset([local.vpc])
}
resource "terraform_data" "apart" {
  input = terraform_data.unread.id
}
"#;
    fs::write(folder.join("main.tf"), text).unwrap();
    let mut editor = Editor::start(&folder, &[], &folder.join("log"));
    editor.wait_for_plan();
    let unread = "data.terraform_remote_state.network is not read";
    let lenses = [
        "? not read".to_owned(),
        format!("? + create · {unread}"),
        format!("? {unread}"),
        "+ create".to_owned(),
    ];
    wait_for_lenses(&mut editor, |titles| titles == lenses);
    let before = "(not read yet)";
    assert_eq!(hints(&mut editor), [before, before, "(known after apply)"]);
    let hover = hover(&mut editor, 5, 60);
    assert!(hover.contains(before), "{hover}");
    let plan = format!("planlens-plan:{}/plan.planlens-plan", folder.display());
    let id = editor.request(
        "workspace/textDocumentContent",
        serde_json::json!({ "uri": plan }),
    );
    let document = editor.answer(id).0["text"].to_string();
    assert!(document.contains(&format!("{unread} yet")), "{document}");

    run(&mut editor, "planlens.replan", Value::Null);
    wait_for_lenses(&mut editor, |titles| {
        titles.len() == 4 && titles[1..].iter().all(|it| it == "+ create")
    });
    let shown = [
        "= \"in vpc-1\"",
        "\"in vpc-1\"",
        "= \"in vpc-1\"",
        "(known after apply)",
    ];
    let hints = hints(&mut editor);
    assert!(
        shown.iter().all(|it| hints.iter().any(|hint| hint == it)),
        "{hints:?}"
    );
    editor.stop();
}

/// The data source in the state was read before the network had a subnet.
#[test]
fn an_output_that_a_remote_state_has_got_since_is_no_error_before_a_refresh() {
    let folder = scratch("backends_newer_output");
    let network = serde_json::json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 2, "lineage": "x", "resources": [],
        "outputs": {
            "vpc": { "value": "vpc-1", "type": "string" },
            "subnet": { "value": "subnet-1", "type": "string" },
        },
    });
    fs::write(folder.join("network.tfstate"), network.to_string()).unwrap();
    let typed = |attributes: Value, types: Value| serde_json::json!({ "value": attributes, "type": ["object", types] });
    let string = |name: &str| serde_json::json!({ name: "string" });
    let attributes = serde_json::json!({
        "backend": "local", "defaults": null, "workspace": null,
        "config": typed(serde_json::json!({ "path": "network.tfstate" }), string("path")),
        "outputs": typed(serde_json::json!({ "vpc": "vpc-1" }), string("vpc")),
    });
    let state = serde_json::json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "y", "outputs": {},
        "resources": [{
            "mode": "data", "type": "terraform_remote_state", "name": "network",
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": attributes }],
        }],
    });
    fs::write(folder.join("terraform.tfstate"), state.to_string()).unwrap();
    let text = r#"data "terraform_remote_state" "network" {
  backend = "local"
  config  = { path = "network.tfstate" }
}
locals {
  network = data.terraform_remote_state.network.outputs
  vpc     = local.network.vpc
}
resource "terraform_data" "direct" {
  input = data.terraform_remote_state.network.outputs.subnet
}
resource "terraform_data" "through" {
  input = "in ${local.network.subnet}"
}
resource "terraform_data" "called" {
  for_each = toset([module.inner.subnet])
}
module "inner" {
  source  = "./inner"
  network = local.network
}
"#;
    fs::write(folder.join("main.tf"), text).unwrap();
    let inner = "variable \"network\" {\n  type = object({ subnet = string })\n}\noutput \"subnet\" {\n  value = var.network.subnet\n}\n";
    fs::create_dir(folder.join("inner")).unwrap();
    fs::write(folder.join("inner/main.tf"), inner).unwrap();
    let mut editor = Editor::start(&folder, &[], &folder.join("log"));
    editor.wait_for_plan();
    let unread = "data.terraform_remote_state.network is not read";
    let creates = format!("? + create · {unread}");
    let lenses = ["? not read", &creates, &creates, &format!("? {unread}")];
    wait_for_lenses(&mut editor, |titles| titles == lenses);
    let severities = |editor: &Editor| -> Vec<Value> {
        let reported = editor.last_diagnostics().into_iter();
        reported.map(|it| it["severity"].clone()).collect()
    };
    assert!(
        !severities(&editor).contains(&1.into()),
        "{:?}",
        editor.last_diagnostics()
    );
    let before = "(not read yet)";
    let found = hints(&mut editor);
    assert_eq!(
        found,
        ["= { vpc = \"vpc-1\" }", "= \"vpc-1\"", before, before]
    );
    let hover = hover(&mut editor, 9, 55);
    assert!(hover.contains(before), "{hover}");

    // An error that no refresh can mend is an error.
    editor.replace(9, 2..7, "inputs");
    let reported = editor.wait_for_diagnostic("unsupported-argument");
    assert_eq!(reported["range"]["start"]["line"], 9);
    editor.replace(9, 2..8, "input");
    fs::write(folder.join("main.tf"), &editor.text).unwrap();
    run(&mut editor, "planlens.replan", Value::Null);
    wait_for_lenses(&mut editor, |titles| {
        titles.len() == 4 && titles[1..].iter().all(|it| it == "+ create")
    });
    editor.stop();
}

/// The labels of all hints of the open file.
fn hints(editor: &mut Editor) -> Vec<String> {
    let whole = serde_json::json!({
        "start": { "line": 0, "character": 0 }, "end": { "line": 999, "character": 0 },
    });
    let params = serde_json::json!({ "textDocument": { "uri": editor.uri }, "range": whole });
    let id = editor.request("textDocument/inlayHint", params);
    let hints = editor.answer(id).0;
    let label = |hint: &Value| hint["label"].as_str().unwrap_or_default().to_owned();
    hints.as_array().into_iter().flatten().map(label).collect()
}

fn hover(editor: &mut Editor, line: u64, character: u64) -> String {
    let params = serde_json::json!({
        "textDocument": { "uri": editor.uri },
        "position": { "line": line, "character": character },
    });
    let id = editor.request("textDocument/hover", params);
    editor.answer(id).0["contents"].to_string()
}

/// The certificate is to be renewed at once, which reading it finds; the file is deleted.
#[test]
fn a_refresh_shows_changes_outside() {
    let name = "backends_drift";
    let cache = match (program("terraform"), support::cache()) {
        (Some(_), Ok(cache)) => cache,
        (None, _) => return skipped(name, "terraform is not on the PATH"),
        (_, Err(reason)) => return skipped(name, &reason),
    };
    let folder = scratch(name);
    let text = r#"resource "tls_private_key" "a" {
  algorithm = "ED25519"
}
resource "tls_self_signed_cert" "a" {
  private_key_pem       = tls_private_key.a.private_key_pem
  validity_period_hours = 1
  early_renewal_hours   = 1
  allowed_uses          = []
}
resource "local_file" "a" {
  filename = "a.txt"
  content  = "x"
}
"#;
    fs::write(folder.join("main.tf"), text).unwrap();
    support::install_providers(&cache, &folder);
    let rc = cache.join("terraformrc");
    let output = command("terraform", &folder)
        .args(["apply", "-input=false", "-auto-approve"])
        .env("TF_CLI_CONFIG_FILE", &rc)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    fs::remove_file(folder.join("a.txt")).unwrap();
    let state = folder.join("terraform.tfstate");
    let text = fs::read_to_string(&state).unwrap();
    let (now, before) = (
        r#""ready_for_renewal": true"#,
        r#""ready_for_renewal": false"#,
    );
    fs::write(&state, text.replace(now, before)).unwrap();
    let mut editor = Editor::start(&folder, &[("TF_CLI_CONFIG_FILE", rc)], &folder.join("log"));
    wait_for_lenses(&mut editor, |titles| {
        titles == ["no change", "-/+ replace", "no change"]
    });
    run(&mut editor, "planlens.replan", Value::Null);
    let titles = wait_for_lenses(&mut editor, |titles| {
        titles.len() == 3 && titles[2] != "no change"
    });
    assert_eq!(
        titles,
        [
            "no change",
            "-/+ replace · changed outside: ready_for_renewal false -> true",
            "+ create · deleted outside",
        ]
    );
    let hover = hover(&mut editor, 3, 12);
    assert!(
        hover.contains("tls_self_signed_cert.a has changed"),
        "{hover}"
    );
    assert!(
        hover.contains("ready_for_renewal     = false -> true"),
        "{hover}"
    );
    editor.stop();
}
