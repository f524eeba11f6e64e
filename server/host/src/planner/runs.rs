//! The plans in the making. Each root module is planned in a thread of its own, so none holds up another, and goes on while
//! newer texts leave it alone.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use config::{FileVersion, Files};
use cty::budget::Cancel;
use disk::Limit;
use futures_util::future::{BoxFuture, Shared as SharedFuture};
use futures_util::{FutureExt, stream};
use ide::{PlanJob, PlanSink, PlanTrigger, PlanUpdate, Progress, Revision, Snapshot, Stage};
use plan::{OpenFiles, PublishRequest, PublishRequests};
use text::FileId;
use tokio::sync::{Semaphore, mpsc, oneshot};
use tokio::task::JoinSet;
use tokio::time::sleep;

use super::Shared;
use super::callers::RootModules;
use super::roots::SharedRoot;
use crate::apart::apart;

/// How long a plan keeps its turn, so that visible text is planned before the rest: most edits take a tenth of it.
const TURN: Duration = Duration::from_millis(50);

/// When the planned part is shown, although more is to come: soon enough that a value in a tree of modules follows the typing,
/// and again when most of it is planned.
const SHOWN_AFTER: [Duration; 2] = [Duration::from_millis(25), Duration::from_millis(100)];

/// How often it is shown after that, if much more is planned by then: a small provider is up before a large one.
const LOOKED_EACH: Duration = Duration::from_millis(25);

/// When the provider that a block waits for is named.
const NAMED_AFTER: Duration = Duration::from_secs(1);

/// How long a plan may take to name its obstacle before requests are answered without that: it may be evaluating.
const SAYING: Duration = Duration::from_millis(100);

/// The plans in the making, by the folders of their root modules.
pub(super) struct Runs {
    running: BTreeMap<PathBuf, Run>,
    /// One for each processor.
    turns: Arc<Semaphore>,
}

/// The plan of a root module in the making. Dropped, it is cancelled.
struct Run {
    root: SharedRoot,
    /// The newest that it is the plan of.
    job: PlanJob,
    modules: Arc<RootModules>,
    watch: Arc<Watch>,
    done: Done,
    _work: JoinSet<()>,
}

/// The result; `None` if the plan failed.
pub(super) type Done = SharedFuture<BoxFuture<'static, Option<PlanUpdate>>>;

/// A run in progress.
struct Watch {
    revision: Mutex<Revision>,
    stage: Mutex<Stage>,
    /// Set when the root module is loaded.
    looked_for: OnceLock<LoadedPaths>,
    /// Whether functions read files, once that is known.
    functions_read: OnceLock<Arc<AtomicBool>>,
    /// Texts changed that it did not have to look for.
    was_followed: AtomicBool,
    is_starting: AtomicBool,
}

/// The files and folders that a root module is loaded from, whether or not they exist.
#[derive(Default)]
pub(super) struct LoadedPaths {
    files: HashSet<String>,
    folders: HashSet<String>,
}

/// The way of a run's results into the main loop.
#[derive(Clone)]
pub(super) struct RunReport {
    pub(super) report: Arc<dyn PlanSink>,
    watch: Arc<Watch>,
    together: Option<Arc<Together>>,
}

/// The shared progress message of several runs of a job, until the last of them ends.
struct Together {
    count: usize,
    progress: OnceLock<Progress>,
}

impl Default for Runs {
    fn default() -> Runs {
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Runs {
            running: BTreeMap::new(),
            turns: Arc::new(Semaphore::new(processors.max(2))),
        }
    }
}

