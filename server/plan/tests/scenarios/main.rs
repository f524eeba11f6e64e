//! Replays the recorded plans of OpenTofu's own tests, where they are on this machine: a provider that answers from
//! the recording, and the plan compared with the recorded one.
//!
//! `known-failures.txt` lists the plans that differ, and why. `UPDATE_EXPECT=1` writes it anew and keeps the reasons
//! that a person has given. `SCENARIO=NAME` shows all that differs in one of them.

mod compare;
mod recorded;
mod replay;

#[path = "../support/schema.rs"]
mod schema_json;

use std::collections::BTreeMap;
use std::path::Path;
use std::thread;

use recorded::Scenario;

/// Plans that have to be equal, so that none gets lost with its entry in the list.
const EQUAL_WITHOUT_ERRORS: usize = 599;
const EQUAL_WITH_ERRORS: usize = 90;

const KNOWN_FAILURES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/scenarios/known-failures.txt"
);

#[test]
fn recorded_plans() {
    let Some(rows) = cty::testing::table("plan-scenarios.jsonl") else {
        report("plan-scenarios.jsonl: SKIPPED, not on this machine");
        return;
    };
    let scenarios: Vec<Scenario> = rows
        .iter()
        .map(|row| Scenario::read(&row["case"]))
        .collect();
    if let Ok(name) = std::env::var("SCENARIO") {
        for scenario in scenarios.iter().filter(|s| s.name.starts_with(&name)) {
            report(&format!("{scenario}"));
            for difference in compare::differences(scenario) {
                report(&format!("- {difference}"));
            }
        }
        return;
    }
    let outcomes = outcomes(&scenarios);
    let mut equal = [0, 0];
    let mut all = [0, 0];
    let mut kinds: BTreeMap<String, [usize; 2]> = BTreeMap::new();
    let mut failures: BTreeMap<&str, String> = BTreeMap::new();
    for (scenario, differences) in scenarios.iter().zip(&outcomes) {
        let index = usize::from(scenario.is_errored);
        all[index] += 1;
        match differences.first() {
            None => equal[index] += 1,
            Some(first) => {
                let kind = format!("{} | {}", scenario.features.join(" "), first.kind);
                kinds.entry(kind).or_default()[index] += 1;
                failures.insert(&scenario.name, first.to_string());
            }
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    kinds.sort_by_key(|(kind, [a, b])| (std::cmp::Reverse(a + b), kind.clone()));
    for (kind, [fine, errored]) in kinds {
        report(&format!("{fine:4} {errored:4}  {kind}"));
    }
    report(&format!(
        "plan-scenarios.jsonl: {} of {} error-free plans, {} of {} failing ones",
        equal[0], all[0], equal[1], all[1]
    ));
    let known = read_known_failures();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        write_known_failures(&failures, &known);
        return;
    }
    let mut problems = Vec::new();
    for (name, difference) in &failures {
        if !known.contains_key(*name) {
            problems.push(format!("{name}: {difference}"));
        }
    }
    for name in known.keys() {
        if !failures.contains_key(name.as_str()) {
            report(&format!("{name}: passes by now"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(equal[0] >= EQUAL_WITHOUT_ERRORS && equal[1] >= EQUAL_WITH_ERRORS);
}

/// What differs in each scenario. Two at a time: each waits for nothing but itself.
fn outcomes(scenarios: &[Scenario]) -> Vec<Vec<compare::Difference>> {
    let (a, b) = scenarios.split_at(scenarios.len() / 2);
    let run = |part: &[Scenario]| part.iter().map(compare::differences).collect::<Vec<_>>();
    thread::scope(|scope| {
        let first = scope.spawn(|| run(a));
        let second = run(b);
        let mut all = first.join().expect("a replay does not panic");
        all.extend(second);
        all
    })
}

/// Lines of a name, a colon and a reason.
fn read_known_failures() -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(Path::new(KNOWN_FAILURES)).unwrap_or_default();
    let entry = |line: &str| {
        let (name, reason) = line.split_once(": ")?;
        Some((name.to_owned(), reason.to_owned()))
    };
    text.lines().filter_map(entry).collect()
}

/// A reason that was only what differed is renewed; one that a person gave begins with `because`.
fn write_known_failures(failures: &BTreeMap<&str, String>, known: &BTreeMap<String, String>) {
    let text: String = failures
        .iter()
        .map(|(name, difference)| {
            let reason = known
                .get(*name)
                .filter(|reason| reason.starts_with("because"));
            let reason = reason.unwrap_or(difference);
            let words: Vec<&str> = reason.split_whitespace().collect();
            let reason: String = words.join(" ").chars().take(120).collect();
            format!("{name}: {reason}\n")
        })
        .collect();
    std::fs::write(KNOWN_FAILURES, text).expect("the list can be written");
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}
