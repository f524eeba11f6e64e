//! Nothing that came with a workspace is started without a yes.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use ide::PlanJob;
use lsp::{Options, Planner, Report};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use crate::client::{Client, editors};

/// Tells for each plan whether it may start plugins.
struct Trusting(mpsc::UnboundedSender<bool>);

impl Planner for Trusting {
    fn plan(&self, job: PlanJob, report: Report) -> BoxFuture<'static, ()> {
        let _ = self.0.send(job.snapshot.is_trusted());
        let needs_plugin = job
            .snapshot
            .files()
            .any(|(_, source)| source.document().text().contains("a = "));
        if needs_plugin && !job.snapshot.is_trusted() {
            report.refused(vec!["acme/one".into(), "acme/two".into()]);
        }
        Box::pin(async {})
    }
}

async fn start(capabilities: Value, options: Value) -> (Client, mpsc::UnboundedReceiver<bool>) {
    let (sender, plans) = mpsc::unbounded_channel();
    let server = Options {
        planner: Arc::new(Trusting(sender)),
        ..Options::default()
    };
    let mut client = Client::connect(server);
    client.asks_test = vec!["window/showMessageRequest", "workspace/configuration"];
    client.initialize(capabilities, options).await;
    client.notify("initialized", json!({})).await;
    (client, plans)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_user_is_asked_and_a_yes_allows_plugins() {
    let (mut client, mut plans) = start(editors::neovim_0_10(), json!({})).await;
    client.open("a = 1").await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    let question = client.incoming("window/showMessageRequest").await;
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("acme/one, acme/two"), "{message}");
    assert_eq!(plans.recv().await, Some(false));
    let yes = question["params"]["actions"][0].clone();
    client.reply(&question, yes).await;
    while plans.recv().await != Some(true) {}
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn no_answer_an_error_or_another_answer_is_no_yes() {
    for answer in [
        json!(null),
        json!({ "title": "Not now" }),
        json!("Trust this workspace"),
    ] {
        let (mut client, mut plans) = start(editors::vscode(), json!({})).await;
        client.open("a = 1").await;
        let question = client.incoming("workspace/configuration").await;
        client.reply(&question, json!([{}])).await;
        let question = client.incoming("window/showMessageRequest").await;
        match answer {
            Value::Null => client.refuse(&question).await,
            answer => client.reply(&question, answer).await,
        }
        client.change(1, json!([{ "text": "a = 2" }])).await;
        client.hover(0, 0).await;
        client.shut_down().await;
        while let Some(is_trusted) = plans.recv().await {
            assert!(!is_trusted);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_cannot_ask_tells_about_the_setting() {
    let (mut client, mut plans) = start(editors::helix(), json!({})).await;
    client.open("a = 1").await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    let message = client.incoming("window/showMessage").await;
    assert!(
        message["params"]["message"]
            .as_str()
            .unwrap()
            .contains("\"trust\"")
    );
    assert!(!client.has("window/showMessageRequest"));
    assert_eq!(plans.recv().await, Some(false));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn settings_answer_the_question_before_it_is_asked() {
    for (trust, is_trusted) in [("always", true), ("never", false)] {
        // By the options of the start, and by the configuration that is asked for.
        for is_pulled in [false, true] {
            let options = if is_pulled {
                json!({})
            } else {
                json!({ "trust": trust })
            };
            let (mut client, mut plans) = start(editors::vscode(), options).await;
            client.open("a = 1").await;
            let question = client.incoming("workspace/configuration").await;
            let configuration = if is_pulled {
                json!([{ "trust": trust }])
            } else {
                json!([null])
            };
            client.reply(&question, configuration).await;
            client.hover(0, 0).await;
            assert!(!client.has("window/showMessageRequest"), "{trust}");
            client.shut_down().await;
            let mut last = None;
            while let Some(plan) = plans.recv().await {
                last = Some(plan);
            }
            assert_eq!(last, Some(is_trusted), "{trust} {is_pulled}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_is_asked_where_no_plugin_would_start() {
    let (mut client, mut plans) = start(editors::vscode(), json!({})).await;
    client.open("b = 1").await;
    let question = client.incoming("workspace/configuration").await;
    client.reply(&question, json!([null])).await;
    assert_eq!(plans.recv().await, Some(false));
    client.change(1, json!([{ "text": "b = 2" }])).await;
    assert_eq!(plans.recv().await, Some(false));
    client.hover(0, 0).await;
    assert!(!client.has("window/showMessageRequest"));
    client.shut_down().await;
}
