//! The nodes of the engine: each declaration of each module, and its dependencies.

use std::sync::Arc;

use config::{
    ConfigResourceAddr, Module, ModuleAddr, ModuleCall, ModuleTree, Product, ProviderAddr,
    ProviderConfigAddr, ProviderKey, Reference, Referenceable, Resource, ResourceAddr,
    ResourceMode, Variable,
};
use smol_str::SmolStr;
use text::Span;

use crate::unread::is_unread;

/// An object of a module whose value is computed, and computed again when something it reads changes. It is the same
/// node for all instances of the module: so the order of nodes is known before anything is evaluated.
///
/// Nodes sort by their objects first, so that those of one kind stand together.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    pub object: NodeObject,
    pub module: ModuleAddr,
}

/// The kind of a node, within its module.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeObject {
    Variable(SmolStr),
    Local(SmolStr),
    Output(SmolStr),
    /// A module call: which instances of the called module there are.
    Call(SmolStr),
    /// A called module as a whole: everything in it is done.
    Called(SmolStr),
    /// A provider and its schema. It belongs to the root module.
    Provider(ProviderAddr),
    /// A provider with one of its configurations, in the module that has the configuration.
    ProviderConfig(ProviderAddr, Option<SmolStr>),
    Check(SmolStr),
    /// A resource with all its instances, those that only the state has included; also one inside of a check.
    Resource(ResourceAddr),
}

impl NodeObject {
    pub fn of(self, module: &ModuleAddr) -> NodeId {
        NodeId {
            object: self,
            module: module.clone(),
        }
    }
}

impl NodeId {
    pub(crate) fn provider(addr: &ProviderAddr) -> NodeId {
        NodeObject::Provider(addr.clone()).of(&ModuleAddr::root())
    }

    pub(crate) fn provider_config(addr: &ProviderConfigAddr) -> NodeId {
        NodeObject::ProviderConfig(addr.provider.clone(), addr.alias.clone()).of(&addr.module)
    }

    /// The node of the instances of `module`; the root module has only one.
    pub(crate) fn call_of(module: &ModuleAddr) -> Option<NodeId> {
        let caller = module.parent()?;
        let call = module.calls().last()?;
        Some(NodeObject::Call(call.clone()).of(&caller))
    }

    /// The address of the resource, if it is one.
    pub(crate) fn resource_addr(&self) -> Option<ConfigResourceAddr> {
        let NodeObject::Resource(resource) = &self.object else {
            return None;
        };
        Some(ConfigResourceAddr {
            module: self.module.clone(),
            resource: resource.clone(),
        })
    }

    /// Whether references to this node may have no value before a data source is read that it depends on. Other
    /// objects have their own labels.
    pub(crate) fn passes_unread_on(&self) -> bool {
        match &self.object {
            NodeObject::Variable(_)
            | NodeObject::Local(_)
            | NodeObject::Output(_)
            | NodeObject::Call(_) => true,
            NodeObject::Resource(addr) => addr.mode == ResourceMode::Data,
            NodeObject::Called(_)
            | NodeObject::Provider(_)
            | NodeObject::ProviderConfig(..)
            | NodeObject::Check(_) => false,
        }
    }

    /// As the product lists it among the members of a cycle. OpenTofu has two nodes for a variable: conditions of other
    /// variables of the module lead to one, what the caller gives leads to the other as well.
    pub(crate) fn name_in_cycle(
        &self,
        cycle: &[NodeId],
        tree: &ModuleTree,
        product: Product,
    ) -> String {
        let is_opentofu = product == Product::OpenTofu;
        let leaves_module = || cycle.iter().any(|it| it.module != self.module);
        match &self.object {
            NodeObject::Variable(_) if is_opentofu && !self.module.is_root() && leaves_module() => {
                format!("{self} (expand, input), {self} (expand, reference)")
            }
            NodeObject::Variable(_) if is_opentofu => format!("{self} (expand, reference)"),
            NodeObject::Local(_) | NodeObject::Output(_) | NodeObject::Call(_) => {
                format!("{self} (expand)")
            }
            // The rules of a variable are a node of their own.
            NodeObject::Variable(name)
                if !self.module.is_root() && has_rules(tree.module(&self.module), name) =>
            {
                format!("{self} (expand), {self} (validation)")
            }
            NodeObject::Variable(_) if !self.module.is_root() => format!("{self} (expand)"),
            // Nothing but its rules can lead from a variable of the root module to others.
            NodeObject::Variable(_) => format!("{self} (validation)"),
            NodeObject::Called(_) => format!("{self} (close)"),
            NodeObject::Provider(_)
            | NodeObject::ProviderConfig(..)
            | NodeObject::Check(_)
            | NodeObject::Resource(_) => self.to_string(),
        }
    }
}

