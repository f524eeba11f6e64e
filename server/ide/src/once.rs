//! Plans that are waited for, as a command does it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use text::{Document, FileId};

use crate::{
    Approved, PlanSink, PlanUpdate, Planner, Progress, Revision, Snapshot, Trusted, Untrusted,
    Workspace,
};

/// Has `planner` plan these files, which the user trusts. The answer holds the results.
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
    plan_pending(&mut workspace, planner).await;
    workspace.snapshot()
}

/// Has `planner` plan all changes of the workspace, and applies its updates. A plan that is outdated at its end is repeated,
/// as the main loop of an editor does it. The answer is the trust that is missing.
pub async fn plan_pending(workspace: &mut Workspace, planner: &dyn Planner) -> Untrusted {
    let mut needed = Untrusted::default();
    while let Some(job) = workspace.plan_job() {
        let collected = Arc::new(Collected::default());
        planner.plan(job, collected.clone()).await;
        for update in std::mem::take(&mut *locked(&collected.updates)) {
            workspace.apply_plan(update);
        }
        needed.extend(&locked(&collected.needed));
        if collected.is_outdated.load(Ordering::Relaxed) {
            workspace.world_was_read();
        }
    }
    needed
}

#[derive(Default)]
struct Collected {
    updates: Mutex<Vec<PlanUpdate>>,
    needed: Mutex<Untrusted>,
    is_outdated: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PlanSink for Collected {
    fn began(&self, _revision: Revision, _roots: BTreeMap<PathBuf, Vec<FileId>>) {}

    fn update(&self, update: PlanUpdate) {
        locked(&self.updates).push(update);
    }

    /// The updates are applied at the end.
    fn wants_parts(&self) -> bool {
        false
    }

    fn world_was_read(&self) {
        self.is_outdated.store(true, Ordering::Relaxed);
    }

    fn trust_needed(&self, _dir: PathBuf, needed: Untrusted) {
        locked(&self.needed).extend(&needed);
    }

    fn progress(&self, _title: &str) -> Progress {
        Progress::until(|| ())
    }
}
