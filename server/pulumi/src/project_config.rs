//! The configuration that a project declares: checked when the project is loaded, and given to stacks that lack it.
//!
//! Source: `Project.Validate` in `sdk/go/common/workspace/project.go`, `project.json` beside it, and `mergeConfig` in
//! `pkg/workspace/config.go` of Pulumi.

use text::{FileId, Problem, Span};
use yaml::{File, KeyValue, Node, NodeKind, Scalar};

use crate::config::{Config, ConfigValue, scalar_value, unsealed, written_value};
use crate::value::Value;

#[derive(Clone, Debug, Default)]
pub struct ProjectConfig {
    project: String,
    keys: Vec<DeclaredKey>,
    problems: Vec<Problem<Option<Span>>>,
}

/// A key and its declaration.
#[derive(Clone, Debug)]
struct DeclaredKey {
    /// As it is written.
    name: String,
    /// `NAMESPACE:KEY`.
    key: String,
    declared_type: Option<Type>,
    is_secret: bool,
    value: Option<ConfigValue>,
    at: Span,
}

#[derive(Clone, PartialEq, Debug)]
enum Type {
    String,
    Integer,
    Boolean,
    Object,
    /// Of elements whose type is declared too.
    Array(Option<Box<Type>>),
}

const FIELDS: [&str; 6] = ["type", "items", "description", "secret", "default", "value"];

impl ProjectConfig {
    /// Reads the section `config` of a project file.
    pub fn read(id: &FileId, file: &File, project: &str) -> ProjectConfig {
        let mut found = ProjectConfig {
            project: project.to_owned(),
            ..ProjectConfig::default()
        };
        for item in file.entries("config") {
            let at = Span {
                file: id.clone(),
                segment: item.segment.id,
                range: item.key.range,
            };
            match found.declared(&item, at.clone()) {
                Ok(declared) => found.keys.push(declared),
                Err(summary) => found.problem(summary, at),
            }
        }
        found
    }

    fn problem(&mut self, summary: String, at: Span) {
        let problem = Problem::error("configuration-value", summary, "", Some(at));
        self.problems.push(problem);
    }