fn has_rules(module: Option<&Arc<Module>>, variable: &SmolStr) -> bool {
    let variable = module.and_then(|it| it.variables.get(variable));
    variable.is_some_and(|it| !it.validations.is_empty())
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if !self.module.is_root() {
            write!(f, "{}.", self.module)?;
        }
        match &self.object {
            NodeObject::Variable(name) => write!(f, "var.{name}"),
            NodeObject::Local(name) => write!(f, "local.{name}"),
            NodeObject::Output(name) => write!(f, "output.{name}"),
            NodeObject::Call(name) | NodeObject::Called(name) => write!(f, "module.{name}"),
            NodeObject::Provider(addr) | NodeObject::ProviderConfig(addr, None) => {
                write!(f, "provider[\"{addr}\"]")
            }
            NodeObject::ProviderConfig(addr, Some(alias)) => {
                write!(f, "provider[\"{addr}\"].{alias}")
            }
            NodeObject::Check(name) => write!(f, "check.{name}"),
            NodeObject::Resource(addr) => write!(f, "{addr}"),
        }
    }
}

/// The nodes that a reference in a module leads to. One without a value in a plan (`each.key`, `path.module`) leads to none.
pub(crate) fn nodes_of(module: &ModuleAddr, subject: &Referenceable) -> Vec<NodeId> {
    let node = |object: NodeObject| vec![object.of(module)];
    match subject {
        Referenceable::Var(name) => node(NodeObject::Variable(name.clone())),
        Referenceable::Local(name) => node(NodeObject::Local(name.clone())),
        // Only an `action_trigger` block may name one, which does not wait for it.
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _)
            if addr.mode == ResourceMode::Action =>
        {
            Vec::new()
        }
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
            node(NodeObject::Resource(addr.clone()))
        }
        Referenceable::ModuleOutput { call, output, .. } => vec![
            NodeObject::Call(call.clone()).of(module),
            NodeObject::Output(output.clone()).of(&module.child(call.clone())),
        ],
        Referenceable::Module(call) | Referenceable::ModuleInstance(call, _) => {
            node(NodeObject::Called(call.clone()))
        }
        Referenceable::Count(_)
        | Referenceable::Each(_)
        | Referenceable::Self_
        | Referenceable::Path(_)
        | Referenceable::Terraform(_)
        | Referenceable::Tofu(_) => Vec::new(),
    }
}

/// The dependencies of the declarations of a module.
pub(crate) struct Dependencies<'a> {
    pub tree: &'a ModuleTree,
    pub module: &'a ModuleAddr,
}

