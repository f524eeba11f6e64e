//! Edits: in the editor up to the shown result, and without one.

use std::fmt::Write as _;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::editor::Editor;
use crate::workspaces::{DEPENDENTS, Kind};
use crate::{Bench, EDITS, at, percentile};

/// From the keystroke to the hint that names the new value, through the real server's standard input and output.
pub fn edits_in_the_editor(bench: &Bench) -> String {
    let mut table = "\
edit -> hint              |     p50 |     p95 |     p99 | calls | CPU of an edit | terraform plan | ratio to p50 | p95
--------------------------|---------|---------|---------|-------|----------------|----------------|--------------|----
"
    .to_owned();
    let mut by_size = Vec::new();
    for (kind, count) in [
        (Kind::RandomPet, 100),
        (Kind::TerraformData, 100),
        (Kind::TerraformData, 1000),
        (Kind::TerraformData, 5000),
        (Kind::TerraformData, 20_000),
        (Kind::RandomId, 1000),
        (Kind::RandomId, 5000),
    ] {
        let budget = if count > 1000 { 60 } else { 25 };
        let count = bench.size(count);
        let module = bench.module(kind, count, true);
        let edits = bench.middle(
            || in_the_editor(bench, &module),
            |edits| percentile(&edits.times, 95),
        );
        let (rows, _) = edit_rows(bench, &module);
        let calls = rows.iter().map(|row| row.calls).sum::<f64>() / rows.len() as f64;
        let theirs = bench.terraform_plan(&module);
        if let Kind::TerraformData = kind {
            by_size.push((count, percentile(&edits.times, 50).as_secs_f64()));
        }
        let what = format!("edit -> hint, {count} {}", kind.type_name());
        let _ = writeln!(
            table,
            "{:<25} | {} | {} | {} | {calls:>5.1} | {:>11.1} ms | {:>11} ms | {:>11.0}x | {}",
            format!("{count} {}", kind.type_name()),
            at(&edits.times, 50),
            at(&edits.times, 95),
            at(&edits.times, 99),
            edits.processor.as_secs_f64() * 1000.0 / EDITS as f64,
            theirs.as_millis(),
            theirs.as_secs_f64() / percentile(&edits.times, 50).as_secs_f64(),
            bench.within(format!("{what}, p95"), percentile(&edits.times, 95), budget),
        );
        if !matches!(kind, Kind::TerraformData) {
            let figure = format!("{calls:.1}");
            bench.gate(format!("{what}, calls"), figure, "at least 2", calls >= 2.0);
        }
    }
    let ((least, first), (most, last)) = (by_size[0], by_size[by_size.len() - 1]);
    let growth = last / first;
    let line = format!("an edit in {most} terraform_data beside one in {least}");
    let figure = format!("{growth:.2} x");
    let gate = bench.gate(line.as_str(), figure.as_str(), "at most 3 x", growth <= 3.0);
    table
        + &format!("{line}: {figure} ({gate})\n")
        + "calls: to the provider for each such edit, as `planlens stats --edits` counts them. CPU: of the server. Times in ms.\n"
}

/// The durations of edits in the editor, in order, and their costs.
pub struct Edits {
    pub times: Vec<Duration>,
    /// Of the server, for all of them.
    pub processor: Duration,
    /// In bytes.
    pub peak_memory: Option<u64>,
}

pub fn in_the_editor(bench: &Bench, module: &Path) -> Edits {
    let mut editor = Editor::start_logging("warn", module, &bench.environment, &bench.log());
    let times = edit_and_wait(&mut editor, |line| line);
    let (processor, peak_memory) = (times.1, editor.peak_memory());
    editor.stop();
    Edits {
        times: times.0,
        processor,
        peak_memory,
    }
}

/// Edits values all over the file, each to one that was never sent before, and waits for the hint at the line that
/// `shown` says. Answers the times in order, and the processor time of the server.
pub fn edit_and_wait(
    editor: &mut Editor,
    shown: impl Fn(usize) -> usize,
) -> (Vec<Duration>, Duration) {
    let lines: Vec<usize> = (0..)
        .zip(editor.text.lines())
        .filter(|(_, line)| line.contains("\"value-"))
        .map(|(number, _)| number)
        .collect();
    editor.type_name(lines[0], "warm");
    editor.wait_for_hint(shown(lines[0]), "warm");
    editor.wait_for_plan();
    let begin = editor.processor_times().0;
    let mut times = Vec::new();
    for edit in 0..EDITS {
        let line = lines[(edit * 37 + 11) % lines.len()];
        let value = format!("edit-{edit}");
        let begin = Instant::now();
        editor.type_name(line, &value);
        editor.wait_for_hint(shown(line), &value);
        times.push(editor.arrived - begin);
    }
    let processor = editor.processor_times().0 - begin;
    times.sort();
    (times, processor)
}