impl Runs {
    /// Plans the root modules of a job. Those that the editor shows begin first, and of these the ones that were planned last:
    /// where there are more root modules than plugin processes, theirs still run. Plans that newer texts leave alone go on, and
    /// the others are cancelled.
    pub(super) fn take_on(
        &mut self,
        shared: &Arc<Shared>,
        job: &PlanJob,
        modules: &Arc<RootModules>,
        report: &Arc<dyn PlanSink>,
    ) -> BTreeMap<PathBuf, Done> {
        let mut before = std::mem::take(&mut self.running);
        let shown = job.snapshot.shown();
        let mut roots: Vec<_> = modules.planned.keys().collect();
        {
            let called = shared.called.lock().unwrap_or_else(PoisonError::into_inner);
            roots.sort_by_key(|root| {
                let mut files = modules.planned[*root].iter();
                let is_shown = files.any(|it| shown.contains_key(it));
                let planned_at = called.get(*root).map(|it| it.planned_at);
                (!is_shown, Reverse(planned_at))
            });
        }
        let together = (roots.len() > 1).then(|| {
            Arc::new(Together {
                count: roots.len(),
                progress: OnceLock::new(),
            })
        });
        let mut edits = Edits::of(job);
        for dir in roots {
            let root = shared.root(dir, &job.snapshot);
            let run = match before.remove(dir) {
                Some(run) if run.holds_for(&root, &mut edits, modules) => {
                    let stage = *run.watch.stage();
                    report.update(PlanUpdate {
                        root: Some((dir.clone(), stage)),
                        ..PlanUpdate::empty(job.snapshot.revision())
                    });
                    run.followed(job)
                }
                cancelled => {
                    let reason = cancelled.map(|run| run.unfinished_reason());
                    let job = PlanJob {
                        reason: job
                            .reason
                            .max(reason.flatten().unwrap_or(PlanTrigger::Edit)),
                        ..job.clone()
                    };
                    let report = RunReport {
                        report: report.clone(),
                        watch: Arc::new(Watch::new(job.snapshot.revision())),
                        together: together.clone(),
                    };
                    self.begin(shared, dir, root, job, modules, report)
                }
            };
            self.running.insert(dir.clone(), run);
        }
        let done = self.running.iter();
        done.map(|(dir, run)| (dir.clone(), run.done.clone()))
            .collect()
    }

    /// Cancels all.
    pub(super) fn stop(&mut self) {
        self.running.clear();
    }

    fn begin(
        &self,
        shared: &Arc<Shared>,
        dir: &Path,
        root: SharedRoot,
        job: PlanJob,
        modules: &Arc<RootModules>,
        report: RunReport,
    ) -> Run {
        let watch = report.watch.clone();
        let (asks, asked) = mpsc::unbounded_channel();
        let planned = {
            let (shared, dir, root) = (shared.clone(), dir.to_owned(), root.clone());
            let (job, modules, report) = (job.clone(), modules.clone(), report.clone());
            move |cancel: Cancel| async move {
                let mut root = root.lock_owned().await;
                let mut asks = asks_of(asked);
                let open = modules.planned.get(&dir).map_or(&[][..], Vec::as_slice);
                let run = shared.plan_root(
                    &mut root, &dir, open, &modules, &job, &cancel, &mut asks, &report,
                );
                run.await
            }
        };
        let turns = self.turns.clone();
        let (sender, done) = oneshot::channel();
        let folder = dir.to_owned();
        let roots = shared.clone();
        let mut work = JoinSet::new();
        work.spawn(async move {
            let turn = turns.acquire_owned().await;
            let found = watched(planned, turn, asks, &folder, &report).await;
            match &found {
                // Files may have been read that changed meanwhile.
                Some(_) if report.watch.is_outdated() => report.report.world_was_read(),
                Some(_) => {}
                None => {
                    tracing::error!("the plan failed");
                    roots.kept_roots().abandon(&folder);
                }
            }
            // Nobody waits for it any more where a newer one is asked for.
            let _ = sender.send(found);
        });
        Run {
            root,
            job,
            modules: modules.clone(),
            watch,
            done: done.map(|found| found.ok().flatten()).boxed().shared(),
            _work: work,
        }
    }
}

