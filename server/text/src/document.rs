//! The document that an editor has open.

use ropey::Rope;

use crate::{LineIndex, Position, PositionEncoding};

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

    pub fn text(&self) -> String {
        self.rope.to_string()
    }

    pub fn line_index(&self) -> LineIndex {
        LineIndex::from(self.rope.clone())
    }
}

/// Compares the texts; the version is not part of it.
impl PartialEq<str> for Document {
    fn eq(&self, text: &str) -> bool {
        self.rope == text
    }
}
