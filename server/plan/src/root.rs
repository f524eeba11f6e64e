//! A root module on disk and in the editor: everything that its plan is made from, read again as far as it changed.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use config::language_release::{Choice, feature};
use config::{
    FileVersion, Files, Module, ModuleTree, Profile, ProviderAddr, TreeCache, Version, load_tree,
    not_as_installed,
};
use cty::budget::{Cancel, sheltered};
use eval::Functions;
use process::Variables;
use provider::{Approved, ProcessLimit, Providers, Substitute};
use schema::ProviderSchema;
use smol_str::SmolStr;
use state::{Location, Pulled, State, StateError};
use text::{Diagnostic, FileId, Places, SegmentId, Severity, Span, TextRange};

use crate::arguments::Arguments;
use crate::backend;
use crate::condition::has_errors;
use crate::encryption::{self, Encryption};
use crate::files::{FunctionFiles, OpenFiles, RootFiles};
use crate::functions::FunctionAnswers;
use crate::generate;
use crate::input_values::{InputValues, VarOption, input_values};
use crate::inputs::{Inputs, RunEnvironment};
use crate::language::{LanguageChoice, unmet};
use crate::moves::Mover;
use crate::node::NodeId;
use crate::plan::REFERENCE_PROBLEMS;
use crate::reach::Reach;
use crate::registry_host::Translated;
use crate::static_values::StaticValues;
use crate::{Engine, Options, Plan, PlanMode, PublishRequests, Reads};

/// External inputs of a root module's plan, beside its files.
#[derive(Debug, Clone)]
pub struct Surroundings {
    /// The root module's folder, absolute.
    pub dir: PathBuf,
    /// Where Terraform would be run: that folder, or one that `-chdir` left.
    pub cwd: PathBuf,
    /// Environment variables.
    pub variables: Variables,
    /// `-var` and `-var-file`, with absolute paths.
    pub options: Vec<VarOption>,
    /// `-state`: where the state is, whatever the configuration says; absolute.
    pub state: Option<PathBuf>,
    /// RFC 3339; the value of `plantimestamp`.
    pub plan_timestamp: Option<String>,
    /// Where schemas are kept between runs.
    pub cache_dir: Option<PathBuf>,
    /// Whether the user trusts the folder: only then providers get its configuration.
    pub is_trusted: bool,
    /// The plugins that may start.
    pub approved: Approved,
    pub language: LanguageChoice,
}

/// The request for one plan.
#[derive(Debug, Clone, Default)]
pub struct PlanningRequest {
    /// Planned before everything else, and published as soon as it is.
    pub focus: BTreeSet<NodeId>,
    /// Whether all texts are as saved.
    pub is_saved: bool,
    /// Whether providers may be configured.
    pub may_configure: bool,
    pub options: Arc<Options>,
}

/// A root module that is planned again and again.
pub struct Root {
    surroundings: Surroundings,
    /// The options that the environment variables add.
    arguments: Arguments,
    /// Once the module was read.
    choice: Option<Choice>,
    cache: TreeCache,
    engine: Engine,
    environment: Arc<RunEnvironment>,
    function_files: Arc<FunctionFiles>,
    function_answers: Arc<FunctionAnswers>,
    providers: Arc<Providers>,
    providers_revision: u64,
    /// How many of their processes may be alive, with those of other root modules.
    process_limit: Arc<ProcessLimit>,
    reads: Option<Arc<Reads>>,
    /// The lock file that `providers` were found by, once it was read.
    lock_file: Option<Option<Arc<str>>>,
    loaded: Option<Loaded>,
    stored: Option<LoadedState>,
    /// The state of a backend, as it was last got from there.
    pulled: Option<Pulled>,
    /// Why it could not be got from there.
    not_pulled: Option<(Location, StateError)>,
    mover: Mover,
    /// Of one that tests are planned in, whatever the state is.
    tested: Option<Tested>,
}

/// The parts of a module that a test replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tested {
    /// The providers of the module as they are configured, and no state.
    WithPlugins,
    /// No provider that would have to start, and no state.
    WithoutPlugins,
}

