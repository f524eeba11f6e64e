//! Everything that terraform-ls offers in an editor, planlens offers too: completion, hover, symbols, definitions and references at
//! the places in `peers/inputs`, in the module `peers/module`.
//!
//! The providers are random, local, tls, time and the builtin one. That of GitHub is not among them, as the Go module proxy, by which all are built,
//! does not serve it.
//!
//! terraform-ls' answers are recorded in `peers/answers.json`; `tests/peers/record` records them again. Where the two
//! differ, `peers/differences.txt` says why: a kind of place, a part of the line, the peer's answer that planlens
//! has not, and the reason. `more` in place of a label is for completions that are more than twice the peer's. A reason
//! that begins with `wrong:` (the peer's answer isn't possible there) or `instead:` (planlens has something better) does
//! not count against planlens.

#[path = "peers/ask.rs"]
mod ask;
#[path = "peers/inputs.rs"]
mod inputs;
mod support;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use ask::Server;
use inputs::{Input, Question};
use serde_json::{Value, json};
use support::client::Client;
use support::{cache, repository, scratch, skipped};

/// The version that `tests/peers/record` builds.
const VERSION: &str = "terraform-ls 0.39.0, terraform 1.11.4";
const LEAST_INPUTS: usize = 300;
const LEAST_KINDS: usize = 40;
/// Percent of the answers that hold all of the peer's.
const OF_ALL: usize = 98;
const OF_EACH_KIND: usize = 95;

/// The note of `terraform init` about the module.
const MODULES: &str = r#"{"Modules":[{"Key":"","Source":"","Dir":"."},{"Key":"network","Source":"./network","Dir":"network"}]}"#;

#[test]
fn capabilities_of_terraform_ls() {
    let test = "capabilities_of_terraform_ls";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let module = scratch(test).join("module");
    support::copy_module(&repository().join("tests/peers/module"), &module);
    support::install_providers(&cache, &module);
    let modules = module.join(".terraform/modules");
    fs::create_dir_all(&modules).unwrap();
    fs::write(modules.join("modules.json"), MODULES).unwrap();
    let inputs = inputs::all();
    if let Some(peer) = std::env::var_os("PLANLENS_RECORD_PEER") {
        record(Path::new(&peer), &module, &cache, &inputs);
    }
    let recorded = recorded(&inputs);
    let own = own_answers(&module, &cache, &inputs);
    let report = compare(&inputs, &recorded, &own);
    report.print();
    report.check();
}

fn answers_file() -> PathBuf {
    repository().join("tests/peers/answers.json")
}

/// The answers of the peer, in the order of the inputs.
fn recorded(inputs: &[Input]) -> Vec<Value> {
    let text = fs::read_to_string(answers_file()).unwrap();
    let file: Value = serde_json::from_str(&text).unwrap();
    let outdated = "the inputs are others than those recorded: run tests/peers/record";
    assert_eq!(file["version"], VERSION, "{outdated}");
    let mut kinds: BTreeMap<&str, std::slice::Iter<Value>> = file["answers"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(kind, answers)| (kind.as_str(), answers.as_array().unwrap().iter()))
        .collect();
    let answers = inputs.iter().map(|input| {
        let next = kinds.get_mut(input.kind.as_str()).and_then(Iterator::next);
        let next = next.expect(outdated);
        assert_eq!(next[0], input.shown(), "{outdated}");
        next[1].clone()
    });
    let answers = answers.collect();
    assert!(
        kinds.values_mut().all(|rest| rest.next().is_none()),
        "{outdated}"
    );
    answers
}

fn record(peer: &Path, module: &Path, cache: &Path, inputs: &[Input]) {
    let client = Client::start_other(
        Command::new(peer)
            .arg("serve")
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .env("CHECKPOINT_DISABLE", "1")
            .stderr(Stdio::null()),
    );
    let options = json!({ "indexing": { "ignorePaths": [] } });
    let mut server = Server::start(client, module, options);
    let with_schema = inputs
        .iter()
        .find(|input| input.kind == "completion resource arguments")
        .unwrap();
    server.show(with_schema);
    for _ in 0..100 {
        if server.ask(with_schema).to_string().contains("length") {
            break;
        }
        std::thread::sleep(Duration::from_millis(500));
    }
    let mut kinds: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for input in inputs {
        // It doesn't say when it has read a text: the answer has to stay the same for a while.
        let mut waits = if server.show(input) { 2 } else { 0 };
        let mut answer = server.ask(input);
        while waits > 0 {
            std::thread::sleep(Duration::from_millis(100));
            waits -= 1;
            let again = server.ask(input);
            if again != answer {
                (answer, waits) = (again, 2);
            }
        }
        let answers = kinds.entry(input.kind.clone()).or_default();
        answers.push(json!([input.shown(), answer]));
    }
    server.client.server.kill().unwrap();
    let kinds: Vec<String> = kinds
        .into_iter()
        .map(|(kind, answers)| {
            let lines: Vec<String> = answers.iter().map(|it| format!("   {it}")).collect();
            format!("  {}: [\n{}\n  ]", json!(kind), lines.join(",\n"))
        })
        .collect();
    let text = format!(
        "{{\n \"version\": {},\n \"answers\": {{\n{}\n }}\n}}\n",
        json!(VERSION),
        kinds.join(",\n")
    );
    fs::write(answers_file(), text).unwrap();
}

