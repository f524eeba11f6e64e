//! Positions as editors count them, and the byte offsets of everything below the editor.

use ropey::Rope;
use text_size::{TextRange, TextSize};

/// The unit in which an editor counts characters inside a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub enum PositionEncoding {
    Utf8,
    /// What the protocol assumes when nothing else was agreed upon.
    #[default]
    Utf16,
    Utf32,
}

/// A place between two characters: a line and the units before it on that line, both counted from zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash, Default)]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

impl Position {
    pub fn new(line: u32, character: u32) -> Position {
        Position { line, character }
    }
}

/// Converts between positions and offsets in one text. Cheap to clone.
///
/// Lines end at `\n`, `\r\n` or `\r`. Every position has an offset: a line after the last is the end of the
/// text, a character after the end of its line is that end, before the line break, and a position inside a
/// character is the start of that character.
#[derive(Clone, Debug)]
pub struct LineIndex(Rope);

impl LineIndex {
    pub fn new(text: &str) -> LineIndex {
        LineIndex(Rope::from_str(text))
    }

    /// The length of the text.
    pub fn len(&self) -> TextSize {
        text_size(self.0.len_bytes())
    }

    pub fn is_empty(&self) -> bool {
        self.0.len_bytes() == 0
    }

    pub fn offset(&self, position: Position, encoding: PositionEncoding) -> TextSize {
        let line = position.line as usize;
        if line >= self.0.len_lines() {
            return self.len();
        }
        let start = self.0.line_to_char(line);
        let end = self.end_of_line(line);
        let units = position.character as usize;
        let char = match encoding {
            PositionEncoding::Utf8 => {
                let byte = self.0.char_to_byte(start).saturating_add(units);
                self.0.byte_to_char(byte.min(self.0.len_bytes()))
            }
            PositionEncoding::Utf16 => {
                let unit = self.0.char_to_utf16_cu(start).saturating_add(units);
                self.0.utf16_cu_to_char(unit.min(self.0.len_utf16_cu()))
            }
            PositionEncoding::Utf32 => start.saturating_add(units),
        };
        text_size(self.0.char_to_byte(char.min(end)))
    }

    pub fn position(&self, offset: TextSize, encoding: PositionEncoding) -> Position {
        let byte = usize::from(offset).min(self.0.len_bytes());
        if let Some(position) = self.position_in_chunk(byte, encoding) {
            return position;
        }
        let char = self.0.byte_to_char(byte);
        let line = self.0.char_to_line(char);
        let start = self.0.line_to_char(line);
        let units = match encoding {
            PositionEncoding::Utf8 => self.0.char_to_byte(char) - self.0.char_to_byte(start),
            PositionEncoding::Utf16 => {
                self.0.char_to_utf16_cu(char) - self.0.char_to_utf16_cu(start)
            }
            PositionEncoding::Utf32 => char - start,
        };
        Position::new(saturate(line), saturate(units))
    }

    /// The position, where it can be told from the part of the text that is stored with it: there its line has to begin.
    fn position_in_chunk(&self, byte: usize, encoding: PositionEncoding) -> Option<Position> {
        let (chunk, start, _, line) = self.0.chunk_at_byte(byte);
        let before = &chunk.as_bytes()[..byte - start];
        let line_start = before.iter().rposition(|byte| *byte == b'\n')? + 1;
        let last = chunk.get(line_start..byte - start)?;
        if before.contains(&b'\r') {
            return None;
        }
        let units = match encoding {
            PositionEncoding::Utf8 => last.len(),
            PositionEncoding::Utf16 => last.encode_utf16().count(),
            PositionEncoding::Utf32 => last.chars().count(),
        };
        let breaks = before.iter().filter(|byte| **byte == b'\n').count();
        Some(Position::new(saturate(line + breaks), saturate(units)))
    }

    /// The range between two positions, in whichever order they come.
    pub fn range(&self, start: Position, end: Position, encoding: PositionEncoding) -> TextRange {
        let (start, end) = (self.offset(start, encoding), self.offset(end, encoding));
        TextRange::new(start.min(end), start.max(end))
    }

    /// The first character of the line's break, or the end of the text.
    fn end_of_line(&self, line: usize) -> usize {
        let start = self.0.line_to_char(line);
        let mut end = self.0.line_to_char(line + 1);
        while end > start && matches!(self.0.char(end - 1), '\n' | '\r') {
            end -= 1;
        }
        end
    }
}

/// How many lines end with `\n` in the text.
pub fn line_breaks(text: &str) -> usize {
    memchr::memchr_iter(b'\n', text.as_bytes()).count()
}

impl From<Rope> for LineIndex {
    fn from(rope: Rope) -> LineIndex {
        LineIndex(rope)
    }
}

fn text_size(bytes: usize) -> TextSize {
    TextSize::new(saturate(bytes))
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
