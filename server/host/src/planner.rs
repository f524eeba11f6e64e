//! Plans made by the engine: one root module for each folder with an open document.

mod called;
mod callers;
mod focus;
mod refactoring;
mod roots;
mod runs;
mod testing;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use config::{FileRole, Module, ModuleTree, Product, ProviderAddr, Target};
use cty::budget::Cancel;
use futures_util::future::{BoxFuture, join_all};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use ide::{
    Checked, ChecksOfRoots, Configure, Facts, Intent, PlanJob, PlanSink, PlanTrigger, PlanUpdate,
    Planner, PlannerFuture, Refactored, Refused, Renamable, Selection, Settings, Snapshot,
    SourceFile, Stage, Untrusted, canonical,
};
use plan::{Approved, LanguageChoice, OpenFiles, Plan, PlanningRequest, PublishRequests, Reach};
use process::Variables;
use provider::{ProcessLimit, Provider, Registries};
use text::FileId;
use tokio::time::timeout;

use self::called::{LastShown, RootFacts, ShownInputs, facts_of_root};
use self::callers::{Callers, RootModules};
use self::roots::{OpenRoot, Roots};
use self::runs::{LoadedPaths, RecordedFiles, RunReport, Runs};
use crate::apart::apart;
use crate::opening;

/// How long a root module that is being planned is waited for, to ask how it was given.
const ASKED_WITHIN: Duration = Duration::from_secs(1);

/// How long a plan waits for its root modules.
const FOUND_WITHIN: Duration = Duration::from_millis(30);

/// Finds the root modules of a job.
type Finding = BoxFuture<'static, RootModules>;

/// The inputs of the engine beside the editor's documents.
#[derive(Clone)]
pub struct PlannerConfig {
    /// Environment variables.
    pub variables: Variables,
    /// Where schemas are kept between runs.
    pub cache_dir: Option<PathBuf>,
    /// The time of day as RFC 3339.
    pub now: fn() -> String,
}

/// Plans with the engine, on the providers that each root module has installed.
pub struct EnginePlanner {
    shared: Arc<Shared>,
}

struct Shared {
    config: PlannerConfig,
    /// Knows the disk; each job puts its documents in front.
    files: OpenFiles,
    /// With the documents of the last snapshot in front.
    opened: Mutex<Option<(Snapshot, OpenFiles)>>,
    roots: Mutex<Roots>,
    callers: Mutex<Callers>,
    /// Of the last job that waited for them.
    last_modules: Mutex<Option<Arc<RootModules>>>,
    /// The facts of each root module in those that it calls.
    called: Mutex<BTreeMap<PathBuf, RootFacts>>,
    last_shown: Mutex<Option<LastShown>>,
    runs: Mutex<Runs>,
    registries: Arc<Online>,
    /// Of the plugins of all root modules.
    process_limit: Arc<ProcessLimit>,
    /// Providers that answer in the place of plugins.
    given: BTreeMap<ProviderAddr, Arc<dyn Provider>>,
}

impl EnginePlanner {
    pub fn new(config: PlannerConfig) -> EnginePlanner {
        EnginePlanner::with_providers(config, BTreeMap::new())
    }

    /// One whose plans ask these providers in the place of plugins.
    pub fn with_providers(
        config: PlannerConfig,
        given: BTreeMap<ProviderAddr, Arc<dyn Provider>>,
    ) -> EnginePlanner {
        EnginePlanner {
            shared: Arc::new(Shared {
                registries: Arc::new(Online(Registries::new(config.variables.clone()))),
                config,
                files: OpenFiles::for_editor(),
                opened: Mutex::default(),
                roots: Mutex::default(),
                callers: Mutex::default(),
                called: Mutex::default(),
                last_shown: Mutex::default(),
                last_modules: Mutex::default(),
                runs: Mutex::default(),
                process_limit: Arc::default(),
                given,
            }),
        }
    }
}

