//! Edits of the text of files.

use std::collections::BTreeMap;

use crate::{FileId, TextRange, TextSize};

/// A replacement of a part of a text. Those of one list are in order and don't overlap.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Replacement {
    pub range: TextRange,
    pub text: String,
}

impl Replacement {
    pub fn replace(range: TextRange, text: impl Into<String>) -> Replacement {
        Replacement {
            range,
            text: text.into(),
        }
    }

    pub fn insert(offset: TextSize, text: impl Into<String>) -> Replacement {
        Replacement::replace(TextRange::empty(offset), text)
    }

    pub fn delete(range: TextRange) -> Replacement {
        Replacement::replace(range, "")
    }
}

/// The text after the edits.
pub fn apply(text: &str, edits: &[Replacement]) -> String {
    let mut result = String::with_capacity(text.len());
    let mut done = TextSize::new(0);
    for edit in edits {
        result.push_str(&text[TextRange::new(done, edit.range.start())]);
        result.push_str(&edit.text);
        done = edit.range.end();
    }
    result.push_str(&text[usize::from(done)..]);
    result
}

/// Edits of several files, and new files. The edits of a file are in order and don't overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edits {
    pub files: BTreeMap<FileId, Vec<Replacement>>,
    pub created: BTreeMap<FileId, String>,
}

impl Edits {
    /// Of one file. `edits` are in order and don't overlap.
    pub fn of(file: &FileId, edits: Vec<Replacement>) -> Edits {
        Edits {
            files: BTreeMap::from([(file.clone(), edits)]),
            created: BTreeMap::new(),
        }
    }

    /// What stands at `range` becomes `text`. What is said twice is done once.
    pub fn replace(&mut self, file: &FileId, range: TextRange, text: impl Into<String>) {
        let edits = self.files.entry(file.clone()).or_default();
        let key = (range.start(), range.end());
        if let Err(place) =
            edits.binary_search_by_key(&key, |it| (it.range.start(), it.range.end()))
        {
            edits.insert(place, Replacement::replace(range, text));
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.created.is_empty()
    }

    /// A file's text after the edits.
    pub fn applied(&self, file: &FileId, before: &str) -> String {
        let edits = self.files.get(file).map(Vec::as_slice);
        apply(before, edits.unwrap_or_default())
    }
}
