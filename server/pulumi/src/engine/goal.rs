//! The desired state of a resource, and the values of the configuration.

use std::collections::{BTreeMap, BTreeSet};

use text::{Span, TextRange};

use super::Run;
use crate::ask::Plugins;
use crate::caveat::Caveat;
use crate::config::ConfigValue;
use crate::evaluate::{Binding, Evaluated};
use crate::expr::{Access, AccessStep, Expr, ExprKind, Property};
use crate::host;
use crate::options::ResourceOptions;
use crate::plan::NewResource;
use crate::program::{ConfigDecl, Declared, ResourceDecl};
use crate::schema::ResourceType;
use crate::urn::Urn;
use crate::value::{Object, Secret, Value};

/// A resource that is to be registered. Its expressions are evaluated, and nothing was asked yet.
#[derive(Clone, Debug)]
pub(super) struct Goal {
    pub inputs: Object,
    /// An output that all inputs are members of, as `properties: ${..}` may be one.
    pub spread: Option<Value>,
    pub property_dependencies: BTreeMap<String, BTreeSet<Urn>>,
    pub dependencies: BTreeSet<Urn>,
    pub caveats: BTreeSet<Caveat>,
    pub parent: Urn,
    pub provider: Option<Urn>,
    /// Of itself, if it names no other, and of its children.
    pub providers: Vec<Urn>,
    pub is_protected: bool,
    pub is_retained_on_delete: bool,
    pub replace_with: Vec<Urn>,
    pub deleted_with: Option<Urn>,
    pub replacement_trigger: Option<Value>,
    /// In seconds.
    pub custom_timeouts: BTreeMap<String, f64>,
    /// Of a provider: the names of the environment's variables, by those that they have for its plugin.
    pub env_var_mappings: Object,
    /// As they are written.
    pub aliases: Vec<Alias>,
}

impl Goal {
    /// Gives each input of the type its member of the spread object.
    pub fn take_members(&mut self, resource: ResourceType<'_>) {
        let Some(whole) = self.spread.take() else {
            return;
        };
        self.inputs = host::spread(resource, &whole);
        let dependencies = self.inputs.keys();
        let dependencies = dependencies.map(|name| (name.clone(), self.dependencies.clone()));
        self.property_dependencies = dependencies.collect();
    }

    /// The new state, as far as it follows from the goal alone.
    ///
    /// Source: `generateResourceSteps` in `step_generator.go` of Pulumi.
    pub fn new_resource(self, options: &ResourceOptions) -> NewResource {
        NewResource {
            is_custom: true,
            parent: Some(self.parent),
            dependencies: self.dependencies,
            property_dependencies: self.property_dependencies,
            is_protected: self.is_protected,
            is_retained_on_delete: self.is_retained_on_delete,
            deleted_with: self.deleted_with,
            replace_with: self.replace_with,
            replacement_trigger: self.replacement_trigger,
            custom_timeouts: self.custom_timeouts,
            ignore_changes: options.ignore_changes.clone(),
            hide_diffs: options.hide_diffs.clone(),
            ..NewResource::default()
        }
    }
}

/// Options that the children of a resource have, too, unless they say otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Inherited {
    /// By the names of their packages. The host hands them on.
    pub providers: BTreeMap<String, Urn>,
    /// The provider of the resource itself, also a default one, which the engine hands on to children of the same package.
    ///
    /// Source: `inheritFromParent` in `pkg/resource/deploy/source_eval.go` of Pulumi.
    pub own_provider: Option<Urn>,
    pub deleted_with: Option<Urn>,
    pub is_protected: bool,
    pub is_retained_on_delete: bool,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Alias {
    Urn(Urn),
    Parts {
        name: Option<String>,
        type_name: Option<String>,
        parent: Option<Urn>,
        has_no_parent: bool,
        stack: Option<String>,
        project: Option<String>,
    },
}

