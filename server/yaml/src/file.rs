//! A file: its segments, and what stands in them.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, OnceLock};

use text::{Chunks, Problem, SegmentId, TextRange, TextSize};

use crate::parse::{error_at, refused, repeated, strict};
use crate::split::{Piece, SegmentRole, begins_with_directive, split};
use crate::{MappingEntry, Node, NodeKind, repair};

/// A parsed file. Always answers; what is wrong stands in [`File::errors`]. Cheap to clone, and versions share segments.
#[derive(Clone, Default, Debug)]
pub struct File {
    segments: Chunks<StoredSegment>,
    /// Position and start of each segment, found out when the first is looked for.
    places: Arc<OnceLock<HashMap<SegmentId, (usize, TextSize)>>>,
}

#[derive(Clone, Debug)]
struct StoredSegment {
    id: SegmentId,
    parsed: Arc<Parsed>,
}

/// A segment and where it starts in the file.
#[derive(Clone, Copy, Debug)]
pub struct Segment<'a> {
    pub id: SegmentId,
    pub offset: TextSize,
    pub parsed: &'a Arc<Parsed>,
}

/// What depends on the text of a segment alone. Ranges are relative to its start.
#[derive(Debug)]
pub struct Parsed {
    pub text: Box<str>,
    pub role: SegmentRole,
    /// The keys of its mapping: one, unless the whole document is one segment.
    pub entries: Vec<MappingEntry>,
    pub errors: Vec<Problem>,
    /// Whether the text does not parse, so that `entries` are what could be understood of it.
    pub is_broken: bool,
    hash: u64,
}

/// A key with its value, somewhere in a file.
#[derive(Clone, Copy, Debug)]
pub struct KeyValue<'a> {
    pub segment: Segment<'a>,
    pub key: &'a Node,
    pub value: &'a Node,
}

impl KeyValue<'_> {
    pub fn name(&self) -> &str {
        self.key.text().unwrap_or_default()
    }
}

impl File {
    pub fn parse(text: &str) -> File {
        File::default().reparse(text).0
    }

    /// A file that is not read. Of its text there is the first line, with an error that says why.
    pub fn unread(first_line: &str, detail: &str) -> File {
        let range = TextRange::up_to(TextSize::of(first_line));
        let parsed = Arc::new(Parsed {
            text: first_line.into(),
            role: SegmentRole::Stray,
            entries: Vec::new(),
            errors: vec![error_at(range, detail)],
            is_broken: true,
            hash: 0,
        });
        let id = SegmentId { hash: 0, nth: 0 };
        let mut segments = Chunks::default();
        segments.push(StoredSegment { id, parsed });
        File {
            segments,
            places: Arc::default(),
        }
    }

    /// Parses a newer text, sharing the segments that did not change. Also says how many were parsed.
    pub fn reparse(&self, text: &str) -> (File, usize) {
        let pieces = split(text);
        let text_of = |piece: &Piece| &text[std::ops::Range::<usize>::from(piece.range)];
        let is_same = |(stored, piece): &(&StoredSegment, &Piece)| {
            *stored.parsed.text == *text_of(piece) && stored.parsed.role == piece.role
        };
        let old: Vec<&StoredSegment> = self.segments.iter().collect();
        let prefix = (old.iter().copied().zip(&pieces))
            .take_while(is_same)
            .count();
        let rest = (old[prefix..].iter().copied().rev()).zip(pieces[prefix..].iter().rev());
        let suffix = rest.take_while(is_same).count();
        let gone = prefix..old.len() - suffix;
        let come = &pieces[prefix..pieces.len() - suffix];
        let known: HashMap<(&str, &SegmentRole), &Arc<Parsed>> = old[gone.clone()]
            .iter()
            .map(|it| ((&*it.parsed.text, &it.parsed.role), &it.parsed))
            .collect();
        let mut count = 0;
        let new: Vec<StoredSegment> = come
            .iter()
            .map(|piece| {
                let text = text_of(piece);
                let parsed = match known.get(&(text, &piece.role)) {
                    Some(parsed) => (*parsed).clone(),
                    None => {
                        count += 1;
                        Arc::new(Parsed::of(text, piece.role.clone()))
                    }
                };
                StoredSegment {
                    id: SegmentId {
                        hash: parsed.hash,
                        nth: 0,
                    },
                    parsed,
                }
            })
            .collect();
        let mut file = File {
            segments: self.segments.replaced(gone, &new),
            places: Arc::default(),
        };
        file.number();
        (file, count)
    }

    /// Tells segments of the same text apart.
    fn number(&mut self) {
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for index in 0..self.segments.len() {
            let Some(stored) = self.segments.get(index) else {
                break;
            };
            let count = seen.entry(stored.id.hash).or_default();
            if stored.id.nth != *count
                && let Some(stored) = self.segments.get_mut(index)
            {
                stored.id.nth = *count;
            }
            *count += 1;
        }
    }

