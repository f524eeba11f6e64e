//! The features of an editor as it asks for them, with the engine on the builtin provider and on a schema of ours.
#![allow(clippy::print_stdout)]

mod codes;
mod completion;
mod diagnostics;
mod fixes;
mod hints;
mod hover;
mod inspections;
mod kept_checks;
mod navigation;
mod recovery;
mod refactorings;
mod support;
