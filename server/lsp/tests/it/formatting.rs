//! Formatting: as `terraform fmt`, in edits of what changes alone.

use serde_json::{Value, json};

use crate::client::{Client, URI, at, editors, range};

async fn formatted(client: &mut Client, method: &str, extra: Value) -> Value {
    let mut params = json!({
        "textDocument": { "uri": URI },
        "options": { "tabSize": 8, "insertSpaces": false },
    });
    for (key, value) in extra.as_object().unwrap() {
        params[key] = value.clone();
    }
    client.ask(method, params).await
}

fn edit(start: (u32, u32), end: (u32, u32), text: &str) -> Value {
    json!({ "range": range(start, end), "newText": text })
}

async fn opened(text: &str, options: Value) -> Client {
    let mut client = Client::start(editors::vscode(), options).await;
    client.open(text).await;
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_formatted_where_it_differs() {
    let text = "a \"𝄞\"   {\n  b = 1\n  ccc=2\n}\n";
    let mut client = opened(text, json!({})).await;
    let edits = formatted(&mut client, "textDocument/formatting", json!({})).await;
    let expected = json!([
        edit((0, 7), (0, 9), ""),
        edit((1, 4), (1, 4), "  "),
        edit((2, 5), (2, 5), " "),
        edit((2, 6), (2, 6), " "),
    ]);
    assert_eq!(edits, expected);

    client.change(1, json!([{ "text": "a {\n" }])).await;
    let edits = formatted(&mut client, "textDocument/formatting", json!({})).await;
    assert_eq!(edits, Value::Null);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_range_is_formatted_by_itself() {
    let text = "a = \n\nb   {\n  c=1\n}\n";
    let mut client = opened(text, json!({})).await;
    let extra = json!({ "range": range((3, 0), (3, 1)) });
    let edits = formatted(&mut client, "textDocument/rangeFormatting", extra).await;
    let expected = json!([edit((3, 3), (3, 3), " "), edit((3, 4), (3, 4), " ")]);
    assert_eq!(edits, expected);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn typed_lines_are_indented() {
    let mut client = opened("a {\n  b {\n\n  }\n      }\n", json!({})).await;
    let typed = |line: u32, character: u32, ch: &str| {
        let mut params = at(line, character);
        params["ch"] = json!(ch);
        params
    };
    let edits = formatted(
        &mut client,
        "textDocument/onTypeFormatting",
        typed(2, 0, "\n"),
    )
    .await;
    assert_eq!(edits, json!([edit((2, 0), (2, 0), "    ")]));
    let edits = formatted(
        &mut client,
        "textDocument/onTypeFormatting",
        typed(4, 7, "}"),
    )
    .await;
    assert_eq!(edits, json!([edit((4, 0), (4, 6), "")]));
    client
        .change(1, json!([{ "text": "a {\n  b = {\n    }" }]))
        .await;
    let edits = formatted(
        &mut client,
        "textDocument/onTypeFormatting",
        typed(2, 5, "}"),
    )
    .await;
    assert_eq!(edits, json!([edit((2, 0), (2, 4), "  ")]));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn formatting_can_be_switched_off() {
    let mut client = opened("a=1\n", json!({ "enable": { "formatting": false } })).await;
    let edits = formatted(&mut client, "textDocument/formatting", json!({})).await;
    assert_eq!(edits, Value::Null);
    client.shut_down().await;
}
