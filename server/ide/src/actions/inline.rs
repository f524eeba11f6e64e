//! Puts the value of a local value where it is used, and takes the name away.

use config::Referenceable;
use refactor::Edits;
use syntax::ast::ExprKind;
use text::TextRange;

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};
use crate::referent::Referent;

pub(super) fn offers(place: &ActionContext<'_>, range: TextRange) -> Vec<Action> {
    local(place, range).into_iter().collect()
}

fn local(place: &ActionContext<'_>, range: TextRange) -> Option<Action> {
    let named = place.snapshot.subject_at(place.file, range.start())?;
    let Referent::Local(name) = named.subject else {
        return None;
    };
    let module = &place.known.module;
    let local = module.locals.get(&name)?;
    let value = place.snapshot.place(&local.value.span(), module)?;
    let declaration = place.snapshot.place(&local.decl.full_span, module)?;
    // The file of the declaration has to be open, for its lines to be seen.
    let home = ActionContext::new(place.snapshot, &declaration.file)?;
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
    let mut edits = Edits::default();
    let meant = Referenceable::Local(name.clone());
    for reference in module.all_references().filter(|it| it.subject == meant) {
        let used = place.snapshot.place(&reference.span, module)?;
        if used.file.name().ends_with(".json") {
            return None;
        }
        edits.replace(&used.file, used.range, text.clone());
    }
    let block = home.around(declaration.range.start())?;
    let is_last = block.top().is_some_and(|it| it.body.attributes.len() == 1);
    let removed = match (is_last, block.top()) {
        (true, Some(top)) => home.paragraph(top.range + block.offset),
        _ => home.whole_lines(declaration.range),
    };
    edits.replace(&declaration.file, removed, "");
    Some(Action {
        title: format!("Inline the local value `{name}`"),
        kind: ActionKind::Inline,
        fixes: Vec::new(),
        is_preferred: false,
        is_safe: false,
        effect: Effect::Edit(edits),
    })
}
