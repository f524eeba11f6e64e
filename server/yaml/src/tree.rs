//! The tree of a text: mappings, sequences and scalars with their ranges.

use std::iter::Peekable;
use std::str::CharIndices;

use text::{TextRange, TextSize};

use crate::Resolved;

/// A value with its place. Ranges are relative to the start of the text that was parsed.
#[derive(Clone, PartialEq, Debug)]
pub struct Node {
    pub range: TextRange,
    pub kind: NodeKind,
}

#[derive(Clone, PartialEq, Debug)]
pub enum NodeKind {
    Scalar(Scalar),
    Sequence(Vec<Node>),
    Mapping(Vec<MappingEntry>),
    /// `*name`, which Pulumi refuses in programs.
    Alias,
}

/// A key of a mapping and its value.
#[derive(Clone, PartialEq, Debug)]
pub struct MappingEntry {
    pub key: Node,
    pub value: Node,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Scalar {
    /// Without quotes, escapes and indentation.
    pub text: Box<str>,
    pub style: Style,
    pub tagged: Tagged,
}

/// What a tag says about a scalar.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tagged {
    /// There is none.
    No,
    /// It is text, as with `!!str` and all tags of other languages.
    Text,
    /// It is a number, a boolean or nothing, even in quotes.
    Value,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Style {
    Plain,
    SingleQuoted,
    DoubleQuoted,
    Literal,
    Folded,
}

impl Node {
    /// Nothing, at the place where it would stand.
    pub fn nothing(at: TextSize) -> Node {
        let scalar = Scalar {
            text: Box::default(),
            style: Style::Plain,
            tagged: Tagged::No,
        };
        Node {
            range: TextRange::empty(at),
            kind: NodeKind::Scalar(scalar),
        }
    }

    pub fn scalar(&self) -> Option<&Scalar> {
        match &self.kind {
            NodeKind::Scalar(scalar) => Some(scalar),
            NodeKind::Sequence(_) | NodeKind::Mapping(_) | NodeKind::Alias => None,
        }
    }

    /// The text of a scalar, whatever it resolves to.
    pub fn text(&self) -> Option<&str> {
        self.scalar().map(|scalar| &*scalar.text)
    }

    /// The entries of a mapping, none for anything else.
    pub fn entries(&self) -> &[MappingEntry] {
        match &self.kind {
            NodeKind::Mapping(entries) => entries,
            NodeKind::Scalar(_) | NodeKind::Sequence(_) | NodeKind::Alias => &[],
        }
    }

    /// The elements of a sequence, none for anything else.
    pub fn elements(&self) -> &[Node] {
        match &self.kind {
            NodeKind::Sequence(elements) => elements,
            NodeKind::Scalar(_) | NodeKind::Mapping(_) | NodeKind::Alias => &[],
        }
    }

    pub(crate) fn into_entries(self) -> Vec<MappingEntry> {
        match self.kind {
            NodeKind::Mapping(entries) => entries,
            NodeKind::Scalar(_) | NodeKind::Sequence(_) | NodeKind::Alias => Vec::new(),
        }
    }

    pub fn get(&self, key: &str) -> Option<&MappingEntry> {
        (self.entries().iter()).find(|entry| entry.key.text() == Some(key))
    }

    /// Whether nothing is written here, or `null`.
    pub fn is_null(&self) -> bool {
        (self.scalar()).is_some_and(|scalar| scalar.resolve() == Resolved::Null)
    }

    /// How many keys and values there are.
    pub(crate) fn size(&self) -> usize {
        match &self.kind {
            NodeKind::Scalar(_) | NodeKind::Alias => 1,
            NodeKind::Sequence(elements) => 1 + elements.iter().map(Node::size).sum::<usize>(),
            NodeKind::Mapping(entries) => {
                let sizes = entries.iter().map(|it| it.key.size() + it.value.size());
                1 + sizes.sum::<usize>()
            }
        }
    }

