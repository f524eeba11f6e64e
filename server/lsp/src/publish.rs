//! Diagnostics, pushed as they change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use ide::SourceFile;
use serde_json::json;
use text::FileId;
use tower_lsp_server::ls_types;

use crate::convert::uri;
use crate::event::Event;
use crate::findings::{Finding, Findings, look};
use crate::state::State;
use crate::work::Work;

/// How long the checks of a text are waited for, so that their diagnostics don't flash away with each edit.
const PATIENCE: Duration = Duration::from_millis(100);

/// The published diagnostics, and the files to look at.
#[derive(Default)]
pub(crate) struct Publisher {
    changed: BTreeSet<FileId>,
    is_looking: bool,
    /// Runs out when the checks of the current texts take too long to be waited for.
    waiting: Option<Work>,
    is_due: bool,
    published: BTreeMap<FileId, Published>,
}

struct Published {
    source: Arc<SourceFile>,
    diagnostics: Vec<ls_types::Diagnostic>,
}

impl Publisher {
    pub(crate) fn look_at(&mut self, file: FileId) {
        self.changed.insert(file);
    }

    /// Looks at the files in which something is shown.
    pub(crate) fn look_again(&mut self) {
        let shows = |published: &Published| !published.diagnostics.is_empty();
        let shown = self
            .published
            .iter()
            .filter(|(_, published)| shows(published));
        self.changed.extend(shown.map(|(file, _)| file.clone()));
    }
}

impl State {
    /// Looks for diagnostics where something changed; one look at a time.
    pub(crate) fn look_for_diagnostics(&mut self) {
        if self.capabilities.pulls_diagnostics {
            return self.publisher.changed.clear();
        }
        let is_idle = !self.publisher.is_looking && !self.publisher.changed.is_empty();
        if !is_idle || self.client.is_behind() {
            return;
        }
        if self.awaits_checks() && !self.publisher.is_due {
            let events = self.events.clone();
            self.publisher.waiting.get_or_insert_with(|| {
                Work::spawn(async move {
                    tokio::time::sleep(PATIENCE).await;
                    events.send(Event::LookIsDue);
                })
            });
            return;
        }
        self.publisher.waiting = None;
        self.publisher.is_due = false;
        self.publisher.is_looking = true;
        let files = std::mem::take(&mut self.publisher.changed);
        let snapshot = self.snapshot();
        let capabilities = self.capabilities.clone();
        let events = self.events.clone();
        tokio::spawn(async move {
            let look = move || look(files, snapshot, &capabilities);
            let findings = tokio::task::spawn_blocking(look).await.unwrap_or_else(|_| {
                tracing::error!("collecting diagnostics failed");
                Findings::new()
            });
            events.send(Event::Found { findings });
        });
    }

    pub(crate) fn look_is_due(&mut self) {
        self.publisher.is_due = self.publisher.waiting.is_some();
    }

    /// Publishes the diagnostics of texts that are still current; the others are looked at again.
    pub(crate) fn publish(&mut self, findings: Findings) {
        self.publisher.is_looking = false;
        let snapshot = self.snapshot();
        for finding in findings {
            let is_of_now = match snapshot.file(&finding.file) {
                Some(now) => Arc::ptr_eq(now, &finding.source),
                None => !finding.is_open,
            };
            if is_of_now {
                self.publish_finding(finding);
            }
        }
    }

    fn publish_finding(&mut self, finding: Finding) {
        let Finding {
            file,
            source,
            diagnostics,
            ..
        } = finding;
        let is_known = match self.publisher.published.get(&file) {
            // An editor moves its diagnostics along with its edits, perhaps to another place than ours.
            Some(before) => {
                before.diagnostics == diagnostics
                    && (diagnostics.is_empty() || Arc::ptr_eq(&before.source, &source))
            }
            None => diagnostics.is_empty(),
        };
        if is_known {
            return;
        }
        let params = match self.documents.get(&file) {
            Some(open) => {
                let version = source.document().version;
                Some(json!({ "uri": open.uri, "version": version, "diagnostics": diagnostics }))
            }
            None => uri(&file).map(|uri| json!({ "uri": uri, "diagnostics": diagnostics })),
        };
        if let Some(params) = params {
            self.client
                .notify("textDocument/publishDiagnostics", params);
        }
        self.publisher.published.insert(
            file,
            Published {
                source,
                diagnostics,
            },
        );
    }

    /// Takes back the diagnostics of a document that is closed. A plan may still say something about its
    /// file.
    pub(crate) fn unpublish(&mut self, file: &FileId, uri: &str) {
        if self.capabilities.pulls_diagnostics {
            return;
        }
        if let Some(published) = self.publisher.published.remove(file)
            && !published.diagnostics.is_empty()
        {
            let params = json!({ "uri": uri, "diagnostics": [] });
            self.client
                .notify("textDocument/publishDiagnostics", params);
        }
        self.publisher.changed.remove(file);
        if self
            .snapshot()
            .closed_files_with_diagnostics()
            .any(|closed| closed == file)
        {
            self.publisher.look_at(file.clone());
        }
    }
}
