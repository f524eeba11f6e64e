//! Texts, states and providers whose every word wants to be more than a word: what an editor is told stays text. What a
//! message may hold is said in `fixture::protocol`, which looks at every message of every test.

use std::collections::BTreeMap;
use std::fs;
use std::sync::Arc;

use config::{ProviderAddr, quote};
use cty::{Type, Value as Cty};
use fixture::hostile::PIECES;
use fixture::protocol::links;
use host::{EnginePlanner, PlannerConfig};
use lsp::Options;
use provider::fake::{Behaviour, FakeProvider, FakeResource};
use provider::{FunctionError, Provider};
use schema::{Attribute, Block, FunctionParameter, FunctionSignature, NestedBlock, Nesting};
use serde_json::{Value, json};
use text::Severity;

use crate::client::{Client, editors, patient};
use crate::random::Random;

/// The host that only documentation may link to.
const DOCUMENTED: &str = "documentation.example";

/// Hosts of pages that planlens links to.
const OURS: [&str; 2] = ["developer.hashicorp.com", "registry.terraform.io"];

/// What is said in one workspace.
struct Evil {
    random: Random,
    said: Vec<String>,
}

impl Evil {
    fn new(seed: u64) -> Evil {
        Evil {
            random: Random(seed),
            said: Vec::new(),
        }
    }

    /// A string for a place that is no documentation. Often one that was said already, so that a configuration names what a
    /// schema and a state have.
    fn text(&mut self) -> String {
        if self.random.chance(40) && !self.said.is_empty() {
            return self.random.pick(&self.said).clone();
        }
        let count = 1 + self.random.below(8);
        let text: String = (0..count).map(|_| *self.random.pick(PIECES)).collect();
        self.said.push(text.clone());
        text
    }

    fn documentation(&mut self) -> String {
        let text = self.text() + &self.text();
        text.replace("evil.example", DOCUMENTED)
    }

    /// As a configuration writes it.
    fn quoted(&mut self) -> String {
        quote(&self.text())
    }

    /// Without what no file may be called.
    fn name(&mut self) -> String {
        let name = self.text().replace(['/', '\0'], "-");
        name.chars().take(40).collect()
    }

    fn described(&mut self, attribute: Attribute) -> Attribute {
        Attribute {
            description: self.documentation().into(),
            deprecated: self.random.chance(30),
            deprecation_message: self.documentation().into(),
            ..attribute
        }
    }

    /// A configuration in which `QQ` stands for a string, and `DD` for a piece of documentation.
    fn filled(&mut self, template: &str) -> String {
        let mut text = String::new();
        let mut rest = template;
        while let Some(at) = rest.find("QQ").into_iter().chain(rest.find("DD")).min() {
            text.push_str(&rest[..at]);
            text.push_str(&match &rest[at..at + 2] {
                "QQ" => self.quoted(),
                _ => quote(&self.documentation()),
            });
            rest = &rest[at + 2..];
        }
        text + rest
    }

    fn block(&mut self) -> Block {
        let string = || Attribute::new(Type::String).optional();
        let rule = Block {
            attributes: BTreeMap::from([("note".into(), self.described(string()))]),
            description: self.documentation().into(),
            ..Block::default()
        };
        let nested = |block: Block| NestedBlock {
            block,
            nesting: Nesting::List,
            min_items: 0,
            max_items: 0,
        };
        let evil: Vec<String> = (0..3).map(|_| self.text()).collect();
        Block {
            attributes: BTreeMap::from([
                (
                    "id".into(),
                    self.described(Attribute::new(Type::String).computed()),
                ),
                ("name".into(), self.described(string())),
                (
                    "tags".into(),
                    self.described(Attribute::new(Type::Map(Arc::new(Type::String))).optional()),
                ),
                (evil[0].as_str().into(), self.described(string())),
            ]),
            block_types: BTreeMap::from([
                ("rule".into(), nested(rule.clone())),
                (evil[1].as_str().into(), nested(rule)),
            ]),
            description: self.documentation().into(),
            deprecated: true,
            deprecation_message: self.documentation().into(),
            ..Block::default()
        }
    }

    fn provider(&mut self) -> FakeProvider {
        let pairs: Vec<(String, String)> = (0..3).map(|_| (self.text(), self.text())).collect();
        let things = FakeResource::new(self.block())
            .with("name", Behaviour::ForcesReplacement)
            .with("tags", Behaviour::ForcesReplacement)
            .validated_by(move |_| {
                let pairs = pairs.iter().cloned();
                let warning =
                    |(summary, detail)| provider::said(Severity::Warning, summary, detail, None);
                pairs.map(warning).collect()
            });
        let parameter = |evil: &mut Evil| FunctionParameter {
            name: evil.text().into(),
            ty: Type::String,
            allow_null_value: false,
            allow_unknown_values: false,
            description: evil.documentation().into(),
            description_kind: Default::default(),
        };
        let function = FunctionSignature {
            parameters: vec![parameter(self), parameter(self)],
            variadic_parameter: None,
            return_type: Type::String,
            summary: self.documentation().into(),
            description: self.documentation().into(),
            description_kind: Default::default(),
            deprecation_message: self.documentation().into(),
        };
        let (fault, answer) = (self.text(), self.text());
        FakeProvider::new()
            .with_config(self.block())
            .with_resource("fake_thing", things)
            .with_function("evil", function.clone(), move |_| Ok(Cty::string(&answer)))
            .with_function("fault", function, move |_| {
                Err(FunctionError {
                    text: fault.clone(),
                    argument: Some(0),
                })
            })
    }

