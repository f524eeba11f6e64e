//! The callers of a module: their list, and the choice among them.

use std::path::{Path, PathBuf};

use ide::Caller;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::context::RequestContext;
use crate::convert::{file_id, uri};
use crate::params::{DocumentId, InDocument};
use crate::shown::title;
use crate::state::State;

/// Of the command `planlens.setCaller`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Choice {
    text_document: DocumentId,
    /// The folder of a root module. Without it: all callers.
    #[serde(default)]
    root: Option<String>,
    #[serde(default)]
    instance: Option<String>,
}

/// The callers of the module that a document belongs to.
pub(crate) fn list(context: &RequestContext, params: InDocument) -> Value {
    let module = folder(&params.text_document.uri);
    let listed = context.snapshot.callers(&module).iter();
    let listed = listed.map(|it| {
        let root = uri(&text::FileId::new(it.caller.root.to_string_lossy()));
        json!({
            "title": match it.caller.root == module {
                true => "nobody".to_owned(),
                false => title(&it.caller.title()),
            },
            "root": root.map(|uri| uri.to_string()),
            "instance": it.caller.instance,
            "isChosen": it.is_chosen,
        })
    });
    json!({ "callers": listed.collect::<Vec<_>>() })
}

impl State {
    pub(crate) fn choose_caller(&mut self, arguments: Vec<Value>) -> Result<()> {
        let choice = arguments.into_iter().next().unwrap_or_default();
        let choice: Choice = serde_json::from_value(choice)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let caller = choice.root.map(|root| Caller {
            root: PathBuf::from(file_id(&root).path()),
            instance: choice.instance,
        });
        let module = folder(&choice.text_document.uri);
        self.workspace.choose_caller(module, caller);
        Ok(())
    }
}

fn folder(document: &str) -> PathBuf {
    let file = file_id(document);
    let folder = Path::new(file.path()).parent();
    folder.unwrap_or(Path::new("")).to_owned()
}
