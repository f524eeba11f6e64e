//! The workspace, owned by the main loop, and its immutable snapshots.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan::Approved;
use text::{Document, FileId, SegmentId, TextRange};

use crate::known;
use crate::plan::Plans;
use crate::source::{Hcl, Segments};
use crate::{
    Caller, FileFacts, Folder, Folders, Known, KnownModules, Language, Parsed, PlanJob, PlanReason,
    PlanState, PlanUpdate, Revision, SegmentFacts, Settings, SourceFile, TextSegment, TrustFolder,
    Trusted, WhatIf,
};

/// Everything that answers depend on. It has one owner, who tells it what changed.
#[derive(Debug, Default)]
pub struct Workspace {
    data: Arc<Data>,
    /// Since the last plan job, the greatest reason for another.
    unplanned: Option<PlanReason>,
}

/// A workspace at one moment. Cheap to clone, and never changes.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) data: Arc<Data>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    revision: Revision,
    files: BTreeMap<FileId, Arc<SourceFile>>,
    /// Beside HCL.
    languages: Vec<Arc<dyn Language>>,
    settings: Settings,
    trusted: Trusted,
    approved: Approved,
    pub(crate) what_if: WhatIf,
    /// The folders that the editor has open.
    pub(crate) folders: Vec<PathBuf>,
    /// What `~` stands for in settings.
    pub(crate) home: Option<PathBuf>,
    /// What was chosen for root modules, against the settings; `None`: no environment.
    pub(crate) environments: BTreeMap<PathBuf, Option<String>>,
    /// By the folders of called modules.
    pub(crate) callers: BTreeMap<PathBuf, Caller>,
    changes_on_disk: u64,
    /// Counts what was read of the world beside plans.
    reads_of_world: u64,
    /// What the editor shows of the open files, as far as it says so.
    shown: BTreeMap<FileId, TextRange>,
    plans: Arc<Plans>,
}

impl Data {
    /// A file in the first language that takes it.
    fn source(&self, file: FileId, document: Document) -> SourceFile {
        let mut languages = self.languages.iter();
        let language = languages.find(|it| it.takes(&file)).cloned();
        let language = language.unwrap_or_else(|| Arc::new(Hcl));
        SourceFile::new(file, document, language)
    }
}

impl Workspace {
    /// In which languages files may be written, beside HCL. Files that are open already stay in theirs.
    pub fn set_languages(&mut self, languages: Vec<Arc<dyn Language>>) {
        self.changed(PlanReason::Edit).languages = languages;
    }

    /// The editor opened `file`, or changed its text.
    pub fn set_document(&mut self, file: FileId, document: Document) {
        let data = self.changed(PlanReason::Edit);
        let source = match data.files.get(&file) {
            Some(before) => {
                // Whoever edits looks at it, before the editor asks for what it shows.
                let changed = || document.changed_since(before.document()).0;
                data.shown.entry(file.clone()).or_insert_with(changed);
                before.edited(document)
            }
            None => data.source(file.clone(), document),
        };
        data.files.insert(file, Arc::new(source));
    }

    /// The editor closed `file`: its text is what the disk holds.
    pub fn close_document(&mut self, file: &FileId) {
        let data = self.changed(PlanReason::Edit);
        data.files.remove(file);
        data.shown.remove(file);
    }

    /// The editor shows this part of an open file.
    pub fn set_shown(&mut self, file: FileId, range: TextRange) {
        if self.data.files.contains_key(&file) && self.data.shown.get(&file) != Some(&range) {
            Arc::make_mut(&mut self.data).shown.insert(file, range);
        }
    }

    pub fn saved(&mut self, _file: &FileId) {
        self.changed(PlanReason::Save).changes_on_disk += 1;
    }

    /// A file was created, changed or deleted outside the editor.
    pub fn file_changed_on_disk(&mut self, _file: &FileId) {
        self.changed(PlanReason::Edit).changes_on_disk += 1;
    }

    pub fn set_settings(&mut self, settings: Settings) {
        if settings != self.data.settings {
            self.changed(PlanReason::Edit).settings = settings;
        }
    }

