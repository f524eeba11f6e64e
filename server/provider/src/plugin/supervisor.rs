//! Keeps one process of a provider: started when needed, verified before, configured, replaced when it ends.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use config::ProviderAddr;
use sha2::{Digest, Sha256};
use smol_str::SmolStr;
use tokio::sync::{Mutex as AsyncMutex, MutexGuard, Semaphore, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, sleep};

use super::process::{CallError, Launch, Process};
use crate::ProviderError;
use crate::approved::Approved;
use crate::find::{
    self, Attached, Environment, Executable, Origin, Package, PackageIdentity, file_digest, hex,
};
use crate::process_limit::ProcessLimit;
use crate::response_cache::ResponseCache;
use crate::schema_cache::SchemaCache;
use crate::stats::Counters;
use crate::wire::Rpc;

/// The first pause after a failed start or an early end; each further one is twice as long.
const BACK_OFF: Duration = Duration::from_millis(100);
const BACK_OFF_LIMIT: Duration = Duration::from_secs(10);

/// A process that ends earlier than this, and has answered nothing, counts as a failed start.
const EARLY: Duration = Duration::from_secs(1);

/// How often a resource type may crash the process, each time alone in it, until it isn't asked about any more.
const CRASH_LIMIT: u32 = 3;

/// A configured process that has answered this many calls is replaced: it holds 100 to 270 MiB of them by then.
const CONFIGURED_CALLS: u32 = 10_000;

/// The shared part of all plugins of a root module.
pub(crate) struct Shared {
    pub limit: Arc<ProcessLimit>,
    /// As `limit` calls the root module.
    pub holder: usize,
    pub environment: Environment,
    /// Given to providers when they are configured.
    pub terraform_version: String,
    pub approved: Mutex<Approved>,
    /// Of one process.
    pub calls_at_once: AtomicU32,
    pub responses: ResponseCache,
    pub schemas: Option<SchemaCache>,
    pub counters: Arc<Counters>,
    /// For those that hash a package, one for each processor: thousands of configurations of a provider may ask for it at once.
    pub hashing: Semaphore,
    pub verified: Mutex<BTreeMap<PathBuf, Verified>>,
    /// The hashes of the packages that would have started if they were approved.
    pub refused: Mutex<BTreeMap<ProviderAddr, String>>,
    /// The version of the plugin protocol that each spoke when it last started.
    pub protocols: Mutex<BTreeMap<ProviderAddr, u32>>,
}

/// An executable whose package had the hash that the lock file lists, and the identities of its files.
pub(crate) struct Verified {
    package_hash: String,
    listed: Vec<String>,
    identity: PackageIdentity,
}

pub(crate) struct Supervisor {
    pub addr: ProviderAddr,
    pub name: String,
    pub shared: Arc<Shared>,
    /// Held while a process starts, so that one starts and the others wait for it.
    supervised: AsyncMutex<Supervised>,
    crashes: Mutex<BTreeMap<SmolStr, u32>>,
}

#[derive(Default)]
struct Supervised {
    running: Option<Running>,
    configuration: Option<Bytes>,
    /// The last configuration that was refused after its caller had left, with that answer.
    unheard: Option<(Bytes, Bytes)>,
    failures: u32,
    failure: Option<(ProviderError, Instant)>,
    /// How often a process was replaced because of its memory.
    replaced: u32,
}

/// A process, and the inputs of its answers beside the request.
#[derive(Clone)]
pub(crate) struct Running {
    pub process: Arc<Process>,
    pub package_hash: String,
    /// Of the executable and the configuration.
    pub identity: [u8; 32],
    is_configured: bool,
    started: Instant,
}

impl Supervisor {
    pub fn new(addr: ProviderAddr, shared: Arc<Shared>) -> Supervisor {
        Supervisor {
            name: addr.to_string(),
            addr,
            shared,
            supervised: AsyncMutex::default(),
            crashes: Mutex::default(),
        }
    }

    /// Returns the running process, or starts one. A start continues if its caller is dropped; otherwise each edit
    /// would cancel it.
    pub async fn running(self: &Arc<Self>) -> Result<Running, ProviderError> {
        if let Some(running) = self.supervised.lock().await.usable() {
            return Ok(running);
        }
        let supervisor = self.clone();
        tokio::spawn(async move { supervisor.start().await })
            .await
            .unwrap_or_else(|error| Err(self.start_error(error.to_string())))
    }

