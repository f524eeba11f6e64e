//! Data sources and ephemeral resources: reads that are kept nowhere.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use cty::Value;

use super::Plugin;
use crate::wire::{self, Rpc, tfplugin as pb};
use crate::{
    OpenResponse, Problem, ProviderError, ReadDataSourceRequest, ReadDataSourceResponse,
    RenewResponse,
};

impl Plugin {
    pub(super) async fn read_data(
        &self,
        request: ReadDataSourceRequest,
    ) -> Result<ReadDataSourceResponse, ProviderError> {
        let rpc = Rpc::ReadDataSource;
        let schema = self.data_source_schema(&request.type_name).await?;
        let ty = schema.implied_type();
        let meta = request.provider_meta.as_ref();
        let message = pb::read_data_source::Request {
            type_name: request.type_name.to_string(),
            config: self.encode(rpc, &request.config, ty)?,
            provider_meta: self.encode_meta(rpc, meta).await?,
            client_capabilities: wire::client_capabilities(),
        };
        let response: pb::read_data_source::Response =
            self.uncached(rpc, &request.type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        Ok(ReadDataSourceResponse {
            state: self.value(rpc, response.state.as_ref(), &diagnostics, ty)?,
            deferred: wire::deferred(response.deferred),
            diagnostics,
        })
    }

    pub(super) async fn open(
        &self,
        type_name: &str,
        config: &Value,
    ) -> Result<OpenResponse, ProviderError> {
        let rpc = Rpc::OpenEphemeralResource;
        let schema = self.ephemeral_schema(type_name).await?;
        let ty = schema.implied_type();
        let message = pb::open_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            config: self.encode(rpc, config, ty)?,
            client_capabilities: wire::client_capabilities(),
        };
        let response: pb::open_ephemeral_resource::Response =
            self.uncached(rpc, type_name, message).await?;
        let diagnostics = wire::diagnostics(response.diagnostics);
        Ok(OpenResponse {
            result: self.value(rpc, response.result.as_ref(), &diagnostics, ty)?,
            renew_at: response.renew_at.and_then(time),
            private: response.private.unwrap_or_default(),
            deferred: wire::deferred(response.deferred),
            diagnostics,
        })
    }

    pub(super) async fn renew(
        &self,
        type_name: &str,
        private: Bytes,
    ) -> Result<RenewResponse, ProviderError> {
        self.ephemeral_schema(type_name).await?;
        let message = pb::renew_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            private: Some(private),
        };
        let response: pb::renew_ephemeral_resource::Response = self
            .uncached(Rpc::RenewEphemeralResource, type_name, message)
            .await?;
        Ok(RenewResponse {
            renew_at: response.renew_at.and_then(time),
            private: response.private.unwrap_or_default(),
            diagnostics: wire::diagnostics(response.diagnostics),
        })
    }

    pub(super) async fn close(
        &self,
        type_name: &str,
        private: Bytes,
    ) -> Result<Vec<Problem>, ProviderError> {
        self.ephemeral_schema(type_name).await?;
        let message = pb::close_ephemeral_resource::Request {
            type_name: type_name.to_owned(),
            private: Some(private),
        };
        let response: pb::close_ephemeral_resource::Response = self
            .uncached(Rpc::CloseEphemeralResource, type_name, message)
            .await?;
        Ok(wire::diagnostics(response.diagnostics))
    }
}

/// None before 1970 and for an invalid time: then there is nothing to wait for.
fn time(timestamp: pb::Timestamp) -> Option<SystemTime> {
    let seconds = Duration::from_secs(timestamp.seconds.try_into().ok()?);
    let nanos = Duration::from_nanos(timestamp.nanos.try_into().ok()?);
    SystemTime::UNIX_EPOCH
        .checked_add(seconds)?
        .checked_add(nanos)
}
