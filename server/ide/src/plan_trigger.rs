//! Why there is a plan.

/// The reason for a plan. Later reasons allow all that earlier ones do, so a superseded job hands its reason
/// on when it is the greater one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlanTrigger {
    Edit,
    Save,
    Command,
}
