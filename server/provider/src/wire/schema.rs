//! Schemas from the wire. The two protocols number their fields differently and are the same otherwise.

use std::collections::BTreeMap;
use std::sync::Arc;

use bytes::Bytes;
use cty::Type;
use prost::Message;
use schema::{
    Attribute, Block, Capabilities, DescriptionKind, FunctionParameter, FunctionSignature,
    NestedBlock, NestedType, Nesting, ProviderSchema, Schema, TypeSummary,
};
use smol_str::SmolStr;

use super::{Protocol, tfplugin as pb, tfplugin5, tfplugin6};

/// Reads the answer to GetProviderSchema, but for the blocks of its schemas: each is read when it is first looked at, and
/// the answer is held until then.
pub(crate) fn provider_schema(
    protocol: Protocol,
    response: Bytes,
) -> Result<ProviderSchema, String> {
    match protocol {
        Protocol::V5 => v5::provider_schema(response),
        Protocol::V6 => v6::provider_schema(response),
    }
}

/// Whether all blocks in an answer to GetProviderSchema can be read.
pub(crate) fn check_provider_schema(protocol: Protocol, response: Bytes) -> Result<(), String> {
    match protocol {
        Protocol::V5 => v5::check_provider_schema(response),
        Protocol::V6 => v6::check_provider_schema(response),
    }
}

