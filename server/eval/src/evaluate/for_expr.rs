//! `[for ...]` and `{for ...}`, and the `for` of templates.

use std::collections::BTreeMap;

use cty::{Marks, Type, Value, convert, is_secret};
use smol_str::SmolStr;
use syntax::ast::{Expr, For, Ident};

use super::eval;
use crate::problem::Problems;
use crate::wording::why;
use crate::{EvalContext, Variables};

#[inline(never)]
pub(super) fn for_expr(expr: &For, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    let iteration = Iteration {
        key_var: expr.key_var.as_ref(),
        value_var: &expr.value_var,
        collection: &expr.collection,
        condition: expr.condition.as_ref(),
    };
    match &expr.key {
        None => iteration.tuple(context, problems, &mut |scope, problems| {
            eval(&expr.value, scope, problems)
        }),
        Some(key) => iteration.object(key, &expr.value, expr.group, context, problems),
    }
}

/// The part that all `for` have in common.
pub(super) struct Iteration<'a> {
    pub(super) key_var: Option<&'a Ident>,
    pub(super) value_var: &'a Ident,
    pub(super) collection: &'a Expr,
    pub(super) condition: Option<&'a Expr>,
}

/// Whether an element is in the result.
enum Include {
    Yes,
    No,
    /// Unknown or wrong, so the whole result is unknown.
    Undecided,
}

