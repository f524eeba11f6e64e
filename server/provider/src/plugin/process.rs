//! One plugin process: started, listened to, called and ended.

use std::error::Error;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use ::process::{PrivateDir, Start, Supervised};
use bytes::Bytes;
use prost::Message;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::{Semaphore, watch};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::transport::Channel;
use tonic::{Code, Status};

use super::channel::{self, Socket};
use super::handshake::{self, Handshake};
use super::{old_socket, output};
use crate::find::{Attached, Environment, Executable};
use crate::stats::Counters;
use crate::wire::{Protocol, Rpc, goplugin};

/// Providers start in 5 to 100 ms. A machine that is busy, or checks new executables, may need hundreds of times that.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Some resource types ask their API while they plan. After a minute nobody waits for the answer.
const CALL_LIMIT: Duration = Duration::from_secs(60);

/// Calls that are meant to touch the world may wait for it: logins, pagination, back-off.
const WORLD_CALL_LIMIT: Duration = Duration::from_secs(300);

/// After `Shutdown`. Providers take 2 ms.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(1);

/// After SIGTERM. Together they are less than what a plugin has when planlens ends.
const TERMINATE_LIMIT: Duration = Duration::from_millis(500);

/// More calls at once are no faster, and the memory of providers jumps.
pub(crate) const CALLS_AT_ONCE: u32 = 8;

/// Servers on terraform-plugin-framework keep 12 to 27 KB of every call until they are sent a `Stop`.
const CALLS_BETWEEN_STOPS: u32 = 1000;

/// A plugin that holds more than this many MiB is replaced as soon as nobody waits for it, unless the environment names
/// another number. The largest providers start with half of it.
const MEMORY: u64 = 2048;
pub(crate) const MEMORY_VARIABLE: &str = "PLANLENS_PLUGIN_MEMORY";

/// How many times that it may hold while it answers, until it is ended.
const MEMORY_AT_WORK: u64 = 4;

/// How often its memory is looked at.
const MEMORY_WATCH: Duration = Duration::from_secs(2);

/// How long a `Stop` waits for the calls in flight, holding up others. One that hangs must not hold up all.
const QUIET_LIMIT: Duration = Duration::from_millis(200);

/// The longest name that go-plugin gives to a socket.
const SOCKET_NAME: &str = "/plugin4294967295";

/// The length of `sun_path`, less a NUL: unix(7), unix(4).
const SOCKET_PATH_LIMIT: usize = if cfg!(target_os = "linux") { 107 } else { 103 };

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
    counters: Arc<Counters>,
    memory: Arc<Memory>,
    ended: CancellationToken,
    end: CancellationToken,
    _end_on_drop: DropGuard,
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

/// What a process may hold and holds, in bytes.
#[derive(Default)]
struct Memory {
    limit: u64,
    held: AtomicU64,
}

impl Memory {
    fn at_work(&self) -> u64 {
        self.limit.saturating_mul(MEMORY_AT_WORK)
    }

    /// Looks at a process again. Answers whether it has to end at once.
    fn is_too_large(&self, pid: u32) -> bool {
        let held = ::process::memory(pid).unwrap_or_default();
        self.held.store(held, Ordering::Relaxed);
        held > self.at_work()
    }
}

/// Which process to start, where.
pub(crate) struct Launch<'a> {
    pub name: &'a str,
    pub executable: &'a Executable,
    pub environment: &'a Environment,
    /// How often one was replaced because of its memory: each time the next may hold twice as much.
    pub replaced: u32,
    pub calls_at_once: u32,
}

impl Launch<'_> {
    fn memory(&self) -> Memory {
        let named = self.environment.variable(MEMORY_VARIABLE);
        let mib = named.and_then(|text| text.parse().ok().filter(|mib| *mib > 0));
        let mib = mib.unwrap_or(MEMORY);
        Memory {
            limit: mib
                .saturating_mul(1 << 20)
                .saturating_mul(1 << self.replaced.min(16)),
            ..Memory::default()
        }
    }
}

