//! Which nodes have to be evaluated after a change, and in which order.
//!
//! Nodes and their dependencies are known from the syntax before anything is evaluated. A change makes a few nodes
//! dirty. A [`Wave`] walks what may be affected in dependency order: a node is ready once everything it refers to is
//! settled, it is evaluated only if it is dirty itself or something it reads really changed, and an unchanged result
//! stops the wave there. A wave may be dropped at any time: what was not finished stays dirty in the graph.

use std::collections::hash_map::Entry;
use std::collections::{BTreeSet, BinaryHeap, HashMap, HashSet};
use std::fmt::Debug;
use std::hash::Hash;

/// Position of a node in the graph; stays valid as long as the graph lives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeIndex(u32);

/// A dependency graph with a dirty mark on each node.
#[derive(Debug)]
pub struct Graph<K> {
    by_key: HashMap<K, NodeIndex>,
    nodes: Vec<Node<K>>,
    dirty: BTreeSet<NodeIndex>,
}

#[derive(Debug)]
struct Node<K> {
    key: K,
    /// False for a node that is only referred to; it is there so that its declaration wakes those who refer to it.
    is_declared: bool,
    dependencies: Vec<NodeIndex>,
    dependents: BTreeSet<NodeIndex>,
}

impl<K> Default for Graph<K> {
    fn default() -> Self {
        Graph {
            by_key: HashMap::new(),
            nodes: Vec::new(),
            dirty: BTreeSet::new(),
        }
    }
}

impl<K: Clone + Eq + Hash + Debug> Graph<K> {
    /// Declares a node, or redeclares it with other dependencies; either way it becomes dirty.
    pub fn declare(&mut self, key: &K, dependencies: impl IntoIterator<Item = K>) {
        let index = self.index_of(key);
        self.disconnect(index);
        let mut dependencies: Vec<_> = dependencies
            .into_iter()
            .map(|key| self.index_of(&key))
            .collect();
        dependencies.sort_unstable();
        dependencies.dedup();
        for &dependency in &dependencies {
            self.node_mut(dependency).dependents.insert(index);
        }
        let node = self.node_mut(index);
        node.is_declared = true;
        node.dependencies = dependencies;
        self.dirty.insert(index);
    }

    /// Forgets the declaration of a node; whoever refers to it becomes dirty.
    pub fn remove(&mut self, key: &K) {
        let Some(&index) = self.by_key.get(key) else {
            return;
        };
        self.disconnect(index);
        self.node_mut(index).is_declared = false;
        self.dirty.remove(&index);
        self.mark_dependents_dirty(index);
    }

    pub fn mark_dirty(&mut self, key: &K) {
        if let Some(&index) = self.by_key.get(key)
            && self.node(index).is_declared
        {
            self.dirty.insert(index);
        }
    }

    pub fn mark_all_dirty(&mut self) {
        let declared = self
            .nodes
            .iter()
            .enumerate()
            .filter(|(_, node)| node.is_declared);
        self.dirty
            .extend(declared.map(|(index, _)| NodeIndex(index as u32)));
    }

    pub fn is_declared(&self, key: &K) -> bool {
        self.by_key
            .get(key)
            .is_some_and(|&index| self.node(index).is_declared)
    }

    /// All that is declared, in no order.
    pub fn declared(&self) -> impl Iterator<Item = &K> {
        let declared = self.nodes.iter().filter(|node| node.is_declared);
        declared.map(|node| &node.key)
    }

    /// Whether anything declared refers to `key`.
    pub fn has_dependents(&self, key: &K) -> bool {
        self.by_key
            .get(key)
            .is_some_and(|&index| !self.node(index).dependents.is_empty())
    }

    #[cfg(test)]
    fn is_clean(&self) -> bool {
        self.dirty.is_empty()
    }

    /// The declared keys that `key` refers to.
    pub fn dependencies(&self, key: &K) -> impl Iterator<Item = &K> {
        self.by_key
            .get(key)
            .into_iter()
            .flat_map(|&index| self.node(index).dependencies.iter())
            .map(|&index| self.node(index))
            .filter(|node| node.is_declared)
            .map(|node| &node.key)
    }

