//! Asks a language server, and brings its answers into a form that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::inputs::{Input, Question};
use super::support::client::Client;

pub struct Server<'a> {
    pub client: Client,
    root: String,
    module: &'a Path,
    versions: BTreeMap<String, i64>,
    /// The file and the text that were asked about last.
    current: (String, String),
}

impl<'a> Server<'a> {
    /// Opens all files of a module.
    pub fn start(mut client: Client, module: &'a Path, options: Value) -> Server<'a> {
        let root = format!("file://{}", module.display());
        let item = json!({ "snippetSupport": true, "documentationFormat": ["markdown"] });
        client.ask(
            "initialize",
            json!({
                "processId": null,
                "rootUri": root,
                "workspaceFolders": [{ "uri": root, "name": "module" }],
                "capabilities": {
                    "textDocument": {
                        "completion": { "completionItem": item },
                        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                        "hover": { "contentFormat": ["markdown"] },
                    },
                },
                "initializationOptions": options,
            }),
        );
        client.notify("initialized", json!({}));
        let mut server = Server {
            client,
            root,
            module,
            versions: BTreeMap::new(),
            current: Default::default(),
        };
        for file in ["main.tf", "network/main.tf", "probe.tf", "terraform.tfvars"] {
            let text = fs::read_to_string(module.join(file)).unwrap();
            let uri = server.uri(file);
            let language = match file.ends_with(".tf") {
                true => "terraform",
                false => "terraform-vars",
            };
            server.client.open(&uri, language, &text);
            server.versions.insert(file.to_owned(), 1);
        }
        server
    }

    fn uri(&self, file: &str) -> String {
        format!("{}/{file}", self.root)
    }

    /// Makes the text of the input the one that questions are about. Answers whether it was another one.
    pub fn show(&mut self, input: &Input) -> bool {
        let wanted = (input.file.clone(), input.text.clone());
        if self.current == wanted {
            return false;
        }
        let (before, _) = std::mem::replace(&mut self.current, wanted);
        if !before.is_empty() && before != input.file {
            let saved = fs::read_to_string(self.module.join(&before)).unwrap();
            self.change(&before, &saved);
        }
        self.change(&input.file, &input.text);
        true
    }

    fn change(&mut self, file: &str, text: &str) {
        let version = self.versions.get_mut(file).unwrap();
        *version += 1;
        let version = *version;
        let document = json!({ "uri": self.uri(file), "version": version });
        self.client.notify(
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": [{ "text": text }] }),
        );
    }

    pub fn document(&self, input: &Input) -> Value {
        json!({ "textDocument": { "uri": self.uri(&input.file) } })
    }

    /// The answer, with nothing in it that depends on the machine or on the server.
    pub fn ask(&mut self, input: &Input) -> Value {
        let mut params = self.document(input);
        let method = match input.question {
            Question::Completion => "textDocument/completion",
            Question::Hover => "textDocument/hover",
            Question::Definition => "textDocument/definition",
            Question::References => "textDocument/references",
            Question::Symbols => "textDocument/documentSymbol",
        };
        if input.question != Question::Symbols {
            params["position"] = json!({ "line": input.line, "character": input.character });
        }
        if input.question == Question::References {
            params["context"] = json!({ "includeDeclaration": true });
        }
        let id = self.client.request(method, params);
        // terraform-ls answers with an error where it finds nothing.
        let answer = self.client.answer(id)["result"].clone();
        match input.question {
            Question::Completion => labels(input, &answer),
            Question::Hover => hover(&answer, &self.module.display().to_string()),
            // One server leads to the name of a declaration, the other to the whole of it.
            Question::Definition => {
                self.places(&answer, |range| format!("line {}", range["start"]["line"]))
            }
            Question::References => self.places(&answer, |range| {
                let start = &range["start"];
                format!("{}:{}", start["line"], start["character"])
            }),
            Question::Symbols => {
                let mut names = BTreeSet::new();
                symbols("", &answer, &mut names);
                json!(names)
            }
        }
    }

    /// The file of each location, and a note about its range.
    fn places(&self, answer: &Value, place: impl Fn(&Value) -> String) -> Value {
        let alone = std::slice::from_ref(answer);
        let locations = answer.as_array().map_or(alone, Vec::as_slice);
        let shown = locations.iter().filter_map(|it| {
            let uri = it["uri"].as_str()?;
            let file = uri.strip_prefix(&self.root)?.trim_start_matches('/');
            Some(format!("{file} {}", place(&it["range"])))
        });
        json!(shown.collect::<BTreeSet<String>>())
    }
}

/// The labels, each with the text before it in its reference: one server offers `name` behind `var.`, and the other
/// replaces the whole by `var.name`. One puts quotes into labels, and the other not.
fn labels(input: &Input, answer: &Value) -> Value {
    let items = answer["items"].as_array().or(answer.as_array());
    let full = items.into_iter().flatten().map(|item| {
        let start = &item["textEdit"]["range"]["start"]["character"];
        let start = start
            .as_u64()
            .map_or(input.character, |start| start as usize);
        let label = item["label"].as_str().unwrap().trim_matches('"');
        format!("{}{label}", input.reference_before(start))
    });
    json!(full.collect::<BTreeSet<String>>())
}

fn hover(answer: &Value, module: &str) -> Value {
    let text = answer["contents"]["value"].as_str();
    let text = text.map(|text| text.replace(module, "."));
    text.map_or(
        Value::Null,
        |text| json!({ "range": range(&answer["range"]), "text": text }),
    )
}

fn symbols(path: &str, answer: &Value, names: &mut BTreeSet<String>) {
    for symbol in answer.as_array().into_iter().flatten() {
        let name = format!("{path}/{}", symbol["name"].as_str().unwrap());
        names.insert(format!("{name} {}", symbol["range"]["start"]["line"]));
        symbols(&name, &symbol["children"], names);
    }
}

fn range(range: &Value) -> String {
    let place = |end: &str| format!("{}:{}", range[end]["line"], range[end]["character"]);
    format!("{}-{}", place("start"), place("end"))
}
