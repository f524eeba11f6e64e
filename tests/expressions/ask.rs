//! The answers of terraform and planlens to expressions: all of them in one module, one process for each.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::support::{command, copy_module, planlens, printed, repository, scratch};

/// The module folder of a test, with the inputs of the expressions.
pub fn module(test: &str) -> PathBuf {
    let folder = scratch(test);
    copy_module(&repository().join("tests/expressions/module"), &folder);
    folder
}

/// The module's text, and where each expression's part begins in it, as a line counted from 1.
///
/// Terraform evaluates everything once before it plans, with all variables unknown. The body of a repetition over an
/// unknown list is not evaluated then, so the errors are those of the plan.
fn text(expressions: &[(usize, String)]) -> (String, BTreeMap<u64, usize>) {
    let mut text = String::new();
    let mut begins = BTreeMap::new();
    let mut line = 1;
    for (number, expression) in expressions {
        let part = format!(
            "locals {{\n  e{number} = [for once in var.once: {expression}][0]\n}}\n\
             resource \"terraform_data\" \"e{number}\" {{\n  input = local.e{number}\n}}\n\
             output \"e{number}\" {{\n  sensitive = true\n  value     = local.e{number}\n}}\n"
        );
        begins.insert(line, *number);
        line += part.matches('\n').count() as u64;
        text.push_str(&part);
    }
    (text, begins)
}

/// The answers of planlens.
pub fn planlens_answers(folder: &Path, expressions: &[String]) -> Vec<Value> {
    let numbered: Vec<(usize, String)> = expressions.iter().cloned().enumerate().collect();
    let (text, begins) = text(&numbered);
    fs::write(folder.join("expressions.tf"), text).unwrap();
    let output = planlens(folder).args(["plan", "--json"]).output().unwrap();
    let plan: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no plan: {}", printed(&output)));
    let mut errors = Errors::default();
    for diagnostic in plan["diagnostics"].as_array().into_iter().flatten() {
        errors.add(diagnostic, &begins);
    }
    answers(expressions.len(), &plan, errors)
}

/// The answers of terraform. Expressions that it rejects before it plans are taken out, and it is
/// asked again about the rest; after an error while it plans it still writes the rest of the plan.
pub fn terraform_answers(folder: &Path, expressions: &[String]) -> Vec<Value> {
    let mut errors = Errors::default();
    loop {
        let numbered: Vec<(usize, String)> = (expressions.iter().cloned().enumerate())
            .filter(|(number, _)| !errors.0.contains_key(number))
            .collect();
        let (text, begins) = text(&numbered);
        fs::write(folder.join("expressions.tf"), text).unwrap();
        let _ = fs::remove_file(folder.join("plan"));
        let output = command("terraform", folder)
            .args(["plan", "-refresh=false", "-input=false", "-json"])
            .arg("-out=plan")
            .output()
            .unwrap();
        let before = errors.0.len();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            errors.add(&message["diagnostic"], &begins);
        }
        let is_written = !String::from_utf8_lossy(&output.stdout).contains(UNWRITABLE);
        if !folder.join("plan").exists() || !is_written {
            assert!(errors.0.len() > before, "no plan: {}", printed(&output));
            continue;
        }
        let output = command("terraform", folder)
            .args(["show", "-json", "plan"])
            .output()
            .unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout).expect("terraform shows its plan");
        return answers(expressions.len(), &plan, errors);
    }
}

/// Terraform's error for a number without end, which no operation should have made.
pub const UNWRITABLE: &str = "cannot serialize infinity as JSON";

/// Terraform's error when one of its functions has a bug.
pub const PANIC: &str = "panic in function implementation";

/// The summaries of each expression's errors.
#[derive(Default)]
struct Errors(BTreeMap<usize, BTreeSet<String>>);

impl Errors {
    fn add(&mut self, diagnostic: &Value, begins: &BTreeMap<u64, usize>) {
        if diagnostic["severity"] != "error" {
            return;
        }
        let range = &diagnostic["range"];
        let mut summary = diagnostic["summary"].as_str().unwrap();
        // A value that can't be written to the plan has a name in place of a range.
        let detail = diagnostic["detail"].as_str().unwrap_or_default();
        let text = format!("{summary} {detail}");
        for before in ["terraform_data.e", "output value \"e"] {
            if range.is_null()
                && let Some((_, rest)) = text.split_once(before)
            {
                let digits = rest.split(|c: char| !c.is_ascii_digit()).next();
                let number = digits.unwrap().parse().unwrap();
                self.insert(number, UNWRITABLE);
                return;
            }
        }
        if detail.contains(PANIC) {
            summary = PANIC;
        }
        assert_eq!(range["filename"], "expressions.tf", "{diagnostic}");
        let line = range["start"]["line"].as_u64().unwrap();
        let (_, number) = begins.range(..=line).next_back().unwrap();
        self.insert(*number, summary);
    }

    fn insert(&mut self, number: usize, summary: &str) {
        let summaries = self.0.entry(number).or_default();
        summaries.insert(summary.to_owned());
    }
}

fn answers(count: usize, plan: &Value, mut errors: Errors) -> Vec<Value> {
    let inputs: BTreeMap<&str, &Value> = (plan["resource_changes"].as_array())
        .into_iter()
        .flatten()
        .map(|change| (change["name"].as_str().unwrap(), &change["change"]))
        .collect();
    (0..count)
        .map(|number| match errors.0.remove(&number) {
            Some(errors) => json!({ "errors": errors }),
            None => {
                let name = format!("e{number}");
                let change = inputs.get(name.as_str()).copied();
                let change = change.unwrap_or(&Value::Null);
                answer(
                    change,
                    &plan["output_changes"][&name],
                    &plan["planned_values"]["outputs"][&name],
                )
            }
        })
        .collect()
}

/// The value, where it is unknown and sensitive, and its type; nothing of which says nothing is left out.
fn answer(change: &Value, output_change: &Value, output: &Value) -> Value {
    let mut answer = Map::new();
    if !change.is_object() {
        answer.insert("missing".into(), json!(true));
    }
    let mut add = |name: &str, value: &Value| {
        if !matches!(value, Value::Null | Value::Bool(false)) {
            answer.insert(name.to_owned(), value.clone());
        }
    };
    add("value", &change["after"]["input"]);
    add("unknown", &change["after_unknown"]["input"]);
    add("sensitive", &change["after_sensitive"]["input"]);
    add("type", &output["type"]);
    if output_change["after"] != change["after"]["input"] {
        add("output", &output_change["after"]);
    }
    if output_change["after_unknown"] != change["after_unknown"]["input"] {
        add("output_unknown", &output_change["after_unknown"]);
    }
    Value::Object(answer)
}
