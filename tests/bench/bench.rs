//! The costs of an edit and a plan, and the server's memory, beside terraform and terraform-ls in the same run. A table, never a
//! test that fails because of the time.

mod agents;
mod edits;
mod memory;
mod monorepo;
mod peers;
mod plans;
mod programs;
mod screens;
mod soak;
#[path = "../support/mod.rs"]
mod support;
mod trees;
mod workspaces;

use std::cell::RefCell;
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use support::{planlens, program, scratch};

/// Edits that each percentile stands on.
const EDITS: usize = 60;
/// Runs that each median of a whole command stands on.
const RUNS: usize = 3;
/// Above this load the figures are not to be trusted.
const CALM: f64 = 1.5;

/// Measures, and tells a table.
type Section = fn(&Bench) -> String;

/// In the order in which they are measured, with the subject of each.
const SECTIONS: [(&str, Section, &str); 22] = [
    (
        "throughput",
        plans::throughput,
        "parsing, and 1,000 local values",
    ),
    (
        "editor",
        edits::edits_in_the_editor,
        "from a keystroke to the hint that names the new value",
    ),
    (
        "screens",
        screens::screens,
        "from a key to the screen of VS Code and Neovim",
    ),
    (
        "dependents",
        edits::dependents,
        "an edit that 50 resources read",
    ),
    (
        "visible",
        edits::visible,
        "what is shown before the rest of a large plan, and plans that are superseded",
    ),
    (
        "roots",
        edits::roots,
        "200 root modules, of which 5 are open",
    ),
    (
        "monorepo",
        monorepo::monorepo,
        "500 root modules: opening, symbols, references, a rename, and doing nothing",
    ),
    (
        "types",
        monorepo::types,
        "completion among the types of a large provider",
    ),
    (
        "trees",
        trees::trees,
        "trees of modules on a large cloud's schemas",
    ),
    ("rename", edits::renames, "a rename with its proof"),
    (
        "stats",
        edits::without_an_editor,
        "what grows with the module in an edit",
    ),
    (
        "peers",
        peers::peers,
        "completion, tokens, lenses and diagnostics after an edit, beside terraform-ls",
    ),
    (
        "agents",
        agents::agents,
        "the plan of an edit that an agent proposes, beside terraform",
    ),
    (
        "programs",
        programs::programs,
        "edits and whole plans of Pulumi programs, beside Pulumi's engine",
    ),
    (
        "start",
        peers::start,
        "from the start of the server to the first completion and the first plan",
    ),
    (
        "cold",
        plans::cold,
        "a whole plan by a new process, its processor time, and its growth",
    ),
    (
        "shapes",
        plans::shapes,
        "modules three deep, a chain, and for_each over 1,000 keys",
    ),
    ("warm", plans::warm, "a whole plan of which nothing changed"),
    ("memory", memory::memory, "the server's peak memory"),
    (
        "schema",
        memory::schema,
        "what a schema of 1,500 types adds to it",
    ),
    (
        "clouds",
        memory::clouds,
        "the real schemas of aws, azurerm and google at once",
    ),
    (
        "soak",
        soak::soak,
        "random edits while plugins are killed; only when it is named",
    ),
];

const HELP: &str = "\
Usage: tests/bench/run [SECTION...] [--runs=N] [--small] [--minutes=N]

Measures all sections but soak, or those that are named.

  --runs=N     measures each line N times (1) and prints the one in the middle
  --small      a tenth of the resources: to see that it works
  --minutes=N  how long soak takes (5)

Sections:
";

fn main() {
    let (mut wanted, mut bench) = (Vec::new(), Bench::default());
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            // Arguments that cargo adds.
            "--bench" | "--test" => {}
            "--small" => bench.shrink = 10,
            "-h" | "--help" => return say(&help()),
            _ if SECTIONS.iter().any(|(name, ..)| *name == argument) => wanted.push(argument),
            _ => match (
                number(&argument, "--minutes="),
                number(&argument, "--runs="),
            ) {
                (Some(minutes), _) => bench.minutes = minutes,
                (_, Some(runs @ 1..)) => bench.runs = runs as usize,
                _ => {
                    say(&format!("there is no {argument:?}\n\n{}", help()));
                    std::process::exit(2);
                }
            },
        }
    }
    if let Err(reason) = bench.prepare() {
        return say(&format!("SKIPPED bench: {reason}\n"));
    }
    let machine = machine();
    say(&machine);
    if bench.runs > 1 {
        say(&format!(
            "each line is measured {} times; what is printed is the one in the middle\n",
            bench.runs
        ));
    }
    say("\n");
    for (name, section, _) in SECTIONS {
        let is_wanted = match wanted.is_empty() {
            true => name != "soak",
            false => wanted.iter().any(|wanted| wanted == name),
        };
        if is_wanted {
            let begin = Instant::now();
            let text = section(&bench);
            let seconds = begin.elapsed().as_secs();
            say(&format!("{text}({name}: {seconds} s)\n\n"));
        }
    }
    let command = std::env::args().skip(1).filter(|it| it != "--bench");
    let command: String = command.map(|argument| format!(" {argument}")).collect();
    say(&format!("`tests/bench/run{command}`, {machine}\n"));
    say(&bench.summary());
}

fn number(argument: &str, option: &str) -> Option<u64> {
    argument.strip_prefix(option)?.parse().ok()
}

