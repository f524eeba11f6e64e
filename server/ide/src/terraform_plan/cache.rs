//! The facts of resources, from one plan to the next: only those that an edit reached are made again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use config::{AbsResourceAddr, Table, Variable};
use plan::{Plan, ResourceResult, Resources};
use smol_str::SmolStr;
use text::{Chunks, Diagnostic, FileId, PerChunk, SegmentId, Severity};

use super::calls::{self, EffectsCache};
use super::diagnostics;
use super::former_blocks::FormerBlocks;
use super::{FactInputs, is_self_contained, resource_facts};
use crate::{ChangeCounts, Facts, FileFacts, RemovedPlaces, SegmentFacts, Settings};

/// The facts about resources in the last plan of a module; they hold for resources whose result is the same.
#[derive(Default)]
pub struct FactsCache {
    pub(super) stood: FormerBlocks,
    pub(super) removed: Arc<RemovedPlaces>,
    pub(super) effects: EffectsCache,
    pub(super) marked: PerChunk<Arc<ResourceResult>, Marked>,
    pub(super) numbers: PlanNumbers,
    settings: Settings,
    variables: Table<SmolStr, Variable>,
    resources: Resources,
    /// Of each of `resources`.
    found: Chunks<Arc<ResourceFacts>>,
    /// The resources whose facts don't depend on their result alone.
    fleeting: BTreeSet<AbsResourceAddr>,
    /// All that was found.
    facts: Facts,
}

/// The numbers of changes, guesses and errors in a plan.
#[derive(Clone, Copy, Debug, Default)]
pub struct PlanNumbers {
    pub counts: ChangeCounts,
    pub guesses: usize,
    pub errors: usize,
}

impl PlanNumbers {
    fn of(resources: &[Arc<ResourceResult>]) -> PlanNumbers {
        let changes = resources.iter().flat_map(|it| it.changes());
        let diagnostics = resources.iter().flat_map(|it| &it.diagnostics);
        PlanNumbers {
            counts: ChangeCounts::of(changes.map(|it| it.action.into())),
            guesses: resources.iter().filter(|it| it.caveat.is_some()).count(),
            errors: errors(diagnostics),
        }
    }

    /// Counts everything in a plan.
    pub fn of_plan(plan: &Plan) -> PlanNumbers {
        let chunks = plan.resources.chunks().chunks();
        PlanNumbers::sum(plan, chunks.map(PlanNumbers::of))
    }

    /// Of a plan whose chunks of resources have these.
    pub(super) fn sum(plan: &Plan, chunks: impl Iterator<Item = PlanNumbers>) -> PlanNumbers {
        let mut sum = PlanNumbers {
            errors: errors(plan.diagnostics.iter()),
            ..PlanNumbers::default()
        };
        for chunk in chunks {
            sum.counts += chunk.counts;
            sum.guesses += chunk.guesses;
            sum.errors += chunk.errors;
        }
        sum
    }
}

fn errors<'a>(diagnostics: impl Iterator<Item = &'a Diagnostic>) -> usize {
    diagnostics
        .filter(|it| it.severity == Severity::Error)
        .count()
}

/// The numbers of a chunk of resources, and the few resources that have facts outside of their blocks.
pub(super) struct Marked {
    pub numbers: PlanNumbers,
    pub removed: Vec<Arc<ResourceResult>>,
    pub unplanned: Vec<Arc<ResourceResult>>,
    /// Those of called modules that change.
    pub changed: Vec<Arc<ResourceResult>>,
}

impl Marked {
    pub(super) fn of(resources: &[Arc<ResourceResult>]) -> Marked {
        let those = |is_meant: fn(&ResourceResult) -> bool| {
            let meant = resources.iter().filter(|it| is_meant(it));
            meant.cloned().collect()
        };
        Marked {
            numbers: PlanNumbers::of(resources),
            removed: those(diagnostics::is_removed),
            unplanned: those(diagnostics::is_unplanned),
            changed: those(calls::is_changed),
        }
    }
}

/// The facts of one resource.
#[derive(Default)]
struct ResourceFacts(Vec<(FileId, SegmentId, Arc<SegmentFacts>)>);

/// Earlier facts about some resources, and the new ones.
#[derive(Default)]
struct FactsChange {
    gone: Vec<Arc<ResourceFacts>>,
    come: Vec<Arc<ResourceFacts>>,
}

/// More changes are rather taken in at once.
const FEW: usize = 64;

impl FactsCache {
    /// The places of removed objects in the last plan.
    pub fn removed(&self) -> Arc<RemovedPlaces> {
        self.removed.clone()
    }

    /// The numbers of the last plan.
    pub fn numbers(&self) -> PlanNumbers {
        self.numbers
    }

