//! Private folders for the sockets of plugins.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder};
use std::io::{self, ErrorKind};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// A folder that only this user can enter: whoever reaches a plugin's socket can use its credentials. Removed on drop.
#[derive(Debug)]
pub(crate) struct SocketDir(PathBuf);

/// Those that are there now.
static THERE: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Short: the path of a Unix socket has at most 104 to 108 bytes.
const PREFIX: &str = "planlens-";

impl SocketDir {
    pub fn new(parent: &Path) -> io::Result<SocketDir> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        loop {
            let count = COUNT.fetch_add(1, Ordering::Relaxed);
            let dir = parent.join(format!("{PREFIX}{}-{count}", process::id()));
            match DirBuilder::new().mode(0o700).create(&dir) {
                Ok(()) => {
                    there().insert(dir.clone());
                    return Ok(SocketDir(dir));
                }
                // Left by a process that had our id before us, or made by someone else on purpose: not ours to use.
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for SocketDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
        there().remove(&self.0);
    }
}

fn there() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    THERE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Removes the folders of plugins that were still starting or ending. For a process that is about to exit, in which nothing
/// is dropped any more.
pub fn remove_sockets() {
    for dir in std::mem::take(&mut *there()) {
        let _ = fs::remove_dir_all(dir);
    }
}

/// Removes the folders of processes that ended without doing so.
pub(crate) fn sweep(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name
            .to_str()
            .and_then(|name| name.strip_prefix(PREFIX))
            .and_then(|rest| rest.split_once('-'))
            .and_then(|(id, _)| id.parse::<i32>().ok());
        if owner.is_some_and(|id| !super::unix::is_alive(id)) {
            // Fails on what belongs to other users, and that is right.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
