//! The plan of a folder by any engine, without the options of only one of them.

use std::path::Path;

use anyhow::{Context, ensure};
use disk::Limit;
use ide::{ChangeCounts, Planner};
use text::{Document, FileId};

/// The result of a plan.
pub struct PlannedFolder {
    /// The plan as its engine prints it, after a line with its inputs.
    pub text: String,
    pub counts: ChangeCounts,
    pub errors: usize,
}

/// Has `planner` plan the files of `dir` that are in one of its languages.
pub async fn plan_folder(planner: &dyn Planner, dir: &Path) -> anyhow::Result<PlannedFolder> {
    let languages = planner.languages();
    let mut files = Vec::new();
    for entry in disk::list(dir).with_context(|| format!("listing {}", dir.display()))? {
        let file = FileId::new(entry.path.to_string_lossy());
        if languages.iter().any(|language| language.takes(&file)) {
            let text = disk::read_text(&entry.path, Limit::CONFIGURATION)
                .with_context(|| format!("reading {}", entry.path.display()))?;
            files.push((file, Document::new(0, &text)));
        }
    }
    ensure!(
        !files.is_empty(),
        "nothing in {} can be planned",
        dir.display()
    );
    let snapshot = ide::plan_once(planner, files).await;
    let summaries = snapshot.plan_summaries().into_iter();
    let summary = summaries.rev().find(|summary| summary.folder == dir);
    let planned = summary.zip(snapshot.plan_document(dir));
    let (summary, text) = planned.with_context(|| format!("planning {}", dir.display()))?;
    Ok(PlannedFolder {
        text,
        counts: summary.counts,
        errors: summary.about.errors,
    })
}
