//! No plugin starts before the user approved its package: with real packages, whose programs leave a mark when they start,
//! and the questions as an editor gets them.

mod support;

use std::collections::BTreeSet;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::{Value, json};
use support::client::{Client, LIMIT};
use support::{cache, has_subcommand, planlens, printed, scratch, skipped};

/// A user's machine: packages in a mirror, root modules, and what was approved.
struct Machine {
    folder: PathBuf,
    /// The program of planlens/lab6, which all packages run.
    program: PathBuf,
    environment: Vec<(&'static str, PathBuf)>,
}

const YES: usize = 0;
const NO: usize = 1;

impl Machine {
    /// Says that the test is skipped where something is missing.
    fn new(test: &str) -> Option<Machine> {
        let cache = match has_subcommand("lsp").and_then(|()| cache()) {
            Ok(cache) => cache,
            Err(reason) => {
                skipped(test, &reason);
                return None;
            }
        };
        let folder = scratch(test);
        let lab = cache.join("mirror/registry.terraform.io/planlens/lab6/1.0.0");
        let files = support::files(&lab).into_keys();
        let is_program = |it: &PathBuf| it.to_string_lossy().contains("terraform-provider-lab6");
        let program = files.into_iter().find(is_program).unwrap();
        for name in ["started", "home"] {
            fs::create_dir(folder.join(name)).unwrap();
        }
        let cli_config = folder.join("terraformrc");
        fs::write(&cli_config, "").unwrap();
        Some(Machine {
            environment: vec![
                ("HOME", folder.join("home")),
                ("TF_CLI_CONFIG_FILE", cli_config),
                ("PLANLENS_CACHE_DIR", folder.join("cache")),
                ("PLANLENS_STATE_DIR", folder.join("state")),
                ("LAB_CALLS", folder.join("calls")),
            ],
            folder,
            program,
        })
    }

    /// A package whose program leaves `mark`. Another mark is another content.
    fn package(&self, name: &str, mark: &str) -> PathBuf {
        let package = self.folder.join("packages").join(mark);
        fs::create_dir_all(&package).unwrap();
        let program = package.join(format!("terraform-provider-{name}"));
        let mark = self.folder.join("started").join(mark);
        let script = format!(
            "#!/bin/sh\ntouch {}\nexec {} \"$@\"\n",
            mark.display(),
            self.program.display()
        );
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, Permissions::from_mode(0o755)).unwrap();
        package
    }

    /// Puts a package of `acme/NAME` in a root module, and a lock file beside it that lists its hash.
    fn install(&self, module: &str, packages: &[(&str, &str)]) {
        let module = self.folder.join(module);
        let requires =
            |(name, _): &(&str, &str)| format!("    {name} = {{ source = \"acme/{name}\" }}\n");
        let resource = |(name, _): &(&str, &str)| {
            format!(
                "resource \"lab6_note\" \"{name}\" {{\n  provider = {name}\n  text = \"x\"\n}}\n"
            )
        };
        let required: String = packages.iter().map(requires).collect();
        let resources: String = packages.iter().map(resource).collect();
        fs::create_dir_all(&module).unwrap();
        let text =
            format!("terraform {{\n  required_providers {{\n{required}  }}\n}}\n{resources}");
        fs::write(module.join("main.tf"), text).unwrap();
        let _ = fs::remove_dir_all(module.join(".terraform"));
        let mut lock = Vec::new();
        for (name, mark) in packages {
            self.place(&module, name, mark);
            lock.push((*name, vec![self.hash(name, mark)]));
        }
        write_lock_file(&module, &lock);
    }

    /// Links a package to where it is installed.
    fn place(&self, module: &Path, name: &str, mark: &str) {
        let installed = module
            .join(".terraform/providers/registry.terraform.io/acme")
            .join(name)
            .join("1.0.0");
        fs::create_dir_all(&installed).unwrap();
        let link = installed.join(platform(&self.program));
        let _ = fs::remove_file(&link);
        symlink(self.package(name, mark), link).unwrap();
    }

