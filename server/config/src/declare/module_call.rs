//! `module` blocks.

use indexmap::IndexMap;
use smol_str::SmolStr;
use syntax::ast::{ExprKind, ObjectKey};
use text::{Diagnostic, Span, Suggestion};

use super::settings::version_constraint;
use crate::language_release::feature;
use crate::literal::{Literal, literal};
use crate::module::{ImportKey, ModuleCall, ProviderRef, Repetition};
use crate::read::{BodySpec, PLACE, Reader, block};
use crate::scope::{AvailableNames, FoundReferences};
use crate::source::{Attribute, Block, Body, Expr};
use crate::tree::is_local;

const MODULE: BodySpec = BodySpec {
    required: &["source"],
    optional: &["version", "count", "for_each", "depends_on", "providers"],
    blocks: &[
        block("_", &[]),
        block("lifecycle", &[]),
        block("locals", &[]),
        block("provider", &["type"]),
    ],
};

const LIFECYCLE: BodySpec = BodySpec {
    required: &[],
    optional: &["enabled"],
    blocks: &[],
};

pub(super) fn module_call(reader: &mut Reader, block: &Block) -> ModuleCall {
    let name = reader.label(&block.ast, 0);
    reader.check_name(&name, "Invalid module instance name");
    let (meta, mut rest) = reader.partial_content(block, &MODULE);
    for block in std::mem::take(&mut rest.blocks) {
        reader.unsupported_block(block.kind(), Suggestion(None), "", block.kind_span());
    }
    let mut arguments = reader.just_attributes(&rest);
    let (mut first_lifecycle, mut enabled) = (None, None);
    for block in &meta.blocks {
        match block.kind().as_str() {
            "_" => {
                arguments.extend(reader.just_attributes(&block.body()));
                continue;
            }
            "lifecycle" if reader.profile.has(feature::ENABLED) => {
                if reader.only_one(&mut first_lifecycle, block, "module") {
                    enabled = reader
                        .content(block, &LIFECYCLE)
                        .attribute("enabled")
                        .cloned();
                }
                continue;
            }
            _ => {}
        }
        let kind = block.kind();
        let detail = format!(
            "The block type name \"{kind}\" is reserved for use by Terraform in a future version."
        );
        let summary = "Reserved block type name in module block";
        reader.error("reserved-name", summary, detail, block.kind_span());
    }
    let repetition = reader.repetition(&meta, enabled.as_ref());
    let mut found = FoundReferences::default();
    let depends_on = reader.depends_on(&meta, AvailableNames::default(), &mut found);
    let (providers, provider_spans, provider_keys) = meta
        .attribute("providers")
        .map(|a| providers(reader, a))
        .unwrap_or_default();
    let source_expr = evaluated(reader, &meta, "source");
    let version_expr = evaluated(reader, &meta, "version");
    let mut call = ModuleCall {
        name,
        source: match &source_expr {
            Some(_) => None,
            None => reader.optional_string(&meta, "source"),
        },
        source_span: meta.attribute("source").map(|a| a.expr().span()),
        source_expr,
        version: match &version_expr {
            Some(_) => None,
            None => version(reader, &meta),
        },
        version_expr,
        repetition,
        providers,
        provider_spans,
        provider_keys,
        depends_on,
        arguments,
        decl: found.into_decl(block),
    };
    // OpenTofu looks at the value.
    let is_written = meta.attribute("version").is_some();
    let is_looked_at = reader.profile.has(feature::STATIC_EVALUATION);
    if call.version.is_some() || is_written && !is_looked_at {
        reader.diagnostics.extend(local_with_version(&call));
    }
    module_references(&mut call);
    call
}

/// The expression of an argument whose text is not written, where the profile evaluates it before modules are read.
fn evaluated(reader: &Reader, meta: &Body, name: &str) -> Option<Expr> {
    let expr = meta.attribute(name)?.expr();
    let is_evaluated = match literal(&expr.ast) {
        Literal::Variables(_) | Literal::Call | Literal::Calculated => true,
        Literal::String(_) => expr.ast.unwrapped().as_literal_string().is_none(),
        _ => false,
    };
    let is_evaluated = is_evaluated && !matches!(expr.ast.kind, ExprKind::Error(_));
    (is_evaluated && reader.profile.has(feature::STATIC_EVALUATION)).then_some(expr)
}

