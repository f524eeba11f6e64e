//! Errors of `provisioner` and `connection` blocks. They have no part in a plan.

use config::{Body, Expected, Resource};
use cty::Value;
use eval::Context;
use schema::{Attribute, Block, Language, LanguageBlock};
use text::Diagnostic;

use crate::condition::has_errors;

/// The errors of the first provisioner that has some, and of its connection, as Terraform looks no further. In
/// `context` is `self`.
///
/// Follows `validateProvisioner` in OpenTofu's `internal/tofu/node_resource_validate.go`.
pub(crate) fn check(config: &Resource, context: &Context<'_>) -> Vec<Diagnostic> {
    let mut blocks = config.provisioning.iter();
    let of_all = blocks.find(|block| block.kind() == "connection");
    let provisioners = config.provisioning.iter();
    let provisioners = provisioners.filter(|block| block.kind() == "provisioner");
    let mut found = provisioners.map(|block| check_one(block, of_all, context));
    found.find(|it| has_errors(it)).unwrap_or_default()
}

fn check_one(
    block: &config::Block,
    of_all: Option<&config::Block>,
    context: &Context<'_>,
) -> Vec<Diagnostic> {
    let language = Language::get();
    let name = block.label(0);
    let Some(known) = name.and_then(|name| language.provisioners.get(&name.text)) else {
        return Vec::new();
    };
    let body = block.body();
    let (body, _) = body.content(&|name| match name {
        "when" | "on_failure" => Some(Expected::Attribute),
        "connection" | "_" => Some(Expected::Block(&[])),
        _ => None,
    });
    let mut own = Body::clone(&body);
    own.attributes
        .retain(|it| !["when", "on_failure"].contains(&it.name().as_str()));
    own.blocks
        .retain(|it| !["connection", "_"].contains(&it.kind().as_str()));
    for escaping in body.blocks_of("_") {
        own.extend(escaping.body());
    }
    let decoded = eval::decode(&own, &schema(known), context);
    let mut found = decoded.diagnostics;
    found.extend(one_of_several(block, &decoded.value));
    let connection = &language.blocks["resource"].blocks["connection"];
    // One of its own overrides arguments of the resource's, which has to be whole all the same.
    let connections = of_all.into_iter().chain(body.blocks_of("connection"));
    for (index, block) in connections.enumerate() {
        let mut schema = schema(connection);
        for attribute in schema.attributes.values_mut().filter(|_| index > 0) {
            (attribute.required, attribute.optional) = (false, true);
        }
        found.extend(eval::decode(&block.body(), &schema, context).diagnostics);
    }
    found
}

/// Arguments of which there may be only one.
fn one_of_several(block: &config::Block, value: &Value) -> Option<Diagnostic> {
    let is_set = |name: &&str| value.get(name).is_some_and(|it| !it.is_null());
    let count = |names: &[&str]| names.iter().filter(|name| is_set(name)).count();
    let (code, summary, detail) = match block.label(0)?.text.as_str() {
        "remote-exec" if count(&["inline", "script", "scripts"]) != 1 => (
            "unsupported-argument",
            "Invalid remote-exec provisioner configuration",
            r#"Only one of "inline", "script", or "scripts" must be set"#,
        ),
        "file" => match count(&["source", "content"]) {
            0 => (
                "missing-argument",
                "Must provide one of 'source' or 'content'",
                "",
            ),
            1 => return None,
            _ => (
                "unsupported-argument",
                "Cannot set both 'source' and 'content'",
                "",
            ),
        },
        _ => return None,
    };
    let at = block.header_span();
    Some(Diagnostic::error(code, summary, detail, at))
}

/// The arguments of a block of the language as a provider would describe them.
fn schema(block: &LanguageBlock) -> Block {
    let attributes = block.arguments.iter().map(|(name, argument)| {
        let attribute = Attribute::new(argument.kind.ty());
        let attribute = match argument.required {
            true => attribute.required(),
            false => attribute.optional(),
        };
        (name.clone(), attribute)
    });
    Block {
        attributes: attributes.collect(),
        ..Block::default()
    }
}
