//! Refactorings in the editor: made by the planner, shown with what their plan says.

use std::collections::BTreeMap;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use ide::Snapshot;
use refactor::{Edits, Kind, Proof, Refusal};
use serde_json::Value;
use text::{FileId, TextRange};
use tower_lsp_server::jsonrpc::{Error, ErrorCode};

use crate::event::Event;
use crate::requests::Context;
use crate::shown;
use crate::state::State;
use crate::workspace_edit::Annotation;

/// A place in an open document.
#[derive(Clone, Debug)]
pub struct Place {
    pub snapshot: Snapshot,
    pub file: FileId,
    pub range: TextRange,
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

    pub(crate) fn too_slow() -> Refused {
        Refused("The plan that could tell what this changes is still being made.".to_owned())
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
            message: shown::message(&message).into(),
            data: None,
        }
    }
}

/// As the protocol numbers it: the request is right, and can't be done.
const REQUEST_FAILED: i64 = -32803;

type Made = BoxFuture<'static, Result<Refactored, Refused>>;

impl State {
    /// Makes refactorings. Where the editor can't ask for a confirmation, the user is told of what isn't safe.
    pub(crate) fn refactoring(&self) -> impl Fn(Place, Kind) -> Made + Send + use<> {
        let planner = self.options.planner.clone();
        let events = self.events.clone();
        let is_annotated = self.capabilities.edits.annotated;
        move |place, kind| {
            let (made, events) = (planner.refactor(place, kind), events.clone());
            let told = async move {
                let refactored = made.await?;
                if !is_annotated && !refactored.proof.is_safe() {
                    let message = format!("{}: {}", refactored.title, refactored.proof);
                    events.send(Event::Warning { message });
                }
                Ok(refactored)
            };
            told.boxed()
        }
    }
}

impl Context {
    /// The edit as the client can take it. Where it would change what is there, the user is asked first.
    pub(crate) fn refactoring(&self, refactored: &Refactored, document_uri: &str) -> Value {
        let Refactored {
            title,
            edits,
            texts,
            proof,
        } = refactored;
        let annotation = Annotation {
            label: format!("{title}: {proof}"),
            needs_confirmation: !proof.is_safe(),
            details: proof.details(),
        };
        let text = |file: &FileId| texts.get(file).cloned();
        self.workspace_edit(edits, &text, document_uri, Some(&annotation))
    }
}
