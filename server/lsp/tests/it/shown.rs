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
    version: i32,
    _dir: TempDir,
}

impl Shown {
    async fn open(text: &str) -> Shown {
        Shown::open_in(editors::helix(), json!({ "trust": "never" }), text).await
    }

    async fn open_in(editor: Value, settings: Value, text: &str) -> Shown {
        let fixture = Fixture::parse(text);
        let dir = tempfile::tempdir().unwrap();
        // Beside the module there is room for one that calls it.
        let module = dir.path().join("module");
        fs::create_dir(&module).unwrap();
        for file in &fixture.files {
            let path = module.join(&file.path[1..]);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &file.text).unwrap();
        }
        if !fixture.state.is_empty() {
            fs::write(module.join("terraform.tfstate"), state(&fixture)).unwrap();
        }
        let options = with_engine();
        let mut client = Client::start_with(editor, settings, options).await;
        let uri = format!("file://{}/main.tf", module.display());
        client.open_as(&uri, &fixture.file("/main.tf").text).await;
        client.wait_for_plans().await;
        Shown {
            fixture,
            client,
            uri,
            version: 0,
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

    /// The hints, each with its line.
    async fn lines(&mut self) -> Vec<(u64, String)> {
        self.client.wait_for_plans().await;
        let hints = self.ask("textDocument/inlayHint", (0, 0)).await;
        let hints = hints.as_array().unwrap().iter();
        hints
            .map(|hint| {
                let label = hint["label"].as_str().unwrap().to_owned();
                (hint["position"]["line"].as_u64().unwrap(), label)
            })
            .collect()
    }

    async fn edit(&mut self, range: Value, text: &str) {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let params = json!({
            "textDocument": document,
            "contentChanges": [{ "range": range, "text": text }],
        });
        self.client.notify("textDocument/didChange", params).await;
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
        let (addr, name) = addr.rsplit_once('.').unwrap();
        let (module, kind) = match addr.rsplit_once('.') {
            Some((module, kind)) => (Some(module), kind),
            None => (None, addr),
        };
        let mut instance = json!({ "schema_version": 0,
            "attributes": serde_json::from_str::<Value>(attributes).unwrap() });
        if let Ok(key) = serde_json::from_str::<Value>(key.trim_end_matches(']')) {
            instance["index_key"] = key;
        }
        let mut resource = json!({ "mode": "managed", "type": kind, "name": name, "instances": [instance],
            "provider": "provider[\"terraform.io/builtin/terraform\"]" });
        if let Some(module) = module {
            resource["module"] = module.into();
        }
        resource
    });
    let resources: Vec<Value> = resources.collect();
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": resources })
    .to_string()
}

async fn check_hints(text: &str) {
    check_hints_of(Shown::open(text).await).await;
}