    /// `keys`, and all that they refer to, directly or through others.
    pub fn with_dependencies<'a>(
        &'a self,
        keys: impl IntoIterator<Item = &'a K>,
    ) -> HashSet<&'a K> {
        let mut all = HashSet::new();
        let mut stack: Vec<&K> = keys.into_iter().collect();
        while let Some(key) = stack.pop() {
            if all.insert(key) {
                stack.extend(self.dependencies(key));
            }
        }
        all
    }

    /// What refers to any of `keys`, directly or through others, with the first of the keys that it refers to. They
    /// themselves are among that only where they do.
    pub fn dependents<'a>(&self, keys: impl IntoIterator<Item = &'a K>) -> HashMap<K, &'a K>
    where
        K: 'a,
    {
        self.dependents_through(keys, |_| true)
    }

    /// The same, as far as it is through keys that pass it on.
    pub fn dependents_through<'a>(
        &self,
        keys: impl IntoIterator<Item = &'a K>,
        passes_on: impl Fn(&K) -> bool,
    ) -> HashMap<K, &'a K>
    where
        K: 'a,
    {
        let mut found = HashMap::new();
        for key in keys {
            let mut stack: Vec<NodeIndex> = self.by_key.get(key).copied().into_iter().collect();
            while let Some(index) = stack.pop() {
                for &dependent in &self.node(index).dependents {
                    let entry = found.entry(self.node(dependent).key.clone());
                    if let Entry::Vacant(entry) = entry {
                        if passes_on(entry.key()) {
                            stack.push(dependent);
                        }
                        entry.insert(key);
                    }
                }
            }
        }
        found
    }

    /// What refers to any of `keys`, directly or through others, as far as all of them pass it on.
    pub fn passing<'a>(
        &self,
        keys: impl IntoIterator<Item = &'a K>,
        passes_on: impl Fn(&K) -> bool,
    ) -> HashSet<K>
    where
        K: 'a,
    {
        let mut found = HashSet::new();
        let indexes = keys.into_iter().filter_map(|key| self.by_key.get(key));
        let mut stack: Vec<NodeIndex> = indexes.copied().collect();
        while let Some(index) = stack.pop() {
            for &dependent in &self.node(index).dependents {
                let key = &self.node(dependent).key;
                if passes_on(key) && !found.contains(key) {
                    found.insert(key.clone());
                    stack.push(dependent);
                }
            }
        }
        found
    }

    /// Starts a wave over everything that the dirty nodes may affect. Among the nodes that are ready, those in focus come
    /// first, and before others those that are dirty already.
    pub fn start_wave(&self, is_in_focus: impl Fn(&K) -> bool) -> Wave {
        let mut affected: HashMap<NodeIndex, Affected> = HashMap::new();
        let mut stack: Vec<NodeIndex> = self.dirty.iter().copied().collect();
        while let Some(index) = stack.pop() {
            if affected.contains_key(&index) {
                continue;
            }
            let priority = Priority {
                is_in_focus: is_in_focus(&self.node(index).key),
                is_dirty: self.dirty.contains(&index),
            };
            affected.insert(
                index,
                Affected {
                    waiting_for: 0,
                    priority,
                },
            );
            stack.extend(self.node(index).dependents.iter().copied());
        }
        let mut ready = BinaryHeap::new();
        let waiting: Vec<(NodeIndex, u32)> = affected
            .keys()
            .map(|&index| {
                let dependencies = &self.node(index).dependencies;
                let count = dependencies
                    .iter()
                    .filter(|d| affected.contains_key(d))
                    .count();
                (index, count as u32)
            })
            .collect();
        for (index, count) in waiting {
            let node = affected.get_mut(&index).expect("index comes from the map");
            node.waiting_for = count;
            if count == 0 {
                ready.push(Ready {
                    priority: node.priority,
                    index,
                });
            }
        }
        let in_focus = affected.values().filter(|node| node.priority.is_in_focus);
        Wave {
            in_focus: in_focus.count(),
            affected,
            ready,
        }
    }

    fn node(&self, index: NodeIndex) -> &Node<K> {
        &self.nodes[index.0 as usize]
    }

    fn node_mut(&mut self, index: NodeIndex) -> &mut Node<K> {
        &mut self.nodes[index.0 as usize]
    }

    fn index_of(&mut self, key: &K) -> NodeIndex {
        if let Some(&index) = self.by_key.get(key) {
            return index;
        }
        let index = NodeIndex(self.nodes.len() as u32);
        self.by_key.insert(key.clone(), index);
        self.nodes.push(Node {
            key: key.clone(),
            is_declared: false,
            dependencies: Vec::new(),
            dependents: BTreeSet::new(),
        });
        index
    }

    fn mark_dependents_dirty(&mut self, index: NodeIndex) {
        let node = &self.nodes[index.0 as usize];
        self.dirty.extend(&node.dependents);
    }

    fn disconnect(&mut self, index: NodeIndex) {
        for dependency in std::mem::take(&mut self.node_mut(index).dependencies) {
            self.node_mut(dependency).dependents.remove(&index);
        }
    }
}

