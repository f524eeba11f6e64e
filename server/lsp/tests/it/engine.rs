//! The server with the engine, on the builtin provider: what an unsaved edit makes of a real plan.

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use config::ProviderAddr;
use cty::{Type, Value as Cty};
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use provider::fake::{Behaviour, FakeProvider, FakeResource};
use schema::{Attribute, Block};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::sleep;

use crate::client::{Client, editors, labels, patient, range, with_engine};

const CONFIGURATION: &str = r#"resource "terraform_data" "a" {
  input            = "one"
  triggers_replace = "one"
}

resource "terraform_data" "b" {
  input = terraform_data.a.id
}
"#;

/// `terraform_data.a` and `b` as an apply of the configuration left them.
fn state() -> String {
    let instance = |name: &str, attributes: Value| {
        json!({
            "mode": "managed",
            "type": "terraform_data",
            "name": name,
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": attributes }],
        })
    };
    let string = |value: &str| json!({ "value": value, "type": "string" });
    let a = json!({ "id": "id-a", "input": string("one"), "output": string("one"),
        "triggers_replace": string("one") });
    let b = json!({ "id": "id-b", "input": string("id-a"), "output": string("id-a"),
        "triggers_replace": null });
    let resources = [instance("a", a), instance("b", b)];
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": resources })
    .to_string()
}

pub struct Module {
    pub client: Client,
    pub dir: TempDir,
}

impl Module {
    pub async fn open(capabilities: Value) -> Module {
        Module::open_with(capabilities, json!({})).await
    }

