//! Templates: quoted strings, heredocs, template files.

use std::borrow::Cow;

use text::{Suggestion, TextRange, TextSize};

use super::Parser;
use crate::SyntaxKind;
use crate::ast::{
    Expr, ExprKind, Ident, Template, TemplateFor, TemplateIf, TemplateKind, TemplatePart,
};
use crate::file::error;
use crate::lexer::{MULTI_LINE_STRING, UNTERMINATED};
use crate::string;

/// An atom of a template. Trimming and dedenting work on these, one literal per line.
enum Piece<'a> {
    Literal(Cow<'a, str>, TextRange),
    Interpolation(Expr),
    If(Expr, TextRange),
    For(Box<ForDirective>),
    Else(TextRange),
    EndIf(TextRange),
    EndFor(TextRange),
}

struct ForDirective {
    key_var: Option<Ident>,
    value_var: Ident,
    collection: Expr,
    range: TextRange,
}

impl<'a> Parser<'a> {
    /// A quoted string or a heredoc.
    pub(super) fn template(&mut self) -> Expr {
        self.open(SyntaxKind::Template);
        let open = self.bump();
        let (end, kind) = match open.kind {
            SyntaxKind::OpenQuote => (SyntaxKind::CloseQuote, TemplateKind::Quoted),
            _ => (SyntaxKind::CloseHeredoc, TemplateKind::Heredoc),
        };
        let mut pieces = self.pieces(end, open.range);
        if self.slice(open.range).starts_with("<<-") {
            dedent(&mut pieces);
        }
        let range = self.since(open.range.start());
        let expr = self.assemble(pieces, kind, range);
        self.close();
        expr
    }

    /// A text that is a template from start to end.
    pub(super) fn bare_template(&mut self) -> Expr {
        self.height = 1;
        let pieces = self.pieces(SyntaxKind::EndOfFile, TextRange::empty(TextSize::new(0)));
        let range = TextRange::up_to(TextSize::of(self.text));
        self.assemble(pieces, TemplateKind::Bare, range)
    }

