//! A file as a row of segments, so that an edit costs one block.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use rowan::GreenNode;
use text::{SegmentId, Span, TextRange, TextSize};

use crate::ast::{Attribute, Block, Item};
use crate::json::{self, RootLabels};
use crate::parser::{self, ATTRIBUTE_REDEFINED};
use crate::{SyntaxNode, SyntaxToken};

/// A parsed file. Cheap to clone; segments are shared with earlier and later versions of the file.
#[derive(Clone, Debug)]
pub struct File {
    text: Arc<str>,
    segments: Arc<[Segment]>,
    /// The segments that have errors, by position.
    broken: Arc<[u32]>,
    /// Errors that no segment has by itself: attributes of the file's body that another segment defines too, and what is
    /// wrong with JSON.
    across: Arc<[(SegmentId, SyntaxError)]>,
    /// In JSON syntax, which blocks the file's body may have.
    json: Option<RootLabels>,
}

/// One top-level attribute or block with the trivia before it. Trivia at the end of the file is a segment too.
#[derive(Clone, Debug)]
pub struct Segment {
    pub id: SegmentId,
    /// Where the segment starts in the file.
    pub offset: TextSize,
    pub parsed: Arc<ParsedSegment>,
}

/// What depends on the text of a segment alone. Ranges are relative to its start.
#[derive(Debug)]
pub struct ParsedSegment {
    pub len: TextSize,
    pub green: GreenNode,
    /// One; none in a segment of trivia, or of lines that are no item.
    pub items: Vec<Item>,
    pub errors: Vec<SyntaxError>,
    hash: u64,
    /// Whether this text is this segment wherever it stands; otherwise what follows it had a say.
    is_closed: bool,
}

/// A violation of the syntax. Wording as in hclsyntax.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SyntaxError {
    pub range: TextRange,
    pub summary: &'static str,
    pub detail: String,
}

/// The body of a file: the items of its segments, each with the segment its ranges are relative to.
#[derive(Clone, Copy, Debug)]
pub struct FileBody<'a> {
    segments: &'a [Segment],
}

/// Parses a whole configuration file. Always answers; what is wrong stands in [`File::errors`].
pub fn parse(text: &str) -> File {
    let nothing = Previous {
        text: "",
        segments: &[],
    };
    let (segments, _) = cut(text, &nothing);
    File::new(text, segments, false)
}

/// Parses a whole file in JSON syntax. What `labels` knows is a block; the other properties are attributes, or mistakes.
pub fn parse_json(text: &str, labels: RootLabels) -> File {
    File::of_json(text, labels, &[]).0
}

/// The version of the file whose segments may be used again.
struct Previous<'a> {
    text: &'a str,
    segments: &'a [Segment],
}

/// How many segments ahead are looked at for one whose text comes next: more were deleted or changed at once
/// only in edits that may take their time.
const LOOKAHEAD: usize = 8;

/// Cuts `text` into segments, and answers the positions of those that had to be parsed. Others keep their number, which may be wrong.
fn cut(text: &str, previous: &Previous<'_>) -> (Vec<Segment>, Vec<usize>) {
    let mut segments = Vec::with_capacity(previous.segments.len() + 1);
    let mut parsed = Vec::new();
    let mut offset = 0;
    let suffix = common_suffix(previous.text, text);
    let unchanged_from = text.len() - suffix;
    // The first previous segment that may come next.
    let mut next = 0;
    while offset < text.len() {
        if offset >= unchanged_from {
            let old_offset = offset + previous.text.len() - text.len();
            let same = previous.segments[next..].binary_search_by_key(&old_offset, Segment::start);
            if let Ok(index) = same {
                let tail = &previous.segments[next + index..];
                if old_offset > 0 || offset == 0 {
                    let moved = |old: &Segment| Segment {
                        offset: size(old.start() + text.len() - previous.text.len()),
                        ..old.clone()
                    };
                    segments.extend(tail.iter().map(moved));
                    break;
                }
            }
        }
        let window = previous.segments[next..].iter().take(LOOKAHEAD);
        let reused = window.enumerate().find(|(_, old)| {
            let is_same_place = old.start() > 0 || offset == 0;
            is_same_place
                && old.parsed.is_closed
                && text[offset..].starts_with(&previous.text[old.start()..old.end()])
        });
        let segment = match reused {
            Some((ahead, old)) => {
                next += ahead + 1;
                old.clone()
            }
            None => {
                parsed.push(segments.len());
                let parsed = ParsedSegment::parse(&text[offset..], offset == 0);
                Segment::at(size(offset), Arc::new(parsed))
            }
        };
        let len = usize::from(segment.parsed.len);
        segments.push(Segment {
            offset: size(offset),
            ..segment
        });
        offset += len;
    }
    (segments, parsed)
}