impl Planner for EnginePlanner {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        let shared = self.shared.clone();
        async move {
            let (modules, finding) = shared.modules_of(&job).await;
            let tests = shared.tests(&job.snapshot);
            shared.tell_roots(&job, &modules, &tests, &report);
            let runs = shared.runs().take_on(&shared, &job, &modules, &report);
            // The last root needs no partial update: the final one follows at once.
            let is_alone = runs.len() == 1 && tests.is_empty() && finding.is_none();
            let (mut update, mut has_all) = (PlanUpdate::empty(job.snapshot.revision()), true);
            let mut ends = FuturesUnordered::new();
            for (file, dir) in tests {
                let root = runs.get(&dir).cloned();
                let test = shared
                    .clone()
                    .test_after(root, file, dir, job.snapshot.clone());
                ends.push(test.boxed());
            }
            for (dir, done) in runs {
                ends.push(done.map(|found| (dir, found)).boxed());
            }
            let mut planned = Vec::new();
            while let Some((dir, found)) = ends.next().await {
                let Some(found) = found else {
                    has_all = false;
                    continue;
                };
                let is_partial = modules.partial.contains_key(&dir);
                if is_partial && !shared.is_told_now(update.revision, true) {
                    report.update(PlanUpdate {
                        root: Some((dir.clone(), Stage::Unpublished)),
                        ..PlanUpdate::empty(update.revision)
                    });
                } else if !is_alone {
                    let facts = found.facts.clone();
                    report.update(PlanUpdate {
                        revision: update.revision,
                        facts: shared.with_called(&dir, facts, &modules, &job.snapshot),
                        root: Some((dir.clone(), Stage::Planned)),
                        ..found.clone()
                    });
                }
                update.known.extend(found.known);
                update.checks.extend(found.checks);
                planned.push((dir, found.facts));
            }
            let dirs = planned.iter().map(|(dir, _)| &**dir);
            update.facts = shared.of_called(dirs, false, &modules, &job.snapshot);
            for (_, facts) in planned {
                called::add(&mut update.facts, facts);
            }
            if !shared.had_right_modules(&modules, finding).await {
                report.world_was_read();
            } else if has_all {
                update.is_complete = true;
                report.update(update);
            }
        }
        .boxed()
    }

    fn renamable(&self, place: Selection) -> PlannerFuture<Result<Renamable, Refused>> {
        let shared = self.shared.clone();
        let found = apart(move |_| async move { shared.renamable(place).await });
        refactoring::in_time(found).boxed()
    }

    fn refactor(
        &self,
        place: Selection,
        intent: Intent,
    ) -> PlannerFuture<Result<Refactored, Refused>> {
        let shared = self.shared.clone();
        let made = apart(move |_| async move { shared.refactor(place, intent).await });
        refactoring::in_time(made).boxed()
    }

    fn check(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        let shared = self.shared.clone();
        async move {
            let (modules, finding) = shared.modules_of(&job).await;
            let roots = modules.planned.keys().cloned().map(|dir| {
                let (shared, modules) = (shared.clone(), modules.clone());
                let (job, report) = (job.clone(), report.clone());
                apart(
                    move |_| async move { shared.check_root(&dir, &modules, &job, &report).await },
                )
            });
            join_all(roots).await;
            if !shared.had_right_modules(&modules, finding).await {
                report.world_was_read();
            }
        }
        .boxed()
    }

    fn may_plan(&self, address: &str) -> bool {
        address.parse::<Target>().is_ok()
    }

    fn registry(&self) -> Option<Arc<dyn ide::Registry>> {
        Some(self.shared.registries.clone())
    }

    fn home(&self) -> Option<PathBuf> {
        self.shared.config.variables.home().map(Path::to_owned)
    }

    fn restart(&self) {
        self.shared.runs().stop();
        // Their roots go with them.
        *self.shared.kept_roots() = Roots::default();
    }

    fn init(
        &self,
        snapshot: Snapshot,
        dir: PathBuf,
        with_backend: bool,
    ) -> PlannerFuture<(String, Result<(), String>)> {
        let shared = self.shared.clone();
        async move {
            let (product, variables) = shared.program_of(&dir, snapshot).await;
            let run = move || state::init(product, with_backend, &dir, &variables);
            let result = tokio::task::spawn_blocking(run).await;
            (
                product.init(with_backend),
                result.unwrap_or_else(|error| Err(error.to_string())),
            )
        }
        .boxed()
    }
}

