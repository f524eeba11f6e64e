//! Plans run beside the loop, one at a time, and their results reach the editor.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use futures_util::future::BoxFuture;
use ide::{
    CodeLens, HintKind, InlayHint, LensKind, PlanJob, PlanSink, PlanTrigger, PlanUpdate, Planner,
    SegmentFacts,
};
use lsp::Options;
use serde_json::{Value, json};
use text::{Diagnostic, FileId, SegmentId, Span, TextRange, TextSize};
use tokio::sync::{Semaphore, mpsc};

use crate::client::{Client, URI, editors, everywhere, labels, range};

/// Says about each segment what its first word is, when it is let.
struct Scripted {
    lets: Arc<Semaphore>,
    sender: mpsc::UnboundedSender<Event>,
}

#[derive(PartialEq, Debug)]
enum Event {
    Started(PlanTrigger),
    Dropped,
    Ended,
}

/// Tells when a plan is dropped before its end.
struct Guard(Option<mpsc::UnboundedSender<Event>>);

impl Guard {
    fn disarm(&mut self) {
        self.0 = None;
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(sender) = self.0.take() {
            let _ = sender.send(Event::Dropped);
        }
    }
}

impl Planner for Scripted {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> BoxFuture<'static, ()> {
        let (lets, sender) = (self.lets.clone(), self.sender.clone());
        let _ = sender.send(Event::Started(job.reason));
        let mut guard = Guard(Some(sender.clone()));
        Box::pin(async move {
            let _progress = report.progress("Planning");
            lets.acquire().await.unwrap().forget();
            let mut facts = BTreeMap::new();
            for (file, source) in job.snapshot.files() {
                let mut segments = Vec::new();
                for segment in source.parsed().segments() {
                    let text = segment.text.to_owned();
                    if text.contains("panic") {
                        guard.disarm();
                        panic!("a fault in the engine");
                    }
                    segments.push((segment.id, Arc::new(say(file, segment.id, &text))));
                }
                facts.insert(file.clone(), segments.into_iter().collect());
            }
            let revision = job.snapshot.revision();
            report.update(PlanUpdate {
                revision,
                facts,
                known: Default::default(),
                checks: Default::default(),
                declared: Default::default(),
                root: None,
                is_complete: true,
            });
            guard.disarm();
            let _ = sender.send(Event::Ended);
        })
    }
}

fn say(file: &FileId, segment: SegmentId, text: &str) -> SegmentFacts {
    let Some(word) = text.split_whitespace().next() else {
        return SegmentFacts::default();
    };
    let start = text.find(word).unwrap() as u32;
    let range = TextRange::at(start.into(), TextSize::of(word));
    let span = Span {
        file: file.clone(),
        segment,
        range,
    };
    SegmentFacts {
        diagnostics: vec![Diagnostic::warning("word", word, "", span)],
        inlay_hints: vec![InlayHint::new(
            range.end(),
            word.to_string(),
            HintKind::Value,
            None,
        )],
        code_lenses: vec![CodeLens {
            range,
            title: word.to_string(),
            kind: LensKind::NoChange,
            command: None,
        }],
        hovers: Vec::new(),
    }
}

/// Waits for the end of one plan and the start of the next, which may overlap for a moment.
async fn superseded_by(events: &mut mpsc::UnboundedReceiver<Event>, reason: PlanTrigger) {
    let two = [events.recv().await.unwrap(), events.recv().await.unwrap()];
    assert!(
        two.contains(&Event::Dropped) && two.contains(&Event::Started(reason)),
        "{two:?}"
    );
}

struct Test {
    client: Client,
    lets: Arc<Semaphore>,
    events: mpsc::UnboundedReceiver<Event>,
}