impl<P: Plugins> Run<'_, P> {
    /// Evaluates everything that is written about a resource. `None` where something has failed.
    pub(super) async fn goal(&mut self, declared: &Declared<ResourceDecl>) -> Option<Goal> {
        let decl = &declared.decl;
        let options = &decl.options;
        let mut goal = Goal {
            inputs: Object::new(),
            spread: None,
            property_dependencies: BTreeMap::new(),
            dependencies: BTreeSet::new(),
            caveats: BTreeSet::new(),
            parent: self.inputs.stack.root(),
            provider: None,
            providers: Vec::new(),
            is_protected: false,
            is_retained_on_delete: options.retain_on_delete.unwrap_or_default(),
            replace_with: Vec::new(),
            deleted_with: None,
            replacement_trigger: None,
            custom_timeouts: options.custom_timeouts.clone(),
            env_var_mappings: Object::new(),
            aliases: Vec::new(),
        };
        if let Some(properties) = &decl.properties {
            self.properties(declared, properties, &mut goal).await?;
        }
        if let Some(depends_on) = &options.depends_on {
            let others = self.resources(declared, depends_on, "dependsOn").await?;
            goal.dependencies.extend(others);
        }
        if let Some(parent) = &options.parent {
            goal.parent = self.one_resource(declared, parent).await?;
        }
        if let Some(provider) = &options.provider {
            let named = self.one_resource(declared, provider).await?;
            goal.provider =
                Some(self.of_type_provider(declared, named, "Provider", provider.at)?);
        }
        if let Some(providers) = &options.providers {
            for named in self.resources(declared, providers, "providers").await? {
                let named = self.of_type_provider(declared, named, "provider", providers.at)?;
                goal.providers.push(named);
            }
        }
        if let Some(others) = &options.replace_with {
            goal.replace_with = self.resources(declared, others, "replaceWith").await?;
        }
        if let Some(other) = &options.deleted_with {
            goal.deleted_with = Some(self.one_resource(declared, other).await?);
        }
        if let Some(protect) = &options.protect {
            goal.is_protected = self.protection(declared, protect).await?;
        }
        if let Some(trigger) = &options.replacement_trigger {
            let trigger = self.evaluate(declared, trigger).await?;
            // The host sends a trigger as an output. It depends on the outputs in it, and not on whole resources
            // (`marshalInputOptionsImpl` in `sdk/go/pulumi/rpc.go` of Pulumi).
            if trigger.has_output {
                goal.dependencies.extend(trigger.dependencies);
            }
            goal.replacement_trigger = Some(host::without_nulls(trigger.value));
        }
        if let Some(mappings) = &options.env_var_mappings {
            goal.env_var_mappings = self.env_var_mappings(declared, mappings).await?;
        }
        for (name, timeout) in &options.evaluated_timeouts {
            let seconds = self.timeout(declared, name, timeout).await?;
            let seconds = seconds.map(|seconds| (name.clone(), seconds));
            goal.custom_timeouts.extend(seconds);
        }
        if let Some(aliases) = &options.aliases {
            goal.aliases = self.written_aliases(declared, aliases).await?;
        }
        Some(goal)
    }

    async fn properties(
        &mut self,
        declared: &Declared<ResourceDecl>,
        properties: &Expr,
        goal: &mut Goal,
    ) -> Option<()> {
        let Some(written) = properties.properties() else {
            let evaluated = self.evaluate(declared, properties).await?;
            goal.caveats.extend(evaluated.caveats.clone());
            goal.dependencies.extend(evaluated.dependencies.clone());
            match &evaluated.value {
                value if evaluated.is_of_output() || value.has_unknown() => {
                    goal.spread = Some(evaluated.value)
                }
                Value::Object(object) => goal.inputs.clone_from(object),
                _ => {}
            }
            return Some(());
        };
        let mut is_whole = Some(());
        for property in written {
            let Some(name) = property.key.as_str() else {
                continue;
            };
            let Some(evaluated) = self.evaluate(declared, &property.value).await else {
                is_whole = None;
                continue;
            };
            goal.caveats.extend(evaluated.caveats);
            goal.dependencies
                .extend(evaluated.dependencies.iter().cloned());
            if evaluated.value != Value::Null || !evaluated.dependencies.is_empty() {
                goal.property_dependencies
                    .insert(name.to_owned(), evaluated.dependencies);
            }
            goal.inputs.insert(name.to_owned(), evaluated.value);
        }
        is_whole
    }

    /// A timeout with references, in seconds. An empty text sets none.
    async fn timeout(
        &mut self,
        declared: &Declared<ResourceDecl>,
        name: &str,
        expr: &Expr,
    ) -> Option<Option<f64>> {
        let evaluated = self.evaluate(declared, expr).await?;
        let message = match &evaluated.value {
            _ if evaluated.is_of_output() => {
                format!("customTimeouts.{name} must be a string, got pulumi.AnyOutput")
            }
            Value::String(text) if text.is_empty() => return Some(None),
            Value::String(text) => match crate::options::seconds(text) {
                Some(seconds) => return Some(Some(seconds)),
                None => format!("unable to parse customTimeout Value {text}"),
            },
            other => {
                let found = other.type_name();
                format!("customTimeouts.{name} must be a string, got {found}")
            }
        };
        self.wrong_option(declared, message, expr.at, &evaluated.caveats)
    }

    /// Source: `registerResource` in `run.go` of Pulumi's YAML host.
    async fn protection(
        &mut self,
        declared: &Declared<ResourceDecl>,
        protect: &Expr,
    ) -> Option<bool> {
        let evaluated = self.evaluate(declared, protect).await?;
        let message = match evaluated.value {
            _ if evaluated.is_of_output() => "protect must be not be an output",
            Value::Bool(is_protected) => return Some(is_protected),
            _ => "protect must be a boolean value",
        };
        self.wrong_option(declared, message.to_owned(), protect.at, &evaluated.caveats)
    }

    /// Source: `registerResource` in `run.go` of Pulumi's YAML host; `RegisterResource` in `source_eval.go` of its engine.
    async fn env_var_mappings(
        &mut self,
        declared: &Declared<ResourceDecl>,
        expr: &Expr,
    ) -> Option<Object> {
        let evaluated = self.evaluate(declared, expr).await?;
        let is_text = |it: &Value| matches!(it, Value::String(_));
        let message = match evaluated.value {
            Value::Object(mappings) => match mappings.iter().find(|(_, it)| !is_text(it)) {
                Some((key, _)) => {
                    format!("envVarMappings value for key \"{key}\" must be a string")
                }
                None if !mappings.is_empty() && !declared.decl.is_provider() => {
                    "envVarMappings can only be used with provider resources".to_owned()
                }
                None => return Some(mappings),
            },
            _ => "envVarMappings must be an object with string values".to_owned(),
        };
        self.wrong_option(declared, message, expr.at, &evaluated.caveats)
    }

    /// The resources that an option names.
    async fn resources(
        &mut self,
        declared: &Declared<ResourceDecl>,
        expr: &Expr,
        option: &str,
    ) -> Option<Vec<Urn>> {
        let evaluated = self.evaluate(declared, expr).await?;
        let message = match &evaluated.value {
            Value::Array(elements) => {
                let urns = elements.iter().map(resource);
                match urns.collect() {
                    Ok(urns) => return Some(urns),
                    Err(message) => message,
                }
            }
            _ => format!("resource option {option} value must be a list of resources"),
        };
        let message = match evaluated.is_of_output() {
            true => {
                format!("resource option {option} value must be a list of resource, not an output")
            }
            false => message,
        };
        self.wrong_option(declared, message, expr.at, &evaluated.caveats)
    }

    /// The resource that an option names.
    async fn one_resource(
        &mut self,
        declared: &Declared<ResourceDecl>,
        expr: &Expr,
    ) -> Option<Urn> {
        let evaluated = self.evaluate(declared, expr).await?;
        let message = match resource(&evaluated.value) {
            Ok(urn) => return Some(urn),
            Err(_) if evaluated.is_of_output() => "resource cannot be an output".to_owned(),
            Err(message) => message,
        };
        self.wrong_option(declared, message, expr.at, &evaluated.caveats)
    }

    /// A resource that an option names as a provider, if it is one.
    fn of_type_provider(
        &mut self,
        declared: &Declared<ResourceDecl>,
        named: Urn,
        option: &str,
        at: TextRange,
    ) -> Option<Urn> {
        if named.package_of_provider().is_some() {
            return Some(named);
        }
        let name = named.name();
        let message = format!("resource passed as {option} was not a provider resource '{name}'");
        self.wrong_option(declared, message, at, &BTreeSet::new())
    }

    /// Reports a wrong value, unless it comes from something that is reported itself.
    fn wrong_option<T>(
        &mut self,
        declared: &Declared<ResourceDecl>,
        message: String,
        at: TextRange,
        caveats: &BTreeSet<Caveat>,
    ) -> Option<T> {
        // A text that is not known is a text all the same.
        let is_text = |it: &Caveat| matches!(it, Caveat::ResourceText(_) | Caveat::SecretText);
        if caveats.iter().all(is_text) {
            self.error(None, "invalid-option", message, Some(declared.span(at)));
            self.outcome.is_stopped = true;
        }
        None
    }

    async fn written_aliases(
        &mut self,
        declared: &Declared<ResourceDecl>,
        expr: &Expr,
    ) -> Option<Vec<Alias>> {
        // Anything but a list has no effect; nor have elements that are neither text nor an object.
        let ExprKind::List(elements) = &expr.kind else {
            return Some(Vec::new());
        };
        let mut aliases = Vec::new();
        for element in elements {
            let evaluated = self.evaluate(declared, element).await?;
            let is_output = evaluated.is_of_output();
            let Evaluated { value, caveats, .. } = evaluated;
            let (urn, at) = match &value {
                Value::Object(object) => {
                    let Some(written) = element.properties() else {
                        continue;
                    };
                    if let Some((message, at)) = wrong_part(object, written) {
                        return self.wrong_option(declared, message, at, &caveats);
                    }
                    if is_output
                        && let Some(Value::String(_)) = object.get("parent")
                        && let Some(at) = self.parent_as_output(declared, written).await
                    {
                        let message = "expected a resource or string, found pulumi.AnyOutput";
                        return self.wrong_option(declared, message.to_owned(), at, &caveats);
                    }
                    aliases.push(alias(object));
                    (object.get("urn"), element.at)
                }
                Value::String(urn) if !is_output => {
                    aliases.push(Alias::Urn(Urn::new(urn)));
                    (Some(&value), element.at)
                }
                _ => continue,
            };
            let urn = urn.and_then(Value::as_str);
            if let Some(urn) = urn.filter(|it| !Urn::is_valid(it)) {
                let message = format!("invalid alias URN: invalid URN \"{urn}\"");
                return self.wrong_option(declared, message, at, &BTreeSet::new());
            }
        }
        Some(aliases)
    }

    /// The place of the parent of an alias, if the host has it as an output. It reads the URN of a resource as a text.
    async fn parent_as_output(
        &mut self,
        declared: &Declared<ResourceDecl>,
        written: &[Property],
    ) -> Option<TextRange> {
        let mut written = written.iter();
        let parent = &written.find(|it| it.key.as_str() == Some("parent"))?.value;
        let is_urn = |access: &Access| {
            let binding = self.bindings.get(&access.root).map(|it| &**it);
            let is_named = |it: &AccessStep| matches!(it, AccessStep::Name(name) if name == "urn" || name == "id");
            matches!(binding, Some(Binding::Resource(_)))
                && access.steps.first().is_some_and(is_named)
        };
        let is_urn = matches!(&parent.kind, ExprKind::Access(access) if is_urn(access));
        let evaluated = self.evaluate(declared, parent).await?;
        (evaluated.is_of_output() && !is_urn).then_some(parent.at)
    }
}

