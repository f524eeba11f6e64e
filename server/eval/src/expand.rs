//! `count`, `for_each` and `enabled`: which instances an object has.

use std::collections::BTreeMap;

use config::{Expr, Product, Repetition};
use cty::{Mark, Type, Value, convert};
use smol_str::SmolStr;
use text::{Diagnostic, Fault};

use crate::EvalContext;
use crate::diagnose::{evaluate_expr, evaluate_expr_as, has_errors};

/// The instances of a resource or module.
#[derive(Debug, Clone, PartialEq)]
pub enum Expansion {
    /// One, without a key.
    Single,
    /// None, where there may be one without a key.
    Disabled,
    /// As many, with the keys 0, 1, ...
    Count(u64),
    /// One for each key, with the value that `each.value` has there.
    ForEach(BTreeMap<SmolStr, Value>),
    /// The instances are not known (yet).
    Unknown(Unexpanded),
}

/// Why the instances are not known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unexpanded {
    /// The argument is not known before apply.
    Unknown,
    /// The argument is wrong; a diagnostic says why.
    Invalid,
}

/// The instances that the `count`, `for_each` or `enabled` argument asks for.
pub fn expand(repetition: &Repetition, context: &EvalContext<'_>) -> (Expansion, Vec<Diagnostic>) {
    match repetition {
        Repetition::Single => (Expansion::Single, Vec::new()),
        Repetition::Count(expr) => count(expr, context),
        Repetition::ForEach(expr) => for_each(expr, context),
        Repetition::Enabled(expr) => enabled(expr, context),
    }
}

/// No more instances of one object are planned: a slip of a finger must not take all memory. Who has more needs minutes
/// for a plan with Terraform too.
pub const MAX_INSTANCES: u64 = 100_000;

const INVALID_COUNT: &str = "Invalid count argument";
const INVALID_FOR_EACH: &str = "Invalid for_each argument";

fn count(expr: &Expr, context: &EvalContext<'_>) -> (Expansion, Vec<Diagnostic>) {
    let (value, mut diagnostics) = evaluate_expr_as(expr, &Type::Number, context);
    if has_errors(&diagnostics) {
        return (Expansion::Unknown(Unexpanded::Invalid), diagnostics);
    }
    let mut fail = |why: Unexpanded, detail: &str| {
        let fault = match why {
            Unexpanded::Unknown => Fault::UnknownUntilApply,
            Unexpanded::Invalid => Fault::Other,
        };
        let invalid = Diagnostic::error("invalid-count", INVALID_COUNT, detail, expr.span());
        diagnostics.push(invalid.with_fault(fault));
        Expansion::Unknown(why)
    };
    let is_ephemeral = value.has_mark(&Mark::Ephemeral);
    let (value, _) = value.unmark();
    let expansion = if value.is_null() {
        fail(
            Unexpanded::Invalid,
            "The given \"count\" argument value is null. An integer is required.",
        )
    } else if is_ephemeral {
        fail(
            Unexpanded::Invalid,
            "The given \"count\" is derived from an ephemeral value, which means that Terraform cannot persist it \
             between plan/apply rounds. Use only non-ephemeral values to specify the number of resource instances.",
        )
    } else if !value.is_known() {
        fail(
            Unexpanded::Unknown,
            "The \"count\" value depends on resource attributes that cannot be determined until apply, so Terraform \
             cannot predict how many instances will be created. To work around this, use the -target argument to \
             first apply only the resources that the count depends on.",
        )
    } else {
        match value.as_i64() {
            Some(count) => match u64::try_from(count) {
                Ok(count) if count > MAX_INSTANCES => {
                    diagnostics.push(too_many(count, expr));
                    Expansion::Unknown(Unexpanded::Invalid)
                }
                Ok(count) => Expansion::Count(count),
                Err(_) => fail(
                    Unexpanded::Invalid,
                    "The given \"count\" argument value is unsuitable: must be greater than or equal to zero.",
                ),
            },
            None => fail(
                Unexpanded::Invalid,
                "The given \"count\" argument value is unsuitable: value must be a whole number, between \
                 -9223372036854775808 and 9223372036854775807.",
            ),
        }
    };
    (expansion, diagnostics)
}

