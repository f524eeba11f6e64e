//! Completion in a file of Terragrunt: the outputs of a dependency.

use std::collections::BTreeSet;

use config::Files;
use text::{FileId, TextRange, TextSize};

use crate::{Completion, CompletionKind, Completions, Markdown, Snapshot};

impl Snapshot {
    /// The names after `dependency.NAME.outputs.`, of the module that the dependency's unit uses.
    pub(crate) fn terragrunt_completions(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Completions {
        let names = self.output_names(file, offset, files).unwrap_or_default();
        let items = names.into_iter().map(|(name, range)| Completion {
            snippet: name.clone(),
            label: name,
            kind: CompletionKind::Member,
            detail: None,
            documentation: Markdown::default(),
            range,
            rank: 0,
            is_deprecated: false,
            asks_again: false,
        });
        Completions {
            items: items.collect(),
            is_incomplete: false,
        }
    }

    /// The names, each with the range of the word that it replaces.
    fn output_names(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Vec<(String, TextRange)>> {
        let text = self.hcl_file(file)?.syntax().text();
        let (before, after) = text.split_at_checked(offset.into())?;
        let is_of_name = |it: char| it.is_alphanumeric() || matches!(it, '_' | '-');
        let path = before.trim_end_matches(|it| is_of_name(it) || it == '.');
        let path: Vec<&str> = before[path.len()..].split('.').collect();
        let ["dependency", name, "outputs", typed] = path[..] else {
            return None;
        };
        let rest = after.find(|it| !is_of_name(it)).unwrap_or(after.len());
        let end = offset + TextSize::of(&after[..rest]);
        let range = TextRange::new(offset - TextSize::of(typed), end);
        let dependency = ("dependency".into(), name.into());
        let outputs = self
            .dependency_outputs(file, &dependency, files)
            .into_iter();
        let names: BTreeSet<String> = outputs.map(|(name, ..)| name.to_string()).collect();
        Some(names.into_iter().map(|name| (name, range)).collect())
    }
}