/// The registries as completion asks them.
struct Online(Registries);

impl ide::Registry for Online {
    fn module_versions(&self, default_host: &str, source: &str) -> Vec<String> {
        self.0.module_versions(default_host, source)
    }

    fn provider_versions(&self, addr: &ProviderAddr) -> Vec<String> {
        self.0.provider_versions(addr)
    }

    fn modules(&self, default_host: &str, typed: &str) -> Vec<ide::RegistryModule> {
        let found = self.0.modules(default_host, typed).into_iter();
        let module = |it: provider::RegistryModule| ide::RegistryModule {
            source: it.source,
            version: it.version,
            description: it.description,
        };
        found.map(module).collect()
    }
}

impl Shared {
    fn runs(&self) -> MutexGuard<'_, Runs> {
        self.runs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whose program initializes a folder, and its environment. A folder that is not planned, or is being planned, is read
    /// for that.
    async fn program_of(self: &Arc<Self>, dir: &Path, snapshot: Snapshot) -> (Product, Variables) {
        let opened = self.kept_roots().opened(dir);
        if let Some(root) = opened
            && let Ok(root) = timeout(ASKED_WITHIN, root.lock()).await
            && root.root.choice().is_some()
        {
            return (opening::product(&root.root), root.root.variables().clone());
        }
        let (shared, of) = (self.clone(), dir.to_owned());
        let read = apart(move |_| async move {
            let mut root = shared.new_root(&of, &snapshot);
            let files = shared.open_files(&snapshot);
            shared.load(&mut root, &of, &[], &snapshot, &files).await;
            (opening::product(&root.root), root.root.variables().clone())
        });
        let unread = || (Product::Terraform, self.config.variables.clone());
        read.await.unwrap_or_else(unread)
    }

    /// The root modules of a job. Others are forgotten. Where it takes long to find them, as a text is long, they are those of
    /// the last job, with what finds the new ones: no folder waits for the text of another one.
    async fn modules_of(self: &Arc<Self>, job: &PlanJob) -> (Arc<RootModules>, Option<Finding>) {
        let (shared, snapshot) = (self.clone(), job.snapshot.clone());
        let finding = apart(move |_| async move {
            let files = shared.open_files(&snapshot);
            shared.root_modules(&snapshot, &files)
        });
        let mut finding = finding.map(Option::unwrap_or_default).boxed();
        let last = self.last_modules().clone();
        let modules = match last {
            None => Arc::new(finding.await),
            Some(last) => match timeout(FOUND_WITHIN, &mut finding).await {
                // Runs compare the pointers alone.
                Ok(modules) if modules == *last => last,
                Ok(modules) => Arc::new(modules),
                Err(_) => return (last, Some(finding)),
            },
        };
        self.forget_called(&modules);
        self.kept_roots().forget(&modules);
        *self.last_modules() = Some(modules.clone());
        (modules, None)
    }

    /// Whether a job used the right root modules, although it did not wait for them. If not, the job is repeated.
    async fn had_right_modules(&self, had: &RootModules, finding: Option<Finding>) -> bool {
        let Some(finding) = finding else {
            return true;
        };
        let found = finding.await;
        let is_same = found == *had;
        *self.last_modules() = Some(Arc::new(found));
        is_same
    }

    fn last_modules(&self) -> MutexGuard<'_, Option<Arc<RootModules>>> {
        let last = self.last_modules.lock();
        last.unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports the folders that are planned. A test file is planned by itself, after all.
    fn tell_roots(
        &self,
        job: &PlanJob,
        modules: &RootModules,
        tests: &[(FileId, PathBuf)],
        report: &Arc<dyn PlanSink>,
    ) {
        let mut roots = modules.planned.clone();
        let tests = tests.iter().map(|(file, _)| file);
        roots.extend(tests.map(|file| (PathBuf::from(file.path()), vec![file.clone()])));
        report.began(job.snapshot.revision(), roots);
    }

