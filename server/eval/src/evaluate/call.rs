//! Function calls. `try` and `can` are here, because their arguments are not evaluated before the call.

mod provider;

use config::language_release::feature;
use cty::{Type, Value, convert};
use syntax::ast::{Call, Expr};
use text::{Fault, Problem, Suggestion, TextRange};

use super::{eval, template_argument};
use crate::function::Function;
use crate::problem::{OUTSIDE_WORKSPACE, Problems, needs_trust};
use crate::types::type_constraint;
use crate::wording::{did_you_mean, why, wrong_type};
use crate::{EvalContext, Functions, functions};

#[inline(never)]
pub(super) fn call(
    call: &Call,
    range: TextRange,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let Some(functions) = context.functions() else {
        let detail = "Functions may not be called here.";
        problems.error(
            "functions-not-allowed",
            "Function calls not allowed",
            detail,
            range,
        );
        return Value::dynamic();
    };
    match call.name.strip_prefix("core::").unwrap_or(&call.name) {
        "try" => return try_first(call, context, problems),
        "can" => return can(call, range, context, problems),
        "convert" if functions.profile.has(feature::CONVERT) => {
            return convert_to_type(call, range, context, problems);
        }
        _ => {}
    }
    let Some(function) = functions.get(&call.name) else {
        if let Some(name) = call.name.strip_prefix("provider::") {
            return provider::call(call, name, range, context, problems);
        }
        unknown_function(call, functions, problems);
        return Value::dynamic();
    };
    let callee = Callee {
        function,
        is_opentofu: functions.profile.is_opentofu(),
    };
    let Some(args) = arguments(&callee, call, range, context, problems) else {
        return Value::dynamic();
    };
    let values: Vec<Value> = args.iter().map(|arg| arg.value.clone()).collect();
    functions
        .call(function, &values, context)
        .unwrap_or_else(|error| {
            let described = error.describe(function);
            let (code, argument) = (error.code(), error.argument);
            failed(call, &args, argument, code, described, range, problems)
        })
}

/// The parameters that the arguments of a call are checked against.
trait Parameters {
    fn required(&self) -> usize;
    fn is_variadic(&self) -> bool;
    /// The name and type of the parameter that takes the argument at `index`.
    fn parameter(&self, index: usize) -> Option<(&str, &Type)>;
    /// Whether the argument at `index` has to be a reference.
    fn wants_reference(&self, index: usize) -> bool;
}

/// A function of the language.
struct Callee<'a> {
    function: &'a Function,
    is_opentofu: bool,
}

impl Parameters for Callee<'_> {
    fn required(&self) -> usize {
        self.function.params.len()
    }

    fn is_variadic(&self) -> bool {
        self.function.variadic.is_some()
    }

    fn parameter(&self, index: usize) -> Option<(&str, &Type)> {
        let param = self.function.param(index)?;
        Some((param.name, &param.ty))
    }

    fn wants_reference(&self, index: usize) -> bool {
        index == 0 && self.function.name == "templatestring" && !self.is_opentofu
    }
}

