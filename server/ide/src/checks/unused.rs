//! Declarations that are never used. A module with errors may use them in the part that is not understood, so nothing is said
//! of it.

use std::collections::HashSet;
use std::sync::Arc;

use config::{Decl, Local, Module, Output, Reference, Referenceable, Resource, ResourceMode};
use smol_str::SmolStr;
use text::{Diagnostic, PerChunk, Severity, Span};

use super::Checks;

/// The names that each chunk of a module's declarations uses.
#[derive(Default)]
pub(super) struct UnusedCache {
    locals: PerChunk<Arc<Local>, HashSet<Used>>,
    outputs: PerChunk<Arc<Output>, HashSet<Used>>,
    resources: PerChunk<Arc<Resource>, HashSet<Used>>,
    /// The data sources to be used.
    data: PerChunk<Arc<Resource>, Vec<Arc<Resource>>>,
}

pub(super) fn check(module: &Module, cache: &mut UnusedCache, found: &mut Checks) {
    let is_understood = |syntax: &syntax::File| syntax.errors().next().is_none();
    if !module.unread.is_empty() || !module.files.values().all(is_understood) {
        return;
    }
    let of_few = used(module, module.declarations_of_few());
    let locals = module.locals.declarations();
    let of_locals = |chunk: &[Arc<Local>]| used(module, chunk.iter().map(|it| &it.decl));
    let outputs = module.outputs.declarations();
    let of_outputs = |chunk: &[Arc<Output>]| used(module, chunk.iter().map(|it| &it.decl));
    let resources = module.resources.declarations();
    let of_resources = |chunk: &[Arc<Resource>]| {
        let mut names = used(module, chunk.iter().map(|it| &it.decl));
        let triggers = chunk.iter().flat_map(|it| &it.lifecycle.action_triggers);
        let references = triggers.flat_map(|trigger| &trigger.references);
        names.extend(references.filter_map(subject));
        names
    };
    let used: HashSet<&Used> = (of_few.iter())
        .chain(cache.locals.update(locals, of_locals).flatten())
        .chain(cache.outputs.update(outputs, of_outputs).flatten())
        .chain(cache.resources.update(resources, of_resources).flatten())
        .collect();
    for (name, variable) in module.variables.iter() {
        if !used.contains(&Used::Variable(name.clone())) {
            let what = format!("variable \"{name}\" is declared but never used");
            found.add(unused("unused-variable", what, &variable.name.span));
        }
    }
    for (name, local) in module.locals.iter() {
        if !used.contains(&Used::Local(name.clone())) {
            let what = format!("local value \"{name}\" is never used");
            found.add(unused("unused-local", what, &local.name.span));
        }
    }
    for data in cache.data.update(resources, data).flatten() {
        let addr = &data.addr;
        if !used.contains(&Used::Data(addr.r#type.clone(), addr.name.clone())) {
            let what = format!("{addr} is read but never used");
            found.add(unused("unused-data-source", what, &data.name.span));
        }
    }
}

/// The data sources of a chunk. One with conditions is there for these.
fn data(chunk: &[Arc<Resource>]) -> Vec<Arc<Resource>> {
    let is_check = |it: &Resource| {
        !it.lifecycle.preconditions.is_empty() || !it.lifecycle.postconditions.is_empty()
    };
    let data = chunk.iter();
    let data = data.filter(|it| it.addr.mode == ResourceMode::Data && !is_check(it));
    data.cloned().collect()
}

#[derive(PartialEq, Eq, Hash)]
enum Used {
    Variable(SmolStr),
    Local(SmolStr),
    Data(SmolStr, SmolStr),
}

fn subject(reference: &Reference) -> Option<Used> {
    match &reference.subject {
        Referenceable::Var(name) => Some(Used::Variable(name.clone())),
        Referenceable::Local(name) => Some(Used::Local(name.clone())),
        Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _)
            if addr.mode == ResourceMode::Data =>
        {
            Some(Used::Data(addr.r#type.clone(), addr.name.clone()))
        }
        _ => None,
    }
}

/// The names that declarations refer to, other than their own.
fn used<'d>(module: &Module, declarations: impl Iterator<Item = &'d Decl>) -> HashSet<Used> {
    let mut used = HashSet::new();
    for decl in declarations {
        for reference in &decl.references {
            let Some(subject) = subject(reference) else {
                continue;
            };
            if !is_own(module, &subject, &decl.span) {
                used.insert(subject);
            }
        }
    }
    used
}

/// Whether a declaration is that of the subject itself: a variable's validation refers to it.
fn is_own(module: &Module, subject: &Used, decl: &Span) -> bool {
    match subject {
        Used::Variable(name) => {
            let variable = module.variables.get(name);
            variable.is_some_and(|variable| variable.decl.span == *decl)
        }
        Used::Local(_) | Used::Data(..) => false,
    }
}

fn unused(code: &'static str, what: String, at: &Span) -> Diagnostic {
    Diagnostic {
        severity: Severity::Hint,
        ..Diagnostic::warning(code, what, "", at.clone())
    }
}
