//! The archive that a package was unpacked from, where a mirror on this machine has it: the lock file's `zh:` is the
//! SHA-256 of the archive, and its content hashes as the unpacked package does.

use std::io::{self, Cursor};
use std::path::Path;

use disk::Limit;
use sha2::{Digest, Sha256};
use zip::ZipArchive;

use super::package_hash::{hex, summary};

/// The `h1:` hash of a package in an archive of which `hashes` lists the `zh:` hash. None: it isn't one of these.
pub(crate) fn listed_package_hash(archive: &Path, hashes: &[String]) -> Option<String> {
    if !hashes.iter().any(|hash| hash.starts_with("zh:")) {
        return None;
    }
    let bytes = disk::read(archive, Limit::HASHED).ok()?;
    let hash = format!("zh:{}", hex(&Sha256::digest(&bytes)));
    match hashes.contains(&hash) {
        true => package_hash(&bytes),
        false => None,
    }
}

fn package_hash(archive: &[u8]) -> Option<String> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).ok()?;
    let mut files = Vec::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).ok()?;
        if file.is_file() {
            let mut hasher = Sha256::new();
            io::copy(&mut file, &mut hasher).ok()?;
            let name = file.name().ok()?.into_owned();
            files.push((name, hasher.finalize().into()));
        }
    }
    files.sort();
    Some(summary(files))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::fs;
    use std::io::Write as _;

    use zip::CompressionMethod;
    use zip::write::{SimpleFileOptions, ZipWriter};

    use super::*;
    use crate::find::package_hash::package_hash as unpacked_hash;

    /// An archive with these files: every second is not compressed.
    pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let methods = [CompressionMethod::Deflated, CompressionMethod::Stored];
        for ((name, content), method) in files.iter().zip(methods.into_iter().cycle()) {
            let options = SimpleFileOptions::default().compression_method(method);
            writer.start_file(*name, options).unwrap();
            writer.write_all(content).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    const FILES: [(&str, &[u8]); 4] = [
        ("terraform-provider-x", b"binary binary binary"),
        ("docs/", b""),
        ("docs/a.md", b""),
        ("LICENSE", b"free"),
    ];

    #[test]
    fn an_archive_hashes_as_its_unpacked_files() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("docs")).unwrap();
        for (name, content) in FILES.iter().filter(|(name, _)| !name.ends_with('/')) {
            fs::write(dir.path().join(name), content).unwrap();
        }
        let bytes = archive(&FILES);
        assert_eq!(package_hash(&bytes), unpacked_hash(dir.path()).ok());
    }

    #[test]
    fn broken_archives_hash_as_nothing_and_cost_no_more_than_they_are_long() {
        let whole = archive(&FILES);
        for length in 0..whole.len() {
            assert_eq!(package_hash(&whole[..length]), None, "{length}");
        }
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            package_hash(&broken);
        }
    }
}