    pub async fn open_with(capabilities: Value, mut settings: Value) -> Module {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("main.tf"), CONFIGURATION).unwrap();
        fs::write(dir.path().join("terraform.tfstate"), state()).unwrap();
        let options = with_engine();
        if settings["trust"].is_null() {
            settings["trust"] = json!("never");
        }
        let client = Client::start_with(capabilities, settings, options).await;
        let mut module = Module { client, dir };
        let uri = module.uri();
        module.client.open_as(&uri, CONFIGURATION).await;
        module
    }

    pub fn uri(&self) -> String {
        format!("file://{}/main.tf", self.dir.path().display())
    }

    pub async fn change(&mut self, version: i32, change: Value) {
        let document = json!({ "uri": self.uri(), "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.client.notify("textDocument/didChange", params).await;
    }

    async fn ask(&mut self, method: &str) -> Value {
        let params = json!({
            "textDocument": { "uri": self.uri() },
            "range": range((0, 0), (100, 0)),
            "position": { "line": 2, "character": 4 },
        });
        self.client.ask(method, params).await
    }

    async fn hints(&mut self) -> Vec<String> {
        labels(&self.ask("textDocument/inlayHint").await)
    }

    pub async fn lenses(&mut self) -> Vec<String> {
        let lenses = self.ask("textDocument/codeLens").await;
        let titles = lenses.as_array().unwrap().iter();
        titles
            .map(|lens| lens["command"]["title"].as_str().unwrap().to_string())
            .collect()
    }
}

/// Changes the trigger's text to `text`, which is as long as the one that is there.
fn trigger(text: &str) -> Value {
    json!({ "range": range((2, 22), (2, 25)), "text": text })
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unsaved_edit_shows_the_cause_of_a_replacement() {
    // Without refresh, the answers wait for the plan by themselves.
    let mut module = Module::open(editors::helix()).await;
    assert!(
        !module
            .hints()
            .await
            .iter()
            .any(|hint| hint.contains("forces replacement"))
    );
    let lenses = module.lenses().await;
    assert!(
        lenses.iter().all(|lens| lens.contains("no change")),
        "{lenses:?}"
    );

    module.change(1, trigger("two")).await;
    let hints = module.hints().await;
    assert!(
        hints.iter().any(|hint| hint.contains("forces replacement")),
        "{hints:?}"
    );
    assert!(
        hints.iter().any(|hint| hint.contains("known after apply")),
        "{hints:?}"
    );
    let lenses = module.lenses().await;
    assert!(
        lenses.iter().any(|lens| lens.contains("replace")),
        "{lenses:?}"
    );
    let hover = module.ask("textDocument/hover").await.to_string();
    assert!(hover.contains("one") && hover.contains("two"), "{hover}");
    loop {
        let published = module
            .client
            .incoming("textDocument/publishDiagnostics")
            .await;
        if let Some(diagnostic) = published["params"]["diagnostics"].get(0) {
            assert_eq!(diagnostic["code"], "forces-replacement");
            assert_eq!(
                (
                    &diagnostic["severity"],
                    &diagnostic["range"]["start"]["line"]
                ),
                (&json!(2), &json!(2))
            );
            break;
        }
    }

    module.change(2, trigger("one")).await;
    assert!(
        !module
            .hints()
            .await
            .iter()
            .any(|hint| hint.contains("forces replacement"))
    );
    let disk = fs::read_to_string(module.dir.path().join("main.tf")).unwrap();
    assert_eq!(disk, CONFIGURATION);
    assert_eq!(
        fs::read_to_string(module.dir.path().join("terraform.tfstate")).unwrap(),
        state()
    );
    assert_eq!(fs::read_dir(module.dir.path()).unwrap().count(), 2);
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_block_leaves_the_plan_of_the_others() {
    let mut module = Module::open(editors::helix()).await;
    module.change(1, trigger("two")).await;
    let broken = json!({ "range": range((6, 10), (6, 29)), "text": "= \"" });
    module.change(2, broken).await;
    let hints = module.hints().await;
    assert!(
        hints.iter().any(|hint| hint.contains("forces replacement")),
        "{hints:?}"
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_severity_of_replacements_is_a_setting() {
    let mut module = Module::open(editors::quiet()).await;
    module.change(1, trigger("two")).await;
    let severity = |published: &Value| {
        let diagnostics = published["params"]["diagnostics"]
            .as_array()
            .unwrap()
            .iter();
        let mut replacements = diagnostics.filter(|it| it["code"] == "forces-replacement");
        replacements
            .next()
            .map(|diagnostic| diagnostic["severity"].clone())
    };
    for (level, expected) in [
        ("error", Some(json!(1))),
        ("off", None),
        ("info", Some(json!(3))),
    ] {
        let settings = json!({ "settings": { "diagnostics.replacement": level } });
        module
            .client
            .notify("workspace/didChangeConfiguration", settings)
            .await;
        loop {
            let published = module
                .client
                .incoming("textDocument/publishDiagnostics")
                .await;
            if severity(&published) == expected {
                break;
            }
        }
    }
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_burst_of_edits_ends_in_the_plan_of_the_last_text() {
    const EDITS: i32 = 300;
    let mut module = Module::open(editors::helix()).await;
    module.hints().await;
    let start = Instant::now();
    for version in 1..=EDITS {
        module
            .change(version, trigger(&format!("{version:03}")))
            .await;
    }
    let hover = {
        let hints = module.hints().await;
        assert!(
            hints.iter().any(|hint| hint.contains("forces replacement")),
            "{hints:?}"
        );
        module.ask("textDocument/hover").await.to_string()
    };
    println!(
        "{EDITS} edits and the plan of the last: {:?}",
        start.elapsed()
    );
    assert!(hover.contains(&format!("{EDITS:03}")), "{hover}");
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_syntax_error_is_reported_once() {
    let mut module = Module::open(editors::helix()).await;
    module
        .change(1, json!({ "range": range((6, 10), (6, 10)), "text": "= " }))
        .await;
    module.hints().await;
    let published = module
        .client
        .incoming("textDocument/publishDiagnostics")
        .await;
    assert_eq!(
        published["params"]["diagnostics"].as_array().unwrap().len(),
        1,
        "{published}"
    );
    module.client.ask("shutdown", Value::Null).await;
    module.client.notify("exit", Value::Null).await;
    let rest = module.client.rest().await;
    assert!(
        rest.iter()
            .all(|message| message["method"] != "textDocument/publishDiagnostics")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_of_a_closed_file_follow_an_edit_elsewhere() {
    let mut module = Module::open(editors::helix()).await;
    let other = module.dir.path().join("other.tf");
    fs::write(&other, "# Closed.\nlocals {\n  trigger = \"one\"\n}\n").unwrap();
    let uri = format!("file://{}", other.display());
    let text = CONFIGURATION.replace(
        "triggers_replace = \"one\"",
        "triggers_replace = local.trigger",
    );
    fs::write(module.dir.path().join("main.tf"), &text).unwrap();
    let main = module.uri();
    let closed = json!({ "textDocument": { "uri": main } });
    module.client.notify("textDocument/didClose", closed).await;
    module
        .client
        .open_as(&uri, "# Open.\n\nlocals {\n  trigger = \"two\"\n}\n")
        .await;
    let published = module
        .client
        .incoming("textDocument/publishDiagnostics")
        .await;
    assert_eq!(published["params"]["uri"], main.as_str());
    assert_eq!(
        published["params"]["diagnostics"][0]["code"],
        "forces-replacement"
    );
    assert_eq!(
        published["params"]["diagnostics"][0]["range"]["start"]["line"],
        2
    );

    let document = json!({ "uri": uri, "version": 1 });
    let change = json!([{ "range": range((3, 13), (3, 16)), "text": "one" }]);
    let params = json!({ "textDocument": document, "contentChanges": change });
    module.client.notify("textDocument/didChange", params).await;
    let published = module
        .client
        .incoming("textDocument/publishDiagnostics")
        .await;
    assert_eq!(published["params"]["uri"], main.as_str());
    assert_eq!(published["params"]["diagnostics"], json!([]));
    module.client.shut_down().await;
}

/// Each plan is superseded before it ends, as `b` is planned for ever once it is changed.
#[tokio::test(flavor = "multi_thread")]
async fn the_saved_text_is_planned_once_while_no_plan_comes_to_its_end() {
    let dir = tempfile::tempdir().unwrap();
    let text = |a: &str, b: &str| {
        format!(
            "resource \"fake_disk\" \"a\" {{\n  name = {a:?}\n}}\nresource \"fake_disk\" \"b\" {{\n  name = {b:?}\n}}\n"
        )
    };
    fs::write(dir.path().join("main.tf"), text("saved", "saved")).unwrap();
    let block = Block {
        attributes: [("name".into(), Attribute::new(Type::String).required())].into(),
        ..Block::default()
    };
    let disk = FakeResource::new(block).with("name", Behaviour::HangsAt(Cty::string("endless")));
    let provider = Arc::new(FakeProvider::new().with_resource("fake_disk", disk));
    let given = [(ProviderAddr::implied("fake"), provider.clone() as _)].into();
    let config = PlannerConfig {
        variables: Default::default(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_string(),
    };
    let options = Options {
        planner: Arc::new(EnginePlanner::with_providers(config, given)),
        ..patient()
    };
    let settings = json!({ "trust": "always" });
    let mut client = Client::start_with(editors::vscode(), settings, options).await;
    let uri = format!("file://{}/main.tf", dir.path().display());
    client.open_as(&uri, &text("edit-0", "endless")).await;
    let planned = |name: &str| {
        let name = Cty::string(name);
        let requests = provider.requests().into_iter();
        let wanted = requests.filter_map(|it| it.plan?.config.get_attr("name").ok());
        wanted.filter(|it| *it == name).count()
    };
    for edit in 1..5 {
        while planned(&format!("edit-{}", edit - 1)) == 0 {
            sleep(Duration::from_millis(1)).await;
        }
        let change = json!({ "text": text(&format!("edit-{edit}"), "endless") });
        let params =
            json!({ "textDocument": { "uri": uri, "version": edit }, "contentChanges": [change] });
        client.notify("textDocument/didChange", params).await;
    }
    // Once for each of the two.
    assert_eq!(planned("saved"), 2);
    client.shut_down().await;
}
