//! What an edit, a cold plan and the server's memory cost, beside terraform in the same run. A table, never a test that
//! fails because of the time.

#[path = "../support/mod.rs"]
mod support;

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::editor::Editor;
use support::{planlens, program, scratch};

/// Edits that each percentile stands on.
const EDITS: usize = 60;
/// Runs that each median of a whole command stands on.
const RUNS: usize = 3;

/// Measures, and tells a table.
type Section = fn(&Bench) -> String;

fn main() {
    // `cargo bench NAME` passes the name on: only sections whose name contains it are measured.
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| !argument.starts_with('-'))
        .collect();
    let sections: [(&str, Section); 6] = [
        ("throughput", throughput),
        ("editor", edits_in_the_editor),
        ("rename", renames),
        ("stats", edits_without_an_editor),
        ("cold", cold_plans),
        ("memory", memory),
    ];
    let bench = match Bench::new() {
        Ok(bench) => bench,
        Err(reason) => return say(&format!("SKIPPED bench: {reason}\n")),
    };
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    say(&format!("load of the machine before: {load}\n"));
    for (name, section) in sections {
        if wanted.is_empty() || wanted.iter().any(|wanted| name.contains(wanted.as_str())) {
            say(&section(&bench));
        }
    }
}

struct Bench {
    terraform: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
    folder: PathBuf,
}

