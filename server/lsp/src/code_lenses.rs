//! `textDocument/codeLens`

use tower_lsp_server::ls_types;

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::InDocument;

pub(crate) fn answer(
    context: &RequestContext,
    params: InDocument,
) -> Option<Vec<ls_types::CodeLens>> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.code_lens {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let lenses = snapshot.code_lenses(&file);
    Some(
        lenses
            .into_iter()
            .map(|lens| convert.code_lens(lens))
            .collect(),
    )
}
