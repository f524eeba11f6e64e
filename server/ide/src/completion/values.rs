//! Expressions, and the words that stand where no expression may.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use config::{Referenceable, ResourceMode, Variable};
use cty::Type;
use schema::{ArgumentKind, Attribute, Further};
use smol_str::SmolStr;
use syntax::ast::{ExprKind, StepKind};

use super::items::{attribute_detail, attribute_documentation};
use super::{Completion, CompletionKind, Context};
use crate::body::{self, ArgumentSchema, BodySchema};
use crate::cursor::{Cursor, Place, ValuePlace, Within};
use crate::hover::Text;
use crate::known::Known;
use crate::subject::local_module;

/// What is wanted at a place.
#[derive(Clone, Debug)]
pub(crate) struct Expected<'a> {
    pub(crate) kind: ArgumentKind,
    values: Vec<SmolStr>,
    ty: Type,
    /// Of an object that a provider describes attribute by attribute.
    attributes: Option<&'a BTreeMap<SmolStr, Attribute>>,
}

/// Arguments whose value names an object and has no value itself.
pub(super) const ADDRESS_KINDS: [ArgumentKind; 4] = [
    ArgumentKind::References,
    ArgumentKind::ReplaceTriggeredBy,
    ArgumentKind::Address,
    ArgumentKind::StateAddress,
];

impl Default for Expected<'_> {
    fn default() -> Self {
        Expected {
            kind: ArgumentKind::Any,
            values: Vec::new(),
            ty: Type::Dynamic,
            attributes: None,
        }
    }
}

impl Expected<'_> {
    fn of_type(ty: Type) -> Self {
        Expected {
            ty,
            ..Expected::default()
        }
    }

    /// How well a value of type `ty` is in its place.
    pub(super) fn rank(&self, ty: &Type) -> u8 {
        if self.ty.is_dynamic() {
            return 3;
        }
        match fit(ty, &self.ty) {
            Fit::Same => 1,
            Fit::Converted => 2,
            Fit::Perhaps => 4,
            Fit::Never => 7,
        }
    }
}

