//! `textDocument/hover`

use tower_lsp_server::ls_types;

use crate::context::Context;
use crate::convert::{Convert, file_id};
use crate::params::AtPosition;
use crate::shown::markup;

pub(crate) fn answer(context: &Context, params: AtPosition) -> Option<ls_types::Hover> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.hover {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let offset = convert.offset(params.position);
    let hover = context.answers().hover(&file, offset).or_else(|| {
        let word = context
            .hovers_on_words
            .then(|| snapshot.word(&file, offset));
        word.flatten()
    })?;
    let contents = markup(&hover.text, context.capabilities.hover_format);
    Some(ls_types::Hover {
        contents: ls_types::HoverContents::Markup(contents),
        range: Some(convert.range(hover.range)),
    })
}
