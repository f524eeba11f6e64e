//! The action, the hook and the snippet by which pipelines run `planlens check`, as their runners run them.

mod support;

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::{printed, program, repository, scratch, skipped};

/// Where the programs of the system are, and no planlens.
const PATH: &str = "/usr/bin:/bin";

const BLOCK: &str = "resource \"terraform_data\" \"a\" {\n  triggers_replace = \"one\"\n}\n";

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn git(folder: &Path, arguments: &[&str]) {
    let mut command = support::command("git", folder);
    let who = [
        "user.name=t",
        "user.email=t@localhost",
        "commit.gpgsign=false",
    ];
    command.args(who.into_iter().flat_map(|it| ["-c", it]));
    let output = command.args(arguments).output().unwrap();
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        printed(&output)
    );
}

/// A repository with the branch of a request, which replaces an object, and `origin/main` as a runner has it.
fn request(test: &str) -> PathBuf {
    let folder = scratch(test).join("repository");
    write(&folder, "shop/main.tf", BLOCK);
    let state = json!({
        "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "a", "outputs": {},
        "resources": [{
            "mode": "managed", "type": "terraform_data", "name": "a",
            "provider": "provider[\"terraform.io/builtin/terraform\"]",
            "instances": [{ "schema_version": 0, "attributes": {
                "id": "x", "input": null, "output": null,
                "triggers_replace": { "value": "one", "type": "string" },
            } }],
        }],
    });
    write(&folder, "shop/terraform.tfstate", &state.to_string());
    git(&folder, &["init", "-q", "-b", "main"]);
    git(&folder, &["add", "-A"]);
    git(&folder, &["commit", "-qm", "first"]);
    git(&folder, &["update-ref", "refs/remotes/origin/main", "HEAD"]);
    git(&folder, &["checkout", "-q", "-b", "request"]);
    write(&folder, "shop/main.tf", &BLOCK.replace("one", "two"));
    git(&folder, &["commit", "-qam", "second"]);
    folder.canonicalize().unwrap()
}

/// A folder with a program `planlens` that is the one of this build.
fn with_program(folder: &Path) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let program = folder.join("planlens");
    write(
        folder,
        "planlens",
        &format!(
            "#!/bin/sh\nexec '{}' \"$@\"\n",
            env!("CARGO_BIN_EXE_planlens")
        ),
    );
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    folder.to_owned()
}

/// A step of `action.yml`.
struct Step {
    name: String,
    condition: Option<String>,
    environment: BTreeMap<String, String>,
    run: String,
}

fn steps() -> Vec<Step> {
    let text = fs::read_to_string(repository().join("action.yml")).unwrap();
    let (_, steps) = text.split_once("\n  steps:\n").unwrap();
    steps.split("    - name: ").skip(1).map(step).collect()
}

fn step(text: &str) -> Step {
    let mut lines = text.lines().peekable();
    let mut step = Step {
        name: lines.next().unwrap().to_owned(),
        condition: None,
        environment: BTreeMap::new(),
        run: String::new(),
    };
    while let Some(line) = lines.next() {
        let (key, value) = line.trim().split_once(':').unwrap_or((line.trim(), ""));
        match (key, value.trim()) {
            ("env", _) => {
                while let Some(line) = lines.next_if(|it| it.starts_with("        ")) {
                    let (name, value) = line.trim().split_once(": ").unwrap();
                    step.environment.insert(name.to_owned(), value.to_owned());
                }
            }
            ("run", "|") => {
                let lines = lines
                    .by_ref()
                    .map(|it| it.strip_prefix("        ").unwrap_or(it));
                step.run = lines.map(|it| format!("{it}\n")).collect();
            }
            ("run", command) => command.clone_into(&mut step.run),
            ("if", condition) => step.condition = Some(condition.to_owned()),
            ("shell", shell) => assert_eq!(shell, "bash"),
            ("id", _) | ("", _) => {}
            other => panic!("{other:?}"),
        }
    }
    step
}

/// A runner, as far as the steps see it.
struct Runner {
    folder: PathBuf,
    temporary: PathBuf,
    path: String,
    /// What expressions stand for.
    values: BTreeMap<&'static str, String>,
    comments: Comments,
}

