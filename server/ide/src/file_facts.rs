//! The things to show in a file, by segment.

use std::collections::BTreeMap;
use std::sync::Arc;

use text::{Chunks, FileId, SegmentId};

use crate::terraform_plan::HoverSource;
use crate::{CodeLens, Hover, InlayHint};

/// The things to show in each file.
pub type Facts = BTreeMap<FileId, FileFacts>;

/// The things that a plan shows in one segment. Ranges and offsets are relative to the segment's start; a diagnostic names
/// its places itself, and is at the segment's start when it has none.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SegmentFacts {
    pub diagnostics: Vec<text::Diagnostic>,
    pub inlay_hints: Vec<InlayHint>,
    pub code_lenses: Vec<CodeLens>,
    /// Those that are made already. The first whose range holds the cursor is shown.
    pub hovers: Vec<Hover>,
}

/// The things that plans show in the segments of a file. A clone costs nothing, and versions share unchanged parts.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    all: BySegment,
    /// Those with diagnostics.
    diagnosed: BySegment,
    /// What further hovers are made from.
    pub(crate) hovers: Vec<Arc<HoverSource>>,
}

/// In the order of the segments' names.
type BySegment = Chunks<(SegmentId, Arc<SegmentFacts>)>;

/// More are rather sorted in at once.
const FEW: usize = 16;

impl SegmentFacts {
    pub fn extend(&mut self, other: &SegmentFacts) {
        self.diagnostics.extend_from_slice(&other.diagnostics);
        self.inlay_hints.extend_from_slice(&other.inlay_hints);
        self.code_lenses.extend_from_slice(&other.code_lenses);
        self.hovers.extend_from_slice(&other.hovers);
    }
}

impl FileFacts {
    pub fn get(&self, segment: SegmentId) -> Option<&Arc<SegmentFacts>> {
        get(&self.all, segment)
    }

    /// The things to show in a segment that has diagnostics.
    pub(crate) fn diagnosed(&self, segment: SegmentId) -> Option<&Arc<SegmentFacts>> {
        get(&self.diagnosed, segment)
    }

    pub(crate) fn diagnosed_segments(&self) -> impl Iterator<Item = SegmentId> {
        self.diagnosed.iter().map(|(id, _)| *id)
    }

    pub(crate) fn has_diagnostics(&self) -> bool {
        !self.diagnosed.is_empty()
    }

    /// The hovers in a segment of the file.
    pub(crate) fn hovers(&self, file: &FileId, segment: SegmentId) -> Vec<Hover> {
        let facts = self.get(segment);
        let made = facts.map(|it| it.hovers.clone()).unwrap_or_default();
        let others = self.hovers.iter().flat_map(|it| it.hovers(file, segment));
        made.into_iter().chain(others).collect()
    }

    /// In the order of the segments' names.
    pub fn iter(&self) -> impl Iterator<Item = (SegmentId, &Arc<SegmentFacts>)> {
        self.all.iter().map(|(segment, facts)| (*segment, facts))
    }

    pub(crate) fn insert(&mut self, segment: SegmentId, facts: Arc<SegmentFacts>) {
        match facts.diagnostics.is_empty() {
            true => remove(&mut self.diagnosed, segment),
            false => insert(&mut self.diagnosed, segment, facts.clone()),
        }
        insert(&mut self.all, segment, facts);
    }

    pub(crate) fn remove(&mut self, segment: SegmentId) {
        remove(&mut self.diagnosed, segment);
        remove(&mut self.all, segment);
    }

    /// Adds more, after the present ones.
    pub fn add(&mut self, more: impl IntoIterator<Item = (SegmentId, Arc<SegmentFacts>)>) {
        let more: Vec<_> = more.into_iter().collect();
        if more.len() <= FEW {
            for (segment, more) in more {
                let facts = match self.get(segment) {
                    Some(known) => both(known, &more),
                    None => more,
                };
                self.insert(segment, facts);
            }
            return;
        }
        let mut all: BTreeMap<_, _> = self.all.iter().cloned().collect();
        for (segment, more) in more {
            let facts = match all.get(&segment) {
                Some(known) => both(known, &more),
                None => more,
            };
            all.insert(segment, facts);
        }
        let has_diagnostics = |(_, facts): &(_, &Arc<SegmentFacts>)| !facts.diagnostics.is_empty();
        let diagnosed = all.iter().filter(has_diagnostics);
        self.diagnosed = diagnosed
            .map(|(segment, facts)| (*segment, facts.clone()))
            .collect();
        self.all = all.into_iter().collect();
    }

    /// Adds all that another plan shows in the file.
    pub fn join(&mut self, more: FileFacts) {
        self.add(more.iter().map(|(segment, it)| (segment, it.clone())));
        self.hovers.extend(more.hovers);
    }

