//! What is taken from a called module: outputs that it has not got.

use config::Referenceable;
use smol_str::SmolStr;
use text::{Diagnostic, Span, TextRange, TextSize, did_you_mean};

use super::Checks;
use super::scope::Scope;

pub(super) fn check(scope: &Scope<'_>, found: &mut Checks) {
    if scope.module.module_calls.is_empty() {
        return;
    }
    for reference in scope.module.all_references() {
        let Referenceable::ModuleOutput { call, output, .. } = &reference.subject else {
            continue;
        };
        let called = scope.checked.tree.module(&scope.addr.child(call.clone()));
        if let Some(called) = called.filter(|called| !called.outputs.contains_key(output)) {
            let hint = did_you_mean(output, called.outputs.keys().map(SmolStr::as_str));
            let detail =
                format!("This object does not have an attribute named \"{output}\".{hint}");
            let at = last_step(&reference.span, output);
            found.add(Diagnostic::error(
                "unsupported-attribute",
                "Unsupported attribute",
                detail,
                at,
            ));
        }
    }
}

/// The part of a reference's span that is `.name`.
fn last_step(span: &Span, name: &str) -> Span {
    let length = (TextSize::of(name) + TextSize::of('.')).min(span.range.len());
    Span {
        range: TextRange::new(span.range.end() - length, span.range.end()),
        ..span.clone()
    }
}
