//! Hosts the engine: which folders are root modules, what the user lets them do, what was read for them, and their plans.
//!
//! [`EnginePlanner`] plans what an editor has open, as an [`ide::Planner`].

mod apart;
mod given;
mod opening;
mod planner;
mod world;

pub use given::noted;
pub use opening::{Given, installed, load, surroundings};
pub use planner::{EnginePlanner, PlannerConfig};