    fn declared(&self, item: &KeyValue<'_>, at: Span) -> Result<DeclaredKey, String> {
        let name = item.name().to_owned();
        let key = crate::config::key(&name, &self.project)?;
        let is_own = key.starts_with(&format!("{}:", self.project));
        let mut declared = DeclaredKey {
            name,
            key,
            declared_type: None,
            is_secret: false,
            value: None,
            at,
        };
        let name = &declared.name;
        let NodeKind::Mapping(fields) = &item.value.kind else {
            // A value is short for its declaration.
            let value = unsealed(item.value);
            if item.value.is_null() {
                return Err(format!("configuration key '{name}' has no value"));
            }
            if item.value.scalar().is_some_and(|it| !is_short(it)) {
                return Err(format!(
                    "configuration key '{name}' has a value that only its attribute 'value' can have"
                ));
            }
            finite(item.value)?;
            declared.value = Some(value);
            return Ok(declared);
        };
        if let Some(unknown) = fields
            .iter()
            .find(|it| it.key.text().is_none_or(|it| !FIELDS.contains(&it)))
        {
            let unknown = unknown.key.text().unwrap_or_default();
            return Err(format!(
                "configuration key '{name}' has the unknown attribute '{unknown}': {} are allowed",
                FIELDS.join(", ")
            ));
        }
        let field = |key: &str| item.value.get(key).map(|it| &it.value);
        let given = |key: &str| field(key).filter(|it| !it.is_null()).map(unsealed);
        let (default, value) = (given("default"), given("value"));
        for (attribute, wanted) in [("secret", "boolean"), ("description", "string")] {
            let found = field(attribute).and_then(Node::scalar).map(scalar_value);
            let fits = match found {
                None => field(attribute).is_none(),
                Some(Value::Bool(_)) => wanted == "boolean",
                Some(Value::String(_)) => wanted == "string",
                Some(_) => false,
            };
            if !fits {
                return Err(format!(
                    "configuration key '{name}' has the attribute '{attribute}' that is not a {wanted}"
                ));
            }
        }
        let written = ["default", "value"].into_iter().filter_map(field);
        written.into_iter().try_for_each(finite)?;
        declared.is_secret = field("secret").and_then(Node::text) == Some("true");
        declared.declared_type = match field("type") {
            Some(node) => Some(type_of(node, field("items")).ok_or_else(|| {
                let written = node.text().unwrap_or_default();
                format!("configuration key '{name}' has the unknown type '{written}': string, integer, boolean, array and object are allowed")
            })?),
            None => None,
        };
        match (&default, &value) {
            (Some(_), Some(_)) => {
                return Err(format!(
                    "project config '{name}' cannot have both a 'default' and 'value' attribute"
                ));
            }
            _ if !is_own && declared.declared_type.is_some() => {
                return Err(format!(
                    "Configuration key '{name}' is not namespaced by the project and should not define a type"
                ));
            }
            (Some(_), None) if !is_own => {
                return Err(format!(
                    "Configuration key '{name}' is not namespaced by the project and should not define a default value. Did you mean to use the 'value' attribute instead of 'default'?"
                ));
            }
            (None, None) if !is_own => {
                return Err(format!(
                    "Configuration key '{name}' is namespaced and must provide an attribute 'value'"
                ));
            }
            _ => {}
        }
        match &declared.declared_type {
            Some(Type::Array(None)) => {
                return Err(format!(
                    "The configuration key '{name}' declares an array but does not specify the underlying type via the 'items' attribute"
                ));
            }
            Some(wanted) if default.is_some() => {
                let node = field("default").filter(|it| wanted.accepts_node(it));
                if node.is_none() {
                    return Err(format!(
                        "The default value specified for configuration key '{name}' is not of the expected type '{}'",
                        wanted.text()
                    ));
                }
            }
            _ => {}
        }
        declared.value = default.or(value);
        Ok(declared)
    }

    /// Adds missing values to a stack, and reports those that nothing gives, and type errors.
    ///
    /// Source: `missingStackConfigurationKeysError` and `validateStackConfigValues` in `workspace/config.go` of Pulumi.
    pub fn merge_into(&self, config: &mut Config, stack: &str) {
        config.problems.extend(self.problems.iter().cloned());
        let own = format!("{}:", self.project);
        let mut missing: Vec<&DeclaredKey> = Vec::new();
        for declared in &self.keys {
            if !config.values.contains_key(&declared.key)
                && let Some(value) = &declared.value
                && !config.has_environment
            {
                config.values.insert(declared.key.clone(), value.clone());
            }
            let Some(value) = config.values.get(&declared.key) else {
                if declared.key.starts_with(&own) && !config.has_environment {
                    missing.push(declared);
                    config.missing.insert(declared.key.clone());
                }
                continue;
            };
            let name = &declared.name;
            let summary = match &declared.declared_type {
                Some(_) if declared.is_secret && !value.is_secret => format!(
                    "Stack '{stack}' with configuration key '{name}' must be encrypted as it's secret"
                ),
                Some(wanted) if !wanted.accepts(value) => format!(
                    "Stack '{stack}' with configuration key '{name}' must be of type '{}'",
                    wanted.text()
                ),
                _ => continue,
            };
            let at = Some(declared.at.clone());
            let problem = Problem::error("configuration-value", summary, "", at);
            config.problems.push(problem);
        }
        if let Some(first) = missing.first() {
            let at = Some(first.at.clone());
            let summary = missing_values(stack, &missing);
            let problem = Problem::error("configuration-value", summary, "", at);
            config.problems.push(problem);
        }
    }
}

