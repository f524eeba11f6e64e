//! `textDocument/definition`, `declaration`, `references`, `documentHighlight` and `linkedEditingRange`

use std::collections::HashMap;

use ide::{DiskFiles, Location};
use serde_json::{Value, json};
use text::{FileId, TextRange};
use tower_lsp_server::ls_types::{self, DocumentHighlight, DocumentHighlightKind, Uri};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id, uri};
use crate::params::{AtPosition, References};

/// A link from the name to its declaration, or only the place of that for clients that know no links.
pub(crate) fn definition(context: &RequestContext, params: AtPosition) -> Option<Value> {
    let (file, convert) = context.document(&params.text_document)?;
    let offset = convert.offset(params.position);
    // The module of a unit may not be open.
    let whole = ide::is_terragrunt(&file).then(|| context.with_whole_workspace());
    let context = whole.as_ref().unwrap_or(context);
    let definition = context.answers().definition(&file, offset, &DiskFiles)?;
    let target = context.location(&definition.target)?;
    if !context.capabilities.definition_links {
        return serde_json::to_value(target).ok();
    }
    let full = context.location(&definition.full)?;
    Some(json!([{
        "originSelectionRange": convert.range(definition.origin),
        "targetUri": target.uri,
        "targetRange": full.range,
        "targetSelectionRange": target.range,
    }]))
}

pub(crate) fn references(
    context: &RequestContext,
    params: References,
) -> Option<Vec<ls_types::Location>> {
    let context = &context.with_whole_workspace();
    let (file, convert) = context.document(&params.text_document)?;
    let offset = convert.offset(params.position);
    let with_declaration = params.context.include_declaration;
    let found = context
        .answers()
        .references(&file, offset, with_declaration);
    let mut places = Places::new(context);
    Some(found.iter().filter_map(|it| places.location(it)).collect())
}

pub(crate) fn highlights(
    context: &RequestContext,
    params: AtPosition,
) -> Option<Vec<DocumentHighlight>> {
    let (file, convert) = context.document(&params.text_document)?;
    let found = context
        .answers()
        .highlights(&file, convert.offset(params.position));
    let highlights = found.into_iter().map(|it| DocumentHighlight {
        range: convert.range(it.range),
        kind: Some(match it.is_write {
            true => DocumentHighlightKind::WRITE,
            false => DocumentHighlightKind::READ,
        }),
    });
    Some(highlights.collect())
}

pub(crate) fn linked(context: &RequestContext, params: AtPosition) -> Option<Value> {
    let (file, convert) = context.document(&params.text_document)?;
    let offset = convert.offset(params.position);
    let ranges = context.snapshot.linked_ranges(&file, offset)?;
    let ranges: Vec<_> = ranges
        .into_iter()
        .map(|range| convert.range(range))
        .collect();
    Some(json!({ "ranges": ranges }))
}

/// Converts places in any files that are known. The lines of a file are counted once.
pub(crate) struct Places<'a> {
    context: &'a RequestContext,
    files: HashMap<FileId, Option<(Uri, Convert<'a>)>>,
}

impl<'a> Places<'a> {
    pub(crate) fn new(context: &'a RequestContext) -> Places<'a> {
        Places {
            context,
            files: HashMap::new(),
        }
    }

    pub(crate) fn location(&mut self, location: &Location) -> Option<ls_types::Location> {
        let (uri, convert) = self.file(&location.file)?;
        let range = convert.range(location.range);
        Some(ls_types::Location::new(uri.clone(), range))
    }

    pub(crate) fn range_in(&mut self, file: &FileId, range: TextRange) -> Option<ls_types::Range> {
        Some(self.file(file)?.1.range(range))
    }

    fn file(&mut self, file: &FileId) -> Option<&(Uri, Convert<'a>)> {
        let context = self.context;
        let known = self.files.entry(file.clone()).or_insert_with(|| {
            let client = &*context.capabilities;
            let convert = match context.snapshot.file(file) {
                Some(open) => Convert::new(open.document(), client),
                None => {
                    // Files of Terragrunt belong to no module.
                    let text = context.snapshot.text_of(file);
                    let text = text.or_else(|| ide::terragrunt_text(file, &DiskFiles))?;
                    Convert::of_text(&text, client)
                }
            };
            Some((uri(file)?, convert))
        });
        known.as_ref()
    }
}

impl RequestContext {
    /// A place in any file that is known.
    pub(crate) fn location(&self, location: &Location) -> Option<ls_types::Location> {
        Places::new(self).location(location)
    }

    pub(crate) fn range_in(&self, file: &FileId, range: TextRange) -> Option<ls_types::Range> {
        Places::new(self).range_in(file, range)
    }

    /// An open document whose requests of this kind are answered.
    pub(crate) fn document(
        &self,
        document: &crate::params::DocumentId,
    ) -> Option<(text::FileId, Convert<'_>)> {
        if !self.snapshot.settings().enable.navigation {
            return None;
        }
        let file = file_id(&document.uri);
        let convert = Convert::new(self.snapshot.file(&file)?.document(), &self.capabilities);
        Some((file, convert))
    }
}
