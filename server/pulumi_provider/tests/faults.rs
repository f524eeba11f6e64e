//! Plugins that don't serve: each is told, the rest is planned, and no process is left.

#[allow(dead_code, reason = "it is shared with other tests")]
mod fake;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use process::Variables;
use pulumi::engine::{Inputs, plan};
use pulumi::plan::Plan;
use pulumi::preview::caveats;
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::step::Op;
use pulumi_provider::{Environment, Installed};
use text::FileId;

use crate::fake::{Fake, Manner, inputs, installed};

const PROGRAM: &str = "resources:\n  a:\n    type: broken:Item\n  b:\n    type: pulumi:index:Stash\n    properties:\n      input: 1\n  c:\n    type: pulumi:index:Stash\n    properties:\n      input: ${a.arn}\n";

/// Long enough for a shell to start on a machine that is busy.
const WAITING: Duration = Duration::from_secs(3);

async fn planned(dir: &Path, script: &str) -> Plan {
    let plugin = dir.join("pulumi-resource-broken");
    fs::write(&plugin, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&plugin, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:/usr/bin:/bin", dir.display());
    let installed = Installed::new(Environment {
        variables: Variables::from([("PATH", path)]),
        dir: dir.to_owned(),
        named: Vec::new(),
    });
    let installed = installed.within(WAITING);
    let program = Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(PROGRAM));
    let inputs = Inputs {
        dir: dir.to_owned(),
        root_dir: dir.to_owned(),
        ..inputs(&program)
    };
    plan(&inputs, &installed).await
}

#[tokio::test]
async fn a_plugin_that_does_not_serve_is_reported_and_the_rest_is_planned() {
    let dir = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("exit 3", "it ended at once"),
        ("echo hello; sleep 600", "it did not say its port"),
        ("echo 1; sleep 600", "its port does not answer"),
        ("echo 99999; sleep 600", "it did not say its port"),
        ("sleep 600", "it said nothing within 3s"),
        ("echo $$ > pid; echo; sleep 600", "it did not say its port"),
    ] {
        let plan = planned(dir.path(), script).await;
        let reported = caveats(&plan).join("\n");
        assert!(reported.contains(expected), "{script}: {reported}");
        let step = |name: &str| {
            plan.steps
                .iter()
                .find(|step| step.urn.name() == name)
                .unwrap()
        };
        assert_eq!(step("b").op, Op::Create);
        assert!(step("b").caveats.is_empty());
        // What depends on it is unknown, for the same reason.
        assert!(!step("c").caveats.is_empty());
        assert!(step("c").new.as_ref().unwrap().inputs["input"].has_unknown());
    }
    let pid = fs::read_to_string(dir.path().join("pid")).unwrap();
    let process = Path::new("/proc").join(pid.trim());
    let begin = Instant::now();
    while process.exists() {
        assert!(
            begin.elapsed() < Duration::from_secs(10),
            "a plugin is left"
        );
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn an_unplanned_resource_is_not_shown_as_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let plan = planned(dir.path(), "exit 3").await;
    let text = pulumi::render::text(&plan);
    assert!(
        !text.contains("broken") && text.contains("not planned"),
        "{text}"
    );
    assert!(!plan.is_complete());
}

const STATE: &str = r#"{"version": 3, "deployment": {"resources": [
    {"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"},
    {"urn": "urn:pulumi:dev::shop::pulumi:providers:fake::default", "type": "pulumi:providers:fake", "custom": true, "id": "0"},
    {"urn": "urn:pulumi:dev::shop::fake:index:Item::a", "type": "fake:index:Item", "custom": true, "id": "1", "provider": "urn:pulumi:dev::shop::pulumi:providers:fake::default::0", "inputs": {"size": "small"}, "outputs": {"size": "small"}}
]}}"#;

const CHANGED: &str = "resources:\n  a:\n    type: fake:Item\n    properties: {size: large}\n  b:\n    type: pulumi:index:Stash\n    properties: {input: 1}\n";

