//! `planlens plan -watch`: the plan now, and again when a file changes.

mod support;

use std::fs;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use support::{planlens, printed, scratch};

#[test]
fn a_changed_file_is_planned_again() {
    let folder = scratch("a_changed_file_is_planned_again");
    fs::create_dir(folder.join("m")).unwrap();
    let call = "module \"m\" {\n  source = \"./m\"\n}\n";
    fs::write(folder.join("main.tf"), call).unwrap();
    let module =
        |value: &str| format!("resource \"terraform_data\" \"a\" {{\n  input = {value}\n}}\n");
    fs::write(folder.join("m/main.tf"), module("\"one\"")).unwrap();
    let mut command = planlens(&folder);
    let mut server = command
        .args(["plan", "-watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(server.stdout.take().unwrap()).lines();
    let mut until_waiting = || {
        let mut plan = String::new();
        loop {
            let line = lines.next().unwrap().unwrap();
            if line.contains("waiting for changes") {
                return plan;
            }
            plan += &format!("{line}\n");
        }
    };
    assert!(until_waiting().contains("+ input  = \"one\""));
    fs::write(folder.join("m/main.tf"), module("\"second\"")).unwrap();
    assert!(until_waiting().contains("+ input  = \"second\""));
    fs::write(folder.join("more.tf"), module("var.nope")).unwrap();
    assert!(!until_waiting().contains("Plan:"));
    fs::remove_file(folder.join("more.tf")).unwrap();
    assert!(until_waiting().contains("Plan: 1 to add"));
    let process = support::editor::children(server.id());
    let mut end = Command::new("kill");
    end.args(["-INT", &process[0].to_string()])
        .status()
        .unwrap();
    server.wait().unwrap();

    let mut refused = planlens(&folder);
    let refused = refused.args(["plan", "-watch", "-json"]).output().unwrap();
    assert!(printed(&refused).contains("-watch cannot be combined with -json"));
}
