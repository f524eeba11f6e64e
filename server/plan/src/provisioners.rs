//! Errors of `provisioner` and `connection` blocks. They have no part in a plan.

use config::{Body, Expected, Name, Resource};
use cty::Value;
use eval::EvalContext;
use schema::LanguageSchema;
use smol_str::SmolStr;
use text::{Diagnostic, did_you_mean};

use crate::condition::has_errors;

/// The errors of the first provisioner that has some, and of its connection, as Terraform looks no further. In
/// `context` is `self`.
///
/// Follows `validateProvisioner` in OpenTofu's `internal/tofu/node_resource_validate.go`.
pub(crate) fn check(config: &Resource, context: &EvalContext<'_>) -> Vec<Diagnostic> {
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
    context: &EvalContext<'_>,
) -> Vec<Diagnostic> {
    let language = LanguageSchema::get();
    let name = block.label(0);
    let Some(name) = name else {
        return Vec::new();
    };
    let Some(known) = language.provisioners.get(&name.text) else {
        return unknown(&name).into_iter().collect();
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
    let decoded = eval::decode(&own, &known.schema(), context);
    let mut found = decoded.diagnostics;
    found.extend(one_of_several(block, &decoded.value));
    if context.profile().is_opentofu() {
        found.extend(empty_command(block, &decoded.value));
    }
    let connection = &language.blocks["resource"].blocks["connection"];
    // One of its own overrides arguments of the resource's, which has to be whole all the same.
    let connections = of_all.into_iter().chain(body.blocks_of("connection"));
    for (index, block) in connections.enumerate() {
        let mut schema = connection.schema();
        for attribute in schema.attributes.values_mut().filter(|_| index > 0) {
            (attribute.required, attribute.optional) = (false, true);
        }
        found.extend(eval::decode(&block.body(), &schema, context).diagnostics);
    }
    found
}

/// The error for a name that is misspelled. Any other name may be of a plugin that the user installed.
fn unknown(name: &Name) -> Option<Diagnostic> {
    let known = LanguageSchema::get().provisioners.keys();
    let meant = did_you_mean(&name.text, known.map(SmolStr::as_str));
    (!meant.is_none()).then(|| {
        let detail = format!(
            "This configuration requires provisioner plugin {:?}, which isn't available. If you're intending to use an external provisioner plugin, you must install it manually into one of the plugin search directories before running Terraform.{meant}",
            name.text.as_str(),
        );
        let summary = "Missing required provisioner plugin";
        Diagnostic::error("unknown-provisioner", summary, detail, name.span.clone()).with_fault(meant)
    })
}

/// Follows `ValidateProvisionerConfig` in OpenTofu's `internal/builtin/provisioners/local-exec`.
fn empty_command(block: &config::Block, value: &Value) -> Option<Diagnostic> {
    let command = value
        .get("command")
        .filter(|_| block.label(0).is_some_and(|it| it.text == "local-exec"))?;
    let command = command.unmark().0;
    let is_empty = command.is_null() || command.as_str() == Some("");
    is_empty.then(|| {
        Diagnostic::error(
            "missing-argument",
            "Invalid local-exec provisioner command",
            "The command must be a non-empty string.",
            block.header_span(),
        )
    })
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
