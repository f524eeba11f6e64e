//! The memory of the server.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::json;

use crate::edits::in_the_editor;
use crate::support::editor::Editor;
use crate::workspaces::Kind;
use crate::{Bench, EDITS};

const MIB: u64 = 1 << 20;

/// The server in an editor, without plugin processes.
pub fn memory(bench: &Bench) -> String {
    let mut text = String::new();
    for (count, budget) in [(1000, 80), (5000, 250)] {
        let count = bench.size(count);
        let module = bench.module(Kind::TerraformData, count, true);
        let peak = || in_the_editor(bench, &module).peak_memory;
        let peak = bench.middle(peak, |peak| *peak).unwrap_or_default();
        let _ = writeln!(
            text,
            "peak memory of the server, {count} terraform_data open, {EDITS} edits: {} MiB ({})",
            peak / MIB,
            bench.gate(
                format!("peak memory, {count} terraform_data"),
                format!("{} MiB", peak / MIB),
                format!("at most {budget} MiB"),
                peak / MIB <= budget
            ),
        );
    }
    text
}

/// The memory of a schema with very many types, of which a few are used.
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
    let before = bench.middle(|| peak(&plain), |peak| *peak);
    let from_plugin = || {
        let _ = fs::remove_dir_all(bench.folder.join("cache"));
        peak(&wide)
    };
    let from_plugin = bench.middle(from_plugin, |peak| *peak);
    let from_cache = bench.middle(|| peak(&wide), |peak| *peak);
    let mut text = String::new();
    for (how, peak) in [
        ("from the plugin", from_plugin),
        ("from the cache on disk", from_cache),
    ] {
        let more = peak.saturating_sub(before);
        let _ = writeln!(
            text,
            "a schema of 1,500 types, {how}, beside {} MiB: {} MiB more ({})",
            before / MIB,
            more / MIB,
            bench.gate(
                format!("a schema of 1,500 types, {how}"),
                format!("{} MiB more", more / MIB),
                "at most 30 MiB",
                more / MIB <= 30
            ),
        );
    }
    text
}
