//! Many root modules in one folder, and completion among many types.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::editor::Editor;
use crate::{Bench, EDITS, at, percentile};

const SHARED: usize = 80;
/// How long nothing happens.
const IDLE: Duration = Duration::from_secs(60);

/// A folder with 500 root modules, of which each calls four of 80 shared ones.
pub fn monorepo(bench: &Bench) -> String {
    let folder = bench.folder.join("monorepo");
    let roots = bench.size(500);
    write(&folder, roots);
    let begin = Instant::now();
    let mut editor = open(bench, &folder, &folder.join("modules/m7/main.tf"));
    editor.wait_for_plan();
    let opened = begin.elapsed();
    bench.within(format!("{roots} root modules: opening"), opened, 2_000);
    let mut timed = |method: &str, params: Value| {
        let begin = Instant::now();
        let id = editor.request(method, params);
        let (answer, _) = editor.answer(id);
        (answer, editor.arrived - begin)
    };
    let (symbols, symbols_time) = timed("workspace/symbol", json!({ "query": "of_root_" }));
    let place = json!({
        "textDocument": { "uri": format!("file://{}/modules/m7/main.tf", folder.display()) },
        "position": { "line": 0, "character": 11 },
        "context": { "includeDeclaration": true },
        "newName": "title",
    });
    let (references, references_time) = timed("textDocument/references", place.clone());
    let (edit, rename_time) = timed("textDocument/rename", place);
    let count = |found: &Value| found.as_array().map_or(0, Vec::len);
    let renamed = edit["changes"].as_object().map_or(0, |it| it.len());
    for root in 0..4 {
        let file = folder.join(format!("live/root{}/main.tf", root * roots / 4));
        let text = fs::read_to_string(&file).unwrap();
        let uri = format!("file://{}", file.display());
        editor.open(&uri, "terraform", &text);
    }
    editor.wait_for_plan();
    let before = editor.processor_times().0;
    std::thread::sleep(IDLE);
    let idle = editor.processor_times().0 - before;
    let share = idle.as_secs_f64() / IDLE.as_secs_f64() * 100.0;
    let memory = editor.peak_memory().unwrap_or_default() >> 20;
    let idle = bench.gate(
        format!("{roots} root modules: idle with five open"),
        format!("{share:.2} %"),
        "<= 0.1 %",
        share <= 0.1,
    );
    let held = bench.gate(
        format!("{roots} root modules: memory"),
        format!("{memory} MiB"),
        "<= 150 MiB",
        memory <= 150,
    );
    editor.stop();
    format!(
        "{roots} root modules, {SHARED} shared: opened and planned in {} ms, at most {memory} MiB ({held}); {} symbols in {} ms, \
         {} references in {} ms, a rename in {renamed} files in {} ms; idle {share:.2} % ({idle})\n",
        opened.as_millis(),
        count(&symbols),
        symbols_time.as_millis(),
        count(&references),
        references_time.as_millis(),
        rename_time.as_millis(),
    )
}

/// All types of a large provider that is not installed, after each keystroke.
pub fn types(bench: &Bench) -> String {
    let folder = bench.folder.join("types");
    fs::create_dir_all(&folder).unwrap();
    let text = "terraform {\n  required_providers {\n    aws = { source = \"hashicorp/aws\" }\n  }\n}\n\nresource \"aws_\"\n";
    fs::write(folder.join("main.tf"), text).unwrap();
    let mut editor = open(bench, &folder, &folder.join("main.tf"));
    editor.wait_for_plan();
    let words = ["a", "aws", "aws_", "aws_i", "aws_inst"];
    let (mut times, mut most) = (Vec::new(), 0);
    for word in words.iter().cycle().take(EDITS) {
        editor.type_name(6, word);
        let begin = Instant::now();
        let place = json!({
            "textDocument": { "uri": editor.uri },
            "position": { "line": 6, "character": 10 + word.len() },
        });
        let id = editor.request("textDocument/completion", place);
        let (answer, _) = editor.answer(id);
        times.push(editor.arrived - begin);
        most = most.max(answer["items"].as_array().map_or(0, Vec::len));
    }
    editor.stop();
    times.sort();
    let met = bench.within(
        "completion among the types of aws, p95",
        percentile(&times, 95),
        10,
    );
    format!(
        "completion among {most} types: p50 {} ms, p95 {} ms ({met})\n",
        at(&times, 50),
        at(&times, 95)
    )
}

fn open(bench: &Bench, folder: &Path, file: &Path) -> Editor {
    let mut command = bench.planlens(folder);
    let log = fs::File::create(bench.log()).unwrap();
    command.arg("lsp").stderr(log);
    Editor::launch_file(&mut command, "warn", folder, file, "terraform")
}

fn write(folder: &Path, roots: usize) {
    let shared = "variable \"name\" {\n  type = string\n}\n\nresource \"terraform_data\" \"all\" {\n  count = 8\n  input = var.name\n}\n\noutput \"id\" {\n  value = terraform_data.all[0].id\n}\n";
    let file = |path: String, text: &str| {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    for module in 0..SHARED {
        file(format!("modules/m{module}/main.tf"), shared);
    }
    for root in 0..roots {
        let calls = (0..4).map(|call| {
            let module = (root * 3 + call) % SHARED;
            format!("module \"m{call}\" {{\n  source = \"../../modules/m{module}\"\n  name   = \"root{root}\"\n}}\n\n")
        });
        let calls: String = calls.collect();
        let output = format!("output \"of_root_{root}\" {{\n  value = module.m0.id\n}}\n");
        file(format!("live/root{root}/main.tf"), &(calls + &output));
        file(format!("live/root{root}/.terraform.lock.hcl"), "");
        for passed_over in [".terraform/modules/a", ".git/b", "node_modules/c"] {
            file(format!("live/root{root}/{passed_over}/main.tf"), shared);
        }
    }
}
