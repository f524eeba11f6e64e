//! The engine: keeps the result of every node of the module tree, and after a change computes only the nodes that the
//! change reaches.
//!
//! Evaluating a node is synchronous. Providers are asked between nodes, many at a time. A run may be dropped at any
//! await: the nodes that were not finished stay dirty and are done by the next run.

mod apply_order;
mod checks;
mod collect;
mod declare;
mod deprecated_parts;
mod evaluate;
mod evaluation_groups;
mod ledger;
mod modules;
mod outputs;
mod pending;
mod providers;
mod references;
mod standing;
mod targets;
mod unreached;
mod waiting;

use std::collections::btree_map::{BTreeMap, Entry};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, Mutex};

use config::{
    ConfigResourceAddr, ModuleInstanceAddr, ProviderConfigAddr, ResourceInstanceAddr, ResourceMode,
};
use cty::Value;
use cty::budget::{Cancel, Spent, Stopped, cancellable, within};
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use graph::{Graph, Wave};
use text::{Diagnostic, PerChunk, Severity, Span};

use crate::caveat::{Caveat, Unevaluated};
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, NodeObject, declaration};
use crate::result::{
    CallResult, Evaluated, NodeResult, PerInstance, ProviderConfigResult, ProviderConfigs,
    ResourceResult,
};
use crate::{BehindErrors, Plan, PlanMode, Resources};
use crate::{budget, circular, json, refactoring, removed, resource};
use ledger::CostLedger;

/// Plans one root module, with all that it calls, again and again.
#[derive(Default)]
pub struct Engine {
    inputs: Option<Inputs>,
    graph: Graph<NodeId>,
    results: BTreeMap<NodeId, NodeResult>,
    /// The values of called modules among the results.
    values: collect::Values,
    /// The planned resources among the results, except for those in `planned`.
    resources: Resources,
    /// Results that `resources` has not taken in yet.
    planned: Vec<Arc<ResourceResult>>,
    /// Where the state has objects of each resource.
    stored: HashMap<ConfigResourceAddr, Vec<ModuleInstanceAddr>>,
    /// Resources that only the state has.
    orphans: BTreeSet<ConfigResourceAddr>,
    /// Nodes whose expressions read files, which may have changed by the next run.
    reads_files: HashSet<NodeId>,
    /// Nodes whose expressions call functions of providers.
    calls_providers: HashSet<NodeId>,
    /// Those among `results` with errors of their own.
    failed: BTreeSet<NodeId>,
    /// Nodes with references that the loader reports.
    refused: BTreeSet<NodeId>,
    /// The parts of resources that their schemas do not have.
    unread_parts: HashMap<NodeId, Vec<Span>>,
    /// Calls and resources whose instances are unknown. The reason depends on failures before them, also on those that
    /// change no value.
    unexpanded: BTreeSet<NodeId>,
    /// Data sources that a refresh would read, as their values are unknown, and errors that follow from the values that the state
    /// has of others; with the addresses of the data sources.
    unread: BTreeMap<NodeId, String>,
    /// Data sources that a refresh would read, and that have the values of the state until then.
    stand_ins: BTreeMap<NodeId, String>,
    /// Those with objects that are left alone from now on.
    forgetting: HashSet<NodeId>,
    /// Resources that create their new object first because something that depends on them does.
    create_before_destroy: HashSet<NodeId>,
    /// The provider configurations that something uses, or used before the last change.
    provider_configs: BTreeSet<ProviderConfigAddr>,
    /// The nodes of the plan, if those are not all.
    selected: Option<targets::Selected>,
    /// Whose results stand in for a cycle that there was at the last run.
    in_cycle: HashSet<NodeId>,
    /// The plans of resources when nothing was wrong, made from the same world.
    last_valid: Option<Resources>,
    /// The properties of the last whole plan that decide the order of an apply, by chunk of resources.
    orders: Mutex<PerChunk<Arc<ResourceResult>, apply_order::Order>>,
    is_supposing: bool,
    ledger: CostLedger,
    stats: Stats,
}

/// The costs of the last run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub nodes_evaluated: usize,
    pub instances_planned: usize,
    pub instances_reused: usize,
    /// The costs of the evaluation.
    pub spent: Spent,
}

/// How many members of a cycle are named, and have the error: of thousands, all names at all of them take a gigabyte.
const MEMBERS_NAMED: usize = 50;

/// How many nodes are evaluated between two looks at cancellation and at answers of providers.
const NODES_PER_STEP: usize = 16;

