//! The memory of the server.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::Instant;

use serde_json::json;

use crate::edits::in_the_editor;
use crate::support::editor::Editor;
use crate::workspaces::Kind;
use crate::{Bench, EDITS};

const MIB: u64 = 1 << 20;

/// The server in an editor, without plugin processes.
pub fn memory(bench: &Bench) -> String {
    let mut text = String::new();
    let mut peaks = Vec::new();
    for size in [1000, 5000] {
        let count = bench.size(size);
        let module = bench.module(Kind::TerraformData, count, true);
        let peak = || in_the_editor(bench, &module).peak_memory;
        let peak = bench.middle(peak, |peak| *peak).unwrap_or_default();
        peaks.push(peak);
        let _ = writeln!(
            text,
            "peak memory of the server, {count} terraform_data open, {EDITS} edits: {} MiB ({})",
            peak / MIB,
            bench.gate(
                format!("peak memory, {count} terraform_data"),
                format!("{} MiB", peak / MIB),
                "at most 80 MiB",
                peak / MIB <= 80
            ),
        );
    }
    let each = peaks[1].saturating_sub(peaks[0]) as f64 / MIB as f64 / 4.0;
    let line = format!("memory of each further {} terraform_data", bench.size(1000));
    let figure = format!("{each:.1} MiB");
    let gate = bench.gate(
        line.as_str(),
        figure.as_str(),
        "at most 12 MiB",
        each <= 12.0,
    );
    text + &format!("{line}: {figure} ({gate})\n")
}

/// The real schemas of three large clouds at once, kept on disk, beside one small provider.
pub fn clouds(bench: &Bench) -> String {
    let kind = Kind::RandomId;
    let resources = (0..bench.size(100)).map(|index| kind.resource(index));
    let shown = "output \"shown\" {\n  value = random_id.r0.prefix\n}\n\n".to_owned();
    let many: String = std::iter::once(shown).chain(resources).collect();
    let clouds = "\
resource \"aws_vpc\" \"cloud\" {\n  cidr_block = \"10.0.0.0/16\"\n}\n
resource \"azurerm_resource_group\" \"cloud\" {\n  name     = \"cloud\"\n  location = \"westeurope\"\n}\n
resource \"google_compute_network\" \"cloud\" {\n  name = \"cloud\"\n}\n\n";
    let environment = crate::trees::clouds(bench);
    let with = format!("{many}{clouds}");
    let small = bench
        .written_in("small", &[("main.tf", many)], None, &environment)
        .0;
    let large = bench
        .written_in("clouds", &[("main.tf", with)], None, &environment)
        .0;
    let start = |module: &Path| {
        let begin = Instant::now();
        let mut editor = Editor::start_logging("warn", module, &environment, &bench.log());
        // The second line is the value of the output.
        editor.wait_for_value(1, "value-0");
        let first = editor.arrived - begin;
        editor.wait_for_plan();
        let peak = editor.peak_memory().unwrap_or_default();
        editor.stop();
        (first, peak)
    };
    // Keeps the schemas.
    start(&large);
    let [small, large] =
        [&small, &large].map(|module| bench.middle(|| start(module), |(first, _)| *first));
    let ratio = large.0.as_secs_f64() / small.0.as_secs_f64();
    let more = large.1.saturating_sub(small.1) / MIB;
    let name = "schemas of aws, azurerm and google at once";
    let first = format!("{ratio:.2} x");
    let memory = format!("{more} MiB more");
    format!(
        "{name}: start -> first hint {} ms beside {} ms with one small provider, {first} ({}); {memory} ({})\n",
        large.0.as_millis(),
        small.0.as_millis(),
        bench.gate(
            format!("{name}, start -> first hint"),
            first.as_str(),
            "at most 1.2 x",
            ratio <= 1.2
        ),
        bench.gate(
            format!("{name}, memory"),
            memory.as_str(),
            "at most 25 MiB",
            more <= 25
        ),
    )
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
