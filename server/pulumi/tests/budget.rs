//! Programs whose values take more memory than they may.

mod editor;

use editor::Editor;
use pulumi::budget::Budget;
use pulumi::plan::Plan;
use pulumi::value::Value;

const HEAD: &str = "name: shop\nruntime: yaml\n";

/// Each variable has the one before it ten times.
fn multiplied(levels: usize, value: impl Fn(&str) -> String) -> String {
    let variables = (1..=levels).map(|level| {
        let before = format!("${{v{}}}", level - 1);
        format!("  v{level}: {}\n", value(&before))
    });
    let variables: String = variables.collect();
    format!(
        "{HEAD}variables:\n  v0: abcdefghij\n{variables}outputs:\n  small: ${{v1}}\n  large: ${{v{levels}}}\n"
    )
}

fn problems(plan: &Plan) -> Vec<(&str, &str)> {
    let problems = plan.problems.iter().map(|it| &it.problem);
    problems.map(|it| (it.code, &*it.summary)).collect()
}

#[test]
fn values_that_multiply_stop_at_the_limit_and_the_rest_is_planned() {
    let quoted = |before: &str| vec![format!("\"{before}\""); 10].join(", ");
    let texts = [
        multiplied(20, |before| format!("\"{}\"", before.repeat(10))),
        multiplied(20, |before| format!("[{}]", quoted(before))),
        multiplied(20, |before| format!("{{fn::toJSON: [{}]}}", quoted(before))),
        multiplied(20, |before| {
            let text = format!("{{fn::join: ['', [{}]]}}", quoted(before));
            format!("{{fn::join: [{text}, {{fn::split: ['', {text}]}}]}}")
        }),
    ];
    for text in texts {
        let plan = Editor::open().plan(&text);
        let expected = [("evaluation-limit", "Evaluation limit reached")];
        assert_eq!(problems(&plan), expected, "{text}");
        assert!(!plan.outputs["small"].has_unknown());
        assert_eq!(plan.outputs["large"], Value::Unknown);
    }
}

#[test]
fn values_that_nest_stop_at_the_limit() {
    let plan = Editor::open().plan(&multiplied(300, |before| format!("[\"{before}\"]")));
    let expected = [("evaluation-limit", "Evaluation limit reached")];
    assert_eq!(problems(&plan), expected);
    assert!(!plan.outputs["small"].has_unknown());
    assert!(plan.outputs["large"].has_unknown());
}

/// A plan that was repaired edit by edit equals one that is made anew, whatever of it was kept.
#[test]
fn a_program_stops_at_the_same_place_after_edits() {
    let long = "x".repeat(1000);
    let text = |lengths: [usize; 3]| {
        let resource = |(at, length): (usize, &usize)| {
            let input = vec!["${long}"; *length].join("");
            format!(
                "  r{at}:\n    type: pulumi:index:Stash\n    properties: {{input: '{input}'}}\n"
            )
        };
        let resources: String = lengths.iter().enumerate().map(resource).collect();
        format!("{HEAD}variables:\n  long: {long}\nresources:\n{resources}")
    };
    let budget = Budget {
        object: 30_000,
        program: 60_000,
    };
    let open = || {
        let mut editor = Editor::open();
        editor.budget = budget;
        editor
    };
    let mut edited = open();
    let mut stopped = 0;
    for lengths in [
        [1, 1, 1],
        [9, 9, 9],
        [13, 13, 1],
        [13, 13, 3],
        [1, 13, 3],
        [14, 13, 3],
        [20, 1, 1],
        [1, 1, 1],
    ] {
        let (after, anew) = (edited.plan(&text(lengths)), open().plan(&text(lengths)));
        assert_eq!(problems(&after), problems(&anew), "{lengths:?}");
        assert_eq!(after.steps, anew.steps, "{lengths:?}");
        stopped += problems(&anew).len();
    }
    assert!(stopped >= 3, "{stopped}");
}

#[test]
fn long_chains_and_cycles_are_planned_and_reported() {
    let chain = |first: &str| {
        let variables = (1..20_000).map(|at| format!("  v{at}: ${{v{}}}\n", at - 1));
        let variables: String = variables.collect();
        format!("{HEAD}variables:\n  v0: {first}\n{variables}outputs:\n  last: ${{v19999}}\n")
    };
    let plan = Editor::open().plan(&chain("x"));
    assert_eq!(problems(&plan), []);
    assert_eq!(plan.outputs["last"], Value::from("x"));
    let plan = Editor::open().plan(&chain("${v19999}"));
    let problems = problems(&plan);
    assert_eq!(problems[0].0, "cycle", "{problems:?}");
}
