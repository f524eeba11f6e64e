//! What is left of HCL's own test tables when the parser (`syntax/tests/conformance.rs`) and the evaluator
//! (`conformance.rs`) have had their rows: tokens, traversals, bodies, places, suggestions, calls. Counts what is left
//! out of both files, and why.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::Arc;

use config::{Block, Body, Expected, Origin, refs};
use cty::testing::{table, value};
use cty::{Type, Value};
use eval::{
    EvalContext, FunctionAnswer, Functions, ProviderFunction, ProviderFunctions, Variables,
    evaluate,
};
use schema::{Attribute, DescriptionKind, FunctionParameter, FunctionSignature, NestedBlock};
use serde_json::Value as Json;
use syntax::ast::Expr;
use syntax::{SyntaxKind, parse, parse_expression, parse_template};
use text::{FileId, LineIndex, Position, PositionEncoding, TextRange, did_you_mean};

/// The tests whose rows other files take.
const ELSEWHERE: [&str; 18] = [
    "TestAllBoolExpressions",
    "TestApplyPath",
    "TestAttributeAtPos",
    "TestBlocksAtPos",
    "TestCheckInvalidTokensTest",
    "TestExpressionErrorMessages",
    "TestExpressionParseAndValue",
    "TestIndex",
    "TestOutermostExprAtPos",
    "TestParseConfig",
    "TestParseConfigDiagnostics",
    "TestParseConfig_incompleteFunctionCall",
    "TestParseExpression_incompleteFunctionCall",
    "TestParseTraversalAbs",
    "TestTemplateExprIsStringLiteral",
    "TestTemplateExprParseAndValue",
    "TestValidIdentifier",
    "TestWalk",
];

/// Not run, and why.
const LEFT_OUT: [(&str, &str); 5] = [
    ("TestDiagnosticTextWriter", "how Go's library prints"),
    (
        "TestExpressionDiagnosticExtra",
        "what is expected is a closure",
    ),
    (
        "TestNavigationContextDefRange",
        "about a text that is not in the row",
    ),
    (
        "TestNavigationContextString",
        "about a text that is not in the row",
    ),
    (
        "TestScanTokens_template",
        "the scanner of bare templates is Go's alone",
    ),
];

#[test]
fn tables_of_hcl() {
    for name in ["hcl", "hcl_hclsyntax"] {
        check_table(name);
    }
}

fn check_table(name: &str) {
    let mut stderr = std::io::stderr();
    let mut say = |line: &str| writeln!(stderr, "{name}: {line}").unwrap();
    let Some(rows) = table(&format!("tables/{name}.jsonl")) else {
        return say("SKIPPED, the conformance tables are not here");
    };
    let (mut passed, mut elsewhere, mut left_out) = (0, 0, BTreeMap::new());
    let mut failed = Vec::new();
    for row in &rows {
        let test = row["test"].as_str().unwrap();
        if ELSEWHERE.contains(&test) {
            elsewhere += 1;
            continue;
        }
        if let Some((test, why)) = LEFT_OUT.iter().find(|(name, _)| *name == test) {
            *left_out.entry(format!("{test}: {why}")).or_insert(0) += 1;
            continue;
        }
        match check(test, &row["case"]) {
            Ok(()) => passed += 1,
            Err(why) => failed.push(format!("{row}\n    {why}")),
        }
    }
    let left: usize = left_out.values().sum();
    say(&format!(
        "{passed} of {} passed here, {elsewhere} are run elsewhere, {left} of {} left out: {left_out:?}",
        passed + failed.len(),
        rows.len()
    ));
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(left * 20 <= rows.len(), "too many are left out");
}

