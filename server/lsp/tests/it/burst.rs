//! Many messages at once: their order is kept, and none waits for another.

use std::sync::Arc;

use lsp::{Hooks, Options};
use serde_json::json;

use crate::client::{Client, at, editors, range};

const EDITS: i32 = 20_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_hover_in_a_burst_of_edits_shows_the_text_of_its_moment() {
    let mut client = Client::start(editors::vscode(), json!({ "trust": "never" })).await;
    client.open("locals {\n  value = 0\n}\n").await;
    let mut hovers = Vec::new();
    let mut length = 1;
    for version in 1..=EDITS {
        let number = version.to_string();
        // An edit lost or applied at another moment leaves another text.
        let change = json!([{ "range": range((1, 10), (1, 10 + length)), "text": number }]);
        client.change(version, change).await;
        length = number.len() as u32;
        if version % 5 == 0 {
            hovers.push((
                version,
                client.request("textDocument/hover", at(1, 10)).await,
            ));
        }
    }
    let (mut stale, mut early) = (0, 0);
    for (version, id) in &hovers {
        let answer = client.answer(*id).await;
        let shown = answer["result"]["contents"]["value"]
            .as_str()
            .unwrap_or_default();
        let shown = shown
            .lines()
            .find_map(|line| line.strip_prefix("local.value = "));
        let shown: i32 = shown.and_then(|value| value.parse().ok()).unwrap_or(-1);
        stale += i32::from(shown < *version);
        early += i32::from(shown > *version);
    }
    println!(
        "{EDITS} edits, {} hovers: {stale} stale, {early} out of order",
        hovers.len()
    );
    assert_eq!((stale, early), (0, 0));
    let last = client.hover(1, 10).await;
    assert!(last.contains(&format!("local.value = {EDITS}\n")), "{last}");
    client.shut_down().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn stuck_requests_hold_up_neither_edits_nor_other_requests() {
    const STUCK: usize = 1_500;
    let options = Options {
        hooks: Hooks {
            before_request: Some(Arc::new(|method: &str| {
                let is_stuck = method == "textDocument/codeLens";
                Box::pin(async move {
                    if is_stuck {
                        std::future::pending::<()>().await;
                    }
                })
            })),
            ..Hooks::default()
        },
        ..Options::default()
    };
    let mut client = Client::start_with(editors::quiet(), json!({}), options).await;
    client.open("value = 0\n").await;
    let mut stuck = Vec::new();
    for _ in 0..STUCK {
        let params = json!({ "textDocument": { "uri": crate::client::URI } });
        stuck.push(client.request("textDocument/codeLens", params).await);
    }
    for version in 1..10 {
        let change = json!([{ "range": range((0, 8), (0, 9)), "text": version.to_string() }]);
        client.change(version, change).await;
        assert_eq!(client.hover(0, 8).await, format!("{version} : number"));
    }
    assert!(!stuck.iter().any(|id| client.has_answer(*id)));
    for id in &stuck {
        client.cancel(*id).await;
    }
    for id in &stuck {
        assert_eq!(client.answer(*id).await["error"]["code"], -32800);
    }
    client.shut_down().await;
}
