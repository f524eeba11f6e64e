//! Reads from the disk what a text or a folder names: regular files only, without waiting for one, and not without end.
//!
//! `tests/tidy.rs` keeps everything else from opening files and listing folders. Files of the user's own are written for
//! the user alone.

mod private;

use std::ffi::OsString;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, SystemTime};

pub use private::{lock_private, replace, write_private};

/// How long a file may be that is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limit {
    mebibytes: u64,
}

impl Limit {
    /// Configuration, values of variables, and what `init` keeps beside them, for a command: four times what programs write.
    pub const CONFIGURATION: Limit = Limit::mebibytes(16);
    /// A file that is read at each keystroke, or for a stranger, and all of a root module together that are not open: ten times
    /// what people write.
    pub const DOCUMENT: Limit = Limit::mebibytes(4);
    /// All files of a root module together, for a command.
    pub const CONFIGURATIONS: Limit = Limit::mebibytes(64);
    /// A file that becomes a value. A message to a provider can't hold more.
    pub const VALUE: Limit = Limit::mebibytes(64);
    /// A file of which only a hash is wanted.
    pub const HASHED: Limit = Limit::mebibytes(1024);
    /// A state, or a plan file.
    pub const STATE: Limit = Limit::mebibytes(512);
    /// A file of a provider's package. The largest have 800 MiB.
    pub const PACKAGE: Limit = Limit::mebibytes(2048);

    const fn mebibytes(mebibytes: u64) -> Limit {
        Limit { mebibytes }
    }

    pub const fn bytes(self) -> u64 {
        self.mebibytes << 20
    }
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.mebibytes {
            whole if whole.is_multiple_of(1024) => write!(f, "{} GiB", whole / 1024),
            mebibytes => write!(f, "{mebibytes} MiB"),
        }
    }
}

/// Identifies the version of a file or a folder without reading it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Stamp {
    modified: Option<SystemTime>,
    len: u64,
}

impl Stamp {
    pub fn of(path: &Path) -> io::Result<Stamp> {
        let metadata = fs::metadata(path)?;
        Ok(Stamp {
            modified: metadata.modified().ok(),
            len: metadata.len(),
        })
    }

    /// Whether a later change is sure to have another stamp: some file systems count whole seconds, or two.
    pub fn is_settled(&self) -> bool {
        let age = self.modified.and_then(|modified| modified.elapsed().ok());
        age.is_some_and(|age| age > Duration::from_secs(2))
    }
}

/// A folder with more entries is not listed.
pub const MAX_ENTRIES: usize = 100_000;

/// A regular file that is being read. Reading fails where it turns out to be longer than its limit, whatever length it
/// has been said to have.
#[derive(Debug)]
pub struct Opened {
    file: File,
    limit: Limit,
    left: u64,
}

/// Opens a regular file. Fails with a kind of its own where nothing is there or a folder is.
pub fn open(path: &Path, limit: Limit) -> io::Result<Opened> {
    // To open a device may be enough to do something to it.
    check(&fs::metadata(path)?, limit)?;
    let mut options = OpenOptions::new();
    options.read(true);
    system::without_waiting(&mut options);
    let file = options.open(path)?;
    // Another file may have come in its place.
    check(&file.metadata()?, limit)?;
    Ok(Opened {
        file,
        limit,
        left: limit.bytes(),
    })
}

fn check(metadata: &fs::Metadata, limit: Limit) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    match metadata.len() > limit.bytes() {
        true => Err(too_large(limit)),
        false => Ok(()),
    }
}

fn too_large(limit: Limit) -> io::Error {
    let message = format!("larger than {limit}, the limit for such a file");
    io::Error::new(ErrorKind::FileTooLarge, message)
}

impl Read for Opened {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        // One byte more tells that there is more.
        let wanted = usize::try_from(self.left.saturating_add(1)).unwrap_or(usize::MAX);
        let length = buffer.len().min(wanted);
        let count = self.file.read(&mut buffer[..length])?;
        self.left = (self.left.checked_sub(count as u64)).ok_or_else(|| too_large(self.limit))?;
        Ok(count)
    }
}

