//! Objects that have another address than when the state was written: `moved` blocks, and moves that go without one.
//!
//! Follows "Refactoring" in Terraform's documentation and OpenTofu's `internal/refactoring`. Statements are applied to
//! the state before anything is planned; whether they are right can be told only when it is known which instances the
//! configuration declares.

mod apply;
mod order;
mod statement;
mod validate;

use std::collections::BTreeMap;

use config::{Module, ModuleAddr, Moveable, ResourceInstanceAddr};

pub use apply::apply;
pub use statement::{MoveStatement, explicit, implied};
pub use validate::{Declared, unresolved, validate};

/// The modules of a configuration.
pub type Modules<'a> = BTreeMap<&'a ModuleAddr, &'a Module>;

/// What moving did to the addresses of a state.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moves {
    /// By its new address, where an object was before.
    pub moved: BTreeMap<ResourceInstanceAddr, Moved>,
    /// What could not move, and where it should have gone: another object is there.
    pub blocked: BTreeMap<Moveable, Moveable>,
}

/// One object that has a new address.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The address in the state file: the first of a chain.
    pub from: ResourceInstanceAddr,
    /// Whether no `moved` block says so.
    pub is_implied: bool,
}
