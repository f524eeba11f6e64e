//! Features at places of a program.

pub(crate) mod actions;
mod completion;
mod flow;
mod hover;
mod links;
pub(crate) mod names;
mod outline;
mod place;
pub(crate) mod tokens;
pub(crate) mod typed;
mod words;

use std::sync::Arc;

use ide::{
    Action, Completions, Definition, Features, Fold, Folder, Hover, Link, Parsed, PlaceInFile,
    References, Snapshot, Symbol, WorkspaceSymbol,
};
use text::{FileId, TextRange, TextSize};

use crate::folder::ProgramFolder;
use crate::language::{FilePurpose, YamlFile};

/// Programs in YAML, with their projects and the configuration of stacks.
pub(crate) struct Programs;

impl Features for Programs {
    fn takes(&self, file: &FileId) -> bool {
        FilePurpose::of(file).is_some()
    }

    fn completions(&self, at: &PlaceInFile<'_>) -> Completions {
        completion::completions(at)
    }

    fn hover(&self, at: &PlaceInFile<'_>) -> Option<Hover> {
        hover::hover(at)
    }

    fn definition(&self, at: &PlaceInFile<'_>) -> Option<Definition> {
        names::definition(at)
    }

    fn references(&self, at: &PlaceInFile<'_>) -> References {
        names::references(at)
    }

    fn symbols(&self, parsed: &dyn Parsed) -> Vec<Symbol> {
        YamlFile::of(parsed).map_or_else(Vec::new, |it| outline::symbols(&it.file))
    }

    fn folds(&self, parsed: &dyn Parsed) -> Vec<Fold> {
        YamlFile::of(parsed).map_or_else(Vec::new, |it| outline::folds(&it.file))
    }

    fn selections(&self, parsed: &dyn Parsed, offset: TextSize) -> Vec<TextRange> {
        YamlFile::of(parsed).map_or_else(Vec::new, |it| outline::selections(&it.file, offset))
    }

    fn actions(&self, at: &PlaceInFile<'_>, range: TextRange) -> Vec<Action> {
        actions::actions(at, range)
    }

    fn links(&self, at: &PlaceInFile<'_>) -> Vec<Link> {
        links::links(at)
    }

    fn declared(&self, snapshot: &Snapshot, folder: &Arc<dyn Folder>) -> Vec<WorkspaceSymbol> {
        let folder = ProgramFolder::of(folder);
        folder.map_or_else(Vec::new, |it| names::declared(snapshot, &it.program))
    }
}
