//! The fault matrix: a fault around planlens - plugins, packages, lock file, state, texts - is reported at the right
//! place, everything that doesn't need the faulty part is planned and completed all the same, and nothing is left behind. The misbehaving
//! provider is the one in `providers/framework`.

mod support;

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::io::Write as _;
use std::net::TcpListener;
use std::os::unix::ffi::OsStringExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::beside::beside;
use support::editor::Editor;
use support::{cache, has_subcommand, planlens, printed, scratch, skipped};
use tempfile::TempDir;

/// The resource at line 7 is the one whose provider misbehaves; `independent` and `dependent` need no plugin.
const MODULE: &str = r#"terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "fragile" {
  name = "fragile"
}

resource "lab6_note" "sibling" {
  text = "on the same provider"
}

resource "terraform_data" "independent" {
  input = "builtin"

}

resource "terraform_data" "dependent" {
  input = lab6_server.fragile.address
}
"#;

const REQUIREMENT: u64 = 2;
const FRAGILE: u64 = 6;
const INDEPENDENT: u64 = 14;
const EMPTY_LINE: u64 = 16;

/// Far more than a slow machine takes to start a plugin and to wait for it, and less than a call may take.
const WAITING: Duration = Duration::from_secs(40);
const REFERENCE: (u64, u64) = (20, "  input = lab6_server.".len() as u64);

/// The part of the plan that stays whatever happens to plugins, and the part where only the fragile resource fails.
const BUILTIN: &[&str] = &["terraform_data.independent"];
const OTHERS: &[&str] = &["terraform_data.independent", "lab6_note.sibling"];
const ALL: &[&str] = &[
    "terraform_data.independent",
    "lab6_note.sibling",
    "lab6_server.fragile",
    "terraform_data.dependent",
];

struct Fault {
    name: &'static str,
    inject: fn(&mut Lab),
    /// Words of one diagnostic, whatever their case. None: planned without an error.
    expected: &'static [&'static str],
    /// Where the editor shows it in `main.tf`: the line, counted from 0.
    line: Option<u64>,
    /// The objects that are created all the same.
    planned: &'static [&'static str],
}

/// A module with its providers installed, whose plugins misbehave as the environment says.
struct Lab {
    module: PathBuf,
    calls: PathBuf,
    /// Where plugins have their sockets.
    temporary: TempDir,
    environment: Vec<(String, String)>,
}

impl Lab {
    fn new(test: &str, cache: &Path) -> Lab {
        let folder = scratch(test);
        let module = folder.join("module");
        fs::create_dir(&module).unwrap();
        fs::write(module.join("main.tf"), MODULE).unwrap();
        support::install_providers(cache, &module);
        let (calls, temporary) = (folder.join("calls"), tempfile::tempdir().unwrap());
        // No mirror: a package that is missing in the module is missing.
        let cli_config = folder.join("terraformrc");
        fs::write(&cli_config, "").unwrap();
        let variable = |name: &str, value: &Path| (name.into(), value.to_string_lossy().into());
        Lab {
            environment: vec![
                variable("TF_CLI_CONFIG_FILE", &cli_config),
                variable("LAB_CALLS", &calls),
                variable("TMPDIR", temporary.path()),
                variable("PLANLENS_CACHE_DIR", &folder.join("cache")),
            ],
            module,
            calls,
            temporary,
        }
    }

