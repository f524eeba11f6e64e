//! All that the server knows. The main loop owns it.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use ide::{Snapshot, Workspace};
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::Error;

use crate::capabilities::ClientCapabilities;
use crate::client::{Client, MessageKind, Question};
use crate::client_settings::SettingsLayers;
use crate::event::{Event, Events, OnDisk};
use crate::lifecycle::Phase;
use crate::options::Options;
use crate::plan_view::PlanView;
use crate::planning::Planning;
use crate::progress::ProgressBars;
use crate::publish::Publisher;
use crate::requests::Requests;
use crate::semantic_tokens::SentTokens;
use crate::sync::OpenDocument;
use crate::trust::TrustAnswers;

pub(crate) struct State {
    pub(crate) phase: Phase,
    pub(crate) capabilities: Arc<ClientCapabilities>,
    pub(crate) documents: BTreeMap<FileId, OpenDocument>,
    pub(crate) workspace: Workspace,
    pub(crate) settings: SettingsLayers,
    pub(crate) trust: TrustAnswers,
    pub(crate) requests: Requests,
    pub(crate) planning: Planning,
    pub(crate) publisher: Publisher,
    pub(crate) progress: ProgressBars,
    pub(crate) plan_view: PlanView,
    pub(crate) sent_tokens: Arc<SentTokens>,
    /// The files as they were when the server last looked.
    pub(crate) on_disk: OnDisk,
    pub(crate) client: Client,
    pub(crate) events: Events,
    pub(crate) options: Options,
}

impl State {
    pub(crate) fn new(events: Events, client: Client, options: Options) -> State {
        let mut workspace = Workspace::default();
        workspace.set_home(options.planner.home());
        workspace.set_languages(options.planner.languages());
        State {
            phase: Phase::Uninitialized,
            capabilities: Arc::new(ClientCapabilities::new(&Value::Null)),
            documents: BTreeMap::new(),
            workspace,
            settings: SettingsLayers::default(),
            trust: TrustAnswers::kept(options.state_dir.as_deref()),
            requests: Requests::default(),
            planning: Planning::default(),
            publisher: Publisher::default(),
            progress: ProgressBars::default(),
            client,
            plan_view: PlanView::default(),
            sent_tokens: Arc::default(),
            on_disk: OnDisk::default(),
            events,
            options,
        }
    }

    pub(crate) fn snapshot(&self) -> Snapshot {
        self.workspace.snapshot()
    }

    /// Handles one event. Breaks when the client has left, with whether it shut the server down before.
    pub(crate) fn handle(&mut self, event: Event) -> ControlFlow<bool> {
        self.trust.look_is_due |= matches!(
            event,
            Event::Request { .. } | Event::Notification { .. } | Event::LookIsDue
        );
        match event {
            Event::Request {
                id,
                method,
                params,
                reply,
            } => {
                self.request(id, &method, params, reply);
            }
            Event::Notification { method, params } => return self.notification(&method, params),
            Event::Answer { id, answer } => match self.client.answered(&id) {
                Some(question) => self.answer(question, answer),
                None => tracing::trace!(%id, "answer that changes nothing"),
            },
            // The messages that waited for it are sent by `settle`.
            Event::CaughtUp => {}
            Event::GraceIsOver => return ControlFlow::Break(self.was_shut_down()),
            Event::Computed { ticket, answer } => {
                self.requests.finish(ticket, answer);
                return self.leave_when_done();
            }
            Event::HoldIsOver { ticket } => self.release(ticket),
            Event::LookIsDue => self.look_is_due(),
            Event::LookedAtDisk { on_disk, look } => self.looked_at_disk(on_disk, look),
            Event::Initialized { command, result } => self.init_ended(&command, result),
            Event::Found { findings } => self.publish(findings),
            Event::PlanBegan { revision, roots } => self.plan_began(revision, roots),
            Event::Planned { update } => self.planned(update),
            Event::PlanIsSlow => self.plan_is_slow(),
            Event::PlanEnded { revision } => self.plan_ended(revision),
            Event::WorldRead => self.workspace.world_was_read(),
            Event::Progress { change } => self.show_progress(change),
            Event::Warning { message } => {
                self.client.show_message(MessageKind::Warning, &message);
            }
            Event::TrustNeeded { dir, needed } => self.trust_is_needed(&dir, &needed),
        }
        ControlFlow::Continue(())
    }

    /// Starts the work that follows from the events so far. Called when no event is waiting, so a burst of edits costs one
    /// plan and one look for diagnostics.
    pub(crate) fn settle(&mut self) {
        if self.phase != Phase::Running {
            return;
        }
        self.ask_for_trust();
        self.start_plan();
        self.release_held();
        self.look_for_diagnostics();
        self.send_refreshes();
        self.send_plan_status();
    }

    /// An error for an answer is as good as none: it never ends more than the question.
    fn answer(&mut self, question: Question, answer: Result<Value, Error>) {
        if let Err(error) = &answer {
            tracing::debug!(?question, code = error.code.code(), "the client refused");
        }
        match question {
            Question::Trust { folder, new } => self.trust_answered(&folder, &new, answer),
            Question::Configuration => self.configuration_answered(answer.ok()),
            Question::CreateProgress { token } => self.progress_created(token, answer.is_ok()),
            Question::Courtesy => {}
        }
    }
}
