//! Outputs: their values, and the changes of those of the root module.

use config::{ModuleAddr, Product};
use cty::{Mark, Value};
use smol_str::SmolStr;
use text::Diagnostic;

use super::Engine;
use super::modules::seen_by_caller;
use crate::inputs::Inputs;
use crate::result::{Evaluated, NodeResult};
use crate::{Action, OutputChange, PlanMode, condition, infinite};

impl Engine {
    pub(super) fn evaluate_output(
        &self,
        inputs: &Inputs,
        module: &ModuleAddr,
        name: &SmolStr,
    ) -> NodeResult {
        let Some(output) = inputs.tree.module(module).and_then(|m| m.outputs.get(name)) else {
            return NodeResult::Output(Evaluated::default(), None);
        };
        let mut change = None;
        let is_destroy = inputs.options.mode == PlanMode::Destroy;
        // Where only some is destroyed, outputs stay.
        let is_meant = !is_destroy || self.selected.is_none();
        // A destruction without a refresh before it looks at no value.
        let checked_as = match is_destroy && !inputs.options.refresh {
            true => PlanMode::Validate,
            false => inputs.options.mode,
        };
        let evaluated = self.evaluate_in_each(module, |instance| {
            let scope = self.scope(inputs, &instance.addr, &output.decl.references);
            let (value, mut diagnostics) =
                eval::variables::output_value(output, scope.context());
            let rules = &output.preconditions;
            let whose = condition::ConditionKind::Output;
            let broken = condition::check(rules, whose, checked_as, scope.context());
            // Terraform evaluates no value behind a precondition with errors.
            if inputs.options.leaves_out() && condition::has_errors(&broken) {
                diagnostics.clear();
            }
            diagnostics.extend(broken);
            let (unmarked, marks) = value.unmark_deep();
            let profile = inputs.environment.functions.profile;
            let product = profile.product;
            if module.is_root() && output.ephemeral {
                diagnostics.push(ephemeral_in_root(output, product));
            } else if diagnostics.is_empty() {
                let is_ephemeral = marks.contains(&Mark::Ephemeral);
                diagnostics.extend(misdeclared_ephemeral(output, is_ephemeral, product));
            }
            if let Some(deprecation) = &output.deprecated
                && module.is_root()
                && product == Product::Terraform
            {
                diagnostics.push(Diagnostic::error(
                    "deprecated-output",
                    "Root module output deprecated",
                    "Root module outputs cannot be deprecated, as there is no higher-level module to inform of the deprecation.",
                    deprecation.span.clone(),
                ));
            }
            if !module.is_root() {
                return (seen_by_caller(output, value, profile), diagnostics);
            }
            let is_misread = is_misread(inputs, output);
            let has_errors = condition::has_errors(&diagnostics) || is_misread;
            if !has_errors && marks.contains(&Mark::Sensitive) && !output.sensitive {
                diagnostics.push(Diagnostic::error(
                    "sensitive-output",
                    "Output refers to sensitive values",
                    "To reduce the risk of accidentally exporting sensitive data that was intended to be only internal, Terraform requires that any root module output containing sensitive data be explicitly marked as sensitive, to confirm your intent.\n\nIf you do intend to export this data, annotate the output value as sensitive by adding the following argument:\n    sensitive = true",
                    output.decl.span.clone(),
                ));
            }
            let at = output.value.as_ref().map(config::Expr::span);
            if matches!(inputs.options.mode, PlanMode::Normal | PlanMode::RefreshOnly) {
                diagnostics.extend(infinite::in_output(name, &unmarked, at));
            }
            let has_errors = condition::has_errors(&diagnostics) || is_misread;
            change = (!has_errors && !output.ephemeral && is_meant)
                .then(|| output_change(inputs, name, unmarked, output.sensitive))
                .flatten();
            (value, diagnostics)
        });
        NodeResult::Output(evaluated, change)
    }
}

/// Whether an output of the root module refers to what is not declared: then Terraform evaluates nothing of it.
fn is_misread(inputs: &Inputs, output: &config::Output) -> bool {
    let (root, value) = (inputs.tree.root(), output.value.as_ref());
    let references = value.map(config::Expr::references).unwrap_or_default();
    references.iter().any(|it| config::is_undeclared(root, it))
}

fn ephemeral_in_root(output: &config::Output, product: Product) -> Diagnostic {
    let (summary, detail) = match product {
        Product::Terraform => (
            "Ephemeral output not allowed",
            "Ephemeral outputs are not allowed in context of a root module",
        ),
        Product::OpenTofu => (
            "Invalid output configuration",
            "Root modules are not allowed to have outputs defined as ephemeral",
        ),
    };
    let at = output.decl.span.clone();
    Diagnostic::error("ephemeral-output", summary, detail, at)
}

/// Only an output that is declared ephemeral may give an ephemeral value, and with Terraform it may give no other.
fn misdeclared_ephemeral(
    output: &config::Output,
    is_ephemeral: bool,
    product: Product,
) -> Option<Diagnostic> {
    let (summary, detail) = match (output.ephemeral, is_ephemeral) {
        (true, false) if product == Product::OpenTofu => return None,
        (false, true) if product == Product::OpenTofu => (
            "Output does not allow ephemeral value",
            "The value that was generated for the output is ephemeral, but it is not configured to allow one.",
        ),
        (true, false) => (
            "Value not allowed in ephemeral output",
            "This output value is declared as returning an ephemeral value, so it can only be set to an ephemeral value.",
        ),
        (false, true) => (
            "Ephemeral value not allowed",
            "This output value is not declared as returning an ephemeral value, so it cannot be set to a result derived from an ephemeral value.",
        ),
        (true, true) | (false, false) => return None,
    };
    let at = output.value.as_ref().map(config::Expr::span);
    Some(Diagnostic::error("ephemeral-output", summary, detail, at))
}

fn output_change(
    inputs: &Inputs,
    name: &SmolStr,
    after: Value,
    is_sensitive: bool,
) -> Option<OutputChange> {
    let stored = inputs.state.outputs.get(name);
    if inputs.options.mode == PlanMode::Destroy {
        // A refresh before the destruction would store the values that are known.
        let (before, is_sensitive) = match stored {
            _ if inputs.options.refresh && after.is_wholly_known() => (after, is_sensitive),
            Some(stored) => (stored.value.clone(), stored.sensitive),
            None => return None,
        };
        return (!before.is_null()).then(|| OutputChange {
            name: name.clone(),
            action: Action::Delete,
            before,
            after: Value::null(cty::Type::Dynamic),
            is_sensitive,
        });
    }
    let before = stored.map_or_else(|| Value::null(cty::Type::Dynamic), |o| o.value.clone());
    let was_sensitive = stored.is_some_and(|output| output.sensitive);
    let is_equal = || {
        after.is_wholly_known() && after.equals(&before).as_true() && is_sensitive == was_sensitive
    };
    let action = match (before.is_null(), after.is_null()) {
        (true, true) => Action::NoOp,
        (true, false) => Action::Create,
        _ if is_equal() => Action::NoOp,
        _ => Action::Update,
    };
    Some(OutputChange {
        name: name.clone(),
        action,
        before,
        after,
        is_sensitive: is_sensitive || was_sensitive,
    })
}