    /// Takes over the segments of a newer plan, and keeps those that it doesn't mention.
    pub(crate) fn update(&mut self, newer: &FileFacts) {
        let (old, _) = self.all.difference(&newer.all, is_same);
        let old = self.all.range(old);
        let kept = old.filter(|(segment, _)| newer.get(*segment).is_none());
        let mut updated = newer.clone();
        updated.add(kept.cloned());
        if updated.hovers.is_empty() {
            updated.hovers = std::mem::take(&mut self.hovers);
        }
        *self = updated;
    }
}

/// Whether they show the same before somebody hovers.
impl PartialEq for FileFacts {
    fn eq(&self, other: &FileFacts) -> bool {
        let (gone, come) = self.all.difference(&other.all, is_same);
        gone.is_empty() && come.is_empty()
    }
}

impl FromIterator<(SegmentId, Arc<SegmentFacts>)> for FileFacts {
    fn from_iter<I: IntoIterator<Item = (SegmentId, Arc<SegmentFacts>)>>(facts: I) -> FileFacts {
        let mut of_file = FileFacts::default();
        of_file.add(facts);
        of_file
    }
}

fn is_same(a: &(SegmentId, Arc<SegmentFacts>), b: &(SegmentId, Arc<SegmentFacts>)) -> bool {
    a.0 == b.0 && (Arc::ptr_eq(&a.1, &b.1) || a.1 == b.1)
}

fn both(facts: &SegmentFacts, more: &SegmentFacts) -> Arc<SegmentFacts> {
    let mut facts = facts.clone();
    facts.extend(more);
    Arc::new(facts)
}

fn find(facts: &BySegment, segment: SegmentId) -> Result<usize, usize> {
    facts.binary_search_by(|(known, _)| known.cmp(&segment))
}

fn get(facts: &BySegment, segment: SegmentId) -> Option<&Arc<SegmentFacts>> {
    let (_, facts) = facts.get(find(facts, segment).ok()?)?;
    Some(facts)
}

fn insert(facts: &mut BySegment, segment: SegmentId, new: Arc<SegmentFacts>) {
    match find(facts, segment) {
        Ok(index) => {
            if let Some((_, known)) = facts.get_mut(index) {
                *known = new;
            }
        }
        Err(index) => *facts = facts.replaced(index..index, &[(segment, new)]),
    }
}

fn remove(facts: &mut BySegment, segment: SegmentId) {
    if let Ok(index) = find(facts, segment) {
        *facts = facts.replaced(index..index + 1, &[]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(names: &[&str]) -> Arc<SegmentFacts> {
        let diagnostic = |name: &&str| text::Diagnostic::warning("word", *name, "", None);
        Arc::new(SegmentFacts {
            diagnostics: names.iter().map(diagnostic).collect(),
            ..SegmentFacts::default()
        })
    }

    fn segment(hash: u64) -> SegmentId {
        SegmentId { hash, nth: 0 }
    }

    fn file(range: std::ops::Range<u64>) -> FileFacts {
        let names = |hash: u64| {
            if hash.is_multiple_of(3) {
                facts(&["a"])
            } else {
                facts(&[])
            }
        };
        range.map(|hash| (segment(hash), names(hash))).collect()
    }

    fn diagnosed(facts: &FileFacts) -> usize {
        let found = facts
            .iter()
            .filter(|(id, _)| facts.diagnosed(*id).is_some());
        found.count()
    }

    #[test]
    fn added_facts_follow_existing_ones() {
        for count in [3, 300] {
            let mut all = file(0..count);
            all.add((0..count).map(|hash| (segment(hash), facts(&["b"]))));
            assert_eq!(all.get(segment(0)), Some(&facts(&["a", "b"])));
            assert_eq!(all.get(segment(1)), Some(&facts(&["b"])));
            assert_eq!(diagnosed(&all), all.iter().count());
        }
    }

    #[test]
    fn a_newer_plan_counts_where_it_speaks() {
        let mut known = file(0..100);
        let mut newer = file(50..150);
        newer.insert(segment(60), facts(&[]));
        newer.remove(segment(63));
        known.update(&newer);
        assert_eq!(known.iter().count(), 150);
        assert_eq!(known.get(segment(60)), Some(&facts(&[])));
        assert_eq!(known.get(segment(63)), Some(&facts(&["a"])));
        assert_eq!(diagnosed(&known), 50 - 1);
        assert!(known.diagnosed(segment(60)).is_none());
    }

    #[test]
    fn equal_facts_are_the_same_however_they_were_made() {
        let mut one_by_one = FileFacts::default();
        for hash in (0..200).rev() {
            one_by_one.add(file(hash..hash + 1).iter().map(|(id, it)| (id, it.clone())));
        }
        assert!(one_by_one == file(0..200));
        assert!(diagnosed(&one_by_one) == diagnosed(&file(0..200)));
        one_by_one.remove(segment(7));
        assert!(one_by_one != file(0..200));
    }
}
