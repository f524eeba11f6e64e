//! A provider that answers from a recording: each request by the answer to an equal one.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use cty::testing::{path, ty, value};
use cty::{Type, Value};
use futures_util::FutureExt;
use futures_util::future::ready;
use plan::objchange::planned_unknown_object;
use provider::{
    FunctionError, ImportRequest, ImportResponse, ImportTarget, ImportedObject, MoveRequest,
    MoveResponse, OpenResponse, PlanRequest, PlanResponse, Problem, Provider, ProviderError,
    RawState, ReadDataSourceRequest, ReadDataSourceResponse, ReadRequest, ReadResponse,
    RenewResponse, Reply, Rpc, UpgradeIdentityResponse, UpgradeResponse,
};
use schema::{Block, Capabilities, FunctionParameter, FunctionSignature, ProviderSchema, Schema};
use serde_json::Value as Json;
use smol_str::SmolStr;
use text::Severity;

use crate::schema_json::block;

/// A recorded request with its answer.
#[derive(Clone)]
pub struct Call {
    rpc: String,
    type_name: String,
    /// Everything else of the request, by the recording's names.
    fields: BTreeMap<&'static str, Field>,
    response: Json,
}

#[derive(Clone)]
enum Field {
    Value(Value),
    Values(Vec<Value>),
    /// What is stored, as JSON.
    Raw(Json),
    Text(String),
}

/// All calls of one plan, and what became of them.
pub struct Transcript {
    calls: Vec<Call>,
    /// What was asked: the place of the equal call in `calls`, or what made the difference.
    asked: Mutex<Vec<Result<usize, String>>>,
    /// Whether what was not recorded gets an answer that changes nothing: the recorded plan stopped at an error.
    is_incomplete: bool,
}

/// A provider of the transcript.
pub struct Replay {
    pub transcript: Arc<Transcript>,
    pub schema: Arc<ProviderSchema>,
}

impl Call {
    /// `None` for what is asked about no type of object.
    pub fn read(json: &Json) -> Option<Call> {
        let rpc = json["rpc"].as_str()?.to_owned();
        if matches!(rpc.as_str(), "GetProviderSchema" | "ValidateProviderConfig") {
            return None;
        }
        let req = &json["req"];
        let mut fields = BTreeMap::new();
        for name in ["Config", "PriorState", "ProposedNewState", "ProviderMeta"] {
            if let Some(value) =
                value(&req[name]).filter(|v| name != "ProviderMeta" || !v.is_null())
            {
                fields.insert(name, Field::Value(value));
            }
        }
        if let Some(raw) = req["RawStateJSON"].as_str() {
            let raw = serde_json::from_str(raw).unwrap_or(Json::Null);
            fields.insert("RawState", Field::Raw(raw));
            let version = req["Version"].as_i64().unwrap_or(0);
            fields.insert("Version", Field::Text(version.to_string()));
        }
        if let Some(arguments) = req["Arguments"].as_array() {
            let arguments = arguments.iter().filter_map(value).collect();
            fields.insert("Arguments", Field::Values(arguments));
        }
        if let Some(id) = req["Target"]["ID"].as_str() {
            fields.insert("Id", Field::Text(id.to_owned()));
        }
        if let Some(identity) = value(&req["Target"]["Identity"]) {
            fields.insert("Identity", Field::Value(identity));
        }
        let type_name = req["TypeName"].as_str().or(req["Name"].as_str());
        Some(Call {
            type_name: type_name.unwrap_or_default().to_owned(),
            rpc,
            fields,
            response: json["resp"].clone(),
        })
    }

    fn is_same(&self, other: &Call) -> bool {
        self.type_name == other.type_name && self.differences(&other.fields).is_empty()
    }

