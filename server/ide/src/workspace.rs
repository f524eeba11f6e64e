//! The workspace, owned by the main loop.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use plan::Approved;
use text::{Document, FileId, TextRange};

use crate::snapshot::Data;
use crate::{Caller, Language, PlanTrigger, PlanUpdate, Settings, Snapshot, Trusted, WhatIf};

/// The inputs of all answers. It has one owner, who reports changes to it.
#[derive(Debug, Default)]
pub struct Workspace {
    data: Arc<Data>,
    /// Since the last plan job, the greatest reason for another.
    unplanned: Option<PlanTrigger>,
}

/// A plan to be made. Dropping it, or the work on it, is always safe.
#[derive(Clone, Debug)]
pub struct PlanJob {
    pub snapshot: Snapshot,
    pub reason: PlanTrigger,
}

impl Workspace {
    /// In which languages files may be written, beside HCL. Files that are open already stay in theirs.
    pub fn set_languages(&mut self, languages: Vec<Arc<dyn Language>>) {
        self.changed(PlanTrigger::Edit).languages = languages;
    }

    /// The editor opened `file`, or changed its text.
    pub fn set_document(&mut self, file: FileId, document: Document) {
        let data = self.changed(PlanTrigger::Edit);
        let source = match data.files.get(&file) {
            Some(before) => {
                // Whoever edits looks at it, before the editor reports its visible part.
                let changed = || document.changed_since(before.document()).0;
                data.shown.entry(file.clone()).or_insert_with(changed);
                before.edited(document)
            }
            None => data.source(file.clone(), document),
        };
        data.files.insert(file, Arc::new(source));
    }

    /// The editor closed `file`: its text is that of the disk.
    pub fn close_document(&mut self, file: &FileId) {
        let data = self.changed(PlanTrigger::Edit);
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
        self.changed(PlanTrigger::Save).changes_on_disk += 1;
    }

    /// A file was created, changed or deleted outside the editor.
    pub fn files_changed_on_disk(&mut self) {
        self.changed(PlanTrigger::Edit).changes_on_disk += 1;
    }

    pub fn set_settings(&mut self, settings: Settings) {
        if settings != self.data.settings {
            self.changed(PlanTrigger::Edit).settings = settings;
        }
    }

    /// Says which folders are trusted and which plugins may start. Answers whether that may be less than before.
    pub fn set_trust(&mut self, trusted: Trusted, approved: Approved) -> bool {
        if trusted == self.data.trusted && approved == self.data.approved {
            return false;
        }
        let data = self.changed(PlanTrigger::Edit);
        let is_less =
            data.trusted.takes_more_than(&trusted) || data.approved.takes_more_than(&approved);
        (data.trusted, data.approved) = (trusted, approved);
        is_less
    }

    /// From now on functions read only inside of the workspace, and nothing there that holds secrets by its name, trusted or
    /// not: texts may be a stranger's.
    pub fn confine(&mut self) {
        self.changed(PlanTrigger::Edit).is_confined = true;
    }

    /// Plans from now on as if these files were not on the disk.
    pub fn set_absent(&mut self, absent: BTreeSet<FileId>) {
        if absent != self.data.absent {
            self.changed(PlanTrigger::Edit).absent = absent;
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        Snapshot {
            data: self.data.clone(),
        }
    }

    /// Supposes something else from now on.
    pub fn set_what_if(&mut self, what_if: WhatIf) {
        if what_if != self.data.what_if {
            self.changed(PlanTrigger::Edit).what_if = what_if;
        }
    }

    /// Sets the folder `~` in settings.
    pub fn set_home(&mut self, home: Option<PathBuf>) {
        self.changed(PlanTrigger::Edit).home = home;
    }

    /// The folders that the editor has open, from now on.
    pub fn set_folders(&mut self, folders: Vec<PathBuf>) {
        if folders != self.data.folders {
            self.changed(PlanTrigger::Edit).folders = folders;
        }
    }

    /// Plans the root module in a folder with one of its environments from now on, or with none.
    pub fn choose_environment(&mut self, root: PathBuf, environment: Option<String>) {
        if self.data.environments.get(&root) != Some(&environment) {
            let data = self.changed(PlanTrigger::Edit);
            data.environments.insert(root, environment);
        }
    }

    /// Shows the module in a folder as this caller plans it from now on; `None`: as all do.
    pub fn choose_caller(&mut self, module: PathBuf, caller: Option<Caller>) {
        if self.data.callers.get(&module) != caller.as_ref() {
            let callers = &mut self.changed(PlanTrigger::Edit).callers;
            match caller {
                Some(caller) => drop(callers.insert(module, caller)),
                None => drop(callers.remove(&module)),
            }
        }
    }

    /// Something was read of the world that plans are made from.
    pub fn world_was_read(&mut self) {
        self.changed(PlanTrigger::Edit).reads_of_world += 1;
    }

    /// Asks for a plan although nothing changed.
    pub fn replan(&mut self) {
        self.changed(PlanTrigger::Command);
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

    /// A plan of the changes since the last job; it supersedes that one.
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
    pub fn superseded(&mut self, reason: PlanTrigger) {
        self.unplanned = self.unplanned.max(Some(reason));
    }

    /// Takes in the results of a plan. Answers whether it changes anything that is shown.
    pub fn apply_plan(&mut self, update: PlanUpdate) -> bool {
        Arc::make_mut(&mut Arc::make_mut(&mut self.data).plans).apply(update)
    }

    fn changed(&mut self, reason: PlanTrigger) -> &mut Data {
        self.unplanned = self.unplanned.max(Some(reason));
        let data = Arc::make_mut(&mut self.data);
        data.revision.0 += 1;
        data
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_beginnings_then_the_edited_part_count_as_visible_until_the_editor_reports() {
        let mut workspace = Workspace::default();
        let [edited, open] = ["/a/main.tf", "/b/main.tf"].map(FileId::new);
        workspace.set_document(open.clone(), Document::new(1, "locals {\n}\n"));
        workspace.set_document(edited.clone(), Document::new(1, "locals {\n}\n"));
        let beginning = TextRange::up_to(11.into());
        let both = [&open, &edited].map(|file| (file.clone(), beginning));
        assert_eq!(workspace.snapshot().shown(), both.into());
        workspace.set_document(edited.clone(), Document::new(2, "locals {\n  a = 1\n}\n"));
        let snapshot = workspace.snapshot();
        assert_eq!(snapshot.shown().keys().collect::<Vec<_>>(), [&edited]);
        let range = TextRange::new(0.into(), 3.into());
        workspace.set_shown(edited.clone(), range);
        assert_eq!(workspace.snapshot().shown()[&edited], range);
    }
}
