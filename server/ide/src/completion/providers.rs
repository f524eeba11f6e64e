//! Providers that a module may require: names, sources and versions, as far as this machine knows them.

use std::collections::BTreeMap;

use config::{ProviderAddr, Version};
use smol_str::SmolStr;

use super::{Completion, CompletionContext, CompletionKind};
use crate::ModuleContext;
use crate::cursor::{ValuePlace, Within};

impl ModuleContext {
    /// Each with its versions, the newest first: installed ones, those in mirrors, and those that come with this program.
    fn providers_at_hand(&self) -> BTreeMap<ProviderAddr, Vec<String>> {
        let mut found = (*self.local_providers).clone();
        for (addr, schema) in &self.plan.schemas {
            if !addr.is_builtin() && !found.contains_key(addr) {
                let version = schema.version.as_ref().map(ToString::to_string);
                found.insert(addr.clone(), version.into_iter().collect());
            }
        }
        for name in schema::bundled().keys() {
            if let Ok(addr) = ProviderAddr::parse_on(self.profile_registry(), name) {
                found.entry(addr).or_default();
            }
        }
        found
    }

    fn profile_registry(&self) -> &'static str {
        self.module.profile.product.registry()
    }
}

impl CompletionContext<'_> {
    /// Whole entries of `required_providers`.
    pub(super) fn requirements(&self, written: impl Fn(&str) -> bool, items: &mut Vec<Completion>) {
        for (addr, versions) in self.known.providers_at_hand() {
            if written(&addr.r#type) {
                continue;
            }
            let mut item = self.item(CompletionKind::Provider, addr.r#type.as_str());
            item.detail = Some(addr.for_display());
            if self.ends_line() {
                let version = versions.first().and_then(|version| pessimistic(version));
                let version = version.map_or(String::new(), |it| format!("\n  version = \"{it}\""));
                let source = self.source_of(&addr);
                item.snippet = format!(
                    "{} = {{\n  source  = \"{source}\"{version}\n\\}}",
                    addr.r#type
                );
            }
            items.push(item);
        }
    }

    /// Texts of an entry of `required_providers`. Answers whether the cursor is in one.
    pub(super) fn required(&self, place: &ValuePlace, items: &mut Vec<Completion>) -> bool {
        let is_entry = self
            .cursor
            .blocks
            .last()
            .is_some_and(|it| it.kind == "required_providers");
        let [Within::Item(key), Within::Quoted] = place.within.as_slice() else {
            return false;
        };
        let known = self.known.providers_at_hand();
        match key.as_str() {
            _ if !is_entry => return false,
            "source" => items.extend(known.keys().map(|addr| {
                let mut item = self.item(CompletionKind::Provider, self.source_of(addr));
                item.rank = if addr.r#type == place.argument { 0 } else { 3 };
                item
            })),
            "version" => self.versions_of(&place.argument, &known, items),
            _ => {}
        }
        true
    }

    fn versions_of(
        &self,
        name: &SmolStr,
        known: &BTreeMap<ProviderAddr, Vec<String>>,
        items: &mut Vec<Completion>,
    ) {
        let addr = self.known.module.provider_addr(name);
        let mut versions = known.get(&addr).cloned().unwrap_or_default();
        let asked = self.registry.map(|it| it.provider_versions(&addr));
        // A registry may offer newer versions than this machine has.
        if let Some(asked) = asked.filter(|asked| !asked.is_empty()) {
            versions = asked;
        }
        self.versions(&versions, items);
    }

    /// As it is written: without the host that is meant anyway.
    fn source_of(&self, addr: &ProviderAddr) -> String {
        match addr.host == self.known.profile_registry() {
            true => addr.for_display(),
            false => addr.to_string(),
        }
    }
}

/// The constraint that most write: this minor version, or a later one of the same major version.
pub(super) fn pessimistic(version: &str) -> Option<String> {
    let version = Version::parse(version)?;
    Some(format!("~> {}.{}", version.major, version.minor))
}
