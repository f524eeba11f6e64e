//! The results of the nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{
    AbsResourceAddr, Attribute, InstanceKey, ModuleInstanceAddr, ProviderAddr, Resource,
    ResourceMode,
};
use cty::{Parts, Value};
use provider::{Provider, ProviderError};
use schema::ProviderSchema;
use text::Diagnostic;

use crate::caveat::{Caveat, Unconfigured};
use crate::condition::has_errors;
use crate::expansion::Shape;
use crate::instance::{DesiredInstance, InstancePlan};
use crate::{Action, ActionInvocation, OutputChange, PlanMode, ResourceInstanceChange};

/// The result of a node.
#[derive(Debug, Clone)]
pub(crate) enum NodeResult {
    /// Of a variable, a local value or a called module.
    Value(Evaluated),
    /// The change is that of the root module.
    Output(Evaluated, Option<OutputChange>),
    Call(CallResult),
    Provider(ProviderResult),
    ProviderConfig(ProviderConfigs),
    Resource(PerInstance<Arc<ResourceResult>>),
}

/// Something for each instance of a module, in the order of their addresses.
#[derive(Debug, Clone)]
pub(crate) struct PerInstance<T>(Vec<(ModuleInstanceAddr, T)>);

impl<T> Default for PerInstance<T> {
    fn default() -> Self {
        PerInstance(Vec::new())
    }
}

impl<T> FromIterator<(ModuleInstanceAddr, T)> for PerInstance<T> {
    fn from_iter<I: IntoIterator<Item = (ModuleInstanceAddr, T)>>(items: I) -> Self {
        let mut items: Vec<_> = items.into_iter().collect();
        items.sort_by(|(a, _), (b, _)| a.cmp(b));
        PerInstance(items)
    }
}

impl<T> PerInstance<T> {
    pub fn get(&self, instance: &ModuleInstanceAddr) -> Option<&T> {
        let index = self.0.binary_search_by(|(addr, _)| addr.cmp(instance));
        Some(&self.0[index.ok()?].1)
    }

    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&ModuleInstanceAddr, &T)> {
        self.0.iter().map(|(addr, item)| (addr, item))
    }

    pub fn values(&self) -> impl ExactSizeIterator<Item = &T> {
        self.0.iter().map(|(_, item)| item)
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = (&ModuleInstanceAddr, &mut T)> {
        self.0.iter_mut().map(|(addr, item)| (&*addr, item))
    }

    fn is_same(&self, other: &PerInstance<T>, is_same: impl Fn(&T, &T) -> bool) -> bool {
        let pairs = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len()
            && pairs
                .into_iter()
                .all(|((a, one), (b, another))| a == b && is_same(one, another))
    }
}

/// A value in each instance of the module, and the errors of computing them, each once.
#[derive(Debug, Clone, Default)]
pub(crate) struct Evaluated {
    pub values: PerInstance<Value>,
    pub diagnostics: Vec<Diagnostic>,
}

/// Which instances of a called module there are.
#[derive(Debug, Clone, Default)]
pub(crate) struct CallResult {
    /// How they form the value that references see, in each instance of the calling module.
    pub shapes: PerInstance<Shape>,
    /// In the order of their addresses.
    pub instances: Vec<ModuleInstance>,
    pub diagnostics: Vec<Diagnostic>,
}

impl CallResult {
    pub fn instance(&self, addr: &ModuleInstanceAddr) -> Option<&ModuleInstance> {
        let index = self.instances.binary_search_by(|it| it.addr.cmp(addr));
        Some(&self.instances[index.ok()?])
    }

    /// Those that one instance of the calling module calls.
    pub fn instances_of(&self, caller: &ModuleInstanceAddr) -> &[ModuleInstance] {
        let depth = caller.steps().len();
        let before = |it: &ModuleInstance| it.addr.steps()[..depth].cmp(caller.steps());
        let start = self.instances.partition_point(|it| before(it).is_lt());
        let end = self.instances.partition_point(|it| before(it).is_le());
        &self.instances[start..end]
    }
}

