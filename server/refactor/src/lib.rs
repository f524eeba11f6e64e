//! Refactorings: edits of a configuration that are to change nothing in the world, and the proof that they don't.
//!
//! Everything is a function of the modules as they were read, and of plans. A [`Refactoring`] is a set of [`Edits`] and
//! their effect on addresses; [`Refactoring::prove`] compares the plans before and after.

mod blocks;
mod chains;
mod declarations;
mod edits;
mod files;
mod imports;
mod inline_module;
mod into_module;
mod kind;
mod modules;
mod moved;
mod names;
mod object;
mod outputs;
mod proof;
mod removed;
mod rename;
mod repetition;
mod requirements;
mod site;
mod words;

pub use change::{Difference, Proof};
pub use edits::lay_out;
pub use kind::{Offer, Refactoring, RefactoringContext, RefactoringKind, Repeat, offers, refactor};
pub use modules::Modules;
pub use moved::{Move, MovedBlocks, MovedObjects, WriteMoved};
pub use names::{Name, NameRole, names};
pub use object::{Symbol, SymbolObject};
pub use rename::{Refusal, renamable};
pub use text::{Edits, Replacement as Edit};
