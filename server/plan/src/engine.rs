//! The engine: keeps the result of every node of the root module, and after a change computes again only what the
//! change reaches.
//!
//! Evaluating a node is synchronous. Providers are asked between nodes, many at a time. A run may be dropped at any
//! await: the nodes that were not finished stay dirty and are done by the next run.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use config::{Module, ProviderAddr, Reference, ResourceAddr, ResourceMode};
use cty::{Mark, Value};
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use indexmap::IndexMap;
use provider::ProviderError;
use smol_str::SmolStr;
use text::{Diagnostic, Span};

use crate::graph::Graph;
use crate::inputs::Inputs;
use crate::node::{
    Evaluated, NodeId, NodeResult, ProviderConfigResult, ProviderResult, ResourceResult,
    dependencies, provider_block, resource_dependencies,
};
use crate::provider_config::Configuring;
use crate::resource::{self, Prepared};
use crate::scope::Scope;
use crate::{Action, OutputChange, Plan, Resources, condition};

/// Plans one root module again and again.
#[derive(Default)]
pub struct Engine {
    inputs: Option<Inputs>,
    graph: Graph<NodeId>,
    results: BTreeMap<NodeId, NodeResult>,
    /// The planned resources among the results, except for those in `planned`.
    resources: Resources,
    /// Results that `resources` has not taken in yet.
    planned: Vec<Arc<ResourceResult>>,
    /// Resources that only the state has.
    orphans: BTreeSet<ResourceAddr>,
    /// Nodes whose expressions read files, which may have changed by the next run.
    reads_files: HashSet<NodeId>,
    /// Nodes whose expressions call functions of providers.
    calls_providers: HashSet<NodeId>,
    /// Resources that create their new object first because something that depends on them does.
    create_before_destroy: HashSet<ResourceAddr>,
    /// The nodes of provider configurations that something uses, or used before the last change.
    provider_configs: BTreeSet<(ProviderAddr, Option<SmolStr>)>,
    /// Whose results stand in for a cycle that there was at the last run.
    in_cycle: HashSet<NodeId>,
    stats: Stats,
}

/// What the last run cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Stats {
    pub nodes_evaluated: usize,
    pub instances_planned: usize,
    pub instances_reused: usize,
}

/// How many nodes are evaluated between two looks at whether the run was dropped.
const NODES_PER_STEP: usize = 16;

type Pending = BoxFuture<'static, (NodeId, NodeResult)>;

/// Without a result, the node is evaluated again.
type Asked = BoxFuture<'static, (NodeId, Option<NodeResult>)>;

enum Step {
    Done(NodeResult),
    Ask(Pending),
}

impl Engine {
    /// Takes in new inputs and finds out what they change.
    pub fn update(&mut self, inputs: Inputs) {
        let before = self.inputs.take();
        let module_before = before.as_ref().map(|before| before.module.clone());
        self.update_declarations(module_before.as_deref(), &inputs);
        self.update_state(before.as_ref(), &inputs);
        self.forget_unused_providers();
        self.update_surroundings(before.as_ref(), &inputs);
        self.update_create_before_destroy(module_before.as_deref(), &inputs.module);
        // An edit of one member may have dissolved the cycle for all.
        for node in self.in_cycle.drain() {
            self.graph.mark_dirty(&node);
        }
        self.inputs = Some(inputs);
    }

    pub fn stats(&self) -> Stats {
        self.stats
    }

