//! The effect or the value of an argument, at the end of its line.

use std::collections::BTreeSet;

use text::{Span, TextSize};

use super::{Cause, FactsBuilder, ObjectChange, PlannedObject, Texts};
use crate::{HintKind, HintLabel, InlayHint, MAX_HINT_LABEL, Markdown, Tone};

const FORCES_REPLACEMENT: &str = "⟳ forces replacement";

/// Replacements and updates, then unknown values; `between` comes between them.
pub(crate) fn add_hints(
    texts: &impl Texts,
    object: &PlannedObject,
    facts: &mut FactsBuilder,
    between: impl FnOnce(&mut FactsBuilder),
) {
    let changes = object.changes.iter();
    let replaced = changes.clone().filter(|it| it.kind.is_replace());
    let forcing = replaced.flat_map(|change| &change.causes);
    let is_guess = object.doubt().is_some();
    let mut taken = BTreeSet::new();
    add_causes(texts, forcing, true, is_guess, &mut taken, facts);
    add_outside(texts, object, facts);
    let changed = changes.flat_map(|change| &change.changed);
    add_causes(texts, changed, false, is_guess, &mut taken, facts);
    between(facts);
    for (span, label) in &object.unknown {
        if taken.insert(key(span)) {
            let (kind, end) = (HintKind::KnownAfterApply, texts.line_end(span));
            push_at(texts, span, end, *label, kind, None, facts);
        }
    }
}

/// The effect of changed values. Only places that are not `taken` get a hint.
pub(crate) fn add_causes<'a>(
    texts: &impl Texts,
    causes: impl Iterator<Item = &'a Cause>,
    is_forcing: bool,
    is_guess: bool,
    taken: &mut BTreeSet<SpanKey>,
    facts: &mut FactsBuilder,
) {
    // A guess begins with a question mark, as the action does.
    let guess = if is_guess { "? " } else { "" };
    for cause in causes {
        if !taken.insert(key(&cause.span)) {
            continue;
        }
        let label = match is_forcing {
            true => {
                let what = format!("{guess}{FORCES_REPLACEMENT}");
                let room = MAX_HINT_LABEL - what.chars().count() - ": ".len();
                match cause.summary(room) {
                    Some(summary) => HintLabel::new(format!("{what}: "), summary),
                    None => what.into(),
                }
            }
            false => {
                let summary = cause.summary(MAX_HINT_LABEL - guess.len());
                HintLabel::new(guess, summary.unwrap_or_else(|| "changed".to_owned()))
            }
        };
        let kind = match is_forcing {
            true => HintKind::ForcesReplacement,
            false => HintKind::Updated,
        };
        let tooltip = Some(Markdown::code(cause.sentence()));
        let end = behind(texts, cause);
        push_at(texts, &cause.span, end, label, kind, tooltip, facts);
    }
}

/// The values of the objects in the place of those of the text.
fn add_outside(texts: &impl Texts, object: &PlannedObject, facts: &mut FactsBuilder) {
    for place in object.outside.iter().flat_map(|it| &it.places) {
        const WHAT: &str = "changed outside";
        let room = MAX_HINT_LABEL - WHAT.len() - ": ".len();
        let label = match place.summary(room) {
            Some(summary) => HintLabel::new(format!("{WHAT}: "), summary),
            None => WHAT.into(),
        };
        let tooltip = Some(Markdown::code(place.sentence()));
        let (kind, end) = (HintKind::ChangedOutside, behind(texts, place));
        push_at(texts, &place.span, end, label, kind, tooltip, facts);
    }
}

/// The objects that will be destroyed, where their block stood, behind whatever that line has to show.
pub(crate) fn add_removed_hint(
    texts: &impl Texts,
    place: &Span,
    removed: &[&ObjectChange],
    facts: &mut FactsBuilder,
) {
    let Some((first, more)) = removed.split_first() else {
        return;
    };
    const LEAD: &str = "- destroy ";
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let room = MAX_HINT_LABEL - LEAD.len() - more.len();
    let label = HintLabel::new(LEAD, without_middle(&first.address, room) + &more);
    let end = texts.text_line_end(place);
    let kind = HintKind::Action(Some(Tone::Destroy));
    let hint = InlayHint::new(end, label, kind, None);
    facts.at(place).inlay_hints.push(hint);
}

/// A long address in `room` characters: its type and its key tell it apart.
fn without_middle(address: &str, room: usize) -> String {
    let count = address.chars().count();
    if count <= room {
        return address.to_owned();
    }
    let half = (room - 1) / 2;
    let begin: String = address.chars().take(half).collect();
    let end: String = address.chars().skip(count - half).collect();
    format!("{begin}…{end}")
}

/// The end of the first line; after the whole argument if it ends in the same line.
fn behind(texts: &impl Texts, place: &Cause) -> TextSize {
    let end = texts.line_end(&place.span);
    let whole = place.argument.as_ref().map(|span| span.range.end());
    whole
        .filter(|whole| texts.is_same_line(&place.span, end, *whole))
        .unwrap_or_else(|| texts.behind_closers(&place.span, end))
}

/// One hint in a line, the first: replacements come before changes outside, unknowns and values.
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
        // The value of a half-typed expression is neither its value nor known after apply.
        return;
    }
    if facts.takes_hint(span, texts.line_start(span, offset)) {
        let hint = InlayHint::new(offset, label, kind, tooltip);
        facts.at(span).inlay_hints.push(hint);
    }
}

pub(crate) type SpanKey = (text::FileId, text::SegmentId, u32, u32);

fn key(span: &Span) -> SpanKey {
    (
        span.file.clone(),
        span.segment,
        span.range.start().into(),
        span.range.end().into(),
    )
}
