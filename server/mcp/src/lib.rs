//! The Model Context Protocol: the questions of coding agents to the engine that plans for editors.
//!
//! A call is about a folder of the workspace that the server was started for, with texts that are proposed and never
//! written. Whoever calls may pass on the words of a stranger: what a proposed text can bring about is said in `proposal.rs`.

mod answer;
mod explain;
mod input;
mod names;
mod plan;
mod proposal;
mod sensitivity_marks;
mod server;
mod session;
mod tools;
mod type_schema;
mod validate;

pub use server::serve;
pub use session::Options;
