//! Plugins that don't serve: each is told, the rest is planned, and no process is left.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use process::Variables;
use pulumi::config::Config;
use pulumi::engine::{Inputs, Options, plan};
use pulumi::plan::Plan;
use pulumi::preview::caveats;
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::step::Op;
use pulumi::urn::StackName;
use pulumi_provider::{Environment, Installed};
use text::FileId;

const PROGRAM: &str = "resources:\n  a:\n    type: broken:Item\n  b:\n    type: pulumi:index:Stash\n    properties:\n      input: 1\n  c:\n    type: pulumi:index:Stash\n    properties:\n      input: ${a.arn}\n";

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
    let inputs = Inputs {
        program: Program::read(&FileId::new("/Pulumi.yaml"), &yaml::File::parse(PROGRAM)),
        config: Config::read("", "shop", &Keys::default()),
        state: Default::default(),
        stack: StackName {
            stack: "dev".to_owned(),
            project: "shop".to_owned(),
        },
        organization: String::new(),
        dir: dir.to_owned(),
        root_dir: dir.to_owned(),
        options: Options::default(),
        is_saved: true,
        may_have_policies: false,
    };
    plan(&inputs, &installed).await
}

#[tokio::test]
async fn a_plugin_that_does_not_serve_is_told_and_the_rest_is_planned() {
    let dir = tempfile::tempdir().unwrap();
    for (script, expected) in [
        ("exit 3", "it ended at once"),
        ("echo hello; sleep 600", "it did not say its port"),
        ("echo 1; sleep 600", "its port does not answer"),
        ("echo 99999; sleep 600", "it did not say its port"),
        ("echo $$ > pid; echo; sleep 600", "it did not say its port"),
    ] {
        let plan = planned(dir.path(), script).await;
        let told = caveats(&plan).join("\n");
        assert!(told.contains(expected), "{script}: {told}");
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
async fn what_is_not_planned_is_not_said_to_be_unchanged() {
    let dir = tempfile::tempdir().unwrap();
    let plan = planned(dir.path(), "exit 3").await;
    let text = pulumi::render::text(&plan);
    assert!(
        !text.contains("broken") && text.contains("not planned"),
        "{text}"
    );
    assert!(!plan.is_complete());
}