    fn set(&mut self, name: &str, value: &str) {
        self.environment.push((name.into(), value.into()));
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.module.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn edit(&self, name: &str, edit: impl FnOnce(String) -> String) {
        let path = self.module.join(name);
        fs::write(&path, edit(fs::read_to_string(&path).unwrap())).unwrap();
    }

    /// The folder in which the package of the provider is, no longer shared with others.
    fn package(&self) -> PathBuf {
        let versions = self
            .module
            .join(".terraform/providers/registry.terraform.io/planlens/lab6/1.0.0");
        let link = fs::read_dir(versions)
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let package = fs::read_link(&link).unwrap();
        fs::remove_file(&link).unwrap();
        support::copy_module(&package, &link);
        link
    }

    /// Puts a shell script in the place of the provider, as a developer's override.
    fn script(&mut self, script: &str) {
        let folder = self.module.with_file_name("override");
        fs::create_dir(&folder).unwrap();
        let executable = folder.join("terraform-provider-lab6");
        fs::write(&executable, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&executable, Permissions::from_mode(0o755)).unwrap();
        let overrides = format!("dev_overrides {{\n \"planlens/lab6\" = {folder:?}\n }}");
        let file = self.module.with_file_name("terraformrc");
        fs::write(
            &file,
            format!("provider_installation {{\n {overrides}\n direct {{}}\n}}\n"),
        )
        .unwrap();
        self.set("TF_CLI_CONFIG_FILE", &file.to_string_lossy());
    }

    fn plan(&self) -> Plan {
        let output = planlens(&self.module)
            .args(["plan", "--json"])
            .arg(&self.module)
            .envs(self.environment.iter().cloned())
            .output()
            .unwrap();
        let Ok(json) = serde_json::from_slice(&output.stdout) else {
            panic!("no JSON document on stdout: {}", printed(&output));
        };
        Plan { json, output }
    }

    /// The calls that the provider has seen: `NAME TYPE`.
    fn calls(&self) -> BTreeSet<String> {
        fs::read_to_string(&self.calls)
            .unwrap_or_default()
            .lines()
            .map(str::to_owned)
            .collect()
    }

    /// Neither a process in the module's folder nor a socket.
    fn nothing_is_left(&self) {
        self.nothing_is_left_after(Duration::from_secs(20));
    }

    fn nothing_is_left_after(&self, limit: Duration) {
        let end = Instant::now() + limit;
        let left = || [self.processes(), self.sockets()].concat();
        while !left().is_empty() {
            assert!(Instant::now() < end, "left behind: {:?}", left());
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Those in the module's folder: plugins, and their children.
    fn processes(&self) -> Vec<PathBuf> {
        let all = fs::read_dir("/proc").into_iter().flatten().flatten();
        let all = all.map(|process| process.path());
        let is_here = |process: &PathBuf| {
            fs::read_link(process.join("cwd")).is_ok_and(|cwd| cwd == self.module)
        };
        all.filter(is_here).collect()
    }

    fn sockets(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.temporary.path()).unwrap().flatten();
        entries.map(|entry| entry.path()).collect()
    }
}

struct Plan {
    json: Value,
    output: Output,
}

impl Plan {
    fn creates(&self, address: &str) -> bool {
        let changes = self.json["resource_changes"].as_array();
        changes.into_iter().flatten().any(|change| {
            change["address"] == address && change["change"]["actions"][0] == "create"
        })
    }

    fn errors(&self) -> impl Iterator<Item = &Value> {
        let all = self.json["diagnostics"].as_array();
        let is_error = |each: &&Value| each["severity"] == "error";
        all.into_iter().flatten().filter(is_error)
    }
}

fn has_words(text: &str, words: &[&str]) -> bool {
    let text = text.to_lowercase();
    words.iter().all(|word| text.contains(&word.to_lowercase()))
}

/// Runs each fault through a plan, the doctor and an editor, and says which hold. Most of the time is waiting, so several
/// run at once, each with its own lab.
fn run(test: &str, faults: &[Fault]) {
    const AT_ONCE: usize = 4;
    const WAYS: [(&str, Way); 3] = [
        ("plan", |fault, lab| {
            plans(fault, lab);
            None
        }),
        ("doctor", |fault, lab| {
            diagnoses(fault, lab);
            None
        }),
        ("editor", |fault, lab| Some(edits(fault, lab))),
    ];
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let jobs = faults.iter().flat_map(|fault| WAYS.map(|way| (fault, way)));
    let jobs = Mutex::new(jobs);
    let (failed, report) = (Mutex::new(Vec::new()), Mutex::new(String::new()));
    let work = || {
        while let Some((fault, (way, try_it))) = { jobs.lock().unwrap().next() } {
            let name = format!("{} {way}", fault.name);
            let mut lab = Lab::new(&format!("{test}-{}", name.replace(' ', "_")), &cache);
            (fault.inject)(&mut lab);
            let begin = Instant::now();
            let outcome = std::panic::catch_unwind(|| try_it(fault, &lab));
            let seconds = begin.elapsed().as_secs_f32();
            let peak = match outcome {
                Ok(peak) => peak.map_or(String::new(), |peak| format!(", {peak} MiB")),
                Err(_) => {
                    failed.lock().unwrap().push(name);
                    continue;
                }
            };
            *report.lock().unwrap() += &format!("{name}: {seconds:.1} s{peak}\n");
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(work);
        }
    });
    let (failed, mut report) = (failed.into_inner().unwrap(), report.into_inner().unwrap());
    let count = faults.len() * WAYS.len();
    report.push_str(&format!("{test}: {} of {count}\n", count - failed.len()));
    let _ = std::io::stdout().write_all(report.as_bytes());
    assert!(failed.is_empty(), "{failed:#?}");
}

/// Tries one fault, and answers with the peak of memory where that is measured.
type Way = fn(&Fault, &Lab) -> Option<u64>;

/// The doctor is never greener than the plan.
fn diagnoses(fault: &Fault, lab: &Lab) {
    let beside = beside(&lab.module, &lab.environment, &[]);
    assert_eq!(
        beside.is_planned,
        fault.expected.is_empty(),
        "{}",
        fault.name
    );
    assert_eq!(beside.greener, None, "{}", fault.name);
    lab.nothing_is_left();
}

/// The command says it, and plans the rest.
fn plans(fault: &Fault, lab: &Lab) {
    let plan = lab.plan();
    let reported = format!(
        "{}\n{}",
        plan.json["diagnostics"],
        String::from_utf8_lossy(&plan.output.stderr)
    );
    let code = if fault.expected.is_empty() { 0 } else { 1 };
    assert_eq!(
        plan.output.status.code(),
        Some(code),
        "{}: {reported}",
        fault.name
    );
    assert!(!reported.contains("panicked"), "{}: {reported}", fault.name);
    for address in fault.planned {
        assert!(
            plan.creates(address),
            "{}: {address}: {reported}",
            fault.name
        );
    }
    if !fault.expected.is_empty() {
        let expected = |error: &Value| {
            let text = format!(
                "{} {} {}",
                error["summary"], error["detail"], error["range"]
            );
            has_words(&text, fault.expected)
        };
        assert!(plan.errors().any(expected), "{}: {reported}", fault.name);
    }
    lab.nothing_is_left();
}

/// The editor gets the error, completes the healthy text, and ends in order. Answers the most memory that the server held, in
/// MiB.
fn edits(fault: &Fault, lab: &Lab) -> u64 {
    let variables: Vec<(&str, PathBuf)> = lab
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.into()))
        .collect();
    let log = lab.module.with_file_name("log");
    let mut editor = Editor::start_logging("warn", &lab.module, &variables, &log);
    completes(&mut editor, fault);
    if !fault.expected.is_empty() {
        while !editor.said.iter().any(|message| reports(message, fault)) {
            editor.next();
        }
        completes(&mut editor, fault);
    }
    let peak = editor.peak_memory().unwrap_or_default() / (1024 * 1024);
    editor.stop();
    let log = fs::read_to_string(log).unwrap_or_default();
    assert!(!log.contains("panicked"), "{}: {log}", fault.name);
    lab.nothing_is_left();
    peak
}

