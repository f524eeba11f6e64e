//! Configuration in JSON syntax in the editor, as `main.tf.json` whatever language its document says it is.

use std::fs;

use serde_json::{Value, json};

use crate::client::{Client, editors, labels, range, with_engine};

const CONFIGURATION: &str = r#"{
  "locals": {"name": "é\" one"},
  "resource": {
    "terraform_data": {
      "a": {
        "input": "\u00e9 ${local.name}",
        "triggers_replace": ["${local.name}"]
      },
      "b": {"input": "${terraform_data.a.id}"}
    }
  }
}
"#;

fn state() -> String {
    let typed = |value: Value, ty: Value| json!({ "value": value, "type": ty });
    let attributes = json!({
        "id": "id-a",
        "input": typed(json!("é é\" one"), json!("string")),
        "output": typed(json!("é é\" one"), json!("string")),
        "triggers_replace": typed(json!(["é\" one"]), json!(["tuple", ["string"]])),
    });
    let instance = json!({
        "mode": "managed",
        "type": "terraform_data",
        "name": "a",
        "provider": "provider[\"terraform.io/builtin/terraform\"]",
        "instances": [{ "schema_version": 0, "attributes": attributes }],
    });
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": [instance] })
    .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn configuration_in_json_syntax_is_planned_while_it_is_typed() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("main.tf.json"), CONFIGURATION).unwrap();
    fs::write(dir.path().join("terraform.tfstate"), state()).unwrap();
    let options = with_engine();
    let settings = json!({ "trust": "never" });
    let mut client = Client::start_with(editors::helix(), settings, options).await;
    let uri = format!("file://{}/main.tf.json", dir.path().display());
    let document = json!({ "uri": uri, "languageId": "json", "version": 0, "text": CONFIGURATION });
    client
        .notify("textDocument/didOpen", json!({ "textDocument": document }))
        .await;
    let whole = json!({ "textDocument": { "uri": uri }, "range": range((0, 0), (100, 0)) });
    let lenses = client.ask("textDocument/codeLens", whole.clone()).await;
    let lenses: Vec<(u64, String)> = lenses
        .as_array()
        .unwrap()
        .iter()
        .map(|lens| {
            let title = lens["command"]["title"].as_str().unwrap().to_owned();
            (lens["range"]["start"]["line"].as_u64().unwrap(), title)
        })
        .collect();
    assert_eq!(lenses.len(), 2, "{lenses:?}");
    assert!(
        lenses[0].0 == 4 && lenses[0].1.contains("no change"),
        "{lenses:?}"
    );
    assert!(
        lenses[1].0 == 8 && lenses[1].1.contains("create"),
        "{lenses:?}"
    );

    // The name becomes another one.
    let change = json!({ "range": range((1, 26), (1, 29)), "text": "two" });
    let edited =
        json!({ "textDocument": { "uri": uri, "version": 1 }, "contentChanges": [change] });
    client.notify("textDocument/didChange", edited).await;
    let hints = client.ask("textDocument/inlayHint", whole.clone()).await;
    let replaced = hints.as_array().unwrap().iter().find(|hint| {
        let label = hint["label"].to_string();
        label.contains("forces replacement")
    });
    let replaced = replaced.unwrap_or_else(|| panic!("{:?}", labels(&hints)));
    assert_eq!(replaced["position"]["line"], 6, "{replaced}");
    let hover =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 5, "character": 30 } });
    let hover = client.ask("textDocument/hover", hover).await;
    assert!(hover["contents"].to_string().contains("two"), "{hover}");
    // `local.name`, behind an escape of six characters.
    assert_eq!(hover["range"], range((5, 27), (5, 37)), "{hover}");
    let completion =
        json!({ "textDocument": { "uri": uri }, "position": { "line": 4, "character": 0 } });
    let completion = client.ask("textDocument/completion", completion).await;
    assert!(
        completion["items"]
            .as_array()
            .or(completion.as_array())
            .is_none_or(Vec::is_empty),
        "{completion}"
    );

    // A property is half typed: its mistake is reported there, and the others are planned.
    let change = json!({ "range": range((8, 12), (8, 21)), "text": "\"inp" });
    let edited =
        json!({ "textDocument": { "uri": uri, "version": 2 }, "contentChanges": [change] });
    client.notify("textDocument/didChange", edited).await;
    let hints = labels(&client.ask("textDocument/inlayHint", whole).await);
    assert!(
        hints.iter().any(|hint| hint.contains("forces replacement")),
        "{hints:?}"
    );
    loop {
        let published = client.incoming("textDocument/publishDiagnostics").await;
        let diagnostics = published["params"]["diagnostics"].as_array().unwrap();
        let mut errors = diagnostics.iter().filter(|it| it["severity"] == 1);
        if errors.any(|error| error["range"]["start"]["line"] == 8) {
            break;
        }
    }
    client.shut_down().await;
}
