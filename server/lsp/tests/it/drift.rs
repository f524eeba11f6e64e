//! What changed outside of Terraform, as a refresh finds it.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use config::ProviderAddr;
use cty::{Type, Value as Cty};
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use provider::fake::{Behaviour, FakeProvider, FakeResource};
use provider::{Provider, ReadRequest, ReadResponse, Rpc};
use schema::{Attribute, Block};
use serde_json::{Value, json};

use crate::client::{Client, editors, labels, patient, range};

const CONFIGURATION: &str = r#"resource "fake_disk" "resized" {
  name   = "resized"
  size   = "10"
  secret = "plain"
}

resource "fake_disk" "kept" {
  name = "kept"
  size = "10"
}

resource "fake_disk" "several" {
  count = 3
  name  = ["kept", "deleted", "resized"][count.index]
  size  = "10"
}
"#;

fn state() -> String {
    let object = |name: &str, key: Value| {
        let attributes = json!({ "name": name, "size": "10", "secret": "plain", "revision": "first", "note": null });
        json!({ "schema_version": 0, "attributes": attributes, "index_key": key })
    };
    let resource = |name: &str, instances: Value| {
        json!({ "mode": "managed", "type": "fake_disk", "name": name, "instances": instances,
            "provider": "provider[\"registry.terraform.io/hashicorp/fake\"]" })
    };
    let several = ["kept", "deleted", "resized"].into_iter().enumerate();
    let several: Vec<Value> = several
        .map(|(key, name)| object(name, json!(key)))
        .collect();
    let resources = [
        resource("resized", json!([object("resized", Value::Null)])),
        resource("kept", json!([object("kept", Value::Null)])),
        resource("several", json!(several)),
    ];
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": resources })
    .to_string()
}

/// Objects named `resized` have another size, secret and revision; those named `deleted` are gone.
fn read(request: ReadRequest) -> ReadResponse {
    let mut object = BTreeMap::from(request.current_state.as_map().unwrap());
    let name = object["name"].as_str().unwrap().to_owned();
    // As many providers read what is not set.
    object.insert("note".into(), Cty::string(""));
    if name == "resized" {
        for (attribute, now) in [("size", "20"), ("secret", "MARKER"), ("revision", "second")] {
            object.insert(attribute.into(), Cty::string(now));
        }
    }
    ReadResponse {
        new_state: match name.as_str() {
            "deleted" => Cty::null(request.current_state.ty().clone()),
            _ => Cty::object(object),
        },
        private: request.private,
        deferred: None,
        new_identity: None,
        diagnostics: Vec::new(),
    }
}

fn provider(shown: Shown) -> Arc<dyn Provider> {
    let text = || Attribute::new(Type::String);
    let block = Block {
        attributes: [
            ("name".into(), text().required()),
            ("size".into(), text().required()),
            ("secret".into(), text().optional().computed().sensitive()),
            ("revision".into(), text().computed()),
            ("note".into(), text().computed()),
        ]
        .into(),
        ..Block::default()
    };
    let disk = FakeResource::new(block)
        .with("size", Behaviour::ForcesReplacement)
        .read_by(move |request| {
            shown.wait();
            Ok(read(request))
        });
    let provider = FakeProvider::new().with_resource("fake_disk", disk);
    Arc::new(provider.also_allowing([Rpc::ReadResource]))
}

struct Module {
    client: Client,
    uri: String,
}

impl Module {
    async fn ask(&mut self, method: &str, position: (u32, u32)) -> Value {
        let (line, character) = position;
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": range((0, 0), (100, 0)),
            "position": { "line": line, "character": character },
        });
        self.client.ask(method, params).await
    }

    async fn lenses(&mut self) -> Vec<String> {
        let lenses = self.ask("textDocument/codeLens", (0, 0)).await;
        let titles = lenses.as_array().unwrap().iter();
        let titles = titles.map(|lens| lens["command"]["title"].as_str().unwrap().to_owned());
        titles.collect()
    }

    async fn hints(&mut self) -> Vec<String> {
        labels(&self.ask("textDocument/inlayHint", (0, 0)).await)
    }

    /// Refreshes, and answers once everything is planned. Nothing is read before the client shows what goes on.
    async fn refresh(&mut self, shown: &Shown) {
        let replan = json!({ "command": "planlens.replan", "arguments": [] });
        self.client.ask("workspace/executeCommand", replan).await;
        // Other work may be shown too, and end before the client knows its token.
        const METHODS: [&str; 2] = ["window/workDoneProgress/create", "$/progress"];
        let token = loop {
            let message = self.client.incoming_of(&METHODS).await;
            let params = &message["params"];
            if message["method"] == METHODS[0] {
                self.client.reply(&message, Value::Null).await;
            } else if params["value"]["title"] == "Reading objects and data sources" {
                break params["token"].clone();
            }
        };
        shown.0.store(true, Ordering::Release);
        assert_eq!(self.progress(&token).await["kind"], "end");
        self.client.wait_for_plans().await;
    }

    /// What is told next of what goes on.
    async fn progress(&mut self, token: &Value) -> Value {
        loop {
            let progress = self.client.incoming("$/progress").await;
            if progress["params"]["token"] == *token {
                return progress["params"]["value"].clone();
            }
        }
    }
}

