//! Refactorings in the editor: made by the planner, shown with the result of their plan.

use ide::{Intent, PlannerFuture, Refactored, Refused, Selection};
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::{Error, ErrorCode};

use crate::context::RequestContext;
use crate::event::Event;
use crate::shown;
use crate::state::State;
use crate::workspace_edit::Annotation;

/// How a refusal is answered.
pub(crate) fn refused(Refused(message): Refused) -> Error {
    Error {
        code: ErrorCode::ServerError(REQUEST_FAILED),
        message: shown::message(&message).into(),
        data: None,
    }
}

/// As the protocol numbers it: the request is right, and can't be done.
const REQUEST_FAILED: i64 = -32803;

type Made = PlannerFuture<Result<Refactored, Error>>;

impl State {
    /// Makes refactorings. Where the editor can't ask for a confirmation, the user gets a message about unsafe ones.
    pub(crate) fn refactoring(&self) -> impl Fn(Selection, Intent) -> Made + Send + use<> {
        let planner = self.options.planner.clone();
        let events = self.events.clone();
        let is_annotated = self.capabilities.edits.annotated;
        move |place, wanted| {
            let (made, events) = (planner.refactor(place, wanted), events.clone());
            let answer = async move {
                let refactored = made.await.map_err(refused)?;
                if !is_annotated && !refactored.proof.is_safe() {
                    let message = format!("{}: {}", refactored.title, refactored.proof);
                    events.send(Event::Warning { message });
                }
                Ok(refactored)
            };
            Box::pin(answer) as Made
        }
    }
}

impl RequestContext {
    /// The edit as the client can take it. Where it would change existing objects, the user is asked first.
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
