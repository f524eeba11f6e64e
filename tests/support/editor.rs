//! The least of an editor: one open document, and what the server says about it.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::ops::{Deref, DerefMut, Range};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::client::{Client, LIMIT};

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
        let mut command = super::planlens(module);
        command
            .arg("lsp")
            .envs(environment.iter().cloned())
            .stderr(File::create(log).unwrap());
        Editor::launch(&mut command, level, module, module)
    }

    /// Starts a server on a folder and opens `main.tf` of a module in it.
    pub fn launch(command: &mut Command, level: &str, folder: &Path, module: &Path) -> Editor {
        Editor::launch_file(command, level, folder, &module.join("main.tf"), "terraform")
    }

    /// Starts a server on a folder and opens a file in it.
    pub fn launch_file(
        command: &mut Command,
        level: &str,
        folder: &Path,
        file: &Path,
        language: &str,
    ) -> Editor {
        let client = Client::start(command);
        let text = fs::read_to_string(file).unwrap();
        let uri = format!("file://{}", file.display());
        let mut editor = Editor {
            client,
            uri,
            text,
            version: 1,
        };
        let capabilities = json!({
            "workspace": { "inlayHint": { "refreshSupport": true } },
            "textDocument": {
                "inlayHint": {},
                // VS Code and Neovim ask for the documentation of the item that is chosen.
                "completion": { "completionItem": { "resolveSupport": { "properties": ["documentation"] } } },
            },
        });
        let root = format!("file://{}", folder.display());
        let id = editor.request(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "module" }],
                "capabilities": capabilities,
                "initializationOptions": {
                    "trust": "always",
                    "log": { "level": level },
                    // The lens tells the action of each block.
                    "actions": { "show": "all", "place": "lens" },
                },
            }),
        );
        editor.answer(id);
        editor.notify("initialized", json!({}));
        editor.client.open(&editor.uri, language, &editor.text);
        editor
    }

    /// Replaces the whole text.
    pub fn set_text(&mut self, text: &str) {
        self.version += 1;
        self.text = text.to_owned();
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// The process of the server itself.
    pub fn server_id(&self) -> Option<u32> {
        server_id(self.server.id())
    }

    /// The processes of the plugins.
    pub fn plugin_ids(&self) -> Vec<u32> {
        self.server_id().into_iter().flat_map(plugins).collect()
    }

    /// The processes that end plugins when the server is killed.
    pub fn watcher_ids(&self) -> Vec<u32> {
        let mut children = self.server_id().map(children).unwrap_or_default();
        children.retain(|child| is_watcher(*child));
        children
    }

    /// The most memory that the server itself has held, in bytes.
    pub fn peak_memory(&self) -> Option<u64> {
        memory(self.server_id()?, "VmHWM:")
    }

    /// The memory that the server itself holds, in bytes.
    pub fn memory(&self) -> Option<u64> {
        memory(self.server_id()?, "VmRSS:")
    }

    /// What the server itself and its plugins have used of the processor.
    pub fn processor_times(&self) -> (Duration, Duration) {
        let own = self.server_id().map(processor_time).unwrap_or_default();
        let plugins = self.plugin_ids().into_iter().map(processor_time);
        (own, plugins.sum())
    }

    /// Replaces the string on a line.
    pub fn type_name(&mut self, line: usize, name: &str) {
        let old = self.text.lines().nth(line).unwrap();
        let begin = old.find('"').unwrap() + 1;
        let end = old.rfind('"').unwrap();
        self.replace(line, begin..end, name);
    }

    /// Replaces a part of a line, which has to be ASCII up to its end.
    pub fn replace(&mut self, line: usize, part: Range<usize>, text: &str) {
        let lines = self.text.split_inclusive('\n').take(line);
        let offset: usize = lines.map(str::len).sum();
        let whole = offset + part.start..offset + part.end;
        self.text.replace_range(whole, text);
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let range = json!({
            "start": { "line": line, "character": part.start },
            "end": { "line": line, "character": part.end },
        });
        let changes = json!([{ "range": range, "text": text }]);
        self.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": changes }),
        );
    }

    /// Asks for the hints now and at each refresh, until the one of this line names the new value.
    pub fn wait_for_hint(&mut self, line: usize, name: &str) {
        self.wait_for_shown(line, |hints| {
            hints.contains("forces replacement") && hints.contains(name)
        });
    }

    /// The same for a hint that only has the new value.
    pub fn wait_for_value(&mut self, line: usize, value: &str) {
        self.wait_for_shown(line, |hints| hints.contains(value));
    }

    fn wait_for_shown(&mut self, line: usize, is_shown: impl Fn(&str) -> bool) {
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
            if is_shown(&hints.to_string()) {
                return;
            }
            while !is_stale {
                is_stale = self.next()["method"] == "workspace/inlayHint/refresh";
            }
        }
    }

    /// Waits until everything is planned as it reads now, not only what is shown.
    pub fn wait_for_plan(&mut self) {
        let limit = Instant::now() + LIMIT;
        loop {
            let id = self.request("planlens/plan", json!({}));
            let (plans, _) = self.answer(id);
            let plans = plans["plans"].as_array().cloned().unwrap_or_default();
            if !plans.is_empty() && plans.iter().all(|plan| plan["state"] == "fresh") {
                return;
            }
            assert!(Instant::now() < limit, "no plan: {plans:?}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// The first diagnostic of this code, once the server tells of it.
    pub fn wait_for_diagnostic(&mut self, code: &str) -> Value {
        loop {
            let message = self.next();
            if message["method"] != "textDocument/publishDiagnostics" {
                continue;
            }
            let mut reported = message["params"]["diagnostics"].as_array().unwrap().iter();
            if let Some(reported) = reported.find(|it| it["code"] == code) {
                return reported.clone();
            }
        }
    }

    /// What was last told to be wrong with the open file.
    pub fn last_diagnostics(&self) -> Vec<Value> {
        let is_reported = |message: &&Value| {
            message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["uri"] == self.uri.as_str()
        };
        let last = self.said.iter().rev().find(is_reported);
        let reported =
            last.and_then(|message| message["params"]["diagnostics"].as_array().cloned());
        reported.unwrap_or_default()
    }

    /// What is offered at a diagnostic, by title.
    pub fn actions_at(&mut self, reported: &Value) -> BTreeMap<String, Value> {
        let params = json!({
            "textDocument": { "uri": self.uri },
            "range": reported["range"],
            "context": { "diagnostics": [reported] },
        });
        let id = self.request("textDocument/codeAction", params);
        let actions = self.answer(id).0;
        let actions = actions.as_array().unwrap().iter();
        let titled = actions.map(|it| (it["title"].as_str().unwrap().to_owned(), it.clone()));
        titled.collect()
    }

    /// Has the command of an action run.
    pub fn choose(&mut self, action: &Value) {
        let command = match &action["command"] {
            Value::String(command) => {
                json!({ "command": command, "arguments": action["arguments"] })
            }
            command => json!({ "command": command["command"], "arguments": command["arguments"] }),
        };
        let id = self.request("workspace/executeCommand", command);
        self.answer(id);
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

/// The server among the processes that were started as this one.
fn server_id(started: u32) -> Option<u32> {
    let name = fs::read_to_string(format!("/proc/{started}/comm")).ok()?;
    match name.trim() {
        // It has one child, the server.
        "timeout" => children(started).first().copied(),
        _ => Some(started),
    }
}

/// The most memory that the server has held that was started as this process, in bytes.
pub fn peak_memory(started: u32) -> Option<u64> {
    memory(server_id(started)?, "VmHWM:")
}

pub fn children(process: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{process}/task")).into_iter();
    let of_task = tasks.flatten().flatten().map(|task| {
        let text = fs::read_to_string(task.path().join("children"));
        text.unwrap_or_default()
    });
    let all: String = of_task.collect();
    all.split_whitespace()
        .filter_map(|id| id.parse().ok())
        .collect()
}

/// The processes of a server's plugins.
pub fn plugins(server: u32) -> impl Iterator<Item = u32> {
    children(server)
        .into_iter()
        .filter(|child| !is_watcher(*child))
}

fn is_watcher(process: u32) -> bool {
    let arguments = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
    String::from_utf8_lossy(&arguments).contains("--watch-programs")
}

fn memory(process: u32, name: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    let kib: u64 = line.trim().strip_suffix(" kB")?.parse().ok()?;
    Some(kib * 1024)
}

/// User and system time.
fn processor_time(process: u32) -> Duration {
    times_of(&process.to_string(), 14)
}

/// The processor time of all programs that were started here and have ended, and of those that they started.
pub fn processor_time_of_children() -> Duration {
    times_of("self", 16)
}

/// Two times of a process: proc(5), fields of `stat`, in hundredths of a second.
fn times_of(process: &str, field: usize) -> Duration {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
    let fields = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
    let ticks = fields.split_whitespace().skip(field - 3).take(2);
    Duration::from_millis(ticks.map(|it| 10 * it.parse::<u64>().unwrap_or(0)).sum())
}
