//! Private folders for the sockets of programs, in the folder for temporary files.

use std::ffi::OsString;
use std::fs::{self, DirBuilder, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Mode, OFlags};
use rustix::io::Errno;
use rustix::process::{Pid, geteuid, test_kill_process};

use crate::registry;
use crate::unix::SOCKET_PATH_LIMIT;

/// A folder that only this user can enter. It is locked as long as its owner lives, and removed on drop.
#[derive(Debug)]
pub struct PrivateDir {
    id: u64,
    path: PathBuf,
    /// Closed after the folder was removed.
    lock: File,
}

/// Short: the path of a Unix socket has at most 104 to 108 bytes.
const PREFIX: &str = "planlens-";

const MODE: u32 = 0o700;

impl PrivateDir {
    /// Creates `planlens-PROCESS-COUNT`, which did not exist before. Fails when planlens ends.
    pub fn new(parent: &Path) -> io::Result<PrivateDir> {
        let mut created = None;
        let id = registry::enter(|| {
            let (path, _) = created.insert(create(parent)?);
            Ok(Some(path.clone()))
        })?;
        let (path, lock) = created.ok_or(ErrorKind::NotFound)?;
        Ok(PrivateDir { id, path, lock })
    }

    /// The same with room for the path of a socket whose name has so many bytes.
    pub fn for_socket(parent: &Path, name: usize) -> Result<PrivateDir, String> {
        let dir = PrivateDir::new(parent).map_err(|error| {
            let parent = parent.display();
            format!("no folder for its socket can be created in {parent} (TMPDIR): {error}")
        })?;
        let length = dir.path.as_os_str().len() + "/".len() + name;
        match length.checked_sub(SOCKET_PATH_LIMIT) {
            None | Some(0) => Ok(dir),
            Some(over) => Err(format!(
                "TMPDIR is too long for the path of a socket, by {over} bytes: {}",
                parent.display()
            )),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The files that a program of ours left in it go with it, but not a folder.
    pub(crate) fn remove(&self) {
        remove_entries(&self.lock, &self.path);
    }
}

impl Drop for PrivateDir {
    fn drop(&mut self) {
        self.remove();
        registry::leave(self.id);
    }
}

fn create(parent: &Path) -> io::Result<(PathBuf, File)> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("{PREFIX}{}-{count}", process::id()));
        match DirBuilder::new().mode(MODE).create(&path) {
            Ok(()) => {}
            // Left by a process that had our id before us, or made by someone else on purpose: not ours to use.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
            Err(error) => return Err(error),
        }
        match lock(&path) {
            Ok(Some(lock)) => return Ok((path, lock)),
            Ok(None) => {}
            Err(error) => {
                let _ = fs::remove_dir(&path);
                return Err(error);
            }
        }
    }
}

/// None: another planlens took it for one that was left behind, and removes it.
fn lock(path: &Path) -> io::Result<Option<File>> {
    let lock = match open(path) {
        Ok(lock) => lock,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    // A shared lock is enough against those who remove, and network file systems give one on a folder. Where there are
    // no locks, nobody gets one to remove it either.
    let is_contested = matches!(lock.try_lock_shared(), Err(fs::TryLockError::WouldBlock));
    let is_there = || is_same(path, &lock.metadata().ok()?).then_some(());
    if is_contested || is_there().is_none() {
        return Ok(None);
    }
    Ok(Some(lock))
}

/// Removes the folder of a [`PrivateDir`] whose process was killed.
pub(crate) fn remove(path: &Path) {
    if let Ok(dir) = open(path)
        && let Ok(metadata) = dir.metadata()
        && is_private(&metadata)
    {
        remove_entries(&dir, path);
    }
}

/// Removes the folders in `parent` that planlens left there when it ended without doing so. They are known by their name, owner
/// and mode, hold nothing but sockets, and are not locked by anyone.
pub fn sweep(parent: &Path) {
    if !parent.is_absolute() {
        return;
    }
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        if owner(&entry.file_name()).is_some_and(has_ended) {
            sweep_one(&entry.path());
        }
    }
}

/// Leaves folders alone that only look like ours.
fn sweep_one(path: &Path) -> Option<()> {
    let dir = open(path).ok()?;
    if !is_private(&dir.metadata().ok()?) || dir.try_lock().is_err() {
        return None;
    }
    let mut entries = fs::read_dir(path).ok()?;
    let is_socket =
        |entry: io::Result<fs::DirEntry>| Some(entry.ok()?.file_type().ok()?.is_socket());
    if entries.all(|entry| is_socket(entry) == Some(true)) {
        remove_entries(&dir, path);
    }
    Some(())
}

/// The process in a name like `planlens-PROCESS-COUNT`.
fn owner(name: &OsString) -> Option<Pid> {
    let (process, count) = name.to_str()?.strip_prefix(PREFIX)?.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit());
    if !is_number(process) || !is_number(count) {
        return None;
    }
    Pid::from_raw(process.parse().ok()?)
}

