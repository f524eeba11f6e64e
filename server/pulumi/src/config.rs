//! The configuration of a stack: `Pulumi.STACK.yaml`.

use std::collections::{BTreeMap, BTreeSet};

use text::{Problem, Span, TextRange};
use yaml::{File, Node, NodeKind, Resolved, Scalar, Style, Tagged};

use crate::builtin;
use crate::secrets::{Keys, SealedReason};
use crate::value::{Secret, Value};

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Config {
    /// By `NAMESPACE:KEY`.
    pub values: BTreeMap<String, ConfigValue>,
    /// The keys of `values` that the file sets by two names, as `a` and `PROJECT:a`, to different values: Pulumi takes either.
    ///
    /// Source: `stackConfigNamespacedWithProject` in `sdk/go/common/workspace/loaders.go` of Pulumi, which goes through a map.
    pub set_twice: BTreeSet<String>,
    /// Why secrets could not be decrypted, if there are any that could not.
    pub sealed: Option<SealedReason>,
    /// Whether it names environments, whose values are not known here.
    pub has_environment: bool,
    /// The keys that the project declares and nothing gives a value, which is reported for all at once.
    pub missing: BTreeSet<String>,
    /// Its problems, or those of the project's declaration.
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
    /// Of a file that is not read, for this reason.
    pub fn unread(why: String) -> Config {
        Config {
            problems: vec![refused(why)],
            ..Config::default()
        }
    }

    /// `project` is the namespace of keys without one.
    pub fn read(text: &str, project: &str, keys: &Keys) -> Config {
        let (whole, problem) = whole(text);
        let mut problems = Vec::from_iter(problem.map(refused));
        // What can be read of a text that is refused.
        let file = File::parse(if whole.is_some() { "" } else { text });
        let of_file = |name: &str| match &whole {
            Some(root) => root.get(name).map(|it| &it.value),
            None => file.key(name).map(|it| it.value),
        };
        let is_misshapen = |it: &&Node| !it.is_null() && !matches!(it.kind, NodeKind::Mapping(_));
        if of_file("config").filter(is_misshapen).is_some() && file.entries("config").is_empty() {
            problems.push(refused("config must be an object".to_owned()));
        }
        let salt = of_file("encryptionsalt").and_then(|it| it.text().map(str::to_owned));
        let decrypter = salt.map(|salt| keys.decrypter(&salt));
        let mut reader = Reader {
            decrypter: decrypter.as_ref().and_then(|it| it.as_ref().ok()),
            has_salt: decrypter.is_some(),
            ..Reader::default()
        };
        let (mut values, mut set_twice) = (BTreeMap::new(), BTreeSet::new());
        let written: Vec<(&Node, &Node)> = match of_file("config").filter(|_| whole.is_some()) {
            Some(config) => {
                let entries = config.entries().iter();
                entries.map(|it| (&it.key, &it.value)).collect()
            }
            None => {
                let items = file.entries("config").into_iter();
                items.map(|it| (it.key, it.value)).collect()
            }
        };
        // Beside a key that is no text, none gets the namespace of the project.
        let has_texts = written
            .iter()
            .all(|(key, _)| key.scalar().is_none_or(is_text));
        let written = written.into_iter().filter(|(key, _)| !key.is_null());
        let written = written.map(|(key, value)| (key.text().unwrap_or_default(), value));
        for (name, node) in written {
            let value = reader.value(node);
            if std::mem::take(&mut reader.is_wrong) {
                let why = passphrase::DecryptError::Ciphertext;
                problems.push(refused(format!(
                    "configuration key '{name}': bad value: {why}"
                )));
            }
            if let Some(number) = written_value(node).infinite() {
                let message = format!("could not unmarshal map: json: unsupported value: {number}");
                problems.push(refused(message));
            }
            let key = match has_texts || name.contains(':') {
                true => key(name, project),
                false => Err(not_a_key(name)),
            };
            match key {
                Ok(key) => {
                    if values.get(&key).is_some_and(|other| *other != value) {
                        set_twice.insert(key.clone());
                    }
                    values.insert(key, value);
                }
                Err(message) => problems.push(refused(message)),
            }
        }
        let reason = || match &decrypter {
            Some(Err(reason)) => reason.clone(),
            Some(Ok(_)) => SealedReason::Passphrase(passphrase::DecryptError::Ciphertext),
            None => {
                let provider = of_file("secretsprovider");
                let provider = provider.and_then(|it| it.text().map(str::to_owned));
                SealedReason::Provider(provider.unwrap_or_default())
            }
        };
        Config {
            values,
            set_twice,
            sealed: reader.is_sealed.then(reason),
            has_environment: of_file("environment").is_some(),
            missing: BTreeSet::new(),
            problems,
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
    ///
    /// Source: `shouldDenyRequest` in `default_providers.go` of Pulumi's engine.
    pub fn disables_default_provider(&self, package: &str) -> Result<bool, String> {
        const KEY: &str = "pulumi:disable-default-providers";
        let disabled = self.values.get(KEY).map(|it| it.value.revealed());
        let disabled = match disabled {
            Some(Value::Array(disabled)) if package != builtin::PACKAGE => disabled,
            Some(Value::String(text)) if text.is_empty() => return Ok(false),
            Some(Value::String(_) | Value::Number(_) | Value::Bool(_) | Value::Object(_))
                if package != builtin::PACKAGE =>
            {
                return Err(format!("Failed to parse {KEY}: not a list of texts"));
            }
            _ => return Ok(false),
        };
        for (index, name) in disabled.iter().enumerate() {
            match name.as_str().map(str::trim) {
                Some(name) if name == package || name == "*" => return Ok(true),
                Some(_) => {}
                None => return Err(format!("{KEY}[{index}] must be a string")),
            }
        }
        Ok(false)
    }

    /// The configuration of a package: keys without its name.
    pub fn of_package<'a>(
        &'a self,
        package: &str,
    ) -> impl Iterator<Item = (&'a str, &'a ConfigValue)> {
        let prefix = format!("{package}:");
        let values = self.values.iter();
        values.filter_map(move |(key, value)| Some((key.strip_prefix(&prefix)?, value)))
    }
}

/// The tree of a text, and why Pulumi refuses it.
///
/// Source: `LoadProjectStackBytes` in `sdk/go/common/workspace/loaders.go` of Pulumi.
fn whole(text: &str) -> (Option<Node>, Option<String>) {
    let line = |at: TextRange| 1 + text[..usize::from(at.start())].matches('\n').count();
    let root = match yaml::resolved(text) {
        Ok(root) => root.filter(|it| !it.is_null()),
        Err(Problem { at, detail, .. }) => {
            let why = format!("invalid YAML file: line {}: {detail}", line(at));
            return (None, Some(why));
        }
    };
    let is_text = |it: &&Node| it.scalar().is_some_and(is_text);
    let why = root.as_ref().and_then(|root| {
        let mut keys = root.entries().iter().map(|it| &it.key);
        if !matches!(root.kind, NodeKind::Mapping(_)) {
            Some("expected project to be an object".to_owned())
        } else if has_structured_key(root) {
            Some("invalid YAML file: invalid map key".to_owned())
        } else {
            let wrong = keys.find(|it| !is_text(it))?;
            let key = key_text(wrong).unwrap_or_default();
            Some(format!("expected only string keys, got '{key}'"))
        }
    });
    (root, why)
}

fn is_text(scalar: &Scalar) -> bool {
    scalar.resolve() == Resolved::String && !is_timestamp(scalar)
}

/// Whether a key anywhere is a list or a mapping.
fn has_structured_key(node: &Node) -> bool {
    let mut entries = node.entries().iter();
    entries.any(|it| it.key.scalar().is_none() || has_structured_key(&it.value))
        || node.elements().iter().any(has_structured_key)
}

/// `NAMESPACE:KEY` of a name. The form `NAMESPACE:config:KEY` is the older one.
///
/// Source: `ParseKey` in `sdk/go/common/resource/config/key.go` of Pulumi.
pub(crate) fn key(name: &str, project: &str) -> Result<String, String> {
    let parts: Vec<&str> = name.split(':').collect();
    match parts.as_slice() {
        [key] => Ok(format!("{project}:{key}")),
        [_, _] => Ok(name.to_owned()),
        [namespace, "config", key] => Ok(format!("{namespace}:{key}")),
        _ => Err(not_a_key(name)),
    }
}

fn not_a_key(name: &str) -> String {
    format!(
        "could not parse {name} as a configuration key (configuration keys should be of the form `<namespace>:<name>`)"
    )
}

fn refused(summary: String) -> Problem<Option<Span>> {
    Problem::error("configuration-value", summary, "", None)
}

#[derive(Default)]
struct Reader<'a> {
    decrypter: Option<&'a passphrase::Decrypter>,
    /// Whether secrets are those of a passphrase.
    has_salt: bool,
    is_sealed: bool,
    /// Whether something is no ciphertext, or one of another key.
    is_wrong: bool,
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
            NodeKind::Scalar(scalar) => {
                Some(whole_number(scalar).unwrap_or_else(|| as_text(&value)))
            }
            NodeKind::Sequence(_) | NodeKind::Mapping(_) | NodeKind::Alias => None,
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
        let may_be_one = self.decrypter.is_none() && passphrase::is_ciphertext(ciphertext);
        self.is_wrong |= self.has_salt && text.is_none() && !may_be_one;
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
            NodeKind::Scalar(scalar) => scalar_value(scalar),
            NodeKind::Sequence(elements) => {
                Value::Array(elements.iter().map(|it| self.nested(it)).collect())
            }
            NodeKind::Mapping(entries) => {
                let entries = entries.iter();
                let entries =
                    entries.filter_map(|it| Some((key_text(&it.key)?, self.nested(&it.value))));
                Value::Object(entries.collect())
            }
            NodeKind::Alias => Value::Null,
        }
    }
}

