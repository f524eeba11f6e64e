//! Warnings of references to attributes and outputs that are deprecated.
//!
//! Newer releases follow their values through expressions. The references show most of these uses, at the same places;
//! `engine/deprecated_parts.rs` finds those inside of whole objects.

use config::language_release::feature;
use config::{Output, Product, Profile};
use schema::DeprecatedStep;
use text::{Diagnostic, Span};

const CODE: &str = "deprecated-attribute";

/// A reference to an attribute of a resource, whose address is `addr`.
pub(crate) fn attribute(
    step: &DeprecatedStep,
    addr: &dyn std::fmt::Display,
    profile: Profile,
    at: Span,
) -> Option<Diagnostic> {
    match profile.has(feature::DEPRECATED_VALUES) {
        true => {
            let source = format!("{addr}.{}", step.attribute);
            Some(derived(&source, &step.message, profile, at))
        }
        false => ignored(step, profile, at),
    }
}

/// An entry of `ignore_changes`.
pub(crate) fn ignored(step: &DeprecatedStep, profile: Profile, at: Span) -> Option<Diagnostic> {
    if profile.is_opentofu() || profile.has(feature::DEPRECATED_VALUES) {
        return None;
    }
    let detail = format!(
        "The attribute \"{}\" is deprecated. Refer to the provider documentation for details.",
        step.attribute
    );
    Some(Diagnostic::warning(
        CODE,
        "Deprecated attribute",
        detail,
        at,
    ))
}

/// A reference to an output of the module that `call` names.
pub(crate) fn output(
    output: &Output,
    call: &str,
    profile: Profile,
    at: Span,
) -> Option<Diagnostic> {
    let deprecation = output.deprecated.as_ref()?;
    let source = format!("module.{call}.{}", output.name.text);
    Some(derived(&source, &deprecation.message, profile, at))
}

/// `source` is the address of the deprecated attribute or output.
pub(crate) fn derived(source: &str, message: &str, profile: Profile, at: Span) -> Diagnostic {
    let (summary, detail) = match profile.product {
        Product::Terraform => ("Deprecated value used", message.to_owned()),
        Product::OpenTofu => (
            "Value derived from a deprecated source",
            format!(
                "This value is derived from {source}, which is deprecated with the following message:\n\n{message}"
            ),
        ),
    };
    Diagnostic::warning(CODE, summary, detail, at)
}