    /// Reads and checks a root module without planning it.
    async fn check_root(
        &self,
        dir: &Path,
        modules: &RootModules,
        job: &PlanJob,
        report: &Arc<dyn PlanSink>,
    ) {
        let root = self.root(dir, &job.snapshot);
        let mut root = root.lock().await;
        let open = self.open_files(&job.snapshot);
        let files = modules.planned.get(dir).map_or(&[][..], Vec::as_slice);
        self.load(&mut root, dir, files, &job.snapshot, &open).await;
        report.update(self.checked(&mut root, dir, modules, job));
    }

    /// The editor's documents, in front of the disk. All root modules of a job ask for the same.
    fn open_files(&self, snapshot: &Snapshot) -> OpenFiles {
        let mut last = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((of, files)) = &*last
            && of.is_same(snapshot)
        {
            return files.clone();
        }
        let files = snapshot.in_front_of(&self.files);
        *last = Some((snapshot.clone(), files.clone()));
        files
    }

    /// Reads a root module as `files` have it.
    async fn load(
        &self,
        root: &mut OpenRoot,
        dir: &Path,
        open: &[FileId],
        snapshot: &Snapshot,
        files: &OpenFiles,
    ) -> LoadedPaths {
        root.take_trust(dir, snapshot);
        let mut language = language(snapshot.settings());
        if language.asks_machine() {
            language.installed = root.installed(dir).await;
        }
        root.root.set_language(language);
        self.read(root, dir, open, snapshot, files)
    }

    /// The same, in the last chosen language.
    fn read(
        &self,
        root: &mut OpenRoot,
        dir: &Path,
        open: &[FileId],
        snapshot: &Snapshot,
        files: &OpenFiles,
    ) -> LoadedPaths {
        let settings = snapshot.settings();
        let request = PlanningRequest {
            focus: focus::focus(snapshot, dir, root.root.tree()),
            is_saved: open.iter().all(|file| files.is_saved(file.path())),
            may_configure: settings.configure != Configure::Off,
            options: root.options(snapshot.what_if()),
        };
        root.root.set_function_files(Arc::new(files.clone()));
        root.root.set_reach(reach(root.is_trusted, dir, snapshot));
        let recorded = RecordedFiles::new(files);
        root.root.load(&recorded, &request);
        if root
            .world
            .take_state(&mut root.root, self.config.cache_dir.as_deref())
        {
            root.root.load(&recorded, &request);
        }
        for (addr, provider) in &self.given {
            let providers = root.root.providers();
            providers.insert(addr.clone(), provider.clone());
        }
        let providers = root.root.providers();
        providers.limit_calls(settings.provider.max_in_flight);
        providers.limit_processes(settings.provider.max_processes);
        recorded.looked_for()
    }

