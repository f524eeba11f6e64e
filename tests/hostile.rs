//! The table "evil text x promise": whatever stands in one folder, another one beside it is planned as ever, the server
//! takes no more memory than there is, the evil is reported, and when it is mended its plan is back.
//!
//! Of the texts a few are tried; all of them with `PLANLENS_TEST_LONG`, as `tests/run --long` sets it, and
//! those whose names contain `PLANLENS_TEST_EVIL`, or that are files of that name (`Pulumi.yaml`). Each folder in
//! `PLANLENS_TEST_EVIL_FOLDERS` is a text that was written by hand.

mod support;

#[path = "hostile/texts.rs"]
mod texts;

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use support::agent::{self, Agent};
use support::client::Client;
use support::editor::peak_memory;
use support::{planlens, scratch};
use texts::Evil;

/// Promises, on a machine that has nothing else to do.
const HINT: Duration = Duration::from_millis(250);
const REPORTED: Duration = Duration::from_secs(3);
const BACK: Duration = Duration::from_secs(1);
/// A hover on the evil text.
const HOVER: Duration = Duration::from_secs(2);
const MEMORY: u64 = 600 << 20;
/// An answer with the whole plan. The plan view waits for one, an agent for two where it compares.
const ANSWER: Duration = Duration::from_secs(6);

/// An edit of the healthy folder alone takes less; where it takes more, the machine is slower by as much.
const ALONE: Duration = Duration::from_millis(40);

/// The same by an agent, which shows nothing.
const AGENT_ALONE: Duration = Duration::from_millis(4);

/// What is measured is measured by itself.
static MEASURING: Mutex<()> = Mutex::new(());

/// The texts of a short run, in which the server may be one that is not optimized.
const QUICK: [&str; 7] = [
    "a name of 70,000 characters",
    "text replaced by itself",
    "lists of lists",
    "jsonencode of eight levels",
    "toset of eight levels",
    "a loop that counts",
    "a range of 10^9",
];

/// How long nobody types between two edits.
const PAUSE: Duration = Duration::from_millis(50);

const HEALTHY: &str = "locals {\n  healthy = \"NAME\"\n}\noutput \"shown\" {\n  value = \"${local.healthy}-shown\"\n}\n";
const MENDED: &str = "locals {\n  mended = 1 + 1\n}\n";
const MENDED_PROGRAM: &str = "name: evil\nruntime: yaml\nbackend: {url: 'file://.'}\nvariables:\n  one: 2\n  mended: ${one}\nresources:\n  s:\n    type: pulumi:index:Stash\n    properties:\n      input: ${mended}\n";

#[test]
fn nothing_hangs_beside_an_evil_text() {
    let _alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let all = texts::texts();
    assert!(all.len() >= 30);
    let mut names: Vec<&str> = all.iter().map(|evil| evil.name).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), all.len(), "two texts have one name");
    let mut broken = Vec::new();
    for evil in chosen(all) {
        let row = try_text(&evil);
        let line = row.line(&evil);
        let _ = writeln!(std::io::stdout(), "{line}");
        if !row.keeps_all() {
            broken.push(line);
        }
    }
    assert!(
        broken.is_empty(),
        "promises are broken:\n{}",
        broken.join("\n")
    );
}

/// An agent proposes the text, and asks about a folder that has it: each answer comes, short and in time, and the next one is
/// as if nothing had been.
#[test]
fn an_agent_is_answered_at_any_proposed_text() {
    let _alone = MEASURING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut broken = Vec::new();
    // Agents are not asked about programs.
    let modules = chosen(texts::texts()).into_iter();
    for evil in modules.filter(|it| !it.is_program()) {
        let (line, keeps_all) = try_as_agent(&evil);
        let _ = writeln!(std::io::stdout(), "{line}");
        if !keeps_all {
            broken.push(line);
        }
    }
    assert!(
        broken.is_empty(),
        "promises are broken:\n{}",
        broken.join("\n")
    );
}

