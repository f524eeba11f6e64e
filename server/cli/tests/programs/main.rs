//! Programs of Pulumi in the editor: what a plan says of them is shown while they are edited, and their language is answered.

#[path = "../../../lsp/tests/it/client.rs"]
#[allow(dead_code, reason = "it is shared with the tests of the server")]
mod client;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use fixture as _;
use host::{EnginePlanner, PlannerConfig};
use ide::Planners;
use lsp::Options;
use process::Variables;
use pulumi_host::ProgramPlanner;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, labels, patient, range};

const PROGRAM: &str = "\
name: shop
runtime: yaml
backend: {url: 'file://.'}
config:
  greeting:
    type: string
    default: hello
variables:
  text: ${greeting}, world
resources:
  first:
    type: pulumi:index:Stash
    properties:
      input: ${text}
  second:
    type: pulumi:index:Stash
    properties:
      input: ${first.input}
outputs:
  said: ${second.output}
";

const STATE: &str = r#"{"version": 3, "checkpoint": {"stack": "organization/shop/dev", "latest": {"resources": [
    {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"},
    {"urn": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default", "type": "pulumi:providers:pulumi", "custom": true, "id": "0"},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::first", "type": "pulumi:index:Stash", "custom": true, "id": "1", "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "inputs": {"input": "hi"}, "outputs": {"input": "hi", "output": "hi"}},
    {"urn": "urn:pulumi:dev::shop::pulumi:index:Stash::gone", "type": "pulumi:index:Stash", "custom": true, "id": "2", "provider": "urn:pulumi:dev::shop::pulumi:providers:pulumi::default::0", "inputs": {"input": "hi"}, "outputs": {"input": "hi", "output": "hi"}}
]}}}"#;

/// A server, and a project in a folder of its own.
struct Open {
    client: Client,
    dir: TempDir,
    uri: String,
}

impl Open {
    async fn at(program: &str) -> Open {
        Open::beside(program, "config: {}\n", "Pulumi.yaml").await
    }

    /// A project with the configuration of a stack, of which a file is open.
    async fn beside(program: &str, stack: &str, opened: &str) -> Open {
        let dir = tempfile::tempdir().unwrap();
        let root = fs::canonicalize(dir.path()).unwrap();
        fs::write(root.join("Pulumi.yaml"), program).unwrap();
        fs::write(root.join("Pulumi.dev.yaml"), stack).unwrap();
        let stacks = root.join(".pulumi/stacks/shop");
        fs::create_dir_all(&stacks).unwrap();
        fs::write(stacks.join("dev.json"), STATE).unwrap();
        let uri = format!("file://{}/{opened}", root.display());
        let text = fs::read_to_string(root.join(opened)).unwrap();
        let mut open = Open {
            client: start(&root).await,
            dir,
            uri,
        };
        open.client.open_as(&open.uri, &text).await;
        open
    }

    /// Opens a `main.tf` beside the program, and answers their folder.
    async fn open_module(&mut self, text: &str) -> PathBuf {
        let root = fs::canonicalize(self.dir.path()).unwrap();
        let file = root.join("main.tf");
        fs::write(&file, text).unwrap();
        self.uri = format!("file://{}", file.display());
        self.client.open_as(&self.uri, text).await;
        root
    }

    async fn close(self) {
        drop(self.dir);
        self.client.shut_down().await;
    }

    fn document(&self) -> Value {
        json!({ "textDocument": { "uri": self.uri } })
    }

    fn at_place(&self, line: u32, character: u32) -> Value {
        json!({ "textDocument": { "uri": self.uri }, "position": { "line": line, "character": character } })
    }

    async fn hints(&mut self) -> Vec<String> {
        let mut params = self.document();
        params["range"] = range((0, 0), (1000, 0));
        labels(&self.client.ask("textDocument/inlayHint", params).await)
    }

    async fn lenses(&mut self) -> Vec<String> {
        let lenses = self
            .client
            .ask("textDocument/codeLens", self.document())
            .await;
        let title = |lens: &Value| {
            let line = &lens["range"]["start"]["line"];
            format!("{line}: {}", lens["command"]["title"].as_str().unwrap())
        };
        lenses.as_array().unwrap().iter().map(title).collect()
    }

