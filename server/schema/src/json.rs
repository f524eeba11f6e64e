//! Schemas as `terraform providers schema -json` prints them.

use std::collections::BTreeMap;
use std::sync::Arc;

use cty::Type;
use serde::Deserialize;
use serde_json::Value as Json;
use smol_str::SmolStr;

use crate::{
    Attribute, Block, Capabilities, DescriptionKind, FunctionParameter, FunctionSignature,
    NestedBlock, NestedType, Nesting, ProviderSchema, Schema,
};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError(String);

impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for JsonError {}

/// Reads the whole document: schemas by provider address. It has no capabilities and no `provider_meta`.
pub fn provider_schemas_from_json(
    text: &str,
) -> Result<BTreeMap<SmolStr, ProviderSchema>, JsonError> {
    let document: Document =
        serde_json::from_str(text).map_err(|error| JsonError(error.to_string()))?;
    document
        .provider_schemas
        .into_iter()
        .map(|(addr, wire)| match provider(wire) {
            Ok(schema) => Ok((addr, schema)),
            Err(error) => Err(JsonError(format!("{addr}: {}", error.0))),
        })
        .collect()
}

#[derive(Deserialize)]
struct Document {
    #[serde(default)]
    provider_schemas: BTreeMap<SmolStr, JsonProvider>,
}

pub(crate) type JsonIdentities = BTreeMap<SmolStr, JsonIdentity>;
pub(crate) type JsonFunctions = BTreeMap<SmolStr, JsonFunction>;