/// The inputs that were read for the last plan.
struct Loaded {
    tree: Arc<ModuleTree>,
    diagnostics: Arc<[Diagnostic]>,
    given: Arc<BTreeMap<SmolStr, eval::variables::InputValue>>,
    variable_files: BTreeMap<FileId, syntax::File>,
}

/// A state, with its source.
struct LoadedState {
    location: Location,
    /// Of the file, or of the pulled text. `None`: there is no state.
    version: Option<FileVersion>,
    state: Arc<State>,
    /// How it was decrypted.
    encryption: Option<Encryption>,
    /// The same for a plan of OpenTofu.
    translated: Translated,
    caveat: Option<state::StateUnavailable>,
}

impl LoadedState {
    /// True if the state can't be read because it is encrypted.
    fn is_encrypted(&self) -> bool {
        matches!(
            self.caveat,
            Some(state::StateUnavailable::Failed(
                StateError::Encrypted | StateError::NotDecrypted { .. }
            ))
        )
    }

    /// Whether it could not be read because of the files, about which these diagnostics are: the program that reads a state
    /// elsewhere reads them first.
    fn failed_with_files(&self, root: &Module, found: &[Diagnostic]) -> bool {
        let is_of_file = |it: &Diagnostic| {
            let mut places = it.subject.iter();
            it.severity == Severity::Error
                && !is_found_after_loading(it)
                && places.any(|at| root.files.contains_key(&at.file))
        };
        matches!(self.caveat, Some(state::StateUnavailable::Failed(_)))
            && found.iter().any(is_of_file)
    }

