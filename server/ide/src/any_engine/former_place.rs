//! Where a declaration stood that is gone.

use std::collections::{BTreeMap, HashMap};

use text::{FileId, SegmentId, Span, TextRange, TextSize};

/// Between two segments, which are known by their first lines: their inside may change.
#[derive(Clone, Debug)]
pub(crate) struct FormerPlace {
    file: FileId,
    before: Option<String>,
    after: Option<String>,
}

/// The segments of a file, with their texts.
#[derive(Default)]
pub(crate) struct Segments<'a> {
    all: Vec<(SegmentId, &'a str)>,
    index: HashMap<SegmentId, usize>,
    /// The first lines of those that have one, with their positions.
    lines: Vec<(usize, &'a str)>,
    /// Where they are among `lines`.
    by_line: HashMap<&'a str, Vec<usize>>,
}

impl<'a> FromIterator<(SegmentId, &'a str)> for Segments<'a> {
    fn from_iter<I: IntoIterator<Item = (SegmentId, &'a str)>>(segments: I) -> Segments<'a> {
        let mut found = Segments::default();
        for (index, (id, text)) in segments.into_iter().enumerate() {
            if let Some(line) = first_line(text) {
                let places = found.by_line.entry(line).or_default();
                places.push(found.lines.len());
                found.lines.push((index, line));
            }
            found.index.insert(id, index);
            found.all.push((id, text));
        }
        found
    }
}

impl<'a> Segments<'a> {
    pub(crate) fn last(&self) -> Option<&(SegmentId, &'a str)> {
        self.all.last()
    }

    /// The positions among the first lines at which this one is.
    fn places(&self, line: Option<&String>) -> &[usize] {
        let places = line.and_then(|it| self.by_line.get(it.as_str()));
        places.map_or(&[], Vec::as_slice)
    }

    fn has(&self, line: &str) -> bool {
        self.by_line.contains_key(line)
    }
}

/// An edit of a file: for each first line that was there, the nearest at or before it, and at or behind it, that is there now.
struct Edit<'a> {
    before: Vec<Option<&'a str>>,
    after: Vec<Option<&'a str>>,
}

impl<'a> Edit<'a> {
    fn of(old: &Segments<'a>, now: &Segments<'_>) -> Edit<'a> {
        let is_there = |line: &'a str| now.has(line).then_some(line);
        let nearest = |last: &mut Option<&'a str>, line: &'a str| {
            *last = is_there(line).or(*last);
            Some(*last)
        };
        let lines = old.lines.iter().map(|(_, line)| *line);
        let before = lines.clone().scan(None, nearest).collect();
        let mut after: Vec<_> = lines.rev().scan(None, nearest).collect();
        after.reverse();
        Edit { before, after }
    }
}

/// Follows edits of files: a neighbor that is gone, too, gives way to the one behind it.
pub(crate) fn follow<'a, 'n>(
    places: impl IntoIterator<Item = &'a mut FormerPlace>,
    old: impl Fn(&FileId) -> Segments<'n>,
    now: impl Fn(&FileId) -> Segments<'n>,
) {
    let mut edits: BTreeMap<FileId, (Segments<'n>, Edit<'n>)> = BTreeMap::new();
    for place in places {
        let (old, edit) = edits.entry(place.file.clone()).or_insert_with(|| {
            let old = old(&place.file);
            let edit = Edit::of(&old, &now(&place.file));
            (old, edit)
        });
        let still = |line: Option<&usize>, nearest: &[Option<&str>]| {
            line.and_then(|it| nearest[*it]).map(str::to_owned)
        };
        let before = old.places(place.before.as_ref()).last();
        let after = old.places(place.after.as_ref()).first();
        (place.before, place.after) = (still(before, &edit.before), still(after, &edit.after));
    }
}

impl FormerPlace {
    /// The place of a declaration in these segments of its file.
    pub(crate) fn of(declared: &Span, segments: &Segments<'_>) -> Option<FormerPlace> {
        let at = *segments.index.get(&declared.segment)?;
        let lines = &segments.lines;
        let next = lines.partition_point(|(index, _)| *index <= at);
        let last = lines
            .partition_point(|(index, _)| *index < at)
            .checked_sub(1);
        let line = |at: usize| lines.get(at).map(|(_, line)| (*line).to_owned());
        Some(FormerPlace {
            file: declared.file.clone(),
            before: last.and_then(line),
            after: line(next),
        })
    }

    pub(crate) fn file(&self) -> &FileId {
        &self.file
    }

    /// The end of the text before it, else the blank line before the first line behind, else that line.
    pub(crate) fn find(&self, segments: &Segments<'_>) -> Option<Span> {
        let Segments { all, lines, .. } = segments;
        let (before, after) = (self.before.as_ref(), self.after.as_deref());
        let places = segments.places(before);
        // Of several with one first line it is the one with the other neighbor.
        let is_followed = |at: &&usize| {
            let next = lines.get(**at + 1);
            next.is_some_and(|(_, line)| Some(*line) == after)
        };
        let mut followed = places.iter().filter(is_followed);
        if let Some(&at) = followed.next().or(places.first()) {
            return end(&self.file, &all[lines[at].0]);
        }
        let &at = segments.places(self.after.as_ref()).first()?;
        let (at, line) = lines[at];
        let above = all[..at].last();
        let above = above.filter(|it| first_line(it.1).is_none());
        let mut around = above.into_iter().chain([&all[at]]);
        match around.find(|it| starts_blank(it.1)) {
            Some(blank) => part(&self.file, blank, &blank.1[..0]),
            None => part(&self.file, &all[at], line),
        }
    }
}

/// The last character of a segment: its last line may be a whole block, which has nothing to do with what is reported behind it.
pub(crate) fn end(file: &FileId, segment: &(SegmentId, &str)) -> Option<Span> {
    let text = segment.1.trim_end();
    let (last, _) = text.char_indices().next_back()?;
    part(file, segment, &text[last..])
}

/// The place of a part of the segment's text.
pub(crate) fn part(file: &FileId, (segment, text): &(SegmentId, &str), part: &str) -> Option<Span> {
    let start = part.as_ptr() as usize - text.as_ptr() as usize;
    Some(Span {
        file: file.clone(),
        segment: *segment,
        range: TextRange::at(TextSize::try_from(start).ok()?, TextSize::of(part)),
    })
}

fn starts_blank(text: &str) -> bool {
    text.lines().next().is_some_and(|it| it.trim().is_empty())
}

/// Nothing where the segment has only blank lines.
pub(crate) fn first_line(text: &str) -> Option<&str> {
    let line = text.trim_start().lines().next()?;
    Some(line.trim_end())
}
