//! The nodes of a plan that does not cover everything: with `-target` or `-exclude`, or where there is nothing to
//! destroy.
//!
//! Follows `TargetingTransformer` of OpenTofu's `internal/tofu`.

use std::collections::{BTreeSet, HashMap, HashSet};

use config::{AbsResourceAddr, ConfigResourceAddr, ResourceMode};
use state::State;

use super::Engine;
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, NodeObject};
use crate::options::PlanMode;

/// The nodes that such a plan is about.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selected {
    /// Planned as the configuration wants, with all that has to be known for it.
    planned: HashSet<NodeId>,
    /// Resources whose objects are deleted, where all is to be destroyed.
    deleted: HashSet<NodeId>,
    /// Those among them that are deleted with all of their instances, whichever the options name, since they depend on
    /// another object that is deleted.
    deleted_whole: HashSet<AbsResourceAddr>,
}

impl Selected {
    pub(super) fn is_planned(&self, node: &NodeId) -> bool {
        self.planned.contains(node)
    }

    pub(super) fn is_deleted(&self, node: &NodeId) -> bool {
        self.deleted.contains(node)
    }

    pub(super) fn is_deleted_whole(&self, addr: &AbsResourceAddr) -> bool {
        self.deleted_whole.contains(addr)
    }

    /// Whether the plan is about nothing at all.
    pub(super) fn is_empty(&self) -> bool {
        self.planned.is_empty() && self.deleted.is_empty()
    }

    /// Whether the node has to be evaluated.
    pub(super) fn has(&self, node: &NodeId) -> bool {
        self.is_planned(node) || self.is_deleted(node)
    }
}

impl Engine {
    /// `None`: everything.
    pub(super) fn select(&self, inputs: &Inputs) -> Option<Selected> {
        let options = &*inputs.options;
        let mut selected = Selected::default();
        let is_destroy = options.mode == PlanMode::Destroy;
        let is_nothing = inputs.state.is_empty() && inputs.state_caveat.is_none();
        if is_destroy && is_nothing {
            return Some(selected);
        }
        if let (Some(shown), false) = (&options.shown_modules, options.is_selective()) {
            selected.planned = self.needed_for(shown, inputs);
            return Some(selected);
        }
        if !options.is_selective() {
            return None;
        }
        if !is_destroy || options.refresh {
            selected.planned = self.included(inputs);
        }
        if is_destroy {
            selected.deleted_whole = dependents_of_targets(inputs);
            selected.deleted = deleted(inputs, &selected.deleted_whole);
            // The instances of modules and the configurations of providers, with what those follow from.
            let mut stack: Vec<NodeId> = selected.deleted.iter().cloned().collect();
            while let Some(node) = stack.pop() {
                let behind = self.graph.dependencies(&node);
                for node in behind.filter(|it| !matches!(it.object, NodeObject::Resource(_))) {
                    if selected.deleted.insert(node.clone()) {
                        stack.push(node.clone());
                    }
                }
            }
        } else {
            let outputs = self.outputs_of(&selected.planned);
            selected.planned.extend(outputs);
        }
        Some(selected)
    }

    /// The declarations of the modules in some folders, with their dependencies.
    fn needed_for(&self, folders: &BTreeSet<String>, inputs: &Inputs) -> HashSet<NodeId> {
        let modules = inputs.tree.iter();
        let modules = modules.filter(|(_, module)| folders.contains(&*module.dir));
        let modules: HashSet<_> = modules.map(|(addr, _)| addr).collect();
        let nodes = self.graph.declared();
        let nodes = nodes.filter(|it| modules.contains(&it.module));
        let needed = self.graph.with_dependencies(nodes);
        needed.into_iter().cloned().collect()
    }

