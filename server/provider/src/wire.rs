//! The plugin protocols' messages, and their meaning here.

mod convert;
// Generated from the files in `schemas/` by `tests/wire.rs`.
#[rustfmt::skip]
pub(crate) mod goplugin;
mod schema;
/// Messages that protocols 5 and 6 share.
#[allow(dead_code)]
#[rustfmt::skip]
pub(crate) mod tfplugin;
#[rustfmt::skip]
pub(crate) mod tfplugin5;
#[rustfmt::skip]
pub(crate) mod tfplugin6;

pub(crate) use convert::{
    attribute_path, client_capabilities, decode_beside, decode_value, deferred, diagnostics,
    encode_value, message,
};
pub(crate) use schema::{check_provider_schema, identity_schemas, provider_schema};

/// The version of Terraform's plugin protocol that a process speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Protocol {
    V5,
    V6,
}

impl Protocol {
    pub fn from_number(number: u32) -> Option<Protocol> {
        match number {
            5 => Some(Protocol::V5),
            6 => Some(Protocol::V6),
            _ => None,
        }
    }

    pub fn number(self) -> u32 {
        match self {
            Protocol::V5 => 5,
            Protocol::V6 => 6,
        }
    }
}

/// The calls of a provider that planlens makes. Neither protocol's apply is among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rpc {
    GetProviderSchema,
    ValidateProviderConfig,
    ConfigureProvider,
    ValidateResourceConfig,
    ValidateDataSourceConfig,
    UpgradeResourceState,
    PlanResourceChange,
    ReadResource,
    ReadDataSource,
    GetResourceIdentitySchemas,
    UpgradeResourceIdentity,
    ImportResourceState,
    MoveResourceState,
    ValidateEphemeralResourceConfig,
    OpenEphemeralResource,
    RenewEphemeralResource,
    CloseEphemeralResource,
    ValidateActionConfig,
    PlanAction,
    CallFunction,
    StopProvider,
}

impl Rpc {
    pub const ALL: [Rpc; 21] = [
        Rpc::GetProviderSchema,
        Rpc::ValidateProviderConfig,
        Rpc::ConfigureProvider,
        Rpc::ValidateResourceConfig,
        Rpc::ValidateDataSourceConfig,
        Rpc::UpgradeResourceState,
        Rpc::PlanResourceChange,
        Rpc::ReadResource,
        Rpc::ReadDataSource,
        Rpc::GetResourceIdentitySchemas,
        Rpc::UpgradeResourceIdentity,
        Rpc::ImportResourceState,
        Rpc::MoveResourceState,
        Rpc::ValidateEphemeralResourceConfig,
        Rpc::OpenEphemeralResource,
        Rpc::RenewEphemeralResource,
        Rpc::CloseEphemeralResource,
        Rpc::ValidateActionConfig,
        Rpc::PlanAction,
        Rpc::CallFunction,
        Rpc::StopProvider,
    ];

