//! Colours, symbols and the small texts that stand everywhere in a plan.

use config::Product;

use crate::Action;

#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    pub product: Product,
    pub colors: bool,
    /// Lines have no symbols and no room for them, as in the objects that OpenTofu forgets.
    pub hides_symbols: bool,
}

/// A colour or weight, by its code in a terminal's "select graphic rendition".
#[derive(Debug, Clone, Copy)]
pub(super) enum Paint {
    Bold = 1,
    Red = 31,
    Green = 32,
    Yellow = 33,
    Cyan = 36,
    Gray = 90,
}

impl Style {
    pub(super) fn new(product: Product, colors: bool) -> Style {
        Style {
            product,
            colors,
            hides_symbols: false,
        }
    }

    pub(super) fn paint(self, paint: Paint, text: &str) -> String {
        match self.colors {
            true => format!("\x1b[{}m{text}\x1b[0m", paint as u8),
            false => text.to_owned(),
        }
    }

    /// The mark in front of a line, three columns wide.
    pub(super) fn symbol(self, action: Action) -> String {
        let create = self.paint(Paint::Green, "+");
        let delete = self.paint(Paint::Red, "-");
        match action {
            Action::NoOp => "   ".to_owned(),
            Action::Create => format!("  {create}"),
            Action::Read => format!(" {}", self.paint(Paint::Cyan, "<=")),
            Action::Update => format!("  {}", self.paint(Paint::Yellow, "~")),
            Action::DeleteThenCreate => format!("{delete}/{create}"),
            Action::CreateThenDelete => format!("{create}/{delete}"),
            Action::Delete => format!("  {delete}"),
            Action::ForgetThenCreate => format!("{}/{create}", self.paint(Paint::Red, ".")),
            Action::Forget => {
                let indent = match self.product {
                    Product::Terraform => " ",
                    Product::OpenTofu => "  ",
                };
                format!("{indent}{}", self.paint(Paint::Red, "."))
            }
        }
    }

    pub(super) fn arrow(self) -> String {
        self.paint(Paint::Yellow, "->")
    }

    pub(super) fn null(self) -> String {
        self.paint(Paint::Gray, "null")
    }

    /// The line for attributes, elements or blocks that are not shown.
    pub(super) fn hidden(self, count: usize, what: &str) -> String {
        let plural = if count == 1 { "" } else { "s" };
        self.paint(
            Paint::Gray,
            &format!("# ({count} unchanged {what}{plural} hidden)"),
        )
    }
}
