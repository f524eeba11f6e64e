//! Whether the configuration allows that instances of a resource are destroyed.
//!
//! Follows `checkPreventDestroy` of OpenTofu's `internal/tofu`, where `prevent_destroy` is any expression. In Terraform
//! it is a literal.

use config::{AbsResourceAddr, Product, Profile, Resource, ResourceInstanceAddr};
use cty::{Mark, Path, Type, Value, convert};
use text::{Diagnostic, Fault, Severity};

use crate::instance::InstanceDiagnostic;
use crate::scope::Scope;

/// What `prevent_destroy` says where an instance is to be destroyed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PreventDestroy {
    #[default]
    No,
    /// In the words of this product.
    Yes(Product),
    /// Known only after apply.
    Unknown,
    Null,
}

const INVALID: &str = "Invalid value for prevent_destroy";

/// Evaluates the argument, and tells what is wrong with it whatever happens to the instances. `scope` is that of the
/// resource's module.
pub(crate) fn evaluate(
    config: &Resource,
    addr: &AbsResourceAddr,
    profile: Profile,
    scope: &Scope<'_>,
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
        diagnostics.push(Diagnostic::error(code, INVALID, detail, expr.span()));
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

impl PreventDestroy {
    /// The error where an instance is planned to be destroyed, or replaced because of `replace_paths`.
    pub(crate) fn problem(
        self,
        addr: &ResourceInstanceAddr,
        replace_paths: &[Path],
    ) -> Option<InstanceDiagnostic> {
        let resource = addr.resource();
        let (summary, detail) = match self {
            PreventDestroy::No => return None,
            PreventDestroy::Yes(Product::Terraform) => (
                "Instance cannot be destroyed",
                format!(
                    "Resource {addr} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target option."
                ),
            ),
            PreventDestroy::Yes(Product::OpenTofu) => (
                "Resource instance cannot be destroyed",
                format!(
                    "Resource instance {addr} has prevent_destroy set, but the plan calls for it to be destroyed.\n\nTo proceed, either disable prevent_destroy for this resource or exclude instances of this resource from this round using:\n    -exclude=\"{resource}\""
                ),
            ),
            PreventDestroy::Unknown => (
                INVALID,
                format!(
                    "Resource instance {addr} has a prevent_destroy argument but its value will not be known until the apply step, so OpenTofu can't predict whether destroying this is acceptable.\n\nTo proceed, exclude instances of this resource from this round using:\n    -exclude=\"{resource}\""
                ),
            ),
            PreventDestroy::Null => (
                INVALID,
                format!(
                    "Resource instance {addr} has prevent_destroy set to null. When making a dynamic decision to allow destroy, use false instead."
                ),
            ),
        };
        Some(InstanceDiagnostic {
            severity: Severity::Error,
            code: "prevent-destroy",
            fault: Fault::Other,
            summary: summary.to_owned(),
            detail,
            attribute: replace_paths.first().cloned(),
            address: None,
        })
    }
}