fn common_suffix(left: &str, right: &str) -> usize {
    // Compared in chunks first, because slices compare much faster than bytes one by one.
    const CHUNK: usize = 64;
    let (l, r) = (left.as_bytes(), right.as_bytes());
    let chunks = l.rchunks_exact(CHUNK).zip(r.rchunks_exact(CHUNK));
    let mut len = CHUNK * chunks.take_while(|(l, r)| l == r).count();
    let (l, r) = (&l[..l.len() - len], &r[..r.len() - len]);
    let bytes = l.iter().rev().zip(r.iter().rev());
    len += bytes.take_while(|(l, r)| l == r).count();
    while !right.is_char_boundary(right.len() - len) {
        len -= 1;
    }
    len
}

impl File {
    fn new(text: &str, mut segments: Vec<Segment>, is_numbered: bool) -> File {
        if !is_numbered {
            number(&mut segments);
        }
        let segments: Arc<[Segment]> = segments.into();
        let broken: Vec<u32> = (0..)
            .zip(&*segments)
            .filter(|(_, segment)| !segment.parsed.errors.is_empty())
            .map(|(index, _)| index)
            .collect();
        let across = redefined_attributes(&segments);
        File {
            text: Arc::from(text),
            segments,
            broken: broken.into(),
            across: across.into(),
            json: None,
        }
    }

    fn of_json(text: &str, labels: RootLabels, previous: &[Segment]) -> (File, usize) {
        let (segments, parsed, errors) = json::cut(text, labels, previous);
        let mut file = File::new(text, segments, false);
        let placed = errors.into_iter().filter_map(|error| {
            let segment = file.segment_at(error.range.start())?;
            let place = |at: TextSize| (at - segment.offset).min(segment.parsed.len);
            let range = TextRange::new(place(error.range.start()), place(error.range.end()));
            Some((segment.id, SyntaxError { range, ..error }))
        });
        file.across = placed.chain(file.across.iter().cloned()).collect();
        file.json = Some(labels);
        (file, parsed)
    }

    /// Parses `new_text`, sharing the segments that did not change. Also says how many were parsed.
    pub fn reparse(&self, new_text: &str) -> (File, usize) {
        if let Some(labels) = self.json {
            return File::of_json(new_text, labels, &self.segments);
        }
        let previous = Previous {
            text: &self.text,
            segments: &self.segments,
        };
        let (segments, parsed) = cut(new_text, &previous);
        let is_numbered = keeps_numbers(&self.segments, &segments, &parsed);
        (File::new(new_text, segments, is_numbered), parsed.len())
    }

