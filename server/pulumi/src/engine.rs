//! The engine: evaluates a program, asks providers, and decides the step of each resource.

mod aliases;
mod dependents;
pub mod drift;
mod former;
mod goal;
mod import;
mod invoke;
mod memo;
mod providers;
mod read;
mod register;
mod targeted;
mod types;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;

use text::{Problem, Span, TextRange};

use crate::archive::Archives;
use crate::ask::{Package, Plugins, ReadPermission};
use crate::budget::{Budget, Meter};
use crate::builtin;
use crate::caveat::Caveat;
use crate::config::Config;
use crate::evaluate::{
    Binding, Bindings, Evaluated, Fault, FunctionCall, Reads, Registered, Scope,
};
use crate::expr::Expr;
use crate::host::without_nulls;
use crate::lock::Locks;
use crate::plan::{NewResource, Plan, PlanProblem, Step};
use crate::program::{Declared, Program, SETTINGS, SUGGESTIONS, Unit, part};
use crate::project::Stacks;
use crate::release::{self, Release};
use crate::state::{OldResource, State};
use crate::step::Op;
use crate::targets::Targets;
use crate::urn::{STACK_TYPE, StackName, Urn};
use crate::value::{Object, Value, masked};

use former::Former;
use goal::Inherited;
use memo::ResourcePlan;
use providers::Provider;

pub use memo::Memo;

/// Everything that a plan depends on, but for plugins.
#[derive(Clone, Debug)]
pub struct Inputs {
    pub program: Program,
    pub config: Config,
    pub state: Arc<State>,
    /// The plugins of packages.
    pub locks: Arc<Locks>,
    /// Those that the program may refer to, if they are in a folder.
    pub stacks: Option<Stacks>,
    pub stack: StackName,
    pub organization: String,
    /// Where the program runs.
    pub dir: PathBuf,
    pub root_dir: PathBuf,
    pub options: PlanOptions,
    /// Whether the texts are those on the disk. No provider is configured with text that is not saved.
    pub is_saved: bool,
    /// Whether the stack is one of a backend that checks policies.
    pub may_have_policies: bool,
}

