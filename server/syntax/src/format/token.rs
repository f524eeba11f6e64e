//! The tokens of a text that is formatted, each with the number of spaces before it.

use std::borrow::Cow;

use text::{Replacement, TextRange, TextSize};
use unicode_segmentation::UnicodeSegmentation;

use super::size;
use crate::SyntaxKind::{self, *};
use crate::effort::Effort;
use crate::lexer::Lexer;

#[derive(Clone, Debug)]
pub(super) struct Token<'a> {
    pub kind: SyntaxKind,
    pub text: Cow<'a, str>,
    pub spaces: usize,
    /// Where it stands in the file; `None` when it is new.
    pub range: Option<TextRange>,
}

impl<'a> Token<'a> {
    pub fn new(kind: SyntaxKind, text: impl Into<Cow<'a, str>>) -> Token<'a> {
        Token {
            kind,
            text: text.into(),
            spaces: 0,
            range: None,
        }
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.kind, LineComment | BlockComment)
    }

    /// A comment to the end of the line has the line break in it.
    pub fn ends_line(&self) -> bool {
        match self.kind {
            Newline => true,
            LineComment => self.text.ends_with('\n'),
            _ => false,
        }
    }

    /// How many brackets it opens.
    pub fn brackets(&self) -> isize {
        match self.kind {
            OpenBrace | OpenBracket | OpenParen | TemplateInterpolation | TemplateControl => 1,
            CloseBrace | CloseBracket | CloseParen | TemplateEnd => -1,
            _ => 0,
        }
    }

    /// How wide it is with the spaces before it, in user-perceived characters.
    pub fn columns(&self) -> usize {
        let is_plain = self.text.bytes().all(|b| b.is_ascii() && b != b'\r');
        let own = match is_plain {
            true => self.text.len(),
            false => self.text.graphemes(true).count(),
        };
        self.spaces + own
    }
}

/// The tokens of `text`, which starts at `offset` of its file, and the number of spaces at its end.
pub(super) fn tokens(text: &str, offset: TextSize) -> (Vec<Token<'_>>, usize) {
    let effort = Effort::unlimited();
    let mut lexer = Lexer::new(text, &effort);
    if offset == TextSize::new(0) {
        // A byte order mark goes away; where nothing follows it, it counts as spaces.
        lexer.at_file_start();
    }
    let mut end = TextSize::new(0);
    let mut tokens: Vec<Token<'_>> = Vec::new();
    loop {
        let token = lexer.next();
        match token.kind {
            EndOfFile => return (tokens, usize::from(size(text.len()) - end)),
            Space => continue,
            Newline => {
                end = token.range.end();
                if let Some(last) = tokens.last_mut()
                    && last.kind == LineComment
                    && !last.ends_line()
                    && let Some(range) = &mut last.range
                {
                    let whole = TextRange::new(range.start() - offset, end);
                    *range = whole + offset;
                    last.text = Cow::Borrowed(&text[whole]);
                    continue;
                }
            }
            _ => end = token.range.end(),
        }
        tokens.push(Token {
            kind: token.kind,
            text: Cow::Borrowed(&text[token.range]),
            spaces: 0,
            range: Some(token.range + offset),
        });
    }
}

/// The edits in the part `run` of `text`, so that it consists of `tokens` and then of spaces.
pub(super) fn edits(
    text: &str,
    run: TextRange,
    tokens: &[Token<'_>],
    end_spaces: usize,
) -> Vec<Replacement> {
    let mut edits = Vec::new();
    let mut done = run.start();
    let mut wanted = String::new();
    let mut settle = |gap: TextRange, wanted: &mut String| {
        let written = &text[gap];
        if written != wanted {
            edits.push(minimal(gap, written, wanted));
        }
        wanted.clear();
    };
    for token in tokens {
        wanted.extend(std::iter::repeat_n(' ', token.spaces));
        match token.range {
            None => wanted.push_str(&token.text),
            Some(range) => {
                settle(TextRange::new(done, range.start()), &mut wanted);
                done = range.end();
            }
        }
    }
    wanted.extend(std::iter::repeat_n(' ', end_spaces));
    settle(TextRange::new(done, run.end()), &mut wanted);
    edits
}

/// The edit without its same beginning and end.
fn minimal(gap: TextRange, written: &str, wanted: &str) -> Replacement {
    let shared = |pairs: &mut dyn Iterator<Item = (char, char)>| -> usize {
        pairs
            .take_while(|(a, b)| a == b)
            .map(|(a, _)| a.len_utf8())
            .sum()
    };
    let prefix = shared(&mut written.chars().zip(wanted.chars()));
    let (written, wanted) = (&written[prefix..], &wanted[prefix..]);
    let suffix = shared(&mut written.chars().rev().zip(wanted.chars().rev()));
    Replacement {
        range: TextRange::new(gap.start() + size(prefix), gap.end() - size(suffix)),
        text: wanted[..wanted.len() - suffix].to_owned(),
    }
}
