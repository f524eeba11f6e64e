//! What is kept between plans changes none: after each of many random edits the plan is that of a fresh start.

#[allow(dead_code, reason = "it is shared with other tests")]
mod fake;
#[path = "../../../tests/support/random.rs"]
#[allow(dead_code, reason = "it is shared with other tests")]
mod random;

use std::fmt::Write;
use std::sync::Arc;

use pulumi::engine::{Inputs, Memo, plan};
use pulumi::program::Program;
use pulumi::secrets::Keys;
use pulumi::state::State;
use text::FileId;

use crate::fake::{Fake, Manner, inputs, installed};
use crate::random::Random;

/// A resource of a program that is edited.
#[derive(Clone)]
struct Resource {
    name: String,
    size: String,
    options: Vec<&'static str>,
}

const OPTIONS: [&str; 9] = [
    "ignoreChanges: [size]",
    "protect: true",
    "replaceOnChanges: [size]",
    "deleteBeforeReplace: true",
    "dependsOn: ['${r0}']",
    "aliases: [{name: old}]",
    "provider: ${own}",
    "replacementTrigger: ${text}",
    "parent: ${r0}",
];

fn text(resources: &[Resource], variable: &str, region: &str) -> String {
    let mut text = format!(
        "name: shop\nruntime: yaml\nvariables:\n  text: {variable}\nresources:\n  own:\n    type: pulumi:providers:fake\n    properties: {{region: {region}}}\n"
    );
    for Resource {
        name,
        size,
        options,
    } in resources
    {
        let _ = write!(
            text,
            "  {name}:\n    type: fake:Item\n    properties:\n      size: {size}\n"
        );
        if !options.is_empty() {
            let _ = writeln!(text, "    options:\n      {}", options.join("\n      "));
        }
    }
    text.push_str("outputs:\n  all: ${text}\n");
    text
}

fn state() -> String {
    let provider = "urn:pulumi:dev::shop::pulumi:providers:fake::default::0";
    let mut resources = vec![
        r#"{"urn": "urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev", "type": "pulumi:pulumi:Stack"}"#.to_owned(),
        r#"{"urn": "urn:pulumi:dev::shop::pulumi:providers:fake::default", "type": "pulumi:providers:fake", "custom": true, "id": "0"}"#.to_owned(),
    ];
    for name in ["r0", "r1", "r2", "r3", "r4", "old", "gone"] {
        resources.push(format!(
            r#"{{"urn": "urn:pulumi:dev::shop::fake:index:Item::{name}", "type": "fake:index:Item", "custom": true, "id": "{name}", "provider": "{provider}", "inputs": {{"size": "small"}}, "outputs": {{"size": "small"}}}}"#
        ));
    }
    format!(
        r#"{{"version": 3, "deployment": {{"resources": [{}]}}}}"#,
        resources.join(",")
    )
}

#[tokio::test]
async fn a_plan_after_edits_is_that_of_a_fresh_start() {
    let (_fake, port) = Fake::start(Manner::Greets).await;
    let installed = installed(port);
    let mut random = Random(11);
    let mut resources: Vec<Resource> = (0..8)
        .map(|nth| Resource {
            name: format!("r{nth}"),
            size: "small".to_owned(),
            options: Vec::new(),
        })
        .collect();
    let (mut variable, mut region) = ("a", "x");
    let file = FileId::new("/Pulumi.yaml");
    let state = Arc::new(State::read(state().as_bytes(), &Keys::default()).unwrap());
    let inputs = |program: &Program| Inputs {
        state: state.clone(),
        ..inputs(program)
    };
    let (mut program, mut memo) = (Program::default(), Memo::default());
    for edit in 0..200 {
        let at = random.below(resources.len());
        let other = random.below(resources.len());
        match random.below(8) {
            0 => resources[at].size = (*random.pick(&["small", "large", "${text}"])).to_owned(),
            1 => resources[at].size = format!("${{{}.size}}", resources[other].name),
            2 => resources[at].size = format!("${{{}.arn}}", resources[other].name),
            3 => resources[at].options.clear(),
            4 => {
                let option = *random.pick(&OPTIONS);
                if !resources[at].options.contains(&option) {
                    resources[at].options.push(option);
                }
            }
            5 => variable = *random.pick(&["a", "b"]),
            6 if random.chance(30) => region = *random.pick(&["x", "y"]),
            6 if resources.len() > 4 => drop(resources.remove(at)),
            _ => resources.push(Resource {
                name: format!("n{edit}"),
                size: "small".to_owned(),
                options: Vec::new(),
            }),
        }
        let text = text(&resources, variable, region);
        let yaml = yaml::File::parse(&text);
        program = program.edited(&file, &yaml);
        let kept = memo.plan(&inputs(&program), &installed).await;
        let fresh = plan(&inputs(&Program::read(&file, &yaml)), &installed).await;
        assert_eq!(kept.problems, fresh.problems, "edit {edit}:\n{text}");
        assert_eq!(kept.caveats, fresh.caveats, "edit {edit}:\n{text}");
        assert_eq!(kept.outputs, fresh.outputs, "edit {edit}:\n{text}");
        let steps = kept.steps.iter().zip(&fresh.steps);
        for (kept, fresh) in steps {
            assert_eq!(kept, fresh, "edit {edit}:\n{text}");
        }
        assert_eq!(kept.steps.len(), fresh.steps.len(), "edit {edit}:\n{text}");
    }
}
