//! `planlens mcp`: the official SDK as a client, the editor's server beside it, and calls that ask for secrets.

mod support;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use support::agent::{self, Agent, LARGEST};
use support::client::{Client, SECRET};
use support::random::Random;
use support::{cache, copy_module, install_providers, planlens, repository, scratch, skipped};

/// `planlens mcp` in a folder, with nothing that the user kept.
fn server(folder: &Path, options: &[&str]) -> Command {
    let mut command = planlens(folder);
    let state = folder.with_extension("state");
    command
        .arg("mcp")
        .args(options)
        .env("PLANLENS_STATE_DIR", state);
    command.env("PLANLENS_CACHE_DIR", folder.with_extension("cache"));
    command
}

fn first_plan(test: &str) -> PathBuf {
    let folder = scratch(test).join("module");
    copy_module(&repository().join("examples/first-plan"), &folder);
    folder.canonicalize().unwrap()
}

fn edit(old: &str, new: &str) -> Value {
    json!([{ "path": "main.tf", "old": old, "new": new }])
}

#[test]
fn each_tool_answers_in_words_that_stand_for_themselves() {
    let folder = first_plan("each_tool_answers");
    let before = support::files(&folder);
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let (text, data) = agent.answer_of("plan", json!({}));
    assert!(text.starts_with("Plan of . with the saved text: 3 to add, 2 to change, 1 to destroy (1 of them replaced).\n-/+ terraform_data.migration  (main.tf:28)\n    forces replacement: triggers_replace \"1.4.0\" -> \"1.5.0\"  (main.tf:30)\n"), "{text}");
    assert_eq!(data["changes"][0]["actions"], json!(["delete", "create"]));
    assert_eq!(
        data["changes"][0]["lines"][0],
        "~ triggers_replace = \"1.4.0\" -> \"1.5.0\" # forces replacement"
    );
    assert!(text.starts_with(data["summary"].as_str().unwrap()));
    assert_eq!(
        data["changes"][0]["causes"][0]["at"],
        json!({ "path": "main.tf", "line": 30, "column": 22 })
    );
    assert_eq!(data["changes"].as_array().unwrap().len(), 5);

    let edits = edit("default = \"1.5.0\"", "default = \"1.4.0\"");
    let (text, data) = agent.answer_of("compare", json!({ "edits": edits }));
    assert!(
        text.starts_with("The edit changes what happens to 3 objects.\nWith the edit, outputs no longer change.\n"),
        "{text}"
    );
    assert!(
        text.contains("terraform_data.migration: delete, then create -> no change\n"),
        "{text}"
    );
    assert_eq!(data["isSame"], false);
    let (_, data) = agent.answer_of(
        "compare",
        json!({ "edits": edit("# A small", "# One small") }),
    );
    assert_eq!(data["isSame"], true);

    let edits = edit("default = \"1.5.0\"", "default = \"1.6.0\"");
    let (text, data) = agent.answer_of(
        "explain",
        json!({ "edits": edits, "address": "terraform_data.migration" }),
    );
    assert!(
        text.contains("forces replacement: triggers_replace \"1.4.0\" -> \"1.6.0\"  (main.tf:30)"),
        "{text}"
    );
    assert!(text.contains("    The provider says: triggers_replace: any (optional)\n    comes from: variable \"release\" {  (main.tf:4, which the proposed text changes)\n"), "{text}");
    assert_eq!(data["changes"][0]["chains"][0][0]["isEdited"], true);

    let (text, data) = agent.answer_of(
        "validate",
        json!({ "edits": [{ "path": "new.tf", "text": "locals {\n  a = var.nope\n}\n" }] }),
    );
    assert!(
        text.contains("new.tf:2:7: error: Reference to undeclared input variable"),
        "{text}"
    );
    assert_eq!(data["errors"], 1);

    let (text, _) = agent.answer_of(
        "schema",
        json!({ "type": "terraform_data", "attribute": "input" }),
    );
    assert!(text.contains("input: any (optional)"), "{text}");
    let (text, data) = agent.answer_of("references", json!({ "name": "var.release" }));
    assert!(text.starts_with("4 places name var.release"), "{text}");
    assert_eq!(
        data["references"][1],
        json!({ "path": "main.tf", "line": 15, "column": 19 })
    );
    let (text, data) = agent.answer_of(
        "rename",
        json!({ "name": "terraform_data.migration", "new_name": "upgrade" }),
    );
    assert!(text.contains("no changes to infrastructure"), "{text}");
    assert_eq!(
        (&data["isSafe"], data["edits"].as_array().unwrap().len()),
        (&true.into(), 4)
    );
    let (_, data) = agent.answer_of("refactor", json!({ "name": "terraform_data.region" }));
    let title = data["offers"][0]["title"].as_str().unwrap().to_owned();
    let (text, data) = agent.answer_of(
        "refactor",
        json!({ "name": "terraform_data.region", "title": title }),
    );
    assert!(text.starts_with(&title), "{text}");
    assert!(!data["edits"].as_array().unwrap().is_empty());
    let (_, data) = agent.answer_of(
        "format",
        json!({ "path": "main.tf", "edits": edit("type    = string", "type = string") }),
    );
    assert_eq!(
        data["text"],
        fs::read_to_string(folder.join("main.tf")).unwrap()
    );

    let (answer, _) = agent.ask("resources/list", json!({}));
    let uri = answer["result"]["resources"][0]["uri"].clone();
    let (answer, _) = agent.ask("resources/read", json!({ "uri": uri }));
    let document = answer["result"]["contents"][0]["text"].as_str().unwrap();
    assert!(
        document.contains("Plan: 3 to add, 2 to change, 1 to destroy."),
        "{document}"
    );
    agent.stop();
    assert_eq!(support::files(&folder), before);
}

