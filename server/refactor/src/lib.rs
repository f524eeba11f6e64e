//! Refactorings: edits of a configuration that are to change nothing in the world, and the proof that they don't.
//!
//! Everything is a function of the modules as they were read, and of plans. A refactoring is a set of [`Edits`] and what
//! they do to addresses; [`prove`] compares the plans before and after.

mod edits;
mod modules;
mod moved;
mod names;
mod outputs;
mod proof;
mod rename;
mod words;

pub use edits::{Edit, Edits, lay_out};
pub use modules::Modules;
pub use moved::{Move, MovedBlocks, Stored, WriteMoved};
pub use names::{Name, Object, Role, Symbol, names};
pub use proof::{Difference, Proof, prove};
pub use rename::{Refusal, Rename, renamable, rename};
