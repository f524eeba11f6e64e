//! The hash of an extracted provider package, as the lock file gives it: `h1:` and the base64 form of a SHA-256 over
//! the names and SHA-256 digests of all files, sorted by name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use disk::Limit;
use sha2::{Digest, Sha256};

/// Fails for a package that is larger than one may be: it is read before the user is asked about it.
pub(crate) fn package_hash(package: &Path) -> io::Result<String> {
    let files = files(package)?;
    let lengths = files.iter().map(|(_, path)| Ok(fs::metadata(path)?.len()));
    let length: u64 = lengths.sum::<io::Result<u64>>()?;
    if length > Limit::PACKAGE.bytes() {
        return Err(io::Error::other("it is too large"));
    }
    let files: io::Result<Vec<_>> = files
        .into_iter()
        .map(|(name, path)| Ok((name, file_digest(&path)?)))
        .collect();
    Ok(summary(files?))
}

/// The files of a package by their names, sorted. Their paths have no links in them but the last.
pub(crate) fn files(package: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    // An unpacked mirror is installed as a symbolic link to its folder.
    let package = disk::real(package)?;
    let mut files = Vec::new();
    list_files(&package, String::new(), &mut files)?;
    files.sort();
    Ok(files)
}

/// The hash of files with these names and digests, sorted.
pub(crate) fn summary(files: Vec<(String, [u8; 32])>) -> String {
    let mut summary = Sha256::new();
    for (name, digest) in files {
        summary.update(format!("{}  {name}\n", hex(&digest)));
    }
    format!("h1:{}", STANDARD.encode(summary.finalize()))
}

pub(crate) fn file_digest(path: &Path) -> io::Result<[u8; 32]> {
    let mut hasher = Sha256::new();
    io::copy(&mut disk::open(path, Limit::PACKAGE)?, &mut hasher)?;
    Ok(hasher.finalize().into())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn list_files(dir: &Path, prefix: String, files: &mut Vec<(String, PathBuf)>) -> io::Result<()> {
    for entry in disk::list(dir)? {
        let name = entry
            .name
            .into_string()
            .map_err(|_| io::ErrorKind::InvalidFilename)?;
        let name = if prefix.is_empty() {
            name
        } else {
            format!("{prefix}/{name}")
        };
        if entry.file_type.is_dir() {
            list_files(&entry.path, name, files)?;
        } else if files.len() == disk::MAX_ENTRIES {
            return Err(io::Error::other("it has too many files"));
        } else {
            files.push((name, entry.path));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_too_large_together_are_not_read() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["a", "b", "c"] {
            let file = fs::File::create(dir.path().join(name)).unwrap();
            // Without content on the disk.
            file.set_len(Limit::PACKAGE.bytes() / 2).unwrap();
        }
        let error = package_hash(dir.path()).unwrap_err();
        assert_eq!(error.to_string(), "it is too large");
    }

    /// The expected hash was made with `sha256sum` over the same three files.
    #[test]
    fn the_hash_covers_names_and_contents_in_order() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("terraform-provider-x"), "binary").unwrap();
        fs::write(dir.path().join("LICENSE"), "free").unwrap();
        fs::create_dir(dir.path().join("docs")).unwrap();
        fs::write(dir.path().join("docs/a.md"), "").unwrap();
        assert_eq!(
            package_hash(dir.path()).unwrap(),
            "h1:OiEetNgAqZRF9h4Si0CI+CF61MjHn8rA/dVWcOqBMkQ="
        );
    }
}