#[test]
fn the_official_sdk_lists_and_calls_each_tool() {
    let test = "the_official_sdk_lists_and_calls_each_tool";
    let python = std::env::var_os("PLANLENS_MCP_PYTHON").map(PathBuf::from);
    let kept = std::env::var_os("PLANLENS_TEST_CACHE").map(PathBuf::from);
    let kept = kept.unwrap_or_else(|| {
        PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(".cache/planlens-test")
    });
    let python = python.unwrap_or_else(|| kept.join("mcp/bin/python"));
    if !python.exists() {
        return skipped(
            test,
            "the official SDK is not installed: python3 -m venv ~/.cache/planlens-test/mcp && ~/.cache/planlens-test/mcp/bin/pip install mcp",
        );
    }
    let folder = first_plan(test);
    let mut client = support::command(&python, &folder);
    let client = client
        .arg(repository().join("tests/mcp/client.py"))
        .arg(env!("CARGO_BIN_EXE_planlens"))
        .args(["mcp", "-trust"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped());
    let mut client = client.spawn().unwrap();
    let name = json!({ "name": "terraform_data.region" });
    let calls = [
        json!({ "tool": "plan", "arguments": {} }),
        json!({ "tool": "compare", "arguments": { "edits": edit("1.5.0", "1.6.0") } }),
        json!({ "tool": "explain", "arguments": { "address": "terraform_data.migration" } }),
        json!({ "tool": "validate", "arguments": {} }),
        json!({ "tool": "schema", "arguments": { "type": "terraform_data" } }),
        json!({ "tool": "references", "arguments": name }),
        json!({ "tool": "rename", "arguments": { "name": "var.release", "new_name": "version_of_shop" } }),
        json!({ "tool": "refactor", "arguments": name }),
        json!({ "tool": "format", "arguments": { "path": "main.tf" } }),
        json!({ "read": "planlens-plan:///" }),
        json!({ "list": true }),
    ];
    let mut keys = client.stdin.take().unwrap();
    for call in &calls {
        writeln!(keys, "{call}").unwrap();
    }
    drop(keys);
    let output = client.wait_with_output().unwrap();
    let answers: Vec<Value> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(answers.len(), calls.len());
    for (call, answer) in calls.iter().zip(&answers) {
        assert!(
            answer["failed"].is_null() && answer["isError"] != true,
            "{call}: {answer}"
        );
    }
    let listed = answers.last().unwrap()["tools"].as_array().unwrap();
    let listed: Vec<&Value> = listed.iter().map(|it| &it["name"]).collect();
    let called: Vec<&Value> = calls
        .iter()
        .map(|it| &it["tool"])
        .filter(|it| !it.is_null())
        .collect();
    assert_eq!(listed, called);
}

/// Editors that take no such servers are lent the same tools by the extension.
#[test]
fn the_extension_contributes_each_tool() {
    let folder = first_plan("the_extension_contributes_each_tool");
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let (answer, _) = agent.ask("tools/list", json!({}));
    agent.stop();
    let tools = answer["result"]["tools"].as_array().unwrap().iter();
    let tools = tools.map(|tool| {
        let name = tool["name"].as_str().unwrap();
        let (first, rest) = name.split_at(1);
        json!({
            "name": format!("planlens_{name}"),
            "toolReferenceName": format!("planlens{}{rest}", first.to_uppercase()),
            "displayName": format!("planlens: {}", tool["title"].as_str().unwrap()),
            "modelDescription": tool["description"],
            "canBeReferencedInPrompt": true,
            "when": "planlens.lendsTools",
            "tags": ["terraform", "opentofu"],
            "inputSchema": tool["inputSchema"],
        })
    });
    let path = repository().join("vscode-extension/package.json");
    let text = fs::read_to_string(&path).unwrap();
    let mut manifest: Value = serde_json::from_str(&text).unwrap();
    manifest["contributes"]["languageModelTools"] = tools.collect();
    let wanted = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(&path, &wanted).unwrap();
    }
    assert!(
        fs::read_to_string(&path).unwrap() == wanted,
        "run it with UPDATE_EXPECT=1"
    );
}

/// The editor's server on the same folder.
struct Editor {
    client: Client,
    uri: String,
    version: i64,
}

