//! Several planners as one: each plans its files, and a complete update names everything that all planned. A folder with files
//! of several planners is one to everybody else.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use futures_util::future::join_all;
use text::FileId;

use crate::joined_folder;
use crate::{
    Checks, ChecksOfRoots, Facts, Features, Folders, Intent, Language, PlanJob, PlanSink,
    PlanUpdate, Planner, PlannerFuture, Progress, Refactored, Refused, Registry, Renamable,
    Revision, Selection, Snapshot, Stage, Untrusted,
};

/// Planners; the first that takes a file plans it, and the last plans the rest.
pub struct Planners {
    all: Vec<Arc<dyn Planner>>,
    /// By which the files of the last job are planned.
    chosen: Mutex<BTreeMap<FileId, usize>>,
    /// By planner.
    known: Arc<Mutex<Vec<Known>>>,
}

/// The last reports of a planner about its folders, perhaps from an earlier job.
#[derive(Clone, Default)]
struct Known {
    folders: Folders,
    checks: ChecksOfRoots,
}

impl Planners {
    pub fn new(all: Vec<Arc<dyn Planner>>) -> Planners {
        Planners {
            known: Arc::new(Mutex::new(vec![Known::default(); all.len()])),
            all,
            chosen: Mutex::default(),
        }
    }

    /// Of each planner, the snapshot with its files alone.
    fn shares(&self, snapshot: &Snapshot) -> Vec<Snapshot> {
        let choose = |file: &FileId| {
            let mut all = self.all.iter();
            let takes = all.position(|it| it.takes(file, snapshot));
            takes.unwrap_or(self.all.len().saturating_sub(1))
        };
        let files = snapshot.files();
        let chosen = files.map(|(file, _)| (file.clone(), choose(file)));
        let chosen: BTreeMap<FileId, usize> = chosen.collect();
        let shares = (0..self.all.len())
            .map(|planner| snapshot.with_files_of(|file| chosen.get(file) == Some(&planner)));
        let shares = shares.collect();
        *locked(&self.chosen) = chosen;
        shares
    }

    /// The planner that has all open files, and had those of the job before: the others have nothing to do or to forget.
    fn alone(&self, snapshot: &Snapshot) -> Option<&Arc<dyn Planner>> {
        if let [alone] = self.all.as_slice() {
            return Some(alone);
        }
        let before: BTreeSet<usize> = locked(&self.chosen).values().copied().collect();
        self.shares(snapshot);
        let now = locked(&self.chosen).values().copied().collect();
        let all: Vec<usize> = before.union(&now).copied().collect();
        match all.as_slice() {
            [alone] => self.all.get(*alone),
            _ => None,
        }
    }

    /// The planner of a place, with its part of the snapshot.
    fn of_place(&self, mut place: Selection) -> Option<(&Arc<dyn Planner>, Selection)> {
        let shares = self.shares(&place.snapshot).into_iter();
        let mut shares = self.all.iter().zip(shares);
        let (planner, snapshot) = shares.find(|(_, share)| share.file(&place.file).is_some())?;
        place.snapshot = snapshot;
        Some((planner, place))
    }

    /// Lets each planner do its part, and reports the results as one plan.
    fn each(
        &self,
        job: PlanJob,
        report: &Arc<dyn PlanSink>,
        run: fn(&dyn Planner, PlanJob, Arc<dyn PlanSink>) -> PlannerFuture<()>,
    ) -> PlannerFuture<()> {
        let shares = self.shares(&job.snapshot);
        let joint = Arc::new(Joint {
            report: report.clone(),
            parts: Mutex::new(vec![PartState::default(); self.all.len()]),
            known: self.known.clone(),
        });
        let runs = self.all.iter().zip(shares).enumerate();
        let runs = runs.map(|(part, (planner, snapshot))| {
            let reason = job.reason;
            let joint = joint.clone();
            run(
                &**planner,
                PlanJob { snapshot, reason },
                Arc::new(PlannerResults { part, joint }),
            )
        });
        let runs: Vec<PlannerFuture<()>> = runs.collect();
        Box::pin(async move {
            join_all(runs).await;
        })
    }
}

