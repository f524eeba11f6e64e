//! The description of a word by the language and the schemas, whether it can be planned or not.

use config::{FileRole, ResourceMode, Variable};
use schema::{Argument, Label, LanguageBlock, LanguageSchema, SchemaSource};
use syntax::SyntaxKind;
use syntax::ast::{Attribute, Item};
use text::{FileId, TextRange, TextSize};

use super::values;
use crate::body::{self, ArgumentSchema, BodySchema};
use crate::completion::CompletionContext;
use crate::cursor::{Cursor, CursorPlace, Header};
use crate::hover_text::Text;
use crate::json_as_native::NativeText;
use crate::referent::local_module;
use crate::{Hover, ModuleContext, Snapshot, SourceFile};
use syntax::walk::{Visitor, walk_items};

impl Snapshot {
    pub(super) fn described(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let source = self.hcl_file(file)?;
        if file.name().ends_with(".json") {
            let native = NativeText::at(file, source.syntax().text(), offset, &self.known(file))?;
            let snapshot = self.with_file(native.file.clone(), &native.text);
            let described = snapshot.described(&native.file, native.offset)?;
            return Some(Hover {
                range: native.range(described.range),
                ..described
            });
        }
        if FileRole::of(file.name()) == FileRole::Lock {
            return self.locked(file, offset);
        }
        let (segment, tokens) = source.syntax().syntax_at(offset)?;
        use SyntaxKind as K;
        let is_word = |kind| matches!(kind, K::Ident | K::QuotedLiteral | K::Number);
        let token = tokens.filter(|token| is_word(token.kind())).last()?;
        let cursor = Cursor::at(source, segment.offset + token.text_range().end());
        let known = self.known(file);
        let described = Described {
            snapshot: self,
            file,
            known: &known,
            cursor: &cursor,
            word: token.text(),
        };
        let word = token.text_range();
        let (text, range) = match &cursor.place {
            CursorPlace::Item => match described.block() {
                Some(text) => (text, word),
                None => (
                    described.argument()?,
                    attribute_range(source, &cursor, word),
                ),
            },
            CursorPlace::Label { header, is_quoted } => {
                let quotes = TextSize::new(u32::from(*is_quoted));
                let label = TextRange::new(word.start() - quotes, word.end() + quotes);
                (described.label(header)?, label)
            }
            CursorPlace::Value(place) => {
                let context = CompletionContext::new(self, file, source, &cursor);
                values::value(&context, place, offset - segment.offset)?
            }
            CursorPlace::Nothing => values::number(source, offset)?,
        };
        Some(text.at(range + segment.offset))
    }
}

struct Described<'a> {
    snapshot: &'a Snapshot,
    file: &'a FileId,
    known: &'a ModuleContext,
    cursor: &'a Cursor,
    word: &'a str,
}

impl<'a> Described<'a> {
    fn role(&self) -> FileRole {
        FileRole::of(self.file.name())
    }

