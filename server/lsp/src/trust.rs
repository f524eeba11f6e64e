//! Whether provider plugins may be started, and where.
//!
//! A plugin is a program that came with the workspace, so starting it needs a yes. It is given for a folder that the
//! editor has open, or for a root module outside of these, and kept in the user's state folder by the path without links.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use ide::{Trust, Trusted};
use serde_json::{Value, json};
use tower_lsp_server::jsonrpc::Result;

use crate::client::{MessageKind, Question};
use crate::shown::message;
use crate::state::State;

const TRUST: &str = "Trust this workspace";
const DO_NOT_TRUST: &str = "Not now";

/// In the state folder: a list of paths in JSON.
const KEPT: &str = "trusted.json";

/// What was asked and answered. All folders are without links.
#[derive(Default)]
pub(crate) struct TrustAnswers {
    trusted: BTreeSet<PathBuf>,
    asked: BTreeSet<PathBuf>,
    /// The names of providers that would start, by the folder that would have to be trusted.
    refused: BTreeMap<PathBuf, BTreeSet<String>>,
}

impl TrustAnswers {
    pub(crate) fn kept(state_dir: Option<&Path>) -> TrustAnswers {
        TrustAnswers {
            trusted: state_dir.map(kept).unwrap_or_default(),
            ..TrustAnswers::default()
        }
    }
}

fn kept(state_dir: &Path) -> BTreeSet<PathBuf> {
    let text = fs::read(state_dir.join(KEPT)).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

fn keep(state_dir: &Path, folder: PathBuf) -> anyhow::Result<()> {
    // Another server may have kept something meanwhile.
    let mut all = kept(state_dir);
    all.insert(folder);
    state::write_private(&state_dir.join(KEPT), &[&serde_json::to_vec(&all)?])?;
    Ok(())
}

/// A folder's path without links, as far as there is one.
pub(crate) fn canonical(folder: &Path) -> PathBuf {
    fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned())
}

impl State {
    /// Asks once for each folder, when a plan needed providers that would start, and all settings are known. Until the
    /// answer nothing is started.
    pub(crate) fn ask_for_trust(&mut self) {
        if self.settings.current.trust != Trust::Ask || self.settings.awaits_configuration {
            return;
        }
        for (folder, providers) in std::mem::take(&mut self.trust.refused) {
            if self.trust.trusted.contains(&folder) || !self.trust.asked.insert(folder.clone()) {
                continue;
            }
            let providers: Vec<&str> = providers.iter().map(String::as_str).collect();
            let providers = providers.join(", ");
            if self.capabilities.message_requests {
                let params = json!({
                    "type": MessageKind::Info as u8,
                    "message": message(&format!(
                        "planlens: to plan, the provider plugins of {} have to start, which runs their code: \
                         {providers}. Do you trust them?",
                        folder.display()
                    )),
                    "actions": [{ "title": TRUST }, { "title": DO_NOT_TRUST }],
                });
                self.client.ask(
                    "window/showMessageRequest",
                    params,
                    Question::Trust { folder },
                );
            } else {
                self.tell_how_to_trust(&format!(
                    "the provider plugins of this workspace ({providers})"
                ));
            }
        }
    }

    fn tell_how_to_trust(&mut self, what: &str) {
        let message = format!(
            "planlens does not start {what} before the setting \"trust\" is \"always\", as this editor can't ask you"
        );
        self.client.show_message(MessageKind::Info, &message);
    }

    /// Providers of a root module would start if it were trusted.
    pub(crate) fn plugins_refused(&mut self, dir: &Path, providers: Vec<String>) {
        let folder = self.trusted().place(&canonical(dir)).to_owned();
        self.trust
            .refused
            .entry(folder)
            .or_default()
            .extend(providers);
    }

    pub(crate) fn trust_answered(&mut self, folder: PathBuf, answer: Result<Value>) {
        match answer {
            Ok(action) if action["title"] == TRUST => {
                let state_dir = self.options.state_dir.as_deref();
                if let Some(Err(error)) = state_dir.map(|dir| keep(dir, folder.clone())) {
                    tracing::warn!(%error, "the answer is not kept");
                }
                self.trust.trusted.insert(folder);
            }
            Ok(_) => {}
            Err(_) => self.tell_how_to_trust("the provider plugins of this workspace"),
        }
        self.apply_trust();
    }

    pub(crate) fn apply_trust(&mut self) {
        let trusted = self.trusted();
        if self.workspace.set_trusted(trusted) {
            // What runs may be trusted no more.
            self.options.planner.restart();
        }
    }

    fn trusted(&self) -> Trusted {
        let folders = self
            .snapshot()
            .folders()
            .iter()
            .map(|it| canonical(it))
            .collect();
        let trusted = match self.settings.current.trust {
            Trust::Always => return Trusted::Everywhere,
            Trust::Never => BTreeSet::new(),
            Trust::Ask => self.trust.trusted.clone(),
        };
        Trusted::In { folders, trusted }
    }
}