    /// The hash of a package, as planlens says it where the lock file lists another.
    fn hash(&self, name: &str, mark: &str) -> String {
        let module = self.folder.join("hashed");
        fs::create_dir_all(&module).unwrap();
        let text = format!(
            "terraform {{\n  required_providers {{\n    {name} = {{ source = \"acme/{name}\" }}\n  }}\n}}\nresource \"lab6_note\" \"a\" {{\n  provider = {name}\n}}\n"
        );
        fs::write(module.join("main.tf"), text).unwrap();
        write_lock_file(&module, &[(name, vec!["h1:none".to_owned()])]);
        self.place(&module, name, mark);
        let output = self.run(&module, &["plan", "--json"]);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let hash = said.split_once("its hash ").map(|(_, rest)| rest);
        let hash = hash.and_then(|rest| rest.split_whitespace().next());
        hash.unwrap_or_else(|| panic!("{}", printed(&output)))
            .to_owned()
    }

    fn run(&self, folder: &Path, arguments: &[&str]) -> Output {
        let mut command = planlens(folder);
        command
            .args(arguments)
            .envs(self.environment.iter().cloned());
        command.output().unwrap()
    }

    fn trust(&self, arguments: &[&str]) -> (String, bool) {
        let output = self.run(&self.folder, &[&["trust"], arguments].concat());
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        (said, output.status.success())
    }

    /// The marks of the programs that started since it was last asked.
    fn started(&self) -> BTreeSet<String> {
        let marks: Vec<PathBuf> = fs::read_dir(self.folder.join("started"))
            .unwrap()
            .map(|it| it.unwrap().path())
            .collect();
        marks.iter().for_each(|it| fs::remove_file(it).unwrap());
        let names = marks
            .iter()
            .map(|it| it.file_name().unwrap().to_str().unwrap());
        names.map(str::to_owned).collect()
    }

    /// Opens `main.tf` of a module in an editor that has a folder open, and answers what is asked.
    fn open(&self, folder: &str, module: &str, settings: Value, answer: usize) -> Editor {
        let folder = self.folder.join(folder);
        let mut command = planlens(&folder);
        let log = self.folder.join("log");
        command
            .arg("lsp")
            .envs(self.environment.iter().cloned())
            .stderr(File::create(log).unwrap());
        let mut client = Client::start(&mut command);
        client.chooses = Some(answer);
        let root = format!("file://{}", folder.display());
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "folder" }],
                "capabilities": { "window": { "showMessage": { "messageActionItem": {} } } },
                "initializationOptions": settings,
            }),
        );
        client.notify("initialized", json!({}));
        let main = self.folder.join(module).join("main.tf");
        let uri = format!("file://{}", main.display());
        client.open(&uri, "terraform", &fs::read_to_string(main).unwrap());
        let mut editor = Editor { client };
        editor.settle();
        editor
    }

    /// Opens a folder, answers what is asked, and closes it: the questions, and what started.
    fn visit(&self, folder: &str, answer: usize) -> (Vec<String>, BTreeSet<String>) {
        let editor = self.open(folder, folder, json!({}), answer);
        let asked = editor.asked();
        editor.client.stop();
        (asked, self.started())
    }
}

struct Editor {
    client: Client,
}

