//! Cases from HCL's own test suites, where their folder is at hand: `PLANLENS_CONFORMANCE`, or `shared/conformance`
//! beside the repository. Otherwise the tests say that they skipped.

use std::io::Write;
use std::path::PathBuf;

use config::Profile;
use cty::{Value, testing};
use eval::types::{Defaults, exact_type, type_constraint, type_constraint_without_defaults};
use eval::{EvalContext, Evaluated, Functions, Variables, evaluate};
use serde_json::Value as Json;
use syntax::ast::{Expr, ExprKind, TemplatePart};
use syntax::{Parsed, parse_expression, parse_template};
use text::TextRange;

/// One row of a table.
struct Case {
    test: String,
    key: String,
    row: Json,
}

/// What became of the cases of a test.
struct Tally {
    test: &'static str,
    passed: usize,
    failed: Vec<(String, String)>,
}

fn cases(table: &str, test: &str) -> Option<Vec<Case>> {
    let folder = std::env::var_os("PLANLENS_CONFORMANCE")
        .map(PathBuf::from)
        .unwrap_or_else(|| {
            PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance")
        });
    let text =
        std::fs::read_to_string(folder.join("tables").join(format!("{table}.jsonl"))).ok()?;
    let rows = text
        .lines()
        .map(|line| serde_json::from_str::<Json>(line).unwrap());
    let cases = rows.map(|row| Case {
        test: row["test"].as_str().unwrap_or_default().into(),
        key: row["key"].as_str().unwrap_or_default().into(),
        row: row["case"].clone(),
    });
    Some(cases.filter(|case| case.test == test).collect())
}

/// Past the test harness, which keeps what tests that pass print.
fn say(line: &str) {
    let mut stderr = std::io::stderr();
    writeln!(stderr, "{line}").unwrap();
}

/// Runs the cases of a test. `known`: names of cases that fail, with the reason why.
fn run(
    table: &str,
    test: &'static str,
    known: &[(&str, &str)],
    name: fn(&Case) -> String,
    check: fn(&Case) -> Result<(), String>,
) {
    let Some(cases) = cases(table, test) else {
        return say(&format!(
            "{test}: skipped, the conformance tables are not here"
        ));
    };
    let mut tally = Tally {
        test,
        passed: 0,
        failed: Vec::new(),
    };
    for case in &cases {
        match check(case) {
            Ok(()) => tally.passed += 1,
            Err(why) => tally.failed.push((name(case), why)),
        }
    }
    say(&format!(
        "{}: {} of {} passed",
        tally.test,
        tally.passed,
        cases.len()
    ));
    let is_known = |name: &str| known.iter().any(|(known, _)| *known == name);
    let unexpected: Vec<String> = tally
        .failed
        .iter()
        .filter(|(name, _)| !is_known(name))
        .map(|(name, why)| format!("{name}\n    {why}"))
        .collect();
    assert!(
        unexpected.is_empty(),
        "{}:\n{}",
        tally.test,
        unexpected.join("\n")
    );
    for (known, _) in known {
        assert!(
            tally.failed.iter().any(|(name, _)| name == known),
            "{known} passes now"
        );
    }
}

fn by_input(case: &Case) -> String {
    case.row["input"]
        .as_str()
        .or(case.row["expr"].as_str())
        .unwrap_or_default()
        .into()
}

fn by_key(case: &Case) -> String {
    case.key.clone()
}

fn by_source(case: &Case) -> String {
    case.row["Source"].as_str().unwrap_or_default().into()
}

fn variables(json: &Json) -> Option<Variables> {
    let variables = json.as_object()?.iter();
    variables
        .map(|(name, value)| Some((name.into(), testing::value(value)?)))
        .collect()
}

/// A scope as in the case: without `Variables` no references are allowed, without `Functions` no calls.
fn context<'a>(json: &Json, functions: &'a Functions) -> EvalContext<'a> {
    let mut context = EvalContext::empty();
    if !json["Functions"].is_null() {
        context = context.with_functions(functions);
    }
    context = context.with_profile(Profile::terraform(1, 12, 0));
    for (name, value) in variables(&json["Variables"]).unwrap_or_default() {
        context.set(name, value);
    }
    context
}

