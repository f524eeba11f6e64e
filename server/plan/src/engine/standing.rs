//! Whose plan stands while something is wrong. Terraform plans nothing of a configuration with errors, and most errors
//! are a word that is being typed: no consequence of half a word may be shown as if it would happen.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use text::{FileId, SegmentId};

use super::Engine;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::node::{NodeId, declaration};
use crate::result::ResourceResult;
use crate::{PlannedInstance, Resources};

impl Engine {
    /// Where an error is, and behind it, resources keep the plan that they had in the last valid text, and say so. Other
    /// changes since then are labelled.
    pub(super) fn keep_last_valid(&self, inputs: &Inputs, resources: &mut Resources) {
        let wrong = self.wrong(inputs);
        let behind = self.behind(&wrong);
        let Some(last) = &self.last_valid else {
            let caveat = |cause| Caveat::BehindFailure { cause };
            return self.label(resources, &behind, caveat);
        };
        let mut shown: Vec<ResourceResult> = Vec::new();
        let causes = wrong.iter().map(|node| (node, None));
        let behind = behind.iter().map(|(node, cause)| (node, Some(*cause)));
        let mut in_doubt = HashSet::new();
        for (node, cause) in causes.chain(behind.filter(|(node, _)| !wrong.contains(node))) {
            for now in self.resources_of([node]) {
                in_doubt.insert(&now.addr);
                shown.push(match last.get(&now.addr) {
                    Some(before) => kept(before, now, cause.map(ToString::to_string)),
                    None => {
                        let cause = cause.unwrap_or(node).to_string();
                        with_caveat(now, Caveat::BehindFailure { cause })
                    }
                });
            }
        }
        let (_, changed) = last.difference(resources);
        for now in resources.range(changed) {
            if in_doubt.contains(&now.addr) {
                continue;
            }
            shown.extend(match last.get(&now.addr) {
                Some(before) if Arc::ptr_eq(before, now) => None,
                Some(before) if before.config.is_some() && now.config.is_none() => {
                    Some(kept(before, now, None))
                }
                Some(before) if has_same_plan(before, now) => None,
                _ => Some(with_caveat(now, Caveat::ErrorsElsewhere)),
            });
        }
        resources.extend(shown.into_iter().map(Arc::new).collect());
    }

    /// Gives the resources of some nodes, each with its cause, a caveat.
    pub(super) fn label(
        &self,
        resources: &mut Resources,
        nodes: &HashMap<NodeId, &NodeId>,
        caveat: impl Fn(String) -> Caveat,
    ) {
        let mut labelled = Vec::new();
        for (node, cause) in nodes {
            for resource in self.resources_of([node]) {
                let shown = resources.get(&resource.addr).unwrap_or(resource);
                labelled.push(Arc::new(with_caveat(shown, caveat(cause.to_string()))));
            }
        }
        resources.extend(labelled);
    }

    /// Nodes with errors, or with a text that can't be parsed.
    fn wrong(&self, inputs: &Inputs) -> HashSet<NodeId> {
        let broken = self.declared_in(inputs, &inputs.broken);
        self.failures(inputs).chain(broken).cloned().collect()
    }

    /// The declarations in some segments.
    pub(super) fn declared_in<'a>(
        &'a self,
        inputs: &'a Inputs,
        segments: &'a HashSet<(FileId, SegmentId)>,
    ) -> impl Iterator<Item = &'a NodeId> {
        let is_in = |node: &&NodeId| {
            let module = inputs.tree.module(&node.module);
            let decl = module.and_then(|module| declaration(module, node));
            decl.is_some_and(|decl| segments.contains(&(decl.span.file.clone(), decl.span.segment)))
        };
        let all = (!segments.is_empty()).then(|| self.results.keys());
        all.into_iter().flatten().filter(is_in)
    }

    /// Whether Terraform would refuse to plan the configuration.
    pub(super) fn has_errors(&self, inputs: &Inputs) -> bool {
        !inputs.broken.is_empty()
            || !inputs.wrong.is_empty()
            || !self.in_cycle.is_empty()
            || self.failures(inputs).next().is_some()
    }
}

/// The plan of `before` for the declaration of now.
fn kept(before: &ResourceResult, now: &ResourceResult, cause: Option<String>) -> ResourceResult {
    ResourceResult {
        config: now.config.clone().or_else(|| before.config.clone()),
        diagnostics: now.diagnostics.clone(),
        caveat: Some(Caveat::AsBefore { cause }),
        ..before.clone()
    }
}

/// An existing caveat stays.
fn with_caveat(resource: &ResourceResult, caveat: Caveat) -> ResourceResult {
    let mut resource = resource.clone();
    resource.caveat.get_or_insert(caveat);
    resource
}

/// Whether the same would happen to the same objects.
fn has_same_plan(one: &ResourceResult, other: &ResourceResult) -> bool {
    let is_same = |a: &PlannedInstance, b: &PlannedInstance| {
        a.key == b.key
            && match (&a.plan.change, &b.plan.change) {
                _ if Arc::ptr_eq(&a.plan, &b.plan) => true,
                (Some(a), Some(b)) => {
                    a.action == b.action
                        && a.reason == b.reason
                        && a.replace_paths == b.replace_paths
                        && a.previous_addr == b.previous_addr
                        && a.before.raw_equals(&b.before)
                        && a.after.raw_equals(&b.after)
                }
                (None, None) => true,
                (Some(_), None) | (None, Some(_)) => false,
            }
    };
    let instances = one.instances.iter().zip(&other.instances);
    one.instances.len() == other.instances.len()
        && one.caveat == other.caveat
        && instances.into_iter().all(|(a, b)| is_same(a, b))
}
