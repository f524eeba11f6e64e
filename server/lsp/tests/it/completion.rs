//! Completion and signature help, on half-typed text, with the schema of the builtin provider.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::client::{Client, editors, labels, with_engine, with_environment};

/// What every text has behind the case.
const MODULE: &str = r#"
terraform {
  required_providers {
    time = { source = "hashicorp/time" }
  }
}

provider "time" {
  alias = "slow"
}

variable "size" {
  type        = number
  default     = 3
  description = "How large it is."
}

variable "color" {
  type    = string
  default = "red"
  validation {
    condition     = contains(["red", "green"], var.color)
    error_message = "No such color."
  }
}

variable "disk" {
  type    = object({ gib = number, kind = optional(string) })
  default = { gib = 1 }
}

locals {
  name  = "web"
  nodes = { "a/1" = { zone = "x" }, b = { zone = "y" } }
}

resource "terraform_data" "first" {
  input = local.name
}

resource "terraform_data" "many" {
  for_each = local.nodes
  input    = each.value.zone
}
"#;

/// Of the module before something was taken out of it.
fn state() -> String {
    let resource = |module: Option<&str>, name: &str, keys: &[&str]| {
        let instance = |key: &&str| {
            let mut instance = json!({ "schema_version": 0, "attributes": { "id": name } });
            if !key.is_empty() {
                instance["index_key"] = json!(key);
            }
            instance
        };
        let instances: Vec<Value> = keys.iter().map(instance).collect();
        let mut resource = json!({ "mode": "managed", "type": "terraform_data", "name": name,
            "provider": "provider[\"terraform.io/builtin/terraform\"]", "instances": instances });
        if let Some(module) = module {
            resource["module"] = json!(module);
        }
        resource
    };
    let resources = [
        resource(None, "many", &["b", "gone"]),
        resource(None, "lost", &[""]),
        resource(Some("module.old"), "inside", &[""]),
    ];
    json!({ "version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "test",
        "outputs": {}, "resources": resources })
    .to_string()
}

struct Module {
    client: Client,
    dir: TempDir,
    version: i32,
}

impl Module {
    async fn open() -> Module {
        let dir = tempfile::tempdir().unwrap();
        let options = with_engine();
        fs::write(dir.path().join("main.tf"), MODULE).unwrap();
        fs::write(dir.path().join("terraform.tfstate"), state()).unwrap();
        let settings = json!({ "trust": "never" });
        let client = Client::start_with(editors::vscode(), settings, options).await;
        let mut module = Module {
            client,
            dir,
            version: 1,
        };
        let uri = module.uri();
        module.client.open_as(&uri, MODULE).await;
        module.ask("textDocument/codeLens", json!({})).await;
        module
    }

    fn uri(&self) -> String {
        format!("file://{}/main.tf", self.dir.path().display())
    }

    async fn ask(&mut self, method: &str, mut params: Value) -> Value {
        params["textDocument"] = json!({ "uri": self.uri() });
        self.client.ask(method, params).await
    }

    /// Puts `case` in front of the module, and asks at its `|`.
    async fn at_cursor(&mut self, method: &str, case: &str) -> Value {
        let (before, after) = case.split_once('|').unwrap();
        let text = format!("{before}{after}\n{MODULE}");
        self.version += 1;
        let document = json!({ "uri": self.uri(), "version": self.version });
        let params = json!({ "textDocument": document, "contentChanges": [{ "text": text }] });
        self.client.notify("textDocument/didChange", params).await;
        // Answered when the declarations are known.
        self.ask("textDocument/codeLens", json!({})).await;
        let line = before.matches('\n').count();
        let column = before.len() - before.rfind('\n').map_or(0, |at| at + 1);
        let position = json!({ "line": line, "character": column });
        self.ask(method, json!({ "position": position })).await
    }

    async fn items(&mut self, case: &str) -> Vec<Value> {
        let answer = self.at_cursor("textDocument/completion", case).await;
        let mut items = answer["items"].as_array().unwrap().clone();
        for item in &mut items {
            complete(item, &answer["itemDefaults"]);
        }
        items.sort_by_key(|item| item["sortText"].as_str().unwrap().to_owned());
        items
    }

    /// All labels, the best first.
    async fn labels(&mut self, case: &str) -> Vec<String> {
        let items = self.items(case).await;
        let labels = items
            .iter()
            .map(|item| item["label"].as_str().unwrap().to_owned());
        labels.collect()
    }
}

