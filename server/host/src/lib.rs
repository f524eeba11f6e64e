//! Hosts the engine: which folders are root modules, their trust, the reads for them, and their plans.
//!
//! [`EnginePlanner`] plans the open files of an editor, as an [`ide::Planner`].

mod apart;
mod editor_inputs;
mod opening;
mod planner;
mod world;

pub use editor_inputs::noted;
pub use opening::{RootOptions, installed, load, surroundings};
pub use planner::{EnginePlanner, PlannerConfig};
