//! Names that the configuration of a stack gives to resources: `pulumi:autonaming`.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::ask::{Autonaming, NamingMode};
use crate::config::Config;
use crate::program::package_of;
use crate::urn::{StackName, Urn};
use crate::value::{Object, Value};

const KEY: &str = "pulumi:autonaming";

/// The error for values of other types than the configuration has.
const MISSHAPEN: &str = "invalid autonaming config structure";

/// Which names resources have, from the general to the particular.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Naming {
    all: Option<Strategy>,
    /// By package.
    packages: BTreeMap<String, Strategy>,
    /// By type.
    types: BTreeMap<String, Strategy>,
}

#[derive(Clone, PartialEq, Debug)]
enum Strategy {
    /// The provider makes up names as it does without configuration.
    Default,
    /// The name in the program.
    Verbatim,
    Disabled,
    Pattern {
        pattern: String,
        is_enforced: bool,
    },
}

/// Values that patterns may refer to.
struct Context<'a> {
    config: &'a Config,
    stack: &'a StackName,
    organization: &'a str,
}

impl Naming {
    pub fn read(config: &Config, stack: &StackName, organization: &str) -> Result<Naming, String> {
        let Some(value) = config.values.get(KEY) else {
            return Ok(Naming::default());
        };
        let written = match value.value.revealed() {
            Value::Object(written) if value.text.is_none() => written,
            _ => return Err(MISSHAPEN.to_owned()),
        };
        let context = Context {
            config,
            stack,
            organization,
        };
        let mut naming = Naming {
            all: context.strategy(written, &["providers"])?,
            ..Naming::default()
        };
        for (package, written) in objects(written, "providers")? {
            if let Some(strategy) = context.strategy(written, &["resources"])? {
                naming.packages.insert(package.clone(), strategy);
            }
            for (token, written) in objects(written, "resources")? {
                let strategy = context.strategy(written, &[])?;
                let missing =
                    || format!("mode or pattern must be specified for resource \"{token}\"");
                let strategy = strategy.ok_or_else(missing)?;
                naming.types.insert(token.clone(), strategy);
            }
        }
        Ok(naming)
    }

    /// `None` if the provider chooses the name.
    pub fn of(&self, urn: &Urn) -> Option<Autonaming> {
        let type_name = urn.type_name();
        let strategy = self
            .types
            .get(type_name)
            .or_else(|| self.packages.get(package_of(type_name)))
            .or(self.all.as_ref())?;
        let (name, mode, is_random) = match strategy {
            Strategy::Default => return None,
            Strategy::Verbatim => (urn.name().to_owned(), NamingMode::Enforce, false),
            Strategy::Disabled => (String::new(), NamingMode::Disable, false),
            Strategy::Pattern {
                pattern,
                is_enforced,
            } => {
                let (name, is_random) = generated(pattern, urn);
                let mode = match is_enforced {
                    true => NamingMode::Enforce,
                    false => NamingMode::Propose,
                };
                (name, mode, is_random)
            }
        };
        Some(Autonaming {
            name,
            mode,
            is_random,
        })
    }
}

fn objects<'a>(written: &'a Object, key: &str) -> Result<Vec<(&'a String, &'a Object)>, String> {
    let inner = match written.get(key).map(Value::revealed) {
        Some(Value::Object(inner)) => Some(inner),
        None | Some(Value::Null) => None,
        Some(_) => return Err(MISSHAPEN.to_owned()),
    };
    let mut objects = Vec::new();
    for (name, written) in inner.into_iter().flatten() {
        match written.revealed() {
            Value::Object(object) => objects.push((name, object)),
            _ => return Err(MISSHAPEN.to_owned()),
        }
    }
    Ok(objects)
}

impl Context<'_> {
    /// The strategy of one section, which may have sections of these names inside.
    fn strategy(&self, written: &Object, inside: &[&str]) -> Result<Option<Strategy>, String> {
        let known = |key: &str| ["mode", "pattern", "enforce"].contains(&key);
        if let Some(key) = written
            .keys()
            .find(|key| !known(key) && !inside.contains(&key.as_str()))
        {
            return Err(format!(
                "invalid autonaming config structure: unknown field \"{key}\""
            ));
        }
        let value = |key: &str| {
            let value = written.get(key).map(Value::revealed);
            value.filter(|it| **it != Value::Null)
        };
        let text = |key: &str| match value(key) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(MISSHAPEN.to_owned()),
        };
        let (mode, pattern) = (text("mode")?, text("pattern")?);
        let enforce = value("enforce");
        if !matches!(enforce, None | Some(Value::Bool(_))) {
            return Err(MISSHAPEN.to_owned());
        }
        match (mode, pattern, enforce) {
            (Some(_), None, None) | (None, _, _) => {}
            _ => return Err("cannot specify both mode and pattern/enforce".to_owned()),
        }
        if let Some(pattern) = pattern {
            return Ok(Some(Strategy::Pattern {
                pattern: self.resolved(pattern)?,
                is_enforced: enforce == Some(&Value::Bool(true)),
            }));
        }
        if enforce.is_some() {
            return Err("pattern must be specified when enforce is true".to_owned());
        }
        Ok(Some(match mode {
            None => return Ok(None),
            Some("default") => Strategy::Default,
            Some("verbatim") => Strategy::Verbatim,
            Some("disabled") => Strategy::Disabled,
            Some(other) => return Err(format!("invalid naming mode: {other}")),
        }))
    }

    /// A pattern without the parts that are the same for all resources.
    fn resolved(&self, pattern: &str) -> Result<String, String> {
        let pattern = pattern
            .replace("${organization}", self.organization)
            .replace("${project}", &self.stack.project)
            .replace("${stack}", &self.stack.stack);
        replaced(&pattern, "${config.", "}", |key| {
            let name = format!("{}:{key}", self.stack.project);
            let value = self.config.values.get(&name);
            let value = value.ok_or_else(|| format!("no value found for key \"{key}\""))?;
            Ok(match &value.text {
                Some(text) => text.clone(),
                None => crate::functions::json(&value.value),
            })
        })
    }
}

