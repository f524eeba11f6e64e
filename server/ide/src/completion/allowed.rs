//! The values that the validation of a variable lets through, where it names them.

use config::Variable;
use smol_str::SmolStr;
use syntax::ast::{BinaryOp, Expr, ExprKind, StepKind, UnaryOp};

/// Wider ranges of numbers are no list to choose from.
const MOST_NUMBERS: i64 = 16;

/// The restriction of a value by a condition.
#[derive(Clone, PartialEq, Debug)]
enum Allowed {
    /// As text; numbers as they are written.
    Values(Vec<SmolStr>),
    AtLeast(i64),
    AtMost(i64),
}

/// The values that all validations of a variable let through, as text; of a list, those of its elements. Empty where they
/// don't say.
pub(super) fn allowed_values(variable: &Variable) -> Vec<SmolStr> {
    let rules = variable.validations.iter();
    let conditions = rules.filter_map(|rule| rule.condition.as_ref());
    let is_itself = |expr: &Expr| names(expr, &["var", variable.name.text.as_str()]);
    let found = conditions.filter_map(|it| allowed(&it.ast, &is_itself));
    match found.reduce(both) {
        Some(Allowed::Values(values)) => values,
        Some(Allowed::AtLeast(_) | Allowed::AtMost(_)) | None => Vec::new(),
    }
}

/// The restriction that a condition puts on the value that `is_itself`; `None` where it is about something else.
fn allowed(condition: &Expr, is_itself: &dyn Fn(&Expr) -> bool) -> Option<Allowed> {
    match &condition.kind {
        ExprKind::Parens(inner) => allowed(inner, is_itself),
        ExprKind::Binary {
            op: BinaryOp::And,
            left,
            right,
            ..
        } => match (allowed(left, is_itself), allowed(right, is_itself)) {
            (Some(one), Some(other)) => Some(both(one, other)),
            (one, other) => one.or(other),
        },
        ExprKind::Binary {
            op: BinaryOp::Or,
            left,
            right,
            ..
        } => either([&**left, &**right], is_itself),
        ExprKind::Binary {
            op, left, right, ..
        } => compared(*op, left, right, is_itself),
        ExprKind::Call(call) => match (call.name.as_str(), call.args.as_slice()) {
            ("contains", [list, value]) if is_itself(value) => match &list.kind {
                ExprKind::Tuple(elements) => {
                    let values: Option<Vec<_>> = elements.iter().map(literal).collect();
                    values.map(Allowed::Values)
                }
                _ => None,
            },
            ("can", [tried]) => matched(tried, is_itself),
            ("anytrue", [list]) => match &list.kind {
                ExprKind::Tuple(elements) => either(elements, is_itself),
                _ => None,
            },
            ("alltrue", [list]) => of_elements(list, is_itself),
            _ => None,
        },
        _ => None,
    }
}