    pub fn text(&self) -> &Arc<str> {
        &self.text
    }

    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    pub fn body(&self) -> FileBody<'_> {
        FileBody {
            segments: &self.segments,
        }
    }

    /// All errors, with the segment that their range is relative to.
    pub fn errors(&self) -> impl Iterator<Item = (SegmentId, &SyntaxError)> {
        self.broken
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

    /// Whether anything is wrong in the segment.
    pub fn is_broken(&self, id: SegmentId) -> bool {
        self.errors().any(|(segment, _)| segment == id)
    }

    pub fn segment(&self, id: SegmentId) -> Option<&Segment> {
        self.segments.iter().find(|segment| segment.id == id)
    }

    /// The segment that holds `offset`; at a boundary the one that starts there.
    pub fn segment_at(&self, offset: TextSize) -> Option<&Segment> {
        let after = self
            .segments
            .partition_point(|segment| segment.offset <= offset);
        self.segments.get(after.checked_sub(1)?)
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
    ) -> Option<(&Segment, rowan::TokenAtOffset<SyntaxToken>)> {
        let segment = self.segment_at(offset)?;
        Some((
            segment,
            segment
                .parsed
                .syntax()
                .token_at_offset(offset - segment.offset),
        ))
    }
}

/// Tells segments of the same text apart.
fn number(segments: &mut [Segment]) {
    let mut seen: HashMap<u64, u32, BuildHasherDefault<Hashed>> = HashMap::default();
    for segment in segments {
        let count = seen.entry(segment.id.hash).or_default();
        segment.id.nth = *count;
        *count += 1;
    }
}

/// Whether all segments are different and thus the first of their text: `before` they were, and of those after an edit
/// only those at the positions `parsed` are new.
fn keeps_numbers(before: &[Segment], after: &[Segment], parsed: &[usize]) -> bool {
    // More are rather numbered again.
    const FEW: usize = 4;
    if parsed.len() > FEW || before.iter().any(|segment| segment.id.nth > 0) {
        return false;
    }
    parsed.iter().all(|&new| {
        let same = |segment: &&Segment| segment.id.hash == after[new].id.hash;
        after.iter().filter(same).count() == 1
    })
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

impl Segment {
    /// The first of its text.
    pub(crate) fn at(offset: TextSize, parsed: Arc<ParsedSegment>) -> Segment {
        Segment {
            id: SegmentId {
                hash: parsed.hash,
                nth: 0,
            },
            offset,
            parsed,
        }
    }

    fn start(&self) -> usize {
        usize::from(self.offset)
    }

    fn end(&self) -> usize {
        usize::from(self.offset + self.parsed.len)
    }
}

impl ParsedSegment {
    /// The segment at the front of `text`.
    fn parse(text: &str, is_file_start: bool) -> ParsedSegment {
        let segment = parser::parse_segment(text, is_file_start);
        let mut hasher = DefaultHasher::new();
        text[..segment.len].hash(&mut hasher);
        ParsedSegment {
            len: size(segment.len),
            green: segment.green,
            items: segment.items,
            errors: segment.errors,
            hash: hasher.finish(),
            is_closed: segment.is_closed,
        }
    }

    /// A piece of JSON. `hash` tells it from others also by what is around it.
    pub(crate) fn of_json(green: GreenNode, item: Option<Item>, hash: u64) -> ParsedSegment {
        ParsedSegment {
            len: green.text_len(),
            green,
            items: Vec::from_iter(item),
            errors: Vec::new(),
            hash,
            is_closed: true,
        }
    }

    /// The root of the lossless tree.
    pub fn syntax(&self) -> SyntaxNode {
        SyntaxNode::new_root(self.green.clone())
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

/// Attributes of the file's body that an earlier segment defines too.
fn redefined_attributes(segments: &[Segment]) -> Vec<(SegmentId, SyntaxError)> {
    let mut names = HashSet::new();
    let mut errors = Vec::new();
    for (id, item) in (FileBody { segments }).items() {
        // Of JSON it is for the reader of the file to say.
        let Item::Attribute(attribute) = item else {
            continue;
        };
        let name = &attribute.name;
        if attribute.equals.is_some() && !names.insert(&name.name) {
            errors.push((
                id,
                SyntaxError {
                    range: name.range,
                    summary: ATTRIBUTE_REDEFINED,
                    detail: parser::redefined(&name.name),
                },
            ));
        }
    }
    errors
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}
