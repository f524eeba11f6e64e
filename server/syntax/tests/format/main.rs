//! Formatting against `terraform fmt`, byte for byte: the corpus, the workspaces, and files of the worst layout.
//!
//! The terraform on the PATH is asked where it is of the recorded version. `hashes.txt` has a hash of each of its
//! answers for where it is not; record them again after a change of the corpus or of the generator:
//!
//! ```text
//! UPDATE_FORMAT=1 cargo test -p syntax --test format
//! ```

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use support::{Random, corpus, hash, mutate};
use syntax::dump::dump_file;
use syntax::{File, format, format_file, format_range, indent_line, parse};
use text::{TextRange, TextSize, apply};

#[path = "../support/mod.rs"]
mod support;
mod ugly;

const VERSION: &str = "Terraform v1.11.4";
const MANGLED: usize = 700;
const WRITTEN: usize = 900;

fn workspaces() -> Vec<(String, String)> {
    let mut files = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/workspaces")];
    while let Some(folder) = folders.pop() {
        let mut paths: Vec<PathBuf> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        paths.sort();
        for path in paths {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "tf") {
                let name = path.display().to_string();
                files.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    files
}

/// The generated files; those that are no valid configuration are not among them.
fn ugly_files() -> Vec<(String, String)> {
    let corpus = given();
    let mut random = Random(7);
    let mut files = Vec::new();
    let is_valid = |text: &str| parse(text).errors().next().is_none();
    while files.len() < MANGLED {
        let base = &corpus[files.len() % corpus.len()].1;
        // A few neighbouring items of a file.
        let file = parse(base);
        let segments: Vec<_> = file.segments().collect();
        let first = random.below(segments.len());
        let last = (first + 1 + random.below(3)).min(segments.len());
        let start = usize::from(segments[first].offset);
        let end = segments[last - 1].range().end();
        let text = ugly::mangled(&base[start..usize::from(end)], &mut random);
        if is_valid(&text) {
            files.push((format!("mangled {}", files.len()), text));
        }
    }
    while files.len() < MANGLED + WRITTEN {
        let text = ugly::written(&mut random);
        if is_valid(&text) {
            files.push((format!("written {}", files.len()), text));
        }
    }
    files
}

static INPUTS: LazyLock<Vec<(String, String)>> = LazyLock::new(|| {
    let given = given().into_iter().chain(workspaces());
    let mut inputs: Vec<(String, String)> = given.collect();
    let count = inputs.len();
    inputs.extend(ugly_files());
    say(&format!(
        "{count} files, {} generated ones",
        inputs.len() - count
    ));
    inputs
});

/// The corpus without what Terraform deletes: see [`text_that_terraform_fmt_deletes_stays`].
fn given() -> Vec<(String, String)> {
    let mut files = corpus();
    for (_, text) in &mut files {
        *text = text
            .replace("[true][null", "[0][\"null\"")
            .replace("\"$x\"", "\"x\"")
            .replace("\"$${y}\"", "\"y\"");
    }
    files
}

/// What terraform makes of each text; `None` where the recorded version is not there.
fn terraform(texts: &[&str]) -> Option<Vec<String>> {
    let version = Command::new("terraform").arg("version").output().ok()?;
    if !String::from_utf8_lossy(&version.stdout).starts_with(VERSION) {
        return None;
    }
    let folder = std::env::temp_dir().join(format!("planlens-format-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    let path = |index: usize| folder.join(format!("{index:05}.tf"));
    for (index, text) in texts.iter().enumerate() {
        fs::write(path(index), text).unwrap();
    }
    let output = Command::new("terraform")
        .args(["fmt", "-list=false", "-no-color"])
        .arg(&folder)
        .output()
        .unwrap();
    let formatted = (0..texts.len())
        .map(|index| fs::read_to_string(path(index)).unwrap())
        .collect();
    fs::remove_dir_all(&folder).unwrap();
    let problems = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{problems}");
    Some(formatted)
}

fn hashes_path() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/format/hashes.txt")
}

fn recorded() -> Vec<u64> {
    let text = fs::read_to_string(hashes_path()).unwrap();
    let hashes = text.lines().filter(|line| !line.starts_with('#'));
    hashes
        .flat_map(str::split_whitespace)
        .map(|hash| u64::from_str_radix(hash, 16).unwrap())
        .collect()
}

fn record(answers: &[String]) {
    let mut text = format!(
        "# What {VERSION} makes of each input of this test: FNV-1a. Recorded by UPDATE_FORMAT=1.\n"
    );
    for row in answers.chunks(6) {
        let hashes: Vec<String> = row
            .iter()
            .map(|answer| format!("{:016x}", hash(answer)))
            .collect();
        writeln!(text, "{}", hashes.join(" ")).unwrap();
    }
    fs::write(hashes_path(), text).unwrap();
}

#[test]
fn formatting_equals_terraform_fmt() {
    let inputs = &*INPUTS;
    let texts: Vec<&str> = inputs.iter().map(|(_, text)| text.as_str()).collect();
    let live = terraform(&texts);
    if let Some(answers) = &live
        && std::env::var_os("UPDATE_FORMAT").is_some()
    {
        record(answers);
    }
    let recorded = recorded();
    assert_eq!(recorded.len(), inputs.len(), "record the answers again");
    let mut differing = Vec::new();
    let mut changed = 0;
    for (index, (name, text)) in inputs.iter().enumerate() {
        let ours = format(text).unwrap_or_else(|| panic!("{name}: {text}"));
        changed += usize::from(ours != *text);
        if hash(&ours) != recorded[index] {
            differing.push((name, text, ours, index));
        }
    }
    if let Some((name, text, ours, index)) = differing.first() {
        let theirs = live
            .as_ref()
            .map_or("(only its hash)", |answers| &answers[*index]);
        panic!(
            "{} differ, such as {name}\n--- text\n{text}\n--- ours\n{ours}\n--- theirs\n{theirs}",
            differing.len()
        );
    }
    if let Some(answers) = live {
        let is_same = answers.iter().map(|answer| hash(answer)).eq(recorded);
        assert!(is_same, "record the answers again");
    }
    say(&format!(
        "{} equal, {changed} of them changed",
        inputs.len()
    ));
}

#[test]
fn a_formatted_file_stays_as_it_is_and_means_the_same() {
    for (name, text) in INPUTS.iter() {
        let once = format(text).unwrap();
        let twice =
            format(&once).unwrap_or_else(|| panic!("{name} is broken:\n{text}\n---\n{once}"));
        if twice != once {
            // Terraform takes off one `"${...}"` at a time.
            let is_wrapped = dump_file(parse(&once).body()).contains("\" (wrap ");
            assert!(is_wrapped, "{name}\n{text}\n---\n{once}\n---\n{twice}");
        }
        let (before, after) = (meaning(text), meaning(&once));
        assert_eq!(before, after, "{name}\n{text}\n---\n{once}");
    }
}

/// The dump without what formatting may change.
fn meaning(text: &str) -> String {
    let mut dump = dump_file(parse(text).body());
    for (old, new) in [
        ("(template \"string\")", "(var \"string\")"),
        ("(template \"list\")", "(call \"list\" (var \"string\"))"),
        ("(template \"map\")", "(call \"map\" (var \"string\"))"),
        ("(var \"list\")", "(call \"list\" (var \"any\"))"),
        ("(var \"map\")", "(call \"map\" (var \"any\"))"),
        ("(var \"set\")", "(call \"set\" (var \"any\"))"),
    ] {
        dump = dump.replace(
            &format!("(attr \"type\" {old})"),
            &format!("(attr \"type\" {new})"),
        );
    }
    // Labels are normalised.
    dump = dump.replace("e\\xcc\\x81", "\\xc3\\xa9");
    without(&without(&dump, "(wrap "), "(parens ")
}

/// The dump with the insides of such nodes in their place.
fn without(dump: &str, head: &str) -> String {
    let mut result = String::new();
    let mut nodes = Vec::new();
    let mut rest = dump;
    while let Some(c) = rest.chars().next() {
        let mut len = c.len_utf8();
        if c == '"' {
            let mut bytes = rest.bytes().skip(1);
            while let Some(byte) = bytes.next()
                && byte != b'"'
            {
                // What follows a backslash ends nothing.
                len += if byte == b'\\' {
                    usize::from(bytes.next().is_some()) + 1
                } else {
                    1
                };
            }
            len += 1;
            result.push_str(&rest[..len]);
        } else if rest.starts_with(head) {
            nodes.push(false);
            len = head.len();
        } else {
            match c {
                '(' => nodes.push(true),
                ')' if nodes.pop() == Some(false) => {
                    rest = &rest[1..];
                    continue;
                }
                _ => {}
            }
            result.push(c);
        }
        rest = &rest[len..];
    }
    result
}

#[test]
fn edits_touch_only_changed_text() {
    for (name, text) in INPUTS.iter() {
        let edits = format_file(&parse(text)).unwrap();
        assert!(
            edits.is_sorted_by(|a, b| a.range.end() <= b.range.start()),
            "{name}"
        );
        let is_real = edits.iter().all(|edit| text[edit.range] != edit.text);
        assert!(is_real, "{name}");
    }
}

#[test]
fn mutants_are_formatted_or_left_alone() {
    let corpus: Vec<File> = corpus().iter().map(|(_, text)| parse(text)).collect();
    let mut random = Random(11);
    let (mut formatted, mut left) = (0, 0);
    for _ in 0..6_000 {
        let file = random.pick(&corpus);
        let segments: Vec<_> = file.segments().collect();
        let segment = random.pick(&segments);
        let text = &*mutate(&segment.parsed.text, &mut random);
        let file = parse(text);
        match format(text) {
            Some(once) => {
                formatted += 1;
                assert!(format(&once).is_some(), "broken:\n{text}\n---\n{once}");
                assert_eq!(meaning(text), meaning(&once), "{text}\n---\n{once}");
            }
            None => left += 1,
        }
        let mut at = random.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        let at = TextSize::try_from(at).unwrap();
        apply(text, &format_range(&file, TextRange::empty(at)));
        if let Some(edit) = indent_line(&file, at) {
            assert!(text[edit.range].trim().is_empty() && edit.text.trim().is_empty());
        }
    }
    say(&format!("{formatted} formatted, {left} left alone"));
}

#[track_caller]
fn check(text: &str, expected: &str) {
    assert_eq!(format(text).as_deref(), Some(expected));
}

#[test]
fn a_layout_with_too_many_spaces_is_not_made() {
    let short: String = (0..50_000).map(|n| format!("a{n}=1\n")).collect();
    let long_name = format!("x {{\n{} = 1\n{short}}}\n", "b".repeat(10_000));
    let (open, close) = ("x {\n".repeat(240), "}\n".repeat(240));
    let deep = format!("{open}{short}{close}");
    for text in [long_name, deep] {
        let file = parse(&text);
        assert_eq!(file.errors().count(), 0);
        assert_eq!(format_file(&file), None);
        let whole = TextRange::up_to(TextSize::of(&*text));
        assert_eq!(format_range(&file, whole), []);
    }
}

#[test]
fn text_that_terraform_fmt_deletes_stays() {
    check("a=b[true][null]\n", "a = b[true][null]\n");
    check("a \"$x\"  b {}\n", "a \"$x\" \"b\" {}\n");
    check("a \"$${x}\" {}\n", "a \"$${x}\" {}\n");
}

#[test]
fn an_unwrapped_value_on_several_lines_has_the_parentheses_that_it_needs() {
    check("a = \"${ # c\n b}\"\n", "a = ( # c\nb)\n");
    check("a = \"${(b)\n+ (c)}\"\n", "a = ((b)\n+ (c))\n");
    check("a = \"${(b\n+ c)}\"\n", "a = (b\n+ c)\n");
}

#[test]
fn a_file_with_a_syntax_error_is_left_alone() {
    assert_eq!(format("a   = \nb  = 1\n"), None);
}

#[test]
fn a_range_is_formatted_beside_broken_items() {
    let text = "b   {\n  x=1\n    y  =  2\n}\n\nc = \n\nd   {\n}\n";
    let at = |text: &str, place: &str| TextSize::try_from(text.find(place).unwrap()).unwrap();
    let formatted = |place| {
        let edits = format_range(&parse(text), TextRange::empty(at(text, place)));
        apply(text, &edits)
    };
    assert_eq!(formatted("y"), text.replace("    y  =  2", "  y = 2"));
    assert_eq!(formatted("c"), text);
    assert_eq!(formatted("d"), text.replace("d   {", "d {"));
}

#[test]
fn a_line_is_indented_in_unfinished_text() {
    let indent = |text: &str| {
        let at = text.find('|').unwrap();
        let text = text.replace('|', "");
        let edit = indent_line(&parse(&text), TextSize::try_from(at).unwrap());
        edit.map(|edit| edit.text.len())
    };
    assert_eq!(indent("a {\n|"), Some(2));
    assert_eq!(indent("a {\n  b = [\n|\n"), Some(4));
    assert_eq!(indent("a {\n  b = f({\n|\n  })\n}\n"), Some(4));
    assert_eq!(indent("a {\n  b = 1\n  |}\n"), Some(0));
    assert_eq!(indent("a {\n  b = 1\n|}\n"), None);
    assert_eq!(indent("a {\n  b = 1\n}\n  |\n"), Some(0));
    assert_eq!(indent("a {\n  b = <<EOT\n|\nEOT\n}\n"), None);
    assert_eq!(indent("a {\n  /* b\n|\n */\n}\n"), None);
}

#[allow(clippy::print_stdout)]
fn say(text: &str) {
    println!("{text}");
}
