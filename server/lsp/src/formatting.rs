//! `textDocument/formatting`, `textDocument/rangeFormatting` and `textDocument/onTypeFormatting`

use ide::Snapshot;
use text::{FileId, Replacement};
use tower_lsp_server::ls_types::{DocumentOnTypeFormattingOptions, TextEdit};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::{DocumentId, InDocument, InRange, Typed};

pub(crate) fn on_type_options() -> DocumentOnTypeFormattingOptions {
    DocumentOnTypeFormattingOptions {
        first_trigger_character: "}".to_string(),
        more_trigger_character: Some(vec!["\n".to_string()]),
    }
}

pub(crate) fn document(context: &RequestContext, params: InDocument) -> Option<Vec<TextEdit>> {
    answer(context, &params.text_document, |snapshot, file, _| {
        snapshot.formatting(file)
    })
}

pub(crate) fn range(context: &RequestContext, params: InRange) -> Option<Vec<TextEdit>> {
    answer(context, &params.text_document, |snapshot, file, convert| {
        snapshot.range_formatting(file, convert.text_range(params.range))
    })
}

pub(crate) fn on_type(context: &RequestContext, params: Typed) -> Option<Vec<TextEdit>> {
    answer(context, &params.text_document, |snapshot, file, convert| {
        snapshot.on_type_formatting(file, convert.offset(params.position), &params.ch)
    })
}

fn answer(
    context: &RequestContext,
    document: &DocumentId,
    edits: impl FnOnce(&Snapshot, &FileId, &Convert<'_>) -> Option<Vec<Replacement>>,
) -> Option<Vec<TextEdit>> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.formatting {
        return None;
    }
    let file = file_id(&document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let edits = edits(snapshot, &file, &convert)?;
    let edits = edits.into_iter().map(|edit| TextEdit {
        range: convert.range(edit.range),
        new_text: edit.text,
    });
    Some(edits.collect())
}
