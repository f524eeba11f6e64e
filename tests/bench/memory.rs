//! What the server holds, and what it leaves behind.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::edits::in_the_editor;
use crate::support::editor::Editor;
use crate::support::random::Random;
use crate::workspaces::Kind;
use crate::{Bench, EDITS, met};

const MIB: u64 = 1 << 20;

/// The server in an editor, without plugin processes.
pub fn memory(bench: &Bench) -> String {
    let mut text = String::new();
    for (count, budget) in [(1000, 80), (5000, 250)] {
        let count = bench.size(count);
        let module = bench.module(Kind::TerraformData, count, true);
        let peak = in_the_editor(bench, &module)
            .peak_memory
            .unwrap_or_default();
        let _ = writeln!(
            text,
            "peak memory of the server, {count} terraform_data open, {EDITS} edits: {} MiB (at most {budget}: {})",
            peak / MIB,
            met(peak / MIB <= budget),
        );
    }
    text
}

/// What a schema with very many types costs, of which a few are used.
pub fn schema(bench: &Bench) -> String {
    let count = bench.size(1000);
    let kind = Kind::TerraformData;
    let many: String = (0..count).map(|index| kind.resource(index)).collect();
    let things: String = (0..20)
        .map(|index| {
            format!("resource \"wide_thing_{index}\" \"t\" {{\n  name = \"value-{index}\"\n  argument_0 = \"a\"\n}}\n\n")
        })
        .collect();
    let required = "terraform {\n  required_providers {\n    wide = {\n      source = \"planlens/wide\"\n    }\n  }\n}\n\n";
    let with = format!("{required}{things}{many}");
    let stored = |count: usize| Some((0..count).map(|index| kind.stored(index)).collect());
    let plain = bench
        .written("narrow", &[("main.tf", many)], stored(count))
        .0;
    let wide = bench.written("wide", &[("main.tf", with)], stored(count)).0;
    let peak = |module: &Path| {
        let mut editor = Editor::start_logging("warn", module, &bench.environment, &bench.log());
        let mut lines = editor.text.lines();
        let line = lines
            .position(|line| line.contains("triggers_replace"))
            .unwrap();
        editor.type_name(line, "edited");
        editor.wait_for_hint(line, "edited");
        // Until the arguments of the other provider are known, where it is used.
        let used = editor
            .text
            .lines()
            .position(|line| line.contains("argument_0"));
        while let Some(line) = used {
            let position = json!({ "line": line, "character": 2 });
            let params = json!({ "textDocument": { "uri": editor.uri }, "position": position });
            let id = editor.request("textDocument/completion", params);
            if editor.answer(id).0.to_string().contains("argument_15") {
                break;
            }
        }
        let peak = editor.peak_memory().unwrap_or_default();
        editor.stop();
        peak
    };
    let before = peak(&plain);
    let mut text = String::new();
    for how in ["from the plugin", "from the cache on disk"] {
        let more = peak(&wide).saturating_sub(before);
        let _ = writeln!(
            text,
            "a schema of 1,500 types, {how}, beside {} MiB: {} MiB more (at most 30: {})",
            before / MIB,
            more / MIB,
            met(more / MIB <= 30),
        );
    }
    text
}

/// Ten random edits in a second for some minutes: values, half-typed blocks, and what takes them away again.
pub fn soak(bench: &Bench) -> String {
    let count = bench.size(1000);
    let module = bench.module(Kind::RandomId, count, true);
    let temporary = bench.folder.join("temporary");
    fs::create_dir_all(&temporary).unwrap();
    // Without a limit of time, unlike other programs that tests start.
    let mut command = Command::new(env!("CARGO_BIN_EXE_planlens"));
    command
        .arg("lsp")
        .current_dir(&module)
        .envs(bench.environment.iter().cloned())
        .env("PLANLENS_LANGUAGE", "terraform@1.11.4")
        .env("TMPDIR", &temporary)
        .env("XDG_RUNTIME_DIR", &temporary)
        .stderr(File::create(bench.log()).unwrap());
    let mut editor = Editor::launch(&mut command, "warn", &module, &module);
    let lines: Vec<usize> = (0..)
        .zip(editor.text.lines())
        .filter(|(_, line)| line.contains("\"value-"))
        .map(|(number, _)| number)
        .collect();
    let mut random = Random(1);
    let begin = Instant::now();
    let minutes = Duration::from_secs(60 * bench.minutes);
    let (mut edits, mut half_typed, mut after_a_minute) = (0_u32, None, None);
    let mut plugins = Vec::new();
    while begin.elapsed() < minutes {
        match half_typed.take() {
            // What was half-typed goes.
            Some((line, length)) if random.chance(50) => editor.replace(line, 0..length, ""),
            Some(other) => half_typed = Some(other),
            None if random.chance(20) => {
                let text = *random.pick(&[
                    "keepers = {",
                    "\"${",
                    "resource \"random_id\"",
                    "/*",
                    "<<EOT",
                ]);
                let line = *random.pick(&lines);
                editor.replace(line, 0..0, text);
                half_typed = Some((line, text.len()));
            }
            None => {
                let line = *random.pick(&lines);
                editor.type_name(line, &format!("edit-{edits}"));
            }
        }
        edits += 1;
        // As editors do after each edit. What the server says meanwhile is read with the answer.
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 50, "character": 0 } });
        let params = json!({ "textDocument": { "uri": editor.uri }, "range": range });
        let id = editor.request("textDocument/inlayHint", params);
        editor.answer_or_error(id);
        editor.said.clear();
        if after_a_minute.is_none() && begin.elapsed() >= Duration::from_secs(60) {
            after_a_minute = editor.memory();
        }
        for plugin in editor.plugin_ids() {
            if !plugins.contains(&plugin) {
                plugins.push(plugin);
            }
        }
        let next = Duration::from_millis(100) * edits;
        std::thread::sleep(next.saturating_sub(begin.elapsed()));
    }
    let after = editor.memory().unwrap_or_default();
    let first = after_a_minute.unwrap_or(after);
    let (own, of_plugins) = editor.processor_times();
    editor.stop();
    // Processes that have ended may wait a moment for whoever asks how they ended.
    let left = || {
        let is_alive = |id: &&u32| {
            let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
            stat.rsplit_once(") ")
                .is_some_and(|(_, rest)| !rest.starts_with('Z'))
        };
        let names = fs::read_dir(&temporary).into_iter().flatten().flatten();
        let files: Vec<_> = names.map(|entry| entry.file_name()).collect();
        (plugins.iter().filter(is_alive).count(), files)
    };
    let end = Instant::now();
    while left() != (0, Vec::new()) && end.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(50));
    }
    let (alive, files) = left();
    format!(
        "{} minutes, {edits} edits in {count} random_id: {} MiB after the first minute, {} MiB at the end (within 10 %: {})\n\
         processor time: {} s of the server, {} s of its plugins; {} plugin processes in all\n\
         left behind: {alive} processes, files {files:?} (none: {})\n",
        bench.minutes,
        first / MIB,
        after / MIB,
        met(after <= first + first / 10),
        own.as_secs(),
        of_plugins.as_secs(),
        plugins.len(),
        met(alive == 0 && files.is_empty()),
    )
}
