//! Finding the changes: which nodes there are, their dependencies, and which have to be evaluated again.

use std::collections::{BTreeSet, HashSet};
use std::hash::Hash;
use std::sync::Arc;

use config::{
    ConfigResourceAddr, Import, Module, ModuleAddr, ModuleCall, ModuleTree, ProviderConfigAddr,
    Repetition, ResourceAddr, ResourceMode, Table,
};
use smol_str::SmolStr;
use state::State;
use text::{FileId, SegmentId};

use super::Engine;
use crate::inputs::Inputs;
use crate::node::{Dependencies, NodeId, NodeObject};
use crate::resource;
use crate::result::NodeResult;

impl Engine {
    /// Answers whether another provider configuration may serve a resource now.
    pub(super) fn update_declarations(
        &mut self,
        before: Option<&ModuleTree>,
        inputs: &Inputs,
    ) -> bool {
        let empty = Module::default();
        let tree = &*inputs.tree;
        let before_of = |addr: &ModuleAddr| before.and_then(|before| before.module(addr));
        for (addr, _) in before.into_iter().flat_map(ModuleTree::iter) {
            if tree.module(addr).is_none() {
                let before = before_of(addr).map_or(&empty, |before| before);
                self.declare_module(inputs, addr, before, &empty);
            }
        }
        for (addr, module) in tree.iter() {
            match before_of(addr) {
                Some(before) if Arc::ptr_eq(before, &module.module) => {}
                before => {
                    let before = before.map_or(&empty, |before| before);
                    self.declare_module(inputs, addr, before, &module.module);
                }
            }
        }
        let is_wired_otherwise = before.is_some_and(|before| is_wired_otherwise(before, tree));
        if is_wired_otherwise {
            self.declare_providers_anew(inputs);
        }
        self.update_refactoring(before, inputs);
        is_wired_otherwise
    }

    /// A `removed` block concerns objects that nothing declares, and an `import` block is read by the resource
    /// that it names. Moves are seen in the state.
    fn update_refactoring(&mut self, before: Option<&ModuleTree>, inputs: &Inputs) {
        let Some(before) = before else { return };
        let tree = &*inputs.tree;
        let removed = |tree: &ModuleTree| -> Vec<_> {
            let modules = tree.iter();
            modules
                .flat_map(|(_, module)| module.module.removed.clone())
                .collect()
        };
        if removed(before) != removed(tree) {
            for orphan in &self.orphans {
                self.graph
                    .mark_dirty(&NodeObject::Resource(orphan.resource.clone()).of(&orphan.module));
            }
        }
        let (imports_before, imports) = (&before.root().imports, &tree.root().imports);
        if imports_before == imports {
            return;
        }
        let pointers = |imports: &[Arc<Import>]| -> HashSet<*const Import> {
            imports.iter().map(Arc::as_ptr).collect()
        };
        let (known, now) = (pointers(imports_before), pointers(imports));
        let is_same_set = known == now;
        for import in imports_before.iter().chain(imports) {
            let pointer = Arc::as_ptr(import);
            // Only the order differs, or this block.
            if is_same_set || !known.contains(&pointer) || !now.contains(&pointer) {
                self.declare_resource(inputs, &import.target.config());
            }
        }
    }

    /// Declares the node of a resource anew, if the configuration has it.
    fn declare_resource(&mut self, inputs: &Inputs, addr: &ConfigResourceAddr) {
        let (tree, module) = (&*inputs.tree, &addr.module);
        let declared = tree.module(module);
        if let Some(resource) = declared.and_then(|it| it.resources.get(&addr.resource)) {
            let node = NodeObject::Resource(addr.resource.clone()).of(module);
            let dependencies = Dependencies { tree, module }.of_resource(resource);
            self.graph.declare(&node, dependencies);
            self.declare_provider(tree, tree.provider_of(module, resource), false);
        }
    }

