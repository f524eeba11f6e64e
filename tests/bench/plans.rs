//! Whole plans by a process of their own.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::repository;
use crate::workspaces::Kind;
use crate::{Bench, RUNS, median_of, ms};

/// How fast configuration is read, and a module of local values evaluated.
pub fn throughput(bench: &Bench) -> String {
    let texts: Vec<String> = ["server/syntax/tests/corpus", "examples/first-plan"]
        .iter()
        .flat_map(|folder| fs::read_dir(repository().join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "tf"))
        .filter_map(|path| fs::read_to_string(path).ok())
        .collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let parsed = median_of(20 * bench.runs, || {
        let begin = Instant::now();
        for text in &texts {
            std::hint::black_box(syntax::parse(text));
        }
        begin.elapsed()
    });
    let speed = bytes as f64 / parsed.as_secs_f64() / 1e6;
    let local = |index: usize| {
        let before = index.saturating_sub(1);
        let value = match index {
            0 => "1".to_owned(),
            _ => format!("local.v{before} + length(\"${{local.v{before}}} of {index}\")"),
        };
        format!("  v{index} = {value}\n")
    };
    let locals: String = (0..1000).map(local).collect();
    let text = format!("locals {{\n{locals}}}\n");
    let module = bench.written("locals", &[("main.tf", text)], None).0;
    let evaluated = median_of(RUNS.max(bench.runs), || stats(bench, &module).plan);
    format!(
        "parse and typed tree: {speed:.0} MB/s of {bytes} bytes ({})\n\
         evaluate 1,000 local values in a chain: {} ms ({})\n",
        bench.gate(
            "parse and typed tree",
            format!("{speed:.0} MB/s"),
            "at least 30 MB/s",
            speed >= 30.0
        ),
        ms(evaluated).trim(),
        bench.within("evaluate 1,000 local values", evaluated, 20),
    )
}

/// The output of `planlens stats` about a plan.
struct Stats {
    plan: Duration,
    again: Duration,
    calls_again: usize,
    /// Of planlens for the first plan; of its plugins for all.
    processor: Duration,
    processor_of_plugins: Duration,
}

fn stats(bench: &Bench, module: &Path) -> Stats {
    let (printed, _) = bench.run(bench.planlens(module).arg("stats"));
    let number = |name: &str, unit: &str| {
        let line = printed.lines().find(|line| line.starts_with(name));
        let before = line.and_then(|line| line.split(unit).next());
        let word = before.and_then(|it| it.split_whitespace().last());
        let number: Option<f64> = word.and_then(|word| word.parse().ok());
        number.unwrap_or_else(|| panic!("the line {name:?} has no number of {unit:?}: {printed}"))
    };
    let time = |name, unit| Duration::from_secs_f64(number(name, unit) / 1000.0);
    Stats {
        plan: time("plan", " ms"),
        again: time("again", " ms"),
        calls_again: number("again", " calls") as usize,
        processor: time("cpu", " ms until the first plan"),
        processor_of_plugins: time("cpu", " ms of other processes"),
    }
}

/// The plan of a module that was never applied, by a new process.
pub fn cold(bench: &Bench) -> String {
    let mut table = "\
cold plan, all to create  | planlens plan | terraform plan | ratio  | budget                | CPU      | of plugins | at most 10 %
--------------------------|---------------|----------------|--------|-----------------------|----------|------------|-------------
"
    .to_owned();
    let mut growth = String::new();
    for kind in [Kind::TerraformData, Kind::RandomId] {
        for size in [100, 1000, 5000] {
            let budget = match (kind, size) {
                (Kind::TerraformData, _) => 20.0,
                (Kind::RandomPet | Kind::RandomId, 5000) => 7.0,
                (Kind::RandomPet | Kind::RandomId, _) => 6.0,
            };
            let count = bench.size(size);
            let module = bench.module(kind, count, false);
            let ours = median_of(RUNS.max(bench.runs), || {
                bench.run(bench.planlens(&module).arg("plan")).1
            });
            let theirs = bench.terraform_plan(&module);
            let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
            let share_of = |stats: &Stats| {
                stats.processor * 100 / stats.processor_of_plugins.as_millis().max(1) as u32
            };
            let cost = bench.middle(|| stats(bench, &module), share_of);
            let what = format!("cold plan, {count} {}", kind.type_name());
            // Of 100, the start of the process is the most.
            let speed = match size {
                100 => String::new(),
                _ => bench.gate(
                    format!("{what}, beside terraform plan"),
                    format!("{ratio:.1} x as fast"),
                    format!("at least {budget} x"),
                    ratio >= budget,
                ),
            };
            let share = cost.processor.as_secs_f64() / cost.processor_of_plugins.as_secs_f64();
            let figure = format!("{:.0} %", share * 100.0);
            let share = match (kind, size) {
                (Kind::TerraformData, _) => "no plugin".to_owned(),
                (Kind::RandomPet | Kind::RandomId, 100) => figure,
                (Kind::RandomPet | Kind::RandomId, _) => {
                    let line = format!("{what}, own CPU beside that of the plugins");
                    let gate = bench.gate(line, figure.as_str(), "at most 10 %", share <= 0.1);
                    format!("{figure}, {gate}")
                }
            };
            let _ = writeln!(
                table,
                "{:<25} | {:>10} ms | {:>11} ms | {ratio:>5.1}x | {speed:<21} | {:>5} ms | {:>7} ms | {share}",
                format!("{count} {}", kind.type_name()),
                ours.as_millis(),
                theirs.as_millis(),
                cost.processor.as_millis(),
                cost.processor_of_plugins.as_millis(),
            );
        }
        growth.push_str(&of_growth(bench, kind, 2500, 5000, 2.4));
    }
    growth.push_str(&of_growth(bench, Kind::TerraformData, 5000, 20_000, 4.4));
    table
        + "The median of three runs each; terraform with -refresh=false. CPU: of planlens itself, and of its plugins.\n"
        + &growth
}