/// From the edit of a resource to the hint at the last of those that read it.
pub fn dependents(bench: &Bench) -> String {
    let count = bench.size(1000).max(DEPENDENTS);
    let module = bench.dependents(count, DEPENDENTS);
    let last = format!("\"r{}\"", DEPENDENTS - 1);
    let times = bench.middle_times(|| {
        let mut editor = Editor::start_logging("warn", &module, &bench.environment, &bench.log());
        let mut lines = editor.text.lines();
        // The resource that is edited stands on the first lines; `keepers` is the third argument.
        let read_at = lines.position(|line| line.contains(&last)).unwrap() + 3;
        let root = 1;
        editor.type_name(root, "warm");
        editor.wait_for_hint(read_at, "warm");
        editor.wait_for_plan();
        let mut times: Vec<Duration> = (0..EDITS)
            .map(|edit| {
                let value = format!("edit-{edit}");
                let begin = Instant::now();
                editor.type_name(root, &value);
                editor.wait_for_hint(read_at, &value);
                editor.arrived - begin
            })
            .collect();
        editor.stop();
        times.sort();
        times
    });
    format!(
        "edit -> hint at the last of {DEPENDENTS} random_id that read it, among {count}: p50 {} ms, p95 {} ms ({})\n",
        at(&times, 50).trim(),
        at(&times, 95).trim(),
        bench.within(
            format!("edit -> hint at the last of {DEPENDENTS} dependents, {count} random_id, p95"),
            percentile(&times, 95),
            20
        ),
    )
}

/// From the edit of a value that all resources read to the hint at the visible one, and to the whole plan; and how soon a
/// plan that an edit supersedes is dropped.
pub fn visible(bench: &Bench) -> String {
    let count = bench.size(1000);
    let module = bench.dependents(count, count);
    let mut dropped = Vec::new();
    let (shown, whole) = bench.middle(
        || {
            let mut editor =
                Editor::start_logging("debug", &module, &bench.environment, &bench.log());
            let last = format!("\"r{}\"", count - 1);
            let mut lines = editor.text.lines();
            let shown_at = lines.position(|line| line.contains(&last)).unwrap() + 3;
            let (mut shown, mut whole) = (Vec::new(), Vec::new());
            for edit in 0..=10 {
                let value = format!("edit-{edit}");
                let begin = Instant::now();
                editor.type_name(1, &value);
                editor.wait_for_hint(shown_at, &value);
                shown.push(editor.arrived - begin);
                // It waits for the whole plan.
                let params = json!({ "textDocument": { "uri": editor.uri } });
                let id = editor.request("textDocument/codeLens", params);
                editor.answer(id);
                whole.push(editor.arrived - begin);
            }
            for edit in 0..20 {
                editor.type_name(1, &format!("superseded-{edit}"));
                std::thread::sleep(Duration::from_millis(20 + edit));
            }
            editor.stop();
            dropped.extend(drops(
                &std::fs::read_to_string(bench.log()).unwrap_or_default(),
            ));
            // The first finds nothing planned yet.
            for times in [&mut shown, &mut whole] {
                times.remove(0);
                times.sort();
            }
            (shown, whole)
        },
        |(shown, _)| percentile(shown, 50),
    );
    dropped.sort();
    let mut text = format!(
        "edit -> hint of the {count} random_id that read it: at the one that is shown p50 {} ms, all of them {} ms\n",
        at(&shown, 50).trim(),
        at(&whole, 50).trim(),
    );
    if !dropped.is_empty() {
        let _ = writeln!(
            text,
            "a superseded plan is dropped after p50 {} ms, p95 {} ms, of {} plans ({})",
            at(&dropped, 50).trim(),
            at(&dropped, 95).trim(),
            dropped.len(),
            bench.within(
                "a superseded plan is dropped, p95",
                percentile(&dropped, 95),
                5
            ),
        );
    }
    text
}

/// How long each plan went on that another one superseded, as a log tells.
fn drops(log: &str) -> Vec<Duration> {
    let events = log.lines().filter_map(|line| {
        let (time, _) = line.trim().split_once('Z')?;
        let seconds: f64 = time.rsplit(':').next()?.parse().ok()?;
        let minutes: f64 = time.rsplit(':').nth(1)?.parse().ok()?;
        Some((line, 60.0 * minutes + seconds))
    });
    let mut superseded = None;
    let mut found = Vec::new();
    for (line, time) in events {
        if line.contains("plan superseded") {
            superseded = Some(time);
        } else if line.contains("plan dropped")
            && let Some(superseded) = superseded.take()
        {
            found.push(Duration::from_secs_f64((time - superseded).max(0.0)));
        }
    }
    found
}

