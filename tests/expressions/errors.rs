//! Wrong expressions: the errors of terraform, recorded in `errors.txt`, and those of planlens.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::support::{command, planlens, printed, repository};

/// The text after `> ` in the file: an expression, or a whole block of a variable.
type Source = String;

/// The errors of a source, in the order of their places.
type Errors = Vec<Error>;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Error {
    /// Bytes from the source's begin.
    pub range: (i64, i64),
    pub summary: String,
    pub detail: String,
}

/// The sources of the file and terraform's answers, with the comments before them.
pub struct Recorded(Vec<(Source, Errors, String)>);

impl Recorded {
    pub fn read() -> Recorded {
        let text = fs::read_to_string(file()).unwrap();
        let mut rows: Vec<(Source, Errors, String)> = Vec::new();
        let mut comments = String::new();
        for line in text.lines() {
            if let Some(source) = line.strip_prefix("> ") {
                rows.push((source.to_owned(), Vec::new(), std::mem::take(&mut comments)));
            } else if line.starts_with('#') {
                writeln!(comments, "{line}").unwrap();
            } else if !line.is_empty() {
                let (_, errors, _) = rows.last_mut().expect("answers follow an expression");
                errors.push(Error::parse(line));
            }
        }
        Recorded(rows)
    }

    pub fn sources(&self) -> Vec<Source> {
        let sources = self.0.iter().map(|(source, ..)| source);
        sources.map(|source| source.replace('⏎', "\n")).collect()
    }

    pub fn answers(&self) -> Vec<Errors> {
        self.0.iter().map(|(_, errors, _)| errors.clone()).collect()
    }

    pub fn write(&self, answers: &[Errors]) {
        let mut text = String::new();
        for ((source, _, comments), errors) in self.0.iter().zip(answers) {
            writeln!(text, "{comments}> {source}").unwrap();
            for error in errors {
                writeln!(text, "{error}").unwrap();
            }
        }
        fs::write(file(), text).unwrap();
    }
}

impl Error {
    fn parse(line: &str) -> Error {
        let (begin, rest) = line.split_once("..").expect("a range");
        let (end, rest) = rest.split_once(' ').expect("a summary");
        let (summary, detail) = rest.split_once(": ").expect("a detail");
        Error {
            range: (begin.parse().unwrap(), end.parse().unwrap()),
            summary: summary.to_owned(),
            detail: detail.to_owned(),
        }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (begin, end) = self.range;
        write!(f, "{begin}..{end} {}: {}", self.summary, self.detail)
    }
}

fn file() -> std::path::PathBuf {
    repository().join("tests/expressions/errors.txt")
}

/// The module's text, and by the byte where each source's part begins its number and where the source begins.
fn text(sources: &[(usize, &Source)]) -> (String, BTreeMap<i64, (usize, i64)>) {
    let mut text = String::new();
    let mut begins = BTreeMap::new();
    for (number, source) in sources {
        let part = text.len() as i64;
        match source.starts_with("variable ") {
            true => begins.insert(part, (*number, part)),
            false => {
                write!(
                    text,
                    "output \"e{number}\" {{\n  sensitive = true\n  value = "
                )
                .unwrap();
                begins.insert(part, (*number, text.len() as i64))
            }
        };
        text.push_str(source);
        if !source.starts_with("variable ") {
            text.push_str("\n}");
        }
        text.push('\n');
    }
    (text, begins)
}

fn add(diagnostic: &Value, begins: &BTreeMap<i64, (usize, i64)>, errors: &mut [Errors]) {
    if diagnostic["severity"] != "error" {
        return;
    }
    let byte = |side: &str| diagnostic["range"][side]["byte"].as_i64();
    let (Some(begin), Some(end)) = (byte("start"), byte("end")) else {
        panic!("an error of no expression: {diagnostic}");
    };
    let (_, &(number, source)) = begins.range(..=begin).next_back().unwrap();
    let text = |name: &str| {
        let text = diagnostic[name].as_str().unwrap_or_default();
        text.replace('\n', "⏎")
    };
    let error = Error {
        range: (begin - source, end - source),
        summary: text("summary"),
        detail: text("detail"),
    };
    // Terraform repeats an error that both its walks find.
    if !errors[number].contains(&error) {
        errors[number].push(error);
        errors[number].sort();
    }
}

pub fn planlens_errors(folder: &Path, sources: &[Source]) -> Vec<Errors> {
    staged(folder, sources, |add| {
        let output = planlens(folder).args(["plan", "--json"]).output().unwrap();
        let plan: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|_| panic!("no plan: {}", printed(&output)));
        let diagnostics = plan["diagnostics"].as_array();
        diagnostics.into_iter().flatten().for_each(add);
    })
}

pub fn terraform_errors(folder: &Path, sources: &[Source]) -> Vec<Errors> {
    let errors = staged(folder, sources, |add| {
        let output = command("terraform", folder)
            .args(["plan", "-refresh=false", "-input=false", "-json"])
            .output()
            .unwrap();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let message: Value = serde_json::from_str(line).unwrap_or_default();
            add(&message["diagnostic"]);
        }
    });
    for (source, errors) in sources.iter().zip(&errors) {
        assert!(!errors.is_empty(), "nothing is wrong in {source}");
    }
    errors
}

/// A plan stops after the stage that has found errors. It is asked for again without those, until there are no more.
fn staged(folder: &Path, sources: &[Source], ask: impl Fn(&mut dyn FnMut(&Value))) -> Vec<Errors> {
    let mut errors = vec![Errors::new(); sources.len()];
    loop {
        let rest: Vec<_> = (sources.iter().enumerate())
            .filter(|(number, _)| errors[*number].is_empty())
            .collect();
        let (text, begins) = text(&rest);
        fs::write(folder.join("expressions.tf"), text).unwrap();
        ask(&mut |diagnostic| add(diagnostic, &begins, &mut errors));
        let left = errors.iter().filter(|errors| errors.is_empty()).count();
        if left == 0 || left == rest.len() {
            return errors;
        }
    }
}