fn expect_value(got: &Value, want: &Json) -> Result<(), String> {
    let want = testing::value(want).ok_or_else(|| format!("unreadable value {want}"))?;
    match got.raw_equals(&want) {
        true => Ok(()),
        false => Err(format!("got  {got:?}\n    want {want:?}")),
    }
}

/// The value, and how many problems there are. HCL returns those of syntax once more with the value of an expression
/// that it could not parse.
fn value_and_count(got: &Evaluated, parsed: &Parsed<Expr>, row: &Json) -> Result<(), String> {
    let wanted = row["diagCount"].as_u64().unwrap_or(0) as usize;
    let count = parsed.errors.len() + got.problems.len();
    let is_said_again = is_broken(&parsed.tree) && count + parsed.errors.len() == wanted;
    if count != wanted && !is_said_again {
        return Err(format!(
            "{count} problems, not {wanted}: {:#?}",
            got.problems
        ));
    }
    expect_value(&got.value, &row["want"])
}

fn is_broken(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Error(_) => true,
        ExprKind::Template(template) => template.parts.iter().any(|part| match part {
            TemplatePart::Interpolation(expr) => is_broken(expr),
            TemplatePart::If(directive) => is_broken(&directive.condition),
            TemplatePart::Literal(..) | TemplatePart::For(_) => false,
        }),
        _ => false,
    }
}

#[test]
fn expressions_have_the_values_that_hcl_gives_them() {
    let own = "a function of the test's own";
    let known = [
        ("foo :: upper(\"foo\")", own),
        ("[\"hello\"][negate(0)]", own),
        (
            "{centos_7.2_ap-south-1 = \"ami-abc123\"}",
            "after the syntax error the parser keeps the item with its key, which HCL drops",
        ),
        (
            "[[\"hello\"]].0.0",
            "after the syntax error the parser keeps the first index, which HCL drops",
        ),
    ];
    run(
        "hcl_hclsyntax",
        "TestExpressionParseAndValue",
        &known,
        by_input,
        |case| {
            let functions = Functions::without_surroundings();
            let parsed = parse_expression(case.row["input"].as_str().unwrap_or_default());
            let got = evaluate(&parsed.tree, &context(&case.row["ctx"], &functions));
            value_and_count(&got, &parsed, &case.row)
        },
    );
}

#[test]
fn templates_have_the_values_that_hcl_gives_them() {
    run(
        "hcl_hclsyntax",
        "TestTemplateExprParseAndValue",
        &[(
            "%{ of true ~} hello %{~ endif}",
            "HCL reports the syntax error once more when it evaluates the broken directive",
        )],
        by_input,
        |case| {
            let functions = Functions::without_surroundings();
            let parsed = parse_template(case.row["input"].as_str().unwrap_or_default());
            let got = evaluate(&parsed.tree, &context(&case.row["ctx"], &functions));
            value_and_count(&got, &parsed, &case.row)
        },
    );
}

#[test]
fn logical_operators_decide_as_early_as_hcl_2_24() {
    run(
        "hcl_hclsyntax",
        "TestAllBoolExpressions",
        &[],
        by_key,
        |case| {
            let parsed = parse_expression(&case.key);
            let mut context = EvalContext::empty().with_profile(Profile::terraform(1, 12, 0));
            context.set("unknown", Value::unknown(cty::Type::Bool));
            let got = evaluate(&parsed.tree, &context);
            match case.row["unknown"].as_bool() {
                Some(true) if !got.value.is_known() => Ok(()),
                _ => expect_value(&got.value, &case.row),
            }
        },
    );
}

#[test]
fn mistakes_are_explained_in_the_words_of_hcl() {
    run(
        "hcl_hclsyntax",
        "TestExpressionErrorMessages",
        &[],
        by_input,
        |case| {
            let functions = Functions::without_surroundings();
            let parsed = parse_expression(case.row["input"].as_str().unwrap_or_default());
            let got = evaluate(&parsed.tree, &context(&case.row["ctx"], &functions));
            let wanted = |problem: &text::Problem| {
                case.row["wantSummary"] == *problem.summary
                    && case.row["wantDetail"] == *problem.detail
            };
            match got.problems.iter().any(wanted) {
                true => Ok(()),
                false => Err(format!("got {:#?}", got.problems)),
            }
        },
    );
}

