//! Objects that have another address than when the state was written: `moved` blocks, and moves that go without one.
//!
//! Follows "Refactoring" in Terraform's documentation and OpenTofu's `internal/refactoring`. Statements are applied to
//! the state before anything is planned; their errors are reported only when it is known which instances the
//! configuration declares.

mod apply;
mod order;
mod statement;
mod validate;

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::Arc;

use config::{
    AbsResourceAddr, Module, ModuleAddr, Moveable, ProviderAddr, Resource, ResourceAddr,
    ResourceInstanceAddr, Table,
};
use smol_str::SmolStr;
use state::State;
use text::Span;

pub use apply::apply;
pub use statement::{MoveStatement, explicit, implied};
pub use validate::{DeclaredInstances, unresolved, validate};

/// The modules of a configuration.
pub type Modules<'a> = BTreeMap<&'a ModuleAddr, &'a Module>;

/// The new addresses of a state after the moves.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Moves {
    /// By its new address, where an object was before.
    pub moved: BTreeMap<ResourceInstanceAddr, Moved>,
    /// Objects that could not move, and where they should have gone: another object is there.
    pub blocked: BTreeMap<Moveable, Moveable>,
    /// The statements, by position, that found nothing to move.
    pub idle: BTreeSet<usize>,
}

/// One object that has a new address.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// The address in the state file: the first of a chain.
    pub from: Arc<ResourceInstanceAddr>,
    /// The provider that serves it there.
    pub provider: ProviderAddr,
    /// Whether no `moved` block says so.
    pub is_implied: bool,
    /// The statement, of a chain the one that changed the type.
    pub declared_at: Span,
}

/// The type of an object that was moved to a resource of another type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MovedFrom {
    pub provider: ProviderAddr,
    pub type_name: SmolStr,
    pub declared_at: Span,
}

/// A state with all objects where the configuration has them, and the outcome of each statement.
#[derive(Debug, Clone, Default)]
pub struct MovedState {
    pub state: Arc<State>,
    pub moves: Arc<Moves>,
    pub statements: Arc<[MoveStatement]>,
}

/// Moves the objects of one state after the other, and keeps the last result as long as it holds.
#[derive(Debug, Default)]
pub(crate) struct Mover {
    last: Option<Last>,
}

/// The last moves, and their inputs.
#[derive(Debug)]
struct Last {
    /// The state before its objects were moved.
    state: Arc<State>,
    resources: Resources,
    moved: MovedState,
}

/// The resources of each module.
type Resources = Vec<(ModuleAddr, Table<ResourceAddr, Resource>)>;

impl Mover {
    pub(crate) fn update(
        &mut self,
        modules: &Modules<'_>,
        state: &Arc<State>,
        are_modules_implied: bool,
    ) -> MovedState {
        let resources = modules.iter();
        let resources: Resources = resources
            .map(|(addr, module)| ((*addr).clone(), module.resources.clone()))
            .collect();
        let last = self
            .last
            .take()
            .filter(|last| Arc::ptr_eq(&last.state, state));
        let mut statements = explicit(modules);
        // Looking at everything in the state is too much for an edit that can't move anything by itself.
        let is_known = !are_modules_implied
            && last.as_ref().is_some_and(|last| {
                let before = &last.moved.statements;
                let implies_nothing = !before.iter().any(|statement| statement.is_implied);
                implies_nothing
                    && **before == *statements
                    && are_counted_alike(&last.resources, &resources)
            });
        if !is_known {
            let implied = implied(modules, state, &statements, are_modules_implied);
            statements.extend(implied);
        }
        let known = last.map(|last| last.moved);
        let moved = match known.filter(|known| *known.statements == *statements) {
            Some(known) => MovedState {
                statements: statements.into(),
                ..known
            },
            None => {
                let (moved, moves) = apply(&statements, state);
                MovedState {
                    state: moved,
                    moves: Arc::new(moves),
                    statements: statements.into(),
                }
            }
        };
        self.last = Some(Last {
            state: state.clone(),
            resources,
            moved: moved.clone(),
        });
        moved
    }
}

/// Whether the same resources are declared, each with the same kind of repetition: none, `count` or `for_each`.
fn are_counted_alike(before: &Resources, after: &Resources) -> bool {
    let is_alike = |before: &Table<ResourceAddr, Resource>, after: &Table<_, _>| {
        let (gone, come) = before.difference(after);
        let mut pairs = before.range(gone.clone()).zip(after.range(come.clone()));
        gone.len() == come.len()
            && pairs.all(|((addr, before), (same_addr, after))| {
                addr == same_addr
                    && discriminant(&before.repetition) == discriminant(&after.repetition)
            })
    };
    let mut modules = before.iter().zip(after);
    before.len() == after.len()
        && modules.all(|((addr, before), (same, after))| addr == same && is_alike(before, after))
}

impl Moved {
    /// The provider and type of the object, unless they are those of `to`. An object that moves by itself keeps its
    /// type.
    pub(crate) fn other_type(
        &self,
        to: &ResourceInstanceAddr,
        provider: &ProviderAddr,
    ) -> Option<Arc<MovedFrom>> {
        let is_other =
            self.from.resource.r#type != to.resource.r#type || self.provider != *provider;
        (is_other && !self.is_implied).then(|| {
            Arc::new(MovedFrom {
                provider: self.provider.clone(),
                type_name: self.from.resource.r#type.clone(),
                declared_at: self.declared_at.clone(),
            })
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
