//! Custom conditions: `validation`, `precondition`, `postcondition` and `assert` blocks.

use config::{CheckRule, Expr, Product};
use cty::{Mark, Type, Value, convert};
use text::{Diagnostic, Fault};

use crate::EvalContext;
use crate::diagnose::{evaluate_expr, has_errors};
use crate::wording::why;

/// The code of a message that is no text.
pub const INVALID_MESSAGE: &str = "invalid-error-message";

/// In bytes: a message is kept as long as its problem, and budgets do not count it.
const MESSAGE_LIMIT: usize = 64 << 10;

/// The result of a rule. A failure is not among the diagnostics: its wording depends on the owner of the rule.
#[derive(Debug, Clone, PartialEq)]
pub struct RuleResult {
    pub status: RuleStatus,
    pub diagnostics: Vec<Diagnostic>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RuleStatus {
    Pass,
    /// With the message that the rule gives, if it may be shown.
    Fail(Option<String>),
    /// Not known before apply.
    Unknown,
    /// The rule is wrong itself; a diagnostic says why.
    Error,
}

/// How the messages name a rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleKind {
    /// A variable's `validation`.
    Validation,
    /// All others.
    Condition,
}

/// Evaluates a rule in the scope of its block.
pub fn evaluate_rule(rule: &CheckRule, kind: RuleKind, context: &EvalContext<'_>) -> RuleResult {
    let mut diagnostics = Vec::new();
    let Some(condition) = &rule.condition else {
        // The loader has said that it is missing.
        return RuleResult {
            status: RuleStatus::Error,
            diagnostics,
        };
    };
    let (result, condition_diagnostics) = evaluate_expr(condition, context);
    diagnostics.extend(condition_diagnostics);
    let (message, message_diagnostics) = match &rule.error_message {
        Some(message) => evaluate_expr(message, context),
        None => (Value::null(Type::String), Vec::new()),
    };
    let message_is_wrong = has_errors(&message_diagnostics);
    diagnostics.extend(message_diagnostics);
    let (result, _) = result.unmark();
    let holds = holds(&result, condition, kind);
    // A variable's message is looked at only where it is needed.
    let product = context.profile().product;
    let is_message_needed = kind == RuleKind::Condition || matches!(holds, Ok(Some(false)));
    let shown = rule.error_message.as_ref();
    let shown = shown.filter(|_| is_message_needed && !message_is_wrong);
    if let Some(expr) = shown
        && kind == RuleKind::Validation
        && !message.is_known()
    {
        diagnostics.push(unknown_message(expr, product));
        return RuleResult {
            status: RuleStatus::Error,
            diagnostics,
        };
    }
    let (message, diagnostic) = match shown {
        Some(expr) => message_text(&message, expr, kind, product),
        None => (None, None),
    };
    let message = message.map(|it| text::cut(it, MESSAGE_LIMIT));
    diagnostics.extend(diagnostic);
    let is_wrong = match kind {
        RuleKind::Validation => has_errors(&diagnostics) && !message_is_wrong,
        RuleKind::Condition => has_errors(&diagnostics),
    };
    let status = match holds {
        // Only what could be evaluated is looked at.
        Err(_) if is_wrong && kind == RuleKind::Condition => RuleStatus::Error,
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            RuleStatus::Error
        }
        Ok(Some(false)) if kind == RuleKind::Validation => RuleStatus::Fail(message),
        Ok(None) if kind == RuleKind::Validation => RuleStatus::Unknown,
        Ok(_) if is_wrong => RuleStatus::Error,
        Ok(None) => RuleStatus::Unknown,
        Ok(Some(true)) => RuleStatus::Pass,
        Ok(Some(false)) => RuleStatus::Fail(message),
    };
    RuleResult {
        status,
        diagnostics,
    }
}

/// The errors of the message of a rule.
pub fn evaluate_message(rule: &CheckRule, context: &EvalContext<'_>) -> Vec<Diagnostic> {
    let Some(expr) = &rule.error_message else {
        return Vec::new();
    };
    let (message, mut diagnostics) = evaluate_expr(expr, context);
    if !has_errors(&diagnostics) {
        let product = context.profile().product;
        diagnostics.extend(message_text(&message, expr, RuleKind::Condition, product).1);
    }
    diagnostics
}