/// Outside of the focus, the plan is published when so many times the nodes are done.
const PUBLISH_AT_TIMES: usize = 4;

use waiting::{PendingAnswer, Unanswered};
pub use waiting::{PublishRequest, PublishRequests};

type Pending = BoxFuture<'static, (NodeId, NodeResult)>;

enum Evaluation {
    Done(NodeResult),
    Ask(Pending),
}

/// How a walk through the graph ended.
enum Walk {
    Done,
    Cancelled,
    /// Everything together cost too much.
    OverBudget,
}

/// Whether something else was read than configuration, or something else is wanted.
fn is_of_another_world(before: &Inputs, after: &Inputs) -> bool {
    !Arc::ptr_eq(&before.stored, &after.stored)
        || !Arc::ptr_eq(&before.environment, &after.environment)
        || before.options != after.options
        || before.providers_revision != after.providers_revision
        || before.is_trusted != after.is_trusted
}

impl Engine {
    /// Takes in new inputs and marks the nodes that they change.
    pub fn update(&mut self, inputs: Inputs) {
        let before = self.inputs.take();
        let tree_before = before.as_ref().map(|before| before.tree.clone());
        self.update_stored(before.as_ref(), &inputs);
        let is_wired_otherwise = self.update_declarations(tree_before.as_deref(), &inputs);
        self.update_state(before.as_ref(), &inputs, is_wired_otherwise);
        self.forget_unused_providers();
        self.declare_required_providers(inputs.tree.root());
        self.update_surroundings(before.as_ref(), &inputs);
        if before
            .as_ref()
            .is_none_or(|it| is_of_another_world(it, &inputs))
        {
            self.last_valid = None;
        }
        let selected = self.select(&inputs);
        let is_selected_anew = selected != self.selected;
        if is_selected_anew {
            self.graph.mark_all_dirty();
            self.selected = selected;
        }
        let tree_before = tree_before.filter(|_| !is_selected_anew);
        self.update_create_before_destroy(tree_before.as_deref(), &inputs);
        let is_changed = || {
            before.is_none_or(|before| {
                !Arc::ptr_eq(&before.tree, &inputs.tree)
                    || before.variables != inputs.variables
                    || before.options != inputs.options
            })
        };
        if self.ledger.is_in_equal_parts() && is_changed() {
            self.ledger.relax();
            self.graph.mark_all_dirty();
        }
        // An edit of one member may have dissolved the cycle for all.
        for node in self.in_cycle.drain() {
            self.graph.mark_dirty(&node);
        }
        self.inputs = Some(inputs);
    }

    /// Whether the next plans are for hypothetical texts.
    pub(crate) fn suppose(&mut self, is_supposing: bool) {
        self.is_supposing = is_supposing;
    }

    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// The plan that was made last, with its inputs: see [`crate::to_json`]. Nothing before the first.
    pub(crate) fn to_json(&self, plan: &Plan) -> serde_json::Map<String, serde_json::Value> {
        let Some(inputs) = &self.inputs else {
            return serde_json::Map::new();
        };
        let checks = self.checks(inputs);
        let dependencies = |addr: &ResourceInstanceAddr| {
            let addr = addr.config();
            let node = NodeObject::Resource(addr.resource).of(&addr.module);
            let behind = self.resources_behind(&node);
            behind.filter_map(NodeId::resource_addr).collect()
        };
        json::with_surroundings(plan, inputs, &checks, &dependencies)
    }

    /// How many plugin processes a plan may need at the same time.
    pub(crate) fn processes(&self) -> usize {
        let configs = self.provider_configs.iter();
        configs.filter(|it| !it.provider.is_builtin()).count()
    }

    /// The resources that a resource depends on, directly or through others.
    fn resources_behind<'a>(&'a self, resource: &'a NodeId) -> impl Iterator<Item = &'a NodeId> {
        let all = self.graph.with_dependencies([resource]).into_iter();
        all.filter(move |it| *it != resource && matches!(it.object, NodeObject::Resource(_)))
    }

