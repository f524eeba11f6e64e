//! An editor of few words: it sends what a test says, and keeps what it gets until the test asks for it.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use fixture::protocol::Protocol;
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, ReadHalf, SimplexStream, WriteHalf,
};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

/// How long a test waits for what must come. Reached only by a failing test.
const PATIENCE: Duration = Duration::from_secs(60);

pub const URI: &str = "file:///code/main.tf";

pub struct Client {
    to_server: Option<WriteHalf<SimplexStream>>,
    from_server: mpsc::UnboundedReceiver<Value>,
    kept: VecDeque<Value>,
    next_id: i64,
    protocol: Protocol,
    /// Every question of the server is answered with null, but for those the test wants to see.
    pub asks_test: Vec<&'static str>,
    /// The folder that the editor has open.
    pub folder: String,
    pub server: JoinHandle<anyhow::Result<()>>,
}

/// What some editors say about themselves, as far as the server looks at it.
pub mod editors {
    use serde_json::{Value, json};

    pub fn vscode() -> Value {
        json!({
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "showMessage": { "messageActionItem": {} }, "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "didChangeConfiguration": { "dynamicRegistration": true },
                "didChangeWatchedFiles": { "dynamicRegistration": true },
                "inlayHint": { "refreshSupport": true },
                "codeLens": { "refreshSupport": true },
                "workspaceEdit": {
                    "documentChanges": true,
                    "resourceOperations": ["create", "rename", "delete"],
                    "changeAnnotationSupport": { "groupsOnLabel": true },
                },
            },
            "textDocument": {
                "rename": { "prepareSupport": true },
                "hover": { "contentFormat": ["markdown", "plaintext"] },
                "completion": { "completionList": { "itemDefaults": ["commitCharacters", "editRange", "insertTextFormat", "data"] }, "completionItem": {
                    "snippetSupport": true,
                    "documentationFormat": ["markdown", "plaintext"],
                    "tagSupport": { "valueSet": [1] },
                    "resolveSupport": { "properties": ["documentation", "detail"] },
                } },
                "publishDiagnostics": {
                    "relatedInformation": true,
                    "tagSupport": { "valueSet": [1, 2] },
                    "codeDescriptionSupport": true,
                },
            },
        })
    }

    pub fn neovim_0_10() -> Value {
        json!({
            "general": { "positionEncodings": ["utf-16"] },
            "window": { "showMessage": { "messageActionItem": {} }, "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "didChangeConfiguration": { "dynamicRegistration": false },
                "didChangeWatchedFiles": { "dynamicRegistration": false },
                "inlayHint": { "refreshSupport": true },
            },
            "textDocument": {
                "hover": { "contentFormat": ["markdown", "plaintext"] },
                "publishDiagnostics": { "relatedInformation": true, "tagSupport": {} },
            },
        })
    }

    /// Helix 25.01: no refresh, no questions to the user.
    pub fn helix() -> Value {
        json!({
            "general": { "positionEncodings": ["utf-8", "utf-32", "utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "didChangeWatchedFiles": { "dynamicRegistration": true },
                "inlayHint": { "refreshSupport": false },
            },
            "textDocument": {
                "hover": { "contentFormat": ["markdown"] },
                "publishDiagnostics": { "versionSupport": true },
            },
        })
    }

    pub fn eglot() -> Value {
        json!({
            "general": { "positionEncodings": ["utf-32", "utf-8", "utf-16"] },
            "window": { "workDoneProgress": true },
            "workspace": {
                "configuration": true,
                "workspaceEdit": { "documentChanges": true },
            },
            "textDocument": { "hover": { "contentFormat": ["plaintext"] } },
        })
    }

    /// Can refresh, and nothing that leads to a question.
    pub fn quiet() -> Value {
        json!({ "workspace": {
            "inlayHint": { "refreshSupport": true },
            "codeLens": { "refreshSupport": true },
        } })
    }
}

/// Of a server whose answers wait for the plan as long as it takes.
pub fn patient() -> Options {
    let mut options = Options::default();
    options.hooks.is_patient = true;
    options
}

/// With the engine, on a machine of which nothing is known; patient.
pub fn with_engine() -> Options {
    with_environment([])
}

