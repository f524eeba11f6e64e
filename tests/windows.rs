//! planlens.exe under wine: plans as on Linux, a provider of Windows over an encrypted connection, the server with the paths
//! that editors on Windows write, and nothing that stays behind or holds a file.
//!
//! `tests/windows/prepare` makes what is needed.

mod support;

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value, json};
use support::client::{Client, LIMIT};
use support::{planlens, printed, program, repository, sample, scratch, skipped};

/// What `tests/windows/prepare` made.
struct Windows(PathBuf);

const MODULE: &str = r#"terraform {
  required_providers {
    random = { source = "hashicorp/random" }
  }
}

resource "random_pet" "name" {
  length = 3
}

resource "terraform_data" "name" {
  input = "${random_pet.name.id}!"
}
"#;

const PACKAGE: &str = "registry.terraform.io/hashicorp/random/3.9.0/windows_amd64";

impl Windows {
    fn find(test: &str) -> Option<Windows> {
        let named = std::env::var_os("PLANLENS_TEST_CACHE").map(PathBuf::from);
        let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
        let cache = named.unwrap_or_else(|| home().join(".cache/planlens-test"));
        let windows = cache.join("windows");
        if !windows.join("planlens.exe").is_file() {
            skipped(test, "no planlens.exe: run tests/windows/prepare");
        } else if program("wine").is_none() {
            skipped(test, "no wine on the PATH");
        } else {
            return Some(Windows(windows));
        }
        None
    }

    fn exe(&self) -> PathBuf {
        self.0.join("planlens.exe")
    }

    fn wine(&self, program: impl AsRef<Path>, folder: &Path) -> Command {
        let mut command = support::command("wine", folder);
        command
            .arg(program.as_ref())
            .env("WINEPREFIX", self.0.join("wine"))
            .env("WINEDEBUG", "-all")
            .env("PLANLENS_LANGUAGE", "terraform@1.11.4");
        command
    }

    /// An empty folder on drive C, and its path there as a URI has it.
    fn scratch(&self, test: &str) -> (PathBuf, String) {
        let folder = self.0.join("wine/drive_c/planlens tests").join(test);
        if folder.exists() {
            fs::remove_dir_all(&folder).unwrap();
        }
        fs::create_dir_all(&folder).unwrap();
        (folder, format!("/planlens%20tests/{test}"))
    }

    /// A module with a resource of the provider `random`, which is installed as `terraform init` does on Windows: copied.
    fn write_module(&self, folder: &Path) {
        fs::write(folder.join("main.tf"), MODULE).unwrap();
        let lock = folder.join(".terraform.lock.hcl");
        fs::copy(self.0.join("terraform.lock.hcl"), lock).unwrap();
        let to = folder.join(".terraform/providers").join(PACKAGE);
        support::copy_module(&self.0.join("mirror").join(PACKAGE), &to);
    }

    /// Starts a server and opens `main.tf` of a folder, which has this URI.
    fn server(&self, exe: &Path, folder: &Path, uri: &str) -> Client {
        let mut command = self.wine(exe, folder);
        let log = fs::File::create(folder.join("log")).unwrap();
        let mut client = Client::start(command.arg("lsp").stderr(log));
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": uri,
                "workspaceFolders": [{ "uri": uri, "name": "module" }],
                "capabilities": { "textDocument": { "inlayHint": {} } },
                "initializationOptions": { "trust": "always" },
            }),
        );
        client.notify("initialized", json!({}));
        let text = fs::read_to_string(folder.join("main.tf")).unwrap();
        client.open(&format!("{uri}/main.tf"), "terraform", &text);
        client
    }
}

/// A plan as JSON, without its time.
fn plan(output: &Output) -> Value {
    let Ok(mut plan) = serde_json::from_slice::<Value>(&output.stdout) else {
        panic!("no JSON document on stdout: {}", printed(output));
    };
    plan.as_object_mut().unwrap().remove("timestamp");
    plan
}

