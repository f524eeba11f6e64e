//! Whether something has to be done before a data source can be read.
//!
//! Follows `dependenciesHavePendingChanges` and `attachDataResourceDependsOnTransformer` of OpenTofu's
//! `internal/tofu`.

use std::collections::HashSet;

use config::{ModuleAddr, ModuleInstanceAddr, Reference, ResourceMode};

use super::Engine;
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, NodeObject};
use crate::result::NodeResult;

impl Engine {
    /// Whether a change is planned of a managed resource that the data source refers to directly, or of anything behind
    /// its `depends_on` or that of a module around it. Its conditions may be about all that is behind it.
    pub(super) fn has_pending_dependencies(
        &self,
        inputs: &Inputs,
        instance: &ModuleInstanceAddr,
        config: &config::Resource,
    ) -> bool {
        if config.addr.mode == ResourceMode::Managed {
            return false;
        }
        let module = instance.module();
        let tree = &inputs.tree;
        let nodes = |module: &ModuleAddr, references: &[Reference]| {
            let mut nodes = Dependencies { tree, module }.of_references(references);
            // The number of instances of a module does not matter.
            nodes.retain(|node| NodeId::call_of(module).as_ref() != Some(node));
            nodes
        };
        let lifecycle = &config.lifecycle;
        let has_conditions =
            !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty();
        let mut seen: HashSet<NodeId> = nodes(&module, &config.decl.references)
            .into_iter()
            .collect();
        let mut behind: Vec<NodeId> = match has_conditions {
            true => seen.iter().cloned().collect(),
            // A resource is waited for, but not its dependencies.
            false => nodes(&module, &config.depends_on)
                .into_iter()
                .filter(|node| !matches!(node.object, NodeObject::Resource(_)))
                .collect(),
        };
        let mut called = module.clone();
        while let (Some(caller), Some((_, call))) = (called.parent(), tree.call(&called)) {
            behind.extend(nodes(&caller, &call.depends_on));
            called = caller;
        }
        let itself = NodeObject::Resource(config.addr.clone()).of(&module);
        seen.remove(&itself);
        let mut visited = HashSet::from([itself]);
        while let Some(node) = behind.pop() {
            if visited.insert(node.clone()) {
                behind.extend(self.graph.dependencies(&node).cloned());
                seen.insert(node);
            }
        }
        seen.iter().any(|node| self.has_changes(node, instance))
    }

    /// Changes in other instances of the same module don't count, nor do deposed objects.
    fn has_changes(&self, node: &NodeId, instance: &ModuleInstanceAddr) -> bool {
        let Some(NodeResult::Resource(results)) = self.results.get(node) else {
            return false;
        };
        let is_own_module = node.module == instance.module();
        results
            .iter()
            .filter(|(other, _)| !is_own_module || *other == instance)
            .filter(|(_, resource)| resource.addr.resource.mode == ResourceMode::Managed)
            .flat_map(|(_, resource)| &resource.instances)
            .any(|it| it.plan.is_pending())
    }
}
