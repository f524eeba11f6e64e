//! An object before it is planned: as the state has it, and as its provider reads it.

use std::borrow::Cow;
use std::sync::Arc;

use bytes::Bytes;
use config::{Product, ResourceInstanceAddr};
use cty::{PathMarks, Value};
use provider::{MoveRequest, RawState, ReadRequest};
use schema::Schema;
use text::Problem;

use super::provider_requests::{
    InstanceFailed, InstancePlace, InstanceProblem, ProviderRequests, error,
};
use super::{InstanceOptions, MovedFrom, TypeCapabilities};
use crate::objchange::normalize_from_legacy_sdk;
use crate::{Action, ResourceInstanceChange};

/// A prior object, of the provider's present schema.
#[derive(Debug, Clone)]
pub(super) struct Prior {
    /// With the marks that the state records and the schema demands. Null where the remote object is gone.
    pub value: Value,
    pub private: Bytes,
    pub identity: Option<Value>,
    pub is_tainted: bool,
}

impl Prior {
    pub(super) fn is_gone(&self) -> bool {
        self.value.is_null()
    }
}

/// An object before and after it was read. Where it was not read, both are the same.
pub(super) struct ReadObject {
    pub stored: Prior,
    pub now: Prior,
}

impl ReadObject {
    /// The differences that reading found.
    pub(super) fn drift(
        &self,
        context: &ProviderRequests<'_>,
        schema: &Arc<Schema>,
        type_capabilities: &TypeCapabilities,
        previous_addr: Option<&Arc<ResourceInstanceAddr>>,
    ) -> Option<Box<ResourceInstanceChange>> {
        let (stored, now) = (&self.stored, &self.now);
        let (before, after) = (stored.value.clone(), now.value.clone());
        let is_same = before.unmark_deep().0.raw_equals(&after.unmark_deep().0);
        let action = match is_same {
            _ if now.is_gone() && !stored.is_gone() => Action::Delete,
            false => Action::Update,
            // An object that only has another address is no drift, but one of the changes.
            true if previous_addr.is_some() => Action::NoOp,
            true => return None,
        };
        let identity = match context.product {
            Product::Terraform => None,
            Product::OpenTofu => {
                let after = now.identity.as_ref().filter(|_| !now.is_gone());
                type_capabilities.identities(stored.identity.as_ref(), after)
            }
        };
        Some(Box::new(ResourceInstanceChange {
            addr: context.addr.clone(),
            previous_addr: previous_addr.cloned(),
            deposed: None,
            provider: context.provider_addr.clone(),
            schema: schema.clone(),
            action,
            reason: None,
            before,
            after,
            replace_paths: Vec::new(),
            importing: None,
            identity,
            generated_config: None,
        }))
    }
}

/// An object of the state.
pub(super) struct StateObject<'a> {
    pub object: &'a state::Object,
    pub moved_from: Option<&'a MovedFrom>,
    /// By the provider that is asked.
    pub type_capabilities: &'a TypeCapabilities,
}

