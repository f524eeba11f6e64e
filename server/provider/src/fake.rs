//! A provider for tests, in this process: its resource types behave as the test wants, and it records its requests.

mod types;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use cty::Value;
use futures_util::FutureExt;
use futures_util::future::{pending, ready};
use schema::{Block, Capabilities, FunctionSignature, ProviderSchema, Schema};
use smol_str::SmolStr;

pub use types::{Behaviour, FakeDataSource, FakeResource};

use crate::{
    FunctionError, ImportRequest, ImportResponse, MoveRequest, MoveResponse, OpenResponse,
    PlanRequest, PlanResponse, Problem, Provider, ProviderError, RawState, ReadDataSourceRequest,
    ReadDataSourceResponse, ReadRequest, ReadResponse, RenewResponse, Reply, Rpc,
    UpgradeIdentityResponse, UpgradeResponse,
};

/// Panics when it is dropped after a call that the test didn't allow, and in that call.
pub struct FakeProvider {
    schema: ProviderSchema,
    resources: BTreeMap<SmolStr, FakeResource>,
    data_sources: BTreeMap<SmolStr, FakeDataSource>,
    functions: BTreeMap<SmolStr, Box<FunctionFn>>,
    allowed: BTreeSet<Rpc>,
    requests: Mutex<Vec<FakeRequest>>,
    refused: Mutex<Vec<Rpc>>,
}

type FunctionFn = dyn Fn(&[Value]) -> Result<Value, FunctionError> + Send + Sync;

/// The requests.
#[derive(Debug, Clone)]
pub struct FakeRequest {
    pub rpc: Rpc,
    /// Empty where the call is about none.
    pub type_name: SmolStr,
    /// Of a plan.
    pub plan: Option<PlanRequest>,
    /// The configuration that is validated or read, or the object that is read.
    pub value: Option<Value>,
}

impl FakeProvider {
    /// A provider without types that allows the calls planning makes.
    #[allow(clippy::new_without_default)]
    pub fn new() -> FakeProvider {
        FakeProvider {
            schema: ProviderSchema {
                version: None,
                provider: Arc::new(Schema::new(0, Block::default())),
                resources: BTreeMap::new(),
                data_sources: BTreeMap::new(),
                ephemeral: BTreeMap::new(),
                actions: BTreeMap::new(),
                identities: BTreeMap::new(),
                functions: BTreeMap::new(),
                provider_meta: None,
                capabilities: Capabilities {
                    plan_destroy: true,
                    ..Capabilities::default()
                },
            },
            resources: BTreeMap::new(),
            data_sources: BTreeMap::new(),
            functions: BTreeMap::new(),
            allowed: BTreeSet::from([
                Rpc::GetProviderSchema,
                Rpc::ValidateProviderConfig,
                Rpc::ConfigureProvider,
                Rpc::ValidateResourceConfig,
                Rpc::ValidateDataSourceConfig,
                Rpc::UpgradeResourceState,
                Rpc::PlanResourceChange,
                Rpc::CallFunction,
            ]),
            requests: Mutex::default(),
            refused: Mutex::default(),
        }
    }

    pub fn with_resource(mut self, type_name: &str, resource: FakeResource) -> FakeProvider {
        self.schema
            .resources
            .insert(type_name.into(), resource.schema.clone());
        self.resources.insert(type_name.into(), resource);
        self
    }

    /// The identity of the objects of a resource type.
    pub fn with_identity(mut self, type_name: &str, identity: Schema) -> FakeProvider {
        let identities = &mut self.schema.identities;
        identities.insert(type_name.into(), Arc::new(identity));
        self
    }

    pub fn with_config(mut self, block: Block) -> FakeProvider {
        self.schema.provider = Arc::new(Schema::new(0, block));
        self
    }

    pub fn with_data_source(
        mut self,
        type_name: &str,
        data_source: FakeDataSource,
    ) -> FakeProvider {
        self.schema
            .data_sources
            .insert(type_name.into(), data_source.schema.clone());
        self.data_sources.insert(type_name.into(), data_source);
        self
    }

    /// An action whose configuration is always right.
    pub fn with_action(mut self, type_name: &str, block: Block) -> FakeProvider {
        let schema = Arc::new(Schema::new(0, block));
        self.schema.actions.insert(type_name.into(), schema);
        self.also_allowing([Rpc::ValidateActionConfig, Rpc::PlanAction])
    }

    pub fn with_function(
        mut self,
        name: &str,
        signature: FunctionSignature,
        call: impl Fn(&[Value]) -> Result<Value, FunctionError> + Send + Sync + 'static,
    ) -> FakeProvider {
        self.schema
            .functions
            .insert(name.into(), Arc::new(signature));
        self.functions.insert(name.into(), Box::new(call));
        self
    }

    pub fn with_capabilities(mut self, capabilities: Capabilities) -> FakeProvider {
        self.schema.capabilities = capabilities;
        self
    }

    /// Every other call fails the test.
    pub fn allowing(mut self, calls: impl IntoIterator<Item = Rpc>) -> FakeProvider {
        self.allowed = calls.into_iter().collect();
        self
    }

    /// These calls, which touch the world, are no failure of the test.
    pub fn also_allowing(mut self, calls: impl IntoIterator<Item = Rpc>) -> FakeProvider {
        self.allowed.extend(calls);
        self
    }

