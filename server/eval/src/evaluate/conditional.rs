//! `condition ? a : b`, and the `if` of templates.

use config::language_release::feature;
use cty::{NumberBound, Type, Value, convert, unify_unsafe};
use syntax::ast::{Conditional, Expr};
use text::{Problem, TextRange};

use super::eval;
use crate::EvalContext;
use crate::problem::Problems;
use crate::wording::why;

const INCONSISTENT: &str = "Inconsistent conditional result types";

#[inline(never)]
pub(super) fn conditional(
    conditional: &Conditional,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let then_branch = Branch::eval(&conditional.true_result, context, problems);
    let else_branch = Branch::eval(&conditional.false_result, context, problems);
    choose(
        &conditional.condition,
        then_branch,
        else_branch,
        context,
        problems,
    )
}

/// A result that the condition may choose. Its problems count only if it is chosen.
pub(super) struct Branch {
    pub(super) value: Value,
    pub(super) problems: Vec<Problem>,
    pub(super) range: TextRange,
}

impl Branch {
    fn eval(expr: &Expr, context: &EvalContext<'_>, problems: &mut Problems) -> Branch {
        let point = problems.here();
        let value = eval(expr, context, problems);
        Branch {
            value,
            problems: problems.split_off(point),
            range: expr.range,
        }
    }

    /// The value as the type that both branches have in common; `which` is `true` or `false`.
    fn convert(self, ty: &Type, which: &str, problems: &mut Problems) -> Value {
        problems.0.extend(self.problems);
        if ty.is_dynamic() || self.value.ty() == ty {
            return self.value;
        }
        convert(&self.value, ty).unwrap_or_else(|error| {
            let detail = format!(
                "The {which} result value has the wrong type: {why}.",
                why = why(&error)
            );
            problems.error("inconsistent-types", INCONSISTENT, detail, self.range);
            Value::unknown(ty.clone())
        })
    }
}

pub(super) fn choose(
    condition: &Expr,
    then_branch: Branch,
    else_branch: Branch,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let Some(ty) = common_type(&then_branch.value, &else_branch.value) else {
        let detail = format!(
            "The true and false result expressions must have consistent types. {}.",
            describe_mismatch(then_branch.value.ty(), else_branch.value.ty())
        );
        let range = then_branch.range.cover(else_branch.range);
        problems.error("inconsistent-types", INCONSISTENT, detail, range);
        return Value::dynamic();
    };
    let condition_value = eval(condition, context, problems);
    if condition_value.is_null() {
        let detail = "The condition value is null. Conditions must either be true or false.";
        problems.error("null-condition", "Null condition", detail, condition.range);
        return Value::unknown(ty);
    }
    let (condition_value, mut marks) = condition_value.unmark();
    let chosen_marks = |branch: &Branch| branch.value.marks().clone();
    let both_count = context.profile().has(feature::CONDITIONAL_MARKS);
    if both_count || !condition_value.is_known() {
        marks.extend(chosen_marks(&then_branch));
        marks.extend(chosen_marks(&else_branch));
    }
    if !condition_value.is_known() {
        let (then_value, _) = then_branch.value.unmark();
        let (else_value, _) = else_branch.value.unmark();
        return undecided(&then_value, &else_value, ty).mark_all(&marks);
    }
    let condition_value =
        convert(&condition_value, &Type::Bool).unwrap_or_else(|_| Value::dynamic());
    let Some(is_true) = condition_value.as_bool() else {
        let detail = "The condition expression must be of type bool.";
        problems.error(
            "invalid-condition",
            "Incorrect condition type",
            detail,
            condition.range,
        );
        return Value::unknown(ty);
    };
    if !both_count {
        marks.clear();
    }
    match is_true {
        true => then_branch.convert(&ty, "true", problems).mark_all(&marks),
        false => else_branch.convert(&ty, "false", problems).mark_all(&marks),
    }
}

/// The type of the result, `Dynamic` if it is not known yet. `None`: there is none.
fn common_type(then_value: &Value, else_value: &Value) -> Option<Type> {
    let is_plain_null =
        |value: &Value| value.is_null() && value.ty().is_dynamic() && !value.is_marked();
    if is_plain_null(then_value) {
        return Some(else_value.ty().clone());
    }
    if is_plain_null(else_value) {
        return Some(then_value.ty().clone());
    }
    if then_value.ty().is_dynamic() || else_value.ty().is_dynamic() {
        return Some(Type::Dynamic);
    }
    if then_value.ty() == else_value.ty() {
        return Some(then_value.ty().clone());
    }
    unify_unsafe(&[then_value.ty().clone(), else_value.ty().clone()])
}