impl Editor {
    fn start(folder: &Path, text: &str) -> Editor {
        let mut command = planlens(folder);
        command
            .arg("lsp")
            .env("PLANLENS_STATE_DIR", folder.with_extension("state"));
        command.env("PLANLENS_CACHE_DIR", folder.with_extension("cache"));
        let mut client = Client::start(&mut command);
        let root = format!("file://{}", folder.display());
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "module" }],
                "capabilities": { "textDocument": { "diagnostic": {} }, "workspace": { "workspaceEdit": { "documentChanges": true } } },
                "initializationOptions": { "trust": "never" },
            }),
        );
        client.notify("initialized", json!({}));
        let uri = format!("{root}/main.tf");
        client.open(&uri, "terraform", text);
        Editor {
            client,
            uri,
            version: 1,
        }
    }

    /// Has a text instead of the one before, once it is planned.
    fn plan(&mut self, text: &str) -> Value {
        self.version += 1;
        let params = json!({
            "textDocument": { "uri": self.uri, "version": self.version },
            "contentChanges": [{ "text": text }],
        });
        self.client.notify("textDocument/didChange", params);
        loop {
            let answer = self.client.ask("planlens/plan", json!({}));
            if answer["plans"][0]["state"] == "fresh" {
                return answer["plans"][0].clone();
            }
        }
    }

    fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({ "uri": self.uri });
        self.client.ask(method, params)
    }
}

/// A change somewhere in a text, often one that breaks it.
fn changed(random: &mut Random, text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let line = random.below(lines.len());
    let mut lines: Vec<String> = lines.iter().map(|it| (*it).to_owned()).collect();
    match random.below(7) {
        0 => drop(lines.remove(line)),
        1 => lines[line] = lines[line].replace("\"1.5.0\"", "\"1.4.0\""),
        2 => lines[line] = lines[line].replace(['2', '3'], "7"),
        3 => {
            lines[line] = lines[line].replace("terraform_data.migration", "terraform_data.settings")
        }
        4 => lines.insert(
            line,
            "resource \"terraform_data\" \"new\" {\n  input = var.release\n}".to_owned(),
        ),
        5 => lines[line] = lines[line].replace("var.", "local."),
        _ => {
            lines[line] = lines[line]
                .replace("input", "output")
                .replace("regions", "release")
        }
    }
    lines.join("\n") + "\n"
}

#[test]
fn random_calls_equal_the_server() {
    let folder = first_plan("random_calls");
    let saved = fs::read_to_string(folder.join("main.tf")).unwrap();
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let mut editor = Editor::start(&folder, &saved);
    let mut random = Random(27);
    let mut compared = [0; 5];
    for _ in 0..200 {
        let mut proposed = changed(&mut random, &saved);
        if random.chance(40) {
            proposed = changed(&mut random, &proposed);
        }
        let edits = json!([{ "path": "main.tf", "text": proposed }]);
        // A text that can't be parsed keeps the meaning that it had in the saved text.
        editor.plan(&saved);
        let plan = editor.plan(&proposed);
        let line = random.below(proposed.lines().count());
        let column = random.below(proposed.lines().nth(line).unwrap().len() + 1);
        let position = json!({ "line": line, "character": column });
        let place =
            json!({ "path": "main.tf", "line": line + 1, "column": column + 1, "edits": edits });
        let which = random.below(5);
        compared[which] += 1;
        match which {
            0 => {
                let (_, data) =
                    agent.answer_of("plan", json!({ "edits": edits, "max_bytes": 19_000 }));
                for count in ["add", "change", "destroy", "replace"] {
                    assert_eq!(data[count], plan[count], "{count}: {proposed}");
                }
                let changes = |of: &Value| {
                    let changes = of["changes"].as_array().unwrap().iter();
                    let changes = changes
                        .map(|it| format!("{} {} {}", it["address"], it["actions"], it["reason"]));
                    let mut changes: Vec<String> = changes.collect();
                    changes.sort();
                    changes
                };
                assert_eq!(changes(&data), changes(&plan), "{proposed}");
            }
            1 => {
                let (_, data) = agent.answer_of("validate", json!({ "edits": edits }));
                let expected = editor.ask("textDocument/diagnostic", json!({}));
                let expected = expected["items"].as_array().unwrap().iter();
                let expected = expected.filter(|it| {
                    it["severity"] == 1
                        && it["code"] != "forces-replacement"
                        && it["code"] != "destroys"
                });
                let expected: Vec<String> = expected
                    .map(|it| {
                        format!(
                            "{} {}",
                            it["range"]["start"]["line"].as_u64().unwrap() + 1,
                            it["message"]
                        )
                    })
                    .collect();
                let found = data["diagnostics"].as_array().unwrap().iter();
                let found =
                    found.filter(|it| it["severity"] == "error" && it["at"]["path"] == "main.tf");
                let found: Vec<String> = found
                    .map(|it| format!("{} {}", it["at"]["line"], it["message"]))
                    .collect();
                assert_eq!(sorted(found), sorted(expected), "{proposed}");
            }
            2 => {
                let (_, data) = agent.answer_of("references", place);
                let expected = editor.ask(
                    "textDocument/references",
                    json!({ "position": position, "context": { "includeDeclaration": true } }),
                );
                let expected = expected.as_array().cloned().unwrap_or_default();
                let expected = expected.iter().map(|it| {
                    format!(
                        "{} {}",
                        it["range"]["start"]["line"].as_u64().unwrap() + 1,
                        it["range"]["start"]["character"].as_u64().unwrap() + 1
                    )
                });
                let found = data["references"].as_array().unwrap().iter();
                let found = found.map(|it| format!("{} {}", it["line"], it["column"]));
                assert_eq!(
                    sorted(found.collect()),
                    sorted(expected.collect()),
                    "{proposed}"
                );
            }
            3 => {
                let mut arguments = place;
                arguments["new_name"] = "another".into();
                let answer = agent.call("rename", arguments);
                editor.client.said.clear();
                let params = json!({ "textDocument": { "uri": editor.uri }, "position": position, "newName": "another" });
                let id = editor.client.request("textDocument/rename", params);
                let expected = editor.client.answer(id);
                assert_eq!(
                    answer["isError"] == true,
                    !expected["error"].is_null(),
                    "{answer} {expected} {proposed}"
                );
                if expected["error"].is_null() {
                    let expected = &expected["result"]["documentChanges"][0]["edits"];
                    let expected = expected
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|it| it["newText"].to_string());
                    let found = answer["structuredContent"]["edits"]
                        .as_array()
                        .unwrap()
                        .iter();
                    let found = found.map(|it| it["text"].to_string());
                    assert_eq!(
                        sorted(found.collect()),
                        sorted(expected.collect()),
                        "{proposed}"
                    );
                }
            }
            _ => {
                let answer = agent.call("format", json!({ "path": "main.tf", "edits": edits }));
                let expected = editor.ask(
                    "textDocument/formatting",
                    json!({ "options": { "tabSize": 2, "insertSpaces": true } }),
                );
                let is_broken = answer["isError"] == true;
                assert_eq!(is_broken, expected.is_null(), "{answer} {proposed}");
                let is_formatted = answer["structuredContent"]["isFormatted"] == true;
                assert!(
                    is_broken || is_formatted == expected.as_array().unwrap().is_empty(),
                    "{proposed}"
                );
            }
        }
    }
    assert!(compared.iter().all(|count| *count > 20), "{compared:?}");
    agent.stop();
    editor.client.stop();
}