impl Context<'_> {
    pub(super) fn values(&self, place: &ValuePlace, items: &mut Vec<Completion>) {
        let expected = self.expected(place);
        if let Some(base) = place.base {
            return self.members(base, &expected, items);
        }
        match place.within.last() {
            Some(Within::Quoted) => return self.quoted(&expected, items),
            Some(Within::Key { others }) => {
                return self.object_keys(&expected, others, items);
            }
            _ => {}
        }
        if expected.kind == ArgumentKind::Type {
            return self.types_of_values(items);
        }
        let is_plain = !place.within.iter().any(|it| {
            matches!(
                it,
                Within::Interpolation | Within::Argument { .. } | Within::Operand
            )
        });
        if is_plain && self.words(&expected, items) {
            return;
        }
        self.literals(&expected, items);
        self.collections(&expected.ty, items);
        if self.takes_constants(&place.argument) {
            return;
        }
        self.references(&expected, items);
        self.functions(&expected, items);
    }

    /// Whether the argument's value may refer to nothing.
    fn takes_constants(&self, argument: &str) -> bool {
        let header = self.cursor.blocks.last();
        let Some(header) = header else {
            return self.file.name().ends_with(".tfvars");
        };
        matches!(
            (header.kind.as_str(), argument),
            ("backend" | "cloud", _) | ("variable", "default")
        )
    }

    /// What is wanted where the cursor is.
    pub(crate) fn expected(&self, place: &ValuePlace) -> Expected<'_> {
        let mut expected = self.expected_of_argument(&place.argument);
        for within in &place.within {
            expected = match within {
                Within::Element => Expected {
                    ty: element(&expected.ty),
                    ..expected
                },
                Within::Item(key) => match expected.attributes.and_then(|it| it.get(key)) {
                    Some(attribute) => of_attribute(attribute),
                    None => Expected {
                        ty: item(&expected.ty, key),
                        attributes: None,
                        ..expected
                    },
                },
                Within::Argument { .. } if expected.kind == ArgumentKind::Type => expected,
                Within::Argument { function, index } => {
                    Expected::of_type(parameter(function, *index).unwrap_or(Type::Dynamic))
                }
                Within::Interpolation => Expected::of_type(Type::String),
                Within::Index | Within::Operand => Expected::default(),
                Within::Key { .. } | Within::Quoted => expected,
            };
        }
        expected
    }

    fn expected_of_argument(&self, name: &SmolStr) -> Expected<'_> {
        let blocks = &self.cursor.blocks;
        let Some(header) = blocks.last() else {
            let variable = self.known.module.variables.get(name);
            return variable.map_or_else(Expected::default, |variable| of_variable(variable));
        };
        let Some(schema) = BodySchema::of(&self.known, blocks) else {
            return Expected::default();
        };
        let added = schema.language.and_then(|it| body::added(it, header));
        let argument = schema.argument(name).or_else(|| {
            let argument = added?.arguments.get(name)?;
            Some(ArgumentSchema::Language(argument))
        });
        match argument {
            Some(ArgumentSchema::Provider(attribute)) => of_attribute(attribute),
            Some(ArgumentSchema::Language(argument)) => Expected {
                kind: argument.kind,
                values: argument.values.clone(),
                ty: match (header.kind.as_str(), name.as_str(), header.labels.first()) {
                    ("variable", "default", Some(variable)) => {
                        let variable = self.known.module.variables.get(variable);
                        variable.map_or(Type::Dynamic, |variable| of_variable(variable).ty)
                    }
                    _ => type_of(argument.kind),
                },
                attributes: None,
            },
            None => match schema.language.map(|language| language.further) {
                Some(Further::Module) => {
                    let called = self.called_module();
                    let variable =
                        called.and_then(|called| called.module.variables.get(name).cloned());
                    variable.map_or_else(Expected::default, |variable| of_variable(&variable))
                }
                Some(Further::ProviderRequirements) => Expected::of_type(requirement()),
                _ => Expected::default(),
            },
        }
    }

    /// The module that the call around the cursor calls.
    pub(crate) fn called_module(&self) -> Option<&Arc<Known>> {
        let header = self
            .cursor
            .blocks
            .first()
            .filter(|it| it.kind == "module")?;
        self.called_by(header.labels.first()?)
    }

    pub(crate) fn called_by(&self, call: &str) -> Option<&Arc<Known>> {
        let source = self.known.module.module_calls.get(call)?.source.as_ref()?;
        self.modules.get(&local_module(self.file, source)?)
    }

    /// Words of arguments that take no expression. Answers whether the argument is one.
    fn words(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) -> bool {
        let keyword = |word: &str| self.item(CompletionKind::Keyword, word);
        match expected.kind {
            ArgumentKind::LiteralBool => items.extend(["true", "false"].map(keyword)),
            ArgumentKind::Keyword | ArgumentKind::Keywords => {
                items.extend(expected.values.iter().map(|word| keyword(word)));
            }
            ArgumentKind::References => {
                self.addresses(true, items);
                self.named_values(items);
            }
            ArgumentKind::ReplaceTriggeredBy => self.addresses(false, items),
            ArgumentKind::Address => {
                self.addresses(false, items);
                self.module_addresses(items);
            }
            ArgumentKind::StateAddress => {
                self.state_addresses(items);
                self.module_addresses(items);
            }
            ArgumentKind::IgnoreChanges => self.ignorable(items),
            ArgumentKind::Provider | ArgumentKind::Providers => self.provider_configurations(items),
            ArgumentKind::Type
            | ArgumentKind::LiteralString
            | ArgumentKind::Version
            | ArgumentKind::Source => {}
            ArgumentKind::Any
            | ArgumentKind::String
            | ArgumentKind::Number
            | ArgumentKind::Bool
            | ArgumentKind::ForEach => {
                return false;
            }
        }
        true
    }

    fn types_of_values(&self, items: &mut Vec<Completion>) {
        for name in ["string", "number", "bool", "any"] {
            let mut item = self.item(CompletionKind::Type, name);
            item.rank = 1;
            items.push(item);
        }
        for (label, content) in [
            ("list(…)", "${1:string}"),
            ("set(…)", "${1:string}"),
            ("map(…)", "${1:string}"),
            ("tuple([…])", "[$1]"),
            ("object({…})", "{\n  $1 = ${2:string}\n}"),
            ("optional(…)", "${1:string}"),
        ] {
            let name = label.split('(').next().unwrap_or_default();
            let mut item = self.item(CompletionKind::Type, label);
            item.snippet = name.to_owned();
            item.rank = 2;
            if self.ends_line() || self.rest.trim_start().starts_with([')', ']', ',', '}']) {
                item.snippet = format!("{name}({content})");
            }
            items.push(item);
        }
    }

    /// Resources and data sources by address; `with_modules`, module calls too.
    fn addresses(&self, with_modules: bool, items: &mut Vec<Completion>) {
        let around = self.around();
        for addr in self.known.module.resources.keys() {
            if Some(addr) != around.as_ref() && (with_modules || addr.mode == ResourceMode::Managed)
            {
                items.push(self.item(CompletionKind::Resource, addr.to_string()));
            }
        }
        if with_modules {
            self.module_addresses(items);
        }
    }

    /// Variables and locals, which are rarely meant where an order is given.
    fn named_values(&self, items: &mut Vec<Completion>) {
        let module = &self.known.module;
        let variables = module.variables.keys().map(|name| format!("var.{name}"));
        let locals = module.locals.keys().map(|name| format!("local.{name}"));
        for label in variables.chain(locals) {
            let mut item = self.item(CompletionKind::Variable, label);
            item.rank = 7;
            items.push(item);
        }
    }

    fn module_addresses(&self, items: &mut Vec<Completion>) {
        for name in self.known.module.module_calls.keys() {
            items.push(self.item(CompletionKind::Module, format!("module.{name}")));
        }
    }

    /// What the state holds, first what the configuration doesn't have any more.
    fn state_addresses(&self, items: &mut Vec<Completion>) {
        let managed =
            |it: &&Arc<plan::ResourceResult>| it.addr.resource.mode == ResourceMode::Managed;
        for resource in self.known.plan.resources.values().filter(managed) {
            let mut item = self.item(CompletionKind::Resource, resource.addr.to_string());
            if resource.config.is_none() {
                item.rank = 0;
                item.detail = Some("in the state, and not declared".to_owned());
            }
            items.push(item);
        }
    }

    fn ignorable(&self, items: &mut Vec<Completion>) {
        if self.cursor.place.is_whole_value() {
            self.collections(&Type::tuple([]), items);
        }
        let mut all = self.item(CompletionKind::Keyword, "all");
        all.documentation = Some("Every argument.".to_owned());
        items.push(all);
        let schema = self
            .around()
            .and_then(|addr| self.known.resource_schema(addr.mode, &addr.r#type));
        let Some(schema) = schema else { return };
        for (name, attribute) in &schema.block.attributes {
            if attribute.is_argument() {
                let mut item = self.item(CompletionKind::Argument, name.as_str());
                item.detail = Some(attribute_detail(attribute));
                item.documentation = Some(attribute_documentation(attribute));
                item.rank = 2;
                items.push(item);
            }
        }
        for name in schema.block.block_types.keys() {
            items.push(self.item(CompletionKind::Block, name.as_str()));
        }
    }

    fn provider_configurations(&self, items: &mut Vec<Completion>) {
        for provider in self.known.module.providers.keys() {
            items.push(self.item(CompletionKind::Provider, provider.to_string()));
        }
        for name in self.known.module.required_providers.keys() {
            items.push(self.item(CompletionKind::Provider, name.as_str()));
        }
    }

    /// Texts that are good between quotes.
    fn quoted(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        for value in &expected.values {
            items.push(self.item(CompletionKind::Literal, value.as_str()));
        }
        if expected.kind == ArgumentKind::Source {
            self.module_folders(items);
        }
    }

    /// Folders of modules that are known, as sources.
    fn module_folders(&self, items: &mut Vec<Completion>) {
        let here = PathBuf::from(self.file.path());
        let Some(here) = here.parent() else { return };
        for dir in self.modules.keys().filter(|dir| *dir != here) {
            let source = match dir.strip_prefix(here) {
                Ok(below) => format!("./{}", below.display()),
                Err(_) => match here.parent().and_then(|above| dir.strip_prefix(above).ok()) {
                    Some(beside) => format!("../{}", beside.display()),
                    None => continue,
                },
            };
            items.push(self.item(CompletionKind::Module, source));
        }
    }

    /// What the key of an object is that is expected here.
    pub(crate) fn key(&self, place: &ValuePlace, key: &str) -> Option<Text> {
        let expected = self.expected(place);
        if let Some(attribute) = expected.attributes.and_then(|it| it.get(key)) {
            let mut text = Text::argument(key, attribute);
            text.documentation(attribute);
            return Some(text);
        }
        let ty = expected.ty.attribute_type(key)?;
        let mut text = Text::default();
        text.code(&format!("{key} : {}", ty.friendly_name_for_constraint()));
        text.paragraph(match expected.ty.is_optional_attribute(key) {
            true => "Optional",
            false => "Required",
        });
        Some(text)
    }

    fn object_keys(
        &self,
        expected: &Expected<'_>,
        others: &[SmolStr],
        items: &mut Vec<Completion>,
    ) {
        let key = |name: &SmolStr| {
            let mut item = self.item(CompletionKind::Argument, name.as_str());
            if self.ends_line() {
                item.snippet = format!("{name} = ");
                item.asks_again = true;
            }
            item
        };
        if let Some(attributes) = expected.attributes {
            for (name, attribute) in attributes {
                if attribute.is_argument() && !others.contains(name) {
                    let mut item = key(name);
                    item.detail = Some(attribute_detail(attribute));
                    item.documentation = Some(attribute_documentation(attribute));
                    item.rank = if attribute.required { 0 } else { 2 };
                    items.push(item);
                }
            }
            return;
        }
        if expected.kind == ArgumentKind::Providers {
            return self.called_providers(items);
        }
        if let Type::Map(element) = &expected.ty {
            let label = format!("\"key\" = {}", element.friendly_name_for_constraint());
            let mut item = self.item(CompletionKind::Literal, label);
            item.snippet = "\"${1:key}\" = $0".to_owned();
            items.push(item);
        }
        for (name, ty) in expected.ty.attributes().into_iter().flatten() {
            if !others.contains(name) {
                let mut item = key(name);
                let is_optional = expected.ty.is_optional_attribute(name);
                let how = if is_optional { "optional" } else { "required" };
                item.detail = Some(format!("{how}, {}", ty.friendly_name_for_constraint()));
                item.rank = if is_optional { 2 } else { 0 };
                items.push(item);
            }
        }
    }

    /// The providers that the called module needs.
    fn called_providers(&self, items: &mut Vec<Completion>) {
        let Some(called) = self.called_module() else {
            return;
        };
        for (name, requirement) in &called.module.required_providers {
            items.push(self.item(CompletionKind::Provider, name.as_str()));
            for alias in &requirement.configuration_aliases {
                items.push(self.item(CompletionKind::Provider, alias.to_string()));
            }
        }
    }

    /// The beginnings of lists, maps and objects.
    fn collections(&self, ty: &Type, items: &mut Vec<Completion>) {
        let (label, snippet) = match ty {
            Type::List(element) | Type::Set(element) => (
                format!("[ {} ]", element.friendly_name_for_constraint()),
                "[$0]",
            ),
            Type::Tuple(_) => ("[ ]".to_owned(), "[$0]"),
            Type::Map(element) => (
                format!("{{ \"key\" = {} }}", element.friendly_name_for_constraint()),
                "{\n  \"${1:key}\" = $0\n}",
            ),
            Type::Object(_) => ("{ }".to_owned(), "{\n  $0\n}"),
            _ => return,
        };
        let mut item = self.item(CompletionKind::Literal, label);
        item.snippet = snippet.to_owned();
        item.rank = 2;
        items.push(item);
    }

    fn literals(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        for value in &expected.values {
            let mut item = self.item(CompletionKind::Literal, config::addr::quote(value));
            item.rank = 0;
            items.push(item);
        }
        if expected.ty == Type::Bool {
            for word in ["true", "false"] {
                let mut item = self.item(CompletionKind::Keyword, word);
                item.rank = 0;
                items.push(item);
            }
        }
    }

    /// What expressions can refer to.
    pub(super) fn references(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        let module = &self.known.module;
        for bound in &self.cursor.bound {
            for name in &bound.names {
                let mut item = self.item(CompletionKind::Variable, name.as_str());
                item.rank = 1;
                items.push(item);
            }
        }
        for name in module.variables.keys() {
            let label = format!("var.{name}");
            let subject = Referenceable::Var(name.clone());
            items.push(self.referable(CompletionKind::Variable, &label, &subject, expected));
        }
        for name in module.locals.keys() {
            let label = format!("local.{name}");
            let subject = Referenceable::Local(name.clone());
            items.push(self.referable(CompletionKind::Local, &label, &subject, expected));
        }
        let around = self.around();
        for addr in module
            .resources
            .keys()
            .filter(|addr| Some(*addr) != around.as_ref())
        {
            let mut item = self.item(CompletionKind::Resource, addr.to_string());
            item.detail = Some("resource".to_owned());
            item.rank = 4;
            items.push(item);
        }
        for name in module.module_calls.keys() {
            let mut item = self.item(CompletionKind::Module, format!("module.{name}"));
            item.rank = 4;
            items.push(item);
        }
        for (label, ty) in self.words_of_expressions() {
            let mut item = self.item(CompletionKind::Keyword, label);
            item.detail = Some(ty.friendly_name());
            item.rank = expected.rank(&ty).max(4);
            items.push(item);
        }
    }

    fn words_of_expressions(&self) -> Vec<(&'static str, Type)> {
        let mut words = vec![
            ("path.module", Type::String),
            ("path.root", Type::String),
            ("path.cwd", Type::String),
            ("terraform.workspace", Type::String),
            ("terraform.applying", Type::Bool),
        ];
        let block = self.own_block();
        let has = |name| block.is_some_and(|block| block.body.attribute(name).is_some());
        if has("count") {
            words.push(("count.index", Type::Number));
        }
        if has("for_each") {
            words.extend([("each.key", Type::String), ("each.value", Type::Dynamic)]);
        }
        let in_self = ["provisioner", "connection", "postcondition"];
        if self
            .cursor
            .blocks
            .iter()
            .any(|it| in_self.contains(&it.kind.as_str()))
        {
            words.push(("self", Type::Dynamic));
        }
        words
    }
}

impl Cursor {
    /// Whether the cursor stands between quotes.
    pub(super) fn is_quoted(&self) -> bool {
        match &self.place {
            Place::Value(place) => place.within.last() == Some(&Within::Quoted),
            Place::Label { is_quoted, .. } => *is_quoted,
            Place::Item | Place::Nothing => false,
        }
    }
}

fn of_attribute(attribute: &Attribute) -> Expected<'_> {
    Expected {
        attributes: attribute.nested_type.as_ref().map(|it| &it.attributes),
        ..Expected::of_type(attribute.ty.clone())
    }
}

