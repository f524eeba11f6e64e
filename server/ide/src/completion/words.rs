//! Words of arguments that take no expression: addresses, types, arguments of the resource around.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::{InstanceKey, ProviderRef, ResourceMode};
use cty::Type;
use plan::{Action, ResourceResult};
use schema::ArgumentKind;

use super::argument_names::{attribute_detail, attribute_documentation};
use super::expected::Expected;
use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;

impl CompletionContext<'_> {
    /// Words of arguments that take no expression. Answers whether the argument is one.
    pub(super) fn words(&self, expected: &Expected<'_>, items: &mut Vec<Completion>) -> bool {
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
                self.new_addresses(items);
                self.module_addresses(items);
            }
            ArgumentKind::StateAddress => {
                self.state_addresses(items);
                self.module_addresses(items);
            }
            ArgumentKind::IgnoreChanges => self.ignorable(items),
            ArgumentKind::Provider | ArgumentKind::Providers => self.provider_references(items),
            ArgumentKind::Type
            | ArgumentKind::LiteralString
            | ArgumentKind::Strings
            | ArgumentKind::StringsByName
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

    pub(super) fn types_of_values(&self, items: &mut Vec<Completion>) {
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

    fn managed(&self) -> impl Iterator<Item = &Arc<ResourceResult>> {
        let resources = self.known.plan.resources.values();
        resources.filter(|it| it.addr.resource.mode == ResourceMode::Managed)
    }

    /// The addresses in the state, first those that the configuration no longer has: modules, resources and instances.
    fn state_addresses(&self, items: &mut Vec<Completion>) {
        let calls = &self.known.module.module_calls;
        // Whole resources are removed.
        let takes_keys = self
            .cursor
            .blocks
            .last()
            .is_some_and(|it| it.kind == "moved");
        for resource in self.managed() {
            let item = self.item(CompletionKind::Resource, resource.addr.to_string());
            match resource.config.is_none() {
                true => items.push(undeclared(item)),
                false => items.push(item),
            }
            let first = resource.addr.module.steps().first();
            if let Some(step) = first.filter(|step| !calls.contains_key(&step.call)) {
                let module = format!("module.{}", step.call);
                items.push(undeclared(self.item(CompletionKind::Module, module)));
            }
            let gone = resource
                .changes()
                .filter(|change| matches!(change.action, Action::Delete | Action::Forget));
            let gone = gone.filter(|change| takes_keys && change.addr.key != InstanceKey::None);
            for change in gone {
                let addr = change.addr.to_string();
                items.push(undeclared(self.item(CompletionKind::Resource, addr)));
            }
        }
    }

    /// Where objects may come that exist already: instances that the state has not got.
    fn new_addresses(&self, items: &mut Vec<Completion>) {
        let changes = self.managed().flat_map(|resource| resource.changes());
        for change in changes.filter(|change| change.action == Action::Create) {
            let mut item = self.item(CompletionKind::Resource, change.addr.to_string());
            item.rank = 0;
            item.detail = Some("not in the state".to_owned());
            items.push(item);
        }
    }

    fn ignorable(&self, items: &mut Vec<Completion>) {
        if self.cursor.place.is_whole_value() {
            self.collections(&Type::tuple([]), items);
        }
        let mut all = self.item(CompletionKind::Keyword, "all");
        all.documentation = Markdown::text("Every argument.");
        items.push(all);
        let schema = self
            .around()
            .and_then(|addr| self.known.resource_schema(addr.mode, &addr.r#type));
        let Some(schema) = schema else { return };
        for (name, attribute) in &schema.block.attributes {
            if attribute.is_argument() {
                let mut item = self.item(CompletionKind::Argument, name.as_str());
                item.detail = Some(attribute_detail(attribute));
                item.documentation = attribute_documentation(attribute);
                item.rank = 2;
                items.push(item);
            }
        }
        for name in schema.block.block_types.keys() {
            items.push(self.item(CompletionKind::Block, name.as_str()));
        }
    }

    /// The configurations that the module has, and those that its callers pass to it.
    pub(super) fn provider_configurations(&self) -> BTreeSet<&ProviderRef> {
        let module = &self.known.module;
        let requirements = module.required_providers.values();
        let passed = requirements.flat_map(|it| &it.configuration_aliases);
        module.providers.keys().chain(passed).collect()
    }

    fn provider_references(&self, items: &mut Vec<Completion>) {
        for provider in self.provider_configurations() {
            items.push(self.item(CompletionKind::Provider, provider.to_string()));
        }
        for name in self.known.module.required_providers.keys() {
            items.push(self.item(CompletionKind::Provider, name.as_str()));
        }
    }
}

/// Says of an address that only the state has it.
fn undeclared(mut item: Completion) -> Completion {
    item.rank = 0;
    item.detail = Some("in the state but not declared".to_owned());
    item
}
