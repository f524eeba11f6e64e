//! Whether provider plugins of the workspace may be started.
//!
//! A plugin is a program that came with the workspace, so starting it needs a yes. The answer is kept nowhere.

use ide::Trust;
use serde_json::{Value, json};

use crate::client::{MessageKind, Question};
use crate::state::State;

const TRUST: &str = "Trust this workspace";
const DO_NOT_TRUST: &str = "Not now";

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TrustAnswer {
    NotAsked,
    Asked,
    Trusted,
    NotTrusted,
}

impl State {
    /// Asks once, when a plan needed providers that would start, and all settings are known. Until the answer nothing
    /// is started.
    pub(crate) fn ask_for_trust(&mut self) {
        if self.settings.current.trust != Trust::Ask
            || self.trust != TrustAnswer::NotAsked
            || self.settings.awaits_configuration
            || self.refused.is_empty()
        {
            return;
        }
        let providers: Vec<&str> = self.refused.iter().map(String::as_str).collect();
        let providers = providers.join(", ");
        if self.capabilities.message_requests {
            self.trust = TrustAnswer::Asked;
            let params = json!({
                "type": MessageKind::Info as u8,
                "message": format!(
                    "planlens: to plan, the provider plugins of this workspace have to start, which runs their code: \
                     {providers}. Do you trust them?"
                ),
                "actions": [{ "title": TRUST }, { "title": DO_NOT_TRUST }],
            });
            self.client
                .ask("window/showMessageRequest", params, Question::Trust);
        } else {
            self.trust = TrustAnswer::NotTrusted;
            let message = format!(
                "planlens does not start the provider plugins of this workspace ({providers}) before the setting \
                 \"trust\" is \"always\""
            );
            self.client.show_message(MessageKind::Info, &message);
        }
    }

    pub(crate) fn trust_answered(&mut self, answer: Option<Value>) {
        let is_yes = answer.is_some_and(|action| action["title"] == TRUST);
        self.trust = if is_yes {
            TrustAnswer::Trusted
        } else {
            TrustAnswer::NotTrusted
        };
        self.apply_trust();
    }

    pub(crate) fn apply_trust(&mut self) {
        let is_trusted = match self.settings.current.trust {
            Trust::Always => true,
            Trust::Never => false,
            Trust::Ask => self.trust == TrustAnswer::Trusted,
        };
        self.workspace.set_trusted(is_trusted);
    }
}
