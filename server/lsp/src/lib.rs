//! The editor's protocol: transport, main loop and conversions.
//!
//! Messages take one path. [`transport`] lets whole messages in, [`front`] turns each into one event, and
//! [`main_loop`] handles the events one by one, in the order in which they arrived. It owns all state; long
//! work runs elsewhere, on a snapshot, and comes back as an event.

mod callers;
mod client_settings;
mod commands;
mod context;
mod environments;
mod event;
mod findings;
mod front;
mod lifecycle;
mod main_loop;
mod methods;
mod options;
mod plan_view;
mod planning;
mod progress;
mod publish;
mod refactoring;
mod rename;
mod requests;
mod semantic_tokens;
mod server;
mod shown;
mod signature_help;
mod state;
mod stdio;
mod structure;
mod symbols;
mod sync;
mod transport;
mod trust;
mod watch;
mod work;
mod workspace_edit;

mod code_actions;
mod code_lenses;
mod completion;
mod formatting;
mod hover;
mod inlay_hints;
mod pull;

mod capabilities;
mod client;
mod convert;
mod module_calls;
mod navigation;
mod params;

pub use options::{Hooks, Options};
pub use server::{log_filter, serve, serve_on};
