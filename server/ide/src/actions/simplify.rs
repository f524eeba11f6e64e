//! Writes the same in fewer words, or as releases of today want it.

use refactor::Edit;
use syntax::ast::{BinaryOp, Expr, ExprKind};
use text::{TextRange, TextSize};

use super::Action;
use super::context::ActionContext;
use crate::Shown;

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let action = match shown.diagnostic.code {
        "interpolation-only" => unwrap(place, shown),
        "legacy-index" => index(place, shown),
        "quoted-type" => unquote_type(place, shown),
        "quoted-reference" | "quoted-keyword" => unquote(place, shown),
        "redundant-conditional" => conditional(place, shown),
        "comparison-with-bool" => comparison(place, shown),
        "negated-comparison" => negated(place, shown),
        _ => None,
    };
    action.into_iter().collect()
}

/// `"${x}"` becomes `x`.
fn unwrap(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let (expr, offset) = place.expr(shown.range)?;
    let ExprKind::TemplateWrap(inner) = &expr.kind else {
        return None;
    };
    let inner = inner.range + offset;
    let text = place.slice(inner);
    let range = shown.range;
    let edits = match text.contains('\n') {
        // An operator that may go over several lines in a string needs brackets outside of it.
        true => vec![
            Edit::replace(TextRange::new(range.start(), inner.start()), "("),
            Edit::replace(TextRange::new(inner.end(), range.end()), ")"),
        ],
        false => vec![
            Edit::delete(TextRange::new(range.start(), inner.start())),
            Edit::delete(TextRange::new(inner.end(), range.end())),
        ],
    };
    let action = place.fix("Remove the quotes and `${}`", shown, edits);
    Some(action.safe())
}

/// `.0` becomes `[0]`.
fn index(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let index = place.slice(shown.range).strip_prefix('.')?;
    let new = format!("[{index}]");
    let edits = vec![Edit::replace(shown.range, new.as_str())];
    Some(place.fix(format!("Write `{new}`"), shown, edits).safe())
}

fn unquote_type(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let new = match place.slice(shown.range).trim_matches('"') {
        "string" => "string",
        "list" => "list(string)",
        "map" => "map(string)",
        _ => return None,
    };
    let edits = vec![Edit::replace(shown.range, new)];
    Some(place.fix(format!("Write `{new}`"), shown, edits).safe())
}

fn unquote(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let range = shown.range;
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
    Some(place.fix("Remove the quotes", shown, edits).safe())
}

/// `c ? true : false` becomes `c`.
fn conditional(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let (expr, offset) = place.expr(shown.range)?;
    let ExprKind::Conditional(it) = &expr.kind else {
        return None;
    };
    let condition = place.slice(it.condition.range + offset);
    let new = match it.true_result.kind {
        ExprKind::Bool(true) => condition.to_owned(),
        _ => negation(&it.condition, condition),
    };
    replaced(place, shown, &new)
}

/// `x == true` becomes `x`.
fn comparison(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let (expr, offset) = place.expr(shown.range)?;
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
    replaced(place, shown, &new)
}

/// `!(a == b)` becomes `a != b`.
fn negated(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let (expr, offset) = place.expr(shown.range)?;
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
    replaced(place, shown, &format!("{left} {op} {right}"))
}

fn replaced(place: &ActionContext<'_>, shown: &Shown, new: &str) -> Option<Action> {
    let edits = vec![Edit::replace(shown.range, new)];
    let action = place.fix(format!("Write `{new}`"), shown, edits);
    Some(action.preferred())
}

/// The negation of an expression, with brackets where it needs them.
fn negation(expr: &Expr, text: &str) -> String {
    match expr.kind {
        ExprKind::Binary { .. } | ExprKind::Conditional(_) => format!("!({text})"),
        _ => format!("!{text}"),
    }
}
