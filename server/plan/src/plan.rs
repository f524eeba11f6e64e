//! The plan of a root module: changes, unknowns and errors.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::{Arc, OnceLock};

use change::ChangeCounts;
use config::{
    AbsResourceAddr, ModuleAddr, ModuleInstanceAddr, Product, ProviderAddr, Reference,
    ResourceInstanceAddr, ResourceMode,
};
use cty::Value;
use schema::ProviderSchema;
use smol_str::SmolStr;
use text::{Chunks, Diagnostic, Places, SegmentId, Severity, Span};

use crate::caveat::Caveat;
use crate::node::{NodeId, NodeObject, nodes_of};
use crate::result::ResourceResult;
use crate::{Action, ActionInvocation, OutputChange, PlanMode, ResourceInstanceChange};

/// The code of the errors of changes that no apply could make, because they wait for each other.
pub const APPLY_CYCLE: &str = "apply-cycle";

/// The answer of `terraform plan`, as far as it is known. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    pub mode: PlanMode,
    /// Whose words its text has.
    pub product: Product,
    /// Whether a refresh alone of objects that only moved is something to apply.
    pub applies_moves_alone: bool,
    /// Whether a refresh alone changes objects by reading them, although all values are the same.
    pub is_reread: bool,
    /// Whether something was left out on purpose.
    pub is_partial: bool,
    /// Whether objects and outputs may exist that the plan knows nothing of: then nothing is said to be created.
    pub is_state_unread: bool,
    /// A resource without a plan has a reason.
    pub resources: Resources,
    pub outputs: Vec<OutputChange>,
    /// Final values of the input variables, with marks.
    pub variables: BTreeMap<SmolStr, Value>,
    /// The values that variables were given, or their defaults, before conversion.
    pub given: BTreeMap<SmolStr, Value>,
    pub locals: BTreeMap<SmolStr, Value>,
    /// The values of called modules, by instance.
    pub modules: BTreeMap<ModuleInstanceAddr, Arc<ModuleValues>>,
    /// Of the providers whose schema could be had, also where nothing could be planned with it.
    pub schemas: BTreeMap<ProviderAddr, Arc<ProviderSchema>>,
    /// The attributes that the changes follow from, where objects were read and [`Plan::drift`] is worth telling for that.
    pub relevant_attributes: Vec<RelevantAttribute>,
    /// Diagnostics that belong to no resource. Those of resources stand with them.
    pub diagnostics: Vec<Diagnostic>,
    /// The `moved` blocks of the root module without an object to move in the state.
    pub idle_moves: Vec<Span>,
    /// Declarations that are left out behind a failure.
    pub(crate) unreached: Places,
    /// Failed nodes, and their dependents.
    pub(crate) in_doubt: Arc<HashSet<NodeId>>,
    /// Variables without a value, and the nodes that have none because of them.
    pub(crate) without_value: Arc<HashSet<NodeId>>,
    /// Data sources that a refresh would read, and the nodes without a value because of them.
    pub(crate) unread: Arc<HashSet<NodeId>>,
    /// Data sources that a refresh would read, with the values of the state until then, and the values that follow from these.
    pub(crate) stand_ins: Arc<HashSet<NodeId>>,
    /// The places of the errors among `diagnostics`, found out when somebody asks for them.
    pub(crate) error_places: Arc<OnceLock<HashMap<SegmentId, Vec<Span>>>>,
}

/// An attribute, or something within it, that planned changes follow from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct RelevantAttribute {
    /// As it is referred to: a whole resource stands here as its instance without a key.
    pub resource: ResourceInstanceAddr,
    /// Empty for the whole object.
    pub path: Vec<RelevantStep>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum RelevantStep {
    /// The name of an attribute, or the key of a map.
    Name(String),
    Index(i64),
}

/// Values of one instance of a called module, with marks.
#[derive(Debug, Clone, Default)]
pub struct ModuleValues {
    pub variables: BTreeMap<SmolStr, Value>,
    pub locals: BTreeMap<SmolStr, Value>,
    pub outputs: BTreeMap<SmolStr, Value>,
}

/// How many objects will be added, changed and destroyed, as `terraform plan` counts them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counts {
    pub add: usize,
    pub change: usize,
    pub destroy: usize,
    pub replace: usize,
    pub import: usize,
}