    #[allow(clippy::too_many_arguments, reason = "it is where all of them meet")]
    async fn plan_root(
        &self,
        root: &mut OpenRoot,
        dir: &Path,
        open: &[FileId],
        modules: &RootModules,
        job: &PlanJob,
        cancel: &Cancel,
        asks: &mut PublishRequests,
        report: &RunReport,
    ) -> Option<PlanUpdate> {
        let snapshot = &job.snapshot;
        let files = self.open_files(snapshot);
        let is_saved = open.iter().all(|file| files.is_saved(file.path()));
        root.take_trust(dir, snapshot);
        let may_read = is_saved && root.is_trusted;
        root.shown_modules = modules.partial.get(dir).cloned();
        root.world.wish(job.reason, snapshot.settings(), may_read);
        if job.reason == PlanTrigger::Command {
            root.root.configure_again();
        }
        let language = language(snapshot.settings());
        if language.asks_machine() && root.ask_programs(dir) {
            // Declarations can be completed before the programs have answered, which may take half a second.
            root.root.set_language(language);
            self.read(root, dir, open, snapshot, &files);
            report.update(
                dir,
                Stage::Begun,
                self.unplanned(root, dir, modules, snapshot),
            );
        }
        let functions_read = root.root.functions_read();
        functions_read.store(false, Ordering::Relaxed);
        let looked_for = self.load(root, dir, open, snapshot, &files).await;
        report.is_loaded(looked_for, functions_read);
        if may_read {
            let cache_dir = self.config.cache_dir.clone();
            root.world.pull_state(&root.root, cache_dir, &report.report);
        }
        // Declarations, and errors that need no plan, are known before the plan.
        let checked = self.checked(root, dir, modules, job);
        let schemas = root.plan.schemas.clone();
        report.update(dir, Stage::Begun, checked);
        if !is_read(root, snapshot) {
            return Some(self.checked(root, dir, modules, job));
        }
        let module = root.root.module().cloned().unwrap_or_default();
        let tree = root.root.tree().cloned().unwrap_or_default();
        let settings = snapshot.settings();
        let mut made_from = root.made_from(snapshot);
        let starting = starting(root, &module, &tree, snapshot.approved());
        let mut progress = (!starting.is_empty()).then(|| report.starting(&list(&starting)));
        let _reading = root.world.show_reading(&report.report);
        if !starting.is_empty() && !is_saved && !root.is_configured {
            // A provider gets saved text alone. So the saved text is planned first.
            let saved = self.files.with_documents(Default::default());
            self.load(root, dir, open, snapshot, &saved).await;
            root.root.plan_until(cancel, asks, &mut |_| {}).await?;
            root.is_configured = true;
            self.load(root, dir, open, snapshot, &files).await;
        }
        let mut update = |plan: Plan, made_from: &mut ShownInputs| {
            root.plan = Arc::new(plan);
            let is_open = |module: &str| modules.of.contains_key(Path::new(module));
            let of_called = ide::facts_of_called(&root.plan, &tree, settings, is_open);
            self.tell_called(dir, snapshot.revision(), of_called);
            let facts = match root.shown_modules.is_none() {
                true => facts_of_root(&root.plan, &tree, settings, &mut root.facts),
                // Nothing of its own files is planned.
                false => Facts::new(),
            };
            made_from.removed = root.facts.removed();
            let is_shown = root.shown_modules.is_none();
            made_from.numbers = is_shown.then(|| root.facts.numbers());
            PlanUpdate {
                facts,
                known: self.known(&root.plan, &tree, dir, made_from, modules, snapshot),
                ..PlanUpdate::empty(snapshot.revision())
            }
        };
        let root_is_partial = modules.partial.contains_key(dir);
        let publish = &mut |plan: Plan| {
            if starting.iter().all(|it| plan.schemas.contains_key(it)) {
                progress = None;
            }
            let update = update(plan, &mut made_from);
            if root_is_partial && !self.is_told_now(snapshot.revision(), false) {
                return;
            }
            let facts = self.with_called(dir, update.facts, modules, snapshot);
            report.update(dir, Stage::Shown, PlanUpdate { facts, ..update });
        };
        let plan = root.root.plan_until(cancel, asks, publish).await?;
        root.is_warm = true;
        root.world.is_read();
        let needed = needed(&mut root.root);
        if needed != Untrusted::default() {
            report.report.trust_needed(dir.to_owned(), needed);
        }
        tracing::debug!(stats = ?root.root.engine().stats(), "planned");
        made_from.read = root.world.ages();
        let mut update = update(plan, &mut made_from);
        let is_same = |(a, b): (_, _)| Arc::ptr_eq(a, b);
        let has_more = !schemas.keys().eq(root.plan.schemas.keys())
            || !schemas
                .values()
                .zip(root.plan.schemas.values())
                .all(is_same);
        if has_more {
            update.checks = self.checked(root, dir, modules, job).checks;
        }
        Some(update)
    }