/// Each answer comes at once. An answer while the module is still read may hold less.
fn completes(editor: &mut Editor, fault: &Fault) {
    for ((line, character), label) in [
        ((EMPTY_LINE, 0), "triggers_replace"),
        (REFERENCE, "fragile"),
    ] {
        let end = Instant::now() + Duration::from_secs(60);
        loop {
            let place = json!({
                "textDocument": { "uri": editor.uri },
                "position": { "line": line, "character": character },
            });
            let id = editor.request("textDocument/completion", place);
            let (answer, _) = editor.answer(id);
            let items = answer["items"].as_array().or(answer.as_array());
            if items
                .into_iter()
                .flatten()
                .any(|item| item["label"] == label)
            {
                break;
            }
            assert!(
                Instant::now() < end,
                "{}: no {label} in {answer}",
                fault.name
            );
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

fn reports(message: &Value, fault: &Fault) -> bool {
    let diagnostics = message["params"]["diagnostics"].as_array();
    diagnostics.into_iter().flatten().any(|diagnostic| {
        let line = diagnostic["range"]["start"]["line"].as_u64();
        has_words(&diagnostic["message"].to_string(), fault.expected)
            && fault.line.is_none_or(|wanted| line == Some(wanted))
    })
}

/// A plugin that starts, and then does something else than to answer.
#[test]
fn plugins_that_misbehave() {
    fn crash(lab: &mut Lab) {
        lab.set("LAB_CRASH", "lab6_server");
    }
    fn garbage(lab: &mut Lab) {
        lab.set("LAB_GARBAGE", "lab6_server");
    }
    fn huge(lab: &mut Lab) {
        lab.set("LAB_HUGE", "lab6_server");
    }
    fn grow(lab: &mut Lab) {
        // It is ended when it holds four times as much.
        lab.set("PLANLENS_PLUGIN_MEMORY", "60");
        lab.set("LAB_GROW", "lab6_server");
    }
    fn flood(lab: &mut Lab) {
        lab.set("LAB_FLOOD", "5000000");
    }
    fn slow(lab: &mut Lab) {
        lab.set("LAB_SLOW_PLAN", "300ms");
    }
    fn slow_configure(lab: &mut Lab) {
        lab.set("LAB_SLOW_CONFIGURE", "2s");
    }
    fn other_schema(lab: &mut Lab) {
        let random = lab
            .module
            .join(".terraform/providers/registry.terraform.io/hashicorp/random");
        lab.script(&format!(
            "exec $(find -L {} -type f -name 'terraform-provider-random*')",
            random.display()
        ));
    }
    run(
        "plugins_that_misbehave",
        &[
            Fault {
                name: "dies in a plan",
                inject: crash,
                expected: &["planlens/lab6", "stopped"],
                line: Some(FRAGILE),
                planned: OTHERS,
            },
            Fault {
                name: "answers with what is no value",
                inject: garbage,
                expected: &["an unreadable answer"],
                line: Some(FRAGILE),
                planned: OTHERS,
            },
            Fault {
                name: "answers with a list of 4 billion elements",
                inject: huge,
                expected: &["an unreadable answer"],
                line: Some(FRAGILE),
                planned: OTHERS,
            },
            Fault {
                name: "takes memory without an end",
                inject: grow,
                expected: &["planlens/lab6", "as it held more than"],
                line: Some(FRAGILE),
                planned: OTHERS,
            },
            Fault {
                name: "floods its log",
                inject: flood,
                expected: &[],
                line: None,
                planned: ALL,
            },
            Fault {
                name: "is slow to plan",
                inject: slow,
                expected: &[],
                line: None,
                planned: ALL,
            },
            Fault {
                name: "is slow to be configured",
                inject: slow_configure,
                expected: &[],
                line: None,
                planned: ALL,
            },
            Fault {
                name: "is another provider",
                inject: other_schema,
                expected: &["lab6_server"],
                line: Some(FRAGILE),
                planned: BUILTIN,
            },
        ],
    );
}

/// Each is waited for as long as a plugin is.
#[test]
fn a_plugin_that_hangs() {
    fn hang(lab: &mut Lab) {
        lab.set("LAB_HANG", "lab6_server");
    }
    run(
        "a_plugin_that_hangs",
        &[Fault {
            name: "in a plan",
            inject: hang,
            expected: &["planlens/lab6", "did not answer"],
            line: Some(FRAGILE),
            planned: OTHERS,
        }],
    );
}

/// In a module that was never planned, and in one that was.
#[test]
fn a_block_names_the_provider_that_it_waits_for_and_the_rest_is_shown() {
    let test = "a_block_names_the_provider_that_it_waits_for_and_the_rest_is_shown";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let mut lab = Lab::new(test, &cache);
    lab.set("LAB_HANG", "lab6_server");
    let environment: Vec<(&str, PathBuf)> = lab
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.into()))
        .collect();
    let log = lab.module.with_file_name("server.log");
    let mut editor = Editor::start(&lab.module, &environment, &log);
    for text in ["one", "two"] {
        let begin = Instant::now();
        loop {
            let document = json!({ "textDocument": { "uri": editor.uri } });
            let id = editor.request("textDocument/codeLens", document);
            let (lenses, _) = editor.answer(id);
            let title = |line: u64| {
                let lenses = lenses.as_array().into_iter().flatten();
                let mut above = lenses.filter(|it| it["range"]["start"]["line"] == line);
                let first = above.next().map(|it| it["command"]["title"].to_string());
                first.unwrap_or_default()
            };
            let is_waiting = title(FRAGILE).contains("waiting for planlens/lab6");
            if is_waiting && title(INDEPENDENT).contains("+ create") {
                break;
            }
            // The call itself has a minute.
            assert!(begin.elapsed() < WAITING, "{text}: {lenses}");
            std::thread::sleep(Duration::from_millis(20));
        }
        editor.replace(
            EMPTY_LINE as usize,
            0..0,
            &format!("  triggers_replace = \"{text}\""),
        );
    }
    editor.stop();
}

/// The resource at line 6 crashes its provider where that is not configured.
const CLOUD: &str = r#"terraform {
  required_providers {
    lab6 = { source = "planlens/lab6" }
  }
}

resource "lab6_server" "fragile" {
  name = "fragile"
}

resource "lab6_note" "several" {
  count = length(local.zones)
  text  = upper("note")
}