/// A plan in a thread of its own. Where that takes long, `turn` is given to the next one, and partial results are
/// asked for.
async fn watched<T: Send + 'static, F: Future<Output = Option<T>>>(
    planned: impl FnOnce(Cancel) -> F + Send + 'static,
    turn: impl Send,
    asks: mpsc::UnboundedSender<PublishRequest>,
    dir: &Path,
    report: &RunReport,
) -> Option<T> {
    let mut planned = pin!(apart(planned));
    let slow = async {
        let [soon, later] = SHOWN_AFTER;
        // It may be about to end.
        let ask = |ask| {
            if report.report.wants_parts() {
                let _ = asks.send(ask);
            }
        };
        sleep(soon).await;
        ask(PublishRequest::Planned);
        sleep(TURN - soon).await;
        drop(turn);
        sleep(later - TURN).await;
        ask(PublishRequest::Planned);
        let mut elapsed = later;
        while elapsed < NAMED_AFTER {
            sleep(LOOKED_EACH).await;
            elapsed += LOOKED_EACH;
            ask(PublishRequest::MuchMore);
        }
        ask(PublishRequest::Waiting);
        sleep(SAYING).await;
        while report.watch.is_starting.load(Ordering::Relaxed) {
            sleep(SAYING).await;
        }
        report.is_slow(dir);
        std::future::pending().await
    };
    tokio::select! {
        found = &mut planned => found.flatten(),
        never = slow => never,
    }
}

fn asks_of(mut asked: mpsc::UnboundedReceiver<PublishRequest>) -> PublishRequests {
    PublishRequests::from(stream::poll_fn(move |context| asked.poll_recv(context)))
}

/// The documents that a job has changed since the jobs of earlier runs, of which most are of one snapshot.
struct Edits<'a> {
    job: &'a PlanJob,
    since: BTreeMap<Revision, Option<Vec<FileId>>>,
}

impl Edits<'_> {
    fn of(job: &PlanJob) -> Edits<'_> {
        let since = BTreeMap::new();
        Edits { job, since }
    }

    /// `None` if something else changed too.
    fn since(&mut self, earlier: &Snapshot) -> Option<&[FileId]> {
        let edited = || {
            let edited = self.job.snapshot.edited_since(earlier)?;
            Some(edited.into_iter().cloned().collect())
        };
        let since = self.since.entry(earlier.revision());
        since.or_insert_with(edited).as_deref()
    }
}

impl Run {
    /// Whether it is still going on, and would be the same for a newer job.
    fn holds_for(
        &self,
        root: &SharedRoot,
        edits: &mut Edits<'_>,
        modules: &Arc<RootModules>,
    ) -> bool {
        let is_running = self.done.peek().is_none();
        let is_same = is_running
            && edits.job.reason == PlanTrigger::Edit
            && Arc::ptr_eq(&self.root, root)
            && Arc::ptr_eq(&self.modules, modules);
        let may_read = |file: &FileId| self.watch.may_read(file.path());
        is_same
            && edits
                .since(&self.job.snapshot)
                .is_some_and(|edited| !edited.iter().any(may_read))
    }

    fn followed(mut self, job: &PlanJob) -> Run {
        self.job.snapshot = job.snapshot.clone();
        *self.watch.revision() = job.snapshot.revision();
        self.watch.was_followed.store(true, Ordering::Relaxed);
        self
    }

    /// Why it was asked for, if it has not done that.
    fn unfinished_reason(&self) -> Option<PlanTrigger> {
        let is_done = self.done.peek().is_some_and(Option::is_some);
        (!is_done).then_some(self.job.reason)
    }
}

impl Watch {
    fn new(revision: Revision) -> Watch {
        Watch {
            revision: Mutex::new(revision),
            stage: Mutex::new(Stage::Begun),
            looked_for: OnceLock::new(),
            functions_read: OnceLock::new(),
            was_followed: AtomicBool::new(false),
            is_starting: AtomicBool::new(false),
        }
    }

    fn revision(&self) -> std::sync::MutexGuard<'_, Revision> {
        self.revision.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stage(&self) -> std::sync::MutexGuard<'_, Stage> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn functions_have_read(&self) -> bool {
        let noted = self.functions_read.get();
        noted.is_some_and(|noted| noted.load(Ordering::Relaxed))
    }

    fn is_outdated(&self) -> bool {
        self.was_followed.load(Ordering::Relaxed) && self.functions_have_read()
    }

    fn may_read(&self, path: &str) -> bool {
        let Some(looked_for) = self.looked_for.get() else {
            return true;
        };
        let folder = Path::new(path).parent().and_then(Path::to_str);
        self.functions_have_read()
            || looked_for.files.contains(path)
            || folder.is_some_and(|folder| looked_for.folders.contains(folder))
    }
}

