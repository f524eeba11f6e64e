//! Whether the configuration allows that instances of a resource are destroyed.
//!
//! Follows `checkPreventDestroy` of OpenTofu's `internal/tofu`, where `prevent_destroy` is any expression. In Terraform
//! it is a literal.

use config::{AbsResourceAddr, Expr, Profile, Reference, Referenceable, Resource};
use cty::{ConvertError, Mark, Type, Value, convert};
use text::Diagnostic;

use crate::instance::{INVALID_PREVENT_DESTROY, PreventDestroy};
use crate::scope::DeclarationScope;

const CODE: &str = "invalid-prevent-destroy";

/// Evaluates the argument. Its errors are those of each planned instance, whatever happens to it. `scope` is that of
/// the resource's module.
pub(crate) fn evaluate(
    config: &Resource,
    addr: &AbsResourceAddr,
    profile: Profile,
    scope: &DeclarationScope<'_>,
) -> (PreventDestroy, Vec<Diagnostic>) {
    let Some(expr) = &config.lifecycle.prevent_destroy else {
        return (PreventDestroy::No, Vec::new());
    };
    let of_instance = of_instance(expr);
    if !of_instance.is_empty() {
        return (PreventDestroy::No, of_instance);
    }
    let (value, mut diagnostics) = eval::evaluate_expr(expr, scope.context());
    if !diagnostics.is_empty() {
        return (PreventDestroy::No, diagnostics);
    }
    let mut fail = |detail: String| diagnostics.push(invalid(expr, detail));
    let value = convert(&value, &Type::Bool).unwrap_or_else(|error| {
        fail(wrong_type(addr, &error));
        Value::from(false)
    });
    if value.has_mark(&Mark::Sensitive) {
        fail(format!(
            "Resource instance {addr} has a sensitive value for its prevent_destroy argument, which is invalid because it would cause OpenTofu to disclose the sensitive value by whether deletion is blocked.\n\nIf you know this value is not sensitive in practice, consider using the nonsensitive function to declare that."
        ));
    }
    if value.has_mark(&Mark::Ephemeral) {
        fail(format!(
            "Resource instance {addr} has an ephemeral value for its prevent_destroy argument, which is invalid because the decision for whether it's okay to destroy instances of this resource instance must stay consistent between plan and apply."
        ));
    }
    if !diagnostics.is_empty() {
        return (PreventDestroy::No, diagnostics);
    }
    let value = value.unmark().0;
    let verdict = match value.as_bool() {
        _ if value.is_null() => PreventDestroy::Null,
        None => PreventDestroy::Unknown,
        Some(true) => PreventDestroy::Yes(profile.product),
        Some(false) => PreventDestroy::No,
    };
    (verdict, diagnostics)
}

/// The error of a constant that is not a boolean: validation looks at nothing else.
pub(crate) fn validate(
    config: &Resource,
    addr: &AbsResourceAddr,
    scope: &DeclarationScope<'_>,
) -> Option<Diagnostic> {
    let expr = config.lifecycle.prevent_destroy.as_ref()?;
    if !expr.references().is_empty() {
        return None;
    }
    let (value, found) = eval::evaluate_expr(expr, scope.context());
    match convert(&value, &Type::Bool) {
        Err(error) if found.is_empty() => Some(invalid(expr, wrong_type(addr, &error))),
        _ => None,
    }
}

/// It is asked also for instances that are no longer there, so it is about all of them.
fn of_instance(expr: &Expr) -> Vec<Diagnostic> {
    let references = expr.references().into_iter();
    let error = |reference: Reference| {
        let name = match &reference.subject {
            Referenceable::Each(name) => format!("each.{name}"),
            Referenceable::Count(name) => format!("count.{name}"),
            _ => return None,
        };
        let detail = format!(
            "A prevent_destroy argument cannot refer to {name}, because OpenTofu needs to evaluate this argument for instances that have already been removed from the configuration and so whose per-instance data is no longer available."
        );
        let summary = "Invalid reference in prevent_destroy";
        Some(Diagnostic::error(CODE, summary, detail, reference.span))
    };
    references.filter_map(error).collect()
}

fn invalid(expr: &Expr, detail: String) -> Diagnostic {
    Diagnostic::error(CODE, INVALID_PREVENT_DESTROY, detail, expr.span())
}

fn wrong_type(addr: &AbsResourceAddr, error: &ConvertError) -> String {
    format!(
        "Resource instance {addr} has an invalid value for its prevent_destroy argument: {error}."
    )
}
