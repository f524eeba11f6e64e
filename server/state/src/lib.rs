//! The state file: where it is, and the prior objects in it.

mod command;
mod error;
mod file;
mod location;
mod object;
mod plan_file;
mod private;
mod pulled;

pub use command::{Program, init, programs, pull};
pub use error::StateError;
pub use file::read;
pub use location::{Environment, Location, load, locate, workspace};
pub use object::{Instance, Object, Output, Resource, State};
pub use plan_file::{is_plan_file, state_of_plan_file};
pub use private::{lock_private, write_private};
pub use pulled::{Pulled, keep, kept};
