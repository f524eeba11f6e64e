//! The provider inside the CLI itself, `terraform.io/builtin/terraform`, as Terraform 1.11 has it.

mod import;
mod remote_state;

pub use remote_state::is_backend;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use bytes::Bytes;
use cty::{Path, Type, Value};
use futures_util::FutureExt;
use futures_util::future::ready;
use schema::{
    Attribute, Block, Capabilities, DescriptionKind, FunctionParameter, FunctionSignature,
    ProviderSchema, Schema,
};

use crate::{
    FunctionError, ImportRequest, ImportResponse, MoveRequest, MoveResponse, OpenResponse,
    PlanRequest, PlanResponse, Problem, Provider, ProviderError, RawState, ReadDataSourceRequest,
    ReadDataSourceResponse, ReadRequest, ReadResponse, RenewResponse, Reply, Rpc,
    UpgradeIdentityResponse, UpgradeResponse,
};

const NAME: &str = "terraform.io/builtin/terraform";
const TERRAFORM_DATA: &str = "terraform_data";
const REMOTE_STATE: &str = "terraform_remote_state";

pub struct BuiltinProvider {
    schema: Arc<ProviderSchema>,
    terraform_data: Arc<Schema>,
    root_module: PathBuf,
}

impl BuiltinProvider {
    /// Relative paths in the configuration start in `root_module`.
    pub fn new(root_module: PathBuf) -> BuiltinProvider {
        let terraform_data = Arc::new(Schema::new(0, terraform_data()));
        let remote_state = Arc::new(Schema::new(0, remote_state_block()));
        let schema = ProviderSchema {
            version: None,
            provider: Arc::new(Schema::new(0, Block::default())),
            resources: BTreeMap::from([(TERRAFORM_DATA.into(), terraform_data.clone())]),
            data_sources: BTreeMap::from([(REMOTE_STATE.into(), remote_state)]),
            ephemeral: BTreeMap::new(),
            actions: BTreeMap::new(),
            identities: BTreeMap::new(),
            functions: functions(),
            provider_meta: None,
            capabilities: Capabilities {
                plan_destroy: true,
                move_resource_state: true,
                ..Capabilities::default()
            },
        };
        BuiltinProvider {
            schema: Arc::new(schema),
            terraform_data,
            root_module,
        }
    }

    fn refuse_other_types(&self, type_name: &str) -> Result<(), ProviderError> {
        if self.schema.resources.contains_key(type_name) {
            return Ok(());
        }
        Err(unknown("resource type", type_name))
    }

    /// Takes objects of `null_resource`: its triggers become those that replace.
    fn move_here(&self, request: &MoveRequest) -> MoveResponse {
        let ty = self.terraform_data.implied_type();
        let response = |target_state: Value, diagnostics| MoveResponse {
            target_state,
            target_private: Bytes::new(),
            target_identity: None,
            diagnostics,
        };
        let refused = |summary: &str, detail: &str| {
            let diagnostics = vec![crate::error(summary, detail)];
            response(Value::null(ty.clone()), diagnostics)
        };
        if !request
            .source_provider
            .to_string()
            .ends_with("/hashicorp/null")
        {
            return refused(
                "Unsupported source provider for move operation",
                "Only moving from the official hashicorp/null provider to terraform_data is supported.",
            );
        }
        if request.source_type_name != "null_resource" {
            return refused(
                "Unsupported source resource type for move operation",
                "Only moving from the null_resource managed resource to terraform_data is supported.",
            );
        }
        let map = Type::map(Type::String);
        let source = Type::object([("id", Type::String), ("triggers", map)]);
        let text = String::from_utf8_lossy(&request.source_state);
        match cty::json::decode_str(&text, &source) {
            Err(error) => refused("Unable to move the object", &error.to_string()),
            Ok(state) => {
                let of = |name: &str| {
                    state
                        .get(name)
                        .cloned()
                        .unwrap_or_else(|| Value::null(Type::Dynamic))
                };
                let null = || Value::null(Type::Dynamic);
                let triggers = match of("triggers") {
                    triggers if triggers.is_null() => null(),
                    // Terraform makes an object of them: so they equal those that are written.
                    triggers => Value::object(triggers.as_map().cloned().unwrap_or_default()),
                };
                let moved = [
                    ("id", of("id")),
                    ("input", null()),
                    ("output", null()),
                    ("triggers_replace", triggers),
                ];
                response(Value::object(moved), Vec::new())
            }
        }
    }

