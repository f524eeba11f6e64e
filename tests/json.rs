//! Errors of configuration in JSON syntax: `planlens plan` reports for each file in `data/json-mistakes` the errors of
//! `terraform validate`, in its words and at its place. Terraform's answers are recorded beside them;
//! `RECORD=1 cargo test --test json` asks the terraform on the PATH again.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::Write;
use std::path::Path;

use serde_json::{Value, json};
use support::{command, planlens, printed, program, repository, scratch};

/// Where we know better than Terraform, and why.
const ELSEWHERE: &[(&str, &str)] = &[
    (
        "array-of-blocks",
        "a block of an array is at its own brace, not at the array's bracket",
    ),
    (
        "escape-before-reference",
        "Terraform does not count the escapes before a place in a string",
    ),
    (
        "moved",
        "Terraform counts the quote as a part of an address in a string",
    ),
    ("type", "the type is at its text, without the quotes"),
];

/// An error that Terraform reports only because a broken value is missing.
const CONSEQUENCE: &str = "Incorrect JSON value type";

type Mistake = (String, u64, u64);

#[test]
fn mistakes_are_those_that_terraform_finds() {
    let folder = repository().join("tests/data/json-mistakes");
    let recorded = folder.join("terraform-1.11.4.json");
    if std::env::var_os("RECORD").is_some() {
        record(&folder, &recorded);
    }
    let recorded: BTreeMap<String, Vec<Value>> =
        serde_json::from_slice(&fs::read(recorded).unwrap()).unwrap();
    let mut differences = Vec::new();
    let mut compared = 0;
    for (name, theirs) in &recorded {
        let module = module(&folder, name, "planlens");
        let output = planlens(&module)
            .args(["plan", "--json"])
            .arg(&module)
            .output()
            .unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{name}: {error}: {}", printed(&output)));
        let ours = mistakes(&plan["diagnostics"]);
        let is_elsewhere = ELSEWHERE.iter().any(|(known, _)| known == name);
        let is_broken = theirs.iter().any(|mistake| mistake["is_syntax"] == true);
        for mistake in theirs.iter().map(mistake) {
            if is_broken && mistake.0 == CONSEQUENCE {
                continue;
            }
            compared += 1;
            let is_same = |our: &&Mistake| our.0 == mistake.0 && (is_elsewhere || **our == mistake);
            if !ours.iter().any(|our| is_same(&our)) {
                differences.push(format!(
                    "{name}: terraform says {mistake:?}, planlens {ours:?}"
                ));
            }
        }
    }
    let files = recorded.len();
    let _ = writeln!(std::io::stderr(), "{files} files, {compared} mistakes");
    assert!(compared >= 40, "{compared}");
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}

/// A folder with the one file.
fn module(folder: &Path, name: &str, who: &str) -> std::path::PathBuf {
    let module = scratch(&format!("json-mistakes-{who}"));
    let file = format!("{name}.tf.json");
    fs::copy(folder.join(&file), module.join("main.tf.json")).unwrap();
    module
}

fn record(folder: &Path, to: &Path) {
    let terraform = program("terraform").expect("terraform is on the PATH");
    let mut recorded = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap() {
        let file = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = file.strip_suffix(".tf.json") else {
            continue;
        };
        let module = module(folder, name, "terraform");
        let output = command(&terraform, &module)
            .args(["validate", "-json"])
            .output()
            .unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let text = fs::read_to_string(module.join("main.tf.json")).unwrap();
        let is_syntax = serde_json::from_str::<Value>(&text).is_err();
        let mistakes = mistakes(&answer["diagnostics"]).into_iter();
        let mistakes = mistakes.map(|(summary, start, end)| {
            json!({ "summary": summary, "start": start, "end": end, "is_syntax": is_syntax })
        });
        recorded.insert(name.to_owned(), mistakes.collect::<Vec<_>>());
    }
    let text = serde_json::to_string_pretty(&recorded).unwrap();
    fs::write(to, text + "\n").unwrap();
}

fn mistake(json: &Value) -> Mistake {
    let number = |name: &str| json[name].as_u64().unwrap();
    let summary = json["summary"].as_str().unwrap().to_owned();
    (summary, number("start"), number("end"))
}

/// The errors that have a place. An empty one is one byte long, as Terraform has it.
fn mistakes(diagnostics: &Value) -> Vec<Mistake> {
    let all = diagnostics.as_array().into_iter().flatten();
    let errors = all.filter(|it| it["severity"] == "error" && it["range"].is_object());
    let mut mistakes: Vec<Mistake> = errors
        .map(|it| {
            let byte = |end: &str| it["range"][end]["byte"].as_u64().unwrap();
            let summary = it["summary"].as_str().unwrap().to_owned();
            let start = byte("start");
            (summary, start, byte("end").max(start + 1))
        })
        .collect();
    mistakes.sort();
    mistakes.dedup();
    mistakes
}
