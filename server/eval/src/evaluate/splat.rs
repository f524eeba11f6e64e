//! `a[*].b` and `a.*.b`

use cty::{Type, Value};
use syntax::ast::Splat;

use super::eval;
use crate::EvalContext;
use crate::problem::Problems;

#[inline(never)]
pub(super) fn splat(splat: &Splat, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    let point = problems.here();
    let source = eval(&splat.source, context, problems);
    if problems.has_errors_since(point) {
        return Value::dynamic();
    }
    let is_sequence = is_sequence(source.ty());
    if source.is_null() {
        if !is_sequence {
            return Value::empty_tuple().with_same_marks([&source]);
        }
        let detail = "Splat expressions (with the * symbol) cannot be applied to null sequences.";
        problems.error(
            "null-value",
            "Splat of null value",
            detail,
            splat.source.range,
        );
        return Value::dynamic();
    }
    if source.ty().is_dynamic() {
        return Value::dynamic().with_same_marks([&source]);
    }
    // A single value stands for a tuple of it, and null for an empty one. So how many elements an unknown
    // value stands for is not known while it may still be null.
    let may_be_empty = !is_sequence && !source.is_known() && source.range().could_be_null();
    let source = match is_sequence {
        true => source,
        false => Value::tuple(vec![source.clone()]).with_same_marks([&source]),
    };
    if !source.is_known() {
        return unknown_result(splat, &source, context, problems);
    }
    let (elements, marks) = source.unmark();
    let point = problems.here();
    let values: Vec<Value> = elements
        .elements()
        .map(|(_, element)| each(splat, element.clone(), context, problems))
        .collect();
    let result = if may_be_empty {
        Value::dynamic()
    } else if problems.has_errors_since(point) {
        // The same problems again.
        let mut repeated = Problems::default();
        Value::unknown(result_type(splat, elements.ty(), context, &mut repeated))
    } else if elements.ty().is_tuple() {
        Value::tuple(values)
    } else {
        list_result(splat, elements.ty(), values, context, problems)
    };
    result.mark_all(&marks)
}

fn each(splat: &Splat, item: Value, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    eval(&splat.each, &context.with_splat_item(Some(item)), problems)
}

fn is_sequence(ty: &Type) -> bool {
    ty.is_tuple() || ty.is_list() || ty.is_set()
}

/// The type of the result for a source of this type, without looking at its elements.
fn result_type(
    splat: &Splat,
    source: &Type,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Type {
    let mut type_of = |element: &Type| {
        each(splat, Value::unknown(element.clone()), context, problems)
            .ty()
            .clone()
    };
    match source {
        Type::List(element) | Type::Set(element) => Type::list(type_of(element)),
        Type::Tuple(elements) => Type::tuple(elements.iter().map(type_of).collect::<Vec<_>>()),
        _ => Type::Dynamic,
    }
}

fn unknown_result(
    splat: &Splat,
    source: &Value,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let ty = result_type(splat, source.ty(), context, problems);
    let is_list = ty.is_list();
    let mut refined = Value::unknown(ty).refine().not_null();
    if is_list {
        let range = source.range();
        refined = refined.length_lower_bound(range.length_lower_bound());
        if let Some(length) = range.length_upper_bound() {
            refined = refined.length_upper_bound(length);
        }
    }
    refined.build().with_same_marks([source])
}

fn list_result(
    splat: &Splat,
    source: &Type,
    values: Vec<Value>,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    if values.is_empty() {
        let ty = result_type(splat, source, context, problems);
        let element = ty.element_type().cloned().unwrap_or(Type::Dynamic);
        return Value::list(element, values);
    }
    let mut types = values.iter().map(Value::ty).filter(|ty| !ty.is_dynamic());
    let element = types.next().cloned().unwrap_or(Type::Dynamic);
    if types.any(|ty| *ty != element) {
        let detail = "The second level of splat expression produced elements of different types, so it isn't \
                      possible to construct a valid list to represent the top-level result.\n\nConsider using a for \
                      expression instead, to produce a tuple-typed result which can therefore have non-homogenous \
                      element types.";
        problems.error(
            "inconsistent-types",
            "Invalid nested splat expressions",
            detail,
            splat.each.range,
        );
        return Value::dynamic();
    }
    Value::list(element, values)
}
