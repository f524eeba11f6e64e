//! Requests, from their arrival to their one answer.

use std::collections::{BTreeMap, HashMap};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use ide::{Snapshot, Stage};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::{Error, Id, Result};

use crate::capabilities::ClientCapabilities;
use crate::convert::{Convert, file_id};
use crate::event::{Event, Events, Reply, Ticket};
use crate::lifecycle::to_value;
use crate::params::InRange;
use crate::semantic_tokens::SentTokens;
use crate::state::{State, Work};
use crate::transport::UNREADABLE;
use crate::{
    callers, code_actions, code_lenses, completion, environments, formatting, hover, inlay_hints,
    module_calls, navigation, plan_view, pull, semantic_tokens, signature_help, structure, symbols,
};

/// How long a request waits for the plan of the current texts, so that nothing stale is drawn and drawn again: some
/// editors can't be told to ask again, and Neovim before 0.11 draws hints only once for each text. It covers the start
/// of a provider; editors give up after ten seconds or more.
const HOLD: Duration = Duration::from_secs(5);

/// How long what is asked at a place waits: while the first folder is read, and a code action for the plan. An edit ends it,
/// as the place is one of the text before.
const HOLD_AT_PLACE: Duration = Duration::from_millis(500);

/// What an answer is made from.
pub(crate) struct Context {
    pub(crate) snapshot: Snapshot,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) hovers_on_words: bool,
    pub(crate) sent_tokens: Arc<SentTokens>,
}

type Compute = Box<dyn FnOnce(&Context) -> Result<Value> + Send>;

/// The requests that have no answer yet.
#[derive(Default)]
pub(crate) struct Requests {
    next: u64,
    open: HashMap<Ticket, OpenRequest>,
    tickets: HashMap<Id, Ticket>,
    held: BTreeMap<Ticket, Held>,
}

