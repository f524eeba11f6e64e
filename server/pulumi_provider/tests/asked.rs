//! What a plugin is asked: a plan of a program over the wire, with a provider that notes each call.

#[allow(dead_code, reason = "it is shared with other tests")]
mod fake;

use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine as _;
use process::Variables;
use pulumi::config::Config;
use pulumi::engine::{Inputs, Memo, plan};
use pulumi::lock::Locks;
use pulumi::plan::Plan;
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::state::State;
use pulumi::step::Op;
use pulumi_provider::{Environment, Installed};
use serde_json::json;
use text::FileId;

use crate::fake::{Fake, Manner, inputs, installed};

const PROGRAM: &str = "resources:\n  a:\n    type: fake:Item\n    properties:\n      size: small\n      key: hunter22\n  b:\n    type: fake:Item\n    properties:\n      size: ${a.arn}\n";

fn read(text: &str) -> Program {
    Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(text))
}

async fn planned(manner: Manner) -> (Plan, Vec<String>) {
    let (fake, port) = Fake::start(manner).await;
    let plan = plan(&inputs(&read(PROGRAM)), &installed(port)).await;
    let calls = fake.calls.lock().unwrap().clone();
    (plan, calls)
}

#[tokio::test]
async fn a_name_is_proposed_to_providers_that_take_one() {
    let text = "config:\n  pulumi:autonaming: {pattern: '${stack}-${name}', enforce: true}\n";
    for manner in [Manner::Greets, Manner::Old] {
        let (fake, port) = Fake::start(manner).await;
        let inputs = Inputs {
            config: Config::read(text, "shop", &Keys::default()),
            ..inputs(&read(PROGRAM))
        };
        plan(&inputs, &installed(port)).await;
        let calls = fake.calls.lock().unwrap().clone();
        let proposed = calls.iter().filter(|it| it.contains(" as "));
        let proposed: Vec<&String> = proposed.collect();
        match manner {
            Manner::Greets => {
                assert_eq!(
                    proposed,
                    ["Check with a secret as dev-a 1", "Check as dev-b 1"]
                );
            }
            _ => assert!(proposed.is_empty(), "{calls:?}"),
        }
    }
}

#[tokio::test]
async fn an_edit_asks_about_its_resources_and_an_undo_asks_nobody() {
    let (fake, port) = Fake::start(Manner::Greets).await;
    let installed = installed(port);
    let resource = |nth: usize| {
        format!("  r{nth}:\n    type: fake:Item\n    properties:\n      size: small\n")
    };
    let many: String = (0..100).map(resource).collect();
    let text = format!("{PROGRAM}{many}");
    let mut program = read(&text);
    let mut memo = Memo::default();
    let base = inputs(&program);
    let mut state = async |text: &str, memo: &mut Memo<_>| {
        program = program.edited(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(text));
        let inputs = Inputs {
            program: program.clone(),
            ..base.clone()
        };
        let plan = memo.plan(&inputs, &installed).await;
        let calls = std::mem::take(&mut *fake.calls.lock().unwrap());
        (plan, calls)
    };
    let (first, calls) = state(&text, &mut memo).await;
    assert_eq!(calls.len(), 4 + 2 * 102);
    assert_eq!(first.counts()[&Op::Create], 103);
    // One without others that read it.
    let edited = text.replace(&resource(50), &resource(50).replace("small", "large"));
    let (plan, calls) = state(&edited, &mut memo).await;
    assert_eq!(calls, ["Check", "Create preview=true"]);
    assert_eq!(plan.steps.len(), first.steps.len());
    let same = plan.steps.iter().zip(&first.steps);
    let same = same.filter(|(now, before)| Arc::ptr_eq(now, before));
    // All but it, the stack and the provider.
    assert_eq!(same.count(), first.steps.len() - 3);
    let (plan, calls) = state(&text, &mut memo).await;
    assert_eq!((plan == first, calls), (true, Vec::new()));
    // Lines above move what is below, and change nothing.
    let moved = text.replace("resources:", "# a comment\n\nresources:");
    assert_eq!(state(&moved, &mut memo).await.1, Vec::<String>::new());
    // What reads a resource is planned anew where its value is another.
    let first_of_two = text.replace("size: small\n      key", "size: large\n      key");
    let (_, calls) = state(&first_of_two, &mut memo).await;
    assert_eq!(calls, ["Check with a secret", "Create preview=true"]);
}

