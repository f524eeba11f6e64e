//! Features at a place: of HCL by the snapshot, of another language by its own implementation.

use std::collections::BTreeMap;
use std::sync::Arc;

use config::Files;
use text::{FileId, TextRange, TextSize};

use crate::terragrunt;

use crate::{
    Action, ActionKind, CompletionInputs, Completions, Definition, Fold, Folder, Highlight, Hover,
    Link, Location, Parsed, Snapshot, SourceFile, Symbol, WorkspaceSymbol,
};

/// The features of a language. The default of each is nothing.
pub trait Features: Send + Sync {
    /// Whether a file is written in the language.
    fn takes(&self, file: &FileId) -> bool;

    fn completions(&self, _at: &PlaceInFile<'_>) -> Completions {
        Completions::default()
    }

    /// The hover at a place, beside that of the plan.
    fn hover(&self, _at: &PlaceInFile<'_>) -> Option<Hover> {
        None
    }

    fn definition(&self, _at: &PlaceInFile<'_>) -> Option<Definition> {
        None
    }

    /// All uses of a name, and where it is declared.
    fn references(&self, _at: &PlaceInFile<'_>) -> References {
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

    /// What can be done about `range`, which begins at the place.
    fn actions(&self, _at: &PlaceInFile<'_>, _range: TextRange) -> Vec<Action> {
        Vec::new()
    }

    /// Links in the text. The place is its start.
    fn links(&self, _at: &PlaceInFile<'_>) -> Vec<Link> {
        Vec::new()
    }

    /// Everything that a folder declares.
    fn declared(&self, _snapshot: &Snapshot, _folder: &Arc<dyn Folder>) -> Vec<WorkspaceSymbol> {
        Vec::new()
    }
}

/// A place in an open file.
#[derive(Clone, Copy)]
pub struct PlaceInFile<'a> {
    pub snapshot: &'a Snapshot,
    pub file: &'a FileId,
    pub source: &'a SourceFile,
    pub offset: TextSize,
    /// The folder that the file is planned with.
    pub folder: Option<&'a Arc<dyn Folder>>,
}

/// Where a name is used.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct References {
    pub declaration: Option<Location>,
    pub uses: Vec<Location>,
}

impl<'a> PlaceInFile<'a> {
    pub fn of(
        snapshot: &'a Snapshot,
        file: &'a FileId,
        offset: TextSize,
    ) -> Option<PlaceInFile<'a>> {
        let mut folders = snapshot
            .planned_parts()
            .filter(|folder| folder.files().any(|it| it == file));
        Some(PlaceInFile {
            snapshot,
            file,
            source: snapshot.file(file)?,
            offset,
            folder: folders.next(),
        })
    }
}

/// Finds the implementation of a feature for a file.
#[derive(Clone, Copy)]
pub struct Answers<'a> {
    pub snapshot: &'a Snapshot,
    /// Of the languages beside HCL.
    pub features: &'a [Arc<dyn Features>],
}