fn check(test: &str, case: &Json) -> Result<(), String> {
    let text = |name: &str| case[name].as_str().unwrap_or_default();
    match test {
        "TestPosScanner" => lines(case),
        "TestRangeOver" => same(
            &range(&case["A"]).cover(range(&case["B"])),
            &range(&case["Want"]),
        ),
        "TestPosOverlap" => {
            let (a, b) = (range(&case["A"]), range(&case["B"]));
            same(&overlap(a, b), &range(&case["Want"]))
        }
        "TestRangePartitionAround" => {
            let (outer, inner) = (range(&case["Outer"]), range(&case["Inner"]));
            let overlap = overlap(outer, inner);
            same(&overlap, &range(&case["WantOverlap"]))?;
            let before = TextRange::new(outer.start(), overlap.start());
            let after = TextRange::new(overlap.end(), outer.end());
            same(&before, &range(&case["WantBefore"]))?;
            same(&after, &range(&case["WantAfter"]))
        }
        "TestAbsTraversalForExpr" | "TestRelTraversalForExpr" => {
            let expr = mock(&case["Expr"]);
            let got = expr.as_traversal().map(|it| it.root.name.to_string());
            let wanted = case["WantRootName"]
                .as_str()
                .or(case["WantFirstName"].as_str());
            same(&got.as_deref(), &wanted)
        }
        "TestExprAsKeyword" => {
            let got = mock(&case["Expr"]).as_keyword();
            same(&got.as_deref().unwrap_or_default(), &text("Want"))
        }
        "TestMergedBodiesContent" => merged(case, &case["Want"]),
        "TestMergeBodiesPartialContent" => merged(case, &case["WantContent"]),
        "TestBodyContent" | "TestBodyJustAttributes" => body_content(test, case),
        "TestNameSuggestion" => {
            let hint = did_you_mean(text("Input"), ["false", "true", "null"]).to_string();
            let hint = hint
                .strip_prefix(" Did you mean \"")
                .and_then(|it| it.strip_suffix("\"?"));
            same(&hint.unwrap_or_default(), &text("Want"))
        }
        "TestFunctionCallExprValue" => call(case),
        "TestScanStringLit" => string(case),
        "TestScanTokens_normal" => tokens(case),
        "TestVariables" => {
            let parsed = parse_expression(&source(&case["Expr"]));
            let mut got = Vec::new();
            refs::each_traversal(&parsed.tree, &mut |it| got.push(it.root.name.to_string()));
            let wanted = case["Want"].as_array().into_iter().flatten();
            let wanted = wanted.map(|it| it[0]["Name"].as_str().unwrap().to_owned());
            got.sort();
            let mut wanted: Vec<String> = wanted.collect();
            wanted.sort();
            same(&got, &wanted)
        }
        other => Err(format!("{other} is not bound")),
    }
}

fn same<T: PartialEq + std::fmt::Debug>(got: &T, want: &T) -> Result<(), String> {
    match got == want {
        true => Ok(()),
        false => Err(format!("got {got:?}, want {want:?}")),
    }
}

fn range(json: &Json) -> TextRange {
    let at = |end: &str| json[end]["Byte"].as_u64().unwrap_or(0) as u32;
    TextRange::new(at("Start").into(), at("End").into())
}

/// What two ranges share; where that is nothing, the start of the first.
fn overlap(a: TextRange, b: TextRange) -> TextRange {
    let shared = a.intersect(b).filter(|shared| !shared.is_empty());
    shared.unwrap_or(TextRange::empty(a.start()))
}

fn lines(case: &Json) -> Result<(), String> {
    let text = case["Input"].as_str().unwrap_or_default();
    let index = LineIndex::new(text);
    for (line, wanted) in case["Want"].as_array().into_iter().flatten().enumerate() {
        let at = |character| Position::new(line as u32, character);
        let got = index.range(at(0), at(u32::MAX), PositionEncoding::Utf8);
        same(&got, &range(wanted))?;
        same(&&text[got], &case["WantToks"][line].as_str().unwrap())?;
    }
    Ok(())
}

/// An expression of the tests' own: `foo`, `foo.bar`, something else, or one in a wrapper, as strings of JSON are.
fn mock(json: &Json) -> Expr {
    let name = |json: &Json| match (json["RootName"].as_str(), json["AttrName"].as_str()) {
        (Some(root), None) => root.to_owned(),
        (Some(root), Some(attr)) => format!("{root}.{attr}"),
        (None, _) => "1".to_owned(),
    };
    let mut inner = json;
    while !inner["original"].is_null() {
        inner = &inner["original"];
    }
    match json["original"].is_null() {
        true => parse_expression(&name(json)).tree,
        false => {
            let file = syntax::parse_json(&format!("{{\"v\": \"{}\"}}", name(inner)), |_| None);
            let expr = file.body().attributes().next().unwrap().1.expr.clone();
            Expr::clone(&expr)
        }
    }
}

