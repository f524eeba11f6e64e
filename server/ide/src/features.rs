//! What is offered and told at places of files in other languages than HCL.

use std::sync::Arc;

use text::{FileId, TextRange, TextSize};

use crate::subject::Location;
use crate::{
    Action, Completions, Definition, Fold, Folder, Highlight, Hover, Parsed, Snapshot, SourceFile,
    Symbol,
};

/// What a language has to offer and to tell. What it doesn't answer, nothing is offered of.
pub trait Features: Sync {
    fn completions(&self, _at: &At<'_>) -> Completions {
        Completions::default()
    }

    /// What stands at a place, beside what the plan says of it.
    fn hover(&self, _at: &At<'_>) -> Option<Hover> {
        None
    }

    fn definition(&self, _at: &At<'_>) -> Option<Definition> {
        None
    }

    /// All uses of a name, and where it is declared.
    fn references(&self, _at: &At<'_>) -> References {
        References::default()
    }

    /// The outline.
    fn symbols(&self, _parsed: &dyn Parsed) -> Vec<Symbol> {
        Vec::new()
    }

    fn folds(&self, _parsed: &dyn Parsed) -> Vec<Fold> {
        Vec::new()
    }

    /// The ranges around a place, from the narrowest on.
    fn selections(&self, _parsed: &dyn Parsed, _offset: TextSize) -> Vec<TextRange> {
        Vec::new()
    }

    fn actions(&self, _at: &At<'_>, _range: TextRange) -> Vec<Action> {
        Vec::new()
    }
}

/// A place in an open file.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub snapshot: &'a Snapshot,
    pub file: &'a FileId,
    pub source: &'a SourceFile,
    pub offset: TextSize,
    /// What is known of the folder that the file is planned with.
    pub folder: Option<&'a Arc<dyn Folder>>,
}

/// Where a name is used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    pub declaration: Option<Location>,
    pub uses: Vec<Location>,
}

/// Of a language that has nothing to say.
pub(crate) struct NoFeatures;

impl Features for NoFeatures {}

impl Snapshot {
    /// A place in a file of another language than HCL, with what that offers.
    pub(crate) fn other<'a>(
        &'a self,
        file: &'a FileId,
        offset: TextSize,
    ) -> Option<(&'a dyn Features, At<'a>)> {
        let source = self.file(file)?;
        let folders = self.folders_planned().values();
        let mut folders = folders.filter(|folder| folder.files().any(|it| it == file));
        let at = At {
            snapshot: self,
            file,
            source,
            offset,
            folder: folders.next(),
        };
        Some((source.features(), at))
    }

    pub(crate) fn other_references(&self, file: &FileId, offset: TextSize) -> References {
        let other = self.other(file, offset);
        other.map_or_else(References::default, |(features, at)| {
            features.references(&at)
        })
    }
}

impl References {
    pub(crate) fn all(self, with_declaration: bool) -> Vec<Location> {
        let mut found = self.uses;
        found.extend(self.declaration.filter(|_| with_declaration));
        found.sort_by_key(|it| (it.file.clone(), it.range.start(), it.range.end()));
        found.dedup();
        found
    }

    pub(crate) fn highlights(self, file: &FileId) -> Vec<Highlight> {
        let uses = self.uses.into_iter().map(|it| (it, false));
        let all = uses.chain(self.declaration.map(|it| (it, true)));
        let own = all.filter(|(it, _)| it.file == *file);
        own.map(|(it, is_write)| Highlight {
            range: it.range,
            is_write,
        })
        .collect()
    }
}
