//! `textDocument/hover`

use ide::DiskFiles;
use tower_lsp_server::ls_types;

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::AtPosition;
use crate::shown::markup;

pub(crate) fn answer(context: &RequestContext, params: AtPosition) -> Option<ls_types::Hover> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.hover {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let offset = convert.offset(params.position);
    // The module of a unit may not be open.
    let whole = ide::is_terragrunt(&file).then(|| context.with_whole_workspace());
    let answers = whole.as_ref().unwrap_or(context).answers();
    let hover = answers.hover(&file, offset, &DiskFiles).or_else(|| {
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
