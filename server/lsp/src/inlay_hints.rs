//! `textDocument/inlayHint`

use tower_lsp_server::ls_types;

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::InRange;

pub(crate) fn answer(
    context: &RequestContext,
    params: InRange,
) -> Option<Vec<ls_types::InlayHint>> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.inlay_hints {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let hints = snapshot.inlay_hints(&file, convert.text_range(params.range));
    Some(
        hints
            .into_iter()
            .map(|hint| convert.inlay_hint(hint))
            .collect(),
    )
}
