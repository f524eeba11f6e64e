//! The providers of a module, for lists of them.

use serde::Serialize;
use text::FileId;

use crate::Snapshot;

/// A provider that a module requires.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModuleProvider {
    /// Its name in the module.
    pub name: String,
    pub source: String,
    /// The version that is installed, if its schema is known.
    pub version: Option<String>,
    pub version_constraint: Option<String>,
}

impl Snapshot {
    /// The providers of the module that a file belongs to: those that it requires, and those that it only uses.
    pub fn providers_of(&self, file: &FileId) -> Vec<ModuleProvider> {
        let known = self.known(file);
        let module = &known.module;
        let of_resources = module.resources.values().map(|it| module.provider_of(it).0);
        let mut implied: Vec<_> = of_resources.filter(|addr| !addr.is_builtin()).collect();
        implied.sort();
        implied.dedup();
        let provider = |name: &str, addr: &config::ProviderAddr, constraint: Option<&str>| {
            let schema = known.plan.schemas.get(addr);
            ModuleProvider {
                name: name.to_owned(),
                source: addr.to_string(),
                version: schema.and_then(|it| it.version.as_ref().map(ToString::to_string)),
                version_constraint: constraint.map(str::to_owned),
            }
        };
        let mut providers = Vec::new();
        for (name, requirement) in &module.required_providers {
            let addr = module.provider_addr(name);
            implied.retain(|it| *it != addr);
            providers.push(provider(name, &addr, requirement.version.as_deref()));
        }
        providers.extend(
            implied
                .iter()
                .map(|addr| provider(&addr.r#type, addr, None)),
        );
        providers
    }
}