impl<'a> Answers<'a> {
    /// Of a file in another language than HCL.
    fn of(&self, file: &FileId) -> Option<&'a dyn Features> {
        self.snapshot
            .file(file)
            .filter(|source| source.hcl().is_none())?;
        let found = self.features.iter().find(|it| it.takes(file));
        found.map(|it| &**it)
    }

    fn at<'f>(
        &self,
        file: &'f FileId,
        offset: TextSize,
    ) -> Option<(&'f dyn Features, PlaceInFile<'f>)>
    where
        'a: 'f,
    {
        Some((
            self.of(file)?,
            PlaceInFile::of(self.snapshot, file, offset)?,
        ))
    }

    pub fn completions(
        &self,
        file: &FileId,
        offset: TextSize,
        inputs: CompletionInputs<'_>,
    ) -> Completions {
        match self.at(file, offset) {
            Some((features, at)) => features.completions(&at),
            None => self.snapshot.completions_of(file, offset, inputs),
        }
    }

    /// `files` are for what paths name.
    pub fn hover(&self, file: &FileId, offset: TextSize, files: &dyn Files) -> Option<Hover> {
        if terragrunt::is_terragrunt(file) {
            return self.snapshot.terragrunt_hover(file, offset, files);
        }
        let planned = self.snapshot.hover(file, offset);
        let described = self.at(file, offset);
        match (
            described.and_then(|(features, at)| features.hover(&at)),
            planned,
        ) {
            (Some(described), Some(planned)) => Some(described.behind(&planned)),
            (described, planned) => described.or(planned),
        }
    }

    /// `files` are for what paths name.
    pub fn definition(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Definition> {
        match self.at(file, offset) {
            Some((features, at)) => features.definition(&at),
            None if terragrunt::is_terragrunt(file) => {
                self.snapshot.terragrunt_definition(file, offset, files)
            }
            None => self.snapshot.definition(file, offset),
        }
    }

    pub fn references(
        &self,
        file: &FileId,
        offset: TextSize,
        with_declaration: bool,
    ) -> Vec<Location> {
        if terragrunt::is_terragrunt(file) {
            let found = self
                .snapshot
                .terragrunt_highlights(file, offset)
                .into_iter();
            let wanted = found.filter(|it| with_declaration || !it.is_write);
            let place = |it: Highlight| Location {
                file: file.clone(),
                range: it.range,
            };
            return wanted.map(place).collect();
        }
        let Some((features, at)) = self.at(file, offset) else {
            return self.snapshot.references(file, offset, with_declaration);
        };
        let References { declaration, uses } = features.references(&at);
        let mut found = uses;
        found.extend(declaration.filter(|_| with_declaration));
        found.sort_by_key(|it| (it.file.clone(), it.range.start(), it.range.end()));
        found.dedup();
        found
    }

    pub fn highlights(&self, file: &FileId, offset: TextSize) -> Vec<Highlight> {
        if terragrunt::is_terragrunt(file) {
            return self.snapshot.terragrunt_highlights(file, offset);
        }
        let Some((features, at)) = self.at(file, offset) else {
            return self.snapshot.highlights(file, offset);
        };
        let References { declaration, uses } = features.references(&at);
        let uses = uses.into_iter().map(|it| (it, false));
        let all = uses.chain(declaration.map(|it| (it, true)));
        let own = all.filter(|(it, _)| it.file == *file);
        own.map(|(it, is_write)| Highlight {
            range: it.range,
            is_write,
        })
        .collect()
    }

    pub fn symbols(&self, file: &FileId) -> Vec<Symbol> {
        let Some((features, source)) = self.of(file).zip(self.snapshot.file(file)) else {
            return self.snapshot.symbols(file);
        };
        let mut symbols = features.symbols(source.parsed());
        let actions = self.snapshot.actions_of(file, None, " …").into_iter();
        let actions = actions.map(|it| (it.range.start(), it.title));
        tell_actions(&mut symbols, &actions.collect());
        symbols
    }

    pub fn folds(&self, file: &FileId) -> Vec<Fold> {
        match self.of(file).zip(self.snapshot.file(file)) {
            Some((features, source)) => features.folds(source.parsed()),
            None => self.snapshot.folds(file),
        }
    }

    /// The ranges around `offset`, from the narrowest to the whole file.
    pub fn selections(&self, file: &FileId, offset: TextSize) -> Vec<TextRange> {
        let whole = self.snapshot.selections(file, offset);
        let Some((features, source)) = self.of(file).zip(self.snapshot.file(file)) else {
            return whole;
        };
        let mut ranges = features.selections(source.parsed(), offset);
        ranges.sort_by_key(|range| range.len());
        ranges.extend(whole);
        ranges.dedup();
        ranges
    }
}

impl Answers<'_> {
    /// What can be done about `range` of an open file, of the kinds that are wanted.
    pub fn actions(
        &self,
        file: &FileId,
        range: TextRange,
        files: &dyn Files,
        is_wanted: &dyn Fn(ActionKind) -> bool,
    ) -> Vec<Action> {
        match self.at(file, range.start()) {
            Some((features, at)) => {
                let mut actions = features.actions(&at, range);
                actions.retain(|it| is_wanted(it.kind));
                actions
            }
            None => self.snapshot.actions(file, range, files, is_wanted),
        }
    }

    /// `files` are for the folders and files that paths name.
    pub fn links(&self, file: &FileId, files: &dyn Files) -> Vec<Link> {
        match self.at(file, TextSize::new(0)) {
            Some((features, at)) => features.links(&at),
            None if terragrunt::is_terragrunt(file) => self.snapshot.terragrunt_links(file, files),
            None => self.snapshot.links(file),
        }
    }

    /// The declarations of the workspace whose name holds the characters of `query` in order.
    pub fn workspace_symbols(&self, query: &str) -> Vec<WorkspaceSymbol> {
        let mut found = self.snapshot.workspace_symbols(query);
        for folder in self.snapshot.planned_parts() {
            let features = self.features.iter();
            let declared = features.flat_map(|it| it.declared(self.snapshot, folder));
            found.extend(declared.filter(|it| crate::completion::matches(&it.name, query)));
        }
        found
    }
}

/// Tells the actions where the names begin that they are about.
fn tell_actions(symbols: &mut [Symbol], actions: &BTreeMap<TextSize, String>) {
    for symbol in symbols {
        if let Some(title) = actions.get(&symbol.name_range.start()) {
            symbol.detail.clone_from(title);
        }
        tell_actions(&mut symbol.children, actions);
    }
}
