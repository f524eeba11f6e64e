//! In which order a real provider process is asked, and about how much at the same time.

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{Root, block_with, plan_request, trusted};
use cty::Value;
use provider::Provider;
use schema::Schema;
use tokio::time::timeout;

/// Many times as many as have a turn at the same time.
const OBJECTS: usize = 200;

/// Asks three times about one of many objects. Answers how many of them were done before.
async fn ask(random: &dyn Provider, schema: &Schema, done: &AtomicUsize) -> usize {
    let _turn = random.acquire_slot().await;
    let done_before = done.load(Ordering::SeqCst);
    for bytes in 1..=3 {
        let config = block_with(schema, &[("byte_length", Value::int(bytes))]);
        let request = plan_request("random_id", schema, None, config);
        random.plan_resource_change(request).await.unwrap();
    }
    done.fetch_add(1, Ordering::SeqCst);
    done_before
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_first_is_done_first() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().resources["random_id"].clone();
    let done = AtomicUsize::new(0);
    let asked = (0..OBJECTS).map(|_| ask(&*random, &schema, &done));
    let answered = futures_util::future::join_all(asked).await;
    for (place, done_before) in answered.into_iter().enumerate() {
        // Two for each of eight calls are asked about at the same time.
        assert!(done_before + 16 > place, "{place}: {done_before}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_more_calls_are_in_flight_than_the_user_allows() {
    for (limit, is_answered) in [(2, false), (3, true)] {
        let Some(mut root) = Root::new(&["planlens/lab6"]) else {
            return;
        };
        root.set("LAB_HANG", "lab6_note");
        let calls = root.log_calls();
        let providers = trusted(&root);
        providers.limit_calls(limit);
        let lab6 = root.provider(&providers, "planlens/lab6");
        let schema = lab6.schema().await.unwrap();
        let note = &schema.resources["lab6_note"];
        let hang = |lab6: Arc<dyn Provider>, text: &str| {
            let config = block_with(note, &[("text", Value::string(text))]);
            let request = plan_request("lab6_note", note, None, config);
            tokio::spawn(async move { lab6.plan_resource_change(request).await })
        };
        let hanging = ["a", "b"].map(|text| hang(lab6.clone(), text));
        calls.wait_for("PlanResourceChange lab6_note", 2).await;
        let secret = &schema.resources["lab6_secret"];
        let request = plan_request("lab6_secret", secret, None, block_with(secret, &[]));
        // What is answered takes a millisecond, and what waits has no end.
        let patience = Duration::from_secs(if is_answered { 60 } else { 1 });
        let answer = timeout(patience, lab6.plan_resource_change(request)).await;
        assert_eq!(answer.is_ok(), is_answered, "{limit}");
        for call in hanging {
            call.abort();
        }
    }
}
