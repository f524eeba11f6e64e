//! One plugin process: how a Terraform provider is started and greeted, called, and ended.

use std::future::Future;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, SystemTime};

use ::process::{Greeting, Plugin, PrivateDir, Starting};
use bytes::Bytes;
use grpc::{Channel, Code, Status};
use prost::Message;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep, timeout};

use super::channel::{self, Address};
use super::endpoint::PluginEndpoint;
use super::{handshake, output};
use crate::find::{Attached, Environment, Executable};
use crate::process_limit::HeldPlace;
use crate::stats::Counters;
use crate::wire::{Protocol, Rpc, goplugin};

/// Providers start in 5 to 100 ms. A machine that is busy, or checks new executables, may need hundreds of times that.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Calls time out after a minute: some types query their API while planning.
const CALL_LIMIT: Duration = Duration::from_secs(60);

/// Calls that are meant to touch the world may wait for it: logins, pagination, back-off.
const WORLD_CALL_LIMIT: Duration = Duration::from_secs(300);

/// After `Stop`. Providers take 2 ms.
const STOP_LIMIT: Duration = Duration::from_secs(1);

/// More calls at once are no faster, and the memory of providers jumps.
pub(crate) const CALLS_AT_ONCE: u32 = 8;

/// Servers on terraform-plugin-framework keep 12 to 27 KB of every call until they are sent a `Stop`.
const CALLS_BETWEEN_STOPS: u32 = 1000;

/// A plugin that holds more than this many MiB is replaced as soon as nobody waits for it, unless the environment names
/// another number. The largest providers start with half of it.
const MEMORY: u64 = 2048;
pub(crate) const MEMORY_VARIABLE: &str = "PLANLENS_PLUGIN_MEMORY";

/// How long a plugin keeps its file from who wants to replace it, and how often that is looked at. Together with its end it is
/// less than 5 seconds.
const LET_GO: Duration = Duration::from_secs(2);
const LOOK: Duration = Duration::from_millis(250);

/// How long a `Stop` waits for the calls in flight, holding up others. One that hangs must not hold up all.
const QUIET_LIMIT: Duration = Duration::from_millis(200);

/// The handshake's line is about 100 bytes.
const HANDSHAKE_LIMIT: u64 = 4096;

/// The value that providers check to know that a Terraform client starts them.
const MAGIC_COOKIE: &str = "d602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2";

/// Ends, with its group and its socket, when it is dropped.
pub(crate) struct Process {
    name: String,
    channel: Channel,
    protocol: Protocol,
    calls: Semaphore,
    /// How many permits `calls` has.
    calls_at_once: u32,
    calls_since_stop: AtomicU32,
    /// Counts up with each call.
    calls_begun: AtomicU32,
    counters: Arc<Counters>,
    plugin: Plugin,
    /// None for one that someone else started.
    _place: Option<HeldPlace>,
}

/// Why a call has no answer.
#[derive(Debug)]
pub(crate) enum CallError {
    /// The process ended before it got the request.
    NotSent,
    /// The process ended while it had the request.
    Ended,
    /// It was ended, as it held more memory than so many bytes.
    TooLarge(u64),
    Unsupported,
    Timeout(Duration),
    Failed(Code),
}

/// Which process to start, where.
pub(crate) struct Launch<'a> {
    pub name: &'a str,
    pub executable: &'a Executable,
    pub environment: &'a Environment,
    /// How often one was replaced because of its memory: each time the next may hold twice as much.
    pub replaced: u32,
    pub calls_at_once: u32,
    pub place: HeldPlace,
}

impl Launch<'_> {
    /// How many bytes it may hold.
    fn memory(&self) -> u64 {
        let named = self.environment.variable(MEMORY_VARIABLE);
        let mib = named.and_then(|text| text.parse().ok().filter(|mib| *mib > 0));
        let mib = mib.unwrap_or(MEMORY);
        mib.saturating_mul(1 << 20)
            .saturating_mul(1 << self.replaced.min(16))
    }
}

impl Process {
    pub async fn start(launch: Launch<'_>, counters: Arc<Counters>) -> Result<Process, String> {
        let begin = SystemTime::now();
        let endpoint = PluginEndpoint::prepare(launch.environment)?;
        let started = match Process::start_at(&launch, &counters, endpoint).await {
            Err(Refusal::ListensElsewhere(socket)) => {
                let endpoint = PluginEndpoint::prepare_again(launch.environment, &socket, begin)?;
                Process::start_at(&launch, &counters, endpoint).await
            }
            started => started,
        };
        let mut process = started.map_err(Refusal::into_text)?;
        process._place = Some(launch.place);
        Ok(process)
    }

