//! A language of lines: `name = value`, or `name = value # was old`. Each line is a segment.

use std::any::Any;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use ide::{Language, Parsed, Segments, TextSegment};
use text::{Document, FileId, SegmentId, Span, TextRange, TextSize};

#[derive(Debug)]
pub struct Toy;

#[derive(Debug)]
pub struct ToyFile {
    text: String,
    lines: Vec<(SegmentId, TextRange)>,
}

/// What a line says. Ranges are relative to it.
#[derive(Debug, Clone)]
pub struct Line {
    pub name: String,
    pub name_range: TextRange,
    pub value: String,
    pub value_range: TextRange,
    /// The name that it had.
    pub was: Option<String>,
}

impl Language for Toy {
    fn takes(&self, file: &FileId) -> bool {
        file.name().ends_with(".toy")
    }

    fn parse(
        &self,
        _file: &FileId,
        document: &Document,
        _earlier: Option<(&Document, &dyn Parsed)>,
    ) -> Arc<dyn Parsed> {
        let text = document.text();
        let (mut lines, mut start) = (Vec::new(), TextSize::new(0));
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for line in text.split_inclusive('\n') {
            let mut hasher = DefaultHasher::new();
            line.hash(&mut hasher);
            let hash = hasher.finish();
            let nth = seen.entry(hash).or_default();
            let id = SegmentId { hash, nth: *nth };
            *nth += 1;
            let range = TextRange::at(start, TextSize::of(line));
            lines.push((id, range));
            start = range.end();
        }
        Arc::new(ToyFile { text, lines })
    }
}

impl Parsed for ToyFile {
    fn segments(&self) -> Segments<'_> {
        Box::new(self.lines.iter().map(|(id, range)| TextSegment {
            id: *id,
            offset: range.start(),
            text: &self.text[*range],
        }))
    }
}

impl ToyFile {
    pub fn of(parsed: &dyn Parsed) -> Option<&ToyFile> {
        let parsed: &dyn Any = parsed;
        parsed.downcast_ref()
    }

    /// The lines that say something: well, or not.
    pub fn lines(&self, file: &FileId) -> Vec<Result<(Span, Line), Span>> {
        let written = self
            .segments()
            .filter(|segment| !segment.text.trim().is_empty());
        let lines = written.map(|segment| {
            let span = |range| Span {
                file: file.clone(),
                segment: segment.id,
                range,
            };
            let whole = TextRange::up_to(TextSize::of(segment.text.trim_end()));
            let line = Line::read(segment.text).ok_or_else(|| span(whole))?;
            Ok((span(whole), line))
        });
        lines.collect()
    }
}

impl Line {
    fn read(text: &str) -> Option<Line> {
        let text = text.trim_end();
        let (said, was) = match text.split_once(" # was ") {
            Some((said, was)) => (said, Some(was.trim().to_owned())),
            None => (text, None),
        };
        let (name, value) = said.split_once('=')?;
        let range = |part: &str, start: usize| {
            let blank = part.len() - part.trim_start().len();
            let start = TextSize::try_from(start + blank).ok()?;
            Some(TextRange::at(start, TextSize::of(part.trim())))
        };
        Some(Line {
            name_range: range(name, 0)?,
            name: name.trim().to_owned(),
            value_range: range(value, name.len() + 1)?,
            value: value.trim().to_owned(),
            was,
        })
    }
}