/// The resource that a value is.
fn resource(value: &Value) -> Result<Urn, String> {
    match value {
        Value::Resource(resource) => Ok(Urn::new(&resource.urn)),
        other => Err(format!("expected resource, got {}", other.go_type())),
    }
}

/// An error in a part of an alias, and its place.
///
/// Source: `registerResource` in `run.go` of Pulumi's YAML host; `mapAliases` and `collapseToURN` of its Go SDK.
fn wrong_part(object: &Object, written: &[Property]) -> Option<(String, TextRange)> {
    let is_text = |key: &str| ["urn", "name", "type", "stack", "project"].contains(&key);
    let wrong = |key: &str, value: &Value| match (key, value) {
        ("parent", Value::Resource(_)) => None,
        ("parent", Value::String(urn)) => {
            (!Urn::is_valid(urn)).then(|| format!("invalid URN \"{urn}\""))
        }
        ("parent", other) => Some(format!(
            "expected a resource or string, found {}",
            other.go_type()
        )),
        (key, _) if !is_text(key) => None,
        (_, Value::String(_)) => None,
        ("urn", Value::Unknown) => Some("invalid alias URN: missing required URN".to_owned()),
        ("urn", Value::Secret(_)) => None,
        (key, Value::Unknown) => Some(format!("alias {key} could not be resolved: must be known")),
        (key, Value::Secret(_)) => Some(format!(
            "alias {key} could not be resolved: must not be secret"
        )),
        (_, other) => Some(format!("unable to convert {} into string", other.go_type())),
    };
    let found = written.iter().find_map(|property| {
        let Some(key) = property.key.as_str() else {
            // The host says nothing, and does not register the resource.
            let message = "keys of aliases must be string literals".to_owned();
            return Some((message, property.key.at));
        };
        let message = wrong(key, object.get(key)?)?;
        Some((message, property.value.at))
    });
    let has = |key: &str| object.contains_key(key);
    let is_no_parent = matches!(object.get("noParent"), Some(Value::Bool(_)));
    let both = || {
        let place = written
            .iter()
            .find(|it| it.key.as_str() == Some("noParent"))?;
        let message = "failed to collapse alias to URN: alias can specify Parent, ParentURN or NoParent but not more then one";
        Some((message.to_owned(), place.key.at))
    };
    found.or_else(|| both().filter(|_| !has("urn") && has("parent") && is_no_parent))
}

