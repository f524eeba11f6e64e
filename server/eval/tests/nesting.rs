//! Expressions as deep, as long and as broken as they may be.

use eval::{EvalContext, Functions, Variables, evaluate};
use syntax::parse_expression;

/// Evaluates on a thread with the stack that threads have by default.
fn evaluates(source: String) {
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(Variables::new(), &functions);
    let parsed = parse_expression(&source);
    evaluate(&parsed.tree, &context);
}

#[test]
fn deep_nesting_does_not_exhaust_the_stack() {
    let around =
        |open: &str, close: &str, depth: usize| open.repeat(depth) + "1" + &close.repeat(depth);
    for depth in [100, 1_000, 10_000] {
        evaluates(around("(", ")", depth));
        evaluates(around("[", "]", depth));
        evaluates(around("{ a = ", "}", depth));
        evaluates(around("\"a${", "}\"", depth));
        evaluates(around("\"%{ if true }${", "}%{ endif }\"", depth));
        evaluates(around("-", "", depth));
        evaluates(around("true ? ", " : 1", depth));
        evaluates(around("true ? 1 : ", "", depth));
        evaluates(around("[for x in ", ": x]", depth));
        evaluates(around("[for x in [1] : ", "]", depth));
        evaluates(around("max(", ")", depth));
        evaluates(around("try(", ")", depth));
        evaluates(around("", "[*]", depth));
        evaluates(around("", "[0]", depth));
        evaluates(around("", "[1 + 0]", depth));
    }
}

#[test]
fn long_rows_of_operators_are_no_nesting() {
    let sum = format!("0{}", " + 1".repeat(10_000));
    let parsed = parse_expression(&sum);
    if parsed.errors.is_empty() {
        let value = evaluate(&parsed.tree, &EvalContext::empty()).value;
        assert_eq!(value.as_i64(), Some(10_000));
    }
}

/// Numbers that only look random, so that each run has the same.
struct Sequence(u64);

impl Sequence {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % end.max(1)
    }
}

#[test]
fn broken_expressions_have_a_value_too() {
    let recorded = [
        include_str!("console/expressions.txt"),
        include_str!("unknown/expressions.txt"),
    ];
    let sources: Vec<&str> = recorded
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.strip_prefix("> "))
        .collect();
    let id = cty::Value::unknown(cty::Type::String);
    let local = cty::Value::object([("id", id)]);
    let names = cty::Value::list(cty::Type::String, vec!["a".into(), "b".into()]);
    let var = cty::Value::object([
        ("names", names),
        ("nothing", cty::Value::null(cty::Type::Dynamic)),
    ]);
    let functions = Functions::without_surroundings();
    let context = EvalContext::new(
        Variables::from([("local".into(), local), ("var".into(), var)]),
        &functions,
    );
    let mut random = Sequence(1);
    for round in 0..20_000 {
        let mut parts: Vec<&str> = split(sources[random.below(sources.len())]);
        for _ in 0..=round % 3 {
            let at = random.below(parts.len());
            match random.below(3) {
                0 if parts.len() > 1 => drop(parts.remove(at)),
                1 => parts.insert(at, parts[random.below(parts.len())]),
                _ => {
                    let other = split(sources[random.below(sources.len())]);
                    parts[at] = other[random.below(other.len())];
                }
            }
        }
        let source = parts.concat();
        let expr = parse_expression(&source).tree;
        evaluate(&expr, &context);
        eval::types::type_constraint(&expr);
        evaluate(&syntax::parse_template(&source).tree, &context);
    }
}

/// Words, white space and single other characters.
fn split(source: &str) -> Vec<&str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut parts = Vec::new();
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let end = match is_word(first) {
            true => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            false => first.len_utf8(),
        };
        let (part, later) = rest.split_at(end);
        parts.push(part);
        rest = later;
    }
    parts
}