#[test]
fn index_finds_elements_as_in_hcl() {
    run("hcl", "TestIndex", &[], by_key, |case| {
        let collection = testing::value(&case.row["coll"]).ok_or("collection")?;
        let key = testing::value(&case.row["key"]).ok_or("key")?;
        match eval::index(&collection, &key, TextRange::default()) {
            Ok(value) => expect_value(&value, &case.row["want"]),
            Err(problem) if case.row["err"] == *problem.summary => Ok(()),
            Err(problem) => Err(format!("{problem:?}")),
        }
    });
}

#[test]
fn paths_are_followed_as_in_hcl() {
    run(
        "hcl",
        "TestApplyPath",
        &[],
        |case| case.row.to_string(),
        |case| {
            let mut value = testing::value(&case.row["Start"]).ok_or("start")?;
            let path = match &case.row["Path"] {
                Json::Null => cty::Path::new(),
                path => testing::path(path).ok_or("path")?,
            };
            for step in path.steps() {
                let result = match step {
                    cty::PathStep::GetAttr(name) => {
                        eval::get_attr(&value, name, TextRange::default())
                    }
                    cty::PathStep::Index(key) => eval::index(&value, key, TextRange::default()),
                };
                match result {
                    Ok(next) => value = next,
                    Err(problem) => {
                        let got = format!("{}: {}", problem.summary, problem.detail);
                        return match case.row["WantErr"] == *got {
                            true => Ok(()),
                            false => Err(got),
                        };
                    }
                }
            }
            expect_value(&value, &case.row["Want"])
        },
    );
}

/// Removes ` (at file:1,1-2)`: a segment does not know where it stands in its file.
fn without_places(message: &str) -> String {
    let mut parts = message.split(" (at ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| {
        text + part.split_once(')').map_or("", |(_, rest)| rest)
    })
}

fn try_and_can(case: &Case) -> Result<(), String> {
    let functions = Functions::without_surroundings();
    let mut context = EvalContext::empty().with_functions(&functions);
    for (name, value) in variables(&case.row["vars"]).unwrap_or_default() {
        context.set(name, value);
    }
    let parsed = parse_expression(case.row["expr"].as_str().unwrap_or_default());
    let got = evaluate(&parsed.tree, &context);
    match (case.row["wantErr"].as_str(), got.problems.first()) {
        (None, None) => expect_value(&got.value, &case.row["want"]),
        (Some(wanted), Some(problem)) => {
            let wanted = without_places(wanted);
            let got = format!("{}; {}", problem.summary, problem.detail);
            match wanted.ends_with(&got) {
                true => Ok(()),
                false => Err(format!("got {got}")),
            }
        }
        _ => Err(format!("{got:#?}")),
    }
}

#[test]
fn try_gives_the_first_expression_that_succeeds() {
    run("hcl_ext_tryfunc", "TestTryFunc", &[], by_key, try_and_can);
}

#[test]
fn can_is_true_where_an_expression_succeeds() {
    run("hcl_ext_tryfunc", "TestCanFunc", &[], by_key, try_and_can);
}

fn type_of(source: &str, row: &Json) -> Result<(), String> {
    let parsed = parse_expression(source);
    let (ty, problems) = match row["Constraint"].as_bool() {
        Some(true) => type_constraint_without_defaults(&parsed.tree),
        _ => exact_type(&parsed.tree),
    };
    match (row["WantError"].as_str(), problems.as_slice()) {
        (None, []) => {}
        (Some(wanted), [problem, ..]) if problem.detail == wanted => {}
        _ => return Err(format!("{problems:#?}")),
    }
    let wanted = testing::ty(&row["Want"]).ok_or("type")?;
    match ty == wanted {
        true => Ok(()),
        false => Err(format!("got {ty}, want {wanted}")),
    }
}

