//! Expressions of a configuration: problems become diagnostics with a place in a file.

use config::{Expr, Origin};
use cty::{Type, Value, convert};
use text::{Diagnostic, Problem};

use crate::wording::{why, wrong_type};
use crate::{EvalContext, evaluate};

/// The value of an expression of the configuration.
pub fn evaluate_expr(expr: &Expr, context: &EvalContext<'_>) -> (Value, Vec<Diagnostic>) {
    let evaluated = evaluate(&expr.ast, context);
    (
        evaluated.value,
        diagnostics(evaluated.problems, &expr.origin),
    )
}

/// The value of an expression of the configuration as a wanted type; unknown where it can't be that.
pub fn evaluate_expr_as(
    expr: &Expr,
    ty: &Type,
    context: &EvalContext<'_>,
) -> (Value, Vec<Diagnostic>) {
    let (value, mut diagnostics) = evaluate_expr(expr, context);
    match convert(&value, ty) {
        Ok(value) => (value, diagnostics),
        Err(error) => {
            let detail = format!("Invalid expression value: {why}.", why = why(&error));
            let incorrect = Diagnostic::error(
                "incorrect-value-type",
                "Incorrect value type",
                detail,
                expr.span(),
            );
            diagnostics.push(incorrect.with_fault(wrong_type(&value, ty)));
            (
                Value::unknown(ty.without_optional_attributes()),
                diagnostics,
            )
        }
    }
}

pub(crate) fn diagnostics(problems: Vec<Problem>, origin: &Origin) -> Vec<Diagnostic> {
    problems
        .into_iter()
        .map(|problem| problem.located(|range| origin.span(range)))
        .collect()
}

pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == text::Severity::Error)
}