    /// Evaluates the dirty nodes: first the focus, and then the edited ones. Where something is in focus, `publish`
    /// gets the plan as far as it is, once that is done and again as more is, and where it is asked for. `None`: it was
    /// cancelled, and the next run continues with the remaining nodes.
    pub async fn run(
        &mut self,
        cancel: &Cancel,
        asks: &mut PublishRequests,
        publish: &mut (dyn FnMut(Plan) + Send),
    ) -> Option<Plan> {
        self.stats = Stats::default();
        let Some(inputs) = self.inputs.clone() else {
            return Some(Plan::default());
        };
        let focus = self.focus_nodes(&inputs);
        loop {
            match self.walk(&inputs, &focus, cancel, asks, publish).await {
                Walk::Done => break,
                Walk::Cancelled => return None,
                Walk::OverBudget => self.graph.mark_all_dirty(),
            }
        }
        self.ledger.settle();
        Some(self.plan(&inputs, true))
    }

    async fn walk(
        &mut self,
        inputs: &Inputs,
        focus: &HashSet<NodeId>,
        cancel: &Cancel,
        asks: &mut PublishRequests,
        publish: &mut (dyn FnMut(Plan) + Send),
    ) -> Walk {
        let budget = inputs.options.budget;
        let mut wave = self.graph.start_wave(|node| focus.contains(node));
        for node in &self.unexpanded {
            if wave.may_reach(&self.graph, node) {
                self.graph.mark_dirty(node);
            }
        }
        let mut unanswered = Unanswered::new(wave.awaits_focus());
        let mut again: Vec<NodeId> = Vec::new();
        let mut distrusting: HashMap<NodeId, Inputs> = HashMap::new();
        let (mut finished, mut publish_at, mut much_more) = (0, 1, 1);
        loop {
            let mut nodes = NODES_PER_STEP;
            while nodes > 0
                && let Some(node) = again.pop().or_else(|| wave.next(&mut self.graph))
            {
                nodes -= 1;
                self.stats.nodes_evaluated += 1;
                let seen = distrusting.get(&node).unwrap_or(inputs);
                let Some(step) = self.evaluate_within_limits(inputs, seen, &node, cancel) else {
                    return Walk::Cancelled;
                };
                if self
                    .ledger
                    .starts_again(budget, || self.graph.declared().count())
                {
                    return Walk::OverBudget;
                }
                match inputs.function_files.take_was_read() {
                    true => self.reads_files.insert(node.clone()),
                    false => self.reads_files.remove(&node),
                };
                if let Some(asking) = self.ask_functions(inputs, &node, None) {
                    unanswered.ask(node, asking);
                    continue;
                }
                match step {
                    Evaluation::Done(result) => {
                        match self.settle(inputs, &mut wave, &node, result, &mut distrusting) {
                            true => finished += 1,
                            false => again.push(node),
                        }
                    }
                    Evaluation::Ask(future) => {
                        let answer = future.map(|(node, result)| (node, Some(result))).boxed();
                        match focus.contains(&node) {
                            true => unanswered.ask(node, answer),
                            false => unanswered.ask_after_focus(node, answer),
                        }
                    }
                }
            }
            if nodes > 0 && unanswered.is_empty() {
                let cycles = wave.cycles(&self.graph);
                if cycles.is_empty() {
                    return Walk::Done;
                }
                for cycle in cycles {
                    self.break_cycle(inputs, &cycle);
                    for node in &cycle {
                        wave.finish(&mut self.graph, node, true);
                    }
                }
                continue;
            }
            let (answered, asked) = unanswered.next(nodes == 0, asks).await;
            if let Some(ask) = asked
                && (ask != PublishRequest::MuchMore || finished >= much_more)
            {
                much_more = finished * PUBLISH_AT_TIMES;
                publish(self.plan_so_far(inputs, ask, unanswered.nodes(), cancel));
            }
            for (node, result) in answered {
                let Some(planned) = result else {
                    again.push(node);
                    continue;
                };
                let judged = self.limited(inputs, cancel, |engine| {
                    engine.judge(inputs, planned.clone())
                });
                let result = match judged {
                    Ok((result, _)) => result,
                    Err(Stopped::Cancelled) => return Walk::Cancelled,
                    Err(stopped) => self.stopped(inputs, &node, stopped),
                };
                if let Some(asking) = self.ask_functions(inputs, &node, Some(planned)) {
                    unanswered.ask(node, asking);
                    continue;
                }
                match self.settle(inputs, &mut wave, &node, result, &mut distrusting) {
                    true => finished += 1,
                    false => again.push(node),
                }
            }
            if !wave.awaits_focus() {
                unanswered.ask_rest();
            }
            if !focus.is_empty() && finished >= publish_at && wave.is_out_of_focus() {
                publish_at = finished * PUBLISH_AT_TIMES;
                much_more = publish_at;
                publish(self.plan(inputs, false));
            }
        }
    }

