//! Commands that the editor can run.

use std::path::{Path, PathBuf};

use ide::{Command, WhatIf};
use serde_json::Value;
use text::FileId;
use tower_lsp_server::jsonrpc::{Error, Result};

use crate::client::MessageKind;
use crate::context::to_value;
use crate::convert::file_id;
use crate::event::Event;
use crate::params::{ExecuteCommand, WhatIfSubject};
use crate::shown::title;
use crate::state::State;
use crate::{module_calls, progress};

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
            Command::RunInit => self.init(&params.arguments, true)?,
            Command::RunInitWithoutBackend => self.init(&params.arguments, false)?,
            Command::TrustWorkspace => {
                let folder = named_file(&params.arguments)?;
                self.trust_is_wanted(Path::new(folder.path()));
            }
            Command::WhatIfReplaced => {
                let replace = self.addresses(params.arguments)?;
                let targets = Vec::new();
                self.workspace.set_what_if(WhatIf { replace, targets });
            }
            Command::WhatIfTargeted => {
                let targets = self.addresses(params.arguments)?;
                let replace = Vec::new();
                self.workspace.set_what_if(WhatIf { replace, targets });
            }
            Command::SetCaller => self.choose_caller(params.arguments)?,
            Command::SetEnvironment => self.choose_environment(params.arguments)?,
            Command::RestartProviders => {
                self.options.planner.restart();
                self.workspace.world_was_read();
            }
            Command::ModuleCalls => {
                let file = named_file(&params.arguments)?;
                return Ok(module_calls::calls(&self.snapshot(), &file));
            }
            Command::ModuleCallers => {
                let file = named_file(&params.arguments)?;
                return Ok(module_calls::callers(&self.snapshot(), &file));
            }
            Command::Providers => {
                let file = named_file(&params.arguments)?;
                let mut providers = self.snapshot().providers_of(&file);
                for provider in &mut providers {
                    provider.name = title(&provider.name);
                    provider.source = title(&provider.source);
                    let constraint = provider.version_constraint.as_deref();
                    provider.version_constraint = constraint.map(title);
                }
                return to_value(providers);
            }
            Command::EndWhatIf => self.workspace.set_what_if(WhatIf::default()),
        }
        Ok(Value::Null)
    }

    /// Runs `terraform init` in the folder that the command names, or in the root module of a document. The user has asked for it; still it
    /// runs only where the workspace is trusted, because the configuration decides its downloads.
    fn init(&mut self, arguments: &[Value], with_backend: bool) -> Result<()> {
        let named = named_file(arguments)?;
        let snapshot = self.snapshot();
        let of_document = || match snapshot.file(&named) {
            Some(_) => Path::new(named.path()).parent(),
            None => None,
        };
        let dir = snapshot.root_of(&named).or_else(of_document);
        let dir = dir.map_or_else(|| PathBuf::from(named.path()), Path::to_owned);
        if !snapshot.trusts(&dir) {
            let message = "planlens runs no programs in this workspace until you trust it";
            self.client.show_message(MessageKind::Warning, message);
            return Ok(());
        }
        let progress = progress::begin(&self.events, &format!("Initializing {}", dir.display()));
        let init = self.options.planner.init(snapshot, dir, with_backend);
        let events = self.events.clone();
        tokio::spawn(async move {
            let (command, result) = init.await;
            drop(progress);
            events.send(Event::Initialized { command, result });
        });
        Ok(())
    }

    pub(crate) fn init_ended(&mut self, command: &str, result: std::result::Result<(), String>) {
        match result {
            Ok(()) => {
                let message = format!("`{command}` finished");
                self.client.show_message(MessageKind::Info, &message);
            }
            Err(why) => {
                let message = format!("`{command}` failed: {why}");
                self.client.show_message(MessageKind::Warning, &message);
            }
        }
        // The files that it installed are looked at, also after a failure.
        self.workspace.world_was_read();
    }

    /// The addresses of a what-if plan: as named, or of the resource at a position.
    fn addresses(&self, arguments: Vec<Value>) -> Result<Vec<String>> {
        let about = arguments.into_iter().next().unwrap_or_default();
        let about: WhatIfSubject = serde_json::from_value(about)
            .map_err(|error| Error::invalid_params(error.to_string()))?;
        let nothing = || Error::invalid_params("there is no planned resource at this place");
        if !about.addresses.is_empty() {
            let planner = &self.options.planner;
            return match about.addresses.iter().all(|it| planner.may_plan(it)) {
                true => Ok(about.addresses),
                false => Err(Error::invalid_params("an address can't be read")),
            };
        }
        let (Some(document), Some(point)) = (about.text_document, about.position) else {
            return Err(nothing());
        };
        let file = file_id(&document.uri);
        let document = &self.documents.get(&file).ok_or_else(nothing)?.document;
        let offset = document
            .line_index()
            .offset(point.position(), self.capabilities.encoding);
        let instances = self.snapshot().instances_at(&file, offset);
        match instances.is_empty() {
            true => Err(nothing()),
            false => Ok(instances),
        }
    }

    fn set_paused(&mut self, paused: bool) {
        self.settings.paused = Some(paused);
        self.apply_settings();
    }
}

/// The file or folder whose URI is the first argument.
fn named_file(arguments: &[Value]) -> Result<FileId> {
    let uri = arguments.first().and_then(Value::as_str);
    let uri = uri.ok_or_else(|| Error::invalid_params("the URI of a file or folder is missing"))?;
    Ok(file_id(uri))
}