fn sorted(mut of: Vec<String>) -> Vec<String> {
    of.sort();
    of
}

/// Secrets in the folder, and beside it.
fn with_secrets(test: &str) -> PathBuf {
    let folder = scratch(test).join("module");
    fs::create_dir_all(folder.join("keys")).unwrap();
    let configuration = r#"
variable "password" {
  type      = string
  sensitive = true
}
variable "token" {
  type      = string
  ephemeral = true
  default   = null
}
resource "terraform_data" "a" {
  input = var.password
}
output "public" {
  value = "x"
}
"#;
    fs::write(folder.join("main.tf"), configuration).unwrap();
    fs::write(
        folder.join("terraform.tfvars"),
        format!("password = \"{SECRET}-1\"\nunused =   \"{SECRET}-2\"\n"),
    )
    .unwrap();
    fs::create_dir_all(folder.join("envs")).unwrap();
    fs::write(
        folder.join("envs/prod.tfvars"),
        format!("elsewhere = \"{SECRET}-9\"\n"),
    )
    .unwrap();
    fs::write(folder.join("plan.out"), format!("{SECRET}-10")).unwrap();
    fs::create_dir_all(folder.join("sub")).unwrap();
    fs::write(folder.join("sub/main.tf"), "variable \"unused\" {}\n").unwrap();
    fs::write(folder.join("keys/server.pem"), format!("{SECRET}-3")).unwrap();
    fs::write(folder.join(".env"), format!("{SECRET}-4")).unwrap();
    fs::write(folder.join("../outside.txt"), format!("{SECRET}-5")).unwrap();
    std::os::unix::fs::symlink("terraform.tfvars", folder.join("harmless.txt")).unwrap();
    std::os::unix::fs::symlink("../outside.txt", folder.join("link.tf")).unwrap();
    folder.canonicalize().unwrap()
}

/// A state whose only object has a value.
fn state_with(value: &str) -> String {
    json!({
        "version": 4,
        "terraform_version": "1.11.4",
        "serial": 1,
        "lineage": "a",
        "outputs": {},
        "resources": [{
            "mode": "managed",
            "type": "terraform_data",
            "name": "gone",
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": {
                "id": "x",
                "input": { "value": value, "type": "string" },
                "output": { "value": value, "type": "string" },
                "triggers_replace": null,
            } }],
        }],
    })
    .to_string()
}

