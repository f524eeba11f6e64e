//! From the first message to the last.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp_server::ls_types::{InitializeResult, ServerInfo};

use crate::capabilities::ClientCapabilities;
use crate::context::to_value;
use crate::convert::file_id;
use crate::event::Event;
use crate::methods::server_capabilities;
use crate::params::FoldersChanged;
use crate::state::State;

/// How long pending requests may run after the input has ended.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Phase {
    Uninitialized,
    /// The client has yet to say that it got the answer to its initialize request. Nothing may be sent before.
    Initializing,
    Running,
    ShutDown,
    /// The input has ended.
    Leaving,
}

impl State {
    pub(crate) fn initialize(&mut self, params: &Value) -> Result<Value> {
        if self.phase != Phase::Uninitialized {
            return Err(Error::invalid_request());
        }
        let capabilities = ClientCapabilities::of_client(params);
        let client = params.pointer("/clientInfo/name").and_then(Value::as_str);
        tracing::info!(client, ?capabilities, "initialize");
        let result = InitializeResult {
            capabilities: server_capabilities(&capabilities),
            server_info: Some(ServerInfo {
                name: "planlens".to_string(),
                version: Some(env!("CARGO_PKG_VERSION").to_string()),
            }),
            ..InitializeResult::default()
        };
        self.capabilities = Arc::new(capabilities);
        self.workspace.set_folders(folders(params));
        self.settings.set_initial(&params["initializationOptions"]);
        self.apply_settings();
        (self.options.set_log_level)(self.settings.current.log.level);
        self.phase = Phase::Initializing;
        let mut result = to_value(result)?;
        // Of version 3.18 of the protocol.
        result["capabilities"]["workspace"]["textDocumentContent"] =
            json!({ "schemes": [crate::plan_view::SCHEME] });
        result["capabilities"]["workspace"]["workspaceFolders"] =
            json!({ "supported": true, "changeNotifications": true });
        Ok(result)
    }

    pub(crate) fn initialized(&mut self) {
        if self.phase == Phase::Initializing {
            self.phase = Phase::Running;
            self.report_setting_problems();
            self.register_watchers();
            self.keep_looking_at_disk();
            self.register_configuration();
            self.ask_for_configuration();
        }
    }

    pub(crate) fn folders_changed(&mut self, params: FoldersChanged) {
        let mut folders = self.snapshot().folders().to_vec();
        let gone: Vec<PathBuf> = params
            .event
            .removed
            .iter()
            .map(|it| folder(&it.uri))
            .collect();
        folders.retain(|folder| !gone.contains(folder));
        folders.extend(params.event.added.iter().map(|it| folder(&it.uri)));
        self.workspace.set_folders(folders);
        self.apply_trust();
    }

    pub(crate) fn shutdown(&mut self) -> Value {
        self.phase = Phase::ShutDown;
        self.stop_planning();
        (self.options.leaving)();
        Value::Null
    }

    /// Whether this is an orderly end.
    pub(crate) fn was_shut_down(&self) -> bool {
        match self.phase {
            Phase::Uninitialized | Phase::Initializing | Phase::Running => false,
            Phase::ShutDown | Phase::Leaving => true,
        }
    }

    /// Why requests other than initialize are refused.
    pub(crate) fn refusal(&self) -> Option<Error> {
        match self.phase {
            Phase::Uninitialized => Some(Error {
                code: ErrorCode::ServerError(-32002),
                message: "the first request must be initialize".into(),
                data: None,
            }),
            Phase::Initializing | Phase::Running => None,
            Phase::ShutDown | Phase::Leaving => Some(Error::invalid_request()),
        }
    }

    /// The input ended: an orderly end, whether or not the client announced it. Pending requests are answered.
    pub(crate) fn input_ended(&mut self) -> ControlFlow<bool> {
        self.phase = Phase::Leaving;
        self.stop_planning();
        (self.options.leaving)();
        self.release_held();
        let events = self.events.clone();
        tokio::spawn(async move {
            tokio::time::sleep(GRACE).await;
            events.send(Event::GraceIsOver);
        });
        self.leave_when_done()
    }

    pub(crate) fn leave_when_done(&self) -> ControlFlow<bool> {
        if self.phase == Phase::Leaving && self.requests.is_empty() {
            return ControlFlow::Break(true);
        }
        ControlFlow::Continue(())
    }
}

/// The folders that the client has open, by the parameters of its initialize request.
fn folders(params: &Value) -> Vec<PathBuf> {
    let folders = params["workspaceFolders"].as_array();
    let uris = folders.map(|it| it.iter().map(|folder| &folder["uri"]).collect());
    let uris: Vec<&Value> = uris.unwrap_or_else(|| vec![&params["rootUri"]]);
    let uris = uris.into_iter().filter_map(Value::as_str);
    uris.map(folder).collect()
}

fn folder(uri: &str) -> PathBuf {
    PathBuf::from(file_id(uri.trim_end_matches('/')).path())
}
