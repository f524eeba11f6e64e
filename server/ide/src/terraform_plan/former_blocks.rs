//! Where the blocks stood whose objects will be destroyed.

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{Module, ModuleCall, Resource, ResourceAddr, Table};
use plan::ResourceResult;
use smol_str::SmolStr;
use text::FileId;

use super::FactInputs;
use crate::RemovedPlaces;
use crate::any_engine::{FormerPlace, Segments, follow};

/// The declarations of a module when it was last planned, and the places of those that are gone.
#[derive(Default)]
pub(super) struct FormerBlocks {
    files: BTreeMap<FileId, syntax::File>,
    resources: Table<ResourceAddr, Resource>,
    calls: Table<SmolStr, ModuleCall>,
    gone: BTreeMap<FormerBlock, FormerPlace>,
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum FormerBlock {
    Resource(ResourceAddr),
    Call(SmolStr),
}

impl FormerBlock {
    fn is_in(&self, module: &Module) -> bool {
        match self {
            FormerBlock::Resource(addr) => module.resources.get(addr).is_some(),
            FormerBlock::Call(name) => module.module_calls.get(name).is_some(),
        }
    }
}

impl FormerBlocks {
    /// Notes the current declarations, and the places of those that are gone while the plan still has their objects.
    pub(super) fn update(&mut self, planned: &FactInputs<'_>) {
        let module = planned.module;
        let objects: OnceCell<BTreeSet<FormerBlock>> = OnceCell::new();
        let has_objects = |it: &FormerBlock| {
            let all = || planned.plan.resources.values().map(|it| declared(it));
            objects.get_or_init(|| all().collect()).contains(it)
        };
        let is_gone = |it: &FormerBlock| !it.is_in(module) && has_objects(it);
        self.gone.retain(|declared, _| is_gone(declared));
        let (resources, _) = self.resources.difference(&module.resources);
        let resources = self.resources.range(resources);
        let resources =
            resources.map(|(addr, it)| (FormerBlock::Resource(addr.clone()), &it.decl.span));
        let (calls, _) = self.calls.difference(&module.module_calls);
        let calls = self.calls.range(calls);
        let calls = calls.map(|(name, it)| (FormerBlock::Call(name.clone()), &it.decl.span));
        let mut files = BTreeMap::new();
        for (declared, span) in resources.chain(calls).filter(|(it, _)| is_gone(it)) {
            let old = files
                .entry(&span.file)
                .or_insert_with(|| segments(self.files.get(&span.file)));
            if let Some(place) = FormerPlace::of(span, old) {
                self.gone.insert(declared, place);
            }
        }
        follow(
            self.gone.values_mut(),
            |file| segments(self.files.get(file)),
            |file| segments(module.files.get(file)),
        );
        let files = module.files.iter();
        self.files = files.map(|(id, file)| (id.clone(), file.clone())).collect();
        self.resources = module.resources.clone();
        self.calls = module.module_calls.clone();
    }

    /// The places to report that objects without a declaration will be destroyed: the call of the module, or behind the block
    /// before its own. Those whose declaration was never seen have none.
    pub(super) fn find(
        &self,
        planned: &FactInputs<'_>,
        removed: &[&Arc<ResourceResult>],
    ) -> RemovedPlaces {
        let mut files = BTreeMap::new();
        let mut place = |removed: &ResourceResult| {
            let declared = declared(removed);
            if let FormerBlock::Call(name) = &declared
                && let Some(call) = planned.module.module_calls.get(name)
            {
                return Some(call.decl.span.clone());
            }
            let place = self.gone.get(&declared)?;
            let file = planned.module.files.get(place.file());
            place.find(files.entry(place.file()).or_insert_with(|| segments(file)))
        };
        let places = removed
            .iter()
            .filter_map(|it| Some((it.addr.clone(), place(it)?)));
        places.collect()
    }
}

/// The declaration of an object: a resource of the module, or the call of the module that it is in.
fn declared(resource: &ResourceResult) -> FormerBlock {
    match resource.addr.module.steps().first() {
        Some(step) => FormerBlock::Call(step.call.clone()),
        None => FormerBlock::Resource(resource.addr.resource.clone()),
    }
}

fn segments(file: Option<&syntax::File>) -> Segments<'_> {
    let segments = file.into_iter().flat_map(syntax::File::segments);
    segments.map(|it| (it.id, &*it.parsed.text)).collect()
}
