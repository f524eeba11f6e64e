//! The events that start a plan.

/// The event that starts a plan. Later ones allow all that earlier ones do, so a superseded job hands its trigger
/// on when it is the greater one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlanTrigger {
    Edit,
    Save,
    Command,
}
