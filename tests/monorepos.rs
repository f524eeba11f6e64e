//! Many root modules in one folder, of which few are open; and Terragrunt's files.

mod support;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use support::editor::Editor;
use support::{planlens, scratch};

const ROOTS: usize = 60;
const MODULES: usize = 8;

const SHARED: &str = "variable \"name\" {
  type = string
}

resource \"terraform_data\" \"all\" {
  input = var.name
}

output \"id\" {
  value = terraform_data.all.id
}
";

fn write(file: &Path, text: &str) {
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(file, text).unwrap();
}

/// Each root module calls one of the shared ones, and has folders beside it that nobody may read.
fn monorepo(dir: &Path) {
    for module in 0..MODULES {
        write(&dir.join(format!("modules/m{module}/main.tf")), SHARED);
    }
    for root in 0..ROOTS {
        let text = format!(
            "module \"shared\" {{
  source = \"../../modules/m{}\"
  name   = \"root{root}\"
}}

output \"of_root_{root}\" {{
  value = module.shared.id
}}
",
            root % MODULES
        );
        let root = dir.join(format!("live/root{root}"));
        write(&root.join("main.tf"), &text);
        for passed_over in [".terraform/modules/a", ".git/b", "node_modules/c"] {
            write(
                &root.join(passed_over).join("main.tf"),
                "output \"of_root_junk\" {}\n",
            );
        }
    }
}

fn open(folder: &Path, file: &Path, language: &str) -> Editor {
    let mut command = planlens(folder);
    let log = fs::File::create(folder.with_file_name("server.log")).unwrap();
    command.arg("lsp").stderr(log);
    Editor::launch_file(&mut command, "warn", folder, file, language)
}

fn files_of(places: &Value) -> BTreeSet<String> {
    let places = places.as_array().unwrap().iter();
    let uris = places.map(|place| place["uri"].as_str().unwrap().to_owned());
    uris.collect()
}

#[test]
fn names_are_found_and_renamed_in_all_root_modules() {
    let folder = scratch("names_are_found_and_renamed_in_all_root_modules").join("repo");
    monorepo(&folder);
    let shared = folder.join("modules/m3/main.tf");
    let mut editor = open(&folder, &shared, "terraform");
    editor.wait_for_plan();

    let id = editor.request("workspace/symbol", json!({ "query": "of_root_" }));
    let symbols = editor.answer(id).0;
    assert_eq!(symbols.as_array().unwrap().len(), ROOTS);

    let callers = (0..ROOTS).filter(|root| root % MODULES == 3).count();
    let at = |line: u64, character: u64| {
        json!({
            "textDocument": { "uri": format!("file://{}", shared.display()) },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true },
            "newName": "title",
        })
    };
    for (what, line, character) in [("the variable", 0, 11), ("the output", 8, 9)] {
        let id = editor.request("textDocument/references", at(line, character));
        let found = files_of(&editor.answer(id).0);
        assert_eq!(found.len(), callers + 1, "{what}: {found:?}");
    }

    let id = editor.request("textDocument/rename", at(0, 11));
    let edit = editor.answer(id).0;
    let changed = edit["changes"].as_object().unwrap();
    assert_eq!(changed.len(), callers + 1, "{edit}");
    assert!(editor.plugin_ids().is_empty());
    editor.stop();
}

#[test]
fn files_of_terragrunt_are_known_by_name() {
    let folder = scratch("files_of_terragrunt_are_known_by_name").join("repo");
    let unit = folder.join("live/app/terragrunt.hcl");
    write(&folder.join("modules/app/main.tf"), SHARED);
    write(
        &folder.join("root.hcl"),
        "locals {\n  region = \"eu-west-1\"\n}\n",
    );
    write(&folder.join("live/vpc/terragrunt.hcl"), "");
    let text = r#"include "root" {
  path = find_in_parent_folders("root.hcl")
}

terraform {
  source = "../..//modules/app"
}

dependency "vpc" {
  config_path = "../vpc"
}

dependency "missing" {
  config_path = "../missing"
}

inputs = {
  name = dependency.vpc.outputs.name
  size =   2
}
"#;
    write(&unit, text);
    let mut editor = open(&folder, &unit, "terragrunt");
    let document = json!({ "uri": editor.uri });

    let id = editor.request(
        "textDocument/documentLink",
        json!({ "textDocument": document }),
    );
    let links = editor.answer(id).0;
    let base = format!("file://{}/", folder.display());
    let links = links.as_array().unwrap().iter();
    let targets = links.map(|link| {
        let line = &link["range"]["start"]["line"];
        format!(
            "{line} {}",
            link["target"].as_str().unwrap().replace(&base, "")
        )
    });
    let targets: Vec<String> = targets.collect();
    assert_eq!(
        targets,
        [
            "1 root.hcl",
            "5 modules/app/main.tf",
            "9 live/vpc/terragrunt.hcl"
        ]
    );

    let id = editor.request(
        "textDocument/documentSymbol",
        json!({ "textDocument": document }),
    );
    assert_eq!(editor.answer(id).0.as_array().unwrap().len(), 5);
    let id = editor.request(
        "textDocument/foldingRange",
        json!({ "textDocument": document }),
    );
    assert_eq!(editor.answer(id).0.as_array().unwrap().len(), 5);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": document, "options": options });
    let id = editor.request("textDocument/formatting", params);
    let edits = editor.answer(id).0;
    assert!(!edits.as_array().unwrap().is_empty());
    assert!(editor.last_diagnostics().is_empty());
    editor.stop();
}