/// Of a thousand that the state has.
#[tokio::test]
async fn an_update_of_one_of_a_thousand_sends_three_calls() {
    let (fake, port) = Fake::start(Manner::Undecided).await;
    let installed = installed(port);
    let provider = "urn:pulumi:dev::shop::pulumi:providers:fake::default";
    let mut resources = vec![
        json!({"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"}),
        json!({"urn": provider, "type": "pulumi:providers:fake", "custom": true, "id": "0"}),
    ];
    let mut text = "resources:\n".to_owned();
    for nth in 0..1000 {
        resources.push(json!({
            "urn": format!("urn:pulumi:dev::shop::fake:index:Item::r{nth}"), "type": "fake:index:Item", "custom": true,
            "id": nth.to_string(), "provider": format!("{provider}::0"), "inputs": {"size": "small"}, "outputs": {"size": "small"},
        }));
        text.push_str(&format!(
            "  r{nth}:\n    type: fake:Item\n    properties:\n      size: small\n"
        ));
    }
    let state = json!({"version": 3, "deployment": {"resources": resources}}).to_string();
    let state = State::read(state.as_bytes(), &Keys::default()).unwrap();
    let mut program = read(&text);
    let base = Inputs {
        state: Arc::new(state),
        ..inputs(&program)
    };
    let mut memo = Memo::default();
    let edited = text.replacen(
        "r500:\n    type: fake:Item\n    properties:\n      size: small",
        "r500:\n    type: fake:Item\n    properties:\n      size: large",
        1,
    );
    let all = ["Check", "Diff", "Update preview=true"];
    for (text, expected) in [
        (&text, None),
        (&edited, Some(&all[..])),
        (&text, Some(&[][..])),
    ] {
        program = program.edited(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(text));
        let inputs = Inputs {
            program: program.clone(),
            ..base.clone()
        };
        memo.plan(&inputs, &installed).await;
        let calls = std::mem::take(&mut *fake.calls.lock().unwrap());
        match expected {
            Some(expected) => assert_eq!(calls, expected),
            None => assert_eq!(calls.iter().filter(|it| *it == "Diff").count(), 1000),
        }
    }
}

#[tokio::test]
async fn a_plan_asks_for_previews_alone() {
    let (plan, calls) = planned(Manner::Greets).await;
    let expected = [
        "Handshake",
        "GetSchema",
        "CheckConfig",
        "Configure",
        "Check with a secret",
        "Create preview=true",
        "Check",
        "Create preview=true",
    ];
    assert_eq!(calls, expected);
    assert_eq!(plan.counts()[&Op::Create], 3);
    assert!(plan.is_complete() && !plan.has_errors());
}

#[tokio::test]
async fn a_provider_without_previews_never_hears_of_a_creation() {
    let (plan, calls) = planned(Manner::Old).await;
    // It does not know secrets either.
    assert_eq!(
        calls,
        [
            "Handshake",
            "GetSchema",
            "CheckConfig",
            "Configure",
            "Check",
            "Check"
        ]
    );
    assert_eq!(plan.counts()[&Op::Create], 3);
    let step = plan
        .steps
        .iter()
        .find(|step| step.urn.name() == "a")
        .unwrap();
    let key = &step.new.as_ref().unwrap().inputs["key"];
    assert!(key.has_secret());
}

#[tokio::test]
async fn a_failure_is_reported_without_secrets() {
    let (plan, _) = planned(Manner::Quotes).await;
    let reported = said(&plan);
    assert!(reported.contains("[secret] is wrong"), "{reported}");
}

/// Everything that is said of a plan.
fn said(plan: &Plan) -> String {
    let problems = plan.problems.iter();
    let problems: Vec<String> = problems
        .map(|it| format!("{} {}", it.problem.summary, it.problem.detail))
        .collect();
    let caveats = pulumi::preview::caveats(plan);
    let digest = pulumi::preview::digest(plan);
    let text = pulumi::render::text(plan);
    format!(
        "{}\n{}\n{digest}\n{text}",
        problems.join("\n"),
        caveats.join("\n")
    )
}

