//! Whether the lock file selects a version of each provider that a configuration requires.
//!
//! Follows `VerifyDependencySelections` of OpenTofu's `internal/configs`.

use std::collections::{BTreeMap, BTreeSet};

use config::language_release::Constraint;
use config::{ProviderAddr, Version};

use super::{CliConfig, Environment, locked, reattach};
use crate::ProviderError;

/// The faults in Terraform's words, in the order of the providers. A provider that the user runs or builds needs no entry.
pub(crate) fn faults(
    environment: &Environment,
    required: &BTreeMap<ProviderAddr, BTreeSet<String>>,
) -> Vec<String> {
    let cli_config = CliConfig::load(environment);
    let is_locked = |addr: &ProviderAddr| {
        !addr.is_builtin()
            && reattach::attached(environment, addr).is_none()
            && cli_config.dev_override(addr).is_none()
    };
    let required = required.iter().filter(|(addr, _)| is_locked(addr));
    let faults = required.filter_map(|(addr, versions)| {
        let locked = match locked(environment, addr) {
            Ok(locked) => locked,
            Err(ProviderError::NotInstalled { .. }) => {
                return Some(format!(
                    "provider {addr}: required by this configuration but no version is selected"
                ));
            }
            Err(_) => return None,
        };
        let version = Version::parse(&locked.version).filter(|_| !locked.version.contains('-'))?;
        let constraints: Option<Vec<_>> = versions.iter().map(|it| Constraint::parse(it)).collect();
        if constraints?.iter().all(|it| it.allows(version)) {
            return None;
        }
        let (selected, wanted) = (&locked.version, written(versions));
        Some(match wanted == locked.constraints {
            true => format!(
                "provider {addr}: version constraints {wanted:?} don't match the locked version selection {selected}"
            ),
            false => format!(
                "provider {addr}: locked version selection {selected} doesn't match the updated version constraints {wanted:?}"
            ),
        })
    });
    faults.collect()
}

/// As Terraform writes them.
fn written(versions: &BTreeSet<String>) -> String {
    let parts = versions.iter().flat_map(|it| it.split(','));
    let parts = parts.map(|part| {
        let part = part.trim();
        let number = part.trim_start_matches(['=', '!', '>', '<', '~']);
        let operator = &part[..part.len() - number.len()];
        match operator {
            "" | "=" => number.trim().to_owned(),
            operator => format!("{operator} {}", number.trim()),
        }
    });
    let parts: BTreeSet<String> = parts.collect();
    parts.into_iter().collect::<Vec<_>>().join(", ")
}
