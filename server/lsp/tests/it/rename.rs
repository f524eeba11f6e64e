//! Renaming in the editor: the edit of the workspace, and what its plan says.

use serde_json::{Value, json};

use crate::client::{editors, range};
use crate::engine::Module;

fn place(module: &Module, line: u32, character: u32) -> Value {
    json!({
        "textDocument": { "uri": module.uri() },
        "position": { "line": line, "character": character },
    })
}

async fn rename(module: &mut Module, new_name: &str) -> Value {
    let mut params = place(module, 0, 28);
    params["newName"] = json!(new_name);
    module.client.ask("textDocument/rename", params).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_comes_with_its_moved_block_and_the_proof() {
    let mut module = Module::open(editors::vscode()).await;
    let prepare = place(&module, 0, 28);
    let prepared = module
        .client
        .ask("textDocument/prepareRename", prepare)
        .await;
    assert_eq!(
        prepared,
        json!({ "range": range((0, 27), (0, 28)), "placeholder": "a" })
    );
    let edit = rename(&mut module, "first").await;
    assert_eq!(
        edit,
        json!({
            "documentChanges": [{
                "textDocument": { "uri": module.uri(), "version": 0 },
                "edits": [
                    change(range((0, 27), (0, 28)), "first"),
                    change(range((4, 0), (4, 0)), &format!("\n{BLOCK}")),
                    change(range((6, 25), (6, 26)), "first"),
                ],
            }],
            "changeAnnotations": {
                "refactoring": {
                    "label": "Rename terraform_data.a to first: no changes to infrastructure",
                    "needsConfirmation": false,
                },
            },
        })
    );
    // The plan of the text as it is was not disturbed.
    module
        .change(
            1,
            json!({ "range": range((2, 22), (2, 25)), "text": "one" }),
        )
        .await;
    let lenses = module.lenses().await;
    assert!(
        lenses.iter().all(|lens| lens.contains("no change")),
        "{lenses:?}"
    );
    module.client.shut_down().await;
}

/// For the renamed resource.
const BLOCK: &str = "moved {\n  from = terraform_data.a\n  to   = terraform_data.first\n}\n";

fn change(range: Value, text: &str) -> Value {
    json!({ "range": range, "newText": text, "annotationId": "refactoring" })
}

#[tokio::test(flavor = "multi_thread")]
async fn the_file_that_is_chosen_for_moved_blocks_is_created() {
    let settings = json!({ "moved": { "file": "moved.tf" } });
    let mut module = Module::open_with(editors::vscode(), settings).await;
    let edit = rename(&mut module, "first").await;
    let moved = module.uri().replace("main.tf", "moved.tf");
    let operations = edit["documentChanges"].as_array().unwrap();
    let created = json!({ "kind": "create", "uri": moved, "options": { "ignoreIfExists": true }, "annotationId": "refactoring" });
    let text = json!({
        "textDocument": { "uri": moved, "version": null },
        "edits": [change(range((0, 0), (0, 0)), BLOCK)],
    });
    assert_eq!(operations[1..], [created, text]);
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rename_that_destroys_asks_first() {
    let mut module =
        Module::open_with(editors::vscode(), json!({ "moved": { "write": "never" } })).await;
    let edit = rename(&mut module, "first").await;
    let annotation = &edit["changeAnnotations"]["refactoring"];
    assert_eq!(
        *annotation,
        json!({
            "label": "Rename terraform_data.a to first: 1 to add, 1 to change, 1 to destroy",
            "needsConfirmation": true,
            "description": "terraform_data.a would be destroyed\nterraform_data.b would be changed\nterraform_data.first would be created",
        })
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_without_change_annotations_gets_a_message() {
    let mut module =
        Module::open_with(editors::quiet(), json!({ "moved": { "write": "never" } })).await;
    let edit = rename(&mut module, "first").await;
    let edits = edit["changes"][module.uri()].as_array().unwrap();
    assert_eq!(edits.len(), 2, "{edit}");
    let message = module.client.incoming("window/showMessage").await;
    let message = message["params"]["message"].as_str().unwrap();
    assert!(message.contains("1 to destroy"), "{message}");
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_makes_no_files_is_given_edits_alone() {
    let settings = json!({ "moved": { "file": "moved.tf" } });
    let mut module = Module::open_with(editors::eglot(), settings).await;
    let edit = rename(&mut module, "first").await;
    let moved = module.uri().replace("main.tf", "moved.tf");
    assert_eq!(edit["changes"][moved][0]["newText"], BLOCK, "{edit}");
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_rename_gives_its_reason() {
    let mut module = Module::open(editors::vscode()).await;
    let mut refused = async |method: &str, line, character, new_name: &str| {
        let mut params = place(&module, line, character);
        params["newName"] = json!(new_name);
        let id = module.client.request(method, params).await;
        let answer = module.client.answer(id).await;
        answer["error"]["message"].as_str().unwrap().to_string()
    };
    assert_eq!(
        refused("textDocument/prepareRename", 1, 4, "").await,
        "Nothing here can be renamed."
    );
    assert_eq!(
        refused("textDocument/rename", 0, 27, "b").await,
        "terraform_data.b already exists."
    );
    module.client.shut_down().await;
}
