//! The state file: where it is, and the prior objects in it.

mod command;
mod error;
mod file;
mod location;
mod object;

pub use command::{Program, programs};
pub use error::StateError;
pub use file::read;
pub use location::{Environment, Location, load, locate};
pub use object::{Instance, Object, Output, Resource, State};
