//! Decryption by a passphrase, which is derived once for each salt.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use passphrase::{DecryptError, Decrypter};

/// Decrypts secrets. The passphrase comes from the environment.
#[derive(Default)]
pub struct Keys {
    passphrase: Option<String>,
    derived: Mutex<HashMap<String, Result<Decrypter, DecryptError>>>,
}

/// Why secrets stay sealed.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum SealedReason {
    #[error(
        "passphrase must be set with PULUMI_CONFIG_PASSPHRASE or PULUMI_CONFIG_PASSPHRASE_FILE environment variables"
    )]
    NoPassphrase,
    #[error("{0}")]
    Passphrase(#[from] DecryptError),
    #[error("secrets of the provider {0:?} cannot be decrypted here")]
    Provider(String),
}

impl Keys {
    pub fn new(passphrase: Option<String>) -> Keys {
        Keys {
            passphrase,
            derived: Mutex::default(),
        }
    }

    /// The key for the secrets of a stack with this salt.
    pub fn decrypter(&self, salt: &str) -> Result<Decrypter, SealedReason> {
        let passphrase = self.passphrase.as_ref().ok_or(SealedReason::NoPassphrase)?;
        let mut derived = self.derived.lock().unwrap_or_else(PoisonError::into_inner);
        let decrypter = derived.entry(salt.to_owned());
        let decrypter = decrypter.or_insert_with(|| Decrypter::new(passphrase, salt));
        Ok(decrypter.clone()?)
    }
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Keys")
    }
}