impl Together {
    fn show(&self, report: &dyn PlanSink) {
        let title = || format!("Planning {} root modules", self.count);
        self.progress.get_or_init(|| report.progress(&title()));
    }
}

impl RunReport {
    /// Reports a part of the results about the root module in `dir`.
    pub(super) fn update(&self, dir: &Path, stage: Stage, update: PlanUpdate) {
        let reached = stage.max(*self.watch.stage());
        *self.watch.stage() = reached;
        self.report.update(PlanUpdate {
            revision: *self.watch.revision(),
            root: Some((dir.to_owned(), stage)),
            ..update
        });
    }

    /// Nothing comes for a while.
    fn is_slow(&self, dir: &Path) {
        let nothing = PlanUpdate::empty(*self.watch.revision());
        self.update(dir, Stage::Waiting, nothing);
    }

    /// Shows that plugins start, until the answer is dropped.
    pub(super) fn starting(&self, names: &str) -> Starting {
        self.watch.is_starting.store(true, Ordering::Relaxed);
        let progress = match &self.together {
            None => Some(self.report.progress(&format!("Starting {names}"))),
            Some(together) => {
                together.show(&*self.report);
                None
            }
        };
        Starting {
            watch: self.watch.clone(),
            _progress: progress,
        }
    }

    /// The root module is loaded, from these; the flag is set where functions read files.
    pub(super) fn is_loaded(&self, looked_for: LoadedPaths, functions_read: Arc<AtomicBool>) {
        // Where it is loaded more than once, it is from the same files.
        let _ = self.watch.functions_read.set(functions_read);
        let _ = self.watch.looked_for.set(looked_for);
    }
}

/// Files, with a note of which are looked for.
pub(super) struct RecordedFiles<'a> {
    files: &'a OpenFiles,
    looked_for: RefCell<LoadedPaths>,
}

impl<'a> RecordedFiles<'a> {
    pub(super) fn new(files: &'a OpenFiles) -> RecordedFiles<'a> {
        RecordedFiles {
            files,
            looked_for: RefCell::default(),
        }
    }

    pub(super) fn looked_for(self) -> LoadedPaths {
        self.looked_for.into_inner()
    }

    fn file(&self, path: &str) {
        self.looked_for.borrow_mut().files.insert(path.to_owned());
    }

    fn folder(&self, dir: &str) {
        self.looked_for.borrow_mut().folders.insert(dir.to_owned());
    }
}

impl Files for RecordedFiles<'_> {
    fn list(&self, dir: &str) -> io::Result<Vec<String>> {
        self.folder(dir);
        Files::list(self.files, dir)
    }

    fn folders(&self, dir: &str) -> io::Result<Vec<String>> {
        self.folder(dir);
        Files::folders(self.files, dir)
    }

    fn is_link(&self, path: &str) -> bool {
        Files::is_link(self.files, path)
    }

    fn read(&self, path: &str) -> io::Result<Arc<str>> {
        self.file(path);
        Files::read(self.files, path)
    }

    fn version(&self, path: &str) -> io::Result<FileVersion> {
        self.file(path);
        self.files.version(path)
    }

    fn open_state(&self, path: &str) -> io::Result<Box<dyn io::Read>> {
        self.file(path);
        self.files.open_state(path)
    }

    fn parse(&self, path: &str) -> io::Result<syntax::File> {
        self.file(path);
        self.files.parse(path)
    }

    fn limit(&self) -> Limit {
        Files::limit(self.files)
    }

    fn is_open(&self, path: &str) -> bool {
        Files::is_open(self.files, path)
    }
}

/// Plugins start.
pub(super) struct Starting {
    watch: Arc<Watch>,
    _progress: Option<Progress>,
}

impl Drop for Starting {
    fn drop(&mut self) {
        self.watch.is_starting.store(false, Ordering::Relaxed);
    }
}