impl Inputs {
    /// The names of the configuration, declared or not.
    fn configuration(&self) -> HashSet<String> {
        let declared = self.program.config.iter().map(|it| it.name.clone());
        let values = self.config.names(&self.stack.project);
        declared
            .chain(values.map(|(name, _)| name.to_owned()))
            .collect()
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PlanOptions {
    /// If it is empty, all resources are targets.
    pub targets: Targets,
    pub replace: Targets,
    /// As Pulumi does: nothing is planned where the program has errors.
    pub stops_at_faults: bool,
    /// Functions of providers are called and objects read only with this.
    pub world: Option<ReadPermission>,
    /// The release of Pulumi that would run the program, if it is known.
    pub release: Option<Release>,
    /// Functions read files anywhere, as in a project that is trusted. Else only those of the project.
    pub reads_everywhere: bool,
    pub budget: Budget,
}

/// Since this release, a resource is replaced with the resource that it is deleted with.
const REPLACES_DELETED_WITH: Release = Release(3, 260, 0);

/// Plans an update, once.
pub async fn plan<P: Plugins>(inputs: &Inputs, plugins: &P) -> Plan {
    Memo::default().plan(inputs, plugins).await
}

/// Plans an update of a state that is brought up to date first, with the plugins of a plan of the state as it is.
pub async fn plan_refreshed<P: Plugins>(
    inputs: &Inputs,
    plugins: &P,
    world: ReadPermission,
) -> Plan {
    let mut memo = Memo::default();
    memo.plan(inputs, plugins).await;
    let stored = inputs.state.clone();
    let refreshed = memo.refreshed(&stored, world).await;
    let inputs = Inputs {
        state: refreshed.state,
        ..inputs.clone()
    };
    let mut plan = memo.plan(&inputs, plugins).await;
    let unread = refreshed.unread.iter();
    let caveats = unread.map(|(urn, _)| Caveat::Read(urn.name().to_owned()));
    plan.caveats.extend(caveats);
    plan.refreshed = Some((stored, refreshed.changes));
    plan
}

async fn run<P: Plugins>(inputs: &Inputs, plugins: &P, memo: &mut Memo<P::Plugin>) -> Plan {
    let project = &inputs.stack.project;
    let configured = inputs.config.names(project).map(|(name, _)| name);
    let order = inputs.program.order(project, configured);
    let mut run = Run::new(inputs, plugins, memo);
    run.releases = releases(inputs, &order.nodes);
    run.stack_step();
    let problems = inputs.program.problems.iter().chain(&order.problems);
    for problem in problems.cloned() {
        run.reported.insert(problem.at.clone());
        run.report(None, problem.map(Some));
    }
    run.check_targets(&inputs.options.replace);
    run.check_types(&order.nodes).await;
    run.commit();
    if inputs.options.stops_at_faults && run.plan.has_errors() {
        return run.plan;
    }
    let mut required = inputs.program.required_version.as_ref();
    for unit in order.nodes {
        let is_next =
            |it: &&Arc<Declared<Expr>>| !matches!(unit, Unit::Config(_)) && run.is_bound(&it.decl);
        if let Some(version) = required.take_if(|it| is_next(it)) {
            run.required_version(version).await;
            if run.is_ended() {
                return run.plan;
            }
        }
        // Nobody may wait for the plan any more.
        tokio::task::yield_now().await;
        match unit {
            Unit::Config(index) => run.config(index).await,
            Unit::Variable(index) => run.variable(&inputs.program.variables[index]).await,
            Unit::Resource(index) => run.resource(index).await,
        }
        if run.is_ended() && matches!(unit, Unit::Config(_)) {
            return run.plan;
        }
    }
    if let Some(version) = required {
        run.required_version(version).await;
    }
    for index in order.left_out {
        run.failed(&inputs.program.resources[index]);
        run.commit();
    }
    run.outputs().await;
    if run.is_ended() {
        return run.plan;
    }
    run.check_targets(&inputs.options.targets);
    run.refuse_uncreated();
    let deleted = run.deleted();
    let unavailable = run.unavailable_providers(&deleted).await;
    run.delete(&deleted, &unavailable);
    run.commit();
    run.forget();
    run.plan.names = run.bindings;
    run.plan
}

/// The step that deletes an object of the state.
fn deletion(old: &OldResource, caveat: Option<Caveat>) -> Step {
    Step {
        urn: old.urn.clone(),
        op: match old.is_external {
            true => Op::Discard,
            false => Op::Delete,
        },
        old: Some(old.clone()),
        new: None,
        replace_keys: Vec::new(),
        diff_keys: Vec::new(),
        detailed: None,
        caveats: caveat.into_iter().collect(),
        is_refused: old.is_protected && !old.is_to_delete,
        is_default_provider: providers::is_default(&old.urn),
        declared: None,
    }
}

/// Which plugin a package has that is asked for without a version, or without an address to load it from.
#[derive(Clone, PartialEq, Eq, Debug)]
struct PluginRelease {
    version: Option<String>,
    url: Option<String>,
}

/// The language host reports the first thing that needs a package, a resource or a call of a function; its options for the
/// plugin count for all, except for the engine's own package. A lock file goes before.
///
/// Source: `GetReferencedPackages` in `packages.go` of Pulumi's YAML host.
fn releases(inputs: &Inputs, order: &[Unit]) -> HashMap<String, PluginRelease> {
    let program = &inputs.program;
    let mut references = Vec::new();
    for unit in order {
        match unit {
            Unit::Config(_) => {}
            Unit::Variable(index) => called(&program.variables[*index].decl, &mut references),
            Unit::Resource(index) => {
                let decl = &program.resources[*index].decl;
                decl.exprs().for_each(|it| called(it, &mut references));
                let options = &decl.options;
                let url = options.plugin_download_url.as_deref();
                references.push((decl.package(), options.version.as_deref(), url));
            }
        }
    }
    let outputs = program.outputs.iter();
    outputs.for_each(|it| called(&it.decl, &mut references));
    let mut releases = HashMap::new();
    for (package, version, url) in references {
        if package == builtin::PACKAGE || releases.contains_key(package) {
            continue;
        }
        let release = match inputs.locks.of(package) {
            Some(lock) => PluginRelease {
                version: lock.plugin_version(),
                url: lock.url.clone(),
            },
            None => PluginRelease {
                version: version.map(str::to_owned),
                url: url.map(str::to_owned),
            },
        };
        releases.insert(package.to_owned(), release);
    }
    releases
}

/// A package that something needs, with the version and the address of its plugin.
type Reference<'a> = (&'a str, Option<&'a str>, Option<&'a str>);

/// The packages of the functions that an expression calls.
fn called<'a>(expr: &'a Expr, found: &mut Vec<Reference<'a>>) {
    let mut calls = Vec::new();
    expr.invocations(&mut calls);
    found.extend(calls.into_iter().map(|(package, options)| {
        let option = |name| part(options, name).and_then(Expr::as_str);
        (package, option("version"), option("pluginDownloadURL"))
    }));
}