    /// Evaluates a node with the inputs `seen`, and keeps what that cost. `None`: it was cancelled.
    fn evaluate_within_limits(
        &mut self,
        inputs: &Inputs,
        seen: &Inputs,
        node: &NodeId,
        cancel: &Cancel,
    ) -> Option<Evaluation> {
        let limited = self.limited(inputs, cancel, |engine| engine.evaluate(seen, node));
        match limited {
            Ok((step, spent)) => {
                self.ledger.record(node, spent);
                self.stats.spent.steps += spent.steps;
                self.stats.spent.bytes += spent.bytes;
                Some(step)
            }
            Err(Stopped::Cancelled) => None,
            Err(stopped) => Some(Evaluation::Done(self.stopped(inputs, node, stopped))),
        }
    }

    /// Keeps a result. `false`: the node is to be evaluated once more.
    fn settle(
        &mut self,
        inputs: &Inputs,
        wave: &mut Wave,
        node: &NodeId,
        result: NodeResult,
        distrusting: &mut HashMap<NodeId, Inputs>,
    ) -> bool {
        if self.doubts(inputs, node, &result, distrusting) {
            return false;
        }
        self.finish(inputs, wave, node, result);
        // A node that was evaluated without the values of the state has none before these are read.
        if let Some(inputs) = distrusting.get(node)
            && let Some(addr) = inputs.distrusted.get(node)
        {
            self.unread.insert(node.clone(), addr.clone());
        }
        true
    }

    /// Whether the errors of a node may follow only from the values that the state has of data sources. Then it is
    /// evaluated once more, without these.
    fn doubts(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        result: &NodeResult,
        distrusting: &mut HashMap<NodeId, Inputs>,
    ) -> bool {
        if self.stand_ins.is_empty() || !result.has_errors() || distrusting.contains_key(node) {
            return false;
        }
        let behind = self
            .graph
            .dependents_through(self.stand_ins.keys(), NodeId::passes_unread_on);
        if !behind.contains_key(node) {
            return false;
        }
        let addr = |source: &NodeId| self.stand_ins.get(source).cloned().unwrap_or_default();
        let behind = behind
            .into_iter()
            .map(|(node, source)| (node, addr(source)));
        let behind = behind.filter(|(node, _)| node.passes_unread_on());
        let distrusted: BTreeMap<NodeId, String> =
            self.stand_ins.clone().into_iter().chain(behind).collect();
        let inputs = Inputs {
            distrusted: Arc::new(distrusted),
            ..inputs.clone()
        };
        distrusting.insert(node.clone(), inputs);
        true
    }

    /// Evaluates within the limits of an object.
    fn limited<T>(
        &self,
        inputs: &Inputs,
        cancel: &Cancel,
        evaluate: impl FnOnce(&Engine) -> T,
    ) -> Result<(T, Spent), Stopped> {
        let limits = self.ledger.limits(inputs.options.budget);
        let (result, spent) = cancellable(cancel, || within(limits, || evaluate(self)))?;
        Ok((result?, spent))
    }

    /// The result of an object that was stopped: unknown, and said so.
    fn stopped(&mut self, inputs: &Inputs, node: &NodeId, stopped: Stopped) -> NodeResult {
        let limits = self.ledger.limits(inputs.options.budget);
        // Its value is gone, but not the time that it took.
        let steps = limits.steps;
        self.ledger.record(node, Spent { steps, bytes: 0 });
        let module = inputs.tree.module(&node.module);
        let decl = module.and_then(|module| declaration(module, node));
        let diagnostic = budget::diagnostic(stopped, limits, decl.map(|decl| decl.span.clone()));
        let error = diagnostic.summary.clone();
        self.unknown(
            inputs,
            node,
            &error,
            Some(diagnostic),
            Unevaluated::TooCostly,
        )
    }

    fn finish(&mut self, inputs: &Inputs, wave: &mut Wave, node: &NodeId, mut result: NodeResult) {
        self.check_references(inputs, node, &mut result);
        let is_changed = self.store(node, result);
        wave.finish(&mut self.graph, node, is_changed);
    }

