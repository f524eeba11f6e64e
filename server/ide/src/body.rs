//! The valid content of the body around the cursor: by the language, and by a provider.

use std::borrow::Cow;
use std::collections::BTreeMap;

use config::{FileRole, ResourceMode};
use schema::{Argument, Attribute, Block, Label, LanguageBlock, LanguageSchema, SchemaSource};
use smol_str::SmolStr;

use crate::cursor::Header;
use crate::module_context::ModuleContext;

/// The blocks that a file may hold; `None` where we know nothing of its language.
pub(crate) fn blocks_of(role: FileRole) -> Option<&'static BTreeMap<SmolStr, LanguageBlock>> {
    match role {
        FileRole::Module => Some(&LanguageSchema::get().blocks),
        FileRole::Tests => Some(&LanguageSchema::get().tests),
        FileRole::Mocks => Some(&LanguageSchema::get().mocks),
        FileRole::Values | FileRole::Lock | FileRole::Other => None,
    }
}

/// The valid content of a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct BodySchema<'a> {
    pub(crate) language: Option<&'a LanguageBlock>,
    pub(crate) provider: Option<Cow<'a, Block>>,
    /// The schema of the whole object.
    whole: Option<&'a Block>,
    /// The arguments that a backend or a provisioner adds to the language's own.
    added: Option<&'static LanguageBlock>,
    /// In a `dynamic` block: the content of its `content`.
    content: Option<Cow<'a, Block>>,
}

/// An argument, by who describes it.
#[derive(Clone, Debug)]
pub(crate) enum ArgumentSchema<'a> {
    Language(&'a Argument),
    Provider(Cow<'a, Attribute>),
}

impl<'a> BodySchema<'a> {
    /// Of the innermost of `blocks` in a file of `role`; of the file's body where there are none.
    pub(crate) fn of(
        known: &'a ModuleContext,
        role: FileRole,
        blocks: &[Header],
    ) -> Option<BodySchema<'a>> {
        let Some((outermost, inner)) = blocks.split_first() else {
            return Some(BodySchema::default());
        };
        let language = blocks_of(role)?.get(&outermost.kind)?;
        let whole = further(known, language.further, outermost);
        let mut schema = BodySchema {
            language: Some(language),
            provider: whole.map(Cow::Borrowed),
            whole,
            added: added(language, outermost),
            content: None,
        };
        for header in inner {
            schema = schema.nested(known, outermost, header)?;
        }
        Some(schema)
    }

    fn nested(
        self,
        known: &'a ModuleContext,
        outermost: &Header,
        header: &Header,
    ) -> Option<BodySchema<'a>> {
        if let Some(content) = self.content {
            return (header.kind == "content").then_some(BodySchema {
                provider: Some(content),
                ..BodySchema::default()
            });
        }
        if let Some(language) = self.language.and_then(|it| it.blocks.get(&header.kind)) {
            return Some(BodySchema {
                language: Some(language),
                provider: match language.further {
                    SchemaSource::Action => further(known, language.further, outermost),
                    _ => further(known, language.further, header),
                }
                .map(Cow::Borrowed),
                added: added(language, header),
                ..BodySchema::default()
            });
        }
        if let Some(block) = self.added.and_then(|it| it.blocks.get(&header.kind)) {
            return Some(BodySchema {
                language: Some(block),
                ..BodySchema::default()
            });
        }
        if header.kind == "dynamic" {
            return self.provider.is_some().then(|| BodySchema {
                language: Some(&LanguageSchema::get().dynamic),
                content: header.labels.first().and_then(|it| self.blocks(it)),
                ..BodySchema::default()
            });
        }
        Some(BodySchema {
            provider: Some(self.blocks(&header.kind)?),
            whole: self.whole,
            ..BodySchema::default()
        })
    }

    /// The content of the nested blocks of this type. Attributes of legacy schemas may be written as blocks.
    fn blocks(&self, name: &str) -> Option<Cow<'a, Block>> {
        let attribute = |attributes: &BTreeMap<SmolStr, Attribute>| {
            let objects = attributes.get(name)?.blocks()?;
            let is_legacy = self.whole.is_some_and(Block::is_legacy);
            is_legacy.then(|| Cow::Owned(Block::of_object(objects)))
        };
        match self.provider.as_ref()? {
            Cow::Borrowed(block) => match block.block_types.get(name) {
                Some(nested) => Some(Cow::Borrowed(&nested.block)),
                None => attribute(&block.attributes),
            },
            Cow::Owned(block) => attribute(&block.attributes),
        }
    }

    /// The arguments that may be written as blocks: those of legacy schemas.
    pub(crate) fn arguments_as_blocks(&self) -> impl Iterator<Item = (&SmolStr, &Attribute)> {
        let is_legacy = self.whole.is_some_and(Block::is_legacy);
        let block = self.provider.as_deref().filter(|_| is_legacy);
        let attributes = block.into_iter().flat_map(|block| &block.attributes);
        attributes.filter(|(_, it)| it.is_argument() && it.blocks().is_some())
    }

    pub(crate) fn argument(&self, name: &str) -> Option<ArgumentSchema<'a>> {
        let own = self.language.and_then(|it| it.arguments.get(name));
        own.map(ArgumentSchema::Language).or_else(|| {
            let attribute = match self.provider.as_ref()? {
                Cow::Borrowed(block) => Cow::Borrowed(block.attributes.get(name)?),
                Cow::Owned(block) => Cow::Owned(block.attributes.get(name)?.clone()),
            };
            Some(ArgumentSchema::Provider(attribute))
        })
    }
}

