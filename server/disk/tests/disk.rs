//! Files that do harm when they are read, and those that do not.
#![cfg(unix)]

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;

use disk::{Limit, MAX_ENTRIES};

/// A folder of its own for a test, taken away at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Folder {
        let folder =
            std::env::temp_dir().join(format!("planlens-disk-{test}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Folder(folder)
    }

    fn pipe(&self) -> PathBuf {
        let path = self.0.join("pipe");
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        path
    }

    /// A file with this length that takes no room on the disk.
    fn sparse(&self, length: u64) -> PathBuf {
        let path = self.0.join("sparse");
        File::create(&path).unwrap().set_len(length).unwrap();
        path
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

fn refusal(path: &Path) -> String {
    disk::read(path, Limit::CONFIGURATION)
        .unwrap_err()
        .to_string()
}

#[test]
fn devices_pipes_and_sockets_are_not_read() {
    let folder = Folder::new("devices");
    let link = folder.0.join("link");
    symlink("/dev/zero", &link).unwrap();
    let socket = folder.0.join("socket");
    let _listener = UnixListener::bind(&socket).unwrap();
    let pipe = folder.pipe();
    for path in [
        &pipe,
        &socket,
        &link,
        Path::new("/dev/zero"),
        Path::new("/dev/tty"),
    ] {
        assert_eq!(refusal(path), "not a regular file", "{}", path.display());
    }
    let folder = disk::read(&folder.0, Limit::CONFIGURATION).unwrap_err();
    assert_eq!(folder.kind(), std::io::ErrorKind::IsADirectory);
}

#[test]
fn a_file_of_a_length_that_is_not_true_is_read_to_its_end() {
    let path = Path::new("/proc/self/status");
    assert_eq!(fs::metadata(path).unwrap().len(), 0);
    assert!(
        disk::read_text(path, Limit::CONFIGURATION)
            .unwrap()
            .contains("Name:")
    );
}

#[test]
fn a_file_that_is_too_long_is_not_read() {
    let folder = Folder::new("long");
    let limit = Limit::CONFIGURATION;
    let allowed = folder.sparse(limit.bytes());
    assert_eq!(
        disk::read(&allowed, limit).unwrap().len() as u64,
        limit.bytes()
    );
    let file = folder.sparse(limit.bytes() + 1);
    assert_eq!(
        refusal(&file),
        "larger than 16 MiB, the limit for such a file"
    );
}

#[test]
fn a_file_that_grows_while_it_is_read_is_read_no_further_than_the_limit() {
    let folder = Folder::new("growing");
    let limit = Limit::CONFIGURATION;
    let path = folder.sparse(1);
    let mut opened = disk::open(&path, limit).unwrap();
    folder.sparse(limit.bytes() + 1);
    let mut content = Vec::new();
    let error = opened.read_to_end(&mut content).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::FileTooLarge);
    assert!(content.len() as u64 <= limit.bytes());
}

#[test]
fn a_folder_with_too_many_entries_is_not_listed() {
    let folder = Folder::new("entries");
    for name in 0..=MAX_ENTRIES {
        File::create(folder.0.join(name.to_string())).unwrap();
    }
    let error = disk::list(&folder.0).unwrap_err().to_string();
    assert_eq!(error, "more than 100000 entries, the limit for a folder");
    fs::remove_file(folder.0.join("0")).unwrap();
    assert_eq!(disk::list(&folder.0).unwrap().len(), MAX_ENTRIES);
}