fn missing_values(stack: &str, missing: &[&DeclaredKey]) -> String {
    let mut names: Vec<String> = missing.iter().map(|it| format!("'{}'", it.name)).collect();
    names.sort();
    let values = match names.len() {
        1 => "value",
        _ => "values",
    };
    let last = names.pop().unwrap_or_default();
    let names = match names.is_empty() {
        true => last,
        false => format!("{} and {last}", names.join(", ")),
    };
    format!("Stack '{stack}' is missing configuration {values} {names}")
}

/// Whether a scalar may replace its declaration: dates, and numbers that are not integers, may not.
fn is_short(scalar: &Scalar) -> bool {
    let is_hexadecimal = scalar.text.contains(['x', 'X']);
    match scalar_value(scalar) {
        Value::Number(_) => is_hexadecimal || !scalar.text.contains(['.', 'e', 'E']),
        _ => !crate::config::is_timestamp(scalar),
    }
}

/// Configuration is kept as JSON, which has no infinite numbers.
fn finite(node: &Node) -> Result<(), String> {
    match written_value(node).infinite() {
        Some(number) => Err(format!("json: unsupported value: {number}")),
        None => Ok(()),
    }
}

fn type_of(node: &Node, items: Option<&Node>) -> Option<Type> {
    Some(match node.text()? {
        "string" => Type::String,
        "integer" => Type::Integer,
        "boolean" => Type::Boolean,
        "object" => Type::Object,
        "array" => Type::Array(match items {
            Some(items) => {
                let field = |key: &str| items.get(key).map(|it| &it.value);
                Some(Box::new(type_of(field("type")?, field("items"))?))
            }
            None => None,
        }),
        _ => return None,
    })
}

impl Type {
    fn text(&self) -> String {
        match self {
            Type::String => "string".to_owned(),
            Type::Integer => "integer".to_owned(),
            Type::Boolean => "boolean".to_owned(),
            Type::Object => "object".to_owned(),
            Type::Array(element) => {
                format!(
                    "array<{}>",
                    element.as_ref().map_or(String::new(), |it| it.text())
                )
            }
        }
    }

    /// Whether the text of a default is of this type.
    fn accepts_node(&self, node: &Node) -> bool {
        match &node.kind {
            NodeKind::Scalar(scalar) => match (self, scalar_value(scalar)) {
                (Type::String, Value::String(_)) => !crate::config::is_timestamp(scalar),
                (_, value) => self.accepts_value(&value),
            },
            NodeKind::Sequence(elements) => match self {
                Type::Array(Some(element)) => elements.iter().all(|it| element.accepts_node(it)),
                _ => false,
            },
            NodeKind::Mapping(_) => *self == Type::Object,
            NodeKind::Alias => true,
        }
    }

    /// Values of stacks are texts, unless they are objects or lists.
    fn accepts(&self, value: &ConfigValue) -> bool {
        match &value.text {
            _ if value.value.is_sealed() => true,
            Some(text) => self.accepts_value(&Value::String(text.clone())),
            None => self.accepts_value(value.value.revealed()),
        }
    }

