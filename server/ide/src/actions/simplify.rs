//! Writes the same in fewer words, or as releases of today want it.

use refactor::Edit;
use syntax::ast::{BinaryOp, Expr, ExprKind};
use text::{TextRange, TextSize};

use super::Action;
use super::place::Place;
use crate::Diagnostic;

pub(super) fn fixes(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    let action = match diagnostic.code {
        "interpolation-only" => unwrap(place, diagnostic),
        "legacy-index" => index(place, diagnostic),
        "quoted-type" => unquote_type(place, diagnostic),
        "quoted-reference" | "quoted-keyword" => unquote(place, diagnostic),
        "redundant-conditional" => conditional(place, diagnostic),
        "comparison-with-bool" => comparison(place, diagnostic),
        "negated-comparison" => negated(place, diagnostic),
        _ => None,
    };
    action.into_iter().collect()
}

/// `"${x}"` becomes `x`.
fn unwrap(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let (expr, offset) = place.expr(diagnostic.range)?;
    let ExprKind::TemplateWrap(inner) = &expr.kind else {
        return None;
    };
    let inner = inner.range + offset;
    let text = place.slice(inner);
    let range = diagnostic.range;
    let edits = match text.contains('\n') {
        // What may go over several lines in a string, needs brackets outside of it.
        true => vec![
            Edit::replace(TextRange::new(range.start(), inner.start()), "("),
            Edit::replace(TextRange::new(inner.end(), range.end()), ")"),
        ],
        false => vec![
            Edit::delete(TextRange::new(range.start(), inner.start())),
            Edit::delete(TextRange::new(inner.end(), range.end())),
        ],
    };
    let action = place.fix("Remove the quotes and `${}` around it", diagnostic, edits);
    Some(action.safe())
}

/// `.0` becomes `[0]`.
fn index(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let index = place.slice(diagnostic.range).strip_prefix('.')?;
    let new = format!("[{index}]");
    let edits = vec![Edit::replace(diagnostic.range, new.as_str())];
    Some(
        place
            .fix(format!("Write `{new}`"), diagnostic, edits)
            .safe(),
    )
}

fn unquote_type(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let new = match place.slice(diagnostic.range).trim_matches('"') {
        "string" => "string",
        "list" => "list(string)",
        "map" => "map(string)",
        _ => return None,
    };
    let edits = vec![Edit::replace(diagnostic.range, new)];
    Some(
        place
            .fix(format!("Write `{new}`"), diagnostic, edits)
            .safe(),
    )
}

fn unquote(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let range = diagnostic.range;
    let text = place.slice(range);
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if inner.contains('\\') {
        return None;
    }
    let quote = TextSize::of('"');
    let edits = vec![
        Edit::delete(TextRange::at(range.start(), quote)),
        Edit::delete(TextRange::new(range.end() - quote, range.end())),
    ];
    Some(place.fix("Remove the quotes", diagnostic, edits).safe())
}

/// `c ? true : false` becomes `c`.
fn conditional(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let (expr, offset) = place.expr(diagnostic.range)?;
    let ExprKind::Conditional(it) = &expr.kind else {
        return None;
    };
    let condition = place.slice(it.condition.range + offset);
    let new = match it.true_result.kind {
        ExprKind::Bool(true) => condition.to_owned(),
        _ => negation(&it.condition, condition),
    };
    replaced(place, diagnostic, &new)
}

/// `x == true` becomes `x`.
fn comparison(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let (expr, offset) = place.expr(diagnostic.range)?;
    let ExprKind::Binary {
        op, left, right, ..
    } = &expr.kind
    else {
        return None;
    };
    let (value, is_true) = match (&left.kind, &right.kind) {
        (ExprKind::Bool(it), _) => (right, *it),
        (_, ExprKind::Bool(it)) => (left, *it),
        _ => return None,
    };
    let text = place.slice(value.range + offset);
    let new = match is_true == (*op == BinaryOp::Equal) {
        true => text.to_owned(),
        false => negation(value, text),
    };
    replaced(place, diagnostic, &new)
}

/// `!(a == b)` becomes `a != b`.
fn negated(place: &Place<'_>, diagnostic: &Diagnostic) -> Option<Action> {
    let (expr, offset) = place.expr(diagnostic.range)?;
    let ExprKind::Unary { operand, .. } = &expr.kind else {
        return None;
    };
    let inner = match &operand.kind {
        ExprKind::Parens(inner) => inner,
        _ => operand,
    };
    let ExprKind::Binary {
        op, left, right, ..
    } = &inner.kind
    else {
        return None;
    };
    let op = match op {
        BinaryOp::Equal => "!=",
        _ => "==",
    };
    let [left, right] = [left, right].map(|it| place.slice(it.range + offset));
    replaced(place, diagnostic, &format!("{left} {op} {right}"))
}

fn replaced(place: &Place<'_>, diagnostic: &Diagnostic, new: &str) -> Option<Action> {
    let edits = vec![Edit::replace(diagnostic.range, new)];
    let action = place.fix(format!("Write `{new}`"), diagnostic, edits);
    Some(action.preferred())
}

/// The negation of an expression, with brackets where it needs them.
fn negation(expr: &Expr, text: &str) -> String {
    match expr.kind {
        ExprKind::Binary { .. } | ExprKind::Conditional(_) => format!("!({text})"),
        _ => format!("!{text}"),
    }
}
