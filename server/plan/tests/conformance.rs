//! The peers' cases of how objects change, where they are on this machine.

#[path = "support/schema.rs"]
mod schema_json;

use std::collections::BTreeMap;

use cty::Value;
use cty::testing::{table, value};
use plan::objchange::{assert_plan_valid, normalize_from_legacy_sdk, proposed_new};
use schema_json::block;
use serde_json::Value as Json;

/// Not run, and why.
const OUT_OF_SCOPE: [(&str, &str); 2] = [
    (
        "TestAssertObjectCompatible",
        "about what an apply answers, which never happens here",
    ),
    (
        "TestLongestCommonSubsequence",
        "a matter of showing lists, which the text form does its own way",
    ),
];

/// Rows that can't pass, and why.
const KNOWN_FAILURES: [(&str, &str, &str); 1] = [(
    "TestAssertPlanValid",
    "NestedType nested list attribute to null",
    "the message shows a list in our words instead of Go's",
)];

#[test]
fn opentofu_plans_objchange() {
    check("tables/opentofu_plans_objchange.jsonl");
}

#[test]
fn recorded_objchange() {
    check("objchange-boundary.jsonl");
}

fn check(name: &str) {
    let Some(rows) = table(name) else {
        report(&format!("{name}: SKIPPED, not on this machine"));
        return;
    };
    let mut counts: BTreeMap<String, (u32, u32)> = BTreeMap::new();
    let mut left_out: BTreeMap<String, u32> = BTreeMap::new();
    let mut failures = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let test = row["test"].as_str().unwrap();
        if OUT_OF_SCOPE.iter().any(|(name, _)| *name == test) {
            *left_out.entry(test.to_owned()).or_default() += 1;
            continue;
        }
        let outcome = run(test, &row["case"]);
        let (passed, all) = counts.entry(test.to_owned()).or_default();
        *all += 1;
        let key = row["key"].as_str().unwrap_or_default();
        let known = KNOWN_FAILURES
            .iter()
            .find(|(t, k, _)| (*t, *k) == (test, key));
        match (outcome, known) {
            (Ok(()), None) => *passed += 1,
            (Err(_), Some((_, _, reason))) => report(&format!("{test} {key:?}: fails: {reason}")),
            (Ok(()), Some(_)) => failures.push(format!("{test} {key:?}: passes by now")),
            (Err(why), None) => failures.push(format!("row {index} {test} {key:?}: {why}")),
        }
    }
    for (test, (passed, all)) in &counts {
        report(&format!("{name} {test}: {passed} of {all}"));
    }
    for (test, reason) in OUT_OF_SCOPE {
        if let Some(count) = left_out.get(test) {
            report(&format!("{name} {test}: {count} not run: {reason}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[allow(clippy::print_stdout)]
fn report(line: &str) {
    println!("{line}");
}

fn run(test: &str, case: &Json) -> Result<(), String> {
    let schema = block(&case["Schema"]);
    let absent = || Value::null(schema.implied_type());
    // An untyped null, or Go's nil, stands for an object that isn't there.
    let read = |name: &str| match value(&case[name]) {
        Some(value) if value.is_null() => Ok(absent()),
        Some(value) => Ok(value),
        None if case[name]["nilval"].is_boolean() => Ok(absent()),
        None => Err(format!("{name} can't be read")),
    };
    if test == "TestNormalizeObjectFromLegacySDK" {
        let (got, want) = (
            normalize_from_legacy_sdk(&read("Input")?, &schema),
            read("Want")?,
        );
        return match got.raw_equals(&want) {
            true => Ok(()),
            false => Err(format!("got {got:?}\n  want {want:?}")),
        };
    }
    let (prior, config) = (read("Prior")?, read("Config")?);
    match test {
        "TestProposedNew" | "ProposedNew" => {
            let (got, want) = (proposed_new(&schema, &prior, &config), read("Want")?);
            match got.raw_equals(&want) || (got.is_null() && want.is_null()) {
                true => Ok(()),
                false => Err(format!("got {got:?}\n  want {want:?}")),
            }
        }
        "TestAssertPlanValid" | "AssertPlanValid" => {
            let planned = read("Planned")?;
            let found = assert_plan_valid(&schema, &prior, &config, &planned);
            let has_paths = test == "TestAssertPlanValid";
            let mut got: Vec<String> = found
                .iter()
                .map(|problem| match has_paths {
                    true => format!("{}: {}", problem.path, problem.message),
                    false => problem.message.clone(),
                })
                .collect();
            let wanted = if has_paths { "WantErrs" } else { "Errs" };
            let message = |json: &Json| {
                let text = json.as_str().or_else(|| json["error"].as_str());
                in_our_words(text.unwrap_or_default())
            };
            let wanted = case[wanted].as_array();
            let mut want: Vec<String> = wanted.into_iter().flatten().map(message).collect();
            got.sort();
            want.sort();
            match got == want {
                true => Ok(()),
                false => Err(format!("got {got:?}\n  want {want:?}")),
            }
        }
        other => Err(format!("nobody reads {other}")),
    }
}

/// Go shows values as `cty.StringVal("a")` and `cty.NumberIntVal(1)`, and we as `"a"` and `1`.
fn in_our_words(message: &str) -> String {
    let message = message.replace("cty.StringVal(\"", "\"");
    let message = message.replace("cty.NumberIntVal(", "(").replace("((", "(");
    message.replace("\")", "\"").replace("))", ")")
}
