//! Reading addresses from text, and the quoted form of instance keys.

use std::str::FromStr;

use smol_str::SmolStr;

use super::{
    AbsResourceAddr, ConfigResourceAddr, InstanceKey, ModuleAddr, ModuleInstanceAddr, ModuleStep,
    ProviderAddr, ProviderConfigAddr, ResourceAddr, ResourceInstanceAddr, ResourceMode,
};

/// Why a text is no address of the wanted kind, where Terraform says it in its words.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AddrError(pub String);

impl std::fmt::Display for AddrError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for AddrError {}

fn error<T>(message: impl Into<String>) -> Result<T, AddrError> {
    Err(AddrError(message.into()))
}

/// The selection of `-target` and `-replace`: a module instance, a resource or one instance of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Target {
    Module(ModuleInstanceAddr),
    Resource(AbsResourceAddr),
    Instance(ResourceInstanceAddr),
}

impl Target {
    /// Whether it means this resource instance. A module without a key means all its instances.
    pub fn contains(&self, addr: &ResourceInstanceAddr) -> bool {
        match self {
            Target::Module(module) => is_within(module, &addr.module),
            Target::Resource(resource) => *resource == addr.resource(),
            Target::Instance(instance) => instance == addr,
        }
    }

    /// Whether it means the resource or any instance of it.
    pub fn reaches(&self, module: &ModuleAddr, resource: &ResourceAddr) -> bool {
        match self {
            Target::Module(target) => module.calls().starts_with(target.module().calls()),
            Target::Resource(target) => {
                target.module.module() == *module && target.resource == *resource
            }
            Target::Instance(target) => {
                target.module.module() == *module && target.resource == *resource
            }
        }
    }

    /// Whether it means the resource with all its instances.
    pub fn covers(&self, module: &ModuleAddr, resource: &ResourceAddr) -> bool {
        let is_whole = |target: &ModuleInstanceAddr| {
            let mut steps = target.steps().iter();
            steps.all(|step| step.key == InstanceKey::None)
        };
        let is_whole = match self {
            Target::Module(target) => is_whole(target),
            Target::Resource(target) => is_whole(&target.module),
            Target::Instance(_) => false,
        };
        is_whole && self.reaches(module, resource)
    }
}

/// Whether a module instance is the given one or in it. The last step stands for all its instances if it has no key.
fn is_within(outer: &ModuleInstanceAddr, inner: &ModuleInstanceAddr) -> bool {
    let Some((last, steps)) = outer.steps().split_last() else {
        return true;
    };
    let is_last = |step: &ModuleStep| {
        step.call == last.call && (last.key == InstanceKey::None || step.key == last.key)
    };
    inner.steps().starts_with(steps) && inner.steps().get(steps.len()).is_some_and(is_last)
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Target::Module(addr) => addr.fmt(f),
            Target::Resource(addr) => addr.fmt(f),
            Target::Instance(addr) => addr.fmt(f),
        }
    }
}

impl FromStr for Target {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<Target, AddrError> {
        let steps = steps(text)?;
        let (module, rest) = module_prefix(&steps)?;
        if rest.is_empty() && !module.is_root() {
            return Ok(Target::Module(module));
        }
        let (resource, rest) = resource(rest)?;
        match rest {
            [] => Ok(Target::Resource(module.resource(resource))),
            [AddrStep::Index(key)] => Ok(Target::Instance(ResourceInstanceAddr {
                module,
                resource,
                key: key.clone(),
            })),
            [AddrStep::Name(_), ..] => {
                error("Resource instance key must be given in square brackets.")
            }
            [AddrStep::Index(_), ..] => error("Unexpected extra operators after address."),
        }
    }
}

impl FromStr for ResourceInstanceAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<ResourceInstanceAddr, AddrError> {
        match text.parse()? {
            Target::Module(_) => error(
                "A resource instance address is required here. The module path must be followed by a resource instance specification.",
            ),
            Target::Resource(resource) => Ok(resource.instance(InstanceKey::None)),
            Target::Instance(instance) => Ok(instance),
        }
    }
}

impl FromStr for AbsResourceAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<AbsResourceAddr, AddrError> {
        match text.parse()? {
            Target::Module(_) => error("a resource address is required here, not a module"),
            Target::Resource(resource) => Ok(resource),
            Target::Instance(_) => error("a resource address may not have an instance key here"),
        }
    }
}

impl FromStr for ConfigResourceAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<ConfigResourceAddr, AddrError> {
        let addr: AbsResourceAddr = text.parse()?;
        if addr
            .module
            .steps()
            .iter()
            .any(|step| step.key != InstanceKey::None)
        {
            return error("a module address may not have an instance key here");
        }
        Ok(addr.config())
    }
}

impl FromStr for ResourceAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<ResourceAddr, AddrError> {
        let addr: AbsResourceAddr = text.parse()?;
        if addr.module.is_root() {
            Ok(addr.resource)
        } else {
            error("a resource address may not name a module here")
        }
    }
}

impl FromStr for ModuleInstanceAddr {
    type Err = AddrError;

