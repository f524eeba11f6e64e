//! Facts about the texts in the making.

use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use text::{Diagnostic, FileId, SegmentId, Span, TextSize};

use crate::{Facts, SegmentFacts};

/// The facts so far, by file and segment.
#[derive(Default)]
pub(crate) struct FactsBuilder {
    pub(crate) files: BTreeMap<FileId, BTreeMap<SegmentId, Arc<SegmentFacts>>>,
    /// Where lines with a hint start: a block may have very many.
    hinted_lines: HashSet<(FileId, SegmentId, TextSize)>,
    /// The place, summary and detail of each diagnostic.
    messages: HashSet<(Span, String, String)>,
}

impl FactsBuilder {
    pub(crate) fn at(&mut self, span: &Span) -> &mut SegmentFacts {
        let segments = self.files.entry(span.file.clone()).or_default();
        Arc::make_mut(segments.entry(span.segment).or_default())
    }

    /// Marks the line that starts at an offset of the segment as one with a hint. False: it had one already.
    pub(crate) fn takes_hint(&mut self, span: &Span, line_start: TextSize) -> bool {
        self.hinted_lines
            .insert((span.file.clone(), span.segment, line_start))
    }

    pub(crate) fn built(self) -> Facts {
        let facts = self.files.into_iter();
        facts
            .map(|(file, segments)| (file, segments.into_iter().collect()))
            .collect()
    }
}

/// A message that stands at its place already isn't repeated: a static check and the evaluation may find the same.
pub(crate) fn put(diagnostic: Diagnostic, facts: &mut FactsBuilder) {
    let Some(span) = &diagnostic.subject else {
        return;
    };
    let (summary, detail) = (diagnostic.summary.clone(), diagnostic.detail.clone());
    if facts.messages.insert((span.clone(), summary, detail)) {
        facts.at(span).diagnostics.push(diagnostic);
    }
}
