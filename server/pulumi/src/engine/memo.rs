//! The results of the last plan, so that the next one asks only about changes.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use disk::Stamp;
use text::Problem;

use super::goal::Inherited;
use super::providers::{FormerProvider, KeptProvider, Provider, ProviderOrigin};
use super::types::{TypeBasis, package};
use super::{Inputs, PlanOptions, Run};
use crate::ask::{Package, Plugin, Plugins};
use crate::autonaming::Naming;
use crate::builtin::PackageHost;
use crate::caveat::Caveat;
use crate::evaluate::{Binding, Reads};
use crate::plan::{Plan, PlanProblem, Step};
use crate::program::{Declared, ResourceDecl};
use crate::schema::Schema;
use crate::state::State;
use crate::urn::{StackName, Urn};
use crate::value::Object;

/// Earlier plans of a stack: their plugins and their results. May be dropped at any time.
pub struct Memo<T> {
    basis: Option<MemoInputs>,
    /// Of configuration and variables, by name.
    pub(super) values: HashMap<String, Arc<Binding>>,
    pub(super) resources: HashMap<String, ResourceMemo<T>>,
    pub(super) providers: HashMap<Urn, KeptProvider<T>>,
    /// Providers that have the configuration of the state.
    pub(super) former: HashMap<Urn, FormerProvider<T>>,
    /// The configurations of providers in the texts on the disk.
    pub(super) saved: HashMap<Urn, ProviderOrigin>,
    pub(super) schemas: HashMap<Package, Arc<Schema>>,
    /// Plugins that returned their schema and are not configured.
    pub(super) spare: HashMap<Package, Arc<PackageHost<T>>>,
    pub(super) types: HashMap<String, CheckedTypes>,
    pub(super) type_basis: TypeBasis,
    /// The outputs of other stacks, by the files of their states.
    pub(super) stacks: HashMap<PathBuf, (Option<Stamp>, Object)>,
    /// How often configured plugins have ended by themselves.
    pub(super) ends: HashMap<Package, usize>,
}

/// Inputs of all resources.
#[derive(PartialEq)]
pub(super) struct MemoInputs {
    state: PointerEq<State>,
    stack: StackName,
    dir: PathBuf,
    options: PlanOptions,
    pub naming: Result<Naming, String>,
}

struct PointerEq<T>(Arc<T>);

impl<T> PartialEq for PointerEq<T> {
    fn eq(&self, other: &PointerEq<T>) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The misfits of a resource, while neither it nor the type of a name changes.
pub(super) struct CheckedTypes {
    pub declared: Arc<Declared<ResourceDecl>>,
    pub problems: Vec<Problem<Option<text::Span>>>,
}

/// The result of a resource, valid until one of its dependencies changes.
pub(super) struct ResourceMemo<T> {
    pub declared: Arc<Declared<ResourceDecl>>,
    pub reads: Reads,
    pub stamps: Vec<(PathBuf, Option<Stamp>)>,
    pub depends: MemoDependencies<T>,
    pub outcome: Arc<ResourcePlan>,
}

/// Beside the text and the values that are read.
pub(super) struct MemoDependencies<T> {
    pub urn: Urn,
    pub package: Package,
    pub schema: Arc<Schema>,
    /// The default provider that the program declares for its package.
    pub in_program: Option<Urn>,
    /// Whether its provider is the one of the stack's configuration.
    pub has_default_provider: bool,
    pub provider: (Urn, Arc<Provider<T>>),
    pub parent: Urn,
    /// Its parent, and the parents in its aliases, with their own URNs in the state.
    pub parent_aliases: Vec<(Urn, Option<Urn>)>,
    /// Options that its parent hands on.
    pub inherited: Option<Inherited>,
    /// Those that it is replaced with, and whether they are replaced.
    pub replaced: Vec<(Urn, bool)>,
    pub is_deleted_before: bool,
}

pub(super) fn stamps(dir: &Path, reads: &Reads) -> Vec<(PathBuf, Option<Stamp>)> {
    let paths = reads.files.iter().map(|it| dir.join(it));
    paths
        .map(|path| (path.clone(), Stamp::of(&path).ok()))
        .collect()
}

/// The plan of one resource.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct ResourcePlan {
    pub binding: Option<(String, Arc<Binding>)>,
    /// URNs of the state, with those of the program.
    pub claimed: Vec<(Urn, Urn)>,
    pub registered: Vec<Urn>,
    /// The URN in the state, where that is another one.
    pub alias: Option<(Urn, Urn)>,
    /// Options that children take over.
    pub inherited: Option<(Urn, Inherited)>,
    pub replaced: Vec<Urn>,
    pub deleted_before: Vec<Urn>,
    pub steps: Vec<Arc<Step>>,
    pub problems: Vec<PlanProblem>,
    pub caveats: BTreeSet<Caveat>,
    /// Whether something has failed in a way that ends a preview of Pulumi.
    pub is_stopped: bool,
    /// The bytes that its values took of the budget.
    pub spent: u64,
}

impl<T> Default for Memo<T> {
    fn default() -> Memo<T> {
        Memo {
            basis: None,
            values: HashMap::new(),
            resources: HashMap::new(),
            providers: HashMap::new(),
            saved: HashMap::new(),
            schemas: HashMap::new(),
            spare: HashMap::new(),
            types: HashMap::new(),
            type_basis: TypeBasis::default(),
            stacks: HashMap::new(),
            former: HashMap::new(),
            ends: HashMap::new(),
        }
    }
}

