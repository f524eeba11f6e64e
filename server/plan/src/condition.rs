//! Preconditions, postconditions and the assertions of checks.

use config::CheckRule;
use eval::{EvalContext, RuleKind, RuleStatus, evaluate_rule};
use text::{Diagnostic, Severity};

use crate::PlanMode;

/// The owner of a condition.
#[derive(Clone, Copy)]
pub(crate) enum ConditionKind {
    /// A resource, before it is planned.
    Precondition,
    /// A resource, planned.
    Postcondition,
    Output,
    /// A check block: never an error.
    Assertion,
}

/// Errors of the rules themselves, and rules that fail. A rule that is not known yet does not fail, though a check warns of it. Where the plan leads to something
/// else than the configuration, a broken rule is no error. Of an assertion a validation looks at the message alone,
/// and of a resource's conditions at no value of the message (`validateCheckRules` of OpenTofu's `internal/tofu`).
pub(crate) fn check(
    rules: &[CheckRule],
    whose: ConditionKind,
    mode: PlanMode,
    scope: &EvalContext<'_>,
) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for rule in rules {
        if let (ConditionKind::Assertion, PlanMode::Validate) = (whose, mode) {
            diagnostics.extend(eval::evaluate_message(rule, scope));
            continue;
        }
        let mut result = evaluate_rule(rule, RuleKind::Condition, scope);
        if let (ConditionKind::Precondition | ConditionKind::Postcondition, PlanMode::Validate) =
            (whose, mode)
        {
            result
                .diagnostics
                .retain(|it| it.code != eval::INVALID_MESSAGE);
        }
        diagnostics.extend(result.diagnostics);
        // Nothing that is destroyed has to be right.
        if matches!(mode, PlanMode::Validate | PlanMode::Destroy) {
            continue;
        }
        let condition = rule.condition.as_ref().map(|condition| condition.span());
        let at = condition.unwrap_or_else(|| rule.span.clone());
        if matches!(
            (whose, &result.status),
            (ConditionKind::Assertion, RuleStatus::Unknown)
        ) {
            diagnostics.push(Diagnostic::warning(
                "condition-unknown",
                "Check block assertion known after apply",
                "The condition could not be evaluated at this time, a result will be known when this plan is applied.",
                at,
            ));
        } else if let RuleStatus::Fail(message) = result.status {
            let message = message.unwrap_or_else(|| RuleKind::Condition.no_message().to_owned());
            let summary = whose.failed();
            let code = "condition-failed";
            diagnostics.push(match (whose, mode) {
                (
                    ConditionKind::Precondition
                    | ConditionKind::Postcondition
                    | ConditionKind::Output,
                    PlanMode::Normal,
                ) => Diagnostic::error(code, summary, message, at),
                (ConditionKind::Assertion, _)
                | (_, PlanMode::Destroy | PlanMode::RefreshOnly | PlanMode::Validate) => {
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

impl ConditionKind {
    fn failed(self) -> &'static str {
        match self {
            ConditionKind::Precondition => "Resource precondition failed",
            ConditionKind::Postcondition => "Resource postcondition failed",
            ConditionKind::Output => "Module output value precondition failed",
            ConditionKind::Assertion => "Check block assertion failed",
        }
    }
}
