//! A provider for tests, in this process: its resource types behave as the test says, and it records what it is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use bytes::Bytes;
use cty::{Path, Type, Value};
use futures_util::FutureExt;
use futures_util::future::{pending, ready};
use schema::{Block, Capabilities, ProviderSchema, Schema};
use smol_str::SmolStr;

use crate::{
    FunctionError, PlanRequest, PlanResponse, Provider, ProviderDiagnostic, ProviderError,
    ReadDataSourceResponse, ReadRequest, ReadResponse, Reply, Rpc, UpgradeResponse,
};

/// Panics when it is dropped after a call that the test didn't allow, and in that call.
pub struct FakeProvider {
    schema: ProviderSchema,
    resources: BTreeMap<SmolStr, FakeResource>,
    allowed: BTreeSet<Rpc>,
    requests: Mutex<Vec<FakeRequest>>,
    refused: Mutex<Vec<Rpc>>,
}

/// What was asked.
#[derive(Debug, Clone)]
pub struct FakeRequest {
    pub rpc: Rpc,
    /// Empty where the call is about none.
    pub type_name: SmolStr,
    /// Of a plan.
    pub plan: Option<PlanRequest>,
}

/// How a resource type behaves.
pub struct FakeResource {
    schema: Arc<Schema>,
    behaviours: BTreeMap<SmolStr, Behaviour>,
    is_legacy: bool,
    plan: Option<Box<PlanFn>>,
    validate: Option<Box<ValidateFn>>,
}

type PlanFn = dyn Fn(PlanRequest) -> Result<PlanResponse, ProviderError> + Send + Sync;
type ValidateFn = dyn Fn(&Value) -> Vec<ProviderDiagnostic> + Send + Sync;

/// How an attribute at the top of a resource type's block behaves in a plan. Without any, a computed attribute is
/// unknown at creation and keeps its value after.
#[derive(Debug, Clone)]
pub enum Behaviour {
    /// A change of it replaces the resource instance.
    ForcesReplacement,
    /// Computed anew with every change of any other attribute.
    KnownAfterApply,
    /// What is planned where the configuration says nothing.
    Default(Value),
    /// Text that differs from the prior one only in case is no change.
    IgnoresCase,
    /// Planning never ends while the attribute is known to be this.
    HangsAt(Value),
}

