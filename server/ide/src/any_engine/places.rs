//! Places in the texts that facts are about.

use text::{Span, TextRange, TextSize};

/// The texts as they were planned.
pub(crate) trait Texts {
    /// The text of the segment that a span is in.
    fn segment_text(&self, span: &Span) -> Option<&str>;

    /// Whether the segment of a span is half-typed.
    fn has_syntax_errors(&self, span: &Span) -> bool;

    /// The end of the first line of `span`: where a hint is seen next to the argument's name.
    fn line_end(&self, span: &Span) -> TextSize {
        let start = usize::from(span.range.start());
        let end = usize::from(span.range.end());
        let text = self
            .segment_text(span)
            .and_then(|text| text.get(start..end));
        match text.and_then(|text| text.find('\n')) {
            Some(newline) => {
                let line = text.map_or("", |text| &text[..newline]).trim_end();
                span.range.start() + TextSize::of(line)
            }
            None => span.range.end(),
        }
    }

    /// The part of `span` on its first line: a whole block underlined is too loud.
    fn first_line(&self, span: &Span) -> Span {
        let range = TextRange::new(span.range.start(), self.line_end(span));
        Span {
            range,
            ..span.clone()
        }
    }

    /// The end of the line that `span` begins in.
    fn text_line_end(&self, span: &Span) -> TextSize {
        let rest = self
            .segment_text(span)
            .and_then(|text| text.get(usize::from(span.range.start())..));
        match rest {
            Some(rest) => {
                let line = rest.split('\n').next().unwrap_or(rest);
                span.range.start() + TextSize::of(line.trim_end())
            }
            None => span.range.end(),
        }
    }

    /// The end of the line of `offset` where only closing brackets follow, else `offset`.
    fn behind_closers(&self, span: &Span, offset: TextSize) -> TextSize {
        let rest = self
            .segment_text(span)
            .and_then(|text| text.get(usize::from(offset)..));
        let line = rest
            .and_then(|rest| rest.split('\n').next())
            .map(str::trim_end);
        match line {
            Some(line) if line.chars().all(|c| ")]}, ".contains(c)) => offset + TextSize::of(line),
            Some(_) | None => offset,
        }
    }

    /// The start of the line of `offset` in the segment of `span`.
    fn line_start(&self, span: &Span, offset: TextSize) -> TextSize {
        let before = self
            .segment_text(span)
            .and_then(|text| text.get(..usize::from(offset)));
        match before {
            Some(before) => TextSize::of(&before[..before.rfind('\n').map_or(0, |at| at + 1)]),
            None => offset,
        }
    }

    /// Whether two offsets in the segment of `span` stand in one line.
    fn is_same_line(&self, span: &Span, a: TextSize, b: TextSize) -> bool {
        let (start, end) = (usize::from(a.min(b)), usize::from(a.max(b)));
        let between = self
            .segment_text(span)
            .and_then(|text| text.get(start..end));
        a == b || between.is_some_and(|between| !between.contains('\n'))
    }
}
