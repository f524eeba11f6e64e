//! `moved` blocks, so that objects follow their declarations.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Display;
use std::sync::Arc;

use config::{
    Decl, InstanceKey, Module, ModuleAddr, ModuleStep, ModuleTree, MoveEndpoint, Moved,
    ResourceInstanceAddr, ResourceMode, Target,
};
use plan::Plan;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use text::{FileId, Span, TextRange, TextSize};

use crate::blocks::block;
use crate::edits::{append, with_line_ends_of};
use crate::site::Site;
use crate::{Edit, Edits, Modules, Refactoring, Refusal};

/// The effect of a refactoring on addresses, in every instance of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The folder of the module.
    pub dir: SmolStr,
    /// As the ends of a `moved` block in that module would have it.
    pub from: Target,
    pub to: Target,
}

/// When a `moved` block is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum WriteMoved {
    Always,
    /// When the state has an object at the old address, or can't be read.
    WhenInState,
    Never,
}

/// How `moved` blocks are written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MovedBlocks {
    pub write: WriteMoved,
    /// The name of their file. A name that no configuration file can have counts as none: then they go to
    /// [`MovedBlocks::FILE`] where a module has that, and else below the block that moves.
    pub file: String,
}

impl MovedBlocks {
    pub const FILE: &str = "moved.tf";

    /// Whether it is the name of a configuration file, not a path to somewhere else.
    pub fn is_file_name(name: &str) -> bool {
        let is_outside = |c: char| matches!(c, '/' | '\\' | ':') || c.is_control();
        let stem = name.strip_suffix(".tf").or(name.strip_suffix(".tofu"));
        stem.is_some_and(|stem| {
            !stem.is_empty() && !stem.starts_with('.') && !stem.contains(is_outside)
        })
    }

    /// The file for those of the module in a folder, where it has one.
    fn file(&self, modules: &Modules, dir: &SmolStr) -> Option<FileId> {
        let file = |name: &str| FileId::new(format!("{dir}/{name}"));
        if MovedBlocks::is_file_name(&self.file) {
            return Some(file(&self.file));
        }
        let usual = [MovedBlocks::FILE, "moved.tofu"].map(file);
        usual.into_iter().find(|it| modules.file(it).is_some())
    }
}

/// Where the state has objects of the moved block.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MovedObjects {
    pub is_at_old_address: bool,
    /// An object that the state has elsewhere is about to come to the old address.
    pub is_coming: bool,
    /// The key of such an object that is of the same resource, and comes because `count` came or went.
    pub coming_from: Option<InstanceKey>,
    /// Of a resource, the keys of the objects there, each with the one that it is about to get: another where `count`
    /// came or went, or a `moved` block says so.
    pub keys: BTreeSet<(InstanceKey, InstanceKey)>,
    /// A part of it is unknown.
    pub is_unknown: bool,
}

impl Move {
    /// Where the module stands in a tree.
    pub fn modules(&self, tree: &ModuleTree) -> BTreeSet<ModuleAddr> {
        let all = tree.iter().filter(|(_, module)| module.dir == self.dir);
        all.map(|(addr, _)| addr.clone()).collect()
    }

    /// The address after the move, of an object in or below one of `modules`.
    pub fn applied(
        &self,
        modules: &BTreeSet<ModuleAddr>,
        addr: &ResourceInstanceAddr,
    ) -> Option<ResourceInstanceAddr> {
        modules.iter().find_map(|module| {
            let (from, to) = MoveEndpoint::unify(module, &self.from, &self.to)?;
            from.instance_destination(&to, addr)
        })
    }