fn try_as_agent(evil: &Evil) -> (String, bool) {
    let folder = scratch("hostile-agent").canonicalize().unwrap();
    for (name, text) in &evil.files {
        write(&folder.join("evil").join(name), text);
    }
    write(
        &folder.join("healthy/main.tf"),
        &HEALTHY.replace("NAME", "first"),
    );
    let mut command = planlens(&folder);
    command
        .args(["mcp", "-trust"])
        .env("PLANLENS_STATE_DIR", folder.join("state"));
    let mut agent = Agent::start(&mut command);
    let mut time = |tool: &str, arguments: Value| {
        let begin = Instant::now();
        // Longer answers than may be sent end the test there.
        let answer = agent.call(tool, arguments);
        (begin.elapsed(), agent::text(&answer))
    };
    let healthy = json!({ "folder": "healthy" });
    let first = time("plan", healthy.clone()).1;
    let of_healthy = |number: usize| {
        let text = HEALTHY.replace("NAME", &number.to_string());
        json!({ "folder": "healthy", "edits": [{ "path": "healthy/main.tf", "text": text }] })
    };
    let alone = (0..10).map(|it| time("plan", of_healthy(it)).0).max();
    let slowness = (alone.unwrap().as_secs_f64() / AGENT_ALONE.as_secs_f64()).max(1.0);
    let evil_text = &evil.files[0].1;
    let proposed =
        json!({ "folder": "healthy", "edits": [{ "path": "healthy/evil.tf", "text": evil_text }] });
    let mended = json!({ "folder": "evil", "edits": [{ "path": "evil/main.tf", "text": MENDED }] });
    let slowest = [
        time("plan", proposed.clone()).0,
        time("compare", proposed).0,
        // One evil text at a time.
        time("plan", healthy.clone()).0,
        time("validate", json!({ "folder": "evil" })).0,
        time("plan", json!({ "folder": "evil", "details": true })).0,
    ];
    let slowest = slowest.into_iter().max().unwrap();
    let (back, again) = time("plan", healthy);
    let reported = time("plan", mended).1;
    let memory = peak_memory(agent.server.id()).unwrap_or_default();
    agent.stop();
    let keeps_all = slowest <= ANSWER.mul_f64(slowness)
        && back <= BACK.mul_f64(slowness)
        && memory <= MEMORY
        && again == first
        && reported.starts_with("Plan of evil with the proposed text");
    let line = format!(
        "{} {:44} | slowest answer {:>6} ms | back {:>5} ms | {:>4} MiB | slowness {slowness:.1}",
        if keeps_all { "kept  " } else { "BROKEN" },
        evil.name,
        slowest.as_millis(),
        back.as_millis(),
        memory >> 20,
    );
    (line, keeps_all)
}

/// All, those that are named, those in folders of their own, or a few.
fn chosen(all: Vec<Evil>) -> Vec<Evil> {
    if let Some(folders) = std::env::var_os("PLANLENS_TEST_EVIL_FOLDERS") {
        return texts::in_folders(Path::new(&folders));
    }
    if let Ok(name) = std::env::var("PLANLENS_TEST_EVIL") {
        return all
            .into_iter()
            .filter(|evil| evil.name.contains(&name) || evil.files[0].0 == name)
            .collect();
    }
    if std::env::var_os("PLANLENS_TEST_LONG").is_some() {
        return all;
    }
    let is_quick = |evil: &Evil| QUICK.contains(&evil.name);
    all.into_iter().filter(is_quick).collect()
}

/// The results beside one text.
struct Row {
    /// The slowest of the healthy folder's hints.
    hint: Duration,
    reported: Option<Duration>,
    /// The slowest of the evil text's hovers.
    hover: Duration,
    /// The answer with all of the plan.
    plan: Duration,
    back: Option<Duration>,
    memory: u64,
    /// How much slower the machine is than it should be.
    slowness: f64,
}

