//! Random expressions have the same meaning in planlens and terraform: the same value, type, unknown and
//! sensitive parts, or errors of the same summaries.
//!
//! The expressions of a few seeds run with every `cargo test`, against recorded answers where
//! terraform is not on the PATH. `tests/expressions/run` runs other seeds, and records.

#[path = "expressions/ask.rs"]
mod ask;
#[path = "expressions/errors.rs"]
mod errors;
#[path = "expressions/generate.rs"]
mod generate;
mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::ops::Range;
use std::path::{Path, PathBuf};

use ask::{module, planlens_answers, terraform_answers};
use errors::{Error, Recorded, planlens_errors, terraform_errors};
use generate::{Expression, Grammar, Type, expressions};
use serde_json::{Value, json};
use support::{decimal, program, repository, scratch, skipped};

/// The seeds that every run takes, and the expressions of a seed.
const SEEDS: Range<u64> = 0..8;
const COUNT: usize = 250;

const VERSION: &str = "1.11.4";

/// Answers of terraform that planlens may differ from, for the reason beside it: terraform disagrees
/// with itself or with its documentation.
const EXPLAINED: &[(&str, &str)] = &[
    (
        ask::UNWRITABLE,
        "a division by zero or a logarithm gives a number without end, with which terraform plans, but \
         then can't write the plan",
    ),
    (
        ask::PANIC,
        "bugs of terraform: element with a negative index of a tuple, up to 1.11; the logarithm of a negative number",
    ),
];

#[test]
fn random_expressions() {
    let test = "random_expressions";
    let seeds = match std::env::var("PLANLENS_EXPRESSION_SEEDS") {
        Ok(seeds) => {
            let (first, last) = seeds.split_once("..").expect("seeds are FIRST..LAST");
            first.parse().unwrap()..last.parse().unwrap()
        }
        Err(_) => SEEDS,
    };
    let is_live = has_terraform(test);
    let is_recording = std::env::var_os("PLANLENS_RECORD_EXPRESSIONS").is_some();
    if !is_live && seeds != SEEDS {
        return skipped(test, &format!("other seeds need terraform {VERSION}"));
    }
    let grammar = Grammar::parse(&fs::read_to_string(part("grammar")).unwrap());
    let folder = module(&format!("{test}_{}", seeds.start));
    let mut sums = Sums::default();
    let mut recorded = Vec::new();
    let mut differences = String::new();
    let taken = match seeds == SEEDS && !is_recording {
        true => support::sample(seeds.clone(), 2),
        false => seeds.clone().collect(),
    };
    for seed in taken.iter().copied() {
        let expressions = expressions(&grammar, seed, COUNT);
        let texts: Vec<String> = expressions.iter().map(Expression::to_string).collect();
        let theirs = match is_live {
            true => terraform_answers(&folder, &texts),
            false => recorded_answers(seed, &texts),
        };
        let ours = planlens_answers(&folder, &texts);
        for (index, expression) in expressions.iter().enumerate() {
            sums.add(expression, &theirs[index]);
            if is_same(&theirs[index], &ours[index]) {
                continue;
            }
            if is_explained(&theirs[index]) {
                sums.explained.push(texts[index].clone());
                continue;
            }
            let (expression, theirs, ours) = match is_live {
                true => shrink(&grammar, &folder, expression),
                false => (
                    texts[index].clone(),
                    theirs[index].clone(),
                    ours[index].clone(),
                ),
            };
            sums.differences += 1;
            writeln!(
                differences,
                "seed {seed}, {index}: {expression}\n  terraform: {theirs}\n  planlens:  {ours}"
            )
            .unwrap();
        }
        recorded.push(json!({ "expressions": fingerprint(&texts), "answers": theirs }));
    }
    let report = format!("seeds {taken:?}, {}", sums.report());
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    if is_recording && seeds == SEEDS {
        record(&recorded);
    }
    assert!(differences.is_empty(), "{differences}");
    if taken.iter().copied().eq(SEEDS) {
        sums.check(&grammar);
    }
}

