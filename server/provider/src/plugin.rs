//! A provider that runs as a plugin process.

mod calls;
mod channel;
mod handshake;
mod output;
mod process;
mod socket_dir;
mod supervisor;
mod unix;

pub(crate) use calls::{Plugin, SchemaCell, kept_schema};
pub(crate) use process::CALLS_AT_ONCE;
pub use socket_dir::remove_sockets;
pub(crate) use socket_dir::sweep;
pub(crate) use supervisor::Shared;