    /// Evaluates what is dirty. `publish` gets the plan as far as it is whenever what the user looks at is ready.
    pub async fn run(&mut self, publish: &mut (dyn FnMut(Plan) + Send)) -> Plan {
        self.stats = Stats::default();
        let Some(inputs) = self.inputs.clone() else {
            return Plan::default();
        };
        let focus = self.focus_nodes(&inputs);
        let mut focus_left = focus.len();
        let mut wave = self.graph.start_wave(|node| u8::from(focus.contains(node)));
        let mut pending: FuturesUnordered<Asked> = FuturesUnordered::new();
        let mut again: Vec<NodeId> = Vec::new();
        loop {
            let mut budget = NODES_PER_STEP;
            while let Some(node) = again.pop().or_else(|| wave.next(&mut self.graph)) {
                self.stats.nodes_evaluated += 1;
                let step = self.evaluate(&inputs, &node);
                match inputs.function_files.take_was_read() {
                    true => self.reads_files.insert(node.clone()),
                    false => self.reads_files.remove(&node),
                };
                if let Some(asking) = self.ask_functions(&inputs, &node, None) {
                    pending.push(asking);
                    continue;
                }
                match step {
                    Step::Done(result) => {
                        focus_left -= usize::from(focus.contains(&node));
                        let is_changed = self.store(&node, result);
                        wave.finish(&mut self.graph, &node, is_changed);
                    }
                    Step::Ask(future) => {
                        pending.push(future.map(|(node, result)| (node, Some(result))).boxed());
                    }
                }
                budget -= 1;
                if budget == 0 {
                    budget = NODES_PER_STEP;
                    tokio::task::yield_now().await;
                }
            }
            if let Some((node, result)) = pending.next().await {
                let Some(planned) = result else {
                    again.push(node);
                    continue;
                };
                let result = self.judge(&inputs, planned.clone());
                if let Some(asking) = self.ask_functions(&inputs, &node, Some(planned)) {
                    pending.push(asking);
                    continue;
                }
                let is_changed = self.store(&node, result);
                wave.finish(&mut self.graph, &node, is_changed);
                if focus.contains(&node) {
                    focus_left = focus_left.saturating_sub(1);
                    if focus_left == 0 && !pending.is_empty() {
                        publish(self.plan(&inputs));
                    }
                }
                continue;
            }
            let cycles = wave.cycles(&self.graph);
            if cycles.is_empty() {
                break;
            }
            for cycle in cycles {
                self.break_cycle(&inputs, &cycle);
                for node in &cycle {
                    wave.finish(&mut self.graph, node, true);
                }
            }
        }
        self.plan(&inputs)
    }

