//! The values of input variables, and of outputs with a type.

use config::{Output, OverriddenDefault, Variable};
use cty::{Mark, Type, Value, convert};
use syntax::ast;
use text::{Diagnostic, Fault, RelatedRole, Span};

use crate::diagnose::{diagnostics, evaluate_expr, has_errors};
use crate::rules::{RuleKind, RuleStatus, evaluate_rule};
use crate::types::{TypeConstraint, type_constraint, variable_type};
use crate::wording::{why, why_at, wrong_type};
use crate::{EvalContext, evaluate};

/// A value that a variable was given.
#[derive(Debug, Clone, PartialEq)]
pub enum InputValue {
    /// `TF_VAR_name`, as text.
    Environment(String),
    /// `-var name=...`, as text.
    CommandLine(String),
    /// An argument of a tfvars file.
    File(config::Expr),
    /// An argument of a `module` block, already evaluated in the calling module.
    Argument(Value, Span),
}

/// The type constraint of a variable; any type, if it has none. An override file changes the type, and not the defaults of
/// its optional attributes (`Variable.merge` of OpenTofu's `internal/configs/module_merge.go`).
pub fn constraint(variable: &Variable) -> (TypeConstraint, Vec<Diagnostic>) {
    let (mut constraint, diagnostics) = written(variable.r#type.as_ref());
    if let Some(overridden) = &variable.overridden {
        constraint.defaults = written(overridden.first_type.as_ref()).0.defaults;
    }
    (constraint, diagnostics)
}

fn written(r#type: Option<&config::Expr>) -> (TypeConstraint, Vec<Diagnostic>) {
    match r#type {
        Some(expr) => {
            let (constraint, problems) = variable_type(&expr.ast);
            // Of a part of a type nothing is required. A quoted type is one all the same.
            let mut problems_of_type = problems.iter();
            let constraint = match problems_of_type.any(|it| it.code != "quoted-type") {
                true => TypeConstraint::ANY,
                false => constraint,
            };
            (constraint, diagnostics(problems, &expr.origin))
        }
        None => (TypeConstraint::ANY, Vec::new()),
    }
}

/// The final value of a variable of the root module or, with `InputValue::Argument`, of another: of the type
/// that is declared, defaults applied. The marks of the declaration are added by [`marked`].
pub fn final_value(variable: &Variable, given: Option<&InputValue>) -> (Value, Vec<Diagnostic>) {
    let (constraint, mut diagnostics) = constraint(variable);
    let ty = constraint.ty.without_optional_attributes();
    let unknown = || Value::unknown(ty.clone());
    let (default, default_diagnostics) = default_value(variable, &constraint);
    diagnostics.extend(default_diagnostics);
    let Some(given) = given else {
        return match default {
            Some(default) => (default, diagnostics),
            None => {
                diagnostics.push(not_set(variable));
                (unknown(), diagnostics)
            }
        };
    };
    let (value, given_diagnostics) = given.value(variable, &constraint);
    diagnostics.extend(given_diagnostics);
    let Some(value) = value else {
        if default.is_none() {
            diagnostics.push(not_set(variable));
        }
        return (unknown(), diagnostics);
    };
    match constraint.conform(&value) {
        Err(error) => {
            let why = match variable.sensitive {
                true => why(&error).to_owned(),
                false => why_at(&error),
            };
            let fault = wrong_type(&value, &constraint.ty);
            diagnostics.push(given.unsuitable(variable, &why).with_fault(fault));
            (unknown(), diagnostics)
        }
        Ok(value) if value.is_null() && !variable.nullable => match default {
            Some(default) => (default, diagnostics),
            None => {
                diagnostics.push(given.null_but_required(variable));
                (unknown(), diagnostics)
            }
        },
        Ok(value) => (value, diagnostics),
    }
}

/// The type that an output declares.
pub fn output_type(output: &Output) -> Option<Type> {
    let (constraint, _) = type_constraint(&output.r#type.as_ref()?.ast);
    Some(constraint.ty.without_optional_attributes())
}

/// The value of an output, of the type that is declared, defaults applied.
pub fn output_value(output: &Output, context: &EvalContext<'_>) -> (Value, Vec<Diagnostic>) {
    let Some(expr) = &output.value else {
        return (Value::dynamic(), Vec::new());
    };
    let (value, mut found) = evaluate_expr(expr, context);
    let Some(ty) = &output.r#type else {
        return (value, found);
    };
    let (constraint, problems) = type_constraint(&ty.ast);
    found.extend(diagnostics(problems, &ty.origin));
    if has_errors(&found) {
        return (
            Value::unknown(constraint.ty.without_optional_attributes()),
            found,
        );
    }
    match constraint.conform(&value) {
        Ok(value) => (value, found),
        Err(error) => {
            let detail = format!(
                "The value expression does not match this output value's type constraint: {}.",
                why_at(&error)
            );
            let (code, summary) = ("invalid-output-value", "Invalid output value");
            let fault = wrong_type(&value, &constraint.ty);
            let diagnostic = Diagnostic::error(code, summary, detail, expr.span());
            found.push(diagnostic.with_fault(fault));
            (
                Value::unknown(constraint.ty.without_optional_attributes()),
                found,
            )
        }
    }
}