    fn upgrade(&self, raw_state: RawState<'_>) -> UpgradeResponse {
        let ty = self.terraform_data.implied_type();
        let decoded = match raw_state {
            RawState::Json(json) => {
                cty::json::decode_str(json, ty).map_err(|error| error.to_string())
            }
            // No release before 0.12 had the type.
            RawState::Flat(_) => Err("EOF".to_owned()),
        };
        match decoded {
            Ok(upgraded_state) => UpgradeResponse {
                upgraded_state,
                diagnostics: Vec::new(),
            },
            Err(summary) => UpgradeResponse {
                upgraded_state: Value::null(ty.clone()),
                diagnostics: vec![crate::error(summary, "")],
            },
        }
    }
}

impl Provider for BuiltinProvider {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        ready(Ok(self.schema.clone())).boxed()
    }

    fn validate_provider_config<'a>(&'a self, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn configure<'a>(&'a self, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        ready(
            self.refuse_other_types(type_name)
                .map(|()| validate_terraform_data(config)),
        )
        .boxed()
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        ready(match type_name {
            REMOTE_STATE => Ok(remote_state::validate(config)),
            _ => Err(unknown("data source", type_name)),
        })
        .boxed()
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        _: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        ready(
            self.refuse_other_types(type_name)
                .map(|()| self.upgrade(raw_state)),
        )
        .boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        let type_name = request.type_name.clone();
        ready(
            self.refuse_other_types(&type_name)
                .map(|()| plan_terraform_data(request)),
        )
        .boxed()
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        ready(Ok(ReadResponse {
            new_state: request.current_state,
            private: request.private,
            deferred: None,
            new_identity: None,
            diagnostics: Vec::new(),
        }))
        .boxed()
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        ready(match request.type_name.as_str() {
            REMOTE_STATE => remote_state::read(&self.root_module, request.config),
            other => Err(unknown("data source", other)),
        })
        .boxed()
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        let answer = self.refuse_other_types(&request.type_name);
        ready(answer.map(|()| import::import(request.target))).boxed()
    }

    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        ready(
            self.refuse_other_types(&request.target_type_name)
                .map(|()| self.move_here(&request)),
        )
        .boxed()
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        _: &'a str,
        _: i64,
        _: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        ready(Err(unsupported(Rpc::UpgradeResourceIdentity))).boxed()
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        _: &'a str,
        _: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        ready(Err(unsupported(Rpc::ValidateEphemeralResourceConfig))).boxed()
    }

    fn open_ephemeral<'a>(&'a self, _: &'a str, _: &'a Value) -> Reply<'a, OpenResponse> {
        ready(Err(unsupported(Rpc::OpenEphemeralResource))).boxed()
    }

    fn renew_ephemeral<'a>(&'a self, _: &'a str, _: Bytes) -> Reply<'a, RenewResponse> {
        ready(Err(unsupported(Rpc::RenewEphemeralResource))).boxed()
    }

    fn close_ephemeral<'a>(&'a self, _: &'a str, _: Bytes) -> Reply<'a, Vec<Problem>> {
        ready(Err(unsupported(Rpc::CloseEphemeralResource))).boxed()
    }

    fn validate_action_config<'a>(&'a self, _: &'a str, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Err(unsupported(Rpc::ValidateActionConfig))).boxed()
    }

    fn plan_action<'a>(&'a self, _: &'a str, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Err(unsupported(Rpc::PlanAction))).boxed()
    }

    fn call_function<'a>(
        &'a self,
        _: &'a str,
        _: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        ready(Err(unsupported(Rpc::CallFunction))).boxed()
    }
}

