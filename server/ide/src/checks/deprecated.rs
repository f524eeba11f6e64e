//! What a provider's schema says not to use any more.

use config::{Body, Resource};
use schema::Block;
use text::{Diagnostic, Span};

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
            found.push(warning(
                "deprecated-argument",
                "Argument is deprecated",
                detail,
                attribute.name_span(),
            ));
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
    Diagnostic::warning(code, summary, detail, at)
}