fn of_variable(variable: &Variable) -> Expected<'static> {
    let ty = variable
        .r#type
        .as_ref()
        .map(|expr| eval::types::variable_type(&expr.ast).0.ty);
    Expected {
        values: allowed_values(variable),
        ..Expected::of_type(ty.unwrap_or(Type::Dynamic))
    }
}

/// The texts that a validation of the form `contains(["a", "b"], var.name)` allows.
fn allowed_values(variable: &Variable) -> Vec<SmolStr> {
    let conditions = variable
        .validations
        .iter()
        .filter_map(|rule| rule.condition.as_ref());
    let mut found = conditions.filter_map(|condition| {
        let ExprKind::Call(call) = &condition.ast.kind else {
            return None;
        };
        let [list, value] = call.args.as_slice() else {
            return None;
        };
        let is_itself = value.as_traversal().is_some_and(|traversal| {
            let step = traversal.steps.first().map(|step| &step.kind);
            let names =
                matches!(step, Some(StepKind::Attr(name)) if name.name == variable.name.text);
            traversal.root.name == "var" && traversal.steps.len() == 1 && names
        });
        match &list.kind {
            ExprKind::Tuple(elements) if call.name == "contains" && is_itself => elements
                .iter()
                .map(|element| element.as_literal_string())
                .collect(),
            _ => None,
        }
    });
    found.next().unwrap_or_default()
}