#[test]
fn a_proposed_text_reads_no_secret_and_no_file_outside() {
    let folder = with_secrets("what_a_stranger_proposes");
    let mut command = server(&folder, &["-trust"]);
    command.env("TF_VAR_unknown_here", format!("{SECRET}-6"));
    command.env("TF_CLI_ARGS_plan", format!("-var in_arguments={SECRET}-11"));
    let mut agent = Agent::start(&mut command);
    let saved = fs::read_to_string(folder.join("main.tf")).unwrap();
    let (text, _) = agent.answer_of("plan", json!({ "details": true }));
    assert!(text.contains("(sensitive value)"), "{text}");
    // Each call looks for a secret in all that is sent.
    for expression in [
        "file(\"../outside.txt\")",
        "file(\"/etc/hostname\")",
        "file(\"terraform.tfvars\")",
        "file(\"harmless.txt\")",
        "filebase64(\"keys/server.pem\")",
        "file(\"plan.out\")",
        "file(\".env\")",
        "templatefile(\"../outside.txt\", {})",
        "jsonencode(var.password)",
        "upper(var.password)",
        "[for c in [var.password] : c]",
        "try(tonumber(var.password), var.password)",
        "provider::terraform::decode_tfvars(file(\"terraform.tfvars\"))",
    ] {
        let added = format!(
            "{saved}resource \"terraform_data\" \"b\" {{\n  input = {expression}\n}}\noutput \"b\" {{\n  value = {expression}\n}}\n"
        );
        let edits = json!([{ "path": "main.tf", "text": added }]);
        for tool in ["plan", "compare", "validate"] {
            let details = json!({ "edits": edits, "details": true });
            agent.answer_of(tool, details);
        }
        agent.answer_of(
            "explain",
            json!({ "edits": edits, "address": "terraform_data.b" }),
        );
    }
    for (proposed, why) in [
        (
            saved.replace("input = var.password", "input = nonsensitive(var.password)"),
            "nonsensitive()",
        ),
        (
            saved.replace("  sensitive = true\n", ""),
            "may not remove `sensitive` from var.password",
        ),
        (
            saved.replace("sensitive = true", "sensitive = false"),
            "may not remove `sensitive` from var.password",
        ),
        (
            saved.replace("sensitive = true", "sensitive = 1 == 2"),
            "may not remove `sensitive` from var.password",
        ),
        (
            saved.replace("  ephemeral = true\n", ""),
            "may not remove `ephemeral` from var.token",
        ),
        (
            format!("{saved}variable \"unused\" {{}}\n"),
            "may not declare var.unused",
        ),
        (
            format!("{saved}variable \"unknown_here\" {{}}\n"),
            "may not declare var.unknown_here",
        ),
        (
            format!("{saved}variable \"in_arguments\" {{}}\n"),
            "may not declare var.in_arguments",
        ),
        (
            format!(
                "{saved}locals {{\n  a = templatestring(local.b, {{ s = var.password }})\n}}\n"
            ),
            "may not add a call of templatestring()",
        ),
    ] {
        let expected = agent.refused(
            "plan",
            json!({ "edits": [{ "path": "main.tf", "text": proposed }] }),
        );
        assert!(expected.contains(why), "{expected}");
    }
    let json = r#"{"output": {"b": {"value": "${non\u0073ensitive(var.password)}"}}}"#;
    let declares = |name: &str| format!("variable \"{name}\" {{\n  default = \"\"\n}}\n");
    for (edits, why) in [
        (
            json!([{ "path": "b.tf.json", "text": json }]),
            "nonsensitive()",
        ),
        (
            json!([
                { "path": "terraform.tfvars", "old": "unused", "new": "public" },
                { "path": "b.tf", "text": declares("public") },
            ]),
            "with its whole `text`",
        ),
        (
            json!([
                { "path": "sub/other.tf", "text": "" },
                { "path": "sub/main.tf", "text": "" },
                { "path": "b.tf", "text": declares("unused") },
            ]),
            "may not declare var.unused",
        ),
    ] {
        let words = agent.refused("plan", json!({ "edits": edits }));
        assert!(words.contains(why), "{words}");
    }
    let edits = json!([{ "path": "b.tf", "text": declares("elsewhere") }]);
    let asked = json!({ "edits": edits, "environment": "envs/prod.tfvars" });
    let words = agent.refused("plan", asked);
    assert!(words.contains("may not declare var.elsewhere"), "{words}");
    // Variable files keep their values.
    let (text, _) = agent.answer_of("references", json!({ "name": "var.password" }));
    assert!(text.contains("terraform.tfvars:1:1: password\n"), "{text}");
    agent.answer_of("format", json!({ "path": "terraform.tfvars" }));
    let overriding = "variable \"password\" {\n  sensitive = false\n}\n";
    for path in ["override.tf", "a_override.tf"] {
        let expected = agent.refused(
            "plan",
            json!({ "edits": [{ "path": path, "text": overriding }] }),
        );
        assert!(
            expected.contains("may not set `sensitive` of var.password to false"),
            "{expected}"
        );
    }
    let overriding = r#"{"variable": {"password": [{"sensitive": false}]}}"#;
    agent.refused(
        "plan",
        json!({ "edits": [{ "path": "override.tf.json", "text": overriding }] }),
    );
    // Another declaration in the place of the saved one.
    let bare = "variable \"password\" {}\noutput \"z\" {\n  value = [var.password]\n}\n";
    let json = r#"{"variable": {"password": {}}, "variable": {"password": {"sensitive": true}}}"#;
    for edits in [
        json!([{ "path": "main.tofu", "text": bare }]),
        json!([{ "path": "main.tofu", "text": "" }, { "path": "y.tf", "text": bare }]),
        json!([{ "path": "a.tf", "text": bare }]),
        json!([{ "path": "a.tf.json", "text": json }]),
        json!([{ "path": "a.tf.json", "text": format!("[{json}]") }]),
        json!([{ "path": "a.tf.json", "text": "{\"variable\": {\"password\": {},}}" }]),
    ] {
        for tool in ["plan", "compare", "validate"] {
            agent.refused(tool, json!({ "edits": edits }));
        }
    }
    for path in [
        "../outside.tf",
        "/etc/x.tf",
        "terraform.tfstate",
        ".terraform.lock.hcl",
        "x.sh",
        "link.tf",
        "no/such/folder.tf",
    ] {
        agent.refused("plan", json!({ "edits": [{ "path": path, "text": "" }] }));
        agent.refused("format", json!({ "path": path }));
    }
    for path in ["..", "/", "/etc", "no"] {
        agent.refused("plan", json!({ "folder": path }));
    }
    agent.refused("references", json!({ "path": "../outside.txt", "line": 1 }));
    // Whether something outside exists is not told.
    fs::create_dir_all(folder.join("../there")).unwrap();
    let proposed = |agent: &mut Agent, path: &str| {
        let edits = json!([{ "path": format!("{path}/x.tf"), "text": "" }]);
        let words = agent.refused("plan", json!({ "edits": edits }))
            + &agent.refused("plan", json!({ "folder": path }));
        words.replace(path, "PATH")
    };
    let there = proposed(&mut agent, "../there");
    assert_eq!(proposed(&mut agent, "../not-there"), there);
    std::os::unix::fs::symlink("../there", folder.join("link")).unwrap();
    std::os::unix::fs::symlink("../not-there", folder.join("broken")).unwrap();
    assert_eq!(proposed(&mut agent, "link"), there);
    assert_eq!(proposed(&mut agent, "broken"), there);
    // Neither a module nor a state outside is read.
    let outside = folder.join("../elsewhere");
    fs::create_dir_all(&outside).unwrap();
    let expected =
        format!("locals {{\n  a = \"{SECRET}-7\"\n}}\noutput \"a\" {{\n  value = local.a\n}}\n");
    fs::write(outside.join("main.tf"), &expected).unwrap();
    fs::write(
        outside.join("x.tfstate"),
        state_with(&format!("{SECRET}-8")),
    )
    .unwrap();
    for added in [
        "module \"m\" {\n  source = \"../elsewhere\"\n}\noutput \"m\" {\n  value = module.m\n}\n",
        "terraform {\n  backend \"local\" {\n    path = \"../elsewhere/x.tfstate\"\n  }\n}\n",
    ] {
        let edits = json!([{ "path": "main.tf", "text": format!("{saved}{added}") }]);
        for tool in ["plan", "validate", "compare"] {
            agent.call(tool, json!({ "edits": edits, "details": true }));
        }
    }
    let (answer, _) = agent.ask("resources/read", json!({ "uri": "planlens-plan:///../.." }));
    assert!(!answer["error"].is_null());
    agent.stop();
}