    /// The nodes that the options name, or do not exclude, with all that they depend on.
    fn included(&self, inputs: &Inputs) -> HashSet<NodeId> {
        let (edges, options) = (Edges::of(self), &*inputs.options);
        let resources = edges.nodes().filter_map(|node| match &node.object {
            NodeObject::Resource(addr) if addr.mode != ResourceMode::Action => Some((node, addr)),
            _ => None,
        });
        let resources: Vec<_> = resources.collect();
        let mut excluded = HashSet::new();
        for (node, addr) in &resources {
            let excludes = || options.excludes.iter();
            if excludes().any(|target| target.covers(&node.module, addr)) {
                excluded.insert((*node).clone());
            }
            if excludes().any(|target| target.reaches(&node.module, addr)) {
                let others = edges.closure(node, Direction::Dependents).into_iter();
                excluded.extend(others.filter(|other| other != *node));
            }
        }
        let is_root = |node: &NodeId, addr| match options.targets.is_empty() {
            true => !excluded.contains(node),
            false => {
                let mut targets = options.targets.iter();
                targets.any(|target| target.reaches(&node.module, addr))
            }
        };
        let roots = resources.iter().filter(|(node, addr)| is_root(node, addr));
        let mut included = HashSet::new();
        for (node, addr) in roots {
            included.insert((*node).clone());
            included.extend(edges.closure(node, Direction::Dependencies));
            // The actions that it invokes belong to a resource, but not what else may invoke them.
            let dependencies = Dependencies {
                tree: &inputs.tree,
                module: &node.module,
            };
            let module = inputs.tree.module(&node.module);
            let resource = module.and_then(|module| module.resource(addr));
            for (trigger, action) in resource.into_iter().flat_map(|it| it.triggers()) {
                let declared = module
                    .and_then(|module| module.resource(action))
                    .into_iter();
                let needed = declared.flat_map(|it| dependencies.of_action_alone(it));
                let needed = needed.chain(dependencies.of_references(&trigger.references));
                for node in needed {
                    included.extend(edges.closure(&node, Direction::Dependencies));
                    included.insert(node);
                }
                included.insert(NodeObject::Resource(action.clone()).of(&node.module));
            }
        }
        included
    }

    /// The outputs of the root module that follow from selected resources alone, with their dependencies.
    fn outputs_of(&self, planned: &HashSet<NodeId>) -> HashSet<NodeId> {
        let edges = Edges::of(self);
        let mut outputs = HashSet::new();
        for node in edges.nodes() {
            if !node.module.is_root() || !matches!(node.object, NodeObject::Output(_)) {
                continue;
            }
            let behind = edges.closure(node, Direction::Dependencies);
            let is_resource = |node: &&NodeId| matches!(node.object, NodeObject::Resource(_));
            let mut resources = behind.iter().filter(is_resource).peekable();
            if resources.peek().is_some() && resources.all(|resource| planned.contains(resource)) {
                outputs.insert(node.clone());
                outputs.extend(behind);
            }
        }
        outputs
    }
}

/// The resources that have an object in the state which the options name: only such objects are destroyed.
fn stored_targets(inputs: &Inputs) -> Vec<&AbsResourceAddr> {
    let targets = &inputs.options.targets;
    let resources = inputs.state.resources.iter().filter(|(addr, stored)| {
        let mut keys = stored.instances.keys();
        keys.any(|key| {
            let addr = addr.instance(key.clone());
            targets.iter().any(|target| target.contains(&addr))
        })
    });
    resources.map(|(addr, _)| addr).collect()
}

/// The resources in the state that depend on an object which the options name: such an object is destroyed after them.
/// Instances of one module do not depend on each other. The dependencies are those of the last apply.
///
/// Follows `DestroyEdgeTransformer` of OpenTofu's `internal/tofu`.
fn dependents_of_targets(inputs: &Inputs) -> HashSet<AbsResourceAddr> {
    let mut dependents: HashMap<&ConfigResourceAddr, Vec<&AbsResourceAddr>> = HashMap::new();
    for addr in inputs.state.resources.keys() {
        for dependency in dependencies(&inputs.state, addr) {
            dependents.entry(dependency).or_default().push(addr);
        }
    }
    let mut whole = HashSet::new();
    let mut stack: Vec<&AbsResourceAddr> = stored_targets(inputs);
    while let Some(addr) = stack.pop() {
        let is_apart = |other: &AbsResourceAddr| {
            other.module != addr.module && other.module.module() == addr.module.module()
        };
        let behind = dependents.get(&addr.config()).into_iter().flatten();
        for other in behind.filter(|it| !is_apart(it)) {
            if whole.insert((*other).clone()) {
                stack.push(other);
            }
        }
    }
    whole
}

