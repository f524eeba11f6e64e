//! A module in the editor: as all its callers in the workspace plan it, or as the one that was chosen.

use std::fs;
use std::sync::Arc;

use expect_test::expect;
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, labels, range};

const MODULE: &str = r#"variable "size" {
  type = number
}

resource "terraform_data" "same" {
}

resource "terraform_data" "differs" {
  count = var.size
  input = var.size
}
"#;

const FILES: [(&str, &str); 5] = [
    ("modules/app/main.tf", MODULE),
    (
        "live/main.tf",
        "module \"app\" {\n  for_each = { a = 1, b = 2 }\n  source = \"../modules/app\"\n  size = each.value\n}\n",
    ),
    (
        "stage/main.tf",
        "module \"between\" {\n  source = \"../modules/between\"\n}\n",
    ),
    (
        "modules/between/main.tf",
        "module \"inner\" {\n  source = \"../app/\"\n  size = 1\n}\n",
    ),
    ("other/main.tf", "locals {\n  a = 1\n}\n"),
];

struct Editor {
    client: Client,
    dir: TempDir,
}

impl Editor {
    async fn open(files: &[(&str, &str)]) -> Editor {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = dir.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let options = Options {
            planner: Arc::new(EnginePlanner::new(PlannerConfig {
                variables: Default::default(),
                cache_dir: None,
                now: || "2026-01-01T00:00:00Z".to_string(),
            })),
            ..crate::client::patient()
        };
        let mut client = Client::connect(options);
        client.folder = format!("file://{}", dir.path().display());
        // Answers wait for the plan.
        let settings = json!({ "trust": "never" });
        client.initialize(editors::helix(), settings).await;
        client.notify("initialized", json!({})).await;
        let mut editor = Editor { client, dir };
        let (path, text) = files[0];
        let uri = editor.uri(path);
        editor.client.open_as(&uri, text).await;
        editor
    }

    fn uri(&self, path: &str) -> String {
        format!("file://{}/{path}", self.dir.path().display())
    }

