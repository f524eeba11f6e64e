//! Where the cursor stands in the structure of a file.
//!
//! Read from the tokens before it, within its segment, so that the text after it may be broken or missing.

mod frame;
mod scan;

use config::ResourceMode;
use smol_str::SmolStr;
use syntax::ast::Block;
use syntax::{SyntaxKind, SyntaxToken};
use text::{TextRange, TextSize};

use self::scan::Scan;
use crate::SourceFile;

/// The surroundings of the cursor.
#[derive(Debug)]
pub(crate) struct Cursor {
    /// Where the cursor's segment begins. All other ranges are relative to that.
    pub(crate) segment: TextSize,
    /// The blocks around the cursor, the outermost first.
    pub(crate) blocks: Vec<Header>,
    pub(crate) place: CursorPlace,
    /// The word around the cursor; empty between words.
    pub(crate) word: TextRange,
    /// The part of the word that stands before the cursor.
    pub(crate) typed: SmolStr,
    /// Names that `for` expressions around the cursor bind.
    pub(crate) bound: Vec<Bound>,
    /// The calls around the cursor, the outermost first.
    pub(crate) calls: Vec<CallAtCursor>,
}

/// A block's type and labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) kind: SmolStr,
    pub(crate) labels: Vec<SmolStr>,
}

impl Header {
    pub(crate) fn of(block: &Block) -> Header {
        let labels = block.labels.iter();
        Header {
            kind: block.kind.name.clone(),
            labels: labels.map(|label| label.text.clone()).collect(),
        }
    }

    /// Of the resource that the block declares.
    pub(crate) fn mode(&self) -> Option<ResourceMode> {
        ResourceMode::of_block_type(&self.kind)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CursorPlace {
    /// A block type, or the name of an argument.
    Item,
    /// The next label of a block.
    Label {
        header: Header,
        is_quoted: bool,
    },
    Value(ValuePlace),
    /// A comment, a text, a number or a new name: nothing that exists already is named there.
    Nothing,
}

/// A place inside of an argument's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ValuePlace {
    pub(crate) argument: SmolStr,
    /// From the argument's value to the cursor, the outermost first.
    pub(crate) within: Vec<Within>,
    /// The expression that the word belongs to: the one before a dot, or before the bracket of an index.
    pub(crate) base: Option<TextRange>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Within {
    /// An element of a list.
    Element,
    /// The key of an object's item. `others` are those before it.
    Key {
        others: Vec<SmolStr>,
    },
    /// The value of an object's item.
    Item(SmolStr),
    Argument {
        function: SmolStr,
        index: usize,
    },
    /// The key between the brackets of an index.
    Index,
    /// An expression in a template.
    Interpolation,
    /// The text between quotes.
    Quoted,
    /// The operand of an operator, which says nothing about the type of the whole.
    Operand,
}

/// Names that a `for` expression binds to the elements of a collection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Bound {
    /// One, or a key and a value.
    pub(crate) names: Vec<SmolStr>,
    pub(crate) collection: TextRange,
}

/// A call that the cursor is in the arguments of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CallAtCursor {
    pub(crate) function: SmolStr,
    pub(crate) index: usize,
}

impl CursorPlace {
    /// Whether the argument's value itself is to be written, and no part of it.
    pub(crate) fn is_whole_value(&self) -> bool {
        matches!(self, CursorPlace::Value(place) if place.within.is_empty())
    }
}

impl Cursor {
    pub(crate) fn at(source: &SourceFile, offset: TextSize) -> Cursor {
        let syntax = source.syntax();
        let Some(mut segment) = syntax.segment_at(offset) else {
            return Cursor::nowhere(offset);
        };
        let before = &syntax.text()[usize::from(segment.offset)..usize::from(offset)];
        if segment.parsed.items.is_empty()
            && before.trim().is_empty()
            && let Some(end) = segment.offset.checked_sub(1.into())
        {
            // An unclosed block continues after its last line.
            segment = syntax.segment_at(end).unwrap_or(segment);
        }
        let offset = offset - segment.offset;
        let tokens: Vec<SyntaxToken> = segment
            .parsed
            .syntax()
            .descendants_with_tokens()
            .filter_map(|element| element.into_token())
            .filter(|token| token.text_range().start() < offset)
            .collect();
        let (before, touched) = match tokens.split_last() {
            Some((last, before)) if is_word(last, offset) => (before, Some(last)),
            _ => (tokens.as_slice(), None),
        };
        let is_inert = touched.is_some_and(|token| {
            token.kind() != SyntaxKind::Ident && token.kind() != SyntaxKind::QuotedLiteral
        });
        let mut scan = Scan::new();
        for (index, token) in before.iter().enumerate() {
            let following = before[index + 1..].iter().chain(touched);
            scan.token(token, following);
        }
        let word = touched.map_or_else(|| TextRange::empty(offset), SyntaxToken::text_range);
        let typed = touched.map_or_else(SmolStr::default, |token| {
            let end = usize::from(offset - word.start());
            SmolStr::from(token.text().get(..end).unwrap_or_default())
        });
        scan.finish(Cursor {
            segment: segment.offset,
            word,
            typed,
            place: if is_inert {
                CursorPlace::Nothing
            } else {
                CursorPlace::Item
            },
            ..Cursor::nowhere(offset)
        })
    }

    fn nowhere(offset: TextSize) -> Cursor {
        Cursor {
            segment: TextSize::new(0),
            blocks: Vec::new(),
            place: CursorPlace::Item,
            word: TextRange::empty(offset),
            typed: SmolStr::default(),
            bound: Vec::new(),
            calls: Vec::new(),
        }
    }
}

/// Whether the token is the word, or the inert text, that the cursor is in or after.
fn is_word(token: &SyntaxToken, offset: TextSize) -> bool {
    let end = token.text_range().end();
    match token.kind() {
        SyntaxKind::Ident
        | SyntaxKind::Number
        | SyntaxKind::QuotedLiteral
        | SyntaxKind::LineComment => offset <= end,
        SyntaxKind::BlockComment | SyntaxKind::TemplateLiteral => offset < end,
        _ => false,
    }
}
