//! Encrypted states, as OpenTofu 1.12.6 wrote them, and the `encryption` blocks that say how.

use config::Profile;
use plan::{LanguageChoice, Surroundings};

use crate::support::{World, fake, surroundings};

const SHA512: &str = include_str!("encryption/sha512.json");
const SHA256_WITH_AAD: &str = include_str!("encryption/sha256_with_aad.json");

const PASSPHRASE: &str = "correct horse battery staple";

/// The plan of a resource that has another value in the encrypted state. `variable` is `TF_ENCRYPTION`.
fn planned(state: &str, encryption: &str, variable: Option<&str>) -> String {
    let mut surroundings = Surroundings {
        language: LanguageChoice::pinned(Profile::NEWEST_OPENTOFU),
        ..surroundings()
    };
    if let Some(text) = variable {
        surroundings.variables.insert("TF_ENCRYPTION", text);
    }
    let encryption = match encryption {
        "" => String::new(),
        body => format!("terraform {{\n  encryption {{\n{body}\n  }}\n}}\n"),
    };
    let resource = "resource \"terraform_data\" \"a\" {\n  input = \"new\"\n}\n";
    let text = format!(
        "#- /main.tf\nvariable \"passphrase\" {{\n  default   = \"{PASSPHRASE}\"\n  sensitive = true\n}}\n{encryption}{resource}"
    );
    let mut world = World::with(&text, surroundings, fake());
    world.set("/terraform.tfstate", state);
    let plan = world.plan();
    let told = world.show(&plan);
    assert!(!told.contains("horse"), "{told}");
    told
}

fn is_decrypted(told: &str) -> bool {
    told.contains("input: \"MARKER-SECRET\" -> \"new\"") && !told.contains("error")
}

fn pbkdf2(name: &str, arguments: &str) -> String {
    format!("key_provider \"pbkdf2\" \"{name}\" {{\n{arguments}\n}}\n")
}

fn aes_gcm(name: &str, key: &str) -> String {
    format!("method \"aes_gcm\" \"{name}\" {{\n  keys = key_provider.pbkdf2.{key}\n}}\n")
}

#[test]
fn an_encrypted_state_is_decrypted() {
    let state = "state {\n  method   = method.aes_gcm.m\n  enforced = true\n}";
    let passphrase = pbkdf2("k", "passphrase = var.passphrase");
    let encryption = format!("{passphrase}{}{state}", aes_gcm("m", "k"));
    let told = planned(SHA512, &encryption, None);
    assert!(is_decrypted(&told), "{told}");
    // The settings of a new key do not count for the one that is there, but its authenticated data does.
    let told = planned(SHA256_WITH_AAD, &encryption, None);
    assert!(told.contains("message authentication failed"), "{told}");
    let encryption = encryption.replace("keys = ", "aad  = [1, 2, 3]\n  keys = ");
    let told = planned(SHA256_WITH_AAD, &encryption, None);
    assert!(is_decrypted(&told), "{told}");
}

#[test]
fn a_fallback_decrypts_what_the_first_method_does_not() {
    let new = pbkdf2("new", "passphrase = \"another horse of 16 letters\"");
    let old = |alias: &str| pbkdf2("old", &format!("passphrase = var.passphrase\n{alias}"));
    let methods = aes_gcm("m", "new") + &aes_gcm("old", "old");
    let state = "state {\n  method = method.aes_gcm.m\n  fallback {\n    method = method.aes_gcm.old\n  }\n}";
    let alias = "encrypted_metadata_alias = \"key_provider.pbkdf2.k\"";
    let encryption = format!("{new}{}{methods}{state}", old(alias));
    let told = planned(SHA512, &encryption, None);
    assert!(is_decrypted(&told), "{told}");
    // By its own name it is not named in the file.
    let told = planned(SHA512, &format!("{new}{}{methods}{state}", old("")), None);
    assert!(told.contains("no decryption key available"), "{told}");
}

#[test]
fn a_state_that_is_not_encrypted_needs_the_unencrypted_method() {
    let plain = r#"{"version": 4, "terraform_version": "1.12.6", "serial": 1, "lineage": "a", "resources": []}"#;
    let key = pbkdf2("k", "passphrase = var.passphrase") + &aes_gcm("m", "k");
    let told = planned(
        plain,
        &format!("{key}state {{\n  method = method.aes_gcm.m\n}}"),
        None,
    );
    let why = "encountered unencrypted payload without unencrypted method configured";
    assert!(told.contains(why), "{told}");
    let told = planned(
        plain,
        &format!(
            "{key}method \"unencrypted\" \"u\" {{\n}}\nstate {{\n  method = method.aes_gcm.m\n  fallback {{\n    method = method.unencrypted.u\n  }}\n}}"
        ),
        None,
    );
    assert!(!told.contains("error"), "{told}");
    // Nothing was written yet.
    let told = planned(
        "",
        &format!("{key}state {{\n  method = method.aes_gcm.m\n}}"),
        None,
    );
    assert!(!told.contains("error"), "{told}");
}