    pub fn segments(&self) -> impl Iterator<Item = Segment<'_>> + Clone {
        let mut offset = TextSize::new(0);
        self.segments.iter().map(move |stored| {
            let segment = Segment {
                id: stored.id,
                offset,
                parsed: &stored.parsed,
            };
            offset += TextSize::of(&*stored.parsed.text);
            segment
        })
    }

    pub fn segment(&self, id: SegmentId) -> Option<Segment<'_>> {
        let places = self.places.get_or_init(|| {
            let segments = self.segments().enumerate();
            let place = |(index, it): (usize, Segment<'_>)| (it.id, (index, it.offset));
            segments.map(place).collect()
        });
        let &(index, offset) = places.get(&id)?;
        let parsed = &self.segments.get(index)?.parsed;
        Some(Segment { id, offset, parsed })
    }

    pub fn text(&self) -> String {
        self.segments.iter().map(|it| &*it.parsed.text).collect()
    }

    /// The top-level keys with their values. A section whose entries are segments has no value here.
    pub fn keys(&self) -> impl Iterator<Item = KeyValue<'_>> {
        let of_top = |segment: &Segment<'_>| !matches!(segment.parsed.role, SegmentRole::Entry(_));
        self.segments().filter(of_top).flat_map(Segment::items)
    }

    pub fn key(&self, name: &str) -> Option<KeyValue<'_>> {
        self.keys().find(|item| item.name() == name)
    }

    /// The entries of a section, however they are written.
    pub fn entries(&self, section: &str) -> Vec<KeyValue<'_>> {
        let mut found = Vec::new();
        for segment in self.segments() {
            match &segment.parsed.role {
                SegmentRole::Entry(of) if **of == *section => found.extend(segment.items()),
                SegmentRole::Entry(_) | SegmentRole::Loose | SegmentRole::Stray => {}
                SegmentRole::Key | SegmentRole::Header | SegmentRole::Document => {
                    let items = segment.items().filter(|item| item.name() == section);
                    found.extend(items.flat_map(|item| {
                        let entries = item.value.entries().iter();
                        entries.map(move |entry| segment.item(entry))
                    }));
                }
            }
        }
        found
    }

    /// Top-level keys that are written twice, and keys of this section in segments of their own.
    pub fn repeated_keys(&self, section: &str) -> Vec<(SegmentId, Problem)> {
        let mut found = Vec::new();
        for items in [self.keys().collect(), self.entries(section)] {
            let mut places: HashMap<String, SegmentId> = HashMap::new();
            for item in items {
                let place = places.entry(item.name().to_owned());
                let first = *place.or_insert(item.segment.id);
                if first != item.segment.id {
                    found.push((item.segment.id, repeated(item.key)));
                }
            }
        }
        found
    }

    /// What is wrong, with the segment that a range is relative to.
    pub fn errors(&self) -> impl Iterator<Item = (SegmentId, &Problem)> {
        self.segments.iter().flat_map(|stored| {
            let errors = stored.parsed.errors.iter();
            errors.map(|error| (stored.id, error))
        })
    }
}

impl<'a> Segment<'a> {
    pub fn range(self) -> TextRange {
        TextRange::at(self.offset, TextSize::of(&*self.parsed.text))
    }

    fn item(self, entry: &'a MappingEntry) -> KeyValue<'a> {
        KeyValue {
            segment: self,
            key: &entry.key,
            value: &entry.value,
        }
    }

    fn items(self) -> impl Iterator<Item = KeyValue<'a>> {
        let entries = self.parsed.entries.iter();
        entries.map(move |entry| self.item(entry))
    }
}

impl Parsed {
    fn of(text: &str, role: SegmentRole) -> Parsed {
        let mut hasher = DefaultHasher::new();
        (text, &role).hash(&mut hasher);
        let (node, errors, is_broken) = match strict(text) {
            // Nothing, or directives.
            Err(error) if role == SegmentRole::Loose && begins_with_directive(text) => {
                (None, vec![error], false)
            }
            _ if role == SegmentRole::Loose => (None, Vec::new(), false),
            _ if role == SegmentRole::Stray => (None, vec![key_expected(text)], true),
            Ok(node) => understood(text, node),
            Err(error) => {
                let node = repair::repair(text, &error).or_else(|| repair::name_alone(text));
                (node, vec![error], true)
            }
        };
        Parsed {
            text: text.into(),
            entries: node.map(Node::into_entries).unwrap_or_default(),
            role,
            errors,
            is_broken,
            hash: hasher.finish(),
        }
    }
}

/// What parses. A segment is a mapping: a word alone is a key that is being typed.
fn understood(text: &str, node: Option<Node>) -> (Option<Node>, Vec<Problem>, bool) {
    let Some(node) = node else {
        return (None, Vec::new(), false);
    };
    if matches!(node.kind, NodeKind::Mapping(_)) {
        let errors = refused(&node);
        return (Some(node), errors, false);
    }
    let error = key_expected(text);
    let mended = repair::repair(text, &error);
    (mended, vec![error], true)
}

fn key_expected(text: &str) -> Problem {
    let mut start = TextSize::new(0);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        if !content.is_empty() && !content.starts_with('#') {
            let lead = TextSize::of(line) - TextSize::of(line.trim_start());
            let range = TextRange::at(start + lead, TextSize::of(content));
            return error_at(range, "a key is expected here, followed by a colon");
        }
        start += TextSize::of(line);
    }
    error_at(
        TextRange::empty(start),
        "a key is expected here, followed by a colon",
    )
}
