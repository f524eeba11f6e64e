//! Hovers: the thing under the cursor.

mod described;
mod locked;
mod values;

use ::text::{FileId, TextRange, TextSize};
use syntax::SyntaxKind;
use syntax::ast::Item;

use crate::hover_text::Text;
use crate::terraform_plan::value_text;
use crate::{Hover, Markdown, Snapshot, SourceFile};

/// Characters of a constant that a hover shows.
const VALUE_LIMIT: usize = 1500;

impl Snapshot {
    pub fn hover(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let source = self.file(file)?;
        let planned = || {
            self.planned_hover(file, offset)
                .or_else(|| constant(source, offset))
        };
        self.function(file, offset)
            .or_else(|| match (self.described(file, offset), planned()) {
                (Some(described), Some(planned)) => Some(described.behind(&planned)),
                (described, planned) => described.or(planned),
            })
    }

    /// The name or number under the cursor, as it is written: how tests see which text there is.
    pub fn word(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let (segment, mut tokens) = self.hcl_file(file)?.syntax().syntax_at(offset)?;
        let is_word = |kind| matches!(kind, SyntaxKind::Ident | SyntaxKind::Number);
        let token = tokens.find(|token| is_word(token.kind()))?;
        Some(Hover {
            range: token.text_range() + segment.offset,
            text: Markdown::code(token.text()),
        })
    }

    /// The signature of a function whose name is under the cursor.
    fn function(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let (segment, mut tokens) = self.hcl_file(file)?.syntax().syntax_at(offset)?;
        let name = tokens.find(|token| token.kind() == SyntaxKind::Ident)?;
        let call = name
            .parent_ancestors()
            .find(|node| node.kind() == SyntaxKind::Call)?;
        let text = call.text().to_string();
        let (full, _) = text.split_once('(')?;
        let at = name.text_range().start() - call.text_range().start();
        if usize::from(at) >= full.len() {
            return None;
        }
        let signature = self.known(file).signature(full.trim())?;
        let mut text = Text::default();
        text.code(&signature.title(full.trim()));
        text.documentation(&signature.description);
        let profile = self.known(file).profile(file);
        if let Some(why) = signature.since.missing_in(profile) {
            text.paragraph(&format!("It {why}."));
        }
        Some(text.at(call.text_range() + segment.offset))
    }

    fn planned_hover(&self, file: &FileId, offset: TextSize) -> Option<Hover> {
        let (source, facts) = (self.file(file)?, self.facts(file)?);
        let mut segments = source.parsed().segments_touching(TextRange::empty(offset));
        segments.find_map(|segment| {
            let hovers = facts.hovers(file, segment.id).into_iter();
            let mut hovers = hovers.map(|hover| Hover {
                range: hover.range + segment.offset,
                ..hover
            });
            hovers.find(|it| it.range.contains_inclusive(offset))
        })
    }
}

impl Hover {
    /// The hover of a plan, and then the additions of this one.
    pub(crate) fn behind(self, planned: &Hover) -> Hover {
        let mut text = planned.text.clone();
        text.push_new(self.text);
        Hover {
            range: self.range,
            text,
        }
    }
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
    let evaluated = eval::evaluate(&attribute.expr, &eval::EvalContext::empty());
    if evaluated.has_errors() {
        return None;
    }
    let value = value_text::long(&evaluated.value, VALUE_LIMIT);
    let text = format!("local.{} = {value}", attribute.name.name);
    Some(Hover {
        range: attribute.range + segment.offset,
        text: Markdown::code_block("terraform", text),
    })
}
