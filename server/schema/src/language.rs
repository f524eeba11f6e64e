//! The blocks that the language itself has: `schemas/language.json`.
//!
//! Written after the pages of <https://developer.hashicorp.com/terraform/language> and <https://opentofu.org/docs/language>.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use cty::Type;
use serde::Deserialize;
use smol_str::SmolStr;

use crate::{Attribute, Block};

/// The blocks of a module's files, and what goes into blocks that a provider doesn't describe.
#[derive(Debug)]
pub struct LanguageSchema {
    pub blocks: BTreeMap<SmolStr, LanguageBlock>,
    /// Of files with tests of a module.
    pub tests: BTreeMap<SmolStr, LanguageBlock>,
    /// Of files with mocks for tests.
    pub mocks: BTreeMap<SmolStr, LanguageBlock>,
    pub provisioners: BTreeMap<SmolStr, LanguageBlock>,
    /// By type; no further arguments are known of a backend that has none here.
    pub backends: BTreeMap<SmolStr, LanguageBlock>,
    /// What makes nested blocks of any type that a provider describes.
    pub dynamic: LanguageBlock,
}

/// What a block of the language may hold.
#[derive(Debug, Clone, Default)]
pub struct LanguageBlock {
    /// Markdown.
    pub description: SmolStr,
    /// Of the documentation, below its root.
    page: Option<SmolStr>,
    pub labels: Vec<Label>,
    pub arguments: BTreeMap<SmolStr, Argument>,
    pub blocks: BTreeMap<SmolStr, LanguageBlock>,
    pub min: u32,
    /// `None`: no limit.
    pub max: Option<u32>,
    pub further: SchemaSource,
    pub since: Since,
}

/// An argument of a block of the language.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct Argument {
    pub description: SmolStr,
    pub required: bool,
    pub deprecated: bool,
    pub kind: ArgumentKind,
    /// The only values that are good, if there is such a list.
    pub values: Vec<SmolStr>,
    pub since: Since,
    r#use: Option<SmolStr>,
}

/// What the value of an argument may be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgumentKind {
    #[default]
    Any,
    String,
    Number,
    Bool,
    Strings,
    StringsByName,
    /// A map, or a set of strings.
    ForEach,
    /// `true` or `false`, and nothing that has to be evaluated.
    LiteralBool,
    LiteralString,
    /// One of the argument's `values`, without quotes.
    Keyword,
    Keywords,
    /// A version constraint.
    Version,
    /// A type constraint.
    Type,
    /// A list of objects of the module.
    References,
    /// A list of paths into the resource, or `all`.
    IgnoreChanges,
    ReplaceTriggeredBy,
    /// A provider configuration.
    Provider,
    /// A map from provider configurations to provider configurations.
    Providers,
    /// The source of a module.
    Source,
    /// The address of a resource or module of the configuration.
    Address,
    /// The address of something that the state may know alone.
    StateAddress,
}

impl ArgumentKind {
    /// The type of such a value; [`Type::Dynamic`] where it has several or none.
    pub fn ty(self) -> Type {
        match self {
            ArgumentKind::String
            | ArgumentKind::LiteralString
            | ArgumentKind::Version
            | ArgumentKind::Source => Type::String,
            ArgumentKind::Number => Type::Number,
            ArgumentKind::Bool | ArgumentKind::LiteralBool => Type::Bool,
            ArgumentKind::Strings => Type::list(Type::String),
            ArgumentKind::StringsByName => Type::map(Type::String),
            ArgumentKind::ForEach => Type::map(Type::Dynamic),
            ArgumentKind::Any
            | ArgumentKind::Keyword
            | ArgumentKind::Keywords
            | ArgumentKind::Type
            | ArgumentKind::References
            | ArgumentKind::IgnoreChanges
            | ArgumentKind::ReplaceTriggeredBy
            | ArgumentKind::Provider
            | ArgumentKind::Providers
            | ArgumentKind::Address
            | ArgumentKind::StateAddress => Type::Dynamic,
        }
    }
}

/// What a label names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Label {
    /// A name that the block gives to itself.
    Name,
    ResourceType,
    DataSource,
    EphemeralType,
    ActionType,
    /// The local name of a provider.
    Provider,
    BackendType,
    ProvisionerType,
    /// A nested block of the block around.
    BlockType,
}

/// Where arguments and blocks come from that the language doesn't list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SchemaSource {
    #[default]
    None,
    /// The schema of the resource type in the first label.
    Resource,
    Data,
    Ephemeral,
    /// The schema of the action type in the first label of the block around.
    Action,
    /// The variables of the called module.
    Module,
    /// The schema of the provider's configuration.
    Provider,
    ProviderMeta,
    /// One argument for each provider.
    ProviderRequirements,
    Backend,
    Provisioner,
    /// The variables of the module itself.
    Variables,
    /// Any argument.
    Any,
    /// Anything.
    Open,
}

/// The first versions that know something; in a product without an entry all do if neither has one, else none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Since {
    pub terraform: Option<SmolStr>,
    pub opentofu: Option<SmolStr>,
}

impl LanguageSchema {
    /// The language of all versions.
    pub fn get() -> &'static LanguageSchema {
        static LANGUAGE: LazyLock<LanguageSchema> = LazyLock::new(|| {
            let raw: RawLanguage =
                serde_json::from_str(include_str!("../../../schemas/language.json"))
                    .expect("schemas/language.json is part of this program, and a test reads it");
            raw.resolve()
        });
        &LANGUAGE
    }
}