    /// Which fields differ, with both values.
    fn differences(&self, other: &BTreeMap<&'static str, Field>) -> Vec<String> {
        let mut found = Vec::new();
        for name in self.fields.keys().chain(other.keys()) {
            let (recorded, ours) = (self.fields.get(name), other.get(name));
            match (recorded, ours) {
                (Some(Field::Value(recorded)), Some(Field::Value(ours))) => {
                    value_differences(name, recorded, ours, &mut found);
                }
                (Some(recorded), Some(ours)) if recorded.is_same(ours) => {}
                (recorded, ours) => found.push(format!(
                    "{name} ours {} recorded {}",
                    show_field(ours),
                    show_field(recorded)
                )),
            }
        }
        found.dedup();
        found
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.rpc, self.type_name)?;
        for (name, field) in &self.fields {
            let text = show_field(Some(field));
            write!(f, "\n    {name}: {text}")?;
        }
        let response = ["PlannedState", "NewState", "State", "Result", "Diagnostics"];
        for name in response {
            match value(&self.response[name]) {
                Some(value) => write!(f, "\n    -> {name}: {}", show(&value))?,
                None if self.response[name].is_array() => {
                    write!(f, "\n    -> {name}: {}", self.response[name])?;
                }
                None => {}
            }
        }
        Ok(())
    }
}

impl Field {
    fn is_same(&self, other: &Field) -> bool {
        match (self, other) {
            (Field::Value(a), Field::Value(b)) => a.raw_equals(b),
            (Field::Values(a), Field::Values(b)) => {
                a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.raw_equals(b))
            }
            (Field::Raw(a), Field::Raw(b)) => a == b,
            (Field::Text(a), Field::Text(b)) => a == b,
            (_, _) => false,
        }
    }
}

fn show_field(field: Option<&Field>) -> String {
    match field {
        None => "nothing".to_owned(),
        Some(Field::Value(value)) => show(value),
        Some(Field::Values(values)) => format!("{values:?}"),
        Some(Field::Raw(json)) => json.to_string(),
        Some(Field::Text(text)) => text.clone(),
    }
}

/// An object without its null attributes.
pub fn show(value: &Value) -> String {
    match value.as_map() {
        Some(attributes) => {
            let attributes = attributes.iter().filter(|(_, value)| !value.is_null());
            let attributes: Vec<String> = attributes
                .map(|(name, value)| format!("{name}={}", show(value)))
                .collect();
            format!("{{{}}}", attributes.join(" "))
        }
        None => format!("{value:?}"),
    }
}

/// Where two values differ, attribute by attribute.
pub fn value_differences(at: &str, recorded: &Value, ours: &Value, found: &mut Vec<String>) {
    if recorded.raw_equals(ours) || recorded.is_null() && ours.is_null() {
        return;
    }
    match (recorded.as_map(), ours.as_map()) {
        (Some(a), Some(b)) if a.keys().eq(b.keys()) => {
            for (name, recorded) in a {
                value_differences(
                    &format!("{at}.{name}"),
                    recorded,
                    b.get(name).unwrap(),
                    found,
                );
            }
        }
        (_, _) => found.push(format!(
            "{at} ours {} recorded {}",
            show(ours),
            show(recorded)
        )),
    }
}

impl Transcript {
    pub fn new(calls: Vec<Call>, is_incomplete: bool) -> Transcript {
        Transcript {
            is_incomplete,
            calls,
            asked: Mutex::default(),
        }
    }

