//! What registries offer, as completion asks for it.

use config::ProviderAddr;

/// Registries that are asked over the network, which the user has to want. Each answer is waited for.
pub trait Registry: Send + Sync {
    /// The versions of a module, the newest first, by its address with or without a host.
    fn module_versions(&self, default_host: &str, source: &str) -> Vec<String>;

    /// The versions of a provider, the newest first.
    fn provider_versions(&self, addr: &ProviderAddr) -> Vec<String>;

    /// The modules that the beginning of an address may mean.
    fn modules(&self, default_host: &str, typed: &str) -> Vec<RegistryModule>;
}

/// A module of a registry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RegistryModule {
    /// Without the host that is meant anyway.
    pub source: String,
    /// The newest; may be empty.
    pub version: String,
    pub description: String,
}