impl LanguageBlock {
    /// The arguments as a provider would describe them.
    pub fn schema(&self) -> Block {
        let attributes = self.arguments.iter().map(|(name, argument)| {
            let attribute = Attribute::new(argument.kind.ty());
            let attribute = match argument.required {
                true => attribute.required(),
                false => attribute.optional(),
            };
            (name.clone(), attribute)
        });
        Block {
            attributes: attributes.collect(),
            ..Block::default()
        }
    }

    /// The page that documents the block.
    pub fn link(&self) -> Option<String> {
        let page = self.page.as_ref()?;
        Some(format!(
            "https://developer.hashicorp.com/terraform/language/{page}"
        ))
    }
}

#[derive(Deserialize)]
struct RawLanguage {
    configuration: BTreeMap<SmolStr, RawBlock>,
    tests: BTreeMap<SmolStr, RawBlock>,
    mocks: BTreeMap<SmolStr, RawBlock>,
    shared_arguments: BTreeMap<SmolStr, Argument>,
    shared_blocks: BTreeMap<SmolStr, RawBlock>,
    provisioners: BTreeMap<SmolStr, RawBlock>,
    backends: BTreeMap<SmolStr, BTreeMap<SmolStr, BackendArgument>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum BackendArgument {
    /// What it is. Backends take no expressions, and most of what they take is text.
    Description(SmolStr),
    Block {
        description: SmolStr,
        arguments: BTreeMap<SmolStr, Argument>,
    },
    Argument(Argument),
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct RawBlock {
    description: SmolStr,
    page: Option<SmolStr>,
    labels: Vec<Label>,
    arguments: BTreeMap<SmolStr, Argument>,
    blocks: BTreeMap<SmolStr, RawBlock>,
    min: u32,
    max: Option<u32>,
    further: SchemaSource,
    since: Since,
    /// The shared block that this one is, but for what it says itself.
    r#use: Option<SmolStr>,
}

impl RawLanguage {
    fn resolve(&self) -> LanguageSchema {
        let blocks = |raw: &BTreeMap<SmolStr, RawBlock>| {
            raw.iter()
                .map(|(name, raw)| (name.clone(), self.block(raw)))
                .collect()
        };
        let backends = self.backends.iter().map(|(name, arguments)| {
            let mut block = LanguageBlock {
                further: SchemaSource::Open,
                ..LanguageBlock::default()
            };
            for (name, argument) in arguments {
                let argument = match argument {
                    BackendArgument::Argument(argument) => argument.clone(),
                    BackendArgument::Description(description) => Argument {
                        description: description.clone(),
                        kind: ArgumentKind::LiteralString,
                        ..Argument::default()
                    },
                    BackendArgument::Block {
                        description,
                        arguments,
                    } => {
                        let nested = LanguageBlock {
                            description: description.clone(),
                            arguments: arguments.clone(),
                            max: Some(1),
                            ..LanguageBlock::default()
                        };
                        block.blocks.insert(name.clone(), nested);
                        continue;
                    }
                };
                block.arguments.insert(name.clone(), argument);
            }
            (name.clone(), block)
        });
        LanguageSchema {
            blocks: blocks(&self.configuration),
            tests: blocks(&self.tests),
            mocks: blocks(&self.mocks),
            provisioners: blocks(&self.provisioners),
            backends: backends.collect(),
            dynamic: self.block(&self.shared_blocks["dynamic"]),
        }
    }

    fn block(&self, raw: &RawBlock) -> LanguageBlock {
        let shared = raw.r#use.as_ref().map(|name| &self.shared_blocks[name]);
        let mut block = shared.map_or_else(LanguageBlock::default, |shared| self.block(shared));
        if !raw.description.is_empty() {
            block.description = raw.description.clone();
        }
        block.page = raw.page.clone().or(block.page);
        block.labels.extend(&raw.labels);
        block.min = block.min.max(raw.min);
        block.max = raw.max.or(block.max);
        if raw.further != SchemaSource::None {
            block.further = raw.further;
        }
        if raw.since != Since::default() {
            block.since = raw.since.clone();
        }
        for (name, argument) in &raw.arguments {
            let argument = match &argument.r#use {
                Some(shared) => &self.shared_arguments[shared],
                None => argument,
            };
            block.arguments.insert(name.clone(), argument.clone());
        }
        for (name, nested) in &raw.blocks {
            block.blocks.insert(name.clone(), self.block(nested));
        }
        block
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_is_whole() {
        let language = LanguageSchema::get();
        let resource = &language.blocks["resource"];
        assert_eq!(resource.labels, [Label::ResourceType, Label::Name]);
        assert_eq!(resource.further, SchemaSource::Resource);
        assert!(
            resource.blocks["lifecycle"].blocks["postcondition"].arguments["condition"].required
        );
        assert!(
            resource.blocks["provisioner"].blocks["connection"]
                .arguments
                .contains_key("host")
        );
        assert_eq!(language.blocks["check"].blocks["data"].labels.len(), 2);
        let beside = language.tests.iter().chain(&language.mocks);
        for (name, block) in language.blocks.iter().chain(beside) {
            assert!(!block.description.is_empty(), "{name} is not described");
        }
    }
}
