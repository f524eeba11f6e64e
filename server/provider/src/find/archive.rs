//! The archive that a package was unpacked from, where a mirror on this machine has it: the lock file's `zh:` is the
//! SHA-256 of the archive, and what is in it hashes as the unpacked package does.

use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::package_hash::{hex, summary};

/// The largest providers have 250 MiB.
const MAX_ARCHIVE: u64 = 1 << 30;

/// The `h1:` hash of a package in an archive of which `hashes` lists the `zh:` hash. None: it isn't one of these.
pub(crate) fn listed_package_hash(archive: &Path, hashes: &[String]) -> Option<String> {
    let is_small = fs::metadata(archive).is_ok_and(|it| it.is_file() && it.len() <= MAX_ARCHIVE);
    if !is_small || !hashes.iter().any(|hash| hash.starts_with("zh:")) {
        return None;
    }
    let bytes = fs::read(archive).ok()?;
    let hash = format!("zh:{}", hex(&Sha256::digest(&bytes)));
    let package_hash = package_hash(&bytes);
    hashes.contains(&hash).then_some(package_hash?)
}

fn package_hash(archive: &[u8]) -> Option<String> {
    let mut files = Vec::new();
    for member in state::archive::members(archive)? {
        if !member.name.ends_with('/') {
            let mut hasher = Sha256::new();
            member.unpack(&mut hasher)?;
            files.push((member.name.to_owned(), hasher.finalize().into()));
        }
    }
    files.sort();
    Some(summary(files))
}

#[cfg(test)]
pub(crate) mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::DeflateEncoder;

    use super::*;
    use crate::find::package_hash::package_hash as unpacked_hash;

    /// An archive with these files: those of an even number are compressed.
    pub(crate) fn archive(files: &[(&str, &[u8])]) -> Vec<u8> {
        let (mut bytes, mut directory) = (Vec::new(), Vec::new());
        for (number, (name, content)) in files.iter().enumerate() {
            let (method, packed) = match number % 2 {
                0 => {
                    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::fast());
                    encoder.write_all(content).unwrap();
                    (8_u16, encoder.finish().unwrap())
                }
                _ => (0, content.to_vec()),
            };
            let local = bytes.len() as u32;
            // From the version to the length of the extra field; no sums are looked at.
            let mut common = vec![20, 0, 0, 0];
            common.extend(method.to_le_bytes());
            common.extend([0; 8]);
            common.extend((packed.len() as u32).to_le_bytes());
            common.extend((content.len() as u32).to_le_bytes());
            common.extend((name.len() as u16).to_le_bytes());
            common.extend([0; 2]);
            bytes.extend(b"PK\x03\x04");
            bytes.extend(&common);
            bytes.extend(name.as_bytes());
            bytes.extend(packed);
            directory.extend(b"PK\x01\x02\x14\x00");
            directory.extend(&common);
            directory.extend([0; 10]);
            directory.extend(local.to_le_bytes());
            directory.extend(name.as_bytes());
        }
        let begin = bytes.len() as u32;
        bytes.extend(&directory);
        bytes.extend(b"PK\x05\x06");
        bytes.extend([0; 4]);
        bytes.extend([files.len() as u8, 0, files.len() as u8, 0]);
        bytes.extend((directory.len() as u32).to_le_bytes());
        bytes.extend(begin.to_le_bytes());
        bytes.extend(b"\x07\x00comment");
        bytes
    }

    const FILES: [(&str, &[u8]); 4] = [
        ("terraform-provider-x", b"binary binary binary"),
        ("docs/", b""),
        ("docs/a.md", b""),
        ("LICENSE", b"free"),
    ];

    #[test]
    fn an_archive_hashes_as_what_is_unpacked_from_it() {
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
        for length in 0..whole.len() - 12 {
            assert_eq!(package_hash(&whole[..length]), None, "{length}");
        }
        for at in 0..whole.len() {
            let mut broken = whole.clone();
            broken[at] ^= 0xff;
            package_hash(&broken);
        }
    }
}
