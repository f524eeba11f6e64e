//! Provider plugins: found, verified, started, asked, watched and stopped.

mod approved;
mod builtin;
mod error;
mod examine;
#[cfg(any(test, feature = "fake"))]
pub mod fake;
mod find;
mod plugin;
mod process_limit;
mod providers;
mod registry;
mod request;
mod response_cache;
mod schema_cache;
mod stats;
mod wire;

pub use approved::{Approvals, Approved, Package};
pub use builtin::{BuiltinProvider, is_backend};
pub use error::ProviderError;
pub use examine::{CliConfiguration, Examined, Installation, cli_configuration, examine};
pub use find::{Environment, packages};
pub use plugin::Substitute;
pub use process_limit::{Planning, ProcessLimit};
pub use providers::{Config, Providers};
pub use registry::{Registries, RegistryModule};
pub use request::*;
pub use stats::Stats;
pub use wire::Rpc;
