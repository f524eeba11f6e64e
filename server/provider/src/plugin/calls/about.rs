//! A provider's schema and its identity schemas: from the disk where they are, else from the process.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use config::{ProviderAddr, Version};
use schema::{ProviderSchema, Schema};
use smol_str::SmolStr;

use super::unreadable;
use crate::plugin::supervisor::{Running, Shared, Supervisor};
use crate::schema_cache::CachedSchema;
use crate::wire::{self, Rpc};
use crate::{ProviderError, find};

pub(super) async fn fetch(
    supervisor: &Arc<Supervisor>,
) -> Result<Arc<ProviderSchema>, ProviderError> {
    let shared = &supervisor.shared;
    if let Some(schema) = kept(shared, &supervisor.addr) {
        return Ok(schema);
    }
    let running = supervisor.running().await?;
    let package_hash = running.package_hash.clone();
    let stored = CachedSchema {
        protocol: running.process.protocol(),
        identities: identities(supervisor, running.clone()).await?,
        schema: supervisor
            .ask(running, Rpc::GetProviderSchema, "", Bytes::new())
            .await?,
    };
    wire::check_provider_schema(stored.protocol, stored.schema.clone())
        .map_err(|reason| unreadable(&supervisor.name, Rpc::GetProviderSchema, reason))?;
    let schema =
        decode(&stored).map_err(|(rpc, reason)| unreadable(&supervisor.name, rpc, reason))?;
    let schema = versioned(schema, shared, &supervisor.addr);
    // A provider that is attached or in development changes under the same name.
    if let Some(cache) = &shared.schemas
        && package_hash.starts_with("h1:")
    {
        let kept = cache.store(&package_hash, &stored);
        let named = match &schema.version {
            Some(version) => cache.store_version(&supervisor.addr, version, &package_hash),
            None => Ok(()),
        };
        if let Err(error) = kept.and(named) {
            tracing::warn!(provider = supervisor.name, %error, "schema not cached");
        }
    }
    Ok(schema)
}

/// A stand-in for the schema of a provider that is not installed.
#[derive(Debug, Clone)]
pub struct Substitute {
    /// The schema, including its version.
    pub schema: Arc<ProviderSchema>,
    /// Whether the types are those of the version that the lock file selects.
    pub is_locked_version: bool,
}

/// The schema as another module on this machine has it, or as it comes with this program: of the version that the lock
/// file selects, or else of the newest that another module has.
pub(crate) fn substitute(shared: &Shared, addr: &ProviderAddr) -> Option<Substitute> {
    let locked = find::locked_version(&shared.environment, addr);
    let is_locked = |version: &str| locked.as_deref() == Some(version);
    let cache = shared.schemas.as_ref();
    let mut met: Vec<(String, String)> = cache
        .map_or_else(BTreeMap::new, |it| it.versions(addr))
        .into_iter()
        .collect();
    met.sort_by_key(|(version, _)| Reverse((is_locked(version), Version::parse(version))));
    let mut met = met.into_iter().filter_map(|(version, hash)| {
        let schema = decode(&cache?.load(&hash)?).ok()?;
        let is_locked_version = is_locked(&version);
        let version = Some(version.into());
        Some(Substitute {
            schema: Arc::new(ProviderSchema { version, ..schema }),
            is_locked_version,
        })
    });
    let newest = met.next();
    if newest.as_ref().is_some_and(|it| it.is_locked_version) {
        return newest;
    }
    let bundled = addr.bundled();
    let bundled = bundled.filter(|it| it.is_exact && is_locked(&it.version));
    let own = bundled.and_then(|it| it.schema()).map(|schema| Substitute {
        schema: schema.clone(),
        is_locked_version: true,
    });
    own.or(newest)
}

/// So many hashes of a lock file are looked up. It has two for each platform.
const LOOKED_UP: usize = 200;

