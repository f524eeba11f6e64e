//! The state file: where it is, and the prior objects in it.

mod asked;
mod command;
mod error;
mod file;
mod location;
mod object;
mod plan_file;
mod pulled;

pub use command::{Program, init, programs, pull};
pub use error::{StateError, StateUnavailable};
pub use file::read;
pub use location::{
    Decrypt, Location, LocationVariables, backend_to_initialize, load, locate, workspace,
};
pub use object::{Instance, Object, Output, RawJson, Resource, State};
pub use pulled::{Pulled, keep, kept};
