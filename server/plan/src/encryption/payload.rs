//! Encrypted files.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use smol_str::SmolStr;
use state::StateError;

use super::{Encryption, KeyProvider, Method, Passphrase, Unusable, hash};

/// `basedata` and `statedata` of OpenTofu.
#[derive(Deserialize, Default)]
#[serde(default)]
struct Payload {
    encryption_version: String,
    encrypted_data: String,
    /// By the name of the key provider, in base 64.
    meta: BTreeMap<SmolStr, String>,
    serial: Option<u64>,
    lineage: String,
    terraform_version: String,
}

/// The metadata of a key in an encrypted file.
#[derive(Deserialize)]
struct Metadata {
    salt: String,
    iterations: u32,
    hash_function: String,
    key_length: usize,
}

/// No file asks for more: a minute of work, and the longest key that another one is made of.
const MAXIMUM_ITERATIONS: u32 = 50_000_000;
const MAXIMUM_KEY_LENGTH: usize = 1024;

impl Encryption {
    /// The plain text of a state file.
    pub fn decrypt(&self, text: &str) -> Result<String, StateError> {
        let payload: Payload = serde_json::from_str(text).unwrap_or_default();
        match payload.encryption_version.as_str() {
            // A text that is not a state is reported when it is read.
            "" if payload.terraform_version.is_empty() => Ok(text.to_owned()),
            "" => {
                let mut methods = self.methods.iter();
                match methods.any(|it| matches!(it, Ok(Method::Unencrypted))) {
                    true => Ok(text.to_owned()),
                    false => Err(refused(
                        "encountered unencrypted payload without unencrypted method configured",
                    )),
                }
            }
            "v0" => {
                let plain = self.open(&payload)?;
                let inner: Payload = serde_json::from_str(&plain).unwrap_or_default();
                if payload.serial.is_some() && payload.serial != inner.serial {
                    return Err(refused("invalid state metadata, serial field mismatch"));
                }
                if !payload.lineage.is_empty() && payload.lineage != inner.lineage {
                    return Err(refused("invalid state metadata, linage field mismatch"));
                }
                Ok(plain)
            }
            _ => Err(refused("invalid encrypted payload version")),
        }
    }

    /// By the first method that fits.
    fn open(&self, payload: &Payload) -> Result<String, StateError> {
        let sealed = BASE64_STANDARD.decode(&payload.encrypted_data);
        let sealed = sealed.map_err(|_| refused("the encrypted data is not valid base64"))?;
        let mut failures = Vec::new();
        let mut names = BTreeSet::new();
        for method in &self.methods {
            let (keys, aad) = match method {
                Ok(Method::AesGcm { keys, aad }) => (keys, aad),
                Ok(Method::Unencrypted) => continue,
                Err(Unusable(why)) => return Err(refused(why)),
            };
            for name in keys.metadata_names() {
                if !names.insert(name) {
                    return Err(refused(&format!(
                        "the metadata key {name} is duplicated across multiple key providers for the same method; use the encrypted_metadata_alias option to specify unique metadata keys for each key provider in an encryption method"
                    )));
                }
            }
            let failure = match keys.key(payload)? {
                None => "no decryption key available",
                Some(key) => match passphrase::decrypt(&key, &sealed, aad) {
                    Some(plain) => {
                        let plain = String::from_utf8(plain);
                        return plain.map_err(|_| refused("the decrypted data is not text"));
                    }
                    None => "decryption failed: cipher: message authentication failed",
                },
            };
            failures.push(format!("attempted decryption failed for state: {failure}"));
        }
        Err(refused(&format!(
            "decryption failed for all provided methods: {}",
            failures.join("; ")
        )))
    }
}

impl KeyProvider {
    /// Of this one, and of those that its passphrase comes from.
    fn metadata_names(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(Some(self), |provider| match &provider.passphrase {
            Passphrase::Chain(chain) => Some(chain),
            Passphrase::Text(_) => None,
        })
        .map(|provider| provider.metadata.as_str())
    }

    /// The key that a file was encrypted with. `None`: it has no metadata of this provider.
    fn key(&self, payload: &Payload) -> Result<Option<Vec<u8>>, StateError> {
        let Some(stored) = payload.meta.get(self.metadata.as_str()) else {
            return Ok(None);
        };
        let wrong = || {
            refused(&format!(
                "metadata decoder for {} failed (did you change your encryption config?)",
                self.metadata
            ))
        };
        let stored = BASE64_STANDARD.decode(stored).map_err(|_| wrong())?;
        let stored: Metadata = serde_json::from_slice(&stored).map_err(|_| wrong())?;
        let salt = BASE64_STANDARD.decode(&stored.salt).map_err(|_| wrong())?;
        let hash = hash(&stored.hash_function).map_err(|why| refused(&why))?;
        let is_possible = stored.iterations <= MAXIMUM_ITERATIONS
            && stored.key_length <= MAXIMUM_KEY_LENGTH
            && stored.iterations > 0;
        if !is_possible {
            return Err(wrong());
        }
        let passphrase = match &self.passphrase {
            Passphrase::Text(text) => text.as_bytes().to_vec(),
            Passphrase::Chain(chain) => match chain.key(payload)? {
                Some(key) => key,
                None => return Ok(None),
            },
        };
        let (rounds, length) = (stored.iterations, stored.key_length);
        let key = passphrase::derive_key(hash, &passphrase, &salt, rounds, length);
        Ok(Some(key))
    }
}

fn refused(why: &str) -> StateError {
    StateError::NotDecrypted {
        why: why.to_owned(),
    }
}
