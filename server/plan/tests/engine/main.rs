//! Plans of whole root modules, over a provider in this process and the builtin one.

mod actions;
mod budget;
mod changes;
mod deprecated_parts;
mod early;
mod encryption;
mod failures;
mod focus;
mod functions;
mod hostile_files;
mod incremental;
mod labels;
mod lang;
mod lifecycle;
mod modules;
mod opentofu;
mod outside;
mod refactoring;
#[path = "../support/schema.rs"]
mod schema_json;
mod support;
mod told_once;
mod typing;