resource "lab6_note" "other" {
  text = "other"
}

locals {
  zones = ["a", "b"]

}
"#;

const SEVERAL: u64 = 10;
const COUNT: usize = 11;
const OTHER: u64 = 15;
const EMPTY_LOCAL: usize = 21;

fn cloud(test: &str, cache: &Path) -> Lab {
    let mut lab = Lab::new(test, cache);
    lab.write("main.tf", CLOUD);
    lab.set("LAB_META", "lab6_server");
    lab
}

fn editor_of(lab: &Lab) -> Editor {
    let environment = lab.environment.iter();
    let environment: Vec<(&str, PathBuf)> = environment
        .map(|(name, value)| (name.as_str(), value.into()))
        .collect();
    let log = lab.module.with_file_name("server.log");
    Editor::start(&lab.module, &environment, &log)
}

/// The title of the lens at a line, once it is `wanted`.
fn wait_for_lens(editor: &mut Editor, line: u64, wanted: &str) {
    let begin = Instant::now();
    loop {
        let document = json!({ "textDocument": { "uri": editor.uri } });
        let id = editor.request("textDocument/codeLens", document);
        let (lenses, _) = editor.answer(id);
        let mut above = lenses.as_array().into_iter().flatten();
        let lens = above.find(|it| it["range"]["start"]["line"] == line);
        if lens.is_some_and(|it| it["command"]["title"] == wanted) {
            return;
        }
        assert!(begin.elapsed() < WAITING, "{wanted} at {line}: {lenses}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn count_of(lab: &Lab, call: &str) -> usize {
    let calls = fs::read_to_string(&lab.calls).unwrap_or_default();
    calls.lines().filter(|line| *line == call).count()
}

#[test]
fn a_provider_that_refuses_its_configuration_is_planned_without_it() {
    let test = "a_provider_that_refuses_its_configuration_is_planned_without_it";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let mut lab = cloud(test, &cache);
    // Without a region it doesn't get as far as the token service.
    lab.set("LAB_TOKENS", "127.0.0.1:9");
    let mut editor = editor_of(&lab);
    wait_for_lens(&mut editor, SEVERAL, "? + create · 2 instances");
    wait_for_lens(&mut editor, OTHER, "? + create");
    let needs = "? provider planlens/lab6 must be configured before it can plan this resource";
    wait_for_lens(&mut editor, FRAGILE, needs);
    for round in 0..6 {
        let text = format!("round{round}");
        editor.type_name(OTHER as usize + 1, &text);
        editor.wait_for_plan();
        let params = json!({ "textDocument": { "uri": editor.uri } });
        fs::write(lab.module.join("main.tf"), &editor.text).unwrap();
        editor.notify("textDocument/didSave", params);
        editor.wait_for_plan();
    }
    wait_for_lens(&mut editor, FRAGILE, needs);
    let reported = editor.last_diagnostics();
    let lines_of = |words: &[&str]| -> Vec<u64> {
        let reported = reported
            .iter()
            .filter(|it| has_words(&it["message"].to_string(), words));
        reported
            .map(|it| it["range"]["start"]["line"].as_u64().unwrap())
            .collect()
    };
    assert_eq!(lines_of(&["missing region"]).len(), 1, "{reported:#?}");
    for label in [
        "planned without its provider's configuration",
        "must be configured before",
    ] {
        assert_eq!(lines_of(&[label]), [REQUIREMENT], "{reported:#?}");
    }
    let errors = reported.iter().filter(|it| it["severity"] == 1);
    assert_eq!(errors.count(), 1, "{reported:#?}");
    // Neither edits nor saves asked again, and the type that crashes is left alone.
    assert_eq!(count_of(&lab, "ConfigureProvider"), 1);
    let crashes = count_of(&lab, "PlanResourceChange lab6_server");
    assert!(crashes <= 6, "{crashes}");
    let replan = json!({ "command": "planlens.replan", "arguments": [] });
    let id = editor.request("workspace/executeCommand", replan);
    editor.answer(id);
    let begin = Instant::now();
    while count_of(&lab, "ConfigureProvider") < 2 {
        assert!(begin.elapsed() < WAITING, "a command does not try again");
        editor.wait_for_plan();
    }
    editor.stop();
    lab.nothing_is_left();
}

/// The real one asks who the owner is when it is configured. Without that, one of its types crashes it.
#[test]
fn a_real_provider_without_credentials_is_planned_in_part() {
    let test = "a_real_provider_without_credentials_is_planned_in_part";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let lab = Lab::new(test, &cache);
    lab.write(
        "main.tf",
        r#"terraform {
  required_providers {
    github = { source = "integrations/github" }
  }
}

provider "github" {
  owner    = "acme"
  token    = "none"
  base_url = "http://127.0.0.1:9/"
}

resource "github_repository" "site" {
  name = "site"
}

resource "github_repository_collaborators" "site" {
  repository = "site"
  user {
    username = "someone"
  }
}
"#,
    );
    let mut editor = editor_of(&lab);
    wait_for_lens(&mut editor, 12, "? + create");
    let needs =
        "? provider integrations/github must be configured before it can plan this resource";
    wait_for_lens(&mut editor, 16, needs);
    for round in 0..6 {
        editor.type_name(13, &format!("site{round}"));
        editor.wait_for_plan();
    }
    wait_for_lens(&mut editor, 12, "? + create");
    wait_for_lens(&mut editor, 16, needs);
    let reported = editor.last_diagnostics();
    let errors = reported.iter().filter(|it| it["severity"] == 1);
    // That of the provider itself.
    let lines = errors.map(|it| it["range"]["start"]["line"].as_u64().unwrap());
    assert_eq!(lines.collect::<Vec<_>>(), [6], "{reported:#?}");
    editor.stop();
    lab.nothing_is_left();
}

/// Logging in takes 20 s at a service that never answers.
#[test]
fn values_are_shown_while_a_provider_logs_in() {
    let test = "values_are_shown_while_a_provider_logs_in";
    let cache = match cache() {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let mut lab = cloud(test, &cache);
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    lab.set("LAB_TOKENS", &silent.local_addr().unwrap().to_string());
    lab.set("LAB_REGION", "eu-west-1");
    let begin = Instant::now();
    let mut editor = editor_of(&lab);
    editor.wait_for_value(COUNT, "= 2");
    let first = begin.elapsed();
    assert!(first < Duration::from_secs(2), "{first:?}");
    editor.wait_for_value(COUNT + 1, "NOTE");
    wait_for_lens(&mut editor, SEVERAL, "? waiting for planlens/lab6");
    for zones in [r#""c""#, r#""d""#] {
        let end = editor.text.lines().nth(EMPTY_LOCAL - 1).unwrap().len();
        editor.replace(EMPTY_LOCAL - 1, end - 1..end - 1, &format!(", {zones}"));
        let params = json!({ "textDocument": { "uri": editor.uri } });
        fs::write(lab.module.join("main.tf"), &editor.text).unwrap();
        editor.notify("textDocument/didSave", params);
    }
    editor.wait_for_value(COUNT, "= 4");
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "not while it logs in"
    );
    wait_for_lens(&mut editor, SEVERAL, "? + create · 4 instances");
    editor.wait_for_plan();
    assert_eq!(count_of(&lab, "ConfigureProvider"), 1);
    let reported = editor.last_diagnostics();
    let is_refusal = |it: &&Value| has_words(&it["message"].to_string(), &["no valid credential"]);
    assert_eq!(
        reported.iter().filter(is_refusal).count(),
        1,
        "{reported:#?}"
    );
    editor.stop();
    lab.nothing_is_left();
}

#[test]
fn a_silent_plugin() {
    fn silent(lab: &mut Lab) {
        lab.script("trap '' TERM; while true; do sleep 1; done");
    }
    run(
        "a_silent_plugin",
        &[Fault {
            name: "and refuses to end",
            inject: silent,
            expected: &["planlens/lab6", "did not start"],
            line: Some(REQUIREMENT),
            planned: BUILTIN,
        }],
    );
}

/// Programs in the place of a plugin.
#[test]
fn plugins_that_do_not_start() {
    const STARTS_NOT: &[&str] = &["planlens/lab6", "did not start"];
    const fn fault(name: &'static str, inject: fn(&mut Lab)) -> Fault {
        Fault {
            name,
            inject,
            expected: STARTS_NOT,
            line: Some(REQUIREMENT),
            planned: BUILTIN,
        }
    }
    run(
        "plugins_that_do_not_start",
        &[
            fault("ends at once", |lab| lab.script("exit 3")),
            fault("prints how to use it", |lab| {
                lab.script("echo Usage: strange")
            }),
            fault("holds too much memory", |lab| {
                lab.set("PLANLENS_PLUGIN_MEMORY", "1");
            }),
            fault("dies of a signal", |lab| lab.script("kill -9 $$")),
            fault("speaks net/rpc", |lab| {
                lab.script("echo '1|4|unix|/x|netrpc|'; sleep 60")
            }),
            fault("speaks a later protocol", |lab| {
                lab.script("echo '1|7|unix|/x|grpc|'; sleep 60")
            }),
            fault("listens on the network", |lab| {
                lab.script("echo '1|5|tcp|127.0.0.1:1|grpc|'; sleep 60")
            }),
            fault("names a socket that is none", |lab| {
                lab.script("echo '1|5|unix|/nowhere|grpc|'; sleep 60")
            }),
            fault("ends after its handshake", |lab| {
                lab.script("echo '1|5|unix|/nowhere|grpc|'")
            }),
            fault("prints without an end", |lab| {
                lab.script("yes | tr -d '\\n'")
            }),
            fault("is no program", |lab| {
                lab.script("");
                let executable = lab
                    .module
                    .with_file_name("override/terraform-provider-lab6");
                fs::write(executable, [0x7f, b'E', b'L', b'F', 0, 0]).unwrap();
            }),
        ],
    );
}

/// Spoilt files of `terraform init`: no plugin starts that isn't the one of the lock file.
#[test]
fn packages_and_lock_files() {
    const LOCK: &str = ".terraform.lock.hcl";
    fn changed_hash(lab: &mut Lab) {
        lab.edit(LOCK, |text| {
            let begin = text.find("h1:").unwrap() + "h1:".len();
            text.replace(&text[begin..begin + 8], "AAAAAAAA")
        });
    }
    fn changed_package(lab: &mut Lab) {
        fs::write(lab.package().join("README.md"), "another file").unwrap();
    }
    fn without_executable(lab: &mut Lab) {
        let package = lab.package();
        fs::remove_dir_all(&package).unwrap();
        fs::create_dir(package).unwrap();
    }
    fn without_install(lab: &mut Lab) {
        fs::remove_dir_all(lab.module.join(".terraform")).unwrap();
    }
    fn before_init(lab: &mut Lab) {
        without_install(lab);
        fs::remove_file(lab.module.join(LOCK)).unwrap();
    }
    fn without_lock(lab: &mut Lab) {
        fs::remove_file(lab.module.join(LOCK)).unwrap();
    }
    fn conflict(lab: &mut Lab) {
        lab.edit(LOCK, |text| {
            format!("<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
        });
    }
    fn truncated(lab: &mut Lab) {
        lab.edit(LOCK, |text| text[..40].to_owned());
    }
    fn only_archives(lab: &mut Lab) {
        lab.edit(LOCK, |text| text.replace("h1:", "zh:"));
    }
    const fn fault(
        name: &'static str,
        inject: fn(&mut Lab),
        expected: &'static [&'static str],
    ) -> Fault {
        Fault {
            name,
            inject,
            expected,
            line: Some(REQUIREMENT),
            planned: BUILTIN,
        }
    }
    run(
        "packages_and_lock_files",
        &[
            fault("another hash", changed_hash, &["planlens/lab6", "lock"]),
            fault(
                "a changed package",
                changed_package,
                &["planlens/lab6", "lock"],
            ),
            fault(
                "a package without its program",
                without_executable,
                &["planlens/lab6"],
            ),
            fault("no packages", without_install, &["planlens/lab6", "init"]),
            fault("neither", before_init, &["planlens/lab6", "init"]),
            fault("no lock file", without_lock, &["planlens/lab6", "init"]),
            fault("conflict markers", conflict, &["lock"]),
            fault("a truncated lock file", truncated, &["planlens/lab6"]),
            fault(
                "only hashes of archives",
                only_archives,
                &["planlens/lab6", "init"],
            ),
        ],
    );
}

/// State files and other files under `.terraform`: nothing is claimed to be created because the state can't be read.
#[test]
fn states() {
    fn written(lab: &Lab, edit: impl FnOnce(&str) -> Vec<u8>) {
        let state = support::repository().join("tests/workspaces/no-op/terraform.tfstate");
        lab.write(
            "terraform.tfstate",
            edit(&fs::read_to_string(state).unwrap()),
        );
    }
    const fn fault(name: &'static str, inject: fn(&mut Lab)) -> Fault {
        Fault {
            name,
            inject,
            expected: &["state"],
            line: None,
            planned: &[],
        }
    }
    run(
        "states",
        &[
            fault("truncated", |lab| {
                written(lab, |text| text[..text.len() / 2].into())
            }),
            fault("of a later version", |lab| {
                written(lab, |text| {
                    text.replacen("\"version\": 4", "\"version\": 5", 1).into()
                })
            }),
            fault("no JSON", |lab| {
                lab.write("terraform.tfstate", "resource \"x\" \"y\" {}")
            }),
            fault("bytes", |lab| {
                lab.write("terraform.tfstate", [0, 0xff, 0xfe, 0xc1])
            }),
            fault("another document", |lab| {
                lab.write("terraform.tfstate", "[1, 2]")
            }),
            fault("a folder", |lab| {
                fs::create_dir(lab.module.join("terraform.tfstate")).unwrap()
            }),
            Fault {
                name: "empty",
                inject: |lab| lab.write("terraform.tfstate", ""),
                expected: &[],
                line: None,
                planned: ALL,
            },
        ],
    );
}

/// Texts that nobody writes, beside one that is healthy.
#[test]
fn texts() {
    const fn fault(
        name: &'static str,
        inject: fn(&mut Lab),
        expected: &'static [&'static str],
    ) -> Fault {
        Fault {
            name,
            inject,
            expected,
            line: None,
            planned: BUILTIN,
        }
    }
    const fn fine(name: &'static str, inject: fn(&mut Lab)) -> Fault {
        Fault {
            name,
            inject,
            expected: &[],
            line: None,
            planned: ALL,
        }
    }
    run(
        "texts",
        &[
            fault(
                "not UTF-8",
                |lab| lab.write("odd.tf", b"locals {\n  a = \"\xff\xfe\"\n}\n"),
                &["UTF-8"],
            ),
            fault(
                "NUL",
                |lab| lab.write("odd.tf", "locals {\n  a = \0\n}\n"),
                &["character"],
            ),
            fine("byte order mark and CRLF", |lab| {
                lab.write("odd.tf", "\u{feff}locals {\r\n  a = 1\r\n}\r\n")
            }),
            fine("10 MB of blocks", |lab| {
                let block = |n| format!("locals {{\n  a{n} = \"{}\"\n}}\n", "x".repeat(1000));
                lab.write("odd.tf", (0..10_000).map(block).collect::<String>());
            }),
            fine("one string of 10 MB", |lab| {
                lab.write(
                    "odd.tf",
                    format!("locals {{\n  a = \"{}\"\n}}\n", "x".repeat(10_000_000)),
                )
            }),
            fault(
                "10,000 lists in each other",
                |lab| {
                    lab.write(
                        "odd.tf",
                        format!(
                            "locals {{\n  a = {}1{}\n}}\n",
                            "[".repeat(10_000),
                            "]".repeat(10_000)
                        ),
                    );
                },
                &["nest"],
            ),
            fault(
                "1,000 blocks in each other",
                |lab| {
                    let line = |depth: usize, text| format!("{}{text}\n", " ".repeat(depth));
                    let open = (0..1000).map(|depth| line(depth, "a {"));
                    let close = (0..1000).rev().map(|depth| line(depth, "}"));
                    lab.write("odd.tf", open.chain(close).collect::<String>());
                },
                &["nest"],
            ),
            fault(
                "10,000 blocks in each other",
                |lab| {
                    let text = format!("{}{}", "a {\n".repeat(10_000), "}\n".repeat(10_000));
                    lab.write("odd.tf", text);
                },
                &["nest"],
            ),
            fault(
                "10,000 arrays of JSON in each other",
                |lab| {
                    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
                    let text = format!("{{\"locals\": {{\"a\": {open}{close}}}}}");
                    lab.write("odd.tf.json", text);
                },
                &["nest"],
            ),
            fine("a list of 1,000,000", |lab| {
                lab.write(
                    "odd.tf",
                    format!("locals {{\n  a = [{}]\n}}\n", "1, ".repeat(1_000_000)),
                )
            }),
            fault(
                "a cycle of local values",
                |lab| lab.write("odd.tf", "locals {\n  a = local.b\n  b = local.a\n}\n"),
                &["cycle"],
            ),
            fault(
                "a cycle of modules",
                |lab| lab.write("odd.tf", "module \"self\" {\n  source = \"./\"\n}\n"),
                &["module"],
            ),
            fault(
                "unclosed",
                |lab| {
                    lab.write(
                        "odd.tf",
                        "resource \"terraform_data\" \"x\" {\n  input = <<EOT\n",
                    )
                },
                &["closing marker"],
            ),
            fine("a folder that holds itself", |lab| {
                symlink(&lab.module, lab.module.join("self")).unwrap()
            }),
            fault(
                "a link to itself",
                |lab| symlink("odd.tf", lab.module.join("odd.tf")).unwrap(),
                &["odd.tf"],
            ),
            fine("a folder named like a file", |lab| {
                fs::create_dir(lab.module.join("odd.tf")).unwrap()
            }),
            fault(
                "a pipe",
                |lab| {
                    let status = Command::new("mkfifo")
                        .arg(lab.module.join("odd.tf"))
                        .status();
                    assert!(status.unwrap().success());
                },
                &["odd.tf"],
            ),
            fault(
                "variables that are no HCL",
                |lab| lab.write("terraform.tfvars", "a = = 1\n"),
                &["expression"],
            ),
            fault(
                "a list of modules that is no JSON",
                |lab| {
                    lab.write(".terraform/modules/modules.json", "{ half");
                    lab.write(
                        "odd.tf",
                        "module \"m\" {\n  source = \"example/m/lab\"\n}\n",
                    );
                },
                &["module", "init"],
            ),
        ],
    );
}

