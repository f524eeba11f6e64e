//! Declarations that are never used. A module with errors may use them in the part that is not understood, so nothing is said
//! of it.

use std::collections::HashSet;

use config::{Module, Referenceable, ResourceMode};
use smol_str::SmolStr;
use text::{Diagnostic, Severity, Span};

use super::Checks;

pub(super) fn check(module: &Module, found: &mut Checks) {
    let is_understood = |syntax: &syntax::File| syntax.errors().next().is_none();
    if !module.files.values().all(is_understood) {
        return;
    }
    let used = used(module);
    for variable in module.variables.values() {
        let name = &variable.name;
        if !used.contains(&Used::Variable(&name.text)) {
            let what = format!("variable \"{}\" is declared but never used", name.text);
            found.add(unused("unused-variable", what, &name.span));
        }
    }
    for local in module.locals.values() {
        if !used.contains(&Used::Local(&local.name.text)) {
            let what = format!("local value \"{}\" is never used", local.name.text);
            found.add(unused("unused-local", what, &local.name.span));
        }
    }
    for resource in module.resources.values() {
        let lifecycle = &resource.lifecycle;
        // One with conditions is there for these.
        let is_check = !lifecycle.preconditions.is_empty() || !lifecycle.postconditions.is_empty();
        let addr = &resource.addr;
        if addr.mode == ResourceMode::Data
            && !is_check
            && !used.contains(&Used::Data(&addr.r#type, &addr.name))
        {
            let what = format!("{addr} is read but never used");
            found.add(unused("unused-data-source", what, &resource.name.span));
        }
    }
}

#[derive(PartialEq, Eq, Hash)]
enum Used<'a> {
    Variable(&'a SmolStr),
    Local(&'a SmolStr),
    Data(&'a SmolStr, &'a SmolStr),
}

/// The names that any other declaration refers to.
fn used(module: &Module) -> HashSet<Used<'_>> {
    let mut used = HashSet::new();
    for decl in module.declarations() {
        for reference in &decl.references {
            let subject = match &reference.subject {
                Referenceable::Var(name) => Used::Variable(name),
                Referenceable::Local(name) => Used::Local(name),
                Referenceable::Resource(addr) | Referenceable::ResourceInstance(addr, _)
                    if addr.mode == ResourceMode::Data =>
                {
                    Used::Data(&addr.r#type, &addr.name)
                }
                _ => continue,
            };
            if !is_own(module, &subject, &decl.span) {
                used.insert(subject);
            }
        }
    }
    used
}

/// Whether a declaration is that of the subject itself: a variable's validation refers to it.
fn is_own(module: &Module, subject: &Used<'_>, decl: &Span) -> bool {
    match subject {
        Used::Variable(name) => {
            let variable = module.variables.get(*name);
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