/// A repository of many root modules: only those with an open file are planned.
pub fn roots(bench: &Bench) -> String {
    let roots = bench.roots(bench.size(200));
    let folder = roots[0].parent().unwrap();
    let mut table = "\
root modules in the folder | open | first hint | edit p95 | processes | memory
---------------------------|------|------------|----------|-----------|-------
"
    .to_owned();
    let mut first_hints = Vec::new();
    for (count, open) in [(1, 1), (roots.len(), 1), (roots.len(), 5)] {
        let folder = if count == 1 {
            roots[0].as_path()
        } else {
            folder
        };
        let (first, times, processes, memory) = bench.middle(
            || one_of_roots(bench, folder, &roots[..open]),
            |(first, ..)| *first,
        );
        first_hints.push(first);
        let _ = writeln!(
            table,
            "{count:<26} | {open:>4} | {:>7} ms | {} | {processes:>9} | {memory:>3} MiB{}",
            first.as_millis(),
            at(&times, 95),
            match open {
                5 => {
                    let line = format!("planned of {count} root modules with 5 open");
                    let figure = processes.to_string();
                    "  ".to_owned() + &bench.gate(line, figure, "at most 5", processes <= 5)
                }
                _ => String::new(),
            },
        );
    }
    let ratio = first_hints[2].as_secs_f64() / first_hints[0].as_secs_f64();
    let line = format!(
        "first hint in {} root modules with 5 open beside one alone",
        roots.len()
    );
    let figure = format!("{ratio:.2} x");
    let gate = bench.gate(
        line.as_str(),
        figure.as_str(),
        "at most 1.5 x",
        ratio <= 1.5,
    );
    table + &format!("{line}: {figure} ({gate})\n") + &of_shared(bench)
}

/// A module that one root module calls, or thirty.
fn of_shared(bench: &Bench) -> String {
    let mut text = String::new();
    let mut first_hints = Vec::new();
    for callers in [1, 30] {
        let module = bench.shared(callers);
        let (first, times, processes, _) = bench.middle(
            || {
                let open = std::slice::from_ref(&module);
                one_of_roots(bench, module.parent().unwrap(), open)
            },
            |(first, ..)| *first,
        );
        first_hints.push(first);
        let line = format!("plugins of a module of {callers} callers");
        let figure = processes.to_string();
        let gate = bench.gate(line.as_str(), figure.as_str(), "at most 8", processes <= 8);
        let _ = writeln!(
            text,
            "a module of {callers} callers: first hint {} ms, edit p95 {} ms, {processes} plugins ({gate})",
            first.as_millis(),
            at(&times, 95),
        );
    }
    let ratio = first_hints[1].as_secs_f64() / first_hints[0].as_secs_f64();
    let line = "first hint in a module of 30 callers beside one of one";
    let figure = format!("{ratio:.2} x");
    let gate = bench.gate(line, figure.as_str(), "at most 1.5 x", ratio <= 1.5);
    text + &format!("{line}: {figure} ({gate})\n")
}

/// Opens root modules in a folder and edits the first. Answers when the first hint was there, the times of the edits,
/// how many plugin processes there are, and the server's memory in MiB.
fn one_of_roots(
    bench: &Bench,
    folder: &Path,
    open: &[PathBuf],
) -> (Duration, Vec<Duration>, usize, u64) {
    let mut command = bench.planlens(folder);
    command
        .arg("lsp")
        .stderr(File::create(bench.log()).unwrap());
    let begin = Instant::now();
    let mut editor = Editor::launch(&mut command, "warn", folder, &open[0]);
    for root in &open[1..] {
        let uri = format!("file://{}/main.tf", root.display());
        let text = std::fs::read_to_string(root.join("main.tf")).unwrap();
        editor.open(&uri, "terraform", &text);
    }
    let mut lines = editor.text.lines();
    let line = lines.position(|line| line.contains("\"value-")).unwrap();
    editor.type_name(line, "first");
    editor.wait_for_hint(line, "first");
    let first = editor.arrived - begin;
    let times = edit_and_wait(&mut editor, |line| line).0;
    let processes = editor.plugin_ids().len();
    let memory = editor.memory().unwrap_or_default() >> 20;
    editor.stop();
    (first, times, processes, memory)
}