/// The schema of the version that the lock file selects, as it was kept when it last ran.
pub(crate) fn kept(shared: &Shared, addr: &ProviderAddr) -> Option<Arc<ProviderSchema>> {
    let cache = shared.schemas.as_ref()?;
    let hashes = find::locked_hashes(&shared.environment, addr);
    let hashes = hashes.iter().take(LOOKED_UP);
    let stored = hashes.filter_map(|hash| cache.load(hash));
    let schema = stored.filter_map(|stored| decode(&stored).ok()).next()?;
    Some(versioned(schema, shared, addr))
}

fn versioned(schema: ProviderSchema, shared: &Shared, addr: &ProviderAddr) -> Arc<ProviderSchema> {
    let version = find::locked_version(&shared.environment, addr);
    Arc::new(ProviderSchema {
        version: version.map(SmolStr::from),
        ..schema
    })
}

/// Empty, which reads as none, where the provider's SDK is older than identities.
async fn identities(
    supervisor: &Arc<Supervisor>,
    running: Running,
) -> Result<Bytes, ProviderError> {
    match supervisor
        .ask(running, Rpc::GetResourceIdentitySchemas, "", Bytes::new())
        .await
    {
        Err(ProviderError::Unsupported { .. }) => Ok(Bytes::new()),
        answer => answer,
    }
}

fn decode(stored: &CachedSchema) -> Result<ProviderSchema, (Rpc, String)> {
    let schema = wire::provider_schema(stored.protocol, stored.schema.clone())
        .map_err(|reason| (Rpc::GetProviderSchema, reason))?;
    let identities: BTreeMap<SmolStr, Arc<Schema>> = wire::identity_schemas(&stored.identities)
        .map_err(|reason| (Rpc::GetResourceIdentitySchemas, reason))?;
    Ok(ProviderSchema {
        identities,
        ..schema
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::schema_cache::SchemaCache;
    use crate::wire::Protocol;
    use crate::{Approved, Config, Environment, Providers};

    #[test]
    fn a_provider_that_is_not_installed_is_known_as_another_module_has_it() {
        let dir = tempfile::tempdir().unwrap();
        let robot = ProviderAddr::new("example.com", "acme", "robot");
        let aws = ProviderAddr::implied("aws");
        let cache = SchemaCache::new(dir.path());
        for (version, hash) in [("1.9.0", "h1:old"), ("1.10.0", "h1:new")] {
            let stored = CachedSchema {
                protocol: Protocol::V6,
                schema: Bytes::new(),
                identities: Bytes::new(),
            };
            cache.store(hash, &stored).unwrap();
            cache.store_version(&robot, version, hash).unwrap();
        }
        let found = |addr: &ProviderAddr, locked: &str| {
            let lock = format!("provider \"{addr}\" {{\n  version = \"{locked}\"\n}}\n");
            fs::write(dir.path().join(".terraform.lock.hcl"), lock).unwrap();
            let providers = Providers::new(Config {
                environment: Environment {
                    root_module: dir.path().to_owned(),
                    variables: Default::default(),
                },
                cache_dir: Some(dir.path().to_owned()),
                terraform_version: "1.11.4".to_owned(),
                approved: Approved::Nothing,
                limit: Arc::default(),
            });
            let substitute = providers.substitute(addr)?;
            let version = substitute.schema.version.clone()?;
            Some((version.to_string(), substitute.is_locked_version))
        };
        let version = |version: &str, is_locked| Some((version.to_owned(), is_locked));
        assert_eq!(found(&robot, "1.9.0"), version("1.9.0", true));
        assert_eq!(found(&robot, "2.0.0"), version("1.10.0", false));
        // What comes with the program is of one version.
        let bundled = aws.bundled().unwrap();
        assert_eq!(
            found(&aws, &bundled.version),
            version(&bundled.version, true)
        );
        assert_eq!(found(&aws, "5.0.0"), None);
    }
}
