//! The findings of a check, as data that other checks can be merged with.

use std::path::Path;

use anyhow::{Context, ensure};
use disk::Limit;
use serde::{Deserialize, Serialize};

use super::policy::Denied;

/// Of the format of reports.
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct Report {
    pub version: u32,
    /// The revision that was compared with.
    pub base: Option<String>,
    /// In the order of their paths.
    pub roots: Vec<RootReport>,
}

/// Of a root module.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub(super) struct RootReport {
    /// Its folder, from where the check ran.
    pub path: String,
    pub diagnostics: Vec<ReportedDiagnostic>,
    /// The changes of objects: of a comparison, those that the edit affects.
    pub changes: Vec<ReportedChange>,
    pub add: usize,
    pub change: usize,
    pub destroy: usize,
    pub replace: usize,
    /// Objects that are not planned for sure.
    pub guesses: usize,
    pub is_state_unread: bool,
    /// Whether the plan is another one than before; of a comparison.
    pub has_other_plan: bool,
    /// The duration.
    pub ms: u64,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ReportedDiagnostic {
    pub path: String,
    /// From 1.
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// `error`, `warning` or `note`
    pub level: String,
    pub code: String,
    pub message: String,
}

#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
pub(super) struct ReportedChange {
    pub address: String,
    /// The steps: `["delete", "create"]`.
    pub actions: Vec<String>,
    /// Before the change; of a comparison.
    pub before: Option<Vec<String>>,
    pub symbol: String,
    pub path: Option<String>,
    pub line: Option<u32>,
    pub causes: Vec<String>,
    pub why: Option<String>,
    /// As the plan prints it.
    pub diff: String,
    /// The kinds of a `planlens:allow` comment beside it; `any` where that names none.
    pub allowed: Vec<String>,
    #[serde(default)]
    pub is_denied: bool,
}

impl ReportedChange {
    /// In the words of a policy.
    pub(super) fn kind(&self) -> &'static str {
        let has = |step: &str| self.actions.iter().any(|it| it == step);
        match (has("delete"), has("create"), has("forget"), has("update")) {
            (true, true, ..) | (_, true, true, _) => "replace",
            (true, false, ..) => "destroy",
            (false, true, ..) => "create",
            (.., true, _) => "forget",
            (.., true) => "update",
            _ => "other",
        }
    }
}

impl Report {
    pub(super) fn new(base: Option<String>, mut roots: Vec<RootReport>) -> Report {
        roots.sort_by(|a, b| a.path.cmp(&b.path));
        Report {
            version: VERSION,
            base,
            roots,
        }
    }

    pub(super) fn read(path: &str) -> anyhow::Result<Report> {
        let text = disk::read_text(Path::new(path), Limit::STATE);
        let text = text.with_context(|| format!("reading {path}"))?;
        let report: Report = serde_json::from_str(&text)
            .with_context(|| format!("{path} is not a report of planlens check -format=json"))?;
        ensure!(
            report.version == VERSION,
            "{path} was written by another version of planlens"
        );
        Ok(report)
    }

    pub(super) fn merge(reports: Vec<Report>) -> anyhow::Result<Report> {
        let base = reports.first().and_then(|it| it.base.clone());
        let mut roots = Vec::new();
        for report in reports {
            ensure!(
                report.base == base,
                "the reports compare with different revisions"
            );
            roots.extend(report.roots);
        }
        let report = Report::new(base, roots);
        let twice = report.roots.windows(2).find(|it| it[0].path == it[1].path);
        ensure!(
            twice.is_none(),
            "{} is in more than one report",
            twice.map_or("".into(), |it| text::one_line(&it[0].path))
        );
        Ok(report)
    }

    pub(super) fn to_json(&self) -> anyhow::Result<String> {
        serde_json::to_string_pretty(self).context("writing the report as JSON")
    }

    /// How many errors there are; of a module that several call, each is one.
    pub(super) fn errors(&self) -> usize {
        self.found().iter().filter(|it| it.level == "error").count()
    }

    /// All diagnostics, in the order of the files, each once.
    pub(super) fn found(&self) -> Vec<&ReportedDiagnostic> {
        let mut found: Vec<&ReportedDiagnostic> =
            self.roots.iter().flat_map(|it| &it.diagnostics).collect();
        found.sort();
        found.dedup();
        found
    }

    pub(super) fn deny(&mut self, denied: &Denied) {
        for change in self.roots.iter_mut().flat_map(|it| &mut it.changes) {
            change.is_denied = denied.takes(change);
        }
    }

    pub(super) fn denied(&self) -> Vec<(&RootReport, &ReportedChange)> {
        let changes = self
            .roots
            .iter()
            .flat_map(|root| root.changes.iter().map(move |it| (root, it)));
        changes.filter(|(_, it)| it.is_denied).collect()
    }
}
