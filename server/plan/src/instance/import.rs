//! Taking over a remote object that no state has.

use provider::{ImportRequest, ImportTarget, ImportedObject};
use schema::Schema;

use super::prior::{self, Prior};
use super::provider_requests::{self, InstanceFailed, InstanceProblem, ProviderRequests};
use crate::plain;

/// Finds the object, and reads it: the answer to import may be only a part of it.
///
/// Follows `importState` in OpenTofu's `internal/tofu`.
pub(super) async fn import(
    context: &ProviderRequests<'_>,
    schema: &Schema,
    target: &ImportTarget,
    diagnostics: &mut Vec<InstanceProblem>,
) -> Result<Prior, InstanceFailed> {
    let request = ImportRequest {
        type_name: context.addr.resource.r#type.clone(),
        target: target.clone(),
    };
    let answer = context.provider.import_resource_state(request).await;
    let response = context.answer(answer, diagnostics)?;
    context.report(response.diagnostics, diagnostics)?;
    context.refuse_deferral(response.deferred, diagnostics)?;
    let error = |summary: &'static str, what: &str| {
        let named = match target {
            ImportTarget::Id(id) => format!("ID {id:?}"),
            ImportTarget::Identity(identity) => format!("identity {}", plain(identity)),
        };
        let detail =
            format!("While attempting to import with {named}, the provider returned {what}.");
        provider_requests::error("import-failed", summary, detail)
    };
    let imported = match <[ImportedObject; 1]>::try_from(response.imported) {
        Ok([imported]) => imported,
        Err(several) => {
            diagnostics.push(match several.is_empty() {
                true => error("Import returned no resources", "no instance states"),
                false => error(
                    "Multiple import states not supported",
                    "multiple resource instance states. This is not currently supported",
                ),
            });
            return Err(InstanceFailed);
        }
    };
    if imported.state.is_null() {
        diagnostics.push(error(
            "Import returned null resource",
            "an instance with no state",
        ));
        return Err(InstanceFailed);
    }
    let found = Prior {
        value: imported.state,
        private: imported.private,
        identity: imported.identity,
        is_tainted: false,
    };
    let read = prior::read(context, schema, &found, diagnostics).await?;
    if read.is_gone() {
        let detail = format!(
            "While attempting to import an existing object to {:?}, the provider detected that no object exists with the given id. Only pre-existing objects can be imported; check that the id is correct and that it is associated with the provider's configured region or endpoint, or use \"terraform apply\" to create a new remote object for this resource.",
            context.addr.to_string(),
        );
        let summary = "Cannot import non-existent remote object";
        diagnostics.push(provider_requests::error("import-failed", summary, detail));
        return Err(InstanceFailed);
    }
    Ok(read)
}
