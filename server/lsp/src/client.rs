//! Messages of ours to the client.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use ide::{TrustFolder, Untrusted};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tower_lsp_server::jsonrpc::{Id, Request};

/// From this many unread messages on, the client counts as slow: what can be sent again later is held back.
const BEHIND: usize = 64;

/// From this many unread messages on, the client counts as gone: nothing is sent.
const GONE: usize = 1 << 14;

/// Counts the messages that the client has not read.
#[derive(Clone, Default)]
pub(crate) struct UnreadMessages(Arc<AtomicUsize>);

impl UnreadMessages {
    /// Whether the client was behind, and has caught up.
    pub(crate) fn one_is_read(&self) -> bool {
        self.0.fetch_sub(1, Ordering::Relaxed) == BEHIND
    }
}

/// The way to the client. Nothing here waits: an answer comes back as an event, with the question it answers.
pub(crate) struct Client {
    outgoing: mpsc::UnboundedSender<Request>,
    unread: UnreadMessages,
    next_id: i64,
    asked: HashMap<Id, Question>,
}

/// Our questions to the client.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Question {
    /// Whether the folder is trusted, and its new plugins may start.
    Trust {
        folder: TrustFolder,
        new: Untrusted,
    },
    Configuration,
    CreateProgress {
        token: u64,
    },
    /// The answer changes nothing.
    Courtesy,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MessageKind {
    Warning = 2,
    Info = 3,
}

impl Client {
    pub(crate) fn new(outgoing: mpsc::UnboundedSender<Request>, unread: UnreadMessages) -> Client {
        Client {
            outgoing,
            unread,
            next_id: 0,
            asked: HashMap::new(),
        }
    }

    /// Whether the client has much to read: less urgent messages are sent when it has caught up.
    pub(crate) fn is_behind(&self) -> bool {
        self.unread.0.load(Ordering::Relaxed) >= BEHIND
    }

    pub(crate) fn notify(&self, method: &'static str, params: Value) {
        self.send(Request::build(method).params(params).finish());
    }

    pub(crate) fn ask(&mut self, method: &'static str, params: Value, question: Question) {
        let id = Id::Number(self.next_id);
        self.next_id += 1;
        if !matches!(question, Question::Courtesy) {
            self.asked.insert(id.clone(), question);
        }
        let request = Request::build(method).id(id);
        let request = if params.is_null() {
            request
        } else {
            request.params(params)
        };
        self.send(request.finish());
    }

    /// Asks for notifications of a method, as `id`.
    pub(crate) fn register(&mut self, id: &str, method: &str, options: Value) {
        let registration = json!({ "id": id, "method": method, "registerOptions": options });
        let params = json!({ "registrations": [registration] });
        self.ask("client/registerCapability", params, Question::Courtesy);
    }

    /// The question that the client's answer with `id` belongs to, if the answer changes anything.
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
        if self.unread.0.fetch_add(1, Ordering::Relaxed) >= GONE {
            self.unread.0.fetch_sub(1, Ordering::Relaxed);
            return tracing::debug!(method = request.method(), "nobody reads");
        }
        // The receiver is gone when the connection is.
        let _ = self.outgoing.send(request);
    }
}