/// A plan in the making.
struct Run<'a, P: Plugins> {
    inputs: &'a Inputs,
    plugins: &'a P,
    memo: &'a mut Memo<P::Plugin>,
    archives: Archives,
    bindings: Bindings,
    /// Of the state, by URN.
    olds: HashMap<Urn, usize>,
    former: Former<'a>,
    /// Which of them the program has, under the URN that they have in the state.
    claimed: HashMap<Urn, Urn>,
    registered: HashSet<Urn>,
    /// The URNs in the state of those that were found there under another one.
    aliases: HashMap<Urn, Urn>,
    /// Options that children take over.
    inherited: HashMap<Urn, Inherited>,
    replaced: HashSet<Urn>,
    deleted_before: HashSet<Urn>,
    providers: HashMap<Urn, Arc<Provider<P::Plugin>>>,
    /// Of the plugins of packages, where nothing else is said.
    releases: HashMap<String, PluginRelease>,
    /// Why the schemas of these packages are not known.
    unknown_schemas: HashMap<Package, Caveat>,
    /// Resources with properties that don't fit their types.
    misfits: HashSet<String>,
    /// The functions of providers that were called.
    calls: Vec<FunctionCall>,
    /// Places at which something was reported before anything was evaluated.
    reported: HashSet<Span>,
    plan: Plan,
    /// The steps of resources, by their positions in the plan.
    steps: HashMap<Urn, usize>,
    /// Whether something has failed in a way that ends a preview of Pulumi.
    is_stopped: bool,
    /// The bytes that earlier values took of the budget.
    spent: u64,
    /// The result so far of the current thing, and its reads.
    outcome: ResourcePlan,
    reads: Reads,
    /// Its earlier result.
    before: Option<Arc<ResourcePlan>>,
}

