//! `textDocument/signatureHelp`

use tower_lsp_server::ls_types::{
    self, ParameterInformation, ParameterLabel, SignatureHelpOptions, SignatureInformation,
};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::params::AtPosition;
use crate::shown::{documentation, title};

pub(crate) fn options() -> SignatureHelpOptions {
    SignatureHelpOptions {
        trigger_characters: Some(["(", ","].map(str::to_owned).to_vec()),
        ..SignatureHelpOptions::default()
    }
}

pub(crate) fn answer(
    context: &RequestContext,
    params: AtPosition,
) -> Option<ls_types::SignatureHelp> {
    let snapshot = &context.snapshot;
    if !snapshot.settings().enable.completion {
        return None;
    }
    let file = file_id(&params.text_document.uri);
    let convert = Convert::new(snapshot.file(&file)?.document(), &context.capabilities);
    let help = snapshot.signature_help(&file, convert.offset(params.position))?;
    let parameters = help.parameters.iter().filter_map(|range| {
        let label = title(help.label.get(range.clone())?);
        Some(ParameterInformation {
            label: ParameterLabel::Simple(label),
            documentation: None,
        })
    });
    let active = help.active.and_then(|active| u32::try_from(active).ok());
    let parameters = parameters.collect();
    let signature = SignatureInformation {
        documentation: documentation(&help.documentation, context.capabilities.signature_format),
        parameters: Some(parameters),
        active_parameter: active,
        label: title(&help.label),
    };
    Some(ls_types::SignatureHelp {
        signatures: vec![signature],
        active_signature: Some(0),
        active_parameter: active,
    })
}
