//! The archive that a package was unpacked from, where a mirror on this machine has it: the lock file's `zh:` is the
//! SHA-256 of the archive, and what is in it hashes as the unpacked package does.
//!
//! Follows APPNOTE.TXT of the ZIP format, without its 64-bit extensions, which no provider needs.

use std::fs;
use std::io::{self, Read as _};
use std::path::Path;

use flate2::read::DeflateDecoder;
use sha2::{Digest, Sha256};

use super::package_hash::{hex, summary};

/// The largest providers have 250 MiB.
const MAX_ARCHIVE: u64 = 1 << 30;

const END: &[u8] = b"PK\x05\x06";
const END_LENGTH: usize = 22;
const LISTED_LENGTH: usize = 46;
const LOCAL_LENGTH: usize = 30;

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
    // A comment of at most 64 KiB may stand behind the end record.
    let tail = archive.len().saturating_sub(END_LENGTH + (1 << 16));
    let end = archive[tail..]
        .windows(END.len())
        .rposition(|it| it == END)?
        + tail;
    let count = short(archive, end + 10)?;
    let mut at = long(archive, end + 16)?;
    let mut files = Vec::new();
    for _ in 0..count {
        let name_length = short(archive, at + 28)?;
        let name = at + LISTED_LENGTH;
        let name = std::str::from_utf8(archive.get(name..name + name_length)?).ok()?;
        if !name.ends_with('/') {
            files.push((name.to_owned(), digest(archive, at)?));
        }
        at += LISTED_LENGTH + name_length + short(archive, at + 30)? + short(archive, at + 32)?;
    }
    files.sort();
    Some(summary(files))
}

/// The digest of the file whose entry in the directory is here.
fn digest(archive: &[u8], listed: usize) -> Option<[u8; 32]> {
    let method = short(archive, listed + 10)?;
    let (packed, unpacked) = (long(archive, listed + 20)?, long(archive, listed + 24)?);
    let local = long(archive, listed + 42)?;
    let begin = local + LOCAL_LENGTH + short(archive, local + 26)? + short(archive, local + 28)?;
    let packed = archive.get(begin..begin.checked_add(packed)?)?;
    let mut hasher = Sha256::new();
    let length = match method {
        0 => io::copy(&mut { packed }, &mut hasher).ok()?,
        8 => {
            let unpacked = DeflateDecoder::new(packed).take(unpacked as u64 + 1);
            io::copy(&mut { unpacked }, &mut hasher).ok()?
        }
        _ => return None,
    };
    (length == unpacked as u64).then(|| hasher.finalize().into())
}

fn short(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes).into())
}

fn long(bytes: &[u8], at: usize) -> Option<usize> {
    let bytes = bytes.get(at..)?.first_chunk()?;
    u32::from_le_bytes(*bytes).try_into().ok()
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
        bytes.extend(END);
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
