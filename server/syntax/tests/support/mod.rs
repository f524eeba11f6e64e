//! The corpus and what is made from it, for the tests against the reference parser.

#![allow(dead_code)]

use std::fs;
use std::path::{Path, PathBuf};

/// The files of the corpus by name, in order.
pub fn corpus() -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let mut paths: Vec<PathBuf> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
    paths
        .iter()
        .map(|path| (name(path), fs::read_to_string(path).unwrap()))
        .collect()
}

/// SplitMix64: the same numbers everywhere and always.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.next() % count as u64).unwrap()
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

/// FNV-1a, 64 bits.
pub fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// What may break a parser, put in at random places.
const NASTY: &[&str] = &[
    "\"",
    "${",
    "%{",
    "}",
    "{",
    "(",
    ")",
    "[",
    "]",
    "<<EOT\n",
    "<<-EOT\n",
    "EOT\n",
    "\n",
    "\r\n",
    "\r",
    "$",
    "$$",
    "$${",
    "%%{",
    "%",
    "~}",
    "${~",
    "%{~ if true ~}",
    "%{ endif }",
    "%{ else }",
    "%{ for x in y }",
    "%{ endfor }",
    "\\",
    "\\n",
    "\\u00e9",
    "\\u00",
    "\\U0001F600",
    "\\q",
    "#",
    "//",
    "/*",
    "*/",
    ",",
    ".",
    "...",
    "::",
    ":",
    "=",
    "==",
    "=>",
    "!=",
    "!",
    "?",
    "-",
    "+",
    "*",
    "/",
    "&&",
    "||",
    "&",
    "|",
    "^",
    "'",
    "`",
    ";",
    "@",
    "for",
    "in",
    "if",
    "null",
    "true",
    "0",
    "1.5",
    "1e3",
    "1.2.3",
    "0.1",
    ".0",
    ".*",
    "[*]",
    "[0]",
    "[\"k\"]",
    "\u{e9}",
    "e\u{301}",
    "\u{1f600}",
    "\u{a0}",
    "\u{feff}",
    "\t",
    " ",
    "x",
    "a-b",
    "_",
    "<",
    ">",
    "<=",
    "<<",
    "<<-",
    "\0",
];

/// The text with one to three changes to its words and signs.
pub fn mutate(text: &str, random: &mut Random) -> String {
    let mut words: Vec<&str> = split(text);
    for _ in 0..=random.below(3) {
        if words.is_empty() {
            break;
        }
        let at = random.below(words.len());
        match random.below(8) {
            0 | 1 => {
                words.remove(at);
            }
            2 => words.insert(at, words[at]),
            3 => {
                let other = random.below(words.len());
                words.swap(at, other);
            }
            4 => words[at] = words[random.below(words.len())],
            5 => {
                let other = words[random.below(words.len())];
                words.insert(at, other);
            }
            6 => words.insert(at, NASTY[random.below(NASTY.len())]),
            _ => words[at] = NASTY[random.below(NASTY.len())],
        }
    }
    words.concat()
}

/// Words, runs of spaces, and single other characters.
fn split(text: &str) -> Vec<&str> {
    let class = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '_' => 1,
        ' ' => 2,
        _ => 0,
    };
    let mut words = Vec::new();
    let mut start = 0;
    let mut last = None;
    for (at, c) in text.char_indices() {
        if at > start && (class(c) == 0 || last != Some(class(c))) {
            words.push(&text[start..at]);
            start = at;
        }
        last = Some(class(c));
    }
    words.push(&text[start..]);
    words
}