    fn declare_module(
        &mut self,
        inputs: &Inputs,
        addr: &ModuleAddr,
        before: &Module,
        module: &Module,
    ) {
        let tree = &*inputs.tree;
        let dependencies = Dependencies { tree, module: addr };
        let of = |object: NodeObject| object.of(addr);
        self.declare_changed(
            &before.variables,
            &module.variables,
            |name| of(NodeObject::Variable(name)),
            |variable| dependencies.of_variable(variable),
        );
        self.declare_changed(
            &before.locals,
            &module.locals,
            |name| of(NodeObject::Local(name)),
            |local| dependencies.of_references(&local.decl.references),
        );
        self.declare_changed(
            &before.outputs,
            &module.outputs,
            |name| of(NodeObject::Output(name)),
            |output| dependencies.of_references(&output.decl.references),
        );
        self.declare_changed(
            &before.resources,
            &module.resources,
            |resource| of(NodeObject::Resource(resource)),
            |resource| dependencies.of_resource(resource),
        );
        self.declare_changed(
            &before.module_calls,
            &module.module_calls,
            |call| of(NodeObject::Call(call)),
            |call| dependencies.of_call(call),
        );
        let (gone, come) = before.module_calls.difference(&module.module_calls);
        for (name, _) in before.module_calls.range(gone) {
            if !module.module_calls.contains_key(name) {
                self.forget(&of(NodeObject::Called(name.clone())));
            }
        }
        let is_by_key = |call: &ModuleCall| matches!(call.repetition, Repetition::ForEach(_));
        let mut has_other_repetition = false;
        for (name, call) in module.module_calls.range(come) {
            let call_before = before.module_calls.get(name);
            has_other_repetition |= call_before.is_some_and(|it| is_by_key(it) != is_by_key(call));
            self.declare_called(tree, addr, name);
            // The arguments are read by the variables of the called module.
            let child = addr.child(name.clone());
            if let Some(module) = tree.module(&child) {
                let dependencies = Dependencies {
                    tree,
                    module: &child,
                };
                for (name, variable) in &module.variables {
                    let node = NodeObject::Variable(name.clone()).of(&child);
                    self.graph
                        .declare(&node, dependencies.of_variable(variable));
                }
            }
        }
        if has_other_repetition {
            // References to the call mean something else now (`Module::subject`).
            self.declare_module(inputs, addr, &Module::default(), module);
        }
        let holds_the_same = before.variables.has_same_keys(&module.variables)
            && before.locals.has_same_keys(&module.locals)
            && before.outputs.has_same_keys(&module.outputs)
            && before.resources.has_same_keys(&module.resources)
            && before.module_calls.has_same_keys(&module.module_calls);
        if let (Some(caller), Some(name)) = (addr.parent(), addr.calls().last())
            && !holds_the_same
            && tree.call(addr).is_some()
        {
            self.declare_called(tree, &caller, name);
        }
        self.declare_changed(
            &before.checks,
            &module.checks,
            |name| of(NodeObject::Check(name)),
            |check| dependencies.of_references(&check.decl.references),
        );
        let (gone, come) = before.checks.difference(&module.checks);
        for (_, check) in before.checks.range(gone) {
            if let Some(data) = &check.data
                && module.resource(&data.addr).is_none()
            {
                self.forget(&of(NodeObject::Resource(data.addr.clone())));
            }
        }
        for (_, check) in module.checks.range(come) {
            if let Some(data) = &check.data {
                let node = of(NodeObject::Resource(data.addr.clone()));
                self.graph.declare(&node, dependencies.of_resource(data));
                self.declare_provider(tree, tree.provider_of(addr, data), false);
            }
        }
        let (_, come) = before.resources.difference(&module.resources);
        for (_, declared) in module.resources.range(come) {
            self.declare_provider(tree, tree.provider_of(addr, declared), false);
        }
        self.declare_triggered(&dependencies, before, module);
    }

    /// An action depends on the resources that may invoke it.
    fn declare_triggered(
        &mut self,
        dependencies: &Dependencies<'_>,
        before: &Module,
        module: &Module,
    ) {
        let (gone, come) = before.resources.difference(&module.resources);
        let changed = before
            .resources
            .range(gone)
            .chain(module.resources.range(come));
        let actions: BTreeSet<&ResourceAddr> = changed
            .flat_map(|(_, resource)| resource.triggers())
            .map(|(_, action)| action)
            .collect();
        for action in actions {
            if let Some(declared) = module.resources.get(action) {
                let node = NodeObject::Resource(action.clone()).of(dependencies.module);
                self.graph
                    .declare(&node, dependencies.of_resource(declared));
            }
        }
    }

    fn declare_changed<K, D>(
        &mut self,
        before: &Table<K, D>,
        after: &Table<K, D>,
        node: impl Fn(K) -> NodeId,
        dependencies: impl Fn(&D) -> Vec<NodeId>,
    ) where
        K: Clone + Eq + Hash,
        D: PartialEq,
    {
        let (gone, come) = before.difference(after);
        for (key, _) in before.range(gone) {
            if !after.contains_key(key) {
                self.forget(&node(key.clone()));
            }
        }
        for (key, declaration) in after.range(come) {
            let is_same = before
                .get(key)
                .is_some_and(|before| Arc::ptr_eq(before, declaration) || before == declaration);
            if !is_same {
                self.graph
                    .declare(&node(key.clone()), dependencies(declaration));
            }
        }
    }

