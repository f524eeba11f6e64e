//! The commands of the server that editors can run.

/// A command of the server that the editor can run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Command {
    Pause,
    Resume,
    /// Plans again, and reads the parts of the world that the settings leave to a command.
    Replan,
    /// Runs `terraform init` in the folder that is its argument.
    RunInit,
    /// Runs `init -backend=false`.
    RunInitWithoutBackend,
    /// Asks whether the folder that is its argument is trusted.
    TrustWorkspace,
    /// Plans as if the resource at a place, or some instances, had to be replaced.
    WhatIfReplaced,
    /// Plans as if only the resource at a place, or some addresses, were meant.
    WhatIfTargeted,
    /// Ends the what-if plan.
    EndWhatIf,
    /// Ends the plugins, so that the next plan starts them again.
    RestartProviders,
    /// Lists the module calls of the module that a file belongs to.
    ModuleCalls,
    /// Lists the modules that call the one that a file belongs to.
    ModuleCallers,
    /// Lists the providers of the module that a file belongs to.
    Providers,
    /// Plans the root module of a document with one of its environments.
    SetEnvironment,
    /// Shows a document's module as one of its callers plans it.
    SetCaller,
}

impl Command {
    pub const ALL: [Command; 15] = [
        Command::Pause,
        Command::Resume,
        Command::Replan,
        Command::RunInit,
        Command::RunInitWithoutBackend,
        Command::TrustWorkspace,
        Command::WhatIfReplaced,
        Command::WhatIfTargeted,
        Command::EndWhatIf,
        Command::RestartProviders,
        Command::ModuleCalls,
        Command::ModuleCallers,
        Command::Providers,
        Command::SetEnvironment,
        Command::SetCaller,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Command::Pause => "planlens.pause",
            Command::Resume => "planlens.resume",
            Command::Replan => "planlens.replan",
            Command::RunInit => "planlens.runInit",
            Command::RunInitWithoutBackend => "planlens.runInitWithoutBackend",
            Command::TrustWorkspace => "planlens.trustWorkspace",
            Command::WhatIfReplaced => "planlens.whatIfReplaced",
            Command::WhatIfTargeted => "planlens.whatIfTargeted",
            Command::EndWhatIf => "planlens.endWhatIf",
            Command::RestartProviders => "planlens.restartProviders",
            Command::ModuleCalls => "planlens.moduleCalls",
            Command::ModuleCallers => "planlens.moduleCallers",
            Command::Providers => "planlens.providers",
            Command::SetEnvironment => "planlens.setEnvironment",
            Command::SetCaller => "planlens.setCaller",
        }
    }

    pub fn from_name(name: &str) -> Option<Command> {
        Command::ALL
            .into_iter()
            .find(|command| command.name() == name)
    }
}