impl Runner {
    fn new(folder: &Path) -> Runner {
        let temporary = folder.with_extension("runner");
        let releases = temporary.join("releases/v0.1.0");
        let target = format!("planlens-{}-unknown-linux-musl", std::env::consts::ARCH);
        with_program(&releases.join(&target));
        let archive = format!("{target}.tar.gz");
        let pack = format!("tar -czf {archive} {target} && sha256sum {archive} >{archive}.sha256");
        let output = support::command("sh", &releases)
            .args(["-c", &pack])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", printed(&output));
        let releases = format!("file://{}", temporary.join("releases").display());
        let values = [
            ("${{ inputs.version }}", "0.1.0"),
            (
                "https://github.com/planlens/planlens/releases/download",
                &releases,
            ),
            (
                "${{ inputs.base || github.base_ref && format('origin/{0}', github.base_ref) }}",
                "origin/main",
            ),
            ("${{ inputs.deny }}", ""),
            ("${{ inputs.folders }}", "."),
            ("${{ inputs.token }}", "token"),
            ("${{ github.event.pull_request.number }}", "7"),
            (
                "${{ steps.check.outputs.report }}",
                &format!("{}/planlens-report.json", temporary.display()),
            ),
        ];
        Runner {
            folder: folder.to_owned(),
            temporary,
            path: PATH.to_owned(),
            values: values.map(|(name, value)| (name, value.to_owned())).into(),
            comments: Comments::start(),
        }
    }

    /// Runs a step as a runner does, and answers how it ended.
    fn run(&mut self, step: &Step) -> Output {
        let script = self.temporary.join("script.sh");
        fs::write(&script, &step.run).unwrap();
        let arch = if std::env::consts::ARCH == "aarch64" {
            "ARM64"
        } else {
            "X64"
        };
        let mut command = support::command("bash", &self.folder);
        command
            .args(["--noprofile", "--norc", "-eo", "pipefail"])
            .arg(&script);
        command
            .env("PATH", &self.path)
            .env("RUNNER_TEMP", &self.temporary)
            .env("RUNNER_OS", "Linux")
            .env("RUNNER_ARCH", arch)
            .env("GITHUB_REPOSITORY", "me/shop")
            .env("GITHUB_API_URL", &self.comments.address);
        for name in ["GITHUB_PATH", "GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY"] {
            command.env(name, self.temporary.join(name));
        }
        for (name, value) in &step.environment {
            let value = self.values.get(value.as_str());
            command.env(
                name,
                value.unwrap_or_else(|| panic!("{name} of {}", step.name)),
            );
        }
        let output = command.output().unwrap();
        let added = self.file("GITHUB_PATH");
        let added: String = added.lines().map(|it| format!("{it}:")).collect();
        self.path = format!("{added}{PATH}");
        output
    }

    fn file(&self, name: &str) -> String {
        fs::read_to_string(self.temporary.join(name)).unwrap_or_default()
    }
}

/// The comments of a request, as GitHub's interface has them.
struct Comments {
    address: String,
    /// Those that there are, by their numbers.
    all: Arc<Mutex<Vec<Value>>>,
}

impl Comments {
    fn start() -> Comments {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let comments = Comments {
            address: format!("http://{}", listener.local_addr().unwrap()),
            all: Arc::default(),
        };
        let all = comments.all.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &all);
            }
        });
        comments
    }

    fn bodies(&self) -> Vec<String> {
        let all = self.all.lock().unwrap();
        all.iter()
            .map(|it| it["body"].as_str().unwrap().to_owned())
            .collect()
    }
}

fn answer(mut stream: TcpStream, all: &Mutex<Vec<Value>>) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = Vec::new();
    for line in reader.by_ref().lines() {
        let line = line.unwrap();
        if line.is_empty() {
            break;
        }
        head.push(line);
    }
    let length = head.iter().find_map(|it| {
        it.to_lowercase()
            .strip_prefix("content-length: ")?
            .parse()
            .ok()
    });
    let mut body = vec![0; length.unwrap_or(0)];
    reader.read_exact(&mut body).unwrap();
    let mut all = all.lock().unwrap();
    let mut words = head[0].split(' ');
    let (method, path) = (words.next().unwrap(), words.next().unwrap());
    let sent: Value = serde_json::from_slice(&body).unwrap_or_default();
    let is_allowed = head.iter().any(|it| it == "Authorization: Bearer token");
    let (status, response) = match (method, path) {
        _ if !is_allowed => ("403 Forbidden", json!({})),
        ("GET", "/repos/me/shop/issues/7/comments?per_page=100&page=1") => {
            ("200 OK", json!(&all[..all.len().min(100)]))
        }
        ("GET", "/repos/me/shop/issues/7/comments?per_page=100&page=2") => {
            ("200 OK", json!(&all[all.len().min(100)..]))
        }
        ("POST", "/repos/me/shop/issues/7/comments") => {
            let comment = json!({ "id": all.len() + 1, "body": sent["body"] });
            all.push(comment.clone());
            ("201 Created", comment)
        }
        ("PATCH", path) => {
            let id: usize = path
                .strip_prefix("/repos/me/shop/issues/comments/")
                .unwrap()
                .parse()
                .unwrap();
            all[id - 1]["body"] = sent["body"].clone();
            ("200 OK", all[id - 1].clone())
        }
        _ => ("404 Not Found", json!({})),
    };
    let response = response.to_string();
    let _ = write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{response}",
        response.len()
    );
}