fn unknown(kind: &'static str, name: &str) -> ProviderError {
    ProviderError::UnknownType {
        provider: NAME.to_owned(),
        kind,
        name: name.to_owned(),
    }
}

fn unsupported(rpc: Rpc) -> ProviderError {
    ProviderError::Unsupported {
        provider: NAME.to_owned(),
        doing: rpc.name(),
    }
}

fn validate_terraform_data(config: &Value) -> Vec<Problem> {
    let is_given = |name: &&str| config.get(name).is_some_and(|value| !value.is_null());
    ["id", "output"]
        .into_iter()
        .filter(is_given)
        .map(|name| crate::error(format!("\"{name}\" attribute is read-only"), ""))
        .collect()
}

/// A change of `triggers_replace` replaces; a change of `input` recomputes `output`.
fn plan_terraform_data(request: PlanRequest) -> PlanResponse {
    let proposed = request.proposed_new_state;
    let mut requires_replace = Vec::new();
    let mut planned_state = proposed.clone();
    if let (false, Some(attributes)) = (proposed.is_null(), proposed.as_map()) {
        let mut planned = BTreeMap::from(attributes);
        let input = planned
            .get("input")
            .cloned()
            .unwrap_or_else(|| Value::null(Type::Dynamic));
        let is_kept = |name: &str| match (request.prior_state.get(name), attributes.get(name)) {
            (Some(prior), Some(proposed)) => prior.raw_equals(proposed),
            (_, _) => false,
        };
        let is_create = request.prior_state.is_null();
        let is_replace = !is_create && !is_kept("triggers_replace");
        if is_replace {
            requires_replace.push(Path::new().attr("triggers_replace"));
        }
        if is_create || is_replace {
            planned.insert("id".into(), Value::unknown(Type::String).refine_not_null());
            let output = match input.is_null() {
                true => input,
                false => Value::unknown(input.ty().clone()),
            };
            planned.insert("output".into(), output);
        } else if !is_kept("input") {
            planned.insert("output".into(), Value::unknown(input.ty().clone()));
        }
        planned_state = Value::object(planned);
    }
    PlanResponse {
        planned_state,
        requires_replace,
        planned_private: Bytes::new(),
        legacy_type_system: false,
        deferred: None,
        planned_identity: None,
        diagnostics: Vec::new(),
    }
}

fn terraform_data() -> Block {
    let attributes = BTreeMap::from([
        ("id".into(), Attribute::new(Type::String).computed()),
        ("input".into(), Attribute::new(Type::Dynamic).optional()),
        ("output".into(), Attribute::new(Type::Dynamic).computed()),
        (
            "triggers_replace".into(),
            Attribute::new(Type::Dynamic).optional(),
        ),
    ]);
    Block {
        attributes,
        ..Block::default()
    }
}

fn remote_state_block() -> Block {
    let described = |attribute: Attribute, description: &str| Attribute {
        description: description.into(),
        description_kind: DescriptionKind::Markdown,
        ..attribute
    };
    let string = Attribute::new(Type::String);
    let any = Attribute::new(Type::Dynamic);
    let attributes = BTreeMap::from([
        (
            "backend".into(),
            described(
                string.clone().required(),
                "Where the other state is kept: `remote`, `http`, ...",
            ),
        ),
        (
            "config".into(),
            described(
                any.clone().optional(),
                "The arguments that the backend's block would hold.",
            ),
        ),
        (
            "defaults".into(),
            described(
                any.clone().optional(),
                "Values of outputs that the other state lacks.",
            ),
        ),
        (
            "outputs".into(),
            described(
                any.computed(),
                "An object of all outputs of the other root module.",
            ),
        ),
        (
            "workspace".into(),
            described(string.optional(), "The workspace of the other state."),
        ),
    ]);
    Block {
        attributes,
        ..Block::default()
    }
}

