//! The block that a refactoring is about.

use std::ops::Range;
use std::sync::Arc;

use config::{Decl, Module, ResourceAddr, ResourceMode};
use smol_str::SmolStr;
use syntax::Segment;
use syntax::ast::{Block, Item};
use text::{FileId, TextRange, TextSize};

use crate::{Modules, SymbolObject};

/// A block of the top level, in a file in native syntax.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    pub dir: &'a SmolStr,
    pub module: &'a Arc<Module>,
    pub file: &'a FileId,
    pub syntax: &'a syntax::File,
    pub segment: Segment<'a>,
    pub block: &'a Block,
}

impl<'a> Site<'a> {
    pub fn at(modules: &'a Modules, file: &'a FileId, offset: TextSize) -> Option<Site<'a>> {
        let syntax = modules.file(file)?;
        let sites = Site::of_file(modules, file, syntax.segment_at(offset));
        sites
            .into_iter()
            .find(|site| site.range().contains_inclusive(offset))
    }

    /// All blocks of the file that the range touches, from the top.
    pub fn touched(modules: &'a Modules, file: &'a FileId, range: TextRange) -> Vec<Site<'a>> {
        let sites = Site::all(modules, file);
        let is_touched = |site: &Site<'_>| site.range().intersect(range).is_some();
        sites.into_iter().filter(is_touched).collect()
    }

    pub fn all(modules: &'a Modules, file: &'a FileId) -> Vec<Site<'a>> {
        let segments = modules.file(file).into_iter();
        Site::of_file(modules, file, segments.flat_map(syntax::File::segments))
    }

    fn of_file(
        modules: &'a Modules,
        file: &'a FileId,
        segments: impl IntoIterator<Item = Segment<'a>>,
    ) -> Vec<Site<'a>> {
        let module = modules.dir_of(file).and_then(|dir| {
            let module = modules.get(dir)?;
            Some((dir, module, module.files.get(file)?))
        });
        let Some((dir, module, syntax)) = module.filter(|_| !file.name().ends_with(".json")) else {
            return Vec::new();
        };
        let segments = segments.into_iter();
        let blocks = segments.flat_map(|segment| {
            let items = segment.parsed.items.iter();
            items.filter_map(move |item| match item {
                Item::Block(block) => Some((segment, &**block)),
                Item::Attribute(_) | Item::Member(_) => None,
            })
        });
        let site = |(segment, block)| Site {
            dir,
            module,
            file,
            syntax,
            segment,
            block,
        };
        blocks.map(site).collect()
    }

    /// In the file.
    pub fn range(&self) -> TextRange {
        self.absolute(self.block.range)
    }

    pub fn absolute(&self, range: TextRange) -> TextRange {
        range + self.segment.offset
    }

    /// The text at a range of the segment.
    pub fn text(&self, range: TextRange) -> &'a str {
        let text = &self.segment.parsed.text;
        text.get(Range::<usize>::from(range)).unwrap_or_default()
    }

    /// A resource, a module call, or another thing that the block alone declares.
    pub fn object(&self) -> Option<SymbolObject> {
        let label = |at: usize| Some(self.block.labels.get(at)?.text.clone());
        let mode = match self.block.kind.name.as_str() {
            "module" => return Some(SymbolObject::ModuleCall(label(0)?)),
            "variable" => return Some(SymbolObject::Variable(label(0)?)),
            "output" => return Some(SymbolObject::Output(label(0)?)),
            kind => ResourceMode::of_block_type(kind)?,
        };
        let addr = ResourceAddr::new(mode, label(0)?, label(1)?);
        Some(SymbolObject::Resource(addr))
    }

    pub fn decl(&self) -> Option<&'a Decl> {
        match self.object()? {
            SymbolObject::Resource(addr) => Some(&self.module.resources.get(&addr)?.decl),
            SymbolObject::ModuleCall(name) => Some(&self.module.module_calls.get(&name)?.decl),
            SymbolObject::Variable(name) => Some(&self.module.variables.get(&name)?.decl),
            SymbolObject::Output(name) => Some(&self.module.outputs.get(&name)?.decl),
            _ => None,
        }
    }

    /// The block with the comments right above it and the end of its last line, in the file.
    pub fn with_comments(&self) -> TextRange {
        let text = self.syntax.text();
        let range = self.range();
        let mut start = line_start(text, range.start().into());
        while start > 0 {
            let above = line_start(text, start - 1);
            let line = text[above..start].trim_start();
            if !(line.starts_with('#') || line.starts_with("//")) {
                break;
            }
            start = above;
        }
        let end = usize::from(range.end());
        let line_end = text[end..].find('\n').map_or(text.len(), |it| end + it + 1);
        size_range(start, line_end)
    }

    /// The lines of an argument, with the blank one that would be left over after it.
    pub fn lines_of(&self, range: TextRange) -> TextRange {
        let text = self.syntax.text();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let line = text[..start].rfind('\n').map_or(0, |it| it + 1);
        let line_end = text[end..].find('\n').map_or(text.len(), |it| end + it + 1);
        let is_alone =
            text[line..start].trim().is_empty() && !text[end..line_end].trim().contains('}');
        if !is_alone {
            return range;
        }
        let above = text[..line].trim_end_matches([' ', '\t', '\r', '\n']);
        let is_first = above.ends_with('{') || text[above.len()..line].matches('\n').count() > 1;
        let next = text[line_end..].split_inclusive('\n').next();
        let blank = next.filter(|next| is_first && next.trim().is_empty());
        size_range(line, line_end + blank.map_or(0, str::len))
    }

    /// [`Site::with_comments`], and the blank line that would be left over.
    pub fn paragraph(&self) -> TextRange {
        let text = self.syntax.text();
        let range = self.with_comments();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let next = text[end..].split_inclusive('\n').next();
        match next {
            Some(next) if next.trim().is_empty() => size_range(start, end + next.len()),
            None => {
                let before = text[..start].trim_end();
                let kept = text[before.len()..start].find('\n').map_or(0, |it| it + 1);
                size_range(before.len() + kept, end)
            }
            Some(_) => range,
        }
    }
}

fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

pub(crate) fn size_range(start: usize, end: usize) -> TextRange {
    let size = |offset: usize| TextSize::try_from(offset).unwrap_or_default();
    TextRange::new(size(start), size(end))
}

/// How much of a template an interpolation is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Interpolation {
    /// `"${x}"`, whose value keeps its type.
    Whole,
    Part,
}

/// Whether an expression is all that an interpolation holds.
pub(crate) fn is_interpolation(text: &str, range: TextRange) -> Option<Interpolation> {
    let (before, after) = (&text[..range.start().into()], &text[range.end().into()..]);
    if before.ends_with("\"${") && after.starts_with("}\"") {
        return Some(Interpolation::Whole);
    }
    (before.ends_with("${") && after.starts_with('}')).then_some(Interpolation::Part)
}

/// Puts a value in the place of a name. In a template, its text in the place of the interpolation that is only the name.
pub(crate) fn in_template(text: &str, range: TextRange, new: &str) -> (TextRange, String) {
    let around = is_interpolation(text, range);
    let string = new.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    let is_part = around == Some(Interpolation::Part);
    let literal = string.or((is_part && new.parse::<u64>().is_ok()).then_some(new));
    match literal.filter(|_| around.is_some()) {
        Some(literal) => {
            let (start, end) = (usize::from(range.start()), usize::from(range.end()));
            (
                size_range(start - "${".len(), end + "}".len()),
                literal.to_owned(),
            )
        }
        None => (range, new.to_owned()),
    }
}
