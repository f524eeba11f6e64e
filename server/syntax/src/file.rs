//! A file as a row of segments, so that an edit costs one block.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use rowan::GreenNode;
use text::{Chunks, Fault, Problem, SegmentId, Span, TextRange, TextSize};

use crate::ast::{Attribute, Block, Ident, Item};
use crate::edit::{self, Cut, Edit};
use crate::effort::Effort;
use crate::json::{self, RootLabels};
use crate::parser::{self, SegmentParse};
use crate::{SyntaxNode, SyntaxToken};

/// A parsed file. Cheap to clone; segments are shared with earlier and later versions of the file.
#[derive(Clone, Debug)]
pub struct File {
    segments: Chunks<StoredSegment>,
    /// Where each chunk of `segments` starts in the file, and where the last one ends.
    starts: Arc<[TextSize]>,
    /// The positions of segments that depend on the text after them, such as those with errors.
    unclosed: Arc<[u32]>,
    /// Whether some segments have the same text.
    has_twins: bool,
    /// Whether there are attributes in the file's body.
    has_attributes: bool,
    /// Errors that no segment has by itself: attributes of the file's body that another segment defines too, and errors
    /// of JSON.
    across: Arc<[(SegmentId, Problem)]>,
    /// In JSON syntax, which blocks the file's body may have.
    json: Option<RootLabels>,
    /// Once somebody asked for it.
    text: Arc<OnceLock<Arc<str>>>,
    positions: Arc<Positions>,
}

/// Where segments are. To look through them for one is quick; after many such looks there is an index.
#[derive(Debug, Default)]
struct Positions {
    looks: AtomicU32,
    index: OnceLock<HashMap<SegmentId, u32>>,
}

/// A segment as a file keeps it: its place is the sum of those before.
#[derive(Clone, Debug)]
pub(crate) struct StoredSegment {
    pub id: SegmentId,
    len: TextSize,
    pub parsed: Arc<ParsedSegment>,
}

/// One top-level attribute or block with the trivia before it. Trivia at the end of the file is a segment too.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub id: SegmentId,
    /// Where the segment starts in the file.
    pub offset: TextSize,
    pub parsed: &'a Arc<ParsedSegment>,
}

/// The results that depend on the text of a segment alone. Ranges are relative to its start.
#[derive(Debug)]
pub struct ParsedSegment {
    pub text: Box<str>,
    /// Made when it is first asked for.
    green: OnceLock<GreenNode>,
    /// One; none in a segment of trivia, or of lines that are no item.
    pub items: Vec<Item>,
    pub errors: Vec<Problem>,
    hash: u64,
    /// Whether this text is this segment wherever it stands; otherwise it depends on the text after it.
    pub(crate) is_closed: bool,
    /// The effort for a segment that is not closed, in bytes that were read.
    pub(crate) wasted: usize,
}

/// The body of a file: the items of its segments, each with the segment its ranges are relative to.
#[derive(Clone, Copy, Debug)]
pub struct FileBody<'a> {
    segments: &'a Chunks<StoredSegment>,
}

/// Of one file.
const REPORTED_ERRORS: usize = 200;

/// Parses a whole configuration file. Always answers; the errors are in [`File::errors`].
pub fn parse(text: &str) -> File {
    let everything = Edit {
        range: TextRange::empty(TextSize::new(0)),
        text,
    };
    File::default().edit(&everything).0
}

/// Parses a configuration file as hclsyntax does: after an error it skips most of the text, and reports few other
/// errors. For commands, which say what Terraform says.
pub fn parse_as_reference(text: &str) -> File {
    let parsed = ParsedSegment::of(text, parser::parse_as_reference(text), 0);
    File::default().after(&Cut {
        replaced: 0..0,
        segments: vec![StoredSegment::new(Arc::new(parsed))],
        parsed: vec![0],
    })
}

/// Parses a whole file in JSON syntax. Properties that `labels` knows are blocks; the others are attributes, or mistakes.
pub fn parse_json(text: &str, labels: RootLabels) -> File {
    File::default().with_json(text, labels).0
}

impl Default for File {
    /// The empty file.
    fn default() -> File {
        File {
            segments: Chunks::default(),
            starts: Arc::from([TextSize::new(0)]),
            unclosed: Arc::default(),
            has_twins: false,
            has_attributes: false,
            across: Arc::default(),
            json: None,
            text: Arc::default(),
            positions: Arc::default(),
        }
    }
}

