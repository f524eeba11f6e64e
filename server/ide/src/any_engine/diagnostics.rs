//! The loss of objects that exist deserves attention.

use text::{Diagnostic, Severity, Span};

use super::{ChangeKind, FactsBuilder, ObjectChange, PlannedObject, Texts, put};

/// Replacements, at their causes, and instances that are no longer wanted, at `wanted`, the expression for the instances.
pub(crate) fn add_changes(
    texts: &impl Texts,
    object: &PlannedObject,
    wanted: Option<&Span>,
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    add_replacements(texts, object, severity, facts);
    let deleted = object.changes.iter();
    let deleted: Vec<_> = deleted.filter(|it| it.kind == ChangeKind::Delete).collect();
    let doubt = doubt(object);
    let message = match deleted.as_slice() {
        [] => return,
        [change] => format!(
            "{} will be destroyed{}{doubt}",
            change.address,
            because(change)
        ),
        several => format!("{} will be destroyed{doubt}", list(several)),
    };
    if let Some(span) = wanted {
        push(
            &texts.first_line(span),
            severity,
            "destroys",
            message,
            facts,
        );
    }
}

/// ` (...)` where the texts have errors.
fn doubt(object: &PlannedObject) -> String {
    let doubt = object.doubt();
    doubt.map_or_else(String::new, |it| format!(" ({})", it.whole))
}

fn add_replacements(
    texts: &impl Texts,
    object: &PlannedObject,
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    let Some(place) = &object.place else { return };
    // One diagnostic at each place, however many instances it concerns.
    let mut places: Vec<(Span, String, Vec<&ObjectChange>)> = Vec::new();
    for change in object.changes.iter().filter(|it| it.kind.is_replace()) {
        let causes = change.causes.iter();
        let mut found: Vec<(Span, String)> = causes
            .map(|cause| (cause.span.clone(), cause.sentence()))
            .collect();
        if found.is_empty() {
            let why = change.why.as_deref().unwrap_or("the provider requires it");
            found.push((place.clone(), why.to_owned()));
        }
        for (span, why) in found {
            match places
                .iter_mut()
                .find(|(place, other, _)| *place == span && *other == why)
            {
                Some((.., changes)) => changes.push(change),
                None => places.push((span, why, vec![change])),
            }
        }
    }
    for (span, why, changes) in places {
        let order = match changes[0].kind {
            ChangeKind::CreateThenDelete => " (the new object is created first)",
            ChangeKind::ForgetThenCreate => " (the old object is not destroyed)",
            _ => "",
        };
        let who = match changes.as_slice() {
            [change] => change.address.clone(),
            changes => format!("{} ({} instances)", object.address, changes.len()),
        };
        let doubt = doubt(object);
        let message = format!("{who} must be replaced{order}: {why}{doubt}");
        let span = texts.first_line(&span);
        push(&span, severity, "forces-replacement", message, facts);
    }
}

/// Objects whose block is gone, and with it their place: reported together at `place`.
pub(crate) fn add_removed(
    place: &Span,
    removed: &[&ObjectChange],
    severity: Severity,
    facts: &mut FactsBuilder,
) {
    let they_are = match removed {
        [] => return,
        [_] => "it is",
        _ => "they are",
    };
    let list = list(removed);
    let message = format!("{list} will be destroyed, because {they_are} not in the configuration");
    push(place, severity, "destroys", message, facts);
}

/// The addresses of the first few, and how many more there are.
fn list(changes: &[&ObjectChange]) -> String {
    const NAMED: usize = 3;
    let named: Vec<&str> = changes
        .iter()
        .take(NAMED)
        .map(|change| change.address.as_str())
        .collect();
    match (named.split_last(), changes.len().saturating_sub(NAMED)) {
        (None, _) => String::new(),
        (Some((last, [])), 0) => (*last).to_owned(),
        (Some((last, rest)), 0) => format!("{} and {last}", rest.join(", ")),
        (Some(_), more) => format!("{} and {more} more objects", named.join(", ")),
    }
}

/// `, because ...` for the deletion of one object.
fn because(change: &ObjectChange) -> String {
    match &change.why {
        Some(why) => format!(", because {why}"),
        None => String::new(),
    }
}

pub(crate) fn push(
    span: &Span,
    severity: Severity,
    code: &'static str,
    message: String,
    facts: &mut FactsBuilder,
) {
    let diagnostic = Diagnostic {
        severity,
        ..Diagnostic::error(code, message, "", span.clone())
    };
    put(diagnostic, facts);
}
