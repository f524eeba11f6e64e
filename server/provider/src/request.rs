//! The interface to a provider: the trait [`Provider`], its requests and responses.
//!
//! All values conform to the implied type of the schema of the type that is asked about, and carry no marks:
//! whoever asks takes marks off and puts them on again. The calls' meaning is that of Terraform's
//! "resource instance change lifecycle".

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use config::ProviderAddr;
use cty::{Path, Value};
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use schema::ProviderSchema;
use smol_str::SmolStr;
use text::{Fault, Severity};
use tokio::sync::SemaphorePermit;

use crate::ProviderError;

/// The answer to come. Dropping it cancels the call.
pub type Reply<'a, T> = BoxFuture<'a, Result<T, ProviderError>>;

/// A permit to ask a provider about an object; `None`: no waiting is needed.
pub type Slot<'a> = BoxFuture<'a, Option<SemaphorePermit<'a>>>;

/// One provider, configured at most once at a time. Calls may run at the same time as each other.
pub trait Provider: Send + Sync {
    /// Waits until it may be asked about one more object. Who asks keeps the turn until it has all answers about that:
    /// so those who ask first are done first. Else the first request about each object would be answered before the
    /// second about any.
    fn acquire_slot(&self) -> Slot<'_> {
        ready(None).boxed()
    }

    fn schema(&self) -> Reply<'_, Arc<ProviderSchema>>;

    fn validate_provider_config<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>>;

    /// Gives the provider its configuration. Calls already sent keep the old one; calls after it see the new one.
    fn configure<'a>(&'a self, config: &'a Value) -> Reply<'a, Vec<Problem>>;

    fn validate_resource_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>>;

    fn validate_data_source_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>>;

    /// Brings a stored object to the current schema version. Needed even where the versions are equal.
    fn upgrade_resource_state<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_state: RawState<'a>,
    ) -> Reply<'a, UpgradeResponse>;

    fn plan_resource_change(&self, request: PlanRequest) -> Reply<'_, PlanResponse>;

    /// Reads the remote object. Touches the world: the caller has asked the policy.
    fn read_resource(&self, request: ReadRequest) -> Reply<'_, ReadResponse>;

    /// Reads a data source. Touches the world: the caller has asked the policy.
    fn read_data_source(&self, request: ReadDataSourceRequest)
    -> Reply<'_, ReadDataSourceResponse>;

    /// Finds a remote object by its id or identity. Touches the world: the caller has asked the policy. The answer
    /// may be a part of the object only: it is read after.
    fn import_resource_state(&self, request: ImportRequest) -> Reply<'_, ImportResponse>;

    /// Makes an object of another type, maybe of another provider, one of this type. Not every provider has the
    /// capability `move_resource_state`.
    fn move_resource_state(&self, request: MoveRequest) -> Reply<'_, MoveResponse>;

    /// Brings a stored identity to the current version of its schema; an error where it has that already.
    /// `raw_identity` is JSON, as the state file has it.
    fn upgrade_resource_identity<'a>(
        &'a self,
        type_name: &'a str,
        version: i64,
        raw_identity: &'a [u8],
    ) -> Reply<'a, UpgradeIdentityResponse>;

    fn validate_ephemeral_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>>;

    /// Opens an ephemeral resource, to be closed by its `private`. Touches the world: the caller has asked the policy.
    fn open_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, OpenResponse>;

    fn renew_ephemeral<'a>(
        &'a self,
        type_name: &'a str,
        private: Bytes,
    ) -> Reply<'a, RenewResponse>;

    fn close_ephemeral<'a>(&'a self, type_name: &'a str, private: Bytes)
    -> Reply<'a, Vec<Problem>>;

    /// `config` is null where the action has no `config` block.
    fn validate_action_config<'a>(
        &'a self,
        type_name: &'a str,
        config: &'a Value,
    ) -> Reply<'a, Vec<Problem>>;

    /// Plans an invocation of an action. The answer has nothing but problems.
    fn plan_action<'a>(&'a self, type_name: &'a str, config: &'a Value) -> Reply<'a, Vec<Problem>>;

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
    /// Of the module's `provider_meta` block, where it has one for this provider.
    pub provider_meta: Option<Value>,
    /// Of the type that `ProviderSchema::identities` implies.
    pub prior_identity: Option<Value>,
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
    pub planned_identity: Option<Value>,
    pub diagnostics: Vec<Problem>,
}

