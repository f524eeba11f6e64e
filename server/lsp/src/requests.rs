//! Requests, from their arrival to their one answer.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;

use futures_util::FutureExt;
use serde::Deserialize;
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::{Error, Id, Result};

use crate::context::RequestContext;
use crate::convert::{Convert, file_id};
use crate::event::{Event, Events, Reply, Ticket};
use crate::methods::{Compute, Handler, Method};
use crate::params::InRange;
use crate::state::State;
use crate::work::Work;

/// The requests that have no answer yet.
#[derive(Default)]
pub(crate) struct Requests {
    next: u64,
    open: HashMap<Ticket, OpenRequest>,
    tickets: HashMap<Id, Ticket>,
    held: BTreeMap<Ticket, HeldRequest>,
}

/// A request that waits for results to show.
struct HeldRequest {
    method: &'static Method,
    /// The document that it is about.
    file: Option<FileId>,
    compute: Compute,
}

struct OpenRequest {
    id: Id,
    reply: Reply,
    work: Option<Work>,
}

impl Requests {
    pub(crate) fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    pub(crate) fn finish(&mut self, ticket: Ticket, answer: Result<Value>) {
        if let Some(request) = self.open.remove(&ticket) {
            self.tickets.remove(&request.id);
            request.reply.send(answer);
        }
    }

    /// Fails all that have no answer yet, after a panic: any of them may have been in it.
    pub(crate) fn fail_all(&mut self) {
        self.held.clear();
        let open: Vec<Ticket> = self.open.keys().copied().collect();
        for ticket in open {
            self.finish(ticket, Err(Error::internal_error()));
        }
    }

    /// Cancels the request with this id, if it has no answer yet.
    pub(crate) fn cancel(&mut self, id: &Value) {
        let id = match id {
            Value::Number(id) => id.as_i64().map(Id::Number),
            Value::String(id) => Some(Id::String(id.clone())),
            _ => None,
        };
        if let Some(ticket) = id.and_then(|id| self.tickets.get(&id)).copied() {
            self.held.remove(&ticket);
            self.finish(ticket, Err(Error::request_cancelled()));
        }
    }

    /// `None` when the id belongs to a request without an answer: then this one is answered already.
    fn accept(&mut self, id: Id, reply: Reply) -> Option<Ticket> {
        if self.tickets.contains_key(&id) {
            reply.send(Err(Error::invalid_request()));
            return None;
        }
        self.next += 1;
        let ticket = Ticket(self.next);
        self.tickets.insert(id.clone(), ticket);
        self.open.insert(
            ticket,
            OpenRequest {
                id,
                reply,
                work: None,
            },
        );
        Some(ticket)
    }
}

impl State {
    pub(crate) fn request(&mut self, id: Id, method: &str, params: Value, reply: Reply) {
        tracing::trace!(method, %id, "request");
        if method == "initialize" {
            return reply.send(self.initialize(&params));
        }
        if let Some(error) = self.refusal() {
            return reply.send(Err(error));
        }
        let Some(method) = Method::named(method) else {
            return reply.send(Err(Error::method_not_found()));
        };
        let compute = match &method.answer {
            Handler::AtOnce(answer) => return reply.send(answer(self, params)),
            Handler::Planned {
                is_for_planner,
                answer,
                ..
            } if is_for_planner(&params) => return answer(self, id, params, reply),
            Handler::Planned { otherwise, .. } => otherwise,
            Handler::Computed(compute) => compute,
        };
        if let Some(note) = method.note {
            note(self, &params);
        }
        let document = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let request = HeldRequest {
            method,
            file: document.map(file_id),
            compute: compute(params),
        };
        self.compute_or_hold(id, reply, request);
    }

    pub(crate) fn shows(&mut self, params: &Value) {
        let Ok(params) = InRange::deserialize(params) else {
            return;
        };
        let file = file_id(&params.text_document.uri);
        if let Some(open) = self.documents.get(&file) {
            let convert = Convert::new(&open.document, &self.capabilities);
            let range = convert.text_range(params.range);
            self.workspace.set_shown(file, range);
        }
    }

