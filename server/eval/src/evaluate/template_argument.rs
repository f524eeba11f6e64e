//! The template of `templatestring`: Terraform takes nothing but a reference to a string from elsewhere, so that
//! nobody writes a template inside a string where a template expression would do.

use cty::{Type, Value, convert};
use syntax::ast::{Expr, ExprKind, TemplatePart};
use text::{Problem, TextRange};

use super::eval;
use crate::EvalContext;
use crate::problem::Problems;

const SUMMARY: &str = "Invalid function argument";

/// The value of the template, if it is a reference.
pub(super) fn reference(
    template: &Expr,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    if let Some(why) = why_not_reference(template) {
        problems.0.push(invalid(why, template.range));
        return Value::dynamic();
    }
    let point = problems.here();
    let value = eval(template, context, problems);
    for problem in problems.0.iter_mut().skip(point) {
        if problem.is_error() {
            let why = format!("{}; {}", problem.summary, problem.detail);
            *problem = invalid(why.trim_end_matches('.'), problem.at);
        }
    }
    let is_string = !value.is_null() && convert(&value, &Type::String).is_ok();
    if !is_string && !problems.has_errors_since(point) {
        let detail = "Invalid value for \"template\" parameter: invalid template value: a string is required.";
        problems.error("template-argument", SUMMARY, detail, template.range);
    }
    value
}

fn why_not_reference(template: &Expr) -> Option<&'static str> {
    const LITERAL: &str = "templatestring is only for rendering templates retrieved dynamically from elsewhere, and so \
         does not support providing a literal template; consider using a template string expression instead";
    const INLINE: &str = "templatestring is only for rendering templates retrieved dynamically from elsewhere; to \
         render an inline template, consider using a plain template string expression";
    const WRAPPED: &str = "templatestring is only for rendering templates retrieved dynamically from elsewhere; to \
         treat the inner expression as template syntax, write the reference expression directly without any template \
         interpolation syntax";
    const OTHER: &str = "must be a direct reference to a single string from elsewhere, containing valid Terraform \
         template syntax";
    match &template.kind {
        ExprKind::Template(template) => match template.parts.as_slice() {
            [] | [TemplatePart::Literal(..)] => Some(LITERAL),
            _ => Some(INLINE),
        },
        ExprKind::TemplateWrap(_) => Some(WRAPPED),
        _ if is_reference(template) => None,
        _ => Some(OTHER),
    }
}

fn is_reference(expr: &Expr) -> bool {
    match &expr.kind {
        ExprKind::Traversal(_) | ExprKind::SplatItem => true,
        // The parser has reported the error.
        ExprKind::Error(_) => true,
        ExprKind::RelativeTraversal { source, .. } => is_reference(source),
        ExprKind::Index { collection, .. } => is_reference(collection),
        ExprKind::Splat(splat) => is_reference(&splat.source),
        _ => false,
    }
}

fn invalid(why: &str, range: TextRange) -> Problem {
    let detail =
        format!("Invalid value for \"template\" parameter: invalid template expression: {why}.");
    Problem::error("template-argument", SUMMARY, detail, range)
}
