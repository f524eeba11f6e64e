//! A hover in the making.

use std::fmt::Write;

use schema::{Attribute, NestedBlock, Nesting};
use text::TextRange;

use crate::Hover;

/// The same text twice.
#[derive(Default)]
pub(crate) struct Text {
    pub(crate) markdown: String,
    pub(crate) plaintext: String,
}

impl Text {
    pub(crate) fn argument(name: &str, schema: &Attribute) -> Text {
        let mut text = Text::default();
        let ty = schema.ty.friendly_name_for_constraint();
        text.code(&format!("{name} : {ty}"));
        text
    }

    pub(crate) fn nested_block(kind: &str, schema: &NestedBlock) -> Text {
        let mut text = Text::default();
        text.code(kind);
        text.paragraph(block_kind(schema));
        text.paragraph(&schema.block.description);
        text.paragraph(&schema.block.deprecation_message);
        text
    }

    pub(crate) fn code(&mut self, code: &str) {
        let _ = write!(self.markdown, "```terraform\n{code}\n```\n\n");
        let _ = write!(self.plaintext, "{code}\n\n");
    }

    pub(crate) fn paragraph(&mut self, paragraph: &str) {
        if !paragraph.is_empty() {
            let _ = write!(self.markdown, "{paragraph}\n\n");
            let _ = write!(self.plaintext, "{paragraph}\n\n");
        }
    }

    pub(crate) fn documentation(&mut self, schema: &Attribute) {
        let kind = match (schema.required, schema.optional, schema.computed) {
            (true, ..) => "Required",
            (_, true, true) => "Optional, computed",
            (_, true, false) => "Optional",
            (_, _, true) => "Computed",
            _ => "",
        };
        let mut notes = vec![kind];
        notes.extend(schema.sensitive.then_some("sensitive"));
        notes.extend(schema.write_only.then_some("write-only"));
        notes.extend(schema.deprecated.then_some("deprecated"));
        self.paragraph(&notes.join(", "));
        self.paragraph(&schema.description);
        self.paragraph(&schema.deprecation_message);
    }

    pub(crate) fn at(&self, range: TextRange) -> Hover {
        Hover {
            range,
            markdown: self.markdown.trim_end().to_owned(),
            plaintext: self.plaintext.trim_end().to_owned(),
        }
    }
}

fn block_kind(nested: &NestedBlock) -> &'static str {
    match (nested.nesting, nested.min_items, nested.max_items) {
        (Nesting::Single | Nesting::Group, 0, _) | (Nesting::List | Nesting::Set, 0, 1) => {
            "Optional block"
        }
        (Nesting::Single | Nesting::Group, ..) | (_, 1, 1) => "Required block",
        (Nesting::List | Nesting::Set | Nesting::Map, 0, _) => "Block, any number",
        (Nesting::List | Nesting::Set | Nesting::Map, ..) => "Block, at least one",
    }
}
