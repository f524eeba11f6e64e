//! Verdicts and trees against Go's hclsyntax: every file of the corpus, and mutants of their items.
//!
//! The reference's answers are stored in `tests/verdicts.txt`, so the test needs no Go: one line for each input,
//! `-` for a syntax error, else the hash of the canonical tree. After a change of the corpus or the mutator,
//! record them again, with Go on the PATH:
//!
//! ```text
//! UPDATE_VERDICTS=1 cargo test -p syntax --test differential
//! ```

use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Random, corpus, hash, mutate};
use syntax::dump::{dump_expr, dump_file};
use syntax::{File, parse, parse_as_reference, parse_expression, parse_template};
use text::Problem;

mod support;

const MUTANTS: usize = 24_000;

/// What a text is read as, by the letter that the oracle knows it by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    Configuration = b'c' as isize,
    Expression = b'e' as isize,
    Template = b't' as isize,
    /// A configuration of which the errors are compared.
    Reports = b'r' as isize,
}

/// The files themselves, then the mutants.
fn inputs() -> Vec<(Kind, String)> {
    let corpus = corpus();
    let items: Vec<String> = corpus.iter().flat_map(|(_, text)| items(text)).collect();
    let expressions: Vec<String> = corpus
        .iter()
        .flat_map(|(_, text)| expressions(text))
        .collect();
    let mut random = Random(1);
    let mut inputs: Vec<(Kind, String)> = corpus
        .into_iter()
        .map(|(_, text)| (Kind::Configuration, text))
        .collect();
    for (kind, bases, count) in [
        (Kind::Configuration, &items, MUTANTS),
        (Kind::Expression, &expressions, MUTANTS / 6),
        // Configuration is a template as good as any: it has sequences in it.
        (Kind::Template, &items, MUTANTS / 6),
    ] {
        for _ in 0..count {
            let base = random.pick(bases).clone();
            inputs.push((kind, mutate(&base, &mut random)));
        }
    }
    inputs
}

/// The values of all attributes of top-level blocks.
fn expressions(text: &str) -> Vec<String> {
    let file = parse(text);
    let mut expressions = Vec::new();
    for (id, block) in file.body().blocks() {
        let offset = file.offset_of(id).unwrap();
        for attribute in &block.body.attributes {
            expressions.push(text[attribute.expr.range + offset].to_owned());
        }
    }
    expressions
}

/// Pieces of a file that begin after an empty line at column 0: whole items, mostly. Long blocks are made into
/// several shorter ones.
fn items(text: &str) -> Vec<String> {
    let mut items = vec![String::new()];
    let mut is_after_blank = false;
    for line in text.split_inclusive('\n') {
        if is_after_blank && !line.starts_with([' ', '\t', '\r', '\n', '}', ']', ')']) {
            items.push(String::new());
        }
        is_after_blank = line.trim().is_empty();
        items.last_mut().unwrap().push_str(line);
    }
    items.retain(|item| !item.trim().is_empty());
    items.iter().flat_map(|item| shorter(item)).collect()
}

fn shorter(item: &str) -> Vec<String> {
    const LONG: usize = 500;
    let (Some(start), Some(end)) = (item.find("{\n"), item.rfind("\n}")) else {
        return vec![item.to_owned()];
    };
    if item.len() < LONG || end <= start {
        return vec![item.to_owned()];
    }
    let (header, body, footer) = (&item[..start + 2], &item[start + 2..=end], &item[end + 1..]);
    let mut bodies = vec![String::new()];
    for line in body.split_inclusive('\n') {
        let is_start = line.starts_with("  ") && line[2..].starts_with(char::is_alphanumeric);
        if is_start && bodies.last().unwrap().len() > LONG / 2 {
            bodies.push(String::new());
        }
        bodies.last_mut().unwrap().push_str(line);
    }
    bodies
        .iter()
        .map(|body| format!("{header}{body}{footer}"))
        .collect()
}

/// The errors, the canonical tree, and whether the lossless tree has the whole text.
fn answer(kind: Kind, input: &str) -> (Vec<Problem>, String, bool) {
    match kind {
        Kind::Configuration => {
            let file = parse(input);
            let errors = file.errors().map(|(_, error)| error.clone()).collect();
            (errors, dump_file(file.body()), green_text(&file) == input)
        }
        Kind::Expression => {
            let parsed = parse_expression(input);
            (parsed.errors, dump_expr(&parsed.tree), true)
        }
        Kind::Template => {
            let parsed = parse_template(input);
            (parsed.errors, dump_expr(&parsed.tree), true)
        }
        Kind::Reports => (reports(input), String::new(), true),
    }
}

fn reports(input: &str) -> Vec<Problem> {
    let file = parse_as_reference(input);
    file.errors().map(|(_, error)| error.clone()).collect()
}

fn green_text(file: &File) -> String {
    file.segments()
        .map(|segment| segment.parsed.syntax().text().to_string())
        .collect()
}