/// A value of a project file, where nothing is encrypted.
pub(crate) fn unsealed(node: &Node) -> ConfigValue {
    Reader::default().value(node)
}

/// A value as it is written, not interpreted.
pub(crate) fn written_value(node: &Node) -> Value {
    Reader::default().nested(node)
}

/// A scalar as Go's YAML reads it: dates and times are texts in a normalized form.
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

/// All digits of an integer, of which a number may keep less.
fn whole_number(scalar: &Scalar) -> Option<String> {
    if scalar.resolve() == Resolved::String {
        return None;
    }
    let text = scalar.text.replace('_', "");
    let is_octal = text.trim_start_matches(['-', '+']).len() > 1
        && text.trim_start_matches(['-', '+']).starts_with('0');
    let signed = || text.parse::<i64>().ok().map(|it| it.to_string());
    let unsigned = || text.parse::<u64>().ok().map(|it| it.to_string());
    signed().or_else(unsigned).filter(|_| !is_octal)
}

fn key_text(node: &Node) -> Option<String> {
    match &node.kind {
        NodeKind::Scalar(scalar) => Some(match scalar.resolve() {
            Resolved::String => timestamp(scalar).unwrap_or_else(|| scalar.text.to_string()),
            Resolved::Number(number) => whole_number(scalar)
                .unwrap_or_else(|| crate::functions::formatted(&Value::Number(number))),
            Resolved::Bool(_) | Resolved::Null => {
                crate::functions::formatted(&scalar_value(scalar))
            }
        }),
        NodeKind::Sequence(_) | NodeKind::Mapping(_) | NodeKind::Alias => None,
    }
}

