//! One job at a time, of the newest texts; a plan of each root module in it.

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use ide::{PlanJob, PlanReason, PlanUpdate, Revision, Stage};
use refactor::Name;
use serde_json::Value;
use text::FileId;

use crate::client::Question;
use crate::event::{Event, Events};
use crate::progress::Progress;
use crate::refactoring::{Place, Refactored, Refused};
use crate::state::{State, Work};
use crate::trust::Untrusted;

/// Makes plans. The main loop runs one plan at a time, and drops it as soon as a newer one is wanted.
pub trait Planner: Send + Sync + 'static {
    /// Plans `job.snapshot` and reports what it finds as it finds it, at last with a complete update. The future
    /// may be dropped wherever it waits.
    fn plan(&self, job: PlanJob, report: Report) -> BoxFuture<'static, ()>;

    /// The name at a place, if it can be changed.
    fn renamable(&self, _place: Place) -> BoxFuture<'static, Result<Name, Refused>> {
        std::future::ready(Err(Refused::unplanned())).boxed()
    }

    /// Makes a refactoring at a place, and plans what comes of it.
    fn refactor(
        &self,
        _place: Place,
        _kind: refactor::Kind,
    ) -> BoxFuture<'static, Result<Refactored, Refused>> {
        std::future::ready(Err(Refused::unplanned())).boxed()
    }

    /// Checks `job.snapshot` without planning it: what is done while planning is paused.
    fn check(&self, _job: PlanJob, _report: Report) -> BoxFuture<'static, ()> {
        std::future::ready(()).boxed()
    }

    /// The user's home, which settings may write as `~`.
    fn home(&self) -> Option<PathBuf> {
        None
    }

    /// Ends all plugins; the next plan starts those that it needs.
    fn restart(&self) {}

    /// Runs `terraform init`, or that of OpenTofu, in the folder of a root module. Answers with the command and, if it
    /// failed, with what it said.
    fn init(&self, _dir: PathBuf) -> BoxFuture<'static, (&'static str, Result<(), String>)> {
        let answer = ("terraform init", Err("nothing is planned here".to_string()));
        std::future::ready(answer).boxed()
    }
}

/// Plans nothing.
pub struct NoPlanner;

impl Planner for NoPlanner {
    fn plan(&self, job: PlanJob, report: Report) -> BoxFuture<'static, ()> {
        let revision = job.snapshot.revision();
        report.update(PlanUpdate {
            revision,
            facts: Default::default(),
            known: Default::default(),
            checks: Default::default(),
            root: None,
            is_complete: true,
        });
        std::future::ready(()).boxed()
    }
}

/// The way of a plan's results into the main loop. Nothing here waits.
#[derive(Clone)]
pub struct Report {
    events: Events,
}

impl Report {
    /// What is planned, by the folders of root modules, with their open files. From here on the planner sees to it that
    /// what a dropped plan was to do is done by the next one.
    pub fn began(&self, revision: Revision, roots: BTreeMap<PathBuf, Vec<FileId>>) {
        self.events.send(Event::PlanBegan { revision, roots });
    }

    pub fn update(&self, update: PlanUpdate) {
        self.events.send(Event::Planned { update });
    }

    /// Something was read that the next plan is made from.
    pub fn world_was_read(&self) {
        self.events.send(Event::WorldRead);
    }

    /// The root module in `dir` needs something that only the user can give.
    pub fn trust_needed(&self, dir: PathBuf, needed: Untrusted) {
        self.events.send(Event::TrustNeeded { dir, needed });
    }

    /// Shows that something takes its time, until the answer is dropped.
    pub fn progress(&self, title: &str) -> Progress {
        Progress::begin(self.events.clone(), title)
    }
}

#[derive(Default)]
pub(crate) struct Planning {
    running: Option<Running>,
    /// Since the last refresh, something that is shown has changed.
    pub(crate) wants_refresh: bool,
}

struct Running {
    revision: Revision,
    reason: PlanReason,
    /// Once it is known what is planned.
    roots: Option<BTreeMap<PathBuf, RunningRoot>>,
    /// It said that nothing more comes.
    is_complete: bool,
    _work: Work,
}

struct RunningRoot {
    /// Those that are open.
    files: Vec<FileId>,
    stage: Stage,
}

impl Running {
    /// Whether a plan of what is in `file` has not come as far as `stage`.
    fn awaits(&self, file: &FileId, stage: Stage) -> bool {
        let is_behind = |root: &RunningRoot| root.files.contains(file) && root.stage < stage;
        let roots = self.roots.as_ref();
        !self.is_complete && roots.is_none_or(|roots| roots.values().any(is_behind))
    }
}

/// Tells the log when a plan is dropped before its end.
struct DroppedPlan(Option<Revision>);

impl Drop for DroppedPlan {
    fn drop(&mut self) {
        if let Some(revision) = self.0 {
            tracing::debug!(?revision, "plan dropped");
        }
    }
}

