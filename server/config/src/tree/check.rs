//! A call and the module that it calls: whether they fit together.

use text::{Diagnostic, Missing, did_you_mean};

use super::ModuleTree;
use crate::addr::ModuleAddr;
use crate::language_release::feature;
use crate::module::{Module, ModuleCall};

pub(super) fn check(tree: &ModuleTree, diagnostics: &mut Vec<Diagnostic>) {
    for (addr, module) in tree.iter() {
        if let Some((_, call)) = tree.call(addr) {
            check_arguments(call, &module.module, diagnostics);
            check_blocks(addr, &module.module, diagnostics);
        }
    }
}

/// Arguments of a call that the module doesn't take, and the other way round.
pub fn check_arguments(call: &ModuleCall, module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    for (name, variable) in &module.variables {
        if variable.default.is_none() && call.argument(name).is_none() {
            let detail =
                format!("The argument \"{name}\" is required, but no definition was found.");
            let missing = Diagnostic::error(
                "missing-argument",
                "Missing required argument",
                detail,
                call.decl.span.clone(),
            );
            diagnostics.push(missing.with_fault(Missing::Argument(name.to_string())));
        }
    }
    for argument in &call.arguments {
        let name = argument.name();
        if !module.variables.contains_key(name) && module.unread.is_empty() {
            let known = module.variables.keys().map(|name| name.as_str());
            let hint = did_you_mean(name, known);
            let unsupported = Diagnostic::error(
                "unsupported-argument",
                "Unsupported argument",
                format!("An argument named \"{name}\" is not expected here.{hint}"),
                argument.name_span(),
            );
            diagnostics.push(unsupported.with_fault(hint));
        }
    }
}

/// Blocks that only a root module may have.
fn check_blocks(addr: &ModuleAddr, module: &Module, diagnostics: &mut Vec<Diagnostic>) {
    let backend = module.backend.as_ref();
    if let Some(backend) = backend.filter(|it| it.r#type != "cloud") {
        diagnostics.push(Diagnostic::warning(
            "backend-ignored",
            "Backend configuration ignored",
            "Any selected backend applies to the entire configuration, so Terraform expects provider configurations only in the root module.\n\nThis is a warning rather than an error because it's sometimes convenient to temporarily call a root module as a child module for testing purposes, but this backend configuration block will have no effect.",
            Some(backend.decl.span.clone()),
        ));
    }
    let imports = module.imports.first();
    if let Some(import) = imports.filter(|_| !module.profile.has(feature::IMPORTS_IN_MODULES)) {
        diagnostics.push(Diagnostic::error(
            "import-in-module",
            "Invalid import configuration",
            format!(
                "An import block was detected in \"{addr}\". Import blocks are only allowed in the root module."
            ),
            import.decl.span.clone(),
        ));
    }
}
