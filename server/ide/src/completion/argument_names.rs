//! Names of arguments and blocks.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;

use config::{FileRole, Variable, language_release};
use schema::{
    Argument, ArgumentKind, Attribute, Block, Label, LanguageBlock, LanguageSchema, SchemaSource,
};
use schema::{NestedBlock, Nesting, Since};
use smol_str::SmolStr;

use super::{Completion, CompletionContext, CompletionKind};
use crate::Markdown;
use crate::body::{self, BodySchema};
use crate::cursor::Header;
use crate::module_context::ModuleContext;

/// Ranks of names: required ones first, then those that blocks can hold, then those that fit many other blocks as well.
const REQUIRED: u8 = 0;
const OPTIONAL: u8 = 2;
const NESTED: u8 = 3;
const META: u8 = 6;
const DEPRECATED: u8 = 8;

/// The blocks that nearly every module has.
const USUAL: [&str; 8] = [
    "data",
    "locals",
    "module",
    "output",
    "provider",
    "resource",
    "terraform",
    "variable",
];

impl CompletionContext<'_> {
    pub(super) fn items(&self, items: &mut Vec<Completion>) {
        let blocks = &self.cursor.blocks;
        let Some(schema) = BodySchema::of(&self.known, self.role(), blocks) else {
            return;
        };
        if blocks.is_empty() {
            return self.top_level(items);
        }
        let written = Written::around(self);
        if let Some(language) = schema.language {
            let is_meta = schema.provider.is_some() || language.further == SchemaSource::Module;
            self.language_items(language, is_meta, &written, items);
            let header = blocks.last();
            if let Some(added) = header.and_then(|header| body::added(language, header)) {
                self.language_items(added, false, &written, items);
            }
            match language.further {
                SchemaSource::Module => self.inputs(self.called_module(), &written, items),
                SchemaSource::ProviderRequirements => {
                    self.requirements(|name| written.has_argument(name), items);
                }
                SchemaSource::Variables => self.inputs(Some(self.tested_module()), &written, items),
                _ => {}
            }
        }
        if let Some(block) = &schema.provider {
            let before = items.len();
            self.provider_items(block, &written, items);
            let around = self.around();
            let note = around.and_then(|it| self.known.not_installed(it.mode, &it.r#type));
            for (item, note) in items[before..].iter_mut().zip(note.iter().cycle()) {
                item.documentation.push(Markdown::text(note));
            }
        }
    }

    fn top_level(&self, items: &mut Vec<Completion>) {
        if self.role() == FileRole::Values {
            return self.given_variables(items);
        }
        for (name, block) in body::blocks_of(self.role()).into_iter().flatten() {
            if !self.is_in_language(&block.since) {
                continue;
            }
            let mut item = self.block(name, &block.labels);
            item.documentation = described(&block.description, block.link());
            let is_usual = USUAL.contains(&name.as_str());
            item.rank = if is_usual { OPTIONAL } else { NESTED };
            items.push(item);
        }
    }

    /// In a file of variable values: the variables that it doesn't give yet.
    fn given_variables(&self, items: &mut Vec<Completion>) {
        let body = self.source.syntax().body();
        let written: Vec<SmolStr> = body
            .attributes()
            .map(|(_, it)| it.name.name.clone())
            .collect();
        for (name, variable) in &self.known.module.variables {
            if written.contains(name) && *name != self.cursor.typed {
                continue;
            }
            let mut item = self.input_variable(name, variable);
            item.detail = self
                .known
                .plan
                .variables
                .get(name)
                .map(|value| value.ty().friendly_name());
            items.push(item);
        }
    }

    fn language_items(
        &self,
        block: &LanguageBlock,
        is_meta: bool,
        written: &Written,
        items: &mut Vec<Completion>,
    ) {
        for (name, argument) in &block.arguments {
            if written.has_argument(name) || !self.is_in_language(&argument.since) {
                continue;
            }
            let mut item = self.argument(name);
            item.detail = Some(language_detail(argument));
            item.documentation = Markdown::documentation(&argument.description);
            item.is_deprecated = argument.deprecated;
            item.rank = match (argument.required, argument.deprecated) {
                (_, true) => DEPRECATED,
                (true, false) => REQUIRED,
                (false, false) if is_meta => META,
                (false, false) => OPTIONAL,
            };
            items.push(item);
        }
        for (name, nested) in &block.blocks {
            if !self.is_in_language(&nested.since) {
                continue;
            }
            if nested
                .max
                .is_some_and(|max| written.blocks(name) >= max as usize)
            {
                continue;
            }
            let required = nested
                .arguments
                .iter()
                .filter(|(_, argument)| argument.required);
            let required: Vec<&str> = required.map(|(name, _)| name.as_str()).collect();
            let mut item = self.nested_block(name, &nested.labels, &required);
            item.documentation = described(&nested.description, nested.link());
            let is_missing = written.blocks(name) < nested.min as usize;
            item.rank = match is_missing {
                true => REQUIRED,
                false if is_meta => META,
                false => NESTED,
            };
            items.push(item);
        }
    }

    fn provider_items(&self, block: &Block, written: &Written, items: &mut Vec<Completion>) {
        for (name, attribute) in &block.attributes {
            if !attribute.is_argument() || written.has_argument(name) {
                continue;
            }
            let mut item = self.argument(name);
            item.detail = Some(attribute_detail(attribute));
            item.documentation = attribute_documentation(attribute);
            item.is_deprecated = attribute.deprecated;
            item.rank = match (attribute.required, attribute.deprecated) {
                (_, true) => DEPRECATED,
                (true, false) => REQUIRED,
                (false, false) => OPTIONAL,
            };
            items.push(item);
        }
        for (name, nested) in &block.block_types {
            let count = written.blocks(name);
            if is_full(nested, count) {
                continue;
            }
            let required = nested.block.attributes.iter().filter(|(_, it)| it.required);
            let required: Vec<&str> = required.map(|(name, _)| name.as_str()).collect();
            let labels: &[Label] = match nested.nesting {
                Nesting::Map => &[Label::Name],
                _ => &[],
            };
            let mut item = self.nested_block(name, labels, &required);
            item.detail = Some(nested_detail(nested));
            item.documentation = Markdown::documentation(&nested.block.description);
            item.is_deprecated = nested.block.deprecated;
            let is_missing = (count as u64) < nested.min_items;
            item.rank = match (is_missing, nested.block.deprecated) {
                (true, _) => REQUIRED,
                (false, true) => DEPRECATED,
                (false, false) => NESTED,
            };
            items.push(item);
        }
        let mut attributes = block.attributes.values();
        if !block.block_types.is_empty()
            || attributes.any(|it| (it.required || it.optional) && it.blocks().is_some())
                && block.is_legacy()
        {
            let dynamic = &LanguageSchema::get().dynamic;
            let mut item = self.item(CompletionKind::Block, "dynamic");
            if self.ends_line() {
                item.snippet =
                    "dynamic \"${1:block}\" {\n  for_each = $2\n\n  content {\n    $0\n  }\n}"
                        .to_owned();
            }
            item.documentation = Markdown::documentation(&dynamic.description);
            item.rank = META;
            items.push(item);
        }
    }

    /// The inputs of a module that are not given yet.
    fn inputs(
        &self,
        called: Option<&Arc<ModuleContext>>,
        written: &Written,
        items: &mut Vec<Completion>,
    ) {
        for (name, variable) in called.into_iter().flat_map(|it| &it.module.variables) {
            if written.has_argument(name) {
                continue;
            }
            let mut item = self.input_variable(name, variable);
            item.detail = variable.r#type.as_ref().map(|expr| {
                eval::types::variable_type(&expr.ast)
                    .0
                    .ty
                    .friendly_name_for_constraint()
            });
            items.push(item);
        }
    }

    /// Whether the language of the file has something that came with a version.
    fn is_in_language(&self, since: &Since) -> bool {
        language_release::Since::from(since).is_in(self.known.profile(self.file))
    }

    fn argument(&self, name: &str) -> Completion {
        let mut item = self.item(CompletionKind::Argument, name);
        if self.ends_line() {
            item.snippet = format!("{name} = ");
            item.asks_again = true;
        }
        item
    }

    /// An argument that gives a variable its value.
    fn input_variable(&self, name: &str, variable: &Variable) -> Completion {
        let mut item = self.argument(name);
        item.documentation = described_as(variable.description.as_deref());
        item.rank = match variable.default {
            None => REQUIRED,
            Some(_) => OPTIONAL,
        };
        item
    }

    /// A block at the top level.
    fn block(&self, name: &str, labels: &[Label]) -> Completion {
        let mut item = self.item(CompletionKind::Block, name);
        if !self.ends_line() {
            return item;
        }
        let mut snippet = name.to_owned();
        for (index, label) in labels.iter().enumerate() {
            let _ = write!(snippet, " \"${{{}:{}}}\"", index + 1, label_name(*label));
        }
        snippet.push_str(
            " {
  $0
}",
        );
        item.snippet = snippet;
        item.asks_again = labels.first().is_some_and(|label| *label != Label::Name);
        item
    }

    /// A block with the arguments that it needs.
    fn nested_block(&self, name: &str, labels: &[Label], required: &[&str]) -> Completion {
        let mut item = self.block(name, labels);
        if self.ends_line() && !required.is_empty() {
            let mut arguments = String::new();
            let width = required
                .iter()
                .map(|name| name.chars().count())
                .max()
                .unwrap_or(0);
            for (index, argument) in required.iter().enumerate() {
                let stop = labels.len() + index + 1;
                let argument = text::padded(argument, width);
                let _ = write!(arguments, "\n  {argument} = ${stop}");
            }
            item.snippet = item.snippet.replace("\n  $0\n", &format!("{arguments}\n"));
        }
        item
    }
}

