//! What will happen to an object, in one line above its block.

use text::Span;

use super::{ChangeKind, FactsBuilder, PlannedObject, outside};
use crate::{CodeLens, Command};

pub(crate) fn push(span: &Span, title: String, facts: &mut FactsBuilder) {
    facts.at(span).code_lenses.push(CodeLens {
        range: span.range,
        title,
        command: Some(Command::Replan),
    });
}

/// `-/+ replace`, or for several instances `-/+ replace · 2 of 5 instances`, and where they were in the state if that was
/// elsewhere: `no change · moved from random_pet.old`. At the end, what changed outside. What is a guess begins with a
/// question mark.
pub(crate) fn title(object: &PlannedObject) -> String {
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
    let changes = || object.changes.iter().filter(|change| !change.is_deposed);
    let instances = changes().count();
    let count_of = |kind: ChangeKind| changes().filter(|change| change.kind == kind).count();
    let kinds: Vec<(&str, usize)> = KINDS
        .iter()
        .map(|(kind, name)| (*name, count_of(*kind)))
        .filter(|(_, count)| *count > 0)
        .collect();
    match (kinds.as_slice(), instances) {
        ([], 0) if object.instances == 0 => "no instances".to_owned(),
        ([], _) => "no change".to_owned(),
        ([(name, _)], 1) => (*name).to_owned(),
        ([(name, count)], _) if *count == instances => format!("{name} · {instances} instances"),
        ([(name, count)], _) => format!("{name} · {count} of {instances} instances"),
        (several, _) => {
            let parts: Vec<String> = several
                .iter()
                .map(|(name, count)| format!("{name} {count}"))
                .collect();
            format!("{} · {instances} instances", parts.join(", "))
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