#[test]
fn verdicts_and_trees_are_those_of_hclsyntax() {
    let inputs = inputs();
    let all: String = inputs.iter().map(|(_, input)| input.as_str()).collect();
    let fingerprint = format!("{} inputs, {:016x}", inputs.len(), hash(&all));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/verdicts.txt");
    if std::env::var_os("UPDATE_VERDICTS").is_some() {
        let answers = ask_reference(&inputs);
        fs::write(&path, format!("{fingerprint}\n{}\n", answers.join("\n"))).unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap();
    let mut stored = stored.lines();
    assert_eq!(
        stored.next(),
        Some(&*fingerprint),
        "record the verdicts again: see above"
    );
    let stored: Vec<&str> = stored.collect();
    assert_eq!(stored.len(), inputs.len());

    let mut valid = 0;
    let (mut false_rejects, mut false_accepts, mut different, mut lossy) = (0, 0, 0, 0);
    let mut report = String::new();
    for ((kind, input), expected) in inputs.iter().zip(stored) {
        let (errors, tree, is_lossless) = answer(*kind, input);
        let own = if errors.is_empty() {
            format!("{:08x}", hash(&tree) >> 32)
        } else {
            "-".to_owned()
        };
        valid += usize::from(expected != "-");
        let mut note = |what: &str| {
            let _ = writeln!(
                report,
                "=== {what}, {kind:?}\n{input}\n--- {errors:?}\n--- {tree}\n"
            );
        };
        match (expected, &*own) {
            (expected, own) if expected == own => {}
            (_, "-") => {
                false_rejects += 1;
                note("false reject");
            }
            ("-", _) => {
                false_accepts += 1;
                note("false accept");
            }
            _ => {
                different += 1;
                note("different tree");
            }
        }
        if !is_lossless {
            lossy += 1;
            note("lossy");
        }
    }
    let count = inputs.len();
    say(&format!(
        "hclsyntax: {count} inputs ({valid} valid): {false_rejects} false rejects, {false_accepts} false \
         accepts, {different} different trees, {lossy} lossy"
    ));
    if !report.is_empty() {
        say(&report);
    }
    assert!(count >= 20_000);
    assert_eq!((false_rejects, different, lossy), (0, 0, 0));
    assert!(false_accepts <= 2);
}

/// The errors are stored in `tests/reports.txt`, one line for each input; they are recorded as the verdicts are.
#[test]
fn the_errors_of_a_plan_are_those_of_hclsyntax() {
    const INPUTS: usize = 3_000;
    let is_broken = |(kind, input): &(Kind, String)| {
        *kind == Kind::Configuration && !answer(*kind, input).0.is_empty()
    };
    let broken = inputs().into_iter().filter(is_broken).take(INPUTS);
    let inputs: Vec<_> = broken.map(|(_, input)| (Kind::Reports, input)).collect();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reports.txt");
    if std::env::var_os("UPDATE_VERDICTS").is_some() {
        fs::write(&path, ask_reference(&inputs).join("\n") + "\n").unwrap();
    }
    let stored = fs::read_to_string(&path).unwrap();
    let stored: Vec<&str> = stored.lines().collect();
    assert_eq!(
        stored.len(),
        inputs.len(),
        "record the verdicts again: see above"
    );
    let mut different = 0;
    for ((_, input), expected) in inputs.iter().zip(stored) {
        let errors = self::reports(input);
        let mut reports: Vec<String> = errors
            .iter()
            .map(|error| {
                let before = &input[..usize::from(error.at.start())];
                format!("{} {}", before.matches('\n').count() + 1, error.summary)
            })
            .collect();
        reports.sort();
        let reports = reports.join("; ");
        if reports != expected {
            different += 1;
        }
    }
    say(&format!("{different} of {INPUTS} texts have other errors"));
    // Several errors behind one another in a single expression.
    assert!(different <= 110);
}

#[test]
fn the_corpus_is_valid() {
    for (name, text) in corpus() {
        let file = parse(&text);
        let errors: Vec<_> = file.errors().collect();
        assert!(errors.is_empty(), "{name}: {errors:?}");
    }
}

/// What hclsyntax says about each input.
fn ask_reference(inputs: &[(Kind, String)]) -> Vec<String> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/hclsyntax");
    let mut oracle = Command::new("go")
        .args(["run", ".", "hash"])
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = oracle.stdin.take().unwrap();
    let stdout = oracle.stdout.take().unwrap();
    let answers = std::thread::scope(|scope| {
        scope.spawn(move || {
            for (kind, input) in inputs {
                stdin.write_all(&[*kind as u8]).unwrap();
                stdin
                    .write_all(&u32::try_from(input.len()).unwrap().to_le_bytes())
                    .unwrap();
                stdin.write_all(input.as_bytes()).unwrap();
            }
        });
        BufReader::new(stdout)
            .lines()
            .map(Result::unwrap)
            .collect::<Vec<_>>()
    });
    assert!(oracle.wait().unwrap().success());
    answers
}

/// Prints a figure of the test.
#[allow(clippy::print_stdout)]
fn say(text: &str) {
    println!("{text}");
}
