//! A report as SARIF 2.1.0, for those who show the findings of many tools.

use std::collections::BTreeSet;

use anyhow::Context;
use serde_json::{Value, json};

use super::report::{Report, ReportedChange, ReportedDiagnostic, RootReport};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

pub(super) fn of(report: &Report) -> anyhow::Result<String> {
    let found = report.found();
    let denied = report.denied();
    let codes: BTreeSet<&str> = found.iter().map(|it| it.code.as_str()).collect();
    let kinds: BTreeSet<String> = denied.iter().map(|(_, it)| rule(it)).collect();
    let described = codes.iter().map(|code| {
        let known = ide::code(code);
        let text = known.map_or((*code).to_owned(), |it| it.meaning.clone());
        json!({ "id": code, "shortDescription": { "text": text } })
    });
    let policies = kinds.iter().map(|it| json!({ "id": it, "shortDescription": { "text": "A change that the policy denies." } }));
    let rules: Vec<Value> = described.chain(policies).collect();
    let results = found.iter().map(|it| result(it));
    let results: Vec<Value> = results
        .chain(denied.iter().map(|(root, it)| of_denied(root, it)))
        .collect();
    let log = json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "planlens",
                "version": env!("CARGO_PKG_VERSION"),
                "informationUri": "https://github.com/planlens/planlens",
                "rules": rules,
            } },
            "columnKind": "unicodeCodePoints",
            "originalUriBaseIds": { "SRCROOT": { "description": { "text": "The folder in which planlens ran." } } },
            "results": results,
        }],
    });
    serde_json::to_string_pretty(&log).context("writing the report as SARIF")
}

fn result(found: &ReportedDiagnostic) -> Value {
    json!({
        "ruleId": found.code,
        "level": found.level,
        "message": { "text": found.message },
        "locations": [{ "physicalLocation": {
            "artifactLocation": { "uri": uri(&found.path), "uriBaseId": "SRCROOT" },
            "region": {
                "startLine": found.line,
                "startColumn": found.column,
                "endLine": found.end_line,
                "endColumn": found.end_column,
            },
        } }],
    })
}

fn rule(change: &ReportedChange) -> String {
    format!("denied-{}", change.kind())
}

fn of_denied(root: &RootReport, change: &ReportedChange) -> Value {
    let why: Vec<&String> = change.causes.iter().chain(&change.why).collect();
    let why = why
        .into_iter()
        .map(|it| format!(": {it}"))
        .collect::<String>();
    let path = change.path.as_deref().unwrap_or(&root.path);
    let mut location = json!({ "artifactLocation": { "uri": uri(path), "uriBaseId": "SRCROOT" } });
    if let Some(line) = change.line {
        location["region"] = json!({ "startLine": line });
    }
    json!({
        "ruleId": rule(change),
        "level": "error",
        "message": { "text": format!("{} is denied in {}: {}{why}", change.kind(), root.path, change.address) },
        "locations": [{ "physicalLocation": location }],
    })
}

/// A path as a part of a URI.
fn uri(path: &str) -> String {
    let is_plain = |it: u8| it.is_ascii_alphanumeric() || b"-._~/".contains(&it);
    let bytes = path.bytes().map(|it| match is_plain(it) {
        true => char::from(it).to_string(),
        false => format!("%{it:02X}"),
    });
    bytes.collect()
}