/// Wrong expressions have the errors that terraform finds, by summary. Details and places may be better.
#[test]
fn errors_are_terraforms() {
    let test = "errors_are_terraforms";
    let recorded = Recorded::read();
    let folder = module(test);
    let sources = recorded.sources();
    let mut theirs = recorded.answers();
    if has_terraform(test) {
        theirs = terraform_errors(&folder, &sources);
        if std::env::var_os("PLANLENS_RECORD_EXPRESSIONS").is_some() {
            recorded.write(&theirs);
        }
    }
    let ours = planlens_errors(&folder, &sources);
    let (mut details, mut ranges) = (0, 0);
    let mut report = String::new();
    let mut differences = String::new();
    for ((source, theirs), ours) in sources.iter().zip(&theirs).zip(&ours) {
        assert!(!theirs.is_empty(), "tests/expressions/run --record");
        let is_same = |part: fn(&Error) -> String| {
            let parts = |errors: &[Error]| errors.iter().map(part).collect::<BTreeSet<_>>();
            parts(theirs) == parts(ours)
        };
        let has_details = is_same(|error| error.detail.clone());
        let has_ranges = is_same(|error| format!("{:?}", error.range));
        details += usize::from(has_details);
        ranges += usize::from(has_ranges);
        let has_summaries = is_same(|error| error.summary.clone());
        let text = match has_summaries {
            true if has_details && has_ranges => continue,
            true => &mut report,
            false => &mut differences,
        };
        writeln!(text, "> {source}").unwrap();
        theirs
            .iter()
            .for_each(|error| writeln!(text, "  terraform {error}").unwrap());
        ours.iter()
            .for_each(|error| writeln!(text, "  planlens  {error}").unwrap());
    }
    let report = format!(
        "{report}{} wrong expressions: {details} have the same details, {ranges} the same ranges\n",
        sources.len()
    );
    std::io::stdout().write_all(report.as_bytes()).unwrap();
    assert!(differences.is_empty(), "{differences}");
}

#[test]
fn the_grammar_knows_every_function() {
    let functions = fs::read_to_string(repository().join("schemas/functions.json")).unwrap();
    let functions: Value = serde_json::from_str(&functions).unwrap();
    assert_eq!(functions["terraform"], VERSION);
    let grammar = Grammar::parse(&fs::read_to_string(part("grammar")).unwrap());
    let is_there = |since: &Value| match (&since["terraform"], since) {
        (Value::String(first), _) => minor(first) <= minor(VERSION),
        (_, since) => since.is_null(),
    };
    let missing: Vec<&String> = (functions["functions"].as_object().unwrap().iter())
        .filter(|(name, function)| is_there(&function["since"]) && !grammar.tags().contains(name))
        .map(|(name, _)| name)
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

/// The second number of a version.
fn minor(version: &str) -> u32 {
    version.split('.').nth(1).unwrap().parse().unwrap()
}

fn part(name: &str) -> PathBuf {
    repository().join("tests/expressions").join(name)
}

fn has_terraform(test: &str) -> bool {
    program("terraform").is_some_and(|terraform| {
        let output = support::command(terraform, &scratch(&format!("{test}_version")))
            .args(["version", "-json"])
            .output()
            .unwrap();
        let version: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        version["terraform_version"] == VERSION
    })
}

/// Whether two answers are the same; numbers may be written in two ways.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && (left.iter())
                    .all(|(key, left)| right.get(key).is_some_and(|right| is_same(left, right)))
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(l, r)| is_same(l, r))
        }
        (Value::Number(left), Value::Number(right)) => {
            decimal(&left.to_string()) == decimal(&right.to_string())
        }
        (left, right) => left == right,
    }
}

fn is_explained(answer: &Value) -> bool {
    let answer = answer.to_string();
    EXPLAINED.iter().any(|(text, _)| answer.contains(text))
}

/// The smallest expression found that is still answered differently, and its answers.
fn shrink(grammar: &Grammar, folder: &Path, expression: &Expression) -> (String, Value, Value) {
    /// Bounds the size of a module, and the time.
    const CANDIDATES: usize = 60;
    let ask = |candidates: &[Expression]| {
        let texts: Vec<String> = candidates.iter().map(Expression::to_string).collect();
        let theirs = terraform_answers(folder, &texts);
        (theirs, planlens_answers(folder, &texts))
    };
    let mut smallest = expression.clone();
    loop {
        let mut candidates = smallest.smaller(grammar);
        candidates.sort_by_key(|candidate| candidate.to_string().len());
        candidates.truncate(CANDIDATES);
        let (theirs, ours) = ask(&candidates);
        let is_different = |&index: &usize| {
            !is_same(&theirs[index], &ours[index]) && !is_explained(&theirs[index])
        };
        match (0..candidates.len()).find(is_different) {
            Some(index) => smallest = candidates.swap_remove(index),
            None => break,
        }
    }
    let (theirs, ours) = ask(std::slice::from_ref(&smallest));
    (smallest.to_string(), theirs[0].clone(), ours[0].clone())
}

#[derive(Default)]
struct Sums {
    expressions: usize,
    errors: usize,
    unknown: usize,
    sensitive: usize,
    null: usize,
    differences: usize,
    explained: Vec<String>,
    types: BTreeMap<String, usize>,
    tags: BTreeMap<String, usize>,
    inputs: BTreeMap<&'static str, usize>,
}