/// An instance of a module.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModuleInstance {
    pub addr: ModuleInstanceAddr,
    /// `each.value` in the arguments of its call.
    pub each_value: Option<Value>,
    /// The reason why the instances are not known: then this one represents all of them.
    pub stands_for_unknown: Option<Caveat>,
}

impl ModuleInstance {
    fn is_same(&self, other: &ModuleInstance) -> bool {
        let is_same_value = match (&self.each_value, &other.each_value) {
            (Some(a), Some(b)) => a.raw_equals(b),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        };
        is_same_value
            && self.addr == other.addr
            && self.stands_for_unknown == other.stands_for_unknown
    }
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
    /// Whether it could not be given that one, so that only another configuration or a command tries again.
    pub is_refused: bool,
    /// Why plans made with it are guesses, if they are.
    pub guess: Option<Unconfigured>,
    /// Of the provider itself.
    pub provider_generation: u64,
    /// Changes whenever plans made with the provider may change.
    pub generation: u64,
    /// Why resources of this provider can't be planned.
    pub obstacle: Option<Caveat>,
    pub diagnostics: Vec<Diagnostic>,
}

/// A provider configuration, or all its instances with `for_each`.
#[derive(Debug, Clone, Default)]
pub(crate) struct ProviderConfigs {
    pub by_key: BTreeMap<InstanceKey, ProviderConfigResult>,
    /// The errors of `for_each`.
    pub diagnostics: Vec<Diagnostic>,
}

impl From<ProviderConfigResult> for ProviderConfigs {
    fn from(result: ProviderConfigResult) -> ProviderConfigs {
        ProviderConfigs {
            by_key: BTreeMap::from([(InstanceKey::None, result)]),
            diagnostics: Vec::new(),
        }
    }
}

impl ProviderConfigs {
    pub fn diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let instances = self.by_key.values();
        let of_instances = instances.flat_map(|result| &result.diagnostics);
        self.diagnostics.iter().chain(of_instances)
    }

    /// The only one; of several the first, which has the schema of all.
    pub fn first(&self) -> Option<&ProviderConfigResult> {
        self.by_key.values().next()
    }

    fn is_same(&self, other: &ProviderConfigs) -> bool {
        let pairs = self.by_key.iter().zip(&other.by_key);
        self.by_key.len() == other.by_key.len()
            && pairs.into_iter().all(|((a, one), (b, another))| {
                a == b
                    && one.generation == another.generation
                    && one.obstacle == another.obstacle
                    && one.guess == another.guess
            })
    }
}

impl std::fmt::Debug for ProviderConfigResult {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderConfigResult")
            .field("obstacle", &self.obstacle)
            .finish()
    }
}

/// A resource of the configuration or of the state, planned in one instance of its module.
#[derive(Debug, Clone)]
pub struct ResourceResult {
    pub addr: AbsResourceAddr,
    pub provider: ProviderAddr,
    /// Its declaration, unless only the state has it.
    pub config: Option<Arc<Resource>>,
    /// In the order of their keys; an instance that is to be deleted is one of them.
    pub instances: Vec<PlannedInstance>,
    /// The value of references to the resource.
    pub value: Value,
    pub diagnostics: Vec<Diagnostic>,
    /// Why the plan of this resource is missing or a guess.
    pub caveat: Option<Caveat>,
    /// Whether its objects may exist although it is planned as if they didn't: then it has no changes to tell.
    pub is_state_unread: bool,
    /// The values of its block, where there is no schema to plan it by or its provider is waited for.
    pub written: Option<Arc<Written>>,
}

/// The values of a block without a schema.
#[derive(Debug, Clone, PartialEq)]
pub struct Written {
    /// Which instances there are.
    pub keys: Vec<InstanceKey>,
    /// The arguments with their values, as far as these are the same in all instances; the rest is unknown.
    pub arguments: Vec<(Attribute, Value)>,
}

/// One instance of a resource.
#[derive(Clone)]
pub struct PlannedInstance {
    pub key: InstanceKey,
    /// Its inputs; `None` where the configuration doesn't want it.
    pub(crate) desired: Option<Box<DesiredInstance>>,
    pub plan: Arc<InstancePlan>,
}