impl Counts {
    pub fn of<'a>(changes: impl IntoIterator<Item = &'a ResourceInstanceChange>) -> Counts {
        let mut import = 0;
        let kinds = changes.into_iter().map(|change| {
            import += usize::from(change.importing.is_some());
            change.action.into()
        });
        let ChangeCounts {
            add,
            change,
            destroy,
            replace,
        } = ChangeCounts::of(kinds);
        Counts {
            add,
            change,
            destroy,
            replace,
            import,
        }
    }
}

impl Plan {
    /// The plan of one instance of a called module, as if that were the root module: its own resources and values,
    /// without the modules that it calls.
    pub fn within(&self, instance: &ModuleInstanceAddr) -> Plan {
        let values = self.modules.get(instance).map(|it| (**it).clone());
        let values = values.unwrap_or_default();
        let own = self.resources.of_module(instance);
        let as_of_root = own.map(|resource| {
            let mut resource = ResourceResult::clone(resource);
            resource.addr.module = ModuleInstanceAddr::root();
            Arc::new(resource)
        });
        let mut resources = Resources::default();
        resources.extend(as_of_root.collect());
        let within = |nodes: &HashSet<NodeId>| {
            let own = nodes.iter().filter(|node| instance.is_of(&node.module));
            let as_of_root = own.map(|node| node.object.clone().of(&ModuleAddr::root()));
            Arc::new(as_of_root.collect::<HashSet<_>>())
        };
        let outputs = values.outputs.into_iter().map(|(name, value)| {
            let (shown, marks) = value.unmark_deep();
            OutputChange {
                name,
                action: Action::NoOp,
                before: shown.clone(),
                after: shown,
                is_sensitive: !marks.is_empty(),
            }
        });
        Plan {
            resources,
            outputs: outputs.collect(),
            variables: values.variables,
            locals: values.locals,
            schemas: self.schemas.clone(),
            in_doubt: within(&self.in_doubt),
            without_value: within(&self.without_value),
            unread: within(&self.unread),
            stand_ins: within(&self.stand_ins),
            ..Plan::default()
        }
    }

    /// Whether an error that belongs to no resource is at that place, or inside.
    pub fn has_errors_within(&self, span: &Span) -> bool {
        if self.diagnostics.is_empty() {
            return false;
        }
        let places = self.error_places.get_or_init(|| {
            let mut places: HashMap<SegmentId, Vec<Span>> = HashMap::new();
            let errors = self.diagnostics.iter();
            let errors = errors.filter(|it| it.severity == Severity::Error);
            for place in errors.filter_map(|it| it.subject.as_ref()) {
                places.entry(place.segment).or_default().push(place.clone());
            }
            let of_segments = places.values_mut();
            of_segments.for_each(|it| it.sort_by_key(|place| place.range.start()));
            places
        });
        let places = places.get(&span.segment).map_or(&[][..], Vec::as_slice);
        let first = places.partition_point(|it| it.range.start() < span.range.start());
        places[first..]
            .iter()
            .take_while(|it| it.range.start() <= span.range.end())
            .any(|it| it.file == span.file && span.range.contains_range(it.range))
    }

    /// Whether the target of a reference of the root module failed, or follows from a failed one. Then it may be unknown for
    /// that reason alone.
    pub fn is_in_doubt(&self, reference: &Reference) -> bool {
        let mut nodes = nodes_of(&ModuleAddr::root(), &reference.subject).into_iter();
        !self.in_doubt.is_empty() && nodes.any(|node| self.in_doubt.contains(&node))
    }

    /// Whether the target of a reference of the root module has no value because a variable has none.
    pub fn is_without_value(&self, reference: &Reference) -> bool {
        let mut nodes = nodes_of(&ModuleAddr::root(), &reference.subject).into_iter();
        nodes.any(|node| {
            self.without_value.contains(&node) && !matches!(node.object, NodeObject::Resource(_))
        })
    }

    /// Whether a reference of the root module may have no value because a data source is not read yet.
    pub fn is_unread(&self, reference: &Reference) -> bool {
        let mut nodes = nodes_of(&ModuleAddr::root(), &reference.subject).into_iter();
        !self.unread.is_empty() && nodes.any(|node| self.unread.contains(&node))
    }

    /// Whether the target of a reference of the root module follows from values that the state has of data sources. A refresh may find
    /// others, with other attributes.
    pub fn is_standing_in(&self, reference: &Reference) -> bool {
        let mut nodes = nodes_of(&ModuleAddr::root(), &reference.subject).into_iter();
        !self.stand_ins.is_empty() && nodes.any(|node| self.stand_ins.contains(&node))
    }

