//! Schemas on disk by the hash of the package that they are from, so that they are there before any plugin runs.
//!
//! A file holds the provider's answer to GetProviderSchema as it came, behind a line that names the format, the
//! protocol's number and a digest of the answer. Whatever is not exactly that counts as absent and is written anew.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;

use sha2::{Digest, Sha256};

use crate::find::hex;
use crate::wire::Protocol;

const FORMAT: &[u8] = b"planlens schema 1\n";

#[derive(Debug, Clone)]
pub(crate) struct SchemaCache {
    dir: PathBuf,
}

impl SchemaCache {
    pub fn new(cache_dir: &Path) -> SchemaCache {
        SchemaCache {
            dir: cache_dir.join("schemas"),
        }
    }

    pub fn load(&self, package_hash: &str) -> Option<(Protocol, Vec<u8>)> {
        let mut file = fs::read(self.path(package_hash)).ok()?;
        let rest = file.strip_prefix(FORMAT)?;
        let (&protocol, rest) = rest.split_first()?;
        let (digest, response) = rest.split_first_chunk::<32>()?;
        if digest[..] != Sha256::digest(response)[..] {
            return None;
        }
        let protocol = Protocol::from_number(protocol.into())?;
        let response_length = response.len();
        file.drain(..file.len() - response_length);
        Some((protocol, file))
    }

    pub fn store(&self, package_hash: &str, protocol: Protocol, response: &[u8]) -> io::Result<()> {
        fs::create_dir_all(&self.dir)?;
        let path = self.path(package_hash);
        // Others may read or write it at the same time.
        let temporary = path.with_extension(format!("{}.tmp", process::id()));
        let digest = Sha256::digest(response);
        let protocol = [protocol.number() as u8];
        fs::write(&temporary, [FORMAT, &protocol, &digest, response].concat())?;
        fs::rename(&temporary, &path)
    }

    fn path(&self, package_hash: &str) -> PathBuf {
        self.dir.join(hex(&Sha256::digest(package_hash)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_file_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = SchemaCache::new(dir.path());
        assert!(cache.load("h1:x").is_none());
        cache.store("h1:x", Protocol::V6, b"answer").unwrap();
        assert_eq!(cache.load("h1:x"), Some((Protocol::V6, b"answer".to_vec())));
        assert!(cache.load("h1:y").is_none());
        let path = cache.path("h1:x");
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert!(cache.load("h1:x").is_none(), "{length}");
        }
        let mut changed = whole.clone();
        *changed.last_mut().unwrap() ^= 1;
        fs::write(&path, changed).unwrap();
        assert!(cache.load("h1:x").is_none());
        cache.store("h1:x", Protocol::V6, b"answer").unwrap();
        assert!(cache.load("h1:x").is_some());
    }
}