impl File {
    /// The file after `edit`, sharing the segments that did not change. Also says how many were parsed.
    pub fn edit(&self, edit: &Edit<'_>) -> (File, usize) {
        if edit.range.is_empty() && edit.text.is_empty() {
            return (self.clone(), 0);
        }
        if let Some(labels) = self.json {
            return self.with_json(&edit.applied(self), labels);
        }
        let cut = edit::cut(self, edit);
        (self.after(&cut), cut.parsed.len())
    }

    fn with_json(&self, text: &str, labels: RootLabels) -> (File, usize) {
        let (segments, parsed, errors) = json::cut(text, labels, self);
        let mut file = self.after(&Cut {
            replaced: 0..self.segments.len(),
            parsed: (0..segments.len()).collect(),
            segments,
        });
        file.json = Some(labels);
        (file.with_errors(errors), parsed)
    }

    /// With errors that the text doesn't show. Their ranges are in the file.
    fn with_errors(mut self, errors: impl IntoIterator<Item = Problem>) -> File {
        let placed = errors.into_iter().filter_map(|error| {
            let segment = self.segment_at(error.at.start())?;
            let place = |at: TextSize| (at - segment.offset).min(segment.parsed.len());
            let at = TextRange::new(place(error.at.start()), place(error.at.end()));
            Some((segment.id, Problem { at, ..error }))
        });
        self.across = placed.chain(self.across.iter().cloned()).collect();
        self
    }

    /// Where its bytes are no UTF-8, for which the text has U+FFFD: they begin at `offset`.
    pub fn with_invalid_encoding(self, offset: TextSize) -> File {
        let mark = TextSize::of(char::REPLACEMENT_CHARACTER);
        self.with_errors([error(
            TextRange::at(offset, mark),
            "Invalid character encoding",
            "All input files must be UTF-8 encoded. Ensure that UTF-8 encoding is selected in your editor.",
        )])
    }

    /// A file that is not read. Of its text there is the first line, where an error says why.
    pub fn unread(first_line: &str, summary: &'static str, detail: String) -> File {
        let parsed = ParsedSegment::unread(first_line);
        let range = TextRange::up_to(parsed.len());
        let file = File::default().after(&Cut {
            replaced: 0..0,
            segments: vec![StoredSegment::new(Arc::new(parsed))],
            parsed: vec![0],
        });
        file.with_errors([error(range, summary, detail)])
    }

    /// The native file after a cut.
    fn after(&self, cut: &Cut) -> File {
        let segments = self.segments.replaced(cut.replaced.clone(), &cut.segments);
        let mut after = File {
            starts: self.starts_after(cut, &segments),
            unclosed: self.unclosed_after(cut),
            has_twins: self.has_twins,
            has_attributes: self.has_attributes || has_attributes(&cut.segments),
            across: Arc::default(),
            json: None,
            text: Arc::default(),
            positions: Arc::default(),
            segments,
        };
        if !after.keeps_numbers(cut) {
            after.number();
        }
        if after.has_attributes {
            after.across = redefined_attributes(after.body());
        }
        after
    }

    /// Parses `new_text`, sharing the segments that did not change. Also says how many were parsed.
    pub fn reparse(&self, new_text: &str) -> (File, usize) {
        self.edit(&edit::between(self, new_text))
    }

    /// Where the chunks of `segments` start, which are those of this file but for the newly cut ones.
    fn starts_after(&self, cut: &Cut, segments: &Chunks<StoredSegment>) -> Arc<[TextSize]> {
        let (first, _) = self.segments.locate(cut.replaced.start);
        let (last, _) = self.segments.locate(cut.replaced.end);
        let kept = self.starts.get(last + 2..).unwrap_or_default();
        let mut starts = self.starts[..=first].to_vec();
        let mut end = self.starts[first];
        for chunk in segments
            .chunks()
            .take(segments.chunks().len() - kept.len())
            .skip(first)
        {
            end += chunk.iter().map(|segment| segment.len).sum::<TextSize>();
            starts.push(end);
        }
        let end_before = self.starts[self.starts.len() - 1 - kept.len()];
        starts.extend(kept.iter().map(|start| *start - end_before + end));
        starts.into()
    }

    /// The positions of segments that are not closed, after a cut.
    fn unclosed_after(&self, cut: &Cut) -> Arc<[u32]> {
        let (start, end) = (cut.replaced.start as u32, cut.replaced.end as u32);
        let moved_end = start + cut.segments.len() as u32;
        let before = self.unclosed.iter().filter(|&&index| index < start);
        let new = (start..).zip(&cut.segments);
        let new = new.filter(|(_, segment)| !segment.parsed.is_closed);
        let after = self.unclosed.iter().filter(|&&index| index >= end);
        let after = after.map(|index| index - end + moved_end);
        let new = new.map(|(index, _)| index);
        before.copied().chain(new).chain(after).collect()
    }