impl Process {
    pub async fn start(launch: Launch<'_>, counters: Arc<Counters>) -> Result<Process, String> {
        let begin = SystemTime::now();
        match Process::start_in(&launch, &counters, Temporary::OfUser).await {
            // Libraries of before 2023 know no folder for sockets but the one for all temporary files.
            Err(Refusal::ListensElsewhere(socket)) => {
                old_socket::remove(&socket, launch.environment.temporary_dir()?, begin);
                let started = Process::start_in(&launch, &counters, Temporary::Sockets).await;
                started.map_err(Refusal::into_text)
            }
            started => started.map_err(Refusal::into_text),
        }
    }

    async fn start_in(
        launch: &Launch<'_>,
        counters: &Arc<Counters>,
        temporary: Temporary,
    ) -> Result<Process, Refusal> {
        let sockets = socket_dir(launch.environment)?;
        let dir = sockets.path().to_owned();
        let end = CancellationToken::new();
        let path = &launch.executable.path;
        let mut child = Plugin::start(
            launch.name.to_owned(),
            command(launch, &dir, temporary),
            sockets,
            end.clone(),
        )
        .await
        .map_err(|error| format!("{}: {error}", path.display()))?;
        if let Some(stderr) = child.stderr.take() {
            tokio::spawn(output::drain(launch.name.to_owned(), stderr));
        }
        let memory = Arc::new(launch.memory());
        let greeted = tokio::select! {
            greeted = greet(&mut child, launch.executable, &dir, &memory) => greeted,
            () = end.cancelled() => Err("planlens is ending".to_owned().into()),
        };
        let (protocol, channel) = match greeted {
            Ok(greeted) => greeted,
            Err(refusal) => {
                child.running.kill();
                let _ = timeout(TERMINATE_LIMIT, child.ended()).await;
                return Err(refusal);
            }
        };
        let pid = child.running.process();
        tracing::info!(provider = launch.name, pid, ?protocol, "provider started");
        let process = Process {
            memory: memory.clone(),
            ..Process::new(
                launch.name,
                channel,
                protocol,
                counters.clone(),
                launch.calls_at_once,
                Some(end),
            )
        };
        let stdio = output::follow(launch.name.to_owned(), process.channel.clone());
        tokio::spawn(process.ended.clone().run_until_cancelled_owned(stdio));
        tokio::spawn(keep(Kept {
            name: launch.name.to_owned(),
            child,
            channel: process.channel.clone(),
            memory,
            end: process.end.clone(),
            _ended: process.ended.clone().drop_guard(),
        }));
        Ok(process)
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
        let channel = connect(Socket::Named(PathBuf::from(&attached.address))).await?;
        tracing::info!(provider = name, ?protocol, "provider attached");
        Ok(Process::new(
            name,
            channel,
            protocol,
            counters,
            calls_at_once,
            None,
        ))
    }

    fn new(
        name: &str,
        channel: Channel,
        protocol: Protocol,
        counters: Arc<Counters>,
        calls_at_once: u32,
        // What ends it, if it is ours.
        ours: Option<CancellationToken>,
    ) -> Process {
        let is_ours = ours.is_some();
        let end = ours.unwrap_or_default();
        Process {
            name: name.to_owned(),
            channel,
            protocol,
            calls: Semaphore::new(calls_at_once as usize),
            calls_at_once,
            calls_since_stop: AtomicU32::new(0),
            counters,
            memory: Arc::default(),
            // Of a process that isn't ours, all that can end is what we have with it.
            ended: if is_ours {
                CancellationToken::new()
            } else {
                end.clone()
            },
            _end_on_drop: end.clone().drop_guard(),
            end,
        }
    }

    pub fn protocol(&self) -> Protocol {
        self.protocol
    }

    pub fn is_running(&self) -> bool {
        !self.ended.is_cancelled() && !self.end.is_cancelled()
    }