#[test]
fn planning_asks_a_provider_for_nothing_that_touches_the_world() {
    let test = "planning_asks_a_provider_for_nothing_that_touches_the_world";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let lab = Lab::new(test, &cache);
    let workspace = support::repository().join("tests/workspaces/replacement");
    fs::remove_file(lab.module.join("main.tf")).unwrap();
    support::copy_module(&workspace, &lab.module);
    let plan = lab.plan();
    assert!(plan.output.status.success(), "{}", printed(&plan.output));
    let calls = lab.calls();
    let names: BTreeSet<&str> = calls
        .iter()
        .filter_map(|call| call.split(' ').next())
        .collect();
    assert!(names.contains("PlanResourceChange"), "{names:?}");
    let harmless = [
        "ConfigureProvider",
        "GetProviderSchema",
        "PlanResourceChange",
        "UpgradeResourceState",
        "ValidateResourceConfig",
    ];
    let others: Vec<_> = names
        .iter()
        .filter(|name| !harmless.contains(name))
        .collect();
    assert!(others.is_empty(), "{others:?}");
}

/// Folders for temporary files in which a plugin can't listen.
#[test]
fn temporary_folders() {
    fn named(lab: &mut Lab, folder: &Path) {
        lab.set("TMPDIR", &folder.to_string_lossy());
    }
    const fn fault(
        name: &'static str,
        inject: fn(&mut Lab),
        expected: &'static [&'static str],
    ) -> Fault {
        Fault {
            name,
            inject,
            expected,
            line: Some(REQUIREMENT),
            planned: BUILTIN,
        }
    }
    run(
        "temporary_folders",
        &[
            fault(
                "a relative path",
                |lab| named(lab, Path::new("temporary")),
                &["planlens/lab6", "TMPDIR is not an absolute path"],
            ),
            fault(
                "a path that is too long for a socket",
                |lab| {
                    let folder = lab.module.with_file_name("x".repeat(100));
                    fs::create_dir(&folder).unwrap();
                    named(lab, &folder);
                },
                &["planlens/lab6", "TMPDIR is too long"],
            ),
            fault(
                "nothing",
                |lab| named(lab, Path::new("/nowhere")),
                &["planlens/lab6", "in /nowhere (TMPDIR)", "No such file"],
            ),
            fault(
                "a file",
                |lab| {
                    let file = lab.module.join("main.tf");
                    named(lab, &file);
                },
                &["planlens/lab6", "(TMPDIR)", "Not a directory"],
            ),
        ],
    );
}

