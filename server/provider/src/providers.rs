//! All providers of a root module.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::available_parallelism;

use config::{InstanceKey, ProviderAddr, ProviderConfigAddr};
use futures_util::FutureExt as _;
use futures_util::future::{BoxFuture, join_all};
use schema::ProviderSchema;
use tokio::sync::Semaphore;

use crate::Provider;
use crate::approved::{Approved, Package};
use crate::builtin::BuiltinProvider;
use crate::find::Environment;
use crate::plugin::{self, Plugin, SchemaCell, Shared, Substitute};
use crate::process_limit::{EndProcesses, Planning, ProcessLimit};
use crate::response_cache::ResponseCache;
use crate::schema_cache::SchemaCache;
use crate::stats::{Counters, Stats};

/// The inputs of a root module's providers.
#[derive(Clone)]
pub struct Config {
    pub environment: Environment,
    /// Where schemas are kept. None: nowhere.
    pub cache_dir: Option<PathBuf>,
    /// The version of Terraform that providers get.
    pub terraform_version: String,
    /// Which plugins may start. Beside them only the builtin provider and cached schemas answer.
    pub approved: Approved,
    /// Shared with the providers of other root modules.
    pub limit: Arc<ProcessLimit>,
}

/// Hands out providers. A process starts with the first call that needs it, and ends when this is dropped.
///
/// Calls need a tokio runtime with time and IO enabled.
pub struct Providers {
    shared: Arc<Shared>,
    builtin: Arc<BuiltinProvider>,
    plugins: Arc<Mutex<Plugins>>,
}

#[derive(Default)]
struct Plugins {
    schemas: BTreeMap<ProviderAddr, SchemaCell>,
    instances: BTreeMap<(ProviderConfigAddr, InstanceKey), Arc<Plugin>>,
    given: BTreeMap<ProviderAddr, Arc<dyn Provider>>,
    substitutes: BTreeMap<ProviderAddr, Option<Substitute>>,
}

impl Providers {
    pub fn new(config: Config) -> Providers {
        if let Ok(dir) = config.environment.temporary_dir() {
            ::process::sweep(dir);
        }
        let builtin = BuiltinProvider::new(config.environment.root_module.clone());
        let plugins = Arc::<Mutex<Plugins>>::default();
        let weak: Weak<Mutex<Plugins>> = Arc::downgrade(&plugins);
        let holder = config.limit.join(weak);
        let shared = Shared {
            limit: config.limit,
            holder,
            terraform_version: config.terraform_version,
            approved: Mutex::new(config.approved),
            calls_at_once: AtomicU32::new(plugin::CALLS_AT_ONCE),
            responses: ResponseCache::new(),
            schemas: config.cache_dir.as_deref().map(SchemaCache::new),
            counters: Arc::new(Counters::default()),
            hashing: Semaphore::new(available_parallelism().map_or(2, usize::from)),
            verified: Mutex::default(),
            refused: Mutex::default(),
            protocols: Mutex::default(),
            environment: config.environment,
        };
        Providers {
            shared: Arc::new(shared),
            builtin: Arc::new(builtin),
            plugins,
        }
    }

    /// The provider under one of its configurations. Each configuration has a process of its own; all share the schema.
    pub fn provider(&self, addr: &ProviderConfigAddr) -> Arc<dyn Provider> {
        self.instance(addr, &InstanceKey::None)
    }

    /// The same for one of the configurations that there are with `for_each`.
    pub fn instance(&self, addr: &ProviderConfigAddr, key: &InstanceKey) -> Arc<dyn Provider> {
        if addr.provider == ProviderAddr::builtin() {
            return self.builtin.clone();
        }
        let mut plugins = self.plugins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(given) = plugins.given.get(&addr.provider) {
            return given.clone();
        }
        let schema = plugins
            .schemas
            .entry(addr.provider.clone())
            .or_default()
            .clone();
        let new = || {
            Arc::new(Plugin::new(
                addr.provider.clone(),
                schema,
                self.shared.clone(),
            ))
        };
        plugins
            .instances
            .entry((addr.clone(), key.clone()))
            .or_insert_with(new)
            .clone()
    }

    /// Where the lock file differs from what a configuration requires: versions by provider.
    pub fn lock_faults(&self, required: &BTreeMap<ProviderAddr, BTreeSet<String>>) -> Vec<String> {
        crate::find::lock_faults(&self.shared.environment, required)
    }

