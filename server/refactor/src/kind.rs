//! Which refactorings there are, where each is offered, and how one is made.

use config::{Files, ModuleTree};
use plan::Plan;
use serde::{Deserialize, Serialize};
use smol_str::SmolStr;
use text::{FileId, TextRange};

use crate::edits::keep_layout;
use crate::moved::place;
use crate::rename::{broken, refuse_unread, renamable, rename};
use crate::site::Site;
use crate::{
    Edits, Modules, Move, MovedBlocks, MovedObjects, Refusal, chains, declarations, files, imports,
    inline_module, into_module, removed, repetition, requirements,
};

/// The refactorings at a place.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum RefactoringKind {
    /// Another name for the thing at the place.
    Rename(String),
    /// Instances in another way, for a resource or a module call.
    Repeat(Repeat),
    /// A `removed` block in the place of a resource or a module call: its objects stay, and are no longer managed.
    Forget,
    /// Into the module that this call means, or a new one: the resources in the range.
    IntoModule(Option<SmolStr>),
    /// The declarations of a module in the place of its call.
    InlineModule,
    /// A local value instead of a variable that is never set.
    ToLocal,
    /// A variable in the place of a local value that is a constant.
    ToVariable,
    /// A `moved` block and the one that follows as one.
    MergeMoved,
    /// A `moved` block for each instance.
    SplitMoved,
    /// A block into a file of this name.
    ToFile(String),
    /// The blocks of a file by kind and name.
    SortBlocks,
    /// All providers that are used, with versions.
    UpdateRequirements,
    /// A declaration of the target of an `import` block. The plans have to be asked to generate it.
    GenerateImported,
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
    pub kind: RefactoringKind,
    /// As a menu shows it.
    pub title: String,
}

/// A refactoring that is made: edits, and their effect on addresses.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Refactoring {
    pub title: String,
    pub edits: Edits,
    pub moves: Vec<Move>,
}

/// The inputs of refactorings.
#[derive(Clone, Copy)]
pub struct RefactoringContext<'a> {
    pub modules: &'a Modules,
    pub files: &'a dyn Files,
    /// Of the root modules that have the place in one of their modules.
    pub plans: &'a [(&'a ModuleTree, &'a Plan)],
    pub blocks: &'a MovedBlocks,
}

/// The refactorings to offer at a place, by the text alone. Renaming is asked for in another way.
pub fn offers(modules: &Modules, file: &FileId, range: TextRange) -> Vec<Offer> {
    let mut offers = Vec::new();
    if let Some(site) = Site::at(modules, file, range.start()) {
        offers.extend(repetition::offers(&site, range));
        offers.extend(removed::offer(&site, range));
        offers.extend(inline_module::offer(&site, range));
        offers.extend(declarations::offer(&site, range));
        offers.extend(chains::offers(&site, range));
        offers.extend(requirements::offer(&site, range));
        offers.extend(imports::offer(&site));
        offers.extend(files::offers(modules, &site, range));
    }
    offers.extend(into_module::offers(modules, file, range));
    offers
}

/// Makes a refactoring, with the `moved` blocks that it needs.
pub fn refactor(
    scene: &RefactoringContext<'_>,
    file: &FileId,
    range: TextRange,
    kind: &RefactoringKind,
) -> Result<Refactoring, Refusal> {
    let modules = scene.modules;
    // A rename looks at the name alone.
    let needs_all = !matches!(kind, RefactoringKind::Rename(_));
    if let Some(dir) = modules.dir_of(file).filter(|_| needs_all) {
        refuse_unread(modules, dir)?;
        if let Some(file) = broken(modules, dir) {
            return Err(Refusal::Broken(file.name().to_owned()));
        }
    }
    let site = || Site::at(modules, file, range.start()).ok_or(Refusal::NoName);
    let mut refactoring = match kind {
        RefactoringKind::Rename(new_name) => {
            let name = renamable(modules, scene.files, file, range.start())?;
            rename(modules, scene.files, &name.symbol, new_name)?
        }
        RefactoringKind::Repeat(repeat) => repetition::repeat(scene, &site()?, *repeat)?,
        RefactoringKind::Forget => removed::forget(&site()?)?,
        RefactoringKind::IntoModule(call) => {
            into_module::into_module(scene, file, range, call.as_ref())?
        }
        RefactoringKind::InlineModule => inline_module::inline(scene, &site()?)?,
        RefactoringKind::ToLocal => declarations::to_local(scene, &site()?)?,
        RefactoringKind::ToVariable => declarations::to_variable(scene, &site()?, range)?,
        RefactoringKind::MergeMoved => chains::merge(scene, &site()?)?,
        RefactoringKind::SplitMoved => chains::split(scene, &site()?)?,
        RefactoringKind::ToFile(name) => files::to_file(scene, &site()?, name)?,
        RefactoringKind::SortBlocks => files::sort(scene, &site()?)?,
        RefactoringKind::GenerateImported => imports::generate(scene, &site()?)?,
        RefactoringKind::UpdateRequirements => requirements::update(scene, &site()?)?,
    };
    if !matches!(kind, RefactoringKind::Rename(_)) {
        refactoring.follow_imports(scene);
    }
    let mut edited = refactoring.edits.files.keys();
    if let Some(file) = edited.find(|file| file.path().contains("/.terraform/modules/")) {
        return Err(Refusal::Installed(file.name().to_owned()));
    }
    keep_layout(&mut refactoring.edits, modules);
    let stored = |moved: &Move| MovedObjects::of(moved, scene.plans.iter().copied());
    refactoring.write_moved(modules, stored, scene.blocks)?;
    Ok(refactoring)
}

impl Refactoring {
    /// An import to an address that changes goes to the new one.
    fn follow_imports(&mut self, scene: &RefactoringContext<'_>) {
        for (tree, _) in scene.plans {
            for import in &tree.root().imports {
                let Some(instance) = import.target.instance() else {
                    continue;
                };
                let new = self.renamed(tree, &instance);
                let place = place(scene.modules, &import.to_span);
                if let Some(place) = place.filter(|_| new != instance) {
                    let file = &import.to_span.file;
                    self.edits.replace(file, place, new.to_string());
                }
            }
        }
    }
}
