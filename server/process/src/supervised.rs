//! One program, from its start to the end of everything that it started.

use std::io;
use std::process::{ChildStderr, ChildStdout, Command, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use crate::PrivateDir;
use crate::registry;
use crate::system::{self, WatcherMessage};

/// The inputs of a start.
pub struct Start {
    pub command: Command,
    /// Removed after the program has ended.
    pub dir: Option<PrivateDir>,
    /// Has the program end in its own way when planlens ends. None: by SIGTERM.
    pub end: Option<Arc<dyn Fn() + Send + Sync>>,
    /// Called when nothing is left of the program and of its session.
    pub ended: Box<dyn FnOnce(io::Result<ExitStatus>) + Send>,
}

/// A program that runs in a session of its own. Killed on drop, with everything that it started.
pub struct Supervised {
    id: u64,
    process: u32,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
}

/// A thread's stack: it makes a few system calls.
const STACK: usize = 256 << 10;

impl Supervised {
    /// Starts a program, and waits until it has started.
    ///
    /// One thread starts it and waits for its end: Linux ties a child to the thread that started it.
    pub fn start(start: Start) -> io::Result<Supervised> {
        let place = match start.dir {
            Some(dir) => RunFolder::Dir(dir),
            None => RunFolder::None(registry::enter(|| Ok(None))?),
        };
        let word = registry::starts(place.id(), start.end)?;
        let (answer, started) = sync_channel(1);
        let (command, ended) = (start.command, start.ended);
        let work = move || supervise(place, word, command, ended, &answer);
        let thread = thread::Builder::new().name("program".to_owned());
        thread.stack_size(STACK).spawn(work)?;
        started.recv().map_err(io::Error::other)?
    }

    /// The process id of the program itself.
    pub fn process(&self) -> u32 {
        self.process
    }

    /// Asks the program and its children to end.
    pub fn terminate(&self) {
        registry::terminate(self.id);
    }

    pub fn kill(&self) {
        registry::kill(self.id);
    }
}

impl Drop for Supervised {
    fn drop(&mut self) {
        self.kill();
    }
}

/// The place of a program while it runs, and its end when it is dropped.
enum RunFolder {
    Dir(PrivateDir),
    None(u64),
}

impl RunFolder {
    fn id(&self) -> u64 {
        match self {
            RunFolder::Dir(dir) => dir.id(),
            RunFolder::None(id) => *id,
        }
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        match self {
            RunFolder::Dir(_) => {}
            RunFolder::None(id) => registry::leave(*id),
        }
    }
}

type Ended = Box<dyn FnOnce(io::Result<ExitStatus>) + Send>;
type Answer = SyncSender<io::Result<Supervised>>;

fn supervise(
    place: RunFolder,
    word: Option<WatcherMessage>,
    mut command: Command,
    ended: Ended,
    answer: &Answer,
) {
    let id = place.id();
    system::prepare(&mut command, true, word);
    let mut child = match command.spawn() {
        Ok(child) => child,
        Err(error) => {
            drop(place);
            let _ = answer.send(Err(error));
            return;
        }
    };
    if let Some(leader) = system::leader(&child) {
        registry::started(id, leader);
    }
    let supervised = Supervised {
        id,
        process: child.id(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
    };
    // Where nobody waits for it any more, it is dropped, and killed.
    let _ = answer.send(Ok(supervised));
    system::wait_without_reaping(&child);
    registry::ended(id);
    let status = child.wait();
    if let RunFolder::Dir(dir) = &place {
        dir.remove();
    }
    ended(status);
}
