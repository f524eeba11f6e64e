//! The plan as a document beside the text, and as a list.

use std::fs;

use expect_test::{Expect, expect};
use serde_json::json;

use crate::client::{Client, editors, with_engine};

/// Opens `text` as a module, and compares its plan document, and what of it is listed as a guess.
async fn check(text: &str, document: Expect, guessed: Expect) {
    let dir = tempfile::tempdir().unwrap();
    let module = dir.path().join("module");
    fs::create_dir(&module).unwrap();
    fs::write(module.join("main.tf"), text).unwrap();
    let options = with_engine();
    let settings = json!({ "trust": "never" });
    let mut client = Client::start_with(editors::helix(), settings, options).await;
    let uri = format!("file://{}/main.tf", module.display());
    client.open_as(&uri, text).await;
    let plans = client.wait_for_plans().await;
    let plan = format!("planlens-plan:{}/module.planlens-plan", module.display());
    let method = "workspace/textDocumentContent";
    let answer = client.ask(method, json!({ "uri": plan })).await;
    document.assert_eq(answer["text"].as_str().unwrap());
    let listed = plans["plans"][0]["guessed"].as_array().unwrap().iter();
    let line = |it: &serde_json::Value| {
        let range = &it["location"]["range"];
        let (from, to) = (&range["start"]["line"], &range["end"]["line"]);
        let text = |key: &str| it[key].as_str().unwrap().to_owned();
        format!(
            "{}, lines {from} to {to}: {}\n",
            text("address"),
            text("why")
        )
    };
    guessed.assert_eq(&listed.map(line).collect::<String>());
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_document_begins_with_the_changes() {
    check(
        r#"resource "terraform_data" "a" {
  input = "x"
}
"#,
        expect![[r##"
            # module · up to date with the text

              # terraform_data.a will be created
              + resource "terraform_data" "a" {
                  + id     = (known after apply)
                  + input  = "x"
                  + output = (known after apply)
                }

            Plan: 1 to add, 0 to change, 0 to destroy.
        "##]],
        expect![[r#""#]],
    )
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unread_state_shows_no_changes() {
    check(
        r#"terraform {
  backend "http" {
    address = "http://127.0.0.1:1/state"
  }
}

resource "terraform_data" "a" {
  input = "x"
}
"#,
        expect![[r##"
            # module · up to date with the text
            # a guess: terraform_data.a: state not read: it is in the backend "http"

            The changes are unknown until the state is read. To read it, run the command *Replan*, or save a file if the setting `state` is `onSave`.
        "##]],
        expect![[r#"
            terraform_data.a, lines 6 to 8: state not read: it is in the backend "http"
        "#]],
    )
    .await;
}