/// The error for a call with a version, if a local folder has none.
pub(crate) fn local_with_version(call: &ModuleCall) -> Option<Diagnostic> {
    let source = call.source.as_ref().filter(|source| is_local(source))?;
    let detail = format!(
        "Failed to parse module registry address: can't use local directory \"{source}\" as a module registry address.\n\nTerraform assumed that you intended a module registry source address because you also set the argument \"version\", which applies only to registry modules."
    );
    let summary = "Invalid registry module source address";
    let at = call.source_span.clone()?;
    Some(Diagnostic::error("invalid-source", summary, detail, at))
}

fn version(reader: &mut Reader, meta: &Body) -> Option<SmolStr> {
    let expr = meta.attribute("version")?.expr();
    match literal(&expr.ast) {
        Literal::String(_) | Literal::Call => version_constraint(reader, &expr.ast),
        Literal::Variables(root) => {
            reader.refuse_variables(expr.origin.span(root));
            None
        }
        Literal::Null => None,
        _ => reader.optional_string(meta, "version"),
    }
}

/// Collects the references of the call again, after `depends_on`, which is read with the block.
pub(crate) fn module_references(call: &mut ModuleCall) {
    let mut found = FoundReferences {
        references: call.depends_on.clone(),
        ..FoundReferences::default()
    };
    for expr in call.source_expr.iter().chain(&call.version_expr) {
        found.expr(expr, AvailableNames::default());
    }
    let inner = match &call.repetition {
        Repetition::Single => AvailableNames::default(),
        Repetition::Enabled(enabled) => {
            found.expr(enabled, AvailableNames::default());
            AvailableNames::default()
        }
        Repetition::Count(count) => {
            found.expr(count, AvailableNames::default());
            AvailableNames {
                count: true,
                ..AvailableNames::default()
            }
        }
        Repetition::ForEach(for_each) => {
            found.expr(for_each, AvailableNames::default());
            AvailableNames {
                each: true,
                ..AvailableNames::default()
            }
        }
    };
    for key in call.provider_keys.iter().filter_map(|(_, key)| key.expr()) {
        found.expr(key, inner);
    }
    for argument in &call.arguments {
        found.expr(&argument.expr(), inner);
    }
    call.decl.references = found.references;
    call.decl.problems.extend(found.problems);
    call.decl.type_problems = found.type_problems;
}

/// The passed provider, from the name in the called module to the one in this; and which instance of it.
type Passed = (
    IndexMap<ProviderRef, ProviderRef>,
    Vec<Span>,
    Vec<(ProviderRef, ImportKey)>,
);

fn providers(reader: &mut Reader, attribute: &Attribute) -> Passed {
    let mut passed: IndexMap<ProviderRef, ProviderRef> = IndexMap::new();
    let mut keys = Vec::new();
    let mut places = Vec::new();
    let expr = &attribute.ast.expr;
    let ExprKind::Object(items) = &expr.kind else {
        if !matches!(expr.kind, ExprKind::Error(_)) {
            let at = reader.span(crate::read::start(expr));
            let detail = "A static map expression is required.";
            reader.error("invalid-expression", "Invalid expression", detail, at);
        }
        return (passed, Vec::new(), keys);
    };
    for item in items {
        let (child, at) = match &item.key {
            ObjectKey::Name(name) => (
                Some(ProviderRef {
                    name: name.name.clone(),
                    alias: None,
                }),
                name.range,
            ),
            ObjectKey::Expr(key) => (reader.provider_ref(key, "providers"), key.range),
        };
        let (parent, instance) = reader.provider_instance(&item.value, "providers");
        let (Some(child), Some(parent)) = (child, parent) else {
            continue;
        };
        if let Some(first) = passed.get_index_of(&child) {
            let detail = format!(
                "A provider configuration was already passed to {child} at {PLACE}. Each child provider configuration can be assigned only once."
            );
            let first: text::TextRange = places[first];
            reader.diagnostics.push(
                Diagnostic::error(
                    "duplicate-provider",
                    "Duplicate provider address",
                    detail,
                    reader.span(item.value.range),
                )
                .with_related(reader.span(first), "first assignment"),
            );
            continue;
        }
        places.push(at.cover(item.value.range));
        keys.extend(instance.map(|key| (child.clone(), key)));
        passed.insert(child, parent);
    }
    let spans = places.into_iter().map(|at| reader.span(at)).collect();
    (passed, spans, keys)
}

impl ModuleCall {
    /// The value given for a variable of the called module.
    pub fn argument(&self, name: &str) -> Option<&Attribute> {
        self.arguments
            .iter()
            .find(|attribute| attribute.name() == name)
    }

    /// The arguments as one body, for the rules that a block's body has.
    pub fn body(&self) -> Body {
        Body::of_attributes(self.arguments.clone(), self.decl.span.clone())
    }
}