/// The value as `var.NAME` has it, with the marks of the declaration.
pub fn marked(variable: &Variable, value: &Value) -> Value {
    let mut value = value.clone();
    if variable.sensitive {
        value = value.mark(Mark::Sensitive);
    }
    if variable.ephemeral {
        value = value.mark(Mark::Ephemeral);
    }
    value
}

/// Evaluates the `validation` blocks in a scope where `var` has the variable's marked value.
pub fn validate(
    variable: &Variable,
    given: Option<&InputValue>,
    context: &EvalContext<'_>,
) -> Vec<Diagnostic> {
    let subject = match given {
        Some(InputValue::Argument(_, span)) => span.clone(),
        Some(InputValue::File(expr)) if !context.profile().is_opentofu() => expr.span(),
        _ => variable.decl.span.clone(),
    };
    let mut diagnostics = Vec::new();
    for rule in &variable.validations {
        // OpenTofu looks at no rule behind one that is broken.
        if context.profile().is_opentofu() && has_errors(&diagnostics) {
            break;
        }
        let result = evaluate_rule(rule, RuleKind::Validation, context);
        diagnostics.extend(result.diagnostics);
        if let RuleStatus::Fail(message) = result.status {
            let diagnostic = Diagnostic::error(
                "invalid-variable-value",
                "Invalid value for variable",
                message.unwrap_or_else(|| RuleKind::Validation.no_message().to_owned()),
                subject.clone(),
            );
            diagnostics.push(diagnostic.with_role(rule.span.clone(), RelatedRole::Rule));
        }
    }
    diagnostics
}

/// `None`: there is no default, or none of use.
fn default_value(
    variable: &Variable,
    constraint: &TypeConstraint,
) -> (Option<Value>, Vec<Diagnostic>) {
    let Some(expr) = &variable.default else {
        return (None, Vec::new());
    };
    let evaluated = evaluate(&expr.ast, &EvalContext::empty());
    let mut diagnostics = diagnostics(evaluated.problems, &expr.origin);
    let unknown = || Some(Value::unknown(constraint.ty.without_optional_attributes()));
    if has_errors(&diagnostics) {
        return (unknown(), diagnostics);
    }
    let mut invalid = |detail: String, fault: Fault| {
        let summary = "Invalid default value for variable";
        let invalid = Diagnostic::error("invalid-default", summary, detail, expr.span());
        diagnostics.push(invalid.with_fault(fault));
    };
    let conformed = match &variable.overridden {
        Some(overridden) => {
            let (beside, _) = written(overridden.default_type.as_ref());
            let default = beside.conform(&evaluated.value);
            default.and_then(|default| convert(&default, &constraint.ty))
        }
        None => constraint.conform(&evaluated.value),
    };
    let default = match conformed {
        Ok(value) if value.is_null() && !variable.nullable => {
            let detail = "A null default value is not valid when nullable=false.";
            invalid(detail.into(), Fault::Other);
            unknown()
        }
        Ok(value) => Some(value),
        Err(error) => {
            let why = why_at(&error);
            match &variable.overridden {
                Some(overridden) => diagnostics.push(invalid_override(overridden, &why)),
                None => {
                    let detail = format!(
                        "This default value is not compatible with the variable's type constraint: {why}."
                    );
                    invalid(detail, wrong_type(&evaluated.value, &constraint.ty));
                }
            }
            unknown()
        }
    };
    (default, diagnostics)
}

/// Follows `Variable.merge` of OpenTofu's `internal/configs/module_merge.go`.
fn invalid_override(overridden: &OverriddenDefault, why: &str) -> Diagnostic {
    let subject = match (overridden.has_type, overridden.has_default) {
        (true, false) => {
            "Overriding this variable's type constraint has made its default value invalid"
        }
        (false, true) => {
            "The overridden default value for this variable is not compatible with the variable's type constraint"
        }
        (_, _) => "This variable's default value is not compatible with its type constraint",
    };
    let summary = "Invalid default value for variable";
    let detail = format!("{subject}: {why}.");
    Diagnostic::error("invalid-default", summary, detail, overridden.span.clone())
}

fn not_set(variable: &Variable) -> Diagnostic {
    let detail = format!(
        "The root module input variable \"{}\" is not set, and has no default value. Use a -var or -var-file command \
         line argument to provide a value for this variable.",
        variable.name.text
    );
    let summary = "No value for required variable";
    Diagnostic::error(
        "no-variable-value",
        summary,
        detail,
        variable.decl.span.clone(),
    )
}

