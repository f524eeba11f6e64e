//! While a program is typed, the plan of everything else stands: it is that of the last text that could be read, or that of the
//! text as it is.

mod editor;
#[path = "../../yaml/tests/typed/mod.rs"]
mod typed;

use std::collections::BTreeMap;

use pulumi::plan::Plan;
use pulumi::secrets::Keys;
use pulumi::step::Op;

use editor::Editor;
use typed::{LINES, VALUES};

const PROGRAM: &str = r#"name: shop
runtime: yaml
config:
  size:
    type: string
    default: small
variables:
  label: ${size}-x
resources:
  first:
    type: pulumi:index:Stash
    properties:
      input: ${size}
  # the second
  edited:
    type: pulumi:index:Stash
    properties:
      input:
        size: small
        rules:
          - protocol: tcp
            port: 80
    options:
      protect: true
  last:
    type: pulumi:index:Stash
    properties:
      input: ${edited.input}
  apart:
    type: pulumi:index:Stash
    properties:
      input: ${label}
outputs:
  arn: ${last.output}
"#;

/// What happens to each resource, by its name.
fn steps(plan: &Plan) -> BTreeMap<String, String> {
    let steps = plan.steps.iter().map(|step| {
        let inputs = step.new.as_ref().map(|new| &new.inputs);
        let reported = format!("{:?} {inputs:?} {:?}", step.op, step.caveats);
        (step.urn.name().to_owned(), reported)
    });
    steps.collect()
}

fn deleted(plan: &Plan) -> Vec<&str> {
    let deleted = plan.steps.iter().filter(|step| step.op == Op::Delete);
    deleted.map(|step| step.urn.name()).collect()
}

/// Types something at a place in the place of `replaced` bytes, character by character.
fn check_typed(at: usize, replaced: usize, typed: &str, edited: &str) -> (usize, Vec<String>) {
    // Editors type the end of a line first.
    let (typed, last) = match typed.strip_suffix('\n') {
        Some(typed) => (typed, "\n"),
        None => (typed, ""),
    };
    let mut editor = Editor::open();
    let first = steps(&editor.plan(PROGRAM));
    let mut good = first.clone();
    let mut wrong = Vec::new();
    let ends = typed.char_indices().map(|(end, _)| end);
    let ends: Vec<usize> = ends.chain([typed.len()]).collect();
    for end in &ends {
        let (before, after) = (&PROGRAM[..at], &PROGRAM[at + replaced..]);
        let text = format!("{before}{}{last}{after}", &typed[..*end]);
        let plan = editor.plan(&text);
        let now = steps(&plan);
        let fresh = Editor::open().plan(&text);
        let is_readable = fresh.problems.is_empty();
        let fresh = steps(&fresh);
        for name in good.keys().filter(|name| *name != edited) {
            let found = now.get(name);
            if found != good.get(name) && found != fresh.get(name) {
                wrong.push(format!("{:?}: {name}: {found:?}", &typed[..*end]));
            }
        }
        if deleted(&plan) != ["gone"] {
            wrong.push(format!(
                "{:?}: deleted {:?}",
                &typed[..*end],
                deleted(&plan)
            ));
        }
        if is_readable {
            good = fresh;
        }
    }
    // What was undone is as it was.
    if steps(&editor.plan(PROGRAM)) != first {
        wrong.push(format!("{typed:?}: undone"));
    }
    (ends.len(), wrong)
}

