//! `prevent_destroy` where an instance is to be destroyed.

use config::{Product, ResourceInstanceAddr};
use text::Problem;

use super::{InstancePlace, InstanceProblem};

/// The value of `prevent_destroy` where an instance is to be destroyed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PreventDestroy {
    #[default]
    No,
    /// In the words of this product.
    Yes(Product),
    /// Known only after apply.
    Unknown,
    Null,
}

pub(crate) const INVALID_PREVENT_DESTROY: &str = "Invalid value for prevent_destroy";

impl PreventDestroy {
    /// The error where an instance is planned to be destroyed or replaced. It stands at the block, or at the argument if that
    /// has no value.
    pub(crate) fn problem(self, addr: &ResourceInstanceAddr) -> Option<InstanceProblem> {
        let resource = addr.resource();
        let (summary, detail) = match self {
            PreventDestroy::No => return None,
            PreventDestroy::Yes(Product::Terraform) => (
                "Instance cannot be destroyed",
                format!(
                    "Resource {addr} has lifecycle.prevent_destroy set, but the plan calls for this resource to be destroyed. To avoid this error and continue with the plan, either disable lifecycle.prevent_destroy or reduce the scope of the plan using the -target option."
                ),
            ),
            PreventDestroy::Yes(Product::OpenTofu) => (
                "Resource instance cannot be destroyed",
                format!(
                    "Resource instance {addr} has prevent_destroy set, but the plan calls for it to be destroyed.\n\nTo proceed, either disable prevent_destroy for this resource or exclude instances of this resource from this round using:\n    -exclude=\"{resource}\""
                ),
            ),
            PreventDestroy::Unknown => (
                INVALID_PREVENT_DESTROY,
                format!(
                    "Resource instance {addr} has a prevent_destroy argument but its value will not be known until the apply step, so OpenTofu can't predict whether destroying this is acceptable.\n\nTo proceed, exclude instances of this resource from this round using:\n    -exclude=\"{resource}\""
                ),
            ),
            PreventDestroy::Null => (
                INVALID_PREVENT_DESTROY,
                format!(
                    "Resource instance {addr} has prevent_destroy set to null. When making a dynamic decision to allow destroy, use false instead."
                ),
            ),
        };
        let place = InstancePlace {
            is_prevent_destroy: !matches!(self, PreventDestroy::Yes(_)),
            ..InstancePlace::default()
        };
        Some(Problem::error("prevent-destroy", summary, detail, place))
    }
}
