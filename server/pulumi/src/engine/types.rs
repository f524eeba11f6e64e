//! Whether the properties that are written fit their types, before anything is evaluated.

use text::{Problem, TextRange};

use super::Run;
use crate::ask::{Package, Plugins};
use crate::expr::{Expr, ExprKind};
use crate::host;
use crate::program::{Declared, ResourceDecl};
use crate::urn::PROVIDER_PREFIX;
use crate::value::{Object, Value};

impl<P: Plugins> Run<'_, P> {
    pub(super) async fn check_types(&mut self) {
        let inputs = self.inputs;
        for declared in &inputs.program.resources {
            let decl = &declared.decl;
            let is_provider = decl.type_name.starts_with(PROVIDER_PREFIX);
            if is_provider || declared.is_broken || self.unplanned_kind(declared).is_some() {
                continue;
            }
            let package = Package {
                name: decl.package().to_owned(),
                version: decl.options.version.clone(),
            };
            let Some(schema) = self.schema(&package).await else {
                continue;
            };
            let token = schema.resource_token(&decl.type_name);
            let Some((token, resource)) = token.and_then(|it| Some((it, schema.resource(it)?)))
            else {
                continue;
            };
            let Some(written) = written(declared) else {
                continue;
            };
            for misfit in host::misfits(token, resource, &written) {
                let at = place_of(declared, misfit.property.as_deref());
                let span = declared.span(at);
                let problem =
                    Problem::error("type-mismatch", misfit.summary, misfit.detail, Some(span));
                self.report(None, problem);
            }
        }
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