    /// Where the evaluation of a node needed an answer of a provider about its functions: asks for that.
    fn ask_functions(
        &mut self,
        inputs: &Inputs,
        node: &NodeId,
        result: Option<NodeResult>,
    ) -> Option<PendingAnswer> {
        let noted = inputs.function_answers.take_noted();
        if noted.was_used {
            self.calls_providers.insert(node.clone());
        }
        if noted.needed.is_empty() {
            return None;
        }
        let (node, answers) = (node.clone(), inputs.function_answers.clone());
        let providers = inputs.providers.clone();
        Some(Box::pin(async move {
            answers.ask(&providers, noted.needed).await;
            (node, result)
        }))
    }

    /// A planned resource with the results of its postconditions.
    fn judge(&self, inputs: &Inputs, mut result: NodeResult) -> NodeResult {
        let NodeResult::Resource(resources) = &mut result else {
            return result;
        };
        for (instance, resource) in resources.values_mut() {
            if let Some(config) = &resource.config
                && !config.lifecycle.postconditions.is_empty()
            {
                let scope = self.scope_of_resource(inputs, instance, config);
                resource::check_postconditions(Arc::make_mut(resource), &scope);
            }
        }
        result
    }

    /// The plan as far as it is known.
    fn plan(&mut self, inputs: &Inputs, is_whole: bool) -> Plan {
        self.resources.extend(std::mem::take(&mut self.planned));
        let mut resources = self.resources.clone();
        let behind = self.behind_failures(inputs);
        if inputs.options.leaves_out() {
            let left_out = behind.into_keys().collect();
            for resource in self.resources_of(&left_out) {
                resources.remove(&resource.addr);
            }
            let mut plan = self.collect(inputs, resources, &left_out, is_whole).0;
            plan.unreached = self.unreached(inputs, &left_out);
            if inputs.options.mode == PlanMode::Destroy && inputs.options.refresh {
                plan.drop_warnings_of_refresh();
            }
            return plan;
        }
        let nothing = HashSet::new();
        let (mut plan, is_refused) = self.collect(inputs, resources, &nothing, is_whole);
        let resources = &mut plan.resources;
        let failures = self.failures(inputs).cloned();
        let in_doubt = failures.chain(behind.keys().cloned()).collect();
        if inputs.options.behind_errors != BehindErrors::AsBefore || self.is_supposing {
            let caveat = |cause| Caveat::BehindFailure { cause };
            self.label(resources, &behind, caveat);
        } else if is_refused || self.has_errors(inputs) {
            self.keep_last_valid(inputs, resources);
        } else if is_whole {
            self.last_valid = Some(resources.clone());
        }
        let unset = self.without_value();
        self.label(resources, &unset, |variable| Caveat::NoValue { variable });
        plan.in_doubt = Arc::new(in_doubt);
        plan.without_value = Arc::new(unset.into_keys().collect());
        plan.unread = Arc::new(self.values_behind(&self.unread));
        plan.stand_ins = Arc::new(self.values_behind(&self.stand_ins));
        plan
    }

    /// Variables without a value, and the nodes that have none because of them, with the variable.
    fn without_value(&self) -> HashMap<NodeId, &NodeId> {
        let unset = || self.failed.iter().filter(|node| self.is_unset(node));
        let is_value = |node: &NodeId| !matches!(node.object, NodeObject::Resource(_));
        let mut all = self.graph.dependents_through(unset(), is_value);
        all.extend(unset().map(|node| (node.clone(), node)));
        all
    }

    /// Data sources that a refresh would read, and the values that depend on them.
    fn values_behind(&self, unread: &BTreeMap<NodeId, String>) -> HashSet<NodeId> {
        let mut all = self.graph.passing(unread.keys(), NodeId::passes_unread_on);
        all.extend(unread.keys().cloned());
        all
    }

    /// Whether it is a variable that nothing gives a value.
    fn is_unset(&self, node: &NodeId) -> bool {
        match self.results.get(node) {
            Some(NodeResult::Value(it)) => {
                let mut diagnostics = it.diagnostics.iter();
                diagnostics.all(|it| it.code == "no-variable-value")
            }
            _ => false,
        }
    }

    /// Answers also whether the blocks that move, import or remove objects are wrong.
    fn collect(
        &self,
        inputs: &Inputs,
        resources: Resources,
        left_out: &HashSet<NodeId>,
        is_whole: bool,
    ) -> (Plan, bool) {
        let mut plan = collect::collect(inputs, resources, &self.results, &self.values, left_out);
        let problems = refactoring::problems(inputs, &plan, &self.results);
        let is_refused = problems.iter().any(|it| it.severity == Severity::Error);
        plan.diagnostics.extend(problems);
        plan.idle_moves = refactoring::idle_moves(inputs);
        if !self.forgetting.is_empty() && !is_refused {
            let forgotten = removed::forgotten(&plan);
            plan.diagnostics.extend(forgotten);
        }
        if is_whole {
            self.add_circular_changes(inputs, &mut plan);
        }
        (plan, is_refused)
    }

