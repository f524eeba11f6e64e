//! Offers to trust the workspace where a function may not read outside of it. The question that follows explains trust.

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};
use crate::{Command, Shown};

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    if shown.diagnostic.code != eval::OUTSIDE_WORKSPACE {
        return Vec::new();
    }
    let root = place.snapshot.root_of(place.file);
    let dir = root.map_or_else(|| place.dir().to_owned(), ToOwned::to_owned);
    vec![Action {
        title: "Trust this workspace".to_owned(),
        kind: ActionKind::QuickFix,
        fixes: vec![shown.clone()],
        is_preferred: true,
        is_safe: false,
        effect: Effect::Command(Command::TrustWorkspace, dir),
    }]
}
