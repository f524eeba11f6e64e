//! By what a file is known to be the one that was hashed, without reading it again.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::package_hash;

/// Changes of one file that follow each other faster may leave the same times: those of some file systems are whole seconds.
const SETTLED: Duration = Duration::from_secs(2);

/// Of a file that was written to, renamed or replaced, something differs: nobody can set the time of the last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    length: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    pub fn of(path: &Path) -> io::Result<Identity> {
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

/// A file that is about to be executed, and what it was when it was looked at.
#[derive(Debug, Clone)]
pub(crate) struct Executable {
    /// Without links.
    pub path: PathBuf,
    /// What it is called where it was found.
    pub name: OsString,
    identity: Identity,
}

impl Executable {
    pub fn of(path: &Path) -> io::Result<Executable> {
        let name = path.file_name().unwrap_or_default().to_owned();
        let path = fs::canonicalize(path)?;
        let identity = Identity::of(&path)?;
        Ok(Executable {
            path,
            name,
            identity,
        })
    }

    /// Asked after it was started: what runs is what was looked at. Writing to it, or putting another file there and the
    /// first one back, changes it.
    pub fn is_unchanged(&self) -> bool {
        Identity::of(&self.path).is_ok_and(|it| it == self.identity)
    }
}

#[cfg(test)]
mod tests {
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
