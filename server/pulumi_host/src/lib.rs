//! Hosts the engine of Pulumi programs: the open projects of an editor, their permissions, and their plans.
//!
//! [`ProgramPlanner`] plans the open projects of an editor, as an [`ide::Planner`].

mod features;
mod folder;
mod gate;
mod language;
mod options;
mod planned_objects;
mod planner;
mod rename;
mod session;

pub use planner::ProgramPlanner;
