//! Pulumi's provider plugins: found, started, asked what an update would do, and ended. Nothing here can change anything.

mod answers;
pub mod command;
mod convert;
mod engine_stub;
mod find;
mod plugin;
#[rustfmt::skip]
pub mod wire;

pub use find::{Environment, Missing};
pub use plugin::{Gate, Installed, Process};
