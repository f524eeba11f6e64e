//! A client that sends whatever: messages of a sequence that makes sense and such that make none, and what a server has
//! to keep to all the same.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, SimplexStream, WriteHalf,
};
use tokio::runtime::Runtime;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::bytes::Bytes;

/// Far more than any message takes.
const PATIENCE: Duration = Duration::from_secs(20);

/// What every answer comes within, whatever the texts are: that an optimized build keeps on a machine that does nothing
/// else. `PLANLENS_FUZZ_LIMIT` has the target look, with another number of milliseconds if it is one.
static LIMIT: LazyLock<Option<Duration>> = LazyLock::new(|| {
    let limit = std::env::var("PLANLENS_FUZZ_LIMIT").ok()?;
    Some(Duration::from_millis(limit.parse().unwrap_or(2_000)))
});

/// One root module and another that it calls.
const DOCUMENTS: [&str; 4] = ["main.tf", "other.tf", "terraform.tfvars", "m/main.tf.json"];

const REQUESTS: [&str; 26] = [
    "textDocument/hover",
    "textDocument/completion",
    "completionItem/resolve",
    "textDocument/signatureHelp",
    "textDocument/definition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/linkedEditingRange",
    "textDocument/documentSymbol",
    "workspace/symbol",
    "textDocument/foldingRange",
    "textDocument/selectionRange",
    "textDocument/documentLink",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/full/delta",
    "textDocument/semanticTokens/range",
    "workspace/textDocumentContent",
    "planlens/plan",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "textDocument/onTypeFormatting",
    "textDocument/inlayHint",
    "textDocument/codeAction",
    "textDocument/codeLens",
    "textDocument/prepareRename",
    "textDocument/rename",
];

/// What follows from the text of a document alone.
const OF_THE_TEXT: [&str; 3] = [
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/formatting",
];

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .thread_stack_size(16 << 20)
        .build()
        .expect("threads")
});

/// Panics of any thread, also those that the server catches.
static PANICS: AtomicUsize = AtomicUsize::new(0);
static COUNT_PANICS: LazyLock<()> = LazyLock::new(|| {
    let shown = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        PANICS.fetch_add(1, Ordering::SeqCst);
        shown(panic);
    }));
});

/// No sequence of messages ends the server before its time, makes it panic or wait for ever; each request has one
/// answer, and the texts are those that the client has.
pub fn session(data: &[u8]) {
    LazyLock::force(&COUNT_PANICS);
    let before = PANICS.load(Ordering::SeqCst);
    RUNTIME.block_on(async {
        let mut client = Client::connect();
        client.play(&mut Bytes(data)).await;
        if client.is_running {
            client.compare().await;
        }
        client.leave().await;
    });
    assert_eq!(PANICS.load(Ordering::SeqCst), before, "something panicked");
}

struct Client {
    to_server: WriteHalf<SimplexStream>,
    /// Its messages, with the times of their arrival.
    from_server: mpsc::UnboundedReceiver<(Instant, Value)>,
    server: JoinHandle<anyhow::Result<()>>,
    /// The unit of positions.
    encoding: &'static str,
    /// Initialized, and neither shut down nor left.
    is_running: bool,
    has_left: bool,
    /// The open documents; none where a message was sent that leaves open what the text is.
    texts: BTreeMap<&'static str, Option<String>>,
    version: i64,
    /// The requests so far, with their answers.
    answers: Vec<Option<Value>>,
    asked: Vec<Instant>,
}

