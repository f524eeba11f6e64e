//! What will happen to a resource or in a called module, in one line above its block.

use plan::ResourceResult;

use super::{FactsBuilder, Planned, object};
use crate::objects::lenses;
use crate::{ChangeCounts, PlannedObject};

pub(super) fn add_resource(object: &PlannedObject, facts: &mut FactsBuilder) {
    if let Some(place) = &object.place {
        lenses::push(place, lenses::title(object), facts);
    }
}

/// Above what is no resource.
pub(super) fn add_of_module(planned: &Planned<'_>, facts: &mut FactsBuilder) {
    let module = planned.module;
    for (name, call) in &module.module_calls {
        let resources = planned.plan.resources.values();
        let within = resources.filter(|resource| {
            let first = resource.addr.module.steps().first();
            first.is_some_and(|step| step.call == *name)
        });
        let changes = within.flat_map(|resource| resource.changes());
        let counts = ChangeCounts::of(changes.map(|change| change.action.into()));
        if let Some(title) = within_call(counts) {
            lenses::push(&call.decl.span, title, facts);
        }
    }
}

/// What will happen in a called module.
fn within_call(counts: ChangeCounts) -> Option<String> {
    let parts = [
        (counts.add, "add"),
        (counts.change, "change"),
        (counts.destroy, "destroy"),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} to {what}"))
        .collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What the last plan said of a resource.
pub(crate) fn title(resource: &ResourceResult) -> String {
    lenses::title(&object::outline(resource))
}