fn say(line: &str) {
    let _ = writeln!(std::io::stdout(), "{line}");
}

/// As JSON and as text, of the example and of the workspaces that need no plugin: a third of them, all with `PLANLENS_TEST_LONG`.
/// When a folder was last changed, where its history is here.
fn committed(folder: &Path) -> Option<SystemTime> {
    let mut git = Command::new("git");
    git.args(["log", "-1", "--format=%ct", "--", "."]);
    let output = git.current_dir(folder).output().ok()?;
    let seconds = String::from_utf8(output.stdout).ok()?.trim().parse().ok()?;
    Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
}

#[test]
fn planlens_exe_plans_as_on_linux() {
    let test = "planlens_exe_plans_as_on_linux";
    let Some(windows) = Windows::find(test) else {
        return;
    };
    let workspaces = fs::read_dir(repository().join("tests/workspaces")).unwrap();
    let mut folders: Vec<PathBuf> = workspaces.map(|it| it.unwrap().path()).collect();
    folders.retain(|folder| {
        ["plan.json", "terraform.tfstate"].iter().all(|name| {
            let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
            !text.contains("registry.terraform.io")
        })
    });
    folders.sort();
    assert!(folders.len() > 40, "{folders:?}");
    let mut folders = sample(folders, 3);
    // A program of an earlier day plans those that have not changed since.
    let built = fs::metadata(windows.exe()).unwrap().modified().unwrap();
    folders.retain(|folder| committed(folder).is_none_or(|it| it < built));
    folders.push(repository().join("examples/first-plan"));
    let scratch = scratch(test);
    let mut wrong = Vec::new();
    for folder in &folders {
        let name = folder.file_name().unwrap().to_str().unwrap();
        let module = scratch.join(name);
        support::copy_module(folder, &module);
        let environment = support::environment(&folder.join("env"));
        let options = fs::read_to_string(folder.join("options")).unwrap_or_default();
        let run = |mut command: Command, options: &str| {
            command.arg("plan").args(options.split_whitespace());
            command.envs(environment.iter().cloned()).output().unwrap()
        };
        let here = |options: &str| run(planlens(&module), options);
        let there = |options: &str| run(windows.wine(windows.exe(), &module), options);
        let as_json = format!("-json {options}");
        let (json, json_there) = (here(&as_json), there(&as_json));
        let (text, text_there) = (here(&options), there(&options));
        let is_same = json.status == json_there.status
            && plan(&json) == plan(&json_there)
            && text.stdout == text_there.stdout;
        if !is_same {
            wrong.push(format!("{name}: {}", printed(&text_there)));
        }
    }
    let count = folders.len();
    let wrong = (wrong.len(), wrong.join("\n"));
    assert!(wrong.0 == 0, "{} of {count}:\n{}", wrong.0, wrong.1);
    say(&format!("{count} plans are the same on Windows"));
}

#[test]
fn a_provider_of_windows_is_verified_and_asked() {
    let test = "a_provider_of_windows_is_verified_and_asked";
    let Some(windows) = Windows::find(test) else {
        return;
    };
    let (folder, _) = windows.scratch(test);
    windows.write_module(&folder);
    let plan = || {
        let mut command = windows.wine(windows.exe(), &folder);
        command.arg("plan").output().unwrap()
    };
    let planned = plan();
    let text = printed(&planned);
    assert!(planned.status.success(), "{text}");
    assert!(text.contains("# random_pet.name will be created"), "{text}");
    assert!(text.contains("+ separator = \"-\""), "{text}");
    // One file more, and it doesn't start.
    let package = folder.join(".terraform/providers").join(PACKAGE);
    fs::write(package.join("more"), "x").unwrap();
    let refused = plan();
    let text = printed(&refused);
    assert!(
        !refused.status.success() && text.contains("is not listed"),
        "{text}"
    );
}

