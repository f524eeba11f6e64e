//! The schema of a resource's type, and the error for a type that has none.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::{ProviderAddr, Resource, ResourceAddr, ResourceMode};
use schema::{ProviderSchema, Schema};
use smol_str::SmolStr;
use text::{Diagnostic, Suggestion};

use crate::caveat::Caveat;
use crate::result::{ProviderConfigResult, ResourceResult};

/// The schema of a resource's type, or the error for the type, if the provider can be asked.
pub(crate) fn missing_schema(
    provider_config: &ProviderConfigResult,
    config: &Resource,
    provider: &ProviderAddr,
) -> Result<Arc<Schema>, Option<Box<Diagnostic>>> {
    schema_of(provider_config, &config.addr).map_err(|problem| match problem {
        Problem::Obstacle(_) => None,
        Problem::UnknownType => {
            let problem = unknown_type(config, provider, provider_config);
            Some(Box::new(problem))
        }
    })
}

/// The schema of `result`'s type. Without one it reports why.
pub(super) fn schema_for(
    provider_config: &ProviderConfigResult,
    result: &mut ResourceResult,
) -> Option<Arc<Schema>> {
    let problem = match schema_of(provider_config, &result.addr.resource) {
        Ok(schema) => return Some(schema),
        Err(problem) => problem,
    };
    match (problem, &result.config) {
        (Problem::Obstacle(obstacle), _) => result.caveat = Some(obstacle),
        (Problem::UnknownType, Some(config)) => {
            let problem = unknown_type(config, &result.provider, provider_config);
            result.diagnostics.push(problem);
        }
        (Problem::UnknownType, None) => {
            result.caveat = Some(Caveat::NoResourceType {
                provider: result.provider.to_string(),
                r#type: result.addr.resource.r#type.to_string(),
            });
        }
    }
    None
}

enum Problem {
    /// The provider can't be asked now.
    Obstacle(Caveat),
    UnknownType,
}

fn schema_of(
    provider_config: &ProviderConfigResult,
    addr: &ResourceAddr,
) -> Result<Arc<Schema>, Problem> {
    if let Some(obstacle) = &provider_config.obstacle {
        return Err(Problem::Obstacle(obstacle.clone()));
    }
    let schema = provider_config
        .schema
        .as_ref()
        .ok_or(Problem::UnknownType)?;
    types(schema, addr.mode)
        .get(&addr.r#type)
        .cloned()
        .ok_or(Problem::UnknownType)
}

pub(crate) const UNKNOWN_TYPE: &str = "unknown-resource-type";

fn unknown_type(
    config: &Resource,
    provider: &ProviderAddr,
    provider_config: &ProviderConfigResult,
) -> Diagnostic {
    let r#type = config.addr.r#type.as_str();
    let schema = provider_config.schema.as_deref();
    let known = schema
        .into_iter()
        .flat_map(|it| types(it, config.addr.mode).keys());
    let (summary, what, other) = match config.addr.mode {
        ResourceMode::Managed => ("Invalid resource type", "resource type", ResourceMode::Data),
        ResourceMode::Data => ("Invalid data source", "data source", ResourceMode::Managed),
        ResourceMode::Ephemeral => (
            "Invalid ephemeral resource",
            "ephemeral resource",
            ResourceMode::Managed,
        ),
        ResourceMode::Action => return unknown_action_type(config, provider),
    };
    let is_of_other_mode = schema.is_some_and(|it| types(it, other).contains_key(r#type));
    let meant = match is_of_other_mode {
        true => Suggestion(None),
        false => text::did_you_mean(r#type, known.map(SmolStr::as_str)),
    };
    let hint = match is_of_other_mode {
        true if other == ResourceMode::Data => format!(
            "\n\nDid you intend to use the data source {:?}? If so, declare this using a \"data\" block instead of a \"resource\" block.",
            r#type,
        ),
        true => format!(
            "\n\nDid you intend to use the managed resource type {:?}? If so, declare this using a \"resource\" block instead of a \"{}\" block.",
            r#type,
            config.addr.mode.block_type(),
        ),
        false => meant.to_string(),
    };
    let detail = format!(
        "The provider {} does not support {what} {:?}.{hint}",
        provider.for_display(),
        r#type,
    );
    let at = config.r#type.span.clone();
    Diagnostic::error(UNKNOWN_TYPE, summary, detail, at).with_fault(meant)
}

/// In the words of `loadSchemas` in Terraform's `internal/terraform`, which reads the schemas before it validates.
fn unknown_action_type(config: &Resource, provider: &ProviderAddr) -> Diagnostic {
    let (addr, r#type) = (&config.addr, &config.addr.r#type);
    let summary = format!(
        "failed to read schema for {addr} in {provider}: provider {provider} does not have an action schema for {type}"
    );
    let at = config.r#type.span.clone();
    Diagnostic::error("unknown-resource-type", summary, "", at)
}

/// The types of one kind.
pub(crate) fn types(
    schema: &ProviderSchema,
    mode: ResourceMode,
) -> &BTreeMap<SmolStr, Arc<Schema>> {
    match mode {
        ResourceMode::Managed => &schema.resources,
        ResourceMode::Data => &schema.data_sources,
        ResourceMode::Ephemeral => &schema.ephemeral,
        ResourceMode::Action => &schema.actions,
    }
}