/// Follows `EvaluateEnabledExpression` of OpenTofu's `internal/lang/evalchecks`.
fn enabled(expr: &Expr, context: &EvalContext<'_>) -> (Expansion, Vec<Diagnostic>) {
    let (value, mut diagnostics) = evaluate_expr(expr, context);
    if has_errors(&diagnostics) {
        return (Expansion::Unknown(Unexpanded::Invalid), diagnostics);
    }
    let (unmarked, marks) = value.unmark();
    let unsuitable =
        |why: &str| format!("The given \"enabled\" argument value is unsuitable: {why}.");
    let (why, detail) = if marks.contains(&Mark::Sensitive) {
        let detail = "Sensitive values, or values derived from sensitive values, cannot be used in \"enabled\" arguments. If used, the sensitive value would be exposed by whether an instance is present.";
        (Unexpanded::Invalid, detail.to_owned())
    } else if marks.contains(&Mark::Ephemeral) {
        (
            Unexpanded::Invalid,
            unsuitable("the given value is ephemeral"),
        )
    } else if unmarked.is_null() {
        (Unexpanded::Invalid, unsuitable("the given value is null"))
    } else if !unmarked.is_known() {
        let detail = "The given \"enabled\" argument value is derived from a value that won't be known until the apply phase, so OpenTofu cannot determine whether an instance of this object is declared or not.";
        (Unexpanded::Unknown, detail.to_owned())
    } else {
        match convert(&unmarked, &Type::Bool).map(|value| value.as_bool()) {
            Ok(Some(true)) => return (Expansion::Single, diagnostics),
            Ok(_) => return (Expansion::Disabled, diagnostics),
            Err(error) => (Unexpanded::Invalid, unsuitable(&error.to_string())),
        }
    };
    let summary = "Invalid enabled argument";
    diagnostics.push(Diagnostic::error(
        "invalid-enabled",
        summary,
        detail,
        expr.span(),
    ));
    (Expansion::Unknown(why), diagnostics)
}

fn too_many(count: u64, expr: &Expr) -> Diagnostic {
    let detail = format!(
        "{count} instances are more than the {MAX_INSTANCES} that planlens plans of one object."
    );
    Diagnostic::warning(
        "too-many-instances",
        "Instances are not planned",
        detail,
        expr.span(),
    )
}

fn for_each(expr: &Expr, context: &EvalContext<'_>) -> (Expansion, Vec<Diagnostic>) {
    let (value, mut diagnostics) = evaluate_expr(expr, context);
    if has_errors(&diagnostics) {
        return (Expansion::Unknown(Unexpanded::Invalid), diagnostics);
    }
    match for_each_elements(&value, context.profile().product) {
        Ok(elements) => (Expansion::ForEach(elements), diagnostics),
        Err(unsuitable) => {
            let Unsuitable {
                summary,
                detail,
                why,
                fault,
            } = unsuitable;
            let invalid = Diagnostic::error("invalid-for-each", summary, detail, expr.span());
            diagnostics.push(invalid.with_fault(fault));
            (Expansion::Unknown(why), diagnostics)
        }
    }
}

/// Why a value can't be iterated over by `for_each`.
struct Unsuitable {
    summary: &'static str,
    detail: String,
    why: Unexpanded,
    fault: Fault,
}

impl Unsuitable {
    fn invalid(detail: impl Into<String>) -> Unsuitable {
        Unsuitable {
            summary: INVALID_FOR_EACH,
            detail: detail.into(),
            why: Unexpanded::Invalid,
            fault: Fault::Other,
        }
    }

    fn set(detail: impl Into<String>) -> Unsuitable {
        Unsuitable {
            summary: "Invalid for_each set argument",
            ..Unsuitable::invalid(detail)
        }
    }

    fn unknown(is_set: bool) -> Unsuitable {
        let (what, advice) = match is_set {
            true => (
                "set includes values",
                "use a map value where the keys are defined statically in your configuration and where only the \
                 values contain apply-time results.",
            ),
            false => (
                "map includes keys",
                "define the map keys statically in your configuration and place apply-time results only in the map \
                 values.",
            ),
        };
        let detail = format!(
            "The \"for_each\" {what} derived from resource attributes that cannot be determined until apply, and so \
             Terraform cannot determine the full set of keys that will identify the instances of this resource.\n\n\
             When working with unknown values in for_each, it's better to {advice}\n\n\
             Alternatively, you could use the -target planning option to first apply only the resources that the \
             for_each value depends on, and then apply a second time to fully converge."
        );
        Unsuitable {
            why: Unexpanded::Unknown,
            fault: Fault::UnknownUntilApply,
            ..Unsuitable::invalid(detail)
        }
    }
}