/// Waits until a hint of a document has this text.
fn wait_for_hint(client: &mut Client, uri: &str, text: &str) {
    let end = Instant::now() + LIMIT;
    let [first, last] = [0, 99].map(|line| json!({ "line": line, "character": 0 }));
    let params = json!({
        "textDocument": { "uri": uri },
        "range": { "start": first, "end": last },
    });
    loop {
        let hints = client.ask("textDocument/inlayHint", params.clone());
        if hints.to_string().contains(text) {
            return;
        }
        assert!(Instant::now() < end, "{text}: {hints}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn both_spellings_of_a_drive_are_one_document() {
    let test = "both_spellings_of_a_drive_are_one_document";
    let Some(windows) = Windows::find(test) else {
        return;
    };
    let (folder, path) = windows.scratch(test);
    let text = "variable \"size\" {\n  default = 1\n}\n\nresource \"terraform_data\" \"a\" {\n  input = var.size + 1\n}\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let (encoded, plain) = (format!("file:///c%3A{path}"), format!("file:///C:{path}"));
    let mut client = windows.server(&windows.exe(), &folder, &encoded);
    let (encoded, plain) = (format!("{encoded}/main.tf"), format!("{plain}/main.tf"));
    wait_for_hint(&mut client, &encoded, "2");
    // What is typed under one name is seen under the other one.
    client.notify(
        "textDocument/didChange",
        json!({
            "textDocument": { "uri": plain, "version": 2 },
            "contentChanges": [{ "text": text.replace("+ 1", "+ 41") }],
        }),
    );
    wait_for_hint(&mut client, &encoded, "42");
    wait_for_hint(&mut client, &plain, "42");
    client.stop();
}

#[test]
fn a_plugin_lets_go_of_its_file() {
    let test = "a_plugin_lets_go_of_its_file";
    let Some(windows) = Windows::find(test) else {
        return;
    };
    let (folder, path) = windows.scratch(test);
    windows.write_module(&folder);
    let uri = format!("file:///c%3A{path}");
    let mut client = windows.server(&windows.exe(), &folder, &uri);
    let file = format!("{uri}/main.tf");
    wait_for_hint(&mut client, &file, "known after apply");
    let begin = Instant::now();
    // By Windows' rules.
    let remove = || {
        let mut command = windows.wine("cmd", &folder);
        let arguments = ["/c", "rmdir", "/s", "/q", ".terraform"];
        command.args(arguments).output().unwrap();
        !folder.join(".terraform").exists()
    };
    while !remove() {
        assert!(begin.elapsed() < Duration::from_secs(5), "it is still held");
        std::thread::sleep(Duration::from_millis(100));
    }
    say(&format!("removed after {:?}", begin.elapsed()));
    client.stop();
}

#[test]
fn plugins_end_with_planlens_on_windows() {
    let test = "plugins_end_with_planlens_on_windows";
    let Some(windows) = Windows::find(test) else {
        return;
    };
    let (folder, path) = windows.scratch(test);
    windows.write_module(&folder);
    let name = "planlens-that-is-killed.exe";
    let exe = folder.join(name);
    fs::copy(windows.exe(), &exe).unwrap();
    let mut client = windows.server(&exe, &folder, &format!("file:///C:{path}"));
    let wait = |what: &str, is_reached: &dyn Fn() -> bool| {
        let end = Instant::now() + LIMIT;
        while !is_reached() {
            assert!(Instant::now() < end, "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    wait("no plugin starts", &|| !plugins(test).is_empty());
    // TerminateProcess.
    let mut kill = windows.wine("taskkill", &folder);
    let killed = kill.args(["/F", "/IM", name]).output().unwrap();
    assert!(killed.status.success(), "{}", printed(&killed));
    wait("a plugin lives on", &|| plugins(test).is_empty());
    let _ = client.server.wait();
}

/// The plugins that run from the folder of a test.
fn plugins(test: &str) -> Vec<String> {
    let commands = fs::read_dir("/proc").unwrap().filter_map(|it| {
        let bytes = fs::read(it.ok()?.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    });
    commands
        .filter(|it| it.contains(test) && it.contains("terraform-provider-random"))
        .collect()
}
