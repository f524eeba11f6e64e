//! Puts the value of a local value where it is used, and takes the name away.

use std::collections::BTreeMap;

use config::Referenceable;
use syntax::ast::ExprKind;
use text::{FileId, TextRange};

use super::place::Place;
use super::{Action, ActionKind, Effect, FileEdit, TextEdit, WorkspaceEdit};
use crate::subject::Subject;

pub(super) fn offers(place: &Place<'_>, range: TextRange) -> Vec<Action> {
    local(place, range).into_iter().collect()
}

fn local(place: &Place<'_>, range: TextRange) -> Option<Action> {
    let named = place.snapshot.subject_at(place.file, range.start())?;
    let Subject::Local(name) = named.subject else {
        return None;
    };
    let module = &place.known.module;
    let local = module.locals.get(&name)?;
    let value = place.snapshot.place(&local.value.span(), module)?;
    let declaration = place.snapshot.place(&local.decl.full_span, module)?;
    // What is removed has to be open, for its lines to be seen.
    let home = Place::new(place.snapshot, &declaration.file)?;
    let text = home.slice(value.range);
    let is_heredoc = text.trim_start().starts_with("<<");
    if is_heredoc || declaration.file.name().ends_with(".json") {
        return None;
    }
    let text = match local.value.ast.kind {
        ExprKind::Binary { .. } | ExprKind::Conditional(_) | ExprKind::Unary { .. } => {
            format!("({text})")
        }
        _ => text.to_owned(),
    };
    let mut edits: BTreeMap<FileId, Vec<TextEdit>> = BTreeMap::new();
    let meant = Referenceable::Local(name.clone());
    for reference in module.all_references().filter(|it| it.subject == meant) {
        let used = place.snapshot.place(&reference.span, module)?;
        if used.file.name().ends_with(".json") {
            return None;
        }
        let edits = edits.entry(used.file).or_default();
        edits.push(TextEdit::replace(used.range, text.clone()));
    }
    let block = home.around(declaration.range.start())?;
    let is_last = block.top().is_some_and(|it| it.body.attributes.len() == 1);
    let removed = match (is_last, block.top()) {
        (true, Some(top)) => home.paragraph(top.range + block.offset),
        _ => home.whole_lines(declaration.range),
    };
    let own = edits.entry(declaration.file).or_default();
    own.push(TextEdit::delete(removed));
    let files = edits.into_iter().map(|(file, mut edits)| {
        edits.sort_by_key(|edit| edit.range.start());
        edits.dedup();
        let open = place.snapshot.file(&file);
        let version = open.map(|open| open.document().version);
        FileEdit {
            file,
            version,
            edits,
        }
    });
    Some(Action {
        title: format!("Inline the local value `{name}`"),
        kind: ActionKind::Inline,
        fixes: Vec::new(),
        is_preferred: false,
        is_safe: false,
        effect: Effect::Edit(WorkspaceEdit {
            files: files.collect(),
        }),
    })
}