fn as_text(value: &Value) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => crate::functions::number_as_json(*number),
        Value::String(text) => text.clone(),
        _ => String::new(),
    }
}

/// A plain date or time as Go prints it: `2001-12-14` is `2001-12-14 00:00:00 +0000 UTC`.
///
/// Source: `parseTimestamp` in `resolve.go` of `gopkg.in/yaml.v3`.
fn timestamp(scalar: &Scalar) -> Option<String> {
    if scalar.style != Style::Plain || scalar.tagged != Tagged::No {
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
    if let Some(number) = go_float(text) {
        return Value::Number(number);
    }
    match serde_json::from_str(text) {
        Ok(json) if is_representable(&json) => crate::json::from_json(&json, &|_| None),
        _ => Value::String(text.to_owned()),
    }
}

/// Whether all numbers of a JSON text are numbers of Go.
fn is_representable(json: &serde_json::Value) -> bool {
    match json {
        serde_json::Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        serde_json::Value::Array(elements) => elements.iter().all(is_representable),
        serde_json::Value::Object(object) => object.values().all(is_representable),
        _ => true,
    }
}

/// As Go's `strconv.ParseFloat` reads it: with underscores between digits, in hexadecimal digits too, and none that is too large.
fn go_float(text: &str) -> Option<f64> {
    let is_word = text
        .trim_start_matches(['+', '-'])
        .starts_with(|c: char| c.is_alphabetic());
    let is_separator = |(at, _): (usize, &str)| {
        let is_digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_hexdigit());
        let before = text[..at].chars().next_back();
        let after = text[at + 1..].chars().next();
        (is_digit(before) || matches!(before, Some('x' | 'X'))) && is_digit(after)
    };
    if !text.match_indices('_').all(is_separator) {
        return None;
    }
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => (-1.0, digits),
        None => (1.0, plain.strip_prefix('+').unwrap_or(&plain)),
    };
    let number = match digits.strip_prefix("0x").or(digits.strip_prefix("0X")) {
        Some(digits) => sign * hexadecimal(digits)?,
        None => plain.parse::<f64>().ok()?,
    };
    (is_word || number.is_finite()).then_some(number)
}

