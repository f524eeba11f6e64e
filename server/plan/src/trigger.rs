//! `replace_triggered_by` and `-replace`: whether a change elsewhere, or the user, replaces an instance.

use config::{
    AbsResourceAddr, InstanceKey, Origin, ResourceAddr, ResourceInstanceAddr, ResourceMode,
};
use cty::{Number, Path, PathStep, Type, Value};
use eval::EvalContext;
use syntax::ast::{self, Expr, ExprKind, Key, StepKind};
use text::Diagnostic;

use crate::Action;
use crate::result::ResourceResult;

/// The code of a trigger by an object without a change.
pub(crate) const WITHOUT_CHANGE: &str = "trigger-without-change";

/// Whether the object that `expr` names is going to change. `context` is the instance's, since a key may be `count.index` or
/// `each.key`. Deleting the other object is no trigger; creating it is, where `by_creation` says so. An object without any
/// change, as of a resource without instances, is an error, and so is any other key. So is an object that is not declared, which is
/// reported with all other references. The resource itself, `own`, has no change yet.
pub(crate) fn is_triggered<'a>(
    expr: &config::Expr,
    own: &AbsResourceAddr,
    context: &EvalContext<'_>,
    by_creation: bool,
    planned: &dyn Fn(&ResourceAddr) -> Option<&'a ResourceResult>,
) -> Result<bool, Option<Box<Diagnostic>>> {
    let Some(target) = target(expr, context)? else {
        return Ok(false);
    };
    let without_change = |detail: &str| {
        let key = target.key.as_ref().map(ToString::to_string);
        let named = format!("{}{}", target.addr, key.unwrap_or_default());
        let module = match own.module.is_root() {
            true => "the root module".to_owned(),
            false => own.module.to_string(),
        };
        let summary = format!("no change found for {named} in {module}");
        let error = Diagnostic::error(WITHOUT_CHANGE, summary, detail, expr.span());
        Err(Some(Box::new(error)))
    };
    if target.addr == own.resource {
        return without_change("A resource does not trigger its own replacement.");
    }
    let declared = planned(&target.addr).filter(|it| it.config.is_some());
    let Some(result) = declared else {
        return Err(None);
    };
    let is_meant = |key: &InstanceKey| target.key.as_ref().is_none_or(|it| it == key);
    let is_planned = result.caveat.is_none() && result.diagnostics.is_empty();
    if is_planned && !result.changes().any(|change| is_meant(&change.addr.key)) {
        return without_change(
            "A resource without instances, or an instance that does not exist, triggers no replacement.",
        );
    }
    Ok(result
        .changes()
        .filter(|change| change.deposed.is_none())
        .filter(|change| {
            target
                .key
                .as_ref()
                .is_none_or(|key| change.addr.key == *key)
        })
        .filter(|change| {
            let action = change.action;
            action == Action::Update
                || action.is_replace()
                || by_creation && action == Action::Create
        })
        .any(|change| {
            let before = target.path.apply(&change.before);
            let after = target.path.apply(&change.after);
            match (before, after) {
                _ if target.path.is_empty() => true,
                (Ok(before), Ok(after)) => {
                    !before.unmark_deep().0.raw_equals(&after.unmark_deep().0)
                }
                (Err(_), Err(_)) => false,
                (Ok(_), Err(_)) | (Err(_), Ok(_)) => true,
            }
        }))
}

/// The requests of `-replace` for a resource with instance keys that name none. Whatever module a request names, resources of its
/// type and name are meant.
///
/// Follows `expandResourceInstances` of OpenTofu's `internal/tofu/node_resource_plan.go`.
pub(crate) fn unmatched_requests(
    resource: &AbsResourceAddr,
    keys: &[(InstanceKey, Option<Value>)],
    requested: &[ResourceInstanceAddr],
) -> Vec<Diagnostic> {
    let has_none = |key: &InstanceKey| *key == InstanceKey::None;
    if keys.iter().any(|(key, _)| has_none(key)) {
        return Vec::new();
    }
    let instead: String = keys
        .iter()
        .map(|(key, _)| {
            format!(
                "\n  -replace={:?}",
                resource.instance(key.clone()).to_string()
            )
        })
        .collect();
    let advice = match keys.len() {
        0 => "because this resource doesn't have any instances.".to_owned(),
        1 => format!(
            "because it lacks an instance key.\n\nTo force replacement of the single declared instance, use the following option instead:{instead}"
        ),
        _ => format!(
            "because it lacks an instance key.\n\nTo force replacement of particular instances, use one or more of the following options instead:{instead}"
        ),
    };
    let meant = requested
        .iter()
        .filter(|addr| has_none(&addr.key) && addr.resource == resource.resource);
    meant
        .map(|addr| {
            Diagnostic::warning(
                "replace-without-key",
                "Incompletely-matched force-replace resource instance",
                format!(
                    "Your force-replace request for {addr} doesn't match any resource instances {advice}"
                ),
                None,
            )
        })
        .collect()
}

/// A resource, one of its instances, or something in it.
struct TriggerTarget {
    addr: ResourceAddr,
    key: Option<InstanceKey>,
    path: Path,
}

