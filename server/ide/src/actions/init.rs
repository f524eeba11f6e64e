//! Offers to run `terraform init`. It runs only when the user chooses it.

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};
use crate::{Command, Shown};

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let is_of_backend = shown.diagnostic.code == "backend-not-initialized";
    let needs_packages = matches!(
        shown.diagnostic.code,
        "module-not-installed" | "provider-not-installed" | "provider-lock-mismatch"
    );
    if !is_of_backend && !needs_packages {
        return Vec::new();
    }
    let root = place.snapshot.root_of(place.file);
    let dir = root.map_or_else(|| place.dir().to_owned(), ToOwned::to_owned);
    let product = place.known.module.profile.product;
    let action = |command, with_backend| Action {
        title: format!("Run `{}`", product.init(with_backend)),
        kind: ActionKind::QuickFix,
        fixes: vec![shown.clone()],
        is_preferred: with_backend,
        is_safe: false,
        effect: Effect::Command(command, dir.clone()),
    };
    let mut actions = vec![action(Command::RunInit, true)];
    // Packages can be installed by who has no access to the state.
    if needs_packages && place.known.module.backend.is_some() {
        actions.push(action(Command::RunInitWithoutBackend, false));
    }
    actions
}
