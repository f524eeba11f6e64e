//! A lock file that does not fit the configuration, in Terraform's words.

use std::collections::{BTreeMap, BTreeSet};

use config::ProviderAddr;
use plan::Root;
use text::Diagnostic;

/// The error that keeps Terraform from planning with other providers than the lock file selects.
pub(crate) fn inconsistency(root: &Root) -> Option<Diagnostic> {
    let mut required: BTreeMap<ProviderAddr, BTreeSet<String>> = BTreeMap::new();
    for (_, called) in root.tree().into_iter().flat_map(|tree| tree.iter()) {
        let module = &called.module;
        let chosen = module.resources.values();
        let chosen =
            chosen.filter_map(|it| Some(module.provider_addr(&it.provider.as_ref()?.name)));
        let in_use = module.providers_in_use().into_iter().chain(chosen);
        for addr in in_use.filter(|it| !it.is_builtin()) {
            required.entry(addr).or_default();
        }
        for (name, requirement) in &module.required_providers {
            let versions = required.entry(module.provider_addr(name)).or_default();
            versions.extend(requirement.version.as_ref().map(ToString::to_string));
        }
    }
    let faults = root.providers().lock_faults(&required);
    if faults.is_empty() {
        return None;
    }
    let list: String = faults.iter().map(|it| format!("\n  - {it}")).collect();
    let command = root.functions().profile.product.command();
    let advice = match root.has_lock_file() {
        false => format!(
            "To make the initial dependency selections that will initialize the dependency lock file, run:\n  {command} init"
        ),
        true => format!(
            "To update the locked dependency selections to match a changed configuration, run:\n  {command} init -upgrade"
        ),
    };
    let detail = format!(
        "The following dependency selections recorded in the lock file are inconsistent with the current configuration:{list}\n\n{advice}"
    );
    let summary = "Inconsistent dependency lock file";
    Some(Diagnostic::error("provider", summary, detail, None))
}
