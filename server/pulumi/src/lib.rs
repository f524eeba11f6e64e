//! Pulumi programs in YAML: values, state, configuration, and what an update would do.

mod archive;
pub mod ask;
mod autonaming;
mod builtin;
pub mod caveat;
pub mod config;
pub mod diff;
pub mod engine;
pub mod evaluate;
pub mod expr;
pub mod functions;
pub mod host;
pub mod json;
pub mod path;
pub mod plan;
pub mod preview;
pub mod program;
pub mod project;
pub mod project_config;
pub mod render;
pub mod schema;
pub mod secrets;
pub mod state;
pub mod step;
mod types;
pub mod urn;
pub mod value;
