//! Expressions, and texts between quotes.

use config::{FileRole, Referenceable};
use cty::Type;
use schema::ArgumentKind;
use smol_str::SmolStr;

use super::argument_names::{attribute_detail, attribute_documentation};
use super::expected::Expected;
use super::{Completion, CompletionContext, CompletionKind};
use crate::cursor::{Cursor, CursorPlace, ValuePlace, Within};

impl CompletionContext<'_> {
    pub(super) fn values(&self, place: &ValuePlace, items: &mut Vec<Completion>) {
        let expected = self.expected(place);
        if let Some(base) = place.base {
            return self.members(base, &expected, items);
        }
        match place.within.last() {
            Some(Within::Quoted) if self.required(place, items) => return,
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
            return self.role() == FileRole::Values;
        };
        matches!(
            (header.kind.as_str(), argument),
            ("backend" | "cloud", _) | ("variable", "default")
        )
    }

    /// Texts that are good between quotes.
    fn quoted(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        for value in &expected.values {
            items.push(self.item(CompletionKind::Literal, value.as_str()));
        }
        match expected.kind {
            ArgumentKind::Source => {
                self.module_folders(items);
                self.installed_modules(items);
            }
            ArgumentKind::Version => self.installed_versions(items),
            _ => self.read_paths(items),
        }
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
                    item.documentation = attribute_documentation(attribute);
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
        let called = match self.role() {
            FileRole::Tests => Some(self.tested_module()),
            _ => self.called_module(),
        };
        for (name, requirement) in called
            .into_iter()
            .flat_map(|it| &it.module.required_providers)
        {
            items.push(self.item(CompletionKind::Provider, name.as_str()));
            for alias in &requirement.configuration_aliases {
                items.push(self.item(CompletionKind::Provider, alias.to_string()));
            }
        }
    }

    /// The beginnings of lists, maps and objects.
    pub(super) fn collections(&self, ty: &Type, items: &mut Vec<Completion>) {
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
        let is_one = expected.ty.is_primitive() || expected.ty.is_dynamic();
        for value in expected.values.iter().filter(|_| is_one) {
            let label = match expected.ty {
                Type::Number => value.to_string(),
                _ => config::addr::quote(value),
            };
            let mut item = self.item(CompletionKind::Literal, label);
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

    /// The names that expressions can refer to.
    pub(super) fn references(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) {
        let module = &self.known.module;
        for bound in &self.cursor.bound {
            for name in &bound.names {
                let mut item = self.item(CompletionKind::Variable, name.as_str());
                item.rank = 1;
                items.push(item);
            }
        }
        for (iterator, _) in self.dynamic_blocks() {
            let mut item = self.item(CompletionKind::Variable, iterator.as_str());
            item.rank = 1;
            items.push(item);
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
        if self.role() == FileRole::Tests {
            for (call, names) in [("run", self.runs()), ("output", self.outputs())] {
                let item = |name| self.item(CompletionKind::Module, format!("{call}.{name}"));
                items.extend(names.into_iter().map(item));
            }
        }
        for (label, ty) in self.words_of_expressions() {
            let mut item = self.item(CompletionKind::Keyword, label);
            item.detail = Some(ty.friendly_name());
            item.rank = expected.rank(&ty).max(4);
            items.push(item);
        }
    }

    /// In a file of tests: the runs above the cursor.
    pub(super) fn runs(&self) -> Vec<SmolStr> {
        let syntax = self.source.syntax();
        let above = syntax.body().blocks().filter(|(segment, block)| {
            let offset = syntax.offset_of(*segment);
            block.kind.name == "run" && offset.is_some_and(|it| it < self.cursor.segment)
        });
        above
            .filter_map(|(_, block)| Some(block.labels.first()?.text.clone()))
            .collect()
    }

    /// The outputs of the module that the run around the cursor runs.
    pub(super) fn outputs(&self) -> Vec<SmolStr> {
        self.tested_module()
            .module
            .outputs
            .keys()
            .cloned()
            .collect()
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
            CursorPlace::Value(place) => place.within.last() == Some(&Within::Quoted),
            CursorPlace::Label { is_quoted, .. } => *is_quoted,
            CursorPlace::Item | CursorPlace::Nothing => false,
        }
    }
}
