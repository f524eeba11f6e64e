//! The first day of a workspace with OpenTofu: its state still names the providers of Terraform's registry.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::{ModuleTree, Product, Profile, ProviderAddr};
use process::Variables;
use state::State;

/// A state as OpenTofu sees it.
#[derive(Default)]
pub(crate) struct Translated(Option<(BTreeSet<ProviderAddr>, Arc<State>)>);

impl Translated {
    /// The state with the providers of OpenTofu's registry in the place of those of Terraform's, but for those that a
    /// module requires with their host. Source: `MigrateStateProviderAddresses` of OpenTofu's `internal/tofumigrate`.
    pub(crate) fn of(
        &mut self,
        state: &Arc<State>,
        tree: &ModuleTree,
        profile: Profile,
        variables: &Variables,
    ) -> Arc<State> {
        let is_off = variables.text("OPENTOFU_STATEFILE_PROVIDER_ADDRESS_TRANSLATION") == Some("0");
        if profile.product != Product::OpenTofu || is_off {
            return state.clone();
        }
        let modules = tree.iter().map(|(_, module)| &module.module);
        let required = modules.flat_map(|module| module.required_providers.values());
        let in_full: BTreeSet<ProviderAddr> = required
            .filter_map(|requirement| requirement.source.clone())
            .filter(|source| source.host == ProviderAddr::DEFAULT_HOST)
            .collect();
        match &self.0 {
            Some((known, translated)) if *known == in_full => translated.clone(),
            _ => {
                let translated = translate(state, &in_full);
                self.0 = Some((in_full, translated.clone()));
                translated
            }
        }
    }
}

fn translate(state: &Arc<State>, in_full: &BTreeSet<ProviderAddr>) -> Arc<State> {
    let is_meant = |provider: &ProviderAddr| {
        provider.host == ProviderAddr::DEFAULT_HOST && !in_full.contains(provider)
    };
    let mut resources = state.resources.values();
    if !resources.any(|resource| is_meant(&resource.provider.provider)) {
        return state.clone();
    }
    let mut translated = State::clone(state);
    for resource in translated.resources.values_mut() {
        if is_meant(&resource.provider.provider) {
            Arc::make_mut(resource).provider.provider.host = Product::OpenTofu.registry().into();
        }
    }
    Arc::new(translated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn providers_of_terraforms_registry_are_translated_unless_they_are_required_in_full() {
        let provider = |host: &str, name: &str| ProviderAddr::new(host, "hashicorp", name);
        let terraform = |name| provider(ProviderAddr::DEFAULT_HOST, name);
        let resource = |name: &str, addr: &str| {
            format!(
                r#"{{"mode": "managed", "type": "x_y", "name": "{name}", "provider": "provider[\"{addr}\"]", "instances": []}}"#
            )
        };
        let resources = [
            resource("a", "registry.terraform.io/hashicorp/random"),
            resource("b", "registry.terraform.io/hashicorp/local"),
            resource("c", "example.com/hashicorp/random"),
        ];
        let text = format!(
            r#"{{"version": 4, "terraform_version": "1.11.4", "serial": 1, "lineage": "", "outputs": {{}}, "resources": [{}]}}"#,
            resources.join(",")
        );
        let state = Arc::new(state::read(&text).unwrap());
        let providers = |state: &State| -> Vec<ProviderAddr> {
            let resources = state.resources.values();
            resources.map(|it| it.provider.provider.clone()).collect()
        };
        let translated = translate(&state, &BTreeSet::from([terraform("local")]));
        assert_eq!(
            providers(&translated),
            [
                provider("registry.opentofu.org", "random"),
                terraform("local"),
                provider("example.com", "random")
            ]
        );
        let all = BTreeSet::from([terraform("local"), terraform("random")]);
        assert!(Arc::ptr_eq(&translate(&state, &all), &state));
    }
}
