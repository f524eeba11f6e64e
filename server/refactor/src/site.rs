//! The block that a refactoring is about.

use std::ops::Range;
use std::sync::Arc;

use config::{Decl, Module, ResourceAddr, ResourceMode};
use smol_str::SmolStr;
use syntax::Segment;
use syntax::ast::{Block, Item};
use text::{FileId, TextRange, TextSize};

use crate::{Modules, Object};

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

    /// What stands at a range of the segment.
    pub fn text(&self, range: TextRange) -> &'a str {
        let text = &self.segment.parsed.text;
        text.get(Range::<usize>::from(range)).unwrap_or_default()
    }

    /// A resource, a module call, or another thing that the block alone declares.
    pub fn object(&self) -> Option<Object> {
        let label = |at: usize| Some(self.block.labels.get(at)?.text.clone());
        let mode = match self.block.kind.name.as_str() {
            "resource" => ResourceMode::Managed,
            "data" => ResourceMode::Data,
            "ephemeral" => ResourceMode::Ephemeral,
            "module" => return Some(Object::ModuleCall(label(0)?)),
            "variable" => return Some(Object::Variable(label(0)?)),
            "output" => return Some(Object::Output(label(0)?)),
            _ => return None,
        };
        let addr = ResourceAddr::new(mode, label(0)?, label(1)?);
        Some(Object::Resource(addr))
    }

    pub fn decl(&self) -> Option<&'a Decl> {
        match self.object()? {
            Object::Resource(addr) => Some(&self.module.resources.get(&addr)?.decl),
            Object::ModuleCall(name) => Some(&self.module.module_calls.get(&name)?.decl),
            Object::Variable(name) => Some(&self.module.variables.get(&name)?.decl),
            Object::Output(name) => Some(&self.module.outputs.get(&name)?.decl),
            _ => None,
        }
    }
}

pub(crate) fn size_range(start: usize, end: usize) -> TextRange {
    let size = |offset: usize| TextSize::try_from(offset).unwrap_or_default();
    TextRange::new(size(start), size(end))
}
