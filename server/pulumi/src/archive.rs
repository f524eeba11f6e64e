//! Hashes of archives. As in Pulumi, files and folders are hashed as the tar file that they would become.

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use disk::Limit;
use sha2::{Digest, Sha256};

use crate::functions::hex;
use crate::value::{Object, Source, Value};

/// The archives that were read for a plan. Each is read once, however often it is named.
#[derive(Default)]
pub struct Archives(Mutex<HashMap<String, Read>>);

/// The result of reading an archive.
#[derive(Clone, Default)]
pub(crate) struct Read {
    /// `None` where it is not known: elsewhere, too large, behind a link, or of names that Pulumi writes in another form.
    pub hash: Option<String>,
    /// The files that the hash depends on.
    pub files: BTreeSet<String>,
    /// How many bytes were hashed.
    pub bytes: u64,
    /// The link that was not followed.
    pub link: Option<String>,
}

impl Archives {
    /// Reads an archive whose content is here. After `limit` bytes no further file is read.
    pub(crate) fn read(
        &self,
        dir: &Path,
        source: &Source,
        follows_links: bool,
        limit: u64,
    ) -> Read {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let key = format!("{source:?}");
        if let Some(read) = known.get(&key) {
            return read.clone();
        }
        let mut reading = Reading {
            dir,
            follows_links,
            limit,
            read: Read::default(),
        };
        let hash = hash(&mut reading, source);
        let read = Read {
            hash,
            ..reading.read
        };
        known.insert(key, read.clone());
        read
    }

    /// The link because of which an archive was not read.
    pub(crate) fn link_in(&self, source: &Source) -> Option<String> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(&format!("{source:?}"))?.link.clone()
    }
}

/// An archive that is being read.
struct Reading<'a> {
    dir: &'a Path,
    /// Links in folders may lead out of the project.
    follows_links: bool,
    limit: u64,
    read: Read,
}

impl Reading<'_> {
    fn may_go_on(&self) -> Option<()> {
        (self.read.bytes < self.limit).then_some(())
    }
}

fn hash(reading: &mut Reading<'_>, source: &Source) -> Option<String> {
    if let Source::Path(path) = source
        && is_archive(path)
    {
        reading.read.files.insert(path.clone());
        reading.may_go_on()?;
        let mut hasher = Sha256::new();
        let mut take = |part: &[u8]| {
            reading.read.bytes += part.len() as u64;
            hasher.update(part);
        };
        disk::read_parts(&reading.dir.join(path), Limit::HASHED, &mut take).ok()?;
        return Some(hex(&hasher.finalize()));
    }
    let mut tar = Tar {
        reading,
        seen: BTreeSet::new(),
        hasher: Sha256::new(),
        left: Limit::VALUE.bytes(),
    };
    tar.source("", source)?;
    tar.hasher.update([0; 1024]);
    Some(hex(&tar.hasher.finalize()))
}

/// The problem of a local archive: a folder, or a file with the name of an archive.
///
/// Source: `readPath` and `hash` in `sdk/go/common/resource/archive/archive.go` of Pulumi.
pub(crate) fn local(path: &Path) -> Result<(), String> {
    let shown = path.components().collect::<std::path::PathBuf>();
    let shown = shown.display();
    let is_archive = is_archive(&path.to_string_lossy());
    match fs::metadata(path) {
        Ok(found) if found.is_dir() || is_archive => Ok(()),
        Ok(_) => Err(format!(
            "'{shown}' is neither a recognized archive type nor a directory"
        )),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Ok(()),
        Err(_) if is_archive => Err(format!("open {shown}: no such file or directory")),
        Err(_) => Err(format!(
            "couldn't read archive path '{shown}': stat {shown}: no such file or directory"
        )),
    }
}

fn is_archive(path: &str) -> bool {
    let endings = [".tar", ".tgz", ".tar.gz", ".zip", ".jar"];
    endings.iter().any(|ending| path.ends_with(ending))
}

/// A tar file that is only hashed.
struct Tar<'a, 'b> {
    reading: &'a mut Reading<'b>,
    seen: BTreeSet<String>,
    hasher: Sha256,
    left: u64,
}

impl Tar<'_, '_> {
    fn source(&mut self, root: &str, source: &Source) -> Option<()> {
        match source {
            Source::Path(path) if !is_archive(path) => {
                self.reading.read.files.insert(path.clone());
                self.folder(root, path)
            }
            Source::Assets(assets) => self.assets(root, assets),
            Source::Path(_) | Source::Text(_) | Source::Uri(_) => None,
        }
    }

    fn assets(&mut self, root: &str, assets: &Object) -> Option<()> {
        for (name, value) in assets {
            let name = joined(root, name);
            match value {
                Value::Asset(asset) => match &asset.source {
                    Source::Text(text) => self.file(&name, text.as_bytes())?,
                    Source::Path(path) => self.read(&name, path)?,
                    Source::Uri(_) | Source::Assets(_) => return None,
                },
                Value::Archive(archive) => self.source(&name, &archive.source)?,
                _ => return None,
            }
        }
        Some(())
    }

