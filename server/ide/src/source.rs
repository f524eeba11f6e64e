//! An open file: its document and its tree, in one of several languages.

use std::any::Any;
use std::collections::HashSet;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use disk::Limit;
use plan::OpenDocument;
use text::{Document, FileId, SegmentId, Span, TextRange, TextSize};

use crate::SemanticToken;
use crate::tokens::tokens_of;

/// A language that open files are written in. The default of each feature is nothing.
pub trait Language: fmt::Debug + Send + Sync + 'static {
    /// Whether a file is written in it.
    fn takes(&self, file: &FileId) -> bool;

    /// Whether it is HCL or its JSON.
    fn is_hcl(&self) -> bool {
        false
    }

    /// Parses a file; `earlier` is an earlier version of it, with its tree.
    fn parse(
        &self,
        file: &FileId,
        document: &Document,
        earlier: Option<(&Document, &dyn Parsed)>,
    ) -> Arc<dyn Parsed>;
}

/// A parsed file. Its text is cut into segments, which are known by their content.
pub trait Parsed: Any + fmt::Debug + Send + Sync {
    /// All of them, in the order of the text.
    fn segments(&self) -> Segments<'_>;

    /// Those with these ids.
    fn segments_of(&self, ids: HashSet<SegmentId>) -> Segments<'_> {
        Box::new(self.segments().filter(move |it| ids.contains(&it.id)))
    }

    /// Those that touch `range`.
    fn segments_touching(&self, range: TextRange) -> Segments<'_> {
        let touches = move |segment: &TextSegment<'_>| segment.range().intersect(range).is_some();
        Box::new(self.segments().filter(touches))
    }

    /// Where a span is in this text.
    fn resolve(&self, span: &Span) -> Option<TextRange> {
        let segment = self.segments().find(|it| it.id == span.segment)?;
        Some(span.range + segment.offset)
    }

    /// Whether a segment is half-typed: its last facts are kept.
    fn is_broken(&self, _segment: SegmentId) -> bool {
        false
    }

    /// The tokens of a segment, in the order of its text, with ranges that are relative to its start.
    fn tokens(&self, _segment: &TextSegment<'_>) -> Vec<SemanticToken> {
        Vec::new()
    }
}

/// Some segments of a file.
pub type Segments<'a> = Box<dyn Iterator<Item = TextSegment<'a>> + 'a>;

/// A part of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextSegment<'a> {
    pub id: SegmentId,
    pub offset: TextSize,
    pub text: &'a str,
}

impl TextSegment<'_> {
    pub fn range(&self) -> TextRange {
        TextRange::at(self.offset, TextSize::of(self.text))
    }
}

/// An open file at one version. It is parsed at the first question about it, from the tree of an earlier
/// version.
#[derive(Debug)]
pub struct SourceFile {
    /// Says in which syntax the text is.
    path: FileId,
    language: Arc<dyn Language>,
    document: Document,
    /// Until it is parsed.
    earlier: Mutex<Earlier>,
    parsed: OnceLock<Arc<dyn Parsed>>,
}

/// An earlier version of a file, with its tree.
type Earlier = Option<(Document, Arc<dyn Parsed>)>;

impl SourceFile {
    pub(crate) fn new(path: FileId, document: Document, language: Arc<dyn Language>) -> SourceFile {
        SourceFile {
            path,
            language,
            document,
            earlier: Mutex::default(),
            parsed: OnceLock::new(),
        }
    }

    pub(crate) fn edited(&self, document: Document) -> SourceFile {
        let earlier = match self.parsed.get() {
            Some(parsed) => Some((self.document.clone(), parsed.clone())),
            None => self.earlier().clone(),
        };
        SourceFile {
            path: self.path.clone(),
            language: self.language.clone(),
            document,
            earlier: Mutex::new(earlier),
            parsed: OnceLock::new(),
        }
    }

    fn earlier(&self) -> MutexGuard<'_, Earlier> {
        self.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn document(&self) -> &Document {
        &self.document
    }

    /// Whether the document is too long to be read at each keystroke.
    pub fn is_too_long(&self) -> bool {
        is_too_long(&self.document)
    }

