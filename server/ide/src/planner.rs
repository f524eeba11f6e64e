//! Who makes plans, and the way of their results to whoever asked. An engine is known by these traits alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use change::Proof;
use config::ProviderAddr;
use plan::Package;
use refactor::Refusal;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::{Edits, FileId, TextRange};

use crate::{Features, Language, PlanJob, PlanUpdate, Registry, Revision, Snapshot};

/// A planner's answer when it is ready. Dropping it is always safe.
pub type PlannerFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

/// Makes plans. The main loop runs one plan at a time, and drops it as soon as a newer one is wanted.
pub trait Planner: Send + Sync + 'static {
    /// Plans `job.snapshot` and reports the results as they come, at last with a complete update. The future
    /// may be dropped wherever it waits.
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()>;

    /// Whether this planner plans the file. The first planner that takes a file gets it.
    fn takes(&self, _file: &FileId, _snapshot: &Snapshot) -> bool {
        true
    }

    /// The name at a place, if it can be changed.
    fn renamable(&self, _place: Selection) -> PlannerFuture<Result<Renamable, Refused>> {
        Box::pin(std::future::ready(Err(Refused::unplanned())))
    }

    /// Makes a refactoring at a place, and plans its result.
    fn refactor(
        &self,
        _place: Selection,
        _intent: Intent,
    ) -> PlannerFuture<Result<Refactored, Refused>> {
        Box::pin(std::future::ready(Err(Refused::unplanned())))
    }

    /// Checks `job.snapshot` without planning it, while planning is paused.
    fn check(&self, _job: PlanJob, _report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        Box::pin(std::future::ready(()))
    }

    /// Whether something that it plans may have this address.
    fn may_plan(&self, _address: &str) -> bool {
        false
    }

    /// The languages of its programs, beside HCL.
    fn languages(&self) -> Vec<Arc<dyn Language>> {
        Vec::new()
    }

    /// The features of these languages.
    fn features(&self) -> Vec<Arc<dyn Features>> {
        Vec::new()
    }

    /// The registries that modules and providers come from.
    fn registry(&self) -> Option<Arc<dyn Registry>> {
        None
    }

    /// The user's home, which settings may write as `~`.
    fn home(&self) -> Option<PathBuf> {
        None
    }

    /// Ends all plugins; the next plan starts those that it needs.
    fn restart(&self) {}

    /// Runs `terraform init`, or that of OpenTofu, in the folder of a root module, `with_backend` or without. Answers with
    /// the command and, if it failed, with its error.
    fn init(
        &self,
        _snapshot: Snapshot,
        _dir: PathBuf,
        _with_backend: bool,
    ) -> PlannerFuture<(String, Result<(), String>)> {
        let answer = (
            "terraform init".to_owned(),
            Err("nothing is planned here".to_owned()),
        );
        Box::pin(std::future::ready(answer))
    }
}

/// Plans nothing.
pub struct NoPlanner;

impl Planner for NoPlanner {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        report.update(PlanUpdate {
            is_complete: true,
            ..PlanUpdate::empty(job.snapshot.revision())
        });
        Box::pin(std::future::ready(()))
    }
}

/// Receives the results of a planner. Nothing here waits.
pub trait PlanSink: Send + Sync + 'static {
    /// The folders of root modules that are planned, with their open files. From here on the planner sees to it that
    /// the next plan does the work of a dropped one.
    fn began(&self, revision: Revision, roots: BTreeMap<PathBuf, Vec<FileId>>);

    fn update(&self, update: PlanUpdate);

    /// True if this shows a slow plan in parts.
    fn wants_parts(&self) -> bool {
        true
    }

    /// Something was read that the next plan is made from.
    fn world_was_read(&self);

    /// The root module in `dir` needs something that only the user can give.
    fn trust_needed(&self, dir: PathBuf, needed: Untrusted);

    /// Shows that something takes its time, until the answer is dropped.
    fn progress(&self, title: &str) -> Progress;
}

/// Something that takes its time, shown until this is dropped.
pub struct Progress(Option<Box<dyn FnOnce() + Send + Sync>>);

impl Progress {
    pub fn until(end: impl FnOnce() + Send + Sync + 'static) -> Progress {
        Progress(Some(Box::new(end)))
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(end) = self.0.take() {
            end();
        }
    }
}

/// Approvals that a root module needs and only the user can give.
#[derive(Default, Clone, PartialEq, Eq, Debug)]
pub struct Untrusted {
    /// They would start.
    pub packages: BTreeSet<Package>,
    /// Providers that would get the configuration of the folder.
    pub configured: BTreeSet<ProviderAddr>,
    /// Functions would read files outside of the workspace.
    pub reads_outside: bool,
    /// Where those are that are known by their place alone.
    pub places: BTreeMap<ProviderAddr, PathBuf>,
}

impl Untrusted {
    pub fn extend(&mut self, other: &Untrusted) {
        self.packages.extend(other.packages.iter().cloned());
        self.configured.extend(other.configured.iter().cloned());
        self.reads_outside |= other.reads_outside;
        self.places.extend(other.places.clone());
    }
}

/// A place in an open document.
#[derive(Clone, Debug)]
pub struct Selection {
    pub snapshot: Snapshot,
    pub file: FileId,
    pub range: TextRange,
}

/// A name that can be changed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Renamable {
    pub range: TextRange,
    pub name: String,
}

/// The refactoring that a person wants at a place.
#[derive(Clone, PartialEq, Debug)]
pub enum Intent {
    /// Another name for the thing at the place.
    Rename(String),
    /// A refactoring that was offered.
    OfferedRefactoring(OfferedRefactoring),
}

/// A refactoring that is offered, in words that its planner alone reads.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct OfferedRefactoring(pub Value);

/// The result of a refactoring.
#[derive(Clone, Debug)]
pub struct Refactored {
    pub title: String,
    pub edits: Edits,
    /// The files being edited, as they were before the edit.
    pub texts: BTreeMap<FileId, Arc<str>>,
    pub proof: Proof,
}

/// Why a refactoring isn't done, for a person to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

impl Refused {
    pub fn unplanned() -> Refused {
        Refused("The effect of this change is unknown, because there is no plan.".to_owned())
    }

    pub fn too_slow() -> Refused {
        Refused("The plan that shows the effect of this change is not ready yet.".to_owned())
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused(refusal.to_string())
    }
}