    /// Where the evaluation of a node needed what a provider has yet to say about its functions: asks for that.
    fn ask_functions(
        &mut self,
        inputs: &Inputs,
        node: &NodeId,
        result: Option<NodeResult>,
    ) -> Option<Asked> {
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

    /// A planned resource with what its postconditions say.
    fn judge(&self, inputs: &Inputs, mut result: NodeResult) -> NodeResult {
        if let NodeResult::Resource(resource) = &mut result
            && let Some(config) = &resource.config
            && !config.lifecycle.postconditions.is_empty()
        {
            let scope = self.scope_of_resource(inputs, config);
            resource::check_postconditions(Arc::make_mut(resource), &scope);
        }
        result
    }

    /// The plan as far as it is known.
    fn plan(&mut self, inputs: &Inputs) -> Plan {
        self.resources.extend(std::mem::take(&mut self.planned));
        Plan::collect(inputs, self.resources.clone(), &self.results)
    }

    /// Keeps a result; true if those who read it have to look again.
    fn store(&mut self, node: &NodeId, result: NodeResult) -> bool {
        if let NodeResult::Resource(resource) = &result {
            self.count_instances(node, resource);
        }
        let is_changed = self
            .results
            .get(node)
            .is_none_or(|before| !before.is_same(&result));
        self.insert(node, result);
        is_changed
    }

    fn insert(&mut self, node: &NodeId, result: NodeResult) {
        if let NodeResult::Resource(resource) = &result {
            self.planned.push(resource.clone());
        }
        self.results.insert(node.clone(), result);
    }

    fn forget(&mut self, node: &NodeId) {
        self.graph.remove(node);
        self.results.remove(node);
        if let NodeId::Resource(addr) = node {
            self.resources.extend(std::mem::take(&mut self.planned));
            self.resources.remove(addr);
        }
    }

    fn count_instances(&mut self, node: &NodeId, resource: &ResourceResult) {
        let before = match self.results.get(node) {
            Some(NodeResult::Resource(before)) => before.instances.as_slice(),
            _ => &[],
        };
        let reused = resource
            .instances
            .iter()
            .filter(|instance| {
                before
                    .iter()
                    .any(|old| Arc::ptr_eq(&old.plan, &instance.plan))
            })
            .count();
        self.stats.instances_reused += reused;
        self.stats.instances_planned += resource.instances.len() - reused;
    }

    /// What the user looks at, with everything that it needs.
    fn focus_nodes(&self, inputs: &Inputs) -> HashSet<NodeId> {
        let mut focus = HashSet::new();
        let mut stack: Vec<NodeId> = inputs
            .focus
            .iter()
            .map(|addr| NodeId::Resource(addr.clone()))
            .collect();
        while let Some(node) = stack.pop() {
            if focus.insert(node.clone()) {
                stack.extend(self.graph.dependencies(&node).cloned());
            }
        }
        focus
    }
}

/// Finding out what changed.
impl Engine {
    fn update_declarations(&mut self, before: Option<&Module>, inputs: &Inputs) {
        let module = &*inputs.module;
        let empty = Module::default();
        let before = before.unwrap_or(&empty);
        self.declare_changed(
            &before.variables,
            &module.variables,
            NodeId::Variable,
            |variable| {
                // A validation may refer to other objects, the variable itself included.
                let itself = NodeId::Variable(variable.name.text.clone());
                dependencies(&variable.decl.references)
                    .filter(|node| *node != itself)
                    .collect()
            },
        );
        self.declare_changed(&before.locals, &module.locals, NodeId::Local, |local| {
            dependencies(&local.decl.references).collect()
        });
        self.declare_changed(&before.outputs, &module.outputs, NodeId::Output, |output| {
            dependencies(&output.decl.references).collect()
        });
        self.declare_changed(
            &before.resources,
            &module.resources,
            NodeId::Resource,
            |resource| resource_dependencies(module, resource),
        );
        let providers_changed = before.providers != module.providers
            || before.required_providers != module.required_providers;
        if providers_changed {
            for resource in module.resources.values() {
                let dependencies = resource_dependencies(module, resource);
                self.graph
                    .declare(&NodeId::Resource(resource.addr.clone()), dependencies);
            }
            for (addr, alias) in self.provider_configs.clone() {
                self.declare_provider(module, addr, alias, true);
            }
        }
        let is_refactored_otherwise = before.moved != module.moved
            || before.removed != module.removed
            || before.imports != module.imports;
        if is_refactored_otherwise {
            self.graph.mark_all_dirty();
        }
        let come = match providers_changed {
            true => module.resources.as_slice(),
            false => difference(&before.resources, &module.resources).1,
        };
        for resource in come.values() {
            let (addr, alias) = module.provider_of(resource);
            self.declare_provider(module, addr, alias, false);
        }
    }

    fn declare_changed<K, D>(
        &mut self,
        before: &IndexMap<K, Arc<D>>,
        after: &IndexMap<K, Arc<D>>,
        node: impl Fn(K) -> NodeId,
        dependencies: impl Fn(&D) -> Vec<NodeId>,
    ) where
        K: Clone + Eq + std::hash::Hash,
        D: PartialEq,
    {
        let (gone, come) = difference(before, after);
        for key in gone.keys().filter(|key| !after.contains_key(*key)) {
            self.forget(&node(key.clone()));
        }
        for (key, declaration) in come {
            let is_same = before
                .get(key)
                .is_some_and(|before| Arc::ptr_eq(before, declaration) || before == declaration);
            if !is_same {
                self.graph
                    .declare(&node(key.clone()), dependencies(declaration));
            }
        }
    }

