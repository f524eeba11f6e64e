//! Programs that serve planlens while they run: started, listened to, watched and asked to end. Each kind
//! of them has its own [`Greeting`].

use std::fs;
use std::future::Future;
use std::io;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, BufReader};
use tokio::process::{ChildStderr, ChildStdout};
use tokio::sync::watch;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval_at, timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::limits::address_space;
use crate::lines::Lines;
use crate::system::memory;
use crate::{PrivateDir, Start, Supervised};

/// After the last word. Plugins take 2 ms.
const LAST_WORD_LIMIT: Duration = Duration::from_secs(1);

/// After SIGTERM. Together they are shorter than the time for a plugin when planlens ends.
const TERMINATE_LIMIT: Duration = Duration::from_millis(500);

/// How many times its limit a plugin may hold while it answers, before it is ended.
const MEMORY_AT_WORK: u64 = 4;

/// How often its memory is looked at.
const MEMORY_WATCH: Duration = Duration::from_secs(2);

/// The variable that says by how many percent the heap of a Go program grows until garbage is collected, and its value for small
/// plugins. With Go's own 100, a plan of 5,000 `random_id` takes a quarter longer.
const HEAP_GROWTH: (&str, &str) = ("GOGC", "400");

/// In bytes. The heap of a larger program is large too, and must not grow to five times its size.
const SMALL_PROGRAM: u64 = 64 << 20;

/// A plugin to start.
pub struct Launch {
    /// For logs.
    pub name: String,
    pub command: Command,
    /// For its sockets, where it has any. Removed after it has ended.
    pub dir: Option<PrivateDir>,
    /// Bytes that it may hold without being replaced.
    pub memory: u64,
    /// Takes each line of stderr, without its end, by the plugin's name.
    pub log: fn(&str, &[u8]),
}

/// The first words of a kind of plugin, and the last ones to it.
pub trait Greeting: Send {
    type Connection: Send;
    type Error: From<String> + Send;

    /// Learns from a plugin where it serves, and connects to it.
    fn greet(
        self,
        plugin: &mut Starting,
    ) -> impl Future<Output = Result<Self::Connection, Self::Error>> + Send;

    /// Asks it to end.
    fn last_word(served: &Self::Connection) -> impl Future<Output = ()> + Send + 'static;
}

/// A plugin that has started and not been greeted.
pub struct Starting {
    running: Supervised,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    /// How it ended, when nothing is left of it.
    status: watch::Receiver<Option<String>>,
    memory: Arc<Memory>,
}

/// A plugin that serves. Ends, with its group and its folder, when it is dropped.
pub struct Plugin {
    memory: Arc<Memory>,
    ended: CancellationToken,
    end: CancellationToken,
    _end_on_drop: DropGuard,
}

/// The memory that a process may hold and holds, in bytes.
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
        let held = memory(pid).unwrap_or_default();
        self.held.store(held, Ordering::Relaxed);
        held > self.at_work()
    }
}

impl Plugin {
    /// Starts a plugin and greets it. Where it isn't greeted, it has ended when this answers, or is about to.
    pub async fn start<G: Greeting>(
        launch: Launch,
        greeting: G,
    ) -> Result<(Plugin, G::Connection), G::Error> {
        let end = CancellationToken::new();
        let (name, log) = (launch.name.clone(), launch.log);
        let program = Path::new(launch.command.get_program()).to_owned();
        let mut starting = Starting::start(launch, end.clone())
            .await
            .map_err(|error| format!("{}: {error}", program.display()))?;
        if let Some(stderr) = starting.stderr.take() {
            tokio::spawn(drain(name.clone(), stderr, log));
        }
        let greeted = tokio::select! {
            greeted = greeting.greet(&mut starting) => greeted,
            () = end.cancelled() => Err("planlens is ending".to_owned().into()),
        };
        let served = match greeted {
            Ok(served) => served,
            Err(refusal) => {
                starting.running.kill();
                let _ = timeout(TERMINATE_LIMIT, starting.ended()).await;
                return Err(refusal);
            }
        };
        let plugin = Plugin {
            memory: starting.memory.clone(),
            ended: CancellationToken::new(),
            _end_on_drop: end.clone().drop_guard(),
            end,
        };
        tokio::spawn(keep(KeptPlugin {
            name,
            starting,
            last_word: G::last_word(&served),
            end: plugin.end.clone(),
            _ended: plugin.ended.clone().drop_guard(),
        }));
        Ok((plugin, served))
    }

    /// One that someone else started, and will end: only our connection to it can end.
    pub fn attached() -> Plugin {
        let end = CancellationToken::new();
        Plugin {
            memory: Arc::default(),
            ended: end.clone(),
            _end_on_drop: end.clone().drop_guard(),
            end,
        }
    }

