//! The document that an editor has open.

use ropey::Rope;

use crate::{LineIndex, Position, PositionEncoding, TextRange, TextSize};

/// A document that an editor has open, as of one version. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Document {
    /// The editor's number for this text.
    pub version: i32,
    rope: Rope,
}

/// One change of a document. Without a range the text replaces the whole document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    pub range: Option<(Position, Position)>,
    pub text: String,
}

impl Document {
    pub fn new(version: i32, text: &str) -> Document {
        Document {
            version,
            rope: Rope::from_str(text),
        }
    }

    /// Applies `edit`. Positions outside the text mean its nearest place, so an edit always applies.
    pub fn edit(&mut self, edit: &Edit, encoding: PositionEncoding) {
        let Some((start, end)) = edit.range else {
            self.rope = Rope::from_str(&edit.text);
            return;
        };
        let range = self.line_index().range(start, end, encoding);
        let start = self.rope.byte_to_char(range.start().into());
        let end = self.rope.byte_to_char(range.end().into());
        self.rope.remove(start..end);
        self.rope.insert(start, &edit.text);
    }

    /// The one replacement that makes this text of an earlier one: which range of that, and what stands there. It may be
    /// larger than it has to be. Parts of the text that both share cost next to nothing.
    pub fn changed_since(&self, earlier: &Document) -> (TextRange, String) {
        let (old, new) = (&earlier.rope, &self.rope);
        let prefix = common(old.chunks(), new.chunks(), |a, b| {
            a.iter().zip(b).take_while(|(a, b)| a == b).count()
        });
        let longest = old.len_bytes().min(new.len_bytes()) - prefix;
        let (old_end, new_end) = (old.len_bytes(), new.len_bytes());
        let from_end = |rope| Rope::chunks_at_byte(rope, rope.len_bytes()).0.reversed();
        let suffix = common(from_end(old), from_end(new), |a, b| {
            let pairs = a.iter().rev().zip(b.iter().rev());
            pairs.take_while(|(a, b)| a == b).count()
        });
        let suffix = suffix.min(longest);
        // From the start of a character, to the end of one.
        let prefix = new.char_to_byte(new.byte_to_char(prefix));
        let end = new_end - suffix;
        let char = new.byte_to_char(end);
        let end = match new.char_to_byte(char) {
            start if start < end => new.char_to_byte(char + 1),
            start => start,
        };
        let range = TextRange::new(size(prefix), size(end + old_end - new_end));
        (range, new.byte_slice(prefix..end).to_string())
    }

    pub fn text(&self) -> String {
        String::from(&self.rope)
    }

    /// Whether the document has exactly this text.
    pub fn has_text(&self, text: &str) -> bool {
        self.rope == *text
    }

    /// Whether the word occurs in the document. Does not copy the document.
    pub fn contains(&self, word: &str) -> bool {
        // The word may lie across the chunks of the rope.
        let mut window = String::new();
        self.rope.chunks().any(|chunk| {
            let kept = window.len().saturating_sub(word.len());
            window.drain(..window.floor_char_boundary(kept));
            window.push_str(chunk);
            window.contains(word)
        })
    }

    /// In bytes.
    pub fn len(&self) -> usize {
        self.rope.len_bytes()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn line_count(&self) -> usize {
        self.rope.len_lines()
    }

    /// The first line, or its beginning where that is long.
    pub fn first_line(&self) -> String {
        const LONG: usize = 200;
        let characters = self.rope.line(0).chars();
        let line = characters.take_while(|it| !matches!(it, '\n' | '\r'));
        line.take(LONG).collect()
    }

    /// The first lines.
    pub fn beginning(&self, lines: usize) -> TextRange {
        let end = self.rope.line_to_byte(lines.min(self.line_count()));
        TextRange::up_to(TextSize::new(end as u32))
    }

    pub fn line_index(&self) -> LineIndex {
        LineIndex::from(self.rope.clone())
    }
}

/// How many bytes two sequences of chunks begin with in common; `count` compares the first two that are not one and
/// the same.
fn common<'a>(
    old: impl Iterator<Item = &'a str>,
    new: impl Iterator<Item = &'a str>,
    count: impl Fn(&[u8], &[u8]) -> usize,
) -> usize {
    let mut len = 0;
    for (old, new) in old.zip(new) {
        if !std::ptr::eq(old, new) {
            return len + count(old.as_bytes(), new.as_bytes());
        }
        len += old.len();
    }
    len
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}

/// Compares the texts; the version is not part of it.
impl PartialEq<str> for Document {
    fn eq(&self, text: &str) -> bool {
        self.rope == text
    }
}