    /// Sends a request. Where the process ends under it, it is sent once more, alone: then it is known whose fault it
    /// is. `subject` is the subject of the request.
    pub async fn ask(
        self: &Arc<Self>,
        running: Running,
        rpc: Rpc,
        subject: &str,
        request: Bytes,
    ) -> Result<Bytes, ProviderError> {
        let is_repeatable = !rpc.touches_world();
        let mut running = running;
        let mut is_suspect = false;
        let response = loop {
            let response = match is_suspect {
                false => running.process.call(rpc, request.clone()).await,
                true => running.process.call_alone(rpc, request.clone()).await,
            };
            match response {
                Err(CallError::NotSent) => {}
                Err(CallError::Ended | CallError::TooLarge(_)) if is_suspect => {
                    self.blame(subject);
                    break response;
                }
                Err(CallError::Ended | CallError::TooLarge(_)) if is_repeatable => {
                    tracing::warn!(provider = self.name, ?rpc, subject, "provider ended");
                    is_suspect = true;
                }
                response => break response,
            }
            running = self.running().await?;
        };
        if !running.is_configured {
            running.process.tidy();
        }
        response.map_err(|error| self.call_error(rpc, error))
    }

    /// Fails for a subject that has crashed the process too often.
    pub fn refuse_crashing(&self, subject: &str) -> Result<(), ProviderError> {
        let crashes = self.crashes.lock().unwrap_or_else(PoisonError::into_inner);
        match crashes.get(subject) {
            Some(&times) if times >= CRASH_LIMIT => Err(ProviderError::CrashesOn {
                provider: self.name.clone(),
                type_name: subject.to_owned(),
                times,
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// Configures the process, unless it has this configuration already. A process that has another one is replaced:
    /// providers don't expect to be configured twice. So is one that refuses it, as it may have kept a part. A refusal may
    /// take half a minute: one that comes when nobody waits any more answers the next request for the same.
    ///
    /// `is_refused` tells from the response whether the provider took the configuration.
    pub async fn configure(
        self: &Arc<Self>,
        request: Bytes,
        is_refused: fn(&[u8]) -> bool,
    ) -> Result<Option<Bytes>, ProviderError> {
        let supervisor = self.clone();
        let (answer, answered) = oneshot::channel();
        tokio::spawn(async move {
            let mut supervised = supervisor.supervised.lock().await;
            // One that nobody waits for any more has been superseded while others were tried. One that has begun goes
            // on: it may be half of a login.
            if answer.is_closed() {
                return;
            }
            if let Some((refused, response)) = supervised.unheard.take()
                && refused == request
            {
                let _ = answer.send(Ok(Some(response)));
                return;
            }
            let configured = supervisor.configure_now(&mut supervised, request.clone(), is_refused);
            if let Err(Ok(Some(response))) = answer.send(configured.await)
                && is_refused(&response)
            {
                supervised.unheard = Some((request, response));
            }
        });
        answered
            .await
            .unwrap_or_else(|error| Err(self.start_error(error.to_string())))
    }

    async fn configure_now(
        &self,
        supervised: &mut MutexGuard<'_, Supervised>,
        request: Bytes,
        is_refused: fn(&[u8]) -> bool,
    ) -> Result<Option<Bytes>, ProviderError> {
        let has_it = supervised.configuration.as_ref() == Some(&request);
        if has_it
            && supervised
                .usable()
                .is_some_and(|running| running.is_configured)
        {
            return Ok(None);
        }
        supervised.configuration = None;
        if supervised
            .usable()
            .is_none_or(|running| running.is_configured)
        {
            supervised.running = None;
            self.start_process(supervised).await?;
        }
        let Some(running) = supervised.running.take() else {
            return Err(self.start_error("it ended at once".to_owned()));
        };
        let response = running
            .process
            .call(Rpc::ConfigureProvider, request.clone())
            .await
            .map_err(|error| self.call_error(Rpc::ConfigureProvider, error))?;
        self.crashes
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clear();
        if !is_refused(&response) {
            supervised.running = Some(running.configured(&request));
            supervised.configuration = Some(request);
        }
        Ok(Some(response))
    }

    /// Ends the process and waits for its end.
    pub async fn end(&self) {
        let running = self.supervised.lock().await.running.take();
        if let Some(running) = running {
            running.process.end().await;
        }
    }

    /// The same, unless it is starting or is being asked something; answers whether it did.
    pub async fn end_idle(&self) -> bool {
        let Ok(mut supervised) = self.supervised.try_lock() else {
            return false;
        };
        let idle = supervised.running.take_if(|it| it.process.is_idle());
        drop(supervised);
        let Some(running) = idle else { return false };
        running.process.end().await;
        true
    }

    async fn start(&self) -> Result<Running, ProviderError> {
        let mut supervised = self.supervised.lock().await;
        if let Some(running) = supervised.usable() {
            return Ok(running);
        }
        self.start_process(&mut supervised).await?;
        let configuration = supervised.configuration.clone();
        let (Some(running), Some(request)) = (supervised.running.clone(), configuration) else {
            return supervised
                .usable()
                .ok_or_else(|| self.start_error("it ended at once".to_owned()));
        };
        running
            .process
            .call(Rpc::ConfigureProvider, request.clone())
            .await
            .map_err(|error| self.call_error(Rpc::ConfigureProvider, error))?;
        let running = running.configured(&request);
        supervised.running = Some(running.clone());
        Ok(running)
    }

    /// Starts a process that has no configuration yet.
    async fn start_process(
        &self,
        supervised: &mut MutexGuard<'_, Supervised>,
    ) -> Result<(), ProviderError> {
        if self.shared.approved() == Approved::Nothing {
            // Trust wouldn't help a package that is missing.
            find::find(&self.shared.environment, &self.addr)?;
            return Err(ProviderError::NotTrusted {
                provider: self.name.clone(),
            });
        }
        if let Some((failure, until)) = &supervised.failure
            && Instant::now() < *until
        {
            return Err(failure.clone());
        }
        if let Some(previous) = supervised.running.take() {
            supervised.replaced += u32::from(previous.process.is_large());
            let is_early = previous.started.elapsed() < EARLY;
            if is_early && previous.process.calls_since_stop() == 0 {
                supervised.failures += 1;
                sleep(back_off(supervised.failures)).await;
            } else {
                supervised.failures = 0;
            }
        }
        match self.launch(supervised.replaced).await {
            Ok(running) => {
                self.shared.counters.count_start();
                supervised.failure = None;
                supervised.running = Some(running);
                Ok(())
            }
            // Looking for it costs little, and it may be installed any moment.
            Err(error @ ProviderError::NotInstalled { .. }) => Err(error),
            // It may start as soon as the user says so.
            Err(error @ ProviderError::NotApproved { .. }) => Err(error),
            Err(error) => {
                tracing::warn!(provider = self.name, %error, "provider did not start");
                supervised.failures += 1;
                let until = Instant::now() + back_off(supervised.failures);
                supervised.failure = Some((error.clone(), until));
                Err(error)
            }
        }
    }

    async fn launch(&self, replaced: u32) -> Result<Running, ProviderError> {
        let permit = self.shared.hashing.acquire().await;
        let (shared, addr) = (self.shared.clone(), self.addr.clone());
        let (origin, startable, package_hash) =
            spawn_blocking(move || find_verified(&shared, &addr))
                .await
                .map_err(|error| self.start_error(error.to_string()))??;
        drop(permit);
        self.take_approval(&origin, &package_hash)?;
        let counters = self.shared.counters.clone();
        let calls_at_once = self.shared.calls_at_once.load(Ordering::Relaxed);
        let executable = match &startable {
            Startable::Attached(attached) => {
                let process = Process::attach(&self.name, attached, counters, calls_at_once).await;
                return self.started(process, package_hash);
            }
            Startable::Executable(executable) => executable,
        };
        let shared = &self.shared;
        let launch = Launch {
            name: &self.name,
            executable,
            environment: &shared.environment,
            replaced,
            calls_at_once,
            place: shared.limit.admit(shared.holder).await,
        };
        let running = self.started(Process::start(launch, counters).await, package_hash)?;
        if cfg!(windows) {
            tokio::spawn(Process::let_go(Arc::downgrade(&running.process)));
        }
        Ok(running)
    }

    /// Refuses a package that the user has not approved with this very content.
    fn take_approval(&self, origin: &Origin, package_hash: &str) -> Result<(), ProviderError> {
        let package = crate::Package {
            provider: self.addr.clone(),
            hash: package_hash.to_owned(),
        };
        let is_approved = self.shared.approved().takes(origin, &package);
        let refused = self.shared.refused.lock();
        let mut refused = refused.unwrap_or_else(PoisonError::into_inner);
        if is_approved {
            refused.remove(&self.addr);
            return Ok(());
        }
        refused.insert(package.provider, package.hash);
        Err(ProviderError::NotApproved {
            provider: self.name.clone(),
        })
    }

    fn started(
        &self,
        process: Result<Process, String>,
        package_hash: String,
    ) -> Result<Running, ProviderError> {
        let process = process.map_err(|reason| self.start_error(reason))?;
        let protocols = self.shared.protocols.lock();
        let mut protocols = protocols.unwrap_or_else(PoisonError::into_inner);
        protocols.insert(self.addr.clone(), process.protocol().number());
        Ok(Running {
            process: Arc::new(process),
            identity: Sha256::digest(&package_hash).into(),
            package_hash,
            is_configured: false,
            started: Instant::now(),
        })
    }

    fn blame(&self, subject: &str) {
        let mut crashes = self.crashes.lock().unwrap_or_else(PoisonError::into_inner);
        *crashes.entry(subject.into()).or_default() += 1;
    }

    fn start_error(&self, reason: String) -> ProviderError {
        ProviderError::Start {
            provider: self.name.clone(),
            reason,
        }
    }

    fn call_error(&self, rpc: Rpc, error: CallError) -> ProviderError {
        let (provider, doing) = (self.name.clone(), rpc.name());
        match error {
            CallError::NotSent | CallError::Ended => ProviderError::Stopped { provider, doing },
            CallError::TooLarge(limit) => ProviderError::TooLarge {
                provider,
                doing,
                limit_mib: limit >> 20,
            },
            CallError::Unsupported => ProviderError::Unsupported { provider, doing },
            CallError::Timeout(after) => ProviderError::Timeout {
                provider,
                doing,
                after,
            },
            CallError::Failed(code) => ProviderError::Protocol {
                provider,
                doing,
                reason: code.to_string(),
            },
        }
    }
}

impl Shared {
    fn approved(&self) -> Approved {
        let approved = self.approved.lock();
        approved.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Supervised {
    fn usable(&self) -> Option<Running> {
        let running = self.running.as_ref()?;
        let is_worn =
            running.is_configured && running.process.calls_since_stop() > CONFIGURED_CALLS;
        let is_good = running.process.is_running() && !is_worn && !running.process.is_large();
        is_good.then(|| running.clone())
    }
}

impl Running {
    fn configured(self, request: &[u8]) -> Running {
        let mut identity = Sha256::new();
        identity.update(&self.package_hash);
        identity.update([0]);
        identity.update(request);
        Running {
            identity: identity.finalize().into(),
            is_configured: true,
            ..self
        }
    }
}

fn back_off(failures: u32) -> Duration {
    BACK_OFF
        .saturating_mul(1 << failures.saturating_sub(1).min(10))
        .min(BACK_OFF_LIMIT)
}

/// The ways to reach a provider.
enum Startable {
    Attached(Attached),
    Executable(Executable),
}

/// Finds the provider and identifies its code. Reads whole executables: not for an async thread.
fn find_verified(
    shared: &Shared,
    addr: &ProviderAddr,
) -> Result<(Origin, Startable, String), ProviderError> {
    // Looked at before it is hashed, so that every change from then on is noticed.
    let executable = |path: &Path| {
        let executable = Executable::of(path);
        executable.map_err(|error| unreadable(addr, path, &error))
    };
    let origin = find::find(&shared.environment, addr)?;
    let (startable, package_hash) = match &origin {
        Origin::Attached(attached) => {
            let hash = format!("attached:{}", attached.address);
            (Startable::Attached(attached.clone()), hash)
        }
        Origin::Development {
            executable: path, ..
        } => {
            let executable = executable(path)?;
            let hash = development_hash(&executable, addr)?;
            (Startable::Executable(executable), hash)
        }
        Origin::Package(package) => {
            let executable = executable(&package.executable)?;
            let hash = verified_hash(shared, addr, package)?;
            (Startable::Executable(executable), hash)
        }
    };
    Ok((origin, startable, package_hash))
}

/// Hashes the package, unless its files are those that were hashed before.
fn verified_hash(
    shared: &Shared,
    addr: &ProviderAddr,
    package: &Package,
) -> Result<String, ProviderError> {
    let lock = || {
        shared
            .verified
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    };
    let identity = || {
        PackageIdentity::of(&package.dir).map_err(|error| unreadable(addr, &package.dir, &error))
    };
    let before = identity()?;
    if let Some(known) = lock().get(&package.executable)
        && known.listed == package.hashes
        && known.identity == before
    {
        return Ok(known.package_hash.clone());
    }
    let package_hash = package.verify(addr)?;
    if identity()? != before {
        return Err(ProviderError::LockMismatch {
            provider: addr.to_string(),
            package: package.dir.clone(),
            reason: "it changed while it was read".to_owned(),
        });
    }
    if before.is_settled() {
        let verified = Verified {
            package_hash: package_hash.clone(),
            listed: package.hashes.clone(),
            identity: before,
        };
        lock().insert(package.executable.clone(), verified);
    }
    Ok(package_hash)
}

fn development_hash(executable: &Executable, addr: &ProviderAddr) -> Result<String, ProviderError> {
    let digest = file_digest(&executable.path)
        .map_err(|error| unreadable(addr, &executable.path, &error))?;
    Ok(format!("sha256:{}", hex(&digest)))
}

fn unreadable(addr: &ProviderAddr, path: &Path, error: &io::Error) -> ProviderError {
    ProviderError::Start {
        provider: addr.to_string(),
        reason: format!("{}: {error}", path.display()),
    }
}
