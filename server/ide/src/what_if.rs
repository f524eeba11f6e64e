//! What-if plans: some resources replaced on purpose, or nothing else meant.

use config::ResourceMode;
use text::{FileId, TextSize};

use crate::Snapshot;

/// What plans suppose, beside what the texts say; by addresses, which mean something to the planner that has them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WhatIf {
    pub replace: Vec<String>,
    pub targets: Vec<String>,
}

impl Snapshot {
    pub fn what_if(&self) -> &WhatIf {
        &self.data.what_if
    }

    /// The planned instances of the managed resource of a root module whose block is at `offset`.
    pub fn instances_at(&self, file: &FileId, offset: TextSize) -> Vec<String> {
        let known = self.known(file);
        let resource = known.module.resources.values().find(|resource| {
            let place = self.place(&resource.decl.full_span, &known.module);
            let is_here = |place: &crate::Location| {
                place.file == *file && place.range.contains_inclusive(offset)
            };
            resource.addr.mode == ResourceMode::Managed && place.as_ref().is_some_and(is_here)
        });
        let planned = resource.filter(|_| known.is_root);
        let planned = planned.and_then(|resource| known.resource(&resource.addr));
        let instances = planned.into_iter().flat_map(|it| &it.instances);
        let addr = |it: &plan::PlannedInstance| {
            planned.map(|of| of.addr.instance(it.key.clone()).to_string())
        };
        instances.filter_map(addr).collect()
    }
}