/// `alltrue([for v in var.x : ...])`: the restriction of each element.
fn of_elements(list: &Expr, is_itself: &dyn Fn(&Expr) -> bool) -> Option<Allowed> {
    let ExprKind::For(r#for) = &list.kind else {
        return None;
    };
    let is_element = |expr: &Expr| names(expr, &[r#for.value_var.name.as_str()]);
    match is_itself(&r#for.collection) {
        true => allowed(&r#for.value, &is_element),
        false => None,
    }
}

fn either<'e>(
    conditions: impl IntoIterator<Item = &'e Expr>,
    is_itself: &dyn Fn(&Expr) -> bool,
) -> Option<Allowed> {
    let mut values = Vec::new();
    for condition in conditions {
        match allowed(condition, is_itself)? {
            Allowed::Values(more) => values.extend(more),
            Allowed::AtLeast(_) | Allowed::AtMost(_) => return None,
        }
    }
    Some(Allowed::Values(values))
}

fn both(one: Allowed, other: Allowed) -> Allowed {
    match (one, other) {
        (Allowed::Values(a), Allowed::Values(b)) => {
            Allowed::Values(a.into_iter().filter(|it| b.contains(it)).collect())
        }
        (values @ Allowed::Values(_), _) | (_, values @ Allowed::Values(_)) => values,
        (Allowed::AtLeast(least), Allowed::AtMost(most))
        | (Allowed::AtMost(most), Allowed::AtLeast(least))
            if (0..MOST_NUMBERS).contains(&most.saturating_sub(least)) =>
        {
            let all = least..=most;
            Allowed::Values(all.map(|it| SmolStr::from(it.to_string())).collect())
        }
        (one, _) => one,
    }
}

/// `==` with a literal, or an order of whole numbers.
fn compared(
    op: BinaryOp,
    left: &Expr,
    right: &Expr,
    is_itself: &dyn Fn(&Expr) -> bool,
) -> Option<Allowed> {
    let (other, is_swapped) = match (is_itself(left), is_itself(right)) {
        (true, false) => (right, false),
        (false, true) => (left, true),
        _ => return None,
    };
    if op == BinaryOp::Equal {
        let values = match other.kind {
            ExprKind::Null => Vec::new(),
            _ => vec![literal(other)?],
        };
        return Some(Allowed::Values(values));
    }
    let number: i64 = literal(other)?.parse().ok()?;
    use BinaryOp as Op;
    match (op, is_swapped) {
        (Op::GreaterOrEqual, false) | (Op::LessOrEqual, true) => Some(Allowed::AtLeast(number)),
        (Op::Greater, false) | (Op::Less, true) => Some(Allowed::AtLeast(number.checked_add(1)?)),
        (Op::LessOrEqual, false) | (Op::GreaterOrEqual, true) => Some(Allowed::AtMost(number)),
        (Op::Less, false) | (Op::Greater, true) => Some(Allowed::AtMost(number.checked_sub(1)?)),
        _ => None,
    }
}

/// `regex("^(a|b)$", var.x)`: the alternatives of a pattern that has nothing else.
fn matched(tried: &Expr, is_itself: &dyn Fn(&Expr) -> bool) -> Option<Allowed> {
    let ExprKind::Call(call) = &tried.kind else {
        return None;
    };
    let [pattern, value] = call.args.as_slice() else {
        return None;
    };
    if call.name != "regex" || !is_itself(value) {
        return None;
    }
    let pattern = pattern.as_literal_string()?;
    let inner = pattern.strip_prefix('^')?.strip_suffix('$')?;
    let inner = match inner.strip_prefix('(').and_then(|it| it.strip_suffix(')')) {
        Some(group) => group.strip_prefix("?:").unwrap_or(group),
        // Without a group, only the first begins and only the last ends the text.
        None if inner.contains('|') => return None,
        None => inner,
    };
    let is_plain = |c: char| c.is_alphanumeric() || "-_ /:@,".contains(c);
    let values = inner.split('|').map(|it| {
        let is_text = !it.is_empty() && it.chars().all(is_plain);
        is_text.then(|| SmolStr::from(it))
    });
    values.collect::<Option<Vec<_>>>().map(Allowed::Values)
}

fn literal(expr: &Expr) -> Option<SmolStr> {
    match &expr.kind {
        ExprKind::Number(number) => Some(number.clone()),
        ExprKind::Unary {
            op: UnaryOp::Negate,
            operand,
            ..
        } => match &operand.kind {
            ExprKind::Number(number) => Some(format!("-{number}").into()),
            _ => None,
        },
        _ => expr.as_literal_string(),
    }
}

/// Whether the expression is nothing but these names.
fn names(expr: &Expr, names: &[&str]) -> bool {
    let Some(traversal) = expr.as_traversal() else {
        return false;
    };
    let steps = traversal.steps.iter().map(|step| match &step.kind {
        StepKind::Attr(name) => Some(name.name.as_str()),
        StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
    });
    std::iter::once(Some(traversal.root.name.as_str()))
        .chain(steps)
        .eq(names.iter().copied().map(Some))
}
