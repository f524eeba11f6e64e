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

    pub fn syntax(&self) -> &syntax::File {
        self.syntax.get_or_init(|| match &self.earlier {
            Some((document, syntax)) => {
                let (range, text) = self.document.changed_since(document);
                syntax.edit(&Edit { range, text: &text }).0
            }
            None => config::parse_file(self.path.path(), &self.document.text()),
        })
    }
}