impl<T: Plugin> Memo<T> {
    /// Plans an update. May be dropped at any wait.
    pub async fn plan<P: Plugins<Plugin = T>>(&mut self, inputs: &Inputs, plugins: &P) -> Plan {
        let basis = MemoInputs {
            state: PointerEq(inputs.state.clone()),
            stack: inputs.stack.clone(),
            dir: inputs.dir.clone(),
            options: inputs.options.clone(),
            naming: Naming::read(&inputs.config, &inputs.stack, &inputs.organization),
        };
        if self.basis.as_ref() != Some(&basis) {
            self.resources.clear();
            self.basis = Some(basis);
        }
        let plan = super::run(inputs, plugins, self).await;
        // A plugin may end during a call. It is started once more for the missing answers.
        let has_ended = |it: &KeptProvider<T>| !it.provider.is_running();
        match self.providers.values().any(has_ended) {
            true => super::run(inputs, plugins, self).await,
            false => plan,
        }
    }

    pub(super) fn basis(&self) -> &MemoInputs {
        self.basis.as_ref().expect("a plan begins with it")
    }

    /// The schemas that are known.
    pub fn schemas(&self) -> impl Iterator<Item = (&Package, &Arc<Schema>)> {
        self.schemas.iter()
    }
}

impl<P: Plugins> Run<'_, P> {
    /// Takes over the result of an earlier plan if none of its dependencies changed.
    pub(super) async fn is_kept(&mut self, declared: &Arc<Declared<ResourceDecl>>) -> bool {
        let Some(kept) = self.memo.resources.remove(&declared.name) else {
            return false;
        };
        let is_current = self.is_current(declared, &kept).await;
        self.before = Some(kept.outcome.clone());
        if is_current {
            self.apply(&kept.outcome);
            self.memo.resources.insert(declared.name.clone(), kept);
        }
        is_current
    }

    async fn is_current(
        &mut self,
        declared: &Arc<Declared<ResourceDecl>>,
        kept: &ResourceMemo<P::Plugin>,
    ) -> bool {
        let depends = &kept.depends;
        let is_same = |(name, before): &(String, Option<Arc<Binding>>)| match (
            self.bindings.get(name),
            before,
        ) {
            (Some(now), Some(before)) => Arc::ptr_eq(now, before),
            (None, None) => true,
            _ => false,
        };
        let is_unchanged = Arc::ptr_eq(&kept.declared, declared)
            && kept.outcome.spent <= self.left()
            && !self.registered.contains(&depends.urn)
            && (kept.outcome.claimed.iter()).all(|(old, _)| !self.claimed.contains_key(old))
            && self.deleted_before.contains(&depends.urn) == depends.is_deleted_before
            && kept.reads.names.iter().all(is_same)
            && kept
                .stamps
                .iter()
                .all(|(path, it)| Stamp::of(path).ok() == *it)
            && (depends.parent_aliases.iter())
                .all(|(urn, it)| self.aliases.get(urn) == it.as_ref())
            && self.inherited.get(&depends.parent) == depends.inherited.as_ref()
            && (depends.replaced.iter()).all(|(urn, it)| self.replaced.contains(urn) == *it)
            && self.provider_in_program(&depends.package.name) == depends.in_program
            && self.requested(package(&declared.decl, &self.inputs.locks)) == depends.package;
        if !is_unchanged {
            return false;
        }
        let schema = self.schema(&depends.package).await;
        if !schema.is_some_and(|it| Arc::ptr_eq(&it, &depends.schema)) {
            return false;
        }
        let (provider, configured) = &depends.provider;
        if depends.has_default_provider
            && self
                .default_provider(
                    &depends.package,
                    declared.decl.options.plugin_download_url.as_deref(),
                )
                .await
                != *provider
        {
            return false;
        }
        let now = self.providers.get(provider);
        now.is_some_and(|now| Arc::ptr_eq(now, configured))
    }

    /// Ends the work on one thing: its result is visible to the next ones.
    pub(super) fn commit(&mut self) -> Arc<ResourcePlan> {
        let mut outcome = std::mem::take(&mut self.outcome);
        if let Some(before) = self.before.take() {
            outcome.share(&before);
        }
        let outcome = Arc::new(outcome);
        self.apply(&outcome);
        outcome
    }

    fn apply(&mut self, outcome: &ResourcePlan) {
        if let Some((name, binding)) = &outcome.binding {
            self.bindings.insert(name, binding.clone());
        }
        self.claimed.extend(outcome.claimed.iter().cloned());
        self.registered.extend(outcome.registered.iter().cloned());
        self.aliases.extend(outcome.alias.iter().cloned());
        self.inherited.extend(outcome.inherited.iter().cloned());
        self.replaced.extend(outcome.replaced.iter().cloned());
        self.deleted_before
            .extend(outcome.deleted_before.iter().cloned());
        for step in &outcome.steps {
            let next = self.plan.steps.len();
            self.steps.entry(step.urn.clone()).or_insert(next);
            self.plan.steps.push(step.clone());
        }
        self.plan.problems.extend(outcome.problems.iter().cloned());
        self.plan.caveats.extend(outcome.caveats.iter().cloned());
        self.is_stopped |= outcome.is_stopped;
        self.spent = self.spent.saturating_add(outcome.spent);
    }
}

impl ResourcePlan {
    pub(super) fn bind(&mut self, name: &str, binding: Binding) {
        self.binding = Some((name.to_owned(), Arc::new(binding)));
    }

    /// Keeps the earlier value if the new one is equal, so that its readers see no change.
    fn share(&mut self, before: &ResourcePlan) {
        if let (Some((_, now)), Some((_, before))) = (&mut self.binding, &before.binding)
            && now == before
        {
            *now = before.clone();
        }
        for step in &mut self.steps {
            if let Some(before) = before.steps.iter().find(|it| *it == step) {
                *step = before.clone();
            }
        }
    }
}