    async fn start_at(
        launch: &Launch<'_>,
        counters: &Arc<Counters>,
        (endpoint, dir): (PluginEndpoint, Option<PrivateDir>),
    ) -> Result<Process, Refusal> {
        let start = ::process::Launch {
            name: launch.name.to_owned(),
            command: command(launch, &endpoint),
            dir,
            memory: launch.memory(),
            log: output::log,
        };
        let greeting = Terraform { launch, endpoint };
        let (plugin, (protocol, channel)) = Plugin::start(start, greeting).await?;
        let stdio = output::follow(launch.name.to_owned(), channel.clone());
        plugin.spawn_beside(stdio);
        Ok(Process::new(
            launch.name,
            channel,
            protocol,
            counters.clone(),
            launch.calls_at_once,
            plugin,
        ))
    }

    /// Connects to a process that someone else started, and will end.
    pub async fn attach(
        name: &str,
        attached: &Attached,
        counters: Arc<Counters>,
        calls_at_once: u32,
    ) -> Result<Process, String> {
        let protocol = Protocol::from_number(attached.protocol)
            .ok_or("it speaks neither plugin protocol 5 nor 6")?;
        if attached.kind != "grpc" {
            return Err(format!("it speaks {}, not grpc", attached.kind));
        }
        let address = Address::parse(&attached.network, &attached.address)?;
        let channel = in_time(channel::attach(address)).await?;
        tracing::info!(provider = name, ?protocol, "provider attached");
        Ok(Process::new(
            name,
            channel,
            protocol,
            counters,
            calls_at_once,
            Plugin::attached(),
        ))
    }

    fn new(
        name: &str,
        channel: Channel,
        protocol: Protocol,
        counters: Arc<Counters>,
        calls_at_once: u32,
        plugin: Plugin,
    ) -> Process {
        Process {
            name: name.to_owned(),
            channel,
            protocol,
            calls: Semaphore::new(calls_at_once as usize),
            calls_at_once,
            calls_since_stop: AtomicU32::new(0),
            calls_begun: AtomicU32::new(0),
            counters,
            plugin,
            _place: None,
        }
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    pub fn is_running(&self) -> bool {
        self.plugin.is_running()
    }

    /// Whether it should be replaced because of its memory.
    pub fn is_large(&self) -> bool {
        self.plugin.is_large()
    }

    /// Sends a request, and waits where too many others are under way.
    pub async fn call(&self, rpc: Rpc, request: Bytes) -> Result<Bytes, CallError> {
        self.call_beside(rpc, request, 1).await
    }

    /// Sends a request when no other is under way: if the process ends, this request is to blame.
    pub async fn call_alone(&self, rpc: Rpc, request: Bytes) -> Result<Bytes, CallError> {
        self.call_beside(rpc, request, self.calls_at_once).await
    }

    async fn call_beside(
        &self,
        rpc: Rpc,
        request: Bytes,
        permits: u32,
    ) -> Result<Bytes, CallError> {
        let _permits = self
            .calls
            .acquire_many(permits)
            .await
            .map_err(|_| CallError::NotSent)?;
        if !self.is_running() {
            return Err(CallError::NotSent);
        }
        self.calls_begun.fetch_add(1, Ordering::Relaxed);
        let limit = match rpc.touches_world() {
            true => WORLD_CALL_LIMIT,
            false => CALL_LIMIT,
        };
        let sent = request.len();
        let call = grpc::unary(self.channel.clone(), rpc.path(self.protocol), request);
        let response = tokio::select! {
            response = timeout(limit, call) => response,
            () = self.plugin.ended() => return Err(self.why_ended()),
        };
        match response {
            Ok(Ok(response)) => {
                self.calls_since_stop.fetch_add(1, Ordering::Relaxed);
                self.counters.count_call(rpc, sent, response.len());
                Ok(response)
            }
            Ok(Err(status)) => {
                self.counters.count_call(rpc, sent, 0);
                // The text may quote values.
                tracing::debug!(provider = self.name, ?rpc, code = ?status.code(), "call failed");
                Err(self.failure(&status))
            }
            Err(_) => Err(CallError::Timeout(limit)),
        }
    }

    fn why_ended(&self) -> CallError {
        match self.plugin.over_memory() {
            Some(limit) => CallError::TooLarge(limit),
            None => CallError::Ended,
        }
    }

    fn failure(&self, status: &Status) -> CallError {
        let is_disconnected = status.code() == Code::UNAVAILABLE || status.is_disconnected();
        match status.code() {
            _ if is_disconnected => {
                // Nobody serves the socket any more, whatever became of the process.
                self.plugin.begin_to_end();
                self.why_ended()
            }
            Code::UNIMPLEMENTED => CallError::Unsupported,
            code => CallError::Failed(code),
        }
    }

    /// Lets a process that was never configured forget its old calls. (A configured one may have tied its resources
    /// to the context that `Stop` cancels.)
    pub fn tidy(self: &Arc<Process>) {
        let due = self
            .calls_since_stop
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| {
                (n >= CALLS_BETWEEN_STOPS).then_some(0)
            });
        if due.is_err() {
            return;
        }
        let process = self.clone();
        tokio::spawn(async move {
            let quiet = process.calls.acquire_many(process.calls_at_once);
            let Ok(Ok(_permits)) = timeout(QUIET_LIMIT, quiet).await else {
                process
                    .calls_since_stop
                    .store(CALLS_BETWEEN_STOPS, Ordering::Relaxed);
                return;
            };
            let path = Rpc::StopProvider.path(process.protocol);
            let stop = grpc::unary(process.channel.clone(), path, Bytes::new());
            let stopped = timeout(STOP_LIMIT, stop).await;
            process.counters.count_call(Rpc::StopProvider, 0, 0);
            tracing::debug!(
                provider = process.name,
                ok = matches!(stopped, Ok(Ok(_))),
                "tidied"
            );
        });
    }

