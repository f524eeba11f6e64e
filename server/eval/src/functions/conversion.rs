//! Conversion to a type, and functions on marks.

use config::Product;
use config::language_release::feature;
use cty::{Mark, Type, Value, convert, convert_unsafe_exists};

use super::quoted;
use crate::function::{CallContext, CallError, Function, Implementation, Param};

pub(super) fn functions() -> Vec<Function> {
    let verbatim = |name, implementation: Implementation| {
        Function::new(name, implementation).takes(
            Param::any("value")
                .or_unknown()
                .or_null()
                .or_marked()
                .or_dynamic(),
        )
    };
    let to = |name, of| {
        Function::new(name, converted)
            .takes(
                Param::any("v")
                    .or_null()
                    .or_marked_throughout()
                    .or_dynamic(),
            )
            .returns_of(of)
    };
    vec![
        verbatim("ephemeralasnull", ephemeralasnull).returns_of(|args| Ok(args[0].ty().clone())),
        verbatim("issensitive", issensitive).returns(Type::Bool),
        verbatim("nonsensitive", nonsensitive).returns_of(|args| Ok(args[0].ty().clone())),
        verbatim("sensitive", |args, _, _| Ok(args[0].mark(Mark::Sensitive)))
            .returns_of(|args| Ok(args[0].ty().clone())),
        to("tobool", |args| checked(args, Type::Bool)),
        to("tolist", |args| checked(args, Type::list(Type::Dynamic))),
        to("tomap", |args| checked(args, Type::map(Type::Dynamic))),
        to("tonumber", |args| checked(args, Type::Number)),
        to("toset", |args| checked(args, Type::set(Type::Dynamic))),
        to("tostring", |args| checked(args, Type::String)),
    ]
}

/// The wanted type, if some values of the given one can become it.
fn checked(args: &[Value], wanted: Type) -> Result<Type, CallError> {
    let given = args[0].ty();
    match *given == wanted || convert_unsafe_exists(given, &wanted) {
        true => Ok(wanted),
        false => Err(mismatch(given, &wanted)),
    }
}

fn mismatch(given: &Type, wanted: &Type) -> CallError {
    CallError::argument(
        0,
        format!(
            "cannot convert {} to {}",
            given.friendly_name(),
            wanted.friendly_name_for_constraint()
        ),
    )
}

fn converted(args: &[Value], wanted: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    let arg = &args[0];
    convert(arg, wanted).map_err(|_| {
        let given = arg.ty();
        let hidden = |what: &str| {
            let (given, wanted) = (given.friendly_name(), wanted.friendly_name_for_constraint());
            CallError::argument(0, format!("cannot convert this {what} {given} to {wanted}"))
        };
        if arg.contains_mark(&Mark::Ephemeral) {
            return hidden("ephemeral");
        }
        if arg.contains_mark(&Mark::Sensitive) {
            return hidden("sensitive");
        }
        let (plain, _) = arg.unmark();
        let shown = plain.as_str().map_or_else(|| "string".to_owned(), quoted);
        let message = match (given, wanted) {
            (Type::String, Type::Bool) => {
                format!("cannot convert {shown} to bool; only the strings \"true\" or \"false\" are allowed")
            }
            (Type::String, Type::Number) => {
                format!("cannot convert {shown} to number; given string must be a decimal representation of a number")
            }
            _ => return mismatch(given, wanted),
        };
        CallError::argument(0, message)
    })
}

fn nonsensitive(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let is_redundant = args[0].is_known() && !args[0].has_mark(&Mark::Sensitive);
    if is_redundant && !context.profile.has(feature::REDUNDANT_NONSENSITIVE) {
        let why = "the given value is not sensitive, so this call is redundant";
        return Err(CallError::argument(0, why));
    }
    let (value, mut marks) = args[0].unmark();
    marks.remove(&Mark::Sensitive);
    Ok(value.mark_all(&marks))
}

fn issensitive(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    let is_sensitive = args[0].has_mark(&Mark::Sensitive);
    let is_settled = args[0].is_known()
        || match context.profile.product {
            Product::Terraform => is_sensitive,
            // An unknown value's marks may change with the value.
            Product::OpenTofu => !context.profile.has(feature::ISSENSITIVE_OF_UNKNOWN),
        };
    let unknown = Value::unknown(Type::Bool);
    Ok(match (is_settled, context.profile.product) {
        (true, _) => Value::bool(is_sensitive),
        // Terraform does not say that the result is not null.
        (false, Product::Terraform) => unknown,
        (false, Product::OpenTofu) => unknown.refine_not_null(),
    })
}

fn ephemeralasnull(args: &[Value], _: &Type, _: &CallContext<'_>) -> Result<Value, CallError> {
    Ok(cty::transform(&args[0], &mut |_, value| {
        if !value.has_mark(&Mark::Ephemeral) {
            return value;
        }
        let (value, mut marks) = value.unmark();
        marks.remove(&Mark::Ephemeral);
        // An unknown value stays so, as its type may become more precise; its refinements
        // do not hold for the null to come.
        let result = match value.is_known() {
            true => Value::null(value.ty().clone()),
            false => Value::unknown(value.ty().clone()),
        };
        result.mark_all(&marks)
    }))
}
