//! What is known about the thing under the cursor.

use config::Profile;
use syntax::SyntaxKind;
use syntax::ast::Item;
use text::{FileId, TextSize};

use crate::planned::value_text;
use crate::{Hover, Snapshot, SourceFile};

/// Characters of a constant that a hover shows.
const VALUE_LIMIT: usize = 1500;

impl Snapshot {
    pub fn hover(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let source = self.file(file)?;
        function(source, offset, self.known(file).profile(file))
            .or_else(|| self.planned_hover(file, offset))
            .or_else(|| constant(source, offset))
    }

    /// The name or number under the cursor, as it is written: how tests see which text there is.
    pub fn word(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let (segment, mut tokens) = self.file(file)?.syntax().syntax_at(offset)?;
        let is_word = |kind| matches!(kind, SyntaxKind::Ident | SyntaxKind::Number);
        let token = tokens.find(|token| is_word(token.kind()))?;
        Some(Hover {
            range: token.text_range() + segment.offset,
            markdown: format!("`{}`", token.text()),
            plaintext: token.text().to_string(),
        })
    }

    fn planned_hover(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        self.planned(file).find_map(|(segment, facts)| {
            let mut hovers = facts
                .hovers
                .iter()
                .map(|hover| (hover.range + segment.offset, hover));
            let (range, hover) = hovers.find(|(range, _)| range.contains_inclusive(offset))?;
            Some(Hover {
                range,
                ..hover.clone()
            })
        })
    }
}

/// The signature of a function whose name is under the cursor.
fn function(source: &SourceFile, offset: TextSize, profile: Profile) -> Option<Hover> {
    let (segment, mut tokens) = source.syntax().syntax_at(offset)?;
    let name = tokens.find(|token| token.kind() == SyntaxKind::Ident)?;
    let next = name.next_token()?;
    if next.kind() != SyntaxKind::OpenParen {
        return None;
    }
    let signature = eval::functions::signatures().get(name.text())?;
    let title = signature.title(name.text());
    let missing = signature.since.missing_in(profile);
    let missing = missing.map_or_else(String::new, |why| format!("\n\nIt {why}."));
    let about = format!("{}{missing}", signature.description);
    Some(Hover {
        range: name.text_range() + segment.offset,
        markdown: format!("```terraform\n{title}\n```\n\n{about}"),
        plaintext: format!("{title}\n\n{about}"),
    })
}

/// A local value that needs no plan, as its expression refers to nothing.
fn constant(source: &SourceFile, offset: TextSize) -> Option<Hover> {
    let segment = source.syntax().segment_at(offset)?;
    let offset = offset - segment.offset;
    let mut attributes = segment.parsed.items.iter().flat_map(|item| match item {
        Item::Block(block) if block.kind.name == "locals" => block.body.attributes.as_slice(),
        Item::Block(_) | Item::Attribute(_) | Item::Member(_) => &[],
    });
    let attribute = attributes.find(|attribute| attribute.range.contains_inclusive(offset))?;
    let evaluated = eval::evaluate(&attribute.expr, &eval::Context::empty());
    if evaluated.has_errors() {
        return None;
    }
    let value = value_text::long(&evaluated.value, VALUE_LIMIT);
    let text = format!("local.{} = {value}", attribute.name.name);
    Some(Hover {
        range: attribute.range + segment.offset,
        markdown: format!("```terraform\n{text}\n```"),
        plaintext: text,
    })
}
