//! A folder that several engines plan, each a part of its files.

use std::any::Any;
use std::sync::Arc;

use text::{Diagnostic, FileId, Span, TextRange};

use crate::{
    ChangeKind, Folder, FolderChange, FolderGuess, ListedCaller, OutsideChange, PlanOverview,
};

#[derive(Debug)]
struct JoinedFolder {
    /// At least two.
    parts: Vec<Arc<dyn Folder>>,
}

/// The parts of a folder as one. The order of the parts is that of their planners.
pub(crate) fn joined(mut parts: Vec<Arc<dyn Folder>>) -> Option<Arc<dyn Folder>> {
    match parts.len() {
        0 | 1 => parts.pop(),
        _ => Some(Arc::new(JoinedFolder { parts })),
    }
}

/// The folder as each of its engines knows it.
pub(crate) fn parts(folder: &Arc<dyn Folder>) -> &[Arc<dyn Folder>] {
    let any: &dyn Any = &**folder;
    match any.downcast_ref::<JoinedFolder>() {
        Some(joined) => &joined.parts,
        None => std::slice::from_ref(folder),
    }
}

impl JoinedFolder {
    fn texts(&self, text: fn(&dyn Folder) -> String) -> String {
        self.parts.iter().map(|part| text(&**part)).collect()
    }
}

impl Folder for JoinedFolder {
    fn about(&self) -> PlanOverview {
        let mut abouts = self.parts.iter().map(|part| part.about());
        let mut all = abouts.next().unwrap_or_default();
        for about in abouts {
            all.is_root |= about.is_root;
            all.guesses += about.guesses;
            all.errors += about.errors;
            all.read.extend(about.read);
            all.what_if.extend(about.what_if);
            all.environment = all.environment.or(about.environment);
            if all.workspace.is_empty() {
                all.workspace = about.workspace;
            }
            all.caller = all.caller.or(about.caller);
            all.unset.extend(about.unset);
            all.is_state_unread |= about.is_state_unread;
        }
        all
    }

    fn kinds(&self) -> Box<dyn Iterator<Item = ChangeKind> + '_> {
        Box::new(self.parts.iter().flat_map(|part| part.kinds()))
    }

    fn changes(&self) -> Vec<FolderChange> {
        self.parts.iter().flat_map(|part| part.changes()).collect()
    }

    fn guesses(&self) -> Vec<FolderGuess> {
        self.parts.iter().flat_map(|part| part.guesses()).collect()
    }

    fn caveats(&self) -> Vec<(String, String)> {
        self.parts.iter().flat_map(|part| part.caveats()).collect()
    }

    fn outside(&self) -> Vec<OutsideChange> {
        self.parts.iter().flat_map(|part| part.outside()).collect()
    }

    fn document(&self) -> String {
        self.texts(|part| part.document())
    }

    fn output_changes(&self) -> String {
        self.texts(|part| part.output_changes())
    }

    fn files(&self) -> Box<dyn Iterator<Item = &FileId> + '_> {
        Box::new(self.parts.iter().flat_map(|part| part.files()))
    }

    fn unplaced(&self) -> Vec<Diagnostic> {
        self.parts.iter().flat_map(|part| part.unplaced()).collect()
    }

    fn resolve(&self, span: &Span) -> Option<TextRange> {
        self.parts.iter().find_map(|part| part.resolve(span))
    }

    fn environments(&self) -> Option<Vec<String>> {
        self.parts.iter().find_map(|part| part.environments())
    }

    fn callers(&self) -> &[ListedCaller] {
        let mut callers = self.parts.iter().map(|part| part.callers());
        callers
            .find(|callers| !callers.is_empty())
            .unwrap_or_default()
    }
}
