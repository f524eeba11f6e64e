//! The least of an editor: one open document, and what the server says about it.

use std::fs::{self, File};
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::client::Client;

pub struct Editor {
    client: Client,
    pub uri: String,
    pub text: String,
    version: i64,
}

impl Deref for Editor {
    type Target = Client;

    fn deref(&self) -> &Client {
        &self.client
    }
}

impl DerefMut for Editor {
    fn deref_mut(&mut self) -> &mut Client {
        &mut self.client
    }
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
        let client = Client::start(
            super::planlens(module)
                .arg("lsp")
                .envs(environment.iter().cloned())
                .stderr(File::create(log).unwrap()),
        );
        let file = module.join("main.tf");
        let text = fs::read_to_string(&file).unwrap();
        let uri = format!("file://{}", file.display());
        let mut editor = Editor {
            client,
            uri,
            text,
            version: 1,
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
        editor.client.open(&editor.uri, "terraform", &editor.text);
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

    pub fn stop(self) {
        self.client.stop();
    }
}