fn alias(object: &Object) -> Alias {
    let text = |key: &str| object.get(key).and_then(Value::as_str).map(str::to_owned);
    if let Some(urn) = text("urn") {
        return Alias::Urn(Urn::new(&urn));
    }
    Alias::Parts {
        name: text("name"),
        type_name: text("type"),
        parent: match object.get("parent") {
            Some(Value::String(urn)) => Some(Urn::new(urn)),
            Some(Value::Resource(resource)) => Some(Urn::new(&resource.urn)),
            _ => None,
        },
        has_no_parent: object.get("noParent") == Some(&Value::Bool(true)),
        stack: text("stack"),
        project: text("project"),
    }
}

/// The types of configuration, as they are named in messages.
const TYPES: &str = "String, Number, Integer, Boolean, Object, List<String>, List<Number>, List<Integer>, List<Boolean>, List<Object>";

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn config(&mut self, index: usize) {
        let inputs = self.inputs;
        let declared = &inputs.program.config[index];
        // The stack's value of that name is taken unchanged, whatever its declaration.
        if self.bindings.contains(&declared.name) {
            return;
        }
        let value = self.config_value(declared).await;
        self.bind(&declared.name, value);
    }

    /// A value that the stack has, as its content says.
    pub(super) fn configured_value(&self, value: &ConfigValue) -> Evaluated {
        match value.value.is_sealed() {
            true => unknown_config(true, self.sealed()),
            false => Evaluated::plain(value.value.clone()),
        }
    }

    async fn config_value(&mut self, declared: &Declared<ConfigDecl>) -> Option<Evaluated> {
        let inputs = self.inputs;
        let decl = &declared.decl;
        let key = decl.key.as_deref().unwrap_or(&declared.name);
        let key = match key.contains(':') {
            true => key.to_owned(),
            false => format!("{}:{key}", inputs.stack.project),
        };
        let span = declared.span(declared.at);
        let is_in_environment =
            inputs.config.has_environment && !inputs.config.values.contains_key(&key);
        if is_in_environment {
            // An environment may say it, or not.
            return Some(unknown_config(decl.is_secret, Caveat::Environment));
        }
        let default = match &decl.default {
            Some(default) => Some(self.evaluate(declared, default).await?.value),
            None => None,
        };
        let written = decl.type_name.as_ref();
        let type_name = match (written, &default) {
            (None, None) => {
                let message = "unable to infer type: either 'default' or 'type' is required";
                return self.wrong_config(message, span);
            }
            (Some((name, _)), _) if !is_type(&name.to_lowercase()) => {
                let message =
                    format!("unexpected configuration type '{name}': valid types are {TYPES}");
                return self.wrong_config(&message, span);
            }
            (Some((name, _)), None) => canonical(name),
            (written, Some(default)) => match of_default(default, written.map(|(it, _)| &**it)) {
                Ok(name) => name,
                Err(message) => return self.wrong_config(&message, span),
            },
        };
        let value = match inputs.config.values.get(&key) {
            Some(value) => match typed(value, &type_name) {
                Some(value) => value,
                None => {
                    let message =
                        format!("unable to read configuration variable '{key}' as {type_name}");
                    return self.wrong_config(&message, span);
                }
            },
            None => match default {
                Some(default) => default,
                None if inputs.config.missing.contains(&key) => {
                    self.outcome.is_stopped = true;
                    return None;
                }
                None => {
                    let message = format!(
                        "missing required configuration variable '{key}'; run `pulumi config` to set"
                    );
                    return self.wrong_config(&message, span);
                }
            },
        };
        if value.is_sealed() {
            return Some(unknown_config(true, self.sealed()));
        }
        let value = match decl.is_secret {
            true => Value::secret(value),
            false => value,
        };
        Some(Evaluated::plain(value))
    }

    /// Why secrets are not decrypted.
    pub(super) fn sealed(&self) -> Caveat {
        let (config, state) = (&self.inputs.config.sealed, &self.inputs.state.sealed);
        let reason = config.as_ref().or(state.as_ref());
        Caveat::Sealed(reason.map(ToString::to_string).unwrap_or_default())
    }

    fn wrong_config(&mut self, message: &str, span: Span) -> Option<Evaluated> {
        self.error(None, "configuration-value", message, Some(span));
        self.outcome.is_stopped = true;
        None
    }
}

