//! Decrypts secrets of Pulumi and states of OpenTofu that were encrypted with a passphrase.
//!
//! Both derive a key by PBKDF2 and encrypt by AES-GCM. Pulumi's key takes a million rounds with HMAC-SHA256, and a
//! ciphertext `v1:NONCE:CIPHERTEXT` holds a value in JSON. A crate of its own, so that it is optimized in every build.

use aes_gcm::aead::consts::U12;
use aes_gcm::aead::{Aead, Payload};
use aes_gcm::aes::Aes192;
use aes_gcm::{Aes128Gcm, Aes256Gcm, AesGcm, Key, KeyInit, Nonce};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Sha256, Sha512};

const ROUNDS: u32 = 1_000_000;

/// The length of a nonce in bytes.
const NONCE: usize = 12;

/// The hash function of a key derivation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hash {
    Sha256,
    Sha512,
}

/// The key of `length` bytes that PBKDF2 makes of a passphrase.
pub fn derive_key(
    hash: Hash,
    passphrase: &[u8],
    salt: &[u8],
    rounds: u32,
    length: usize,
) -> Vec<u8> {
    let mut key = vec![0; length];
    match hash {
        Hash::Sha256 => pbkdf2::pbkdf2_hmac::<Sha256>(passphrase, salt, rounds, &mut key),
        Hash::Sha512 => pbkdf2::pbkdf2_hmac::<Sha512>(passphrase, salt, rounds, &mut key),
    }
    key
}

/// Decrypts a nonce and the result of AES-GCM behind it. `None`: the key of 16, 24 or 32 bytes, `aad` (additional
/// authenticated data) or the ciphertext is wrong.
pub fn decrypt(key: &[u8], sealed: &[u8], aad: &[u8]) -> Option<Vec<u8>> {
    let (nonce, msg) = sealed.split_at_checked(NONCE)?;
    let nonce = Nonce::from_slice(nonce);
    let payload = Payload { msg, aad };
    let opened = match key.len() {
        16 => Aes128Gcm::new_from_slice(key).ok()?.decrypt(nonce, payload),
        24 => AesGcm::<Aes192, U12>::new_from_slice(key)
            .ok()?
            .decrypt(nonce, payload),
        32 => Aes256Gcm::new_from_slice(key).ok()?.decrypt(nonce, payload),
        _ => return None,
    };
    opened.ok()
}

/// A key that has decrypted something.
#[derive(Clone)]
pub struct Decrypter {
    cipher: Aes256Gcm,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum DecryptError {
    #[error("incorrect passphrase")]
    Incorrect,
    #[error("the encryption salt is not of the form v1:SALT:v1:NONCE:CIPHERTEXT")]
    Salt,
    #[error("not a ciphertext of the form v1:NONCE:CIPHERTEXT, or made with another key")]
    Ciphertext,
}

impl Decrypter {
    /// Derives the key, which takes a third of a second. `state` is `v1:SALT:v1:NONCE:CIPHERTEXT`; its end tells whether the
    /// passphrase is correct.
    pub fn new(passphrase: &str, state: &str) -> Result<Decrypter, DecryptError> {
        let rest = state.strip_prefix("v1:").ok_or(DecryptError::Salt)?;
        let (salt, proof) = rest.split_once(':').ok_or(DecryptError::Salt)?;
        let salt = BASE64_STANDARD.decode(salt);
        let salt = salt.map_err(|_| DecryptError::Salt)?;
        let mut key = [0; 32];
        pbkdf2::pbkdf2_hmac::<Sha256>(passphrase.as_bytes(), &salt, ROUNDS, &mut key);
        let decrypter = Decrypter {
            cipher: Aes256Gcm::new(Key::<Aes256Gcm>::from_slice(&key)),
        };
        match decrypter.decrypt(proof) {
            Ok(text) if text == "pulumi" => Ok(decrypter),
            _ => Err(DecryptError::Incorrect),
        }
    }

    /// The text of a ciphertext.
    pub fn decrypt(&self, ciphertext: &str) -> Result<String, DecryptError> {
        self.open(ciphertext).ok_or(DecryptError::Ciphertext)
    }

    fn open(&self, ciphertext: &str) -> Option<String> {
        let (nonce, sealed) = parts(ciphertext)?;
        let opened = self.cipher.decrypt(Nonce::from_slice(&nonce), &*sealed);
        String::from_utf8(opened.ok()?).ok()
    }
}

/// Whether a text has the form of a ciphertext.
pub fn is_ciphertext(text: &str) -> bool {
    parts(text).is_some()
}

/// The nonce and the sealed bytes of a ciphertext.
fn parts(ciphertext: &str) -> Option<(Vec<u8>, Vec<u8>)> {
    let (nonce, sealed) = ciphertext.strip_prefix("v1:")?.split_once(':')?;
    let nonce = BASE64_STANDARD.decode(nonce).ok()?;
    let sealed = BASE64_STANDARD.decode(sealed).ok()?;
    (nonce.len() == NONCE).then_some((nonce, sealed))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As `pulumi stack init` writes it for the passphrase `lens`.
    const SALT: &str = "v1:uzozjoNw5yg=:v1:ftUs3IkQPcEHPrI4:yUp/H2oPUQBMgeRDyol7HEx4+jYa6g==";

    #[test]
    fn values_encrypted_by_pulumi_are_decrypted() {
        let decrypter = Decrypter::new("lens", SALT).unwrap();
        let ciphertext = "v1:UpAGU6Y1igkPNGcX:+PLO133qWb1U400zjR26fJF8NrsFHjCWVTvJCA==";
        assert_eq!(decrypter.decrypt(ciphertext).unwrap(), "\"gen-a-0001\"");
        for other in [
            "",
            "v1:",
            "v1:AAAA:AAAA",
            "v2:UpAGU6Y1igkPNGcX:+PLO",
            &ciphertext[..40],
        ] {
            assert_eq!(decrypter.decrypt(other), Err(DecryptError::Ciphertext));
        }
    }

    #[test]
    fn another_passphrase_is_incorrect() {
        assert_eq!(
            Decrypter::new("other", SALT).err(),
            Some(DecryptError::Incorrect)
        );
        for salt in ["", "v1:", "v2:a:b", "v1:!:v1:a:b"] {
            assert_eq!(Decrypter::new("lens", salt).err(), Some(DecryptError::Salt));
        }
    }
}
