//! What is known of expressions with unknown parts, as recorded by `unknown/record`.

mod builtin;

use std::sync::Arc;

use builtin::Builtin;
use cty::{Mark, Type, Value};
use eval::{EvalContext, Functions, Variables, evaluate};
use serde_json::Value as Json;
use syntax::parse_expression;

const RECORDED: &str = include_str!("unknown/expressions.txt");

fn scope() -> Variables {
    let id = Value::unknown(Type::String).refine_not_null();
    let resource = Value::object([
        ("id", id.clone()),
        ("input", Value::null(Type::Dynamic)),
        ("output", Value::null(Type::Dynamic)),
        ("triggers_replace", Value::null(Type::Dynamic)),
    ]);
    Variables::from([
        ("terraform_data".into(), Value::object([("u", resource)])),
        ("local".into(), Value::object([("id", id)])),
        (
            "var".into(),
            Value::object([("secret", Value::string("hush").mark(Mark::Sensitive))]),
        ),
    ])
}

#[test]
fn as_much_is_known_before_apply_as_terraform_knows() {
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(scope(), &functions).with_provider_functions(Arc::new(Builtin));
    let mut wrong = Vec::new();
    let mut count = 0;
    for entry in RECORDED.split("\n> ").skip(1) {
        let (source, expected) = entry.trim_end().split_once('\n').unwrap();
        let parsed = parse_expression(source);
        assert!(parsed.errors.is_empty(), "{source}: {:?}", parsed.errors);
        let evaluated = evaluate(&parsed.tree, &context);
        let (value, _) = evaluated.value.unmark_deep();
        let expected: Json = serde_json::from_str(expected).unwrap();
        count += 1;
        if json(&value) != expected || !evaluated.problems.is_empty() {
            wrong.push(format!(
                "> {source}\n{value:?} {:?}\n-- expected\n{expected}\n",
                evaluated.problems
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {count}:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(count > 80);
}

#[test]
fn a_value_from_a_sensitive_unknown_is_sensitive() {
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(scope(), &functions);
    for (source, is_sensitive) in [
        ("tostring(sensitive(local.id))", true),
        ("file(sensitive(local.id))", true),
        ("fileset(sensitive(\"x\"), local.id)", true),
        ("lookup(tomap({a = 1}), sensitive(local.id), 2)", true),
        ("lookup(sensitive(tomap({a = 1})), local.id, 2)", true),
        ("lookup(tomap({a = 1}), local.id, sensitive(2))", false),
        ("abs(sensitive(tonumber(local.id)))", false),
        ("element(sensitive([\"a\"]), tonumber(local.id))", false),
    ] {
        let parsed = parse_expression(source);
        let value = evaluate(&parsed.tree, &context).value;
        assert!(!value.is_known(), "{source}");
        assert_eq!(value.is_marked(), is_sensitive, "{source}");
    }
}

/// The value as the plan has it, with unknown parts as text.
fn json(value: &Value) -> Json {
    if !value.is_known() {
        return "(known after apply)".into();
    }
    match value.ty() {
        _ if value.is_null() => Json::Null,
        Type::String => value.as_str().unwrap().into(),
        Type::Number => serde_json::from_str(&value.as_number().unwrap().to_string()).unwrap(),
        Type::Bool => value.as_bool().unwrap().into(),
        Type::Map(_) | Type::Object(_) => {
            let entries = value.elements();
            entries
                .map(|(key, element)| (key.as_str().unwrap().to_owned(), json(element)))
                .collect()
        }
        _ => value.elements().map(|(_, element)| json(element)).collect(),
    }
}