/// A value that only the update will know, for this reason.
fn unknown_config(is_secret: bool, caveat: Caveat) -> Evaluated {
    Evaluated {
        value: match is_secret {
            true => Value::secret(Value::Unknown),
            false => Value::Unknown,
        },
        caveats: BTreeSet::from([caveat]),
        ..Evaluated::default()
    }
}

fn is_type(name: &str) -> bool {
    let element = name
        .strip_prefix("list<")
        .and_then(|it| it.strip_suffix('>'));
    let name = element.unwrap_or(name);
    matches!(
        name,
        "string" | "number" | "int" | "integer" | "boolean" | "bool" | "object"
    )
}

/// A declared type in one spelling.
fn canonical(written: &str) -> String {
    let name = written.to_lowercase();
    let name = name
        .replace("bool>", "boolean>")
        .replace("int>", "integer>");
    match &*name {
        "bool" => "boolean".to_owned(),
        "int" => "integer".to_owned(),
        _ => name,
    }
}

/// The type of a default, which has to be the declared one, or its problem.
///
/// Source: `registerConfig` in `run.go` and `TypeValue` in `config/config.go` of Pulumi's YAML host.
fn of_default(default: &Value, written: Option<&str>) -> Result<String, String> {
    let wanted = written.map(canonical);
    let found = match default {
        Value::Unknown => return Ok(wanted.unwrap_or_else(|| "string".to_owned())),
        Value::Number(number) if wanted.as_deref() == Some("integer") && number.fract() == 0.0 => {
            "integer"
        }
        Value::Array(elements) => element_type(elements)?,
        other => simple_type(other)?,
    };
    match wanted {
        Some(wanted) if wanted != found && !wanted.starts_with("list<list<") => Err(format!(
            "type mismatch: default value of type {found} but type {wanted} was specified"
        )),
        _ => Ok(found.to_owned()),
    }
}

