//! What an argument causes or is, at the end of its line.

use std::collections::BTreeSet;

use text::{Span, TextSize};

use super::{FactsBuilder, PlannedObject, Texts};
use crate::{HintKind, HintLabel, InlayHint, MAX_HINT_LABEL, Markdown};

const FORCES_REPLACEMENT: &str = "⟳ forces replacement";

/// What forces replacements, then what is unknown; `between` comes between them.
pub(crate) fn add_hints(
    texts: &impl Texts,
    object: &PlannedObject,
    facts: &mut FactsBuilder,
    between: impl FnOnce(&mut FactsBuilder),
) {
    let mut taken = add_replacements(texts, object, facts);
    between(facts);
    for (span, label) in &object.unknown {
        if taken.insert(key(span)) {
            let (kind, end) = (HintKind::KnownAfterApply, texts.line_end(span));
            push_at(texts, span, end, *label, kind, None, facts);
        }
    }
}

/// Answers the places that have a hint now.
fn add_replacements(
    texts: &impl Texts,
    object: &PlannedObject,
    facts: &mut FactsBuilder,
) -> BTreeSet<SpanKey> {
    let mut taken = BTreeSet::new();
    let replaced = object.changes.iter().filter(|it| it.kind.is_replace());
    // A guess begins with a question mark, as in the lens.
    let what = match object.doubt() {
        Some(_) => format!("? {FORCES_REPLACEMENT}"),
        None => FORCES_REPLACEMENT.to_owned(),
    };
    for cause in replaced.flat_map(|change| &change.causes) {
        if !taken.insert(key(&cause.span)) {
            continue;
        }
        let room = MAX_HINT_LABEL - what.chars().count() - ": ".len();
        let label = match cause.summary(room) {
            Some(summary) => HintLabel::new(format!("{what}: "), summary),
            None => what.clone().into(),
        };
        let tooltip = Some(Markdown::code(cause.sentence()));
        let kind = HintKind::ForcesReplacement;
        // Behind the whole argument where it ends in the same line.
        let end = texts.line_end(&cause.span);
        let whole = cause.argument.as_ref().map(|span| span.range.end());
        let end = whole
            .filter(|whole| texts.is_same_line(&cause.span, end, *whole))
            .unwrap_or_else(|| texts.behind_closers(&cause.span, end));
        push_at(texts, &cause.span, end, label, kind, tooltip, facts);
    }
    taken
}

/// One hint in a line, the first: replacements come before unknowns and values.
pub(crate) fn push_at(
    texts: &impl Texts,
    span: &Span,
    offset: TextSize,
    label: impl Into<HintLabel>,
    kind: HintKind,
    tooltip: Option<Markdown>,
    facts: &mut FactsBuilder,
) {
    if kind != HintKind::ForcesReplacement && texts.has_syntax_errors(span) {
        // What a half-typed expression gives is neither its value nor known after apply.
        return;
    }
    let hint = InlayHint::new(offset, label, kind, tooltip);
    let hints = &mut facts.at(span).inlay_hints;
    if !hints
        .iter()
        .any(|other| texts.is_same_line(span, other.offset, hint.offset))
    {
        hints.push(hint);
    }
}

type SpanKey = (text::FileId, text::SegmentId, u32, u32);

fn key(span: &Span) -> SpanKey {
    (
        span.file.clone(),
        span.segment,
        span.range.start().into(),
        span.range.end().into(),
    )
}
