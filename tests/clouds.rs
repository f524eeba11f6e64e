//! Folders of the large clouds as a newcomer opens them: without `init`, a provider or credentials. The configurations
//! are `tests/clouds` and `tests/trees`, which terraform finds valid with the providers of `tests/providers/build clouds`.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::json;
use support::client::Client;
use support::{copy_module, planlens, printed, repository, sample, scratch};

/// The versions that come with planlens.
const LOCKED: [(&str, &str); 3] = [
    ("aws", "6.9.0"),
    ("azurerm", "4.40.0"),
    ("google", "6.30.0"),
];

/// Copies all configurations, and answers the folders of them.
fn folders(test: &str, has_lock: bool) -> Vec<PathBuf> {
    let to = scratch(test);
    let mut folders = Vec::new();
    for from in ["tests/clouds", "tests/trees"] {
        copy_module(&repository().join(from), &to);
    }
    find(&to, &mut folders);
    for folder in &folders {
        let blocks = LOCKED.iter().map(|(name, version)| {
            format!("provider \"registry.terraform.io/hashicorp/{name}\" {{\n  version = \"{version}\"\n}}\n")
        });
        if has_lock {
            let lock: String = blocks.collect();
            fs::write(folder.join(".terraform.lock.hcl"), lock).unwrap();
        }
    }
    folders.sort();
    folders
}

/// The folders below one that have configuration.
fn find(folder: &Path, found: &mut Vec<PathBuf>) {
    if folder.join("main.tf").is_file() {
        found.push(folder.to_owned());
    }
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, found);
        }
    }
}

/// What `planlens check` says of a folder.
fn checked(folder: &Path) -> String {
    let output = planlens(folder)
        .arg("check")
        .env("PLANLENS_CACHE_DIR", folder.join(".cache"))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(text.contains(" root module"), "{}", printed(&output));
    text
}

/// Whatever the lock file says: where it names the versions that come with planlens, all types are checked.
#[test]
fn valid_configurations_have_no_errors_before_init() {
    for has_lock in [false, true] {
        let folders = folders(&format!("clouds_without_errors_{has_lock}"), has_lock);
        assert!(folders.len() >= 20, "{folders:?}");
        for folder in folders {
            let text = checked(&folder);
            assert!(!text.contains(": error: "), "{}: {text}", folder.display());
            assert!(text.contains(" 0 errors, "), "{text}");
        }
    }
}

/// A mistake is found by the same checks.
#[test]
fn invalid_configurations_have_errors_before_init() {
    let folders = folders("clouds_with_errors", true);
    let folder = folders.iter().find(|it| it.ends_with("azurerm-storage"));
    let folder = folder.unwrap();
    let file = folder.join("main.tf");
    let text = fs::read_to_string(&file).unwrap();
    let text = text.replace("account_tier ", "account_teir ");
    fs::write(&file, text).unwrap();
    let text = checked(folder);
    let reported =
        "An argument named \"account_teir\" is not expected here. Did you mean \"account_tier\"?";
    assert!(text.contains(reported), "{text}");
}

/// Something that is written and can be completed: in which line, where its name begins, and the name.
struct Written {
    kind: &'static str,
    line: usize,
    begin: usize,
    name: String,
}

/// What is written in the blocks of resources and data sources of a text that `terraform fmt` has laid out.
fn written(text: &str) -> Vec<Written> {
    let mut found = Vec::new();
    let mut is_inside = false;
    // Of blocks whose body is an expression, or another language.
    let mut closes: Option<usize> = None;
    for (line, content) in text.lines().enumerate() {
        let begin = content.len() - content.trim_start().len();
        let words: Vec<&str> = content.split_whitespace().collect();
        if begin == 0 && !words.is_empty() {
            is_inside = matches!(words[0], "resource" | "data");
            if is_inside {
                let name = words[1].trim_matches('"').to_owned();
                let begin = content.find('"').unwrap() + 1;
                found.push(Written {
                    kind: "type",
                    line,
                    begin,
                    name,
                });
            }
            continue;
        }
        if closes.is_some_and(|column| begin <= column) {
            closes = None;
            continue;
        }
        if !is_inside || closes.is_some() {
            continue;
        }
        match words[..] {
            ["dynamic" | "content" | "lifecycle", ..] => {}
            [name, "=", ..] => {
                if content.ends_with(['[', '{', '(']) {
                    closes = Some(begin);
                }
                found.push(Written {
                    kind: "argument",
                    line,
                    begin,
                    name: name.to_owned(),
                });
            }
            [name, "{" | "{}"] => {
                found.push(Written {
                    kind: "block",
                    line,
                    begin,
                    name: name.to_owned(),
                });
            }
            _ => {}
        }
        found.extend(references(line, content));
    }
    found
}