impl Row {
    fn keeps_all(&self) -> bool {
        let within = |took: Option<Duration>, limit: Duration| {
            took.is_some_and(|took| took <= limit.mul_f64(self.slowness))
        };
        within(Some(self.hint), HINT)
            && within(self.reported, REPORTED)
            && within(Some(self.hover), HOVER)
            && within(Some(self.plan), ANSWER)
            && within(self.back, BACK)
            && self.memory <= MEMORY
    }

    fn line(&self, evil: &Evil) -> String {
        let shown = |took: Option<Duration>| {
            took.map_or("never".to_owned(), |took| {
                format!("{} ms", took.as_millis())
            })
        };
        let kept = if self.keeps_all() { "kept  " } else { "BROKEN" };
        format!(
            "{kept} {:44} | hint {:>8} | reported {:>8} | hover {:>8} | plan {:>8} | back {:>8} | {:>4} MiB | slowness {:.1}",
            evil.name,
            shown(Some(self.hint)),
            shown(self.reported),
            shown(Some(self.hover)),
            shown(Some(self.plan)),
            shown(self.back),
            self.memory >> 20,
            self.slowness,
        )
    }
}

fn try_text(evil: &Evil) -> Row {
    let folder = scratch("hostile");
    for (name, text) in &evil.files {
        write(&folder.join("evil").join(name), text);
    }
    write(
        &folder.join("healthy/main.tf"),
        &HEALTHY.replace("NAME", "first"),
    );
    let mut editor = Editor::start(&folder, evil);
    let alone = (0..10).map(|_| editor.healthy_hint()).max().unwrap();
    let slowness = (alone.as_secs_f64() / ALONE.as_secs_f64()).max(1.0);

    let (uri, text) = (editor.uri("evil"), &evil.files[0].1);
    let language = if evil.is_program() {
        "yaml"
    } else {
        "terraform"
    };
    editor.client.open(&uri, language, text);
    let opened = Instant::now();
    let (mut hint, mut reported, mut touched) = (Duration::ZERO, None, opened);
    let end = REPORTED.mul_f64(slowness);
    while opened.elapsed() < end || hint.is_zero() {
        hint = hint.max(editor.healthy_hint());
        // Now and then something is typed in the evil text as well.
        if touched.elapsed() > end / 2 {
            editor.touch_evil();
            touched = Instant::now();
        }
        if reported.is_none() && editor.has_reported() {
            reported = Some(opened.elapsed());
        }
        if reported.is_some() && opened.elapsed() > end / 2 {
            break;
        }
    }

    let hovers = [(0, 12), (1, 3), (1, 12), (3, 3)].map(|at| editor.hover(at));
    let hover = hovers.into_iter().max().unwrap();
    let plan = editor.plan();

    editor.mend(evil);
    let mended = Instant::now();
    let mut back = None;
    while back.is_none() && mended.elapsed() < 10 * BACK.mul_f64(slowness) {
        if editor.hints(&uri).contains("= 2") {
            back = Some(mended.elapsed());
        }
        hint = hint.max(editor.healthy_hint());
    }
    let memory = peak_memory(editor.client.server.id()).unwrap_or_default();
    editor.client.stop();
    Row {
        hint,
        reported,
        hover,
        plan,
        back,
        memory,
        slowness,
    }
}

