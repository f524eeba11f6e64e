//! HCL's own test tables of its JSON syntax, where their folder is at hand (`PLANLENS_CONFORMANCE`, or
//! `shared/conformance` beside the repository), and cases of our own of what they taught.

use std::io::Write;
use std::path::PathBuf;

use config::{Body, Expected, Origin};
use cty::{Value, testing};
use eval::types::{exact_type, type_constraint};
use eval::{EvalContext, Evaluated, evaluate};
use serde_json::Value as Json;
use syntax::ast::{Expr, ExprKind, ObjectItem, ObjectKey};
use syntax::parse_json;
use text::{Diagnostic, FileId, Span, TextRange, TextSize};

/// The cases of HCL's tests. Left out: a way of naming a place in the text for messages.
#[test]
fn tables_of_hcl_json() {
    let folder = match std::env::var_os("PLANLENS_CONFORMANCE") {
        Some(folder) => PathBuf::from(folder),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
    };
    let read = |table: &str| std::fs::read_to_string(folder.join(format!("tables/{table}.jsonl")));
    let (Ok(json), Ok(types)) = (read("hcl_json"), read("hcl_ext_typeexpr")) else {
        return say("hcl_json: SKIPPED, the conformance tables are not here");
    };
    let (mut passed, mut left_out, mut failed) = (0, 0, Vec::new());
    for line in json.lines().chain(types.lines()) {
        let record: Json = serde_json::from_str(line).unwrap();
        let test = record["test"].as_str().unwrap();
        if test == "TestScan" {
            // Of tokens: beside the code that cuts them.
            continue;
        }
        match check(test, record["key"].as_str().unwrap(), &record["case"]) {
            None if types.contains(line) => {}
            None => left_out += 1,
            Some(Ok(())) => passed += 1,
            Some(Err(why)) => failed.push(format!("{test} {line}\n    {why}")),
        }
    }
    say(&format!(
        "hcl_json: {passed} of {} passed, {left_out} left out",
        passed + failed.len()
    ));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

/// Past the test harness, which keeps what tests that pass print.
fn say(line: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{line}").unwrap();
}

/// `None`: of no meaning here.
fn check(test: &str, key: &str, case: &Json) -> Option<Result<(), String>> {
    let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
    Some(match test {
        "TestKeywordSuggestion" => suggestion(&text("Input"), &text("Want")),
        "TestParse" | "TestParseWithPos" => {
            let (expr, errors) = value(&text("Input"));
            let wanted = case["DiagCount"].as_u64().unwrap_or(0);
            let len = |range: TextRange| range.len();
            same(&errors, &wanted).and_then(|()| match wanted {
                0 => same(&len(expr.range), &len(range(&case["Want"]["SrcRange"]))),
                _ => Ok(()),
            })
        }
        "TestParseExpression" => {
            let (expr, _) = value(&text("Input"));
            let mut context = EvalContext::empty();
            context.set("noun", Value::string("world"));
            let got = evaluate(&expr, &context).value;
            let want = match text("Want").as_str() {
                "cty.StringVal(\"hello\")" => Value::string("hello"),
                "cty.StringVal(\"hello world\")" => Value::string("hello world"),
                "cty.False" => Value::bool(false),
                "cty.True" => Value::bool(true),
                "cty.EmptyTupleVal" => Value::tuple(Vec::new()),
                "cty.EmptyObjectVal" => Value::object([] as [(&str, Value); 0]),
                other => return Some(Err(other.to_owned())),
            };
            equal(&got, &want)
        }
        "TestBodyPartialContent" => partial_content(case),
        "TestBodyContent" => {
            let (_, left, diagnostics) = content(&text("src"), &case["schema"]);
            same(
                &((left + diagnostics.len()) as u64),
                &case["diagCount"].as_u64().unwrap_or(0),
            )
        }
        "TestJustAttributes" => {
            let body = body(&text("src"));
            let (content, diagnostics) = body.just_attributes();
            let diagnostics = diagnostics.len() as u64;
            same(&diagnostics, &case["diagCount"].as_u64().unwrap_or(0))
                .and_then(|()| attributes(&content, &case["want"]))
        }
        "TestExpressionVariables" => {
            let (expr, _) = value(&text("Src"));
            let before = TextSize::of(BEFORE);
            let mut found = Vec::new();
            config::refs::each_traversal(&expr, &mut |traversal| {
                found.push((
                    traversal.root.name.to_string(),
                    traversal.root.range - before,
                ));
            });
            let wanted = case["Want"].as_array().into_iter().flatten();
            let wanted: Vec<_> = wanted
                .map(|traversal| {
                    let root = &traversal[0];
                    let name = root["Name"].as_str().unwrap_or_default().to_owned();
                    (name, range(&root["SrcRange"]))
                })
                .collect();
            same(&found, &wanted)
        }
        "TestExpression_Value" => {
            let source = r#"{"array": ["a"], "bool_false": false, "bool_true": true, "null": null, "number": 5,
                "object": {"key": "value"}, "string": "string_val"}"#;
            let (expr, _) = value(source);
            let value = evaluate(&expr, &EvalContext::empty()).value;
            match value.get(key) {
                Some(got) => equal(got, &testing::value(case)?),
                None => Err(format!("no {key}")),
            }
        }
        "TestExpressionValue_Diags" => {
            let (expr, _) = value(&text("src"));
            let mut context = EvalContext::empty();
            context.set("VAR1", Value::string("case"));
            let Evaluated { value, problems } = evaluate(&expr, &context);
            let summary = problems.first().map_or("", |problem| &problem.summary);
            let got = value.get("v").cloned().unwrap_or_else(Value::dynamic);
            same(&summary.to_owned(), &text("error"))
                .and_then(|()| equal(&got, &testing::value(&case["expected"]).unwrap()))
        }
        "TestGetTypeJSON" => {
            let (expr, _) = value(&text("Source"));
            let expr = item(&expr, "expr");
            let (ty, problems) = match case["Constraint"].as_bool() {
                Some(true) => {
                    let (constraint, problems) = type_constraint(&expr);
                    (constraint.ty, problems)
                }
                _ => exact_type(&expr),
            };
            let error = problems.first().map_or("", |problem| &problem.detail);
            same(&error.to_owned(), &text("WantError"))
                .and_then(|()| same(&Some(ty), &testing::ty(&case["Want"]["ctytype"])))
        }
        _ => return None,
    })
}