    /// Whether all segments are different and thus the first of their text: before a cut they were, and after it
    /// only those that it parsed are new.
    fn keeps_numbers(&self, cut: &Cut) -> bool {
        // More are rather numbered again.
        const FEW: usize = 4;
        if self.has_twins || cut.parsed.len() > FEW {
            return false;
        }
        cut.parsed.iter().all(|&new| {
            let hash = cut.segments[new].id.hash;
            let same = |segment: &&StoredSegment| segment.id.hash == hash;
            self.segments.iter().filter(same).count() == 1
        })
    }

    /// Tells segments of the same text apart.
    fn number(&mut self) {
        let mut seen: HashMap<u64, u32, BuildHasherDefault<Hashed>> = HashMap::default();
        self.has_twins = false;
        for index in 0..self.segments.len() {
            let Some(segment) = self.segments.get(index) else {
                break;
            };
            let count = seen.entry(segment.id.hash).or_default();
            if segment.id.nth != *count
                && let Some(segment) = self.segments.get_mut(index)
            {
                segment.id.nth = *count;
            }
            self.has_twins |= *count > 0;
            *count += 1;
        }
    }

    /// The whole text. It is put together when it is first asked for; [`File::slice`] is cheaper.
    pub fn text(&self) -> &Arc<str> {
        self.text.get_or_init(|| {
            let everything = TextRange::up_to(self.len());
            self.slice(everything).into()
        })
    }

    /// Whether this is the text.
    pub fn has_text(&self, text: &str) -> bool {
        let mut rest = text;
        let is_next = |part| {
            let stripped = rest.strip_prefix(part);
            rest = stripped.unwrap_or_default();
            stripped.is_some()
        };
        self.texts().all(is_next) && rest.is_empty()
    }

    pub fn len(&self) -> TextSize {
        self.starts.last().copied().unwrap_or_default()
    }

    pub fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    /// A part of the text, without places outside of the file.
    pub fn slice(&self, range: TextRange) -> String {
        let mut text = String::with_capacity(range.len().into());
        let first = self.index_at(range.start()).unwrap_or(0);
        for segment in self.segments_from(first) {
            if segment.offset >= range.end() {
                break;
            }
            let Some(part) = segment.range().intersect(range) else {
                continue;
            };
            text.push_str(&segment.parsed.text[part - segment.offset]);
        }
        text
    }

    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> + Clone {
        self.segments_from(0)
    }

    pub fn segment_count(&self) -> usize {
        self.segments.len()
    }

