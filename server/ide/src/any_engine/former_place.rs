//! Where a declaration stood that is gone.

use text::{FileId, SegmentId, Span, TextRange, TextSize};

/// Between two segments, which are known by their first lines: their inside may change.
#[derive(Clone, Debug)]
pub(crate) struct FormerPlace {
    file: FileId,
    before: Option<String>,
    after: Option<String>,
}

/// The segments of a file, with their texts.
pub(crate) type Segments<'a> = Vec<(SegmentId, &'a str)>;

impl FormerPlace {
    /// The place of a declaration in these segments of its file.
    pub(crate) fn of(declared: &Span, segments: &Segments<'_>) -> Option<FormerPlace> {
        let at = segments.iter().position(|it| it.0 == declared.segment)?;
        let line = |(_, text): &(SegmentId, &str)| first_line(text).map(str::to_owned);
        let (before, after) = (&segments[..at], &segments[at + 1..]);
        Some(FormerPlace {
            file: declared.file.clone(),
            before: before.iter().rev().find_map(line),
            after: after.iter().find_map(line),
        })
    }

    pub(crate) fn file(&self) -> &FileId {
        &self.file
    }

    /// Follows an edit of the file: a neighbor that is gone, too, gives way to the one behind it.
    pub(crate) fn follow(&mut self, old: &Segments<'_>, now: &Segments<'_>) {
        let (old, now) = (first_lines(old), first_lines(now));
        self.before = still_there(self.before.take(), old.iter().rev(), &now);
        self.after = still_there(self.after.take(), old.iter(), &now);
    }

    /// The end of the text before it, else the blank line before the first line behind, else that line.
    pub(crate) fn find(&self, segments: &Segments<'_>) -> Option<Span> {
        let lines = segments.iter().filter(|it| first_line(it.1).is_some());
        let is = |segment: &(SegmentId, &str), line: &Option<String>| {
            line.is_some() && first_line(segment.1) == line.as_deref()
        };
        // Of several with one first line it is the one with the other neighbor.
        let pairs = lines.clone().zip(lines.clone().skip(1));
        let mut pairs = pairs.filter(|(one, next)| is(one, &self.before) && is(next, &self.after));
        let before = pairs.next().map(|(one, _)| one);
        let before = before.or_else(|| lines.into_iter().find(|it| is(it, &self.before)));
        match before {
            Some(before) => end(&self.file, before),
            None => {
                let at = segments.iter().position(|it| is(it, &self.after))?;
                let (after, above) = (&segments[at], segments[..at].last());
                let above = above.filter(|it| first_line(it.1).is_none());
                let mut around = above.into_iter().chain([after]);
                match around.find(|it| starts_blank(it.1)) {
                    Some(blank) => part(&self.file, blank, &blank.1[..0]),
                    None => part(&self.file, after, first_line(after.1)?),
                }
            }
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

fn first_lines<'a>(segments: &Segments<'a>) -> Vec<&'a str> {
    let segments = segments.iter();
    segments.filter_map(|it| first_line(it.1)).collect()
}

/// The line, or the next one of `old` that is there `now`.
fn still_there<'a>(
    line: Option<String>,
    old: impl Iterator<Item = &'a &'a str>,
    now: &[&str],
) -> Option<String> {
    let line = line?;
    let mut onwards = old.skip_while(|it| **it != line);
    match now.contains(&line.as_str()) {
        true => Some(line),
        false => onwards
            .find(|it| now.contains(it))
            .map(|it| (*it).to_owned()),
    }
}

fn starts_blank(text: &str) -> bool {
    text.lines().next().is_some_and(|it| it.trim().is_empty())
}

/// Nothing where the segment has only blank lines.
pub(crate) fn first_line(text: &str) -> Option<&str> {
    let line = text.trim_start().lines().next()?;
    Some(line.trim_end())
}
