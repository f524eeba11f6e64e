//! Some places, to find out which others they are in.

use std::collections::HashMap;

use crate::{FileId, SegmentId, Span, TextRange};

/// Places, by their segments: in each in the order of the text.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Places(HashMap<(FileId, SegmentId), Vec<TextRange>>);

impl Places {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `span` is inside one of them.
    pub fn contain(&self, span: &Span) -> bool {
        let beside = self.beside(span).iter();
        let mut before = beside.take_while(|place| place.start() <= span.range.start());
        before.any(|place| place.contains_range(span.range))
    }

    /// Whether one of them is inside `span`.
    pub fn have_one_in(&self, span: &Span) -> bool {
        let beside = self.beside(span);
        let first = beside.partition_point(|place| place.start() < span.range.start());
        let mut inside = beside[first..]
            .iter()
            .take_while(|place| place.start() <= span.range.end());
        inside.any(|place| span.range.contains_range(*place))
    }

    /// Whether one of them is in the segment of `span`.
    pub fn have_one_beside(&self, span: &Span) -> bool {
        !self.beside(span).is_empty()
    }

    fn beside(&self, span: &Span) -> &[TextRange] {
        let places = self.0.get(&(span.file.clone(), span.segment));
        places.map(Vec::as_slice).unwrap_or_default()
    }
}

impl<'a> FromIterator<&'a Span> for Places {
    fn from_iter<I: IntoIterator<Item = &'a Span>>(spans: I) -> Places {
        let mut places = Places::default();
        for span in spans {
            let segment = (span.file.clone(), span.segment);
            places.0.entry(segment).or_default().push(span.range);
        }
        for ranges in places.0.values_mut() {
            ranges.sort_unstable_by_key(|it| it.start());
        }
        places
    }
}
