//! A client that does not read what the server sends.

use std::time::Duration;

use lsp::Options;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, SimplexStream, WriteHalf};
use tokio::task::JoinHandle;

use crate::client::{URI, at, editors, everywhere};

/// How long the server may take to end after its input.
const END: Duration = Duration::from_secs(5);

/// Far more than the server may keep for a client that reads nothing.
const MANY: usize = 5_000;

struct Silent {
    to_server: WriteHalf<SimplexStream>,
    from_server: DuplexStream,
    server: JoinHandle<anyhow::Result<()>>,
}

async fn start(capabilities: Value) -> Silent {
    let (input, to_server) = tokio::io::simplex(1 << 16);
    let (from_server, output) = tokio::io::duplex(1 << 10);
    let mut client = Silent {
        to_server,
        from_server,
        server: tokio::spawn(lsp::serve_on(input, output, Options::default())),
    };
    let params = json!({ "processId": null, "capabilities": capabilities });
    client
        .send(json!({ "id": 0, "method": "initialize", "params": params }))
        .await;
    client
        .send(json!({ "method": "initialized", "params": {} }))
        .await;
    let document = json!({ "uri": URI, "languageId": "terraform", "version": 0, "text": "" });
    let params = json!({ "textDocument": document });
    client
        .send(json!({ "method": "textDocument/didOpen", "params": params }))
        .await;
    client
}

impl Silent {
    async fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let body = message.to_string();
        let frame = format!("Content-Length: {}\r\n\r\n{body}", body.len());
        // Where the server has left, nobody takes it.
        let _ = self.to_server.write_all(frame.as_bytes()).await;
    }

    /// Each text has an error at another place.
    async fn edit(&mut self, version: usize) {
        let text = format!("{}bad = = 2\n", "\n".repeat(version % 100));
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.send(json!({ "method": "textDocument/didChange", "params": params }))
            .await;
        // As fast as nobody types, so that not all of them are one burst.
        tokio::task::yield_now().await;
    }

    /// Ends the input. All that was sent, once the server has ended.
    async fn end(mut self) -> String {
        self.to_server.shutdown().await.unwrap();
        let ended = tokio::time::timeout(END, self.server).await;
        ended.expect("the server ends").unwrap().unwrap();
        let mut sent = Vec::new();
        self.from_server.read_to_end(&mut sent).await.unwrap();
        String::from_utf8(sent).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_never_reads_makes_no_queue_grow() {
    let mut client = start(editors::vscode()).await;
    for version in 0..MANY {
        client.edit(version).await;
    }
    // Who reads at last gets what is wrong in the last text, and few of the others.
    let last = format!("\"version\":{}", MANY - 1);
    let reader = tokio::spawn(async move {
        let mut sent = String::new();
        let mut buffer = vec![0; 1 << 16];
        while !sent.contains(&last) {
            let read = client.from_server.read(&mut buffer).await.unwrap();
            sent.push_str(std::str::from_utf8(&buffer[..read]).unwrap());
        }
        sent
    });
    let sent = tokio::time::timeout(Duration::from_secs(60), reader).await;
    let sent = sent.expect("the last text is spoken of").unwrap();
    let messages = sent.matches("Content-Length").count();
    assert!(messages < 200, "{messages} messages");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_after_its_input_although_nobody_reads() {
    // Edits alone, and requests whose answers nobody takes.
    for asks in [false, true] {
        let mut client = start(editors::vscode()).await;
        for version in 0..MANY {
            client.edit(version).await;
            if asks {
                let hover = json!({ "id": 2 * version + 1, "method": "textDocument/hover", "params": at(0, 0) });
                client.send(hover).await;
                let hints = json!({ "id": 2 * version + 2, "method": "textDocument/inlayHint", "params": everywhere() });
                client.send(hints).await;
            }
        }
        let sent = client.end().await;
        assert!(sent.len() < 1 << 20, "{} bytes", sent.len());
    }
}
