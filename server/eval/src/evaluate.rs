//! The value of an expression. Evaluation never fails: an error becomes a problem beside an unknown value.
//!
//! The rules, and the words of the problems, are those of HCL 2.23 as Terraform 1.11 uses it, but where the profile
//! says otherwise.

mod call;
mod conditional;
mod for_expr;
mod operator;
mod splat;
mod template;
mod template_argument;
mod traverse;

use config::language_release::feature;
use cty::{Marks, Number, Type, Value, budget, convert};
use smol_str::SmolStr;
use syntax::ast::{Expr, ExprKind, JsonString, ObjectItem, ObjectKey};
use text::Problem;

use crate::problem::Problems;
use crate::wording::why;
use crate::{EvalContext, Variables, limit};

pub use traverse::{get_attr, index};

/// A value and the errors on the way to it. After an error it is unknown where it depends on that.
#[derive(Debug, Clone)]
pub struct Evaluated {
    pub value: Value,
    pub problems: Vec<Problem>,
}

impl Evaluated {
    pub fn has_errors(&self) -> bool {
        self.problems.iter().any(Problem::is_error)
    }
}

/// Evaluates an expression in a scope. Where nothing around it limits its costs, it has a budget of its own.
pub fn evaluate(expr: &Expr, context: &EvalContext<'_>) -> Evaluated {
    let unlimited = || {
        let mut problems = Problems::default();
        let value = eval(expr, context, &mut problems);
        Evaluated {
            value,
            problems: problems.0,
        }
    };
    if budget::is_limited() {
        return unlimited();
    }
    let (evaluated, _) = budget::within_or_leave(limit::ALONE, unlimited);
    evaluated.unwrap_or_else(|stopped| {
        let (summary, detail) = limit::evaluation_limit(stopped, limit::ALONE);
        let problem = Problem::error(limit::EVALUATION_LIMIT, summary, detail, expr.range);
        Evaluated {
            value: Value::dynamic(),
            problems: vec![problem],
        }
    })
}

/// The kinds that need more than a line have a function each, which also keeps this frame small: expressions
/// nest as deep as the parser lets them.
pub(crate) fn eval(expr: &Expr, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    budget::spend(1);
    let value = eval_kind(expr, context, problems);
    match value.is_known() || context.profile().has(feature::REFINEMENTS) {
        true => value,
        false => Value::unknown(value.ty().clone()).mark_all(value.marks()),
    }
}

#[inline(always)]
fn eval_kind(expr: &Expr, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    match &expr.kind {
        ExprKind::Number(text) => number(text),
        ExprKind::Bool(value) => Value::bool(*value),
        ExprKind::Null => Value::null(Type::Dynamic),
        ExprKind::Template(template) => template::template(&template.parts, context, problems),
        ExprKind::Json(string) => json_string(string, context, problems),
        ExprKind::TemplateWrap(inner) | ExprKind::Parens(inner) => eval(inner, context, problems),
        ExprKind::Traversal(traversal) => traverse::absolute(traversal, context, problems),
        ExprKind::RelativeTraversal { source, steps } => {
            let value = eval(source, context, problems);
            traverse::relative(value, steps, context, problems)
        }
        ExprKind::Index { collection, key } => {
            traverse::index_expr(expr, collection, key, context, problems)
        }
        ExprKind::Splat(splat) => splat::splat(splat, context, problems),
        ExprKind::SplatItem => context.splat_item().cloned().unwrap_or_else(Value::dynamic),
        ExprKind::Call(call) => call::call(call, expr.range, context, problems),
        ExprKind::Tuple(items) => tuple(items, context, problems),
        ExprKind::Object(items) => object(items, context, problems),
        ExprKind::For(for_expr) => for_expr::for_expr(for_expr, context, problems),
        ExprKind::Conditional(conditional) => {
            conditional::conditional(conditional, context, problems)
        }
        ExprKind::Binary { .. } => operator::binary_chain(expr, context, problems),
        ExprKind::Unary { op, operand, .. } => {
            operator::unary(*op, operand, expr.range, context, problems)
        }
        // The parser has reported the error.
        ExprKind::Error(_) => Value::dynamic(),
    }
}

