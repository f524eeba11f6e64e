//! `rsadecrypt`: PKCS #1 v1.5 decryption with a private key in PEM form.

use cty::{Type, Value, budget};
use num_bigint::BigUint;

use super::encoding::decode_base64;
use super::{quoted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::string("rsadecrypt", rsadecrypt)
            .takes(Param::string("ciphertext"))
            .takes(Param::string("privatekey")),
    ]
}

fn rsadecrypt(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let Some(ciphertext) = decode_base64(text(&args[0])) else {
        let shown = quoted(text(&args[0]));
        let message = format!("failed to decode input {shown}: cipher text must be base64-encoded");
        return Err(CallError::argument(0, message));
    };
    let key = PrivateKey::parse(text(&args[1])).map_err(|error| CallError::argument(1, error))?;
    let decrypted = key
        .decrypt(&ciphertext)
        .ok_or("failed to decrypt: crypto/rsa: decryption error")?;
    Ok(Value::string(String::from_utf8_lossy(&decrypted)))
}

struct PrivateKey {
    modulus: BigUint,
    exponent: BigUint,
}

impl PrivateKey {
    fn parse(pem: &str) -> Result<PrivateKey, &'static str> {
        const NO_KEY: &str = "invalid private key: ssh: no key found";
        const NOT_ASN1: &str = "invalid ASN1 data in the given private key";
        let (_, rest) = pem.split_once("-----BEGIN ").ok_or(NO_KEY)?;
        let (kind, rest) = rest.split_once("-----").ok_or(NO_KEY)?;
        let (body, _) = rest.split_once("-----END ").ok_or(NO_KEY)?;
        if body.contains("ENCRYPTED") || kind.contains("ENCRYPTED") {
            return Err("invalid private key: ssh: this private key is passphrase protected");
        }
        let der = decode_base64(&body.replace([' ', '\t'], "")).ok_or(NO_KEY)?;
        match kind {
            "RSA PRIVATE KEY" => PrivateKey::from_pkcs1(&der).ok_or(NOT_ASN1),
            "PRIVATE KEY" => PrivateKey::from_pkcs8(&der).ok_or(NOT_ASN1),
            "OPENSSH PRIVATE KEY" => PrivateKey::from_openssh(&der)
                .ok_or("invalid private key: ssh: invalid openssh private key format"),
            _ => Err("invalid private key: ssh: unsupported key type"),
        }
    }

    /// A sequence of version, modulus, public exponent, private exponent and more.
    fn from_pkcs1(der: &[u8]) -> Option<PrivateKey> {
        let (sequence, _) = der_value(der, 0x30)?;
        let (_version, rest) = der_value(sequence, 0x02)?;
        let (modulus, rest) = der_value(rest, 0x02)?;
        let (_public_exponent, rest) = der_value(rest, 0x02)?;
        let (exponent, _) = der_value(rest, 0x02)?;
        Some(PrivateKey::new(modulus, exponent))
    }

    /// A sequence of version, algorithm and the PKCS #1 form in an octet string.
    fn from_pkcs8(der: &[u8]) -> Option<PrivateKey> {
        let (sequence, _) = der_value(der, 0x30)?;
        let (_version, rest) = der_value(sequence, 0x02)?;
        let (_algorithm, rest) = der_value(rest, 0x30)?;
        let (key, _) = der_value(rest, 0x04)?;
        PrivateKey::from_pkcs1(key)
    }

    /// After the header and the public key: two check numbers, the kind, modulus, public exponent,
    /// private exponent and more.
    fn from_openssh(content: &[u8]) -> Option<PrivateKey> {
        let rest = content.strip_prefix(b"openssh-key-v1\0")?;
        let (cipher, rest) = ssh_value(rest)?;
        let (_derivation, rest) = ssh_value(rest)?;
        let (_options, rest) = ssh_value(rest)?;
        let rest = rest.get(4..).filter(|_| cipher == b"none")?;
        let (_public_key, rest) = ssh_value(rest)?;
        let (private_keys, _) = ssh_value(rest)?;
        let (kind, rest) = ssh_value(private_keys.get(8..)?)?;
        let (modulus, rest) = ssh_value(rest).filter(|_| kind == b"ssh-rsa")?;
        let (_public_exponent, rest) = ssh_value(rest)?;
        let (exponent, _) = ssh_value(rest)?;
        Some(PrivateKey::new(modulus, exponent))
    }

    fn new(modulus: &[u8], exponent: &[u8]) -> PrivateKey {
        PrivateKey {
            modulus: BigUint::from_bytes_be(modulus),
            exponent: BigUint::from_bytes_be(exponent),
        }
    }

    /// The part behind `00 02`, at least eight bytes of padding and `00`.
    fn decrypt(&self, ciphertext: &[u8]) -> Option<Vec<u8>> {
        let message = BigUint::from_bytes_be(ciphertext);
        // Larger keys are not in use, and would take long.
        if self.modulus.bits() < 88 || self.modulus.bits() > 16_384 || message >= self.modulus {
            return None;
        }
        let words = self.modulus.bits() / 64;
        budget::spend((words * words * self.exponent.bits() / 16) as usize);
        let padded = message.modpow(&self.exponent, &self.modulus).to_bytes_be();
        let size = usize::try_from(self.modulus.bits().div_ceil(8)).ok()?;
        let padded = padded
            .strip_prefix(&[2])
            .filter(|rest| rest.len() + 2 == size)?;
        let end = padded
            .iter()
            .position(|byte| *byte == 0)
            .filter(|end| *end >= 8)?;
        Some(padded[end + 1..].to_vec())
    }
}

/// The content of a DER value with this tag, and the bytes behind it.
fn der_value(der: &[u8], tag: u8) -> Option<(&[u8], &[u8])> {
    let (found, rest) = der.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        0..=0x7f => (usize::from(*first), rest),
        0x81..=0x84 => {
            let (bytes, rest) = rest.split_at_checked(usize::from(first - 0x80))?;
            (
                bytes
                    .iter()
                    .fold(0, |length, byte| (length << 8) | usize::from(*byte)),
                rest,
            )
        }
        _ => return None,
    };
    rest.split_at_checked(length).filter(|_| *found == tag)
}

/// A string of SSH's binary form, and the bytes behind it.
fn ssh_value(content: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = content.split_at_checked(4)?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(length.try_into().ok()?)).ok()?)
}
