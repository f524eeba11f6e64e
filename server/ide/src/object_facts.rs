//! All that objects have to show, as facts about the texts.

use std::collections::{BTreeMap, HashMap};

use change::ChangeKind;
use indexmap::IndexMap;
use text::{Diagnostic, FileId, SegmentId, Severity, Span};

use crate::any_engine::{
    FactsBuilder, FormerPlace, Segments, Texts, add_changes, add_hints, add_removed,
    add_removed_hint, end, follow, push, push_at, put,
};
use crate::code_lenses;
use crate::{
    Caveat, Facts, HintKind, HintLabel, Hover, Markdown, ObjectChange, PlannedObject, Snapshot,
};

/// The facts of a folder's objects in its open files. It remembers the former places of removed declarations.
#[derive(Default, Debug)]
pub struct ObjectFacts {
    last: Option<(Snapshot, DeclaredObjects)>,
    gone: BTreeMap<String, FormerPlace>,
}

/// Where objects are declared, by address, and whether they exist.
type DeclaredObjects = BTreeMap<String, (Span, bool)>;

impl ObjectFacts {
    /// Everything that a plan says in the open files of `snapshot`, which it was made from. `values` are those of expressions
    /// whose text does not show them. `start` is where something without a place is shown: in the folder's main file.
    pub fn of(
        &mut self,
        snapshot: &Snapshot,
        objects: &[PlannedObject],
        diagnostics: &[Diagnostic],
        values: &[(Span, String)],
        start: Option<&Span>,
    ) -> Facts {
        self.follow(snapshot, objects);
        let mut facts = facts(snapshot, objects, diagnostics, values, start);
        let texts = OpenTexts::of(snapshot);
        let severity = snapshot.settings().diagnostics.replacement.severity();
        for (place, removed) in self.removed(snapshot, objects, start) {
            if let Some(severity) = severity {
                add_removed(&place, &removed, severity, &mut facts);
            }
            add_removed_hint(&texts, &place, &removed, &mut facts);
        }
        facts.built()
    }

    /// Notes the current declarations, and the places of those that are gone.
    fn follow(&mut self, snapshot: &Snapshot, objects: &[PlannedObject]) {
        let is_new = |it: &ObjectChange| it.kind == ChangeKind::Create;
        let declared = objects.iter().filter_map(|object| {
            let span = object.place.clone()?;
            let exists = !object.changes.iter().all(is_new);
            Some((object.address.clone(), (span, exists)))
        });
        let declared: DeclaredObjects = declared.collect();
        self.gone
            .retain(|address, _| !declared.contains_key(address));
        let Some((earlier, mut former)) = self.last.take() else {
            self.last = Some((snapshot.clone(), declared));
            return;
        };
        former.retain(|address, (_, exists)| *exists && !declared.contains_key(address));
        let mut files = BTreeMap::new();
        for (address, (span, _)) in former {
            let old = files.entry(span.file.clone());
            let old = old.or_insert_with(|| segments(&earlier, &span.file));
            if let Some(place) = FormerPlace::of(&span, old) {
                self.gone.insert(address, place);
            }
        }
        follow(
            self.gone.values_mut(),
            |file| segments(&earlier, file),
            |file| segments(snapshot, file),
        );
        self.last = Some((snapshot.clone(), declared));
    }

    /// The former places of removed declarations, by address.
    pub fn former_places(&self, snapshot: &Snapshot) -> BTreeMap<String, Span> {
        let mut files = BTreeMap::new();
        let places = self.gone.iter().filter_map(|(address, place)| {
            let file = files.entry(place.file());
            let file = file.or_insert_with(|| segments(snapshot, place.file()));
            Some((address.clone(), place.find(file)?))
        });
        places.collect()
    }

    /// Objects without a declaration that will be destroyed, by place: where it stood, else at the end of the main file.
    fn removed<'a>(
        &self,
        snapshot: &Snapshot,
        objects: &'a [PlannedObject],
        start: Option<&Span>,
    ) -> IndexMap<Span, Vec<&'a ObjectChange>> {
        let at_end = start.and_then(|it| end(&it.file, segments(snapshot, &it.file).last()?));
        let stood = self.former_places(snapshot);
        let mut places: IndexMap<Span, Vec<&ObjectChange>> = IndexMap::new();
        for object in objects.iter().filter(|it| it.place.is_none()) {
            if let Some(place) = stood.get(&object.address).or(at_end.as_ref()) {
                let deleted = object.changes.iter();
                let deleted = deleted.filter(|it| it.kind == ChangeKind::Delete);
                places.entry(place.clone()).or_default().extend(deleted);
            }
        }
        places
    }
}

fn segments<'a>(snapshot: &'a Snapshot, file: &FileId) -> Segments<'a> {
    let parsed = snapshot.file(file).map(|it| it.parsed().segments());
    let segments = parsed.into_iter().flatten();
    segments.map(|it| (it.id, it.text)).collect()
}

fn facts(
    snapshot: &Snapshot,
    objects: &[PlannedObject],
    diagnostics: &[Diagnostic],
    values: &[(Span, String)],
    start: Option<&Span>,
) -> FactsBuilder {
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
        code_lenses::add(object, &mut facts);
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
    facts
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
