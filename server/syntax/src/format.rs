//! The canonical layout of a file: the output of `terraform fmt` of Terraform 1.11, byte for byte.
//!
//! Formatting changes the white space between tokens, and three things that have an older and a newer notation: see
//! [`rewrite`]. It never changes the meaning of a file. Terraform would lose these; here they stay:
//!
//! - a label with a `$` or `%` in it, which Terraform deletes;
//! - an index that is `true`, `false` or `null`, which Terraform deletes.
//!
//! An unwrapped `"${...}"` over several lines gets parentheses wherever it needs them.

mod indent;
mod layout;
mod rewrite;
mod token;

use text::{Replacement, TextRange, TextSize, apply};

use crate::{File, Segment, parse};

/// The text in its canonical layout; `None` when it has a syntax error.
pub fn format(text: &str) -> Option<String> {
    let edits = format_file(&parse(text))?;
    Some(apply(text, &edits))
}

/// The edits that bring a file into its canonical layout: where it has it, none. `None` when it has a syntax error, or
/// when its layout has too many spaces.
pub fn format_file(file: &File) -> Option<Vec<Replacement>> {
    match file.errors().next() {
        Some(_) => None,
        None => format_run(file, &file.segments().collect::<Vec<_>>()),
    }
}

/// The edits of the lines that `range` touches. Items with a syntax error stay as they are, the others do not mind.
pub fn format_range(file: &File, range: TextRange) -> Vec<Replacement> {
    let text = file.text();
    let start = line_start(text, range.start());
    let end = line_end(text, range.end());
    let is_healthy = |segment: &Segment<'_>| segment.parsed.errors.is_empty();
    let segments: Vec<_> = file.segments().collect();
    segments
        .chunk_by(|a, b| is_healthy(a) == is_healthy(b))
        .filter(|run| is_healthy(&run[0]))
        .filter(|run| run[0].offset <= end && start <= end_of(run))
        .flat_map(|run| format_run(file, run).unwrap_or_default())
        .filter(|edit| start <= edit.range.start() && edit.range.end() <= end)
        .collect()
}

/// The edit that indents the line at `offset`, in whatever state the text around it is. `None` where the indent is
/// right, or is the user's: in a heredoc or a comment.
pub fn indent_line(file: &File, offset: TextSize) -> Option<Replacement> {
    let text = file.text();
    let start = line_start(text, offset);
    let end = line_end(text, offset);
    // A line break belongs to the text before it.
    let first = file.segment_at(start.checked_sub(1.into()).unwrap_or(start))?;
    let last = file.segment_at(start).unwrap_or(first);
    let around = TextRange::new(first.offset, last.range().end().max(end));
    let depth = indent::of_line(&text[around], start - first.offset)?;
    let line = &text[TextRange::new(start, end)];
    let written = line.len() - line.trim_start_matches([' ', '\t']).len();
    let wanted = " ".repeat(depth);
    let is_same = line[..written] == wanted;
    (!is_same).then(|| Replacement {
        range: TextRange::at(start, size(written)),
        text: wanted,
    })
}

/// The maximum number of spaces in a layout. One long name puts the `=` of thousands of lines far to the right.
pub const MAX_SPACES: usize = 16 << 20;

/// Formats neighbouring segments without errors as if they were a file.
fn format_run(file: &File, segments: &[Segment<'_>]) -> Option<Vec<Replacement>> {
    let Some(first) = segments.first() else {
        return Some(Vec::new());
    };
    let run = TextRange::new(first.offset, end_of(segments));
    let text = &file.text()[run];
    let (tokens, end_spaces) = token::tokens(text, first.offset);
    let mut tokens = rewrite::rewrite(tokens, segments);
    layout::arrange(&mut tokens);
    let spaces: usize = tokens.iter().map(|token| token.spaces).sum();
    let edits = || token::edits(file.text(), run, &tokens, end_spaces);
    (spaces <= MAX_SPACES).then(edits)
}

fn end_of(segments: &[Segment<'_>]) -> TextSize {
    let last = segments.last();
    last.map_or(TextSize::new(0), |last| last.range().end())
}

fn line_start(text: &str, offset: TextSize) -> TextSize {
    let before = text.get(..usize::from(offset)).unwrap_or(text);
    size(before.rfind('\n').map_or(0, |newline| newline + 1))
}

/// Before the line break.
fn line_end(text: &str, offset: TextSize) -> TextSize {
    let offset = usize::from(offset).min(text.len());
    let rest = text.get(offset..).unwrap_or_default();
    size(offset + rest.find('\n').unwrap_or(rest.len()))
}

fn size(offset: usize) -> TextSize {
    TextSize::try_from(offset).unwrap_or(TextSize::new(u32::MAX))
}