impl Client {
    fn connect() -> Client {
        let (input, to_server) = tokio::io::simplex(1 << 24);
        let (from_server, output) = tokio::io::simplex(1 << 24);
        let (sender, messages) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            let mut from_server = BufReader::new(from_server);
            while let Some(message) = read(&mut from_server).await {
                let _ = sender.send((Instant::now(), message));
            }
        });
        let planner = EnginePlanner::new(PlannerConfig {
            variables: Default::default(),
            cache_dir: None,
            now: || "2026-01-01T00:00:00Z".to_owned(),
        });
        let options = Options {
            planner: Arc::new(planner),
            ..Options::default()
        };
        Client {
            to_server,
            from_server: messages,
            server: tokio::spawn(lsp::serve_on(input, output, options)),
            encoding: "utf-16",
            is_running: false,
            has_left: false,
            texts: BTreeMap::new(),
            version: 0,
            answers: Vec::new(),
            asked: Vec::new(),
        }
    }

    async fn play(&mut self, bytes: &mut Bytes<'_>) {
        // Hardly a sequence gets far that doesn't begin as the protocol asks.
        if !bytes.next().is_multiple_of(16) {
            self.encoding = *bytes.pick(&["utf-8", "utf-16", "utf-32"]);
            self.initialize().await;
            self.notify("initialized", json!({})).await;
            self.is_running = true;
        }
        while !bytes.is_empty() && !self.has_left {
            self.step(bytes).await;
        }
    }

    async fn initialize(&mut self) {
        let capabilities = json!({
            "general": { "positionEncodings": [self.encoding] },
            "workspace": { "inlayHint": { "refreshSupport": true }, "configuration": true },
            "textDocument": { "documentSymbol": { "hierarchicalDocumentSymbolSupport": true } },
        });
        let params = json!({
            "processId": null,
            "rootUri": "file:///planlens-fuzz",
            "capabilities": capabilities,
            "initializationOptions": { "trust": "never" },
        });
        self.request("initialize", params).await;
    }

    async fn step(&mut self, bytes: &mut Bytes<'_>) {
        let name = *bytes.pick(&DOCUMENTS);
        match bytes.next() % 24 {
            0..=2 => {
                let text = bytes.text();
                self.open("one", name, &text).await;
                if self.is_running {
                    self.texts.insert(name, Some(text));
                }
            }
            3..=8 => self.edit(name, bytes).await,
            9 => {
                let text = bytes.text();
                self.change(name, json!([{ "text": text }])).await;
                self.set(name, Some(text));
            }
            10 => {
                let change = json!({ "range": bytes.odd_range(), "text": bytes.text() });
                self.change(name, json!([change, bytes.odd()])).await;
                self.set(name, None);
            }
            11 => {
                let document = json!({ "uri": uri("one", name) });
                self.notify("textDocument/didClose", json!({ "textDocument": document }))
                    .await;
                self.texts.remove(name);
            }
            12 => {
                let text = self.texts.get(name).cloned().flatten();
                let document = json!({ "uri": uri("one", name) });
                let params = json!({ "textDocument": document, "text": text });
                self.notify("textDocument/didSave", params).await;
            }
            13..=18 => {
                let method = *bytes.pick(&REQUESTS);
                let params = bytes.params(&uri("one", name));
                self.request(method, params).await;
            }
            19 => {
                let id = bytes.next();
                self.notify("$/cancelRequest", json!({ "id": id })).await;
            }
            20 => {
                let id = bytes.next() % 8;
                let answer = json!({ "jsonrpc": "2.0", "id": id, "result": bytes.odd() });
                self.send(&answer).await;
            }
            21 => {
                let method = *bytes.pick(&[
                    "workspace/didChangeConfiguration",
                    "workspace/didChangeWatchedFiles",
                    "workspace/didChangeWorkspaceFolders",
                    "textDocument/didOpen",
                    "textDocument/didSave",
                    "initialized",
                    "$/no/such",
                ]);
                let params = bytes.odd();
                self.notify(method, params).await;
            }
            22 => self.send_raw(bytes.raw()).await,
            _ => match bytes.next() % 8 {
                0 => {
                    self.request("shutdown", Value::Null).await;
                    self.is_running = false;
                }
                1 => {
                    self.notify("exit", Value::Null).await;
                    self.has_left = true;
                    self.is_running = false;
                }
                2 => self.initialize().await,
                _ => {
                    let params = bytes.odd();
                    self.request("workspace/executeCommand", params).await;
                }
            },
        }
    }

    /// Replaces a part of a document.
    async fn edit(&mut self, name: &'static str, bytes: &mut Bytes<'_>) {
        let Some(Some(text)) = self.texts.get(name).cloned() else {
            // Of a document that isn't open.
            let change = json!({ "range": bytes.odd_range(), "text": bytes.text() });
            self.change(name, json!([change])).await;
            return self.set(name, None);
        };
        let (a, b) = (bytes.offset(&text), bytes.offset(&text));
        let (start, end) = (a.min(b), a.max(b));
        let new = bytes.text();
        let range = json!({
            "start": self.position(&text, start),
            "end": self.position(&text, end),
        });
        self.change(name, json!([{ "range": range, "text": new }]))
            .await;
        let edited = format!("{}{new}{}", &text[..start], &text[end..]);
        self.set(name, Some(edited));
    }

    /// Lines end with `\n`, `\r\n` or `\r`.
    fn position(&self, text: &str, offset: usize) -> Value {
        let before = &text[..offset];
        let line = before.replace("\r\n", "\n").matches(['\n', '\r']).count();
        let begin = before.rfind(['\n', '\r']).map_or(0, |at| at + 1);
        let in_line = &before[begin..];
        let character = match self.encoding {
            "utf-8" => in_line.len(),
            "utf-16" => in_line.encode_utf16().count(),
            _ => in_line.chars().count(),
        };
        json!({ "line": line, "character": character })
    }

    /// What an open document reads as from here on.
    fn set(&mut self, name: &'static str, text: Option<String>) {
        if let Some(known) = self.texts.get_mut(name).filter(|_| self.is_running) {
            *known = text;
        }
    }

    /// Opens the same texts in another folder: what follows from them is the same.
    async fn compare(&mut self) {
        let texts = std::mem::take(&mut self.texts);
        let texts = texts
            .into_iter()
            .filter_map(|(name, text)| Some((name, text?)));
        for (name, text) in texts {
            self.open("two", name, &text).await;
            for method in OF_THE_TEXT {
                let mut answers = Vec::new();
                for folder in ["one", "two"] {
                    let params = json!({
                        "textDocument": { "uri": uri(folder, name) },
                        "options": { "tabSize": 2, "insertSpaces": true },
                    });
                    let id = self.request(method, params).await;
                    let mut answer = self.answer(id).await;
                    drop_details(&mut answer["result"]);
                    answers.push(answer);
                }
                let [edited, opened] = &answers[..] else {
                    continue;
                };
                assert_eq!(edited["result"], opened["result"], "{method} of {text:?}");
            }
        }
    }

    /// Ends the server, and counts the answers.
    async fn leave(mut self) {
        if !self.has_left {
            self.request("shutdown", Value::Null).await;
            self.notify("exit", Value::Null).await;
        }
        while let Some((arrived, message)) = self.next().await {
            self.take(arrived, &message);
        }
        let ended = tokio::time::timeout(PATIENCE, self.server).await;
        // Whether it left in order is another question.
        let _ = ended.expect("the server ends").expect("without a panic");
        let unanswered = self.answers.iter().position(Option::is_none);
        // After `exit` nothing has to be answered any more.
        assert!(
            self.has_left || unanswered.is_none(),
            "{unanswered:?} has no answer"
        );
    }

    async fn open(&mut self, folder: &str, name: &str, text: &str) {
        let document = json!({ "uri": uri(folder, name), "languageId": "terraform", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    async fn change(&mut self, name: &str, changes: Value) {
        self.version += 1;
        // Versions that go back, now and then.
        let document = json!({ "uri": uri("one", name), "version": self.version % 7 });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params).await;
    }

    async fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    async fn request(&mut self, method: &str, params: Value) -> usize {
        let id = self.answers.len();
        self.answers.push(None);
        self.asked.push(Instant::now());
        let id_text = format!("r{id}");
        self.send(&json!({ "jsonrpc": "2.0", "id": id_text, "method": method, "params": params }))
            .await;
        id
    }

    async fn answer(&mut self, id: usize) -> Value {
        while self.answers[id].is_none() {
            let (arrived, message) = self.next().await.expect("the server lives");
            self.take(arrived, &message);
        }
        self.answers[id].clone().unwrap_or_default()
    }

    /// Keeps a message of the server, if it is an answer to a request of ours.
    fn take(&mut self, arrived: Instant, message: &Value) {
        let id = message["id"].as_str().and_then(|id| id.strip_prefix('r'));
        let id = id.and_then(|id| id.parse::<usize>().ok());
        if let Some((id, limit)) = id.zip(*LIMIT) {
            let took = arrived.duration_since(self.asked[id]);
            assert!(took <= limit, "an answer after {took:?}: {message}");
        }
        if let Some(answer) = id.and_then(|id| self.answers.get_mut(id)) {
            assert!(answer.is_none(), "a second answer: {message}");
            assert_ne!(message["error"]["code"], -32603, "{message}");
            *answer = Some(message.clone());
        }
    }

    async fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_raw(body.as_bytes()).await;
    }

    async fn send_raw(&mut self, body: &[u8]) {
        let header = format!("Content-Length: {}\r\n\r\n", body.len());
        // The server may have left.
        let _ = self.to_server.write_all(header.as_bytes()).await;
        let _ = self.to_server.write_all(body).await;
    }

    /// The next message, or none at the end.
    async fn next(&mut self) -> Option<(Instant, Value)> {
        let next = tokio::time::timeout(PATIENCE, self.from_server.recv()).await;
        next.expect("the server speaks or ends")
    }
}

async fn read(from: &mut BufReader<ReadHalf<SimplexStream>>) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).await.ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(value) => length = value.parse().expect("a length"),
            None if line.trim().is_empty() => break,
            None => {}
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).await.ok()?;
    Some(serde_json::from_slice(&body).expect("a message is JSON"))
}

fn uri(folder: &str, name: &str) -> String {
    format!("file:///planlens-fuzz/{folder}/{name}")
}

/// Without the actions that an outline names: they are those of the plan, which one folder may have and the other not yet.
fn drop_details(outline: &mut Value) {
    for symbol in outline.as_array_mut().into_iter().flatten() {
        if let Some(symbol) = symbol.as_object_mut() {
            symbol.remove("detail");
            symbol
                .get_mut("children")
                .into_iter()
                .for_each(drop_details);
        }
    }
}
