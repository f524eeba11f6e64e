//! The configuration before evaluation, as `configuration` has it.
//!
//! Follows OpenTofu's `internal/command/jsonconfig`.

use std::collections::{BTreeMap, BTreeSet};

use config::language_release::feature;
use config::{
    Body, Deprecation, Expr, InstanceKey, Module, ModuleAddr, ModuleCall, ModuleTree, Product,
    ProviderAddr, Reference, Referenceable, Repetition, Resource, ResourceMode,
};
use cty::{Type, Value};
use schema::{Block, Nesting, ProviderSchema};
use serde_json::{Map, Value as Json, json};
use smol_str::SmolStr;
use syntax::ast::{self, BinaryOp, ExprKind, ObjectKey};
use syntax::walk::{Visitor, walk_expr};

use super::{insert, mode, plain};
use crate::Plan;
use crate::condition::has_errors;
use crate::generate;
use crate::relevant::steps_text;
use crate::resource::types;

/// The whole tree of modules, and the provider configurations in it.
pub(super) fn configuration(plan: &Plan, tree: &ModuleTree) -> Json {
    let mut configuration = Configuration {
        plan,
        tree,
        providers: BTreeMap::new(),
        has_functions: tree.root().profile.has(feature::TYPES_IN_JSON),
        has_short_circuit: tree.root().profile.has(feature::SHORT_CIRCUIT),
    };
    configuration.add_providers(&ModuleAddr::root());
    let root = configuration.module(&ModuleAddr::root());
    let own = configuration.providers.into_iter();
    let own = own.filter(|(_, it)| it.parent.is_none());
    let own: Map<String, Json> = own.map(|(key, it)| (key, it.json.into())).collect();
    let mut json = Map::new();
    insert(&mut json, "provider_config", own);
    json.insert("root_module".to_owned(), root.into());
    json.into()
}

struct Configuration<'a> {
    plan: &'a Plan,
    tree: &'a ModuleTree,
    /// By a key that is made of the module and the name there.
    providers: BTreeMap<String, ProviderConfig>,
    /// Whether the functions of providers are among the references.
    has_functions: bool,
    has_short_circuit: bool,
}

struct ProviderConfig {
    json: Map<String, Json>,
    provider: ProviderAddr,
    /// The key of the one that a calling module passes.
    parent: Option<String>,
}

fn key(module: &ModuleAddr, name: &str) -> String {
    match module.is_root() {
        true => name.to_owned(),
        false => format!("{module}:{name}"),
    }
}

