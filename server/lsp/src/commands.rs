//! Commands that the editor can run.

use ide::Command;
use serde_json::Value;
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::params::ExecuteCommand;
use crate::state::State;

impl State {
    pub(crate) fn execute(&mut self, params: Value) -> Result<Value> {
        let params: ExecuteCommand = serde_json::from_value(params)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let command = Command::from_name(&params.command)
            .ok_or_else(|| Error::invalid_params(format!("no command {}", params.command)))?;
        match command {
            Command::Pause => self.set_paused(true),
            Command::Resume => self.set_paused(false),
            Command::Replan => self.workspace.replan(),
        }
        Ok(Value::Null)
    }

    fn set_paused(&mut self, paused: bool) {
        self.settings.paused = Some(paused);
        self.apply_settings();
    }
}