/// The plugin writes into a file whose name a variable gives it.
#[test]
fn variables_that_are_not_utf_8_reach_plugins_as_they_are() {
    let test = "variables_that_are_not_utf_8_reach_plugins_as_they_are";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let lab = Lab::new(test, &cache);
    lab.edit("main.tf", |text| {
        text.replace("\"on the same provider\"", "var.text")
            + "variable \"text\" {\n  type = string\n}\n"
    });
    let odd = |text: &str| OsString::from_vec([text.as_bytes(), b"\xff"].concat());
    let calls = lab.module.with_file_name(odd("calls"));
    let variables = [
        ("LAB_CALLS", calls.clone()),
        ("SOME_TOKEN", odd("secret").into()),
        ("TF_VAR_text", odd("text").into()),
    ];
    let output = planlens(&lab.module)
        .args(["plan", "-json"])
        .envs(lab.environment.iter().cloned())
        .envs(variables.clone())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", printed(&output));
    // As terraform prints it.
    assert!(printed(&output).contains("text\u{fffd}"));
    assert!(!printed(&output).contains("secret"), "{}", printed(&output));
    assert!(calls.exists());
    fs::remove_file(&calls).unwrap();
    let mut environment: Vec<(&str, PathBuf)> = lab
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.into()))
        .collect();
    environment.extend(variables);
    let log = lab.module.with_file_name("log");
    let mut editor = Editor::start(&lab.module, &environment, &log);
    editor.wait_for_plan();
    assert!(calls.exists());
    editor.stop();
    assert!(!fs::read_to_string(log).unwrap().contains("secret"));
}

