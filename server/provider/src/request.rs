//! What can be asked of a provider: the trait [`Provider`], its requests and responses.
//!
//! All values conform to the implied type of the schema of the type that is asked about, and carry no marks:
//! whoever asks takes marks off and puts them on again. The calls' meaning is that of Terraform's
//! "resource instance change lifecycle".

use std::sync::Arc;

use bytes::Bytes;
use cty::{Path, Value};
use futures_util::future::BoxFuture;
use schema::ProviderSchema;
use smol_str::SmolStr;

use crate::ProviderError;

/// The answer to come. Dropping it cancels the call.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

/// One provider, configured at most once at a time. Calls may run at the same time as each other.
pub trait Provider: Send + Sync {
    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>>;

    fn validate_provider_config<'a>(
        &'a self,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>>;

    /// Gives the provider its configuration. Calls already sent keep the old one; calls after it see the new one.
    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<ProviderDiagnostic>>;

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>>;

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<ProviderDiagnostic>>;

    /// Brings a stored object to the current schema version. Needed even where the versions are equal.
    /// `raw_state` is JSON, as the state file has it.
    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: &'a [u8],
    ) -> Reply<'a, UpgradeResponse>;

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse>;

    /// Reads the remote object. Touches the world: the caller has asked the policy.
    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse>;

    /// Reads a data source. Touches the world: the caller has asked the policy.
    fn read_data_source<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, ReadDataSourceResponse>;

    /// Calls a function that the provider defines. `arguments` have the parameters' types.
    fn call_function<'a>(
        &'a self,
        name: &'a str,
        arguments: &'a [Value],
    ) -> Reply<'a, Result<Value, FunctionError>>;
}

/// A plan of one resource instance is asked for.
#[derive(Debug, Clone)]
pub struct PlanRequest {
    pub type_name: SmolStr,
    /// Null for a creation.
    pub prior_state: Value,
    /// Null, with `config`, for a deletion; then only where the provider has the capability `plan_destroy`.
    pub proposed_new_state: Value,
    pub config: Value,
    pub prior_private: Bytes,
    /// Null where the provider takes none.
    pub provider_meta: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct PlanResponse {
    pub planned_state: Value,
    /// As the provider gave them: SDKv2 lists every argument of the kind, changed or not.
    pub requires_replace: Vec<Path>,
    pub planned_private: Bytes,
    /// The provider is excused from the rules for planned values that newer SDKs keep.
    pub legacy_type_system: bool,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<ProviderDiagnostic>,
}

#[derive(Debug, Clone)]
pub struct UpgradeResponse {
    /// Null of the implied type where there are errors.
    pub upgraded_state: Value,
    pub diagnostics: Vec<ProviderDiagnostic>,
}

#[derive(Debug, Clone)]
pub struct ReadRequest {
    pub type_name: SmolStr,
    pub current_state: Value,
    pub private: Bytes,
    pub provider_meta: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct ReadResponse {
    /// Null: the remote object is gone.
    pub new_state: Value,
    pub private: Bytes,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<ProviderDiagnostic>,
}

#[derive(Debug, Clone)]
pub struct ReadDataSourceResponse {
    pub state: Value,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<ProviderDiagnostic>,
}

/// Why a provider answers "not now".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeferredReason {
    Unknown,
    ResourceConfigUnknown,
    ProviderConfigUnknown,
    AbsentPrerequisite,
}

/// What a provider has to say about a request. Its text may quote values.
#[derive(Debug, Clone, PartialEq)]
pub struct ProviderDiagnostic {
    pub severity: Severity,
    pub summary: String,
    pub detail: String,
    /// The attribute it is about, from the root of the configured object.
    pub attribute: Option<Path>,
}

impl ProviderDiagnostic {
    pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> ProviderDiagnostic {
        ProviderDiagnostic {
            severity: Severity::Error,
            summary: summary.into(),
            detail: detail.into(),
            attribute: None,
        }
    }

    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A provider's function refused its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionError {
    pub text: String,
    /// Which argument is to blame, counted from 0.
    pub argument: Option<usize>,
}