    /// Of a document that is too long its first line alone, with an error that says so.
    pub fn parsed(&self) -> &dyn Parsed {
        let parsed = self.parsed.get_or_init(|| {
            let earlier = self.earlier().clone();
            let earlier = earlier.as_ref();
            let earlier = earlier.map(|(document, parsed)| (document, &**parsed));
            let parsed = self.language.parse(&self.path, &self.document, earlier);
            *self.earlier() = None;
            parsed
        });
        &**parsed
    }

    pub fn is_hcl(&self) -> bool {
        self.language.is_hcl()
    }

    /// The tree of a file in HCL or its JSON.
    pub fn hcl(&self) -> Option<&syntax::File> {
        let parsed: &dyn Any = self.parsed();
        Some(&parsed.downcast_ref::<HclFile>()?.0)
    }

    /// As [`SourceFile::hcl`]; of a file in another language, the tree of an empty one.
    pub(crate) fn syntax(&self) -> &syntax::File {
        self.hcl().unwrap_or_else(empty)
    }
}

impl OpenDocument for SourceFile {
    fn syntax(&self) -> &syntax::File {
        SourceFile::syntax(self)
    }

    fn mentions(&self, word: &str) -> bool {
        self.document.contains(word)
    }
}

fn empty<'a>() -> &'a syntax::File {
    static EMPTY: OnceLock<syntax::File> = OnceLock::new();
    EMPTY.get_or_init(|| syntax::parse(""))
}

/// HCL and its JSON: files that no other language takes.
#[derive(Debug)]
pub(crate) struct Hcl;

#[derive(Debug)]
struct HclFile(syntax::File);

impl Language for Hcl {
    fn takes(&self, _file: &FileId) -> bool {
        true
    }

    fn is_hcl(&self) -> bool {
        true
    }

    fn parse(
        &self,
        file: &FileId,
        document: &Document,
        earlier: Option<(&Document, &dyn Parsed)>,
    ) -> Arc<dyn Parsed> {
        let earlier = earlier.and_then(|(document, parsed)| {
            let parsed: &dyn Any = parsed;
            Some((document, &parsed.downcast_ref::<HclFile>()?.0))
        });
        Arc::new(HclFile(match earlier {
            _ if is_too_long(document) => unread(document),
            Some((before, syntax)) if !is_too_long(before) => {
                let (range, text) = document.changed_since(before);
                syntax.edit(&syntax::Edit { range, text: &text }).0
            }
            _ => config::parse_file(file.path(), &document.text()),
        }))
    }
}

impl Parsed for HclFile {
    fn segments(&self) -> Segments<'_> {
        Box::new(self.0.segments().map(text_segment))
    }

    fn segments_of(&self, ids: HashSet<SegmentId>) -> Segments<'_> {
        // The texts of the others are not looked at: a file may have thousands.
        let wanted = self.0.segments().filter(move |it| ids.contains(&it.id));
        Box::new(wanted.map(text_segment))
    }

    fn segments_touching(&self, range: TextRange) -> Segments<'_> {
        Box::new(self.0.segments_touching(range).map(text_segment))
    }

    fn resolve(&self, span: &Span) -> Option<TextRange> {
        self.0.resolve(span)
    }

    fn is_broken(&self, segment: SegmentId) -> bool {
        self.0.is_broken(segment)
    }

    fn tokens(&self, segment: &TextSegment<'_>) -> Vec<SemanticToken> {
        let found = self.0.segment_at(segment.offset);
        let found = found.filter(|it| it.id == segment.id);
        found.map_or_else(Vec::new, |it| tokens_of(it.parsed))
    }
}

fn text_segment(segment: syntax::Segment<'_>) -> TextSegment<'_> {
    TextSegment {
        id: segment.id,
        offset: segment.offset,
        text: &segment.parsed.text,
    }
}

/// The longest documents that people edit have a tenth.
const MAX_LINES: usize = 250_000;

fn is_too_long(document: &Document) -> bool {
    document.len() as u64 > Limit::DOCUMENT.bytes() || document.line_count() > MAX_LINES
}

fn unread(document: &Document) -> syntax::File {
    let detail = format!(
        "planlens does not read a document of more than {} or {MAX_LINES} lines while you edit it.",
        Limit::DOCUMENT
    );
    syntax::File::unread(&document.first_line(), "Document too long", detail)
}
