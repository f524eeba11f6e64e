//! The pages of `docs` that describe the server are complete.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use regex::Regex;
use serde_json::Value;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join("docs").join(name)).unwrap()
}

/// All matches of the first group in the sources of the server, without its tests.
fn in_sources(pattern: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).unwrap();
    let mut found = BTreeSet::new();
    let mut folders = vec![root().join("server/lsp/src"), root().join("server/ide/src")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap();
            let code = text.split("#[cfg(test)]").next().unwrap();
            let code: Vec<&str> = code
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"))
                .collect();
            let code = code.join("\n");
            found.extend(pattern.captures_iter(&code).map(|it| it[1].to_owned()));
        }
    }
    found
}

fn in_page(page: &str, pattern: &str) -> BTreeSet<String> {
    let pattern = Regex::new(pattern).unwrap();
    let names = pattern.captures_iter(page).map(|it| it[1].to_owned());
    names.collect()
}

#[test]
fn the_protocol_page_names_each_request_notification_command_and_capability() {
    let page = page("protocol.md");
    // Requests and notifications.
    let messages = in_sources(r#""(planlens/[a-zA-Z]+)""#);
    assert!(messages.len() >= 4, "{messages:?}");
    assert_eq!(messages, in_page(&page, "### `(planlens/[a-zA-Z]+)`"));
    // Commands of the server and of the client, and capabilities.
    let mut names = in_sources(r#""(planlens\.[a-zA-Z]+)""#);
    assert!(names.len() > 10, "{names:?}");
    let capabilities = in_sources(r#""/experimental/planlens/([a-zA-Z]+)""#);
    assert!(!capabilities.is_empty());
    names.extend(capabilities.iter().map(|it| format!("planlens.{it}")));
    assert_eq!(names, in_page(&page, r"`(planlens\.[a-zA-Z]+)`"));
    // Other own names.
    assert!(page.contains(&format!("`{}:", "planlens-plan")));
}

/// `UPDATE_EXPECT=1` writes it.
#[test]
fn the_settings_page_lists_the_settings() {
    let path = root().join("docs/settings.md");
    let wanted = settings_page();
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == wanted,
        "docs/settings.md is not as UPDATE_EXPECT=1 makes it"
    );
}

fn settings_page() -> String {
    let schema = fs::read_to_string(root().join("schemas/settings.json")).unwrap();
    let schema: Value = serde_json::from_str(&schema).unwrap();
    let mut text = "# Settings\n\n\
        All settings, with their defaults.\n\n\
        In VS Code, write a key with the prefix `planlens.`. In Neovim, use `init_options = { ['log.level'] = 'debug' }` or `settings = { planlens = { log = { level = 'debug' } } }`.\n\
        Other clients send the keys, or nested objects, as `initializationOptions` or later by `workspace/didChangeConfiguration`. A setting of the scope *user* counts only in the user's own settings, never in a file that comes with a workspace.\n\n\
        This page is made from `schemas/settings.json`.\n"
        .to_owned();
    add_settings(&mut text, &schema["settings"]);
    text += "\n# Settings only for VS Code\n";
    add_settings(&mut text, &schema["editorSettings"]);
    text
}

fn add_settings(text: &mut String, settings: &Value) {
    for setting in settings.as_array().unwrap() {
        let said = |key: &str| setting[key].as_str().unwrap_or_default();
        let values = match setting["enum"].as_array() {
            Some(values) => {
                let values = values
                    .iter()
                    .map(|it| format!("`{}`", it.as_str().unwrap()));
                values.collect::<Vec<_>>().join(", ")
            }
            None => said("type").to_owned(),
        };
        let scope = match said("scope") {
            "machine" => " Scope: user.",
            _ => "",
        };
        writeln!(
            text,
            "\n## `{}`\n\n{}\n\nValues: {values}. Default: `{}`.{scope}",
            said("key"),
            said("description").trim_start_matches("VS Code: "),
            setting["default"],
        )
        .unwrap();
    }
}
