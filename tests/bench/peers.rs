//! The requests of an editor besides the plan, beside terraform-ls; and how soon after the start.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::editor::Editor;
use crate::workspaces::Kind;
use crate::{Bench, EDITS, RUNS, at, median_of, percentile};

/// A language server with one open document, ours or another.
struct Server {
    client: Client,
    uri: String,
    /// Where the values stand that are edited.
    lines: Vec<usize>,
    text: String,
    version: i64,
}

impl Server {
    fn start(command: &mut Command, module: &Path) -> Server {
        let mut client = Client::start_other(command);
        let root = format!("file://{}", module.display());
        let types = [
            "type",
            "variable",
            "string",
            "number",
            "keyword",
            "parameter",
            "property",
            "enumMember",
            "struct",
        ];
        let tokens = json!({
            "requests": { "full": true }, "formats": ["relative"], "tokenTypes": types,
            "tokenModifiers": ["declaration", "defaultLibrary", "modification"],
        });
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "module" }],
                "capabilities": {
                    "textDocument": { "semanticTokens": tokens, "completion": {}, "publishDiagnostics": { "versionSupport": true } },
                    "experimental": { "showReferencesCommandId": "show" },
                },
                "initializationOptions": { "trust": "always", "log": { "level": "warn" } },
            }),
        );
        client.notify("initialized", json!({}));
        let uri = format!("{root}/main.tf");
        let text = fs::read_to_string(module.join("main.tf")).unwrap();
        client.open(&uri, "terraform", &text);
        let lines = (0..)
            .zip(text.lines())
            .filter(|(_, line)| line.contains("\"value-"))
            .map(|(number, _)| number)
            .collect();
        Server {
            client,
            uri,
            lines,
            text,
            version: 1,
        }
    }

    /// Replaces the text that begins at a place of the line.
    fn replace(&mut self, line: usize, part: std::ops::Range<usize>, text: &str) {
        self.version += 1;
        let document = json!({ "uri": self.uri, "version": self.version });
        let range = json!({
            "start": { "line": line, "character": part.start },
            "end": { "line": line, "character": part.end },
        });
        let changes = json!([{ "range": range, "text": text }]);
        let params = json!({ "textDocument": document, "contentChanges": changes });
        self.client.notify("textDocument/didChange", params);
    }

    /// From an edit to the answer, for so many edits. Times in order. The server is at work: it has
    /// answered a request that needs everything to be read and planned.
    fn edits_and_answers(&mut self, edits: usize, method: &str) -> Vec<Duration> {
        let document = json!({ "textDocument": { "uri": self.uri } });
        self.client.ask("textDocument/codeLens", document);
        let mut times: Vec<Duration> = (0..edits + 1)
            .map(|edit| {
                let line = self.lines[(edit * 37 + 11) % self.lines.len()];
                // A letter more before the value: all of them are of one length.
                let old = self.text.lines().nth(line).unwrap();
                let begin_of_value = old.find('"').unwrap() + 1;
                let mut params = json!({ "textDocument": { "uri": self.uri } });
                if method == "textDocument/completion" {
                    params["position"] = json!({ "line": line, "character": 2 });
                }
                let begin = Instant::now();
                self.replace(line, begin_of_value..begin_of_value, "x");
                let result = self.client.ask(method, params);
                assert!(!result.is_null(), "{method}");
                self.client.arrived - begin
            })
            .skip(1)
            .collect();
        times.sort();
        times
    }

    /// From an edit that makes something wrong to its diagnostic; each is undone before the next.
    fn edits_and_diagnostics(&mut self, edits: usize) -> Vec<Duration> {
        let mut times = Vec::new();
        for edit in 0..=edits {
            let line = self.lines[(edit * 37 + 11) % self.lines.len()];
            let begin = Instant::now();
            self.replace(line, 2..2, "wrong_");
            self.wait_for_diagnostic(true);
            times.push(self.client.arrived - begin);
            self.replace(line, 2..8, "");
            self.wait_for_diagnostic(false);
        }
        times.remove(0);
        times.sort();
        times
    }

    fn wait_for_diagnostic(&mut self, is_wanted: bool) {
        loop {
            let message = self.client.next();
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics" && params["uri"] == self.uri {
                let all = params["diagnostics"]
                    .as_array()
                    .cloned()
                    .unwrap_or_default();
                let is_shown = all
                    .iter()
                    .any(|it| it["message"].to_string().contains("wrong_"));
                if is_shown == is_wanted {
                    return;
                }
            }
        }
    }
}

