//! Plans of some resources alone, which `-target` names.

use std::collections::HashSet;
use std::sync::Arc;

use super::Run;
use crate::ask::Plugins;
use crate::plan::Step;
use crate::state::OldResource;
use crate::step::Op;
use crate::urn::Urn;

impl<P: Plugins> Run<'_, P> {
    pub(super) fn is_target(&self, urn: &Urn) -> bool {
        let targets = &self.inputs.options.targets;
        targets.is_empty() || targets.contain(urn)
    }

    /// The resources of the state that may be deleted: the targets with their dependents and children, without those that a
    /// resource outside of the targets needs. `None` means all.
    ///
    /// Source: `determineAllowedResourcesToDeleteFromTargets` and `getDependencySteps` in `step_generator.go` of Pulumi.
    pub(super) fn deletable(&self) -> Option<HashSet<Urn>> {
        if self.inputs.options.targets.is_empty() {
            return None;
        }
        let resources = &self.inputs.state.resources;
        let current = resources.iter().filter(|it| !it.is_to_delete);
        // A resource comes after those that it needs.
        let mut deletable: HashSet<Urn> = HashSet::new();
        for old in current.clone() {
            if self.is_target(&old.urn) || needs(old).any(|urn| deletable.contains(&urn)) {
                deletable.insert(old.urn.clone());
            }
        }
        let steps = self.plan.steps.iter().chain(&self.outcome.steps);
        let kept = steps.filter(|it| it.op == Op::Same && !self.is_target(&it.urn));
        let mut needed: HashSet<Urn> = kept
            .filter_map(|it| Some(it.old.as_ref()?.urn.clone()))
            .collect();
        for old in current.rev() {
            if needed.contains(&old.urn) {
                needed.extend(needs(old));
            }
        }
        deletable.retain(|urn| !needed.contains(urn));
        Some(deletable)
    }

    /// Reports a resource that is deleted with a target.
    ///
    /// Source: `GetResourceWillBeDestroyedButWasNotSpecifiedInTargetList` in `errors.go` of Pulumi's SDK for Go.
    pub(super) fn refuse_unnamed_deletion(&mut self, urn: &Urn) {
        if !self.is_target(urn) {
            let message = format!(
                "Resource '{urn}' will be destroyed but was not specified in --target list.\nEither include resource in --target list or pass --target-dependents to proceed."
            );
            self.error(Some(urn), "invalid-option", message, None);
        }
    }

    /// Reports resources that the planned ones need and that are not created, as they are no targets.
    ///
    /// Source: `GetResourceWillBeCreatedButWasNotSpecifiedInTargetList` in `errors.go` of Pulumi's SDK for Go.
    pub(super) fn refuse_uncreated(&mut self) {
        if self.inputs.options.targets.is_empty() {
            return;
        }
        let steps = self.plan.steps.clone();
        let is_left_out =
            |it: &&Arc<Step>| it.op == Op::Same && it.old.is_none() && !self.is_target(&it.urn);
        let left_out = steps.iter().filter(is_left_out);
        // Each is reported once.
        let mut left_out: HashSet<&Urn> = left_out.map(|it| &it.urn).collect();
        for step in &steps {
            let Some(new) = step.new.as_ref().filter(|_| !left_out.contains(&step.urn)) else {
                continue;
            };
            let named = new.parent.iter().chain(&new.dependencies);
            for needed in named.chain(&new.deleted_with).chain(&new.replace_with) {
                if left_out.remove(needed) {
                    let urn = &step.urn;
                    let message = format!(
                        "Resource '{urn}' depends on '{needed}' which was was not specified in --target list."
                    );
                    self.error(Some(urn), "invalid-option", message, step.declared.clone());
                }
            }
        }
    }
}

/// All that a resource of the state depends on.
fn needs(old: &OldResource) -> impl Iterator<Item = Urn> {
    let named = old.parent.iter().chain(&old.deleted_with);
    let properties = old.property_dependencies.values().flatten();
    let others = old.dependencies.iter().chain(&old.replace_with);
    let all = named.chain(properties).chain(others).cloned();
    all.chain(old.provider_urn())
}