/// One walk over the affected part of a graph.
#[derive(Debug)]
pub struct Wave {
    affected: HashMap<NodeIndex, Affected>,
    ready: BinaryHeap<Ready>,
    /// How many of the affected nodes are in focus.
    in_focus: usize,
}

#[derive(Debug)]
struct Affected {
    waiting_for: u32,
    priority: Priority,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Priority {
    is_in_focus: bool,
    is_dirty: bool,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Ready {
    priority: Priority,
    index: NodeIndex,
}

impl Wave {
    /// Whether a change may still reach the node, because the node is not settled.
    pub fn may_reach<K: Clone + Eq + Hash + Debug>(&self, graph: &Graph<K>, key: &K) -> bool {
        let index = graph.by_key.get(key);
        index.is_some_and(|index| self.affected.contains_key(index))
    }

    /// Whether something in focus is left to be settled.
    pub fn awaits_focus(&self) -> bool {
        self.in_focus > 0
    }

    /// Whether nothing in focus is left to be settled, but something else is.
    pub fn is_out_of_focus(&self) -> bool {
        self.in_focus == 0 && !self.affected.is_empty()
    }

    /// The next node that must be evaluated and whose dependencies are settled. Hand it back with [`Wave::finish`].
    pub fn next<K: Clone + Eq + Hash + Debug>(&mut self, graph: &mut Graph<K>) -> Option<K> {
        while let Some(Ready { index, .. }) = self.ready.pop() {
            if graph.dirty.contains(&index) && graph.node(index).is_declared {
                return Some(graph.node(index).key.clone());
            }
            graph.dirty.remove(&index);
            self.settle(graph, index);
        }
        None
    }

    /// Records that `key` has been evaluated. If its result changed, those who refer to it will be evaluated too.
    pub fn finish<K: Clone + Eq + Hash + Debug>(
        &mut self,
        graph: &mut Graph<K>,
        key: &K,
        is_changed: bool,
    ) {
        let Some(&index) = graph.by_key.get(key) else {
            return;
        };
        if is_changed {
            graph.mark_dependents_dirty(index);
        }
        graph.dirty.remove(&index);
        self.settle(graph, index);
    }

    /// The nodes that wait for each other, once [`Wave::next`] answers `None` with nothing in flight: every node that
    /// lies on a cycle, grouped by cycle and without those that merely depend on one.
    pub fn cycles<K: Clone + Eq + Hash + Debug>(&self, graph: &Graph<K>) -> Vec<Vec<K>> {
        let stuck: BTreeSet<NodeIndex> = self.affected.keys().copied().collect();
        let dependencies = |index: NodeIndex| graph.node(index).dependencies.as_slice();
        strongly_connected(dependencies, &stuck)
            .into_iter()
            .filter(|group| {
                group.len() > 1 || graph.node(group[0]).dependencies.contains(&group[0])
            })
            .map(|group| {
                group
                    .into_iter()
                    .map(|index| graph.node(index).key.clone())
                    .collect()
            })
            .collect()
    }

    fn settle<K: Clone + Eq + Hash + Debug>(&mut self, graph: &Graph<K>, index: NodeIndex) {
        let Some(settled) = self.affected.remove(&index) else {
            return;
        };
        self.in_focus -= usize::from(settled.priority.is_in_focus);
        for &dependent in &graph.node(index).dependents {
            let Some(node) = self.affected.get_mut(&dependent) else {
                continue;
            };
            node.waiting_for = node.waiting_for.saturating_sub(1);
            if node.waiting_for == 0 {
                self.ready.push(Ready {
                    priority: node.priority,
                    index: dependent,
                });
            }
        }
    }
}

/// The nodes in `within` in groups that can all be reached from each other, by Tarjan's algorithm, without recursion.
/// Each group is sorted.
pub fn strongly_connected<'a, N: Copy + Ord + Hash + 'a>(
    dependencies: impl Fn(N) -> &'a [N],
    within: &BTreeSet<N>,
) -> Vec<Vec<N>> {
    #[derive(Clone, Copy)]
    struct Visit {
        order: usize,
        low: usize,
        on_stack: bool,
    }
    let mut visits: HashMap<N, Visit> = HashMap::new();
    let mut stack = Vec::new();
    let mut groups = Vec::new();
    for &root in within {
        if visits.contains_key(&root) {
            continue;
        }
        let mut calls = vec![(root, 0usize)];
        while let Some(&mut (index, ref mut next)) = calls.last_mut() {
            if *next == 0 {
                let order = visits.len();
                visits.insert(
                    index,
                    Visit {
                        order,
                        low: order,
                        on_stack: true,
                    },
                );
                stack.push(index);
            }
            let dependency = dependencies(index).get(*next).copied();
            *next += 1;
            match dependency {
                Some(dependency) if !within.contains(&dependency) => {}
                Some(dependency) => match visits.get(&dependency).copied() {
                    None => calls.push((dependency, 0)),
                    Some(seen) if seen.on_stack => {
                        let visit = visits.get_mut(&index).expect("visited above");
                        visit.low = visit.low.min(seen.order);
                    }
                    Some(_) => {}
                },
                None => {
                    calls.pop();
                    let visit = visits[&index];
                    if let Some(&(parent, _)) = calls.last() {
                        let parent = visits.get_mut(&parent).expect("visited before its child");
                        parent.low = parent.low.min(visit.low);
                    }
                    if visit.low == visit.order {
                        let mut group = Vec::new();
                        while let Some(member) = stack.pop() {
                            visits.get_mut(&member).expect("on the stack").on_stack = false;
                            group.push(member);
                            if member == index {
                                break;
                            }
                        }
                        group.sort_unstable();
                        groups.push(group);
                    }
                }
            }
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs a wave and lists what was evaluated; `changed` says whose result differs.
    fn run(graph: &mut Graph<&'static str>, changed: &[&str]) -> String {
        let mut wave = graph.start_wave(|_| false);
        let mut evaluated = Vec::new();
        while let Some(key) = wave.next(graph) {
            evaluated.push(key);
            wave.finish(graph, &key, changed.contains(&key));
        }
        for cycle in wave.cycles(graph) {
            evaluated.push("cycle:");
            evaluated.extend(cycle);
        }
        evaluated.join(" ")
    }

    /// a <- b <- c, and d alone.
    fn chain() -> Graph<&'static str> {
        let mut graph = Graph::default();
        graph.declare(&"c", ["b"]);
        graph.declare(&"b", ["a"]);
        graph.declare(&"a", []);
        graph.declare(&"d", []);
        run(&mut graph, &["a", "b", "c", "d"]);
        graph
    }

    #[test]
    fn dependencies_come_first() {
        let mut graph = Graph::default();
        graph.declare(&"c", ["b"]);
        graph.declare(&"b", ["a"]);
        graph.declare(&"a", []);
        assert_eq!(run(&mut graph, &["a", "b", "c"]), "a b c");
        assert!(graph.is_clean());
    }

    #[test]
    fn an_unchanged_result_stops_the_wave() {
        let mut graph = chain();
        graph.mark_dirty(&"a");
        assert_eq!(run(&mut graph, &[]), "a");
        graph.mark_dirty(&"a");
        assert_eq!(run(&mut graph, &["a"]), "a b");
    }

    #[test]
    fn a_declaration_wakes_those_who_waited_for_it() {
        let mut graph = Graph::default();
        graph.declare(&"b", ["a"]);
        assert_eq!(run(&mut graph, &["b"]), "b");
        graph.declare(&"a", []);
        assert_eq!(run(&mut graph, &["a"]), "a b");
        graph.remove(&"a");
        assert_eq!(run(&mut graph, &[]), "b");
    }

    #[test]
    fn a_dropped_wave_loses_nothing() {
        let mut graph = chain();
        graph.mark_dirty(&"a");
        let mut wave = graph.start_wave(|_| false);
        let first = wave.next(&mut graph);
        assert_eq!(first, Some("a"));
        wave.finish(&mut graph, &"a", true);
        drop(wave);
        assert_eq!(run(&mut graph, &[]), "b");
    }

    #[test]
    fn a_cycle_is_reported_without_its_dependents() {
        let mut graph = Graph::default();
        graph.declare(&"a", ["b"]);
        graph.declare(&"b", ["a"]);
        graph.declare(&"c", ["b"]);
        graph.declare(&"d", ["d"]);
        assert_eq!(run(&mut graph, &[]), "cycle: a b cycle: d");
    }

    #[test]
    fn visible_nodes_come_first_then_edited_ones() {
        let mut graph = chain();
        graph.declare(&"e", []);
        graph.mark_dirty(&"b");
        graph.mark_dirty(&"d");
        let mut wave = graph.start_wave(|key| *key == "d");
        assert!(!wave.is_out_of_focus());
        let mut evaluated = Vec::new();
        while let Some(key) = wave.next(&mut graph) {
            evaluated.push(key);
            wave.finish(&mut graph, &key, true);
            assert_eq!(wave.is_out_of_focus(), evaluated.len() < 4);
        }
        assert_eq!(evaluated, ["d", "e", "b", "c"]);
    }
}
