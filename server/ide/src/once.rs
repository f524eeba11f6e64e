//! A plan that is made once, as a command does it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use text::{Document, FileId};

use crate::{
    Approved, PlanUpdate, Planner, Progress, Report, Revision, Snapshot, Trusted, Untrusted,
    Workspace,
};

/// Has `planner` plan these files, which the user trusts. The answer holds what it found.
pub async fn plan_once(
    planner: &dyn Planner,
    files: impl IntoIterator<Item = (FileId, Document)>,
) -> Snapshot {
    let mut workspace = Workspace::default();
    workspace.set_languages(planner.languages());
    workspace.set_home(planner.home());
    workspace.set_trust(Trusted::Everywhere, Approved::All);
    for (file, document) in files {
        workspace.set_document(file, document);
    }
    workspace.replan();
    if let Some(job) = workspace.plan_job() {
        let found = Arc::new(Kept::default());
        planner.plan(job, found.clone()).await;
        let mut updates = found.0.lock().unwrap_or_else(PoisonError::into_inner);
        for update in updates.drain(..) {
            workspace.apply_plan(update);
        }
    }
    workspace.snapshot()
}

/// Keeps what is found.
#[derive(Default)]
struct Kept(Mutex<Vec<PlanUpdate>>);

impl Report for Kept {
    fn began(&self, _revision: Revision, _roots: BTreeMap<PathBuf, Vec<FileId>>) {}

    fn update(&self, update: PlanUpdate) {
        let mut updates = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        updates.push(update);
    }

    fn world_was_read(&self) {}

    fn trust_needed(&self, _dir: PathBuf, _needed: Untrusted) {}

    fn progress(&self, _title: &str) -> Progress {
        Progress::until(|| ())
    }
}