fn simple_type(value: &Value) -> Result<&'static str, String> {
    match value {
        Value::String(_) => Ok("string"),
        Value::Number(_) => Ok("number"),
        Value::Bool(_) => Ok("boolean"),
        Value::Object(_) => Ok("object"),
        Value::Array(elements) => element_type(elements),
        Value::Null => Err("unknown type".to_owned()),
        _ => Err(format!(
            "unexpected configuration type: valid types are {TYPES}"
        )),
    }
}

/// Of a list whose elements are of one type.
fn element_type(elements: &[Value]) -> Result<&'static str, String> {
    let Some(first) = elements.first() else {
        return Err("empty list".to_owned());
    };
    for pair in elements.windows(2) {
        if std::mem::discriminant(&pair[0]) != std::mem::discriminant(&pair[1]) {
            let (a, b) = (simple_type(&pair[0])?, simple_type(&pair[1])?);
            return Err(format!(
                "heterogeneous typed lists are not allowed: found types {a} and {b}"
            ));
        }
    }
    match first {
        Value::String(_) => Ok("list<string>"),
        Value::Number(_) => Ok("list<number>"),
        Value::Bool(_) => Ok("list<boolean>"),
        _ => Err("the elements of a list have to be strings, numbers or booleans".to_owned()),
    }
}

/// A configured value as the type that is declared for it.
fn typed(value: &ConfigValue, type_name: &str) -> Option<Value> {
    if let Value::Secret(Secret::Sealed(_)) = &value.value {
        return Some(value.value.clone());
    }
    let content = value.value.revealed();
    let typed = match type_name {
        "string" => match &value.text {
            Some(text) => Value::String(text.clone()),
            None => Value::String(crate::functions::json(content)),
        },
        "number" | "int" | "integer" => number(value)?,
        "boolean" | "bool" => match content {
            Value::Bool(value) => Value::Bool(*value),
            Value::Number(0.0) => Value::Bool(false),
            Value::Number(1.0) => Value::Bool(true),
            _ => return None,
        },
        "object" => match content {
            Value::Object(_) => content.clone(),
            _ => return None,
        },
        _ => match content {
            Value::Array(_) => content.clone(),
            _ => return None,
        },
    };
    Some(match value.is_secret {
        true => Value::secret(typed),
        false => typed,
    })
}

fn number(value: &ConfigValue) -> Option<Value> {
    match value.value.revealed() {
        Value::Number(number) => Some(Value::Number(*number)),
        _ => value.text.as_ref()?.parse().ok().map(Value::Number),
    }
}