/// A stored object, as the state file has it.
#[derive(Debug, Clone, Copy)]
pub enum RawState<'a> {
    Json(&'a str),
    /// The form of Terraform before 0.12.
    Flat(&'a BTreeMap<String, String>),
}

#[derive(Debug, Clone)]
pub struct UpgradeResponse {
    /// Of the implied type. Means nothing where there are errors.
    pub upgraded_state: Value,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct ReadRequest {
    pub type_name: SmolStr,
    pub current_state: Value,
    pub private: Bytes,
    pub provider_meta: Option<Value>,
    pub current_identity: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct ReadResponse {
    /// Null: the remote object is gone.
    pub new_state: Value,
    pub private: Bytes,
    pub deferred: Option<DeferredReason>,
    pub new_identity: Option<Value>,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct ReadDataSourceRequest {
    pub type_name: SmolStr,
    /// Wholly known: an unknown one can't be read yet.
    pub config: Value,
    pub provider_meta: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct ReadDataSourceResponse {
    /// Of the implied type. Means nothing where there are errors.
    pub state: Value,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct ImportRequest {
    pub type_name: SmolStr,
    pub target: ImportTarget,
}

/// The id or identity of a remote object.
#[derive(Debug, Clone, PartialEq)]
pub enum ImportTarget {
    Id(String),
    /// Of the type that `ProviderSchema::identities` implies.
    Identity(Value),
}

#[derive(Debug, Clone)]
pub struct ImportResponse {
    /// Providers on SDKv2 may give several, of any types.
    pub imported: Vec<ImportedObject>,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct ImportedObject {
    pub type_name: SmolStr,
    pub state: Value,
    pub private: Bytes,
    pub identity: Option<Value>,
}

#[derive(Debug, Clone)]
pub struct MoveRequest {
    pub source_provider: ProviderAddr,
    pub source_type_name: SmolStr,
    pub source_schema_version: i64,
    /// JSON, as the state file has it.
    pub source_state: Bytes,
    pub source_private: Bytes,
    /// JSON, as the state file has it. Empty: none.
    pub source_identity: Bytes,
    pub source_identity_schema_version: i64,
    pub target_type_name: SmolStr,
}

#[derive(Debug, Clone)]
pub struct MoveResponse {
    /// Of the target's implied type. Means nothing where there are errors.
    pub target_state: Value,
    pub target_private: Bytes,
    pub target_identity: Option<Value>,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct UpgradeIdentityResponse {
    /// Of the implied type. Means nothing where there are errors.
    pub upgraded_identity: Value,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct OpenResponse {
    /// Of the implied type. Means nothing where there are errors.
    pub result: Value,
    /// When it has to be renewed, if ever.
    pub renew_at: Option<SystemTime>,
    pub private: Bytes,
    pub deferred: Option<DeferredReason>,
    pub diagnostics: Vec<Problem>,
}

#[derive(Debug, Clone)]
pub struct RenewResponse {
    pub renew_at: Option<SystemTime>,
    pub private: Bytes,
    pub diagnostics: Vec<Problem>,
}

/// Why a provider answers "not now".
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeferredReason {
    Unknown,
    ResourceConfigUnknown,
    ProviderConfigUnknown,
    AbsentPrerequisite,
}

/// A diagnostic of a provider about a request, at an attribute of the configured object. Its text may quote values.
pub type Problem = text::Problem<Option<Path>>;

/// A diagnostic of a provider. The protocol has no other way than words to mark a deprecation; its
/// replacement is for the schema to name.
pub fn said(
    severity: Severity,
    summary: impl Into<String>,
    detail: impl Into<String>,
    attribute: Option<Path>,
) -> Problem {
    let (summary, detail) = (summary.into(), detail.into());
    let mentions = |text: &str| text.to_lowercase().contains("deprecated");
    let fault = match severity != Severity::Error && (mentions(&summary) || mentions(&detail)) {
        true => Fault::Deprecated { instead: None },
        false => Fault::Other,
    };
    Problem {
        severity,
        fault,
        ..Problem::error("provider", summary, detail, attribute)
    }
}

/// An error that is about no attribute.
pub fn error(summary: impl Into<String>, detail: impl Into<String>) -> Problem {
    said(Severity::Error, summary, detail, None)
}

/// A provider's function refused its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionError {
    pub text: String,
    /// Which argument is to blame, counted from 0.
    pub argument: Option<usize>,
}
