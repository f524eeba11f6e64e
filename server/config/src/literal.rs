//! The values of arguments that are read before anything is evaluated.

use smol_str::SmolStr;
use syntax::ast::{self, BinaryOp, ExprKind, Template, TemplatePart, UnaryOp};
use text::{Diagnostic, TextRange};

use crate::read::{calls_not_allowed, variables_not_allowed};
use crate::source::Expr;

/// The value of an expression without a scope.
pub(crate) enum Literal {
    String(SmolStr),
    Number(SmolStr),
    Bool(bool),
    Null,
    /// A list, an object or the like.
    Other,
    /// It refers to something; the range is of the first root name.
    Variables(TextRange),
    /// A function call, whatever it is given.
    Call,
    /// It would have to be evaluated.
    Calculated,
}

/// The error of an expression that refers to something or calls a function, where nothing is evaluated.
pub fn not_literal(expr: &Expr) -> Option<Diagnostic> {
    match literal(&expr.ast) {
        Literal::Variables(root) => Some(variables_not_allowed(expr.origin.span(root))),
        Literal::Call => Some(calls_not_allowed(expr.span())),
        _ => None,
    }
}

/// Logic, comparisons and templates of literals are calculated.
pub(crate) fn literal(expr: &ast::Expr) -> Literal {
    match &expr.kind {
        ExprKind::Bool(value) => Literal::Bool(*value),
        ExprKind::Number(text) => Literal::Number(text.clone()),
        ExprKind::Null => Literal::Null,
        ExprKind::Json(string) => Literal::String(string.value().clone()),
        ExprKind::Parens(inner) | ExprKind::TemplateWrap(inner) => literal(inner),
        ExprKind::Tuple(_) | ExprKind::Object(_) | ExprKind::For(_) => {
            variables_or(expr, Literal::Other)
        }
        ExprKind::Call(_) => Literal::Call,
        _ => match calculated(&expr.kind) {
            Some(value) => value,
            None => variables_or(expr, Literal::Calculated),
        },
    }
}

fn calculated(kind: &ExprKind) -> Option<Literal> {
    Some(match kind {
        ExprKind::Template(template) => Literal::String(text(template)?),
        ExprKind::Unary {
            op: UnaryOp::Not,
            operand,
            ..
        } => Literal::Bool(!bool(operand)?),
        ExprKind::Binary {
            op, left, right, ..
        } => Literal::Bool(match op {
            // Both sides are evaluated.
            BinaryOp::And => bool(left)? & bool(right)?,
            BinaryOp::Or => bool(left)? | bool(right)?,
            BinaryOp::Equal => is_equal(left, right)?,
            BinaryOp::NotEqual => !is_equal(left, right)?,
            _ => return None,
        }),
        ExprKind::Conditional(it) => {
            let results = [literal(&it.true_result), literal(&it.false_result)];
            match (bool(&it.condition)?, results) {
                (true, [value @ Literal::Bool(_), Literal::Bool(_)])
                | (false, [Literal::Bool(_), value @ Literal::Bool(_)])
                | (true, [value @ Literal::String(_), Literal::String(_)])
                | (false, [Literal::String(_), value @ Literal::String(_)]) => value,
                _ => return None,
            }
        }
        _ => return None,
    })
}

fn bool(expr: &ast::Expr) -> Option<bool> {
    match literal(expr) {
        Literal::Bool(value) => Some(value),
        _ => None,
    }
}

/// Of values of one type. Numbers are compared where each has one way to be written.
fn is_equal(left: &ast::Expr, right: &ast::Expr) -> Option<bool> {
    match (literal(left), literal(right)) {
        (Literal::Bool(left), Literal::Bool(right)) => Some(left == right),
        (Literal::String(left), Literal::String(right)) => Some(left == right),
        (Literal::Number(left), Literal::Number(right)) => Some(as_text(left)? == as_text(right)?),
        _ => None,
    }
}

/// The value of a template in which all interpolations are literals.
fn text(template: &Template) -> Option<SmolStr> {
    if let Some(text) = template.as_literal() {
        return Some(text);
    }
    let mut text = String::new();
    for part in &template.parts {
        match part {
            TemplatePart::Literal(literal, _) => text.push_str(literal),
            TemplatePart::Interpolation(inner) => text.push_str(&match literal(inner) {
                Literal::String(text) => text,
                Literal::Number(number) => as_text(number)?,
                Literal::Bool(value) => if value { "true" } else { "false" }.into(),
                _ => return None,
            }),
            TemplatePart::If(_) | TemplatePart::For(_) => return None,
        }
    }
    Some(text.into())
}

/// A number as a template prints it: whole ones without further digits are printed as they are written.
fn as_text(number: SmolStr) -> Option<SmolStr> {
    let is_plain = number.len() <= 15 && number.bytes().all(|it| it.is_ascii_digit());
    let is_canonical = number == "0" || !number.starts_with('0');
    (is_plain && is_canonical).then_some(number)
}

fn variables_or(expr: &ast::Expr, otherwise: Literal) -> Literal {
    let mut first = None;
    crate::refs::each_traversal(expr, &mut |traversal| {
        first.get_or_insert(traversal.root.range);
    });
    first.map_or(otherwise, Literal::Variables)
}
