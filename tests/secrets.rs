//! Sensitive values leave the process neither by the protocol nor by the log: every secret of the
//! test workspaces begins with a marker, which no message and no line of a log may hold.

mod support;

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Value, json};
use support::client::SECRET as MARKER;
use support::editor::Editor;
use support::{cache, has_subcommand, repository, scratch, skipped};

#[test]
fn the_editor_receives_no_secret() {
    let test = "the_editor_receives_no_secret";
    let cache = match has_subcommand("lsp").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = repository().join("tests/workspaces/sensitive");
    let scratch = scratch(test);
    let module = scratch.join("module");
    support::copy_module(&folder, &module);
    support::install_providers(&cache, &module);
    let log = scratch.join("log");
    let caches = scratch.join("caches");
    let environment = [
        ("TF_CLI_CONFIG_FILE", cache.join("terraformrc")),
        ("PLANLENS_CACHE_DIR", caches.clone()),
        ("PLANLENS_STATE_DIR", scratch.join("state")),
    ];
    let mut editor = Editor::start(&module, &environment, &log);
    // The hint of a replacement is there when the plan is.
    let line = editor
        .text
        .lines()
        .position(|line| line.contains("pin "))
        .unwrap();
    editor.wait_for_hint(line, "forces replacement");

    let document = json!({ "textDocument": { "uri": editor.uri } });
    for method in ["textDocument/codeLens", "textDocument/documentSymbol"] {
        let id = editor.request(method, document.clone());
        editor.answer_or_error(id);
    }
    let mut hovers = 0;
    for (line, character) in words(&editor.text) {
        let mut place = document.clone();
        place["position"] = json!({ "line": line, "character": character });
        let id = editor.request("textDocument/hover", place.clone());
        hovers += usize::from(!editor.answer_or_error(id).is_null());
        let id = editor.request("textDocument/completion", place);
        editor.answer_or_error(id);
    }
    let plan = json!({ "uri": format!("planlens-plan:{}/x.planlens-plan", module.display()) });
    for (method, params) in [
        ("workspace/textDocumentContent", plan),
        ("planlens/plan", json!({})),
    ] {
        let id = editor.request(method, params);
        assert!(!editor.answer_or_error(id).is_null(), "{method}");
    }
    assert!(hovers > 20, "only {hovers} hovers say anything");
    editor.type_name(line, "MARKER-SECRET-typed");
    editor.wait_for_hint(line, "forces replacement");

    let reported: BTreeSet<String> = editor
        .said
        .iter()
        .flat_map(strings)
        .filter(|text| text.contains(MARKER))
        .collect();
    assert!(
        reported.is_empty(),
        "{} messages were sent, and these texts in them hold a secret: {reported:#?}",
        editor.said.len()
    );
    editor.stop();
    assert!(!support::files(&caches).is_empty());
    support::no_secret_below(&caches);
    let log = fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().filter(|line| line.contains(MARKER)).collect();
    assert!(
        lines.is_empty(),
        "{} lines of the log hold a secret: {}",
        lines.len(),
        lines[0]
    );
}

/// Of the commands, `plan -json` alone tells values, as `terraform show -json` does; and `plan -destroy` those that the state
/// has without a mark, as `terraform plan -destroy` does.
#[test]
fn the_command_line_prints_no_secret() {
    let test = "the_command_line_prints_no_secret";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let scratch = scratch(test);
    let module = scratch.join("module");
    support::copy_module(&repository().join("tests/workspaces/sensitive"), &module);
    support::install_providers(&cache, &module);
    let caches = scratch.join("caches");
    for arguments in [
        &["plan"][..],
        &["plan", "-refresh"],
        &["plan", "-refresh-only"],
        &["validate"],
        &["validate", "-json"],
        &["doctor"],
        &["stats"],
    ] {
        let output = support::planlens(&module)
            .args(arguments)
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .env("PLANLENS_CACHE_DIR", &caches)
            .output()
            .unwrap();
        let printed = support::printed(&output);
        let lines: Vec<&str> = printed.lines().filter(|it| it.contains(MARKER)).collect();
        assert_eq!(lines, Vec::<&str>::new(), "{arguments:?}");
        assert!(printed.len() > 40, "{arguments:?}: {printed}");
    }
    assert!(!support::files(&caches).is_empty());
    support::no_secret_below(&caches);
}

