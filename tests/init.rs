//! The first step of a user: `terraform init` by a quick fix, with the real terraform; and which program a folder is
//! initialized with.

mod support;

use std::fs;
use std::process::Command;

use serde_json::Value;
use support::editor::Editor;
use support::{cache, command, has_subcommand, planlens, program, scratch, skipped};

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

/// `init` ran, and then a module was added and another one exchanged: a command reports the errors of terraform, an editor warns and plans
/// on.
#[test]
fn a_module_that_init_has_not_seen_is_an_error_of_the_command_and_a_warning_in_the_editor() {
    let test = "module_that_init_has_not_seen";
    if let Err(reason) = has_subcommand("plan") {
        return skipped(test, &reason);
    }
    if program("terraform").is_none() {
        return skipped(test, "no terraform on the PATH");
    }
    let folder = scratch(test);
    for module in ["near", "far"] {
        fs::create_dir_all(folder.join(module)).unwrap();
        let output = "output \"value\" {\n  value = 1\n}\n";
        fs::write(folder.join(module).join("main.tf"), output).unwrap();
    }
    let before = "module \"near\" {\n  source = \"./near\"\n}\n";
    fs::write(folder.join("main.tf"), before).unwrap();
    let init = command("terraform", &folder).arg("init").output().unwrap();
    assert!(init.status.success(), "{init:?}");
    let errors = |mut program: Command| {
        let output = program.args(["validate", "-json"]).output().unwrap();
        let answer: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut found = answer["diagnostics"].as_array().unwrap().clone();
        found.sort_by_key(|it| it["range"]["start"]["byte"].as_u64());
        found
    };
    assert_eq!(errors(planlens(&folder)), [] as [Value; 0]);

    let after =
        "module \"near\" {\n  source = \"./far\"\n}\nmodule \"far\" {\n  source = \"./far\"\n}\n";
    fs::write(folder.join("main.tf"), after).unwrap();
    let found = errors(planlens(&folder));
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!(found, errors(command("terraform", &folder)));

    let mut editor = Editor::start(&folder, &[], &folder.join("log"));
    let reported = editor.wait_for_diagnostic("module-not-installed");
    assert_eq!(reported["severity"], 2, "{reported}");
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
