//! What is offered and told at places of a program.

mod completion;
mod hover;
pub(crate) mod names;
mod outline;
mod place;
pub(crate) mod typed;
mod words;

use ide::{At, Completions, Definition, Features, Fold, Hover, Parsed, References, Symbol};
use text::{FileId, TextRange, TextSize};

use crate::language::{Role, YamlFile};

/// Programs in YAML and what belongs to them.
pub(crate) struct Programs;

impl Features for Programs {
    fn takes(&self, file: &FileId) -> bool {
        Role::of(file).is_some()
    }

    fn completions(&self, at: &At<'_>) -> Completions {
        completion::completions(at)
    }

    fn hover(&self, at: &At<'_>) -> Option<Hover> {
        hover::hover(at)
    }

    fn definition(&self, at: &At<'_>) -> Option<Definition> {
        names::definition(at)
    }

    fn references(&self, at: &At<'_>) -> References {
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
}
