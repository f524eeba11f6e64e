//! Completion at the cursor.

mod allowed;
mod argument_names;
mod elements;
mod expected;
mod functions;
mod json;
mod labels;
mod members;
mod paths;
mod providers;
mod registry;
mod values;
mod words;

pub(crate) use argument_names::language_detail;

use std::path::Path;
use std::sync::Arc;

use config::{FileRole, Files};
use smol_str::SmolStr;
use syntax::ast::{Block, Body, Item};
use text::{FileId, TextRange, TextSize};

use crate::cursor::{Cursor, CursorPlace};
use crate::module_context::ModuleContext;
use crate::terragrunt::is_terragrunt;
use crate::{Markdown, Registry, Snapshot, SourceFile};

/// Something that may be written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Completion {
    pub label: String,
    pub kind: CompletionKind,
    /// Beside the label: a type, a value.
    pub detail: Option<String>,
    pub documentation: Markdown,
    /// The inserted text, with `$1`, `${2:name}` and `$0` where the editor may stop.
    pub snippet: String,
    /// The replaced range.
    pub range: TextRange,
    /// Rank: lower is better.
    pub rank: u8,
    pub is_deprecated: bool,
    /// Whether to ask again once it is inserted.
    pub asks_again: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CompletionKind {
    Argument,
    Block,
    Type,
    Variable,
    Local,
    Resource,
    Module,
    Function,
    Keyword,
    Literal,
    Member,
    Provider,
    /// A file or a folder.
    File,
}

/// All that may be written at a place.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completions {
    pub items: Vec<Completion>,
    /// Whether typing on may bring others.
    pub is_incomplete: bool,
}

/// The items of long lists whose documentation is made; all others have theirs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Documented<'a> {
    All,
    /// None: an editor asks for it later.
    Later,
    /// The one with this label.
    Only(&'a str),
}

impl Documented<'_> {
    fn has(self, label: &str) -> bool {
        match self {
            Documented::All => true,
            Documented::Later => false,
            Documented::Only(wanted) => wanted == label,
        }
    }
}

/// The inputs of completions beside the snapshot.
#[derive(Clone, Copy)]
pub struct CompletionInputs<'a> {
    /// For paths.
    pub files: &'a dyn Files,
    /// `None`: no registry is asked.
    pub registry: Option<&'a dyn Registry>,
    pub documented: Documented<'a>,
}

impl<'a> CompletionInputs<'a> {
    /// Inputs without registries.
    pub fn local(files: &'a dyn Files) -> CompletionInputs<'a> {
        CompletionInputs {
            files,
            registry: None,
            documented: Documented::All,
        }
    }
}

/// More are not sent at once: the editor asks again as the word grows.
const LIMIT: usize = 2_000;

/// The inputs of completions.
pub(crate) struct CompletionContext<'a> {
    pub(crate) source: &'a SourceFile,
    pub(crate) known: Arc<ModuleContext>,
    modules: &'a crate::module_context::ModuleContexts,
    file: &'a FileId,
    pub(crate) cursor: &'a Cursor,
    /// The folder of the root module.
    root: Option<&'a Path>,
    /// The files that paths are completed from.
    files: Option<&'a dyn Files>,
    registry: Option<&'a dyn Registry>,
    documented: Documented<'a>,
    /// The rest of the line after the word.
    rest: &'a str,
}

impl Snapshot {
    /// `files` are for the completion of paths.
    pub fn completions(&self, file: &FileId, offset: TextSize, files: &dyn Files) -> Completions {
        self.completions_of(file, offset, CompletionInputs::local(files))
    }

    pub(crate) fn completions_of(
        &self,
        file: &FileId,
        offset: TextSize,
        inputs: CompletionInputs<'_>,
    ) -> Completions {
        let Some(source) = self.hcl_file(file) else {
            return Completions::default();
        };
        if file.name().ends_with(".json") {
            return self.completions_in_json(file, source, offset, inputs);
        }
        if is_terragrunt(file) {
            return self.terragrunt_completions(file, offset, inputs.files);
        }
        let cursor = Cursor::at(source, offset);
        let mut context = CompletionContext::new(self, file, source, &cursor);
        context.files = Some(inputs.files);
        context.registry = inputs.registry;
        context.documented = inputs.documented;
        let mut items = Vec::new();
        match &cursor.place {
            CursorPlace::Item => context.items(&mut items),
            CursorPlace::Label { header, is_quoted } => {
                context.labels(header, *is_quoted, &mut items)
            }
            CursorPlace::Value(place) => context.values(place, &mut items),
            CursorPlace::Nothing => {}
        }
        context.finish(items)
    }
}

