//! The options of a resource, as they are written.

use std::collections::BTreeMap;

use yaml::{Node, NodeKind, Resolved};

use crate::expr::{Expr, ExprKind, Reader};
use crate::path::Path;
use crate::value::Value;

#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResourceOptions {
    pub additional_secret_outputs: Vec<String>,
    pub aliases: Option<Expr>,
    pub delete_before_replace: Option<bool>,
    pub depends_on: Option<Expr>,
    pub ignore_changes: Vec<String>,
    pub import: Option<String>,
    pub hide_diffs: Vec<String>,
    /// In seconds.
    pub custom_timeouts: BTreeMap<String, f64>,
    /// Those with references.
    pub evaluated_timeouts: Vec<(String, Expr)>,
    pub parent: Option<Expr>,
    pub protect: Option<Expr>,
    pub provider: Option<Expr>,
    pub providers: Option<Expr>,
    pub version: Option<String>,
    pub plugin_download_url: Option<String>,
    pub replace_on_changes: Vec<String>,
    pub retain_on_delete: Option<bool>,
    pub replace_with: Option<Expr>,
    pub deleted_with: Option<Expr>,
    pub replacement_trigger: Option<Expr>,
    /// Of a provider: the variables of the environment that its plugin has under other names.
    pub env_var_mappings: Option<Expr>,
}

/// All options that a resource may have.
const OPTIONS: [&str; 20] = [
    "additionalSecretOutputs",
    "aliases",
    "customTimeouts",
    "deleteBeforeReplace",
    "deletedWith",
    "dependsOn",
    "envVarMappings",
    "hideDiffs",
    "ignoreChanges",
    "import",
    "parent",
    "pluginDownloadURL",
    "protect",
    "provider",
    "providers",
    "replaceOnChanges",
    "replaceWith",
    "replacementTrigger",
    "retainOnDelete",
    "version",
];

/// ResourceOptions that are expressions, with the host's message for one that is null.
const EXPRESSIONS: [(&str, &str); 9] = [
    ("aliases", ""),
    ("deletedWith", "expected resource, got <nil>"),
    (
        "dependsOn",
        "resource option dependsOn value must be a list of resources",
    ),
    ("parent", "expected resource, got <nil>"),
    ("protect", "protect must be a boolean value"),
    ("provider", "expected resource, got <nil>"),
    (
        "providers",
        "resource option providers value must be a list of resources",
    ),
    (
        "replaceWith",
        "resource option replaceWith value must be a list of resources",
    ),
    ("replacementTrigger", ""),
];

pub(crate) fn options(reader: &mut Reader<'_>, node: &Node) -> ResourceOptions {
    let mut options = ResourceOptions::default();
    if !matches!(node.kind, NodeKind::Mapping(_)) {
        let message = "options must be an object";
        reader.error("invalid-option", message, node.range);
    }
    for entry in node.entries() {
        let value = &entry.value;
        let known = reader.known_key(&entry.key, &OPTIONS);
        let key = known.unwrap_or_else(|| entry.key.text().unwrap_or_default());
        let mut expressions = EXPRESSIONS.iter();
        if value.is_null()
            && let Some((_, message)) = expressions.find(|(it, _)| *it == key)
        {
            if !message.is_empty() {
                reader.error("invalid-option", message, value.range);
            }
            continue;
        }
        match key {
            "additionalSecretOutputs" => {
                options.additional_secret_outputs = texts(reader, key, value);
            }
            "aliases" => options.aliases = Some(reader.expr(value)),
            "deleteBeforeReplace" => options.delete_before_replace = flag(reader, key, value),
            "dependsOn" => options.depends_on = Some(reader.expr(value)),
            "ignoreChanges" => options.ignore_changes = texts(reader, key, value),
            "import" => {
                let id = text(reader, key, value);
                options.import = id.filter(|it| !it.is_empty());
            }
            "parent" => options.parent = Some(reader.expr(value)),
            "protect" => options.protect = Some(reader.expr(value)),
            "provider" => options.provider = Some(reader.expr(value)),
            "providers" => options.providers = Some(reader.expr(value)),
            "version" => options.version = version(reader, value),
            "pluginDownloadURL" => options.plugin_download_url = text(reader, key, value),
            "replaceOnChanges" => options.replace_on_changes = texts(reader, key, value),
            "retainOnDelete" => options.retain_on_delete = flag(reader, key, value),
            "replaceWith" => options.replace_with = Some(reader.expr(value)),
            "deletedWith" => options.deleted_with = Some(reader.expr(value)),
            "replacementTrigger" => options.replacement_trigger = Some(reader.expr(value)),
            "hideDiffs" => options.hide_diffs = hidden_paths(reader, key, value),
            "customTimeouts" => custom_timeouts(reader, value, &mut options),
            "envVarMappings" => options.env_var_mappings = Some(reader.expr(value)),
            other => {
                let message = format!("{other} does not exist on resource options");
                reader.unknown_field(&message, other, entry.key.range, &OPTIONS);
            }
        }
    }
    options
}