    /// Which configuration serves a resource may be another now.
    fn declare_providers_anew(&mut self, inputs: &Inputs) {
        for (addr, module) in inputs.tree.iter() {
            for resource in module.module.resources.keys() {
                let of_tree = ConfigResourceAddr {
                    module: addr.clone(),
                    resource: resource.clone(),
                };
                self.declare_resource(inputs, &of_tree);
            }
        }
        for addr in self.provider_configs.clone() {
            self.declare_provider(&inputs.tree, addr, true);
        }
    }

    /// Declares the nodes of a provider configuration, unless they are there.
    fn declare_provider(&mut self, tree: &ModuleTree, addr: ProviderConfigAddr, is_changed: bool) {
        let provider = NodeId::provider(&addr.provider);
        if !self.graph.is_declared(&provider) {
            self.graph.declare(&provider, []);
        }
        let node = NodeId::provider_config(&addr);
        if is_changed || !self.graph.is_declared(&node) {
            let dependencies = Dependencies {
                tree,
                module: &addr.module,
            };
            self.graph
                .declare(&node, dependencies.of_provider_config(&addr));
            self.provider_configs.insert(addr);
        }
    }

    /// The schemas of providers that nothing uses yet are needed to complete their first use.
    pub(super) fn declare_required_providers(&mut self, root: &Module) {
        for name in root.required_providers.keys() {
            let provider = NodeId::provider(&root.provider_addr(name));
            if !self.graph.is_declared(&provider) {
                self.graph.declare(&provider, []);
            }
        }
    }

    /// Providers without resources do not affect the plan.
    pub(super) fn forget_unused_providers(&mut self) {
        for addr in self.provider_configs.clone() {
            let node = NodeId::provider_config(&addr);
            if self.graph.has_dependents(&node) {
                continue;
            }
            for node in [node, NodeId::provider(&addr.provider)] {
                if !self.graph.has_dependents(&node) {
                    self.graph.remove(&node);
                    self.results.remove(&node);
                    self.failed.remove(&node);
                }
            }
            self.provider_configs.remove(&addr);
        }
    }

    /// A resource looks again when its objects changed; objects that only the state has are nodes too.
    pub(super) fn update_state(
        &mut self,
        before: Option<&Inputs>,
        inputs: &Inputs,
        is_wired_otherwise: bool,
    ) {
        let is_same_state = before.is_some_and(|before| Arc::ptr_eq(&before.state, &inputs.state));
        if let Some(before) = before.filter(|_| !is_same_state) {
            for addr in inputs.moves.changed_resources(&before.moves) {
                let addr = addr.config();
                let node = NodeObject::Resource(addr.resource).of(&addr.module);
                self.graph.mark_dirty(&node);
            }
        }
        if !is_same_state {
            let none = State::default();
            let old = before.map_or(&none, |before| &*before.state);
            for addr in inputs.state.changed_resources(old) {
                let addr = addr.config();
                let node = NodeObject::Resource(addr.resource).of(&addr.module);
                self.graph.mark_dirty(&node);
            }
            for name in inputs.tree.root().outputs.keys() {
                if old.outputs.get(name) != inputs.state.outputs.get(name) {
                    let node = NodeObject::Output(name.clone()).of(&ModuleAddr::root());
                    self.graph.mark_dirty(&node);
                }
            }
        }
        let is_same_set =
            before.is_some_and(|before| declares_the_same_resources(&before.tree, &inputs.tree));
        if !is_same_state || !is_same_set || is_wired_otherwise {
            self.update_orphans(inputs, is_wired_otherwise, before);
        }
    }

    /// Where the state has objects.
    pub(super) fn update_stored(&mut self, before: Option<&Inputs>, inputs: &Inputs) {
        if before.is_some_and(|before| Arc::ptr_eq(&before.state, &inputs.state)) {
            return;
        }
        self.stored.clear();
        for addr in inputs.state.resources.keys() {
            let instances = self.stored.entry(addr.config()).or_default();
            instances.push(addr.module.clone());
        }
    }

