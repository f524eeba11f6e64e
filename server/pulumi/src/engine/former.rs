//! The resources of the state by what they refer to.

use std::collections::{HashMap, HashSet};
use std::sync::OnceLock;

use crate::state::OldResource;
use crate::urn::Urn;

/// Positions in the state.
type Index<K> = OnceLock<HashMap<K, Vec<usize>>>;

/// The resources of a state. Each index is made when it is needed first.
pub(super) struct Former<'a> {
    resources: &'a [OldResource],
    names: Index<&'a str>,
    children: Index<&'a Urn>,
    dependents: Index<Urn>,
}

impl<'a> Former<'a> {
    pub fn new(resources: &'a [OldResource]) -> Former<'a> {
        Former {
            resources,
            names: Index::new(),
            children: Index::new(),
            dependents: Index::new(),
        }
    }

    pub fn named(&self, name: &str) -> impl Iterator<Item = &'a OldResource> {
        let names = self.names.get_or_init(|| {
            let all = self.resources.iter().enumerate();
            indexed(all.map(|(index, old)| (old.urn.name(), index)))
        });
        let resources = self.resources;
        let found = names.get(name).into_iter().flatten();
        found.map(move |index| &resources[*index])
    }

    /// The resources whose parent, or a parent of it, this is.
    pub fn below(&self, urn: &Urn) -> Vec<Urn> {
        let children = self.children.get_or_init(|| {
            let all = self.resources.iter().enumerate();
            indexed(all.filter_map(|(index, old)| Some((old.parent.as_ref()?, index))))
        });
        let mut found: Vec<Urn> = Vec::new();
        let mut waiting = vec![urn];
        // A state that somebody edited may have parents in a cycle.
        let mut known = HashSet::from([urn]);
        while let Some(parent) = waiting.pop() {
            for index in children.get(parent).into_iter().flatten() {
                let child = &self.resources[*index].urn;
                if known.insert(child) {
                    found.push(child.clone());
                    waiting.push(child);
                }
            }
        }
        found
    }

    /// Positions of the resources that depend on this one, or have it as their provider.
    pub fn dependents(&self, urn: &Urn) -> impl Iterator<Item = usize> {
        let dependents = self.dependents.get_or_init(|| {
            let all = self.resources.iter().enumerate();
            indexed(all.flat_map(|(index, old)| {
                let urns = old.dependencies.iter().cloned();
                urns.chain(old.provider_urn()).map(move |urn| (urn, index))
            }))
        });
        dependents.get(urn).into_iter().flatten().copied()
    }
}

fn indexed<K: Eq + std::hash::Hash>(
    entries: impl Iterator<Item = (K, usize)>,
) -> HashMap<K, Vec<usize>> {
    let mut found: HashMap<K, Vec<usize>> = HashMap::new();
    for (key, index) in entries {
        found.entry(key).or_default().push(index);
    }
    found
}
