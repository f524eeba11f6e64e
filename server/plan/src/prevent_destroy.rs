//! Whether the configuration allows that instances of a resource are destroyed.
//!
//! Follows `checkPreventDestroy` of OpenTofu's `internal/tofu`, where `prevent_destroy` is any expression. In Terraform
//! it is a literal.

use config::{AbsResourceAddr, Profile, Resource};
use cty::{Mark, Type, Value, convert};
use text::Diagnostic;

use crate::instance::{INVALID_PREVENT_DESTROY, PreventDestroy};
use crate::scope::DeclarationScope;

/// Evaluates the argument, and reports its errors whatever happens to the instances. `scope` is that of the
/// resource's module.
pub(crate) fn evaluate(
    config: &Resource,
    addr: &AbsResourceAddr,
    profile: Profile,
    scope: &DeclarationScope<'_>,
) -> (PreventDestroy, Vec<Diagnostic>) {
    let Some(expr) = &config.lifecycle.prevent_destroy else {
        return (PreventDestroy::No, Vec::new());
    };
    let (value, mut diagnostics) = eval::evaluate_expr(expr, scope.context());
    if !diagnostics.is_empty() {
        return (PreventDestroy::No, diagnostics);
    }
    let mut fail = |detail: String| {
        let code = "invalid-prevent-destroy";
        diagnostics.push(Diagnostic::error(
            code,
            INVALID_PREVENT_DESTROY,
            detail,
            expr.span(),
        ));
    };
    let value = convert(&value, &Type::Bool).unwrap_or_else(|error| {
        fail(format!(
            "Resource instance {addr} has an invalid value for its prevent_destroy argument: {error}."
        ));
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
