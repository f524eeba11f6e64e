//! From initialize to exit, and what must not end the server in between.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use lsp::{Hooks, Options};
use serde_json::{Value, json};

use crate::client::{Client, URI, at, editors, everywhere};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_request_must_be_initialize() {
    let mut client = Client::connect(Options::default());
    let early = client.request("textDocument/hover", at(0, 0)).await;
    assert_eq!(client.answer(early).await["error"]["code"], -32002);
    let answer = client.initialize(editors::vscode(), json!({})).await;
    assert_eq!(answer["serverInfo"]["name"], "planlens");
    let twice = client
        .request("initialize", json!({ "capabilities": {} }))
        .await;
    assert_eq!(client.answer(twice).await["error"]["code"], -32600);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_sent_before_the_client_is_ready() {
    let mut client = Client::connect(Options::default());
    client
        .initialize(editors::vscode(), json!({ "nonsense": 1 }))
        .await;
    let id = client.request("no/such", json!({})).await;
    client.answer(id).await;
    assert!(!client.has("window/showMessage") && !client.has("client/registerCapability"));
    client.notify("initialized", json!({})).await;
    client.incoming("window/showMessage").await;
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_ended_leaves_no_task_behind() {
    let alive = || {
        tokio::runtime::Handle::current()
            .metrics()
            .num_alive_tasks()
    };
    for _ in 0..3 {
        let mut client = Client::start(editors::quiet(), json!({})).await;
        client.open("locals {\n  a = 1\n}\n").await;
        client.hints().await;
        client.shut_down().await;
    }
    let begin = Instant::now();
    while alive() > 0 && begin.elapsed() < Duration::from_secs(20) {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(alive(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn each_request_gets_exactly_one_answer() {
    let slow = Options {
        hooks: Hooks {
            before_request: Some(Arc::new(|_: &str| Box::pin(tokio::task::yield_now()))),
            ..Hooks::default()
        },
        ..Options::default()
    };
    let mut client = Client::start_with(editors::quiet(), json!({}), slow).await;
    client.open("word").await;
    let mut asked = Vec::new();
    for round in 0..300 {
        let (method, params) = match round % 6 {
            0 => ("textDocument/hover", at(0, 0)),
            1 => ("textDocument/inlayHint", everywhere()),
            2 => ("no/such", json!({})),
            3 => ("textDocument/hover", json!({ "position": "?" })),
            4 => ("workspace/executeCommand", json!({ "command": "no.such" })),
            _ => ("textDocument/codeLens", everywhere()),
        };
        let id = client.request(method, params).await;
        if round % 4 == 0 {
            client.cancel(id).await;
            client.cancel(id).await;
        }
        asked.push(id);
    }
    client.cancel(9_999_999).await;
    client
        .notify("$/cancelRequest", json!({ "id": { "no": "id" } }))
        .await;
    asked.push(client.request("shutdown", Value::Null).await);
    let late = client.request("textDocument/hover", at(0, 0)).await;
    assert_eq!(
        client.answer(late).await["error"]["code"],
        -32600,
        "after shutdown"
    );

    let mut answers: HashMap<i64, usize> = HashMap::new();
    for id in &asked {
        client.answer(*id).await;
        *answers.entry(*id).or_default() += 1;
    }
    client.notify("exit", Value::Null).await;
    client.ended().await.unwrap();
    let more = client
        .rest()
        .await
        .into_iter()
        .filter(|message| message.get("method").is_none());
    assert_eq!(more.count(), 0, "no second answers");
    assert!(answers.values().all(|count| *count == 1));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_id_that_is_used_twice_is_refused() {
    let stuck = Options {
        hooks: Hooks {
            before_request: Some(Arc::new(|_: &str| Box::pin(std::future::pending()))),
            ..Hooks::default()
        },
        ..Options::default()
    };
    let mut client = Client::start_with(editors::quiet(), json!({}), stuck).await;
    client.open("word").await;
    let message = |id: Value| json!({ "jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": at(0, 0) });
    client.send(message(json!(77))).await;
    client.send(message(json!(77))).await;
    assert_eq!(client.answer(77).await["error"]["code"], -32600);
    client.cancel(77).await;
    assert_eq!(client.answer(77).await["error"]["code"], -32800);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_and_odd_answers_of_the_client_end_nothing() {
    let mut client = Client::connect(Options::default());
    client.asks_test = vec!["workspace/configuration", "client/registerCapability"];
    client.initialize(editors::vscode(), json!({})).await;
    client.notify("initialized", json!({})).await;
    client.open("word").await;
    let question = client.incoming("client/registerCapability").await;
    client.refuse(&question).await;
    let question = client.incoming("client/registerCapability").await;
    client
        .send(json!({ "jsonrpc": "2.0", "id": question["id"] }))
        .await;
    let question = client.incoming("workspace/configuration").await;
    client.refuse(&question).await;
    client.refuse(&question).await;
    client
        .reply(&json!({ "id": 4711 }), json!("nobody asked"))
        .await;
    assert_eq!(client.hover(0, 0).await, "`word`");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_none_end_nothing() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    for garbage in [
        frame("{]"),
        frame("[]"),
        frame("7"),
        frame(r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#),
        frame(r#"{"jsonrpc":"2.0","id":1.5,"method":"x"}"#),
        frame(r#"{"jsonrpc":"2.0","id":[],"method":"x"}"#),
        frame(""),
        "Content-Length: many\r\n\r\n".to_string(),
        "Content-Length: 99999999999999\r\n\r\n".to_string(),
        "no header at all\r\n\r\n".to_string(),
    ] {
        client.send_raw(garbage.as_bytes()).await;
        assert_eq!(client.hover(0, 0).await, "word", "{garbage}");
    }
    client.send_raw(b"Content-Length: 2\r\n\r\n\xff\xfe").await;
    assert_eq!(client.hover(0, 0).await, "word");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_the_input_is_an_orderly_end_after_all_answers() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    let id = client.request("textDocument/hover", at(0, 0)).await;
    client.close().await;
    assert_eq!(
        client.answer(id).await["result"]["contents"]["value"],
        "word"
    );
    client.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_exit_without_shutdown_is_an_error() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.notify("exit", Value::Null).await;
    assert!(client.ended().await.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_shutdown_nothing_but_exit_is_done() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    client.ask("shutdown", Value::Null).await;
    for method in ["shutdown", "textDocument/hover", "initialize"] {
        let id = client.request(method, at(0, 0)).await;
        assert_eq!(client.answer(id).await["error"]["code"], -32600, "{method}");
    }
    client.change(1, json!([{ "text": "other" }])).await;
    client.notify("exit", Value::Null).await;
    client.ended().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_panic_is_an_error_to_the_request_that_it_is_in() {
    let broken = |method: &str| -> futures_util::future::BoxFuture<'static, ()> {
        match method {
            // In the main loop, and elsewhere.
            "textDocument/hover" => panic!("a test's"),
            "textDocument/codeLens" => Box::pin(async { panic!("a test's") }),
            _ => Box::pin(async {}),
        }
    };
    let options = Options {
        hooks: Hooks {
            before_request: Some(Arc::new(broken)),
            ..Hooks::default()
        },
        ..Options::default()
    };
    let mut client = Client::start_with(editors::quiet(), json!({}), options).await;
    client.open("word").await;
    for method in ["textDocument/hover", "textDocument/codeLens"] {
        let id = client.request(method, at(0, 0)).await;
        assert_eq!(client.answer(id).await["error"]["code"], -32603, "{method}");
    }
    client.change(1, json!([{ "text": "locals {}" }])).await;
    let symbols = client.ask("textDocument/documentSymbol", at(0, 0)).await;
    assert_eq!(symbols.as_array().unwrap().len(), 1);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_of_a_million_brackets_is_refused_and_the_server_goes_on() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    let frame = |body: &str| format!("Content-Length: {}\r\n\r\n{body}", body.len());
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for depth in [120, 127, 128, 200, 1_000_000] {
        for message in [
            format!(
                r#"{{"jsonrpc":"2.0","method":"textDocument/hover","params":{}}}"#,
                nested(depth)
            ),
            format!(r#"{{"jsonrpc":"2.0","id":1,"result":{}}}"#, nested(depth)),
        ] {
            client.send_raw(frame(&message).as_bytes()).await;
        }
        let id = format!("nested {depth}");
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":"{id}","method":"textDocument/hover","params":{}}}"#,
            nested(depth)
        );
        client.send_raw(frame(&request).as_bytes()).await;
        let answer = client.answer_to(&json!(id)).await;
        assert!(answer["error"]["code"].is_i64(), "{depth}: {answer}");
        assert_eq!(client.hover(0, 0).await, "word", "{depth}");
    }
    // Values take more memory than their text.
    let flat = format!("[{}0]", "0,".repeat(1_000_000));
    let request =
        format!(r#"{{"jsonrpc":"2.0","id":"flat","method":"textDocument/hover","params":{flat}}}"#);
    client.send_raw(frame(&request).as_bytes()).await;
    let answer = client.answer_to(&json!("flat")).await;
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    // Brackets in a string nest nothing.
    let text = format!("word # \\\" {}", "[".repeat(1_000));
    client.change(1, json!([{ "text": text }])).await;
    assert_eq!(client.hover(0, 0).await, "word");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_with_broken_texts_and_numbers_are_mended_or_refused() {
    let mut client = Client::start(editors::quiet(), json!({})).await;
    client.open("word").await;
    let frame = |body: &[u8]| {
        let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        frame.extend(body);
        frame
    };
    // Half an emoji, as an edit that splits one sends it, and bytes that are not UTF-8.
    for (version, text) in [
        (1, &br#"word # \ud83d \\ud83d"#[..]),
        (2, br"word # \ude00\ud83d"),
        (3, b"word # \xff \xf0\x9f"),
    ] {
        let uri = URI;
        let before = format!(
            r#"{{"jsonrpc":"2.0","method":"textDocument/didChange","params":{{"textDocument":{{"uri":"{uri}","version":{version}}},"contentChanges":[{{"text":""#
        );
        let change = [before.as_bytes(), text, br#""}]}}"#].concat();
        client.send_raw(&frame(&change)).await;
        assert_eq!(client.hover(0, 0).await, "word");
    }
    let numbers = format!("1{}", "0".repeat(400));
    for (id, params) in [(72, r#"{"query":1e999}"#), (73, numbers.as_str())] {
        let request = format!(
            r#"{{"jsonrpc":"2.0","id":{id},"method":"workspace/symbol","params":{params}}}"#
        );
        client.send_raw(&frame(request.as_bytes())).await;
        let answer = client.answer_to(&json!(id)).await;
        assert!(answer["error"]["code"].is_i64(), "{answer}");
        assert_eq!(client.hover(0, 0).await, "word");
    }
    client.shut_down().await;
}