    /// Whether nothing gives a variable of the root module a value.
    pub fn is_unset(&self, variable: &SmolStr) -> bool {
        let node = NodeObject::Variable(variable.clone()).of(&ModuleAddr::root());
        self.without_value.contains(&node)
    }

    /// The planned instances of a called module.
    pub fn instances_of(&self, module: &ModuleAddr) -> BTreeSet<&ModuleInstanceAddr> {
        let all = self.module_instances();
        all.filter(|instance| instance.is_of(module)).collect()
    }

    /// The planned instances of each module that has any.
    pub fn instances_by_module(&self) -> BTreeMap<ModuleAddr, BTreeSet<&ModuleInstanceAddr>> {
        let mut by_module: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        for instance in self.module_instances() {
            by_module
                .entry(instance.module())
                .or_default()
                .insert(instance);
        }
        by_module
    }

    /// The planned instances of all modules; some twice.
    fn module_instances(&self) -> impl Iterator<Item = &ModuleInstanceAddr> {
        let with_resources = self.resources.values().filter(|it| it.config.is_some());
        let mut last = None;
        let with_resources = with_resources.filter_map(move |it| {
            let module = &it.addr.module;
            (last.replace(module) != Some(module)).then_some(module)
        });
        self.modules.keys().chain(with_resources)
    }

    /// Drops diagnostics of evaluation about references that are known to be wrong without it.
    pub(crate) fn drop_repeated(&mut self, known: &[Diagnostic]) {
        let known = known
            .iter()
            .filter(|diagnostic| REFERENCE_PROBLEMS.contains(&diagnostic.code));
        let wrong: Vec<&Span> = known
            .clone()
            .filter_map(|diagnostic| diagnostic.subject.as_ref())
            .collect();
        if wrong.is_empty() {
            return;
        }
        // The schema has the attribute, whichever instance is meant.
        let but_keys: Vec<&Span> = known
            .filter(|diagnostic| diagnostic.code != "instance-key")
            .filter_map(|diagnostic| diagnostic.subject.as_ref())
            .collect();
        let is_repeated = |found: &Diagnostic| match OF_SCHEMA.contains(&found.code) {
            true => is_repeated(found, &but_keys),
            false => is_repeated(found, &wrong),
        };
        self.diagnostics.retain(|found| !is_repeated(found));
        let repeat = |resource: &&Arc<ResourceResult>| resource.diagnostics.iter().any(is_repeated);
        let without = |resource: &Arc<ResourceResult>| {
            let mut resource = ResourceResult::clone(resource);
            resource.diagnostics.retain(|found| !is_repeated(found));
            Arc::new(resource)
        };
        let changed: Vec<_> = self
            .resources
            .values()
            .filter(repeat)
            .map(without)
            .collect();
        self.resources.extend(changed);
    }

    /// Drops the warnings of providers about resources in a plan that destroys. They are of the refresh before it, which is
    /// a plan of its own, and Terraform shows them only where that fails.
    pub(crate) fn drop_warnings_of_refresh(&mut self) {
        if self.has_errors() {
            return;
        }
        let is_dropped =
            |it: &Diagnostic| it.code == "provider" && it.severity == Severity::Warning;
        let all = self.resources.values();
        let warned = all.filter(|it| it.diagnostics.iter().any(is_dropped));
        let without = |resource: &Arc<ResourceResult>| {
            let mut resource = ResourceResult::clone(resource);
            resource.diagnostics.retain(|it| !is_dropped(it));
            Arc::new(resource)
        };
        let changed: Vec<_> = warned.map(without).collect();
        self.resources.extend(changed);
    }

    /// Whether a problem of a reference stands in a declaration that is left out behind a failure: Terraform does not get to it.
    pub(crate) fn is_unreached(&self, problem: &Diagnostic) -> bool {
        let subject = problem.subject.as_ref();
        REFERENCE_PROBLEMS.contains(&problem.code)
            && subject.is_some_and(|at| self.unreached.contain(at))
    }

    /// All changes, no-ops included, in the order of their addresses.
    pub fn changes(&self) -> impl Iterator<Item = &ResourceInstanceChange> {
        self.resources
            .values()
            .flat_map(|resource| resource.changes())
    }