    /// Declares the nodes of a provider configuration, unless they are there.
    fn declare_provider(
        &mut self,
        module: &Module,
        addr: ProviderAddr,
        alias: Option<SmolStr>,
        is_changed: bool,
    ) {
        let provider = NodeId::Provider(addr.clone());
        if !self.graph.is_declared(&provider) {
            self.graph.declare(&provider, []);
        }
        let node = NodeId::ProviderConfig(addr.clone(), alias.clone());
        if is_changed || !self.graph.is_declared(&node) {
            let block = provider_block(module, &addr, alias.as_ref());
            let references = block
                .and_then(|block| module.providers.get(&block))
                .map_or(&[][..], |block| &block.decl.references);
            let nodes = std::iter::once(provider).chain(dependencies(references));
            self.graph.declare(&node, nodes.collect::<Vec<_>>());
            self.provider_configs.insert((addr, alias));
        }
    }

    /// What nothing is planned with has no say in the plan.
    fn forget_unused_providers(&mut self) {
        for (addr, alias) in self.provider_configs.clone() {
            let node = NodeId::ProviderConfig(addr.clone(), alias.clone());
            if self.graph.has_dependents(&node) {
                continue;
            }
            for node in [node, NodeId::Provider(addr.clone())] {
                if !self.graph.has_dependents(&node) {
                    self.graph.remove(&node);
                    self.results.remove(&node);
                }
            }
            self.provider_configs.remove(&(addr, alias));
        }
    }

    /// A resource looks again when its objects changed; objects that only the state has are nodes too.
    fn update_state(&mut self, before: Option<&Inputs>, inputs: &Inputs) {
        let is_same_state = before.is_some_and(|before| Arc::ptr_eq(&before.state, &inputs.state));
        if !is_same_state {
            let old = before.map(|before| &*before.state);
            let addrs = old
                .into_iter()
                .chain([&*inputs.state])
                .flat_map(resource::in_root);
            for addr in addrs {
                let objects_before = old.and_then(|state| resource::objects(state, addr));
                if objects_before != resource::objects(&inputs.state, addr) {
                    self.graph.mark_dirty(&NodeId::Resource(addr.clone()));
                }
            }
            for name in inputs.module.outputs.keys() {
                let stored_before = old.and_then(|state| state.outputs.get(name));
                if stored_before != inputs.state.outputs.get(name) {
                    self.graph.mark_dirty(&NodeId::Output(name.clone()));
                }
            }
        }
        let resources = &inputs.module.resources;
        let is_same_set = before.is_some_and(|before| {
            let (gone, come) = difference(&before.module.resources, resources);
            gone.keys().eq(come.keys())
        });
        if is_same_state && is_same_set {
            return;
        }
        let orphans: BTreeSet<ResourceAddr> = resource::in_root(&inputs.state)
            .filter(|addr| addr.mode == ResourceMode::Managed && !resources.contains_key(*addr))
            .cloned()
            .collect();
        let mut forgotten = Vec::new();
        for addr in self.orphans.difference(&orphans) {
            if !resources.contains_key(addr) {
                forgotten.push(NodeId::Resource(addr.clone()));
            }
        }
        for node in &forgotten {
            self.forget(node);
        }
        for addr in &orphans {
            let Some((provider, alias)) = resource::state_provider(&inputs.state, addr) else {
                continue;
            };
            self.declare_provider(&inputs.module, provider.clone(), alias.clone(), false);
            let before = before.and_then(|before| resource::state_provider(&before.state, addr));
            let is_same = before.is_some_and(|before| before == (provider.clone(), alias.clone()));
            if !is_same || !self.orphans.contains(addr) {
                let node = NodeId::Resource(addr.clone());
                self.graph
                    .declare(&node, [NodeId::ProviderConfig(provider, alias)]);
            }
        }
        self.orphans = orphans;
    }

