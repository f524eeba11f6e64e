//! The actions in a called module, in one line at its call.

use config::ModuleCall;
use plan::ResourceResult;

use super::{Headline, push, summary};
use crate::any_engine::FactsBuilder;
use crate::terraform_plan::FactInputs;
use crate::{ChangeKind, LensKind, Tone};

pub(crate) fn add_of_module(planned: &FactInputs<'_>, facts: &mut FactsBuilder) {
    for call in planned.module.module_calls.values() {
        if let Some(headline) = headline(planned, call) {
            push(&call.decl.span, headline, facts);
        }
    }
}

/// The changes in a called module, where something of it is planned.
pub(crate) fn headline(planned: &FactInputs<'_>, call: &ModuleCall) -> Option<Headline> {
    let resources = planned.plan.resources.values();
    let changes = resources
        .filter(|resource| is_within(resource, call))
        .flat_map(|resource| resource.changes());
    let kinds: Vec<ChangeKind> = changes.map(|change| change.action.into()).collect();
    let kind = match kinds.iter().filter_map(|kind| Tone::of(*kind)).max() {
        Some(tone) => LensKind::Change(tone),
        None => LensKind::NoChange,
    };
    (!kinds.is_empty()).then(|| (summary(&kinds, "resources"), kind))
}

/// Whether a resource is in a called module or in a module below it.
pub(crate) fn is_within(resource: &ResourceResult, call: &ModuleCall) -> bool {
    let first = resource.addr.module.steps().first();
    first.is_some_and(|step| step.call == call.name.text)
}