    /// Everything up to `end`, with it.
    fn pieces(&mut self, end: SyntaxKind, open: TextRange) -> Vec<Piece<'a>> {
        let mut pieces = Vec::new();
        let mut height = 0;
        let mut trims_next = false;
        let mut is_after_literal = false;
        loop {
            let kind = self.peek();
            if kind == end {
                if self.bump().range.is_empty() && end == SyntaxKind::CloseQuote {
                    self.report_unclosed_string(open);
                }
                break;
            }
            let trims = std::mem::take(&mut trims_next);
            let can_trim = std::mem::take(&mut is_after_literal);
            match kind {
                SyntaxKind::QuotedLiteral | SyntaxKind::TemplateLiteral => {
                    let (mut value, range) = self.literal_piece(kind);
                    if trims {
                        trim(&mut value, str::trim_start);
                    }
                    pieces.push(Piece::Literal(value, range));
                    is_after_literal = true;
                }
                SyntaxKind::TemplateInterpolation | SyntaxKind::TemplateControl => {
                    let is_control = kind == SyntaxKind::TemplateControl;
                    self.open(if is_control {
                        SyntaxKind::Directive
                    } else {
                        SyntaxKind::Interpolation
                    });
                    let start = self.bump().range;
                    if let (true, true, Some(Piece::Literal(value, _))) = (
                        can_trim,
                        self.slice(start).ends_with('~'),
                        pieces.last_mut(),
                    ) {
                        trim(value, str::trim_end);
                    }
                    self.newlines.push(false);
                    if is_control {
                        pieces.extend(self.directive(start, &mut trims_next));
                    } else {
                        pieces.push(self.interpolation(start, end, open, &mut trims_next));
                    }
                    height = self.height.max(height);
                    self.newlines.pop();
                    self.close();
                }
                _ => {
                    self.fail(UNTERMINATED.0, UNTERMINATED.1);
                    break;
                }
            }
            // At the end of the visible text, nothing but an end would be found again and again.
            if self.is_stopped {
                break;
            }
        }
        self.height = height;
        pieces
    }

    /// The string that starts with `open` ends with its line, or with the file.
    fn report_unclosed_string(&mut self, open: TextRange) {
        let (summary, detail) = if self.raw(self.pos).kind == SyntaxKind::EndOfFile {
            UNTERMINATED
        } else {
            MULTI_LINE_STRING
        };
        self.report(self.since(open.start()), summary, detail);
    }

    fn literal_piece(&mut self, kind: SyntaxKind) -> (Cow<'a, str>, TextRange) {
        let range = self.next_token().range;
        if kind == SyntaxKind::QuotedLiteral {
            return (self.quoted_literal(), range);
        }
        self.bump();
        (string::unescape_sigils(self.slice(range)), range)
    }

    fn interpolation(
        &mut self,
        start: TextRange,
        end: SyntaxKind,
        open: TextRange,
        trims_next: &mut bool,
    ) -> Piece<'a> {
        let expr = self.expression();
        let extra = "Extra characters after interpolation expression";
        let unclosed = "Unclosed template interpolation sequence";
        match self.peek() {
            SyntaxKind::TemplateEnd => {
                let close = self.bump().range;
                *trims_next = self.slice(close).starts_with('~');
                if close.is_empty() {
                    self.report(
                        start,
                        unclosed,
                        "There is no closing brace for this interpolation sequence before the end of \
                         the line. This might be caused by incorrect nesting inside the given expression.",
                    );
                }
            }
            SyntaxKind::EndOfFile => self.fail_at(
                start,
                unclosed,
                "There is no closing brace for this interpolation sequence before the end of the file. \
                 This might be caused by incorrect nesting inside the given expression.",
            ),
            SyntaxKind::Colon => self.fail(
                extra,
                "Template interpolation doesn't expect a colon at this location. Did you intend this to \
                 be a literal sequence to be processed as part of another language? If so, you can \
                 escape it by starting with \"$${\" instead of just \"${\".",
            ),
            SyntaxKind::CloseQuote | SyntaxKind::OpenQuote if end == SyntaxKind::CloseQuote => self
                .fail_at(
                    open,
                    unclosed,
                    "There is no closing brace for this interpolation sequence before the end of the \
                     quoted template. This might be caused by incorrect nesting inside the given \
                     expression.",
                ),
            _ => self.fail(
                extra,
                "Expected a closing brace to end the interpolation expression, but found extra \
                 characters.\n\nThis can happen when you include interpolation syntax for another \
                 language, such as shell scripting, but forget to escape the interpolation start token. \
                 If this is an embedded sequence for another language, escape it by starting with \
                 \"$${\" instead of just \"${\".",
            ),
        }
        Piece::Interpolation(expr)
    }

    fn directive(&mut self, start: TextRange, trims_next: &mut bool) -> Option<Piece<'a>> {
        self.height = 0;
        if !self.at(SyntaxKind::Ident) {
            self.fail(
                "Invalid template directive",
                "A template directive keyword (\"if\", \"for\", etc) is expected at the beginning of a \
                 %{ sequence.",
            );
            return None;
        }
        let keyword = self.ident();
        let summary = match keyword.name.as_str() {
            "if" => "Extra characters in if marker",
            "else" => "Extra characters in else marker",
            "endif" => "Extra characters in endif marker",
            "for" => "Extra characters in for marker",
            "endfor" => "Extra characters in endfor marker",
            name => {
                let hint = Suggestion(keyword_suggestion(name));
                let detail = format!("{name:?} is not a valid template control keyword.{hint}");
                let invalid = error(keyword.range, "Invalid template control keyword", detail);
                self.fail_with(invalid.with_fault(hint));
                return None;
            }
        };
        let mut piece = match keyword.name.as_str() {
            "if" => Piece::If(self.expression(), start),
            "for" => {
                let (key_var, value_var) = self.for_names(
                    "Invalid 'for' directive",
                    "For directive requires variable name after 'for'.",
                    "For directive requires value variable name after comma.",
                    "For directive requires 'in' keyword after names.",
                );
                let collection = self.expression();
                let range = start;
                Piece::For(Box::new(ForDirective {
                    key_var,
                    value_var,
                    collection,
                    range,
                }))
            }
            "else" => Piece::Else(start),
            "endif" => Piece::EndIf(start),
            _ => Piece::EndFor(start),
        };
        match self.eat(SyntaxKind::TemplateEnd) {
            Some(close) => *trims_next = self.slice(close.range).starts_with('~'),
            None => self.fail(
                summary,
                "Expected a closing brace to end the sequence, but found extra characters.",
            ),
        }
        let whole = self.since(start.start());
        match &mut piece {
            Piece::If(_, range)
            | Piece::Else(range)
            | Piece::EndIf(range)
            | Piece::EndFor(range) => *range = whole,
            Piece::For(directive) => directive.range = whole,
            Piece::Literal(..) | Piece::Interpolation(_) => {}
        }
        Some(piece)
    }

    /// The expression that the pieces make.
    fn assemble(&mut self, pieces: Vec<Piece<'_>>, kind: TemplateKind, range: TextRange) -> Expr {
        let height = self.height;
        let mut pieces = meld(pieces);
        if let [Piece::Interpolation(_)] = pieces.as_slice()
            && let Some(Piece::Interpolation(expr)) = pieces.pop()
        {
            return self.raised(
                height,
                Expr {
                    kind: ExprKind::TemplateWrap(Box::new(expr)),
                    range,
                },
            );
        }
        if pieces.is_empty() {
            // The place right after the opening quote.
            let at = if kind == TemplateKind::Quoted {
                range.start() + TextSize::new(1)
            } else {
                range.start()
            };
            pieces.push(Piece::Literal(Cow::Borrowed(""), TextRange::empty(at)));
        }
        let mut pieces = pieces.into_iter();
        let mut parts = Vec::new();
        let mut levels = height;
        while let Some(piece) = pieces.next() {
            parts.push(self.part_of(piece, &mut pieces, 1, &mut levels));
        }
        let kind = ExprKind::Template(Template { kind, parts });
        self.raised(levels, Expr { kind, range })
    }

    /// The part that starts with `piece`; directives take their content from the rest.
    fn part_of(
        &mut self,
        piece: Piece<'_>,
        rest: &mut Pieces<'_>,
        depth: u32,
        levels: &mut u32,
    ) -> TemplatePart {
        match piece {
            Piece::Literal(value, range) => TemplatePart::Literal(string::normalize(&value), range),
            Piece::Interpolation(expr) => TemplatePart::Interpolation(expr),
            Piece::If(condition, open) => self.if_part(condition, open, rest, depth, levels),
            Piece::For(directive) => self.for_part(*directive, rest, depth, levels),
            Piece::Else(range) => self.unbalanced("Unexpected else directive", range),
            Piece::EndIf(range) => self.unbalanced("Unexpected endif directive", range),
            Piece::EndFor(range) => self.unbalanced("Unexpected endfor directive", range),
        }
    }

    fn unbalanced(&mut self, summary: &'static str, range: TextRange) -> TemplatePart {
        self.report(
            range,
            summary,
            "The control directives within this template are unbalanced.",
        );
        // Its relation to the text around it is not known.
        let kind = ExprKind::Error(None);
        TemplatePart::Interpolation(Expr { kind, range })
    }

    fn if_part(
        &mut self,
        condition: Expr,
        open: TextRange,
        rest: &mut Pieces<'_>,
        depth: u32,
        levels: &mut u32,
    ) -> TemplatePart {
        let mut then_parts = Vec::new();
        let mut else_parts = Vec::new();
        let mut has_else = false;
        let mut end = open;
        loop {
            match rest.next() {
                Some(Piece::EndIf(range)) => {
                    end = range;
                    break;
                }
                Some(Piece::Else(_)) if !has_else => has_else = true,
                Some(Piece::Else(range)) => {
                    let detail = "Already in the else clause of this if directive.";
                    self.report(range, "Unexpected else directive", detail);
                    break;
                }
                Some(Piece::EndFor(range)) => {
                    let detail = "Expecting an endif directive for the if directive before it.";
                    self.report(range, "Unexpected endfor directive", detail);
                    break;
                }
                Some(piece) => {
                    let Some(part) = self.inner_part(piece, rest, depth, levels) else {
                        break;
                    };
                    if has_else {
                        &mut else_parts
                    } else {
                        &mut then_parts
                    }
                    .push(part);
                }
                None => {
                    let detail = "The if directive is missing its corresponding endif directive.";
                    self.report(open, UNEXPECTED_END, detail);
                    break;
                }
            }
        }
        let range = open.cover(end);
        TemplatePart::If(Box::new(TemplateIf {
            condition,
            then_parts,
            else_parts,
            range,
        }))
    }

    fn for_part(
        &mut self,
        directive: ForDirective,
        rest: &mut Pieces<'_>,
        depth: u32,
        levels: &mut u32,
    ) -> TemplatePart {
        let ForDirective {
            key_var,
            value_var,
            collection,
            range: open,
        } = directive;
        let mut parts = Vec::new();
        let mut end = open;
        loop {
            match rest.next() {
                Some(Piece::EndFor(range)) => {
                    end = range;
                    break;
                }
                Some(Piece::Else(range)) => {
                    let detail = "An else clause is not expected for a for directive.";
                    self.report(range, "Unexpected else directive", detail);
                    break;
                }
                Some(Piece::EndIf(range)) => {
                    let detail = "Expecting an endfor directive corresponding to the for directive \
                                  before it.";
                    self.report(range, "Unexpected endif directive", detail);
                    break;
                }
                Some(piece) => {
                    let Some(part) = self.inner_part(piece, rest, depth, levels) else {
                        break;
                    };
                    parts.push(part);
                }
                None => {
                    let detail = "The for directive is missing its corresponding endfor directive.";
                    self.report(open, UNEXPECTED_END, detail);
                    break;
                }
            }
        }
        let range = open.cover(end);
        TemplatePart::For(Box::new(TemplateFor {
            key_var,
            value_var,
            collection,
            parts,
            range,
        }))
    }

    fn inner_part(
        &mut self,
        piece: Piece<'_>,
        rest: &mut Pieces<'_>,
        depth: u32,
        levels: &mut u32,
    ) -> Option<TemplatePart> {
        *levels = (*levels).max(self.height + depth);
        let part = self.nested(|p| p.part_of(piece, rest, depth + 1, levels));
        if part.is_none() {
            rest.by_ref().for_each(drop);
        }
        part
    }
}

