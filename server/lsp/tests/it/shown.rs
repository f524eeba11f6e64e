//! What stands in the text: hints, lenses, diagnostics and hovers, on the builtin provider.
//!
//! The labels of a fixture are all that is shown, each on the line that it is about.

use std::fs;

use fixture::Fixture;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, range, with_engine};

struct Shown {
    fixture: Fixture,
    client: Client,
    uri: String,
    _dir: TempDir,
}

impl Shown {
    async fn open(text: &str) -> Shown {
        let fixture = Fixture::parse(text);
        let dir = tempfile::tempdir().unwrap();
        // Beside the module there is room for one that calls it.
        let module = dir.path().join("module");
        fs::create_dir(&module).unwrap();
        for file in &fixture.files {
            fs::write(module.join(&file.path[1..]), &file.text).unwrap();
        }
        if !fixture.state.is_empty() {
            fs::write(module.join("terraform.tfstate"), state(&fixture)).unwrap();
        }
        let options = with_engine();
        let settings = json!({ "trust": "never" });
        let mut client = Client::start_with(editors::helix(), settings, options).await;
        let uri = format!("file://{}/main.tf", module.display());
        client.open_as(&uri, &fixture.file("/main.tf").text).await;
        client.wait_for_plans().await;
        Shown {
            fixture,
            client,
            uri,
            _dir: dir,
        }
    }

    async fn ask(&mut self, method: &str, (line, character): (u32, u32)) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": range((0, 0), (1000, 0)),
            "position": { "line": line, "character": character },
        });
        self.client.ask(method, params).await
    }

    /// What stands above the blocks.
    async fn titles(&mut self) -> Vec<String> {
        let lenses = self.ask("textDocument/codeLens", (0, 0)).await;
        let lenses = lenses.as_array().unwrap().iter();
        lenses
            .map(|lens| lens["command"]["title"].as_str().unwrap().to_owned())
            .collect()
    }

    /// Line and text of the labels, and of what is shown, both sorted.
    fn compare(&self, shown: impl Iterator<Item = (u64, String)>) {
        let file = self.fixture.file("/main.tf");
        let line = |offset: usize| file.text[..offset].matches('\n').count() as u64;
        let labels = file.labels.iter();
        let mut expected: Vec<(u64, String)> = labels
            .map(|label| (line(label.range.start().into()), label.text.clone()))
            .collect();
        let mut shown: Vec<_> = shown.collect();
        shown.sort();
        expected.sort();
        assert_eq!(shown, expected);
    }
}

/// The state file: below each address the attributes as JSON.
fn state(fixture: &Fixture) -> String {
    let resources = fixture.state.iter().map(|(addr, attributes)| {
        let (addr, key) = addr.split_once('[').unwrap_or((addr, ""));
        let (kind, name) = addr.split_once('.').unwrap();
        let mut instance = json!({ "schema_version": 0,
            "attributes": serde_json::from_str::<Value>(attributes).unwrap() });
        if let Ok(key) = serde_json::from_str::<Value>(key.trim_end_matches(']')) {
            instance["index_key"] = key;
        }
        json!({ "mode": "managed", "type": kind, "name": name, "instances": [instance],
            "provider": "provider[\"terraform.io/builtin/terraform\"]" })
    });
    let resources: Vec<Value> = resources.collect();
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": resources })
    .to_string()
}

async fn check_hints(text: &str) {
    let mut shown = Shown::open(text).await;
    let hints = shown.ask("textDocument/inlayHint", (0, 0)).await;
    let hints = hints.as_array().unwrap().iter();
    shown.compare(hints.map(|hint| {
        let label = hint["label"].as_str().unwrap().to_owned();
        (hint["position"]["line"].as_u64().unwrap(), label)
    }));
    shown.client.shut_down().await;
}

async fn check_lenses(text: &str) {
    let mut shown = Shown::open(text).await;
    let lenses = shown.ask("textDocument/codeLens", (0, 0)).await;
    let lenses = lenses.as_array().unwrap().iter();
    shown.compare(lenses.map(|lens| {
        let title = lens["command"]["title"].as_str().unwrap().to_owned();
        (lens["range"]["start"]["line"].as_u64().unwrap(), title)
    }));
    shown.client.shut_down().await;
}