impl State {
    /// Whether the plan of the current texts is still to come.
    pub(crate) fn awaits_plan(&self) -> bool {
        let is_running = self
            .planning
            .running
            .as_ref()
            .is_some_and(|running| !running.is_complete);
        self.workspace.needs_plan() || is_running
    }

    /// Whether the plan of a document has not come as far as `stage`, of its current text. Nothing is awaited of one that
    /// takes long: what is known of it is shown.
    pub(crate) fn awaits_plan_of(&self, file: &FileId, stage: Stage) -> bool {
        let running = self.planning.running.as_ref();
        let awaited = stage.min(Stage::Waiting);
        self.workspace.needs_plan() || running.is_some_and(|it| it.awaits(file, awaited))
    }

    /// Whether it is still to come what is wrong in the current text of a document.
    pub(crate) fn awaits_checks_of(&self, file: &FileId) -> bool {
        self.awaits_checks() && self.awaits_plan_of(file, Stage::Waiting)
    }

    /// Whether it is still to come what is wrong in the current texts.
    pub(crate) fn awaits_checks(&self) -> bool {
        (self.awaits_plan() || self.workspace.needs_check() || self.planning.running.is_some())
            && !self.snapshot().is_checked()
    }

    /// Starts a plan if something changed since the last was started; that one is dropped. While planning is paused,
    /// the texts are only checked.
    pub(crate) fn start_plan(&mut self) {
        let is_paused = self.snapshot().settings().paused;
        if !self.workspace.needs_plan() && !self.workspace.needs_check() {
            if is_paused && self.awaits_plan() {
                self.stop_planning();
            }
            return;
        }
        self.stop_planning();
        let Some(job) = self.workspace.plan_job() else {
            return;
        };
        let (revision, reason) = (job.snapshot.revision(), job.reason);
        tracing::debug!(?revision, ?reason, "plan starts");
        let events = self.events.clone();
        let report = Report {
            events: events.clone(),
        };
        let plan = match is_paused {
            true => self.options.planner.check(job, report),
            false => self.options.planner.plan(job, report),
        };
        let work = Work::spawn(async move {
            let mut running = DroppedPlan(Some(revision));
            if AssertUnwindSafe(plan).catch_unwind().await.is_err() {
                tracing::error!(?revision, "the plan failed");
            }
            running.0 = None;
            events.send(Event::PlanEnded { revision });
        });
        self.planning.running = Some(Running {
            revision,
            reason,
            roots: None,
            is_complete: is_paused,
            _work: work,
        });
    }

    pub(crate) fn stop_planning(&mut self) {
        if let Some(superseded) = self.planning.running.take()
            && !superseded.is_complete
        {
            tracing::debug!(revision = ?superseded.revision, "plan superseded");
            self.workspace.superseded(superseded.reason);
        }
    }

    pub(crate) fn plan_began(&mut self, revision: Revision, roots: BTreeMap<PathBuf, Vec<FileId>>) {
        let running = self.planning.running.as_mut();
        if let Some(running) = running.filter(|running| running.revision == revision) {
            running.reason = PlanReason::Edit;
            let begun = |(dir, files)| {
                let stage = Stage::Begun;
                (dir, RunningRoot { files, stage })
            };
            running.roots = Some(roots.into_iter().map(begun).collect());
        }
    }

    pub(crate) fn planned(&mut self, update: PlanUpdate) {
        if let Some(running) = &mut self.planning.running
            && running.revision == update.revision
        {
            running.is_complete |= update.is_complete;
            if let Some((root, stage)) = &update.root
                && let Some(roots) = &mut running.roots
                && let Some(root) = roots.get_mut(root)
            {
                root.stage = root.stage.max(*stage);
            }
        }
        if self.workspace.apply_plan(update) {
            self.something_shown_changed();
        }
    }

    pub(crate) fn plan_ended(&mut self, revision: Revision) {
        if self
            .planning
            .running
            .as_ref()
            .is_some_and(|running| running.revision == revision)
        {
            self.planning.running = None;
        }
    }

    /// What is shown in any document may have changed, though its text has not.
    pub(crate) fn something_shown_changed(&mut self) {
        self.planning.wants_refresh = true;
        for file in self.documents.keys() {
            self.publisher.look_at(file.clone());
        }
        for file in self.workspace.snapshot().closed_files_with_diagnostics() {
            self.publisher.look_at(file.clone());
        }
        self.publisher.look_again();
    }

    /// Has the client ask again for what it cannot know to have changed.
    pub(crate) fn send_refreshes(&mut self) {
        if self.client.is_behind() || !std::mem::take(&mut self.planning.wants_refresh) {
            return;
        }
        let mut refresh = |method| {
            self.client
                .ask(method, Value::Null, Question::Courtesy(method))
        };
        if self.capabilities.refreshes_inlay_hints {
            refresh("workspace/inlayHint/refresh");
        }
        if self.capabilities.pulls_diagnostics {
            refresh("workspace/diagnostic/refresh");
        }
        if self.capabilities.refreshes_code_lenses {
            refresh("workspace/codeLens/refresh");
        }
        self.refresh_plan_documents();
    }
}
