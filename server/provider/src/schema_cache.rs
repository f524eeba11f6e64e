//! Schemas on disk by the hash of the package that they are from, so that they are there before any plugin runs.
//! Beside them stands which packages these were, by provider and version, for modules that have not installed theirs.
//!
//! A file holds the provider's answers to GetProviderSchema and GetResourceIdentitySchemas as they came, behind a line
//! that names the format, the protocol's number, a digest of the rest and the length of the first answer. Whatever is
//! not exactly that counts as absent and is written anew.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use config::{ProviderAddr, Version};
use disk::{Limit, write_private};
use sha2::{Digest, Sha256};

use crate::find::hex;
use crate::wire::Protocol;

const FORMAT: &[u8] = b"planlens schema 2\n";

/// A provider's description of itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CachedSchema {
    pub protocol: Protocol,
    pub schema: Bytes,
    /// Empty where it doesn't know the call.
    pub identities: Bytes,
}

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

    pub fn load(&self, package_hash: &str) -> Option<CachedSchema> {
        let file = Bytes::from(disk::read(&self.path(package_hash), Limit::HASHED).ok()?);
        let rest = file.strip_prefix(FORMAT)?;
        let (&protocol, rest) = rest.split_first()?;
        let (digest, rest) = rest.split_first_chunk::<32>()?;
        if digest[..] != Sha256::digest(rest)[..] {
            return None;
        }
        let (length, answers) = rest.split_first_chunk::<8>()?;
        let (schema, identities) = answers.split_at_checked(u64::from_le_bytes(*length) as usize)?;
        Some(CachedSchema {
            protocol: Protocol::from_number(protocol.into())?,
            schema: file.slice_ref(schema),
            identities: file.slice_ref(identities),
        })
    }

    /// The versions of a provider that there are schemas of, with the hash of each package.
    pub fn versions(&self, addr: &ProviderAddr) -> BTreeMap<String, String> {
        let named = disk::list(&self.named(addr)).unwrap_or_default();
        let versions = named.into_iter().filter_map(|entry| {
            let version = entry.name.into_string().ok()?;
            Version::parse(&version)?;
            let hash = disk::read_text(&entry.path, Limit::CONFIGURATION).ok()?;
            Some((version, hash))
        });
        versions.collect()
    }

    /// Remembers which package a version of a provider is.
    pub fn store_version(
        &self,
        addr: &ProviderAddr,
        version: &str,
        package_hash: &str,
    ) -> io::Result<()> {
        // It becomes the name of a file.
        if Version::parse(version).is_none() {
            return Ok(());
        }
        write_private(&self.named(addr).join(version), &[package_hash.as_bytes()])
    }

    fn named(&self, addr: &ProviderAddr) -> PathBuf {
        self.dir.join("versions").join(addr.to_string())
    }

    pub fn store(&self, package_hash: &str, stored: &CachedSchema) -> io::Result<()> {
        let path = self.path(package_hash);
        let length = (stored.schema.len() as u64).to_le_bytes();
        let rest: [&[u8]; 3] = [&length, &stored.schema, &stored.identities];
        let protocol = [stored.protocol.number() as u8];
        let digest = rest.iter().fold(Sha256::new(), Sha256::chain_update);
        let head: [&[u8]; 3] = [FORMAT, &protocol, &digest.finalize()];
        write_private(&path, &[head, rest].concat())
    }

    fn path(&self, package_hash: &str) -> PathBuf {
        self.dir.join(hex(&Sha256::digest(package_hash)))
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_damaged_file_counts_as_absent() {
        let dir = tempfile::tempdir().unwrap();
        let cache = SchemaCache::new(dir.path());
        assert!(cache.load("h1:x").is_none());
        let stored = CachedSchema {
            protocol: Protocol::V6,
            schema: Bytes::from_static(b"answer"),
            identities: Bytes::from_static(b"and another"),
        };
        cache.store("h1:x", &stored).unwrap();
        assert_eq!(cache.load("h1:x"), Some(stored.clone()));
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
        cache.store("h1:x", &stored).unwrap();
        assert!(cache.load("h1:x").is_some());
    }
}