    /// The invocations of actions, those of one resource instance together and in their order.
    pub fn action_invocations(&self) -> Vec<ActionInvocation<'_>> {
        let mut invocations: Vec<_> = self
            .resources
            .values()
            .flat_map(|resource| resource.action_invocations())
            .collect();
        invocations.sort_by(|a, b| {
            let order = |it: &ActionInvocation<'_>| (it.triggered.block, it.triggered.index);
            let of_one = a.triggered.resource.cmp(&b.triggered.resource);
            of_one.then_with(|| order(a).cmp(&order(b)))
        });
        invocations
    }

    /// The changes of the root module's outputs; none where the earlier values aren't known.
    pub fn output_changes(&self) -> impl Iterator<Item = &OutputChange> {
        self.outputs.iter().filter(|_| !self.is_state_unread)
    }

    /// How objects that were read differ from the state, in the order of their addresses. Those that
    /// only moved are among the changes, where there are any. A plan that destroys starts from the state after a refresh:
    /// `destroyPlan` in OpenTofu's `internal/tofu/context_plan.go`.
    pub fn drift(&self) -> impl Iterator<Item = &ResourceInstanceChange> {
        let resources = self.resources.values();
        resources
            .filter(|_| self.mode != PlanMode::Destroy)
            .flat_map(|resource| resource.drift())
            .filter(|drift| drift.action != Action::NoOp || self.mode == PlanMode::RefreshOnly)
    }

    /// Everything that is wrong.
    pub fn all_diagnostics(&self) -> impl Iterator<Item = &Diagnostic> {
        let resources = self
            .resources
            .values()
            .flat_map(|resource| &resource.diagnostics);
        self.diagnostics.iter().chain(resources)
    }

    /// The guesses and gaps of this plan, and why.
    pub fn caveats(&self) -> impl Iterator<Item = (&AbsResourceAddr, &Caveat)> {
        self.resources
            .values()
            .filter_map(|resource| Some((&resource.addr, resource.caveat.as_ref()?)))
    }

    /// Whether planning failed.
    pub fn has_errors(&self) -> bool {
        self.all_diagnostics().any(is_failure)
    }

    /// Whether no apply could make the changes, because they wait for each other.
    pub fn is_circular(&self) -> bool {
        self.all_diagnostics().any(|it| it.code == APPLY_CYCLE)
    }

    /// Whether `terraform plan` would fail, or could not be followed for a resource. A data source that was not read
    /// is no failure.
    pub fn is_errored(&self) -> bool {
        let is_managed =
            |(addr, _): (&AbsResourceAddr, &Caveat)| addr.resource.mode == ResourceMode::Managed;
        self.has_errors() || self.caveats().any(is_managed)
    }

    /// Whether there is something to apply. A refresh alone only stores values of outputs that are known, and deletes
    /// none.
    pub fn has_changes(&self) -> bool {
        let is_refresh_only = self.mode == PlanMode::RefreshOnly;
        let has_moves = !is_refresh_only || self.applies_moves_alone;
        let is_stored = |output: &OutputChange| {
            !is_refresh_only || output.action != Action::Delete && output.after.is_wholly_known()
        };
        self.is_reread
            || (is_refresh_only
                && self
                    .drift()
                    .any(|drift| drift.action != Action::NoOp || has_moves))
            || self.changes().any(|change| {
                change.action != Action::NoOp
                    || change.importing.is_some()
                    || change.previous_addr.is_some() && has_moves
            })
            || self
                .output_changes()
                .any(|output| output.action != Action::NoOp && is_stored(output))
    }

    /// Whether nothing was left out.
    pub fn is_complete(&self) -> bool {
        self.caveats().next().is_none() && !self.has_errors() && !self.is_partial
    }

    pub fn counts(&self) -> Counts {
        Counts::of(self.changes())
    }
}

/// Whether a diagnostic is about a part of a reference that is known to be wrong. Evaluation may stop at the root of a
/// reference, or at the step behind the part that is wrong.
pub(crate) fn is_repeated(diagnostic: &Diagnostic, wrong: &[&Span]) -> bool {
    diagnostic.subject.as_ref().is_some_and(|subject| {
        wrong.iter().any(|wrong| {
            (&wrong.file, wrong.segment) == (&subject.file, subject.segment)
                && (wrong.range.start() <= subject.range.start() || is_root_before(subject, wrong))
                && subject.range.start() <= wrong.range.end()
                && (subject.range == wrong.range || !subject.range.contains_range(wrong.range))
        })
    })
}

/// Whether the wrong step is the first one behind the root of its reference, as in `local["a"]`.
fn is_root_before(subject: &Span, wrong: &Span) -> bool {
    subject.range.end() == wrong.range.start()
}

