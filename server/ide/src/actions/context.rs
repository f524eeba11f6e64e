//! A file in which something is to be done: its text and tree, and how actions are made.

use std::cell::OnceCell;
use std::path::Path;
use std::sync::Arc;

use refactor::{Edit, Edits};
use syntax::ast::{Attribute, Block, Body, Expr, Item};
use text::{FileId, TextRange, TextSize};

use super::{Action, ActionKind, Effect};
use crate::body::BodySchema;
use crate::cursor::Header;
use crate::module_context::ModuleContext;
use crate::{Shown, Snapshot, SourceFile};
use syntax::walk::{Visitor, walk_items};

pub(crate) struct ActionContext<'a> {
    pub(crate) snapshot: &'a Snapshot,
    pub(crate) file: &'a FileId,
    pub(crate) source: &'a SourceFile,
    pub(crate) known: Arc<ModuleContext>,
    pub(crate) text: Arc<str>,
    diagnostics: OnceCell<Vec<Shown>>,
}

/// The blocks around an offset. Ranges of the tree are relative to `offset`.
pub(crate) struct Around<'a> {
    pub(crate) offset: TextSize,
    /// From the outside to the inside.
    pub(crate) blocks: Vec<&'a Block>,
    pub(crate) attribute: Option<&'a Attribute>,
}

impl<'a> ActionContext<'a> {
    pub(crate) fn new(snapshot: &'a Snapshot, file: &'a FileId) -> Option<ActionContext<'a>> {
        let source = snapshot.hcl_file(file)?;
        Some(ActionContext {
            snapshot,
            file,
            source,
            known: snapshot.known(file),
            text: source.syntax().text().clone(),
            diagnostics: OnceCell::new(),
        })
    }

    /// Of the file.
    pub(crate) fn diagnostics(&self) -> &[Shown] {
        self.diagnostics
            .get_or_init(|| self.snapshot.diagnostics(self.file))
    }

    pub(crate) fn slice(&self, range: TextRange) -> &str {
        self.text
            .get(std::ops::Range::from(range))
            .unwrap_or_default()
    }

    pub(crate) fn dir(&self) -> &Path {
        Path::new(self.file.path())
            .parent()
            .unwrap_or(Path::new("/"))
    }

    pub(crate) fn around(&self, offset: TextSize) -> Option<Around<'a>> {
        let segment = self.source.syntax().segment_at(offset)?;
        let mut around = Around {
            offset: segment.offset,
            blocks: Vec::new(),
            attribute: None,
        };
        let at = offset - segment.offset;
        for item in &segment.parsed.items {
            match item {
                Item::Block(block) if block.range.contains_inclusive(at) => around.enter(block, at),
                Item::Attribute(attribute) if attribute.range.contains_inclusive(at) => {
                    around.attribute = Some(attribute);
                }
                Item::Block(_) | Item::Attribute(_) | Item::Member(_) => {}
            }
        }
        Some(around)
    }

    /// The outermost expression with exactly this range, and where its segment starts.
    pub(crate) fn expr(&self, range: TextRange) -> Option<(Expr, TextSize)> {
        struct Find(TextRange, Option<Expr>);
        impl Visitor for Find {
            fn expr(&mut self, expr: &Expr) {
                if self.1.is_none() && expr.range == self.0 {
                    self.1 = Some(expr.clone());
                }
            }
        }
        let segment = self.source.syntax().segment_at(range.start())?;
        let relative = range.checked_sub(segment.offset)?;
        let mut find = Find(relative, None);
        walk_items(&segment.parsed.items, &mut find);
        Some((find.1?, segment.offset))
    }

    /// The range with its line or lines, if nothing else stands on them.
    pub(crate) fn whole_lines(&self, range: TextRange) -> TextRange {
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let before = self.text[..start]
            .rfind('\n')
            .map_or(0, |newline| newline + 1);
        let after = self.text[end..].find('\n');
        let after = after.map_or(self.text.len(), |newline| end + newline + 1);
        let rest = self.text[end..after].trim();
        let is_alone = self.text[before..start].trim().is_empty()
            && (rest.is_empty() || rest.starts_with('#') || rest.starts_with("//"));
        match is_alone {
            true => size_range(before, after),
            false => range,
        }
    }

    /// The lines of a block, with the blank line that would be left over.
    pub(crate) fn paragraph(&self, range: TextRange) -> TextRange {
        let lines = self.whole_lines(range);
        let (start, end) = (usize::from(lines.start()), usize::from(lines.end()));
        let is_blank = |line: &str| line.trim().is_empty();
        let next = self.text[end..].split_inclusive('\n').next();
        let previous = self.text[..start].trim_end_matches('\n');
        match next {
            Some(next) if is_blank(next) => size_range(start, end + next.len()),
            // At the end of the file: the blank line before.
            None if self.text[..start].ends_with("\n\n") => size_range(previous.len() + 1, end),
            _ => lines,
        }
    }

    /// The white space that the line of an offset begins with.
    pub(crate) fn indentation(&self, offset: TextSize) -> &str {
        let before = &self.text[..usize::from(offset)];
        let line = before.rfind('\n').map_or(0, |newline| newline + 1);
        let line = self.text[line..].split('\n').next().unwrap_or_default();
        &line[..line.len() - line.trim_start().len()]
    }

    pub(crate) fn edit(&self, edits: Vec<Edit>) -> Edits {
        Edits::of(self.file, edits)
    }

    pub(crate) fn fix(&self, title: impl Into<String>, fixes: &Shown, edits: Vec<Edit>) -> Action {
        Action {
            title: title.into(),
            kind: ActionKind::QuickFix,
            fixes: vec![fixes.clone()],
            is_preferred: false,
            is_safe: false,
            effect: Effect::Edit(self.edit(edits)),
        }
    }
}

impl Action {
    pub(crate) fn preferred(self) -> Action {
        Action {
            is_preferred: true,
            ..self
        }
    }

    /// The meaning stays the same, and everybody would choose it.
    pub(crate) fn safe(self) -> Action {
        Action {
            is_safe: true,
            ..self.preferred()
        }
    }

    pub(crate) fn with_edit(self, edits: Edits) -> Action {
        Action {
            effect: Effect::Edit(edits),
            ..self
        }
    }
}

impl<'a> Around<'a> {
    fn enter(&mut self, block: &'a Block, at: TextSize) {
        self.blocks.push(block);
        let Body {
            attributes, blocks, ..
        } = &block.body;
        let attribute = attributes.iter().find(|it| it.range.contains_inclusive(at));
        self.attribute = attribute.map(|it| &**it);
        if let Some(inner) = blocks.iter().find(|it| it.range.contains_inclusive(at)) {
            self.enter(inner, at);
        }
    }

    /// The schema of the innermost block.
    pub(crate) fn schema<'k>(&self, known: &'k ModuleContext) -> Option<BodySchema<'k>> {
        let headers: Vec<Header> = self.blocks.iter().map(|block| Header::of(block)).collect();
        BodySchema::of(known, config::FileRole::Module, &headers)
    }

    pub(crate) fn top(&self) -> Option<&'a Block> {
        self.blocks.first().copied()
    }

    pub(crate) fn innermost(&self) -> Option<&'a Block> {
        self.blocks.last().copied()
    }
}

pub(crate) fn size_range(start: usize, end: usize) -> TextRange {
    let size = |offset: usize| TextSize::try_from(offset).unwrap_or_default();
    TextRange::new(size(start), size(end))
}
