//! Hosts the engine: which folders are root modules, their trust, the reads for them, and their plans.
//!
//! [`EnginePlanner`] plans the open files of an editor, as an [`ide::Planner`].

mod apart;
mod given;
mod opening;
mod planner;
mod world;

pub use given::noted;
pub use opening::{Given, installed, load, surroundings};
pub use planner::{EnginePlanner, PlannerConfig};