/// Diagnostics of the loader about references, which it does not evaluate.
pub(crate) const REFERENCE_PROBLEMS: [&str; 12] = [
    "count-without-count",
    "each-without-for-each",
    "instance-key",
    "invalid-count-attribute",
    "invalid-each-attribute",
    "invalid-index-key",
    "invalid-path-attribute",
    "invalid-reference",
    "invalid-self",
    "invalid-terraform-attribute",
    "reserved-symbol",
    "undeclared-reference",
];

/// Faults of references that the schema alone shows.
const OF_SCHEMA: [&str; 2] = ["deprecated-attribute", "unsupported-attribute"];

/// Whether planning failed. Changes that no apply could make are a whole plan all the same.
pub(crate) fn is_failure(diagnostic: &Diagnostic) -> bool {
    diagnostic.severity == Severity::Error && diagnostic.code != APPLY_CYCLE
}

/// Planned resources, in the order of their addresses. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub struct Resources(Chunks<Arc<ResourceResult>>);

/// More are rather sorted in at once.
const FEW: usize = 16;

impl Resources {
    pub fn get(&self, addr: &AbsResourceAddr) -> Option<&Arc<ResourceResult>> {
        let index = self.index_of(addr).ok()?;
        self.0.get(index)
    }

    /// A resource of the root module.
    pub fn of_root(&self, addr: &config::ResourceAddr) -> Option<&Arc<ResourceResult>> {
        self.get(&ModuleInstanceAddr::root().resource(addr.clone()))
    }

    /// The resources of one instance of a module.
    pub fn of_module(
        &self,
        module: &ModuleInstanceAddr,
    ) -> impl Iterator<Item = &Arc<ResourceResult>> {
        let before_first = |resource: &Arc<ResourceResult>| {
            resource.addr.module.cmp(module).then(Ordering::Greater)
        };
        let first = self
            .0
            .binary_search_by(before_first)
            .unwrap_or_else(|at| at);
        let rest = self.0.range(first..self.0.len());
        rest.take_while(|resource| resource.addr.module == *module)
    }

    pub fn values(&self) -> impl Iterator<Item = &Arc<ResourceResult>> + Clone {
        self.0.iter()
    }

    /// The same, in chunks that later plans share where nothing in them differs.
    pub fn chunks(&self) -> &Chunks<Arc<ResourceResult>> {
        &self.0
    }

    pub fn iter(&self) -> impl Iterator<Item = (&AbsResourceAddr, &Arc<ResourceResult>)> {
        self.0.iter().map(|resource| (&resource.addr, resource))
    }

    /// Those at some positions.
    pub fn range(&self, range: Range<usize>) -> impl Iterator<Item = &Arc<ResourceResult>> {
        self.0.range(range)
    }

    pub fn position(&self, addr: &AbsResourceAddr) -> Option<usize> {
        self.index_of(addr).ok()
    }

    /// The resources that are gone and those that have come in `after`, by position and in one piece each: the same beginning and end are
    /// left out.
    pub fn difference(&self, after: &Resources) -> (Range<usize>, Range<usize>) {
        self.0.difference(&after.0, Arc::ptr_eq)
    }

    /// Takes in other results; of two with one address the later counts.
    pub(crate) fn extend(&mut self, results: Vec<Arc<ResourceResult>>) {
        let mut added: BTreeMap<AbsResourceAddr, Arc<ResourceResult>> = BTreeMap::new();
        for result in results {
            let index = self.index_of(&result.addr);
            match index.ok().and_then(|index| self.0.get_mut(index)) {
                Some(known) => *known = result,
                None => {
                    added.insert(result.addr.clone(), result);
                }
            }
        }
        if added.len() <= FEW {
            for result in added.into_values() {
                if let Err(index) = self.index_of(&result.addr) {
                    self.0 = self.0.replaced(index..index, &[result]);
                }
            }
        } else {
            let mut all: Vec<_> = self.0.iter().cloned().chain(added.into_values()).collect();
            all.sort_by(|a, b| a.addr.cmp(&b.addr));
            self.0 = all.into_iter().collect();
        }
    }

    pub(crate) fn remove(&mut self, addr: &AbsResourceAddr) {
        if let Ok(index) = self.index_of(addr) {
            self.0 = self.0.replaced(index..index + 1, &[]);
        }
    }

    fn index_of(&self, addr: &AbsResourceAddr) -> Result<usize, usize> {
        self.0.binary_search_by(|resource| resource.addr.cmp(addr))
    }
}