/// Decodes a stored object, and reads the remote one if the task says so.
pub(super) async fn known(
    context: &ProviderRequests<'_>,
    schema: &Schema,
    stored: StateObject<'_>,
    task: InstanceOptions,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<ReadObject, InstanceFailed> {
    let stored = match stored.moved_from {
        Some(from) => moved(context, schema, &stored, from, diagnostics).await?,
        None => upgrade(context, schema, &stored, diagnostics).await?,
    };
    let now = match task.refresh {
        true => read(context, schema, &stored, diagnostics).await?,
        false => stored.clone(),
    };
    Ok(ReadObject { stored, now })
}

/// Lets the provider make an object of another type one of this type.
async fn moved(
    context: &ProviderRequests<'_>,
    schema: &Schema,
    stored: &StateObject<'_>,
    from: &MovedFrom,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Prior, InstanceFailed> {
    if !stored.type_capabilities.capabilities.move_resource_state {
        let place = InstancePlace {
            named_at: Some(from.declared_at.clone()),
            ..InstancePlace::default()
        };
        diagnostics.push(Problem::error(
            "unsupported-move",
            "Unsupported `moved` across resource types",
            format!(
                "The provider {:?} does not support moved operations across resource types and providers.",
                context.provider_addr.to_string(),
            ),
            place,
        ));
        return Err(InstanceFailed);
    }
    let object = stored.object;
    let identity = object.identity.as_ref();
    let request = MoveRequest {
        source_provider: from.provider.clone(),
        source_type_name: from.type_name.clone(),
        source_schema_version: i64::try_from(object.schema_version).unwrap_or(i64::MAX),
        source_state: object.attributes.get().to_owned().into(),
        source_private: object.private.clone(),
        source_identity: identity.map_or_else(Bytes::new, |raw| raw.get().to_owned().into()),
        source_identity_schema_version: i64::try_from(object.identity_schema_version)
            .unwrap_or(i64::MAX),
        target_type_name: context.addr.resource.r#type.clone(),
    };
    let answer = context.provider.move_resource_state(request).await;
    let response = context.answer(answer, diagnostics)?;
    let before = diagnostics.len();
    let reported = context.report(response.diagnostics, diagnostics);
    for problem in &mut diagnostics[before..] {
        problem.code = "unsupported-move";
    }
    reported?;
    // OpenTofu does not take over the identity.
    let is_terraform = context.product == Product::Terraform;
    Ok(Prior {
        value: schema.block.mark_sensitive(&response.target_state, []),
        private: response.target_private,
        identity: response.target_identity.filter(|_| is_terraform),
        is_tainted: object.is_tainted,
    })
}

/// Reads the remote object. The identity of one that is gone stays.
pub(super) async fn read(
    context: &ProviderRequests<'_>,
    schema: &Schema,
    stored: &Prior,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Prior, InstanceFailed> {
    let (current_state, marks) = stored.value.unmark_deep_with_paths();
    let request = ReadRequest {
        type_name: context.addr.resource.r#type.clone(),
        current_state,
        private: stored.private.clone(),
        provider_meta: context.provider_meta.cloned(),
        current_identity: stored.identity.clone(),
    };
    let response = context.read(request, schema, diagnostics).await?;
    let is_gone = response.new_state.is_null();
    let value = match is_gone {
        true => Value::null(schema.implied_type().clone()),
        false => {
            let value = normalize_from_legacy_sdk(&response.new_state, &schema.block);
            schema.block.mark_sensitive(&value, marks)
        }
    };
    Ok(Prior {
        value,
        private: response.private,
        identity: response.new_identity,
        is_tainted: stored.is_tainted && !is_gone,
    })
}

/// Decodes a stored object through the provider, which also sees objects that have its present version.
async fn upgrade(
    context: &ProviderRequests<'_>,
    schema: &Schema,
    stored: &StateObject<'_>,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Prior, InstanceFailed> {
    let object = stored.object;
    if object.schema_version > schema.version.unsigned_abs() {
        diagnostics.push(error(
            "newer-provider",
            "Resource instance managed by newer provider version",
            format!(
                "The current state of {} was created by a newer provider version than is currently selected. Upgrade the {} provider to work with this state.",
                context.addr, context.provider_addr.r#type,
            ),
        ));
        return Err(InstanceFailed);
    }
    let attributes = raw_attributes(schema, object);
    let raw_state = match &object.attributes_flat {
        Some(flat) => RawState::Flat(flat),
        None => RawState::Json(&attributes),
    };
    let answer = context
        .provider
        .upgrade_resource_state(
            &context.addr.resource.r#type,
            i64::try_from(object.schema_version).unwrap_or(i64::MAX),
            raw_state,
        )
        .await;
    let response = context.answer(answer, diagnostics)?;
    context.report(response.diagnostics, diagnostics)?;
    let value = response.upgraded_state;
    let recorded = object.sensitive_paths.iter().cloned();
    Ok(Prior {
        value: (schema.block).mark_sensitive(&value, recorded.map(PathMarks::sensitive)),
        private: object.private.clone(),
        identity: identity(context, stored, diagnostics).await?,
        is_tainted: object.is_tainted,
    })
}

/// The stored identity of an object, of the provider's present schema for that.
///
/// Follows `upgradeResourceIdentity` of OpenTofu's `internal/tofu`.
async fn identity(
    context: &ProviderRequests<'_>,
    stored: &StateObject<'_>,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Option<Value>, InstanceFailed> {
    let (Some(raw), Some(schema)) = (&stored.object.identity, &stored.type_capabilities.identity)
    else {
        return Ok(None);
    };
    let version = i64::try_from(stored.object.identity_schema_version).unwrap_or(i64::MAX);
    if version > schema.version {
        diagnostics.push(error(
            "newer-provider",
            "Resource identity managed by newer provider version",
            format!(
                "The current identity of {} was created by a newer provider version than is currently selected. Upgrade the {} provider to work with this identity.",
                context.addr, context.provider_addr,
            ),
        ));
        return Err(InstanceFailed);
    }
    if version == schema.version {
        return Ok(cty::json::decode_str(raw.get(), schema.implied_type()).ok());
    }
    let type_name = &context.addr.resource.r#type;
    let raw = raw.get().as_bytes();
    let answer = context
        .provider
        .upgrade_resource_identity(type_name, version, raw);
    let response = context.answer(answer.await, diagnostics)?;
    context.report(response.diagnostics, diagnostics)?;
    Ok(Some(response.upgraded_identity))
}

/// The stored attributes as the provider is given them: an object of the present schema version may still have
/// attributes that the schema had when it was stored.
fn raw_attributes<'a>(schema: &Schema, object: &'a state::Object) -> Cow<'a, str> {
    let text = object.attributes.get();
    if object.schema_version != schema.version.unsigned_abs() {
        return text.into();
    }
    match serde_json::from_str::<serde_json::Value>(text) {
        Ok(mut json) => {
            schema::strip_removed_attributes(&mut json, schema.implied_type());
            json.to_string().into()
        }
        Err(_) => text.into(),
    }
}
