//! Ends the programs that are left when planlens was killed: a small process of ours that reads from a pipe which closes with planlens.
//!
//! It learns of each program before that begins and before its process id is given back to the system, so that it never
//! ends a process that isn't ours. It runs in a session of its own, and only while programs run.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::Pid;

use crate::registry::Watched;
use crate::unix::{self, WatcherMessage};
use crate::{private_dir, session};

/// The first argument of the watcher, which users don't see.
pub const WATCH_ARGUMENT: &str = "--watch-programs";

static IS_WANTED: AtomicBool = AtomicBool::new(false);

/// This executable calls [`watch`] when it is started with [`WATCH_ARGUMENT`]. Tests of a library are another executable.
pub fn watch_with_this_program() {
    IS_WANTED.store(true, Ordering::Relaxed);
}

pub(crate) fn is_wanted() -> bool {
    IS_WANTED.load(Ordering::Relaxed)
}

/// The server's end of the pipe. The watcher ends when this is dropped, which is when nothing is left to watch.
pub(crate) struct Watcher {
    process: Child,
    pipe: Option<ChildStdin>,
}

impl Watcher {
    pub fn start() -> io::Result<Watcher> {
        let mut command = Command::new(unix::this_program()?);
        command
            .arg0("planlens")
            .arg(WATCH_ARGUMENT)
            .env_clear()
            // It keeps no folder of the user's busy, and nothing that the editor reads open.
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        unix::prepare(&mut command, false, None);
        let mut process = command.spawn()?;
        let pipe = process.stdin.take();
        Ok(Watcher { process, pipe })
    }

    /// Fails when the watcher has ended.
    pub fn notify(&mut self, id: u64, watched: &Watched) -> io::Result<()> {
        self.send(&record(id, watched))
    }

    pub fn forget(&mut self, id: u64) -> io::Result<()> {
        self.send(format!("-{id}\0").as_bytes())
    }

    /// The message of the program itself when it has started.
    pub fn word(&self, id: u64, dir: Option<PathBuf>) -> Option<WatcherMessage> {
        let text = record(id, &Watched { leader: None, dir });
        let digits = format!("+{id} ").len();
        Some(WatcherMessage {
            pipe: self.pipe.as_ref()?.as_raw_fd(),
            text,
            digits: digits..digits + DIGITS,
        })
    }

    fn send(&mut self, record: &[u8]) -> io::Result<()> {
        match &mut self.pipe {
            Some(pipe) => pipe.write_all(record),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A process id in decimal.
const DIGITS: usize = 10;

/// `+ID PROCESS DIR`. Written to a pipe at once, as it is shorter than PIPE_BUF.
fn record(id: u64, watched: &Watched) -> Vec<u8> {
    let leader = watched.leader.map_or(0, Pid::as_raw_pid);
    let mut record = format!("+{id} {leader:0DIGITS$} ").into_bytes();
    let dir = watched.dir.as_deref().map(Path::as_os_str);
    record.extend(dir.map(OsStr::as_bytes).unwrap_or_default());
    record.push(0);
    record
}

/// The watcher's work: it reads stdin to its end, and then ends the programs that are left.
pub fn watch() {
    for (_, left) in left(io::stdin().lock()) {
        if let Some(leader) = left.leader {
            session::kill(&leader);
        }
        if let Some(dir) = left.dir {
            private_dir::remove(&dir);
        }
    }
}

fn left(pipe: impl BufRead) -> BTreeMap<u64, Watched> {
    let mut left = BTreeMap::new();
    for record in pipe.split(0).map_while(Result::ok) {
        read(&record, &mut left);
    }
    left
}

/// A record that isn't whole changes nothing.
fn read(record: &[u8], left: &mut BTreeMap<u64, Watched>) -> Option<()> {
    fn number<T: std::str::FromStr>(digits: &[u8]) -> Option<T> {
        std::str::from_utf8(digits).ok()?.parse().ok()
    }
    match record.split_first()? {
        (b'+', rest) => {
            let mut fields = rest.splitn(3, |byte| *byte == b' ');
            let id = number(fields.next()?)?;
            let leader = Pid::from_raw(number(fields.next()?)?);
            let dir = Some(fields.next()?).filter(|dir| !dir.is_empty());
            let dir = dir.map(|dir| OsString::from_vec(dir.to_vec()).into());
            left.insert(id, Watched { leader, dir });
        }
        (b'-', rest) => {
            left.remove(&number(rest)?);
        }
        _ => {}
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn living_processes_are_left() {
        let program = |leader, dir: &str| Watched {
            leader: Pid::from_raw(leader),
            dir: Some(dir.into()).filter(|dir: &PathBuf| *dir != Path::new("")),
        };
        let (starting, running) = (program(0, "/tmp/a b"), program(4_194_304, "/tmp/a b"));
        let (alone, ended) = (program(17, ""), program(0, "/tmp/c"));
        let notices = [
            record(1, &starting),
            record(2, &alone),
            record(3, &alone),
            record(1, &running),
            b"-2\0".to_vec(),
            record(3, &ended),
            b"+4 00".to_vec(),
        ];
        assert_eq!(
            left(notices.concat().as_slice()),
            BTreeMap::from([(1, running), (3, ended)])
        );
    }
}
