//! Hours of edits, while the plugins of the server are killed.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::editor::Editor;
use crate::support::random::Random;
use crate::{Bench, say};

const MIB: u64 = 1 << 20;
/// Far more than a plan of everything takes. A plan that isn't there by then is counted as a wrong one.
const PATIENCE: Duration = Duration::from_secs(60);

/// Ten random edits in a second for some minutes: values, half-typed blocks, and their removal. Once in each
/// minute a plugin is killed in the middle of an edit; at its end the plan is compared with that of a new process.
pub fn soak(bench: &Bench) -> String {
    let count = bench.size(1000);
    let [module, cold] = bench.twins(count);
    let temporary = bench.folder.join("temporary");
    fs::create_dir_all(&temporary).unwrap();
    let mut typist = Typist::new(open(bench, &module, &temporary));
    let (mut first, mut lost, mut wrong, mut killed) = (None, 0, 0, 0);
    let mut plugins = Vec::new();
    for minute in 1..=bench.minutes {
        let begin = Instant::now();
        let mut kill_at = Some(Duration::from_millis(500 * typist.random.below(100) as u64));
        for edit in 1..=600 {
            typist.edit();
            if kill_at.is_some_and(|at| begin.elapsed() >= at)
                && let Some(plugin) = typist.editor.plugin_ids().first()
            {
                killed += usize::from(kill(*plugin));
                kill_at = None;
            }
            typist.ask();
            for plugin in typist.editor.plugin_ids() {
                if !plugins.contains(&plugin) {
                    plugins.push(plugin);
                }
            }
            if begin.elapsed() >= Duration::from_secs(60) {
                break;
            }
            std::thread::sleep((Duration::from_millis(100) * edit).saturating_sub(begin.elapsed()));
        }
        let warm = typist.plan();
        fs::write(cold.join("main.tf"), &typist.editor.text).unwrap();
        let expected = said(&bench.run(bench.planlens(&cold).arg("plan")).0);
        let is_lost = digest(&warm) != digest(&expected);
        let is_wrong = warm != expected;
        if is_wrong {
            fs::write(bench.folder.join(format!("{minute}.warm")), &warm).unwrap();
            fs::write(bench.folder.join(format!("{minute}.cold")), &expected).unwrap();
        }
        lost += usize::from(is_lost);
        wrong += usize::from(is_wrong);
        let memory = typist.editor.memory().unwrap_or_default() / MIB;
        first.get_or_insert(memory);
        say(&format!(
            "minute {minute}: {} edits, {memory} MiB, {killed} plugins killed, {} lines of plan {}, text {}\n",
            typist.edits,
            warm.lines().count(),
            if is_wrong { "WRONG" } else { "right" },
            if is_lost { "LOST" } else { "kept" },
        ));
    }
    let edits = typist.edits;
    let after = typist.editor.memory().unwrap_or_default() / MIB;
    let first = first.unwrap_or(after);
    let (own, of_plugins) = typist.editor.processor_times();
    typist.editor.stop();
    let (alive, files) = left(&plugins, &temporary);
    format!(
        "{} minutes, {edits} edits in {count} random_id: {first} MiB after the first minute, {after} MiB at the end ({})\n\
         {killed} plugins killed in {} checks: {lost} times an edit was lost ({}), {wrong} plans unlike the cold one ({})\n\
         processor time: {} s of the server, {} s of its last plugins; {} plugin processes in all\n\
         left behind: {alive} processes, files {files:?} ({})\n",
        bench.minutes,
        bench.gate(
            format!("memory after {} minutes of edits", bench.minutes),
            format!("{after} MiB"),
            format!("within 10 % of {first} MiB"),
            after <= first + first / 10
        ),
        bench.minutes,
        bench.gate("edits lost", lost.to_string(), "none", lost == 0),
        bench.gate(
            "plans unlike the cold one",
            wrong.to_string(),
            "none",
            wrong == 0
        ),
        own.as_secs(),
        of_plugins.as_secs(),
        plugins.len(),
        bench.gate(
            "processes and files left behind",
            (alive + files.len()).to_string(),
            "none",
            alive == 0 && files.is_empty()
        ),
    )
}

/// A server whose temporary files are in a folder of their own.
fn open(bench: &Bench, module: &Path, temporary: &Path) -> Editor {
    // Without a limit of time, unlike other programs that tests start.
    let mut command = Command::new(env!("CARGO_BIN_EXE_planlens"));
    command
        .arg("lsp")
        .current_dir(module)
        .envs(bench.environment.iter().cloned())
        .env("PLANLENS_LANGUAGE", "terraform@1.11.4")
        .env("TMPDIR", temporary)
        .env("XDG_RUNTIME_DIR", temporary)
        .stderr(File::create(bench.log()).unwrap());
    Editor::launch(&mut command, "warn", module, module)
}