    /// The declarations of a root module, without a plan of it.
    fn unplanned(
        &self,
        root: &mut OpenRoot,
        dir: &Path,
        modules: &RootModules,
        snapshot: &Snapshot,
    ) -> PlanUpdate {
        // Facts from before the plan's request are known to that plan.
        if !root.is_warm {
            Arc::make_mut(&mut root.plan).schemas = root.root.schemas_at_hand();
        }
        root.find_substitutes();
        let made_from = root.made_from(snapshot);
        let tree = root.root.tree().cloned().unwrap_or_default();
        PlanUpdate {
            known: self.known(&root.plan, &tree, dir, &made_from, modules, snapshot),
            ..PlanUpdate::empty(snapshot.revision())
        }
    }

    /// The same, with its errors.
    fn checked(
        &self,
        root: &mut OpenRoot,
        dir: &Path,
        modules: &RootModules,
        job: &PlanJob,
    ) -> PlanUpdate {
        let snapshot = &job.snapshot;
        let unplanned = self.unplanned(root, dir, modules, snapshot);
        let tree = root.root.tree().cloned().unwrap_or_default();
        let open = open_in(&tree, snapshot);
        let open: Vec<FileId> = open.map(|(file, _)| file.clone()).collect();
        let checked = Checked {
            tree: &tree,
            problems: &root.root.problems(),
            schemas: &root.plan.schemas,
            substitutes: &root.locked_substitutes,
            functions: root.root.functions(),
            open: &open,
            variable_files: &variable_files(snapshot, dir, &self.open_files(snapshot)),
        };
        let checks = Arc::new(ide::check(&checked, &mut root.checks));
        PlanUpdate {
            checks: ChecksOfRoots::from([(dir.to_owned(), checks)]),
            ..unplanned
        }
    }

    /// The root modules to plan: those with a file open, and instead of a called module those that call it.
    fn root_modules(&self, snapshot: &Snapshot, files: &OpenFiles) -> RootModules {
        let open = open_folders(snapshot, files);
        let data_dir = self.config.variables.text("TF_DATA_DIR");
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        callers.root_modules(&open, files, snapshot, data_dir)
    }
}

/// Where the functions of a root module may look: in a folder that is not trusted only in those that the editor has open,
/// and in a repository inside of one of these, or a module outside of them, only there.
fn reach(is_trusted: bool, dir: &Path, snapshot: &Snapshot) -> Reach {
    if snapshot.is_confined() {
        return within(dir, snapshot).confined();
    }
    match is_trusted {
        true => Reach::Everywhere,
        false => within(dir, snapshot),
    }
}

fn within(dir: &Path, snapshot: &Snapshot) -> Reach {
    let place = snapshot.trust_folder(dir).path;
    let open = snapshot.folders();
    match open.iter().any(|folder| canonical(folder) == place) {
        true => Reach::within(open.iter().map(PathBuf::as_path)),
        false => Reach::within([dir, &*place]),
    }
}

/// Whether all open files of a root module, and of those that it calls, are read: where one is too long, nothing is
/// said about the effect of the others.
fn is_read(root: &OpenRoot, snapshot: &Snapshot) -> bool {
    let mut trees = root.root.tree().into_iter();
    trees.all(|tree| !open_in(tree, snapshot).any(|(_, file)| file.is_too_long()))
}

/// The open files in the folders of these modules.
fn open_in<'a>(
    tree: &'a ModuleTree,
    snapshot: &'a Snapshot,
) -> impl Iterator<Item = (&'a FileId, &'a Arc<SourceFile>)> {
    let folders = tree.iter().map(|(_, it)| Path::new(it.dir.as_str()));
    let folders: BTreeSet<&Path> = folders.collect();
    folders.into_iter().flat_map(|dir| {
        let files = snapshot.files_below(dir);
        files.filter(move |(file, _)| Path::new(file.path()).parent() == Some(dir))
    })
}

