//! The nodes of the engine: what each declaration of a module depends on, and what comes out of it.

use std::sync::Arc;

use config::{
    InstanceKey, Module, ProviderAddr, ProviderRef, Reference, Referenceable, Resource,
    ResourceAddr,
};
use cty::Value;
use provider::{Provider, ProviderError};
use schema::ProviderSchema;
use smol_str::SmolStr;
use text::Diagnostic;

use crate::instance::{DesiredInstance, InstancePlan};
use crate::{OutputChange, ResourceInstanceChange};

/// An object of the root module whose value is computed, and computed again when something it reads changes.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum NodeId {
    Variable(SmolStr),
    Local(SmolStr),
    Output(SmolStr),
    /// A provider and its schema.
    Provider(ProviderAddr),
    /// A provider with one of its configurations.
    ProviderConfig(ProviderAddr, Option<SmolStr>),
    /// A resource with all its instances, those that only the state has included.
    Resource(ResourceAddr),
}

/// What came out of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeResult {
    /// Of a variable or local value.
    Value(Evaluated),
    Output(Evaluated, Option<OutputChange>),
    Provider(ProviderResult),
    ProviderConfig(ProviderConfigResult),
    Resource(Arc<ResourceResult>),
}

/// A value, and what was found wrong while computing it.
#[derive(Debug, Clone)]
pub struct Evaluated {
    pub value: Value,
    pub diagnostics: Vec<Diagnostic>,
}

/// Whether a provider can be asked.
#[derive(Debug, Clone)]
pub(crate) struct ProviderResult {
    pub schema: Result<Arc<ProviderSchema>, ProviderError>,
    pub generation: u64,
}

#[derive(Clone)]
pub(crate) struct ProviderConfigResult {
    pub provider: Arc<dyn Provider>,
    pub schema: Option<Arc<ProviderSchema>>,
    /// The configuration the provider has been given; `None` while it has none.
    pub configured: Option<Value>,
    /// Whether it waits to be given another.
    pub is_pending: bool,
    /// Why plans made with it are guesses, if they are.
    pub guess: Option<&'static str>,
    /// Of the provider itself.
    pub provider_generation: u64,
    /// Changes whenever plans made with the provider may change.
    pub generation: u64,
    /// Why resources of this provider can't be planned, for a person to read.
    pub obstacle: Option<String>,
    pub diagnostics: Vec<Diagnostic>,
}

impl std::fmt::Debug for ProviderConfigResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderConfigResult")
            .field("obstacle", &self.obstacle)
            .finish()
    }
}

/// A resource of the configuration or of the state, planned.
#[derive(Debug, Clone)]
pub struct ResourceResult {
    pub addr: ResourceAddr,
    pub provider: ProviderAddr,
    /// Its declaration, unless only the state has it.
    pub config: Option<Arc<Resource>>,
    /// In the order of their keys; an instance that is to be deleted is one of them.
    pub instances: Vec<PlannedInstance>,
    /// What references to the resource see.
    pub value: Value,
    pub diagnostics: Vec<Diagnostic>,
    /// Why the plan of this resource is missing or a guess, for a person to read.
    pub caveat: Option<String>,
}

/// One instance of a resource.
#[derive(Clone)]
pub struct PlannedInstance {
    pub key: InstanceKey,
    /// What it was planned from; `None` where the configuration doesn't want it.
    pub(crate) desired: Option<DesiredInstance>,
    pub plan: Arc<InstancePlan>,
}

impl std::fmt::Debug for PlannedInstance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("PlannedInstance")
            .field("key", &self.key)
            .field("plan", &self.plan)
            .finish()
    }
}

impl ResourceResult {
    pub fn changes(&self) -> impl Iterator<Item = &ResourceInstanceChange> {
        self.instances
            .iter()
            .filter_map(|instance| instance.plan.change.as_ref())
    }

    /// The configuration as evaluated for one instance, with marks and unknowns.
    pub fn config_value(&self, key: &InstanceKey) -> Option<&Value> {
        let instance = self
            .instances
            .iter()
            .find(|instance| instance.key == *key)?;
        Some(&instance.desired.as_ref()?.config)
    }