/// The content of a regular file.
pub fn read(path: &Path, limit: Limit) -> io::Result<Vec<u8>> {
    let mut opened = open(path, limit)?;
    let expected = opened.file.metadata()?.len();
    let mut content = Vec::with_capacity(usize::try_from(expected).unwrap_or_default());
    opened.read_to_end(&mut content)?;
    Ok(content)
}

/// The content of a regular file that has to be UTF-8.
pub fn read_text(path: &Path, limit: Limit) -> io::Result<String> {
    let text = String::from_utf8(read(path, limit)?);
    text.map_err(|_| io::Error::new(ErrorKind::InvalidData, "not valid UTF-8"))
}

/// The content of a regular file, part by part.
pub fn read_parts(path: &Path, limit: Limit, take: &mut dyn FnMut(&[u8])) -> io::Result<()> {
    let mut opened = open(path, limit)?;
    let mut part = vec![0; 1 << 16];
    loop {
        match opened.read(&mut part)? {
            0 => return Ok(()),
            count => take(&part[..count]),
        }
    }
}

/// What is in a folder.
#[derive(Debug)]
pub struct FolderEntry {
    pub name: OsString,
    pub path: PathBuf,
    /// Of the entry itself: a link is a link.
    pub file_type: fs::FileType,
}

impl FolderEntry {
    /// Whether it is a folder, or a link that leads to one.
    pub fn is_folder(&self) -> bool {
        match self.file_type.is_symlink() {
            true => self.path.is_dir(),
            false => self.file_type.is_dir(),
        }
    }
}

/// The entries of a folder, in any order. A folder with more than [`MAX_ENTRIES`] can't be listed.
pub fn list(dir: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(dir)? {
        if entries.len() == MAX_ENTRIES {
            let message = format!("more than {MAX_ENTRIES} entries, the limit for a folder");
            return Err(io::Error::other(message));
        }
        let entry = entry?;
        entries.push(FolderEntry {
            name: entry.file_name(),
            path: in_one_form(entry.path()),
            file_type: entry.file_type()?,
        });
    }
    Ok(entries)
}

/// The path of what is there, without links.
pub fn real(path: &Path) -> io::Result<PathBuf> {
    Ok(in_one_form(fs::canonicalize(path)?))
}

/// The nearest folder that holds a git repository: this one, or one above it.
pub fn repository_of(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|it| it.join(".git").exists())
}

/// A path that is relative to a folder, without `.` and `..` in it.
pub fn joined(dir: &Path, path: impl AsRef<Path>) -> PathBuf {
    let mut joined = PathBuf::new();
    for component in dir.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => drop(joined.pop()),
            other => joined.push(other),
        }
    }
    joined
}

/// A path of the system as [`text::path`] has it.
pub fn in_one_form(path: PathBuf) -> PathBuf {
    match path.to_str() {
        Some(text) if cfg!(windows) => PathBuf::from(&*text::path(text)),
        Some(_) | None => path,
    }
}

/// Opens a file that nobody writes to, renames or removes until the answer is dropped. Only Windows can do that.
#[cfg(windows)]
pub fn hold(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt;
    const FILE_SHARE_READ: u32 = 1;
    let mut options = OpenOptions::new();
    options.read(true).share_mode(FILE_SHARE_READ).open(path)
}

/// What is neither a file nor a folder, as Terraform calls it.
pub fn special(file_type: fs::FileType) -> &'static str {
    system::special(file_type)
}

#[cfg(unix)]
mod system {
    use std::fs::{FileType, OpenOptions};
    use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};

    /// Nobody may be there to write into a pipe, and a terminal must not become that of this process.
    pub(super) fn without_waiting(options: &mut OpenOptions) {
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | libc::O_CLOEXEC);
    }

    pub(super) fn special(file_type: FileType) -> &'static str {
        match file_type {
            it if it.is_fifo() => "named pipe",
            it if it.is_socket() => "socket",
            it if it.is_block_device() || it.is_char_device() => "device node",
            _ => "unknown type of file",
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{FileType, OpenOptions};

    pub(super) fn without_waiting(_: &mut OpenOptions) {}

    pub(super) fn special(_: FileType) -> &'static str {
        "unknown type of file"
    }
}