/// Adds what an item has in common with the list, as an editor does.
fn complete(item: &mut Value, defaults: &Value) {
    if item["data"].is_null() {
        item["data"] = defaults["data"].clone();
    }
    if item["textEdit"].is_null() {
        let edit = json!({ "range": defaults["editRange"], "newText": item["label"] });
        item["textEdit"] = edit;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn long_lists_name_their_range_once_and_no_documentation() {
    let mut module = Module::open().await;
    let case = "resource \"aws_inst|\"\n";
    let answer = module.at_cursor("textDocument/completion", case).await;
    let items = answer["items"].as_array().unwrap();
    assert!(items.len() > 1_400, "{}", items.len());
    let range =
        json!({ "start": { "line": 0, "character": 10 }, "end": { "line": 0, "character": 18 } });
    assert_eq!(answer["itemDefaults"]["editRange"], range);
    for item in items {
        for repeated in ["textEdit", "data", "documentation"] {
            assert!(item[repeated].is_null(), "{item}");
        }
    }
    let mut sleep = items
        .iter()
        .find(|it| it["label"] == "time_sleep")
        .unwrap()
        .clone();
    complete(&mut sleep, &answer["itemDefaults"]);
    let resolved = module.client.ask("completionItem/resolve", sleep).await;
    let documentation = resolved["documentation"]["value"].as_str().unwrap();
    assert!(documentation.contains("delay"), "{documentation}");
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn completion_offers_valid_items_at_the_cursor() {
    let mut module = Module::open().await;
    // The case, what is offered first, and what is not offered.
    let cases: &[(&str, &[&str], &[&str])] = &[
        // Blocks and their labels.
        ("|", &["data", "locals", "module", "output"], &["input"]),
        ("res|", &["data", "locals"], &[]),
        (
            "resource \"|\" \"x\" {\n}",
            &["terraform_data"],
            &["terraform_remote_state"],
        ),
        ("resource \"terra|", &["terraform_data"], &[]),
        (
            "data \"|\" \"x\" {}",
            &["terraform_remote_state"],
            &["terraform_data"],
        ),
        ("terraform {\n  backend \"|\" {}\n}", &["azurerm"], &[]),
        // Arguments.
        (
            "resource \"terraform_data\" \"x\" {\n  |\n}",
            &["input", "triggers_replace"],
            &["id", "output", "source"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  input = 1\n  tr|\n}",
            &["triggers_replace"],
            &["input"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  lifecycle {\n    |\n  }\n}",
            &["create_before_destroy", "ignore_changes", "prevent_destroy"],
            &["input", "lifecycle"],
        ),
        // Not closed yet.
        (
            "resource \"terraform_data\" \"x\" {\n  |\n",
            &["input", "triggers_replace"],
            &["variable"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  lifecycle {\n    precondition {\n      |\n",
            &["condition", "error_message"],
            &["input"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  input = [1,\n  triggers_replace = var.|\n",
            &["color", "disk", "size"],
            &["input"],
        ),
        // References.
        (
            "output \"x\" {\n  value = var.|\n}",
            &["color", "disk", "size"],
            &["name"],
        ),
        (
            "output \"x\" {\n  value = \"a ${local.|} b\"\n}",
            &["name", "nodes"],
            &["color"],
        ),
        (
            "output \"x\" {\n  value = terraform_data.|\n}",
            &["first", "many"],
            &["x"],
        ),
        (
            "output \"x\" {\n  value = terraform_data.first.|\n}",
            &["id", "input", "output"],
            &["first"],
        ),
        (
            "output \"x\" {\n  value = terraform_data.first.in|",
            &["id", "input", "output"],
            &["first"],
        ),
        (
            "output \"x\" {\n  value = local.nodes.|\n}",
            &["a/1", "b"],
            &["zone"],
        ),
        (
            "output \"x\" {\n  value = local.nodes[|]\n}",
            &["\"a/1\"", "\"b\""],
            &["zone"],
        ),
        (
            "output \"x\" {\n  value = local.nodes[\"|\"]\n}",
            &["a/1", "b"],
            &["zone"],
        ),
        (
            "output \"x\" {\n  value = [for k, v in local.nodes : v.|]\n}",
            &["zone"],
            &["a/1"],
        ),
        (
            "output \"x\" {\n  value = [for k, v in local.nodes : |]\n}",
            &["k", "v"],
            &[],
        ),
        (
            "output \"x\" {\n  value = var.disk.|\n}",
            &["gib", "kind"],
            &["size"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  for_each = local.nodes\n  input = each.value.|\n}",
            &["zone"],
            &["a/1"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  lifecycle {\n    postcondition {\n      condition = self.|\n    }\n  }\n}",
            &["id", "input"],
            &["first"],
        ),
        // What is ranked by its type.
        (
            "variable \"x\" {\n  type = |\n}",
            &["any", "bool", "number", "string", "list(…)"],
            &["var.size"],
        ),
        (
            "variable \"x\" {\n  type = list(|)\n}",
            &["any", "bool"],
            &["var.size"],
        ),
        (
            "variable \"x\" {\n  type = bool\n  nullable = |\n}",
            &["false", "true"],
            &["var.size"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  count = |\n}",
            &["var.size"],
            &[],
        ),
        (
            "output \"x\" {\n  value = upper(|)\n}",
            &["local.name", "var.color"],
            &[],
        ),
        // Words where no expression may stand.
        (
            "resource \"terraform_data\" \"x\" {\n  depends_on = [|]\n}",
            &["terraform_data.first", "terraform_data.many"],
            &["path.module"],
        ),
        (
            "resource \"terraform_data\" \"x\" {\n  lifecycle {\n    ignore_changes = [|]\n  }\n}",
            &["input", "triggers_replace", "all"],
            &["id"],
        ),
        (
            "data \"time_x\" \"x\" {\n  provider = |\n}",
            &["time", "time.slow"],
            &["var.size"],
        ),
        (
            "data \"time_x\" \"x\" {\n  provider = time.|\n}",
            &["slow"],
            &["time"],
        ),
        // What is only in the state comes first where an old address is wanted, and what isn't where a new one is.
        (
            "moved {\n  from = |\n}",
            &[
                "module.old",
                "module.old.terraform_data.inside",
                "terraform_data.lost",
                "terraform_data.many[\"gone\"]",
                "terraform_data.first",
            ],
            &["var.size", "terraform_data.many[\"b\"]"],
        ),
        (
            "removed {\n  from = |\n}",
            &[
                "module.old",
                "module.old.terraform_data.inside",
                "terraform_data.lost",
                "terraform_data.first",
            ],
            &["var.size", "terraform_data.many[\"gone\"]"],
        ),
        (
            "import {\n  to = |\n}",
            &["terraform_data.first", "terraform_data.many[\"a/1\"]"],
            &["terraform_data.lost"],
        ),
        (
            "moved {\n  to = |\n}",
            &["terraform_data.first", "terraform_data.many[\"a/1\"]"],
            &["terraform_data.lost", "terraform_data.many[\"gone\"]"],
        ),
        // Names that are wanted.
        (
            "output \"x\" {\n  value = var.new\n}\nvariable \"|\" {\n}",
            &["new"],
            &["size"],
        ),
        // Nowhere.
        ("# var.|", &[], &["size", "resource"]),
        ("output \"x\" {\n  value = 1|\n}", &[], &["var.size"]),
        (
            "output \"x\" {\n  value = <<-EOT\n  var.|\n  EOT\n}",
            &[],
            &["size"],
        ),
        (
            "output \"x\" {\n  value = <<-EOT\n  ${var.|}\n  EOT\n}",
            &["color", "size", "disk"],
            &[],
        ),
    ];
    let mut wrong = Vec::new();
    for (case, first, absent) in cases {
        let labels = module.labels(case).await;
        let is_right = labels.iter().zip(*first).all(|(a, b)| a == b)
            && labels.len() >= first.len()
            && !absent
                .iter()
                .any(|label| labels.iter().any(|it| it == label));
        if !is_right {
            let shown: Vec<_> = labels.iter().take(8).collect();
            wrong.push(format!("{case}\n  offered: {shown:?} of {}", labels.len()));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_item_has_kind_and_detail() {
    let mut module = Module::open().await;
    let items = module.items("output \"x\" {\n  value = var.s|\n}").await;
    let size = items.iter().find(|item| item["label"] == "size").unwrap();
    assert_eq!(size["detail"], "3");
    let start = json!({ "line": 1, "character": 14 });
    assert_eq!(size["textEdit"]["range"]["start"], start);
    let resolved = module
        .client
        .ask("completionItem/resolve", size.clone())
        .await;
    assert_eq!(resolved["documentation"]["value"], "How large it is.");

    // A key that is no name takes the dot with it.
    let items = module
        .items("output \"x\" {\n  value = local.nodes.|\n}")
        .await;
    let key = items.iter().find(|item| item["label"] == "a/1").unwrap();
    assert_eq!(key["textEdit"]["newText"], "[\"a/1\"]");
    assert_eq!(key["textEdit"]["range"]["start"]["character"], 21);

    let items = module
        .items("resource \"terraform_data\" \"x\" {\n  lifecycle {\n    prec|\n  }\n}")
        .await;
    let block = items
        .iter()
        .find(|item| item["label"] == "precondition")
        .unwrap();
    assert_eq!(
        block["textEdit"]["newText"],
        "precondition {\n  condition     = $1\n  error_message = $2\n}"
    );
    assert_eq!(block["insertTextFormat"], 2);
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_parameters_of_a_function_are_shown() {
    let mut module = Module::open().await;
    let case = "output \"x\" {\n  value = upper(join(\",\", |\n}";
    let help = module.at_cursor("textDocument/signatureHelp", case).await;
    let signature = &help["signatures"][0];
    assert_eq!(
        signature["label"],
        "join(separator: string, lists: list of string...) -> string"
    );
    assert_eq!(signature["parameters"][0]["label"], "separator: string");
    assert_eq!(
        signature["parameters"][1]["label"],
        "lists: list of string..."
    );
    assert_eq!(help["activeParameter"], 1);
    let case = "output \"x\" {\n  value = upper(\"a\")|\n}";
    assert_eq!(
        module.at_cursor("textDocument/signatureHelp", case).await,
        Value::Null
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn features_missing_from_the_release_are_not_offered() {
    let mut module = Module::open().await;
    let with = |version: &str, rest: &str| {
        format!("{rest}\nterraform {{\n  required_version = \"{version}\"\n}}")
    };
    // The only version that the module may have, the text, and what is offered there or not.
    for (version, text, name, is_offered) in [
        (
            "1.7.5",
            "output \"x\" {\n  value = template|\n}",
            "templatestring",
            false,
        ),
        (
            "1.9.8",
            "output \"x\" {\n  value = template|\n}",
            "templatestring",
            true,
        ),
        (
            "1.9.8",
            "output \"x\" {\n  value = base64g|\n}",
            "base64gunzip",
            false,
        ),
        ("1.9.8", "|", "ephemeral", false),
        ("1.10.5", "|", "ephemeral", true),
        ("1.10.5", "|", "language", false),
        ("1.10.5", "output \"x\" {\n  |\n}", "deprecated", false),
        ("1.15.3", "output \"x\" {\n  |\n}", "deprecated", true),
    ] {
        let labels = module.labels(&with(version, text)).await;
        let has = labels.iter().any(|label| label == name);
        assert_eq!(has, is_offered, "{name} in {version}: {labels:?}");
    }
    let hover = with(
        "1.7.5",
        "output \"x\" {\n  value = templ|atestring(\"a\", {})\n}",
    );
    let hover = module
        .at_cursor("textDocument/hover", &hover)
        .await
        .to_string();
    assert!(hover.contains("It was added in Terraform 1.9"), "{hover}");
}

/// A version manager may take its time to find out which Terraform is meant.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn arguments_are_completed_before_the_version_of_terraform_is_known() {
    use std::os::unix::fs::PermissionsExt;

    const TEXT: &str = "resource \"terraform_data\" \"a\" {\n  \n}\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("main.tf"), TEXT).unwrap();
    let program = dir.path().join("terraform");
    let script = "#!/bin/sh\necho $$ > pid\nuntil [ -e told ]; do sleep 0.1; done\necho '{\"terraform_version\": \"1.11.4\"}'\n";
    fs::write(&program, script).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.path().display());
    let options = with_environment([("PATH".to_owned(), path)]);
    let settings = json!({ "trust": "always" });
    let mut client = Client::start_with(editors::vscode(), settings, options).await;
    let uri = format!("file://{}/main.tf", dir.path().display());
    client.open_as(&uri, TEXT).await;
    let document = json!({ "uri": uri });
    let position = json!({ "line": 1, "character": 2 });
    let params = json!({ "textDocument": document, "position": position });
    let items = client.ask("textDocument/completion", params).await;
    let found = labels(&items["items"]);
    assert!(found.iter().any(|it| it == "triggers_replace"), "{found:?}");
    // It still thinks: else it would have been given up.
    let pid = loop {
        let pid = fs::read_to_string(dir.path().join("pid")).unwrap_or_default();
        if pid.ends_with('\n') {
            break pid;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    };
    assert!(fs::exists(format!("/proc/{}", pid.trim())).unwrap());
    fs::write(dir.path().join("told"), "").unwrap();
    let params = json!({ "textDocument": document });
    let lenses = client.ask("textDocument/codeLens", params).await;
    let lenses = lenses.to_string();
    assert!(lenses.contains("+ create"), "{lenses}");
}