async fn check_diagnostics(text: &str) {
    let mut shown = Shown::open(text).await;
    // The plan is ready when the hints are.
    shown.ask("textDocument/inlayHint", (0, 0)).await;
    // What the text alone tells comes before what the plan tells.
    let wanted = shown.fixture.labels().count();
    let mut diagnostics = Vec::new();
    while diagnostics.len() < wanted {
        let published = shown.client.incoming("textDocument/publishDiagnostics");
        let found = published.await["params"]["diagnostics"].clone();
        diagnostics = found.as_array().unwrap().clone();
    }
    shown.compare(diagnostics.iter().map(|diagnostic| {
        let severity = ["", "error", "warning", "info", "hint"]
            [diagnostic["severity"].as_u64().unwrap() as usize];
        let message = diagnostic["message"].as_str().unwrap();
        let line = diagnostic["range"]["start"]["line"].as_u64().unwrap();
        (line, format!("{severity}: {message}"))
    }));
    shown.client.shut_down().await;
}

/// Each label is a part of what a hover at its start shows; `nothing` where there is none.
async fn check_hovers(text: &str) {
    let mut shown = Shown::open(text).await;
    shown.ask("textDocument/inlayHint", (0, 0)).await;
    let file = shown.fixture.file("/main.tf").clone();
    for label in &file.labels {
        let before = &file.text[..label.range.start().into()];
        let line = before.matches('\n').count() as u32;
        let column = before.rsplit('\n').next().unwrap().len() as u32;
        let hover = shown.ask("textDocument/hover", (line, column)).await;
        let value = hover["contents"]["value"].as_str().unwrap_or("nothing");
        // Without a plan the tests' server shows words.
        let value = match value.starts_with('`') && !value.starts_with("```") {
            true => "nothing",
            false => value,
        };
        let expected = label.text.replace("\\n", "\n");
        assert!(value.contains(&expected), "{expected:?} in {value:?}");
        assert!(!value.contains("SECRET"), "{value}");
    }
    shown.client.shut_down().await;
}

const STATE: &str = r#"
#- state terraform_data.a
{ "id": "id-a", "input": null, "output": null,
  "triggers_replace": { "value": { "one": "1", "two": "2" }, "type": ["object", { "one": "string", "two": "string" }] } }
#- state terraform_data.counted[0]
{ "id": "id-0", "input": null, "output": null, "triggers_replace": null }
#- state terraform_data.counted[1]
{ "id": "id-1", "input": { "value": "old", "type": "string" }, "output": { "value": "old", "type": "string" },
  "triggers_replace": null }
#- /main.tf
"#;

