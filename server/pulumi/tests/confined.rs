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