/// Replaces each text between `begin` and `end`.
fn replaced(
    text: &str,
    begin: &str,
    end: &str,
    mut by: impl FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut result = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once(begin) {
        let Some((inner, after)) = behind.split_once(end) else {
            break;
        };
        result.push_str(before);
        result.push_str(&by(inner)?);
        rest = after;
    }
    Ok(result + rest)
}

/// The name by a pattern. Pulumi makes up the random parts at each preview; here they stay the same from plan to plan.
fn generated(pattern: &str, urn: &Urn) -> (String, bool) {
    let name = pattern.replace("${name}", urn.name());
    let mut is_random = false;
    let mut random = Random::of(urn);
    let mut made = name;
    for (begin, characters) in [
        ("${hex(", "0123456789abcdef"),
        ("${alphanum(", "abcdefghijklmnopqrstuvwxyz0123456789"),
        ("${string(", "abcdefghijklmnopqrstuvwxyz"),
        ("${num(", "0123456789"),
    ] {
        let by = |count: &str| {
            let count: usize = match count.parse() {
                Ok(count) if count <= 1024 => count,
                _ => return Ok(format!("{begin}{count})}}")),
            };
            is_random = true;
            Ok((0..count).map(|_| random.character(characters)).collect())
        };
        made = replaced(&made, begin, ")}", by).unwrap_or(made);
    }
    if made.contains("${uuid}") {
        is_random = true;
        let digits = |count: usize, random: &mut Random| -> String {
            let digits = (0..count).map(|_| random.character("0123456789abcdef"));
            digits.collect()
        };
        let parts = [8, 4, 4, 4, 12].map(|count| digits(count, &mut random));
        made = made.replace("${uuid}", &parts.join("-"));
    }
    (made, is_random)
}

/// Characters that follow from a URN.
struct Random {
    block: Vec<u8>,
    used: usize,
}

impl Random {
    fn of(urn: &Urn) -> Random {
        Random {
            block: Sha256::digest(urn.as_str()).to_vec(),
            used: 0,
        }
    }

    fn character(&mut self, characters: &str) -> char {
        if self.used == self.block.len() {
            self.block = Sha256::digest(&self.block).to_vec();
            self.used = 0;
        }
        let byte = usize::from(self.block[self.used]);
        self.used += 1;
        char::from(characters.as_bytes()[byte % characters.len()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Keys;

    fn naming(autonaming: &str) -> Result<Naming, String> {
        let text = format!("config:\n  shop:tier: gold\n  pulumi:autonaming: {autonaming}\n");
        let config = Config::read(&text, "shop", &Keys::default());
        let stack = StackName {
            stack: "dev".to_owned(),
            project: "shop".to_owned(),
        };
        Naming::read(&config, &stack, "acme")
    }

    fn named(autonaming: &str) -> Option<Autonaming> {
        let urn = Urn::new("urn:pulumi:dev::shop::lab:index:Disk::a");
        naming(autonaming).unwrap().of(&urn)
    }

    #[test]
    fn the_most_particular_section_counts() {
        let all = "{mode: verbatim, providers: {lab: {mode: disabled, resources: {'lab:index:Slot': {mode: default}}}, web: {mode: default}}}";
        assert_eq!(named(all).unwrap().mode, NamingMode::Disable);
        let of_type =
            "{mode: verbatim, providers: {lab: {resources: {'lab:index:Disk': {mode: default}}}}}";
        assert_eq!(named(of_type), None);
        let verbatim = named("{mode: verbatim, providers: {web: {mode: disabled}}}").unwrap();
        assert_eq!((&*verbatim.name, verbatim.is_random), ("a", false));
    }

    #[test]
    fn patterns_name_the_stack_and_make_up_the_same_at_each_plan() {
        let pattern = "{pattern: '${organization}-${project}-${stack}-${name}-${config.tier}'}";
        let fixed = named(pattern).unwrap();
        assert_eq!(fixed.name, "acme-shop-dev-a-gold");
        assert_eq!((fixed.mode, fixed.is_random), (NamingMode::Propose, false));
        let pattern = "{pattern: '${name}-${hex(4)}${num(2)}-${string(40)}', enforce: true}";
        let random = named(pattern).unwrap();
        assert_eq!(named(pattern), Some(random.clone()));
        assert_eq!((random.mode, random.is_random), (NamingMode::Enforce, true));
        assert_eq!(random.name.len(), "a-".len() + 4 + 2 + 1 + 40);
        assert_eq!(named("{pattern: '${uuid}'}").unwrap().name.len(), 36);
    }

    #[test]
    fn errors_have_pulumis_words() {
        for (autonaming, why) in [
            ("{mode: loud}", "invalid naming mode: loud"),
            (
                "{mode: verbatim, pattern: x}",
                "cannot specify both mode and pattern/enforce",
            ),
            (
                "{enforce: true}",
                "pattern must be specified when enforce is true",
            ),
            (
                "{pattern: '${config.none}'}",
                "no value found for key \"none\"",
            ),
            (
                "{providers: {lab: {resources: {'lab:index:Disk': {}}}}}",
                "mode or pattern must be specified for resource \"lab:index:Disk\"",
            ),
        ] {
            assert_eq!(naming(autonaming).unwrap_err(), why, "{autonaming}");
        }
    }
}