    pub fn body(&self) -> FileBody<'_> {
        FileBody {
            segments: &self.segments,
        }
    }

    /// The segments that are gone and those that have come between two versions, by position: the same beginning and end are left out.
    pub fn difference(&self, after: &File) -> (Range<usize>, Range<usize>) {
        let is_same = |a: &StoredSegment, b: &StoredSegment| {
            a.id == b.id && Arc::ptr_eq(&a.parsed, &b.parsed)
        };
        self.segments.difference(&after.segments, is_same)
    }

    /// The segments from a position on.
    pub fn segments_from(&self, first: usize) -> impl Iterator<Item = Segment<'_>> + Clone {
        let (chunk, index) = self.segments.locate(first);
        let mut offset = self.starts.get(chunk).copied().unwrap_or(self.len());
        let items = self.segments.chunks().skip(chunk).flatten();
        let placed = items.map(move |segment| {
            let start = offset;
            offset += segment.len;
            Segment {
                id: segment.id,
                offset: start,
                parsed: &segment.parsed,
            }
        });
        placed.skip(index)
    }

    /// The segments that have a place in common with `range`, be it their end.
    pub fn segments_touching(&self, range: TextRange) -> impl Iterator<Item = Segment<'_>> + Clone {
        let before = range.start().checked_sub(TextSize::new(1));
        let first = self.index_at(before.unwrap_or_default());
        let segments = self.segments_from(first.unwrap_or(0));
        segments.take_while(move |segment| segment.offset <= range.end())
    }

    pub(crate) fn texts(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.segments.iter().map(|segment| &*segment.parsed.text)
    }

    /// All errors, with the segment that their range is relative to.
    pub fn errors(&self) -> impl Iterator<Item = (SegmentId, &Problem)> {
        self.unclosed
            .iter()
            .filter_map(|&index| self.segments.get(index as usize))
            .flat_map(|segment| {
                segment
                    .parsed
                    .errors
                    .iter()
                    .map(|error| (segment.id, error))
            })
            .chain(self.across.iter().map(|(id, error)| (*id, error)))
    }

    /// The errors that are worth telling: a text that has more is no configuration.
    pub fn reported_errors(&self) -> impl Iterator<Item = (SegmentId, &Problem)> {
        self.errors().take(REPORTED_ERRORS)
    }

    /// Whether anything is wrong in the segment.
    pub fn is_broken(&self, id: SegmentId) -> bool {
        self.segment(id)
            .is_some_and(|segment| !segment.parsed.errors.is_empty())
            || self.across.iter().any(|(segment, _)| *segment == id)
    }

    /// The first segment that depends on the text after it.
    pub(crate) fn first_unclosed(&self) -> Option<usize> {
        self.unclosed.first().map(|&index| index as usize)
    }

    /// The effort for segments that are not closed, from a position on.
    pub(crate) fn wasted_from(&self, start: usize) -> usize {
        let unclosed = self.unclosed.iter().rev().map(|&index| index as usize);
        let unclosed = unclosed.take_while(|index| *index >= start);
        let segments = unclosed.filter_map(|index| self.segments.get(index));
        segments.fold(0, |sum, segment| sum.saturating_add(segment.parsed.wasted))
    }

    pub fn segment(&self, id: SegmentId) -> Option<Segment<'_>> {
        self.segments_from(self.position(id)?).next()
    }

    fn position(&self, id: SegmentId) -> Option<usize> {
        const MANY: u32 = 64;
        if self.positions.looks.fetch_add(1, Ordering::Relaxed) < MANY {
            return self.segments.iter().position(|segment| segment.id == id);
        }
        let index = self.positions.index.get_or_init(|| {
            let ids = self.segments.iter().map(|segment| segment.id);
            ids.zip(0..).collect()
        });
        index.get(&id).map(|&position| position as usize)
    }

    /// The segment that holds `offset`; at a boundary the one that starts there.
    pub fn segment_at(&self, offset: TextSize) -> Option<Segment<'_>> {
        self.segments_from(self.index_at(offset)?).next()
    }

    /// The position of the segment that holds `offset`; after the end of the file, of the last segment.
    pub(crate) fn index_at(&self, offset: TextSize) -> Option<usize> {
        let chunks = &self.starts[..self.starts.len() - 1];
        let chunk = chunks.partition_point(|start| *start <= offset);
        let chunk = chunk.checked_sub(1)?;
        let mut end = self.starts[chunk];
        let before = self.segments.start_of(chunk);
        let items = self.segments.chunks().nth(chunk)?;
        let index = items.iter().position(|segment| {
            end += segment.len;
            offset < end
        });
        Some(before + index.unwrap_or(items.len() - 1))
    }

    /// Where the segment starts; `None` when this version of the file has no such segment.
    pub fn offset_of(&self, id: SegmentId) -> Option<TextSize> {
        self.segment(id).map(|segment| segment.offset)
    }

    /// The place in this version of the file. The span's file is the caller's business.
    pub fn resolve(&self, span: &Span) -> Option<TextRange> {
        self.offset_of(span.segment)
            .map(|offset| span.range + offset)
    }

    /// The tokens that touch `offset` (absolute), in the tree of their segment.
    pub fn syntax_at(
        &self,
        offset: TextSize,
    ) -> Option<(Segment<'_>, rowan::TokenAtOffset<SyntaxToken>)> {
        let segment = self.segment_at(offset)?;
        let offset = offset - segment.offset;
        // A file that is too long to be read has the tree of its first line.
        let is_inside = offset <= segment.parsed.len();
        is_inside.then(|| (segment, segment.parsed.syntax().token_at_offset(offset)))
    }
}

fn has_attributes(segments: &[StoredSegment]) -> bool {
    let items = segments.iter().flat_map(|segment| &segment.parsed.items);
    items
        .into_iter()
        .any(|item| matches!(item, Item::Attribute(_)))
}

/// The hash of a text is a hash already.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = self.0.rotate_left(8) ^ u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl StoredSegment {
    /// The first of its text.
    pub(crate) fn new(parsed: impl Into<Arc<ParsedSegment>>) -> StoredSegment {
        let parsed = parsed.into();
        StoredSegment {
            id: SegmentId {
                hash: parsed.hash,
                nth: 0,
            },
            len: parsed.len(),
            parsed,
        }
    }
}

impl From<Segment<'_>> for StoredSegment {
    fn from(segment: Segment<'_>) -> StoredSegment {
        StoredSegment {
            id: segment.id,
            len: segment.parsed.len(),
            parsed: segment.parsed.clone(),
        }
    }
}

