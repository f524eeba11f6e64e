//! The workspace at one moment.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plan::Approved;
use text::{Document, FileId, SegmentId, TextRange};

use crate::plan::Plans;
use crate::source::{Hcl, Segments};
use crate::{
    Caller, FileFacts, Folder, Folders, Language, ListedCaller, ModuleContext, ModuleContexts,
    Parsed, PlanState, Revision, SegmentFacts, Settings, SourceFile, TextSegment, TrustFolder,
    Trusted, WhatIf,
};
use crate::{joined_folder, module_context};

/// A workspace at one moment. Cheap to clone, and never changes.
#[derive(Clone, Debug)]
pub struct Snapshot {
    pub(crate) data: Arc<Data>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    pub(crate) revision: Revision,
    pub(crate) files: BTreeMap<FileId, Arc<SourceFile>>,
    /// The languages other than HCL.
    pub(crate) languages: Vec<Arc<dyn Language>>,
    pub(crate) settings: Settings,
    pub(crate) trusted: Trusted,
    pub(crate) is_confined: bool,
    pub(crate) absent: BTreeSet<FileId>,
    pub(crate) approved: Approved,
    pub(crate) what_if: WhatIf,
    /// The folders that the editor has open.
    pub(crate) folders: Vec<PathBuf>,
    /// The folder `~` in settings.
    pub(crate) home: Option<PathBuf>,
    /// The choices for root modules, against the settings; `None`: no environment.
    pub(crate) environments: BTreeMap<PathBuf, Option<String>>,
    /// By the folders of called modules.
    pub(crate) callers: BTreeMap<PathBuf, Caller>,
    pub(crate) changes_on_disk: u64,
    /// Counts reads of the world beside plans.
    pub(crate) reads_of_world: u64,
    /// The visible parts of the open files, as far as the editor reports them, or else the first edit.
    pub(crate) shown: BTreeMap<FileId, TextRange>,
    pub(crate) plans: Arc<Plans>,
}

impl Data {
    /// A file in the first language that takes it.
    pub(crate) fn source(&self, file: FileId, document: Document) -> SourceFile {
        let mut languages = self.languages.iter();
        let language = languages.find(|it| it.takes(&file)).cloned();
        let language = language.unwrap_or_else(|| Arc::new(Hcl));
        SourceFile::new(file, document, language)
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

    /// Whether the user trusts the folder that the root module in `dir` belongs to.
    pub fn trusts(&self, dir: &Path) -> bool {
        self.data.trusted == Trusted::Everywhere || self.is_trusted(&self.trust_folder(dir))
    }

    /// The folder to trust for the root module in `dir`.
    pub fn trust_folder(&self, dir: &Path) -> TrustFolder {
        TrustFolder::around(dir, self.folders())
    }

    /// Whether functions read only inside of the workspace, and nothing that holds secrets by its name, trusted or not.
    pub fn is_confined(&self) -> bool {
        self.data.is_confined
    }

    /// Files on the disk that are planned as if they were not there.
    pub fn absent(&self) -> &BTreeSet<FileId> {
        &self.data.absent
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

    /// How much of the shown results of the module in `dir` comes from a plan of the current texts.
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
            && before.is_confined == after.is_confined
            && before.absent == after.absent
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

    /// The files that the editor has open in a folder and below it.
    pub fn files_below(&self, dir: &Path) -> impl Iterator<Item = (&FileId, &Arc<SourceFile>)> {
        let below = format!("{}/", text::path_text(dir).trim_end_matches('/'));
        let files = self.data.files.range(FileId::new(below.as_str())..);
        files.take_while(move |(file, _)| file.path().starts_with(&below))
    }

    /// Whether both are clones of one snapshot. Equal snapshots may not be.
    pub fn is_same(&self, other: &Snapshot) -> bool {
        Arc::ptr_eq(&self.data, &other.data)
    }

    /// The visible parts of the open files, as last reported; the text may have changed since. Before the first report, these are
    /// the beginnings of all open files: an editor opens a file there, and the first plan starts before it reports.
    pub fn shown(&self) -> BTreeMap<FileId, TextRange> {
        const SCREEN: usize = 60;
        if !self.data.shown.is_empty() {
            return self.data.shown.clone();
        }
        let files = self.files();
        files
            .map(|(file, source)| (file.clone(), source.document().beginning(SCREEN)))
            .collect()
    }

    pub fn file(&self, file: &FileId) -> Option<&Arc<SourceFile>> {
        self.data.files.get(file)
    }

    /// An open file in HCL or its JSON, unless it is too long.
    pub(crate) fn hcl_file(&self, file: &FileId) -> Option<&Arc<SourceFile>> {
        let is_read = |source: &&Arc<SourceFile>| source.is_hcl() && !source.is_too_long();
        self.file(file).filter(is_read)
    }

    /// This snapshot with some of its files alone, as if the others were not open.
    pub(crate) fn with_files_of(&self, is_wanted: impl Fn(&FileId) -> bool) -> Snapshot {
        let mut snapshot = self.clone();
        if self.files().any(|(file, _)| !is_wanted(file)) {
            let data = Arc::make_mut(&mut snapshot.data);
            data.files.retain(|file, _| is_wanted(file));
            data.shown.retain(|file, _| is_wanted(file));
        }
        snapshot
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

    /// The module that `file` belongs to.
    pub(crate) fn known(&self, file: &FileId) -> Arc<ModuleContext> {
        let known = module_context::of_file(&self.data.plans.known, file);
        known.cloned().unwrap_or_default()
    }

    /// The known Terraform modules.
    pub(crate) fn known_modules(&self) -> &ModuleContexts {
        &self.data.plans.known
    }

    /// The paths of all folders that are planned.
    pub fn planned_paths(&self) -> impl Iterator<Item = &Path> {
        self.data.plans.folders.keys().map(PathBuf::as_path)
    }

    /// All folders that are planned.
    pub(crate) fn folders_planned(&self) -> &Folders {
        &self.data.plans.folders
    }

    /// These folders as each of their engines knows them.
    pub(crate) fn planned_parts(&self) -> impl Iterator<Item = &Arc<dyn Folder>> {
        let folders = self.folders_planned().values();
        folders.flat_map(joined_folder::parts)
    }

    /// The errors in `file` without a plan; their places may be of an earlier text.
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

    /// The facts of the plans about each segment of `file` that touches `range` and reads as it did when it was planned.
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
        match self.facts(file).filter(|it| it.has_diagnostics()) {
            Some(facts) => {
                let ids: HashSet<SegmentId> = facts.diagnosed_segments().collect();
                let those = |parsed: &'a dyn Parsed| parsed.segments_of(ids.clone());
                self.joined(file, those, FileFacts::diagnosed)
            }
            // The segments are not looked at: a file may have thousands.
            None => Vec::new(),
        }
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

    /// The facts of the plans about the segments of a file that read as they did when they were planned.
    pub(crate) fn facts(&self, file: &FileId) -> Option<&FileFacts> {
        self.data.plans.facts(file)
    }

    /// The caller that was chosen for the module in a folder; `None`: all that there are.
    pub fn caller(&self, module: &Path) -> Option<&Caller> {
        self.data.callers.get(module)
    }

    /// The callers of the module in a folder, by which a plan of it can be chosen.
    pub fn callers(&self, module: &Path) -> &[ListedCaller] {
        let folder = self.folders_planned().get(module);
        folder.map_or(&[], |folder| folder.callers())
    }

    pub fn what_if(&self) -> &WhatIf {
        &self.data.what_if
    }
}
