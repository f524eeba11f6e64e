//! What goes wrong with real provider processes, and that it stays there.

mod common;

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs};

use common::{Root, block_with, plan, plan_request, trusted};
use cty::Value;
use provider::{ProviderError, Rpc};
use tokio::time::timeout;

/// Far more than any call takes that comes to an end at all.
const LONG: Duration = Duration::from_secs(60);

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_hangs_ends_when_it_is_dropped() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    root.set("LAB_HANG", "lab6_note");
    let calls = root.log_calls();
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let note = &schema.resources["lab6_note"];
    // More than may be in flight: each frees its place.
    for n in 0..20 {
        let config = block_with(note, &[("text", Value::string(format!("{n}")))]);
        let request = plan_request("lab6_note", note, None, config);
        tokio::select! {
            answer = lab6.plan_resource_change(request) => panic!("{answer:?}"),
            () = calls.wait_for("PlanResourceChange lab6_note", n + 1) => {}
        }
    }
    let secret = &schema.resources["lab6_secret"];
    let planned = plan(&lab6, "lab6_secret", secret, None, block_with(secret, &[]));
    timeout(LONG, planned).await.unwrap();
    assert_eq!(providers.stats().processes_started, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_process_is_started_again() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    root.set("LAB_HANG", "lab6_note");
    let calls = root.log_calls();
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let note = &schema.resources["lab6_note"];
    let config = block_with(note, &[("text", Value::string("x"))]);
    let request = plan_request("lab6_note", note, None, config);
    let asked = tokio::spawn({
        let lab6 = lab6.clone();
        async move { lab6.plan_resource_change(request).await }
    });
    calls.wait_for("PlanResourceChange lab6_note", 1).await;
    assert_eq!(root.kill_plugins(), 1);
    // Asked again in a new process, and killed again: now it is an error.
    calls.wait_for("PlanResourceChange lab6_note", 2).await;
    assert_eq!(root.kill_plugins(), 1);
    let answer = timeout(LONG, asked).await.unwrap().unwrap();
    assert!(
        matches!(answer, Err(ProviderError::Stopped { .. })),
        "{answer:?}"
    );
    let secret = &schema.resources["lab6_secret"];
    plan(&lab6, "lab6_secret", secret, None, block_with(secret, &[])).await;
    assert_eq!(providers.stats().processes_started, 3);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_type_that_crashes_its_provider_is_left_alone_after_a_while() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    root.set("LAB_CRASH", "lab6_note");
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let (note, secret) = (
        &schema.resources["lab6_note"],
        &schema.resources["lab6_secret"],
    );
    let mut errors = Vec::new();
    for n in 0..5 {
        let config = block_with(note, &[("text", Value::string(format!("{n}")))]);
        let crash = plan_request("lab6_note", note, None, config);
        let named = block_with(secret, &[("name", Value::string(format!("{n}")))]);
        let beside = plan(&lab6, "lab6_secret", secret, None, named);
        // The one does not ruin the other.
        let (crashed, _) = tokio::join!(lab6.plan_resource_change(crash), beside);
        errors.push(crashed.unwrap_err());
    }
    assert!(
        matches!(errors[0], ProviderError::Stopped { .. }),
        "{errors:?}"
    );
    assert!(
        matches!(errors[4], ProviderError::CrashesOn { times: 3, .. }),
        "{errors:?}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_grows_is_replaced() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    // Less than any provider holds, and more than a quarter of what it starts with.
    root.set("PLANLENS_PLUGIN_MEMORY", "10");
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let secret = &schema.resources["lab6_secret"];
    let replaced = async {
        for n in 0.. {
            let named = block_with(secret, &[("name", Value::string(format!("{n}")))]);
            plan(&lab6, "lab6_secret", secret, None, named).await;
            if providers.stats().processes_started > 1 {
                break;
            }
        }
    };
    timeout(LONG, replaced).await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_provider_that_floods_stderr_does_not_stall() {
    let Some(mut root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    root.set("LAB_FLOOD", "5000000");
    let providers = trusted(&root);
    let lab6 = root.provider(&providers, "planlens/lab6");
    let schema = lab6.schema().await.unwrap();
    let note = &schema.resources["lab6_note"];
    let config = block_with(note, &[("text", Value::string("x"))]);
    timeout(LONG, plan(&lab6, "lab6_note", note, None, config))
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn thousands_of_calls_are_answered_and_tidied_up_after() {
    let Some(root) = Root::new(&["hashicorp/random"]) else {
        return;
    };
    let providers = trusted(&root);
    let random = root.provider(&providers, "hashicorp/random");
    let schema = random.schema().await.unwrap().resources["random_id"].clone();
    let workers: Vec<_> = (0..20)
        .map(|worker| {
            let (random, schema) = (random.clone(), schema.clone());
            tokio::spawn(async move {
                for n in 0..110 {
                    let length = Value::int(worker * 1000 + n + 1);
                    let config = block_with(&schema, &[("byte_length", length)]);
                    plan(&random, "random_id", &schema, None, config).await;
                }
            })
        })
        .collect();
    for worker in workers {
        timeout(LONG, worker).await.unwrap().unwrap();
    }
    let stats = providers.stats();
    assert_eq!(stats.calls[&Rpc::PlanResourceChange], 2200);
    // Put off while too much is in flight.
    assert!(
        (1..=2).contains(&stats.calls[&Rpc::StopProvider]),
        "{stats:?}"
    );
    assert_eq!(stats.processes_started, 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_left_behind() {
    let Some(root) = Root::new(&["planlens/lab6", "hashicorp/random"]) else {
        return;
    };
    let before = root.workspace_files();
    let providers = Arc::new(trusted(&root));
    for name in ["planlens/lab6", "hashicorp/random"] {
        root.provider(&providers, name).schema().await.unwrap();
    }
    assert_eq!(root.plugins().len(), 2);
    providers.shutdown().await;
    assert_eq!(root.plugins(), Vec::<i32>::new());
    assert_eq!(root.leftovers(), Vec::<String>::new());
    assert_eq!(root.workspace_files(), before);
}

/// Runs this test again in a process of its own, which starts a provider, and kills that process.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plugins_end_when_we_are_killed() {
    const CHILD: &str = "PLANLENS_TEST_CHILD";
    let Some(root) = Root::new(&["planlens/lab6"]) else {
        return;
    };
    if env::var_os(CHILD).is_some() {
        let providers = trusted(&root);
        root.provider(&providers, "planlens/lab6")
            .schema()
            .await
            .unwrap();
        common::report(&format!(
            "\nREADY {}",
            root.dir().parent().unwrap().display()
        ));
        std::future::pending::<()>().await;
    }
    let mut child = Command::new(env::current_exe().unwrap())
        .args(["plugins_end_when_we_are_killed", "--exact", "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map(Result::unwrap);
    let ready = lines
        .find_map(|line| line.strip_prefix("READY ").map(PathBuf::from))
        .unwrap();
    let theirs = common::plugins_in(&ready.join("w"));
    assert_eq!(theirs.len(), 1);
    child.kill().unwrap();
    child.wait().unwrap();
    if cfg!(target_os = "linux") {
        let gone = async {
            while !common::plugins_in(&ready.join("w")).is_empty() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(LONG, gone).await.unwrap();
    }
    // Its sockets are cleaned up by the next one to start.
    let sockets = || fs::read_dir(ready.join("tmp")).unwrap().count();
    assert_eq!(sockets(), 1);
    root.providers_with_temporary_dir(provider::Approved::All, &ready.join("tmp"));
    assert_eq!(sockets(), 0);
    fs::remove_dir_all(ready).unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_invalid_value_in_an_answer_is_reported_and_isolated() {
    for (name, garbled, healthy) in [
        ("planlens/lab5", "lab5_record", "lab5_vpc"),
        ("planlens/lab6", "lab6_note", "lab6_disk"),
    ] {
        let Some(mut root) = Root::new(&[name]) else {
            return;
        };
        root.set("LAB_GARBAGE", garbled);
        let providers = trusted(&root);
        let lab = root.provider(&providers, name);
        let schema = lab.schema().await.unwrap();
        let ask = |type_name: &str| {
            let schema = &schema.resources[type_name];
            let config = block_with(schema, &[]);
            lab.plan_resource_change(plan_request(type_name, schema, None, config))
        };
        let answer = ask(garbled).await;
        assert!(
            matches!(answer, Err(ProviderError::Protocol { .. })),
            "{answer:?}"
        );
        ask(healthy).await.unwrap();
        assert_eq!(providers.stats().processes_started, 1);
    }
}