    /// The facts of the resources of a plan's own module.
    pub(super) fn of_resources(&mut self, planned: &FactInputs<'_>) -> &Facts {
        self.forget_dependents_of_variables_and_settings(planned);
        let resources = &planned.plan.resources;
        let (last, found_last) = (self.resources.clone(), self.found.clone());
        let (gone, come) = last.difference(resources);
        let mut change = FactsChange::default();
        let before = last.range(gone.clone());
        let mut before = before
            .zip(found_last.range(gone.clone()).cloned())
            .peekable();
        let mut found = Vec::with_capacity(come.len());
        let mut again = std::mem::take(&mut self.fleeting);
        for resource in resources.range(come.clone()) {
            while let Some((_, gone)) = before.next_if(|(old, _)| old.addr < resource.addr) {
                change.gone.push(gone);
            }
            let known = before.next_if(|(old, _)| old.addr == resource.addr);
            let is_fleeting = again.remove(&resource.addr);
            found.push(match known {
                Some((old, known)) if Arc::ptr_eq(old, resource) && !is_fleeting => known,
                known => self.look(planned, resource, known.map(|it| it.1), &mut change),
            });
        }
        change.gone.extend(before.map(|(_, gone)| gone));
        self.found = self.found.replaced(gone, &found);
        for addr in again {
            let Some(index) = resources.position(&addr) else {
                continue;
            };
            let resource = resources.range(index..index + 1).next();
            if let Some((resource, known)) = resource.zip(self.found.get(index).cloned()) {
                let found = self.look(planned, resource, Some(known), &mut change);
                self.found = self.found.replaced(index..index + 1, &[found]);
            }
        }
        self.resources = resources.clone();
        if !self.take_in(&change) {
            self.take_in_all();
        }
        &self.facts
    }

    fn forget_dependents_of_variables_and_settings(&mut self, planned: &FactInputs<'_>) {
        let variables = &planned.module.variables;
        let (gone, come) = self.variables.difference(variables);
        let is_same = self.settings == *planned.settings && gone.is_empty() && come.is_empty();
        if !is_same {
            *self = FactsCache {
                stood: std::mem::take(&mut self.stood),
                removed: self.removed.clone(),
                effects: std::mem::take(&mut self.effects),
                marked: std::mem::take(&mut self.marked),
                settings: planned.settings.clone(),
                variables: variables.clone(),
                ..FactsCache::default()
            };
        }
    }

    /// The current facts of a resource.
    fn look(
        &mut self,
        planned: &FactInputs<'_>,
        resource: &ResourceResult,
        known: Option<Arc<ResourceFacts>>,
        change: &mut FactsChange,
    ) -> Arc<ResourceFacts> {
        if !resource.addr.module.is_root() {
            return known.unwrap_or_default();
        }
        if !is_self_contained(planned, resource) {
            self.fleeting.insert(resource.addr.clone());
        }
        let found = resource_facts(planned, resource).files.into_iter();
        let found = found.flat_map(|(file, segments)| {
            let segments = segments.into_iter();
            segments.map(move |(segment, facts)| (file.clone(), segment, facts))
        });
        let found = ResourceFacts(found.collect());
        match known {
            Some(known) if known.0 == found.0 => known,
            known => {
                let found = Arc::new(found);
                change.gone.extend(known);
                change.come.push(found.clone());
                found
            }
        }
    }

    /// False where they can't be separated from those of others in the same segments.
    fn take_in(&mut self, change: &FactsChange) -> bool {
        if change.gone.len() + change.come.len() > FEW {
            return false;
        }
        for (file, segment, gone) in change.gone.iter().flat_map(|it| &it.0) {
            let facts = self.facts.entry(file.clone()).or_default();
            let is_alone = |known: &Arc<SegmentFacts>| Arc::ptr_eq(known, gone);
            if !facts.get(*segment).is_some_and(is_alone) {
                return false;
            }
            facts.remove(*segment);
        }
        for (file, segment, come) in change.come.iter().flat_map(|it| &it.0) {
            let facts = self.facts.entry(file.clone()).or_default();
            if facts.get(*segment).is_some() {
                return false;
            }
            facts.insert(*segment, come.clone());
        }
        true
    }

    fn take_in_all(&mut self) {
        let mut by_file: BTreeMap<FileId, Vec<(SegmentId, Arc<SegmentFacts>)>> = BTreeMap::new();
        for (file, segment, facts) in self.found.iter().flat_map(|it| &it.0) {
            let of_file = by_file.entry(file.clone()).or_default();
            of_file.push((*segment, facts.clone()));
        }
        let facts = by_file.into_iter();
        self.facts = facts
            .map(|(file, of_file)| (file, of_file.into_iter().collect::<FileFacts>()))
            .collect();
    }
}
