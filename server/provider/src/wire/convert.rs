//! Values, paths and diagnostics between the wire and here.

use bytes::Bytes;
use cty::{Path, PathStep, Type, Value};

use super::tfplugin as pb;
use crate::{DeferredReason, ProviderDiagnostic, Severity};

/// What we can take. Deferral is not asked for: a provider then answers as it answers an ordinary `terraform plan`.
pub(crate) fn client_capabilities() -> Option<pb::ClientCapabilities> {
    Some(pb::ClientCapabilities {
        deferral_allowed: false,
        write_only_attributes_allowed: true,
    })
}

pub(crate) fn encode_value(value: &Value, ty: &Type) -> Result<Option<pb::DynamicValue>, String> {
    let msgpack = cty::msgpack::encode(value, ty).map_err(|error| error.to_string())?;
    Ok(Some(pb::DynamicValue {
        msgpack: msgpack.into(),
        json: Bytes::new(),
    }))
}

/// An absent value is null.
pub(crate) fn decode_value(value: Option<&pb::DynamicValue>, ty: &Type) -> Result<Value, String> {
    match value {
        Some(value) if !value.msgpack.is_empty() => {
            cty::msgpack::decode(&value.msgpack, ty).map_err(|error| error.to_string())
        }
        Some(value) if !value.json.is_empty() => {
            let json = std::str::from_utf8(&value.json).map_err(|error| error.to_string())?;
            cty::json::decode_str(json, ty).map_err(|error| error.to_string())
        }
        Some(_) | None => Ok(Value::null(ty.clone())),
    }
}

/// A value beside diagnostics: a provider that reports an error may answer with anything.
pub(crate) fn decode_beside(
    value: Option<&pb::DynamicValue>,
    diagnostics: &[ProviderDiagnostic],
    ty: &Type,
) -> Result<Value, String> {
    match decode_value(value, ty) {
        Err(_) if diagnostics.iter().any(ProviderDiagnostic::is_error) => {
            Ok(Value::null(ty.clone()))
        }
        value => value,
    }
}

pub(crate) fn diagnostics(diagnostics: Vec<pb::Diagnostic>) -> Vec<ProviderDiagnostic> {
    diagnostics.into_iter().map(diagnostic).collect()
}

fn diagnostic(diagnostic: pb::Diagnostic) -> ProviderDiagnostic {
    ProviderDiagnostic {
        severity: match diagnostic.severity() {
            pb::diagnostic::Severity::Warning => Severity::Warning,
            pb::diagnostic::Severity::Error | pb::diagnostic::Severity::Invalid => Severity::Error,
        },
        attribute: diagnostic
            .attribute
            .map(attribute_path)
            .filter(|path| !path.is_empty()),
        summary: diagnostic.summary,
        detail: diagnostic.detail,
    }
}

/// Ends before the first step that says nothing.
pub(crate) fn attribute_path(path: pb::AttributePath) -> Path {
    use pb::attribute_path::step::Selector;
    let steps = path.steps.into_iter().map_while(|step| {
        Some(match step.selector? {
            Selector::AttributeName(name) => PathStep::GetAttr(name.into()),
            Selector::ElementKeyString(key) => PathStep::Index(Value::string(key)),
            Selector::ElementKeyInt(index) => PathStep::Index(Value::int(index)),
        })
    });
    Path(steps.collect())
}

pub(crate) fn deferred(deferred: Option<pb::Deferred>) -> Option<DeferredReason> {
    Some(match deferred?.reason() {
        pb::deferred::Reason::Unknown => DeferredReason::Unknown,
        pb::deferred::Reason::ResourceConfigUnknown => DeferredReason::ResourceConfigUnknown,
        pb::deferred::Reason::ProviderConfigUnknown => DeferredReason::ProviderConfigUnknown,
        pb::deferred::Reason::AbsentPrereq => DeferredReason::AbsentPrerequisite,
    })
}