impl Dependencies<'_> {
    /// Everything in a module waits for its instances.
    pub fn of_references<'r>(
        &self,
        references: impl IntoIterator<Item = &'r Reference>,
    ) -> Vec<NodeId> {
        let module = self.tree.module(self.module);
        let referenced = references.into_iter().flat_map(|reference| match module {
            Some(module) => nodes_of(self.module, &module.subject(reference)),
            None => nodes_of(self.module, &reference.subject),
        });
        referenced.chain(NodeId::call_of(self.module)).collect()
    }

    /// A variable takes its value from the calling module, and its validations may refer to objects of its own.
    pub fn of_variable(&self, variable: &Variable) -> Vec<NodeId> {
        let itself = NodeObject::Variable(variable.name.text.clone()).of(self.module);
        let mut nodes = self.of_references(&variable.decl.references);
        nodes.retain(|node| *node != itself);
        if let Some((_, call)) = self.tree.call(self.module)
            && let Some(argument) = call.argument(&variable.name.text)
            && let Some(caller) = self.module.parent()
        {
            let given = Dependencies {
                tree: self.tree,
                module: &caller,
            };
            nodes.extend(given.of_references(&argument.expr().references()));
        }
        nodes
    }

    /// The dependencies of a call's instances, which everything in the called module waits for.
    pub fn of_call(&self, call: &ModuleCall) -> Vec<NodeId> {
        let references = call
            .repetition
            .expr()
            .map(config::Expr::references)
            .unwrap_or_default();
        self.of_references(references.iter().chain(&call.depends_on))
    }

    /// Everything in a called module, also nodes that nothing in there reads.
    pub fn of_called(&self, call: &SmolStr) -> Vec<NodeId> {
        let module = self.module.child(call.clone());
        let mut nodes = vec![NodeObject::Call(call.clone()).of(self.module)];
        if let Some(called) = self.tree.module(&module) {
            let variables = called.variables.keys().cloned().map(NodeObject::Variable);
            let locals = called.locals.keys().cloned().map(NodeObject::Local);
            let outputs = called.outputs.keys().cloned().map(NodeObject::Output);
            let resources = called.resources.keys().cloned().map(NodeObject::Resource);
            let calls = called.module_calls.keys().cloned().map(NodeObject::Called);
            let values = variables.chain(locals).chain(outputs);
            let objects = values.chain(resources).chain(calls);
            nodes.extend(objects.map(|object| object.of(&module)));
        }
        nodes
    }

    /// Its references, those of its imports, and its provider's configuration.
    pub fn of_resource(&self, resource: &Resource) -> Vec<NodeId> {
        let itself = NodeObject::Resource(resource.addr.clone()).of(self.module);
        let mut nodes = self.of_references(&resource.decl.references);
        let root = ModuleAddr::root();
        for import in self.tree.imports_into(self.module, &resource.addr) {
            let dependencies = Dependencies {
                tree: self.tree,
                module: &root,
            };
            nodes.extend(dependencies.of_references(&import.decl.references));
        }
        let declared = self.tree.module(self.module);
        if resource.addr.mode == ResourceMode::Action {
            nodes.extend(self.of_triggers(&resource.addr));
        }
        nodes.retain(|node| *node != itself);
        let provider = self.tree.provider_of(self.module, resource);
        let meta = declared.and_then(|module| module.provider_meta(&provider.provider));
        if let Some(meta) = meta {
            nodes.extend(self.of_references(&meta.decl.references));
        }
        nodes.push(NodeId::provider_config(&provider));
        if let Some(ProviderKey::OfCall(called, key)) =
            self.tree.provider_key_of(self.module, resource)
            && let (Some(expr), Some(caller)) = (key.expr(), called.parent())
        {
            let given = Dependencies {
                tree: self.tree,
                module: &caller,
            };
            nodes.extend(given.of_references(&expr.references()));
        }
        nodes
    }

    /// Of an action as if nothing invoked it.
    pub fn of_action_alone(&self, action: &Resource) -> Vec<NodeId> {
        self.of_references_and_provider(action, &action.decl.references)
    }

    /// Of a resource of a type that its provider does not have: Terraform cannot tell which arguments are references.
    ///
    /// Source: `NodeAbstractResource.References` of OpenTofu's `internal/tofu/node_resource_abstract.go`.
    pub fn of_unknown_type(&self, resource: &Resource) -> Vec<NodeId> {
        let repetition = resource.repetition.expr();
        let mut read = repetition.map_or_else(Vec::new, config::Expr::references);
        read.extend(resource.depends_on.iter().cloned());
        self.of_references_and_provider(resource, &read)
    }

    /// Of a resource without the references in parts that its schema does not have.
    pub fn of_read_parts(&self, resource: &Resource, unread: &[Span]) -> Vec<NodeId> {
        let references = resource.decl.references.iter();
        let read = references.filter(|it| !is_unread(unread, &it.span));
        self.of_references_and_provider(resource, &read.cloned().collect::<Vec<_>>())
    }

    fn of_references_and_provider(
        &self,
        resource: &Resource,
        references: &[Reference],
    ) -> Vec<NodeId> {
        let mut nodes = self.of_references(references);
        let provider = self.tree.provider_of(self.module, resource);
        nodes.push(NodeId::provider_config(&provider));
        nodes
    }

    /// Nothing refers to an action, so it can wait for all that may invoke it.
    fn of_triggers(&self, action: &ResourceAddr) -> Vec<NodeId> {
        let mut nodes = Vec::new();
        let declared = self.tree.module(self.module).into_iter();
        for resource in declared.flat_map(|module| module.triggering(action)) {
            nodes.push(NodeObject::Resource(resource.addr.clone()).of(self.module));
            let triggers = resource.triggers().filter(|(_, it)| *it == action);
            nodes.extend(triggers.flat_map(|(it, _)| self.of_references(&it.references)));
        }
        nodes
    }

    pub fn of_provider_config(&self, addr: &ProviderConfigAddr) -> Vec<NodeId> {
        let block = self
            .tree
            .module(&addr.module)
            .and_then(|module| module.provider_block(&addr.provider, addr.alias.as_ref()));
        let references = block.map_or(&[][..], |block| &block.decl.references);
        let mut nodes = self.of_references(references);
        nodes.push(NodeId::provider(&addr.provider));
        nodes
    }
}

/// Where a node is declared.
pub(crate) fn declaration<'a>(module: &'a Module, node: &NodeId) -> Option<&'a config::Decl> {
    Some(match &node.object {
        NodeObject::Variable(name) => &module.variables.get(name)?.decl,
        NodeObject::Local(name) => &module.locals.get(name)?.decl,
        NodeObject::Output(name) => &module.outputs.get(name)?.decl,
        NodeObject::Call(name) | NodeObject::Called(name) => &module.module_calls.get(name)?.decl,
        NodeObject::Resource(addr) => &module.resource(addr)?.decl,
        NodeObject::Check(name) => &module.checks.get(name)?.decl,
        NodeObject::ProviderConfig(addr, alias) => {
            &module.provider_block(addr, alias.as_ref())?.decl
        }
        NodeObject::Provider(_) => return None,
    })
}
