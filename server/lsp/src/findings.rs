//! The diagnostics of some files, found beside the main loop.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use disk::Limit;
use ide::{Snapshot, SourceFile};
use text::FileId;
use tower_lsp_server::ls_types;

use crate::capabilities::ClientCapabilities;
use crate::convert::Convert;

/// The diagnostics of one text of a file.
pub(crate) struct Finding {
    pub(crate) file: FileId,
    pub(crate) is_open: bool,
    pub(crate) source: Arc<SourceFile>,
    pub(crate) diagnostics: Vec<ls_types::Diagnostic>,
}

pub(crate) type Findings = Vec<Finding>;

/// Looks at files.
pub(crate) fn look(
    files: BTreeSet<FileId>,
    snapshot: Snapshot,
    capabilities: &ClientCapabilities,
) -> Findings {
    let found = files.into_iter().filter_map(|file| {
        let is_open = snapshot.file(&file).is_some();
        let snapshot = with_text(&snapshot, &file);
        let source = snapshot.file(&file)?.clone();
        let diagnostics = diagnostics_of(&snapshot, &file, capabilities);
        Some(Finding {
            file,
            is_open,
            source,
            diagnostics,
        })
    });
    found.collect()
}

/// The snapshot with the text of a file that is not open, as it is on disk.
fn with_text(snapshot: &Snapshot, file: &FileId) -> Snapshot {
    match snapshot.file(file) {
        Some(_) => snapshot.clone(),
        None => {
            let bytes =
                disk::read(Path::new(file.path()), Limit::CONFIGURATION).unwrap_or_default();
            snapshot.with_file(file.clone(), &String::from_utf8_lossy(&bytes))
        }
    }
}

/// The diagnostics of a file, open or not, as the client reads them.
pub(crate) fn diagnostics_of(
    snapshot: &Snapshot,
    file: &FileId,
    capabilities: &ClientCapabilities,
) -> Vec<ls_types::Diagnostic> {
    if !snapshot.settings().enable.diagnostics {
        return Vec::new();
    }
    let snapshot = with_text(snapshot, file);
    let Some(source) = snapshot.file(file) else {
        return Vec::new();
    };
    let convert = Convert::new(source.document(), capabilities);
    let diagnostics = snapshot.diagnostics(file).into_iter();
    diagnostics
        .map(|it| convert.diagnostic(it, &snapshot))
        .collect()
}
