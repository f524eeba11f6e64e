//! Recognizes the file that was hashed, without reading it again.

#[cfg(unix)]
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
#[cfg(windows)]
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::package_hash;

/// Changes of one file that follow each other faster may leave the same times: those of some file systems are whole seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Of a file that was written to, renamed or replaced, something differs: nobody can set the time of the last change.
#[cfg(unix)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

/// Its owner can set these times. A file that is about to be executed is held open from before it is hashed.
#[cfg(windows)]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    length: u64,
    created: u64,
    modified: u64,
}

#[cfg(windows)]
impl Identity {
    pub fn of(path: &Path) -> io::Result<Identity> {
        use std::os::windows::fs::MetadataExt;
        let metadata = path.metadata()?;
        Ok(Identity {
            length: metadata.len(),
            created: metadata.creation_time(),
            modified: metadata.last_write_time(),
        })
    }

    fn is_settled(&self) -> bool {
        /// Times count from 1601, in steps of 100 ns.
        const UNIX: Duration = Duration::from_secs(11_644_473_600);
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let changed = Duration::from_nanos(self.created.max(self.modified)) * 100;
        now.is_ok_and(|now| changed + SETTLED < now + UNIX)
    }
}

#[cfg(unix)]
impl Identity {
    pub fn of(path: &Path) -> io::Result<Identity> {
        use std::os::unix::fs::MetadataExt;
        let metadata = path.metadata()?;
        Ok(Identity {
            device: metadata.dev(),
            inode: metadata.ino(),
            length: metadata.len(),
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        })
    }

    /// Whether a change from now on can't leave the same identity.
    fn is_settled(&self) -> bool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let changed = Duration::from_secs(self.changed.0.max(0).unsigned_abs());
        now.is_ok_and(|now| changed + SETTLED < now)
    }
}

/// All files of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PackageIdentity(Vec<(PathBuf, Identity)>);

impl PackageIdentity {
    pub fn of(package: &Path) -> io::Result<PackageIdentity> {
        let files = package_hash::files(package)?.into_iter();
        let identified = files.map(|(_, path)| Ok((path.clone(), Identity::of(&path)?)));
        Ok(PackageIdentity(identified.collect::<io::Result<_>>()?))
    }

    pub fn is_settled(&self) -> bool {
        self.0.iter().all(|(_, identity)| identity.is_settled())
    }
}

/// A file that is about to be executed, and its identity when it was looked at.
#[derive(Debug, Clone)]
pub(crate) struct Executable {
    /// Without links.
    pub path: PathBuf,
    /// Its name where it was found.
    #[cfg(unix)]
    name: OsString,
    #[cfg(windows)]
    _held: Arc<std::fs::File>,
    identity: Identity,
}

impl Executable {
    pub fn of(path: &Path) -> io::Result<Executable> {
        #[cfg(unix)]
        let name = path.file_name().unwrap_or_default().to_owned();
        let path = disk::real(path)?;
        #[cfg(windows)]
        let held = Arc::new(disk::hold(&path)?);
        let identity = Identity::of(&path)?;
        Ok(Executable {
            path,
            #[cfg(windows)]
            _held: held,
            #[cfg(unix)]
            name,
            identity,
        })
    }

    #[cfg(unix)]
    pub fn command(&self) -> Command {
        use std::os::unix::process::CommandExt;
        let mut command = Command::new(&self.path);
        command.arg0(&self.name);
        command
    }

    #[cfg(windows)]
    pub fn command(&self) -> Command {
        Command::new(&self.path)
    }

    /// Asked after it was started: the running file is the one that was looked at. Writing to it, or putting another file there and the
    /// first one back, changes it.
    pub fn is_unchanged(&self) -> bool {
        Identity::of(&self.path).is_ok_and(|it| it == self.identity)
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    /// A package with one file, and its path.
    fn package() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let program = dir.path().join("terraform-provider-x");
        fs::write(&program, "program").unwrap();
        (dir, program)
    }

    /// Puts the times of modification back, as anybody can.
    fn with_times_kept(path: &Path, change: impl FnOnce()) {
        let modified = path.metadata().unwrap().modified().unwrap();
        let executable = Executable::of(path).unwrap();
        let package = PackageIdentity::of(path.parent().unwrap()).unwrap();
        assert!(executable.is_unchanged());
        let before = Identity::of(path).unwrap();
        // The clock of a file system may move in steps of 10 ms.
        while tick(path) == before.changed {}
        change();
        let file = fs::File::options().write(true).open(path).unwrap();
        file.set_modified(modified).unwrap();
        drop(file);
        assert!(!executable.is_unchanged());
        assert_ne!(
            PackageIdentity::of(path.parent().unwrap()).unwrap(),
            package
        );
    }

    /// The time that a change of now leaves.
    fn tick(beside: &Path) -> (i64, i64) {
        let file = tempfile::NamedTempFile::new_in(beside.parent().unwrap().parent().unwrap());
        Identity::of(file.unwrap().path()).unwrap().changed
    }

    #[test]
    fn a_package_that_is_replaced_with_its_times_and_length_kept_is_another_one() {
        let (_dir, program) = package();
        with_times_kept(&program, || fs::write(&program, "malware").unwrap());
        let (dir, program) = package();
        let other = dir.path().with_extension("other");
        with_times_kept(&program, || {
            fs::write(&other, "malware").unwrap();
            fs::rename(&other, &program).unwrap();
        });
        // There and back again.
        let (dir, program) = package();
        let aside = dir.path().with_extension("aside");
        with_times_kept(&program, || {
            fs::rename(&program, &aside).unwrap();
            fs::rename(&aside, &program).unwrap();
        });
    }

    #[test]
    fn a_package_that_has_just_changed_is_not_believed() {
        let (dir, _program) = package();
        assert!(!PackageIdentity::of(dir.path()).unwrap().is_settled());
        assert!(
            Identity::of(&std::env::current_exe().unwrap())
                .unwrap()
                .is_settled()
        );
    }
}
