//! Which refactorings there are, where each is offered, and how one is made.

use config::{Files, ModuleTree};
use plan::Plan;
use serde::{Deserialize, Serialize};
use text::{FileId, TextRange};

use crate::rename::{broken, renamable, rename};
use crate::site::Site;
use crate::{Edits, Modules, Move, MovedBlocks, Refusal, Stored, removed, repetition};

/// What a person can ask for at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Kind {
    /// Another name for what is named there.
    Rename(String),
    /// Instances in another way, for a resource or a module call.
    Repeat(Repeat),
    /// A `removed` block in the place of a resource or a module call: its objects stay, and are no longer managed.
    Forget,
}

/// How many instances there are to be, and by which keys.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Repeat {
    Single,
    Count,
    ForEach,
}

/// A refactoring that can be asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Offer {
    pub kind: Kind,
    /// As a menu shows it.
    pub title: String,
}

/// A refactoring that is made: edits, and what they do to addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refactoring {
    pub title: String,
    pub edits: Edits,
    pub moves: Vec<Move>,
}

/// What refactorings are made from.
#[derive(Clone, Copy)]
pub struct Scene<'a> {
    pub modules: &'a Modules,
    pub files: &'a dyn Files,
    /// Of the root modules that have the place in one of their modules.
    pub plans: &'a [(&'a ModuleTree, &'a Plan)],
    pub blocks: &'a MovedBlocks,
}

/// What can be asked for at a place, as far as the text tells. Renaming is asked for in another way.
pub fn offers(modules: &Modules, file: &FileId, range: TextRange) -> Vec<Offer> {
    let Some(site) = Site::at(modules, file, range.start()) else {
        return Vec::new();
    };
    let mut offers = repetition::offers(&site, range);
    offers.extend(removed::offer(&site, range));
    offers
}

/// Makes a refactoring, with the `moved` blocks that it needs.
pub fn refactor(
    scene: &Scene<'_>,
    file: &FileId,
    range: TextRange,
    kind: &Kind,
) -> Result<Refactoring, Refusal> {
    let modules = scene.modules;
    let site = || {
        let site = Site::at(modules, file, range.start()).ok_or(Refusal::NoName)?;
        match broken(modules, site.dir) {
            Some(file) => Err(Refusal::Broken(file.name().to_owned())),
            None => Ok(site),
        }
    };
    let mut refactoring = match kind {
        Kind::Rename(new_name) => {
            let name = renamable(modules, scene.files, file, range.start())?;
            rename(modules, scene.files, &name.symbol, new_name)?
        }
        Kind::Repeat(repeat) => repetition::repeat(scene, &site()?, *repeat)?,
        Kind::Forget => removed::forget(&site()?)?,
    };
    let mut edited = refactoring.edits.files.keys();
    if let Some(file) = edited.find(|file| file.path().contains("/.terraform/modules/")) {
        return Err(Refusal::Installed(file.name().to_owned()));
    }
    refactoring.edits.keep_layout(modules);
    let stored = |moved: &Move| Stored::of(moved, scene.plans.iter().copied());
    refactoring.write_moved(modules, stored, scene.blocks)?;
    Ok(refactoring)
}
