//! `templatefile` and `templatestring`: templates that are not part of the expression.

use std::collections::BTreeMap;

use config::Product;
use cty::{Type, Value, convert};

use super::file::read_text;
use super::{quoted, text};
use crate::function::{CallContext, CallError, Function, Param};

pub(super) fn functions() -> Vec<Function> {
    vec![
        Function::new("templatefile", templatefile)
            .takes(Param::string("path").or_marked_throughout())
            .takes(Param::any("vars"))
            // Only rendering tells: a template that is one interpolation can have any type.
            .returns(Type::Dynamic),
        Function::new("templatestring", templatestring)
            .takes(Param::string("template").or_marked_throughout())
            .takes(Param::any("vars"))
            .returns(Type::String),
    ]
}

fn templatefile(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    check_depth("templatefile", context)?;
    let (path, marks) = args[0].unmark();
    let path = text(&path);
    let source = read_text(path, &marks, context)?;
    Ok(rendered(&source, Some(path), &args[1], context)?.mark_all(&marks))
}

fn templatestring(args: &[Value], _: &Type, context: &CallContext<'_>) -> Result<Value, CallError> {
    check_depth("templatestring", context)?;
    let (template, mut marks) = args[0].unmark();
    let (variables, variables_marks) = args[1].unmark();
    marks.extend(variables_marks);
    let result = rendered(text(&template), None, &variables, context)?;
    let result = match context.profile.product {
        Product::Terraform => convert(&result, &Type::String)
            .map_err(|error| format!("invalid template result: {error}"))?,
        // As with `templatefile`, a template that is one interpolation can have any type.
        Product::OpenTofu => result,
    };
    Ok(result.mark_all(&marks))
}

/// So many templates are rendered in each other. OpenTofu allows 1,024.
const MAX_DEPTH: usize = 64;

/// In Terraform a template renders no other.
///
/// Source: `templateMaxRecursionDepth` in OpenTofu's `internal/lang/funcs/filesystem.go`.
fn check_depth(function: &str, context: &CallContext<'_>) -> Result<(), CallError> {
    let depth = context.template_depth;
    match context.profile.product {
        Product::Terraform if depth > 0 => Err(format!(
            "cannot recursively call {function} from inside another template function"
        )
        .into()),
        Product::OpenTofu if depth >= MAX_DEPTH => {
            Err(format!("maximum recursion depth {MAX_DEPTH} reached").into())
        }
        _ => Ok(()),
    }
}

fn rendered(
    source: &str,
    file: Option<&str>,
    variables: &Value,
    context: &CallContext<'_>,
) -> Result<Value, CallError> {
    let Some(entries) = variables.as_map() else {
        return Err(CallError::argument(1, "invalid vars value: must be a map"));
    };
    if let Some(name) = entries.keys().find(|name| !is_identifier(name)) {
        return Err(CallError::argument(
            1,
            format!(
                "invalid template variable name {}: must start with a letter, followed by zero or more \
                 letters, digits, and underscores",
                quoted(name)
            ),
        ));
    }
    let variables: BTreeMap<String, Value> = entries
        .iter()
        .map(|(name, value)| (name.to_string(), value.clone()))
        .collect();
    let context = CallContext {
        template_depth: context.template_depth + 1,
        ..*context
    };
    context.templates.render(source, file, &variables, &context)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
}