    /// Whether those who are triggered by changes of this resource see the same in `other`.
    fn has_same_changes(&self, other: &ResourceResult) -> bool {
        let is_same = |a: &PlannedInstance, b: &PlannedInstance| {
            a.key == b.key
                && match (&a.plan.change, &b.plan.change) {
                    (Some(a), Some(b)) => a.action == b.action && a.before.raw_equals(&b.before),
                    (None, None) => true,
                    (Some(_), None) | (None, Some(_)) => false,
                }
        };
        let (a, b) = (&self.instances, &other.instances);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
    }
}

impl NodeResult {
    /// Whether those who read this node see no difference between both results.
    pub(crate) fn is_same(&self, other: &NodeResult) -> bool {
        match (self, other) {
            (NodeResult::Value(a), NodeResult::Value(b)) => a.value.raw_equals(&b.value),
            // Nothing refers to an output of the root module.
            (NodeResult::Output(..), NodeResult::Output(..)) => true,
            (NodeResult::Provider(a), NodeResult::Provider(b)) => match (&a.schema, &b.schema) {
                (Ok(old), Ok(new)) => a.generation == b.generation && Arc::ptr_eq(old, new),
                (Err(old), Err(new)) => old.to_string() == new.to_string(),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
            },
            (NodeResult::ProviderConfig(a), NodeResult::ProviderConfig(b)) => {
                a.generation == b.generation && a.obstacle == b.obstacle && a.guess == b.guess
            }
            (NodeResult::Resource(a), NodeResult::Resource(b)) => {
                a.value.raw_equals(&b.value) && a.has_same_changes(b)
            }
            _ => false,
        }
    }
}

impl NodeId {
    /// As Terraform lists the members of a cycle.
    pub(crate) fn name_in_cycle(&self) -> String {
        match self {
            NodeId::Local(_) | NodeId::Output(_) => format!("{self} (expand)"),
            NodeId::Variable(_)
            | NodeId::Provider(_)
            | NodeId::ProviderConfig(..)
            | NodeId::Resource(_) => self.to_string(),
        }
    }
}

impl std::fmt::Display for NodeId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            NodeId::Variable(name) => write!(f, "var.{name}"),
            NodeId::Local(name) => write!(f, "local.{name}"),
            NodeId::Output(name) => write!(f, "output.{name}"),
            NodeId::Provider(addr) => write!(f, "provider[\"{addr}\"]"),
            NodeId::ProviderConfig(addr, None) => write!(f, "provider[\"{addr}\"]"),
            NodeId::ProviderConfig(addr, Some(alias)) => write!(f, "provider[\"{addr}\"].{alias}"),
            NodeId::Resource(addr) => write!(f, "{addr}"),
        }
    }
}

/// The nodes that references lead to. What has no value in a plan (`each.key`, `path.module`) leads to none.
pub(crate) fn dependencies<'a>(
    references: impl IntoIterator<Item = &'a Reference>,
) -> impl Iterator<Item = NodeId> {
    references
        .into_iter()
        .filter_map(|reference| match &reference.subject {
            Referenceable::Var(name) => Some(NodeId::Variable(name.clone())),
            Referenceable::Local(name) => Some(NodeId::Local(name.clone())),
            Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _) => {
                Some(NodeId::Resource(addr.clone()))
            }
            Referenceable::Module(_)
            | Referenceable::ModuleInstance(..)
            | Referenceable::ModuleOutput { .. }
            | Referenceable::Count(_)
            | Referenceable::Each(_)
            | Referenceable::Self_
            | Referenceable::Path(_)
            | Referenceable::Terraform(_) => None,
        })
}

/// What a resource depends on: its references, and its provider's configuration.
pub(crate) fn resource_dependencies(module: &Module, resource: &Resource) -> Vec<NodeId> {
    let (provider, alias) = module.provider_of(resource);
    let itself = NodeId::Resource(resource.addr.clone());
    let mut nodes: Vec<NodeId> = dependencies(&resource.decl.references)
        .filter(|node| *node != itself)
        .collect();
    nodes.push(NodeId::ProviderConfig(provider, alias));
    nodes
}

/// The name under which a module has a `provider` block for this configuration.
pub(crate) fn provider_block(
    module: &Module,
    addr: &ProviderAddr,
    alias: Option<&SmolStr>,
) -> Option<ProviderRef> {
    module
        .providers
        .keys()
        .find(|r| r.alias.as_ref() == alias && module.provider_addr(&r.name) == *addr)
        .cloned()
}
