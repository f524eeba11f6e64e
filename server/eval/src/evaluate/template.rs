//! Templates: text with interpolations and directives.

use cty::{Marks, Type, Value, budget, convert};
use syntax::ast::{TemplateFor, TemplateIf, TemplatePart};
use text::TextRange;

use super::conditional::{Branch, choose};
use super::eval;
use super::for_expr::Iteration;
use crate::EvalContext;
use crate::problem::Problems;
use crate::wording::why;

const INVALID_INTERPOLATION: &str = "Invalid template interpolation value";

/// The prefix of an unknown string is remembered up to this many bytes, as in HCL.
const MAX_PREFIX: usize = 128;

#[inline(never)]
pub(super) fn template(
    parts: &[TemplatePart],
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    match parts {
        [] => return Value::string(""),
        [TemplatePart::Literal(text, _)] => return Value::string(text),
        _ => {}
    }
    let point = problems.here();
    let mut text = String::new();
    let mut marks = Marks::new();
    let mut is_known = true;
    for part in parts {
        if let TemplatePart::Literal(literal, _) = part {
            if is_known {
                budget::allocate(literal.len());
                text.push_str(literal);
            }
            continue;
        }
        let (value, range) = part_value(part, context, problems);
        if value.is_null() {
            let detail =
                "The expression result is null. Cannot include a null value in a string template.";
            problems.error(
                "invalid-interpolation",
                INVALID_INTERPOLATION,
                detail,
                range,
            );
            continue;
        }
        let (value, part_marks) = value.unmark();
        marks.extend(part_marks);
        if !value.is_known() {
            is_known = false;
            continue;
        }
        match convert(&value, &Type::String) {
            Ok(string) if is_known => {
                let part = string.as_str().unwrap_or_default();
                budget::allocate(part.len());
                text.push_str(part);
            }
            Ok(_) => {}
            Err(error) => {
                let detail = format!(
                    "Cannot include the given value in a string template: {why}.",
                    why = why(&error)
                );
                problems.error(
                    "invalid-interpolation",
                    INVALID_INTERPOLATION,
                    detail,
                    range,
                );
            }
        }
    }
    let value = match (is_known, problems.has_errors_since(point)) {
        // As in HCL, also when a part could not be used.
        (true, _) => Value::string(text),
        // A part of the text has errors.
        (false, true) => Value::unknown(Type::String).refine_not_null(),
        (false, false) => unknown_with_prefix(&text),
    };
    value.mark_all(&marks)
}

fn unknown_with_prefix(text: &str) -> Value {
    let mut end = text.len().min(MAX_PREFIX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    Value::unknown(Type::String)
        .refine()
        .string_prefix(&text[..end])
        .not_null()
        .build()
}

fn part_value(
    part: &TemplatePart,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> (Value, TextRange) {
    match part {
        TemplatePart::Literal(text, range) => (Value::string(text), *range),
        TemplatePart::Interpolation(expr) => (eval(expr, context, problems), expr.range),
        TemplatePart::If(directive) => {
            (if_directive(directive, context, problems), directive.range)
        }
        TemplatePart::For(directive) => {
            (for_directive(directive, context, problems), directive.range)
        }
    }
}

fn if_directive(
    directive: &TemplateIf,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let mut branch = |parts: &[TemplatePart]| {
        let point = problems.here();
        let value = template(parts, context, problems);
        Branch {
            value,
            problems: problems.split_off(point),
            range: directive.range,
        }
    };
    let then_branch = branch(&directive.then_parts);
    let else_branch = branch(&directive.else_parts);
    choose(
        &directive.condition,
        then_branch,
        else_branch,
        context,
        problems,
    )
}

/// The results of all iterations, joined.
fn for_directive(
    directive: &TemplateFor,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let iteration = Iteration {
        key_var: directive.key_var.as_ref(),
        value_var: &directive.value_var,
        collection: &directive.collection,
        condition: None,
    };
    let results = iteration.tuple(context, problems, &mut |scope, problems| {
        template(&directive.parts, scope, problems)
    });
    let unknown = || Value::unknown(Type::String);
    if results.ty().is_dynamic() {
        return unknown();
    }
    let (results, marks) = results.unmark();
    let mut text = String::new();
    let mut text_marks = marks.clone();
    for (_, result) in results.elements() {
        let (result, result_marks) = result.unmark();
        // The marks of the text so far are lost, as in HCL.
        let Some(result) = result.as_str() else {
            return unknown().mark_all(&marks);
        };
        budget::allocate(result.len());
        text.push_str(result);
        text_marks.extend(result_marks);
    }
    Value::string(text).mark_all(&text_marks)
}