/// How much longer a cold plan of more resources takes.
fn of_growth(bench: &Bench, kind: Kind, few: usize, many: usize, at_most: f64) -> String {
    let [few, many] = [few, many].map(|count| bench.size(count));
    let [less, more] = [few, many].map(|count| {
        let module = bench.module(kind, count, false);
        median_of(RUNS.max(bench.runs), || {
            bench.run(bench.planlens(&module).arg("plan")).1
        })
    });
    let ratio = more.as_secs_f64() / less.as_secs_f64();
    let line = format!("cold plan, {many} {} beside {few}", kind.type_name());
    let figure = format!("{ratio:.2} x as long");
    let budget = format!("at most {at_most} x");
    let gate = bench.gate(line.as_str(), figure.as_str(), budget, ratio <= at_most);
    format!("{line}: {figure} ({gate})\n")
}

/// Other shapes than many resources beside each other.
pub fn shapes(bench: &Bench) -> String {
    let count = bench.size(1000);
    let mut table = "\
cold plan, all to create             | planlens plan | terraform plan | ratio  | budget              | nothing changed | calls
-------------------------------------|---------------|----------------|--------|---------------------|-----------------|------
"
    .to_owned();
    for (name, module, budget) in [
        ("random_id in modules three deep", bench.nested(count), 3.0),
        (
            "keys of for_each of a random_id",
            bench.for_each(count),
            3.0,
        ),
        ("terraform_data in a chain", bench.chain(count), 20.0),
    ] {
        let ours = median_of(RUNS.max(bench.runs), || {
            bench.run(bench.planlens(&module).arg("plan")).1
        });
        let theirs = bench.terraform_plan(&module);
        let again = bench.middle(|| stats(bench, &module), |stats| stats.again);
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        let _ = writeln!(
            table,
            "{:<36} | {:>10} ms | {:>11} ms | {ratio:>5.1}x | {:<19} | {:>12} ms | {:>5}",
            format!("{count} {name}"),
            ours.as_millis(),
            theirs.as_millis(),
            bench.gate(
                format!("cold plan, {count} {name}, beside terraform plan"),
                format!("{ratio:.1} x as fast"),
                format!("at least {budget} x"),
                ratio >= budget
            ),
            ms(again.again).trim(),
            again.calls_again,
        );
    }
    table
}

/// A whole plan of which nothing changed, by a process that made it before.
pub fn warm(bench: &Bench) -> String {
    let mut text = String::new();
    for kind in [Kind::TerraformData, Kind::RandomId] {
        let count = bench.size(5000);
        let module = bench.module(kind, count, true);
        let line = format!("everything evaluated again, {count} {}", kind.type_name());
        let mut calls = 0;
        let again = median_of(RUNS.max(bench.runs), || {
            let stats = stats(bench, &module);
            calls = calls.max(stats.calls_again);
            stats.again
        });
        let _ = writeln!(
            text,
            "{line}: {} ms ({}), {calls} calls to the provider ({})",
            ms(again).trim(),
            bench.within(line.as_str(), again, 50),
            bench.gate(
                format!("{line}, calls"),
                calls.to_string(),
                "none",
                calls == 0
            ),
        );
    }
    text
}