#[test]
fn a_message_that_is_not_valid_json_is_answered() {
    let folder = first_plan("a_message_that_is_not_valid_json");
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    for value in ["\"\\ud800\"", deep.as_str(), "{"] {
        let (answer, _) = agent.ask_in_words(&format!(
            r#""method": "tools/call", "params": {{"name": "plan", "arguments": {{"folder": {value}}}}}"#
        ));
        let words = agent::text(&answer["result"]);
        assert_eq!(words, "the message is not valid JSON", "{value}");
    }
    agent.answer_of("plan", json!({}));
    agent.stop();
}

#[test]
fn agents_receive_no_secret() {
    let test = "agents_receive_no_secret";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test).join("module");
    copy_module(&repository().join("tests/workspaces/sensitive"), &folder);
    install_providers(&cache, &folder);
    let folder = folder.canonicalize().unwrap();
    let config = cache.join("terraformrc");
    let mut agent = Agent::start(server(&folder, &["-trust"]).env("TF_CLI_CONFIG_FILE", &config));
    // Each answer is searched for a secret.
    let (text, data) = agent.answer_of("plan", json!({ "details": true }));
    assert!(text.contains("(sensitive value)"), "{text}");
    let main = fs::read_to_string(folder.join("main.tf")).unwrap();
    let edits = json!([{ "path": "main.tf", "text": format!("{main}# edited\n") }]);
    agent.answer_of("compare", json!({ "edits": edits }));
    agent.answer_of("validate", json!({}));
    for change in data["changes"].as_array().unwrap() {
        let address = &change["address"];
        agent.answer_of("explain", json!({ "address": address }));
    }
    for line in 1..=main.lines().count() {
        agent.answer_of(
            "refactor",
            json!({ "path": "main.tf", "line": line, "column": 3 }),
        );
    }
    agent.ask("resources/read", json!({ "uri": "planlens-plan:///" }));
    agent.stop();
    support::no_secret_below(&folder.with_extension("cache"));
}