#[derive(Deserialize)]
#[serde(default)]
#[derive(Default)]
struct JsonProvider {
    provider: JsonSchema,
    resource_schemas: BTreeMap<SmolStr, JsonSchema>,
    data_source_schemas: BTreeMap<SmolStr, JsonSchema>,
    ephemeral_resource_schemas: BTreeMap<SmolStr, JsonSchema>,
    action_schemas: BTreeMap<SmolStr, JsonSchema>,
    resource_identity_schemas: JsonIdentities,
    functions: JsonFunctions,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonSchema {
    version: i64,
    block: JsonBlock,
}

#[derive(Deserialize, Default)]
#[serde(default)]
pub(crate) struct JsonIdentity {
    version: i64,
    attributes: BTreeMap<SmolStr, JsonIdentityAttribute>,
}

#[derive(Deserialize)]
struct JsonIdentityAttribute {
    r#type: Json,
    #[serde(default)]
    description: SmolStr,
    #[serde(default)]
    required_for_import: bool,
    #[serde(default)]
    optional_for_import: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonBlock {
    attributes: BTreeMap<SmolStr, JsonAttribute>,
    block_types: BTreeMap<SmolStr, JsonNestedBlock>,
    description: SmolStr,
    /// The number of the description, in the place of it.
    text: Option<usize>,
    description_kind: JsonDescriptionKind,
    deprecated: bool,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct JsonAttribute {
    r#type: Option<Json>,
    nested_type: Option<JsonNestedType>,
    description: SmolStr,
    /// The number of the description, in the place of it.
    text: Option<usize>,
    description_kind: JsonDescriptionKind,
    deprecated: bool,
    required: bool,
    optional: bool,
    computed: bool,
    sensitive: bool,
    write_only: bool,
}

/// The texts that numbers stand for in what comes with this program.
type Texts<'a> = &'a dyn Fn(usize) -> SmolStr;

#[derive(Deserialize)]
struct JsonNestedType {
    #[serde(default)]
    attributes: BTreeMap<SmolStr, JsonAttribute>,
    nesting_mode: JsonNesting,
}

#[derive(Deserialize)]
struct JsonNestedBlock {
    nesting_mode: JsonNesting,
    #[serde(default)]
    block: JsonBlock,
    #[serde(default)]
    min_items: u64,
    #[serde(default)]
    max_items: u64,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum JsonNesting {
    Single,
    Group,
    List,
    Set,
    Map,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "snake_case")]
enum JsonDescriptionKind {
    #[default]
    Plain,
    Markdown,
}

#[derive(Deserialize)]
pub(crate) struct JsonFunction {
    #[serde(default)]
    summary: SmolStr,
    #[serde(default)]
    description: SmolStr,
    #[serde(default)]
    deprecation_message: SmolStr,
    return_type: Json,
    #[serde(default)]
    parameters: Vec<JsonParameter>,
    variadic_parameter: Option<JsonParameter>,
}

#[derive(Deserialize)]
struct JsonParameter {
    name: SmolStr,
    r#type: Json,
    #[serde(default)]
    description: SmolStr,
    #[serde(default)]
    is_nullable: bool,
}

fn provider(json: JsonProvider) -> Result<ProviderSchema, JsonError> {
    Ok(ProviderSchema {
        version: None,
        provider: Arc::new(schema(json.provider)?),
        resources: schemas(json.resource_schemas)?,
        data_sources: schemas(json.data_source_schemas)?,
        ephemeral: schemas(json.ephemeral_resource_schemas)?,
        actions: schemas(json.action_schemas)?,
        identities: identities(json.resource_identity_schemas)?,
        functions: functions(json.functions)?,
        provider_meta: None,
        capabilities: Capabilities::default(),
    })
}

fn schemas(
    json: BTreeMap<SmolStr, JsonSchema>,
) -> Result<BTreeMap<SmolStr, Arc<Schema>>, JsonError> {
    json.into_iter()
        .map(|(name, json)| Ok((name, Arc::new(schema(json)?))))
        .collect()
}

pub(crate) fn functions(
    json: JsonFunctions,
) -> Result<BTreeMap<SmolStr, Arc<FunctionSignature>>, JsonError> {
    json.into_iter()
        .map(|(name, json)| Ok((name, Arc::new(function(json)?))))
        .collect()
}

pub(crate) fn identities(
    json: JsonIdentities,
) -> Result<BTreeMap<SmolStr, Arc<Schema>>, JsonError> {
    let identity = |json: JsonIdentity| {
        let attributes = json.attributes.into_iter().map(|(name, json)| {
            let attribute = Attribute {
                required: json.required_for_import,
                optional: json.optional_for_import,
                description: json.description,
                ..Attribute::new(ty(&json.r#type)?)
            };
            Ok((name, attribute))
        });
        let block = Block {
            attributes: attributes.collect::<Result<_, JsonError>>()?,
            ..Block::default()
        };
        Ok(Arc::new(Schema::new(json.version, block)))
    };
    json.into_iter()
        .map(|(name, json)| Ok((name, identity(json)?)))
        .collect()
}

fn schema(json: JsonSchema) -> Result<Schema, JsonError> {
    let texts = |_| SmolStr::default();
    Ok(Schema::new(json.version, block(json.block, &texts)?))
}

/// The block of a type whose descriptions are numbers.
pub(crate) fn numbered_block(json: &[u8], texts: Texts<'_>) -> Result<Block, JsonError> {
    let json: JsonSchema =
        serde_json::from_slice(json).map_err(|error| JsonError(error.to_string()))?;
    block(json.block, texts)
}

fn block(json: JsonBlock, texts: Texts<'_>) -> Result<Block, JsonError> {
    let block_types = json.block_types.into_iter().map(|(name, json)| {
        let nested = NestedBlock {
            block: block(json.block, texts)?,
            nesting: json.nesting_mode.into(),
            min_items: json.min_items,
            max_items: json.max_items,
        };
        Ok((name, nested))
    });
    Ok(Block {
        block_types: block_types.collect::<Result<_, JsonError>>()?,
        attributes: attributes(json.attributes, texts)?,
        description: json.text.map_or(json.description, texts),
        description_kind: json.description_kind.into(),
        deprecated: json.deprecated,
        deprecation_message: SmolStr::default(),
    })
}

fn attributes(
    json: BTreeMap<SmolStr, JsonAttribute>,
    texts: Texts<'_>,
) -> Result<BTreeMap<SmolStr, Attribute>, JsonError> {
    json.into_iter()
        .map(|(name, json)| Ok((name, attribute(json, texts)?)))
        .collect()
}

fn attribute(json: JsonAttribute, texts: Texts<'_>) -> Result<Attribute, JsonError> {
    let shape = match (json.nested_type, json.r#type) {
        (Some(nested), _) => Attribute::nested(NestedType {
            attributes: attributes(nested.attributes, texts)?,
            nesting: nested.nesting_mode.into(),
        }),
        (None, Some(json)) => Attribute::new(ty(&json)?),
        (None, None) => return Err(JsonError("an attribute without a type".to_owned())),
    };
    Ok(Attribute {
        required: json.required,
        optional: json.optional,
        computed: json.computed,
        sensitive: json.sensitive,
        write_only: json.write_only,
        deprecated: json.deprecated,
        description: json.text.map_or(json.description, texts),
        description_kind: json.description_kind.into(),
        ..shape
    })
}

fn function(json: JsonFunction) -> Result<FunctionSignature, JsonError> {
    Ok(FunctionSignature {
        parameters: json
            .parameters
            .into_iter()
            .map(parameter)
            .collect::<Result<_, _>>()?,
        variadic_parameter: json.variadic_parameter.map(parameter).transpose()?,
        return_type: ty(&json.return_type)?,
        summary: json.summary,
        description: json.description,
        description_kind: DescriptionKind::Plain,
        deprecation_message: json.deprecation_message,
    })
}

fn parameter(json: JsonParameter) -> Result<FunctionParameter, JsonError> {
    Ok(FunctionParameter {
        ty: ty(&json.r#type)?,
        name: json.name,
        allow_null_value: json.is_nullable,
        allow_unknown_values: false,
        description: json.description,
        description_kind: DescriptionKind::Plain,
    })
}

fn ty(json: &Json) -> Result<Type, JsonError> {
    Type::from_json(json).map_err(|error| JsonError(error.to_string()))
}

impl From<JsonNesting> for Nesting {
    fn from(json: JsonNesting) -> Nesting {
        match json {
            JsonNesting::Single => Nesting::Single,
            JsonNesting::Group => Nesting::Group,
            JsonNesting::List => Nesting::List,
            JsonNesting::Set => Nesting::Set,
            JsonNesting::Map => Nesting::Map,
        }
    }
}

impl From<JsonDescriptionKind> for DescriptionKind {
    fn from(json: JsonDescriptionKind) -> DescriptionKind {
        match json {
            JsonDescriptionKind::Plain => DescriptionKind::Plain,
            JsonDescriptionKind::Markdown => DescriptionKind::Markdown,
        }
    }
}