/// Several bodies that count as one: in JSON syntax an array of them.
fn merged(case: &Json, want: &Json) -> Result<(), String> {
    let bodies = case["Bodies"].as_array().unwrap().iter().map(|body| {
        let name = &body["Name"];
        let attributes = body["HasAttributes"].as_array().into_iter().flatten();
        let attributes = attributes.map(|it| format!("{it}: {name}"));
        let blocks = body["HasBlocks"].as_object().into_iter().flatten();
        let blocks = blocks.map(|(kind, count)| {
            let of = format!("{{\"of\": {name}}}");
            let blocks = vec![of; count.as_u64().unwrap() as usize];
            format!("{kind:?}: [{}]", blocks.join(", "))
        });
        format!(
            "{{{}}}",
            attributes.chain(blocks).collect::<Vec<_>>().join(", ")
        )
    });
    let text = format!("{{\"v\": [[{}]]}}", bodies.collect::<Vec<_>>().join(", "));
    let file = syntax::parse_json(&text, |_| Some(&[]));
    let (segment, block) = file.body().blocks().next().expect("a block");
    let origin = Origin {
        file: FileId::new("/test.json"),
        segment,
    };
    let body = Block {
        origin,
        ast: block.clone(),
    }
    .body();
    let schema = &case["Schema"];
    let names = |list: &str, name: &str| -> Vec<String> {
        let list = schema[list].as_array().into_iter().flatten();
        list.map(|it| it[name].as_str().unwrap().to_owned())
            .collect()
    };
    let (attributes, blocks) = (names("Attributes", "Name"), names("Blocks", "Type"));
    let (content, mut problems) = body.content(&|name| {
        if attributes.iter().any(|it| it == name) {
            return Some(Expected::Attribute);
        }
        blocks
            .iter()
            .any(|it| it == name)
            .then_some(Expected::Block(&[]))
    });
    // What is missing is the decoder's matter.
    let missing = decoded(&body, schema, false).1;
    problems.extend(
        missing
            .into_iter()
            .filter(|it| it.summary == "Missing required argument"),
    );
    same(
        &(problems.len() as u64),
        &case["DiagCount"].as_u64().unwrap_or(0),
    )?;
    let text_of = |expr: &Expr| {
        let value = evaluate(expr, &EvalContext::empty()).value;
        value.as_str().unwrap_or_default().to_owned()
    };
    let mut got: Vec<_> = (content.attributes.iter())
        .map(|it| (it.name().to_string(), text_of(&it.ast.expr)))
        .collect();
    got.sort();
    let wanted = want["Attributes"].as_object().unwrap().iter();
    let file = |at: &Json| at["Filename"].as_str().unwrap_or_default().to_owned();
    let wanted: Vec<_> = wanted
        .map(|(name, it)| (name.clone(), file(&it["NameRange"])))
        .collect();
    same(&got, &wanted)?;
    let got = content.blocks.iter().map(|block| {
        let body = block.body();
        let attributes = &body.just_attributes().0.attributes;
        (block.kind().to_string(), text_of(&attributes[0].ast.expr))
    });
    let wanted = want["Blocks"].as_array().into_iter().flatten();
    let wanted = wanted.map(|it| {
        (
            it["Type"].as_str().unwrap().to_owned(),
            file(&it["DefRange"]),
        )
    });
    same(&got.collect::<Vec<_>>(), &wanted.collect())
}

/// A body in native syntax, decoded.
fn body_content(test: &str, case: &Json) -> Result<(), String> {
    let mut text = String::new();
    for name in case["body"]["Attributes"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|it| it.0)
    {
        // What another schema has taken from the body is not there any more.
        if case["body"]["hiddenAttrs"][name].is_null() {
            text.push_str(&format!("  {name} = \"bar\"\n"));
        }
    }
    for block in case["body"]["Blocks"].as_array().into_iter().flatten() {
        let labels = block["Labels"].as_array().into_iter().flatten();
        let labels: String = labels.map(|label| format!(" {label}")).collect();
        text.push_str(&format!(
            "  {}{labels} {{}}\n",
            block["Type"].as_str().unwrap()
        ));
    }
    let file = parse(&format!("block {{\n{text}}}\n"));
    let (segment, block) = file.body().blocks().next().expect("a block");
    let origin = Origin {
        file: FileId::new("/main.tf"),
        segment,
    };
    let body = Body::new(&origin, &block.body, origin.span(block.header_range));
    if test == "TestBodyJustAttributes" {
        let (attributes, problems) = body.just_attributes();
        same(&problems.len(), &0)?;
        let got: Vec<_> = attributes
            .attributes
            .iter()
            .map(|it| it.name().to_string())
            .collect();
        let wanted = case["want"].as_object().unwrap().keys().cloned();
        return same(&got, &wanted.collect());
    }
    let is_partial = case["partial"] == true;
    let (got, problems) = decoded(&body, &case["schema"], is_partial);
    same(
        &(problems.len() as u64),
        &case["diagCount"].as_u64().unwrap_or(0),
    )?;
    let want = &case["want"];
    for name in want["Attributes"].as_object().unwrap().keys() {
        same(&got.get(name).and_then(Value::as_str), &Some("bar"))?;
    }
    let mut blocks: BTreeMap<&str, usize> = BTreeMap::new();
    for block in want["Blocks"].as_array().into_iter().flatten() {
        *blocks.entry(block["Type"].as_str().unwrap()).or_default() += 1;
    }
    for (kind, count) in blocks {
        same(
            &got.get(kind).map(|blocks| blocks.elements().count()),
            &Some(count),
        )?;
    }
    Ok(())
}