fn same<T: PartialEq + std::fmt::Debug>(got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("got  {got:?}\n    want {want:?}")),
    }
}

fn equal(got: &Value, want: &Value) -> Result<(), String> {
    match got.raw_equals(want) {
        true => Ok(()),
        false => Err(format!("got  {got:?}\n    want {want:?}")),
    }
}

fn range(json: &Json) -> TextRange {
    let at = |end: &str| json[end]["Byte"].as_u64().unwrap_or(0) as u32;
    TextRange::new(at("Start").into(), at("End").into())
}

/// What stands before a text in a file that holds it as its only property.
const BEFORE: &str = r#"{"v":"#;

/// A text as one value, and how many mistakes it has as a file, but for what the root should be.
fn value(text: &str) -> (Expr, u64) {
    let file = parse_json(&format!("{BEFORE}{text}}}"), |_| None);
    let expr = file.body().attributes().next();
    let errors = parse_json(text, |_| None);
    let errors = errors.errors().filter(|(_, error)| {
        error.summary != "Root value must be object" && error.summary != "Incorrect JSON value type"
    });
    let count = errors.count() as u64;
    (Expr::clone(&expr.expect("a property").1.expr), count)
}

/// What stands before a text in a file that holds it as a block: in an array, so that an array is one body too.
const BEFORE_BODY: &str = r#"{"v":["#;

/// The text as the body of a block.
fn body(text: &str) -> Body {
    let file = parse_json(&format!("{BEFORE_BODY}{text}]}}"), |_| Some(&[]));
    let (segment, block) = file.body().blocks().next().expect("a block");
    let file = FileId::new("/test.json");
    let block = config::Block {
        origin: Origin { file, segment },
        ast: block.clone(),
    };
    block.body()
}

/// The body as a schema of HCL reads it; how many properties are left, and what is wrong.
fn content(text: &str, schema: &Json) -> (Body, usize, Vec<Diagnostic>) {
    let names = |list: &Json, name: &str| -> Vec<String> {
        let list = list.as_array().into_iter().flatten();
        list.map(|it| it[name].as_str().unwrap_or_default().to_owned())
            .collect()
    };
    let attributes = names(&schema["Attributes"], "Name");
    let blocks = names(&schema["Blocks"], "Type");
    let labels: Vec<Vec<&str>> = schema["Blocks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|block| {
            let labels = block["LabelNames"].as_array().into_iter().flatten();
            labels.map(|label| label.as_str().unwrap()).collect()
        })
        .collect();
    let body = body(text);
    let (content, mut diagnostics) = body.content(&|name| {
        let block = blocks.iter().position(|block| block == name);
        match attributes.iter().any(|attribute| attribute == name) {
            true => Some(Expected::Attribute),
            false => block.map(|at| Expected::Block(&labels[at])),
        }
    });
    let required = schema["Attributes"].as_array().into_iter().flatten();
    for attribute in required.filter(|attribute| attribute["Required"] == true) {
        if content
            .attribute(attribute["Name"].as_str().unwrap())
            .is_none()
        {
            let at = content.missing_item.clone();
            diagnostics.push(Diagnostic::error(
                "missing",
                "Missing required argument",
                "",
                at,
            ));
        }
    }
    (
        content.clone().into_owned(),
        content.members.len(),
        diagnostics,
    )
}