fn write(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// An editor with both folders open.
struct Editor {
    client: Client,
    folder: String,
    /// The file that is open in the folder `evil`.
    evil: &'static str,
    version: i64,
}

impl Editor {
    fn start(folder: &Path, evil: &Evil) -> Editor {
        let log = fs::File::create(folder.join("log")).unwrap();
        let mut client = Client::start(planlens(folder).arg("lsp").stderr(log));
        let folder = format!("file://{}", folder.display());
        let capabilities = json!({
            "workspace": { "inlayHint": { "refreshSupport": true } },
            "textDocument": { "publishDiagnostics": {} },
            "window": { "workDoneProgress": true },
            "experimental": { "planlens": { "status": true } },
        });
        let params = json!({
            "processId": null,
            "rootUri": folder,
            "capabilities": capabilities,
            "initializationOptions": { "trust": "always" },
        });
        client.ask("initialize", params);
        client.notify("initialized", json!({}));
        let mut editor = Editor {
            client,
            folder,
            evil: evil.files[0].0,
            version: 1,
        };
        let uri = editor.uri("healthy");
        editor
            .client
            .open(&uri, "terraform", &HEALTHY.replace("NAME", "first"));
        editor
    }

    fn uri(&self, folder: &str) -> String {
        let file = if folder == "evil" {
            self.evil
        } else {
            "main.tf"
        };
        format!("{}/{folder}/{file}", self.folder)
    }

    fn change(&mut self, folder: &str, change: Value) {
        self.version += 1;
        let document = json!({ "uri": self.uri(folder), "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [change] });
        self.client.notify("textDocument/didChange", params);
    }

    /// How long it takes from an edit of the healthy text to the hint that shows it.
    fn healthy_hint(&mut self) -> Duration {
        std::thread::sleep(PAUSE);
        let name = format!("name{}", self.version);
        let uri = self.uri("healthy");
        let text = HEALTHY.replace("NAME", &name);
        let begin = Instant::now();
        self.change("healthy", json!({ "text": text }));
        let shown = format!("{name}-shown");
        while !self.hints(&uri).contains(&shown) {
            assert!(
                begin.elapsed() < support::client::LIMIT,
                "no hint of {name}"
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        // The client checks a thousand diagnostics in a fifth of a second.
        self.client.arrived.duration_since(begin)
    }

    fn hints(&mut self, uri: &str) -> String {
        let point = |line: u32| json!({ "line": line, "character": 0 });
        let range = json!({ "start": point(0), "end": point(100) });
        let params = json!({ "textDocument": { "uri": uri }, "range": range });
        self.client
            .ask("textDocument/inlayHint", params)
            .to_string()
    }

    /// How long a hover on the evil text takes, at a line and a character.
    fn hover(&mut self, (line, character): (u32, u32)) -> Duration {
        let document = json!({ "uri": self.uri("evil") });
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": document, "position": position });
        self.timed("textDocument/hover", params)
    }

    /// How long it takes to tell the plans of both folders.
    fn plan(&mut self) -> Duration {
        self.timed("planlens/plan", json!({}))
    }

    fn timed(&mut self, method: &str, params: Value) -> Duration {
        let begin = Instant::now();
        self.client.ask(method, params);
        self.client.arrived.duration_since(begin)
    }

    /// An empty line at the beginning of the evil text.
    fn touch_evil(&mut self) {
        let at = json!({ "line": 0, "character": 0 });
        let new = json!({ "start": at, "end": at });
        self.change("evil", json!({ "range": new, "text": "\n" }));
    }

    fn mend(&mut self, evil: &Evil) {
        let text = if evil.is_program() {
            MENDED_PROGRAM
        } else {
            MENDED
        };
        self.change("evil", json!({ "text": text }));
    }

    /// Whether the evil text was answered: by a diagnostic, its plan, or the progress of its plan.
    fn has_reported(&mut self) -> bool {
        let (uri, folder) = (self.uri("evil"), format!("{}/evil", self.folder));
        let is_reported = |message: &Value| {
            let params = &message["params"];
            let diagnostics = params["diagnostics"].as_array();
            let is_wrong = params["uri"] == uri && diagnostics.is_some_and(|it| !it.is_empty());
            let mut plans = params["plans"].as_array().into_iter().flatten();
            let is_planned = plans.any(|plan| plan["folder"] == folder && plan["state"] == "fresh");
            is_wrong || is_planned || params["value"]["title"] == "Planning"
        };
        if self.client.said.iter().any(is_reported) {
            return true;
        }
        self.client.said.clear();
        false
    }
}