#[tokio::test]
async fn secrets_are_in_no_path_no_key_and_no_message() {
    const STATE: &str = r#"{"version": 3, "deployment": {"resources": [
        {"urn": "urn:pulumi:dev::shop::pulumi:providers:fake::default", "type": "pulumi:providers:fake", "custom": true, "id": "0"},
        {"urn": "urn:pulumi:dev::shop::fake:index:Item::a", "type": "fake:index:Item", "custom": true, "id": "1", "provider": "urn:pulumi:dev::shop::pulumi:providers:fake::default::0",
         "inputs": {"size": "small", "tags": {"4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270", "value": {"oldsecret9": "x"}}}, "outputs": {}}]}}"#;
    let secret = "variables:\n  k:\n    fn::secret: hunter22\n";
    let resource = "resources:\n  a:\n    type: fake:Item\n    properties:\n      size: large\n      tags: {'${k}': x}\n";
    let with = |more: &str| format!("{secret}{more}");
    let provider = "resources:\n  p:\n    type: pulumi:providers:fake\n    properties: {region: '${k}'}\n  a:\n    type: fake:Item\n    options: {provider: '${p}'}\n";
    for (manner, program, expected) in [
        (Manner::Fails, with(resource), "[secret] is too weak"),
        (Manner::Differs, with(resource), "tags[\\\"[secret]\\\"]"),
        (Manner::Quotes, with(resource), "[secret] is wrong"),
        (
            Manner::Misconfigured,
            with(provider),
            "[secret] is too weak",
        ),
        (
            Manner::Greets,
            with("outputs:\n  o:\n    fn::readFile: ./${k}\n"),
            "Error reading file at path ./[secret]",
        ),
        (
            Manner::Greets,
            with(
                "outputs:\n  o:\n    fn::toJSON: {'${k}': ['${k}']}\n  j:\n    fn::join: ['-', ['a', '${k}']]\n",
            ),
            "o: [secret]",
        ),
    ] {
        let (_fake, port) = Fake::start(manner).await;
        let state = pulumi::state::State::read(STATE.as_bytes(), &pulumi::secrets::Keys::default())
            .unwrap();
        let inputs = Inputs {
            state: Arc::new(state),
            ..inputs(&read(&program))
        };
        let plan = plan(&inputs, &installed(port)).await;
        let said = said(&plan);
        for secret in ["hunter22", "oldsecret9"] {
            assert!(!said.contains(secret), "{program}\n{said}");
        }
        let is_output = expected.starts_with("o:");
        let is_reported = match is_output {
            true => plan.outputs.values().all(pulumi::value::Value::has_secret),
            false => said.contains(expected),
        };
        assert!(is_reported, "{expected}: {said}");
    }
}

#[tokio::test]
async fn a_plugin_that_is_not_installed_is_reported() {
    let installed = Installed::new(Environment {
        variables: Variables::default(),
        dir: PathBuf::from("/"),
        named: Vec::new(),
    });
    let package = pulumi::ask::Package::new("nothing", None);
    let error = pulumi::ask::Plugins::start(&installed, &package)
        .await
        .err()
        .unwrap();
    assert!(error.to_string().contains("not installed"), "{error}");
}

/// A plugin that serves the package of its parameter.
#[tokio::test]
async fn a_plugin_is_told_which_package_it_serves() {
    for (told, why) in [
        ("fake", None),
        (
            "other",
            Some("its plugin serves the package \"other\" in its place"),
        ),
    ] {
        let (fake, port) = Fake::start(Manner::Greets).await;
        let installed = Installed::new(Environment {
            variables: Variables::from([("PULUMI_DEBUG_PROVIDERS", format!("any:{port}"))]),
            dir: PathBuf::from("/"),
            named: Vec::new(),
        });
        let value = base64::engine::general_purpose::STANDARD.encode(told);
        let mut locks = Locks::default();
        locks
            .add(&format!(
                "packageDeclarationVersion: 1\nname: any\nversion: 9.0.0\nparameterization: {{name: fake, version: 1.2.3, value: {value}}}\n"
            ))
            .unwrap();
        let inputs = Inputs {
            locks: Arc::new(locks),
            ..inputs(&read(PROGRAM))
        };
        let plan = plan(&inputs, &installed).await;
        let calls = fake.calls.lock().unwrap().clone();
        assert_eq!(
            calls[..2],
            [
                "Handshake".to_owned(),
                format!("Parameterize fake 1.2.3 {told}")
            ]
        );
        match why {
            None => {
                assert_eq!(calls[2], "GetSchema of fake 1.2.3");
                let provider = plan
                    .steps
                    .iter()
                    .find(|it| it.urn.name() == "default_1_2_3");
                let provider = provider.unwrap().new.as_ref().unwrap();
                let inputs = format!("{:?}", provider.inputs);
                assert!(
                    inputs.contains("9.0.0") && inputs.contains(&value),
                    "{inputs}"
                );
            }
            Some(why) => {
                assert!(plan.caveats.iter().any(|it| it.to_string().contains(why)));
            }
        }
    }
}