    /// Edits `moved` blocks so that objects follow. Answers the blocks to add.
    fn write(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        stored: &MovedObjects,
        blocks: &MovedBlocks,
    ) -> Result<Vec<String>, Refusal> {
        let is_stored = match &self.from {
            Target::Resource(addr) => addr.resource.mode == ResourceMode::Managed,
            Target::Instance(addr) => addr.resource.mode == ResourceMode::Managed,
            Target::Module(_) => true,
        };
        let Some(module) = modules.get(&self.dir).filter(|_| is_stored) else {
            return Ok(Vec::new());
        };
        let is_from_new = |moved: &&Arc<Moved>| moved.from == self.to;
        if let Some(other) = module
            .moved
            .iter()
            .filter(is_from_new)
            .find(|it| it.to != self.from)
        {
            return Err(Refusal::FormerAddress {
                address: self.to.to_string(),
                now: other.to.to_string(),
                file: other.decl.span.file.name().to_owned(),
            });
        }
        let is_there = match blocks.write {
            WriteMoved::Always => true,
            WriteMoved::WhenInState => stored.is_at_old_address || stored.is_unknown,
            WriteMoved::Never => false,
        };
        let is_pending = !stored.is_at_old_address && !stored.is_unknown;
        let mut needs_block = is_there || stored.is_coming && blocks.write != WriteMoved::Never;
        for moved in &module.moved {
            let mut set = |span: &Span, target: &Target| {
                if let Some(place) = place(modules, span) {
                    edits.replace(&span.file, place, target.to_string());
                }
            };
            if is_from_new(&moved) {
                // The way back.
                if is_there {
                    set(&moved.from_span, &self.from);
                    set(&moved.to_span, &self.to);
                } else {
                    remove(edits, modules, &moved.decl.full_span);
                }
                needs_block = false;
            } else if moved.to == self.from && is_pending {
                // No state has made this move yet.
                set(&moved.to_span, &self.to);
                needs_block = false;
            }
        }
        Ok(match needs_block {
            true => self.blocks(edits, modules, module, stored),
            false => Vec::new(),
        })
    }

    /// The blocks to add: one for all, or one for each object if some of them get other keys by the way. Of those, a block
    /// that is there already is made to lead to the new name.
    fn blocks(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        module: &config::Module,
        stored: &MovedObjects,
    ) -> Vec<String> {
        let (from, to) = (&self.from, &self.to);
        if let (Target::Instance(from), Some(key), false) =
            (from, &stored.coming_from, stored.is_at_old_address)
        {
            let from = from.resource().instance(key.clone());
            return vec![moved_block(from, to)];
        }
        if stored.keys.iter().all(|(was, is)| was == is) {
            return vec![moved_block(from, to)];
        }
        let mut added = Vec::new();
        for (was, is) in &stored.keys {
            let target = format!("{to}{is}");
            let is_said = |moved: &&Arc<Moved>| {
                moved.from.to_string() == format!("{from}{was}")
                    && moved.to.to_string() == format!("{from}{is}")
            };
            let said = module.moved.iter().find(is_said);
            match said.and_then(|said| Some((said, place(modules, &said.to_span)?))) {
                Some((said, place)) => edits.replace(&said.to_span.file, place, target),
                None => added.push(moved_block(format!("{from}{was}"), target)),
            }
        }
        added
    }
}

impl Refactoring {
    /// Adds the `moved` blocks that the edits need so that objects follow.
    pub fn write_moved(
        &mut self,
        modules: &Modules,
        stored: impl Fn(&Move) -> MovedObjects,
        blocks: &MovedBlocks,
    ) -> Result<(), Refusal> {
        let mut added: BTreeMap<&SmolStr, Vec<String>> = BTreeMap::new();
        for moved in &self.moves {
            let new = moved.write(&mut self.edits, modules, &stored(moved), blocks)?;
            added.entry(&moved.dir).or_default().extend(new);
        }
        for (dir, added) in added {
            if added.is_empty() {
                continue;
            }
            let text = added.join("\n");
            match (blocks.file(modules, dir), self.below(modules, dir)) {
                (None, Some((file, offset))) => {
                    insert(&mut self.edits, modules, &file, offset, &text);
                }
                (file, _) => {
                    let usual = || FileId::new(format!("{dir}/{}", MovedBlocks::FILE));
                    append(&mut self.edits, modules, &file.unwrap_or_else(usual), &text);
                }
            }
        }
        Ok(())
    }

    /// The place below a block that moves in a module, and below the `moved` blocks that follow it. In JSON syntax
    /// there is no such place.
    fn below(&self, modules: &Modules, dir: &SmolStr) -> Option<(FileId, TextSize)> {
        let module = modules.get(dir)?;
        let moves = self.moves.iter().filter(|moved| moved.dir == *dir);
        let mut ends = moves.flat_map(|moved| [&moved.from, &moved.to]);
        ends.find_map(|end| {
            let span = &declaration(module, end)?.full_span;
            let block = place(modules, span)?;
            let edits = self.edits.files.get(&span.file);
            let is_removal = |it: &Edit| it.text.is_empty() && it.range.contains_range(block);
            if edits.into_iter().flatten().any(is_removal) {
                return None;
            }
            let sites = Site::all(modules, &span.file);
            let at = sites.iter().position(|site| site.range() == block)?;
            let next = sites[at + 1..].iter();
            let moved = next.take_while(|site| site.block.kind.name == "moved");
            let last = moved.last().unwrap_or(&sites[at]);
            Some((span.file.clone(), last.with_comments().end()))
        })
    }
}

