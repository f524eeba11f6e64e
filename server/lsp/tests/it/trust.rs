//! Nothing that came with a workspace is started without a yes.

use std::path::Path;
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
        // As far as the first document goes.
        let Some((file, _)) = job.snapshot.files().next() else {
            return Box::pin(async {});
        };
        let dir = Path::new(file.path()).parent().unwrap();
        let is_trusted = job
            .snapshot
            .is_trusted(&dir.canonicalize().unwrap_or(dir.to_owned()));
        let _ = self.0.send(is_trusted);
        let needs_plugin = job
            .snapshot
            .files()
            .any(|(_, source)| source.document().text().contains("a = "));
        if needs_plugin && !is_trusted {
            report.refused(dir.to_owned(), vec!["acme/one".into(), "acme/two".into()]);
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
            Value::Null => {
                client.refuse(&question).await;
                let message = client.incoming("window/showMessage").await;
                let message = message["params"]["message"].as_str().unwrap().to_owned();
                assert!(
                    message.contains("setting \"trust\" is \"always\""),
                    "{message}"
                );
            }
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

/// A server whose state folder is in `folder`, on a document of a folder that it has open.
async fn start_in(folder: &Path, opened: &str) -> (Client, mpsc::UnboundedReceiver<bool>) {
    let (sender, plans) = mpsc::unbounded_channel();
    let server = Options {
        planner: Arc::new(Trusting(sender)),
        state_dir: Some(folder.join("state")),
        ..Options::default()
    };
    let mut client = Client::connect(server);
    client.asks_test = vec!["window/showMessageRequest"];
    client.folder = format!("file://{}", folder.join(opened).display());
    let mut capabilities = editors::neovim_0_10();
    capabilities["workspace"]["configuration"] = json!(false);
    client.initialize(capabilities, json!({})).await;
    client.notify("initialized", json!({})).await;
    let uri = format!("{}/main.tf", client.folder);
    client.open_as(&uri, "a = 1").await;
    (client, plans)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_yes_is_kept_for_the_folder_that_it_was_given_for() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["home/cloned", "elsewhere"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let link = |from: &str, to: &str| {
        let to = folder.path().join(to);
        std::os::unix::fs::symlink(folder.path().join(from), to).unwrap();
    };
    link("home", "linked");
    link("elsewhere", "home/link");
    let (mut client, _plans) = start_in(folder.path(), "home").await;
    let question = client.incoming("window/showMessageRequest").await;
    let yes = question["params"]["actions"][0].clone();
    client.reply(&question, yes).await;
    client.shut_down().await;

    // Also by another name; but not what lies in it and is opened by itself, and not where a link in it leads.
    for (opened, is_trusted) in [
        ("home", true),
        ("linked", true),
        ("home/cloned", false),
        ("home/link", false),
        ("elsewhere", false),
    ] {
        let (mut client, mut plans) = start_in(folder.path(), opened).await;
        assert_eq!(plans.recv().await, Some(is_trusted), "{opened}");
        if !is_trusted {
            client.incoming("window/showMessageRequest").await;
        }
        assert!(!client.has("window/showMessageRequest"), "{opened}");
        client.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_in_a_trusted_folder_leads_to_no_trusted_one() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["home", "elsewhere"] {
        std::fs::create_dir_all(folder.path().join(name)).unwrap();
    }
    let link = folder.path().join("home/link");
    std::os::unix::fs::symlink(folder.path().join("elsewhere"), link).unwrap();
    let (mut client, mut plans) = start_in(folder.path(), "home").await;
    let question = client.incoming("window/showMessageRequest").await;
    let yes = question["params"]["actions"][0].clone();
    client.reply(&question, yes).await;
    while plans.recv().await != Some(true) {}
    let main = json!({ "textDocument": { "uri": format!("{}/main.tf", client.folder) } });
    client.notify("textDocument/didClose", main).await;
    let uri = format!("{}/link/main.tf", client.folder);
    client.open_as(&uri, "a = 1").await;
    let question = client.incoming("window/showMessageRequest").await;
    let message = question["params"]["message"].as_str().unwrap();
    assert!(message.contains("elsewhere have to start"), "{message}");
    client.shut_down().await;
}
