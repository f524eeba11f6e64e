//! Values, paths and diagnostics between the wire and here.

use bytes::Bytes;
use cty::{Path, PathStep, Type, Value};
use text::{Severity, cut};

use super::tfplugin as pb;
use crate::{DeferredReason, Problem, said};

/// The answers that we can take. Deferral is not asked for: a provider then answers as it answers an ordinary `terraform plan`.
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
    diagnostics: &[Problem],
    ty: &Type,
) -> Result<Value, String> {
    match decode_value(value, ty) {
        Err(_) if diagnostics.iter().any(Problem::is_error) => Ok(Value::null(ty.clone())),
        value => value,
    }
}

/// Diagnostics of one answer that are shown. A person reads a few.
const SHOWN: usize = 100;

/// Bytes of one text of a provider, and of all in one answer.
const TEXT_LIMIT: usize = 64 << 10;
const ANSWER_LIMIT: usize = 256 << 10;

/// The diagnostics of an answer. Where there are more than a person reads, errors come first, and the last one says how
/// many are left out.
pub(crate) fn diagnostics(mut diagnostics: Vec<pb::Diagnostic>) -> Vec<Problem> {
    let count = diagnostics.len();
    let size = |it: &pb::Diagnostic| it.summary.len() + it.detail.len();
    if count > SHOWN || diagnostics.iter().map(size).sum::<usize>() > ANSWER_LIMIT {
        diagnostics.sort_by_key(|it| it.severity() == pb::diagnostic::Severity::Warning);
    }
    let mut left = ANSWER_LIMIT;
    let mut shown = Vec::new();
    for mut it in diagnostics.into_iter().take(SHOWN) {
        if left == 0 {
            break;
        }
        it.summary = cut(it.summary, left.min(TEXT_LIMIT));
        it.detail = cut(it.detail, left.min(TEXT_LIMIT));
        left = left.saturating_sub(it.summary.len() + it.detail.len());
        shown.push(diagnostic(it));
    }
    if shown.len() < count {
        let what = format!("The provider reported {count} errors and warnings at once.");
        let detail = format!("{what} Only {} are shown, errors first.", shown.len());
        shown.push(said(
            Severity::Warning,
            "Too many errors and warnings",
            detail,
            None,
        ));
    }
    shown
}

/// The message of a provider that failed.
pub(crate) fn message(text: &str) -> String {
    cut(text.to_owned(), TEXT_LIMIT)
}

fn diagnostic(diagnostic: pb::Diagnostic) -> Problem {
    let severity = match diagnostic.severity() {
        pb::diagnostic::Severity::Warning => Severity::Warning,
        pb::diagnostic::Severity::Error | pb::diagnostic::Severity::Invalid => Severity::Error,
    };
    let attribute = diagnostic.attribute.map(attribute_path);
    let attribute = attribute.filter(|path| !path.is_empty());
    said(severity, diagnostic.summary, diagnostic.detail, attribute)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(summary: &str, detail: String, severity: pb::diagnostic::Severity) -> pb::Diagnostic {
        pb::Diagnostic {
            severity: severity.into(),
            summary: summary.to_owned(),
            detail,
            attribute: None,
        }
    }

    #[test]
    fn of_50_000_diagnostics_the_errors_come_first_and_the_rest_is_counted() {
        use pb::diagnostic::Severity::{Error, Warning};
        let mut all: Vec<_> = (0..50_000)
            .map(|nth| shown(&nth.to_string(), String::new(), Warning))
            .collect();
        all.push(shown("the error", String::new(), Error));
        let shown = diagnostics(all);
        assert_eq!(shown.len(), SHOWN + 1);
        assert_eq!((&*shown[0].summary, &*shown[1].summary), ("the error", "0"));
        let last = &shown[SHOWN];
        assert_eq!(
            last.detail,
            "The provider reported 50001 errors and warnings at once. Only 100 are shown, errors first."
        );
        assert!(!last.is_error());
    }

    #[test]
    fn a_diagnostic_of_100_megabytes_is_cut() {
        let error = |size| shown("s", "ä".repeat(size), pb::diagnostic::Severity::Error);
        let long = diagnostics(vec![error(50 << 20), error(1)]);
        assert_eq!(long.len(), 2);
        assert!(
            long[0]
                .detail
                .ends_with("… (104792064 more bytes are not shown)"),
            "{}",
            &long[0].detail[TEXT_LIMIT..]
        );
        assert_eq!(long[1].detail, "ä");
        let many = diagnostics((0..90).map(|_| error(1 << 16)).collect());
        let size: usize = many.iter().map(|it| it.detail.len()).sum();
        assert!(
            many.len() < 10 && size < 2 * ANSWER_LIMIT,
            "{} of {size} bytes",
            many.len()
        );
        assert!(
            many.last()
                .is_some_and(|it| it.detail.contains("reported 90"))
        );
    }

    #[test]
    fn a_few_diagnostics_stay_as_they_are() {
        use pb::diagnostic::Severity::{Error, Warning};
        let kept = diagnostics(vec![
            shown("a", "b".into(), Warning),
            shown("c", "d".into(), Error),
        ]);
        let texts: Vec<_> = kept.iter().map(|it| (&*it.summary, &*it.detail)).collect();
        assert_eq!(texts, [("a", "b"), ("c", "d")]);
    }
}