/// Renaming a resource, with the plan that proves it.
pub fn renames(bench: &Bench) -> String {
    let mut table = "\
rename with its proof     |     p50 |     p95 | p95
--------------------------|---------|---------|----
"
    .to_owned();
    for count in [100, 1000] {
        let count = bench.size(count);
        let module = bench.module(Kind::RandomId, count, true);
        let times = bench.middle_times(|| {
            let mut editor =
                Editor::start_logging("warn", &module, &bench.environment, &bench.log());
            let heads: Vec<usize> = (0..)
                .zip(editor.text.lines())
                .filter(|(_, line)| line.starts_with("resource"))
                .map(|(number, _)| number)
                .collect();
            let mut rename = |head: usize, name: String| {
                let params = json!({
                    "textDocument": { "uri": editor.uri },
                    "position": { "line": head, "character": "resource \"random_id\" \"r".len() },
                    "newName": name,
                });
                let begin = Instant::now();
                let id = editor.request("textDocument/rename", params);
                let edit = editor.answer(id).0.to_string();
                assert!(edit.contains("moved {"), "{edit}");
                editor.arrived - begin
            };
            rename(heads[0], "warm".to_owned());
            let mut times: Vec<Duration> = (0..EDITS)
                .map(|edit| {
                    let head = heads[(edit * 37 + 11) % heads.len()];
                    rename(head, format!("renamed{edit}"))
                })
                .collect();
            editor.stop();
            times.sort();
            times
        });
        let _ = writeln!(
            table,
            "{:<25} | {} | {} | {}",
            format!("{count} random_id"),
            at(&times, 50),
            at(&times, 95),
            bench.within(
                format!("rename with its proof, {count} random_id, p95"),
                percentile(&times, 95),
                150
            ),
        );
    }
    table
}

/// A row of `planlens stats --edits` about one edit.
struct EditRow {
    segments: usize,
    nodes: usize,
    instances: usize,
    calls: f64,
    milliseconds: f64,
}

fn edit_rows(bench: &Bench, module: &Path) -> (Vec<EditRow>, f64) {
    let count = format!("--count={}", 10 * EDITS);
    let arguments = ["stats", "--edits", count.as_str()];
    let (printed, _) = bench.run(bench.planlens(module).args(arguments));
    let mut rows: Vec<EditRow> = printed
        .lines()
        .filter_map(|line| {
            let columns: Vec<&str> = line.split_whitespace().collect();
            columns.first()?.parse::<usize>().ok()?;
            Some(EditRow {
                segments: columns.get(1)?.parse().ok()?,
                nodes: columns.get(2)?.parse().ok()?,
                instances: columns.get(3)?.parse().ok()?,
                calls: columns.get(4)?.parse().ok()?,
                milliseconds: columns.get(7)?.parse().ok()?,
            })
        })
        .collect();
    // The first edits find caches and memory cold.
    rows.drain(..EDITS.min(rows.len() / 2));
    rows.sort_by(|a, b| a.milliseconds.total_cmp(&b.milliseconds));
    let p50 = rows[rows.len() / 2].milliseconds;
    (rows, p50)
}

/// The part of an edit that grows with the module: everything but the editor and the provider's process.
pub fn without_an_editor(bench: &Bench) -> String {
    let mut table = "\
planlens stats --edits    | segments | nodes | instances | calls |    p50 |    p95 | ratio | budget
--------------------------|----------|-------|-----------|-------|--------|--------|-------|----------
"
    .to_owned();
    let mut first = None;
    for count in [100, 1000, 5000] {
        let count = bench.size(count);
        let module = bench.module(Kind::TerraformData, count, true);
        let (rows, p50) = bench.middle(|| edit_rows(bench, &module), |(_, p50)| (p50 * 1e6) as u64);
        let most = |of: fn(&EditRow) -> usize| rows.iter().map(of).max().unwrap_or_default();
        let (least, first) = *first.get_or_insert((count, p50));
        let growth = match count == least {
            true => String::new(),
            false => bench.gate(
                format!("stats --edits, {count} terraform_data beside {least}"),
                format!("{:.2} x", p50 / first),
                "at most 3 x",
                p50 <= 3.0 * first,
            ),
        };
        let _ = writeln!(
            table,
            "{:<25} | {:>8} | {:>5} | {:>9} | {:>5.1} | {p50:>6.2} | {:>6.2} | {:>5.2} | {}",
            format!("{count} terraform_data"),
            most(|row| row.segments),
            most(|row| row.nodes),
            most(|row| row.instances),
            rows[rows.len() / 2].calls,
            rows[rows.len() * 95 / 100].milliseconds,
            p50 / first,
            growth,
        );
    }
    table
        + "ratio: of the p50 to that of the first line. The counts are the most of any edit. Times in ms.\n"
}