    fn compute_or_hold(&mut self, id: Id, reply: Reply, request: HeldRequest) {
        let Some(ticket) = self.requests.accept(id, reply) else {
            return;
        };
        let hold = request.method.hold;
        let Some(hold) = hold.filter(|_| self.awaits_its_plan(&request)) else {
            return self.start(ticket, request);
        };
        self.requests.held.insert(ticket, request);
        if self.options.hooks.is_patient {
            return;
        }
        let events = self.events.clone();
        let timer = Work::spawn(async move {
            tokio::time::sleep(hold.at_most).await;
            events.send(Event::HoldIsOver { ticket });
        });
        if let Some(request) = self.requests.open.get_mut(&ticket) {
            request.work = Some(timer);
        }
    }

    /// Answers a request with the result of `answer`, however long that takes.
    pub(crate) fn answer_later(
        &mut self,
        id: Id,
        reply: Reply,
        answer: impl Future<Output = Result<Value>> + Send + 'static,
    ) {
        let Some(ticket) = self.requests.accept(id, reply) else {
            return;
        };
        let events = self.events.clone();
        let work = Work::spawn(async move {
            let answer = AssertUnwindSafe(answer).catch_unwind().await;
            let answer = answer.unwrap_or_else(|_| Err(Error::internal_error()));
            events.send(Event::Computed { ticket, answer });
        });
        if let Some(request) = self.requests.open.get_mut(&ticket) {
            request.work = Some(work);
        }
    }

    /// Answers the request of `ticket` with the results so far, if it is held.
    pub(crate) fn release(&mut self, ticket: Ticket) {
        if let Some(request) = self.requests.held.remove(&ticket) {
            self.start(ticket, request);
        }
    }

    /// Answers the held requests that name a place in the text, before that changes.
    pub(crate) fn release_places(&mut self) {
        for (ticket, request) in std::mem::take(&mut self.requests.held) {
            match request.method.hold.is_some_and(|hold| hold.is_at_place) {
                true => self.start(ticket, request),
                false => drop(self.requests.held.insert(ticket, request)),
            }
        }
    }

    /// Answers the held requests unless they still wait for a plan.
    pub(crate) fn release_held(&mut self) {
        for (ticket, request) in std::mem::take(&mut self.requests.held) {
            match self.awaits_its_plan(&request) {
                true => drop(self.requests.held.insert(ticket, request)),
                false => self.start(ticket, request),
            }
        }
    }

    fn awaits_its_plan(&self, request: &HeldRequest) -> bool {
        let waits = request.file.as_ref().zip(request.method.hold);
        waits.is_some_and(|(file, hold)| (hold.awaits)(self, file))
    }

    /// The inputs of an answer at this moment.
    pub(crate) fn context(&self) -> RequestContext {
        RequestContext {
            snapshot: self.snapshot(),
            features: self.options.planner.features(),
            registry: self.options.planner.registry(),
            capabilities: self.capabilities.clone(),
            hovers_on_words: self.options.hooks.hovers_on_words,
            sent_tokens: self.sent_tokens.clone(),
        }
    }

    /// Runs `compute` on a snapshot of this moment.
    fn start(&mut self, ticket: Ticket, request: HeldRequest) {
        let HeldRequest {
            method, compute, ..
        } = request;
        let context = self.context();
        let gate = self
            .options
            .hooks
            .before_request
            .as_ref()
            .map(|hook| hook(method.name));
        let events: Events = self.events.clone();
        let work = Work::spawn(async move {
            let computed = async {
                if let Some(gate) = gate {
                    gate.await;
                }
                tokio::task::spawn_blocking(move || compute(&context)).await
            };
            let computed = AssertUnwindSafe(computed).catch_unwind().await;
            let answer = match computed {
                Ok(Ok(answer)) => answer,
                Ok(Err(_)) | Err(_) => {
                    tracing::error!("a request failed");
                    Err(Error::internal_error())
                }
            };
            events.send(Event::Computed { ticket, answer });
        });
        if let Some(request) = self.requests.open.get_mut(&ticket) {
            request.work = Some(work);
        }
    }
}