    async fn ask(&mut self, method: &str, line: u32) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri(FILES[0].0) },
            "range": range((0, 0), (100, 0)),
            "position": { "line": line, "character": 3 },
        });
        self.client.ask(method, params).await
    }

    async fn shown(&mut self) -> String {
        let hints = labels(&self.ask("textDocument/inlayHint", 0).await);
        let lenses = self.ask("textDocument/codeLens", 0).await;
        let lenses = lenses.as_array().unwrap().iter();
        let title = |lens: &Value| lens["command"]["title"].as_str().unwrap().to_owned();
        [lenses.map(title).collect(), hints].concat().join("\n")
    }

    async fn choose(&mut self, root: Option<&str>, instance: Option<&str>) {
        let about = json!({
            "textDocument": { "uri": self.uri(FILES[0].0) },
            "root": root.map(|root| self.uri(root)),
            "instance": instance,
        });
        let command = json!({ "command": "planlens.setCaller", "arguments": [about] });
        self.client.ask("workspace/executeCommand", command).await;
    }

    async fn listed(&mut self) -> String {
        let answer = self.ask("planlens/callers", 0).await;
        let listed = answer["callers"].as_array().unwrap().iter().map(|it| {
            let mark = if it["isChosen"] == true { "*" } else { "" };
            format!("{mark}{}", it["title"].as_str().unwrap())
        });
        listed.collect::<Vec<_>>().join("\n")
    }

    async fn status(&mut self, folder: &str) -> Value {
        let folder = self.uri(folder);
        let plans = self.client.ask("planlens/plan", json!({})).await;
        let plans = plans["plans"].as_array().unwrap();
        let plan = plans.iter().find(|plan| plan["folder"] == folder);
        plan.cloned().unwrap_or_default()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn outputs_of_a_called_module_have_their_values() {
    let module = r#"variable "size" {
  type = number
}

output "double" {
  value = 2 * var.size
}

output "hidden" {
  value     = "secret-${var.size}"
  sensitive = true
}

output "marked" {
  value = sensitive("secret-${var.size}")
}
"#;
    let files = [(FILES[0].0, module), FILES[1], FILES[2], FILES[3]];
    let mut editor = Editor::open(&files).await;
    expect![[r#"
        2 values: 1, 2
        2 values: 2, 4"#]]
    .assert_eq(&editor.shown().await);
    for (line, shown) in [
        (4, "= 4"),
        (8, "(sensitive value)"),
        (13, "(sensitive value)"),
    ] {
        let hover = editor.ask("textDocument/hover", line).await.to_string();
        assert!(
            hover.contains(shown) && !hover.contains("secret-1"),
            "{hover}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_is_shown_as_all_its_callers_plan_it() {
    let mut editor = Editor::open(&FILES).await;
    expect![[r#"
        + create
        + create · 2 of 3 module instances
        + create · 2 instances · 1 of 3 module instances
        2 values: 1, 2
        2 values: 1, 2
        2 values: 1, 2"#]]
    .assert_eq(&editor.shown().await);
    let hover = editor.ask("textDocument/hover", 9).await;
    expect![[r#"
        ```terraform
        input : any type
        ```

        **live: module.app\["a"\], stage: module.between.module.inner · 2 of 3 module instances**

        ```terraform
        1
        ```

        **live: module.app\["b"\] · 1 of 3 module instances**

        ```terraform
        2
        ```

        Optional"#]]
    .assert_eq(hover["contents"]["value"].as_str().unwrap());
    expect![[r#"
        live
        live: module.app["a"]
        live: module.app["b"]
        stage
        nobody"#]]
    .assert_eq(&editor.listed().await);
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_many_callers_some_are_planned_with_a_note() {
    let callers: Vec<String> = (10..44).map(|it| format!("live{it}/main.tf")).collect();
    let call = "module \"app\" {\n  source = \"../modules/app\"\n  size = 1\n}\n";
    let mut files = vec![FILES[0]];
    files.extend(callers.iter().map(|path| (path.as_str(), call)));
    let mut editor = Editor::open(&files).await;
    let shown = editor.shown().await;
    assert!(shown.contains("as 32 of 34 callers plan it"), "{shown}");
    let lenses = editor.ask("textDocument/codeLens", 0).await;
    let lenses = lenses.as_array().unwrap().iter();
    let first = lenses.min_by_key(|it| it["range"]["start"]["line"].as_u64());
    assert!(first.unwrap()["command"]["title"] == "as 32 of 34 callers plan it");
    let listed = editor.listed().await;
    assert!(listed.contains("live43"), "{listed}");
    // Only what is shown is planned, and counted.
    assert_eq!(editor.status("live10").await, Value::Null);
    assert_eq!(editor.status("modules/app").await["add"], 2);
    editor.choose(Some("live43"), None).await;
    let shown = editor.shown().await;
    assert!(!shown.contains("callers"), "{shown}");
    assert!(editor.status("live43").await.is_object());
    editor.client.shut_down().await;
}

/// A module that many call with other values.
#[tokio::test(flavor = "multi_thread")]
async fn different_values_share_a_hint() {
    let callers: Vec<(String, String)> = (10..26)
        .map(|it| {
            let call = format!(
                "module \"app\" {{\n  source = \"../app\"\n  cidr = \"10.{it}.0.0/16\"\n}}\n"
            );
            (format!("live{it}/main.tf"), call)
        })
        .collect();
    let module = "\n\nvariable \"cidr\" {\n}\n\nresource \"terraform_data\" \"a\" {\n  input = var.cidr\n}\n";
    let mut files = vec![("app/main.tf", module)];
    files.extend(callers.iter().map(|(path, text)| (&**path, &**text)));
    let mut editor = Editor::open(&files).await;
    let params = json!({
        "textDocument": { "uri": editor.uri("app/main.tf") },
        "range": range((0, 0), (100, 0)),
        "position": { "line": 6, "character": 3 },
    });
    let hints = labels(
        &editor
            .client
            .ask("textDocument/inlayHint", params.clone())
            .await,
    );
    let label = "16 values: \"10.10.0.0/16\", …";
    assert_eq!(hints, [label, label]);
    let hover = editor.client.ask("textDocument/hover", params).await;
    let hover = hover["contents"]["value"].as_str().unwrap();
    assert!(
        (10..26).all(|it| hover.contains(&format!("live{it}: module.app · 1 of 16"))),
        "{hover}"
    );
    assert_eq!(editor.status("app").await["add"], 1);
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_is_chosen() {
    let mut editor = Editor::open(&FILES).await;
    editor.shown().await;
    editor.choose(Some("live"), None).await;
    expect![[r#"
        + create
        + create · 1 of 2 module instances
        + create · 2 instances · 1 of 2 module instances
        2 values: 1, 2
        2 values: 1, 2
        2 values: 1, 2"#]]
    .assert_eq(&editor.shown().await);
    editor.choose(Some("live"), Some("module.app[\"b\"]")).await;
    expect![[r#"
        + create
        + create · 2 instances
        = 2
        = 2
        = 2"#]]
    .assert_eq(&editor.shown().await);
    expect![[r#"
        live
        live: module.app["a"]
        *live: module.app["b"]
        stage
        nobody"#]]
    .assert_eq(&editor.listed().await);
    assert_eq!(
        editor.status("modules/app").await["caller"],
        "live: module.app[\"b\"]"
    );
    // By itself its variables have no values.
    editor.choose(Some("modules/app"), None).await;
    expect![[r#"
        + create
        ? the instances of terraform_data.differs cannot be determined"#]]
    .assert_eq(&editor.shown().await);
    assert_eq!(editor.status("modules/app").await["unset"], json!(["size"]));
    editor.choose(None, None).await;
    assert!(editor.shown().await.contains("of 3 module instances"));
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_comes_is_found_when_it_is_saved() {
    let mut editor = Editor::open(&FILES[..1]).await;
    expect![[r#"
        + create
        ? the instances of terraform_data.differs cannot be determined"#]]
    .assert_eq(&editor.shown().await);
    let (path, text) = FILES[1];
    let path = editor.dir.path().join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    let changes = json!({ "changes": [{ "uri": editor.uri(FILES[1].0), "type": 1 }] });
    editor
        .client
        .notify("workspace/didChangeWatchedFiles", changes)
        .await;
    expect![[r#"
        + create
        + create · 1 of 2 module instances
        + create · 2 instances · 1 of 2 module instances
        2 values: 1, 2
        2 values: 1, 2
        2 values: 1, 2"#]]
    .assert_eq(&editor.shown().await);
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_that_is_closed_leaves_the_plans() {
    let mut editor = Editor::open(&FILES).await;
    editor.shown().await;
    assert!(editor.status("modules/app").await.is_object());
    let (path, text) = FILES[4];
    let (other, module) = (editor.uri(path), editor.uri(FILES[0].0));
    editor.client.open_as(&other, text).await;
    let closed = json!({ "textDocument": { "uri": module } });
    editor.client.notify("textDocument/didClose", closed).await;
    // Waits for the plan.
    let params = json!({ "textDocument": { "uri": other } });
    editor.client.ask("textDocument/codeLens", params).await;
    assert!(editor.status("other").await.is_object());
    assert!(editor.status("modules/app").await.is_null());
    editor.client.shut_down().await;
}
