//! Offers to run `terraform init`. It runs only when the user chooses it.

use super::context::ActionContext;
use super::{Action, ActionKind, Effect};
use crate::{Command, Shown};

/// Diagnostics about packages that `init` installs.
const PACKAGES: [&str; 3] = [
    "module-not-installed",
    "provider-not-installed",
    "provider-lock-mismatch",
];

pub(super) fn fixes(place: &ActionContext<'_>, shown: &Shown) -> Vec<Action> {
    let needs_packages = |shown: &Shown| PACKAGES.contains(&shown.diagnostic.code);
    let is_of_backend = shown.diagnostic.code == "backend-not-initialized";
    if !is_of_backend && !needs_packages(shown) {
        return Vec::new();
    }
    let snapshot = place.snapshot;
    let dir = snapshot.root_of(place.file).unwrap_or(place.dir());
    let root = snapshot.known_modules().get(dir);
    let root = root.map_or(&place.known.module, |root| &root.module);
    let action = |command, with_backend| Action {
        title: format!("Run `{}`", root.profile.product.init(with_backend)),
        kind: ActionKind::QuickFix,
        fixes: vec![shown.clone()],
        is_preferred: with_backend,
        is_safe: false,
        effect: Effect::Command(command, dir.to_owned()),
    };
    let mut actions = vec![action(Command::RunInit, true)];
    // Packages can be installed by who has no access to the state.
    let lacks_packages = || {
        let mut files = root.files.iter().map(|(file, _)| file);
        files.any(|file| snapshot.diagnostics(file).iter().any(needs_packages))
    };
    if root.backend.is_some() && (!is_of_backend || lacks_packages()) {
        actions.push(action(Command::RunInitWithoutBackend, false));
    }
    actions
}