    fn accepts_value(&self, value: &Value) -> bool {
        match (self, value.revealed()) {
            (Type::String, Value::String(_)) | (Type::Boolean, Value::Bool(_)) => true,
            (Type::Integer, Value::Number(number)) => number.fract() == 0.0,
            (Type::Integer, Value::String(text)) => text.parse::<i64>().is_ok(),
            (Type::Boolean, Value::String(text)) => text == "true" || text == "false",
            (Type::Object, Value::Object(_)) => true,
            (Type::Array(Some(element)), Value::Array(values)) => {
                values.iter().all(|it| element.accepts_value(it))
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Keys;

    /// The problem of a declaration, and the resulting value of a stack with this configuration.
    fn check(declared: &str, stack: &str) -> (Vec<String>, Option<Value>) {
        let text = format!("name: shop\nconfig:\n  {declared}\n");
        let id = FileId::new("/Pulumi.yaml");
        let project = ProjectConfig::read(&id, &File::parse(&text), "shop");
        let mut config = Config::read(&format!("config: {stack}\n"), "shop", &Keys::default());
        project.merge_into(&mut config, "dev");
        let problems = config.problems.iter().map(|it| it.summary.to_string());
        let value = config.values.values().next().map(|it| it.value.clone());
        (problems.collect(), value)
    }

    /// As Pulumi's command line answered.
    #[test]
    fn declarations_are_refused_that_pulumi_refuses() {
        for (declared, stack) in [
            ("v: {type: string, default: 1}", "{}"),
            ("v: {type: string, default: true}", "{}"),
            ("v: {type: string, default: 2001-12-14}", "{}"),
            ("v: {type: string, default: 017}", "{}"),
            ("v: {type: string, default: [a]}", "{}"),
            ("v: {type: integer, default: 1.5}", "{}"),
            ("v: {type: integer, default: x}", "{}"),
            ("v: {type: boolean, default: 1}", "{}"),
            ("v: {type: object, default: [a]}", "{}"),
            ("v: {type: number, default: 1}", "{}"),
            ("v: {type: array, default: [a]}", "{}"),
            (
                "v: {type: array, items: {type: integer}, default: [a]}",
                "{}",
            ),
            ("v: {type: string, description: d}", "{}"),
            ("v: {type: string, descripion: d, default: x}", "{}"),
            ("v: {type: string, name: w, default: x}", "{}"),
            ("v: {value: a, default: b}", "{}"),
            ("v: {type: string, secret: true, default: a}", "{}"),
            ("v: {type: string, secret: true}", "{v: a}"),
            ("v: {type: integer}", "{v: five}"),
            ("v: {type: boolean}", "{v: t}"),
            ("v: {type: boolean}", "{v: 1}"),
            ("v: {type: object}", "{v: [1]}"),
            ("v: {type: string}", "{v: {a: 1}}"),
            ("lab:region: {default: west}", "{}"),
            ("lab:region: {type: string, value: west}", "{}"),
            ("lab:region: {}", "{}"),
            ("v:", "{}"),
            ("v: null", "{v: a}"),
            ("v: .5", "{}"),
            ("v: 1e3", "{}"),
            ("v: 2001-12-14", "{}"),
            ("v: {type: string, default: a, secret: 1}", "{}"),
            ("v: {type: string, default: a, secret: 'true'}", "{}"),
            ("v: {type: string, default: a, description: 5}", "{}"),
            ("v: {default: .inf}", "{}"),
            ("v: {value: {a: [.nan]}}", "{}"),
            ("v: -.inf", "{}"),
            ("a:b:c: {value: x}", "{}"),
        ] {
            let (problems, _) = check(declared, stack);
            assert_eq!(problems.len(), 1, "{declared} {stack}: {problems:?}");
        }
    }

    #[test]
    fn stacks_take_over_what_they_lack() {
        let number = |value| Some(Value::Number(value));
        for (declared, stack, expected) in [
            ("v: {type: string, default: '1'}", "{}", number(1.0)),
            (
                "v: {type: string, default: '017'}",
                "{}",
                Some("017".into()),
            ),
            ("v: {type: integer, default: '1'}", "{}", number(1.0)),
            ("v: {type: integer, default: 017}", "{}", number(15.0)),
            (
                "v: {type: boolean, default: 'true'}",
                "{}",
                Some(Value::Bool(true)),
            ),
            (
                "v: {type: array, items: {type: string}, default: [a]}",
                "{}",
                Some(Value::Array(vec!["a".into()])),
            ),
            ("v: {secret: true, default: a}", "{}", Some("a".into())),
            ("v: {type: integer, default: 3}", "{v: 4}", number(4.0)),
            ("v: {type: string}", "{v: 1}", number(1.0)),
            ("v: 5", "{}", number(5.0)),
            ("lab:region: west", "{}", Some("west".into())),
            ("lab:region: {value: west}", "{}", Some("west".into())),
            (
                "lab:region: west",
                "{'lab:region': east}",
                Some("east".into()),
            ),
        ] {
            assert_eq!(
                check(declared, stack),
                (Vec::new(), expected),
                "{declared} {stack}"
            );
        }
    }
}