    pub fn is_running(&self) -> bool {
        !self.ended.is_cancelled() && !self.end.is_cancelled()
    }

    /// Whether it should be replaced because of its memory.
    pub fn is_large(&self) -> bool {
        self.memory.limit > 0 && self.memory.held.load(Ordering::Relaxed) > self.memory.limit
    }

    /// The bytes that it may hold at most, if it was ended because it held more.
    pub fn over_memory(&self) -> Option<u64> {
        let limit = self.memory.at_work();
        (limit > 0 && self.memory.held.load(Ordering::Relaxed) > limit).then_some(limit)
    }

    /// Waits until it has ended.
    pub async fn ended(&self) {
        self.ended.cancelled().await;
    }

    /// Runs for as long as the plugin does.
    pub fn spawn_beside(&self, work: impl Future<Output = ()> + Send + 'static) {
        tokio::spawn(self.ended.clone().run_until_cancelled_owned(work));
    }

    /// Has it end, and doesn't wait.
    pub fn begin_to_end(&self) {
        self.end.cancel();
    }

    /// Has it end, and waits until it has ended.
    pub async fn end(&self) {
        self.begin_to_end();
        self.ended().await;
    }
}

/// Saves a small plugin most of its garbage collections, unless the user has set how often they run.
fn collect_less_garbage(command: &mut Command) {
    let (name, value) = HEAP_GROWTH;
    let is_set = command.get_envs().any(|(set, _)| set == name);
    let size = fs::metadata(command.get_program()).map(|it| it.len());
    if !is_set && size.is_ok_and(|bytes| bytes < SMALL_PROGRAM) {
        command.env(name, value);
    }
}

impl Starting {
    async fn start(mut launch: Launch, end: CancellationToken) -> io::Result<Starting> {
        launch
            .command
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let (ended, status) = watch::channel(None);
        let plugin = launch.name;
        let mut start = Start {
            command: launch.command,
            dir: launch.dir,
            end: Some(Arc::new(move || end.cancel())),
            ended: Box::new(move |status| {
                let text = status.map_or_else(|error| error.to_string(), |it| it.to_string());
                tracing::info!(plugin, status = text, "plugin ended");
                ended.send_replace(Some(text));
            }),
        };
        let mut running = spawn_blocking(move || {
            collect_less_garbage(&mut start.command);
            Supervised::start(start)
        })
        .await??;
        let (stdout, stderr) = (running.stdout.take(), running.stderr.take());
        Ok(Starting {
            stdout: stdout.map(ChildStdout::from_std).transpose()?,
            stderr: stderr.map(ChildStderr::from_std).transpose()?,
            running,
            status,
            memory: Arc::new(Memory {
                limit: launch.memory,
                ..Memory::default()
            }),
        })
    }

    /// Its first line on stdout, of at most `limit` bytes. Later output there is dropped.
    pub async fn first_line(&mut self, limit: u64) -> Result<String, String> {
        let stdout = self.stdout.take().ok_or("it has no stdout")?;
        let mut line = String::new();
        let mut stdout = BufReader::new(stdout.take(limit));
        let read = stdout
            .read_line(&mut line)
            .await
            .map_err(|error| error.to_string())?;
        if read == 0 {
            let status = self.ended().await;
            return Err(match address_space() {
                None => format!("it ended at once ({status})"),
                Some(bytes) => format!(
                    "it ended at once ({status}); its address space is limited to {} MiB (ulimit -v)",
                    bytes >> 20
                ),
            });
        }
        // It means nothing, and must not fill the pipe.
        let mut rest = stdout.into_inner();
        rest.set_limit(u64::MAX);
        tokio::spawn(discard(rest));
        Ok(line)
    }

    /// The process id.
    pub fn process(&self) -> u32 {
        self.running.process()
    }

    /// The bytes that it may hold at most, if it holds more already.
    pub fn over_memory(&self) -> Option<u64> {
        let limit = self.memory.at_work();
        (memory(self.running.process()) > Some(limit)).then_some(limit)
    }

    /// Nothing is left of it.
    async fn ended(&mut self) -> String {
        let status = self.status.wait_for(Option::is_some).await;
        status.ok().and_then(|it| it.clone()).unwrap_or_default()
    }
}

async fn discard(mut reader: impl AsyncRead + Unpin) {
    let _ = tokio::io::copy(&mut reader, &mut tokio::io::sink()).await;
}

/// Reads stderr to its end.
async fn drain(name: String, mut stderr: impl AsyncRead + Unpin, log: fn(&str, &[u8])) {
    let mut lines = Lines::default();
    let mut buffer = vec![0; 8 << 10];
    while let Ok(read) = stderr.read(&mut buffer).await {
        if read == 0 {
            break;
        }
        lines.add(&buffer[..read], |line| log(&name, line));
    }
}

