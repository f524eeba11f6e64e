//! Mends useless `moved` blocks: takes them away, or declares the moved object at their target.

use config::{Moved, ResourceMode, Target};
use refactor::{Edit, Edits, Modules, NameRole, SymbolObject};
use smol_str::SmolStr;
use text::{Fault, MovedFault};

use super::Action;
use super::context::ActionContext;
use crate::{Location, Shown};

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let Fault::Moved(fault) = shown.diagnostic.fault else {
        return Vec::new();
    };
    let removal = remove(place, shown);
    match fault {
        MovedFault::StillDeclared => rename(place, shown).into_iter().chain(removal).collect(),
        MovedFault::Redundant | MovedFault::Idle => {
            removal.map(Action::preferred).into_iter().collect()
        }
    }
}

fn remove(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let around = place.around(shown.range.start())?;
    let block = around.top()?.range + around.offset;
    let edits = vec![Edit::delete(place.paragraph(block))];
    let is_native = !place.file.name().ends_with(".json");
    is_native.then(|| place.fix("Remove the moved block", shown, edits))
}

/// The other name for the moved object, in its block and wherever it is used.
fn rename(place: &ActionContext<'_>, shown: &Shown) -> Option<Action> {
    let module = &place.known.module;
    let is_here = |moved: &&std::sync::Arc<Moved>| {
        let at = place.snapshot.place(&moved.decl.full_span, module);
        at.is_some_and(|Location { file, range }| {
            file == *place.file && range.contains_range(shown.range)
        })
    };
    let moved = module.moved.iter().find(is_here)?;
    let (from, to) = (object(&moved.from)?, object(&moved.to)?);
    if from.renamed(to.name()) != to {
        return None;
    }
    let dir: SmolStr = place.dir().to_str()?.into();
    let names = refactor::names(&Modules::of_one(&dir, module.clone()), &dir);
    let is_of = |object: &SymbolObject| {
        let object = object.clone();
        move |name: &&refactor::Name| name.symbol.object == object && name.role != NameRole::Moved
    };
    if names
        .iter()
        .any(|it| is_of(&to)(&it) && it.role == NameRole::Declaration)
    {
        return None;
    }
    let mut edits = Edits::default();
    for name in names.iter().filter(is_of(&from)) {
        edits.replace(&name.file, name.range, to.name().as_str());
    }
    let title = format!("Rename {} to {}", moved.from, moved.to);
    let action = place.fix(title, shown, Vec::new()).preferred();
    Some(action.with_edit(edits))
}

/// The object that a whole address of the module names.
fn object(target: &Target) -> Option<SymbolObject> {
    match target {
        Target::Resource(addr) if addr.module.is_root() => {
            let is_managed = addr.resource.mode == ResourceMode::Managed;
            is_managed.then(|| SymbolObject::Resource(addr.resource.clone()))
        }
        Target::Module(addr) => match addr.steps() {
            [step] if step.key == config::InstanceKey::None => {
                Some(SymbolObject::ModuleCall(step.call.clone()))
            }
            _ => None,
        },
        Target::Resource(_) | Target::Instance(_) => None,
    }
}