fn functions() -> BTreeMap<smol_str::SmolStr, Arc<FunctionSignature>> {
    let function = |name: &str, parameter: &str, from: Type, to: Type, summary: &str| {
        let parameter = FunctionParameter {
            name: parameter.into(),
            ty: from,
            allow_null_value: false,
            allow_unknown_values: name != "decode_tfvars",
            description: "".into(),
            description_kind: DescriptionKind::Plain,
        };
        let signature = FunctionSignature {
            parameters: vec![parameter],
            variadic_parameter: None,
            return_type: to,
            summary: summary.into(),
            description: "".into(),
            description_kind: DescriptionKind::Plain,
            deprecation_message: "".into(),
        };
        (name.into(), Arc::new(signature))
    };
    let (any, string) = (Type::Dynamic, Type::String);
    BTreeMap::from([
        function(
            "decode_tfvars",
            "src",
            string.clone(),
            any.clone(),
            "The values in the text of a `.tfvars` file",
        ),
        function(
            "encode_expr",
            "value",
            any.clone(),
            string.clone(),
            "A value as an expression of the language",
        ),
        function(
            "encode_tfvars",
            "value",
            any,
            string,
            "An object as the text of a `.tfvars` file",
        ),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// From `terraform providers schema -json` of Terraform 1.11.4, without descriptions.
    const PRINTED: &str = r#"{"provider_schemas": {"terraform.io/builtin/terraform": {
        "provider": {"version": 0},
        "resource_schemas": {"terraform_data": {"version": 0, "block": {"attributes": {
            "id": {"type": "string", "computed": true},
            "input": {"type": "dynamic", "optional": true},
            "output": {"type": "dynamic", "computed": true},
            "triggers_replace": {"type": "dynamic", "optional": true}
        }}}},
        "data_source_schemas": {"terraform_remote_state": {"version": 0, "block": {"attributes": {
            "backend": {"type": "string", "required": true},
            "config": {"type": "dynamic", "optional": true},
            "defaults": {"type": "dynamic", "optional": true},
            "outputs": {"type": "dynamic", "computed": true},
            "workspace": {"type": "string", "optional": true}
        }}}}
    }}}"#;

    #[test]
    fn the_schema_is_terraforms() {
        let printed = schema::provider_schemas_from_json(PRINTED)
            .unwrap()
            .remove(NAME)
            .unwrap();
        let ours = BuiltinProvider::new(PathBuf::new()).schema;
        assert_eq!(ours.resources, printed.resources);
        let block = &ours.data_sources[REMOTE_STATE].block;
        for (name, attribute) in &printed.data_sources[REMOTE_STATE].block.attributes {
            let ours = Attribute {
                description: "".into(),
                description_kind: DescriptionKind::Plain,
                ..block.attributes[name].clone()
            };
            assert_eq!(ours, *attribute, "{name}");
        }
        assert_eq!(block.attributes.len(), 5);
    }

    fn object(id: Value, input: Value, output: Value, triggers_replace: Value) -> Value {
        Value::object([
            ("id", id),
            ("input", input),
            ("output", output),
            ("triggers_replace", triggers_replace),
        ])
    }

    fn null() -> Value {
        Value::null(Type::Dynamic)
    }

    fn plan(prior_state: Value, proposed: Value) -> PlanResponse {
        plan_terraform_data(PlanRequest {
            type_name: TERRAFORM_DATA.into(),
            prior_state,
            config: proposed.clone(),
            proposed_new_state: proposed,
            prior_private: Bytes::new(),
            provider_meta: None,
            prior_identity: None,
        })
    }

    fn new_id() -> Value {
        Value::unknown(Type::String).refine_not_null()
    }

    fn prior() -> Value {
        let text = Value::string("a");
        object(Value::string("1"), text.clone(), text, Value::int(1))
    }

    #[test]
    fn a_creation_knows_neither_id_nor_output() {
        let none = Value::null(
            BuiltinProvider::new(PathBuf::new())
                .terraform_data
                .implied_type()
                .clone(),
        );
        let create = |input: Value| {
            let config = object(Value::null(Type::String), input, null(), null());
            plan(none.clone(), config).planned_state
        };
        let unknown = Value::unknown(Type::Number);
        assert_eq!(
            create(Value::int(1)),
            object(new_id(), Value::int(1), unknown, null())
        );
        // The output of no input is known: none, of the input's type.
        assert_eq!(create(null()), object(new_id(), null(), null(), null()));
    }

    #[test]
    fn a_changed_input_recomputes_the_output_in_place() {
        let proposed =
            |input: Value| object(Value::string("1"), input, Value::string("a"), Value::int(1));
        let unchanged = plan(prior(), proposed(Value::string("a")));
        assert_eq!(unchanged.planned_state, prior());
        let changed = plan(prior(), proposed(Value::bool(true)));
        let output = Value::unknown(Type::Bool);
        let expected = object(Value::string("1"), Value::bool(true), output, Value::int(1));
        assert_eq!(changed.planned_state, expected);
        assert_eq!(changed.requires_replace, []);
        let removed = plan(prior(), proposed(null()));
        assert_eq!(removed.planned_state.get("output"), Some(&Value::dynamic()));
    }

    #[test]
    fn a_changed_trigger_replaces() {
        let proposed = object(
            Value::string("1"),
            Value::string("a"),
            Value::string("a"),
            Value::string("1"),
        );
        let replaced = plan(prior(), proposed);
        assert_eq!(
            replaced.requires_replace,
            [Path::new().attr("triggers_replace")]
        );
        let output = Value::unknown(Type::String);
        let expected = object(new_id(), Value::string("a"), output, Value::string("1"));
        assert_eq!(replaced.planned_state, expected);
    }

    /// As terraform plans `moved` from a null_resource.
    #[test]
    fn a_null_resource_becomes_data_with_its_triggers() {
        let builtin = BuiltinProvider::new(PathBuf::new());
        let moved = |from: &str, state: &'static str| {
            builtin.move_here(&MoveRequest {
                source_provider: "hashicorp/null".parse().unwrap(),
                source_type_name: from.into(),
                source_schema_version: 0,
                source_state: Bytes::from_static(state.as_bytes()),
                source_private: Bytes::new(),
                source_identity: Bytes::new(),
                source_identity_schema_version: 0,
                target_type_name: TERRAFORM_DATA.into(),
            })
        };
        let triggers = Value::object([("x", Value::string("1"))]);
        let with = moved("null_resource", r#"{"id":"7","triggers":{"x":"1"}}"#);
        let expected = object(Value::string("7"), null(), null(), triggers);
        assert_eq!(with.target_state, expected);
        let without = moved("null_resource", r#"{"id":"7","triggers":null}"#);
        let expected = object(Value::string("7"), null(), null(), null());
        assert_eq!(without.target_state, expected);
        assert!(moved("null_other", r#"{"id":"7"}"#).diagnostics[0].is_error());
    }

    #[test]
    fn a_deletion_plans_nothing() {
        let none = Value::null(prior().ty().clone());
        assert!(plan(prior(), none).planned_state.is_null());
    }

    #[test]
    fn stored_objects_keep_the_types_of_dynamic_values() {
        let stored = r#"{"id":"1","input":{"value":["a"],"type":["list","string"]},"output":null}"#;
        let upgraded = BuiltinProvider::new(PathBuf::new()).upgrade(RawState::Json(stored));
        assert_eq!(upgraded.diagnostics, []);
        let list = Value::list(Type::String, vec![Value::string("a")]);
        assert_eq!(upgraded.upgraded_state.get("input"), Some(&list));
        assert_eq!(
            upgraded.upgraded_state.get("triggers_replace"),
            Some(&null())
        );
        let damaged = BuiltinProvider::new(PathBuf::new()).upgrade(RawState::Json("{"));
        assert!(damaged.diagnostics[0].is_error());
    }
}