/// The declaration that an address means in a module: of a resource, or of the call of a module that holds it.
fn declaration<'a>(module: &'a Module, target: &Target) -> Option<&'a Decl> {
    let (around, resource) = match target {
        Target::Module(addr) => (addr, None),
        Target::Resource(addr) => (&addr.module, Some(&addr.resource)),
        Target::Instance(addr) => (&addr.module, Some(&addr.resource)),
    };
    Some(match around.steps().first() {
        Some(step) => &module.module_calls.get(&step.call)?.decl,
        None => &module.resources.get(resource?)?.decl,
    })
}

/// Inserts blocks at the start of a line.
fn insert(edits: &mut Edits, modules: &Modules, file: &FileId, offset: TextSize, blocks: &str) {
    let Some(syntax) = modules.file(file) else {
        return;
    };
    let text = syntax.text();
    let (before, after) = text.split_at(offset.into());
    let above = if before.ends_with('\n') { "\n" } else { "\n\n" };
    let is_separate = after.trim_start_matches('\r').starts_with('\n') || after.is_empty();
    let below = if is_separate { "" } else { "\n" };
    let text = with_line_ends_of(modules, file, &format!("{above}{blocks}{below}"));
    edits.replace(file, TextRange::empty(offset), text);
}

impl MovedObjects {
    /// Where the plans' states have objects of the moved block.
    pub fn of<'a>(
        moved: &Move,
        plans: impl IntoIterator<Item = (&'a ModuleTree, &'a Plan)>,
    ) -> MovedObjects {
        let mut stored = MovedObjects::default();
        for (tree, plan) in plans {
            stored.look(plan, tree, moved);
        }
        stored
    }

    fn look(&mut self, plan: &Plan, tree: &ModuleTree, moved: &Move) {
        let modules = moved.modules(tree);
        for change in plan.changes() {
            if change.before.is_null() || moved.applied(&modules, &change.addr).is_none() {
                continue;
            }
            let was = change.previous_addr.as_deref().unwrap_or(&change.addr);
            let is_there = match &moved.from {
                Target::Resource(from) => was.resource == from.resource,
                Target::Instance(from) => was.resource == from.resource && was.key == from.key,
                Target::Module(from) => from
                    .steps()
                    .last()
                    .is_some_and(|from| was.module.steps().iter().any(|it| is_step(from, it))),
            };
            self.is_at_old_address |= is_there;
            self.is_coming |= !is_there;
            if let Target::Instance(from) = &moved.from
                && !is_there
                && (&was.module, &was.resource) == (&change.addr.module, &from.resource)
            {
                self.coming_from = Some(was.key.clone());
            }
            let is_whole = matches!(
                (&moved.from, &moved.to),
                (Target::Resource(_), Target::Resource(_))
            );
            if is_there && is_whole {
                self.keys.insert((was.key.clone(), change.addr.key.clone()));
            }
        }
        for (addr, _) in plan.caveats() {
            let addr = addr.instance(Default::default());
            self.is_unknown |= moved.applied(&modules, &addr).is_some();
        }
    }
}

/// Whether a step is the one that an end of a move names; without a key that means all.
fn is_step(from: &ModuleStep, step: &ModuleStep) -> bool {
    from.call == step.call && (from.key == InstanceKey::None || from.key == step.key)
}

/// From the text of two addresses.
pub(crate) fn moved_block(from: impl Display, to: impl Display) -> String {
    let (from, to) = (from.to_string(), to.to_string());
    block("moved", &[], &[("from", &from), ("to", &to)])
}

pub(crate) fn place(modules: &Modules, span: &Span) -> Option<TextRange> {
    modules.file(&span.file)?.resolve(span)
}

/// Removes a block with its lines, and an empty line above.
fn remove(edits: &mut Edits, modules: &Modules, span: &Span) {
    let (Some(syntax), Some(range)) = (modules.file(&span.file), place(modules, span)) else {
        return;
    };
    let text = syntax.text();
    let (before, after) = (&text[..range.start().into()], &text[range.end().into()..]);
    let line = match after.find('\n') {
        Some(end) if after[..end].trim().is_empty() => end + 1,
        _ => 0,
    };
    let above = before.trim_end_matches([' ', '\t']);
    let blank = ["\n\r\n", "\n\n"]
        .into_iter()
        .find(|blank| above.ends_with(blank));
    let start = range.start()
        - TextSize::of(&before[above.len()..])
        - blank.map_or(TextSize::new(0), |blank| TextSize::of(&blank[1..]));
    let end = range.end() + TextSize::of(&after[..line]);
    edits.replace(&span.file, TextRange::new(start, end), "");
}