#[test]
fn limits_of_the_system_that_are_too_low_are_named() {
    let folder = scratch("limits_of_the_system_that_are_too_low_are_named");
    let planlens = env!("CARGO_BIN_EXE_planlens");
    for (limit, command, reported) in [
        (
            "-v 130000",
            "plan",
            "the address space is limited to 126 MiB (ulimit -v)",
        ),
        (
            "-v 300000",
            "lsp",
            "the address space is limited to 292 MiB (ulimit -v)",
        ),
        ("-n 12", "plan", "open files are limited to 12 (ulimit -n)"),
        ("-n 12", "lsp", "open files are limited to 12 (ulimit -n)"),
    ] {
        let script = format!("ulimit {limit}; exec {planlens} {command}");
        let mut shell = support::command("sh", &folder);
        let output = shell.args(["-c", &script]).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{limit} {command}");
        let printed = printed(&output);
        assert!(printed.contains(reported), "{limit} {command}: {printed}");
    }
}

/// Within this, nothing may be left of plugins.
const END: Duration = Duration::from_secs(3);

/// Sends a signal to a process; to a group of processes, where the id is negative.
fn kill(signal: &str, process: i64) {
    let status = Command::new("kill")
        .args(["-s", signal, "--", &process.to_string()])
        .status();
    assert!(status.unwrap().success(), "{signal} {process}");
}