    /// Inputs beside configuration and state.
    fn update_surroundings(&mut self, before: Option<&Inputs>, inputs: &Inputs) {
        let Some(before) = before else { return };
        for name in inputs.module.variables.keys() {
            if before.variables.get(name) != inputs.variables.get(name) {
                self.graph.mark_dirty(&NodeId::Variable(name.clone()));
            }
        }
        let is_same = Arc::ptr_eq(&before.environment, &inputs.environment)
            && before.state_caveat == inputs.state_caveat
            && before.options == inputs.options;
        if !is_same {
            self.graph.mark_all_dirty();
        }
        for node in &self.reads_files {
            self.graph.mark_dirty(node);
        }
        if before.providers_revision != inputs.providers_revision {
            inputs.function_answers.forget();
            for node in self.calls_providers.drain() {
                self.graph.mark_dirty(&node);
            }
        }
        let changed: Vec<NodeId> = self
            .results
            .iter()
            .take_while(|(node, _)| !matches!(node, NodeId::Resource(_)))
            .filter(|(node, result)| match (node, result) {
                (NodeId::Provider(_), NodeResult::Provider(result)) => {
                    // What was not installed may be there by now.
                    let is_missing = matches!(
                        &result.schema,
                        Err(ProviderError::NotInstalled { .. } | ProviderError::LockMismatch { .. })
                    );
                    is_missing || inputs.providers_revision != result.generation
                }
                // What may not be configured from a half-typed text is configured once that is saved.
                (NodeId::ProviderConfig(..), NodeResult::ProviderConfig(result)) => {
                    inputs.is_saved && !before.is_saved && result.is_pending
                }
                _ => false,
            })
            .map(|(node, _)| node.clone())
            .collect();
        for node in &changed {
            self.graph.mark_dirty(node);
        }
    }

    /// `create_before_destroy` spreads to everything that such a resource depends on.
    fn update_create_before_destroy(&mut self, before: Option<&Module>, module: &Module) {
        let resources = match before {
            // No resource asked for it before.
            Some(before) if self.create_before_destroy.is_empty() => {
                difference(&before.resources, &module.resources).1
            }
            _ => module.resources.as_slice(),
        };
        let mut stack: Vec<NodeId> = resources
            .values()
            .filter(|resource| resource.lifecycle.create_before_destroy == Some(true))
            .map(|resource| NodeId::Resource(resource.addr.clone()))
            .collect();
        if stack.is_empty() && self.create_before_destroy.is_empty() {
            return;
        }
        let mut seen = HashSet::new();
        let mut forced = HashSet::new();
        while let Some(node) = stack.pop() {
            if !seen.insert(node.clone()) {
                continue;
            }
            stack.extend(self.graph.dependencies(&node).cloned());
            if let NodeId::Resource(addr) = node {
                forced.insert(addr);
            }
        }
        for addr in forced.symmetric_difference(&self.create_before_destroy) {
            self.graph.mark_dirty(&NodeId::Resource(addr.clone()));
        }
        self.create_before_destroy = forced;
    }
}

/// Evaluating nodes.
impl Engine {
    fn evaluate(&self, inputs: &Inputs, node: &NodeId) -> Step {
        match node {
            NodeId::Variable(name) => Step::Done(self.evaluate_variable(inputs, name)),
            NodeId::Local(name) => Step::Done(self.evaluate_local(inputs, name)),
            NodeId::Output(name) => Step::Done(self.evaluate_output(inputs, name)),
            NodeId::Provider(addr) => ask_schema(inputs, addr),
            NodeId::ProviderConfig(addr, alias) => {
                self.evaluate_provider_config(inputs, addr, alias.as_ref())
            }
            NodeId::Resource(addr) => self.evaluate_resource(inputs, addr),
        }
    }

    fn evaluate_variable(&self, inputs: &Inputs, name: &SmolStr) -> NodeResult {
        let variable = &inputs.module.variables[name];
        let given = inputs.variables.get(name);
        let (value, mut diagnostics) = eval::variables::final_value(variable, given);
        let value = eval::variables::marked(variable, &value);
        if diagnostics.is_empty() {
            let scope = Scope::new(inputs, &variable.decl.references, |node| match node {
                NodeId::Variable(other) if other == name => Some(value.clone()),
                _ => self.value_of(node),
            });
            diagnostics = eval::variables::validate(variable, given, scope.context());
        }
        NodeResult::Value(Evaluated { value, diagnostics })
    }

