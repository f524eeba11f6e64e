//! Definitions, uses, outlines, folds, selections, links and semantic tokens.

use std::fs;

use expect_test::expect;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, with_engine};

const MAIN: &str = r#"# region sizes
variable "size" {
  type = number
}

# endregion
# Two lines
# of comment.
locals {
  double = var.size * 2
  text   = <<-EOT
    ${local.double}
  EOT
}

resource "terraform_data" "a" {
  input = [for i in range(local.double) : i + var.size]
}

module "child" {
  source = "./child"
  name   = terraform_data.a.id
}

output "o" {
  value = module.child.greeting
}
"#;

const CHILD: &str = r#"variable "name" {}

output "greeting" {
  value = "hello ${var.name}"
}
"#;

struct Workspace {
    client: Client,
    dir: TempDir,
}

impl Workspace {
    async fn open() -> Workspace {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("child")).unwrap();
        fs::write(dir.path().join("main.tf"), MAIN).unwrap();
        fs::write(dir.path().join("child/main.tf"), CHILD).unwrap();
        let options = with_engine();
        let settings = json!({ "trust": "never" });
        let client = Client::start_with(editors::vscode(), settings, options).await;
        let mut workspace = Workspace { client, dir };
        for (file, text) in [("main.tf", MAIN), ("child/main.tf", CHILD)] {
            let uri = workspace.uri(file);
            workspace.client.open_as(&uri, text).await;
        }
        workspace
            .ask("textDocument/codeLens", "main.tf", json!({}))
            .await;
        workspace
    }

    fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.dir.path().display())
    }

    async fn ask(&mut self, method: &str, file: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({ "uri": self.uri(file) });
        self.client.ask(method, params).await
    }

    /// At the first place of `text` in the file, behind its `|`.
    async fn at(&mut self, method: &str, file: &str, text: &str) -> Value {
        let source = if file == "main.tf" { MAIN } else { CHILD };
        let (before, after) = text.split_once('|').unwrap();
        let offset = source.find(&format!("{before}{after}")).unwrap() + before.len();
        let line = source[..offset].matches('\n').count();
        let column = offset - source[..offset].rfind('\n').map_or(0, |at| at + 1);
        let params = json!({
            "position": { "line": line, "character": column },
            "context": { "includeDeclaration": true },
        });
        self.ask(method, file, params).await
    }

    /// Places as `FILE:LINE:TEXT`.
    fn shown(&self, places: &Value) -> Vec<String> {
        let places = match places {
            Value::Array(places) => places.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        let prefix = self.uri("");
        let show = |place: &Value| {
            let uri = place["uri"]
                .as_str()
                .or(place["targetUri"].as_str())
                .unwrap_or(&prefix);
            let range = match &place["targetSelectionRange"] {
                Value::Null => &place["range"],
                range => range,
            };
            let file = uri.strip_prefix(&prefix).unwrap();
            let source = if file == "child/main.tf" { CHILD } else { MAIN };
            let at = |end: &str, what: &str| range[end][what].as_u64().unwrap() as usize;
            let line = source.lines().nth(at("start", "line")).unwrap();
            let text = &line[at("start", "character")..at("end", "character").min(line.len())];
            format!("{file}:{}:{text}", at("start", "line") + 1)
        };
        places.iter().map(show).collect()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_leads_to_its_declaration_and_its_uses() {
    let mut it = Workspace::open().await;
    let definitions = [
        ("main.tf", "var.si|ze * 2", "main.tf:2:\"size\""),
        ("main.tf", "range(local.dou|ble", "main.tf:10:double"),
        ("main.tf", "terraform_data.a|.id", "main.tf:16:\"a\""),
        ("main.tf", "module.ch|ild", "child/main.tf:3:\"greeting\""),
        ("main.tf", "na|me   = terr", "child/main.tf:1:\"name\""),
        ("main.tf", "\"./chi|ld\"", "child/main.tf:1:"),
        ("child/main.tf", "${var.na|me}", "child/main.tf:1:\"name\""),
    ];
    for (file, at, expected) in definitions {
        let answer = it.at("textDocument/definition", file, at).await;
        assert_eq!(it.shown(&answer), [expected], "{at}");
    }
    let uses: [(&str, &str, &[&str]); 4] = [
        (
            "main.tf",
            "variable \"si|ze\"",
            &[
                "main.tf:2:\"size\"",
                "main.tf:10:var.size",
                "main.tf:17:var.size",
            ],
        ),
        (
            "main.tf",
            "dou|ble = var",
            &[
                "main.tf:10:double",
                "main.tf:12:local.double",
                "main.tf:17:local.double",
            ],
        ),
        (
            "child/main.tf",
            "variable \"na|me\"",
            &[
                "child/main.tf:1:\"name\"",
                "child/main.tf:4:var.name",
                "main.tf:22:name",
            ],
        ),
        (
            "child/main.tf",
            "output \"greet|ing\"",
            &[
                "child/main.tf:3:\"greeting\"",
                "main.tf:26:module.child.greeting",
            ],
        ),
    ];
    for (file, at, expected) in uses {
        let answer = it.at("textDocument/references", file, at).await;
        assert_eq!(it.shown(&answer), expected, "{at}");
    }
    let highlights = it
        .at("textDocument/documentHighlight", "main.tf", "var.si|ze * 2")
        .await;
    let highlights: Vec<_> = it.shown(&highlights);
    assert_eq!(highlights, [":10:var.size", ":17:var.size", ":2:\"size\""]);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_has_an_outline_folds_and_links() {
    let mut it = Workspace::open().await;
    let folds = it
        .ask("textDocument/foldingRange", "main.tf", json!({}))
        .await;
    let folds: Vec<String> = folds
        .as_array()
        .unwrap()
        .iter()
        .map(|fold| {
            let kind = fold["kind"].as_str().unwrap_or("code");
            let line = |key: &str| fold[key].as_u64().unwrap() + 1;
            format!("{}-{} {kind}", line("startLine"), line("endLine"))
        })
        .collect();
    expect![[r#"
        [
            "1-6 region",
            "2-3 code",
            "7-8 comment",
            "9-13 code",
            "11-12 code",
            "16-17 code",
            "20-22 code",
            "25-26 code",
        ]
    "#]]
    .assert_debug_eq(&folds);

    let outline = it
        .ask("textDocument/documentSymbol", "main.tf", json!({}))
        .await;
    let names: Vec<&str> = outline
        .as_array()
        .unwrap()
        .iter()
        .map(|symbol| symbol["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "variable \"size\"",
            "locals",
            "resource \"terraform_data\" \"a\"",
            "module \"child\"",
            "output \"o\""
        ]
    );
    let found = it
        .client
        .ask("workspace/symbol", json!({ "query": "grt" }))
        .await;
    assert_eq!(found[0]["name"], "output.greeting");

    let links = it
        .ask("textDocument/documentLink", "main.tf", json!({}))
        .await;
    let targets: Vec<String> = links
        .as_array()
        .unwrap()
        .iter()
        .map(|link| link["target"].as_str().unwrap().replace(&it.uri(""), ""))
        .collect();
    assert!(targets.contains(&"child/main.tf".to_owned()), "{targets:?}");
    assert!(
        targets
            .iter()
            .any(|it| it.ends_with("/resources/terraform-data")),
        "{targets:?}"
    );

    let position = json!([{ "line": 16, "character": 47 }]);
    let chains = it
        .ask(
            "textDocument/selectionRange",
            "main.tf",
            json!({ "positions": position }),
        )
        .await;
    let mut selected = Vec::new();
    let mut chain = &chains[0];
    while !chain.is_null() {
        let at = |end: &str| {
            format!(
                "{}:{}",
                chain["range"][end]["line"], chain["range"][end]["character"]
            )
        };
        selected.push(format!("{}-{}", at("start"), at("end")));
        chain = &chain["parent"];
    }
    assert_eq!(selected.last().unwrap(), "0:0-27:0");
    assert!(selected.len() >= 6, "{selected:?}");
    it.client.shut_down().await;
}

/// Many clients read no more than 128 levels, as this one: `serde_json` does.
#[tokio::test(flavor = "multi_thread")]
async fn deep_outlines_are_cut_to_a_depth_that_clients_read() {
    let mut it = Workspace::open().await;
    let text = format!(
        "locals {{\n  a = {}1{}\n}}\n",
        "{ b = [".repeat(100),
        "] }".repeat(100)
    );
    let uri = it.uri("deep.tf");
    it.client.open_as(&uri, &text).await;
    let symbols = it
        .ask("textDocument/documentSymbol", "deep.tf", json!({}))
        .await;
    assert_eq!(symbols[0]["name"], "locals");
    let position = json!([{ "line": 1, "character": 6 + 700 }]);
    let positions = json!({ "positions": position });
    let chains = it
        .ask("textDocument/selectionRange", "deep.tf", positions)
        .await;
    let (mut count, mut chain) = (0, &chains[0]);
    while !chain.is_null() {
        (count, chain) = (count + 1, &chain["parent"]);
    }
    assert_eq!(count, 64);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_distinguished_and_changes_are_small() {
    let mut it = Workspace::open().await;
    let full = it
        .ask("textDocument/semanticTokens/full", "main.tf", json!({}))
        .await;
    let (mut line, mut column) = (0, 0);
    let lines: Vec<&str> = MAIN.lines().collect();
    let kinds = [
        "keyword",
        "type",
        "class",
        "property",
        "parameter",
        "variable",
        "function",
        "namespace",
        "number",
        "constant",
    ];
    let numbers: Vec<usize> = full["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it.as_u64().unwrap() as usize)
        .collect();
    let shown: Vec<String> = numbers
        .chunks(5)
        .filter_map(|token| {
            column = if token[0] == 0 {
                column + token[1]
            } else {
                token[1]
            };
            line += token[0];
            let text = &lines[line][column..column + token[2]];
            ([2, 9, 16].contains(&line)).then(|| format!("{text} {}", kinds[token[3]]))
        })
        .collect();
    expect![[r#"
        [
            "type property",
            "number type",
            "double property",
            "var namespace",
            "size parameter",
            "2 number",
            "input property",
            "i parameter",
            "range function",
            "local namespace",
            "double variable",
            "i parameter",
            "var namespace",
            "size parameter",
        ]
    "#]]
    .assert_debug_eq(&shown);

    let range = json!({ "range": { "start": { "line": 9, "character": 0 }, "end": { "line": 10, "character": 0 } } });
    let part = it
        .ask("textDocument/semanticTokens/range", "main.tf", range)
        .await;
    assert_eq!(part["data"].as_array().unwrap().len(), 4 * 5);

    let document = json!({ "uri": it.uri("main.tf"), "version": 2 });
    let end = json!({ "line": 27, "character": 0 });
    let change = json!({ "range": { "start": end, "end": end }, "text": "locals {}\n" });
    let params = json!({ "textDocument": document, "contentChanges": [change] });
    it.client.notify("textDocument/didChange", params).await;
    let since = json!({ "previousResultId": full["resultId"] });
    let delta = it
        .ask("textDocument/semanticTokens/full/delta", "main.tf", since)
        .await;
    assert_eq!(delta["edits"][0]["deleteCount"], 0);
    assert_eq!(delta["edits"][0]["data"].as_array().unwrap().len(), 5);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_module_knows_who_calls_it() {
    let mut it = Workspace::open().await;
    let items = it
        .at(
            "textDocument/prepareCallHierarchy",
            "main.tf",
            "\"./chi|ld\"",
        )
        .await;
    assert_eq!(items[0]["uri"], it.uri("child/main.tf"));
    let params = json!({ "item": items[0] });
    let callers = it
        .client
        .ask("callHierarchy/incomingCalls", params.clone())
        .await;
    assert_eq!(callers[0]["from"]["uri"], it.uri("main.tf"));
    assert_eq!(
        callers[0]["fromRanges"][0]["start"],
        json!({ "line": 19, "character": 7 })
    );
    let calls = it.client.ask("callHierarchy/outgoingCalls", params).await;
    assert_eq!(calls, json!([]));
    let caller = json!({ "item": callers[0]["from"] });
    let calls = it.client.ask("callHierarchy/outgoingCalls", caller).await;
    assert_eq!(calls[0]["to"]["uri"], it.uri("child/main.tf"));
    assert_eq!(calls[0]["fromRanges"].as_array().unwrap().len(), 1);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_list_calls_callers_and_providers() {
    let mut it = Workspace::open().await;
    let uri = it.uri("main.tf");
    let child = it.uri("child/main.tf");
    let run = |command: &str, uri: &str| json!({ "command": format!("planlens.{command}"), "arguments": [uri] });
    let calls = it
        .client
        .ask("workspace/executeCommand", run("moduleCalls", &uri))
        .await;
    let call = json!({ "name": "child", "source": "./child", "version": null, "uri": child });
    assert_eq!(calls, json!({ "moduleCalls": [call] }));
    let callers = it
        .client
        .ask("workspace/executeCommand", run("moduleCallers", &child))
        .await;
    assert_eq!(
        callers,
        json!({ "callers": [{ "uri": uri, "calls": ["child"] }] })
    );
    let text = format!("{MAIN}\nresource \"random_pet\" \"a\" {{\n}}\n");
    let document = json!({ "uri": uri, "version": 2 });
    let change = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
    it.client.notify("textDocument/didChange", change).await;
    it.ask("textDocument/codeLens", "main.tf", json!({})).await;
    let providers = it
        .client
        .ask("workspace/executeCommand", run("providers", &uri))
        .await;
    let random = json!({
        "name": "random",
        "source": "registry.terraform.io/hashicorp/random",
        "version": null,
        "versionConstraint": null,
    });
    assert_eq!(providers, json!([random]));
    // What was started for the root modules is started anew, and what they show is the same.
    let lenses = it.ask("textDocument/codeLens", "main.tf", json!({})).await;
    it.client
        .ask("workspace/executeCommand", run("restartProviders", &uri))
        .await;
    assert_eq!(
        it.ask("textDocument/codeLens", "main.tf", json!({})).await,
        lenses
    );
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_label_is_edited_with_its_uses() {
    let mut it = Workspace::open().await;
    let linked = it
        .at(
            "textDocument/linkedEditingRange",
            "main.tf",
            "\"terraform_data\" \"a|\"",
        )
        .await;
    let starts: Vec<_> = linked["ranges"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["start"].clone())
        .collect();
    let at = |line: u32, character: u32| json!({ "line": line, "character": character });
    assert_eq!(starts, [at(15, 27), at(21, 26)]);
    let alone = it
        .at(
            "textDocument/linkedEditingRange",
            "main.tf",
            "variable \"si|ze\"",
        )
        .await;
    assert_eq!(alone, Value::Null);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_that_is_no_file_has_the_features_of_the_syntax() {
    let mut it = Workspace::open().await;
    let before = it.uri("main.tf").replace("file://", "git:") + "?%7B%22ref%22%3A%22~%22%7D";
    let text = "resource \"terraform_data\" \"old\" {\n input = var.size\n}\n";
    for uri in [before.as_str(), "untitled:Untitled-1"] {
        it.client.open_as(uri, text).await;
        let of_it = json!({ "textDocument": { "uri": uri } });
        let symbols = it
            .client
            .ask("textDocument/documentSymbol", of_it.clone())
            .await;
        assert_eq!(
            symbols[0]["name"], "resource \"terraform_data\" \"old\"",
            "{uri}"
        );
        let mut params = of_it.clone();
        params["options"] = json!({ "tabSize": 2, "insertSpaces": true });
        let edits = it.client.ask("textDocument/formatting", params).await;
        assert_eq!(edits[0]["newText"], " ", "{uri}");
        let lenses = it.client.ask("textDocument/codeLens", of_it.clone()).await;
        assert_eq!(lenses, json!([]), "{uri}");
        let mut params = of_it;
        params["position"] = json!({ "line": 1, "character": 14 });
        let definition = it
            .client
            .ask("textDocument/definition", params.clone())
            .await;
        assert_eq!(definition, Value::Null, "{uri}");
        params["position"] = json!({ "line": 1, "character": 1 });
        let items = it.client.ask("textDocument/completion", params).await;
        let labels = crate::client::labels(&items["items"]);
        assert!(
            labels.iter().any(|label| label == "lifecycle"),
            "{uri}: {labels:?}"
        );
    }
    // The module is what it was.
    let answer = it
        .at("textDocument/references", "main.tf", "variable \"si|ze\"")
        .await;
    assert_eq!(it.shown(&answer).len(), 3);
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_name_decides_the_language() {
    let mut it = Workspace::open().await;
    let languages = [
        "terraform",
        "terraform-vars",
        "opentofu",
        "opentofu-vars",
        "tf",
        "hcl",
        "plaintext",
    ];
    for (version, language) in languages.iter().enumerate() {
        let uri = it.uri(&format!("more{version}.tf"));
        let text = "output \"x\" {\n  value = var.\n}\n";
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        it.client
            .notify("textDocument/didOpen", json!({ "textDocument": document }))
            .await;
        let position = json!({ "line": 1, "character": 14 });
        let params = json!({ "textDocument": { "uri": uri }, "position": position });
        let items = it.client.ask("textDocument/completion", params).await;
        let labels = crate::client::labels(&items["items"]);
        assert_eq!(labels, ["size"], "{language}");
    }
    it.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_languages_in_hcl_have_the_features_of_the_syntax() {
    let mut it = Workspace::open().await;
    for name in [
        "a.tfcomponent.hcl",
        "a.tfdeploy.hcl",
        "a.tfstack.hcl",
        "a.tfquery.hcl",
        "a.policy.hcl",
        "a.policytest.hcl",
    ] {
        let uri = it.uri(name);
        let text = "component \"network\" {\n source = var.size\n inputs = {\n  }\n}\n";
        it.client.open_as(&uri, text).await;
        let symbols = it.ask("textDocument/documentSymbol", name, json!({})).await;
        assert_eq!(symbols[0]["name"], "component \"network\"", "{name}");
        let options = json!({ "options": { "tabSize": 2, "insertSpaces": true } });
        let edits = it.ask("textDocument/formatting", name, options).await;
        assert!(!edits.as_array().unwrap().is_empty(), "{name}");
        let folds = it.ask("textDocument/foldingRange", name, json!({})).await;
        assert!(!folds.as_array().unwrap().is_empty(), "{name}");
        let tokens = it
            .ask("textDocument/semanticTokens/full", name, json!({}))
            .await;
        assert!(!tokens["data"].as_array().unwrap().is_empty(), "{name}");
        // Its variables are not the module's.
        let position = json!({ "position": { "line": 1, "character": 15 } });
        assert_eq!(
            it.ask("textDocument/definition", name, position).await,
            Value::Null,
            "{name}"
        );
    }
    it.client.shut_down().await;
}
