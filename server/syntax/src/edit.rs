//! An edit of a file: which of its segments are still those of the text after it, and which are parsed.

use std::borrow::Cow;
use std::ops::Range;

use text::{TextRange, TextSize};

use crate::File;
use crate::effort::Effort;
use crate::file::{ParsedSegment, StoredSegment};

/// The text at `range` is replaced by `text`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Edit<'a> {
    /// At boundaries of characters, in the file as it was.
    pub range: TextRange,
    pub text: &'a str,
}

impl Edit<'_> {
    /// The whole text after the edit.
    pub(crate) fn applied(&self, before: &File) -> String {
        let head = before.slice(TextRange::up_to(self.range.start()));
        let tail = before.slice(TextRange::new(self.range.end(), before.len()));
        [&head, self.text, &tail].concat()
    }
}

/// The effect of an edit on the segments of a file.
pub(crate) struct Cut {
    /// The positions of those that are replaced.
    pub replaced: Range<usize>,
    pub segments: Vec<StoredSegment>,
    /// Which of these had to be parsed; the others are some of the replaced ones, with the number that they had.
    pub parsed: Vec<usize>,
}

/// How many segments ahead are looked at for one whose text comes next: more were deleted or changed at once
/// only in edits that may take their time.
const LOOKAHEAD: usize = 8;

/// Cuts the text after `edit`, from the first segment on that the edit may have changed.
pub(crate) fn cut(before: &File, edit: &Edit<'_>) -> Cut {
    let first = first_affected(before, edit.range.start());
    // The previous segments that may come next, and the position of the first of them.
    let mut rest = before.segments_from(first).peekable();
    let mut next = first;
    let mut offset = rest.peek().map_or(before.len(), |segment| segment.offset);
    let mut ahead = Ahead::new(before, edit, offset);
    let mut segments = Vec::new();
    let mut parsed = Vec::new();
    while offset < ahead.len {
        if let Some(offset_before) = ahead.offset_before(offset) {
            while rest.next_if(|old| old.offset < offset_before).is_some() {
                next += 1;
            }
            let zero = TextSize::new(0);
            let is_same_place = offset_before > zero || offset == zero;
            if is_same_place
                && rest.peek().is_some_and(|old| old.offset == offset_before)
                && before.wasted_from(next) <= ahead.effort.left()
            {
                return Cut {
                    replaced: first..next,
                    segments,
                    parsed,
                };
            }
        }
        let mut window = rest.clone().take(LOOKAHEAD);
        let reused = window.position(|old| {
            let is_same_place = old.offset > TextSize::new(0) || offset == TextSize::new(0);
            is_same_place
                && old.parsed.is_closed
                && ahead.text_from(offset).starts_with(&*old.parsed.text)
        });
        let segment = match reused {
            Some(skipped) => {
                next += skipped + 1;
                rest.nth(skipped).map(StoredSegment::from)
            }
            None => None,
        };
        let segment = segment.unwrap_or_else(|| {
            parsed.push(segments.len());
            ahead.parse(offset)
        });
        offset += segment.parsed.len();
        segments.push(segment);
    }
    Cut {
        replaced: first..before.segment_count(),
        segments,
        parsed,
    }
}

/// The first segment that a change at `start` may change: also one further up, if it depends on the text after it.
fn first_affected(before: &File, start: TextSize) -> usize {
    // At the end of the file, a closed segment in front of the change stays as it is.
    let at = match start < before.len() {
        true => before.index_at(start).unwrap_or(0),
        false => before.segment_count(),
    };
    before
        .first_unclosed()
        .map_or(at, |unclosed| unclosed.min(at))
}

/// The smallest edit that makes `text` of a file.
pub(crate) fn between<'a>(before: &File, text: &'a str) -> Edit<'a> {
    let len = usize::from(before.len());
    let mut prefix = 0;
    for old in before.texts() {
        let common = common_prefix(old.as_bytes(), &text.as_bytes()[prefix..]);
        prefix += common;
        if common < old.len() {
            break;
        }
    }
    prefix = text.floor_char_boundary(prefix);
    // The beginning and the end that are the same must not overlap in either text.
    let longest = len.min(text.len()) - prefix;
    let mut suffix = 0;
    for old in before.texts().rev() {
        let new = &text.as_bytes()[..text.len() - suffix];
        let common = common_suffix(old.as_bytes(), new);
        suffix += common;
        if common < old.len() || suffix >= longest {
            break;
        }
    }
    let end = text.ceil_char_boundary(text.len() - suffix.min(longest));
    let end_before = end + len - text.len();
    Edit {
        range: TextRange::new(size(prefix), size(end_before)),
        text: &text[prefix..end],
    }
}

