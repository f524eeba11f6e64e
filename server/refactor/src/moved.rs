//! `moved` blocks, so that objects follow what is renamed.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::{
    InstanceKey, ModuleAddr, ModuleInstanceAddr, ModuleStep, ModuleTree, Moved,
    ResourceInstanceAddr, ResourceMode, Target,
};
use hcl_edit::Ident;
use hcl_edit::expr::Expression;
use hcl_edit::structure::{Attribute, Block, Body};
use plan::Plan;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use text::{FileId, Span, TextRange, TextSize};

use crate::names::Object;
use crate::{Edits, Modules, Refusal};

/// What a refactoring does to addresses, in every instance of a module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Move {
    /// The folder of the module.
    pub dir: SmolStr,
    /// A resource or a module call.
    pub from: Object,
    pub to: Object,
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
    /// The name of the file for the first one of a module; others go beside those that are there.
    pub file: String,
}

/// Where the state has objects of what is renamed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Stored {
    pub is_at_old_address: bool,
    /// Of a resource, the keys of the objects there, each with the one that it is about to get: another where `count`
    /// came or went, or a `moved` block says so.
    pub keys: BTreeSet<(InstanceKey, InstanceKey)>,
    /// Something of it can't be told.
    pub is_unknown: bool,
}

impl Move {
    /// Where the module stands in a tree.
    pub fn modules(&self, tree: &ModuleTree) -> BTreeSet<ModuleAddr> {
        let all = tree.iter().filter(|(_, module)| module.dir == self.dir);
        all.map(|(addr, _)| addr.clone()).collect()
    }

    /// The address after the move, of an object in one of `modules`.
    pub fn applied(
        &self,
        modules: &BTreeSet<ModuleAddr>,
        addr: &ResourceInstanceAddr,
    ) -> Option<ResourceInstanceAddr> {
        match (&self.from, &self.to) {
            (Object::Resource(from), Object::Resource(to)) => {
                let is_meant = addr.resource == *from && modules.contains(&addr.module.module());
                is_meant.then(|| ResourceInstanceAddr {
                    resource: to.clone(),
                    ..addr.clone()
                })
            }
            (Object::ModuleCall(from), Object::ModuleCall(to)) => {
                self.in_step(modules, addr, |step| {
                    (step.call == *from).then(|| ModuleStep {
                        call: to.clone(),
                        key: step.key.clone(),
                    })
                })
            }
            (Object::ResourceKey(of, from), Object::ResourceKey(_, to)) => {
                let is_meant = addr.resource == *of
                    && addr.key == InstanceKey::String(from.clone())
                    && modules.contains(&addr.module.module());
                is_meant.then(|| ResourceInstanceAddr {
                    key: InstanceKey::String(to.clone()),
                    ..addr.clone()
                })
            }
            (Object::CallKey(call, from), Object::CallKey(_, to)) => {
                self.in_step(modules, addr, |step| {
                    let is_meant =
                        step.call == *call && step.key == InstanceKey::String(from.clone());
                    is_meant.then(|| ModuleStep {
                        call: call.clone(),
                        key: InstanceKey::String(to.clone()),
                    })
                })
            }
            _ => None,
        }
    }

    /// The address with another step on the way to its module: the first that `change` answers for.
    fn in_step(
        &self,
        modules: &BTreeSet<ModuleAddr>,
        addr: &ResourceInstanceAddr,
        change: impl Fn(&ModuleStep) -> Option<ModuleStep>,
    ) -> Option<ResourceInstanceAddr> {
        let steps = addr.module.steps();
        let (at, step) = steps.iter().enumerate().find_map(|(at, step)| {
            let around: ModuleAddr = steps[..at].iter().map(|it| it.call.clone()).collect();
            let changed = change(step).filter(|_| modules.contains(&around))?;
            Some((at, changed))
        })?;
        let mut steps = steps.to_vec();
        steps[at] = step;
        Some(ResourceInstanceAddr {
            module: ModuleInstanceAddr::new(steps),
            ..addr.clone()
        })
    }

    /// Adds what the edits need so that objects follow.
    pub fn write(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        stored: Stored,
        blocks: &MovedBlocks,
    ) -> Result<(), Refusal> {
        let is_stored = match &self.from {
            Object::Resource(addr) | Object::ResourceKey(addr, _) => {
                addr.mode == ResourceMode::Managed
            }
            _ => true,
        };
        let Some(module) = modules.get(&self.dir).filter(|_| is_stored) else {
            return Ok(());
        };
        let is_from_new = |moved: &&Arc<Moved>| means(&moved.from, &self.to);
        if let Some(other) = module
            .moved
            .iter()
            .filter(is_from_new)
            .find(|it| !means(&it.to, &self.from))
        {
            return Err(Refusal::FormerAddress {
                address: address(&self.to),
                now: other.to.to_string(),
                file: other.decl.span.file.name().to_owned(),
            });
        }
        let mut needs_block = match blocks.write {
            WriteMoved::Always => true,
            WriteMoved::WhenInState => stored.is_at_old_address || stored.is_unknown,
            WriteMoved::Never => false,
        };
        for moved in &module.moved {
            let mut set = |span: &Span, object: &Object| {
                if let Some(place) = place(modules, span) {
                    edits.replace(&span.file, place, address(object));
                }
            };
            let is_pending = !stored.is_at_old_address && !stored.is_unknown;
            if is_from_new(&moved) {
                // The way back.
                if needs_block {
                    set(&moved.from_span, &self.from);
                    set(&moved.to_span, &self.to);
                } else {
                    remove(edits, modules, &moved.decl.full_span);
                }
                needs_block = false;
            } else if means(&moved.to, &self.from) && is_pending {
                // No state has made this move yet.
                set(&moved.to_span, &self.to);
                needs_block = false;
            }
        }
        if needs_block {
            let added = self.blocks(edits, modules, module, &stored);
            if !added.is_empty() {
                self.add(&added.join("\n"), edits, modules, module, blocks);
            }
        }
        Ok(())
    }

