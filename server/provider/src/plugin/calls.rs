//! The trait [`Provider`] over one supervised process: requests encoded, responses decoded and cached.

use std::sync::Arc;

use bytes::Bytes;
use cty::{Type, Value};
use futures_util::FutureExt;
use prost::Message;
use schema::{ProviderSchema, Schema};
use sha2::{Digest, Sha256};
use tokio::sync::OnceCell;

use super::supervisor::{Running, Shared, Supervisor};
use crate::find;
use crate::response_cache::Cached;
use crate::wire::{self, Rpc, tfplugin as pb};
use crate::{
    FunctionError, PlanRequest, PlanResponse, Provider, ProviderDiagnostic, ProviderError,
    ReadDataSourceResponse, ReadRequest, ReadResponse, Reply, UpgradeResponse,
};
use config::ProviderAddr;

/// The schema of a provider, which all its instances share.
pub(crate) type SchemaCell = Arc<OnceCell<Arc<ProviderSchema>>>;

pub(crate) struct Plugin {
    supervisor: Arc<Supervisor>,
    schema: SchemaCell,
}

impl Plugin {
    pub fn new(addr: ProviderAddr, schema: SchemaCell, shared: Arc<Shared>) -> Plugin {
        Plugin {
            supervisor: Arc::new(Supervisor::new(addr, shared)),
            schema,
        }
    }

    /// Ends the process. A later call starts another one.
    pub async fn end(&self) {
        self.supervisor.end().await;
    }