    /// The root module is the empty text.
    fn from_str(text: &str) -> Result<ModuleInstanceAddr, AddrError> {
        if text.is_empty() {
            return Ok(ModuleInstanceAddr::root());
        }
        let steps = steps(text)?;
        match module_prefix(&steps)? {
            (module, []) if !module.is_root() => Ok(module),
            _ => error("a module address is required here"),
        }
    }
}

impl FromStr for ModuleAddr {
    type Err = AddrError;

    /// The root module is the empty text.
    fn from_str(text: &str) -> Result<ModuleAddr, AddrError> {
        let instance: ModuleInstanceAddr = text.parse()?;
        if instance
            .steps()
            .iter()
            .any(|step| step.key != InstanceKey::None)
        {
            return error("a module address may not have an instance key here");
        }
        Ok(instance.module())
    }
}

impl FromStr for ProviderConfigAddr {
    type Err = AddrError;

    fn from_str(text: &str) -> Result<ProviderConfigAddr, AddrError> {
        let steps = steps(text)?;
        let (module, rest) = module_prefix(&steps)?;
        if module
            .steps()
            .iter()
            .any(|step| step.key != InstanceKey::None)
        {
            return error(
                "a provider configuration must not appear in a module instance that uses count or for_each",
            );
        }
        let (provider, alias) = match rest {
            [
                AddrStep::Name(root),
                AddrStep::Index(InstanceKey::String(provider)),
                rest @ ..,
            ] if root == "provider" => (provider, rest),
            [AddrStep::Name(root), _, ..] if root == "provider" => {
                return error("the prefix \"provider.\" must be followed by a provider type name");
            }
            _ => {
                return error(
                    "provider address must begin with \"provider.\", followed by a provider type name",
                );
            }
        };
        let alias = match alias {
            [] => None,
            [AddrStep::Name(alias)] => Some(alias.clone()),
            [AddrStep::Index(_)] => {
                return error("provider type name must be followed by a configuration alias name");
            }
            _ => return error("extraneous operators after provider configuration reference"),
        };
        Ok(ProviderConfigAddr {
            module: module.module(),
            provider: ProviderAddr::from_str(provider)?,
            alias,
        })
    }
}

/// The text as HCL writes it between double quotes, with the quotes.
pub fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\n' => quoted.push_str("\\n"),
            '\r' => quoted.push_str("\\r"),
            '\t' => quoted.push_str("\\t"),
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            '$' | '%' if rest.peek() == Some(&'{') => {
                quoted.push(c);
                quoted.push(c);
            }
            c if !is_printable(c) && (c as u32) < 0x10000 => {
                quoted.push_str(&format!("\\u{:04x}", c as u32))
            }
            c if !is_printable(c) => quoted.push_str(&format!("\\U{:08x}", c as u32)),
            c => quoted.push(c),
        }
    }
    quoted.push('"');
    quoted
}

/// Go's `unicode.IsPrint`, as far as the standard library can tell: no control characters, and no space but U+0020.
fn is_printable(c: char) -> bool {
    let is_format = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{e000}'..='\u{f8ff}');
    c == ' ' || !(c.is_control() || c.is_whitespace() || is_format)
}

const NO_ROOT: &str = "Must begin with a variable name.";

enum AddrStep {
    Name(SmolStr),
    Index(InstanceKey),
}

/// Reads `a.b[0]["k"].c`. White space may stand around the operators, as in an HCL expression.
fn steps(text: &str) -> Result<Vec<AddrStep>, AddrError> {
    let mut rest = text.trim();
    if rest.is_empty() {
        return error(NO_ROOT);
    }
    let (root, after) = identifier(rest).or_else(|_| error(NO_ROOT))?;
    let mut steps = vec![AddrStep::Name(root)];
    rest = after.trim_start();
    while let Some(operator) = rest.chars().next() {
        let after = rest[operator.len_utf8()..].trim_start();
        rest = match operator {
            '.' => {
                // The legacy form of an index, `a.b.0`.
                let digits =
                    after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
                if digits > 0 {
                    steps.push(AddrStep::Index(InstanceKey::Int(whole_number(
                        &after[..digits],
                    )?)));
                    &after[digits..]
                } else {
                    let (name, after) = identifier(after)?;
                    steps.push(AddrStep::Name(name));
                    after
                }
            }
            '[' => {
                let (key, after) = index_key(after)?;
                steps.push(AddrStep::Index(key));
                match after.trim_start().strip_prefix(']') {
                    Some(after) => after,
                    None => return error("an instance key must end with \"]\""),
                }
            }
            _ => return error("Expected an attribute access or an index operator."),
        }
        .trim_start();
    }
    Ok(steps)
}

fn identifier(text: &str) -> Result<(SmolStr, &str), AddrError> {
    let is_start = |c: char| c.is_alphabetic() || c == '_';
    let is_continue = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    if !text.starts_with(is_start) {
        return error("Dot must be followed by attribute name.");
    }
    let (name, rest) = text.split_at(text.find(|c| !is_continue(c)).unwrap_or(text.len()));
    Ok((name.into(), rest))
}

