//! How a plan is asked for, and how its results come back.

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use text::FileId;

use crate::joined_folder;
use crate::{Checks, ChecksOfRoots, Facts, FileFacts, Folders, ModuleContext, ModuleContexts};

/// Counts the changes of a workspace: of texts, files, settings and trust.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Revision(pub(crate) u64);

/// The results of a plan, whole or in part.
#[derive(Clone, Debug)]
pub struct PlanUpdate {
    /// The revision of the job's snapshot.
    pub revision: Revision,
    pub facts: Facts,
    /// The folders that it planned.
    pub known: Folders,
    /// Modules of folders without a plan, known only by their declarations.
    pub declared: ModuleContexts,
    /// Errors in them without a plan. Comes before the plan.
    pub checks: ChecksOfRoots,
    /// The folder of the root module that it is about, if that is one, and how far the plan of it is.
    pub root: Option<(PathBuf, Stage)>,
    /// Nothing more comes from this plan: places that no update named have nothing to show.
    pub is_complete: bool,
}

impl PlanUpdate {
    /// An update without results yet.
    pub fn empty(revision: Revision) -> PlanUpdate {
        PlanUpdate {
            revision,
            facts: Facts::new(),
            known: Folders::new(),
            declared: ModuleContexts::new(),
            checks: ChecksOfRoots::new(),
            root: None,
            is_complete: false,
        }
    }
}

/// How far the plan of a root module is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Begun,
    /// The visible part is planned.
    Shown,
    /// It is planned, and will be published together with other root modules.
    Unpublished,
    /// It takes long, and the results so far have been published.
    Waiting,
    Planned,
}

/// How much of the shown text comes from a plan of the current texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanState {
    Fresh,
    /// A plan of the current texts is not ready; unchanged segments show the last one.
    Stale,
    /// Planning is paused.
    Off,
}

/// The results of the plans so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plans {
    /// The revision of the last plan with results.
    revision: Revision,
    facts: Facts,
    pub(crate) folders: Folders,
    /// Those of them that are modules of Terraform.
    pub(crate) known: ModuleContexts,
    checks: BTreeMap<PathBuf, (Revision, Arc<Checks>)>,
    /// The newest revision that each root module was wholly planned at.
    planned: BTreeMap<PathBuf, Revision>,
    /// The files that the whole plan of each root module spoke of.
    reported: BTreeMap<PathBuf, BTreeSet<FileId>>,
    pub(crate) complete: Option<Revision>,
}

impl Plans {
    /// Takes in `update`, unless a later plan has said something already. Answers whether something changed.
    pub(crate) fn apply(&mut self, update: PlanUpdate) -> bool {
        let revision = update.revision;
        if revision < self.revision {
            return false;
        }
        self.revision = revision;
        let mut is_changed = false;
        for (root, checks) in update.checks {
            let before = self.checks.insert(root, (revision, checks.clone()));
            is_changed |= before.is_none_or(|(_, before)| *before != *checks);
        }
        if update.is_complete {
            // It names everything that is planned: a folder that it leaves out is no longer planned.
            self.complete = Some(revision);
            self.planned.clear();
            (self.folders, self.known) = Default::default();
            self.learn(update.known, update.declared);
            is_changed |= self.facts != update.facts;
            self.facts = update.facts;
            self.checks.retain(|_, (since, _)| {
                is_changed |= *since < revision;
                *since >= revision
            });
            let checks = &self.checks;
            self.reported.retain(|root, _| checks.contains_key(root));
        } else if let Some((root, Stage::Planned)) = update.root {
            self.learn(update.known, update.declared);
            is_changed |= self.replace_facts(&root, update.facts);
            self.planned.insert(root, revision);
        } else {
            self.learn(update.known, update.declared);
            for (file, newer) in &update.facts {
                let facts = self.facts.entry(file.clone()).or_default();
                let before = facts.clone();
                facts.update(newer);
                is_changed |= *facts != before;
            }
        }
        is_changed
    }

    fn learn(&mut self, known: Folders, declared: ModuleContexts) {
        self.known.extend(declared);
        for (dir, folder) in known {
            let mut parts = joined_folder::parts(&folder).iter();
            let of_terraform = parts.find_map(|part| {
                let any: Arc<dyn Any + Send + Sync> = part.clone();
                any.downcast::<ModuleContext>().ok()
            });
            match of_terraform {
                Some(known) => drop(self.known.insert(dir.clone(), known)),
                None => drop(self.known.remove(&dir)),
            }
            self.folders.insert(dir, folder);
        }
    }

    /// Takes in all that the plan of one root module says. Answers whether something changed.
    fn replace_facts(&mut self, root: &Path, facts: Facts) -> bool {
        let files = facts.keys().cloned().collect();
        let before = self
            .reported
            .insert(root.to_owned(), files)
            .unwrap_or_default();
        let mut is_changed = false;
        for file in before {
            if !self.reported.values().any(|files| files.contains(&file)) {
                is_changed |= self.facts.remove(&file).is_some();
            }
        }
        for (file, newer) in facts {
            is_changed |= self.facts.get(&file) != Some(&newer);
            self.facts.insert(file, newer);
        }
        is_changed
    }

    /// The facts of the plans about a file.
    pub(crate) fn facts(&self, file: &FileId) -> Option<&FileFacts> {
        self.facts.get(file)
    }

    pub(crate) fn files_with_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        let facts = self.facts.iter();
        let diagnosed = facts.filter(|(_, facts)| facts.has_diagnostics());
        diagnosed.map(|(file, _)| file)
    }

    /// The diagnostics of the checks in a file.
    pub(crate) fn checks(&self, file: &FileId) -> impl Iterator<Item = &text::Diagnostic> {
        let roots = self.checks.values();
        roots.flat_map(move |(_, checks)| checks.of_file(file))
    }

    /// The folder of the root module that a file was checked with: the innermost, if several hold it.
    pub(crate) fn root_of(&self, file: &FileId) -> Option<&Path> {
        let has_it = |(_, (_, checks)): &(&PathBuf, &(Revision, Arc<Checks>))| checks.has(file);
        let roots = self
            .checks
            .iter()
            .filter(has_it)
            .map(|(root, _)| root.as_path());
        roots.max_by_key(|root| root.as_os_str().len())
    }

    /// Whether the module in `folder` was wholly planned at `revision`: by itself, or with a root module that has one of
    /// its `files`.
    pub(crate) fn is_planned<'a>(
        &self,
        folder: &Path,
        files: impl IntoIterator<Item = &'a FileId>,
        revision: Revision,
    ) -> bool {
        let is_planned = |root: &Path| self.planned.get(root) == Some(&revision);
        let mut roots = files.into_iter().filter_map(|file| self.root_of(file));
        self.complete == Some(revision) || is_planned(folder) || roots.any(is_planned)
    }

    /// Whether a file was checked as it was at `revision`.
    pub(crate) fn is_checked(&self, revision: Revision) -> bool {
        self.complete.is_some_and(|complete| complete >= revision)
            || self.checks.values().any(|(since, _)| *since >= revision)
    }
}
