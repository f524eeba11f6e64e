//! The trait [`Provider`] over one supervised process: requests encoded, responses decoded and cached.

mod about;
mod data;
mod resource;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use cty::{Type, Value};
use futures_util::FutureExt;
use prost::Message;
use schema::{ProviderSchema, Schema};
use sha2::{Digest, Sha256};
use tokio::sync::{OnceCell, Semaphore};

use super::supervisor::{Running, Shared, Supervisor};
use crate::response_cache::CachedAnswer;
use crate::wire::{self, Rpc, tfplugin as pb};
use crate::{
    FunctionError, ImportRequest, ImportResponse, MoveRequest, MoveResponse, OpenResponse,
    PlanRequest, PlanResponse, Problem, Provider, ProviderError, RawState, ReadDataSourceRequest,
    ReadDataSourceResponse, ReadRequest, ReadResponse, RenewResponse, Reply, Slot,
    UpgradeIdentityResponse, UpgradeResponse,
};
use config::ProviderAddr;

pub use about::Substitute;
pub(crate) use about::{kept as kept_schema, substitute};

/// The schema of a provider, which all its instances share.
pub(crate) type SchemaCell = Arc<OnceCell<Arc<ProviderSchema>>>;

/// So many objects are asked about at the same time for each call: while the answer about one is read, others wait for theirs.
const OBJECTS_TO_A_CALL: u32 = 2;

pub(crate) struct Plugin {
    supervisor: Arc<Supervisor>,
    schema: SchemaCell,
    turns: Semaphore,
}

impl Plugin {
    pub fn new(addr: ProviderAddr, schema: SchemaCell, shared: Arc<Shared>) -> Plugin {
        let turns = OBJECTS_TO_A_CALL * shared.calls_at_once.load(Ordering::Relaxed);
        Plugin {
            supervisor: Arc::new(Supervisor::new(addr, shared)),
            schema,
            turns: Semaphore::new(turns as usize),
        }
    }

    /// Ends the process. A later call starts another one.
    pub async fn end(&self) {
        self.supervisor.end().await;
    }

    /// The same, unless it is starting or is being asked something; answers whether it did.
    pub async fn end_idle(&self) -> bool {
        self.supervisor.end_idle().await
    }

    async fn get_schema(&self) -> Result<Arc<ProviderSchema>, ProviderError> {
        let supervisor = &self.supervisor;
        // The fetch goes on when nobody waits for it any more: it takes long where the next one would, too.
        let fetch = || async {
            let supervisor = supervisor.clone();
            tokio::spawn(async move { about::fetch(&supervisor).await })
                .await
                .unwrap_or_else(|error| {
                    Err(unreadable(
                        &self.supervisor.name,
                        Rpc::GetProviderSchema,
                        error,
                    ))
                })
        };
        self.schema.get_or_try_init(fetch).await.cloned()
    }

    async fn resource_schema(&self, type_name: &str) -> Result<Arc<Schema>, ProviderError> {
        let schema = self.get_schema().await?;
        // A type that it doesn't have kills a provider on SDKv2.
        let found = schema.resources.get(type_name).cloned();
        found.ok_or_else(|| self.unknown("resource type", type_name))
    }

    async fn ephemeral_schema(&self, type_name: &str) -> Result<Arc<Schema>, ProviderError> {
        let schema = self.get_schema().await?;
        let found = schema.ephemeral.get(type_name).cloned();
        found.ok_or_else(|| self.unknown("ephemeral resource type", type_name))
    }

    async fn action_schema(&self, type_name: &str) -> Result<Arc<Schema>, ProviderError> {
        let schema = self.get_schema().await?;
        let found = schema.actions.get(type_name).cloned();
        found.ok_or_else(|| self.unknown("action type", type_name))
    }

    async fn data_source_schema(&self, type_name: &str) -> Result<Arc<Schema>, ProviderError> {
        let schema = self.get_schema().await?;
        let found = schema.data_sources.get(type_name).cloned();
        found.ok_or_else(|| self.unknown("data source", type_name))
    }

    fn unknown(&self, kind: &'static str, name: &str) -> ProviderError {
        let provider = self.supervisor.name.clone();
        ProviderError::UnknownType {
            provider,
            kind,
            name: name.to_owned(),
        }
    }

