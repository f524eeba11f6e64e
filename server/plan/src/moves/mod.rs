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
use std::sync::Arc;

use config::{AbsResourceAddr, Module, ModuleAddr, Moveable, ProviderAddr, ResourceInstanceAddr};
use state::State;

use crate::instance::MovedFrom;

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
    /// The provider that serves it there.
    pub provider: ProviderAddr,
    /// Whether no `moved` block says so.
    pub is_implied: bool,
}

/// A state with all objects where the configuration has them, and what became of each statement.
#[derive(Debug, Clone, Default)]
pub struct MovedState {
    pub state: Arc<State>,
    pub moves: Arc<Moves>,
    pub statements: Arc<[MoveStatement]>,
}

/// Moves the objects of one state after the other, and keeps the last result as long as it holds.
#[derive(Debug, Default)]
pub(crate) struct Mover {
    /// The state before its objects were moved, and after.
    last: Option<(Arc<State>, MovedState)>,
}

impl Mover {
    pub(crate) fn update(
        &mut self,
        modules: &Modules<'_>,
        state: &Arc<State>,
        are_modules_implied: bool,
    ) -> MovedState {
        let mut statements = explicit(modules);
        let implied = implied(modules, state, &statements, are_modules_implied);
        statements.extend(implied);
        let known = self.last.take().filter(|(before, known)| {
            Arc::ptr_eq(before, state) && *known.statements == *statements
        });
        let (moved, moves) = match known {
            Some((_, known)) => (known.state, known.moves),
            None => {
                let (moved, moves) = apply(&statements, state);
                (moved, Arc::new(moves))
            }
        };
        let result = MovedState {
            state: moved,
            moves,
            statements: statements.into(),
        };
        self.last = Some((state.clone(), result.clone()));
        result
    }
}

impl Moved {
    /// What the object is, unless it is of the type that `to` has.
    pub(crate) fn other_type(&self, to: &ResourceInstanceAddr) -> Option<MovedFrom> {
        let is_other = self.from.resource.r#type != to.resource.r#type;
        is_other.then(|| MovedFrom {
            provider: self.provider.clone(),
            type_name: self.from.resource.r#type.clone(),
        })
    }
}

impl Moves {
    /// Resources with an object that comes from another address than by `other`.
    pub(crate) fn changed_resources<'a>(
        &'a self,
        other: &'a Moves,
    ) -> impl Iterator<Item = AbsResourceAddr> + 'a {
        let differs = |(addr, moved): (&'a ResourceInstanceAddr, &Moved), other: &Moves| {
            (other.moved.get(addr) != Some(moved)).then(|| addr.resource())
        };
        let ours = self
            .moved
            .iter()
            .filter_map(move |entry| differs(entry, other));
        let theirs = other
            .moved
            .iter()
            .filter_map(move |entry| differs(entry, self));
        ours.chain(theirs)
    }
}
