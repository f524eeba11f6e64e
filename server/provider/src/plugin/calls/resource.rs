//! Managed resources: upgraded, planned, read, imported and moved.

use std::sync::Arc;

use bytes::Bytes;
use cty::Value;
use prost::Message;
use schema::Schema;

use super::Plugin;
use crate::wire::{self, Rpc, tfplugin as pb};
use crate::{
    ImportRequest, ImportResponse, ImportTarget, ImportedObject, MoveRequest, MoveResponse,
    PlanRequest, PlanResponse, ProviderError, RawState, ReadRequest, ReadResponse,
    UpgradeIdentityResponse, UpgradeResponse,
};

impl Plugin {
    pub(super) async fn upgrade(
        &self,
        type_name: &str,
        version: i64,
        raw_state: RawState<'_>,
    ) -> Result<UpgradeResponse, ProviderError> {
        let schema = self.resource_schema(type_name).await?;
        let request = pb::upgrade_resource_state::Request {
            type_name: type_name.to_owned(),
            version,
            raw_state: match raw_state {
                RawState::Json(json) => raw(Bytes::copy_from_slice(json.as_bytes())),
                RawState::Flat(flat) => Some(pb::RawState {
                    flatmap: flat.clone(),
                    ..pb::RawState::default()
                }),
            },
        };
        let decode = |response: Bytes| {
            let response = pb::upgrade_resource_state::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let diagnostics = wire::diagnostics(response.diagnostics);
            let value = response.upgraded_state.as_ref();
            Ok(UpgradeResponse {
                upgraded_state: wire::decode_beside(value, &diagnostics, schema.implied_type())?,
                diagnostics,
            })
        };
        self.cached(Rpc::UpgradeResourceState, type_name, request, decode)
            .await
    }

    pub(super) async fn upgrade_identity(
        &self,
        type_name: &str,
        version: i64,
        raw_identity: &[u8],
    ) -> Result<UpgradeIdentityResponse, ProviderError> {
        let identity = self.identity_schema(type_name).await?;
        let schema = identity.ok_or_else(|| self.unknown("identity of", type_name))?;
        let request = pb::upgrade_resource_identity::Request {
            type_name: type_name.to_owned(),
            version,
            raw_identity: raw(Bytes::copy_from_slice(raw_identity)),
        };
        let decode = |response: Bytes| {
            let response = pb::upgrade_resource_identity::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let diagnostics = wire::diagnostics(response.diagnostics);
            let data = response.upgraded_identity.unwrap_or_default().identity_data;
            let ty = schema.implied_type();
            Ok(UpgradeIdentityResponse {
                upgraded_identity: wire::decode_beside(data.as_ref(), &diagnostics, ty)?,
                diagnostics,
            })
        };
        self.cached(Rpc::UpgradeResourceIdentity, type_name, request, decode)
            .await
    }

    pub(super) async fn plan(&self, request: PlanRequest) -> Result<PlanResponse, ProviderError> {
        let rpc = Rpc::PlanResourceChange;
        let type_name = &request.type_name;
        let schema = self.resource_schema(type_name).await?;
        let identity = self.identity_schema(type_name).await?;
        let ty = schema.implied_type();
        let encode = |value: &Value| self.encode(rpc, value, ty);
        let meta = request.provider_meta.as_ref();
        let message = pb::plan_resource_change::Request {
            type_name: type_name.to_string(),
            prior_state: encode(&request.prior_state)?,
            proposed_new_state: encode(&request.proposed_new_state)?,
            config: encode(&request.config)?,
            prior_private: request.prior_private.clone(),
            provider_meta: self.encode_meta(rpc, meta).await?,
            client_capabilities: wire::client_capabilities(),
            prior_identity: self.encode_identity(rpc, &request.prior_identity, &identity)?,
        };
        let decode = |response: Bytes| {
            let response = pb::plan_resource_change::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let diagnostics = wire::diagnostics(response.diagnostics);
            let value = response.planned_state.as_ref();
            let paths = response.requires_replace;
            Ok(PlanResponse {
                planned_state: wire::decode_beside(value, &diagnostics, ty)?,
                requires_replace: paths.into_iter().map(wire::attribute_path).collect(),
                planned_private: response.planned_private,
                legacy_type_system: response.legacy_type_system,
                deferred: wire::deferred(response.deferred),
                planned_identity: decode_identity(response.planned_identity, &identity)?,
                diagnostics,
            })
        };
        self.cached(rpc, type_name, message, decode).await
    }

