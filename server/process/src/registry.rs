//! The programs that run now.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::system::{self, Leader, Watcher, WatcherMessage};

/// A thing that ends with planlens, however that ends.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Watched {
    /// None: it has yet to start, or has ended.
    pub leader: Option<Leader>,
    /// The folder to remove after it.
    pub dir: Option<PathBuf>,
}

/// Has a program end in its own way.
pub(crate) type End = Arc<dyn Fn() + Send + Sync>;

/// How long programs have to end in their own way when planlens ends, and then after they were killed. Together with the
/// last messages to an editor it is less than 3 seconds.
const IN_ORDER: Duration = Duration::from_millis(2000);
const KILLED: Duration = Duration::from_millis(500);

struct Registry {
    is_closed: bool,
    last_id: u64,
    running: BTreeMap<u64, Running>,
    watcher: Option<Watcher>,
}

struct Running {
    watched: Watched,
    end: Option<End>,
}

static REGISTRY: Mutex<Registry> = Mutex::new(Registry {
    is_closed: false,
    last_id: 0,
    running: BTreeMap::new(),
    watcher: None,
});

/// A program has left.
static LEFT: Condvar = Condvar::new();

fn registry() -> MutexGuard<'static, Registry> {
    REGISTRY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Admits a thing that has to be gone when planlens ends: a folder that `create` makes, or nothing yet. Answers its number. Fails when
/// planlens ends.
pub(crate) fn enter(create: impl FnOnce() -> io::Result<Option<PathBuf>>) -> io::Result<u64> {
    let mut registry = open_registry()?;
    system::handle_signals();
    let watched = Watched {
        leader: None,
        dir: create()?,
    };
    registry.last_id += 1;
    let id = registry.last_id;
    registry.running.insert(id, Running { watched, end: None });
    registry.notify_watcher(id);
    Ok(id)
}

/// A program is about to start. Answers its message to the watcher.
pub(crate) fn starts(id: u64, end: Option<End>) -> io::Result<Option<WatcherMessage>> {
    let mut registry = open_registry()?;
    let Some(running) = registry.running.get_mut(&id) else {
        return Ok(None);
    };
    running.end = end;
    let dir = running.watched.dir.clone();
    let watcher = registry.watcher.as_ref();
    Ok(watcher.and_then(|watcher| watcher.word(id, dir)))
}

fn open_registry() -> io::Result<MutexGuard<'static, Registry>> {
    let registry = registry();
    match registry.is_closed {
        true => Err(io::Error::other("planlens is ending")),
        false => Ok(registry),
    }
}

/// It has started.
pub(crate) fn started(id: u64, leader: Leader) {
    let mut registry = registry();
    let is_closed = registry.is_closed;
    registry.set_leader(id, Some(leader));
    if is_closed {
        registry.end(id, system::kill);
    }
}

/// It has ended, and its process id is about to be given back: ends its children.
pub(crate) fn ended(id: u64) {
    let mut registry = registry();
    registry.end(id, system::kill);
    registry.set_leader(id, None);
    registry.notify_watcher(id);
}

/// Nothing is left of it.
pub(crate) fn leave(id: u64) {
    let mut registry = registry();
    registry.running.remove(&id);
    if let Some(watcher) = &mut registry.watcher {
        // One that has ended knows nothing.
        let _ = watcher.forget(id);
    }
    if registry.running.is_empty() {
        registry.watcher = None;
    }
    LEFT.notify_all();
}

/// Asks a program and its children to end, unless it has ended.
pub(crate) fn terminate(id: u64) {
    registry().end(id, system::terminate);
}

/// Ends a program and its children.
pub(crate) fn kill(id: u64) {
    registry().end(id, system::kill);
}

/// Has all programs end in their own way, and lets no other one start. Doesn't wait.
pub fn begin_to_end() {
    let mut registry = registry();
    if std::mem::replace(&mut registry.is_closed, true) {
        return;
    }
    let running = registry.running.iter();
    let running: Vec<_> = running.map(|(id, it)| (*id, it.end.clone())).collect();
    drop(registry);
    for (id, end) in running {
        match end {
            Some(end) => end(),
            None => terminate(id),
        }
    }
}

/// Ends all programs: in their own way, then by force. Nothing starts from now on. Answers when nothing is left, within 2.5
/// seconds.
pub fn end_all() {
    begin_to_end();
    if !are_gone_within(IN_ORDER) {
        kill_all();
        are_gone_within(KILLED);
    }
}

/// Kills all programs. Their folders go with them, a moment later.
pub(crate) fn kill_all() {
    let registry = registry();
    for id in registry.running.keys() {
        registry.end(*id, system::kill);
    }
}

fn are_gone_within(limit: Duration) -> bool {
    let end = Instant::now() + limit;
    let mut registry = registry();
    while !registry.running.is_empty() {
        let Some(rest) = end.checked_duration_since(Instant::now()) else {
            return false;
        };
        let waited = LEFT.wait_timeout(registry, rest);
        registry = waited.unwrap_or_else(PoisonError::into_inner).0;
    }
    true
}

impl Registry {
    fn set_leader(&mut self, id: u64, leader: Option<Leader>) {
        if let Some(running) = self.running.get_mut(&id) {
            running.watched.leader = leader;
        }
    }

    fn end(&self, id: u64, end: fn(&Leader)) {
        let running = self.running.get(&id);
        if let Some(leader) = running.and_then(|it| it.watched.leader.as_ref()) {
            end(leader);
        }
    }

    /// Tells the watcher about a program: a new watcher, about all, where none runs.
    fn notify_watcher(&mut self, id: u64) {
        let sent = match (&mut self.watcher, self.running.get(&id)) {
            (Some(watcher), Some(running)) => watcher.notify(id, &running.watched),
            (None, _) | (_, None) => Err(io::ErrorKind::NotFound.into()),
        };
        if sent.is_ok() || !system::is_watcher_wanted() {
            return;
        }
        self.watcher = None;
        let started = Watcher::start().and_then(|mut watcher| {
            for (id, running) in &self.running {
                watcher.notify(*id, &running.watched)?;
            }
            Ok(watcher)
        });
        match started {
            Ok(watcher) => self.watcher = Some(watcher),
            Err(error) => tracing::warn!(%error, "programs are not watched"),
        }
    }
}
