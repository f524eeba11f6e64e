//! Evaluations that were stopped because they cost too much.

use cty::budget::{Limits, MAX_DEPTH, Stopped};

/// The code of the diagnostic.
pub const EVALUATION_LIMIT: &str = "evaluation-limit";

/// The limits of an expression that is evaluated for itself, outside of a plan.
pub(crate) const ALONE: Limits = Limits {
    steps: 1_000_000,
    bytes: 16 << 20,
};

/// Summary and detail of the diagnostic.
pub fn evaluation_limit(stopped: Stopped, limits: Limits) -> (&'static str, String) {
    let after = match stopped {
        Stopped::Steps => format!("{} steps", limits.steps),
        Stopped::Bytes => format!("{} MiB of values", limits.bytes >> 20),
        Stopped::Depth => format!("{MAX_DEPTH} levels of nested values"),
        Stopped::Cancelled => "a newer edit".to_owned(),
    };
    let detail = format!(
        "Evaluation stopped after {after}. The value is treated as unknown. Change the expression so that it builds smaller values."
    );
    ("Evaluation limit reached", detail)
}