fn label_name(label: Label) -> &'static str {
    match label {
        Label::Name => "name",
        Label::ResourceType | Label::DataSource | Label::EphemeralType | Label::ActionType => {
            "type"
        }
        Label::Provider => "provider",
        Label::BackendType | Label::ProvisionerType => "type",
        Label::BlockType => "block",
    }
}

fn is_full(nested: &NestedBlock, count: usize) -> bool {
    match nested.nesting {
        Nesting::Single | Nesting::Group => count > 0,
        Nesting::List | Nesting::Set | Nesting::Map => {
            nested.max_items > 0 && count as u64 >= nested.max_items
        }
    }
}

/// An argument of the language, described in one line.
pub(crate) fn language_detail(argument: &Argument) -> String {
    let kind = match argument.kind {
        ArgumentKind::Any => "any type",
        ArgumentKind::String | ArgumentKind::LiteralString | ArgumentKind::Source => "string",
        ArgumentKind::Version => "version constraint",
        ArgumentKind::Number => "number",
        ArgumentKind::ForEach => "map of any single type or set of string",
        ArgumentKind::Bool | ArgumentKind::LiteralBool => "bool",
        ArgumentKind::Strings => "list of string",
        ArgumentKind::StringsByName => "map of string",
        ArgumentKind::Keyword | ArgumentKind::Keywords => "keyword",
        ArgumentKind::Type => "type",
        ArgumentKind::References => "list of references",
        ArgumentKind::IgnoreChanges => "list of arguments",
        ArgumentKind::ReplaceTriggeredBy => "list of resources",
        ArgumentKind::Provider => "provider",
        ArgumentKind::Providers => "map of providers",
        ArgumentKind::Address | ArgumentKind::StateAddress => "address",
    };
    match argument.required {
        true => format!("required, {kind}"),
        false => format!("optional, {kind}"),
    }
}

