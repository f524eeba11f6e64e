//! Code actions, and diagnostics that the client asks for.

use std::fs;
use std::sync::Arc;

use config::ProviderAddr;
use cty::{Path, Type, Value as Cty};
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use provider::Provider;
use provider::fake::{FakeProvider, FakeResource};
use schema::{Attribute, Block};
use serde_json::{Value, json};
use tempfile::TempDir;
use text::Severity;

use crate::client::{Client, editors, patient, range, with_engine};

const CONFIGURATION: &str =
    "output \"a\" {\n  value = \"${upper(loca.x)}\"\n}\n\nlocals {\n  x = \"a\"\n}\n";

struct Module {
    client: Client,
    dir: TempDir,
}

impl Module {
    async fn open(capabilities: Value, text: &str) -> Module {
        Module::open_with(capabilities, text, "never", with_engine()).await
    }

    async fn open_with(capabilities: Value, text: &str, trust: &str, options: Options) -> Module {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("main.tf"), text).unwrap();
        let client = Client::start_with(capabilities, json!({ "trust": trust }), options).await;
        let mut module = Module { client, dir };
        let uri = module.uri();
        module.client.open_as(&uri, text).await;
        // The plan is ready when the hints are.
        module
            .client
            .ask(
                "textDocument/inlayHint",
                json!({ "textDocument": { "uri": uri }, "range": range((0, 0), (9, 0)) }),
            )
            .await;
        module
    }

    fn uri(&self) -> String {
        format!("file://{}/main.tf", self.dir.path().display())
    }

    async fn actions(&mut self, line: u32, only: Option<&str>) -> Value {
        let mut context = json!({ "diagnostics": [] });
        if let Some(only) = only {
            context["only"] = json!([only]);
        }
        let params = json!({
            "textDocument": { "uri": self.uri() },
            "range": range((line, 0), (line, 100)),
            "context": context,
        });
        self.client.ask("textDocument/codeAction", params).await
    }
}

