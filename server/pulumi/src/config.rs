//! The configuration of a stack: `Pulumi.STACK.yaml`.

use std::collections::BTreeMap;

use yaml::{File, Kind, Node, Resolved};

use crate::secrets::{Keys, SealedReason};
use crate::value::{Secret, Value};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// By `NAMESPACE:KEY`.
    pub values: BTreeMap<String, ConfigValue>,
    /// Why secrets could not be decrypted, if there are any that could not.
    pub sealed: Option<SealedReason>,
    /// Whether it names environments, whose values are not known here.
    pub has_environment: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ConfigValue {
    /// As it is written, unless it is a list or an object.
    pub text: Option<String>,
    /// As its content says.
    pub value: Value,
    pub is_secret: bool,
}

impl Config {
    /// `project` is the namespace of keys without one.
    pub fn read(text: &str, project: &str, keys: &Keys) -> Config {
        let file = File::parse(text);
        let salt = file
            .key("encryptionsalt")
            .and_then(|it| it.value.text().map(str::to_owned));
        let decrypter = salt.map(|salt| keys.decrypter(&salt));
        let mut reader = Reader {
            decrypter: decrypter.as_ref().and_then(|it| it.as_ref().ok()),
            is_sealed: false,
        };
        let mut values = BTreeMap::new();
        for item in file.entries("config") {
            let key = match item.name().split_once(':') {
                Some(_) => item.name().to_owned(),
                None => format!("{project}:{}", item.name()),
            };
            values.insert(key, reader.value(item.value));
        }
        let reason = || match &decrypter {
            Some(Err(reason)) => reason.clone(),
            Some(Ok(_)) => SealedReason::Passphrase(passphrase::DecryptError::Ciphertext),
            None => {
                let provider = file.key("secretsprovider");
                let provider = provider.and_then(|it| it.value.text().map(str::to_owned));
                SealedReason::Provider(provider.unwrap_or_default())
            }
        };
        Config {
            values,
            sealed: reader.is_sealed.then(reason),
            has_environment: file.key("environment").is_some(),
        }
    }

    /// The values by the names that a program of this project has for them.
    pub fn names<'a>(
        &'a self,
        project: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a ConfigValue)> {
        let values = self.values.iter();
        values.map(move |(key, value)| {
            let own = key
                .strip_prefix(project)
                .and_then(|it| it.strip_prefix(':'));
            (own.unwrap_or(key), value)
        })
    }

    /// Whether all resources of a package have to name their provider.
    pub fn disables_default_provider(&self, package: &str) -> bool {
        let disabled = self.values.get("pulumi:disable-default-providers");
        let disabled = disabled.map(|it| it.value.revealed());
        let Some(Value::Array(disabled)) = disabled else {
            return false;
        };
        let names = disabled.iter().filter_map(Value::as_str);
        names.into_iter().any(|it| it == package || it == "*")
    }

    /// What is configured for a package, without its name.
    pub fn of_package<'a>(
        &'a self,
        package: &str,
    ) -> impl Iterator<Item = (&'a str, &'a ConfigValue)> {
        let prefix = format!("{package}:");
        let values = self.values.iter();
        values.filter_map(move |(key, value)| {
            let key = key.strip_prefix(&prefix)?;
            // The form `PACKAGE:config:KEY` is the older one.
            Some((key.strip_prefix("config:").unwrap_or(key), value))
        })
    }
}

struct Reader<'a> {
    decrypter: Option<&'a passphrase::Decrypter>,
    is_sealed: bool,
}