impl InputValue {
    /// The value as it was given, before it is converted to the variable's type. `None`: it can't be read.
    pub fn as_given(&self, variable: &Variable) -> Option<Value> {
        self.value(variable, &constraint(variable).0).0
    }

    /// `None`: it could not be read; a diagnostic says why.
    fn value(
        &self,
        variable: &Variable,
        constraint: &TypeConstraint,
    ) -> (Option<Value>, Vec<Diagnostic>) {
        let (ast, origin) = match self {
            InputValue::Argument(value, _) => {
                return (Some(value.clone()), Vec::new());
            }
            InputValue::File(expr) => (&expr.ast, Some(&expr.origin)),
            InputValue::Environment(text) | InputValue::CommandLine(text) => {
                if variable.r#type.is_none() || constraint.ty.is_primitive() {
                    return (Some(Value::string(text)), Vec::new());
                }
                return self.parse(text, variable);
            }
        };
        let evaluated = evaluate(ast, &EvalContext::empty());
        let is_wrong = evaluated.has_errors();
        let diagnostics = match origin {
            Some(origin) => diagnostics(evaluated.problems, origin),
            None => Vec::new(),
        };
        ((!is_wrong).then_some(evaluated.value), diagnostics)
    }

    /// Reads text as an expression. Its problems have no place in the configuration but the variable's.
    fn parse(&self, text: &str, variable: &Variable) -> (Option<Value>, Vec<Diagnostic>) {
        let at = |summary: String, detail: String| {
            let detail = format!("{detail} The value was {}.", self.how_set(variable));
            Diagnostic::error(
                "unreadable-value",
                summary,
                detail,
                variable.decl.span.clone(),
            )
        };
        let parsed = syntax::parse_expression(text);
        if !parsed.errors.is_empty() {
            let errors = parsed.errors.into_iter();
            return (
                None,
                errors
                    .map(|error| at(error.summary.into_owned(), error.detail))
                    .collect(),
            );
        }
        let expr: ast::Expr = parsed.tree;
        let evaluated = evaluate(&expr, &EvalContext::empty());
        let is_wrong = evaluated.has_errors();
        let diagnostics = evaluated
            .problems
            .into_iter()
            .map(|problem| at(problem.summary.into_owned(), problem.detail))
            .collect();
        ((!is_wrong).then_some(evaluated.value), diagnostics)
    }

    fn how_set(&self, variable: &Variable) -> String {
        let name = &variable.name.text;
        match self {
            InputValue::Environment(_) => {
                format!("set using the TF_VAR_{name} environment variable")
            }
            InputValue::CommandLine(_) => format!("set using -var=\"{name}=...\""),
            InputValue::File(_) => "set in a variables file".into(),
            InputValue::Argument(..) => "set in a module block".into(),
        }
    }

    /// Where the value is written, if it is in a file.
    fn span(&self) -> Option<Span> {
        match self {
            InputValue::File(expr) => Some(expr.span()),
            InputValue::Argument(_, span) => Some(span.clone()),
            InputValue::Environment(_) | InputValue::CommandLine(_) => None,
        }
    }

    fn unsuitable(&self, variable: &Variable, error: &str) -> Diagnostic {
        let name = &variable.name.text;
        let (code, summary) = ("invalid-variable-value", "Invalid value for input variable");
        let declared = variable.decl.span.clone();
        match self.span() {
            None => {
                let detail = format!(
                    "Unsuitable value for var.{name} {}: {error}.",
                    self.how_set(variable)
                );
                Diagnostic::error(code, summary, detail, declared)
            }
            Some(span) if variable.sensitive => {
                let detail = format!(
                    "The given value is not suitable for var.{name}, which is sensitive: {error}."
                );
                Diagnostic::error(code, summary, detail, declared)
                    .with_role(span, RelatedRole::Value)
            }
            Some(span) => {
                let detail = format!("The given value is not suitable for var.{name}: {error}.");
                let role = RelatedRole::Declaration {
                    variable: name.to_string(),
                    why: error.to_owned(),
                };
                Diagnostic::error(code, summary, detail, span).with_role(declared, role)
            }
        }
    }

    fn null_but_required(&self, variable: &Variable) -> Diagnostic {
        let name = &variable.name.text;
        let (code, summary) = ("null-variable-value", "Required variable not set");
        let declared = variable.decl.span.clone();
        match self.span() {
            None => {
                let detail = format!(
                    "Unsuitable value for var.{name} {}: required variable may not be set to null.",
                    self.how_set(variable)
                );
                Diagnostic::error(code, summary, detail, declared)
            }
            Some(span) => {
                let why = "required variable may not be set to null";
                let detail = format!("The given value is not suitable for var.{name}: {why}.");
                let role = RelatedRole::Declaration {
                    variable: name.to_string(),
                    why: why.to_owned(),
                };
                Diagnostic::error(code, summary, detail, span).with_role(declared, role)
            }
        }
    }
}