/// The rest is planned, and nothing grows without an end.
#[test]
fn a_text_without_an_end_is_answered() {
    let folder = first_plan("a_text_without_an_end");
    let mut agent = Agent::start(&mut server(&folder, &[]));
    for evil in [
        "locals {\n  a = [for x in range(1000) : [for y in range(1000) : [for z in range(1000) : x]]]\n}\noutput \"a\" {\n  value = local.a\n}\n",
        "resource \"terraform_data\" \"evil\" {\n  for_each = toset([for x in range(1000000) : tostring(x)])\n}\n",
    ] {
        let edits = json!([{ "path": "evil.tf", "text": evil }]);
        let (text, _) = agent.answer_of("plan", json!({ "edits": edits }));
        assert!(text.contains("-/+ terraform_data.migration"), "{text}");
        agent.answer_of("validate", json!({ "edits": edits }));
        let (text, _) = agent.answer_of("plan", json!({}));
        assert!(
            text.starts_with("Plan of . with the saved text: 3 to add"),
            "{text}"
        );
    }
    agent.stop();
}

#[test]
fn plugins_start_for_saved_text_that_is_trusted_and_nothing_else() {
    let test = "plugins_start_for_saved_text_that_is_trusted_and_nothing_else";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test).join("module");
    fs::create_dir_all(&folder).unwrap();
    install_providers(&cache, &folder);
    fs::write(
        folder.join("main.tf"),
        "resource \"terraform_data\" \"a\" {\n}\n",
    )
    .unwrap();
    let folder = folder.canonicalize().unwrap();
    let pet = "resource \"random_pet\" \"b\" {\n}\n";
    let asked = json!({ "edits": [{ "path": "b.tf", "text": pet }] });
    let config = cache.join("terraformrc");
    // The proposal needs another plugin, installed as it is: neither trust nor a folder that is known starts it.
    for options in [&["-trust"][..], &[]] {
        let mut agent = Agent::start(server(&folder, options).env("TF_CLI_CONFIG_FILE", &config));
        for _ in 0..2 {
            let (text, data) = agent.answer_of("plan", asked.clone());
            assert!(text.contains("hashicorp/random"), "{text}");
            assert!(
                data["needed"].as_str().unwrap().contains("not started"),
                "{data}"
            );
            agent.answer_of("plan", json!({}));
        }
        let server = support::editor::children(agent.server.id());
        assert_eq!(server.len(), 1);
        assert_eq!(support::editor::plugins(server[0]).count(), 0);
        agent.stop();
    }
    // Once the saved text has it, trust starts it.
    fs::write(folder.join("b.tf"), pet).unwrap();
    let mut agent = Agent::start(server(&folder, &["-trust"]).env("TF_CLI_CONFIG_FILE", &config));
    let edits = json!([{ "path": "b.tf", "text": pet.replace("{\n", "{\n  length = 3\n") }]);
    let (text, data) = agent.answer_of("plan", json!({ "edits": edits, "details": true }));
    assert!(text.contains("+ length    = 3"), "{text}");
    assert!(data["needed"].is_null(), "{data}");
    agent.stop();
    let mut agent = Agent::start(server(&folder, &[]).env("TF_CLI_CONFIG_FILE", &config));
    let (_, data) = agent.answer_of("plan", json!({}));
    assert!(
        data["needed"]
            .as_str()
            .unwrap()
            .contains("hashicorp/random"),
        "{data}"
    );
    agent.stop();
}