    pub(super) async fn read(&self, request: ReadRequest) -> Result<ReadResponse, ProviderError> {
        let rpc = Rpc::ReadResource;
        let schema = self.resource_schema(&request.type_name).await?;
        let identity = self.identity_schema(&request.type_name).await?;
        let ty = schema.implied_type();
        let meta = request.provider_meta.as_ref();
        let message = pb::read_resource::Request {
            type_name: request.type_name.to_string(),
            current_state: self.encode(rpc, &request.current_state, ty)?,
            private: request.private.clone(),
            provider_meta: self.encode_meta(rpc, meta).await?,
            client_capabilities: wire::client_capabilities(),
            current_identity: self.encode_identity(rpc, &request.current_identity, &identity)?,
        };
        let response: pb::read_resource::Response =
            self.uncached(rpc, &request.type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        Ok(ReadResponse {
            new_state: self.value(rpc, response.new_state.as_ref(), &diagnostics, ty)?,
            private: response.private,
            deferred: wire::deferred(response.deferred),
            new_identity: decode_identity(response.new_identity, &identity)
                .map_err(|reason| self.unreadable(rpc, reason))?,
            diagnostics,
        })
    }

    pub(super) async fn import(
        &self,
        request: ImportRequest,
    ) -> Result<ImportResponse, ProviderError> {
        let rpc = Rpc::ImportResourceState;
        self.resource_schema(&request.type_name).await?;
        let (id, identity) = match request.target {
            ImportTarget::Id(id) => (id, None),
            ImportTarget::Identity(value) => {
                let schema = self.identity_schema(&request.type_name).await?;
                (
                    String::new(),
                    self.encode_identity(rpc, &Some(value), &schema)?,
                )
            }
        };
        let message = pb::import_resource_state::Request {
            type_name: request.type_name.to_string(),
            id,
            client_capabilities: wire::client_capabilities(),
            identity,
        };
        let response: pb::import_resource_state::Response =
            self.uncached(rpc, &request.type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        let mut imported = Vec::new();
        for object in response.imported_resources {
            let schema = self.resource_schema(&object.type_name).await?;
            let identity = self.identity_schema(&object.type_name).await?;
            let ty = schema.implied_type();
            imported.push(ImportedObject {
                state: self.value(rpc, object.state.as_ref(), &diagnostics, ty)?,
                identity: decode_identity(object.identity, &identity)
                    .map_err(|reason| self.unreadable(rpc, reason))?,
                private: object.private,
                type_name: object.type_name.into(),
            });
        }
        Ok(ImportResponse {
            imported,
            deferred: wire::deferred(response.deferred),
            diagnostics,
        })
    }

    pub(super) async fn move_state(
        &self,
        request: MoveRequest,
    ) -> Result<MoveResponse, ProviderError> {
        let target = &request.target_type_name;
        let schema = self.resource_schema(target).await?;
        let identity = self.identity_schema(target).await?;
        let message = pb::move_resource_state::Request {
            // As it is written out: providers compare it with an address of their own.
            source_provider_address: request.source_provider.to_string(),
            source_type_name: request.source_type_name.to_string(),
            source_schema_version: request.source_schema_version,
            source_state: raw(request.source_state),
            target_type_name: target.to_string(),
            source_private: request.source_private,
            source_identity: raw(request.source_identity),
            source_identity_schema_version: request.source_identity_schema_version,
        };
        let decode = |response: Bytes| {
            let response = pb::move_resource_state::Response::decode(response)
                .map_err(|error| error.to_string())?;
            let diagnostics = wire::diagnostics(response.diagnostics);
            let value = response.target_state.as_ref();
            Ok(MoveResponse {
                target_state: wire::decode_beside(value, &diagnostics, schema.implied_type())?,
                target_private: response.target_private,
                target_identity: decode_identity(response.target_identity, &identity)?,
                diagnostics,
            })
        };
        self.cached(Rpc::MoveResourceState, target, message, decode)
            .await
    }

    /// None where objects of this type have no identity.
    async fn identity_schema(&self, type_name: &str) -> Result<Option<Arc<Schema>>, ProviderError> {
        Ok(self.get_schema().await?.identities.get(type_name).cloned())
    }

    fn encode_identity(
        &self,
        rpc: Rpc,
        identity: &Option<Value>,
        schema: &Option<Arc<Schema>>,
    ) -> Result<Option<pb::ResourceIdentityData>, ProviderError> {
        let (Some(value), Some(schema)) = (identity, schema) else {
            return Ok(None);
        };
        let identity_data = self.encode(rpc, value, schema.implied_type())?;
        Ok(Some(pb::ResourceIdentityData { identity_data }))
    }
}

fn decode_identity(
    identity: Option<pb::ResourceIdentityData>,
    schema: &Option<Arc<Schema>>,
) -> Result<Option<Value>, String> {
    match (identity.and_then(|identity| identity.identity_data), schema) {
        (Some(data), Some(schema)) => {
            wire::decode_value(Some(&data), schema.implied_type()).map(Some)
        }
        (_, _) => Ok(None),
    }
}

/// Nothing is absent, not empty: an empty text is no JSON.
fn raw(json: Bytes) -> Option<pb::RawState> {
    (!json.is_empty()).then(|| pb::RawState {
        json,
        ..pb::RawState::default()
    })
}