fn type_of(kind: ArgumentKind) -> Type {
    match kind {
        ArgumentKind::String
        | ArgumentKind::LiteralString
        | ArgumentKind::Version
        | ArgumentKind::Source => Type::String,
        ArgumentKind::Number => Type::Number,
        ArgumentKind::ForEach => Type::map(Type::Dynamic),
        ArgumentKind::Bool | ArgumentKind::LiteralBool => Type::Bool,
        _ => Type::Dynamic,
    }
}

/// An entry of `required_providers`.
fn requirement() -> Type {
    Type::object_with_optional(
        [
            ("source", Type::String),
            ("version", Type::String),
            ("configuration_aliases", Type::list(Type::Dynamic)),
        ],
        ["version", "configuration_aliases"],
    )
}

fn element(ty: &Type) -> Type {
    match ty {
        Type::Tuple(elements) => elements.first().cloned().unwrap_or(Type::Dynamic),
        _ => ty.element_type().cloned().unwrap_or(Type::Dynamic),
    }
}

fn item(ty: &Type, key: &str) -> Type {
    let inside = ty.attribute_type(key).or_else(|| ty.element_type());
    inside.cloned().unwrap_or(Type::Dynamic)
}

fn parameter(function: &str, index: usize) -> Option<Type> {
    let signature = eval::functions::signatures().get(function)?;
    let parameter = signature
        .parameters
        .get(index)
        .or(signature.variadic.as_ref());
    parameter.map(|parameter| parameter.ty.clone())
}

/// How a value of one type serves where another is wanted.
enum Fit {
    Same,
    Converted,
    Perhaps,
    Never,
}

fn fit(from: &Type, to: &Type) -> Fit {
    match (from, to) {
        _ if from == to => Fit::Same,
        (Type::Dynamic, _) | (_, Type::Dynamic) => Fit::Perhaps,
        (Type::String, Type::Number | Type::Bool) => Fit::Perhaps,
        (Type::Number | Type::Bool, Type::String) => Fit::Converted,
        (Type::List(a) | Type::Set(a), Type::List(b) | Type::Set(b))
        | (Type::Map(a), Type::Map(b)) => match fit(a, b) {
            Fit::Same => Fit::Converted,
            other => other,
        },
        (Type::Tuple(_), Type::List(_) | Type::Set(_) | Type::Tuple(_)) => Fit::Perhaps,
        (Type::Object(_) | Type::Map(_), Type::Object(_) | Type::Map(_)) => Fit::Perhaps,
        _ => Fit::Never,
    }
}
