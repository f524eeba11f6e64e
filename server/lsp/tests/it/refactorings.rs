//! Refactorings in the editor: offered as actions, made and proven when they are chosen.

use std::fs;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use crate::client::{editors, range};
use crate::engine::Module;

fn resolving() -> Value {
    let mut capabilities = editors::vscode();
    capabilities["textDocument"]["codeAction"] =
        json!({ "dataSupport": true, "resolveSupport": { "properties": ["edit"] } });
    capabilities
}

/// The action of this title on the first line.
async fn action(module: &mut Module, title: &str) -> Option<Value> {
    module.lenses().await;
    let params = json!({
        "textDocument": { "uri": module.uri() },
        "range": range((0, 5), (0, 5)),
        "context": { "diagnostics": [], "only": ["refactor"] },
    });
    let actions = module.client.ask("textDocument/codeAction", params).await;
    let mut actions = actions.as_array().unwrap().iter();
    actions.find(|it| it["title"] == title).cloned()
}

/// The same once the text that was typed last is planned: until then, the server answers from the plan before.
async fn action_of_newest_text(module: &mut Module, title: &str) -> Value {
    for _ in 0..100 {
        if let Some(action) = action(module, title).await {
            return action;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("not offered: {title}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refactoring_is_made_and_proven_when_it_is_chosen() {
    let mut module = Module::open(resolving()).await;
    let title = "Add count to terraform_data.a";
    let action = action(&mut module, title).await.unwrap();
    assert_eq!(
        (&action["kind"], &action["edit"]),
        (&json!("refactor.rewrite"), &Value::Null)
    );
    let resolved = module.client.ask("codeAction/resolve", action).await;
    let said = "Add count to terraform_data.a: no changes to infrastructure";
    assert_eq!(resolved["title"], said);
    let edit = &resolved["edit"];
    assert_eq!(
        edit["changeAnnotations"]["refactoring"],
        json!({ "label": said, "needsConfirmation": false })
    );
    let changes = edit["documentChanges"].as_array().unwrap();
    let edits = changes[0]["edits"].as_array().unwrap();
    let texts: Vec<&str> = edits
        .iter()
        .map(|it| it["newText"].as_str().unwrap())
        .collect();
    let moved = "\nmoved {\n  from = terraform_data.a\n  to   = terraform_data.a[0]\n}\n";
    assert_eq!(texts, ["\n  count = 1\n", moved, "[0]"]);
    assert_eq!(changes.len(), 1);
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn forgetting_an_object_asks_first() {
    let mut module = Module::open(resolving()).await;
    let title = "Replace terraform_data.a with a removed block that keeps its objects";
    let action = action(&mut module, title).await.unwrap();
    let resolved = module.client.ask("codeAction/resolve", action).await;
    let annotation = &resolved["edit"]["changeAnnotations"]["refactoring"];
    assert_eq!(annotation["needsConfirmation"], true);
    let description = annotation["description"].as_str().unwrap();
    assert!(
        description.contains("terraform_data.a would be forgotten"),
        "{description}"
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_does_not_resolve_gets_none() {
    let mut module = Module::open(editors::vscode()).await;
    let title = "Add count to terraform_data.a";
    assert_eq!(action(&mut module, title).await, None);
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_changed_since_is_not_edited() {
    let mut module = Module::open(resolving()).await;
    let title = "Add count to terraform_data.a";
    let action = action(&mut module, title).await.unwrap();
    let change = json!({ "range": range((0, 0), (0, 0)), "text": "\n" });
    module.change(1, change).await;
    let id = module.client.request("codeAction/resolve", action).await;
    let answer = module.client.answer(id).await;
    assert_eq!(answer["error"]["code"], -32801);
    module.client.shut_down().await;
}

/// Why no edit is made, now that there is another file with uses.
async fn refusal_beside(module: &mut Module, other: &Path) -> String {
    let uri = format!("file://{}", other.display());
    let watched = json!({ "changes": [{ "uri": uri, "type": 1 }] });
    module
        .client
        .notify("workspace/didChangeWatchedFiles", watched)
        .await;
    let title = "Add count to terraform_data.a";
    let action = action(module, title).await.unwrap();
    let id = module.client.request("codeAction/resolve", action).await;
    let answer = module.client.answer(id).await;
    answer["error"]["message"].as_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_read_only_file_is_not_edited() {
    let mut module = Module::open(resolving()).await;
    let other = module.dir.path().join("outputs.tf");
    fs::write(
        &other,
        "output \"id\" {\n  value = terraform_data.a.id\n}\n",
    )
    .unwrap();
    let mut permissions = fs::metadata(&other).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&other, permissions).unwrap();
    assert_eq!(
        refusal_beside(&mut module, &other).await,
        "outputs.tf would change, but is read-only."
    );
    module.client.shut_down().await;
}

#[cfg(unix)]
#[tokio::test(flavor = "multi_thread")]
async fn a_link_out_of_the_workspace_is_not_edited() {
    let mut module = Module::open(resolving()).await;
    let outside = tempfile::tempdir().unwrap();
    let target = outside.path().join("profile");
    fs::write(
        &target,
        "output \"id\" {\n  value = terraform_data.a.id\n}\n",
    )
    .unwrap();
    let link = module.dir.path().join("outputs.tf");
    std::os::unix::fs::symlink(&target, &link).unwrap();
    assert_eq!(
        refusal_beside(&mut module, &link).await,
        "outputs.tf would change, but a link leads to it outside of the workspace."
    );
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_unsaved_text_of_another_file_is_edited() {
    let mut module = Module::open(resolving()).await;
    let other = module.dir.path().join("outputs.tf");
    fs::write(&other, "").unwrap();
    let uri = format!("file://{}", other.display());
    let text = "# unsaved\noutput \"id\" {\n  value = terraform_data.a.id\n}\n";
    module.client.open_as(&uri, text).await;
    let title = "Add count to terraform_data.a";
    let action = action(&mut module, title).await.unwrap();
    let resolved = module.client.ask("codeAction/resolve", action).await;
    let changes = resolved["edit"]["documentChanges"].as_array().unwrap();
    let change = changes
        .iter()
        .find(|it| it["textDocument"]["uri"] == uri.as_str());
    let change = change.unwrap();
    assert_eq!(change["textDocument"]["version"], 0);
    assert_eq!(change["edits"][0]["range"], range((2, 26), (2, 26)));
    assert_eq!(change["edits"][0]["newText"], "[0]");
    module.client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_configuration_of_an_import_is_generated_from_the_read_object() {
    const IMPORT: &str = "import {\n  to = terraform_data.c\n  id = \"some\"\n}\n\n";
    let title = "Generate the configuration of terraform_data.c";
    for (trust, is_saved) in [("always", true), ("always", false), ("never", true)] {
        let mut module = Module::open_with(resolving(), json!({ "trust": trust })).await;
        let change = json!({ "range": range((0, 0), (0, 0)), "text": IMPORT });
        module.change(1, change).await;
        if is_saved {
            let path = module.dir.path().join("main.tf");
            let before = fs::read_to_string(&path).unwrap();
            fs::write(&path, format!("{IMPORT}{before}")).unwrap();
            let saved = json!({ "textDocument": { "uri": module.uri() } });
            module.client.notify("textDocument/didSave", saved).await;
        }
        let action = action_of_newest_text(&mut module, title).await;
        let id = module.client.request("codeAction/resolve", action).await;
        let answer = module.client.answer(id).await;
        if trust == "always" && is_saved {
            let said = format!("{title}: no changes to infrastructure");
            assert_eq!(answer["result"]["title"], said, "{answer}");
            let edit = &answer["result"]["edit"]["documentChanges"][0]["edits"][0];
            let text = edit["newText"].as_str().unwrap();
            assert!(text.contains("resource \"terraform_data\" \"c\""), "{text}");
        } else {
            let message = answer["error"]["message"].as_str().unwrap();
            assert!(
                message.contains("saved files in a trusted workspace"),
                "{message}"
            );
        }
        module.client.shut_down().await;
    }
}