    /// Objects of earlier: some differ from the configuration, some are not in it.
    fn state(&mut self) -> String {
        let fake = "provider[\"registry.terraform.io/hashicorp/fake\"]";
        let builtin = "provider[\"terraform.io/builtin/terraform\"]";
        let mut resources = Vec::new();
        for (name, key) in [("a", None), ("b", Some(self.text())), ("gone", None)] {
            let mut instance = json!({ "schema_version": 0, "attributes":
                { "id": self.text(), "name": self.text(), "tags": { self.text(): self.text() } } });
            if let Some(key) = key {
                instance["index_key"] = key.into();
            }
            let deposed = json!({ "deposed": self.text(), "schema_version": 0, "attributes": { "id": self.text() } });
            resources.push(
                json!({ "mode": "managed", "type": "fake_thing", "name": name, "provider": fake,
                "instances": [instance, deposed] }),
            );
        }
        let input = json!({ "value": { self.text(): self.text() }, "type": ["map", "string"] });
        let string = json!({ "value": self.text(), "type": "string" });
        let attributes = json!({ "id": self.text(), "input": input, "output": input, "triggers_replace": string });
        resources.push(
            json!({ "mode": "managed", "type": "terraform_data", "name": "t", "provider": builtin,
            "instances": [{ "schema_version": 0, "attributes": attributes }] }),
        );
        let outputs = json!({ "o": { "value": self.text(), "type": "string" }, self.text(): { "value": self.text(), "type": "string" } });
        json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "x", "outputs": outputs,
            "resources": resources })
        .to_string()
    }
}

const CONFIGURATION: &str = r#"terraform {
  required_providers {
    fake = { source = "hashicorp/fake", version = QQ }
    odd  = { source = QQ }
  }
}
variable "a" {
  description = DD
  type        = map(string)
  default     = { QQ = QQ }
}
variable "b" {
  description = DD
  default     = { QQ = { QQ = [QQ] } }
  validation {
    condition     = length(var.a) > 99
    error_message = QQ
  }
}
locals {
  x = { QQ = QQ, QQ = var.a, (QQ) = var.b }
  y = [QQ, "${length(QQ)}"]
  z = upper(QQ)
}
output "o" {
  description = DD
  value       = local.x
}
output "f" {
  value = [provider::fake::evil(QQ, QQ), provider::fake::fault(QQ, "x"), nofunction(QQ)]
}
provider "fake" {
  name = QQ
}
provider QQ {}
resource "fake_thing" "a" {
  name = upper(QQ)
  tags = { QQ = upper(QQ), QQ = local.z }
  QQ   = 1
  rule {
    note = QQ
  }
  dynamic QQ {
    for_each = [QQ]
    content {}
  }
  lifecycle {
    precondition {
      condition     = var.a == null
      error_message = QQ
    }
  }
}
resource "fake_thing" "b" {
  for_each = toset([QQ, QQ])
  name     = each.key
}
resource "terraform_data" "t" {
  input            = merge(local.x, { QQ = QQ })
  triggers_replace = upper(QQ)
}
resource QQ QQ {
  QQ = QQ
}
data QQ "x" {}
module "m" {
  source   = "./mod"
  for_each = toset([QQ, "two"])
  in       = each.key
  QQ       = 1
}
module "n" {
  source  = QQ
  version = QQ
}
check "c" {
  assert {
    condition     = length(local.x) == 77
    error_message = QQ
  }
}
moved {
  from = fake_thing.gone[QQ]
  to   = fake_thing.b[QQ]
}
import {
  to = fake_thing.c
  id = QQ
}
output "broken" {
  value = fake_thing.a[QQ].
}
"#;

const CALLED: &str = r#"variable "in" {
  description = DD
}
output "out" {
  description = DD
  value       = { QQ = var.in }
}
"#;

/// The links of every piece of Markdown in a message.
fn all_links(message: &Value) -> Vec<String> {
    match message {
        Value::Array(items) => items.iter().flat_map(all_links).collect(),
        Value::Object(members) if members.get("kind").is_some_and(|it| it == "markdown") => {
            links(members["value"].as_str().unwrap()).unwrap()
        }
        Value::Object(members) => members.values().flat_map(all_links).collect(),
        _ => Vec::new(),
    }
}

/// Where the tokens of a text begin: line, and UTF-16 character in it.
fn places(text: &str) -> Vec<(usize, usize)> {
    let of_line = |(number, line): (usize, &str)| {
        let mut places = Vec::new();
        let mut before = ' ';
        let mut column = 0;
        for c in line.chars() {
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            if !(c.is_whitespace() || is_word(c) && is_word(before)) {
                places.push((number, column));
            }
            before = c;
            column += c.len_utf16();
        }
        places
    };
    text.split('\n').enumerate().flat_map(of_line).collect()
}

