//! Why a request to a provider has no answer.

use std::path::PathBuf;
use std::time::Duration;

/// A request to a provider failed. Planning goes on without its answer. `doing` is the name of the call.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, thiserror::Error)]
pub enum ProviderError {
    #[error("{}: this workspace is not trusted", self.brief())]
    NotTrusted { provider: String },
    #[error("{}: it is not approved", self.brief())]
    NotApproved { provider: String },
    #[error("{}: run `terraform init`", self.brief())]
    NotInstalled { provider: String },
    #[error("{}: {reason} ({})", self.brief(), package.display())]
    LockMismatch {
        provider: String,
        package: PathBuf,
        reason: String,
    },
    #[error("{}: {reason}", self.brief())]
    LockUnreadable { provider: String, reason: String },
    #[error("{}: {reason}", self.brief())]
    Start { provider: String, reason: String },
    /// The request doesn't fit the provider's schema.
    #[error("{}: {reason}", self.brief())]
    Request {
        provider: String,
        doing: &'static str,
        reason: String,
    },
    #[error("{}", self.brief())]
    Timeout {
        provider: String,
        doing: &'static str,
        after: Duration,
    },
    #[error("{}", self.brief())]
    Stopped {
        provider: String,
        doing: &'static str,
    },
    #[error("{}", self.brief())]
    TooLarge {
        provider: String,
        doing: &'static str,
        limit_mib: u64,
    },
    #[error("{}", self.brief())]
    CrashesOn {
        provider: String,
        type_name: String,
        times: u32,
    },
    /// The provider plans objects of the type by asking a service, which is not allowed now.
    #[error("{} to plan {type_name}; run Replan", self.brief())]
    AsksService { provider: String, type_name: String },
    #[error("{}", self.brief())]
    UnknownType {
        provider: String,
        kind: &'static str,
        name: String,
    },
    #[error("{}", self.brief())]
    Unsupported {
        provider: String,
        doing: &'static str,
    },
    #[error("{}: {reason}", self.brief())]
    Protocol {
        provider: String,
        doing: &'static str,
        reason: String,
    },
}

impl ProviderError {
    /// The error, without the reason.
    pub fn brief(&self) -> String {
        let provider = self.provider();
        match self {
            ProviderError::NotTrusted { .. } | ProviderError::NotApproved { .. } => {
                format!("provider {provider} may not start")
            }
            ProviderError::NotInstalled { .. } => format!("provider {provider} is not installed"),
            ProviderError::LockMismatch { .. } => {
                format!("provider {provider} doesn't match the lock file .terraform.lock.hcl")
            }
            ProviderError::LockUnreadable { .. } => format!(
                "provider {provider} isn't selected, as the lock file .terraform.lock.hcl can't be read"
            ),
            ProviderError::Start { .. } => format!("provider {provider} did not start"),
            ProviderError::Request { doing, .. } => {
                format!("provider {provider} can't be asked for {doing}")
            }
            ProviderError::Timeout { doing, after, .. } => {
                format!("provider {provider} did not answer {doing} within {after:?}")
            }
            ProviderError::Stopped { doing, .. } => {
                format!("provider {provider} stopped during {doing}")
            }
            ProviderError::TooLarge {
                doing, limit_mib, ..
            } => format!(
                "provider {provider} was ended during {doing}, as it held more than {limit_mib} MiB of memory"
            ),
            ProviderError::CrashesOn {
                type_name, times, ..
            } => format!(
                "provider {provider} crashed {times} times on {type_name}, so planlens no longer asks it about this type"
            ),
            ProviderError::AsksService { .. } => {
                format!("not planned while you type: provider {provider} asks a service")
            }
            ProviderError::UnknownType { kind, name, .. } => {
                format!("provider {provider} has no {kind} {name}")
            }
            ProviderError::Unsupported { doing, .. } => {
                format!("provider {provider} doesn't support {doing}")
            }
            ProviderError::Protocol { doing, .. } => {
                format!("provider {provider} gave an unreadable answer to {doing}")
            }
        }
    }

    /// The name of the provider.
    pub fn provider(&self) -> &str {
        match self {
            ProviderError::NotTrusted { provider, .. }
            | ProviderError::NotApproved { provider, .. }
            | ProviderError::NotInstalled { provider, .. }
            | ProviderError::LockMismatch { provider, .. }
            | ProviderError::LockUnreadable { provider, .. }
            | ProviderError::Start { provider, .. }
            | ProviderError::Request { provider, .. }
            | ProviderError::Timeout { provider, .. }
            | ProviderError::Stopped { provider, .. }
            | ProviderError::TooLarge { provider, .. }
            | ProviderError::CrashesOn { provider, .. }
            | ProviderError::AsksService { provider, .. }
            | ProviderError::UnknownType { provider, .. }
            | ProviderError::Unsupported { provider, .. }
            | ProviderError::Protocol { provider, .. } => provider,
        }
    }

    /// The same of a provider that goes by this name.
    pub fn about(mut self, name: String) -> ProviderError {
        match &mut self {
            ProviderError::NotTrusted { provider, .. }
            | ProviderError::NotApproved { provider, .. }
            | ProviderError::NotInstalled { provider, .. }
            | ProviderError::LockMismatch { provider, .. }
            | ProviderError::LockUnreadable { provider, .. }
            | ProviderError::Start { provider, .. }
            | ProviderError::Request { provider, .. }
            | ProviderError::Timeout { provider, .. }
            | ProviderError::Stopped { provider, .. }
            | ProviderError::TooLarge { provider, .. }
            | ProviderError::CrashesOn { provider, .. }
            | ProviderError::AsksService { provider, .. }
            | ProviderError::UnknownType { provider, .. }
            | ProviderError::Unsupported { provider, .. }
            | ProviderError::Protocol { provider, .. } => *provider = name,
        }
        self
    }

    /// Whether no package is installed that the lock file selects: `init` installs it.
    pub fn is_not_installed(&self) -> bool {
        matches!(
            self,
            ProviderError::NotInstalled { .. }
                | ProviderError::LockMismatch { .. }
                | ProviderError::LockUnreadable { .. }
        )
    }

    /// Whether the provider never ran: no request of any kind would have an answer.
    pub fn is_before_start(&self) -> bool {
        match self {
            ProviderError::NotTrusted { .. }
            | ProviderError::NotApproved { .. }
            | ProviderError::NotInstalled { .. }
            | ProviderError::LockMismatch { .. }
            | ProviderError::LockUnreadable { .. }
            | ProviderError::Start { .. } => true,
            ProviderError::Request { .. }
            | ProviderError::Timeout { .. }
            | ProviderError::Stopped { .. }
            | ProviderError::TooLarge { .. }
            | ProviderError::CrashesOn { .. }
            | ProviderError::AsksService { .. }
            | ProviderError::UnknownType { .. }
            | ProviderError::Unsupported { .. }
            | ProviderError::Protocol { .. } => false,
        }
    }
}
