//! Which function was being called when something went wrong.

use config::ModuleTree;
use eval::functions::{Parameter, Signature, signatures};
use serde_json::{Value as Json, json};
use syntax::ast::{Expr, ExprKind};
use syntax::walk::{Visitor, walk_items};
use text::{Diagnostic, Fault, TextRange};

/// Of the functions of the language, if it is written.
const NAMESPACE: &str = "core::";

/// A call of a function of the language, as it is written.
pub(super) struct Called {
    name: String,
    signature: &'static Signature,
}

/// The call that a diagnostic is about.
pub(super) fn called(tree: &ModuleTree, diagnostic: &Diagnostic) -> Option<Called> {
    let span = diagnostic.subject.as_ref()?;
    // An argument may be a call itself.
    let is_of_argument = match (&diagnostic.fault, diagnostic.code) {
        (Fault::FunctionArgument, _) | (_, "invalid-argument" | "template-argument") => true,
        (_, "function-call" | "not-enough-arguments" | "too-many-arguments") => false,
        _ => return None,
    };
    let segment = tree.file(&span.file)?.segment(span.segment)?;
    let mut calls = Calls {
        range: span.range,
        around: None,
        with_argument: None,
    };
    walk_items(&segment.parsed.items, &mut calls);
    let name = match calls.with_argument.filter(|_| is_of_argument) {
        Some(name) => name,
        None => calls.around?,
    };
    let signature = signatures().get(name.trim_start_matches(NAMESPACE))?;
    Some(Called { name, signature })
}

/// The innermost call around a range, and that of which it is an argument.
struct Calls {
    range: TextRange,
    around: Option<String>,
    with_argument: Option<String>,
}

impl Visitor for Calls {
    fn expr(&mut self, expr: &Expr) {
        if let ExprKind::Call(call) = &expr.kind
            && expr.range.contains_range(self.range)
        {
            self.around = Some(call.name.to_string());
            if call.args.iter().any(|it| it.range == self.range) {
                self.with_argument = Some(call.name.to_string());
            }
        }
    }
}

impl Called {
    /// `name(a, b...)`
    pub(super) fn title(&self) -> String {
        let Signature {
            parameters,
            variadic,
            ..
        } = self.signature;
        let mut names: Vec<String> = parameters.iter().map(|it| it.name.to_string()).collect();
        names.extend(variadic.iter().map(|it| format!("{}...", it.name)));
        format!("{}({})", self.name, names.join(", "))
    }

    /// As `terraform validate -json` has it.
    pub(super) fn to_json(&self) -> Json {
        let parameter = |it: &Parameter| json!({ "name": it.name, "type": it.ty.to_json().unwrap_or_default() });
        let parameters = self.signature.parameters.iter().map(parameter);
        let mut signature = json!({
            "name": self.name.trim_start_matches(NAMESPACE),
            "params": parameters.collect::<Vec<Json>>(),
        });
        if let Some(variadic) = &self.signature.variadic {
            signature["variadic_param"] = parameter(variadic);
        }
        signature["return_type"] = self.signature.returns.to_json().unwrap_or_default();
        json!({ "called_as": self.name, "signature": signature })
    }
}
