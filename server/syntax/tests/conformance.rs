//! The parsing half of hclsyntax's own test tables: what is accepted, and with which words what is not.

use std::path::{Path, PathBuf};

use serde_json::Value;
use syntax::ast::ExprKind;
use syntax::{parse, parse_expression, parse_template, parse_traversal_abs};
use text::Problem;

fn table() -> Option<String> {
    let folder = match std::env::var_os("PLANLENS_CONFORMANCE") {
        Some(folder) => PathBuf::from(folder),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/conformance"),
    };
    std::fs::read_to_string(folder.join("tables/hcl_hclsyntax.jsonl")).ok()
}

/// What a case expects of the parser; `None` when it is about something else.
fn check(test: &str, key: &str, case: &Value) -> Option<Result<(), String>> {
    let text = |name: &str| case[name].as_str().unwrap_or_default().to_owned();
    let is_rejected = case["diagCount"].as_u64().unwrap_or(0) > 0;
    let result = match test {
        // Their errors may be of evaluation.
        "TestExpressionParseAndValue" if is_rejected => return None,
        "TestTemplateExprParseAndValue" if is_rejected => return None,
        "TestExpressionParseAndValue" | "TestExpressionErrorMessages" => {
            verdict(&parse_expression(&text("input")).errors, false)
        }
        "TestTemplateExprParseAndValue" => verdict(&parse_template(&text("input")).errors, false),
        "TestAllBoolExpressions" => verdict(&parse_expression(key).errors, false),
        "TestWalk" => verdict(&parse_expression(&text("src")).errors, false),
        "TestParseExpression_incompleteFunctionCall" => {
            verdict(&parse_expression(&text("cfg")).errors, true)
        }
        "TestTemplateExprIsStringLiteral" => {
            let expr = parse_template(key).tree;
            let is_literal = match &expr.kind {
                ExprKind::Template(template) => template.as_literal().is_some(),
                _ => false,
            };
            same(&is_literal, &(case == &Value::Bool(true)))
        }
        // Of partial traversals, which the configuration language does not use.
        "TestParseTraversalAbs" if text("src").ends_with("[*]") => return None,
        "TestParseTraversalAbs" => verdict(&parse_traversal_abs(&text("src")).errors, is_rejected),
        "TestValidIdentifier" => {
            let input = text("Input");
            let traversal = parse_traversal_abs(&input).tree;
            let is_valid =
                traversal.is_some_and(|t| t.steps.is_empty() && t.root.name == input.as_str());
            same(&is_valid, &(case["Want"] == Value::Bool(true)))
        }
        "TestParseConfig" => config_verdict(&text("input"), is_rejected),
        "TestParseConfig_incompleteFunctionCall" => config_verdict(&text("input"), true),
        "TestAttributeAtPos" | "TestBlocksAtPos" | "TestOutermostExprAtPos" => {
            config_verdict(&text("Src"), key.contains("unterminated"))
        }
        "TestParseConfigDiagnostics" => {
            let expected = case["want"]["error"].as_str()?;
            let (_, expected) = expected.split_once(' ')?;
            same(&first_error(&text("input")).as_str(), &expected)
        }
        "TestCheckInvalidTokensTest" => {
            let expected = format!("{}; {}", text("WantSummary"), text("WantDetail"));
            same(&first_error(&text("Input")), &expected)
        }
        _ => return None,
    };
    Some(result)
}

fn config_verdict(input: &str, is_rejected: bool) -> Result<(), String> {
    let file = parse(input);
    let errors: Vec<Problem> = file.errors().map(|(_, error)| error.clone()).collect();
    verdict(&errors, is_rejected)
}

fn verdict(errors: &[Problem], is_rejected: bool) -> Result<(), String> {
    if errors.is_empty() == is_rejected {
        Err(format!("{errors:?}"))
    } else {
        Ok(())
    }
}

fn first_error(input: &str) -> String {
    let file = parse(input);
    let error = file.errors().next();
    error.map_or(String::new(), |(_, error)| {
        format!("{}; {}", error.summary, error.detail)
    })
}

fn same<T: PartialEq + std::fmt::Debug>(own: &T, expected: &T) -> Result<(), String> {
    if own == expected {
        Ok(())
    } else {
        Err(format!("{own:?} instead of {expected:?}"))
    }
}

#[test]
#[allow(clippy::print_stdout)]
fn tables_of_hclsyntax() {
    let Some(table) = table() else {
        println!("skipped: no conformance tables");
        return;
    };
    let mut passed = 0;
    let mut failed = Vec::new();
    for line in table.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let (test, key) = (
            record["test"].as_str().unwrap(),
            record["key"].as_str().unwrap(),
        );
        match check(test, key, &record["case"]) {
            None => {}
            Some(Ok(())) => passed += 1,
            Some(Err(difference)) => failed.push(format!("{test}: {difference}\n  {line}")),
        }
    }
    println!("hclsyntax tables: {passed} passed, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
