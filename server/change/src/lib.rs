//! What plans do to objects, in the words that all engines share: kinds, counts, and the comparison of two plans.

mod kind;
mod proof;

pub use kind::{ChangeCounts, ChangeKind};
pub use proof::{Difference, Proof};
