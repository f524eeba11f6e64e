//! `validate`: the problems of a configuration.

use std::collections::BTreeSet;

use ide::Shown;
use rmcp::model::CallToolResult;
use serde::Deserialize;
use serde_json::{Map, json};
use text::{FileId, Severity, counted};

use crate::answer::{ListEntry, Page, ToolAnswer, message};
use crate::session::{CallArguments, PlannedProposal, Session};

#[derive(Deserialize)]
pub(crate) struct Validate {
    #[serde(flatten)]
    asked: CallArguments,
    #[serde(flatten)]
    page: Page,
}

pub(crate) async fn validate(
    session: &mut Session,
    asked: Validate,
) -> anyhow::Result<CallToolResult> {
    let planned = session.planned(&asked.asked).await?;
    let found = found(&planned);
    let count = |severity| {
        found
            .iter()
            .filter(|(_, it)| it.diagnostic.severity == severity)
            .count()
    };
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let mut head = match errors {
        0 if warnings == 0 => "The configuration is valid.\n".to_owned(),
        0 => format!(
            "The configuration is valid, with {}:\n",
            counted(warnings, "warning")
        ),
        _ => format!(
            "The configuration is not valid: {}, {}.\n",
            counted(errors, "error"),
            counted(warnings, "warning")
        ),
    };
    if let Some(needed) = &planned.needed {
        head += &format!("{needed}\n");
    }
    let mut data = Map::new();
    data.insert("valid".to_owned(), (errors == 0).into());
    data.insert("errors".to_owned(), errors.into());
    data.insert("warnings".to_owned(), warnings.into());
    let answer = ToolAnswer {
        head,
        data,
        name: "diagnostics",
        count: found.len(),
    };
    Ok(answer.of(asked.page, |range| {
        let entries = found[range]
            .iter()
            .map(|(file, it)| entry(&planned, file, it));
        entries.collect()
    }))
}

/// The problems in the files of the folder and of the modules that it calls; the worst come first.
fn found(planned: &PlannedProposal) -> Vec<(FileId, Shown)> {
    let snapshot = &planned.snapshot;
    let open: BTreeSet<FileId> = snapshot.files().map(|(file, _)| file.clone()).collect();
    let mut found = Vec::new();
    for file in &open {
        let diagnostics = snapshot.diagnostics(file).into_iter();
        found.extend(diagnostics.map(|it| (file.clone(), it)));
    }
    let closed: Vec<FileId> = snapshot.closed_files_with_diagnostics().cloned().collect();
    for file in closed {
        let text = planned.text(&file).unwrap_or_default();
        let snapshot = snapshot.with_file(file.clone(), &text);
        let diagnostics = snapshot.diagnostics(&file).into_iter();
        found.extend(diagnostics.map(|it| (file.clone(), it)));
    }
    // That an object is replaced is no fault.
    let is_fault = |it: &Shown| {
        matches!(it.diagnostic.severity, Severity::Error | Severity::Warning)
            && !matches!(it.diagnostic.code, "forces-replacement" | "destroys")
    };
    found.retain(|(_, it)| is_fault(it));
    found.sort_by_key(|(_, it)| it.diagnostic.severity != Severity::Error);
    found
}

/// The errors of a folder: how many there are, and the first ones as text.
pub(crate) fn errors(planned: &PlannedProposal, listed: usize) -> (usize, Vec<String>) {
    let mut found = found(planned);
    found.retain(|(_, it)| it.diagnostic.severity == Severity::Error);
    let first = found.iter().take(listed);
    let first = first.map(|(file, it)| entry(planned, file, it).text);
    (found.len(), first.collect())
}

fn entry(planned: &PlannedProposal, file: &FileId, found: &Shown) -> ListEntry {
    let place = planned.place(file, found.range);
    let severity = match found.diagnostic.severity {
        Severity::Error => "error",
        _ => "warning",
    };
    let message = message(&found.message());
    ListEntry {
        text: format!("{place}:{}: {severity}: {message}\n", place.column),
        data: json!({
            "at": place.data(),
            "severity": severity,
            "code": found.diagnostic.code,
            "message": message,
        }),
    }
}
