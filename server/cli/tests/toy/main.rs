//! An engine that is no part of the product goes all the way, without a line of Terraform: what it says of its lines is
//! shown, and another engine plans beside it.

#[path = "../../../lsp/tests/it/client.rs"]
#[allow(dead_code, reason = "it is shared with the tests of the server")]
mod client;
mod engine;
mod language;

use std::collections::BTreeMap;
use std::sync::Arc;

// Of the client.
use fixture as _;
use host::{EnginePlanner, PlannerConfig};
use ide::Planners;
use lsp::Options;
use serde_json::{Value, json};

use crate::client::{Client, editors, labels, patient, range};
use crate::engine::ToyEngine;

const TOY: &str = "file:///toys/box.toy";

const TEXT: &str = "\
doll = pretty
train = !fast
kite = blue
box_secret = !new
ball = ?
drum = ~
";

fn toy_engine() -> ToyEngine {
    let exists = [
        ("doll", "pretty"),
        ("train", "!slow"),
        ("kite", "red"),
        ("box_secret", "!old"),
        ("yoyo", "green"),
    ];
    let exists = exists.map(|(name, value)| (name.to_owned(), value.to_owned()));
    ToyEngine {
        exists: BTreeMap::from(exists),
        facts: Default::default(),
    }
}

/// A server that plans toys, and Terraform beside them.
async fn start() -> Client {
    let terraform = EnginePlanner::new(PlannerConfig {
        variables: Default::default(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_owned(),
    });
    let planners = Planners::new(vec![Arc::new(toy_engine()), Arc::new(terraform)]);
    let options = Options {
        planner: Arc::new(planners),
        ..patient()
    };
    Client::start_with(editors::vscode(), json!({ "trust": "never" }), options).await
}

fn document() -> Value {
    json!({ "textDocument": { "uri": TOY } })
}

fn at(line: u32, character: u32) -> Value {
    json!({ "textDocument": { "uri": TOY }, "position": { "line": line, "character": character } })
}

async fn hints(client: &mut Client) -> Vec<String> {
    let mut params = document();
    params["range"] = range((0, 0), (1000, 0));
    labels(&client.ask("textDocument/inlayHint", params).await)
}

async fn lenses(client: &mut Client) -> Vec<String> {
    let lenses = client.ask("textDocument/codeLens", document()).await;
    let title = |lens: &Value| {
        let line = &lens["range"]["start"]["line"];
        format!("{line}: {}", lens["command"]["title"].as_str().unwrap())
    };
    lenses.as_array().unwrap().iter().map(title).collect()
}

async fn change(client: &mut Client, version: i32, changes: Value) {
    let document = json!({ "uri": TOY, "version": version });
    let params = json!({ "textDocument": document, "contentChanges": changes });
    client.notify("textDocument/didChange", params).await;
}

/// What is published about the toys, once it holds `code`.
async fn diagnostics(client: &mut Client, code: &str) -> Vec<String> {
    loop {
        let published = client.incoming("textDocument/publishDiagnostics").await;
        let found = published["params"]["diagnostics"].as_array().unwrap();
        let is_toy = published["params"]["uri"] == TOY;
        if is_toy && found.iter().any(|it| it["code"] == code) {
            let line = |it: &Value| {
                let message = it["message"].as_str().unwrap();
                format!("{}: {message}", it["range"]["start"]["line"])
            };
            return found.iter().map(line).collect();
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn results_of_another_engine_are_shown_while_its_text_is_edited() {
    let mut client = start().await;
    client.open_as(TOY, TEXT).await;
    assert_eq!(
        hints(&mut client).await,
        [
            "⟳ forces replacement: !slow -> !fast",
            "⟳ forces replacement: (sensitive value)",
            "(known after apply)",
            "- destroy yoyo",
        ]
    );
    assert_eq!(
        lenses(&mut client).await,
        [
            "0: no change",
            "1: -/+ replace",
            "2: ~ update in place",
            "3: -/+ replace",
            "4: + create",
            "5: ? + create · nobody looks there",
        ]
    );
    assert_eq!(
        diagnostics(&mut client, "forces-replacement").await,
        [
            "1: train must be replaced: train !slow -> !fast",
            "3: box_secret must be replaced: box_secret changes (sensitive value)",
            "5: drum is a guess: nobody looks there",
            "5: yoyo will be destroyed, because it is not in the configuration",
        ]
    );
    // A line comes in front of the others: these keep what is said of them, and it gets its own.
    let line = json!([{ "range": range((0, 0), (0, 0)), "text": "yoyo = green\nnonsense\n" }]);
    change(&mut client, 1, line).await;
    assert_eq!(hints(&mut client).await.len(), 3);
    assert_eq!(
        lenses(&mut client).await[..2],
        ["0: no change", "2: no change"]
    );
    assert_eq!(
        diagnostics(&mut client, "syntax").await[..2],
        [
            "1: A line is name = value",
            "3: train must be replaced: train !slow -> !fast",
        ]
    );
    let hover = client.ask("textDocument/hover", at(3, 1)).await;
    let hover = hover["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("-/+ train = !fast"), "{hover}");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_features_of_hcl_answer_nothing_for_another_language() {
    let mut client = start().await;
    client.open_as(TOY, "resource = x\nvariable = {\n").await;
    let whole = || {
        let mut params = document();
        params["range"] = range((0, 0), (1, 5));
        params["context"] = json!({ "diagnostics": [] });
        params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
        params["positions"] = json!([{ "line": 0, "character": 2 }]);
        params
    };
    for (method, params) in [
        ("textDocument/documentSymbol", document()),
        ("textDocument/foldingRange", document()),
        ("textDocument/documentLink", document()),
        ("textDocument/formatting", whole()),
        ("textDocument/rangeFormatting", whole()),
        ("textDocument/codeAction", whole()),
        ("textDocument/completion", at(0, 0)),
        ("textDocument/signatureHelp", at(0, 3)),
        ("textDocument/definition", at(0, 3)),
        ("textDocument/documentHighlight", at(0, 3)),
        ("textDocument/linkedEditingRange", at(0, 3)),
    ] {
        let answer = client.ask(method, params).await;
        let items = answer.get("items").unwrap_or(&answer);
        let is_nothing = items.is_null() || items.as_array().is_some_and(Vec::is_empty);
        assert!(is_nothing, "{method}: {answer}");
    }
    let tokens = client
        .ask("textDocument/semanticTokens/full", document())
        .await;
    assert_eq!(tokens["data"], json!([]));
    client.ask("textDocument/selectionRange", whole()).await;
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_plan_view_shows_the_folders_of_all_engines() {
    let mut client = start().await;
    client.open_as(TOY, TEXT).await;
    client.open("locals {\n  a = 1 + 1\n}\n").await;
    let plans = loop {
        let plans = client.wait_for_plans().await;
        if plans["plans"].as_array().unwrap().len() == 2 {
            break plans;
        }
    };
    let [terraform, toys] = [&plans["plans"][0], &plans["plans"][1]];
    assert_eq!(terraform["folder"], "file:///code");
    assert_eq!(toys["folder"], "file:///toys");
    let counts = ["add", "change", "destroy", "replace", "guesses", "errors"];
    assert_eq!(
        counts.map(|name| toys[name].as_u64().unwrap()),
        [4, 1, 3, 2, 1, 0]
    );
    let changes = toys["changes"].as_array().unwrap().iter();
    let changes = changes.map(|it| {
        let line = &it["location"]["range"]["start"]["line"];
        format!("{} {line} {}", it["diff"].as_str().unwrap(), it["actions"])
    });
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [
            r#"-/+ train = !fast 1 ["delete","create"]"#,
            r#"~ kite = blue 2 ["update"]"#,
            r#"-/+ box_secret = (secret) 3 ["delete","create"]"#,
            r#"+ ball = ? 4 ["create"]"#,
            r#"+ drum = ~ 5 ["create"]"#,
            r#"- yoyo = green null ["delete"]"#,
        ]
    );
    let uri = json!({ "uri": "planlens-plan:/toys/toys.planlens-plan" });
    let document = client.ask("workspace/textDocumentContent", uri).await;
    let document = document["text"].as_str().unwrap().to_owned();
    assert!(
        document.starts_with("# toys · up to date with the text\n# a guess: drum:"),
        "{document}"
    );
    assert!(document.contains("\n~ kite = blue\n"), "{document}");
    // What one engine plans outlives the edits of what the other does.
    assert_eq!(client.hints().await, ["= 2"]);
    change(&mut client, 1, json!([{ "text": "doll = !new\n" }])).await;
    assert_eq!(
        hints(&mut client).await,
        [
            "⟳ forces replacement: pretty -> !new",
            "- destroy box_secret and 3 more"
        ]
    );
    assert_eq!(client.hints().await, ["= 2"]);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_comes_with_the_proof_of_the_engine_that_plans_the_file() {
    let mut client = start().await;
    client.open_as(TOY, TEXT).await;
    let prepared = client.ask("textDocument/prepareRename", at(2, 1)).await;
    assert_eq!(
        prepared,
        json!({ "range": range((2, 0), (2, 4)), "placeholder": "kite" })
    );
    for (line, new_name, label, is_risky, count) in [
        (
            2,
            "dragon",
            "Rename kite to dragon: no changes to infrastructure",
            false,
            2,
        ),
        (
            1,
            "rocket",
            "Rename train to rocket: 1 to add, 1 to destroy",
            true,
            1,
        ),
    ] {
        let mut params = at(line, 1);
        params["newName"] = json!(new_name);
        let edit = client.ask("textDocument/rename", params).await;
        let annotation = &edit["changeAnnotations"]["refactoring"];
        assert_eq!(annotation["label"], label);
        assert_eq!(annotation["needsConfirmation"], is_risky);
        let edits = edit["documentChanges"][0]["edits"].as_array().unwrap();
        assert_eq!(edits.len(), count, "{edit}");
        assert_eq!(edits[0]["newText"], new_name);
    }
    change(
        &mut client,
        1,
        json!([{ "text": "dragon = blue # was kite\n" }]),
    )
    .await;
    assert_eq!(
        lenses(&mut client).await,
        ["0: ~ update in place · moved from kite"]
    );
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_prints_the_plan_of_any_engine() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("box.toy"), "doll = pretty\nkite = blue\n").unwrap();
    std::fs::write(dir.path().join("main.tf"), "locals {}\n").unwrap();
    let planned = cli::plan_folder(&toy_engine(), dir.path()).await.unwrap();
    let (head, changes) = planned.text.split_once('\n').unwrap();
    assert!(head.ends_with(" · up to date with the text"), "{head}");
    assert_eq!(
        changes,
        "\n~ kite = blue\n\n- box_secret = (secret)\n\n- train = !slow\n\n- yoyo = green\n"
    );
    assert_eq!((planned.counts.change, planned.counts.destroy), (1, 3));
    assert_eq!(planned.errors, 0);
    std::fs::write(dir.path().join("box.toy"), "nonsense\n").unwrap();
    let planned = cli::plan_folder(&toy_engine(), dir.path()).await.unwrap();
    assert_eq!(planned.errors, 1);
    let nothing = tempfile::tempdir().unwrap();
    assert!(
        cli::plan_folder(&toy_engine(), nothing.path())
            .await
            .is_err()
    );
}
