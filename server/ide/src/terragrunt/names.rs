//! Names in a file of Terragrunt: local values and labelled blocks, which are declared in the same file, and those that
//! lead into another file.

use std::path::PathBuf;

use config::Files;
use smol_str::SmolStr;
use syntax::ast::{Attribute, Block, Body, Expr, ExprKind, Item, StepKind, Traversal};
use syntax::walk::{Visitor, walk_items};
use text::{FileId, TextRange, TextSize};

use super::{Paths, inputs};
use crate::links::LinkTarget;
use crate::{Definition, Highlight, Location, Snapshot};

/// Blocks that expressions name by their label.
const LABELLED: [&str; 5] = ["dependency", "feature", "include", "stack", "unit"];

/// `local.region`, `dependency.vpc`.
pub(super) type Name = (SmolStr, SmolStr);

/// A place where a name stands.
struct Occurrence {
    name: Name,
    range: TextRange,
    /// The whole declaration, where it is one.
    declaration: Option<TextRange>,
    /// The attributes behind it.
    behind: Vec<(SmolStr, TextRange)>,
}

impl Snapshot {
    /// The declaration of the name at `offset`, or the file that the path there leads to.
    pub(crate) fn terragrunt_definition(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Definition> {
        let names = self.terragrunt_names(file);
        let Some(at) = names.iter().find(|it| it.covers(offset)) else {
            return self
                .terragrunt_input(file, offset, files)
                .or_else(|| self.terragrunt_path(file, offset, files));
        };
        if let [(outputs, _), (name, range), ..] = &at.behind[..]
            && at.name.0 == "dependency"
            && outputs == "outputs"
            && range.contains_inclusive(offset)
        {
            return self.dependency_output(file, at, (name, *range), files);
        }
        let behind = at.behind.iter().map(|(name, _)| name.as_str());
        if let ["locals", name] = behind.collect::<Vec<_>>()[..]
            && at.name.0 == "include"
            && at.behind[1].1.contains_inclusive(offset)
        {
            return self.included_local(file, at, name, files);
        }
        let declared = names
            .iter()
            .find(|it| it.declaration.is_some() && it.name == at.name)?;
        let place = |range| Location {
            file: file.clone(),
            range,
        };
        Some(Definition {
            origin: at.range,
            target: place(declared.range),
            full: place(declared.declaration?),
        })
    }

    /// The places of the name at `offset`, in the order of the file.
    pub(crate) fn terragrunt_highlights(&self, file: &FileId, offset: TextSize) -> Vec<Highlight> {
        let names = self.terragrunt_names(file);
        let Some(at) = names.iter().find(|it| it.covers(offset)) else {
            return Vec::new();
        };
        let same = names.iter().filter(|it| it.name == at.name);
        let mut found: Vec<Highlight> = same
            .map(|it| Highlight {
                range: it.range,
                is_write: it.declaration.is_some(),
            })
            .collect();
        found.sort_by_key(|it| it.range.start());
        found
    }

    fn terragrunt_names(&self, file: &FileId) -> Vec<Occurrence> {
        let syntax = self.hcl_file(file).map(|source| source.syntax());
        syntax.map(names_of).unwrap_or_default()
    }

    /// `include.root.locals.region` is declared in the file that is included.
    fn included_local(
        &self,
        file: &FileId,
        at: &Occurrence,
        name: &str,
        files: &dyn Files,
    ) -> Option<Definition> {
        let source = self.hcl_file(file)?;
        let paths = Paths::of(file, files)?;
        let block = labelled(source.syntax(), &at.name)?;
        let path = block.body.attribute("path")?;
        let LinkTarget::File(included) = paths.included(&path.expr)?.target else {
            return None;
        };
        let names = names_of(&self.syntax_of(&included, files)?);
        let wanted = |it: &&Occurrence| it.name.0 == "local" && it.name.1 == name;
        let declared = names
            .iter()
            .filter(wanted)
            .find(|it| it.declaration.is_some())?;
        let place = |range| Location {
            file: included.clone(),
            range,
        };
        Some(Definition {
            origin: at.behind[1].1,
            target: place(declared.range),
            full: place(declared.declaration?),
        })
    }

    /// `dependency.vpc.outputs.id` is an output of the module that the dependency's unit uses.
    fn dependency_output(
        &self,
        file: &FileId,
        at: &Occurrence,
        (name, origin): (&str, TextRange),
        files: &dyn Files,
    ) -> Option<Definition> {
        let outputs = self.dependency_outputs(file, &at.name, files);
        let (_, target, full) = outputs.into_iter().find(|(output, ..)| output == name)?;
        Some(Definition {
            origin,
            target,
            full,
        })
    }

    /// The outputs that a `dependency` block offers, with the places of their names and of their blocks.
    pub(super) fn dependency_outputs(
        &self,
        file: &FileId,
        dependency: &Name,
        files: &dyn Files,
    ) -> Vec<(SmolStr, Location, Location)> {
        let mut found = Vec::new();
        let Some(dir) = self.dependency_module(file, dependency, files) else {
            return found;
        };
        let names = dir.to_str().and_then(|dir| files.list(dir).ok());
        let mut names = names.unwrap_or_default();
        names.retain(|name| name.ends_with(".tf") || name.ends_with(".tofu"));
        names.sort();
        let path = |name: String| dir.join(name).to_str().map(FileId::new);
        for file in names.into_iter().filter_map(path) {
            let Some(syntax) = self.syntax_of(&file, files) else {
                continue;
            };
            for (offset, block) in blocks(&syntax).filter(|(_, it)| it.kind.name == "output") {
                let place = |range: TextRange| Location {
                    file: file.clone(),
                    range: range + offset,
                };
                if let [label] = &block.labels[..] {
                    let places = (place(label.range), place(block.range));
                    found.push((label.text.clone(), places.0, places.1));
                }
            }
        }
        found
    }

    /// The folder of the module that the unit of a dependency uses.
    fn dependency_module(
        &self,
        file: &FileId,
        dependency: &Name,
        files: &dyn Files,
    ) -> Option<PathBuf> {
        let source = self.hcl_file(file)?;
        let block = labelled(source.syntax(), dependency)?;
        let path = &block.body.attribute("config_path")?.expr;
        let LinkTarget::File(unit) = Paths::of(file, files)?.unit(path)?.target else {
            return None;
        };
        let syntax = self.syntax_of(&unit, files)?;
        let paths = Paths::of(&unit, files)?;
        Some(self.used_module(&syntax, &paths)?.dir)
    }

    /// A file as it is open, else as it is on disk.
    pub(super) fn syntax_of(&self, file: &FileId, files: &dyn Files) -> Option<syntax::File> {
        let open = self.hcl_file(file).map(|it| it.syntax().clone());
        open.or_else(|| files.parse(file.path()).ok())
    }

    /// An input is a variable of the module that the file uses.
    fn terragrunt_input(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Definition> {
        let source = self.hcl_file(file)?;
        let paths = Paths::of(file, files)?;
        let mut named = inputs(source.syntax());
        let (name, origin) = named.find(|(_, range)| range.contains_inclusive(offset))?;
        let dir = self.used_module(source.syntax(), &paths)?.dir;
        let module = &self.known_modules().get(&dir)?.module;
        let decl = &module.variables.get(&name)?.decl;
        let place = |span: &text::Span| {
            Some(Location {
                file: span.file.clone(),
                range: module.files.get(&span.file)?.resolve(span)?,
            })
        };
        Some(Definition {
            origin,
            target: place(&decl.span)?,
            full: place(&decl.full_span)?,
        })
    }

    fn terragrunt_path(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Definition> {
        let links = self.terragrunt_links(file, files).into_iter();
        let mut at = links.filter(|link| link.range.contains_inclusive(offset));
        let link = at.next()?;
        let LinkTarget::File(target) = link.target else {
            return None;
        };
        let start = Location {
            file: target,
            range: TextRange::default(),
        };
        Some(Definition {
            origin: link.range,
            target: start.clone(),
            full: start,
        })
    }
}

impl Occurrence {
    fn covers(&self, offset: TextSize) -> bool {
        let behind = self.behind.iter().map(|(_, range)| *range);
        let mut ranges = std::iter::once(self.range).chain(behind);
        ranges.any(|range| range.contains_inclusive(offset))
    }
}

/// The top-level blocks of a file, with the offsets that their ranges are relative to.
pub(super) fn blocks(syntax: &syntax::File) -> impl Iterator<Item = (TextSize, &Block)> {
    syntax.segments().flat_map(|segment| {
        let blocks = segment.parsed.items.iter().filter_map(|item| match item {
            Item::Block(block) => Some(&**block),
            Item::Attribute(_) | Item::Member(_) => None,
        });
        blocks.map(move |block| (segment.offset, block))
    })
}

/// The block that expressions name so.
fn labelled<'a>(syntax: &'a syntax::File, (kind, label): &Name) -> Option<&'a Block> {
    let mut blocks = blocks(syntax).map(|(_, block)| block);
    blocks.find(|it| it.kind.name == *kind && it.labels.first().is_some_and(|it| it.text == *label))
}

fn names_of(syntax: &syntax::File) -> Vec<Occurrence> {
    let mut found = Vec::new();
    for segment in syntax.segments() {
        let mut names = Names::default();
        for item in &segment.parsed.items {
            if let Item::Block(block) = item {
                names.declared(block);
            }
        }
        walk_items(&segment.parsed.items, &mut names);
        for mut name in names.0 {
            name.range += segment.offset;
            name.declaration = name.declaration.map(|it| it + segment.offset);
            for (_, range) in &mut name.behind {
                *range += segment.offset;
            }
            found.push(name);
        }
    }
    found
}

#[derive(Default)]
struct Names(Vec<Occurrence>);

impl Names {
    fn declared(&mut self, block: &Block) {
        let Body { attributes, .. } = &block.body;
        if block.kind.name == "locals" {
            let of_local = |it: &std::sync::Arc<Attribute>| Occurrence {
                name: ("local".into(), it.name.name.clone()),
                range: it.name.range,
                declaration: Some(it.range),
                behind: Vec::new(),
            };
            self.0.extend(attributes.iter().map(of_local));
        }
        if LABELLED.contains(&block.kind.name.as_str())
            && let [label] = &block.labels[..]
        {
            self.0.push(Occurrence {
                name: (block.kind.name.clone(), label.text.clone()),
                range: label.range,
                declaration: Some(block.range),
                behind: Vec::new(),
            });
        }
    }

    fn used(&mut self, traversal: &Traversal) {
        let kind = &traversal.root.name;
        if kind != "local" && !LABELLED.contains(&kind.as_str()) {
            return;
        }
        let attributes = traversal.steps.iter().map_while(|step| match &step.kind {
            StepKind::Attr(name) => Some((name.name.clone(), name.range)),
            StepKind::Index(_) | StepKind::LegacyIndex(_) => None,
        });
        let mut attributes: Vec<_> = attributes.collect();
        if attributes.is_empty() {
            return;
        }
        let (name, range) = attributes.remove(0);
        self.0.push(Occurrence {
            name: (kind.clone(), name),
            range: traversal.root.range.cover(range),
            declaration: None,
            behind: attributes,
        });
    }
}

impl Visitor for Names {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Traversal(traversal) = &expr.kind {
            self.used(traversal);
        }
    }
}