async fn start(capabilities: Value) -> Test {
    let lets = Arc::new(Semaphore::new(0));
    let (sender, events) = mpsc::unbounded_channel();
    let planner = Arc::new(Scripted {
        lets: lets.clone(),
        sender,
    });
    let options = Options {
        planner,
        ..Options::default()
    };
    let client = Client::start_with(capabilities, json!({ "trust": "never" }), options).await;
    Test {
        client,
        lets,
        events,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_wait_for_the_plan_of_the_current_text() {
    for capabilities in [
        editors::helix(),
        editors::eglot(),
        editors::neovim_0_10(),
        editors::vscode(),
    ] {
        let Test {
            mut client, lets, ..
        } = start(capabilities).await;
        client.open("first = 1").await;
        let hints = client.request("textDocument/inlayHint", everywhere()).await;
        client.change(1, json!([{ "text": "second = 1" }])).await;
        assert!(
            client.hover(0, 0).await.contains("second"),
            "others do not wait"
        );
        assert!(!client.has_answer(hints));
        lets.add_permits(100);
        assert_eq!(labels(&client.answer(hints).await["result"]), ["second"]);
        assert_eq!(client.hints().await, ["second"]);
        client.shut_down().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn held_hints_are_answered_when_the_plan_fails_or_planning_is_paused() {
    let Test {
        mut client, lets, ..
    } = start(editors::helix()).await;
    lets.add_permits(1);
    client.open("panic = 1").await;
    assert_eq!(client.hints().await, Vec::<String>::new());
    client.change(1, json!([{ "text": "second = 1" }])).await;
    let hints = client.request("textDocument/inlayHint", everywhere()).await;
    client
        .ask(
            "workspace/executeCommand",
            json!({ "command": "planlens.pause" }),
        )
        .await;
    assert_eq!(
        labels(&client.answer(hints).await["result"]),
        Vec::<String>::new()
    );
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_a_plan_the_client_asks_again() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    client.open("first = 1").await;
    lets.add_permits(1);
    client.incoming("workspace/inlayHint/refresh").await;
    client.incoming("workspace/codeLens/refresh").await;
    assert_eq!(client.hints().await, ["first"]);
    let lenses = client.ask("textDocument/codeLens", everywhere()).await;
    assert_eq!(lenses[0]["command"]["title"], "first");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_is_asked_only_for_supported_requests() {
    let Test {
        mut client, lets, ..
    } = start(editors::neovim_0_10()).await;
    lets.add_permits(1);
    client.open("first = 1").await;
    client.incoming("workspace/inlayHint/refresh").await;
    let lenses = client.ask("textDocument/codeLens", everywhere()).await;
    assert_eq!(lenses[0]["command"]["title"], "first");
    assert!(!client.has("workspace/codeLens/refresh"));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn diagnostics_are_published_for_the_version_they_are_about() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    lets.add_permits(100);
    client.open("first = 1").await;
    let published = client.incoming("textDocument/publishDiagnostics").await;
    let diagnostic = &published["params"]["diagnostics"][0];
    assert_eq!(published["params"]["version"], 0);
    assert_eq!(diagnostic["message"], "first");
    assert_eq!(diagnostic["range"], range((0, 0), (0, 5)));
    assert_eq!(
        (&diagnostic["severity"], &diagnostic["source"]),
        (&json!(2), &json!("planlens"))
    );
    client.change(1, json!([{ "text": "\nsecond = 1" }])).await;
    loop {
        let published = client.incoming("textDocument/publishDiagnostics").await;
        if let Some(diagnostic) = published["params"]["diagnostics"].get(0) {
            assert_eq!(published["params"]["version"], 1);
            assert_eq!(diagnostic["range"], range((1, 0), (1, 6)));
            break;
        }
    }
    client
        .notify(
            "textDocument/didClose",
            json!({ "textDocument": { "uri": URI } }),
        )
        .await;
    let published = client.incoming("textDocument/publishDiagnostics").await;
    assert_eq!(published["params"]["diagnostics"], json!([]));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_plan_drops_the_running_one_and_inherits_its_reason() {
    let Test {
        mut client,
        lets,
        mut events,
    } = start(editors::vscode()).await;
    client.open("first = 1").await;
    assert_eq!(events.recv().await, Some(Event::Started(PlanTrigger::Edit)));
    client
        .notify(
            "textDocument/didSave",
            json!({ "textDocument": { "uri": URI } }),
        )
        .await;
    superseded_by(&mut events, PlanTrigger::Save).await;
    client.change(1, json!([{ "text": "second = 1" }])).await;
    // What the save allows has not been done yet.
    superseded_by(&mut events, PlanTrigger::Save).await;
    lets.add_permits(1);
    assert_eq!(events.recv().await, Some(Event::Ended));
    client.incoming("workspace/inlayHint/refresh").await;
    client.change(2, json!([{ "text": "third = 1" }])).await;
    assert_eq!(events.recv().await, Some(Event::Started(PlanTrigger::Edit)));
    client.shut_down().await;
    assert_eq!(events.recv().await, Some(Event::Dropped));
}

#[tokio::test(flavor = "multi_thread")]
async fn paused_planning_starts_nothing_and_goes_on_at_resume() {
    let Test {
        mut client,
        lets,
        mut events,
    } = start(editors::vscode()).await;
    lets.add_permits(100);
    client
        .ask(
            "workspace/executeCommand",
            json!({ "command": "planlens.pause" }),
        )
        .await;
    client.open("first = 1").await;
    client.hover(0, 0).await;
    assert!(events.try_recv().is_err());
    client
        .ask(
            "workspace/executeCommand",
            json!({ "command": "planlens.resume" }),
        )
        .await;
    assert_eq!(events.recv().await, Some(Event::Started(PlanTrigger::Edit)));
    assert_eq!(events.recv().await, Some(Event::Ended));
    client
        .ask(
            "workspace/executeCommand",
            json!({ "command": "planlens.replan" }),
        )
        .await;
    assert_eq!(
        events.recv().await,
        Some(Event::Started(PlanTrigger::Command))
    );
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_panics_leaves_the_server_alive() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    lets.add_permits(100);
    client.open("panic = 1").await;
    assert_eq!(client.hover(0, 0).await, "`panic`");
    client.change(1, json!([{ "text": "calm = 1" }])).await;
    client.incoming("workspace/inlayHint/refresh").await;
    assert_eq!(client.hints().await, ["calm"]);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_is_shown_with_a_token_that_the_client_knows() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    client.open("first = 1").await;
    let created = client.incoming("window/workDoneProgress/create").await;
    let begun = client.incoming("$/progress").await;
    assert_eq!(begun["params"]["token"], created["params"]["token"]);
    assert_eq!(
        begun["params"]["value"],
        json!({ "kind": "begin", "title": "Planning" })
    );
    lets.add_permits(1);
    assert_eq!(
        client.incoming("$/progress").await["params"]["value"],
        json!({ "kind": "end" })
    );
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_of_a_slow_plan_ends_when_planning_is_paused() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    client.open("first = 1").await;
    // The planner's own, and two seconds later that of the server.
    let mut shown = BTreeSet::new();
    for _ in 0..2 {
        client.incoming("window/workDoneProgress/create").await;
        let begun = client.incoming("$/progress").await;
        assert_eq!(begun["params"]["value"]["kind"], "begin");
        shown.insert(begun["params"]["token"].to_string());
    }
    let pause = json!({ "command": "planlens.pause" });
    client.ask("workspace/executeCommand", pause).await;
    for _ in 0..2 {
        let ended = client.incoming("$/progress").await;
        assert_eq!(ended["params"]["value"]["kind"], "end");
        assert!(shown.remove(&ended["params"]["token"].to_string()));
    }
    assert_eq!(lets.available_permits(), 0);
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_change_on_disk_are_planned_again() {
    let Test {
        mut client,
        lets,
        mut events,
    } = start(editors::vscode()).await;
    lets.add_permits(100);
    client.open("first = 1").await;
    while events.recv().await != Some(Event::Ended) {}
    let changed = |uri: &str| json!({ "changes": [{ "uri": uri, "type": 2 }] });
    client
        .notify("workspace/didChangeWatchedFiles", changed(URI))
        .await;
    client.hover(0, 0).await;
    assert!(events.try_recv().is_err(), "the editor's text counts");
    client
        .notify(
            "workspace/didChangeWatchedFiles",
            changed("file:///code/terraform.tfstate"),
        )
        .await;
    assert_eq!(events.recv().await, Some(Event::Started(PlanTrigger::Edit)));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_of_an_older_plan_show_on_blocks_that_have_not_changed() {
    let Test {
        mut client, lets, ..
    } = start(editors::vscode()).await;
    client.open("first {\n}\nsecond {\n}\n").await;
    lets.add_permits(1);
    client.incoming("workspace/inlayHint/refresh").await;
    assert_eq!(client.hints().await, ["first", "second"]);
    let change = json!([{ "range": range((0, 7), (0, 7)), "text": "\n  a = 1\n" }]);
    client.change(1, change).await;
    let hints = client.request("textDocument/inlayHint", everywhere()).await;
    // The plan doesn't come.
    let pause = json!({ "command": "planlens.pause" });
    client.ask("workspace/executeCommand", pause).await;
    let hints = client.answer(hints).await["result"].clone();
    assert_eq!(labels(&hints), ["second"]);
    assert_eq!(hints[0]["position"], json!({ "line": 4, "character": 6 }));
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn syntax_errors_are_published_without_a_plan() {
    let Test { mut client, .. } = start(editors::helix()).await;
    client.open("ok = 1\nbad = = 2\n").await;
    let published = client.incoming("textDocument/publishDiagnostics").await;
    let diagnostics = published["params"]["diagnostics"].as_array().unwrap();
    assert_eq!(diagnostics.len(), 1, "{published}");
    assert_eq!(diagnostics[0]["severity"], 1);
    assert_eq!(
        diagnostics[0]["range"]["start"],
        json!({ "line": 1, "character": 6 })
    );
    client
        .change(1, json!([{ "range": range((1, 6), (1, 8)), "text": "" }]))
        .await;
    let published = client.incoming("textDocument/publishDiagnostics").await;
    assert_eq!(published["params"]["diagnostics"], json!([]));
    client.shut_down().await;
}