/// The attributes of resources that a line refers to: `aws_vpc.this[0].id`, at `id`.
fn references(line: usize, content: &str) -> Vec<Written> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (provider, _) in LOCKED {
        for (start, _) in content.match_indices(&format!("{provider}_")) {
            if content[..start].ends_with(is_part) {
                continue;
            }
            let Some(rest) = behind_instance(&content[start..]) else {
                continue;
            };
            let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
            found.push(Written {
                kind: "attribute",
                line,
                begin: content.len() - rest.len(),
                name: rest[..end].to_owned(),
            });
        }
    }
    found
}

/// The text behind `aws_vpc.this.`, `aws_vpc.this[0].` or `aws_vpc.this[*].`.
fn behind_instance(text: &str) -> Option<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let text = text.trim_start_matches(is_part).strip_prefix('.')?;
    let text = text.trim_start_matches(is_part);
    let text = match text.strip_prefix('[') {
        // An index in an index is left out.
        Some(index) => {
            index
                .split_once(']')
                .filter(|(index, _)| !index.contains('['))?
                .1
        }
        None => text,
    };
    text.strip_prefix('.')
}

/// Every name that is written in these folders is offered where it stands, and has a hover. A third of the folders is tried, all with
/// `PLANLENS_TEST_LONG`.
#[test]
fn everything_that_is_written_is_offered_before_init() {
    let mut kinds: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missing = Vec::new();
    let mut asked = std::collections::HashSet::new();
    let folders = folders("clouds_completion", false);
    for folder in sample(folders, 3) {
        let text = fs::read_to_string(folder.join("main.tf")).unwrap();
        let uri = format!("file://{}/main.tf", folder.display());
        let mut client = Client::start(planlens(&folder).arg("lsp"));
        let item = json!({ "snippetSupport": true, "documentationFormat": ["markdown"] });
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": format!("file://{}", folder.display()),
                "capabilities": { "textDocument": {
                    "completion": { "completionItem": item },
                    "hover": { "contentFormat": ["markdown"] },
                } },
                "initializationOptions": { "trust": "never" },
            }),
        );
        client.notify("initialized", json!({}));
        client.open(&uri, "terraform", &text);
        let document = json!({ "uri": uri });
        client.ask("textDocument/codeLens", json!({ "textDocument": document }));
        let mut is_first = true;
        for Written {
            kind,
            line,
            begin,
            name,
        } in written(&text)
        {
            let mut ask = |method: &str, character: usize| {
                let position = json!({ "line": line, "character": character });
                client.ask(
                    method,
                    json!({ "textDocument": document, "position": position }),
                )
            };
            let mut has = true;
            // The same place in another folder has the same answer.
            if !asked.insert((kind, text.lines().nth(line).unwrap().to_owned(), begin)) {
                continue;
            }
            // The first type is completed behind what its provider's are called; to offer all of them each time would take long.
            let typed = match kind {
                "type" if is_first => name.find('_').unwrap() + 1,
                "type" => name.len() - 3,
                _ => 0,
            };
            is_first = false;
            let offered = ask("textDocument/completion", begin + typed);
            let items = offered["items"].as_array().or(offered.as_array());
            has &= items
                .into_iter()
                .flatten()
                .any(|it| it["label"] == name.as_str());
            let is_language = matches!(
                name.as_str(),
                "for_each" | "count" | "depends_on" | "lifecycle"
            );
            has &= is_language || !ask("textDocument/hover", begin).is_null();
            *kinds.entry(kind).or_default() += 1;
            if !has {
                missing.push(format!("{}:{}: {kind} {name}", folder.display(), line + 1));
            }
        }
        client.stop();
    }
    let all: usize = kinds.values().sum();
    assert!(all >= 150 && kinds.len() == 4, "{kinds:?}");
    assert!(
        missing.is_empty(),
        "{} of {kinds:?}: {missing:#?}",
        missing.len()
    );
}