impl Segment<'_> {
    pub fn range(&self) -> TextRange {
        TextRange::at(self.offset, self.parsed.len())
    }
}

impl ParsedSegment {
    /// The segment at the front of `text`, and where items start that an error is in. Behind too many mistakes it is all
    /// of the text, with one error.
    pub(crate) fn parse(
        text: &str,
        is_file_start: bool,
        hopeless: &[TextSize],
        effort: &Effort,
    ) -> (ParsedSegment, Vec<TextSize>) {
        let left = effort.left();
        let mut segment = parser::parse_segment(text, is_file_start, hopeless, effort);
        let mut wasted = left - effort.left();
        if effort.is_spent() {
            segment = SegmentParse::unread(text);
            wasted = usize::MAX;
        }
        effort.reset(left);
        let hopeless = std::mem::take(&mut segment.hopeless);
        segment.errors.shrink_to_fit();
        segment.items.shrink_to_fit();
        let wasted = if segment.is_closed { 0 } else { wasted };
        (ParsedSegment::of(text, segment, wasted), hopeless)
    }

    fn of(text: &str, segment: SegmentParse, wasted: usize) -> ParsedSegment {
        let text = &text[..segment.len];
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        ParsedSegment {
            text: text.into(),
            green: segment.green.map_or_else(OnceLock::new, OnceLock::from),
            items: segment.items,
            errors: segment.errors,
            hash: hasher.finish(),
            is_closed: segment.is_closed,
            wasted,
        }
    }

    /// A piece of JSON. `hash` distinguishes it from others also by its surroundings.
    pub(crate) fn of_json(
        text: &str,
        green: GreenNode,
        item: Option<Item>,
        hash: u64,
    ) -> ParsedSegment {
        ParsedSegment {
            text: text.into(),
            green: OnceLock::from(green),
            items: Vec::from_iter(item),
            errors: Vec::new(),
            hash,
            is_closed: true,
            wasted: 0,
        }
    }

    fn unread(text: &str) -> ParsedSegment {
        ParsedSegment {
            text: text.into(),
            green: OnceLock::new(),
            items: Vec::new(),
            errors: Vec::new(),
            hash: 0,
            is_closed: true,
            wasted: 0,
        }
    }

    pub fn len(&self) -> TextSize {
        TextSize::of(&*self.text)
    }

    /// The root of the lossless tree.
    pub fn syntax(&self) -> SyntaxNode {
        let green = self.green.get_or_init(|| parser::tree(&self.text));
        SyntaxNode::new_root(green.clone())
    }
}

impl<'a> FileBody<'a> {
    pub fn items(self) -> impl Iterator<Item = (SegmentId, &'a Item)> {
        self.segments
            .iter()
            .flat_map(|segment| segment.parsed.items.iter().map(|item| (segment.id, item)))
    }

    pub fn attributes(self) -> impl Iterator<Item = (SegmentId, &'a Arc<Attribute>)> {
        self.items().filter_map(|(id, item)| match item {
            Item::Attribute(attribute) => Some((id, attribute)),
            Item::Member(member) => Some((id, member.attribute())),
            Item::Block(_) => None,
        })
    }

    pub fn blocks(self) -> impl Iterator<Item = (SegmentId, &'a Arc<Block>)> {
        self.items().filter_map(|(id, item)| match item {
            Item::Block(block) => Some((id, block)),
            Item::Attribute(_) | Item::Member(_) => None,
        })
    }
}

/// A violation of the syntax. Wording as in hclsyntax.
pub(crate) fn error(range: TextRange, summary: &'static str, detail: impl Into<String>) -> Problem {
    Problem::error("syntax", summary, detail, range)
}

/// Of an argument that is set again.
pub(crate) fn redefined(name: &Ident) -> Problem {
    let detail = format!(
        "The argument {:?} was already set. Each argument may be set only once.",
        name.name
    );
    error(name.range, "Attribute redefined", detail).with_fault(Fault::ArgumentRedefined)
}

/// Attributes of the file's body that an earlier segment defines too.
fn redefined_attributes(body: FileBody<'_>) -> Arc<[(SegmentId, Problem)]> {
    let mut names = HashSet::new();
    let mut errors = Vec::new();
    for (id, item) in body.items() {
        // Of JSON it is for the reader of the file to say.
        let Item::Attribute(attribute) = item else {
            continue;
        };
        let name = &attribute.name;
        if attribute.equals.is_some() && !names.insert(&name.name) {
            errors.push((id, redefined(name)));
        }
    }
    errors.into()
}
