//! How a plan is asked for, and how its results come back.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use text::{FileId, SegmentId};

use crate::{Checks, ChecksOfRoots, CodeLens, Hover, InlayHint, KnownModules, Snapshot};

/// Counts the changes of a workspace: of texts, files, settings and trust.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Revision(pub(crate) u64);

/// A plan to be made. Dropping it, or the work on it, is always safe.
#[derive(Clone, Debug)]
pub struct PlanJob {
    pub snapshot: Snapshot,
    pub reason: PlanReason,
}

/// What a plan was asked for. Later reasons allow all that earlier ones do, so a superseded job hands its reason
/// on when it is the greater one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlanReason {
    Edit,
    Save,
    Command,
}

/// What a plan found out, whole or in part.
#[derive(Clone, Debug)]
pub struct PlanUpdate {
    /// The revision of the job's snapshot.
    pub revision: Revision,
    pub facts: BTreeMap<FileId, BTreeMap<SegmentId, Arc<SegmentFacts>>>,
    /// What is known of the modules that it planned.
    pub known: KnownModules,
    /// What is wrong in them without a plan. Comes before the plan.
    pub checks: ChecksOfRoots,
    /// Nothing more comes from this plan: what no update named has nothing to show.
    pub is_complete: bool,
}

/// What a plan says about one segment. Ranges and offsets are relative to the segment's start; a diagnostic names
/// its places itself, and is at the segment's start when it has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SegmentFacts {
    pub diagnostics: Vec<text::Diagnostic>,
    pub inlay_hints: Vec<InlayHint>,
    pub code_lenses: Vec<CodeLens>,
    /// The first whose range holds the cursor is shown.
    pub hovers: Vec<Hover>,
}

impl SegmentFacts {
    pub fn extend(&mut self, other: &SegmentFacts) {
        self.diagnostics.extend_from_slice(&other.diagnostics);
        self.inlay_hints.extend_from_slice(&other.inlay_hints);
        self.code_lenses.extend_from_slice(&other.code_lenses);
        self.hovers.extend_from_slice(&other.hovers);
    }
}

/// How much of what is shown comes from a plan of the current texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlanState {
    Fresh,
    /// A plan of the current texts is not ready; unchanged segments show the last one.
    Stale,
    /// Planning is paused.
    Off,
}

/// What the plans so far say.
#[derive(Clone, Debug, Default)]
pub(crate) struct Plans {
    segments: BTreeMap<FileId, BTreeMap<SegmentId, (Revision, Arc<SegmentFacts>)>>,
    pub(crate) known: KnownModules,
    checks: BTreeMap<PathBuf, (Revision, Arc<Checks>)>,
    pub(crate) complete: Option<Revision>,
}

impl Plans {
    /// Takes in `update`, except where a later plan has said something already. Answers whether something changed.
    pub(crate) fn apply(&mut self, update: PlanUpdate) -> bool {
        let revision = update.revision;
        let mut is_changed = false;
        let is_newest = self.complete.is_none_or(|complete| complete <= revision);
        if update.is_complete && is_newest {
            // It names all that is planned: what it leaves out is not any more.
            self.known = update.known;
        } else if is_newest {
            // A plan that was dropped may still say something.
            self.known.extend(update.known);
        }
        for (file, segments) in update.facts {
            let known = self.segments.entry(file).or_default();
            for (segment, facts) in segments {
                let before = known.get(&segment);
                if before.is_none_or(|(since, _)| *since <= revision) {
                    is_changed |= before
                        .is_none_or(|(_, before)| !Arc::ptr_eq(before, &facts) && *before != facts);
                    known.insert(segment, (revision, facts));
                }
            }
        }
        for (root, checks) in update.checks {
            let before = self.checks.get(&root);
            if before.is_none_or(|(since, _)| *since <= revision) {
                is_changed |= before.is_none_or(|(_, before)| *before != checks);
                self.checks.insert(root, (revision, checks));
            }
        }
        if update.is_complete && is_newest {
            self.complete = Some(revision);
            self.segments.retain(|_, segments| {
                segments.retain(|_, (since, _)| {
                    is_changed |= *since < revision;
                    *since >= revision
                });
                !segments.is_empty()
            });
            self.checks.retain(|_, (since, _)| {
                is_changed |= *since < revision;
                *since >= revision
            });
        }
        is_changed
    }

    pub(crate) fn files_with_diagnostics(&self) -> impl Iterator<Item = &FileId> {
        let has_diagnostics = |segments: &BTreeMap<_, (_, Arc<SegmentFacts>)>| {
            segments
                .values()
                .any(|(_, facts)| !facts.diagnostics.is_empty())
        };
        let files = self.segments.iter();
        files
            .filter(move |(_, segments)| has_diagnostics(segments))
            .map(|(file, _)| file)
    }

    /// What the checks say of a file.
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

    /// Whether a file was checked as it was at `revision`.
    pub(crate) fn is_checked(&self, revision: Revision) -> bool {
        self.complete.is_some_and(|complete| complete >= revision)
            || self.checks.values().any(|(since, _)| *since >= revision)
    }

    pub(crate) fn facts(&self, file: &FileId, segment: SegmentId) -> Option<&SegmentFacts> {
        Some(&self.segments.get(file)?.get(&segment)?.1)
    }
}