/// A change of a resource that the state has, by a provider of this manner.
async fn changed(manner: Manner, program: &str) -> (Plan, Vec<String>) {
    let (fake, port) = Fake::start(manner).await;
    let state = pulumi::state::State::read(STATE.as_bytes(), &Keys::default()).unwrap();
    let program = Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(program));
    let inputs = Inputs {
        state: Arc::new(state),
        ..inputs(&program)
    };
    let plan = plan(&inputs, &installed(port)).await;
    let calls = std::mem::take(&mut *fake.calls.lock().unwrap());
    (plan, calls)
}

fn op(plan: &Plan, name: &str) -> Op {
    let mut steps = plan.steps.iter();
    steps.find(|step| step.urn.name() == name).unwrap().op
}

#[tokio::test]
async fn a_provider_that_dies_in_diff_is_reported_without_claims() {
    let (plan, _) = changed(Manner::DiesInDiff, CHANGED).await;
    let step = plan.steps.iter().find(|it| it.urn.name() == "a").unwrap();
    assert!(!step.is_planned(), "{:?}", step.op);
    assert!(!caveats(&plan).is_empty() && !plan.is_complete());
    assert_eq!(op(&plan, "b"), Op::Create);
    // Nothing of it is deleted.
    assert!(plan.steps.iter().all(|step| step.op != Op::Delete));
}

#[tokio::test]
async fn a_provider_that_drops_its_connection_is_asked_again() {
    let (plan, calls) = changed(Manner::DropsOnce, CHANGED).await;
    assert_eq!(op(&plan, "a"), Op::Update);
    assert!(plan.is_complete(), "{:?}", caveats(&plan));
    let greetings = calls.iter().filter(|it| *it == "Handshake").count();
    assert_eq!(greetings, 2, "{calls:?}");
}

#[tokio::test]
async fn without_differences_of_the_provider_the_inputs_are_compared() {
    let (plan, calls) = changed(Manner::Undecided, CHANGED).await;
    assert_eq!(op(&plan, "a"), Op::Update);
    let step = plan.steps.iter().find(|it| it.urn.name() == "a").unwrap();
    assert_eq!(step.diff_keys, ["size"]);
    assert!(
        calls.contains(&"Update preview=true".to_owned()),
        "{calls:?}"
    );
    let same = CHANGED.replace("large", "small");
    assert_eq!(
        op(&changed(Manner::Undecided, &same).await.0, "a"),
        Op::Same
    );
}

#[tokio::test]
async fn a_slow_provider_and_a_large_schema_are_planned_all_the_same() {
    for manner in [Manner::Late, Manner::Large] {
        let (plan, _) = changed(manner, CHANGED).await;
        assert_eq!(op(&plan, "a"), Op::Update);
        assert!(plan.is_complete());
    }
}

#[tokio::test]
async fn a_provider_whose_configuration_is_unknown_is_given_none() {
    let program = "resources:\n  s:\n    type: pulumi:index:Stash\n    properties: {input: 1}\n  p:\n    type: pulumi:providers:fake\n    properties: {region: '${s.id}'}\n  a:\n    type: fake:Item\n    properties: {size: large}\n    options: {provider: '${p}'}\n";
    let (plan, calls) = changed(Manner::Greets, program).await;
    assert!(!calls.contains(&"Configure".to_owned()), "{calls:?}");
    assert!(
        !calls.iter().any(|it| it.starts_with("Create")),
        "{calls:?}"
    );
    let step = plan.steps.iter().find(|it| it.urn.name() == "a").unwrap();
    // As the engine: nothing is asked of the provider, so everything that it computes is unknown.
    assert!(step.is_planned(), "{:?}", caveats(&plan));
    assert!(plan.is_complete());
}

#[tokio::test]
async fn a_missing_plugin_leaves_its_resources_alone() {
    let program = "resources:\n  a:\n    type: nobody:Item\n  b:\n    type: pulumi:index:Stash\n    properties: {input: '${a.x}'}\n";
    let (plan, _) = changed(Manner::Greets, program).await;
    let reported = caveats(&plan).join("\n");
    assert!(
        reported.contains("`pulumi plugin install resource nobody` installs it"),
        "{reported}"
    );
    let step = plan.steps.iter().find(|it| it.urn.name() == "b").unwrap();
    assert!(step.new.as_ref().unwrap().inputs["input"].has_unknown() && !step.caveats.is_empty());
}

