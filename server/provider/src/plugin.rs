//! A provider that runs as a plugin process.

mod calls;
mod channel;
mod handshake;
#[cfg(unix)]
mod meeting;
#[cfg(windows)]
#[path = "plugin/meeting_on_port.rs"]
mod meeting;
#[cfg(unix)]
mod old_socket;
mod output;
mod process;
mod supervisor;

pub use calls::Substitute;
pub(crate) use calls::{Plugin, SchemaCell, kept_schema, substitute};
pub(crate) use process::CALLS_AT_ONCE;
pub(crate) use supervisor::Shared;