/// A request that waits for what it shows.
struct Held {
    method: String,
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
        match method {
            UNREADABLE => return reply.send(Err(Error::invalid_request())),
            "shutdown" => return reply.send(Ok(self.shutdown())),
            "workspace/executeCommand" => return reply.send(self.execute(params)),
            "textDocument/prepareRename" => return self.prepare_rename(id, params, reply),
            "textDocument/rename" => return self.rename(id, params, reply),
            "codeAction/resolve" if code_actions::is_refactoring(&params) => {
                return self.resolve_refactoring(id, params, reply);
            }
            "workspace/textDocumentContent" => self.plan_document_is_read(&params),
            // Editors ask for the part that they show.
            "textDocument/inlayHint" => self.shows(&params),
            _ => {}
        }
        let document = params.pointer("/textDocument/uri").and_then(Value::as_str);
        let file = document.map(file_id);
        let compute = match method {
            "textDocument/hover" => computation(params, hover::answer),
            "textDocument/completion" => computation(params, completion::answer),
            "completionItem/resolve" => computation(params, completion::resolve),
            "textDocument/signatureHelp" => computation(params, signature_help::answer),
            "textDocument/definition" | "textDocument/declaration" => {
                computation(params, navigation::definition)
            }
            "textDocument/references" => computation(params, navigation::references),
            "textDocument/documentHighlight" => computation(params, navigation::highlights),
            "textDocument/linkedEditingRange" => computation(params, navigation::linked),
            "textDocument/prepareCallHierarchy" => computation(params, module_calls::prepare),
            "callHierarchy/incomingCalls" => computation(params, module_calls::incoming),
            "callHierarchy/outgoingCalls" => computation(params, module_calls::outgoing),
            "textDocument/documentSymbol" => computation(params, symbols::of_document),
            "workspace/symbol" => computation(params, symbols::of_workspace),
            "textDocument/foldingRange" => computation(params, structure::folds),
            "textDocument/selectionRange" => computation(params, structure::selections),
            "textDocument/documentLink" => computation(params, structure::links),
            "textDocument/semanticTokens/full" => computation(params, semantic_tokens::full),
            "textDocument/semanticTokens/full/delta" => computation(params, semantic_tokens::delta),
            "textDocument/semanticTokens/range" => computation(params, semantic_tokens::range),
            "workspace/textDocumentContent" => computation(params, plan_view::content),
            "planlens/callers" => computation(params, callers::list),
            "planlens/environments" => computation(params, environments::list),
            "planlens/plan" => computation(params, plan_view::plans),
            "textDocument/formatting" => computation(params, formatting::document),
            "textDocument/rangeFormatting" => computation(params, formatting::range),
            "textDocument/onTypeFormatting" => computation(params, formatting::on_type),
            "textDocument/inlayHint" => computation(params, inlay_hints::answer),
            "textDocument/diagnostic" => computation(params, pull::of_document),
            "workspace/diagnostic" => computation(params, pull::of_workspace),
            "textDocument/codeAction" => computation(params, code_actions::answer),
            "codeAction/resolve" => computation(params, code_actions::resolve),
            "textDocument/codeLens" => computation(params, code_lenses::answer),
            _ => return reply.send(Err(Error::method_not_found())),
        };
        let method = method.to_owned();
        let request = Held {
            method,
            file,
            compute,
        };
        self.compute_or_hold(id, reply, request);
    }

    fn shows(&mut self, params: &Value) {
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

    fn compute_or_hold(&mut self, id: Id, reply: Reply, request: Held) {
        let Some(ticket) = self.requests.accept(id, reply) else {
            return;
        };
        if !self.awaits_what_it_shows(&request) {
            return self.start(ticket, request);
        }
        let hold = hold(&request.method);
        self.requests.held.insert(ticket, request);
        if self.options.hooks.is_patient {
            return;
        }
        let events = self.events.clone();
        let timer = Work::spawn(async move {
            tokio::time::sleep(hold).await;
            events.send(Event::HoldIsOver { ticket });
        });
        if let Some(request) = self.requests.open.get_mut(&ticket) {
            request.work = Some(timer);
        }
    }

    /// Answers a request with what `answer` comes to, however long that takes.
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

    /// Answers the request of `ticket` with what is known, if it is held.
    pub(crate) fn release(&mut self, ticket: Ticket) {
        if let Some(request) = self.requests.held.remove(&ticket) {
            self.start(ticket, request);
        }
    }

    /// Answers the held requests that name a place in the text, before that changes.
    pub(crate) fn release_places(&mut self) {
        for (ticket, request) in std::mem::take(&mut self.requests.held) {
            match hold(&request.method) == HOLD_AT_PLACE {
                true => self.start(ticket, request),
                false => drop(self.requests.held.insert(ticket, request)),
            }
        }
    }

    /// Answers the held requests unless they still wait for a plan.
    pub(crate) fn release_held(&mut self) {
        for (ticket, request) in std::mem::take(&mut self.requests.held) {
            match self.awaits_what_it_shows(&request) {
                true => drop(self.requests.held.insert(ticket, request)),
                false => self.start(ticket, request),
            }
        }
    }

    fn awaits_what_it_shows(&self, request: &Held) -> bool {
        let Some(file) = &request.file else {
            return false;
        };
        match request.method.as_str() {
            // The rest is asked for again when it is planned.
            "textDocument/inlayHint" if self.capabilities.refreshes_inlay_hints => {
                self.awaits_plan_of(file, Stage::Shown)
            }
            "textDocument/inlayHint" | "textDocument/codeLens" | "textDocument/codeAction" => {
                self.awaits_plan_of(file, Stage::Planned)
            }
            "textDocument/diagnostic" => self.awaits_checks_of(file),
            "textDocument/completion" | "textDocument/hover" | "textDocument/signatureHelp" => {
                !self.snapshot().knows_modules() && self.awaits_plan_of(file, Stage::Planned)
            }
            _ => false,
        }
    }

    /// What an answer is made from at this moment.
    pub(crate) fn context(&self) -> Context {
        Context {
            snapshot: self.snapshot(),
            capabilities: self.capabilities.clone(),
            hovers_on_words: self.options.hooks.hovers_on_words,
            sent_tokens: self.sent_tokens.clone(),
        }
    }

    /// Runs `compute` on a snapshot of this moment.
    fn start(&mut self, ticket: Ticket, request: Held) {
        let Held {
            method, compute, ..
        } = request;
        let context = self.context();
        let gate = self
            .options
            .hooks
            .before_request
            .as_ref()
            .map(|hook| hook(&method));
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

/// How long a request may be held.
fn hold(method: &str) -> Duration {
    match method {
        "textDocument/inlayHint" | "textDocument/codeLens" | "textDocument/diagnostic" => HOLD,
        _ => HOLD_AT_PLACE,
    }
}

/// Reads `params`, and makes the answer of `answer` from them.
fn computation<P, R>(params: Value, answer: fn(&Context, P) -> R) -> Compute
where
    P: DeserializeOwned + 'static,
    R: Serialize + 'static,
{
    Box::new(move |context| {
        let params = serde_json::from_value(params)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        to_value(answer(context, params))
    })
}