    async fn get_schema(&self) -> Result<Arc<ProviderSchema>, ProviderError> {
        let supervisor = &self.supervisor;
        // The fetch goes on when nobody waits for it any more: it takes long where the next one would, too.
        let fetch = || async {
            let supervisor = supervisor.clone();
            tokio::spawn(async move { fetch_schema(&supervisor).await })
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
    async fn cached(
        &self,
        rpc: Rpc,
        subject: &str,
        request: impl Message,
        decode: impl FnOnce(Bytes) -> Result<Cached, String>,
    ) -> Result<Cached, ProviderError> {
        let shared = &self.supervisor.shared;
        self.supervisor.refuse_crashing(subject)?;
        let running = self.supervisor.running().await?;
        let request = Bytes::from(request.encode_to_vec());
        let key = key(&running, rpc, &request);
        if let Some(cached) = shared.responses.get(&key) {
            shared.counters.count_cache_hit();
            return Ok(cached);
        }
        let request_bytes = request.len();
        let response = self.supervisor.ask(running, rpc, subject, request).await?;
        let bytes = request_bytes + response.len();
        let decoded = decode(response).map_err(|error| self.unreadable(rpc, error))?;
        if is_lasting(&decoded) {
            shared.responses.insert(key, decoded.clone(), bytes);
        }
        Ok(decoded)
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
    ) -> Result<Vec<ProviderDiagnostic>, ProviderError> {
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
            Ok(Cached::Diagnostics(wire::diagnostics(diagnostics)))
        };
        match self.cached(rpc, subject, request, decode).await? {
            Cached::Diagnostics(diagnostics) => Ok(diagnostics),
            Cached::Upgrade(_) | Cached::Plan(_) => Err(self.unreadable(rpc, MIXED_UP)),
        }
    }

    async fn upgrade(
        &self,
        type_name: &str,
        version: i64,
        raw_state: &[u8],
    ) -> Result<UpgradeResponse, ProviderError> {
        let rpc = Rpc::UpgradeResourceState;
        let schema = self.resource_schema(type_name).await?;
        let raw_state = Some(pb::RawState {
            json: Bytes::copy_from_slice(raw_state),
        });
        let request = pb::upgrade_resource_state::Request {
            type_name: type_name.to_owned(),
            version,
            raw_state,
        };
        let decode = |response: Bytes| {
            let response = pb::upgrade_resource_state::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let value = wire::decode_value(response.upgraded_state.as_ref(), schema.implied_type());
            let diagnostics = wire::diagnostics(response.diagnostics);
            Ok(Cached::Upgrade(UpgradeResponse {
                upgraded_state: or_null(value, &diagnostics, schema.implied_type())?,
                diagnostics,
            }))
        };
        match self.cached(rpc, type_name, request, decode).await? {
            Cached::Upgrade(response) => Ok(response),
            Cached::Diagnostics(_) | Cached::Plan(_) => Err(self.unreadable(rpc, MIXED_UP)),
        }
    }

    async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, ProviderError> {
        let rpc = Rpc::PlanResourceChange;
        let type_name = &request.type_name;
        let schema = self.resource_schema(type_name).await?;
        let ty = schema.implied_type();
        let encode = |value: &Value| self.encode(rpc, value, ty);
        let message = pb::plan_resource_change::Request {
            type_name: type_name.to_string(),
            prior_state: encode(&request.prior_state)?,
            proposed_new_state: encode(&request.proposed_new_state)?,
            config: encode(&request.config)?,
            prior_private: request.prior_private.clone(),
            provider_meta: self
                .encode_meta(rpc, request.provider_meta.as_ref())
                .await?,
            client_capabilities: wire::client_capabilities(),
        };
        let decode = |response: Bytes| {
            let mut response = pb::plan_resource_change::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let value = wire::decode_value(response.planned_state.as_ref(), ty);
            let diagnostics = wire::diagnostics(std::mem::take(&mut response.diagnostics));
            let paths = response
                .requires_replace
                .into_iter()
                .map(wire::attribute_path);
            Ok(Cached::Plan(PlanResponse {
                planned_state: or_null(value, &diagnostics, ty)?,
                requires_replace: paths.collect(),
                planned_private: response.planned_private,
                legacy_type_system: response.legacy_type_system,
                deferred: wire::deferred(response.deferred),
                diagnostics,
            }))
        };
        match self.cached(rpc, type_name, message, decode).await? {
            Cached::Plan(response) => Ok(response),
            Cached::Diagnostics(_) | Cached::Upgrade(_) => Err(self.unreadable(rpc, MIXED_UP)),
        }
    }

    async fn read(&self, request: ReadRequest) -> Result<ReadResponse, ProviderError> {
        let rpc = Rpc::ReadResource;
        let schema = self.resource_schema(&request.type_name).await?;
        let ty = schema.implied_type();
        let message = pb::read_resource::Request {
            type_name: request.type_name.to_string(),
            current_state: self.encode(rpc, &request.current_state, ty)?,
            private: request.private.clone(),
            provider_meta: self
                .encode_meta(rpc, request.provider_meta.as_ref())
                .await?,
            client_capabilities: wire::client_capabilities(),
        };
        let response: pb::read_resource::Response =
            self.uncached(rpc, &request.type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        let value = wire::decode_value(response.new_state.as_ref(), ty);
        Ok(ReadResponse {
            new_state: or_null(value, &diagnostics, ty)
                .map_err(|error| self.unreadable(rpc, error))?,
            private: response.private,
            deferred: wire::deferred(response.deferred),
            diagnostics,
        })
    }

    async fn read_data(
        &self,
        type_name: &str,
        config: &Value,
    ) -> Result<ReadDataSourceResponse, ProviderError> {
        let rpc = Rpc::ReadDataSource;
        let schema = self.data_source_schema(type_name).await?;
        let ty = schema.implied_type();
        let message = pb::read_data_source::Request {
            type_name: type_name.to_owned(),
            config: self.encode(rpc, config, ty)?,
            provider_meta: self.encode_meta(rpc, None).await?,
            client_capabilities: wire::client_capabilities(),
        };
        let response: pb::read_data_source::Response =
            self.uncached(rpc, type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        let value = wire::decode_value(response.state.as_ref(), ty);
        Ok(ReadDataSourceResponse {
            state: or_null(value, &diagnostics, ty).map_err(|error| self.unreadable(rpc, error))?,
            deferred: wire::deferred(response.deferred),
            diagnostics,
        })
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
        let response: pb::call_function::Response = self.uncached(rpc, name, message).await?;
        if let Some(error) = response.error {
            let argument = error
                .function_argument
                .and_then(|index| index.try_into().ok());
            return Ok(Err(FunctionError {
                text: error.text,
                argument,
            }));
        }
        wire::decode_value(response.result.as_ref(), &signature.return_type)
            .map(Ok)
            .map_err(|error| self.unreadable(rpc, error))
    }

    async fn configure_with(
        &self,
        config: &Value,
    ) -> Result<Vec<ProviderDiagnostic>, ProviderError> {
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

    fn unreadable(&self, rpc: Rpc, reason: impl ToString) -> ProviderError {
        unreadable(&self.supervisor.name, rpc, reason)
    }
}

/// Requests name their call in the cache's key, so this can't be.
const MIXED_UP: &str = "cached responses were mixed up";

impl Provider for Plugin {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        self.get_schema().boxed()
    }

    fn validate_provider_config<'a>(
        &'a self,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>> {
        async move {
            let rpc = Rpc::ValidateProviderConfig;
            let schema = self.get_schema().await?;
            let config = self.encode(rpc, config, schema.provider.implied_type())?;
            self.validate(rpc, "", pb::validate_provider_config::Request { config })
                .await
        }
        .boxed()
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<ProviderDiagnostic>> {
        self.configure_with(config).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>> {
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
    ) -> Reply<'a, Vec<ProviderDiagnostic>> {
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
        raw_state: &'a [u8],
    ) -> Reply<'a, UpgradeResponse> {
        self.upgrade(type_name, version, raw_state).boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        self.plan(request).boxed()
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        self.read(request).boxed()
    }

    fn read_data_source<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, ReadDataSourceResponse> {
        self.read_data(type_name, config).boxed()
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.call(name, arguments).boxed()
    }
}

/// From the disk where it is, else from the process.
async fn fetch_schema(supervisor: &Arc<Supervisor>) -> Result<Arc<ProviderSchema>, ProviderError> {
    let (rpc, shared) = (Rpc::GetProviderSchema, &supervisor.shared);
    if let Some(cache) = &shared.schemas {
        for hash in find::locked_hashes(&shared.environment, &supervisor.addr) {
            if let Some((protocol, response)) = cache.load(&hash)
                && let Ok(schema) = wire::provider_schema(protocol, &response)
            {
                return Ok(Arc::new(schema));
            }
        }
    }
    let running = supervisor.running().await?;
    let (protocol, package_hash) = (running.process.protocol(), running.package_hash.clone());
    let response = supervisor.ask(running, rpc, "", Bytes::new()).await?;
    let schema = wire::provider_schema(protocol, &response)
        .map_err(|reason| unreadable(&supervisor.name, rpc, reason))?;
    // What is attached or in development changes under the same name.
    if let Some(cache) = &shared.schemas
        && package_hash.starts_with("h1:")
        && let Err(error) = cache.store(&package_hash, protocol, &response)
    {
        tracing::warn!(provider = supervisor.name, %error, "schema not cached");
    }
    Ok(Arc::new(schema))
}

fn key(running: &Running, rpc: Rpc, request: &[u8]) -> [u8; 32] {
    let mut key = Sha256::new();
    key.update(running.identity);
    key.update([rpc as u8]);
    key.update(request);
    key.finalize().into()
}

/// A validation's errors are its result. A plan's errors may come from an API that is gone for a moment.
fn is_lasting(cached: &Cached) -> bool {
    match cached {
        Cached::Diagnostics(_) => true,
        Cached::Upgrade(UpgradeResponse { diagnostics, .. })
        | Cached::Plan(PlanResponse { diagnostics, .. }) => {
            !diagnostics.iter().any(ProviderDiagnostic::is_error)
        }
    }
}

/// A provider that reports an error may answer with anything beside it.
fn or_null(
    value: Result<Value, String>,
    diagnostics: &[ProviderDiagnostic],
    ty: &Type,
) -> Result<Value, String> {
    match value {
        Err(_) if diagnostics.iter().any(ProviderDiagnostic::is_error) => {
            Ok(Value::null(ty.clone()))
        }
        value => value,
    }
}

fn is_refused(response: &[u8]) -> bool {
    pb::configure_provider::Response::decode(response).map_or(true, |response| {
        wire::diagnostics(response.diagnostics)
            .iter()
            .any(ProviderDiagnostic::is_error)
    })
}

fn unreadable(provider: &str, rpc: Rpc, reason: impl ToString) -> ProviderError {
    ProviderError::Protocol {
        provider: provider.to_owned(),
        doing: rpc.name(),
        reason: reason.to_string(),
    }
}
