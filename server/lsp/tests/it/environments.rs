//! What settings and a choice give to a root module.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, labels, range};

const CONFIGURATION: &str = r#"variable "size" {
  default = "d"
}

variable "tags" {
  type    = map(string)
  default = {}
}

locals {
  all = "${var.size} ${terraform.workspace} ${try(var.tags.a, "-")} ${pathexpand("~")}"
}
"#;

struct Editor {
    client: Client,
    dir: TempDir,
}

impl Editor {
    async fn open(settings: Value) -> Editor {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("app");
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("main.tf", CONFIGURATION);
        write("prod.tfvars", "size = \"prod\"\n");
        write("env/stage.tfvars", "size = \"stage\"\n");
        write("auto.auto.tfvars", "tags = {}\n");
        write("terraform.tfstate.d/blue/terraform.tfstate", "");
        let home = dir.path().to_string_lossy().into_owned();
        let options = Options {
            planner: Arc::new(EnginePlanner::new(PlannerConfig {
                variables: [("HOME".to_owned(), home)].into(),
                cache_dir: Some(dir.path().join("cache")),
                now: || "2026-01-01T00:00:00Z".to_string(),
            })),
            ..crate::client::patient()
        };
        let mut client = Client::connect(options);
        client.folder = format!("file://{}", dir.path().display());
        let mut settings = settings;
        settings["trust"] = json!("never");
        // Answers wait for the plan.
        client.initialize(editors::helix(), settings).await;
        client.notify("initialized", json!({})).await;
        let mut editor = Editor { client, dir };
        let uri = editor.uri();
        editor.client.open_as(&uri, CONFIGURATION).await;
        editor
    }

    fn root(&self) -> PathBuf {
        self.dir.path().join("app")
    }

    fn uri(&self) -> String {
        format!("file://{}/main.tf", self.root().display())
    }

    /// What the local value is, as its hint has it.
    async fn value(&mut self) -> String {
        let params = json!({
            "textDocument": { "uri": self.uri() },
            "range": range((0, 0), (100, 0)),
        });
        let hints = labels(&self.client.ask("textDocument/inlayHint", params).await);
        let home = self.dir.path().to_string_lossy().into_owned();
        hints
            .last()
            .cloned()
            .unwrap_or_default()
            .replace(&home, "HOME")
    }

    /// What `planlens doctor` would say of it.
    fn noted(&self) -> Option<String> {
        host::noted(&self.dir.path().join("cache"), &self.root())
    }

    async fn choose(&mut self, environment: Option<&str>) {
        let about = json!({ "textDocument": { "uri": self.uri() }, "environment": environment });
        let command = json!({ "command": "planlens.setEnvironment", "arguments": [about] });
        self.client.ask("workspace/executeCommand", command).await;
    }

    async fn listed(&mut self) -> String {
        let params = json!({ "textDocument": { "uri": self.uri() } });
        let answer = self.client.ask("planlens/environments", params).await;
        let listed = answer["environments"].as_array().unwrap().iter().map(|it| {
            let mark = if it["isChosen"] == true { "*" } else { "" };
            let text = |key: &str| it[key].as_str().unwrap().to_owned();
            format!("{mark}{}: {}", text("name"), text("detail"))
        });
        listed.collect::<Vec<_>>().join("\n")
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_folder_are_options_of_its_plan() {
    let settings = json!({ "roots": { "app": {
        "varFiles": ["prod.tfvars"],
        "variables": { "tags": { "a": "${b}" } },
        "workspace": "green",
    } } });
    let mut editor = Editor::open(settings).await;
    assert_eq!(editor.value().await, r#"= "prod green ${b} HOME""#);
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_of_a_folder_change_while_it_is_open() {
    let roots =
        |files: Value| json!({ "trust": "never", "roots": { "app": { "varFiles": files } } });
    let mut editor = Editor::open(roots(json!([]))).await;
    assert_eq!(editor.value().await, r#"= "d default - HOME""#);
    // As they are, and asked for.
    let settings = json!({ "settings": { "planlens": roots(json!(["prod.tfvars"])) } });
    let method = "workspace/didChangeConfiguration";
    editor.client.notify(method, settings).await;
    assert_eq!(editor.value().await, r#"= "prod default - HOME""#);
    editor.client.asks_test = vec!["workspace/configuration"];
    let nothing = json!({ "settings": null });
    editor.client.notify(method, nothing).await;
    let mut question = editor.client.incoming("workspace/configuration").await;
    // One came with the start, which was answered with null.
    let stage = json!([roots(json!(["env/stage.tfvars"]))]);
    editor.client.reply(&question, stage.clone()).await;
    while editor.value().await != r#"= "stage default - HOME""# {
        question = editor.client.incoming("workspace/configuration").await;
        editor.client.reply(&question, stage.clone()).await;
    }
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_is_chosen_among_those_of_the_settings() {
    let settings = json!({
        "roots": { "~/app": {
            "variables": { "size": "always" },
            "environment": "stage",
            "environments": {
                "stage": { "workspace": "stage" },
                "prod": { "varFiles": ["prod.tfvars"], "variables": { "size": 5 } },
            },
        } },
        "env": {
            "app": { "HOME": "/all", "OTHER": "x" },
            "app@prod": { "HOME": "/prod" },
        },
    });
    let mut editor = Editor::open(settings).await;
    assert_eq!(editor.value().await, r#"= "always stage - /all""#);
    assert_eq!(
        editor.listed().await,
        "prod: -var-file=prod.tfvars, -var size, HOME is set, OTHER is set\n\
         *stage: workspace stage, -var size, HOME is set, OTHER is set"
    );
    editor.choose(Some("prod")).await;
    assert_eq!(editor.value().await, r#"= "5 default - /prod""#);
    assert_eq!(
        editor.noted().as_deref(),
        Some("environment prod: -var-file=prod.tfvars, -var size, HOME is set, OTHER is set")
    );
    editor.choose(None).await;
    assert_eq!(editor.value().await, r#"= "always default - /all""#);
    editor.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn without_settings_files_of_values_and_workspaces_can_be_chosen() {
    let mut editor = Editor::open(json!({})).await;
    assert_eq!(editor.value().await, r#"= "d default - HOME""#);
    assert_eq!(
        editor.listed().await,
        "env/stage.tfvars: -var-file=env/stage.tfvars\n\
         prod.tfvars: -var-file=prod.tfvars\n\
         workspace blue: workspace blue"
    );
    editor.choose(Some("env/stage.tfvars")).await;
    assert_eq!(editor.value().await, r#"= "stage default - HOME""#);
    editor.choose(Some("workspace blue")).await;
    assert_eq!(editor.value().await, r#"= "d blue - HOME""#);
    let params = json!({});
    let plans = editor.client.ask("planlens/plan", params).await;
    let plan = &plans["plans"][0];
    assert_eq!(
        (&plan["environment"], &plan["workspace"]),
        (&json!("workspace blue"), &json!("blue"))
    );
    assert!(editor.noted().is_some());
    editor.choose(None).await;
    assert_eq!(editor.value().await, r#"= "d default - HOME""#);
    assert_eq!(editor.noted(), None);
    editor.client.shut_down().await;
}