    /// Sends a request whose answer depends on nothing but itself and the process, unless that answer is known.
    async fn cached<T: CachedAnswer>(
        &self,
        rpc: Rpc,
        subject: &str,
        request: impl Message,
        decode: impl FnOnce(Bytes) -> Result<T, String>,
    ) -> Result<T, ProviderError> {
        debug_assert!(!rpc.touches_world(), "{rpc:?} must not be cached");
        let shared = &self.supervisor.shared;
        self.supervisor.refuse_crashing(subject)?;
        let running = self.supervisor.running().await?;
        let request = Bytes::from(request.encode_to_vec());
        let key = key(&running, rpc, &request);
        if let Some(answer) = shared.responses.get(&key) {
            shared.counters.count_cache_hit();
            return Ok(answer);
        }
        let request_bytes = request.len();
        let response = self.supervisor.ask(running, rpc, subject, request).await?;
        let bytes = request_bytes + response.len();
        let answer = decode(response).map_err(|error| self.unreadable(rpc, error))?;
        if answer.is_lasting() {
            shared.responses.insert(key, answer.clone(), bytes);
        }
        Ok(answer)
    }

    /// Sends a request whose answer depends on the world.
    async fn uncached<R: Message + Default>(
        &self,
        rpc: Rpc,
        subject: &str,
        request: impl Message,
    ) -> Result<R, ProviderError> {
        self.supervisor.refuse_crashing(subject)?;
        let running = self.supervisor.running().await?;
        let request = Bytes::from(request.encode_to_vec());
        let response = self.supervisor.ask(running, rpc, subject, request).await?;
        R::decode(response).map_err(|error| self.unreadable(rpc, error))
    }

    async fn validate(
        &self,
        rpc: Rpc,
        subject: &str,
        request: impl Message,
    ) -> Result<Vec<Problem>, ProviderError> {
        // The responses of all validations have their diagnostics in field 1, but for that of the provider itself.
        let decode = |response: Bytes| {
            let diagnostics = match rpc {
                Rpc::ValidateProviderConfig => {
                    pb::validate_provider_config::Response::decode(response)
                        .map(|response| response.diagnostics)
                }
                _ => pb::validate_resource_config::Response::decode(response)
                    .map(|response| response.diagnostics),
            };
            let diagnostics = diagnostics.map_err(|error| error.to_string())?;
            Ok(wire::diagnostics(diagnostics))
        };
        self.cached(rpc, subject, request, decode).await
    }

    async fn call(
        &self,
        name: &str,
        arguments: &[Value],
    ) -> Result<Result<Value, FunctionError>, ProviderError> {
        let rpc = Rpc::CallFunction;
        let schema = self.get_schema().await?;
        let signature = schema
            .functions
            .get(name)
            .ok_or_else(|| self.unknown("function", name))?;
        let more = signature.variadic_parameter.iter().cycle();
        let arguments = arguments
            .iter()
            .zip(signature.parameters.iter().chain(more))
            .map(|(argument, parameter)| {
                Ok(self
                    .encode(rpc, argument, &parameter.ty)?
                    .unwrap_or_default())
            })
            .collect::<Result<_, ProviderError>>()?;
        let message = pb::call_function::Request {
            name: name.to_owned(),
            arguments,
        };
        let decode = |response: Bytes| {
            let response =
                pb::call_function::Response::decode(response).map_err(|error| error.to_string())?;
            if let Some(error) = response.error {
                let argument = error
                    .function_argument
                    .and_then(|index| index.try_into().ok());
                return Ok(Err(FunctionError {
                    text: wire::message(&error.text),
                    argument,
                }));
            }
            wire::decode_value(response.result.as_ref(), &signature.return_type).map(Ok)
        };
        self.cached(rpc, name, message, decode).await
    }

    async fn configure_with(&self, config: &Value) -> Result<Vec<Problem>, ProviderError> {
        let rpc = Rpc::ConfigureProvider;
        let schema = self.get_schema().await?;
        let request = pb::configure_provider::Request {
            terraform_version: self.supervisor.shared.terraform_version.clone(),
            config: self.encode(rpc, config, schema.provider.implied_type())?,
            client_capabilities: wire::client_capabilities(),
        };
        let request = Bytes::from(request.encode_to_vec());
        match self.supervisor.configure(request, is_refused).await? {
            None => Ok(Vec::new()),
            Some(response) => pb::configure_provider::Response::decode(response)
                .map(|response| wire::diagnostics(response.diagnostics))
                .map_err(|error| self.unreadable(rpc, error)),
        }
    }

    fn encode(
        &self,
        rpc: Rpc,
        value: &Value,
        ty: &Type,
    ) -> Result<Option<pb::DynamicValue>, ProviderError> {
        wire::encode_value(value, ty).map_err(|reason| ProviderError::Request {
            provider: self.supervisor.name.clone(),
            doing: rpc.name(),
            reason,
        })
    }

