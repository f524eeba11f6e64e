//! Preconditions and postconditions.

use config::CheckRule;
use eval::{Context, RuleKind, RuleStatus, evaluate_rule};
use text::{Diagnostic, Severity};

use crate::Mode;

/// What a condition belongs to.
#[derive(Clone, Copy)]
pub(crate) enum Whose {
    /// A resource, before it is planned.
    Precondition,
    /// A resource, planned.
    Postcondition,
    Output,
}

/// What is wrong, by the rules and with them. What is not known yet breaks no rule. Where the plan leads to something
/// else than the configuration, a broken rule is no error.
pub(crate) fn check(
    rules: &[CheckRule],
    whose: Whose,
    mode: Mode,
    scope: &Context<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in rules {
        let result = evaluate_rule(rule, RuleKind::Condition, scope);
        diagnostics.extend(result.diagnostics);
        if let RuleStatus::Fail(message) = result.status {
            let condition = rule.condition.as_ref().map(|condition| condition.span());
            let at = condition.unwrap_or_else(|| rule.span.clone());
            let summary = whose.failed();
            let code = "condition-failed";
            diagnostics.push(match mode {
                Mode::Normal => Diagnostic::error(code, summary, message, at),
                Mode::Destroy | Mode::RefreshOnly => {
                    Diagnostic::warning(code, summary, message, at)
                }
            });
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