    /// Requests that are not in the recording, and what makes the difference to the nearest that is.
    pub fn misses(&self) -> Vec<String> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked
            .iter()
            .filter_map(|asked| asked.clone().err())
            .collect()
    }

    /// Requests that were recorded but not made, or made more often than recorded. A configured provider stays
    /// configured with us, where the recording configures one for each walk; and where all is destroyed, a second walk
    /// asks again what the first has asked.
    pub fn miscounted(&self, is_destroy: bool) -> Vec<(String, String)> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let mut found = Vec::new();
        for (index, call) in self.calls.iter().enumerate() {
            let times = asked
                .iter()
                .filter(|asked| asked.as_ref().ok() == Some(&index));
            let is_again = || {
                let mut before = self.calls[..index].iter();
                before.any(|before| before.rpc == call.rpc && before.is_same(call))
            };
            match times.count() {
                0 if (is_destroy || call.rpc == "ConfigureProvider") && is_again() => {}
                // Of the object as the first walk has read it.
                0 if is_destroy && call.rpc == "UpgradeResourceState" => {}
                // The answer of a function is kept.
                0 if call.rpc == "CallFunction" && is_again() => {}
                0 => found.push((format!("{} is not made", call.rpc), call.to_string())),
                1 => {}
                _ => found.push((format!("{} is made too often", call.rpc), call.to_string())),
            }
        }
        found
    }

    /// Whether there is an equal request that was not made yet.
    fn has(&self, rpc: &str, type_name: &str, fields: &BTreeMap<&'static str, Field>) -> bool {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        self.calls.iter().enumerate().any(|(index, call)| {
            let is_same = || call.differences(fields).is_empty();
            call.rpc == rpc
                && call.type_name == type_name
                && !asked.contains(&Ok(index))
                && is_same()
        })
    }

    /// The answer to an equal request, one that was not given yet if there is any.
    fn answer(
        &self,
        rpc: &'static str,
        type_name: &str,
        fields: BTreeMap<&'static str, Field>,
    ) -> Result<&Json, ProviderError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let candidates = self.calls.iter().enumerate();
        let candidates: Vec<(usize, Vec<String>)> = candidates
            .filter(|(_, call)| call.rpc == rpc && call.type_name == type_name)
            .map(|(index, call)| (index, call.differences(&fields)))
            .collect();
        let is_used = |index: &usize| asked.iter().any(|asked| asked.as_ref() == Ok(index));
        let best = candidates
            .iter()
            .min_by_key(|(index, found)| (found.len(), is_used(index)));
        let has_equal = best.is_some_and(|(_, found)| found.is_empty());
        if self.is_incomplete && !has_equal {
            return Ok(&Json::Null);
        }
        let miss = match best {
            Some((index, found)) if found.is_empty() => {
                let index = *index;
                asked.push(Ok(index));
                return Ok(&self.calls[index].response);
            }
            Some((_, found)) => format!("{rpc} {type_name}: {}", found.join("; ")),
            None => format!("{rpc} {type_name}: no such call"),
        };
        asked.push(Err(miss.clone()));
        Err(ProviderError::Request {
            provider: "recorded".to_owned(),
            doing: rpc,
            reason: miss,
        })
    }
}

fn diagnostics(response: &Json) -> Vec<Problem> {
    let list = response["Diagnostics"].as_array().into_iter().flatten();
    list.map(|json| {
        // An error of Go's, or a simple warning: a summary alone.
        let error = json["err"]["error"].as_str();
        let simple = error.or(json.as_str());
        let text = |name: &str| json[name].as_str().unwrap_or_default().to_owned();
        let is_error = error.is_some() || json["severity"] == u32::from('E');
        let severity = match is_error {
            true => Severity::Error,
            false => Severity::Warning,
        };
        let summary = simple.map_or_else(|| text("summary"), str::to_owned);
        provider::said(severity, summary, text("detail"), None)
    })
    .collect()
}

/// The value under `name`; null of `ty` where there is none.
fn state(response: &Json, name: &str, ty: &Type) -> Value {
    value(&response[name]).unwrap_or_else(|| Value::null(ty.clone()))
}

/// The schema of a provider, or as much as was recorded of it.
pub fn provider_schema(json: &Json) -> ProviderSchema {
    let entries = |name: &str| json[name].as_object().into_iter().flatten();
    let schema = |json: &Json| {
        let version = json["Version"].as_i64().unwrap_or(0);
        Arc::new(Schema::new(version, block(&json["Block"])))
    };
    let schemas = |name: &str| {
        let entries = entries(name);
        entries
            .map(|(name, json)| (SmolStr::from(name), schema(json)))
            .collect()
    };
    ProviderSchema {
        version: None,
        provider: schema(&json["Provider"]),
        resources: schemas("ResourceTypes"),
        data_sources: schemas("DataSources"),
        ephemeral: schemas("EphemeralResources"),
        actions: schemas("Actions"),
        identities: entries("ResourceTypes")
            .filter(|(_, json)| json["IdentitySchema"].is_object())
            .map(|(name, json)| {
                let version = json["IdentitySchemaVersion"].as_i64().unwrap_or(0);
                let block = block(&json["IdentitySchema"]);
                (name.into(), Arc::new(Schema::new(version, block)))
            })
            .collect(),
        functions: entries("Functions")
            .map(|(name, json)| (name.into(), Arc::new(function(json))))
            .collect(),
        provider_meta: json["ProviderMeta"]
            .is_object()
            .then(|| schema(&json["ProviderMeta"])),
        capabilities: Capabilities {
            plan_destroy: true,
            move_resource_state: true,
            ..Capabilities::default()
        },
    }
}

