//! The questions to both servers: the texts in `inputs/`.
//!
//! `=== QUESTION KIND` begins a kind, with ` @ FILE` where the text is not of `probe.tf`, and `---` the next text of it.
//! `$0` is where the question is put; each one in a text is an input.

use std::fs;

use super::support::repository;

pub struct Input {
    /// Of whose answers a share must be right: `completion locals value`.
    pub kind: String,
    pub question: Question,
    pub file: String,
    pub text: String,
    pub line: usize,
    pub character: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Question {
    Completion,
    Hover,
    Definition,
    References,
    Symbols,
}

const MARK: &str = "$0";

pub fn all() -> Vec<Input> {
    let folder = repository().join("tests/peers/inputs");
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    let texts = files.iter().map(|file| fs::read_to_string(file).unwrap());
    texts.flat_map(|text| of_file(&text)).collect()
}

fn of_file(text: &str) -> Vec<Input> {
    let mut inputs = Vec::new();
    for section in text.split("=== ").skip(1) {
        let (title, texts) = section.split_once('\n').unwrap();
        let (kind, file) = title.split_once(" @ ").unwrap_or((title, "probe.tf"));
        let question = match kind.split(' ').next().unwrap() {
            "completion" => Question::Completion,
            "hover" => Question::Hover,
            "definition" => Question::Definition,
            "references" => Question::References,
            "symbols" => Question::Symbols,
            other => panic!("no question {other}"),
        };
        for marked in texts.split("---\n") {
            let plain = marked.replace(MARK, "");
            let mut at = |before: &str| {
                inputs.push(Input {
                    kind: kind.to_owned(),
                    question,
                    file: file.to_owned(),
                    text: plain.clone(),
                    line: before.matches('\n').count(),
                    character: before.len() - before.rfind('\n').map_or(0, |at| at + 1),
                });
            };
            if question == Question::Symbols {
                at("");
            }
            for (index, _) in marked.match_indices(MARK) {
                at(&marked[..index].replace(MARK, ""));
            }
        }
    }
    inputs
}

impl Input {
    /// The line of the question, with its mark: it names the input among those of its kind.
    pub fn shown(&self) -> String {
        let line = self.text.lines().nth(self.line).unwrap_or_default();
        let (before, after) = line.split_at(self.character);
        format!("{before}{MARK}{after}").trim().to_owned()
    }

    /// The text before the column on the line, back to where the reference begins.
    pub fn reference_before(&self, character: usize) -> &str {
        let line = self.text.lines().nth(self.line).unwrap_or_default();
        let before = &line[..character];
        let mut depth = 0;
        let start = before.char_indices().rev().find(|(_, c)| match c {
            ']' => {
                depth += 1;
                false
            }
            '[' if depth > 0 => {
                depth -= 1;
                false
            }
            _ => depth == 0 && !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.')),
        });
        start.map_or(before, |(at, c)| &before[at + c.len_utf8()..])
    }
}
