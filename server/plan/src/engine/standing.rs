//! Whose plan stands while something is wrong. Terraform plans nothing of a configuration with errors, and most errors
//! are a word that is being typed: what follows from half a word must not be said as if it would happen.

use std::cmp::Ordering;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::Engine;
use crate::Resources;
use crate::caveat::Caveat;
use crate::inputs::Inputs;
use crate::node::{NodeId, declaration};
use crate::result::ResourceResult;

impl Engine {
    /// The plans of resources as they may be shown. What an error is in, or comes before, keeps the plan that it had when
    /// nothing was wrong, and says so. What else changed since then is labelled.
    pub(super) fn standing(&self, inputs: &Inputs, mut resources: Resources) -> Resources {
        let wrong = self.wrong(inputs);
        let mut behind = self.graph.dependents(wrong.iter());
        // Members of a cycle are behind each other.
        behind.retain(|node, _| !self.in_cycle.contains(node));
        let Some(last) = &self.last_valid else {
            return self.labelled(resources, behind);
        };
        let mut shown: Vec<ResourceResult> = Vec::new();
        let causes = wrong.iter().map(|node| (node, None));
        let behind = behind.iter().map(|(node, cause)| (node, Some(*cause)));
        let mut in_doubt = HashSet::new();
        for (node, cause) in causes.chain(behind.filter(|(node, _)| !wrong.contains(node))) {
            for now in self.resources_of([node]) {
                let cause = cause.map(ToString::to_string);
                in_doubt.insert(&now.addr);
                shown.extend(match (last.get(&now.addr), cause) {
                    (Some(before), cause) => Some(kept(before, now, cause)),
                    (None, Some(cause)) => Some(with_caveat(now, Caveat::BehindFailure { cause })),
                    (None, None) => None,
                });
            }
        }
        for (before, now) in changed(last, &resources) {
            let Some(now) = now.filter(|now| !in_doubt.contains(&now.addr)) else {
                continue;
            };
            let is_lost = |before: &ResourceResult| before.config.is_some() && now.config.is_none();
            shown.extend(match before {
                Some(before) if is_lost(before) => Some(kept(before, now, None)),
                Some(before) if has_same_plan(before, now) => None,
                _ => Some(with_caveat(now, Caveat::ErrorsElsewhere)),
            });
        }
        resources.extend(shown.into_iter().map(Arc::new).collect());
        resources
    }

    /// With a label on what comes after an error.
    pub(super) fn labelled(
        &self,
        mut resources: Resources,
        behind: HashMap<NodeId, &NodeId>,
    ) -> Resources {
        let mut labelled = Vec::new();
        for (node, cause) in behind {
            let cause = cause.to_string();
            for resource in self.resources_of([&node]) {
                let caveat = Caveat::BehindFailure {
                    cause: cause.clone(),
                };
                labelled.push(Arc::new(with_caveat(resource, caveat)));
            }
        }
        resources.extend(labelled);
        resources
    }

    /// What has errors, or a text that can't be parsed.
    fn wrong(&self, inputs: &Inputs) -> HashSet<NodeId> {
        let is_broken = |node: &&NodeId| {
            let module = inputs.tree.module(&node.module);
            let decl = module.and_then(|module| declaration(module, node));
            decl.is_some_and(|decl| inputs.is_broken(&decl.span))
        };
        let all = (!inputs.broken.is_empty()).then(|| self.results.keys());
        let broken = all.into_iter().flatten().filter(is_broken);
        self.failures(inputs).chain(broken).cloned().collect()
    }

    /// Whether Terraform would refuse to plan what there is.
    pub(super) fn has_errors(&self, inputs: &Inputs) -> bool {
        !inputs.broken.is_empty()
            || !inputs.wrong.is_empty()
            || !self.in_cycle.is_empty()
            || self.failures(inputs).next().is_some()
    }
}

/// A resource before and after an edit.
type Pair<'a> = (
    Option<&'a Arc<ResourceResult>>,
    Option<&'a Arc<ResourceResult>>,
);

/// The resources that differ, in the order of their addresses.
fn changed<'a>(before: &'a Resources, after: &'a Resources) -> Vec<Pair<'a>> {
    let (old, new) = before.difference(after);
    let mut old = before.range(old).peekable();
    let mut new = after.range(new).peekable();
    let mut pairs = Vec::new();
    loop {
        let order = match (old.peek(), new.peek()) {
            (Some(old), Some(new)) => old.addr.cmp(&new.addr),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return pairs,
        };
        let pair = match order {
            Ordering::Less => (old.next(), None),
            Ordering::Equal => (old.next(), new.next()),
            Ordering::Greater => (None, new.next()),
        };
        let is_same = matches!(pair, (Some(a), Some(b)) if Arc::ptr_eq(a, b));
        if !is_same {
            pairs.push(pair);
        }
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

/// What has a caveat keeps that.
pub(super) fn with_caveat(resource: &ResourceResult, caveat: Caveat) -> ResourceResult {
    let mut resource = resource.clone();
    resource.caveat.get_or_insert(caveat);
    resource
}

/// Whether the same would happen to the same objects.
fn has_same_plan(one: &ResourceResult, other: &ResourceResult) -> bool {
    let is_same = |a: &crate::PlannedInstance, b: &crate::PlannedInstance| {
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
