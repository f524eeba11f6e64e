//! The server, spoken to over a pair of pipes as an editor does.
#![allow(clippy::print_stdout)]

mod client;
mod completion;
#[path = "../../../../tests/support/random.rs"]
mod random;

mod actions;
mod burst;
mod callers;
mod documents;
mod drift;
mod engine;
mod environments;
mod formatting;
mod hostile;
mod json;
mod life;
mod navigation;
mod pages;
mod plan_document;
mod plans;
mod refactorings;
mod rename;
mod settings;
mod shown;
mod tests_of_modules;
mod trust;
mod unread;
mod values;