    fn evaluate_local(&self, inputs: &Inputs, name: &SmolStr) -> NodeResult {
        let local = &inputs.module.locals[name];
        let before = self.results.get(&NodeId::Local(name.clone()));
        if let Some(before) = before.filter(|_| inputs.is_broken(&local.decl.span)) {
            return before.clone();
        }
        let scope = self.scope(inputs, &local.decl.references);
        let (value, diagnostics) = eval::evaluate_expr(&local.value, scope.context());
        NodeResult::Value(Evaluated { value, diagnostics })
    }

    fn evaluate_output(&self, inputs: &Inputs, name: &SmolStr) -> NodeResult {
        let output = &inputs.module.outputs[name];
        let scope = self.scope(inputs, &output.decl.references);
        let (value, mut diagnostics) = match &output.value {
            Some(expr) => eval::evaluate_expr(expr, scope.context()),
            None => (Value::dynamic(), Vec::new()),
        };
        let rules = &output.preconditions;
        diagnostics.extend(condition::check(
            rules,
            condition::Whose::Output,
            scope.context(),
        ));
        let (unmarked, marks) = value.unmark_deep();
        if marks.contains(&Mark::Sensitive) && !output.sensitive {
            diagnostics.push(Diagnostic::error(
                "sensitive-output",
                "Output refers to sensitive values",
                "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, Terraform requires that any root module output containing sensitive data be explicitly marked as sensitive, to confirm your intent.\n\nIf you do intend to export this data, annotate the output value as sensitive by adding the following argument:\n    sensitive = true",
                output.decl.span.clone(),
            ));
        }
        let has_errors = diagnostics
            .iter()
            .any(|d| d.severity == text::Severity::Error);
        let change = (!has_errors && !output.ephemeral)
            .then(|| output_change(inputs, name, unmarked, output.sensitive));
        NodeResult::Output(Evaluated { value, diagnostics }, change)
    }

    fn evaluate_provider_config(
        &self,
        inputs: &Inputs,
        addr: &ProviderAddr,
        alias: Option<&SmolStr>,
    ) -> Step {
        let node = NodeId::ProviderConfig(addr.clone(), alias.cloned());
        let provider = inputs.provider(addr, alias);
        let before = match self.results.get(&node) {
            Some(NodeResult::ProviderConfig(before)) => Some(before.clone()),
            _ => None,
        };
        let (schema, provider_generation) = match self.results.get(&NodeId::Provider(addr.clone()))
        {
            Some(NodeResult::Provider(ProviderResult {
                schema: Ok(schema),
                generation,
            })) => (schema.clone(), *generation),
            other => {
                let obstacle = match other {
                    Some(NodeResult::Provider(ProviderResult {
                        schema: Err(error), ..
                    })) => error.to_string(),
                    _ => format!("provider {addr} is not there"),
                };
                let generation = before.map_or(0, |before| before.generation) + 1;
                let blocked = ProviderConfigResult::blocked(provider, generation, obstacle);
                return Step::Done(NodeResult::ProviderConfig(blocked));
            }
        };
        let block = provider_block(&inputs.module, addr, alias)
            .and_then(|name| inputs.module.providers.get(&name));
        let block_schema = &schema.provider.block;
        let decoded = match block {
            Some(block) => {
                let scope = self.scope(inputs, &block.decl.references);
                eval::decode(&block.body, block_schema, scope.context())
            }
            None => eval::Decoded {
                value: block_schema.empty_value(),
                diagnostics: Vec::new(),
            },
        };
        let configuring = Configuring {
            provider,
            config: decoded.value.unmark_deep().0,
            schema,
            block: block.map(|block| (block.body.clone(), block.decl.span.clone())),
            diagnostics: decoded.diagnostics,
            before,
            provider_generation,
            // Configuring the builtin provider reaches nothing.
            may_configure: addr.is_builtin() || (inputs.may_configure && inputs.is_saved),
        };
        Step::Ask(Box::pin(async move {
            (node, NodeResult::ProviderConfig(configuring.run().await))
        }))
    }