/// Digits with an exponent of two: `1.8p3` is 12.
fn hexadecimal(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let mantissa = u64::from_str_radix(&digits, 16).ok()?;
    let exponent: i32 = exponent.parse().ok()?;
    Some(mantissa as f64 * 2f64.powi(exponent - 4 * i32::try_from(fraction.len()).ok()?))
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
    fn texts_are_numbers_where_go_reads_them_as_such() {
        for (text, expected) in [
            ("1_000", Value::Number(1000.0)),
            ("+5", Value::Number(5.0)),
            ("-0x1p4", Value::Number(-16.0)),
            ("-0x1.8p3", Value::Number(-12.0)),
            ("inf", Value::Number(f64::INFINITY)),
            ("1e400", "1e400".into()),
            ("[1e400]", "[1e400]".into()),
            ("1__0", "1__0".into()),
            ("_1", "_1".into()),
            ("0x1p4", "0x1p4".into()),
        ] {
            assert_eq!(by_content(text), expected, "{text}");
        }
        let config = read("config:\n  a: 9007199254740993\n  b: 1e21\n  c: 017\n  d: 1.0\n");
        let texts =
            ["a", "b", "c", "d"].map(|key| config.values[&format!("shop:{key}")].text.clone());
        let expected = ["9007199254740993", "1e+21", "15", "1"];
        assert_eq!(texts, expected.map(|it| Some(it.to_owned())));
    }

    #[test]
    fn configuration_is_refused_that_pulumi_refuses() {
        for (text, expected) in [
            (
                "a: .inf",
                "could not unmarshal map: json: unsupported value: +Inf",
            ),
            (
                "a: {b: [.nan]}",
                "could not unmarshal map: json: unsupported value: NaN",
            ),
            (
                "a: 1\n  a: 2",
                "invalid YAML file: line 3: the key \"a\" is already defined",
            ),
            (
                "a: x\n  5: y",
                "could not parse a as a configuration key (configuration keys should be of the form `<namespace>:<name>`), could not parse 5 as a configuration key (configuration keys should be of the form `<namespace>:<name>`)",
            ),
            ("a: {[b]: x}", "invalid YAML file: invalid map key"),
            (
                "a:b:c: x",
                "could not parse a:b:c as a configuration key (configuration keys should be of the form `<namespace>:<name>`)",
            ),
            (
                "a: {<<: &x y}",
                "invalid YAML file: line 2: map merge requires map or sequence of maps as the value",
            ),
        ] {
            let config = read(&format!("config:\n  {text}\n"));
            let problems: Vec<_> = config
                .problems
                .iter()
                .map(|it| it.summary.to_string())
                .collect();
            assert_eq!(problems.join(", "), expected, "{text}");
        }
        let config = read("x: &x {'lab:config:prefix': p}\nconfig: {<<: *x, b: '.inf', c: inf}\n");
        let keys: Vec<&String> = config.values.keys().collect();
        assert_eq!(keys, ["lab:prefix", "shop:b", "shop:c"]);
        assert!(config.problems.is_empty());
    }

    #[test]
    fn two_names_of_one_key_are_told_when_their_values_differ() {
        for (text, expected) in [
            ("{shop:a: x, a: y}", vec!["shop:a"]),
            ("{shop:config:a: x, 'shop:a': y, b: z}", vec!["shop:a"]),
            ("{shop:a: x, a: x}", vec![]),
            ("{<<: {a: x}, a: y}", vec![]),
        ] {
            let config = read(&format!("config: {text}\n"));
            let keys: Vec<&String> = config.set_twice.iter().collect();
            assert_eq!(keys, expected, "{text}");
        }
    }

    #[test]
    fn secrets_that_cannot_be_decrypted_stay_sealed() {
        let config = read(
            "encryptionsalt: v1:a:v1:b:c\nconfig:\n  a:\n    secure: v1:x:y\n  b:\n    c:\n      - secure: v1:x:y\n",
        );
        assert_eq!(config.sealed, Some(SealedReason::NoPassphrase));
        // Anything but a ciphertext cannot be decrypted.
        let problems = config.problems.iter().map(|it| it.summary.to_string());
        let why =
            "bad value: not a ciphertext of the form v1:NONCE:CIPHERTEXT, or made with another key";
        assert_eq!(
            problems.collect::<Vec<_>>(),
            ["a", "b"].map(|key| format!("configuration key '{key}': {why}"))
        );
        let config = read(
            "encryptionsalt: v1:a:v1:b:c\nconfig: {a: {secure: 'v1:AAAAAAAAAAAAAAAA:BBBB'}}\n",
        );
        assert!(config.problems.is_empty() && config.sealed.is_some());
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