impl<'a, P: Plugins> Run<'a, P> {
    fn new(inputs: &'a Inputs, plugins: &'a P, memo: &'a mut Memo<P::Plugin>) -> Run<'a, P> {
        let olds = inputs.state.resources.iter().enumerate();
        let olds = olds.filter(|(_, old)| !old.is_to_delete);
        let mut run = Run {
            inputs,
            plugins,
            memo,
            archives: Archives::default(),
            bindings: Bindings::new(inputs.configuration()),
            olds: olds.map(|(index, old)| (old.urn.clone(), index)).collect(),
            former: Former::new(&inputs.state.resources),
            claimed: HashMap::new(),
            registered: HashSet::new(),
            aliases: HashMap::new(),
            inherited: HashMap::new(),
            replaced: HashSet::new(),
            deleted_before: HashSet::new(),
            providers: HashMap::new(),
            releases: HashMap::new(),
            unknown_schemas: HashMap::new(),
            misfits: HashSet::new(),
            calls: Vec::new(),
            reported: HashSet::new(),
            plan: Plan::default(),
            steps: HashMap::new(),
            is_stopped: false,
            spent: 0,
            outcome: ResourcePlan::default(),
            reads: Reads::default(),
            before: None,
        };
        let settings = run.settings();
        run.bind_value(SETTINGS, settings);
        for (name, value) in inputs.config.names(&inputs.stack.project) {
            let value = run.configured_value(value);
            run.bind_value(name, Binding::Value(value));
        }
        let sealed = inputs.state.sealed.as_ref();
        if let Some(reason) = sealed.or(inputs.config.sealed.as_ref()) {
            run.plan.caveats.insert(Caveat::Sealed(reason.to_string()));
        }
        if let Err(why) = &run.memo.basis().naming {
            let message = format!("getting autonaming config: {why}");
            run.error(None, "configuration-value", message, None);
        }
        for problem in &inputs.config.problems {
            run.report(None, problem.clone());
        }
        if inputs.may_have_policies {
            run.plan.caveats.insert(Caveat::Policies);
        }
        if inputs.config.has_environment {
            run.plan.caveats.insert(Caveat::Environment);
        }
        let set_twice = inputs.config.set_twice.iter().cloned();
        run.plan.caveats.extend(set_twice.map(Caveat::SetTwice));
        run
    }

    fn settings(&self) -> Binding {
        let inputs = self.inputs;
        let path = |path: &PathBuf| Value::String(path.display().to_string());
        let text = |text: &String| Value::String(text.clone());
        let settings = [
            ("cwd", path(&inputs.dir)),
            ("organization", text(&inputs.organization)),
            ("project", text(&inputs.stack.project)),
            ("rootDirectory", path(&inputs.root_dir)),
            ("stack", text(&inputs.stack.stack)),
        ];
        let settings = settings.map(|(key, value)| (key.to_owned(), value));
        Binding::Value(Evaluated::plain(Value::Object(Object::from(settings))))
    }

    fn report(&mut self, urn: Option<&Urn>, problem: Problem<Option<Span>>) {
        self.outcome.problems.push(PlanProblem {
            urn: urn.cloned(),
            problem,
        });
    }

    fn error(
        &mut self,
        urn: Option<&Urn>,
        code: &'static str,
        summary: impl Into<String>,
        at: Option<Span>,
    ) {
        let summary: String = summary.into();
        self.report(urn, Problem::error(code, summary, "", at));
    }

    /// Whether an error has ended the preview. After that, the program registers no more resources.
    fn is_ended(&self) -> bool {
        self.inputs.options.stops_at_faults && self.is_stopped
    }

    /// Evaluates an expression of a declaration and reports its problems.
    async fn evaluate<T: Sync>(
        &mut self,
        declared: &Declared<T>,
        expr: &Expr,
    ) -> Option<Evaluated> {
        let (evaluated, reads) = loop {
            let scope = Scope {
                project: &self.inputs.stack.project,
                dir: &self.inputs.dir,
                bindings: &self.bindings,
                calls: self.inputs.options.world.map(|_| self.calls.as_slice()),
                reads_everywhere: self.inputs.options.reads_everywhere,
                archives: &self.archives,
                suggests: self.plan.problems.len() < SUGGESTIONS,
                reads: RefCell::default(),
                meter: Meter::new(self.left()),
            };
            let evaluated = scope.evaluate(expr);
            let mut reads = scope.reads.into_inner();
            let spent = scope.meter.spent();
            if reads.calls.is_empty() {
                self.outcome.spent += spent;
                break (evaluated, reads);
            }
            for invocation in reads.calls.drain(..) {
                self.invoke(invocation).await;
            }
        };
        let evaluated = match evaluated {
            Ok(evaluated) => Some(evaluated),
            Err(Fault::Behind(_)) => None,
            Err(Fault::Problem(problem)) => {
                let mut problem = problem.map(|range: TextRange| declared.span(range));
                problem.summary = masked(&problem.summary, reads.secret_texts()).into();
                // A name that does not exist is reported already.
                if !self.reported.contains(&problem.at) {
                    self.report(None, problem.map(Some));
                }
                self.outcome.is_stopped = true;
                None
            }
        };
        self.reads.names.extend(reads.names);
        self.reads.files.extend(reads.files);
        evaluated
    }

    /// How much the thing that is being worked on may still take of the budget, in bytes.
    pub(super) fn left(&self) -> u64 {
        let Budget { object, program } = self.inputs.options.budget;
        let limit = object.min(program.saturating_sub(self.spent));
        limit.saturating_sub(self.outcome.spent)
    }

    /// Binds the name of a variable or of configuration.
    fn bind(&mut self, name: &str, value: Option<Evaluated>) {
        let binding = match value {
            Some(value) => Binding::Value(value),
            None => self.failure(name),
        };
        self.bind_value(name, binding);
        self.commit();
    }

    fn bind_value(&mut self, name: &str, binding: Binding) {
        let before = self.memo.values.get(name);
        let binding = match before.filter(|before| ***before == binding) {
            Some(before) => before.clone(),
            None => Arc::new(binding),
        };
        self.memo.values.insert(name.to_owned(), binding.clone());
        self.bindings.insert(name, binding);
    }

    /// The value of a name that has failed. Where the plan goes on, what depends on it is planned as far as it can be known.
    fn failure(&self, name: &str) -> Binding {
        if self.inputs.options.stops_at_faults {
            return Binding::Failed;
        }
        Binding::Value(Evaluated {
            value: Value::Unknown,
            caveats: BTreeSet::from([Caveat::Failed(name.to_owned())]),
            ..Evaluated::default()
        })
    }

    /// Drops the results of names that no program declares any more.
    fn forget(&mut self) {
        let resources = &self.inputs.program.resources;
        let names: HashSet<&str> = resources.iter().map(|it| it.name.as_str()).collect();
        self.memo
            .resources
            .retain(|name, _| names.contains(&**name));
        self.memo.types.retain(|name, _| names.contains(&**name));
        let providers = &self.providers;
        self.memo
            .providers
            .retain(|urn, _| providers.contains_key(urn));
    }

    async fn variable(&mut self, declared: &Declared<Expr>) {
        let call = self.inputs.program.with_default_provider(&declared.decl);
        let expr = call.as_ref().unwrap_or(&declared.decl);
        let value = self.evaluate(declared, expr).await;
        let value = value.map(|it| Evaluated {
            value: it.value.as_output(),
            ..it
        });
        self.bind(&declared.name, value);
    }

    /// Whether everything that an expression refers to has a value.
    fn is_bound(&self, expr: &Expr) -> bool {
        let mut accesses = Vec::new();
        expr.accesses(&mut accesses);
        accesses.iter().all(|it| self.bindings.contains(&it.root))
    }

    /// Refuses a program that asks for other releases of Pulumi.
    ///
    /// Source: `EvalPulumi` in `run.go` of Pulumi's YAML host.
    async fn required_version(&mut self, declared: &Arc<Declared<Expr>>) {
        let evaluated = self.evaluate(declared, &declared.decl).await;
        let wrong = match evaluated.map(|it| it.value) {
            Some(Value::String(range)) => release::refusal(&range, self.inputs.options.release),
            Some(_) => Some("version range must evaluate to a string".to_owned()),
            None => Some("could not evaluate expression for version range".to_owned()),
        };
        if let Some(message) = wrong {
            let at = declared.span(declared.decl.at);
            self.error(None, "evaluation", message, Some(at));
            self.outcome.is_stopped = true;
        }
        self.commit();
    }

    /// The stack, which is the parent of all resources without another.
    fn stack_step(&mut self) {
        let urn = self.inputs.stack.root();
        let old = self
            .olds
            .get(&urn)
            .map(|index| &self.inputs.state.resources[*index]);
        self.outcome.steps.push(Arc::new(Step {
            op: match old {
                Some(_) => Op::Same,
                None => Op::Create,
            },
            urn: urn.clone(),
            old: old.cloned(),
            new: Some(NewResource::default()),
            replace_keys: Vec::new(),
            diff_keys: Vec::new(),
            detailed: None,
            caveats: BTreeSet::new(),
            is_refused: false,
            is_default_provider: false,
            declared: None,
        }));
        self.outcome.claimed.push((urn.clone(), urn.clone()));
        self.outcome.registered.push(urn);
    }

    async fn outputs(&mut self) {
        let inputs = self.inputs;
        for declared in &inputs.program.outputs {
            let evaluated = self.evaluate(declared, &declared.decl).await;
            if let Some(evaluated) = evaluated.filter(|_| !self.is_ended()) {
                self.outcome.caveats.extend(evaluated.caveats);
                self.plan.outputs.insert(
                    declared.name.clone(),
                    without_nulls(evaluated.value.as_output()),
                );
            }
            self.commit();
        }
    }

    /// Resources of the state that the program does not declare, in the order of their deletion.
    fn deleted(&self) -> Vec<&'a OldResource> {
        let inputs = self.inputs;
        // The type of a resource may be misspelt if nobody knows its package.
        let lacks_provider =
            |it: &&Arc<Step>| !it.is_default_provider && it.caveats.iter().any(Caveat::is_provider);
        let undecided = self.plan.steps.iter().filter(lacks_provider);
        let undecided: HashSet<String> = undecided.map(|it| it.urn.name().to_owned()).collect();
        let deletable = self.deletable();
        let is_deleted = |old: &&OldResource| {
            // Deleted already, with its dependencies.
            let is_gone = self.deleted_before.contains(&old.urn);
            let is_claimed = is_gone || self.claimed.contains_key(&old.urn);
            let is_stack = !old.is_custom && old.urn.type_name() == STACK_TYPE;
            let is_kept_back = deletable.as_ref().is_some_and(|it| !it.contains(&old.urn));
            let is_kept = is_stack || is_kept_back || undecided.contains(old.urn.name());
            !is_claimed && !is_kept && !old.is_to_delete && !old.is_pending_replacement
        };
        // Last created, first deleted.
        let resources = inputs.state.resources.iter().rev();
        let mut deleted: Vec<&OldResource> = resources.filter(is_deleted).collect();
        let protected = deleted.iter().position(|it| it.is_protected);
        if let Some(at) = protected.filter(|_| inputs.options.stops_at_faults) {
            // It ends the preview.
            deleted.truncate(at + 1);
        }
        deleted
    }