#[test]
fn a_cancelled_call_holds_up_no_other() {
    let test = "a_cancelled_call_holds_up_no_other";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let folder = scratch(test).join("module");
    fs::create_dir_all(&folder).unwrap();
    install_providers(&cache, &folder);
    let provider = "terraform {\n  required_providers {\n    lab6 = {\n      source = \"planlens/lab6\"\n    }\n  }\n}\n";
    let hanging = "resource \"lab6_server\" \"hanging\" {\n  name = \"a\"\n}\n";
    fs::write(folder.join("main.tf"), format!("{provider}{hanging}")).unwrap();
    let other = folder.join("other");
    fs::create_dir_all(&other).unwrap();
    let quick = "resource \"terraform_data\" \"quick\" {\n}\n";
    fs::write(other.join("main.tf"), quick).unwrap();
    let folder = folder.canonicalize().unwrap();
    let mut server = server(&folder, &["-trust"]);
    server
        .env("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))
        .env("LAB_HANG", "lab6_server");
    let mut agent = Agent::start(&mut server);
    agent.cancel("plan", json!({}));
    let (text, _) = agent.answer_of("plan", json!({ "folder": "other" }));
    assert!(text.contains("+ terraform_data.quick"), "{text}");
    agent.stop();
}

/// A module of many resources, each with a state.
fn many(test: &str, count: usize) -> PathBuf {
    let folder = scratch(test).join("module");
    fs::create_dir_all(&folder).unwrap();
    let blocks = (0..count).map(|number| format!("resource \"terraform_data\" \"r{number}\" {{\n  input            = \"value {number}\"\n  triggers_replace = [\"{number}\"]\n}}\n\n"));
    fs::write(folder.join("main.tf"), blocks.collect::<String>()).unwrap();
    folder.canonicalize().unwrap()
}

/// A file that is too long to be read is named, and a shorter text can be proposed in its place.
#[test]
fn outputs_are_compared_to_their_end() {
    let folder = scratch("mcp-outputs").canonicalize().unwrap();
    let text = |last: &str| {
        let outputs =
            (0..200).map(|it| format!("output \"o{it:03}\" {{\n  value = \"{last}\"\n}}\n"));
        outputs.collect::<String>()
    };
    let before = text("same");
    fs::write(folder.join("main.tf"), &before).unwrap();
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let mut compare = |text: &str| {
        let edits = json!([{ "path": "main.tf", "text": text }]);
        agent.answer_of("compare", json!({ "edits": edits }))
    };
    let (_, data) = compare(&before);
    assert_eq!(data["isSame"], true);
    let (start, end) = before.rsplit_once("same").unwrap();
    let (answer, data) = compare(&format!("{start}other{end}"));
    assert_eq!(data["isSame"], false);
    assert!(answer.contains("Outputs change"), "{answer}");
    let (answer, _) = compare("output \"o\" {\n  value = 1\n}\n");
    assert!(answer.contains("+ o = 1"), "{answer}");
    assert!(!answer.contains("You can apply"), "{answer}");
    agent.stop();
}

#[test]
fn a_file_that_is_too_long_is_named() {
    let folder = scratch("mcp-too-long").canonicalize().unwrap();
    fs::write(folder.join("main.tf"), "\n".repeat(5 << 20)).unwrap();
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let text = agent.refused("plan", json!({}));
    assert!(text.contains("main.tf") && text.contains("4 MiB"), "{text}");
    let edits = json!([{ "path": "main.tf", "text": "output \"o\" {\n  value = 1\n}\n" }]);
    let (text, _) = agent.answer_of("plan", json!({ "edits": edits }));
    assert!(!text.contains("4 MiB"), "{text}");
    agent.stop();
}

#[test]
fn long_answers_come_page_by_page() {
    let folder = many("long_answers", 300);
    let mut agent = Agent::start(&mut server(&folder, &[]));
    let (mut from, mut pages, mut seen) = (0, 0, Vec::new());
    loop {
        let (text, data) = agent.answer_of("plan", json!({ "from": from, "details": true }));
        assert_eq!(data["add"], 300);
        let changes = data["changes"].as_array().unwrap();
        seen.extend(
            changes
                .iter()
                .map(|it| it["address"].as_str().unwrap().to_owned()),
        );
        pages += 1;
        let Some(next) = data["next"].as_u64() else {
            break;
        };
        assert!(
            text.contains(&format!("ask again with \"from\": {next}")),
            "{text}"
        );
        from = next;
    }
    assert_eq!(seen.len(), 300);
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 300);
    assert!(pages > 3, "{pages}");
    let params = json!({ "name": "plan", "arguments": { "max_bytes": 200_000 } });
    let (answer, length) = agent.ask("tools/call", params);
    assert!(length > LARGEST && answer["result"]["structuredContent"]["next"].is_null());
    // A message that is longer than any that is read: the call is answered, wherever its id stands, and the next one too.
    let long = "x".repeat(17 << 20);
    for id in [70, 71] {
        let arguments = json!({ "edits": [{ "path": "main.tf", "text": &long }] });
        let params = json!({ "name": "plan", "arguments": arguments });
        let message = match id {
            70 => json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }),
            _ => json!({ "method": "tools/call", "params": params, "jsonrpc": "2.0", "id": id }),
        };
        let (answer, _) = agent.ask_with(&message);
        assert_eq!(answer["result"]["isError"], true, "{answer}");
        let expected = agent::text(&answer["result"]);
        assert!(
            expected.contains("a message can have at most 16 MiB"),
            "{expected}"
        );
    }
    // One object that is longer than a page.
    let long = format!(
        "resource \"terraform_data\" \"long\" {{\n  input = \"{}\"\n}}\n",
        "é\\\" ".repeat(20_000)
    );
    let edits = json!([{ "path": "main.tf", "text": long }]);
    let (text, _) = agent.answer_of("plan", json!({ "edits": edits, "details": true }));
    assert!(text.contains("more bytes"), "{}", text.len());
    agent.stop();
}
