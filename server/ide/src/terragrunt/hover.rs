//! Hovers in a file of Terragrunt: the declaration that a name leads to, or the file that a path leads to.

use config::Files;
use syntax::ast::Block;
use text::{FileId, TextSize};

use super::names::blocks;
use crate::hover_text::Text;
use crate::{Definition, Hover, Snapshot};

/// Characters of a declaration that a hover shows.
const LIMIT: usize = 1500;

impl Snapshot {
    pub(crate) fn terragrunt_hover(
        &self,
        file: &FileId,
        offset: TextSize,
        files: &dyn Files,
    ) -> Option<Hover> {
        let links = self.terragrunt_links(file, files).into_iter();
        let mut links = links.filter(|link| link.range.contains_inclusive(offset));
        if let Some(link) = links.next() {
            let mut text = Text::default();
            text.paragraph(&link.tooltip);
            return Some(text.at(link.range));
        }
        let definition = self.terragrunt_definition(file, offset, files)?;
        let text = self.terragrunt_declaration(&definition, files)?;
        Some(text.at(definition.origin))
    }

    /// A declaration as it is written; of a variable or an output only what describes it, as their values may be secret.
    fn terragrunt_declaration(&self, definition: &Definition, files: &dyn Files) -> Option<Text> {
        let full = &definition.full;
        let syntax = self.syntax_of(&full.file, files)?;
        let written = |range: text::TextRange| {
            let range = usize::from(range.start())..usize::from(range.end());
            syntax.text().get(range)
        };
        let mut text = Text::default();
        let mut declared = blocks(&syntax).filter(|(offset, it)| it.range + *offset == full.range);
        let described =
            declared.find(|(_, it)| matches!(it.kind.name.as_str(), "variable" | "output"));
        let Some((offset, block)) = described else {
            text.code(&written(full.range)?.chars().take(LIMIT).collect::<String>());
            return Some(text);
        };
        let name = block.labels.first().map_or("", |it| &*it.text);
        let ty = block.body.attribute("type");
        let ty = ty.and_then(|it| written(it.expr.range + offset));
        match ty {
            Some(ty) => text.code(&format!("{name} : {ty}")),
            None => text.code(&format!("{} {name:?}", block.kind.name)),
        }
        if block.kind.name == "variable" {
            text.paragraph(match block.body.attribute("default") {
                Some(_) => "Optional",
                None => "Required",
            });
        }
        text.documentation(&description(block));
        Some(text)
    }
}

fn description(block: &Block) -> String {
    let written = block.body.attribute("description");
    let literal = written.and_then(|it| it.expr.as_literal_string());
    literal.map(|it| it.to_string()).unwrap_or_default()
}
