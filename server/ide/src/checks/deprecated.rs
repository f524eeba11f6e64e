//! Attributes and types that a provider's schema marks as deprecated.

use config::{Body, Resource};
use schema::Block;
use text::{Diagnostic, Fault, Span};

/// Reports deprecated arguments and blocks in a body.
pub(super) fn check(body: &Body, schema: &Block, found: &mut Vec<Diagnostic>) {
    let body = eval::content(body, schema);
    for attribute in &body.attributes {
        let Some(known) = schema.attributes.get(attribute.name()) else {
            continue;
        };
        if known.deprecated {
            let name = attribute.name();
            let what = format!("The argument \"{name}\" is deprecated");
            let detail = because(&what, &known.deprecation_message);
            let deprecated = warning(
                "deprecated-argument",
                "Argument is deprecated",
                detail,
                attribute.name_span(),
            );
            let instead = instead(&known.deprecation_message, schema, &body);
            found.push(deprecated.with_fault(Fault::Deprecated { instead }));
        }
    }
    for block in &body.blocks {
        let Some(nested) = schema.block_types.get(block.effective_kind()) else {
            continue;
        };
        if nested.block.deprecated {
            let kind = block.effective_kind();
            let what = format!("Blocks of type \"{kind}\" are deprecated");
            let detail = because(&what, &nested.block.deprecation_message);
            found.push(warning(
                "deprecated-block",
                "Block is deprecated",
                detail,
                block.kind_span(),
            ));
        }
        if block.kind() == "dynamic" {
            for content in block.body().blocks_of("content") {
                check(&content.body(), &nested.block, found);
            }
        } else {
            check(&block.body(), &nested.block, found);
        }
    }
}

/// Reports a deprecated resource type.
pub(super) fn check_type(resource: &Resource, schema: &Block, found: &mut Vec<Diagnostic>) {
    if schema.deprecated {
        let what = format!("The type \"{}\" is deprecated", resource.addr.r#type);
        let detail = because(&what, &schema.deprecation_message);
        let at = resource.r#type.span.clone();
        found.push(warning(
            "deprecated-resource-type",
            "Resource type is deprecated",
            detail,
            at,
        ));
    }
}

fn because(what: &str, message: &str) -> String {
    match message {
        "" => format!("{what}; its provider may remove it in a later release."),
        message => format!("{what}: {message}"),
    }
}

fn warning(code: &'static str, summary: &str, detail: String, at: Span) -> Diagnostic {
    let fault = Fault::Deprecated { instead: None };
    Diagnostic::warning(code, summary, detail, at).with_fault(fault)
}

/// The only argument that a message of the schema names, and that may be written.
fn instead(message: &str, schema: &Block, body: &Body) -> Option<String> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let words = message.split(|c| !is_part(c));
    let is_free = |name: &&str| {
        let known = schema.attributes.get(*name);
        known.is_some_and(|known| known.is_argument() && !known.deprecated)
            && body.attribute(name).is_none()
    };
    let mut named: Vec<&str> = words.filter(is_free).collect();
    named.dedup();
    match named.as_slice() {
        [only] => Some((*only).to_owned()),
        _ => None,
    }
}
