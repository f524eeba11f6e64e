//! What documents and settings contain never reaches the log, at any level.

#[path = "it/client.rs"]
#[allow(dead_code)]
mod client;

use std::io::Write;
use std::sync::{Arc, Mutex};

use client::{Client, URI, editors, range};
use ide::LogLevel;
use serde_json::{Value, json};
use tracing_subscriber::fmt;
use tracing_subscriber::prelude::*;

const MARKER: &str = "hunter2";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_are_not_logged() {
    let log = Log::default();
    let writer = log.clone();
    let layer = fmt::layer().with_writer(move || writer.clone());
    tracing_subscriber::registry()
        .with(lsp::log_filter(LogLevel::Trace))
        .with(layer)
        .init();

    let options = json!({ "trust": MARKER, "provider": { "maxInFlight": MARKER } });
    let mut client = Client::start(editors::vscode(), options).await;
    client.open(&format!("password = \"{MARKER}\"\n")).await;
    client.hover(0, 14).await;
    client
        .change(
            1,
            json!([{ "range": range((0, 0), (0, 0)), "text": MARKER }]),
        )
        .await;
    // Unreadable in each of the ways whose error would quote the text.
    client
        .change(2, json!([{ "range": MARKER, "text": MARKER }, MARKER]))
        .await;
    client
        .notify("textDocument/didChange", json!({ "textDocument": MARKER }))
        .await;
    client.notify("textDocument/didOpen", json!(MARKER)).await;
    let saved = json!({ "textDocument": { "uri": URI }, "text": format!("# {MARKER}") });
    client.notify("textDocument/didSave", saved).await;
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": { "trust": MARKER } }),
        )
        .await;
    let bad = client
        .request("textDocument/hover", json!({ "textDocument": MARKER }))
        .await;
    client.answer(bad).await;
    let body = format!("{{\"jsonrpc\":\"2.0\",\"method\":\"x\",\"params\":\"{MARKER}");
    client
        .send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
        .await;
    client.notify("no/such", json!({ "text": MARKER })).await;
    client.ask("shutdown", Value::Null).await;
    client.notify("exit", Value::Null).await;
    client.ended().await.unwrap();

    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    assert!(log.contains("initialize"), "something was logged");
    assert!(!log.contains(MARKER), "{log}");
}