fn for_each_elements(
    value: &Value,
    product: Product,
) -> Result<BTreeMap<SmolStr, Value>, Unsuitable> {
    // OpenTofu reports an unknown value first, which a validation allows.
    let is_unknown_first = product == Product::OpenTofu && !value.is_known();
    if value.has_mark(&Mark::Sensitive) && !is_unknown_first {
        return Err(Unsuitable::invalid(
            "Sensitive values, or values derived from sensitive values, cannot be used as for_each arguments. If \
             used, the sensitive value could be exposed as a resource instance key.",
        ));
    }
    if value.has_mark(&Mark::Ephemeral) {
        return Err(Unsuitable::invalid(
            "The given \"for_each\" value is derived from an ephemeral value, which means that Terraform cannot \
             persist it between plan/apply rounds. Use only non-ephemeral values to specify a resource's instance \
             keys.",
        ));
    }
    let (value, _) = value.unmark();
    if value.is_null() {
        let allowed = match product {
            Product::Terraform => " A map, or set of strings is allowed.",
            Product::OpenTofu => "",
        };
        return Err(Unsuitable::invalid(format!(
            "The given \"for_each\" argument value is unsuitable: the given \"for_each\" argument value is null.{allowed}"
        )));
    }
    match value.ty() {
        Type::Map(_) | Type::Object(_) if value.is_known() => {
            Ok(value.as_map().map(BTreeMap::from).unwrap_or_default())
        }
        Type::Map(_) | Type::Object(_) | Type::Dynamic => Err(Unsuitable::unknown(false)),
        Type::Set(element) => set_elements(&value, element, product),
        ty => {
            let unsuitable = Unsuitable::invalid(format!(
                "The given \"for_each\" argument value is unsuitable: the \"for_each\" argument must be a map, or set \
                 of strings, and you have provided a value of type {}.",
                ty.friendly_name()
            ));
            let fault = match ty {
                Type::Tuple(_) => Fault::SequenceForEach,
                Type::List(element) if **element == Type::String => Fault::SequenceForEach,
                _ => Fault::Other,
            };
            Err(Unsuitable {
                fault,
                ..unsuitable
            })
        }
    }
}

/// OpenTofu's words of its elements: `internal/lang/evalchecks/eval_for_each.go`.
fn set_elements(
    set: &Value,
    element: &Type,
    product: Product,
) -> Result<BTreeMap<SmolStr, Value>, Unsuitable> {
    if !set.is_known() {
        return Err(Unsuitable::unknown(true));
    }
    // A set without elements may have any element type.
    if set.elements().next().is_none() {
        return Ok(BTreeMap::new());
    }
    if !matches!(element, Type::String | Type::Dynamic) {
        let name = element.friendly_name();
        return Err(match product {
            Product::Terraform => Unsuitable::set(format!(
                "The given \"for_each\" argument value is unsuitable: \"for_each\" supports maps and sets of strings, \
                 but you have provided a set containing type {name}."
            )),
            Product::OpenTofu => Unsuitable::invalid(format!(
                "The given \"for_each\" argument value is unsuitable: \"for_each\" supports sets of strings, but you \
                 have provided a set containing type {name}."
            )),
        });
    }
    if !set.is_wholly_known() {
        return Err(Unsuitable::unknown(true));
    }
    set.elements()
        .map(|(_, element)| {
            let key = convert(element, &Type::String).ok();
            match key.as_ref().and_then(Value::as_str) {
                Some(key) => Ok((SmolStr::new(key), element.clone())),
                None => {
                    let why = "The given \"for_each\" argument value is unsuitable: \"for_each\" sets must not contain \
                               null values.";
                    Err(match product {
                        Product::Terraform => Unsuitable::set(why),
                        Product::OpenTofu => Unsuitable::invalid(why),
                    })
                }
            }
        })
        .collect()
}
