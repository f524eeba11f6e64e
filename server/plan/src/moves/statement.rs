//! The moves that a configuration asks for.

use config::{
    InstanceKey, Module, ModuleAddr, ModuleInstanceAddr, MoveEndpoint, Moveable, Repetition,
};
use state::State;
use text::Span;

use super::Modules;

/// One move, in all instances of the module that declares it.
#[derive(Debug, Clone)]
pub struct MoveStatement {
    pub from: MoveEndpoint,
    pub to: MoveEndpoint,
    /// Whether no `moved` block says so.
    pub is_implied: bool,
    /// Of the `moved` block, or of the declaration that implies the move.
    pub span: Span,
}

/// Where the statement stands doesn't matter.
impl PartialEq for MoveStatement {
    fn eq(&self, other: &MoveStatement) -> bool {
        (&self.from, &self.to, self.is_implied) == (&other.from, &other.to, other.is_implied)
    }
}

/// The `moved` blocks of all modules.
pub fn explicit(modules: &Modules<'_>) -> Vec<MoveStatement> {
    let in_module = |(addr, module): (&&ModuleAddr, &&Module)| {
        let moved = module.moved.iter().filter_map(|moved| {
            let (from, to) = MoveEndpoint::unify(addr, &moved.from, &moved.to)?;
            Some(MoveStatement {
                from,
                to,
                is_implied: false,
                span: moved.decl.span.clone(),
            })
        });
        moved.collect::<Vec<_>>()
    };
    modules.iter().flat_map(in_module).collect()
}

/// Moves that need no block, unless a statement in `explicit` names the same object: a resource that gets `count` keeps its
/// only instance as the first, and one that loses it the other way round.
///
/// Terraform does so for resources. `are_modules_implied`: also for module calls, as newer versions of OpenTofu do.
pub fn implied(
    modules: &Modules<'_>,
    state: &State,
    explicit: &[MoveStatement],
    are_modules_implied: bool,
) -> Vec<MoveStatement> {
    let mut statements = Vec::new();
    for (addr, stored) in &state.resources {
        let module = addr.module.module();
        let Some(config) = modules
            .get(&module)
            .and_then(|module| module.resources.get(&addr.resource))
        else {
            continue;
        };
        let Some((from, to, span)) = rekeyed(&config.repetition, &config.decl.span) else {
            continue;
        };
        let is_named = |statement: &MoveStatement| {
            statement.from.selects_resource(addr) || statement.to.selects_resource(addr)
        };
        if stored.instances.contains_key(&from) && !explicit.iter().any(is_named) {
            let at = |key| Moveable::Instance(addr.instance(key));
            statements.push(statement(at(from), at(to), span));
        }
    }
    if are_modules_implied {
        statements.extend(implied_of_modules(modules, state, explicit));
    }
    statements
}

fn implied_of_modules(
    modules: &Modules<'_>,
    state: &State,
    explicit: &[MoveStatement],
) -> Vec<MoveStatement> {
    let mut statements: Vec<MoveStatement> = Vec::new();
    let mut last = None;
    for addr in state.resources.keys().map(|addr| &addr.module) {
        if last.replace(addr) == Some(addr) {
            continue;
        }
        let Some((step, caller)) = addr.steps().split_last() else {
            continue;
        };
        let caller = ModuleInstanceAddr::new(caller.iter().cloned());
        let Some(call) = modules
            .get(&caller.module())
            .and_then(|module| module.module_calls.get(&step.call))
        else {
            continue;
        };
        let Some((from, to, span)) = rekeyed(&call.repetition, &call.decl.span) else {
            continue;
        };
        let is_named = |statement: &MoveStatement| {
            statement.from.selects_module(addr) || statement.to.selects_module(addr)
        };
        if step.key == from && !explicit.iter().any(is_named) {
            let to = Moveable::Module(caller.child(step.call.clone(), to));
            let statement = statement(Moveable::Module(addr.clone()), to, span);
            if !statements.contains(&statement) {
                statements.push(statement);
            }
        }
    }
    statements
}

/// The key that an only instance had before, the one that it gets, and the declaration that makes the difference.
fn rekeyed(repetition: &Repetition, decl: &Span) -> Option<(InstanceKey, InstanceKey, Span)> {
    let first = InstanceKey::Int(0);
    match repetition {
        Repetition::Single | Repetition::Enabled(_) => {
            Some((first, InstanceKey::None, decl.clone()))
        }
        Repetition::Count(count) => Some((InstanceKey::None, first, count.span())),
        Repetition::ForEach(_) => None,
    }
}

fn statement(from: Moveable, to: Moveable, span: Span) -> MoveStatement {
    let end = |subject| MoveEndpoint {
        module: ModuleAddr::root(),
        subject,
    };
    MoveStatement {
        from: end(from),
        to: end(to),
        is_implied: true,
        span,
    }
}