    /// All files of a folder, folder by folder in the order of their names.
    fn folder(&mut self, root: &str, path: &str) -> Option<()> {
        let whole = self.reading.dir.join(path);
        let mut names: Vec<String> = Vec::new();
        for entry in disk::list(&whole).ok()? {
            names.push(entry.name.to_str()?.to_owned());
        }
        names.sort();
        for name in names.iter().filter(|it| *it != ".pulumi") {
            let inner = format!("{path}/{name}");
            let at = self.reading.dir.join(&inner);
            let is_link = fs::symlink_metadata(&at).ok()?.is_symlink();
            if is_link && !self.reading.follows_links {
                self.reading.read.link = Some(inner);
                return None;
            }
            match fs::metadata(&at).ok()?.is_dir() {
                true if is_link => {}
                true => self.folder(&joined(root, name), &inner)?,
                false => self.read(&joined(root, name), &inner)?,
            }
        }
        Some(())
    }

    fn read(&mut self, name: &str, path: &str) -> Option<()> {
        self.reading.read.files.insert(path.to_owned());
        self.reading.may_go_on()?;
        let bytes = disk::read(&self.reading.dir.join(path), Limit::VALUE).ok()?;
        self.file(name, &bytes)
    }

    fn file(&mut self, name: &str, content: &[u8]) -> Option<()> {
        const BLOCK: usize = 512;
        // Longer names and other letters are written in a newer form.
        if !name.is_ascii() || name.len() > 100 {
            return None;
        }
        if !self.seen.insert(name.to_owned()) {
            return Some(());
        }
        self.left = self.left.checked_sub(content.len() as u64)?;
        self.reading.read.bytes += content.len() as u64;
        self.hasher.update(header(name, content.len()));
        self.hasher.update(content);
        let padding = content.len().next_multiple_of(BLOCK) - content.len();
        self.hasher.update(&[0; BLOCK][..padding]);
        Some(())
    }
}

fn joined(root: &str, name: &str) -> String {
    match root {
        "" => name.to_owned(),
        root => format!("{root}/{name}"),
    }
}

/// In the format of POSIX.1-1988, with nothing but a name, a mode and a size.
fn header(name: &str, size: usize) -> [u8; 512] {
    let mut header = [0; 512];
    let mut put = |at: usize, text: &str| {
        header[at..at + text.len()].copy_from_slice(text.as_bytes());
    };
    put(0, name);
    put(100, "0000600");
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, "00000000000");
    put(148, "        ");
    put(156, "0");
    put(257, "ustar");
    put(263, "00");
    put(329, "0000000");
    put(337, "0000000");
    let sum: u32 = header.iter().map(|it| u32::from(*it)).sum();
    header[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    header
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tar_file_is_the_one_that_others_write() {
        let header = header("a.txt", 3);
        assert_eq!(&header[148..156], b"010147\0 ");
        assert_eq!(&header[257..265], b"ustar\x0000");
    }

    #[test]
    fn local_archives_are_folders_or_named_like_archives() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a.txt"), "").unwrap();
        fs::write(at("a.zip"), "no archive").unwrap();
        for name in [".", "a.zip"] {
            assert_eq!(local(&at(name)), Ok(()), "{name}");
        }
        for (name, why) in [
            (
                "a.txt",
                "is neither a recognized archive type nor a directory",
            ),
            ("nowhere", "couldn't read archive path"),
            ("nowhere.zip", "no such file or directory"),
        ] {
            let found = local(&at(name)).unwrap_err();
            assert!(found.contains(why), "{found}");
        }
    }

    fn hash_in(dir: &Path, follows_links: bool, source: &Source) -> Option<String> {
        let read = Archives::default().read(dir, source, follows_links, u64::MAX);
        read.hash
    }

    #[test]
    fn an_archive_is_read_once() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("site")).unwrap();
        fs::write(dir.path().join("site/a"), "content").unwrap();
        let (archives, site) = (Archives::default(), Source::Path("site".to_owned()));
        let read = || archives.read(dir.path(), &site, false, u64::MAX);
        let first = read();
        fs::write(dir.path().join("site/a"), "changed").unwrap();
        let second = read();
        assert!(first.hash.is_some() && first.hash == second.hash);
        assert_eq!((first.bytes, second.bytes), (7, 7));
        assert_eq!(first.files, second.files);
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_with_a_link_is_hashed_only_where_links_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (project, outside) = (dir.path().join("project"), dir.path().join("outside"));
        fs::create_dir_all(project.join("site")).unwrap();
        fs::write(&outside, "secret").unwrap();
        let site = Source::Path("site".to_owned());
        assert!(hash_in(&project, false, &site).is_some());
        std::os::unix::fs::symlink(&outside, project.join("site/a")).unwrap();
        assert_eq!(hash_in(&project, false, &site), None);
        assert!(hash_in(&project, true, &site).is_some());
    }

    #[test]
    fn a_missing_archive_has_no_hash() {
        let of = |source| hash_in(Path::new("/nowhere"), false, &source);
        assert_eq!(
            of(Source::Uri("https://example.com/a.zip".to_owned())),
            None
        );
        assert_eq!(of(Source::Path("missing".to_owned())), None);
        assert_eq!(of(Source::Path("missing.zip".to_owned())), None);
        assert!(of(Source::Assets(Object::new())).is_some());
    }
}