    /// The diagnostic for a state that could not be read. Where `init` helps, an editor warns.
    fn problem(&self, module: &Module, severity: Severity) -> Option<Diagnostic> {
        let caveat = self.caveat.as_ref()?;
        if let Some(unknown) = module
            .backend
            .as_ref()
            .filter(|it| !provider::is_backend(&it.r#type))
        {
            return Some(Diagnostic::error(
                "unreadable-state",
                "Invalid backend type",
                format!(
                    "There is no backend type named {:?}.",
                    unknown.r#type.as_str()
                ),
                unknown.decl.span.clone(),
            ));
        }
        let backend = self.location.uninitialized();
        let why = match (caveat, backend) {
            (state::StateUnavailable::Failed(error), _) => match &self.location {
                Location::File { path, .. } if !error.names_file() => format!("{path}: {error}"),
                _ => error.to_string(),
            },
            (state::StateUnavailable::InBackend(_), Some(backend)) => {
                let command = module.profile.product.init(true);
                format!("backend {backend:?} is not initialized: run `{command}`")
            }
            (state::StateUnavailable::InBackend(_), None) => return None,
        };
        let detail = format!("{why}. Existing objects are unknown.");
        let problem =
            |code, subject| Diagnostic::error(code, "State can't be read", detail, subject);
        Some(match backend.is_some() || caveat.needs_init() {
            true => Diagnostic {
                severity,
                ..problem(
                    "backend-not-initialized",
                    module.backend.as_ref().map(|it| it.decl.span.clone()),
                )
            },
            false => problem("unreadable-state", None),
        })
    }
}

/// Whether Terraform finds it once all modules are loaded.
fn is_found_after_loading(it: &Diagnostic) -> bool {
    REFERENCE_PROBLEMS.contains(&it.code) || it.code == "missing-provider-config"
}

impl Surroundings {
    fn providers_environment(&self) -> provider::Environment {
        provider::Environment {
            root_module: self.dir.clone(),
            variables: self.variables.clone(),
        }
    }

    fn providers(&self, version: Version, limit: &Arc<ProcessLimit>) -> Providers {
        Providers::new(provider::Config {
            environment: self.providers_environment(),
            cache_dir: self.cache_dir.clone(),
            terraform_version: version.to_string(),
            approved: self.approved.clone(),
            limit: limit.clone(),
        })
    }
}

impl Root {
    /// The versions of all packages of providers on this machine, newest first.
    pub fn packages(&self) -> BTreeMap<config::ProviderAddr, Vec<String>> {
        provider::packages(&self.surroundings.providers_environment())
    }

    /// The plan that was made last, as `terraform show -json` has it: with the state and the configuration that it was
    /// made from, and the results of the conditions.
    pub fn to_json(&self, plan: &Plan) -> serde_json::Map<String, serde_json::Value> {
        self.engine.to_json(plan)
    }

    pub fn new(surroundings: Surroundings) -> Root {
        let profile = surroundings.language.before_reading();
        let reach = match surroundings.is_trusted {
            true => Reach::Everywhere,
            false => Reach::within([&*surroundings.dir]),
        };
        let disk = Arc::new(OpenFiles::default());
        let function_files = Arc::new(FunctionFiles::new(disk, reach));
        let environment = RunEnvironment {
            workspace: "default".into(),
            root_dir: relative(&surroundings.dir, &surroundings.dir),
            cwd: surroundings.cwd.to_string_lossy().into(),
            functions: Functions {
                base_dir: surroundings.dir.clone(),
                home_dir: surroundings.variables.home().map(Path::to_owned),
                files: function_files.clone(),
                plan_timestamp: surroundings.plan_timestamp.clone(),
                profile,
            },
        };
        let process_limit = Arc::default();
        Root {
            choice: None,
            providers: Arc::new(surroundings.providers(profile.version, &process_limit)),
            process_limit,
            arguments: Arguments::of_environment(&surroundings.variables, &surroundings.cwd),
            surroundings,
            cache: TreeCache::new(profile),
            engine: Engine::default(),
            environment: Arc::new(environment),
            function_files,
            function_answers: Arc::default(),
            lock_file: None,
            providers_revision: 0,
            reads: None,
            loaded: None,
            stored: None,
            pulled: None,
            not_pulled: None,
            mover: Mover::default(),
            tested: None,
        }
    }

    /// A root module of the same folder that tests are planned in. It starts no plugin and configures none.
    pub(crate) fn for_tests(&self, tested: Tested) -> Root {
        let surroundings = Surroundings {
            approved: Approved::Nothing,
            ..self.surroundings.clone()
        };
        Root {
            tested: Some(tested),
            ..Root::new(surroundings)
        }
    }

    /// Takes over the language and the answers of another root module of the same folder, and the variables of a test.
    pub(crate) fn follow(&mut self, root: &Root, options: Vec<VarOption>) {
        self.surroundings.options = options;
        self.surroundings.language = root.surroundings.language.clone();
        self.surroundings.is_trusted = root.surroundings.is_trusted;
        self.reads = root.reads.clone();
        self.set_reach(root.function_files.reach());
        let is_shared = self.tested == Some(Tested::WithPlugins);
        if is_shared && !Arc::ptr_eq(&self.providers, &root.providers) {
            self.providers = root.providers.clone();
            self.providers_revision += 1;
        }
    }

    /// The options that give values to its variables, beside files and the environment.
    pub(crate) fn options(&self) -> &[VarOption] {
        &self.surroundings.options
    }

    pub fn dir(&self) -> &Path {
        &self.surroundings.dir
    }

    /// The environment variables that it is planned with.
    pub fn variables(&self) -> &Variables {
        &self.surroundings.variables
    }

    pub fn providers(&self) -> &Arc<Providers> {
        &self.providers
    }

    /// The schemas of the providers in the module tree, as far as no process has to start for them.
    pub fn schemas_at_hand(&self) -> BTreeMap<ProviderAddr, Arc<ProviderSchema>> {
        let modules = self.tree().into_iter().flat_map(|tree| tree.iter());
        let addrs: BTreeSet<ProviderAddr> = modules
            .flat_map(|(_, called)| {
                let module = &called.module;
                let required = module.required_providers.keys();
                let used = module.resources.values();
                required
                    .map(|name| module.provider_addr(name))
                    .chain(used.map(|resource| module.provider_of(resource).0))
            })
            .collect();
        let schema = |addr| Some((addr, self.providers.schema_at_hand(addr)?));
        let schemas = addrs.iter().filter_map(schema);
        schemas
            .map(|(addr, schema)| (addr.clone(), schema))
            .collect()
    }

    /// Stand-ins for the schemas of the providers in the module tree that are not among the `installed`.
    pub fn substitutes(
        &self,
        installed: &BTreeMap<ProviderAddr, Arc<ProviderSchema>>,
    ) -> BTreeMap<ProviderAddr, Substitute> {
        let modules = self.tree().into_iter().flat_map(|tree| tree.iter());
        let used: BTreeSet<ProviderAddr> = modules
            .flat_map(|(_, called)| called.module.providers_in_use())
            .collect();
        let missing = used.into_iter().filter(|it| !installed.contains_key(it));
        missing
            .filter_map(|addr| Some((self.providers.substitute(&addr)?, addr)))
            .map(|(substitute, addr)| (addr, substitute))
            .collect()
    }

    /// Which product and release the module is planned as, and why.
    pub fn choice(&self) -> Option<&Choice> {
        self.choice.as_ref()
    }

    /// Sets the choices of the user and the machine about the language.
    pub fn set_language(&mut self, language: LanguageChoice) {
        self.surroundings.language = language;
    }

    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The root module as it was last read.
    pub fn module(&self) -> Option<&Arc<Module>> {
        self.loaded.as_ref().map(|loaded| loaded.tree.root())
    }

    /// The root module with those it calls, as they were last read.
    pub fn tree(&self) -> Option<&Arc<ModuleTree>> {
        self.loaded.as_ref().map(|loaded| &loaded.tree)
    }

    /// Where the state is that the plan lacks, after a load: pull it, say so with [`Root::set_pulled`], and load again.
    pub fn unread_state(&self) -> Option<&Location> {
        let stored = self.stored.as_ref()?;
        let is_elsewhere = matches!(stored.location, Location::Backend { .. });
        let is_unread = is_elsewhere && stored.version.is_none();
        is_unread.then_some(&stored.location)
    }

    /// The state's location, after a load.
    pub fn state_location(&self) -> Option<&Location> {
        Some(&self.stored.as_ref()?.location)
    }

    /// The state, or why it is not known, after a load.
    pub fn state(&self) -> Option<Result<&State, &state::StateUnavailable>> {
        let stored = self.stored.as_ref()?;
        Some(stored.caveat.as_ref().map_or(Ok(&*stored.state), Err))
    }

    /// Why Terraform would ask for `init` although the state can be read.
    pub fn backend_to_initialize(&self, files: &dyn Files) -> Option<String> {
        let Location::File { .. } = self.state_location()? else {
            return None;
        };
        let dir = self.surroundings.dir.to_string_lossy();
        state::backend_to_initialize(files, self.module()?, &dir, &self.state_environment())
    }

    /// The state that counts from the next load on, if it is still its location's then.
    pub fn set_pulled(&mut self, pulled: Pulled) {
        self.not_pulled = None;
        let is_same = self.pulled.as_ref();
        if !is_same.is_some_and(|before| before.is_same_version(&pulled)) {
            self.pulled = Some(pulled);
        }
    }

    /// The state of a location could not be pulled: the next plan reports the reason.
    pub fn set_not_pulled(&mut self, location: Location, error: StateError) {
        self.not_pulled = Some((location, error));
        self.stored = None;
    }

    /// Errors that reading finds, without a plan.
    pub fn problems(&self) -> Arc<[Diagnostic]> {
        let loaded = self.loaded.as_ref();
        loaded.map_or_else(|| Arc::from([]), |loaded| loaded.diagnostics.clone())
    }

    /// The functions that expressions can call.
    pub fn functions(&self) -> &Functions {
        &self.environment.functions
    }

    /// Sets the reader for functions such as `templatefile`; before, the disk.
    pub fn set_function_files(&self, files: Arc<dyn eval::Files + Send + Sync>) {
        self.function_files.set(files);
    }

    /// Set when a function reads a file, until whoever asks for it takes it back.
    pub fn functions_read(&self) -> Arc<AtomicBool> {
        self.function_files.noted()
    }

    /// Where functions may look, from now on; before, only in the module's own folder where that is not trusted.
    pub fn set_reach(&self, reach: Reach) {
        self.function_files.set_reach(reach);
    }

    /// Whether a function was refused something that is out of its reach.
    pub fn was_out_of_reach(&self) -> bool {
        self.function_files.was_refused()
    }

    /// Its plugins count together with those of other root modules. Those that run already end.
    pub fn share_processes(&mut self, limit: Arc<ProcessLimit>) {
        self.process_limit = limit;
        self.find_providers(self.environment.functions.profile.version);
    }

    /// From now on, objects that providers read are kept for the plans that follow: nothing is read unless `reads` allows it.
    /// To be called before the first load.
    pub fn keep_reads(&mut self, reads: Arc<Reads>) {
        self.reads = Some(reads);
    }

    /// From now on the folder is trusted or not, and these plugins may start. Running ones go on. Answers whether that
    /// is something else than before.
    pub fn set_trust(&mut self, is_trusted: bool, approved: Approved) -> bool {
        let surroundings = &mut self.surroundings;
        if surroundings.is_trusted == is_trusted && surroundings.approved == approved {
            return false;
        }
        surroundings.is_trusted = is_trusted;
        surroundings.approved = approved.clone();
        self.providers.approve(approved);
        self.providers_revision += 1;
        true
    }

    /// The next plan gives their configurations to providers that refused them: credentials may be there by now.
    pub fn configure_again(&mut self) {
        if self.engine.has_refusals() {
            self.providers_revision += 1;
        }
    }

    /// The providers that were planned with without their configurations, because the folder is not trusted.
    pub fn awaiting_trust(&self) -> BTreeSet<ProviderAddr> {
        self.engine.awaiting_trust()
    }

    /// The errors of the files that were last read, without those that only concern references.
    pub fn loading_problems(&self) -> Vec<Diagnostic> {
        let loaded = self
            .loaded
            .iter()
            .flat_map(|loaded| loaded.diagnostics.iter());
        loaded
            .filter(|it| !is_found_after_loading(it))
            .cloned()
            .collect()
    }

    /// Reads the files that changed since the last time.
    pub fn load(&mut self, files: &dyn Files, request: &PlanningRequest) {
        let dir = self.surroundings.dir.to_string_lossy().into_owned();
        let files = &RootFiles::new(files);
        self.load_lock_file(files, &dir);
        self.load_workspace(files, &dir);
        let refuses = request.options.refuses();
        let (tree, mut diagnostics) = self.load_tree(files, &dir, refuses);
        let severity = match refuses {
            true => Severity::Error,
            false => Severity::Warning,
        };
        diagnostics.extend(unmet(&self.surroundings.language, &tree, severity));
        diagnostics.extend(not_as_installed(&tree, &self.cache, severity));
        let tree = Arc::new(tree);
        let module = tree.root().clone();
        let options = self.var_options();
        let InputValues {
            values,
            files: variable_files,
            diagnostics: given_diagnostics,
        } = input_values(&module, files, &dir, &self.surroundings.variables, &options);
        let is_validated = request.options.mode == PlanMode::Validate;
        diagnostics.extend(self.backend_problems(&module, request, &diagnostics));
        let (encryption, found) = self.encryption(files, &tree, &dir);
        let cannot_decrypt = found.iter().any(|it| it.severity == Severity::Error);
        diagnostics.extend(found);
        diagnostics.extend(self.static_problems(files, &tree, &dir));
        let mut values = values;
        if is_validated {
            values.clear();
        } else {
            diagnostics.extend(self.arguments.diagnostics.iter().cloned());
            diagnostics.extend(given_diagnostics);
            let (backend, found) = self.backend_settings(files, &tree, &dir);
            diagnostics.extend(found);
            if self.tested.is_none() {
                self.load_state(files, &module, &dir, &backend, encryption);
            }
        }
        let mut tree = tree;
        if request.options.generate_config
            && let Some(stored) = &self.stored
            && let Some(files) = generate::with_declarations(files, &dir, &module, &stored.state)
        {
            // References to these refer to nothing that is declared: that was reported already.
            tree = Arc::new(self.load_tree(&files, &dir, refuses).0);
        }
        let (state, caveat) = match &mut self.stored {
            Some(stored) if !is_validated => {
                let is_cause_told = cannot_decrypt && stored.is_encrypted()
                    || refuses && stored.failed_with_files(&module, &diagnostics);
                let problem = stored.problem(&module, severity);
                diagnostics.extend(problem.filter(|_| !is_cause_told));
                let variables = &self.surroundings.variables;
                let state = stored
                    .translated
                    .of(&stored.state, &tree, module.profile, variables);
                (state, stored.caveat.clone())
            }
            _ => (Arc::default(), None),
        };
        let broken = tree
            .iter()
            .flat_map(|(_, module)| &module.module.files)
            .flat_map(|(file, syntax)| syntax.errors().map(|(segment, _)| (file.clone(), segment)));
        let errors = diagnostics
            .iter()
            .filter(|it| it.severity == Severity::Error);
        let wrong: Places = errors.filter_map(|it| it.subject.as_ref()).collect();
        let loaded = Loaded {
            diagnostics: diagnostics.into(),
            given: Arc::new(values),
            variable_files,
            tree: tree.clone(),
        };
        let mut inputs = Inputs {
            broken: Arc::new(broken.collect::<HashSet<(FileId, SegmentId)>>()),
            wrong: Arc::new(wrong),
            variables: loaded.given.clone(),
            tree,
            state: state.clone(),
            stored: state.clone(),
            moves: Arc::default(),
            move_statements: Arc::default(),
            state_caveat: caveat,
            environment: self.environment.clone(),
            function_files: self.function_files.clone(),
            function_answers: self.function_answers.clone(),
            providers: self.providers.clone(),
            providers_revision: self.providers_revision,
            distrusted: Arc::default(),
            reads: self.reads.clone(),
            may_configure: request.may_configure,
            is_trusted: self.surroundings.is_trusted,
            options: self.arguments.beside(&request.options),
            focus: Arc::new(request.focus.clone()),
            is_saved: request.is_saved,
        };
        let profile = inputs.environment.functions.profile;
        let are_modules_implied =
            profile.is_opentofu() && profile.version >= Version::new(1, 11, 0);
        // A cancellation between two of these would leave one of them with the old text.
        sheltered(|| {
            let moved = self
                .mover
                .update(&inputs.modules(), &state, are_modules_implied);
            inputs.state = moved.state;
            inputs.moves = moved.moves;
            inputs.move_statements = moved.statements;
            self.engine.update(inputs);
            self.loaded = Some(loaded);
        });
    }

    /// From the next load on everything is evaluated again, with the answers of providers that are kept.
    pub fn evaluate_anew(&mut self) {
        self.environment = Arc::new(self.environment.as_ref().clone());
    }

    /// Plans the files that were read. `publish` gets the plan as soon as what is in focus is planned.
    pub async fn plan(&mut self, publish: &mut (dyn FnMut(Plan) + Send)) -> Plan {
        let (cancel, mut asks) = (Cancel::default(), PublishRequests::none());
        let plan = self.plan_until(&cancel, &mut asks, publish).await;
        plan.expect("nobody else can cancel it")
    }

    /// Plans a text that is not there, with its dependencies alone: a plan of other texts is no plan of it,
    /// and of it nothing is kept.
    pub async fn plan_supposed(&mut self) -> Plan {
        self.engine.suppose(true);
        let plan = self.plan(&mut |_| {}).await;
        self.engine.suppose(false);
        plan
    }

    /// The same, until somebody cancels it: the next plan continues with the rest. `publish` gets the plan as far as it
    /// is known also whenever that is asked for.
    pub async fn plan_until(
        &mut self,
        cancel: &Cancel,
        asks: &mut PublishRequests,
        publish: &mut (dyn FnMut(Plan) + Send),
    ) -> Option<Plan> {
        self.providers.plan_begins();
        let _planning = self.providers.planning(self.engine.processes());
        let loaded = self.problems();
        let complete = |mut plan: Plan| {
            plan.drop_repeated(&loaded);
            let reached = loaded.iter().filter(|it| !plan.is_unreached(it));
            let reached: Vec<Diagnostic> = reached.cloned().collect();
            plan.diagnostics.splice(0..0, reached);
            plan
        };
        let publish = &mut |plan| publish(complete(plan));
        let plan = self.engine.run(cancel, asks, publish).await?;
        Some(complete(plan))
    }

    /// Where a span is in the texts that were last read.
    pub fn resolve(&self, span: &Span) -> Option<TextRange> {
        let loaded = self.loaded.as_ref()?;
        let file = loaded
            .tree
            .file(&span.file)
            .or_else(|| loaded.variable_files.get(&span.file))?;
        file.resolve(span)
    }

    /// The modules, read in the language that the root module turns out to be written in.
    fn load_tree(
        &mut self,
        files: &dyn Files,
        dir: &str,
        is_for_command: bool,
    ) -> (ModuleTree, Vec<Diagnostic>) {
        let lock_file = self.lock_file.clone().flatten();
        let language = self.surroundings.language.clone();
        let (mut tree, mut diagnostics) = self.read_tree(files, dir, is_for_command);
        let mut choice = language.choose(files, dir, lock_file.clone(), tree.root());
        if choice.profile != tree.root().profile {
            self.cache = TreeCache::new(choice.profile);
            self.set_profile(choice.profile);
            (tree, diagnostics) = self.read_tree(files, dir, is_for_command);
            // In other files something else may be required; the first choice stays where they disagree.
            let again = language.choose(files, dir, lock_file, tree.root());
            if again.profile == choice.profile {
                choice = again;
            }
        }
        self.choice = Some(choice);
        (tree, diagnostics)
    }

    fn read_tree(
        &mut self,
        files: &dyn Files,
        dir: &str,
        is_for_command: bool,
    ) -> (ModuleTree, Vec<Diagnostic>) {
        let variables = &self.surroundings.variables;
        let data_dir = variables.text("TF_DATA_DIR");
        let data_dir = data_dir.filter(|dir| !dir.is_empty());
        let options = self.var_options();
        let given = |root: &Module| input_values(root, files, dir, variables, &options).values;
        let early = StaticValues::new(&self.environment, &given, is_for_command);
        load_tree(files, &mut self.cache, dir, data_dir, Some(&early))
    }

    fn var_options(&self) -> Vec<VarOption> {
        [&self.arguments.options[..], &self.surroundings.options].concat()
    }

    fn set_profile(&mut self, profile: Profile) {
        let functions = Functions {
            profile,
            ..self.environment.functions.clone()
        };
        self.environment = Arc::new(RunEnvironment {
            functions,
            ..self.environment.as_ref().clone()
        });
        self.find_providers(profile.version);
    }

    /// Finds all providers again, except those that belong to another.
    fn find_providers(&mut self, version: Version) {
        if self.tested != Some(Tested::WithPlugins) {
            let providers = self.surroundings.providers(version, &self.process_limit);
            self.providers = Arc::new(providers);
            self.providers_revision += 1;
        }
    }

    pub fn has_lock_file(&self) -> bool {
        matches!(self.lock_file, Some(Some(_)))
    }

    /// Other providers may be selected after `terraform init`: then all are found again.
    fn load_lock_file(&mut self, files: &dyn Files, dir: &str) {
        let text = files.read(&format!("{dir}/.terraform.lock.hcl")).ok();
        let before = self.lock_file.replace(text);
        if before.is_some_and(|before| Some(before) != self.lock_file) {
            self.find_providers(self.environment.functions.profile.version);
        }
    }

    fn load_workspace(&mut self, files: &dyn Files, dir: &str) {
        let workspace = state::workspace(files, dir, &self.state_environment());
        if workspace != self.environment.workspace {
            self.environment = Arc::new(RunEnvironment {
                workspace,
                ..self.environment.as_ref().clone()
            });
        }
    }

    fn state_environment(&self) -> state::LocationVariables {
        let variables = &self.surroundings.variables;
        state::LocationVariables {
            data_dir: variables.text("TF_DATA_DIR").map(str::to_owned),
            workspace: variables.text("TF_WORKSPACE").map(str::to_owned),
        }
    }

    /// The settings of the backend that have to be evaluated, and their errors.
    fn backend_settings(
        &self,
        files: &dyn Files,
        tree: &ModuleTree,
        dir: &str,
    ) -> (BTreeMap<SmolStr, String>, Vec<Diagnostic>) {
        self.with_static_values(files, dir, |values| values.of_backend(tree))
    }

    /// Errors of values that have to be known before the plan.
    fn static_problems(&self, files: &dyn Files, tree: &ModuleTree, dir: &str) -> Vec<Diagnostic> {
        self.with_static_values(files, dir, |values| values.check(tree))
    }

    /// The encryption of the state, and its errors.
    fn encryption(
        &self,
        files: &dyn Files,
        tree: &ModuleTree,
        dir: &str,
    ) -> (Option<Encryption>, Vec<Diagnostic>) {
        if !self.environment.functions.profile.is_opentofu() {
            return (None, Vec::new());
        }
        let variable = self.surroundings.variables.text("TF_ENCRYPTION");
        self.with_static_values(files, dir, |values| {
            encryption::read(tree, variable, values)
        })
    }

    /// Calls `work` with the evaluator of values that are needed before the plan.
    fn with_static_values<T>(
        &self,
        files: &dyn Files,
        dir: &str,
        work: impl FnOnce(&StaticValues) -> T,
    ) -> T {
        let variables = &self.surroundings.variables;
        let options = self.var_options();
        let given = |root: &Module| input_values(root, files, dir, variables, &options).values;
        work(&StaticValues::new(&self.environment, &given, false))
    }

    /// Errors of the arguments of the backend. Like `init`, a command looks at them once the files are right.
    fn backend_problems(
        &self,
        module: &Module,
        request: &PlanningRequest,
        found: &[Diagnostic],
    ) -> Vec<Diagnostic> {
        let functions = &self.environment.functions;
        let is_validated = request.options.mode == PlanMode::Validate;
        let is_unchecked = is_validated && !functions.profile.has(feature::VALIDATED_BACKENDS);
        let backend = module.backend.as_ref();
        if is_unchecked || request.options.refuses() && has_errors(found) {
            return Vec::new();
        }
        backend.map_or_else(Vec::new, |it| backend::check(it, functions))
    }

    fn load_state(
        &mut self,
        files: &dyn Files,
        module: &Module,
        dir: &str,
        backend: &BTreeMap<SmolStr, String>,
        encryption: Option<Encryption>,
    ) {
        let environment = self.state_environment();
        let mut location = state::locate(files, module, dir, &environment, backend);
        if let Some(path) = self
            .surroundings
            .state
            .as_ref()
            .or(self.arguments.state.as_ref())
        {
            location = Location::File {
                path: path.to_string_lossy().into_owned(),
                workspace: location.workspace().clone(),
            };
        }
        let pulled = self.pulled.as_ref();
        let pulled = pulled.filter(|pulled| pulled.location == location);
        let pulled = pulled.map(|pulled| pulled.text.clone());
        let version = match &location {
            Location::File { path, .. } => files.version(path).ok(),
            Location::Backend { .. } => pulled.clone().map(FileVersion::Text),
        };
        let is_same = self.stored.as_ref().is_some_and(|stored| {
            stored.location == location
                && stored.version == version
                && stored.encryption == encryption
        });
        if is_same {
            return;
        }
        let mut stored = LoadedState {
            caveat: location.caveat().filter(|_| version.is_none()),
            version,
            state: Arc::default(),
            translated: Translated::default(),
            location,
            encryption,
        };
        let read = match (&stored.location, pulled.as_deref()) {
            (Location::Backend { .. }, Some("")) => Ok(State::default()),
            (Location::Backend { .. }, Some(text)) => state::read(text),
            (Location::Backend { .. }, None) => match &self.not_pulled {
                Some((location, error)) if *location == stored.location => Err(error.clone()),
                _ => Ok(State::default()),
            },
            (Location::File { .. }, _) => {
                let encryption = stored.encryption.as_ref();
                let decrypt = encryption.map(|it| |text: &str| it.decrypt(text));
                let decrypt = decrypt.as_ref().map(|it| it as state::Decrypt);
                state::load(files, &stored.location, decrypt)
            }
        };
        match read {
            Ok(state) => stored.state = Arc::new(state),
            Err(error) => stored.caveat = Some(state::StateUnavailable::Failed(error)),
        }
        self.stored = Some(stored);
    }
}

/// As Terraform prints the path of the root module: `.`
fn relative(dir: &Path, base: &Path) -> SmolStr {
    match dir.strip_prefix(base) {
        Ok(rest) if rest.as_os_str().is_empty() => ".".into(),
        Ok(rest) => rest.to_string_lossy().into(),
        Err(_) => dir.to_string_lossy().into(),
    }
}