fn own_answers(module: &Path, cache: &Path, inputs: &[Input]) -> Vec<Value> {
    let log = module.with_file_name("log");
    let client = Client::start(
        support::planlens(module)
            .arg("lsp")
            .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
            .stderr(fs::File::create(log).unwrap()),
    );
    let mut server = Server::start(client, module, json!({ "trust": "always" }));
    let of_types = |input: &&Input| input.kind == "completion resource type";
    let types = inputs.iter().find(of_types).unwrap();
    for _ in 0..200 {
        server.show(types);
        let offered = server.ask(types).to_string();
        let providers = ["random_pet", "local_file", "tls_private_key", "time_sleep"];
        if providers.iter().all(|name| offered.contains(name)) {
            break;
        }
        std::thread::sleep(Duration::from_millis(100));
    }
    let answers = inputs
        .iter()
        .map(|input| {
            if server.show(input) {
                // It waits for the plan of the text.
                let document = server.document(input);
                server.client.ask("textDocument/codeLens", document);
            }
            server.ask(input)
        })
        .collect();
    server.client.stop();
    answers
}

#[derive(Default)]
struct Report {
    reasons: Vec<Reason>,
    /// By kind: inputs, and those that hold all of the peer's answer that is worth it.
    kinds: BTreeMap<String, (usize, usize)>,
    /// Inputs where something of the peer's answer is wrong, or worse than ours.
    for_the_better: usize,
    /// Differences without a reason, by kind.
    unexplained: BTreeMap<String, Vec<String>>,
}

fn compare(inputs: &[Input], peers: &[Value], own: &[Value]) -> Report {
    let mut report = Report {
        reasons: Reason::all(),
        ..Report::default()
    };
    for ((input, peer), own) in inputs.iter().zip(peers).zip(own) {
        let missing = match input.question {
            Question::Hover => missing_of_hover(input, peer, own),
            _ => strings(peer).difference(&strings(own)).cloned().collect(),
        };
        let judge = |what: &String| report.is_for_the_better(input, what);
        let judged: Vec<bool> = missing.iter().map(judge).collect();
        let is_right = !judged.contains(&false);
        let (all, right) = report.kinds.entry(input.kind.clone()).or_default();
        *all += 1;
        *right += usize::from(is_right);
        report.for_the_better += usize::from(is_right && !missing.is_empty());
        // The editor shows those that begin with the typed text.
        let typed = input.reference_before(input.character);
        let shown = strings(own);
        let count = shown.iter().filter(|it| it.starts_with(typed)).count();
        let limit = 2 * strings(peer).len();
        if input.question == Question::Completion && limit > 0 && count > limit {
            report.is_for_the_better(input, "more");
        }
    }
    report
}