    /// A provider that takes metadata of a module gets null where the module has none.
    async fn encode_meta(
        &self,
        rpc: Rpc,
        meta: Option<&Value>,
    ) -> Result<Option<pb::DynamicValue>, ProviderError> {
        match &self.get_schema().await?.provider_meta {
            None => Ok(None),
            Some(schema) => {
                let ty = schema.implied_type();
                self.encode(rpc, meta.unwrap_or(&Value::null(ty.clone())), ty)
            }
        }
    }

    /// Decodes a response that isn't kept.
    fn value(
        &self,
        rpc: Rpc,
        value: Option<&pb::DynamicValue>,
        diagnostics: &[Problem],
        ty: &Type,
    ) -> Result<Value, ProviderError> {
        wire::decode_beside(value, diagnostics, ty).map_err(|reason| self.unreadable(rpc, reason))
    }

    fn unreadable(&self, rpc: Rpc, reason: impl ToString) -> ProviderError {
        unreadable(&self.supervisor.name, rpc, reason)
    }
}

impl Provider for Plugin {
    fn acquire_slot(&self) -> Slot<'_> {
        // It is never closed.
        self.turns.acquire().map(Result::ok).boxed()
    }

    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        self.get_schema().boxed()
    }

    fn validate_provider_config<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::ValidateProviderConfig;
            let schema = self.get_schema().await?;
            let config = self.encode(rpc, config, schema.provider.implied_type())?;
            self.validate(rpc, "", pb::validate_provider_config::Request { config })
                .await
        }
        .boxed()
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.configure_with(config).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::ValidateResourceConfig;
            let schema = self.resource_schema(type_name).await?;
            let request = pb::validate_resource_config::Request {
                type_name: type_name.to_owned(),
                config: self.encode(rpc, config, schema.implied_type())?,
                client_capabilities: wire::client_capabilities(),
            };
            self.validate(rpc, type_name, request).await
        }
        .boxed()
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::ValidateDataSourceConfig;
            let schema = self.data_source_schema(type_name).await?;
            let request = pb::validate_data_source_config::Request {
                type_name: type_name.to_owned(),
                config: self.encode(rpc, config, schema.implied_type())?,
            };
            self.validate(rpc, type_name, request).await
        }
        .boxed()
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        self.upgrade(type_name, version, raw_state).boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        self.plan(request).boxed()
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        self.read(request).boxed()
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        self.read_data(request).boxed()
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        self.import(request).boxed()
    }

    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        self.move_state(request).boxed()
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_identity: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        self.upgrade_identity(type_name, version, raw_identity)
            .boxed()
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::ValidateEphemeralResourceConfig;
            let schema = self.ephemeral_schema(type_name).await?;
            let request = pb::validate_ephemeral_resource_config::Request {
                type_name: type_name.to_owned(),
                config: self.encode(rpc, config, schema.implied_type())?,
            };
            self.validate(rpc, type_name, request).await
        }
        .boxed()
    }

    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse> {
        self.open(type_name, config).boxed()
    }

    fn renew_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, RenewResponse> {
        self.renew(type_name, private).boxed()
    }

    fn close_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, Vec<Problem>> {
        self.close(type_name, private).boxed()
    }

    fn validate_action_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::ValidateActionConfig;
            let schema = self.action_schema(type_name).await?;
            let request = pb::validate_action_config::Request {
                type_name: type_name.to_owned(),
                config: self.encode(rpc, config, schema.implied_type())?,
            };
            self.validate(rpc, type_name, request).await
        }
        .boxed()
    }

    fn plan_action<'a>(&'a self, type_name: &'a str, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        async move {
            let rpc = Rpc::PlanAction;
            let schema = self.action_schema(type_name).await?;
            let request = pb::plan_action::Request {
                action_type: type_name.to_owned(),
                config: self.encode(rpc, config, schema.implied_type())?,
                client_capabilities: wire::client_capabilities(),
            };
            self.validate(rpc, type_name, request).await
        }
        .boxed()
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.call(name, arguments).boxed()
    }
}

fn key(running: &Running, rpc: Rpc, request: &[u8]) -> [u8; 32] {
    let mut key = Sha256::new();
    key.update(running.identity);
    key.update([rpc as u8]);
    key.update(request);
    key.finalize().into()
}

fn is_refused(response: &[u8]) -> bool {
    pb::configure_provider::Response::decode(response).map_or(true, |response| {
        wire::diagnostics(response.diagnostics)
            .iter()
            .any(Problem::is_error)
    })
}

fn unreadable(provider: &str, rpc: Rpc, reason: impl ToString) -> ProviderError {
    ProviderError::Protocol {
        provider: provider.to_owned(),
        doing: rpc.name(),
        reason: reason.to_string(),
    }
}