    /// Says which folders are trusted and which plugins may start. Answers whether that may be less than before.
    pub fn set_trust(&mut self, trusted: Trusted, approved: Approved) -> bool {
        if trusted == self.data.trusted && approved == self.data.approved {
            return false;
        }
        let data = self.changed(PlanReason::Edit);
        let is_less =
            data.trusted.takes_more_than(&trusted) || data.approved.takes_more_than(&approved);
        (data.trusted, data.approved) = (trusted, approved);
        is_less
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            data: self.data.clone(),
        }
    }

    /// Supposes something else from now on.
    pub fn set_what_if(&mut self, what_if: WhatIf) {
        if what_if != self.data.what_if {
            self.changed(PlanReason::Edit).what_if = what_if;
        }
    }

    /// What `~` stands for in settings, from now on.
    pub fn set_home(&mut self, home: Option<PathBuf>) {
        self.changed(PlanReason::Edit).home = home;
    }

    /// The folders that the editor has open, from now on.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        if folders != self.data.folders {
            self.changed(PlanReason::Edit).folders = folders;
        }
    }

    /// Plans the root module in a folder with one of its environments from now on, or with none.
    pub fn choose_environment(&mut self, root: PathBuf, environment: Option<String>) {
        if self.data.environments.get(&root) != Some(&environment) {
            let data = self.changed(PlanReason::Edit);
            data.environments.insert(root, environment);
        }
    }

    /// Shows the module in a folder as this caller plans it from now on; `None`: as all do.
    pub fn choose_caller(&mut self, module: PathBuf, caller: Option<Caller>) {
        if self.data.callers.get(&module) != caller.as_ref() {
            let callers = &mut self.changed(PlanReason::Edit).callers;
            match caller {
                Some(caller) => drop(callers.insert(module, caller)),
                None => drop(callers.remove(&module)),
            }
        }
    }

    /// Something was read of the world that plans are made from.
    pub fn world_was_read(&mut self) {
        self.changed(PlanReason::Edit).reads_of_world += 1;
    }

    /// Asks for a plan although nothing changed.
    pub fn replan(&mut self) {
        self.changed(PlanReason::Command);
    }

    /// Whether something changed since the last plan job that an open document may show.
    pub fn needs_plan(&self) -> bool {
        self.has_changed() && !self.data.settings.paused
    }

    /// Whether something changed that is to be checked while planning is paused.
    pub fn needs_check(&self) -> bool {
        self.has_changed() && self.data.settings.paused
    }

    fn has_changed(&self) -> bool {
        self.unplanned.is_some() && !self.data.files.is_empty()
    }

    /// A plan of what changed since the last job; it supersedes that one.
    pub fn plan_job(&mut self) -> Option<PlanJob> {
        if !self.has_changed() {
            return None;
        }
        let reason = self.unplanned.take()?;
        Some(PlanJob {
            snapshot: self.snapshot(),
            reason,
        })
    }

    /// A job was dropped before it was complete: its reason counts for the next one.
    pub fn superseded(&mut self, reason: PlanReason) {
        self.unplanned = self.unplanned.max(Some(reason));
    }

    /// Takes in what a plan found out. Answers whether it changes anything that is shown.
    pub fn apply_plan(&mut self, update: PlanUpdate) -> bool {
        Arc::make_mut(&mut Arc::make_mut(&mut self.data).plans).apply(update)
    }

    fn changed(&mut self, reason: PlanReason) -> &mut Data {
        self.unplanned = self.unplanned.max(Some(reason));
        let data = Arc::make_mut(&mut self.data);
        data.revision.0 += 1;
        data
    }
}

impl Snapshot {
    pub fn revision(&self) -> Revision {
        self.data.revision
    }

    pub fn settings(&self) -> &Settings {
        &self.data.settings
    }

    pub fn is_trusted(&self, folder: &TrustFolder) -> bool {
        self.data.trusted.takes(folder)
    }

    /// The plugins that may start.
    pub fn approved(&self) -> &Approved {
        &self.data.approved
    }

    /// Counts the saves and changes of files.
    pub fn changes_on_disk(&self) -> u64 {
        self.data.changes_on_disk
    }

    /// The folders that the editor has open.
    pub fn folders(&self) -> &[PathBuf] {
        &self.data.folders
    }

    /// How much of what is shown of the module in `dir` comes from a plan of the current texts.
    pub fn plan_state(&self, dir: &Path, folder: &dyn Folder) -> PlanState {
        if self.data.settings.paused {
            PlanState::Off
        } else if self
            .data
            .plans
            .is_planned(dir, folder.files(), self.data.revision)
        {
            PlanState::Fresh
        } else {
            PlanState::Stale
        }
    }

    /// The documents that differ from those of an earlier snapshot, if nothing else does that a plan is made from.
    pub fn edited_since<'a>(&'a self, earlier: &'a Snapshot) -> Option<Vec<&'a FileId>> {
        let (before, after) = (&*earlier.data, &*self.data);
        let is_same = before.settings == after.settings
            && before.trusted == after.trusted
            && before.approved == after.approved
            && before.what_if == after.what_if
            && before.folders == after.folders
            && before.home == after.home
            && before.environments == after.environments
            && before.callers == after.callers
            && before.changes_on_disk == after.changes_on_disk
            && before.reads_of_world == after.reads_of_world;
        let differs = |a: &Data, (file, source): &(&FileId, &Arc<SourceFile>)| {
            a.files
                .get(*file)
                .is_none_or(|known| !Arc::ptr_eq(known, source))
        };
        let gone = before.files.iter().filter(|it| differs(after, it));
        let come = after.files.iter().filter(|it| differs(before, it));
        is_same.then(|| gone.chain(come).map(|(file, _)| file).collect())
    }

