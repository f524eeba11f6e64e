//! The least of an editor: one open document, and what the server says about it.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use serde_json::{Value, json};

/// Far more than an answer takes; it ends a test that would wait for ever.
const LIMIT: Duration = Duration::from_secs(60);

pub struct Editor {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    pub uri: String,
    pub text: String,
    /// Every message of the server so far.
    pub said: Vec<Value>,
    version: i64,
    requests: i64,
}

impl Editor {
    /// Opens `main.tf` of a module. The server's log goes to a file, with everything in it.
    pub fn start(module: &Path, environment: &[(&str, PathBuf)], log: &Path) -> Editor {
        Editor::start_logging("trace", module, environment, log)
    }

    /// As [`Editor::start`], with a log of this level.
    pub fn start_logging(
        level: &str,
        module: &Path,
        environment: &[(&str, PathBuf)],
        log: &Path,
    ) -> Editor {
        let mut server = super::planlens(module)
            .arg("lsp")
            .envs(environment.iter().cloned())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(File::create(log).unwrap())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let file = module.join("main.tf");
        let text = fs::read_to_string(&file).unwrap();
        let uri = format!("file://{}", file.display());
        let mut editor = Editor {
            server,
            input,
            messages,
            uri,
            text,
            said: Vec::new(),
            version: 1,
            requests: 0,
        };
        let capabilities = json!({
            "workspace": { "inlayHint": { "refreshSupport": true } },
            "textDocument": { "inlayHint": {} },
        });
        let root = format!("file://{}", module.display());
        let id = editor.request(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "module" }],
                "capabilities": capabilities,
                "initializationOptions": { "trust": "always", "log": { "level": level } },
            }),
        );
        editor.answer(id);
        editor.notify("initialized", json!({}));
        let document = json!({ "uri": editor.uri, "languageId": "terraform", "version": 1, "text": editor.text });
        editor.notify("textDocument/didOpen", json!({ "textDocument": document }));
        editor
    }

    /// The most memory that the server itself has held, in bytes.
    pub fn peak_memory(&self) -> Option<u64> {
        // The child is `timeout`, which has one child, the server.
        let timeout = self.server.id();
        let children = format!("/proc/{timeout}/task/{timeout}/children");
        let server = fs::read_to_string(children).ok()?;
        let status = fs::read_to_string(format!("/proc/{}/status", server.trim())).ok()?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix("VmHWM:"))?;
        let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kib * 1024)
    }

    /// Replaces the string on a line.
    pub fn type_name(&mut self, line: usize, name: &str) {
        let old = self.text.lines().nth(line).unwrap().to_owned();
        let begin = old.find('"').unwrap() + 1;
        let end = old.rfind('"').unwrap();
        let new = format!("{}{name}{}", &old[..begin], &old[end..]);
        self.text = self.text.replacen(&old, &new, 1);
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let range = json!({
            "start": { "line": line, "character": begin },
            "end": { "line": line, "character": end },
        });
        let changes = json!([{ "range": range, "text": name }]);
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// Asks for the hints now and at each refresh, until the one of this line names the new value.
    pub fn wait_for_hint(&mut self, line: usize, name: &str) {
        loop {
            let range = json!({
                "start": { "line": line, "character": 0 },
                "end": { "line": line + 1, "character": 0 },
            });
            let document = json!({ "uri": self.uri });
            let id = self.request(
                "textDocument/inlayHint",
                json!({ "textDocument": document, "range": range }),
            );
            let (hints, mut is_stale) = self.answer(id);
            let shown = hints.to_string();
            if shown.contains("forces replacement") && shown.contains(name) {
                return;
            }
            while !is_stale {
                is_stale = self.next()["method"] == "workspace/inlayHint/refresh";
            }
        }
    }

    /// The result of a request, and whether the server wanted the hints to be asked for again meanwhile.
    pub fn answer(&mut self, id: i64) -> (Value, bool) {
        let (message, is_stale) = self.answering(id);
        assert!(message["error"].is_null(), "{message}");
        (message["result"].clone(), is_stale)
    }

    /// The result of a request that the server may not know.
    pub fn answer_or_error(&mut self, id: i64) -> Value {
        self.answering(id).0["result"].clone()
    }

    fn answering(&mut self, id: i64) -> (Value, bool) {
        let mut is_stale = false;
        loop {
            let message = self.next();
            is_stale |= message["method"] == "workspace/inlayHint/refresh";
            if message["method"].is_null() && message["id"] == id {
                return (message, is_stale);
            }
        }
    }

    /// The next message. Requests of the server are answered.
    pub fn next(&mut self) -> Value {
        let message = self
            .messages
            .recv_timeout(LIMIT)
            .expect("the server speaks");
        self.said.push(message.clone());
        if !message["method"].is_null() && !message["id"].is_null() {
            self.send(json!({ "jsonrpc": "2.0", "id": message["id"], "result": null }));
        }
        message
    }

    pub fn request(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        let id = self.requests;
        self.send(json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    fn send(&mut self, message: Value) {
        let body = message.to_string();
        write!(self.input, "Content-Length: {}\r\n\r\n{body}", body.len()).unwrap();
        self.input.flush().unwrap();
    }

    pub fn stop(mut self) {
        let id = self.request("shutdown", Value::Null);
        self.answer(id);
        self.notify("exit", Value::Null);
        assert!(self.server.wait().unwrap().success());
    }
}

fn read(from: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if from.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some((name, value)) if name.eq_ignore_ascii_case("content-length") => {
                length = value.parse().ok()?
            }
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    from.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}
