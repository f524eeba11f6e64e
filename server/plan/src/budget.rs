//! How much evaluation a plan may cost: limits for each object, and for all objects of a root module together.
//!
//! Both are counted in steps and bytes, never in time. So the same text stops at the same place on every machine, and
//! a plan that was repaired edit by edit equals one that is made anew.

use cty::budget::{Limits, Stopped};
use text::{Diagnostic, Span};

/// The limits of one root module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Of one object, with all its instances.
    pub object: Limits,
    /// Of everything that is alive in a root module.
    pub root: Limits,
}

impl Default for Budget {
    /// The editor's: an object stops within a fraction of a second.
    fn default() -> Budget {
        Budget {
            object: Limits {
                steps: 5_000_000,
                bytes: 48 << 20,
            },
            root: Limits {
                steps: 25_000_000,
                bytes: 160 << 20,
            },
        }
    }
}

impl Budget {
    /// So many times as much.
    pub fn times(self, factor: u32) -> Budget {
        let times = |limits: Limits| Limits {
            steps: limits.steps.saturating_mul(factor.into()),
            bytes: limits.bytes.saturating_mul(factor.into()),
        };
        Budget {
            object: times(self.object),
            root: times(self.root),
        }
    }

    /// An equal part of the root's budget for each of `objects`.
    pub(crate) fn shared_by(self, objects: usize) -> Limits {
        let objects = objects.max(1) as u64;
        Limits {
            steps: self.object.steps.min(self.root.steps / objects),
            bytes: self.object.bytes.min(self.root.bytes / objects),
        }
    }
}

/// An object that was stopped.
pub(crate) fn diagnostic(stopped: Stopped, limits: Limits, at: Option<Span>) -> Diagnostic {
    let (summary, detail) = eval::evaluation_limit(stopped, limits);
    Diagnostic::error(eval::EVALUATION_LIMIT, summary, detail, at)
}
