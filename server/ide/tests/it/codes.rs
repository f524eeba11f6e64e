//! The list of codes: each is reported in its example, and the documentation is made from it.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use ide::{CODES, Code};

use crate::support::Opened;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn each_code_is_reported_in_its_example() {
    let mut failed = Vec::new();
    let mut count = 0;
    for code in CODES.iter() {
        let Some(example) = &code.example else {
            assert!(code.needs.is_some(), "{} has no example", code.code);
            continue;
        };
        // Programs have their own engine, and the test of it.
        if example.starts_with("#- /Pulumi.yaml\n") {
            continue;
        }
        let opened = Opened::new(example);
        let found = opened.diagnostics();
        let as_listed = |severity: text::Severity| {
            let name = format!("{severity:?}").to_lowercase();
            code.severity.split(" or ").any(|listed| listed == name)
        };
        match found.iter().find(|it| it.diagnostic.code == code.code) {
            Some(it) if as_listed(it.diagnostic.severity) && it.code_link().is_some() => count += 1,
            Some(it) => failed.push(format!("{}: is {:?}", code.code, it.diagnostic.severity)),
            None => failed.push(format!("{}:\n{}", code.code, opened.shown())),
        }
    }
    println!(
        "{count} of {} codes are reported in their example",
        CODES.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Codes are written where they are reported: as the first argument of something that makes a diagnostic.
#[test]
fn each_code_of_the_source_is_listed() {
    let listed: BTreeSet<&str> = CODES.iter().map(|code| code.code.as_str()).collect();
    assert_eq!(listed.len(), CODES.len(), "a code is listed twice");
    let mut missing = BTreeSet::new();
    for stage in ["config", "eval", "plan", "ide", "syntax"] {
        sources(
            &root().join("server").join(stage).join("src"),
            &mut |text| {
                for maker in MAKERS {
                    for (at, _) in text.match_indices(maker) {
                        let argument = text[at + maker.len()..].trim_start();
                        let code = argument
                            .strip_prefix('"')
                            .and_then(|it| it.split_once("\","));
                        if let Some((code, _)) = code.filter(|(code, _)| is_code(code))
                            && !listed.contains(code)
                        {
                            missing.insert(code.to_owned());
                        }
                    }
                }
            },
        );
    }
    assert!(
        missing.is_empty(),
        "not in schemas/diagnostics.json: {missing:?}"
    );
}

/// A code stands after one of them.
const MAKERS: [&str; 7] = [
    "error(",
    "warning(",
    "problem(",
    "Severity::Error,",
    "Severity::Warning,",
    "Severity::Info,",
    "Severity::Hint,",
];

fn is_code(text: &str) -> bool {
    text.contains('-') && text.chars().all(|c| c.is_ascii_lowercase() || c == '-')
}

fn sources(dir: &Path, visit: &mut dyn FnMut(&str)) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, visit);
        } else if path.extension().is_some_and(|it| it == "rs") {
            visit(&std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// `UPDATE_EXPECT=1` writes it.
#[test]
fn the_documentation_lists_the_codes() {
    let path = root().join("docs/diagnostics.md");
    let wanted = documentation();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        std::fs::write(&path, &wanted).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == wanted,
        "docs/diagnostics.md is not as UPDATE_EXPECT=1 makes it"
    );
}

fn documentation() -> String {
    let mut text = "# Diagnostics\n\nAll codes, with an example each. The setting `planlens.diagnostics.severity` makes a code an `error`, `warning`, `info`\nor `hint`, or switches it `off`:\n\n```json\n{ \"planlens.diagnostics.severity\": { \"unused-variable\": \"off\", \"module-not-installed\": \"warning\" } }\n```\n\nThis page is made from `schemas/diagnostics.json`, and a test reports each code in its example.\n\n| code | usually | meaning |\n|---|---|---|\n".to_owned();
    for Code {
        code,
        severity,
        meaning,
        ..
    } in CODES.iter()
    {
        writeln!(text, "| [`{code}`](#{code}) | {severity} | {meaning} |").unwrap();
    }
    for Code {
        code,
        severity,
        meaning,
        example,
        needs,
        ..
    } in CODES.iter()
    {
        write!(text, "\n## {code}\n\n{meaning} Usually: {severity}.\n").unwrap();
        match (example, needs) {
            (Some(example), _) => {
                let example = example.replace("$0", "");
                let is_in = |name: &str| example.contains(name);
                let language = match (is_in(".tf.json\n"), is_in("Pulumi.yaml\n")) {
                    (true, _) => "json",
                    (_, true) => "yaml",
                    (false, false) => "terraform",
                };
                let example = example.replace("#- /", "# ");
                write!(text, "\n```{language}\n{example}```\n").unwrap();
            }
            (None, Some(needs)) => {
                write!(text, "\nThere is no example here: it needs {needs}.\n").unwrap()
            }
            (None, None) => {}
        }
    }
    text
}