/// The programs of a hosted runner that the steps call, or why the test is skipped.
fn has_programs(test: &str, names: &[&str]) -> bool {
    let missing = names.iter().find(|it| program(it).is_none());
    if let Some(name) = missing {
        skipped(test, &format!("no {name} on the PATH"));
    }
    missing.is_none()
}

#[test]
fn the_steps_of_the_action_check_comment_and_judge() {
    let test = "the_steps_of_the_action_check_comment_and_judge";
    if !has_programs(test, &["bash", "curl", "jq", "git"]) {
        return;
    }
    let folder = request(test);
    let mut runner = Runner::new(&folder);
    let steps = steps();
    let names: Vec<&str> = steps.iter().map(|it| it.name.as_str()).collect();
    assert_eq!(names, ["Install", "Check", "Comment", "Verdict"]);
    let [install, check, comment, verdict] = &steps[..] else {
        unreachable!()
    };
    assert_eq!(
        comment.condition.as_deref(),
        Some("inputs.comment == 'true' && github.event_name == 'pull_request'")
    );

    for step in [install, check, comment] {
        let output = runner.run(step);
        assert!(
            output.status.success(),
            "{}: {}",
            step.name,
            printed(&output)
        );
    }
    assert_eq!(
        runner.file("GITHUB_OUTPUT").trim(),
        format!(
            "report={}",
            runner.values["${{ steps.check.outputs.report }}"]
        )
    );
    let summary = runner.file("GITHUB_STEP_SUMMARY");
    assert!(
        summary.contains("**replace** `terraform_data.a`"),
        "{summary}"
    );
    assert_eq!(runner.comments.bodies(), std::slice::from_ref(&summary));
    let output = runner.run(verdict);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(
        printed(&output)
            .contains("::warning file=shop/main.tf,line=1,title=replace::shop: terraform_data.a"),
        "{}",
        printed(&output)
    );

    // A policy: the comment is written anew, also where many others came between, and the last step fails.
    let others = (0..150).map(|it| json!({ "id": it + 2, "body": "other" }));
    let own = std::mem::take(&mut *runner.comments.all.lock().unwrap());
    let mut moved: Vec<Value> = others.collect();
    moved.extend(own.into_iter().map(|mut it| {
        it["id"] = 151.into();
        it
    }));
    *runner.comments.all.lock().unwrap() = moved;
    runner
        .values
        .insert("${{ inputs.deny }}", "replace,destroy".to_owned());
    for step in [check, comment] {
        let output = runner.run(step);
        assert!(
            output.status.success(),
            "{}: {}",
            step.name,
            printed(&output)
        );
    }
    let bodies = runner.comments.bodies();
    assert_eq!(bodies.len(), 151);
    assert!(bodies[150].contains("**denied**"), "{}", bodies[150]);
    let output = runner.run(verdict);
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    assert!(
        printed(&output).contains("::error file=shop/main.tf,line=1,title=replace is denied::"),
        "{}",
        printed(&output)
    );

    // Without the right to write, the check goes on.
    runner
        .values
        .insert("${{ inputs.token }}", "of a fork".to_owned());
    let output = runner.run(comment);
    assert!(
        output.status.success()
            && printed(&output).contains("::warning::the comment could not be written"),
        "{}",
        printed(&output)
    );

    // A revision that there is not, and an archive that is another.
    runner.values.insert(
        "${{ inputs.base || github.base_ref && format('origin/{0}', github.base_ref) }}",
        "origin/none".to_owned(),
    );
    let output = runner.run(check);
    assert!(
        !output.status.success()
            && printed(&output).contains("git has no revision \"origin/none\" here"),
        "{}",
        printed(&output)
    );
    let archive = format!(
        "releases/v0.1.0/planlens-{}-unknown-linux-musl.tar.gz",
        std::env::consts::ARCH
    );
    write(&runner.temporary, &archive, "another");
    write(&runner.temporary, "GITHUB_PATH", "");
    runner.path = PATH.to_owned();
    let output = runner.run(install);
    assert!(
        !output.status.success() && printed(&output).contains("FAILED"),
        "{}",
        printed(&output)
    );
    assert_eq!(runner.file("GITHUB_PATH"), "");
}

