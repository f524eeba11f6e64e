//! Broken buffers: the block under the cursor keeps its type and labels, all other blocks stay as they are.

use std::fmt::Write as _;

use support::{Random, corpus};
use syntax::ast::Item;
use syntax::{File, parse};

mod support;

/// How text is broken while it is typed.
enum Breakage {
    /// The file ends inside of the block.
    Truncate,
    DeleteOpenBrace,
    DeleteCloseBrace,
    /// A line above the block.
    LineBefore(&'static str),
    /// A line inside of the block, as its first or its last one.
    LineInside(&'static str),
}

const BREAKAGES: &[(&str, Breakage)] = &[
    ("truncated at the cursor", Breakage::Truncate),
    ("without {", Breakage::DeleteOpenBrace),
    ("without }", Breakage::DeleteCloseBrace),
    ("resource \"aws_", Breakage::LineBefore("resource \"aws_")),
    ("foo = var.", Breakage::LineInside("foo = var.")),
    ("foo =", Breakage::LineInside("foo =")),
    ("foo = \"abc", Breakage::LineInside("foo = \"abc")),
    (
        "foo = \"a-${var.x",
        Breakage::LineInside("foo = \"a-${var.x"),
    ),
    ("foo = <<EOT", Breakage::LineInside("foo = <<EOT")),
    ("foo = [", Breakage::LineInside("foo = [")),
    ("foo = {", Breakage::LineInside("foo = {")),
    (
        "foo = merge(var.a,",
        Breakage::LineInside("foo = merge(var.a,"),
    ),
    ("foo", Breakage::LineInside("foo")),
    ("dynamic \"x", Breakage::LineInside("dynamic \"x")),
    ("stray }", Breakage::LineInside("}")),
];

/// A block as it is found again: type, labels, text.
type Found = (String, Vec<String>, String);

fn blocks(file: &File) -> Vec<(usize, Found)> {
    let text = file.text();
    file.segments()
        .flat_map(|segment| {
            segment
                .parsed
                .items
                .iter()
                .filter_map(move |item| match item {
                    Item::Block(block) => {
                        let range = block.range + segment.offset;
                        let labels = block
                            .labels
                            .iter()
                            .map(|label| label.text.to_string())
                            .collect();
                        let found = (block.kind.name.to_string(), labels, text[range].to_owned());
                        Some((usize::from(range.start()), found))
                    }
                    Item::Attribute(_) | Item::Member(_) => None,
                })
        })
        .collect()
}

/// Breaks the block whose text starts at `start`.
fn break_block(
    text: &str,
    start: usize,
    block: &str,
    breakage: &Breakage,
    random: &mut Random,
) -> Option<String> {
    let open = block.find('{')?;
    let end = start + block.len();
    let before = &text[..start];
    let after = &text[end..];
    let broken = match breakage {
        Breakage::Truncate => {
            let lines: Vec<usize> = block.match_indices('\n').map(|(at, _)| at).collect();
            let at = *random.pick(&lines);
            return Some(format!("{before}{}", &block[..at]));
        }
        Breakage::DeleteOpenBrace => format!("{}{}", &block[..open], &block[open + 1..]),
        Breakage::DeleteCloseBrace => block[..block.len() - 1].to_owned(),
        Breakage::LineBefore(line) => format!("{line}\n\n{block}"),
        Breakage::LineInside(line) => {
            let first = open + block[open..].find('\n')? + 1;
            let last = block.rfind('\n')? + 1;
            let at = if random.below(2) == 0 { first } else { last };
            format!("{}  {line}\n{}", &block[..at], &block[at..])
        }
    };
    Some(format!("{before}{broken}{after}"))
}

#[derive(Default)]
struct Score {
    variants: usize,
    /// Variants whose broken block was found at its place, with type and labels.
    own: usize,
    /// Variants in which all other blocks were found as they were.
    all_others: usize,
    others: usize,
    others_found: usize,
}

fn percent(part: usize, whole: usize) -> f64 {
    100.0 * part as f64 / whole as f64
}

/// Breaks every block of a file, one after the other.
fn score_file(file: &File, breakage: &Breakage, random: &mut Random, score: &mut Score) {
    let blocks = blocks(file);
    for (index, (start, block)) in blocks.iter().enumerate() {
        let (kind, labels, text) = block;
        if !text
            .lines()
            .next()
            .is_some_and(|header| header.ends_with('{'))
        {
            continue;
        }
        let Some(broken) = break_block(file.text(), *start, text, breakage, random) else {
            continue;
        };
        let broken = parse(&broken);
        if broken.errors().next().is_none() {
            // The line fits by chance: a heredoc with the same marker follows.
            continue;
        }
        let found = self::blocks(&broken);
        let shift = match breakage {
            Breakage::LineBefore(line) => line.len() + 2,
            _ => 0,
        };
        let is_own = |(at, found): &(usize, Found)| {
            *at == start + shift && found.0 == *kind && found.1 == *labels
        };
        let is_there = |other: usize| {
            other < index || other > index && !matches!(breakage, Breakage::Truncate)
        };
        let others = || {
            blocks
                .iter()
                .enumerate()
                .filter(|(other, _)| is_there(*other))
        };
        // In order: each is looked for after the one before it.
        let mut rest = found.iter();
        let others_found = others().filter(|(_, (_, other))| {
            let mut ahead = rest.clone();
            let is_found = ahead.any(|(_, found)| found == other);
            if is_found {
                rest = ahead;
            }
            is_found
        });
        let others_found = others_found.count();
        score.variants += 1;
        score.own += usize::from(found.iter().any(is_own));
        score.all_others += usize::from(others_found == others().count());
        score.others += others().count();
        score.others_found += others_found;
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn the_broken_block_and_all_others_are_recovered() {
    let mut random = Random(7);
    let files = corpus().into_iter();
    // Recovery goes by the layout that people and formatters give to files; this one has none.
    let files = files.filter(|(name, _)| name != "whitespace.tf");
    let files: Vec<File> = files.map(|(_, text)| parse(&text)).collect();
    let mut table = String::new();
    let mut missed = Vec::new();
    for (name, breakage) in BREAKAGES {
        let mut score = Score::default();
        files
            .iter()
            .for_each(|file| score_file(file, breakage, &mut random, &mut score));
        let own = percent(score.own, score.variants);
        let all_others = percent(score.all_others, score.variants);
        let others = percent(score.others_found, score.others);
        let _ = writeln!(
            table,
            "{name:24} {:4} variants: the block {own:5.1} %, all others {all_others:5.1} %, single \
             others {others:5.1} %",
            score.variants,
        );
        // A header without its brace is a block only if something deeper follows.
        let required = if matches!(breakage, Breakage::DeleteOpenBrace) {
            92.0
        } else {
            99.0
        };
        if own < required || all_others < 99.0 || score.variants < 100 {
            missed.push(*name);
        }
    }
    println!("{table}");
    assert!(missed.is_empty(), "{missed:?}\n{table}");
}

/// Each of them may close in any line below, so that whoever looked for it there would read the file as often as it has
/// blocks.
#[test]
fn many_unclosed_blocks_are_read_once() {
    let file = parse(&"a {\n".repeat(20_000));
    assert_eq!(file.segment_count(), 20_000);
    assert_eq!(file.errors().count(), 20_000);
}