#[test]
fn units_of_terragrunt_are_callers_of_their_module() {
    let folder = scratch("units_of_terragrunt_are_callers_of_their_module").join("repo");
    let module = folder.join("modules/app/main.tf");
    let variables =
        "variable \"name\" {}\nvariable \"size\" {}\nvariable \"key\" {\n  sensitive = true\n}\n";
    write(&module, variables);
    let unit = "terraform {
  source = \"../../modules//app\"
}

inputs = {
  name  = \"web\"
  size  = 2
  key   = \"hidden\"
  other = \"no variable\"
}
";
    write(&folder.join("live/app/terragrunt.hcl"), unit);
    let other = unit.replace("modules//app", "modules//other");
    write(&folder.join("live/other/terragrunt.hcl"), &other);
    // The path in a file that is included starts at the unit.
    let included = "terraform {\n  source = \"../../modules//app\"\n}\n";
    write(&folder.join("shared/parts/app.hcl"), included);
    let including = "include \"app\" {\n  path = \"../../shared/parts/app.hcl\"\n}\n\ninputs = {\n  name = 1\n}\n";
    write(&folder.join("live/shared/terragrunt.hcl"), including);
    // So does one that functions make.
    fs::create_dir_all(folder.join(".git")).unwrap();
    for (name, source) in [
        ("repository", "${get_repo_root()}/modules//app"),
        (
            "above",
            "${dirname(find_in_parent_folders(\"root.hcl\"))}/modules/app",
        ),
        ("unit", "${get_terragrunt_dir()}/../../modules/app"),
        ("unknown", "${get_env(\"ROOT\")}/modules/app"),
    ] {
        let unit = format!("terraform {{\n  source = \"{source}\"\n}}\n");
        write(&folder.join(format!("live/{name}/terragrunt.hcl")), &unit);
    }
    write(&folder.join("root.hcl"), "");
    let mut editor = open(&folder, &module, "terraform");
    editor.wait_for_plan();
    let at = json!({
        "textDocument": { "uri": editor.uri },
        "position": { "line": 0, "character": 0 },
    });
    let id = editor.request("textDocument/prepareCallHierarchy", at);
    let items = editor.answer(id).0;
    let id = editor.request("callHierarchy/incomingCalls", json!({ "item": items[0] }));
    let callers = editor.answer(id).0;
    assert_eq!(callers.as_array().unwrap().len(), 5, "{callers}");
    for (file, detail) in [
        ("app", "name = \"web\", size = 2"),
        ("shared", "name = 1"),
        ("repository", ""),
        ("above", ""),
        ("unit", ""),
    ] {
        let mut callers = callers.as_array().unwrap().iter();
        let file = format!("live/{file}/terragrunt.hcl");
        let caller = callers.find(|it| it["from"]["uri"].as_str().unwrap().ends_with(&file));
        let caller = caller.unwrap();
        assert_eq!(caller["from"]["detail"].as_str().unwrap_or(""), detail);
        assert_eq!(caller["fromRanges"][0]["start"]["line"], 1);
    }

    let rename = json!({
        "textDocument": { "uri": editor.uri },
        "position": { "line": 0, "character": 11 },
        "newName": "title",
    });
    let id = editor.request("textDocument/rename", rename);
    let edit = editor.answer(id).0;
    let base = format!("file://{}/", folder.display());
    let changed = edit["changes"].as_object().unwrap().iter();
    let changed = changed.map(|(uri, edits)| {
        let texts = edits.as_array().unwrap().iter();
        let texts = texts.map(|it| it["newText"].as_str().unwrap().trim());
        (
            uri.replace(&base, ""),
            texts.collect::<Vec<_>>().join(" | "),
        )
    });
    let expected = [
        ("live/app/terragrunt.hcl", "title = \"web\""),
        ("live/shared/terragrunt.hcl", "title"),
        ("modules/app/main.tf", "title"),
    ];
    assert_eq!(
        changed.collect::<Vec<_>>(),
        expected.map(|(file, text)| (file.to_owned(), text.to_owned()))
    );
    editor.stop();
}

