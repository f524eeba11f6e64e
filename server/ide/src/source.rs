//! An open file: its document, and what it parses to.

use std::sync::OnceLock;

use syntax::Edit;
use text::{Document, FileId};

/// An open file at one version. It is parsed when something is first asked about it, from what an earlier version
/// was parsed to.
#[derive(Debug)]
pub struct SourceFile {
    /// Says in which syntax the text is.
    path: FileId,
    document: Document,
    earlier: Option<(Document, syntax::File)>,
    syntax: OnceLock<syntax::File>,
}

impl SourceFile {
    pub(crate) fn new(path: FileId, document: Document) -> SourceFile {
        SourceFile {
            path,
            document,
            earlier: None,
            syntax: OnceLock::new(),
        }
    }

    pub(crate) fn edited(&self, document: Document) -> SourceFile {
        let earlier = match self.syntax.get() {
            Some(syntax) => Some((self.document.clone(), syntax.clone())),
            None => self.earlier.clone(),
        };
        SourceFile {
            path: self.path.clone(),
            document,
            earlier,
            syntax: OnceLock::new(),
        }
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Of a document that is too long its first line alone, with an error that says so.
    pub fn syntax(&self) -> &syntax::File {
        self.syntax.get_or_init(|| match &self.earlier {
            _ if self.is_too_long() => unread(&self.document),
            Some((document, syntax)) if !is_too_long(document) => {
                let (range, text) = self.document.changed_since(document);
                syntax.edit(&Edit { range, text: &text }).0
            }
            _ => config::parse_file(self.path.path(), &self.document.text()),
        })
    }

    /// Whether the document is too long to be read at each keystroke.
    pub fn is_too_long(&self) -> bool {
        is_too_long(&self.document)
    }
}

/// In bytes. The longest documents that people edit have a tenth of it.
const MAX_LENGTH: usize = 8 << 20;

const MAX_LINES: usize = 250_000;

fn is_too_long(document: &Document) -> bool {
    document.len() > MAX_LENGTH || document.line_count() > MAX_LINES
}

fn unread(document: &Document) -> syntax::File {
    let detail = format!(
        "planlens reads documents of up to {} MiB and {MAX_LINES} lines while they are edited.",
        MAX_LENGTH >> 20
    );
    syntax::File::unread(&document.first_line(), "Document too long", detail)
}
