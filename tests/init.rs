//! The first step of a user: `terraform init` by a quick fix, with the real terraform.

mod support;

use std::fs;

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
    let reported = editor.wait_for_diagnostic("provider-not-installed");
    let actions = editor.actions_at(&reported);
    let init = actions.get("Run `terraform init`").expect("it is offered");
    assert!(!actions.contains_key("Run `terraform init -backend=false`"));
    assert!(!module.join(".terraform").exists(), "nothing runs unasked");
    editor.choose(init);

    // The provider is there: it reports its errors itself.
    editor.wait_for_diagnostic("incorrect-type");
    assert!(module.join(".terraform.lock.hcl").is_file());
    editor.stop();
}
