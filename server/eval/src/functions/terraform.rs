//! The functions of the builtin provider: `encode_tfvars`, `decode_tfvars` and `encode_expr`, as Terraform 1.11 has
//! them. They need the evaluator and the formatter, so they are not the provider's.

use std::fmt::Write;

use config::{addr::quote, is_identifier};
use cty::{Type, Value};
use text::Fault;

use crate::environment::TemplatePlace;
use crate::{CallError, EvalContext, evaluate};

/// Calls a function of `terraform.io/builtin/terraform` with arguments that conform to its signature in the builtin
/// provider's schema. `None`: no function has this name.
pub fn call(name: &str, arguments: &[Value]) -> Option<Result<Value, CallError>> {
    let argument = arguments.first()?;
    Some(match name {
        "encode_expr" => Ok(encode_expr(argument)),
        "encode_tfvars" => encode_tfvars(argument),
        "decode_tfvars" => decode_tfvars(argument.as_str()?),
        _ => return None,
    })
}

/// Of a value that isn't wholly known, the first character may be known all the same.
fn encode_expr(value: &Value) -> Value {
    if value.is_wholly_known() {
        return Value::string(formatted("x", value).trim_start_matches("x = ").trim_end());
    }
    let prefix = match value.ty() {
        _ if value.range().could_be_null() => "",
        Type::Object(_) | Type::Map(_) => "{",
        Type::Tuple(_) | Type::List(_) | Type::Set(_) => "[",
        Type::String => "\"",
        _ => "",
    };
    let text = Value::unknown(Type::String);
    text.refine().not_null().string_prefix_full(prefix).build()
}

fn encode_tfvars(value: &Value) -> Result<Value, CallError> {
    if !value.is_wholly_known() {
        return Ok(Value::unknown(Type::String).refine_not_null());
    }
    let Some(variables) = value.as_map() else {
        return Err(CallError::call(
            "invalid value to encode: must be an object whose attribute names will become the encoded variable names",
        ));
    };
    let mut text = String::new();
    for (name, value) in variables {
        if !is_identifier(name) {
            return Err(CallError::call(format!(
                "invalid variable name {}: must be a valid identifier, per Terraform's rules for input variable declarations",
                cty::quote(name)
            )));
        }
        let _ = writeln!(text, "{name} = {}", Expression(value));
    }
    Ok(Value::string(syntax::format(&text).unwrap_or(text)))
}

fn decode_tfvars(source: &str) -> Result<Value, CallError> {
    let file = syntax::parse(source);
    let place = |range| TemplatePlace {
        file: "<decode_tfvars argument>",
        source,
        range,
    };
    let refused = |what: &str, summary: &str, detail: &str, others: usize, range| {
        let others = match others {
            0 => String::new(),
            others => format!(", and {others} other diagnostic(s)"),
        };
        let at = place(range);
        Err(CallError::call(format!(
            "invalid {what}: {at}: {summary}; {detail}{others}"
        )))
    };
    let absolute = |segment, range| {
        let start = file.offset_of(segment).unwrap_or_default();
        range + start
    };
    let mut errors = file.errors();
    if let Some((segment, error)) = errors.next() {
        let range = absolute(segment, error.at);
        // Our parser doesn't say where the first one is.
        let name = &source[std::ops::Range::<usize>::from(range)];
        let mut first = file
            .body()
            .attributes()
            .filter(|(_, a)| a.name.name == name);
        let detail = match first.next() {
            Some((segment, attribute)) if error.fault == Fault::ArgumentRedefined => {
                let first = place(absolute(segment, attribute.name.range));
                format!(
                    "The argument {name:?} was already set at {first}. Each argument may be set only once."
                )
            }
            _ => error.detail.clone(),
        };
        let others = errors.count();
        return refused("tfvars syntax", &error.summary, &detail, others, range);
    }
    let mut blocks = file.body().blocks();
    if let Some((segment, block)) = blocks.next() {
        let summary = format!("Unexpected \"{}\" block", block.kind.name);
        let range = absolute(segment, block.kind.range);
        return refused(
            "tfvars content",
            &summary,
            "Blocks are not allowed here.",
            blocks.count(),
            range,
        );
    }
    let mut variables = Vec::new();
    for (segment, attribute) in file.body().attributes() {
        let evaluated = evaluate(&attribute.expr, &EvalContext::empty());
        let mut errors = evaluated
            .problems
            .iter()
            .filter(|problem| problem.is_error());
        if let Some(error) = errors.next() {
            let what = format!("expression for variable \"{}\"", attribute.name.name);
            let range = absolute(segment, error.at);
            return refused(&what, &error.summary, &error.detail, errors.count(), range);
        }
        variables.push((attribute.name.name.clone(), evaluated.value));
    }
    Ok(Value::object(variables))
}

/// `name = value` in the canonical layout.
fn formatted(name: &str, value: &Value) -> String {
    let text = format!("{name} = {}\n", Expression(value));
    syntax::format(&text).unwrap_or(text)
}

/// A wholly known value as an expression that has it.
struct Expression<'a>(&'a Value);

impl std::fmt::Display for Expression<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let value = self.0;
        if value.is_null() {
            return f.write_str("null");
        }
        match value.ty() {
            Type::String => f.write_str(&quote(value.as_str().unwrap_or_default())),
            Type::Object(_) | Type::Map(_) => {
                let mut entries = value.as_map().into_iter().flatten().peekable();
                if entries.peek().is_none() {
                    return f.write_str("{}");
                }
                f.write_str("{\n")?;
                for (name, value) in entries {
                    match is_identifier(name) {
                        true => write!(f, "{name}")?,
                        false => f.write_str(&quote(name))?,
                    }
                    writeln!(f, " = {}", Expression(value))?;
                }
                f.write_str("}")
            }
            Type::Tuple(_) | Type::List(_) | Type::Set(_) => {
                f.write_str("[")?;
                for (index, (_, element)) in value.elements().enumerate() {
                    let separator = if index == 0 { "" } else { ", " };
                    write!(f, "{separator}{}", Expression(element))?;
                }
                f.write_str("]")
            }
            _ => match (value.as_bool(), value.as_number()) {
                (Some(bool), _) => write!(f, "{bool}"),
                (None, Some(number)) => write!(f, "{number}"),
                (None, None) => f.write_str("null"),
            },
        }
    }
}