impl Planner for Planners {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        match self.alone(&job.snapshot) {
            Some(alone) => alone.plan(job, report),
            None => self.each(job, &report, |planner, job, report| {
                planner.plan(job, report)
            }),
        }
    }

    fn takes(&self, file: &FileId, snapshot: &Snapshot) -> bool {
        self.all.iter().any(|it| it.takes(file, snapshot))
    }

    fn renamable(&self, place: Selection) -> PlannerFuture<Result<Renamable, Refused>> {
        match self.of_place(place) {
            Some((planner, place)) => planner.renamable(place),
            None => Box::pin(std::future::ready(Err(Refused::unplanned()))),
        }
    }

    fn refactor(
        &self,
        place: Selection,
        intent: Intent,
    ) -> PlannerFuture<Result<Refactored, Refused>> {
        match self.of_place(place) {
            Some((planner, place)) => planner.refactor(place, intent),
            None => Box::pin(std::future::ready(Err(Refused::unplanned()))),
        }
    }

    fn check(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        match self.alone(&job.snapshot) {
            Some(alone) => alone.check(job, report),
            None => self.each(job, &report, |planner, job, report| {
                planner.check(job, report)
            }),
        }
    }

    fn may_plan(&self, address: &str) -> bool {
        self.all.iter().any(|it| it.may_plan(address))
    }

    fn languages(&self) -> Vec<Arc<dyn Language>> {
        self.all.iter().flat_map(|it| it.languages()).collect()
    }

    fn features(&self) -> Vec<Arc<dyn Features>> {
        self.all.iter().flat_map(|it| it.features()).collect()
    }

    fn registry(&self) -> Option<Arc<dyn Registry>> {
        self.all.iter().find_map(|it| it.registry())
    }

    fn home(&self) -> Option<PathBuf> {
        self.all.iter().find_map(|it| it.home())
    }

    fn restart(&self) {
        self.all.iter().for_each(|it| it.restart());
    }

    fn init(
        &self,
        snapshot: Snapshot,
        dir: PathBuf,
        with_backend: bool,
    ) -> PlannerFuture<(String, Result<(), String>)> {
        let chosen = locked(&self.chosen);
        let own = chosen.iter().filter(|(file, _)| folder(file) == dir);
        let chosen = own.map(|(_, planner)| *planner).max();
        match chosen.map_or(self.all.last(), |planner| self.all.get(planner)) {
            Some(planner) => planner.init(snapshot, dir, with_backend),
            None => crate::NoPlanner.init(snapshot, dir, with_backend),
        }
    }
}

/// The reports of several planners on one job.
struct Joint {
    report: Arc<dyn PlanSink>,
    parts: Mutex<Vec<PartState>>,
    known: Arc<Mutex<Vec<Known>>>,
}

/// The reports of one planner.
#[derive(Clone, Default)]
struct PartState {
    began: Option<BTreeMap<PathBuf, Vec<FileId>>>,
    /// How far the plans of its roots are.
    stages: BTreeMap<PathBuf, Stage>,
    /// The facts of the roots that are wholly planned.
    planned: BTreeMap<PathBuf, Facts>,
    /// Its final update.
    complete: Option<PlanUpdate>,
}

/// The way of one planner's results.
struct PlannerResults {
    part: usize,
    joint: Arc<Joint>,
}

impl Joint {
    /// Reports the planned folders once all planners have.
    fn begin(&self, parts: &[PartState], revision: Revision) {
        let has_begun = |it: &&PartState| it.began.is_some() || it.complete.is_some();
        if parts.iter().filter(has_begun).count() == parts.len() {
            let roots = parts.iter().filter_map(|it| it.began.clone());
            let mut all: BTreeMap<PathBuf, Vec<FileId>> = BTreeMap::new();
            for (root, files) in roots.flatten() {
                all.entry(root).or_default().extend(files);
            }
            self.report.began(revision, all);
            // Earlier reports count all the same.
            let planned: BTreeSet<_> = parts.iter().flat_map(|it| it.planned.keys()).collect();
            for root in planned {
                let update = PlanUpdate {
                    root: Some((root.clone(), Stage::Planned)),
                    ..PlanUpdate::empty(revision)
                };
                self.report.update(self.joined(parts, update));
            }
        }
    }

    /// How far the plan of a root is: as far as that of the last planner which has it.
    fn stage(&self, parts: &[PartState], root: &Path) -> Stage {
        let stages = parts.iter().map(|part| match &part.began {
            _ if part.complete.is_some() => Stage::Planned,
            Some(roots) if !roots.contains_key(root) => Stage::Planned,
            Some(_) => part.stages.get(root).copied().unwrap_or(Stage::Begun),
            None => Stage::Begun,
        });
        stages.min().unwrap_or(Stage::Planned)
    }