    /// The blocks to add: one for all, or one for each object if some of them get other keys by the way. Of those, a block
    /// that is there already is made to lead to the new name.
    fn blocks(
        &self,
        edits: &mut Edits,
        modules: &Modules,
        module: &config::Module,
        stored: &Stored,
    ) -> Vec<String> {
        let (from, to) = (address(&self.from), address(&self.to));
        if stored.keys.iter().all(|(was, is)| was == is) {
            return vec![moved_block(&from, &to)];
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
                None => added.push(moved_block(&format!("{from}{was}"), &target)),
            }
        }
        added
    }

    fn add(
        &self,
        block: &str,
        edits: &mut Edits,
        modules: &Modules,
        module: &config::Module,
        blocks: &MovedBlocks,
    ) {
        let is_native = |file: &FileId| !file.name().ends_with(".json");
        let last = module
            .moved
            .iter()
            .rfind(|moved| is_native(&moved.decl.span.file));
        if let Some(last) = last
            && let Some(place) = place(modules, &last.decl.full_span)
        {
            let file = &last.decl.full_span.file;
            let text = with_line_ends_of(modules, file, &format!("\n\n{}", block.trim_end()));
            edits.replace(file, TextRange::empty(place.end()), text);
            return;
        }
        let file = FileId::new(format!("{}/{}", self.dir, blocks.file));
        match modules.file(&file) {
            Some(syntax) => {
                let end = syntax.len();
                let before = syntax.text();
                let gap = match before.as_ref() {
                    text if text.trim().is_empty() => "",
                    text if text.ends_with('\n') => "\n",
                    _ => "\n\n",
                };
                let text = with_line_ends_of(modules, &file, &format!("{gap}{block}"));
                edits.replace(&file, TextRange::empty(end), text);
            }
            None => {
                edits.created.insert(file, block.to_owned());
            }
        }
    }
}

impl Stored {
    /// Looks for objects of what is moved in the plan of a root module.
    pub fn look(&mut self, plan: &Plan, tree: &ModuleTree, moved: &Move) {
        let modules = moved.modules(tree);
        for change in plan.changes() {
            if change.before.is_null() || moved.applied(&modules, &change.addr).is_none() {
                continue;
            }
            let was = change.previous_addr.as_ref().unwrap_or(&change.addr);
            let is_there = match &moved.from {
                Object::Resource(from) => was.resource == *from,
                Object::ResourceKey(of, from) => {
                    was.resource == *of && was.key == InstanceKey::String(from.clone())
                }
                Object::ModuleCall(from) | Object::CallKey(from, _) => {
                    was.module.steps().iter().any(|it| it.call == *from)
                }
                _ => false,
            };
            self.is_at_old_address |= is_there;
            if is_there && matches!(moved.from, Object::Resource(_)) {
                self.keys.insert((was.key.clone(), change.addr.key.clone()));
            }
        }
        for (addr, _) in plan.caveats() {
            let addr = addr.instance(Default::default());
            self.is_unknown |= moved.applied(&modules, &addr).is_some();
        }
    }
}

/// Whether an endpoint of a `moved` block is the whole object.
fn means(target: &Target, object: &Object) -> bool {
    match (target, object) {
        (Target::Resource(addr), Object::Resource(resource)) => {
            addr.module.is_root() && addr.resource == *resource
        }
        (Target::Module(module), Object::ModuleCall(call)) => match module.steps() {
            [step] => step.call == *call && step.key == Default::default(),
            _ => false,
        },
        (Target::Instance(_), Object::ResourceKey(..))
        | (Target::Module(_), Object::CallKey(..)) => target.to_string() == address(object),
        _ => false,
    }
}

fn address(object: &Object) -> String {
    match object {
        Object::Resource(addr) => addr.to_string(),
        Object::ModuleCall(call) => format!("module.{call}"),
        Object::ResourceKey(..) | Object::CallKey(..) => object.described(),
        other => other.name().to_string(),
    }
}

/// A `moved` block as `terraform fmt` would have it, with the end of its last line.
fn moved_block(from: &str, to: &str) -> String {
    let endpoint = |name: &str, address: &str| {
        let address: Option<Expression> = address.parse().ok();
        address.map(|address| Attribute::new(Ident::new(name), address))
    };
    let block = Block::builder(Ident::new("moved"))
        .attributes(endpoint("from", from).into_iter().chain(endpoint("to", to)));
    let text = Body::builder().block(block).build().to_string();
    syntax::format(&text).unwrap_or(text)
}

/// The text as it is written in a file whose lines may end in another way.
fn with_line_ends_of(modules: &Modules, file: &FileId, text: &str) -> String {
    match modules.file(file) {
        Some(syntax) if syntax.text().contains("\r\n") => text.replace('\n', "\r\n"),
        _ => text.to_owned(),
    }
}

fn place(modules: &Modules, span: &Span) -> Option<TextRange> {
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