/// Reads the answer to GetResourceIdentitySchemas, which is the same in both protocols.
pub(crate) fn identity_schemas(response: &[u8]) -> Result<BTreeMap<SmolStr, Arc<Schema>>, String> {
    let response = pb::get_resource_identity_schemas::Response::decode(response)
        .map_err(|error| error.to_string())?;
    refuse_errors(&response.diagnostics)?;
    let schemas = response.identity_schemas.into_iter();
    schemas
        .map(|(name, wire)| {
            let attributes = wire.identity_attributes.into_iter().map(|wire| {
                let attribute = Attribute {
                    required: wire.required_for_import,
                    optional: wire.optional_for_import,
                    description: wire.description.into(),
                    ..Attribute::new(
                        ty(&wire.r#type).map_err(|reason| format!("{}: {reason}", wire.name))?,
                    )
                };
                Ok((wire.name.into(), attribute))
            });
            let block = Block {
                attributes: attributes.collect::<Result<_, String>>()?,
                ..Block::default()
            };
            Ok((name.into(), Arc::new(Schema::new(wire.version, block))))
        })
        .collect()
}

/// The same conversion for the generated types of either protocol.
macro_rules! protocol {
    ($module:ident, $wire:ident, $nested_type:expr) => {
        mod $module {
            use super::*;
            use $wire as wire;

            pub fn check_provider_schema(response: Bytes) -> Result<(), String> {
                let response =
                    wire::SchemaResponse::decode(response).map_err(|error| error.to_string())?;
                for own in response.provider.into_iter().chain(response.provider_meta) {
                    read_block(own.block)?;
                }
                let types = response.resource_schemas.into_iter();
                let types = types.chain(response.data_source_schemas);
                let actions = response.action_schemas.into_iter();
                let actions = actions.map(|(name, it)| (name, it.schema.unwrap_or_default()));
                for (name, wire) in types
                    .chain(response.ephemeral_resource_schemas)
                    .chain(actions)
                {
                    read_block(wire.block).map_err(|reason| format!("{name}: {reason}"))?;
                }
                Ok(())
            }

            pub fn provider_schema(response: Bytes) -> Result<ProviderSchema, String> {
                let response =
                    wire::SchemaResponse::decode(response).map_err(|error| error.to_string())?;
                refuse_errors(&response.diagnostics)?;
                Ok(ProviderSchema {
                    version: None,
                    provider: Arc::new(schema(response.provider.unwrap_or_default())?),
                    resources: schemas(response.resource_schemas)?,
                    data_sources: schemas(response.data_source_schemas)?,
                    ephemeral: schemas(response.ephemeral_resource_schemas)?,
                    actions: schemas(
                        response
                            .action_schemas
                            .into_iter()
                            .map(|(name, wire)| (name, wire.schema.unwrap_or_default()))
                            .collect(),
                    )?,
                    identities: BTreeMap::new(),
                    functions: functions(response.functions)?,
                    provider_meta: response
                        .provider_meta
                        .map(schema)
                        .transpose()?
                        .map(Arc::new),
                    capabilities: capabilities(response.server_capabilities),
                })
            }

            fn schemas(
                wire: BTreeMap<String, wire::Schema>,
            ) -> Result<BTreeMap<SmolStr, Arc<Schema>>, String> {
                wire.into_iter()
                    .map(|(name, wire)| match schema(wire) {
                        Ok(schema) => Ok((name.into(), Arc::new(schema))),
                        Err(reason) => Err(format!("{name}: {reason}")),
                    })
                    .collect()
            }

            fn schema(wire: wire::Schema) -> Result<Schema, String> {
                let about = pb::BlockAbout::decode(wire.block.clone())
                    .map_err(|error| error.to_string())?;
                let about = TypeSummary {
                    description: about.description.into(),
                    deprecated: about.deprecated,
                };
                // All blocks could be read when the answer came.
                let read = move || {
                    read_block(wire.block).unwrap_or_else(|reason| {
                        tracing::error!(reason, "schema unreadable");
                        Block::default()
                    })
                };
                Ok(Schema::lazy(wire.version, about, read))
            }

            fn read_block(wire: Bytes) -> Result<Block, String> {
                let wire = wire::schema::Block::decode(wire).map_err(|error| error.to_string())?;
                block(wire)
            }

            fn block(wire: wire::schema::Block) -> Result<Block, String> {
                let description_kind = description_kind(wire.description_kind());
                let block_types = wire
                    .block_types
                    .into_iter()
                    .map(|nested| Ok((SmolStr::from(&nested.type_name), nested_block(nested)?)))
                    .collect::<Result<_, String>>()?;
                Ok(Block {
                    attributes: attributes(wire.attributes)?,
                    block_types,
                    description: wire.description.into(),
                    description_kind,
                    deprecated: wire.deprecated,
                    deprecation_message: wire.deprecation_message.into(),
                })
            }

            fn nested_block(wire: wire::schema::NestedBlock) -> Result<NestedBlock, String> {
                Ok(NestedBlock {
                    nesting: nesting(wire.nesting())
                        .ok_or_else(|| format!("{}: invalid nesting", wire.type_name))?,
                    block: block(wire.block.unwrap_or_default())?,
                    min_items: wire.min_items.try_into().unwrap_or(0),
                    max_items: wire.max_items.try_into().unwrap_or(0),
                })
            }

            pub(super) fn nesting(wire: wire::schema::NestingMode) -> Option<Nesting> {
                match wire {
                    wire::schema::NestingMode::Invalid => None,
                    wire::schema::NestingMode::Single => Some(Nesting::Single),
                    wire::schema::NestingMode::Group => Some(Nesting::Group),
                    wire::schema::NestingMode::List => Some(Nesting::List),
                    wire::schema::NestingMode::Set => Some(Nesting::Set),
                    wire::schema::NestingMode::Map => Some(Nesting::Map),
                }
            }

            pub(super) fn attributes(
                wire: Vec<wire::schema::Attribute>,
            ) -> Result<BTreeMap<SmolStr, Attribute>, String> {
                wire.into_iter()
                    .map(|wire| Ok((SmolStr::from(&wire.name), attribute(wire)?)))
                    .collect()
            }

            fn attribute(mut wire: wire::schema::Attribute) -> Result<Attribute, String> {
                let shape = match $nested_type(&mut wire)? {
                    Some(nested_type) => Attribute::nested(nested_type),
                    None => Attribute::new(
                        ty(&wire.r#type).map_err(|reason| format!("{}: {reason}", wire.name))?,
                    ),
                };
                Ok(Attribute {
                    required: wire.required,
                    optional: wire.optional,
                    computed: wire.computed,
                    sensitive: wire.sensitive,
                    write_only: wire.write_only,
                    deprecated: wire.deprecated,
                    description_kind: description_kind(wire.description_kind()),
                    deprecation_message: wire.deprecation_message.into(),
                    description: wire.description.into(),
                    ..shape
                })
            }
        }
    };
}

protocol!(v5, tfplugin5, no_nested_type);
protocol!(v6, tfplugin6, nested_type);

fn no_nested_type(_: &mut tfplugin5::schema::Attribute) -> Result<Option<NestedType>, String> {
    Ok(None)
}

fn nested_type(wire: &mut tfplugin6::schema::Attribute) -> Result<Option<NestedType>, String> {
    let Some(object) = wire.nested_type.take() else {
        return Ok(None);
    };
    let nesting =
        v6::nesting(object.nesting()).ok_or_else(|| format!("{}: invalid nesting", wire.name))?;
    Ok(Some(NestedType {
        attributes: v6::attributes(object.attributes)?,
        nesting,
    }))
}

fn refuse_errors(diagnostics: &[pb::Diagnostic]) -> Result<(), String> {
    match diagnostics
        .iter()
        .find(|d| d.severity() == pb::diagnostic::Severity::Error)
    {
        Some(error) => Err(super::convert::message(&format!(
            "{}: {}",
            error.summary, error.detail
        ))),
        None => Ok(()),
    }
}

fn functions(
    wire: BTreeMap<String, pb::Function>,
) -> Result<BTreeMap<SmolStr, Arc<FunctionSignature>>, String> {
    wire.into_iter()
        .map(|(name, wire)| match function(wire) {
            Ok(function) => Ok((name.into(), Arc::new(function))),
            Err(reason) => Err(format!("function {name}: {reason}")),
        })
        .collect()
}

fn function(wire: pb::Function) -> Result<FunctionSignature, String> {
    Ok(FunctionSignature {
        description_kind: description_kind(wire.description_kind()),
        parameters: wire
            .parameters
            .into_iter()
            .map(parameter)
            .collect::<Result<_, _>>()?,
        variadic_parameter: wire.variadic_parameter.map(parameter).transpose()?,
        return_type: ty(&wire.r#return.unwrap_or_default().r#type)?,
        summary: wire.summary.into(),
        description: wire.description.into(),
        deprecation_message: wire.deprecation_message.into(),
    })
}

fn parameter(wire: pb::function::Parameter) -> Result<FunctionParameter, String> {
    Ok(FunctionParameter {
        ty: ty(&wire.r#type)?,
        description_kind: description_kind(wire.description_kind()),
        allow_null_value: wire.allow_null_value,
        allow_unknown_values: wire.allow_unknown_values,
        name: wire.name.into(),
        description: wire.description.into(),
    })
}

fn ty(json: &[u8]) -> Result<Type, String> {
    let json = serde_json::from_slice(json).map_err(|error| error.to_string())?;
    Type::from_json(&json).map_err(|error| error.to_string())
}

fn description_kind(wire: pb::StringKind) -> DescriptionKind {
    match wire {
        pb::StringKind::Plain => DescriptionKind::Plain,
        pb::StringKind::Markdown => DescriptionKind::Markdown,
    }
}

fn capabilities(wire: Option<pb::ServerCapabilities>) -> Capabilities {
    let wire = wire.unwrap_or_default();
    Capabilities {
        plan_destroy: wire.plan_destroy,
        get_provider_schema_optional: wire.get_provider_schema_optional,
        move_resource_state: wire.move_resource_state,
        generate_resource_config: wire.generate_resource_config,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn response(attribute_type: &'static str) -> Bytes {
        let attribute = tfplugin6::schema::Attribute {
            name: "size".to_owned(),
            r#type: attribute_type.into(),
            ..Default::default()
        };
        let block = tfplugin6::schema::Block {
            attributes: vec![attribute],
            description: "A disk.".to_owned(),
            ..Default::default()
        };
        let disk = tfplugin6::Schema {
            version: 3,
            block: block.encode_to_vec().into(),
        };
        let response = tfplugin6::SchemaResponse {
            resource_schemas: BTreeMap::from([("disk".to_owned(), disk)]),
            ..Default::default()
        };
        response.encode_to_vec().into()
    }

    #[test]
    fn type_flags_in_lists_need_no_block() {
        let response = response("\"number\"");
        check_provider_schema(Protocol::V6, response.clone()).unwrap();
        let schema = provider_schema(Protocol::V6, response).unwrap();
        let disk = &schema.resources["disk"];
        assert_eq!((disk.version, &*disk.about.description), (3, "A disk."));
        assert_eq!(disk.block.attributes["size"].ty, Type::Number);
    }

    #[test]
    fn a_type_that_cannot_be_read_is_named_when_the_answer_comes() {
        let reason = check_provider_schema(Protocol::V6, response("\"figure\"")).unwrap_err();
        assert!(reason.starts_with("disk: size: "), "{reason}");
    }
}