/// Someone who types without a pause.
struct Typist {
    editor: Editor,
    random: Random,
    /// The lines with a value to edit.
    lines: Vec<usize>,
    /// The beginning of a half-typed line, and its length.
    half_typed: Option<(usize, usize)>,
    edits: usize,
}

impl Typist {
    fn new(editor: Editor) -> Typist {
        let lines = (0..).zip(editor.text.lines());
        let lines = lines.filter(|(_, line)| line.contains("\"value-"));
        Typist {
            lines: lines.map(|(number, _)| number).collect(),
            editor,
            random: Random(1),
            half_typed: None,
            edits: 0,
        }
    }

    fn edit(&mut self) {
        self.edits += 1;
        let taken = self.half_typed.map(|(line, _)| line);
        let line = loop {
            let line = *self.random.pick(&self.lines);
            if Some(line) != taken {
                break line;
            }
        };
        if self.half_typed.is_some() && self.random.chance(50) {
            self.finish();
        } else if self.half_typed.is_none() && self.random.chance(20) {
            let text = *self.random.pick(&[
                "keepers = {",
                "\"${",
                "resource \"random_id\"",
                "/*",
                "<<EOT",
            ]);
            self.editor.replace(line, 0..0, text);
            self.half_typed = Some((line, text.len()));
        } else {
            self.editor.type_name(line, &format!("edit-{}", self.edits));
        }
    }

    /// Takes away the half-typed text.
    fn finish(&mut self) {
        if let Some((line, length)) = self.half_typed.take() {
            self.editor.replace(line, 0..length, "");
        }
    }

    /// Asks for hints, as editors do after each edit. Messages of the server meanwhile are read with the answer.
    fn ask(&mut self) {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 50, "character": 0 } });
        let params = json!({ "textDocument": { "uri": self.editor.uri }, "range": range });
        let id = self.editor.request("textDocument/inlayHint", params);
        self.editor.answer_or_error(id);
        self.editor.said.clear();
    }

    /// The plan of the text without the half-typed part, as soon as it is up to date.
    fn plan(&mut self) -> String {
        self.finish();
        let file = self.editor.uri.strip_prefix("file:").unwrap_or_default();
        let uri = format!("planlens-plan:{file}.planlens-plan");
        let begin = Instant::now();
        loop {
            let id = self
                .editor
                .request("workspace/textDocumentContent", json!({ "uri": uri }));
            let content = self.editor.answer_or_error(id);
            self.editor.said.clear();
            let text = content["text"].as_str().unwrap_or_default();
            let head = text.lines().next().unwrap_or_default();
            if head.ends_with("up to date with the text") || begin.elapsed() > PATIENCE {
                return said(text);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

/// A plan without the lines that say how far it can be trusted, and without those before the first action.
fn said(plan: &str) -> String {
    let lines = plan.lines().filter(|line| !line.starts_with("# "));
    let lines = lines.skip_while(|line| !line.starts_with("  # "));
    let lines: Vec<&str> = lines.collect();
    lines.join("\n").trim().to_owned()
}

/// The line of a plan with the digest of the module's text.
fn digest(plan: &str) -> Option<&str> {
    plan.lines().rfind(|line| line.contains("text = "))
}

fn kill(process: u32) -> bool {
    let status = Command::new("kill")
        .args(["-9", &process.to_string()])
        .status();
    status.is_ok_and(|status| status.success())
}

/// How many of the plugins are alive, and which files are there: none, as soon as the server's end is over.
fn left(plugins: &[u32], temporary: &Path) -> (usize, Vec<PathBuf>) {
    // Processes that have ended may wait a moment for whoever asks how they ended.
    let is_alive = |id: &&u32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let state = stat.rsplit_once(") ").map(|(_, rest)| rest);
        state.is_some_and(|state| !state.starts_with('Z'))
    };
    let end = Instant::now();
    loop {
        let names = fs::read_dir(temporary).into_iter().flatten().flatten();
        let files: Vec<_> = names.map(|entry| entry.path()).collect();
        let alive = plugins.iter().filter(is_alive).count();
        if (alive == 0 && files.is_empty()) || end.elapsed() > Duration::from_secs(5) {
            return (alive, files);
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}
