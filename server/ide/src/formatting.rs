//! The layout of a document as `terraform fmt` has it: of the whole, of a range, and while it is typed.

use syntax::SyntaxKind;
use text::{FileId, Replacement, TextRange, TextSize};

use crate::{Snapshot, SourceFile};

impl Snapshot {
    /// `None` when the document has a syntax error, or can't be formatted.
    pub fn formatting(&self, file: &FileId) -> Option<Vec<Replacement>> {
        syntax::format_file(self.formatted(file)?.syntax())
    }

    /// Formats the lines of the range. Items with a syntax error stay as they are.
    pub fn range_formatting(&self, file: &FileId, range: TextRange) -> Option<Vec<Replacement>> {
        Some(syntax::format_range(self.formatted(file)?.syntax(), range))
    }

    /// The edits that follow from `typed`, which stands before `offset`: a closing brace lays out its block, a new
    /// line is indented.
    pub fn on_type_formatting(
        &self,
        file: &FileId,
        offset: TextSize,
        typed: &str,
    ) -> Option<Vec<Replacement>> {
        let syntax = self.formatted(file)?.syntax();
        let edits = match typed {
            "}" => closed_by(syntax, offset).map(|range| syntax::format_range(syntax, range)),
            _ => None,
        };
        Some(match edits {
            Some(edits) if !edits.is_empty() => edits,
            _ => Vec::from_iter(syntax::indent_line(syntax, offset)),
        })
    }

    fn formatted(&self, file: &FileId) -> Option<&SourceFile> {
        let source = self.hcl_file(file)?;
        (!file.name().ends_with(".json")).then_some(source)
    }
}

/// The block or the object that the brace before `offset` closes.
fn closed_by(syntax: &syntax::File, offset: TextSize) -> Option<TextRange> {
    let brace = offset.checked_sub(TextSize::of('}'))?;
    let (segment, tokens) = syntax.syntax_at(brace)?;
    let token = tokens.right_biased()?;
    let node = token.parent()?;
    (token.kind() == SyntaxKind::CloseBrace).then(|| node.text_range() + segment.offset)
}