impl Configuration<'_> {
    /// Its value, if it has one by itself, and its references, from each attribute to the object that has it.
    fn expression(&self, expr: &Expr) -> Map<String, Json> {
        let mut json = referring(expr.references());
        if self.has_functions {
            let functions = provider_functions(&expr.ast);
            if !functions.is_empty() {
                let references = json.entry("references").or_insert_with(|| json!([]));
                let references = references.as_array_mut().into_iter();
                references.for_each(|it| it.extend(functions.iter().map(|name| json!(name))));
            }
        }
        let constant = literal(&expr.ast).or_else(|| {
            // The releases that have it stop at an operand that decides.
            if !self.has_short_circuit && has_open_logic(&expr.ast) {
                return None;
            }
            let evaluated = eval::evaluate(&expr.ast, &eval::EvalContext::empty());
            // Terraform looks at the value alone: a part without one may have no influence on it.
            let is_constant = match self.plan.product {
                Product::Terraform => evaluated.value.is_wholly_known(),
                Product::OpenTofu => !evaluated.has_errors(),
            };
            let is_shown = is_constant && !has_infinity(&evaluated.value);
            is_shown.then(|| plain(&evaluated.value))
        });
        json.extend(constant.map(|value| ("constant_value".to_owned(), value)));
        json
    }

    fn schemas(&self, provider: &ProviderAddr) -> Option<&ProviderSchema> {
        self.plan.schemas.get(provider).map(|schemas| &**schemas)
    }

    fn add_provider(
        &mut self,
        module: &ModuleAddr,
        (key, name): (String, &str),
        provider: &ProviderAddr,
        more: Map<String, Json>,
        parent: Option<String>,
    ) {
        if self.providers.contains_key(&key) {
            return;
        }
        let mut json = more;
        json.insert("name".to_owned(), json!(name));
        json.insert("full_name".to_owned(), json!(provider.to_string()));
        if !module.is_root() {
            json.insert("module_address".to_owned(), json!(module.to_string()));
        }
        let provider = provider.clone();
        let config = ProviderConfig {
            json,
            provider,
            parent,
        };
        self.providers.insert(key, config);
    }

    /// The outermost configuration that a name in a calling module stands for.
    fn source_of(&self, start: String, provider: &ProviderAddr) -> Option<String> {
        let (mut found, mut next) = (None, Some(start));
        while let Some(key) = next {
            let Some(config) = self.providers.get(&key) else {
                break;
            };
            if config.provider != *provider {
                break;
            }
            next = config.parent.clone();
            found = Some(key);
        }
        found
    }

    fn add_providers(&mut self, addr: &ModuleAddr) {
        let Some(module) = self.tree.module(addr).cloned() else {
            return;
        };
        let required = |provider: &ProviderAddr| -> Map<String, Json> {
            let requirements = module.required_providers.values();
            let required = requirements.filter(|it| it.source.as_ref() == Some(provider));
            let blocks = module.providers.iter();
            let blocks = blocks.filter(|(named, _)| module.provider_addr(&named.name) == *provider);
            let versions = required.filter_map(|it| it.version.as_deref());
            let versions: Vec<&str> = versions
                .chain(blocks.filter_map(|(_, block)| block.version.as_deref()))
                .collect();
            let version = (!versions.is_empty()).then(|| canonical(&versions.join(",")));
            version
                .map(|version| ("version_constraint".to_owned(), json!(version)))
                .into_iter()
                .collect()
        };
        for (named, block) in &module.providers {
            let provider = module.provider_addr(&named.name);
            let mut more = required(&provider);
            if let Some(alias) = &named.alias {
                more.insert("alias".to_owned(), json!(alias.as_str()));
            }
            if let Some(schemas) = self.schemas(&provider) {
                let expressions = self.expressions(&block.body, &schemas.provider.block);
                insert(&mut more, "expressions", expressions);
            }
            let key = key(addr, &named.to_string());
            self.add_provider(addr, (key, &named.name), &provider, more, None);
        }
        let inherited = |this: &Self, name: &str, provider: &ProviderAddr| {
            this.source_of(key(&addr.parent()?, name), provider)
        };
        for (name, requirement) in &module.required_providers {
            let provider = module.provider_addr(name);
            for alias in &requirement.configuration_aliases {
                let key = key(addr, &alias.to_string());
                self.add_provider(addr, (key, name), &provider, required(&provider), None);
            }
            let parent = inherited(self, name, &provider);
            let key = key(addr, name);
            self.add_provider(addr, (key, name), &provider, required(&provider), parent);
        }
        for provider in self.needed(addr, &module) {
            let name = provider.r#type.to_string();
            let parent = inherited(self, &name, &provider);
            let key = key(addr, &name);
            self.add_provider(addr, (key, &name), &provider, Map::new(), parent);
        }
        for (name, call) in &module.module_calls {
            let child = addr.child(name.clone());
            let Some(called) = self.tree.module(&child).cloned() else {
                continue;
            };
            for (in_child, in_parent) in &call.providers {
                let provider = called.provider_addr(&in_child.name);
                let parent = self.source_of(key(addr, &in_parent.to_string()), &provider);
                let name = in_child.to_string();
                let key = key(&child, &name);
                self.add_provider(&child, (key, &name), &provider, Map::new(), parent);
            }
            self.add_providers(&child);
        }
    }

    /// The providers of a module itself, without those of the modules that it calls.
    fn needed(&self, addr: &ModuleAddr, module: &Module) -> BTreeSet<ProviderAddr> {
        let required = module.required_providers.keys();
        let required = required.map(|name| module.provider_addr(name));
        let blocks = module.providers.keys();
        let blocks = blocks.map(|named| module.provider_addr(&named.name));
        let resources = resources(module).map(|resource| module.provider_of(resource).0);
        let imports = module.imports.iter().filter(|_| addr.is_root());
        let imports = imports.filter_map(|import| {
            let implied = || import.target.resource.implied_provider();
            // OpenTofu does not look at the module of the target.
            let is_here = import.target.modules.is_empty() || module.profile.is_opentofu();
            let name = import.provider.as_ref().map_or_else(implied, |it| &it.name);
            is_here.then(|| module.provider_addr(name))
        });
        let all = required.chain(blocks).chain(resources).chain(imports);
        all.collect()
    }

    fn module(&self, addr: &ModuleAddr) -> Map<String, Json> {
        let mut json = Map::new();
        let Some(module) = self.tree.module(addr) else {
            return json;
        };
        let has_ephemeral = module.profile.has(feature::EPHEMERAL_IN_JSON);
        let is_shown = |it: &&Resource| match it.addr.mode {
            ResourceMode::Managed | ResourceMode::Data => true,
            ResourceMode::Ephemeral => has_ephemeral,
            ResourceMode::Action => false,
        };
        let mut all: Vec<&Resource> = resources(module).filter(is_shown).collect();
        let order = |resource: &Resource| match resource.addr.mode {
            ResourceMode::Managed => 0,
            ResourceMode::Data => 1,
            ResourceMode::Ephemeral | ResourceMode::Action => 2,
        };
        all.sort_by_cached_key(|it| (order(it), it.addr.to_string()));
        let all: Vec<Json> = all
            .into_iter()
            .map(|resource| self.resource(addr, module, resource).into())
            .collect();
        if !all.is_empty() {
            json.insert("resources".to_owned(), all.into());
        }
        let actions = resources(module).filter(|it| it.addr.mode == ResourceMode::Action);
        let mut actions: Vec<&Resource> = actions.collect();
        actions.sort_by_cached_key(|it| it.addr.to_string());
        let actions: Vec<Json> = actions
            .into_iter()
            .map(|it| self.action(addr, it))
            .collect();
        if !actions.is_empty() {
            json.insert("actions".to_owned(), actions.into());
        }
        let outputs = module.outputs.values().map(|output| {
            let mut json = Map::new();
            flag(&mut json, "sensitive", output.sensitive);
            flag(&mut json, "ephemeral", has_ephemeral && output.ephemeral);
            let value = output
                .value
                .as_ref()
                .map(|it| self.expression(it))
                .unwrap_or_default();
            json.insert("expression".to_owned(), value.into());
            if module.profile.has(feature::TYPES_IN_JSON) {
                deprecated(&mut json, output.deprecated.as_ref());
            }
            depends_on(&mut json, &output.depends_on);
            described(&mut json, output.description.as_deref());
            (output.name.text.to_string(), json.into())
        });
        insert(&mut json, "outputs", outputs.collect());
        let calls = module.module_calls.iter();
        let calls = calls.map(|(name, call)| {
            let child = addr.child(name.clone());
            (name.to_string(), self.call(&child, call).into())
        });
        insert(&mut json, "module_calls", calls.collect());
        let variables = module.variables.iter().map(|(name, variable)| {
            let mut json = Map::new();
            if module.profile.has(feature::TYPES_IN_JSON) {
                let constraint = variable.r#type.as_ref();
                let ty = constraint.map(|it| eval::types::variable_type(&it.ast).0.ty);
                let ty = ty.filter(|ty| *ty != Type::Dynamic);
                let ty = ty.and_then(|ty| ty.to_json().ok());
                json.extend(ty.map(|ty| ("type".to_owned(), ty)));
                flag(&mut json, "required", variable.default.is_none());
                deprecated(&mut json, variable.deprecated.as_ref());
            }
            if variable.default.is_some() {
                let (value, _) = eval::variables::final_value(variable, None);
                json.insert("default".to_owned(), plain(&value.unmark_deep().0));
            }
            described(&mut json, variable.description.as_deref());
            flag(&mut json, "sensitive", variable.sensitive);
            flag(&mut json, "ephemeral", has_ephemeral && variable.ephemeral);
            (name.to_string(), json.into())
        });
        insert(&mut json, "variables", variables.collect());
        json
    }

    fn call(&self, child: &ModuleAddr, call: &ModuleCall) -> Map<String, Json> {
        let mut json = Map::new();
        let source = call.source.as_deref();
        json.extend(source.map(|source| ("source".to_owned(), json!(source))));
        let arguments = call.arguments.iter();
        let arguments =
            arguments.map(|it| (it.name().to_string(), self.expression(&it.expr()).into()));
        insert(&mut json, "expressions", arguments.collect());
        self.repetition(&mut json, &call.repetition);
        json.insert("module".to_owned(), self.module(child).into());
        let version = call.version.as_deref();
        json.extend(version.map(|version| ("version_constraint".to_owned(), json!(version))));
        depends_on(&mut json, &call.depends_on);
        json
    }

    fn resource(
        &self,
        addr: &ModuleAddr,
        module: &Module,
        resource: &Resource,
    ) -> Map<String, Json> {
        let mut json = Map::new();
        json.insert("address".to_owned(), json!(resource.addr.to_string()));
        json.insert("mode".to_owned(), json!(mode(resource.addr.mode)));
        json.insert("type".to_owned(), json!(resource.addr.r#type.as_str()));
        json.insert("name".to_owned(), json!(resource.addr.name.as_str()));
        let own = key(addr, &provider_name(resource));
        let config = self.providers.get(&own);
        let key = config.and_then(|it| it.parent.clone()).unwrap_or(own);
        json.insert("provider_config_key".to_owned(), json!(key));
        let provisioners = resource.provisioning.iter();
        let provisioners: Vec<Json> = provisioners
            .filter(|block| block.kind() == "provisioner")
            .filter_map(|block| {
                let mut json = Map::new();
                json.insert("type".to_owned(), json!(block.label(0)?.text.as_str()));
                let body = block.body();
                let (body, _) = body.just_attributes();
                let arguments = body.attributes.iter();
                let arguments =
                    arguments.filter(|it| !["when", "on_failure"].contains(&it.name().as_str()));
                let arguments =
                    arguments.map(|it| (it.name().to_string(), self.expression(&it.expr()).into()));
                insert(&mut json, "expressions", arguments.collect());
                Some(json.into())
            })
            .collect();
        if !provisioners.is_empty() {
            json.insert("provisioners".to_owned(), provisioners.into());
        }
        let schemas = self.schemas(&module.provider_of(resource).0);
        if let Some(schema) =
            schemas.and_then(|it| types(it, resource.addr.mode).get(&resource.addr.r#type))
        {
            insert(
                &mut json,
                "expressions",
                self.expressions(&resource.body, &schema.block),
            );
            json.insert("schema_version".to_owned(), json!(schema.version));
        }
        self.repetition(&mut json, &resource.repetition);
        depends_on(&mut json, &resource.depends_on);
        json
    }

    fn action(&self, addr: &ModuleAddr, action: &Resource) -> Json {
        let mut json = Map::new();
        json.insert("address".to_owned(), json!(action.addr.to_string()));
        json.insert("type".to_owned(), json!(action.addr.r#type.as_str()));
        json.insert("name".to_owned(), json!(action.addr.name.as_str()));
        json.insert(
            "provider_config_key".to_owned(),
            json!(key(addr, &provider_name(action))),
        );
        self.repetition(&mut json, &action.repetition);
        json.into()
    }

    fn repetition(&self, json: &mut Map<String, Json>, repetition: &Repetition) {
        let (name, expr) = match repetition {
            Repetition::Count(expr) => ("count_expression", expr),
            Repetition::ForEach(expr) => ("for_each_expression", expr),
            Repetition::Single | Repetition::Enabled(_) => return,
        };
        insert(json, name, self.expression(expr));
    }

    /// The arguments and nested blocks of a body that its schema knows, without those of `dynamic` blocks.
    fn expressions(&self, body: &Body, schema: &Block) -> Map<String, Json> {
        let mut json = Map::new();
        let body = eval::content(body, schema);
        for name in schema.attributes.keys() {
            let written = match body.attribute(name) {
                Some(attribute) => self.expression(&attribute.expr()),
                None if body.blocks_of(name).next().is_some() => as_blocks(&body, name, schema),
                None => continue,
            };
            json.insert(name.to_string(), written.into());
        }
        for block in &body.blocks {
            let kind = block.kind();
            let Some(nested) = schema.block_types.get(kind) else {
                continue;
            };
            let inner = Json::from(self.expressions(&block.body(), &nested.block));
            match nested.nesting {
                Nesting::Single | Nesting::Group => {
                    json.insert(kind.to_string(), inner);
                }
                Nesting::List | Nesting::Set => {
                    let blocks = json.entry(kind.to_string()).or_insert_with(|| json!([]));
                    blocks
                        .as_array_mut()
                        .into_iter()
                        .for_each(|it| it.push(inner.clone()));
                }
                Nesting::Map => {
                    let blocks = json.entry(kind.to_string()).or_insert_with(|| json!({}));
                    let label = block
                        .label(0)
                        .map_or_else(String::new, |it| it.text.to_string());
                    blocks[label] = inner;
                }
            }
        }
        json
    }
}

/// The provider configuration as the module names it.
fn provider_name(resource: &Resource) -> String {
    match &resource.provider {
        Some(provider) => provider.to_string(),
        None => resource.addr.implied_provider().to_owned(),
    }
}

/// Also those inside of `check` blocks, but not those that are being generated.
fn resources(module: &Module) -> impl Iterator<Item = &Resource> {
    let in_checks = module
        .checks
        .values()
        .filter_map(|check| check.data.as_ref());
    let all = module.resources.values().chain(in_checks);
    let all = all.map(|resource| &**resource);
    all.filter(|resource| !generate::is_declaration(resource))
}

fn flag(json: &mut Map<String, Json>, name: &str, is_set: bool) {
    json.extend(is_set.then(|| (name.to_owned(), json!(true))));
}

fn described(json: &mut Map<String, Json>, description: Option<&str>) {
    let description = description.filter(|it| !it.is_empty());
    json.extend(description.map(|it| ("description".to_owned(), json!(it))));
}

pub(super) fn deprecated(json: &mut Map<String, Json>, deprecation: Option<&Deprecation>) {
    let message = deprecation.map(|it| json!(it.message.as_str()));
    json.extend(message.map(|message| ("deprecated".to_owned(), message)));
}

fn depends_on(json: &mut Map<String, Json>, depends_on: &[Reference]) {
    let subjects: Vec<String> = depends_on.iter().map(|it| subject(&it.subject)).collect();
    if !subjects.is_empty() {
        json.insert("depends_on".to_owned(), json!(subjects));
    }
}

/// An attribute that is written as blocks.
fn as_blocks(body: &Body, name: &SmolStr, schema: &Block) -> Map<String, Json> {
    let attribute = schema.attributes.get_key_value(name);
    let only = Block {
        attributes: attribute
            .into_iter()
            .map(|(name, it)| (name.clone(), it.clone()))
            .collect(),
        ..Block::default()
    };
    let mut blocks = Body::of_attributes(Vec::new(), body.missing_item.clone());
    blocks.blocks = body.blocks_of(name).cloned().collect();
    let mut json = referring(config::refs::body_references(&blocks));
    let decoded = eval::decode(&blocks, &only, &eval::EvalContext::empty());
    if !has_errors(&decoded.diagnostics)
        && let Some(value) = decoded.value.get(name)
    {
        json.insert("constant_value".to_owned(), plain(value));
    }
    json
}

/// Whether a value contains an infinite number. JSON cannot represent one.
fn has_infinity(value: &Value) -> bool {
    let mut found = false;
    cty::walk(value, &mut |_, it| {
        found |= it.as_number().is_some_and(|it| it.is_infinite());
        !found
    });
    found
}

/// Whether an operator of logic has an operand that has no value by itself, so that only the other one could decide.
fn has_open_logic(expr: &ast::Expr) -> bool {
    struct Open(bool);
    impl Visitor for Open {
        fn expr(&mut self, expr: &ast::Expr) {
            if let ExprKind::Binary {
                op, left, right, ..
            } = &expr.kind
                && matches!(op, BinaryOp::And | BinaryOp::Or)
            {
                let is_open = |it: &ast::Expr| config::has_variables(it) || has_calls(it);
                self.0 |= is_open(left) || is_open(right);
            }
        }
    }
    let mut open = Open(false);
    walk_expr(expr, &mut open);
    open.0
}

fn has_calls(expr: &ast::Expr) -> bool {
    struct Calls(bool);
    impl Visitor for Calls {
        fn expr(&mut self, expr: &ast::Expr) {
            self.0 |= matches!(expr.kind, ExprKind::Call { .. });
        }
    }
    let mut calls = Calls(false);
    walk_expr(expr, &mut calls);
    calls.0
}

/// The functions of providers that an expression calls, in their order.
fn provider_functions(expr: &ast::Expr) -> Vec<String> {
    struct Calls(Vec<String>);
    impl Visitor for Calls {
        fn expr(&mut self, expr: &ast::Expr) {
            if let ExprKind::Call(call) = &expr.kind
                && call.name.starts_with("provider::")
            {
                self.0.push(call.name.to_string());
            }
        }
    }
    let mut calls = Calls(Vec::new());
    walk_expr(expr, &mut calls);
    calls.0
}

fn referring(references: impl IntoIterator<Item = Reference>) -> Map<String, Json> {
    let mut texts = Vec::new();
    for reference in references {
        let whole = subject(&reference.subject);
        for length in (1..=reference.remaining.len()).rev() {
            texts.push(whole.clone() + &steps_text(&reference.remaining[..length]));
        }
        texts.push(whole);
        let around = match &reference.subject {
            Referenceable::ResourceInstance(addr, key) if *key != InstanceKey::None => {
                Some(addr.to_string())
            }
            Referenceable::ModuleInstance(call, key) if *key != InstanceKey::None => {
                Some(format!("module.{call}"))
            }
            Referenceable::ModuleOutput { call, key, .. } => Some(format!("module.{call}{key}")),
            _ => None,
        };
        texts.extend(around);
    }
    let texts = (!texts.is_empty()).then(|| json!(texts));
    texts
        .map(|texts| ("references".to_owned(), texts))
        .into_iter()
        .collect()
}

/// The value of an expression in JSON syntax without evaluation. Texts are no templates then.
fn literal(expr: &ast::Expr) -> Option<Json> {
    let is_json = |expr: &ast::Expr| matches!(expr.kind, ExprKind::Json(_));
    match &expr.kind {
        ExprKind::Json(text) => Some(json!(text.value().as_str())),
        ExprKind::Null => Some(Json::Null),
        ExprKind::Bool(value) => Some(json!(value)),
        ExprKind::Number(number) => number.parse().ok().map(Json::Number),
        ExprKind::Tuple(elements) => elements.iter().map(literal).collect(),
        ExprKind::Object(items) => items
            .iter()
            .map(|item| match &item.key {
                ObjectKey::Expr(key) if is_json(key) => {
                    Some((key.as_literal_string()?.to_string(), literal(&item.value)?))
                }
                ObjectKey::Expr(_) | ObjectKey::Name(_) => None,
            })
            .collect(),
        _ => None,
    }
}

/// The subject of a reference, as addresses are written.
fn subject(subject: &Referenceable) -> String {
    match subject {
        Referenceable::Var(name) => format!("var.{name}"),
        Referenceable::Local(name) => format!("local.{name}"),
        Referenceable::Resource(addr) => addr.to_string(),
        Referenceable::ResourceInstance(addr, key) => format!("{addr}{key}"),
        Referenceable::Module(call) => format!("module.{call}"),
        Referenceable::ModuleInstance(call, key) => format!("module.{call}{key}"),
        Referenceable::ModuleOutput { call, key, output } => {
            format!("module.{call}{key}.{output}")
        }
        Referenceable::Count(name) => format!("count.{name}"),
        Referenceable::Each(name) => format!("each.{name}"),
        Referenceable::Self_ => "self".to_owned(),
        Referenceable::Path(name) => format!("path.{name}"),
        Referenceable::Terraform(name) => format!("terraform.{name}"),
        Referenceable::Tofu(name) => format!("tofu.{name}"),
    }
}

/// A version constraint as Terraform writes it into lock files: in the order of the versions, with all their numbers.
fn canonical(constraint: &str) -> String {
    let mut parts: Vec<(Vec<u64>, String)> = Vec::new();
    for part in constraint.split(',').map(str::trim) {
        let version = part.trim_start_matches(['=', '!', '>', '<', '~', ' ']);
        let operator = part[..part.len() - version.len()].trim();
        let (core, rest) = match version.find(['-', '+']) {
            Some(at) => version.split_at(at),
            None => (version, ""),
        };
        let mut numbers: Vec<u64> = core.split('.').filter_map(|it| it.parse().ok()).collect();
        numbers.resize(numbers.len().max(if operator == "~>" { 2 } else { 3 }), 0);
        let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let text = match operator {
            "" | "=" => texts.join(".") + rest,
            operator => format!("{operator} {}{rest}", texts.join(".")),
        };
        parts.push((numbers, text));
    }
    parts.sort();
    parts.dedup();
    let texts: Vec<String> = parts.into_iter().map(|(_, text)| text).collect();
    texts.join(", ")
}