    /// An update of one planner, joined with the reports of the others about the same folders.
    fn joined(&self, parts: &[PartState], mut update: PlanUpdate) -> PlanUpdate {
        let known = locked(&self.known);
        for (dir, folder) in &mut update.known {
            let all = known.iter().filter_map(|it| it.folders.get(dir).cloned());
            if let Some(joined) = joined_folder::joined(all.collect()) {
                *folder = joined;
            }
        }
        for (root, checks) in &mut update.checks {
            let all = known.iter().filter_map(|it| it.checks.get(root).cloned());
            *checks = Checks::joined(&all.collect::<Vec<_>>());
        }
        if let Some((root, stage)) = &mut update.root {
            *stage = self.stage(parts, root);
            if *stage == Stage::Planned {
                let facts = parts.iter().filter_map(|part| part.planned.get(root));
                let facts = facts.flatten();
                let facts = facts.map(|(file, facts)| (file.clone(), facts.clone()));
                update.facts.extend(facts);
            }
        }
        update
    }

    /// All complete updates as one, if no planner owes its own.
    fn complete(&self, parts: &[PartState]) -> Option<PlanUpdate> {
        let mut all = None::<PlanUpdate>;
        for parts in parts {
            let one = parts.complete.clone()?;
            match &mut all {
                None => all = Some(one),
                Some(all) => {
                    all.facts.extend(one.facts);
                    all.known.extend(one.known);
                    all.declared.extend(one.declared);
                    all.checks.extend(one.checks);
                }
            }
        }
        all.map(|all| self.joined(parts, all))
    }
}

impl PlannerResults {
    /// Keeps what this planner reported. A complete update names all of its folders.
    fn learn(&self, update: &PlanUpdate) {
        let known = &mut locked(&self.joint.known)[self.part];
        if update.is_complete {
            *known = Known::default();
        }
        known.folders.extend(update.known.clone());
        known.checks.extend(update.checks.clone());
    }

    /// Reports what this planner found, joined with what the others did.
    fn tell(&self, parts: &mut [PartState], update: PlanUpdate) {
        let own = &mut parts[self.part];
        if let Some((root, stage)) = &update.root {
            own.stages.insert(root.clone(), *stage);
            if *stage == Stage::Planned {
                own.planned.insert(root.clone(), update.facts.clone());
            }
        }
        let update = self.joint.joined(parts, update);
        self.joint.report.update(update);
    }
}

impl PlanSink for PlannerResults {
    fn began(&self, revision: Revision, roots: BTreeMap<PathBuf, Vec<FileId>>) {
        let mut parts = locked(&self.joint.parts);
        parts[self.part].began = Some(roots);
        self.joint.begin(&parts, revision);
    }

    fn update(&self, update: PlanUpdate) {
        let revision = update.revision;
        let mut parts = locked(&self.joint.parts);
        self.learn(&update);
        if !update.is_complete {
            return self.tell(&mut parts, update);
        }
        let own = &mut parts[self.part];
        let is_first_word = own.began.is_none();
        let roots = own.began.iter().flat_map(BTreeMap::keys);
        let unsaid = roots.filter(|root| !own.planned.contains_key(*root));
        let unsaid: Vec<PathBuf> = unsaid.cloned().collect();
        own.complete = Some(update.clone());
        if is_first_word {
            self.joint.begin(&parts, revision);
        }
        if let Some(all) = self.joint.complete(&parts) {
            return self.joint.report.update(all);
        }
        // Nobody waits for the others to see the results of this one.
        let mut found = Some(PlanUpdate {
            is_complete: false,
            ..update
        });
        for root in unsaid {
            let found = found.take();
            let update = PlanUpdate {
                root: Some((root, Stage::Planned)),
                ..found.unwrap_or_else(|| PlanUpdate::empty(revision))
            };
            self.tell(&mut parts, update);
        }
        if let Some(found) = found {
            self.tell(&mut parts, found);
        }
    }

    fn wants_parts(&self) -> bool {
        self.joint.report.wants_parts()
    }

    fn world_was_read(&self) {
        self.joint.report.world_was_read();
    }

    fn trust_needed(&self, dir: PathBuf, needed: Untrusted) {
        self.joint.report.trust_needed(dir, needed);
    }

    fn progress(&self, title: &str) -> Progress {
        self.joint.report.progress(title)
    }
}

fn folder(file: &FileId) -> &Path {
    Path::new(file.path()).parent().unwrap_or(Path::new(""))
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