/// An ephemeral value is in no plan, sensitive or not: neither as JSON, where `terraform show -json` has sensitive values, nor
/// as text.
#[test]
fn the_command_line_prints_no_ephemeral_value() {
    let test = "the_command_line_prints_no_ephemeral_value";
    if let Err(reason) = has_subcommand("plan") {
        return skipped(test, &reason);
    }
    let module = scratch(test);
    fs::create_dir_all(module.join("called")).unwrap();
    let configuration = r#"
variable "token" {
  type      = string
  ephemeral = true
}
variable "login" {
  type      = object({ key = string })
  ephemeral = true
  default   = { key = "of the text" }
}
variable "other" {
  type      = string
  ephemeral = true
  sensitive = true
}
variable "wrong" {
  type      = string
  ephemeral = true
  validation {
    condition     = length(var.wrong) < 5
    error_message = "too long"
  }
}
locals {
  derived = "Bearer ${var.token}"
  key     = { (var.login.key) = upper(var.other) }
}
module "called" {
  source = "./called"
  token  = local.derived
}
resource "terraform_data" "a" {
  input = ephemeralasnull(local.derived)
  lifecycle {
    precondition {
      condition     = local.derived == "x"
      error_message = "not x"
    }
  }
}
check "key" {
  assert {
    condition     = contains(keys(local.key), "x")
    error_message = "no x"
  }
}
output "plain" {
  value = ephemeralasnull(var.token)
}
output "refused" {
  value = var.login
}
locals {
  element = transpose({ (var.other) = 1 })
  twice   = { for key in [var.token, var.token] : key => 1 }
}
"#;
    let called = r#"
variable "token" {
  ephemeral = true
}
output "token" {
  value     = "${var.token}!"
  ephemeral = true
}
"#;
    let given = |name: &str| format!("{name} = \"{MARKER}-{name}\"\n");
    let values = given("token") + &given("other") + &given("wrong");
    let values = format!("{values}login = {{ key = \"{MARKER}-login\" }}\n");
    fs::write(module.join("main.tf"), configuration).unwrap();
    fs::write(module.join("called/main.tf"), called).unwrap();
    fs::write(module.join("terraform.tfvars"), values).unwrap();
    let mut texts = vec![configuration.to_owned()];
    // The same without the error, so that something is planned.
    let (whole, _) = configuration.split_once("output \"refused\"").unwrap();
    let whole = whole.replace("< 5", "> 5").replace("== \"x\"", "!= \"x\"");
    texts.push(whole);
    for text in texts {
        fs::write(module.join("main.tf"), text).unwrap();
        for arguments in [
            &["plan"][..],
            &["plan", "-json"],
            &["plan", "-refresh-only", "-json"],
            &["validate"],
            &["validate", "-json"],
            &["doctor", "-json"],
            &["stats"],
        ] {
            let output = support::planlens(&module).args(arguments).output().unwrap();
            let printed = support::printed(&output);
            assert!(!printed.contains(MARKER), "{arguments:?}: {printed}");
            assert!(printed.len() > 40, "{arguments:?}: {printed}");
        }
    }
    // A value in the text is no secret: Terraform has it in the plan, too.
    let output = support::planlens(&module)
        .args(["plan", "-json"])
        .output()
        .unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(
        plan["variables"],
        json!({ "login": { "value": { "key": "of the text" } } })
    );
}

/// Every string in a message.
fn strings(message: &Value) -> Vec<String> {
    match message {
        Value::String(text) => vec![text.clone()],
        Value::Array(elements) => elements.iter().flat_map(strings).collect(),
        Value::Object(members) => members.values().flat_map(strings).collect(),
        _ => Vec::new(),
    }
}

/// Where each word of a text begins: line, and character in it. The text is ASCII.
fn words(text: &str) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let mut previous = ' ';
        for (index, character) in line.char_indices() {
            if character.is_alphanumeric() && !(previous.is_alphanumeric() || previous == '_') {
                places.push((number, index));
            }
            previous = character;
        }
    }
    places
}
