//! The order in which an apply would make the planned changes, as far as it can be circular.
//!
//! Follows OpenTofu's `internal/tofu/transform_diff.go`, `transform_destroy_edge.go` and `transform_destroy_cbd.go`.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use config::{InstanceKey, Product, Referenceable, ResourceInstanceAddr};
use graph::strongly_connected;
use text::Diagnostic;

use super::{Engine, named_cycle};
use crate::inputs::Inputs;
use crate::node::{NodeId, NodeObject, declaration};
use crate::plan::is_failure;
use crate::{APPLY_CYCLE, Action, Plan, PlanMode, ResourceInstanceChange, ResourceResult};

/// How many dependencies are looked at. Beyond that, a cycle is left for the apply to find.
const MAX_DEPENDENCIES: usize = 200_000;

impl Engine {
    /// Adds an error for changes that wait for each other, so that no apply could make them. An unfinished plan has none,
    /// as its changes may belong to different texts.
    pub(super) fn add_circular_changes(&self, inputs: &Inputs, plan: &mut Plan) {
        let mut kept = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let orders = kept.update(plan.resources.chunks(), Order::of);
        let is_refused =
            orders.clone().any(|it| it.has_errors) || plan.diagnostics.iter().any(is_failure);
        let is_planned = plan.mode != PlanMode::Validate && !is_refused;
        if !is_planned || !orders.clone().any(|it| it.has_destroys) {
            return;
        }
        let resources = plan.resources.chunks().chunks().zip(orders);
        let changed = resources.filter(|(_, it)| it.has_changes);
        let changed = changed.flat_map(|(resources, _)| resources);
        let cycles = ApplyOrder::of(self, inputs, changed).and_then(|order| {
            let cycles = order.cycles()?;
            Some(cycles.iter().map(|it| order.error(it)).collect::<Vec<_>>())
        });
        plan.diagnostics.extend(cycles.into_iter().flatten());
    }
}

/// The properties of a chunk of resources that decide the order of an apply.
#[derive(Debug)]
pub(super) struct Order {
    has_errors: bool,
    has_changes: bool,
    has_destroys: bool,
}

impl Order {
    fn of(resources: &[Arc<ResourceResult>]) -> Order {
        let is_destroy = |it: &ResourceInstanceChange| {
            it.action.is_replace() || matches!(it.action, Action::Delete | Action::Forget)
        };
        let mut diagnostics = resources.iter().flat_map(|it| &it.diagnostics);
        let changes = || resources.iter().flat_map(|it| it.changes());
        Order {
            has_errors: diagnostics.any(is_failure),
            has_changes: changes().any(|it| it.action != Action::NoOp),
            has_destroys: changes().any(is_destroy),
        }
    }
}

/// An object that the apply changes.
struct AppliedChange<'a> {
    addr: &'a ResourceInstanceAddr,
    node: &'a NodeId,
    /// The resources that it depends on, in the state and in the configuration.
    dependencies: BTreeSet<NodeId>,
    /// Whether it is created, updated or read.
    is_made: bool,
    destroy: Option<Destroy<'a>>,
}

#[derive(Clone, Copy)]
struct Destroy<'a> {
    end: End<'a>,
    /// Whether the new object, and changes of objects that depend on it, come first.
    is_last: bool,
}

#[derive(Clone, Copy)]
enum End<'a> {
    Destroy,
    /// The key of a deposed object; `None` for one that only the apply deposes.
    DestroyDeposed(Option<&'a str>),
    Forget,
}

impl<'a> Destroy<'a> {
    fn of(inputs: &Inputs, change: &'a ResourceInstanceChange) -> Option<Destroy<'a>> {
        let product = inputs.environment.functions.profile.product;
        let is_last = || stored(inputs, &change.addr).is_some_and(|it| it.create_before_destroy);
        let (end, is_last) = match (change.action, change.deposed.as_deref()) {
            (Action::Delete, Some(key)) => (End::DestroyDeposed(Some(key)), true),
            (Action::Delete, None) => (End::Destroy, is_last()),
            // As the life cycle in its block says, whatever it said before.
            (Action::DeleteThenCreate, _) => (End::Destroy, false),
            (Action::CreateThenDelete, _) => (End::DestroyDeposed(None), true),
            // OpenTofu forgets in any order.
            (Action::Forget, None) if product == Product::Terraform => (End::Forget, false),
            _ => return None,
        };
        Some(Destroy { end, is_last })
    }
}

/// The current object of an instance.
fn stored<'a>(inputs: &'a Inputs, addr: &ResourceInstanceAddr) -> Option<&'a state::Object> {
    let resource = inputs.state.resources.get(&addr.resource())?;
    resource.instances.get(&addr.key)?.current.as_deref()
}