#[test]
fn wrong_passphrases_and_a_missing_configuration_are_reported() {
    let told = planned(SHA512, "", None);
    assert!(
        told.contains(
            "the state file is encrypted and can not be read without an encryption configuration"
        ),
        "{told}"
    );
    let wrong = pbkdf2("k", "passphrase = \"incorrect horse battery\"") + &aes_gcm("m", "k");
    let told = planned(
        SHA512,
        &format!("{wrong}state {{\n  method = method.aes_gcm.m\n}}"),
        None,
    );
    assert!(
        told.contains("decryption failed for all provided methods"),
        "{told}"
    );
    assert!(!told.contains("MARKER"), "{told}");
    let broken = SHA512.replace("eyJ", "?");
    let told = planned(
        &broken,
        &format!("{wrong}state {{\n  method = method.aes_gcm.m\n}}"),
        None,
    );
    assert!(
        told.contains("did you change your encryption config"),
        "{told}"
    );
}

#[test]
fn tf_encryption_is_merged_over_the_configuration() {
    let native = format!("key_provider \"pbkdf2\" \"k\" {{\n  passphrase = \"{PASSPHRASE}\"\n}}\n");
    let method = aes_gcm("m", "k") + "state {\n  method = method.aes_gcm.m\n}\n";
    let told = planned(SHA512, "", Some(&(native.clone() + &method)));
    assert!(is_decrypted(&told), "{told}");
    let wrong = pbkdf2("k", "passphrase = \"incorrect horse battery\"") + &method;
    let told = planned(SHA512, &wrong, Some(&native));
    assert!(is_decrypted(&told), "{told}");
    let json = format!(
        r#"{{"key_provider": {{"pbkdf2": {{"k": {{"passphrase": "{PASSPHRASE}"}}}}}},
            "method": {{"aes_gcm": {{"m": {{"keys": "${{key_provider.pbkdf2.k}}"}}}}}},
            "state": {{"method": "method.aes_gcm.m"}}}}"#
    );
    let told = planned(SHA512, "", Some(&json));
    assert!(is_decrypted(&told), "{told}");
}

#[test]
fn wrong_encryption_blocks_are_reported() {
    let method = aes_gcm("m", "k") + "state {\n  method = method.aes_gcm.m\n}\n";
    let told = |key: &str| planned("", &format!("{key}{method}"), None);
    for (key, wanted) in [
        (
            pbkdf2("k", "passphrase = \"short\""),
            "Unable to build encryption key data: key_provider.pbkdf2.k failed with error: passphrase is too short (minimum 16 characters)",
        ),
        (
            pbkdf2("k", "passphrase = var.passphrase\ncolour = 1"),
            "Unsupported argument",
        ),
        (
            pbkdf2("k", "passphrase = var.passphrase\niterations = 10"),
            "the number of iterations is dangerously low (<200000), refusing to generate key",
        ),
        (
            pbkdf2("k", "passphrase = terraform_data.a.id"),
            "Dynamic value in static context",
        ),
        (
            pbkdf2("k", "passphrase = var.passphrase\nkey_length = 10"),
            "invalid method configuration: AES-GCM requires the key length to be one of: 16, 24, 32, received 10 bytes in the encryption key",
        ),
        (pbkdf2("other", ""), "Reference to undeclared key provider"),
        (
            pbkdf2("k", "chain = key_provider.pbkdf2.k"),
            "Circular reference detected",
        ),
    ] {
        let told = told(&key);
        assert!(told.contains(wanted), "{told}");
    }
    let unknown = |kind: &str| method.replace("aes_gcm", kind);
    let key = pbkdf2("k", "passphrase = var.passphrase");
    let told = planned("", &format!("{key}{}", unknown("rot13")), None);
    assert!(
        told.contains("Error fetching encryption method \"rot13\""),
        "{told}"
    );
    // What planlens does not ask is no error before something has to be decrypted.
    let told = planned("", &format!("{key}{}", unknown("external")), None);
    assert!(!told.contains("error"), "{told}");
    let told = planned(SHA512, &format!("{key}{}", unknown("external")), None);
    assert!(
        told.contains("planlens does not support the method \"external\""),
        "{told}"
    );
}

#[test]
fn encryption_refers_to_what_it_declares() {
    let told = |state: &str| {
        let good = pbkdf2("k", "passphrase = var.passphrase");
        let methods = aes_gcm("good", "k") + &aes_gcm("bad", "nowhere");
        let text = format!(
            "{good}{methods}method \"unencrypted\" \"migrate\" {{\n}}\nstate {{\n{state}\n}}"
        );
        let told = planned("", &text, None);
        assert!(told.contains("Unencrypted method configured"), "{told}");
        told
    };
    let fallback = "\n      fallback {\n        method = method.unencrypted.migrate\n      }";
    assert!(!told("method = method.aes_gcm.good").contains("error"));
    assert!(!told(&format!("method = method.aes_gcm.good{fallback}")).contains("error"));
    let enforced = format!("enforced = true\n      method = method.aes_gcm.good{fallback}");
    let wanted = "Unable to use unencrypted method since the enforced flag is set.";
    assert!(told(&enforced).contains(wanted));
    let wanted =
        "There is no method \"aes_gcm\" \"nowhere\" block declared in the encryption block.";
    assert!(told("method = method.aes_gcm.nowhere").contains(wanted));
    let wanted =
        "There is no key_provider \"pbkdf2\" \"nowhere\" block declared in the encryption block.";
    assert!(told("method = method.aes_gcm.bad").contains(wanted));
}