impl Iteration<'_> {
    /// One element of the result per element of the collection.
    pub(super) fn tuple(
        &self,
        context: &EvalContext<'_>,
        problems: &mut Problems,
        element: &mut dyn FnMut(&EvalContext<'_>, &mut Problems) -> Value,
    ) -> Value {
        let mut marks = Marks::new();
        let collection = match self.collection(context, &mut marks, problems) {
            Ok(collection) => collection,
            Err(result) => return result,
        };
        let mut values = Vec::new();
        let mut is_known = true;
        let mut scope = context.child(Variables::new());
        for (key, value) in collection.elements() {
            self.bind(&mut scope, key, value);
            match self.includes(&scope, is_known, &mut marks, problems) {
                Include::Yes => values.push(element(&scope, problems)),
                Include::No => {}
                Include::Undecided => is_known = false,
            }
        }
        match is_known {
            true => Value::tuple(values).mark_all(&marks),
            false => Value::dynamic().mark_all(&marks),
        }
    }

    fn object(
        &self,
        key_expr: &Expr,
        value_expr: &Expr,
        group: bool,
        context: &EvalContext<'_>,
        problems: &mut Problems,
    ) -> Value {
        let mut marks = Marks::new();
        let collection = match self.collection(context, &mut marks, problems) {
            Ok(collection) => collection,
            Err(result) => return result,
        };
        let mut groups: BTreeMap<SmolStr, Vec<Value>> = BTreeMap::new();
        let mut is_known = true;
        let mut scope = context.child(Variables::new());
        for (key, value) in collection.elements() {
            self.bind(&mut scope, key, value);
            match self.includes(&scope, is_known, &mut marks, problems) {
                Include::Yes => {}
                Include::No => continue,
                Include::Undecided => {
                    is_known = false;
                    continue;
                }
            }
            let Some(name) = self.object_key(key_expr, &scope, is_known, &mut marks, problems)
            else {
                is_known = false;
                continue;
            };
            let value = eval(value_expr, &scope, problems);
            let values = groups.entry(name.clone()).or_default();
            if !values.is_empty() && !group {
                let named = match is_secret(&marks) {
                    true => "same sensitive key".to_owned(),
                    false => format!("key \"{name}\""),
                };
                let detail = format!(
                    "Two different items produced the {named} in this 'for' expression. If duplicates are \
                     expected, use the ellipsis (...) after the value expression to enable grouping by key."
                );
                problems.error(
                    "duplicate-key",
                    "Duplicate object key",
                    detail,
                    key_expr.range,
                );
            } else {
                values.push(value);
            }
        }
        if !is_known {
            return Value::dynamic().mark_all(&marks);
        }
        let attributes = groups
            .into_iter()
            .filter_map(|(name, mut values)| match group {
                true => Some((name, Value::tuple(values))),
                false => Some((name, values.pop()?)),
            });
        Value::object(attributes).mark_all(&marks)
    }

    /// The collection without its marks, or the result if nothing can be iterated over.
    fn collection(
        &self,
        context: &EvalContext<'_>,
        marks: &mut Marks,
        problems: &mut Problems,
    ) -> Result<Value, Value> {
        let collection = eval(self.collection, context, problems);
        if collection.is_null() {
            let detail = "A null value cannot be used as the collection in a 'for' expression.";
            problems.error(
                "null-value",
                "Iteration over null value",
                detail,
                self.collection.range,
            );
            return Err(Value::dynamic());
        }
        if collection.ty().is_dynamic() {
            return Err(Value::dynamic());
        }
        let (collection, collection_marks) = collection.unmark();
        marks.extend(collection_marks);
        let ty = collection.ty();
        if !ty.is_collection() && !ty.is_structural() {
            let detail = format!(
                "A value of type {} cannot be used as the collection in a 'for' expression.",
                ty.friendly_name()
            );
            problems.error(
                "not-iterable",
                "Iteration over non-iterable value",
                detail,
                self.collection.range,
            );
            return Err(Value::dynamic());
        }
        let condition_marks = self.try_condition(context, problems)?;
        if !collection.is_known() {
            return Err(Value::dynamic().mark_all(marks).mark_all(&condition_marks));
        }
        Ok(collection)
    }

    /// Evaluates the condition once for elements of which nothing is known, so that a mistake in it is
    /// reported once and not for each element.
    fn try_condition(
        &self,
        context: &EvalContext<'_>,
        problems: &mut Problems,
    ) -> Result<Marks, Value> {
        let Some(condition) = self.condition else {
            return Ok(Marks::new());
        };
        let mut scope = context.child(Variables::new());
        self.bind(&mut scope, Value::dynamic(), &Value::dynamic());
        let point = problems.here();
        let result = eval(condition, &scope, problems);
        if result.is_null() {
            let detail = "The value of the 'if' clause must not be null.";
            problems.error(
                "null-condition",
                "Condition is null",
                detail,
                condition.range,
            );
            return Err(Value::dynamic());
        }
        if let Err(error) = convert(&result, &Type::Bool) {
            invalid_condition(
                format!(
                    "The 'if' clause value is invalid: {why}.",
                    why = why(&error)
                ),
                condition,
                problems,
            );
            return Err(Value::dynamic());
        }
        match problems.has_errors_since(point) {
            true => Err(Value::dynamic()),
            false => Ok(result.marks().clone()),
        }
    }

    fn bind(&self, scope: &mut EvalContext<'_>, key: Value, value: &Value) {
        if let Some(key_var) = self.key_var {
            scope.set(key_var.name.clone(), key);
        }
        scope.set(self.value_var.name.clone(), value.clone());
    }

    /// `is_known`: no earlier element was undecided; only the first mistake is reported.
    fn includes(
        &self,
        scope: &EvalContext<'_>,
        is_known: bool,
        marks: &mut Marks,
        problems: &mut Problems,
    ) -> Include {
        let Some(condition) = self.condition else {
            return Include::Yes;
        };
        let include = eval(condition, scope, problems);
        if include.is_null() {
            if is_known {
                let detail = "The value of the 'if' clause must not be null.";
                invalid_condition(detail.into(), condition, problems);
            }
            return Include::Undecided;
        }
        let (include, include_marks) = include.unmark();
        marks.extend(include_marks);
        match convert(&include, &Type::Bool) {
            Ok(include) => match include.as_bool() {
                Some(true) => Include::Yes,
                Some(false) => Include::No,
                None => Include::Undecided,
            },
            Err(error) => {
                if is_known {
                    let detail = format!(
                        "The 'if' clause value is invalid: {why}.",
                        why = why(&error)
                    );
                    invalid_condition(detail, condition, problems);
                }
                Include::Undecided
            }
        }
    }

    /// `None`: unknown or wrong.
    fn object_key(
        &self,
        key_expr: &Expr,
        scope: &EvalContext<'_>,
        is_known: bool,
        marks: &mut Marks,
        problems: &mut Problems,
    ) -> Option<SmolStr> {
        let invalid = |detail: String, problems: &mut Problems| {
            if is_known {
                problems.error("invalid-key", "Invalid object key", detail, key_expr.range);
            }
        };
        let key = eval(key_expr, scope, problems);
        if key.is_null() {
            invalid(
                "Key expression in 'for' expression must not produce a null value.".into(),
                problems,
            );
            return None;
        }
        let (key, key_marks) = key.unmark();
        marks.extend(key_marks);
        if !key.is_known() {
            return None;
        }
        match convert(&key, &Type::String) {
            Ok(key) => key.as_str().map(SmolStr::new),
            Err(error) => {
                invalid(
                    format!(
                        "The key expression produced an invalid result: {why}.",
                        why = why(&error)
                    ),
                    problems,
                );
                None
            }
        }
    }
}

fn invalid_condition(detail: String, condition: &Expr, problems: &mut Problems) {
    problems.error(
        "invalid-condition",
        "Invalid 'for' condition",
        detail,
        condition.range,
    );
}