impl Bench {
    fn new() -> Result<Bench, String> {
        let cache = support::cache()?;
        Ok(Bench {
            terraform: program("terraform").ok_or("no terraform on the PATH")?,
            environment: vec![("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))],
            folder: scratch("bench"),
        })
    }

    /// A root module with `count` resources, initialized, with or without a state in which they all are. The state is
    /// made here, as applying thousands takes its time; `terraform plan` finds nothing to do.
    fn module(&self, kind: Kind, count: usize, has_state: bool) -> PathBuf {
        let name = format!("{}-{count}-{has_state}", kind.type_name());
        let module = self.folder.join(name);
        if module.exists() {
            return module;
        }
        fs::create_dir_all(&module).unwrap();
        let text: String = (0..count).map(|index| kind.resource(index)).collect();
        fs::write(module.join("main.tf"), text).unwrap();
        self.run(self.terraform(&module).args(["init", "-input=false"]));
        if has_state {
            let mut resources: Vec<Value> = (0..count).map(|it| kind.stored(it)).collect();
            resources.sort_by_key(|resource| resource["name"].to_string());
            let state = json!({
                "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "planlens-bench",
                "outputs": {}, "resources": resources, "check_results": null,
            });
            fs::write(module.join("terraform.tfstate"), state.to_string()).unwrap();
            if count == 100 {
                let plan = [
                    "plan",
                    "-refresh=false",
                    "-input=false",
                    "-detailed-exitcode",
                ];
                self.run(self.terraform(&module).args(plan));
            }
        }
        module
    }

    fn terraform(&self, module: &Path) -> Command {
        let mut command = support::command(&self.terraform, module);
        command.envs(self.environment.iter().cloned());
        command
    }

    fn planlens(&self, module: &Path) -> Command {
        let mut command = planlens(module);
        command.envs(self.environment.iter().cloned());
        command
    }

    fn terraform_plan(&self, module: &Path) -> Duration {
        let plan = ["plan", "-refresh=false", "-input=false"];
        median(|| self.run(self.terraform(module).args(plan)).1)
    }

    /// What the command printed, and how long it took.
    fn run(&self, command: &mut Command) -> (String, Duration) {
        let begin = Instant::now();
        let output = command.output().unwrap();
        let time = begin.elapsed();
        assert!(output.status.success(), "{}", support::printed(&output));
        (String::from_utf8_lossy(&output.stdout).into_owned(), time)
    }
}

/// Resources of which any edit of the first argument forces replacement.
#[derive(Clone, Copy)]
enum Kind {
    TerraformData,
    RandomPet,
    RandomId,
}

impl Kind {
    fn type_name(self) -> &'static str {
        match self {
            Kind::TerraformData => "terraform_data",
            Kind::RandomPet => "random_pet",
            Kind::RandomId => "random_id",
        }
    }

    fn resource(self, index: usize) -> String {
        let arguments = match self {
            Kind::TerraformData => {
                format!("triggers_replace = \"value-{index}\"\n  input = \"input-{index}\"")
            }
            Kind::RandomPet => format!(
                "prefix  = \"value-{index}\"\n  length  = 2\n  keepers = {{ server = \"server-{index}\" }}"
            ),
            Kind::RandomId => format!(
                "prefix      = \"value-{index}\"\n  byte_length = 8\n  keepers     = {{ server = \"server-{index}\" }}"
            ),
        };
        format!(
            "resource \"{}\" \"r{index}\" {{\n  {arguments}\n}}\n\n",
            self.type_name()
        )
    }

    /// The resource in a state.
    fn stored(self, index: usize) -> Value {
        let typed = |text: String| json!({ "value": text, "type": "string" });
        let keepers = json!({ "server": format!("server-{index}") });
        let prefix = format!("value-{index}");
        let attributes = match self {
            Kind::TerraformData => json!({
                "id": format!("{index:08x}-7f55-824b-f436-3e7063936c5c"),
                "input": typed(format!("input-{index}")), "output": typed(format!("input-{index}")),
                "triggers_replace": typed(prefix),
            }),
            Kind::RandomPet => json!({
                "id": format!("{prefix}-able-ant"), "keepers": keepers, "length": 2, "prefix": prefix,
                "separator": "-",
            }),
            Kind::RandomId => json!({
                "id": "AAAAAAAAAAE", "b64_std": format!("{prefix}AAAAAAAAAAE="),
                "b64_url": format!("{prefix}AAAAAAAAAAE"), "byte_length": 8, "dec": format!("{prefix}1"),
                "hex": format!("{prefix}0000000000000001"), "keepers": keepers, "prefix": prefix,
            }),
        };
        let provider = match self {
            Kind::TerraformData => "terraform.io/builtin/terraform",
            Kind::RandomPet | Kind::RandomId => "registry.terraform.io/hashicorp/random",
        };
        json!({
            "mode": "managed", "type": self.type_name(), "name": format!("r{index}"),
            "provider": format!("provider[{provider:?}]"),
            "instances": [{ "schema_version": 0, "attributes": attributes, "sensitive_attributes": [] }],
        })
    }
}

/// How fast configuration is read, and a module of local values evaluated.
fn throughput(bench: &Bench) -> String {
    let texts: Vec<String> = ["server/syntax/tests/corpus", "examples/first-plan"]
        .iter()
        .flat_map(|folder| fs::read_dir(support::repository().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tf"))
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let parsed = median_of(20, || {
        let begin = Instant::now();
        for text in &texts {
            std::hint::black_box(syntax::parse(text));
        }
        begin.elapsed()
    });
    let speed = bytes as f64 / parsed.as_secs_f64() / 1e6;
    let module = bench.folder.join("locals");
    fs::create_dir_all(&module).unwrap();
    let local = |index: usize| {
        let before = index.saturating_sub(1);
        let value = match index {
            0 => "1".to_owned(),
            _ => format!("local.v{before} + length(\"${{local.v{before}}} of {index}\")"),
        };
        format!("  v{index} = {value}\n")
    };
    let locals: String = (0..1000).map(local).collect();
    fs::write(module.join("main.tf"), format!("locals {{\n{locals}}}\n")).unwrap();
    let evaluated = median_of(RUNS, || {
        let (printed, _) = bench.run(bench.planlens(&module).arg("stats"));
        let line = printed.lines().find_map(|line| line.strip_prefix("plan"));
        let time = line.and_then(|line| line.split_whitespace().next());
        Duration::from_secs_f64(time.unwrap().parse::<f64>().unwrap() / 1e3)
    });
    format!(
        "parse and typed tree: {speed:.0} MB/s of {bytes} bytes ({})\n\
         evaluate 1,000 local values in a chain: {} ms ({})\n\n",
        met(speed >= 30.0),
        at(&[evaluated], 0).trim(),
        met(evaluated < Duration::from_millis(20)),
    )
}

fn met(is_met: bool) -> &'static str {
    match is_met {
        true => "met",
        false => "missed",
    }
}

/// From the keystroke to the hint that names the new value, through the real server's standard input and output.
fn edits_in_the_editor(bench: &Bench) -> String {
    let mut table = "\
edit -> hint              |    p50 |    p95 |    p99 | calls | terraform plan | ratio to p50 | budget
--------------------------|--------|--------|--------|-------|----------------|--------------|-------
"
    .to_owned();
    for (kind, count) in [
        (Kind::RandomPet, 100),
        (Kind::TerraformData, 100),
        (Kind::TerraformData, 1000),
        (Kind::TerraformData, 5000),
        (Kind::RandomId, 1000),
        (Kind::RandomId, 5000),
    ] {
        let budget = if count > 1000 { 60 } else { 25 };
        let module = bench.module(kind, count, true);
        let times = edit_in_the_editor(bench, &module, &bench.folder.join("log")).0;
        let (rows, _) = edit_rows(bench, &module);
        let calls = rows.iter().map(|row| row.calls).sum::<f64>() / rows.len() as f64;
        let theirs = bench.terraform_plan(&module);
        let _ = writeln!(
            table,
            "{:<25} | {} | {} | {} | {calls:>5.1} | {:>11} ms | {:>11.0}x | p95 <= {budget} ms: {}",
            format!("{count} {}", kind.type_name()),
            at(&times, 50),
            at(&times, 95),
            at(&times, 99),
            theirs.as_millis(),
            theirs.as_secs_f64() / times[times.len() / 2].as_secs_f64(),
            met(times[(times.len() - 1) * 95 / 100] <= Duration::from_millis(budget)),
        );
    }
    table
        + "calls: to the provider for each such edit, as `planlens stats --edits` counts them. Times in ms.\n\n"
}

/// How long each edit took, in order, and the server's peak memory.
fn edit_in_the_editor(bench: &Bench, module: &Path, log: &Path) -> (Vec<Duration>, Option<u64>) {
    let mut editor = Editor::start_logging("warn", module, &bench.environment, log);
    let lines: Vec<usize> = (0..)
        .zip(editor.text.lines())
        .filter(|(_, line)| line.contains("\"value-"))
        .map(|(number, _)| number)
        .collect();
    editor.type_name(lines[0], "warm");
    editor.wait_for_hint(lines[0], "warm");
    let mut times = Vec::new();
    for edit in 0..EDITS {
        // A place all over the file, and a value that was never sent before.
        let line = lines[(edit * 37 + 11) % lines.len()];
        let value = format!("edit-{edit}");
        let begin = Instant::now();
        editor.type_name(line, &value);
        editor.wait_for_hint(line, &value);
        times.push(begin.elapsed());
    }
    let memory = editor.peak_memory();
    editor.stop();
    times.sort();
    (times, memory)
}

/// What `planlens stats --edits` says of one edit.
struct EditRow {
    segments: usize,
    nodes: usize,
    instances: usize,
    calls: f64,
    milliseconds: f64,
}

fn edit_rows(bench: &Bench, module: &Path) -> (Vec<EditRow>, f64) {
    let count = format!("--count={}", 10 * EDITS);
    let (printed, _) = bench.run(
        bench
            .planlens(module)
            .args(["stats", "--edits", count.as_str()]),
    );
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

/// What grows with the module in an edit: everything but the editor and the provider's process.
fn edits_without_an_editor(bench: &Bench) -> String {
    let mut table = "\
planlens stats --edits    | segments | nodes | instances | calls |    p50 |    p95 | ratio | at most 3
--------------------------|----------|-------|-----------|-------|--------|--------|-------|----------
"
    .to_owned();
    let mut first = None;
    for count in [100, 1000, 5000] {
        let module = bench.module(Kind::TerraformData, count, true);
        let (rows, p50) = edit_rows(bench, &module);
        let most = |of: fn(&EditRow) -> usize| rows.iter().map(of).max().unwrap_or_default();
        let first = *first.get_or_insert(p50);
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
            met(p50 <= 3.0 * first),
        );
    }
    table
        + "ratio: of the p50 to that of the first line. The counts are the most of any edit. Times in ms.\n\n"
}

/// The plan of a module that was never applied, by a new process.
fn cold_plans(bench: &Bench) -> String {
    let mut table = "\
cold plan, all to create  | planlens plan | terraform plan | ratio | budget
--------------------------|---------------|----------------|-------|-------
"
    .to_owned();
    for kind in [Kind::TerraformData, Kind::RandomId] {
        let budget = match kind {
            Kind::TerraformData => 20.0,
            Kind::RandomPet | Kind::RandomId => 3.0,
        };
        for count in [100, 1000, 5000] {
            let module = bench.module(kind, count, false);
            let ours = median(|| bench.run(bench.planlens(&module).arg("plan")).1);
            let theirs = bench.terraform_plan(&module);
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            let _ = writeln!(
                table,
                "{:<25} | {:>10} ms | {:>11} ms | {ratio:>4.1}x | at least {budget} x: {}",
                format!("{count} {}", kind.type_name()),
                ours.as_millis(),
                theirs.as_millis(),
                met(ratio >= budget),
            );
        }
    }
    table + "The median of three runs each; terraform with -refresh=false.\n\n"
}

/// The server in an editor, without plugin processes.
fn memory(bench: &Bench) -> String {
    let mut text = String::new();
    for (count, budget) in [(1000, 80), (5000, 250)] {
        let module = bench.module(Kind::TerraformData, count, true);
        let (_, peak) = edit_in_the_editor(bench, &module, &bench.folder.join("log"));
        let _ = match peak {
            Some(bytes) => writeln!(
                text,
                "peak memory of the server, {count} terraform_data open, {EDITS} edits: {} MiB (at most {budget}: {})",
                bytes >> 20,
                met(bytes >> 20 <= budget),
            ),
            None => writeln!(text, "peak memory of the server: not known on this system"),
        };
    }
    text
}

fn median(run: impl FnMut() -> Duration) -> Duration {
    median_of(RUNS, run)
}

fn median_of(runs: usize, mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..runs).map(|_| run()).collect();
    times.sort();
    times[runs / 2]
}

/// Renaming a resource, with the plan that proves it.
fn renames(bench: &Bench) -> String {
    let mut table = "rename with its proof     |    p50 |    p95 | budget\n--------------------------|--------|--------|-------\n".to_owned();
    for count in [100, 1000] {
        let module = bench.module(Kind::RandomId, count, true);
        let mut editor = Editor::start_logging(
            "warn",
            &module,
            &bench.environment,
            &bench.folder.join("log"),
        );
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
            begin.elapsed()
        };
        rename(heads[0], "warm".to_owned());
        let mut times: Vec<Duration> = (0..EDITS)
            .map(|edit| {
                rename(
                    heads[(edit * 37 + 11) % heads.len()],
                    format!("renamed{edit}"),
                )
            })
            .collect();
        editor.stop();
        times.sort();
        let p95 = times[(times.len() - 1) * 95 / 100];
        let budget = match count {
            1000 => format!("p95 <= 150 ms: {}", met(p95 <= Duration::from_millis(150))),
            _ => String::new(),
        };
        let _ = writeln!(
            table,
            "{:<25} | {} | {} | {budget}",
            format!("{count} random_id"),
            at(&times, 50),
            at(&times, 95),
        );
    }
    table + "\n"
}

fn at(times: &[Duration], percent: usize) -> String {
    let time = times[(times.len() - 1) * percent / 100];
    format!("{:>6.2}", time.as_secs_f64() * 1000.0)
}

fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