    /// All that was asked so far, in order.
    pub fn requests(&self) -> Vec<FakeRequest> {
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    pub fn count(&self, rpc: Rpc) -> usize {
        self.requests()
            .iter()
            .filter(|request| request.rpc == rpc)
            .count()
    }

    fn record(&self, request: FakeRequest) {
        let rpc = request.rpc;
        if !self.allowed.contains(&rpc) {
            self.refused
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(rpc);
            panic!("the test doesn't allow {}", rpc.name());
        }
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
    }

    fn record_of(&self, rpc: Rpc, type_name: &str, value: Option<&Value>) {
        self.record(FakeRequest {
            rpc,
            type_name: type_name.into(),
            plan: None,
            value: value.cloned(),
        });
    }

    fn resource(&self, type_name: &str) -> Result<&FakeResource, ProviderError> {
        self.resources
            .get(type_name)
            .ok_or_else(|| unknown("resource type", type_name))
    }

    fn data_source(&self, type_name: &str) -> Result<&FakeDataSource, ProviderError> {
        self.data_sources
            .get(type_name)
            .ok_or_else(|| unknown("data source", type_name))
    }
}

fn unknown(kind: &'static str, name: &str) -> ProviderError {
    ProviderError::UnknownType {
        provider: "fake".to_owned(),
        kind,
        name: name.to_owned(),
    }
}

fn unsupported(rpc: Rpc) -> ProviderError {
    ProviderError::Unsupported {
        provider: "fake".to_owned(),
        doing: rpc.name(),
    }
}

impl Provider for FakeProvider {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        self.record_of(Rpc::GetProviderSchema, "", None);
        ready(Ok(Arc::new(self.schema.clone()))).boxed()
    }

    fn validate_provider_config<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::ValidateProviderConfig, "", Some(config));
        ready(Ok(Vec::new())).boxed()
    }

    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::ConfigureProvider, "", Some(config));
        ready(Ok(Vec::new())).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::ValidateResourceConfig, type_name, Some(config));
        let resource = self.resource(type_name);
        ready(resource.map(|resource| resource.validate(config))).boxed()
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::ValidateDataSourceConfig, type_name, Some(config));
        let data_source = self.data_source(type_name);
        ready(data_source.map(|data_source| data_source.validate(config))).boxed()
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        _: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse> {
        self.record_of(Rpc::UpgradeResourceState, type_name, None);
        let resource = self.resource(type_name);
        ready(resource.map(|resource| resource.upgrade(raw_state))).boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        let type_name = request.type_name.clone();
        self.record(FakeRequest {
            rpc: Rpc::PlanResourceChange,
            type_name: type_name.clone(),
            plan: Some(request.clone()),
            value: None,
        });
        match self.resource(&type_name) {
            Ok(resource) if resource.hangs(&request.proposed_new_state) => pending().boxed(),
            Ok(resource) => ready(resource.plan(request)).boxed(),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        let state = Some(&request.current_state);
        self.record_of(Rpc::ReadResource, &request.type_name, state);
        let resource = self.resource(&request.type_name);
        ready(resource.and_then(|resource| resource.read(request))).boxed()
    }

    fn read_data_source(
        &self,
        request: ReadDataSourceRequest,
    ) -> Reply<'_, ReadDataSourceResponse> {
        let config = Some(&request.config);
        self.record_of(Rpc::ReadDataSource, &request.type_name, config);
        let data_source = self.data_source(&request.type_name);
        ready(data_source.and_then(|data_source| data_source.read(request))).boxed()
    }

    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse> {
        self.record_of(Rpc::ImportResourceState, &request.type_name, None);
        let resource = self.resource(&request.type_name);
        ready(resource.and_then(|resource| resource.import(request))).boxed()
    }

    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse> {
        self.record_of(Rpc::MoveResourceState, &request.target_type_name, None);
        let resource = self.resource(&request.target_type_name);
        ready(resource.and_then(|resource| resource.move_here(request))).boxed()
    }

    fn upgrade_resource_identity<'a>(
        &'a self,
        type_name: &'a str,
        _: i64,
        _: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse> {
        self.record_of(Rpc::UpgradeResourceIdentity, type_name, None);
        ready(Err(unsupported(Rpc::UpgradeResourceIdentity))).boxed()
    }

    fn validate_ephemeral_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        let rpc = Rpc::ValidateEphemeralResourceConfig;
        self.record_of(rpc, type_name, Some(config));
        ready(Err(unsupported(rpc))).boxed()
    }

    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse> {
        self.record_of(Rpc::OpenEphemeralResource, type_name, Some(config));
        ready(Err(unsupported(Rpc::OpenEphemeralResource))).boxed()
    }

    fn renew_ephemeral<'a>(&'a self, type_name: &'a str, _: Bytes) -> Reply<'a, RenewResponse> {
        self.record_of(Rpc::RenewEphemeralResource, type_name, None);
        ready(Err(unsupported(Rpc::RenewEphemeralResource))).boxed()
    }

    fn close_ephemeral<'a>(&'a self, type_name: &'a str, _: Bytes) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::CloseEphemeralResource, type_name, None);
        ready(Err(unsupported(Rpc::CloseEphemeralResource))).boxed()
    }

    fn validate_action_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::ValidateActionConfig, type_name, Some(config));
        ready(Ok(Vec::new())).boxed()
    }

    fn plan_action<'a>(&'a self, type_name: &'a str, config: &'a Value) -> Reply<'a, Vec<Problem>> {
        self.record_of(Rpc::PlanAction, type_name, Some(config));
        ready(Ok(Vec::new())).boxed()
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.record_of(Rpc::CallFunction, name, None);
        let function = self.functions.get(name);
        let answer = function.map(|function| function(arguments));
        ready(answer.ok_or_else(|| unknown("function", name))).boxed()
    }
}

/// Tells of calls that were refused where their panic went unnoticed, in a task of its own.
impl Drop for FakeProvider {
    fn drop(&mut self) {
        let refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if !refused.is_empty() && !thread::panicking() {
            panic!("calls that the test doesn't allow: {refused:?}");
        }
    }
}

#[cfg(test)]
mod tests;
