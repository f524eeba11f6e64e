//! Text on its way to an editor: the only place that makes Markdown for it, and shows characters that a reader would
//! not see.

use ide::Markdown;
use tower_lsp_server::ls_types::{Documentation, MarkupContent, MarkupKind};

use crate::capabilities::MarkupFormat;

/// Text of one or more lines: a message, a plan.
pub(crate) fn shown(text: &str) -> String {
    text::visible(text).into_owned()
}

/// A message that stands by itself. VS Code would make links of `[text](command:...)` in it.
pub(crate) fn message(text: &str) -> String {
    shown(text).replace("](", "] (")
}

/// A title, a label, a name: text on one line.
pub(crate) fn title(text: &str) -> String {
    const LIMIT: usize = 16 << 10;
    let cut = (text.len() > LIMIT).then(|| text::cut(text.to_owned(), LIMIT));
    text::one_line(cut.as_deref().unwrap_or(text)).into_owned()
}

pub(crate) fn markup(text: &Markdown, format: MarkupFormat) -> MarkupContent {
    match format {
        MarkupFormat::Markdown => MarkupContent {
            kind: MarkupKind::Markdown,
            value: text.to_markdown(),
        },
        MarkupFormat::Plaintext => MarkupContent {
            kind: MarkupKind::PlainText,
            value: text.to_plaintext(),
        },
    }
}

/// `None` where there is nothing to say.
pub(crate) fn documentation(text: &Markdown, format: MarkupFormat) -> Option<Documentation> {
    (!text.is_empty()).then(|| match format {
        MarkupFormat::Markdown => Documentation::MarkupContent(markup(text, format)),
        MarkupFormat::Plaintext => Documentation::String(text.to_plaintext()),
    })
}