    fn resources_of<'a>(
        &'a self,
        nodes: impl IntoIterator<Item = &'a NodeId>,
    ) -> impl Iterator<Item = &'a Arc<ResourceResult>> {
        let results = nodes.into_iter().filter_map(|node| self.results.get(node));
        let resources = results.filter_map(|result| match result {
            NodeResult::Resource(resources) => Some(resources.values()),
            _ => None,
        });
        resources.flatten()
    }

    /// The nodes that depend on a failed one, with the cause.
    fn behind_failures<'a>(&'a self, inputs: &'a Inputs) -> HashMap<NodeId, &'a NodeId> {
        if !inputs.options.leaves_out() || inputs.options.mode != PlanMode::Destroy {
            return self.behind(self.failures(inputs));
        }
        // An object is destroyed after those that depend on it.
        let is_destroying = |node: &&NodeId| {
            let mut resources = self.resources_of([*node]);
            resources.any(|resource| {
                let mut problems = resource.diagnostics.iter();
                !inputs.options.refresh || problems.any(|it| it.code == "prevent-destroy")
            })
        };
        let (destroying, others): (Vec<_>, Vec<_>) = self.failures(inputs).partition(is_destroying);
        let mut behind = self.behind(others);
        if destroying.is_empty() {
            return behind;
        }
        let stored = targets::Stored::new(&inputs.state);
        for node in destroying {
            let later = stored.destroyed_after(node);
            behind.extend(later.into_iter().map(|it| (it, node)));
        }
        behind
    }

    /// The nodes that depend on any of `nodes`, with the cause.
    fn behind<'a>(
        &self,
        nodes: impl IntoIterator<Item = &'a NodeId>,
    ) -> HashMap<NodeId, &'a NodeId> {
        let nodes: Vec<&NodeId> = nodes.into_iter().collect();
        let mut behind = self.graph.dependents(nodes.iter().copied());
        // Members of a cycle are behind each other.
        behind.retain(|node, _| !self.in_cycle.contains(node));
        let apart: Vec<(NodeId, Vec<NodeId>)> = behind
            .keys()
            .filter_map(|node| Some((node.clone(), self.needed_apart(node)?)))
            .collect();
        for (node, needed) in apart {
            let mut needed = needed.into_iter();
            if !needed.any(|it| behind.contains_key(&it) || nodes.contains(&&it)) {
                behind.remove(&node);
            }
        }
        behind
    }

    /// The nodes without which a node is left out, where those are not all of its dependencies: an action does not need the
    /// resources that invoke it, and the arguments of an unknown type are not read, nor those that the type does not have.
    fn needed_apart(&self, node: &NodeId) -> Option<Vec<NodeId>> {
        let NodeObject::Resource(addr) = &node.object else {
            return None;
        };
        let has_unknown_type = || {
            let mut results = self.resources_of([node]);
            results.any(|it| {
                it.diagnostics
                    .iter()
                    .any(|it| it.code == resource::UNKNOWN_TYPE)
            })
        };
        let is_action = addr.mode == ResourceMode::Action;
        let unread = self.unread_parts.get(node);
        if !is_action && unread.is_none() && !has_unknown_type() {
            return None;
        }
        let tree = &*self.inputs.as_ref()?.tree;
        let module = &node.module;
        let declared = tree.module(module)?.resource(addr)?;
        let dependencies = Dependencies { tree, module };
        Some(match unread {
            Some(unread) => dependencies.of_read_parts(declared, unread),
            None if is_action => dependencies.of_action_alone(declared),
            None => dependencies.of_unknown_type(declared),
        })
    }

    /// The failed nodes. A provider that can't be asked is a label, no failure, and a half-typed node keeps its meaning unless it
    /// would be left out.
    fn failures<'a>(&'a self, inputs: &'a Inputs) -> impl Iterator<Item = &'a NodeId> {
        let is_wrong = move |node: &&NodeId| {
            let module = inputs.tree.module(&node.module);
            let decl = module.and_then(|module| declaration(module, node));
            decl.is_some_and(|it| match inputs.options.leaves_out() {
                true => inputs.wrong.have_one_in(&it.full_span),
                false => inputs.wrong.have_one_beside(&it.span) && !inputs.is_broken(&it.span),
            })
        };
        let all = (!inputs.wrong.is_empty()).then(|| self.results.keys());
        let all = all.into_iter().flatten();
        // The missing value is reported at the variable, and Terraform would ask for it.
        let is_unset = move |node: &&NodeId| !inputs.options.leaves_out() && self.is_unset(node);
        let failed = self.failed.iter().filter(move |node| !is_unset(node));
        all.filter(is_wrong).chain(failed)
    }

    /// Stores a result; true if dependents must be re-evaluated.
    fn store(&mut self, node: &NodeId, result: NodeResult) -> bool {
        if let NodeResult::Resource(resources) = &result {
            self.count_instances(node, resources);
        }
        self.insert(node, result)
    }

    /// True if dependents must be re-evaluated.
    fn insert(&mut self, node: &NodeId, result: NodeResult) -> bool {
        if let NodeResult::Resource(resources) = &result {
            self.planned.extend(resources.values().cloned());
        }
        match result.forgets() {
            true => self.forgetting.insert(node.clone()),
            false => self.forgetting.remove(node),
        };
        match result.is_unexpanded() {
            true => self.unexpanded.insert(node.clone()),
            false => self.unexpanded.remove(node),
        };
        let (was_unread, was_stand_in) = (self.unread.remove(node), self.stand_ins.remove(node));
        match result.unread() {
            Some((addr, true)) => self.stand_ins.insert(node.clone(), addr),
            Some((addr, false)) => self.unread.insert(node.clone(), addr),
            None => None,
        };
        // Diagnostics of its dependents may be out of date, although they see the same value.
        if (was_unread.as_ref(), was_stand_in.as_ref())
            != (self.unread.get(node), self.stand_ins.get(node))
        {
            let behind = self
                .graph
                .dependents_through([node], NodeId::passes_unread_on);
            for node in behind.keys() {
                self.graph.mark_dirty(node);
            }
        }
        let is_asked_for = matches!(node.object, NodeObject::Provider(_));
        match result.has_errors() && !is_asked_for {
            true => self.failed.insert(node.clone()),
            false => self.failed.remove(node),
        };
        // One search in the results: in a chain of small local values, each search takes a tenth of the time.
        let (is_changed, before) = match self.results.entry(node.clone()) {
            Entry::Vacant(entry) => {
                self.values.add(node, &result);
                entry.insert(result);
                (true, None)
            }
            Entry::Occupied(mut entry) => {
                let is_changed = !entry.get().is_same(&result);
                self.values.remove(node, entry.get());
                self.values.add(node, &result);
                (is_changed, Some(entry.insert(result)))
            }
        };
        if let Some(NodeResult::Resource(before)) = before {
            self.forget_resources(node, &before);
        }
        is_changed
    }

    fn forget(&mut self, node: &NodeId) {
        self.graph.remove(node);
        self.ledger.forget(node);
        self.failed.remove(node);
        self.unexpanded.remove(node);
        self.unread.remove(node);
        self.stand_ins.remove(node);
        self.forgetting.remove(node);
        let Some(before) = self.results.remove(node) else {
            return;
        };
        self.values.remove(node, &before);
        if let NodeResult::Resource(before) = &before {
            self.forget_resources(node, before);
        }
    }

    /// Drops those planned resources that the node no longer has.
    fn forget_resources(&mut self, node: &NodeId, before: &PerInstance<Arc<ResourceResult>>) {
        let after = match self.results.get(node) {
            Some(NodeResult::Resource(after)) => Some(after),
            _ => None,
        };
        let is_gone =
            |instance: &ModuleInstanceAddr| after.is_none_or(|after| after.get(instance).is_none());
        let gone: Vec<&Arc<ResourceResult>> = before
            .iter()
            .filter(|(instance, _)| is_gone(instance))
            .map(|(_, resource)| resource)
            .collect();
        if !gone.is_empty() {
            self.resources.extend(std::mem::take(&mut self.planned));
            for resource in gone {
                self.resources.remove(&resource.addr);
            }
        }
    }

    fn count_instances(&mut self, node: &NodeId, resources: &PerInstance<Arc<ResourceResult>>) {
        let before = match self.results.get(node) {
            Some(NodeResult::Resource(before)) => Some(before),
            _ => None,
        };
        for (instance, resource) in resources.iter() {
            let before = before
                .and_then(|before| before.get(instance))
                .map_or(&[][..], |before| before.instances.as_slice());
            let is_reused = |instance: &&crate::PlannedInstance| {
                let mut before = before.iter();
                before.any(|old| Arc::ptr_eq(&old.plan, &instance.plan))
            };
            let reused = resource.instances.iter().filter(is_reused).count();
            self.stats.instances_reused += reused;
            self.stats.instances_planned += resource.instances.len() - reused;
        }
    }

    /// The nodes that the editor shows, with their dependencies.
    fn focus_nodes(&self, inputs: &Inputs) -> HashSet<NodeId> {
        let focus = self.graph.with_dependencies(inputs.focus.iter());
        focus.into_iter().cloned().collect()
    }

    /// Gives the members of a cycle unknown values, so that the rest can be planned, and says so at each of them.
    fn break_cycle(&mut self, inputs: &Inputs, cycle: &[NodeId]) {
        if let [node] = cycle
            && let Some(diagnostic) = self_referencing_local(inputs, node)
        {
            let why = diagnostic.summary.clone();
            let result = self.unknown(inputs, node, &why, Some(diagnostic), Unevaluated::Cyclic);
            self.insert(node, result);
            self.in_cycle.insert(node.clone());
            return;
        }
        let product = inputs.environment.functions.profile.product;
        let tree = &inputs.tree;
        let names = cycle
            .iter()
            .map(|node| node.name_in_cycle(cycle, tree, product));
        let detail = named_cycle(names.collect());
        for (at, node) in cycle.iter().enumerate() {
            let module = inputs.tree.module(&node.module);
            let decl = module.and_then(|module| declaration(module, node));
            let span = decl.map(|decl| decl.span.clone());
            let diagnostic =
                (at < MEMBERS_NAMED).then(|| Diagnostic::error("cycle", detail.clone(), "", span));
            let result = self.unknown(inputs, node, &detail, diagnostic, Unevaluated::Cyclic);
            self.insert(node, result);
            self.in_cycle.insert(node.clone());
        }
    }

    /// The result of a node that can't be evaluated, and why.
    fn unknown(
        &self,
        inputs: &Inputs,
        node: &NodeId,
        error: &str,
        diagnostic: Option<Diagnostic>,
        why: Unevaluated,
    ) -> NodeResult {
        let obstacle = Caveat::UnevaluatedProvider {
            error: error.to_owned(),
            why,
        };
        let diagnostics = Vec::from_iter(diagnostic);
        let unknown = |diagnostics| Evaluated {
            values: self.in_each(&node.module, |_| Value::dynamic()),
            diagnostics,
        };
        match &node.object {
            NodeObject::Resource(addr) => {
                let mut diagnostics = Some(diagnostics);
                NodeResult::Resource(self.in_each(&node.module, |instance| {
                    let diagnostics = diagnostics.take().unwrap_or_default();
                    let instance = &instance.addr;
                    Arc::new(resource::unknown(inputs, instance, addr, diagnostics, why))
                }))
            }
            NodeObject::Output(_) => NodeResult::Output(unknown(diagnostics), None),
            NodeObject::Call(call) => NodeResult::Call(CallResult {
                diagnostics,
                ..self.unknown_call(&node.module, call, why)
            }),
            NodeObject::ProviderConfig(addr, alias) => {
                let provider = inputs.provider(&ProviderConfigAddr {
                    module: node.module.clone(),
                    provider: addr.clone(),
                    alias: alias.clone(),
                });
                let blocked = ProviderConfigResult::blocked(provider, 0, obstacle);
                NodeResult::ProviderConfig(ProviderConfigs {
                    diagnostics,
                    ..ProviderConfigs::from(blocked)
                })
            }
            NodeObject::Variable(_)
            | NodeObject::Local(_)
            | NodeObject::Called(_)
            | NodeObject::Check(_)
            | NodeObject::Provider(_) => NodeResult::Value(unknown(diagnostics)),
        }
    }
}

fn named_cycle(mut names: Vec<String>) -> String {
    names.sort();
    let others = names.len().saturating_sub(MEMBERS_NAMED);
    names.truncate(MEMBERS_NAMED);
    if others > 0 {
        names.push(format!("{others} more"));
    }
    format!("Cycle: {}", names.join(", "))
}

fn self_referencing_local(inputs: &Inputs, node: &NodeId) -> Option<Diagnostic> {
    let NodeObject::Local(name) = &node.object else {
        return None;
    };
    circular::local_value(inputs.tree.module(&node.module)?.locals.get(name)?)
}
