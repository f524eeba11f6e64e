//! Providers that a module uses without saying which they are.

use std::collections::HashSet;
use std::sync::Arc;

use config::Resource;
use smol_str::SmolStr;
use text::{Diagnostic, Fault, PerChunk, Severity, Span};

use super::Checks;
use super::scope::CheckScope;

/// Reports each provider once, where it is first used.
/// The first use of each provider by its local name, of each chunk of a module's resources.
#[derive(Default)]
pub(super) struct ProvidersCache {
    of_resources: PerChunk<Arc<Resource>, Vec<(SmolStr, Span)>>,
}

pub(super) fn check(scope: &CheckScope<'_>, cache: &mut ProvidersCache, found: &mut Checks) {
    let module = scope.module;
    let resources = module.resources.declarations();
    let of_resources = cache.of_resources.update(resources, first_uses).flatten();
    let of_resources = of_resources.map(|(name, at)| (name.as_str(), at));
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

fn first_uses(resources: &[Arc<Resource>]) -> Vec<(SmolStr, Span)> {
    let mut uses: Vec<(SmolStr, Span)> = Vec::new();
    for resource in resources {
        let name = match &resource.provider {
            Some(provider) => provider.name.as_str(),
            None => resource.addr.implied_provider(),
        };
        if !uses.iter().any(|it| it.0 == name) {
            uses.push((name.into(), resource.r#type.span.clone()));
        }
    }
    uses
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