fn index_key(text: &str) -> Result<(InstanceKey, &str), AddrError> {
    if let Some(quoted) = text.strip_prefix('"') {
        let (key, rest) = unquote(quoted)?;
        return Ok((InstanceKey::String(key.into()), rest));
    }
    let (digits, rest) = text.split_at(text.find(']').unwrap_or(text.len()));
    Ok((InstanceKey::Int(whole_number(digits.trim_end())?), rest))
}

fn whole_number(digits: &str) -> Result<u64, AddrError> {
    if digits.bytes().all(|b| b.is_ascii_digit())
        && let Ok(number) = digits.parse()
    {
        return Ok(number);
    }
    error("Index brackets must contain either a literal number or a literal string.")
}

/// Reads up to the closing quote; answers the string and the text behind the quote.
fn unquote(text: &str) -> Result<(String, &str), AddrError> {
    let mut string = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        rest = match c {
            '"' => return Ok((string, after)),
            '\n' => return error("unterminated string"),
            '\\' => escape(after, &mut string)?,
            '$' | '%' if after.starts_with(c) && after[1..].starts_with('{') => {
                string.push(c);
                string.push('{');
                &after[2..]
            }
            '$' | '%' if after.starts_with('{') => {
                return error("an instance key may not contain a template");
            }
            c => {
                string.push(c);
                after
            }
        };
    }
    error("unterminated string")
}

fn escape<'a>(text: &'a str, string: &mut String) -> Result<&'a str, AddrError> {
    let Some(c) = text.chars().next() else {
        return error("unterminated string");
    };
    let rest = &text[c.len_utf8()..];
    let digits = match c {
        'n' => return Ok(push(string, '\n', rest)),
        'r' => return Ok(push(string, '\r', rest)),
        't' => return Ok(push(string, '\t', rest)),
        '"' | '\\' => return Ok(push(string, c, rest)),
        'u' => 4,
        'U' => 8,
        _ => return error(format!("the symbol {c:?} is not a valid escape")),
    };
    let code = rest
        .get(..digits)
        .and_then(|hex| u32::from_str_radix(hex, 16).ok());
    match code.and_then(char::from_u32) {
        Some(c) => Ok(push(string, c, &rest[digits..])),
        None => error("an escape sequence must give a code point in hexadecimal digits"),
    }
}

fn push<'a>(string: &mut String, c: char, rest: &'a str) -> &'a str {
    string.push(c);
    rest
}

fn module_prefix(steps: &[AddrStep]) -> Result<(ModuleInstanceAddr, &[AddrStep]), AddrError> {
    let mut path = Vec::new();
    let mut rest = steps;
    loop {
        rest = match rest {
            [
                AddrStep::Name(root),
                AddrStep::Name(call),
                AddrStep::Index(key),
                rest @ ..,
            ] if root == "module" => {
                path.push(ModuleStep {
                    call: call.clone(),
                    key: key.clone(),
                });
                rest
            }
            [AddrStep::Name(root), AddrStep::Name(call), rest @ ..] if root == "module" => {
                path.push(ModuleStep {
                    call: call.clone(),
                    key: InstanceKey::None,
                });
                rest
            }
            [AddrStep::Name(root), ..] if root == "module" => {
                return error("Prefix \"module.\" must be followed by a module name.");
            }
            _ => return Ok((ModuleInstanceAddr::new(path), rest)),
        };
    }
}

/// Names of other things than resource types.
const RESERVED: [&str; 10] = [
    "arg",
    "count",
    "each",
    "lazy",
    "local",
    "path",
    "self",
    "template",
    "terraform",
    "var",
];

fn resource(steps: &[AddrStep]) -> Result<(ResourceAddr, &[AddrStep]), AddrError> {
    let (mode, rest) = match steps {
        [AddrStep::Name(root), rest @ ..] if root == "data" => (ResourceMode::Data, rest),
        [AddrStep::Name(root), rest @ ..] if root == "ephemeral" => (ResourceMode::Ephemeral, rest),
        [AddrStep::Name(root), rest @ ..]
            if root == "resource" && matches!(rest, [AddrStep::Name(_), AddrStep::Name(_), ..]) =>
        {
            (ResourceMode::Managed, rest)
        }
        [AddrStep::Name(root), ..] if RESERVED.contains(&root.as_str()) => {
            return error(format!(
                "The keyword {root:?} is reserved and cannot be used to target a resource address. If you are targeting a resource type that uses a reserved keyword, please prefix your address with \"resource.\"."
            ));
        }
        _ => (ResourceMode::Managed, steps),
    };
    match rest {
        [AddrStep::Name(r#type), AddrStep::Name(name), rest @ ..] => {
            Ok((ResourceAddr::new(mode, r#type.clone(), name.clone()), rest))
        }
        [AddrStep::Name(_), AddrStep::Index(_), ..] => error("A resource name is required."),
        [AddrStep::Index(_), _, ..] => error("A resource type name is required."),
        _ => error("Resource specification must include a resource type and name."),
    }
}
