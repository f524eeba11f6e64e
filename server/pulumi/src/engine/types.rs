//! Whether the properties that are written fit their types, before anything is evaluated.

use std::sync::Arc;

use text::{Problem, TextRange};

use super::Run;
use super::memo::CheckedTypes;
use crate::ask::{Package, Plugins};
use crate::expr::{Expr, ExprKind};
use crate::host;
use crate::program::{Declared, ResourceDecl};
use crate::schema::Schema;
use crate::urn::PROVIDER_PREFIX;
use crate::value::{Object, Value};

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn check_types(&mut self) {
        let inputs = self.inputs;
        for declared in &inputs.program.resources {
            let decl = &declared.decl;
            let is_provider = decl.type_name.starts_with(PROVIDER_PREFIX);
            let is_unchecked = is_provider || decl.type_name.is_empty() || declared.is_broken;
            if is_unchecked || self.unplanned_kind(declared).is_some() {
                continue;
            }
            let Some(schema) = self.schema(&package(decl)).await else {
                continue;
            };
            let is_current = |it: &&CheckedTypes| {
                Arc::ptr_eq(&it.declared, declared) && Arc::ptr_eq(&it.schema, &schema)
            };
            let kept = self.memo.types.get(&declared.name).filter(is_current);
            let problems = match kept {
                Some(kept) => kept.problems.clone(),
                None => {
                    let problems = misfits(declared, &schema);
                    let kept = CheckedTypes {
                        declared: declared.clone(),
                        schema,
                        problems: problems.clone(),
                    };
                    self.memo.types.insert(declared.name.clone(), kept);
                    problems
                }
            };
            if !problems.is_empty() {
                self.misfits.insert(declared.name.clone());
            }
            for problem in problems {
                self.report(None, problem);
            }
        }
    }
}

/// What of the properties does not fit.
fn misfits(declared: &Declared<ResourceDecl>, schema: &Schema) -> Vec<Problem<Option<text::Span>>> {
    let token = schema.resource_token(&declared.decl.type_name);
    let found = token.and_then(|it| Some((it, schema.resource(it)?)));
    let Some(((token, resource), written)) = found.zip(written(declared)) else {
        return Vec::new();
    };
    let misfits = host::misfits(token, resource, &written).into_iter();
    let problems = misfits.map(|misfit| {
        let at = declared.span(place_of(declared, misfit.property.as_deref()));
        let problem = Problem::error("type-mismatch", misfit.summary, misfit.detail, Some(at));
        problem.with_fault(misfit.fault)
    });
    problems.collect()
}

/// The package that serves a resource.
pub(super) fn package(decl: &ResourceDecl) -> Package {
    Package {
        name: decl.package().to_owned(),
        version: decl.options.version.clone(),
    }
}

/// The properties, as far as they stand in the text.
fn written(declared: &Declared<ResourceDecl>) -> Option<Object> {
    match &declared.decl.properties {
        None => Some(Object::new()),
        Some(properties) => match shape(properties) {
            Value::Object(object) => Some(object),
            _ => None,
        },
    }
}

fn shape(expr: &Expr) -> Value {
    match &expr.kind {
        ExprKind::Literal(value) => value.clone(),
        ExprKind::List(elements) => Value::Array(elements.iter().map(shape).collect()),
        ExprKind::Object(properties) => {
            let properties = properties.iter();
            let properties =
                properties.map(|it| Some((it.key.as_str()?.to_owned(), shape(&it.value))));
            match properties.collect::<Option<Object>>() {
                Some(object) => Value::Object(object),
                None => Value::Unknown,
            }
        }
        ExprKind::Access(_) | ExprKind::Template(_) | ExprKind::Call(_) | ExprKind::Invalid => {
            Value::Unknown
        }
    }
}

/// The key of a property, or else of the resource.
pub(super) fn place_of(declared: &Declared<ResourceDecl>, property: Option<&str>) -> TextRange {
    let properties = declared
        .decl
        .properties
        .as_ref()
        .and_then(|it| it.properties());
    let mut written = properties.into_iter().flatten();
    let found = written.find(|it| it.key.as_str() == property && property.is_some());
    found.map_or(declared.at, |it| it.key.at)
}
