//! Files that a program reads.

#![cfg(unix)]

mod editor;

use std::fs;
use std::os::unix::fs::symlink;

use editor::Editor;
use pulumi::value::Value;

#[test]
fn functions_read_nothing_outside_of_a_project_that_is_not_trusted() {
    let around = tempfile::tempdir().unwrap();
    let project = around.path().join("project");
    fs::create_dir_all(project.join("inner")).unwrap();
    for place in [
        "outside.zip",
        "project/inside.zip",
        "project/inner/inside.zip",
    ] {
        fs::write(around.path().join(place), "text").unwrap();
    }
    symlink("../outside.zip", project.join("link.zip")).unwrap();
    symlink("..", project.join("inner/up")).unwrap();
    let outside = around.path().join("outside.zip").display().to_string();
    let text = Value::from("text");
    let mut editor = Editor::open();
    editor.dir = project;
    for (path, is_inside) in [
        ("inside.zip", true),
        ("./inner/inside.zip", true),
        (&*outside, false),
        ("../outside.zip", false),
        ("inner/../inside.zip", false),
        ("link.zip", false),
        ("inner/../inside.zip", false),
    ] {
        for function in ["readFile", "filebase64", "fileAsset", "fileArchive"] {
            let program =
                format!("name: shop\nruntime: yaml\noutputs:\n  o: {{fn::{function}: '{path}'}}\n");
            editor.reads_everywhere = false;
            let plan = editor.plan(&program);
            let is_read = plan.outputs["o"] != Value::Unknown;
            assert_eq!(is_read, is_inside, "{function} {path}");
            assert_eq!(plan.reads_outside(), !is_inside, "{function} {path}");
            editor.reads_everywhere = true;
            let plan = editor.plan(&program);
            assert!(!plan.reads_outside());
            if function == "readFile" {
                assert_eq!(plan.outputs["o"], text, "{path}");
            }
        }
    }
}

#[test]
fn archives_follow_no_link_out_of_a_project_that_is_not_trusted() {
    let around = tempfile::tempdir().unwrap();
    let project = around.path().join("project");
    fs::create_dir_all(project.join("site")).unwrap();
    let outside = around.path().join("outside.txt");
    symlink(&outside, project.join("site/linked")).unwrap();
    let mut editor = Editor::open();
    editor.dir = project;
    let mut planned = |text: &str, reads_everywhere: bool| {
        fs::write(&outside, text).unwrap();
        editor.reads_everywhere = reads_everywhere;
        let program = "name: shop\nruntime: yaml\noutputs:\n  o: {fn::fileArchive: site}\n  p: {fn::assetArchive: {a: {fn::fileArchive: site}}}\n";
        let plan = editor.plan(program);
        (plan.reads_outside(), plan.outputs.clone())
    };
    let (secret, other) = (planned("secret", false), planned("other", false));
    assert!(secret.0);
    assert_eq!(secret.1, other.1);
    let (secret, other) = (planned("secret", true), planned("other", true));
    assert!(!secret.0);
    assert_ne!(secret.1, other.1);
}
