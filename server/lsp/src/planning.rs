//! One job at a time, of the newest texts; a plan of each root module in it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{Either, select};
use ide::{PlanSink, PlanTrigger, PlanUpdate, Progress, Revision, Stage, Untrusted};
use serde_json::Value;
use text::FileId;
use tokio::time::{Instant, sleep_until};

use crate::client::Question;
use crate::event::{Event, Events};
use crate::progress;
use crate::state::State;
use crate::work::Work;

/// When a plan shows its progress, counted from the first text that was not planned since.
const SLOW: Duration = Duration::from_secs(2);

/// The way of a plan's results into the main loop.
struct ToLoop(Events);

impl PlanSink for ToLoop {
    fn began(&self, revision: Revision, roots: BTreeMap<PathBuf, Vec<FileId>>) {
        self.0.send(Event::PlanBegan { revision, roots });
    }

    fn update(&self, update: PlanUpdate) {
        self.0.send(Event::Planned { update });
    }

    fn world_was_read(&self) {
        self.0.send(Event::WorldRead);
    }

    fn trust_needed(&self, dir: PathBuf, needed: Untrusted) {
        self.0.send(Event::TrustNeeded { dir, needed });
    }

    fn progress(&self, title: &str) -> Progress {
        progress::begin(&self.0, title)
    }
}

#[derive(Default)]
pub(crate) struct Planning {
    running: Option<Running>,
    /// Root modules of the running plan, or of the last one, that have been planned.
    planned_roots: BTreeSet<PathBuf>,
    /// The start of the first plan that no complete one followed.
    unplanned_since: Option<Instant>,
    /// Shown while that is long ago.
    progress: Option<Progress>,
    /// Since the last refresh, something that is shown has changed.
    pub(crate) wants_refresh: bool,
}

struct Running {
    revision: Revision,
    reason: PlanTrigger,
    /// Once the folders to plan are known.
    roots: Option<BTreeMap<PathBuf, RunningRoot>>,
    /// It said that nothing more comes.
    is_complete: bool,
    _work: Work,
}

struct RunningRoot {
    /// Those that are open.
    files: Vec<FileId>,
    stage: Stage,
    /// Nothing is known of it yet.
    is_first: bool,
}

impl Running {
    /// Whether a plan of the declarations in `file` has not come as far as `stage`. Many root modules may call the module of
    /// `file`: the first plans of all of them are awaited, because a value in some of them would be taken for the value in
    /// all. After that, one new plan is enough to show.
    fn awaits(&self, file: &FileId, stage: Stage) -> bool {
        if self.is_complete {
            return false;
        }
        let Some(roots) = &self.roots else {
            return true;
        };
        let roots = || roots.values().filter(|root| root.files.contains(file));
        let are_many = roots().nth(1).is_some();
        match stage {
            Stage::Shown if are_many && roots().any(|root| root.is_first) => {
                roots().any(|root| root.stage < Stage::Waiting)
            }
            Stage::Shown => roots().next().is_some() && roots().all(|root| root.stage < stage),
            _ => roots().any(|root| root.stage < stage),
        }
    }
}

impl Planning {
    /// Nothing is planned, and nothing waits for a plan.
    fn end(&mut self) {
        self.running = None;
        self.unplanned_since = None;
        self.progress = None;
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
    /// takes long: the known part of it is shown.
    pub(crate) fn awaits_plan_of(&self, file: &FileId, stage: Stage) -> bool {
        let running = self.planning.running.as_ref();
        let awaited = stage.min(Stage::Unpublished);
        self.workspace.needs_plan() || running.is_some_and(|it| it.awaits(file, awaited))
    }

    /// Whether the diagnostics of the current text of a document are still to come.
    pub(crate) fn awaits_checks_of(&self, file: &FileId) -> bool {
        self.awaits_checks() && self.awaits_plan_of(file, Stage::Waiting)
    }

    /// Whether the diagnostics of the current texts are still to come.
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
                self.planning.end();
            }
            return;
        }
        self.stop_planning();
        let Some(job) = self.workspace.plan_job() else {
            return self.planning.end();
        };
        let (revision, reason) = (job.snapshot.revision(), job.reason);
        tracing::debug!(?revision, ?reason, "plan starts");
        let events = self.events.clone();
        let report = Arc::new(ToLoop(events.clone()));
        let plan = match is_paused {
            true => self.options.planner.check(job, report),
            false => self.options.planner.plan(job, report),
        };
        let since = *self
            .planning
            .unplanned_since
            .get_or_insert_with(Instant::now);
        let work = Work::spawn(async move {
            let mut running = DroppedPlan(Some(revision));
            let plan = AssertUnwindSafe(plan).catch_unwind();
            let slow = pin!(sleep_until(since + SLOW));
            let planned = match select(plan, slow).await {
                Either::Left((planned, _)) => planned,
                Either::Right((_, plan)) => {
                    events.send(Event::PlanIsSlow);
                    plan.await
                }
            };
            if planned.is_err() {
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
        let planned_before = &mut self.planning.planned_roots;
        let running = self.planning.running.as_mut();
        if let Some(running) = running.filter(|running| running.revision == revision) {
            running.reason = PlanTrigger::Edit;
            planned_before.retain(|dir| roots.contains_key(dir));
            let begun = |(dir, files): (PathBuf, _)| {
                let root = RunningRoot {
                    files,
                    stage: Stage::Begun,
                    is_first: !planned_before.contains(&dir),
                };
                (dir, root)
            };
            running.roots = Some(roots.into_iter().map(begun).collect());
        }
    }

    pub(crate) fn planned(&mut self, update: PlanUpdate) {
        if let Some(running) = &mut self.planning.running
            && running.revision == update.revision
        {
            running.is_complete |= update.is_complete;
            if let Some((dir, stage)) = &update.root
                && let Some(roots) = &mut running.roots
                && let Some(root) = roots.get_mut(dir)
            {
                root.stage = root.stage.max(*stage);
                if root.stage >= Stage::Unpublished {
                    self.planning.planned_roots.insert(dir.clone());
                }
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
            self.planning.end();
        }
    }

    pub(crate) fn plan_is_slow(&mut self) {
        if self.planning.running.is_some() && self.planning.progress.is_none() {
            self.planning.progress = Some(progress::begin(&self.events, "Planning"));
        }
    }

    /// The facts in any document may have changed, though its text has not.
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

    /// Has the client ask again for everything that it cannot know to have changed.
    pub(crate) fn send_refreshes(&mut self) {
        if self.client.is_behind() || !std::mem::take(&mut self.planning.wants_refresh) {
            return;
        }
        let mut refresh = |method| self.client.ask(method, Value::Null, Question::Courtesy);
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