/// The arguments, as many as are needed, of the parameters' types. `None`: nothing can be called with them (yet).
fn arguments(
    parameters: &impl Parameters,
    call: &Call,
    range: TextRange,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<Argument>> {
    let point = problems.here();
    let expanded = expanded(call, context, problems)?;
    if !check_count(parameters, call, &expanded, range, problems) {
        return None;
    }
    let plain = plain_args(call)
        .iter()
        .enumerate()
        .map(|(i, arg)| Argument {
            value: match parameters.wants_reference(i) {
                true => template_argument::reference(arg, context, problems),
                false => eval(arg, context, problems),
            },
            range: arg.range,
        });
    let plain: Vec<Argument> = plain.collect();
    let args: Vec<Argument> = plain
        .into_iter()
        .chain(expanded)
        .enumerate()
        .map(|(i, arg)| Argument {
            value: convert_argument(parameters, i, &arg, problems),
            ..arg
        })
        .collect();
    (!problems.has_errors_since(point)).then_some(args)
}

/// A call has no result.
fn failed(
    call: &Call,
    args: &[Argument],
    argument: Option<usize>,
    code: &'static str,
    (summary, detail): (&'static str, String),
    range: TextRange,
    problems: &mut Problems,
) -> Value {
    let range = match argument {
        Some(i) => args.get(i).map_or(range, |arg| arg.range),
        None => call.name_range.cover(call.open_paren),
    };
    let fault = match argument {
        Some(_) if code != OUTSIDE_WORKSPACE => Fault::FunctionArgument,
        _ => Fault::Other,
    };
    problems.push(Problem::error(code, summary, detail, range).with_fault(fault));
    Value::dynamic()
}

/// An argument and where it comes from.
struct Argument {
    value: Value,
    range: TextRange,
}

/// The arguments that stand before one with `...`.
fn plain_args(call: &Call) -> &[Expr] {
    match call.args.split_last() {
        Some((_, plain)) if call.expand_final => plain,
        _ => &call.args,
    }
}

/// The arguments that one with `...` stands for. `None`: nothing can be called with them (yet).
fn expanded(
    call: &Call,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<Argument>> {
    let Some(last) = call.args.last().filter(|_| call.expand_final) else {
        return Some(Vec::new());
    };
    let point = problems.here();
    let value = eval(last, context, problems);
    match problems.has_errors_since(point) {
        true => None,
        false => expand(
            Argument {
                value,
                range: last.range,
            },
            problems,
        ),
    }
}

fn expand(last: Argument, problems: &mut Problems) -> Option<Vec<Argument>> {
    let mut invalid = |detail: &str| {
        problems.error(
            "invalid-expansion",
            "Invalid expanding argument value",
            detail,
            last.range,
        );
        None
    };
    let ty = last.value.ty();
    if !matches!(
        ty,
        Type::Dynamic | Type::Tuple(_) | Type::List(_) | Type::Set(_)
    ) {
        return invalid(
            "The expanding argument (indicated by ...) must be of a tuple, list, or set type.",
        );
    }
    if last.value.is_null() {
        return invalid("The expanding argument (indicated by ...) must not be null.");
    }
    if !last.value.is_known() {
        return None;
    }
    let (elements, marks) = last.value.unmark();
    let argument = |(_, element): (Value, &Value)| Argument {
        value: element.mark_all(&marks),
        range: last.range,
    };
    Some(elements.elements().map(argument).collect())
}

fn check_count(
    parameters: &impl Parameters,
    call: &Call,
    expanded: &[Argument],
    range: TextRange,
    problems: &mut Problems,
) -> bool {
    let required = parameters.required();
    let plain = plain_args(call);
    let given = plain.len() + expanded.len();
    if given < required {
        let missing = parameters.parameter(given).map_or("", |(name, _)| name);
        let is_variadic = parameters.is_variadic();
        not_enough(call, required, missing, is_variadic, range, problems);
        return false;
    }
    if !parameters.is_variadic() && given > required {
        let extra = plain.get(required).map(|arg| arg.range);
        let extra = extra
            .or(expanded.first().map(|arg| arg.range))
            .unwrap_or(range);
        let detail = format!(
            "Function \"{}\" expects only {required} argument(s).",
            call.name
        );
        problems.error(
            "too-many-arguments",
            "Too many function arguments",
            detail,
            extra,
        );
        return false;
    }
    true
}

fn not_enough(
    call: &Call,
    required: usize,
    missing: &str,
    is_variadic: bool,
    range: TextRange,
    problems: &mut Problems,
) {
    let at_least = if is_variadic { " at least" } else { "" };
    let detail = format!(
        "Function \"{}\" expects{at_least} {required} argument(s). Missing value for \"{missing}\".",
        call.name
    );
    let range = call.close_paren.unwrap_or(range);
    problems.error(
        "not-enough-arguments",
        "Not enough function arguments",
        detail,
        range,
    );
}

fn convert_argument(
    parameters: &impl Parameters,
    i: usize,
    arg: &Argument,
    problems: &mut Problems,
) -> Value {
    let Some((name, ty)) = parameters.parameter(i) else {
        return arg.value.clone();
    };
    if arg.value.ty() == ty || ty.is_dynamic() {
        return arg.value.clone();
    }
    convert(&arg.value, ty).unwrap_or_else(|error| {
        let detail = format!("Invalid value for \"{name}\" parameter: {}.", why(&error));
        let invalid = Problem::error(
            "invalid-argument",
            "Invalid function argument",
            detail,
            arg.range,
        );
        problems.push(invalid.with_fault(wrong_type(&arg.value, ty)));
        Value::dynamic()
    })
}

fn unknown_function(call: &Call, functions: &Functions, problems: &mut Problems) {
    let is_opentofu = functions.profile.is_opentofu();
    let meant = match call.name.rsplit_once("::") {
        None => did_you_mean(&call.name, functions.names()),
        Some(("core", name)) => did_you_mean(name, functions.names()),
        Some(_) => Suggestion(None),
    };
    let (summary, detail) = match call.name.rsplit_once("::") {
        Some(("core", name)) if is_opentofu => (
            "Call to unknown function",
            format!("There is no builtin (core::) function named \"{name}\".{meant}"),
        ),
        Some(("core", name)) => (
            "Unknown provider function",
            format!("There is no function named \"{name}\" in namespace core::.{meant}"),
        ),
        Some(_) if is_opentofu => (
            "Unknown function namespace",
            format!(
                "Function \"{}\" does not exist within a valid namespace (provider,core)",
                call.name
            ),
        ),
        Some((namespace, _)) => (
            "Unknown provider function",
            format!(
                "The function namespace \"{namespace}\" is not valid. Provider function calls must use the \"provider::\" \
                 namespace prefix."
            ),
        ),
        None => (
            "Call to unknown function",
            format!("There is no function named \"{}\".{meant}", call.name),
        ),
    };
    let missing = functions::since(&call.name);
    let missing = missing.and_then(|since| since.missing_in(functions.profile));
    let (summary, detail, meant) = match missing {
        Some(why) => {
            let detail = format!("The function \"{}\" {why}.", call.name);
            ("Call to unknown function", detail, Suggestion(None))
        }
        None => (summary, detail, meant),
    };
    let unknown = Problem::error("unknown-function", summary, detail, call.name_range);
    problems.push(unknown.with_fault(meant));
}

/// `convert(value, type)`: the second argument is a type constraint, as in HCL's `typeexpr.ConvertFunc`.
fn convert_to_type(
    call: &Call,
    range: TextRange,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let [value, ty] = call.args.as_slice() else {
        match call.args.get(2) {
            Some(extra) => {
                let detail = "Function \"convert\" expects only 2 argument(s).";
                let summary = "Too many function arguments";
                problems.error("too-many-arguments", summary, detail, extra.range);
            }
            None => {
                let missing = ["value", "type"][call.args.len().min(1)];
                not_enough(call, 2, missing, false, range, problems);
            }
        }
        return Value::dynamic();
    };
    let point = problems.here();
    let given = eval(value, context, problems);
    let (constraint, wrong) = type_constraint(ty);
    problems.0.extend(wrong);
    if problems.has_errors_since(point) {
        return Value::dynamic();
    }
    constraint.conform(&given).unwrap_or_else(|error| {
        let detail = format!("Invalid value for \"value\" parameter: {}.", why(&error));
        let summary = "Invalid function argument";
        let invalid = Problem::error("invalid-argument", summary, detail, value.range);
        problems.push(invalid.with_fault(wrong_type(&given, &constraint.ty)));
        Value::dynamic()
    })
}

/// The first argument that has a value. While that is not wholly known, neither is which argument it will be.
fn try_first(call: &Call, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    let failed = |why: &str, problems: &mut Problems| {
        let detail = format!("Call to function \"{}\" failed: {why}.", call.name);
        let range = call.name_range.cover(call.open_paren);
        problems.error("function-call", "Error in function call", detail, range);
        Value::dynamic()
    };
    let Some(attempts) = attempts(call, context, problems) else {
        return Value::dynamic();
    };
    if attempts.is_empty() {
        return failed("at least one argument is required", problems);
    }
    let mut why = String::from("no expression succeeded:\n");
    for attempt in attempts {
        let mut attempted = Problems::default();
        let value = attempt.evaluate(context, &mut attempted);
        if !attempted.has_errors_since(0) {
            return match value.is_wholly_known() {
                true => value,
                false => Value::dynamic(),
            };
        }
        if take_refusals(&attempted, problems) {
            return Value::dynamic();
        }
        for problem in attempted.0 {
            why.push_str(&format!("- {}\n  {}\n", problem.summary, problem.detail));
        }
    }
    why.push_str("\nAt least one expression must produce a successful result");
    failed(&why, problems)
}

/// Whether the argument has a value.
fn can(call: &Call, range: TextRange, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
    let Some(attempts) = attempts(call, context, problems) else {
        return Value::dynamic();
    };
    let attempt = match attempts.as_slice() {
        [attempt] => attempt,
        [] => {
            not_enough(call, 1, "expression", false, range, problems);
            return Value::dynamic();
        }
        [_, extra, ..] => {
            let detail = format!("Function \"{}\" expects only 1 argument(s).", call.name);
            problems.error(
                "too-many-arguments",
                "Too many function arguments",
                detail,
                extra.range(),
            );
            return Value::dynamic();
        }
    };
    let mut attempted = Problems::default();
    let value = attempt.evaluate(context, &mut attempted);
    if take_refusals(&attempted, problems) {
        return Value::unknown(Type::Bool);
    }
    match (attempted.has_errors_since(0), value.is_wholly_known()) {
        (true, _) => Value::bool(false),
        (false, true) => Value::bool(true),
        (false, false) => Value::unknown(Type::Bool),
    }
}

/// Whether the result of an attempt is unknown because the workspace is not trusted, or a function of a provider is missing,
/// which OpenTofu finds before it evaluates. That is then reported of the whole call.
fn take_refusals(attempted: &Problems, problems: &mut Problems) -> bool {
    let is_refusal = |it: &&Problem| needs_trust(it) || it.code == provider::MISSING_FUNCTION;
    let refusals = attempted.0.iter().filter(is_refusal);
    let point = problems.here();
    problems.0.extend(refusals.cloned());
    problems.has_errors_since(point)
}

/// An argument that is evaluated by the function, if it comes to that.
enum Attempt<'a> {
    Expr(&'a Expr),
    Value(Argument),
}

impl Attempt<'_> {
    fn evaluate(&self, context: &EvalContext<'_>, problems: &mut Problems) -> Value {
        match self {
            Attempt::Expr(expr) => eval(expr, context, problems),
            Attempt::Value(argument) => argument.value.clone(),
        }
    }

    fn range(&self) -> TextRange {
        match self {
            Attempt::Expr(expr) => expr.range,
            Attempt::Value(argument) => argument.range,
        }
    }
}

fn attempts<'a>(
    call: &'a Call,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Option<Vec<Attempt<'a>>> {
    let expanded = expanded(call, context, problems)?;
    let plain = plain_args(call).iter().map(Attempt::Expr);
    Some(
        plain
            .chain(expanded.into_iter().map(Attempt::Value))
            .collect(),
    )
}
