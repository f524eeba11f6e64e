//! Providers that a module uses without saying which they are.

use std::collections::HashSet;

use smol_str::SmolStr;
use text::{Diagnostic, Fault, Severity, Span};

use super::Checks;
use super::scope::CheckScope;

/// Reports each provider once, where it is first used.
pub(super) fn check(scope: &CheckScope<'_>, found: &mut Checks) {
    let module = scope.module;
    let mut before = None;
    // Most resources are of the type of the one before: there may be thousands.
    let of_resources = module.resources.values().filter(|resource| {
        let kind = (&resource.provider, &resource.addr.r#type);
        before.replace(kind) != Some(kind)
    });
    let of_resources = of_resources.map(|resource| {
        let name = match &resource.provider {
            Some(provider) => provider.name.as_str(),
            None => resource.addr.implied_provider(),
        };
        (name, &resource.r#type.span)
    });
    let of_blocks = module
        .providers
        .values()
        .map(|it| (it.name.text.as_str(), &it.name.span));
    let mut seen: HashSet<SmolStr> = module.required_providers.keys().cloned().collect();
    for (name, at) in of_resources.chain(of_blocks) {
        if !seen.contains(name) {
            seen.insert(name.into());
            let addr = module.provider_addr(name);
            if !addr.is_builtin() {
                found.add(unstated(
                    name,
                    &format!("{}/{}", addr.namespace, addr.r#type),
                    at,
                ));
            }
        }
    }
}

fn unstated(name: &str, source: &str, at: &Span) -> Diagnostic {
    let what = format!(
        "provider \"{name}\" has no entry in required_providers, so any version of \"{source}\" is used"
    );
    Diagnostic {
        severity: Severity::Hint,
        fault: Fault::MissingRequirement {
            provider: name.into(),
            source: source.into(),
        },
        ..Diagnostic::warning("missing-provider-requirement", what, "", at.clone())
    }
}
