//! Documents stay as the editor has them, whatever it sends.

use serde_json::json;

use crate::client::{Client, URI, at, editors, range};

#[tokio::test(flavor = "multi_thread")]
async fn positions_count_the_units_that_the_client_chose() {
    let text = "# ö𝄞\nname = \"𝄞\" + word\n";
    for (capabilities, encoding, word) in [
        (editors::helix(), "utf-8", 16),
        (editors::vscode(), "utf-16", 14),
        (editors::eglot(), "utf-32", 13),
    ] {
        let mut client = Client::connect(Default::default());
        let answer = client.initialize(capabilities, json!({})).await;
        assert_eq!(answer["capabilities"]["positionEncoding"], encoding);
        client.notify("initialized", json!({})).await;
        client.open(text).await;
        let hover = client.ask("textDocument/hover", at(1, word)).await;
        assert_eq!(
            hover["range"],
            range((1, word), (1, word + 4)),
            "{encoding}"
        );

        let change = json!([{ "range": range((1, word + 1), (1, word + 3)), "text": "𝄞-" }]);
        client.change(1, change).await;
        assert_eq!(
            client.hover(1, word).await.trim_matches('`'),
            "w",
            "{encoding}"
        );
        client.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hovers_are_written_as_the_client_reads_them() {
    for (capabilities, kind) in [
        (editors::helix(), "markdown"),
        (editors::eglot(), "plaintext"),
        (json!({}), "plaintext"),
    ] {
        let mut client = Client::start(capabilities, json!({})).await;
        client.open("word").await;
        let hover = client.ask("textDocument/hover", at(0, 0)).await;
        assert_eq!(hover["contents"]["kind"], kind);
        client.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn ranges_outside_the_document_are_clamped() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("one two").await;
    let wild = json!([
        { "range": { "start": { "line": -3, "character": -1 }, "end": { "line": 0, "character": 3.7 } }, "text": "1" },
        { "range": { "start": { "line": 0, "character": 1e300 }, "end": { "line": 4_294_967_296u64, "character": 0 } }, "text": "-end" },
        { "range": { "start": { "line": 0, "character": 1 }, "end": { "line": 0, "character": 0 } }, "text": "first" },
    ]);
    client.change(1, wild).await;
    assert_eq!(client.hover(0, 0).await, "first");
    assert_eq!(client.hover(0, 7).await, "two-end");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unreadable_change_is_reported_and_the_next_save_mends_it() {
    let mut client = Client::start(editors::quiet(), json!({ "trust": "never" })).await;
    client.open("one").await;
    for changes in [
        json!([{ "range": "all", "text": "two" }]),
        json!([{}]),
        json!([7]),
    ] {
        client.change(1, changes).await;
    }
    let message = client.incoming("window/showMessage").await;
    assert!(
        message["params"]["message"]
            .as_str()
            .unwrap()
            .contains("main.tf"),
        "{message}"
    );
    assert_eq!(client.hover(0, 0).await, "one");
    assert!(!client.has("window/showMessage"), "reported once");

    let saved = json!({ "textDocument": { "uri": URI }, "text": "two" });
    client.notify("textDocument/didSave", saved).await;
    assert_eq!(client.hover(0, 0).await, "two");
    client.change(2, json!([{ "text": "three" }])).await;
    assert_eq!(client.hover(0, 0).await, "three");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notifications_about_unknown_documents_or_without_sense_change_nothing() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    let other = json!({ "uri": "file:///other.tf", "version": 1 });
    for (method, params) in [
        (
            "textDocument/didChange",
            json!({ "textDocument": other, "contentChanges": [] }),
        ),
        ("textDocument/didClose", json!({ "textDocument": other })),
        (
            "textDocument/didSave",
            json!({ "textDocument": other, "text": "x" }),
        ),
        ("textDocument/didChange", json!(null)),
        ("textDocument/didOpen", json!([1, 2])),
        (
            "workspace/didChangeWatchedFiles",
            json!({ "changes": [{ "uri": "?", "type": 9 }] }),
        ),
        ("workspace/didChangeConfiguration", json!(null)),
        ("$/setTrace", json!({ "value": "off" })),
        ("no/such", json!({})),
    ] {
        client.notify(method, params).await;
        assert_eq!(client.hover(0, 0).await, "word", "{method}");
    }
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_document_answers_nothing_and_may_be_opened_again() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("one").await;
    client
        .notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": URI } }),
        )
        .await;
    assert_eq!(client.hover(0, 0).await, "");
    client.open("two").await;
    assert_eq!(client.hover(0, 0).await, "two");
    client.shut_down().await;
}

/// What came last counts, whatever number it has.
#[tokio::test(flavor = "multi_thread")]
async fn versions_that_repeat_or_go_back_lose_no_text() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("one").await;
    for (version, text) in [(5, "two"), (5, "three"), (1, "four"), (-1, "five")] {
        client.change(version, json!([{ "text": text }])).await;
        assert_eq!(client.hover(0, 0).await, text, "version {version}");
    }
    // Opened twice.
    client.open("six").await;
    assert_eq!(client.hover(0, 0).await, "six");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deep_and_large_documents_are_served() {
    let mut client = Client::start(editors::quiet(), json!({ "trust": "never" })).await;
    for text in [
        "[".repeat(10_000),
        "{".repeat(10_000),
        "a {\n".repeat(1_000),
        "${".repeat(10_000),
    ] {
        client.open(&format!("word = 1\nx = {text}")).await;
        assert_eq!(client.hover(0, 0).await, "word");
        client.incoming("textDocument/publishDiagnostics").await;
    }
    let block = "resource \"a\" \"b\" {\n  name = \"some text of ordinary length\"\n}\n";
    client
        .open(&format!(
            "word = 1\n{}",
            block.repeat((2 << 20) / block.len())
        ))
        .await;
    assert_eq!(client.hover(0, 0).await, "word");
    client
        .change(
            1,
            json!([{ "range": range((0, 0), (0, 4)), "text": "other" }]),
        )
        .await;
    assert_eq!(client.hover(0, 0).await, "other");
    client.shut_down().await;
}