/// A server that has started a plugin which doesn't end with its parent, and which has started others.
fn server_with_children(lab: &mut Lab) -> (Editor, PathBuf) {
    lab.set("LAB_STAYS", "1");
    lab.set("LAB_FORKS", "1");
    let variables: Vec<(&str, PathBuf)> = lab
        .environment
        .iter()
        .map(|(name, value)| (name.as_str(), value.into()))
        .collect();
    let log = lab.module.with_file_name("log");
    let mut editor = Editor::start_logging("info", &lab.module, &variables, &log);
    editor.wait_for_plan();
    // The server itself is in the folder, as is its parent.
    let others = 2;
    assert!(lab.processes().len() >= others + editor.plugin_ids().len() + 5);
    assert_eq!(lab.sockets().len(), editor.plugin_ids().len());
    assert_eq!(editor.watcher_ids().len(), 1);
    (editor, log)
}

/// In each way that a server can end, plugins end with their children, and with their watcher.
#[test]
fn plugins_and_their_children_end_with_the_server() {
    let test = "plugins_and_their_children_end_with_the_server";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    let signal = |editor: &Editor, signal| kill(signal, editor.server_id().unwrap().into());
    type Leave<'a> = &'a dyn Fn(&mut Editor);
    let ways: [(&str, bool, Leave); 8] = [
        ("shutdown and exit", true, &|editor| {
            editor.ask("shutdown", Value::Null);
            editor.notify("exit", Value::Null);
        }),
        ("shutdown alone", true, &|editor| {
            editor.ask("shutdown", Value::Null);
            editor.close();
        }),
        ("exit alone", true, &|editor| {
            editor.notify("exit", Value::Null)
        }),
        ("end of input", true, &|editor| editor.close()),
        ("SIGTERM", true, &|editor| signal(editor, "TERM")),
        ("SIGINT", true, &|editor| signal(editor, "INT")),
        ("SIGHUP", true, &|editor| signal(editor, "HUP")),
        ("SIGKILL of its group", false, &|editor| {
            kill("KILL", -i64::from(editor.server.id()))
        }),
    ];
    for (way, is_reported, leave) in ways {
        let mut lab = Lab::new(&format!("{test}-{}", way.replace(' ', "_")), &cache);
        let (mut editor, log) = server_with_children(&mut lab);
        let watchers = editor.watcher_ids();
        let begin = Instant::now();
        leave(&mut editor);
        lab.nothing_is_left_after(END);
        let is_gone = |id: &u32| !Path::new(&format!("/proc/{id}")).exists();
        while !watchers.iter().all(is_gone) {
            assert!(begin.elapsed() < END, "{way}: the watcher is left");
            std::thread::sleep(Duration::from_millis(10));
        }
        editor.server.wait().unwrap();
        let log = fs::read_to_string(log).unwrap();
        let ended = r#"status="exit status: 0""#;
        assert_eq!(log.contains(ended), is_reported, "{way}: {log}");
    }
}

/// It neither answers the call that asks it to end, nor takes the signal.
#[test]
fn a_plugin_that_is_stopped_ends_with_the_server() {
    let test = "a_plugin_that_is_stopped_ends_with_the_server";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    for way in ["end of input", "TERM"] {
        let mut lab = Lab::new(&format!("{test}-{}", way.replace(' ', "_")), &cache);
        let (mut editor, _) = server_with_children(&mut lab);
        for plugin in editor.plugin_ids() {
            kill("STOP", plugin.into());
        }
        match way {
            "TERM" => kill(way, editor.server_id().unwrap().into()),
            _ => editor.close(),
        }
        lab.nothing_is_left_after(END);
        editor.server.wait().unwrap();
    }
}

#[test]
fn plugins_and_their_children_end_with_a_command_that_is_interrupted() {
    let test = "plugins_and_their_children_end_with_a_command_that_is_interrupted";
    let cache = match has_subcommand("plan").and_then(|()| cache()) {
        Ok(cache) => cache,
        Err(reason) => return skipped(test, &reason),
    };
    for (signal, number) in [("INT", 2), ("TERM", 15), ("HUP", 1), ("KILL", 9)] {
        let mut lab = Lab::new(&format!("{test}-{signal}"), &cache);
        for (name, value) in [("STAYS", "1"), ("FORKS", "1"), ("HANG", "lab6_server")] {
            lab.set(&format!("LAB_{name}"), value);
        }
        let output = lab.module.with_file_name("output");
        let mut plan = Command::new(env!("CARGO_BIN_EXE_planlens"))
            .arg("plan")
            .current_dir(&lab.module)
            .envs(lab.environment.iter().cloned())
            .env("PLANLENS_LANGUAGE", "terraform@1.11.4")
            .stdout(fs::File::create(&output).unwrap())
            .stderr(fs::File::create(output.with_extension("errors")).unwrap())
            .spawn()
            .unwrap();
        let limit = Instant::now() + support::client::LIMIT;
        while !lab.calls().contains("PlanResourceChange lab6_server") {
            assert!(Instant::now() < limit, "nothing is planned");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(lab.sockets().len(), 1);
        let begin = Instant::now();
        kill(signal, plan.id().into());
        assert_eq!(plan.wait().unwrap().signal(), Some(number), "{signal}");
        lab.nothing_is_left_after(END.saturating_sub(begin.elapsed()));
        // A value that the plugin could no longer answer is not reported.
        for file in [output.clone(), output.with_extension("errors")] {
            assert_eq!(fs::read_to_string(file).unwrap(), "", "{signal}");
        }
    }
}
