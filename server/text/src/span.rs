//! Places in the source that survive edits elsewhere in the file.
//!
//! A file is cut into segments, one for each top-level block or attribute. A range inside a segment is
//! relative to the segment's start, so what was computed from one block stays valid, with its ranges, while
//! text above it grows or shrinks. Ranges become absolute once, where a result leaves the engine.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::TextRange;

/// A file, named by its absolute path in the form of [`path`](crate::path), or a document of an editor that is none, named by its URI.
/// Cheap to clone.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(Arc<str>);

impl FileId {
    pub fn new(path: impl Into<Arc<str>>) -> FileId {
        let written = path.into();
        match crate::path(&written) {
            Cow::Borrowed(_) => FileId(written),
            Cow::Owned(path) => FileId(path.into()),
        }
    }

    pub fn path(&self) -> &str {
        &self.0
    }

    /// The last part of the path.
    pub fn name(&self) -> &str {
        let path = match self.scheme() {
            Some(_) => self.0.split(['?', '#']).next().unwrap_or(&self.0),
            None => &self.0,
        };
        path.rsplit('/').next().unwrap_or(path)
    }

    /// Of a document that is no file, like the old side of a comparison: `git`, `untitled`.
    pub fn scheme(&self) -> Option<&str> {
        let (scheme, _) = self.0.split_once(':')?;
        // One letter before the colon is a drive.
        (scheme.len() > 1 && !scheme.contains('/')).then_some(scheme)
    }
}

impl fmt::Debug for FileId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A segment of a file, named by its content: the hash of its text, and how many segments with the same hash
/// stand above it in the file.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SegmentId {
    pub hash: u64,
    pub nth: u32,
}

/// A range inside one segment of a file; `range` is relative to the segment's start, in UTF-8 bytes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Span {
    pub file: FileId,
    pub segment: SegmentId,
    pub range: TextRange,
}

impl Span {
    /// True if `inner` lies in this span.
    pub fn contains(&self, inner: &Span) -> bool {
        (&self.file, self.segment) == (&inner.file, inner.segment)
            && self.range.contains_range(inner.range)
    }
}