/// An error is `None` where the check of references reports it.
fn target(
    expr: &config::Expr,
    context: &EvalContext<'_>,
) -> Result<Option<TriggerTarget>, Option<Box<Diagnostic>>> {
    let mut path = Vec::new();
    add_steps(&expr.ast, &expr.origin, context, &mut path)?;
    let mut steps = path.into_iter().peekable();
    let mode = match steps.peek() {
        Some(PathStep::GetAttr(root)) if root == "data" => ResourceMode::Data,
        Some(PathStep::GetAttr(root)) if root == "ephemeral" => ResourceMode::Ephemeral,
        Some(PathStep::GetAttr(root)) if root == "action" => ResourceMode::Action,
        _ => ResourceMode::Managed,
    };
    let is_prefix = |step: &PathStep| matches!(step, PathStep::GetAttr(root) if root == "resource");
    if mode != ResourceMode::Managed || steps.peek().is_some_and(is_prefix) {
        steps.next();
    }
    let (Some(PathStep::GetAttr(r#type)), Some(PathStep::GetAttr(name))) =
        (steps.next(), steps.next())
    else {
        return Ok(None);
    };
    let key = match steps.peek() {
        Some(PathStep::Index(key)) => match instance_key(key) {
            Some(key) => Some(key),
            None => return Ok(None),
        },
        _ => None,
    };
    if key.is_some() {
        steps.next();
    }
    Ok(Some(TriggerTarget {
        addr: ResourceAddr::new(mode, r#type, name),
        key,
        path: Path(steps.collect()),
    }))
}

/// The key of the instance that a reference names.
pub(crate) fn key(
    expr: &config::Expr,
    context: &EvalContext<'_>,
) -> Result<InstanceKey, Option<Box<Diagnostic>>> {
    let target = target(expr, context)?;
    Ok(target.and_then(|it| it.key).unwrap_or(InstanceKey::None))
}

fn instance_key(key: &Value) -> Option<InstanceKey> {
    match key.as_str() {
        Some(key) => Some(InstanceKey::String(key.into())),
        None => Some(InstanceKey::Int(u64::try_from(key.as_i64()?).ok()?)),
    }
}

/// Adds the steps of a reference. A key is constant, `count.index` or `each.key`; anything else, as a splat, is an error.
///
/// Follows `parseIndexKeyExpr` of OpenTofu's `internal/lang`.
fn add_steps(
    expr: &Expr,
    origin: &Origin,
    context: &EvalContext<'_>,
    path: &mut Vec<PathStep>,
) -> Result<(), Option<Box<Diagnostic>>> {
    let invalid = |key: &Expr, summary: &'static str, detail: &str| {
        let at = origin.span(key.range);
        Some(Box::new(Diagnostic::error(
            "invalid-trigger",
            summary,
            detail,
            at,
        )))
    };
    match &expr.kind {
        ExprKind::Traversal(traversal) => path.extend(path_of(traversal).0),
        ExprKind::RelativeTraversal { source, steps } => {
            add_steps(source, origin, context, path)?;
            path.extend(steps.iter().map(step));
        }
        ExprKind::Index { collection, key } => {
            add_steps(collection, origin, context, path)?;
            let ExprKind::Traversal(traversal) = &key.kind else {
                return Err(invalid(key, "Invalid expression", config::NOT_STATIC));
            };
            let names = path_of(traversal).0;
            let is_key = |root: &str, name: &str| matches!(&names[..], [PathStep::GetAttr(first), PathStep::GetAttr(second)] if first == root && second == name);
            if !is_key("count", "index") && !is_key("each", "key") {
                let detail = "Only constant values, count.index or each.key are allowed in index expressions.";
                return Err(invalid(key, "Invalid index expression", detail));
            }
            let evaluated = eval::evaluate(key, context);
            if evaluated.has_errors() {
                return Err(None);
            }
            path.push(PathStep::Index(evaluated.value.unmark().0));
        }
        _ => {
            let summary = "Invalid replace_triggered_by expression";
            let detail = "Unexpected expression found in replace_triggered_by.";
            return Err(invalid(expr, summary, detail));
        }
    }
    Ok(())
}

/// A static traversal as a path from the object that holds its root.
pub(crate) fn path_of(traversal: &ast::Traversal) -> Path {
    let root = PathStep::GetAttr(traversal.root.name.clone());
    Path(
        std::iter::once(root)
            .chain(traversal.steps.iter().map(step))
            .collect(),
    )
}

pub(crate) fn step(step: &ast::Step) -> PathStep {
    let number =
        |text: &str| Number::parse(text).map_or_else(|| Value::null(Type::Number), Value::number);
    match &step.kind {
        StepKind::Attr(name) => PathStep::GetAttr(name.name.clone()),
        StepKind::Index(Key::String(key)) => PathStep::Index(Value::string(key)),
        StepKind::Index(Key::Number(text)) | StepKind::LegacyIndex(text) => {
            PathStep::Index(number(text))
        }
        StepKind::Index(Key::Bool(value)) => PathStep::Index(Value::bool(*value)),
        StepKind::Index(Key::Null) => PathStep::Index(Value::null(Type::Dynamic)),
    }
}