    /// The memory that it takes, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        let inner = match &self.kind {
            NodeKind::Scalar(scalar) => scalar.text.len(),
            NodeKind::Alias => 0,
            NodeKind::Sequence(elements) => elements.iter().map(Node::bytes).sum(),
            NodeKind::Mapping(entries) => {
                let entries = entries.iter();
                entries.map(|it| it.key.bytes() + it.value.bytes()).sum()
            }
        };
        size_of::<Node>() + inner
    }

    /// Moves every range.
    pub(crate) fn place(&mut self, place: &impl Fn(TextSize) -> TextSize) {
        self.range = TextRange::new(place(self.range.start()), place(self.range.end()));
        match &mut self.kind {
            NodeKind::Scalar(_) | NodeKind::Alias => {}
            NodeKind::Sequence(elements) => elements.iter_mut().for_each(|it| it.place(place)),
            NodeKind::Mapping(entries) => {
                for entry in entries {
                    entry.key.place(place);
                    entry.value.place(place);
                }
            }
        }
    }
}

impl Scalar {
    /// Where a part of the scalar's text stands in `source`, the text from which it was parsed; `node` is its node's range.
    pub fn locate(&self, source: &str, node: TextRange, part: TextRange) -> TextRange {
        self.places(source, node).locate(part)
    }

    /// The same for many parts.
    pub fn places<'a>(&'a self, source: &'a str, node: TextRange) -> Places<'a> {
        let raw = source.get(std::ops::Range::<usize>::from(node));
        let raw = raw.unwrap_or_default();
        let at = match self.style {
            Style::Plain => 0,
            Style::SingleQuoted | Style::DoubleQuoted => 1,
            // The parser leaves out the line with the mark.
            Style::Literal | Style::Folded if !raw.starts_with(['|', '>']) => 0,
            Style::Literal | Style::Folded => raw.find('\n').map_or(0, |end| end + 1),
        };
        Places {
            scalar: self,
            raw,
            node,
            rest: self.text.char_indices().peekable(),
            at,
        }
    }

    /// Where the next character of the text stands: behind line ends and indentation that are not part of it.
    fn skip_to(&self, raw: &str, at: usize, wanted: char) -> usize {
        let mut here = at;
        while let Some(c) = raw[here..].chars().next() {
            let is_match = c == wanted || (wanted == ' ' && (c == '\n' || c == '\r'));
            let is_line_end = raw[here..].starts_with("\\\n") && self.style == Style::DoubleQuoted;
            if is_match || !(c.is_whitespace() || is_line_end) {
                return here;
            }
            here += c.len_utf8();
        }
        at
    }

    /// How many bytes of `raw` the character takes.
    fn width(&self, raw: &str, c: char) -> usize {
        match self.style {
            Style::SingleQuoted if raw.starts_with("''") => 2,
            Style::DoubleQuoted if raw.starts_with('\\') => match raw.chars().nth(1) {
                Some('x') => 4,
                Some('u') => 6,
                Some('U') => 10,
                other => 1 + other.map_or(0, char::len_utf8),
            },
            _ if raw.starts_with(c) => c.len_utf8(),
            _ => raw.chars().next().map_or(0, char::len_utf8),
        }
        .min(raw.len())
    }
}

/// Where parts of a scalar's text stand, one behind the other.
pub struct Places<'a> {
    scalar: &'a Scalar,
    raw: &'a str,
    node: TextRange,
    /// What is behind the last part.
    rest: Peekable<CharIndices<'a>>,
    at: usize,
}

impl Places<'_> {
    /// `part` begins no earlier than the one before it ends.
    pub fn locate(&mut self, part: TextRange) -> TextRange {
        let (mut start, mut end) = (None, None);
        while let Some((offset, c)) = self.rest.peek().copied() {
            let here = self.scalar.skip_to(self.raw, self.at, c);
            if offset == usize::from(part.start()) {
                start = Some(here);
            }
            if offset == usize::from(part.end()) {
                end = Some(self.at);
                break;
            }
            self.at = here + self.scalar.width(&self.raw[here..], c);
            self.rest.next();
        }
        let start = start.unwrap_or(self.at);
        let end = end.unwrap_or(self.at).max(start);
        let absolute = |offset: usize| self.node.start() + TextSize::new(offset as u32);
        TextRange::new(absolute(start), absolute(end))
    }
}
