//! Functions that providers define, called as `provider::NAME::FUNCTION`: the interface for expressions.
//!
//! Nobody is asked while an expression is evaluated. Where an answer is not known yet, the call is noted as needed and
//! has an unknown value for now; whoever evaluates asks the provider, and evaluates again.

use std::sync::Arc;

use cty::{Marks, Value};
use schema::{FunctionParameter, FunctionSignature};

use crate::CallError;

/// The functions of the providers of one module, by the names that the module has for these.
pub trait ProviderFunctions: Send + Sync {
    fn find(&self, provider: &str, function: &str) -> ProviderFunction;

    /// The answer to a call whose arguments conform to the function's parameters and carry no marks.
    fn answer(&self, provider: &str, function: &str, arguments: &[Value]) -> FunctionAnswer;
}

/// The meaning of a name.
#[derive(Debug, Clone)]
pub enum ProviderFunction {
    Known(Arc<FunctionSignature>),
    /// The module requires no provider of that name.
    NoSuchProvider,
    NoSuchFunction,
    /// The functions of the provider are not known yet: noted as needed.
    Needed,
    /// The provider can't be asked, and why.
    Unavailable(String),
}

#[derive(Debug, Clone)]
pub enum FunctionAnswer {
    Known(Result<Value, CallError>),
    /// Noted as needed.
    Needed,
    /// The provider can't be asked, and why.
    Unavailable(String),
}

/// Calls a function by the rules of go-cty and of Terraform: null and unknown arguments where a parameter doesn't
/// allow them are answered here, and the marks of all arguments go to the result.
pub(crate) fn call(
    signature: &FunctionSignature,
    arguments: &[Value],
    ask: impl FnOnce(&[Value]) -> FunctionAnswer,
) -> FunctionAnswer {
    let mut marks = Marks::default();
    let mut has_unknown = false;
    let mut plain = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.iter().enumerate() {
        let (argument, own) = argument.unmark_deep();
        marks.extend(own);
        if let Some(parameter) = parameter(signature, index) {
            if argument.is_null() && !parameter.allow_null_value {
                return FunctionAnswer::Known(Err(CallError::argument(
                    index,
                    "argument must not be null",
                )));
            }
            // Providers get no unknown value, not even inside of another, where they haven't asked for it.
            has_unknown |= !argument.is_wholly_known() && !parameter.allow_unknown_values;
        }
        plain.push(argument);
    }
    let answer = match has_unknown {
        true => FunctionAnswer::Known(Ok(Value::unknown(signature.return_type.clone()))),
        false => ask(&plain),
    };
    match answer {
        FunctionAnswer::Known(Ok(value)) => FunctionAnswer::Known(Ok(value.mark_all(&marks))),
        FunctionAnswer::Known(Err(error)) => FunctionAnswer::Known(Err(error.hidden(&marks))),
        other => other,
    }
}

/// The parameter that takes the argument at `index`.
pub(crate) fn parameter(signature: &FunctionSignature, index: usize) -> Option<&FunctionParameter> {
    signature
        .parameters
        .get(index)
        .or(signature.variadic_parameter.as_ref())
}