/// The machine, and its load before the run: figures of a busy one say little.
fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let mut models = info.lines().filter(|line| line.starts_with("model name"));
    let model = models.next().and_then(|line| line.split_once(": "));
    let model = model.map_or("unknown", |(_, model)| model.trim());
    let loads = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let last_minute = loads.split(' ').next().unwrap_or_default();
    let is_busy = last_minute.parse().is_ok_and(|load: f64| load > CALM);
    let warning = match is_busy {
        true => format!("  WARNING: above {CALM}, so budgets may be missed because of it"),
        false => String::new(),
    };
    format!(
        "{cores} cores ({model}), load in the minute before {last_minute}{warning}, {} {}\n",
        std::env::consts::OS,
        std::env::consts::ARCH,
    )
}

fn help() -> String {
    let lines = SECTIONS.map(|(name, _, what)| format!("  {name:<12} {what}\n"));
    format!("{HELP}{}", lines.concat())
}

struct Bench {
    terraform: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
    folder: PathBuf,
    /// All numbers of resources are divided by it.
    shrink: usize,
    minutes: u64,
    /// How often each line is measured; the one in the middle is printed.
    runs: usize,
    gates: RefCell<Vec<Gate>>,
}

/// A line of the summary.
struct Gate {
    line: String,
    figure: String,
    gate: String,
    is_met: bool,
}

impl Default for Bench {
    fn default() -> Bench {
        Bench {
            terraform: PathBuf::new(),
            environment: Vec::new(),
            folder: PathBuf::new(),
            shrink: 1,
            minutes: 5,
            runs: 1,
            gates: RefCell::default(),
        }
    }
}

impl Bench {
    fn prepare(&mut self) -> Result<(), String> {
        let cache = support::cache()?;
        self.terraform = program("terraform").ok_or("no terraform on the PATH")?;
        self.folder = scratch("bench");
        // Schemas are kept in a folder of the run's own.
        self.environment = vec![
            ("TF_CLI_CONFIG_FILE", cache.join("terraformrc")),
            ("XDG_CACHE_HOME", self.folder.join("cache")),
        ];
        Ok(())
    }

    /// Notes a line of the summary. Answers the gate in words, and whether the figure keeps it.
    fn gate(
        &self,
        line: impl Into<String>,
        figure: impl Into<String>,
        gate: impl Into<String>,
        is_met: bool,
    ) -> String {
        let gate = gate.into();
        let text = format!("{gate}: {}", met(is_met));
        self.gates.borrow_mut().push(Gate {
            line: line.into(),
            figure: figure.into(),
            gate,
            is_met,
        });
        text
    }

    /// The same for a time and the most that it may be, in milliseconds.
    fn within(&self, line: impl Into<String>, time: Duration, budget: u64) -> String {
        let figure = format!("{} ms", ms(time).trim());
        let is_met = time <= Duration::from_millis(budget);
        self.gate(line, figure, format!("<= {budget} ms"), is_met)
    }

    /// All gates of this run, those that are missed first.
    fn summary(&self) -> String {
        let gates = self.gates.borrow();
        let missed = gates.iter().filter(|gate| !gate.is_met);
        let all = missed
            .clone()
            .chain(gates.iter().filter(|gate| gate.is_met));
        let mut text = format!(
            "{} of {} gates are met.\n\n| what | figure | gate | |\n|---|---|---|---|\n",
            gates.len() - missed.count(),
            gates.len(),
        );
        for Gate {
            line,
            figure,
            gate,
            is_met,
        } in all
        {
            let _ = writeln!(text, "| {line} | {figure} | {gate} | {} |", met(*is_met));
        }
        text
    }

    /// As many resources as asked for, or fewer in a small run.
    fn size(&self, count: usize) -> usize {
        (count / self.shrink).max(2)
    }

    fn log(&self) -> PathBuf {
        self.folder.join("log")
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

    /// The median of some runs.
    fn terraform_plan(&self, module: &Path) -> Duration {
        let plan = ["plan", "-refresh=false", "-input=false"];
        median_of(RUNS.max(self.runs), || {
            self.run(self.terraform(module).args(plan)).1
        })
    }

    /// The median of as many measurements as were asked for, by the figure that counts in each.
    fn middle<T, K: Ord>(&self, measure: impl FnMut() -> T, key: impl Fn(&T) -> K) -> T {
        let mut found: Vec<T> = std::iter::repeat_with(measure).take(self.runs).collect();
        found.sort_by_key(key);
        found.swap_remove(self.runs / 2)
    }

    /// The times of the run with the median p95.
    fn middle_times(&self, measure: impl FnMut() -> Vec<Duration>) -> Vec<Duration> {
        self.middle(measure, |times| percentile(times, 95))
    }

    /// The output of the command, and its duration.
    fn run(&self, command: &mut Command) -> (String, Duration) {
        let begin = Instant::now();
        let output = command.output().unwrap();
        let time = begin.elapsed();
        assert!(output.status.success(), "{}", support::printed(&output));
        (String::from_utf8_lossy(&output.stdout).into_owned(), time)
    }
}

fn met(is_met: bool) -> &'static str {
    match is_met {
        true => "met",
        false => "missed",
    }
}

fn median_of(runs: usize, mut run: impl FnMut() -> Duration) -> Duration {
    let mut times: Vec<_> = (0..runs).map(|_| run()).collect();
    times.sort();
    times[runs / 2]
}

/// A percentile of sorted times.
fn percentile(times: &[Duration], percent: usize) -> Duration {
    times[(times.len() - 1) * percent / 100]
}

/// A percentile of sorted times, in milliseconds.
fn at(times: &[Duration], percent: usize) -> String {
    ms(percentile(times, percent))
}

fn ms(time: Duration) -> String {
    format!("{:>7.2}", time.as_secs_f64() * 1000.0)
}

fn say(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}
