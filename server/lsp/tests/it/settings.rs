//! Settings arrive in each of the ways that editors have, and wrong ones are named.

use std::sync::{Arc, Mutex};

use ide::LogLevel;
use lsp::Options;
use serde_json::json;

use crate::client::{Client, editors};

#[tokio::test(flavor = "multi_thread")]
async fn unknown_and_wrong_settings_are_reported_once() {
    let wrong = json!({ "trust": "never", "enable": { "hovering": true }, "paused": "no", "moved": { "file": "../../evil.tf" } });
    let mut client = Client::start(editors::quiet(), wrong.clone()).await;
    let message = client.incoming("window/showMessage").await;
    let message = message["params"]["message"].as_str().unwrap();
    assert!(
        message.contains("there is no setting \"enable.hovering\""),
        "{message}"
    );
    assert!(
        message.contains("\"paused\" must be true or false"),
        "{message}"
    );
    // A folder's settings could have another one written otherwise.
    assert!(
        message.contains("\"moved.file\" must be the name of a .tf file"),
        "{message}"
    );

    client.open("word").await;
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": wrong }),
        )
        .await;
    assert_eq!(client.hover(0, 0).await, "word");
    assert!(!client.has("window/showMessage"), "reported once");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_group_that_is_switched_off_answers_nothing() {
    let options = json!({ "trust": "never", "enable": { "hover": false } });
    let mut client = Client::start(editors::quiet(), options).await;
    client.open("word").await;
    assert_eq!(client.hover(0, 0).await, "");
    let settings = json!({ "planlens": { "enable": { "hover": true } } });
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": settings }),
        )
        .await;
    assert_eq!(client.hover(0, 0).await, "word");
    // A later configuration takes the place of the earlier one.
    let settings = json!({ "planlens": { "enable": { "codeLens": false } } });
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": settings }),
        )
        .await;
    assert_eq!(client.hover(0, 0).await, "");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_without_settings_is_asked_for() {
    let mut client = Client::connect(Options::default());
    client.asks_test = vec!["workspace/configuration"];
    client
        .initialize(editors::vscode(), json!({ "trust": "never" }))
        .await;
    client.notify("initialized", json!({})).await;
    client.open("word").await;
    let question = client.incoming("workspace/configuration").await;
    assert_eq!(
        question["params"]["items"],
        json!([{ "section": "planlens" }])
    );
    client.reply(&question, json!([null])).await;
    assert_eq!(client.hover(0, 0).await, "`word`");
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": null }),
        )
        .await;
    let question = client.incoming("workspace/configuration").await;
    client
        .reply(&question, json!([{ "enable": { "hover": false } }]))
        .await;
    assert_eq!(client.hover(0, 0).await, "");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_level_is_set_at_the_start_and_when_it_changes() {
    let levels = Arc::new(Mutex::new(Vec::new()));
    let seen = levels.clone();
    let options = Options {
        set_log_level: Arc::new(move |level| seen.lock().unwrap().push(level)),
        ..Options::default()
    };
    let said = json!({ "log": { "level": "error" } });
    let mut client = Client::start_with(editors::quiet(), said, options).await;
    let settings = json!({ "log.level": "debug" });
    client
        .notify(
            "workspace/didChangeConfiguration",
            json!({ "settings": settings }),
        )
        .await;
    client.shut_down().await;
    let levels = levels.lock().unwrap();
    assert_eq!(
        (levels.first(), levels.last()),
        (Some(&LogLevel::Error), Some(&LogLevel::Debug))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn watchers_are_registered_where_the_client_can() {
    let mut client = Client::start(editors::helix(), json!({ "trust": "never" })).await;
    let question = client.incoming("client/registerCapability").await;
    let watchers = &question["params"]["registrations"][0]["registerOptions"]["watchers"];
    assert!(
        watchers.to_string().contains("terraform.tfstate"),
        "{question}"
    );
    client.shut_down().await;

    let mut client = Client::start(editors::neovim_0_10(), json!({ "trust": "never" })).await;
    client.open("word").await;
    client.hover(0, 0).await;
    assert!(!client.has("client/registerCapability"));
    client.shut_down().await;
}
