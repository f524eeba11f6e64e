//! A hover in the making.

use schema::{Attribute, NestedBlock, Nesting};
use text::TextRange;

use crate::{Hover, Markdown};

#[derive(Default)]
pub(crate) struct Text(Markdown);

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
        text.documentation(&schema.block.description);
        text.documentation(&schema.block.deprecation_message);
        text
    }

    pub(crate) fn code(&mut self, code: &str) {
        self.0.push(Markdown::code_block("terraform", code));
    }

    /// The plan of the object that the text is about.
    pub(crate) fn diff(&mut self, diff: String) {
        self.0.push(Markdown::diff(diff));
    }

    /// Words of ours, with names and values in them.
    pub(crate) fn paragraph(&mut self, paragraph: &str) {
        self.0.push(Markdown::text(paragraph));
    }

    /// Markdown of ours, of a schema or of a configuration.
    pub(crate) fn documentation(&mut self, source: &str) {
        self.0.push(Markdown::documentation(source));
    }

    /// The page that says more.
    pub(crate) fn page(&mut self, page: Option<String>) {
        if let Some(page) = page {
            self.0.push(Markdown::link("Documentation", page));
        }
    }

    /// The purpose of an attribute, and how it may be used.
    pub(crate) fn attribute(&mut self, schema: &Attribute) {
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
        self.documentation(&schema.description);
        self.documentation(&schema.deprecation_message);
    }

    pub(crate) fn at(self, range: TextRange) -> Hover {
        Hover {
            range,
            text: self.0,
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
