//! "This looks like a rename": the plan destroys an object and creates one like it, so a `moved` block is offered on the
//! new block.

use config::ResourceMode;
use plan::{Action as Change, Plan, ResourceResult};
use refactor::{Modules, Move, MovedObjects, Refactoring, SymbolObject};
use smol_str::SmolStr;
use text::TextRange;

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};

pub(super) fn offers(place: &ActionContext<'_>, range: TextRange) -> Vec<Action> {
    offer(place, range).into_iter().collect()
}

fn offer(place: &ActionContext<'_>, range: TextRange) -> Option<Action> {
    let plan = &*place.known.plan;
    let module = &place.known.module;
    let created = plan.resources.values().find(|resource| {
        let place_of =
            |config: &config::Resource| place.snapshot.place(&config.decl.full_span, module);
        let at = resource.config.as_deref().and_then(place_of);
        let is_here = |at: crate::Location| {
            at.file == *place.file && at.range.contains_inclusive(range.start())
        };
        resource.addr.module.is_root() && at.is_some_and(is_here)
    })?;
    let deleted = twin(plan, created)?;
    let ends = [&deleted.addr.resource, &created.addr.resource];
    let [Some(from), Some(to)] = ends.map(|it| SymbolObject::Resource(it.clone()).address()) else {
        return None;
    };
    let dir: SmolStr = place.dir().to_str()?.into();
    let modules = Modules::of_one(&dir, module.clone());
    let mut refactoring = Refactoring {
        moves: vec![Move { dir, from, to }],
        ..Refactoring::default()
    };
    let stored = |_: &Move| MovedObjects {
        is_at_old_address: true,
        ..MovedObjects::default()
    };
    let blocks = &place.snapshot.settings().moved;
    refactoring.write_moved(&modules, stored, blocks).ok()?;
    Some(Action {
        title: format!(
            "Add a moved block: {} was renamed to {}",
            deleted.addr.resource, created.addr.resource
        ),
        kind: ActionKind::QuickFix,
        fixes: Vec::new(),
        is_preferred: false,
        is_safe: false,
        effect: Effect::Edit(refactoring.edits),
    })
}

/// The one resource that is deleted as this one is created, with the same keys, and of which all is known that is planned.
fn twin<'a>(plan: &'a Plan, created: &ResourceResult) -> Option<&'a ResourceResult> {
    let all = || plan.resources.values().map(|it| &**it);
    let mut deleted = all().filter(|it| it.config.is_none() && agree(it, created));
    let twin = deleted.next()?;
    let mut others = all().filter(|it| it.config.is_some() && agree(twin, it));
    let is_only = deleted.next().is_none() && others.nth(1).is_none();
    is_only.then_some(twin)
}

fn agree(deleted: &ResourceResult, created: &ResourceResult) -> bool {
    let (old, new) = (&deleted.addr, &created.addr);
    let is_candidate = old.module == new.module
        && old.resource.mode == ResourceMode::Managed
        && old.resource.r#type == new.resource.r#type
        && old.resource.mode == new.resource.mode;
    is_candidate
        && deleted.changes().count() == created.changes().count()
        && deleted.changes().zip(created.changes()).all(|(old, new)| {
            let is_pair = old.action == Change::Delete
                && new.action == Change::Create
                && old.addr.key == new.addr.key;
            is_pair && has_known_values_of(&new.after, &old.before)
        })
}

/// Whether every attribute that is known of a planned object is that of the stored one, and there is one.
fn has_known_values_of(planned: &cty::Value, stored: &cty::Value) -> bool {
    let (planned, stored) = (planned.unmark_deep().0, stored.unmark_deep().0);
    let ty = planned.ty().clone();
    let mut known = 0;
    for name in ty.attributes().into_iter().flat_map(|it| it.keys()) {
        let (Ok(new), Ok(old)) = (planned.get_attr(name), stored.get_attr(name)) else {
            return false;
        };
        if !new.is_wholly_known() {
            continue;
        }
        if !new.raw_equals(&old) {
            return false;
        }
        known += usize::from(!new.is_null());
    }
    known > 0
}