/// The same, with environment variables.
pub fn with_environment<const N: usize>(variables: [(String, String); N]) -> Options {
    let planner = EnginePlanner::new(PlannerConfig {
        variables: variables.into(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_string(),
    });
    Options {
        planner: Arc::new(planner),
        ..patient()
    }
}

impl Client {
    /// A server that nothing was said to.
    pub fn connect(mut options: Options) -> Client {
        options.hooks.hovers_on_words = true;
        let (input, to_server) = tokio::io::simplex(1 << 16);
        let (from_server, output) = tokio::io::simplex(1 << 16);
        let (messages, from_server_messages) = mpsc::unbounded_channel();
        tokio::spawn(read_all(from_server, messages));
        Client {
            to_server: Some(to_server),
            from_server: from_server_messages,
            kept: VecDeque::new(),
            next_id: 0,
            protocol: Protocol::default(),
            asks_test: Vec::new(),
            folder: "file:///nowhere/work".to_owned(),
            server: tokio::spawn(lsp::serve_on(input, output, options)),
        }
    }

    /// A server that is ready.
    pub async fn start(capabilities: Value, initialization_options: Value) -> Client {
        Client::start_with(capabilities, initialization_options, Options::default()).await
    }

    pub async fn start_with(
        capabilities: Value,
        initialization_options: Value,
        options: Options,
    ) -> Client {
        let mut client = Client::connect(options);
        client
            .initialize(capabilities, initialization_options)
            .await;
        client.notify("initialized", json!({})).await;
        client
    }

    /// Lenses tell the action of each block, unless the options say otherwise.
    pub async fn initialize(&mut self, capabilities: Value, mut options: Value) -> Value {
        if let Some(options) = options.as_object_mut()
            && !options.contains_key("actions")
        {
            let actions = json!({ "show": "all", "place": "lens" });
            options.insert("actions".to_owned(), actions);
        }
        let params = json!({
            "processId": null,
            "rootUri": self.folder,
            "capabilities": capabilities,
            "initializationOptions": options,
        });
        self.ask("initialize", params).await
    }

    pub async fn open(&mut self, text: &str) {
        self.open_as(URI, text).await;
    }

    pub async fn open_as(&mut self, uri: &str, text: &str) {
        let document = json!({ "uri": uri, "languageId": "terraform", "version": 0, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
    }

    pub async fn change(&mut self, version: i32, changes: Value) {
        let document = json!({ "uri": URI, "version": version });
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.notify("textDocument/didChange", params).await;
    }

    /// The text of the hover at a place, or an empty one.
    pub async fn hover(&mut self, line: u32, character: u32) -> String {
        let answer = self.ask("textDocument/hover", at(line, character)).await;
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_string()
    }

    pub async fn hints(&mut self) -> Vec<String> {
        let answer = self.ask("textDocument/inlayHint", everywhere()).await;
        labels(&answer)
    }

    /// Sends a request and waits for its result.
    pub async fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params).await;
        let answer = self.answer(id).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Sends a request; its answer is asked for by the id.
    /// Asks for the plans until all of them are of the texts as they stand.
    pub async fn wait_for_plans(&mut self) -> Value {
        loop {
            let plans = self.ask("planlens/plan", json!({})).await;
            let all = plans["plans"].as_array().unwrap();
            if !all.is_empty() && all.iter().all(|plan| plan["state"] == "fresh") {
                return plans;
            }
            tokio::task::yield_now().await;
        }
    }

    pub async fn request(&mut self, method: &str, params: Value) -> i64 {
        self.next_id += 1;
        let id = self.next_id;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))
            .await;
        id
    }

    pub async fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }))
            .await;
    }

    pub async fn cancel(&mut self, id: i64) {
        self.notify("$/cancelRequest", json!({ "id": id })).await;
    }

    pub async fn reply(&mut self, question: &Value, result: Value) {
        self.send(json!({ "jsonrpc": "2.0", "id": question["id"], "result": result }))
            .await;
    }

    pub async fn refuse(&mut self, question: &Value) {
        let error = json!({ "code": -32601, "message": "no such method" });
        self.send(json!({ "jsonrpc": "2.0", "id": question["id"], "error": error }))
            .await;
    }

    pub async fn send(&mut self, message: Value) {
        self.protocol.sent(&message);
        let body = message.to_string();
        self.send_raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
            .await;
    }

    pub async fn send_raw(&mut self, bytes: &[u8]) {
        self.to_server
            .as_mut()
            .expect("open")
            .write_all(bytes)
            .await
            .unwrap();
    }

    /// Closes the server's input.
    pub async fn close(&mut self) {
        self.to_server
            .take()
            .expect("open")
            .shutdown()
            .await
            .unwrap();
    }

    /// The whole answer to the request with this id.
    pub async fn answer(&mut self, id: i64) -> Value {
        self.wait_for(|message| message["id"] == id && message.get("method").is_none())
            .await
    }

    /// The same, of a request with any id.
    pub async fn answer_to(&mut self, id: &Value) -> Value {
        self.wait_for(|message| message["id"] == *id && message.get("method").is_none())
            .await
    }

    /// A question or notification of the server.
    pub async fn incoming(&mut self, method: &str) -> Value {
        self.incoming_of(&[method]).await
    }

    /// The next of several kinds of questions and notifications.
    pub async fn incoming_of(&mut self, methods: &[&str]) -> Value {
        let is_of = |method: &Value| method.as_str().is_some_and(|it| methods.contains(&it));
        self.wait_for(|message| is_of(&message["method"])).await
    }

    /// Whether something of this method has come so far, among all that was read.
    pub fn has(&self, method: &str) -> bool {
        self.kept.iter().any(|message| message["method"] == method)
    }

    pub fn has_answer(&self, id: i64) -> bool {
        self.kept
            .iter()
            .any(|message| message["id"] == id && message.get("method").is_none())
    }

    /// All that comes until the server ends, and all that was kept.
    pub async fn rest(&mut self) -> Vec<Value> {
        let mut all: Vec<Value> = self.kept.drain(..).collect();
        while let Ok(Some(message)) = tokio::time::timeout(PATIENCE, self.from_server.recv()).await
        {
            self.protocol.received(&message);
            all.push(message);
        }
        all
    }

    pub async fn shut_down(mut self) {
        self.ask("shutdown", Value::Null).await;
        self.notify("exit", Value::Null).await;
        self.ended().await.unwrap();
        self.rest().await;
    }

    /// How the server ended.
    pub async fn ended(&mut self) -> anyhow::Result<()> {
        tokio::time::timeout(PATIENCE, &mut self.server)
            .await
            .expect("the server ends")
            .unwrap()
    }

    async fn wait_for(&mut self, is_it: impl Fn(&Value) -> bool) -> Value {
        if let Some(at) = self.kept.iter().position(&is_it) {
            return self.kept.remove(at).unwrap();
        }
        loop {
            let message = tokio::time::timeout(PATIENCE, self.from_server.recv())
                .await
                .expect("a message comes in time")
                .expect("the server lives");
            self.protocol.received(&message);
            let method = message["method"].as_str().unwrap_or_default();
            let is_question = message.get("id").is_some() && !method.is_empty();
            if is_question && !self.asks_test.contains(&method) {
                self.reply(&message, Value::Null).await;
            }
            if is_it(&message) {
                return message;
            }
            self.kept.push_back(message);
        }
    }
}