    /// How many calls it has answered since it started or was last tidied.
    pub fn calls_since_stop(&self) -> u32 {
        self.calls_since_stop.load(Ordering::Relaxed)
    }

    /// Whether no call is in flight or waits.
    pub fn is_idle(&self) -> bool {
        self.calls.available_permits() == self.calls_at_once as usize
    }

    /// Ends the process when nobody has asked it anything for a while: Windows lets nobody replace the file of a program that
    /// runs, so `init -upgrade` would fail beside an open editor.
    pub async fn let_go(process: Weak<Process>) {
        let (mut seen, mut since) = (None, Instant::now());
        loop {
            sleep(LOOK).await;
            let Some(process) = process.upgrade() else {
                return;
            };
            let calls = Some(process.calls_begun.load(Ordering::Relaxed));
            if seen != calls || !process.is_idle() {
                (seen, since) = (calls, Instant::now());
            } else if since.elapsed() >= LET_GO {
                tracing::debug!(provider = process.name, "plugin lets go of its file");
                return process.plugin.begin_to_end();
            }
        }
    }

    /// Ends the process, and waits until it has ended.
    pub async fn end(&self) {
        self.plugin.end().await;
    }
}

/// Why a plugin is not spoken to.
pub(crate) enum Refusal {
    /// Its socket is outside of its folder.
    #[cfg_attr(windows, expect(dead_code, reason = "plugins listen on ports"))]
    ListensElsewhere(PathBuf),
    Other(String),
}

impl Refusal {
    fn into_text(self) -> String {
        match self {
            Refusal::ListensElsewhere(socket) => {
                format!("its socket {} is outside of its folder", socket.display())
            }
            Refusal::Other(text) => text,
        }
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal::Other(text)
    }
}

/// How a provider says that it serves: go-plugin's handshake.
struct Terraform<'a> {
    launch: &'a Launch<'a>,
    endpoint: PluginEndpoint,
}

impl Greeting for Terraform<'_> {
    type Connection = (Protocol, Channel);
    type Error = Refusal;

    async fn greet(self, plugin: &mut Starting) -> Result<(Protocol, Channel), Refusal> {
        if !self.launch.executable.is_unchanged() {
            return Err("it was replaced while it started".to_owned().into());
        }
        let line = timeout(START_LIMIT, plugin.first_line(HANDSHAKE_LIMIT))
            .await
            .map_err(|_| format!("it said nothing within {START_LIMIT:?}"))??;
        let handshake = handshake::parse(&line)?;
        let channel = in_time(self.endpoint.connect(&handshake)).await?;
        if let Some(limit) = plugin.over_memory() {
            let limit = limit >> 20;
            let text = format!("it holds more than {limit} MiB of memory ({MEMORY_VARIABLE})");
            return Err(text.into());
        }
        let (provider, pid) = (self.launch.name, plugin.process());
        let protocol = handshake.protocol;
        tracing::info!(provider, pid, ?protocol, "provider started");
        Ok((protocol, channel))
    }

    fn last_word((_, channel): &(Protocol, Channel)) -> impl Future<Output = ()> + Send + 'static {
        let request = goplugin::Empty {}.encode_to_vec().into();
        let path = "/plugin.GRPCController/Shutdown";
        let shutdown = grpc::unary(channel.clone(), path, request);
        async move { drop(shutdown.await) }
    }
}

fn command(launch: &Launch, endpoint: &PluginEndpoint) -> Command {
    let mut command = launch.executable.command();
    command
        .current_dir(&launch.environment.root_module)
        .env_clear()
        .envs(launch.environment.variables.iter())
        .env("TF_PLUGIN_MAGIC_COOKIE", MAGIC_COOKIE)
        // Without it, providers on the first SDK answer with net/rpc.
        .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
        .env("PLUGIN_MIN_PORT", "10000")
        .env("PLUGIN_MAX_PORT", "25000")
        // Else providers write 3 to 64 KB of traces for every plan, at half of the plan's cost.
        .env("TF_LOG_SDK", "ERROR")
        .env("TF_LOG_PROVIDER", "ERROR");
    endpoint.announce(&mut command);
    command
}

async fn in_time<E: From<String>>(
    connected: impl Future<Output = Result<Channel, E>>,
) -> Result<Channel, E> {
    timeout(START_LIMIT, connected)
        .await
        .map_err(|_| format!("it did not answer within {START_LIMIT:?}"))?
}