#[test]
fn types_are_read_as_in_hcl() {
    run("hcl_ext_typeexpr", "TestGetType", &[], by_source, |case| {
        type_of(case.row["Source"].as_str().unwrap_or_default(), &case.row)
    });
    run(
        "hcl_ext_typeexpr",
        "TestGetTypeJSON",
        &[],
        by_source,
        |case| {
            let source: Json =
                serde_json::from_str(case.row["Source"].as_str().unwrap_or_default()).unwrap();
            type_of(source["expr"].as_str().unwrap_or_default(), &case.row)
        },
    );
}

fn defaults(json: &Json) -> Option<Defaults> {
    let children = json["Children"].as_object().into_iter().flatten();
    Some(Defaults {
        ty: testing::ty(&json["Type"])?,
        values: variables(&json["DefaultValues"]).unwrap_or_default(),
        children: children
            .map(|(name, child)| Some((name.into(), std::sync::Arc::new(defaults(child)?))))
            .collect::<Option<_>>()?,
    })
}

#[test]
fn defaults_of_types_are_read_as_in_hcl() {
    run(
        "hcl_ext_typeexpr",
        "TestGetTypeDefaults",
        &[],
        by_source,
        |case| {
            let parsed = parse_expression(case.row["Source"].as_str().unwrap_or_default());
            let (constraint, problems) = type_constraint(&parsed.tree);
            match (case.row["WantError"].as_str(), problems.as_slice()) {
                (None, []) => {}
                // Terraform 1.11 does not tell yet what type the value has.
                (Some(wanted), [problem, ..])
                    if wanted.starts_with(problem.detail.trim_end_matches('.')) =>
                {
                    return Ok(());
                }
                _ => return Err(format!("{problems:#?}")),
            }
            let wanted = match &case.row["Want"] {
                Json::Null => None,
                json => Some(defaults(json).ok_or("defaults")?),
            };
            match constraint.defaults.as_deref() == wanted.as_ref() {
                true => Ok(()),
                false => Err(format!("got {:?}, want {wanted:?}", constraint.defaults)),
            }
        },
    );
}

#[test]
fn defaults_are_applied_as_in_hcl() {
    run(
        "hcl_ext_typeexpr",
        "TestDefaults_Apply",
        &[],
        by_key,
        |case| {
            let defaults = defaults(&case.row["defaults"]).ok_or("defaults")?;
            let value = testing::value(&case.row["value"]).ok_or("value")?;
            expect_value(&defaults.apply(&value), &case.row["want"])
        },
    );
}

/// The type argument of the table is a value of Go's; here it is part of the expression.
#[test]
fn values_are_converted_as_by_hcl() {
    run("hcl_ext_typeexpr", "TestConvertFunc", &[], by_key, |case| {
        let ty = case.row["ty"]["go"].as_str().unwrap_or_default();
        let ty = ty.trim_start_matches("typeexpr.TypeConstraintVal(cty.");
        let ty = ty.trim_end_matches(')').to_lowercase();
        let functions = Functions {
            profile: Profile::NEWEST_TERRAFORM,
            ..Functions::without_surroundings()
        };
        let value = testing::value(&case.row["val"]).ok_or("value")?;
        let context = EvalContext::new([("v".into(), value)].into(), &functions);
        let parsed = parse_expression(&format!("convert(v, {ty})"));
        let got = evaluate(&parsed.tree, &context);
        match (case.row["wantErr"].as_str(), got.problems.first()) {
            (None, None) => expect_value(&got.value, &case.row["want"]),
            (Some(wanted), Some(problem)) if problem.detail.contains(wanted) => Ok(()),
            _ => Err(format!("{got:#?}")),
        }
    });
}

#[test]
fn types_are_written_as_in_hcl() {
    run(
        "hcl_ext_typeexpr",
        "TestTypeString",
        &[],
        |case| case.row["Want"].as_str().unwrap_or_default().into(),
        |case| {
            let ty = testing::ty(&case.row["Type"]).ok_or("type")?;
            let got = ty.without_optional_attributes().to_string();
            match case.row["Want"] == *got {
                true => Ok(()),
                false => Err(got),
            }
        },
    );
}