/// A text without references.
pub(crate) fn text(reader: &mut Reader<'_>, name: &str, node: &Node) -> Option<String> {
    if let ExprKind::Literal(value) = reader.expr(node).kind
        && let Some(text) = value.as_str()
    {
        return Some(text.to_owned());
    }
    let message = format!("{name} must be a string");
    reader.error("invalid-option", &message, node.range);
    None
}

/// A semantic version, perhaps of less than three parts.
fn version(reader: &mut Reader<'_>, node: &Node) -> Option<String> {
    let version = text(reader, "version", node).filter(|it| !it.is_empty())?;
    match crate::release::tolerant(&version) {
        Ok(version) => Some(version),
        Err(why) => {
            let message = format!("error parsing version of resource: {why}");
            reader.error("invalid-option", &message, node.range);
            None
        }
    }
}

fn texts(reader: &mut Reader<'_>, name: &str, node: &Node) -> Vec<String> {
    let NodeKind::Sequence(elements) = &node.kind else {
        let message = format!("{name} must be a list");
        reader.error("invalid-option", &message, node.range);
        return Vec::new();
    };
    let elements = elements.iter().enumerate();
    let texts = elements.filter_map(|(nth, it)| text(reader, &format!("{name}[{nth}]"), it));
    texts.collect()
}

/// Paths that the engine can read.
///
/// Source: `RegisterResource` in `source_eval.go` of Pulumi's engine.
fn hidden_paths(reader: &mut Reader<'_>, name: &str, node: &Node) -> Vec<String> {
    let paths = texts(reader, name, node);
    for (nth, path) in paths.iter().enumerate() {
        let why = match Path::parse(path) {
            Ok(path) if path.0.is_empty() => "cannot unmarshal an empty property path".to_owned(),
            Ok(_) => continue,
            Err(why) => why.to_string(),
        };
        let message = format!("{name}[{nth}]: {why}");
        reader.error("invalid-option", &message, node.range);
    }
    paths
}

/// `true` or `false`, without quotes.
pub(crate) fn flag(reader: &mut Reader<'_>, name: &str, node: &Node) -> Option<bool> {
    if let Some(Resolved::Bool(value)) = node.scalar().map(yaml::Scalar::resolve) {
        return Some(value);
    }
    let message = format!("{name} must be a boolean value");
    reader.error("invalid-option", &message, node.range);
    None
}

fn custom_timeouts(reader: &mut Reader<'_>, node: &Node, options: &mut ResourceOptions) {
    if !matches!(node.kind, NodeKind::Mapping(_)) {
        let message = "customTimeouts must be an object";
        reader.error("invalid-option", message, node.range);
    }
    for entry in node.entries() {
        let known = ["create", "update", "delete", "read"];
        let Some(key) = reader.known_key(&entry.key, &known) else {
            reader.ignored_field("customTimeouts", &entry.key, &known);
            continue;
        };
        let expr = reader.expr(&entry.value);
        let found = match &expr.kind {
            ExprKind::Literal(value) => match value.as_str() {
                // It sets none.
                Some("") => continue,
                Some(text) => seconds(text)
                    .ok_or_else(|| format!("unable to parse customTimeout Value {text}")),
                None => {
                    let found = match value {
                        Value::Null => "nil",
                        Value::Bool(_) => "a boolean",
                        _ => "a number",
                    };
                    Err(format!(
                        "customTimeouts.{key} must be a string, got {found}"
                    ))
                }
            },
            _ => {
                options.evaluated_timeouts.push((key.to_owned(), expr));
                continue;
            }
        };
        match found {
            Ok(seconds) => drop(options.custom_timeouts.insert(key.to_owned(), seconds)),
            Err(message) => reader.error("invalid-option", &message, entry.value.range),
        }
    }
}

/// Of a duration as Go has it: `1h30m`, `1.5s`.
pub(crate) fn seconds(text: &str) -> Option<f64> {
    let (sign, unsigned) = match text.strip_prefix('-') {
        Some(unsigned) => (-1.0, unsigned),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if unsigned == "0" {
        return Some(0.0);
    }
    let mut rest = unsigned;
    let mut seconds = 0.0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| c != '.' && !c.is_ascii_digit())?;
        let number: f64 = rest[..end].parse().ok()?;
        let units = [
            ("ns", 1e-9),
            ("us", 1e-6),
            ("µs", 1e-6),
            ("ms", 1e-3),
            ("s", 1.0),
            ("m", 60.0),
            ("h", 3600.0),
        ];
        let unit = units
            .iter()
            .find(|(unit, _)| rest[end..].starts_with(unit))?;
        seconds += number * unit.1;
        rest = &rest[end + unit.0.len()..];
    }
    // Go counts nanoseconds.
    let is_duration = !unsigned.is_empty() && seconds * 1e9 < i64::MAX as f64;
    is_duration.then_some(sign * seconds)
}