impl PlannedInstance {
    /// Whether the configuration wants it.
    pub fn is_wanted(&self) -> bool {
        self.desired.is_some()
    }

    /// Whether it is wanted and does not exist, where nothing is created: references do not see it. Follows `GetResource`
    /// of Terraform's `internal/terraform/evaluate.go`.
    pub(crate) fn is_absent(&self) -> bool {
        self.desired.as_ref().is_some_and(|desired| {
            desired.task.mode == PlanMode::RefreshOnly
                && desired.addr.resource.mode == ResourceMode::Managed
                && desired.prior.is_none()
                && desired.import.is_none()
        })
    }

    /// Has the object before and after, its configuration and those of a sibling in memory once, as far as they are equal,
    /// and so texts that the object has in several attributes.
    pub(crate) fn share(&mut self, sibling: Option<&PlannedInstance>) {
        let of_sibling = sibling.and_then(|it| it.desired.as_deref());
        if let (Some(desired), Some(sibling)) = (&mut self.desired, of_sibling) {
            desired.config = desired.config.sharing_with(&sibling.config);
        }
        // A part that others hold too was shared when it was made.
        let Some(plan) = Arc::get_mut(&mut self.plan) else {
            return;
        };
        if let Some(change) = &mut plan.change {
            let of_sibling = sibling.and_then(|it| it.plan.change.as_ref());
            if let Some(sibling) = of_sibling {
                change.after = change.after.sharing_with(&sibling.after);
                change.before = change.before.sharing_with(&sibling.before);
            }
            let mut parts = Parts::default();
            if let Some(desired) = &mut self.desired {
                desired.config = parts.share(&desired.config);
                change.after = change.after.sharing_with(&desired.config);
            }
            change.after = parts.share(&change.after);
            change.before = change.before.sharing_with(&change.after);
            change.before = parts.share(&change.before);
            plan.value = plan.value.sharing_with(match change.after.is_null() {
                true => &change.before,
                false => &change.after,
            });
        }
    }

