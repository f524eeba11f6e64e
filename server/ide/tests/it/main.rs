//! The features of an editor as it asks for them, with the engine on the builtin provider and on a schema of ours.
#![allow(clippy::print_stdout)]

#[allow(dead_code)]
#[path = "../../../../tests/support/random.rs"]
mod random;

mod codes;
mod completion;
mod diagnostics;
mod fixes;
mod hints;
mod hover;
mod inspections;
mod kept_checks;
mod markdown;
mod navigation;
mod once;
mod recovery;
mod refactorings;
mod scrambled;
mod support;