/// The things that are held for a plugin until it has ended.
struct KeptPlugin<W> {
    name: String,
    starting: Starting,
    last_word: W,
    end: CancellationToken,
    _ended: DropGuard,
}

/// Notices the end of a plugin, or brings it about.
async fn keep(mut kept: KeptPlugin<impl Future<Output = ()>>) {
    let pid = kept.starting.running.process();
    // Whatever it starts with, it answers for a while.
    let mut watch = interval_at(Instant::now() + MEMORY_WATCH, MEMORY_WATCH);
    loop {
        tokio::select! {
            _ = kept.starting.ended() => break,
            () = kept.end.cancelled() => break end(kept).await,
            _ = watch.tick() => {
                if kept.starting.memory.is_too_large(pid) {
                    tracing::warn!(plugin = kept.name, pid, "plugin holds too much memory");
                    kept.starting.running.kill();
                    kept.starting.ended().await;
                    break;
                }
            }
        }
    }
}

async fn end(kept: KeptPlugin<impl Future<Output = ()>>) {
    let mut plugin = kept.starting;
    let asked = async {
        kept.last_word.await;
        plugin.ended().await;
    };
    if timeout(LAST_WORD_LIMIT, asked).await.is_ok() {
        return;
    }
    plugin.running.terminate();
    if timeout(TERMINATE_LIMIT, plugin.ended()).await.is_ok() {
        return;
    }
    plugin.running.kill();
    plugin.ended().await;
}

#[cfg(all(test, unix))]
mod tests {
    use std::path::PathBuf;

    use super::*;

    /// Serves once it has said `here`, until there is a file `end` in its folder.
    struct Here(PathBuf);

    impl Greeting for Here {
        type Connection = PathBuf;
        type Error = String;

        async fn greet(self, plugin: &mut Starting) -> Result<PathBuf, String> {
            match plugin.first_line(100).await?.trim_end() {
                "here" => Ok(self.0),
                other => Err(format!("it said {other:?}")),
            }
        }

        fn last_word(dir: &PathBuf) -> impl Future<Output = ()> + Send + 'static {
            let file = dir.join("end");
            async move { drop(fs::write(file, "")) }
        }
    }

    async fn start(script: &str) -> (PathBuf, Result<Plugin, String>) {
        let dir = PrivateDir::new(&std::env::temp_dir()).unwrap();
        let path = dir.path().to_owned();
        let mut command = Command::new("/bin/sh");
        command.args(["-c", script]).current_dir(&path);
        let launch = Launch {
            name: "test".to_owned(),
            command,
            dir: Some(dir),
            memory: 1 << 40,
            log: |_, _| {},
        };
        let started = Plugin::start(launch, Here(path.clone())).await;
        (path, started.map(|(plugin, _)| plugin))
    }

    #[tokio::test]
    async fn a_plugin_serves_until_it_hears_the_last_word() {
        let script = "echo here; yes >&2 & while [ ! -e end ]; do sleep 0.01; done; rm end";
        let (dir, plugin) = start(script).await;
        let plugin = plugin.unwrap();
        assert!(plugin.is_running() && !plugin.is_large());
        assert!(dir.exists());
        plugin.end().await;
        assert!(!plugin.is_running());
        assert!(!dir.exists());
    }

    #[tokio::test]
    async fn a_plugin_that_hears_nothing_is_killed() {
        let script = "trap '' TERM; echo here; while :; do sleep 0.01; done";
        let (_, plugin) = start(script).await;
        plugin.unwrap().end().await;
    }

    #[tokio::test]
    async fn a_plugin_with_another_first_line_is_refused() {
        let (_, refused) = start("echo there; sleep 600").await;
        assert_eq!(refused.err().unwrap(), "it said \"there\"");
        let (_, refused) = start("exit 3").await;
        let problem = refused.err().unwrap();
        assert!(problem.starts_with("it ended at once"), "{problem}");
    }

    #[test]
    fn only_small_plugins_collect_less_garbage_and_none_against_the_user() {
        let dir = PrivateDir::new(&std::env::temp_dir()).unwrap();
        let program = |size: u64| {
            let path = dir.path().join(size.to_string());
            fs::File::create(&path).unwrap().set_len(size).unwrap();
            Command::new(path)
        };
        let growth = |mut command: Command| {
            collect_less_garbage(&mut command);
            let set = command
                .get_envs()
                .map(|(_, value)| value.unwrap().to_owned());
            set.collect::<Vec<_>>()
        };
        assert_eq!(growth(program(SMALL_PROGRAM - 1)), ["400"]);
        assert!(growth(program(SMALL_PROGRAM)).is_empty());
        let mut set = program(1);
        set.env("GOGC", "50");
        assert_eq!(growth(set), ["50"]);
    }
}