#[test]
fn resources_outside_the_edit_keep_their_plan() {
    let (mut states, mut wrong) = (0, Vec::new());
    for (line, edited) in [
        ("        size: small\n", "edited"),
        ("            port: 80\n", "edited"),
        ("      input: ${edited.input}\n", "last"),
    ] {
        let start = PROGRAM.find(line).unwrap();
        let value = start + line.find(": ").unwrap() + 2;
        let length = start + line.trim_end().len() - value;
        for typed in VALUES {
            let (count, more) = check_typed(value, length, typed, edited);
            states += count;
            wrong.extend(more);
        }
        let indent = line.len() - line.trim_start().len();
        for typed in LINES {
            let typed = format!("{}{typed}\n", &line[..indent]);
            let (count, more) = check_typed(start, 0, &typed, edited);
            states += count;
            wrong.extend(more);
        }
    }
    assert!(states > 1_000, "{states}");
    assert!(
        wrong.is_empty(),
        "{} of {states}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn a_resource_that_is_being_named_takes_nothing_from_others() {
    let at = PROGRAM.find("  edited:\n").unwrap();
    for typed in [
        "  la\n",
        "  last:\n    type: pulumi:index:Stash\n",
        "  edit\n",
        "  first:\n    type: pulumi:index:Stash\n    properties:\n      input: 1\n",
    ] {
        let (_, wrong) = check_typed(at, 0, typed, "");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    // The name of one that is there.
    let name = at + 2;
    for typed in ["", "e", "edite", "edited2"] {
        let mut editor = Editor::open();
        editor.plan(PROGRAM);
        let text = format!("{}{typed}{}", &PROGRAM[..name], &PROGRAM[name + 6..]);
        let plan = editor.plan(&text);
        let first = steps(&plan).remove("first");
        assert_eq!(first, steps(&Editor::open().plan(PROGRAM)).remove("first"));
    }
}

#[test]
fn dependents_of_a_failure_are_planned_as_far_as_known() {
    let text = PROGRAM.replace("        size: small\n", "        size: ${nobody}\n");
    let mut editor = Editor::open();
    let plan = editor.plan(&text);
    let problems: Vec<_> = plan.problems.iter().map(|it| &it.problem.summary).collect();
    assert_eq!(
        problems,
        ["resource, variable, or config value \"nobody\" not found"]
    );
    let step = |name: &str| plan.steps.iter().find(|it| it.urn.name() == name).unwrap();
    assert!(!step("edited").is_planned());
    let caveats: Vec<String> = step("last")
        .caveats
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(caveats, ["edited has errors"]);
    assert!(step("last").new.as_ref().unwrap().inputs["input"].has_unknown());
    assert!(step("apart").caveats.is_empty());
    assert_eq!(deleted(&plan), ["gone"]);
}

#[test]
fn an_object_of_the_state_is_taken_over_once() {
    let aliased = |name: &str| {
        format!(
            "  {name}:\n    type: pulumi:index:Stash\n    properties: {{input: x}}\n    options: {{aliases: [{{name: gone}}]}}\n"
        )
    };
    let text = PROGRAM.replace(
        "outputs:\n",
        &format!("{}{}outputs:\n", aliased("d"), aliased("e")),
    );
    let mut editor = Editor::open();
    // A second plan takes over what the first came to.
    for _ in 0..2 {
        let plan = editor.plan(&text);
        let problems: Vec<_> = plan.problems.iter().map(|it| &it.problem.summary).collect();
        assert_eq!(
            problems,
            [
                "Duplicate resource alias 'urn:pulumi:dev::shop::pulumi:index:Stash::gone' applied to resource with URN 'urn:pulumi:dev::shop::pulumi:index:Stash::e' conflicting with resource with URN 'urn:pulumi:dev::shop::pulumi:index:Stash::d'"
            ]
        );
        assert_eq!(deleted(&plan), Vec::<&str>::new());
    }
}

#[test]
fn values_of_an_environment_are_labelled() {
    let mut editor = Editor::open();
    editor.config = pulumi::config::Config::read("environment: [prod]\n", "shop", &Keys::default());
    let plan = editor.plan(PROGRAM);
    let step = |name: &str| plan.steps.iter().find(|it| it.urn.name() == name).unwrap();
    for name in ["first", "apart"] {
        assert!(step(name).new.as_ref().unwrap().inputs["input"].has_unknown());
        let caveats: Vec<String> = step(name).caveats.iter().map(ToString::to_string).collect();
        assert_eq!(caveats, ["values of environments are not read"]);
    }
    assert!(!plan.is_complete());
}

#[test]
fn secrets_that_cannot_be_decrypted_are_labelled() {
    let config = "encryptionsalt: v1:AAAAAAAAAAA=:v1:AAAAAAAAAAAAAAAA:AAAA\nconfig:\n  shop:size:\n    secure: v1:AAAAAAAAAAAAAAAA:BBBB\n";
    let mut editor = Editor::open();
    editor.config = pulumi::config::Config::read(config, "shop", &Keys::default());
    let plan = editor.plan(PROGRAM);
    let first = plan
        .steps
        .iter()
        .find(|it| it.urn.name() == "first")
        .unwrap();
    let input = &first.new.as_ref().unwrap().inputs["input"];
    assert!(input.has_unknown() && input.has_secret());
    let reported = pulumi::preview::caveats(&plan).join("\n");
    assert!(reported.contains("passphrase must be set"), "{reported}");
    assert!(!plan.is_complete());
}
