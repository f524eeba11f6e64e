//! Expressions and what `terraform console` answers, recorded by `console/record`.

mod builtin;

use std::fmt::Write;
use std::sync::Arc;

use builtin::Builtin;
use cty::{Mark, Type, Value};
use eval::types::variable_type;
use eval::{EvalContext, Evaluated, Functions, Variables, evaluate};
use syntax::parse_expression;

const RECORDED: &str = include_str!("console/expressions.txt");
const SCOPE: &str = include_str!("console/main.tf");

/// `var`, with the default values of main.tf.
fn scope() -> Variables {
    let file = syntax::parse(SCOPE);
    let blocks = file.body().blocks().map(|(_, block)| block);
    let variables = blocks.filter(|block| block.kind.name == "variable");
    let variables = variables.map(|block| {
        let default = block.body.attribute("default").unwrap();
        let mut value = evaluate(&default.expr, &EvalContext::empty()).value;
        if let Some(ty) = block.body.attribute("type") {
            let (constraint, problems) = variable_type(&ty.expr);
            assert_eq!(problems, []);
            if let Some(defaults) = &constraint.defaults {
                value = defaults.apply(&value);
            }
            value = cty::convert(&value, &constraint.ty).unwrap();
        }
        if block.body.attribute("sensitive").is_some() {
            value = value.mark(Mark::Sensitive);
        }
        (block.labels[0].text.clone(), value)
    });
    Variables::from([("var".into(), Value::object(variables))])
}

#[test]
fn expressions_have_the_values_that_terraform_console_shows() {
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(scope(), &functions).with_provider_functions(Arc::new(Builtin));
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in RECORDED.split("\n> ").skip(1) {
        let (source, expected) = entry.split_once('\n').unwrap();
        let parsed = parse_expression(source);
        let answer = match parsed.errors.first() {
            Some(error) => format!(
                "Error: {}
{}",
                error.summary, error.detail
            ),
            None => answer(&evaluate(&parsed.tree, &context)),
        };
        count += 1;
        let is_same = |answer: &str| answer.trim_end() == expected.trim_end();
        // What may have been meant is ours alone.
        let plain = answer
            .split_once(" Did you mean \"")
            .map(|(plain, _)| plain);
        if !is_same(&answer) && !plain.is_some_and(is_same) {
            wrong.push(format!(
                "> {source}\n{answer}\n-- expected\n{}\n",
                expected.trim_end()
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 60);
}

fn answer(evaluated: &Evaluated) -> String {
    if evaluated.problems.is_empty() {
        let mut text = String::new();
        show(&evaluated.value, 0, &mut text);
        return text;
    }
    let problems = evaluated.problems.iter().map(|problem| {
        let detail = problem.detail.lines();
        // Where an expression of `try` stands is not in the detail.
        let detail = detail.filter(|line| !line.starts_with("  ") && !line.is_empty());
        format!(
            "Error: {} {}",
            problem.summary,
            detail.collect::<Vec<_>>().join(" ")
        )
    });
    let first = &evaluated.problems[0].summary;
    let all = problems.collect::<Vec<_>>().join(" ");
    all.replacen(&format!("Error: {first} "), &format!("Error: {first}\n"), 1)
}

/// The value as `terraform console` shows it.
fn show(value: &Value, depth: usize, out: &mut String) {
    if value.has_mark(&Mark::Sensitive) {
        return out.push_str("(sensitive value)");
    }
    if !value.is_known() {
        return out.push_str("(known after apply)");
    }
    if value.is_null() {
        return match value.ty() {
            Type::String => out.push_str("tostring(null)"),
            Type::Number => out.push_str("tonumber(null)"),
            Type::Bool => out.push_str("tobool(null)"),
            _ => out.push_str("null"),
        };
    }
    match value.ty() {
        Type::String => write!(out, "{:?}", value.as_str().unwrap()).unwrap(),
        Type::Number => write!(out, "{}", value.as_number().unwrap()).unwrap(),
        Type::Bool => write!(out, "{}", value.as_bool().unwrap()).unwrap(),
        Type::List(_) => wrapped("tolist", value, depth, out),
        Type::Set(_) => wrapped("toset", value, depth, out),
        Type::Map(_) => wrapped("tomap", value, depth, out),
        _ => elements(value, depth, out),
    }
}

fn wrapped(function: &str, value: &Value, depth: usize, out: &mut String) {
    out.push_str(function);
    out.push('(');
    elements(value, depth, out);
    out.push(')');
}

fn elements(value: &Value, depth: usize, out: &mut String) {
    let is_mapping = value.ty().is_map() || value.ty().is_object();
    let (open, close) = if is_mapping { ('{', '}') } else { ('[', ']') };
    out.push(open);
    let indent = "  ".repeat(depth);
    for (key, element) in value.elements() {
        write!(out, "\n{indent}  ").unwrap();
        if is_mapping {
            write!(out, "{:?} = ", key.as_str().unwrap()).unwrap();
        }
        show(element, depth + 1, out);
        if !is_mapping {
            out.push(',');
        }
    }
    if value.elements().next().is_some() {
        write!(out, "\n{indent}").unwrap();
    }
    out.push(close);
}
