//! Trees of modules as real configurations are: `tests/trees`, on the published schemas of a large cloud.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support;
use crate::support::editor::Editor;
use crate::{Bench, EDITS, RUNS, at, median_of, percentile};

const TREES: [&str; 4] = ["servers", "services", "clusters", "networks"];

pub fn trees(bench: &Bench) -> String {
    let mut table = "\
tree     | objects | first hint | one reads it: p50 |     p95 | CPU     | all read it: p50 |     p95 | CPU     | plan    | terraform plan | ratio
---------|---------|------------|-------------------|---------|---------|------------------|---------|---------|---------|----------------|------
"
    .to_owned();
    for name in TREES {
        let tree = Tree::new(bench, name);
        // Keeps the schemas.
        bench.run(tree.planlens().arg("plan"));
        let (first, one, all) = bench.middle(|| tree.edits(), |(_, one, _)| percentile(&one.0, 95));
        let ours = median_of(RUNS.max(bench.runs), || {
            bench.run(tree.planlens().arg("plan")).1
        });
        let plan = ["plan", "-refresh=false", "-input=false"];
        let theirs = median_of(RUNS.max(bench.runs), || {
            bench.run(tree.terraform().args(plan)).1
        });
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        let _ = writeln!(
            table,
            "{name:<8} | {:>7} | {:>7} ms | {:>17} | {} | {:>4.1} ms | {:>16} | {} | {:>4.1} ms | {:>4} ms | {:>11} ms | {ratio:.1} x",
            tree.objects(),
            first.as_millis(),
            at(&one.0, 50),
            at(&one.0, 95),
            each(one.1),
            at(&all.0, 50),
            at(&all.0, 95),
            each(all.1),
            ours.as_millis(),
            theirs.as_millis(),
        );
        bench.within(
            format!("{name}: edit -> hint where one reads it, p95"),
            percentile(&one.0, 95),
            12,
        );
        bench.within(
            format!("{name}: edit -> hint where all read it, p95"),
            percentile(&all.0, 95),
            40,
        );
        let cost = one.1 / EDITS as u32;
        bench.within(format!("{name}: CPU of an edit that one reads"), cost, 15);
        bench.within(format!("{name}: start -> first hint"), first, 500);
        bench.gate(
            format!("{name}: whole plan beside terraform plan"),
            format!("{ratio:.1} x as fast"),
            "at least 8 x",
            ratio >= 8.0,
        );
    }
    table
}

/// In milliseconds.
fn each(all: Duration) -> f64 {
    all.as_secs_f64() * 1000.0 / EDITS as f64
}

/// A tree, applied.
struct Tree<'a> {
    bench: &'a Bench,
    root: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

impl<'a> Tree<'a> {
    fn new(bench: &'a Bench, name: &str) -> Tree<'a> {
        let environment = clouds(bench);
        let folder = bench.folder.join("trees");
        let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/trees");
        for part in ["modules", name] {
            copy(&text.join(part), &folder.join(part));
        }
        let tree = Tree {
            bench,
            root: folder.join(name),
            environment,
        };
        bench.run(tree.terraform().args(["init", "-input=false"]));
        bench.run(
            tree.terraform()
                .args(["apply", "-auto-approve", "-input=false"]),
        );
        tree
    }

    fn terraform(&self) -> std::process::Command {
        let mut command = self.bench.terraform(&self.root);
        command.envs(self.environment.iter().cloned());
        command
    }

    fn planlens(&self) -> std::process::Command {
        let mut command = self.bench.planlens(&self.root);
        command.envs(self.environment.iter().cloned());
        command
    }

    fn objects(&self) -> usize {
        let state = fs::read_to_string(self.root.join("terraform.tfstate")).unwrap();
        state.matches("\"schema_version\"").count()
    }

    /// The time from the start to the first hint, and the times and the processor time of edits of a name that one
    /// instance of a module reads, and of one that all of them read.
    fn edits(&self) -> (Duration, Measured, Measured) {
        let begin = Instant::now();
        let log = self.bench.log();
        let mut editor = Editor::start_logging("warn", &self.root, &self.environment, &log);
        let line_of = |text: &str| {
            editor
                .text
                .lines()
                .position(|line| line.contains(text))
                .unwrap()
        };
        let [middle, last] =
            ["middle", "last"].map(|name| line_of(&format!("output {name:?}")) + 1);
        let module = editor.text.lines().nth(middle).unwrap();
        let module = module.split('.').nth(1).unwrap();
        let call = line_of(&format!("module {module:?}"));
        let named = editor
            .text
            .lines()
            .skip(call)
            .position(|line| line.contains(" name "));
        let (named, own) = (call + named.unwrap(), line_of("  name   = \""));
        editor.wait_for_value(last, "-");
        let first = editor.arrived - begin;
        editor.wait_for_plan();
        let one = measure(&mut editor, |editor, value| {
            editor.type_name(named, &format!("${{local.name}}-{value}"));
            middle
        });
        let all = measure(&mut editor, |editor, value| {
            editor.type_name(own, value);
            last
        });
        editor.stop();
        (first, one, all)
    }
}

/// The environment with the providers of large clouds.
pub fn clouds(bench: &Bench) -> Vec<(&'static str, PathBuf)> {
    let mut environment = bench.environment.clone();
    let clouds = support::cache().unwrap().join("clouds/terraformrc");
    assert!(clouds.exists(), "run tests/providers/build clouds");
    environment.retain(|(name, _)| *name != "TF_CLI_CONFIG_FILE");
    environment.push(("TF_CLI_CONFIG_FILE", clouds));
    environment
}

/// Times in order, and the server's processor time for all of them.
type Measured = (Vec<Duration>, Duration);

/// Edits to values that were never there, and waits for the hint at the line that `edit` answers.
fn measure(editor: &mut Editor, edit: impl Fn(&mut Editor, &str) -> usize) -> Measured {
    let warm = edit(editor, "warm");
    editor.wait_for_value(warm, "warm");
    editor.wait_for_plan();
    let begin = editor.processor_times().0;
    let mut times = Vec::new();
    for nth in 0..EDITS {
        let value = format!("edit{nth}x");
        let begin = Instant::now();
        let line = edit(editor, &value);
        editor.wait_for_value(line, &value);
        times.push(editor.arrived - begin);
    }
    let processor = editor.processor_times().0 - begin;
    times.sort();
    (times, processor)
}

fn copy(from: &Path, to: &Path) {
    if to.join("main.tf").exists() {
        return;
    }
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