    /// The providers that can't delete these resources, with the reason.
    async fn unavailable_providers(&mut self, deleted: &[&OldResource]) -> HashMap<Urn, Caveat> {
        let owned = deleted.iter();
        let owned = owned.filter(|it| it.is_custom && !it.is_external && !it.is_protected);
        let used: BTreeSet<Urn> = owned.filter_map(|it| it.provider_urn()).collect();
        let mut unavailable = HashMap::new();
        for urn in used {
            let package = urn.package_of_provider().unwrap_or_default().to_owned();
            if self.providers.contains_key(&urn) || package == builtin::PACKAGE {
                continue;
            }
            if let Err(error) = self.former_provider(&urn).await {
                let (name, why) = (package, error.why);
                unavailable.insert(urn, Caveat::Provider { name, why });
            }
        }
        unavailable
    }

    fn delete(&mut self, deleted: &[&OldResource], unavailable: &HashMap<Urn, Caveat>) {
        for old in deleted {
            if old.is_protected {
                let urn = &old.urn;
                let message = format!(
                    "resource \"{urn}\" cannot be deleted\nbecause it is protected. To unprotect the resource, either remove the `protect` flag from the resource in your Pulumi program and run `pulumi up`, or use the command:\n`pulumi state unprotect '{urn}'`"
                );
                self.error(Some(urn), "protected-resource", message, None);
            }
            self.refuse_unnamed_deletion(&old.urn);
            let provider = old.provider_urn();
            let caveat = provider.and_then(|it| unavailable.get(&it).cloned());
            self.outcome.steps.push(Arc::new(deletion(old, caveat)));
        }
    }

    /// Source: `checkTargets` in `deployment_executor.go` of Pulumi's engine.
    fn check_targets(&mut self, targets: &Targets) {
        if targets.is_empty() {
            return;
        }
        let old = self.inputs.state.resources.iter().map(|it| &it.urn);
        let new = self.outcome.steps.iter().chain(&self.plan.steps);
        let known: HashSet<&str> = old.chain(new.map(|it| &it.urn)).map(Urn::as_str).collect();
        for message in targets.missing(|urn| known.contains(urn)) {
            self.error(None, "invalid-option", message, None);
        }
    }

    /// A resource of which only its name is known.
    fn bind_unknown(&mut self, name: &str, urn: &Urn, caveat: Caveat) {
        let registered = Registered {
            urn: urn.clone(),
            name: urn.name().to_owned(),
            type_name: urn.type_name().to_owned(),
            id: Some(Value::Unknown),
            // Something unknown makes everything that is missing unknown, too.
            outputs: Object::from([(String::new(), Value::Unknown)]),
            properties: Vec::new(),
            caveats: BTreeSet::from([caveat]),
        };
        self.outcome
            .bind(name, Binding::Resource(Box::new(registered)));
    }
}
