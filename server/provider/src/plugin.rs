//! A provider that runs as a plugin process.

mod calls;
mod channel;
#[cfg(unix)]
mod endpoint;
#[cfg(windows)]
#[path = "plugin/endpoint_on_port.rs"]
mod endpoint;
mod handshake;
#[cfg(unix)]
mod old_socket;
mod output;
mod process;
mod supervisor;

pub use calls::Substitute;
pub(crate) use calls::{Plugin, SchemaCell, kept_schema, substitute};
pub(crate) use process::CALLS_AT_ONCE;
pub(crate) use supervisor::Shared;
