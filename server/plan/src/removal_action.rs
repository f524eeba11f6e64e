//! The end of an object that is no longer wanted: it is destroyed, or left alone and forgotten.

use config::{Product, Resource};

use crate::ActionReason;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RemovalAction {
    Destroyed,
    /// With the reason, where it isn't a `removed` block.
    Forgotten(Option<ActionReason>),
}

impl RemovalAction {
    /// `removed` is the `destroy` of a `removed` block: the last one counts. `object` is the one
    /// of the state, unless that is going to be written anew before.
    ///
    /// Follows `managedResourceExecute` of the destroyable and the orphaned instance in OpenTofu's `internal/tofu`.
    pub(crate) fn of(
        config: Option<&Resource>,
        object: Option<&state::Object>,
        removed: Option<bool>,
        product: Product,
    ) -> RemovalAction {
        let is_kept = config.is_some_and(|config| config.lifecycle.destroy == Some(false));
        let was_kept =
            product == Product::OpenTofu && object.is_some_and(|object| object.skip_destroy);
        let reason = if is_kept {
            Some(ActionReason::ForgotBecauseLifecycleDestroyInConfig)
        } else if was_kept {
            Some(ActionReason::ForgotBecauseLifecycleDestroyInState)
        } else {
            None
        };
        match removed {
            Some(false) => RemovalAction::Forgotten(reason),
            None if reason.is_some() => RemovalAction::Forgotten(reason),
            Some(true) | None => RemovalAction::Destroyed,
        }
    }
}
