//! What a user does first: `terraform init` by a quick fix, with the real terraform.

mod support;

use std::fs;

use serde_json::{Value, json};
use support::editor::Editor;
use support::{cache, has_subcommand, program, scratch, skipped};

const CONFIGURATION: &str = r#"terraform {
  required_providers {
    random = { source = "hashicorp/random" }
  }
}

resource "random_pet" "a" {
  length = "two"
}
"#;

#[test]
fn init_is_run_when_it_is_chosen() {
    let test = "init_is_run_when_it_is_chosen";
    let cache = match has_subcommand("lsp").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    if program("terraform").is_none() {
        return skipped(test, "no terraform on the PATH");
    }
    let folder = scratch(test);
    let module = folder.join("module");
    fs::create_dir_all(&module).unwrap();
    fs::write(module.join("main.tf"), CONFIGURATION).unwrap();
    let environment = [("TF_CLI_CONFIG_FILE", cache.join("terraformrc"))];
    let mut editor = Editor::start(&module, &environment, &folder.join("log"));
    let told = wait_for(&mut editor, "provider-not-installed");

    let params = json!({
        "textDocument": { "uri": editor.uri },
        "range": told["range"],
        "context": { "diagnostics": [told] },
    });
    let id = editor.request("textDocument/codeAction", params);
    let actions = editor.answer(id).0;
    let mut actions = actions.as_array().unwrap().iter();
    let init = actions.find(|it| it["title"] == "Run `terraform init`");
    let command = match &init.expect("it is offered")["command"] {
        Value::String(command) => {
            json!({ "command": command, "arguments": init.unwrap()["arguments"] })
        }
        command => json!({ "command": command["command"], "arguments": command["arguments"] }),
    };
    assert!(!module.join(".terraform").exists(), "nothing runs unasked");
    let id = editor.request("workspace/executeCommand", command);
    editor.answer(id);

    // The provider is there: it says what is wrong itself.
    wait_for(&mut editor, "incorrect-type");
    assert!(module.join(".terraform.lock.hcl").is_file());
    editor.stop();
}

/// The first diagnostic of this code, once the server tells of it.
fn wait_for(editor: &mut Editor, code: &str) -> Value {
    loop {
        let message = editor.next();
        if message["method"] != "textDocument/publishDiagnostics" {
            continue;
        }
        let mut found = message["params"]["diagnostics"].as_array().unwrap().iter();
        if let Some(found) = found.find(|it| it["code"] == code) {
            return found.clone();
        }
    }
}
