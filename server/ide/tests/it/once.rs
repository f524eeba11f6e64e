//! Plans that are waited for.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ide::{PlanJob, PlanSink, PlanUpdate, Planner, PlannerFuture, Workspace};
use text::{Document, FileId};

/// Its first plan has the root modules of an earlier text, as where finding the new ones takes long.
#[derive(Default)]
struct Hasty {
    plans: AtomicUsize,
}

impl Planner for Hasty {
    fn plan(&self, job: PlanJob, report: Arc<dyn PlanSink>) -> PlannerFuture<()> {
        match self.plans.fetch_add(1, Ordering::Relaxed) {
            0 => report.world_was_read(),
            _ => report.update(PlanUpdate {
                is_complete: true,
                ..PlanUpdate::empty(job.snapshot.revision())
            }),
        }
        Box::pin(std::future::ready(()))
    }
}

#[tokio::test]
async fn a_plan_that_is_outdated_at_its_end_is_repeated() {
    let mut workspace = Workspace::default();
    workspace.set_document(FileId::new("/main.tf"), Document::new(0, "locals {\n}\n"));
    let planner = Hasty::default();
    ide::plan_pending(&mut workspace, &planner).await;
    assert_eq!(planner.plans.load(Ordering::Relaxed), 2);
    ide::plan_pending(&mut workspace, &planner).await;
    assert_eq!(planner.plans.load(Ordering::Relaxed), 2);
}