    fn evaluate_resource(&self, inputs: &Inputs, addr: &ResourceAddr) -> Step {
        let node = NodeId::Resource(addr.clone());
        let before = match self.results.get(&node) {
            Some(NodeResult::Resource(before)) => Some(before.clone()),
            _ => None,
        };
        match self.prepare_resource(inputs, addr, before.as_deref()) {
            Prepared::Done(result) => Step::Done(NodeResult::Resource(Arc::new(*result))),
            Prepared::Unchanged => match before {
                Some(before) => Step::Done(NodeResult::Resource(before)),
                None => Step::Done(NodeResult::Value(Evaluated {
                    value: Value::dynamic(),
                    diagnostics: Vec::new(),
                })),
            },
            Prepared::Ask(work) => Step::Ask(Box::pin(async move {
                (
                    node,
                    NodeResult::Resource(Arc::new(work.plan(before).await)),
                )
            })),
        }
    }

    fn prepare_resource(
        &self,
        inputs: &Inputs,
        addr: &ResourceAddr,
        before: Option<&ResourceResult>,
    ) -> Prepared {
        let Some(config) = inputs.module.resources.get(addr) else {
            return match resource::state_provider(&inputs.state, addr) {
                Some((provider, alias)) => {
                    let provider_config = self.provider_config(&provider, alias.as_ref());
                    resource::prepare_orphan(inputs, addr, provider, provider_config)
                }
                None => Prepared::Unchanged,
            };
        };
        let is_broken = inputs.is_broken(&config.decl.span);
        if is_broken && before.is_some() {
            return Prepared::Unchanged;
        }
        if addr.mode != ResourceMode::Managed {
            return Prepared::Done(Box::new(resource::unread(config, inputs)));
        }
        let (provider, alias) = inputs.module.provider_of(config);
        let provider_config = self.provider_config(&provider, alias.as_ref());
        let scope = self.scope_of_resource(inputs, config);
        resource::prepare(
            inputs,
            config,
            provider,
            provider_config,
            &scope,
            self.create_before_destroy.contains(addr),
            &|other| self.resource(other).filter(|_| other != addr),
        )
    }

    fn provider_config(
        &self,
        addr: &ProviderAddr,
        alias: Option<&SmolStr>,
    ) -> Option<&ProviderConfigResult> {
        match self
            .results
            .get(&NodeId::ProviderConfig(addr.clone(), alias.cloned()))
        {
            Some(NodeResult::ProviderConfig(result)) => Some(result),
            _ => None,
        }
    }

    fn resource(&self, addr: &ResourceAddr) -> Option<&ResourceResult> {
        match self.results.get(&NodeId::Resource(addr.clone())) {
            Some(NodeResult::Resource(result)) => Some(result),
            _ => None,
        }
    }

    /// Of itself a resource sees nothing, least of all how it was planned before.
    fn scope_of_resource<'a>(&self, inputs: &'a Inputs, config: &config::Resource) -> Scope<'a> {
        Scope::new(inputs, &config.decl.references, |node| match node {
            NodeId::Resource(addr) if *addr == config.addr => None,
            _ => self.value_of(node),
        })
    }

    fn scope<'a>(&self, inputs: &'a Inputs, references: &[Reference]) -> Scope<'a> {
        Scope::new(inputs, references, |node| self.value_of(node))
    }

    /// What references to a node see.
    fn value_of(&self, node: &NodeId) -> Option<Value> {
        match self.results.get(node)? {
            NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => {
                Some(evaluated.value.clone())
            }
            NodeResult::Resource(resource) => Some(resource.value.clone()),
            NodeResult::Provider(_) | NodeResult::ProviderConfig(_) => None,
        }
    }

    /// Gives the members of a cycle unknown values, so that the rest can be planned, and says so at each of them.
    fn break_cycle(&mut self, inputs: &Inputs, cycle: &[NodeId]) {
        let mut names: Vec<String> = cycle.iter().map(NodeId::name_in_cycle).collect();
        names.sort();
        let detail = format!("Cycle: {}", names.join(", "));
        for node in cycle {
            let span = declaration_span(&inputs.module, node);
            let diagnostics = vec![Diagnostic::error("cycle", detail.clone(), "", span)];
            let result = match node {
                NodeId::Resource(addr) => {
                    NodeResult::Resource(Arc::new(resource::in_cycle(inputs, addr, diagnostics)))
                }
                NodeId::Output(_) => NodeResult::Output(
                    Evaluated {
                        value: Value::dynamic(),
                        diagnostics,
                    },
                    None,
                ),
                NodeId::ProviderConfig(addr, alias) => {
                    let provider = inputs.provider(addr, alias.as_ref());
                    NodeResult::ProviderConfig(ProviderConfigResult {
                        diagnostics,
                        ..ProviderConfigResult::blocked(provider, 0, detail.clone())
                    })
                }
                NodeId::Variable(_) | NodeId::Local(_) | NodeId::Provider(_) => {
                    NodeResult::Value(Evaluated {
                        value: Value::dynamic(),
                        diagnostics,
                    })
                }
            };
            self.insert(node, result);
            self.in_cycle.insert(node.clone());
        }
    }
}

