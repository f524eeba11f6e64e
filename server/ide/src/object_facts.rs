//! All that objects have to show, as facts about the texts.

use std::collections::HashMap;

use change::ChangeKind;
use text::{Diagnostic, FileId, SegmentId, Severity, Span};

use crate::objects::{
    FactsBuilder, Texts, add_changes, add_hints, add_removed, lenses, push, push_at, put,
};
use crate::{Caveat, Facts, HintKind, HintLabel, Hover, Markdown, PlannedObject, Snapshot};

/// Everything that a plan says in the open files of `snapshot`, which it was made from. `values` are those of expressions whose
/// text does not show them. `start` is where something without a place is shown.
pub fn facts_of_objects(
    snapshot: &Snapshot,
    objects: &[PlannedObject],
    diagnostics: &[Diagnostic],
    values: &[(Span, String)],
    start: Option<&Span>,
) -> Facts {
    let texts = OpenTexts::of(snapshot);
    let mut facts = FactsBuilder::default();
    for diagnostic in diagnostics {
        if let Some(span) = diagnostic.subject.as_ref().or(start) {
            let subject = Some(texts.first_line(span));
            put(
                Diagnostic {
                    subject,
                    ..diagnostic.clone()
                },
                &mut facts,
            );
        }
    }
    let severity = snapshot.settings().diagnostics.replacement.severity();
    for object in objects {
        let place = object.place.as_ref();
        if let Some(severity) = severity {
            add_changes(&texts, object, place, severity, &mut facts);
        }
        add_hints(&texts, object, &mut facts, |_| ());
        let Some(place) = place else { continue };
        let is_reported = |it: &&Caveat| !object.has_errors && !it.brief.is_empty();
        if let Some(caveat) = object.caveat.as_ref().filter(is_reported) {
            let (place, why) = (texts.first_line(place), caveat.whole.clone());
            push(&place, Severity::Info, "not-planned", why, &mut facts);
        }
        lenses::add(object, &mut facts);
        let changes = object.changes.iter().filter(|it| !it.details.is_empty());
        for change in changes.filter(|it| it.kind != ChangeKind::NoOp) {
            facts.at(place).hovers.push(Hover {
                range: place.range,
                text: Markdown::code(change.details.clone()),
            });
        }
    }
    for (span, value) in values {
        let (label, end) = (HintLabel::new("= ", value.clone()), texts.line_end(span));
        push_at(&texts, span, end, label, HintKind::Value, None, &mut facts);
    }
    if let (Some(severity), Some(start)) = (severity, start) {
        let removed = objects.iter().filter(|object| object.place.is_none());
        let removed = removed.flat_map(|object| &object.changes);
        let removed: Vec<_> = removed.filter(|it| it.kind == ChangeKind::Delete).collect();
        add_removed(start, &removed, severity, &mut facts);
    }
    facts.built()
}

/// The texts of the open files.
struct OpenTexts<'a> {
    segments: HashMap<(&'a FileId, SegmentId), (&'a str, bool)>,
}

impl<'a> OpenTexts<'a> {
    fn of(snapshot: &'a Snapshot) -> OpenTexts<'a> {
        let mut all = HashMap::new();
        for (file, source) in snapshot.files() {
            let parsed = source.parsed();
            for segment in parsed.segments() {
                let text = (segment.text, parsed.is_broken(segment.id));
                all.insert((file, segment.id), text);
            }
        }
        OpenTexts { segments: all }
    }

    fn at(&self, span: &Span) -> Option<(&'a str, bool)> {
        self.segments.get(&(&span.file, span.segment)).copied()
    }
}

impl Texts for OpenTexts<'_> {
    fn segment_text(&self, span: &Span) -> Option<&str> {
        Some(self.at(span)?.0)
    }

    fn has_syntax_errors(&self, span: &Span) -> bool {
        self.at(span).is_some_and(|(_, is_broken)| is_broken)
    }
}