    /// Whether it should be replaced because of its memory.
    pub fn is_large(&self) -> bool {
        self.memory.limit > 0 && self.memory.held.load(Ordering::Relaxed) > self.memory.limit
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
        let limit = match rpc.touches_world() {
            true => WORLD_CALL_LIMIT,
            false => CALL_LIMIT,
        };
        let sent = request.len();
        let call = channel::unary(self.channel.clone(), rpc.path(self.protocol), request);
        let response = tokio::select! {
            response = timeout(limit, call) => response,
            () = self.ended.cancelled() => return Err(self.why_ended()),
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
        let limit = self.memory.at_work();
        match limit > 0 && self.memory.held.load(Ordering::Relaxed) > limit {
            true => CallError::TooLarge(limit),
            false => CallError::Ended,
        }
    }

    fn failure(&self, status: &Status) -> CallError {
        // What the plugin answers has no source. What has one is the connection's end, under whatever code.
        let is_disconnected = status.code() == Code::Unavailable || status.source().is_some();
        match status.code() {
            _ if is_disconnected => {
                // Nobody serves the socket any more, whatever became of the process.
                self.end.cancel();
                self.why_ended()
            }
            Code::Unimplemented => CallError::Unsupported,
            code => CallError::Failed(code),
        }
    }

    /// Lets a process that was never configured forget its old calls. (A configured one may have tied what it holds
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
            let stop = channel::unary(process.channel.clone(), path, Bytes::new());
            let stopped = timeout(SHUTDOWN_LIMIT, stop).await;
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

    /// Ends the process, and waits until it has ended.
    pub async fn end(&self) {
        self.end.cancel();
        self.ended.cancelled().await;
    }
}

/// Where a plugin has its temporary files.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Temporary {
    OfUser,
    /// In the folder of its socket.
    Sockets,
}

/// Why a plugin is not spoken to.
enum Refusal {
    /// Its socket lies outside of the folder that it was given.
    ListensElsewhere(PathBuf),
    Other(String),
}

impl Refusal {
    fn into_text(self) -> String {
        match self {
            Refusal::ListensElsewhere(socket) => format!(
                "its socket {} lies outside of the folder that it was given",
                socket.display()
            ),
            Refusal::Other(text) => text,
        }
    }
}

impl From<String> for Refusal {
    fn from(text: String) -> Refusal {
        Refusal::Other(text)
    }
}

/// A plugin's process, and its end.
struct Plugin {
    running: Supervised,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// How it ended, once it has.
    status: watch::Receiver<Option<String>>,
}

impl Plugin {
    async fn start(
        provider: String,
        command: Command,
        sockets: PrivateDir,
        end: CancellationToken,
    ) -> std::io::Result<Plugin> {
        let (ended, status) = watch::channel(None);
        let start = Start {
            command,
            dir: Some(sockets),
            end: Some(Arc::new(move || end.cancel())),
            ended: Box::new(move |status| {
                let text = status.map_or_else(|error| error.to_string(), |it| it.to_string());
                tracing::info!(provider, status = text, "provider ended");
                ended.send_replace(Some(text));
            }),
        };
        let mut running = spawn_blocking(|| Supervised::start(start)).await??;
        Ok(Plugin {
            stdout: running
                .stdout
                .take()
                .map(ChildStdout::from_std)
                .transpose()?,
            stderr: running
                .stderr
                .take()
                .map(ChildStderr::from_std)
                .transpose()?,
            running,
            status,
        })
    }

    /// Nothing is left of it.
    async fn ended(&mut self) -> String {
        let status = self.status.wait_for(Option::is_some).await;
        status.ok().and_then(|it| it.clone()).unwrap_or_default()
    }
}

fn command(launch: &Launch, sockets: &Path, temporary: Temporary) -> Command {
    let mut command = Command::new(&launch.executable.path);
    command
        .arg0(&launch.executable.name)
        .current_dir(&launch.environment.root_module)
        .env_clear()
        .envs(launch.environment.variables.iter())
        .env_remove("PLUGIN_CLIENT_CERT")
        .env("TF_PLUGIN_MAGIC_COOKIE", MAGIC_COOKIE)
        // Without it, providers on the first SDK answer with net/rpc.
        .env("PLUGIN_PROTOCOL_VERSIONS", "5,6")
        .env("PLUGIN_MIN_PORT", "10000")
        .env("PLUGIN_MAX_PORT", "25000")
        .env("PLUGIN_UNIX_SOCKET_DIR", sockets)
        // Else providers write 3 to 64 KB of traces for every plan, at half of the plan's cost.
        .env("TF_LOG_SDK", "ERROR")
        .env("TF_LOG_PROVIDER", "ERROR")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if temporary == Temporary::Sockets {
        command.env("TMPDIR", sockets);
    }
    command
}

