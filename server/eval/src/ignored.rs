//! Attributes of objects that a type constraint drops.
//!
//! Follows OpenTofu's `internal/lang/lint/object_extra_attrs.go`.

use config::{Expr, Variable};
use cty::{Type, Value, convert};
use smol_str::SmolStr;
use syntax::ast::{self, ExprKind, ObjectKey};
use text::{Diagnostic, TextRange};

use crate::context::EvalContext;
use crate::evaluate::evaluate;
use crate::variables::constraint;
use crate::wording::did_you_mean;

/// An attribute that the type of its object does not have.
struct Ignored<'a> {
    /// Of the object in the whole value: `.rules[0]`.
    path: String,
    name: SmolStr,
    range: TextRange,
    known: Vec<&'a str>,
}

/// Warnings about the attributes of a variable's default that its type drops.
pub fn ignored_in_default(variable: &Variable) -> Vec<Diagnostic> {
    let Some(default) = &variable.default else {
        return Vec::new();
    };
    warnings(variable, default, |path| match path {
        "" => "The object type for this variable".to_owned(),
        path => format!("The object type for {path}"),
    })
}

/// Warnings about the attributes of an argument of a module call that the variable's type drops.
pub fn ignored_in_argument(variable: &Variable, argument: &Expr) -> Vec<Diagnostic> {
    let name = &variable.name.text;
    warnings(variable, argument, |path| match path {
        "" => format!("The object type for input variable {name:?}"),
        path => format!("The object type for input variable {name:?} nested value {path}"),
    })
}

fn warnings(variable: &Variable, expr: &Expr, which: impl Fn(&str) -> String) -> Vec<Diagnostic> {
    let ty = constraint(variable).0.ty;
    let mut ignored = Vec::new();
    find(&expr.ast, &ty, "", &mut ignored);
    let each = ignored.into_iter().map(|it| {
        let hint = did_you_mean(&it.name, it.known.iter().copied()).0;
        let hint = hint.map_or_else(String::new, |similar| {
            format!(" Did you mean to set attribute {similar:?} instead?")
        });
        let detail = format!(
            "{} does not include an attribute named {:?}, so this definition is unused.{hint}",
            which(&it.path),
            it.name,
        );
        Diagnostic::warning(
            "ignored-attribute",
            "Object attribute is ignored",
            detail,
            expr.origin.span(it.range),
        )
    });
    each.collect()
}

fn find<'a>(expr: &ast::Expr, ty: &'a Type, path: &str, ignored: &mut Vec<Ignored<'a>>) {
    match (&expr.kind, ty) {
        (ExprKind::Object(items), Type::Object(object)) => {
            for item in items {
                let Some((name, range)) = known_key(&item.key) else {
                    continue;
                };
                match object.attributes.get(&name) {
                    Some(ty) => find(&item.value, ty, &format!("{path}.{name}"), ignored),
                    None => ignored.push(Ignored {
                        path: path.to_owned(),
                        name,
                        range,
                        known: object.attributes.keys().map(SmolStr::as_str).collect(),
                    }),
                }
            }
        }
        (ExprKind::Object(items), Type::Map(element)) => {
            for item in items {
                if let Some((name, _)) = known_key(&item.key) {
                    find(&item.value, element, &format!("{path}[{name:?}]"), ignored);
                }
            }
        }
        (ExprKind::Tuple(elements), Type::List(ty) | Type::Set(ty)) => {
            for (index, element) in elements.iter().enumerate() {
                find(element, ty, &format!("{path}[{index}]"), ignored);
            }
        }
        (ExprKind::Tuple(elements), Type::Tuple(types)) if elements.len() == types.len() => {
            for (index, (element, ty)) in elements.iter().zip(types.iter()).enumerate() {
                find(element, ty, &format!("{path}[{index}]"), ignored);
            }
        }
        (ExprKind::For(it), Type::Map(ty)) if it.key.is_some() => {
            find(&it.value, ty, &format!("{path}[...]"), ignored);
        }
        (ExprKind::For(it), Type::List(ty) | Type::Set(ty)) if it.key.is_none() => {
            find(&it.value, ty, &format!("{path}[...]"), ignored);
        }
        _ => {}
    }
}

/// A key that needs no evaluation of anything else.
fn known_key(key: &ObjectKey) -> Option<(SmolStr, TextRange)> {
    match key {
        ObjectKey::Name(name) => Some((name.name.clone(), name.range)),
        ObjectKey::Expr(expr) => {
            let evaluated = evaluate(expr, &EvalContext::empty());
            let is_wrong = !evaluated.problems.is_empty() || evaluated.value.is_null();
            let key: Value = convert(&evaluated.value, &Type::String).ok()?;
            let key = key.as_str().filter(|_| !is_wrong)?;
            Some((SmolStr::new(key), expr.range))
        }
    }
}
