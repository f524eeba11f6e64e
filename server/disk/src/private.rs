//! Writing: files of caches, which are the user's alone, and files in place of others.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes a file that only this user can read, in place of the one that is there; its content comes in parts. Makes its
/// folder, which only this user can enter.
pub fn write_private(path: &Path, content: &[&[u8]]) -> io::Result<()> {
    let mut options = private(path)?;
    options.write(true).create_new(true);
    // Nobody finds half of it, and its file is a new one with our permissions.
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let _ = fs::remove_file(&new);
    let mut file = options.open(&new)?;
    content.iter().try_for_each(|part| file.write_all(part))?;
    rename(&new, path)
}

/// Replaces the content of a file and keeps its permissions, its owner and the links to it. If the disk is full, the file
/// is as before.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    // A file that may not be written is not replaced either.
    let old = fs::OpenOptions::new().write(true).open(&path)?.metadata()?;
    let new = path.with_extension(format!("{}.new", std::process::id()));
    let Ok(mut file) = File::create_new(&new) else {
        return fs::write(path, content);
    };
    let is_alike = file.set_permissions(old.permissions()).is_ok() && is_like(&file, &old);
    // Some file systems report only at the end that they are full.
    let written = file.write_all(content).and_then(|()| file.sync_all());
    drop(file);
    let replaced = match written {
        Ok(()) if is_alike && rename(&new, &path).is_ok() => return Ok(()),
        // Another file can't take its place, as when it is mounted. There is room for its content.
        Ok(()) => fs::write(&path, content),
        Err(error) => Err(error),
    };
    let _ = fs::remove_file(&new);
    replaced
}

/// Whether a new file can take the place of an old one: it has the same owner, and no other name leads to the old one.
#[cfg(unix)]
fn is_like(new: &File, old: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    let owner = |it: &fs::Metadata| (it.uid(), it.gid());
    old.nlink() == 1 && new.metadata().is_ok_and(|new| owner(&new) == owner(old))
}

#[cfg(not(unix))]
fn is_like(_new: &File, _old: &fs::Metadata) -> bool {
    true
}

/// How often a file is replaced that others have open, and the first pause between; each further one is twice as long.
/// Half a second in all: virus scanners and other editors look at a file for a moment.
#[cfg(windows)]
const TRIES: u32 = 10;
#[cfg(windows)]
const PAUSE: std::time::Duration = std::time::Duration::from_micros(500);

#[cfg(windows)]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    for attempt in 0..TRIES {
        match fs::rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                std::thread::sleep(PAUSE * 2_u32.pow(attempt));
            }
            answer => return answer,
        }
    }
    fs::rename(from, to)
}

#[cfg(not(windows))]
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    fs::rename(from, to)
}

/// Waits until no other process has the lock that this file stands for, and takes it until the answer is dropped. Makes
/// the file and its folder as [`write_private`] does.
pub fn lock_private(path: &Path) -> io::Result<File> {
    let file = private(path)?.create(true).append(true).open(path)?;
    file.lock()?;
    Ok(file)
}

/// Makes the folder of a file, which only this user can enter, and answers how to make the file for this user alone.
fn private(path: &Path) -> io::Result<fs::OpenOptions> {
    let (mut folders, mut options) = (fs::DirBuilder::new(), fs::OpenOptions::new());
    for_user_alone(folders.recursive(true), &mut options);
    folders.create(path.parent().unwrap_or(path))?;
    Ok(options)
}

#[cfg(unix)]
fn for_user_alone(folders: &mut fs::DirBuilder, options: &mut fs::OpenOptions) {
    use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
    folders.mode(0o700);
    options.mode(0o600);
}

/// What is in the user's own folders is the user's alone.
#[cfg(not(unix))]
fn for_user_alone(_: &mut fs::DirBuilder, _: &mut fs::OpenOptions) {}

#[cfg(all(test, windows))]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_somebody_has_open_for_a_moment_is_replaced() {
        let folder = std::env::temp_dir().join(format!("planlens-private-{}", std::process::id()));
        let path = folder.join("file");
        write_private(&path, &[b"one"]).unwrap();
        let held = crate::hold(&path).unwrap();
        let held = std::thread::spawn(move || {
            std::thread::sleep(PAUSE * 10);
            drop(held);
        });
        write_private(&path, &[b"two"]).unwrap();
        held.join().unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_private_file_is_readable_by_the_user_alone() {
        let folder = std::env::temp_dir().join(format!("planlens-private-{}", std::process::id()));
        let path = folder.join("kind/file");
        write_private(&path, &[b"one"]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        write_private(&path, &[b"tw", b"o"]).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&path), mode(path.parent().unwrap())), (0o600, 0o700));
        fs::remove_dir_all(folder).unwrap();
    }
}