    /// `self` in its postconditions.
    pub fn value(&self) -> &Value {
        match &self.plan.change {
            Some(change) => &change.after,
            None => &self.plan.value,
        }
    }
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
        let is_known = !self.is_state_unread || self.addr.resource.mode != ResourceMode::Managed;
        self.planned_changes().filter(move |_| is_known)
    }

    /// Also those of which the state may know better.
    pub(crate) fn planned_changes(&self) -> impl Iterator<Item = &ResourceInstanceChange> {
        self.instances
            .iter()
            .filter_map(|instance| instance.plan.change.as_ref())
    }

    /// Of an action: its invocations.
    pub fn action_invocations(&self) -> impl Iterator<Item = ActionInvocation<'_>> {
        let planned = self.instances.iter().filter(|it| it.plan.is_planned());
        planned.flat_map(|instance| {
            let desired = instance.desired.as_deref().into_iter();
            desired.flat_map(|desired| {
                let triggered = desired.triggered.iter();
                triggered.map(|triggered| ActionInvocation {
                    addr: &desired.addr,
                    provider: &desired.provider_addr,
                    schema: &desired.schema,
                    config: &instance.plan.value,
                    triggered,
                })
            })
        })
    }

    /// How objects that were read differ from the state.
    pub fn drift(&self) -> impl Iterator<Item = &ResourceInstanceChange> {
        let instances = self.instances.iter();
        instances.filter_map(|instance| instance.plan.drift.as_deref())
    }

    /// The configuration as evaluated for one instance, with marks and unknowns.
    pub fn config_value(&self, key: &InstanceKey) -> Option<&Value> {
        let instance = self
            .instances
            .iter()
            .find(|instance| instance.key == *key)?;
        Some(&instance.desired.as_ref()?.config)
    }

    /// `each.value` in an instance that the configuration wants.
    pub(crate) fn each_value(&self, key: &InstanceKey) -> Option<&Value> {
        let instance = self.instances.iter().find(|it| it.key == *key)?;
        instance.desired.as_ref()?.each_value.as_ref()
    }

    /// The value of references to an instance.
    pub(crate) fn planned_value(&self, key: &InstanceKey) -> Option<&Value> {
        let wanted = self.instances.iter().filter(|it| it.is_wanted());
        let mut wanted = wanted.filter(|instance| instance.key == *key);
        Some(&wanted.next()?.plan.value)
    }

    fn is_same(&self, other: &ResourceResult) -> bool {
        self.value.raw_equals(&other.value) && self.has_same_changes(other)
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
    /// Whether objects are left alone that were managed.
    pub(crate) fn forgets(&self) -> bool {
        let NodeResult::Resource(resources) = self else {
            return false;
        };
        let mut changes = resources.values().flat_map(|it| it.changes());
        changes.any(|change| change.action == Action::Forget)
    }

    /// The address of a data source that a refresh would read, and whether the values that the state has stand in.
    pub(crate) fn unread(&self) -> Option<(String, bool)> {
        let NodeResult::Resource(resources) = self else {
            return None;
        };
        resources
            .values()
            .find_map(|resource| match &resource.caveat {
                Some(Caveat::NotRead {
                    addr,
                    is_known,
                    is_readable: true,
                }) => Some((addr.clone(), *is_known)),
                _ => None,
            })
    }

    /// Whether the instances of a called module or a resource are unknown.
    pub(crate) fn is_unexpanded(&self) -> bool {
        match self {
            NodeResult::Call(call) => call.shapes.values().any(|it| *it == Shape::Unknown),
            NodeResult::Resource(resources) => resources.values().any(|resource| {
                let caveat = resource.caveat.as_ref();
                caveat.is_some_and(Caveat::is_about_instances)
            }),
            NodeResult::Value(_)
            | NodeResult::Output(..)
            | NodeResult::Provider(_)
            | NodeResult::ProviderConfig(_) => false,
        }
    }

    /// Whether something is wrong with the node itself, so that its value may be unknown for that alone.
    pub(crate) fn has_errors(&self) -> bool {
        match self {
            NodeResult::Value(evaluated) | NodeResult::Output(evaluated, _) => {
                has_errors(&evaluated.diagnostics)
            }
            NodeResult::Call(call) => has_errors(&call.diagnostics),
            NodeResult::Provider(provider) => provider.schema.is_err(),
            NodeResult::ProviderConfig(configs) => configs
                .diagnostics()
                .any(|diagnostic| diagnostic.severity == text::Severity::Error),
            NodeResult::Resource(resources) => {
                let mut resources = resources.values();
                resources.any(|resource| has_errors(&resource.diagnostics))
            }
        }
    }

    /// Whether those who read this node see no difference between both results.
    pub(crate) fn is_same(&self, other: &NodeResult) -> bool {
        let are_equal = |a: &Value, b: &Value| a.raw_equals(b);
        match (self, other) {
            (NodeResult::Value(a), NodeResult::Value(b))
            | (NodeResult::Output(a, _), NodeResult::Output(b, _)) => {
                a.values.is_same(&b.values, are_equal)
            }
            (NodeResult::Call(a), NodeResult::Call(b)) => {
                let instances = a.instances.iter().zip(&b.instances);
                a.instances.len() == b.instances.len()
                    && instances.into_iter().all(|(a, b)| a.is_same(b))
                    && a.shapes.is_same(&b.shapes, |a, b| a == b)
            }
            (NodeResult::Provider(a), NodeResult::Provider(b)) => match (&a.schema, &b.schema) {
                (Ok(old), Ok(new)) => a.generation == b.generation && Arc::ptr_eq(old, new),
                (Err(old), Err(new)) => old.to_string() == new.to_string(),
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => false,
            },
            (NodeResult::ProviderConfig(a), NodeResult::ProviderConfig(b)) => a.is_same(b),
            (NodeResult::Resource(a), NodeResult::Resource(b)) => a.is_same(b, |a, b| a.is_same(b)),
            _ => false,
        }
    }
}
