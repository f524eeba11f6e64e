//! `textDocument/diagnostic` and `workspace/diagnostic`: diagnostics for clients that ask for them.
//!
//! A result is named by its content, so nothing has to be remembered to tell whether it is still the same.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::Deserialize;
use serde_json::{Value, json};
use text::FileId;
use tower_lsp_server::ls_types::{DiagnosticOptions, DiagnosticServerCapabilities};

use crate::context::RequestContext;
use crate::convert::{file_id, uri};
use crate::findings::diagnostics_of;
use crate::params::DocumentId;

pub(crate) fn options() -> DiagnosticServerCapabilities {
    DiagnosticServerCapabilities::Options(DiagnosticOptions {
        identifier: Some("planlens".to_string()),
        inter_file_dependencies: true,
        workspace_diagnostics: true,
        ..DiagnosticOptions::default()
    })
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct DocumentDiagnosticParams {
    text_document: DocumentId,
    previous_result_id: Option<String>,
}

#[derive(Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub(crate) struct WorkspaceDiagnosticParams {
    #[serde(default)]
    previous_result_ids: Vec<PreviousResult>,
}

#[derive(Deserialize, Debug)]
struct PreviousResult {
    uri: String,
    value: String,
}

pub(crate) fn of_document(context: &RequestContext, params: DocumentDiagnosticParams) -> Value {
    let file = file_id(&params.text_document.uri);
    report(context, &file, params.previous_result_id.as_deref())
}

/// The files that are not open; those that are, are asked for by themselves.
pub(crate) fn of_workspace(context: &RequestContext, params: WorkspaceDiagnosticParams) -> Value {
    let previous = params.previous_result_ids;
    let closed = context.snapshot.closed_files_with_diagnostics().cloned();
    let mut files: BTreeSet<FileId> = closed.collect();
    // Diagnostics of others are taken back.
    let known_files = previous.iter().map(|it| file_id(&it.uri));
    files.extend(known_files.filter(|file| context.snapshot.file(file).is_none()));
    let reports = files.into_iter().filter_map(|file| {
        let known = previous.iter().find(|it| file_id(&it.uri) == file);
        let uri = match known {
            Some(known) => known.uri.clone(),
            None => uri(&file)?.as_str().to_string(),
        };
        let mut report = report(context, &file, known.map(|it| it.value.as_str()));
        report["uri"] = uri.into();
        report["version"] = Value::Null;
        Some(report)
    });
    json!({ "items": reports.collect::<Vec<_>>() })
}

fn report(context: &RequestContext, file: &FileId, previous: Option<&str>) -> Value {
    let items = diagnostics_of(&context.snapshot, file, &context.capabilities);
    let items = json!(items);
    let mut hasher = DefaultHasher::new();
    items.to_string().hash(&mut hasher);
    let id = format!("{:016x}", hasher.finish());
    match previous == Some(id.as_str()) {
        true => json!({ "kind": "unchanged", "resultId": id }),
        false => json!({ "kind": "full", "resultId": id, "items": items }),
    }
}