    fn update_orphans(
        &mut self,
        inputs: &Inputs,
        is_wired_otherwise: bool,
        before: Option<&Inputs>,
    ) {
        let is_declared = |addr: &ConfigResourceAddr| {
            let module = inputs.tree.module(&addr.module);
            module.is_some_and(|module| module.resources.contains_key(&addr.resource))
        };
        let orphans: BTreeSet<ConfigResourceAddr> = self
            .stored
            .keys()
            .filter(|addr| addr.resource.mode == ResourceMode::Managed && !is_declared(addr))
            .filter(|addr| {
                !inputs.tree.is_missing(&addr.module) && !inputs.tree.is_partial(&addr.module)
            })
            .cloned()
            .collect();
        let node = |addr: &ConfigResourceAddr| {
            NodeObject::Resource(addr.resource.clone()).of(&addr.module)
        };
        let forgotten: Vec<NodeId> = self
            .orphans
            .difference(&orphans)
            .filter(|addr| !is_declared(addr))
            .map(node)
            .collect();
        for node in &forgotten {
            self.forget(node);
        }
        for addr in &orphans {
            let providers = |inputs: &Inputs| -> BTreeSet<ProviderConfigAddr> {
                let instances = self.stored.get(addr).into_iter().flatten();
                instances
                    .filter_map(|instance| {
                        resource::state_provider(inputs, &instance.resource(addr.resource.clone()))
                    })
                    .collect()
            };
            let now = providers(inputs);
            let is_same =
                !is_wired_otherwise && before.is_some_and(|before| providers(before) == now);
            for provider in &now {
                self.declare_provider(&inputs.tree, provider.clone(), false);
            }
            if !is_same || !self.orphans.contains(addr) {
                self.graph
                    .declare(&node(addr), now.iter().map(NodeId::provider_config));
            }
        }
        let modules: BTreeSet<ModuleAddr> = orphans
            .symmetric_difference(&self.orphans)
            .map(|it| it.module.clone())
            .collect();
        self.orphans = orphans;
        for module in modules {
            if let (Some(caller), Some(name)) = (module.parent(), module.calls().last())
                && inputs.tree.call(&module).is_some()
            {
                self.declare_called(&inputs.tree, &caller, name);
            }
        }
    }

    /// Declares a called module as a whole: all its declarations, and objects in the state whose resource is not declared.
    fn declare_called(&mut self, tree: &ModuleTree, caller: &ModuleAddr, name: &SmolStr) {
        let dependencies = Dependencies {
            tree,
            module: caller,
        };
        let module = caller.child(name.clone());
        // They stand together, as addresses are in order.
        let first = ConfigResourceAddr {
            module: module.clone(),
            resource: ResourceAddr::new(ResourceMode::Managed, "", ""),
        };
        let orphans = self.orphans.range(first..);
        let orphans = orphans.take_while(|it| it.module == module);
        let orphans = orphans.map(|it| NodeObject::Resource(it.resource.clone()).of(&module));
        let all: Vec<NodeId> = dependencies
            .of_called(name)
            .into_iter()
            .chain(orphans)
            .collect();
        let called = NodeObject::Called(name.clone()).of(caller);
        self.graph.declare(&called, all);
    }

