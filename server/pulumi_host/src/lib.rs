//! Hosts the engine of Pulumi programs: the projects that an editor has open, what the user lets them do, and their plans.
//!
//! [`ProgramPlanner`] plans what an editor has open, as an [`ide::Planner`].

mod features;
mod folder;
mod gate;
mod language;
mod objects;
mod options;
mod planner;
mod rename;
mod session;

pub use planner::ProgramPlanner;