/// The known part of the result while the condition is unknown.
fn undecided(then_value: &Value, else_value: &Value, ty: Type) -> Value {
    if then_value.is_null() && else_value.is_null() {
        return Value::null(ty);
    }
    let (then_range, else_range) = (then_value.range(), else_value.range());
    let is_not_null = then_range.definitely_not_null() && else_range.definitely_not_null();
    let both_are = |wanted: fn(&Type) -> bool| wanted(then_value.ty()) && wanted(else_value.ty());
    if both_are(|ty| *ty == Type::Number) {
        let mut refined = Value::unknown(Type::Number).refine();
        if is_not_null {
            refined = refined.not_null();
        }
        if let (Some(a), Some(b)) = (
            then_range.number_lower_bound(),
            else_range.number_lower_bound(),
        ) {
            let bound = outer(a, b, |a, b| a < b);
            refined = refined.number_lower_bound(bound.value, bound.inclusive);
        }
        if let (Some(a), Some(b)) = (
            then_range.number_upper_bound(),
            else_range.number_upper_bound(),
        ) {
            let bound = outer(a, b, |a, b| a > b);
            refined = refined.number_upper_bound(bound.value, bound.inclusive);
        }
        return refined.build();
    }
    if ty.is_dynamic() {
        return Value::dynamic();
    }
    let mut refined = Value::unknown(ty).refine();
    if is_not_null {
        refined = refined.not_null();
    }
    if both_are(Type::is_collection) && then_value.ty() == else_value.ty() {
        refined = refined.length_lower_bound(
            then_range
                .length_lower_bound()
                .min(else_range.length_lower_bound()),
        );
        if let (Some(a), Some(b)) = (
            then_range.length_upper_bound(),
            else_range.length_upper_bound(),
        ) {
            refined = refined.length_upper_bound(a.max(b));
        }
    }
    refined.build()
}

/// The bound that `is_further` out; of equal ones the inclusive.
fn outer(
    a: NumberBound,
    b: NumberBound,
    is_further: fn(&cty::Number, &cty::Number) -> bool,
) -> NumberBound {
    if a.value == b.value {
        let inclusive = a.inclusive || b.inclusive;
        NumberBound { inclusive, ..a }
    } else if is_further(&a.value, &b.value) {
        a
    } else {
        b
    }
}

/// Why two types have no common one, for a person.
fn describe_mismatch(then_ty: &Type, else_ty: &Type) -> String {
    match (then_ty, else_ty) {
        (Type::Object(then_object), Type::Object(else_object)) => {
            for (name, then_attribute) in &then_object.attributes {
                match else_object.attributes.get(name) {
                    None => {
                        return format!(
                            "The 'true' value includes object attribute \"{name}\", which is absent in the 'false' \
                             value"
                        );
                    }
                    Some(else_attribute) if else_attribute != then_attribute => {
                        return format!(
                            "Type mismatch for object attribute \"{name}\": {}",
                            describe_mismatch(then_attribute, else_attribute)
                        );
                    }
                    Some(_) => {}
                }
            }
            let extra = else_object
                .attributes
                .keys()
                .find(|name| !then_object.attributes.contains_key(*name));
            if let Some(name) = extra {
                return format!(
                    "The 'false' value includes object attribute \"{name}\", which is absent in the 'true' value"
                );
            }
        }
        (Type::Tuple(then_elements), Type::Tuple(else_elements)) => {
            if then_elements.len() != else_elements.len() {
                return format!(
                    "The 'true' tuple has length {}, but the 'false' tuple has length {}",
                    then_elements.len(),
                    else_elements.len()
                );
            }
            let pairs = then_elements.iter().zip(else_elements.iter());
            if let Some((i, (a, b))) = pairs.enumerate().find(|(_, (a, b))| a != b) {
                return format!(
                    "Type mismatch for tuple element {i}: {}",
                    describe_mismatch(a, b)
                );
            }
        }
        (Type::List(a), Type::List(b))
        | (Type::Map(a), Type::Map(b))
        | (Type::Set(a), Type::Set(b)) => {
            let noun = match then_ty {
                Type::List(_) => "list",
                Type::Set(_) => "set",
                _ => "map",
            };
            if (a.is_object() && b.is_object()) || (a.is_tuple() && b.is_tuple()) {
                return format!(
                    "Mismatched {noun} element types: {}",
                    describe_mismatch(a, b)
                );
            }
        }
        _ => {}
    }
    let (then_name, else_name) = (then_ty.friendly_name(), else_ty.friendly_name());
    if then_name == else_name {
        return "At least one deeply-nested attribute or element is not compatible across both the 'true' and the \
                'false' value"
            .into();
    }
    format!("The 'true' value is {then_name}, but the 'false' value is {else_name}")
}