    /// Inputs beside configuration and state.
    pub(super) fn update_surroundings(&mut self, before: Option<&Inputs>, inputs: &Inputs) {
        let Some(before) = before else { return };
        for name in inputs.tree.root().variables.keys() {
            if before.variables.get(name) != inputs.variables.get(name) {
                let node = NodeObject::Variable(name.clone()).of(&ModuleAddr::root());
                self.graph.mark_dirty(&node);
            }
        }
        let is_same = Arc::ptr_eq(&before.environment, &inputs.environment)
            && before.state_caveat == inputs.state_caveat
            && before.options == inputs.options
            && before.tree.has_same_paths(&inputs.tree);
        if !is_same {
            self.graph.mark_all_dirty();
        }
        for node in &self.reads_files {
            self.graph.mark_dirty(node);
        }
        // In JSON syntax an edit elsewhere may mend a block, whose last result before stood for it.
        let mended = before.broken.difference(&inputs.broken);
        let is_there = |(file, segment): &&(FileId, SegmentId)| {
            let syntax = inputs.tree.file(file);
            syntax.is_some_and(|it| it.segment(*segment).is_some())
        };
        let mended: HashSet<_> = mended.filter(is_there).cloned().collect();
        let mended: Vec<NodeId> = self.declared_in(inputs, &mended).cloned().collect();
        for node in &mended {
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
            .take_while(|(node, _)| !matches!(node.object, NodeObject::Resource(_)))
            .filter(|(_, result)| match result {
                NodeResult::Provider(result) => {
                    // A package that was not installed may be installed by now.
                    let is_missing = result
                        .schema
                        .as_ref()
                        .is_err_and(|it| it.is_not_installed());
                    is_missing || inputs.providers_revision != result.generation
                }
                // A provider that may not be configured from a half-typed text is configured once that is saved.
                NodeResult::ProviderConfig(configs) => {
                    let mut results = configs.by_key.values();
                    let is_waiting = results.any(|it| it.is_pending && !it.is_refused);
                    inputs.is_saved && !before.is_saved && is_waiting
                }
                _ => false,
            })
            .map(|(node, _)| node.clone())
            .collect();
        for node in &changed {
            self.graph.mark_dirty(node);
        }
    }

    /// `create_before_destroy` spreads to everything that such a resource depends on. A resource that the options leave out
    /// asks for nothing: `ForcedCBDTransformer` comes after `TargetingTransformer` in OpenTofu's `graph_builder_plan.go`.
    pub(super) fn update_create_before_destroy(
        &mut self,
        before: Option<&ModuleTree>,
        inputs: &Inputs,
    ) {
        let empty = Module::default();
        let tree = &inputs.tree;
        let selected = self.selected.as_ref();
        let selected = selected.filter(|_| inputs.options.is_selective());
        let mut asking: Vec<NodeId> = Vec::new();
        for (addr, module) in tree.iter() {
            let resources = match before {
                // No resource asked for it before.
                Some(before) if self.create_before_destroy.is_empty() => {
                    let before = before.module(addr).map_or(&empty, |before| before);
                    before.resources.difference(&module.module.resources).1
                }
                _ => 0..module.module.resources.len(),
            };
            let natural = module
                .module
                .resources
                .range(resources)
                .map(|(_, resource)| resource)
                .filter(|resource| resource.lifecycle.create_before_destroy == Some(true));
            let node =
                |addr: &config::ResourceAddr, module| NodeObject::Resource(addr.clone()).of(module);
            let natural = natural.map(|resource| node(&resource.addr, addr));
            asking.extend(natural.filter(|node| selected.is_none_or(|it| it.is_planned(node))));
        }
        if asking.is_empty() && self.create_before_destroy.is_empty() {
            return;
        }
        let forced = self.graph.with_dependencies(&asking).into_iter();
        let forced = forced.filter(|it| matches!(it.object, NodeObject::Resource(_)));
        let forced: HashSet<NodeId> = forced.cloned().collect();
        for node in forced.symmetric_difference(&self.create_before_destroy) {
            self.graph.mark_dirty(node);
        }
        self.create_before_destroy = forced;
    }
}

/// Whether the same stored objects are declared, or are of a module that could not be read.
fn declares_the_same_resources(before: &ModuleTree, after: &ModuleTree) -> bool {
    let is_same_module = |before: &Module, after: &Module| {
        before.resources.has_same_keys(&after.resources)
            && before.module_calls.has_same_keys(&after.module_calls)
    };
    let pairs = before.iter().zip(after.iter());
    before.iter().len() == after.iter().len()
        && pairs.into_iter().all(|((a, before), (b, after))| {
            a == b && is_same_module(&before.module, &after.module)
        })
}

/// Whether provider configurations go other ways through the tree, or with other words about the module.
fn is_wired_otherwise(before: &ModuleTree, after: &ModuleTree) -> bool {
    let is_same_call = |before: &Arc<Module>, after: &Arc<Module>| {
        let (gone, come) = before.module_calls.difference(&after.module_calls);
        let passed = |(name, call): (&SmolStr, &Arc<ModuleCall>)| {
            let keys = call.provider_keys.clone();
            (name.clone(), call.providers.clone(), keys)
        };
        let gone = before.module_calls.range(gone).map(passed);
        gone.eq(after.module_calls.range(come).map(passed))
    };
    let is_same_module = |before: &Arc<Module>, after: &Arc<Module>| {
        Arc::ptr_eq(before, after)
            || (before.providers == after.providers
                && before.required_providers == after.required_providers
                && before.provider_metas == after.provider_metas
                && is_same_call(before, after))
    };
    let pairs = before.iter().zip(after.iter());
    before.iter().len() != after.iter().len()
        || !pairs.into_iter().all(|((a, before), (b, after))| {
            a == b && is_same_module(&before.module, &after.module)
        })
}