impl<'a> CompletionContext<'a> {
    pub(crate) fn new(
        snapshot: &'a Snapshot,
        file: &'a FileId,
        source: &'a SourceFile,
        cursor: &'a Cursor,
    ) -> CompletionContext<'a> {
        let word_end = usize::from(cursor.segment + cursor.word.end());
        let rest = source.syntax().text().get(word_end..).unwrap_or_default();
        CompletionContext {
            source,
            known: snapshot.known(file),
            modules: snapshot.known_modules(),
            file,
            cursor,
            root: snapshot.root_of(file),
            files: None,
            registry: None,
            documented: Documented::All,
            rest: rest.split('\n').next().unwrap_or_default(),
        }
    }

    /// The word around the cursor, in the file.
    fn word(&self) -> TextRange {
        self.cursor.word + self.cursor.segment
    }

    /// The outermost block around the cursor, as far as it can be read.
    fn own_block(&self) -> Option<&Block> {
        let segment = self.source.syntax().segment_at(self.cursor.segment)?;
        segment.parsed.items.iter().find_map(|item| match item {
            Item::Block(block) if !self.cursor.blocks.is_empty() => Some(&**block),
            Item::Block(_) | Item::Attribute(_) | Item::Member(_) => None,
        })
    }

    /// The innermost body around the cursor.
    fn own_body(&self) -> Option<&Body> {
        let at = self.cursor.word.start();
        let mut body = &self.own_block()?.body;
        for _ in 1..self.cursor.blocks.len() {
            body = &block_at(body, at)?.body;
        }
        Some(body)
    }

    /// The `dynamic` blocks around the cursor, from the outside in, each with the name of its iterator.
    pub(crate) fn dynamic_blocks(&self) -> Vec<(SmolStr, &Block)> {
        let at = self.cursor.word.start();
        let around = std::iter::successors(self.own_block(), |block| block_at(&block.body, at));
        let dynamic = around.filter(|block| {
            let is_content = |inner: &Block| inner.kind.name == "content";
            block.kind.name == "dynamic" && block_at(&block.body, at).is_some_and(is_content)
        });
        let named = dynamic.filter_map(|block| {
            let iterator = block.body.attribute("iterator");
            let iterator = iterator.and_then(|it| it.expr.as_keyword());
            let name = iterator.or_else(|| Some(block.labels.first()?.text.clone()))?;
            Some((name, block))
        });
        named.collect()
    }

    fn role(&self) -> FileRole {
        FileRole::of(self.file.name())
    }

    fn item(&self, kind: CompletionKind, label: impl Into<String>) -> Completion {
        let label = label.into();
        Completion {
            snippet: escaped(&label),
            label,
            kind,
            detail: None,
            documentation: Markdown::default(),
            range: self.word(),
            rank: 5,
            is_deprecated: false,
            asks_again: false,
        }
    }

    fn finish(&self, mut items: Vec<Completion>) -> Completions {
        let order = |a: &Completion, b: &Completion| {
            (a.rank, a.kind, &a.label).cmp(&(b.rank, b.kind, &b.label))
        };
        items.sort_by(order);
        items.dedup_by(|a, b| a.label == b.label && a.kind == b.kind);
        let is_long = items.len() > LIMIT;
        if is_long {
            items.retain(|item| matches(&item.label, &self.cursor.typed));
            items.truncate(LIMIT);
        }
        Completions {
            items,
            is_incomplete: is_long || self.may_imply_provider() || self.is_searched(),
        }
    }

    /// Whether the word may become a type of a provider that the module doesn't use yet.
    fn may_imply_provider(&self) -> bool {
        let typed = &self.cursor.typed;
        let is_type = match &self.cursor.place {
            CursorPlace::Label { header, .. } => {
                header.mode().is_some() && header.labels.is_empty()
            }
            CursorPlace::Item | CursorPlace::Value(_) | CursorPlace::Nothing => false,
        };
        is_type && !typed.contains('_')
    }

    /// Whether the line ends after the word.
    fn ends_line(&self) -> bool {
        self.rest.trim().is_empty()
    }
}

/// Whether all characters of `typed` stand in `label`, in their order.
pub(crate) fn matches(label: &str, typed: &str) -> bool {
    let mut label = label.chars().flat_map(char::to_lowercase);
    typed
        .chars()
        .flat_map(char::to_lowercase)
        .all(|wanted| label.any(|c| c == wanted))
}

/// A text in a snippet, where some characters have a meaning.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('$', "\\$")
        .replace('}', "\\}")
}

/// A snippet as plain text: without stops, and with the names of those that have one.
pub fn snippet_as_text(snippet: &str) -> String {
    let mut text = String::new();
    let mut chars = snippet.chars().peekable();
    let mut depth = 0;
    while let Some(c) = chars.next() {
        match c {
            '\\' => text.extend(chars.next()),
            '$' => {
                if chars.next_if_eq(&'{').is_some() {
                    depth += 1;
                }
                while chars.next_if(char::is_ascii_digit).is_some() {}
                chars.next_if_eq(&':');
            }
            '}' if depth > 0 => depth -= 1,
            c => text.push(c),
        }
    }
    text
}

/// The block in a body that a position is in.
fn block_at(body: &Body, at: TextSize) -> Option<&Block> {
    let mut blocks = body.blocks.iter().map(|block| &**block);
    blocks.find(|block| block.range.contains_inclusive(at))
}
