//! A provider's schema and its identity schemas: from the disk where they are, else from the process.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use config::ProviderAddr;
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
    // A provider that is attached or in development changes under the same name.
    if let Some(cache) = &shared.schemas
        && package_hash.starts_with("h1:")
        && let Err(error) = cache.store(&package_hash, &stored)
    {
        tracing::warn!(provider = supervisor.name, %error, "schema not cached");
    }
    Ok(versioned(schema, shared, &supervisor.addr))
}

/// The schema of the version that the lock file selects, as it was kept when it last ran.
pub(crate) fn kept(shared: &Shared, addr: &ProviderAddr) -> Option<Arc<ProviderSchema>> {
    let cache = shared.schemas.as_ref()?;
    let hashes = find::locked_hashes(&shared.environment, addr);
    let stored = hashes.iter().filter_map(|hash| cache.load(hash));
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
