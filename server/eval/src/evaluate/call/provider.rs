//! Calls of functions that providers define.

use cty::{Type, Value};
use schema::FunctionSignature;
use syntax::ast::Call;
use text::{Problem, Severity, TextRange};

use super::{Parameters, arguments, failed};
use crate::EvalContext;
use crate::evaluate::eval;
use crate::problem::Problems;
use crate::provider_functions::{self, FunctionAnswer, ProviderFunction};

impl Parameters for FunctionSignature {
    fn required(&self) -> usize {
        self.parameters.len()
    }

    fn is_variadic(&self) -> bool {
        self.variadic_parameter.is_some()
    }

    fn parameter(&self, index: usize) -> Option<(&str, &Type)> {
        let parameter = provider_functions::parameter(self, index)?;
        Some((&parameter.name, &parameter.ty))
    }

    fn wants_reference(&self, _: usize) -> bool {
        false
    }
}

/// `name` is the part behind `provider::`.
pub(super) fn call(
    call: &Call,
    name: &str,
    range: TextRange,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    let is_opentofu = context.profile().is_opentofu();
    let Some(functions) = context.provider_functions() else {
        return not_called(call, "providers are not asked here", context, problems);
    };
    let (provider, function) = match name.split("::").collect::<Vec<_>>()[..] {
        [provider, function] => (provider, function),
        // The functions of a plugin do not depend on which of its configurations is named.
        [provider, _alias, function] if is_opentofu => (provider, function),
        _ if is_opentofu => {
            let detail = format!(
                "invalid provider function \"{}\": expected provider::<name>::<function> or \
                 provider::<name>::<alias>::<function>",
                call.name
            );
            return unknown(call, "Invalid function format", detail, problems);
        }
        _ => (name.split_once("::").map_or(name, |(first, _)| first), ""),
    };
    let found = match function {
        "" => ProviderFunction::NoSuchProvider,
        function => functions.find(provider, function),
    };
    let signature = match found {
        ProviderFunction::Known(signature) => signature,
        ProviderFunction::NoSuchFunction => {
            if is_opentofu {
                let detail = format!("Function \"{}\" was not registered by provider", call.name);
                let summary = "Function not found in provider";
                problems.error(MISSING_FUNCTION, summary, detail, call.name_range);
                return Value::dynamic();
            }
            let detail = format!(
                "The function \"{function}\" is not available from the provider \"{provider}\"."
            );
            return unknown(call, UNKNOWN, detail, problems);
        }
        ProviderFunction::NoSuchProvider => {
            if is_opentofu {
                let detail = format!(
                    "Provider \"{provider}\" does not exist within the required_providers of this module"
                );
                let summary = "Unknown function provider";
                problems.error(
                    "missing-function-provider",
                    summary,
                    detail,
                    call.name_range,
                );
                return Value::dynamic();
            }
            let function = name.rsplit_once("::").map_or(name, |(_, last)| last);
            let detail = format!(
                "There is no function named \"{}\". Ensure that provider name \"{provider}\" is declared in this \
                 module's required_providers block, and that this provider offers a function named \"{function}\".",
                call.name
            );
            return unknown(call, UNKNOWN, detail, problems);
        }
        ProviderFunction::Needed => return Value::dynamic(),
        ProviderFunction::Unavailable(reason) => {
            return not_called(call, &reason, context, problems);
        }
    };
    let Some(args) = arguments(&*signature, call, range, context, problems) else {
        return Value::dynamic();
    };
    let values: Vec<Value> = args.iter().map(|arg| arg.value.clone()).collect();
    let ask = |arguments: &[Value]| functions.answer(provider, function, arguments);
    match provider_functions::call(&signature, &values, ask) {
        FunctionAnswer::Known(Ok(value)) => value,
        FunctionAnswer::Known(Err(error)) => {
            let parameter = error.argument.and_then(|index| signature.parameter(index));
            let described = match parameter {
                Some((parameter, _)) => (
                    "Invalid function argument",
                    format!(
                        "Invalid value for \"{parameter}\" parameter: {}.",
                        error.message
                    ),
                ),
                None => (
                    "Error in function call",
                    format!(
                        "Call to function \"{}\" failed: {}.",
                        call.name, error.message
                    ),
                ),
            };
            failed(
                call,
                &args,
                error.argument,
                error.code(),
                described,
                range,
                problems,
            )
        }
        FunctionAnswer::Needed => Value::unknown(signature.return_type.clone()),
        FunctionAnswer::Unavailable(reason) => not_called(call, &reason, context, problems),
    }
}

/// OpenTofu looks for the functions of providers before it evaluates the expression around them.
pub(super) const MISSING_FUNCTION: &str = "missing-provider-function";

const UNKNOWN: &str = "Unknown provider function";

fn unknown(call: &Call, summary: &'static str, detail: String, problems: &mut Problems) -> Value {
    problems.error("unknown-function", summary, detail, call.name_range);
    Value::dynamic()
}

/// The result is a labelled placeholder.
fn not_called(
    call: &Call,
    reason: &str,
    context: &EvalContext<'_>,
    problems: &mut Problems,
) -> Value {
    for arg in &call.args {
        eval(arg, context, problems);
    }
    let detail = format!(
        "The result of \"{}\" is not computed, so it is unknown here: {reason}.",
        call.name
    );
    let problem = Problem::error(
        "provider-function",
        "Provider function not called",
        detail,
        call.name_range,
    );
    problems.0.push(Problem {
        severity: Severity::Info,
        ..problem
    });
    Value::dynamic()
}