fn titles(actions: &Value) -> Vec<&str> {
    let actions = actions.as_array().unwrap().iter();
    actions
        .map(|action| action["title"].as_str().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fix_names_its_diagnostic_and_its_version() {
    let capabilities = editors::vscode();
    let text = "output \"x\" {\n  value = \"${path.module}\"\n}\n";
    let mut module = Module::open(capabilities, text).await;
    let actions = module.actions(1, None).await;
    assert_eq!(titles(&actions), ["Remove the quotes and `${}`"]);
    let action = &actions[0];
    assert_eq!(action["kind"], "quickfix");
    assert_eq!(action["isPreferred"], true);
    assert_eq!(action["diagnostics"][0]["code"], "interpolation-only");
    let change = &action["edit"]["documentChanges"][0];
    assert_eq!(
        change["textDocument"],
        json!({ "uri": module.uri(), "version": 0 })
    );
    assert_eq!(
        change["edits"],
        json!([
            { "range": range((1, 10), (1, 13)), "newText": "" },
            { "range": range((1, 24), (1, 26)), "newText": "" },
        ])
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_edit_of_all_fixes_is_made_when_it_is_chosen() {
    let mut capabilities = editors::vscode();
    capabilities["textDocument"]["codeAction"] =
        json!({ "dataSupport": true, "resolveSupport": { "properties": ["edit"] } });
    let text = "output \"x\" {\n  value = [\"${path.module}\", \"${path.root}\"]\n}\n";
    let mut module = Module::open(capabilities, text).await;
    assert_eq!(module.actions(1, Some("refactor")).await, json!([]));
    let actions = module.actions(1, Some("source.fixAll")).await;
    let action = actions[0].clone();
    assert_eq!(
        (&action["kind"], &action["edit"]),
        (&json!("source.fixAll.planlens"), &Value::Null)
    );
    let resolved = module.client.ask("codeAction/resolve", action).await;
    let edits = resolved["edit"]["documentChanges"][0]["edits"]
        .as_array()
        .unwrap();
    assert_eq!(edits.len(), 4);
    for odd in [json!([]), json!([1]), json!({ "data": 3 })] {
        let id = module.client.request("codeAction/resolve", odd).await;
        let answer = module.client.answer(id).await;
        assert_eq!(answer["error"]["code"], -32602, "{answer}");
    }
    let foreign = json!({ "title": "Not ours", "data": 3 });
    let resolved = module.client.ask("codeAction/resolve", foreign).await;
    assert_eq!(resolved, json!({ "title": "Not ours" }));
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_asks_for_diagnostics_gets_them_and_none_are_pushed() {
    let mut capabilities = editors::vscode();
    capabilities["textDocument"]["diagnostic"] = json!({ "dynamicRegistration": true });
    capabilities["workspace"]["diagnostics"] = json!({ "refreshSupport": true });
    let mut module = Module::open(capabilities, CONFIGURATION).await;
    let document = json!({ "uri": module.uri() });
    let ask = json!({ "textDocument": document });
    let report = module.client.ask("textDocument/diagnostic", ask).await;
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"][1]["code"], "undeclared-reference");
    let again = json!({ "textDocument": document, "previousResultId": report["resultId"] });
    let same = module
        .client
        .ask("textDocument/diagnostic", again.clone())
        .await;
    assert_eq!(same["kind"], "unchanged");
    // An edit: the answer waits for the checks of the new text.
    let change = json!({ "range": range((1, 19), (1, 23)), "text": "local" });
    let params = json!({ "textDocument": { "uri": module.uri(), "version": 2 }, "contentChanges": [change] });
    module.client.notify("textDocument/didChange", params).await;
    let report = module.client.ask("textDocument/diagnostic", again).await;
    let codes: Vec<&str> = report["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["interpolation-only"]);
    let closed = module
        .client
        .ask("workspace/diagnostic", json!({ "previousResultIds": [] }))
        .await;
    assert_eq!(closed, json!({ "items": [] }));
    assert!(!module.client.has("textDocument/publishDiagnostics"));
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn init_is_offered_and_runs_nothing_in_a_workspace_that_is_not_trusted() {
    let text = "resource \"random_pet\" \"a\" {\n}\n";
    let mut module = Module::open(editors::vscode(), text).await;
    let actions = module.actions(0, None).await;
    let title = "Run `terraform init`";
    let mut found = actions.as_array().unwrap().iter();
    let init = found.find(|it| it["title"] == title).expect(title).clone();
    assert_eq!(init["diagnostics"][0]["code"], "provider-not-installed");
    let params = json!({
        "command": init["command"]["command"],
        "arguments": init["command"]["arguments"],
    });
    module.client.ask("workspace/executeCommand", params).await;
    let message = module.client.incoming("window/showMessage").await;
    let expected = "planlens runs no programs in this workspace until you trust it";
    assert_eq!(message["params"]["message"], expected);
    module.client.shut_down().await;
}

/// What providers say that looks like one of our own messages.
const LIKE_OURS: [&str; 4] = [
    "Did you mean \"size\"?",
    "The argument \"size\" is required: string required.",
    "For example, use: data.x.size[count.index]",
    "This argument is deprecated: use size instead.",
];

#[tokio::test(flavor = "multi_thread")]
async fn texts_of_providers_lead_to_no_edit() {
    let block = Block {
        attributes: ["name", "size"]
            .map(|name| (name.into(), Attribute::new(Type::String).optional()))
            .into(),
        ..Block::default()
    };
    for (said, severity) in LIKE_OURS.into_iter().flat_map(|said| {
        let severities = [Severity::Error, Severity::Warning];
        severities.map(|severity| (said, severity))
    }) {
        let about_name = move |_: &Cty| {
            let name = Some(Path::new().attr("name"));
            vec![provider::said(severity, "Refused", said, name)]
        };
        let thing = FakeResource::new(block.clone()).validated_by(about_name);
        let fake: Arc<dyn Provider> =
            Arc::new(FakeProvider::new().with_resource("fake_thing", thing));
        let config = PlannerConfig {
            variables: Default::default(),
            cache_dir: None,
            now: || "2026-01-01T00:00:00Z".to_string(),
        };
        let given = [(ProviderAddr::implied("fake"), fake)].into();
        let options = Options {
            planner: Arc::new(EnginePlanner::with_providers(config, given)),
            ..patient()
        };
        let text = "terraform {\n  required_providers {\n    fake = { source = \"hashicorp/fake\" }\n  }\n}\n\n\
                    resource \"fake_thing\" \"a\" {\n  name = \"x\"\n}\n";
        let mut module = Module::open_with(editors::vscode(), text, "always", options).await;
        module.client.wait_for_plans().await;
        let document = json!({ "textDocument": { "uri": module.uri() } });
        let reported = module.client.ask("textDocument/diagnostic", document).await;
        assert!(reported.to_string().contains("Refused"), "{reported}");
        for line in [6, 7] {
            let actions = module.actions(line, Some("quickfix")).await;
            assert_eq!(titles(&actions), Vec::<&str>::new(), "{said}");
        }
        module.client.shut_down().await;
    }
}