/// A test that fails ends all the same.
const LIMIT: Duration = Duration::from_secs(60);

/// Whether the client shows that objects are read.
#[derive(Clone, Default)]
struct Shown(Arc<AtomicBool>);

impl Shown {
    /// Other tasks of this thread go on meanwhile.
    fn wait(&self) {
        tokio::task::block_in_place(|| {
            let begin = Instant::now();
            while !self.0.load(Ordering::Acquire) && begin.elapsed() < LIMIT {
                std::thread::yield_now();
            }
        });
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_marks_blocks_whose_objects_changed_outside() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("main.tf"), CONFIGURATION).unwrap();
    fs::write(dir.path().join("terraform.tfstate"), state()).unwrap();
    let shown = Shown::default();
    let config = PlannerConfig {
        variables: Default::default(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_string(),
    };
    let given = [(ProviderAddr::implied("fake"), provider(shown.clone()))].into();
    let options = Options {
        planner: Arc::new(EnginePlanner::with_providers(config, given)),
        ..patient()
    };
    let settings = json!({ "trust": "always" });
    let client = Client::start_with(editors::vscode(), settings, options).await;
    let uri = format!("file://{}/main.tf", dir.path().display());
    let mut module = Module { client, uri };
    let uri = module.uri.clone();
    module.client.open_as(&uri, CONFIGURATION).await;
    module.client.wait_for_plans().await;
    assert_eq!(module.lenses().await, ["no change"; 3]);

    module.refresh(&shown).await;
    assert_eq!(
        module.lenses().await,
        [
            "-/+ replace · changed outside: secret changes (sensitive value), size \"10\" -> \"20\", revision \"first\" -> \"second\"",
            "no change",
            "-/+ replace 1, + create 1 · 3 instances · 1 of 3 changed outside, 1 of 3 deleted outside",
        ]
    );
    let hints = module.hints().await;
    assert_eq!(
        hints,
        [
            "⟳ forces replacement: \"20\" -> \"10\"",
            "changed outside: (sensitive value)",
            "⟳ forces replacement: \"20\" -> \"10\"",
        ]
    );
    let hover = module.ask("textDocument/hover", (0, 12)).await.to_string();
    assert!(
        hover.contains("Changed outside since the last apply"),
        "{hover}"
    );
    assert!(hover.contains("has changed"), "{hover}");
    let hover = module.ask("textDocument/hover", (2, 3)).await.to_string();
    assert!(
        hover.contains(r#"changed outside: \"10\" -> \"20\""#),
        "{hover}"
    );
    let plan = format!("planlens-plan:{}/plan.planlens-plan", dir.path().display());
    let params = json!({ "uri": plan });
    let document = module
        .client
        .ask("workspace/textDocumentContent", params)
        .await;
    assert!(
        document
            .to_string()
            .contains("# fake_disk.several[1] deleted outside"),
        "{document}"
    );
    assert!(!format!("{document}{hover}{hints:?}").contains("MARKER"));

    // The text takes over what is there: nothing is replaced, and it still changed outside.
    let edit = json!({ "range": range((2, 12), (2, 14)), "text": "20" });
    let document = json!({ "uri": uri, "version": 1 });
    let params = json!({ "textDocument": document, "contentChanges": [edit] });
    module.client.notify("textDocument/didChange", params).await;
    module.client.wait_for_plans().await;
    let hints = module.hints().await;
    assert!(
        hints.contains(&"changed outside: \"10\" -> \"20\"".to_owned()),
        "{hints:?}"
    );
    module.client.shut_down().await;
}
