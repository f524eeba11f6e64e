//! Edits of the text of files.

use std::collections::BTreeMap;

pub use syntax::FormatEdit as Edit;
use syntax::Segment;
use text::{FileId, TextRange, TextSize};

use crate::Modules;

/// Edits of several files, and new files. The edits of a file are in order and don't overlap.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Edits {
    pub files: BTreeMap<FileId, Vec<Edit>>,
    pub created: BTreeMap<FileId, String>,
}

impl Edits {
    /// What stands at `range` becomes `text`. What is said twice is done once.
    pub fn replace(&mut self, file: &FileId, range: TextRange, text: impl Into<String>) {
        let edits = self.files.entry(file.clone()).or_default();
        let key = (range.start(), range.end());
        if let Err(place) =
            edits.binary_search_by_key(&key, |it| (it.range.start(), it.range.end()))
        {
            let text = text.into();
            edits.insert(place, Edit { range, text });
        }
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty() && self.created.is_empty()
    }

    /// Where the edits shift what was laid out as `terraform fmt` does, lays it out again.
    pub fn keep_layout(&mut self, modules: &Modules) {
        for (file, edits) in &mut self.files {
            let native = modules.file(file);
            let Some(syntax) = native.filter(|_| !file.name().ends_with(".json")) else {
                continue;
            };
            let mut rest = std::mem::take(edits).into_iter().peekable();
            while let Some(first) = rest.next() {
                let Some(segment) = syntax.segment_at(first.range.start()) else {
                    edits.push(first);
                    continue;
                };
                let end = segment.range().end();
                let mut inside = vec![first];
                inside.extend(std::iter::from_fn(|| {
                    rest.next_if(|it| it.range.end() <= end)
                }));
                let laid_out = laid_out(&segment, &inside);
                edits.extend(laid_out.unwrap_or(inside));
            }
        }
    }

    /// A file's text after the edits.
    pub fn applied(&self, file: &FileId, before: &str) -> String {
        let edits = self.files.get(file).map(Vec::as_slice);
        syntax::apply(before, edits.unwrap_or_default())
    }
}

/// The edits of a segment with those that lay it out again: of whole lines. `None` where there is nothing to add.
fn laid_out(segment: &Segment<'_>, edits: &[Edit]) -> Option<Vec<Edit>> {
    let before = &*segment.parsed.text;
    if syntax::format(before)? != before {
        return None;
    }
    let inside: Vec<Edit> = edits
        .iter()
        .map(|edit| Edit {
            range: edit.range - segment.offset,
            text: edit.text.clone(),
        })
        .collect();
    let after = syntax::apply(before, &inside);
    let formatted = syntax::format(&after).filter(|formatted| *formatted != after)?;
    if before.lines().count() != formatted.lines().count() {
        return None;
    }
    let mut at = segment.offset;
    let mut lines = Vec::new();
    let pairs = before
        .split_inclusive('\n')
        .zip(formatted.split_inclusive('\n'));
    for (old, new) in pairs {
        let end = at + TextSize::of(old);
        if old != new {
            lines.push(Edit {
                range: TextRange::new(at, end),
                text: new.to_owned(),
            });
        }
        at = end;
    }
    Some(lines)
}