/// Whether the condition holds; `None`: unknown.
fn holds(
    result: &Value,
    condition: &Expr,
    kind: RuleKind,
) -> Result<Option<bool>, Box<Diagnostic>> {
    let (summary, subject, value) = match kind {
        RuleKind::Validation => (
            "Invalid variable validation result",
            "Validation condition expression",
            "Invalid validation condition result value",
        ),
        RuleKind::Condition => (
            "Invalid condition result",
            "Condition expression",
            "Invalid condition result value",
        ),
    };
    let invalid = |detail: String| {
        Box::new(Diagnostic::error(
            "invalid-condition",
            summary,
            detail,
            condition.span(),
        ))
    };
    if !result.is_known() {
        return Ok(None);
    }
    if result.is_null() {
        return Err(invalid(format!(
            "{subject} must return either true or false, not null."
        )));
    }
    match convert(result, &Type::Bool) {
        Ok(result) => Ok(result.as_bool()),
        Err(error) => Err(invalid(format!("{value}: {why}.", why = why(&error)))),
    }
}

impl RuleKind {
    /// The substitute for a message without text.
    pub fn no_message(self) -> &'static str {
        match self {
            RuleKind::Validation => "Failed to evaluate condition error message.",
            RuleKind::Condition => {
                "This check failed, but has an invalid error message as described in the other accompanying messages."
            }
        }
    }
}

/// The text of an error message, if it is one that may be shown: sensitive and ephemeral ones may not. A variable may have
/// none at all.
fn message_text(
    message: &Value,
    expr: &Expr,
    kind: RuleKind,
    product: Product,
) -> (Option<String>, Option<Diagnostic>) {
    let unsuitable = |why: &str| {
        Diagnostic::error(
            INVALID_MESSAGE,
            "Invalid error message",
            format!("Unsuitable value for error message: {why}."),
            expr.span(),
        )
    };
    if !message.is_known() {
        return (None, None);
    }
    if message.is_null() {
        let is_refused = kind == RuleKind::Condition;
        return (None, is_refused.then(|| unsuitable("must not be null")));
    }
    match convert(message, &Type::String) {
        Ok(message) if message.has_mark(&Mark::Sensitive) => {
            hidden("sensitive", "nonsensitive()", expr, kind, product)
        }
        Ok(message) if message.has_mark(&Mark::Ephemeral) => {
            hidden("ephemeral", "ephemeralasnull()", expr, kind, product)
        }
        Ok(message) => {
            let (message, _) = message.unmark();
            let text = message
                .as_str()
                .map(str::trim)
                .filter(|text| !text.is_empty());
            (text.map(str::to_owned), None)
        }
        Err(error) => (None, Some(unsuitable(why(&error)))),
    }
}

/// The error of a variable's rule that fails with a message that is not known yet. It takes the place of the failure
/// (`evalVariableValidation` of OpenTofu's `internal/tofu`).
fn unknown_message(expr: &Expr, product: Product) -> Diagnostic {
    let detail = match product {
        Product::Terraform => {
            "Unsuitable value for error message: expression refers to values that won't be known until the apply phase."
        }
        Product::OpenTofu => {
            "Value used in error message is not known and can not be used in error_message until after apply."
        }
    };
    Diagnostic::error(
        INVALID_MESSAGE,
        "Invalid error message",
        detail,
        expr.span(),
    )
    .with_fault(Fault::UnknownUntilApply)
}

/// Stands in for a message that must not be shown. Variables and other rules differ in words and severity.
fn hidden(
    what: &str,
    function: &str,
    expr: &Expr,
    kind: RuleKind,
    product: Product,
) -> (Option<String>, Option<Diagnostic>) {
    // OpenTofu names both kinds of values.
    let included = match (product, what) {
        (Product::OpenTofu, "ephemeral") => "an ephemeral",
        _ => "a sensitive",
    };
    let so = match kind {
        RuleKind::Validation => " values. Terraform",
        RuleKind::Condition => " values, so Terraform",
    };
    let detail = format!(
        "The error expression used to explain this condition refers to {what}{so} will not display the resulting \
         message.\n\nYou can correct this by removing references to {what} values, or by carefully using the \
         {function} function if the expression will not reveal the {what} data."
    );
    let summary = format!("Error message refers to {what} values");
    let code = "hidden-error-message";
    match kind {
        RuleKind::Validation => (
            Some(format!(
                "The error message included {included} value, so it will not be displayed."
            )),
            Some(Diagnostic::error(code, summary, detail, expr.span())),
        ),
        RuleKind::Condition => (
            None,
            Some(Diagnostic::warning(code, summary, detail, expr.span())),
        ),
    }
}