fn partial_content(case: &Json) -> Result<(), String> {
    let text = case["src"].as_str().unwrap_or_default();
    let (content, _, diagnostics) = content(text, &case["schema"]);
    let want = &case["want"];
    let wanted = case["diagCount"].as_u64().unwrap_or(0);
    same(&(diagnostics.len() as u64), &wanted)?;
    attributes(&content, &want["Attributes"])?;
    // HCL names the array where the blocks of one begin; here each has its own brace.
    let headers = |block: &config::Block| -> Vec<TextRange> {
        let labels = block.ast.labels.iter().map(|label| label.range);
        labels
            .map(|range| range - TextSize::of(BEFORE_BODY))
            .collect()
    };
    let blocks: Vec<_> = content
        .blocks
        .iter()
        .map(|b| (b.kind().to_string(), headers(b)))
        .collect();
    let wanted: Vec<_> = want["Blocks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|block| {
            let labels = block["LabelRanges"].as_array().into_iter().flatten();
            (
                block["Type"].as_str().unwrap_or_default().to_owned(),
                labels.map(range).collect(),
            )
        })
        .collect();
    same(&blocks, &wanted)
}

fn attributes(content: &Body, want: &Json) -> Result<(), String> {
    let place = |span: Span| span.range - TextSize::of(BEFORE_BODY);
    let mut got: Vec<_> = content
        .attributes
        .iter()
        .map(|it| {
            (
                it.name().to_string(),
                place(it.name_span()),
                place(it.span()),
            )
        })
        .collect();
    let wanted = want.as_object().into_iter().flatten();
    let mut wanted: Vec<_> = wanted
        .map(|(name, it)| (name.clone(), range(&it["NameRange"]), range(&it["Range"])))
        .collect();
    got.sort_by(|a, b| a.0.cmp(&b.0));
    wanted.sort_by(|a, b| a.0.cmp(&b.0));
    same(&got, &wanted)
}

/// The value of a key in an object.
fn item(expr: &Expr, name: &str) -> Expr {
    let ExprKind::Object(items) = &expr.kind else {
        panic!("{expr:?}");
    };
    let is_named = |item: &&ObjectItem| match &item.key {
        ObjectKey::Name(_) => false,
        ObjectKey::Expr(key) => key.as_literal_string().is_some_and(|key| key == name),
    };
    items.iter().find(is_named).expect("the key").value.clone()
}

/// The keyword that is offered for a wrong one.
fn suggestion(given: &str, wanted: &str) -> Result<(), String> {
    let file = parse_json(&format!("{BEFORE}{given}}}"), |_| None);
    let error = file.errors().next().map(|(_, error)| error.detail.clone());
    let offered = error.as_deref().and_then(|detail| {
        let (_, offered) = detail.split_once("Did you mean \"")?;
        offered.strip_suffix("\"?")
    });
    let is_right = ["true", "false", "null"].contains(&given);
    let offered = if is_right {
        given
    } else {
        offered.unwrap_or_default()
    };
    same(&offered, &wanted)
}

#[test]
fn strings_are_templates_where_something_is_evaluated() {
    let (expr, _) = value(r#"["${a.b}", "$${a.b}", "x${a.b}", "%{ if true }y%{ endif }", "${"]"#);
    let verbatim = evaluate(&expr, &EvalContext::empty());
    assert!(verbatim.problems.is_empty());
    let texts = verbatim.value.as_slice().unwrap().iter();
    let texts: Vec<_> = texts
        .map(|text| text.as_str().unwrap().to_owned())
        .collect();
    assert_eq!(
        texts,
        [
            "${a.b}",
            "$${a.b}",
            "x${a.b}",
            "%{ if true }y%{ endif }",
            "${"
        ]
    );
}

#[test]
fn objects_have_the_words_of_hcl_json() {
    for (json, summary) in [
        (r#"{"k": 1, "l": 2}"#, ""),
        (r#"{"k": 1, "k": 2}"#, "Duplicate object attribute"),
        (r#"{"${none}": 2}"#, "Invalid object key expression"),
        (r#"{"${a}": 2}"#, "Invalid object key expression"),
        (r#"{"x": "${a.c}"}"#, "Unsupported attribute"),
        (r#"{"x": "${a."}"#, "Invalid attribute name"),
    ] {
        let (expr, _) = value(json);
        let mut context = EvalContext::empty();
        context.set("a", Value::object([("b", Value::int(1))]));
        context.set("none", Value::null(cty::Type::String));
        let problems = evaluate(&expr, &context).problems;
        let got = problems.first().map_or("", |problem| &problem.summary);
        assert_eq!(got, summary, "{json}");
    }
}

#[test]
fn nesting_takes_no_more_stack_than_in_native_syntax() {
    let nested = |open: &str, inner: &str, close: &str, depth: usize| {
        format!("{}{inner}{}", open.repeat(depth), close.repeat(depth))
    };
    for depth in [100, 200, 248, 100_000] {
        let template = format!("\"${{{}}}\"", nested("[", "1", "]", depth));
        for json in [
            nested("[", &template, "]", depth),
            nested("{\"${\\\"k\\\"}\":", &template, "}", depth),
        ] {
            let (expr, _) = value(&json);
            let mut context = EvalContext::empty();
            context.set("a", Value::bool(true));
            evaluate(&expr, &context);
            config::refs::each_traversal(&expr, &mut |_| {});
        }
    }
}