/// From an edit to the requests of an editor then, in planlens and in terraform-ls.
pub fn peers(bench: &Bench) -> String {
    let count = bench.size(1000);
    let module = bench.module(Kind::RandomId, count, true);
    let mut table = format!(
        "\
edit -> answer, {count:>4} random_id | p50     | p95     | p95 of planlens  | terraform-ls p50 | p95     | ratio to p50
------------------------------|---------|---------|------------------|------------------|---------|-------------
"
    );
    let theirs = crate::support::cache().map(|cache| cache.join("bin/terraform-ls"));
    let theirs = theirs.ok().filter(|program| program.exists());
    let measured = |what: &str, edits: usize, program: Option<&PathBuf>| {
        let log = File::create(bench.log()).unwrap();
        let mut command = match program {
            Some(program) => {
                let mut command = crate::support::command(program, &module);
                command.arg("serve").envs(bench.environment.iter().cloned());
                command
            }
            None => {
                let mut command = bench.planlens(&module);
                command.arg("lsp");
                command
            }
        };
        let mut server = Server::start(command.stderr(log), &module);
        let times = match what {
            "diagnostic" => server.edits_and_diagnostics(edits),
            method => server.edits_and_answers(edits, &format!("textDocument/{method}")),
        };
        // terraform-ls ends when nobody speaks to it any more, and not before.
        match program {
            Some(_) => drop(server),
            None => server.client.stop(),
        }
        times
    };
    for (what, budget) in [
        ("completion", 10),
        ("semanticTokens/full", 20),
        ("codeLens", 20),
        ("diagnostic", 30),
    ] {
        let ours = bench.middle_times(|| measured(what, EDITS, None));
        let _ = write!(
            table,
            "{what:<29} | {} | {} | {:<16}",
            at(&ours, 50),
            at(&ours, 95),
            bench.within(
                format!("edit -> {what}, {count} random_id, p95"),
                percentile(&ours, 95),
                budget
            ),
        );
        // It takes seconds for each.
        let edits = if bench.shrink == 1 { 10 } else { 3 };
        let _ = match theirs
            .as_ref()
            .map(|program| bench.middle_times(|| measured(what, edits, Some(program))))
        {
            Some(theirs) => writeln!(
                table,
                " | {:>16} | {} | {:>11.0}x",
                at(&theirs, 50),
                at(&theirs, 95),
                percentile(&theirs, 50).as_secs_f64() / percentile(&ours, 50).as_secs_f64(),
            ),
            None => writeln!(table, " | not installed: tests/peers/record fetches it"),
        };
    }
    table + "Diagnostics: of an argument that there is not, as they are published. Times in ms.\n"
}

/// How soon after the start of the server something is seen, with schemas that are kept on disk.
pub fn start(bench: &Bench) -> String {
    let count = bench.size(100);
    let module = bench.module(Kind::RandomId, count, true);
    // Keeps the schemas.
    bench.run(bench.planlens(&module).arg("plan"));
    let completion = median_of(RUNS.max(bench.runs), || {
        let begin = Instant::now();
        let mut editor = Editor::start_logging("warn", &module, &bench.environment, &bench.log());
        let line = editor
            .text
            .lines()
            .position(|line| line.contains("\"value-"))
            .unwrap();
        let position = json!({ "line": line, "character": 2 });
        let params = json!({ "textDocument": { "uri": editor.uri }, "position": position });
        let id = editor.request("textDocument/completion", params);
        let (answer, _) = editor.answer(id);
        let time = begin.elapsed();
        assert!(labels(&answer).any(|label| label == "prefix"), "{answer}");
        editor.stop();
        time
    });
    let created = bench.module(Kind::RandomId, count, false);
    let plan = median_of(RUNS.max(bench.runs), || {
        let begin = Instant::now();
        let mut editor = Editor::start_logging("warn", &created, &bench.environment, &bench.log());
        // Above each resource stands its action, as soon as that is planned.
        let params = json!({ "textDocument": { "uri": editor.uri } });
        loop {
            let id = editor.request("textDocument/codeLens", params.clone());
            let lenses = editor.answer_or_error(id).to_string();
            if lenses.matches("+ create").count() >= count {
                break;
            }
            std::thread::sleep(Duration::from_millis(2));
        }
        let time = begin.elapsed();
        editor.stop();
        time
    });
    format!(
        "start -> first completion of arguments, {count} random_id: {} ms ({})\n\
         start -> the whole first plan: {} ms ({})\n",
        ms(completion),
        bench.within("start -> first completion", completion, 60),
        ms(plan),
        bench.within(
            format!("start -> first plan of {count} random_id"),
            plan,
            500
        ),
    )
}

fn ms(time: Duration) -> String {
    crate::ms(time).trim().to_owned()
}

fn labels(answer: &Value) -> impl Iterator<Item = &str> {
    let items = answer.as_array().or_else(|| answer["items"].as_array());
    items
        .into_iter()
        .flatten()
        .filter_map(|item| item["label"].as_str())
}