/// Asks for all that an editor may ask for. Answers how much of it was Markdown, and where that leads.
async fn shown(seed: u64, capabilities: Value) -> (usize, Vec<String>) {
    let mut evil = Evil::new(seed);
    let dir = tempfile::tempdir().unwrap();
    let module = dir.path().join(evil.name());
    fs::create_dir_all(module.join("mod")).unwrap();
    let provider: Arc<dyn Provider> = Arc::new(evil.provider());
    let text = evil.filled(CONFIGURATION);
    fs::write(module.join("main.tf"), &text).unwrap();
    fs::write(module.join("mod/main.tf"), evil.filled(CALLED)).unwrap();
    fs::write(module.join("terraform.tfstate"), evil.state()).unwrap();
    fs::write(
        module.join(evil.name() + ".tfvars"),
        evil.filled("a = { QQ = QQ }\nQQ = 1\n"),
    )
    .unwrap();
    fs::write(
        module.join(evil.name() + ".tf"),
        evil.filled("locals {\n  more = QQ\n}\n"),
    )
    .unwrap();
    let config = PlannerConfig {
        variables: Default::default(),
        cache_dir: None,
        now: || "2026-01-01T00:00:00Z".to_string(),
    };
    let given = BTreeMap::from([(ProviderAddr::implied("fake"), provider)]);
    let options = Options {
        planner: Arc::new(EnginePlanner::with_providers(config, given)),
        ..patient()
    };
    let settings = json!({ "trust": "always", "hints": { "parameterNames": true } });
    let mut client = Client::start_with(capabilities, settings, options).await;
    let path = module.join("main.tf");
    let uri = tower_lsp_server::ls_types::Uri::from_file_path(&path).unwrap();
    let uri = uri.as_str().to_owned();
    client.open_as(&uri, &text).await;
    let mut answers = vec![client.wait_for_plans().await];
    let document = json!({ "uri": uri });
    let everywhere =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9999, "character": 0 } });
    for method in [
        "textDocument/inlayHint",
        "textDocument/codeLens",
        "textDocument/documentLink",
        "textDocument/documentSymbol",
        "textDocument/codeAction",
        "planlens/environments",
        "planlens/callers",
    ] {
        let params = json!({ "textDocument": document, "range": everywhere, "context": { "diagnostics": [] } });
        answers.push(client.ask(method, params).await);
    }
    for command in [
        "planlens.moduleCalls",
        "planlens.moduleCallers",
        "planlens.providers",
    ] {
        let params = json!({ "command": command, "arguments": [uri] });
        answers.push(client.ask("workspace/executeCommand", params).await);
    }
    answers.push(client.ask("workspace/symbol", json!({ "query": "" })).await);
    let plan = uri
        .replacen("file:", "planlens-plan:", 1)
        .replace("main.tf", "x.planlens-plan");
    answers.push(
        client
            .ask("workspace/textDocumentContent", json!({ "uri": plan }))
            .await,
    );
    let places = places(&text);
    for _ in 0..90 {
        let (line, character) = *evil.random.pick(&places);
        let at = json!({ "textDocument": document, "position": { "line": line, "character": character } });
        for method in [
            "textDocument/hover",
            "textDocument/completion",
            "textDocument/signatureHelp",
            "textDocument/prepareCallHierarchy",
        ] {
            let answer = client.ask(method, at.clone()).await;
            if let Some(items) = answer["items"].as_array().filter(|it| !it.is_empty()) {
                let item = evil.random.pick(items).clone();
                answers.push(client.ask("completionItem/resolve", item).await);
            }
            answers.push(answer);
        }
    }
    client.shut_down().await;
    let rendered = answers
        .iter()
        .map(|it| it.to_string().matches("\"markdown\"").count())
        .sum();
    (rendered, answers.iter().flat_map(all_links).collect())
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_a_stranger_wrote_is_live_in_an_editor() {
    let is_allowed = |link: &String| {
        let host = link
            .strip_prefix("https://")
            .and_then(|it| it.split(['/', '?', '#']).next());
        host.is_some_and(|host| host.starts_with(DOCUMENTED) || OURS.contains(&host))
    };
    let mut all = Vec::new();
    for seed in 0..4 {
        let (rendered, links) = shown(seed, editors::vscode()).await;
        assert!(rendered > 50, "only {rendered} pieces of Markdown");
        let others: Vec<&String> = links.iter().filter(|it| !is_allowed(it)).collect();
        assert_eq!(others, Vec::<&String>::new(), "seed {seed}");
        all.extend(links);
    }
    // What documentation links to is not lost.
    assert!(
        all.iter()
            .any(|link| link.starts_with("https://documentation.example"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_without_markdown_gets_none() {
    for seed in 100..102 {
        let (rendered, _) = shown(seed, editors::eglot()).await;
        assert_eq!(rendered, 0, "seed {seed}");
    }
}