/// The content of a block of the language beside its own arguments.
fn further<'a>(
    known: &'a ModuleContext,
    further: SchemaSource,
    header: &Header,
) -> Option<&'a Block> {
    let first = header.labels.first()?;
    let resource = |mode| Some(&*known.resource_schema(mode, first)?.block);
    match further {
        SchemaSource::Resource => resource(ResourceMode::Managed),
        SchemaSource::Data => resource(ResourceMode::Data),
        SchemaSource::Ephemeral => resource(ResourceMode::Ephemeral),
        SchemaSource::Action => resource(ResourceMode::Action),
        SchemaSource::Provider => Some(&known.provider_schema(first)?.provider.block),
        SchemaSource::ProviderMeta => {
            let schema = known.provider_schema(first)?.provider_meta.as_ref()?;
            Some(&schema.block)
        }
        SchemaSource::None
        | SchemaSource::Module
        | SchemaSource::ProviderRequirements
        | SchemaSource::Backend
        | SchemaSource::Provisioner
        | SchemaSource::Variables
        | SchemaSource::Any
        | SchemaSource::Open => None,
    }
}

/// The arguments of the language that a backend or a provisioner adds.
pub(crate) fn added(language: &LanguageBlock, header: &Header) -> Option<&'static LanguageBlock> {
    let first = header.labels.first()?;
    match language.further {
        SchemaSource::Backend => LanguageSchema::get().backends.get(first),
        SchemaSource::Provisioner => LanguageSchema::get().provisioners.get(first),
        _ => None,
    }
}

/// The meaning of the next label of a block; `around` are the blocks that it is in.
pub(crate) fn label(
    known: &ModuleContext,
    role: FileRole,
    around: &[Header],
    header: &Header,
) -> Option<Label> {
    let language = match around {
        [] => blocks_of(role)?.get(&header.kind),
        _ => {
            let around = BodySchema::of(known, role, around)?;
            let own = around
                .language
                .and_then(|block| block.blocks.get(&header.kind));
            own.or_else(|| (header.kind == "dynamic").then_some(&LanguageSchema::get().dynamic))
        }
    };
    language?.labels.get(header.labels.len()).copied()
}