    /// As protocol 6 names it.
    pub fn name(self) -> &'static str {
        let path = self.path(Protocol::V6);
        path.rsplit_once('/').map_or(path, |(_, name)| name)
    }

    /// Whether it reads or changes something outside of the process: such a call is made only if the policy allows it,
    /// never retried automatically, and its answer is never kept.
    pub fn touches_world(self) -> bool {
        match self {
            Rpc::ConfigureProvider
            | Rpc::ReadResource
            | Rpc::ReadDataSource
            | Rpc::ImportResourceState
            | Rpc::OpenEphemeralResource
            | Rpc::RenewEphemeralResource
            | Rpc::CloseEphemeralResource => true,
            Rpc::GetProviderSchema
            | Rpc::ValidateProviderConfig
            | Rpc::ValidateResourceConfig
            | Rpc::ValidateDataSourceConfig
            | Rpc::UpgradeResourceState
            | Rpc::PlanResourceChange
            | Rpc::GetResourceIdentitySchemas
            | Rpc::UpgradeResourceIdentity
            | Rpc::MoveResourceState
            | Rpc::ValidateEphemeralResourceConfig
            | Rpc::ValidateActionConfig
            | Rpc::PlanAction
            | Rpc::CallFunction
            | Rpc::StopProvider => false,
        }
    }

    /// As gRPC addresses it.
    pub(crate) fn path(self, protocol: Protocol) -> &'static str {
        match (self, protocol) {
            (Rpc::GetProviderSchema, Protocol::V5) => "/tfplugin5.Provider/GetSchema",
            (Rpc::GetProviderSchema, Protocol::V6) => "/tfplugin6.Provider/GetProviderSchema",
            (Rpc::ValidateProviderConfig, Protocol::V5) => {
                "/tfplugin5.Provider/PrepareProviderConfig"
            }
            (Rpc::ValidateProviderConfig, Protocol::V6) => {
                "/tfplugin6.Provider/ValidateProviderConfig"
            }
            (Rpc::ConfigureProvider, Protocol::V5) => "/tfplugin5.Provider/Configure",
            (Rpc::ConfigureProvider, Protocol::V6) => "/tfplugin6.Provider/ConfigureProvider",
            (Rpc::ValidateResourceConfig, Protocol::V5) => {
                "/tfplugin5.Provider/ValidateResourceTypeConfig"
            }
            (Rpc::ValidateResourceConfig, Protocol::V6) => {
                "/tfplugin6.Provider/ValidateResourceConfig"
            }
            (Rpc::ValidateDataSourceConfig, Protocol::V5) => {
                "/tfplugin5.Provider/ValidateDataSourceConfig"
            }
            (Rpc::ValidateDataSourceConfig, Protocol::V6) => {
                "/tfplugin6.Provider/ValidateDataResourceConfig"
            }
            (Rpc::UpgradeResourceState, Protocol::V5) => "/tfplugin5.Provider/UpgradeResourceState",
            (Rpc::UpgradeResourceState, Protocol::V6) => "/tfplugin6.Provider/UpgradeResourceState",
            (Rpc::PlanResourceChange, Protocol::V5) => "/tfplugin5.Provider/PlanResourceChange",
            (Rpc::PlanResourceChange, Protocol::V6) => "/tfplugin6.Provider/PlanResourceChange",
            (Rpc::ReadResource, Protocol::V5) => "/tfplugin5.Provider/ReadResource",
            (Rpc::ReadResource, Protocol::V6) => "/tfplugin6.Provider/ReadResource",
            (Rpc::ReadDataSource, Protocol::V5) => "/tfplugin5.Provider/ReadDataSource",
            (Rpc::ReadDataSource, Protocol::V6) => "/tfplugin6.Provider/ReadDataSource",
            (Rpc::GetResourceIdentitySchemas, Protocol::V5) => {
                "/tfplugin5.Provider/GetResourceIdentitySchemas"
            }
            (Rpc::GetResourceIdentitySchemas, Protocol::V6) => {
                "/tfplugin6.Provider/GetResourceIdentitySchemas"
            }
            (Rpc::UpgradeResourceIdentity, Protocol::V5) => {
                "/tfplugin5.Provider/UpgradeResourceIdentity"
            }
            (Rpc::UpgradeResourceIdentity, Protocol::V6) => {
                "/tfplugin6.Provider/UpgradeResourceIdentity"
            }
            (Rpc::ImportResourceState, Protocol::V5) => "/tfplugin5.Provider/ImportResourceState",
            (Rpc::ImportResourceState, Protocol::V6) => "/tfplugin6.Provider/ImportResourceState",
            (Rpc::MoveResourceState, Protocol::V5) => "/tfplugin5.Provider/MoveResourceState",
            (Rpc::MoveResourceState, Protocol::V6) => "/tfplugin6.Provider/MoveResourceState",
            (Rpc::ValidateEphemeralResourceConfig, Protocol::V5) => {
                "/tfplugin5.Provider/ValidateEphemeralResourceConfig"
            }
            (Rpc::ValidateEphemeralResourceConfig, Protocol::V6) => {
                "/tfplugin6.Provider/ValidateEphemeralResourceConfig"
            }
            (Rpc::OpenEphemeralResource, Protocol::V5) => {
                "/tfplugin5.Provider/OpenEphemeralResource"
            }
            (Rpc::OpenEphemeralResource, Protocol::V6) => {
                "/tfplugin6.Provider/OpenEphemeralResource"
            }
            (Rpc::RenewEphemeralResource, Protocol::V5) => {
                "/tfplugin5.Provider/RenewEphemeralResource"
            }
            (Rpc::RenewEphemeralResource, Protocol::V6) => {
                "/tfplugin6.Provider/RenewEphemeralResource"
            }
            (Rpc::CloseEphemeralResource, Protocol::V5) => {
                "/tfplugin5.Provider/CloseEphemeralResource"
            }
            (Rpc::CloseEphemeralResource, Protocol::V6) => {
                "/tfplugin6.Provider/CloseEphemeralResource"
            }
            (Rpc::ValidateActionConfig, Protocol::V5) => "/tfplugin5.Provider/ValidateActionConfig",
            (Rpc::ValidateActionConfig, Protocol::V6) => "/tfplugin6.Provider/ValidateActionConfig",
            (Rpc::PlanAction, Protocol::V5) => "/tfplugin5.Provider/PlanAction",
            (Rpc::PlanAction, Protocol::V6) => "/tfplugin6.Provider/PlanAction",
            (Rpc::CallFunction, Protocol::V5) => "/tfplugin5.Provider/CallFunction",
            (Rpc::CallFunction, Protocol::V6) => "/tfplugin6.Provider/CallFunction",
            (Rpc::StopProvider, Protocol::V5) => "/tfplugin5.Provider/Stop",
            (Rpc::StopProvider, Protocol::V6) => "/tfplugin6.Provider/StopProvider",
        }
    }
}