pub(crate) fn number(text: &str) -> Value {
    match Number::parse(text) {
        Some(number) => Value::number(number),
        None => Value::unknown(Type::Number),
    }
}

/// A string of JSON syntax: a template, unless nothing may be evaluated here.
#[inline(never)]
fn json_string(string: &JsonString, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    if context.is_empty() {
        return Value::string(string.value());
    }
    for error in &string.errors {
        problems.error(
            "syntax",
            error.summary.clone(),
            error.detail.clone(),
            error.at,
        );
    }
    match string.errors.is_empty() {
        true => eval(&string.template, context, problems),
        false => Value::dynamic(),
    }
}

#[inline(never)]
fn tuple(items: &[Expr], context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    Value::tuple(
        items
            .iter()
            .map(|item| eval(item, context, problems))
            .collect(),
    )
}

/// The value of an object constructor; of unknown type if a key is not known.
#[inline(never)]
fn object(items: &[ObjectItem], context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    let mut attributes = Variables::new();
    let mut marks = Marks::new();
    let mut is_known = true;
    for item in items {
        let point = problems.here();
        let key = object_key(&item.key, context, problems);
        let key_has_errors = problems.has_errors_since(point);
        let value = eval(&item.value, context, problems);
        if key_has_errors {
            is_known = false;
            continue;
        }
        let is_json = is_json(&item.key);
        if key.is_null() {
            let (summary, detail, range) = match is_json {
                true => (
                    JSON_KEY,
                    "Cannot use null value as an object key.",
                    object_key_range(&item.key),
                ),
                false => (
                    "Null value as key",
                    "Can't use a null value as a key.",
                    item.value.range,
                ),
            };
            problems.error("null-key", summary, detail, range);
            is_known = false;
            continue;
        }
        let (key, key_marks) = key.unmark();
        marks.extend(key_marks);
        match convert(&key, &Type::String) {
            Ok(key) => match key.as_str() {
                Some(name) if is_json && attributes.contains_key(name) => problems.error(
                    "duplicate-attribute",
                    "Duplicate object attribute",
                    format!("An attribute named \"{name}\" was already defined."),
                    object_key_range(&item.key),
                ),
                Some(name) => {
                    attributes.insert(SmolStr::new(name), value);
                }
                None => is_known = false,
            },
            Err(error) => {
                let range = object_key_range(&item.key);
                let why = why(&error);
                let (summary, detail) = match is_json {
                    true => (
                        JSON_KEY,
                        format!("Cannot use this expression as an object key: {why}."),
                    ),
                    false => (
                        "Incorrect key type",
                        format!("Can't use this value as a key: {why}."),
                    ),
                };
                problems.error("invalid-key", summary, detail, range);
                is_known = false;
            }
        }
    }
    match is_known {
        true => Value::object(attributes).mark_all(&marks),
        false => Value::dynamic(),
    }
}

const JSON_KEY: &str = "Invalid object key expression";

/// Whether the key is one of an object in JSON syntax, where each may be there once.
fn is_json(key: &ObjectKey) -> bool {
    match key {
        ObjectKey::Name(_) => false,
        ObjectKey::Expr(expr) => matches!(expr.kind, ExprKind::Json(_)),
    }
}

fn object_key(key: &ObjectKey, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    match key {
        ObjectKey::Name(name) => Value::string(&name.name),
        ObjectKey::Expr(expr) => match &expr.kind {
            ExprKind::Traversal(_) => {
                problems.error(
                    "ambiguous-key",
                    "Ambiguous attribute key",
                    "If this expression is intended to be a reference, wrap it in parentheses. If it's instead \
                     intended as a literal name containing periods, wrap it in quotes to create a string literal.",
                    expr.range,
                );
                Value::dynamic()
            }
            _ => eval(expr, context, problems),
        },
    }
}

fn object_key_range(key: &ObjectKey) -> text::TextRange {
    match key {
        ObjectKey::Name(name) => name.range,
        ObjectKey::Expr(expr) => expr.range,
    }
}