#[tokio::test(flavor = "multi_thread")]
async fn hints_stand_at_the_key_that_changed_and_at_values_that_are_not_written_there() {
    check_hints(&format!(
        "{STATE}{}",
        r#"variable "two" {
  default = "3"
}
variable "password" {
  default   = "SECRET"
  sensitive = true
}
locals {
  plain  = "plain"
  three  = var.two
#          ^^^^^^^ = "3"
  many = {
    a = upper("x")
#       ^^^^^^^^^^ = "X"
    b = "x"
    c = terraform_data.a.id
#       ^^^^^^^^^^^^^^^^^^^ (known after apply)
    d = var.password
  }
}
resource "terraform_data" "a" {
  triggers_replace = {
    one = "1"
    two = var.two
#         ^^^^^^^ ⟳ forces replacement: "2" -> "3"
  }
}
resource "terraform_data" "counted" {
  count = 2
  input = terraform_data.a.id
#         ^^^^^^^^^^^^^^^^^^^ (known after apply)
}
output "o" {
  value = "${var.two}!"
#         ^^^^^^^^^^^^^ = "3!"
}
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_block_has_no_values_and_the_others_keep_theirs() {
    check_hints(
        r#"
variable "v" {
  default = "x"
}
locals {
  a = var.v
#     ^^^^^ = "x"
}
resource "terraform_data" "half" {
  input = "${var.
"#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lenses_say_what_will_happen() {
    check_lenses(&format!(
        "{STATE}{}",
        r#"resource "terraform_data" "a" {
# ^^ -/+ replace
  triggers_replace = "other"
}
resource "terraform_data" "counted" {
# ^^ ~ update in place 1, + create 2 · 4 instances
  count = 4
  input = count.index == 1 ? "old" : "x"
}
resource "terraform_data" "none" {
# ^^ no instances
  count = 0
}
resource "terraform_data" "wrong" {
# ^^ ? not planned: it has errors
  bogus = 1
}
resource "random_pet" "missing" {
# ^^ ? provider hashicorp/random is not installed
}
data "random_x" "read" {
# ^^ ? provider hashicorp/random is not installed
}
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_lost_is_told_at_its_cause_and_once() {
    check_diagnostics(&format!(
        "{STATE}{}",
        r#"variable "unset" {}
# ^^ info: No value for required variable: values that depend on it are unknown in this plan
# ^^ hint: variable "unset" is declared but never used
resource "terraform_data" "a" {
  triggers_replace = { one = "1", two = "3" }
#                                       ^^^ warning: terraform_data.a must be replaced: triggers_replace.two "2" -> "3"
}
resource "terraform_data" "counted" {
  count = 1
#         ^ warning: terraform_data.counted[1] will be destroyed, because index [1] is out of range for count
}
resource "random_pet" "one" {
# ^^ warning: provider hashicorp/random is not installed: run `terraform init` (2 resources are not planned)
# ^^ hint: provider "random" has no entry in required_providers, so "hashicorp/random" is taken, in any version
}
resource "random_pet" "two" {
}
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_without_a_block_are_told_together_at_the_start() {
    check_diagnostics(&format!(
        "{STATE}{}",
        r#"locals {}
# ^^ warning: terraform_data.a, terraform_data.counted[0] and terraform_data.counted[1] will be destroyed, because they are not in the configuration
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hovers_tell_values_changes_and_documentation() {
    check_hovers(&format!(
        "{STATE}{}",
        r#"variable "secret" {
  default   = "SECRET"
  sensitive = true
# ^ Whether its value is kept out of what Terraform shows.
}
locals {
  copy = "${var.secret}!"
# ^^ local.copy = (sensitive value)
#           ^^ var.secret = (sensitive value)
  up = upper("x")
#      ^^ upper(
#  ^^ local.up = "X"
}
resource "terraform_data" "a" {
# ^^ # terraform_data.a must be replaced
  triggers_replace = { one = "1", two = "3" }
# ^^ # forces replacement
# ^^ triggers_replace : any type
}
output "id" {
  value = terraform_data.a.id
#         ^^ terraform_data.a = {
#                          ^ terraform_data.a.id = (known after apply)
}
resource "terraform_data" "counted" {
  count = 2
}
"#
    ))
    .await;
}

const CALLER: &str = r#"
#- /../main.tf
module "called" {
  for_each = { a = 1, b = 2, c = 2 }
  source   = "./module"
  size     = each.value
}
#- /main.tf
"#;

#[tokio::test(flavor = "multi_thread")]
async fn a_module_is_shown_as_its_caller_plans_it() {
    check_lenses(&format!(
        "{CALLER}{}",
        r#"variable "size" {}
resource "terraform_data" "same" {
# ^^ + create
}
resource "terraform_data" "differs" {
# ^^ + create · 1 of 3 module instances
# ^^ + create · 2 instances · 2 of 3 module instances
  count = var.size
}
"#
    ))
    .await;
    check_hints(&format!(
        "{CALLER}{}",
        r#"variable "size" {}
# ^^ 2 values: 1, 2
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn above_a_module_call_stands_what_happens_in_it() {
    check_lenses(
        r#"
#- /../called.tf
resource "terraform_data" "a" {
  count = 2
}
#- /main.tf
module "called" {
# ^^ 2 to add
  source = "../"
}
"#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_typed_block_keeps_what_was_said_of_it_marked() {
    let text = format!(
        "{STATE}{}",
        r#"resource "terraform_data" "a" {
  triggers_replace = "other"
}
resource "terraform_data" "counted" {
  count = 3
  input = count.index == 1 ? "old" : null
}
"#
    );
    let mut shown = Shown::open(&text).await;
    let lenses = shown.titles().await;
    assert_eq!(
        lenses,
        [
            "-/+ replace",
            "~ update in place 1, + create 1 · 3 instances"
        ]
    );
    // The second block ends in the middle of an expression.
    let text = shown.fixture.file("/main.tf").text.clone();
    let row = text
        .lines()
        .position(|line| line.contains("count = 3"))
        .unwrap() as u32;
    let at = (row, "  count = 3".len() as u32);
    let change = json!({
        "textDocument": { "uri": shown.uri, "version": 2 },
        "contentChanges": [{ "range": range(at, at), "text": " + " }],
    });
    shown.client.notify("textDocument/didChange", change).await;
    shown.client.wait_for_plans().await;
    let lenses = shown.titles().await;
    assert_eq!(
        lenses,
        [
            "-/+ replace",
            "? ~ update in place 1, + create 1 · 3 instances …"
        ]
    );
    shown.client.shut_down().await;
}
