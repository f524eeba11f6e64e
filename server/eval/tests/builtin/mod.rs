//! The functions of the builtin provider, in a module that requires it as `terraform`.

use std::sync::Arc;

use cty::{Type, Value};
use eval::{FunctionAnswer, ProviderFunction, ProviderFunctions, functions};
use schema::{DescriptionKind, FunctionParameter, FunctionSignature};

pub struct Builtin;

impl ProviderFunctions for Builtin {
    fn find(&self, provider: &str, function: &str) -> ProviderFunction {
        let (parameter, from, to) = match (provider, function) {
            ("terraform", "decode_tfvars") => ("src", Type::String, Type::Dynamic),
            ("terraform", "encode_tfvars" | "encode_expr") => {
                ("value", Type::Dynamic, Type::String)
            }
            ("terraform", _) => return ProviderFunction::NoSuchFunction,
            _ => return ProviderFunction::NoSuchProvider,
        };
        let parameter = FunctionParameter {
            name: parameter.into(),
            ty: from,
            allow_null_value: false,
            allow_unknown_values: function != "decode_tfvars",
            description: "".into(),
            description_kind: DescriptionKind::Plain,
        };
        ProviderFunction::Known(Arc::new(FunctionSignature {
            parameters: vec![parameter],
            variadic_parameter: None,
            return_type: to,
            summary: "".into(),
            description: "".into(),
            description_kind: DescriptionKind::Plain,
            deprecation_message: "".into(),
        }))
    }

    fn answer(&self, _: &str, function: &str, arguments: &[Value]) -> FunctionAnswer {
        FunctionAnswer::Known(functions::terraform::call(function, arguments).unwrap())
    }
}