pub fn no_schema() -> ProviderSchema {
    ProviderSchema {
        version: None,
        provider: Arc::new(Schema::new(0, Block::default())),
        ..provider_schema(&Json::Null)
    }
}

fn function(json: &Json) -> FunctionSignature {
    let parameter = |json: &Json| FunctionParameter {
        name: json["Name"].as_str().unwrap_or_default().into(),
        ty: ty(&json["Type"]).unwrap_or(Type::Dynamic),
        allow_null_value: json["AllowNullValue"] == true,
        allow_unknown_values: json["AllowUnknownValues"] == true,
        description: SmolStr::default(),
        description_kind: Default::default(),
    };
    let parameters = json["Parameters"].as_array().into_iter().flatten();
    FunctionSignature {
        parameters: parameters.map(parameter).collect(),
        variadic_parameter: json["VariadicParameter"]
            .is_object()
            .then(|| parameter(&json["VariadicParameter"])),
        return_type: ty(&json["Return"]).unwrap_or(Type::Dynamic),
        summary: SmolStr::default(),
        description: SmolStr::default(),
        description_kind: Default::default(),
        deprecation_message: SmolStr::default(),
    }
}

fn fields<const N: usize>(
    given: [(&'static str, Option<&Value>); N],
) -> BTreeMap<&'static str, Field> {
    let given = given.into_iter();
    given
        .filter_map(|(name, value)| Some((name, Field::Value(value?.clone()))))
        .collect()
}

impl Replay {
    fn implied_type(&self, type_name: &str) -> Type {
        let schema = self.schema.resources.get(type_name);
        schema.map_or(Type::Dynamic, |schema| schema.implied_type().clone())
    }
}

impl Provider for Replay {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        ready(Ok(self.schema.clone())).boxed()
    }

    fn validate_provider_config<'a>(&'a self, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        let fields = fields([("Config", Some(config))]);
        let answer = self.transcript.answer("ConfigureProvider", "", fields);
        ready(answer.map(diagnostics)).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        let fields = fields([("Config", Some(config))]);
        let answer = self
            .transcript
            .answer("ValidateResourceConfig", type_name, fields);
        ready(answer.map(diagnostics)).boxed()
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        let fields = fields([("Config", Some(config))]);
        // The recording has it only where the data source is read at once; the walk before that is not recorded.
        let transcript = &self.transcript;
        let answer = match transcript.has("ValidateDataResourceConfig", type_name, &fields) {
            true => transcript.answer("ValidateDataResourceConfig", type_name, fields),
            false => Ok(&Json::Null),
        };
        ready(answer.map(diagnostics)).boxed()
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        let raw: Json = match raw_state {
            RawState::Json(json) => serde_json::from_str(json).unwrap_or(Json::Null),
            RawState::Flat(_) => Json::Null,
        };
        let ty = self.implied_type(type_name);
        let decoded = cty::json::decode(&raw, &ty).ok();
        let fields = BTreeMap::from([
            ("RawState", Field::Raw(raw)),
            ("Version", Field::Text(version.to_string())),
        ]);
        let answer = self
            .transcript
            .answer("UpgradeResourceState", type_name, fields);
        let response = answer.map(|response| UpgradeResponse {
            upgraded_state: value(&response["UpgradedState"])
                .or(decoded)
                .unwrap_or_else(|| Value::null(ty)),
            diagnostics: diagnostics(response),
        });
        ready(response).boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        let fields = fields([
            ("Config", Some(&request.config)),
            ("PriorState", Some(&request.prior_state)),
            ("ProposedNewState", Some(&request.proposed_new_state)),
            ("ProviderMeta", request.provider_meta.as_ref()),
        ]);
        let type_name = &request.type_name;
        let answer = self
            .transcript
            .answer("PlanResourceChange", type_name, fields);
        let response = answer.map(|response| PlanResponse {
            planned_state: value(&response["PlannedState"]).unwrap_or_else(|| {
                let schema = self.schema.resources.get(type_name);
                match schema.filter(|_| request.prior_state.is_null()) {
                    Some(schema) => planned_unknown_object(&schema.block, &request.config),
                    None => request.proposed_new_state.clone(),
                }
            }),
            requires_replace: response["RequiresReplace"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(path)
                .collect(),
            planned_private: Bytes::new(),
            legacy_type_system: response["LegacyTypeSystem"] == true,
            deferred: None,
            planned_identity: None,
            diagnostics: diagnostics(response),
        });
        ready(response).boxed()
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        let fields = fields([
            ("PriorState", Some(&request.current_state)),
            ("ProviderMeta", request.provider_meta.as_ref()),
        ]);
        let type_name = &request.type_name;
        let answer = self.transcript.answer("ReadResource", type_name, fields);
        let response = answer.map(|response| ReadResponse {
            new_state: value(&response["NewState"])
                .unwrap_or_else(|| request.current_state.clone()),
            private: Bytes::new(),
            deferred: None,
            new_identity: None,
            diagnostics: diagnostics(response),
        });
        ready(response).boxed()
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        let type_name = request.type_name.as_str();
        let fields = fields([
            ("Config", Some(&request.config)),
            ("ProviderMeta", request.provider_meta.as_ref()),
        ]);
        let answer = self.transcript.answer("ReadDataSource", type_name, fields);
        let response = answer.map(|response| ReadDataSourceResponse {
            state: value(&response["State"]).unwrap_or_else(|| request.config.clone()),
            deferred: None,
            diagnostics: diagnostics(response),
        });
        ready(response).boxed()
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        let fields = match request.target {
            ImportTarget::Id(id) => BTreeMap::from([("Id", Field::Text(id))]),
            ImportTarget::Identity(value) => fields([("Identity", Some(&value))]),
        };
        let rpc = "ImportResourceState";
        let answer = self.transcript.answer(rpc, &request.type_name, fields);
        let response = answer.map(|response| {
            let objects = response["ImportedResources"].as_array();
            let imported = objects.into_iter().flatten().map(|object| {
                let type_name = object["TypeName"].as_str().unwrap_or_default();
                ImportedObject {
                    type_name: type_name.into(),
                    state: state(object, "State", &self.implied_type(type_name)),
                    private: Bytes::new(),
                    identity: None,
                }
            });
            ImportResponse {
                imported: imported.collect(),
                deferred: None,
                diagnostics: diagnostics(response),
            }
        });
        ready(response).boxed()
    }

    /// Moves are not recorded. The provider that was asked takes an object of the same attributes as its own.
    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        let ty = self.implied_type(&request.target_type_name);
        let text = std::str::from_utf8(&request.source_state).unwrap_or_default();
        let response = MoveResponse {
            target_state: cty::json::decode_str(text, &ty).unwrap_or_else(|_| Value::null(ty)),
            target_private: request.source_private,
            target_identity: None,
            diagnostics: Vec::new(),
        };
        ready(Ok(response)).boxed()
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        _: &'a str,
        _: i64,
        _: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        ready(Err(not_recorded(Rpc::UpgradeResourceIdentity))).boxed()
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        _: &'a str,
        _: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn validate_action_config<'a>(&'a self, _: &'a str, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn plan_action<'a>(&'a self, _: &'a str, _: &'a Value) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse> {
        let fields = fields([("Config", Some(config))]);
        let rpc = "OpenEphemeralResource";
        let answer = self.transcript.answer(rpc, type_name, fields);
        let schema = self.schema.ephemeral.get(type_name);
        let ty = schema.map_or(Type::Dynamic, |schema| schema.implied_type().clone());
        let response = answer.map(|response| OpenResponse {
            result: state(response, "Result", &ty),
            renew_at: None,
            private: Bytes::new(),
            deferred: None,
            diagnostics: diagnostics(response),
        });
        ready(response).boxed()
    }

    fn renew_ephemeral<'a>(&'a self, _: &'a str, _: Bytes) -> Reply<'a, RenewResponse> {
        ready(Err(not_recorded(Rpc::RenewEphemeralResource))).boxed()
    }

    fn close_ephemeral<'a>(&'a self, _: &'a str, _: Bytes) -> Reply<'a, Vec<Problem>> {
        ready(Ok(Vec::new())).boxed()
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        let fields = BTreeMap::from([("Arguments", Field::Values(arguments.to_vec()))]);
        let answer = self.transcript.answer("CallFunction", name, fields);
        let response = answer.map(|response| Ok(state(response, "Result", &Type::Dynamic)));
        ready(response).boxed()
    }
}

fn not_recorded(rpc: Rpc) -> ProviderError {
    ProviderError::Unsupported {
        provider: "recorded".to_owned(),
        doing: rpc.name(),
    }
}