/// A step of an apply; numbers are those of the changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum ApplyStep<'a> {
    Make(usize),
    Destroy(usize),
    /// A declaration is evaluated.
    Evaluate(&'a NodeId),
}

struct ApplyOrder<'a> {
    engine: &'a Engine,
    inputs: &'a Inputs,
    changes: Vec<AppliedChange<'a>>,
    by_resource: HashMap<&'a NodeId, Vec<usize>>,
    /// Those that make an object.
    by_addr: HashMap<&'a ResourceInstanceAddr, usize>,
}

/// The first step needs the second.
type Edge<'a> = (ApplyStep<'a>, ApplyStep<'a>);

type Edges<'a> = BTreeMap<ApplyStep<'a>, Vec<ApplyStep<'a>>>;

fn by_start<'a>(edges: impl IntoIterator<Item = Edge<'a>>) -> Edges<'a> {
    let mut by_start = Edges::new();
    for (from, to) in edges {
        by_start.entry(from).or_default().push(to);
    }
    by_start
}

impl<'a> ApplyOrder<'a> {
    /// `None` where there are too many dependencies.
    fn of(
        engine: &'a Engine,
        inputs: &'a Inputs,
        resources: impl Iterator<Item = &'a Arc<ResourceResult>>,
    ) -> Option<ApplyOrder<'a>> {
        let changes = resources.flat_map(|it| it.changes());
        let changes = changes.filter(|it| it.action != Action::NoOp);
        let changes = changes.filter_map(|change| {
            let addr = &change.addr;
            let node = NodeObject::Resource(addr.resource.clone()).of(&addr.module.module());
            Some(AppliedChange {
                addr,
                node: engine.results.get_key_value(&node)?.0,
                dependencies: BTreeSet::new(),
                is_made: !matches!(change.action, Action::Delete | Action::Forget),
                destroy: Destroy::of(inputs, change),
            })
        });
        let mut order = ApplyOrder {
            engine,
            inputs,
            changes: changes.collect(),
            by_resource: HashMap::new(),
            by_addr: HashMap::new(),
        };
        for (i, change) in order.changes.iter().enumerate() {
            order.by_resource.entry(change.node).or_default().push(i);
            if change.is_made {
                order.by_addr.insert(change.addr, i);
            }
        }
        order.add_dependencies()?;
        Some(order)
    }

    /// A refresh adds the dependencies in the configuration to those in the state.
    fn add_dependencies(&mut self) -> Option<()> {
        let (engine, inputs) = (self.engine, self.inputs);
        let destroyed = self.changes.iter().filter(|it| it.destroy.is_some());
        let destroyed: HashSet<&NodeId> = destroyed.map(|it| it.node).collect();
        let behind_destroyed = engine.graph.dependents(destroyed);
        let is_refreshed = inputs.options.refresh && inputs.options.mode != PlanMode::Destroy;
        let mut configured: HashMap<&NodeId, BTreeSet<NodeId>> = HashMap::new();
        let mut count = 0;
        for change in &mut self.changes {
            let object = stored(inputs, change.addr);
            let stored = object.iter().flat_map(|it| &it.dependencies);
            change
                .dependencies
                .extend(stored.map(|it| NodeObject::Resource(it.resource.clone()).of(&it.module)));
            let is_concerned =
                change.destroy.is_some() || behind_destroyed.contains_key(change.node);
            if is_concerned && change.is_made && (is_refreshed || object.is_none()) {
                let of_config = configured.entry(change.node);
                let behind = |it: &&'a NodeId| engine.resources_behind(it).cloned().collect();
                let of_config = of_config.or_insert_with_key(behind);
                change.dependencies.extend(of_config.iter().cloned());
            }
            count += change.dependencies.len();
            if count > MAX_DEPENDENCIES {
                return None;
            }
        }
        Some(())
    }

    /// The steps that wait for each other. `None` where there are too many dependencies.
    fn cycles(&self) -> Option<Vec<Vec<ApplyStep<'a>>>> {
        let is_last = |i: usize| self.changes[i].destroy.is_some_and(|it| it.is_last);
        let edges = self.between_changes()?.into_iter();
        let edges = edges.map(|(from, to)| match (from, to) {
            (ApplyStep::Make(_), ApplyStep::Destroy(i)) if is_last(i) => (to, from),
            edge => edge,
        });
        Some(self.cycles_of(edges))
    }

    fn cycles_of(&self, edges: impl IntoIterator<Item = Edge<'a>>) -> Vec<Vec<ApplyStep<'a>>> {
        let edges = by_start(edges);
        let destroyed = edges
            .keys()
            .filter(|it| matches!(it, ApplyStep::Destroy(_)));
        let edges = self.reached(&edges, destroyed.copied().collect());
        let needed = |step| edges.get(&step).map_or(&[][..], |it| it);
        let mut cycles = strongly_connected(needed, &edges.keys().copied().collect());
        cycles.retain(|it| it.len() > 1);
        cycles
    }

    /// All that `steps` need, also by the configuration, each with what it needs itself.
    fn reached(&self, edges: &Edges<'a>, mut steps: Vec<ApplyStep<'a>>) -> Edges<'a> {
        let mut reached = Edges::new();
        while let Some(step) = steps.pop() {
            if let Entry::Vacant(entry) = reached.entry(step) {
                let of_changes = edges.get(&step).into_iter().flatten().copied();
                let needed = of_changes.chain(self.needed_by(step)).collect();
                steps.extend(entry.insert(needed).iter());
            }
        }
        reached
    }

    fn provider_config(&self, resource: &NodeId) -> Option<&'a NodeId> {
        let mut dependencies = self.engine.graph.dependencies(resource);
        dependencies.find(|it| matches!(it.object, NodeObject::ProviderConfig(..)))
    }

    /// The steps that a step needs by the configuration alone.
    fn needed_by(&self, step: ApplyStep<'a>) -> Vec<ApplyStep<'a>> {
        match step {
            ApplyStep::Destroy(i) => {
                let provider = self.provider_config(self.changes[i].node);
                provider.map(ApplyStep::Evaluate).into_iter().collect()
            }
            ApplyStep::Make(i) => vec![ApplyStep::Evaluate(self.changes[i].node)],
            ApplyStep::Evaluate(node) => {
                let nodes = self.engine.graph.dependencies(node);
                let all = nodes.flat_map(|it| self.made(node, it).chain([ApplyStep::Evaluate(it)]));
                all.collect()
            }
        }
    }

    /// The objects of `resource` that `node` refers to, if they change.
    fn made(&self, node: &NodeId, resource: &NodeId) -> impl Iterator<Item = ApplyStep<'a>> {
        let made = self
            .of_resource(resource)
            .filter(|&i| self.changes[i].is_made);
        let mut made: Vec<usize> = made.collect();
        if let Some(keys) = self.keys(node, resource) {
            let is_named = |i: &usize| keys.contains(&self.changes[*i].addr.key);
            if made.iter().any(is_named) {
                made.retain(is_named);
            }
        }
        made.into_iter().map(ApplyStep::Make)
    }

    /// The keys of the instances of `resource` that `node` refers to, unless it refers to all of them.
    fn keys(&self, node: &NodeId, resource: &NodeId) -> Option<HashSet<&'a InstanceKey>> {
        let NodeObject::Resource(addr) = &resource.object else {
            return None;
        };
        let references = &declaration(self.inputs.tree.module(&node.module)?, node)?.references;
        let mut subjects = references
            .iter()
            .map(|it| &it.subject)
            .filter(|it| it.resource() == Some(addr))
            .peekable();
        subjects.peek()?;
        subjects
            .map(|subject| match subject {
                Referenceable::ResourceInstance(_, key) => Some(key),
                _ => None,
            })
            .collect()
    }

    fn of_resource(&self, resource: &NodeId) -> impl Iterator<Item = usize> {
        self.by_resource
            .get(resource)
            .into_iter()
            .flatten()
            .copied()
    }

    /// What the steps of the changes need of each other, as if each object was destroyed before the new one is made.
    fn between_changes(&self) -> Option<Vec<Edge<'a>>> {
        let (mut edges, mut crossing) = (Vec::new(), Vec::new());
        for (i, change) in self.changes.iter().enumerate() {
            if change.destroy.is_some() {
                let made = self.by_addr.get(change.addr);
                edges.extend(made.map(|&made| (ApplyStep::Make(made), ApplyStep::Destroy(i))));
            }
            let dependencies = change
                .dependencies
                .iter()
                .flat_map(|it| self.of_resource(it));
            for before in dependencies.filter(|&it| !self.is_apart(i, it)) {
                let is_destroyed = self.changes[before].destroy.is_some();
                if change.is_made && is_destroyed {
                    edges.push((ApplyStep::Make(i), ApplyStep::Destroy(before)));
                }
                if change.destroy.is_some() {
                    let made = self.changes[before]
                        .is_made
                        .then_some(ApplyStep::Make(before));
                    let destroyed = is_destroyed.then_some(ApplyStep::Destroy(before));
                    let waiting = destroyed.into_iter().chain(made);
                    let edges = match self.has_same_provider(i, before) {
                        true => &mut edges,
                        false => &mut crossing,
                    };
                    edges.extend(waiting.map(|it| (it, ApplyStep::Destroy(i))));
                }
                if edges.len() + crossing.len() > MAX_DEPENDENCIES {
                    return None;
                }
            }
        }
        if self.inputs.options.mode == PlanMode::Destroy {
            edges.extend(crossing);
            return Some(edges);
        }
        self.with_crossing(edges, crossing)
    }

    /// Objects of different providers wait for each other only where that makes no cycle.
    fn with_crossing(
        &self,
        mut edges: Vec<Edge<'a>>,
        crossing: Vec<Edge<'a>>,
    ) -> Option<Vec<Edge<'a>>> {
        let all = [&edges[..], &crossing].concat();
        if crossing.is_empty() || self.cycles_of(all.iter().copied()).is_empty() {
            return Some(all);
        }
        let mut known = by_start(edges.iter().copied());
        let mut steps = 0;
        for (from, to) in crossing {
            let reached = self.reached(&known, vec![to]);
            steps += reached.len();
            if steps > MAX_DEPENDENCIES {
                return None;
            }
            if !reached.contains_key(&from) {
                known.entry(from).or_default().push(to);
                edges.push((from, to));
            }
        }
        Some(edges)
    }

    /// Whether two objects are in different instances of the same module, where their order does not matter.
    fn is_apart(&self, a: usize, b: usize) -> bool {
        let (a, b) = (self.changes[a].addr, self.changes[b].addr);
        a.module != b.module && a.module.module() == b.module.module()
    }

    fn has_same_provider(&self, a: usize, b: usize) -> bool {
        let provider = |i: usize| self.provider_config(self.changes[i].node);
        provider(a) == provider(b)
    }

    /// As the product lists the members; the error is at the first of them that the configuration has.
    fn error(&self, cycle: &[ApplyStep<'a>]) -> Diagnostic {
        let nodes: Vec<NodeId> = cycle.iter().map(|it| self.node(it).clone()).collect();
        let product = self.inputs.environment.functions.profile.product;
        let name = |step: &ApplyStep<'a>| match step {
            ApplyStep::Make(i) => self.changes[*i].addr.to_string(),
            ApplyStep::Destroy(i) => {
                let change = &self.changes[*i];
                let kind = match change.destroy.map_or(End::Destroy, |it| it.end) {
                    End::Destroy => "destroy".to_owned(),
                    End::DestroyDeposed(None) => "destroy deposed".to_owned(),
                    End::DestroyDeposed(Some(key)) => format!("destroy deposed {key}"),
                    End::Forget => "forget".to_owned(),
                };
                format!("{} ({kind})", change.addr)
            }
            ApplyStep::Evaluate(node) => match node.object {
                NodeObject::Resource(_) => format!("{node} (expand)"),
                _ => node.name_in_cycle(&nodes, &self.inputs.tree, product),
            },
        };
        let place = nodes.iter().find_map(|node| {
            let module = self.inputs.tree.module(&node.module)?;
            Some(declaration(module, node)?.span.clone())
        });
        let summary = named_cycle(cycle.iter().map(name).collect());
        Diagnostic::error(APPLY_CYCLE, summary, "", place)
    }

    fn node(&self, step: &ApplyStep<'a>) -> &'a NodeId {
        match step {
            ApplyStep::Make(i) | ApplyStep::Destroy(i) => self.changes[*i].node,
            ApplyStep::Evaluate(node) => node,
        }
    }
}