type Pieces<'a> = std::vec::IntoIter<Piece<'a>>;

const UNEXPECTED_END: &str = "Unexpected end of template";

/// Removes the smallest indentation of a line from all lines. Lines start after a literal that ends with a line
/// break; a line that starts with a sequence has no indentation.
fn dedent(pieces: &mut [Piece<'_>]) {
    let mut smallest = None;
    let mut is_line_start = true;
    let mut lines = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let literal = match piece {
            Piece::Literal(value, _) => Some(&**value),
            _ => None,
        };
        if is_line_start {
            let indentation = literal.map_or(Some(0), string::indentation);
            if literal.is_some() && indentation.is_some() {
                lines.push(index);
            }
            smallest = match (smallest, indentation) {
                (Some(smallest), Some(own)) => Some(std::cmp::min::<usize>(smallest, own)),
                (smallest, own) => smallest.or(own),
            };
        }
        is_line_start = literal.is_some_and(|value| value.ends_with('\n'));
    }
    let Some(smallest) = smallest else { return };
    for index in lines {
        if let Piece::Literal(value, _) = &mut pieces[index] {
            trim(value, |line| string::dedented(line, smallest));
        }
    }
}

/// Keeps the part of a text that `kept` answers.
fn trim(text: &mut Cow<'_, str>, kept: impl FnOnce(&str) -> &str) {
    *text = match std::mem::take(text) {
        Cow::Borrowed(text) => Cow::Borrowed(kept(text)),
        Cow::Owned(text) => Cow::Owned(kept(&text).to_owned()),
    };
}

/// Joins neighbouring literals.
fn meld(pieces: Vec<Piece<'_>>) -> Vec<Piece<'_>> {
    if pieces.len() < 2 {
        return pieces;
    }
    let mut melded: Vec<Piece<'_>> = Vec::with_capacity(pieces.len());
    for piece in pieces {
        match (melded.last_mut(), piece) {
            (Some(Piece::Literal(value, range)), Piece::Literal(next, next_range)) => {
                *value += next;
                *range = range.cover(next_range);
            }
            (_, piece) => melded.push(piece),
        }
    }
    melded
}

/// The directive that was probably meant.
fn keyword_suggestion(given: &str) -> Option<&'static str> {
    text::first_similar(given, ["if", "for", "else", "endif", "endfor"])
}