/// A folder in which a plugin can make its socket.
fn socket_dir(environment: &Environment) -> Result<PrivateDir, String> {
    let parent = environment.temporary_dir()?;
    let dir = PrivateDir::new(parent).map_err(|error| {
        let parent = parent.display();
        format!("no folder for its socket can be created in {parent} (TMPDIR): {error}")
    })?;
    let length = dir.path().as_os_str().len() + SOCKET_NAME.len();
    match length.checked_sub(SOCKET_PATH_LIMIT) {
        None | Some(0) => Ok(dir),
        Some(over) => Err(format!(
            "TMPDIR is too long for the path of a socket, by {over} bytes: {}",
            parent.display()
        )),
    }
}

/// Learns from a plugin where it listens, and connects to it.
async fn greet(
    child: &mut Plugin,
    executable: &Executable,
    sockets: &Path,
    memory: &Memory,
) -> Result<(Protocol, Channel), Refusal> {
    if !executable.is_unchanged() {
        return Err("it was replaced while it started".to_owned().into());
    }
    let Handshake { protocol, socket } = timeout(START_LIMIT, shake_hands(child))
        .await
        .map_err(|_| format!("it said nothing within {START_LIMIT:?}"))??;
    let socket = Socket::In(sockets.join(socket), sockets.to_owned());
    if socket.is_elsewhere() {
        return Err(Refusal::ListensElsewhere(socket.path().to_owned()));
    }
    let channel = connect(socket).await?;
    if ::process::memory(child.running.process()) > Some(memory.at_work()) {
        let limit = memory.at_work() >> 20;
        let text = format!("it holds more than {limit} MiB of memory ({MEMORY_VARIABLE})");
        return Err(text.into());
    }
    Ok((protocol, channel))
}

async fn shake_hands(child: &mut Plugin) -> Result<Handshake, String> {
    let stdout = child.stdout.take().ok_or("it has no stdout")?;
    let mut line = String::new();
    let mut stdout = BufReader::new(stdout.take(HANDSHAKE_LIMIT));
    let read = stdout
        .read_line(&mut line)
        .await
        .map_err(|error| error.to_string())?;
    if read == 0 {
        let status = child.ended().await;
        return Err(match ::process::address_space() {
            None => format!("it ended at once ({status})"),
            Some(bytes) => format!(
                "it ended at once ({status}); its address space is limited to {} MiB (ulimit -v)",
                bytes >> 20
            ),
        });
    }
    let handshake = handshake::parse(&line)?;
    // What it writes to its first stdout after the handshake means nothing, and must not fill the pipe.
    let mut rest = stdout.into_inner();
    rest.set_limit(u64::MAX);
    tokio::spawn(discard(rest));
    Ok(handshake)
}

async fn discard(mut reader: impl AsyncRead + Unpin) {
    let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
}

async fn connect(socket: Socket) -> Result<Channel, String> {
    timeout(START_LIMIT, channel::connect(socket))
        .await
        .map_err(|_| format!("its socket did not answer within {START_LIMIT:?}"))?
}

/// What is held for a child until it has ended.
struct Kept {
    name: String,
    child: Plugin,
    channel: Channel,
    memory: Arc<Memory>,
    end: CancellationToken,
    _ended: DropGuard,
}

/// Notices the end of a child, or brings it about.
async fn keep(mut kept: Kept) {
    let pid = kept.child.running.process();
    // Whatever it starts with, it answers for a while.
    let mut watch = interval_at(Instant::now() + MEMORY_WATCH, MEMORY_WATCH);
    loop {
        tokio::select! {
            _ = kept.child.ended() => break,
            () = kept.end.cancelled() => break end(&mut kept).await,
            _ = watch.tick() => {
                if kept.memory.is_too_large(pid) {
                    tracing::warn!(provider = kept.name, pid, "provider holds too much memory");
                    kept.child.running.kill();
                    kept.child.ended().await;
                    break;
                }
            }
        }
    }
}

async fn end(kept: &mut Kept) {
    let request = goplugin::Empty {}.encode_to_vec().into();
    let shutdown = channel::unary(
        kept.channel.clone(),
        "/plugin.GRPCController/Shutdown",
        request,
    );
    let child = &mut kept.child;
    let asked = async {
        let _ = shutdown.await;
        child.ended().await;
    };
    if timeout(SHUTDOWN_LIMIT, asked).await.is_ok() {
        return;
    }
    child.running.terminate();
    if timeout(TERMINATE_LIMIT, child.ended()).await.is_ok() {
        return;
    }
    child.running.kill();
    child.ended().await;
}