async fn check_hints_of(mut shown: Shown) {
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
#         ^^^^^^^^^^^^^^^^^^^ "old" -> (known after apply)
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
async fn lenses_show_actions() {
    check_lenses(&format!(
        "{STATE}{}",
        r#"resource "terraform_data" "a" {
# ^^ -/+ replace
  triggers_replace = "other"
}
resource "terraform_data" "counted" {
# ^^ ~ update 1, + create 2 · 4 instances
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
async fn destruction_is_reported_once_at_its_cause() {
    check_diagnostics(&format!(
        "{STATE}{}",
        r#"variable "unset" {}
# ^^ info: No value for required variable: values that depend on var.unset are unknown in this plan
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
# ^^ hint: provider "random" has no entry in required_providers, so any version of "hashicorp/random" is used
}
resource "random_pet" "two" {
}
"#
    ))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objects_without_a_block_are_listed_together_at_the_end() {
    let text = format!("{STATE}locals {{\n}}\n\nlocals {{\n}}\n");
    let settings = json!({ "trust": "never", "actions": {} });
    let mut shown = Shown::open_in(with_hints(), settings, &text).await;
    let gone = "- destroy terraform_data.a and 2 more";
    assert_eq!(shown.lines().await, [(4, gone.to_owned())]);
    let published = shown.client.incoming("textDocument/publishDiagnostics");
    let all = published.await["params"]["diagnostics"].clone();
    let message = "terraform_data.a, terraform_data.counted[0] and terraform_data.counted[1] will be destroyed, because they are not in the configuration";
    assert_eq!(all[0]["message"], message);
    assert_eq!(all[0]["range"]["start"]["line"], 4);
    shown.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_list_of_changes_has_each_value_that_differs() {
    let text = format!(
        "{STATE}{}",
        r#"variable "password" {
  default   = "SECRET"
  sensitive = true
}
resource "terraform_data" "a" {
  input            = var.password
  triggers_replace = { one = "1", two = "3" }
}
resource "terraform_data" "counted" {
  count = 1
  input = "new"
}
resource "terraform_data" "fresh" {
  input = [terraform_data.a.id, { x = "y" }]
}
"#
    );
    let mut shown = Shown::open(&text).await;
    let plans = shown.client.ask("planlens/plan", json!({})).await;
    let changes = plans["plans"][0]["changes"].as_array().unwrap();
    let told = |change: &Value| {
        let attribute = |it: &Value| {
            let side = |name: &str| it[name].as_str().unwrap_or("").to_owned();
            let unknown = if it["isUnknown"] == true { "?" } else { "" };
            let forcing = if it["forcesReplacement"] == true {
                "!"
            } else {
                ""
            };
            let path = it["path"].as_str().unwrap();
            format!(
                "{path}{unknown}{forcing}: {} -> {}",
                side("before"),
                side("after")
            )
        };
        let attributes = change["attributes"].as_array().unwrap();
        let attributes: Vec<String> = attributes.iter().map(attribute).collect();
        let address = change["address"].as_str().unwrap();
        let object = change["object"].as_str().unwrap();
        format!("{address} of {object}\n  {}", attributes.join("\n  "))
    };
    let changes: Vec<String> = changes.iter().map(told).collect();
    expect_test::expect![[r#"
        terraform_data.a of terraform_data.a
          id?: "id-a" -> (known after apply)
          input:  -> (sensitive value)
          output?:  -> (known after apply)
          triggers_replace.two!: "2" -> "3"
        terraform_data.counted[0] of terraform_data.counted
          input:  -> "new"
          output?:  -> (known after apply)
        terraform_data.counted[1] of terraform_data.counted
          id: "id-1" -> 
          input: "old" -> 
          output: "old" -> 
        terraform_data.fresh of terraform_data.fresh
          id?:  -> (known after apply)
          input[0]?:  -> (known after apply)
          input[1]:  -> { x = "y" }
          output?:  -> (known after apply)"#]]
    .assert_eq(&changes.join("\n"));
    shown.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hovers_tell_values_changes_and_documentation() {
    check_hovers(&format!(
        "{STATE}{}",
        r#"variable "secret" {
  default   = "SECRET"
  sensitive = true
# ^ Whether Terraform hides the value in its output.
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
async fn a_lens_above_a_module_call_counts_its_changes() {
    check_lenses(
        r#"
#- /../called.tf
resource "terraform_data" "a" {
  count = 2
}
#- /main.tf
module "called" {
# ^^ + create · 2 resources
  source = "../"
}
"#,
    )
    .await;
}

const ACTIONS: &str = r#"
#- state terraform_data.same
{ "id": "id-s", "input": null, "output": null, "triggers_replace": null }
#- state terraform_data.counted[0]
{ "id": "id-0", "input": { "value": "same", "type": "string" }, "output": { "value": "same", "type": "string" },
  "triggers_replace": null }
#- state terraform_data.counted[1]
{ "id": "id-1", "input": { "value": "old", "type": "string" }, "output": { "value": "old", "type": "string" },
  "triggers_replace": null }
"#;

/// What a client says that shows hints in its lines.
fn with_hints() -> Value {
    let mut editor = editors::helix();
    editor["textDocument"]["inlayHint"] = json!({});
    editor
}

#[tokio::test(flavor = "multi_thread")]
async fn by_default_headers_of_changing_blocks_show_their_action() {
    let text = format!(
        "{ACTIONS}{}",
        r#"#- /called/main.tf
resource "terraform_data" "a" {
}
#- /main.tf
resource "terraform_data" "same" {
}
resource "terraform_data" "counted" {
# ^^ ~ update in place · 1 of 2 instances
  count = 2
  input = count.index == 1 ? "new" : "same"
# ^^ "old" -> "new"
}
module "called" {
# ^^ + create
  source = "./called"
}
resource "terraform_data" "one_line" { input = upper("x") }
# ^^ = "X"
"#
    );
    let settings = |place: &str| {
        let actions = match place {
            "" => json!({}),
            place => json!({ "place": place }),
        };
        json!({ "trust": "never", "actions": actions })
    };
    let mut shown = Shown::open_in(with_hints(), settings(""), &text).await;
    let hints = shown.ask("textDocument/inlayHint", (0, 0)).await;
    let tones: Vec<&Value> = hints
        .as_array()
        .unwrap()
        .iter()
        .map(|it| &it["data"]["tone"])
        .collect();
    assert_eq!(
        tones,
        [
            &json!("update"),
            &json!("update"),
            &json!("create"),
            &Value::Null
        ]
    );
    assert!(shown.titles().await.is_empty());
    check_hints_of(shown).await;

    let changes = [
        "~ update in place · 1 of 2 instances",
        "+ create",
        "+ create",
    ];
    for editor in [with_hints(), editors::helix()] {
        let is_reported = editor == with_hints();
        let place = if is_reported { "lens" } else { "line" };
        let mut shown = Shown::open_in(editor, settings(place), &text).await;
        assert_eq!(shown.titles().await, changes);
        let lenses = shown.ask("textDocument/codeLens", (0, 0)).await;
        assert_eq!(lenses[0]["data"], json!({ "isChange": true }));
        shown.client.shut_down().await;
    }
    let off = json!({ "trust": "never", "actions": { "show": "off" } });
    let mut shown = Shown::open_in(editors::helix(), off, &text).await;
    assert!(shown.titles().await.is_empty());
    shown.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_outline_shows_the_action_of_each_block() {
    let mut editor = with_hints();
    editor["textDocument"]["documentSymbol"] = json!({ "hierarchicalDocumentSymbolSupport": true });
    let text = format!(
        "{ACTIONS}{}",
        r#"#- /main.tf
resource "terraform_data" "same" {
}
resource "terraform_data" "other" {
}
data "terraform_remote_state" "unread" {
}
locals {
}
"#
    );
    let settings = json!({ "trust": "never", "actions": {} });
    let mut shown = Shown::open_in(editor, settings, &text).await;
    let outline = shown.ask("textDocument/documentSymbol", (0, 0)).await;
    let details: Vec<&str> = outline
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["detail"].as_str().unwrap_or(""))
        .collect();
    assert_eq!(
        details,
        ["no change", "+ create", "? not planned: it has errors", ""]
    );
    shown.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_argument_that_is_changed_in_place_shows_the_old_value() {
    check_hints(
        r#"
#- state terraform_data.a
{ "id": "a", "input": { "value": "a", "type": "string" }, "output": { "value": "a", "type": "string" }, "triggers_replace": null }
#- state terraform_data.map
{ "id": "b", "input": { "value": { "k": "1", "l": "2" }, "type": ["object", { "k": "string", "l": "string" }] },
  "output": { "value": { "k": "1", "l": "2" }, "type": ["object", { "k": "string", "l": "string" }] }, "triggers_replace": null }
#- /main.tf
resource "terraform_data" "a" {
  input = "b"
# ^^ "a" -> "b"
}
resource "terraform_data" "map" {
  input = {
    k = "1"
    l = terraform_data.a.output
# ^^ "2" -> (known after apply)
  }
}
"#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_argument_of_a_module_call_shows_its_value_and_effect() {
    let text = r#"
#- state module.called.terraform_data.a
{ "id": "a", "input": null, "output": null, "triggers_replace": { "value": "1", "type": "string" } }
#- state module.called.terraform_data.b
{ "id": "b", "input": { "value": "small", "type": "string" }, "output": { "value": "small", "type": "string" }, "triggers_replace": null }
#- /called/main.tf
variable "release" {}
variable "size" {}
variable "id" {}
variable "text" {}
variable "secret" {
  sensitive = true
}
resource "terraform_data" "a" {
  triggers_replace = var.release
}
resource "terraform_data" "b" {
  input = var.size
}
resource "terraform_data" "c" {
  input = "${var.secret}${var.id}${var.text}"
}
#- /main.tf
module "called" {
# ^^ -/+ replace 1, ~ update 1, + create 1 · 3 …
  source  = "./called"
  release = upper("b")
# ^^ ⟳ forces replacement: "1" -> "B"
  size    = "large"
# ^^ "small" -> "large"
  id      = terraform_data.new.id
# ^^ (known after apply)
  text    = upper("text")
# ^^ = "TEXT"
  secret  = upper("b")
}
resource "terraform_data" "new" {
# ^^ + create
}
"#;
    let settings = json!({ "trust": "never", "actions": {} });
    check_hints_of(Shown::open_in(with_hints(), settings.clone(), text).await).await;
    let mut shown = Shown::open_in(with_hints(), settings, text).await;
    let hover = shown.ask("textDocument/hover", (0, 3)).await;
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(
        hover.contains("-/+ module.called.terraform_data.a"),
        "{hover}"
    );
    shown.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_argument_that_a_module_passes_on_shows_its_effect() {
    let text = r#"
#- state module.outer.module.inner.terraform_data.a
{ "id": "a", "input": null, "output": null, "triggers_replace": { "value": "1", "type": "string" } }
#- state module.outer.module.inner.terraform_data.b
{ "id": "b", "input": { "value": "small", "type": "string" }, "output": { "value": "small", "type": "string" }, "triggers_replace": null }
#- state module.outer.module.inner.terraform_data.c
{ "id": "c", "input": { "value": "old!", "type": "string" }, "output": { "value": "old!", "type": "string" }, "triggers_replace": null }
#- /inner/main.tf
variable "version_of_it" {}
variable "size" {}
variable "text" {}
resource "terraform_data" "a" {
  triggers_replace = var.version_of_it
}
resource "terraform_data" "b" {
  input = var.size
}
resource "terraform_data" "c" {
  input = var.text
}
#- /outer/main.tf
variable "release" {}
variable "size" {}
variable "text" {}
module "inner" {
  source        = "../inner"
  version_of_it = var.release
  size          = var.size
  text          = "${var.text}!"
}
#- /main.tf
module "outer" {
# ^^ -/+ replace 1, ~ update 2 · 3 resources
  source  = "./outer"
  release = "2"
# ^^ ⟳ forces replacement: "1" -> "2"
  size    = "large"
# ^^ "small" -> "large"
  text    = "new"
}
"#;
    let settings = json!({ "trust": "never", "actions": {} });
    check_hints_of(Shown::open_in(with_hints(), settings, text).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_of_a_block_with_an_undeclared_name_is_a_guess() {
    let text = r#"
#- /main.tf
resource "terraform_data" "of_local" {
# ^^ ? + create
  input = local.none
}
resource "terraform_data" "of_variable" {
# ^^ ? + create
  input = "${var.none}!"
}
resource "terraform_data" "other" {
# ^^ + create
  input = 1
}
"#;
    let settings = json!({ "trust": "never", "actions": {} });
    check_hints_of(Shown::open_in(with_hints(), settings, text).await).await;
}

/// What will be destroyed is told where its block stood, or at the call of the module that it was in.
#[tokio::test(flavor = "multi_thread")]
async fn a_deletion_is_reported_where_the_block_stood() {
    let text = r#"
#- state terraform_data.first
{ "id": "f", "input": null, "output": null, "triggers_replace": null }
#- state terraform_data.second
{ "id": "s", "input": null, "output": null, "triggers_replace": null }
#- state terraform_data.third
{ "id": "t", "input": null, "output": null, "triggers_replace": null }
#- state module.called.terraform_data.gone
{ "id": "g", "input": null, "output": null, "triggers_replace": null }
#- /called/main.tf
locals {
}
#- /main.tf
resource "terraform_data" "first" {
}

resource "terraform_data" "second" {
}

resource "terraform_data" "third" {
}

module "called" {
  source = "./called"
}
"#;
    let settings = json!({ "trust": "never", "actions": {} });
    let mut shown = Shown::open_in(with_hints(), settings, text).await;
    let gone = "- destroy module.called.terraform_data.gone";
    assert_eq!(shown.lines().await, [(9, gone.to_owned())]);
    shown.edit(range((3, 0), (6, 0)), "").await;
    let second = (1, "- destroy terraform_data.second".to_owned());
    assert_eq!(shown.lines().await, [second, (6, gone.to_owned())]);
    // The list of changes leads there.
    let plans = shown.client.ask("planlens/plan", json!({})).await;
    let changes = plans["plans"][0]["changes"].as_array().unwrap().iter();
    let place = |it: &Value| {
        (
            it["address"].clone(),
            it["location"]["range"]["start"]["line"].clone(),
        )
    };
    assert_eq!(
        changes.map(place).collect::<Vec<_>>(),
        [
            (json!("terraform_data.second"), json!(1)),
            (json!("module.called.terraform_data.gone"), json!(6)),
        ]
    );
    // What stood before it changes, too.
    shown.edit(range((1, 0), (1, 0)), "  input = \"x\"\n").await;
    let lines = shown.lines().await;
    assert_eq!(lines[2], (2, "- destroy terraform_data.second".to_owned()));
    // The blank line stays that was behind the first block.
    shown.edit(range((0, 0), (3, 0)), "").await;
    let both = (0, "- destroy terraform_data.first and 1 more".to_owned());
    assert_eq!(shown.lines().await[0], both);
    shown.edit(range((0, 0), (1, 0)), "").await;
    assert_eq!(shown.lines().await[0], both);
    loop {
        let published = shown.client.incoming("textDocument/publishDiagnostics");
        let all = published.await["params"]["diagnostics"].clone();
        let is_reported = |line: u64, what: &str| {
            let mut all = all.as_array().unwrap().iter();
            all.any(|it| {
                let message = it["message"].as_str().unwrap();
                it["range"]["start"]["line"] == line && message.contains(what)
            })
        };
        let both = "terraform_data.first and terraform_data.second will be destroyed";
        if is_reported(0, both) && is_reported(3, "module.called.terraform_data.gone") {
            break;
        }
    }
    shown.client.shut_down().await;
}

/// Before `init` there is no schema, and the language has its values all the same.
#[tokio::test(flavor = "multi_thread")]
async fn values_known_without_a_provider_are_shown() {
    let text = r#"
#- /main.tf
terraform {
  required_providers {
    aws = {
      source = "hashicorp/aws"
    }
  }
}
locals {
  azs  = ["a", "b"]
  cidr = "10.0.0.0/16"
}
variable "secret" {
  default   = "SECRET"
  sensitive = true
}
resource "aws_subnet" "private" {
  count      = length(local.azs)
# ^^ = 2
  vpc_id     = aws_vpc.main.id
  cidr_block = cidrsubnet(local.cidr, 8, count.index)
  tags = {
    Name = "private-${count.index}"
    Env  = upper("prod")
# ^^ = "PROD"
    Key  = "${var.secret}!"
  }
}
resource "aws_vpc" "main" {
  cidr_block = local.cidr
# ^^ = "10.0.0.0/16"
  timeouts {
    create = "${5 * 2}m"
# ^^ = "10m"
  }
}
resource "aws_instance" "each" {
  for_each = { for az in local.azs : az => upper(az) }
# ^^ "a", "b"
  name     = each.value
}
resource "aws_instance" "unknown" {
  count = length(aws_vpc.main.id)
  name  = upper("x")
}
"#;
    let settings = json!({ "trust": "never", "actions": {} });
    let mut shown = Shown::open_in(with_hints(), settings, text).await;
    assert!(shown.titles().await.is_empty());
    check_hints_of(shown).await;
}

const LOCKED: &str = r#"
#- /.terraform.lock.hcl
provider "registry.terraform.io/hashicorp/aws" {
  version = "VERSION"
}
#- /main.tf
terraform {
  required_providers {
    aws = {
# ^^ warning: provider hashicorp/aws is not installed: run `terraform init` (2 resources are not planned)
      source = "hashicorp/aws"
    }
  }
}
provider "aws" {
  no_such = "the configuration is not known to the letter"
}
resource "aws_vpc" "main" {
  cidr_blck = "10.0.0.0/16"
# ^^ TYPO
}
output "vpc" {
  value = aws_vpc.main.idd
# ^^ REFERENCE
}
resource "aws_instance" "fine" {
  ami           = "ami-1"
  instance_type = "t3.micro"
  root_block_device {
    volume_size = 8
  }
  lifecycle {
    ignore_changes = [ami]
  }
}
"#;

/// What comes with the program is of the locked version, so it tells what is wrong.
#[tokio::test(flavor = "multi_thread")]
async fn the_types_of_the_locked_version_are_checked_before_init() {
    let typo = r#"error: Unsupported argument: An argument named "cidr_blck" is not expected here. Did you mean "cidr_block"?"#;
    let reference = r#"error: Unsupported attribute: This object does not have an attribute named "idd". Did you mean "id"?"#;
    let text = LOCKED.replace("VERSION", "6.9.0").replace("TYPO", typo);
    check_diagnostics(&text.replace("REFERENCE", reference)).await;
}

/// Another version may have what the one that comes with the program has not.
#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_wrong_by_the_schema_of_another_version() {
    let text = LOCKED.replace("VERSION", "6.10.0");
    let text = text.replace("# ^^ TYPO\n", "");
    check_diagnostics(&text.replace("# ^^ REFERENCE\n", "")).await;
}

/// Some editors watch no files, and others tell only of those that they write.
#[tokio::test(flavor = "multi_thread")]
async fn a_state_that_changes_on_disk_is_noticed_without_the_editor() {
    let text = "#- /main.tf\nresource \"terraform_data\" \"a\" {\n}\n";
    for editor in [editors::helix(), editors::neovim_0_10()] {
        let mut shown = Shown::open_in(editor, json!({ "trust": "never" }), text).await;
        shown.ask("textDocument/inlayHint", (0, 0)).await;
        let gone = "#- state terraform_data.gone\n{ \"id\": \"x\", \"input\": null, \"output\": null, \"triggers_replace\": null }\n#- /main.tf\n";
        let file = shown.uri.trim_start_matches("file://");
        let file = std::path::Path::new(file).with_file_name("terraform.tfstate");
        fs::write(file, state(&Fixture::parse(gone))).unwrap();
        loop {
            let published = shown.client.incoming("textDocument/publishDiagnostics");
            let found = published.await["params"]["diagnostics"].to_string();
            if found.contains("terraform_data.gone") {
                break;
            }
        }
        shown.client.shut_down().await;
    }
}

/// The text of a list already says what is in it, and so does a variable of the same file.
#[tokio::test(flavor = "multi_thread")]
async fn values_that_the_text_shows_have_no_hint() {
    check_hints(
        r#"
#- /main.tf
variable "release" {
  default = "1"
}
resource "terraform_data" "a" {
  for_each         = toset(["0", "1", "2"])
  triggers_replace = [var.release]
  input            = merge({ a = 1 }, { b = concat(["x"], ["y"]) })
}
resource "terraform_data" "b" {
  count = max(1, 2)
# ^^ = 2
  input = "${var.release}-x"
# ^^ = "1-x"
}
"#,
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_half_typed_block_keeps_its_last_facts_marked_as_stale() {
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
        ["-/+ replace", "~ update 1, + create 1 · 3 instances"]
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
        ["-/+ replace", "? ~ update 1, + create 1 · 3 instances …"]
    );
    shown.client.shut_down().await;
}
