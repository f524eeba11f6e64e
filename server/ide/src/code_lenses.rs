//! The text of code lenses: the planned action of a block, in one line.
//!
//! They are facts of a plan. `block_actions.rs` collects those of a file for the request of an editor, and `reference_counts.rs`
//! adds the numbers of references.

pub(crate) mod module_call;

use text::Span;

use crate::any_engine::{FactsBuilder, outside};
use crate::{ChangeKind, CodeLens, Command, LensKind, PlannedObject, Tone};

/// The action of a block, and how much it matters.
pub(crate) type Headline = (String, LensKind);

pub(crate) fn add(object: &PlannedObject, facts: &mut FactsBuilder) {
    if let Some(place) = &object.place {
        push(place, headline(object), facts);
    }
}

pub(crate) fn push(span: &Span, (title, kind): Headline, facts: &mut FactsBuilder) {
    facts.at(span).code_lenses.push(CodeLens {
        range: span.range,
        title,
        kind,
        command: Some(Command::Replan),
    });
}

pub(crate) fn headline(object: &PlannedObject) -> Headline {
    (title(object), kind(object))
}

fn kind(object: &PlannedObject) -> LensKind {
    let changes = object.changes.iter().filter(|change| !change.is_deposed);
    let tones = changes.filter_map(|change| Tone::of(change.kind));
    let is_moved = object.changes.iter().any(|change| change.former.is_some());
    let is_unplanned = object.has_errors && object.doubt().is_none();
    match tones.max() {
        _ if is_unplanned || object.is_state_unread => LensKind::NoChange,
        Some(tone) => LensKind::Change(tone),
        None if object.invocations > Some(0) => LensKind::Change(Tone::Read),
        None if is_moved || !object.outside.is_empty() => LensKind::Change(Tone::Update),
        None => LensKind::NoChange,
    }
}

/// `-/+ replace`, or for several instances `-/+ replace · 2 of 5 instances`, and where they were in the state if that was
/// elsewhere: `no change · moved from random_pet.old`. At the end, changes outside. A guess begins with a
/// question mark.
fn title(object: &PlannedObject) -> String {
    let planned = planned(object);
    match outside::summary(object) {
        Some(outside) => format!("{planned} · {outside}"),
        None => planned,
    }
}

fn planned(object: &PlannedObject) -> String {
    let has_plan = !object.changes.is_empty() && object.doubt().is_some();
    match &object.caveat {
        _ if object.has_errors && !has_plan => "? not planned: it has errors".to_owned(),
        Some(caveat) if caveat.brief.is_empty() => format!("? {}", actions(object)),
        Some(caveat) if object.changes.is_empty() || object.is_state_unread => {
            format!("? {}", caveat.brief)
        }
        Some(caveat) => format!("? {} · {}", actions(object), caveat.brief),
        None => actions(object),
    }
}

fn actions(object: &PlannedObject) -> String {
    let actions = actions_alone(object);
    match moved_from(object) {
        Some(from) => format!("{actions} · moved from {from}"),
        None => actions,
    }
}

/// The old address of the object, or of the only instance that was moved.
fn moved_from(object: &PlannedObject) -> Option<&str> {
    let mut moved = object.changes.iter().filter_map(|it| it.former.as_ref());
    let first = moved.next()?;
    let is_rekeyed = first.object == object.address;
    match moved.next() {
        None if is_rekeyed || object.instances == 1 => Some(&first.instance),
        None => Some(&first.object),
        Some(second) if second.object == first.object => Some(&first.object),
        Some(_) => Some("several addresses"),
    }
}

fn actions_alone(object: &PlannedObject) -> String {
    let changes = object.changes.iter().filter(|change| !change.is_deposed);
    let kinds: Vec<ChangeKind> = changes.map(|change| change.kind).collect();
    match object.invocations {
        _ if kinds.is_empty() && object.instances == 0 => "no instances".to_owned(),
        Some(0) => "not invoked".to_owned(),
        Some(1) => "> invoked".to_owned(),
        Some(times) => format!("> invoked {times} times"),
        None => summary(&kinds, "instances"),
    }
}

/// Several changes in one line: `-/+ replace · 2 of 5 instances`.
pub(crate) fn summary(all: &[ChangeKind], what: &str) -> String {
    let count_of = |kind: ChangeKind| all.iter().filter(|it| **it == kind).count();
    let kinds: Vec<(&str, usize)> = KINDS
        .iter()
        .map(|(kind, name)| (*name, count_of(*kind)))
        .filter(|(_, count)| *count > 0)
        .collect();
    match (kinds.as_slice(), all.len()) {
        ([], _) => "no change".to_owned(),
        ([(name, _)], 1) => (*name).to_owned(),
        ([(name, count)], total) if *count == total => format!("{name} · {total} {what}"),
        ([(name, count)], total) => format!("{name} · {count} of {total} {what}"),
        (several, total) => {
            // Editors cut a hint after some forty characters.
            let parts: Vec<String> = several
                .iter()
                .map(|(name, count)| format!("{} {count}", name.trim_end_matches(" in place")))
                .collect();
            format!("{} · {total} {what}", parts.join(", "))
        }
    }
}

/// The most drastic first.
const KINDS: [(ChangeKind, &str); 10] = [
    (ChangeKind::DeleteThenCreate, "-/+ replace"),
    (ChangeKind::CreateThenDelete, "+/- replace"),
    (ChangeKind::Delete, "- destroy"),
    (ChangeKind::ForgetThenCreate, "./+ replace"),
    (ChangeKind::Forget, ". forget"),
    (ChangeKind::Update, "~ update in place"),
    (ChangeKind::Create, "+ create"),
    (ChangeKind::Import, "= import"),
    (ChangeKind::Read, "<= read"),
    (ChangeKind::Refresh, "~= refresh"),
];