#[tokio::test]
async fn without_its_plugin_nothing_that_the_state_has_is_deleted() {
    let state = pulumi::state::State::read(STATE.as_bytes(), &Keys::default()).unwrap();
    let program = Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(CHANGED));
    let installed = Installed::new(Environment {
        variables: Variables::default(),
        dir: "/".into(),
        named: Vec::new(),
    });
    for stops_at_faults in [false, true] {
        let mut inputs = Inputs {
            state: Arc::new(state.clone()),
            ..inputs(&program)
        };
        inputs.options.stops_at_faults = stops_at_faults;
        let plan = plan(&inputs, &installed).await;
        assert!(plan.steps.iter().all(|step| step.op != Op::Delete));
        let step = plan.steps.iter().find(|it| it.urn.name() == "a").unwrap();
        assert!(!step.is_planned());
        assert_eq!(op(&plan, "b"), Op::Create);
    }
}

#[tokio::test]
async fn secrets_under_another_passphrase_leave_their_resource_alone() {
    const SECRETS: &str = r#""secrets_providers": {"type": "passphrase",
        "state": {"salt": "v1:uzozjoNw5yg=:v1:ftUs3IkQPcEHPrI4:yUp/H2oPUQBMgeRDyol7HEx4+jYa6g=="}}"#;
    const SEALED: &str = r#""inputs": {"size": "small", "key": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270",
        "ciphertext": "v1:kgJaRKeBqhvjM4LE:oCf//tLp4vxMgw6ZuqSOZg7vUIkqM5p6afHvug=="}}"#;
    let text = STATE.replacen(
        r#""deployment": {"#,
        &format!(r#""deployment": {{{SECRETS}, "#),
        1,
    );
    let text = text.replace(r#""inputs": {"size": "small"}"#, SEALED);
    let (fake, port) = Fake::start(Manner::Undecided).await;
    let keys = Keys::new(Some("another".to_owned()));
    let state = pulumi::state::State::read(text.as_bytes(), &keys).unwrap();
    let program = Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(CHANGED));
    let inputs = Inputs {
        state: Arc::new(state),
        ..inputs(&program)
    };
    let plan = plan(&inputs, &installed(port)).await;
    let reported = caveats(&plan).join("\n");
    assert!(
        reported.contains("secrets are not decrypted: incorrect passphrase"),
        "{reported}"
    );
    assert_eq!(op(&plan, "a"), Op::Same);
    assert_eq!(op(&plan, "b"), Op::Create);
    let calls = fake.calls.lock().unwrap().clone();
    assert!(!calls.contains(&"Diff".to_owned()), "{calls:?}");
}

#[tokio::test]
async fn two_resources_of_one_urn_in_the_state_are_planned_as_one() {
    let (_, second) = STATE
        .split_once("{\"urn\": \"urn:pulumi:dev::shop::fake:index:Item::a\"")
        .unwrap();
    let (second, _) = second.split_once("\n]").unwrap();
    let twice = format!(", {{\"urn\": \"urn:pulumi:dev::shop::fake:index:Item::a\"{second}\n]");
    let text = STATE.replace("\n]", &twice);
    let (_fake, port) = Fake::start(Manner::Undecided).await;
    let state = pulumi::state::State::read(text.as_bytes(), &Keys::default()).unwrap();
    assert_eq!(state.resources.len(), 4);
    let program = Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(CHANGED));
    let inputs = Inputs {
        state: Arc::new(state),
        ..inputs(&program)
    };
    let plan = plan(&inputs, &installed(port)).await;
    assert_eq!(op(&plan, "a"), Op::Update);
    assert_eq!(op(&plan, "b"), Op::Create);
    assert!(plan.steps.iter().all(|step| step.op != Op::Delete));
}