type Declarations<K, D> = indexmap::map::Slice<K, Arc<D>>;

/// What is gone and what has come between two versions of a map, in one piece each: what both begin and end with is
/// left out.
fn difference<'a, K, D>(
    before: &'a IndexMap<K, Arc<D>>,
    after: &'a IndexMap<K, Arc<D>>,
) -> (&'a Declarations<K, D>, &'a Declarations<K, D>) {
    let is_same = |(before, after): &(&Arc<D>, &Arc<D>)| Arc::ptr_eq(before, after);
    let (before, after) = (before.as_slice(), after.as_slice());
    let prefix = before.values().zip(after.values()).take_while(is_same);
    let prefix = prefix.count();
    let (before, after) = (&before[prefix..], &after[prefix..]);
    let suffix = before.values().rev().zip(after.values().rev());
    let suffix = suffix.take_while(is_same).count();
    (
        &before[..before.len() - suffix],
        &after[..after.len() - suffix],
    )
}

fn ask_schema(inputs: &Inputs, addr: &ProviderAddr) -> Step {
    let provider = inputs.provider(addr, None);
    let generation = inputs.providers_revision;
    let node = NodeId::Provider(addr.clone());
    Step::Ask(Box::pin(async move {
        let schema = provider.schema().await;
        (
            node,
            NodeResult::Provider(ProviderResult { schema, generation }),
        )
    }))
}

fn output_change(
    inputs: &Inputs,
    name: &SmolStr,
    after: Value,
    is_sensitive: bool,
) -> OutputChange {
    let stored = inputs.state.outputs.get(name);
    let before = stored.map_or_else(|| Value::null(cty::Type::Dynamic), |o| o.value.clone());
    let was_sensitive = stored.is_some_and(|output| output.sensitive);
    let is_equal = || {
        after.is_wholly_known() && after.equals(&before).as_true() && is_sensitive == was_sensitive
    };
    let action = match (before.is_null(), after.is_null()) {
        (true, true) => Action::NoOp,
        (true, false) => Action::Create,
        _ if is_equal() => Action::NoOp,
        _ => Action::Update,
    };
    OutputChange {
        name: name.clone(),
        action,
        before,
        after,
        is_sensitive: is_sensitive || was_sensitive,
    }
}

fn declaration_span(module: &Module, node: &NodeId) -> Option<Span> {
    let decl = match node {
        NodeId::Variable(name) => &module.variables.get(name)?.decl,
        NodeId::Local(name) => &module.locals.get(name)?.decl,
        NodeId::Output(name) => &module.outputs.get(name)?.decl,
        NodeId::Resource(addr) => &module.resources.get(addr)?.decl,
        NodeId::ProviderConfig(addr, alias) => {
            let name = provider_block(module, addr, alias.as_ref())?;
            &module.providers.get(&name)?.decl
        }
        NodeId::Provider(_) => return None,
    };
    Some(decl.span.clone())
}
