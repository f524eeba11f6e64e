//! `moved` blocks that follow each other as one, and one for all instances as one for each.

use std::sync::Arc;

use config::{InstanceKey, ModuleInstanceAddr, Moved, Target};
use text::TextRange;

use crate::kind::{Offer, Refactoring, RefactoringContext};
use crate::moved::{moved_block, place};
use crate::repetition::{instances, of_call, of_resource};
use crate::site::Site;
use crate::{Edits, RefactoringKind, Refusal};

pub(crate) fn offers(site: &Site<'_>, range: TextRange) -> Vec<Offer> {
    let is_here = site
        .absolute(site.block.header_range)
        .intersect(range)
        .is_some();
    let Some(moved) = declared(site).filter(|_| is_here) else {
        return Vec::new();
    };
    let merge = next(site, moved).map(|next| Offer {
        kind: RefactoringKind::MergeMoved,
        title: merge_title(moved, next),
    });
    let split = is_whole(moved).then(|| Offer {
        kind: RefactoringKind::SplitMoved,
        title: SPLIT.to_owned(),
    });
    merge.into_iter().chain(split).collect()
}

const SPLIT: &str = "Split into a moved block for each instance";

fn merge_title(moved: &Moved, next: &Moved) -> String {
    format!(
        "Merge with the move to {}, without {} between",
        next.to, moved.to
    )
}

fn declared<'a>(site: &Site<'a>) -> Option<&'a Arc<Moved>> {
    let is_it = |moved: &&Arc<Moved>| {
        let span = &moved.decl.full_span;
        span.file == *site.file && site.syntax.resolve(span) == Some(site.range())
    };
    site.module.moved.iter().find(is_it)
}

/// The move that goes on where this one ends.
fn next<'a>(site: &Site<'a>, moved: &Moved) -> Option<&'a Arc<Moved>> {
    site.module.moved.iter().find(|it| it.from == moved.to)
}

/// Whether both ends mean all instances.
fn is_whole(moved: &Moved) -> bool {
    let is_whole = |target: &Target| match target {
        Target::Module(addr) => {
            let last = addr.steps().last();
            last.is_some_and(|step| step.key == InstanceKey::None)
        }
        Target::Resource(_) => true,
        Target::Instance(_) => false,
    };
    is_whole(&moved.from) && is_whole(&moved.to)
}

/// Leads to where the next one leads, and takes that away.
pub(crate) fn merge(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let moved = declared(site).ok_or(Refusal::NoName)?;
    let next = next(site, moved).ok_or(Refusal::NoName)?;
    let mut edits = Edits::default();
    let to = place(scene.modules, &moved.to_span).ok_or(Refusal::NoName)?;
    edits.replace(site.file, to, next.to.to_string());
    let file = &next.decl.full_span.file;
    let place = place(scene.modules, &next.decl.full_span).ok_or(Refusal::NoName)?;
    let next_site = Site::at(scene.modules, file, place.start()).ok_or(Refusal::NoName)?;
    edits.replace(file, next_site.paragraph(), "");
    Ok(Refactoring {
        title: merge_title(moved, next),
        edits,
        moves: Vec::new(),
    })
}

/// One block for each instance that the configuration has at the end of the move.
pub(crate) fn split(
    scene: &RefactoringContext<'_>,
    site: &Site<'_>,
) -> Result<Refactoring, Refusal> {
    let moved = declared(site)
        .filter(|it| is_whole(it))
        .ok_or(Refusal::NoName)?;
    let unknown = || Refusal::UnknownInstances(moved.to.to_string());
    let mut keys: Vec<InstanceKey> = Vec::new();
    for (around, plan) in instances(scene, site) {
        let found = match &moved.to {
            Target::Module(to) => {
                let (last, callers) = to.steps().split_last().ok_or_else(unknown)?;
                of_call(plan, &within(&around, callers), &last.call)
            }
            Target::Resource(to) => {
                let module = within(&around, to.module.steps());
                of_resource(plan, &module, &to.resource)
            }
            Target::Instance(_) => None,
        };
        keys.extend(found.unwrap_or_default());
    }
    keys.sort();
    keys.dedup();
    keys.retain(|key| *key != InstanceKey::None);
    if keys.is_empty() {
        return Err(unknown());
    }
    let blocks = keys.iter().map(|key| {
        let [from, to] = [&moved.from, &moved.to].map(|end| format!("{end}{key}"));
        moved_block(from, to)
    });
    let blocks: Vec<String> = blocks.collect();
    let mut edits = Edits::default();
    edits.replace(site.file, site.range(), blocks.join("\n").trim_end());
    Ok(Refactoring {
        title: SPLIT.to_owned(),
        edits,
        moves: Vec::new(),
    })
}

fn within(around: &ModuleInstanceAddr, steps: &[config::ModuleStep]) -> ModuleInstanceAddr {
    let steps = around.steps().iter().chain(steps);
    ModuleInstanceAddr::new(steps.cloned())
}