impl FakeProvider {
    /// A provider without types that allows the calls planning makes.
    #[allow(clippy::new_without_default)]
    pub fn new() -> FakeProvider {
        FakeProvider {
            schema: ProviderSchema {
                provider: Arc::new(Schema::new(0, Block::default())),
                resources: BTreeMap::new(),
                data_sources: BTreeMap::new(),
                ephemeral: BTreeMap::new(),
                functions: BTreeMap::new(),
                provider_meta: None,
                capabilities: Capabilities {
                    plan_destroy: true,
                    ..Capabilities::default()
                },
            },
            resources: BTreeMap::new(),
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

    pub fn with_config(mut self, block: Block) -> FakeProvider {
        self.schema.provider = Arc::new(Schema::new(0, block));
        self
    }

    pub fn with_data_source(mut self, type_name: &str, block: Block) -> FakeProvider {
        self.schema
            .data_sources
            .insert(type_name.into(), Arc::new(Schema::new(0, block)));
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

    fn record(&self, rpc: Rpc, type_name: &str, plan: Option<PlanRequest>) {
        if !self.allowed.contains(&rpc) {
            self.refused
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .push(rpc);
            panic!("the test doesn't allow {}", rpc.name());
        }
        let request = FakeRequest {
            rpc,
            type_name: type_name.into(),
            plan,
        };
        self.requests
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(request);
    }

    fn resource(&self, type_name: &str) -> Result<&FakeResource, ProviderError> {
        self.resources
            .get(type_name)
            .ok_or_else(|| ProviderError::UnknownType {
                provider: "fake".to_owned(),
                kind: "resource type",
                name: type_name.to_owned(),
            })
    }
}

impl FakeResource {
    pub fn new(block: Block) -> FakeResource {
        FakeResource::with_version(0, block)
    }

    pub fn with_version(version: i64, block: Block) -> FakeResource {
        FakeResource {
            schema: Arc::new(Schema::new(version, block)),
            behaviours: BTreeMap::new(),
            is_legacy: false,
            plan: None,
            validate: None,
        }
    }

    pub fn with(mut self, attribute: &str, behaviour: Behaviour) -> FakeResource {
        self.behaviours.insert(attribute.into(), behaviour);
        self
    }

    /// As SDKv2: it says so, and lists every attribute that could force replacement, changed or not.
    pub fn legacy(self) -> FakeResource {
        FakeResource {
            is_legacy: true,
            ..self
        }
    }

    /// Plans by `plan` instead.
    pub fn planned_by(
        self,
        plan: impl Fn(PlanRequest) -> Result<PlanResponse, ProviderError> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            plan: Some(Box::new(plan)),
            ..self
        }
    }

    pub fn validated_by(
        self,
        validate: impl Fn(&Value) -> Vec<ProviderDiagnostic> + Send + Sync + 'static,
    ) -> FakeResource {
        FakeResource {
            validate: Some(Box::new(validate)),
            ..self
        }
    }

    fn hangs(&self, proposed: &Value) -> bool {
        self.behaviours
            .iter()
            .any(|(name, behaviour)| match behaviour {
                Behaviour::HangsAt(value) => {
                    proposed.get(name).is_some_and(|v| v.raw_equals(value))
                }
                _ => false,
            })
    }

    fn plan(&self, request: PlanRequest) -> Result<PlanResponse, ProviderError> {
        if let Some(plan) = &self.plan {
            return plan(request);
        }
        let mut planned = match request.proposed_new_state.as_map() {
            Some(proposed) => proposed.clone(),
            None => return Ok(self.planned(request.proposed_new_state, Vec::new())),
        };
        let prior = |name: &str| request.prior_state.get(name);
        for (name, behaviour) in &self.behaviours {
            let Some(value) = planned.get_mut(name) else {
                continue;
            };
            match behaviour {
                Behaviour::Default(default) if value.is_null() => *value = default.clone(),
                Behaviour::IgnoresCase if is_same_but_case(prior(name), value) => {
                    *value = prior(name).cloned().unwrap_or_else(|| value.clone());
                }
                _ => {}
            }
        }
        let is_changed =
            |name: &str, value: &Value| prior(name).is_none_or(|p| !p.raw_equals(value));
        let is_create = request.prior_state.is_null();
        let any_changed = planned.iter().any(|(name, value)| is_changed(name, value));
        for (name, attribute) in &self.schema.block.attributes {
            let is_configured = request
                .config
                .get(name)
                .is_some_and(|value| !value.is_null());
            let is_volatile = matches!(self.behaviours.get(name), Some(Behaviour::KnownAfterApply));
            let is_unset = planned.get(name).is_some_and(Value::is_null);
            if attribute.computed
                && !is_configured
                && (is_create && is_unset || any_changed && is_volatile)
            {
                planned.insert(name.clone(), Value::unknown(attribute.ty.clone()));
            }
        }
        let requires_replace = self
            .behaviours
            .iter()
            .filter(|(_, behaviour)| matches!(behaviour, Behaviour::ForcesReplacement))
            .filter(|(name, _)| {
                let value = planned.get(*name);
                self.is_legacy || !is_create && value.is_some_and(|value| is_changed(name, value))
            })
            .map(|(name, _)| Path::new().attr(name))
            .collect();
        Ok(self.planned(Value::object(planned), requires_replace))
    }

    fn planned(&self, planned_state: Value, requires_replace: Vec<Path>) -> PlanResponse {
        PlanResponse {
            planned_state,
            requires_replace,
            planned_private: Bytes::new(),
            legacy_type_system: self.is_legacy,
            deferred: None,
            diagnostics: Vec::new(),
        }
    }

    fn upgrade(&self, raw_state: &[u8]) -> UpgradeResponse {
        let ty = self.schema.implied_type();
        let json = String::from_utf8_lossy(raw_state);
        match cty::json::decode_str(&json, ty) {
            Ok(upgraded_state) => UpgradeResponse {
                upgraded_state,
                diagnostics: Vec::new(),
            },
            Err(error) => UpgradeResponse {
                upgraded_state: Value::null(ty.clone()),
                diagnostics: vec![ProviderDiagnostic::error(
                    "Can't read state",
                    error.to_string(),
                )],
            },
        }
    }
}

fn is_same_but_case(prior: Option<&Value>, value: &Value) -> bool {
    match (prior.and_then(Value::as_str), value.as_str()) {
        (Some(prior), Some(text)) => prior.eq_ignore_ascii_case(text),
        (_, _) => false,
    }
}

impl Provider for FakeProvider {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>> {
        self.record(Rpc::GetProviderSchema, "", None);
        ready(Ok(Arc::new(self.schema.clone()))).boxed()
    }

    fn validate_provider_config<'a>(&'a self, _: &'a Value) -> Reply<'a, Vec<ProviderDiagnostic>> {
        self.record(Rpc::ValidateProviderConfig, "", None);
        ready(Ok(Vec::new())).boxed()
    }

    fn configure<'a>(&'a self, _: &'a Value) -> Reply<'a, Vec<ProviderDiagnostic>> {
        self.record(Rpc::ConfigureProvider, "", None);
        ready(Ok(Vec::new())).boxed()
    }

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>> {
        self.record(Rpc::ValidateResourceConfig, type_name, None);
        let validate = |resource: &FakeResource| match &resource.validate {
            Some(validate) => validate(config),
            None => Vec::new(),
        };
        ready(self.resource(type_name).map(validate)).boxed()
    }

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        _: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>> {
        self.record(Rpc::ValidateDataSourceConfig, type_name, None);
        ready(Ok(Vec::new())).boxed()
    }

    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        _: i64,
        raw_state: &'a [u8],
    ) -> Reply<'a, UpgradeResponse> {
        self.record(Rpc::UpgradeResourceState, type_name, None);
        ready(
            self.resource(type_name)
                .map(|resource| resource.upgrade(raw_state)),
        )
        .boxed()
    }

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse> {
        self.record(
            Rpc::PlanResourceChange,
            &request.type_name,
            Some(request.clone()),
        );
        let type_name = request.type_name.clone();
        match self.resource(&type_name) {
            Ok(resource) if resource.hangs(&request.proposed_new_state) => pending().boxed(),
            Ok(resource) => ready(resource.plan(request)).boxed(),
            Err(error) => ready(Err(error)).boxed(),
        }
    }

    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse> {
        self.record(Rpc::ReadResource, &request.type_name, None);
        ready(Ok(ReadResponse {
            new_state: request.current_state,
            private: request.private,
            deferred: None,
            diagnostics: Vec::new(),
        }))
        .boxed()
    }

