//! What gives a value to a variable that has none.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, labels, range, with_engine};

const CONFIGURATION: &str = r#"variable "size" {
  type = number
}

locals {
  twice = 2 * var.size
}
"#;

struct Editor {
    client: Client,
    dir: TempDir,
}

impl Editor {
    async fn open(capabilities: Value, values: &[(&str, &str)]) -> Editor {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("main.tf"), CONFIGURATION).unwrap();
        for (name, text) in values {
            fs::write(dir.path().join(name), text).unwrap();
        }
        let settings = json!({ "trust": "never" });
        let client = Client::start_with(capabilities, settings, with_engine()).await;
        let mut editor = Editor { client, dir };
        let uri = editor.uri("main.tf");
        editor.client.open_as(&uri, CONFIGURATION).await;
        assert_eq!(editor.value().await, "(no value)");
        let plans = editor.client.ask("planlens/plan", json!({})).await;
        let plan = &plans["plans"][0];
        assert_eq!(
            (&plan["unset"], &plan["errors"]),
            (&json!(["size"]), &json!(0))
        );
        editor
    }

    fn uri(&self, name: &str) -> String {
        format!("file://{}", self.path(name).display())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    /// The hint of the local value.
    async fn value(&mut self) -> String {
        let params = json!({
            "textDocument": { "uri": self.uri("main.tf") },
            "range": range((0, 0), (100, 0)),
        });
        let hints = labels(&self.client.ask("textDocument/inlayHint", params).await);
        hints.last().cloned().unwrap_or_default()
    }

    async fn actions(&mut self, line: u32, character: u32) -> Vec<Value> {
        let params = json!({
            "textDocument": { "uri": self.uri("main.tf") },
            "range": range((line, character), (line, character)),
            "context": { "diagnostics": [], "only": ["quickfix"] },
        });
        let actions = self.client.ask("textDocument/codeAction", params).await;
        serde_json::from_value(actions).unwrap()
    }
}

fn titles(actions: &[Value]) -> Vec<&str> {
    let titles = actions.iter().map(|it| it["title"].as_str().unwrap());
    titles.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_without_a_value_is_planned_with_an_environment_that_gives_one() {
    let values = [
        ("prod.tfvars", "size = 21\n"),
        ("other.tfvars", "other = 1\n"),
        ("dev.tfvars.json", "{ \"size\": 1 }"),
    ];
    let mut editor = Editor::open(editors::helix(), &values).await;
    let actions = editor.actions(0, 3).await;
    assert_eq!(
        titles(&actions),
        [
            "Plan with dev.tfvars.json, which sets `size`",
            "Plan with prod.tfvars, which sets `size`",
            "Add a default to `size`",
            "Set `size` in terraform.tfvars",
        ]
    );
    let fixed = &actions[0]["diagnostics"][0]["code"];
    assert_eq!(*fixed, "no-variable-value");
    // Where it is used, too.
    let same = editor.actions(5, 18).await;
    assert_eq!(titles(&same), titles(&actions));
    let command = actions[1]["command"].clone();
    editor.client.ask("workspace/executeCommand", command).await;
    assert_eq!(editor.value().await, "= 42");
    assert_eq!(editor.actions(0, 3).await, Vec::<Value>::new());
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_variable_without_a_value_gets_a_default_or_a_value_in_a_file() {
    let text = "# ours\nzone = \"a\"";
    let mut editor = Editor::open(editors::helix(), &[("b.auto.tfvars", text)]).await;
    let actions = editor.actions(0, 12).await;
    assert_eq!(
        titles(&actions),
        ["Add a default to `size`", "Set `size` in b.auto.tfvars"]
    );
    let edit = |action: &Value, file: &str| {
        let edits = &action["edit"]["changes"][editor.uri(file)];
        assert_eq!(edits.as_array().unwrap().len(), 1, "{action}");
        edits[0].clone()
    };
    assert_eq!(
        edit(&actions[0], "main.tf"),
        json!({ "range": range((2, 0), (2, 0)), "newText": "  default = 0\n" })
    );
    assert_eq!(
        edit(&actions[1], "b.auto.tfvars"),
        json!({ "range": range((1, 10), (1, 10)), "newText": "\nsize = 0\n" })
    );
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_writes_settings_is_asked_for_a_value_of_the_workspace() {
    let mut capabilities = editors::vscode();
    capabilities["experimental"]["planlens"] = json!({ "settings": true });
    let mut editor = Editor::open(capabilities, &[]).await;
    let actions = editor.actions(0, 12).await;
    assert_eq!(
        titles(&actions),
        [
            "Add a default to `size`",
            "Set `size` in terraform.tfvars",
            "Set `size` for this workspace in the settings",
        ]
    );
    let uri = editor.uri("");
    let folder = uri.trim_end_matches('/');
    assert_eq!(
        actions[2]["command"],
        json!({
            "title": "Set `size` for this workspace in the settings",
            "command": "planlens.setVariable",
            "arguments": [{ "folder": folder, "variable": "size" }],
        })
    );
    let created = &actions[1]["edit"]["documentChanges"];
    assert_eq!(created[0]["uri"], editor.uri("terraform.tfvars"));
    assert_eq!(created[1]["edits"][0]["newText"], "size = 0\n");
    // What such a client then says.
    let settings = json!({ "trust": "never", "roots": { folder.trim_start_matches("file://"): { "variables": { "size": "4" } } } });
    let params = json!({ "settings": settings });
    editor
        .client
        .notify("workspace/didChangeConfiguration", params)
        .await;
    assert_eq!(editor.value().await, "= 8");
    editor.client.shut_down().await;
}