impl Reader<'_> {
    fn value(&mut self, node: &Node) -> ConfigValue {
        if let Some(secret) = self.secure(node) {
            let text = secret.as_ref().ok().cloned();
            let value = match secret {
                Ok(text) => Value::secret(by_content(&text)),
                Err(ciphertext) => Value::Secret(Secret::Sealed(ciphertext)),
            };
            return ConfigValue {
                text,
                value,
                is_secret: true,
            };
        }
        let text = match &node.kind {
            Kind::Scalar(scalar) => Some(scalar.text.to_string()),
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Alias => None,
        };
        let value = self.nested(node);
        let value = match (&value, &text) {
            (Value::String(_), Some(text)) => by_content(text),
            _ => value,
        };
        ConfigValue {
            is_secret: value.has_secret(),
            value,
            text,
        }
    }

    /// The text of `secure: CIPHERTEXT`, or the ciphertext.
    fn secure(&mut self, node: &Node) -> Option<Result<String, String>> {
        let [entry] = node.entries() else {
            return None;
        };
        if entry.key.text() != Some("secure") {
            return None;
        }
        let ciphertext = entry.value.text()?;
        let text = self.decrypter.and_then(|it| it.decrypt(ciphertext).ok());
        self.is_sealed |= text.is_none();
        Some(text.ok_or_else(|| ciphertext.to_owned()))
    }

    fn nested(&mut self, node: &Node) -> Value {
        if let Some(secret) = self.secure(node) {
            return match secret {
                Ok(text) => Value::secret(Value::String(text)),
                Err(ciphertext) => Value::Secret(Secret::Sealed(ciphertext)),
            };
        }
        match &node.kind {
            Kind::Scalar(scalar) => match scalar.resolve() {
                Resolved::Null => Value::Null,
                Resolved::Bool(value) => Value::Bool(value),
                // As a person means it: a leading zero is part of a text.
                Resolved::Number(_) if is_padded(&scalar.text) => {
                    Value::String(scalar.text.to_string())
                }
                Resolved::Number(number) => Value::Number(number),
                Resolved::String => Value::String(scalar.text.to_string()),
            },
            Kind::Sequence(elements) => {
                Value::Array(elements.iter().map(|it| self.nested(it)).collect())
            }
            Kind::Mapping(entries) => {
                let entries = entries.iter();
                let entries = entries
                    .filter_map(|it| Some((it.key.text()?.to_owned(), self.nested(&it.value))));
                Value::Object(entries.collect())
            }
            Kind::Alias => Value::Null,
        }
    }
}

fn is_padded(text: &str) -> bool {
    let digits = text.trim_start_matches(['-', '+']);
    digits.len() > 1 && digits.starts_with('0') && !digits.starts_with("0.")
}

/// Values of a configuration are texts; those that are a number, a boolean or JSON count as such.
fn by_content(text: &str) -> Value {
    // A leading zero is part of a text.
    if text.len() > 1 && text.starts_with('0') && !text.starts_with("0.") {
        return Value::String(text.to_owned());
    }
    if let Ok(number) = text.parse::<i64>() {
        return Value::Number(number as f64);
    }
    match text {
        "t" | "T" | "true" | "TRUE" | "True" => return Value::Bool(true),
        "f" | "F" | "false" | "FALSE" | "False" => return Value::Bool(false),
        _ => {}
    }
    if let Ok(number) = text.parse() {
        return Value::Number(number);
    }
    match serde_json::from_str(text) {
        Ok(json) => crate::json::from_json(&json, &|_| None),
        Err(_) => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Config {
        Config::read(text, "shop", &Keys::default())
    }

    #[test]
    fn values_are_typed_by_their_content() {
        let config = read(
            "config:\n  shop:a: 1\n  b: \"1.5\"\n  c: 01\n  d: true\n  e: '[1, \"x\"]'\n  f: text\n  aws:region: eu\n  g:\n    h: [1, 01]\n",
        );
        let list = Value::Array(vec![Value::Number(1.0), "x".into()]);
        for (key, expected) in [
            ("shop:a", Value::Number(1.0)),
            ("shop:b", Value::Number(1.5)),
            ("shop:c", "01".into()),
            ("shop:d", Value::Bool(true)),
            ("shop:e", list),
            ("shop:f", "text".into()),
        ] {
            assert_eq!(config.values[key].value, expected, "{key}");
        }
        let of_aws: Vec<_> = config.of_package("aws").map(|(key, _)| key).collect();
        assert_eq!(of_aws, ["region"]);
        let object = &config.values["shop:g"];
        assert_eq!(object.text, None);
        assert!(!object.is_secret);
    }

    #[test]
    fn secrets_that_cannot_be_decrypted_stay_sealed() {
        let config = read(
            "encryptionsalt: v1:a:v1:b:c\nconfig:\n  a:\n    secure: v1:x:y\n  b:\n    c:\n      - secure: v1:x:y\n",
        );
        assert_eq!(config.sealed, Some(SealedReason::NoPassphrase));
        assert!(config.values.values().all(|it| it.is_secret));
    }

    #[test]
    fn secrets_are_decrypted_by_the_passphrase() {
        let salt = "v1:uzozjoNw5yg=:v1:ftUs3IkQPcEHPrI4:yUp/H2oPUQBMgeRDyol7HEx4+jYa6g==";
        let secret = "v1:kgJaRKeBqhvjM4LE:oCf//tLp4vxMgw6ZuqSOZg7vUIkqM5p6afHvug==";
        let text = format!("encryptionsalt: {salt}\nconfig:\n  a:\n    secure: {secret}\n");
        let config = Config::read(&text, "shop", &Keys::new(Some("lens".to_owned())));
        assert_eq!(config.sealed, None);
        assert_eq!(
            config.values["shop:a"].text.as_deref(),
            Some("\"gen-b-0001\"")
        );
    }
}
