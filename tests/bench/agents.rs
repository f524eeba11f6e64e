//! What an agent waits for: the plan of a text that it proposes, and what its edit changes in that.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::agent::Agent;
use crate::workspaces::Kind;
use crate::{Bench, EDITS, at, percentile};

/// From a call of `planlens mcp` to its answer, each with another edit.
pub fn agents(bench: &Bench) -> String {
    let mut table = "\
proposed edit -> answer   | tool    |     p50 |     p95 | terraform plan | ratio to p50 | p95
--------------------------|---------|---------|---------|----------------|--------------|----
"
    .to_owned();
    for kind in [Kind::TerraformData, Kind::RandomId] {
        let count = bench.size(1000);
        let module = bench.module(kind, count, true);
        let theirs = bench.terraform_plan(&module);
        for tool in ["plan", "compare"] {
            let times = bench.middle_times(|| calls(bench, &module, count, tool));
            let what = format!("{count} {}", kind.type_name());
            let gate = match tool {
                "plan" => bench.within(
                    format!("plan of a proposed edit, {what}, p95"),
                    percentile(&times, 95),
                    30,
                ),
                _ => String::new(),
            };
            let _ = writeln!(
                table,
                "{what:<25} | {tool:<7} | {} | {} | {:>11} ms | {:>11.0}x | {gate}",
                at(&times, 50),
                at(&times, 95),
                theirs.as_millis(),
                theirs.as_secs_f64() / percentile(&times, 50).as_secs_f64(),
            );
        }
    }
    table + "terraform: of the saved text, with -refresh=false. Times in ms.\n"
}

/// The times of calls in order, after one that starts the plugins.
fn calls(bench: &Bench, module: &Path, count: usize, tool: &str) -> Vec<Duration> {
    let mut command = bench.planlens(module);
    let state = bench.folder.join("state");
    command
        .args(["mcp", "-trust"])
        .env("PLANLENS_STATE_DIR", state);
    let mut agent = Agent::start(&mut command);
    let mut times: Vec<Duration> = (0..=EDITS)
        .map(|edit| {
            let old = format!("\"value-{}\"", (edit * 37 + 11) % count);
            let new = format!("\"edit-{edit}\"");
            let edits = json!([{ "path": "main.tf", "old": old, "new": new }]);
            let begin = Instant::now();
            let (_, data) = agent.answer_of(tool, json!({ "edits": edits }));
            let time = begin.elapsed();
            match tool {
                "plan" => assert_eq!(data["replace"], 1, "{data}"),
                _ => assert_eq!(data["isSame"], false, "{data}"),
            }
            time
        })
        .skip(1)
        .collect();
    agent.stop();
    times.sort();
    times
}
