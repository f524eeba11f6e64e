//! The results of the runs in the test files that are open.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use config::FileRole;
use ide::{Facts, PlanUpdate, Snapshot};
use text::FileId;

use super::runs::Done;
use super::{Shared, folder};
use crate::apart::apart;

impl Shared {
    /// The open test files, each with the folder of the module that it tests.
    pub(super) fn tests(&self, snapshot: &Snapshot) -> Vec<(FileId, PathBuf)> {
        let files = self.open_files(snapshot);
        let open = snapshot.files().map(|(file, _)| file);
        let tests = open
            .filter(|file| FileRole::of(file.name()) == FileRole::Tests && file.scheme().is_none());
        tests
            .filter_map(|file| Some((file.clone(), folder(file, &files)?.to_owned())))
            .collect()
    }

    /// The facts of a test file, when the plan of the root module that it tests has come to its end, if there is one.
    pub(super) async fn test_after(
        self: Arc<Self>,
        root: Option<Done>,
        file: FileId,
        dir: PathBuf,
        snapshot: Snapshot,
    ) -> (PathBuf, Option<PlanUpdate>) {
        if let Some(root) = root {
            root.await;
        }
        let revision = snapshot.revision();
        let name = PathBuf::from(file.path());
        let found = apart(move |_| async move { self.facts_of_test(&file, &dir, &snapshot).await });
        let update = found.await.map(|facts| PlanUpdate {
            facts,
            ..PlanUpdate::empty(revision)
        });
        (name, update)
    }

    /// The facts of a test file's runs. The module that it tests may be one that is only called.
    async fn facts_of_test(&self, file: &FileId, dir: &Path, snapshot: &Snapshot) -> Facts {
        let Some(syntax) = snapshot.file(file).and_then(|source| source.hcl()) else {
            return Facts::new();
        };
        let root = self.root(dir, snapshot);
        let mut root = root.lock().await;
        let root = &mut *root;
        let files = self.open_files(snapshot);
        if root.root.module().is_none() {
            self.load(root, dir, &[], snapshot, &files).await;
        }
        root.testers.retain(|test, _| snapshot.file(test).is_some());
        let tester = root.testers.entry(file.clone()).or_default();
        let runs = tester.runs(&root.root, &files, file, syntax).await;
        ide::facts_of_runs(&runs, syntax)
    }
}
