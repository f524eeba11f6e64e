//! Some places, to find out which others they are in.

use std::collections::HashMap;

use crate::{FileId, SegmentId, Span, TextRange};

/// Places, by their segments.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Places(HashMap<(FileId, SegmentId), Vec<TextRange>>);

impl Places {
    /// Whether `span` is inside one of them.
    pub fn contain(&self, span: &Span) -> bool {
        let mut beside = self.beside(span);
        beside.any(|place| place.contains_range(span.range))
    }

    /// Whether one of them is inside `span`.
    pub fn have_one_in(&self, span: &Span) -> bool {
        let mut beside = self.beside(span);
        beside.any(|place| span.range.contains_range(*place))
    }

    fn beside(&self, span: &Span) -> impl Iterator<Item = &TextRange> {
        let places = self.0.get(&(span.file.clone(), span.segment));
        places.into_iter().flatten()
    }
}

impl<'a> FromIterator<&'a Span> for Places {
    fn from_iter<I: IntoIterator<Item = &'a Span>>(spans: I) -> Places {
        let mut places = Places::default();
        for span in spans {
            let segment = (span.file.clone(), span.segment);
            places.0.entry(segment).or_default().push(span.range);
        }
        places
    }
}