/// What nobody waited for is looked at too.
impl Drop for Client {
    fn drop(&mut self) {
        while let Ok(message) = self.from_server.try_recv() {
            if !std::thread::panicking() {
                self.protocol.received(&message);
            }
        }
    }
}

pub fn at(line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": URI },
        "position": { "line": line, "character": character },
    })
}

pub fn everywhere() -> Value {
    json!({ "textDocument": { "uri": URI }, "range": range((0, 0), (1_000_000, 0)) })
}

pub fn range(start: (u32, u32), end: (u32, u32)) -> Value {
    let position = |(line, character)| json!({ "line": line, "character": character });
    json!({ "start": position(start), "end": position(end) })
}

pub fn labels(answer: &Value) -> Vec<String> {
    let hints = answer.as_array().into_iter().flatten();
    hints
        .map(|hint| hint["label"].as_str().unwrap().to_string())
        .collect()
}

async fn read_all(output: ReadHalf<SimplexStream>, messages: mpsc::UnboundedSender<Value>) {
    let mut output = BufReader::new(output);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if output.read_line(&mut line).await.unwrap_or(0) == 0 {
                return;
            }
            match line.trim().split_once(": ") {
                Some(("Content-Length", value)) => length = value.parse().unwrap(),
                _ if line.trim().is_empty() => break,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        output.read_exact(&mut body).await.unwrap();
        if messages
            .send(serde_json::from_slice(&body).unwrap())
            .is_err()
        {
            return;
        }
    }
}
