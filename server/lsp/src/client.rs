//! Messages of ours to the client.

use ide::TrustFolder;
use serde_json::{Value, json};
use std::collections::HashMap;
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::{Id, Request};

use crate::trust::Untrusted;

/// The way to the client. Nothing here waits: an answer comes back as an event, with the question it answers.
pub(crate) struct Client {
    outgoing: mpsc::UnboundedSender<Request>,
    next_id: i64,
    asked: HashMap<Id, Question>,
}

/// What we asked the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    /// Whether the folder is trusted, and what is new in it may start.
    Trust {
        folder: TrustFolder,
        new: Untrusted,
    },
    Configuration,
    CreateProgress {
        token: u64,
    },
    /// The answer changes nothing.
    Courtesy(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageKind {
    Warning = 2,
    Info = 3,
}

impl Client {
    pub(crate) fn new(outgoing: mpsc::UnboundedSender<Request>) -> Client {
        Client {
            outgoing,
            next_id: 0,
            asked: HashMap::new(),
        }
    }

    pub(crate) fn notify(&self, method: &'static str, params: Value) {
        self.send(Request::build(method).params(params).finish());
    }

    pub(crate) fn ask(&mut self, method: &'static str, params: Value, question: Question) {
        let id = Id::Number(self.next_id);
        self.next_id += 1;
        self.asked.insert(id.clone(), question);
        let request = Request::build(method).id(id);
        let request = if params.is_null() {
            request
        } else {
            request.params(params)
        };
        self.send(request.finish());
    }

    /// The question that the client's answer with `id` belongs to.
    pub(crate) fn answered(&mut self, id: &Id) -> Option<Question> {
        self.asked.remove(id)
    }

    pub(crate) fn show_message(&self, kind: MessageKind, message: &str) {
        self.notify(
            "window/showMessage",
            json!({ "type": kind as u8, "message": crate::shown::message(message) }),
        );
    }

    fn send(&self, request: Request) {
        // The receiver is gone when the connection is.
        let _ = self.outgoing.send(request);
    }
}
