//! Diagnostics, pushed as they change.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use ide::{Snapshot, SourceFile};
use serde_json::json;
use text::FileId;
use tower_lsp_server::ls_types;

use crate::capabilities::ClientCapabilities;
use crate::convert::{Convert, uri};
use crate::event::Event;
use crate::state::State;

/// What is published, and what has to be looked at.
#[derive(Default)]
pub(crate) struct Publisher {
    changed: BTreeSet<FileId>,
    is_looking: bool,
    published: BTreeMap<FileId, Published>,
}

struct Published {
    source: Arc<SourceFile>,
    diagnostics: Vec<ls_types::Diagnostic>,
}

/// What was found in one text of a file.
pub(crate) struct Finding {
    file: FileId,
    is_open: bool,
    source: Arc<SourceFile>,
    diagnostics: Vec<ls_types::Diagnostic>,
}

pub(crate) type Findings = Vec<Finding>;

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
        if self.publisher.is_looking || self.publisher.changed.is_empty() {
            return;
        }
        self.publisher.is_looking = true;
        let files = std::mem::take(&mut self.publisher.changed);
        let snapshot = self.snapshot();
        let capabilities = self.capabilities.clone();
        let events = self.events.clone();
        tokio::spawn(async move {
            let look = move || look(files, snapshot, &capabilities);
            let findings = tokio::task::spawn_blocking(look).await.unwrap_or_else(|_| {
                tracing::error!("the look for diagnostics failed");
                Findings::new()
            });
            events.send(Event::Found { findings });
        });
    }

    /// Publishes what was found in texts that are still those of now; in the others it is looked for again.
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
            // An editor moves what it shows along with its edits, perhaps to another place than ours.
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

    /// Takes back what was published about a document that is closed. A plan may still say something about its
    /// file.
    pub(crate) fn unpublish(&mut self, file: &FileId, uri: &str) {
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

/// The diagnostics of `files`; those that are not open are read from disk.
fn look(
    files: BTreeSet<FileId>,
    mut snapshot: Snapshot,
    capabilities: &ClientCapabilities,
) -> Findings {
    let is_closed = |file: &&FileId| snapshot.file(file).is_none();
    let closed: BTreeSet<FileId> = files.iter().filter(is_closed).cloned().collect();
    for file in &closed {
        let text = std::fs::read_to_string(file.path()).unwrap_or_default();
        snapshot = snapshot.with_file(file.clone(), &text);
    }
    let is_enabled = snapshot.settings().enable.diagnostics;
    let found = files.into_iter().filter_map(|file| {
        let source = snapshot.file(&file)?.clone();
        let convert = Convert::new(source.document(), capabilities);
        let diagnostics = if is_enabled {
            snapshot.diagnostics(&file)
        } else {
            Vec::new()
        };
        let diagnostics = diagnostics
            .into_iter()
            .map(|it| convert.diagnostic(it, &snapshot));
        let diagnostics = diagnostics.collect();
        let is_open = !closed.contains(&file);
        Some(Finding {
            file,
            is_open,
            source,
            diagnostics,
        })
    });
    found.collect()
}