impl Editor {
    /// Waits until all is planned, with what was answered.
    fn settle(&mut self) {
        let mut fresh = 0;
        let end = std::time::Instant::now() + LIMIT;
        while fresh < 3 {
            let plans = self.client.ask("planlens/plan", json!({}));
            let plans = plans["plans"].as_array().cloned().unwrap_or_default();
            let is_fresh = !plans.is_empty() && plans.iter().all(|it| it["state"] == "fresh");
            fresh = if is_fresh { fresh + 1 } else { 0 };
            assert!(std::time::Instant::now() < end, "no plan: {plans:?}");
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
    }

    /// The questions so far.
    fn asked(&self) -> Vec<String> {
        let said = self.client.said.iter();
        let questions = said.filter(|it| it["method"] == "window/showMessageRequest");
        let text = |it: &Value| it["params"]["message"].as_str().unwrap().to_owned();
        questions.map(text).collect()
    }

    /// Something changed on disk.
    fn changed(&mut self, path: &Path) {
        let change = json!({ "uri": format!("file://{}", path.display()), "type": 2 });
        let changes = json!({ "changes": [change] });
        self.client
            .notify("workspace/didChangeWatchedFiles", changes);
        self.settle();
    }
}

fn write_lock_file(module: &Path, providers: &[(&str, Vec<String>)]) {
    let block = |(name, hashes): &(&str, Vec<String>)| {
        let hashes: Vec<String> = hashes.iter().map(|hash| format!("{hash:?}")).collect();
        format!(
            "provider \"registry.terraform.io/acme/{name}\" {{\n  version = \"1.0.0\"\n  hashes = [{}]\n}}\n",
            hashes.join(", ")
        )
    };
    let text: String = providers.iter().map(block).collect();
    fs::write(module.join(".terraform.lock.hcl"), text).unwrap();
}

/// The folder of the package that a program is in.
fn platform(program: &Path) -> String {
    let package = program.parent().unwrap().file_name().unwrap();
    package.to_str().unwrap().to_owned()
}

fn these(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

/// Asserts that one question was asked, which says this.
fn one(asked: &[String], expected: &str) {
    assert!(
        asked.len() == 1 && asked[0].contains(expected),
        "{expected}: {asked:?}"
    );
}

/// A machine on which acme/good was approved for `work/repo`.
fn approved(test: &str) -> Option<Machine> {
    let machine = Machine::new(test)?;
    machine.install("work/repo", &[("good", "good")]);
    let (asked, started) = machine.visit("work/repo", NO);
    one(&asked, ": acme/good. ");
    assert_eq!(started, these(&[]));
    let (asked, started) = machine.visit("work/repo", YES);
    one(&asked, ": acme/good. ");
    assert_eq!(started, these(&["good"]));
    Some(machine)
}

#[test]
fn an_approved_package_starts_in_another_folder_and_after_a_restart_without_a_question() {
    let test = "an_approved_package_starts_in_another_folder";
    let Some(machine) = approved(test) else {
        return;
    };
    machine.install("elsewhere", &[("good", "good")]);
    for folder in ["work/repo", "elsewhere"] {
        let none = (Vec::new(), these(&["good"]));
        assert_eq!(machine.visit(folder, NO), none, "{folder}");
    }
}

#[test]
fn a_pull_that_brings_another_plugin_asks_for_it_alone() {
    let Some(machine) = approved("a_pull_that_brings_another_plugin_asks_for_it_alone") else {
        return;
    };
    let both = [("good", "good"), ("malware", "malware")];
    machine.install("work/repo", &both);
    let (asked, started) = machine.visit("work/repo", NO);
    one(&asked, "these new provider plugins");
    one(&asked, ": acme/malware. ");
    assert_eq!(started, these(&["good"]));
}

/// The server runs while the pull comes.
#[test]
fn a_pull_under_a_running_server_starts_nothing_new_and_keeps_nothing_old() {
    let test = "a_pull_under_a_running_server";
    let Some(machine) = approved(test) else {
        return;
    };
    let mut editor = machine.open("work/repo", "work/repo", json!({}), NO);
    assert_eq!(machine.started(), these(&["good"]));
    machine.install("work/repo", &[("good", "worse")]);
    let lock = machine.folder.join("work/repo/.terraform.lock.hcl");
    editor.changed(&lock);
    one(
        &editor.asked(),
        "acme/good (not the package that you approved)",
    );
    assert_eq!(machine.started(), these(&[]));
    // What was answered is not asked again, and the approved package is as good as before.
    machine.install("work/repo", &[("good", "good")]);
    editor.changed(&lock);
    assert_eq!(editor.asked().len(), 1);
    assert_eq!(machine.started(), these(&["good"]));
    editor.client.stop();
}

#[test]
fn another_repository_at_the_same_path_starts_nothing() {
    let test = "another_repository_at_the_same_path_starts_nothing";
    let Some(machine) = approved(test) else {
        return;
    };
    fs::remove_dir_all(machine.folder.join("work/repo")).unwrap();
    machine.install("work/repo", &[("malware", "malware")]);
    let (asked, started) = machine.visit("work/repo", NO);
    one(&asked, ": acme/malware. ");
    assert_eq!(started, these(&[]));
}

#[test]
fn a_clone_inside_of_a_trusted_folder_starts_nothing() {
    let test = "a_clone_inside_of_a_trusted_folder_starts_nothing";
    let Some(machine) = approved(test) else {
        return;
    };
    machine.install("work/repo/cloned", &[("malware", "malware")]);
    fs::create_dir(machine.folder.join("work/repo/cloned/.git")).unwrap();
    let editor = machine.open("work/repo", "work/repo/cloned", json!({}), NO);
    one(&editor.asked(), "work/repo/cloned starts");
    editor.client.stop();
    assert_eq!(machine.started(), these(&[]));
}

#[test]
fn a_lock_file_with_another_hash_of_an_approved_address_asks_again() {
    let test = "a_lock_file_with_another_hash_of_an_approved_address_asks_again";
    let Some(machine) = approved(test) else {
        return;
    };
    machine.install("work/repo", &[("good", "worse")]);
    let (asked, started) = machine.visit("work/repo", NO);
    one(&asked, "acme/good (not the package that you approved)");
    assert_eq!(started, these(&[]));
}

#[test]
fn a_package_that_was_replaced_after_the_approval_does_not_start() {
    let test = "a_package_that_was_replaced_after_the_approval_does_not_start";
    let Some(machine) = approved(test) else {
        return;
    };
    let module = machine.folder.join("work/repo");
    let hashes = ["good", "worse"].map(|mark| machine.hash("good", mark));
    machine.place(&module, "good", "worse");
    // The lock file lists the approved package alone: a yes would not help.
    assert_eq!(machine.visit("work/repo", YES), (Vec::new(), these(&[])));
    // It lists both.
    write_lock_file(&module, &[("good", hashes.to_vec())]);
    let (asked, started) = machine.visit("work/repo", NO);
    one(&asked, "acme/good (not the package that you approved)");
    assert_eq!(started, these(&[]));
}

#[test]
fn of_two_hashes_in_a_lock_file_that_of_the_package_is_approved() {
    let test = "of_two_hashes_in_a_lock_file_that_of_the_package_is_approved";
    let Some(machine) = Machine::new(test) else {
        return;
    };
    machine.install("repo", &[("good", "good")]);
    let [good, worse] = ["good", "worse"].map(|mark| machine.hash("good", mark));
    let lock = [("good", vec![worse, good.clone()])];
    write_lock_file(&machine.folder.join("repo"), &lock);
    let (asked, started) = machine.visit("repo", YES);
    one(&asked, ": acme/good. ");
    assert_eq!(started, these(&["good"]));
    let (list, _) = machine.trust(&["list", "-json"]);
    let list: Value = serde_json::from_str(&list).unwrap();
    let providers = list["providers"].as_array().unwrap();
    let hashes: Vec<&Value> = providers.iter().map(|it| &it["hash"]).collect();
    assert_eq!(hashes, [&good]);
    let module = machine.folder.join("repo");
    machine.place(&module, "good", "worse");
    let (asked, started) = machine.visit("repo", NO);
    one(&asked, "acme/good (not the package that you approved)");
    assert_eq!(started, these(&[]));
}

/// An approved plugin may run what its configuration names.
#[test]
fn an_approved_plugin_gets_no_configuration_of_another_folder() {
    let test = "an_approved_plugin_gets_no_configuration_of_another_folder";
    let Some(machine) = approved(test) else {
        return;
    };
    machine.install("cloned", &[("good", "good")]);
    let main = machine.folder.join("cloned/main.tf");
    let text = fs::read_to_string(&main).unwrap();
    fs::write(
        &main,
        format!("{text}provider \"good\" {{\n  endpoint = \"evil\"\n}}\n"),
    )
    .unwrap();
    let calls = machine.folder.join("calls");
    for (answer, is_configured) in [(NO, false), (YES, true)] {
        let _ = fs::remove_file(&calls);
        let (asked, started) = machine.visit("cloned", answer);
        one(&asked, "the provider configuration in");
        assert_eq!(started, these(&["good"]));
        let calls = fs::read_to_string(&calls).unwrap();
        assert_eq!(
            calls.contains("ConfigureProvider"),
            is_configured,
            "{calls}"
        );
    }
    assert_eq!(machine.visit("cloned", NO), (Vec::new(), these(&["good"])));
}

#[test]
fn plugins_named_or_developed_by_the_user_need_no_question() {
    let test = "plugins_named_or_developed_by_the_user_need_no_question";
    let Some(mut machine) = Machine::new(test) else {
        return;
    };
    machine.install("repo", &[("good", "good")]);
    let patterns = |patterns: &[&str]| json!({ "trust": "ask", "trust.providers": patterns });
    for (settings, questions) in [
        (patterns(&["acme/*"]), 0),
        (patterns(&["registry.terraform.io/acme/good"]), 0),
        (json!({ "trust": { "providers": ["*/good"] } }), 0),
        (patterns(&["example.com/acme/good", "acme/other"]), 1),
        (
            json!({ "trust": "never", "trust.providers": ["acme/*"] }),
            0,
        ),
    ] {
        let starts = questions == 0 && settings["trust"] != "never";
        let editor = machine.open("repo", "repo", settings.clone(), NO);
        assert_eq!(editor.asked().len(), questions, "{settings}");
        editor.client.stop();
        assert_eq!(machine.started().contains("good"), starts, "{settings}");
    }
    let overrides = |folder: &Path| {
        format!(
            "provider_installation {{\n  dev_overrides {{\n    \"acme/good\" = {folder:?}\n  }}\n  direct {{}}\n}}\n"
        )
    };
    let own = machine.package("good", "own");
    fs::write(machine.folder.join("terraformrc"), overrides(&own)).unwrap();
    assert_eq!(machine.visit("repo", NO), (Vec::new(), these(&["own"])));
    // A file that the root module brings is not the user's.
    fs::write(machine.folder.join("repo/brought.tfrc"), overrides(&own)).unwrap();
    for (name, value) in &mut machine.environment {
        if *name == "TF_CLI_CONFIG_FILE" {
            *value = "brought.tfrc".into();
        }
    }
    let (asked, started) = machine.visit("repo", NO);
    one(&asked, ": acme/good. ");
    assert_eq!(started, these(&[]));
}

#[test]
fn approvals_are_listed_and_revoked() {
    let test = "approvals_are_listed_and_revoked";
    let Some(machine) = approved(test) else {
        return;
    };
    let repo = machine.folder.join("work/repo").canonicalize().unwrap();
    let repo = repo.to_str().unwrap();
    let (list, _) = machine.trust(&["list"]);
    let first = format!("first for {repo}\n");
    assert!(
        list.contains("registry.terraform.io/acme/good h1:") && list.contains(&first),
        "{list}"
    );
    assert!(!machine.trust(&["revoke", "acme/other"]).1);
    for arguments in [
        ["revoke", "acme/good"],
        ["revoke", repo],
        ["revoke", "--all"],
    ] {
        let mut editor = machine.open("work/repo", "work/repo", json!({}), NO);
        assert_eq!(machine.started(), these(&["good"]));
        let (said, is_done) = machine.trust(&arguments);
        assert!(
            is_done && said.contains("acme/good h1:"),
            "{arguments:?}: {said}"
        );
        // A server that runs asks again.
        assert_eq!(editor.asked(), Vec::<String>::new());
        editor.changed(Path::new(repo));
        one(&editor.asked(), ": acme/good. ");
        editor.client.stop();
        let (asked, started) = machine.visit("work/repo", YES);
        one(&asked, ": acme/good. ");
        assert_eq!(started, these(&["good"]), "{arguments:?}");
    }
    machine.trust(&["revoke", "--all"]);
    assert_eq!(
        machine.trust(&["list"]).0,
        "Approved plugins: none\n\nTrusted folders: none\n"
    );
}

#[test]
fn an_invalid_list_of_approvals_approves_nothing() {
    let test = "an_invalid_list_of_approvals_approves_nothing";
    let Some(machine) = approved(test) else {
        return;
    };
    let repo = machine.folder.join("work/repo").canonicalize().unwrap();
    let older = serde_json::to_string(&[repo]).unwrap();
    for content in [
        older.as_str(),
        "",
        "{",
        "[1]",
        "{\"version\": 3, \"providers\": [{}]}",
    ] {
        fs::write(machine.folder.join("state/trusted.json"), content).unwrap();
        let (asked, started) = machine.visit("work/repo", NO);
        one(&asked, ": acme/good. ");
        assert_eq!(started, these(&[]), "{content}");
        let (asked, _) = machine.visit("work/repo", YES);
        one(&asked, ": acme/good. ");
        assert_eq!(machine.visit("work/repo", NO).0, Vec::<String>::new());
    }
}

#[test]
fn a_pulumi_program_outside_of_its_project_is_read_only_with_trust() {
    let test = "a_pulumi_program_outside_of_its_project";
    let folder = scratch(test).canonicalize().unwrap();
    let project = folder.join("project");
    fs::create_dir_all(&project).unwrap();
    let header = "name: shop\nruntime: yaml\nmain: ..\nbackend: {url: 'file://.'}\n";
    let program = "variables:\n  a: {fn::readFile: ./beside.txt}\noutputs:\n  o: ${a}\n";
    fs::write(project.join("Pulumi.yaml"), header).unwrap();
    fs::write(folder.join("Main.yaml"), program).unwrap();
    fs::write(folder.join("beside.txt"), "beside").unwrap();
    let uri = |path: &str| format!("file://{}/{path}", folder.display());
    for trust in ["never", "always"] {
        let mut command = planlens(&project);
        command
            .arg("lsp")
            .env("PLANLENS_STATE_DIR", folder.join("state"));
        let mut client = Client::start(&mut command);
        let greeting = json!({
            "processId": null,
            "rootUri": uri("project"),
            "capabilities": { "textDocument": { "publishDiagnostics": {} } },
            "initializationOptions": { "trust": trust },
        });
        client.ask("initialize", greeting);
        client.notify("initialized", json!({}));
        client.open(&uri("project/Pulumi.yaml"), "yaml", header);
        client.open(&uri("Main.yaml"), "yaml", program);
        if trust == "never" {
            while !client
                .next()
                .to_string()
                .contains("leads out of the project")
            {}
        }
        let asked = json!({
            "textDocument": { "uri": uri("Main.yaml") },
            "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 4, "character": 0 } },
        });
        let hints = |client: &mut Client| {
            client
                .ask("textDocument/inlayHint", asked.clone())
                .to_string()
        };
        match trust {
            "never" => assert!(!hints(&mut client).contains("beside")),
            _ => while !hints(&mut client).contains("beside") {},
        }
        client.stop();
    }
}
