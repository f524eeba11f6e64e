//! `textDocument/prepareRename` and `textDocument/rename`
//!
//! Both wait for the planner: what a name stands for is known by the modules that it has read, and what a new name would
//! do by a plan of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use ide::Snapshot;
use refactor::{Edits, Proof, Refusal};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use text::{FileId, TextRange, TextSize};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Result};
use tower_lsp_server::ls_types::{OneOf, RenameOptions};

use crate::capabilities::ClientCapabilities;
use crate::convert::{Convert, file_id, uri};
use crate::event::{Event, Reply};
use crate::params::{AtPosition, DocumentId, Point, Rename};
use crate::requests::Context;
use crate::state::State;

/// A place in an open document.
#[derive(Clone, Debug)]
pub struct Place {
    pub snapshot: Snapshot,
    pub file: FileId,
    pub offset: TextSize,
}

/// What a refactoring comes to.
#[derive(Clone, Debug)]
pub struct Refactored {
    pub title: String,
    pub edits: Edits,
    /// Of the files that are edited, before that.
    pub texts: BTreeMap<FileId, Arc<str>>,
    pub proof: Proof,
}

/// Why a refactoring isn't done, for a person to read.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused(pub String);

impl Refused {
    pub(crate) fn unplanned() -> Refused {
        Refused("There is no plan that could tell what this changes.".to_owned())
    }
}

impl From<Refusal> for Refused {
    fn from(refusal: Refusal) -> Refused {
        Refused(refusal.to_string())
    }
}

impl From<Refused> for Error {
    fn from(Refused(message): Refused) -> Error {
        Error {
            code: ErrorCode::ServerError(REQUEST_FAILED),
            message: message.into(),
            data: None,
        }
    }
}

/// As the protocol numbers it: the request is right, and can't be done.
const REQUEST_FAILED: i64 = -32803;

pub(crate) fn options(client: &ClientCapabilities) -> OneOf<bool, RenameOptions> {
    match client.edits.prepares_rename {
        true => OneOf::Right(RenameOptions {
            prepare_provider: Some(true),
            work_done_progress_options: Default::default(),
        }),
        false => OneOf::Left(true),
    }
}

impl State {
    pub(crate) fn prepare_rename(&mut self, id: Id, params: Value, reply: Reply) {
        let context = self.context();
        let place = read::<AtPosition>(params)
            .and_then(|params| context.place(&params.text_document, params.position));
        let planner = self.options.planner.clone();
        self.answer_later(id, reply, async move {
            let place = place?;
            let snapshot = place.snapshot.clone();
            let file = place.file.clone();
            let name = planner.renamable(place).await?;
            let convert = context.convert(&snapshot, &file)?;
            Ok(json!({
                "range": convert.range(name.range),
                "placeholder": name.symbol.object.name(),
            }))
        });
    }

    pub(crate) fn rename(&mut self, id: Id, params: Value, reply: Reply) {
        let context = self.context();
        let params = read::<Rename>(params);
        let planner = self.options.planner.clone();
        let events = self.events.clone();
        self.answer_later(id, reply, async move {
            let params = params?;
            let place = context.place(&params.text_document, params.position)?;
            let refactored = planner.rename(place, params.new_name).await?;
            if !context.capabilities.edits.annotated && !refactored.proof.is_safe() {
                let message = format!("{}: {}", refactored.title, refactored.proof);
                events.send(Event::Warning { message });
            }
            Ok(context.workspace_edit(&refactored))
        });
    }
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P> {
    serde_json::from_value(params).map_err(|error| Error::invalid_params(error.to_string()))
}

impl Context {
    fn convert(&self, snapshot: &Snapshot, file: &FileId) -> Result<Convert<'_>> {
        let source = snapshot.file(file);
        let source = source.ok_or_else(|| Error::invalid_params("the document is not open"))?;
        Ok(Convert::new(source.document(), &self.capabilities))
    }

    fn place(&self, document: &DocumentId, position: Point) -> Result<Place> {
        let file = file_id(&document.uri);
        let offset = self.convert(&self.snapshot, &file)?.offset(position);
        Ok(Place {
            snapshot: self.snapshot.clone(),
            file,
            offset,
        })
    }

    /// The edit as the client can take it. Where it would change what is there, the user is asked first.
    fn workspace_edit(&self, refactored: &Refactored) -> Value {
        let Refactored {
            title,
            edits,
            texts,
            proof,
        } = refactored;
        let is_annotated = self.capabilities.edits.annotated;
        let edit = |range: Value, text: &str| {
            let mut edit = json!({ "range": range, "newText": text });
            if is_annotated {
                edit["annotationId"] = json!(ANNOTATION);
            }
            edit
        };
        let mut changes = Vec::new();
        for (file, text) in texts {
            let convert = Convert::of_text(text, &self.capabilities);
            let edits = edits.files.get(file).into_iter().flatten();
            let edits = edits.map(|it| edit(json!(convert.range(it.range)), &it.text));
            changes.push((file, false, edits.collect::<Vec<_>>()));
        }
        for (file, text) in &edits.created {
            let convert = Convert::of_text("", &self.capabilities);
            let start = json!(convert.range(TextRange::default()));
            changes.push((file, true, vec![edit(start, text)]));
        }
        if !self.capabilities.edits.versioned {
            let changes = changes
                .into_iter()
                .filter_map(|(file, _, edits)| Some((uri(file)?.to_string(), Value::Array(edits))));
            return json!({ "changes": changes.collect::<serde_json::Map<_, _>>() });
        }
        let mut operations = Vec::new();
        for (file, is_new, edits) in changes {
            let Some(uri) = uri(file) else { continue };
            if is_new {
                let mut create = json!({
                    "kind": "create", "uri": uri, "options": { "ignoreIfExists": true },
                });
                if is_annotated {
                    create["annotationId"] = json!(ANNOTATION);
                }
                operations.push(create);
            }
            let version = self.snapshot.file(file).map(|it| it.document().version);
            operations.push(json!({
                "textDocument": { "uri": uri, "version": version }, "edits": edits,
            }));
        }
        let mut edit = json!({ "documentChanges": operations });
        if is_annotated {
            let mut annotation = json!({
                "label": format!("{title}: {proof}"),
                "needsConfirmation": !proof.is_safe(),
            });
            if !proof.is_safe() {
                annotation["description"] = json!(proof.details());
            }
            edit["changeAnnotations"] = json!({ ANNOTATION: annotation });
        }
        edit
    }
}

const ANNOTATION: &str = "refactoring";