/// The nodes of resources whose objects are destroyed: those that the options name, or do not exclude, and their
/// dependents.
fn deleted(inputs: &Inputs, dependents: &HashSet<AbsResourceAddr>) -> HashSet<NodeId> {
    let (state, options) = (&*inputs.state, &*inputs.options);
    let node = |addr: &AbsResourceAddr| node(&addr.config());
    if !options.targets.is_empty() {
        let named = stored_targets(inputs).into_iter();
        return named.chain(dependents).map(node).collect();
    }
    let (mut excluded, mut named) = (HashSet::new(), Vec::new());
    for addr in state.resources.keys() {
        let module = addr.module.module();
        let excludes = || options.excludes.iter();
        if excludes().any(|target| target.covers(&module, &addr.resource)) {
            excluded.insert(node(addr));
        }
        if excludes().any(|target| target.reaches(&module, &addr.resource)) {
            named.push(addr);
        }
    }
    excluded.extend(Stored::new(state).behind(named));
    let nodes = state.resources.keys().map(node);
    nodes.filter(|it| !excluded.contains(it)).collect()
}

/// The resources in the state, by their nodes.
pub(super) struct Stored<'a> {
    state: &'a State,
    resources: HashMap<NodeId, Vec<&'a AbsResourceAddr>>,
}

impl<'a> Stored<'a> {
    pub fn new(state: &'a State) -> Stored<'a> {
        let mut resources: HashMap<NodeId, Vec<&AbsResourceAddr>> = HashMap::new();
        for addr in state.resources.keys() {
            resources
                .entry(node(&addr.config()))
                .or_default()
                .push(addr);
        }
        Stored { state, resources }
    }

    /// The resources whose objects are destroyed after those of one resource.
    pub fn destroyed_after(&self, resource: &NodeId) -> HashSet<NodeId> {
        self.behind(self.resources.get(resource).cloned().unwrap_or_default())
    }

    /// All that objects depend on: it is destroyed after them.
    fn behind(&self, mut stack: Vec<&'a AbsResourceAddr>) -> HashSet<NodeId> {
        let mut behind = HashSet::new();
        while let Some(addr) = stack.pop() {
            for dependency in dependencies(self.state, addr).map(node) {
                if !behind.contains(&dependency) {
                    stack.extend(self.resources.get(&dependency).into_iter().flatten());
                    behind.insert(dependency);
                }
            }
        }
        behind
    }
}

fn node(addr: &ConfigResourceAddr) -> NodeId {
    NodeObject::Resource(addr.resource.clone()).of(&addr.module)
}

/// The resources that the objects of a resource depend on.
fn dependencies<'a>(
    state: &'a State,
    addr: &AbsResourceAddr,
) -> impl Iterator<Item = &'a ConfigResourceAddr> {
    let stored = state.resources.get(addr).into_iter();
    let objects = stored
        .flat_map(|stored| stored.instances.values())
        .filter_map(|instance| instance.current.as_ref());
    objects.flat_map(|object| &object.dependencies)
}

#[derive(Clone, Copy)]
enum Direction {
    Dependencies,
    Dependents,
}

/// The graph in both directions.
struct Edges<'a> {
    dependencies: HashMap<&'a NodeId, Vec<&'a NodeId>>,
    dependents: HashMap<&'a NodeId, Vec<&'a NodeId>>,
}

impl<'a> Edges<'a> {
    fn of(engine: &'a Engine) -> Edges<'a> {
        let mut edges = Edges {
            dependencies: HashMap::new(),
            dependents: HashMap::new(),
        };
        for node in engine.graph.declared() {
            let dependencies: Vec<&NodeId> = engine.graph.dependencies(node).collect();
            for dependency in &dependencies {
                edges.dependents.entry(dependency).or_default().push(node);
            }
            edges.dependencies.insert(node, dependencies);
        }
        edges
    }

    fn nodes(&self) -> impl Iterator<Item = &'a NodeId> {
        self.dependencies.keys().copied()
    }

    /// Everything behind a node, without it unless it lies on a cycle.
    fn closure(&self, node: &NodeId, direction: Direction) -> HashSet<NodeId> {
        let map = match direction {
            Direction::Dependencies => &self.dependencies,
            Direction::Dependents => &self.dependents,
        };
        let next = |node: &NodeId| map.get(node).into_iter().flatten().copied();
        let mut seen = HashSet::new();
        let mut stack: Vec<&NodeId> = next(node).collect();
        while let Some(node) = stack.pop() {
            if seen.insert(node.clone()) {
                stack.extend(next(node));
            }
        }
        seen
    }
}