    /// The schema of a provider where no process has to start for it: the builtin one's, or one that is kept.
    pub fn schema_at_hand(&self, addr: &ProviderAddr) -> Option<Arc<ProviderSchema>> {
        if *addr == ProviderAddr::builtin() {
            // It answers at once.
            return self.builtin.schema().now_or_never()?.ok();
        }
        let mut plugins = self.plugins.lock().unwrap_or_else(PoisonError::into_inner);
        let cell = plugins.schemas.entry(addr.clone()).or_default().clone();
        drop(plugins);
        if cell.get().is_none() {
            // Where somebody else was faster, that one is kept.
            let _ = cell.set(plugin::kept_schema(&self.shared, addr)?);
        }
        cell.get().cloned()
    }

    /// The schema that this machine knows of a provider that is not installed.
    pub fn substitute(&self, addr: &ProviderAddr) -> Option<Substitute> {
        let plugins = || self.plugins.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(substitute) = plugins().substitutes.get(addr) {
            return substitute.clone();
        }
        let substitute = plugin::substitute(&self.shared, addr);
        let mut plugins = plugins();
        plugins.substitutes.insert(addr.clone(), substitute.clone());
        substitute
    }

    /// Answers for `addr` in the place of a plugin.
    pub fn insert(&self, addr: ProviderAddr, provider: Arc<dyn Provider>) {
        let mut plugins = self.plugins.lock().unwrap_or_else(PoisonError::into_inner);
        plugins.given.insert(addr, provider);
    }

    /// These plugins may start from now on. Running ones go on.
    pub fn approve(&self, approved: Approved) {
        let current = self.shared.approved.lock();
        let mut current = current.unwrap_or_else(PoisonError::into_inner);
        *current = approved;
    }

    /// How many calls a process answers at the same time, if it starts from now on.
    pub fn limit_calls(&self, at_once: u32) {
        self.shared
            .calls_at_once
            .store(at_once.max(1), Ordering::Relaxed);
    }

    /// The packages that are installed as the lock file selects them and were needed, but not approved.
    pub fn refused(&self) -> BTreeSet<Package> {
        let refused = self.shared.refused.lock();
        let refused = refused.unwrap_or_else(PoisonError::into_inner);
        let packages = refused.iter().map(|(provider, hash)| Package {
            provider: provider.clone(),
            hash: hash.clone(),
        });
        packages.collect()
    }

    /// The version of the plugin protocol that a provider spoke when it last started.
    pub fn protocol(&self, addr: &ProviderAddr) -> Option<u32> {
        let protocols = self.shared.protocols.lock();
        let protocols = protocols.unwrap_or_else(PoisonError::into_inner);
        protocols.get(addr).copied()
    }

    /// The requests from here on are for another plan: as many answers are kept as the largest one needed, and
    /// some more.
    pub fn plan_begins(&self) {
        self.shared.responses.plan_begins();
    }

    pub fn stats(&self) -> Stats {
        self.shared.counters.stats()
    }

    /// How many processes may be alive from now on, with those of all that share the limit.
    pub fn limit_processes(&self, most: u32) {
        self.shared.limit.set(most as usize);
    }

    /// Until this is dropped a plan is in the making that needs at most so many processes.
    pub fn planning(&self, processes: usize) -> Planning {
        self.shared.limit.plan(self.shared.holder, processes)
    }

    /// Ends all processes, and waits until they have ended. A later call starts them again.
    pub async fn shutdown(&self) {
        let instances = instances(&self.plugins);
        join_all(instances.iter().map(|plugin| plugin.end())).await;
    }
}

impl Drop for Providers {
    fn drop(&mut self) {
        self.shared.limit.leave(self.shared.holder);
    }
}

impl EndProcesses for Mutex<Plugins> {
    fn end_idle(&self) -> BoxFuture<'_, bool> {
        async move {
            let instances = instances(self);
            let ended = join_all(instances.iter().map(|plugin| plugin.end_idle())).await;
            ended.contains(&true)
        }
        .boxed()
    }
}

fn instances(plugins: &Mutex<Plugins>) -> Vec<Arc<Plugin>> {
    let plugins = plugins.lock().unwrap_or_else(PoisonError::into_inner);
    plugins.instances.values().cloned().collect()
}
