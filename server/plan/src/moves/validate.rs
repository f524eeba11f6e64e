//! Errors of moves.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use config::{AbsResourceAddr, InstanceKey, ModuleAddr, ModuleInstanceAddr, Moveable, Repetition};
use smol_str::SmolStr;
use text::{Diagnostic, Fault, MovedFault, Span};

use super::{Modules, MoveStatement, Moves, order};

/// The instances that a configuration declares.
#[derive(Debug, Clone, Default)]
pub struct DeclaredInstances {
    /// With the root.
    pub modules: BTreeSet<ModuleInstanceAddr>,
    /// Calls by the module instance that they are in.
    pub calls: BTreeSet<(ModuleInstanceAddr, SmolStr)>,
    pub resources: BTreeMap<AbsResourceAddr, BTreeSet<InstanceKey>>,
}

impl DeclaredInstances {
    fn has(&self, object: &Moveable) -> bool {
        match object {
            Moveable::Call(module, call) => self.calls.contains(&(module.clone(), call.clone())),
            Moveable::Module(addr) => self.modules.contains(addr),
            Moveable::Resource(addr) => self.resources.contains_key(addr),
            Moveable::Instance(addr) => {
                let keys = self.resources.get(&addr.resource());
                keys.is_some_and(|keys| keys.contains(&addr.key))
            }
        }
    }

    fn instances_of<'a>(
        &'a self,
        module: &'a ModuleAddr,
    ) -> impl Iterator<Item = &'a ModuleInstanceAddr> {
        let is_instance = move |addr: &&ModuleInstanceAddr| {
            let steps = addr.steps();
            steps.len() == module.calls().len()
                && steps.iter().map(|step| &step.call).eq(module.calls())
        };
        self.modules.iter().filter(is_instance)
    }
}

/// The errors of each statement, and of all of them together. `place` names a span for a person.
pub fn validate(
    statements: &[MoveStatement],
    modules: &Modules<'_>,
    declared: &DeclaredInstances,
    place: &dyn Fn(&Span) -> String,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut destinations: HashMap<Moveable, (Moveable, &Span)> = HashMap::new();
    let mut sources: HashMap<Moveable, (Moveable, &Span)> = HashMap::new();
    for statement in statements {
        let mut error = |code, fault: Fault, summary: &str, detail| {
            let error = Diagnostic::error(code, summary, detail, statement.span.clone());
            diagnostics.push(error.with_fault(fault));
        };
        for module in declared.instances_of(&statement.from.module) {
            let from = statement.from.in_instance(module);
            let to = statement.to.in_instance(module);
            let (noun, short) = (from.noun(), from.short_noun());
            if from == to {
                let detail = format!(
                    "This statement declares a move from {from} to the same address, which is the same as not declaring this move at all."
                );
                let fault = MovedFault::Redundant.into();
                error("redundant-move", fault, "Redundant move statement", detail);
                continue;
            }
            if declared.has(&from) {
                let at = declaration(modules, &from).map(|span| format!(" at {}", place(&span)));
                let at = at.unwrap_or_default();
                let detail = format!(
                    "This statement declares a move from {from}, but that {noun} is still declared{at}.\n\nChange your configuration so that this {short} will be declared as {to} instead."
                );
                let fault = MovedFault::StillDeclared.into();
                let summary = "Moved object still exists";
                error("moved-still-exists", fault, summary, detail);
            }
            let known = destinations
                .entry(from.clone())
                .or_insert_with(|| (to.clone(), &statement.span));
            if known.0 != to {
                let detail = format!(
                    "A statement at {} declared that {from} moved to {}, but this statement instead declares that it moved to {to}.\n\nEach {noun} can move to only one destination {short}.",
                    place(known.1),
                    known.0,
                );
                let summary = "Ambiguous move statements";
                error("ambiguous-move", Fault::Other, summary, detail);
            }
            let known = sources
                .entry(to.clone())
                .or_insert_with(|| (from.clone(), &statement.span));
            if known.0 != from {
                let detail = format!(
                    "A statement at {} declared that {} moved to {to}, but this statement instead declares that {from} moved there.\n\nEach {noun} can have moved from only one source {short}.",
                    place(known.1),
                    known.0,
                );
                let summary = "Ambiguous move statements";
                error("ambiguous-move", Fault::Other, summary, detail);
            }
        }
    }
    // Most mistakes that make a cycle are explained better by the rules for single statements.
    if diagnostics.is_empty() {
        diagnostics.extend(cycles(statements, place));
    }
    diagnostics
}

fn cycles(statements: &[MoveStatement], place: &dyn Fn(&Span) -> String) -> Vec<Diagnostic> {
    let (_, cycles) = order::order(statements);
    let line = |index: &usize| {
        let statement = &statements[*index];
        let (from, to) = (&statement.from, &statement.to);
        format!("\n  - {}: {from} → {to}", place(&statement.span))
    };
    let error = |cycle: &Vec<usize>| {
        let mut lines: Vec<String> = cycle.iter().map(line).collect();
        lines.sort();
        let detail = format!(
            "The following chained move statements form a cycle, and so there is no final location to move objects to:{}\n\nA chain of move statements must end with an address that doesn't appear in any other statements, and which typically also refers to an object still declared in the configuration.",
            lines.concat()
        );
        Diagnostic::error(
            "cyclic-move",
            "Cyclic dependency in move statements",
            detail,
            None,
        )
    };
    cycles.iter().map(error).collect()
}

/// The declaration behind an object: the number of its instances, or its block.
fn declaration(modules: &Modules<'_>, object: &Moveable) -> Option<Span> {
    let by_repetition = |repetition: &Repetition, span: &Span| {
        repetition
            .expr()
            .map_or_else(|| span.clone(), config::Expr::span)
    };
    let call = |module: &ModuleAddr, name: &SmolStr| modules.get(module)?.module_calls.get(name);
    match object {
        Moveable::Call(caller, name) => Some(call(&caller.module(), name)?.decl.span.clone()),
        Moveable::Module(addr) => {
            let step = addr.steps().last()?;
            let call = call(&addr.parent()?.module(), &step.call)?;
            Some(by_repetition(&call.repetition, &call.decl.span))
        }
        Moveable::Resource(addr) => {
            let module = modules.get(&addr.module.module())?;
            Some(module.resources.get(&addr.resource)?.decl.span.clone())
        }
        Moveable::Instance(addr) => {
            let module = modules.get(&addr.module.module())?;
            let resource = module.resources.get(&addr.resource)?;
            Some(by_repetition(&resource.repetition, &resource.decl.span))
        }
    }
}

/// The warning that some objects could not move.
pub fn unresolved(moves: &Moves) -> Option<Diagnostic> {
    if moves.blocked.is_empty() {
        return None;
    }
    let line = |(actual, wanted): (&Moveable, &Moveable)| {
        format!("\n  - {actual} could not move to {wanted}")
    };
    let lines: String = moves.blocked.iter().map(line).collect();
    Some(Diagnostic::warning(
        "blocked-move",
        "Unresolved resource instance address changes",
        format!(
            "Terraform tried to adjust resource instance addresses in the prior state based on change information recorded in the configuration, but some adjustments did not succeed due to existing objects already at the intended addresses:{lines}\n\nTerraform has planned to destroy these objects. If Terraform's proposed changes aren't appropriate, you must first resolve the conflicts using the \"terraform state\" subcommands and then create a new plan."
        ),
        None,
    ))
}
