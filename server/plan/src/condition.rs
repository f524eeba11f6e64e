//! Preconditions and postconditions.

use config::CheckRule;
use eval::{Context, RuleKind, RuleStatus, evaluate_rule};
use text::{Diagnostic, Severity};

/// What a condition belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    /// A resource, before it is planned.
    Precondition,
    /// A resource, planned.
    Postcondition,
    Output,
}

/// What is wrong, by the rules and with them. What is not known yet breaks no rule.
pub(crate) fn check(rules: &[CheckRule], whose: Whose, scope: &Context<'_>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in rules {
        let result = evaluate_rule(rule, RuleKind::Condition, scope);
        diagnostics.extend(result.diagnostics);
        if let RuleStatus::Fail(message) = result.status {
            let condition = rule.condition.as_ref().map(|condition| condition.span());
            let at = condition.unwrap_or_else(|| rule.span.clone());
            let summary = whose.failed();
            diagnostics.push(Diagnostic::error("condition-failed", summary, message, at));
        }
    }
    diagnostics
}

pub(crate) fn has_errors(diagnostics: &[Diagnostic]) -> bool {
    diagnostics
        .iter()
        .any(|diagnostic| diagnostic.severity == Severity::Error)
}

impl Whose {
    fn failed(self) -> &'static str {
        match self {
            Whose::Precondition => "Resource precondition failed",
            Whose::Postcondition => "Resource postcondition failed",
            Whose::Output => "Module output value precondition failed",
        }
    }
}
