//! The first step of a user: `terraform init` by a quick fix, with the real terraform; and which program a folder is
//! initialized with.

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

/// Of a folder that nobody has opened, and that none of the planned root modules calls.
#[cfg(unix)]
#[test]
fn a_folder_that_is_not_planned_is_initialized_by_the_program_that_its_files_choose() {
    use std::os::unix::fs::PermissionsExt;

    let folder = scratch("init_of_folders_that_are_not_planned");
    let programs = folder.join("bin");
    fs::create_dir_all(&programs).unwrap();
    for name in ["terraform", "tofu"] {
        let program = programs.join(name);
        let script = format!(
            "#!/bin/sh\ncase \"$1\" in\nversion) echo '{{\"terraform_version\":\"1.10.0\"}}' ;;\n*) echo {name} \"$@\" > ran ;;\nesac\n"
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let open = folder.join("work/open");
    for (dir, file) in [
        ("open", "main.tf"),
        ("lib", "main.tofu"),
        ("old", "main.tf"),
    ] {
        let dir = folder.join("work").join(dir);
        fs::create_dir_all(&dir).unwrap();
        fs::write(dir.join(file), "locals {\n  a = 1\n}\n").unwrap();
    }
    let path = std::env::var_os("PATH").unwrap();
    let paths = std::iter::once(programs).chain(std::env::split_paths(&path));
    let mut command = support::planlens(&open);
    let log = fs::File::create(folder.join("log")).unwrap();
    command
        .arg("lsp")
        .env("PATH", std::env::join_paths(paths).unwrap())
        .env_remove("PLANLENS_LANGUAGE")
        .stderr(log);
    let mut editor = Editor::launch(&mut command, "trace", &folder.join("work"), &open);
    editor.wait_for_plan();
    for (dir, command, ran) in [
        (
            "lib",
            "planlens.runInit",
            "tofu init -input=false -no-color\n",
        ),
        (
            "old",
            "planlens.runInitWithoutBackend",
            "terraform init -input=false -no-color -backend=false\n",
        ),
    ] {
        let dir = folder.join("work").join(dir);
        let uri = format!("file://{}", dir.display());
        let params = serde_json::json!({ "command": command, "arguments": [uri] });
        let id = editor.request("workspace/executeCommand", params);
        editor.answer(id);
        while editor.next()["method"] != "window/showMessage" {}
        assert_eq!(fs::read_to_string(dir.join("ran")).unwrap(), ran);
    }
    editor.stop();
}