fn common_prefix(left: &[u8], right: &[u8]) -> usize {
    // Compared in one piece first, because slices compare much faster than bytes one by one.
    if right.starts_with(left) {
        return left.len();
    }
    left.iter().zip(right).take_while(|(l, r)| l == r).count()
}

fn common_suffix(left: &[u8], right: &[u8]) -> usize {
    if right.ends_with(left) {
        return left.len();
    }
    let pairs = left.iter().rev().zip(right.iter().rev());
    pairs.take_while(|(l, r)| l == r).count()
}

/// The text after an edit, as far as it is looked at: a few segments unless one of them depends on more.
struct Ahead<'a> {
    before: &'a File,
    edit: &'a Edit<'a>,
    /// Of the whole text.
    len: TextSize,
    /// The text from `start` on, which may stop before its end.
    window: Cow<'a, str>,
    start: TextSize,
    /// Where items start that are known to have an error.
    hopeless: Vec<TextSize>,
    /// Closed segments cost none of it, so that an edit stops where the first reading of the same text does.
    effort: Effort,
}

impl<'a> Ahead<'a> {
    /// From `start` on, which is in front of the edit.
    fn new(before: &'a File, edit: &'a Edit<'a>, start: TextSize) -> Ahead<'a> {
        let end = edit.range.end();
        let beside = before.index_at(end).into_iter();
        // The segment that the edit ends in and one more, so that it shows where that ends.
        let beside = beside.flat_map(|index| before.segments_from(index).take(2));
        let end = beside.last().map_or(end, |segment| segment.range().end());
        let len = before.len() - edit.range.len() + TextSize::of(edit.text);
        let mut ahead = Ahead {
            before,
            edit,
            len,
            window: Cow::Borrowed(edit.text),
            start,
            hopeless: Vec::new(),
            effort: Effort::for_file(len.into()),
        };
        if !before.is_empty() {
            ahead.look(end);
        }
        ahead
    }

    /// Looks at the text up to a place in the file as it was.
    fn look(&mut self, end_before: TextSize) {
        let Edit { range, text } = *self.edit;
        let head = self.before.slice(TextRange::new(self.start, range.start()));
        let tail = self.before.slice(TextRange::new(range.end(), end_before));
        self.window = Cow::Owned([&head, text, &tail].concat());
    }

    fn text_from(&self, offset: TextSize) -> &str {
        &self.window[usize::from(offset - self.start)..]
    }

    /// The segment at `offset`.
    fn parse(&mut self, offset: TextSize) -> StoredSegment {
        let is_whole = self.start + TextSize::of(&*self.window) == self.len;
        if !is_whole {
            let segment = self.parse_in_window(offset, &[]).0;
            if segment.is_closed {
                return StoredSegment::new(segment);
            }
            self.look(self.before.len());
        }
        let hopeless = self.hopeless.iter();
        let hopeless: Vec<_> = hopeless.filter_map(|at| at.checked_sub(offset)).collect();
        let (segment, more) = self.parse_in_window(offset, &hopeless);
        if !more.is_empty() {
            self.hopeless = more.into_iter().map(|at| at + offset).collect();
        }
        self.effort.spend(segment.wasted);
        StoredSegment::new(segment)
    }

    /// The segment at `offset`, and the places of items with an error that were found.
    fn parse_in_window(
        &self,
        offset: TextSize,
        hopeless: &[TextSize],
    ) -> (ParsedSegment, Vec<TextSize>) {
        let text = self.text_from(offset);
        let is_file_start = offset == TextSize::new(0);
        ParsedSegment::parse(text, is_file_start, hopeless, &self.effort)
    }

    /// The old place of the text from `offset` on, if it is after the changed part.
    fn offset_before(&self, offset: TextSize) -> Option<TextSize> {
        let Edit { range, text } = self.edit;
        let end = range.start() + TextSize::of(*text);
        Some(offset.checked_sub(end)? + range.end())
    }
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}
