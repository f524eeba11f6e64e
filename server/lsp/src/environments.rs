//! The environments of root modules: their list, and the choice among them.

use ide::DiskFiles;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::context::RequestContext;
use crate::convert::{file_id, uri};
use crate::params::{DocumentId, InDocument};
use crate::shown::title;
use crate::state::State;

/// Of the command `planlens.setEnvironment`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    text_document: DocumentId,
    /// Without it: none.
    #[serde(default)]
    environment: Option<String>,
}

/// The environments of the root module that a document belongs to.
pub(crate) fn list(context: &RequestContext, params: InDocument) -> Value {
    let file = file_id(&params.text_document.uri);
    let Some(root) = context.snapshot.root_of(&file) else {
        return Value::Null;
    };
    let listed = context.snapshot.environments(root, &DiskFiles).into_iter();
    let listed = listed.map(
        |it| json!({ "name": it.name, "title": title(&it.name), "detail": title(&it.detail), "isChosen": it.is_chosen }),
    );
    let folder = uri(&text::FileId::new(root.to_string_lossy()));
    json!({
        "folder": folder.map(|uri| uri.to_string()),
        "environments": listed.collect::<Vec<_>>(),
    })
}

impl State {
    pub(crate) fn choose_environment(&mut self, arguments: Vec<Value>) -> Result<()> {
        let choice = arguments.into_iter().next().unwrap_or_default();
        let choice: Choice = serde_json::from_value(choice)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let snapshot = self.snapshot();
        let root = snapshot.root_of(&file_id(&choice.text_document.uri));
        let root = root.ok_or_else(|| Error::invalid_params("nothing is planned here"))?;
        self.workspace
            .choose_environment(root.to_owned(), choice.environment);
        Ok(())
    }
}
