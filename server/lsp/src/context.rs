//! The inputs of answers.

use std::path::Path;
use std::sync::Arc;

use ide::{
    Answers, CompletionInputs, DiskFiles, Documented, Features, Registry, RegistryAccess, Snapshot,
};
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::capabilities::ClientCapabilities;
use crate::semantic_tokens::SentTokens;

/// The inputs of an answer.
#[derive(Clone)]
pub(crate) struct RequestContext {
    pub(crate) snapshot: Snapshot,
    /// Of the languages beside HCL.
    pub(crate) features: Vec<Arc<dyn Features>>,
    pub(crate) registry: Option<Arc<dyn Registry>>,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) hovers_on_words: bool,
    pub(crate) sent_tokens: Arc<SentTokens>,
}

impl RequestContext {
    /// The same for what is looked for in all modules of the workspace.
    pub(crate) fn with_whole_workspace(&self) -> RequestContext {
        RequestContext {
            snapshot: self.snapshot.with_whole_workspace(&DiskFiles),
            ..self.clone()
        }
    }

    /// The inputs of completions in a file. Registries are asked where the user wants it and trusts the folder, which names
    /// their hosts.
    pub(crate) fn completion_inputs<'a>(
        &'a self,
        file: &FileId,
        documented: Documented<'a>,
    ) -> CompletionInputs<'a> {
        let dir = Path::new(file.path()).parent();
        let is_wanted = self.snapshot.settings().registry == RegistryAccess::Online
            && !self.snapshot.is_confined()
            && dir.is_some_and(|dir| self.snapshot.trusts(dir));
        CompletionInputs {
            files: &DiskFiles,
            registry: self.registry.as_deref().filter(|_| is_wanted),
            documented,
        }
    }

    /// Finds the implementation of a feature for a file.
    pub(crate) fn answers(&self) -> Answers<'_> {
        Answers {
            snapshot: &self.snapshot,
            features: &self.features,
        }
    }
}

pub(crate) fn to_value(result: impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(result).map_err(|error| {
        tracing::error!(%error, "an answer has no JSON form");
        Error::internal_error()
    })
}
