//! The configuration of a stack: `Pulumi.STACK.yaml`.

use std::collections::BTreeMap;

use text::{Problem, Span};
use yaml::{File, Kind, Node, Resolved, Scalar, Style};

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
    /// What of it, or of the project's declaration, is wrong.
    pub problems: Vec<Problem<Option<Span>>>,
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
            problems: Vec::new(),
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
        let value = self.nested(node);
        let text = match &node.kind {
            Kind::Scalar(_) => Some(as_text(&value)),
            Kind::Sequence(_) | Kind::Mapping(_) | Kind::Alias => None,
        };
        let value = text.as_deref().map_or(value, by_content);
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
            Kind::Scalar(scalar) => scalar_value(scalar),
            Kind::Sequence(elements) => {
                Value::Array(elements.iter().map(|it| self.nested(it)).collect())
            }
            Kind::Mapping(entries) => {
                let entries = entries.iter();
                let entries =
                    entries.filter_map(|it| Some((key(&it.key)?, self.nested(&it.value))));
                Value::Object(entries.collect())
            }
            Kind::Alias => Value::Null,
        }
    }
}

/// A value of a project file, where nothing is encrypted.
pub(crate) fn unsealed(node: &Node) -> ConfigValue {
    let mut reader = Reader {
        decrypter: None,
        is_sealed: false,
    };
    reader.value(node)
}

/// A scalar as Go's YAML reads it: dates and times are texts of their own form.
pub(crate) fn scalar_value(scalar: &Scalar) -> Value {
    match scalar.resolve() {
        Resolved::Null => Value::Null,
        Resolved::Bool(value) => Value::Bool(value),
        Resolved::Number(number) => Value::Number(number + 0.0),
        Resolved::String => {
            Value::String(timestamp(scalar).unwrap_or_else(|| scalar.text.to_string()))
        }
    }
}

pub(crate) fn is_timestamp(scalar: &Scalar) -> bool {
    timestamp(scalar).is_some()
}

fn key(node: &Node) -> Option<String> {
    match &node.kind {
        Kind::Scalar(scalar) => Some(timestamp(scalar).unwrap_or_else(|| scalar.text.to_string())),
        _ => None,
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// A plain date or time as Go prints it: `2001-12-14` is `2001-12-14 00:00:00 +0000 UTC`.
///
/// Source: `parseTimestamp` in `resolve.go` of `gopkg.in/yaml.v3`.
fn timestamp(scalar: &Scalar) -> Option<String> {
    if scalar.style != Style::Plain || scalar.is_tagged_string {
        return None;
    }
    let (date, time) = match scalar.text.split_once(['T', 't', ' ']) {
        Some((date, time)) => (
            date,
            Some((time, scalar.text[date.len()..].starts_with(' '))),
        ),
        None => (&*scalar.text, None),
    };
    let number = |text: &str, digits: std::ops::RangeInclusive<usize>| {
        let is_number = digits.contains(&text.len()) && text.bytes().all(|it| it.is_ascii_digit());
        is_number.then(|| text.parse::<u32>().ok())?
    };
    let mut parts = date.split('-');
    let year = number(parts.next()?, 4..=4)?;
    let month = number(parts.next()?, 1..=2).filter(|it| (1..=12).contains(it))?;
    let day = number(parts.next()?, 1..=2)?;
    let is_leap = year % 4 == 0 && year % 100 != 0 || year % 400 == 0;
    let days = match month {
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => 31,
    };
    if parts.next().is_some() || !(1..=days).contains(&day) {
        return None;
    }
    let Some((time, is_spaced)) = time else {
        return Some(format!("{year:04}-{month:02}-{day:02} 00:00:00 +0000 UTC"));
    };
    let zone_at = time.find(['Z', '+', '-']);
    let (clock, zone) = time.split_at(zone_at.unwrap_or(time.len()));
    let zone = match (is_spaced, zone) {
        (true, "") | (false, "Z") => "+0000 UTC".to_owned(),
        (false, zone) => {
            let sign = zone.get(..1).filter(|it| *it != "Z")?;
            let (hours, minutes) = zone[1..].split_once(':')?;
            let (hours, minutes) = (number(hours, 2..=2)?, number(minutes, 2..=2)?);
            format!("{sign}{hours:02}{minutes:02} {sign}{hours:02}{minutes:02}")
        }
        (true, _) => return None,
    };
    let (clock, fraction) = match clock.split_once('.') {
        Some((clock, fraction)) => (clock, fraction.trim_end_matches('0')),
        None => (clock, ""),
    };
    let mut parts = clock.split(':');
    let hour = number(parts.next()?, 1..=2).filter(|it| *it < 24)?;
    let minute = number(parts.next()?, 1..=2).filter(|it| *it < 60)?;
    let second = number(parts.next()?, 1..=2).filter(|it| *it < 60)?;
    if parts.next().is_some() || !fraction.bytes().all(|it| it.is_ascii_digit()) {
        return None;
    }
    let fraction = match fraction {
        "" => String::new(),
        fraction => format!(".{fraction}"),
    };
    Some(format!(
        "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02}{fraction} {zone}"
    ))
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
            "config:\n  shop:a: 1\n  b: \"1.5\"\n  c: \"01\"\n  d: true\n  e: '[1, \"x\"]'\n  f: text\n  aws:region: eu\n  g:\n    h: [1, 01]\n  i: 017\n  j: 2001-12-14\n",
        );
        let list = Value::Array(vec![Value::Number(1.0), "x".into()]);
        for (key, expected) in [
            ("shop:a", Value::Number(1.0)),
            ("shop:b", Value::Number(1.5)),
            ("shop:c", "01".into()),
            ("shop:d", Value::Bool(true)),
            ("shop:e", list),
            ("shop:f", "text".into()),
            ("shop:i", Value::Number(15.0)),
            ("shop:j", "2001-12-14 00:00:00 +0000 UTC".into()),
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