impl Sums {
    fn add(&mut self, expression: &Expression, answer: &Value) {
        self.expressions += 1;
        let has = |name: &str| usize::from(answer.get(name).is_some());
        self.errors += has("errors");
        self.unknown += has("unknown");
        self.sensitive += has("sensitive");
        self.null += usize::from(answer == &json!({ "type": "dynamic" }));
        for part in expression.all() {
            *self.types.entry(kind(&part.ty)).or_default() += 1;
            if part.tag != "leaf" {
                *self.tags.entry(part.tag.clone()).or_default() += 1;
                continue;
            }
            let text = part.to_string();
            let input = match text.as_str() {
                text if text.contains("secret_later") => "sensitive and unknown",
                text if text.contains("secret_") || text.contains("sensitive(") => "sensitive",
                text if text.contains("part_") => "partly sensitive",
                text if text.contains("half_") => "partly unknown",
                text if text.contains("refined") => "refined unknown",
                text if text.contains("unknown_any") => "unknown of any type",
                text if text.contains("unknown_") => "unknown",
                text if text.contains("null") => "null",
                _ => "known",
            };
            *self.inputs.entry(input).or_default() += 1;
        }
    }

    fn report(&self) -> String {
        let list = |counts: Vec<(String, usize)>| {
            let counts: Vec<String> = (counts.iter())
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            counts.join(", ")
        };
        let owned = |counts: &BTreeMap<String, usize>| list(counts.clone().into_iter().collect());
        let explained: Vec<String> = (self.explained.iter())
            .map(|text| format!("\n  {text}"))
            .collect();
        let inputs = self.inputs.iter().map(|(k, n)| ((*k).to_owned(), *n));
        format!(
            "{} expressions: {} errors, {} with unknown, {} with sensitive parts, {} null; {} differences, {} explained{}\n\
             operators and functions: {}\ntypes: {}\ninputs: {}\n",
            self.expressions,
            self.errors,
            self.unknown,
            self.sensitive,
            self.null,
            self.differences,
            self.explained.len(),
            explained.concat(),
            owned(&self.tags),
            owned(&self.types),
            list(inputs.collect()),
        )
    }

    fn check(&self, grammar: &Grammar) {
        assert!(self.errors * 2 <= self.expressions, "too many errors");
        for tag in grammar.tags() {
            let count = self.tags.get(tag).copied().unwrap_or_default();
            assert!(count >= 10, "{tag} occurs {count} times");
        }
    }
}

/// A type for the sums: the elements of a collection count where they are of a primitive type or objects.
fn kind(ty: &Type) -> String {
    let element = |ty: &Type| match ty {
        Type::Name(_) => kind(ty),
        Type::List(_) | Type::Set(_) | Type::Map(_) => "collection".to_owned(),
    };
    match ty {
        Type::Name(name) => match name.as_str() {
            "str" => "string".to_owned(),
            "num" | "small" | "size" | "bits" | "base" | "divisor!" | "base!" | "power!"
            | "position!" => "number".to_owned(),
            "bool" => "bool".to_owned(),
            "obj" => "object".to_owned(),
            "any" => "any".to_owned(),
            _ => "string of a form".to_owned(),
        },
        Type::List(inner) => format!("list of {}", element(inner)),
        Type::Set(inner) => format!("set of {}", element(inner)),
        Type::Map(inner) => format!("map of {}", element(inner)),
    }
}

/// FNV-1a.
fn fingerprint(texts: &[String]) -> String {
    let hash = (texts.iter().flat_map(|text| text.bytes()))
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
    format!("{hash:016x}")
}

fn record(seeds: &[Value]) {
    let mut text = format!("{{\"terraform\": \"{VERSION}\", \"seeds\": [\n");
    for (index, seed) in seeds.iter().enumerate() {
        let answers: Vec<String> = (seed["answers"].as_array().unwrap().iter())
            .map(Value::to_string)
            .collect();
        writeln!(
            text,
            "{{\"expressions\": {}, \"answers\": [\n{}\n]}}{}",
            seed["expressions"],
            answers.join(",\n"),
            if index + 1 < seeds.len() { "," } else { "" }
        )
        .unwrap();
    }
    text.push_str("]}\n");
    fs::write(part("recorded.json"), text).unwrap();
}

fn recorded_answers(seed: u64, texts: &[String]) -> Vec<Value> {
    let recorded = fs::read_to_string(part("recorded.json")).unwrap();
    let mut recorded: Value = serde_json::from_str(&recorded).unwrap();
    assert_eq!(recorded["terraform"], VERSION);
    let seed = &mut recorded["seeds"][seed as usize];
    assert_eq!(
        seed["expressions"],
        fingerprint(texts),
        "the grammar has changed: tests/expressions/run --record"
    );
    serde_json::from_value(seed["answers"].take()).unwrap()
}
