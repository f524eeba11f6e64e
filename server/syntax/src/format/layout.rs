//! The white space between tokens: indents, spaces, and `=` and comments in columns.

use std::ops::Range;

use super::indent::{Indents, brackets, brackets_of_lead};
use super::token::Token;
use crate::SyntaxKind::{self, *};

/// A line in up to three cells, as ranges of tokens. A heredoc is part of the line that it starts on.
struct Line {
    lead: Range<usize>,
    /// From the `=` on, where the value is complete on the line.
    assign: Range<usize>,
    /// A trailing comment.
    comment: Range<usize>,
}

/// Sets the spaces before each token.
pub(super) fn arrange(tokens: &mut [Token<'_>]) {
    let lines = lines(tokens);
    indent(&lines, tokens);
    for line in &lines {
        space(&mut tokens[line.lead.clone()]);
        if let Some(first) = tokens[line.assign.clone()].first_mut() {
            first.spaces = 1;
        }
        space(&mut tokens[line.assign.clone()]);
    }
    align(&lines, tokens, |line| line.assign.clone());
    align(&lines, tokens, |line| line.comment.clone());
}

fn lines(tokens: &[Token<'_>]) -> Vec<Line> {
    let mut start = 0;
    tokens
        .split_inclusive(Token::ends_line)
        .map(|line| {
            let range = start..start + line.len();
            start = range.end;
            cells(tokens, range)
        })
        .collect()
}

fn cells(tokens: &[Token<'_>], line: Range<usize>) -> Line {
    let has_comment = line.len() > 1 && tokens[line.end - 1].is_comment();
    let code_end = if has_comment { line.end - 1 } else { line.end };
    let equal = (line.start + 1..code_end).find(|index| tokens[*index].kind == Equal);
    let assign = equal
        .filter(|equal| brackets(&tokens[*equal..code_end]) == 0)
        .unwrap_or(code_end);
    Line {
        lead: line.start..assign,
        assign: assign..code_end,
        comment: code_end..line.end,
    }
}

fn indent(lines: &[Line], tokens: &mut [Token<'_>]) {
    let mut indents = Indents::default();
    for line in lines {
        let first = line.lead.start;
        tokens[first].spaces = match tokens[first].kind {
            Newline => 0,
            _ => {
                let lead = brackets_of_lead(&tokens[line.lead.clone()]);
                indents.line(lead + brackets(&tokens[line.assign.clone()]))
            }
        };
    }
}

/// Sets the spaces between the tokens of a cell.
fn space(cell: &mut [Token<'_>]) {
    for index in 1..cell.len() {
        let before = index.checked_sub(2).map(|before| cell[before].kind);
        let has_space = has_space_between(before, &cell[index - 1], cell[index].kind);
        cell[index].spaces = usize::from(has_space);
    }
}

/// Puts the cells of neighbouring lines that have one in a column, a space after the widest line.
fn align(lines: &[Line], tokens: &mut [Token<'_>], cell: impl Fn(&Line) -> Range<usize>) {
    for chain in lines.chunk_by(|a, b| cell(a).is_empty() == cell(b).is_empty()) {
        if cell(&chain[0]).is_empty() {
            continue;
        }
        let width = |line: &Line| -> usize {
            let before = &tokens[line.lead.start..cell(line).start];
            before.iter().map(Token::columns).sum()
        };
        let widths: Vec<usize> = chain.iter().map(width).collect();
        let widest = widths.iter().max().copied().unwrap_or_default();
        for (line, width) in chain.iter().zip(widths) {
            tokens[cell(line).start].spaces = widest - width + 1;
        }
    }
}

/// Whether there is a space between `left` and `right`. The tokens before them in the cell decide between the two
/// meanings of `-` and of `in`.
fn has_space_between(before: Option<SyntaxKind>, left: &Token<'_>, right: SyntaxKind) -> bool {
    match (left.kind, right) {
        (_, Newline) => false,
        (Ident, OpenParen | DoubleColon) | (DoubleColon, Ident) => false,
        (Dot, _) | (_, Dot | Comma | Ellipsis) => false,
        (Comma, _) => true,
        (QuotedLiteral | TemplateLiteral | OpenQuote | OpenHeredoc, _) => false,
        (_, QuotedLiteral | TemplateLiteral | CloseQuote | CloseHeredoc) => false,
        // The keyword of a `for`, not the name of something that is indexed: `[for x in [1]: x]`.
        (Ident, _) if left.text == "in" && before == Some(Ident) => true,
        (Ident | Number, OpenBracket) => false,
        (_, OpenBracket) if left.brackets() < 0 => false,
        (Bang, _) => false,
        (Minus, _) => !is_negation(before),
        (OpenBrace, CloseBrace) => false,
        (OpenBrace, _) | (_, CloseBrace) => true,
        (TemplateInterpolation | TemplateControl, OpenBrace) => true,
        (CloseBrace, TemplateEnd) => true,
        (TemplateEnd, TemplateInterpolation | TemplateControl) => false,
        (_, CloseBracket | CloseParen | TemplateEnd) => false,
        _ => left.brackets() <= 0,
    }
}

/// Whether a `-` after `before` has no operand on its left.
fn is_negation(before: Option<SyntaxKind>) -> bool {
    match before {
        None => true,
        Some(
            OpenParen | OpenBrace | OpenBracket | Equal | Colon | Comma | Question | Plus | Star
            | Slash | Percent | Minus | EqualEqual | NotEqual | Greater | GreaterOrEqual | Less
            | LessOrEqual | And | Or | Bang,
        ) => true,
        Some(_) => false,
    }
}