/// An attribute, described in one line.
pub(super) fn attribute_detail(attribute: &Attribute) -> String {
    let ty = attribute.ty.friendly_name_for_constraint();
    let how = match (attribute.required, attribute.optional) {
        (true, _) => "required",
        (false, true) => "optional",
        (false, false) => "computed",
    };
    let secret = match (attribute.sensitive, attribute.write_only) {
        (_, true) => ", write-only",
        (true, false) => ", sensitive",
        (false, false) => "",
    };
    format!("{how}, {ty}{secret}")
}

pub(super) fn attribute_documentation(attribute: &Attribute) -> Markdown {
    let mut text = Markdown::documentation(&attribute.description);
    if attribute.deprecated {
        let message = &attribute.deprecation_message;
        text.push(Markdown::documentation(&format!(
            "**Deprecated.** {message}"
        )));
    }
    text
}

fn nested_detail(nested: &NestedBlock) -> String {
    let how = if nested.min_items > 0 {
        "required"
    } else {
        "optional"
    };
    let form = match nested.nesting {
        Nesting::Single | Nesting::Group => "block",
        Nesting::List if nested.max_items == 1 => "block",
        Nesting::List => "list of blocks",
        Nesting::Set => "set of blocks",
        Nesting::Map => "map of blocks",
    };
    format!("{how}, {form}")
}

fn described(description: &str, page: Option<String>) -> Markdown {
    let mut text = Markdown::documentation(description);
    if let Some(page) = page {
        text.push(Markdown::link("Documentation", page));
    }
    text
}

/// The description of something that a configuration declares.
pub(super) fn described_as(description: Option<&str>) -> Markdown {
    description.map(Markdown::documentation).unwrap_or_default()
}

/// The names that the body around the cursor holds already, without the item that is being written.
#[derive(Default)]
struct Written {
    arguments: Vec<SmolStr>,
    blocks: BTreeMap<SmolStr, usize>,
}

impl Written {
    fn around(context: &CompletionContext<'_>) -> Written {
        let mut written = Written::default();
        let at = context.cursor.word.start();
        let Some(body) = context.own_body() else {
            return written;
        };
        for attribute in &body.attributes {
            if !attribute.name.range.contains_inclusive(at) {
                written.arguments.push(attribute.name.name.clone());
            }
        }
        for block in &body.blocks {
            if !block.kind.range.contains_inclusive(at) {
                let header = Header::of(block);
                let kind = match header.labels.first() {
                    Some(label) if header.kind == "dynamic" => label.clone(),
                    _ => header.kind,
                };
                *written.blocks.entry(kind).or_default() += 1;
            }
        }
        written
    }

    fn has_argument(&self, name: &str) -> bool {
        self.arguments.iter().any(|written| written == name)
    }

    fn blocks(&self, name: &str) -> usize {
        self.blocks.get(name).copied().unwrap_or(0)
    }
}
