//! What answers are made from.

use std::sync::Arc;

use ide::Snapshot;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::capabilities::ClientCapabilities;
use crate::semantic_tokens::SentTokens;

/// What an answer is made from.
pub(crate) struct Context {
    pub(crate) snapshot: Snapshot,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) hovers_on_words: bool,
    pub(crate) sent_tokens: Arc<SentTokens>,
}

pub(crate) fn to_value(result: impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(result).map_err(|error| {
        tracing::error!(%error, "an answer has no JSON form");
        Error::internal_error()
    })
}