/// The body as our schemas describe what HCL's does, and what is wrong with it.
fn decoded(body: &Body, schema: &Json, is_partial: bool) -> (Value, Vec<text::Diagnostic>) {
    let list = |name: &str| schema[name].as_array().into_iter().flatten();
    let attributes = list("Attributes").map(|it| {
        let attribute = Attribute::new(Type::Dynamic);
        let attribute = match it["Required"] == true {
            true => attribute.required(),
            false => attribute.optional(),
        };
        (it["Name"].as_str().unwrap().into(), attribute)
    });
    let blocks = list("Blocks").map(|it| {
        let nested = NestedBlock {
            block: schema::Block::default(),
            nesting: match it["LabelNames"].is_array() {
                true => schema::Nesting::Map,
                false => schema::Nesting::List,
            },
            min_items: 0,
            max_items: 0,
        };
        (it["Type"].as_str().unwrap().into(), nested)
    });
    let schema = schema::Block {
        attributes: attributes.collect(),
        block_types: blocks.collect(),
        ..schema::Block::default()
    };
    let mut body = body.clone();
    if is_partial {
        body.blocks
            .retain(|block| schema.block_types.contains_key(block.kind()));
    }
    let decoded = eval::decode(&body, &schema, &EvalContext::empty());
    (decoded.value, decoded.diagnostics)
}

/// `length` of the table counts the characters of a string, which Terraform's does not do alone: here it is a
/// function of a provider. What it says of its result there, a provider can't say.
struct Strings;

impl ProviderFunctions for Strings {
    fn find(&self, _: &str, _: &str) -> ProviderFunction {
        let parameter = FunctionParameter {
            name: "str".into(),
            ty: Type::String,
            allow_null_value: false,
            allow_unknown_values: false,
            description: "".into(),
            description_kind: DescriptionKind::Plain,
        };
        ProviderFunction::Known(Arc::new(FunctionSignature {
            parameters: vec![parameter],
            variadic_parameter: None,
            return_type: Type::Number,
            summary: "".into(),
            description: "".into(),
            description_kind: DescriptionKind::Plain,
            deprecation_message: "".into(),
        }))
    }

    fn answer(&self, _: &str, _: &str, _: &[Value]) -> FunctionAnswer {
        FunctionAnswer::Needed
    }
}

fn call(case: &Json) -> Result<(), String> {
    let expr = &case["expr"];
    let name = expr["Name"]
        .as_str()
        .unwrap()
        .replace("length", "provider::go::length");
    let arg = value(&expr["Args"][0]["Val"]).ok_or("argument")?;
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(Variables::from([("arg".into(), arg)]), &functions)
        .with_provider_functions(Arc::new(Strings));
    let got = evaluate(&parse_expression(&format!("{name}(arg)")).tree, &context);
    same(
        &(got.problems.len() as u64),
        &case["diagCount"].as_u64().unwrap_or(0),
    )?;
    let want = value(&case["want"]).ok_or("want")?;
    same(
        &(got.value.ty(), got.value.is_known()),
        &(want.ty(), want.is_known()),
    )
}

/// The pieces of a string in quotes and of one in a heredoc, put together as what they stand for.
fn string(case: &Json) -> Result<(), String> {
    let input = case["Input"].as_str().unwrap_or_default();
    let pieces = |name: &str| -> Vec<&str> {
        let pieces = case[name].as_array().into_iter().flatten();
        pieces.map(|piece| piece.as_str().unwrap()).collect()
    };
    let quoted: Option<String> = pieces("WantQuoted").into_iter().map(unescaped).collect();
    let parsed = parse_expression(&format!("\"{input}\""));
    // `$${` alone is text, and ends where the quote begins.
    let got = evaluate(&parsed.tree, &EvalContext::empty()).value;
    let got = match parsed.errors.is_empty() {
        true => got.as_str().map(str::to_owned),
        false => None,
    };
    same(&got, &quoted)?;
    let unquoted = pieces("WantUnquoted").into_iter().map(|piece| match piece {
        "$${" | "%%{" => &piece[1..],
        piece => piece,
    });
    let parsed = parse_template(input);
    let got = evaluate(&parsed.tree, &EvalContext::empty()).value;
    same(&got.as_str(), &Some(unquoted.collect::<String>().as_str()))
}