    fn read_data_source<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, ReadDataSourceResponse> {
        self.record(Rpc::ReadDataSource, type_name, None);
        ready(Ok(ReadDataSourceResponse {
            state: config.clone(),
            deferred: None,
            diagnostics: Vec::new(),
        }))
        .boxed()
    }

    fn call_function<'a>(
        &'a self,
        name: &'a str,
        _: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>> {
        self.record(Rpc::CallFunction, name, None);
        ready(Ok(Ok(Value::null(Type::Dynamic)))).boxed()
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
mod tests {
    use schema::Attribute;

    use super::*;

    fn disk() -> FakeProvider {
        let string = Attribute::new(Type::String);
        let attributes = BTreeMap::from([
            ("id".into(), string.clone().computed()),
            ("label".into(), string.clone().optional()),
            ("revision".into(), string.clone().computed()),
            ("zone".into(), string.required()),
        ]);
        let resource = FakeResource::new(Block {
            attributes,
            ..Block::default()
        })
        .with("zone", Behaviour::ForcesReplacement)
        .with("label", Behaviour::IgnoresCase)
        .with("revision", Behaviour::KnownAfterApply);
        FakeProvider::new().with_resource("fake_disk", resource)
    }

    fn value(id: &str, label: &str, revision: &str, zone: &str) -> Value {
        let text = |text: &str| match text {
            "" => Value::null(Type::String),
            "?" => Value::unknown(Type::String),
            text => Value::string(text),
        };
        let values = [
            ("id", id),
            ("label", label),
            ("revision", revision),
            ("zone", zone),
        ];
        Value::object(values.map(|(name, value)| (name, text(value))))
    }

    fn plan(provider: &FakeProvider, prior: &Value, proposed: Value) -> PlanResponse {
        let config = Value::object(proposed.as_map().unwrap().iter().map(|(name, value)| {
            let is_computed = matches!(name.as_str(), "id" | "revision");
            (
                name,
                if is_computed {
                    Value::null(Type::String)
                } else {
                    value.clone()
                },
            )
        }));
        let request = PlanRequest {
            type_name: "fake_disk".into(),
            prior_state: prior.clone(),
            proposed_new_state: proposed,
            config,
            prior_private: Bytes::new(),
            provider_meta: None,
        };
        provider
            .plan_resource_change(request)
            .now_or_never()
            .unwrap()
            .unwrap()
    }

    #[test]
    fn attributes_behave_as_told() {
        let provider = disk();
        let none = Value::null(
            provider
                .resource("fake_disk")
                .unwrap()
                .schema
                .implied_type()
                .clone(),
        );
        let created = plan(&provider, &none, value("", "a", "", "x"));
        assert_eq!(created.planned_state, value("?", "a", "?", "x"));
        let prior = value("1", "a", "r", "x");
        let same = plan(&provider, &prior, value("1", "A", "r", "x"));
        assert_eq!(same.planned_state, prior);
        let updated = plan(&provider, &prior, value("1", "b", "r", "x"));
        assert_eq!(updated.planned_state, value("1", "b", "?", "x"));
        assert_eq!(updated.requires_replace, []);
        let replaced = plan(&provider, &prior, value("1", "a", "r", "y"));
        assert_eq!(replaced.requires_replace, [Path::new().attr("zone")]);
        assert_eq!(provider.count(Rpc::PlanResourceChange), 4);
    }

    #[test]
    #[should_panic(expected = "ReadResource")]
    fn other_calls_than_those_allowed_fail_the_test() {
        let provider = disk();
        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            provider.record(Rpc::ReadResource, "fake_disk", None);
        }));
    }
}