/// What documents say is the version is the one that there is.
#[test]
fn the_version_of_the_action_is_that_of_the_program() {
    let version = env!("CARGO_PKG_VERSION");
    let action = fs::read_to_string(repository().join("action.yml")).unwrap();
    assert!(action.contains(&format!("    default: {version}\n")));
    let document = fs::read_to_string(repository().join("docs/ci.md")).unwrap();
    for line in ["uses: planlens/planlens@v", "rev: v"] {
        assert!(document.contains(&format!("{line}{version}\n")), "{line}");
    }
}

#[test]
fn pre_commit_runs_the_hook() {
    let test = "pre_commit_runs_the_hook";
    let named = std::env::var_os("PLANLENS_TEST_CACHE").map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default());
    let cache = named.unwrap_or_else(|| home().join(".cache/planlens-test"));
    let pre_commit = cache.join("mcp/bin/pre-commit");
    if !pre_commit.exists() {
        return skipped(test, "pre-commit is not installed: tests/run does that");
    }
    let folder = request(test);
    // What a user names by its address.
    let hooks = folder.with_extension("hooks");
    fs::create_dir_all(&hooks).unwrap();
    fs::copy(
        repository().join(".pre-commit-hooks.yaml"),
        hooks.join(".pre-commit-hooks.yaml"),
    )
    .unwrap();
    git(&hooks, &["init", "-q"]);
    git(&hooks, &["add", "-A"]);
    git(&hooks, &["commit", "-qm", "hooks"]);
    git(&hooks, &["tag", concat!("v", env!("CARGO_PKG_VERSION"))]);
    let config = documented("yaml", "repos:").replace(
        "https://github.com/planlens/planlens",
        &hooks.display().to_string(),
    );
    write(&folder, ".pre-commit-config.yaml", &config);
    let bin = with_program(&folder.with_extension("bin"));
    let run = |arguments: &[&str]| {
        let mut command = support::command(&pre_commit, &folder);
        command.env("PATH", format!("{}:{PATH}", bin.display()));
        command.env("PRE_COMMIT_HOME", folder.with_extension("pre-commit"));
        command.args(arguments).output().unwrap()
    };
    git(&folder, &["add", "-A"]);
    let output = run(&["run"]);
    assert!(
        output.status.success() && printed(&output).contains("Skipped"),
        "{}",
        printed(&output)
    );
    // What is staged counts, and not what is only written.
    write(
        &folder,
        "shop/main.tf",
        &BLOCK.replace("\"one\"", "var.nope"),
    );
    git(&folder, &["add", "-A"]);
    write(&folder, "shop/main.tf", BLOCK);
    let output = run(&["run"]);
    assert!(
        printed(&output)
            .contains("shop/main.tf:2:22: error: Reference to undeclared input variable"),
        "{}",
        printed(&output)
    );
    assert_eq!(output.status.code(), Some(1));
    write(&folder, "shop/main.tf", &BLOCK.replace("one", "three"));
    git(&folder, &["add", "-A"]);
    let output = run(&["run", "--verbose"]);
    assert!(output.status.success(), "{}", printed(&output));
    assert!(
        printed(&output).contains("-/+ terraform_data.a"),
        "{}",
        printed(&output)
    );
}

/// A block of docs/ci.md that begins so.
fn documented(language: &str, begin: &str) -> String {
    let document = fs::read_to_string(repository().join("docs/ci.md")).unwrap();
    let open = format!("```{language}\n{begin}");
    let (_, rest) = document.split_once(&open).expect("it is documented");
    format!("{begin}{}", rest.split_once("```").unwrap().0)
}

#[test]
fn the_job_for_gitlab_writes_its_report_and_fails_by_the_policy() {
    let test = "the_job_for_gitlab_writes_its_report_and_fails_by_the_policy";
    if !has_programs(test, &["git"]) {
        return;
    }
    let folder = request(test);
    let bin = with_program(&folder.with_extension("bin"));
    let job = documented("yaml", "planlens:");
    let script = job.lines().skip_while(|it| it.trim() != "script:").skip(1);
    let script: Vec<&str> = script
        .map_while(|it| it.trim().strip_prefix("- "))
        .collect();
    assert!(!script.is_empty());
    let mut command: Command = support::command("sh", &folder);
    let output = command
        .args(["-ec", &script.join("\n")])
        .env("PATH", format!("{}:{PATH}", bin.display()))
        .env("CI_MERGE_REQUEST_TARGET_BRANCH_NAME", "main")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", printed(&output));
    let (_, report) = job.split_once("junit: ").unwrap();
    let report = fs::read_to_string(folder.join(report.split_once(' ').unwrap().0)).unwrap();
    assert!(
        report.contains("failures=\"1\"") && report.contains("DENIED: replace"),
        "{report}"
    );
}