#[test]
fn names_in_files_of_terragrunt_lead_to_their_declarations() {
    let folder = scratch("names_in_files_of_terragrunt").join("repo");
    let variables = "variable \"name\" {\n  type = string\n}\n\nvariable \"size\" {}\n";
    write(&folder.join("modules/app/main.tf"), variables);
    let root = "locals {\n  region = \"eu-west-1\"\n}\n";
    write(&folder.join("root.hcl"), root);
    write(
        &folder.join("live/vpc/terragrunt.hcl"),
        "terraform {\n  source = \"../../modules/vpc\"\n}\n",
    );
    let outputs = "output \"id\" {\n  value = 1\n}\n\noutput \"name\" {\n  value = 2\n}\n";
    write(&folder.join("modules/vpc/outputs.tf"), outputs);
    let unit = folder.join("live/app/terragrunt.hcl");
    let text = r#"include "root" {
  path   = find_in_parent_folders("root.hcl")
  expose = true
}

terraform {
  source = "../..//modules/app"
}

locals {
  prefix = "app-${local.region}"
  region = include.root.locals.region
}

dependency "vpc" {
  config_path = "../vpc"
}

inputs = {
  name = "${local.prefix}-${dependency.vpc.outputs.name}"
  size = local.unknown
}
"#;
    write(&unit, text);
    let mut editor = open(&folder, &unit, "terragrunt");
    let uri = editor.uri.clone();
    let mut places = |method: &str, line: u64, character: u64| -> Vec<String> {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
            "context": { "includeDeclaration": true },
        });
        let id = editor.request(method, params);
        let answer = editor.answer(id).0;
        let all = answer.as_array().cloned();
        let all = all.unwrap_or_else(|| vec![answer]).into_iter();
        let all = all.filter(|it| !it.is_null());
        let place = |it: Value| {
            let file = it["uri"]
                .as_str()
                .unwrap()
                .rsplit_once("/repo/")
                .unwrap()
                .1
                .to_owned();
            let start = &it["range"]["start"];
            format!("{file} {}:{}", start["line"], start["character"])
        };
        all.map(place).collect()
    };
    let own = "live/app/terragrunt.hcl";
    for (what, line, character, expected) in [
        ("a local value", 10, 23, format!("{own} 11:2")),
        (
            "a local value of the included file",
            11,
            31,
            "root.hcl 1:2".to_owned(),
        ),
        ("an include", 11, 20, format!("{own} 0:8")),
        ("a dependency", 19, 42, format!("{own} 14:11")),
        (
            "an output of a dependency",
            19,
            52,
            "modules/vpc/outputs.tf 4:7".to_owned(),
        ),
        ("an input", 19, 3, "modules/app/main.tf 0:0".to_owned()),
        ("a path", 15, 20, "live/vpc/terragrunt.hcl 0:0".to_owned()),
    ] {
        let found = places("textDocument/definition", line, character);
        assert_eq!(found, [expected], "{what}");
    }
    assert!(
        places("textDocument/definition", 20, 18).is_empty(),
        "it is not declared"
    );
    let uses = places("textDocument/references", 11, 4);
    assert_eq!(uses, [format!("{own} 10:18"), format!("{own} 11:2")]);
    let mut offered = |character: u64| -> Vec<String> {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": 19, "character": character },
        });
        let id = editor.request("textDocument/completion", params);
        let answer = editor.answer(id).0;
        let items = answer["items"].as_array().cloned();
        let items = items.unwrap_or_default().into_iter();
        items
            .map(|it| it["label"].as_str().unwrap().to_owned())
            .collect()
    };
    assert_eq!(offered(52), ["id", "name"]);
    assert!(offered(36).is_empty(), "only outputs are offered");
    let mut hovered = |line: u64, character: u64| {
        let params = json!({
            "textDocument": { "uri": uri },
            "position": { "line": line, "character": character },
        });
        let id = editor.request("textDocument/hover", params);
        let answer = editor.answer(id).0;
        answer["contents"]["value"].as_str().map(str::to_owned)
    };
    for (what, line, character, expected) in [
        (
            "a local value",
            10,
            23,
            "region = include.root.locals.region",
        ),
        (
            "a local value of the included file",
            11,
            31,
            "region = \"eu-west-1\"",
        ),
        ("a dependency", 19, 42, "config_path = \"../vpc\""),
        ("an output of a dependency", 19, 52, "output \"name\""),
        ("an input", 19, 3, "name : string"),
        ("a path", 15, 20, "Unit ../vpc"),
        ("the source", 6, 15, "Module ../..//modules/app"),
    ] {
        let text = hovered(line, character).unwrap_or_default();
        assert!(text.contains(expected), "{what}: {text}");
    }
    assert_eq!(hovered(20, 18), None, "it is not declared");
    editor.stop();
}
