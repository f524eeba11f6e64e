//! Offers to run `terraform init`. It runs only when the user chooses it.

use super::place::Place;
use super::{Action, ActionKind, Effect};
use crate::{Command, Shown};

pub(super) fn fixes(place: &Place<'_>, shown: &Shown) -> Vec<Action> {
    let needs_init = matches!(
        shown.diagnostic.code,
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
        fixes: vec![shown.clone()],
        is_preferred: true,
        is_safe: false,
        effect: Effect::Command(Command::Init, dir),
    }]
}