fn strings(answer: &Value) -> BTreeSet<String> {
    let list = answer.as_array().into_iter().flatten();
    list.map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// Kinds of places that no provider describes: the peer's descriptions are its own, and so are ours.
const OWN_WORDS: [&str; 8] = [
    "hover block type",
    "hover each and count",
    "hover function",
    "hover language argument",
    "hover meta argument",
    "hover nested block",
    "hover object key",
    "hover reference",
];

/// The parts that a hover of ours lacks: the range, the words of the title, the paragraphs.
fn missing_of_hover(input: &Input, peer: &Value, own: &Value) -> Vec<String> {
    let Some(text) = peer["text"].as_str() else {
        return Vec::new();
    };
    if own.is_null() {
        return vec!["a hover".to_owned()];
    }
    let mut missing = Vec::new();
    if peer["range"] != own["range"] {
        missing.push("range".to_owned());
    }
    let (peer, own) = (
        without_relative_links(&plain(text)),
        plain(own["text"].as_str().unwrap()),
    );
    let (title, paragraphs) = peer.split_once("\n\n").unwrap_or((&peer, ""));
    let words = title.split(|c: char| !(c.is_alphanumeric() || "_./-".contains(c)));
    // Where the peer knows no type, any is good.
    let words = words.filter(|it| !["", "terraform", "dynamic", "any", "type"].contains(it));
    let own_words = OWN_WORDS.contains(&input.kind.as_str());
    let paragraphs = paragraphs
        .split('\n')
        .filter(|it| !it.is_empty() && !own_words);
    missing.extend(
        words
            .chain(paragraphs)
            .filter(|part| !own.contains(part.trim()))
            .map(str::to_owned),
    );
    if own_words && !paragraphs_of(&peer).is_empty() && paragraphs_of(&own).is_empty() {
        missing.push("a description".to_owned());
    }
    missing
}

/// The rest of links that lead nowhere from an editor: their text.
fn without_relative_links(text: &str) -> String {
    let mut text = text.to_owned();
    while let Some(middle) = text.find("](../")
        && let Some(open) = text[..middle].rfind('[')
        && let Some(close) = text[middle..].find(')')
    {
        text.replace_range(middle..=middle + close, "");
        text.remove(open);
    }
    text
}

fn paragraphs_of(plain: &str) -> &str {
    plain.split_once("\n\n").map_or("", |(_, rest)| rest.trim())
}

/// In lower case, and without the layout of markdown.
fn plain(markdown: &str) -> String {
    let text = markdown.replace("```terraform\n", "").replace("\n```", "");
    let text = text.replace(['*', '`', '\\'], "").replace("\n_", "\n");
    let text = text
        .replace(" _", " ")
        .replace("_ ", " ")
        .replace("_\n", "\n");
    text.trim_matches('_').to_lowercase()
}

impl Report {
    /// Looks for the reason of a difference. Answers whether the peer's answer is the worse one.
    fn is_for_the_better(&mut self, input: &Input, what: &str) -> bool {
        let line = input.shown();
        let mut reasons = self.reasons.iter();
        match reasons.find(|it| it.explains(&input.kind, &line, what)) {
            Some(reason) => {
                reason.is_used.set(true);
                reason.is_for_the_better()
            }
            None => {
                let of_kind = self.unexplained.entry(input.kind.clone()).or_default();
                of_kind.push(format!("{line}  {what}"));
                false
            }
        }
    }

    fn print(&self) {
        for (kind, (all, right)) in &self.kinds {
            say(&format!("{kind}: {right} of {all}"));
        }
        let (all, right) = self.total();
        say(&format!(
            "{right} of {all} answers hold all of terraform-ls', in {} kinds; in {} of them what is wrong there or worse is not counted",
            self.kinds.len(),
            self.for_the_better
        ));
    }

    fn total(&self) -> (usize, usize) {
        self.kinds
            .values()
            .fold((0, 0), |(all, right), it| (all + it.0, right + it.1))
    }

    fn check(&self) {
        assert!(self.unexplained.is_empty(), "{:#}", json!(self.unexplained));
        let unused: Vec<&Reason> = self.reasons.iter().filter(|it| !it.is_used.get()).collect();
        assert!(unused.is_empty(), "no difference any more: {unused:#?}");
        let (all, right) = self.total();
        assert!(all >= LEAST_INPUTS && self.kinds.len() >= LEAST_KINDS);
        assert!(right * 100 >= all * OF_ALL, "{right} of {all}");
        for (kind, (all, right)) in &self.kinds {
            assert!(
                right * 100 >= all * OF_EACH_KIND,
                "{kind}: {right} of {all}"
            );
        }
    }
}

/// Past the capture of the test harness.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}

/// Why planlens differs: a line of `differences.txt`.
#[derive(Debug)]
struct Reason {
    kind: String,
    /// Part of the line of the question, or nothing.
    line: String,
    what: String,
    why: String,
    is_used: Cell<bool>,
}

impl Reason {
    fn all() -> Vec<Reason> {
        let text = fs::read_to_string(repository().join("tests/peers/differences.txt")).unwrap();
        let lines = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty());
        let reasons = lines.map(|line| {
            let parts: Vec<&str> = line.split(" | ").collect();
            let [kind, line, what, why] = parts[..] else {
                panic!("KIND | LINE | WHAT | WHY: {line}");
            };
            Reason {
                kind: kind.to_owned(),
                line: line.to_owned(),
                what: what.to_owned(),
                why: why.to_owned(),
                is_used: Cell::new(false),
            }
        });
        reasons.collect()
    }

    fn explains(&self, kind: &str, line: &str, what: &str) -> bool {
        let is_like = |pattern: &str, text: &str| match pattern.strip_suffix('*') {
            Some(begin) => text.starts_with(begin),
            None => text == pattern,
        };
        is_like(&self.kind, kind) && line.contains(&self.line) && is_like(&self.what, what)
    }

    /// Whether the peer's answer is the worse one.
    fn is_for_the_better(&self) -> bool {
        self.why.starts_with("wrong: ") || self.why.starts_with("instead: ")
    }
}