/// What a piece of a string in quotes stands for. `None`: nothing that may be there.
fn unescaped(piece: &str) -> Option<String> {
    let code = |hex: &str, len: usize| {
        let code = (hex.len() == len).then(|| u32::from_str_radix(hex, 16).ok())?;
        char::from_u32(code?).map(String::from)
    };
    match piece {
        "$${" | "%%{" => Some(piece[1..].to_owned()),
        piece if piece.contains(['\n', '\r']) => None,
        piece => match piece.strip_prefix('\\') {
            None => Some(piece.to_owned()),
            Some(rest) => match rest.strip_prefix('u') {
                Some(hex) => code(hex, 4),
                None => code(rest.strip_prefix('U')?, 8),
            },
        },
    }
}

/// The tokens of the lossless tree, without spaces. Neighbouring pieces of text count as one, and a comment's newline
/// is a token of its own.
fn tokens(case: &Json) -> Result<(), String> {
    // What begins with a heredoc is no file, but a value: read as one, nothing of it is broken.
    let input = case["input"].as_str().unwrap_or_default();
    let before = if input.starts_with("<<") { "v=" } else { "" };
    let mut got = Vec::new();
    for segment in parse(&format!("{before}{input}")).segments() {
        let tokens = segment.parsed.syntax().descendants_with_tokens();
        for token in tokens.filter_map(|it| it.into_token()) {
            let is_text = matches!(
                token.kind(),
                SyntaxKind::QuotedLiteral | SyntaxKind::TemplateLiteral
            );
            if token.kind() != SyntaxKind::Space {
                push_token(&mut got, token.text(), is_text);
            }
        }
    }
    let mut wanted: Vec<_> = before.chars().map(|c| (c.to_string(), false)).collect();
    for token in case["want"].as_array().into_iter().flatten() {
        let bytes = token["Bytes"].as_str().unwrap();
        // Q and S: text in quotes and in heredocs.
        let is_text = matches!(token["Type"].as_u64(), Some(81 | 83));
        match bytes
            .strip_suffix('\n')
            .filter(|it| it.starts_with(['#', '/']))
        {
            Some(comment) => {
                push_token(&mut wanted, comment, false);
                push_token(&mut wanted, "\n", false);
            }
            None => push_token(&mut wanted, bytes, is_text),
        }
    }
    same(&got, &wanted)
}

fn push_token(tokens: &mut Vec<(String, bool)>, token: &str, is_text: bool) {
    match tokens.last_mut() {
        _ if token.is_empty() => {}
        Some((text, true)) if is_text => text.push_str(token),
        _ => tokens.push((token.to_owned(), is_text)),
    }
}

/// The tree of a row as text.
fn source(json: &Json) -> String {
    let part = |name: &str| source(&json[name]);
    match json {
        _ if json["Val"].get("v").is_some() => json["Val"]["v"].to_string(),
        _ if json.get("LHS").is_some() => format!("({} + {})", part("LHS"), part("RHS")),
        _ if json.get("Val").is_some() => format!("-{}", part("Val")),
        _ if json.get("Condition").is_some() => {
            let results = (part("TrueResult"), part("FalseResult"));
            format!("{} ? {} : {}", part("Condition"), results.0, results.1)
        }
        _ if json.get("CollExpr").is_some() => format!(
            "{{for {}, {} in {} : {} => {} if {}}}",
            json["KeyVar"].as_str().unwrap(),
            json["ValVar"].as_str().unwrap(),
            part("CollExpr"),
            part("KeyExpr"),
            part("ValExpr"),
            part("CondExpr")
        ),
        _ => {
            let source = match json.get("Source") {
                Some(call) => format!(
                    "{}({})",
                    call["Name"].as_str().unwrap(),
                    source(&call["Args"][0])
                ),
                None => String::new(),
            };
            let steps =
                json["Traversal"].as_array().unwrap().iter().map(|step| {
                    match step["Name"].as_str() {
                        Some(name) => format!(".{name}"),
                        None => format!("[{}]", step["Key"]["v"]),
                    }
                });
            let text = source + &steps.collect::<String>();
            text.trim_start_matches('.').to_owned()
        }
    }
}
