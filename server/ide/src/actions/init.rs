//! Offers to run `terraform init`. It runs only when the user chooses it.

use super::place::Place;
use super::{Action, ActionKind, Effect};
use crate::{Command, Diagnostic};

pub(super) fn fixes(place: &Place<'_>, diagnostic: &Diagnostic) -> Vec<Action> {
    let needs_init = matches!(
        diagnostic.code,
        "module-not-installed" | "provider-not-installed" | "provider-lock-mismatch"
    );
    if !needs_init {
        return Vec::new();
    }
    let root = place.snapshot.root_of(place.file);
    let dir = root.map_or_else(|| place.dir().to_owned(), ToOwned::to_owned);
    let command = place.known.module.profile.product.command();
    vec![Action {
        title: format!("Run `{command} init`"),
        kind: ActionKind::QuickFix,
        fixes: vec![diagnostic.clone()],
        is_preferred: true,
        is_safe: false,
        effect: Effect::Command(Command::Init, dir),
    }]
}