/// As far as the user has chosen it.
fn language(settings: &Settings) -> LanguageChoice {
    let (product, version) = settings.language.chosen();
    LanguageChoice {
        product,
        version,
        installed: Vec::new(),
    }
}

/// The open files with values for the variables of the module in `dir`.
fn variable_files(
    snapshot: &Snapshot,
    dir: &Path,
    files: &OpenFiles,
) -> Vec<(FileId, syntax::File)> {
    let open = snapshot.files_below(dir);
    let open = open.filter(|(file, _)| is_variable_file(file) && folder(file, files) == Some(dir));
    open.filter_map(|(file, source)| Some((file.clone(), source.hcl()?.clone())))
        .collect()
}

/// The plugins that a plan may have to start.
fn starting(
    root: &OpenRoot,
    module: &Arc<Module>,
    tree: &ModuleTree,
    approved: &Approved,
) -> BTreeSet<ProviderAddr> {
    match (root.is_warm, &root.shown_modules) {
        (true, _) => BTreeSet::new(),
        (false, None) => plugins([module], approved),
        (false, Some(shown)) => {
            let shown = tree.iter().filter(|(_, it)| shown.contains(&*it.dir));
            plugins(shown.map(|(_, it)| &it.module), approved)
        }
    }
}

/// The providers, beside the builtin one, that the resources of modules need and that may start.
fn plugins<'a>(
    modules: impl IntoIterator<Item = &'a Arc<Module>>,
    approved: &Approved,
) -> BTreeSet<ProviderAddr> {
    let addrs = modules.into_iter().flat_map(|module| {
        let resources = module.resources.values();
        resources.map(|resource| module.provider_of(resource).0)
    });
    addrs
        .filter(|addr| !addr.is_builtin() && approved.names(addr))
        .collect()
}

/// The first few, and how many more there are.
fn list(providers: &BTreeSet<ProviderAddr>) -> String {
    const NAMED: usize = 4;
    let count = providers.len();
    let names = providers.iter().map(ProviderAddr::for_display);
    let mut named: Vec<String> = names.take(NAMED).collect();
    if count > NAMED {
        named.push(format!("{} more", count - NAMED));
    }
    named.join(", ")
}

/// The folders of modules that have a file open, with those files. An unsaved document without a file is part of no module.
fn open_folders(snapshot: &Snapshot, files: &OpenFiles) -> BTreeMap<PathBuf, Vec<FileId>> {
    let mut roots: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
    for (file, _) in snapshot.files() {
        let role = FileRole::of(file.name());
        let is_of_module =
            file.scheme().is_none() && !matches!(role, FileRole::Lock | FileRole::Other);
        if let Some(dir) = folder(file, files).filter(|_| is_of_module) {
            roots.entry(dir.to_owned()).or_default().push(file.clone());
        }
    }
    roots
}

/// The folder of the module that a file belongs to: its own, but of values for variables and of tests the nearest
/// above that has a module.
fn folder<'a>(file: &'a FileId, files: &OpenFiles) -> Option<&'a Path> {
    let own = Path::new(file.path()).parent()?;
    let mut above = own.ancestors().take(ide::FOLDERS_ABOVE);
    let is_beside = FileRole::of(file.name()) != FileRole::Module;
    let module = is_beside.then(|| above.find(|dir| has_module(dir, files)));
    Some(module.flatten().unwrap_or(own))
}

fn is_variable_file(file: &FileId) -> bool {
    FileRole::of(file.name()) == FileRole::Values
}

fn has_module(dir: &Path, files: &OpenFiles) -> bool {
    let names = dir
        .to_str()
        .and_then(|dir| config::Files::list(files, dir).ok());
    names.is_some_and(|names| names.iter().any(|it| callers::is_of_module(it)))
}

/// The approvals that only the user can give.
fn needed(root: &mut plan::Root) -> Untrusted {
    Untrusted {
        packages: root.providers().refused(),
        configured: root.awaiting_trust(),
        reads_outside: root.was_out_of_reach(),
        places: BTreeMap::new(),
    }
}
