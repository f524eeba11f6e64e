//! A project with its plan and its schemas.

use std::path::PathBuf;
use std::sync::Arc;

use ide::{
    ChangeKind, Folder, FolderChange, FolderGuess, ObjectFolder, OutsideChange, PlanOverview,
};
use pulumi::plan::Plan;
use pulumi::program::Program;
use pulumi::schema::Schema;
use text::FileId;

/// A project with its last plan.
#[derive(Clone, Debug)]
pub(crate) struct ProgramFolder {
    pub dir: PathBuf,
    pub name: String,
    pub objects: ObjectFolder,
    pub program: Program,
    pub program_file: FileId,
    pub plan: Arc<Plan>,
    /// Of the packages that the program uses.
    pub schemas: Vec<Arc<Schema>>,
    /// Packages whose plugins are installed.
    pub installed: Vec<String>,
    pub stacks: Vec<String>,
}

impl ProgramFolder {
    pub(crate) fn of(folder: &Arc<dyn Folder>) -> Option<&ProgramFolder> {
        let any: &dyn std::any::Any = &**folder;
        any.downcast_ref()
    }

    pub(crate) fn schema(&self, package: &str) -> Option<&Arc<Schema>> {
        self.schemas.iter().find(|it| it.name == package)
    }
}

impl Folder for ProgramFolder {
    fn about(&self) -> PlanOverview {
        self.objects.about()
    }

    fn kinds(&self) -> Box<dyn Iterator<Item = ChangeKind> + '_> {
        self.objects.kinds()
    }

    fn changes(&self) -> Vec<FolderChange> {
        self.objects.changes()
    }

    fn guesses(&self) -> Vec<FolderGuess> {
        self.objects.guesses()
    }

    fn caveats(&self) -> Vec<(String, String)> {
        self.objects.caveats()
    }

    fn outside(&self) -> Vec<OutsideChange> {
        self.objects.outside()
    }

    fn document(&self) -> String {
        format!("\n{}", pulumi::render::text(&self.plan))
    }

    fn output_changes(&self) -> String {
        pulumi::render::outputs(&self.plan)
    }

    fn files(&self) -> Box<dyn Iterator<Item = &FileId> + '_> {
        self.objects.files()
    }

    fn environments(&self) -> Option<Vec<String>> {
        let stacks = self.stacks.iter();
        Some(stacks.map(|it| format!("stack {it}")).collect())
    }
}