    async fn change(&mut self, version: i32, text: &str) {
        let params = json!({
            "textDocument": { "uri": self.uri, "version": version },
            "contentChanges": [{ "text": text }],
        });
        self.client.notify("textDocument/didChange", params).await;
    }

    /// What is published, once it holds something with `code`.
    async fn diagnostics(&mut self, code: &str) -> Vec<String> {
        loop {
            let published = self
                .client
                .incoming("textDocument/publishDiagnostics")
                .await;
            let found = published["params"]["diagnostics"].as_array().unwrap();
            if published["params"]["uri"] == self.uri && found.iter().any(|it| it["code"] == code) {
                let line = |it: &Value| {
                    let message = it["message"].as_str().unwrap();
                    format!("{}: {message}", it["range"]["start"]["line"])
                };
                return found.iter().map(line).collect();
            }
        }
    }
}

async fn start(root: &Path) -> Client {
    let terraform = EnginePlanner::new(PlannerConfig {
        variables: Default::default(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_owned(),
    });
    let variables = Variables::from([("HOME", root), ("PATH", Path::new("/nowhere"))]);
    let programs = ProgramPlanner::new(variables);
    let planners = Planners::new(vec![Arc::new(programs), Arc::new(terraform)]);
    let options = Options {
        planner: Arc::new(planners),
        ..patient()
    };
    let mut editor = editors::vscode();
    editor["textDocument"]["codeAction"] =
        json!({ "dataSupport": true, "resolveSupport": { "properties": ["edit"] } });
    Client::start_with(editor, json!({ "trust": "never" }), options).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_shown_while_the_program_is_edited() {
    let mut open = Open::at(PROGRAM).await;
    assert_eq!(
        open.hints().await,
        [
            r#"= "hello, world""#,
            r#""hi" -> "hello, world""#,
            r#"= "hello, world""#,
            r#"= "hello, world""#,
            "- destroy gone",
        ]
    );
    assert_eq!(
        open.lenses().await,
        ["10: ~ update in place", "14: + create"]
    );
    assert_eq!(
        open.diagnostics("destroys").await,
        ["19: gone will be destroyed, because it is not in the configuration"]
    );
    // A resource that exists is lost where it stood.
    let (before, first) = PROGRAM.split_once("  first:").unwrap();
    let (_, second) = first.split_once("  second:").unwrap();
    let second = second.replace("${first.input}", "hi");
    open.change(2, &format!("{before}  second:{second}")).await;
    let lost = "9: first will be destroyed, because it is not in the configuration";
    // Until then, results of the earlier text are shown at their new places.
    while !open
        .diagnostics("destroys")
        .await
        .contains(&lost.to_owned())
    {}
    // What is typed is planned, and what is half-typed keeps its plan.
    open.change(3, &PROGRAM.replace("default: hello", "default: hi"))
        .await;
    assert_eq!(open.hints().await[0], r#"= "hi, world""#);
    open.change(4, &PROGRAM.replace("input: ${text}", "input: ${te"))
        .await;
    assert_eq!(
        open.lenses().await,
        ["10: ? ~ update in place", "14: + create"]
    );
    let reported = open.diagnostics("interpolation").await;
    assert!(
        reported.iter().any(|it| it.starts_with("13: ")),
        "{reported:?}"
    );
    let typo = PROGRAM.replace("${first.input}", "${frist.input}");
    open.change(5, &typo).await;
    let reported = open.diagnostics("missing-name").await;
    assert!(
        reported
            .contains(&"17: resource, variable, or config value \"frist\" not found".to_owned()),
        "{reported:?}"
    );
    drop(open.dir);
    open.client.shut_down().await;
}

/// The labels that are offered at `$0`, which is typed in the place of `before`.
async fn offered(open: &mut Open, version: i32, before: &str, typed: &str) -> Vec<String> {
    let text = PROGRAM.replacen(before, typed, 1);
    let offset = text.find("$0").unwrap();
    open.change(version, &text.replace("$0", "")).await;
    let line = text[..offset].matches('\n').count();
    let column = offset - text[..offset].rfind('\n').map_or(0, |it| it + 1);
    let place = open.at_place(line as u32, column as u32);
    let list = open.client.ask("textDocument/completion", place).await;
    let items = list["items"].as_array().unwrap().iter();
    items
        .map(|it| it["label"].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn completion_in_half_typed_text() {
    let mut open = Open::at(PROGRAM).await;
    open.lenses().await;
    let mut version = 1;
    for (before, typed, expected) in [
        ("outputs:\n", "out$0\n", &["outputs", "main"][..]),
        (
            "    properties:\n",
            "    pro$0\n",
            &["properties", "options"],
        ),
        (
            "    properties:\n",
            "    options:\n      ig$0\n    properties:\n",
            &["ignoreChanges", "protect"],
        ),
        (
            "type: pulumi:index:Stash",
            "type: $0",
            &["pulumi:index:Stash"],
        ),
        ("${text}", "${$0", &["text", "greeting", "second", "pulumi"]),
        (
            "${first.input}",
            "${first.$0}",
            &["id", "urn", "input", "output"],
        ),
        ("${text}", "${pulumi.$0", &["stack", "project"]),
        ("      input: ${text}", "      in$0", &["input"]),
        (
            "  text: ${greeting}, world\n",
            "  text:\n    fn$0\n",
            &["fn::join", "fn::toJSON"],
        ),
        ("type: string", "type: $0", &["String", "List<String>"]),
    ] {
        version += 1;
        let found = offered(&mut open, version, before, typed).await;
        for label in expected {
            assert!(found.iter().any(|it| it == label), "{typed}: {found:?}");
        }
    }
    drop(open.dir);
    open.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_lead_to_their_declarations_and_uses() {
    let mut open = Open::at(PROGRAM).await;
    open.lenses().await;
    // `first` in `${first.input}`.
    let place = open.at_place(17, 16);
    let found = open.client.ask("textDocument/definition", place).await;
    let target = found.get(0).unwrap_or(&found);
    let range_of = |it: &Value| {
        it.get("targetSelectionRange")
            .unwrap_or(&it["range"])
            .clone()
    };
    assert_eq!(range_of(target), range((10, 2), (10, 7)), "{found}");
    let mut place = open.at_place(10, 4);
    place["context"] = json!({ "includeDeclaration": true });
    let found = open.client.ask("textDocument/references", place).await;
    let lines: Vec<&Value> = found.as_array().unwrap().iter().collect();
    let lines: Vec<u64> = lines
        .iter()
        .map(|it| it["range"]["start"]["line"].as_u64().unwrap())
        .collect();
    assert_eq!(lines, [10, 17]);
    let hover = open.at_place(17, 16);
    let hover = open.client.ask("textDocument/hover", hover).await;
    let hover = hover["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("hello, world"), "{hover}");
    let hover = open.at_place(10, 4);
    let hover = open.client.ask("textDocument/hover", hover).await;
    let hover = hover["contents"]["value"].as_str().unwrap().to_owned();
    assert!(hover.contains("hello, world"), "{hover}");
    let document = open.document();
    let symbols = open
        .client
        .ask("textDocument/documentSymbol", document)
        .await;
    let names = |it: &Value| -> Vec<String> {
        let all = it.as_array().unwrap().iter();
        all.map(|it| it["name"].as_str().unwrap().to_owned())
            .collect()
    };
    // This client knows no nesting.
    let found = names(&symbols);
    for name in ["name", "resources", "outputs"] {
        assert!(found.iter().any(|it| it == name), "{found:?}");
    }
    let document = open.document();
    let folds = open.client.ask("textDocument/foldingRange", document).await;
    let starts: Vec<u64> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["startLine"].as_u64().unwrap())
        .collect();
    assert!(
        [3, 9, 10, 14].iter().all(|it| starts.contains(it)),
        "{starts:?}"
    );
    drop(open.dir);
    open.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_comes_with_an_alias_and_its_proof() {
    let mut open = Open::at(PROGRAM).await;
    open.hints().await;
    for ((line, character), new_name, label, expected) in [
        // What the state has is taken over by an alias.
        (
            (10, 3),
            "one",
            "Rename first to one: no changes to infrastructure",
            &[
                "  one:\n    type: pulumi:index:Stash\n    options:\n      aliases:\n        - name: first\n    properties:\n",
                "input: ${one.input}\n",
            ][..],
        ),
        // What is new needs none.
        (
            (14, 3),
            "two",
            "Rename second to two: no changes to infrastructure",
            &[
                "  two:\n    type: pulumi:index:Stash\n    properties:\n",
                "said: ${two.output}\n",
            ],
        ),
        (
            (8, 3),
            "words",
            "Rename text to words: no changes to infrastructure",
            &["  words: ${greeting}, world\n", "input: ${words}\n"],
        ),
    ] {
        let mut params = open.at_place(line, character);
        params["newName"] = json!(new_name);
        let edit = open.client.ask("textDocument/rename", params).await;
        let annotation = &edit["changeAnnotations"]["refactoring"];
        assert_eq!(annotation["label"], label, "{edit}");
        let edits = edit["documentChanges"][0]["edits"].as_array().unwrap();
        let text = applied(PROGRAM, edits);
        for part in expected {
            assert!(text.contains(part), "{text}");
        }
    }
    let mut params = open.at_place(10, 3);
    params["newName"] = json!("second");
    let id = open.client.request("textDocument/rename", params).await;
    let refused = open.client.answer(id).await.to_string();
    assert!(refused.contains("second already exists"), "{refused}");
    drop(open.dir);
    open.client.shut_down().await;
}

/// The texts of a project after a rename at the first place of a text, by the names of their files, and the label of its proof.
async fn renamed(
    open: &mut Open,
    (text, at): (&str, &str),
    new: &str,
) -> (BTreeMap<String, String>, String) {
    let before = &text[..text.find(at).unwrap() + at.len()];
    let line = before.matches('\n').count() as u32;
    let column = before.len() - before.rfind('\n').map_or(0, |it| it + 1);
    let mut params = open.at_place(line, column as u32);
    params["newName"] = json!(new);
    let edit = open.client.ask("textDocument/rename", params).await;
    let label = edit["changeAnnotations"]["refactoring"]["label"].clone();
    let files = edit["documentChanges"].as_array().unwrap().iter();
    let texts = files.map(|file| {
        let path = file["textDocument"]["uri"].as_str().unwrap();
        let path = Path::new(path.strip_prefix("file://").unwrap());
        let text = fs::read_to_string(path).unwrap();
        let name = path.file_name().unwrap().to_str().unwrap().to_owned();
        (name, applied(&text, file["edits"].as_array().unwrap()))
    });
    (texts.collect(), label.as_str().unwrap().to_owned())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configured_value_is_renamed_in_all_files() {
    let program = PROGRAM.replace(
        "variables:",
        "  shop:size:\n    type: string\n    default: s\n  named:\n    name: shop:key\n    default: k\n  lab:region:\n    type: string\n    default: r\nvariables:\n  all: ${shop:size} ${named} ${shop:greeting} ${lab:region}",
    );
    let stack = "config:\n  shop:greeting: hello\n  shop:size: m\n  shop:key: k\n";
    let mut open = Open::beside(&program, stack, "Pulumi.dev.yaml").await;
    open.lenses().await;
    // The program is not open.
    let (texts, label) = renamed(&mut open, (stack, "gree"), "welcome").await;
    assert_eq!(
        label,
        "Rename greeting to welcome: no changes to infrastructure"
    );
    assert_eq!(
        texts["Pulumi.dev.yaml"],
        stack.replace("greeting", "welcome")
    );
    let expected = program.replace("greeting", "welcome");
    assert_eq!(texts["Pulumi.yaml"], expected);
    // The name of the project stays.
    let (texts, _) = renamed(&mut open, (stack, "siz"), "shop:extent").await;
    assert_eq!(texts["Pulumi.dev.yaml"], stack.replace("size", "extent"));
    assert_eq!(texts["Pulumi.yaml"], program.replace("size", "extent"));
    for (at, why) in [
        ("shop:ke", "change it there"),
        ("greeting: hel", "Nothing here"),
    ] {
        let before = &stack[..stack.find(at).unwrap() + at.len()];
        let line = before.matches('\n').count() as u32;
        let mut params = open.at_place(line, 8);
        params["position"]["character"] = json!(before.len() - before.rfind('\n').unwrap() - 1);
        params["newName"] = json!("new");
        let id = open.client.request("textDocument/rename", params).await;
        let refused = open.client.answer(id).await.to_string();
        assert!(refused.contains(why), "{refused}");
    }
    open.close().await;

    let mut open = Open::beside(&program, stack, "Pulumi.yaml").await;
    open.lenses().await;
    // Stacks know it by another key.
    let (texts, _) = renamed(&mut open, (&program, "  named"), "called").await;
    let expected = program.replace("named", "called");
    assert_eq!(
        Vec::from_iter(texts),
        [("Pulumi.yaml".to_owned(), expected)]
    );
    let line = program.split('\n').position(|it| it == "  lab:region:");
    let mut params = open.at_place(line.unwrap() as u32, 8);
    params["newName"] = json!("zone");
    let id = open.client.request("textDocument/rename", params).await;
    let refused = open.client.answer(id).await.to_string();
    assert!(refused.contains("lab:region"), "{refused}");
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_says_so_when_what_exists_is_unknown() {
    let mut open = Open::beside(PROGRAM, "config: {}\n", "Pulumi.yaml").await;
    let other = open.dir.path().join("Pulumi.prod.yaml");
    fs::write(&other, "config: {}\n").unwrap();
    let created =
        json!({ "changes": [{ "uri": format!("file://{}", other.display()), "type": 1 }] });
    open.client
        .notify("workspace/didChangeWatchedFiles", created)
        .await;
    open.lenses().await;
    // Another stack may have it, so it keeps its former name as an alias.
    let (texts, label) = renamed(&mut open, (PROGRAM, "  second"), "two").await;
    assert!(texts["Pulumi.yaml"].contains("name: second"), "{texts:?}");
    assert!(label.contains("existing resources are unknown"), "{label}");
    // Half a use would be left behind.
    open.change(2, &PROGRAM.replace("${second.output}", "${second.output"))
        .await;
    open.lenses().await;
    let mut params = open.at_place(14, 3);
    params["newName"] = json!("two");
    let id = open.client.request("textDocument/rename", params).await;
    let refused = open.client.answer(id).await.to_string();
    assert!(refused.contains("does not parse"), "{refused}");
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stacks_of_files_and_of_the_backend_can_be_chosen() {
    let mut open = Open::at(PROGRAM).await;
    let with_one = open.lenses().await;
    let states = open.dir.path().join(".pulumi/stacks/shop");
    fs::write(states.join("prod.json"), STATE.replace("dev", "prod")).unwrap();
    fs::write(states.join("prod.json.bak"), "").unwrap();
    open.change(2, &format!("{PROGRAM}# more\n")).await;
    // Of two stacks none is selected, so nothing is known to exist.
    assert_eq!(open.lenses().await, ["10: ? + create", "14: ? + create"]);
    let listed = |listed: &Value| -> Vec<(String, bool)> {
        let listed = listed["environments"].as_array().unwrap().iter();
        let entry = |it: &Value| {
            let name = it["name"].as_str().unwrap().to_owned();
            (name, it["isChosen"] == true)
        };
        listed.map(entry).collect()
    };
    let document = open.document();
    let answer = open
        .client
        .ask("planlens/environments", document.clone())
        .await;
    let both = |is_prod| {
        [
            ("stack dev".to_owned(), false),
            ("stack prod".to_owned(), is_prod),
        ]
    };
    assert_eq!(listed(&answer), both(false));
    let view = open.client.ask("planlens/plan", document.clone()).await;
    assert!(view["environment"].is_null(), "{view}");
    let mut choice = document.clone();
    choice["environment"] = json!("stack prod");
    let command = json!({ "command": "planlens.setEnvironment", "arguments": [choice] });
    open.client.ask("workspace/executeCommand", command).await;
    assert_eq!(open.lenses().await, with_one);
    let answer = open.client.ask("planlens/environments", document).await;
    assert_eq!(listed(&answer), both(true));
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_in_hcl_is_named_and_planned_by_nobody() {
    let program = "name: shop\nruntime: hcl\n";
    let mut open = Open::beside(program, "config: {}\n", "Pulumi.yaml").await;
    let text = "variable \"a\" {\n  default   = 1\n}\nresource \"random_pet\" \"p\" {\n  length = var.a\n}\n";
    let closed = open.document();
    open.client.notify("textDocument/didClose", closed).await;
    let root = open.open_module(text).await;
    assert_eq!(open.lenses().await, Vec::<String>::new());
    let reported = open.diagnostics("not-planned").await;
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(reported[0].starts_with("0: ") && reported[0].contains("is written in hcl"));
    let mut params = open.document();
    params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
    let edits = open.client.ask("textDocument/formatting", params).await;
    let formatted = applied(text, edits.as_array().unwrap());
    assert_eq!(formatted, text.replace("default   =", "default ="));
    let document = open.document();
    let symbols = open.client.ask("textDocument/documentSymbol", document);
    assert!(symbols.await.to_string().contains("random_pet"));
    let at = open.at_place(4, 15);
    let definition = open.client.ask("textDocument/definition", at.clone()).await;
    assert_eq!(definition["range"], range((0, 9), (0, 12)), "{definition}");
    let uses = json!([range((4, 11), (4, 16)), range((0, 9), (0, 12))]);
    let highlights = open
        .client
        .ask("textDocument/documentHighlight", at.clone())
        .await;
    let highlights = highlights.as_array().unwrap().iter();
    assert_eq!(
        highlights.map(|it| it["range"].clone()).collect::<Value>(),
        uses
    );
    let mut of_name = at.clone();
    of_name["context"] = json!({ "includeDeclaration": true });
    let references = open.client.ask("textDocument/references", of_name).await;
    assert_eq!(references.as_array().unwrap().len(), 2, "{references}");
    let completed = open.client.ask("textDocument/completion", at.clone()).await;
    assert!(
        completed["items"].to_string().contains("\"a\""),
        "{completed}"
    );
    let hover = open.client.ask("textDocument/hover", at).await;
    assert!(!hover.to_string().contains("known after apply"), "{hover}");
    // With another runtime the same folder is Terraform's.
    let runtime = root.join("Pulumi.yaml");
    fs::write(&runtime, "name: shop\nruntime: nodejs\n").unwrap();
    let uri = format!("file://{}", runtime.display());
    let changed = json!({ "changes": [{ "uri": uri, "type": 2 }] });
    open.client
        .notify("workspace/didChangeWatchedFiles", changed)
        .await;
    open.diagnostics("provider-not-installed").await;
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_is_planned_beside_a_terraform_module_in_its_folder() {
    let mut open = Open::at(PROGRAM).await;
    let of_program = open.lenses().await;
    assert!(!of_program.is_empty());
    let program = open.uri.clone();
    let text = "resource \"terraform_data\" \"d\" {\n  input = \"x\"\n}\n";
    open.open_module(text).await;
    let module = open.uri.clone();
    assert_eq!(open.lenses().await, ["0: + create"]);
    open.uri = program;
    assert_eq!(open.lenses().await, of_program);
    open.change(2, &format!("{PROGRAM}# more\n")).await;
    assert_eq!(open.lenses().await, of_program);
    open.uri = module;
    assert_eq!(open.lenses().await, ["0: + create"]);
    open.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_is_too_long_is_reported_and_planned_again_when_it_is_shorter() {
    let mut open = Open::at(PROGRAM).await;
    let before = open.lenses().await;
    let long = PROGRAM.to_owned() + &"# more\n".repeat(60_000);
    open.change(2, &long).await;
    let reported = open.diagnostics("yaml-syntax").await;
    assert_eq!(reported.len(), 1, "{reported:?}");
    assert!(
        reported[0].contains("more than 4 MiB or 60000 lines"),
        "{reported:?}"
    );
    open.change(3, PROGRAM).await;
    assert_eq!(open.lenses().await, before);
    open.close().await;
}

/// A text after edits whose places are lines and characters of ASCII.
fn applied(text: &str, edits: &[Value]) -> String {
    let offset = |place: &Value| {
        let line = place["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + place["character"].as_u64().unwrap() as usize
    };
    let edits = edits.iter().map(|edit| {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        (range, edit["newText"].as_str().unwrap())
    });
    let mut edits: Vec<_> = edits.collect();
    edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
    let mut text = text.to_owned();
    for (range, new) in edits {
        text.replace_range(range, new);
    }
    text
}

/// The actions that are offered at a place, by their titles.
async fn actions(open: &mut Open, (line, character): (u32, u32)) -> Vec<(String, Value)> {
    let mut params = open.document();
    params["range"] = range((line, character), (line, character));
    params["context"] = json!({ "diagnostics": [] });
    let found = open.client.ask("textDocument/codeAction", params).await;
    let found = found.as_array().unwrap().iter();
    found
        .map(|it| (it["title"].as_str().unwrap().to_owned(), it.clone()))
        .collect()
}

/// The text after the action of this title.
async fn done(open: &mut Open, at: (u32, u32), title: &str, text: &str) -> (String, String) {
    let offered = actions(open, at).await;
    let titles: Vec<&String> = offered.iter().map(|(title, _)| title).collect();
    let found = offered.iter().find(|(it, _)| it == title);
    let (_, action) = found.unwrap_or_else(|| panic!("{title}: {titles:?}"));
    let action = match action["edit"].is_null() {
        true => open.client.ask("codeAction/resolve", action.clone()).await,
        false => action.clone(),
    };
    let edits = &action["edit"]["documentChanges"][0]["edits"];
    let title = action["title"].as_str().unwrap().to_owned();
    (applied(text, edits.as_array().unwrap()), title)
}

#[tokio::test(flavor = "multi_thread")]
async fn actions_mend_protect_ignore_and_extract() {
    let mut open = Open::at(PROGRAM).await;
    open.hints().await;
    for (at, title, expected) in [
        (
            (10, 3),
            "Protect first",
            "Stash\n    options:\n      protect: true\n    prop",
        ),
        (
            (10, 3),
            "Retain first when the stack deletes it",
            "options:\n      retainOnDelete: true\n",
        ),
        (
            (13, 9),
            "Ignore changes of `input`",
            "options:\n      ignoreChanges:\n        - input\n",
        ),
    ] {
        let (text, _) = done(&mut open, at, title, PROGRAM).await;
        assert!(text.contains(expected), "{text}");
    }
    // What the state has under another name is kept by an alias, and a plan proves it.
    let title = "Keep gone under its new name, by an alias";
    let (text, reported) = done(&mut open, (14, 3), title, PROGRAM).await;
    let alias = "  second:\n    type: pulumi:index:Stash\n    options:\n      aliases:\n        - name: gone\n";
    assert!(text.contains(alias), "{text}");
    assert_eq!(
        reported,
        "Add an alias to second: 1 no longer changed, 1 to change"
    );
    let literal = PROGRAM.replace("input: ${first.input}", "input: plain");
    open.change(2, &literal).await;
    open.hints().await;
    for (title, declared) in [
        (
            "Extract into the variable `input`",
            "variables:\n  input: plain\n  text:",
        ),
        (
            "Extract into the configuration value `input`",
            "config:\n  input:\n    type: string\n    default: plain\n  greeting:",
        ),
    ] {
        let (text, _) = done(&mut open, (17, 14), title, &literal).await;
        assert!(
            text.contains(declared) && text.contains("input: ${input}"),
            "{text}"
        );
    }
    let typo = PROGRAM.replace("${first.input}", "${frist.input}");
    open.change(3, &typo).await;
    open.hints().await;
    let (text, _) = done(&mut open, (17, 16), "Change to `first`", &typo).await;
    assert_eq!(text, PROGRAM);
    let missing = PROGRAM.replacen("    properties:\n      input: ${text}\n", "", 1);
    open.change(4, &missing).await;
    open.hints().await;
    let (text, _) = done(&mut open, (10, 3), "Add `input`", &missing).await;
    assert!(
        text.contains("properties:\n      input:\n  second"),
        "{text}"
    );
    drop(open.dir);
    open.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_colored_linked_and_found_in_the_workspace() {
    let text = PROGRAM.replace(
        "  text:",
        "  file:\n    fn::readFile: Pulumi.dev.yaml\n  text:",
    );
    let mut open = Open::at(&text).await;
    open.hints().await;
    let hints = open.diagnostics("unused-program-variable").await;
    assert!(
        hints.contains(&"8: The variable file is not used".to_owned()),
        "{hints:?}"
    );
    let document = open.document();
    let links = open.client.ask("textDocument/documentLink", document).await;
    let target = links[0]["target"].as_str().unwrap();
    assert!(target.ends_with("/Pulumi.dev.yaml"), "{links}");
    let document = open.document();
    let tokens = open
        .client
        .ask("textDocument/semanticTokens/full", document)
        .await;
    assert_eq!(tokens["data"].as_array().unwrap().len() % 5, 0);
    assert!(tokens["data"].as_array().unwrap().len() > 50, "{tokens}");
    let found = open
        .client
        .ask("workspace/symbol", json!({ "query": "fir" }))
        .await;
    assert_eq!(found[0]["name"], "first", "{found}");
    let place = open.at_place(12, 4);
    let found = open
        .client
        .ask("textDocument/documentHighlight", place)
        .await;
    assert_eq!(found.as_array().unwrap().len(), 2, "{found}");
    drop(open.dir);
    open.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_code_of_programs_is_reported_in_its_example() {
    let mut open = Open::at(PROGRAM).await;
    let mut version = 1;
    for code in ide::CODES.iter() {
        let example = code.example.as_deref().unwrap_or_default();
        let Some(text) = example.strip_prefix("#- /Pulumi.yaml\n") else {
            continue;
        };
        version += 1;
        open.change(version, text).await;
        let reported = open.diagnostics(&code.code);
        let reported = tokio::time::timeout(std::time::Duration::from_secs(30), reported).await;
        assert!(reported.is_ok(), "{} is not reported", code.code);
    }
    assert!(version > 15);
    drop(open.dir);
    open.client.shut_down().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_plugin_of_pulumi_starts_when_it_is_approved() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let program = "name: shop\nruntime: yaml\nbackend: {url: 'file://.'}\nplugins:\n  providers:\n    - name: mine\n      path: bin\nresources:\n  a:\n    type: mine:Item\n";
    fs::write(root.join("Pulumi.yaml"), program).unwrap();
    fs::write(root.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
    fs::create_dir(root.join("bin")).unwrap();
    let plugin = root.join("bin/pulumi-resource-mine");
    fs::write(&plugin, "#!/bin/sh\necho started >> started\nexit 3\n").unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let started = root.join("started");
    let variables = Variables::from([
        ("HOME", root.as_os_str()),
        ("PATH", "/usr/bin:/bin".as_ref()),
    ]);
    let options = Options {
        planner: Arc::new(ProgramPlanner::new(variables)),
        ..patient()
    };
    let mut client = Client::connect(options);
    client.asks_test = vec!["window/showMessageRequest"];
    let settings = json!({ "trust": "ask" });
    client.initialize(editors::vscode(), settings).await;
    client.notify("initialized", json!({})).await;
    let uri = format!("file://{}/Pulumi.yaml", root.display());
    let mut open = Open { client, dir, uri };
    open.client.open_as(&open.uri, program).await;
    let question = open.client.incoming("window/showMessageRequest").await;
    let message = question["params"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains(&*plugin.to_string_lossy()), "{message}");
    let waits = "8: ? provider mine: its plugin does not start until you trust this workspace";
    assert_eq!(open.lenses().await, [waits]);
    assert!(!started.exists());
    let yes = question["params"]["actions"][0].clone();
    open.client.reply(&question, yes).await;
    // It starts, and ends at once: that is told.
    let lens = loop {
        let lenses = open.lenses().await;
        if lenses != [waits] {
            break lenses.concat();
        }
    };
    assert!(lens.starts_with("8: ? provider mine: it ended"), "{lens}");
    assert!(started.exists());
    drop(open.dir);
    open.client.shut_down().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_resource_names_the_plugin_that_it_waits_for() {
    use std::os::unix::fs::PermissionsExt;

    let dir = tempfile::tempdir().unwrap();
    let root = fs::canonicalize(dir.path()).unwrap();
    let program = "name: shop\nruntime: yaml\nplugins:\n  providers:\n    - name: mine\n      path: bin\nresources:\n  a:\n    type: mine:Item\n";
    fs::write(root.join("Pulumi.yaml"), program).unwrap();
    fs::write(root.join("Pulumi.dev.yaml"), "config: {}\n").unwrap();
    fs::create_dir(root.join("bin")).unwrap();
    let plugin = root.join("bin/pulumi-resource-mine");
    fs::write(&plugin, "#!/bin/sh\nsleep 5\n").unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let variables = Variables::from([
        ("HOME", root.as_os_str()),
        ("PATH", "/usr/bin:/bin".as_ref()),
    ]);
    let options = Options {
        planner: Arc::new(ProgramPlanner::new(variables)),
        ..patient()
    };
    let mut client = Client::connect(options);
    let settings = json!({ "trust": "always" });
    client.initialize(editors::vscode(), settings).await;
    client.notify("initialized", json!({})).await;
    let uri = format!("file://{}/Pulumi.yaml", root.display());
    let mut open = Open { client, dir, uri };
    open.client.open_as(&open.uri, program).await;
    assert_eq!(open.lenses().await, ["7: ? waiting for mine"]);
    open.close().await;
}
