//! The information that a module gives a provider about itself with each request.

use config::{ProviderAddr, ProviderMeta};
use cty::Value;
use schema::ProviderSchema;
use text::Diagnostic;

use crate::scope::DeclarationScope;

/// The value of a block, and its errors. `needed_for` is the type or name of who needs it.
///
/// Follows `providerMetas` of OpenTofu's `internal/tofu`.
pub(crate) fn evaluate(
    block: &ProviderMeta,
    provider: &ProviderAddr,
    schema: &ProviderSchema,
    needed_for: &config::ResourceAddr,
    scope: &DeclarationScope<'_>,
) -> (Option<Value>, Vec<Diagnostic>) {
    let Some(schema) = &schema.provider_meta else {
        let problem = Diagnostic::error(
            "provider-meta",
            format!("Provider {provider} doesn't support provider_meta"),
            format!(
                "The resource {needed_for} belongs to a provider that doesn't support provider_meta blocks"
            ),
            block.provider.span.clone(),
        );
        return (None, vec![problem]);
    };
    let decoded = eval::decode(&block.body, &schema.block, scope.context());
    (Some(decoded.value.unmark_deep().0), decoded.diagnostics)
}
