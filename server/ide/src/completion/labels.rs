//! Labels of blocks.

use config::{ProviderAddr, ResourceMode};
use schema::{Label, LanguageSchema};

use super::argument_names::attribute_documentation;
use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;
use crate::body::{self, BodySchema};
use crate::cursor::Header;

impl CompletionContext<'_> {
    pub(super) fn labels(&self, header: &Header, is_quoted: bool, items: &mut Vec<Completion>) {
        let Some(label) = body::label(&self.known, self.role(), &self.cursor.blocks, header) else {
            return;
        };
        let before = items.len();
        match label {
            Label::ResourceType => self.types(ResourceMode::Managed, items),
            Label::DataSource => self.types(ResourceMode::Data, items),
            Label::EphemeralType => self.types(ResourceMode::Ephemeral, items),
            Label::ActionType => self.types(ResourceMode::Action, items),
            Label::Provider => self.providers(items),
            Label::BackendType => {
                let backends = LanguageSchema::get().backends.keys();
                items.extend(backends.map(|name| self.item(CompletionKind::Type, name.as_str())));
            }
            Label::ProvisionerType => {
                let provisioners = LanguageSchema::get().provisioners.keys();
                items.extend(
                    provisioners.map(|name| self.item(CompletionKind::Type, name.as_str())),
                );
            }
            Label::BlockType => self.block_types(items),
            Label::Name => self.names(header, items),
        }
        if !is_quoted {
            for item in &mut items[before..] {
                item.snippet = format!("\"{}\"", item.snippet);
            }
        }
    }

    fn types(&self, mode: ResourceMode, items: &mut Vec<Completion>) {
        let implied = self.known.implied_types(mode, &self.cursor.typed);
        let mut title: Option<(ProviderAddr, String)> = None;
        for (provider, name, schema) in self.known.resource_types(mode).chain(implied) {
            let mut item = self.item(CompletionKind::Type, name.as_str());
            let (_, title) = match title.take().filter(|(of, _)| *of == provider) {
                Some(same) => title.insert(same),
                None => {
                    let text = self.known.provider_title(&provider);
                    title.insert((provider, text))
                }
            };
            item.detail = Some(title.clone());
            if self.documented.has(name) {
                item.documentation = Markdown::documentation(&schema.about.description);
            }
            item.is_deprecated = schema.about.deprecated;
            item.rank = if schema.about.deprecated { 8 } else { 2 };
            items.push(item);
        }
    }

    fn providers(&self, items: &mut Vec<Completion>) {
        for (name, requirement) in &self.known.module.required_providers {
            let mut item = self.item(CompletionKind::Provider, name.as_str());
            item.detail = requirement.source.as_ref().map(|addr| addr.for_display());
            items.push(item);
        }
        for (name, addr, _) in self.known.implied_providers() {
            let mut item = self.item(CompletionKind::Provider, name);
            item.detail = Some(addr.for_display());
            item.rank = 6;
            items.push(item);
        }
    }

    /// The nested blocks that a `dynamic` block can make.
    fn block_types(&self, items: &mut Vec<Completion>) {
        let Some(around) = BodySchema::of(&self.known, self.role(), &self.cursor.blocks) else {
            return;
        };
        let types = around.provider.as_deref().map(|block| &block.block_types);
        for (name, nested) in types.into_iter().flatten() {
            let mut item = self.item(CompletionKind::Block, name.as_str());
            item.documentation = Markdown::documentation(&nested.block.description);
            items.push(item);
        }
        for (name, attribute) in around.arguments_as_blocks() {
            let mut item = self.item(CompletionKind::Block, name.as_str());
            item.documentation = attribute_documentation(attribute);
            items.push(item);
        }
    }

    /// Names that something refers to and nothing declares yet.
    fn names(&self, header: &Header, items: &mut Vec<Completion>) {
        let module = &self.known.module;
        let missing = module.all_references().filter_map(|reference| {
            use config::Referenceable as R;
            match &reference.subject {
                R::Var(name)
                    if header.kind == "variable" && !module.variables.contains_key(name) =>
                {
                    Some(name.clone())
                }
                R::Resource(addr) | R::ResourceInstance(addr, _) => {
                    let kind = addr.mode.block_type();
                    let is_meant =
                        header.kind == kind && header.labels.first() == Some(&addr.r#type);
                    (is_meant && module.resource(addr).is_none()).then(|| addr.name.clone())
                }
                R::Module(name)
                | R::ModuleInstance(name, _)
                | R::ModuleOutput { call: name, .. } => {
                    let is_meant =
                        header.kind == "module" && !module.module_calls.contains_key(name);
                    is_meant.then(|| name.clone())
                }
                _ => None,
            }
        });
        for name in missing {
            let mut item = self.item(CompletionKind::Member, name.as_str());
            item.detail = Some("referenced but not declared".to_owned());
            item.rank = 0;
            items.push(item);
        }
    }
}