    /// The files that the editor has open.
    pub fn files(&self) -> impl Iterator<Item = (&FileId, &Arc<SourceFile>)> {
        self.data.files.iter()
    }

    /// What the editor shows of the open files, as it last said. The text may have changed since.
    pub fn shown(&self) -> &BTreeMap<FileId, TextRange> {
        &self.data.shown
    }

    pub fn file(&self, file: &FileId) -> Option<&Arc<SourceFile>> {
        self.data.files.get(file)
    }

    /// An open file in HCL or its JSON.
    pub(crate) fn hcl_file(&self, file: &FileId) -> Option<&Arc<SourceFile>> {
        self.file(file).filter(|source| source.hcl().is_some())
    }

    /// This snapshot with one more file, as if it were open.
    pub fn with_file(&self, file: FileId, text: &str) -> Snapshot {
        let mut data = self.data.clone();
        let source = data.source(file.clone(), Document::new(0, text));
        Arc::make_mut(&mut data)
            .files
            .insert(file, Arc::new(source));
        Snapshot { data }
    }

    /// What is known of the module that `file` belongs to.
    pub(crate) fn known(&self, file: &FileId) -> Arc<Known> {
        let known = known::of_file(&self.data.plans.known, file);
        known.cloned().unwrap_or_default()
    }

    /// Those of Terraform.
    pub(crate) fn known_modules(&self) -> &KnownModules {
        &self.data.plans.known
    }

    /// What is known of all folders that are planned.
    pub(crate) fn folders_planned(&self) -> &Folders {
        &self.data.plans.folders
    }

    /// What is wrong in `file` without a plan; places in it may be of an earlier text.
    pub(crate) fn checks(&self, file: &FileId) -> impl Iterator<Item = &text::Diagnostic> {
        self.data.plans.checks(file)
    }

    /// The folder of the root module that an open file belongs to.
    pub fn root_of(&self, file: &FileId) -> Option<&Path> {
        self.data.plans.root_of(file)
    }

    /// Whether anything is known of the modules around the open files.
    pub fn knows_modules(&self) -> bool {
        !self.data.plans.folders.is_empty()
    }

    /// Whether the texts of now were checked.
    pub fn is_checked(&self) -> bool {
        self.data.plans.is_checked(self.data.revision)
    }

    pub(crate) fn files_with_planned_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        self.data.plans.files_with_diagnostics()
    }

    /// What the plans say about each segment of `file` that touches `range` and reads as it did when it was planned.
    pub(crate) fn planned_at<'a>(
        &'a self,
        file: &FileId,
        range: TextRange,
    ) -> Vec<(TextSegment<'a>, &'a SegmentFacts)> {
        let touching = |parsed: &'a dyn Parsed| parsed.segments_touching(range);
        self.joined(file, touching, FileFacts::get)
    }

    /// As [`Snapshot::planned_at`], of the segments with diagnostics.
    pub(crate) fn diagnosed<'a>(
        &'a self,
        file: &FileId,
    ) -> Vec<(TextSegment<'a>, &'a SegmentFacts)> {
        self.joined(file, |parsed| parsed.segments(), FileFacts::diagnosed)
    }

    fn joined<'a>(
        &'a self,
        file: &FileId,
        segments: impl Fn(&'a dyn Parsed) -> Segments<'a>,
        facts_of: impl Fn(&'a FileFacts, SegmentId) -> Option<&'a Arc<SegmentFacts>>,
    ) -> Vec<(TextSegment<'a>, &'a SegmentFacts)> {
        let (Some(source), Some(facts)) = (self.file(file), self.facts(file)) else {
            return Vec::new();
        };
        let found = segments(source.parsed())
            .filter_map(|segment| Some((segment, &**facts_of(facts, segment.id)?)));
        found.collect()
    }

    /// What the plans say about the segments of a file that read as they did when they were planned.
    pub(crate) fn facts(&self, file: &FileId) -> Option<&FileFacts> {
        self.data.plans.facts(file)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_edited_is_shown_until_the_editor_says_more() {
        let mut workspace = Workspace::default();
        let [edited, open] = ["/a/main.tf", "/b/main.tf"].map(FileId::new);
        workspace.set_document(open.clone(), Document::new(1, "locals {\n}\n"));
        workspace.set_document(edited.clone(), Document::new(1, "locals {\n}\n"));
        workspace.set_document(edited.clone(), Document::new(2, "locals {\n  a = 1\n}\n"));
        let snapshot = workspace.snapshot();
        assert_eq!(snapshot.shown().keys().collect::<Vec<_>>(), [&edited]);
        let range = TextRange::new(0.into(), 3.into());
        workspace.set_shown(edited.clone(), range);
        assert_eq!(workspace.snapshot().shown()[&edited], range);
    }
}
