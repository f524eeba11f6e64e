//! Where the blocks stood whose objects will be destroyed.

use std::collections::BTreeMap;

use config::{Module, ModuleCall, Resource, ResourceAddr, Table};
use plan::ResourceResult;
use smol_str::SmolStr;
use text::{FileId, Span};

use super::Planned;
use crate::any_engine::{FormerPlace, Segments};

/// The declarations of a module when it was last planned, and the places of those that are gone.
#[derive(Default)]
pub(super) struct FormerBlocks {
    files: BTreeMap<FileId, syntax::File>,
    resources: Table<ResourceAddr, Resource>,
    calls: Table<SmolStr, ModuleCall>,
    gone: BTreeMap<Declared, FormerPlace>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Declared {
    Resource(ResourceAddr),
    Call(SmolStr),
}

impl Declared {
    fn is_in(&self, module: &Module) -> bool {
        match self {
            Declared::Resource(addr) => module.resources.get(addr).is_some(),
            Declared::Call(name) => module.module_calls.get(name).is_some(),
        }
    }

    fn has_objects(&self, planned: &Planned<'_>) -> bool {
        let resources = &planned.plan.resources;
        match self {
            Declared::Resource(addr) => resources.of_root(addr).is_some(),
            Declared::Call(_) => resources.values().any(|it| declared(it) == *self),
        }
    }
}

impl FormerBlocks {
    /// Notes the current declarations, and the places of those that are gone while the plan still has their objects.
    pub(super) fn update(&mut self, planned: &Planned<'_>) {
        let module = planned.module;
        self.gone
            .retain(|declared, _| !declared.is_in(module) && declared.has_objects(planned));
        let follow = |place: &mut FormerPlace| {
            let (Some(old), Some(now)) =
                (self.files.get(place.file()), module.files.get(place.file()))
            else {
                return;
            };
            place.follow(&segments(old), &segments(now));
        };
        self.gone.values_mut().for_each(follow);
        let (resources, _) = self.resources.difference(&module.resources);
        let resources = self.resources.range(resources);
        let resources = resources.map(|(addr, _)| Declared::Resource(addr.clone()));
        let (calls, _) = self.calls.difference(&module.module_calls);
        let calls = self.calls.range(calls);
        let calls = calls.map(|(name, _)| Declared::Call(name.clone()));
        let gone: Vec<(Declared, FormerPlace)> = resources
            .chain(calls)
            .filter(|declared| !declared.is_in(module))
            .filter_map(|declared| {
                let mut place = self.place_of(&declared)?;
                follow(&mut place);
                Some((declared, place))
            })
            .collect();
        self.gone.extend(gone);
        let files = module.files.iter();
        self.files = files.map(|(id, file)| (id.clone(), file.clone())).collect();
        self.resources = module.resources.clone();
        self.calls = module.module_calls.clone();
    }

    fn place_of(&self, declared: &Declared) -> Option<FormerPlace> {
        let span = match declared {
            Declared::Resource(addr) => &self.resources.get(addr)?.decl.span,
            Declared::Call(name) => &self.calls.get(name)?.decl.span,
        };
        FormerPlace::of(span, &segments(self.files.get(&span.file)?))
    }

    /// The place to report that an object without a declaration will be destroyed: the call of its module, or behind the block
    /// before its own. None where its declaration was never seen.
    pub(super) fn find(&self, planned: &Planned<'_>, removed: &ResourceResult) -> Option<Span> {
        let declared = declared(removed);
        if let Declared::Call(name) = &declared
            && let Some(call) = planned.module.module_calls.get(name)
        {
            return Some(call.decl.span.clone());
        }
        self.gone
            .get(&declared)
            .and_then(|place| place.find(&segments(planned.module.files.get(place.file())?)))
    }
}

/// The declaration of an object: a resource of the module, or the call of the module that it is in.
fn declared(resource: &ResourceResult) -> Declared {
    match resource.addr.module.steps().first() {
        Some(step) => Declared::Call(step.call.clone()),
        None => Declared::Resource(resource.addr.resource.clone()),
    }
}

fn segments(file: &syntax::File) -> Segments<'_> {
    let segments = file.segments();
    segments.map(|it| (it.id, &*it.parsed.text)).collect()
}