    fn around(&self) -> Option<BodySchema<'a>> {
        BodySchema::of(self.known, self.role(), &self.cursor.blocks)
    }

    /// The block type that the word is.
    fn block(&self) -> Option<Text> {
        if self.cursor.blocks.is_empty() {
            let block = body::blocks_of(self.role())?.get(self.word)?;
            return Some(Text::language_block(self.word, block));
        }
        let around = self.around()?;
        if let Some(block) = around.language.and_then(|it| it.blocks.get(self.word)) {
            return Some(Text::language_block(self.word, block));
        }
        let provider = around.provider.as_ref()?;
        if let Some(nested) = provider.block_types.get(self.word) {
            return Some(Text::nested_block(self.word, nested));
        }
        (self.word == "dynamic")
            .then(|| Text::language_block(self.word, &LanguageSchema::get().dynamic))
    }

    /// The argument that the word names.
    fn argument(&self) -> Option<Text> {
        let Some(header) = self.cursor.blocks.last() else {
            let variable = self.known.module.variables.get(self.word)?;
            return Some(Text::variable(variable));
        };
        if header.kind == "required_providers" {
            return Some(self.provider());
        }
        let around = self.around()?;
        match around.argument(self.word) {
            Some(ArgumentSchema::Provider(attribute)) => {
                let mut text = Text::argument(self.word, &attribute);
                text.attribute(&attribute);
                if let Some(mode) = self.cursor.blocks.first().and_then(Header::mode)
                    && let Some(r#type) = self.cursor.blocks[0].labels.first()
                {
                    let note = self.known.not_installed(mode, r#type);
                    text.paragraph(&note.unwrap_or_default());
                }
                return Some(text);
            }
            Some(ArgumentSchema::Language(argument)) => {
                return Some(Text::language_argument(self.word, argument));
            }
            None => {}
        }
        let language = around.language?;
        if language.further == SchemaSource::Variables {
            let variable = self.known.module.variables.get(self.word)?;
            return Some(Text::variable(variable));
        }
        if let Some(added) = body::added(language, header) {
            return Some(Text::language_argument(
                self.word,
                added.arguments.get(self.word)?,
            ));
        }
        let call = self
            .cursor
            .blocks
            .first()
            .filter(|it| it.kind == "module")?;
        let call = self.known.module.module_calls.get(call.labels.first()?)?;
        let dir = local_module(self.file, call.source.as_ref()?)?;
        let called = self.snapshot.known_modules().get(&dir)?;
        Some(Text::variable(called.module.variables.get(self.word)?))
    }

    /// The provider whose local name the word is.
    fn provider(&self) -> Text {
        let addr = self.known.module.provider_addr(self.word);
        let mut text = Text::default();
        text.code(&addr.to_string());
        text.paragraph(&self.known.provider_title(&addr));
        if let Some(schema) = self.known.provider_schema(self.word) {
            text.documentation(&schema.provider.block.description);
        }
        text
    }

    fn label(&self, header: &Header) -> Option<Text> {
        let types = |mode| {
            let schema = self.known.resource_schema(mode, self.word)?;
            let mut text = Text::default();
            text.code(self.word);
            let mut types = self.known.resource_types(mode);
            if let Some((provider, ..)) = types.find(|(_, name, _)| *name == self.word) {
                text.paragraph(&self.known.provider_title(&provider));
            }
            text.documentation(&schema.block.description);
            text.documentation(&schema.block.deprecation_message);
            Some(text)
        };
        match body::label(self.known, self.role(), &self.cursor.blocks, header)? {
            Label::ResourceType => types(ResourceMode::Managed),
            Label::DataSource => types(ResourceMode::Data),
            Label::EphemeralType => types(ResourceMode::Ephemeral),
            Label::ActionType => types(ResourceMode::Action),
            Label::Provider => Some(self.provider()),
            Label::Name => {
                let address: Vec<&str> = header.labels.iter().map(|it| &**it).collect();
                let mut text = Text::default();
                text.code(&format!(
                    "{} {}",
                    header.kind,
                    [&address[..], &[self.word]].concat().join(".")
                ));
                let call = self.known.module.module_calls.get(self.word);
                let call = call.filter(|_| header.kind == "module");
                if let Some(source) = call.and_then(|call| call.source.as_deref()) {
                    text.paragraph(source);
                }
                Some(text)
            }
            Label::BackendType => {
                let backend = LanguageSchema::get().backends.get(self.word)?;
                let arguments: Vec<&str> = backend.arguments.keys().map(|it| &**it).collect();
                let mut text = Text::default();
                text.code(&format!("backend {}", self.word));
                text.paragraph(&format!("Arguments: {}", arguments.join(", ")));
                Some(text)
            }
            Label::ProvisionerType | Label::BlockType => None,
        }
    }
}

/// The whole argument that the word names.
fn attribute_range(source: &SourceFile, cursor: &Cursor, word: TextRange) -> TextRange {
    struct Find(TextRange, Option<TextRange>);
    impl Visitor for Find {
        fn attribute(&mut self, attribute: &Attribute) {
            if attribute.name.range == self.0 {
                self.1 = Some(attribute.range);
            }
        }
    }
    let mut find = Find(word, None);
    if let Some(segment) = source.syntax().segment_at(cursor.segment) {
        let items: &[Item] = &segment.parsed.items;
        walk_items(items, &mut find);
    }
    find.1.unwrap_or(word)
}

impl Text {
    fn language_block(name: &str, block: &LanguageBlock) -> Text {
        let mut text = Text::default();
        text.code(name);
        text.paragraph("Block");
        text.documentation(&block.description);
        text.page(block.link());
        text
    }

    fn language_argument(name: &str, argument: &Argument) -> Text {
        let mut text = Text::default();
        text.code(name);
        text.paragraph(&crate::completion::language_detail(argument));
        text.documentation(&argument.description);
        text
    }

    fn variable(variable: &Variable) -> Text {
        let mut text = Text::default();
        let ty = variable.r#type.as_ref().map(|expr| {
            eval::types::variable_type(&expr.ast)
                .0
                .ty
                .friendly_name_for_constraint()
        });
        let ty = ty.unwrap_or_else(|| "any type".to_owned());
        text.code(&format!("{} : {ty}", variable.name.text));
        text.paragraph(match variable.default {
            Some(_) => "Optional",
            None => "Required",
        });
        text.documentation(variable.description.as_deref().unwrap_or_default());
        text
    }
}
