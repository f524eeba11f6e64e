//! Indentation: two spaces for each line that opened more brackets than it closed, until they are closed.

use text::TextSize;

use super::token::{Token, tokens};
use crate::SyntaxKind;

/// How many brackets each of the lines opened that are still open, outermost first.
#[derive(Default)]
pub(super) struct Indents {
    open: Vec<isize>,
}

impl Indents {
    /// The indent of the next line, which opens so many brackets more than it closes.
    pub fn line(&mut self, brackets: isize) -> usize {
        if brackets > 0 {
            let indent = 2 * self.open.len();
            self.open.push(brackets);
            return indent;
        }
        let mut closed = -brackets;
        while closed > 0
            && let Some(last) = self.open.last_mut()
        {
            if closed < *last {
                *last -= closed;
                break;
            }
            closed -= *last;
            self.open.pop();
        }
        2 * self.open.len()
    }
}

/// The brackets that count for the indent: those before a heredoc's text.
pub(super) fn brackets_of_lead(tokens: &[Token<'_>]) -> isize {
    let heredoc = tokens
        .iter()
        .position(|token| token.kind == SyntaxKind::OpenHeredoc);
    brackets(&tokens[..heredoc.unwrap_or(tokens.len())])
}

pub(super) fn brackets(tokens: &[Token<'_>]) -> isize {
    tokens.iter().map(Token::brackets).sum()
}

/// The indent of the line of `text` that starts at `start`. `None` inside of strings and comments.
pub(super) fn of_line(text: &str, start: TextSize) -> Option<usize> {
    let (tokens, _) = tokens(text, TextSize::new(0));
    let first =
        tokens.partition_point(|token| token.range.is_some_and(|range| range.start() < start));
    let (before, line) = tokens.split_at(first);
    // The text of a heredoc or a comment is not ours to indent.
    let is_after_line = before.last().is_none_or(|last| {
        last.ends_line() && last.range.is_some_and(|range| range.end() <= start)
    });
    let is_text = line
        .first()
        .is_some_and(|token| token.kind == SyntaxKind::TemplateLiteral);
    if !is_after_line || is_text {
        return None;
    }
    let mut indents = Indents::default();
    for line in before.split_inclusive(Token::ends_line) {
        if line[0].kind != SyntaxKind::Newline {
            indents.line(brackets_of_lead(line));
        }
    }
    let line = line.split_inclusive(Token::ends_line).next();
    // A line that opens brackets stands where it would stand without.
    Some(indents.line(line.map_or(0, brackets_of_lead).min(0)))
}
