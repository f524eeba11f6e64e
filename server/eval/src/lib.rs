//! Expressions to values: scopes, functions and schema-driven decoding.

mod context;
mod decode;
mod diagnose;
mod environment;
mod evaluate;
mod expand;
mod function;
pub mod functions;
mod ignored;
mod limit;
mod problem;
mod provider_functions;
mod roots;
mod rules;
pub mod types;
pub mod variables;
mod wording;

pub use context::{EvalContext, Variables};
pub use decode::{Decoded, content, decode, decode_as, dynamic_content, locate, reject_ephemeral};
pub use diagnose::{evaluate_expr, evaluate_expr_as};
pub use environment::Functions;
pub use evaluate::{Evaluated, evaluate, get_attr, index};
pub use expand::{Expansion, MAX_INSTANCES, Unexpanded, expand};
pub use function::{
    CallContext, CallError, FileKind, Files, Function, Implementation, OutsideWorkspace, Param,
    ReturnType, Templates,
};
pub use ignored::{ignored_in_argument, ignored_in_default};
pub use limit::{EVALUATION_LIMIT, evaluation_limit};
pub use problem::OUTSIDE_WORKSPACE;
pub use provider_functions::{FunctionAnswer, ProviderFunction, ProviderFunctions};
pub use roots::{Roots, count, each};
pub use rules::{
    INVALID_MESSAGE, RuleKind, RuleResult, RuleStatus, evaluate_message, evaluate_rule,
};