/// One with our own id may have been another before us; of that, its lock tells.
fn has_ended(owner: Pid) -> bool {
    owner == rustix::process::getpid() || test_kill_process(owner) == Err(Errno::SRCH)
}

/// Opens a folder, not the target of a link.
fn open(path: &Path) -> io::Result<File> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?.into())
}

fn is_private(metadata: &Metadata) -> bool {
    metadata.is_dir()
        && metadata.uid() == geteuid().as_raw()
        && metadata.permissions().mode() & 0o7777 == MODE
}

fn is_same(path: &Path, opened: &Metadata) -> bool {
    fs::symlink_metadata(path).is_ok_and(|it| (it.dev(), it.ino()) == (opened.dev(), opened.ino()))
}

/// Removes the content of a folder, but for folders, and then the folder if it is empty.
fn remove_entries(dir: &File, path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().flatten() {
        // Whatever has come to be at the path meanwhile, only entries of this folder are removed.
        let _ = rustix::fs::unlinkat(dir, entry.file_name(), AtFlags::empty());
    }
    let _ = fs::remove_dir(path);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, chown, symlink};
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    /// The id of a process that has ended.
    fn nobody() -> u32 {
        let mut process = Command::new("true").spawn().unwrap();
        process.wait().unwrap();
        process.id()
    }

    /// A folder for temporary files, in which folders come to be.
    struct Temporary(tempfile::TempDir);

    impl Temporary {
        fn new() -> Temporary {
            Temporary(tempfile::tempdir().unwrap())
        }

        fn path(&self, name: &str) -> PathBuf {
            self.0.path().join(name)
        }

        fn dir(&self, name: &str, mode: u32) -> PathBuf {
            let path = self.path(name);
            fs::create_dir(&path).unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            path
        }

        fn left_by(&self, process: u32) -> PathBuf {
            let dir = self.dir(&format!("{PREFIX}{process}-0"), MODE);
            drop(UnixListener::bind(dir.join("plugin1")).unwrap());
            dir
        }
    }

    #[test]
    fn a_folder_that_an_ended_process_left_is_removed() {
        let temporary = Temporary::new();
        let (theirs, ours) = (
            temporary.left_by(nobody()),
            temporary.left_by(process::id()),
        );
        let ours_now = PrivateDir::new(temporary.0.path()).unwrap();
        sweep(temporary.0.path());
        assert!(!theirs.exists() && !ours.exists());
        assert!(ours_now.path().exists());
        let path = ours_now.path().to_owned();
        drop(UnixListener::bind(path.join("plugin1")).unwrap());
        fs::write(path.join("half a socket"), "").unwrap();
        drop(ours_now);
        assert!(!path.exists());
    }

    #[test]
    fn folders_that_only_look_like_ours_are_left_alone() {
        let temporary = Temporary::new();
        let id = nobody();
        let report = temporary.dir("planlens-2025-report", MODE);
        fs::write(report.join("report.md"), "months of work").unwrap();
        for name in [
            "planlens-2025-1-2",
            "planlens-+1-2",
            "planlens--1",
            "planlens-99999999999-1",
        ] {
            temporary.dir(name, MODE);
        }
        temporary.dir(&format!("{PREFIX}{id}-1"), 0o755);
        temporary.dir(&format!("{PREFIX}{id}-2"), 0o1700);
        let with_file = temporary.left_by(id);
        fs::write(with_file.join("notes"), "").unwrap();
        let with_folder = temporary.dir(&format!("{PREFIX}{id}-3"), MODE);
        fs::create_dir(with_folder.join("empty")).unwrap();
        let linked = temporary.dir("elsewhere", MODE);
        drop(UnixListener::bind(linked.join("socket")).unwrap());
        symlink(&linked, temporary.path(&format!("{PREFIX}{id}-4"))).unwrap();
        fs::write(temporary.path(&format!("{PREFIX}{id}-5")), "a file").unwrap();
        temporary.left_by(std::os::unix::process::parent_id());
        if geteuid().is_root() {
            let theirs = temporary.dir(&format!("{PREFIX}{id}-6"), MODE);
            chown(theirs, Some(1), Some(1)).unwrap();
        }
        let entries = || {
            let found = Command::new("find").arg(temporary.0.path()).output();
            String::from_utf8(found.unwrap().stdout).unwrap()
        };
        let before = entries();
        sweep(temporary.0.path());
        assert_eq!(entries(), before);
    }

    /// Like one of a server in another container, where the same number is another process.
    #[test]
    fn a_locked_folder_is_left_alone_with_any_process_number() {
        let temporary = Temporary::new();
        let dir = temporary.left_by(nobody());
        let lock = open(&dir).unwrap();
        lock.lock_shared().unwrap();
        sweep(temporary.0.path());
        assert!(dir.join("plugin1").exists());
        drop(lock);
        sweep(temporary.0.path());
        assert!(!dir.exists());
    }
}
